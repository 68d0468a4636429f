/* The bundle of contacts. Its rows are not stored: the kernels make them from its frame. */
#ifndef SOLVER_DATA_CONTACTS_BUNDLE_H
#define SOLVER_DATA_CONTACTS_BUNDLE_H

#include "solver/data/bundle.h"

#include <stdbool.h>
#include <stdint.h>

/* A contact in its own frame, whose axes are two tangents and the normal
 * (solver/constraint/contacts/frame.h). */
typedef struct dry_contact_bundle {
    int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes normal[3];                      /* world, from a to b; the tangents follow from it */
    dry_lanes axis_a[3][3], axis_b[3][3];     /* the frame's axes in the principal frames, whitened */
    dry_lanes lever_arm_a[3], lever_arm_b[3]; /* from the bodies' centers to the patch's, in the frame, m */
    dry_lanes offset[3][2];        /* points 0 to 2 from the patch's center along the tangents, m; as the
                                      center is their mean, point 3 is at minus the sum */
    dry_lanes separation[4];       /* when the step began, m */
    dry_lanes inverse_mass[4];     /* 1 / |g|^2, kg; 0 where there is no point */
    dry_lanes coupling[2][2];      /* g . g of points 0 and 1 with 2 and 3, 1/kg */
    dry_lanes pair_coupling[2];    /* g . g of points 0 and 1, and of 2 and 3, 1/kg, a little less */
    dry_lanes impulse[4];          /* along the normal, N s per substep */
    dry_lanes friction_mass[3];    /* at the patch's center, inverse of the 2x2 block: xx, xy, yy; kg */
    dry_lanes friction_impulse[2]; /* along the tangents, N s per substep */
    dry_lanes torsion_impulse;     /* about the normal, N m s per substep */
    dry_lanes friction;            /* mu */
    dry_lanes patch_radius; /* mean distance of the points from the patch's center, m; at least c r where
                               rolling is resisted, and 2 mm where no shape is round */
} dry_contact_bundle;
_Static_assert(sizeof(dry_contact_bundle) == 61 * sizeof(dry_lanes), "244 bytes a manifold");

/* The share of a pair's coupling that the solver takes. Two points of almost the same place have couplings
 * as large as their diagonals, and the pair would have no inverse. */
#define DRY_PAIR_COUPLING 0.984375f /* 1 - 1/64 */

/* The least radius of a patch of shapes that are not round, m. A corner or an edge that gives way under its
 * load by a few millimeters touches over as much. Without torsion, a cube that is clamped between two edges
 * would swing about the line through them without end. An impact is over before surfaces give way. */
#define DRY_PATCH_LEAST 0.002f

enum {
    DRY_BUNDLE_KINEMATIC = 1, /* a lane touches a kinematic body, whose velocity the kernels add */
    DRY_BUNDLE_IMPACT = 2,    /* a lane has restitution, and the bundle has a block of impacts */
    DRY_BUNDLE_ROLLING = 4,   /* a lane resists rolling */
    DRY_BUNDLE_MIXED = 8,     /* lanes have compliances of their own */
    DRY_BUNDLE_STICTION = 16, /* a lane has static friction */
    DRY_BUNDLE_SPRING = 32,   /* a lane has a stiffness of its own */
    DRY_BUNDLE_TURNING = 64,  /* a lane turns with its bodies */
    DRY_BUNDLE_RUBBING = 128  /* a lane shares a face with one whose surface is unlike its own */
};

/* The cold block of a bundle: fields that only some sweeps of some bundles read. A bundle has its own block
 * if it has flags other than DRY_BUNDLE_IMPACT and DRY_BUNDLE_MIXED, or if the settings ask for a kernel that
 * reads one: summed changes, boxes, two-phase, stiffness as k. */
typedef struct dry_contact_cold {
    dry_lanes kinematic_normal[4]; /* velocities that kinematic bodies add to the rows, m/s and rad/s */
    dry_lanes kinematic_tangent[2], kinematic_torsion;
    dry_lanes rolling_limit;      /* over the normal impulse, m; 0 in lanes that do not resist rolling */
    dry_lanes rolling_mass[3];    /* inverse of the 2x2 block about the tangents: xx, xy, yy; kg m^2 */
    dry_lanes rolling_impulse[2]; /* about the tangents, N m s per substep */
    dry_lanes kinematic_rolling[2];
    dry_lanes share_a, share_b; /* summed: how many constraints split the body's mass, at least 1 */
    dry_lanes friction_box;     /* boxes: their limit, N [Spook 43-44, Tamis 5.4] */
    dry_lanes rubbing[3]; /* DRY_BUNDLE_RUBBING: x, y, drag of dry_face_part; 0 in lanes that share none */
    /* Two-phase: the impulses of the phase that is not under way. While friction is solved, they are those of
     * the phase without friction, and limit it. */
    dry_lanes other_impulse[4], other_friction[2], other_torsion, other_rolling[2];
    int32_t flags; /* all but DRY_BUNDLE_IMPACT and DRY_BUNDLE_MIXED, which the header tells */
    int32_t padding[15];
} dry_contact_cold;
_Static_assert(sizeof(dry_contact_cold) % 64 == 0, "lanes stay aligned in arrays");

/* The impacts of a bundle. Where something bounces, each bundle with restitution has such a block: an impact
 * may reach it through others. A pile that falls has many, and mostly no cold blocks. */
typedef struct dry_contact_impact {
    dry_lanes restitution;
    /* The present round of impacts (sweeps/contacts/impact.h), for lanes of `lanes`. */
    dry_lanes speed[7];   /* g . u of the rows when they meet, m/s, rad/s; 0 of points that do not */
    dry_lanes time;       /* when they meet, from the substep's begin, s */
    dry_lanes shift[3];   /* of b's center relative to a's until then, in the frame, m */
    dry_lanes impulse[7]; /* at the points, along the tangents, about the normal: N s and N m s */
    uint32_t lanes;       /* bit l: lane l takes part in the round */
    uint32_t moved;       /* bit l: the last sweep changed its impulse */
    uint32_t limited;     /* bit l: it was shortened so that it gains no energy */
    int32_t padding[13];
} dry_contact_impact;
_Static_assert(sizeof(dry_contact_impact) % 64 == 0, "lanes stay aligned in arrays");

/* Tells whether the surfaces of a lane may bounce. */
static inline bool dry_contact_bounces(const dry_contact_impact *impact, int at)
{
    return impact->restitution[at] > 0.0f;
}

/* Returns the speed -e u at which points of a lane part that meet at the speed u, m/s [Spook 3]. */
static inline double dry_contact_rebound(const dry_contact_impact *impact, int at, double u)
{
    return -(double)impact->restitution[at] * u;
}

/* The static friction of a bundle, beside its cold block: made only while some shape has static friction.
 *
 * `state` tells how a patch came to the present sweep, and limits what it may hold:
 *   sticks   mu_s
 *   slides   it has slid since the step began: mu_d
 *   slips    it begins to slide, and has had no sweep yet: mu_d
 * A step begins with the patches that slip (stiction.c); sweeps let those that slide stick. */
typedef struct dry_contact_stiction {
    dry_lanes friction;   /* mu_s of the pair, at least mu */
    dry_lanes box;        /* boxes: the static limit, N */
    dry_lanes state;      /* DRY_PATCH_... */
    dry_lanes excess;     /* impulse beyond the static limit that would hold the patch in this step, N s */
    dry_lanes braking[2]; /* block descent: the direction of friction against the sliding at its begin, m/s */
} dry_contact_stiction;

/* The springs of a bundle's lanes, beside its cold block: made only while some shape has a stiffness. */
typedef struct dry_contact_spring {
    dry_lanes rate;     /* a [Spook 9], 1/s */
    dry_lanes softness; /* eps [Spook 11], 1/kg */
    dry_lanes approach; /* 1 - b [Spook 10] */
    dry_lanes given;    /* 1: stiffness as k; 0: as the settings say, and the other fields are 0 */
} dry_contact_spring;

/* How a patch with static friction is. Lanes hold the number as a float. Empty lanes stick, and go on to. */
enum { DRY_PATCH_STICKS = 1, DRY_PATCH_SLIDES, DRY_PATCH_SLIPS };

/* The compliances of a bundle's lanes, filled where these differ. Islands that fall apart share bundles, so
 * that most bundles of a falling pile have some. */
typedef struct dry_contact_compliance {
    dry_lanes lane; /* over that on which the tier's sweeps converge: plan/difficulty.c */
} dry_contact_compliance;

/* The change of a bundle's rows by the turning of its bodies, J'v. Made only while some contact turns. */
typedef struct dry_contact_turning {
    dry_lanes normal[3];  /* at the patch's center, m/s^2, and its gradient along the tangents, 1/s^2 */
    dry_lanes tangent[2]; /* at the patch's center, m/s^2 */
} dry_contact_turning;

/* The past of a bundle: its contacts' impulses a substep ago. Made only while some impulses fall on. */
typedef struct dry_contact_past {
    dry_lanes impulse[2]; /* along the normal, of points 0 and 1 and of 2 and 3, N s */
    dry_lanes sustained;  /* velocity that the load borne for long gives a point's mass in a substep, m/s */
    dry_lanes fall;       /* plan/islands.h */
} dry_contact_past;

/* Stands for a block of a bundle until blocks are assigned: one is wanted; a block of impacts is wanted if
 * something bounces in this step. */
enum { DRY_BLOCK_WANTED = -1, DRY_BLOCK_FOR_BOUNCES = -2 };

/* The header of a contact bundle: the properties that prepare finds. */
typedef struct dry_contact_header {
    int32_t cold;       /* index of its cold block; 0: the block without flags that ordinary bundles share */
    int32_t impact;     /* index of its block of impacts; 0: it has none */
    uint16_t hits;      /* bit l: lane l's surfaces approach faster than hit_speed_min */
    uint16_t round;     /* bit l: one shape of lane l is round; only for methods that solve for positions */
    uint16_t lengthens; /* bit l: lane l takes the lengths of its springs, or changes them */
    int32_t lanes;      /* lanes from here on are empty: kernels go no further */
    float compliance;   /* of all lanes, unless they are mixed */
    bool turns;         /* some lane turns with its bodies */
    bool mixed;         /* lanes differ in compliance */
    bool falls;         /* some lane is of an island whose impulses fall on */
    bool stays;         /* all lanes are of islands that stay: the next step need not prepare it again */
} dry_contact_header;

/* A body while impacts are resolved, whitened as its solver row. Row r + 1 belongs to body row r; row 0 is
 * zero. An impulse acts at some time t of the substep: it changes u by g J and d by -t g J, so that the body
 * moves on the old line before t and on the new one after it. */
typedef struct dry_impact_row {
    float u[6];     /* velocity when the substep began, with the impacts so far */
    float d[6];     /* displacement as the solver row's; exact while only forces move the body */
    float carry[6]; /* change of the velocity in this substep by forces, and by contacts as in the last one */
    float lag[6];   /* of d over the solver row's displacement; 0 once an impact changed the body */
    float free[6];  /* velocity at the substep's end if no contact changes it */
    float inv_sqrt_mass; /* of the solver row */
    int32_t round;       /* the last round of this substep that changed u; -1: none */
    bool hit;            /* an impact changed the body in this step */
} dry_impact_row;

/* Impacts since the world was created. */
typedef struct dry_impact_counts {
    uint64_t impacts; /* contacts that bounced, once for each round */
    uint64_t solves;  /* of one contact: what they cost */
    uint64_t limited; /* of those, the ones whose impulse was shortened so that it gains no energy */
} dry_impact_counts;

#endif
