/* A validating build (-Dvalidate=true) checks the whole world before each step and after one of its stages,
 * in turns, and which fields each stage wrote. It aborts with the name of the stage and of the invariant that
 * does not hold. Other builds have no checks. */
#ifndef STEP_VALIDATE_H
#define STEP_VALIDATE_H

#include "world/world.h"

struct dry_state_copy;

#ifdef DRY_VALIDATE
enum { DRY_VALIDATES = true };
#else
enum { DRY_VALIDATES = false };
#endif

/* Checks the world as calls since the last step left it. */
void dry_validate_calls(const dry_world *world);
/* Copies the state before a stage. */
struct dry_state_copy *dry_validate_before(const dry_world *world);
/* Checks what holds after the stage and that it wrote nothing but its own fields, then releases the copy.
 * `name` is the stage's name; `done`: it did not run out of memory. */
void dry_validate_after(const dry_world *world, dry_stage stage, const char *name, bool done,
                        struct dry_state_copy *before);

#endif
