/* Parts of two convex shapes that face each other, seen along the pair's normal: faces, lines, flat ends. One
 * clip serves all of them. Next: outline.c; then hull_hull.c and round_pair.c, which ask for it. */
#ifndef NARROWPHASE_PAIRS_OUTLINE_H
#define NARROWPHASE_PAIRS_OUTLINE_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/pairs/patch.h"
#include "narrowphase/pairs/polytope.h"

/* The view along the normal, which points from a to b. The origin lies near the contact, so that places about
 * it keep their digits on large shapes. */
typedef struct dry_view {
    dry_double3 origin;    /* in the frame of the pair, m */
    dry_vec3 x, y, normal; /* unit */
    float place;           /* corners nearer than this count as one, m */
    float margin;          /* m */
    uint32_t name_bits;    /* of a part of either shape in the name of a point */
    float lean_x, lean_y;  /* unit: the way to which the load leans; or zero */
} dry_view;

typedef struct dry_outline_corner {
    float x, y;
    uint16_t name, edge; /* its name, and that of the edge that runs from it */
} dry_outline_corner;

typedef enum dry_outline_kind {
    DRY_OUTLINE_NONE,
    DRY_OUTLINE_LINE, /* two corners */
    DRY_OUTLINE_FACE, /* corners of a polytope's face, which are found when they are asked for */
    DRY_OUTLINE_DISC, /* eight corners around the rim */
} dry_outline_kind;

typedef struct dry_outline {
    dry_outline_kind kind;
    dry_polytope *polytope;     /* of a face */
    uint32_t part;              /* its name among the parts of the shape */
    float at, slope_x, slope_y; /* the height of its plane along the normal: at + slope_x x + slope_y y, m */
    float turn;                 /* 1 or -1: corners run counterclockwise, or clockwise */
    float middle_x, middle_y;   /* of a disc, whose ellipse `inverse` takes to the unit circle; of a face */
    float inverse[2][2], radius;
    float inner; /* places nearer than this to the middle lie well within a face; 0 if it is not known, m */
    int count;
    dry_outline_corner corner[DRY_HULL_VERTICES_MAX];
} dry_outline;

/* The points that a clip finds. */
enum { DRY_CLIPPED_MAX = 256 };
typedef struct dry_clipped {
    int count;
    bool has_origin; /* the view's origin is one of them, and lies on a's surface */
    dry_patch_point point[DRY_CLIPPED_MAX];
} dry_clipped;

/* Kinds of points, by the parts that touch. A point's name has its kind, the part of a and the part of b. */
enum { DRY_AT_CORNER_OF_A = 1, DRY_AT_CORNER_OF_B = 2, DRY_AT_EDGES = 3 };

static inline uint32_t dry_view_name(const dry_view *v, uint32_t kind, uint32_t of_a, uint32_t of_b)
{
    return kind << 2 * v->name_bits | of_a << v->name_bits | of_b;
}

/* Returns a view along a unit normal whose x axis lies about along a direction. */
dry_view dry_view_along(dry_vec3 normal, dry_vec3 x);

/* Returns a vector of the frame as the view sees it: x, y, height. */
static inline dry_vec3 dry_view_see(const dry_view *v, dry_vec3 d)
{
    return vec3(vec3_dot(d, v->x), vec3_dot(d, v->y), vec3_dot(d, v->normal));
}

/* Describes a face of a polytope whose planes are placed. The polytope stays until the outline is clipped. */
void dry_outline_face(const dry_view *v, dry_polytope *p, int face, dry_outline *o);
/* Describes a line from `middle` - `half` to `middle` + `half`, as the view sees them. It leans by less than
 * 45 degrees against the plane of the view. Its ends are its corners, with the names `name` and `name` + 1.
 */
void dry_outline_line(dry_vec3 middle, dry_vec3 half, uint16_t name, dry_outline *o);
/* Describes a disc by its middle and two orthogonal radii. Its corners are the ends of `u`, then those of
 * `v`, then those between, with the names from `name` on. */
void dry_outline_disc(dry_vec3 middle, dry_vec3 u, dry_vec3 v, uint16_t name, dry_outline *o);

/* Finds where the outline of b lies over that of a, or the other way round: the corners of the one, cut by
 * the sides of the other, `reference`. A line is no reference of a face or a disc, and a disc is that of all
 * but a disc. Leaves no point where the faces overlap by no more than `place`. */
void dry_outlines_clip(const dry_view *v, dry_outline *a, dry_outline *b, bool reference_is_b,
                       dry_clipped *found);

/* Writes the best four points to a manifold. Depths that differ by less than `same` count as equal, m. */
void dry_clipped_write(const dry_view *v, const dry_outline *a, dry_clipped *found, float same,
                       dry_local_manifold *manifold);

#endif
