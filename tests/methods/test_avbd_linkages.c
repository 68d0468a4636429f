/* Linkages under block descent (AVBD): slender bodies, lifts and thrown chains hold, and gain no energy; what
 * hits them acts on the inertia that they have there. */
#include "tests/quick.h"
#include "tests/scene_worlds.h"
#include "tests/test_joint.h"

enum { BODIES_MAX = 8 };

static dry_world *avbd_world(int substeps, float gravity)
{
    dry_settings settings = test_settings();
    settings.method.solver = DRY_SOLVER_AVBD;
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
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(24, 3); seed++) {
            uint64_t random = seed;
            dry_world *world = avbd_world(substeps[i], 9.81f);
            chain c = {0};
            const int count = 2 + random_below(&random, 5);
            const double rate = exp(random_in(&random, log(0.5), log(10)));
            const d3 spin = d3_scale(d3_unit(random_d3(&random, 1)), rate);
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
                const d3 way = d3_unit(random_d3(&random, 1)), axis = d3_unit(random_d3(&random, 1));
                set_velocity(world, c.body[k], d3_scale(way, 5), d3_scale(axis, 20));
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
    dry_scene scene = scene_of(name, size);
    dry_world *world = avbd_world(substeps, 9.81f);
    dry_body_id *ids = built_in(world, &scene);
    dry_joint_id joints[16];
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
    for (int i = 0; i < test_pick(COUNT_OF(cases), 1); i++) {
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

/* A parallelogram whose third bar is 1 % too long comes to rest where it is, and does not climb: its hinges
 * are as open in any pose. Where each row had a penalty of its own, it went to 45 degrees, at which all rows
 * err alike, and gained 0.34 of its first kinetic energy in 32 substeps. */
static void test_linkage_that_fits_nowhere_does_not_climb(void **state)
{
    (void)state;
    static const int substeps[] = {32, 64};
    for (int i = 0; i < test_pick(COUNT_OF(substeps), 1); i++) {
        double gap;
        assert_at_most(run_scene("four-bar", 1, substeps[i], 600, &gap), 1e-3);
    }
}

/* A table of 1 kg that turns at 90 rad/s about its middle, and moves freely: the joint is a soft spring. Its
 * principal moments differ fiftyfold. A ball that falls on it without friction, 0.3 m off the axis, takes
 * back J = 2 v / (1 / m + 1 / M + a^2 (1 / I)_zz), with the table's inertia as it has turned by then. Energy
 * and angular momentum are kept, the latter as far as half a substep's gyroscopic torque. On the inertia of
 * the step's beginning the ball was up to 0.47 m/s off, and a sixth of the angular momentum got lost. */
static void test_hit_acts_on_the_turned_inertia(void **state)
{
    (void)state;
    static const struct {
        int substeps;
        double time, speed, momentum; /* s, m/s, a share of the first one */
    } cases[] = {{16, 0.3 / 60, 0.03, 0.01}, {16, 0.7 / 60, 0.05, 0.01}, {64, 0.7 / 60, 0.05, 0.0025}};
    const double a = 0.3, v = 3, spin = 90, most = 0.2, least = 0.004;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        dry_world *world = avbd_world(cases[i].substeps, 0);
        dry_shape_def top = box_shape(0.5, 0.5, 0.5), ball = sphere_shape(0.2);
        top.friction = ball.friction = 0;
        top.restitution = ball.restitution = 1;
        const dry_body_id id[2] = {add_dynamic(world, pose_at(0, 0, 0), top),
                                   add_dynamic(world, pose_at(a, 0.7 + v * cases[i].time, 0), ball)};
        dry_mass mass = {.mass = 1};
        mass.inertia[0][0] = mass.inertia[1][1] = (float)most, mass.inertia[2][2] = (float)least;
        assert_ok(dry_body_set_mass(world, id[0], &mass));
        mass.inertia[2][2] = (float)most;
        assert_ok(dry_body_set_mass(world, id[1], &mass));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = id[0], def.stiffness = 1e-3f;
        join(world, &def);
        set_velocity(world, id[0], (d3){0, 0, 0}, (d3){0, spin, 0});
        set_velocity(world, id[1], (d3){0, -v, 0}, (d3){0, 0, 0});
        const d3 before = total_angular_momentum(world, id, 2);
        const double energy = kinetic_energy(world, id[0]) + kinetic_energy(world, id[1]);
        run_steps(world, 1, TEST_DT);
        const double c = cos(spin * cases[i].time), s = sin(spin * cases[i].time);
        const double impulse = 2 * v / (2 + a * a * (c * c / least + s * s / most));
        const d3 change = d3_sub(total_angular_momentum(world, id, 2), before);
        assert_near(velocity_of(world, id[1]).y, impulse - v, cases[i].speed);
        assert_at_most(d3_length(change), cases[i].momentum * d3_length(before));
        assert_near(kinetic_energy(world, id[0]) + kinetic_energy(world, id[1]), energy, 1e-5 * energy);
        dry_world_destroy(world);
    }
}

/* A rod of 1 m on a ball joint falls on a floor and bounces. Joint and impact act at one time within the
 * substep, so that the joint does not open: before, by 11.4, 3.0 and 0.7 mm. */
static void test_hit_opens_no_joint(void **state)
{
    (void)state;
    static const int substeps[] = {4, 16, 64};
    for (int i = 0; i < 20 * COUNT_OF(substeps); i++) {
        const double angle = 0.05 + 0.002 * (i / COUNT_OF(substeps)), spin = -3;
        dry_world *world = avbd_world(substeps[i % COUNT_OF(substeps)], 0);
        add_floor(world, 0, 1);
        dry_shape_def rod = box_shape(0.5, 0.03, 0.03);
        rod.friction = 0, rod.restitution = 1;
        const d3 middle = {0.5 * cos(angle), 0.5 * sin(angle), 0};
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = add_dynamic(
            world, (dry_pose){{middle.x, 0.03 + middle.y, 0}, quat_about((d3){0, 0, 1}, angle)}, rod);
        def.target = (dry_position){0, 0.03, 0};
        def.anchor_b = v3(-0.5, 0, 0);
        const dry_joint_id joint = join(world, &def);
        set_velocity(world, def.body_b, d3_cross((d3){0, 0, spin}, middle), (d3){0, 0, spin});
        for (int step = 0; step < 12; step++) {
            float gap, turn;
            run_steps(world, 1, TEST_DT);
            assert_ok(dry_joint_get_error(world, joint, &gap, &turn));
            assert_at_most((double)gap, 0.15e-3);
        }
        assert_true(spin_of(world, def.body_b).z > 0.5);
        dry_world_destroy(world);
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
        cmocka_unit_test(test_linkage_that_fits_nowhere_does_not_climb),
        cmocka_unit_test(test_hit_acts_on_the_turned_inertia),
        cmocka_unit_test(test_hit_opens_no_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
