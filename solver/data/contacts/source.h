/* The inputs of the prepare kernel of contacts. */
#ifndef SOLVER_DATA_CONTACTS_SOURCE_H
#define SOLVER_DATA_CONTACTS_SOURCE_H

#include "solver/data/bundle.h"
#include "solver/data/solver_row.h"
#include "state/contacts.h"

#include <drystone/world.h>

/* One bundle's sixteen manifolds. An empty lane points to an empty manifold and to the identity, and has a
 * normal. The rows are in the bundle already. */
typedef struct dry_contact_source {
    const struct dry_island *island[DRY_BUNDLE]; /* of the contact; null: the lane is empty */
    int32_t row[2][DRY_BUNDLE];                  /* of the bodies a and b, in state */
    const dry_manifold *manifold[DRY_BUNDLE];
    const dry_quat *orientation_a[DRY_BUNDLE], *orientation_b[DRY_BUNDLE];
    _Alignas(64) dry_lanes normal[3]; /* world */
    dry_lanes between[3];             /* from a's center to b's, world, m */
    dry_lanes friction;               /* mu */
    dry_lanes compliance;             /* of the contact's island */
    dry_lanes rise;                   /* of b's center along the normal since the anchors were made, m */
    dry_lanes impulse_scale;          /* from the stored impulses to this substep's */
    dry_lanes count;                  /* number of points */
    dry_lanes patch_least;            /* least radius of the patch, m */
    dry_lanes share[2];               /* summed: how many constraints split the mass of a, of b, at least 1 */
    dry_lanes held;                   /* if any_held: 1 where the lever arms are held, else 0 */
    dry_lanes kinematic[4][3];    /* velocities of kinematic bodies: a linear, a angular, b linear, b angular;
                                     those of belts are in the linear ones */
    dry_lanes rolling_limit;      /* of rolling resistance over the normal impulse, m */
    dry_lanes rolling_impulse[3]; /* of the last step, world, N m s */
    const float *rest[DRY_BUNDLE];   /* if any_rest: lengths of the points' springs, m */
    dry_surface surface[DRY_BUNDLE]; /* if some shape has static friction or a spring: of each lane's pair */
    /* If any_turning, of lanes whose contact turns with its bodies (arms.c). */
    dry_lanes turning;         /* 1: the contact turns; 0: it does not */
    dry_lanes begin_normal[3]; /* when the step begins */
    dry_lanes carry[4];        /* rotation of the body that carries the points, as a quaternion */
    dry_lanes carried_from[3]; /* from the carrier's center to b's when the step begins, m */
    dry_lanes carried_to[3];   /* from b's center to the carrier's in the middle, and what rolls off, m */
    dry_lanes side;            /* whose points, and whose plane: 0 b's and a's, 1 a's and b's, 1/2 both's */
    dry_lanes ball;            /* radius of a round side that turns anyhow, m */
    dry_lanes rim[3];          /* of a side round about an axis: its tangent across it, times a root of m */
    dry_lanes slide[3];        /* of a point between two round sides along b's axis, m/s */
    dry_lanes gained[3];  /* by which a kinematic body has turned the velocity between the centers, m/s */
    dry_lanes bend[3];    /* angular velocity of a plane over its body, rad/s */
    dry_lanes rubbing[3]; /* of the bundle's cold block */
    uint32_t flags;     /* DRY_BUNDLE_KINEMATIC, _ROLLING, _STICTION, _SPRING, _RUBBING: some lane has that */
    bool any_held;      /* some lever arms are held */
    bool any_rest;      /* some lengths are not 0 */
    uint16_t round;     /* bit l: one shape of lane l is round; only for methods that solve for positions */
    uint16_t lengthens; /* bit l: lane l takes the lengths of its springs, or changes them */
    dry_lanes load, fall; /* sustained by its bodies, m/s^2; of the island: plan/islands.h */
    bool any_turning;     /* some lane turns */
    bool any_falls;       /* some lane has a share of falling on */
    bool all_stay;        /* the islands of all lanes stay: plan/islands.h */
} dry_contact_source;

/* Speeds of each lane when the step began, m/s. */
typedef struct dry_contact_speeds {
    _Alignas(64) dry_lanes fastest; /* the largest approach of its points: g . u, at most 0 */
    dry_lanes tangent[2];           /* with DRY_BUNDLE_STICTION: velocity at the patch's center */
} dry_contact_speeds;

/* The bundle whose source is being found. */
typedef struct dry_contact_filling {
    const struct dry_solver_step *step;
    dry_contact_source *source;
    int32_t *moves[2];      /* the bundle's rows of the bodies a and b; 0: no impulse moves the body */
    const int32_t *contact; /* of each lane; negative: the lane is empty */
    bool some_turn;         /* some contact of the step may turn with its bodies */
} dry_contact_filling;
/* Fills a lane with what only some steps need, once the others of its fields are found. */
typedef void dry_contact_filler(const dry_contact_filling *f, int lane);
enum { DRY_FILLERS_MAX = 11 }; /* source.c lists as many */

/* The same for all bundles of a step, except for a bundle's destination. */
typedef struct dry_prepare {
    const dry_solver_row *rows;
    struct dry_contact_bundle *stream_to; /* the kernel copies the bundle there past the caches; or null */
    dry_vec3 gravity_vector;              /* m/s^2 */
    float gravity;                        /* its length */
    dry_friction friction;                /* the model: which box a cold block gets */
    bool split_masses;                    /* summed: shares are given */
    int filler_count;
    dry_contact_filler *filler[DRY_FILLERS_MAX]; /* that this step needs, in order */
} dry_prepare;

#endif
