/* Declares what every test of the public library shares: makers for worlds, shapes and bodies, runs, and the
 * sums of mechanics in double precision. */
#ifndef TESTS_TEST_WORLD_H
#define TESTS_TEST_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/quick.h"

#include <drystone/drystone.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_PI 3.14159265358979323846
#define TEST_G ((double)9.81f)
#define TEST_DT (1.0f / 60.0f)
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#define assert_ok(call) assert_int_equal((call), DRY_OK)
#define assert_near(actual, expected, tolerance)                                                             \
    test_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define assert_at_most(actual, bound) test_at_most((actual), (bound), #actual, __FILE__, __LINE__)

/* Written so that a value that is not a number fails. */
static inline void test_near(double actual, double expected, double tolerance, const char *what,
                             const char *file, int line)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s is %.9g, expected %.9g within %.3g\n", what, actual, expected, tolerance);
        _fail(file, line);
    }
}

static inline void test_at_most(double actual, double bound, const char *what, const char *file, int line)
{
    if (!(actual <= bound)) {
        print_error("%s is %.9g, expected at most %.9g\n", what, actual, bound);
        _fail(file, line);
    }
}

/* Vectors in double precision: the tests' own arithmetic. */

typedef struct d3 {
    double x, y, z;
} d3;

static inline d3 d3_of(dry_vec3 v)
{
    return (d3){v.x, v.y, v.z};
}

static inline d3 d3_at(dry_position p)
{
    return (d3){p.x, p.y, p.z};
}

static inline dry_vec3 v3_of(d3 v)
{
    return (dry_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline double d3_get(d3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline d3 d3_add(d3 a, d3 b)
{
    return (d3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline d3 d3_sub(d3 a, d3 b)
{
    return (d3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline d3 d3_scale(d3 a, double s)
{
    return (d3){a.x * s, a.y * s, a.z * s};
}

static inline double d3_dot(d3 a, d3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline d3 d3_cross(d3 a, d3 b)
{
    return (d3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double d3_length(d3 a)
{
    return sqrt(d3_dot(a, a));
}

static inline d3 d3_unit(d3 a)
{
    return d3_scale(a, 1.0 / d3_length(a));
}

/* v turned by q: v + 2 w (u x v) + 2 u x (u x v) */
static inline d3 d3_turn(dry_quat q, d3 v)
{
    d3 u = {q.x, q.y, q.z};
    d3 uv = d3_cross(u, v);
    return d3_add(v, d3_add(d3_scale(uv, 2.0 * q.w), d3_scale(d3_cross(u, uv), 2.0)));
}

static inline d3 d3_turn_back(dry_quat q, d3 v)
{
    return d3_turn((dry_quat){-q.x, -q.y, -q.z, q.w}, v);
}

static inline dry_quat quat_about(d3 axis, double angle)
{
    d3 u = d3_scale(d3_unit(axis), sin(angle / 2));
    return (dry_quat){(float)u.x, (float)u.y, (float)u.z, (float)cos(angle / 2)};
}

#define QUAT_IDENTITY ((dry_quat){0, 0, 0, 1})

static inline dry_vec3 v3(double x, double y, double z)
{
    return (dry_vec3){(float)x, (float)y, (float)z};
}

static inline dry_pose pose_at(double x, double y, double z)
{
    return (dry_pose){{x, y, z}, QUAT_IDENTITY};
}

/* A small generator of its own, so that a test's numbers are the same everywhere (xorshift64*). */

static inline uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Dull;
}

static inline double random_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(state) >> 11) / 9007199254740992.0);
}

static inline int random_below(uint64_t *state, int end)
{
    return (int)((random_bits(state) >> 33) % (uint64_t)end);
}

static inline d3 random_d3_in(uint64_t *state, double low, double high)
{
    double x = random_in(state, low, high), y = random_in(state, low, high);
    return (d3){x, y, random_in(state, low, high)};
}

static inline d3 random_d3(uint64_t *state, double bound)
{
    return random_d3_in(state, -bound, bound);
}

static inline dry_quat random_quat(uint64_t *state)
{
    d3 axis = random_d3(state, 1);
    axis.x += 0.01;
    return quat_about(axis, random_in(state, 0, 2 * TEST_PI));
}

/* Worlds. */

/* The defaults without sleep, which would stop a slow motion that is being measured. */
static inline dry_settings test_settings(void)
{
    dry_settings settings = dry_default_settings();
    settings.sleep = false;
    return settings;
}

static inline dry_settings test_settings_weightless(void)
{
    dry_settings settings = test_settings();
    settings.gravity = v3(0, 0, 0);
    return settings;
}

/* Tells whether a world takes the settings: method_limits.h has the table of what solvers refuse. */
static inline bool is_honored(const dry_settings *settings)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings = *settings;
    dry_world *world = NULL;
    const bool honored = dry_world_create(&def, &world) == DRY_OK;
    dry_world_destroy(world);
    return honored;
}

/* Returns the widest instruction set that this processor has. */
static inline dry_isa test_widest_isa(void)
{
    int isa = DRY_ISA_COUNT - 1;
    while (!dry_isa_available((dry_isa)isa))
        isa--;
    return (dry_isa)isa;
}

static inline dry_world_def test_world_def(void)
{
    dry_world_def def = dry_default_world_def();
    def.tag = 1;
    def.threads = 1;
    return def;
}

static inline dry_world *world_from(const dry_world_def *def)
{
    dry_world *world = NULL;
    assert_ok(dry_world_create(def, &world));
    assert_non_null(world);
    return world;
}

static inline dry_world *world_with(dry_settings settings)
{
    dry_world_def def = test_world_def();
    def.settings = settings;
    return world_from(&def);
}

static inline void run_steps(dry_world *world, int steps, float dt)
{
    for (int i = 0; i < steps; ++i)
        assert_ok(dry_world_step(world, dt));
}

/* Shapes and bodies. */

static inline dry_shape_def box_shape(double hx, double hy, double hz)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_BOX;
    def.half_extents = v3(hx, hy, hz);
    return def;
}

static inline dry_shape_def sphere_shape(double radius)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_SPHERE;
    def.radius = (float)radius;
    return def;
}

static inline dry_shape_def capsule_shape(double radius, double half_length)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_CAPSULE;
    def.radius = (float)radius;
    def.half_length = (float)half_length;
    return def;
}

static inline dry_shape_def halfspace_shape(dry_vec3 normal, double offset)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_HALFSPACE;
    def.normal = normal;
    def.offset = (float)offset;
    return def;
}

static inline dry_body_def body_def(dry_body_type type, dry_pose pose, const dry_shape_def *shape)
{
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose = pose;
    def.shapes = shape;
    def.shape_count = shape ? 1 : 0;
    return def;
}

static inline dry_body_id add_def(dry_world *world, const dry_body_def *def)
{
    dry_body_id id = {0};
    assert_ok(dry_world_create_body(world, def, &id));
    return id;
}

static inline dry_body_id add_body(dry_world *world, dry_body_type type, dry_pose pose, dry_shape_def shape)
{
    dry_body_def def = body_def(type, pose, &shape);
    return add_def(world, &def);
}

static inline dry_body_id add_dynamic(dry_world *world, dry_pose pose, dry_shape_def shape)
{
    return add_body(world, DRY_BODY_DYNAMIC, pose, shape);
}

/* A half-space whose surface is y = 0. */
static inline dry_body_id add_floor(dry_world *world, double friction, double restitution)
{
    dry_shape_def shape = halfspace_shape(v3(0, 1, 0), 0);
    shape.friction = (float)friction;
    shape.restitution = (float)restitution;
    return add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
}

static inline void set_velocity(dry_world *world, dry_body_id id, d3 linear, d3 angular)
{
    assert_ok(dry_body_set_velocity(world, id, (dry_velocity){v3_of(linear), v3_of(angular)}));
}

static inline dry_pose pose_of(const dry_world *world, dry_body_id id)
{
    dry_pose pose;
    assert_ok(dry_body_get_pose(world, id, &pose));
    return pose;
}

static inline d3 position_of(const dry_world *world, dry_body_id id)
{
    return d3_at(pose_of(world, id).position);
}

static inline d3 velocity_of(const dry_world *world, dry_body_id id)
{
    dry_velocity velocity;
    assert_ok(dry_body_get_velocity(world, id, &velocity));
    return d3_of(velocity.linear);
}

static inline d3 spin_of(const dry_world *world, dry_body_id id)
{
    dry_velocity velocity;
    assert_ok(dry_body_get_velocity(world, id, &velocity));
    return d3_of(velocity.angular);
}

static inline dry_mass mass_of(const dry_world *world, dry_body_id id)
{
    dry_mass mass;
    assert_ok(dry_body_get_mass(world, id, &mass));
    return mass;
}

static inline d3 center_of(const dry_world *world, dry_body_id id)
{
    dry_position center;
    assert_ok(dry_body_get_center(world, id, &center));
    return d3_at(center);
}

static inline bool body_is_finite(const dry_world *world, dry_body_id id)
{
    d3 sum = d3_add(position_of(world, id), d3_add(velocity_of(world, id), spin_of(world, id)));
    dry_quat q = pose_of(world, id).orientation;
    return isfinite(sum.x + sum.y + sum.z + q.x + q.y + q.z + q.w);
}

/* Sums of mechanics. */

/* R I R^T w */
static inline d3 spin_momentum(const dry_world *world, dry_body_id id)
{
    dry_mass mass = mass_of(world, id);
    dry_quat q = pose_of(world, id).orientation;
    d3 w = d3_turn_back(q, spin_of(world, id));
    d3 l = {mass.inertia[0][0] * w.x + mass.inertia[0][1] * w.y + mass.inertia[0][2] * w.z,
            mass.inertia[1][0] * w.x + mass.inertia[1][1] * w.y + mass.inertia[1][2] * w.z,
            mass.inertia[2][0] * w.x + mass.inertia[2][1] * w.y + mass.inertia[2][2] * w.z};
    return d3_turn(q, l);
}

static inline double kinetic_energy(const dry_world *world, dry_body_id id)
{
    d3 v = velocity_of(world, id);
    return 0.5 * mass_of(world, id).mass * d3_dot(v, v) +
           0.5 * d3_dot(spin_of(world, id), spin_momentum(world, id));
}

static inline d3 total_momentum(const dry_world *world, const dry_body_id *ids, int count)
{
    d3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i)
        sum = d3_add(sum, d3_scale(velocity_of(world, ids[i]), mass_of(world, ids[i]).mass));
    return sum;
}

/* About the origin. */
static inline d3 total_angular_momentum(const dry_world *world, const dry_body_id *ids, int count)
{
    d3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        d3 p = d3_scale(velocity_of(world, ids[i]), mass_of(world, ids[i]).mass);
        sum = d3_add(sum, d3_add(d3_cross(center_of(world, ids[i]), p), spin_momentum(world, ids[i])));
    }
    return sum;
}

/* The angle between the orientation and the identity, from 0 to pi. */
static inline double turn_angle(dry_quat q)
{
    double s = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z);
    return 2 * atan2(s, fabs((double)q.w));
}

/* Returns the only shape of a body. */
static inline dry_shape_id shape_of_body(const dry_world *world, dry_body_id body)
{
    dry_shape_id shape = {0};
    int count = 0;
    assert_ok(dry_body_get_shapes(world, body, &shape, 1, &count));
    assert_int_equal(count, 1);
    return shape;
}

/* Returns a definition of a shape with data. */
static inline dry_shape_def data_shape(dry_shape_type type, dry_shape_data *data)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = type;
    def.data = data;
    return def;
}

#endif
