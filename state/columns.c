/* The table of all columns, from their lists. */
#include "state/columns.h"

#define X(ID, type, name, FIELDS, number)                                                                    \
    static const dry_field fields_of_##ID[] = {FIELDS(DRY_FIELD_ENTRY, type)};                               \
    _Static_assert(sizeof(type) <= DRY_ROW_WORDS_MAX * sizeof(uint32_t),                                     \
                   #ID " has longer rows than there is room for");
DRY_ALL_COLUMNS(X)
#undef X

/* Rows of defaults. Values in the order of the fields: a field that a list lacks is an initializer too few,
 * of which compilers warn. */
#define X(ID, type, name, FIELDS, number) static const type standard_##ID = {FIELDS(DRY_FIELD_VALUE, type)};
DRY_BODY_COLUMNS(X)
DRY_BODY_RARE_COLUMNS(X)
DRY_SHAPE_COLUMNS(X)
DRY_SHAPE_RARE_COLUMNS(X)
DRY_PROXY_COLUMNS(X)
DRY_CONTACT_COLUMNS(X)
DRY_CONTACT_RARE_COLUMNS(X)
DRY_CONTACT_SETS(X)
DRY_OTHER_COLUMNS(X)
#undef X
#define X(ID, type, name, FIELDS, number) static const type standard_##ID = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_MATERIAL_COLUMNS(X)
DRY_JOINT_COLUMNS(X)
DRY_JOINT_RARE_COLUMNS(X)
DRY_SETTINGS_COLUMNS(X)
DRY_TABLE_COLUMNS(X)
#undef X

/* All members of the tables, by position: a new member is an initializer too few, of which compilers warn.
 * State gets a row in the list of its table. A place here is for columns, their room, and numbers that follow
 * from columns. */
#define MEMBERS(T, ...) _Static_assert(sizeof((T){__VA_ARGS__}) == sizeof(T), #T)
#define SLOTS                                                                                                \
    {                                                                                                        \
        NULL, 0, DRY_SLOTS_FIELDS(DRY_FIELD_VALUE, dry_slots) NULL                                           \
    }
#define POINTER(...) NULL,
#define POINTER_AND_ROOM(...) NULL, 0,
DRY_LIST_MATCHES(dry_slot, DRY_SLOT_FIELDS, 0);
MEMBERS(dry_bodies, SLOTS, DRY_BODIES_FIELDS(DRY_FIELD_VALUE, dry_bodies) 0, 0,
        DRY_BODY_COLUMNS(POINTER) DRY_BODY_RARE_COLUMNS(POINTER));
MEMBERS(dry_shapes, SLOTS,
        DRY_SHAPES_FIELDS(DRY_FIELD_VALUE, dry_shapes) DRY_SHAPE_COLUMNS(POINTER_AND_ROOM)
            DRY_SHAPE_RARE_COLUMNS(POINTER_AND_ROOM) NULL,
        0, 0, 0, 0, 0.0f, false);
MEMBERS(dry_proxies, DRY_PROXIES_FIELDS(DRY_FIELD_VALUE, dry_proxies) DRY_PROXY_COLUMNS(POINTER_AND_ROOM));
MEMBERS(dry_joints, SLOTS, DRY_JOINT_COLUMNS(POINTER_AND_ROOM) DRY_JOINT_RARE_COLUMNS(POINTER_AND_ROOM) NULL,
        0, 0, 0, 0);
MEMBERS(dry_contacts,
        DRY_CONTACT_COLUMNS(POINTER_AND_ROOM) DRY_CONTACT_RARE_COLUMNS(POINTER_AND_ROOM)
            DRY_CONTACT_SETS(POINTER_AND_ROOM) false,
        NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, 0);

const dry_column dry_columns[DRY_COLUMN_COUNT] = {
#define BY(T, number, type, name, extent, standard, unit, rule, writers, ...) | (writers)
#define X(ID, type_, name_, FIELDS, number_)                                                                 \
    [DRY_COLUMN_##ID] = {                                                                                    \
        .id = #ID,                                                                                           \
        .name = #name_,                                                                                      \
        .type = #type_,                                                                                      \
        .fields = fields_of_##ID,                                                                            \
        .standard = &standard_##ID,                                                                          \
        .size = sizeof(type_),                                                                               \
        .number = number_,                                                                                   \
        .field_count = sizeof fields_of_##ID / sizeof *fields_of_##ID,                                       \
        .writers = 0 FIELDS(BY, type_),                                                                      \
    },
    DRY_ALL_COLUMNS(X)
#undef X
#undef BY
};

/* Numbers in the state hash name a column, and a field within it: two alike are two members of one name. */
#define F(T, number, ...) char field_##number;
#define X(ID, type, name, FIELDS, number)                                                                    \
    struct {                                                                                                 \
        FIELDS(F, type)                                                                                      \
    } column_##number;
struct dry_column_numbers {
    DRY_ALL_COLUMNS(X)
};
#undef X
#undef F
