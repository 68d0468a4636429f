/* Box against box, the face case: the other box's face seen from above the reference face, as a
 * parallelogram over a rectangle; the corners of their overlap; the four of them that hold the rest.
 *
 * Reads: a dry_face_view. Writes: points above the reference face. Four corners or edges go through
 * at a time, one in each lane. */
#include "narrowphase/pairs/box.h"

/* Signs of the corners of a rectangle, in order round it. Edge k runs from corner k to the next. */
static const dry_lanes corner_u = {1.0f, -1.0f, -1.0f, 1.0f}, corner_v = {1.0f, 1.0f, -1.0f, -1.0f};

/* The other box's face: its centre and half sides, in (x, y, height) over the reference face. */
typedef struct over_face {
    dry_vec3 centre, side_u, side_v;
    float half_x, half_y; /* the rectangle */
    float half_u, half_v; /* lengths of the sides */
    float place;          /* m */
    int k;                /* the other's axis across its face */
    bool negative;        /* its face is on the negative side of k */
} over_face;

/* The vertices of the face across `axis`, in order round it. */
static void vertex_ids(int axis, bool negative, uint32_t ids[4])
{
    uint32_t u = 1u << dry_axis[axis + 1], v = 1u << dry_axis[axis + 2], low = negative ? 0u : 1u << axis;
    ids[0] = low | u | v;
    ids[1] = low | v;
    ids[2] = low;
    ids[3] = low | u;
}

/* Its edges, in the same order. */
static void edge_ids(int axis, bool negative, uint32_t ids[4])
{
    uint32_t u = 4 * (uint32_t)dry_axis[axis + 1], v = 4 * (uint32_t)dry_axis[axis + 2];
    uint32_t up = negative ? 0 : 1;
    ids[0] = u + 1 + 2 * up; /* along u, v positive */
    ids[1] = v + up;         /* along v, u negative */
    ids[2] = u + 2 * up;
    ids[3] = v + up + 2;
}

/* The reference's axis i . the other's axis j. */
static float cosine(const dry_face_view *view, int i, int j)
{
    return view->reference_is_b ? view->r[j].f[i] : view->r[i].f[j];
}

static over_face look_down(const dry_face_view *view)
{
    over_face f;
    int axis = view->axis, u = dry_axis[axis + 1], v = dry_axis[axis + 2];
    float sign = view->negative ? -1.0f : 1.0f;
    float steep[3];
    for (int i = 0; i < 3; i++)
        steep[i] = dry_abs(cosine(view, axis, i));
    int k = dry_argmax3(steep), ku = dry_axis[k + 1], kv = dry_axis[k + 2];
    f.k = k;
    f.negative = sign * cosine(view, axis, k) > 0.0f;
    f.half_x = view->half[u];
    f.half_y = view->half[v];
    f.half_u = view->other_half[ku];
    f.half_v = view->other_half[kv];
    f.place = BOX_SAME_PLACE * dry_min(dry_min(f.half_x, f.half_y), dry_min(f.half_u, f.half_v));

    float reach = f.negative ? -view->other_half[k] : view->other_half[k];
    f.centre =
        vec3(view->centre[u] + reach * cosine(view, u, k), view->centre[v] + reach * cosine(view, v, k),
             sign * (view->centre[axis] + reach * cosine(view, axis, k)) - view->half[axis]);
    f.side_u =
        vec3_scale(vec3(cosine(view, u, ku), cosine(view, v, ku), sign * cosine(view, axis, ku)), f.half_u);
    f.side_v =
        vec3_scale(vec3(cosine(view, u, kv), cosine(view, v, kv), sign * cosine(view, axis, kv)), f.half_v);
    return f;
}

/* Four points over the reference face. */
typedef struct quad {
    dry_lanes x, y, h;
} quad;

/* (x, y, height) + a side_u + b side_v, lane by lane. */
static quad on_other_face(const over_face *f, dry_lanes a, dry_lanes b)
{
    return (quad){f->centre.x + (a * f->side_u.x + b * f->side_v.x),
                  f->centre.y + (a * f->side_u.y + b * f->side_v.y),
                  f->centre.z + (a * f->side_u.z + b * f->side_v.z)};
}

/* Appends the points that `chosen` says. */
static int append(dry_face_point *points, const quad *q, dry_lane_mask chosen, const uint32_t features[4])
{
    int count = 0;
    for (int i = 0; i < 4; i++) {
        points[count] = (dry_face_point){q->x[i], q->y[i], q->h[i], features[i]};
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

/* The points that far along the four edges, held inside the rectangle. */
static quad along_edges(const over_face *f, const quad *from, const quad *delta, dry_lanes s)
{
    dry_lanes x = from->x + s * delta->x, y = from->y + s * delta->y;
    dry_lanes wide = f->half_x - (dry_lanes){0}, deep = f->half_y - (dry_lanes){0};
    return (quad){dry_lanes_max(-wide, dry_lanes_min(x, wide)), dry_lanes_max(-deep, dry_lanes_min(y, deep)),
                  from->h + s * delta->h};
}

/* Where the parallelogram's edges cross the rectangle's sides, clipping each edge against both pairs of sides
 * at once [Liang, Barsky 84]. A crossing too near to a vertex that counts as inside, or to the same edge's
 * other crossing, is the same corner and left out. */
static int crossings(const dry_face_view *view, const over_face *f, const quad *vertices,
                     dry_lane_mask inside, dry_face_point *points)
{
    float ux = 0.5f * inverse_of(f->side_u.x), uy = 0.5f * inverse_of(f->side_u.y);
    float vx = 0.5f * inverse_of(f->side_v.x), vy = 0.5f * inverse_of(f->side_v.y);
    dry_lanes ix = {-ux, -vx, ux, vx}, iy = {-uy, -vy, uy, vy};
    dry_lanes at_x = -vertices->x * ix, at_y = -vertices->y * iy;
    dry_lanes reach_x = (f->half_x + f->place) * dry_lanes_abs(ix),
              reach_y = (f->half_y + f->place) * dry_lanes_abs(iy);
    dry_lane_mask enter_by_x = at_x - reach_x >= at_y - reach_y,
                  leave_by_x = at_x + reach_x <= at_y + reach_y;
    dry_lanes enter = dry_lanes_max(at_x - reach_x, at_y - reach_y);
    dry_lanes leave = dry_lanes_min(at_x + reach_x, at_y + reach_y);

    dry_lane_mask next_inside = __builtin_shufflevector(inside, inside, 1, 2, 3, 0);
    dry_lane_mask crosses = (enter <= leave) & (leave >= 0.0f) & (enter <= 1.0f) & ~(inside & next_inside);
    if (!dry_lanes_any(crosses))
        return 0;
    dry_lanes zero = {0}, one = 1.0f - zero;
    enter = dry_lanes_select(inside, zero, dry_lanes_max(enter, zero));
    leave = dry_lanes_select(next_inside, one, dry_lanes_min(leave, one));
    float apart_u = 2.0f * f->place / dry_max(dry_abs(f->side_u.x), dry_abs(f->side_u.y));
    float apart_v = 2.0f * f->place / dry_max(dry_abs(f->side_v.x), dry_abs(f->side_v.y));
    dry_lane_mask apart = leave - enter > (dry_lanes){apart_u, apart_v, apart_u, apart_v};
    dry_lane_mask enters = crosses & ~inside & (apart | ~next_inside),
                  leaves = crosses & ~next_inside & apart;

    quad delta = {__builtin_shufflevector(vertices->x, vertices->x, 1, 2, 3, 0) - vertices->x,
                  __builtin_shufflevector(vertices->y, vertices->y, 1, 2, 3, 0) - vertices->y,
                  __builtin_shufflevector(vertices->h, vertices->h, 1, 2, 3, 0) - vertices->h};
    quad in = along_edges(f, vertices, &delta, enter), out = along_edges(f, vertices, &delta, leave);

    /* The side that is crossed: rising in x one enters by side 1 and leaves by 3, in y by 2 and 0. */
    dry_lane_mask up_x = ix > 0.0f, up_y = iy > 0.0f;
    dry_lane_mask in_side = (enter_by_x & (3 + (up_x & -2))) | (~enter_by_x & (up_y & 2));
    dry_lane_mask out_side = (leave_by_x & (1 + (up_x & 2))) | (~leave_by_x & (2 + (up_y & -2)));
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
static int covered_corners(const dry_face_view *view, const over_face *f, dry_face_point *points)
{
    float inverse = 1.0f / (f->side_u.x * f->side_v.y - f->side_u.y * f->side_v.x);
    dry_lanes x = corner_u * f->half_x, y = corner_v * f->half_y;
    dry_lanes dx = x - f->centre.x, dy = y - f->centre.y;
    dry_lanes a = (dx * f->side_v.y - dy * f->side_v.x) * inverse;
    dry_lanes b = (dy * f->side_u.x - dx * f->side_u.y) * inverse;
    dry_lane_mask covered =
        (dry_lanes_abs(a) < 1.0f - f->place / f->half_u) & (dry_lanes_abs(b) < 1.0f - f->place / f->half_v);
    if (!dry_lanes_any(covered))
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
 * vertices inside the parallelogram. What is nearly two of these counts as the first of them only, so
 * aligned boxes have the same features however they tremble. */
static int overlap_corners(const dry_face_view *view, const over_face *f,
                           dry_face_point points[DRY_FACE_POINTS_MAX])
{
    quad q = on_other_face(f, corner_u, corner_v);
    dry_lane_mask inside =
        (dry_lanes_abs(q.x) <= f->half_x + f->place) & (dry_lanes_abs(q.y) <= f->half_y + f->place);
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

static void swap_points(dry_face_point *a, dry_face_point *b)
{
    dry_face_point c = *a;
    *a = *b;
    *b = c;
}

/* Twice the signed area of the triangle. */
static float area(const dry_face_point *a, const dry_face_point *b, const dry_face_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The k-th point's worth, given the k before it: distance for the second, then the area added to what is
 * spanned already. `turn` is the sign that makes the area outside the first three positive. */
static float worth(const dry_face_point *chosen, int k, float turn, const dry_face_point *p)
{
    float dx = p->x - chosen[0].x, dy = p->y - chosen[0].y;
    if (k == 1)
        return dx * dx + dy * dy;
    if (k == 2)
        return dry_abs(area(&chosen[0], &chosen[1], p));
    return dry_max(turn * area(&chosen[0], &chosen[1], p),
                   dry_max(turn * area(&chosen[1], &chosen[2], p), turn * area(&chosen[2], &chosen[0], p)));
}

/* Puts first four points that hold the others' place: of the deepest the one furthest in a fixed direction,
 * the one furthest from it, the two that add most area. Near ties go to the first, lest they flicker. */
static void choose_four(dry_face_point *points, int count, float same_depth)
{
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
        float turn = k == 3 && area(&points[0], &points[1], &points[2]) < 0.0f ? 1.0f : -1.0f;
        best = k;
        best_value = dry_max(worth(points, k, turn, &points[k]), 0.0f);
        for (int i = k + 1; i < count; i++) {
            float value = worth(points, k, turn, &points[i]);
            if (value > BOX_CLEARLY * best_value) {
                best = i;
                best_value = value;
            }
        }
        swap_points(&points[k], &points[best]);
    }
}

int dry_clip_faces(const dry_face_view *view, float margin, dry_face_point points[DRY_FACE_POINTS_MAX])
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
    choose_four(points, count, BOX_SAME_DEPTH * dry_min(f.half_x, f.half_y));
    return 4;
}
