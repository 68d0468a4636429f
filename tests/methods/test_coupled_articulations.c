/* Contacts and motors of bodies that hang on direct joints: what one visit leaves, closed forms of
 * motion, friction and restitution, momentum, and energy near poses from which no motion leads on. */
#include "tests/articulated.h"
#include "tests/scene_worlds.h"

#include "world/world.h"

/* One substep, and in it one sweep. */
static dry_settings one_pass(void)
{
    dry_settings settings = direct_settings();
    settings.substeps_min = 1;
    settings.substeps = 1;
    settings.sweeps = 1;
    settings.relax_sweeps = 1;
    settings.sleep = false;
    return settings;
}

/* A rod of 5 m and 50 kg on a hinge, at this angle, with a heavy block hinged to its end; it falls on a ball
 * 0.5 m from its hinge [Tomcin Fig. 1d]. Returns the rod. */
static dry_body_id make_lever(rig *r, double angle, double block)
{
    const d3 end = {5 * cos(angle), 5 * sin(angle), 0};
    r->touching = true;
    dry_shape_def ball = dry_default_shape_def();
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = 0.125f;
    const dry_body_def knob = body_def(DRY_BODY_STATIC, (dry_pose){{0.5, -0.1875, 0}, QUAT_IDENTITY}, &ball);
    add_def(r->world, &knob);
    const dry_body_id rod =
        rig_box(r, d3_scale(end, 0.5), quat_about((d3){0, 0, 1}, angle), (d3){2.5, 0.0625, 0.0625}, 50);
    const dry_body_id weight =
        rig_box(r, d3_add(end, (d3){0, -1, 0}), QUAT_IDENTITY, (d3){0.5, 0.5, 0.5}, block);
    rig_pin(r, the_world, rod, (d3){0, 0, 0});
    rig_pin(r, rod, weight, end);
    return rod;
}

/* Lets a lever fall on its knob. */
static void check_lever(double angle, double block)
{
    rig r;
    rig_make(&r, one_pass());
    const dry_body_id rod = make_lever(&r, angle, block);
    double before = 0, after = 1;
    for (int step = 0; step < 200 && before == 0; ++step) {
        const double spin = spin_of(r.world, rod).z;
        run_steps(r.world, 1, TEST_DT);
        after = spin_of(r.world, rod).z;
        if (fabs(after) < 0.5 * fabs(spin))
            before = spin;
    }
    assert_true(before < -0.1);
    if (fabs(after) > 1e-2 * fabs(before)) { /* that step closed the gap; the next one finds none */
        run_steps(r.world, 1, TEST_DT);
        after = spin_of(r.world, rod).z;
    }
    assert_at_most(fabs(after), 1e-6 * fabs(before));
    assert_at_most(worst_error(&r), 1e-6);
    rig_free(&r);
}

/* One pass stops the rod on the knob, with the block that hangs on it. */
static void test_lever_stops_in_one_pass(void **state)
{
    (void)state;
    for (int i = 0; i < 9; ++i)
        check_lever(0.2 + 0.033 * i, 7500);
}

/* From 2 ms to 0.25 s no step gains energy, and the joints stay closed. */
static void test_lever_gains_nothing(void **state)
{
    (void)state;
    const double steps[] = {0.002, 1.0 / 60, 0.1, 0.25};
    for (int i = 0; i < COUNT_OF(steps); ++i) {
        rig r;
        dry_settings settings = direct_settings();
        settings.sleep = false;
        rig_make(&r, settings);
        make_lever(&r, 0.284, 7500);
        /* In flight a step may err by a thousandth of what it moves. */
        const double start = energy_of(&r), fall = 7550 * TEST_G * 1.4;
        for (int step = 0; step < (int)(3.0 / steps[i]); ++step) {
            run_steps(r.world, 1, (float)steps[i]);
            assert_at_most(energy_of(&r), start + 1e-3 * fall);
            assert_at_most(worst_error(&r), 1e-6);
        }
        rig_free(&r);
    }
}

/* Two boxes on a fixed joint slide like one: v - mu g t. */
static void test_jointed_boxes_slide(void **state)
{
    (void)state;
    rig r;
    rig_make(&r, direct_settings());
    r.touching = true;
    add_floor(r.world, 0.6, 0);
    for (int i = 0; i < 2; ++i)
        rig_box(&r, (d3){1.2 * i, 0.5, 0}, QUAT_IDENTITY, (d3){0.5, 0.5, 0.5}, 10);
    rig_join(&r, joint_at(&r, DRY_JOINT_FIXED, r.body[0], r.body[1], (d3){0.6, 0.5, 0}, QUAT_IDENTITY));
    run_steps(r.world, 30, TEST_DT);
    for (int i = 0; i < 2; ++i)
        set_velocity(r.world, r.body[i], (d3){4, 0, 0}, (d3){0, 0, 0});
    const double mu = 0.6 * TEST_G; /* both surfaces have 0.6 */
    run_steps(r.world, 30, TEST_DT);
    const double t = 30 * (double)TEST_DT;
    for (int i = 0; i < 2; ++i)
        assert_near(velocity_of(r.world, r.body[i]).x, 4 - mu * t, 0.01 * mu * t);
    rig_free(&r);
}

/* A foot of 1 kg on a slider under a load of 1,000 kg lands at 3 m/s, while both go along the floor: the foot
 * alone at 1 m/s along its slider, both at 10 m/s across. Friction opposes the sliding that it leaves: the
 * foot stops along the slider, and the load loses mu times what it lost of its fall. Friction against the
 * sliding before would throw the foot along the slider. */
static void test_a_foot_stops_where_it_moves_easily(void **state)
{
    (void)state;
    rig r;
    dry_settings settings = direct_settings();
    settings.sleep = false;
    rig_make(&r, settings);
    r.touching = true;
    add_floor(r.world, 0.6, 0);
    const d3 at = {0, 0.11, 0}, half = {1, 0.1, 1};
    const dry_body_id foot = rig_box(&r, at, QUAT_IDENTITY, half, 1);
    r.touching = false;
    const dry_body_id load = rig_box(&r, at, QUAT_IDENTITY, half, 1000);
    rig_join(&r, joint_at(&r, DRY_JOINT_SLIDER, load, foot, at, QUAT_IDENTITY));
    set_velocity(r.world, foot, (d3){1, -3, 10}, (d3){0, 0, 0});
    set_velocity(r.world, load, (d3){0, -3, 10}, (d3){0, 0, 0});
    double energy = energy_of(&r);
    for (int step = 1; step <= 12; ++step) {
        run_steps(r.world, 1, TEST_DT);
        assert_at_most(energy_of(&r), energy * 1.0001);
        energy = energy_of(&r);
        const d3 v = velocity_of(r.world, foot);
        assert_at_most(fabs(v.x), 1 + 1e-3);
        if (step < 4)
            continue;
        assert_at_most(fabs(v.x), 1e-2);
        assert_near(velocity_of(r.world, load).z, 10 - 0.6 * (3 + TEST_G * step * TEST_DT), 0.02);
    }
    assert_at_most(worst_error(&r), 1e-6);
    rig_free(&r);
}

/* A bar on a hinge whose end falls on the floor bounces back with e times the speed of its end. */
static void test_hinged_bar_bounces(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double e = i ? 0.8 : 0.5;
        rig r;
        dry_settings settings = direct_settings();
        settings.sleep = false;
        rig_make(&r, settings);
        add_floor(r.world, 0, e);
        dry_shape_def shape = dry_default_shape_def();
        shape.type = DRY_SHAPE_SPHERE;
        shape.radius = 0.1f;
        shape.friction = 0;
        shape.restitution = (float)e;
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){{2, 1, 0}, QUAT_IDENTITY}, &shape);
        def.mass = 1;
        const dry_body_id ball = rig_add(&r, &def);
        rig_pin(&r, the_world, ball, (d3){0, 1, 0});
        double before = 0, after = 0;
        for (int step = 0; step < 200 && after == 0; ++step) {
            before = spin_of(r.world, ball).z;
            run_steps(r.world, 1, TEST_DT);
            const double now = spin_of(r.world, ball).z;
            after = now > 0 ? now : 0;
        }
        assert_true(before < -1);
        /* Gravity adds some before the floor, and takes some behind it: a step's at most. */
        assert_near(after, -e * before, 0.02 * fabs(before) + 0.5 * TEST_G * (double)TEST_DT);
        rig_free(&r);
    }
}

/* Two chains in space, thrown at each other, keep their momenta. */
static void test_chains_keep_their_momentum(void **state)
{
    (void)state;
    rig r;
    dry_settings settings = direct_settings();
    settings.gravity = v3(0, 0, 0);
    settings.sleep = false;
    rig_make(&r, settings);
    r.touching = true;
    for (int chain = 0; chain < 2; ++chain)
        for (int i = 0; i < 4; ++i) {
            const double z = chain ? 1.5 : 0, x = i + (chain ? 0.35 : 0);
            rig_box(&r, (d3){x, 0, z}, QUAT_IDENTITY, (d3){0.4, 0.1, 0.1}, 1 + i);
            if (i)
                rig_ball(&r, r.body[4 * chain + i - 1], r.body[4 * chain + i], (d3){x - 0.5, 0, z});
        }
    for (int i = 0; i < 4; ++i)
        set_velocity(r.world, r.body[4 + i], (d3){0, 0, -3}, (d3){0, 0, 0});
    const d3 linear = total_momentum(r.world, r.body, r.bodies);
    const d3 angular = total_angular_momentum(r.world, r.body, r.bodies);
    const double start = energy_of(&r), mass = 20;
    run_steps(r.world, 120, TEST_DT);
    const d3 met = velocity_of(r.world, r.body[0]);
    assert_true(d3_length(met) > 0.1); /* they did meet */
    assert_at_most(d3_length(d3_sub(total_momentum(r.world, r.body, r.bodies), linear)), 1e-5 * 3 * mass);
    assert_at_most(d3_length(d3_sub(total_angular_momentum(r.world, r.body, r.bodies), angular)),
                   1e-3 * 3 * mass);
    assert_at_most(energy_of(&r), start * (1 + 1e-5));
    rig_free(&r);
}

/* Slender rods that turn about any axis, with the least friction on one hinge: they take part in sweeps, and
 * gain nothing by their turning. */
static void test_spinning_rods_gain_nothing(void **state)
{
    (void)state;
    const double speeds[] = {4, 20};
    for (int n = 0; n < COUNT_OF(speeds); ++n) {
        rig r;
        rig_weightless(&r);
        for (int i = 0; i < 3; ++i)
            rig_bar(&r, (d3){i, 0, 0}, (d3){i + 1.0, 0, 0}, 1);
        dry_joint_def hinge = joint_at(&r, DRY_JOINT_HINGE, the_world, r.body[0], (d3){0, 0, 0}, frame_z());
        hinge.axes[DRY_AXIS_RX].friction = 1e-6f;
        rig_join(&r, hinge);
        for (int i = 1; i < 3; ++i)
            rig_ball(&r, r.body[i - 1], r.body[i], (d3){i, 0, 0});
        for (int i = 0; i < 3; ++i)
            set_velocity(r.world, r.body[i], (d3){0, speeds[n] * (i + 0.5) + (i == 2), 0},
                         (d3){0, 0, speeds[n] + 2 * (i == 2)});
        const double start = energy_of(&r);
        for (int step = 0; step < 600; ++step) {
            run_steps(r.world, 1, TEST_DT);
            assert_at_most(energy_of(&r), start * 1.001);
            assert_at_most(worst_error(&r), 1e-4);
        }
        rig_free(&r);
    }
}

/* Returns the largest error of the joints of all bodies. */
static float worst_gap(const rig *r)
{
    float worst = 0.0f;
    for (int b = 0; b < r->bodies; ++b) {
        dry_joint_id joint[8];
        int count = 0;
        assert_ok(dry_body_get_joints(r->world, r->body[b], joint, 8, &count));
        for (int j = 0; j < count; ++j) {
            float gap, angle;
            assert_ok(dry_joint_get_error(r->world, joint[j], &gap, &angle));
            worst = gap > worst ? gap : worst;
        }
    }
    return worst;
}

/* Steps a bridge of the built-in scenes, with this share of gravity more. It gains no energy, and its joints
 * open by `gap` m at most. */
static void step_bridge(const char *name, int size, int steps, double more, double gap, rig *r)
{
    dry_scene scene = scene_of(name, size);
    dry_settings settings = direct_settings();
    settings.gravity = scene.gravity;
    settings.gravity.y *= (float)(1 + more);
    settings.sleep = true;
    rig_make(r, settings);
    assert_ok(dry_scene_build(&scene, r->world, r->body));
    r->bodies = scene.body_count;
    dry_scene_free(&scene);
    const double start = energy_of(r);
    for (int step = 0; step < steps; ++step) {
        run_steps(r->world, 1, TEST_DT);
        assert_at_most(energy_of(r), start * 1.0001);
        assert_at_most(worst_gap(r), gap);
    }
}

/* A straight bridge is near a pose from which no motion leads on: its joints hold still the more, the
 * straighter it is. With boxes on it, it comes to rest. */
static void test_straight_bridges_rest(void **state)
{
    (void)state;
    const int sizes[] = {4, 7, 12, 20};
    for (int i = 0; i < test_pick(COUNT_OF(sizes), 2); ++i) {
        rig r;
        step_bridge("bridge", sizes[i], 300, 0, 1e-4, &r);
        for (int b = 0; b < r.bodies; ++b)
            assert_true(!dry_body_is_awake(r.world, r.body[b]));
        rig_free(&r);
    }
}

/* Two hundred boxes that fall 2 m onto a straight bridge bend it by what its joints' errors are worth. Where
 * joints open substeps follow: they hold 0.1 mm under any small change of gravity. */
static void test_bridge_bears_falling_boxes(void **state)
{
    (void)state;
    const double changes[] = {0, 1e-5, -1e-5, 1e-4};
    for (int i = 0; i < test_pick(COUNT_OF(changes), 1); ++i) {
        rig r;
        step_bridge("bridge-load", test_pick(200, 60), test_pick(80, 60), changes[i], 1e-4, &r);
        rig_free(&r);
    }
}

/* A bar turns by w about its end, where a joint that sweeps solve holds a box. The turning of its rows opens
 * the joint by w^2 r t^2 / 2 within t: rows are found anew before that exceeds a micrometer. */
static void test_rows_last_as_long_as_their_turning_is_unseen(void **state)
{
    (void)state;
    enum { SUBSTEPS = 8 };
    const double lasts[] = {0.5, 1.5, 2.5, 3.5, 5.5, 20}; /* substeps */
    for (int i = 0; i < COUNT_OF(lasts); ++i) {
        rig r;
        dry_settings settings = direct_settings();
        settings.gravity = v3(0, 0, 0);
        settings.substeps = SUBSTEPS;
        rig_make(&r, settings);
        const double length = 2, h = TEST_DT / SUBSTEPS, lasting = lasts[i] * h;
        const double w = sqrt(2e-6 / (0.5 * length)) / lasting;
        const dry_body_id bar = rig_bar(&r, (d3){0, 0, 0}, (d3){length, 0, 0}, 1);
        const dry_body_id box = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 1);
        rig_ball(&r, the_world, bar, (d3){0, 0, 0});
        dry_joint_def swept = joint_at(&r, DRY_JOINT_BALL, bar, box, (d3){0, 0, 0}, QUAT_IDENTITY);
        swept.solver = DRY_JOINT_SOLVER_ITERATIVE;
        rig_join(&r, swept);
        set_velocity(r.world, bar, (d3){0, 0.5 * length * w, 0}, (d3){0, 0, w});
        run_steps(r.world, 1, TEST_DT);
        int found = 0;
        for (int k = 1; k < SUBSTEPS; ++k)
            found = k + 1 - found > lasts[i] ? k : found;
        assert_int_equal(r.world->solver.articulations.count, 1);
        assert_float_equal(r.world->solver.articulations.articulation[0].found / h, found, 1e-3);
        float gap, angle;
        assert_ok(dry_joint_get_error(r.world, r.joint[0], &gap, &angle));
        assert_at_most(gap, 1e-8);
        rig_free(&r);
    }
}

/* A motor lifts through linkages: the lift's energy is what its motor gives, and it rises. */
static void test_scissor_lift_rises(void **state)
{
    (void)state;
    dry_scene scene = scene_of("scissor", 10);
    rig r;
    rig_make(&r, direct_settings());
    assert_ok(dry_scene_build(&scene, r.world, r.body));
    r.bodies = scene.body_count;
    double height = energy_of(&r);
    for (int second = 0; second < 3; ++second) {
        run_steps(r.world, 60, TEST_DT);
        assert_true(energy_of(&r) > height);
        height = energy_of(&r);
    }
    dry_scene_free(&scene);
    rig_free(&r);
}

/* Lets figures and boxes fall into a bin, under a multiple of its gravity: joints within 0.1 mm, stops within
 * 0.01 rad after every step, and all bodies are left. */
static void let_ragdolls_fall(int size, float gravity, int steps)
{
    dry_scene scene = scene_of("ragdolls", size);
    dry_settings settings = direct_settings();
    settings.gravity = (dry_vec3){0.0f, gravity * scene.gravity.y, 0.0f};
    rig r;
    rig_make(&r, settings);
    assert_ok(dry_scene_build(&scene, r.world, r.body));
    r.bodies = scene.body_count;
    for (int step = 0; step < steps; ++step) {
        run_steps(r.world, 1, TEST_DT);
        for (int b = 0; b < r.bodies; ++b) {
            dry_joint_id joint[8];
            int count = 0;
            assert_ok(dry_body_get_joints(r.world, r.body[b], joint, 8, &count));
            for (int j = 0; j < count; ++j) {
                float gap, angle;
                assert_ok(dry_joint_get_error(r.world, joint[j], &gap, &angle));
                assert_at_most(gap, 1e-4);
                assert_at_most(angle, 0.01);
            }
        }
    }
    assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
    dry_scene_free(&scene);
    rig_free(&r);
}

static void test_ragdolls_keep_their_limits(void **state)
{
    (void)state;
    for (int size = 1; size <= test_pick(3, 1); ++size)
        let_ragdolls_fall(size, 1.0f, 180);
}

/* Limbs that are pressed between other figures and the floor: their joints' rows turn away under the
 * pressure, and what a substep carries on would press harder along new rows, from substep to substep. So
 * three of these lost up to 144 bodies, and two opened joints by over 1 m. */
static void test_pressed_ragdolls_stay_whole(void **state)
{
    (void)state;
    const struct {
        int size;
        float gravity;
        int steps;
    } fall[] = {{6, 7.0f, 30}, {6, 4.0f, 45}, {4, 3.5f, 30}, {8, 7.0f, 30}, {6, 1.00007f, 70}};
    for (int i = 0; i < test_pick(5, 1); ++i)
        let_ragdolls_fall(fall[i].size, fall[i].gravity, fall[i].steps);
}

/* Builds a chain of capsules along a slope, each of which overlaps the next one, beside which it collides. */
static void make_overlapping_chain(rig *r, uint64_t *seed, double height)
{
    static const dry_joint_type types[] = {DRY_JOINT_BALL, DRY_JOINT_HINGE, DRY_JOINT_UNIVERSAL,
                                           DRY_JOINT_FIXED};
    const dry_joint_type type = types[random_below(seed, COUNT_OF(types))];
    const int count = 3 + random_below(seed, 8);
    const double radius = random_in(seed, 0.08, 0.25), half = random_in(seed, 0.05, 0.35);
    const double pitch = fmax(0.3 * radius, 2 * (half + radius) - random_in(seed, 0, 2) * radius);
    const double slope = random_in(seed, -0.4, 0.4);
    const d3 along = {cos(slope), sin(slope), 0};
    const double lowest = radius + 0.5 * count * pitch * fabs(along.y);
    for (int i = 0; i < count; ++i) {
        const d3 at = d3_add((d3){0, lowest + height, 0}, d3_scale(along, (i - 0.5 * (count - 1)) * pitch));
        const dry_shape_def shape = capsule_shape((float)radius, (float)half);
        const dry_pose pose = {{at.x, at.y, at.z}, quat_about((d3){0, 0, 1}, slope + 0.5 * TEST_PI)};
        const dry_body_def body = body_def(DRY_BODY_DYNAMIC, pose, &shape);
        rig_add(r, &body);
        if (i == 0)
            continue;
        dry_joint_def joint = joint_at(r, type, r->body[i - 1], r->body[i],
                                       d3_sub(at, d3_scale(along, 0.5 * pitch)), frame_z());
        joint.collide = true;
        rig_join(r, joint);
    }
}

/* Joints forbid such neighbors to part, and alpha left contacts 1e-12 of their mobility: pushing 1e12 N s,
 * they lost bodies of 28 of 30 chains that fell, and of 13 of 30 that were at rest in flight. */
static void test_overlapping_chains_stay_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_pick(24, 6); ++seed)
        for (int falls = 0; falls < 2; ++falls) {
            dry_settings settings = direct_settings();
            if (seed % 3 == 0)
                settings.joint_solver = DRY_JOINT_SOLVER_AUTO;
            if (!falls)
                settings.gravity = v3(0, 0, 0);
            const bool direct = settings.joint_solver == DRY_JOINT_SOLVER_DIRECT;
            uint64_t random = seed;
            rig r;
            rig_make(&r, settings);
            add_floor(r.world, 0.6, 0);
            make_overlapping_chain(&r, &random, falls ? random_in(&random, 0.5, 2) : 5);
            const double energy = energy_of(&r);
            for (int step = 0; step < 150; ++step) {
                run_steps(r.world, 1, TEST_DT);
                assert_at_most(energy_of(&r), energy + 1e-3 * fabs(energy) + 1e-6);
                assert_at_most(worst_error(&r), direct ? 1e-6 : 1e-2);
            }
            assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
            for (int b = 0; b < r.bodies && !falls; ++b)
                assert_at_most(d3_length(velocity_of(r.world, r.body[b])), 1e-3);
            rig_free(&r);
        }
}

/* Hinges hold boxes on a fixed one that they overlap. Where the contact's normal almost meets the axis, its
 * impulse parted nothing, and threw bodies of 8 of 100 such chains. */
static void test_boxes_hang_on_what_they_overlap(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_pick(60, 20); ++seed) {
        uint64_t random = seed;
        dry_settings settings = direct_settings();
        settings.gravity.y *= (float)(seed % 2);
        rig r;
        rig_make(&r, settings);
        dry_body_id last = the_world;
        const int count = 2 + random_below(&random, 3);
        const double size = random_in(&random, 0.1, 0.4), pitch = size * random_in(&random, 0.4, 1.8);
        for (int i = 0; i < count; ++i) {
            const dry_shape_def shape = box_shape(size, size * random_in(&random, 0.6, 1), 0.8 * size);
            const dry_pose pose = {{i * pitch, 0, random_in(&random, -0.1, 0.1)}, random_quat(&random)};
            const dry_body_def def = body_def(i ? DRY_BODY_DYNAMIC : DRY_BODY_STATIC, pose, &shape);
            const dry_body_id body = add_def(r.world, &def);
            dry_joint_def joint = joint_at(&r, DRY_JOINT_HINGE, last, body, (d3){(i - 0.5) * pitch, 0, 0},
                                           random_quat(&random));
            joint.collide = true;
            if (i > 0)
                rig_join(&r, joint);
            last = body;
        }
        run_steps(r.world, 150, TEST_DT);
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
        rig_free(&r);
    }
}

/* Boxes of which each overlaps several lie on a floor, their joints in sweeps. Friction and joints pressed
 * their contacts ten times harder within half a second, until bodies of one chain in eight flew off. */
static void test_overlapping_boxes_in_sweeps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_pick(100, 40); ++seed) {
        uint64_t random = seed;
        rig r;
        rig_make(&r, test_settings());
        r.touching = true;
        add_floor(r.world, 0.6, 0);
        dry_body_id last = the_world;
        const int count = 3 + random_below(&random, 6);
        const double size = random_in(&random, 0.1, 0.4), pitch = size * random_in(&random, 0.4, 1.2);
        for (int i = 0; i < count; ++i) {
            const d3 half = {size, 0.6 * size, 0.6 * size};
            const dry_body_id body = rig_box(&r, (d3){i * pitch, half.y, 0}, QUAT_IDENTITY, half, 1000);
            dry_joint_def joint = joint_at(&r, seed % 2 ? DRY_JOINT_BALL : DRY_JOINT_FIXED, last, body,
                                           (d3){(i - 0.5) * pitch, half.y, 0}, QUAT_IDENTITY);
            joint.collide = true;
            if (i > 0)
                rig_join(&r, joint);
            last = body;
        }
        run_steps(r.world, 240, TEST_DT);
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
        rig_free(&r);
    }
}

/* An arm on a hinge of a block swings down onto the block's side, which holds it: joints forbid neither's
 * motion along that contact. */
static void test_an_arm_rests_on_its_body(void **state)
{
    (void)state;
    rig r;
    rig_make(&r, direct_settings());
    r.touching = true;
    add_floor(r.world, 0.6, 0);
    const dry_body_id block = rig_box(&r, (d3){0, 0.5, 0}, QUAT_IDENTITY, (d3){0.5, 0.5, 0.5}, 1000);
    const dry_body_id arm = rig_box(&r, (d3){1.02, 1.0, 0}, QUAT_IDENTITY, (d3){0.4, 0.05, 0.05}, 5);
    dry_joint_def joint = joint_at(&r, DRY_JOINT_HINGE, block, arm, (d3){0.57, 1.0, 0}, frame_z());
    joint.collide = true;
    rig_join(&r, joint);
    /* Thrown at the block, it would go into it by its whole length in a tenth of a second. */
    set_velocity(r.world, arm, (d3){0, -4.5, 0}, (d3){0, 0, -10});
    for (int step = 0; step < 240; ++step) {
        run_steps(r.world, 1, TEST_DT);
        const dry_pose pose = pose_of(r.world, arm), of_block = pose_of(r.world, block);
        assert_true(pose.position.x - of_block.position.x > 0.5);
        assert_at_most(worst_error(&r), 1e-6);
    }
    assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lever_stops_in_one_pass),
        cmocka_unit_test(test_lever_gains_nothing),
        cmocka_unit_test(test_jointed_boxes_slide),
        cmocka_unit_test(test_a_foot_stops_where_it_moves_easily),
        cmocka_unit_test(test_hinged_bar_bounces),
        cmocka_unit_test(test_chains_keep_their_momentum),
        cmocka_unit_test(test_straight_bridges_rest),
        cmocka_unit_test(test_bridge_bears_falling_boxes),
        cmocka_unit_test(test_rows_last_as_long_as_their_turning_is_unseen),
        cmocka_unit_test(test_scissor_lift_rises),
        cmocka_unit_test(test_spinning_rods_gain_nothing),
        cmocka_unit_test(test_ragdolls_keep_their_limits),
        cmocka_unit_test(test_pressed_ragdolls_stay_whole),
        cmocka_unit_test(test_overlapping_chains_stay_whole),
        cmocka_unit_test(test_boxes_hang_on_what_they_overlap),
        cmocka_unit_test(test_overlapping_boxes_in_sweeps),
        cmocka_unit_test(test_an_arm_rests_on_its_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
