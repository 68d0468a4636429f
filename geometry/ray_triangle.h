/* A ray against one triangle, in double, in a frame sheared along the ray, where two triangles that share an
 * edge see the very same numbers [Woop, Benthin, Wald 2013]. No ray passes between them: a product rounds to
 * zero or keeps its sign, and zero counts as inside. */
#ifndef GEOMETRY_RAY_TRIANGLE_H
#define GEOMETRY_RAY_TRIANGLE_H

#include "core/double3.h"

#include <stdbool.h>

/* The axes follow each other round the circle; z is that of the longest component. */
typedef struct dry_sheared_ray {
    int x, y, z;
    double shear_x, shear_y, shear_z;
    double from[3];
} dry_sheared_ray;

/* Returns the axis of a vector's largest component. */
static inline int dry_longest_axis(const double v[3])
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(v[k]) > fabs(v[axis]))
            axis = k;
    return axis;
}

/* The translation is not zero. */
static inline dry_sheared_ray dry_sheared_ray_of(const double origin[3], const double translation[3])
{
    dry_sheared_ray s;
    s.z = dry_longest_axis(translation);
    s.x = (s.z + 1) % 3;
    s.y = (s.z + 2) % 3;
    s.shear_z = 1.0 / translation[s.z];
    s.shear_x = translation[s.x] * s.shear_z;
    s.shear_y = translation[s.y] * s.shear_z;
    for (int k = 0; k < 3; k++)
        s.from[k] = origin[k];
    return s;
}

/* Finds where a ray crosses a triangle: the fraction of the translation, not limited to 0 to 1, the weights
 * of the corners, and whether it comes from the side from which the triangle runs clockwise. */
static inline bool dry_ray_crosses(const dry_sheared_ray *s, const dry_double3 corner[3], double *fraction,
                                   double weight[3], bool *back)
{
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        const double *at = &corner[i].x;
        z[i] = at[s->z] - s->from[s->z];
        x[i] = at[s->x] - s->from[s->x] - s->shear_x * z[i];
        y[i] = at[s->y] - s->from[s->y] - s->shear_y * z[i];
    }
    const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0))
        return false;
    const double sum = u + v + w;
    if (sum == 0.0)
        return false;
    const double share = 1.0 / sum;
    *fraction = (u * z[0] + v * z[1] + w * z[2]) * s->shear_z * share;
    *back = (sum < 0.0) == (s->shear_z > 0.0);
    weight[0] = u * share;
    weight[1] = v * share;
    weight[2] = w * share;
    return true;
}

#endif
