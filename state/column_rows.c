/* The arrays of tables, from the lists of columns, and the rows of all columns. */
#include "state/tables.h"

/* clang-format off */
const dry_table_array dry_table_arrays[DRY_COLUMN_COUNT] = {
#define ARRAY(ID, table, rare, set, type, array, room, count, rows)                                          \
    [DRY_COLUMN_##ID] = {table, rare, set, sizeof(type), offsetof(dry_tables, array),                        \
                         offsetof(dry_tables, room), offsetof(dry_tables, count),                            \
                         offsetof(dry_table_sizes, rows)},
#define BODIES(ID, rare, type, array)                                                                        \
    ARRAY(ID, DRY_IN_BODIES, rare, false, type, array, bodies.capacity, bodies.count, bodies)
#define OF(ID, table, rare, type, array, count, rows)                                                        \
    ARRAY(ID, table, rare, false, type, array, array##_capacity, count, rows)
#define SLOTS(ID, table, rows)                                                                               \
    ARRAY(ID, DRY_IN_NONE, false, false, dry_slot, table.slots.slots, table.slots.capacity,     \
          table.slots.used, rows)
#define X(ID, type, name, ...) BODIES(ID, false, type, bodies.name)
    DRY_BODY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) BODIES(ID, true, type, bodies.name)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_SHAPES, false, type, shapes.name, shapes.slots.used, shapes)
    DRY_SHAPE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_SHAPES, true, type, shapes.name, shapes.slots.used, shapes)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_NONE, false, type, shapes.name, shapes.listed, materials)
    DRY_MATERIAL_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_PROXIES, false, type, proxies.name, proxies.used, proxies)
    DRY_PROXY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_CONTACTS, false, type, contacts.name, contacts.used, contacts)
    DRY_CONTACT_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_CONTACTS, true, type, contacts.name, contacts.used, contacts)
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    ARRAY(ID, DRY_IN_NONE, false, true, type, contacts.name, contacts.name##_capacity,          \
          contacts.used, contacts)
    DRY_CONTACT_SETS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_JOINTS, false, type, joints.name, joints.slots.used, joints)
    DRY_JOINT_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, DRY_IN_JOINTS, true, type, joints.name, joints.slots.used, joints)
    DRY_JOINT_RARE_COLUMNS(X)
#undef X
#define F(X, type, array, count, ID, ...)                                                                    \
    OF(ID, DRY_IN_NONE, false, type, pending.array, pending.count, pending_ends)
    DRY_PENDING_KINDS(F, )
#undef F
    SLOTS(BODY_SLOT, bodies, body_slots)
    SLOTS(SHAPE_SLOT, shapes, shapes)
    SLOTS(JOINT_SLOT, joints, joints)
    OF(JOINT_ACTIVE, DRY_IN_NONE, false, int32_t, joints.active, joints.active_count, joints)
    OF(SLEEP_CHANGE, DRY_IN_NONE, false, int32_t, sleep_changes, sleep_change_count, sleep_changes)
    OF(SLAB, DRY_IN_NONE, false, uint16_t, slabs, schedule.slab_rows, slabs)
#undef ARRAY
#undef BODIES
#undef OF
#undef SLOTS
};
/* clang-format on */

void dry_find_column_rows(const dry_tables *t, dry_column_rows rows[DRY_COLUMN_COUNT])
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_table_array *a = &dry_table_arrays[id];
        if (a->bytes == 0)
            continue;
        const void *array = dry_array_of(t, a);
        const int count = a->set ? dry_contact_words(&t->contacts) : dry_count_at(t, a->count);
        dry_column_rows *r = &rows[id];
        *r = (dry_column_rows){.rows = array, .stride = a->bytes, .count = array ? count : 0};
        if (a->table == DRY_IN_BODIES)
            r->bodies = t->bodies.state;
        if (a->table == DRY_IN_SHAPES || a->table == DRY_IN_JOINTS)
            r->slots = a->table == DRY_IN_SHAPES ? &t->shapes.slots : &t->joints.slots;
        if (a->table == DRY_IN_PROXIES)
            r->proxies = t->proxies.flags;
        if (a->table == DRY_IN_CONTACTS) {
            r->bits = t->contacts.used_bits;
            r->points = t->contacts.link;
        }
    }
    /* The list of free proxies goes through these. */
    rows[DRY_COLUMN_PROXY_USER].proxies = NULL;
    rows[DRY_COLUMN_LISTED_MATERIAL].materials = t->shapes.list;
#define SINGLE(ID, numbers)                                                                                  \
    rows[DRY_COLUMN_##ID] = (dry_column_rows){.rows = &(numbers), .stride = sizeof(numbers), .count = 1}
    SINGLE(SETTINGS, t->settings);
    SINGLE(SCHEDULE, t->schedule);
    SINGLE(WORLD, t->world);
    SINGLE(BODIES, t->bodies);
    SINGLE(BODY_SLOTS, t->bodies.slots);
    SINGLE(SHAPES, t->shapes);
    SINGLE(SHAPE_SLOTS, t->shapes.slots);
    SINGLE(PROXIES, t->proxies);
    SINGLE(JOINT_SLOTS, t->joints.slots);
#undef SINGLE
    rows[DRY_COLUMN_LEASE] = (dry_column_rows){
        .rows = t->leases.first, .stride = sizeof *t->leases.first, .count = t->leases.count};
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        DRY_ASSERT(rows[id].stride == dry_columns[id].size); /* no column is forgotten above */
}

/* A constant size makes each copy a move. */
void dry_copy_values(char *to, size_t stride, const char *from, size_t step, int count, size_t size)
{
    switch (size) {
#define COPY(bytes)                                                                                          \
    case bytes:                                                                                              \
        for (int i = 0; i < count; i++)                                                                      \
            memcpy(to + i * stride, from + i * step, bytes);                                                 \
        break
        COPY(1);
        COPY(2);
        COPY(4);
        COPY(8);
        COPY(12);
        COPY(16);
#undef COPY
    default:
        for (int i = 0; i < count; i++)
            memcpy(to + i * stride, from + i * step, size);
    }
}
