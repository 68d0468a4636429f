/* All columns of a world under one numbering: what the hash, the validating build and docs/columns.md walk.
 *
 * A column is rows of one struct, or a table's own few numbers as a single row. */
#ifndef STATE_COLUMNS_H
#define STATE_COLUMNS_H

#include "state/bodies.h"
#include "state/contacts.h"
#include "state/joints.h"
#include "state/pending_events.h"
#include "state/proxies.h"
#include "state/settings.h"
#include "state/shapes.h"

/* The slots behind ids (core/slots.h). */
#define DRY_SLOT_FIELDS(F, T)                                                                                \
    F(T, 1, uint32_t, generation, , 0, "", DRY_HASHED, DRY_BY_CALLS,                                         \
      "reuses; tells whether the slot is taken")                                                             \
    F(T, 2, int32_t, row, , 0, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                \
      "where the tenant's columns are; of a free slot the next free one")
#define DRY_SLOTS_FIELDS(F, T)                                                                               \
    F(T, 1, int, used, , 0, "", DRY_HASHED, DRY_BY_CALLS, "slots ever taken")                                \
    F(T, 2, int, free, , -1, "", DRY_HASHED, DRY_BY_CALLS, "head of the list of free slots; -1: none")       \
    F(T, 3, int, count, , 0, "", DRY_DERIVED("follows from the slots"), DRY_BY_CALLS, "tenants")             \
    F(T, 4, int, unlisted, , 0, "", DRY_HASHED, DRY_BY_CALLS, "the last used ones, free and in no list")     \
    F(T, 5, int, retired, , 0, "", DRY_DERIVED("follows from the slots"), DRY_BY_CALLS,                      \
      "free ones that are never taken again")                                                                \
    F(T, 6, int, wanted, , 0, "", DRY_DERIVED("follows from the slots"), DRY_BY_CALLS,                       \
      "leases that the next uses of all slots ask for")

/* The numbers that a world has drawn (core/leases.h). */
#define DRY_LEASE_FIELDS(F, T)                                                                               \
    F(dry_word_element, 1, uint64_t, value, , 0, "", DRY_SAVED("input, as the calls are"), DRY_BY_CALLS,     \
      "the first number of the lease")

/* Bodies that fell asleep or woke since the last events, in that order. */
#define DRY_SLEEP_CHANGE_FIELDS(F, T)                                                                        \
    F(dry_index_element, 1, int32_t, value, , -1, "", DRY_HASHED,                                            \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "slot of the body")

#define DRY_SLAB_FIELDS(F, T)                                                                                \
    F(dry_short_element, 1, uint16_t, value, , 0, "", DRY_HASHED, DRY_BY_PREPARE,                            \
      "the slab of the body in this row")

/* The part of the schedule of constraints that one step hands to the next (solver/plan). 7 was used once. */
#define DRY_SCHEDULE_FIELDS(F, T)                                                                            \
    F(T, 1, int32_t, slab_rows, , 0, "", DRY_HASHED, DRY_BY_PREPARE,                                         \
      "rows that have a slab; 0: there are no slabs")                                                        \
    F(T, 2, int32_t, slab_count, , 0, "", DRY_HASHED, DRY_BY_PREPARE, "slabs")                               \
    F(T, 3, int32_t, slab_wait, , 0, "", DRY_HASHED, DRY_BY_PREPARE,                                         \
      "steps until slabs are looked for again")                                                              \
    F(T, 4, uint32_t, slab_tiers, , 0, "", DRY_HASHED, DRY_BY_PREPARE, "bit t: the slabs are of tier t")     \
    F(T, 5, int32_t, graph_changed, , 0, "", DRY_MADE_ANEW("islands are built from contacts and joints"),    \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "1: islands are to be built")                           \
    F(T, 6, int32_t, scheduled, , 0, "", DRY_MADE_ANEW("a new schedule is the same"),                        \
      DRY_BY_GRAPH | DRY_BY_PREPARE, "1: bundles hold the constraints of these islands")                     \
    F(T, 8, uint32_t, shuffle, , 0, "", DRY_HASHED, DRY_BY_CALLS | DRY_BY_FINALIZE,                          \
      "the number that colors are shuffled by in the next step; 0 if they are not")
DRY_STRUCT_OF(dry_schedule_state, DRY_SCHEDULE_FIELDS);

/* Numbers of a world that no column above has. Steps read the first two. 2 was used once. */
#define DRY_WORLD_FIELDS(F, T)                                                                               \
    F(T, 1, uint64_t, step_count, , 0, "", DRY_SAVED("`shuffle` has what steps read of it"), DRY_BY_PUBLISH, \
      "steps done")                                                                                          \
    F(T, 3, float, ways_dt, , 0.0f, "s", DRY_SAVED("a step like the last one looks for nothing"),            \
      DRY_BY_PAIRS | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "fat boxes of round shapes hold their ways over a step as long as this")                               \
    F(T, 11, int32_t, weighed, , 0, "", DRY_SAVED("calls that change settings end it"),                      \
      DRY_BY_GRAPH | DRY_BY_CALLS, "1: the weight that hangs on joints is that of the present gravity")      \
    F(T, 4, dry_body_id, crowded_body, , {0}, "", DRY_OF_CALLER("told to callers alone"),                    \
      DRY_BY_PAIRS | DRY_BY_CALLS, "a body of a pair that was left out")                                     \
    F(T, 5, int32_t, crowded_pairs, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_PAIRS,           \
      "pairs left out by shape_pairs_max")                                                                   \
    F(T, 6, int32_t, pairs_left_out, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_PAIRS,          \
      "1: some pair has been left out, and the log has been told")                                           \
    F(T, 7, uint64_t, impacts, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_SOLVE,                \
      "contacts that bounced, once for each round")                                                          \
    F(T, 8, uint64_t, impact_solves, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_SOLVE,          \
      "of one contact of an impact")                                                                         \
    F(T, 9, uint64_t, impacts_limited, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_SOLVE,        \
      "of those, shortened so that they gain no energy")                                                     \
    F(T, 13, int64_t, unsettled, , 0, "", DRY_SAVED("the next whole step ends it"), DRY_BY_CALLS,            \
      "1: a sleeper may be joined to an awake body, or touch one that moves by itself")                      \
    F(T, 12, uint64_t, triangle_pairs, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_PAIRS,        \
      "pairs of two shapes of triangles that steps found near each other")                                   \
    F(T, 10, uint64_t, repairs, , 0, "", DRY_OF_CALLER("told to callers alone"), DRY_BY_REPAIR, "of energy")
DRY_STRUCT_OF(dry_world_numbers, DRY_WORLD_FIELDS);

/* X(ID, type, name, FIELDS, number): the columns that no table lists. */
#define DRY_OTHER_COLUMNS(X)                                                                                 \
    X(BODY_SLOT, dry_slot, body_slot, DRY_SLOT_FIELDS, 11)                                                   \
    X(SHAPE_SLOT, dry_slot, shape_slot, DRY_SLOT_FIELDS, 26)                                                 \
    X(JOINT_ACTIVE, int32_t, joint_active, DRY_JOINT_ACTIVE_FIELDS, 52)                                      \
    X(JOINT_SLOT, dry_slot, joint_slot, DRY_SLOT_FIELDS, 53)                                                 \
    X(SLEEP_CHANGE, int32_t, sleep_change, DRY_SLEEP_CHANGE_FIELDS, 61)                                      \
    DRY_PENDING_COLUMNS(X)                                                                                   \
    X(SLAB, uint16_t, slab, DRY_SLAB_FIELDS, 64)                                                             \
    X(SCHEDULE, dry_schedule_state, schedule, DRY_SCHEDULE_FIELDS, 65)                                       \
    X(WORLD, dry_world_numbers, world, DRY_WORLD_FIELDS, 75)                                                 \
    X(LEASE, uint64_t, lease, DRY_LEASE_FIELDS, 81)

/* One row, whose members have members of their own. */
#define DRY_SETTINGS_COLUMNS(X) X(SETTINGS, dry_settings, settings, DRY_SETTINGS_FIELDS, 60)

/* The few numbers that a table keeps beside its columns: one row. */
#define DRY_TABLE_COLUMNS(X)                                                                                 \
    X(BODIES, dry_bodies, bodies, DRY_BODIES_FIELDS, 10)                                                     \
    X(BODY_SLOTS, dry_slots, body_slots, DRY_SLOTS_FIELDS, 12)                                               \
    X(SHAPES, dry_shapes, shapes, DRY_SHAPES_FIELDS, 25)                                                     \
    X(SHAPE_SLOTS, dry_slots, shape_slots, DRY_SLOTS_FIELDS, 27)                                             \
    X(PROXIES, dry_proxies, proxies, DRY_PROXIES_FIELDS, 33)                                                 \
    X(JOINT_SLOTS, dry_slots, joint_slots, DRY_SLOTS_FIELDS, 54)

#define DRY_ALL_COLUMNS(X)                                                                                   \
    DRY_BODY_COLUMNS(X)                                                                                      \
    DRY_BODY_RARE_COLUMNS(X)                                                                                 \
    DRY_SHAPE_COLUMNS(X)                                                                                     \
    DRY_SHAPE_RARE_COLUMNS(X)                                                                                \
    DRY_MATERIAL_COLUMNS(X)                                                                                  \
    DRY_PROXY_COLUMNS(X)                                                                                     \
    DRY_CONTACT_COLUMNS(X)                                                                                   \
    DRY_CONTACT_RARE_COLUMNS(X)                                                                              \
    DRY_CONTACT_SETS(X)                                                                                      \
    DRY_JOINT_COLUMNS(X)                                                                                     \
    DRY_JOINT_RARE_COLUMNS(X)                                                                                \
    DRY_OTHER_COLUMNS(X)                                                                                     \
    DRY_SETTINGS_COLUMNS(X)                                                                                  \
    DRY_TABLE_COLUMNS(X)

/* DRY_COLUMN_BODY_POSE, DRY_COLUMN_BODY_VELOCITY, ... */
typedef enum dry_column_id {
#define X(ID, ...) DRY_COLUMN_##ID,
    DRY_ALL_COLUMNS(X)
#undef X
        DRY_COLUMN_COUNT
} dry_column_id;

enum { DRY_ROW_WORDS_MAX = 160 }; /* of four bytes; no column has longer rows */

typedef struct dry_column {
    const char *id, *name, *type; /* as in the lists: BODY_POSE, pose, dry_body_pose, ... */
    const dry_field *fields;
    const void *standard; /* a row with the defaults */
    size_t size;          /* of a row, bytes */
    uint16_t number, field_count;
    uint16_t writers; /* of all fields: DRY_BY_... */
} dry_column;

extern const dry_column dry_columns[DRY_COLUMN_COUNT];

#endif
