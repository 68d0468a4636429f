/* The rows of forms (row_form.h). Compiled once for each level in lanes, and
 * for one lane in double. Included by form.c and form_lanes.h alone. */
#ifndef SOLVER_CONSTRAINT_JOINTS_FORM_ROWS_H
#define SOLVER_CONSTRAINT_JOINTS_FORM_ROWS_H

#include "simd/lane_angle.h"
#include "simd/lane_vectors.h"
#include "solver/data/joints/row_form.h"

/* A coordinate, with the force and the torque of its row. */
typedef struct form_row {
    lane_vec3 linear, about;
    lane value;
    lane acceleration; /* of bodies that move on freely; form_between leaves it 0 */
} form_row;

/* The parts of a joint's frames that forms need. */
typedef struct form_frames {
    const lane_vec3 *a, *b; /* the axes of both, in the world */
    const lane_vec3 *apart; /* anchor b - anchor a, m */
    /* Only where a form needs them: dry_joint_find_mesh; the angles of swing_twist.h, and their directions.
     */
    const lane *mesh, *swing;
    const lane_vec3 *swing_row;
} form_frames;

/* Returns the angle of the vector (x, y). Not inlined: many forms call it. */
static DRY_NOINLINE lane form_angle(lane y, lane x)
{
    return lane_angle_of(y, x);
}

/* Fills a row that only turns the bodies. */
LANE_INLINE void form_turning(lane_vec3 about, lane value, form_row *row)
{
    *row = (form_row){lane_vec3_zero(), about, value, lane_zero()};
}

/* Fills a row without a torque. */
LANE_INLINE void form_moving(lane_vec3 linear, lane value, form_row *row)
{
    *row = (form_row){linear, lane_vec3_zero(), value, lane_zero()};
}

/* Fills the row that turns the bodies about an axis by the angle of a vector (x, y). */
LANE_INLINE void form_about(lane_vec3 axis, lane y, lane x, form_row *row)
{
    form_turning(axis, form_angle(y, x), row);
}

/* Returns an axis of the world. */
LANE_INLINE lane_vec3 form_world_axis(int i)
{
    return lane_vec3_set(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f);
}

/* Fills the row of the distance between the anchors; where there is none, any direction will do. */
LANE_INLINE void form_distance(lane_vec3 apart, form_row *row)
{
    const lane length = lane_sqrt(lane_vec3_dot(apart, apart));
    const lane_mask some = lane_less(lane_zero(), length);
    const lane inverse = lane_div(lane_set(1.0f), lane_select(some, length, lane_set(1.0f)));
    form_moving(lane_vec3_select(some, lane_vec3_scale(apart, inverse), lane_vec3_set(0.0f, 1.0f, 0.0f)),
                length, row);
}

/* Fills the row of two wheels. With d from center to center and t across it, the wheels meet at a + r_a d,
 * r_a = |d| teeth_a / (teeth_a + teeth_b), and b's part of |d| is r_b. There
 *     q' = r_a x . w_a + r_b x . w_b - t . (v_b - v_a) = 0
 * is that no tooth slips: q = r_a p_a + r_b p_b, with angles from d, which turns by t . (v_b - v_a) / |d|. */
LANE_INLINE void form_gear(const form_frames *f, form_row *row)
{
    const lane_vec3 x = f->a[0], a = f->a[1], b = f->b[1];
    const lane_vec3 across = lane_vec3_sub_scaled(*f->apart, lane_vec3_dot(*f->apart, x), x);
    const lane length = lane_sqrt(lane_vec3_dot(across, across)), zero = lane_zero();
    const lane_mask some = lane_less(zero, length);
    const lane inverse =
        lane_select(some, lane_div(lane_set(1.0f), lane_select(some, length, lane_set(1.0f))), zero);
    const lane_vec3 d = lane_vec3_scale(across, inverse), t = lane_vec3_cross(x, d);
    /* Without teeth, in lanes of other forms, the sum is 0. */
    const lane sum = lane_add(f->mesh[0], f->mesh[1]);
    const lane_mask meshes = lane_mask_or(lane_less(sum, zero), lane_less(zero, sum));
    const lane part = lane_select(meshes, lane_div(length, lane_select(meshes, sum, lane_set(1.0f))), zero);
    const lane p_a = form_angle(lane_vec3_dot(a, t), lane_vec3_dot(a, d));
    const lane p_b = form_angle(lane_negate(lane_vec3_dot(b, t)), lane_negate(lane_vec3_dot(b, d)));
    const lane phase = lane_angle_near(lane_add_mul(lane_mul(f->mesh[1], p_b), f->mesh[0], p_a), zero);
    *row = (form_row){lane_vec3_negate(t), lane_vec3_scale(x, lane_mul(part, f->mesh[1])),
                      lane_mul(part, phase), zero};
}

/* Fills the row of a pinion and a rack, whose y is t:
 *     q' = r x . (w_a - w_b) - (t . apart)' = 0, q = r p - s. */
LANE_INLINE void form_rack(const form_frames *f, form_row *row)
{
    const lane_vec3 x = f->a[0], a = f->a[1], t = f->b[1];
    const lane radius = f->mesh[0], zero = lane_zero();
    const lane_mask some = lane_mask_or(lane_less(radius, zero), lane_less(zero, radius));
    const lane p = form_angle(lane_vec3_dot(a, lane_vec3_cross(x, t)), lane_vec3_dot(a, t));
    const lane way = lane_div(lane_vec3_dot(*f->apart, t), lane_select(some, radius, lane_set(1.0f)));
    const lane phase = lane_angle_near(lane_sub(p, way), zero);
    *row = (form_row){lane_vec3_negate(t), lane_vec3_sub_scaled(lane_vec3_cross(*f->apart, t), radius, x),
                      lane_mul(radius, phase), zero};
}

/* Fills the row of one form. Inlined, so that values do without directions. */
static DRY_ALWAYS_INLINE void form_between(const form_frames *f, dry_row_form form, form_row *row)
{
    const lane_vec3 *a = f->a, *b = f->b;
    int i = 0, k = 0;
    switch (form) {
    case DRY_FORM_ALONG_X:
    case DRY_FORM_ALONG_Y:
    case DRY_FORM_ALONG_Z:
        i = (int)form - DRY_FORM_ALONG_X;
        form_moving(a[i], lane_vec3_dot(a[i], *f->apart), row);
        return;
    case DRY_FORM_ACROSS_XZ:
    case DRY_FORM_ACROSS_YX:
    case DRY_FORM_ACROSS_YZ:
    case DRY_FORM_ACROSS_ZX:
    case DRY_FORM_ACROSS_ZY:
        i = dry_form_across[form - DRY_FORM_ACROSS_XZ][0];
        k = dry_form_across[form - DRY_FORM_ACROSS_XZ][1];
        form_turning(lane_vec3_cross(b[k], a[i]), lane_vec3_dot(a[i], b[k]), row);
        return;
    case DRY_FORM_HINGE:
        form_about(a[0], lane_vec3_dot(a[2], b[1]), lane_vec3_dot(a[1], b[1]), row);
        return;
    case DRY_FORM_UNIVERSAL_Y:
        form_about(a[1], lane_vec3_dot(a[0], b[2]), lane_vec3_dot(a[2], b[2]), row);
        return;
    case DRY_FORM_UNIVERSAL_Z:
        form_about(b[2], lane_vec3_dot(a[1], b[0]), lane_vec3_dot(a[1], b[1]), row);
        return;
    case DRY_FORM_WHEEL_X:
        form_about(b[0], lane_negate(lane_vec3_dot(a[1], b[2])), lane_vec3_dot(a[1], b[1]), row);
        return;
    case DRY_FORM_WHEEL_Y:
        form_about(a[1], lane_negate(lane_vec3_dot(a[2], b[0])), lane_vec3_dot(a[0], b[0]), row);
        return;
    case DRY_FORM_WORLD_X:
    case DRY_FORM_WORLD_Y:
    case DRY_FORM_WORLD_Z:
        i = (int)form - DRY_FORM_WORLD_X;
        form_moving(form_world_axis(i), i == 0 ? f->apart->x : i == 1 ? f->apart->y : f->apart->z, row);
        return;
    case DRY_FORM_ABOUT_X:
    case DRY_FORM_ABOUT_Y:
    case DRY_FORM_ABOUT_Z:
        form_turning(form_world_axis((int)form - DRY_FORM_ABOUT_X), lane_zero(), row);
        return;
    case DRY_FORM_LINE:
        form_distance(*f->apart, row);
        return;
    case DRY_FORM_GEAR:
        form_gear(f, row);
        return;
    case DRY_FORM_RACK:
        form_rack(f, row);
        return;
    case DRY_FORM_TWIST:
    case DRY_FORM_SWING_Y:
    case DRY_FORM_SWING_Z:
    case DRY_FORM_CONE:
        i = (int)form - DRY_FORM_TWIST;
        form_turning(f->swing_row[i], f->swing[i], row);
        return;
    case DRY_FORM_NONE:
    case DRY_FORM_COUNT:
        break;
    }
    form_turning(lane_vec3_zero(), lane_zero(), row);
}

#endif
