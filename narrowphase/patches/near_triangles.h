/* The triangles of a surface that are near a convex piece, as the piece sees them: about its center, so that
 * floats lose nothing however far they are from the surface's origin. Next: patches.h. */
#ifndef NARROWPHASE_PATCHES_NEAR_TRIANGLES_H
#define NARROWPHASE_PATCHES_NEAR_TRIANGLES_H

#include "core/double3.h"
#include "geometry/geometry.h"
#include "geometry/shape_data.h"
#include "narrowphase/surface/same_surface.h"
#include "simd/processor.h"

/* Points of a piece that are this much higher than the lowest, relative to its radius, may bear with it. */
#define SAME_HEIGHT 0.05f

/* A gap is looked for as far as this many margins away. A margin is as far as the piece may come in a step.
 */
#define DRY_FAR_FACTOR 8.0f

enum { DRY_HELD_MOST = 8 };

/* Tells whether a unit vector is a normal of all other surfaces near a point, as dry_triangles_admit. */
typedef bool dry_admit_beside(const void *context, dry_vec3 point, dry_vec3 normal, float distance,
                              float slope);

/* A surface, and a convex piece near it. Directions are along the surface's axes. */
typedef struct dry_patch_pair {
    dry_geometry surface, piece;
    float radius;         /* of the piece, m */
    dry_double3 at;       /* the piece's center in the surface's frame, m */
    dry_quat orientation; /* of the piece */
    float margin;         /* of points, m */
    float closing;        /* the part of it by which the two may approach in the step, m */
    dry_vec3 way;         /* of the piece's center in the step, if nothing stops it, m */
    dry_vec3 lean;        /* gravity, m/s^2 */
    /* Normals of the piece's contacts with the surface in the step before. */
    dry_vec3 held[DRY_HELD_MOST];
    int held_count;
    dry_level level; /* whose kernels to run */
    dry_admit_beside *admit_beside;
    dry_admit_beside *level_beside; /* as dry_neighbors_level */
    const void *beside;             /* their context */
} dry_patch_pair;

typedef struct dry_near_triangle {
    dry_vec3 corner[3];  /* about the piece's center, counterclockwise seen from the piece's side, m */
    dry_vec3 normal;     /* unit, to the piece's side */
    dry_vec3 outward[3]; /* across each edge: unit, in the plane */
    float offset;        /* of the plane along the normal, m */
    float area;          /* twice the area, m^2 */
    float edge[3];       /* of each edge, the same from both sides: |the sum of its ends|^2, m^2 */
    uint32_t slot;
    int32_t plane; /* a number that the next stage gives */
    uint16_t material;
    bool is_back;     /* the piece is at the triangle's back */
    bool is_left_out; /* nothing of the piece may touch it, or others stand for it */
    bool is_borne;    /* a point of the piece lies over it */
    bool has_ridge;   /* the piece may touch one of its edges, and no other triangle looks after that */
    uint8_t ridges;   /* a bit for each edge where the surface falls away or ends */
    uint8_t flats;    /* a bit for each edge beyond which the surface goes on almost in the plane */
    uint8_t folds;    /* a bit for each of these beyond which a center of a round piece is near */
    uint8_t rises;    /* a bit for each edge where the surface rises */
    uint8_t ends;     /* a bit for each edge where the surface ends */
    uint8_t beyond;   /* a bit for each edge beyond which one of the piece's lowest points lies */
} dry_near_triangle;

/* Lists the triangles that the piece may touch from their front, or from the back of those that have two
 * sides, among others that are left out. Returns their number. If the list has not enough room for it,
 * nothing has been listed. */
int dry_near_triangles_collect(const dry_patch_pair *pair, dry_near_triangle *list, int room);

/* Returns a lower bound of the distance from the triangles of a piece that none is near, m. */
float dry_near_triangles_gap(const dry_patch_pair *pair);

/* Places a triangle about the piece. Returns false if it has no area. */
bool dry_near_triangle_place(const dry_patch_pair *pair, uint32_t slot, dry_near_triangle *triangle);

/* Points over triangles, and those that will be over them within the step (ahead.c). */

typedef struct dry_near_list {
    const dry_patch_pair *pair;
    const dry_near_triangle *triangle;
    int count;
} dry_near_list;

/* Returns the first triangle of the list, from number `from` on, that has an edge of a triangle, as its edge
 * *its_edge; the list's count if there is none. */
int dry_near_list_beyond(const dry_near_list *list, int from, const dry_near_triangle *t, int edge,
                         int *its_edge);

static inline bool dry_is_plane(dry_vec3 normal_a, float offset_a, dry_vec3 normal_b, float offset_b)
{
    return dry_abs(offset_a - offset_b) <= SAME_SURFACE && vec3_dot(normal_a, normal_b) >= SAME_PLANE;
}

/* Tells whether a point lies over a triangle, or no farther than a distance, m, beyond an edge of it. */
bool dry_lies_within(const dry_near_triangle *triangle, dry_vec3 point, float distance);

/* Tells whether a point lies beyond an edge of a triangle, and another triangle reaches farther beyond it. */
bool dry_lies_across(const dry_near_triangle *triangle, const dry_near_triangle *other, dry_vec3 point);

/* Tells whether a point beyond an edge, where the surface rises, may come over a triangle of the list within
 * the step: a body that comes down a slope meets the flat as soon as it leaves the slope. `depth` (m) is that
 * of the body below the plane: a corner that is deep below an edge lies beyond it for both of its planes. */
bool dry_lies_ahead(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point,
                    float depth);

/* Tells whether the floor goes on beyond the edges of a triangle at a point, though the triangle's own
 * surface ends at one of its edges: as other surfaces, or as a triangle of the list. */
bool dry_goes_on(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point);

/* A triangle as a convex solid: a prism below it, which collides as a hull does (prism.c). */

enum { DRY_PRISM_BYTES = 1280, DRY_PRISM_TRIANGLE = 0 /* the face */ };

/* A prism is this much deeper than what meets it is large: no way out leads through the bottom. */
#define DRY_PRISM_DEPTH 4.0f

typedef struct dry_prism {
    dry_shape_data data; /* of a hull; its form is `block` */
    _Alignas(64) char block[DRY_PRISM_BYTES];
} dry_prism;

/* Makes the prism of a triangle, `depth` (m) deep. Its frame is that in which the triangle's corners are. */
void dry_prism_make(dry_prism *prism, const dry_near_triangle *triangle, float depth);

/* Returns it as a shape, which lives as long as the prism. */
dry_geometry dry_prism_geometry(dry_prism *prism);

#endif
