/* A validating build (-Dvalidate=true) checks the whole world before each step and after each of its stages,
 * and aborts with the name of the stage and of the invariant that does not hold. Other builds do nothing
 * here. */
#ifndef STEP_VALIDATE_H
#define STEP_VALIDATE_H

#include "world/world.h"

#ifdef DRY_VALIDATE
/* Checks the world as calls since the last step left it. */
void dry_validate_calls(const dry_world *world);
/* Checks what holds after the stage, or after a stage that ran out of memory and so ended the step. */
void dry_validate_stage(const dry_world *world, dry_stage stage);
void dry_validate_failed_stage(const dry_world *world, dry_stage stage);
#else
static inline void dry_validate_calls(const dry_world *world)
{
    (void)world;
}
static inline void dry_validate_stage(const dry_world *world, dry_stage stage)
{
    (void)world;
    (void)stage;
}
static inline void dry_validate_failed_stage(const dry_world *world, dry_stage stage)
{
    (void)world;
    (void)stage;
}
#endif

#endif
