/* The bundle of what acts along the free coordinates of joints: up to six rows for each joint, solved one
 * after another, each with a spring, a motor, friction and two stops, which bound their impulses.
 *
 * The rows are conjugate to the joint's own block: a unit impulse along one leaves the block's rows at rest,
 * so that neither has to wait for the other's sweep. */
#ifndef SOLVER_DATA_JOINTS_AXES_H
#define SOLVER_DATA_JOINTS_AXES_H

#include "solver/data/bundle.h"
#include "solver/data/joints/places.h"
#include "solver/data/joints/triangle.h"
#include "state/joints.h"

enum { DRY_AXES_ROWS = DRY_COORDINATE_COUNT };

/* One part of what acts along a row: SPOOK's equation [Spook 8-11], with bounds on the impulse. */
typedef struct dry_axis_part {
    dry_lanes error;           /* when the step begins, m or rad; a stop's is the gap to it */
    dry_lanes speed;           /* that a motor wants, m/s or rad/s */
    dry_lanes rate;            /* a [Spook 9], 1/s */
    dry_lanes offset;          /* the coordinate's value at which the error is 0, m or rad */
    dry_lanes given, relative; /* eps: a number, 1/kg, and a share of g . g */
    dry_lanes softness;        /* eps [Spook 11], 1/kg */
    dry_lanes approach;        /* 1 - b [Spook 10] */
    dry_lanes mass;            /* 1 / (g . g + eps), kg */
    dry_lanes rigid;           /* 1: relaxed, without softness and position; 0: relaxing leaves it as it is */
    dry_lanes most;            /* the impulse's bound, N s or N m s per substep */
    dry_lanes impulse;         /* N s or N m s per substep */
} dry_axis_part;

typedef struct dry_axis_row {
    dry_pair_row pair;
    dry_lanes near;        /* the coordinate where the rows were made last, m or rad, with whole rotations */
    dry_lanes origin;      /* dry_joint_twist_origin */
    dry_lanes fades_to;    /* dry_joint_fades_to */
    dry_lanes value, past; /* as the parts know it, there and where rows were made before that, m or rad */
    dry_lanes winds;       /* 1: rotations are counted */
    dry_lanes diagonal;    /* g . g, 1/kg */
    dry_lanes inverse;     /* 1 / (g . g), kg; 0 if the row moves nothing */
    dry_lanes stop_restitution; /* of both stops */
    dry_lanes hard;             /* 1: these are rigid, and count as off where they are passed */
    dry_axis_part part[DRY_PART_COUNT];
} dry_axis_row;

/* The friction of a ball joint: rows 0 to 2 of its lane are about three axes, and one bound holds for their
 * impulses as a vector. The impulse makes the most of it against the rotation that is left: v = -k lambda
 * with k >= 0, and k = 0 below the bound. It is solved along the axes in which the rows' block is diagonal.
 */
typedef struct dry_round_friction {
    dry_lanes axis[3][3];  /* the share of row k in axis i */
    dry_lanes diagonal[3]; /* of the block along the axes, 1/(kg m^2) */
    dry_lanes most;        /* the bound, N m s per substep; 0: the lane has no such friction */
    dry_lanes impulse[3];  /* of rows 0 to 2, N m s per substep */
} dry_round_friction;

/* Newton's steps to k, which rise to it from 0. Five leave 1e-8 of 1 - cos between v and -lambda in 4,000
 * random blocks of diagonals from 1e-4 to 10; a block that nearly stops along two axes, and slides along the
 * third, takes eight. */
enum { DRY_ROUND_STEPS = 8 };

typedef struct dry_axes_bundle {
    _Alignas(64) int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes share_a, share_b; /* among how many constraints a method splits the masses, else 1 */
    dry_joint_places places;    /* these and the frames only of a bundle that shares no block's */
    dry_joint_frame_places frames;
    dry_lanes whole;                                            /* likewise: as the block's */
    dry_lanes locked_form[DRY_BLOCK_ROWS], form[DRY_AXES_ROWS]; /* dry_row_forms of each lane's rows */
    dry_axis_row row[DRY_AXES_ROWS];
    dry_round_friction round;
    dry_lanes peak; /* the largest force's impulse of a substep, squared */
    uint32_t locked_forms[DRY_BLOCK_ROWS], forms[DRY_AXES_ROWS]; /* bit f: some lane has form f */
    uint32_t uses[DRY_AXES_ROWS]; /* of each row; bit p: some lane has part p */
    int32_t rows, locked;         /* of the lanes with the most */
    int32_t bounces;              /* 1: some stop has restitution */
    int32_t begins;               /* 1: some part asks for the speed when the substep began */
    int32_t rounds;               /* 1: some lane has the friction `round` */
    int32_t coupled; /* 1: articulations solve the lanes' locked rows (methods/direct/coupling.h) */
    int32_t block;   /* 1 + the bundle whose lanes have the same joints' blocks; 0: none has */
    int32_t lanes;   /* lanes before this one are in use */
} dry_axes_bundle;

#endif
