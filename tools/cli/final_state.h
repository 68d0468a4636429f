/* Writes the final state of a run as CSV. */
#ifndef TOOLS_CLI_FINAL_STATE_H
#define TOOLS_CLI_FINAL_STATE_H

#include "tools/scenes/scenes.h"
#include <stdio.h>

/* Writes one row for each body, in the scene's order. Numbers read back exactly. Returns false if there is no
 * memory; closing the stream reports a failed write. */
bool final_state_write(FILE *stream, const dry_scene *scene, const dry_world *world, const dry_body_id *ids);

#endif
