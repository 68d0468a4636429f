/* The end of a step for bodies that have been still. */
#ifndef STEP_SLEEP_H
#define STEP_SLEEP_H

struct dry_world;

/* Puts every island to sleep that has been still for long enough, and kinematic bodies without velocity; `dt`
 * is the time of the step, s. */
void dry_sleep_still_islands(struct dry_world *world, float dt);

#endif
