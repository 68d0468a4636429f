/* Creation and removal of joints. */
#ifndef WORLD_JOINTS_H
#define WORLD_JOINTS_H

#include <drystone/joint.h>

/* Creates a joint from a valid definition and returns its slot. Its bodies wake; their contacts end if the
 * joint forbids them to touch. Room for the joint and for the end events must be reserved. */
int dry_joint_create(dry_world *world, const dry_joint_def *def);
/* Forgets what the joints of a body carried: they begin anew. */
void dry_joints_forget_impulses(dry_world *world, int slot);
/* Wakes a joint's bodies and removes the joint. Bodies that it kept apart may touch again. */
void dry_joint_remove(dry_world *world, int joint);

#endif
