/* Stage "contacts": the faces of a fixed hull that goes on as another surface. Its edges and its hidden sides
 * push nobody; of the faces whose normals its neighbors allow, the one bears through which the way out is
 * shortest.
 *
 * Reads: geometries, the neighbors. Writes: a manifold. Next: narrowphase/build_bins.c. */
#include "narrowphase/surface/hull_faces.h"

#include "geometry/geometry.h"
#include "geometry/shape_data.h"
#include "narrowphase/collide.h"
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/patches/reach.h"
#include "narrowphase/surface/same_surface.h"

/* The plane of a face, in the hull's frame. */
typedef struct face_plane {
    int face;
    dry_vec3 normal;
    float offset; /* m */
} face_plane;

static const dry_hull *hull_of(const dry_hull_floor *f)
{
    return f->hull->data->form;
}

static dry_vec3 scaled_vertex(const dry_hull_floor *f, int vertex)
{
    return vec3_mul(f->hull->size, dry_hull_vertex(hull_of(f), vertex));
}

/* Returns the plane of a face as the scale leaves it. */
static face_plane plane_of(const dry_hull_floor *f, int face)
{
    const dry_hull *hull = hull_of(f);
    const dry_vec3 n = dry_hull_normal(hull, face), s = f->hull->size;
    const dry_vec3 normal = vec3_normalize_or(vec3(n.x / s.x, n.y / s.y, n.z / s.z), n);
    const dry_vec3 on = scaled_vertex(f, dry_hull_origins(hull)[dry_hull_firsts(hull)[face]]);
    return (face_plane){face, normal, vec3_dot(normal, on)};
}

static const dry_local_point *deepest_of(const dry_local_manifold *m)
{
    int deepest = 0;
    for (int i = 1; i < m->count; i++)
        deepest = m->points[i].separation < m->points[deepest].separation ? i : deepest;
    return &m->points[deepest];
}

/* Finds the face through which the piece leaves the surface by the shortest way. Returns false if there is
 * none. `point` lies on the hull. */
static bool find_face(const dry_hull_floor *f, const dry_neighbors *neighbors, dry_vec3 point,
                      face_plane *best)
{
    dry_reach reach;
    dry_reach_begin(&reach, f->piece, f->pose->orientation, f->level);
    float most = -FLT_MAX;
    for (int i = 0; i < hull_of(f)->face_count; i++) {
        const face_plane plane = plane_of(f, i);
        const float height = vec3_dot(plane.normal, f->pose->position) - plane.offset;
        const float separation = height - dry_reach_along(&reach, vec3_neg(plane.normal));
        if (separation <= most || separation > f->margin)
            continue;
        const float above = vec3_dot(plane.normal, point) - plane.offset;
        const dry_vec3 on_face = vec3_add_scaled(point, -above, plane.normal);
        if (!dry_neighbors_admit(neighbors, on_face, plane.normal, SAME_SURFACE, LEAN_MOST))
            continue;
        most = separation;
        *best = plane;
    }
    return most > -FLT_MAX;
}

/* Tells whether a point lies over a face. */
static bool lies_over(const dry_hull_floor *f, const face_plane *plane, dry_vec3 point)
{
    const dry_hull *hull = hull_of(f);
    const dry_vec3 s = f->hull->size;
    const float winding = s.x * s.y * s.z < 0.0f ? -1.0f : 1.0f;
    const int first = dry_hull_firsts(hull)[plane->face];
    int h = first;
    do {
        const int next = dry_hull_nexts(hull)[h];
        const dry_vec3 from = scaled_vertex(f, dry_hull_origins(hull)[h]);
        const dry_vec3 along = vec3_sub(scaled_vertex(f, dry_hull_origins(hull)[next]), from);
        const dry_vec3 inward = vec3_scale(vec3_cross(plane->normal, along), winding);
        if (vec3_dot(inward, vec3_sub(point, from)) < -SAME_SURFACE * vec3_length(along))
            return false;
        h = next;
    } while (h != first);
    return true;
}

/* Collides a round piece with a face: its points over the plane that lie over the face. */
static void collide_round(const dry_hull_floor *f, const face_plane *plane, dry_local_manifold *found)
{
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
        if (lies_over(f, plane, at))
            dry_local_manifold_add(found, at, p->separation, p->feature);
    }
}

/* Gives a contact that rolls the normal of a face, if it is all but that: a cylinder that tilts over the edge
 * of a face would be driven aside. */
static void straighten(const dry_hull_floor *f, dry_local_manifold *found)
{
    for (int i = 0; i < hull_of(f)->face_count && found->rolls; i++) {
        const dry_vec3 normal = plane_of(f, i).normal;
        if (vec3_dot(normal, found->normal) >= SAME_PLANE)
            found->normal = normal;
    }
}

void dry_hull_keep_to_faces(const dry_hull_floor *f, const dry_neighbors *neighbors,
                            dry_local_manifold *found)
{
    if (found->count == 0)
        return;
    const dry_local_point *p = deepest_of(found);
    const dry_vec3 on_hull = vec3_add_scaled(p->position, -0.5f * p->separation, found->normal);
    face_plane plane;
    straighten(f, found);
    if (dry_neighbors_admit(neighbors, on_hull, found->normal, SAME_SURFACE, LEAN_MOST) ||
        !find_face(f, neighbors, on_hull, &plane))
        return;
    if (f->piece->type == DRY_SHAPE_BOX || f->piece->type == DRY_SHAPE_HULL)
        dry_collide_on_face(f->level, f->hull, f->piece, f->pose, f->margin, plane.face, found);
    else
        collide_round(f, &plane, found);
    found->separation_min = 0.0f;
}
