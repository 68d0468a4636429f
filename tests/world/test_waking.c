/* Waking a part: a push wakes what it moves, sleepers hold the rest, and no sleeper stays where an awake body
 * would not. Bodies fall asleep where forces balance, not where they turn round. */
#include "tests/scene_worlds.h"
#include "tests/test_joint.h"

enum { ROW = 6, TOWER = 6, PILE = 60 };

/* Puts cubes of 1,000 kg side by side along x, or on top of each other, and lets them fall asleep. */
static dry_world *sleeping_cubes(dry_body_id *id, int count, bool upward, double friction)
{
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, friction, 0);
    dry_shape_def cube = box_shape(0.5, 0.5, 0.5);
    cube.friction = (float)friction;
    for (int i = 0; i < count; ++i)
        id[i] = add_dynamic(world, upward ? pose_at(0, 0.5 + i, 0) : pose_at(i, 0.5, 0), cube);
    run_steps(world, 120, TEST_DT);
    assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
    return world;
}

static int awake_bodies(const dry_world *world)
{
    return dry_world_statistics(world).awake_bodies;
}

/* A push that friction stops wakes the highest cube alone. Friction stops it
 * within J^2 / (2 m^2 mu g), and each cube is allowed twice that. A cube below that is pushed wakes those
 * that it bears, at most. */
static void test_a_push_wakes_what_it_moves(void **state)
{
    (void)state;
    for (int pushed = 0; pushed < TOWER; ++pushed) {
        dry_body_id id[TOWER];
        dry_world *world = sleeping_cubes(id, TOWER, true, 0.6);
        const d3 from = position_of(world, id[pushed]);
        assert_ok(dry_body_apply_impulse(world, id[pushed], v3(40, 0, 0)));
        int most = 0;
        for (int i = 0; i < 120; ++i) {
            run_steps(world, 1, TEST_DT);
            most = awake_bodies(world) > most ? awake_bodies(world) : most;
        }
        assert_at_most(most, TOWER - pushed);
        assert_int_equal(awake_bodies(world), 0);
        const double moved = d3_length(d3_sub(position_of(world, id[pushed]), from));
        assert_at_most(moved, 2 * 0.04 * 0.04 / (2 * 0.6 * TEST_G));
        dry_world_destroy(world);
    }
}

/* A blow goes through a row of sleepers without friction as through one that is awake, or of which the first
 * cube is: momentum stays, and the row moves as one that is awake does, within a fifth of the blow's speed.
 */
static void test_a_blow_goes_through(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; ++heavy) {
        double speed[3][ROW];
        for (int awake = 0; awake < 3; ++awake) {
            dry_body_id id[ROW];
            dry_world *world = sleeping_cubes(id, ROW, false, 0);
            dry_shape_def ball = sphere_shape(0.5);
            ball.density = heavy ? 2e4f : 1e3f;
            dry_body_id striker = add_dynamic(world, pose_at(-2, 0.5, 0), ball);
            set_velocity(world, striker, (d3){5, 0, 0}, (d3){0, 0, 0});
            const double before = 5.0 * mass_of(world, striker).mass;
            if (awake == 2)
                assert_ok(dry_body_set_awake(world, id[0], true));
            for (int i = 0; i < 30; ++i) {
                if (awake == 1 && i < 10)
                    assert_ok(dry_body_apply_impulse(world, id[0], v3(0, 0, 0.01)));
                run_steps(world, 1, TEST_DT);
            }
            double momentum = velocity_of(world, striker).x * mass_of(world, striker).mass;
            for (int i = 0; i < ROW; ++i) {
                speed[awake][i] = velocity_of(world, id[i]).x;
                momentum += speed[awake][i] * 1000;
            }
            print_message("%s ball, row %s: %.4g of the momentum is left\n", heavy ? "heavy" : "light",
                          awake == 2 ? "awake"
                          : awake    ? "awake at its begin"
                                     : "asleep",
                          momentum / before);
            assert_near(momentum / before, 1, 0.01);
            dry_world_destroy(world);
        }
        for (int awake = 0; awake < 2; ++awake)
            for (int i = 0; i < ROW; ++i)
                assert_near(speed[awake][i], speed[2][i], 1.0);
    }
}

/* A body that a call finds awake wakes all that contacts connect to it, through others that are awake. */
static void test_a_call_wakes_all(void **state)
{
    (void)state;
    dry_body_id id[TOWER];
    dry_world *world = sleeping_cubes(id, TOWER, true, 0.6);
    assert_ok(dry_body_apply_impulse(world, id[TOWER - 1], v3(1, 0, 0)));
    assert_ok(dry_body_apply_impulse(world, id[TOWER - 2], v3(1, 0, 0)));
    assert_int_equal(awake_bodies(world), 2);
    assert_ok(dry_body_set_awake(world, id[TOWER - 1], true));
    assert_int_equal(awake_bodies(world), TOWER);
    dry_world_destroy(world);
}

/* Returns how deep a force of 100 weights presses a cube in, m. */
static double pressed_by(bool asleep)
{
    dry_body_id id[1];
    dry_world *world = sleeping_cubes(id, 1, true, 0.6);
    const double from = position_of(world, id[0]).y;
    if (!asleep)
        assert_ok(dry_body_set_gravity_scale(world, id[0], 1));
    for (int i = 0; i < 10; ++i) {
        assert_ok(dry_body_apply_force(world, id[0], v3(0, -100 * 1000 * TEST_G, 0)));
        run_steps(world, 1, TEST_DT);
    }
    const double depth = from - position_of(world, id[0]).y;
    dry_world_destroy(world);
    return depth;
}

/* A force on a sleeper finds contacts as stiff as one on an awake body does: the soft springs of its rest are
 * gone. */
static void test_a_force_ends_rest(void **state)
{
    (void)state;
    const double awake = pressed_by(false), asleep = pressed_by(true);
    print_message("100 weights press a cube in by %.3g mm, one that slept by %.3g mm\n", 1e3 * awake,
                  1e3 * asleep);
    assert_at_most(asleep, 1.01 * awake);
}

/* Steps of some bodies leave a part of a tower asleep, as steps of all do, and both have the same future. */
static void test_some_bodies_step(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int some = 0; some < 2; ++some) {
        dry_body_id id[TOWER];
        dry_world *world = sleeping_cubes(id, TOWER, true, 0.6);
        assert_ok(dry_body_apply_impulse(world, id[TOWER - 1], v3(1, 0, 0)));
        run_steps(world, 1, TEST_DT);
        if (some)
            assert_ok(dry_world_step_only(world, 0, &id[TOWER - 1], 1));
        else
            run_steps(world, 1, 0);
        run_steps(world, 1, TEST_DT);
        assert_int_equal(awake_bodies(world), 1);
        hash[some] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* A tower whose lowest cube is knocked out wakes and comes down. */
static void test_a_lost_support_wakes(void **state)
{
    (void)state;
    dry_body_id id[TOWER];
    dry_world *world = sleeping_cubes(id, TOWER, true, 0.3);
    assert_ok(dry_body_apply_impulse(world, id[0], v3(3e4, 0, 0)));
    run_steps(world, 30, TEST_DT);
    for (int i = 1; i < TOWER; ++i)
        assert_true(dry_body_is_awake(world, id[i]));
    run_steps(world, 600, TEST_DT);
    for (int i = 1; i < TOWER; ++i)
        assert_at_most(position_of(world, id[i]).y, i - 0.4);
    dry_world_destroy(world);
}

/* Pushes a row of sleeping cubes with a steady force, by a cube that rubs on nothing. Returns how far the row
 * went within 3 s, m. */
static double pushed_row(int count, double force, int *awake)
{
    dry_body_id id[ROW];
    dry_world *world = sleeping_cubes(id, count, false, 0.3);
    dry_shape_def slippery = box_shape(0.5, 0.5, 0.5);
    slippery.friction = 0;
    dry_body_id pusher = add_dynamic(world, pose_at(-1, 0.5, 0), slippery);
    const double from = position_of(world, id[count - 1]).x;
    for (int i = 0; i < 180; ++i) {
        assert_ok(dry_body_apply_force(world, pusher, v3(force, 0, 0)));
        run_steps(world, 1, TEST_DT);
    }
    *awake = 0;
    for (int i = 0; i < count; ++i)
        *awake += dry_body_is_awake(world, id[i]);
    const double moved = position_of(world, id[count - 1]).x - from;
    dry_world_destroy(world);
    return moved;
}

/* Friction holds a sleeper that is pushed by less than mu m g, and no sleeper that is pushed by more: the
 * force goes through sleepers to those behind. */
static void test_friction_holds_what_it_can(void **state)
{
    (void)state;
    for (int count = 1; count <= 3; ++count) {
        const double most = 0.3 * count * 1000 * TEST_G;
        int awake;
        const double little = pushed_row(count, 0.7 * most, &awake);
        print_message("%d cubes, 0.7 of what friction holds: moved %.2g m, %d awake\n", count, little, awake);
        assert_at_most(little, 1e-3);
        const double much = pushed_row(count, 1.5 * most, &awake);
        /* All have the force beyond friction in common, for 3 s, or for 2 s if the last sleeper wakes late.
         */
        const double way = 0.5 * (0.5 * most / (1000 * (count + 1))) * 9;
        print_message("%d cubes, 1.5 of it: moved %.2g m of %.2g, %d awake\n", count, much, way, awake);
        assert_int_equal(awake, count);
        assert_true(much > 0.35 * way && much < 1.1 * way);
    }
}

/* A sleeping plank on a narrow block bears a weight above the block, and tips under one at its end. */
static void test_a_weight_tips_a_sleeper(void **state)
{
    (void)state;
    for (int at = 0; at < 2; ++at) {
        dry_world *world = world_with(dry_default_settings());
        add_floor(world, 0.6, 0);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        dry_body_id plank = add_dynamic(world, pose_at(0, 1.1, 0), box_shape(2, 0.1, 0.5));
        run_steps(world, 120, TEST_DT);
        assert_false(dry_body_is_awake(world, plank));
        /* The plank has 800 kg, and the weight 1,024 kg, 1.2 m beyond the block's edge. */
        dry_shape_def weight = box_shape(0.2, 0.2, 0.2);
        weight.density = 16000;
        add_dynamic(world, pose_at(at ? 1.7 : 0, 1.405, 0), weight);
        run_steps(world, 40, TEST_DT);
        const double turned = turn_angle(pose_of(world, plank).orientation);
        if (at)
            assert_true(turned > 0.3);
        else
            assert_at_most(turned, 1e-3);
        dry_world_destroy(world);
    }
}

/* A weight that slides over a sleeper changes where that presses the next one, and not how much. The two
 * plates lie on a block, of which the weight comes to stand 0.4 m outside. */
static void test_a_couple_tips_a_sleeper(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, 0.6, 0);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0.5, 0), box_shape(0.12, 0.5, 0.5));
    dry_shape_def plate = box_shape(0.6, 0.1, 0.5), weight = box_shape(0.1, 0.1, 0.1);
    plate.density = 200;
    weight.density = 50000;
    weight.friction = 0;
    const dry_body_id lower = add_dynamic(world, pose_at(0, 1.1, 0), plate);
    add_dynamic(world, pose_at(0, 1.3, 0), plate);
    const dry_body_id slider = add_dynamic(world, pose_at(0, 1.5, 0), weight);
    run_steps(world, 180, TEST_DT);
    assert_int_equal(awake_bodies(world), 0);
    assert_ok(dry_body_apply_impulse(world, slider, v3(400 * 0.2, 0, 0)));
    run_steps(world, 90, TEST_DT);
    const double turned = turn_angle(pose_of(world, lower).orientation);
    print_message("the lower plate has turned by %.2f rad\n", turned);
    assert_true(turned > 0.3);
    dry_world_destroy(world);
}

/* Joints bring loads: a ball of 42 kg swings from a block that does not slide on a sleeping column, and tips
 * it. */
static void test_a_swing_tips_a_sleeper(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, 1, 0);
    dry_shape_def column_shape = box_shape(0.1, 0.5, 0.1), block = box_shape(0.15, 0.15, 0.15),
                  ball = sphere_shape(0.15);
    column_shape.friction = block.friction = 1;
    ball.density = 3000;
    ball.filter.mask = 0;
    const dry_body_id column = add_dynamic(world, pose_at(0, 0.5, 0), column_shape);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_dynamic(world, pose_at(0, 1.15, 0), block);
    def.body_b = add_dynamic(world, pose_at(0, 0.35, 0), ball);
    def.anchor_b = v3(0, 0.8, 0);
    join(world, &def);
    run_steps(world, 120, TEST_DT);
    assert_int_equal(awake_bodies(world), 0);
    assert_ok(dry_body_apply_impulse(world, def.body_b, v3(42 * 3, 0, 0)));
    run_steps(world, 90, TEST_DT);
    assert_true(turn_angle(pose_of(world, column).orientation) > 0.3);
    dry_world_destroy(world);
}

static dry_world *sleeping_pile(dry_body_id *id, int *count, int threads)
{
    dry_scene scene = scene_of("pile", PILE);
    dry_world_def def = test_world_def();
    def.threads = threads;
    dry_world *world = world_from(&def);
    *count = scene.body_count;
    assert_ok(dry_scene_build(&scene, world, id));
    dry_scene_free(&scene);
    for (int i = 0; i < 1200 && (i < 60 || awake_bodies(world) > 0); ++i)
        run_steps(world, 1, TEST_DT);
    assert_int_equal(awake_bodies(world), 0);
    return world;
}

/* Pushes boxes in turn, `every` steps apart. Returns the mean of awake bodies. */
static double push_pile(dry_world *world, const dry_body_id *id, int count, int first, int end, int every)
{
    double awake = 0;
    for (int i = first; i < end; ++i) {
        if (i % every == 0)
            assert_ok(dry_body_apply_impulse(world, id[(37 * (i / every)) % count],
                                             v3(i % 2 ? 40 : -40, 0, i % 3 ? 30 : -30)));
        run_steps(world, 1, TEST_DT);
        awake += awake_bodies(world);
    }
    return awake / (end - first);
}

/* Pushes of 50 N s at boxes of 1,000 kg, one each second, keep a small part of a pile awake, and make no
 * energy. Woken afterwards, all boxes stay where they slept: they were at rest. */
static void test_a_pile_sleeps_on(void **state)
{
    (void)state;
    dry_body_id id[PILE + 16];
    int count;
    dry_world *world = sleeping_pile(id, &count, 1);
    const double before = dry_world_energy(world).total_J;
    const int pushes = test_pick(10, 4);
    const double awake = push_pile(world, id, count, 0, 60 * pushes, 60);
    print_message("pile: %.3g of %d boxes awake in the mean\n", awake, PILE);
    assert_at_most(awake, 0.25 * PILE);
    assert_at_most(dry_world_energy(world).total_J - before, pushes * 0.5 * 50.0 * 50.0 / 1000);
    d3 slept[PILE + 16];
    for (int i = 0; i < count; ++i) {
        slept[i] = position_of(world, id[i]);
        assert_ok(dry_body_set_awake(world, id[i], true));
    }
    run_steps(world, 60, TEST_DT);
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, d3_length(d3_sub(position_of(world, id[i]), slept[i])));
    print_message("woken, the boxes move by %.2g mm\n", 1e3 * most);
    assert_at_most(most, 5e-3);
    dry_world_destroy(world);
}

typedef struct saved {
    unsigned char *at;
    size_t size;
} saved;

static bool append(void *user, const void *bytes, size_t size)
{
    saved *to = user;
    unsigned char *at = realloc(to->at, to->size + size);
    if (!at)
        return false;
    memcpy(at + to->size, bytes, size);
    *to = (saved){at, to->size + size};
    return true;
}

/* A pile of which a part is awake has the same bits on any number of threads, and once it was saved and
 * loaded. Balls fall beside it, since fewer bodies than 256 are stepped by one thread. */
static void test_same_bits(void **state)
{
    (void)state;
    enum { STEPS = 90, SAVED_AT = 47, BALLS = 300 };
    uint64_t hash[2];
    for (int many = 0; many < 2; ++many) {
        dry_body_id id[PILE + 16];
        int count;
        dry_world *world = sleeping_pile(id, &count, many ? 4 : 1);
        for (int i = 0; i < BALLS; ++i)
            add_dynamic(world, pose_at(200 + 2 * i, 50, 0), sphere_shape(0.5));
        push_pile(world, id, count, 0, SAVED_AT, 20);
        const int awake = awake_bodies(world) - BALLS;
        assert_true(awake > 0 && awake < PILE);
        if (many) {
            saved bytes = {0};
            const dry_sink sink = {append, &bytes};
            assert_ok(dry_world_save(world, NULL, &sink));
            dry_world_def def = test_world_def();
            def.threads = 4;
            dry_world *loaded = NULL;
            assert_ok(dry_world_load(bytes.at, bytes.size, &def, NULL, &loaded, NULL));
            free(bytes.at);
            dry_world_destroy(world);
            world = loaded;
        }
        push_pile(world, id, count, SAVED_AT, STEPS, 20);
        hash[many] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* Sends a body up a slope, and returns the time until it is back over the time of the closed form; 2 if it
 * falls asleep. A ball has the inertia of 7/5, a cylinder of 3/2 of its mass, and a box slides. */
static double time_on_slope(double angle, double speed, double g, double size, int kind)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = v3(-g * sin(angle), -g * cos(angle), 0);
    dry_world *world = world_with(settings);
    add_floor(world, kind < 2 ? 0.8 : 0, 0);
    dry_shape_def shape = kind == 0 ? sphere_shape(size) : box_shape(size, size, size);
    if (kind == 1) {
        shape.type = DRY_SHAPE_CYLINDER;
        shape.radius = shape.half_length = (float)size;
        shape.pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
    }
    shape.friction = kind < 2 ? 0.8f : 0;
    const dry_body_id id = add_dynamic(world, pose_at(0, size, 0), shape);
    set_velocity(world, id, (d3){speed, 0, 0}, (d3){0, 0, kind < 2 ? -speed / size : 0});
    const double share = kind == 0   ? 5.0 / 7
                         : kind == 1 ? 2.0 / 3
                                     : 1,
                 time = 2 * speed / (share * g * sin(angle));
    int steps = 0;
    while (steps * (double)TEST_DT < 1.5 * time && dry_body_is_awake(world, id) &&
           (position_of(world, id).x > 0 || steps == 0)) {
        run_steps(world, 1, TEST_DT);
        steps++;
    }
    const double taken = dry_body_is_awake(world, id) ? steps * (double)TEST_DT / time : 2;
    dry_world_destroy(world);
    return taken;
}

/* A body that rolls or slides up a gentle slope comes back: where it turns round it is slow for seconds, and
 * its weight does not balance. */
static void test_nothing_sleeps_as_it_turns_round(void **state)
{
    (void)state;
    uint64_t random = 906;
    for (int i = 0; i < 12; ++i) {
        const double angle = random_in(&random, 0.005, 0.02), speed = random_in(&random, 0.1, 0.4),
                     g = random_in(&random, 4, 12), size = random_in(&random, 0.1, 1);
        assert_near(time_on_slope(angle, speed, g, size, i % 3), 1, 0.02);
    }
}

/* A pillar past its edge falls in the time of an inverted pendulum about that edge, acosh(fall / off) / w. */
static void test_a_pillar_past_its_edge_falls(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double h = i % 2 ? 10 : 1, b = 0.1, off = i < 2 ? 1e-3 : 3e-3, r = sqrt(h * h + b * b),
                     fallen = 0.3;
        dry_world *world = world_with(dry_default_settings());
        add_floor(world, 0.9, 0);
        const dry_pose pose = {{b + r * sin(off), r * cos(off), 0},
                               quat_about((d3){0, 0, 1}, -atan(b / h) - off)};
        const dry_body_id id = add_dynamic(world, pose, box_shape(b, h, 0.3));
        const double w = sqrt(0.75 * TEST_G / r), time = acosh(fallen / off) / w;
        double at = 0;
        while (position_of(world, id).y > r * cos(fallen) && at < 2 * time) {
            run_steps(world, 1, TEST_DT);
            at += (double)TEST_DT;
        }
        assert_near(at / time, 1, 0.05);
        dry_world_destroy(world);
    }
}

/* A pendulum of 50 m that is let go at 0.004 rad has 9 cm/s at most, and swings on for ten periods. */
static void test_a_slow_pendulum_swings_on(void **state)
{
    (void)state;
    const double length = 50, angle = 0.004, period = 2 * TEST_PI * sqrt(length / TEST_G);
    dry_world *world = world_with(dry_default_settings());
    const dry_body_id id = add_dynamic(world, pose_at(length * angle, -length, 0), sphere_shape(0.05));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = id;
    def.anchor_b = v3(-length * angle, length, 0);
    join(world, &def);
    for (int half = 1; half <= 20; ++half) {
        const int from = (int)((half - 1) * 30 * period), to = (int)(half * 30 * period);
        run_steps(world, to - from, TEST_DT);
        assert_true(dry_body_is_awake(world, id));
        assert_at_most(0.9, (half % 2 ? -1 : 1) * position_of(world, id).x / (length * angle));
    }
    dry_world_destroy(world);
}

/* Bodies that rest where they begin sleep once sleep_after has gone by; what slows down does so at the latest
 * half of that later than it comes to rest. */
static void test_what_rests_sleeps_at_once(void **state)
{
    (void)state;
    const dry_settings settings = dry_default_settings();
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 20; ++i)
        add_dynamic(world, pose_at(3 * (i % 4), 0.5 + i / 4, 0), box_shape(0.5, 0.5, 0.5));
    const int steps = (int)((settings.sleep_after + 1e-3f) / TEST_DT);
    run_steps(world, steps + 1, TEST_DT);
    assert_int_equal(awake_bodies(world), 0);
    dry_shape_def box = box_shape(0.5, 0.5, 0.5);
    const dry_body_id id = add_dynamic(world, pose_at(0, 0.5, 9), box);
    set_velocity(world, id, (d3){1, 0, 0}, (d3){0});
    const double stops = 1 / (0.6 * TEST_G);
    run_steps(world, (int)((stops + 1.5 * (double)settings.sleep_after) / (double)TEST_DT) + 2, TEST_DT);
    assert_int_equal(awake_bodies(world), 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_push_wakes_what_it_moves),
        cmocka_unit_test(test_a_blow_goes_through),
        cmocka_unit_test(test_a_lost_support_wakes),
        cmocka_unit_test(test_friction_holds_what_it_can),
        cmocka_unit_test(test_a_weight_tips_a_sleeper),
        cmocka_unit_test(test_a_swing_tips_a_sleeper),
        cmocka_unit_test(test_a_pile_sleeps_on),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_a_call_wakes_all),
        cmocka_unit_test(test_a_force_ends_rest),
        cmocka_unit_test(test_some_bodies_step),
        cmocka_unit_test(test_a_couple_tips_a_sleeper),
        cmocka_unit_test(test_nothing_sleeps_as_it_turns_round),
        cmocka_unit_test(test_a_pillar_past_its_edge_falls),
        cmocka_unit_test(test_a_slow_pendulum_swings_on),
        cmocka_unit_test(test_what_rests_sleeps_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
