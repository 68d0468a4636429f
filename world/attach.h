/* A body's place in the world: the proxies of its shapes, its contacts, its active joints. */
#ifndef WORLD_ATTACH_H
#define WORLD_ATTACH_H

#include <drystone/types.h>

/* Puts a shape of an enabled body into the broadphase. Room for the proxy must be reserved. */
void dry_shape_attach(dry_world *world, int shape);
/* Ends a shape's contacts and takes it out of the broadphase. Room for the end events must be reserved. */
void dry_shape_detach(dry_world *world, int shape);
/* Takes a shape out of the broadphase and leaves its contacts alone. */
void dry_shape_detach_proxy(dry_world *world, int shape);
/* Attaches all shapes of a body and activates its joints. */
void dry_body_attach(dry_world *world, int slot);
/* Detaches all shapes of a body and deactivates its joints. */
void dry_body_detach(dry_world *world, int slot);

#endif
