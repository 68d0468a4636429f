/* Box against box: the separating axis test over 15 axes, then one face clipped against the other, or one
 * pair of edges [Gottschalk 96, "OBBTree"].
 *
 * Which contact: a face unless an edge pair is clearly better, and of the two best faces the larger one
 * (a's if they are equal) unless the other is clearly better. Both rules depend on the sizes, so a resting
 * pile keeps its choice while its poses tremble.
 *
 * Boxes that do not overlap and are nearest corner to corner, or along parallel edges that pass diagonally,
 * get no points although they may be within the margin: a plane between them would stop a box that is going
 * past. The same holds where they overlap across the face by less than a ten-thousandth (BOX_BESIDE), which
 * keeps diagonal neighbours in a grid of boxes apart.
 *
 * Next: collide_box_face.c, where a face is clipped. */
#include "narrowphase/pairs/box.h"
#include "narrowphase/pairs/box_pair.h"
#include "narrowphase/pairs/kernel_list.h"
#include "narrowphase/pairs/pairs.h"

/* Rows run along b's axes; lane 3 is 0. */
typedef struct box_pair {
    dry_row half_a, half_b;
    dry_row r[3], abs_r[3]; /* r[i].f[j]: a's axis i . b's axis j */
    dry_row t;              /* from a's centre to b's, along a's axes */
    dry_row s;              /* the same, along b's axes */
    float rounding;         /* bounds the error of any separation, m */
    float scale;            /* the smaller of the two boxes' largest half extents */
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
    p->r[0].v = (dry_lanes){m.x.x, m.y.x, m.z.x, 0.0f};
    p->r[1].v = (dry_lanes){m.x.y, m.y.y, m.z.y, 0.0f};
    p->r[2].v = (dry_lanes){m.x.z, m.y.z, m.z.z, 0.0f};
    for (int i = 0; i < 3; i++)
        p->abs_r[i].v = dry_lanes_abs(p->r[i].v);
    p->s.v = t.x * p->r[0].v + t.y * p->r[1].v + t.z * p->r[2].v;
    p->half_a.v = (dry_lanes){ha.x, ha.y, ha.z, 0.0f};
    p->half_b.v = (dry_lanes){hb.x, hb.y, hb.z, 0.0f};
    p->t.v = (dry_lanes){t.x, t.y, t.z, 0.0f};
    p->rounding =
        BOX_ROUNDING * (dry_abs(t.x) + dry_abs(t.y) + dry_abs(t.z) + ha.x + ha.y + ha.z + hb.x + hb.y + hb.z);
    p->scale = dry_min(dry_max(ha.x, dry_max(ha.y, ha.z)), dry_max(hb.x, dry_max(hb.y, hb.z)));
}

/* Separations along the six face axes; returns the largest. */
static float face_separations(const box_pair *p, dry_row *on_a, dry_row *on_b)
{
    dry_lanes x = p->abs_r[0].v * p->half_b.v, y = p->abs_r[1].v * p->half_b.v,
              z = p->abs_r[2].v * p->half_b.v;
    on_a->v = dry_lanes_abs(p->t.v) - p->half_a.v -
              (dry_lanes){x[0] + x[1] + x[2], y[0] + y[1] + y[2], z[0] + z[1] + z[2], 0.0f};
    on_b->v =
        dry_lanes_abs(p->s.v) - p->half_b.v -
        (p->half_a.f[0] * p->abs_r[0].v + p->half_a.f[1] * p->abs_r[1].v + p->half_a.f[2] * p->abs_r[2].v);
    return dry_max(max3(on_a->f), max3(on_b->f));
}

/* Unnormalised separations along a's axis i x b's three axes, with n = i + 1, o = i + 2 and so for j:
 *   |t_o r_nj - t_n r_oj| - (a_n |r_oj| + a_o |r_nj|) - (b_n |r_io| + b_o |r_in|), less its rounding error;
 * `square` is the squared length of the axis. */
static inline dry_lanes edge_gap(const box_pair *p, int i, int n, int o, dry_lanes *square)
{
    dry_lanes q = p->abs_r[i].v, h = p->half_b.v, x = p->r[n].v, y = p->r[o].v;
    *square = x * x + y * y;
    return dry_lanes_abs(p->t.f[o] * x - p->t.f[n] * y) -
           (p->half_a.f[n] * p->abs_r[o].v + p->half_a.f[o] * p->abs_r[n].v) -
           (__builtin_shufflevector(h, h, 1, 2, 0, 3) * __builtin_shufflevector(q, q, 2, 0, 1, 3) +
            __builtin_shufflevector(h, h, 2, 0, 1, 3) * __builtin_shufflevector(q, q, 1, 2, 0, 3)) -
           p->rounding;
}

/* The best of the nine edge axes, if any exceeds `threshold`. Comparing signed squares spares a resting pile,
 * in which none does, the roots. */
static edge_axis best_edge(const box_pair *p, float threshold)
{
    dry_row square[3], gap[3];
    gap[0].v = edge_gap(p, 0, 1, 2, &square[0].v);
    gap[1].v = edge_gap(p, 1, 2, 0, &square[1].v);
    gap[2].v = edge_gap(p, 2, 0, 1, &square[2].v);
    edge_axis best = {-1, -1, -FLT_MAX};
    float bound = threshold * dry_abs(threshold);
    dry_lane_mask above = {0};
    for (int i = 0; i < 3; i++)
        above |=
            (gap[i].v * dry_lanes_abs(gap[i].v) > bound * square[i].v) & (square[i].v > BOX_PARALLEL_SQUARED);
    if (!dry_lanes_any(above))
        return best;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            float separation = gap[i].f[j] / sqrtf(dry_max(square[i].f[j], BOX_PARALLEL_SQUARED));
            if (square[i].f[j] > BOX_PARALLEL_SQUARED && separation > best.separation)
                best = (edge_axis){i, j, separation};
        }
    }
    return best;
}

/* The edges of the two boxes that lie furthest towards each other along the axis, and where they cross. */
static void edge_contact(const box_pair *p, edge_axis edge, float margin, dry_local_manifold *manifold)
{
    int i = edge.i, j = edge.j;
    int n = dry_axis[i + 1], o = dry_axis[i + 2];
    float axis[3];
    float x = p->r[n].f[j], y = p->r[o].f[j];
    float inverse = 1.0f / sqrtf(x * x + y * y);
    if (p->t.f[o] * x - p->t.f[n] * y < 0.0f)
        inverse = -inverse;
    axis[i] = 0.0f;
    axis[n] = -y * inverse;
    axis[o] = x * inverse;

    /* Midpoints of the edges from a's centre, and their difference along the two edges. */
    float on_a[3], on_b[3];
    uint32_t edge_a = (uint32_t)i * 4, edge_b = (uint32_t)j * 4;
    on_a[i] = 0.0f;
    on_a[n] = axis[n] < 0.0f ? -p->half_a.f[n] : p->half_a.f[n];
    on_a[o] = axis[o] < 0.0f ? -p->half_a.f[o] : p->half_a.f[o];
    edge_a |= (axis[n] < 0.0f ? 0u : 1u) | (axis[o] < 0.0f ? 0u : 2u);
    for (int k = 0; k < 3; k++)
        on_b[k] = p->t.f[k];
    for (int k = 1; k < 3; k++) {
        int m = dry_axis[j + k];
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
    dry_face_view view = {
        .half = on_b ? p->half_b.f : p->half_a.f,
        .other_half = on_b ? p->half_a.f : p->half_b.f,
        .r = p->r,
        .axis = axis,
        .reference_is_b = on_b,
    };
    for (int i = 0; i < 3; i++)
        view.centre[i] = on_b ? -p->s.f[i] : p->t.f[i];
    view.negative = view.centre[axis] < 0.0f;
    dry_face_point points[DRY_FACE_POINTS_MAX];
    int count = dry_clip_faces(&view, margin, points);

    /* The reference's axes and centre in a's frame. */
    int u = dry_axis[axis + 1], v = dry_axis[axis + 2];
    dry_vec3 x = on_b ? axis_of_b(p, u) : unit(u), y = on_b ? axis_of_b(p, v) : unit(v);
    dry_vec3 out = on_b ? axis_of_b(p, axis) : unit(axis);
    dry_vec3 centre = on_b ? vec3(p->t.f[0], p->t.f[1], p->t.f[2]) : vec3(0.0f, 0.0f, 0.0f);
    out = view.negative ? vec3_neg(out) : out;
    for (int i = 0; i < count; i++) {
        dry_vec3 in_plane = vec3_add_scaled(vec3_scale(x, points[i].x), points[i].y, y);
        dry_vec3 position = vec3_add_scaled(in_plane, view.half[axis] + 0.5f * points[i].height, out);
        dry_local_manifold_add(manifold, vec3_add(centre, position), points[i].height, points[i].feature);
    }
    manifold->normal = on_b ? vec3_neg(out) : out;
    return count > 0;
}

void dry_collide_box_box(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                         float margin, dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;

    box_pair p;
    dry_row along_a, along_b;
    pair_init(&p, a, b, b_in_a);
    manifold->separation_min = face_separations(&p, &along_a, &along_b);
    if (!(manifold->separation_min - p.rounding <= margin))
        return;
    int axis_a = dry_argmax3(along_a.f), axis_b = dry_argmax3(along_b.f);
    bool on_b = p.half_b.f[dry_axis[axis_b + 1]] * p.half_b.f[dry_axis[axis_b + 2]] >
                p.half_a.f[dry_axis[axis_a + 1]] * p.half_a.f[dry_axis[axis_a + 2]];
    float face = on_b ? along_b.f[axis_b] : along_a.f[axis_a],
          other = on_b ? along_a.f[axis_a] : along_b.f[axis_b];
    if (other > face + (BOX_FACE_ABSOLUTE * p.scale + BOX_FACE_RELATIVE * dry_abs(face) + p.rounding)) {
        on_b = !on_b;
        face = other;
        other = on_b ? along_a.f[axis_a] : along_b.f[axis_b];
    }
    float clearly = face + (BOX_EDGE_ABSOLUTE * p.scale + BOX_EDGE_RELATIVE * dry_abs(face));
    edge_axis edge = best_edge(&p, dry_min(clearly, margin));
    if (edge.separation > margin) {
        manifold->separation_min = dry_max(manifold->separation_min, edge.separation);
        return;
    }
    if (edge.separation > clearly) {
        edge_contact(&p, edge, margin, manifold);
        return;
    }

    int axis = on_b ? axis_b : axis_a;
    const float *along = on_b ? along_b.f : along_a.f;
    float beside = -BOX_BESIDE * dry_min(min3(p.half_a.f), min3(p.half_b.f));
    if (along[dry_axis[axis + 1]] > beside || along[dry_axis[axis + 2]] > beside)
        return;
    if (face_contact(&p, on_b, axis, margin, manifold) || face > 0.0f || other > 0.0f)
        return;

    /* Overlapping boxes always touch along the best axis, but the preferred one may miss by its tolerance. */
    edge = best_edge(&p, -FLT_MAX);
    if (edge.separation > dry_max(face, other))
        edge_contact(&p, edge, margin, manifold);
    else
        face_contact(&p, !on_b, on_b ? axis_a : axis_b, margin, manifold);
}

void dry_collide_boxes(dry_level level, const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    dry_box_kernels_at(level)->collide_boxes(pairs, count, manifolds);
    /* Boxes that overlap, but not under the preferred face: too rare for lanes. */
    for (int i = 0; i < count; i++) {
        if (manifolds[i].count >= 0)
            continue;
        const dry_box_pair *p = &pairs[i];
        const dry_geometry a = {p->half_a, DRY_SHAPE_BOX}, b = {p->half_b, DRY_SHAPE_BOX};
        const dry_transform b_in_a = {p->position, p->orientation};
        dry_collide_box_box(&a, &b, &b_in_a, p->margin, &manifolds[i]);
    }
}
