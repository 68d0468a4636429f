/* The terms that a contact adds to the system of a body in block descent. Compiled once per instruction
 * set. */
#ifndef METHODS_BLOCKS_CONTACT_TERMS_H
#define METHODS_BLOCKS_CONTACT_TERMS_H

#include "methods/blocks/body_system.h"
#include "methods/blocks/contact_lanes.h"

/* Adds a contact's impulses to the force on its body: by how much they change its velocity. */
LANE_INLINE void block_add_force(block_system *b, block_contact *c, const block_response *r, bool rolling)
{
    contact_pair *m = &c->pair;
    m->b.velocity.ul = m->b.velocity.ua = lane_vec3_zero();
    contact_apply_normal_impulses(m, &c->points, r->normal, false, 0);
    contact_apply_friction(m, r->friction[0], r->friction[1], false, 0);
    contact_apply_spin(m, N, r->torsion, false, 0);
    for (int k = T1; k <= T2 && rolling; k++)
        contact_apply_spin(m, k, r->rolling[k], false, 0);
    contact_apply_linear(m, &m->a.velocity, &m->b.velocity);
    const lane_vec3 linear = m->b.velocity.ul, angular = m->b.velocity.ua;
    const lane change[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; k++)
        b->force[k] = lane_add_mul(b->force[k], c->sign, change[k]);
}

/* Adds sum rho g g^T of a contact, and the bound of its impulse's geometric stiffness: |p| |r| h about each
 * axis, 0 where a lever arm stays in the world while its round body turns. The true term is h (sym(p r^T) - p
 * . r) [Waterson 7.5, 7.11], whose eigenvalues are no larger. */
LANE_INLINE void block_add_hessian(block_system *b, const block_contact *p, const block_response *c, lane h)
{
    const contact_side *own = &p->pair.b;
    const lane inv_sqrt_mass = own->inv_sqrt_mass;
    const lane_vec3 r = field_load3(own->lever_arm, 0);
    const lane_vec3 axis[3] = {field_load3(own->axis[T1], 0), field_load3(own->axis[T2], 0),
                               field_load3(own->axis[N], 0)};
    const lane size =
        lane_sqrt(lane_mul(lane_vec3_dot(p->pair.impulse, p->pair.impulse), lane_vec3_dot(r, r)));
    const lane geometric = lane_mul(lane_mul(h, c->turns), size);
    const lane rho = c->rho_friction;
    lane s = lane_zero(), sx = s, sy = s, sxx = s, sxy = s, syy = s;
    for (int i = 0; i < 4; i++) {
        const lane x = lane_add(r.x, p->points.x[i]), y = lane_add(r.y, p->points.y[i]);
        const lane px = lane_mul(c->rho[i], x), py = lane_mul(c->rho[i], y);
        s = lane_add(s, c->rho[i]);
        sx = lane_add(sx, px);
        sy = lane_add(sy, py);
        sxx = lane_add_mul(sxx, px, x);
        sxy = lane_add_mul(sxy, px, y);
        syy = lane_add_mul(syy, py, y);
    }
    /* linear: rho 1 + (s - rho) n n^T, over m */
    const lane inverse_mass = lane_mul(inv_sqrt_mass, inv_sqrt_mass);
    const lane even = lane_mul(rho, inverse_mass);
    b->h[BLOCK_LL] = lane_add(b->h[BLOCK_LL], even);
    b->h[BLOCK_LL + 3] = lane_add(b->h[BLOCK_LL + 3], even);
    b->h[BLOCK_LL + 5] = lane_add(b->h[BLOCK_LL + 5], even);
    const lane_vec3 n = p->pair.frame.normal;
    block_add_upper(b->h + BLOCK_LL, lane_vec3_scale(n, lane_mul(lane_sub(s, rho), inverse_mass)), n);
    /* mixed: for each of the frame's axes k, the impulses along the world that a rotation about k makes */
    const lane_vec3 t1 = p->pair.frame.t1, t2 = p->pair.frame.t2;
    const lane x = lane_mul(rho, r.x), y = lane_mul(rho, r.y), z = lane_mul(rho, r.z);
    const lane_vec3 about1 = lane_vec3_sub_scaled(lane_vec3_scale(n, sy), z, t2);
    const lane_vec3 about2 = lane_vec3_sub_scaled(lane_vec3_scale(t1, z), sx, n);
    const lane_vec3 about3 = lane_vec3_sub_scaled(lane_vec3_scale(t2, x), y, t1);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about1, inv_sqrt_mass), axis[T1]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about2, inv_sqrt_mass), axis[T2]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about3, inv_sqrt_mass), axis[N]);
    /* angular */
    const lane zz = lane_mul(z, r.z), xy = lane_negate(sxy);
    const lane xz = lane_negate(lane_mul(z, r.x)), yz = lane_negate(lane_mul(z, r.y));
    const lane tilt = lane_add(geometric, c->rho_rolling);
    const lane xx1 = lane_add(lane_add(syy, zz), tilt), yy1 = lane_add(lane_add(sxx, zz), tilt);
    const lane zz1 = lane_add(lane_add_mul(lane_add_mul(c->rho_torsion, y, r.y), x, r.x), geometric);
    const lane k[3][3] = {{xx1, xy, xz}, {xy, yy1, yz}, {xz, yz, zz1}};
    for (int i = 0; i < 3; i++) {
        lane_vec3 row = lane_vec3_scale(axis[0], k[i][0]);
        row = lane_vec3_add_scaled(row, k[i][1], axis[1]);
        row = lane_vec3_add_scaled(row, k[i][2], axis[2]);
        block_add_upper(b->h + BLOCK_AA, axis[i], row);
    }
}

/* Gathers entry j of a group's lanes. */
LANE_INLINE void block_entry_lanes(const dry_block_sweep *s, const dry_block_group *group, int j, int at,
                                   const float *contact[DRY_LANES], int32_t other[DRY_LANES],
                                   block_sides *sides, block_contact *c)
{
    int side[DRY_LANES];
    const int32_t *entry = s->entry + group->entry + DRY_BUNDLE * j + at;
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_block_contact *from = &s->contact[entry[i] >> 1];
        side[i] = entry[i] & 1;
        contact[i] = from->normal;
        other[i] = from->row[1 - side[i]];
    }
    block_gather(contact, side, sides, c);
}

#endif
