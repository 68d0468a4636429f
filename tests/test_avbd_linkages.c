/* Linkages under block descent (AVBD): slender bodies, lifts and thrown chains hold, and gain no energy. */
#include "tests/quick.h"
#include "tests/test_joint.h"

#include "scenes/scenes.h"

enum { BODIES_MAX = 8 };

static dry_world *avbd_world(int substeps, float gravity)
{
    dry_settings settings = test_settings();
    settings.solver = DRY_SOLVER_AVBD;
    settings.substeps = substeps;
    settings.gravity = v3(0, -gravity, 0);
    return world_with(settings);
}

/* A chain, its joints, and what it reached. */
typedef struct chain {
    dry_body_id body[BODIES_MAX];
    dry_joint_id joint[BODIES_MAX];
    int bodies, joints;
    double gap;    /* the largest of any joint, m */
    double before; /* energy at the start, J */
    double gain;   /* the largest of the energy, J */
} chain;

/* Adds a body without contacts that moves as a part of one rigid body that turns about the origin. */
static void add_link(dry_world *world, chain *c, dry_shape_def shape, dry_pose pose, double mass, d3 spin)
{
    dry_body_def def = dry_default_body_def();
    shape.filter.mask = 0;
    def.type = DRY_BODY_DYNAMIC;
    def.pose = pose;
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = (float)mass;
    dry_body_id *id = &c->body[c->bodies++];
    assert_ok(dry_world_create_body(world, &def, id));
    set_velocity(world, *id, d3_cross(spin, d3_at(pose.position)), spin);
}

/* Adds a ball joint at the anchors of a body and of the last link. */
static void add_ball(dry_world *world, chain *c, dry_body_id to, d3 anchor_a, d3 anchor_b)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = to;
    def.body_b = c->body[c->bodies - 1];
    def.anchor_a = v3_of(anchor_a);
    def.anchor_b = v3_of(anchor_b);
    c->joint[c->joints++] = join(world, &def);
}

static void run_chain(dry_world *world, chain *c, int steps)
{
    c->before = dry_world_energy(world).total_J;
    for (int step = 0; step < steps; step++) {
        run_steps(world, 1, TEST_DT);
        c->gain = fmax(c->gain, dry_world_energy(world).total_J - c->before);
        for (int i = 0; i < c->joints; i++) {
            float gap, angle;
            assert_ok(dry_joint_get_error(world, c->joint[i], &gap, &angle));
            c->gap = fmax(c->gap, (double)gap);
        }
    }
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
}

/* Six rods of 1 m and 2 cm, thrown about their pivot: the frame of a rod turns with it, so that no torque
 * across it makes it spin about its length. Sweeps that leave it such a spin open joints by meters. */
static void test_slender_chain_holds(void **state)
{
    (void)state;
    static const int substeps[] = {4, 16};
    for (int i = 0; i < 2; i++) {
        dry_world *world = avbd_world(substeps[i], 9.81f);
        chain c = {0};
        const double a = 1.2, mass = 2;
        const d3 along = {sin(a), -cos(a), 0};
        dry_body_id last = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
        for (int k = 0; k < 6; k++) {
            const d3 at = d3_scale(along, k + 0.5);
            const dry_pose pose = {{at.x, at.y, at.z}, quat_about((d3){0, 0, 1}, a)};
            add_link(world, &c, box_shape(0.01, 0.5, 0.01), pose, mass, (d3){0.4 * (k - 2), 3, 0.3 * k});
            add_ball(world, &c, last, (d3){0, k ? -0.5 : 0, 0}, (d3){0, 0.5, 0});
            last = c.body[k];
        }
        run_chain(world, &c, test_pick(300, 150));
        assert_at_most(c.gap, 8e-3);
        assert_at_most(c.gain, 1e-3 * 6 * mass * TEST_G * 6);
        dry_world_destroy(world);
    }
}

/* Boxes with sides of 1 mm to 1 m, joined at their corners, that hang and turn: moments of one body differ up
 * to a millionfold. */
static void test_boxes_of_all_shapes_hold(void **state)
{
    (void)state;
    static const int substeps[] = {4, 8, 16, 32};
    static const double bound[] = {20e-3, 8e-3, 8e-3, 6e-3}; /* m */
    for (int i = 0; i < 4; i++)
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(24, 6); seed++) {
            uint64_t random = seed;
            dry_world *world = avbd_world(substeps[i], 9.81f);
            chain c = {0};
            const int count = 2 + random_below(&random, 5);
            const d3 spin =
                d3_scale(d3_unit(random_d3(&random, 1)), exp(random_in(&random, log(0.5), log(10))));
            dry_body_id last = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
            d3 end = {0, 0, 0}, before = {0, 0, 0};
            for (int k = 0; k < count; k++) {
                d3 half;
                half.x = 0.5 * pow(10, random_in(&random, -3, 0));
                half.y = 0.5 * pow(10, random_in(&random, -3, 0));
                half.z = 0.5 * pow(10, random_in(&random, -3, 0));
                const double mass = pow(10, random_in(&random, -1, 1));
                const dry_quat q = random_quat(&random);
                const d3 arm = d3_turn(q, half), at = d3_add(end, arm);
                add_link(world, &c, box_shape(half.x, half.y, half.z), (dry_pose){{at.x, at.y, at.z}, q},
                         mass, spin);
                add_ball(world, &c, last, before, d3_scale(half, -1));
                last = c.body[k], before = half;
                end = d3_add(at, arm);
            }
            run_chain(world, &c, test_pick(240, 120));
            if (!(c.gap <= bound[i]))
                print_error("seed %d, %d substeps\n", (int)seed, substeps[i]);
            assert_at_most(c.gap, bound[i]);
            dry_world_destroy(world);
        }
}

/* Spheres on ball joints that are thrown against these in space gain nothing. They turn by radians in a step:
 * their rotations are composed, so that joints that follow each substep close. */
static void test_thrown_chains_gain_nothing(void **state)
{
    (void)state;
    static const int substeps[] = {1, 4, 16};
    static const double gap[] = {0.2, 3e-3, 0.5e-3}; /* m */
    for (int i = 0; i < 3; i++)
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(12, 3); seed++) {
            uint64_t random = seed;
            dry_world *world = avbd_world(substeps[i], 0);
            chain c = {0};
            for (int k = 0; k < 5; k++) {
                add_link(world, &c, sphere_shape(0.25), pose_at(0.5 * k, 0, 0), 1, (d3){0, 0, 0});
                set_velocity(world, c.body[k], d3_scale(d3_unit(random_d3(&random, 1)), 5),
                             d3_scale(d3_unit(random_d3(&random, 1)), 20));
                if (k > 0)
                    add_ball(world, &c, c.body[k - 1], (d3){0.25, 0, 0}, (d3){-0.25, 0, 0});
            }
            run_steps(world, 1, TEST_DT); /* the impact on the joints */
            run_chain(world, &c, test_pick(600, 120));
            assert_at_most(c.gain, 1e-4 * c.before);
            assert_at_most(c.gap, gap[i]);
            dry_world_destroy(world);
        }
}

/* Runs a scene without sleep. Returns the largest gain of energy over the first kinetic energy; *gap is the
 * largest of any joint, m. */
static double run_scene(const char *name, int size, int substeps, int steps, double *gap)
{
    dry_scene scene;
    char error[256] = "";
    if (!dry_scene_make(name, size, &scene, error, sizeof error))
        fail_msg("%s", error);
    dry_world *world = avbd_world(substeps, 9.81f);
    dry_body_id *ids = malloc((size_t)scene.body_count * sizeof *ids);
    dry_joint_id joints[16];
    assert_non_null(ids);
    assert_ok(dry_scene_build(&scene, world, ids));
    const dry_energy before = dry_world_energy(world);
    double gain = 0;
    *gap = 0;
    for (int step = 0; step < steps; step++) {
        run_steps(world, 1, scene.dt);
        gain = fmax(gain, (dry_world_energy(world).total_J - before.total_J) / before.kinetic_J);
        for (int b = 0; b < scene.body_count && step % 10 == 9; b++) {
            int count;
            assert_ok(dry_body_get_joints(world, ids[b], joints, COUNT_OF(joints), &count));
            for (int k = 0; k < (count < COUNT_OF(joints) ? count : COUNT_OF(joints)); k++) {
                float opening, angle;
                assert_ok(dry_joint_get_error(world, joints[k], &opening, &angle));
                *gap = fmax(*gap, (double)opening);
            }
        }
    }
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
    free(ids);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    return gain;
}

/* Scissor lifts whose sweeps are too few for their height sag, and lose no body. The work of the motor that
 * raises a lift counts, so that one with enough sweeps rises. */
static void test_lifts_lose_no_body(void **state)
{
    (void)state;
    static const struct {
        int size, substeps;
        double gap; /* m */
    } cases[] = {{10, 3, 5e-3}, {24, 6, 0.05}, {16, 3, 0.05}, {20, 4, 0.1}, {20, 6, 0.02}, {24, 4, 0.3}};
    double gap;
    for (int i = 0; i < test_pick(COUNT_OF(cases), 2); i++) {
        run_scene("scissor", cases[i].size, cases[i].substeps, 300, &gap);
        assert_at_most(gap, cases[i].gap);
    }
    assert_true(run_scene("scissor", 10, 6, 300, &gap) > 50);
    assert_at_most(gap, 2e-3);
}

/* A parallelogram with a third bar that is 1 % too long, and Peaucellier's linkage, which swing: a step of
 * symplectic Euler moves energy to and fro by 1 % at one substep. */
static void test_linkages_that_swing_gain_nothing(void **state)
{
    (void)state;
    static const int substeps[] = {1, 4, 16};
    static const double bound[] = {0.03, 0.008, 0.003};
    for (int i = 0; i < 3; i++) {
        double gap;
        assert_at_most(run_scene("four-bar", 2, substeps[i], 300, &gap), bound[i]);
        assert_at_most(run_scene("peaucellier", 1, substeps[i], 200, &gap), bound[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slender_chain_holds),
        cmocka_unit_test(test_boxes_of_all_shapes_hold),
        cmocka_unit_test(test_thrown_chains_gain_nothing),
        cmocka_unit_test(test_lifts_lose_no_body),
        cmocka_unit_test(test_linkages_that_swing_gain_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
