/* The kernels of block descent that visit bodies [Waterson 7.8, 7.10]. Compiled once per instruction set;
 * included by kernels.c alone.
 *
 * In whitened coordinates M is the identity. With y the velocity that forces alone would give, g a row, b its
 * error over h, l its multiplier times h and rho = k h^2, a body's velocity u minimizes
 *     1/2 |u - y|^2 + sum over rows of max(0, l - rho (g . u + b))^2 / (2 rho)
 * while all other bodies stay. A step solves
 *     (1 + sum rho g g^T) du = y - u + sum g l+,    l+ = max(0, l - rho (g . u + b))
 * The sum of the matrix also has the rows that do not push. The matrix is then at least the curvature
 * everywhere, and the potential never rises; with Newton's matrix a body that is about to touch goes too far
 * in one sweep and back in the next, and multipliers grow from it. Friction has l+, and rho, shortened to the
 * cone: the quadric over a potential that rises linearly. */
#ifndef METHODS_BLOCKS_BLOCK_KERNELS_H
#define METHODS_BLOCKS_BLOCK_KERNELS_H

#include "methods/blocks/contact_terms.h"
#include "methods/blocks/joint_terms.h"

LANE_INLINE void block_warm_lanes(const dry_block_sweep *s, const dry_block_group *group, int at)
{
    const int32_t *row = group->row + at;
    lane_velocity v;
    lane_displacement d;
    lane inv_sqrt_mass;
    lane_gather_rows(s->sweep.rows, row, &v, &d, &inv_sqrt_mass);
    const lane_velocity y = lane_gather_start(s->target, row);
    const lane_velocity f = lane_gather_start(s->force, row);
    block_system b = {.force = {f.ul.x, f.ul.y, f.ul.z, f.ua.x, f.ua.y, f.ua.z}};
    for (int j = 0; j < group->count; j++) {
        const float *contact[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        block_sides sides;
        block_contact c;
        block_response r;
        lane friction[4], rolling[4];
        block_entry_lanes(s, group, j, at, contact, other, &sides, &c);
        c.pair.b.inv_sqrt_mass = inv_sqrt_mass;
        lane_gather4(contact, BLOCK_IMPULSE, r.normal);
        lane_gather4(contact, BLOCK_FRICTION, friction);
        if (s->rolling)
            lane_gather4(contact, BLOCK_ROLLING, rolling);
        r.friction[0] = friction[0], r.friction[1] = friction[1], r.torsion = friction[2];
        r.rolling[0] = rolling[0], r.rolling[1] = rolling[1];
        block_add_force(&b, &c, &r, s->rolling);
    }
    block_warm_joints(s, group, &b, at);
    const lane_vec3 linear = {b.force[0], b.force[1], b.force[2]},
                    angular = {b.force[3], b.force[4], b.force[5]};
    const lane along = lane_add(lane_vec3_dot(linear, f.ul), lane_vec3_dot(angular, f.ua));
    const lane whole = lane_add(lane_vec3_dot(f.ul, f.ul), lane_vec3_dot(f.ua, f.ua));
    const lane zero = lane_zero(), one = lane_set(1.0f);
    const lane_mask forced = lane_less(zero, whole);
    const lane share = lane_select(forced, lane_div(along, lane_select(forced, whole, one)), one);
    const lane less = lane_sub(one, lane_clamp(share, zero, one));
    v.ul = lane_vec3_sub_scaled(y.ul, less, f.ul);
    v.ua = lane_vec3_sub_scaled(y.ua, less, f.ua);
    lane_scatter_velocity(s->sweep.rows, row, &v);
}

LANE_INLINE void block_descend_lanes(const dry_block_sweep *s, const dry_block_group *group, int at)
{
    const int32_t *row = group->row + at;
    lane_velocity v;
    lane_displacement d;
    lane inv_sqrt_mass;
    lane_gather_rows(s->sweep.rows, row, &v, &d, &inv_sqrt_mass);
    const lane_velocity y = lane_gather_start(s->target, row);
    block_system b;
    block_begin_system(lane_vec3_sub(y.ul, v.ul), lane_vec3_sub(y.ua, v.ua), &b);
    for (int j = 0; j < group->count; j++) {
        const float *contact[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        block_sides sides;
        block_contact c;
        block_entry_lanes(s, group, j, at, contact, other, &sides, &c);
        lane_gather_rows(s->sweep.rows, other, &c.pair.a.velocity, &d, &c.pair.a.inv_sqrt_mass);
        c.pair.b.velocity = v;
        c.pair.b.inv_sqrt_mass = inv_sqrt_mass;
        const block_motion motion = block_motion_of(&c);
        const block_response r = block_respond(s, contact, &c, &motion);
        block_add_force(&b, &c, &r, s->rolling);
        block_add_hessian(&b, &c, &r, lane_set(s->sweep.substep));
    }
    if (group->row_count > 0)
        block_add_joints(s, group, &v, &b, at);
    if (group->locks >= 0)
        block_add_locks(&b, (dry_block_locks *)&s->locks[group->locks], at);
    block_solve_system(&b);
    v.ul = lane_vec3_add(v.ul, (lane_vec3){b.force[0], b.force[1], b.force[2]});
    v.ua = lane_vec3_add(v.ua, (lane_vec3){b.force[3], b.force[4], b.force[5]});
    lane_scatter_velocity(s->sweep.rows, row, &v);
}

#endif
