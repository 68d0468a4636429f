/* Points of bodies off their centers: velocity and acceleration beside what steps do, inverse masses beside
 * what impulses do. */
#include "tests/test_world.h"

static dry_position point_of(d3 p)
{
    return (dry_position){p.x, p.y, p.z};
}

static d3 velocity_at(const dry_world *world, dry_body_id id, d3 point)
{
    dry_vec3 v;
    assert_ok(dry_body_get_velocity_at(world, id, point_of(point), &v));
    return d3_of(v);
}

static d3 acceleration_at(const dry_world *world, dry_body_id id, d3 point)
{
    dry_vec3 a;
    assert_ok(dry_body_get_acceleration_at(world, id, point_of(point), &a));
    return d3_of(a);
}

static void assert_d3(d3 actual, d3 expected, double tolerance)
{
    if (!(d3_length(d3_sub(actual, expected)) <= tolerance))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g)", actual.x, actual.y, actual.z, expected.x, expected.y,
                 expected.z);
}

static dry_body_id add_brick(dry_world *world, uint64_t *seed)
{
    const dry_pose pose = {point_of(random_d3(seed, 100)), random_quat(seed)};
    return add_dynamic(world, pose, box_shape(0.3, 0.5, 0.8));
}

static dry_world *space(void)
{
    dry_settings settings = test_world_def().settings;
    settings.gravity = v3(1, -9, 2);
    return world_with(settings);
}

static void test_velocity(void **state)
{
    (void)state;
    uint64_t seed = 3;
    dry_world *world = space();
    for (int n = 0; n < 100; ++n) {
        const dry_body_id id = add_brick(world, &seed);
        const d3 v = random_d3(&seed, 10), w = random_d3(&seed, 10), arm = random_d3(&seed, 3);
        set_velocity(world, id, v, w);
        const d3 at = d3_add(center_of(world, id), arm);
        assert_d3(velocity_at(world, id, at), d3_add(v, d3_cross(w, arm)), 1e-5);
    }
    dry_world_destroy(world);
}

/* A point of the body goes with it for a short step: its velocity changes by the acceleration times that. */
static void test_acceleration(void **state)
{
    (void)state;
    const double dt = 1e-4;
    uint64_t seed = 5;
    for (int n = 0; n < 60; ++n) {
        dry_world *world = space();
        const dry_body_id id = add_brick(world, &seed);
        const double density = 1000, mass = density * 8 * 0.3 * 0.5 * 0.8;
        const d3 velocity = random_d3(&seed, 3), spin = random_d3(&seed, n % 2 ? 6 : 0);
        set_velocity(world, id, velocity, spin);
        if (n % 3 == 1)
            assert_ok(dry_body_set_gravity_scale(world, id, 0.25f));
        if (n % 3 == 2)
            assert_ok(dry_body_set_damping(world, id, 0.5f, 0.25f));
        if (n % 5 == 4)
            assert_ok(dry_body_set_locks(world, id, DRY_LOCK_LINEAR_Y | DRY_LOCK_ANGULAR_X));
        const dry_quat before = pose_of(world, id).orientation;
        const d3 local = random_d3(&seed, 2);
        const d3 at = d3_add(center_of(world, id), d3_turn(before, local));
        const d3 push = random_d3(&seed, 20 * mass), twist = random_d3(&seed, 20 * mass);
        assert_ok(dry_body_apply_force(world, id, v3_of(push)));
        assert_ok(dry_body_apply_torque(world, id, v3_of(twist)));
        const d3 v = velocity_at(world, id, at), a = acceleration_at(world, id, at);
        run_steps(world, 1, (float)dt);
        const d3 then = d3_add(center_of(world, id), d3_turn(pose_of(world, id).orientation, local));
        const d3 gained = d3_scale(d3_sub(velocity_at(world, id, then), v), 1 / dt);
        assert_d3(gained, a, 0.02 + 0.005 * d3_length(a));
        dry_world_destroy(world);
    }
}

/* The response to a true impulse. Without locked axes it is the transpose of the one with both points
 * exchanged. */
static void test_inverse_mass(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int n = 0; n < 100; ++n) {
        dry_world *world = space();
        const dry_body_id id = add_brick(world, &seed);
        if (n % 2)
            assert_ok(dry_body_set_locks(world, id, (unsigned)random_below(&seed, 64)));
        const d3 pushed = d3_add(center_of(world, id), random_d3(&seed, 2));
        const d3 seen = d3_add(center_of(world, id), random_d3(&seed, 2)), impulse = random_d3(&seed, 1e5);
        float k[3][3], back[3][3];
        assert_ok(dry_body_get_inverse_mass_at(world, id, point_of(pushed), point_of(seen), k));
        assert_ok(dry_body_get_inverse_mass_at(world, id, point_of(seen), point_of(pushed), back));
        assert_ok(dry_body_apply_impulse_at(world, id, v3_of(impulse), point_of(pushed)));
        const double j[3] = {impulse.x, impulse.y, impulse.z};
        double gained[3] = {0};
        for (int i = 0; i < 3; ++i)
            for (int l = 0; l < 3; ++l) {
                gained[i] += (double)k[i][l] * j[l];
                if (n % 2 == 0)
                    assert_near(k[i][l], back[l][i], 1e-8);
            }
        const d3 v = velocity_at(world, id, seen);
        assert_d3(v, (d3){gained[0], gained[1], gained[2]}, 1e-4 * (1 + d3_length(v)));
        dry_world_destroy(world);
    }
}

/* Impulses move neither a static body nor one that is not enabled; a kinematic one turns as it was told. */
static void test_bodies_that_ignore_impulses(void **state)
{
    (void)state;
    dry_world *world = space();
    const dry_pose pose = pose_at(1, 2, 3);
    const dry_body_id body[3] = {add_body(world, DRY_BODY_STATIC, pose, box_shape(1, 1, 1)),
                                 add_body(world, DRY_BODY_KINEMATIC, pose, box_shape(1, 1, 1)),
                                 add_dynamic(world, pose, box_shape(1, 1, 1))};
    assert_ok(dry_body_set_enabled(world, body[2], false));
    set_velocity(world, body[1], (d3){1, 0, 0}, (d3){0, 3, 0});
    for (int i = 0; i < 3; ++i) {
        const dry_position point = {2, 2, 3};
        float k[3][3];
        assert_ok(dry_body_get_inverse_mass_at(world, body[i], point, point, k));
        for (int e = 0; e < 9; ++e)
            assert_true(k[e / 3][e % 3] == 0.0f);
        assert_d3(acceleration_at(world, body[i], (d3){2, 2, 3}), (d3){i == 1 ? -9 : 0, 0, 0}, 1e-6);
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocity),
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_inverse_mass),
        cmocka_unit_test(test_bodies_that_ignore_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
