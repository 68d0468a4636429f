/* The bundle of contacts. Its rows are not stored: the kernels make them from its frame. */
#ifndef SOLVER_CONTACTS_BUNDLE_H
#define SOLVER_CONTACTS_BUNDLE_H

#include "solver/bundle.h"

#include <stdint.h>

/* A contact in its own frame, whose axes are two tangents and the normal (solver/contacts/frame.h). */
typedef struct dry_contact_bundle {
    int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes normal[3];                  /* world, from a to b; the tangents follow from it */
    dry_lanes lin_a, lin_b;               /* 1 / sqrt(m), kg^-1/2 */
    dry_lanes axis_a[3][3], axis_b[3][3]; /* the frame's axes in the principal frames, whitened */
    dry_lanes lever_a[3], lever_b[3];     /* from the bodies' centres to the patch's, in the frame, m */
    dry_lanes offset[3][2];        /* points 0 to 2 from the patch's centre along the tangents, m; as the
                                      centre is their mean, point 3 is at minus the sum */
    dry_lanes separation[4];       /* when the step began, m */
    dry_lanes inverse_mass[4];     /* 1 / |g|^2, kg; 0 where there is no point */
    dry_lanes coupling[2][2];      /* g . g of points 0 and 1 with 2 and 3, 1/kg */
    dry_lanes impulse[4];          /* N s per substep */
    dry_lanes friction_mass[3];    /* at the patch's centre, inverse of the 2x2 block: xx, xy, yy */
    dry_lanes friction_impulse[2]; /* along the tangents */
    dry_lanes twist_impulse;       /* about the normal */
    dry_lanes friction;            /* mu */
    dry_lanes reach;               /* mean distance of the points from the centre, m: torsion's lever */
} dry_contact_bundle;
_Static_assert(sizeof(dry_contact_bundle) == 61 * sizeof(dry_lanes), "244 bytes a manifold");

enum {
    DRY_BUNDLE_DRIVEN = 1, /* a lane touches a kinematic body: `driven` speeds are not all zero */
    DRY_BUNDLE_IMPACT = 2  /* a lane may bounce: `peak` is kept */
};

/* What only some sweeps of some bundles read. A bundle has a record if it has flags, or if the settings ask
 * for a kernel that reads one: summed changes, scaled box, stiffness as k. */
typedef struct dry_contact_bundle_rare {
    dry_lanes approach[4]; /* g . u when the step began, m/s [Spook 26: u . n] */
    dry_lanes restitution;
    dry_lanes peak[4]; /* largest impulse of any substep, kept for IMPACT bundles */
    dry_lanes met[4];  /* g . u where the surfaces met fastest, m/s; likewise */
    dry_lanes driven_normal[4], driven_friction[2], driven_twist; /* speeds that kinematic bodies add */
    dry_lanes share_a, share_b; /* summed: how many constraints split the body's mass, at least 1 */
    dry_lanes friction_box;     /* scaled box: mu m g, N [Spook 43-44] */
    int32_t flags;
    int32_t padding[15];
} dry_contact_bundle_rare;
_Static_assert(sizeof(dry_contact_bundle_rare) % 64 == 0, "lanes stay aligned in arrays");

/* What prepare finds out about a contact bundle. */
typedef struct dry_contact_note {
    int32_t rare;  /* its record in dry_solver_state.rare; 0, one without flags that all share: ordinary */
    uint32_t hits; /* bit l: lane l's surfaces approach faster than hit_speed_min */
    int32_t lanes; /* those from here on hold nothing: kernels go no further */
} dry_contact_note;

#endif
