/* The other surfaces under a body: a border that one of them continues pushes nobody. Next: neighbors.c. */
#ifndef NARROWPHASE_SURFACE_NEIGHBORS_H
#define NARROWPHASE_SURFACE_NEIGHBORS_H

#include "narrowphase/contact_update.h"

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

#endif
