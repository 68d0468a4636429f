/* Stage "contacts": the faces of a fixed box or hull that goes on as another surface. Its edges and its
 * hidden sides push nobody; of the faces whose normals its neighbors allow, the one bears through which the
 * way out is shortest.
 *
 * Reads: geometries, the neighbors. Writes: a manifold. Next: narrowphase/build_bins.c. */
#include "narrowphase/surface/solid_faces.h"

#include "geometry/geometry.h"
#include "narrowphase/collide.h"
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/patches/reach.h"
#include "narrowphase/surface/same_surface.h"

/* A face counts as open if it is so this far from the point of contact, toward its middle, m. At the foot of
 * a wall, or where a slope begins, a surface has no normal, and yet the face bears. */
#define INWARD (4.0f * SAME_SURFACE)
/* Points farther than this from all edges of a face are not on a seam: nothing is as deep beside a box, m. */
#define NEAR_EDGE 0.05f
/* A normal whose other components are below this is that of a box's face. */
#define ON_FACE 1e-4f

/* The plane of a face. */
typedef struct face_plane {
    int face;
    dry_vec3 normal;
    float offset; /* m */
} face_plane;

/* One search. */
typedef struct solid_search {
    const dry_solid_floor *floor;
    const dry_neighbors *neighbors;
    dry_polytope solid;
    dry_vec3 center; /* of the polytope */
} solid_search;

bool dry_solid_asks(const dry_geometry *solid, const dry_local_manifold *found)
{
    if (found->count == 0)
        return false;
    if (solid->type != DRY_SHAPE_BOX)
        return solid->type == DRY_SHAPE_HULL;
    const dry_vec3 n = vec3_abs(found->normal);
    const int axis = n.x >= n.y ? (n.x >= n.z ? 0 : 2) : n.y >= n.z ? 1 : 2;
    for (int k = 0; k < 3; k++) {
        if (k == axis)
            continue;
        if (vec3_get(n, k) > ON_FACE)
            return true;
        for (int i = 0; i < found->count; i++)
            if (dry_abs(vec3_get(found->points[i].position, k)) > vec3_get(solid->size, k) - NEAR_EDGE)
                return true;
    }
    return false;
}

static void begin(solid_search *s)
{
    const dry_pair_kernels *kernels = dry_pair_kernels_at(s->floor->level);
    dry_polytope_begin(&s->solid, s->floor->solid, NULL);
    kernels->polytope_place_vertices(&s->solid);
    kernels->polytope_place_planes(&s->solid);
    s->center = vec3_of(s->solid.center);
}

static dry_vec3 vertex_of(const solid_search *s, int half_edge)
{
    return vec3_add(s->center, dry_polytope_vertex(&s->solid, s->solid.origin[half_edge]));
}

static face_plane plane_of(const solid_search *s, int face)
{
    const dry_vec3 normal = dry_polytope_normal(&s->solid, face);
    return (face_plane){face, normal, dry_polytope_offset(&s->solid, face) + vec3_dot(normal, s->center)};
}

/* Returns the mean of a face's vertices. */
static dry_vec3 middle_of(const solid_search *s, int face)
{
    const int first = s->solid.first[face];
    dry_vec3 sum = {0.0f, 0.0f, 0.0f};
    int count = 0, h = first;
    do {
        sum = vec3_add(sum, vertex_of(s, h));
        count++;
        h = s->solid.next[h];
    } while (h != first);
    return vec3_scale(sum, 1.0f / (float)count);
}

static bool admits(const solid_search *s, dry_vec3 point, dry_vec3 normal)
{
    return dry_neighbors_admit(s->neighbors, point, normal, SAME_SURFACE, LEAN_MOST);
}

/* Tells whether the normal found is one of the solid's own at a point. A line that rolls over an edge askew
 * has points beside the edge, where only a face has a normal. */
static bool is_own(const solid_search *s, const dry_local_manifold *found, dry_vec3 point)
{
    return !found->rolls ||
           dry_surface_admits(s->floor->solid, point, found->normal, SAME_SURFACE, LEAN_MOST);
}

/* Tells whether the normal found is one of the surface at any point. Sets the deepest point. */
static bool is_admitted(const solid_search *s, const dry_local_manifold *found, dry_vec3 *deepest)
{
    float least = FLT_MAX;
    for (int i = 0; i < found->count; i++) {
        const dry_local_point *p = &found->points[i];
        const dry_vec3 place = dry_local_on_a(found, p);
        if (p->separation < least)
            *deepest = place;
        least = dry_min(least, p->separation);
        if (is_own(s, found, place) && admits(s, place, found->normal))
            return true;
    }
    return false;
}

/* Tells whether a face is open near a point of the solid. */
static bool is_open(const solid_search *s, const face_plane *plane, dry_vec3 point)
{
    const float above = vec3_dot(plane->normal, point) - plane->offset;
    const dry_vec3 on_face = vec3_add_scaled(point, -above, plane->normal);
    if (admits(s, on_face, plane->normal))
        return true;
    const dry_vec3 way = vec3_sub(middle_of(s, plane->face), on_face);
    const float length = vec3_length(way);
    return length > INWARD && admits(s, vec3_add_scaled(on_face, INWARD / length, way), plane->normal);
}

/* Finds the open face through which the piece leaves the surface by the shortest way. Returns false if there
 * is none. `point` lies on the solid. */
static bool find_face(const solid_search *s, dry_vec3 point, face_plane *best)
{
    const dry_solid_floor *f = s->floor;
    dry_reach reach;
    dry_reach_begin(&reach, f->piece, f->pose->orientation, f->level);
    float most = -FLT_MAX;
    for (int i = 0; i < s->solid.face_count; i++) {
        const face_plane plane = plane_of(s, i);
        const float height = vec3_dot(plane.normal, f->pose->position) - plane.offset;
        const float separation = height - dry_reach_along(&reach, vec3_neg(plane.normal));
        if (separation <= most || separation > f->margin || !is_open(s, &plane, point))
            continue;
        most = separation;
        *best = plane;
    }
    return most > -FLT_MAX;
}

/* Tells whether a point of the piece bears on a face: it lies over the face, or comes over it in this step.
 * The latter counts where a surface beside the face lies higher than its plane: on that one alone the point
 * would be below the face when it comes there. */
static bool bears(const solid_search *s, const face_plane *plane, dry_vec3 point)
{
    const float away = dry_polytope_beyond(&s->solid, plane->face, vec3_sub(point, s->center));
    if (away <= SAME_SURFACE || away > s->floor->margin)
        return away <= SAME_SURFACE;
    const float above = vec3_dot(plane->normal, point) - plane->offset;
    return !admits(s, vec3_add_scaled(point, -above, plane->normal), plane->normal);
}

/* Collides the piece with the plane of a face: takes the points that bear on the face. */
static void collide_ends(const solid_search *s, const face_plane *plane, dry_local_manifold *found)
{
    const dry_solid_floor *f = s->floor;
    const dry_geometry halfspace = {{0.0f, 1.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};
    const dry_transform frame = dry_halfspace_frame(plane->normal, plane->offset);
    const dry_transform piece = transform_relative(&frame, f->pose);
    dry_local_manifold m;
    dry_collide_leaning(&halfspace, f->piece, &piece, f->margin,
                        quat_rotate_inverse(frame.orientation, found->lean), &m);
    found->count = 0;
    found->normal = plane->normal;
    found->rolls = m.rolls;
    for (int i = 0; i < m.count; i++) {
        const dry_local_point *p = &m.points[i];
        const dry_vec3 at = transform_point(&frame, p->position);
        if (bears(s, plane, at))
            dry_local_manifold_add(found, at, p->separation, p->feature);
    }
}

/* Gives a contact that rolls on a hull the normal of a face, if it is all but that: a cylinder that tilts
 * over the edge of a face would be driven aside. Returns whether it did. */
static bool straighten(const solid_search *s, dry_local_manifold *found)
{
    for (int i = 0; i < s->solid.face_count; i++) {
        const dry_vec3 normal = dry_polytope_normal(&s->solid, i);
        if (vec3_dot(normal, found->normal) < SAME_PLANE)
            continue;
        found->normal = normal;
        return true;
    }
    return false;
}

/* Keeps a contact whose normal the surface has, or finds the face through which the piece leaves. Returns
 * whether it found one; `changed` tells whether the contact it keeps is another.
 *
 * A function of its own, and so is `collide_with_plane`: the solid as a polytope takes 11 KB of a worker's
 * stack, and colliding on a face takes two more. */
DRY_NOINLINE static bool look_for_face(const dry_solid_floor *f, const dry_neighbors *neighbors,
                                       dry_local_manifold *found, face_plane *plane, bool *changed)
{
    solid_search s = {.floor = f, .neighbors = neighbors};
    dry_vec3 deepest = {0.0f, 0.0f, 0.0f};
    *changed = false;
    if (found->rolls && f->solid->type == DRY_SHAPE_HULL) {
        begin(&s);
        *changed = straighten(&s, found);
    }
    if (is_admitted(&s, found, &deepest))
        return false;
    DRY_ASSERT(found->count > 0);
    begin(&s);
    return find_face(&s, deepest, plane);
}

DRY_NOINLINE static void collide_with_plane(const dry_solid_floor *f, const dry_neighbors *neighbors,
                                            const face_plane *plane, dry_local_manifold *found)
{
    solid_search s = {.floor = f, .neighbors = neighbors};
    begin(&s);
    collide_ends(&s, plane, found);
}

bool dry_solid_keep_to_faces(const dry_solid_floor *f, const dry_neighbors *neighbors,
                             dry_local_manifold *found)
{
    face_plane plane;
    bool changed;
    const bool is_round = f->piece->type != DRY_SHAPE_BOX && f->piece->type != DRY_SHAPE_HULL;
    if (!look_for_face(f, neighbors, found, &plane, &changed))
        return changed;
    if (!is_round)
        dry_collide_on_face(f->level, f->solid, f->piece, f->pose, f->margin, plane.face, found);
    if (is_round || found->count == 0)
        collide_with_plane(f, neighbors, &plane, found);
    found->separation_min = 0.0f;
    return true;
}
