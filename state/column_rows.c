/* Finds the rows of all columns, from their lists.
 *
 * Each column's rows are a variable, rows_of_BODY_POSE and so on, and all variables are copied by the list of
 * all columns: a column without its line below does not compile. */
#include "state/column_rows.h"

void dry_find_column_rows(const dry_state *s, dry_column_rows rows[DRY_COLUMN_COUNT])
{
    const dry_bodies *bodies = s->bodies;
    const dry_shapes *shapes = s->shapes;
    const dry_proxies *proxies = s->proxies;
    const dry_contacts *contacts = s->contacts;
    const dry_joints *joints = s->joints;
    const int words = dry_contact_words(contacts);
#define ROWS(ID, type, array, number, ...)                                                                   \
    const dry_column_rows rows_of_##ID = {                                                                   \
        .rows = (array), .stride = sizeof(type), .count = (array) ? (number) : 0, __VA_ARGS__};
#define X(ID, type, name, ...) ROWS(ID, type, bodies->name, bodies->count, .bodies = bodies->state)
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) ROWS(ID, type, shapes->name, shapes->slots.used, .slots = &shapes->slots)
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) ROWS(ID, type, proxies->name, proxies->used, .proxies = proxies->flags)
    DRY_PROXY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    ROWS(ID, type, contacts->name, contacts->used, .bits = contacts->used_bits, .points = contacts->link)
    DRY_CONTACT_COLUMNS(X)
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) ROWS(ID, type, joints->name, joints->slots.used, .slots = &joints->slots)
    DRY_JOINT_COLUMNS(X)
    DRY_JOINT_RARE_COLUMNS(X)
#undef X
#undef ROWS
#define ROWS(ID, type, array, number)                                                                        \
    const dry_column_rows rows_of_##ID = {.rows = (array), .stride = sizeof(type), .count = (number)}
#define X(ID, type, name, ...) ROWS(ID, type, contacts->name, words);
    DRY_CONTACT_SETS(X)
#undef X
    ROWS(BODY_SLOT, dry_slot, bodies->slots.slots, bodies->slots.used);
    ROWS(SHAPE_SLOT, dry_slot, shapes->slots.slots, shapes->slots.used);
    ROWS(JOINT_SLOT, dry_slot, joints->slots.slots, joints->slots.used);
    ROWS(JOINT_ACTIVE, int32_t, joints->active, joints->active_count);
    ROWS(SETTINGS, dry_settings, s->settings, 1);
    ROWS(SLEEP_CHANGE, int32_t, s->sleep_changes, s->sleep_change_count);
#define F(X, type, array, number, ID, ...) ROWS(ID, type, s->pending->array, s->pending->number);
    DRY_PENDING_KINDS(F, )
#undef F
    ROWS(SLAB, uint16_t, s->slabs, s->schedule.slab_rows);
    ROWS(SCHEDULE, dry_schedule_state, &s->schedule, 1);
    ROWS(WORLD, dry_world_numbers, &s->world, 1);
    ROWS(LEASE, uint64_t, s->leases->first, s->leases->count);
    ROWS(LISTED_MATERIAL, dry_listed_material, shapes->list, shapes->listed);
    ROWS(BODIES, dry_bodies, bodies, 1);
    ROWS(BODY_SLOTS, dry_slots, &bodies->slots, 1);
    ROWS(SHAPES, dry_shapes, shapes, 1);
    ROWS(SHAPE_SLOTS, dry_slots, &shapes->slots, 1);
    ROWS(PROXIES, dry_proxies, proxies, 1);
    ROWS(JOINT_SLOTS, dry_slots, &joints->slots, 1);
#undef ROWS
#define X(ID, ...) rows[DRY_COLUMN_##ID] = rows_of_##ID;
    DRY_ALL_COLUMNS(X)
#undef X
    /* The list of free proxies goes through these. */
    rows[DRY_COLUMN_PROXY_USER].proxies = NULL;
    rows[DRY_COLUMN_LISTED_MATERIAL].materials = shapes->list;
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
