/* The seam for what checks steps from above. In a validating build (-Dvalidate=true) host/validate/ sets it
 * as the library is loaded. Other builds have no checks, and no step asks for them. */
#ifndef STEP_CHECKS_H
#define STEP_CHECKS_H

#include "world/world.h"

typedef struct dry_step_checks {
    /* The world is as calls left it: before a step, and where a hold has ended. */
    void (*calls)(const dry_world *world);
    /* A stage begins. What this returns `after` gets. */
    void *(*before)(const dry_world *world);
    /* A stage is over. `done`: it did not run out of memory. */
    void (*after)(const dry_world *world, dry_stage stage, bool done, void *before);
} dry_step_checks;

#ifdef DRY_VALIDATE
extern const dry_step_checks *dry_checks;
#else
static const dry_step_checks *const dry_checks = NULL;
#endif

#endif
