/* Inertia tensors: symmetric 3x3 matrices in double, kg m^2. Sums of many shapes and the rotation to
 * principal axes lose too many digits in float. */
#ifndef CORE_INERTIA_H
#define CORE_INERTIA_H

#include "core/double3.h"
#include "core/shared.h"

#include <stdbool.h>

typedef struct dry_inertia {
    double m[3][3];
} dry_inertia;

dry_inertia dry_inertia_from_float(const float m[3][3]);

/* Writes an exactly symmetric matrix, taken from the upper triangle. */
void dry_inertia_to_float(const dry_inertia *inertia, float m[3][3]);

/* Adds R diag(moments) R^T: principal moments, kg m^2, whose axes have orientation q. */
void dry_inertia_add_rotated(dry_inertia *inertia, dry_quat q, const double moments[3]);

/* Adds the inertia of a point mass, kg, at r, m: the parallel axis theorem [CSE169]. */
void dry_inertia_add_point_mass(dry_inertia *inertia, double mass, const double r[3]);

/* Computes the columns of the inverse with Cramer's rule. False if the tensor is singular. */
DRY_SHARED bool dry_inertia_invert(const dry_inertia *inertia, dry_double3 inverse[3]);

/* Makes a tensor diagonal; the columns of `axes` become its principal axes. */
void dry_inertia_diagonalize(dry_inertia *inertia, double axes[3][3]);

/* Returns the quaternion of the rotation matrix with columns v. */
dry_quat dry_quat_from_axes(double v[3][3]);

/* Returns the orientation of the principal axes and writes the moments about them. A diagonal tensor keeps
 * the axes that it has, so that a box's principal frame is the user's frame. */
dry_quat dry_inertia_principal_axes(const dry_inertia *inertia, double moments[3]);

/* Returns the reason why a matrix is no inertia tensor, or null if it is one. */
const char *dry_inertia_error(const float m[3][3]);

#endif
