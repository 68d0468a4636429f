/* Creation of bodies with their shapes. */
#ifndef WORLD_CREATE_H
#define WORLD_CREATE_H

#include <drystone/body.h>

/* Reserves room for bodies that are to be created from valid definitions with `shapes` shapes in all. Returns
 * false if memory fails. */
bool dry_bodies_reserve_defs(dry_world *world, int count, const dry_body_def *defs, int shapes);
/* Creates a body with its shapes and returns its slot. Room must be reserved. */
int dry_body_create(dry_world *world, const dry_body_def *def);

#endif
