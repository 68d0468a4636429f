/* Finds what a world keeps when it goes back, or is restored, to a state of the same graph. Most of a settled
 * world's step is spared by data that the last step left: filling all bundles takes half of such a step.
 *
 * Reads: tables of two states. Writes: bundles. Next: solver/sweeps/contacts/reload.c. */
#include "world/kept.h"

#include "solver/sweeps/contacts/reload.h"
#include "world/world.h"

#include <string.h>

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
static bool are_inputs_alike(const dry_tables *now, const dry_tables *then)
{
    const dry_state a = dry_tables_state((dry_tables *)now), b = dry_tables_state((dry_tables *)then);
    dry_column_rows rows[DRY_COLUMN_COUNT], other[DRY_COLUMN_COUNT];
    dry_find_column_rows(&a, rows);
    dry_find_column_rows(&b, other);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (!dry_column_is_single[id] && id != DRY_COLUMN_SHAPE_ASSET && id != DRY_COLUMN_LEASE &&
            dry_columns[id].writers == DRY_BY_CALLS && !are_rows_alike(&rows[id], &other[id]))
            return false;
    return memcmp(&now->settings, &then->settings, sizeof now->settings) == 0 &&
           are_assets_alike(&now->shapes, &then->shapes);
}

/* Compares the bodies as far as islands, the layout and rows see them: not where they are and how they move.
 */
static bool are_bodies_alike(const dry_bodies *a, const dry_bodies *b)
{
    const uint32_t told = DRY_BODY_FORCED | DRY_BODY_SLEEP_LISTED | DRY_BODY_TOLD_ASLEEP;
    if (a->count != b->count || a->awake_count != b->awake_count || a->slots.used != b->slots.used)
        return false;
    for (int row = 0; row < a->count; row++) {
        const dry_body_state *one = &a->state[row], *other = &b->state[row];
        if (one->slot != other->slot || one->type != other->type || one->radius != other->radius ||
            ((one->flags ^ other->flags) & ~told) != 0)
            return false;
    }
    for (int row = 0; row < a->awake_count; row++)
        if (a->sleep[row].island != b->sleep[row].island || a->sleep[row].rest != b->sleep[row].rest)
            return false;
    return a->count == a->awake_count || are_alike(a->pose + a->awake_count, b->pose + b->awake_count,
                                                   (size_t)(a->count - a->awake_count) * sizeof *a->pose);
}

/* Compares the contacts as edges of a graph. */
static bool are_edges_alike(const dry_contacts *a, const dry_contacts *b)
{
    const size_t bytes = (size_t)dry_contact_words(a) * sizeof(uint64_t);
    if (a->used != b->used || !are_alike(a->active_bits, b->active_bits, bytes) ||
        !are_alike(a->touching_bits, b->touching_bits, bytes) || !a->rest != !b->rest)
        return false;
    for (int word = 0; word < dry_contact_words(a); word++)
        for (uint64_t bits = a->active_bits[word] & a->touching_bits[word]; bits; bits &= bits - 1) {
            const int contact = 64 * word + __builtin_ctzll(bits);
            const dry_contact_link *one = &a->link[contact], *other = &b->link[contact];
            if (one->body_a != other->body_a || one->body_b != other->body_b || one->color != other->color)
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

bool dry_kept_find(dry_world *world, const dry_tables *now, const dry_tables *then)
{
    const dry_islands *islands = &world->islands;
    if (islands->stale || islands->patched || !islands->scheduled || world->calls != world->calls_stepped ||
        now->joints.active_count > 0 || then->joints.active_count > 0)
        return false;
    if (!are_bodies_alike(&now->bodies, &then->bodies) || !are_edges_alike(&now->contacts, &then->contacts) ||
        !are_slabs_alike(now, then) || !are_inputs_alike(now, then))
        return false;
    const dry_exchange e = {&now->bodies, &then->bodies, &now->contacts, &then->contacts};
    if (world->solver.sweeps.stored_dt > 0.0f)
        dry_contacts_exchange(&world->solver, &world->scratch, &e);
    return true;
}
