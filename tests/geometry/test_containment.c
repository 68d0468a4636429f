/* One bad body is one bad body: what a host may ask of it stays with it, and it comes back when it is mended.
 */
#include "tests/test_world.h"

enum { LINKS = 20, BASE = 10, PYRAMID = BASE * (BASE + 1) / 2 };

static void joint_between(dry_world *world, dry_body_id a, d3 anchor_a, dry_body_id b, d3 anchor_b,
                          dry_joint_id *joint)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = v3_of(anchor_a);
    def.anchor_b = v3_of(anchor_b);
    assert_ok(dry_world_create_joint(world, &def, joint));
}

/* Cubes in a row in the air, each on a ball joint to the next. */
static void add_links(dry_world *world, dry_body_id *links, dry_joint_id *joints, int count)
{
    for (int i = 0; i < count; ++i) {
        links[i] = add_dynamic(world, pose_at(1.1 * i, 50, 0), box_shape(0.5, 0.5, 0.5));
        if (i > 0)
            joint_between(world, links[i - 1], (d3){0.55, 0, 0}, links[i], (d3){-0.55, 0, 0}, &joints[i - 1]);
    }
}

static void add_chain(dry_world *world, dry_body_id links[LINKS], dry_joint_id joints[LINKS - 1])
{
    add_links(world, links, joints, LINKS);
}

/* Makes a world of a chain alone. */
static dry_world *world_of_chain(dry_body_id links[LINKS], dry_joint_id joints[LINKS - 1])
{
    dry_world *world = world_with(test_settings());
    add_chain(world, links, joints);
    return world;
}

/* A pyramid of cubes that touch; with `jointed` the cubes of a row are on ball joints. */
static void add_pyramid(dry_world *world, dry_body_id cubes[PYRAMID], bool jointed)
{
    add_floor(world, 0.6, 0);
    for (int row = 0, i = 0; row < BASE; ++row)
        for (int k = 0; k < BASE - row; ++k, ++i) {
            cubes[i] = add_dynamic(world, pose_at(k + 0.5 * row, row + 0.5, 0), box_shape(0.5, 0.5, 0.5));
            dry_joint_id joint;
            if (jointed && k > 0)
                joint_between(world, cubes[i - 1], (d3){0.5, 0, 0}, cubes[i], (d3){-0.5, 0, 0}, &joint);
        }
}

static void assert_finite_impulse(const dry_world *world, dry_joint_id joint)
{
    dry_vec3 impulse;
    assert_ok(dry_joint_get_impulse(world, joint, &impulse));
    assert_true(isfinite(impulse.x) && isfinite(impulse.y) && isfinite(impulse.z));
}

static int quarantined(const dry_world *world)
{
    return dry_world_statistics(world).quarantined_bodies;
}

static void assert_all_finite(const dry_world *world, const dry_body_id *ids, int count)
{
    for (int i = 0; i < count; ++i)
        assert_true(body_is_finite(world, ids[i]));
}

/* The same of a chain that drifts in space, whose momentum the solver repairs as a whole. */
static void test_a_link_that_spins_apart_leaves_a_drifting_chain_alone(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id links[LINKS];
    for (int i = 0; i < LINKS; ++i) {
        links[i] = add_dynamic(world, pose_at(i, 0, 0), box_shape(0.4, 0.1, 0.1));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.anchor_a = v3(0.5, 0, 0);
        def.anchor_b = v3(-0.5, 0, 0);
        dry_joint_id id;
        if (i) {
            def.body_a = links[i - 1];
            def.body_b = links[i];
            assert_ok(dry_world_create_joint(world, &def, &id));
        }
    }
    run_steps(world, 2, TEST_DT);
    assert_ok(dry_body_apply_angular_impulse(world, links[LINKS / 2], v3(1e8f, 0, 1e8f)));
    run_steps(world, 60, TEST_DT);
    for (int i = 0; i < LINKS; ++i) {
        dry_body_def now;
        assert_ok(dry_body_get_def(world, links[i], &now));
        assert_int_equal(now.enabled, i != LINKS / 2);
        assert_true(body_is_finite(world, links[i]));
    }
    dry_world_destroy(world);
}

/* An impulse that spins one link beyond all bounds takes that link alone, and when it is mended it hangs in
 * the chain again. */
static void test_a_link_that_spins_apart_leaves_the_chain_alone(void **state)
{
    (void)state;
    dry_body_id links[LINKS];
    dry_joint_id joints[LINKS - 1];
    dry_world *world = world_of_chain(links, joints);
    run_steps(world, 10, TEST_DT);
    assert_ok(dry_body_apply_angular_impulse(world, links[7], v3(1e8, 1e8, 0)));
    run_steps(world, 10, TEST_DT);
    assert_int_equal(quarantined(world), 1);
    assert_all_finite(world, links, LINKS);
    const d3 beside = position_of(world, links[6]);
    assert_ok(dry_body_set_pose(world, links[7], pose_at(beside.x + 1.1, beside.y, beside.z)));
    assert_ok(dry_body_set_velocity(world, links[7], (dry_velocity){{0, 0, 0}, {0, 0, 0}}));
    assert_ok(dry_body_set_enabled(world, links[7], true));
    run_steps(world, 60, TEST_DT);
    assert_int_equal(quarantined(world), 0);
    assert_all_finite(world, links, LINKS);
    for (int i = 0; i < LINKS - 1; ++i)
        assert_finite_impulse(world, joints[i]);
    dry_world_destroy(world);
}

static void test_a_cube_that_spins_apart_leaves_the_pyramid_alone(void **state)
{
    (void)state;
    for (int jointed = 0; jointed < 2; ++jointed) {
        dry_world *world = world_with(test_settings());
        dry_body_id cubes[PYRAMID];
        add_pyramid(world, cubes, jointed);
        run_steps(world, 30, TEST_DT);
        assert_ok(dry_body_apply_angular_impulse(world, cubes[12], v3(0, 1e8, 1e8)));
        run_steps(world, 30, TEST_DT);
        assert_int_equal(quarantined(world), 1);
        assert_all_finite(world, cubes, PYRAMID);
        dry_world_destroy(world);
    }
}

/* Ties a body to a cube of a pyramid and lets it stand for two seconds: no cube is lost. */
static void tie_to_pyramid(double mass, const dry_joint_def *def, const char *name)
{
    dry_world *world = world_with(test_settings());
    dry_body_id cubes[PYRAMID];
    add_pyramid(world, cubes, false);
    dry_shape_def shape = sphere_shape(0.1);
    dry_body_def body = body_def(DRY_BODY_DYNAMIC, pose_at(5, 0.5, 0.7), &shape);
    body.mass = (float)mass;
    dry_joint_def joint = *def;
    joint.body_a = cubes[5];
    assert_ok(dry_world_create_body(world, &body, &joint.body_b));
    joint.anchor_a = v3(0, 0, 0.7);
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &joint, &id));
    for (int step = 0; step < test_pick(120, 30); ++step) {
        run_steps(world, 1, TEST_DT);
        assert_all_finite(world, cubes, PYRAMID);
        for (int i = 0; i < PYRAMID; ++i) {
            dry_body_def now;
            assert_ok(dry_body_get_def(world, cubes[i], &now));
            if (!now.enabled)
                fail_msg("%s takes cube %d in step %d", name, i, step);
        }
    }
    dry_world_destroy(world);
}

/* The smallest masses, the longest lever arms and the softest springs that are accepted, on a joint to a cube
 * of a pyramid: no cube of it is lost. */
static void test_a_speck_on_a_joint_leaves_the_pyramid_alone(void **state)
{
    (void)state;
    static const struct {
        double mass, anchor, stiffness, damping;
        dry_joint_type type;
    } specks[] = {
        {1e-20, 0, 0, 0, DRY_JOINT_BALL},         {1e-12, 1e6, 0, 0, DRY_JOINT_BALL},
        {1, 1e6, 0, 0, DRY_JOINT_BALL},           {1, 0, 1e-38, 0, DRY_JOINT_BALL},
        {1e-20, 0, 1e-38, 0, DRY_JOINT_BALL},     {1, 0, 1e15, 1e15, DRY_JOINT_BALL},
        {1e-20, 0, 0, 0, DRY_JOINT_DISTANCE},     {1e-12, 1e6, 0, 0, DRY_JOINT_DISTANCE},
        {1, 0, 1e-38, 1e-38, DRY_JOINT_DISTANCE}, {1e-20, 1e6, 1e15, 0, DRY_JOINT_DISTANCE},
        {1e15, 0, 0, 0, DRY_JOINT_BALL},          {1e15, 1e6, 1e-38, 0, DRY_JOINT_BALL},
        {1e-20, 1e5, 0, 0, DRY_JOINT_BALL},       {1e3, 1e6, 0, 0, DRY_JOINT_BALL},
    };
    for (int s = 0; s < (int)(sizeof specks / sizeof *specks); ++s) {
        dry_joint_def joint = dry_default_joint_def(specks[s].type);
        joint.anchor_b = v3(specks[s].anchor, 0, 0);
        joint.stiffness = (float)specks[s].stiffness;
        joint.damping = (float)specks[s].damping;
        char name[32];
        snprintf(name, sizeof name, "speck %d", s);
        tie_to_pyramid(specks[s].mass, &joint, name);
    }
}

/* The same on joints with frames, with the stiffest and the softest that may act along their axes. */
static void test_a_speck_on_any_joint_leaves_the_pyramid_alone(void **state)
{
    (void)state;
    static const double masses[] = {1e-20, 1e-12, 1, 1e15}, anchors[] = {0, 1e6};
    static const float numbers[] = {1e-38f, 1e15f};
    for (int type = DRY_JOINT_HINGE; type < DRY_JOINT_PAIR_COUNT; ++type)
        for (int m = test_pick(0, 1); m < test_pick(4, 2); ++m)
            for (int a = 0; a < (masses[m] > 1 ? 1 : 2); ++a)
                for (int n = 0; n < test_pick(2, 1); ++n) {
                    dry_joint_def joint = dry_default_joint_def((dry_joint_type)type);
                    joint.anchor_b = v3(anchors[a], 0, 0);
                    for (int i = 0; i < DRY_AXIS_COUNT; ++i) {
                        dry_joint_axis *axis = &joint.axes[i];
                        if (axis->min == axis->max)
                            continue;
                        axis->stiffness = axis->damping = axis->friction = numbers[n];
                        axis->motor = DRY_MOTOR_BOTH;
                        axis->velocity = 1e6f;
                        axis->position = -1e6f;
                        axis->force_max = 100; /* what the pyramid can bear */
                        axis->min = -1;
                        axis->max = 1;
                    }
                    char name[64];
                    snprintf(name, sizeof name, "type %d, mass %g, anchor %g, %g", type, masses[m],
                             anchors[a], (double)numbers[n]);
                    tie_to_pyramid(masses[m], &joint, name);
                }
}

/* A heavy body whose anchor is kilometers from where it should be pulls at its cube: neither that cube nor
 * any other is lost. */
static void test_a_torn_joint_leaves_the_pyramid_alone(void **state)
{
    (void)state;
    static const double masses[] = {1e15, 1e9, 1e6}, anchors[] = {1e6, 1e5};
    for (int type = DRY_JOINT_HINGE; type < DRY_JOINT_PAIR_COUNT; ++type)
        for (int m = 0; m < test_pick(3, 1); ++m)
            for (int a = 0; a < test_pick(2, 1); ++a) {
                dry_joint_def joint = dry_default_joint_def((dry_joint_type)type);
                joint.anchor_b = v3(anchors[a], 0, 0);
                char name[64];
                snprintf(name, sizeof name, "type %d, mass %g, anchor %g", type, masses[m], anchors[a]);
                tie_to_pyramid(masses[m], &joint, name);
            }
}

/* A body whose axes are all locked does not move, whatever is accepted for it. */
static void test_a_locked_body_ignores_impulses(void **state)
{
    (void)state;
    dry_body_id links[LINKS];
    dry_joint_id joints[LINKS - 1];
    dry_world *world = world_of_chain(links, joints);
    assert_ok(dry_body_set_locks(world, links[0], 63));
    for (int i = 0; i < 30; ++i) {
        const float huge = i % 2 ? 1e30f : 1e15f;
        (void)dry_body_apply_impulse(world, links[0], v3((double)huge, 0, (double)-huge));
        (void)dry_body_apply_angular_impulse(world, links[0], v3(0, (double)huge, (double)huge));
        (void)dry_body_apply_force(world, links[0], v3(0, (double)huge, (double)huge));
        run_steps(world, 1, TEST_DT);
        assert_int_equal(quarantined(world), 0);
        assert_all_finite(world, links, LINKS);
        assert_finite_impulse(world, joints[0]);
    }
    assert_near(position_of(world, links[0]).x, 0, 0);
    assert_near(position_of(world, links[0]).y, 50, 0);
    dry_world_destroy(world);
}

/* Whatever impulse is accepted, the velocity that the body then tells is a number, and the body alone goes to
 * quarantine; a moderate one counts in full. */
static void test_speeds_after_any_impulse_are_finite(void **state)
{
    (void)state;
    static const float masses[] = {1e-20f, 1e-6f, 1.0f, 1e15f}, impulses[] = {1e18f, 1e9f, 1e4f};
    for (int m = 0; m < COUNT_OF(masses); ++m)
        for (int k = 0; k < COUNT_OF(impulses); ++k) {
            dry_world *world = world_with(test_settings());
            dry_shape_def shape = sphere_shape(0.1);
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 5, 0), &shape);
            def.mass = masses[m];
            def.velocity.angular = v3(1, 2, 3);
            dry_body_id id, beside = add_dynamic(world, pose_at(0, 5.2, 0), sphere_shape(0.1));
            if (dry_world_create_body(world, &def, &id) != DRY_OK) {
                dry_world_destroy(world);
                continue;
            }
            const double p = (double)impulses[k];
            for (int i = 0; i < 20; ++i) {
                assert_ok(dry_body_apply_impulse(world, id, v3(p, -p, p)));
                assert_ok(dry_body_apply_angular_impulse(world, id, v3(-p, p, p)));
                assert_ok(dry_body_apply_impulse_at(world, id, v3(-p, p, p), (dry_position){1e9, 1e9, 0}));
                dry_velocity v;
                assert_ok(dry_body_get_velocity(world, id, &v));
                assert_at_most(d3_length(d3_of(v.linear)), 2e6);
                assert_at_most(d3_length(d3_of(v.angular)), 2e6);
            }
            run_steps(world, 5, TEST_DT);
            assert_true(body_is_finite(world, id) && body_is_finite(world, beside));
            dry_body_def now;
            assert_ok(dry_body_get_def(world, beside, &now));
            assert_true(now.enabled);
            dry_world_destroy(world);
        }
}

static void count_lines(const char *line, void *user)
{
    int *lines = user;
    *lines += strstr(line, "shape_pairs_max") != NULL;
}

/* Copies that someone forgot to filter: hundreds of bodies in one place cost what their number asks for, not
 * its square; the statistics and the log tell where. They come apart, and none falls through the floor. */
static void test_copies_in_one_place_are_bounded_and_told(void **state)
{
    (void)state;
    enum { COPIES_MAX = 200, PAIRS = 16 };
    const int count = test_pick(COPIES_MAX, 60);
    dry_world_def def = test_world_def();
    int lines = 0;
    def.log = (dry_log){count_lines, &lines};
    def.settings.shape_pairs_max = PAIRS;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    dry_body_id copies[COPIES_MAX];
    for (int i = 0; i < count; ++i)
        copies[i] = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
    const dry_body_id away = add_dynamic(world, pose_at(30, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 1, TEST_DT);
    dry_statistics statistics = dry_world_statistics(world);
    assert_at_most(statistics.pairs, count * PAIRS + 2);
    assert_int_equal(statistics.crowded_pairs + statistics.pairs, count * (count - 1) / 2 + 1);
    assert_true(dry_body_is_valid(world, statistics.crowded_body));
    assert_true(statistics.crowded_body.bits != away.bits);
    assert_int_equal(lines, 1);
    for (int i = 0; i < 3; ++i) { /* no pair is found anew, and the crowd is still there */
        run_steps(world, 1, TEST_DT);
        assert_true(dry_world_statistics(world).crowded_pairs > 0);
    }
    run_steps(world, test_pick(600, 300), TEST_DT);
    assert_int_equal(lines, 1);
    for (int i = 0; i < count; ++i)
        assert_true(body_is_finite(world, copies[i]) && position_of(world, copies[i]).y > 0.4);
    statistics = dry_world_statistics(world);
    assert_int_equal(statistics.crowded_pairs, 0);
    assert_int_equal(statistics.quarantined_bodies, 0);
    dry_world_destroy(world);
}

static double energy_of(const dry_world *world, const dry_body_id *ids, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        dry_mass mass;
        assert_ok(dry_body_get_mass(world, ids[i], &mass));
        dry_velocity velocity;
        assert_ok(dry_body_get_velocity(world, ids[i], &velocity));
        const double v = d3_length(d3_of(velocity.linear)), w = d3_length(d3_of(velocity.angular));
        sum += 0.5 * (double)mass.mass * v * v + 0.5 * (double)mass.inertia[0][0] * w * w;
    }
    return sum;
}

/* Cubes on ball joints in space, the first one spun as fast as is accepted: joints do no work. */
static void test_fast_linkages_gain_no_energy(void **state)
{
    (void)state;
    static const double speeds[] = {30, 100, 300, 1000, 3000, 9999};
    dry_settings settings = test_settings();
    settings.gravity = v3(0, 0, 0);
    for (int i = 0; i < 8 * COUNT_OF(speeds); i += test_pick(1, 5)) {
        const double speed = speeds[i / 4 % COUNT_OF(speeds)];
        settings.method.solver = i < 4 * COUNT_OF(speeds) ? DRY_SOLVER_GAUSS_SEIDEL : DRY_SOLVER_AVBD;
        dry_world *world = world_with(settings);
        dry_body_id links[LINKS];
        dry_joint_id joints[LINKS - 1];
        const int count = i % 2 ? LINKS : 2;
        add_links(world, links, joints, count);
        dry_velocity spin = {{0, 0, 0}, {0, 0, 0}};
        spin.angular = i / 2 % 2 ? v3(0, 0, speed) : v3(0.5 * speed, 0.6 * speed, 0.62 * speed);
        assert_ok(dry_body_set_velocity(world, links[0], spin));
        const double begin = energy_of(world, links, count);
        for (int step = 0; step < test_pick(600, 60); ++step) {
            run_steps(world, 1, TEST_DT);
            assert_at_most(energy_of(world, links, count), 1.0001 * begin);
        }
        dry_world_destroy(world);
    }
}

/* Runs a chain, a jointed pyramid and loose spheres through quarantine and repair. Returns the hash of all
 * that decides the future; 0 if this machine lacks the instruction set. */
static uint64_t hash_through_quarantine(dry_isa isa, int threads)
{
    dry_world_def def = test_world_def();
    def.tag = 1;
    def.threads = threads;
    def.isa = isa;
    dry_world *world;
    if (dry_world_create(&def, &world) != DRY_OK)
        return 0;
    dry_body_id links[LINKS], cubes[PYRAMID];
    dry_joint_id joints[LINKS - 1];
    add_chain(world, links, joints);
    add_pyramid(world, cubes, true);
    for (int i = 0; i < 300; ++i) /* enough that workers share the step */
        add_dynamic(world, pose_at(20 + 1.1 * (i % 10), 1 + 1.1 * (i / 100), 1.1 * (i / 10 % 10)),
                    sphere_shape(0.5));
    run_steps(world, 10, TEST_DT);
    assert_ok(dry_body_apply_angular_impulse(world, links[7], v3(1e8, 1e8, 0)));
    assert_ok(dry_body_apply_angular_impulse(world, cubes[12], v3(0, 1e8, 1e8)));
    run_steps(world, 10, TEST_DT);
    assert_int_equal(quarantined(world), 2);
    assert_ok(dry_body_set_enabled(world, links[7], true));
    assert_ok(dry_body_set_enabled(world, cubes[12], true));
    run_steps(world, 60, TEST_DT);
    assert_int_equal(quarantined(world), 0);
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

/* The same bits on every instruction set and with every number of threads, through quarantine and repair. */
static void test_quarantine_has_the_same_bits_everywhere(void **state)
{
    (void)state;
    const uint64_t expected = hash_through_quarantine(DRY_ISA_AUTO, 1);
    for (int isa = 1; isa < DRY_ISA_COUNT && !test_one_isa(); ++isa) {
        const uint64_t hash = hash_through_quarantine((dry_isa)isa, 1);
        if (hash && hash != expected)
            fail_msg("%s gives other bits", dry_isa_name((dry_isa)isa));
    }
    for (int threads = 2; threads <= 8; threads += test_pick(1, 3))
        if (hash_through_quarantine(DRY_ISA_AUTO, threads) != expected)
            fail_msg("%d threads give other bits", threads);
}

/* A heap tied together in loops, in which one joint reaches far beyond its body and some bodies are locked.
 * Returns the hash after three steps, or 0 if the instruction set is not here. */
static uint64_t hash_of_torn_heap(uint64_t seed, dry_isa isa)
{
    if (!dry_isa_available(isa))
        return 0;
    enum { BODIES = 40, LOCKED = 5, CONTACTS_MAX = 4000 };
    dry_world_def world_def = test_world_def();
    world_def.isa = isa;
    dry_world *world = world_from(&world_def);
    dry_body_id ids[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        const dry_shape_def shape = i % 2 ? sphere_shape(0.3) : box_shape(0.3, 0.2, 0.4);
        const d3 x = random_d3(&seed, 0.8);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x.x, x.y, x.z), &shape);
        def.locks = i % LOCKED == 0 ? 0x3f : 0;
        ids[i] = add_def(world, &def);
    }
    for (int i = 0; i < 2 * BODIES; ++i) {
        const int a = random_below(&seed, BODIES), b = random_below(&seed, BODIES);
        const bool ball = i == LOCKED || random_below(&seed, 2);
        dry_joint_def def = dry_default_joint_def(ball ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE);
        def.body_a = ids[a];
        def.body_b = ids[b];
        def.anchor_a = v3_of(random_d3(&seed, 0.5));
        def.anchor_b = v3_of(random_d3(&seed, 0.5));
        if (i == LOCKED)
            def.anchor_a.z = -1e6f;
        def.length = (float)random_in(&seed, 0, 2);
        dry_joint_id id;
        if (a != b)
            assert_ok(dry_world_create_joint(world, &def, &id));
    }
    static dry_contact contacts[CONTACTS_MAX];
    for (int step = 0; step < 3; ++step) {
        run_steps(world, 1, TEST_DT);
        const int count = dry_world_get_contacts(world, contacts, CONTACTS_MAX);
        for (int i = 0; i < count; ++i) {
            const dry_contact *c = &contacts[i];
            double sum = d3_length(d3_of(c->friction_impulse_Ns)) + fabs((double)c->torsion_impulse_Nms);
            for (int k = 0; k < c->point_count; ++k)
                sum += (double)c->points[k].normal_impulse_Ns;
            assert_true(isfinite(sum));
        }
        assert_all_finite(world, ids, BODIES);
    }
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

/* Motion that becomes infinite within a step goes through all rows that it touches. Nothing of it is kept,
 * not in the contacts of locked bodies either, and a sign of no number sets no two machines apart. */
static void test_a_heap_that_tears_leaves_numbers(void **state)
{
    (void)state;
    if (test_one_isa())
        skip();
    for (int seed = 1; seed <= test_pick(60, 6); ++seed) {
        const uint64_t expected = hash_of_torn_heap((uint64_t)seed, DRY_ISA_SCALAR);
        for (int isa = DRY_ISA_SCALAR + 1; isa < DRY_ISA_COUNT; ++isa) {
            const uint64_t hash = hash_of_torn_heap((uint64_t)seed, (dry_isa)isa);
            if (hash && hash != expected)
                fail_msg("heap %d: %s gives other bits than scalar", seed, dry_isa_name((dry_isa)isa));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_that_spins_apart_leaves_the_chain_alone),
        cmocka_unit_test(test_a_link_that_spins_apart_leaves_a_drifting_chain_alone),
        cmocka_unit_test(test_a_cube_that_spins_apart_leaves_the_pyramid_alone),
        cmocka_unit_test(test_a_speck_on_a_joint_leaves_the_pyramid_alone),
        cmocka_unit_test(test_a_speck_on_any_joint_leaves_the_pyramid_alone),
        cmocka_unit_test(test_a_torn_joint_leaves_the_pyramid_alone),
        cmocka_unit_test(test_a_locked_body_ignores_impulses),
        cmocka_unit_test(test_speeds_after_any_impulse_are_finite),
        cmocka_unit_test(test_copies_in_one_place_are_bounded_and_told),
        cmocka_unit_test(test_fast_linkages_gain_no_energy),
        cmocka_unit_test(test_quarantine_has_the_same_bits_everywhere),
        cmocka_unit_test(test_a_heap_that_tears_leaves_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
