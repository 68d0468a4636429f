/* The vocabulary of the lists that declare all data of a world.
 *
 * A list has a row for each field, a struct is made of the list, and all else that goes through fields walks
 * the same list: defaults, the hash, the tables of docs/columns.md. No field can be forgotten. A row is
 *
 *     F(T, number, type, name, extent, default, unit, rule, writers, meaning)
 *
 *   T        the struct, handed through by the list
 *   number   names the field in the state hash for good: never changed, never used again, no two alike in a
 *            struct. Names and places may change.
 *   extent   [n] of an array, else empty
 *   default  initializer of a new row. A field at its default adds nothing to the state hash.
 *   rule     in the state hash, and in saves: DRY_HASHED, DRY_HASHED_POINTS, DRY_HASHED_BITS(hashed, saved);
 *            in saves alone: DRY_SAVED(why), DRY_OF_CALLER(why); in neither: DRY_DERIVED(why),
 * DRY_MADE_ANEW(why) writers  the stages that write the field, DRY_BY_... meaning  in words, for
 * docs/columns.md; state/settings.h has more behind it
 *
 * Next: state/bodies.h, shapes.h, contacts.h, joints.h, proxies.h, settings.h, columns.h. */
#ifndef STATE_FIELDS_H
#define STATE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/* Who writes a field: stages, as 1 << DRY_STAGE_..., public calls, and what follows the last stage. */
enum {
    DRY_BY_PAIRS = 1 << 0,
    DRY_BY_CONTACTS = 1 << 1,
    DRY_BY_GRAPH = 1 << 2,
    DRY_BY_PREPARE = 1 << 3,
    DRY_BY_SOLVE = 1 << 4,
    DRY_BY_REPAIR = 1 << 5,
    DRY_BY_STORE = 1 << 6,
    DRY_BY_FINALIZE = 1 << 7,
    DRY_BY_PUBLISH = 1 << 8, /* events handed to the caller after the last stage */
    DRY_BY_CALLS = 1 << 9,
    DRY_WHERE_BUILT = 1 << 10, /* of contacts: the stages behind "contacts" write those alone that it built */
};

/* The class of a field: where a loaded world has its value from. */
typedef enum dry_field_class {
    DRY_FIELD_STATE,     /* it decides the future: saved, and hashed unless other fields tell it */
    DRY_FIELD_CALLER,    /* the caller's, or told to callers: saved, and no step reads it */
    DRY_FIELD_DERIVED,   /* follows from fields that are saved: a load rebuilds it */
    DRY_FIELD_MADE_ANEW, /* the next step makes it, with the same result: a load gives it its default */
    DRY_FIELD_CLASS_COUNT
} dry_field_class;

typedef struct dry_field {
    const char *name, *type, *extent, *unit, *standard; /* `standard`: the default, as written in the list */
    const char *meaning;
    const char *unhashed; /* why the field is not in the state hash; empty: it is */
    uint64_t hashed_bits; /* of an integer field; all of them else */
    uint64_t saved_bits;  /* likewise */
    uint16_t number, offset, size, writers;
    uint8_t by_point; /* an array of which only the manifold's points count */
    uint8_t origin;   /* dry_field_class */
} dry_field;

#define DRY_HASHED "", UINT64_MAX, 0, DRY_FIELD_STATE, UINT64_MAX
#define DRY_HASHED_BITS(hashed, saved) "", (hashed), 0, DRY_FIELD_STATE, (saved)
#define DRY_HASHED_POINTS "", UINT64_MAX, 1, DRY_FIELD_STATE, UINT64_MAX
#define DRY_OF_CALLER(why) why, 0, 0, DRY_FIELD_CALLER, UINT64_MAX
#define DRY_SAVED(why) why, 0, 0, DRY_FIELD_STATE, UINT64_MAX
#define DRY_DERIVED(why) why, 0, 0, DRY_FIELD_DERIVED, 0
#define DRY_MADE_ANEW(why) why, 0, 0, DRY_FIELD_MADE_ANEW, 0

/* The macros that a list is read with. */
#define DRY_FIELD_MEMBER(T, number, type, name, extent, ...) type name extent;
#define DRY_FIELD_BYTES(T, number, type, name, extent, ...) +sizeof(type extent)
#define DRY_FIELD_DEFAULT(T, number, type, name, extent, standard, ...) .name = standard,
#define DRY_FIELD_VALUE(T, number, type, name, extent, standard, ...) standard,
#define DRY_FIELD_ENTRY(T, number, type, name, extent, standard, unit, rule, writers, ...)                   \
    DRY_FIELD_ENTRY_WITH(T, number, #type, name, #extent, #standard, unit, writers,                          \
                         DRY_FIRST_OF(__VA_ARGS__, 0), rule)
#define DRY_FIELD_ENTRY_WITH(T, number, type, name, extent, standard, unit, writers, meaning, ...)           \
    DRY_FIELD_ENTRY_OF(T, number, type, name, extent, standard, unit, writers, meaning, __VA_ARGS__)
#define DRY_FIELD_ENTRY_OF(T, id, type_, name_, extent_, standard_, unit_, by, meaning_, why, bits, each,    \
                           class, saved)                                                                     \
    {.name = #name_,                                                                                         \
     .type = type_,                                                                                          \
     .extent = extent_,                                                                                      \
     .unit = unit_,                                                                                          \
     .standard = standard_,                                                                                  \
     .meaning = meaning_,                                                                                    \
     .unhashed = why,                                                                                        \
     .hashed_bits = bits,                                                                                    \
     .number = id,                                                                                           \
     .offset = offsetof(T, name_),                                                                           \
     .size = sizeof(((T *)0)->name_),                                                                        \
     .writers = by,                                                                                          \
     .by_point = each,                                                                                       \
     .saved_bits = saved,                                                                                    \
     .origin = class},
#define DRY_FIRST_OF(first, ...) first

/* Makes the struct that a list declares. Without padding: hashes read rows as bytes. */
#define DRY_STRUCT_OF(T, FIELDS)                                                                             \
    typedef struct T {                                                                                       \
        FIELDS(DRY_FIELD_MEMBER, T)                                                                          \
    } T;                                                                                                     \
    _Static_assert(sizeof(T) == 0 FIELDS(DRY_FIELD_BYTES, T), #T " has padding")

/* Makes the members of a table for a list of columns: rows, and for how many there is room. */
#define DRY_COLUMN_MEMBERS(ID, type, name, ...)                                                              \
    type *name;                                                                                              \
    int name##_capacity;

/* Holds a list to a struct that is declared elsewhere and has `padding` bytes of padding. */
#define DRY_LIST_MATCHES(T, FIELDS, padding)                                                                 \
    _Static_assert(sizeof(T) == (padding)FIELDS(DRY_FIELD_BYTES, T), #T " has fields that its list lacks")

/* Elements of columns that are plain arrays. */
typedef struct dry_byte_element {
    uint8_t value;
} dry_byte_element;
typedef struct dry_short_element {
    uint16_t value;
} dry_short_element;
typedef struct dry_index_element {
    int32_t value;
} dry_index_element;
typedef struct dry_word_element {
    uint64_t value;
} dry_word_element;

/* Defaults of several numbers: a list cannot hold their commas. */
/* clang-format off */
#define DRY_ARRAY_DEFAULT {0}
#define DRY_VEC3_DEFAULT {0.0f, 0.0f, 0.0f}
#define DRY_POSITION_DEFAULT {0.0, 0.0, 0.0}
#define DRY_ROTATION_DEFAULT {0.0, 0.0, 0.0, 0.0}
#define DRY_QUAT_DEFAULT {0.0f, 0.0f, 0.0f, 1.0f}
#define DRY_QUAT_NONE {0.0f, 0.0f, 0.0f, 0.0f}
#define DRY_TRANSFORM_DEFAULT {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}
#define DRY_GEOMETRY_DEFAULT {{0.0f, 0.0f, 0.0f}, 0}
#define DRY_POINTS_DEFAULT {{{0.0f, 0.0f, 0.0f}, 0.0f}}
#define DRY_ENDS_DEFAULT {-1, -1}
/* clang-format on */

#endif
