/* The terms that a contact adds to the system of a body in block descent. Compiled once per instruction
 * set. */
#ifndef SOLVER_METHODS_BLOCKS_CONTACT_TERMS_H
#define SOLVER_METHODS_BLOCKS_CONTACT_TERMS_H

#include "solver/methods/blocks/body_system.h"
#include "solver/methods/blocks/contact_lanes.h"

/* Returns the torque of a contact's impulses about the own body's center, in the frame. `moment` is the part
 * that no lever arm makes. */
LANE_INLINE lane_vec3 block_torque(const block_pair *p, const lane normal[4], lane_vec3 impulse,
                                   lane_vec3 moment)
{
    lane x = lane_negate(moment.y), y = moment.x;
    for (int i = 0; i < 4; i++) {
        x = lane_fma(normal[i], p->x[i], x);
        y = lane_fma(normal[i], p->y[i], y);
    }
    lane_vec3 torque = lane_vec3_cross_fused(p->own.lever_arm, impulse);
    return (lane_vec3){lane_add(torque.x, y), lane_sub(torque.y, x), lane_add(torque.z, moment.z)};
}

/* Adds a contact's impulse to the force on its body. */
LANE_INLINE void block_add_force(block_system *b, const block_pair *p, lane inv_sqrt_mass, lane_vec3 impulse,
                                 lane_vec3 torque)
{
    const lane_vec3 world = contact_frame_to_world(&p->frame, impulse);
    const lane w = lane_mul(inv_sqrt_mass, p->sign);
    b->force[0] = lane_fma(w, world.x, b->force[0]);
    b->force[1] = lane_fma(w, world.y, b->force[1]);
    b->force[2] = lane_fma(w, world.z, b->force[2]);
    const lane about[3] = {lane_mul(torque.x, p->sign), lane_mul(torque.y, p->sign),
                           lane_mul(torque.z, p->sign)};
    for (int k = 0; k < 3; k++) {
        b->force[3] = lane_fma(about[k], p->own.axis[k].x, b->force[3]);
        b->force[4] = lane_fma(about[k], p->own.axis[k].y, b->force[4]);
        b->force[5] = lane_fma(about[k], p->own.axis[k].z, b->force[5]);
    }
}

/* Adds sum rho g g^T of a contact, and the bound of its impulse's geometric stiffness: |p| |r| h about each
 * axis, 0 where a lever arm stays in the world while its round body turns. The true term is h (sym(p r^T) - p
 * . r) [Waterson 7.5, 7.11], whose eigenvalues are no larger. */
LANE_INLINE void block_add_hessian(block_system *b, const block_pair *p, const block_response *c,
                                   lane inv_sqrt_mass, lane geometric)
{
    const lane_vec3 r = p->own.lever_arm;
    const lane rho = c->rho_friction;
    lane s = lane_zero(), sx = s, sy = s, sxx = s, sxy = s, syy = s;
    for (int i = 0; i < 4; i++) {
        const lane x = lane_add(r.x, p->x[i]), y = lane_add(r.y, p->y[i]);
        const lane px = lane_mul(c->rho[i], x), py = lane_mul(c->rho[i], y);
        s = lane_add(s, c->rho[i]);
        sx = lane_add(sx, px);
        sy = lane_add(sy, py);
        sxx = lane_fma(px, x, sxx);
        sxy = lane_fma(px, y, sxy);
        syy = lane_fma(py, y, syy);
    }
    /* linear: rho 1 + (s - rho) n n^T, over m */
    const lane inverse_mass = lane_mul(inv_sqrt_mass, inv_sqrt_mass);
    const lane even = lane_mul(rho, inverse_mass);
    b->h[BLOCK_LL] = lane_add(b->h[BLOCK_LL], even);
    b->h[BLOCK_LL + 3] = lane_add(b->h[BLOCK_LL + 3], even);
    b->h[BLOCK_LL + 5] = lane_add(b->h[BLOCK_LL + 5], even);
    const lane_vec3 n = p->frame.normal;
    block_add_upper(b->h + BLOCK_LL, lane_vec3_scale(n, lane_mul(lane_sub(s, rho), inverse_mass)), n);
    /* mixed: for each of the frame's axes k, the impulses along the world that a rotation about k makes */
    const lane_vec3 t1 = p->frame.t1, t2 = p->frame.t2;
    const lane x = lane_mul(rho, r.x), y = lane_mul(rho, r.y), z = lane_mul(rho, r.z);
    const lane_vec3 about1 = lane_vec3_sub_scaled_fused(lane_vec3_scale(n, sy), z, t2);
    const lane_vec3 about2 = lane_vec3_sub_scaled_fused(lane_vec3_scale(t1, z), sx, n);
    const lane_vec3 about3 = lane_vec3_sub_scaled_fused(lane_vec3_scale(t2, x), y, t1);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about1, inv_sqrt_mass), p->own.axis[T1]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about2, inv_sqrt_mass), p->own.axis[T2]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about3, inv_sqrt_mass), p->own.axis[N]);
    /* angular */
    const lane zz = lane_mul(z, r.z), xy = lane_negate(sxy);
    const lane xz = lane_negate(lane_mul(z, r.x)), yz = lane_negate(lane_mul(z, r.y));
    const lane tilt = lane_add(geometric, c->rho_rolling);
    const lane xx1 = lane_add(lane_add(syy, zz), tilt), yy1 = lane_add(lane_add(sxx, zz), tilt);
    const lane zz1 = lane_add(lane_fma(x, r.x, lane_fma(y, r.y, c->rho_torsion)), geometric);
    const lane_vec3 *axis = p->own.axis;
    const lane k[3][3] = {{xx1, xy, xz}, {xy, yy1, yz}, {xz, yz, zz1}};
    for (int i = 0; i < 3; i++) {
        lane_vec3 row = lane_vec3_scale(axis[0], k[i][0]);
        row = lane_vec3_add_scaled_fused(row, k[i][1], axis[1]);
        row = lane_vec3_add_scaled_fused(row, k[i][2], axis[2]);
        block_add_upper(b->h + BLOCK_AA, axis[i], row);
    }
}

/* Gathers entry j of a group's lanes. */
LANE_INLINE void block_entry_lanes(const dry_block_sweep *s, const dry_block_group *group, int j, int at,
                                   const float *contact[DRY_LANES], int32_t other[DRY_LANES], block_pair *p)
{
    int side[DRY_LANES];
    const int32_t *entry = s->entry + group->entry + DRY_BUNDLE * j + at;
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_block_contact *c = &s->contact[entry[i] >> 1];
        side[i] = entry[i] & 1;
        contact[i] = c->normal;
        other[i] = c->row[1 - side[i]];
    }
    block_gather(contact, side, p);
}

#endif
