/* The rows of joints in lanes, by their forms: row_form.h. form.c has the same equations in double. Compiled
 * once for each level; included by make_rows.h alone. */
#ifndef SOLVER_SWEEPS_JOINTS_FORM_LANES_H
#define SOLVER_SWEEPS_JOINTS_FORM_LANES_H

#include "simd/lane_angle.h"
#include "solver/bodies/lane_fields.h"
#include "solver/constraint/joints/types/swing_twist.h"
#include "solver/data/joints/row_form.h"

/* A joint where its bodies are now. */
typedef struct joint_pose {
    lane_vec3 axis_a[3], axis_b[3]; /* of the frames, world */
    lane_vec3 apart;                /* anchor b - anchor a, m */
    lane_vec3 apart_rate;           /* its derivative, m/s, and that derivative's as the bodies turn, m/s^2 */
    lane_vec3 apart_acceleration;
    lane_vec3 spin_a, spin_b; /* of the bodies, rad/s */
    lane mesh[2];             /* of dry_joint_find_mesh; only where a form needs them */
    /* The angles of swing_twist.h and their directions; only where a form needs them. */
    lane twist, swing_y, swing_z, swing;
    lane_vec3 twist_row, swing_y_row, swing_z_row, swing_row;
    bool fades; /* some swing is so large that springs fade */
} joint_pose;

/* The rows of one form. */
typedef struct form_row {
    lane_vec3 linear, about;
    lane value;
    lane acceleration; /* the coordinate's, of bodies that move on freely; 0 of forms that do not tell it */
} form_row;

/* Fills the angles of swing_twist.h. */
LANE_INLINE void pose_find_swing(joint_pose *f)
{
    const lane_vec3 *a = f->axis_a, *b = f->axis_b;
    const lane zero = lane_zero(), one = lane_set(1.0f);
    const lane c = lane_vec3_dot_fused(a[0], b[0]);
    const lane y = lane_vec3_dot_fused(a[1], b[0]), z = lane_vec3_dot_fused(a[2], b[0]);
    const lane sine = lane_sqrt(lane_fma(y, y, lane_mul(z, z)));
    f->swing = lane_angle_of(sine, c);
    f->fades = lane_any(lane_less(lane_set((float)DRY_SWING_FADES), f->swing));
    const lane_mask swings = lane_less(zero, sine);
    const lane safe = lane_select(swings, sine, one);
    const lane e_y = lane_select(swings, lane_div(lane_negate(z), safe), one);
    const lane e_z = lane_select(swings, lane_div(y, safe), zero);
    f->swing_y = lane_mul(f->swing, e_y);
    f->swing_z = lane_mul(f->swing, e_z);
    const lane_mask back = lane_less(c, zero);
    const lane bounded = lane_select(back, lane_max(sine, lane_set((float)DRY_SWING_SINE_MIN)), safe);
    const lane half = lane_div(lane_select(back, lane_sub(one, c), sine),
                               lane_select(back, bounded, lane_add(one, c))); /* tan(t / 2) */
    const lane over = lane_select(lane_less(lane_set((float)DRY_SWING_SINE_MIN), f->swing),
                                  lane_div(f->swing, bounded), one); /* t / sin t */
    const lane_vec3 e = lane_vec3_add_scaled_fused(lane_vec3_scale(a[1], e_y), e_z, a[2]);
    const lane_vec3 p = lane_vec3_sub_scaled_fused(lane_vec3_scale(a[2], e_y), e_z, a[1]);
    const lane_vec3 across =
        lane_vec3_add_scaled_fused(lane_vec3_scale(p, lane_mul(over, c)), lane_mul(over, sine), a[0]);
    f->swing_row = e;
    f->twist_row = lane_vec3_sub_scaled_fused(a[0], half, p);
    f->swing_y_row = lane_vec3_sub_scaled_fused(lane_vec3_scale(e, e_y), e_z, across);
    f->swing_z_row = lane_vec3_add_scaled_fused(lane_vec3_scale(e, e_z), e_y, across);
    const lane by_x = lane_vec3_dot_fused(a[0], b[1]), by_y = lane_vec3_dot_fused(a[1], b[1]);
    const lane by_z = lane_vec3_dot_fused(a[2], b[1]);
    const lane along_e = lane_fma(by_y, e_y, lane_mul(by_z, e_z));
    const lane along_p = lane_fma(by_z, e_y, lane_negate(lane_mul(by_y, e_z)));
    const lane turned_p = lane_fma(c, along_p, lane_mul(sine, by_x));
    f->twist = lane_angle_of(lane_fma(along_e, e_z, lane_mul(turned_p, e_y)),
                             lane_fma(along_e, e_y, lane_negate(lane_mul(turned_p, e_z))));
}

/* Fills the rows of a coordinate along an axis of frame a. */
LANE_INLINE void form_along(const joint_pose *f, int i, form_row *row)
{
    const lane_vec3 axis = f->axis_a[i], turned = lane_vec3_cross_fused(f->spin_a, axis);
    lane acceleration = lane_vec3_dot_fused(axis, f->apart_acceleration);
    acceleration = lane_vec3_add_dot_fused(acceleration, lane_vec3_add(turned, turned), f->apart_rate);
    acceleration = lane_vec3_add_dot_fused(acceleration, lane_vec3_cross_fused(f->spin_a, turned), f->apart);
    *row = (form_row){axis, lane_vec3_zero(), lane_vec3_dot_fused(axis, f->apart), acceleration};
}

/* Fills the rows that keep axis `i` of frame a at a right angle to axis `k` of frame b. */
LANE_INLINE void form_across(const joint_pose *f, int i, int k, form_row *row)
{
    const lane_vec3 a = f->axis_a[i], b = f->axis_b[k];
    const lane_vec3 a1 = lane_vec3_cross_fused(f->spin_a, a), b1 = lane_vec3_cross_fused(f->spin_b, b);
    lane acceleration = lane_vec3_dot_fused(lane_vec3_cross_fused(f->spin_a, a1), b);
    acceleration = lane_vec3_add_dot_fused(acceleration, lane_vec3_add(a1, a1), b1);
    acceleration = lane_vec3_add_dot_fused(acceleration, a, lane_vec3_cross_fused(f->spin_b, b1));
    *row = (form_row){lane_vec3_zero(), lane_vec3_cross_fused(b, a), lane_vec3_dot_fused(a, b), acceleration};
}

/* Returns the angle of the vector (x, y). Not inlined: many forms call it. */
static __attribute__((noinline)) lane form_angle(lane y, lane x)
{
    return lane_angle_of(y, x);
}

/* Fills the rows of an angle about an axis: that of the vector (dot(x), dot(y)). */
LANE_INLINE void form_about(lane_vec3 axis, lane y, lane x, form_row *row)
{
    *row = (form_row){lane_vec3_zero(), axis, form_angle(y, x), lane_zero()};
}

/* Fills the rows of the distance between the anchors; where there is none, any direction will do. */
LANE_INLINE void form_line(const joint_pose *f, form_row *row)
{
    const lane length = lane_sqrt(lane_vec3_dot_fused(f->apart, f->apart));
    const lane_mask some = lane_less(lane_zero(), length);
    const lane inverse = lane_div(lane_set(1.0f), lane_select(some, length, lane_set(1.0f)));
    row->linear = lane_vec3_select(some, lane_vec3_scale(f->apart, inverse), lane_vec3_set(0.0f, 1.0f, 0.0f));
    row->about = lane_vec3_zero();
    row->value = length;
    row->acceleration = lane_zero();
}

/* Fills the rows of two wheels: row_of_gear in form.c. */
LANE_INLINE void form_gear(const joint_pose *f, form_row *row)
{
    const lane_vec3 x = f->axis_a[0], a = f->axis_a[1], b = f->axis_b[1];
    const lane_vec3 across = lane_vec3_sub_scaled_fused(f->apart, lane_vec3_dot_fused(f->apart, x), x);
    const lane length = lane_sqrt(lane_vec3_dot_fused(across, across)), zero = lane_zero();
    const lane_mask some = lane_less(zero, length);
    const lane inverse =
        lane_select(some, lane_div(lane_set(1.0f), lane_select(some, length, lane_set(1.0f))), zero);
    const lane_vec3 d = lane_vec3_scale(across, inverse), t = lane_vec3_cross_fused(x, d);
    /* Without teeth, in lanes of other forms, the sum is 0. */
    const lane sum = lane_add(f->mesh[0], f->mesh[1]);
    const lane_mask meshes = lane_mask_or(lane_less(sum, zero), lane_less(zero, sum));
    const lane part = lane_select(meshes, lane_div(length, lane_select(meshes, sum, lane_set(1.0f))), zero);
    const lane p_a = form_angle(lane_vec3_dot_fused(a, t), lane_vec3_dot_fused(a, d));
    const lane p_b =
        form_angle(lane_negate(lane_vec3_dot_fused(b, t)), lane_negate(lane_vec3_dot_fused(b, d)));
    const lane phase = lane_angle_near(lane_fma(f->mesh[0], p_a, lane_mul(f->mesh[1], p_b)), zero);
    *row = (form_row){lane_vec3_negate(t), lane_vec3_scale(x, lane_mul(part, f->mesh[1])),
                      lane_mul(part, phase), zero};
}

/* Fills the rows of a pinion and a rack: row_of_rack in form.c. */
LANE_INLINE void form_rack(const joint_pose *f, form_row *row)
{
    const lane_vec3 x = f->axis_a[0], a = f->axis_a[1], t = f->axis_b[1];
    const lane radius = f->mesh[0], zero = lane_zero();
    const lane_mask some = lane_mask_or(lane_less(radius, zero), lane_less(zero, radius));
    const lane p = form_angle(lane_vec3_dot_fused(a, lane_vec3_cross_fused(x, t)), lane_vec3_dot_fused(a, t));
    const lane way = lane_div(lane_vec3_dot_fused(f->apart, t), lane_select(some, radius, lane_set(1.0f)));
    const lane phase = lane_angle_near(lane_sub(p, way), zero);
    *row = (form_row){lane_vec3_negate(t),
                      lane_vec3_sub_scaled_fused(lane_vec3_cross_fused(f->apart, t), radius, x),
                      lane_mul(radius, phase), zero};
}

/* Returns an axis of the world. */
LANE_INLINE lane_vec3 form_world_axis(int i)
{
    return lane_vec3_set(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f);
}

/* Fills the rows of the gap between the anchors along an axis of the world. */
LANE_INLINE void form_in_world(const joint_pose *f, int i, form_row *row)
{
    const lane_vec3 axis = form_world_axis(i);
    *row = (form_row){axis, lane_vec3_zero(), lane_vec3_dot_fused(axis, f->apart),
                      lane_vec3_dot_fused(axis, f->apart_acceleration)};
}

/* Fills the rows of one form. Not inlined: a bundle's loops over rows and forms call it. */
static void form_fill(const joint_pose *f, dry_row_form form, form_row *row)
{
    const lane_vec3 *a = f->axis_a, *b = f->axis_b;
    const lane_vec3 none = lane_vec3_zero();
    switch (form) {
    case DRY_FORM_ALONG_X:
    case DRY_FORM_ALONG_Y:
    case DRY_FORM_ALONG_Z:
        form_along(f, (int)form - DRY_FORM_ALONG_X, row);
        return;
    case DRY_FORM_ACROSS_XZ:
    case DRY_FORM_ACROSS_YX:
    case DRY_FORM_ACROSS_YZ:
    case DRY_FORM_ACROSS_ZX:
    case DRY_FORM_ACROSS_ZY:
        form_across(f, dry_form_across[form - DRY_FORM_ACROSS_XZ][0],
                    dry_form_across[form - DRY_FORM_ACROSS_XZ][1], row);
        return;
    case DRY_FORM_HINGE:
        form_about(a[0], lane_vec3_dot_fused(a[2], b[1]), lane_vec3_dot_fused(a[1], b[1]), row);
        return;
    case DRY_FORM_UNIVERSAL_Y:
        form_about(a[1], lane_vec3_dot_fused(a[0], b[2]), lane_vec3_dot_fused(a[2], b[2]), row);
        return;
    case DRY_FORM_UNIVERSAL_Z:
        form_about(b[2], lane_vec3_dot_fused(a[1], b[0]), lane_vec3_dot_fused(a[1], b[1]), row);
        return;
    case DRY_FORM_WHEEL_X:
        form_about(b[0], lane_negate(lane_vec3_dot_fused(a[1], b[2])), lane_vec3_dot_fused(a[1], b[1]), row);
        return;
    case DRY_FORM_WHEEL_Y:
        form_about(a[1], lane_negate(lane_vec3_dot_fused(a[2], b[0])), lane_vec3_dot_fused(a[0], b[0]), row);
        return;
    case DRY_FORM_TWIST:
        *row = (form_row){none, f->twist_row, f->twist, lane_zero()};
        return;
    case DRY_FORM_SWING_Y:
        *row = (form_row){none, f->swing_y_row, f->swing_y, lane_zero()};
        return;
    case DRY_FORM_SWING_Z:
        *row = (form_row){none, f->swing_z_row, f->swing_z, lane_zero()};
        return;
    case DRY_FORM_CONE:
        *row = (form_row){none, f->swing_row, f->swing, lane_zero()};
        return;
    case DRY_FORM_WORLD_X:
    case DRY_FORM_WORLD_Y:
    case DRY_FORM_WORLD_Z:
        form_in_world(f, (int)form - DRY_FORM_WORLD_X, row);
        return;
    case DRY_FORM_ABOUT_X:
    case DRY_FORM_ABOUT_Y:
    case DRY_FORM_ABOUT_Z:
        *row = (form_row){none, form_world_axis((int)form - DRY_FORM_ABOUT_X), lane_zero(), lane_zero()};
        return;
    case DRY_FORM_LINE:
        form_line(f, row);
        return;
    case DRY_FORM_GEAR:
        form_gear(f, row);
        return;
    case DRY_FORM_RACK:
        form_rack(f, row);
        return;
    case DRY_FORM_NONE:
    case DRY_FORM_COUNT:
        break;
    }
    *row = (form_row){none, none, lane_zero(), lane_zero()};
}

/* Fills the rows of lanes whose forms, as floats, are `form`; `forms` has a bit for each that occurs. */
LANE_INLINE void form_blend(const joint_pose *f, lane form, uint32_t forms, form_row *row)
{
    form_fill(f, (dry_row_form)__builtin_ctz(forms | 1u << DRY_FORM_COUNT), row);
    for (uint32_t rest = forms & (forms - 1); rest; rest &= rest - 1) {
        const int next = __builtin_ctz(rest);
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
