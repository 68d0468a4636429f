/* The rows of joints in double, by their forms: row_form.h. */
#define DRY_LANES 1
#define DRY_LANE_DOUBLE
#include "solver/constraint/joints/form.h"

#include "solver/constraint/joints/form_rows.h"

static DRY_ALWAYS_INLINE form_row coordinate_of(const dry_joint_def *def, const dry_joint_frames *frames,
                                                dry_row_form form, dry_swing_twist *swing)
{
    form_row row;
    float given[2] = {0.0f, 0.0f};
    if ((DRY_FORMS_SWING >> form & 1) && !swing->known)
        *swing = dry_swing_twist_of(frames);
    if (DRY_FORMS_MESH >> form & 1)
        dry_joint_find_mesh(def, given);
    const double mesh[2] = {(double)given[0], (double)given[1]};
    const form_frames f = {frames->a.axis, frames->b.axis, &frames->apart, mesh, swing->angle, swing->row};
    form_between(&f, form, &row);
    return row;
}

/* Returns a coordinate's second derivative, of bodies that move on freely; 0 for angles and distances. */
static double acceleration_of(const dry_joint_frames *frames, dry_row_form form)
{
    dry_double3 u[3], w[3] = {frames->apart, frames->velocity, frames->acceleration};
    if (form >= DRY_FORM_WORLD_X && form <= DRY_FORM_WORLD_Z)
        return double3_get(frames->acceleration, (int)(form - DRY_FORM_WORLD_X));
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
    const form_row of = coordinate_of(def, frames, form, swing);
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
        row.fading = double3_add_scaled((dry_double3){0}, -swing->slope, swing->row[3]);
    }
    row.acceleration = acceleration_of(frames, form);
    return row;
}
