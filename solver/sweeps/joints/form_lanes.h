/* The rows of joints in lanes, by their forms: row_form.h. form.c has the same in double. Compiled once for
 * each level; included by make_rows.h alone. */
#ifndef SOLVER_SWEEPS_JOINTS_FORM_LANES_H
#define SOLVER_SWEEPS_JOINTS_FORM_LANES_H

#include "solver/bodies/gather.h"
#include "solver/constraint/joints/form_rows.h"
#include "solver/constraint/joints/types/swing_twist.h"

/* A joint where its bodies are now. */
typedef struct joint_pose {
    lane_vec3 axis_a[3], axis_b[3]; /* of the frames, world */
    lane_vec3 apart;                /* anchor b - anchor a, m */
    lane_vec3 apart_rate;           /* its derivative, m/s, and that derivative's as the bodies turn, m/s^2 */
    lane_vec3 apart_acceleration;
    lane_vec3 spin_a, spin_b; /* of the bodies, rad/s */
    lane mesh[2];             /* of dry_joint_find_mesh; only where a form needs them */
    /* Angles and directions of dry_swing_twist; only where a form needs them. */
    lane angle[4];
    lane_vec3 row[4];
    bool fades; /* some swing is so large that springs fade */
} joint_pose;

/* Fills the angles of swing_twist.h. */
LANE_INLINE void pose_find_swing(joint_pose *f)
{
    const lane_vec3 *a = f->axis_a, *b = f->axis_b;
    const lane zero = lane_zero(), one = lane_set(1.0f);
    const lane c = lane_vec3_dot(a[0], b[0]);
    const lane y = lane_vec3_dot(a[1], b[0]), z = lane_vec3_dot(a[2], b[0]);
    const lane sine = lane_sqrt(lane_add_mul(lane_mul(z, z), y, y));
    f->angle[3] = lane_angle_of(sine, c);
    f->fades = lane_any(lane_less(lane_set((float)DRY_SWING_FADES), f->angle[3]));
    const lane_mask swings = lane_less(zero, sine);
    const lane safe = lane_select(swings, sine, one);
    const lane e_y = lane_select(swings, lane_div(lane_negate(z), safe), one);
    const lane e_z = lane_select(swings, lane_div(y, safe), zero);
    f->angle[1] = lane_mul(f->angle[3], e_y);
    f->angle[2] = lane_mul(f->angle[3], e_z);
    const lane_mask back = lane_less(c, zero);
    const lane bounded = lane_select(back, lane_max(sine, lane_set((float)DRY_SWING_SINE_MIN)), safe);
    const lane half = lane_div(lane_select(back, lane_sub(one, c), sine),
                               lane_select(back, bounded, lane_add(one, c))); /* tan(t / 2) */
    const lane over = lane_select(lane_less(lane_set((float)DRY_SWING_SINE_MIN), f->angle[3]),
                                  lane_div(f->angle[3], bounded), one); /* t / sin t */
    const lane_vec3 e = lane_vec3_add_scaled(lane_vec3_scale(a[1], e_y), e_z, a[2]);
    const lane_vec3 p = lane_vec3_sub_scaled(lane_vec3_scale(a[2], e_y), e_z, a[1]);
    const lane_vec3 across =
        lane_vec3_add_scaled(lane_vec3_scale(p, lane_mul(over, c)), lane_mul(over, sine), a[0]);
    f->row[3] = e;
    f->row[0] = lane_vec3_sub_scaled(a[0], half, p);
    f->row[1] = lane_vec3_sub_scaled(lane_vec3_scale(e, e_y), e_z, across);
    f->row[2] = lane_vec3_add_scaled(lane_vec3_scale(e, e_z), e_y, across);
    const lane by_x = lane_vec3_dot(a[0], b[1]), by_y = lane_vec3_dot(a[1], b[1]);
    const lane by_z = lane_vec3_dot(a[2], b[1]);
    const lane along_e = lane_add_mul(lane_mul(by_z, e_z), by_y, e_y);
    const lane along_p = lane_add_mul(lane_negate(lane_mul(by_y, e_z)), by_z, e_y);
    const lane turned_p = lane_add_mul(lane_mul(sine, by_x), c, along_p);
    f->angle[0] = lane_angle_of(lane_add_mul(lane_mul(turned_p, e_y), along_e, e_z),
                                lane_add_mul(lane_negate(lane_mul(turned_p, e_z)), along_e, e_y));
}

/* Returns the second derivative of a coordinate along an axis of frame a, of bodies that move on freely. */
LANE_INLINE lane form_along(const joint_pose *f, int i)
{
    const lane_vec3 axis = f->axis_a[i], turned = lane_vec3_cross(f->spin_a, axis);
    return lane_add3(lane_vec3_dot(axis, f->apart_acceleration),
                     lane_vec3_dot(lane_vec3_add(turned, turned), f->apart_rate),
                     lane_vec3_dot(lane_vec3_cross(f->spin_a, turned), f->apart));
}

/* Returns that of the product of axis `i` of frame a and axis `k` of frame b. */
LANE_INLINE lane form_across(const joint_pose *f, int i, int k)
{
    const lane_vec3 a = f->axis_a[i], b = f->axis_b[k];
    const lane_vec3 a1 = lane_vec3_cross(f->spin_a, a), b1 = lane_vec3_cross(f->spin_b, b);
    lane acceleration = lane_vec3_dot(lane_vec3_cross(f->spin_a, a1), b);
    acceleration = lane_add(acceleration, lane_vec3_dot(lane_vec3_add(a1, a1), b1));
    return lane_add(acceleration, lane_vec3_dot(a, lane_vec3_cross(f->spin_b, b1)));
}

/* Fills the rows of one form. Not inlined: a bundle's loops over rows and forms call it. */
static void form_fill(const joint_pose *f, dry_row_form form, form_row *row)
{
    const form_frames frames = {f->axis_a, f->axis_b, &f->apart, f->mesh, f->angle, f->row};
    form_between(&frames, form, row);
    if (form >= DRY_FORM_ALONG_X && form <= DRY_FORM_ALONG_Z)
        row->acceleration = form_along(f, (int)form - DRY_FORM_ALONG_X);
    if (form >= DRY_FORM_ACROSS_XZ && form <= DRY_FORM_ACROSS_ZY)
        row->acceleration = form_across(f, dry_form_across[form - DRY_FORM_ACROSS_XZ][0],
                                        dry_form_across[form - DRY_FORM_ACROSS_XZ][1]);
    if (form >= DRY_FORM_WORLD_X && form <= DRY_FORM_WORLD_Z)
        row->acceleration =
            lane_vec3_dot(form_world_axis((int)form - DRY_FORM_WORLD_X), f->apart_acceleration);
}

/* Fills the rows of lanes whose forms, as floats, are `form`; `forms` has a bit for each that occurs. */
LANE_INLINE void form_blend(const joint_pose *f, lane form, uint32_t forms, form_row *row)
{
    form_fill(f, (dry_row_form)dry_lowest_bit(forms | 1u << DRY_FORM_COUNT), row);
    for (uint32_t rest = forms & (forms - 1); rest; rest &= rest - 1) {
        const int next = dry_lowest_bit(rest);
        form_row other;
        form_fill(f, (dry_row_form)next, &other);
        /* Forms rise from bit to bit: lanes of this one and of later ones take it. */
        const lane_mask is = lane_less_equal(lane_set((float)next), form);
        row->linear = lane_vec3_select(is, other.linear, row->linear);
        row->about = lane_vec3_select(is, other.about, row->about);
        row->value = lane_select(is, other.value, row->value);
        row->acceleration = lane_select(is, other.acceleration, row->acceleration);
    }
}

#endif
