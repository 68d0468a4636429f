/* The rows of joints in double, by their forms: row_form.h. */
#include "solver/constraint/joints/form.h"

#include "core/angle.h"

#include <math.h>

/* A coordinate, with the force and the torque of its row. */
typedef struct coordinate {
    double value;
    dry_double3 linear, about;
} coordinate;

/* Returns the angle of the vector (x, y). Not inlined: many forms call it. */
static __attribute__((noinline)) double angle_of(double y, double x)
{
    return dry_angle_of(y, x);
}

/* Returns the coordinate of a row that only turns the bodies. */
static coordinate turning(dry_double3 about, double angle)
{
    return (coordinate){.value = angle, .about = about};
}

/* Returns the coordinate of a row without a torque. */
static coordinate moving(dry_double3 axis, double length)
{
    return (coordinate){.value = length, .linear = axis};
}

/* Returns the distance between the anchors. */
static coordinate line_of(const dry_joint_frames *frames)
{
    const double length = sqrt(double3_dot(frames->apart, frames->apart));
    dry_double3 axis = {0.0, 1.0, 0.0};
    if (length > 0.0)
        axis = double3_add_scaled((dry_double3){0}, 1.0 / length, frames->apart);
    return moving(axis, length);
}

/* Returns an angle of swing_twist.h, which all rows of a joint share. */
static coordinate swing_of(const dry_joint_frames *frames, dry_row_form form, dry_swing_twist *s)
{
    if (!s->known)
        *s = dry_swing_twist_of(frames);
    if (form == DRY_FORM_CONE)
        return turning(s->about, s->angle);
    return turning(s->rows[form - DRY_FORM_TWIST],
                   form == DRY_FORM_TWIST ? s->twist : s->swing[form - DRY_FORM_SWING_Y]);
}

/* Returns the coordinate of two wheels. With d from center to center and t across it, the wheels meet at
 * a + r_a d, r_a = |d| teeth_a / (teeth_a + teeth_b), and b's part of |d| is r_b. There
 *     q' = r_a x . w_a + r_b x . w_b - t . (v_b - v_a) = 0
 * is that no tooth slips: q = r_a p_a + r_b p_b, with angles from d, which turns by t . (v_b - v_a) / |d|. */
static coordinate gear_of(const dry_joint_frames *frames, const float teeth[2])
{
    const dry_double3 x = frames->a.axis[0], none = {0};
    const dry_double3 across = double3_add_scaled(frames->apart, -double3_dot(frames->apart, x), x);
    const double length = sqrt(double3_dot(across, across));
    if (!(length > 0.0))
        return (coordinate){0};
    const dry_double3 d = double3_add_scaled(none, 1.0 / length, across), t = double3_cross(x, d);
    const double part = length / ((double)teeth[0] + (double)teeth[1]);
    const double p_a = angle_of(double3_dot(frames->a.axis[1], t), double3_dot(frames->a.axis[1], d));
    const double p_b = angle_of(-double3_dot(frames->b.axis[1], t), -double3_dot(frames->b.axis[1], d));
    const double phase = dry_angle_near((double)teeth[0] * p_a + (double)teeth[1] * p_b, 0.0);
    return (coordinate){part * phase, double3_add_scaled(none, -1.0, t),
                        double3_add_scaled(none, part * (double)teeth[1], x)};
}

/* Returns the coordinate of a pinion and a rack, whose y is t:
 *     q' = r x . (w_a - w_b) - (t . apart)' = 0, q = r p - s. */
static coordinate rack_of(const dry_joint_frames *frames, double radius)
{
    const dry_double3 x = frames->a.axis[0], t = frames->b.axis[1], none = {0};
    const double p =
        angle_of(double3_dot(frames->a.axis[1], double3_cross(x, t)), double3_dot(frames->a.axis[1], t));
    const double phase = dry_angle_near(p - double3_dot(frames->apart, t) / radius, 0.0);
    return (coordinate){radius * phase, double3_add_scaled(none, -1.0, t),
                        double3_add_scaled(double3_cross(frames->apart, t), -radius, x)};
}

/* Inlined, so that values do without directions. */
static inline __attribute__((always_inline)) coordinate coordinate_of(const dry_joint_def *def,
                                                                      const dry_joint_frames *frames,
                                                                      dry_row_form form,
                                                                      dry_swing_twist *swing)
{
    float mesh[2];
    const dry_double3 *a = frames->a.axis, *b = frames->b.axis;
    const unsigned char *across;
    int i;
    switch (form) {
    case DRY_FORM_ALONG_X:
    case DRY_FORM_ALONG_Y:
    case DRY_FORM_ALONG_Z:
        i = (int)form - DRY_FORM_ALONG_X;
        return moving(a[i], double3_dot(a[i], frames->apart));
    case DRY_FORM_ACROSS_XZ:
    case DRY_FORM_ACROSS_YX:
    case DRY_FORM_ACROSS_YZ:
    case DRY_FORM_ACROSS_ZX:
    case DRY_FORM_ACROSS_ZY:
        across = dry_form_across[form - DRY_FORM_ACROSS_XZ];
        return turning(double3_cross(b[across[1]], a[across[0]]), double3_dot(a[across[0]], b[across[1]]));
    case DRY_FORM_HINGE:
        return turning(a[0], angle_of(double3_dot(a[2], b[1]), double3_dot(a[1], b[1])));
    case DRY_FORM_UNIVERSAL_Y:
        return turning(a[1], angle_of(double3_dot(a[0], b[2]), double3_dot(a[2], b[2])));
    case DRY_FORM_UNIVERSAL_Z:
        return turning(b[2], angle_of(double3_dot(a[1], b[0]), double3_dot(a[1], b[1])));
    case DRY_FORM_WHEEL_X:
        return turning(b[0], angle_of(-double3_dot(a[1], b[2]), double3_dot(a[1], b[1])));
    case DRY_FORM_WHEEL_Y:
        return turning(a[1], angle_of(-double3_dot(a[2], b[0]), double3_dot(a[0], b[0])));
    case DRY_FORM_TWIST:
    case DRY_FORM_SWING_Y:
    case DRY_FORM_SWING_Z:
    case DRY_FORM_CONE:
        return swing_of(frames, form, swing);
    case DRY_FORM_WORLD_X:
    case DRY_FORM_WORLD_Y:
    case DRY_FORM_WORLD_Z:
        i = (int)form - DRY_FORM_WORLD_X;
        return moving((dry_double3){i == 0, i == 1, i == 2}, (&frames->apart.x)[i]);
    case DRY_FORM_ABOUT_X:
    case DRY_FORM_ABOUT_Y:
    case DRY_FORM_ABOUT_Z:
        i = (int)form - DRY_FORM_ABOUT_X;
        return turning((dry_double3){i == 0, i == 1, i == 2}, 0.0);
    case DRY_FORM_LINE:
        return line_of(frames);
    case DRY_FORM_GEAR:
    case DRY_FORM_RACK:
        dry_joint_find_mesh(def, mesh);
        return form == DRY_FORM_GEAR ? gear_of(frames, mesh) : rack_of(frames, (double)mesh[0]);
    case DRY_FORM_NONE:
    case DRY_FORM_COUNT:
        break;
    }
    return (coordinate){0};
}

/* Returns a coordinate's second derivative, of bodies that move on freely; 0 for angles and distances. */
static double acceleration_of(const dry_joint_frames *frames, dry_row_form form)
{
    dry_double3 u[3], w[3] = {frames->apart, frames->velocity, frames->acceleration};
    if (form >= DRY_FORM_WORLD_X && form <= DRY_FORM_WORLD_Z)
        return (&frames->acceleration.x)[form - DRY_FORM_WORLD_X];
    if (form < DRY_FORM_ALONG_X || form > DRY_FORM_ACROSS_ZY)
        return 0.0;
    const bool along = form <= DRY_FORM_ALONG_Z;
    const unsigned char *across = dry_form_across[along ? 0 : form - DRY_FORM_ACROSS_XZ];
    dry_turning(frames->a.axis[along ? form - DRY_FORM_ALONG_X : across[0]], frames->a.spin, u);
    if (!along)
        dry_turning(frames->b.axis[across[1]], frames->b.spin, w);
    return double3_dot(u[2], w[0]) + 2.0 * double3_dot(u[1], w[1]) + double3_dot(u[0], w[2]);
}

double dry_joint_form_value(const dry_joint_def *def, const dry_joint_frames *frames, dry_row_form form,
                            dry_swing_twist *swing)
{
    return coordinate_of(def, frames, form, swing).value;
}

dry_joint_row dry_joint_form_row(const dry_joint_def *def, const dry_joint_frames *frames, dry_row_form form,
                                 dry_swing_twist *swing)
{
    const coordinate of = coordinate_of(def, frames, form, swing);
    dry_joint_row row = {
        .linear = of.linear, .angular_a = of.about, .angular_b = of.about, .error = of.value};
    if (dry_form_moves(form)) { /* both bodies take the force at anchor b */
        row.angular_a = double3_cross(double3_add_scaled(frames->a.arm, 1.0, frames->apart), of.linear);
        row.angular_b = double3_cross(frames->b.arm, of.linear);
    }
    if (DRY_FORMS_MESH >> form & 1) {
        row.angular_a = double3_add_scaled(of.about, 1.0, row.angular_a);
        row.angular_b = double3_add_scaled(of.about, 1.0, row.angular_b);
    }
    if (form >= DRY_FORM_TWIST && form <= DRY_FORM_SWING_Z) {
        row.faded = swing->faded;
        row.fading = double3_add_scaled((dry_double3){0}, -swing->slope, swing->about);
    }
    row.acceleration = acceleration_of(frames, form);
    return row;
}
