/* Finds what a world keeps when it goes back, or is restored, to a state of the same graph. Most of a settled
 * world's step is spared by data that the last step left: filling all bundles takes half of such a step.
 *
 * Reads: tables of two states. Writes: bundles. Next: solver/sweeps/contacts/reload.c. */
#include "snapshot/kept.h"

#include "solver/sweeps/contacts/prepare.h"
#include "state/iterators.h"
#include "world/world.h"

#include <string.h>

/* Begins a walk over the first rows of a column that may differ. */
static dry_changed_rows rows_of(const dry_change_of_state *c, int id, int count)
{
    return (dry_changed_rows){c->changes ? &c->changes->column[id] : NULL, count, -1};
}

static bool may_differ(const dry_change_of_state *c, int id)
{
    return !c->changes || c->changes->column[id].has_changes;
}

static bool are_alike(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* Compares rows of a column that count: those of free slots may have anything. */
static bool are_rows_alike(const dry_column_rows *a, const dry_column_rows *b)
{
    const char *at = a->rows, *other = b->rows;
    if (a->count != b->count || a->stride != b->stride)
        return false;
    if (are_alike(at, other, (size_t)a->count * a->stride))
        return true;
    for (int row = 0; row < a->count; row++)
        if ((dry_row_counts(a, row) || dry_row_counts(b, row)) &&
            memcmp(at + (size_t)row * a->stride, other + (size_t)row * b->stride, a->stride) != 0)
            return false;
    return true;
}

/* Shapes with data that a save brought along have other data with the same hashes. */
static bool are_assets_alike(const dry_shapes *a, const dry_shapes *b)
{
    if (!a->asset || !b->asset)
        return a->asset == b->asset;
    for (int shape = -1; (shape = dry_slots_next(&a->slots, shape)) >= 0;)
        if (a->asset[shape].hash != b->asset[shape].hash)
            return false;
    return true;
}

/* Compares the columns that calls alone write. */
static bool are_inputs_alike(const dry_change_of_state *c)
{
    dry_column_rows rows[DRY_COLUMN_COUNT], other[DRY_COLUMN_COUNT];
    dry_find_column_rows(c->now, rows);
    dry_find_column_rows(c->then, other);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (dry_table_arrays[id].bytes > 0 && id != DRY_COLUMN_SHAPE_ASSET &&
            dry_columns[id].writers == DRY_BY_CALLS &&
            (rows[id].count != other[id].count ||
             (may_differ(c, id) && !are_rows_alike(&rows[id], &other[id]))))
            return false;
    return memcmp(&c->now->settings, &c->then->settings, sizeof c->now->settings) == 0 &&
           (!may_differ(c, DRY_COLUMN_SHAPE_ASSET) || are_assets_alike(&c->now->shapes, &c->then->shapes));
}

/* Compares the bodies as far as islands, the layout and rows see them: not where they are and how they move.
 */
static bool are_bodies_alike(const dry_change_of_state *c)
{
    const uint32_t told = DRY_BODY_FORCED | DRY_BODY_SLEEP_LISTED | DRY_BODY_TOLD_ASLEEP;
    const dry_bodies *a = &c->now->bodies, *b = &c->then->bodies;
    if (a->count != b->count || a->awake_count != b->awake_count || a->slots.used != b->slots.used ||
        !a->rest_pose != !b->rest_pose)
        return false;
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_BODY_STATE, a->count); dry_next_changed(&it);) {
        const dry_body_state *one = &a->state[it.row], *other = &b->state[it.row];
        if (one->slot != other->slot || one->type != other->type || one->radius != other->radius ||
            ((one->flags ^ other->flags) & ~told) != 0)
            return false;
    }
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_BODY_SLEEP, a->awake_count); dry_next_changed(&it);)
        if (a->sleep[it.row].island != b->sleep[it.row].island ||
            a->sleep[it.row].rest != b->sleep[it.row].rest)
            return false;
    dry_changed_rows it = rows_of(c, DRY_COLUMN_BODY_POSE, a->count);
    for (it.row = a->awake_count - 1; dry_next_changed(&it);)
        if (memcmp(&a->pose[it.row], &b->pose[it.row], sizeof *a->pose) != 0)
            return false;
    return true;
}

/* Compares the contacts as edges of a graph. */
static bool are_edges_alike(const dry_change_of_state *c)
{
    const dry_contacts *a = &c->now->contacts, *b = &c->then->contacts;
    const size_t bytes = (size_t)dry_contact_words(a) * sizeof(uint64_t);
    if (a->used != b->used || !a->rest != !b->rest || !are_alike(a->active_bits, b->active_bits, bytes) ||
        !are_alike(a->touching_bits, b->touching_bits, bytes))
        return false;
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_LINK, a->used); dry_next_changed(&it);) {
        const dry_contact_link *one = &a->link[it.row], *other = &b->link[it.row];
        const bool edge = (a->active_bits[it.row / 64] & a->touching_bits[it.row / 64]) >> it.row % 64 & 1;
        if (edge &&
            (one->body_a != other->body_a || one->body_b != other->body_b || one->color != other->color))
            return false;
    }
    return true;
}

static bool are_slabs_alike(const dry_tables *a, const dry_tables *b)
{
    const dry_schedule_state *one = &a->schedule, *other = &b->schedule;
    return one->slab_rows == other->slab_rows && one->slab_count == other->slab_count &&
           one->slab_tiers == other->slab_tiers &&
           are_alike(a->slabs, b->slabs, (size_t)one->slab_rows * sizeof *a->slabs);
}

static void mark(const dry_change_of_state *c, int contact)
{
    c->anew[contact / 64] |= UINT64_C(1) << contact % 64;
}

/* Tells whether a manifold differs from another one in nothing but its impulses. */
static bool has_same_anchors(const dry_manifold *a, const dry_manifold *b)
{
    enum { BEGIN = offsetof(dry_manifold, impulse), END = offsetof(dry_manifold, normal) };
    _Static_assert(END - BEGIN == sizeof a->impulse + sizeof a->friction_impulse + sizeof a->torsion_impulse,
                   "impulses lie side by side");
    return memcmp(a, b, BEGIN) == 0 &&
           memcmp((const char *)a + END, (const char *)b + END, sizeof *a - END) == 0;
}

/* Tells whether preparing a contact makes the same of two states, but for impulses and rest poses. */
static bool is_prepared_alike(const dry_contacts *now, const dry_contacts *then, int contact)
{
    /* The next step makes the other flags anew. */
    const unsigned kept =
        DRY_CONTACT_VOID | DRY_CONTACT_ROUND | DRY_CONTACT_MEETS | DRY_CONTACT_SLIDES | DRY_CONTACT_PATCH;
    const dry_contact_link *a = &now->link[contact], *b = &then->link[contact];
    return a->points == b->points && ((a->flags ^ b->flags) & kept) == 0 &&
           has_same_anchors(&now->manifold[contact], &then->manifold[contact]) &&
           (!now->rest || memcmp(&now->rest[contact], &then->rest[contact], sizeof *now->rest) == 0);
}

static void mark_contact(const dry_change_of_state *c, int contact)
{
    if (!is_prepared_alike(&c->now->contacts, &c->then->contacts, contact))
        mark(c, contact);
}

/* Finds the contacts that are to be prepared anew. */
static void find_anew(const dry_change_of_state *c)
{
    const dry_contacts *contacts = &c->now->contacts;
    const dry_bodies *a = &c->now->bodies, *b = &c->then->bodies;
    if (contacts->used > 0)
        memset(c->anew, 0, (size_t)dry_contact_words(contacts) * sizeof *c->anew);
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_MANIFOLD, contacts->used);
         dry_next_changed(&it);)
        mark_contact(c, it.row);
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_LINK, contacts->used);
         c->changes && dry_next_changed(&it);)
        mark_contact(c, it.row);
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_REST, contacts->used);
         c->changes && contacts->rest && dry_next_changed(&it);)
        mark_contact(c, it.row);
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_BODY_REST_POSE, a->count);
         a->rest_pose && dry_next_changed(&it);)
        if (memcmp(&a->rest_pose[it.row], &b->rest_pose[it.row], sizeof *a->rest_pose) != 0)
            for (dry_contact_iterator of = dry_contacts_of(contacts, &a->state[it.row]);
                 dry_next_contact(&of);)
                mark(c, of.contact);
}

bool dry_kept_find(dry_world *world, const dry_change_of_state *c)
{
    const dry_islands *islands = &world->islands;
    if (islands->stale || islands->patched || !islands->scheduled || world->called ||
        c->now->joints.active_count > 0 || c->then->joints.active_count > 0)
        return false;
    if (!are_bodies_alike(c) || !are_edges_alike(c) || !are_slabs_alike(c->now, c->then) ||
        !are_inputs_alike(c))
        return false;
    if (world->solver.sweeps.stored_dt > 0.0f) {
        find_anew(c);
        dry_contacts_reload(&world->solver, &world->scratch, &c->then->contacts, c->anew);
    }
    return true;
}

bool dry_kept_pairs(const dry_change_of_state *c)
{
    const dry_contacts *a = &c->now->contacts, *b = &c->then->contacts;
    if (a->used != b->used ||
        !are_alike(a->used_bits, b->used_bits, (size_t)dry_contact_words(a) * sizeof(uint64_t)))
        return false;
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_MANIFOLD, a->used); dry_next_changed(&it);)
        if (a->manifold[it.row].shape_a != b->manifold[it.row].shape_a ||
            a->manifold[it.row].shape_b != b->manifold[it.row].shape_b)
            return false;
    for (dry_changed_rows it = rows_of(c, DRY_COLUMN_CONTACT_LINK, a->used); dry_next_changed(&it);)
        if (dry_contact_is_child(&a->link[it.row]) != dry_contact_is_child(&b->link[it.row]))
            return false;
    return true;
}
