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

dry_state dry_tables_state(const dry_tables *t)
{
    return (dry_state){&t->bodies,  &t->shapes,   &t->proxies,      &t->contacts,
                       &t->joints,  &t->settings, t->sleep_changes, t->sleep_change_count,
                       &t->pending, t->slabs,     t->schedule,      t->world,
                       &t->leases};
}

uint64_t dry_tables_bytes(const dry_table_sizes *sizes)
{
#define ADD(ID, type, ...) row += sizeof(type);
#define ADD_RARE(ID, type, ...) row += sizes->has[DRY_COLUMN_##ID] ? sizeof(type) : 0;
#define TABLE(COLUMNS, RARE, rows)                                                                           \
    row = 0;                                                                                                 \
    COLUMNS(ADD)                                                                                             \
    RARE(ADD_RARE)                                                                                           \
    bytes += row * (uint64_t)(rows);
#define NONE(X)
    uint64_t bytes = 0, row;
    TABLE(DRY_BODY_COLUMNS, DRY_BODY_RARE_COLUMNS, sizes->bodies)
    TABLE(DRY_SHAPE_COLUMNS, DRY_SHAPE_RARE_COLUMNS, sizes->shapes)
    TABLE(DRY_MATERIAL_COLUMNS, NONE, sizes->materials)
    TABLE(DRY_PROXY_COLUMNS, NONE, sizes->proxies)
    TABLE(DRY_CONTACT_COLUMNS, DRY_CONTACT_RARE_COLUMNS, sizes->contacts)
    TABLE(DRY_JOINT_COLUMNS, DRY_JOINT_RARE_COLUMNS, sizes->joints)
    TABLE(DRY_PENDING_COLUMNS, NONE, sizes->pending_ends)
#undef ADD
#undef ADD_RARE
#undef TABLE
#undef NONE
    return bytes + sizeof(dry_slot) *
                       ((uint64_t)sizes->body_slots + (uint64_t)sizes->shapes + (uint64_t)sizes->joints);
}

/* Bodies have at least one row of room once there were any, since columns without any are absent. */
static bool reserve_bodies(dry_bodies *bodies, dry_memory *memory, const dry_table_sizes *sizes)
{
    bool ok = sizes->body_slots <= DRY_SLOTS_MAX && sizes->bodies <= sizes->body_slots &&
              dry_bodies_reserve(bodies, memory, dry_max_int(sizes->bodies, sizes->body_slots > 0)) &&
              DRY_RESERVE(memory, bodies->slots.slots, bodies->slots.capacity, sizes->body_slots);
#define X(ID, type, name, ...)                                                                               \
    ok = ok && (!sizes->has[DRY_COLUMN_##ID] || dry_bodies_need_##name(bodies, memory));
    DRY_BODY_RARE_COLUMNS(X)
#undef X
    bodies->count = sizes->bodies;
    bodies->slots.used = sizes->body_slots;
    return ok;
}

static bool reserve_shapes(dry_shapes *shapes, dry_memory *memory, const dry_table_sizes *sizes)
{
    bool ok = dry_shapes_reserve(shapes, memory, sizes->shapes) &&
              dry_shapes_reserve_list(shapes, memory, sizes->materials);
#define X(ID, type, name, ...)                                                                               \
    ok = ok && (!sizes->has[DRY_COLUMN_##ID] || dry_shapes_need_##name(shapes, memory));
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    shapes->slots.used = sizes->shapes;
    shapes->listed = sizes->materials;
    return ok;
}

static bool reserve_contacts(dry_contacts *contacts, dry_memory *memory, const dry_table_sizes *sizes)
{
    const int room = sizes->contacts + sizes->contacts_to_come;
    bool ok = room == 0 || dry_contacts_reserve(contacts, memory, room);
#define X(ID, type, name, ...)                                                                               \
    ok = ok && (!sizes->has[DRY_COLUMN_##ID] || dry_contacts_need_##name(contacts, memory));
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
    contacts->used = sizes->contacts;
    return ok;
}

static bool reserve_joints(dry_joints *joints, dry_memory *memory, const dry_table_sizes *sizes)
{
    bool ok = dry_joints_reserve(joints, memory, sizes->joints);
#define X(ID, type, name, ...)                                                                               \
    ok = ok && (!sizes->has[DRY_COLUMN_##ID] || dry_joints_need_##name(joints, memory));
    DRY_JOINT_RARE_COLUMNS(X)
#undef X
    joints->slots.used = sizes->joints;
    return ok;
}

const bool dry_column_is_single[DRY_COLUMN_COUNT] = {
#define X(ID, ...) [DRY_COLUMN_##ID] = true,
    DRY_TABLE_COLUMNS(X)
#undef X
        [DRY_COLUMN_SETTINGS] = true,
    [DRY_COLUMN_SCHEDULE] = true,
    [DRY_COLUMN_WORLD] = true,
};

void dry_tables_find_rows(dry_tables *tables, dry_column_rows rows[DRY_COLUMN_COUNT])
{
    const dry_state state = dry_tables_state(tables);
    dry_find_column_rows(&state, rows);
    rows[DRY_COLUMN_SCHEDULE].rows = &tables->schedule;
    rows[DRY_COLUMN_WORLD].rows = &tables->world;
}

/* Gives all rows their defaults. */
static void set_defaults(dry_tables *tables)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_tables_find_rows(tables, rows);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        char *first = (char *)rows[id].rows;
        for (int row = 0; row < rows[id].count && !dry_column_is_single[id]; row++)
            memcpy(first + (size_t)row * rows[id].stride, dry_columns[id].standard, dry_columns[id].size);
    }
}

bool dry_tables_reserve(dry_tables *t, dry_memory *memory, const dry_table_sizes *sizes)
{
    const bool ok =
        reserve_bodies(&t->bodies, memory, sizes) && reserve_shapes(&t->shapes, memory, sizes) &&
        reserve_contacts(&t->contacts, memory, sizes) && reserve_joints(&t->joints, memory, sizes) &&
        dry_proxies_reserve(&t->proxies, memory, sizes->proxies) &&
        DRY_RESERVE(memory, t->sleep_changes, t->sleep_changes_capacity, sizes->bodies) &&
        DRY_RESERVE(memory, t->pending.contact_ends, t->pending.contact_ends_capacity, sizes->pending_ends) &&
        DRY_RESERVE(memory, t->slabs, t->slabs_capacity, sizes->slabs);
    if (!ok)
        return false;
    t->proxies.used = sizes->proxies;
    t->sleep_change_count = sizes->sleep_changes;
    t->pending.contact_end_count = sizes->pending_ends;
    t->schedule.slab_rows = sizes->slabs;
    t->leases.count = sizes->leases;
    set_defaults(t);
    return true;
}

/* The arrays that tables have: where each one and its room are in dry_tables. */
typedef struct table_array {
    int column; /* -1: of none */
    bool rare;  /* the column may be absent */
    size_t array, capacity;
    size_t bytes; /* of an element */
} table_array;

static const table_array arrays[] = {
#define ARRAY(column, rare, type, array, capacity)                                                           \
    {column, rare, offsetof(dry_tables, array), offsetof(dry_tables, capacity), sizeof(type)},
#define X(ID, type, name, ...) ARRAY(DRY_COLUMN_##ID, false, type, bodies.name, bodies.capacity)
    DRY_BODY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) ARRAY(DRY_COLUMN_##ID, true, type, bodies.name, bodies.capacity)
        DRY_BODY_RARE_COLUMNS(X)
#undef X
#define OF(ID, rare, type, array) ARRAY(DRY_COLUMN_##ID, rare, type, array, array##_capacity)
#define X(ID, type, name, ...) OF(ID, false, type, shapes.name)
            DRY_SHAPE_COLUMNS(X) DRY_MATERIAL_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, true, type, shapes.name)
                DRY_SHAPE_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, false, type, contacts.name)
                    DRY_CONTACT_COLUMNS(X) DRY_CONTACT_SETS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, true, type, contacts.name)
                        DRY_CONTACT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, false, type, joints.name)
                            DRY_JOINT_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, true, type, joints.name)
                                DRY_JOINT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) OF(ID, false, type, proxies.name)
                                    DRY_PROXY_COLUMNS(X)
#undef X
#define F(X, type, array, number, ID, ...) OF(ID, false, type, pending.array)
                                        DRY_PENDING_KINDS(F, )
#undef F
                                            OF(JOINT_ACTIVE, false, int32_t,
                                               joints.active) OF(SLEEP_CHANGE, false, int32_t, sleep_changes)
                                                OF(SLAB, false, uint16_t,
                                                   slabs) ARRAY(DRY_COLUMN_BODY_SLOT, false, dry_slot,
                                                                bodies.slots.slots, bodies.slots.capacity)
                                                    ARRAY(DRY_COLUMN_SHAPE_SLOT, false, dry_slot,
                                                          shapes.slots.slots, shapes.slots.capacity)
                                                        ARRAY(DRY_COLUMN_JOINT_SLOT, false, dry_slot,
                                                              joints.slots.slots, joints.slots.capacity)
                                                            ARRAY(-1, false, int32_t, contacts.active_words,
                                                                  contacts.active_words_capacity)
#undef OF
#undef ARRAY
};
#define END_OF_ARRAYS (arrays + sizeof arrays / sizeof *arrays)

static void *array_of(const dry_tables *t, const table_array *a)
{
    void *array;
    memcpy(&array, (const char *)t + a->array, sizeof array);
    return array;
}

static void set_array(dry_tables *t, const table_array *a, void *array)
{
    memcpy((char *)t + a->array, &array, sizeof array);
}

static int *capacity_of(dry_tables *t, const table_array *a)
{
    return (int *)((char *)t + a->capacity);
}

void dry_tables_take_arrays(dry_tables *t, dry_tables *from, dry_memory *memory)
{
    for (const table_array *a = arrays; a < END_OF_ARRAYS; a++) {
        const int capacity = *capacity_of(from, a);
        if (a->rare && !array_of(t, a)) {
            dry_memory_release(memory, array_of(from, a), (size_t)capacity * a->bytes);
            continue;
        }
        set_array(t, a, array_of(from, a));
        *capacity_of(t, a) = capacity;
    }
    t->contacts.pairs = from->contacts.pairs;
}

void dry_tables_point(dry_tables *t, void *const rows[DRY_COLUMN_COUNT])
{
    for (const table_array *a = arrays; a < END_OF_ARRAYS; a++)
        if (a->column >= 0 && array_of(t, a))
            set_array(t, a, rows[a->column]);
}

void dry_tables_release(dry_tables *t, dry_memory *memory)
{
    for (const table_array *a = arrays; a < END_OF_ARRAYS; a++)
        dry_memory_release(memory, array_of(t, a), (size_t)*capacity_of(t, a) * a->bytes);
    DRY_RELEASE(memory, t->contacts.pairs.entries, t->contacts.pairs.capacity);
    dry_tables_init(t);
}
