/* Destruction of bodies with all that belongs to them. */
#ifndef WORLD_DESTROY_H
#define WORLD_DESTROY_H

#include <drystone/body.h>

/* Destroys all bodies of a batch, or none. All ids must name bodies. Returns DRY_ERROR_STALE_ID with the
 * index of the second occurrence in *duplicate if an id occurs twice, DRY_ERROR_MEMORY if memory fails. */
dry_result dry_bodies_destroy(dry_world *world, int count, const dry_body_id *ids, int *duplicate);

#endif
