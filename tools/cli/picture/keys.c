/* Computes keys of the depth buffer (keys.h). Reads views and solids. Next: raster.c, which fills pixels. */
#include "tools/cli/picture/keys.h"

/* Adds the plane normal . p = offset to a solid that lies where normal . p < offset. */
static void add_plane(const raster_view *view, convex *hull, vec normal, double offset)
{
    bool front;
    key_plane plane;
    if (view->perspective) { /* 1/t = normal . direction / (offset - normal . eye) */
        double gap = offset - vec_dot(normal, view->origin);
        front = gap < 0.0;
        gap = fabs(gap) < 1e-9 ? (front ? -1e-9 : 1e-9) : gap;
        plane = (key_plane){vec_dot(normal, view->direction) / gap, vec_dot(normal, view->dx) / gap,
                            vec_dot(normal, view->dy) / gap};
    } else { /* -t = (normal . origin - offset) / (normal . direction) */
        double slope = vec_dot(normal, view->direction);
        front = slope < 0.0;
        slope = fabs(slope) < 1e-6 ? (front ? -1e-6 : 1e-6) : slope;
        plane = (key_plane){(vec_dot(normal, view->origin) - offset) / slope,
                            vec_dot(normal, view->dx) / slope, vec_dot(normal, view->dy) / slope};
    }
    if (front) {
        hull->front[hull->front_count++] = plane;
    } else {
        hull->back[hull->back_count++] = plane;
    }
}

static void add_hull_planes(const raster_view *view, const solid *s, convex *hull)
{
    for (int i = 0; i < s->polytope->plane_count; i++) {
        const double *plane = s->polytope->planes[i];
        vec normal = vec_make(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; k++) {
            normal = vec_along(normal, plane[k] / s->scale[k], s->axis[k]);
        }
        const double length = vec_length(normal);
        normal = vec_scale(normal, 1.0 / length);
        add_plane(view, hull, normal, plane[3] / length + vec_dot(normal, s->origin));
    }
}

vec raster_hull_point(const solid *s, vec point)
{
    vec from = vec_sub(point, s->origin);
    return vec_make(vec_dot(from, s->axis[0]) / s->scale[0], vec_dot(from, s->axis[1]) / s->scale[1],
                    vec_dot(from, s->axis[2]) / s->scale[2]);
}

/* The sides lie a thousandth outside, so that no light falls between neighbors. */
static void add_triangle_planes(const raster_view *view, const solid *s, convex *hull)
{
    const vec up = s->axis[1];
    const double top = vec_dot(up, s->corner[0]), size = 2.0 * (s->half[0] + s->half[2]);
    add_plane(view, hull, up, top);
    add_plane(view, hull, vec_scale(up, -1.0), 2.0 * s->half[1] - top);
    for (int i = 0; i < 3; i++) {
        const vec out = vec_unit(vec_cross(vec_sub(s->corner[(i + 1) % 3], s->corner[i]), up));
        add_plane(view, hull, out, vec_dot(out, s->corner[i]) + 1e-3 * size);
    }
}

void raster_make_convex(const raster_view *view, const solid *s, convex *hull)
{
    hull->front_count = hull->back_count = 0;
    if (s->kind == SOLID_HALFSPACE) {
        add_plane(view, hull, s->axis[1], vec_dot(s->axis[1], s->center));
        return;
    }
    if (s->kind == SOLID_HULL) {
        add_hull_planes(view, s, hull);
        return;
    }
    if (s->kind == SOLID_TRIANGLE) {
        add_triangle_planes(view, s, hull);
        return;
    }
    for (int i = 0; i < 3; i++) {
        double middle = vec_dot(s->axis[i], s->center);
        add_plane(view, hull, s->axis[i], middle + s->half[i]);
        add_plane(view, hull, vec_scale(s->axis[i], -1.0), s->half[i] - middle);
    }
}

bool raster_is_curved(const solid *s)
{
    return s->kind == SOLID_SPHERE || s->kind == SOLID_CAPSULE || s->kind == SOLID_CYLINDER;
}

/* Computes the first t at which the line origin + t direction meets a cylinder: it must be between the planes
 * of the ends and within the round side at once. */
static bool cylinder_distance(const solid *s, vec origin, vec direction, double *t)
{
    vec from = vec_sub(origin, s->center);
    double along = vec_dot(direction, s->axis[1]), height = vec_dot(from, s->axis[1]);
    double a = vec_dot(direction, direction), qa = a - along * along;
    double qb = vec_dot(direction, from) - along * height;
    double qc = vec_dot(from, from) - height * height - s->half[0] * s->half[0];
    double enter = -1e300, leave = 1e300;
    if (qa > 1e-12 * a) {
        double discriminant = qb * qb - qa * qc;
        if (discriminant < 0.0) {
            return false;
        }
        enter = (-qb - sqrt(discriminant)) / qa;
        leave = (-qb + sqrt(discriminant)) / qa;
    } else if (qc > 0.0) {
        return false;
    }
    if (along * along > 1e-24 * a) {
        double low = (-s->half[1] - height) / along, high = (s->half[1] - height) / along;
        enter = fmax(enter, fmin(low, high));
        leave = fmin(leave, fmax(low, high));
    } else if (fabs(height) > s->half[1]) {
        return false;
    }
    *t = enter;
    return enter <= leave;
}

/* Computes the first t at which the line origin + t direction meets a sphere, a capsule or a cylinder. */
static bool curved_distance(const solid *s, vec origin, vec direction, double *t)
{
    double radius2 = s->half[0] * s->half[0];
    if (s->kind == SOLID_CYLINDER) {
        return cylinder_distance(s, origin, direction, t);
    }
    vec from = vec_sub(origin, s->center);
    double a = vec_dot(direction, direction);
    bool capsule = s->kind == SOLID_CAPSULE;
    if (capsule) { /* the cylinder between the ends: the same equation without the component along the axis */
        double along = vec_dot(direction, s->axis[1]), height = vec_dot(from, s->axis[1]);
        double qa = a - along * along, qb = vec_dot(direction, from) - along * height;
        double qc = vec_dot(from, from) - height * height - radius2;
        double discriminant = qb * qb - qa * qc;
        if (qa > 1e-12 * a) {
            if (discriminant < 0.0) {
                return false;
            }
            *t = (-qb - sqrt(discriminant)) / qa;
            if (fabs(height + *t * along) <= s->half[1]) {
                return true;
            }
        }
    }
    bool met = false;
    for (int end = 0; end < (capsule ? 2 : 1); end++) {
        vec q = capsule ? vec_along(from, end == 0 ? s->half[1] : -s->half[1], s->axis[1]) : from;
        double b = vec_dot(direction, q), discriminant = b * b - a * (vec_dot(q, q) - radius2);
        if (discriminant >= 0.0) {
            double at = (-b - sqrt(discriminant)) / a;
            *t = met && *t < at ? *t : at;
            met = true;
        }
    }
    return met;
}

bool raster_curved_key(const raster_view *view, const solid *s, double x, double y, double *key)
{
    double t;
    if (view->perspective) {
        bool met = curved_distance(s, view->origin, raster_ray(view, x, y), &t) && t > 0.0;
        *key = met ? 1.0 / t : 0.0;
        return met;
    }
    vec origin = vec_along(vec_along(view->origin, x, view->dx), y, view->dy);
    bool met = curved_distance(s, origin, view->direction, &t);
    *key = met ? -t : 0.0;
    return met;
}

static bool convex_key(const raster_view *view, const convex *hull, double x, double y, double *key)
{
    double nearest = 1e300, farthest = -1e300;
    for (int i = 0; i < hull->front_count; i++) {
        nearest = fmin(nearest, hull->front[i].a + hull->front[i].b * x + hull->front[i].c * y);
    }
    for (int i = 0; i < hull->back_count; i++) {
        farthest = fmax(farthest, hull->back[i].a + hull->back[i].b * x + hull->back[i].c * y);
    }
    *key = nearest;
    return hull->front_count > 0 && nearest >= farthest && (!view->perspective || nearest > 0.0);
}

bool raster_solid_key(const raster_view *view, const solid *s, double x, double y, double *key)
{
    convex hull;
    if (raster_is_curved(s)) {
        return raster_curved_key(view, s, x, y, key);
    }
    raster_make_convex(view, s, &hull);
    return convex_key(view, &hull, x, y, key);
}
