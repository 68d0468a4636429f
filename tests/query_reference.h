/* Rays and overlaps by brute force in double precision: the independent answer that queries are held to.
 *
 * A shape can be inflated by a margin. What is hit with +margin and not with -margin is too close to call,
 * and tests leave it out. */
#ifndef TESTS_QUERY_REFERENCE_H
#define TESTS_QUERY_REFERENCE_H

#include "tests/test_world.h"

typedef struct reference_shape {
    dry_shape_type type;
    d3 position; /* of the shape, in the world */
    dry_quat orientation;
    d3 half; /* box */
    double radius, half_length;
    d3 normal; /* half-space, in the shape's frame */
    double offset;
    uint64_t category;
    dry_shape_id shape;
    dry_body_id body;
} reference_shape;

static inline dry_quat quat_times(dry_quat a, dry_quat b)
{
    return (dry_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline reference_shape reference_of(const dry_world *world, dry_shape_id id)
{
    dry_shape_def def;
    reference_shape s = {.shape = id};
    assert_ok(dry_shape_get_def(world, id, &def));
    assert_ok(dry_shape_get_body(world, id, &s.body));
    dry_pose pose = pose_of(world, s.body);
    s.type = def.type;
    s.position = d3_add(d3_at(pose.position), d3_turn(pose.orientation, d3_of(def.pose.position)));
    s.orientation = quat_times(pose.orientation, def.pose.orientation);
    s.half = d3_of(def.half_extents);
    s.radius = def.radius;
    s.half_length = def.half_length;
    s.normal = d3_of(def.normal);
    s.offset = def.offset;
    s.category = def.filter.category;
    return s;
}

/* Signed distance from a point in the shape's frame to its surface. */
static inline double reference_distance(const reference_shape *s, d3 p)
{
    switch (s->type) {
    case DRY_SHAPE_SPHERE:
        return d3_length(p) - s->radius;
    case DRY_SHAPE_CAPSULE:
        p.y -= fmax(-s->half_length, fmin(s->half_length, p.y));
        return d3_length(p) - s->radius;
    case DRY_SHAPE_BOX: {
        d3 q = {fabs(p.x) - s->half.x, fabs(p.y) - s->half.y, fabs(p.z) - s->half.z};
        double inside = fmin(fmax(q.x, fmax(q.y, q.z)), 0);
        return inside + d3_length((d3){fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)});
    }
    default:
        return d3_dot(s->normal, p) - s->offset;
    }
}

/* Sphere tracing with the exact distance of a convex shape inflated by `margin`: the first fraction along
 * the segment where the distance is 0; false if there is none. Tracing stalls at grazing rays only, which
 * margins leave out. */
static inline bool reference_ray(const reference_shape *s, d3 origin, d3 translation, double margin,
                                 double *fraction, d3 *normal)
{
    d3 o = d3_turn_back(s->orientation, d3_sub(origin, s->position));
    d3 d = d3_turn_back(s->orientation, translation);
    double length = d3_length(d), t = 0;
    d3 p = o;
    for (int i = 0; i < 20000 && t <= length; ++i) {
        p = d3_add(o, d3_scale(d, t / length));
        double distance = reference_distance(s, p) - margin;
        if (distance < 1e-9) {
            *fraction = t / length;
            const double e = 1e-6;
            d3 n = {reference_distance(s, (d3){p.x + e, p.y, p.z}) -
                        reference_distance(s, (d3){p.x - e, p.y, p.z}),
                    reference_distance(s, (d3){p.x, p.y + e, p.z}) -
                        reference_distance(s, (d3){p.x, p.y - e, p.z}),
                    reference_distance(s, (d3){p.x, p.y, p.z + e}) -
                        reference_distance(s, (d3){p.x, p.y, p.z - e})};
            *normal = t > 0 ? d3_turn(s->orientation, d3_unit(n)) : d3_scale(translation, -1 / length);
            return true;
        }
        t += distance;
    }
    return false;
}

static inline double component(d3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The largest gap between two boxes over the 15 axes of the separating-axis theorem: negative if and
 * only if they overlap. */
static inline double reference_box_gap(d3 pa, dry_quat qa, d3 ha, d3 pb, dry_quat qb, d3 hb)
{
    d3 axes[15], units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        axes[count++] = d3_turn(qa, units[i]);
        axes[count++] = d3_turn(qb, units[i]);
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            axes[count++] = d3_cross(d3_turn(qa, units[i]), d3_turn(qb, units[k]));
    double gap = -1e30;
    for (int i = 0; i < count; ++i) {
        double length = d3_length(axes[i]);
        if (length < 1e-9)
            continue;
        d3 axis = d3_scale(axes[i], 1 / length), in_a = d3_turn_back(qa, axis), in_b = d3_turn_back(qb, axis);
        double reach = 0;
        for (int k = 0; k < 3; ++k)
            reach +=
                fabs(component(in_a, k)) * component(ha, k) + fabs(component(in_b, k)) * component(hb, k);
        gap = fmax(gap, fabs(d3_dot(axis, d3_sub(pb, pa))) - reach);
    }
    return gap;
}

/* The least distance from a box to the segment from a to b: distance to a convex set is convex along it. */
static inline double reference_box_segment(const reference_shape *box, d3 a, d3 b)
{
    a = d3_turn_back(box->orientation, d3_sub(a, box->position));
    b = d3_turn_back(box->orientation, d3_sub(b, box->position));
    double low = 0, high = 1;
    for (int i = 0; i < 100; ++i) {
        double l = low + (high - low) / 3, h = high - (high - low) / 3;
        if (reference_distance(box, d3_add(a, d3_scale(d3_sub(b, a), l))) <
            reference_distance(box, d3_add(a, d3_scale(d3_sub(b, a), h))))
            high = h;
        else
            low = l;
    }
    return reference_distance(box, d3_add(a, d3_scale(d3_sub(b, a), low)));
}

/* How far the query's volume is from the shape; negative if they overlap. */
static inline double reference_gap(const reference_shape *s, const dry_overlap *query)
{
    d3 center = d3_at(query->pose.position);
    if (query->radius > 0)
        return reference_distance(s, d3_turn_back(s->orientation, d3_sub(center, s->position))) -
               query->radius;
    d3 half = d3_of(query->half_extents);
    if (s->type == DRY_SHAPE_BOX)
        return reference_box_gap(center, query->pose.orientation, half, s->position, s->orientation, s->half);
    if (s->type == DRY_SHAPE_HALFSPACE) {
        d3 n = d3_turn(s->orientation, s->normal), local = d3_turn_back(query->pose.orientation, n);
        double reach = fabs(local.x) * half.x + fabs(local.y) * half.y + fabs(local.z) * half.z;
        return d3_dot(n, d3_sub(center, s->position)) - s->offset - reach;
    }
    reference_shape box = {
        .type = DRY_SHAPE_BOX, .position = center, .orientation = query->pose.orientation, .half = half};
    d3 arm = {0, 0, 0};
    if (s->type == DRY_SHAPE_CAPSULE)
        arm = d3_turn(s->orientation, (d3){0, s->half_length, 0});
    return reference_box_segment(&box, d3_sub(s->position, arm), d3_add(s->position, arm)) - s->radius;
}

#endif
