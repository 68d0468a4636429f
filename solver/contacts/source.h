/* Where the prepare kernel finds what it makes a contact bundle from. */
#ifndef SOLVER_CONTACTS_SOURCE_H
#define SOLVER_CONTACTS_SOURCE_H

#include "solver/bundle.h"
#include "solver/rows/solver_row.h"
#include "state/contacts.h"

#include <stddef.h>

/* One bundle's sixteen manifolds. An empty lane points at an empty manifold and at no turn, and has a normal.
 * The rows are in the bundle already. */
typedef struct dry_contact_source {
    const dry_manifold *manifold[DRY_BUNDLE];
    const dry_quat *orientation_a[DRY_BUNDLE], *orientation_b[DRY_BUNDLE];
    _Alignas(64) dry_lanes normal[3]; /* world */
    dry_lanes apart[3];               /* b's centre less a's, world, m */
    dry_lanes friction;               /* mu */
    dry_lanes rise;                   /* of b's centre along the normal since the anchors were made, m */
    dry_lanes impulse_scale;          /* from the stored impulses to this substep's */
    dry_lanes count;                  /* points */
    dry_lanes share[2];               /* summed: how many constraints split the mass of a, of b, at least 1 */
    dry_lanes driven[4]
                    [3]; /* kinematic bodies' velocities: a linear, a angular, b linear, b angular; else 0 */
    bool is_driven;      /* they are not all 0 */
} dry_contact_source;

/* The fastest approach of each lane's points when the step began, at most 0, m/s: what the kernel finds. */
typedef struct dry_contact_speeds {
    _Alignas(64) dry_lanes fastest;
} dry_contact_speeds;

/* The same for all bundles of a step, but for where one goes. */
typedef struct dry_prepare {
    const dry_solver_row *rows;
    struct dry_contact_bundle *stream_to; /* where the bundle goes past the caches when it is made; or null */
    float gravity;                        /* |g|, m/s^2 */
    bool split_masses;                    /* summed: shares are given */
} dry_prepare;

#endif
