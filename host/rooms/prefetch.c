/* Which memory a step reads. The lists of columns say it; the rest are the solver's own arrays.
 *
 * Reads: the arrays and counts of a world. Writes: nothing of it but `prefetch`. Next: step/prefetch.h. */
#include "host/rooms/prefetch.h"

#include "core/math.h"
#include "world/world.h"

enum {
    LINE_BYTES = 64,
    PAGE_LINES = 4096 / LINE_BYTES,
    /* 256 KiB: two such sets, the present world's and the next one's, fill half of a cache of 1 MiB. */
    LINES_MAX = 4096,
};

/* Not inlined: some forty calls would take 5 kB. */
DRY_NOINLINE void dry_working_set_add(dry_working_set *set, const void *block, size_t bytes)
{
    const uint64_t first = (uint64_t)(uintptr_t)block / LINE_BYTES;
    const uint64_t end = ((uint64_t)(uintptr_t)block + bytes + LINE_BYTES - 1) / LINE_BYTES;
    const int whole = (int)(end - first < LINES_MAX ? end - first : LINES_MAX);
    const int lines = dry_min_int(whole, LINES_MAX - set->lines);
    if (!block || bytes == 0 || lines <= 0 || set->count == DRY_WORKING_PARTS)
        return;
    set->part[set->count++] = first << 13 | (uint64_t)lines;
    set->lines += lines;
}

#define ADD(set, array, number) dry_working_set_add((set), (array), (size_t)(number) * sizeof *(array))

static void add_bodies(dry_working_set *set, const dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_rows *rows = &world->solver.bodies;
#define X(ID, type, name, ...) ADD(set, bodies->name, bodies->awake_count);
    DRY_BODY_COLUMNS(X)
#undef X
    ADD(set, bodies->rest_pose, bodies->awake_count);
    ADD(set, bodies->slots.slots, bodies->slots.used);
    ADD(set, rows->rows, bodies->awake_count + 1);
    ADD(set, rows->load, bodies->awake_count);
}

/* Adds contacts and shapes, unless most of them belong to bodies that sleep. */
static void add_contacts(dry_working_set *set, const dry_world *world)
{
    const dry_contacts *contacts = &world->contacts;
    const int words = (contacts->used + 63) / 64;
    if (world->shapes.slots.used <= 2 * world->bodies.awake_count)
        ADD(set, world->shapes.form, world->shapes.slots.used);
    if (contacts->used > 2 * contacts->active_count)
        return;
    ADD(set, contacts->manifold, contacts->used);
    ADD(set, contacts->link, contacts->used);
    ADD(set, contacts->rest, contacts->used);
#define X(ID, type, name, ...) ADD(set, contacts->name, words);
    DRY_CONTACT_SETS(X)
#undef X
}

static void add_joints(dry_working_set *set, const dry_world *world)
{
    const dry_joints *joints = &world->joints;
    if (joints->slots.used > 2 * joints->active_count)
        return;
#define X(ID, type, name, ...) ADD(set, joints->name, joints->slots.used);
    DRY_JOINT_COLUMNS(X)
#undef X
}

/* Adds islands, the layout and bundles. */
static void add_solver(dry_working_set *set, const dry_world *world)
{
    const dry_plan *plan = &world->solver.plan;
    const dry_bundle_set *sweeps = &world->solver.sweeps;
    ADD(set, world->islands.island, world->islands.count);
    ADD(set, world->islands.edge, world->islands.edge_count);
    ADD(set, plan->order, world->bodies.awake_count);
    ADD(set, plan->phases, plan->phase_count + 1);
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        ADD(set, sweeps->bundles[k].members, sweeps->bundles[k].count);
    ADD(set, sweeps->headers, sweeps->bundles[DRY_KIND_CONTACT].count);
    dry_working_set_add(set, world->scratch.block, dry_scratch_room(&world->scratch) + LINE_BYTES);
}

void dry_working_set_note(dry_working_set *set, const dry_world *world)
{
    ADD(set, world, 1);
    add_contacts(set, world);
    add_bodies(set, world);
    add_joints(set, world);
    add_solver(set, world);
}

/* Prefetches the first line of each page. Lines that are prefetched right behind each other would all wait
 * for the page that they are in, which takes half of what misses cost. */
static void prefetch_pages(const dry_prefetch *prefetch)
{
    for (int i = 0; i < prefetch->set.count; i++) {
        const uint64_t first = prefetch->set.part[i] >> 13, end = first + (prefetch->set.part[i] & 0x1fff);
        for (uint64_t line = first; line < end; line = (line / PAGE_LINES + 1) * PAGE_LINES)
            DRY_PREFETCH_TO_SECOND((const void *)(uintptr_t)(line * LINE_BYTES));
    }
}

void dry_step_prefetches(dry_world *world, dry_prefetch *prefetch)
{
    world->prefetch = prefetch;
    if (prefetch)
        prefetch_pages(prefetch);
}
