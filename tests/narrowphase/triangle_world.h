/* Triangles of a shape where they lie in a world, and rays and overlaps by brute force in double. Answers
 * that rounding may decide either way are left open. */
#ifndef TESTS_NARROWPHASE_TRIANGLE_WORLD_H
#define TESTS_NARROWPHASE_TRIANGLE_WORLD_H

#include "tests/query_reference.h"
#include "tests/triangle_oracles.h"

typedef struct triangle_world {
    triangle3 *at; /* counterclockwise on their fronts */
    int count;
    bool two_sided;
} triangle_world;

/* Returns a triangle of a shape's form as scale, pose and mirror leave it. */
static inline triangle3 triangle_placed(triangle3 t, dry_vec3 scale, const dry_transform *local,
                                        const dry_pose *pose)
{
    triangle3 out;
    const bool mirrored = scale.x * scale.y * scale.z < 0.0f;
    for (int i = 0; i < 3; i++) {
        const d3 v = t.at[mirrored ? 2 - i : i];
        const d3 scaled = {v.x * (double)scale.x, v.y * (double)scale.y, v.z * (double)scale.z};
        const d3 in_body = d3_add(d3_turn(local->orientation, scaled), d3_of(local->position));
        out.at[i] = d3_add(d3_turn(pose->orientation, in_body), d3_at(pose->position));
    }
    return out;
}

static inline dry_vec3 random_scale(uint64_t *seed)
{
    d3 scale = random_d3_in(seed, 0.5, 2.0);
    scale.x *= random_below(seed, 2) ? 1 : -1;
    scale.y *= random_below(seed, 2) ? 1 : -1;
    scale.z *= random_below(seed, 2) ? 1 : -1;
    return v3_of(scale);
}

/* Saves shape data and loads the bytes, whole and unaligned, cut, and with a bit turned over. */
static inline void check_saved(const dry_shape_data *data, uint64_t *seed)
{
    dry_shape_data *back = NULL;
    size_t size, again;
    assert_ok(dry_shape_data_save(data, NULL, 0, &size));
    unsigned char *bytes = malloc(2 * size + 1), *copy = bytes + size;
    assert_non_null(bytes);
    assert_ok(dry_shape_data_save(data, bytes, size, &again));
    memcpy(copy + 1, bytes, size);
    assert_ok(dry_shape_data_load(copy + 1, size, NULL, &back));
    assert_true(dry_shape_data_hash(back) == dry_shape_data_hash(data));
    assert_ok(dry_shape_data_save(back, copy, size, &again));
    assert_int_equal(again, size);
    assert_memory_equal(bytes, copy, size);
    dry_shape_data_release(back);
    back = NULL;
    for (size_t cut = 0; cut < size; cut += 1 + (size_t)random_below(seed, 97))
        assert_int_equal(dry_shape_data_load(bytes, cut, NULL, &back), DRY_ERROR_ARGUMENT);
    for (size_t at = 0; at < size; at += 1 + (size_t)random_below(seed, 31)) {
        bytes[at] ^= (unsigned char)(1 << random_below(seed, 8));
        assert_int_equal(dry_shape_data_load(bytes, size, NULL, &back), DRY_ERROR_ARGUMENT);
        bytes[at] = copy[at];
    }
    assert_null(back);
    free(bytes);
}

/* The nearest hit that rounding can't lose, and the nearest that it may find; infinity: none. */
typedef struct ray_answer {
    double sure, maybe;
} ray_answer;

static inline ray_answer triangles_ray(const triangle_world *w, d3 o, d3 d)
{
    ray_answer answer = {INFINITY, INFINITY};
    for (int i = 0; i < w->count; i++) {
        double f, weight[3];
        const d3 n = triangle_normal(w->at[i]);
        if (!solve_hit(w->at[i], o, d, &f, weight) || !(f >= -1e-5 && f <= 1 + 1e-5))
            continue;
        const double facing = -d3_dot(n, d) / (d3_length(n) * d3_length(d));
        if (!w->two_sided && facing < -1e-6)
            continue;
        const double least = least_of(weight);
        if (least > 1e-4 && fabs(facing) > 0.05 && f > 1e-4 && f < 1 - 1e-4)
            answer.sure = fmin(answer.sure, f);
        if (least > -1e-4)
            answer.maybe = fmin(answer.maybe, f);
    }
    return answer;
}

/* Tells whether a normal is that of a triangle at a point, against the ray. */
static inline bool triangles_have_normal(const triangle_world *w, d3 point, d3 normal, d3 d)
{
    for (int i = 0; i < w->count; i++) {
        const d3 n = d3_unit(triangle_normal(w->at[i]));
        const d3 seen = w->two_sided && d3_dot(n, d) > 0 ? d3_scale(n, -1) : n;
        if (d3_length(d3_sub(seen, normal)) < 1e-3 && triangle_distance(w->at[i], point) < 1e-3)
            return true;
    }
    return false;
}

/* Casts a ray, and holds the answer to that of brute force. Returns whether it hits. */
static inline bool triangles_check_ray(const dry_world *world, const triangle_world *w, d3 o, d3 d)
{
    const dry_ray ray = {.origin = {o.x, o.y, o.z}, .translation = v3_of(d), .mask = UINT64_MAX};
    dry_ray_hit hit;
    d = d3_of(ray.translation);
    const ray_answer answer = triangles_ray(w, o, d);
    assert_ok(dry_world_cast_ray(world, &ray, &hit));
    if (hit.shape.bits == 0) {
        assert_true(isinf(answer.sure));
        return false;
    }
    assert_true((double)hit.fraction >= answer.maybe - 2e-4);
    assert_true((double)hit.fraction <= answer.sure + 2e-4);
    assert_true(d3_dot(d3_of(hit.normal), d) <= 1e-3 * d3_length(d));
    assert_true(triangles_have_normal(w, d3_at(hit.point), d3_of(hit.normal), d));
    return true;
}

/* Cuts a polygon by the half-space side * v[axis] <= half. Returns the new number of corners. */
static inline int cut_polygon(d3 *corner, int count, int axis, double side, double half)
{
    d3 out[16];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const d3 a = corner[i], b = corner[(i + 1) % count];
        const double p = side * d3_get(a, axis) - half, q = side * d3_get(b, axis) - half;
        if (p <= 0)
            out[kept++] = a;
        if ((p < 0 && q > 0) || (p > 0 && q < 0))
            out[kept++] = d3_add(a, d3_scale(d3_sub(b, a), p / (p - q)));
    }
    memcpy(corner, out, (size_t)kept * sizeof *out);
    return kept;
}

/* Tells whether a triangle has a part in a box, by cutting it at the box's sides. */
static inline bool triangle_in_box(triangle3 t, d3 center, dry_quat q, d3 half)
{
    d3 corner[16];
    int count = 3;
    for (int i = 0; i < 3; i++)
        corner[i] = d3_turn_back(q, d3_sub(t.at[i], center));
    for (int k = 0; k < 6 && count > 0; k++)
        count = cut_polygon(corner, count, k / 2, k % 2 ? 1 : -1, d3_get(half, k / 2));
    return count > 0;
}

/* Tells whether an overlap meets a triangle once the overlap is larger by `more`, m. */
static inline bool triangles_overlap(const triangle_world *w, const dry_overlap *o, double more)
{
    const d3 half = {(double)o->half_extents.x + more, (double)o->half_extents.y + more,
                     (double)o->half_extents.z + more};
    for (int i = 0; i < w->count; i++)
        if (o->radius > 0 ? triangle_distance(w->at[i], d3_at(o->pose.position)) <= (double)o->radius + more
                          : triangle_in_box(w->at[i], d3_at(o->pose.position), o->pose.orientation, half))
            return true;
    return false;
}

/* Makes an overlap query about `center`, and holds it to brute force. Returns whether it overlaps. */
static inline bool triangles_check_overlap(const dry_world *world, const triangle_world *w, d3 center,
                                           double size, uint64_t *seed)
{
    dry_overlap o = {.mask = UINT64_MAX};
    dry_shape_id found;
    int count = 0;
    o.pose.position = (dry_position){center.x, center.y, center.z};
    o.pose.orientation = random_quat(seed);
    const d3 half = random_d3_in(seed, 0.1 * size, size);
    if (random_below(seed, 2))
        o.radius = (float)half.x;
    o.half_extents = v3_of(half);
    assert_ok(dry_world_overlap(world, &o, &found, 1, &count));
    if (count)
        assert_true(triangles_overlap(w, &o, 1e-4));
    else
        assert_false(triangles_overlap(w, &o, -1e-4));
    return count > 0;
}

#endif
