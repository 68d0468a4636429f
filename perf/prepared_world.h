/* A world between the stages of a step: as the solver finds it, and its bundles. */
#ifndef PERF_PREPARED_WORLD_H
#define PERF_PREPARED_WORLD_H

#include "solver/data/context.h"
#include "step/stages.h"
#include "world/world.h"

/* Runs the stages before prepare, so that it works on a state that belongs together; ends the program if
 * memory fails. Bundles must be prepared before they are read: at a step's end their memory is the events'.
 */
void prepare_world(dry_world *world, float dt);

#endif
