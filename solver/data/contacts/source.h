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
    dry_surface surface[DRY_BUNDLE]; /* if any_stiction or any_spring: of each lane's pair */
    bool any_spring;                 /* some surface has a stiffness */
    bool any_stiction;               /* some surface has more static friction than mu */
    bool any_rolling;                /* some limits are not 0 */
    bool any_kinematic;              /* some velocities are not 0 */
    bool any_held;                   /* some lever arms are held */
    bool any_rest;                   /* some lengths are not 0 */
    uint16_t lengthens;              /* bit l: lane l takes the lengths of its springs, or changes them */
    dry_lanes load, fall;            /* sustained by its bodies, m/s^2; of the island: plan/islands.h */
    bool any_falls;                  /* some lane has a share of falling on */
    bool all_stay;                   /* the islands of all lanes stay: plan/islands.h */
} dry_contact_source;

/* Speeds of each lane when the step began, m/s. */
typedef struct dry_contact_speeds {
    _Alignas(64) dry_lanes fastest; /* the largest approach of its points: g . u, at most 0 */
    dry_lanes tangent[2];           /* if any_stiction: velocity at the patch's center */
} dry_contact_speeds;

/* The frames that the rows of a bundle's bodies are in within the step (solver/bodies/frames.h). */
typedef struct dry_contact_turn_source {
    const dry_quat *orientation_a[DRY_BUNDLE], *orientation_b[DRY_BUNDLE];
    _Alignas(64) dry_lanes share[2]; /* summed: as a dry_contact_source has them */
} dry_contact_turn_source;

/* The same for all bundles of a step, except for a bundle's destination. */
typedef struct dry_prepare {
    const dry_solver_row *rows;
    struct dry_contact_bundle *stream_to; /* the kernel copies the bundle there past the caches; or null */
    dry_vec3 gravity_vector;              /* m/s^2 */
    float gravity;                        /* its length */
    dry_friction friction;                /* the model: which box a cold block gets */
    bool split_masses;                    /* summed: shares are given */
} dry_prepare;

#endif
