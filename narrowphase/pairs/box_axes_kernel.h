/* Box against box in lanes: the separating axes of a group of pairs, and the contact of crossing edges. What
 * collide_box_box.c does for one pair, which says why. Included by kernels.c alone.
 *
 * Reads: box pairs. Writes: what the axes say of each; manifolds. Next: collide_face_kernel.h. */
#ifndef NARROWPHASE_PAIRS_BOX_AXES_KERNEL_H
#define NARROWPHASE_PAIRS_BOX_AXES_KERNEL_H

#include "narrowphase/pairs/box_lanes.h"

typedef struct lane_edge {
    lane i, j; /* a's axis x b's axis */
    lane separation;
} lane_edge;

/* The best of the nine edge axes, where any exceeds the threshold. */
LANE_INLINE lane_edge lane_best_edge(const lane_boxes *p, lane rounding, lane threshold, lane_mask near)
{
    lane gap[3][3], square[3][3];
    lane bound = threshold * lane_abs(threshold), least = lane_set(BOX_PARALLEL_SQUARED);
    lane_mask above = lane_less(lane_zero(), lane_zero());
    for (int i = 0; i < 3; i++) {
        int n = dry_axis[i + 1], o = dry_axis[i + 2];
        for (int j = 0; j < 3; j++) {
            int k = dry_axis[j + 1], l = dry_axis[j + 2];
            lane x = p->r[n][j], y = p->r[o][j];
            square[i][j] = x * x + y * y;
            gap[i][j] = lane_abs(p->t[o] * x - p->t[n] * y) -
                        (p->half_a[n] * lane_abs(y) + p->half_a[o] * lane_abs(x)) -
                        (p->half_b[k] * lane_abs(p->r[i][l]) + p->half_b[l] * lane_abs(p->r[i][k])) -
                        rounding;
            lane_mask further = lane_less(bound * square[i][j], gap[i][j] * lane_abs(gap[i][j]));
            above = lane_mask_or(above, lane_mask_and(further, lane_less(least, square[i][j])));
        }
    }
    above = lane_mask_and(above, near);
    lane_edge best = {lane_zero(), lane_zero(), lane_set(-FLT_MAX)};
    if (!lane_any(above))
        return best;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            lane separation = gap[i][j] / lane_sqrt(lane_max(square[i][j], least));
            lane_mask better =
                lane_mask_and(lane_less(least, square[i][j]), lane_less(best.separation, separation));
            best.separation = lane_select(better, separation, best.separation);
            best.i = lane_select(better, lane_set((float)i), best.i);
            best.j = lane_select(better, lane_set((float)j), best.j);
        }
    best.separation = lane_select(above, best.separation, lane_set(-FLT_MAX));
    return best;
}

/* What the fifteen axes say of pairs [at, at + lanes). */
LANE_INLINE void lane_separating_axes(const dry_box_pair *pairs, const int *index, int at,
                                      box_findings *findings)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    const lane *t = p.t, *ha = p.half_a, *hb = p.half_b;
    lane along_a[3], along_b[3];
    for (int i = 0; i < 3; i++) {
        const lane *r = p.r[i];
        along_a[i] = lane_abs(t[i]) - ha[i] -
                     (lane_abs(r[0]) * hb[0] + lane_abs(r[1]) * hb[1] + lane_abs(r[2]) * hb[2]);
        along_b[i] =
            lane_abs(p.s[i]) - hb[i] -
            (ha[0] * lane_abs(p.r[0][i]) + ha[1] * lane_abs(p.r[1][i]) + ha[2] * lane_abs(p.r[2][i]));
    }
    lane rounding = BOX_ROUNDING * (lane_abs(t[0]) + lane_abs(t[1]) + lane_abs(t[2]) + ha[0] + ha[1] + ha[2] +
                                    hb[0] + hb[1] + hb[2]);
    lane far = lane_max(lane_most3(along_a), lane_most3(along_b));
    lane_mask near = lane_less_equal(far - rounding, p.margin);
    if (!lane_any(near)) {
        lane_store(findings->kind + at, lane_zero());
        lane_store(findings->separation_min + at, far);
        return;
    }

    lane scale = lane_min(lane_most3(ha), lane_most3(hb));
    lane_axis axis_a = lane_argmax3(along_a), axis_b = lane_argmax3(along_b);
    lane best_a = lane_pick(axis_a, along_a, 0), best_b = lane_pick(axis_b, along_b, 0);
    lane_mask on_b = lane_less(lane_pick(axis_a, ha, 1) * lane_pick(axis_a, ha, 2),
                               lane_pick(axis_b, hb, 1) * lane_pick(axis_b, hb, 2));
    lane face = lane_select(on_b, best_b, best_a), other = lane_select(on_b, best_a, best_b);
    lane_mask swap =
        lane_less(face + (BOX_FACE_ABSOLUTE * scale + BOX_FACE_RELATIVE * lane_abs(face) + rounding), other);
    on_b = lane_mask_or(lane_mask_without(on_b, swap), lane_mask_without(swap, on_b));
    face = lane_select(on_b, best_b, best_a);
    other = lane_select(on_b, best_a, best_b);

    lane clearly = face + (BOX_EDGE_ABSOLUTE * scale + BOX_EDGE_RELATIVE * lane_abs(face));
    lane_edge edge = lane_best_edge(&p, rounding, lane_min(clearly, p.margin), near);
    lane_mask across = lane_less(p.margin, edge.separation);
    lane_store(findings->separation_min + at, lane_select(across, lane_max(far, edge.separation), far));
    near = lane_mask_without(near, across);
    lane_mask edges = lane_mask_and(near, lane_less(clearly, edge.separation));

    lane beside = -BOX_BESIDE * lane_min(lane_least3(ha), lane_least3(hb));
    lane along_1 = lane_select(on_b, lane_pick(axis_b, along_b, 1), lane_pick(axis_a, along_a, 1));
    lane along_2 = lane_select(on_b, lane_pick(axis_b, along_b, 2), lane_pick(axis_a, along_a, 2));
    lane_mask apart = lane_mask_or(lane_less(beside, along_1), lane_less(beside, along_2));
    lane_mask faces = lane_mask_without(lane_mask_without(near, edges), apart);

    lane axis = lane_select(on_b, lane_axis_number(axis_b), lane_axis_number(axis_a));
    lane_store(findings->kind + at, lane_select(edges, lane_set(FOUND_EDGES),
                                                lane_select(faces, lane_set(FOUND_FACE), lane_zero())));
    lane_store(findings->first + at, lane_select(edges, edge.i, axis));
    lane_store(findings->second + at, lane_select(edges, edge.j, lane_truth(on_b)));
    lane_store(findings->overlapping + at, lane_truth(lane_less_equal(lane_max(face, other), lane_zero())));
}

/* The edges of the two boxes that lie furthest towards each other along their axis, and where they cross. */
LANE_INLINE void lane_edge_contacts(const dry_box_pair *pairs, const int *index, const box_findings *findings,
                                    dry_local_manifold *manifolds)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    lane number_i = lane_of(findings->first, index), number_j = lane_of(findings->second, index);
    lane_axis i = lane_axis_of(number_i), j = lane_axis_of(number_j);
    lane zero = lane_zero();

    /* b's axes j, j + 1, j + 2. */
    lane b[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            b[k][c] = lane_pick(j, p.r[c], k);
    lane x = lane_pick(i, b[0], 1), y = lane_pick(i, b[0], 2);
    lane inverse = 1.0f / lane_sqrt(x * x + y * y);
    lane_mask behind = lane_less(lane_pick(i, p.t, 2) * x - lane_pick(i, p.t, 1) * y, zero);
    inverse = lane_select(behind, lane_negate(inverse), inverse);
    lane axis_n = lane_negate(y) * inverse, axis_o = x * inverse;
    /* From a's axes i, i + 1, i + 2 to its axes 0, 1, 2: turned back. */
    const lane turned[3] = {zero, axis_n, axis_o};
    lane_axis back = {i.is_2, i.is_1};
    lane axis[3] = {lane_pick(back, turned, 0), lane_pick(back, turned, 1), lane_pick(back, turned, 2)};

    lane_mask low_n = lane_less(axis_n, zero), low_o = lane_less(axis_o, zero);
    lane half_i = lane_pick(i, p.half_a, 0), half_n = lane_pick(i, p.half_a, 1),
         half_o = lane_pick(i, p.half_a, 2);
    const lane turned_a[3] = {zero, lane_select(low_n, lane_negate(half_n), half_n),
                              lane_select(low_o, lane_negate(half_o), half_o)};
    lane on_a[3] = {lane_pick(back, turned_a, 0), lane_pick(back, turned_a, 1), lane_pick(back, turned_a, 2)};
    lane edge_a =
        4.0f * number_i + lane_select(low_n, zero, lane_set(1.0f)) + lane_select(low_o, zero, lane_set(2.0f));
    lane edge_b = 4.0f * number_j;
    lane on_b[3] = {p.t[0], p.t[1], p.t[2]};
    for (int k = 1; k < 3; k++) {
        lane_mask towards = lane_less(lane_vec3_dot(lane_axes_vec3(axis), lane_axes_vec3(b[k])), zero);
        lane half = lane_pick(j, p.half_b, k);
        half = lane_select(towards, half, lane_negate(half));
        for (int c = 0; c < 3; c++)
            on_b[c] = on_b[c] + half * b[k][c];
        edge_b = edge_b + lane_select(towards, lane_set((float)k), zero);
    }

    lane d[3] = {on_b[0] - on_a[0], on_b[1] - on_a[1], on_b[2] - on_a[2]};
    lane along_a = lane_pick(i, d, 0), along_b = lane_vec3_dot(lane_axes_vec3(d), lane_axes_vec3(b[0]));
    lane cosine = lane_pick(i, b[0], 0), square = inverse * inverse, half_j = lane_pick(j, p.half_b, 0);
    lane alpha = (along_a - cosine * along_b) * square, beta = (cosine * along_a - along_b) * square;
    alpha = lane_max(lane_negate(half_i), lane_min(alpha, half_i));
    beta = lane_max(lane_negate(half_j), lane_min(beta, half_j));
    lane separation = lane_vec3_dot(lane_axes_vec3(axis), lane_axes_vec3(d));

    on_a[0] = lane_select(lane_mask_or(i.is_1, i.is_2), on_a[0], alpha);
    on_a[1] = lane_select(i.is_1, alpha, on_a[1]);
    on_a[2] = lane_select(i.is_2, alpha, on_a[2]);
    lane position[3];
    for (int c = 0; c < 3; c++)
        position[c] = 0.5f * (on_a[c] + (on_b[c] + beta * b[0][c]));
    lane_store_point(manifolds, index, 0, position, separation,
                     (float)(DRY_BOX_EDGES << 8) + 16.0f * edge_a + edge_b);
    lane_store_normal(manifolds, index, axis, lane_truth(lane_less_equal(separation, p.margin)));
}

#endif
