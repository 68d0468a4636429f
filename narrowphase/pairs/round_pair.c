/* Round shapes against polytopes, and cylinders against all round shapes: the gap, then the parts that face
 * each other along its normal, clipped by each other.
 *
 * A polytope shows a face to a normal near the face's, else an edge that lies across the normal. A cylinder
 * shows an end to a normal within 45 degrees of its axis, else a line of its side; a capsule shows its
 * segment. Parts that nearly face each other touch in several points, all others where the gap's points are.
 * Distances are measured along the normal, so that no point is deeper than the gap's.
 *
 * Names of parts have 7 bits where no hull is among the shapes: features of these have 16 bits.
 *
 * Reads: a pair. Writes: a manifold. Next: narrowphase/gap.c, outline.c. */
#include "core/compiler.h"
#include "narrowphase/pairs/outline.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"
#include "narrowphase/placed.h"

/* An edge or a line faces another along a normal that leaves it by less than this sine. */
#define ON_LINE 0.3f
/* The squares of the slopes of such a line, and of an end that lies on another, whose normal has the cosine
 * PAIR_ON_FACE. */
#define LINE_STEEPEST (ON_LINE * ON_LINE / (1.0f - ON_LINE * ON_LINE))
#define END_STEEPEST (1.0f / (float)(PAIR_ON_FACE * PAIR_ON_FACE) - 1.0f)

/* Across a direction that leaves an axis by less than this sine there is only rounding error. */
#define SINE_LEAST 1e-8

/* Points nearer than this count as one, of the radius: what rolls has exact points. */
#define SAME_PLACE 1e-5f

enum { NAME_BITS = 7 };

/* Names of parts of round shapes that are shown: the rims' points, and the ends of a line. */
enum { RIM_LOW = 0, RIM_HIGH = 8, LINE = 16 };

/* Names of the parts of a cylinder on which a single point lies. */
enum { ON_SIDE, ON_END, ON_RIM, ON_HIGH = 4 };

/* A pair, seen from a's frame. */
typedef struct round_pair {
    const dry_geometry *geometry;
    const dry_placed *a, *b;
    const dry_gap *gap;
    dry_view view;
    dry_vec3 lean; /* of the load, or zero */
} round_pair;

static dry_vec3 see_point(const round_pair *r, dry_double3 point)
{
    return dry_view_see(&r->view, vec3_of(double3_sub(point, r->view.origin)));
}

static double sine_to_axis(const dry_placed *cylinder, dry_double3 n)
{
    return double3_length(double3_add_scaled(n, -double3_dot(n, cylinder->axis[1]), cylinder->axis[1]));
}

/* Tells whether an end of a cylinder faces a normal. */
static bool is_flat(const dry_placed *s, dry_double3 n)
{
    return s->kind == DRY_PLACED_CYLINDER && sine_to_axis(s, n) < PAIR_STRETCH_SINE;
}

/* Returns the unit vector across a cylinder's axis towards the deepest point of an end, or to the way that
 * the load leans where the end is flat. */
static dry_double3 deepest_way(const round_pair *r, const dry_placed *s, dry_double3 outward)
{
    const dry_double3 axis = s->axis[1], lean = double3_of(r->lean);
    const dry_double3 across = double3_add_scaled(outward, -double3_dot(outward, axis), axis);
    const dry_double3 aside = double3_add_scaled(lean, -double3_dot(lean, axis), axis);
    const double sine = double3_length(across), leans = double3_length(aside);
    if (sine < (double)PAIR_FLAT_SINE && leans > (double)PAIR_LEAN_LEAST * double3_length(lean))
        return double3_scale(aside, 1.0 / leans);
    return sine > SINE_LEAST ? double3_scale(across, 1.0 / sine) : s->axis[0];
}

static void show_end(const round_pair *r, const dry_placed *s, dry_double3 outward, dry_outline *o)
{
    const double side = double3_dot(outward, s->axis[1]) < 0.0 ? -1.0 : 1.0;
    const dry_double3 u = deepest_way(r, s, outward), v = double3_cross(s->axis[1], u);
    dry_outline_disc(see_point(r, double3_add_scaled(s->center, side * s->half[1], s->axis[1])),
                     dry_view_see(&r->view, vec3_of(double3_scale(u, s->half[0]))),
                     dry_view_see(&r->view, vec3_of(double3_scale(v, s->half[0]))),
                     side < 0.0 ? RIM_LOW : RIM_HIGH, o);
}

/* Shows a line of a cylinder's side, or a segment, on the surface along `outward`. */
static void show_line(const round_pair *r, const dry_placed *s, dry_double3 outward, dry_outline *o)
{
    const bool is_cylinder = s->kind == DRY_PLACED_CYLINDER;
    const dry_double3 out = is_cylinder ? double3_scale(deepest_way(r, s, outward), s->half[0])
                                        : double3_scale(outward, s->radius);
    dry_outline_line(see_point(r, double3_add(s->center, out)),
                     dry_view_see(&r->view, vec3_of(double3_scale(s->axis[1], s->half[1]))), LINE, o);
}

/* Returns the half-edge from a vertex that lies most nearly across the view's normal. */
static int edge_across(const dry_view *v, const dry_polytope *p, int vertex)
{
    int h = 0, best = 0;
    while (p->origin[h] != vertex)
        h++;
    DRY_ASSERT(h < p->half_edge_count);
    float least = FLT_MAX;
    for (const int begin = h;;) {
        const dry_vec3 d = vec3_sub(dry_polytope_vertex(p, p->origin[h ^ 1]), dry_polytope_vertex(p, vertex));
        const float along = vec3_dot(d, v->normal), square = vec3_length_squared(d);
        if (along * along < least * square) {
            least = along * along / square;
            best = h;
        }
        h = p->next[h ^ 1];
        if (h == begin)
            return least <= ON_LINE * ON_LINE ? best : -1;
    }
}

/* Shows a face or an edge of a polytope, a. */
static void show_polytope(const round_pair *r, dry_polytope *p, dry_outline *o)
{
    const dry_pair_kernels *kernels = dry_pair_kernels_at(DRY_LEVEL_LEAST_LANES);
    dry_polytope_begin(p, r->geometry, NULL);
    const dry_view *v = &r->view;
    kernels->polytope_place_planes(p);
    const dry_vec3 none = {0.0f, 0.0f, 0.0f};
    const int face = kernels->polytope_support(p->planes, p->face_room, p->face_count, none, v->normal);
    if (vec3_dot(dry_polytope_normal(p, face), v->normal) > (float)PAIR_ON_FACE) {
        dry_outline_face(v, p, face, o);
        return;
    }
    /* A capsule that lies along an edge, almost, touches it at one point. */
    if (r->b->kind != DRY_PLACED_CYLINDER)
        return;
    kernels->polytope_place_vertices(p);
    const int h = edge_across(v, p, dry_polytope_support(p, kernels, v->normal));
    if (h < 0)
        return;
    const dry_double3 way = double3_sub(p->center, v->origin);
    const dry_vec3 from = dry_polytope_vertex(p, p->origin[h & ~1]),
                   to = dry_polytope_vertex(p, p->origin[h | 1]);
    const dry_vec3 middle = vec3_scale(vec3_add(from, to), 0.5f), half = vec3_scale(vec3_sub(to, from), 0.5f);
    dry_outline_line(dry_view_see(v, vec3_add(middle, vec3_of(way))), dry_view_see(v, half),
                     (uint16_t)(p->vertex_count + (h & ~1)), o);
}

static void show(const round_pair *r, const dry_placed *s, dry_double3 outward, dry_outline *o)
{
    const double sine = s->kind == DRY_PLACED_CYLINDER ? sine_to_axis(s, outward) : 1.0;
    if (2.0 * sine * sine <= 1.0)
        show_end(r, s, outward, o);
    else
        show_line(r, s, outward, o);
}

/* Returns the square of the slope of an outline against the view's plane. */
static float steepness(const dry_outline *o)
{
    return o->slope_x * o->slope_x + o->slope_y * o->slope_y;
}

static dry_vec3 along_line(const dry_outline *o)
{
    const float x = o->corner[1].x - o->corner[0].x, y = o->corner[1].y - o->corner[0].y;
    return vec3(x, y, o->slope_x * x + o->slope_y * y);
}

static bool are_parallel(const dry_outline *a, const dry_outline *b)
{
    const dry_vec3 u = along_line(a), v = along_line(b);
    const float sine = (float)PAIR_STRETCH_SINE;
    return vec3_length_squared(vec3_cross(u, v)) <
           sine * sine * vec3_length_squared(u) * vec3_length_squared(v);
}

/* Tells whether two outlines may touch in more than one point: a face and any other, a flat end and a line or
 * another flat end, or two lines along each other. */
static bool may_meet(const dry_outline *a, const dry_outline *b)
{
    const bool is_line = a->kind == DRY_OUTLINE_LINE, other_is = b->kind == DRY_OUTLINE_LINE;
    if (a->kind == DRY_OUTLINE_NONE || b->kind == DRY_OUTLINE_NONE)
        return false;
    if (is_line && other_is)
        return dry_max(steepness(a), steepness(b)) <= LINE_STEEPEST && are_parallel(a, b);
    if (a->kind == DRY_OUTLINE_FACE)
        return true;
    return (is_line || steepness(a) <= END_STEEPEST) && (other_is || steepness(b) <= END_STEEPEST);
}

/* Leaves the deeper end of a short stretch. */
static void drop_short(dry_clipped *found, float least)
{
    dry_patch_point *p = found->point;
    if (found->count != 2)
        return;
    const float dx = p[1].x - p[0].x, dy = p[1].y - p[0].y;
    if (dx * dx + dy * dy > least * least)
        return;
    if (p[1].height < p[0].height)
        p[0] = p[1];
    found->count = 1;
}

/* Gives the gap's own point, the view's origin, to the offer that is nearest to it, if none is as deep. */
static void keep_deepest(const round_pair *r, bool is_disc, dry_clipped *found)
{
    const bool leans = is_disc && (r->view.lean_x != 0.0f || r->view.lean_y != 0.0f);
    const float same =
        (PAIR_ROUNDING + (leans ? PAIR_FLAT_SINE : 0.0f)) * (float)dry_placed_scale(r->a, r->b);
    const float separation = (float)r->gap->separation;
    dry_patch_point *nearest = NULL;
    float least = FLT_MAX;
    for (int i = 0; i < found->count; i++) {
        dry_patch_point *p = &found->point[i];
        const float square = p->x * p->x + p->y * p->y;
        if (p->height <= separation + same)
            return;
        if (square < least) {
            least = square;
            nearest = p;
        }
    }
    if (!nearest)
        return;
    nearest->x = nearest->y = 0.0f;
    nearest->height = separation;
    found->has_origin = true;
}

/* Returns the radius of a round shape, by which its tolerances go, m. */
static double radius_of(const dry_placed *s)
{
    return s->kind == DRY_PLACED_CYLINDER ? s->half[0] : s->radius;
}

/* Finds the points of parts that face each other. Returns whether the first shape shows a face.
 *
 * A function of its own: the polytope, the outlines and their points take 18 KB of a worker's stack, and the
 * search for the gap needs it, too. */
DRY_NOINLINE static bool find_points(round_pair *r, dry_local_manifold *manifold)
{
    const dry_double3 n = r->gap->normal;
    const bool is_polytope = dry_type_is_polytope(r->geometry->type);
    const float size = (float)radius_of(r->b);
    dry_polytope p;
    dry_outline a, b;
    dry_clipped found;
    a.kind = DRY_OUTLINE_NONE;
    show(r, r->b, double3_neg(n), &b);
    if (b.kind != DRY_OUTLINE_NONE && is_polytope)
        show_polytope(r, &p, &a);
    else if (b.kind != DRY_OUTLINE_NONE)
        show(r, r->a, n, &a);
    if (!may_meet(&a, &b))
        return false;
    r->view.place = SAME_PLACE * size;
    dry_outlines_clip(&r->view, &a, &b, b.kind == DRY_OUTLINE_DISC, &found);
    if (a.kind == DRY_OUTLINE_LINE || b.kind == DRY_OUTLINE_LINE)
        drop_short(&found, PAIR_STRETCH_LEAST * size);
    keep_deepest(r, a.kind == DRY_OUTLINE_DISC || b.kind == DRY_OUTLINE_DISC, &found);
    dry_clipped_write(&r->view, &a, &found, PAIR_ROUNDING * (float)dry_placed_scale(r->a, r->b), manifold);
    return a.kind == DRY_OUTLINE_FACE;
}

/* Returns the part of a round shape on which a point of its core lies. */
static uint32_t part_of(const dry_placed *s, dry_double3 at)
{
    const dry_double3 from = double3_sub(at, s->center), axis = s->axis[1];
    const double along = double3_dot(from, axis), near = 1e-6 * (s->half[0] + s->half[1]);
    if (s->kind == DRY_PLACED_SEGMENT)
        return dry_capsule_part((float)along, (1.0f - 1e-6f) * (float)s->half[1]);
    if (s->kind != DRY_PLACED_CYLINDER)
        return 0;
    if (fabs(along) < s->half[1] - near)
        return ON_SIDE;
    const bool within = double3_length(double3_add_scaled(from, -along, axis)) < s->half[0] - near;
    return (within ? ON_END : ON_RIM) + (along > 0.0 ? ON_HIGH : 0);
}

static void write_gap(const round_pair *r, dry_local_manifold *manifold)
{
    const dry_gap *gap = r->gap;
    DRY_ASSERT(gap->separation <= (double)r->view.margin);
    const uint32_t of_a = part_of(r->a, double3_add_scaled(gap->on_a, -r->a->radius, gap->normal)),
                   of_b = part_of(r->b, double3_add_scaled(gap->on_b, r->b->radius, gap->normal));
    const dry_double3 middle = double3_add_scaled(gap->on_a, 0.5 * gap->separation, gap->normal);
    dry_local_manifold_add(manifold, vec3_of(middle), (float)gap->separation,
                           dry_view_name(&r->view, 0, of_a, of_b));
    if (r->b->kind == DRY_PLACED_CYLINDER)
        manifold->rolls = r->a->kind == DRY_PLACED_CYLINDER || (of_b & ~(uint32_t)ON_HIGH) != ON_END;
}

void dry_collide_round(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                       float margin, dry_local_manifold *manifold)
{
    const dry_placed_pose there = {double3_of(b_in_a->position), b_in_a->orientation};
    const dry_placed first = dry_placed_of(a, NULL), second = dry_placed_of(b, &there);
    dry_gap gap;
    const bool is_near = dry_placed_near(&first, &second, (double)margin, &gap);
    manifold->count = 0;
    manifold->separation_min = (float)gap.separation;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    if (!is_near)
        return;
    manifold->normal = vec3_of(gap.normal);
    round_pair r = {
        a, &first, &second, &gap, dry_view_along(manifold->normal, vec3(0.0f, 0.0f, 0.0f)), manifold->lean};
    r.view.origin = gap.on_a;
    r.view.margin = margin;
    const dry_vec3 lean = dry_view_see(&r.view, r.lean);
    const float aside = sqrtf(lean.x * lean.x + lean.y * lean.y);
    if (aside > PAIR_LEAN_LEAST * vec3_length(r.lean)) {
        r.view.lean_x = lean.x / aside;
        r.view.lean_y = lean.y / aside;
    }
    r.view.name_bits = a->type == DRY_SHAPE_HULL ? DRY_HULL_NAME_BITS : NAME_BITS;
    const bool on_face = second.kind != DRY_PLACED_POINT && find_points(&r, manifold);
    if (manifold->count == 0)
        write_gap(&r, manifold);
    else if (second.kind == DRY_PLACED_CYLINDER)
        manifold->rolls = !is_flat(&second, gap.normal) ||
                          (first.kind == DRY_PLACED_CYLINDER ? !is_flat(&first, gap.normal)
                                                             : on_face && manifold->count < 3);
}
