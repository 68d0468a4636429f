/* Declares builders for jointed bodies: bars between points, and joints at points of the world.
 *
 * Points and directions are those of the world, in double precision. Each joint's anchors are computed from
 * them in double precision and rounded once. The builders use no function of math.h but sqrt and fabs. */
#ifndef TOOLS_SCENES_LINKS_H
#define TOOLS_SCENES_LINKS_H

#include "tools/scenes/maker.h"

typedef struct dry_point {
    double x, y, z;
} dry_point;

typedef struct dry_rotation {
    double x, y, z, w;
} dry_rotation;

/* A body with its frame in double precision; the body's own orientation is rounded. */
typedef struct dry_link {
    int body;
    dry_point at;
    dry_rotation rotation;
} dry_link;

#define DRY_UPRIGHT ((dry_rotation){0.0, 0.0, 0.0, 1.0})

/* The world as one side of a joint. */
#define DRY_WORLD_LINK ((dry_link){.body = DRY_SCENE_WORLD, .rotation = {0.0, 0.0, 0.0, 1.0}})

dry_point dry_point_add(dry_point a, dry_point b);
dry_point dry_point_between(dry_point a, dry_point b);
double dry_point_distance(dry_point a, dry_point b);
/* Rotates v from a body's frame to the world's. */
dry_point dry_point_rotate(dry_rotation q, dry_point v);

/* Returns the smallest rotation that brings the x axis to a direction of any length. A direction across z
 * gives a rotation about z. */
dry_rotation dry_rotation_toward(dry_point direction);
dry_rotation dry_rotation_multiply(dry_rotation a, dry_rotation b);

/* Adds a body without shapes. A null id takes the next one. */
dry_link dry_link_add(maker *m, const char *id, dry_body_type type, dry_point at, dry_rotation rotation);

/* Adds a shape to the last body, which does not touch other shapes of the same group. The group is negative,
 * or 0. */
void dry_link_shape(maker *m, dry_shape_def shape, dry_point at, int group);

/* Adds a dynamic beam of half the thickness `half`. Its x axis leads from one end to the other. */
dry_link dry_link_bar(maker *m, dry_point from, dry_point to, double half, int group);

/* Adds a beam from one point of the world to another as a shape of the last body, which must be `link`. */
void dry_link_edge(maker *m, const dry_link *link, dry_point from, dry_point to, double half, int group);

/* Returns a point of the world in the body's frame. */
dry_point dry_link_local(const dry_link *link, dry_point at);

/* Sets the mass; the inertia that the shapes give scales with it. */
void dry_link_mass(maker *m, const dry_link *link, double mass);

void dry_link_move(maker *m, const dry_link *link, dry_point linear, dry_point angular);

/* Gives a body the velocity of a point that rotates about an axis through `pivot`. */
void dry_link_spin(maker *m, const dry_link *link, dry_point pivot, dry_point angular);

/* Completes a definition with anchors at the world's point `at` and, for types with frames, with a frame
 * whose rotation in the world is `frame`; then adds the joint. The values of its axes are 0 at the start. */
void dry_link_join(maker *m, dry_joint_def def, const dry_link *a, const dry_link *b, dry_point at,
                   dry_rotation frame);
void dry_link_ball(maker *m, const dry_link *a, const dry_link *b, dry_point at);

/* Adds a hinge about the world's z axis, of bodies that are rotated about z alone. Both frames are the same
 * bits, so that the axes of all such hinges are parallel without any rounding: planar linkages have redundant
 * rows, which must not contradict each other. The angle at the start is that between the two bodies. */
void dry_link_hinge(maker *m, const dry_link *a, const dry_link *b, dry_point at);

#endif
