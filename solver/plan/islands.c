/* Union-find over the awake rows. A row's parent is a lower row of the same island, or the row itself; a row
 * that can belong to no island has none, -1. */
#include "solver/plan/islands.h"

#include "core/disjoint_sets.h"

#include <string.h>

bool dry_islands_reserve(dry_islands *islands, dry_memory *memory, int edges)
{
    return DRY_RESERVE(memory, islands->edge, islands->edge_capacity, edges);
}

/* Joins two islands. The lower row becomes the root, so that parents come first when islands are numbered. */
static void unite(int32_t *parent, int a, int b)
{
    if (a >= 0 && b >= 0 && parent[a] != parent[b])
        dry_sets_unite(parent, a, b);
}

/* Returns the row of a body that can belong to an island, or DRY_EDGE_... While islands are built, `parent`
 * tells which rows can; otherwise it is null, and the islands themselves tell. */
static inline int edge_row(const dry_bodies *bodies, const int32_t *parent, int body)
{
    if (body < 0) /* the world */
        return DRY_EDGE_FIXED;
    int row = dry_bodies_row(bodies, body);
    if (row >= bodies->awake_count)
        return DRY_EDGE_FIXED;
    return (parent ? parent[row] : bodies->sleep[row].island) < 0 ? DRY_EDGE_KINEMATIC : row;
}

static inline dry_edge edge_of(const dry_bodies *bodies, const int32_t *parent, const dry_contacts *contacts,
                               int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    return (dry_edge){.contact = contact,
                      .row_a = edge_row(bodies, parent, link->body_a),
                      .row_b = edge_row(bodies, parent, link->body_b),
                      .color = (unsigned)link->color & DRY_EDGE_UNCOLORED};
}

static void gather_edges(dry_islands *islands, const dry_bodies *bodies, int32_t *parent,
                         const dry_contacts *contacts)
{
    dry_edge *edge = islands->edge;
    for (int word = 0; word < dry_contact_words(contacts); word++) {
        uint64_t bits = contacts->active_bits[word] & contacts->touching_bits[word];
        for (; bits; bits &= bits - 1) {
            *edge = edge_of(bodies, parent, contacts, 64 * word + dry_lowest_bit(bits));
            unite(parent, edge->row_a, edge->row_b);
            edge += edge->row_a >= 0 || edge->row_b >= 0;
        }
    }
    islands->edge_count = (int)(edge - islands->edge);
    DRY_ASSERT(islands->edge_count <= islands->edge_capacity);
}

/* Returns the first of edges [begin, end) whose contact is not below `contact`. */
static int find_edge(const dry_edge *edge, int begin, int end, int contact)
{
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (edge[middle].contact < contact)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

dry_edge_patch dry_islands_begin_removing(dry_islands *islands)
{
    return (dry_edge_patch){islands, 0, 0};
}

static void keep_until(dry_edge_patch *patch, int end)
{
    dry_edge *edge = patch->islands->edge;
    int count = end - patch->read;
    if (patch->read != patch->write)
        memmove(edge + patch->write, edge + patch->read, (size_t)count * sizeof *edge);
    patch->read += count;
    patch->write += count;
}

void dry_islands_remove_edge(dry_edge_patch *patch, int contact)
{
    dry_islands *islands = patch->islands;
    DRY_ASSERT(!islands->stale);
    int at = find_edge(islands->edge, patch->read, islands->edge_count, contact);
    /* A contact of two bodies that can be in no island has no edge. */
    if (at == islands->edge_count || islands->edge[at].contact != contact)
        return;
    keep_until(patch, at);
    patch->read++;
    islands->patched = true;
}

void dry_islands_end_removing(dry_edge_patch *patch)
{
    keep_until(patch, patch->islands->edge_count);
    patch->islands->edge_count = patch->write;
}

dry_edge_patch dry_islands_begin_inserting(dry_islands *islands, int count)
{
    dry_edge_patch patch = {islands, islands->edge_count, islands->edge_count + count};
    islands->edge_count += count;
    DRY_ASSERT(!islands->stale && islands->edge_count <= islands->edge_capacity);
    return patch;
}

void dry_islands_insert_edge(dry_edge_patch *patch, const dry_bodies *bodies, const dry_contacts *contacts,
                             int contact)
{
    dry_islands *islands = patch->islands;
    int at = find_edge(islands->edge, 0, patch->read, contact);
    int count = patch->read - at;
    patch->read -= count;
    patch->write -= count;
    memmove(islands->edge + patch->write, islands->edge + patch->read, (size_t)count * sizeof *islands->edge);
    dry_edge edge = edge_of(bodies, NULL, contacts, contact);
    DRY_ASSERT(patch->write > patch->read);
    islands->edge[--patch->write] = edge;
    islands->patched = true;
    /* A contact of two bodies in no island has no edge, so all edges must be gathered again. */
    islands->stale = islands->stale || (edge.row_a < 0 && edge.row_b < 0);
}

/* Sets the parents by contacts, and the edges if they are not patched. */
static void connect(dry_islands *islands, const dry_bodies *bodies, int32_t *parent,
                    const dry_contacts *contacts)
{
    if (islands->stale) {
        for (int row = 0; row < bodies->awake_count; row++)
            parent[row] = bodies->state[row].type == DRY_BODY_DYNAMIC ? row : -1;
        gather_edges(islands, bodies, parent, contacts);
        return;
    }
    for (int row = 0; row < bodies->awake_count; row++)
        parent[row] = bodies->sleep[row].island < 0 ? -1 : row;
    for (int i = 0; i < islands->edge_count; i++)
        unite(parent, islands->edge[i].row_a, islands->edge[i].row_b);
}

static void number_islands(dry_islands *islands, dry_bodies *bodies, const int32_t *parent)
{
    dry_body_sleep *sleep = bodies->sleep;
    islands->count = 0;
    for (int row = 0; row < bodies->awake_count; row++) {
        if (parent[row] < 0) {
            sleep[row].island = -1;
            continue;
        }
        if (parent[row] == row) {
            DRY_ASSERT(islands->count < islands->island_capacity);
            sleep[row].island = islands->count;
            islands->island[islands->count++] = (dry_island){.first = row};
        } else {
            sleep[row].island = sleep[parent[row]].island; /* a lower row, which has its number already */
        }
        dry_island *island = &islands->island[sleep[row].island];
        island->floating = ++island->bodies > 1;
    }
}

/* Notes what the body on a side of a constraint means to the constraint's island. */
static void add_side(dry_island *island, const dry_bodies *bodies, int row)
{
    if (row < 0) {
        island->floating = false;
        island->kinematic = island->kinematic || row == DRY_EDGE_KINEMATIC;
    } else if (island->floating && bodies->properties[row].locks) {
        island->floating = false;
    }
}

/* Tells whether a surface of a contact moves past its body. It does work that no joint tells, as a kinematic
 * body does, and what rests on it would not rest without friction. */
static bool has_belt(const dry_contacts *contacts, const dry_shapes *shapes, int contact)
{
    return !vec3_is_zero(dry_contacts_material(contacts, shapes, contact, 0).surface_velocity) ||
           !vec3_is_zero(dry_contacts_material(contacts, shapes, contact, 1).surface_velocity);
}

/* Adds a joint to the island of its bodies, if they have one. */
static void add_joint(dry_islands *islands, const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    int body[DRY_JOINT_SIDES], row[DRY_JOINT_SIDES], mover = -1;
    const int count = dry_joint_find_bodies(joints, joint, body);
    for (int side = count - 1; side >= 0; side--) {
        row[side] = edge_row(bodies, NULL, body[side]);
        mover = row[side] >= 0 ? row[side] : mover;
    }
    if (mover < 0)
        return;
    dry_island *island = &islands->island[bodies->sleep[mover].island];
    for (int side = 0; side < count; side++)
        add_side(island, bodies, row[side]);
    island->joints++;
    island->features |= joints->joint[joint].features;
}

/* Unites the islands of all bodies of a joint that move. */
static void unite_joint(int32_t *parent, const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    int body[DRY_JOINT_SIDES], last = DRY_EDGE_FIXED;
    const int count = dry_joint_find_bodies(joints, joint, body);
    for (int side = 0; side < count; side++) {
        const int row = edge_row(bodies, parent, body[side]);
        unite(parent, last, row);
        last = row >= 0 ? row : last;
    }
}

/* Builds islands with the parents in scratch memory; false if memory for the islands fails. */
static bool build(dry_islands *islands, dry_memory *memory, int32_t *parent, dry_bodies *bodies,
                  const dry_contacts *contacts, const dry_shapes *shapes, const dry_joints *joints)
{
    islands->scheduled = false;
    islands->grouped = islands->grouped && !islands->stale;
    connect(islands, bodies, parent, contacts);
    islands->stale = true; /* until the end */
    for (int i = 0; i < joints->active_count; i++)
        unite_joint(parent, bodies, joints, joints->active[i]);
    int roots = 0; /* few where bodies touch */
    for (int row = 0; row < bodies->awake_count; row++)
        roots += parent[row] == row;
    if (!DRY_RESERVE(memory, islands->island, islands->island_capacity, roots)) {
        for (int row = 0; row < bodies->awake_count; row++)
            bodies->sleep[row].island = -1;
        return false;
    }
    number_islands(islands, bodies, parent);
    for (int i = 0; i < islands->edge_count; i++) {
        const dry_edge *edge = &islands->edge[i];
        const int row = edge->row_a >= 0 ? edge->row_a : edge->row_b;
        dry_island *island = &islands->island[bodies->sleep[row].island];
        add_side(island, bodies, edge->row_a);
        add_side(island, bodies, edge->row_b);
        island->manifolds++;
        if (shapes->belt && has_belt(contacts, shapes, edge->contact))
            island->kinematic = true;
    }
    for (int i = 0; i < joints->active_count; i++)
        add_joint(islands, bodies, joints, joints->active[i]);
    islands->stale = islands->patched = false;
    return true;
}

bool dry_islands_build(dry_islands *islands, dry_memory *memory, dry_scratch *scratch, dry_bodies *bodies,
                       const dry_contacts *contacts, const dry_shapes *shapes, const dry_joints *joints)
{
    size_t rows = (size_t)bodies->awake_count;
    if (!dry_scratch_reserve(scratch, memory, dry_scratch_bytes(rows, sizeof(int32_t))))
        return false;
    size_t mark = scratch->used;
    int32_t *parent = DRY_SCRATCH_TAKE(scratch, int32_t, rows);
    bool built = build(islands, memory, parent, bodies, contacts, shapes, joints);
    dry_scratch_give_back(scratch, mark);
    return built;
}
