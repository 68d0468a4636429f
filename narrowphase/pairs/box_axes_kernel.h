/* Box against box in lanes: the separating axis test over 15 axes [Gottschalk 96, "OBBTree"], and the choice
 * of the contact.
 *
 * The contact is on a face unless a pair of edges is clearly better. Between the best face of a and the best
 * face of b it is on the larger one (a's if they are equal) unless the other is clearly better. Both rules
 * depend on the sizes, so a resting pile keeps its choice while its poses tremble.
 *
 * Boxes that do not overlap get no points although they may be within the margin, if they are nearest corner
 * to corner, or along parallel edges that pass diagonally: a plane between them would stop a box that is
 * going past. The same holds where they overlap across the face by less than a ten-thousandth (BOX_BESIDE),
 * which keeps diagonal neighbors in a grid of boxes apart.
 *
 * Reads: box pairs. Writes: the choice for each. Next: box_face_kernel.h, box_edges_kernel.h. Kernel files
 * only. */
#ifndef NARROWPHASE_PAIRS_BOX_AXES_KERNEL_H
#define NARROWPHASE_PAIRS_BOX_AXES_KERNEL_H

#include "narrowphase/pairs/box_lanes.h"

/* Separations along the three axes of each box, m. */
typedef struct lane_face_axes {
    lane along_a[3], along_b[3];
    lane most;     /* the largest of the six */
    lane rounding; /* bounds the error of any separation, m */
} lane_face_axes;

LANE_INLINE lane_face_axes lane_face_separations(const lane_boxes *p)
{
    const lane *t = p->t, *ha = p->half_a, *hb = p->half_b;
    lane_face_axes f;
    for (int i = 0; i < 3; i++) {
        const lane *r = p->r[i];
        f.along_a[i] = lane_abs(t[i]) - ha[i] -
                       (lane_abs(r[0]) * hb[0] + lane_abs(r[1]) * hb[1] + lane_abs(r[2]) * hb[2]);
        f.along_b[i] =
            lane_abs(p->s[i]) - hb[i] -
            (ha[0] * lane_abs(p->r[0][i]) + ha[1] * lane_abs(p->r[1][i]) + ha[2] * lane_abs(p->r[2][i]));
    }
    f.rounding = PAIR_ROUNDING * (lane_abs(t[0]) + lane_abs(t[1]) + lane_abs(t[2]) + ha[0] + ha[1] + ha[2] +
                                  hb[0] + hb[1] + hb[2]);
    f.most = lane_max(lane_most3(f.along_a), lane_most3(f.along_b));
    return f;
}

/* The reference face: the best one of a or of b. */
typedef struct lane_face_choice {
    lane_axis axis_a, axis_b; /* the best axis of each box */
    lane_mask on_b;           /* the reference is b's */
    lane face, other;         /* separations along the reference's axis and along the other box's, m */
    lane scale;               /* the smaller of the two boxes' largest half extents, m */
} lane_face_choice;

LANE_INLINE lane_face_choice lane_choose_face(const lane_boxes *p, const lane_face_axes *f)
{
    const lane *ha = p->half_a, *hb = p->half_b;
    lane_face_choice c = {.axis_a = lane_argmax3(f->along_a), .axis_b = lane_argmax3(f->along_b)};
    c.scale = lane_min(lane_most3(ha), lane_most3(hb));
    lane best_a = lane_pick(c.axis_a, f->along_a, 0), best_b = lane_pick(c.axis_b, f->along_b, 0);
    lane_mask on_b = lane_less(lane_pick(c.axis_a, ha, 1) * lane_pick(c.axis_a, ha, 2),
                               lane_pick(c.axis_b, hb, 1) * lane_pick(c.axis_b, hb, 2));
    lane face = lane_select(on_b, best_b, best_a), other = lane_select(on_b, best_a, best_b);
    lane clearly = face + (PAIR_FACE_ABSOLUTE * c.scale + PAIR_FACE_RELATIVE * lane_abs(face) + f->rounding);
    lane_mask swap = lane_less(clearly, other);
    c.on_b = lane_mask_or(lane_mask_without(on_b, swap), lane_mask_without(swap, on_b));
    c.face = lane_select(c.on_b, best_b, best_a);
    c.other = lane_select(c.on_b, best_a, best_b);
    return c;
}

typedef struct lane_edge_axis {
    lane i, j; /* a's axis x b's axis */
    lane separation;
} lane_edge_axis;

/* Finds the best of the nine edge axes in lanes of `near` where any exceeds the threshold; in the other lanes
 * the separation is -FLT_MAX. Axis i x j has, before it is normalized, with n = i + 1, o = i + 2 and k, l
 * likewise for j, the separation |t_o r_nj - t_n r_oj| - (a_n |r_oj| + a_o |r_nj|) - (b_k |r_il| + b_l
 * |r_ik|), less its rounding error. Comparing signed squares with the threshold's spares a resting pile, in
 * which none exceeds it, the roots. */
LANE_INLINE lane_edge_axis lane_best_edge(const lane_boxes *p, lane rounding, lane threshold, lane_mask near)
{
    lane gap[3][3], square[3][3];
    lane bound = threshold * lane_abs(threshold), least = lane_set(PAIR_PARALLEL_SQUARED);
    lane_mask above = lane_less(lane_zero(), lane_zero());
    for (int i = 0; i < 3; i++) {
        int n = dry_next_axis[i + 1], o = dry_next_axis[i + 2];
        for (int j = 0; j < 3; j++) {
            int k = dry_next_axis[j + 1], l = dry_next_axis[j + 2];
            lane x = p->r[n][j], y = p->r[o][j];
            square[i][j] = x * x + y * y;
            gap[i][j] = lane_abs(p->t[o] * x - p->t[n] * y) -
                        (p->half_a[n] * lane_abs(y) + p->half_a[o] * lane_abs(x)) -
                        (p->half_b[k] * lane_abs(p->r[i][l]) + p->half_b[l] * lane_abs(p->r[i][k])) -
                        rounding;
            lane_mask farther = lane_less(bound * square[i][j], gap[i][j] * lane_abs(gap[i][j]));
            above = lane_mask_or(above, lane_mask_and(farther, lane_less(least, square[i][j])));
        }
    }
    above = lane_mask_and(above, near);
    lane_edge_axis best = {lane_zero(), lane_zero(), lane_set(-FLT_MAX)};
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

/* Chooses the contacts of the pairs index[0 .. lanes - 1], which are the pairs from `at` on. */
LANE_INLINE void lane_choose_contacts(const dry_box_pair *pairs, const int *index, int at,
                                      box_choices *choices)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    lane_face_axes f = lane_face_separations(&p);
    lane_mask near = lane_less_equal(f.most - f.rounding, p.margin);
    if (!lane_any(near)) {
        lane_store(choices->kind + at, lane_zero());
        lane_store(choices->separation_min + at, f.most);
        return;
    }

    lane_face_choice c = lane_choose_face(&p, &f);
    lane clearly = c.face + (PAIR_EDGE_ABSOLUTE * c.scale +
                             PAIR_EDGE_RELATIVE * lane_max(lane_negate(c.face), lane_zero()));
    lane_edge_axis edge = lane_best_edge(&p, f.rounding, lane_min(clearly, p.margin), near);
    lane_mask beyond = lane_less(p.margin, edge.separation);
    lane_store(choices->separation_min + at, lane_select(beyond, lane_max(f.most, edge.separation), f.most));
    near = lane_mask_without(near, beyond);
    lane_mask edges = lane_mask_and(near, lane_less(clearly, edge.separation));

    lane beside = -BOX_BESIDE * lane_min(lane_least3(p.half_a), lane_least3(p.half_b));
    lane across_1 = lane_select(c.on_b, lane_pick(c.axis_b, f.along_b, 1), lane_pick(c.axis_a, f.along_a, 1));
    lane across_2 = lane_select(c.on_b, lane_pick(c.axis_b, f.along_b, 2), lane_pick(c.axis_a, f.along_a, 2));
    lane_mask is_beside = lane_mask_or(lane_less(beside, across_1), lane_less(beside, across_2));
    lane_mask faces = lane_mask_without(lane_mask_without(near, edges), is_beside);

    lane axis = lane_select(c.on_b, lane_axis_number(c.axis_b), lane_axis_number(c.axis_a));
    lane_store(choices->kind + at, lane_select(edges, lane_set(CHOICE_EDGES),
                                               lane_select(faces, lane_set(CHOICE_FACE), lane_zero())));
    lane_store(choices->first + at, lane_select(edges, edge.i, axis));
    lane_store(choices->second + at, lane_select(edges, edge.j, lane_truth(c.on_b)));
    lane_store(choices->must_touch + at, lane_truth(lane_less_equal(lane_max(c.face, c.other), lane_zero())));
}

/* Chooses again for pairs that overlap but have no point over the reference face, which may be worse than the
 * best axis by its tolerance. The best of all axes always has one: of two edges, or of the other box's face.
 */
LANE_INLINE void lane_choose_again(const dry_box_pair *pairs, const int *index, box_choices *choices)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    lane_face_axes f = lane_face_separations(&p);
    lane_face_choice c = lane_choose_face(&p, &f);
    lane_mask all = lane_less_equal(lane_zero(), lane_zero());
    lane_edge_axis edge = lane_best_edge(&p, f.rounding, lane_set(-FLT_MAX), all);
    lane_mask edges = lane_less(lane_max(c.face, c.other), edge.separation);

    _Alignas(64) float kind[DRY_LANES], first[DRY_LANES], second[DRY_LANES];
    lane axis = lane_select(c.on_b, lane_axis_number(c.axis_a), lane_axis_number(c.axis_b));
    lane on_b = lane_select(c.on_b, lane_zero(), lane_set(1.0f));
    lane_store(kind, lane_select(edges, lane_set(CHOICE_EDGES), lane_set(CHOICE_FACE)));
    lane_store(first, lane_select(edges, edge.i, axis));
    lane_store(second, lane_select(edges, edge.j, on_b));
    for (int i = 0; i < DRY_LANES; i++) {
        choices->kind[index[i]] = kind[i];
        choices->first[index[i]] = first[i];
        choices->second[index[i]] = second[i];
        choices->must_touch[index[i]] = 0.0f;
    }
}

#endif
