/* A joint type: what its definition must hold, and its rows. */
#ifndef SOLVER_CONSTRAINT_JOINTS_JOINT_TYPE_H
#define SOLVER_CONSTRAINT_JOINTS_JOINT_TYPE_H

#include "core/shared.h"
#include "solver/constraint/joints/form.h"
#include "solver/constraint/joints/frames.h"
#include "solver/data/constraint.h"

/* The value that the row of a quad keeps, where its four points are. */
typedef struct dry_quad_value {
    double value;                          /* in the unit of its type */
    double error;                          /* the value beyond the definition's */
    dry_double3 gradient[DRY_JOINT_SIDES]; /* of the value, at each point */
    double steepness;                      /* the length of all four gradients as one vector */
} dry_quad_value;

typedef struct dry_joint_description {
    dry_kind kind; /* POINT, LINE, QUAD; BLOCK for types with frames */
    /* Sets the fields whose defaults are not those of all types; null: none. */
    void (*set_defaults)(dry_joint_def *def);
    /* Returns what is wrong with the fields that are the type's own, beyond their ranges, in words; null if
     * nothing. Null: nothing can be. */
    const char *(*check)(const dry_joint_def *def);

    /* Types of quads. The value where the edges from point a to the other points are these. */
    dry_quad_value (*value)(const dry_joint_def *def, const dry_double3 edge[3]);
    /* Returns the value's second derivative over time, where the edges change at constant rates. */
    double (*curvature)(const dry_double3 edge[3], const dry_double3 rate[3]);
    /* Returns the length by which the four points, taken together, move to end an error, m. A gradient that
     * vanishes asks for no more than the size of what the row keeps. */
    double (*gap)(double error, double steepness);

    /* The number of rows that are always locked, or all springs in a type without frames, and those rows. */
    int locked;
    uint8_t locked_form[DRY_BLOCK_ROWS]; /* each a dry_row_form; none of quads */

    /* Types with frames. */
    uint32_t winds;                    /* bits of the axes that go on beyond pi */
    uint8_t axis_form[DRY_AXIS_COUNT]; /* of each axis, whose value is the row's coordinate */

    /* Fills the settings of DRY_COORDINATE_MORE; returns false if nothing acts along it. Null: the type has
     * no such coordinate. Its form. */
    bool (*more)(const dry_joint_def *def, dry_joint_axis *acts);
    uint8_t more_form;
} dry_joint_description;

extern const dry_joint_description *dry_joint_types[DRY_JOINT_TYPE_COUNT]; /* null: no library has it */

/* Adds a type of the second volume, before there are joints of it. */
DRY_SHARED void dry_joint_type_add(dry_joint_type type, const dry_joint_description *description);

/* Returns the form of the row of an axis, or of DRY_COORDINATE_MORE. */
static inline dry_row_form dry_joint_form_of(const dry_joint_description *type, int coordinate)
{
    return (dry_row_form)(coordinate == DRY_COORDINATE_MORE ? type->more_form : type->axis_form[coordinate]);
}

/* Tells whether an anchor is finite and within the allowed range. */
bool dry_joint_anchor_is_valid(dry_vec3 anchor);
/* Returns what is wrong with a definition, but for its bodies, in words; null if nothing. */
const char *dry_joint_def_error(const dry_joint_def *def);
/* Returns what is wrong with an axis of a joint of this type, in words; null if nothing. */
const char *dry_joint_axis_error(dry_joint_type type, int axis, const dry_joint_axis *settings);
/* Returns the settings of all types that a type's own defaults change. */
dry_joint_def dry_joint_common_defaults(dry_joint_type type);
/* Returns the features of a joint with a definition: DRY_JOINT_DRIVES and the like. */
uint32_t dry_joint_features(const dry_joint_def *def);

/* Tells whether a joint has a lane in the bundles of a kind. */
static inline bool dry_joint_has_kind(const dry_joint *joint, dry_kind kind)
{
    return (joint->features / DRY_JOINT_KINDS >> kind & 1) != 0;
}

/* Tells whether a ball joint has friction: it is solved as a block, with rows of friction beside it. */
static inline bool dry_joint_rubs(const dry_joint_def *def)
{
    return def->friction > 0.0f;
}

/* Returns the solver that a joint, by its features, or the world asks for. */
static inline dry_joint_solver dry_joint_solver_of(const dry_settings *settings, uint32_t features)
{
    const uint32_t own = features / DRY_JOINT_SOLVERS % (DRY_JOINT_KINDS / DRY_JOINT_SOLVERS);
    return own == DRY_JOINT_SOLVER_WORLD ? settings->joint_solver : (dry_joint_solver)own;
}
/* Tells whether a joint's locked rows and springs may be solved directly: it has some. */
static inline bool dry_joint_may_be_direct(const dry_joint *joint)
{
    return (joint->features & DRY_JOINT_MAY_BE_DIRECT) != 0;
}
/* Tells whether they are: they may, and it or the world asks for that, or leaves it to the library
 * (solver/plan/joint_groups.c). */
DRY_SHARED bool dry_joint_is_direct(const dry_settings *settings, const dry_joints *joints, int joint);
/* Tells whether a free axis has stops that do not give way. */
static inline bool dry_joint_has_hard_stop(const dry_joint_axis *axis)
{
    return !dry_joint_stops_softly(axis) && (axis->min > -INFINITY || axis->max < INFINITY);
}

/* Numbers of a joint's rows, which follow from its definition alone. */
typedef struct dry_joint_counts {
    int coordinates;      /* the most free coordinates that joints of its type have */
    int locked;           /* rows that are kept at 0 */
    int springs;          /* springs that may be solved directly */
    int stops;            /* free coordinates of a joint with frames that have hard stops */
    bool bounded;         /* a stop, a motor or friction acts along a free coordinate */
    bool unbounded_motor; /* a motor has no largest force */
} dry_joint_counts;

DRY_SHARED dry_joint_counts dry_joint_count(const dry_joint_def *def);
/* Tells whether a joint has a lane in the bundles of a kind: what is solved directly has none. */
DRY_SHARED bool dry_joint_has_lane(const dry_settings *settings, const dry_joints *joints, int joint,
                                   dry_kind kind);

/* A spring and damper that may be solved directly: nothing bounds their force. */
typedef struct dry_spring_def {
    double stiffness, damping; /* N/m, N s/m, or the like about an axis */
    double rest;               /* the coordinate without a force, m or rad */
    int coordinate;            /* an axis; -1: of a type without axes */
} dry_spring_def;

/* Returns the definition by which a joint is solved and stored, and from it the one that the user gave: a
 * fixed joint with a stiffness is a generic joint whose axes have springs (types/fixed.c). */
dry_joint_def dry_joint_def_to_solve(const dry_joint_def *given);
dry_joint_def dry_joint_def_as_given(const dry_joint_def *solved);

/* Fills the springs of a joint that may be solved directly. Returns how many there are. */
DRY_SHARED int dry_joint_find_springs(const dry_joint_def *def, dry_spring_def springs[DRY_BLOCK_ROWS]);
/* Fills the rows of a joint that may be solved directly, of this type: the locked ones, then those of
 * springs, whose errors are their coordinates. Returns how many there are. Ball joints do not read the
 * definition. */
DRY_SHARED int dry_joint_find_direct(dry_joint_type type, const dry_joint_def *def,
                                     const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS]);

/* The rows of a joint, and what acts along its free coordinates. Their numbers follow from the definition
 * alone. */
typedef struct dry_joint_parts {
    int locked_count, free_count;
    dry_joint_row locked[DRY_BLOCK_ROWS]; /* kept at 0 */
    dry_joint_row free[DRY_COORDINATE_COUNT];
    dry_joint_axis acts[DRY_COORDINATE_COUNT];
    int coordinate[DRY_COORDINATE_COUNT]; /* an axis, or DRY_COORDINATE_MORE */
} dry_joint_parts;

/* Fills the parts of a joint of a type with frames where these frames are. */
DRY_SHARED void dry_joint_find_parts(const dry_joint_def *def, const dry_joint_frames *frames,
                                     dry_joint_parts *parts);

/* The forms of a joint's rows, which follow from its definition alone. */
typedef struct dry_joint_coordinates {
    int locked_count, free_count;
    uint8_t locked_form[DRY_BLOCK_ROWS], free_form[DRY_COORDINATE_COUNT];
    float locked_at[DRY_BLOCK_ROWS]; /* the values at which they are kept */
    dry_joint_axis other;            /* what acts along coordinates that the definition has no axis for */
    int coordinate[DRY_COORDINATE_COUNT]; /* an axis, or DRY_COORDINATE_MORE */
} dry_joint_coordinates;

/* Fills the forms of a joint of two sides. */
void dry_joint_find_coordinates(const dry_joint_def *def, dry_joint_coordinates *of);

/* Returns what acts along free coordinate `i`. */
static inline const dry_joint_axis *dry_joint_acts(const dry_joint_def *def, const dry_joint_coordinates *of,
                                                   int i)
{
    const bool other = of->coordinate[i] == DRY_COORDINATE_MORE || dry_joint_rubs(def);
    return other ? &of->other : &def->axes[of->coordinate[i]];
}

/* Returns the value to which a coordinate fades for its spring and its stops where its angle has no direction
 * (swing_twist.h); INFINITY: it does not. In sweeps all that acts along an axis shares one row. `direct`: the
 * row that a direct joint has for the spring. */
double dry_joint_fades_to(const dry_joint_def *def, int coordinate, bool direct);

/* Returns the value from which a twist counts its rotations where the swing is pi, rad: the middle of its
 * stops, or the value to which it fades; INFINITY: of any other coordinate, which goes on counting. A
 * swing that passes near pi changes the twist by 2 pi, with next to no motion: a spring whose twist counted
 * that had 1.3 times the energy of its scene. */
double dry_joint_twist_origin(const dry_joint_def *def, int coordinate);

/* Returns a value of a coordinate with the rotations that its joint has counted so far: as a swing goes on
 * to pi, the nearer they are to dry_joint_twist_origin. */
double dry_joint_counted_value(const dry_joint_def *def, int coordinate, double value, double faded,
                               const dry_joint_axes_state *counted);

/* Returns the value of a coordinate as its spring knows it, and makes its row, whose error is the angle or
 * the length alone, the gradient of that. Fills the counted value. */
DRY_SHARED double dry_joint_known_value(const dry_joint_def *def, int coordinate, bool direct,
                                        const dry_joint_axes_state *counted, dry_joint_row *row,
                                        double *value);

/* Returns settings with which nothing acts along an axis: it is free, or locked at 0. */
static inline dry_joint_axis dry_joint_axis_default(bool free)
{
    dry_joint_axis axis = DRY_JOINT_AXIS_DEFAULT;
    axis.min = free ? -INFINITY : 0.0f;
    axis.max = free ? INFINITY : 0.0f;
    return axis;
}

/* Tells whether a number is in a range; NaN is in none. */
static inline bool in_range(float x, float low, float high)
{
    return x >= low && x <= high;
}

#endif
