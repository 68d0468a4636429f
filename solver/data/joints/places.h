/* The bodies of a bundle's joints where the step begins, from which rows are made in each substep.
 *
 * Prepare writes them once a step (places.c); the kernels that make rows read them (make_kernels.h). A body
 * that impulses move is where its solver row says; one that moves of itself has a velocity here; one that is
 * fixed has neither. */
#ifndef SOLVER_DATA_JOINTS_PLACES_H
#define SOLVER_DATA_JOINTS_PLACES_H

#include "solver/data/bundle.h"

typedef struct dry_joint_side_place {
    _Alignas(64) dry_lanes orientation[4]; /* of the principal frame */
    dry_lanes arm[3];                      /* from the center of mass to the anchor, world, m */
    dry_lanes velocity[3], spin[3];        /* of a kinematic body, m/s, rad/s; else 0 */
} dry_joint_side_place;

typedef struct dry_joint_places {
    dry_joint_side_place side[2];
    dry_lanes apart[3];  /* anchor b - anchor a, m */
    dry_lanes shared;    /* 1: other constraints push one of the bodies, too */
    dry_lanes gap, turn; /* the squares of how far the rows are off where they were made last, m^2, rad^2 */
    int32_t moves;       /* 1: some lane has a kinematic body */
    int32_t padding[15];
} dry_joint_places;

/* The joints' frames there, in the world. */
typedef struct dry_joint_frame_places {
    dry_lanes side[2][4];
} dry_joint_frame_places;

/* A row over two bodies. */
typedef struct dry_pair_row {
    dry_lanes linear_a[3], angular_a[3]; /* whitened, with side a's minus sign [Spook 25] */
    dry_lanes linear_b[3], angular_b[3];
    dry_lanes linear[3], about[3]; /* the row itself: row_form.h */
    dry_lanes kinematic;           /* velocity that a kinematic body adds, m/s or rad/s */
    dry_lanes acceleration;        /* dG/dt W: how fast the speed grows as the bodies move on */
    dry_lanes force;               /* 1: a force acts along it; 0: a moment */
    dry_lanes sum;                 /* of the impulses of the substeps so far */
} dry_pair_row;

struct dry_block_bundle;
struct dry_row_frame;
struct dry_solver_row;

/* The same for all bundles of one tier, while rows are made. */
typedef struct dry_making {
    const struct dry_solver_row *rows;
    const struct dry_row_frame *frames; /* by body row; null: no body turns its frame */
    const int32_t *constraints; /* of each body row, among which its mass is split; null: no mass is split */
    struct dry_block_bundle *blocks; /* all: those that share the lanes of axes bundles are made with them */
    float meet;                      /* both arms of a point go by this share of the gap to one point */
    float ahead;                     /* errors are measured so long after that, s */
    float since;                     /* the step's beginning, s */
    float third;                     /* of a substep, s */
    float rate;                      /* 1 / the time since rows were made last, 1/s; 0: these are the first */
} dry_making;

/* Makes the rows of bundles [begin, end) of an array of bundles where their bodies are now. */
typedef void dry_make_kernel(void *bundles, int begin, int end, const dry_making *making);

#endif
