/* The separating axis test of two polytopes, exact, and without trying every axis.
 *
 * Faces: a vertex of the other polytope, a *witness*, bounds the separation along every face's normal from
 * above. The face with the largest bound is tried, and the vertex nearest to it is the next witness. When
 * that vertex is known already, its bound is its separation, and no other face can have a larger one. This is
 * the method of cutting planes [Kelley, The cutting-plane method for solving convex programs, 1960].
 *
 * Edges: a normal of a pair of edges lies between the normals n1, n2 of a's faces at the edge: a n1 + b n2,
 * with a + b >= 1. The height of a witness over the edge is a times its height over the one face plus b times
 * that over the other. So it is no larger than both heights are, where those are not positive. Most edges go
 * out by this. Of the rest, two edges make a face of the Minkowski difference where the arcs between their
 * normals cross [Gregorius, The Separating Axis Test between Convex Polyhedra, GDC 2013].
 *
 * Reads: polytopes. Next: hull_hull.c. */
#include "narrowphase/pairs/hull_hull.h"

#include "core/assert.h"
#include "narrowphase/pairs/rules.h"

/* Half extents of a cube of radius 1. */
#define CUBE_HALF 0.57735f
/* A thin plate's size, relative to half its thickness: an axis may be worse than the best by 1/50 of that. */
#define SIZE_MOST 4.0f

void dry_hull_search_take_b(dry_hull_search *s, dry_level level, const dry_geometry *b,
                            const dry_transform *b_in_a, float margin)
{
    s->kernels = dry_pair_kernels_at(level);
    s->margin = margin;
    s->has_b = false;
    dry_polytope_begin(&s->b, b, b_in_a);
}

bool dry_hull_search_meet_a(dry_hull_search *s, const dry_geometry *a)
{
    const float margin = s->margin;
    dry_polytope_begin(&s->a, a, NULL);
    s->offset = vec3_of(double3_sub(s->b.center, s->a.center));
    s->half = 0.5f * dry_min(s->a.thickness, s->b.thickness);
    s->size = dry_min(CUBE_HALF * dry_min(s->a.radius, s->b.radius), SIZE_MOST * s->half);
    const float distance = vec3_length(s->offset);
    s->rounding = PAIR_ROUNDING * (distance + s->a.radius + s->b.radius);
    s->separation_min = distance - s->a.radius - s->b.radius - s->rounding;
    if (s->separation_min > margin)
        return false;
    const dry_vec3 n = vec3_normalize_or(s->offset, vec3(0.0f, 1.0f, 0.0f));
    const dry_vec3 on_a = dry_polytope_reach(&s->a, s->kernels, n);
    const dry_vec3 on_b = dry_polytope_reach(&s->b, s->kernels, vec3_neg(n));
    const float separation = vec3_dot(n, vec3_add(vec3_sub(s->offset, on_a), on_b)) - s->rounding;
    s->separation_min = dry_max(s->separation_min, separation);
    if (s->separation_min > margin)
        return false;
    s->kernels->polytope_place_vertices(&s->a);
    s->kernels->polytope_place_planes(&s->a);
    if (!s->has_b) {
        s->kernels->polytope_place_vertices(&s->b);
        s->kernels->polytope_place_planes(&s->b);
        s->has_b = true;
    }
    return true;
}

/* Returns the height of a point over a face, with the bits of polytope_heights. */
static float height_over(const dry_polytope *p, int face, dry_vec3 point)
{
    return vec3_dot(point, dry_polytope_normal(p, face)) - dry_polytope_offset(p, face);
}

bool dry_hull_search_face(dry_hull_search *s, bool of_b, float enough, dry_hull_face *best)
{
    const dry_polytope *p = of_b ? &s->b : &s->a, *other = of_b ? &s->a : &s->b;
    const dry_vec3 shift = of_b ? vec3_neg(s->offset) : s->offset;
    _Alignas(64) float bound[DRY_POLYTOPE_FACES];
    for (int i = 0; i < p->face_room; i++)
        bound[i] = FLT_MAX;
    best->witness_count = 0;
    best->exact = false;
    dry_vec3 along = vec3_neg(shift);
    /* Each turn but the last adds a vertex, or none is left. */
    for (int turn = 0; turn <= DRY_HULL_VERTICES_MAX + 1; turn++) {
        const int vertex = dry_polytope_support(other, s->kernels, along);
        const dry_vec3 witness = vec3_add(dry_polytope_vertex(other, vertex), shift);
        if (turn > 0) {
            const float separation = height_over(p, best->face, witness);
            if (separation - s->rounding > s->margin) {
                s->separation_min = dry_max(s->separation_min, separation - s->rounding);
                return false;
            }
            best->exact = separation >= best->separation;
            if (best->exact)
                break;
        }
        best->witness[best->witness_count % DRY_WITNESSES_MAX] = witness;
        best->witness_count++;
        best->face = s->kernels->polytope_cut(p->planes, p->face_room, p->face_count, witness, bound);
        DRY_ASSERT(best->face >= 0 && best->face < p->face_count);
        best->separation = bound[best->face];
        if (best->separation <= enough)
            break;
        along = vec3_neg(dry_polytope_normal(p, best->face));
    }
    best->witness_count = dry_min_int(best->witness_count, DRY_WITNESSES_MAX);
    return true;
}

/* An edge of one polytope: its direction such that normal[0] x normal[1] points along it, and a point of it.
 */
typedef struct edge {
    int number;
    dry_vec3 along, normal[2], point;
} edge;

static edge edge_of(const dry_polytope *p, int number)
{
    const int h = 2 * number;
    const dry_vec3 from = dry_polytope_vertex(p, p->origin[h]), to = dry_polytope_vertex(p, p->origin[h + 1]);
    return (edge){number,
                  vec3_scale(vec3_sub(to, from), p->winding),
                  {dry_polytope_normal(p, p->face[h]), dry_polytope_normal(p, p->face[h + 1])},
                  from};
}

/* Lists the edges that the witnesses leave. Returns how many. */
static int edges_left(const dry_hull_search *s, const dry_polytope *p, const dry_hull_face *face,
                      float threshold, uint16_t left[DRY_HULL_HALF_EDGES_MAX / 2])
{
    _Alignas(64) float marks[DRY_POLYTOPE_FACES];
    uint32_t bits[DRY_POLYTOPE_FACES];
    s->kernels->polytope_mark(p->planes, p->face_room, p->face_count, face->witness, face->witness_count,
                              threshold, marks);
    for (int i = 0; i < p->face_count; i++)
        bits[i] = (uint32_t)(int32_t)marks[i];
    int count = 0;
    for (int e = 0; e < p->half_edge_count / 2; e++) {
        left[count] = (uint16_t)e;
        count += (bits[p->face[2 * e]] & bits[p->face[2 * e + 1]]) == 0;
    }
    return count;
}

/* Tells whether the arcs of the normals of a and of the opposite normals of b cross on the sphere. */
static bool arcs_cross(const edge *a, const edge *b)
{
    const float c = vec3_dot(b->normal[0], a->along), d = vec3_dot(b->normal[1], a->along);
    if (!(c * d < 0.0f))
        return false;
    const float e = vec3_dot(a->normal[0], b->along), f = vec3_dot(a->normal[1], b->along);
    return e * f < 0.0f && c * f < 0.0f;
}

/* Tries a pair of edges. A pair that seems better is measured along the axis between the nearest vertices, so
 * that rounding makes no separation too large. */
static void try_edges(const dry_hull_search *s, const edge *a, const edge *b, dry_hull_edges *best)
{
    const dry_vec3 cross = vec3_cross(a->along, b->along);
    const float square = vec3_length_squared(cross);
    if (!(square > PAIR_PARALLEL_SQUARED * vec3_length_squared(a->along) * vec3_length_squared(b->along)) ||
        square < FLT_MIN)
        return;
    const bool outward = vec3_dot(cross, vec3_add(a->normal[0], a->normal[1])) > 0.0f;
    const float inverse = (outward ? 1.0f : -1.0f) / sqrtf(square);
    const dry_vec3 n = vec3_scale(cross, inverse);
    if (vec3_dot(n, vec3_add(vec3_sub(s->offset, a->point), b->point)) <= best->separation)
        return;
    const dry_vec3 on_a = dry_polytope_vertex(&s->a, dry_polytope_support(&s->a, s->kernels, n));
    const dry_vec3 on_b = dry_polytope_vertex(&s->b, dry_polytope_support(&s->b, s->kernels, vec3_neg(n)));
    const float separation = vec3_dot(n, vec3_add(vec3_sub(s->offset, on_a), on_b));
    if (separation > best->separation)
        *best = (dry_hull_edges){a->number, b->number, separation, n};
}

/* Edges of b that are tried at a time: threads have small stacks. */
enum { EDGES_AT_A_TIME = 64 };

void dry_hull_search_edges(const dry_hull_search *s, const dry_hull_face *a, const dry_hull_face *b,
                           float least, dry_hull_edges *best)
{
    uint16_t left_a[DRY_HULL_HALF_EDGES_MAX / 2], left_b[DRY_HULL_HALF_EDGES_MAX / 2];
    edge edges_b[EDGES_AT_A_TIME];
    *best = (dry_hull_edges){-1, -1, least, {0.0f, 1.0f, 0.0f}};
    const float threshold = dry_min(least, 0.0f);
    const int count_a = edges_left(s, &s->a, a, threshold, left_a);
    const int count_b = count_a > 0 ? edges_left(s, &s->b, b, threshold, left_b) : 0;
    for (int at = 0; at < count_b; at += EDGES_AT_A_TIME) {
        const int count = dry_min_int(EDGES_AT_A_TIME, count_b - at);
        for (int j = 0; j < count; j++)
            edges_b[j] = edge_of(&s->b, left_b[at + j]);
        for (int i = 0; i < count_a; i++) {
            const edge edge_a = edge_of(&s->a, left_a[i]);
            for (int j = 0; j < count; j++)
                if (arcs_cross(&edge_a, &edges_b[j]))
                    try_edges(s, &edge_a, &edges_b[j], best);
        }
    }
    if (best->a < 0)
        best->separation = -FLT_MAX;
}
