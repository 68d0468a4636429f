/* The other surfaces under a body: a border that one of them continues pushes nobody. Next: neighbors.c, and
 * solid_faces.c for boxes and hulls that are parts of a floor. */
#ifndef NARROWPHASE_SURFACE_NEIGHBORS_H
#define NARROWPHASE_SURFACE_NEIGHBORS_H

#include "narrowphase/contact_update.h"
#include "narrowphase/manifold_build.h"

/* Solids move alike if one moves at most this far against the other in a step, m: a tenth of the distance
 * within which surfaces continue each other. */
#define DRY_MOVE_ALIKE 1e-4f

/* Returns the velocity of a static or kinematic body at a place relative to `center`, m/s. */
static inline dry_vec3 dry_fixed_velocity(const dry_bodies *bodies, int slot, const dry_position *center,
                                          dry_vec3 place)
{
    if (dry_body_state_of(bodies, slot)->type != DRY_BODY_KINEMATIC)
        return vec3(0.0f, 0.0f, 0.0f);
    const dry_body_velocity *v = dry_body_velocity_of(bodies, slot);
    const dry_position *at = &dry_body_pose_of(bodies, slot)->position;
    const dry_vec3 way =
        vec3((float)(center->x - at->x), (float)(center->y - at->y), (float)(center->z - at->z));
    return vec3_add(v->linear, vec3_cross(v->angular, vec3_add(way, place)));
}

/* Tells whether two fixed bodies move alike within a step of dt at a place relative to `center`, m. */
static inline bool dry_move_alike(const dry_bodies *bodies, int slot, int other, const dry_position *center,
                                  dry_vec3 place, float dt)
{
    return slot == other || dt * vec3_distance(dry_fixed_velocity(bodies, slot, center, place),
                                               dry_fixed_velocity(bodies, other, center, place)) <=
                                DRY_MOVE_ALIKE;
}

/* A moving shape on one of its surfaces, and the frame in which that pair collides. */
typedef struct dry_neighbors {
    const dry_contact_update *update;
    int fixed, moving; /* bodies' slots */
    int shape;         /* that moves */
    int own, child;    /* the surface: a shape, and a child of it if it is a compound */
    dry_quat axes;     /* of the frame in the world */
    dry_vec3 origin;   /* of the frame from the moving body's center, world axes, m */
} dry_neighbors;

/* Tells whether a unit vector is a normal of all other surfaces within `distance` (m) of a point: no part of
 * one rises above the plane through the point by more than `slope` times its distance. Point and normal are
 * in the pair's frame. `context` is a dry_neighbors. Reads nothing that stage contacts writes in parallel. */
bool dry_neighbors_admit(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope);

/* Tells whether another surface within `reach` (m) of a point has a face in the plane through it, within
 * `distance` (m). */
bool dry_neighbors_level(const void *context, dry_vec3 point, dry_vec3 normal, float reach, float distance);

/* A question about a normal, in the frame of one surface. */
typedef struct dry_question {
    dry_double3 point;
    dry_vec3 normal;
    float distance, slope; /* as of dry_neighbors_admit */
    float reach;           /* how far from the point surfaces are asked, m */
} dry_question;

/* The same as dry_neighbors_admit for one surface. */
bool dry_surface_admits(const dry_geometry *surface, const dry_question *q);

/* Tells whether neighbors may change a contact with a solid: of a box, points far from the edges of the face
 * that pushes need no question. */
bool dry_solid_asks(const dry_geometry *solid, const dry_local_manifold *found);

/* Lets a fixed box or hull bear on its faces where other surfaces go on. One of the bodies is dynamic, the
 * other is fixed. The points were found in the frame with the margin, m. */
void dry_keep_to_faces(const dry_contact_update *update, int contact, const dry_contact_pair *pair,
                       const dry_pair_frame *frame, float margin, dry_local_manifold *found);

#endif
