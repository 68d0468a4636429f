/* The first impulses of contacts below bodies that are placed at rest, against statics: each contact carries
 * what stands on it. */
#include "tests/test_world.h"

#include "solver/data/context.h"
#include "solver/plan/islands.h"
#include "step/stages.h"
#include "world/world.h"

/* Returns the force with which `other` pushes `body` up, N. */
static double support_of(const dry_world *world, dry_body_id body, dry_body_id other)
{
    dry_contact contacts[16];
    int count = 0;
    double force = 0.0;
    assert_ok(dry_body_get_contacts(world, body, contacts, COUNT_OF(contacts), &count));
    assert_in_range(count, 0, COUNT_OF(contacts));
    for (int i = 0; i < count; i++) {
        const dry_contact *c = &contacts[i];
        if ((c->body_a.bits != other.bits && c->body_b.bits != other.bits) || c->substep_s == 0.0f)
            continue;
        const double up = c->body_b.bits == body.bits ? (double)c->normal.y : -(double)c->normal.y;
        for (int k = 0; k < c->point_count; k++)
            force += up * (double)c->points[k].normal_impulse_Ns / (double)c->substep_s;
    }
    return force;
}

static double weight_of(const dry_world *world, dry_body_id body)
{
    return mass_of(world, body).mass * TEST_G;
}

/* Points in a line get a part in ten thousand less of a moment about it than they should. */
static const double within = 1e-3;

/* Finds the contacts in a step in which nothing can move, forgets what it found about loads, and gives the
 * contacts their first impulses. */
static void press(dry_world *world)
{
    run_steps(world, 1, 1e-6f);
    for (int i = 0; i < world->contacts.count; i++) {
        world->contacts.manifold[i].substep = 0.0f;
        memset(world->contacts.manifold[i].impulse, 0, sizeof world->contacts.manifold[i].impulse);
    }
    for (int row = 0; row < world->bodies.awake_count; row++)
        world->bodies.sleep[row].load = -1.0f;
    dry_solver_step step = dry_solver_step_of(world, TEST_DT);
    assert_true(dry_static_loads(&step, &world->memory, &world->scratch));
}

/* A tower of cubes of random masses, upright and turned about the vertical. */
static void test_a_tower_carries_itself(void **state)
{
    (void)state;
    enum { HEIGHT = 40 };
    uint64_t seed = 9;
    dry_world *world = world_with(test_settings());
    dry_body_id floor = add_floor(world, 0.6, 0), cube[HEIGHT];
    for (int i = 0; i < HEIGHT; i++) {
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        shape.density = (float)pow(10.0, random_in(&seed, 2, 4));
        dry_pose pose = pose_at(0, 0.5 + i, 0);
        pose.orientation = quat_about((d3){0, 1, 0}, random_in(&seed, -0.3, 0.3));
        cube[i] = add_dynamic(world, pose, shape);
    }
    press(world);
    double load = 0.0;
    for (int i = HEIGHT - 1; i >= 0; i--) {
        load += weight_of(world, cube[i]);
        const double force = support_of(world, cube[i], i > 0 ? cube[i - 1] : floor);
        assert_near(force, load, within * load);
    }
    dry_world_destroy(world);
}

/* A cube on a post of 0.2 to 5 mm that is off its center: points that nearly coincide carry the cube, and no
 * more. */
static void test_points_that_nearly_coincide_carry_the_load(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 200; i++) {
        dry_world *world = world_with(test_settings());
        const double half = random_in(&seed, 0.5e-3, 2.5e-3);
        dry_shape_def thin = box_shape(half, 0.5, half * random_in(&seed, 0.2, 1));
        dry_pose pose = pose_at(random_in(&seed, -0.45, 0.45), 0.5, random_in(&seed, -0.45, 0.45));
        pose.orientation = quat_about((d3){0, 1, 0}, random_in(&seed, -3, 3));
        dry_body_def def = body_def(DRY_BODY_STATIC, pose, &thin);
        const dry_body_id post = add_def(world, &def);
        const dry_body_id cube = add_dynamic(world, pose_at(0, 1.5, 0), box_shape(0.5, 0.5, 0.5));
        press(world);
        const double weight = weight_of(world, cube);
        assert_near(support_of(world, cube, post), weight, 0.05 * weight);
        dry_world_destroy(world);
    }
}

/* A beam on two posts, with a crate on it at `at`: the posts carry by the lever's law. */
static void test_a_beam_obeys_the_lever(void **state)
{
    (void)state;
    static const double places[] = {-1.5, -0.7, 0.0, 0.9, 1.8};
    for (int i = 0; i < COUNT_OF(places); i++) {
        dry_world *world = world_with(test_settings());
        add_floor(world, 0.6, 0);
        dry_body_id post[2];
        for (int k = 0; k < 2; k++)
            post[k] = add_dynamic(world, pose_at(k ? 2 : -2, 0.5, 0), box_shape(0.05, 0.5, 0.3));
        dry_body_id beam = add_dynamic(world, pose_at(0, 1.1, 0), box_shape(2.05, 0.1, 0.3));
        dry_body_id crate = add_dynamic(world, pose_at(places[i], 1.5, 0), box_shape(0.3, 0.3, 0.3));
        press(world);
        const double load = weight_of(world, crate), own = weight_of(world, beam);
        assert_near(support_of(world, crate, beam), load, within * load);
        for (int k = 0; k < 2; k++) {
            const double share = 0.5 * own + load * (0.5 + (k ? 1 : -1) * places[i] / 4);
            assert_near(support_of(world, beam, post[k]), share, within * (own + load));
        }
        dry_world_destroy(world);
    }
}

/* Without gravity, and where bodies move, nothing presses. */
static void test_only_bodies_at_rest_press(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        dry_settings settings = test_settings();
        if (i == 0)
            settings.gravity = v3(0, 0, 0);
        dry_world *world = world_with(settings);
        dry_body_id floor = add_floor(world, 0.6, 0);
        dry_body_id cube = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        set_velocity(world, cube, (d3){i, 0, 0}, (d3){0, 0, 0});
        press(world);
        assert_true(support_of(world, cube, floor) == 0.0);
        dry_world_destroy(world);
    }
}

/* A body without gravity weighs nothing, one with twice the gravity double. */
static void test_gravity_scale_weighs(void **state)
{
    (void)state;
    static const float scales[] = {0.0f, 1.0f, 2.0f};
    for (int i = 0; i < COUNT_OF(scales); i++) {
        dry_world *world = world_with(test_settings());
        dry_body_id floor = add_floor(world, 0.6, 0);
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0.5, 0), &shape);
        def.gravity_scale = scales[i];
        dry_body_id low = add_def(world, &def);
        def.pose = pose_at(0, 1.5, 0);
        dry_body_id high = add_def(world, &def);
        press(world);
        const double weight = (double)scales[i] * weight_of(world, low);
        assert_near(support_of(world, high, low), weight, within * weight + 1e-3);
        assert_near(support_of(world, low, floor), 2 * weight, 2 * within * weight + 1e-3);
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tower_carries_itself),
        cmocka_unit_test(test_points_that_nearly_coincide_carry_the_load),
        cmocka_unit_test(test_a_beam_obeys_the_lever),
        cmocka_unit_test(test_only_bodies_at_rest_press),
        cmocka_unit_test(test_gravity_scale_weighs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
