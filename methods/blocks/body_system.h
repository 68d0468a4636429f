/* The system of six equations of each body in block descent: begun, locked, solved. Compiled once per
 * instruction set. */
#ifndef METHODS_BLOCKS_BODY_SYSTEM_H
#define METHODS_BLOCKS_BODY_SYSTEM_H

#include "methods/blocks/blocks.h"
#include "solver/bodies/gather.h"

/* A body's system: H du = force, H by rows of its upper half. */
typedef struct block_system {
    lane h[21];
    lane force[6];
} block_system;

enum { BLOCK_LL = 0, BLOCK_LA = 6, BLOCK_AA = 15 }; /* xx xy xz yy yz zz; rows of 3 x 3; xx ... zz */

/* Adds c a b^T to nine elements. */
LANE_INLINE void block_add_outer(lane *h, lane_vec3 a, lane_vec3 b)
{
    const lane x[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++) {
        h[3 * i] = lane_add_mul(h[3 * i], x[i], b.x);
        h[3 * i + 1] = lane_add_mul(h[3 * i + 1], x[i], b.y);
        h[3 * i + 2] = lane_add_mul(h[3 * i + 2], x[i], b.z);
    }
}

/* Adds a b^T, which is to be part of a symmetric sum, to its upper half. */
LANE_INLINE void block_add_upper(lane *h, lane_vec3 a, lane_vec3 b)
{
    h[0] = lane_add_mul(h[0], a.x, b.x);
    h[1] = lane_add_mul(h[1], a.x, b.y);
    h[2] = lane_add_mul(h[2], a.x, b.z);
    h[3] = lane_add_mul(h[3], a.y, b.y);
    h[4] = lane_add_mul(h[4], a.y, b.z);
    h[5] = lane_add_mul(h[5], a.z, b.z);
}

/* Begins the systems of bodies whose velocities are short of their targets by these vectors. */
LANE_INLINE void block_begin_system(lane_vec3 linear, lane_vec3 angular, block_system *b)
{
    const lane one = lane_set(1.0f);
    for (int i = 0; i < 21; i++)
        b->h[i] = lane_zero();
    b->h[BLOCK_LL] = b->h[BLOCK_LL + 3] = b->h[BLOCK_LL + 5] = one;
    b->h[BLOCK_AA] = b->h[BLOCK_AA + 3] = b->h[BLOCK_AA + 5] = one;
    b->force[0] = linear.x, b->force[1] = linear.y, b->force[2] = linear.z;
    b->force[3] = angular.x, b->force[4] = angular.y, b->force[5] = angular.z;
}

/* Added to the diagonal for a locked axis: a millionth of the motion that others ask for is left. */
#define BLOCK_LOCK 1e6f

LANE_INLINE void block_add_locks(block_system *b, dry_block_locks *locks, int at)
{
    const lane stiff = lane_set(BLOCK_LOCK);
    static const int diagonal[3] = {0, 3, 5};
    for (int i = 0; i < 3; i++) {
        const lane_vec3 axis = field_load3(locks->angular[i], at);
        b->h[BLOCK_LL + diagonal[i]] =
            lane_add_mul(b->h[BLOCK_LL + diagonal[i]], stiff, LOAD(locks->linear[i]));
        block_add_upper(b->h + BLOCK_AA, lane_vec3_scale(axis, stiff), axis);
    }
}

/* Solves the system by H = L D L^T. H is the identity and what has no negative eigenvalue: pivots that
 * rounding takes below 1 are 1. */
LANE_INLINE void block_solve_system(block_system *b)
{
    static const int8_t at[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                                    {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};
    const lane one = lane_set(1.0f);
    lane l[6][6], inverse[6], x[6];
    for (int j = 0; j < 6; j++) {
        lane d = b->h[at[j][j]], scaled[6];
        for (int k = 0; k < j; k++) {
            scaled[k] = l[j][k]; /* times D */
            d = lane_sub_mul(d, scaled[k], lane_mul(scaled[k], inverse[k]));
        }
        inverse[j] = lane_div(one, lane_max(d, one));
        for (int i = j + 1; i < 6; i++) {
            lane sum = b->h[at[j][i]];
            for (int k = 0; k < j; k++)
                sum = lane_sub_mul(sum, lane_mul(scaled[k], inverse[k]), l[i][k]);
            l[i][j] = sum;
        }
    }
    for (int i = 0; i < 6; i++) {
        x[i] = b->force[i];
        for (int k = 0; k < i; k++)
            x[i] = lane_sub_mul(x[i], lane_mul(l[i][k], inverse[k]), x[k]);
    }
    for (int i = 5; i >= 0; i--) {
        lane sum = x[i];
        for (int k = i + 1; k < 6; k++)
            sum = lane_sub_mul(sum, l[k][i], b->force[k]);
        b->force[i] = lane_mul(sum, inverse[i]);
    }
}

#endif
