/* The forms of joints' rows: which coordinate a row is the gradient of. A type says in its file which rows it
 * has; form_rows.h has them, in double for form.c and in lanes for
 * form_lanes.h.
 *
 * A row is a force along `linear` at anchor b, and a torque along `about`: with the lever arms r of both
 * bodies to anchor b,
 *     q' = linear . (v_b - v_a) + (r_b x linear + about) . w_b - (r_a x linear + about) . w_a
 * Both bodies take the force at one point, so that no row makes angular momentum. */
#ifndef SOLVER_DATA_JOINTS_ROW_FORM_H
#define SOLVER_DATA_JOINTS_ROW_FORM_H

#include <stdbool.h>

typedef enum dry_row_form {
    DRY_FORM_NONE,    /* no row */
    DRY_FORM_ALONG_X, /* anchor b - anchor a along x of frame a, m */
    DRY_FORM_ALONG_Y,
    DRY_FORM_ALONG_Z,
    DRY_FORM_ACROSS_XZ, /* the product of x of frame a and z of frame b: the sine of their angle's rest */
    DRY_FORM_ACROSS_YX,
    DRY_FORM_ACROSS_YZ,
    DRY_FORM_ACROSS_ZX,
    DRY_FORM_ACROSS_ZY,
    DRY_FORM_HINGE,       /* the angle about x of frame a, where both x axes are parallel, rad */
    DRY_FORM_UNIVERSAL_Y, /* the angles of a universal joint */
    DRY_FORM_UNIVERSAL_Z,
    DRY_FORM_WHEEL_X, /* of a wheel: its spin, and its steering */
    DRY_FORM_WHEEL_Y,
    DRY_FORM_TWIST, /* of swing_twist.h: RX, RY, RZ and the angle of the swing */
    DRY_FORM_SWING_Y,
    DRY_FORM_SWING_Z,
    DRY_FORM_CONE,
    DRY_FORM_WORLD_X, /* anchor b - anchor a along x of the world, m */
    DRY_FORM_WORLD_Y,
    DRY_FORM_WORLD_Z,
    DRY_FORM_ABOUT_X, /* rotation about x of the world, of which the speed counts alone */
    DRY_FORM_ABOUT_Y,
    DRY_FORM_ABOUT_Z,
    DRY_FORM_LINE, /* the distance between the anchors, m */
    DRY_FORM_GEAR, /* how far teeth are from where they mesh, m: of two wheels, of a pinion and a rack */
    DRY_FORM_RACK,
    DRY_FORM_COUNT
} dry_row_form;

/* Tells whether rows of a form part the anchors: a force acts along them. */
static inline bool dry_form_moves(dry_row_form form)
{
    return (form >= DRY_FORM_ALONG_X && form <= DRY_FORM_ALONG_Z) ||
           (form >= DRY_FORM_WORLD_X && form <= DRY_FORM_WORLD_Z) ||
           (form >= DRY_FORM_LINE && form <= DRY_FORM_RACK);
}

/* The axes of frame a and frame b whose product an ACROSS form is. */
static const unsigned char dry_form_across[][2] = {{0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};

/* The forms that need the numbers of teeth, or the radius. */
#define DRY_FORMS_MESH (1u << DRY_FORM_GEAR | 1u << DRY_FORM_RACK)

/* The forms that need the swing and the twist of the frames. */
#define DRY_FORMS_SWING                                                                                      \
    (1u << DRY_FORM_TWIST | 1u << DRY_FORM_SWING_Y | 1u << DRY_FORM_SWING_Z | 1u << DRY_FORM_CONE)

#endif
