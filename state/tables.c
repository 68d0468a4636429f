/* Tables apart from a world: room, defaults, release. */
#include "state/tables.h"

#include "state/column_rows.h"

#include <string.h>

void dry_tables_init(dry_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    dry_slots_init(&tables->bodies.slots, &tables->leases);
    dry_slots_init(&tables->shapes.slots, &tables->leases);
    dry_slots_init(&tables->joints.slots, &tables->leases);
    dry_contacts_init(&tables->contacts);
    tables->proxies.free_proxy = -1;
    tables->settings = dry_settings_default();
}

uint64_t dry_tables_bytes(const dry_table_sizes *sizes)
{
    uint64_t bytes = 0;
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        if (!a->set && (!a->rare || sizes->has[id]))
            bytes += a->bytes * (uint64_t)dry_count_at(sizes, a->room);
    }
    return bytes;
}

/* Gives all rows their defaults. */
static void set_defaults(dry_tables *tables)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(tables, rows);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        char *first = (char *)rows[id].rows;
        for (int row = 0; row < rows[id].count && dry_table_arrays[id].bytes > 0; row++)
            memcpy(first + (size_t)row * rows[id].stride, dry_columns[id].standard, dry_columns[id].size);
    }
}

static void set_array(dry_tables *t, const dry_table_array *a, void *array)
{
    memcpy((char *)t + a->array, &array, sizeof array);
}

static int *capacity_of(dry_tables *t, const dry_table_array *a)
{
    return (int *)((char *)t + a->capacity);
}

/* Makes the rare columns that a save has, with the room of their tables. */
static bool reserve_rare(dry_tables *t, dry_memory *memory, const dry_table_sizes *sizes)
{
    const int room[] = {[DRY_IN_BODIES] = t->bodies.capacity,
                        [DRY_IN_SHAPES] = t->shapes.slots.capacity,
                        [DRY_IN_CONTACTS] = dry_max_int(t->contacts.link_capacity, 1),
                        [DRY_IN_JOINTS] = t->joints.slots.capacity};
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        void *array = NULL;
        int capacity = 0;
        if (!a->rare || !sizes->has[id])
            continue;
        if (!dry_memory_make(memory, &array, &capacity, room[a->table], 0, NULL, a->bytes))
            return false;
        set_array(t, a, array);
        *capacity_of(t, a) = capacity;
    }
    return true;
}

/* Bodies have at least one row of room once there were any, since columns without any are absent. */
bool dry_tables_reserve(dry_tables *t, dry_memory *memory, const dry_table_sizes *sizes)
{
    const int contacts = sizes->contacts + sizes->contacts_to_come;
    if (sizes->body_slots > DRY_SLOTS_MAX || sizes->bodies > sizes->body_slots ||
        !dry_bodies_reserve(&t->bodies, memory, dry_max_int(sizes->bodies, sizes->body_slots > 0)) ||
        !DRY_RESERVE(memory, t->bodies.slots.slots, t->bodies.slots.capacity, sizes->body_slots) ||
        !dry_shapes_reserve(&t->shapes, memory, sizes->shapes) ||
        !dry_shapes_reserve_list(&t->shapes, memory, sizes->materials) ||
        (contacts > 0 && !dry_contacts_reserve(&t->contacts, memory, contacts)) ||
        !dry_joints_reserve(&t->joints, memory, sizes->joints) ||
        !dry_proxies_reserve(&t->proxies, memory, sizes->proxies) ||
        !DRY_RESERVE(memory, t->sleep_changes, t->sleep_changes_capacity, sizes->bodies) ||
        !DRY_RESERVE(memory, t->pending.contact_ends, t->pending.contact_ends_capacity,
                     sizes->pending_ends) ||
        !DRY_RESERVE(memory, t->slabs, t->slabs_capacity, sizes->slabs) || !reserve_rare(t, memory, sizes))
        return false;
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        if (a->bytes > 0)
            memcpy((char *)t + a->count, (const char *)sizes + a->room, sizeof(int));
    }
    t->joints.active_count = 0;
    t->leases.count = sizes->leases;
    set_defaults(t);
    return true;
}

void dry_tables_take_arrays(dry_tables *t, dry_tables *from, dry_memory *memory)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        const int capacity = a->bytes > 0 ? *capacity_of(from, a) : 0;
        if (a->rare && !dry_array_of(t, a)) {
            dry_memory_release(memory, dry_array_of(from, a), (size_t)capacity * a->bytes);
        } else if (a->bytes > 0) {
            set_array(t, a, dry_array_of(from, a));
            *capacity_of(t, a) = capacity;
        }
    }
    t->contacts.active_words = from->contacts.active_words;
    t->contacts.active_words_capacity = from->contacts.active_words_capacity;
    t->contacts.pairs = from->contacts.pairs;
}

void dry_tables_point(dry_tables *t, void *const rows[DRY_COLUMN_COUNT])
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        if (a->bytes > 0 && dry_array_of(t, a))
            set_array(t, a, rows[id]);
    }
}

void dry_tables_release(dry_tables *t, dry_memory *memory)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        if (a->bytes > 0)
            dry_memory_release(memory, dry_array_of(t, a), (size_t)*capacity_of(t, a) * a->bytes);
    }
    DRY_RELEASE(memory, t->contacts.active_words, t->contacts.active_words_capacity);
    DRY_RELEASE(memory, t->contacts.pairs.entries, t->contacts.pairs.capacity);
    dry_tables_init(t);
}
