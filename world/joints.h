/* Creation, change and removal of joints. */
#ifndef WORLD_JOINTS_H
#define WORLD_JOINTS_H

#include "state/joints.h"

/* A body and an anchor beyond a and b. */
typedef struct dry_joint_corner {
    dry_body_id body;
    dry_vec3 anchor;
} dry_joint_corner;

/* Creates a joint from a valid definition and returns its slot. Its bodies wake; their contacts end if the
 * joint forbids them to touch. Room for the joint and for the end events must be reserved. `corners` are c
 * and d, for which the column of corners must be there; null for a joint of two bodies. */
int dry_joint_create(dry_world *world, const dry_joint_def *def, const dry_joint_corner *corners);
/* Replaces a joint's definition by a valid one of the same type and bodies; likewise. */
void dry_joint_redefine(dry_world *world, int joint, const dry_joint_def *def);
/* Replaces the settings of one axis by valid ones; its bodies wake. */
void dry_joint_set_axis(dry_world *world, int joint, int axis, const dry_joint_axis *settings);
/* Lets a disabled joint act again; room for the end events must be reserved. */
void dry_joint_enable(dry_world *world, int joint);
/* Lets a joint act no more, in a step or between steps. It forgets its impulses. Bodies that it kept apart
 * may touch again. */
void dry_joint_disable(dry_world *world, int joint);
/* Wakes a joint's bodies, if one of them is dynamic. */
void dry_joint_wake(dry_world *world, int joint);
/* Starts the sleep timers of a joint's bodies anew. */
void dry_joint_reset_sleep_timers(dry_world *world, int joint);
/* Finds what follows from a joint's definition: its features, and the marks of a joint that is watched and of
 * one with a motor to a position. */
void dry_joint_derive(dry_joints *joints, int joint);
/* Writes a joint's frame on one side in the principal frame of its body. */
void dry_joint_place(dry_world *world, int joint, int side);
/* Forgets what the joints of a body carried: they begin anew; with `idle` those that no longer move a body.
 */
void dry_joints_forget_impulses(dry_world *world, int slot, bool idle);
/* Wakes a joint's bodies and removes the joint. Bodies that it kept apart may touch again. */
void dry_joint_remove(dry_world *world, int joint);

#endif
