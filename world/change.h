/* Bodies between steps: how they are created with their shapes, changed, and destroyed with all that belongs
 * to them. */
#ifndef WORLD_CHANGE_H
#define WORLD_CHANGE_H

#include "state/bodies.h"

#include <drystone/body.h>

/* Reserves room for bodies that are to be created from valid definitions with `shapes` shapes in all. Returns
 * false if memory fails. */
bool dry_bodies_reserve_defs(dry_world *world, int count, const dry_body_def *defs, int shapes);
/* Creates a body with its shapes and returns its slot. Room must be reserved. */
int dry_body_create(dry_world *world, const dry_body_def *def);
/* Destroys all bodies of a batch, or none. All ids must name bodies. Returns DRY_ERROR_STALE_ID with the
 * index of the second occurrence in *duplicate if an id occurs twice, DRY_ERROR_MEMORY if memory fails. */
dry_result dry_bodies_destroy(dry_world *world, int count, const dry_body_id *ids, int *duplicate);

/* Puts a body's user frame at a pose. The body, its neighbors and what it now overlaps wake. */
void dry_body_place(dry_world *world, int slot, const dry_pose *pose);
/* Gives a body a velocity. A body that then moves wakes. A static body keeps none. */
void dry_body_change_velocity(dry_world *world, int slot, const dry_velocity *velocity);
/* Returns the velocity that brings the user's frame of a row to `target` in dt seconds. */
DRY_COLD dry_velocity dry_body_velocity_to(const dry_bodies *bodies, int row, const dry_pose *target,
                                           float dt);
/* Has the next step bring a kinematic body's user frame to `target`, and gives it a velocity until then. The
 * body wakes. The column of targets must be there. */
DRY_COLD void dry_body_send(dry_world *world, int slot, const dry_pose *target, const dry_velocity *velocity);
/* Gives the awake bodies that have targets the velocities that bring them there in a step of dt seconds. The
 * column of targets must be there. A call that no branch guards makes its caller cold, too. */
DRY_COLD void dry_bodies_aim(dry_world *world, float dt);
/* Enables a disabled body. Room for its proxies must be reserved. */
void dry_body_enable(dry_world *world, int slot);
/* Disables an enabled body. Room for the end events of its contacts must be reserved. */
void dry_body_disable(dry_world *world, int slot);
/* Makes a body static, kinematic or dynamic; its velocity becomes 0. Room for the end events of its contacts,
 * for its proxies and for a mass that it keeps must be reserved. */
void dry_body_change_type(dry_world *world, int slot, dry_body_type type);

#endif
