/* Energy of springs, stops and spins of joints: soft springs give none, and where a swing passes pi they
 * fade. */
#include "tests/test_joint.h"

#include "core/math.h"

/* Returns the kinetic energy of a body and that of the spring from the origin to its anchor. */
static double sprung_energy(const dry_world *world, dry_body_id id, double stiffness, d3 anchor)
{
    const dry_pose pose = pose_of(world, id);
    const d3 apart = d3_add(d3_at(pose.position), d3_turn(pose.orientation, anchor));
    return kinetic_energy(world, id) + 0.5 * stiffness * d3_dot(apart, apart);
}

/* A body whose moments are up to 1:100 spins at 1 to 70 rad/s on a soft spring without damping, at its center
 * or aside. Returns the largest share of the energy that it gains within 10 s. */
static double gain_on_a_soft_spring(int substeps, dry_solver solver, uint64_t *random, bool aside)
{
    dry_settings settings = test_settings_weightless();
    settings.joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    settings.substeps = substeps;
    settings.method.solver = solver;
    dry_world *world = world_with(settings);
    const dry_shape_def ball = sphere_shape(0.5);
    const dry_body_def def =
        body_def(DRY_BODY_DYNAMIC, (dry_pose){.orientation = random_quat(random)}, &ball);
    const dry_body_id id = add_def(world, &def);
    const double slim = pow(10, random_in(random, -2, 0));
    dry_mass mass = {.mass = 1, .inertia = {{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, (float)(0.1 * slim)}}};
    assert_ok(dry_body_set_mass(world, id, &mass));
    const double stiffness = pow(10, random_in(random, -3, -2));
    const d3 anchor = random_d3(random, aside ? 0.5 : 0);
    dry_joint_def joint = dry_default_joint_def(aside ? DRY_JOINT_GENERIC : DRY_JOINT_BALL);
    for (int i = 0; i < DRY_AXIS_COUNT && aside; ++i) {
        joint.axes[i].min = -INFINITY, joint.axes[i].max = INFINITY;
        joint.axes[i].stiffness = i < 3 ? (float)stiffness : 0.0f;
    }
    joint.stiffness = aside ? 0.0f : (float)stiffness;
    joint.anchor_b = v3((float)anchor.x, (float)anchor.y, (float)anchor.z);
    join_two(world, joint, add_post(world), id);
    const double rate = pow(10, random_in(random, 0, 1.85));
    const d3 velocity = random_d3(random, aside ? 1 : 0), axis = d3_unit(random_d3(random, 1));
    set_velocity(world, id, velocity, d3_scale(axis, rate));
    const double first = sprung_energy(world, id, stiffness, anchor);
    double most = 0;
    for (int i = 0; i < 600; ++i) {
        run_steps(world, 1, TEST_DT);
        most = fmax(most, sprung_energy(world, id, stiffness, anchor) / first - 1);
    }
    dry_world_destroy(world);
    return most;
}

/* Neither a body's own inertia nor a soft spring gives it energy: the angle between its axis and its angular
 * momentum may not drift. */
static void test_spinning_bodies_on_soft_springs_gain_no_energy(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int substeps = 1; substeps <= 16; substeps *= 2)
        for (int i = 0; i < test_pick(24, 8); ++i) {
            const dry_solver solver = i % 4 == 3 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
            assert_at_most(gain_on_a_soft_spring(substeps, solver, &random, i % 2 == 1), 0.01);
        }
}

/* Gives an axis of a joint a drawn spring, or none. */
static void draw_spring(uint64_t *random, double least, double most, dry_joint_axis *axis)
{
    axis->stiffness = (float)pow(10, random_in(random, log10(least), log10(most)));
    axis->rest = (float)random_in(random, -0.5, 0.5);
}

/* A ball on a post, with drawn springs of a cone-twist joint at its center, or soft stops of its twist, in a
 * drawn swing near pi. */
typedef struct swung_ball {
    dry_joint_def joint;
    dry_quat turned;
} swung_ball;

static swung_ball draw_swung_ball(uint64_t *random)
{
    swung_ball b = {.joint = dry_default_joint_def(DRY_JOINT_CONE_TWIST)};
    dry_joint_axis *twist_axis = &b.joint.axes[DRY_AXIS_RX];
    if (random_in(random, 0, 1) < 0.5) {
        draw_spring(random, 10, 100, twist_axis);
    } else {
        twist_axis->min = -0.3f, twist_axis->max = 0.2f;
        twist_axis->stop_stiffness = (float)random_in(random, 10, 100);
    }
    draw_spring(random, 10, 100, &b.joint.axes[random_in(random, 0, 1) < 0.5 ? DRY_AXIS_RY : DRY_AXIS_RZ]);
    const double way = random_in(random, 0, 2 * TEST_PI);
    const dry_quat twist = quat_about((d3){1, 0, 0}, random_in(random, -2, 2));
    const dry_quat swing = quat_about((d3){0, cos(way), sin(way)}, random_in(random, 2.6, 3.1));
    b.turned = quat_mul(swing, twist);
    return b;
}

static dry_world *world_of_ball(const swung_ball *b, dry_joint_solver solver, dry_quat turned,
                                dry_body_id *id)
{
    dry_settings settings = test_settings_weightless();
    settings.joint_solver = solver;
    dry_world *world = world_with(settings);
    const dry_shape_def ball = sphere_shape(0.5);
    const dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){.orientation = turned}, &ball);
    *id = add_def(world, &def);
    join_two(world, b->joint, add_post(world), *id);
    return world;
}

static double elastic_of(const swung_ball *b, dry_joint_solver solver, dry_quat turned)
{
    dry_body_id id;
    dry_world *world = world_of_ball(b, solver, turned, &id);
    const double energy = dry_world_energy(world).elastic_J;
    dry_world_destroy(world);
    return energy;
}

/* Springs of swings and twists are those of their energy, also where a swing is nearly pi and they fade: the
 * torque of a short step is the energy's derivative by rotations about each axis. */
static void test_springs_near_a_swing_by_pi_are_those_of_their_energy(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 60; ++i) {
        const swung_ball b = draw_swung_ball(&random);
        const double turn = 1e-3, dt = 1e-5;
        const dry_joint_solver solver = i % 2 ? DRY_JOINT_SOLVER_ITERATIVE : DRY_JOINT_SOLVER_DIRECT;
        dry_body_id id;
        dry_world *world = world_of_ball(&b, solver, b.turned, &id);
        run_steps(world, 1, (float)dt);
        const double inertia = (double)mass_of(world, id).inertia[0][0];
        const d3 torque = d3_scale(spin_of(world, id), inertia / dt);
        const d3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const double own[3] = {torque.x, torque.y, torque.z};
        for (int k = 0; k < 3; ++k) {
            const double ahead = elastic_of(&b, solver, quat_mul(quat_about(axes[k], turn), b.turned)),
                         behind = elastic_of(&b, solver, quat_mul(quat_about(axes[k], -turn), b.turned));
            assert_near(own[k], (behind - ahead) / (2 * turn), 0.01 * d3_length(torque) + 0.1);
        }
        dry_world_destroy(world);
    }
}

/* Gives an axis drawn stops. */
static void draw_stops(uint64_t *random, dry_joint_axis *axis)
{
    axis->min = (float)random_in(random, -1, -0.2);
    axis->max = (float)random_in(random, 0.2, 1);
}

/* Gives an axis drawn soft stops. */
static void draw_soft_stops(uint64_t *random, double least, double most, dry_joint_axis *axis)
{
    axis->stop_stiffness = (float)pow(10, random_in(random, log10(least), log10(most)));
    draw_stops(random, axis);
}

/* The parts of a joint whose swings pass pi: springs, soft stops of the twist, or a spring and hard stops of
 * a swing. */
typedef enum past_pi { PAST_SPRINGS, PAST_SOFT_STOPS, PAST_HARD_STOPS } past_pi;

/* Two boxes in space, one of which spins about the joint, so that swings pass pi. Returns how far energy ever
 * rose above the start's, as a share. */
static double gain_past_pi(uint64_t *random, dry_joint_solver solver, past_pi acts)
{
    dry_settings settings = test_settings_weightless();
    settings.joint_solver = solver;
    dry_world *world = world_with(settings);
    const double size = random_in(random, 0.2, 1.2), apart = size + 0.05;
    dry_body_id boxes[2];
    for (int i = 0; i < 2; ++i) {
        dry_shape_def box = box_shape(size / 2, size / 2, size / 4);
        box.density = (float)random_in(random, 100, 1000);
        boxes[i] = add_dynamic(world, pose_at(2 * i * apart, 0, 0), box);
    }
    const d3 spin = {random_in(random, -0.5, 0.5), random_in(random, -1, 1), random_in(random, 2, 6)};
    set_velocity(world, boxes[1], (d3){0, 0, 0}, spin);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
    def.anchor_a = v3((float)apart, 0, 0);
    def.anchor_b = v3((float)-apart, 0, 0);
    /* Springs have some 0.2 to 3 Hz: the energy of a stiffer one is half a substep off the steps' ends. */
    const double inertia = 30 * pow(size, 5);
    const int springs = (int)random_in(random, 1, 4);
    for (int k = acts == PAST_SPRINGS ? 0 : 1; k < 2; ++k)
        if (springs >> k & 1 || acts == PAST_HARD_STOPS)
            draw_spring(random, 1.6 * inertia, 360 * inertia, &def.axes[DRY_AXIS_RX + k]);
    if (acts == PAST_SOFT_STOPS)
        draw_soft_stops(random, 1.6 * inertia, 360 * inertia, &def.axes[DRY_AXIS_RX]);
    if (acts == PAST_HARD_STOPS)
        draw_stops(random, &def.axes[DRY_AXIS_RY]);
    join_two(world, def, boxes[0], boxes[1]);
    const double first = dry_world_energy(world).total_J;
    double most = first;
    for (int i = 0; i < 300; ++i) {
        run_steps(world, 1, TEST_DT);
        most = fmax(most, dry_world_energy(world).total_J);
    }
    dry_world_destroy(world);
    return most / first - 1;
}

/* Draws scenes in which energy rises above the start's by at most a share `most` in sweeps, over 1 % in at
 * most a share `often` of them, and never over 1 % directly. */
static void check_past_pi(past_pi acts, double most, double often)
{
    uint64_t random = 9;
    const int scenes = test_pick(200, 10);
    int gained = 0;
    for (int i = 0; i < scenes; ++i) {
        uint64_t again = random;
        const double gain = gain_past_pi(&random, DRY_JOINT_SOLVER_ITERATIVE, acts);
        assert_at_most(gain, most);
        gained += gain > 0.01;
        assert_at_most(gain_past_pi(&again, DRY_JOINT_SOLVER_DIRECT, acts), 0.01);
    }
    assert_at_most(gained, often * scenes);
}

/* Angles of a joint jump where its swing is pi. Springs that knew that made energy in sweeps, in 28 of 200
 * such scenes, up to 366 times what was there. */
static void test_springs_make_no_energy_where_swings_pass_pi(void **state)
{
    (void)state;
    check_past_pi(PAST_SPRINGS, 0.3, 0.01);
}

/* The twist of a soft stop jumps there, too: 34 of 200 such scenes gained over 1 %, up to 197 times what was
 * there. */
static void test_soft_stops_make_no_energy_where_swings_pass_pi(void **state)
{
    (void)state;
    check_past_pi(PAST_SOFT_STOPS, 0.01, 0);
}

/* Hard stops of a swing let go there with the spring beside them: 6 of 200 such scenes gained over 1 % in
 * sweeps, up to 4.5 times what was there. One gains 1.2 %. */
static void test_stops_of_swings_make_no_energy_where_swings_pass_pi(void **state)
{
    (void)state;
    check_past_pi(PAST_HARD_STOPS, 0.02, 0.01);
}

/* A stop of a twist holds where its swing is nearly pi, beside a spring of the same axis. */
static void test_stops_beside_springs_hold_near_a_swing_by_pi(void **state)
{
    (void)state;
    const double swings[] = {2.7, 2.9, 3.1};
    for (int i = 0; i < 6; ++i) {
        dry_settings settings = test_settings_weightless();
        settings.joint_solver = i % 2 ? DRY_JOINT_SOLVER_ITERATIVE : DRY_JOINT_SOLVER_DIRECT;
        dry_world *world = world_with(settings);
        const dry_shape_def ball = sphere_shape(0.5);
        const dry_body_def body = body_def(
            DRY_BODY_DYNAMIC, (dry_pose){.orientation = quat_about((d3){0, 0, 1}, swings[i / 2])}, &ball);
        const dry_body_id id = add_def(world, &body);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_GENERIC);
        def.axes[DRY_AXIS_RZ].min = def.axes[DRY_AXIS_RZ].max = (float)swings[i / 2];
        def.axes[DRY_AXIS_RX].min = -0.5f, def.axes[DRY_AXIS_RX].max = 0.5f;
        def.axes[DRY_AXIS_RX].stiffness = 1e-3f;
        const dry_joint_id joint = join_two(world, def, add_post(world), id);
        for (int step = 0; step < 240; ++step) {
            assert_ok(dry_body_apply_torque(world, id, v3(20, 0, 0)));
            run_steps(world, 1, TEST_DT);
        }
        dry_joint_axis_state twist;
        assert_ok(dry_joint_get_axis(world, joint, DRY_AXIS_RX, &twist));
        assert_at_most(fabs((double)twist.value), 0.51);
        dry_world_destroy(world);
    }
}

/* A twist between stops is never a whole rotation beyond them, however swings pass near pi: each pass changes
 * it by 2 pi, and a spring that knew that had 1.3 times the energy of its scene. */
static void test_swings_past_pi_leave_a_twist_between_its_stops(void **state)
{
    (void)state;
    uint64_t random = 44;
    for (int i = 0; i < 40; ++i) {
        dry_settings settings = test_settings_weightless();
        settings.joint_solver = i % 2 ? DRY_JOINT_SOLVER_ITERATIVE : DRY_JOINT_SOLVER_DIRECT;
        dry_world *world = world_with(settings);
        const dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
        dry_joint_axis *twist = &def.axes[DRY_AXIS_RX];
        draw_spring(&random, 1, 1000, twist);
        twist->min = (float)random_in(&random, -1, -0.2), twist->max = (float)random_in(&random, 0.2, 1);
        const dry_joint_id joint = join_two(world, def, add_post(world), id);
        set_velocity(world, id, (d3){0, 0, 0},
                     (d3){random_in(&random, -1, 1), random_in(&random, 1, 12), random_in(&random, 1, 12)});
        const double middle = 0.5 * ((double)twist->min + (double)twist->max);
        for (int step = 0; step < 240; ++step) {
            run_steps(world, 1, TEST_DT);
            dry_joint_axis_state now;
            assert_ok(dry_joint_get_axis(world, joint, DRY_AXIS_RX, &now));
            assert_at_most(fabs((double)now.value - middle), TEST_PI + 1e-3);
        }
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spinning_bodies_on_soft_springs_gain_no_energy),
        cmocka_unit_test(test_springs_near_a_swing_by_pi_are_those_of_their_energy),
        cmocka_unit_test(test_springs_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_soft_stops_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_stops_of_swings_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_stops_beside_springs_hold_near_a_swing_by_pi),
        cmocka_unit_test(test_swings_past_pi_leave_a_twist_between_its_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
