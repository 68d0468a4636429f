/* Box against box for one pair in scalar code: the oracle for the lanes of
 * narrowphase/pairs/box_box_kernel.h, which must find the same bits. The rules are those of that kernel; the
 * code shares only their constants with it.
 *
 * Four corners or edges go through at a time, in the lanes of a vector of four. */
#include "tests/narrowphase/box_oracle.h"

#include "core/compiler.h"
#include "core/math.h"
#include "narrowphase/pairs/box_rules.h"

/* The first of the largest. */
static int argmax3(const float v[3])
{
    int k = v[1] > v[0] ? 1 : 0;
    return v[2] > v[k] ? 2 : k;
}

/* Four floats at once, by the compilers' vector extension: exact arithmetic lane by lane, so the same bits as
 * scalar code. Comparisons give lanes of all ones or zeros. */
typedef float four DRY_VECTOR_OF(16);
typedef int32_t four_mask DRY_VECTOR_OF(16);

typedef union four_row {
    four v;
    float f[4];
} four_row;

static four four_abs(four x)
{
    return (four)((four_mask)x & 0x7fffffff);
}

static four four_select(four_mask mask, four yes, four no)
{
    return (four)((mask & (four_mask)yes) | (~mask & (four_mask)no));
}

static four four_max(four a, four b)
{
    return four_select(a > b, a, b);
}

static four four_min(four a, four b)
{
    return four_select(a < b, a, b);
}

static bool four_any(four_mask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/* Two boxes seen from the one whose face, across `axis` and on its negative side or not, is the reference. */
typedef struct face_view {
    const float *half, *other_half;
    const four_row *r; /* r[i].f[j]: a's axis i . b's axis j */
    float center[3];   /* of the other, along the reference's axes */
    int axis;
    bool negative;
    bool reference_is_b;
} face_view;

/* A corner of the overlap of two faces: x and y along the reference's next two axes, and the
 * height of the other face there above the reference face. */
typedef struct face_point {
    float x, y, height;
    uint32_t feature;
} face_point;

enum { FACE_POINTS_MAX = 16 };

/* Signs of the corners of a rectangle, in order round it. Edge k runs from corner k to the next. */
static const four corner_u = {1.0f, -1.0f, -1.0f, 1.0f}, corner_v = {1.0f, 1.0f, -1.0f, -1.0f};

/* The other box's face: its center and half sides, in (x, y, height) over the reference face. */
typedef struct over_face {
    dry_vec3 center, side_u, side_v;
    float half_x, half_y; /* the rectangle */
    float half_u, half_v; /* lengths of the sides */
    float place;          /* m */
    int k;                /* the other's axis across its face */
    bool negative;        /* its face is on the negative side of k */
} over_face;

/* The vertices of the face across `axis`, in order round it. */
static void vertex_ids(int axis, bool negative, uint32_t ids[4])
{
    uint32_t u = 1u << dry_next_axis[axis + 1], v = 1u << dry_next_axis[axis + 2],
             low = negative ? 0u : 1u << axis;
    ids[0] = low | u | v;
    ids[1] = low | v;
    ids[2] = low;
    ids[3] = low | u;
}

/* Its edges, in the same order. */
static void edge_ids(int axis, bool negative, uint32_t ids[4])
{
    uint32_t u = 4 * (uint32_t)dry_next_axis[axis + 1], v = 4 * (uint32_t)dry_next_axis[axis + 2];
    uint32_t up = negative ? 0 : 1;
    ids[0] = u + 1 + 2 * up; /* along u, v positive */
    ids[1] = v + up;         /* along v, u negative */
    ids[2] = u + 2 * up;
    ids[3] = v + up + 2;
}

/* The reference's axis i . the other's axis j. */
static float cosine(const face_view *view, int i, int j)
{
    return view->reference_is_b ? view->r[j].f[i] : view->r[i].f[j];
}

static over_face look_down(const face_view *view)
{
    over_face f;
    int axis = view->axis, u = dry_next_axis[axis + 1], v = dry_next_axis[axis + 2];
    float sign = view->negative ? -1.0f : 1.0f;
    float steep[3];
    for (int i = 0; i < 3; i++)
        steep[i] = dry_abs(cosine(view, axis, i));
    int k = argmax3(steep), ku = dry_next_axis[k + 1], kv = dry_next_axis[k + 2];
    f.k = k;
    f.negative = sign * cosine(view, axis, k) > 0.0f;
    f.half_x = view->half[u];
    f.half_y = view->half[v];
    f.half_u = view->other_half[ku];
    f.half_v = view->other_half[kv];
    f.place = PAIR_SAME_PLACE * dry_min(dry_min(f.half_x, f.half_y), dry_min(f.half_u, f.half_v));

    float reach = f.negative ? -view->other_half[k] : view->other_half[k];
    f.center =
        vec3(view->center[u] + reach * cosine(view, u, k), view->center[v] + reach * cosine(view, v, k),
             sign * (view->center[axis] + reach * cosine(view, axis, k)) - view->half[axis]);
    f.side_u =
        vec3_scale(vec3(cosine(view, u, ku), cosine(view, v, ku), sign * cosine(view, axis, ku)), f.half_u);
    f.side_v =
        vec3_scale(vec3(cosine(view, u, kv), cosine(view, v, kv), sign * cosine(view, axis, kv)), f.half_v);
    return f;
}

/* Four points over the reference face. */
typedef struct quad {
    four x, y, h;
} quad;

/* (x, y, height) + a side_u + b side_v, lane by lane. */
static quad on_other_face(const over_face *f, four a, four b)
{
    return (quad){f->center.x + (a * f->side_u.x + b * f->side_v.x),
                  f->center.y + (a * f->side_u.y + b * f->side_v.y),
                  f->center.z + (a * f->side_u.z + b * f->side_v.z)};
}

/* Appends the points that `chosen` says. */
static int append(face_point *points, const quad *q, four_mask chosen, const uint32_t features[4])
{
    int count = 0;
    for (int i = 0; i < 4; i++) {
        points[count] = (face_point){q->x[i], q->y[i], q->h[i], features[i]};
        count -= chosen[i];
    }
    return count;
}

/* 1 / x, kept finite: a line this nearly parallel to a side is either beyond it or not. */
static float inverse_of(float x)
{
    float inverse = 1.0f / dry_max(dry_abs(x), 1e-30f);
    return x < 0.0f ? -inverse : inverse;
}

/* Returns the points at shares s of the four edges, held inside the rectangle. */
static quad along_edges(const over_face *f, const quad *from, const quad *delta, four s)
{
    four x = from->x + s * delta->x, y = from->y + s * delta->y;
    four wide = f->half_x - (four){0}, deep = f->half_y - (four){0};
    return (quad){four_max(-wide, four_min(x, wide)), four_max(-deep, four_min(y, deep)),
                  from->h + s * delta->h};
}

/* Finds the points where the parallelogram's edges cross the rectangle's sides, clipping each edge against
 * both pairs of sides at once [Liang, Barsky 84]. A crossing too near to a vertex that counts as inside, or
 * to the same edge's other crossing, is the same corner and left out. */
static int crossings(const face_view *view, const over_face *f, const quad *vertices, four_mask inside,
                     face_point *points)
{
    float ux = 0.5f * inverse_of(f->side_u.x), uy = 0.5f * inverse_of(f->side_u.y);
    float vx = 0.5f * inverse_of(f->side_v.x), vy = 0.5f * inverse_of(f->side_v.y);
    four ix = {-ux, -vx, ux, vx}, iy = {-uy, -vy, uy, vy};
    four at_x = -vertices->x * ix, at_y = -vertices->y * iy;
    four reach_x = (f->half_x + f->place) * four_abs(ix), reach_y = (f->half_y + f->place) * four_abs(iy);
    four_mask enter_by_x = at_x - reach_x >= at_y - reach_y, leave_by_x = at_x + reach_x <= at_y + reach_y;
    four enter = four_max(at_x - reach_x, at_y - reach_y);
    four leave = four_min(at_x + reach_x, at_y + reach_y);

    four_mask next_inside = DRY_SHUFFLE(inside, inside, 1, 2, 3, 0);
    four_mask crosses = (enter <= leave) & (leave >= 0.0f) & (enter <= 1.0f) & ~(inside & next_inside);
    if (!four_any(crosses))
        return 0;
    four zero = {0}, one = 1.0f - zero;
    enter = four_select(inside, zero, four_max(enter, zero));
    leave = four_select(next_inside, one, four_min(leave, one));
    float apart_u = 2.0f * f->place / dry_max(dry_abs(f->side_u.x), dry_abs(f->side_u.y));
    float apart_v = 2.0f * f->place / dry_max(dry_abs(f->side_v.x), dry_abs(f->side_v.y));
    four_mask apart = leave - enter > (four){apart_u, apart_v, apart_u, apart_v};
    four_mask enters = crosses & ~inside & (apart | ~next_inside), leaves = crosses & ~next_inside & apart;

    quad delta = {DRY_SHUFFLE(vertices->x, vertices->x, 1, 2, 3, 0) - vertices->x,
                  DRY_SHUFFLE(vertices->y, vertices->y, 1, 2, 3, 0) - vertices->y,
                  DRY_SHUFFLE(vertices->h, vertices->h, 1, 2, 3, 0) - vertices->h};
    quad in = along_edges(f, vertices, &delta, enter), out = along_edges(f, vertices, &delta, leave);

    /* The side that is crossed: rising in x one enters by side 1 and leaves by 3, in y by 2 and 0. */
    four_mask up_x = ix > 0.0f, up_y = iy > 0.0f;
    four_mask in_side = (enter_by_x & (3 + (up_x & -2))) | (~enter_by_x & (up_y & 2));
    four_mask out_side = (leave_by_x & (1 + (up_x & 2))) | (~leave_by_x & (2 + (up_y & -2)));
    uint32_t ids[4], sides[4], in_features[4], out_features[4];
    edge_ids(f->k, f->negative, ids);
    edge_ids(view->axis, view->negative, sides);
    int id_shift = view->reference_is_b ? 4 : 0;
    for (int i = 0; i < 4; i++) {
        uint32_t feature = (uint32_t)DRY_BOX_EDGES << 8 | ids[i] << id_shift;
        in_features[i] = feature | sides[in_side[i]] << (4 - id_shift);
        out_features[i] = feature | sides[out_side[i]] << (4 - id_shift);
    }
    int count = append(points, &in, enters, in_features);
    return count + append(points + count, &out, leaves, out_features);
}

/* The rectangle's corners inside the parallelogram. The faces' normals are less than 55 degrees apart, so the
 * determinant is far from 0. */
static int covered_corners(const face_view *view, const over_face *f, face_point *points)
{
    float inverse = 1.0f / (f->side_u.x * f->side_v.y - f->side_u.y * f->side_v.x);
    four x = corner_u * f->half_x, y = corner_v * f->half_y;
    four dx = x - f->center.x, dy = y - f->center.y;
    four a = (dx * f->side_v.y - dy * f->side_v.x) * inverse;
    four b = (dy * f->side_u.x - dx * f->side_u.y) * inverse;
    four_mask covered =
        (four_abs(a) < 1.0f - f->place / f->half_u) & (four_abs(b) < 1.0f - f->place / f->half_v);
    if (!four_any(covered))
        return 0;
    quad q = on_other_face(f, a, b);
    q.x = x;
    q.y = y;
    uint32_t features[4], other_face = 2 * (uint32_t)f->k + (f->negative ? 1 : 0);
    vertex_ids(view->axis, view->negative, features);
    for (int i = 0; i < 4; i++)
        features[i] = view->reference_is_b ? DRY_BOX_FEATURE(DRY_BOX_VERTEX_OF_B, other_face, features[i])
                                           : DRY_BOX_FEATURE(DRY_BOX_VERTEX_OF_A, features[i], other_face);
    return append(points, &q, covered, features);
}

/* The corners of the overlap: the other's vertices inside the rectangle, crossing edges, the reference's
 * vertices inside the parallelogram. Corners that nearly coincide count once, as
 * the first of these, so aligned boxes keep their features however they tremble. */
static int overlap_corners(const face_view *view, const over_face *f, face_point points[FACE_POINTS_MAX])
{
    quad q = on_other_face(f, corner_u, corner_v);
    four_mask inside = (four_abs(q.x) <= f->half_x + f->place) & (four_abs(q.y) <= f->half_y + f->place);
    uint32_t features[4], face = 2 * (uint32_t)view->axis + (view->negative ? 1 : 0);
    vertex_ids(f->k, f->negative, features);
    for (int i = 0; i < 4; i++)
        features[i] = view->reference_is_b ? DRY_BOX_FEATURE(DRY_BOX_VERTEX_OF_A, features[i], face)
                                           : DRY_BOX_FEATURE(DRY_BOX_VERTEX_OF_B, face, features[i]);
    int count = append(points, &q, inside, features);
    if (count == 4)
        return 4;
    count += crossings(view, f, &q, inside, points + count);
    return count + covered_corners(view, f, points + count);
}

static void swap_points(face_point *a, face_point *b)
{
    face_point c = *a;
    *a = *b;
    *b = c;
}

/* Twice the signed area of the triangle. */
static float area(const face_point *a, const face_point *b, const face_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Returns the gain of taking p as point k, given those before it: the distance for the second, then the area
 * that it adds. `side` is the sign that makes the area outside the first three points positive. */
static float gain(const face_point *chosen, int k, float side, const face_point *p)
{
    float dx = p->x - chosen[0].x, dy = p->y - chosen[0].y;
    if (k == 1)
        return dx * dx + dy * dy;
    if (k == 2)
        return dry_abs(area(&chosen[0], &chosen[1], p));
    return dry_max(side * area(&chosen[0], &chosen[1], p),
                   dry_max(side * area(&chosen[1], &chosen[2], p), side * area(&chosen[2], &chosen[0], p)));
}

/* Returns the value of taking p as point k. Deep corners come first, then those that touch. */
static float value_of(const face_point *chosen, int k, float side, float deepest, float half,
                      const face_point *p)
{
    const float value = gain(chosen, k, side, p), same_depth = PAIR_SAME_DEPTH * half;
    if (value <= BOX_AREA_LEAST * half * half || p->height > dry_max(deepest, 0.0f) + same_depth)
        return value;
    const bool is_deep = p->height <= dry_max(0.5f * deepest, deepest + same_depth);
    return BOX_FIRST * value * (is_deep ? BOX_FIRST : 1.0f);
}

/* Puts first the four points that best stand for all: of the deepest the one farthest in a fixed direction,
 * the one farthest from it, the two that add most area. Deep corners come first, then those that touch. The
 * first of near ties wins, so that the choice does not flicker. */
static void choose_four(face_point *points, int count, float half)
{
    const float same_depth = PAIR_SAME_DEPTH * half;
    float deepest = FLT_MAX;
    for (int i = 0; i < count; i++)
        deepest = dry_min(deepest, points[i].height);
    int best = -1;
    float best_value = 0.0f;
    for (int i = 0; i < count; i++) {
        float value = 0.92387953f * points[i].x + 0.38268343f * points[i].y;
        if (points[i].height <= deepest + same_depth && (best < 0 || value > best_value)) {
            best = i;
            best_value = value;
        }
    }
    swap_points(&points[0], &points[best]);
    for (int k = 1; k < 4; k++) {
        float side = k == 3 && area(&points[0], &points[1], &points[2]) < 0.0f ? 1.0f : -1.0f;
        best = k;
        best_value = dry_max(value_of(points, k, side, deepest, half, &points[k]), 0.0f);
        for (int i = k + 1; i < count; i++) {
            float value = value_of(points, k, side, deepest, half, &points[i]);
            if (value > PAIR_CLEARLY * best_value) {
                best = i;
                best_value = value;
            }
        }
        swap_points(&points[k], &points[best]);
    }
}

static int clip_faces(const face_view *view, float margin, face_point points[FACE_POINTS_MAX])
{
    over_face f = look_down(view);
    int corners = overlap_corners(view, &f, points);
    int count = 0;
    for (int i = 0; i < corners; i++) {
        points[count] = points[i];
        count += points[i].height <= margin;
    }
    if (count <= 4)
        return count;
    choose_four(points, count, dry_min(f.half_x, f.half_y));
    return 4;
}

/* Rows run along b's axes; lane 3 is 0. */
typedef struct box_pair {
    four_row half_a, half_b;
    four_row r[3], abs_r[3]; /* r[i].f[j]: a's axis i . b's axis j */
    four_row t;              /* from a's center to b's, along a's axes */
    four_row s;              /* the same, along b's axes */
    float rounding;          /* bounds the error of any separation, m */
    float scale;             /* the smaller of the two boxes' largest half extents */
} box_pair;

typedef struct edge_axis {
    int i, j; /* a's axis x b's axis; i < 0: none */
    float separation;
} edge_axis;

static float max3(const float v[3])
{
    return dry_max(v[0], dry_max(v[1], v[2]));
}

static float min3(const float v[3])
{
    return dry_min(v[0], dry_min(v[1], v[2]));
}

static void pair_init(box_pair *p, const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a)
{
    dry_mat3 m = mat3_from_quat(b_in_a->orientation);
    dry_vec3 t = b_in_a->position, ha = a->size, hb = b->size;
    p->r[0].v = (four){m.x.x, m.y.x, m.z.x, 0.0f};
    p->r[1].v = (four){m.x.y, m.y.y, m.z.y, 0.0f};
    p->r[2].v = (four){m.x.z, m.y.z, m.z.z, 0.0f};
    for (int i = 0; i < 3; i++)
        p->abs_r[i].v = four_abs(p->r[i].v);
    p->s.v = t.x * p->r[0].v + t.y * p->r[1].v + t.z * p->r[2].v;
    p->half_a.v = (four){ha.x, ha.y, ha.z, 0.0f};
    p->half_b.v = (four){hb.x, hb.y, hb.z, 0.0f};
    p->t.v = (four){t.x, t.y, t.z, 0.0f};
    p->rounding = PAIR_ROUNDING *
                  (dry_abs(t.x) + dry_abs(t.y) + dry_abs(t.z) + ha.x + ha.y + ha.z + hb.x + hb.y + hb.z);
    p->scale = dry_min(dry_max(ha.x, dry_max(ha.y, ha.z)), dry_max(hb.x, dry_max(hb.y, hb.z)));
}

/* Separations along the six face axes; returns the largest. */
static float face_separations(const box_pair *p, four_row *on_a, four_row *on_b)
{
    four x = p->abs_r[0].v * p->half_b.v, y = p->abs_r[1].v * p->half_b.v, z = p->abs_r[2].v * p->half_b.v;
    on_a->v = four_abs(p->t.v) - p->half_a.v -
              (four){x[0] + x[1] + x[2], y[0] + y[1] + y[2], z[0] + z[1] + z[2], 0.0f};
    on_b->v =
        four_abs(p->s.v) - p->half_b.v -
        (p->half_a.f[0] * p->abs_r[0].v + p->half_a.f[1] * p->abs_r[1].v + p->half_a.f[2] * p->abs_r[2].v);
    return dry_max(max3(on_a->f), max3(on_b->f));
}

/* Returns separations before normalization along a's axis i x b's three axes, with n = i + 1, o = i + 2 and
 * so for j: |t_o r_nj - t_n r_oj| - (a_n |r_oj| + a_o |r_nj|) - (b_n |r_io| + b_o |r_in|), less its rounding
 * error; `square` is the squared length of the axis. */
static four edge_gap(const box_pair *p, int i, int n, int o, four *square)
{
    four q = p->abs_r[i].v, h = p->half_b.v, x = p->r[n].v, y = p->r[o].v;
    *square = x * x + y * y;
    return four_abs(p->t.f[o] * x - p->t.f[n] * y) -
           (p->half_a.f[n] * p->abs_r[o].v + p->half_a.f[o] * p->abs_r[n].v) -
           (DRY_SHUFFLE(h, h, 1, 2, 0, 3) * DRY_SHUFFLE(q, q, 2, 0, 1, 3) +
            DRY_SHUFFLE(h, h, 2, 0, 1, 3) * DRY_SHUFFLE(q, q, 1, 2, 0, 3)) -
           p->rounding;
}

/* Finds the best of the nine edge axes, if any exceeds `threshold`. */
static edge_axis best_edge(const box_pair *p, float threshold)
{
    four_row square[3], gap[3];
    gap[0].v = edge_gap(p, 0, 1, 2, &square[0].v);
    gap[1].v = edge_gap(p, 1, 2, 0, &square[1].v);
    gap[2].v = edge_gap(p, 2, 0, 1, &square[2].v);
    edge_axis best = {-1, -1, -FLT_MAX};
    float bound = threshold * dry_abs(threshold);
    four_mask above = {0};
    for (int i = 0; i < 3; i++)
        above |=
            (gap[i].v * four_abs(gap[i].v) > bound * square[i].v) & (square[i].v > PAIR_PARALLEL_SQUARED);
    if (!four_any(above))
        return best;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            float separation = gap[i].f[j] / sqrtf(dry_max(square[i].f[j], PAIR_PARALLEL_SQUARED));
            if (square[i].f[j] > PAIR_PARALLEL_SQUARED && separation > best.separation)
                best = (edge_axis){i, j, separation};
        }
    }
    return best;
}

/* The edges of the two boxes that lie farthest towards each other along the axis, and where they cross. */
static void edge_contact(const box_pair *p, edge_axis edge, float margin, dry_local_manifold *manifold)
{
    int i = edge.i, j = edge.j;
    int n = dry_next_axis[i + 1], o = dry_next_axis[i + 2];
    float axis[3];
    float x = p->r[n].f[j], y = p->r[o].f[j];
    float inverse = 1.0f / sqrtf(x * x + y * y);
    if (p->t.f[o] * x - p->t.f[n] * y < 0.0f)
        inverse = -inverse;
    axis[i] = 0.0f;
    axis[n] = -y * inverse;
    axis[o] = x * inverse;

    /* Midpoints of the edges from a's center, and their difference along the two edges. */
    float on_a[3], on_b[3];
    uint32_t edge_a = (uint32_t)i * 4, edge_b = (uint32_t)j * 4;
    on_a[i] = 0.0f;
    on_a[n] = axis[n] < 0.0f ? -p->half_a.f[n] : p->half_a.f[n];
    on_a[o] = axis[o] < 0.0f ? -p->half_a.f[o] : p->half_a.f[o];
    edge_a |= (axis[n] < 0.0f ? 0u : 1u) | (axis[o] < 0.0f ? 0u : 2u);
    for (int k = 0; k < 3; k++)
        on_b[k] = p->t.f[k];
    for (int k = 1; k < 3; k++) {
        int m = dry_next_axis[j + k];
        bool towards = axis[0] * p->r[0].f[m] + axis[1] * p->r[1].f[m] + axis[2] * p->r[2].f[m] < 0.0f;
        float half = towards ? p->half_b.f[m] : -p->half_b.f[m];
        for (int c = 0; c < 3; c++)
            on_b[c] += half * p->r[c].f[m];
        edge_b |= towards ? (uint32_t)k : 0u;
    }
    float d[3] = {on_b[0] - on_a[0], on_b[1] - on_a[1], on_b[2] - on_a[2]};
    float along_a = d[i], along_b = d[0] * p->r[0].f[j] + d[1] * p->r[1].f[j] + d[2] * p->r[2].f[j];
    float cosine = p->r[i].f[j], square = inverse * inverse;
    float alpha = dry_clamp((along_a - cosine * along_b) * square, -p->half_a.f[i], p->half_a.f[i]);
    float beta = dry_clamp((cosine * along_a - along_b) * square, -p->half_b.f[j], p->half_b.f[j]);

    float separation = axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
    if (separation > margin)
        return;
    on_a[i] = alpha;
    for (int c = 0; c < 3; c++)
        on_b[c] += beta * p->r[c].f[j];
    manifold->normal = vec3(axis[0], axis[1], axis[2]);
    dry_local_manifold_add(
        manifold, vec3(0.5f * (on_a[0] + on_b[0]), 0.5f * (on_a[1] + on_b[1]), 0.5f * (on_a[2] + on_b[2])),
        separation, DRY_BOX_FEATURE(DRY_BOX_EDGES, edge_a, edge_b));
}

static dry_vec3 unit(int axis)
{
    return vec3(axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f);
}

/* b's axis in a's frame. */
static dry_vec3 axis_of_b(const box_pair *p, int axis)
{
    return vec3(p->r[0].f[axis], p->r[1].f[axis], p->r[2].f[axis]);
}

/* The contact of a face of one box with the part of the other that lies over it; false if there is none. */
static bool face_contact(const box_pair *p, bool on_b, int axis, float margin, dry_local_manifold *manifold)
{
    face_view view = {
        .half = on_b ? p->half_b.f : p->half_a.f,
        .other_half = on_b ? p->half_a.f : p->half_b.f,
        .r = p->r,
        .axis = axis,
        .reference_is_b = on_b,
    };
    for (int i = 0; i < 3; i++)
        view.center[i] = on_b ? -p->s.f[i] : p->t.f[i];
    view.negative = view.center[axis] < 0.0f;
    face_point points[FACE_POINTS_MAX];
    int count = clip_faces(&view, margin, points);

    /* The reference's axes and center in a's frame. */
    int u = dry_next_axis[axis + 1], v = dry_next_axis[axis + 2];
    dry_vec3 x = on_b ? axis_of_b(p, u) : unit(u), y = on_b ? axis_of_b(p, v) : unit(v);
    dry_vec3 out = on_b ? axis_of_b(p, axis) : unit(axis);
    dry_vec3 center = on_b ? vec3(p->t.f[0], p->t.f[1], p->t.f[2]) : vec3(0.0f, 0.0f, 0.0f);
    out = view.negative ? vec3_neg(out) : out;
    for (int i = 0; i < count; i++) {
        dry_vec3 in_plane = vec3_add_scaled(vec3_scale(x, points[i].x), points[i].y, y);
        dry_vec3 position = vec3_add_scaled(in_plane, view.half[axis] + 0.5f * points[i].height, out);
        dry_local_manifold_add(manifold, vec3_add(center, position), points[i].height, points[i].feature);
    }
    manifold->normal = on_b ? vec3_neg(out) : out;
    return count > 0;
}

bool box_oracle_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                        float margin, dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;

    box_pair p;
    four_row along_a, along_b;
    pair_init(&p, a, b, b_in_a);
    manifold->separation_min = face_separations(&p, &along_a, &along_b);
    if (!(manifold->separation_min - p.rounding <= margin))
        return false;
    int axis_a = argmax3(along_a.f), axis_b = argmax3(along_b.f);
    bool on_b = p.half_b.f[dry_next_axis[axis_b + 1]] * p.half_b.f[dry_next_axis[axis_b + 2]] >
                p.half_a.f[dry_next_axis[axis_a + 1]] * p.half_a.f[dry_next_axis[axis_a + 2]];
    float face = on_b ? along_b.f[axis_b] : along_a.f[axis_a],
          other = on_b ? along_a.f[axis_a] : along_b.f[axis_b];
    if (other > face + (PAIR_FACE_ABSOLUTE * p.scale + PAIR_FACE_RELATIVE * dry_abs(face) + p.rounding)) {
        on_b = !on_b;
        face = other;
        other = on_b ? along_a.f[axis_a] : along_b.f[axis_b];
    }
    float clearly = face + (PAIR_EDGE_ABSOLUTE * p.scale + PAIR_EDGE_RELATIVE * dry_max(-face, 0.0f));
    edge_axis edge = best_edge(&p, dry_min(clearly, margin));
    if (edge.separation > margin) {
        manifold->separation_min = dry_max(manifold->separation_min, edge.separation);
        return false;
    }
    if (edge.separation > clearly) {
        edge_contact(&p, edge, margin, manifold);
        return false;
    }

    int axis = on_b ? axis_b : axis_a;
    const float *along = on_b ? along_b.f : along_a.f;
    float beside = -BOX_BESIDE * dry_min(min3(p.half_a.f), min3(p.half_b.f));
    if (along[dry_next_axis[axis + 1]] > beside || along[dry_next_axis[axis + 2]] > beside)
        return false;
    if (face_contact(&p, on_b, axis, margin, manifold) || face > 0.0f || other > 0.0f)
        return false;

    /* Overlapping boxes always touch along the best axis, but the preferred one may miss by its tolerance. */
    edge = best_edge(&p, -FLT_MAX);
    if (edge.separation > dry_max(face, other))
        edge_contact(&p, edge, margin, manifold);
    else
        face_contact(&p, !on_b, on_b ? axis_a : axis_b, margin, manifold);
    return true;
}
