/* Bodies as columns: lists of all fields, and the table that the lists make.
 *
 * A *slot* names a body for as long as it lives; a *row* is where its columns are now. Rows
 * [0, awake_count) are the awake movable bodies, so a stage loops over one dense range and a sleeping world
 * costs nothing. Waking, sleeping, and destroying swap rows (dry_bodies_swap).
 *
 * Inside, a body's frame is its principal frame: origin at the center of mass, axes along the principal
 * axes of inertia, so inertia is three numbers and M^(1/2) is diagonal [CSE169]. `local` leads back to the
 * frame that the user gave. */
#ifndef STATE_BODIES_H
#define STATE_BODIES_H

#include "core/assert.h"
#include "core/gyroscopic.h"
#include "core/math.h"
#include "core/memory.h"
#include "core/shared.h"
#include "core/slots.h"
#include "state/fields.h"
#include "state/island_phase.h"
#include "state/row_marks.h"

#include <drystone/body.h>

/* The place of a body's principal frame. */
#define DRY_BODY_POSE_FIELDS(F, T)                                                                           \
    F(T, 1, dry_position, position, , DRY_POSITION_DEFAULT, "m", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS, \
      "center of mass, world axes")                                                                          \
    F(T, 2, dry_quat, orientation, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,       \
      "of the principal frame in the world")

/* How the last step moved a body to close joints. */
#define DRY_BODY_CORRECTION_FIELDS(F, T)                                                                     \
    F(T, 1, dry_vec3, linear, , DRY_VEC3_DEFAULT, "m", DRY_OF_CALLER("no step reads it"),                    \
      DRY_BY_FINALIZE | DRY_BY_CALLS, "of the center of mass, beyond what velocities account for")           \
    F(T, 2, dry_vec3, angular, , DRY_VEC3_DEFAULT, "rad", DRY_OF_CALLER("no step reads it"),                 \
      DRY_BY_FINALIZE | DRY_BY_CALLS, "likewise; world axes")

/* How the center of mass moves. */
#define DRY_BODY_VELOCITY_FIELDS(F, T)                                                                       \
    F(T, 1, dry_vec3, linear, , DRY_VEC3_DEFAULT, "m/s", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,         \
      "of the center of mass, world axes")                                                                   \
    F(T, 2, dry_vec3, angular, , DRY_VEC3_DEFAULT, "rad/s", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,      \
      "world axes")

/* Zero in static and kinematic bodies; an inertia of zero is a locked rotation. */
#define DRY_BODY_MASS_FIELDS(F, T)                                                                           \
    F(T, 1, float, inverse_mass, , 0.0f, "1/kg", DRY_HASHED, DRY_BY_CALLS, "0: nothing pushes the body")     \
    F(T, 2, dry_vec3, inverse_inertia, , DRY_VEC3_DEFAULT, "1/(kg m^2)", DRY_HASHED, DRY_BY_CALLS,           \
      "along the principal axes")

/* Forces and torques that calls applied since the last step. */
#define DRY_BODY_FORCE_FIELDS(F, T)                                                                          \
    F(T, 1, dry_vec3, force, , DRY_VEC3_DEFAULT, "N", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "at the center of mass, world axes; stage finalize clears it")                                         \
    F(T, 2, dry_vec3, torque, , DRY_VEC3_DEFAULT, "N m", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,         \
      "world axes; stage finalize clears it")

/* Motion properties: they change motion besides forces. */
#define DRY_BODY_PROPERTIES_FIELDS(F, T)                                                                     \
    F(T, 1, float, gravity_scale, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                      \
      "factor on the gravity that acts on the body")                                                         \
    F(T, 2, float, linear_damping, , 0.0f, "1/s", DRY_HASHED, DRY_BY_CALLS,                                  \
      "velocity falls as 1 / (1 + dt c) in a step")                                                          \
    F(T, 3, float, angular_damping, , 0.0f, "1/s", DRY_HASHED, DRY_BY_CALLS,                                 \
      "likewise for the angular velocity")                                                                   \
    F(T, 4, uint32_t, locks, , 0, "", DRY_HASHED, DRY_BY_CALLS, "DRY_LOCK_..., world axes")

/* The motion of a body of joints that are solved directly, beyond single precision. It holds where it rounds
 * to the columns of poses and velocities; a call that writes those need not know of it. */
#define DRY_BODY_PRECISE_FIELDS(F, T)                                                                        \
    F(T, 1, dry_rotation, orientation, , DRY_ROTATION_DEFAULT, "", DRY_HASHED, DRY_BY_FINALIZE,              \
      "of the principal frame in the world; 0: none")                                                        \
    F(T, 2, dry_double3, linear, , DRY_POSITION_DEFAULT, "m/s", DRY_HASHED, DRY_BY_FINALIZE,                 \
      "velocity of the center of mass, world axes")                                                          \
    F(T, 3, dry_double3, angular, , DRY_POSITION_DEFAULT, "rad/s", DRY_HASHED, DRY_BY_FINALIZE, "world axes")

/* The place to which the next step brings the user's frame of a kinematic body with TARGETED. */
#define DRY_BODY_TARGET_FIELDS(F, T)                                                                         \
    F(T, 1, dry_position, position, , DRY_POSITION_DEFAULT, "m", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS, \
      "of the user's frame")                                                                                 \
    F(T, 2, dry_quat, orientation, , DRY_QUAT_NONE, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,          \
      "likewise, of unit length; 0: no target")

/* The user's body frame. */
#define DRY_BODY_LOCAL_FIELDS(F, T)                                                                          \
    F(T, 1, dry_transform, origin, , DRY_TRANSFORM_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                   \
      "the user's body frame in the principal frame")

/* Data that is read when something begins, ends, or is asked for. */
#define DRY_BODY_STATE_FIELDS(F, T)                                                                          \
    F(T, 1, uint64_t, user_data, , 0, "", DRY_OF_CALLER("the caller's own"), DRY_BY_CALLS,                   \
      "returned to the caller as given")                                                                     \
    F(T, 2, uint64_t, colors, , 0, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "bit c: a constraint of color c holds this body (dynamic only)")                                       \
    F(T, 3, int32_t, slot, , -1, "", DRY_DERIVED("follows from the slots' rows"), DRY_BY_CALLS,              \
      "the body's slot")                                                                                     \
    F(T, 4, int32_t, type, , 0, "", DRY_HASHED, DRY_BY_CALLS, "dry_body_type")                               \
    F(T, 5, uint32_t, flags, , 0, "", DRY_HASHED,                                                            \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "DRY_BODY_...")                        \
    F(T, 6, int32_t, first_shape, , -1, "", DRY_HASHED, DRY_BY_CALLS,                                        \
      "list of shapes through dry_shape_link.next; -1: none")                                                \
    F(T, 7, int32_t, last_shape, , -1, "", DRY_DERIVED("follows from the list's links"), DRY_BY_CALLS,       \
      "where the list ends; -1: none")                                                                       \
    F(T, 8, int32_t, contacts, , -1, "", DRY_HASHED,                                                         \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "head of the list of contacts, as contact * 2 + side; -1: none")                                       \
    F(T, 9, int32_t, joints, , -1, "", DRY_HASHED, DRY_BY_CALLS,                                             \
      "head of the list of joints, as an end of one; -1: none")                                              \
    F(T, 10, float, mass, , 0.0f, "kg", DRY_HASHED, DRY_BY_CALLS,                                            \
      "the amount given, with MASS_SCALED, else the present mass")                                           \
    F(T, 11, float, radius, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS,                                           \
      "distance from the center of mass to the farthest point of the shapes")                                \
    F(T, 12, int32_t, listed_at, , 0, "", DRY_DERIVED("follows from the list"),                              \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS,                                        \
      "with SLEEP_LISTED: the body's place in the list of sleep changes")                                    \
    F(T, 13, int32_t, older, , -1, "", DRY_DERIVED("follows from `newer`"), DRY_BY_CALLS,                    \
      "slot of the body created just before, of those that live; -1: none")                                  \
    F(T, 14, int32_t, newer, , -1, "", DRY_HASHED, DRY_BY_CALLS,                                             \
      "slot of the body created just after; -1: none")

/* The sleep timer, the island, and the load and compliance of an awake body: what passes over islands
 * read. */
#define DRY_BODY_SLEEP_FIELDS(F, T)                                                                          \
    F(T, 1, float, timer, , 0.0f, "s", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "how long the body has been slow enough to sleep")                                                     \
    F(T, 2, int32_t, island, , -1, "", DRY_MADE_ANEW("islands are built from contacts and joints"),          \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "index into dry_islands; -1: none")                     \
    F(T, 3, float, load, , -1.0f, "m/s^2", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,                       \
      "largest load of a contact point over the point's mass, sustained; -1: not measured yet")              \
    F(T, 4, float, compliance, , -1.0f, "s^2", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,                   \
      "1 / w^2 of the contacts of the body's island; -1: in no island yet")                                  \
    F(T, 5, float, rest, , 0.0f, "s^2", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,           \
      "1 / w^2 of contacts whose springs have the lengths at which they bear what they do; below 0: the "    \
      "share of lengths that is left after that, negated; -2 and less: it rises, or has")                    \
    F(T, 6, int32_t, still, , 0, "", DRY_SAVED("spares work whose result would be the same"),                \
      DRY_BY_FINALIZE | DRY_BY_CALLS, "steps, up to 2, that left the pose, while it rests")
/* The motion that a body's motion is compared with before it sleeps. */
#define DRY_BODY_TIMED_FIELDS(F, T)                                                                          \
    F(T, 1, dry_vec3, linear, , DRY_VEC3_DEFAULT, "m/s", DRY_HASHED, DRY_BY_FINALIZE,                        \
      "velocity of the center of mass, world axes")                                                          \
    F(T, 2, dry_vec3, angular, , DRY_VEC3_DEFAULT, "rad/s", DRY_HASHED, DRY_BY_FINALIZE, "world axes")       \
    F(T, 3, float, since, , 0.0f, "s", DRY_HASHED, DRY_BY_FINALIZE, "the sleep timer then")
/* The load of a sleeper that holds awake bodies (step/holders.c), and where an awake body woke that such a
 * sleeper holds (step/wake.c). */
#define DRY_BODY_BORNE_FIELDS(F, T)                                                                          \
    F(T, 1, dry_vec3, force, , DRY_VEC3_DEFAULT, "N", DRY_HASHED,                                            \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "of its contacts when it began to hold, world axes")    \
    F(T, 2, dry_vec3, torque, , DRY_VEC3_DEFAULT, "N m", DRY_HASHED,                                         \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "likewise, about the center of mass")                   \
    F(T, 3, dry_vec3, more_force, , DRY_VEC3_DEFAULT, "N", DRY_HASHED,                                       \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "mean of what the contacts do more since then")         \
    F(T, 4, dry_vec3, more_torque, , DRY_VEC3_DEFAULT, "N m", DRY_HASHED,                                    \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "likewise")                                             \
    F(T, 5, int32_t, holds, , 0, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,              \
      "1: a sleeper that has held since it fell asleep")                                                     \
    F(T, 6, int32_t, place, , 0, "", DRY_MADE_ANEW("0 but while stage graph looks at loads"),                \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "in the list of sleepers that hold, from 1 on")         \
    F(T, 7, dry_position, from, , DRY_POSITION_DEFAULT, "m", DRY_HASHED,                                     \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "where the body was when sleepers began to hold it, until it has moved")                               \
    F(T, 8, dry_quat, turned_from, , DRY_QUAT_NONE, "", DRY_HASHED,                                          \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "likewise, how it was turned; 0: no place is noted")

DRY_STRUCT_OF(dry_body_pose, DRY_BODY_POSE_FIELDS);
DRY_STRUCT_OF(dry_body_velocity, DRY_BODY_VELOCITY_FIELDS);
DRY_STRUCT_OF(dry_body_mass, DRY_BODY_MASS_FIELDS);
DRY_STRUCT_OF(dry_body_force, DRY_BODY_FORCE_FIELDS);
DRY_STRUCT_OF(dry_body_properties, DRY_BODY_PROPERTIES_FIELDS);
DRY_STRUCT_OF(dry_body_precise, DRY_BODY_PRECISE_FIELDS);
DRY_STRUCT_OF(dry_body_correction, DRY_BODY_CORRECTION_FIELDS);
DRY_STRUCT_OF(dry_body_target, DRY_BODY_TARGET_FIELDS);
DRY_STRUCT_OF(dry_body_local, DRY_BODY_LOCAL_FIELDS);
DRY_STRUCT_OF(dry_body_state, DRY_BODY_STATE_FIELDS);
DRY_STRUCT_OF(dry_body_sleep, DRY_BODY_SLEEP_FIELDS);
DRY_STRUCT_OF(dry_body_timed, DRY_BODY_TIMED_FIELDS);
DRY_STRUCT_OF(dry_body_borne, DRY_BODY_BORNE_FIELDS);
_Static_assert(sizeof(dry_body_pose) == 40, "three doubles and four floats");
_Static_assert(sizeof(dry_body_mass) == 16, "one load of 16 bytes");
_Static_assert(sizeof(dry_body_state) == 64, "one cache line a body");

/* dry_body_state.flags */
enum {
    DRY_BODY_ENABLED = 1,
    DRY_BODY_CAN_SLEEP = 2,
    DRY_BODY_MASS_GIVEN = 4,  /* dry_body_set_mass gave it: shapes no longer decide it */
    DRY_BODY_MASS_SCALED = 8, /* dry_body_def.mass: shapes decide the form, `mass` the amount */
    DRY_BODY_FORCED = 16,     /* the column `force` has something */
    DRY_BODY_QUARANTINED = 32,
    DRY_BODY_SLEEP_LISTED = 64, /* fell asleep or woke since the last step's events */
    DRY_BODY_TOLD_ASLEEP = 128, /* what those events last said */
    DRY_BODY_DESTROYED = 256,   /* marked by the call that destroys it with others */
    DRY_BODY_OWN_FRAME = 512,   /* the user's frame is another than the principal one */
    DRY_BODY_MASS_KEPT = 1024,  /* the column `kept_mass` has what `mass` was while the body was dynamic */
    DRY_BODY_UNMOVED = 2048,    /* it woke among sleepers, and has hardly moved since: step/wake.c */
    DRY_BODY_TARGETED = 4096,   /* the column `target` says where the next step brings it */
    DRY_BODY_ARRIVED = 8192,    /* the last step did so: the body stays awake for another */
    DRY_BODY_KNOWN = 16383      /* all of these */
};

/* The colors of constraints: no two constraints of one color hold the same dynamic body. */
enum {
    DRY_COLOR_NONE = -1,     /* inactive, or without points */
    DRY_COLOR_OVERFLOW = 64, /* no color was free: solved one after the other */
    DRY_COLOR_COUNT = 65
};

/* X(ID, type, name, FIELDS, number): the columns of bodies. ID names the column in code (DRY_COLUMN_ID),
 * `number` in the state hash, for good. */
#define DRY_BODY_COLUMNS(X)                                                                                  \
    X(BODY_POSE, dry_body_pose, pose, DRY_BODY_POSE_FIELDS, 1)                                               \
    X(BODY_VELOCITY, dry_body_velocity, velocity, DRY_BODY_VELOCITY_FIELDS, 2)                               \
    X(BODY_MASS, dry_body_mass, mass, DRY_BODY_MASS_FIELDS, 3)                                               \
    X(BODY_PROPERTIES, dry_body_properties, properties, DRY_BODY_PROPERTIES_FIELDS, 4)                       \
    X(BODY_STATE, dry_body_state, state, DRY_BODY_STATE_FIELDS, 5)                                           \
    X(BODY_SLEEP, dry_body_sleep, sleep, DRY_BODY_SLEEP_FIELDS, 6)

/* Columns that few bodies need: absent, a null pointer, until the first body of the world does, and from then
 * on like the others. The call that brings the need makes the column before it changes anything
 * (dry_bodies_need_NAME); steps make `precise`, `correction`, `rest_pose` and `borne`. While the column is
 * absent all rows have the default, and dry_bodies_force and dry_bodies_origin read either way. */
#define DRY_BODY_RARE_COLUMNS(X)                                                                             \
    X(BODY_FORCE, dry_body_force, force, DRY_BODY_FORCE_FIELDS, 7)                                           \
    X(BODY_LOCAL, dry_body_local, local, DRY_BODY_LOCAL_FIELDS, 8)                                           \
    X(BODY_KEPT_MASS, dry_body_mass, kept_mass, DRY_BODY_MASS_FIELDS, 9)                                     \
    X(BODY_PRECISE, dry_body_precise, precise, DRY_BODY_PRECISE_FIELDS, 13)                                  \
    X(BODY_CORRECTION, dry_body_correction, correction, DRY_BODY_CORRECTION_FIELDS, 14)                      \
    X(BODY_REST_POSE, dry_body_pose, rest_pose, DRY_BODY_POSE_FIELDS, 70)                                    \
    X(BODY_BORNE, dry_body_borne, borne, DRY_BODY_BORNE_FIELDS, 77)                                          \
    X(BODY_TARGET, dry_body_target, target, DRY_BODY_TARGET_FIELDS, 83)                                      \
    X(BODY_TIMED, dry_body_timed, timed, DRY_BODY_TIMED_FIELDS, 84)

/* Numbers that the table of bodies keeps once. */
#define DRY_BODIES_FIELDS(F, T)                                                                              \
    F(T, 1, int, count, , 0, "", DRY_DERIVED("follows from the slots"), DRY_BY_CALLS, "rows in use")         \
    F(T, 2, int, awake_count, , 0, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "rows [0, awake_count): enabled, awake, dynamic or kinematic")                                         \
    F(T, 3, int, oldest, , 0, "", DRY_DERIVED("follows from the links of the list"), DRY_BY_CALLS,           \
      "slot where the list in creation order begins, if there are bodies")                                   \
    F(T, 4, int, newest, , 0, "", DRY_DERIVED("follows from the links of the list"), DRY_BY_CALLS,           \
      "slot where the list in creation order ends, if there are bodies")                                     \
    F(T, 5, int, dynamic_count, , 0, "", DRY_DERIVED("follows from the types"), DRY_BY_CALLS,                \
      "rows of dynamic bodies")                                                                              \
    F(T, 6, int, awake_dynamic_count, , 0, "", DRY_DERIVED("follows from the types"),                        \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "those below awake_count")                              \
    F(T, 7, int, quarantined_count, , 0, "", DRY_DERIVED("follows from the flags"),                          \
      DRY_BY_FINALIZE | DRY_BY_CALLS, "rows of bodies with QUARANTINED")

typedef struct dry_bodies {
    dry_slots slots;
    DRY_BODIES_FIELDS(DRY_FIELD_MEMBER, dry_bodies)
    int capacity;
    dry_row_marks *marks; /* of rows that change though they are not awake; null: none are asked for */
#define X(ID, type, name, ...) type *name;
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
} dry_bodies;

/* The values of all rows while a rare column is absent: dry_body_default_force and so on. */
#define X(ID, type, name, FIELDS, number)                                                                    \
    static const type dry_body_default_##name = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_BODY_RARE_COLUMNS(X)
#undef X

/* Makes room for `more` bodies. Returns false, and changes no column, if memory fails. */
bool dry_bodies_reserve(dry_bodies *bodies, dry_memory *memory, int more);
/* dry_bodies_need_force and so on: make a rare column for all rows if it is absent. Return false, and change
 * nothing, if memory fails. */
#define X(ID, type, name, ...) DRY_SHARED bool dry_bodies_need_##name(dry_bodies *bodies, dry_memory *memory);
DRY_BODY_RARE_COLUMNS(X)
#undef X

/* Adds a body at the end of the rows, not awake, with the defaults of all columns. Returns its slot. Room
 * must be reserved. */
int dry_bodies_add(dry_bodies *bodies);
/* Removes a body; it must not be awake. */
void dry_bodies_remove(dry_bodies *bodies, int slot);
/* Removes a body but keeps its slot, which the caller releases. Until then the columns can be read behind the
 * last row. */
void dry_bodies_take_out(dry_bodies *bodies, int slot);
/* Takes many bodies out, awake or not; `leaving` is the set of their slots. Their columns are lost. The rows
 * of all other bodies become those that they have if each body in turn is put to sleep and taken out. */
void dry_bodies_take_out_many(dry_bodies *bodies, const dry_body_id *ids, int count, const uint32_t *leaving);
/* Exchanges two rows. */
void dry_bodies_swap(dry_bodies *bodies, int row_a, int row_b);
/* Wakes a body or lets it sleep: moves it into or out of the awake rows, and forgets what it bore. */
void dry_bodies_set_awake(dry_bodies *bodies, int slot, bool awake);
/* Moves it there, and forgets nothing. */
void dry_bodies_move_awake(dry_bodies *bodies, int slot, bool awake);
/* Sets the type of a body that is not awake. */
void dry_bodies_set_type(dry_bodies *bodies, int slot, int32_t type);
/* Sets the flag QUARANTINED to this value. */
void dry_bodies_set_quarantined(dry_bodies *bodies, int slot, bool quarantined);

/* Writes a velocity that a caller gives: none along a dynamic body's locked axes, and what an impulse takes
 * beyond all bounds is cut to 1e6 m/s and rad/s an axis, which is finite and still goes to quarantine. */
void dry_bodies_give_velocity(dry_bodies *bodies, int row, dry_vec3 linear, dry_vec3 angular);
/* Drops a body's target, if it has one, and the velocity that leads there. Clears TARGETED and ARRIVED. */
void dry_bodies_drop_target(dry_bodies *bodies, int row);

static inline int dry_bodies_row(const dry_bodies *bodies, int slot)
{
    DRY_ASSERT(slot >= 0 && slot < bodies->slots.used);
    return bodies->slots.slots[slot].row;
}

/* Marks a body whose row changes. */
static inline void dry_bodies_mark(const dry_bodies *bodies, int slot)
{
    dry_mark(bodies->marks, DRY_MARKED_BODY, dry_bodies_row(bodies, slot));
}

/* dry_body_pose_of, dry_body_velocity_of, ...: return a body's element of a column by its slot. A rare column
 * must be there. The pointer holds until rows move. */
#define X(ID, type, name, ...)                                                                               \
    static inline type *dry_body_##name##_of(const dry_bodies *bodies, int slot)                             \
    {                                                                                                        \
        return &bodies->name[dry_bodies_row(bodies, slot)];                                                  \
    }
DRY_BODY_COLUMNS(X)
DRY_BODY_RARE_COLUMNS(X)
#undef X

/* Tells whether a body remembers that its island rests. */
static inline bool dry_bodies_rests(const dry_bodies *bodies, int row)
{
    return dry_phase_of_rest(bodies->sleep[row].rest) == DRY_ISLAND_RESTS;
}

/* Tells whether a body is where it was when the last step began, or the one before; asked for 0 steps, a
 * sleeper may have moved before it fell asleep. Calls that move it end its rest, or make the anchors of its
 * contacts void. */
static inline bool dry_bodies_is_still(const dry_bodies *bodies, int slot, int steps)
{
    const int row = dry_bodies_row(bodies, slot), still = bodies->sleep[row].still;
    return row < bodies->awake_count ? still > 0 && still >= steps && dry_bodies_rests(bodies, row)
                                     : still >= steps || bodies->state[row].type == DRY_BODY_STATIC;
}

static inline bool dry_bodies_is_awake(const dry_bodies *bodies, int slot)
{
    return bodies->slots.slots[slot].row < bodies->awake_count;
}

/* Returns the velocity with which a row moves in the step under way. Sleeping bodies have none, and bodies
 * that are held (world/hold.h) keep theirs for another step. */
static inline dry_body_velocity dry_bodies_motion(const dry_bodies *bodies, int row)
{
    return row < bodies->awake_count ? bodies->velocity[row] : (dry_body_velocity){0};
}

static inline const dry_body_force *dry_bodies_force(const dry_bodies *bodies, int row)
{
    return bodies->force ? &bodies->force[row] : &dry_body_default_force;
}

static inline const dry_transform *dry_bodies_origin(const dry_bodies *bodies, int row)
{
    return bodies->local ? &bodies->local[row].origin : &dry_body_default_local.origin;
}

/* How a body is placed and moves, in double. */
typedef struct dry_precise_motion {
    dry_position center;        /* of mass, m */
    dry_rotation orientation;   /* of the principal frame */
    dry_double3 velocity, spin; /* of the center, m/s; rad/s; world axes */
} dry_precise_motion;

/* Returns the motion of a row: the precise one where it holds. */
DRY_SHARED dry_precise_motion dry_bodies_precise_motion(const dry_bodies *bodies, int row);

/* A frame that is at `origin` in the principal frame. */
static inline dry_pose dry_pose_of_origin(const dry_body_pose *pose, const dry_transform *origin)
{
    return (dry_pose){position_add(pose->position, quat_rotate(pose->orientation, origin->position)),
                      quat_normalize(quat_mul(pose->orientation, origin->orientation))};
}

/* The user's frame of a row. */
static inline dry_pose dry_bodies_user_pose(const dry_bodies *bodies, int row)
{
    const dry_body_pose *pose = &bodies->pose[row];
    if (!(bodies->state[row].flags & DRY_BODY_OWN_FRAME))
        return (dry_pose){pose->position, pose->orientation};
    return dry_pose_of_origin(pose, dry_bodies_origin(bodies, row));
}

/* The opposite of dry_bodies_user_pose. */
DRY_COLD dry_body_pose dry_bodies_inner_pose(const dry_bodies *bodies, int row, const dry_pose *pose);

#endif
