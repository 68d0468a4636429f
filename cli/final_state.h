/* The last state of a run as CSV. */
#ifndef CLI_FINAL_STATE_H
#define CLI_FINAL_STATE_H

#include "scenes/scenes.h"
#include <stdio.h>

/* One row a body in the scene's order, numbers printed so that they read back exactly. False if memory
 * fails; a failing stream is found when it is closed. */
bool final_state_write(FILE *stream, const dry_scene *scene, const dry_world *world, const dry_body_id *ids);

#endif
