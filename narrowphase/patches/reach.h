/* How far a convex piece reaches along a direction, and which of its points are lowest over a plane. */
#ifndef NARROWPHASE_PATCHES_REACH_H
#define NARROWPHASE_PATCHES_REACH_H

#include "narrowphase/pairs/polytope.h"

/* A piece that turns about its center. */
typedef struct dry_reach {
    dry_geometry piece;
    dry_mat3 axes;
    bool has_vertices;
    const dry_polytope_kernels *kernels;
    dry_polytope hull; /* of a box or a hull, about `middle` from the piece's center, m */
    dry_vec3 middle;
} dry_reach;

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation);

/* Returns how far the piece reaches from its center along a unit vector, m. */
float dry_reach_along(const dry_reach *reach, dry_vec3 n);

/* Points of a piece over a plane. Those of a round piece are the lowest of each of its parts. */
typedef struct dry_low_points {
    int count;
    bool is_disc;                          /* the end of a cylinder: points all around it may bear */
    float least;                           /* height, m */
    dry_vec3 point[DRY_HULL_VERTICES_MAX]; /* about the piece's center, m */
    float height[DRY_HULL_VERTICES_MAX];
} dry_low_points;

/* Lists the points that lie less than `most` over a plane with unit normal n and an offset from the piece's
 * center, m. */
void dry_reach_low_points(const dry_reach *reach, dry_vec3 n, float offset, float most, dry_low_points *low);

#endif
