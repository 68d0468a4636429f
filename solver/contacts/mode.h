/* A variant of the contact kernels. One body of code serves every variant: a mode's fields are constants at
 * each call, so that the compiler leaves only the code that the variant needs. */
#ifndef SOLVER_CONTACTS_MODE_H
#define SOLVER_CONTACTS_MODE_H

#include <drystone/world.h>

typedef struct contact_mode {
    bool position; /* with the position term: solve; without: relax */
    bool spook;    /* stiffness as k [Spook 9-11] instead of as a frequency */
    bool summed;   /* read rows, write sums, bodies' masses split */
    dry_friction friction;
} contact_mode;

#endif
