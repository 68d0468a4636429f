/* Box against box in lanes: the contact of two crossing edges.
 *
 * Reads: box pairs, and the edges that box_axes_kernel.h chose. Writes: manifolds. Kernel files only. */
#ifndef NARROWPHASE_PAIRS_BOX_EDGES_KERNEL_H
#define NARROWPHASE_PAIRS_BOX_EDGES_KERNEL_H

#include "narrowphase/pairs/box_lanes.h"

/* Writes the manifolds of pairs that touch with two edges: those that lie farthest towards each other along
 * the chosen axis, and the point midway between them where they cross. */
LANE_INLINE void lane_edge_contacts(const dry_box_pair *pairs, const int *index, const box_choices *choices,
                                    dry_local_manifold *manifolds)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    lane number_i = lane_of(choices->first, index), number_j = lane_of(choices->second, index);
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
    /* From a's axes i, i + 1, i + 2 back to its axes 0, 1, 2. */
    const lane cycled[3] = {zero, axis_n, axis_o};
    lane_axis back = {i.is_2, i.is_1};
    lane axis[3] = {lane_pick(back, cycled, 0), lane_pick(back, cycled, 1), lane_pick(back, cycled, 2)};

    lane_mask low_n = lane_less(axis_n, zero), low_o = lane_less(axis_o, zero);
    lane half_i = lane_pick(i, p.half_a, 0), half_n = lane_pick(i, p.half_a, 1),
         half_o = lane_pick(i, p.half_a, 2);
    const lane cycled_a[3] = {zero, lane_select(low_n, lane_negate(half_n), half_n),
                              lane_select(low_o, lane_negate(half_o), half_o)};
    lane on_a[3] = {lane_pick(back, cycled_a, 0), lane_pick(back, cycled_a, 1), lane_pick(back, cycled_a, 2)};
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
