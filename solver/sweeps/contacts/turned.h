/* A contact as its bodies are moved and turned. Compiled once per instruction set.
 *
 * A bundle describes a contact at the step's beginning. Here its frame is carried along by body a, both lever
 * arms lead to the point that b's patch has come to, and the motion along the normal is that of the patches
 * themselves, not of their rows: with R the rotations since then, x the displacements of the centers, r the
 * lever arms and o a point of the patch,
 *
 *     q = q0 + (R_a n) . (x_b + R_b (r_b + o) - x_a - R_a (r_a + o) + r_a - r_b)
 *
 * Rotations are kept as R - 1, so that small motions have all their digits. Angular velocities and inertia
 * stay in the principal frames of the step's beginning, as in rows. Both arms lead to one point, so that
 * impulses change neither the momentum nor the angular momentum of the pair: to a's patch if b is fixed, to
 * b's if a is, else to the middle between the two.
 *
 * The patch of a round shape does not turn with its body, which rolls over it. Such contacts stay as they are
 * at the step's beginning, and move along their rows.
 *
 * Reads a contact bundle and rows. Included by sweep_kernels.h alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_TURNED_H
#define SOLVER_SWEEPS_CONTACTS_TURNED_H

#include "solver/bodies/rotation_lanes.h"
#include "solver/sweeps/contacts/motion.h"

/* The fields of a bundle that turn, of the lanes that a kernel works on. */
typedef struct contact_turned {
    _Alignas(64) dry_lanes axis_a[3][3], axis_b[3][3];
    dry_lanes lever_arm_a[3], lever_arm_b[3];
} contact_turned;

/* Returns (R - 1) v. */
LANE_INLINE lane_vec3 contact_turning(lane_quat q, lane_vec3 v)
{
    const lane_vec3 axis = {q.x, q.y, q.z};
    lane_vec3 t = lane_vec3_cross(axis, v);
    t = lane_vec3_add(t, t);
    return lane_vec3_add_scaled(lane_vec3_cross(axis, t), q.w, t);
}

/* Returns a body's rotation in the contact's frame from its whitened rotation vector. */
LANE_INLINE lane_quat contact_rotation(const contact_side *side, lane_vec3 da, int at)
{
    return body_quat_from_rotation(contact_angular_motions(side, da, at));
}

/* Returns sum_k (e + turned)_k v_k: a vector of the frame that `turned` was added to, by its components. */
LANE_INLINE lane_vec3 contact_turned_axis(const lane_vec3 v[3], int k, lane_vec3 turned)
{
    lane_vec3 sum = lane_vec3_add_scaled(v[k], turned.x, v[T1]);
    sum = lane_vec3_add_scaled(sum, turned.y, v[T2]);
    return lane_vec3_add_scaled(sum, turned.z, v[N]);
}

/* Turns a body's whitened axes with the frame. */
LANE_INLINE void contact_turn_axes(contact_side *side, const lane_vec3 turned[3], dry_lanes axis[3][3],
                                   int at)
{
    const lane_vec3 before[3] = {field_load3(side->axis[T1], at), field_load3(side->axis[T2], at),
                                 field_load3(side->axis[N], at)};
    for (int k = 0; k < 3; k++)
        field_store3(axis[k], at, contact_turned_axis(before, k, turned[k]));
    side->axis = axis;
}

/* Returns the lanes of a bundle whose contact has a round shape. */
LANE_INLINE lane_mask contact_round_lanes(const dry_contact_header *header, int at)
{
    _Alignas(64) float round[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        round[i] = header->round >> (at + i) & 1 ? 1.0f : 0.0f;
    return lane_less(lane_zero(), lane_load(round));
}

LANE_INLINE lane contact_turned_square(const contact_side *side, lane_vec3 da, int at)
{
    const lane_vec3 turned = contact_angular_motions(side, da, at);
    return lane_vec3_dot(turned, turned);
}

/* Returns the lanes whose bodies have moved apart by half a lever arm, or turned by half a radian. Effective
 * masses are those of the step's beginning: at arms that have become much longer, sweeps would not converge
 * (methods/DECISIONS.md). The arm of a body that nothing pushes does not count. */
LANE_INLINE lane_mask contact_far_lanes(const contact_pair *m, dry_contact_bundle *c,
                                        const lane_displacement *da, const lane_displacement *db, int at)
{
    const lane zero = lane_zero(), la = m->a.inv_sqrt_mass, lb = m->b.inv_sqrt_mass;
    const lane_vec3 arm_a = field_load3(c->lever_arm_a, at), arm_b = field_load3(c->lever_arm_b, at);
    const lane square_a = lane_select(lane_less(zero, la), lane_vec3_dot(arm_a, arm_a), zero);
    const lane square_b = lane_select(lane_less(zero, lb), lane_vec3_dot(arm_b, arm_b), zero);
    const lane_vec3 moved = contact_frame_from_world(&m->frame, contact_relative(la, da->dl, lb, db->dl));
    const lane turned =
        lane_max(contact_turned_square(&m->a, da->da, at), contact_turned_square(&m->b, db->da, at));
    const lane most = lane_mul(lane_set(0.25f), lane_max(square_a, square_b));
    return lane_mask_or(lane_less(most, lane_vec3_dot(moved, moved)), lane_less(lane_set(0.25f), turned));
}

/* Returns the gap that closes before a contact acts: 0 where points touch. */
LANE_INLINE lane contact_least_gap(dry_contact_bundle *c, int at)
{
    const lane zero = lane_zero();
    lane gap = LOAD(c->separation[0]);
    for (int i = 1; i < 4; i++) {
        const lane_mask here = lane_less(zero, LOAD(c->inverse_mass[i]));
        gap = lane_select(here, lane_min(gap, LOAD(c->separation[i])), gap);
    }
    return lane_max(gap, zero);
}

LANE_INLINE lane_quat contact_still_where(lane_mask mask, lane_quat q)
{
    const lane zero = lane_zero();
    return lane_quat_select(mask, (lane_quat){zero, zero, zero, lane_set(1.0f)}, q);
}

/* Gathers a pair as it is moved and turned: `ahead` seconds later if bodies go on as they move now, and the
 * motion along the normal until now. */
LANE_INLINE void contact_gather_turned(contact_pair *m, dry_contact_bundle *c,
                                       const dry_contact_header *header, const dry_sweep *s,
                                       contact_turned *store, bool ahead, int at)
{
    lane_displacement da, db;
    lane_gather_rows(s->rows, c->row_a + at, &m->a.velocity, &da, &m->a.inv_sqrt_mass);
    lane_gather_rows(s->rows, c->row_b + at, &m->b.velocity, &db, &m->b.inv_sqrt_mass);
    const lane h = lane_set(s->substep);
    if (ahead) {
        da.dl = lane_vec3_add_scaled(da.dl, h, m->a.velocity.ul);
        da.da = lane_vec3_add_scaled(da.da, h, m->a.velocity.ua);
        db.dl = lane_vec3_add_scaled(db.dl, h, m->b.velocity.ul);
        db.da = lane_vec3_add_scaled(db.da, h, m->b.velocity.ua);
    }
    const lane la = m->a.inv_sqrt_mass, lb = m->b.inv_sqrt_mass;
    m->inverse_mass = lane_add(lane_mul(la, la), lane_mul(lb, lb));

    /* In the frame of the step's beginning. */
    const lane_mask round =
        lane_mask_or(contact_round_lanes(header, at), contact_far_lanes(m, c, &da, &db, at));
    const lane_quat qa = contact_still_where(round, contact_rotation(&m->a, da.da, at));
    const lane_quat qb = contact_still_where(round, contact_rotation(&m->b, db.da, at));
    const lane zero = lane_zero(), half = lane_set(0.5f), one = lane_set(1.0f);
    const lane_vec3 unit[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    lane_vec3 turned[3];
    for (int k = 0; k < 3; k++)
        turned[k] = contact_turning(qa, unit[k]);
    const lane_vec3 arm_a = field_load3(c->lever_arm_a, at), arm_b = field_load3(c->lever_arm_b, at);
    const lane_vec3 moved = contact_frame_from_world(&m->frame, contact_relative(la, da.dl, lb, db.dl));
    const lane_vec3 arm_b_turned = contact_turning(qb, arm_b);
    const lane_vec3 way = lane_vec3_add(moved, arm_b_turned); /* of b's patch, seen from a's center */

    /* In the frame that body a has turned. */
    const lane_quat back = {lane_negate(qa.x), lane_negate(qa.y), lane_negate(qa.z), qa.w};
    const lane_vec3 change =
        lane_vec3_add(lane_vec3_add(contact_turning(back, arm_a), contact_turning(back, way)), way);
    const lane_vec3 to_b = lane_vec3_add(arm_b, arm_b_turned);
    const lane of_b = lane_select(lane_less(zero, la), lane_select(lane_less(zero, lb), half, zero), one);
    const lane share_b = lane_select(round, zero, of_b),
               share_a = lane_select(round, zero, lane_sub(one, of_b));
    /* The arms of the step's beginning lead to one point where the least gap has closed. */
    const lane_vec3 apart = {change.x, change.y, lane_add(change.z, contact_least_gap(c, at))};
    field_store3(store->lever_arm_a, at, lane_vec3_add_scaled(arm_a, share_b, apart));
    field_store3(store->lever_arm_b, at,
                 lane_vec3_sub_scaled(lane_vec3_add(to_b, contact_turning(back, to_b)), share_a, apart));
    const lane_vec3 bx = contact_turning(qb, unit[T1]), by = contact_turning(qb, unit[T2]);
    m->movement = (contact_normal_motion){
        .center = change.z,
        .gradient_x = lane_add(lane_add(turned[N].x, bx.z), lane_vec3_dot(turned[N], bx)),
        .gradient_y = lane_add(lane_add(turned[N].y, by.z), lane_vec3_dot(turned[N], by)),
    };

    /* Along the rows, round ones roll. */
    const contact_normal_motion along = contact_normal_motion_by(m, moved.z, da.da, db.da, at);
    m->movement.center = lane_select(round, along.center, m->movement.center);
    m->movement.gradient_x = lane_select(round, along.gradient_x, m->movement.gradient_x);
    m->movement.gradient_y = lane_select(round, along.gradient_y, m->movement.gradient_y);

    contact_turn_axes(&m->a, turned, store->axis_a, at);
    contact_turn_axes(&m->b, turned, store->axis_b, at);
    m->a.lever_arm = store->lever_arm_a;
    m->b.lever_arm = store->lever_arm_b;
    const lane_vec3 world[3] = {m->frame.t1, m->frame.t2, m->frame.normal};
    m->frame.t1 = contact_turned_axis(world, T1, turned[T1]);
    m->frame.t2 = contact_turned_axis(world, T2, turned[T2]);
    m->frame.normal = contact_turned_axis(world, N, turned[N]);
    m->velocity =
        contact_frame_from_world(&m->frame, contact_relative(la, m->a.velocity.ul, lb, m->b.velocity.ul));
    if (ahead) {
        const contact_normal_motion speed = contact_normal_velocity(m, at);
        m->movement.center = lane_sub_mul(m->movement.center, h, speed.center);
        m->movement.gradient_x = lane_sub_mul(m->movement.gradient_x, h, speed.gradient_x);
        m->movement.gradient_y = lane_sub_mul(m->movement.gradient_y, h, speed.gradient_y);
    }
}

#endif
