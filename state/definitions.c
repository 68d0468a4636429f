/* The table of the definitions that calls take, from their lists. */
#include "state/definitions.h"

#define IS_COUNTED(T, name)                                                                                  \
    _Generic(((T *)0)->name, const dry_shape_def * : true, const dry_material * : true, default : false)
#define WHAT(T, name)                                                                                        \
    _Generic(((T *)0)->name,                                                                                 \
        bool: DRY_WRITTEN_TRUTH,                                                                             \
        dry_shape_data *: DRY_WRITTEN_DATA,                                                                  \
        const dry_shape_def *: DRY_DEFINITION_SHAPE,                                                         \
        const dry_material *: DRY_DEFINITION_MATERIAL,                                                       \
        dry_filter: DRY_DEFINITION_FILTER,                                                                   \
        dry_joint_axis: DRY_DEFINITION_AXIS,                                                                 \
        dry_joint_axis *: DRY_DEFINITION_AXIS,                                                               \
        dry_joint_def: DRY_DEFINITION_JOINT,                                                                 \
        default: DRY_WRITTEN_NUMBERS)

#define MEMBER(T, id, type_, name_, ...)                                                                     \
    {.name = #name_,                                                                                         \
     .number = id,                                                                                           \
     .offset = offsetof(T, name_),                                                                           \
     .size = sizeof(((T *)0)->name_),                                                                        \
     .what = WHAT(T, name_),                                                                                 \
     .counted = IS_COUNTED(T, name_)},
#define X(ID, type, FIELDS)                                                                                  \
    static const dry_member members_of_##ID[] = {FIELDS(MEMBER, type)};                                      \
    static const type standard_##ID = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_DEFINITIONS(X)
#undef X

const dry_definition dry_definitions[DRY_DEFINITION_COUNT] = {
#define X(ID, type, FIELDS)                                                                                  \
    [DRY_DEFINITION_##ID] = {                                                                                \
        .name = #type,                                                                                       \
        .members = members_of_##ID,                                                                          \
        .standard = &standard_##ID,                                                                          \
        .size = sizeof(type),                                                                                \
        .member_count = sizeof members_of_##ID / sizeof *members_of_##ID,                                    \
        .count_offset = DRY_DEFINITION_##ID == DRY_DEFINITION_BODY                                           \
                            ? offsetof(dry_body_def, shape_count)                                            \
                            : offsetof(dry_shape_def, material_count),                                       \
    },
    DRY_DEFINITIONS(X)
#undef X
};
