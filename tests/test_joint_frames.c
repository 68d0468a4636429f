/* Joints with frames: fixed and hinge. Closed forms of reactions, periods and rotations. */
#include "tests/test_joint.h"

#include "core/math.h"

static dry_body_id add_post(dry_world *world)
{
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    return add_def(world, &def);
}

static dry_joint_id join_two(dry_world *world, dry_joint_def def, dry_body_id a, dry_body_id b)
{
    def.body_a = a;
    def.body_b = b;
    return join(world, &def);
}

/* A plank that is fixed at its end gives the wall its weight, and the weight times half its length about the
 * end; with any frame that is the same in the world. */
static void test_cantilever_gives_its_weight_and_moment(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; ++turned)
        for (int way = 0; way < VELOCITY_WAYS; ++way) {
            dry_world *world = world_with(joint_settings(way, test_settings()));
            const dry_quat frame = turned ? quat_about((d3){0.6, 0, 0.8}, 1.1) : quat_about((d3){1, 0, 0}, 0);
            const dry_body_id post = add_post(world);
            const dry_body_id plank = add_dynamic(world, pose_at(1, 0, 0), box_shape(1, 0.05, 0.1));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
            def.anchor_b = v3(-1, 0, 0);
            def.orientation_a = def.orientation_b = frame;
            const dry_joint_id id = join_two(world, def, post, plank);
            run_steps(world, 300, TEST_DT);
            const double weight = mass_of(world, plank).mass * TEST_G;
            dry_vec3 force, torque;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            assert_near(force.y, weight, 1e-3 * weight);
            assert_near(torque.z, weight, 1e-3 * weight);
            assert_at_most(hypot(force.x, force.z), 1e-3 * weight);
            assert_at_most(hypot(torque.x, torque.y), 1e-3 * weight);
            assert_near(position_of(world, plank).y, 0, 1e-3);
            dry_world_destroy(world);
        }
}

/* A physical pendulum on a hinge: T = 2 pi sqrt(I / (m g d)) (1 + a^2 / 16 + 11 a^4 / 3072), I about the
 * axis. The axis is x of the frame, here turned to the world's z. */
static void test_hinge_pendulum_has_its_period(void **state)
{
    (void)state;
    const double amplitude = 0.3, d = 0.5;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_world *world = world_with(joint_settings(way, test_settings()));
        const dry_body_id post = add_post(world);
        dry_pose pose = pose_at(d * sin(amplitude), -d * cos(amplitude), 0);
        pose.orientation = quat_about((d3){0, 0, 1}, amplitude);
        const dry_body_id bob = add_dynamic(world, pose, box_shape(0.1, 0.5, 0.2));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
        def.anchor_b = v3(0, d, 0);
        def.orientation_a = def.orientation_b = quat_about((d3){0, 1, 0}, -TEST_PI / 2);
        join_two(world, def, post, bob);
        const dry_mass mass = mass_of(world, bob);
        const double inertia = (double)mass.inertia[2][2] + (double)mass.mass * d * d;
        const double period = 2 * TEST_PI * sqrt(inertia / ((double)mass.mass * TEST_G * d)) *
                              (1 + amplitude * amplitude / 16 + 11 * pow(amplitude, 4) / 3072);
        enum { SWINGS = 10 };
        double first = 0, last = 0, before = 0;
        int crossings = 0;
        for (int step = 0; crossings <= 2 * SWINGS && step < 100000; ++step) {
            run_steps(world, 1, TEST_DT);
            const double x = position_of(world, bob).x, time = (step + 1) * (double)TEST_DT;
            assert_at_most(fabs(position_of(world, bob).z), 1e-4);
            if (step > 0 && (x < 0) != (before < 0)) {
                const double at = time - (double)TEST_DT * x / (x - before);
                if (crossings++ == 0)
                    first = at;
                last = at;
            }
            before = x;
        }
        assert_near((last - first) / SWINGS, period, 1e-3 * period);
        dry_world_destroy(world);
    }
}

/* Two bodies in space that are fixed to each other turn as one: their frames stay together, and what the two
 * have in momentum stays. */
static void test_fixed_bodies_turn_as_one(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int run = 0; run < test_pick(40, 8); ++run) {
        dry_world *world = world_with(test_settings_weightless());
        const double half_a = random_in(&seed, 0.1, 0.5), half_b = random_in(&seed, 0.1, 0.5);
        const dry_quat q_a = random_quat(&seed), q_b = random_quat(&seed), frame = random_quat(&seed);
        dry_body_id ids[2];
        dry_pose pose = pose_at(0, 0, 0);
        pose.orientation = q_a;
        ids[0] = add_dynamic(world, pose, box_shape(half_a, 0.2, 0.3));
        const d3 apart = d3_turn(random_quat(&seed), (d3){1.2, 0, 0});
        pose = pose_at(apart.x, apart.y, apart.z);
        pose.orientation = q_b;
        ids[1] = add_dynamic(world, pose, box_shape(0.3, half_b, 0.1));
        /* The same frame in the world, seen from both bodies, half-way between them. */
        const dry_quat inverse_a = {-q_a.x, -q_a.y, -q_a.z, q_a.w},
                       inverse_b = {-q_b.x, -q_b.y, -q_b.z, q_b.w};
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
        def.orientation_a = quat_mul(inverse_a, frame);
        def.orientation_b = quat_mul(inverse_b, frame);
        def.anchor_a = quat_rotate(inverse_a, v3_of(d3_scale(apart, 0.5)));
        def.anchor_b = quat_rotate(inverse_b, v3_of(d3_scale(apart, -0.5)));
        join_two(world, def, ids[0], ids[1]);
        const d3 spin = random_d3(&seed, 3);
        for (int i = 0; i < 2; ++i)
            set_velocity(world, ids[i], d3_cross(spin, position_of(world, ids[i])), spin);
        const d3 p = total_momentum(world, ids, 2), l = total_angular_momentum(world, ids, 2);
        run_steps(world, 300, TEST_DT);
        double scale = d3_length(l);
        assert_at_most(d3_length(d3_sub(total_momentum(world, ids, 2), p)), 1e-4 * scale);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, ids, 2), l)), 1e-4 * scale);
        dry_pose at[2];
        for (int i = 0; i < 2; ++i)
            assert_ok(dry_body_get_pose(world, ids[i], &at[i]));
        const dry_quat a = quat_mul(at[0].orientation, def.orientation_a);
        const dry_quat b = quat_mul(at[1].orientation, def.orientation_b);
        const double cosine = fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
        assert_at_most(2 * acos(fmin(cosine, 1)), 0.01);
        const d3 end_a =
            d3_add(position_of(world, ids[0]), d3_of(quat_rotate(at[0].orientation, def.anchor_a)));
        const d3 end_b =
            d3_add(position_of(world, ids[1]), d3_of(quat_rotate(at[1].orientation, def.anchor_b)));
        assert_at_most(d3_length(d3_sub(end_b, end_a)), 2e-3);
        dry_world_destroy(world);
    }
}

/* Two cubes in space on a ball joint, of which one was spun at 20 rad/s, a third of a radian a step, keep
 * their energy within 1 % for 10 s. The joint takes part of the spin over in the first step. */
static void test_spun_cubes_keep_their_energy(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_world *world = world_with(joint_settings(way, test_settings_weightless()));
        dry_body_id cubes[2];
        for (int i = 0; i < 2; ++i)
            cubes[i] = add_dynamic(world, pose_at(i ? 0.6 : -0.6, 0, 0), box_shape(0.5, 0.5, 0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.anchor_a = v3(0.6, 0, 0);
        def.anchor_b = v3(-0.6, 0, 0);
        join_two(world, def, cubes[0], cubes[1]);
        set_velocity(world, cubes[0], (d3){0, 0, 0}, d3_scale(d3_unit((d3){0.1, 0.2, 0.97}), 20));
        run_steps(world, 1, TEST_DT);
        const double energy = dry_world_energy(world).total_J;
        const d3 l = total_angular_momentum(world, cubes, 2);
        run_steps(world, 600, TEST_DT);
        assert_near(dry_world_energy(world).total_J, energy, 0.01 * energy);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, cubes, 2), l)), 1e-5 * d3_length(l));
        dry_world_destroy(world);
    }
}

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
    settings.solver = solver;
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
        for (int i = 0; i < 24; ++i) {
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
    const int scenes = test_pick(200, 20);
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

static dry_world *world_of_direct_joints(void)
{
    dry_settings settings = test_settings();
    settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    settings.sleep = false;
    return world_with(settings);
}

/* Friction of a ball joint leaves to a hinge of the same bodies what that holds, directly too: a load at rest
 * does not wind it up. */
static void test_friction_beside_a_hinge_does_not_wind_up(void **state)
{
    (void)state;
    dry_world *world = world_of_direct_joints();
    const dry_quat turned = quat_about(d3_unit((d3){1, 2, 3}), 0.7),
                   back = {-turned.x, -turned.y, -turned.z, turned.w};
    dry_pose at = pose_at(1, 0, 0);
    at.orientation = turned;
    const dry_body_id post = add_post(world), rod = add_dynamic(world, at, box_shape(0.5, 0.05, 0.05)),
                      load = add_dynamic(world, pose_at(2, 0, 0), box_shape(0.3, 0.05, 0.05));
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.orientation_a = quat_about(d3_unit((d3){0, 1, 0.3}), 1.2);
    hinge.orientation_b = quat_mul(back, hinge.orientation_a);
    hinge.anchor_a = v3(1, 0, 0);
    join_two(world, hinge, post, rod);
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.friction = 1000;
    ball.anchor_a = v3(1, 0, 0);
    const dry_joint_id rubs = join_two(world, ball, post, rod);
    dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
    fixed.orientation_a = back;
    fixed.anchor_b = v3(-1, 0, 0);
    join_two(world, fixed, rod, load);
    const double weight = (double)mass_of(world, load).mass * TEST_G;
    run_steps(world, 1800, TEST_DT);
    dry_vec3 force, torque;
    assert_ok(dry_joint_get_reaction(world, rubs, &force, &torque));
    assert_at_most(d3_length(d3_of(torque)), 2 * weight);
    dry_world_destroy(world);
}

/* A box with a ball on it, without friction and a little off the center of what it stands on, stays. */
static void test_a_frictionless_tower_of_joined_bodies_stays(void **state)
{
    (void)state;
    dry_world *world = world_of_direct_joints();
    dry_shape_def floor = dry_default_shape_def();
    floor.type = DRY_SHAPE_HALFSPACE;
    const dry_body_def ground = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &floor);
    add_def(world, &ground);
    dry_shape_def slippery = box_shape(1, 2, 1), ball = sphere_shape(0.1);
    slippery.friction = ball.friction = 0;
    add_dynamic(world, pose_at(0, 2, 0), box_shape(2, 2, 2));
    const dry_body_id box = add_dynamic(world, pose_at(1e-4, 6, 0), slippery),
                      top = add_dynamic(world, pose_at(1e-4, 8.5, 0), ball);
    dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
    fixed.anchor_a = v3(0, 2.5f, 0);
    join_two(world, fixed, box, top);
    run_steps(world, 1200, TEST_DT);
    assert_at_most(fabs(position_of(world, box).x), 2e-3);
    dry_world_destroy(world);
}

static void test_bad_frames_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id post = add_post(world);
    const dry_body_id body = add_dynamic(world, pose_at(1, 0, 0), box_shape(0.1, 0.1, 0.1));
    const dry_quat bad[] = {{0, 0, 0, 0}, {0, 0, 0, 1.1f}, {NAN, 0, 0, 1}, {0, INFINITY, 0, 1}};
    for (int i = 0; i < COUNT_OF(bad); ++i)
        for (int side = 0; side < 2; ++side) {
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
            def.body_a = post;
            def.body_b = body;
            *(side ? &def.orientation_b : &def.orientation_a) = bad[i];
            dry_joint_id id;
            assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
        }
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_a = post;
    def.body_b = body;
    def.stiffness = 100;
    dry_joint_id id;
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_statistics(world).joints, 0);
    dry_world_destroy(world);
}

/* The direction of an axis of a joint's frame, in the world. */
static d3 frame_axis(dry_pose body, dry_quat frame, dry_vec3 axis)
{
    const dry_vec3 v = quat_rotate(quat_mul(body.orientation, frame), axis);
    return (d3){v.x, v.y, v.z};
}

static dry_body_id add_anywhere(dry_world *world, uint64_t *seed)
{
    dry_shape_def shape = box_shape(0.2, 0.3, 0.4);
    shape.pose.position = v3_of(random_d3(seed, 0.5)); /* whose center is not the body's origin */
    shape.filter.mask = 0;
    const d3 p = random_d3(seed, 2);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){{p.x, p.y, p.z}, random_quat(seed)}, &shape);
    return add_def(world, &def);
}

/* Returns a definition by the function of its type; of a distance joint the second point is 2 m along the
 * axis. */
static dry_joint_def placed_def(const dry_world *world, dry_joint_type type, dry_body_id a, dry_body_id b,
                                dry_position p, dry_vec3 axis)
{
    const dry_position end = {p.x + 2 * axis.x, p.y + 2 * axis.y, p.z + 2 * axis.z};
    switch (type) {
    case DRY_JOINT_BALL:
        return dry_ball_def(world, a, b, p);
    case DRY_JOINT_DISTANCE:
        return dry_distance_def(world, a, b, p, end);
    case DRY_JOINT_TARGET:
        return dry_target_def(world, b, p);
    case DRY_JOINT_HINGE:
        return dry_hinge_def(world, a, b, p, axis);
    case DRY_JOINT_SLIDER:
        return dry_slider_def(world, a, b, p, axis);
    case DRY_JOINT_UNIVERSAL:
        return dry_universal_def(world, a, b, p, axis);
    case DRY_JOINT_FIXED:
        return dry_fixed_def(world, a, b, p);
    case DRY_JOINT_CONE_TWIST:
        return dry_cone_twist_def(world, a, b, p, axis);
    case DRY_JOINT_WHEEL:
        return dry_wheel_def(world, a, b, p, axis);
    case DRY_JOINT_GENERIC:
        return dry_generic_def(world, a, b, p, axis);
    case DRY_JOINT_ALIGN:
        return dry_align_def(world, a, b, p, axis);
    case DRY_JOINT_FILTER:
        return dry_filter_def(a, b);
    case DRY_JOINT_GEAR:
        return dry_gear_def(world, a, b, axis, 2, 3);
    default:
        return dry_rack_def(world, a, b, p, axis);
    }
}

/* A definition that is placed between bodies in any poses makes a joint that is closed, with all axes at 0
 * and x of both frames along the axis; and it stays so in a step without gravity. */
static void test_placed_joints_are_closed(void **state)
{
    (void)state;
    uint64_t seed = 6704;
    for (int n = 0; n < 40 * DRY_JOINT_TYPE_COUNT; n++) {
        const dry_joint_type type = (dry_joint_type)(n % DRY_JOINT_TYPE_COUNT);
        const bool to_world =
            type == DRY_JOINT_TARGET || (n / DRY_JOINT_TYPE_COUNT % 4 == 0 && type < DRY_JOINT_ALIGN);
        if (type == DRY_JOINT_VOLUME)
            continue;
        dry_world *world = world_with(test_settings_weightless());
        const dry_body_id a = to_world ? (dry_body_id){0} : add_anywhere(world, &seed),
                          b = add_anywhere(world, &seed);
        const d3 p = random_d3(&seed, 2), direction = d3_unit(random_d3(&seed, 1));
        const dry_joint_def def =
            placed_def(world, type, a, b, (dry_position){p.x, p.y, p.z}, v3_of(direction));
        const dry_joint_id id = join(world, &def);
        for (int step = 0; step < 2; step++) {
            float gap = 0, turn = 0;
            assert_ok(dry_joint_get_error(world, id, &gap, &turn));
            assert_at_most(gap, 3e-6);
            assert_at_most(turn, 3e-6);
            for (int axis = 0; axis < DRY_AXIS_COUNT; axis++) {
                dry_joint_axis_state now;
                if (dry_joint_get_axis(world, id, (dry_axis)axis, &now) == DRY_OK)
                    assert_at_most(fabs((double)now.value), 3e-6);
            }
            run_steps(world, 1, TEST_DT);
        }
        dry_pose pose_a = {{p.x, p.y, p.z}, quat_identity()};
        if (!to_world)
            pose_a = pose_of(world, a);
        if (type == DRY_JOINT_HINGE || type == DRY_JOINT_WHEEL || type == DRY_JOINT_GEAR ||
            type == DRY_JOINT_RACK) {
            const d3 x_a = frame_axis(pose_a, def.orientation_a, v3(1, 0, 0));
            const d3 x_b = frame_axis(pose_of(world, b), def.orientation_b, v3(1, 0, 0));
            assert_at_most(d3_length(d3_sub(x_a, direction)) + d3_length(d3_sub(x_b, direction)), 3e-6);
        }
        if (type == DRY_JOINT_WHEEL) /* up, or along z */
            assert_true(fabs(direction.y) > 0.708
                            ? frame_axis(pose_a, def.orientation_a, v3(0, 1, 0)).z > 0.7
                            : frame_axis(pose_a, def.orientation_a, v3(0, 1, 0)).y > 0.7);
        dry_world_destroy(world);
    }
}

/* A pinion that a motor turns drives a rack and a second wheel as their sizes and teeth say, built by nothing
 * but points and axes. */
static void test_placed_teeth_drive(void **state)
{
    (void)state;
    uint64_t seed = 6705;
    for (int n = 0; n < 20; n++) {
        dry_world *world = world_with(test_settings_weightless());
        const dry_quat q = random_quat(&seed);
        const dry_vec3 axis = quat_rotate(q, v3(0, 0, 1)), along = quat_rotate(q, v3(1, 0, 0)),
                       across = quat_rotate(q, v3(0, 1, 0));
        const double radius = random_in(&seed, 0.2, 2);
        const dry_position meet = position_add((dry_position){0, 0, 0}, vec3_scale(across, (float)radius));
        const dry_position far = position_add((dry_position){0, 0, 0}, vec3_scale(along, 3));
        dry_shape_def ball = sphere_shape(0.2);
        ball.filter.mask = 0;
        dry_body_id bodies[3], none = {0};
        const dry_position at[3] = {{0, 0, 0}, meet, far};
        for (int i = 0; i < 3; i++) {
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){at[i], random_quat(&seed)}, &ball);
            bodies[i] = add_def(world, &def);
        }
        dry_joint_def defs[5] = {dry_hinge_def(world, none, bodies[0], at[0], axis),
                                 dry_slider_def(world, none, bodies[1], at[1], along),
                                 dry_hinge_def(world, none, bodies[2], at[2], axis),
                                 dry_rack_def(world, bodies[0], bodies[1], meet, axis),
                                 dry_gear_def(world, bodies[0], bodies[2], axis, 2, 3)};
        assert_near(defs[3].radius, radius, 1e-5);
        dry_joint_id ids[5];
        assert_ok(dry_world_create_joints(world, 5, defs, ids));
        assert_ok(dry_joint_set_motor(world, ids[0], DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 2));
        run_steps(world, 60, TEST_DT);
        assert_near(axis_of(world, ids[0], DRY_AXIS_RX).speed, 2, 2e-3);
        assert_near(axis_of(world, ids[1], DRY_AXIS_X).speed, -2 * radius,
                    4e-3); /* axis x across = - along */
        assert_near(axis_of(world, ids[2], DRY_AXIS_RX).speed, -2 * 2.0 / 3, 2e-3);
        dry_world_destroy(world);
    }
}

static void test_bad_places_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5)), none = {0};
    const dry_position zero = {0, 0, 0}, far = {2e9, 0, 0};
    const dry_vec3 x = {1, 0, 0}, no_axis = {0, 0, 0}, infinite = {0, INFINITY, 0};
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = a;
    const dry_joint_def before = def;
    assert_int_equal(dry_joint_def_place(NULL, &def, zero, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, NULL, zero, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, far, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, zero, no_axis), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, zero, infinite), DRY_ERROR_ARGUMENT);
    assert_memory_equal(&def, &before, sizeof def);
    def.body_b = none;
    assert_int_equal(dry_joint_def_place(world, &def, zero, x), DRY_ERROR_STALE_ID);
    def.type = DRY_JOINT_VOLUME;
    assert_int_equal(dry_joint_def_place(world, &def, zero, x), DRY_ERROR_ARGUMENT);
    def = dry_ball_def(world, none, a, zero); /* needs no axis */
    assert_ok(dry_joint_def_place(world, &def, zero, no_axis));
    dry_joint_id id;
    def = dry_hinge_def(world, none, a, zero, no_axis);
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    def = dry_hinge_def(world, a, none, zero, x);
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_STALE_ID);
    dry_world_destroy(world);
}

/* A motor's mode and target change, and nothing else; a bad one changes nothing. */
static void test_motor_is_set_alone(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5)), none = {0};
    dry_joint_def def = dry_hinge_def(world, none, a, (dry_position){0, 0, 0}, v3(0, 0, 1)), now;
    def.axes[DRY_AXIS_RX].force_max = 50;
    def.axes[DRY_AXIS_RX].max = 1;
    def.axes[DRY_AXIS_RX].friction = 3;
    const dry_joint_id id = join(world, &def);
    static const struct {
        dry_motor motor;
        float target, velocity, position;
    } calls[] = {
        {DRY_MOTOR_VELOCITY, 2, 2, 0}, {DRY_MOTOR_POSITION, 0.5f, 2, 0.5f}, {DRY_MOTOR_OFF, 9, 2, 0.5f}};
    for (int i = 0; i < COUNT_OF(calls); i++) {
        assert_ok(dry_joint_set_motor(world, id, DRY_AXIS_RX, calls[i].motor, calls[i].target));
        def.axes[DRY_AXIS_RX].motor = calls[i].motor;
        def.axes[DRY_AXIS_RX].velocity = calls[i].velocity;
        def.axes[DRY_AXIS_RX].position = calls[i].position;
        assert_ok(dry_joint_get_def(world, id, &now));
        assert_memory_equal(&now, &def, sizeof def);
    }
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_RX, DRY_MOTOR_BOTH, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_RX, DRY_MOTOR_POSITION, NAN),
                     DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_X, DRY_MOTOR_POSITION, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_COUNT, DRY_MOTOR_OFF, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, (dry_joint_id){1}, DRY_AXIS_RX, DRY_MOTOR_OFF, 0),
                     DRY_ERROR_STALE_ID);
    assert_ok(dry_joint_get_def(world, id, &now));
    assert_memory_equal(&now, &def, sizeof def);
    dry_world_destroy(world);
}

/* Fields that a motor does not use do nothing: bodies move to the bit as without, asleep and awake. */
static void test_kept_motor_fields_wait(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int motor = DRY_MOTOR_OFF; motor <= DRY_MOTOR_POSITION; motor++) {
            uint64_t hash[2];
            for (int kept = 0; kept < 2; kept++) {
                dry_settings settings = joint_settings(way, test_settings());
                settings.sleep = true;
                dry_world *world = world_with(settings);
                const dry_body_id bar = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.1, 0.1)),
                                  none = {0};
                dry_joint_def def = dry_hinge_def(world, none, bar, (dry_position){-0.5, 0, 0}, v3(0, 0, 1));
                dry_joint_axis *axis = &def.axes[DRY_AXIS_RX];
                axis->motor = (dry_motor)motor;
                axis->velocity = motor == DRY_MOTOR_VELOCITY ? 1 : kept ? 3 : 0;
                axis->position = motor == DRY_MOTOR_POSITION ? 0.5f : kept ? 2 : 0;
                axis->motor_hertz = motor == DRY_MOTOR_POSITION ? 5 : kept ? 3 : 0;
                axis->force_max = kept && motor == DRY_MOTOR_OFF ? 2 : INFINITY;
                join(world, &def);
                run_steps(world, 150, TEST_DT);
                if (way == 0)
                    assert_int_equal(dry_body_is_awake(world, bar), motor != DRY_MOTOR_POSITION);
                hash[kept] = dry_world_motion_hash(world);
                dry_world_destroy(world);
            }
            assert_true(hash[0] == hash[1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever_gives_its_weight_and_moment),
        cmocka_unit_test(test_hinge_pendulum_has_its_period),
        cmocka_unit_test(test_fixed_bodies_turn_as_one),
        cmocka_unit_test(test_spun_cubes_keep_their_energy),
        cmocka_unit_test(test_spinning_bodies_on_soft_springs_gain_no_energy),
        cmocka_unit_test(test_springs_near_a_swing_by_pi_are_those_of_their_energy),
        cmocka_unit_test(test_springs_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_soft_stops_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_stops_of_swings_make_no_energy_where_swings_pass_pi),
        cmocka_unit_test(test_stops_beside_springs_hold_near_a_swing_by_pi),
        cmocka_unit_test(test_swings_past_pi_leave_a_twist_between_its_stops),
        cmocka_unit_test(test_friction_beside_a_hinge_does_not_wind_up),
        cmocka_unit_test(test_a_frictionless_tower_of_joined_bodies_stays),
        cmocka_unit_test(test_bad_frames_are_refused),
        cmocka_unit_test(test_placed_joints_are_closed),
        cmocka_unit_test(test_placed_teeth_drive),
        cmocka_unit_test(test_bad_places_are_refused),
        cmocka_unit_test(test_motor_is_set_alone),
        cmocka_unit_test(test_kept_motor_fields_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
