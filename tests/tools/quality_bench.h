/* A scene under construction with the state to measure, for tests of the quality measure. */
#ifndef TESTS_TOOLS_QUALITY_BENCH_H
#define TESTS_TOOLS_QUALITY_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/scenes/measure/quality.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct bench {
    dry_scene scene;
    dry_pose poses[16];
    dry_velocity velocities[16];
} bench;

static inline void bench_init(bench *b)
{
    memset(b, 0, sizeof *b);
    b->scene.gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    b->scene.dt = 1.0f / 60.0f;
}

static inline int add_body(bench *b, dry_body_type type, double x, double y, double z)
{
    char id[16];
    snprintf(id, sizeof id, "b%d", b->scene.body_count);
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = (dry_position){x, y, z};
    int body = dry_scene_add_body(&b->scene, id, &def);
    assert_true(body >= 0 && body < 16);
    b->poses[body] = def.pose;
    return body;
}

static inline dry_shape_def *add_shape(bench *b, dry_shape_type type)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = type;
    int index = dry_scene_add_shape(&b->scene, &shape);
    assert_true(index >= 0);
    return &b->scene.shapes[index];
}

static inline void add_box(bench *b, float x, float y, float z)
{
    add_shape(b, DRY_SHAPE_BOX)->half_extents = (dry_vec3){x, y, z};
}

static inline void unit_cube(bench *b)
{
    add_box(b, 0.5f, 0.5f, 0.5f);
}

static inline void add_sphere(bench *b, float radius)
{
    add_shape(b, DRY_SHAPE_SPHERE)->radius = radius;
}

static inline void add_capsule(bench *b, float radius, float half_length)
{
    dry_shape_def *shape = add_shape(b, DRY_SHAPE_CAPSULE);
    shape->radius = radius;
    shape->half_length = half_length;
}

static inline void add_halfspace(bench *b, dry_vec3 normal, float offset)
{
    dry_shape_def *shape = add_shape(b, DRY_SHAPE_HALFSPACE);
    shape->normal = normal;
    shape->offset = offset;
}

static inline dry_quality measure(bench *b)
{
    dry_quality quality;
    dry_scene_finish(&b->scene);
    assert_true(dry_quality_measure_poses(&b->scene, b->poses, b->velocities, &quality));
    return quality;
}

static inline void assert_near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", got, tolerance, wanted);
}

static inline dry_quat about(double x, double y, double z, double angle)
{
    double length = sqrt(x * x + y * y + z * z), s = sin(0.5 * angle) / length;
    return (dry_quat){(float)(s * x), (float)(s * y), (float)(s * z), (float)cos(0.5 * angle)};
}

static inline dry_quat multiply(dry_quat a, dry_quat b)
{
    return (dry_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline dry_position rotate(dry_quat q, dry_position p)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double tx = 2.0 * (y * p.z - z * p.y), ty = 2.0 * (z * p.x - x * p.z), tz = 2.0 * (x * p.y - y * p.x);
    return (dry_position){p.x + w * tx + y * tz - z * ty, p.y + w * ty + z * tx - x * tz,
                          p.z + w * tz + x * ty - y * tx};
}

static inline double uniform(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 11) * 0x1p-53;
}

static inline void ball(bench *b)
{
    add_sphere(b, 0.5f);
}
static inline void rod(bench *b)
{
    add_capsule(b, 0.25f, 1.0f);
}
/* Solid below y = 0.125, from a normal that is not the y axis of the shape. */
static inline void ground(bench *b)
{
    add_halfspace(b, (dry_vec3){0.0f, 1.0f, 0.0f}, 0.125f);
}

/* The energy of one body spinning with w about its center of mass. */
static inline double spin_energy(bench *b, dry_vec3 w)
{
    b->velocities[0].angular = w;
    return measure(b).kinetic_energy_J;
}

#endif
