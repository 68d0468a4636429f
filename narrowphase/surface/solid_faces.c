/* Stage "contacts": the faces of a fixed box or hull that goes on as another surface. Its edges and its
 * hidden sides push nobody; of the faces whose normals its neighbors allow, the one bears through which the
 * way out is shortest.
 *
 * Reads: poses, shapes, the neighbors. Writes: the points found. Next: neighbors.c. */
#include "narrowphase/surface/neighbors.h"

#include "geometry/compound.h"
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

/* A fixed box or hull and a convex piece, in the solid's frame. */
typedef struct solid_floor {
    const dry_geometry *solid, *piece;
    const dry_transform *pose; /* of the piece */
    float margin;              /* of points, m */
    dry_level level;
} solid_floor;

typedef struct face_plane {
    int face;
    dry_vec3 normal;
    float offset; /* m */
} face_plane;

typedef struct solid_search {
    const solid_floor *floor;
    const dry_neighbors *neighbors;
    bool level; /* faces of a level floor are looked for, not those to leave by */
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

/* Sets what a search is about. The solid, 11 KB, stays as it is until it is placed: most contacts need none.
 */
static void set_search(solid_search *s, const solid_floor *f, const dry_neighbors *neighbors, bool level)
{
    s->floor = f;
    s->neighbors = neighbors;
    s->level = level;
}

static void place_solid(solid_search *s)
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

/* Tells whether the normal found is one of the surface at any point. */
static bool is_admitted(const solid_search *s, const dry_local_manifold *found)
{
    for (int i = 0; i < found->count; i++)
        if (admits(s, dry_local_on_a(found, &found->points[i]), found->normal))
            return true;
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

/* Tells whether a face is one of a level floor, whose sides push nobody at a gap: the piece reaches as far
 * as its plane, and another surface is as high. */
static bool is_level(const solid_search *s, const face_plane *plane, float separation)
{
    const dry_vec3 center = s->floor->pose->position;
    const float height = vec3_dot(plane->normal, center) - plane->offset;
    const dry_vec3 gravity = quat_rotate_inverse(s->neighbors->axes, s->neighbors->update->settings->gravity);
    return dry_abs(separation) <= SAME_SURFACE && dry_bears_weight(plane->normal, gravity) &&
           dry_neighbors_level(s->neighbors, vec3_add_scaled(center, -height, plane->normal), plane->normal,
                               dry_geometry_radius(s->floor->piece), SAME_SURFACE);
}

/* Finds the open face through which the piece leaves the surface by the shortest way. Returns false if there
 * is none. `point` lies on the solid. */
static bool find_face(const solid_search *s, dry_vec3 point, face_plane *best)
{
    const solid_floor *f = s->floor;
    dry_reach reach;
    dry_reach_begin(&reach, f->piece, f->pose->orientation, f->level);
    float most = -FLT_MAX;
    for (int i = 0; i < s->solid.face_count; i++) {
        const face_plane plane = plane_of(s, i);
        const float height = vec3_dot(plane.normal, f->pose->position) - plane.offset;
        const float separation = height - dry_reach_along(&reach, vec3_neg(plane.normal));
        if (separation <= most || separation > f->margin || (s->level && !is_level(s, &plane, separation)) ||
            !is_open(s, &plane, point))
            continue;
        most = separation;
        *best = plane;
    }
    return most > -FLT_MAX;
}

/* Tells whether a point of the piece bears on a face: it lies over the face. That of a level floor bears
 * farther ahead. */
static bool bears(const solid_search *s, const face_plane *plane, dry_vec3 point)
{
    const float closing = s->floor->margin - s->neighbors->update->settings->margin;
    return dry_polytope_beyond(&s->solid, plane->face, vec3_sub(point, s->center)) <=
           (s->level ? dry_level_ahead(closing) : SAME_SURFACE);
}

/* Collides the piece with the plane of a face: takes the points that bear on the face. */
static void collide_ends(const solid_search *s, const face_plane *plane, dry_local_manifold *found)
{
    const solid_floor *f = s->floor;
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
DRY_NOINLINE static bool straighten(const solid_floor *f, dry_local_manifold *found)
{
    solid_search s;
    set_search(&s, f, NULL, false);
    place_solid(&s);
    for (int i = 0; i < s.solid.face_count; i++) {
        const dry_vec3 normal = dry_polytope_normal(&s.solid, i);
        if (vec3_dot(normal, found->normal) < SAME_PLANE)
            continue;
        found->normal = normal;
        return true;
    }
    return false;
}

/* Finds the face that takes the place of a contact: of a level floor, or, where the surface has no such
 * normal, the face through which the piece leaves. Returns whether there is one.
 *
 * A function of its own, and so is `collide_with_plane`: the solid as a polytope takes 11 KB of a worker's
 * stack, and colliding on a face takes two more. */
DRY_NOINLINE static bool look_for_face(const solid_floor *f, const dry_neighbors *neighbors, bool level,
                                       const dry_local_manifold *found, face_plane *plane)
{
    solid_search s;
    set_search(&s, f, neighbors, level);
    if (!level && is_admitted(&s, found))
        return false;
    place_solid(&s);
    return find_face(&s, dry_local_deepest(found), plane) &&
           !(level && vec3_dot(plane->normal, found->normal) >= SAME_PLANE);
}

DRY_NOINLINE static void collide_with_plane(const solid_floor *f, const dry_neighbors *neighbors, bool level,
                                            const face_plane *plane, dry_local_manifold *found)
{
    solid_search s;
    set_search(&s, f, neighbors, level);
    place_solid(&s);
    collide_ends(&s, plane, found);
}

/* Replaces the points found by those of a face. A piece that rolls keeps its points on the edges of a gap
 * into which it dips. Returns whether it replaced the points. */
static bool replace_by_face(const solid_floor *f, const dry_neighbors *neighbors, bool level,
                            dry_local_manifold *found)
{
    face_plane plane;
    const bool is_round = !dry_type_is_polytope(f->piece->type);
    dry_local_manifold on_face = *found;
    if (!look_for_face(f, neighbors, level, found, &plane))
        return false;
    if (!is_round)
        dry_collide_on_face(f->level, f->solid, f->piece, f->pose, f->margin, plane.face, &on_face);
    if (is_round || on_face.count == 0)
        collide_with_plane(f, neighbors, level, &plane, &on_face);
    if (is_round && level && on_face.rolls && on_face.count == 0)
        return false;
    *found = on_face;
    found->separation_min = 0.0f;
    return true;
}

/* Replaces the points found, whose normal leads from the solid to the piece, by those of one of its faces, if
 * the normal is none of the surface that the solid makes with its neighbors. Returns whether it changed
 * anything. */
static bool keep_to_faces(const solid_floor *f, const dry_neighbors *neighbors, dry_local_manifold *found)
{
    const bool changed = found->rolls && f->solid->type == DRY_SHAPE_HULL && straighten(f, found);
    return replace_by_face(f, neighbors, true, found) || replace_by_face(f, neighbors, false, found) ||
           changed;
}

/* Turns a manifold of a pair into that of the pair in the other order, in the frame of b. */
static void turn_round(const dry_transform *b_in_a, dry_local_manifold *m)
{
    m->normal = quat_rotate_inverse(b_in_a->orientation, vec3_neg(m->normal));
    for (int i = 0; i < m->count; i++) {
        const dry_vec3 at = vec3_sub(m->points[i].position, b_in_a->position);
        m->points[i].position = quat_rotate_inverse(b_in_a->orientation, at);
    }
}

/* Returns the child of a compound whose piece is on a side of a contact; -1 if the shape is no compound. */
static int child_of(const dry_contact_update *u, int contact, int side)
{
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_geometry shape = dry_shapes_geometry(u->shapes, side ? m->shape_b : m->shape_a);
    uint32_t slot;
    if (shape.type != DRY_SHAPE_COMPOUND)
        return -1;
    return dry_compound_child_of(&shape, u->contacts->family[contact].piece[side], &slot);
}

/* Returns the neighbors of a fixed piece; `pose` is that of the other piece in its frame. The frame's origin
 * is found from the moving body, since a large solid's center is far. */
static dry_neighbors neighbors_of(const dry_contact_update *u, int contact, const dry_contact_pair *pair,
                                  const dry_transform *pose, bool moves_a)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_quat of_a = pair->pose_a->orientation, of_b = pair->pose_b->orientation;
    const dry_quat axes =
        moves_a ? quat_mul(of_b, pair->piece_b->orientation) : quat_mul(of_a, pair->piece_a->orientation);
    const dry_vec3 piece =
        moves_a ? quat_rotate(of_a, pair->piece_a->position) : quat_rotate(of_b, pair->piece_b->position);
    /* A pair that meets later in the step is seen where it meets. */
    const dry_vec3 met = vec3_sub(piece, quat_rotate(axes, pose->position)),
                   way = quat_rotate(of_a, pair->way);
    return (dry_neighbors){.update = u,
                           .fixed = moves_a ? link->body_b : link->body_a,
                           .moving = moves_a ? link->body_a : link->body_b,
                           .shape = moves_a ? m->shape_a : m->shape_b,
                           .own = moves_a ? m->shape_b : m->shape_a,
                           .child = child_of(u, contact, moves_a),
                           .axes = axes,
                           .origin = moves_a ? vec3_sub(met, way) : vec3_add(met, way)};
}

void dry_keep_to_faces(const dry_contact_update *u, int contact, const dry_contact_pair *pair,
                       const dry_pair_frame *frame, float margin, dry_local_manifold *found)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    if (found->count == 0)
        return;
    const bool moves_a = dry_body_state_of(u->bodies, link->body_a)->type == DRY_BODY_DYNAMIC;
    const dry_geometry *solid = moves_a ? &frame->b : &frame->a;
    dry_local_manifold turned = *found;
    if (moves_a)
        turn_round(&frame->b_in_a, &turned);
    if (!dry_solid_asks(solid, &turned))
        return;
    const dry_transform identity = transform_identity();
    const dry_transform a_in_b = transform_relative(&frame->b_in_a, &identity);
    const solid_floor floor = {solid, moves_a ? &frame->a : &frame->b, moves_a ? &a_in_b : &frame->b_in_a,
                               margin, u->settings->level};
    const dry_neighbors neighbors = neighbors_of(u, contact, pair, floor.pose, moves_a);
    if (!keep_to_faces(&floor, &neighbors, &turned))
        return;
    if (moves_a)
        turn_round(&a_in_b, &turned);
    *found = turned;
}
