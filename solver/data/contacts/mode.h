/* A variant of the contact kernels. One body of code serves every variant.
 *
 * `position` and `summed` are constants at each call, so that the compiler leaves only the code that the
 * variant needs. So are the other fields in the kernels of the default settings. The other kernels read them
 * from the sweep's parameters: branches that all bundles of a sweep take alike
 * (solver/sweeps/contacts/DECISIONS.md). */
#ifndef SOLVER_DATA_CONTACTS_MODE_H
#define SOLVER_DATA_CONTACTS_MODE_H

#include <stdbool.h>

typedef struct contact_mode {
    int flags;         /* of the bundle: DRY_BUNDLE_... */
    bool plain_apart;  /* bundles without flags have code of their own */
    bool position;     /* with the position term: solve; without: relax */
    bool summed;       /* read rows, write sums, bodies' masses split */
    bool relaxed;      /* rows remove the sweep's share of their error, with the position term */
    bool spook;        /* stiffness as k [Spook 9-11] instead of as a frequency */
    bool springs;      /* some bundles have springs of their pairs: those with DRY_BUNDLE_SPRING */
    bool turned;       /* at moved and turned bodies */
    bool frictionless; /* two-phase: normal rows alone */
    dry_friction friction;
} contact_mode;

/* Tells whether a friction model has a limit along each tangent that does not follow the normal impulse. */
static inline bool contact_friction_is_box(dry_friction friction)
{
    return friction == DRY_FRICTION_SCALED_BOX || friction == DRY_FRICTION_WEIGHT_BOX;
}

#endif
