/* Closed surfaces of triangles that grow by points outside of them, and convex hulls made so. All in double,
 * and none of it the engine's: the measure and the picture take hulls from here. */
#ifndef TOOLS_SCENES_POLYTOPE_H
#define TOOLS_SCENES_POLYTOPE_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DRY_POLYTOPE_VERTICES_MAX = 1024 };

typedef struct dry_surface_face {
    int corner[3];    /* counterclockwise seen from outside */
    bool alive;       /* false once a point was outside of it */
    double normal[3]; /* outward unit normal; 0 if the triangle has no area */
    double offset;    /* of its plane along the normal */
} dry_surface_face;

/* A convex surface in arrays of the caller. */
typedef struct dry_surface {
    double (*vertices)[3];
    dry_surface_face *faces;
    int vertex_count, face_count; /* dead faces count, too */
    int vertex_room, face_room;
    double tolerance; /* points nearer to a face's plane lie on it, m */
} dry_surface;

/* Makes the surface of the tetrahedron of the first four vertices. */
void dry_surface_begin(dry_surface *surface);

/* Adds a point: faces that see it die, and new ones join it to their rim. New faces begin at the face_count
 * before. Returns false, and changes nothing, if there is no room. */
bool dry_surface_add(dry_surface *surface, const double point[3]);

/* A convex hull and its integrals at density 1. */
typedef struct dry_polytope {
    double (*vertices)[3];
    int (*triangles)[3]; /* counterclockwise seen from outside */
    int vertex_count, triangle_count;
    double volume, center[3];
    double second[3][3]; /* the integral of x y over the volume, about the center */
    double low[3], high[3];
    double (*planes)[4]; /* of the faces, each once: outward unit normal, offset along it */
    int plane_count;
} dry_polytope;

/* Returns the hull of points that span a volume, with at most DRY_POLYTOPE_VERTICES_MAX vertices: those that
 * lie farthest out. Returns null if there is no memory, or if the points span no volume. */
dry_polytope *dry_polytope_make(const dry_vec3 *points, int count);

void dry_polytope_free(dry_polytope *polytope);

#ifdef __cplusplus
}
#endif

#endif
