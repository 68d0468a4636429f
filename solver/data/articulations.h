/* Articulations, their bodies, joints and rows, and what acts on them: those of the second volume, which
 * solves joints directly. Without it there are none. */
#ifndef SOLVER_DATA_ARTICULATIONS_H
#define SOLVER_DATA_ARTICULATIONS_H

#include "core/gyroscopic.h"
#include "solver/data/constraint.h"
#include "solver/data/coupled.h"
#include "state/joints.h"

/* A body of an articulation that contacts or bounded axes act on: a part of it, if it is split. */
typedef struct dry_coupled_body {
    int32_t body;                 /* of the articulations' list */
    int32_t articulation;         /* of the list */
    int32_t node_begin, node_end; /* in `node`: the joints of the part */
    int32_t supernode;            /* the first one of the path of Y */
    int32_t part_begin, parts;    /* in `part`: the path */
    int64_t columns;              /* Y, in `values` */
    double u[6];                  /* velocity without the joints' impulses */
    double impulse[6];            /* in this sweep */
    double mobility[6][6];        /* what a unit impulse gives: parts I - Y^T Y */
} dry_coupled_body;

/* A lane of a bundle. */
typedef struct dry_coupled_item {
    dry_kind kind;
    int32_t bundle, lane;
    int32_t group;
    int32_t body[2]; /* coupled bodies; -1: a body of no articulation, or none */
    dry_coupled_rows rows;
    dry_coupled_block block;
    double apart[DRY_COUPLED_NORMALS]; /* dry_coupled_motion.apart */
} dry_coupled_item;

/* A hard stop of a joint where the step ends, as an item of positions. Or a coordinate that something holds,
 * as one of velocities, while those are corrected. */
typedef struct dry_coupled_stop {
    int32_t body[2]; /* coupled bodies; -1: none */
    double g[12];    /* whitened, as dry_coupled_rows */
    double gap;      /* to it, m or rad; negative: passed */
    double speed;    /* at which it opens */
    bool bounces;
} dry_coupled_stop;

/* Items that share articulations or free bodies. They are solved in turn; groups go side by side. */
typedef struct dry_coupled_group {
    int32_t item_begin, item_end;
    int32_t tier;
} dry_coupled_group;

typedef struct dry_coupling {
    dry_coupled_item *item; /* by group */
    dry_coupled_body *body; /* by articulation */
    dry_coupled_group *group;
    dry_coupled_stop *stop; /* by articulation */
    double *stop_matrix;    /* of each worker: S of the stops of its articulation, and room for its factor */
    int32_t *body_of;       /* of each articulated body: its coupled body; -1: none */
    int32_t *first;         /* of each articulation, and one more at the end: its first coupled body */
    int32_t *y_first;       /* of each articulation, and one more at the end: its first value in `y` */
    int32_t *node;          /* joints of each coupled body, from the first one of its articulation on */
    uint8_t *side;          /* and which of their bodies it is */
    struct dry_path_part *part;
    double *values;
    double *y; /* of each articulation, padded */
    double *work;
    int item_capacity, body_capacity, group_capacity, body_of_capacity, first_capacity, y_first_capacity;
    int node_capacity, side_capacity, part_capacity, values_capacity, y_capacity, work_capacity,
        stop_capacity, stop_matrix_capacity;
    int items, bodies, groups;
    int stop_elements; /* of one worker's part of `stop_matrix` */
} dry_coupling;

/* A body of an articulation, or one of its parts, which have equal shares of its mass; or a side of one of
 * its joints that no impulse moves. */
typedef struct dry_articulated_body {
    int32_t row;         /* of the body's columns; -1: the world, or a body at rest that cannot move */
    int32_t parts;       /* of that body; the parts of a body are neighbors */
    bool moves;          /* impulses move it */
    double inverse_mass; /* 1/kg */
    dry_double3 inverse_inertia;          /* along the principal axes, 1/(kg m^2) */
    dry_precise_motion end;               /* where `moved` and `turned` lead */
    dry_double3 impulse, angular_impulse; /* of the last solve, N s, N m s */
    dry_precise_motion begin;             /* when the substep begins; its velocities are those of now */
    dry_double3 moved, turned;            /* since then, in the world: m, rad */
    double sprung;                        /* k over its mass, summed over its springs, 1/s^2 */
    float pushed[6]; /* the change of its row by what the substep begins with, without the joints' answer */
} dry_articulated_body;

/* A body that vibrates: whitened vectors of the method of Lanczos. */
typedef struct dry_vibrating_body {
    double inv_sqrt_mass;
    dry_double3 axes[3];    /* its principal axes, in the world, over the roots of its moments of inertia */
    double stiffness[3][3]; /* by which joints' forces turn it back, 1/s^2 */
    double last[6], now[6], next[6];
} dry_vibrating_body;

/* Links that are no joint have one of these in place of a slot. */
enum {
    DRY_LINK_LOCKS = -1,   /* the locked axes of body b */
    DRY_LINK_FIXATION = -2 /* holds two parts of one body together [Tomcin 5] */
};

/* A joint, or locked axes, between the rows of two bodies; row -1: the world, or a body that cannot move. */
typedef struct dry_articulated_link {
    int32_t joint; /* slot, or DRY_LINK_LOCKS */
    int32_t row[2];
} dry_articulated_link;

typedef struct dry_articulated_joint {
    int32_t joint;   /* slot, or DRY_LINK_... */
    int32_t type;    /* of that joint: its definition has ten cache lines, which few types read */
    int32_t body[2]; /* of the list of bodies */
    int32_t row;     /* its first one */
    int32_t rows;
    int32_t spring, springs;     /* the first one of the list of springs: its last rows are theirs */
    int32_t item;                /* of the coupling: what acts along its axes; -1: none */
    int32_t settled;             /* bodies of its articulation before this one have no later joint */
    dry_double3 impulse, moment; /* on b, about its anchor, in this step; N s, N m s */
    dry_double3 earlier_impulse, earlier_moment; /* of the substeps before, where sweeps share the bodies */
} dry_articulated_joint;

/* One row, where its bodies are: the equation of solver/constraint/joints/frames.h. */
typedef struct dry_articulated_row {
    dry_double3 linear, angular[2];
    double error; /* m or rad */
} dry_articulated_row;
_Static_assert(sizeof(dry_articulated_row) == 80, "solves go over all rows five times a substep");

/* I^-1 angular of a row: only a factor and the second of two solutions read it. */
typedef struct dry_articulated_swings {
    dry_double3 side[2];
} dry_articulated_swings;

/* A row of a spring and damper: the equation of springs.c. */
typedef struct dry_articulated_spring {
    double stiffness, damping;
    double inverse_mass;     /* that it moves, 1/kg */
    double begin[2], end[2]; /* how the force where a substep begins, and ends, counts in the impulse there */
    double implicit;         /* the damper's share where it ends */
    double rate;             /* in sweeps, of closing its error, 1/s */
    double before;           /* the row's error where the substep begins */
    double value;            /* of its coordinate where its row was found last, with whole rotations */
    dry_double3 direction;   /* and its linear part */
    double sigma;            /* its element of Sigma, 1/kg */
    double impulse;          /* of the present solves, N s */
    double given;            /* in the step, N s */
    int32_t coordinate;      /* an axis; -1: of a joint without axes */
    bool resolved;           /* substeps follow its vibration */
} dry_articulated_spring;

typedef struct dry_articulation {
    int32_t link_begin, link_end, body_begin, body_end, joint_begin, joint_end, row_begin, row_end;
    int32_t spring_begin, spring_end;
    int32_t stop_begin, stop_end; /* room for its hard stops, and for axes that something holds */
    int32_t stops;                /* of them, those that the last look lists: stops.c */
    int32_t island, factor;
    double error;       /* what the last correction left, m or rad */
    double error_begin; /* when the step begins */
    double vibration;   /* square of the fastest frequency that the last step's forces give, rad^2/s^2 */
    double share;       /* of what its rows' turning asks for that sweeps follow */
    bool driven;        /* motors, stops or friction of joints that are solved directly act on it */
    double found;       /* when its rows were found, in sweeps: since the step began, s */
    bool kept;          /* the present substep has the rows and the factor of an earlier substep */
    /* Joints leave some row of what acts on it so little mobility that alpha is seen beside it; and its
     * factor has less of alpha therefore. */
    bool heavy, fine;
    bool coarse;  /* less of alpha was tried in this step, and closes no more */
    bool stuck;   /* the joints contradict each other, as far as the correction of poses alone tells */
    int32_t open; /* slot of the joint with the largest error when the step ends */
    double gap;   /* and that error, m or rad */
    int32_t corrections, iterations, iterations_max; /* of poses in this step; of one correction */
} dry_articulation;

/* Values that a linkage has for each of its rows. */
enum { DRY_ROW_VALUES = 5 };

typedef struct dry_articulations {
    dry_articulation *articulation;
    dry_articulated_link *link;
    dry_articulated_body *body;
    dry_articulated_joint *joint;
    dry_articulated_row *row;
    dry_articulated_swings *swings; /* by row */
    dry_articulated_spring *spring;
    dry_vibrating_body *vibrating;           /* by body */
    uint64_t *hash;                          /* of each joint: of its rows, as far as A depends on them */
    double *values;                          /* DRY_ROW_VALUES for each row: dry_linkage */
    uint64_t *direct;                        /* a bit for each slot of a joint, while the list is made */
    uint64_t *held;                          /* likewise: its hard stops are held where a step ends */
    int32_t *body_of_row;                    /* of each awake row: the first part of its body; -1: none */
    int32_t *root;                           /* of each awake row, while the list is made */
    struct dry_articulation_factor *factors; /* used ones and spare ones */
    dry_coupling coupling;                   /* with what else acts on them */
    int articulation_capacity, link_capacity, body_capacity, joint_capacity, row_capacity, swings_capacity,
        values_capacity, hash_capacity;
    int body_of_row_capacity, root_capacity, factors_capacity, direct_capacity, direct_words;
    int held_capacity;
    int spring_capacity, vibrating_capacity;
    int count, link_count, body_count, joint_count, row_count, spring_count, factor_count, rows_listed;
    bool shared; /* workers share the articulation at hand */
} dry_articulations;

/* Tells whether the hard stops of a joint are held where a step ends. */
static inline bool dry_articulations_hold_stops(const dry_articulations *a, int joint)
{
    return a->coupling.items > 0 && joint / 64 < a->direct_words && (a->held[joint / 64] >> joint % 64 & 1);
}

/* Returns the body of an awake row; null if it belongs to no articulation. */
static inline const dry_articulated_body *dry_articulated_body_of(const dry_articulations *a, int row)
{
    return row < a->rows_listed && a->body_of_row[row] >= 0 ? &a->body[a->body_of_row[row]] : NULL;
}

#endif
