/* Computes in double precision how deep two shapes overlap.
 *
 * Two convex shapes overlap by the distance from the origin to the surface of their Minkowski difference. For
 * boxes, segments and points that difference is a zonotope. Two edge directions span each of its faces, so
 * the smallest overlap along all cross products of edge directions is exact (the separating-axis test). A
 * radius adds to the overlap, and to the exact distance if the cores are apart. Cylinders and hulls go to
 * convex.c, triangles to triangles.c. Reads two dry_solid. */
#include "tools/scenes/double3.h"
#include "tools/scenes/measure/parts.h"

#include <float.h>
#include <math.h>

/* Returns half the width of the core, which excludes the radius, along a direction. */
static double reach(const dry_solid *s, const double *direction)
{
    return s->half[0] * fabs(d3_dot(s->axis[0], direction)) +
           s->half[1] * fabs(d3_dot(s->axis[1], direction)) +
           s->half[2] * fabs(d3_dot(s->axis[2], direction));
}

/* Returns the smallest overlap of the cores over all directions of the test; negative if a direction
 * separates them. */
static double core_overlap(const dry_solid *a, const dry_solid *b)
{
    double apart[3], least = DBL_MAX;
    for (int k = 0; k < 3; k++)
        apart[k] = b->center[k] - a->center[k];
    for (int i = 0; i < 15; i++) {
        double direction[3];
        const double *along = i < 3 ? a->axis[i] : b->axis[i < 6 ? i - 3 : 0];
        if (i < 6) {
            direction[0] = along[0], direction[1] = along[1], direction[2] = along[2];
        } else {
            d3_cross(a->axis[(i - 6) / 3], b->axis[(i - 6) % 3], direction);
            double length = sqrt(d3_dot(direction, direction));
            /* Parallel edges span no face. */
            if (length < 1e-6)
                continue;
            for (int k = 0; k < 3; k++)
                direction[k] /= length;
        }
        double overlap = reach(a, direction) + reach(b, direction) - fabs(d3_dot(apart, direction));
        least = overlap < least ? overlap : least;
    }
    return least;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Computes the vector from a point to the nearest point of a box, in the box's frame, and returns the
 * distance. */
static double point_to_box(const double *point, const double *half, double *to_nearest)
{
    for (int k = 0; k < 3; k++)
        to_nearest[k] = clamp(point[k], -half[k], half[k]) - point[k];
    return sqrt(d3_dot(to_nearest, to_nearest));
}

static void into_frame(const dry_solid *box, const double *point, double *local)
{
    double offset[3] = {point[0] - box->center[0], point[1] - box->center[1], point[2] - box->center[2]};
    for (int k = 0; k < 3; k++)
        local[k] = d3_dot(offset, box->axis[k]);
}

static double sphere_box(const dry_solid *sphere, const dry_solid *box)
{
    double local[3], to_nearest[3], inside = DBL_MAX;
    into_frame(box, sphere->center, local);
    double distance = point_to_box(local, box->half, to_nearest);
    for (int k = 0; k < 3; k++)
        inside = fmin(inside, box->half[k] - fabs(local[k]));
    return sphere->radius + (inside >= 0.0 ? inside : -distance);
}

/* Returns the distance from a segment to a box. The distance is a convex function of the position along the
 * segment. Its slope, -to_nearest . segment, only rises, so bisection finds its zero. */
static double segment_to_box(const dry_solid *segment, const dry_solid *box)
{
    double center[3], direction[3], low = -segment->half[1], high = segment->half[1], distance = 0.0;
    into_frame(box, segment->center, center);
    for (int k = 0; k < 3; k++)
        direction[k] = d3_dot(segment->axis[1], box->axis[k]);
    for (int i = 0; i < 80; i++) {
        double t = 0.5 * (low + high), point[3], to_nearest[3];
        for (int k = 0; k < 3; k++)
            point[k] = center[k] + t * direction[k];
        distance = point_to_box(point, box->half, to_nearest);
        if (distance == 0.0)
            break;
        if (d3_dot(to_nearest, direction) > 0.0)
            low = t;
        else
            high = t;
    }
    return distance;
}

static double capsule_box(const dry_solid *capsule, const dry_solid *box)
{
    /* The capsule's half[0] and half[2] are 0, so the 15 directions of the test of two boxes include those of
     * a segment and a box. The other directions only overestimate the overlap. */
    double inside = core_overlap(capsule, box);
    double distance = segment_to_box(capsule, box);
    return capsule->radius + (distance > 0.0 ? -distance : fmax(inside, 0.0));
}

/* Returns the distance of two segments (Ericson, Real-Time Collision Detection, 5.1.9). A sphere's core is a
 * segment of length 0. */
static double segment_to_segment(const dry_solid *a, const dry_solid *b)
{
    const double *u = a->axis[1], *v = b->axis[1];
    double from_b[3], s = 0.0;
    for (int k = 0; k < 3; k++)
        from_b[k] = a->center[k] - b->center[k];
    double uv = d3_dot(u, v), c = d3_dot(u, from_b), f = d3_dot(v, from_b), denominator = 1.0 - uv * uv;
    if (denominator > 1e-14)
        s = (uv * f - c) / denominator;
    s = clamp(s, -a->half[1], a->half[1]);
    double t = clamp(uv * s + f, -b->half[1], b->half[1]);
    s = clamp(uv * t - c, -a->half[1], a->half[1]);
    double apart[3];
    for (int k = 0; k < 3; k++)
        apart[k] = from_b[k] + s * u[k] - t * v[k];
    return sqrt(d3_dot(apart, apart));
}

static double depth_in_halfspace(const dry_solid *s, const dry_solid *halfspace)
{
    const double *n = halfspace->axis[1], down[3] = {-n[0], -n[1], -n[2]};
    double lowest[3];
    dry_solid_support(s, down, lowest);
    return halfspace->offset - d3_dot(n, s->center) - d3_dot(n, lowest);
}

double dry_solid_overlap(const dry_solid *a, const dry_solid *b)
{
    /* After ordering the types (sphere, capsule, box, half-space, others) each pair is one case. */
    if (a->type > b->type) {
        const dry_solid *swap = a;
        a = b;
        b = swap;
    }
    if (b->type > DRY_SHAPE_HALFSPACE) {
        if (a->type == DRY_SHAPE_HALFSPACE)
            return depth_in_halfspace(b, a);
        if (b->type == DRY_SHAPE_MESH)
            return dry_triangle_overlap(a, b);
        return a->radius + b->radius + dry_convex_overlap(a, b);
    }
    if (b->type == DRY_SHAPE_HALFSPACE)
        return b->offset - d3_dot(b->axis[1], a->center) + reach(a, b->axis[1]) + a->radius;
    if (b->type != DRY_SHAPE_BOX)
        return a->radius + b->radius - segment_to_segment(a, b);
    if (a->type == DRY_SHAPE_BOX)
        return core_overlap(a, b);
    return a->type == DRY_SHAPE_CAPSULE ? capsule_box(a, b) : sphere_box(a, b);
}
