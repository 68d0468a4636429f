/* Hull against hull, and against a box, which is a hull of eight vertices.
 *
 * The contact is on a face unless a pair of edges is clearly better, and on a face of the larger shape, which
 * is mostly the ground, unless one of the other is clearly better: a body that leans by rounding on flat
 * ground is not pushed aside. Both rules depend on the sizes, so a resting heap keeps its choice while its
 * poses tremble. Shapes that are within the margin, but have no point over a face nor between crossing edges,
 * get the point between the places where they are closest.
 *
 * Next: hull_axes.c, outline.h. */
#include "narrowphase/pairs/hull_hull.h"

#include "narrowphase/pairs/outline.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/rules.h"

/* Places on an edge this near to its middle, relative to its length, lie between its ends. */
#define BETWEEN_ENDS 0.50001f

/* Returns the place on a segment, from 0 to 1. */
static float clamped(float t)
{
    return dry_clamp(t, 0.0f, 1.0f);
}

void dry_hull_face_contact(dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold)
{
    const dry_polytope *reference = of_b ? &s->b : &s->a, *other = of_b ? &s->a : &s->b;
    const dry_polytope *lesser = s->a.radius < s->b.radius ? &s->a : &s->b;
    const dry_vec3 normal = dry_polytope_normal(reference, face), against = vec3_neg(normal);
    const int other_face =
        dry_polytope_face_around(other, dry_polytope_support(other, s->kernels, against), against);
    const int h = reference->first[face];
    const dry_vec3 first = dry_polytope_vertex(reference, reference->origin[h]),
                   second = dry_polytope_vertex(reference, reference->origin[reference->next[h]]);
    dry_view v = dry_view_along(of_b ? against : normal, vec3_sub(second, first));
    v.origin = lesser->center;
    v.place = PAIR_SAME_PLACE * s->half;
    v.margin = s->margin;
    v.name_bits = DRY_HULL_NAME_BITS;
    dry_outline a, b;
    dry_clipped found;
    dry_outline_face(&v, &s->a, of_b ? other_face : face, &a);
    dry_outline_face(&v, &s->b, of_b ? face : other_face, &b);
    dry_outlines_clip(&v, &a, &b, of_b, &found);
    dry_clipped_write(&v, &a, &found, PAIR_SAME_DEPTH * s->half, manifold);
}

/* Writes the point midway between two crossing edges, where they are closest [Ericson, Real-Time Collision
 * Detection, 5.1.9]. */
static void edge_contact(const dry_hull_search *s, const dry_hull_edges *edges, dry_local_manifold *manifold)
{
    const dry_polytope *a = &s->a, *b = &s->b;
    const dry_vec3 p = dry_polytope_vertex(a, a->origin[2 * edges->a]),
                   q = vec3_add(dry_polytope_vertex(b, b->origin[2 * edges->b]), s->offset);
    const dry_vec3 u = vec3_sub(dry_polytope_vertex(a, a->origin[2 * edges->a + 1]), p),
                   v = vec3_sub(vec3_add(dry_polytope_vertex(b, b->origin[2 * edges->b + 1]), s->offset), q);
    const dry_vec3 between = vec3_sub(q, p);
    const float uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v);
    const float along_u = vec3_dot(between, u), along_v = vec3_dot(between, v);
    const float determinant = uu * vv - uv * uv;
    DRY_ASSERT(determinant > 0.0f);
    const float t = (along_u * vv - along_v * uv) / determinant,
                r = (along_u * uv - along_v * uu) / determinant;
    manifold->count = 0;
    /* Edges of shapes that are apart may pass each other beyond their ends. */
    if (edges->separation > 0.0f && (dry_abs(t - 0.5f) > BETWEEN_ENDS || dry_abs(r - 0.5f) > BETWEEN_ENDS))
        return;
    const dry_vec3 on_a = vec3_add_scaled(p, clamped(t), u), on_b = vec3_add_scaled(q, clamped(r), v);
    manifold->normal = edges->normal;
    if (edges->separation <= s->margin)
        dry_local_manifold_add(manifold, dry_polytope_from_center(a, vec3_scale(vec3_add(on_a, on_b), 0.5f)),
                               edges->separation, DRY_HULL_FEATURE(DRY_HULL_EDGES, edges->a, edges->b));
}

/* Writes the point between the closest places of shapes that do not overlap, if those lie nearer to each
 * other than `nearer`. */
static void closest_contact(dry_hull_search *s, float nearer, dry_local_manifold *manifold)
{
    const dry_polytope_at a = {&s->a, s->kernels, {0.0, 0.0, 0.0}};
    const dry_polytope_at b = {&s->b, s->kernels, double3_of(s->offset)};
    dry_closest_points found;
    dry_find_closest(&(dry_convex){dry_polytope_support_at, &a}, &(dry_convex){dry_polytope_support_at, &b},
                     b.center, DBL_MAX, &found);
    const float distance = (float)found.distance;
    s->separation_min = dry_max(s->separation_min, distance - s->rounding);
    /* At a smaller distance the direction is rounding error. */
    if (found.count == 4 || !(distance > s->rounding) || !(distance <= nearer))
        return;
    int of_a = found.of_a[0], of_b = found.of_b[0];
    for (int i = 1; i < found.count; i++) {
        of_a = dry_min_int(of_a, found.of_a[i]);
        of_b = dry_min_int(of_b, found.of_b[i]);
    }
    manifold->normal = vec3_of(found.normal);
    manifold->count = 0;
    const dry_double3 middle = double3_scale(double3_add(found.on_a, found.on_b), 0.5);
    dry_local_manifold_add(manifold, dry_polytope_from_center_double(&s->a, middle), distance,
                           DRY_HULL_FEATURE(DRY_HULL_NEAREST, of_a, of_b));
}

/* Writes the vertex of the other shape that lies deepest below a face. */
static void vertex_contact(const dry_hull_search *s, bool of_b, const dry_hull_face *face,
                           dry_local_manifold *manifold)
{
    const dry_vec3 normal = dry_polytope_normal(of_b ? &s->b : &s->a, face->face);
    const int vertex = dry_polytope_support(of_b ? &s->a : &s->b, s->kernels, vec3_neg(normal));
    const dry_vec3 at =
        of_b ? dry_polytope_vertex(&s->a, vertex) : vec3_add(dry_polytope_vertex(&s->b, vertex), s->offset);
    const dry_vec3 middle = vec3_add_scaled(at, -0.5f * face->separation, normal);
    dry_local_manifold_add(manifold, dry_polytope_from_center(&s->a, middle), face->separation,
                           DRY_HULL_FEATURE(DRY_HULL_NEAREST, vertex, face->face));
}

/* Writes the contact along the best axis of all, which always has a point where the shapes overlap. The
 * deepest vertex may lie over an edge of the face, and then faces that look against each other meet in less
 * than a place. */
static void best_contact(dry_hull_search *s, dry_local_manifold *manifold)
{
    dry_hull_face a, b;
    dry_hull_edges edges;
    if (!dry_hull_search_face(s, false, -FLT_MAX, &a) || !dry_hull_search_face(s, true, -FLT_MAX, &b))
        return;
    const bool on_b = b.separation > a.separation;
    const float face = on_b ? b.separation : a.separation;
    dry_hull_search_edges(s, &a, &b, face, &edges);
    if (edges.a >= 0) {
        edge_contact(s, &edges, manifold);
        return;
    }
    dry_hull_face_contact(s, on_b, on_b ? b.face : a.face, manifold);
    if (manifold->count == 0)
        vertex_contact(s, on_b, on_b ? &b : &a, manifold);
}

static void replace_by_best(dry_hull_search *s, dry_local_manifold *manifold)
{
    dry_local_manifold best = *manifold;
    best_contact(s, &best);
    if (best.count > 0)
        *manifold = best;
}

static void collide(dry_hull_search *s, dry_local_manifold *manifold)
{
    dry_hull_face of[2]; /* the best face of a, and of b */
    const bool first = s->b.radius > s->a.radius;
    if (!dry_hull_search_face(s, first, -FLT_MAX, &of[first]))
        return;
    const float preferred = of[first].separation;
    const float enough =
        preferred + PAIR_FACE_ABSOLUTE * s->size + PAIR_FACE_RELATIVE * dry_abs(preferred) + s->rounding;
    if (!dry_hull_search_face(s, !first, enough, &of[!first]))
        return;
    const bool on_b = (of[!first].separation > enough) != first;
    const float face = of[on_b].separation;
    const float clearly =
        dry_max(enough, face + PAIR_EDGE_ABSOLUTE * s->size + PAIR_EDGE_RELATIVE * dry_max(-face, 0.0f));
    dry_hull_edges edges;
    dry_hull_search_edges(s, &of[0], &of[1], dry_min(clearly, s->margin + s->rounding), &edges);
    const float most = dry_max(face, edges.separation);
    s->separation_min = dry_max(s->separation_min, most - s->rounding);
    if (most - s->rounding > s->margin)
        return;
    if (edges.separation > clearly)
        edge_contact(s, &edges, manifold);
    else
        dry_hull_face_contact(s, on_b, of[on_b].face, manifold);
    const float nearest = dry_local_manifold_nearest(manifold), same = PAIR_FACE_ABSOLUTE * s->half;
    if (most > 0.0f && nearest > most + same)
        closest_contact(s, dry_min(s->margin, nearest - same), manifold);
    else if (most < -PAIR_SAME_PLACE * s->half && nearest > (1.0f - HULL_SHALLOW) * most + same)
        replace_by_best(s, manifold);
}

void dry_collide_next(dry_hull_search *s, const dry_geometry *a, dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->rolls = false;
    if (dry_hull_search_meet_a(s, a))
        collide(s, manifold);
    manifold->separation_min = s->separation_min;
}

void dry_collide_polytopes(dry_level level, const dry_geometry *a, const dry_geometry *b,
                           const dry_transform *b_in_a, float margin, dry_local_manifold *manifold)
{
    dry_hull_search s;
    dry_hull_search_take_b(&s, level, b, b_in_a, margin);
    dry_collide_next(&s, a, manifold);
}

void dry_collide_on_face(dry_level level, const dry_geometry *a, const dry_geometry *b,
                         const dry_transform *b_in_a, float margin, int face, dry_local_manifold *manifold)
{
    dry_hull_search s;
    manifold->count = 0;
    manifold->rolls = false;
    dry_hull_search_take_b(&s, level, b, b_in_a, margin);
    if (dry_hull_search_meet_a(&s, a))
        dry_hull_face_contact(&s, false, face, manifold);
}

void dry_collide_hull_hull(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                           float margin, dry_local_manifold *manifold)
{
    dry_collide_polytopes(DRY_LEVEL_LEAST_LANES, a, b, b_in_a, margin, manifold);
}
