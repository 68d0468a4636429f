/* Union-find over the awake rows. */
#include "solver/islands.h"

bool dry_islands_reserve(dry_islands *islands, dry_memory *memory, int rows)
{
    return DRY_RESERVE(memory, islands->island, islands->island_capacity, rows) &&
           DRY_RESERVE(memory, islands->measure, islands->measure_capacity, rows) &&
           DRY_RESERVE(memory, islands->parent, islands->parent_capacity, rows);
}

void dry_islands_free(dry_islands *islands, dry_memory *memory)
{
    DRY_RELEASE(memory, islands->island, islands->island_capacity);
    DRY_RELEASE(memory, islands->measure, islands->measure_capacity);
    DRY_RELEASE(memory, islands->parent, islands->parent_capacity);
    islands->count = 0;
}

static int find_root(int32_t *parent, int row)
{
    while (parent[row] != row) {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    return row;
}

/* The lower row becomes the root, so that roots come first when islands are numbered. */
static void unite(int32_t *parent, int a, int b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* The row of a body that can belong to an island, or -1. */
static int island_row(const dry_bodies *bodies, int body)
{
    int row = dry_bodies_row(bodies, body);
    return row < bodies->awake_count && bodies->state[row].type == DRY_BODY_DYNAMIC ? row : -1;
}

static void unite_bodies(dry_islands *islands, const dry_bodies *bodies, int body_a, int body_b)
{
    int a = island_row(bodies, body_a), b = island_row(bodies, body_b);
    if (a >= 0 && b >= 0)
        unite(islands->parent, a, b);
}

static bool is_moving_kinematic(const dry_bodies *bodies, int body)
{
    int row = dry_bodies_row(bodies, body);
    return row < bodies->awake_count && bodies->state[row].type == DRY_BODY_KINEMATIC;
}

static void count_constraint(dry_islands *islands, const dry_bodies *bodies, int body_a, int body_b,
                             bool joint)
{
    int a = island_row(bodies, body_a), b = island_row(bodies, body_b);
    int row = a >= 0 ? a : b;
    if (row < 0)
        return;
    dry_island *island = &islands->island[bodies->rest[row].island];
    *(joint ? &island->joints : &island->manifolds) += 1;
    if (a < 0 || b < 0 || bodies->drive[a].locks || bodies->drive[b].locks)
        island->floating = false;
    if (is_moving_kinematic(bodies, body_a) || is_moving_kinematic(bodies, body_b))
        island->driven = true;
}

void dry_islands_build(dry_islands *islands, dry_bodies *bodies, const dry_contacts *contacts,
                       const dry_joints *joints)
{
    int32_t *parent = islands->parent;
    for (int row = 0; row < bodies->awake_count; row++)
        parent[row] = row;
    for (int i = 0; i < contacts->active_count; i++) {
        const dry_contact_link *link = &contacts->link[contacts->active[i]];
        if (link->flags & DRY_CONTACT_TOUCHING)
            unite_bodies(islands, bodies, link->body_a, link->body_b);
    }
    for (int i = 0; i < joints->active_count; i++) {
        const dry_joint *joint = &joints->joint[joints->active[i]];
        unite_bodies(islands, bodies, joint->body_a, joint->body_b);
    }
    islands->count = 0;
    for (int row = 0; row < bodies->awake_count; row++) {
        dry_body_rest *rest = &bodies->rest[row];
        if (bodies->state[row].type != DRY_BODY_DYNAMIC) {
            rest->island = -1;
            continue;
        }
        int root = find_root(parent, row);
        if (root == row) {
            rest->island = islands->count;
            islands->island[islands->count++] = (dry_island){0};
        } else {
            rest->island = bodies->rest[root].island;
        }
        dry_island *island = &islands->island[rest->island];
        island->floating = ++island->bodies > 1;
    }
    for (int i = 0; i < contacts->active_count; i++) {
        const dry_contact_link *link = &contacts->link[contacts->active[i]];
        if (link->flags & DRY_CONTACT_TOUCHING)
            count_constraint(islands, bodies, link->body_a, link->body_b, false);
    }
    for (int i = 0; i < joints->active_count; i++) {
        const dry_joint *joint = &joints->joint[joints->active[i]];
        count_constraint(islands, bodies, joint->body_a, joint->body_b, true);
    }
    islands->stale = false;
}
