/* Box against box in lanes, the face case: the other box's face seen from above the reference face, as a
 * parallelogram over a rectangle, and the corners of their overlap.
 *
 * Corners that nearly coincide count once: the other's vertices inside the rectangle come first, then
 * crossing edges, then the reference's vertices inside the parallelogram. This order
 * lets aligned boxes keep their features when they tremble.
 *
 * Reads: box pairs, and the face that box_axes_kernel.h chose. Writes: manifolds. Kernel files only. */
#ifndef NARROWPHASE_PAIRS_BOX_FACE_KERNEL_H
#define NARROWPHASE_PAIRS_BOX_FACE_KERNEL_H

#include "narrowphase/pairs/box_corners.h"
#include "narrowphase/pairs/box_lanes.h"

/* Both boxes seen from above the reference face: (x, y, height) over its center, m. */
typedef struct lane_faces {
    lane half_x, half_y; /* the rectangle */
    lane center[3], side_u[3], side_v[3];
    lane half_u, half_v;      /* lengths of the sides */
    lane place;               /* points nearer than this count as one, m */
    lane_mask on_b;           /* b is the reference */
    lane_axis axis, k;        /* across the reference's face, across the other's */
    lane_mask negative;       /* the reference's face is on its axis's negative side */
    lane_mask other_negative; /* the other's */
    lane frame[3][3];         /* x, y and outward, in a's frame */
    lane origin[3];           /* the reference's center in a's frame */
    lane half;                /* from there to the face */
} lane_faces;

/* Finds the frame of the reference's face in a's frame; row[0] and row[1] are its x and y in the other's. */
LANE_INLINE void lane_find_frame(const lane_boxes *p, lane_mask on_b, lane row[3][3], lane_faces *f)
{
    const lane unit[3] = {lane_set(1.0f), lane_zero(), lane_zero()};
    lane_axis back = {f->axis.is_2, f->axis.is_1};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) /* a's axis (axis + i + 1) has its 1 there */
            f->frame[i][c] = lane_select(on_b, row[i][c], lane_pick(back, unit, (c + 5 - i) % 3));
    for (int c = 0; c < 3; c++) {
        f->frame[2][c] = lane_select(f->negative, lane_negate(f->frame[2][c]), f->frame[2][c]);
        f->origin[c] = lane_select(on_b, p->t[c], lane_zero());
    }
}

LANE_INLINE lane_faces lane_look_at_faces(const lane_boxes *p, lane number, lane_mask on_b)
{
    lane_faces f = {.on_b = on_b, .axis = lane_axis_of(number)};
    /* The reference's axes i . the other's axes j. */
    lane r[3][3], half[3], other_half[3], towards[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            r[i][j] = i == j ? p->r[i][j] : lane_select(on_b, p->r[j][i], p->r[i][j]);
        half[i] = lane_select(on_b, p->half_b[i], p->half_a[i]);
        other_half[i] = lane_select(on_b, p->half_a[i], p->half_b[i]);
        towards[i] = lane_select(on_b, lane_negate(p->s[i]), p->t[i]);
    }
    /* Rows x, y, out. */
    lane row[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const lane column[3] = {r[0][j], r[1][j], r[2][j]};
            row[i][j] = lane_pick(f.axis, column, (i + 1) % 3);
        }
    f.half_x = lane_pick(f.axis, half, 1);
    f.half_y = lane_pick(f.axis, half, 2);
    f.half = lane_pick(f.axis, half, 0);
    lane out = lane_pick(f.axis, towards, 0);
    f.negative = lane_less(out, lane_zero());
    lane sign = lane_select(f.negative, lane_set(-1.0f), lane_set(1.0f));

    const lane steep[3] = {lane_abs(row[2][0]), lane_abs(row[2][1]), lane_abs(row[2][2])};
    f.k = lane_argmax3(steep);
    lane across[3], along_u[3], along_v[3];
    for (int i = 0; i < 3; i++) {
        across[i] = lane_pick(f.k, row[i], 0);
        along_u[i] = lane_pick(f.k, row[i], 1);
        along_v[i] = lane_pick(f.k, row[i], 2);
    }
    f.other_negative = lane_less(lane_zero(), sign * across[2]);
    f.half_u = lane_pick(f.k, other_half, 1);
    f.half_v = lane_pick(f.k, other_half, 2);
    f.place = PAIR_SAME_PLACE * lane_min(lane_min(f.half_x, f.half_y), lane_min(f.half_u, f.half_v));
    lane reach = lane_pick(f.k, other_half, 0);
    reach = lane_select(f.other_negative, lane_negate(reach), reach);
    f.center[0] = lane_pick(f.axis, towards, 1) + reach * across[0];
    f.center[1] = lane_pick(f.axis, towards, 2) + reach * across[1];
    f.center[2] = sign * (out + reach * across[2]) - f.half;
    along_u[2] = sign * along_u[2];
    along_v[2] = sign * along_v[2];
    for (int i = 0; i < 3; i++) {
        f.side_u[i] = along_u[i] * f.half_u;
        f.side_v[i] = along_v[i] * f.half_v;
    }
    lane_find_frame(p, on_b, row, &f);
    return f;
}

/* Numbers the vertices of the face across an axis, in order round it. */
LANE_INLINE void lane_vertex_ids(lane_axis axis, lane_mask negative, lane ids[4])
{
    const lane bit[3] = {lane_set(1.0f), lane_set(2.0f), lane_set(4.0f)};
    lane u = lane_pick(axis, bit, 1), v = lane_pick(axis, bit, 2);
    lane low = lane_select(negative, lane_zero(), lane_pick(axis, bit, 0));
    ids[0] = low + u + v;
    ids[1] = low + v;
    ids[2] = low;
    ids[3] = low + u;
}

/* Numbers its edges, in the same order: edge k runs from vertex k to the next. */
LANE_INLINE void lane_edge_ids(lane_axis axis, lane_mask negative, lane ids[4])
{
    const lane first[3] = {lane_set(0.0f), lane_set(4.0f), lane_set(8.0f)};
    lane u = lane_pick(axis, first, 1), v = lane_pick(axis, first, 2);
    lane up = lane_select(negative, lane_zero(), lane_set(1.0f));
    ids[0] = u + 1.0f + 2.0f * up;
    ids[1] = v + up;
    ids[2] = u + 2.0f * up;
    ids[3] = v + up + 2.0f;
}

LANE_INLINE lane lane_face_id(lane_axis axis, lane_mask negative)
{
    return 2.0f * lane_axis_number(axis) + lane_truth(negative);
}

/* Returns 1 / x, kept finite: a line this nearly parallel to a side either lies beyond it or does not. */
LANE_INLINE lane lane_finite_inverse(lane x)
{
    lane inverse = 1.0f / lane_max(lane_abs(x), lane_set(1e-30f));
    return lane_select(lane_less(x, lane_zero()), lane_negate(inverse), inverse);
}

/* Writes (x, y, height) of the other face's vertices: center + a side_u + b side_v with (a, b) = (1, 1), (-1,
 * 1),
 * (-1, -1), (1, -1). */
LANE_INLINE void lane_other_vertices(const lane_faces *f, lane vertex[4][3])
{
    for (int c = 0; c < 3; c++) {
        lane sum = f->side_u[c] + f->side_v[c], difference = f->side_v[c] - f->side_u[c];
        vertex[0][c] = f->center[c] + sum;
        vertex[1][c] = f->center[c] + difference;
        vertex[2][c] = f->center[c] - sum;
        vertex[3][c] = f->center[c] - difference;
    }
}

/* One end of the part of an edge that lies inside the rectangle. */
typedef struct lane_crossing {
    lane x, y, height, feature;
    lane_mask on;
} lane_crossing;

/* Returns the point at a share s of an edge, held inside the rectangle. */
LANE_INLINE lane_crossing lane_point_of_edge(const lane_faces *f, const lane from[3], const lane to[3],
                                             lane s)
{
    lane x = from[0] + s * (to[0] - from[0]), y = from[1] + s * (to[1] - from[1]);
    lane_crossing c = {.height = from[2] + s * (to[2] - from[2])};
    c.x = lane_max(lane_negate(f->half_x), lane_min(x, f->half_x));
    c.y = lane_max(lane_negate(f->half_y), lane_min(y, f->half_y));
    return c;
}

/* Adds the points where the parallelogram's edges cross the rectangle's sides, clipping each edge against
 * both pairs of sides at once [Liang, Barsky 84]. A crossing too near to a vertex that counts as inside, or
 * to the same edge's other crossing, is the same corner and left out. */
LANE_INLINE void lane_add_crossings(const lane_faces *f, lane vertex[4][3], const lane_mask inside[4],
                                    lane_corners *corners)
{
    lane zero = lane_zero(), one = lane_set(1.0f);
    lane ux = 0.5f * lane_finite_inverse(f->side_u[0]), uy = 0.5f * lane_finite_inverse(f->side_u[1]);
    lane vx = 0.5f * lane_finite_inverse(f->side_v[0]), vy = 0.5f * lane_finite_inverse(f->side_v[1]);
    const lane ix[4] = {lane_negate(ux), lane_negate(vx), ux, vx};
    const lane iy[4] = {lane_negate(uy), lane_negate(vy), uy, vy};
    lane wide = f->half_x + f->place, deep = f->half_y + f->place;
    lane apart_u = 2.0f * f->place / lane_max(lane_abs(f->side_u[0]), lane_abs(f->side_u[1]));
    lane apart_v = 2.0f * f->place / lane_max(lane_abs(f->side_v[0]), lane_abs(f->side_v[1]));
    lane ids[4], sides[4];
    lane_edge_ids(f->k, f->other_negative, ids);
    lane_edge_ids(f->axis, f->negative, sides);
    lane id_unit = lane_select(f->on_b, lane_set(16.0f), one),
         side_unit = lane_select(f->on_b, one, lane_set(16.0f));

    lane_crossing out[4];
    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        lane at_x = lane_negate(vertex[i][0]) * ix[i], at_y = lane_negate(vertex[i][1]) * iy[i];
        lane reach_x = wide * lane_abs(ix[i]), reach_y = deep * lane_abs(iy[i]);
        lane enter_x = at_x - reach_x, enter_y = at_y - reach_y;
        lane leave_x = at_x + reach_x, leave_y = at_y + reach_y;
        lane_mask enter_by_x = lane_less_equal(enter_y, enter_x),
                  leave_by_x = lane_less_equal(leave_x, leave_y);
        lane enter = lane_max(enter_x, enter_y), leave = lane_min(leave_x, leave_y);
        lane_mask crosses =
            lane_mask_and(lane_mask_and(lane_less_equal(enter, leave), lane_less_equal(zero, leave)),
                          lane_less_equal(enter, one));
        crosses = lane_mask_without(crosses, lane_mask_and(inside[i], inside[next]));
        enter = lane_select(inside[i], zero, lane_max(enter, zero));
        leave = lane_select(inside[next], one, lane_min(leave, one));
        lane_mask apart = lane_less(i % 2 ? apart_v : apart_u, leave - enter);
        lane_mask goes_in = lane_mask_without(crosses, inside[i]);
        goes_in = lane_mask_without(goes_in, lane_mask_without(inside[next], apart));
        lane_mask goes_out = lane_mask_and(lane_mask_without(crosses, inside[next]), apart);

        /* An edge that rises in x enters by side 1 and leaves by side 3; in y, by 2 and 0. */
        lane_mask up_x = lane_less(zero, ix[i]), up_y = lane_less(zero, iy[i]);
        lane in_side = lane_select(enter_by_x, lane_select(up_x, sides[1], sides[3]),
                                   lane_select(up_y, sides[2], sides[0]));
        lane out_side = lane_select(leave_by_x, lane_select(up_x, sides[3], sides[1]),
                                    lane_select(up_y, sides[0], sides[2]));
        lane feature = (float)(DRY_BOX_EDGES << 8) + ids[i] * id_unit;
        lane_crossing in = lane_point_of_edge(f, vertex[i], vertex[next], enter);
        lane_add_corner(corners, in.x, in.y, in.height, feature + in_side * side_unit, goes_in);
        out[i] = lane_point_of_edge(f, vertex[i], vertex[next], leave);
        out[i].feature = feature + out_side * side_unit;
        out[i].on = goes_out;
    }
    for (int i = 0; i < 4; i++)
        lane_add_corner(corners, out[i].x, out[i].y, out[i].height, out[i].feature, out[i].on);
}

/* Adds the rectangle's corners inside the parallelogram, in lanes where not all vertices lie inside the
 * rectangle. The faces' normals are less than 55 degrees apart, so the determinant is far from 0. */
LANE_INLINE void lane_add_covered(const lane_faces *f, lane_mask all_inside, lane_corners *corners)
{
    static const float sign_x[4] = {1.0f, -1.0f, -1.0f, 1.0f}, sign_y[4] = {1.0f, 1.0f, -1.0f, -1.0f};
    lane inverse = 1.0f / (f->side_u[0] * f->side_v[1] - f->side_u[1] * f->side_v[0]);
    lane inside_u = 1.0f - f->place / f->half_u, inside_v = 1.0f - f->place / f->half_v;
    lane ids[4], other = lane_face_id(f->k, f->other_negative);
    lane_vertex_ids(f->axis, f->negative, ids);
    for (int i = 0; i < 4; i++) {
        lane x = sign_x[i] * f->half_x, y = sign_y[i] * f->half_y;
        lane dx = x - f->center[0], dy = y - f->center[1];
        lane a = (dx * f->side_v[1] - dy * f->side_v[0]) * inverse;
        lane b = (dy * f->side_u[0] - dx * f->side_u[1]) * inverse;
        lane_mask covered = lane_mask_and(lane_less(lane_abs(a), inside_u), lane_less(lane_abs(b), inside_v));
        lane height = f->center[2] + (a * f->side_u[2] + b * f->side_v[2]);
        lane feature = lane_select(f->on_b, (float)(DRY_BOX_VERTEX_OF_B << 8) + 16.0f * other + ids[i],
                                   (float)(DRY_BOX_VERTEX_OF_A << 8) + 16.0f * ids[i] + other);
        lane_add_corner(corners, x, y, height, feature, lane_mask_without(covered, all_inside));
    }
}

/* Writes the manifolds of pairs that touch with a face. */
LANE_INLINE void lane_face_contacts(const dry_box_pair *pairs, const int *index, const box_choices *choices,
                                    dry_local_manifold *manifolds)
{
    lane_boxes p = lane_gather_boxes(pairs, index);
    lane on_b = lane_of(choices->second, index);
    lane_faces f = lane_look_at_faces(&p, lane_of(choices->first, index), lane_less(lane_zero(), on_b));

    lane_corners corners;
    corners.used = 0;
    corners.margin = p.margin;
    lane vertex[4][3], ids[4], face = lane_face_id(f.axis, f.negative);
    lane_mask inside[4];
    lane_other_vertices(&f, vertex);
    lane_vertex_ids(f.k, f.other_negative, ids);
    for (int i = 0; i < 4; i++) {
        inside[i] = lane_mask_and(lane_less_equal(lane_abs(vertex[i][0]), f.half_x + f.place),
                                  lane_less_equal(lane_abs(vertex[i][1]), f.half_y + f.place));
        lane feature = lane_select(f.on_b, (float)(DRY_BOX_VERTEX_OF_A << 8) + 16.0f * ids[i] + face,
                                   (float)(DRY_BOX_VERTEX_OF_B << 8) + 16.0f * face + ids[i]);
        lane_add_corner(&corners, vertex[i][0], vertex[i][1], vertex[i][2], feature, inside[i]);
    }
    lane_mask all_inside =
        lane_mask_and(lane_mask_and(inside[0], inside[1]), lane_mask_and(inside[2], inside[3]));
    if (lane_any(lane_mask_without(lane_less_equal(lane_zero(), f.half_x), all_inside))) {
        lane_add_crossings(&f, vertex, inside, &corners);
        lane_add_covered(&f, all_inside, &corners);
    }

    lane_corner chosen[4];
    lane count = lane_choose_four(&corners, lane_min(f.half_x, f.half_y), chosen);
    for (int k = 0; k < 4; k++) {
        const lane_corner *c = &chosen[k];
        lane position[3], up = f.half + 0.5f * c->height;
        for (int i = 0; i < 3; i++)
            position[i] = f.origin[i] + ((f.frame[0][i] * c->x + c->y * f.frame[1][i]) + up * f.frame[2][i]);
        lane_store_point(manifolds, index, k, position, c->height, c->feature);
    }
    lane normal[3];
    for (int i = 0; i < 3; i++)
        normal[i] = lane_select(f.on_b, lane_negate(f.frame[2][i]), f.frame[2][i]);
    lane_store_normal(manifolds, index, normal, count);
}

#endif
