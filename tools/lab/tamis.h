/* The parts of the experiment `tamis`, and what they share. */
#ifndef TOOLS_LAB_TAMIS_H
#define TOOLS_LAB_TAMIS_H

#include "tools/lab/bodies.h"

/* Adds a body at rest. */
dry_body_id lab_tamis_add(lab_run *run, dry_world *world, dry_shape_type type, double half, double mass,
                          dry_position at);

/* The experiment's first three parts: a cube in the floor, stacks that stand or fall, and the intersecting
 * one.
 */
void lab_tamis_stacks(lab_run *run);

#endif
