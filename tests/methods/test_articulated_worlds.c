/* Articulations among all else: contacts, motors, stops, springs, kinematic bodies, locked axes, changes in
 * every step, teleports, loops that cannot close, memory that fails, bodies that leave the valid range. */
#include "tests/articulated.h"
#include "tests/counting_allocator.h"

static bool all_asleep(const rig *r)
{
    for (int i = 0; i < r->bodies; ++i)
        if (dry_body_is_awake(r->world, r->body[i]))
            return false;
    return true;
}

/* Links that hang from (x, 2.5, z) down to a box on the floor, and two that lie on it. */
static void add_hung_chain(rig *r, double x, double z)
{
    rig_box(r, (d3){x + 0.5, 0.25, z}, QUAT_IDENTITY, (d3){1, 0.25, 0.5}, 50);
    dry_body_id last = the_world;
    for (int i = 0; i < 6; ++i) {
        const double top = 2.55 - i / 3.0;
        const dry_body_id link =
            rig_box(r, (d3){x, top - 1 / 6.0, z}, QUAT_IDENTITY, (d3){0.05, 0.15, 0.05}, 1);
        rig_ball(r, last, link, (d3){x, top, z});
        last = link;
    }
    for (int i = 0; i < 2; ++i) {
        const dry_body_id link =
            rig_box(r, (d3){x + (i + 0.5) / 3.0, 0.55, z}, QUAT_IDENTITY, (d3){0.12, 0.05, 0.05}, 1);
        rig_ball(r, last, link, (d3){x + i / 3.0, 0.55, z});
        last = link;
    }
}

static void check_rests(rig *r, int steps)
{
    const double energy = energy_of(r);
    double error = 0;
    for (int i = 0; i < steps && !all_asleep(r); ++i) {
        run_steps(r->world, 1, TEST_DT);
        assert_at_most(energy_of(r), energy * (1 + 1e-3));
        error = fmax(error, worst_error(r));
    }
    assert_at_most(error, 1e-4);
    assert_true(all_asleep(r));
}

static void test_hung_chain_rests_on_a_box(void **state)
{
    (void)state;
    rig r;
    const dry_world_def def = sleepy_def();
    rig_touching(&r, &def);
    add_hung_chain(&r, 0, 0);
    check_rests(&r, 1800);
    rig_free(&r);
}

static void test_walker_falls_and_sleeps(void **state)
{
    (void)state;
    rig r;
    const dry_world_def def = sleepy_def();
    rig_touching(&r, &def);
    add_walker(&r, 0, 0);
    check_rests(&r, 1800);
    rig_free(&r);
}

/* A crowd leaves this: hashes, and sums of all steps' counts of articulations. */
typedef struct crowd {
    uint64_t hash, motion;
    dry_articulation_statistics counts;
} crowd;

static void add_counts(dry_articulation_statistics *sum, const dry_articulation_statistics *s)
{
    sum->count += s->count;
    sum->joints += s->joints;
    sum->rows += s->rows;
    sum->redundant_rows += s->redundant_rows;
    sum->raised_pivots += s->raised_pivots;
    sum->nonzeros += s->nonzeros;
    sum->corrections += s->corrections;
    sum->iterations += s->iterations;
    sum->iterations_max += s->iterations_max;
}

/* Enough for several threads: chains on boxes and walkers that fall. */
static crowd run_crowd(dry_isa isa, int threads, int steps)
{
    rig r;
    dry_world_def def = sleepy_def();
    def.isa = isa;
    def.threads = threads;
    rig_touching(&r, &def);
    for (int i = 0; i < 36; ++i)
        if (i % 2)
            add_walker(&r, 4.0 * (i % 6), 4.0 * (i / 6));
        else
            add_hung_chain(&r, 4.0 * (i % 6), 4.0 * (i / 6));
    crowd c;
    memset(&c, 0, sizeof c); /* the bytes between fields, too: crowds are compared as bytes */
    for (int i = 0; i < steps; ++i) {
        run_steps(r.world, 1, TEST_DT);
        const dry_articulation_statistics s = dry_world_statistics(r.world).articulations;
        add_counts(&c.counts, &s);
    }
    assert_true(all_finite(&r));
    c.hash = dry_world_hash(r.world);
    c.motion = dry_world_motion_hash(r.world);
    rig_free(&r);
    return c;
}

static void test_threads_and_instruction_sets_agree(void **state)
{
    (void)state;
    const int steps = test_pick(90, 20);
    const crowd expected = run_crowd(DRY_ISA_SCALAR, 1, steps);
    assert_true(expected.counts.count > 0);
    assert_true(expected.counts.iterations > 0);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa)
        for (int threads = 1; threads <= 4; threads *= 2) {
            /* All teams at the widest, one at each of the others. */
            const bool all = isa == (int)test_widest_isa();
            if (dry_isa_available((dry_isa)isa) && (all || threads == 1 << isa % 3)) {
                const crowd c = run_crowd((dry_isa)isa, threads, steps);
                assert_memory_equal(&c, &expected, sizeof c);
            }
        }
}

/* A chain by itself, one that swings down onto a box, and one whose first link has the last joint, too: what
 * needs all of its joints waits for that one. */
typedef enum long_chain { CHAIN_ALONE, CHAIN_TOUCHING, CHAIN_CLOSED, CHAIN_COUNT } long_chain;

/* Large enough for workers to share it. One thread works on it block by block, several pass by pass. */
static uint64_t long_chain_hash(int threads, int steps, long_chain kind)
{
    rig r;
    dry_world_def def = sleepy_def();
    def.threads = threads;
    rig_touching(&r, &def);
    dry_body_id last = the_world, first = the_world;
    for (int i = 0; i < 400; ++i) {
        const dry_body_id link =
            rig_box(&r, (d3){0.2 * i + 0.1, 3, 0}, QUAT_IDENTITY, (d3){0.09, 0.05, 0.05}, 1);
        rig_ball(&r, last, link, (d3){0.2 * i, 3, 0});
        first = i == 0 ? link : first;
        last = link;
    }
    if (kind == CHAIN_CLOSED)
        rig_ball(&r, first, last, (d3){80, 3, 0});
    if (kind == CHAIN_TOUCHING)
        rig_box(&r, (d3){40, 1.46, 0}, QUAT_IDENTITY, (d3){10, 1.46, 1}, 500);
    run_steps(r.world, steps, TEST_DT);
    assert_true(all_finite(&r));
    const uint64_t hash = dry_world_hash(r.world);
    rig_free(&r);
    return hash;
}

static void test_workers_share_an_articulation(void **state)
{
    (void)state;
    for (int kind = 0; kind < CHAIN_COUNT; ++kind) {
        const int steps = test_pick(12, 7); /* the chain that touches has met the box after 5 */
        const uint64_t expected = long_chain_hash(1, steps, (long_chain)kind);
        for (int threads = test_pick(2, 4); threads <= 4; ++threads)
            assert_true(long_chain_hash(threads, steps, (long_chain)kind) == expected);
    }
}

static double angle_of(const rig *r, dry_joint_id id)
{
    dry_joint_axis_state axis;
    assert_ok(dry_joint_get_axis(r->world, id, DRY_AXIS_RX, &axis));
    return axis.value;
}

/* A trapdoor falls on its stop and stays there: the stop holds its weight's moment. */
static void test_door_stays_at_its_stop(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    const dry_body_id door = rig_box(&r, (d3){0.5, 0, 0}, QUAT_IDENTITY, (d3){0.5, 0.05, 0.4}, 3);
    dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, door, (d3){0, 0, 0}, frame_z());
    def.axes[DRY_AXIS_RX].min = -0.5f;
    def.axes[DRY_AXIS_RX].max = 0.5f;
    const dry_joint_id id = rig_join(&r, def);
    const watch w = watch_steps(&r, 300, TEST_DT);
    assert_at_most(w.largest, 1e-3 * 3 * TEST_G);
    assert_near(fabs(angle_of(&r, id)), 0.5, 1e-3);
    dry_joint_axis_state axis;
    assert_ok(dry_joint_get_axis(r.world, id, DRY_AXIS_RX, &axis));
    const double moment = 3 * TEST_G * 0.5 * cos(0.5);
    assert_near(fabs((double)axis.stop_force), moment, 1e-2 * moment);
    assert_at_most(fabs((double)axis.speed), 1e-3);
    rig_free(&r);
}

/* A motor turns an arm of two bars, of which the second swings on a ball joint. */
static void test_motor_drives_an_arm(void **state)
{
    (void)state;
    rig r;
    rig_weightless(&r);
    const dry_body_id arm = rig_bar(&r, (d3){0, 0, 0}, (d3){1, 0, 0}, 1),
                      hand = rig_bar(&r, (d3){1, 0, 0}, (d3){2, 0, 0}, 1);
    dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, arm, (d3){0, 0, 0}, frame_z());
    def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    def.axes[DRY_AXIS_RX].velocity = 2;
    rig_join(&r, def);
    rig_ball(&r, arm, hand, (d3){1, 0, 0});
    run_steps(r.world, 60, TEST_DT);
    const double before = angle_of(&r, r.joint[0]);
    for (int i = 0; i < 300; ++i) {
        run_steps(r.world, 1, TEST_DT);
        assert_at_most(worst_error(&r), 1e-6);
    }
    assert_near(angle_of(&r, r.joint[0]) - before, 2 * 300 * (double)TEST_DT, 0.02);
    rig_free(&r);
}

/* A kinematic body carries a chain through a circle; the chain follows and stays closed. */
static void test_kinematic_body_carries_a_chain(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    dry_shape_def shape = box_shape(0.1, 0.1, 0.1);
    shape.filter.mask = 0;
    dry_body_def def = body_def(DRY_BODY_KINEMATIC, pose_at(0, 0, 0), &shape);
    const dry_body_id hand = rig_add(&r, &def);
    for (int i = 0; i < 5; ++i) {
        const dry_body_id link =
            rig_box(&r, (d3){0, -0.5 - i, 0}, QUAT_IDENTITY, (d3){0.1, 0.5, 0.1}, i == 4 ? 100 : 1);
        rig_ball(&r, i ? r.body[i] : hand, link, (d3){0, -i, 0});
    }
    for (int i = 0; i < 600; ++i) {
        const double t = (i + 1) * (double)TEST_DT;
        assert_ok(dry_body_move_to(r.world, hand, pose_at(sin(t), 0, 1 - cos(t)), TEST_DT));
        run_steps(r.world, 1, TEST_DT);
        assert_at_most(worst_error(&r), 1e-6);
        for (int b = 1; b < r.bodies; ++b)
            assert_at_most(d3_length(velocity_of(r.world, r.body[b])), 20);
    }
    rig_free(&r);
}

/* A slider-crank made of locks: the crosshead moves along x alone, and no joint opens. */
static void test_locked_axes_guide_a_crosshead(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    const dry_body_id crank = rig_bar(&r, (d3){0, 0, 0}, (d3){0, 1, 0}, 1),
                      rod = rig_bar(&r, (d3){0, 1, 0}, (d3){2, 0, 0}, 1),
                      head = rig_box(&r, (d3){2, 0, 0}, QUAT_IDENTITY, (d3){0.2, 0.2, 0.2}, 2);
    assert_ok(dry_body_set_locks(
        r.world, head, DRY_LOCK_LINEAR_Y | DRY_LOCK_LINEAR_Z | DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y));
    rig_pin(&r, the_world, crank, (d3){0, 0, 0});
    rig_ball(&r, crank, rod, (d3){0, 1, 0});
    rig_ball(&r, rod, head, (d3){2, 0, 0});
    const double start = energy_of(&r);
    set_velocity(r.world, crank, (d3){-1, 0, 0}, (d3){0, 0, 2});
    double least = INFINITY, largest = -INFINITY;
    for (int i = 0; i < 600; ++i) {
        run_steps(r.world, 1, TEST_DT);
        const d3 p = position_of(r.world, head);
        assert_at_most(hypot(p.y, p.z), 1e-6);
        assert_at_most(worst_error(&r), 1e-6);
        least = fmin(least, p.x);
        largest = fmax(largest, p.x);
        assert_at_most(energy_of(&r), start + 5);
    }
    assert_true(largest - least > 0.2);
    rig_free(&r);
}

/* A spring beside direct joints: a target joint drags a chain's end; the springs are iterated, and the chain
 * stays closed and comes to rest where the target is. */
static void test_target_drags_a_chain(void **state)
{
    (void)state;
    rig r;
    dry_settings settings = direct_settings();
    settings.gravity = v3(0, 0, 0);
    rig_make(&r, settings);
    for (int i = 0; i < 5; ++i) {
        const dry_body_id link = rig_box(&r, (d3){i + 0.5, 0, 0}, QUAT_IDENTITY, (d3){0.5, 0.1, 0.1}, 1);
        rig_ball(&r, i ? r.body[i - 1] : the_world, link, (d3){i, 0, 0});
        assert_ok(dry_body_set_damping(r.world, link, 1, 1));
    }
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_TARGET);
    def.body_b = r.body[4];
    def.anchor_b = v3(0.5, 0, 0);
    def.target = (dry_position){2, 2, 1};
    dry_joint_id target;
    assert_ok(dry_world_create_joint(r.world, &def, &target));
    for (int i = 0; i < 900; ++i) {
        run_steps(r.world, 1, TEST_DT);
        assert_at_most(worst_error(&r), 1e-4);
    }
    const dry_pose pose = pose_of(r.world, r.body[4]);
    const d3 end = d3_add(d3_at(pose.position), d3_turn(pose.orientation, (d3){0.5, 0, 0}));
    assert_at_most(d3_length(d3_sub(end, (d3){2, 2, 1})), 0.02);
    rig_free(&r);
}

/* In every step joints are added, taken away, broken, disabled and put back, and bodies come and go, fall
 * asleep and wake. All stays finite, and the joints of a step that changed nothing are closed. */
static void test_changes_in_every_step(void **state)
{
    (void)state;
    uint64_t seed = 3;
    rig r;
    rig_weightless(&r);
    for (int i = 0; i < 24; ++i)
        rig_box(&r, (d3){i, 0, 0}, QUAT_IDENTITY, (d3){0.4, 0.2, 0.1}, pow(10, random_in(&seed, -1, 1)));
    for (int i = 0; i + 1 < 24; ++i)
        rig_ball(&r, r.body[i], r.body[i + 1], (d3){i + 0.5, 0, 0});
    const int joints = r.joints;
    for (int step = 0; step < test_pick(400, 100); ++step) {
        const int at = random_below(&seed, joints), body = random_below(&seed, r.bodies);
        const bool linked = dry_joint_is_valid(r.world, r.joint[at]);
        switch (random_below(&seed, 6)) {
        case 0:
            if (linked)
                assert_ok(dry_joint_destroy(r.world, r.joint[at]));
            break;
        case 1:
            if (!linked && dry_body_is_valid(r.world, r.body[at]) &&
                dry_body_is_valid(r.world, r.body[at + 1])) {
                dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
                def.body_a = r.body[at];
                def.body_b = r.body[at + 1];
                def.anchor_a = v3(0.5, 0, 0);
                def.anchor_b = v3(-0.5, 0, 0);
                def.break_force = 1e4f;
                assert_ok(dry_world_create_joint(r.world, &def, &r.joint[at]));
            }
            break;
        case 2:
            if (linked)
                assert_ok(dry_joint_set_enabled(r.world, r.joint[at], step % 2));
            break;
        case 3:
            if (dry_body_is_valid(r.world, r.body[body]))
                assert_ok(dry_body_set_awake(r.world, r.body[body], step % 2));
            break;
        case 4:
            if (dry_body_is_valid(r.world, r.body[body]))
                assert_ok(dry_body_set_enabled(r.world, r.body[body], step % 3 != 0));
            break;
        default:
            if (dry_body_is_valid(r.world, r.body[body]) && step % 10 == 0) {
                assert_ok(dry_body_destroy(r.world, r.body[body]));
                r.body[body] = rig_box(&r, (d3){body, 0, 0}, QUAT_IDENTITY, (d3){0.4, 0.2, 0.1}, 1);
                r.bodies--;
            }
        }
        run_steps(r.world, 1, TEST_DT);
        assert_true(all_finite(&r));
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
        assert_at_most(energy_of(&r), 1e3);
    }
    rig_free(&r);
}

/* A link of a hanging chain is put 0.3 m aside: it comes back without flying. */
static void test_teleported_link_comes_back(void **state)
{
    (void)state;
    for (int link = 0; link < 5; ++link) {
        rig r;
        rig_direct(&r);
        for (int i = 0; i < 5; ++i) {
            const dry_body_id id = rig_box(&r, (d3){0, -0.5 - i, 0}, QUAT_IDENTITY, (d3){0.1, 0.5, 0.1}, 1);
            rig_ball(&r, i ? r.body[i - 1] : the_world, id, (d3){0, -i, 0});
        }
        run_steps(r.world, 30, TEST_DT);
        const double before = energy_of(&r);
        dry_pose pose = pose_of(r.world, r.body[link]);
        pose.position.x += 0.3;
        assert_ok(dry_body_set_pose(r.world, r.body[link], pose));
        assert_true(worst_error(&r) > 0.25);
        /* Closing lifts five links at most, by what 0.3 m aside shortens a chain. */
        const watch w = watch_steps(&r, 600, TEST_DT);
        assert_at_most(w.largest, before + 5 * TEST_G * 0.3);
        assert_at_most(worst_error(&r), 1e-6);
        rig_free(&r);
    }
}

/* Creation and steps of an articulation, each call made again when it answers MEMORY. */
static uint64_t live(counting_allocator *counter, const dry_world_def *def, int *refusals)
{
    rig r = {0};
#define RETRY(call)                                                                                          \
    for (;;) {                                                                                               \
        const uint64_t before = r.world ? dry_world_motion_hash(r.world) : 0;                                \
        const dry_result result = (call);                                                                    \
        if (result == DRY_OK)                                                                                \
            break;                                                                                           \
        assert_int_equal(result, DRY_ERROR_MEMORY);                                                          \
        assert_true((r.world ? dry_world_motion_hash(r.world) : 0) == before);                               \
        counter->fail_at = -1;                                                                               \
        ++*refusals;                                                                                         \
    }
    RETRY(dry_world_create(def, &r.world));
    for (int i = 0; i < 6; ++i) {
        dry_shape_def shape = box_shape(0.5, 0.1, 0.1);
        shape.filter.mask = 0;
        dry_body_def body = body_def(DRY_BODY_DYNAMIC, pose_at(i + 0.5, 0, 0), &shape);
        if (i == 3)
            body.locks = DRY_LOCK_LINEAR_Z;
        RETRY(dry_world_create_body(r.world, &body, &r.body[i]));
        dry_joint_def joint = dry_default_joint_def(i % 2 ? DRY_JOINT_HINGE : DRY_JOINT_BALL);
        joint.body_a = i ? r.body[i - 1] : the_world;
        joint.body_b = r.body[i];
        joint.anchor_a = v3(i ? 0.5 : 0, 0, 0);
        joint.anchor_b = v3(-0.5, 0, 0);
        RETRY(dry_world_create_joint(r.world, &joint, &r.joint[i]));
        RETRY(dry_world_step(r.world, TEST_DT));
    }
    for (int i = 0; i < 10; ++i) {
        if (i == 5)
            RETRY(dry_joint_destroy(r.world, r.joint[3]));
        RETRY(dry_world_step(r.world, TEST_DT));
    }
#undef RETRY
    const uint64_t hash = dry_world_motion_hash(r.world);
    dry_world_destroy(r.world);
    return hash;
}

static void test_failing_allocator(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = sleepy_def();
    def.allocator = counting_hooks(&counter);
    int refusals = 0;
    const uint64_t expected = live(&counter, &def, &refusals);
    const int64_t total = (int64_t)counter.calls;
    assert_int_equal(refusals, 0);
    assert_int_equal(counter.bytes, 0);
    for (int all = 0; all < 2; ++all)
        for (int64_t n = 0; n < total; n += test_pick(1, 53)) {
            counter = (counting_allocator){.fail_at = n, .fail_all = all};
            refusals = 0;
            assert_true(live(&counter, &def, &refusals) == expected);
            assert_true(refusals > 0);
            assert_int_equal(counter.bytes, 0);
            assert_int_equal(counter.wrong, 0);
        }
}

static void test_warm_step_allocates_nothing(void **state)
{
    (void)state;
    rig r;
    dry_world_def def = sleepy_def();
    def.settings.sleep = false;
    rig_touching(&r, &def);
    add_walker(&r, 0, 0);
    add_hung_chain(&r, 4, 0);
    run_steps(r.world, 300, TEST_DT);
    for (int i = 0; i < 120; ++i) {
        run_steps(r.world, 1, TEST_DT);
        assert_int_equal(dry_world_statistics(r.world).allocations_in_last_step, 0);
    }
    rig_free(&r);
}

/* A body that forces throw out of the valid range goes to quarantine; another articulation moves on exactly
 * as in a world without it. */
static void test_quarantine_leaves_the_rest(void **state)
{
    (void)state;
    d3 ends[2];
    for (int thrown = 0; thrown < 2; ++thrown) {
        rig r;
        rig_direct(&r);
        for (int c = 0; c < 2; ++c)
            for (int i = 0; i < 3; ++i) {
                const dry_body_id link =
                    rig_box(&r, (d3){i + 0.5, 0, 5.0 * c}, QUAT_IDENTITY, (d3){0.5, 0.1, 0.1}, 1);
                rig_ball(&r, i ? r.body[r.bodies - 2] : the_world, link, (d3){i, 0, 5.0 * c});
            }
        run_steps(r.world, 10, TEST_DT);
        if (thrown)
            assert_ok(dry_body_apply_impulse(r.world, r.body[5], v3(1e6, 1e6, 0)));
        run_steps(r.world, 60, TEST_DT);
        assert_true(all_finite(&r));
        if (thrown)
            assert_true(dry_world_statistics(r.world).quarantined_bodies > 0);
        ends[thrown] = position_of(r.world, r.body[2]);
        assert_true(ends[thrown].y < -0.1);
        rig_free(&r);
    }
    assert_true(ends[0].x == ends[1].x && ends[0].y == ends[1].y && ends[0].z == ends[1].z);
}

/* Joints of a body that nothing can move, or that has no mass, on their own and under a ball, and a motor
 * about a locked axis: no row moves anything. */
static void test_bodies_that_nothing_moves(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        rig r;
        rig_direct(&r);
        r.touching = k & 1;
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){{0.1, 0.3, 0.7}, QUAT_IDENTITY}, &shape);
        if (k & 2)
            shape.density = 0;
        else
            def.locks = k < 4 ? DRY_LOCK_ALL : DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z;
        const dry_body_id still = rig_add(&r, &def);
        dry_joint_def joint = joint_at(&r, k < 4 ? DRY_JOINT_FIXED : DRY_JOINT_HINGE, the_world, still,
                                       (d3){0.1, 0.3, 0.7}, QUAT_IDENTITY);
        joint.anchor_a.x += 1e-6f;
        if (k >= 4)
            joint.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
        rig_join(&r, joint);
        if (r.touching)
            rig_box(&r, (d3){0.1, 1.31, 0.7}, QUAT_IDENTITY, (d3){0.5, 0.5, 0.5}, 1);
        run_steps(r.world, 60, TEST_DT);
        assert_true(all_finite(&r));
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
        rig_free(&r);
    }
}

/* A force beyond all bounds takes one link of a chain away, not its neighbors. */
static void test_neighbors_stay(void **state)
{
    (void)state;
    for (int touching = 0; touching < 2; ++touching) {
        rig r;
        rig_direct(&r);
        r.touching = touching;
        for (int i = 0; i < 8; ++i) {
            const dry_body_id id = rig_box(&r, (d3){0, -0.5 - i, 0}, QUAT_IDENTITY, (d3){0.1, 0.4, 0.1}, 1);
            rig_ball(&r, i ? r.body[i - 1] : the_world, id, (d3){0, -i, 0});
        }
        run_steps(r.world, 5, TEST_DT);
        assert_ok(dry_body_apply_force(r.world, r.body[4], v3(1e9f, 0, 0)));
        run_steps(r.world, 5, TEST_DT);
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 1);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hung_chain_rests_on_a_box),
        cmocka_unit_test(test_walker_falls_and_sleeps),
        cmocka_unit_test(test_threads_and_instruction_sets_agree),
        cmocka_unit_test(test_workers_share_an_articulation),
        cmocka_unit_test(test_door_stays_at_its_stop),
        cmocka_unit_test(test_motor_drives_an_arm),
        cmocka_unit_test(test_kinematic_body_carries_a_chain),
        cmocka_unit_test(test_locked_axes_guide_a_crosshead),
        cmocka_unit_test(test_target_drags_a_chain),
        cmocka_unit_test(test_changes_in_every_step),
        cmocka_unit_test(test_teleported_link_comes_back),
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_warm_step_allocates_nothing),
        cmocka_unit_test(test_quarantine_leaves_the_rest),
        cmocka_unit_test(test_bodies_that_nothing_moves),
        cmocka_unit_test(test_neighbors_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
