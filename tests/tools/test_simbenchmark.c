/* Scenes of SimBenchmark (leggedrobotics/SimBenchmark), built from its yaml files, with the errors that it
 * defines. docs/quality.md has the figures of other engines beside ours. */
#include "tests/scene_worlds.h"

/* benchmark/res/yaml/rolling.yaml: a force draws a box over the ground, and 25 balls roll on the box. Errors
 * are those of benchmark/include/RollingBenchmark.hpp. */
typedef struct rolling {
    dry_world *world;
    dry_body_id box, ball; /* the ball at (-4, -4), whose speed the error takes */
} rolling;

enum { ROLLING_SIDE = 5 }; /* balls in a row */
static const double rolling_box_mass = 10, rolling_ball_mass = 1, rolling_force = 150, rolling_overlap = 2e-5;
/* Pairs of materials have the products of two coefficients. Ours have roots of products. */
static const double rolling_ground_box = 0.5 * 0.8, rolling_ball_box = 1.0 * 0.8;

static rolling rolling_scene(dry_settings settings)
{
    settings.gravity = v3(0, 0, -TEST_G);
    settings.restitution_speed_min = 0;
    rolling scene = {.world = world_with(settings)};
    dry_shape_def ground = halfspace_shape(v3(0, 0, 1), 0), box = box_shape(10, 10, 0.5);
    dry_shape_def ball = sphere_shape(0.5);
    box.friction = ball.friction = (float)rolling_ball_box;
    ground.friction = (float)(rolling_ground_box * rolling_ground_box / rolling_ball_box);
    box.density = (float)(rolling_box_mass / (20 * 20));
    ball.density = (float)(rolling_ball_mass / (TEST_PI / 6));
    add_body(scene.world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    scene.box = add_dynamic(scene.world, pose_at(0, 0, 0.5 - rolling_overlap), box);
    for (int i = 0; i < ROLLING_SIDE; i++)
        for (int j = 0; j < ROLLING_SIDE; j++) {
            dry_pose pose = pose_at(2 * i - 4, 2 * j - 4, 1.5 - 3 * rolling_overlap);
            dry_body_id id = add_dynamic(scene.world, pose, ball);
            if (i == 0 && j == 0)
                scene.ball = id;
        }
    return scene;
}

/* Returns the mean of the squared errors of the velocities of box and ball over 4 s, (m/s)^2, for a force at
 * `angle` degrees from the y axis.
 *
 * Balls roll, so that a ball's friction f2 moves the point that touches the box by f2 (1 / m + r^2 / I) =
 * 3.5 f2 / m, which is the box's acceleration. */
static double rolling_error(dry_settings settings, double dt, double angle)
{
    const rolling scene = rolling_scene(settings);
    const double balls = ROLLING_SIDE * ROLLING_SIDE,
                 ground = rolling_ground_box * (rolling_box_mass + balls * rolling_ball_mass) * TEST_G;
    const double on_ball =
        (rolling_force - ground) / rolling_box_mass / (3.5 / rolling_ball_mass + balls / rolling_box_mass);
    const double box = (rolling_force - ground - balls * on_ball) / rolling_box_mass;
    const d3 along = {sin(angle * TEST_PI / 180), cos(angle * TEST_PI / 180), 0};
    const int steps = (int)(4 / dt + 0.5);
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        d3 box_error = d3_sub(velocity_of(scene.world, scene.box), d3_scale(along, box * dt * i));
        d3 ball_error = d3_sub(velocity_of(scene.world, scene.ball),
                               d3_scale(along, on_ball / rolling_ball_mass * dt * i));
        sum += d3_dot(box_error, box_error) + d3_dot(ball_error, ball_error);
        assert_ok(dry_body_apply_force(scene.world, scene.box, v3_of(d3_scale(along, rolling_force))));
        run_steps(scene.world, 1, (float)dt);
    }
    dry_world_destroy(scene.world);
    return sum / steps;
}

/* Contacts are as stiff as their load asks, in steps of 10 ms and of 1 ms alike: stiffer ones would throw the
 * box up, because the scene starts with an overlap. */
static void test_rolling(void **state)
{
    (void)state;
    static const double angles[] = {0, 60};
    for (int i = 0; i < COUNT_OF(angles); i++) {
        const dry_settings settings = test_settings();
        assert_at_most(rolling_error(settings, 0.01, angles[i]), 1e-5);
        assert_at_most(rolling_error(settings, 0.001, angles[i]), 1e-5);
    }
}

/* Balls that lose nothing over a smooth floor: benchmark/res/yaml/bouncing.yaml and 666-elastic.yaml. */
typedef struct balls {
    dry_world *world;
    dry_body_id id[216];
    int count;
} balls;

static balls balls_scene(void)
{
    dry_settings settings = test_settings();
    settings.gravity = v3(0, 0, -TEST_G);
    settings.restitution_speed_min = 0;
    balls scene = {.world = world_with(settings)};
    dry_shape_def ground = box_shape(50, 50, 0.5);
    ground.friction = 0;
    ground.restitution = 1;
    add_body(scene.world, DRY_BODY_STATIC, pose_at(0, 0, -0.5), ground);
    return scene;
}

static void balls_add(balls *scene, double x, double y, double z)
{
    const double radius = 0.1, mass = 10;
    dry_shape_def ball = sphere_shape(radius);
    ball.density = (float)(mass / (4.0 / 3 * TEST_PI * radius * radius * radius));
    ball.friction = 0;
    ball.restitution = 1;
    scene->id[scene->count++] = add_dynamic(scene->world, pose_at(x, y, z), ball);
}

static double balls_energy(const balls *scene)
{
    double sum = 0;
    for (int i = 0; i < scene->count; i++)
        sum += kinetic_energy(scene->world, scene->id[i]) +
               mass_of(scene->world, scene->id[i]).mass * TEST_G * center_of(scene->world, scene->id[i]).z;
    return sum;
}

/* Returns the mean of the squared errors of the energy, J^2, and its largest rise over the start, J. */
static double balls_error(balls *scene, double seconds, double dt, double *rise)
{
    const double start = balls_energy(scene);
    const int steps = (int)(seconds / dt + 0.5);
    double sum = 0;
    *rise = 0;
    for (int i = 0; i < steps; i++) {
        const double error = balls_energy(scene) - start;
        sum += error * error;
        *rise = fmax(*rise, error);
        run_steps(scene->world, 1, (float)dt);
    }
    dry_world_destroy(scene->world);
    return sum / steps;
}

/* Each step rounds a ball's velocity by half of 2^-23 of it, and so the energy of 49 equal balls by 2^-23 of
 * itself, up or down. After n steps five standard deviations are this. ODE has 18,808 and 185 here, RaiSim
 * 186 and 0.0186. */
static void test_bouncing(void **state)
{
    (void)state;
    static const double dt[] = {0.01, 0.001}, raisim[] = {185.953, 0.0186204};
    for (int k = 0; k < COUNT_OF(dt); k++) {
        balls scene = balls_scene();
        for (int i = 0; i < 49; i++)
            balls_add(&scene, i / 7 * 2, i % 7 * 2, 5);
        const double energy = balls_energy(&scene), seconds = k && test_quick() ? 2 : 20;
        double rise;
        assert_at_most(balls_error(&scene, seconds, dt[k], &rise), raisim[k]);
        assert_at_most(rise, 5 * sqrt(seconds / dt[k]) * FLT_EPSILON * energy);
    }
}

/* ODE has 8.56e6 and 112 here, RaiSim 5.18e6 and 8.37. */
static void test_666_elastic(void **state)
{
    (void)state;
    static const double dt[] = {0.01, 0.001}, raisim[] = {5.18417e6, 8.36835};
    for (int k = 0; k < COUNT_OF(dt); k++) {
        balls scene = balls_scene();
        uint64_t seed = 42;
        for (int i = 0; i < 216; i++) {
            const double x = i / 36 * 0.21 + random_in(&seed, 0, 0.001);
            const double y = i / 6 % 6 * 0.21 + random_in(&seed, 0, 0.001);
            balls_add(&scene, x, y, i % 6 * 0.21 + random_in(&seed, 0, 0.001) + 1.101);
        }
        const double energy = balls_energy(&scene), seconds = k ? test_pick(3, 1) : test_pick(10, 3);
        double rise;
        assert_at_most(balls_error(&scene, seconds, dt[k], &rise), raisim[k]);
        assert_at_most(rise, 5 * sqrt(seconds / dt[k]) * FLT_EPSILON * energy);
    }
}

/* A built-in scene, with the settings' defaults but for sleep, and no approach speed below which nothing
 * bounces. */
typedef struct built {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
} built;

static built build(const char *name)
{
    built b;
    b.scene = scene_of(name, 0);
    dry_settings settings = test_settings();
    settings.restitution_speed_min = 0;
    b.world = world_with(settings);
    b.ids = built_in(b.world, &b.scene);
    return b;
}

static void demolish(built *b)
{
    dry_world_destroy(b->world);
    dry_scene_free(&b->scene);
    free(b->ids);
}

/* Returns the sum of the squared overlaps of balls with each other and with the ground, m^2: the measure
 * of its 666 test. The first body is the ground. */
static double squared_overlaps(const built *b)
{
    enum { BALLS_MAX = 216 };
    const double radius = 0.1;
    d3 center[BALLS_MAX];
    const int count = b->scene.body_count - 1;
    assert_true(count <= BALLS_MAX);
    for (int i = 0; i < count; i++)
        center[i] = position_of(b->world, b->ids[1 + i]);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double in_ground = fmax(0, radius - center[i].y);
        sum += in_ground * in_ground;
        for (int k = i + 1; k < count; k++) {
            const double overlap = fmax(0, 2 * radius - d3_length(d3_sub(center[i], center[k])));
            sum += overlap * overlap;
        }
    }
    return sum;
}

/* benchmark/res/yaml/666.yaml: 216 balls without friction fall on each other and scatter. The error is the
 * mean of the squared overlaps over 10 s. */
static void test_balls_overlap_little(void **state)
{
    (void)state;
    built b = build("spheres");
    const int steps = 1000;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        sum += squared_overlaps(&b);
        run_steps(b.world, 1, b.scene.dt);
    }
    print_message("666, 10 ms: %.2g m^2\n", sum / steps);
    assert_at_most(sum / steps, 5e-7);
    demolish(&b);
}

/* benchmark/res/yaml/kapla.yaml: a building of 102 blocks stands for 600 s. The benchmark looks at the height
 * of the last block; here no block may be farther than 5 mm from its place. */
static void test_kapla_stands(void **state)
{
    (void)state;
    built b = build("kapla");
    run_steps(b.world, test_pick(60000, 1000), b.scene.dt);
    double most = 0;
    for (int i = 1; i < b.scene.body_count; i++) {
        const d3 moved = d3_sub(position_of(b.world, b.ids[i]), d3_at(b.scene.bodies[i].def.pose.position));
        most = fmax(most, d3_length(moved));
    }
    print_message("kapla: a block has moved by %.2g mm at the most\n", 1e3 * most);
    assert_at_most(most, 0.005);
    demolish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing),     cmocka_unit_test(test_666_elastic),
        cmocka_unit_test(test_rolling),      cmocka_unit_test(test_balls_overlap_little),
        cmocka_unit_test(test_kapla_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
