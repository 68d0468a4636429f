/* Distances and casts of convex shapes by FCL, for C. Next: convex_fcl.cpp. */
#ifndef TESTS_NARROWPHASE_CONVEX_FCL_H
#define TESTS_NARROWPHASE_CONVEX_FCL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fcl_kind { FCL_CAPSULE, FCL_CYLINDER, FCL_BOX, FCL_CONVEX } fcl_kind;

/* A shape in the world. A capsule or cylinder lies along its y axis; a capsule of half length 0 is a sphere.
 * The vertices and faces of a polytope are in the world. */
typedef struct fcl_shape {
    fcl_kind kind;
    double center[3], rotation[4]; /* x y z w */
    double half[3];                /* box; capsule and cylinder: radius, half length */
    double (*vertices)[3];
    const int *faces; /* for each face the number of its corners, and the corners counterclockwise */
    int vertex_count, face_count;
} fcl_shape;

/* Returns the distance, or a negative number if the shapes overlap. */
double fcl_distance_of(const fcl_shape *a, const fcl_shape *b);

/* Returns the share of a way of b until it touches a, by conservative advancement; 1 if it does not. */
double fcl_time_of_impact(const fcl_shape *a, const fcl_shape *b, const double way[3], double tolerance);

#ifdef __cplusplus
}
#endif

#endif
