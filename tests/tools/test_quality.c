/* Energy, motion and standing of the quality measure against constructions where they are known. */
#include "tests/tools/quality_bench.h"

#include "tools/scenes/measure/standing.h"

#include <stdlib.h>

static void test_motion(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    for (int i = 0; i < 5; i++) {
        add_body(&b, i == 4 ? DRY_BODY_KINEMATIC : DRY_BODY_DYNAMIC, 10.0 * i, 5.0, 0.0);
        unit_cube(&b);
    }
    b.poses[0].position.y -= 3.0;
    b.poses[0].position.z += 0.5;
    b.poses[1].position.x += 0.25; /* not more than 0.25 */
    b.poses[2].position.x += 0.75;
    b.poses[2].position.z -= 1.0;
    b.poses[4].position.x += 100.0; /* kinematic: not counted */
    b.velocities[1].linear = (dry_vec3){3.0f, 0.0f, -4.0f};
    b.velocities[4].linear = (dry_vec3){50.0f, 0.0f, 0.0f};
    dry_quality quality = measure(&b);
    assert_near(quality.moved_max_m, sqrt(9.25), 1e-12);
    assert_near(quality.moved_sideways_max_m, 1.25, 1e-12);
    assert_int_equal(quality.moved_over_quarter_m, 2);
    assert_near(quality.speed_max_m_s, 5.0, 1e-12);
    assert_near(quality.kinetic_energy_J, 0.5 * 1000.0 * 25.0, 1e-6);
    b.scene.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    assert_near(measure(&b).moved_sideways_max_m, sqrt(9.25), 1e-12);
    b.scene.gravity = (dry_vec3){0.0f, 0.0f, 3.0f};
    assert_near(measure(&b).moved_sideways_max_m, 3.0, 1e-12);
    dry_scene_free(&b.scene);
}

static void test_rotational_energy(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 1e6, 0.0, 0.0);
    add_box(&b, 1.0f, 2.0f, 3.0f); /* 48 m^3: 48,000 kg; m / 12 (sides squared) */
    double mass = 48000.0;
    assert_near(spin_energy(&b, (dry_vec3){2.0f, 0.0f, 0.0f}), 0.5 * mass / 12.0 * (16.0 + 36.0) * 4.0, 1e-5);
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 2.0f, 0.0f}), 0.5 * mass / 12.0 * (4.0 + 36.0) * 4.0, 1e-5);
    /* Turned a quarter about z, the world's x axis is the box's -y. */
    b.poses[0].orientation = about(0, 0, 1, PI / 2);
    assert_near(spin_energy(&b, (dry_vec3){2.0f, 0.0f, 0.0f}), 0.5 * mass / 12.0 * (4.0 + 36.0) * 4.0, 1.0);
    /* A stated mass scales the inertia. */
    b.scene.bodies[0].def.mass = 480.0f;
    b.scene.bodies[0].has_mass = true;
    assert_near(spin_energy(&b, (dry_vec3){2.0f, 0.0f, 0.0f}), 0.005 * mass / 12.0 * (4.0 + 36.0) * 4.0,
                0.01);
    b.velocities[0].linear = (dry_vec3){0.0f, 3.0f, 0.0f};
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 0.0f, 0.0f}), 0.5 * 480.0 * 9.0, 1e-9);
    dry_scene_free(&b.scene);

    /* A ball, and the capsule of half-length near 0 that is one. */
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
    add_sphere(&b, 0.5f);
    double ball_mass = 4.0 / 3.0 * PI * 0.125 * 1000.0;
    assert_near(spin_energy(&b, (dry_vec3){1.0f, 2.0f, 2.0f}), 0.5 * 0.4 * ball_mass * 0.25 * 9.0, 1e-6);
    b.scene.shapes[0].type = DRY_SHAPE_CAPSULE;
    b.scene.shapes[0].half_length = 1e-9f;
    assert_near(spin_energy(&b, (dry_vec3){1.0f, 2.0f, 2.0f}), 0.5 * 0.4 * ball_mass * 0.25 * 9.0, 1e-4);
    dry_scene_free(&b.scene);
}

/* A capsule's moments against a sum over thin discs: dm = rho pi s^2 dy, disc s^2 / 4 across, s^2 / 2
 * along. */
static void test_capsule_energy(void **state)
{
    (void)state;
    const double r = 0.5, half = 0.75, rho = 1000.0;
    double along = 0.0, across = 0.0;
    const int count = 200000;
    for (int i = 0; i < count; i++) {
        double y = (half + r) * (2.0 * (i + 0.5) / count - 1.0), over = fabs(y) - half;
        double s2 = over > 0.0 ? r * r - over * over : r * r;
        double dm = rho * PI * s2 * 2.0 * (half + r) / count;
        along += 0.5 * dm * s2;
        across += dm * (0.25 * s2 + y * y);
    }
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
    add_capsule(&b, 0.5f, 0.75f);
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 2.0f, 0.0f}), 2.0 * along, 1e-5 * along);
    assert_near(spin_energy(&b, (dry_vec3){2.0f, 0.0f, 0.0f}), 2.0 * across, 1e-5 * across);
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 0.0f, 2.0f}), 2.0 * across, 1e-5 * across);
    dry_scene_free(&b.scene);
}

/* Two cubes side by side are one 2 x 1 x 1 box: parallel axes. */
static void test_compound_energy(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        unit_cube(&b);
        b.scene.shapes[i].pose.position.x = 5.0f + (float)i; /* the origin is not the center of mass */
        b.scene.shapes[i].pose.orientation = about(1, 0, 0, PI / 2 * i);
    }
    assert_near(spin_energy(&b, (dry_vec3){1.0f, 0.0f, 0.0f}), 0.5 * 2000.0 / 12.0 * 2.0, 1e-3);
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 1.0f, 0.0f}), 0.5 * 2000.0 / 12.0 * 5.0, 1e-3);
    assert_near(spin_energy(&b, (dry_vec3){0.0f, 3.0f, 4.0f}), 0.5 * 2000.0 / 12.0 * 5.0 * 25.0, 1e-2);
    dry_scene_free(&b.scene);
}

static void test_states_that_are_not_finite(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    for (int i = 0; i < 3; i++) {
        add_body(&b, DRY_BODY_DYNAMIC, 0.9 * i, 0.0, 0.0);
        unit_cube(&b);
    }
    b.poses[2].position.x = NAN;
    dry_quality quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 1);
    assert_true(isinf(quality.moved_max_m) && isinf(quality.speed_max_m_s));
    assert_int_equal(quality.moved_over_quarter_m, 1);
    b.poses[2].position.x = 1e100;
    quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 1);
    assert_near(quality.moved_max_m / 1e100, 1.0, 1e-9);
    b.poses[2].position.x = 1.8;
    b.velocities[2].angular.y = INFINITY;
    assert_true(isinf(measure(&b).kinetic_energy_J));
    b.velocities[2].angular.y = 0.0f;
    b.poses[2].orientation = (dry_quat){0.0f, 0.0f, 0.0f, 0.0f};
    assert_true(isinf(measure(&b).moved_max_m));
    dry_scene_free(&b.scene);
}

/* A cube of 1000 kg that slides back and forth, x = a sin(w t) with a decaying by half in each window of 10
 * s, and sinks by 1 mm a second: sway, growth, distance since t = 1 s and lost energy have closed forms. */
static void test_standing_of_known_motion(void **state)
{
    (void)state;
    const double w = 2.0 * PI, dt = 1.0 / 60.0;
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 5.0, 0.5, -3.0);
    add_box(&b, 0.5f, 0.5f, 0.5f);
    dry_scene_finish(&b.scene);
    dry_standing s;
    assert_true(dry_standing_begin(&s, &b.scene, 0.05f));
    assert_true(fabs(s.scale_m - 1.0) < 1e-12 && fabs(s.weight_J - 9810.0) < 1e-3);
    double settled = 0.0, x = 0.0;
    for (int i = 1; i <= 2400; i++) {
        double time = i * dt, a = 0.1 * pow(0.5, (double)((i - 1) / 600));
        x = a * sin(w * time);
        b.poses[0].position = (dry_position){5.0 + x, 0.5 - 0.001 * time, -3.0};
        b.velocities[0].linear = (dry_vec3){(float)(a * w * cos(w * time)), -0.001f, 0.0f};
        assert_true(dry_standing_look(&s, time, b.poses, b.velocities));
        if (i == 60)
            settled = x;
    }
    assert_int_equal(s.window_count, 4);
    for (int i = 0; i < 4; i++) {
        double fastest = 0.1 * pow(0.5, i) * w;
        assert_true(fabs(s.sway_J[i] / (500.0 * fastest * fastest) - 1.0) < 1e-5);
    }
    assert_true(fabs(dry_standing_growth(&s) - 0.25) < 1e-5);
    assert_true(dry_standing_sway(&s, 10.0, 30.0) == s.sway_J[1]);
    assert_true(dry_standing_sway(&s, 11.0, 30.0) == s.sway_J[2]);
    assert_true(fabs(s.fell_J / (1000.0 * 9.81 * 0.04) - 1.0) < 1e-5);
    assert_true(fabs(dry_standing_sideways(&s, b.poses) - fabs(x - settled)) < 1e-12);
    b.poses[0].position = (dry_position){5.0 + settled + 3.0, 7.0, -3.0 - 4.0};
    assert_true(fabs(dry_standing_sideways(&s, b.poses) - 5.0) < 1e-12);
    b.poses[0].position.x = (double)NAN;
    assert_true(isinf(dry_standing_sideways(&s, b.poses)));
    dry_standing_end(&s);
    dry_scene_free(&b.scene);
}

/* Calm takes a whole second without a fast rim: a corner of the cube, sqrt(3)/2 m from its center. */
static void test_calm_takes_a_second(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
    add_box(&b, 0.5f, 0.5f, 0.5f);
    dry_scene_finish(&b.scene);
    dry_standing s;
    assert_true(dry_standing_begin(&s, &b.scene, 0.05f));
    for (int i = 1; i <= 300; i++) {
        bool fast = i <= 30 || i == 80;
        b.velocities[0].angular.z =
            fast ? 0.06f : 0.057f; /* the rim's bound is 0.05 / 0.866 = 0.0577 rad/s */
        assert_true(dry_standing_look(&s, i / 60.0, b.poses, b.velocities));
        if (i < 140)
            assert_true(s.calm_s < 0.0);
    }
    assert_true(fabs(s.calm_s - 140.0 / 60.0) < 1e-12);
    dry_standing_end(&s);
    dry_scene_free(&b.scene);
}

static void test_an_empty_scene(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    dry_quality quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 0);
    assert_true(quality.penetration_mean_m == 0.0 && quality.kinetic_energy_J == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_rotational_energy),
        cmocka_unit_test(test_capsule_energy),
        cmocka_unit_test(test_compound_energy),
        cmocka_unit_test(test_states_that_are_not_finite),
        cmocka_unit_test(test_standing_of_known_motion),
        cmocka_unit_test(test_calm_takes_a_second),
        cmocka_unit_test(test_an_empty_scene),
    };
    return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
