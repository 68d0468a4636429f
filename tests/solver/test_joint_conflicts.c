/* Direct joints that contradict each other: what they come to, and the events that name them. */
#include "tests/articulated.h"
#include "tests/scene_files.h"

/* A triangle of three bars on pins. One bar is fixed to the world, and the corner beside it pinned. */
static const d3 triangle_corner[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, -0.8, 0}};

static dry_joint_def triangle_pin(const rig *r, const dry_body_id bar[3], int i, double stretch, double z)
{
    const d3 at = {triangle_corner[i].x, triangle_corner[i].y, z};
    dry_joint_def def = joint_at(r, DRY_JOINT_HINGE, bar[(i + 2) % 3], bar[i], at, frame_z());
    def.anchor_b.x *= (float)stretch;
    return def;
}

/* The third pin's bar is longer by a factor than the triangle has room for. */
static void add_triangle(rig *r, double stretch, double z)
{
    dry_body_id *bar = &r->body[r->bodies];
    for (int i = 0; i < 3; ++i) {
        dry_body_id id = rig_bar(r, triangle_corner[i], triangle_corner[(i + 1) % 3], 1);
        dry_pose pose = pose_of(r->world, id);
        pose.position.z = z;
        assert_ok(dry_body_set_pose(r->world, id, pose));
    }
    rig_join(r, joint_at(r, DRY_JOINT_FIXED, the_world, bar[0], (d3){0, 0, z}, QUAT_IDENTITY));
    for (int i = 0; i < 3; ++i)
        rig_join(r, triangle_pin(r, bar, i, i == 2 ? stretch : 1, z));
    rig_pin(r, the_world, bar[1], (d3){triangle_corner[2].x, triangle_corner[2].y, z});
}

/* A triangle with one bar 1 % too long cannot close. It comes to rest somewhere between. */
static void test_triangle_that_cannot_close(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    add_triangle(&r, 1.02, 0);
    const double before = energy_of(&r);
    const watch w = watch_steps(&r, 600, TEST_DT);
    assert_true(all_finite(&r));
    assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
    assert_at_most(w.largest, before + 0.3);
    assert_at_most(w.error, 0.05);
    for (int i = 0; i < 3; ++i)
        assert_at_most(d3_length(velocity_of(r.world, r.body[i])), 0.05);
    rig_free(&r);
}

/* The corrections of a substep: three rounds at most before bodies move, and one as they move. */
enum { SUBSTEP_CORRECTIONS = 4 };

/* A triangle that cannot close is tried once in a step, with the coarse factor and with the fine one. */
static void test_open_triangle_is_tried_once(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    add_triangle(&r, 1.02, 0);
    for (int step = 0; step < 60; ++step) {
        run_steps(r.world, 1, TEST_DT);
        assert_at_most((double)dry_world_statistics(r.world).articulations.corrections,
                       2 * SUBSTEP_CORRECTIONS);
    }
    rig_free(&r);
}

/* Settings bound the substeps of a step, of which each one has as many corrections at most. */
static void test_substeps_that_settings_allow_bound_a_step(void **state)
{
    (void)state;
    for (int most = 1; most <= 16; most *= 2)
        for (int fixed = 0; fixed < 2; ++fixed) {
            rig r;
            rig_direct(&r);
            dry_settings settings = dry_world_get_settings(r.world);
            settings.substeps_min = 1;
            settings.substeps_max = most;
            settings.substeps = fixed ? most : 0;
            assert_ok(dry_world_set_settings(r.world, &settings));
            add_triangle(&r, 1.02, 0);
            int tries = 0;
            for (int substeps = most; substeps > 0; substeps /= 2)
                tries += substeps;
            for (int step = 0; step < 60; ++step) {
                run_steps(r.world, 1, TEST_DT);
                assert_at_most((double)dry_world_statistics(r.world).articulations.corrections,
                               2 * SUBSTEP_CORRECTIONS * tries);
            }
            assert_true(all_finite(&r));
            rig_free(&r);
        }
}

/* Runs steps and returns how many conflicts their events named; *last is the last one. */
static int count_conflicts(dry_world *world, int steps, float dt, dry_conflict_event *last)
{
    int count = 0;
    for (int i = 0; i < steps; ++i) {
        run_steps(world, 1, dt);
        const dry_events events = dry_world_events(world);
        count += events.conflict_count;
        if (events.conflict_count)
            *last = events.conflicts[events.conflict_count - 1];
    }
    return count;
}

/* The larger error of a joint, m or rad. */
static double error_of(const rig *r, dry_joint_id id)
{
    float gap, angle;
    assert_ok(dry_joint_get_error(r->world, id, &gap, &angle));
    return (double)fmaxf(gap, angle);
}

/* One event names the joint with the largest error, though the triangle stays open, sleeps and wakes. Another
 * comes after that joint was defined anew, and after the triangle had closed. Three rows of one joint have
 * errors: the largest one is at least their length over sqrt 3. */
static void test_conflict_is_told_once(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    add_triangle(&r, 1, 1);
    add_triangle(&r, 1.02, 0);
    dry_conflict_event told = {0}, more;
    assert_int_equal(count_conflicts(r.world, 60, TEST_DT, &told), 1);
    const double worst = worst_error(&r);
    assert_true(worst > 1e-3);
    assert_at_most(told.error, worst * (1 + 1e-4));
    assert_at_most(worst / sqrt(3), (double)told.error * (1 + 1e-4));
    assert_at_most(worst / sqrt(3), error_of(&r, told.joint));
    assert_int_equal(count_conflicts(r.world, 120, TEST_DT, &more), 0);

    assert_ok(dry_body_set_awake(r.world, r.body[5], false));
    run_steps(r.world, 2, TEST_DT);
    assert_false(dry_body_is_awake(r.world, r.body[5]));
    assert_ok(dry_body_set_awake(r.world, r.body[5], true));
    assert_int_equal(count_conflicts(r.world, 60, TEST_DT, &more), 0);

    dry_joint_def def;
    assert_ok(dry_joint_get_def(r.world, told.joint, &def));
    def.user_data = UINT64_MAX - 3;
    assert_ok(dry_joint_set_def(r.world, told.joint, &def));
    assert_int_equal(count_conflicts(r.world, 60, TEST_DT, &told), 1);
    assert_true(told.user_data == UINT64_MAX - 3);

    const dry_joint_id wrong = r.joint[8];
    assert_ok(dry_joint_get_def(r.world, wrong, &def));
    for (int i = 0; i < 2; ++i) {
        def.anchor_b.x /= 1.02f;
        assert_ok(dry_joint_set_def(r.world, wrong, &def));
        assert_int_equal(count_conflicts(r.world, 120, TEST_DT, &more), 0);
        assert_at_most(worst_error(&r), 1e-6);
        def.anchor_b.x *= 1.02f;
        assert_ok(dry_joint_set_def(r.world, wrong, &def));
        assert_int_equal(count_conflicts(r.world, 120, TEST_DT, &more), 1);
    }
    assert_ok(dry_joint_set_enabled(r.world, wrong, false));
    assert_int_equal(count_conflicts(r.world, 60, TEST_DT, &more), 0);
    rig_free(&r);
}

/* A joint whose body was put elsewhere closes as fast as overlaps part, beside a loop, too. It raises no
 * event, however short the steps are. */
static void test_closing_joint_raises_no_event(void **state)
{
    (void)state;
    const float dts[] = {1 / 30.0f, TEST_DT, 1 / 240.0f, 1e-3f};
    for (int n = 0; n < COUNT_OF(dts); ++n)
        for (int touching = 0; touching < 2; ++touching) {
            rig r;
            dry_world_def def = sleepy_def();
            rig_touching(&r, &def);
            r.touching = touching;
            dry_body_id last = the_world;
            for (int i = 0; i < 5; ++i) {
                const dry_body_id link =
                    rig_box(&r, (d3){i + 0.5, 0.1, 0}, QUAT_IDENTITY, (d3){0.4, 0.1, 0.1}, 1);
                rig_ball(&r, last, link, (d3){i, 0.1, -0.05});
                rig_ball(&r, last, link, (d3){i, 0.1, 0.05});
                last = link;
            }
            run_steps(r.world, 5, dts[n]);
            dry_pose pose = pose_of(r.world, r.body[4]);
            pose.position.x += 0.3;
            pose.position.z += 0.1;
            assert_ok(dry_body_set_pose(r.world, r.body[4], pose));
            dry_conflict_event told;
            run_steps(r.world, 1, dts[n]);
            assert_true(worst_error(&r) > 0.2);
            assert_int_equal(count_conflicts(r.world, (int)(1.5f / dts[n]), dts[n], &told), 0);
            assert_at_most(worst_error(&r), touching ? 1e-4 : 1e-6);
            rig_free(&r);
        }
}

/* Forty triangles that cannot close, and as many that can: their events come in the order of their joints,
 * for any number of threads. */
static void test_conflicts_are_told_in_order(void **state)
{
    (void)state;
    dry_joint_id expected[40] = {{0}};
    for (int threads = 1; threads <= 4; threads *= 2) {
        rig r = {0};
        dry_world_def def = sleepy_def();
        def.threads = threads;
        r.world = world_from(&def);
        for (int i = 0; i < 80; ++i)
            add_triangle(&r, i % 2 ? 1.02 : 1, i);
        int told = 0;
        for (int step = 0; step < 20; ++step) {
            run_steps(r.world, 1, TEST_DT);
            const dry_events events = dry_world_events(r.world);
            for (int i = 0; i < events.conflict_count; ++i, ++told) {
                assert_true(told < 40);
                assert_true(i == 0 || events.conflicts[i].joint.bits > events.conflicts[i - 1].joint.bits);
                if (threads == 1)
                    expected[told] = events.conflicts[i].joint;
                else
                    assert_true(events.conflicts[i].joint.bits == expected[told].bits);
            }
        }
        assert_int_equal(told, 40);
        rig_free(&r);
    }
}

/* The first of three parallelograms: one rocker 1 % too long, as the scene has it; all exact; or not there.
 */
typedef enum first_linkage { LINKAGE_OPEN, LINKAGE_EXACT, LINKAGE_ABSENT, LINKAGE_CASES } first_linkage;

enum { LINKAGE_BODIES = 4 };

/* The scene `four-bar` above a floor; on it a pile of boxes, and a figure of joints that lands beside it. */
static void make_neighbors(rig *r, first_linkage first, int threads)
{
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    memset(r, 0, sizeof *r);
    r->world = world_from(&def);
    r->touching = true;
    dry_scene scene = scene_of("four-bar", 3);
    for (int i = 0; i < scene.body_count; ++i)
        scene.bodies[i].def.pose.position.y += 4;
    for (int i = 0; i < scene.joint_count; ++i) {
        dry_joint_def *joint = &scene.joints[i].def;
        if (scene.joints[i].body_a == DRY_SCENE_WORLD)
            joint->target.y += 4;
        if (first == LINKAGE_EXACT && joint->anchor_a.x == 0.505f)
            joint->anchor_a.x = 0.495f; /* where the other rockers end */
    }
    assert_ok(dry_scene_build(&scene, r->world, r->body));
    r->bodies = scene.body_count;
    dry_scene_free(&scene);
    for (int i = 0; i < LINKAGE_BODIES; ++i)
        assert_ok(dry_body_set_enabled(r->world, r->body[i], first != LINKAGE_ABSENT));
    add_floor(r->world, 0.6, 0);
    for (int i = 0; i < 10; ++i)
        rig_box(r, (d3){5 + 0.11 * (i % 3), 0.3 + 0.52 * i, 0.07 * (i % 2)}, QUAT_IDENTITY,
                (d3){0.25, 0.25, 0.25}, 1 + i);
    add_walker(r, 6.5, 0);
}

/* Joints that contradict each other change no bit of what does not hang together with them: other
 * articulations, and a pile of boxes. */
static void test_conflict_leaves_its_neighbors(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        static rig r[LINKAGE_CASES];
        int told[LINKAGE_CASES] = {0};
        for (int k = 0; k < LINKAGE_CASES; ++k)
            make_neighbors(&r[k], (first_linkage)k, threads);
        for (int step = 0; step < test_pick(240, 90); ++step)
            for (int k = 0; k < LINKAGE_CASES; ++k) {
                dry_conflict_event conflict;
                told[k] += count_conflicts(r[k].world, 1, TEST_DT, &conflict);
                for (int i = LINKAGE_BODIES; i < r[k].bodies; ++i) {
                    const dry_pose pose = pose_of(r[k].world, r[k].body[i]);
                    const dry_pose expected = pose_of(r[0].world, r[0].body[i]);
                    dry_velocity velocity, expected_velocity;
                    assert_ok(dry_body_get_velocity(r[k].world, r[k].body[i], &velocity));
                    assert_ok(dry_body_get_velocity(r[0].world, r[0].body[i], &expected_velocity));
                    if (memcmp(&pose, &expected, sizeof pose) != 0 ||
                        memcmp(&velocity, &expected_velocity, sizeof velocity) != 0)
                        fail_msg("case %d, %d threads: body %d differs after step %d", k, threads, i, step);
                }
            }
        assert_int_equal(told[LINKAGE_OPEN], 1);
        assert_int_equal(told[LINKAGE_EXACT] + told[LINKAGE_ABSENT], 0);
        for (int k = 0; k < LINKAGE_CASES; ++k)
            rig_free(&r[k]);
    }
}

/* The surroundings of a generated tree of joints. */
typedef enum far_place { FAR_WEIGHTLESS, FAR_FALLS, FAR_ON_FLOOR, FAR_HANGS, FAR_PLACES } far_place;

/* A joint whose anchor lies up to 100 m outside body b, up to 3 m open. */
static void add_far_joint(rig *r, uint64_t *seed, dry_body_id a, dry_body_id b)
{
    static const dry_joint_type types[] = {DRY_JOINT_BALL,     DRY_JOINT_HINGE,  DRY_JOINT_FIXED,
                                           DRY_JOINT_DISTANCE, DRY_JOINT_SLIDER, DRY_JOINT_UNIVERSAL};
    const dry_joint_type type = types[(int)random_in(seed, 0, COUNT_OF(types))];
    const double arm = pow(10, random_in(seed, 0, 2)), open = random_in(seed, 0, 3);
    const dry_pose pose = pose_of(r->world, b);
    const d3 at = d3_add(d3_at(pose.position), d3_scale(d3_unit(random_d3(seed, 1)), arm));
    dry_joint_def def = joint_at(r, type, a, b, at, random_quat(seed));
    const d3 apart = d3_scale(d3_unit(random_d3(seed, 1)), open);
    def.anchor_b = v3_of(d3_add(d3_of(def.anchor_b), d3_turn_back(pose.orientation, apart)));
    if (type == DRY_JOINT_DISTANCE)
        def.length = (float)random_in(seed, 0.1, 3);
    rig_join(r, def);
}

/* Boxes of 0.1 to 1 m and 1 kg to 10 t, in any attitude. */
static void add_far_tree(rig *r, uint64_t seed, far_place place)
{
    const int bodies = 4 + (int)random_in(&seed, 0, 7);
    for (int i = 0; i < bodies; ++i) {
        const d3 half = {random_in(&seed, 0.05, 0.5), random_in(&seed, 0.05, 0.5),
                         random_in(&seed, 0.05, 0.5)};
        const d3 at = d3_add((d3){0, place == FAR_ON_FLOOR ? 12 : 0, 0}, random_d3(&seed, 10));
        const double mass = pow(10, random_in(&seed, 0, 4));
        const dry_body_id body = rig_box(r, at, random_quat(&seed), half, mass);
        if (i > 0)
            add_far_joint(r, &seed, r->body[(int)random_in(&seed, 0, i)], body);
        else if (place == FAR_HANGS)
            add_far_joint(r, &seed, the_world, body);
    }
}

/* Asserts that joints are closed in most of the next steps, and open by less than 1 mm in all. A tree on a
 * floor may rock on: each corner that lands opens a joint, which closes within a few steps. */
static void assert_stays_closed(rig *r, int steps)
{
    dry_conflict_event told;
    int open = 0;
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(count_conflicts(r->world, 1, TEST_DT, &told), 0);
        const double error = worst_error(r);
        assert_at_most(error, 1e-3);
        open += error > 1e-6;
    }
    assert_true(open < steps / 2);
}

/* Anchors far outside their bodies: a tree of such joints closes, wherever it hangs, falls or lies, and so
 * none of them contradicts another. */
static void test_trees_of_far_joints_close(void **state)
{
    (void)state;
    for (uint64_t seed = 116; seed < 130; seed += 13)
        for (int place = 0; place < FAR_PLACES; ++place) {
            rig r;
            if (place == FAR_ON_FLOOR) {
                const dry_world_def def = sleepy_def();
                rig_touching(&r, &def);
            } else if (place == FAR_WEIGHTLESS) {
                rig_weightless(&r);
            } else {
                rig_direct(&r);
            }
            add_far_tree(&r, seed, (far_place)place);
            dry_conflict_event told;
            assert_int_equal(count_conflicts(r.world, 420, TEST_DT, &told), 0);
            assert_stays_closed(&r, 60);
            rig_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle_that_cannot_close),
        cmocka_unit_test(test_open_triangle_is_tried_once),
        cmocka_unit_test(test_substeps_that_settings_allow_bound_a_step),
        cmocka_unit_test(test_conflict_is_told_once),
        cmocka_unit_test(test_closing_joint_raises_no_event),
        cmocka_unit_test(test_conflicts_are_told_in_order),
        cmocka_unit_test(test_conflict_leaves_its_neighbors),
        cmocka_unit_test(test_trees_of_far_joints_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
