/* Bodies that experiments add to their worlds. */
#ifndef TOOLS_LAB_BODIES_H
#define TOOLS_LAB_BODIES_H

#include "tools/lab/run.h"

/* Adds a static half-space, solid below the origin's plane of this normal. */
void lab_add_plane(lab_run *run, dry_world *world, dry_vec3 normal, float friction);

/* Adds a dynamic body of one shape. */
dry_body_id lab_add_body(lab_run *run, dry_world *world, const dry_shape_def *shape, double mass,
                         dry_position at, dry_vec3 velocity);

/* Returns a box or a sphere whose half side or radius is `half`. */
dry_shape_def lab_shape(dry_shape_type type, double half);

/* Adds a distance joint between two bodies' centers, or from the world point `at` where `above` is null. */
dry_joint_id lab_add_rod(lab_run *run, dry_world *world, const dry_body_id *above, dry_position at,
                         dry_body_id below, double length);

/* A free chain along x of boxes of 1, 2, ... kg and 1 x 0.2 x 0.4 m, thrown and spun. */
typedef struct lab_thrown {
    int count;
    dry_joint_type type; /* of the joints between the ends of neighbors; distance joints have no length */
    int32_t group;       /* of the boxes' filters */
    double gap;          /* of the joints along x, and along y to and fro, m */
    const dry_vec3 *velocity; /* of each box, m/s */
} lab_thrown;

void lab_add_thrown(lab_run *run, dry_world *world, const lab_thrown *chain);

dry_position lab_position(lab_run *run, const dry_world *world, dry_body_id id);

#endif
