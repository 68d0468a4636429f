/* Joints. A joint's index is its slot. */
#ifndef STATE_JOINTS_H
#define STATE_JOINTS_H

#include "state/bodies.h"

#include <drystone/joint.h>

/* clang-format off */
#define DRY_JOINT_AXIS_DEFAULT {.motor_damping_ratio = 1.0f, .force_max = INFINITY}
#define DRY_JOINT_AXES_DEFAULT                                                                               \
    {DRY_JOINT_AXIS_DEFAULT, DRY_JOINT_AXIS_DEFAULT, DRY_JOINT_AXIS_DEFAULT,                                 \
     DRY_JOINT_AXIS_DEFAULT, DRY_JOINT_AXIS_DEFAULT, DRY_JOINT_AXIS_DEFAULT}
/* clang-format on */

/* The definition, as the user gave it; anchors in the users' frames. A column of its own: most stages need
 * little of it. */
#define DRY_JOINT_DEF_FIELDS(F, T)                                                                           \
    F(T, 1, dry_joint_type, type, , DRY_JOINT_BALL, "", DRY_HASHED, DRY_BY_CALLS, "dry_joint_type")          \
    F(T, 2, dry_body_id, body_a, , {0}, "", DRY_DERIVED("dry_joint.body_a has its slot"), DRY_BY_CALLS,      \
      "id; null: the world")                                                                                 \
    F(T, 3, dry_body_id, body_b, , {0}, "", DRY_DERIVED("dry_joint.body_b has its slot"), DRY_BY_CALLS,      \
      "id")                                                                                                  \
    F(T, 4, dry_vec3, anchor_a, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the frame that the user gave body a")                                                              \
    F(T, 5, dry_vec3, anchor_b, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the frame that the user gave body b")                                                              \
    F(T, 11, dry_quat, orientation_a, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                      \
      "of the joint's frame, in the frame that the user gave body a")                                        \
    F(T, 12, dry_quat, orientation_b, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                      \
      "of the joint's frame, in the frame that the user gave body b")                                        \
    F(T, 13, dry_position, target, , DRY_POSITION_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                    \
      "origin of the world's frame, where body a is the world")                                              \
    F(T, 6, float, length, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS,                                            \
      "distance joint: how far the anchors are held apart")                                                  \
    F(T, 14, float, length_min, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS, "distance joint: of a strut")         \
    F(T, 15, float, length_max, , INFINITY, "m", DRY_HASHED, DRY_BY_CALLS, "distance joint: of a rope")      \
    F(T, 24, float, volume, , 0.0f, "m^3", DRY_HASHED, DRY_BY_CALLS, "volume joint: of its tetrahedron")     \
    F(T, 7, float, stiffness, , 0.0f, "N/m", DRY_HASHED, DRY_BY_CALLS, "0: rigid")                           \
    F(T, 8, float, damping, , 0.0f, "N s/m", DRY_HASHED, DRY_BY_CALLS, "of the spring")                      \
    F(T, 26, float, angular_stiffness, , 0.0f, "N m/rad", DRY_HASHED, DRY_BY_CALLS, "fixed joint; 0: rigid") \
    F(T, 27, float, angular_damping, , 0.0f, "N m s/rad", DRY_HASHED, DRY_BY_CALLS, "of that spring")        \
    F(T, 25, float, friction, , 0.0f, "N m", DRY_HASHED, DRY_BY_CALLS, "ball joint: largest moment")         \
    F(T, 29, float, teeth_a, , 1.0f, "", DRY_HASHED, DRY_BY_CALLS, "of a gear's wheel a")                    \
    F(T, 30, float, teeth_b, , 1.0f, "", DRY_HASHED, DRY_BY_CALLS, "of wheel b; negative: a ring")           \
    F(T, 31, float, radius, , 1.0f, "m", DRY_HASHED, DRY_BY_CALLS, "of a rack's pinion")                     \
    F(T, 16, float, force_max, , INFINITY, "N", DRY_HASHED, DRY_BY_CALLS, "of a target joint")               \
    F(T, 17, float, swing_max, , INFINITY, "rad", DRY_HASHED, DRY_BY_CALLS, "of a cone-twist joint")         \
    F(T, 28, float, hertz, , 0.0f, "Hz", DRY_HASHED, DRY_BY_CALLS, "that it asks for; 0: none")              \
    F(T, 18, float, break_force, , 0.0f, "N", DRY_HASHED, DRY_BY_CALLS, "0: the joint never breaks by it")   \
    F(T, 19, float, break_torque, , 0.0f, "N m", DRY_HASHED, DRY_BY_CALLS, "likewise")                       \
    F(T, 20, float, event_force, , 0.0f, "N", DRY_HASHED, DRY_BY_CALLS, "0: no event")                       \
    F(T, 21, float, event_torque, , 0.0f, "N m", DRY_HASHED, DRY_BY_CALLS, "likewise")                       \
    F(T, 9, bool, collide, , false, "", DRY_HASHED, DRY_BY_CALLS, "the two bodies also touch each other")    \
    F(T, 23, dry_joint_solver, solver, , DRY_JOINT_SOLVER_WORLD, "", DRY_HASHED, DRY_BY_CALLS,               \
      "how its locked rows are solved")                                                                      \
    F(T, 10, uint64_t, user_data, , 0, "", DRY_OF_CALLER("the caller's own"), DRY_BY_CALLS,                  \
      "returned to the caller as given")                                                                     \
    F(T, 22, dry_joint_axis, axes, [DRY_AXIS_COUNT], DRY_JOINT_AXES_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,   \
      "stops, motors, springs and friction along the six axes")

DRY_LIST_MATCHES(dry_joint_def, DRY_JOINT_DEF_FIELDS, 3);

/* Features of a joint, which follow from its definition: loops over joints read these alone. */
enum {
    DRY_JOINT_DRIVES = 1,        /* it has a spring or a motor */
    DRY_JOINT_MAY_BE_DIRECT = 2, /* its locked rows and springs may be solved directly: it has some */
    DRY_JOINT_MOTORED = 4,       /* it has a motor */
    DRY_JOINT_TO_SPEED = 8,      /* it has a motor to a speed alone */
    DRY_JOINT_WORKS = 16,   /* it does work that neither its springs' energy nor its motors' speed tells */
    DRY_JOINT_SOLVERS = 32, /* times the solver that it asks for */
    DRY_JOINT_KINDS = 128,  /* times 2^k: it has a lane in the bundles of kind k, if sweeps solve it */
};

enum {
    DRY_JOINT_ENABLED = 1,  /* the joint acts where its bodies do */
    DRY_JOINT_RESTLESS = 2, /* a motor has not reached its target: the island stays awake */
    DRY_JOINT_WATCHED = 4,  /* the definition has bounds of force or torque */
    DRY_JOINT_CONFLICT = 8, /* an event has named it: its articulation does not close */
    DRY_JOINT_LOADED =
        16, /* with solver AUTO: its group's load has raised a tier; until it is defined anew */
    DRY_JOINT_DIRECT = 32,  /* with solver AUTO: it is solved directly */
    DRY_JOINT_OF_FOUR = 64, /* it has bodies c and d */
    DRY_JOINT_SERVO = 128,  /* some motor of it goes to a position: plan/motor_masses.c */
};

#define DRY_JOINT_FIELDS(F, T)                                                                               \
    F(T, 2, dry_vec3, anchor_a, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body a")                                                                    \
    F(T, 3, dry_vec3, anchor_b, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body b")                                                                    \
    F(T, 4, int32_t, body_a, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot; -1: the world")                      \
    F(T, 5, int32_t, body_b, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot")                                     \
    F(T, 6, int32_t, next, [2], DRY_ENDS_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                              \
      "in the lists of side a's and side b's body, as an end (dry_joint_end); -1: none")                     \
    F(T, 7, int32_t, prev, [2], DRY_ENDS_DEFAULT, "", DRY_DERIVED("follows from `next`"), DRY_BY_CALLS,      \
      "likewise")                                                                                            \
    F(T, 8, int32_t, active, , -1, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "place in the list of active joints; -1: no awake body")                                               \
    F(T, 9, int32_t, color, , DRY_COLOR_NONE, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, \
      "DRY_COLOR_...")                                                                                       \
    F(T, 10, dry_vec3, impulse, , DRY_VEC3_DEFAULT, "N s", DRY_HASHED,                                       \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "on b, world axes, over one substep of length `substep`")                                              \
    F(T, 11, float, substep, , 0.0f, "s", DRY_HASHED, DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,         \
      "the substep that the impulse is for; 0: none yet")                                                    \
    F(T, 12, dry_quat, frame_a, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                            \
      "the joint's frame in the principal frame of body a")                                                  \
    F(T, 13, dry_quat, frame_b, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                            \
      "the joint's frame in the principal frame of body b")                                                  \
    F(T, 14, int32_t, flags, , DRY_JOINT_ENABLED, "", DRY_HASHED,                                            \
      DRY_BY_GRAPH | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS, "DRY_JOINT_...")                         \
    F(T, 15, uint32_t, features, , 0, "", DRY_DERIVED("follows from the definition"), DRY_BY_CALLS,          \
      "DRY_JOINT_DRIVES, ...")

DRY_STRUCT_OF(dry_joint, DRY_JOINT_FIELDS);

/* A column of its own: the next step's tiers read it of every active joint. */
#define DRY_JOINT_LOAD_FIELDS(F, T)                                                                          \
    F(T, 1, float, value, , -1.0f, "m/s^2", DRY_HASHED,                                                      \
      DRY_BY_GRAPH | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                          \
      "force over the mass that the joint moves, sustained; 0: a spring; -1: not known yet")                 \
    F(T, 2, float, account, , 0.0f, "J", DRY_HASHED,                                                         \
      DRY_BY_REPAIR | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                         \
      "its part of the energy that its island has lost and may get back (laws/ledger.c)")

DRY_STRUCT_OF(dry_joint_load, DRY_JOINT_LOAD_FIELDS);

/* A column of its own: a step begins with it where a joint has more rows than a point. */
#define DRY_JOINT_ROWS_FIELDS(F, T)                                                                          \
    F(T, 1, float, impulse, [6], DRY_ARRAY_DEFAULT, "N s, N m s", DRY_HASHED,                                \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "of the rows of a block, over one substep of length `substep`")                                        \
    F(T, 2, dry_vec3, angular_impulse, , DRY_VEC3_DEFAULT, "N m s", DRY_HASHED,                              \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS, "on b, about its anchor, world axes, likewise")         \
    F(T, 3, dry_vec3, force, , DRY_VEC3_DEFAULT, "N", DRY_OF_CALLER("told to callers alone"),                \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS, "on b, world axes, on average over the last step")      \
    F(T, 4, dry_vec3, torque, , DRY_VEC3_DEFAULT, "N m", DRY_OF_CALLER("told to callers alone"),             \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS, "on b, about its anchor, likewise")                     \
    F(T, 5, float, peak, , 0.0f, "N", DRY_OF_CALLER("told to callers alone"),                                \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS, "the largest force of a substep")

DRY_STRUCT_OF(dry_joint_rows_state, DRY_JOINT_ROWS_FIELDS);

/* A column of its own: only joints that are solved directly need it. */
#define DRY_JOINT_DIRECT_FIELDS(F, T)                                                                        \
    F(T, 1, float, vibration, , 0.0f, "rad^2/s^2", DRY_HASHED,                                               \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "square of the fastest frequency that joints' forces gave to its articulation in the step before, or " \
      "of the rate of substeps that its open joints, or that step's substeps, ask for")

DRY_STRUCT_OF(dry_joint_direct, DRY_JOINT_DIRECT_FIELDS);

/* The coordinates along which something may act: the six axes, and one more of some types. */
enum { DRY_COORDINATE_MORE = DRY_AXIS_COUNT, DRY_COORDINATE_COUNT };

/* The parts of what acts along a coordinate, each with an impulse of its own. */
enum { DRY_PART_SPRING, DRY_PART_MOTOR, DRY_PART_FRICTION, DRY_PART_LOWER, DRY_PART_UPPER, DRY_PART_COUNT };

/* A column of its own: only joints with something along their axes read it. */
#define DRY_JOINT_AXES_FIELDS(F, T)                                                                          \
    F(T, 1, float, impulse, [DRY_COORDINATE_COUNT * DRY_PART_COUNT], DRY_ARRAY_DEFAULT, "N s, N m s",        \
      DRY_HASHED, DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                             \
      "of the parts of each coordinate, over one substep of length `substep`")                               \
    F(T, 2, float, angle, [3], DRY_ARRAY_DEFAULT, "rad", DRY_HASHED,                                         \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "RX, RY, RZ after the last step: counts whole rotations")

DRY_STRUCT_OF(dry_joint_axes_state, DRY_JOINT_AXES_FIELDS);

/* X(ID, type, name, FIELDS, number), as DRY_BODY_COLUMNS; rows are slots. */
#define DRY_JOINT_COLUMNS(X)                                                                                 \
    X(JOINT, dry_joint, joint, DRY_JOINT_FIELDS, 50)                                                         \
    X(JOINT_DEF, dry_joint_def, def, DRY_JOINT_DEF_FIELDS, 51)                                               \
    X(JOINT_LOAD, dry_joint_load, load, DRY_JOINT_LOAD_FIELDS, 55)                                           \
    X(JOINT_ROWS, dry_joint_rows_state, rows, DRY_JOINT_ROWS_FIELDS, 56)                                     \
    X(JOINT_AXES, dry_joint_axes_state, axes, DRY_JOINT_AXES_FIELDS, 57)                                     \
    X(JOINT_DIRECT, dry_joint_direct, direct, DRY_JOINT_DIRECT_FIELDS, 58)

/* The penalties of a solver that keeps them: how stiff its rows have grown. */
#define DRY_JOINT_PENALTY_FIELDS(F, T)                                                                       \
    F(T, 1, float, linear, , 0.0f, "N/m", DRY_HASHED,                                                        \
      DRY_BY_SOLVE | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                          \
      "of the rows that part the bodies; 0: none yet")                                                       \
    F(T, 2, float, angular, , 0.0f, "N m/rad", DRY_HASHED,                                                   \
      DRY_BY_SOLVE | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                          \
      "of the rows that only turn them; 0: none yet")

DRY_STRUCT_OF(dry_joint_penalty, DRY_JOINT_PENALTY_FIELDS);

/* The two further bodies of a joint of four. */
#define DRY_JOINT_CORNERS_FIELDS(F, T)                                                                       \
    F(T, 1, int32_t, body, [2], DRY_ENDS_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                              \
      "slots of c and d; -1: none")                                                                          \
    F(T, 2, dry_vec3, anchor_c, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body c")                                                                    \
    F(T, 3, dry_vec3, anchor_d, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body d")                                                                    \
    F(T, 4, dry_vec3, given_c, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                            \
      "in the frame that the user gave body c")                                                              \
    F(T, 5, dry_vec3, given_d, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                            \
      "in the frame that the user gave body d")                                                              \
    F(T, 6, int32_t, next, [2], DRY_ENDS_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                              \
      "in the lists of the bodies, as dry_joint.next")                                                       \
    F(T, 7, int32_t, prev, [2], DRY_ENDS_DEFAULT, "", DRY_DERIVED("follows from `next`"), DRY_BY_CALLS,      \
      "likewise")

DRY_STRUCT_OF(dry_joint_corners, DRY_JOINT_CORNERS_FIELDS);

/* Columns that only some settings or joints need, absent as those of contacts are. */
#define DRY_JOINT_RARE_COLUMNS(X)                                                                            \
    X(JOINT_PENALTY, dry_joint_penalty, penalty, DRY_JOINT_PENALTY_FIELDS, 59)                               \
    X(JOINT_CORNERS, dry_joint_corners, corners, DRY_JOINT_CORNERS_FIELDS, 66)

#define DRY_JOINT_ACTIVE_FIELDS(F, T)                                                                        \
    F(dry_index_element, 1, int32_t, value, , 0, "", DRY_DERIVED("follows from dry_joint.active"),           \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "a joint with an awake body")

typedef struct dry_joints {
    dry_slots slots;
    DRY_JOINT_COLUMNS(DRY_COLUMN_MEMBERS)
    DRY_JOINT_RARE_COLUMNS(DRY_COLUMN_MEMBERS)
    int32_t *active;
    int active_capacity, active_count;
    dry_row_marks *marks; /* of joints that change though they are not active; or null */
    int servo_count;      /* joints with DRY_JOINT_SERVO; follows from their flags */
} dry_joints;

/* The values of all joints while a rare column is absent. */
#define X(ID, type, name, FIELDS, number)                                                                    \
    static const type dry_joint_default_##name = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_JOINT_RARE_COLUMNS(X)
#undef X

/* dry_joints_need_penalty: makes a rare column for all joints if it is absent. False, and nothing changed, if
 * memory fails. */
#define X(ID, type, name, ...) DRY_SHARED bool dry_joints_need_##name(dry_joints *joints, dry_memory *memory);
DRY_JOINT_RARE_COLUMNS(X)
#undef X

/* The bodies of a joint are its sides: a, b, and c, d of a joint of four. An end is a side of a joint, as a
 * body's list of joints names it. */
enum { DRY_JOINT_SIDES = 4, DRY_JOINT_END_FAR = 1 << 30 /* of side c or d */ };

static inline int dry_joint_end(int joint, int side)
{
    return joint * 2 + (side & 1) + (side & 2 ? DRY_JOINT_END_FAR : 0);
}

static inline int dry_joint_of_end(int end)
{
    return (end & (DRY_JOINT_END_FAR - 1)) >> 1;
}

static inline int dry_side_of_end(int end)
{
    return (end & 1) + (end & DRY_JOINT_END_FAR ? 2 : 0);
}

/* Returns the next end in the list of an end's body, and the one before it. */
static inline int32_t *dry_joint_next(const dry_joints *joints, int end)
{
    const int joint = dry_joint_of_end(end);
    return end & DRY_JOINT_END_FAR ? &joints->corners[joint].next[end & 1]
                                   : &joints->joint[joint].next[end & 1];
}

static inline int32_t *dry_joint_prev(const dry_joints *joints, int end)
{
    const int joint = dry_joint_of_end(end);
    return end & DRY_JOINT_END_FAR ? &joints->corners[joint].prev[end & 1]
                                   : &joints->joint[joint].prev[end & 1];
}

/* Returns the number of a joint's sides. */
static inline int dry_joint_sides(const dry_joint *joint)
{
    return joint->flags & DRY_JOINT_OF_FOUR ? DRY_JOINT_SIDES : 2;
}

/* Returns the slot of the body on a side; -1: the world. */
static inline int dry_joint_body(const dry_joints *joints, int joint, int side)
{
    const dry_joint *j = &joints->joint[joint];
    return side == 0 ? j->body_a : side == 1 ? j->body_b : joints->corners[joint].body[side - 2];
}

/* Returns the anchor on a side, in the principal frame of its body. */
static inline dry_vec3 dry_joint_anchor(const dry_joints *joints, int joint, int side)
{
    const dry_joint *j = &joints->joint[joint];
    if (side < 2)
        return side ? j->anchor_b : j->anchor_a;
    return side == 2 ? joints->corners[joint].anchor_c : joints->corners[joint].anchor_d;
}

/* Fills the slots of a joint's bodies; -1: the world. Returns how many there are. */
static inline int dry_joint_find_bodies(const dry_joints *joints, int joint, int body[DRY_JOINT_SIDES])
{
    const int sides = dry_joint_sides(&joints->joint[joint]);
    for (int side = 0; side < sides; side++)
        body[side] = dry_joint_body(joints, joint, side);
    return sides;
}

bool dry_joints_reserve(dry_joints *joints, dry_memory *memory, int more);
/* Adds a joint of two or four bodies and links it to them; body a may be the world, -1. Room must be
 * reserved; four bodies need the column of corners. */
int dry_joints_add(dry_joints *joints, dry_bodies *bodies, int bodies_count, const int *body);
/* Unlinks and forgets; it must hold no color. */
void dry_joints_remove(dry_joints *joints, dry_bodies *bodies, int joint);
/* Forgets what a joint's rows gave, so that the next step begins without. */
void dry_joints_clear_impulses(dry_joints *joints, int joint);

/* Tells whether the stops of an axis give way. */
static inline bool dry_joint_stops_softly(const dry_joint_axis *axis)
{
    return axis->stop_hertz > 0.0f || axis->stop_stiffness > 0.0f;
}
/* Tells whether an axis has a motor to a position. */
static inline bool dry_joint_aims(const dry_joint_axis *axis)
{
    return axis->motor == DRY_MOTOR_POSITION || axis->motor == DRY_MOTOR_BOTH;
}
/* Returns the speed to which a motor brings its axis. */
static inline float dry_joint_motor_speed(const dry_joint_axis *axis)
{
    return axis->motor & DRY_MOTOR_VELOCITY ? axis->velocity : 0.0f;
}
/* Tells whether a joint is a spring: it opens as far as its load and its stiffness say. */
static inline bool dry_joint_is_spring(const dry_joint_def *def)
{
    return def->stiffness > 0.0f || def->type == DRY_JOINT_TARGET;
}
/* Tells whether a joint stores energy or drives its bodies. */
static inline bool dry_joint_drives(const dry_joint *joint)
{
    return (joint->features & DRY_JOINT_DRIVES) != 0;
}
/* Returns what drives the axes of joints of a definition: DRIVES, MOTORED, TO_SPEED, WORKS. */
uint32_t dry_joint_drives_of(const dry_joint_def *def);
/* Tells whether a joint keeps its two bodies from touching. */
static inline bool dry_joint_forbids_contacts(const dry_joints *joints, int joint)
{
    return (joints->joint[joint].flags & DRY_JOINT_ENABLED) && !joints->def[joint].collide;
}

/* Marks a joint that has, or no longer has, a motor to a position. */
void dry_joints_set_servo(dry_joints *joints, int joint, bool servo);

void dry_joints_set_active(dry_joints *joints, int joint, bool active);

#endif
