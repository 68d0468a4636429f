/* How a surface of triangles holds a convex piece.
 *
 * Triangles are grouped by plane. A plane is a half-space as long as all of its points lie over triangles of
 * the group: however a floor is cut into triangles, it bears as the half-space does, with the same points
 * under the same names. Where points lie beside the triangles, each triangle collides by itself, as a prism.
 * Its normal is its own, or that of an edge or a corner, which holds only where no triangle near the point
 * rises above it: ridges are felt, flat and concave edges are not. Where one is not allowed, the face bears.
 *
 * Reads: near triangles. Next: prism.c, narrowphase/pairs/. */
#include "narrowphase/patches/patches.h"

#include "core/compiler.h"
#include "geometry/triangle.h"
#include "geometry/triangles.h"
#include "narrowphase/collide.h"
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/patches/near_triangles.h"
#include "narrowphase/surface/same_surface.h"

/* A prism's normal with this cosine to its triangle's is the triangle's. A contact that rolls needs more: its
 * lever arm is along the normal, or spin would lift it. */
#define ON_FACE 0.9998f

/* At the border of a surface a normal that leans by as little as a contact that rolls may have must be
 * refused. Triangles see a part of the slope. */
#define LEAN_BESIDE (0.1f * LEAN_MOST)

typedef struct search {
    const dry_patch_pair *pair;
    dry_patch_room room;
    int triangle_count, plane_count, candidate_count;
    dry_hull_search *hulls; /* of prisms with the piece, if it is a box or a hull */
    bool has_piece;         /* hulls has taken the piece */
} search;

/* Returns the patch of a plane; a new one, if there is none yet. */
static int patch_of(search *s, dry_vec3 normal, float offset, uint16_t material, uint32_t slot)
{
    for (int i = 0; i < s->plane_count; i++) {
        const dry_patch_plane *p = &s->room.planes[i];
        if (p->patch.material == material && dry_is_plane(p->patch.found.normal, p->offset, normal, offset))
            return i;
    }
    DRY_ASSERT(s->plane_count <= DRY_PLANES_PER_TRIANGLE * s->room.triangle_count);
    s->room.planes[s->plane_count] =
        (dry_patch_plane){.patch = {{.normal = normal}, slot, material}, .offset = offset, .first = -1};
    return s->plane_count++;
}

/* Puts each triangle into its plane, which the largest one defines. */
static void find_planes(search *s)
{
    for (int i = 0; i < s->triangle_count; i++) {
        dry_near_triangle *t = &s->room.triangles[i];
        if (t->is_left_out)
            continue;
        t->plane = patch_of(s, t->normal, t->offset, t->material, t->slot);
        dry_patch_plane *p = &s->room.planes[t->plane];
        if (t->area <= p->area)
            continue;
        p->patch.found.normal = t->normal;
        p->offset = t->offset;
        p->area = t->area;
        p->patch.slot = t->slot;
    }
}

/* Collides the piece with a half-space in the plane of a patch. */
static void meet_plane(const dry_patch_pair *pair, dry_patch_plane *patch)
{
    const dry_geometry halfspace = {{0.0f, 1.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};
    const dry_vec3 normal = patch->patch.found.normal;
    const dry_transform frame = dry_halfspace_frame(normal, patch->offset);
    const dry_transform piece = {{0.0f, -patch->offset, 0.0f},
                                 quat_mul(quat_conjugate(frame.orientation), pair->orientation)};
    const dry_vec3 lean = quat_rotate_inverse(frame.orientation, pair->lean);
    dry_collide_leaning(&halfspace, &pair->piece, &piece, pair->margin, lean, &patch->patch.found);
    patch->patch.found.normal = normal;
    const dry_mat3 axes = mat3_from_quat(frame.orientation);
    patch->x = axes.x;
    patch->z = axes.z;
    for (int i = 0; i < patch->patch.found.count; i++) {
        dry_local_point *p = &patch->patch.found.points[i];
        p->position = vec3_add(frame.position, mat3_mul(&axes, p->position));
    }
}

/* Tells whether all points of a patch lie over its triangles. */
static bool is_covered(const search *s, int patch)
{
    const dry_patch_plane *p = &s->room.planes[patch];
    for (int i = 0; i < p->patch.found.count; i++) {
        bool over = false;
        for (int k = 0; k < s->triangle_count && !over; k++)
            over = s->room.triangles[k].plane == patch &&
                   dry_lies_within(&s->room.triangles[k], p->patch.found.points[i].position, SAME_SURFACE);
        if (!over)
            return false;
    }
    return true;
}

static void add_candidate(search *s, dry_patch_plane *patch, const dry_patch_point *point, bool is_spare)
{
    DRY_ASSERT(s->candidate_count < DRY_CANDIDATES_PER_TRIANGLE * s->triangle_count);
    const dry_patch_candidate c = {*point, is_spare, -1};
    dry_candidates_add(s->room.candidates, &s->candidate_count, patch, &c, SAME_SURFACE * s->pair->radius);
}

/* Returns a point of a manifold as seen over a patch's plane. A point of the plane, if it is one, lends its
 * name: it is the same wherever the piece lies on the surface. */
static dry_patch_point over_plane(const dry_patch_plane *patch, const dry_local_point *point, uint32_t slot)
{
    dry_patch_point p = {vec3_dot(patch->x, point->position), vec3_dot(patch->z, point->position),
                         point->separation,
                         0x80000000u | (slot * 2654435761u ^ point->feature * 2246822519u)};
    for (int i = 0; i < patch->patch.found.count && patch->is_cut; i++) {
        const dry_vec3 apart = vec3_sub(patch->patch.found.points[i].position, point->position);
        if (vec3_length_squared(apart) <= SAME_SURFACE * SAME_SURFACE)
            p.feature = patch->patch.found.points[i].feature;
    }
    return p;
}

/* Tells whether a triangle may lie within SAME_SURFACE of a point. */
static bool may_be_at(const dry_near_triangle *t, dry_vec3 point)
{
    const dry_vec3 low = vec3_min(vec3_min(t->corner[0], t->corner[1]), t->corner[2]),
                   high = vec3_max(vec3_max(t->corner[0], t->corner[1]), t->corner[2]);
    const float same = 2.0f * SAME_SURFACE; /* twice: corners are rounded */
    for (int k = 0; k < 3; k++) {
        const float at = vec3_get(point, k);
        if (at < vec3_get(low, k) - same || at > vec3_get(high, k) + same)
            return false;
    }
    return true;
}

/* Tells whether all triangles at a point allow a normal. */
static bool triangles_admit(const search *s, dry_vec3 at, dry_vec3 normal, float slope)
{
    const dry_geometry *surface = &s->pair->surface;
    const dry_double3 point = double3_add(s->pair->at, double3_of(at)), n = double3_of(normal);
    dry_double3 corner[3];
    for (int i = 0; i < s->triangle_count; i++) {
        if (!may_be_at(&s->room.triangles[i], at))
            continue;
        dry_triangles_corners(surface, s->room.triangles[i].slot, corner);
        if (!dry_triangle_admits(corner, point, n, (double)SAME_SURFACE, (double)slope))
            return false;
    }
    return true;
}

/* Tells whether the normal of a triangle's manifold is one of the surface, and of those beside it. */
static bool is_admitted(const search *s, const dry_near_triangle *t, const dry_local_manifold *m)
{
    const dry_vec3 at = dry_local_deepest(m);
    return triangles_admit(s, at, m->normal, t->ends ? LEAN_BESIDE : LEAN_MOST) &&
           s->pair->admit_beside(s->pair->beside, at, m->normal, SAME_SURFACE, LEAN_BESIDE);
}

static void take_point(search *s, const dry_near_triangle *t, const dry_local_point *p, bool is_spare)
{
    DRY_ASSERT(t->plane >= 0 && t->plane < s->plane_count);
    dry_patch_plane *plane = &s->room.planes[t->plane];
    const dry_patch_point point = over_plane(plane, p, t->slot);
    add_candidate(s, plane, &point, is_spare);
}

/* Adds the points of a plane that lie no farther than a distance, m, beyond the edges of a triangle. */
static void take_points_within(search *s, const dry_near_triangle *t, float distance)
{
    const dry_local_manifold *m = &s->room.planes[t->plane].patch.found;
    for (int i = 0; i < m->count; i++)
        if (dry_lies_within(t, dry_local_on_a(m, &m->points[i]), distance))
            take_point(s, t, &m->points[i], false);
}

/* Adds the points of a plane that may come over a triangle within the step, or lie below its edge to a slope.
 */
static void take_points_ahead(search *s, const dry_near_triangle *t)
{
    const dry_near_list list = {s->pair, s->room.triangles, s->triangle_count};
    const dry_local_manifold *m = &s->room.planes[t->plane].patch.found;
    for (int i = 0; i < m->count; i++)
        if (dry_lies_ahead(&list, t, dry_local_on_a(m, &m->points[i]), -m->points[i].separation))
            take_point(s, t, &m->points[i], false);
}

/* Tells whether a triangle with a ridge is so deep in the piece that a way out over the ridge may be shorter.
 */
static bool is_deep(const search *s, const dry_near_triangle *t)
{
    return t->ridges && s->room.planes[t->plane].patch.found.separation_min < -SAME_HEIGHT * s->pair->radius;
}

static void add_points(search *s, dry_patch_plane *to, const dry_local_manifold *m, uint32_t slot)
{
    to->patch.found.rolls |= m->rolls;
    for (int i = 0; i < m->count; i++) {
        const dry_patch_point point = over_plane(to, &m->points[i], slot);
        add_candidate(s, to, &point, false);
    }
}

/* Adds the points of a triangle's face to its plane. A point on the border to another surface bears nothing:
 * all that lies on the floor which they make together lies on the points of the plane. The triangle's own
 * choice may lack some of these: then such a point is spare. */
static void add_face_points(search *s, const dry_near_triangle *t, const dry_local_manifold *m)
{
    const dry_near_list list = {s->pair, s->room.triangles, s->triangle_count};
    dry_local_manifold *found = &s->room.planes[t->plane].patch.found;
    /* Surfaces may choose other corners of a face with more. */
    const bool has_all = found->count < 4 || s->pair->piece.type == DRY_SHAPE_BOX;
    found->rolls |= m->rolls;
    if (t->ends)
        take_points_within(s, t, SAME_SURFACE);
    for (int i = 0; i < m->count; i++) {
        const bool goes_on = dry_goes_on(&list, t, dry_local_on_a(m, &m->points[i]));
        if (!has_all || !goes_on)
            take_point(s, t, &m->points[i], goes_on);
    }
}

static void meet_prism(search *s, const dry_geometry *prism, dry_local_manifold *m)
{
    const dry_patch_pair *pair = s->pair;
    const dry_transform piece = {{0.0f, 0.0f, 0.0f}, pair->orientation};
    if (!dry_type_is_polytope(pair->piece.type)) {
        dry_collide_leaning(prism, &pair->piece, &piece, pair->margin, pair->lean, m);
        return;
    }
    if (!s->has_piece)
        dry_hull_search_take_b(s->hulls, pair->level, &pair->piece, &piece, pair->margin);
    s->has_piece = true;
    dry_collide_next(s->hulls, prism, m);
}

/* Tells whether a triangle is one of a level floor, whose edges push nobody at a gap: the piece reaches as
 * far as its plane, and stands on another triangle of its plane, or over a gap to it, or is near another
 * surface in it. A piece that rolls keeps to the edges of a gap into which it dips: there no point is near.
 */
static bool is_level(const search *s, const dry_near_triangle *t)
{
    const dry_patch_pair *pair = s->pair;
    const dry_local_manifold *found = &s->room.planes[t->plane].patch.found;
    const float ahead = found->rolls ? dry_level_ahead(pair->closing) : FLT_MAX;
    bool is_near = false;
    for (int i = 0; i < found->count; i++)
        is_near |= dry_lies_within(t, dry_local_on_a(found, &found->points[i]), ahead);
    if (!is_near || dry_abs(found->separation_min) > SAME_SURFACE || !dry_bears_weight(t->normal, pair->lean))
        return false;
    for (int i = 0; i < s->triangle_count; i++) {
        const dry_near_triangle *other = &s->room.triangles[i];
        if (other->plane == t->plane && other->slot != t->slot &&
            (other->is_borne || dry_lies_across(t, other, dry_local_on_a(found, &found->points[0]))))
            return true;
    }
    return pair->level_beside(pair->beside, vec3_scale(t->normal, t->offset), t->normal, pair->radius,
                              SAME_SURFACE);
}

/* Lets a triangle with a ridge collide by itself. Where the best normal is not allowed, its face bears. */
static void meet_triangle(search *s, const dry_near_triangle *t)
{
    dry_prism prism;
    dry_prism_make(&prism, t, DRY_PRISM_DEPTH * s->pair->radius);
    const dry_geometry solid = dry_prism_geometry(&prism);
    dry_local_manifold m = {.lean = s->pair->lean};
    meet_prism(s, &solid, &m);
    if (m.count == 0)
        return;
    if (vec3_dot(m.normal, t->normal) >= (m.rolls ? SAME_PLANE : ON_FACE)) {
        add_face_points(s, t, &m);
        return;
    }
    const bool level = is_level(s, t);
    if (!level && is_admitted(s, t, &m)) {
        const float offset = vec3_dot(m.normal, dry_local_deepest(&m));
        const int known = s->plane_count, number = patch_of(s, m.normal, offset, t->material, t->slot);
        dry_patch_plane *ridge = &s->room.planes[number];
        if (number == known) {
            const dry_mat3 axes = mat3_from_quat(dry_halfspace_frame(m.normal, 0.0f).orientation);
            ridge->x = axes.x, ridge->z = axes.z;
        }
        add_points(s, ridge, &m, t->slot);
    } else if (dry_type_is_polytope(s->pair->piece.type)) {
        dry_hull_face_contact(s->hulls, false, DRY_PRISM_TRIANGLE, &m);
        add_face_points(s, t, &m);
    } else {
        take_points_within(s, t, level ? dry_level_ahead(s->pair->closing) : SAME_SURFACE);
    }
}

/* Makes the manifold of a patch out of its candidates. */
static void choose_points(search *s, dry_patch_plane *patch)
{
    if (patch->count > 4)
        dry_candidates_reduce(s->room.candidates, patch, SAME_SURFACE * s->pair->radius);
    patch->patch.found.count = 0;
    for (int i = patch->first; i >= 0; i = s->room.candidates[i].next) {
        const dry_patch_point *p = &s->room.candidates[i].point;
        dry_vec3 at = vec3_scale(patch->patch.found.normal, patch->offset + 0.5f * p->height);
        at = vec3_add_scaled(vec3_add_scaled(at, p->x, patch->x), p->y, patch->z);
        dry_local_manifold_add(&patch->patch.found, at, p->height, p->feature);
    }
}

/* Moves the patches with points to the front. */
static void drop_empty(search *s)
{
    int kept = 0;
    for (int i = 0; i < s->plane_count; i++)
        if (s->room.planes[i].patch.found.count > 0)
            s->room.planes[kept++] = s->room.planes[i];
    s->plane_count = kept;
}

/* Pushes a piece whose center is in the solid out along the normal of the nearest triangle. */
static void push_out(search *s)
{
    dry_near_triangle t;
    uint32_t slot;
    if (!dry_triangles_nearest(&s->pair->surface, s->pair->at, DBL_MAX, &slot) ||
        !dry_near_triangle_place(s->pair, slot, &t))
        return;
    DRY_ASSERT(s->plane_count == 0);
    patch_of(s, t.normal, t.offset, t.material, t.slot);
    meet_plane(s->pair, &s->room.planes[0]);
    s->plane_count = s->room.planes[0].patch.found.count > 0;
}

/* Finds candidates on triangles with ridges, and on those whose planes they end.
 *
 * A function of its own: two polytopes take 23 KB of a worker's stack, which collecting triangles needs, too.
 */
DRY_NOINLINE static void meet_triangles(search *s)
{
    dry_hull_search hulls;
    s->hulls = &hulls;
    for (int i = 0; i < s->triangle_count; i++) {
        const dry_near_triangle *t = &s->room.triangles[i];
        if (t->is_left_out || !(t->has_ridge || s->room.planes[t->plane].is_cut))
            continue;
        if (t->has_ridge || is_deep(s, t))
            meet_triangle(s, t);
        else
            take_points_within(s, t, SAME_SURFACE);
        if (t->rises | t->ends)
            take_points_ahead(s, t);
    }
    s->hulls = NULL;
}

dry_patches_found dry_patches_find(const dry_patch_pair *pair, const dry_patch_room *room)
{
    search s = {.pair = pair, .room = *room};
    s.triangle_count = dry_near_triangles_collect(pair, room->triangles, room->triangle_count);
    if (s.triangle_count > room->triangle_count)
        return (dry_patches_found){.near = s.triangle_count};
    find_planes(&s);
    const int planes = s.plane_count;
    for (int i = 0; i < planes; i++) {
        meet_plane(pair, &room->planes[i]);
        room->planes[i].is_cut = !is_covered(&s, i);
    }
    meet_triangles(&s);
    for (int i = 0; i < s.plane_count; i++)
        if (i >= planes || room->planes[i].is_cut)
            choose_points(&s, &room->planes[i]);
    const dry_near_list near = {pair, room->triangles, s.triangle_count};
    s.plane_count += dry_way_find(&near, room->planes + s.plane_count,
                                  DRY_PLANES_PER_TRIANGLE * s.triangle_count + 1 - s.plane_count);
    drop_empty(&s);
    float separation = 0.0f;
    if (s.plane_count == 0 && dry_triangles_contain(&pair->surface, pair->at))
        push_out(&s);
    else if (s.triangle_count == 0)
        separation = dry_near_triangles_gap(pair);
    return (dry_patches_found){s.triangle_count, s.plane_count, separation};
}
