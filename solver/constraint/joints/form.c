/* The rows of joints in double, by their forms: row_form.h. */
#include "solver/constraint/joints/form.h"

#include "core/angle.h"

#include <math.h>

/* Returns the angle of the vector (x, y). Not inlined: many forms call it. */
static __attribute__((noinline)) double angle_of(double y, double x)
{
    return dry_angle_of(y, x);
}

/* Returns the row of the distance between the anchors. */
static dry_joint_row row_of_line(const dry_joint_frames *frames)
{
    const double length = sqrt(double3_dot(frames->apart, frames->apart));
    dry_double3 axis = {0.0, 1.0, 0.0};
    if (length > 0.0)
        axis = double3_add_scaled((dry_double3){0}, 1.0 / length, frames->apart);
    return (dry_joint_row){
        .linear = axis,
        .angular_a = double3_cross(double3_add_scaled(frames->a.arm, 1.0, frames->apart), axis),
        .angular_b = double3_cross(frames->b.arm, axis),
        .error = length,
    };
}

/* Returns the row of an angle of swing_twist.h, whose angles all rows of a joint share. */
static dry_joint_row row_of_swing(const dry_joint_frames *frames, dry_row_form form, dry_swing_twist *s)
{
    if (!s->known)
        *s = dry_swing_twist_of(frames);
    if (form == DRY_FORM_CONE)
        return dry_row_about(s->about, s->angle);
    dry_joint_row row = dry_row_about(s->rows[form - DRY_FORM_TWIST],
                                      form == DRY_FORM_TWIST ? s->twist : s->swing[form - DRY_FORM_SWING_Y]);
    row.faded = s->faded;
    row.fading = double3_add_scaled((dry_double3){0}, -s->slope, s->about);
    return row;
}

/* Returns the row of a force along -t at anchor b with a torque along `about` on both bodies. */
static dry_joint_row row_of_teeth(const dry_joint_frames *frames, dry_double3 t, dry_double3 about,
                                  double value)
{
    const dry_double3 linear = double3_add_scaled((dry_double3){0}, -1.0, t);
    return (dry_joint_row){
        .linear = linear,
        .angular_a = double3_add_scaled(
            about, 1.0, double3_cross(double3_add_scaled(frames->a.arm, 1.0, frames->apart), linear)),
        .angular_b = double3_add_scaled(about, 1.0, double3_cross(frames->b.arm, linear)),
        .error = value,
    };
}

/* Returns the row of two wheels. With d from center to center and t across it, the wheels meet at a + r_a d,
 * r_a = |d| teeth_a / (teeth_a + teeth_b), and b's part of |d| is r_b. There
 *     q' = r_a x . w_a + r_b x . w_b - t . (v_b - v_a) = 0
 * is that no tooth slips: q = r_a p_a + r_b p_b, with angles from d, which turns by t . (v_b - v_a) / |d|. */
static dry_joint_row row_of_gear(const dry_joint_frames *frames, const float teeth[2])
{
    const dry_double3 x = frames->a.axis[0], none = {0};
    const dry_double3 across = double3_add_scaled(frames->apart, -double3_dot(frames->apart, x), x);
    const double length = sqrt(double3_dot(across, across));
    if (!(length > 0.0))
        return (dry_joint_row){0};
    const dry_double3 d = double3_add_scaled(none, 1.0 / length, across), t = double3_cross(x, d);
    const double part = length / ((double)teeth[0] + (double)teeth[1]);
    const double p_a = angle_of(double3_dot(frames->a.axis[1], t), double3_dot(frames->a.axis[1], d));
    const double p_b = angle_of(-double3_dot(frames->b.axis[1], t), -double3_dot(frames->b.axis[1], d));
    const double phase = dry_angle_near((double)teeth[0] * p_a + (double)teeth[1] * p_b, 0.0);
    return row_of_teeth(frames, t, double3_add_scaled(none, part * (double)teeth[1], x), part * phase);
}

/* Returns the row of a pinion and a rack, whose y is t:
 *     q' = r x . (w_a - w_b) - (t . apart)' = 0, q = r p - s. */
static dry_joint_row row_of_rack(const dry_joint_frames *frames, double radius)
{
    const dry_double3 x = frames->a.axis[0], t = frames->b.axis[1];
    const double p =
        angle_of(double3_dot(frames->a.axis[1], double3_cross(x, t)), double3_dot(frames->a.axis[1], t));
    const double phase = dry_angle_near(p - double3_dot(frames->apart, t) / radius, 0.0);
    return row_of_teeth(frames, t, double3_add_scaled(double3_cross(frames->apart, t), -radius, x),
                        radius * phase);
}

dry_joint_row dry_joint_form_row(const dry_joint_def *def, const dry_joint_frames *frames, dry_row_form form,
                                 dry_swing_twist *swing)
{
    float mesh[2];
    const dry_double3 *a = frames->a.axis, *b = frames->b.axis;
    switch (form) {
    case DRY_FORM_ALONG_X:
    case DRY_FORM_ALONG_Y:
    case DRY_FORM_ALONG_Z:
        return dry_row_along(frames, (int)form - DRY_FORM_ALONG_X);
    case DRY_FORM_ACROSS_XZ:
    case DRY_FORM_ACROSS_YX:
    case DRY_FORM_ACROSS_YZ:
    case DRY_FORM_ACROSS_ZX:
    case DRY_FORM_ACROSS_ZY:
        return dry_row_between(frames, dry_form_across[form - DRY_FORM_ACROSS_XZ][0],
                               dry_form_across[form - DRY_FORM_ACROSS_XZ][1]);
    case DRY_FORM_HINGE:
        return dry_row_about(a[0], angle_of(double3_dot(a[2], b[1]), double3_dot(a[1], b[1])));
    case DRY_FORM_UNIVERSAL_Y:
        return dry_row_about(a[1], angle_of(double3_dot(a[0], b[2]), double3_dot(a[2], b[2])));
    case DRY_FORM_UNIVERSAL_Z:
        return dry_row_about(b[2], angle_of(double3_dot(a[1], b[0]), double3_dot(a[1], b[1])));
    case DRY_FORM_WHEEL_X:
        return dry_row_about(b[0], angle_of(-double3_dot(a[1], b[2]), double3_dot(a[1], b[1])));
    case DRY_FORM_WHEEL_Y:
        return dry_row_about(a[1], angle_of(-double3_dot(a[2], b[0]), double3_dot(a[0], b[0])));
    case DRY_FORM_TWIST:
    case DRY_FORM_SWING_Y:
    case DRY_FORM_SWING_Z:
    case DRY_FORM_CONE:
        return row_of_swing(frames, form, swing);
    case DRY_FORM_WORLD_X:
    case DRY_FORM_WORLD_Y:
    case DRY_FORM_WORLD_Z:
        return dry_row_in_world(frames, (int)form - DRY_FORM_WORLD_X);
    case DRY_FORM_ABOUT_X:
    case DRY_FORM_ABOUT_Y:
    case DRY_FORM_ABOUT_Z: {
        const dry_double3 about = {form == DRY_FORM_ABOUT_X, form == DRY_FORM_ABOUT_Y,
                                   form == DRY_FORM_ABOUT_Z};
        return dry_row_about(about, 0.0);
    }
    case DRY_FORM_LINE:
        return row_of_line(frames);
    case DRY_FORM_GEAR:
    case DRY_FORM_RACK:
        dry_joint_find_mesh(def, mesh);
        return form == DRY_FORM_GEAR ? row_of_gear(frames, mesh) : row_of_rack(frames, (double)mesh[0]);
    case DRY_FORM_NONE:
    case DRY_FORM_COUNT:
        break;
    }
    return (dry_joint_row){0};
}
