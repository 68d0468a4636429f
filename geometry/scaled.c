/* Boxes, rays and normals of a form that a scale stretches. */
#include "geometry/scaled.h"

/* Returns the corner of a box with a scale that lies farthest from the origin, in absolute components, m. */
static dry_vec3 far_corner(const dry_box *box, dry_vec3 scale)
{
    const dry_vec3 low = vec3(box->min[0], box->min[1], box->min[2]),
                   high = vec3(box->max[0], box->max[1], box->max[2]);
    return vec3_mul(vec3_abs(scale), vec3_max(vec3_abs(low), vec3_abs(high)));
}

float dry_scaled_box_radius(const dry_box *box, dry_vec3 scale)
{
    return vec3_length(far_corner(box, scale)) * (1.0f + 1e-6f);
}

/* Returns room for the errors of a rotation, of products and of sums, m. */
static float room_for_errors(const dry_box *box, dry_vec3 scale)
{
    const dry_vec3 far = far_corner(box, scale);
    return 2.0f * DRY_ROTATION_ERROR * (far.x + far.y + far.z);
}

dry_extents dry_scaled_box_bounds(const dry_box *box, dry_vec3 scale, dry_quat q)
{
    const dry_vec3 low = vec3_mul(scale, vec3(box->min[0], box->min[1], box->min[2])),
                   high = vec3_mul(scale, vec3(box->max[0], box->max[1], box->max[2]));
    const dry_vec3 center = vec3_scale(vec3_add(low, high), 0.5f),
                   half = vec3_abs(vec3_scale(vec3_sub(high, low), 0.5f));
    const dry_mat3 axes = mat3_from_quat(q);
    const dry_mat3 absolute = {vec3_abs(axes.x), vec3_abs(axes.y), vec3_abs(axes.z)};
    const dry_vec3 at = mat3_mul(&axes, center);
    const float pad = room_for_errors(box, scale);
    const dry_vec3 room = vec3_add(mat3_mul(&absolute, half), vec3(pad, pad, pad));
    return (dry_extents){vec3_sub(at, room), vec3_add(at, room)};
}

dry_extents dry_scaled_bounds(const void *form, dry_reach *reach, const dry_box *box, dry_vec3 scale,
                              dry_quat q)
{
    dry_extents bounds = dry_scaled_box_bounds(box, scale, q);
    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f)
        return bounds;
    const dry_mat3 axes = mat3_from_quat(q);
    const double pad = (double)room_for_errors(box, scale);
    float *low = &bounds.low.x, *high = &bounds.high.x;
    for (int k = 0; k < 3; k++) {
        const dry_vec3 way =
            vec3_mul(scale, vec3(vec3_get(axes.x, k), vec3_get(axes.y, k), vec3_get(axes.z, k)));
        const double up[3] = {(double)way.x, (double)way.y, (double)way.z},
                     down[3] = {-up[0], -up[1], -up[2]};
        const double slack = ((double)high[k] - (double)low[k]) / 64.0;
        high[k] = dry_min(high[k], (float)(reach(form, up, slack) + pad));
        low[k] = dry_max(low[k], (float)(-reach(form, down, slack) - pad));
    }
    return bounds;
}

dry_box dry_unscaled_box(dry_vec3 scale, dry_extents box)
{
    dry_box out;
    for (int k = 0; k < 3; k++) {
        const float s = vec3_get(scale, k), p = vec3_get(box.low, k) / s, q = vec3_get(box.high, k) / s;
        const float low = dry_min(p, q), high = dry_max(p, q);
        out.min[k] = low - FLT_EPSILON * dry_abs(low);
        out.max[k] = high + FLT_EPSILON * dry_abs(high);
    }
    return out;
}

dry_mesh_ray dry_unscaled_ray(dry_vec3 scale, const dry_local_ray *ray, int sides)
{
    dry_mesh_ray seen = {.sides = sides};
    const double way[3] = {ray->d[0] * ray->length, ray->d[1] * ray->length, ray->d[2] * ray->length};
    dry_unscaled_point(scale, ray->o, seen.origin);
    dry_unscaled_point(scale, way, seen.translation);
    return seen;
}

/* A normal is a covector: the scale divides it. */
dry_vec3 dry_scaled_normal(dry_vec3 scale, double corner[3][3], bool back)
{
    double p[3], q[3], cross[3], normal[3];
    const double side = back ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++) {
        p[k] = corner[1][k] - corner[0][k];
        q[k] = corner[2][k] - corner[0][k];
    }
    array3_cross(p, q, cross);
    dry_unscaled_point(scale, cross, normal);
    return dry_unit_normal(side * normal[0], side * normal[1], side * normal[2]);
}
