/* Shared by the tests of contact generation: shapes and poses, random ones too, distances in double
 * precision, and checks that every manifold passes. */
#ifndef TESTS_COLLIDE_SHAPES_H
#define TESTS_COLLIDE_SHAPES_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/math.h"
#include "narrowphase/collide.h"

#define MARGIN 0.02f

typedef struct random_source {
    uint64_t state;
} random_source;

static inline double uniform(random_source *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (r->state ^ (r->state >> 29)) * 0x9e3779b97f4a7c15u;
    return low + (high - low) * (double)(x >> 11) / 9007199254740992.0;
}

static inline int below(random_source *r, int n)
{
    return (int)uniform(r, 0.0, (double)n);
}

static inline dry_vec3 random_vector(random_source *r, double bound)
{
    const float x = (float)uniform(r, -bound, bound), y = (float)uniform(r, -bound, bound);
    return vec3(x, y, (float)uniform(r, -bound, bound));
}

static inline dry_geometry box(float x, float y, float z)
{
    return (dry_geometry){{x, y, z}, DRY_SHAPE_BOX, NULL};
}

static inline dry_geometry sphere(float radius)
{
    return (dry_geometry){{radius, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL};
}

static inline dry_geometry capsule(float radius, float half_length)
{
    return (dry_geometry){{radius, half_length, 0.0f}, DRY_SHAPE_CAPSULE, NULL};
}

static inline dry_geometry cylinder(double radius, double half_length)
{
    return (dry_geometry){{(float)radius, (float)half_length, 0.0f}, DRY_SHAPE_CYLINDER, NULL};
}

static const dry_geometry halfspace = {{0.0f, 0.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};

static inline dry_transform pose(float x, float y, float z, dry_quat q)
{
    return (dry_transform){{x, y, z}, q};
}

/* Returns a rotation about a coordinate axis. */
static inline dry_quat turn(int axis, double angle)
{
    float s = (float)sin(0.5 * angle);
    return (dry_quat){axis == 0 ? s : 0.0f, axis == 1 ? s : 0.0f, axis == 2 ? s : 0.0f,
                      (float)cos(0.5 * angle)};
}

static inline dry_quat random_quat(random_source *r)
{
    dry_quat q = {(float)uniform(r, -1, 1), (float)uniform(r, -1, 1), (float)uniform(r, -1, 1),
                  (float)uniform(r, -1, 1)};
    return quat_length_squared(q) > 1e-3f ? quat_normalize(q) : quat_identity();
}

/* Returns a random rotation, none, or one by right or half right angles, some of them a little off. */
static inline dry_quat awkward_quat(random_source *r)
{
    static const double angles[5] = {0.0, 1e-6, 1e-3, 0.7853981633974483, 1.5707963267948966};
    if (below(r, 2))
        return random_quat(r);
    dry_quat turns[2];
    for (int i = 0; i < 2; i++) {
        int axis = below(r, 3);
        turns[i] = turn(axis, angles[below(r, 5)]);
    }
    return quat_normalize(quat_mul(turns[0], turns[1]));
}

static inline dry_geometry random_box(random_source *r)
{
    static const float flat[4] = {1.0f, 0.5f, 0.05f, 1.0f};
    float scale = below(r, 2) ? 0.5f : (float)pow(10.0, uniform(r, -1, 1));
    if (below(r, 3) == 0)
        return box(scale, scale, scale);
    float x = scale * flat[below(r, 4)], y = scale * (float)uniform(r, 0.1, 1.0);
    return box(x, y, scale * flat[below(r, 4)]);
}

/* Writes the columns of a quaternion's matrix in double. */
static inline void matrix(dry_quat q, double m[3][3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double n = sqrt(x * x + y * y + z * z + w * w);
    x /= n, y /= n, z /= n, w /= n;
    double columns[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; i++)
        m[i / 3][i % 3] = columns[i / 3][i % 3];
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void to_double(dry_vec3 v, double out[3])
{
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

static inline double signed_distance(const dry_geometry *g, const double p[3])
{
    double h[3];
    to_double(g->size, h);
    if (g->type == DRY_SHAPE_HALFSPACE)
        return p[1];
    if (g->type == DRY_SHAPE_BOX) {
        double outside = 0.0, inside = -1e300;
        for (int k = 0; k < 3; k++) {
            double d = fabs(p[k]) - h[k];
            outside += d > 0.0 ? d * d : 0.0;
            inside = fmax(inside, d);
        }
        return inside > 0.0 ? sqrt(outside) : inside;
    }
    if (g->type == DRY_SHAPE_CYLINDER) {
        const double side = sqrt(p[0] * p[0] + p[2] * p[2]) - h[0], end = fabs(p[1]) - h[1];
        return side <= 0.0 || end <= 0.0 ? fmax(side, end) : sqrt(side * side + end * end);
    }
    double y = p[1] - fmax(-h[1], fmin(h[1], p[1]));
    return sqrt(p[0] * p[0] + y * y + p[2] * p[2]) - h[0];
}

/* Writes a point of a's frame in the shape's own coordinates. */
static inline void into(const dry_transform *frame, dry_vec3 p, double out[3])
{
    double m[3][3], q[3], t[3];
    matrix(frame->orientation, m);
    to_double(p, q);
    to_double(frame->position, t);
    for (int k = 0; k < 3; k++)
        q[k] -= t[k];
    for (int k = 0; k < 3; k++)
        out[k] = dot(m[k], q);
}

static inline float largest(const dry_geometry *g)
{
    return dry_max(g->size.x, dry_max(g->size.y, g->size.z));
}

static inline float deepest(const dry_local_manifold *m)
{
    float s = FLT_MAX;
    for (int i = 0; i < m->count; i++)
        s = dry_min(s, m->points[i].separation);
    return s;
}

/* Checks what holds for every manifold. */
static inline void check_form(const dry_local_manifold *m, float margin)
{
    assert_in_range(m->count, 0, 4);
    assert_true(vec3_is_finite(m->normal));
    assert_true(dry_abs(vec3_length(m->normal) - 1.0f) < 1e-5f);
    for (int i = 0; i < m->count; i++) {
        assert_true(vec3_is_finite(m->points[i].position));
        assert_true(m->points[i].separation <= margin); /* not NaN either */
        assert_true(m->points[i].separation > -FLT_MAX);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(m->points[i].feature, m->points[j].feature);
    }
}

/* Checks that both surface points of each contact lie on or in their shapes. */
static inline void check_surfaces(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                  const dry_local_manifold *m, double tolerance)
{
    dry_transform identity = transform_identity();
    for (int i = 0; i < m->count; i++) {
        double p[3], half = 0.5 * (double)m->points[i].separation;
        into(&identity, vec3_add_scaled(m->points[i].position, (float)-half, m->normal), p);
        assert_true(signed_distance(a, p) <= tolerance);
        into(b_in_a, vec3_add_scaled(m->points[i].position, (float)half, m->normal), p);
        assert_true(signed_distance(b, p) <= tolerance);
    }
}

#endif
