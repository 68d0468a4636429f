/* Keeping steps, and going back by some of them. */
#include "snapshot/history.h"

#include "snapshot/kept.h"
#include "snapshot/read.h"
#include "world/check.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <string.h>

/* The state at the end of a step, as the way to it from the end of the next one: old bytes of columns, and
 * numbers, whose arrays tell only which rare columns there are. */
typedef struct moment {
    dry_undo undo;
    dry_tables numbers;
} moment;

struct dry_history {
    dry_memory memory;
    dry_world *world;
    dry_shadow shadow;  /* the state at the end of the last step */
    dry_tables numbers; /* likewise */
    moment *ring;
    int capacity, newest, count; /* of moments: room, the place of the last one, how many there are */
    uint64_t *anew;              /* room for a set of contacts */
    int anew_capacity;
    uint8_t *moved; /* by block of proxies: some had moved at the end of the last step */
    int moved_capacity;
    dry_row_marks marks; /* of rows that have changed since, besides those that steps write */
    bool lost;           /* the shadow is of no state: nothing is kept until the next step */
};

/* Gives marks to the world's tables, or none. Marks of tables that had others are of no use. */
static void ask_for_marks(dry_world *world, dry_row_marks *marks)
{
    if (marks &&
        (world->bodies.marks != marks || world->contacts.marks != marks || world->joints.marks != marks))
        marks->all = true;
    world->bodies.marks = world->contacts.marks = world->joints.marks = marks;
}

/* Removes all marks, and makes room for those of as many rows as the tables hold. Returns false if memory
 * fails. */
static bool begin_marks(dry_history *history)
{
    const dry_world *world = history->world;
    dry_memory *memory = &history->memory;
    dry_row_marks *marks = &history->marks;
    dry_marks_clear(marks);
    return dry_marks_reserve(marks, memory, DRY_MARKED_BODY, world->bodies.capacity) &&
           dry_marks_reserve(marks, memory, DRY_MARKED_BODY_SLOT, world->bodies.slots.capacity) &&
           dry_marks_reserve(marks, memory, DRY_MARKED_CONTACT, world->contacts.link_capacity) &&
           dry_marks_reserve(marks, memory, DRY_MARKED_JOINT, world->joints.joint_capacity);
}

/* Notes which blocks of proxies have moved ones, besides those that had. Returns false if memory fails. */
static bool note_moved(dry_history *history)
{
    const dry_broadphase *broadphase = history->world->broadphase;
    const int blocks = dry_broadphase_blocks(broadphase);
    if (!DRY_RESERVE(&history->memory, history->moved, history->moved_capacity, blocks))
        return false;
    for (int block = 0; block < blocks; block++)
        history->moved[block] |= dry_broadphase_block_moved(broadphase, block);
    return true;
}

/* Makes the shadow that of the present state, with the way back in `undo`. `some`: the last step held bodies.
 * Returns false if memory fails. */
static bool follow(dry_history *history, bool some, dry_undo *undo)
{
    dry_world *world = history->world;
    dry_row_marks *marks = &history->marks;
    dry_column_rows rows[DRY_COLUMN_COUNT];
    ask_for_marks(world, marks);
    dry_contacts_list_active(&world->contacts);
    const dry_tables state = dry_world_state(world);
    dry_find_column_rows(&state, rows);
    if (!note_moved(history) || !DRY_RESERVE(&history->memory, history->anew, history->anew_capacity,
                                             dry_contact_words(&world->contacts)))
        return false;
    const int blocks = dry_broadphase_blocks(world->broadphase);
    /* Stage pairs makes boxes larger where a step is longer. */
    marks->boxes = marks->boxes || history->numbers.world.ways_dt != state.world.ways_dt;
    const dry_hot_rows hot = {&state, history->moved, blocks, marks, some};
    if (!dry_shadow_follow(&history->shadow, &history->memory, rows, marks->all ? NULL : &hot, undo))
        return false;
    for (int block = 0; block < blocks; block++)
        history->moved[block] = dry_broadphase_block_moved(world->broadphase, block);
    history->numbers = state;
    return begin_marks(history);
}

/* Begins with the present state. Returns false if memory fails. */
static bool begin(dry_history *history)
{
    dry_undo none = {0};
    dry_shadow_release(&history->shadow, &history->memory);
    history->marks.all = true;
    history->lost = !follow(history, false, &none);
    return !history->lost;
}

dry_history *dry_history_begin(dry_world *world, int steps)
{
    dry_memory memory;
    dry_memory_init(&memory, world->memory.allocator);
    dry_history *history = dry_memory_allocate(&memory, sizeof *history, DRY_CACHE_LINE);
    if (!history)
        return NULL;
    memset(history, 0, sizeof *history);
    history->memory = memory;
    history->world = world;
    if (!DRY_RESERVE(&history->memory, history->ring, history->capacity, steps) || !begin(history)) {
        dry_history_end(history);
        return NULL;
    }
    history->capacity = steps;
    world->history = history;
    return history;
}

void dry_history_end(dry_history *history)
{
    dry_history_forget(history);
    dry_shadow_release(&history->shadow, &history->memory);
    ask_for_marks(history->world, NULL);
    history->world->history = NULL;
    dry_memory memory = history->memory;
    dry_memory_release_all(&memory); /* with the history itself */
}

void dry_history_forget(dry_history *history)
{
    for (int i = 0; i < history->capacity; i++)
        dry_undo_clear(&history->ring[i].undo);
    history->count = 0;
    history->lost = true;
}

void dry_history_keep(dry_history *history, bool done, bool some)
{
    if (!done) {
        history->marks.all = true;
        return;
    }
    const int next = (history->newest + 1) % history->capacity;
    moment *kept = &history->ring[next];
    if (history->lost) {
        if (!begin(history))
            dry_world_fail(history->world, DRY_ERROR_MEMORY, "dry_world_step: no memory for its history");
        return;
    }
    dry_undo_clear(&kept->undo);
    kept->numbers = history->numbers;
    if (!follow(history, some, &kept->undo)) {
        dry_history_forget(history);
        dry_world_fail(history->world, DRY_ERROR_MEMORY,
                       "dry_world_step: no memory for its history, which has forgotten all steps");
        return;
    }
    history->newest = next;
    history->count += history->count < history->capacity;
}

/* Points the arrays that tables have into a shadow. */
static void point_into(dry_tables *t, const dry_shadow *shadow)
{
    void *rows[DRY_COLUMN_COUNT];
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        rows[id] = shadow->column[id].block;
    dry_tables_point(t, rows);
}

/* Puts back the proxies that going back has changed. Returns false if some of them are of other trees. */
static bool put_changed_proxies(const dry_history *history, const dry_proxies *then)
{
    dry_broadphase *broadphase = history->world->broadphase;
    const dry_shadow_column *flags = &history->shadow.column[DRY_COLUMN_PROXY_FLAGS],
                            *box = &history->shadow.column[DRY_COLUMN_PROXY_BOX];
    if (history->shadow.column[DRY_COLUMN_PROXY_USER].has_changes ||
        !dry_broadphase_has_numbers(broadphase, then))
        return false;
    for (dry_changed_rows it = {flags, then->used, -1}; dry_next_changed(&it);)
        if (!dry_broadphase_is_alike(broadphase, it.row, then))
            return false;
    for (dry_changed_rows it = {flags, then->used, -1}; dry_next_changed(&it);)
        dry_broadphase_put(broadphase, it.row, then);
    for (dry_changed_rows it = {box, then->used, -1}; dry_next_changed(&it);)
        dry_broadphase_put(broadphase, it.row, then);
    dry_broadphase_find_moved(broadphase);
    return true;
}

/* Makes the world's tables those of the shadow, and builds anew what follows from them and has changed.
 * `quiet`: nothing has changed since the shadow followed it. */
static void put_back(dry_history *history, bool quiet)
{
    dry_world *world = history->world;
    dry_tables tables = history->numbers, then = tables, present = dry_world_state(world);
    dry_column_rows before[DRY_COLUMN_COUNT], rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(&present, before);
    point_into(&then, &history->shadow);
    const dry_change_of_state change = {&present, &then, quiet ? &history->shadow : NULL, history->anew};
    const bool keeps = dry_kept_find(world, &change), same_pairs = quiet && dry_kept_pairs(&change);
    dry_shapes_hold_data(&world->shapes, false);
    dry_tables_take_arrays(&tables, &present, &world->memory);
    dry_events_clear(world);
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_NONE);
    dry_world_put_tables(world, &tables, keeps);
    dry_find_column_rows(&tables, rows);
    dry_shadow_put_back(&history->shadow, before, rows, quiet);
    dry_shapes_hold_data(&world->shapes, true);
    world->contacts.listed = false;
    if (!same_pairs)
        dry_contacts_renew_pairs(&world->contacts);
    if (!quiet || !put_changed_proxies(history, &then.proxies))
        dry_broadphase_restore(world->broadphase, &then.proxies);
    dry_shadow_forget_changes(&history->shadow);
    memset(history->moved, 0, (size_t)history->moved_capacity);
    for (int block = 0; block < dry_broadphase_blocks(world->broadphase); block++)
        history->moved[block] = dry_broadphase_block_moved(world->broadphase, block);
    dry_marks_clear(&history->marks);
}

void dry_history_go_back(dry_history *history, int steps)
{
    DRY_ASSERT(!history->lost && steps <= history->count);
    const bool quiet = dry_marks_are_none(&history->marks);
    for (int i = 0; i < steps; i++) {
        moment *kept = &history->ring[history->newest];
        dry_shadow_go_back(&history->shadow, &kept->undo);
        history->numbers = kept->numbers;
        history->newest = (history->newest + history->capacity - 1) % history->capacity;
    }
    history->count -= steps;
    put_back(history, quiet);
}

/* Returns the moment that lies so many steps back, at least 1. */
static const moment *moment_at(const dry_history *history, int steps)
{
    return &history->ring[(history->newest + history->capacity + 1 - steps) % history->capacity];
}

int dry_history_find(const dry_history *history, uint64_t step)
{
    if (history->lost || step > history->numbers.world.step_count)
        return -1;
    for (int back = 0; back <= history->count; back++) {
        const dry_tables *t = back == 0 ? &history->numbers : &moment_at(history, back)->numbers;
        if (t->world.step_count == step)
            return back;
    }
    return -1;
}

bool dry_history_recall(const dry_history *history, int steps, dry_memory *memory, dry_past *past)
{
    bool changed[DRY_COLUMN_COUNT] = {false};
    for (int back = 1; back <= steps; back++)
        dry_undo_note_columns(&moment_at(history, back)->undo, changed);
    if (!dry_shadow_copy(&past->shadow, memory, &history->shadow, changed))
        return false;
    for (int back = 1; back <= steps; back++)
        dry_shadow_copy_go_back(&past->shadow, &moment_at(history, back)->undo);
    past->tables = steps == 0 ? history->numbers : moment_at(history, steps)->numbers;
    point_into(&past->tables, &past->shadow);
    return true;
}

bool dry_history_is_lost(const dry_history *history)
{
    return history->lost;
}

dry_world *dry_history_world(const dry_history *history)
{
    return history->world;
}

int dry_history_steps(const dry_history *history)
{
    return history ? history->count : 0;
}

size_t dry_history_bytes(const dry_history *history)
{
    return history ? history->memory.bytes : 0;
}
