/* The graph of constraints between calls: which contacts and joints are active, which colors they hold, and
 * how a contact ends.
 *
 * A constraint is active while a body of it is awake. An active joint and an active touching contact hold a
 * color (solver/plan/coloring.h). */
#ifndef WORLD_CONSTRAINT_GRAPH_H
#define WORLD_CONSTRAINT_GRAPH_H

#include "state/joints.h"
#include "state/shapes.h"

/* Tells whether two shapes of bodies that live may have a contact. */
bool dry_shapes_may_touch(const dry_bodies *bodies, const dry_shapes *shapes, const dry_joints *joints,
                          int shape_a, int shape_b);
/* Makes a contact active. A touching contact without a color takes one. */
void dry_contact_activate(dry_world *world, int contact);
/* Takes a color for a contact that has none. */
void dry_contact_take_color(dry_world *world, int contact);
/* Gives a contact's color back, if it holds one. */
void dry_contact_release_color(dry_world *world, int contact);
/* Removes one contact and its color, with an end event if it touched. Room for the event must be reserved. */
void dry_contact_end(dry_world *world, int contact);

/* Raises the end of a contact that touched. A child counts for its parent: the pair ends with the last one.
 */
void dry_contact_tell_end(dry_world *world, int contact);

/* Tells whether a joint has a dynamic body: without one it does nothing. */
bool dry_joint_has_dynamic(const dry_world *world, int joint);
/* Tells whether a joint may move a body: it has rows, and a dynamic body. */
bool dry_joint_moves_bodies(const dry_world *world, int joint);
/* Tells whether a joint is to be active: it is enabled and may move a body, all its bodies are enabled, and
 * one is awake. */
bool dry_joint_is_due(const dry_bodies *bodies, const dry_joints *joints, int joint);
/* Makes a joint active if it is to be; it takes a color. */
void dry_joint_activate(dry_world *world, int joint);
/* Makes a joint inactive; it gives its color back. */
void dry_joint_deactivate(dry_world *world, int joint);

/* Makes all contacts and joints without an awake body inactive; they give their colors back. */
void dry_constraints_deactivate_sleeping(dry_world *world);

/* Returns the number of touching contacts of a body, for which end events need room. Prefetches their shapes,
 * which the caller reads next. */
int dry_body_touching_count(const dry_world *world, int slot);

#endif
