/* The terms that the rows of joints add to the system of a body in block descent. Compiled once per
 * instruction set. */
#ifndef METHODS_BLOCKS_JOINT_TERMS_H
#define METHODS_BLOCKS_JOINT_TERMS_H

#include "methods/blocks/body_system.h"
#include "simd/gather.h"
#include "solver/bodies/gather.h"

/* Six numbers of a row of a joint for one body. */
typedef struct block_joint_side {
    lane_vec3 linear, angular;
} block_joint_side;

enum {
    BLOCK_ROW_BIAS = offsetof(dry_block_joint_row, bias) / 4,
    BLOCK_ROW_LOW = offsetof(dry_block_joint_row, low) / 4
};

LANE_INLINE block_joint_side block_gather_row_side(const float *const *row)
{
    lane g[6];
    lane_gather6(row, g);
    return (block_joint_side){{g[0], g[1], g[2]}, {g[3], g[4], g[5]}};
}

/* Gathers row j of a group's lanes: its begin, the own side, the other body, the own geometric stiffness. */
LANE_INLINE block_joint_side block_row_lanes(const dry_block_sweep *s, const dry_block_group *group, int j,
                                             int at, const float *begin[DRY_LANES],
                                             const float *other_side[DRY_LANES], int32_t other[DRY_LANES],
                                             const float *geometric[DRY_LANES])
{
    const int32_t *entry = s->row_entry + group->row_entry + DRY_BUNDLE * j + at;
    const float *own[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_block_joint_row *row = &s->row[entry[i] >> 1];
        const int side = entry[i] & 1;
        begin[i] = row->g[0];
        own[i] = row->g[side];
        other_side[i] = row->g[1 - side];
        other[i] = row->row[1 - side];
        geometric[i] = row->geometric[side];
    }
    return block_gather_row_side(own);
}

LANE_INLINE void block_push(block_system *b, const block_joint_side *g, lane impulse)
{
    const lane x[6] = {g->linear.x, g->linear.y, g->linear.z, g->angular.x, g->angular.y, g->angular.z};
    for (int k = 0; k < 6; k++)
        b->force[k] = lane_add_mul(b->force[k], impulse, x[k]);
}

/* Adds a row's geometric stiffness at its impulse to that of all rows of a body: xx xy xz yy yz zz, times h.
 */
LANE_INLINE void block_add_geometric(lane sum[6], const float *const *geometric, lane impulse)
{
    lane unit[6];
    lane_gather6(geometric, unit);
    for (int i = 0; i < 6; i++)
        sum[i] = lane_add_mul(sum[i], impulse, unit[i]);
}

/* Takes the torque away that joints' impulses lose as the body turns in the substep: an implicit step of it.
 * An explicit step and an implicit one have equal parts at a frequency w of (w h)^2 = 1. An explicit one
 * feeds the rotation from 4 on, an implicit one takes energy at any frequency. A diagonal matrix stands for
 * the sum K, the sizes of a row's elements added up: it bounds K, so that neither a tension nor a pressure is
 * so large that it feeds a body's rotation. */
LANE_INLINE void block_resist_turning(block_system *b, const lane sum[6], lane h, lane_vec3 angular)
{
    static const int8_t row[3][3] = {{0, 1, 2}, {3, 1, 4}, {5, 2, 4}}, diagonal[3] = {0, 3, 5};
    const lane velocity[3] = {angular.x, angular.y, angular.z};
    for (int i = 0; i < 3; i++) {
        const lane others = lane_add(lane_abs(sum[row[i][1]]), lane_abs(sum[row[i][2]]));
        const lane whole = lane_mul(h, lane_add(lane_abs(sum[row[i][0]]), others));
        const lane square = lane_mul(whole, whole);
        const lane bound = lane_mul(whole, lane_div(square, lane_add(square, lane_set(1.0f))));
        b->h[BLOCK_AA + diagonal[i]] = lane_add(bound, b->h[BLOCK_AA + diagonal[i]]);
        b->force[3 + i] = lane_sub_mul(b->force[3 + i], bound, velocity[i]);
    }
}

/* Adds the rows of joints to a body's system: v is the body's motion. */
LANE_INLINE void block_add_joints(const dry_block_sweep *s, const dry_block_group *group,
                                  const lane_velocity *v, block_system *b, int at)
{
    const lane one = lane_set(1.0f), zero = lane_zero();
    lane sum[6];
    for (int i = 0; i < 6; i++)
        sum[i] = zero;
    for (int j = 0; j < group->row_count; j++) {
        const float *row[DRY_LANES], *other_side[DRY_LANES], *geometric[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        lane terms[4], bounds[4];
        lane_velocity w;
        const block_joint_side own = block_row_lanes(s, group, j, at, row, other_side, other, geometric);
        const block_joint_side far = block_gather_row_side(other_side);
        lane_gather_velocity(s->sweep.rows, other, &w);
        lane_gather4(row, BLOCK_ROW_BIAS, terms);
        lane_gather4(row, BLOCK_ROW_LOW, bounds);
        lane error = lane_add(terms[0], lane_vec3_dot(own.linear, v->ul));
        error = lane_add(error, lane_vec3_dot(own.angular, v->ua));
        error = lane_add(error, lane_vec3_dot(far.linear, w.ul));
        error = lane_add(error, lane_vec3_dot(far.angular, w.ua));
        const lane total = lane_sub_mul(lane_mul(bounds[2], terms[1]), terms[2], error);
        const lane impulse = lane_clamp(total, bounds[0], bounds[1]);
        /* A bound on both sides is that of a force that slides: rho is shortened with it. */
        const lane_mask slides =
            lane_mask_and(lane_less(lane_abs(impulse), lane_abs(total)), lane_less(bounds[0], zero));
        const lane shorter = lane_div(lane_abs(impulse), lane_select(slides, lane_abs(total), one));
        const lane rho = lane_mul(terms[2], lane_select(slides, shorter, one));
        block_push(b, &own, impulse);
        const lane_vec3 linear = lane_vec3_scale(own.linear, rho),
                        angular = lane_vec3_scale(own.angular, rho);
        block_add_upper(b->h + BLOCK_LL, linear, own.linear);
        block_add_outer(b->h + BLOCK_LA, linear, own.angular);
        block_add_upper(b->h + BLOCK_AA, angular, own.angular);
        block_add_geometric(sum, geometric, impulse);
    }
    block_resist_turning(b, sum, lane_set(s->sweep.substep), v->ua);
}

LANE_INLINE void block_warm_joints(const dry_block_sweep *s, const dry_block_group *group, block_system *b,
                                   int at)
{
    for (int j = 0; j < group->row_count; j++) {
        const float *row[DRY_LANES], *other_side[DRY_LANES], *geometric[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        lane terms[4];
        const block_joint_side own = block_row_lanes(s, group, j, at, row, other_side, other, geometric);
        lane_gather4(row, BLOCK_ROW_BIAS, terms);
        block_push(b, &own, terms[1]);
    }
}

#endif
