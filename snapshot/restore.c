/* A save becomes the state of a world. Tables are read apart from the world, in memory of their own; then
 * checked, part by part; then the world reserves what else it needs; then they change places with the
 * world's.
 *
 * Reads: sections. Writes: the whole world but its services. Next: snapshot/restore_bodies.c. */
#include "snapshot/restore.h"

#include "geometry/shape_bytes.h"
#include "snapshot/history.h"
#include "snapshot/kept.h"
#include "snapshot/restore_parts.h"
#include "snapshot/write.h"
#include "solver/methods/method.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <string.h>

/* The data of shapes in a save, by rising hash. */
typedef struct saved_data {
    dry_shape_data **data;
    int count;
} saved_data;

static void release_data(const saved_data *all)
{
    for (int i = 0; i < all->count; i++)
        dry_shape_data_release(all->data[i]);
}

/* Makes the data that are in the save. */
static bool read_data(dry_restoration *r, const dry_saved *saved, const dry_data_services *services,
                      saved_data *all)
{
    size_t at = 0;
    dry_saved_data section;
    all->data = dry_memory_allocate(r->memory, (saved->data_count + 1) * sizeof *all->data, DRY_CACHE_LINE);
    if (!all->data)
        return dry_restore_lacks_memory(r);
    while (dry_saved_next_data(saved, &at, &section)) {
        const dry_bytes_fault found =
            dry_shape_bytes_read(section.bytes, section.size, services, &all->data[all->count]);
        if (found == DRY_BYTES_NO_MEMORY)
            return dry_restore_lacks_memory(r);
        if (found != DRY_BYTES_SOUND)
            return dry_save_fail(r->fault, "shape data", NULL, all->count, "no sound data");
        all->count++;
        if (all->count > 1 && all->data[all->count - 2]->hash >= all->data[all->count - 1]->hash)
            return dry_save_fail(r->fault, "shape data", NULL, all->count - 1, "not by rising hash");
    }
    return true;
}

/* Returns data with a hash; null if there are none. */
static dry_shape_data *find_data(const saved_data *all, const dry_load_options *options, uint64_t hash)
{
    const int place = dry_data_place(all->data, all->count, hash);
    if (place < all->count && all->data[place]->hash == hash)
        return all->data[place];
    dry_shape_data *found = options && options->find_data ? options->find_data(options->user, hash) : NULL;
    return found && found->hash == hash ? found : NULL;
}

/* Gives the shapes their data, each with a reference. */
static bool give_data(const dry_restoration *r, const saved_data *all, const dry_load_options *options)
{
    const dry_shapes *shapes = &r->tables->shapes;
    for (int shape = -1; shapes->asset && (shape = dry_slots_next(&shapes->slots, shape)) >= 0;) {
        dry_shape_asset *asset = &shapes->asset[shape];
        if (asset->hash == 0)
            continue;
        asset->data = find_data(all, options, asset->hash);
        if (!asset->data)
            return dry_restore_fail(r, DRY_COLUMN_SHAPE_ASSET, "hash", shape,
                                    "nobody has found data with this hash");
        dry_shape_data_retain(asset->data);
    }
    return true;
}

dry_shape_data *dry_find_own_data(void *user, uint64_t hash)
{
    dry_data_search *search = user;
    const dry_shapes *shapes = &search->world->shapes;
    const int used = shapes->asset ? shapes->slots.used : 0;
    for (int i = 0; i < used; i++) {
        const int shape = (search->next + i) % used;
        if (shapes->asset[shape].data && shapes->asset[shape].hash == hash) {
            search->next = shape + 1;
            return shapes->asset[shape].data;
        }
    }
    const dry_load_options *o = search->options;
    return o && o->find_data ? o->find_data(o->user, hash) : NULL;
}

static bool check_settings(const dry_restoration *r)
{
    const char *error = dry_settings_error(&r->tables->settings);
    return !error || dry_restore_fail(r, DRY_COLUMN_SETTINGS, NULL, 0, error);
}

/* Checks the numbers that no table has. */
static bool check_numbers(const dry_restoration *r)
{
    const dry_tables *t = r->tables;
    const dry_schedule_state *s = &t->schedule;
    if (!(t->world.ways_dt >= 0.0f && t->world.ways_dt <= 1.0f) || t->world.weighed < 0 ||
        t->world.weighed > 1 || t->world.unsettled < 0 || t->world.unsettled > 1)
        return dry_restore_fail(r, DRY_COLUMN_WORLD, NULL, 0, "a number is out of its range");
    if (s->slab_count < 0 || s->slab_count > UINT16_MAX || s->slab_wait < 0 || s->slab_wait > 16)
        return dry_restore_fail(r, DRY_COLUMN_SCHEDULE, NULL, 0, "a number is out of its range");
    for (int row = 0; row < s->slab_rows; row++)
        if (t->slabs[row] >= s->slab_count)
            return dry_restore_fail(r, DRY_COLUMN_SLAB, "value", row, "no such slab");
    return true;
}

static bool check(dry_restoration *r, dry_jobs *jobs)
{
    return check_settings(r) && check_numbers(r) && dry_restore_slots(r) && dry_restore_bodies(r) &&
           dry_restore_shapes(r) && dry_restore_proxies(r) && dry_restore_joints(r) &&
           dry_restore_contacts(r) && dry_restore_colors(r) && dry_restore_pairs(r, jobs);
}

/* Reserves what the world needs besides the tables, as the calls that create bodies do. */
static bool reserve(dry_world *world, const dry_tables *t)
{
    dry_memory *memory = &world->memory;
    const int proxies = dry_max_int(t->proxies.used - dry_broadphase_proxies(world->broadphase)->count, 0);
    return dry_broadphase_reserve(world->broadphase, proxies) &&
           dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_FLOOD,
                               (size_t)t->bodies.count * sizeof(int32_t)) &&
           dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_SET,
                               (size_t)dry_slot_set_words(t->bodies.slots.capacity) * sizeof(uint32_t)) &&
           DRY_RESERVE(memory, world->solver.plan.slabs.bodies, world->solver.plan.slabs.bodies_capacity,
                       t->schedule.slab_count);
}

/* Takes the numbers of a save, which nobody draws from then on. A world that comes back to a state of its own
 * keeps the numbers that it has drawn since: the same calls yield the same ids again. */
static void take_leases(dry_world *world, const dry_leases *saved)
{
    dry_leases_pass_over(saved);
    if (!dry_leases_agree(&world->leases, saved) || world->leases.count < saved->count)
        world->leases = *saved;
}

/* Gives awake bodies the islands that the same rows have now, where islands may stay. */
static void take_islands(const dry_bodies *now, const dry_bodies *then)
{
    for (int row = 0; row < then->awake_count && now->awake_count == then->awake_count; row++)
        then->sleep[row].island = now->sleep[row].island;
}

/* Exchanges the tables, which cannot fail. */
static void commit(dry_world *world, dry_tables *tables, dry_memory *memory, uint64_t *anew)
{
    dry_tables old;
    dry_events_clear(world);
    /* Trees are built where the events were, and not behind them, in the place of bundles. */
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_NONE);
    old = dry_world_state(world);
    take_islands(&old.bodies, &tables->bodies);
    const dry_change_of_state change = {&old, tables, NULL, anew};
    const bool keeps = dry_kept_find(world, &change);
    old.proxies = (dry_proxies){.free_proxy = -1}; /* they stay, and take the others' rows over */
    dry_shapes_hold_data(&old.shapes, false);
    dry_tables_release(&old, &world->memory);
    world->substeps_set = world->substeps_set || tables->settings.substeps_max != old.settings.substeps_max;
    dry_world_put_tables(world, tables, keeps);
    take_leases(world, &tables->leases);
    dry_broadphase_restore(world->broadphase, &tables->proxies);
#define X(ID, type, name, ...) DRY_RELEASE(memory, tables->proxies.name, tables->proxies.name##_capacity);
    DRY_PROXY_COLUMNS(X)
#undef X
    dry_memory_take_over(&world->memory, memory);
    if (world->history)
        dry_history_forget(world->history);
    if (!keeps)
        dry_make_ahead(world);
}

/* Reads tables from a save, checks them, and derives the rest. Returns false with the fault, or without
 * memory; then the tables have no references. `sizes->contacts_to_come` is given. */
static bool read_tables(dry_restoration *r, const dry_saved *saved, const dry_world *world,
                        const dry_load_options *options, dry_table_sizes *sizes, dry_jobs *jobs)
{
    const dry_data_services services = {.allocator = r->memory->allocator, .log = world->log};
    saved_data data = {NULL, 0};
    dry_tables_init(r->tables);
    if (!dry_saved_sizes(saved, sizes, r->fault))
        return false;
    if (!dry_tables_reserve(r->tables, r->memory, sizes))
        return dry_restore_lacks_memory(r);
    const bool ok = dry_saved_read(saved, r->tables, r->fault) && read_data(r, saved, &services, &data) &&
                    give_data(r, &data, options) && check(r, jobs);
    release_data(&data);
    dry_memory_release(r->memory, data.data, data.data ? (saved->data_count + 1) * sizeof *data.data : 0);
    if (!ok) {
        r->tables->shapes.slots.used = dry_min_int(r->tables->shapes.slots.used, sizes->shapes);
        dry_shapes_hold_data(&r->tables->shapes, false);
    }
    return ok;
}

bool dry_restore_own(const dry_world *world, int contacts_to_come, dry_memory *memory, dry_tables *tables,
                     dry_save_fault *fault)
{
    dry_restoration r = {.tables = tables, .memory = memory, .fault = fault};
    dry_table_sizes sizes = {.contacts_to_come = contacts_to_come};
    dry_data_search search = {world, NULL, 0};
    const dry_load_options options = {.find_data = dry_find_own_data, .user = &search};
    const dry_tables state = dry_world_state(world);
    dry_memory bytes;
    dry_saved saved;
    dry_memory_init(&bytes, memory->allocator);
    *fault = (dry_save_fault){.row = -1};
    const bool ok =
        dry_write_to_memory(&state, &bytes, &saved) && read_tables(&r, &saved, world, &options, &sizes, NULL);
    dry_memory_release_all(&bytes);
    return ok;
}

dry_result dry_world_restore_saved(dry_world *world, const dry_saved *saved, const dry_load_options *options,
                                   dry_save_fault *fault)
{
    dry_tables tables;
    dry_memory memory;
    dry_table_sizes sizes = {.contacts_to_come = 0};
    dry_memory_init(&memory, world->memory.allocator);
    dry_restoration r = {.tables = &tables, .memory = &memory, .fault = fault};
    bool ok = read_tables(&r, saved, world, options, &sizes, world->jobs);
    const bool holds_data = ok;
    const size_t anew_bytes = (size_t)dry_contact_words(&world->contacts) * sizeof(uint64_t);
    uint64_t *anew = ok ? dry_memory_allocate(&memory, anew_bytes + 1, DRY_CACHE_LINE) : NULL;
    if (ok && (!anew || !reserve(world, &tables)))
        ok = dry_restore_lacks_memory(&r);
    if (ok && options && options->read_program &&
        !options->read_program(options->user, saved->program.bytes, saved->program.size))
        ok = dry_save_fail(fault, "program", NULL, -1, "the program has refused its bytes");
    if (ok) {
        commit(world, &tables, &memory, anew);
        dry_memory_release(&world->memory, anew, anew_bytes + 1);
        return DRY_OK;
    }
    if (holds_data)
        dry_shapes_hold_data(&tables.shapes, false);
    dry_memory_release_all(&memory);
    return r.no_memory ? DRY_ERROR_MEMORY : DRY_ERROR_ARGUMENT;
}
