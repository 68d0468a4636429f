/* The table of all columns, from their lists. */
#include "state/columns.h"

#define X(ID, type, name, FIELDS, number)                                                                    \
    static const dry_field fields_of_##ID[] = {FIELDS(DRY_FIELD_ENTRY, type)};
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
DRY_CONTACT_SETS(X)
DRY_OTHER_COLUMNS(X)
#undef X
#define X(ID, type, name, FIELDS, number) static const type standard_##ID = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_JOINT_COLUMNS(X)
DRY_TABLE_COLUMNS(X)
#undef X

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

/* Numbers in the state hash name a column, and a field within it: two alike do not compile. */
#define X(ID, type, name, FIELDS, number)                                                                    \
    static inline void number_fields_of_##ID(int field)                                                      \
    {                                                                                                        \
        switch (field) {                                                                                     \
            FIELDS(DRY_FIELD_CASE, type)                                                                     \
        default:                                                                                             \
            break;                                                                                           \
        }                                                                                                    \
    }
DRY_ALL_COLUMNS(X)
#undef X

void dry_columns_check_numbers(int column, int field)
{
    switch (column) {
#define X(ID, type, name, FIELDS, number)                                                                    \
    case number:                                                                                             \
        number_fields_of_##ID(field);                                                                        \
        break;
        DRY_ALL_COLUMNS(X)
#undef X
    default:
        break;
    }
}
