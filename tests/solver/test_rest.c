/* Islands at rest: contacts bear their loads where bodies were placed, in the fewest substeps, until a load
 * changes. */
#include "solver/data/terms.h"
#include "tests/scene_worlds.h"
#include "world/world.h"

enum { STACK_MAX = 2000 };

typedef struct stack {
    dry_world *world;
    dry_scene scene;
    dry_body_id id[STACK_MAX];
    d3 placed[STACK_MAX];
} stack;

static stack make_stack(const char *name, int size, bool sleep)
{
    stack s = {0};
    s.scene = scene_of(name, size);
    assert_true(s.scene.body_count <= STACK_MAX);
    dry_settings settings = test_settings();
    settings.gravity = s.scene.gravity;
    settings.sleep = sleep;
    s.world = world_with(settings);
    assert_ok(dry_scene_build(&s.scene, s.world, s.id));
    for (int i = 0; i < s.scene.body_count; ++i)
        s.placed[i] = position_of(s.world, s.id[i]);
    return s;
}

static void end_stack(stack *s)
{
    dry_world_destroy(s->world);
    dry_scene_free(&s->scene);
}

/* Returns how far the body that moved the farthest is from where it was placed, m. */
static double farthest(const stack *s)
{
    double most = 0;
    for (int i = 0; i < s->scene.body_count; ++i) {
        if (!dry_body_is_valid(s->world, s->id[i]))
            continue;
        most = fmax(most, d3_length(d3_sub(position_of(s->world, s->id[i]), s->placed[i])));
    }
    return most;
}

/* Rigid bodies that are placed in equilibrium stay where they are. What is left is rounding: a lower cube of
 * a tower of 100 bears 2,000 m/s^2, of which a float resolves 1e-4, which moves a contact of (2 pi 46 Hz)^2
 * by 1e-9 m. A point of the lowest of n cubes presses with n g / 2 on radii of 0.87 m. In half the fewest
 * substeps, in which its spring has 19 Hz, it would give way by 1/128 of that if n were 18. */
static void test_what_is_placed_stays(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size;
        bool light;
    } scenes[] = {{"tower", 1, true},     {"tower", 10, true},   {"tower", 100, false},
                  {"pyramid", 40, false}, {"pyramids", 3, true}, {"mass-ratio", 1000, false}};
    for (int i = 0; i < COUNT_OF(scenes); ++i) {
        stack s = make_stack(scenes[i].name, scenes[i].size, false);
        run_steps(s.world, test_pick(600, 60), TEST_DT);
        const double moved = farthest(&s);
        print_message("%s %d: moved %.2g m in %d substeps\n", scenes[i].name, scenes[i].size, moved,
                      dry_world_statistics(s.world).substeps);
        assert_at_most(moved, 1e-5);
        assert_true(dry_world_energy(s.world).kinetic_J == 0); /* to the bit */
        assert_int_equal(dry_world_statistics(s.world).substeps,
                         test_settings().substeps_min / (scenes[i].light ? 2 : 1));
        end_stack(&s);
    }
}

/* Steps of changing length keep what rests: stiffness stays, and substeps follow. */
static void test_steps_of_any_length(void **state)
{
    (void)state;
    static const double dt[] = {1.0 / 60, 1.0 / 55, 1.0 / 75, 1.0 / 30, 1.0 / 144};
    stack s = make_stack("tower", 30, false);
    for (int i = 0; i < 300; ++i) {
        run_steps(s.world, 1, dt[i % COUNT_OF(dt)]);
        assert_at_most(dry_world_statistics(s.world).substeps, 8);
    }
    print_message("tower 30 in steps of any length: moved %.2g m\n", farthest(&s));
    assert_at_most(farthest(&s), 1e-5);
    end_stack(&s);
}

/* Returns the speed of the fastest body within some steps, m/s. */
static double fastest_within(const stack *s, int steps)
{
    double most = 0;
    for (int step = 0; step < steps; ++step) {
        run_steps(s->world, 1, TEST_DT);
        for (int i = 0; i < s->scene.body_count; ++i)
            if (dry_body_is_valid(s->world, s->id[i]))
                most = fmax(most, d3_length(velocity_of(s->world, s->id[i])));
    }
    return most;
}

/* A load that goes throws nothing: the springs that bore it have their own lengths before the next solve.
 * Where springs give way by their load instead, a tower without gravity expands at 0.65 m/s, and one that is
 * cut rises at 0.52 m/s. */
static void test_a_load_that_goes_throws_nothing(void **state)
{
    (void)state;
    stack s = make_stack("mass-ratio", 1000, false);
    run_steps(s.world, 60, TEST_DT);
    int heavy = -1;
    for (int i = 0; i < s.scene.body_count; ++i)
        if (heavy < 0 || s.placed[i].y > s.placed[heavy].y)
            heavy = i;
    assert_ok(dry_body_destroy(s.world, s.id[heavy]));
    const double alone = fastest_within(&s, 60);
    print_message("1 kg without 1000 kg: %.2g m/s\n", alone);
    assert_at_most(alone, 0.05);
    end_stack(&s);

    s = make_stack("tower", 100, false);
    run_steps(s.world, 60, TEST_DT);
    dry_settings settings = dry_world_get_settings(s.world);
    settings.gravity = v3(0, 0, 0);
    assert_ok(dry_world_set_settings(s.world, &settings));
    const double weightless = fastest_within(&s, 60);
    print_message("tower without gravity: %.2g m/s\n", weightless);
    assert_at_most(weightless, 0.05);
    end_stack(&s);

    for (int sleep = 0; sleep < 2; ++sleep) {
        s = make_stack("tower", 100, sleep);
        run_steps(s.world, 60, TEST_DT);
        assert_int_equal(dry_body_is_awake(s.world, s.id[s.scene.body_count - 1]), !sleep);
        for (int i = 0; i < s.scene.body_count; ++i)
            if (s.placed[i].y > 30.0)
                assert_ok(dry_body_destroy(s.world, s.id[i]));
        const double rise = fastest_within(&s, 60);
        print_message("%s tower cut to 30: %.2g m/s, moved %.2g m\n", sleep ? "sleeping" : "awake", rise,
                      farthest(&s));
        assert_at_most(rise, 0.25);
        assert_at_most(farthest(&s), 0.01);
        end_stack(&s);
    }
}

/* Returns a heap of 100 boxes that fell, and are calm since some seconds. */
static stack make_calm_heap(int size)
{
    stack s = make_stack("pile", size, false);
    run_steps(s.world, 1200, TEST_DT);
    for (int i = 0; i < s.scene.body_count; ++i)
        s.placed[i] = position_of(s.world, s.id[i]);
    return s;
}

/* A heap that calms down bears its load where it is: fewer substeps hold it, and nothing moves. */
static void test_what_calms_down_rests(void **state)
{
    (void)state;
    stack s = make_stack("pile", 100, false);
    run_steps(s.world, 180, TEST_DT);
    const int falling = dry_world_statistics(s.world).substeps;
    end_stack(&s);
    s = make_calm_heap(100);
    const int calm = dry_world_statistics(s.world).substeps;
    run_steps(s.world, 600, TEST_DT);
    print_message("heap: %d substeps, %d once calm; moved %.2g m in 10 s\n", falling, calm, farthest(&s));
    assert_true(calm <= falling / 2);
    assert_at_most(farthest(&s), 1e-4);
    end_stack(&s);
}

/* How a heap falls: its steps of over 8 substeps, of 240, and its largest gain of energy, of what it lost. */
typedef struct fall {
    int beyond;
    double gain;
} fall;

static fall fall_of_heap(int size)
{
    stack s = make_stack("pile", size, false);
    const double start = dry_world_energy(s.world).total_J;
    double energy = start, gained = 0;
    fall f = {0};
    for (int i = 0; i < test_pick(1500, 300); ++i) {
        run_steps(s.world, 1, TEST_DT);
        const double now = dry_world_energy(s.world).total_J;
        gained = fmax(gained, now - energy);
        energy = fmin(energy, now);
        f.beyond += i < 240 && dry_world_statistics(s.world).substeps > 8;
    }
    f.gain = gained / (start - energy);
    print_message("heap of %d: %d steps of over 8 substeps, gains %.2g\n", size, f.beyond, f.gain);
    end_stack(&s);
    return f;
}

/* A heap that falls has at most 8 substeps, but for at most 16 of 240 steps of one in three from 350 to 600,
 * and gains no energy as it comes to rest: stiffer contacts would lift it, by 1e-4 of what it lost. A box
 * that tips is lifted by up to 3.5e-5; one in six heaps gains over 1e-5 by it. An island of which most bodies
 * bear more than 8 substeps do has more. */
static void test_what_falls_has_few_substeps(void **state)
{
    (void)state;
    enum { HEAPS = 5 };
    int beyond = 0, lifted = 0;
    for (int i = 0; i < HEAPS; ++i) {
        const fall f = fall_of_heap(120 + 100 * i);
        assert_true(f.beyond == 0 || i >= 2);
        assert_at_most(f.gain, 5e-5);
        beyond += f.beyond;
        lifted += f.gain > 1e-5;
    }
    assert_at_most(beyond, HEAPS * 240 / 20);
    assert_at_most(lifted, HEAPS / 2);
}

/* Rest does not depend on how it was reached: what fell lies where it would have been placed. A load beyond
 * what stiffness bears presses a cube in, and comes up slowly once it is calm. It sleeps then. */
static void test_what_fell_lies_as_placed(void **state)
{
    (void)state;
    const double drop[] = {0.02, 0.005, 0.05};
    for (int c = 0; c < test_pick(24, 3); ++c) {
        const double ratio = pow(10, 5 - 0.5 * (c % 8)), height = drop[c / 8];
        dry_settings settings = test_settings();
        settings.sleep = true;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        dry_body_id cube[2];
        for (int i = 0; i < 2; ++i) {
            dry_shape_def box = box_shape(0.5, 0.5, 0.5);
            box.density = (float)(i ? ratio : 1);
            cube[i] = add_dynamic(world, pose_at(0, 0.5 + (1 + height) * i, 0), box);
        }
        run_steps(world, 3600, TEST_DT);
        print_message("%g kg that fell %g m on 1 kg: %.2g mm low\n", ratio, height,
                      1e3 * (1.5 - position_of(world, cube[1]).y));
        assert_near(position_of(world, cube[1]).y, 1.5, 2e-4);
        assert_near(position_of(world, cube[0]).y, 0.5, 2e-4);
        assert_false(dry_body_is_awake(world, cube[1]));
        dry_world_destroy(world);
    }
}

/* Moves a platform, with a tower on it, by steps of so many m/s, and stops. */
static void ride(dry_world *world, dry_body_id lift, double speed, double acceleration, int steps)
{
    double now = 0;
    for (int i = 0; i < steps; ++i) {
        const double left = (steps - i) * acceleration * TEST_DT;
        now = fmin(fmin(now + acceleration * TEST_DT, fabs(speed)), left);
        assert_ok(dry_body_set_velocity(
            world, lift, (dry_velocity){v3(0, (float)(speed < 0 ? -now : now), 0), v3(0, 0, 0)}));
        run_steps(world, 1, TEST_DT);
    }
    assert_ok(dry_body_set_velocity(world, lift, (dry_velocity){0}));
}

/* A tower that a lift has moved, once or several times, stands on it as it was placed. */
static void test_what_a_lift_moved_stands_as_placed(void **state)
{
    (void)state;
    enum { MOST = 20 };
    uint64_t seed = 7;
    double worst = 0;
    for (int c = 0; c < test_pick(40, 6); ++c) {
        const int count = 1 + (int)random_in(&seed, 0, MOST), rides = 1 + (int)random_in(&seed, 0, 3);
        const float half = (float)(0.025 * pow(100, random_in(&seed, 0, 1)));
        dry_settings settings = test_settings();
        settings.sleep = true;
        dry_world *world = world_with(settings);
        const dry_body_id lift =
            add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(4 * half, 0.5f, 4 * half));
        dry_body_id cube[MOST];
        for (int i = 0; i < count; ++i)
            cube[i] =
                add_dynamic(world, pose_at(0, (2 * i + 1) * (double)half, 0), box_shape(half, half, half));
        run_steps(world, 60, TEST_DT);
        for (int i = 0; i < rides; ++i)
            ride(world, lift, random_in(&seed, -3, 3), random_in(&seed, 0.3, 6),
                 (int)random_in(&seed, 20, 400));
        run_steps(world, 600, TEST_DT);
        for (int i = 0; i < count; ++i) {
            const double above = position_of(world, cube[i]).y - position_of(world, lift).y - 0.5;
            worst = fmax(worst, fabs(above - (2 * i + 1) * (double)half));
        }
        assert_false(dry_body_is_awake(world, cube[count - 1]));
        dry_world_destroy(world);
    }
    print_message("towers on lifts: %.2g mm from where they were placed\n", 1e3 * worst);
    assert_at_most(worst, 2e-4);
}

/* Returns the ways by which the weight of a pyramid of 60, whose cubes have gaps of up to 1 mm, is lifted
 * from its third second on, m. It falls into the gaps, and sinks as its contacts become softer. */
static double lifts_of_disorder(uint64_t seed)
{
    stack s = {0};
    s.scene = scene_of("pyramid", 60);
    dry_scene_disorder(&s.scene, 1e-3, seed);
    dry_settings settings = test_settings();
    settings.gravity = s.scene.gravity;
    settings.sleep = false;
    s.world = world_with(settings);
    assert_ok(dry_scene_build(&s.scene, s.world, s.id));
    run_steps(s.world, 120, TEST_DT);
    double energy = dry_world_energy(s.world).total_J, gained = 0;
    for (int i = 0; i < test_pick(30, 6); ++i) {
        run_steps(s.world, 30, TEST_DT);
        const double now = dry_world_energy(s.world).total_J;
        gained += fmax(now - energy, 0);
        energy = now;
    }
    const double lifts = gained / (60 * 61 / 2 * 1000 * TEST_G);
    print_message("pyramid that sinks, seed %d: lifted by %.2g m\n", (int)seed, lifts);
    end_stack(&s);
    return lifts;
}

/* Impulses of what sinks are not those that it rests with: taken for them they lift it by 16 um. */
static void test_what_sinks_does_not_settle(void **state)
{
    (void)state;
    assert_at_most(lifts_of_disorder(2), 2e-6);
}

/* A load that grows by less than a quarter as a stack softens does not stop it at once: 24 seeds are lifted
 * by 3.5 um at most, this one by 198 if it stops. */
static void test_what_softens_goes_on(void **state)
{
    (void)state;
    assert_at_most(lifts_of_disorder(1), 5e-6);
}

typedef enum end_of_rest { PUSHES, LOSES, END_COUNT } end_of_rest;

/* Returns the energy that a calm heap gains, over all of its own, where its lowest body is touched or goes.
 */
static double gain_as_rest_ends(int size, end_of_rest how)
{
    stack s = make_calm_heap(size);
    int lowest = -1;
    for (int i = 0; i < s.scene.body_count; ++i)
        if (s.scene.bodies[i].def.type == DRY_BODY_DYNAMIC &&
            (lowest < 0 || s.placed[i].y < s.placed[lowest].y))
            lowest = i;
    if (how == PUSHES)
        assert_ok(dry_body_apply_impulse(s.world, s.id[lowest], v3(0, 0, 0)));
    else
        assert_ok(dry_body_destroy(s.world, s.id[lowest]));
    const double before = dry_world_energy(s.world).total_J;
    double most = 0;
    for (int i = 0; i < 240; ++i) {
        run_steps(s.world, 1, TEST_DT);
        const dry_energy energy = dry_world_energy(s.world);
        most = fmax(most, fmax(energy.total_J - before, how == PUSHES ? energy.kinetic_J : 0));
    }
    end_stack(&s);
    return most / before;
}

/* Rest ends where bodies are: what overlaps by more than its load asks comes up slowly. Three of four heaps
 * gain no energy by it, and no heap gains a millionth of its own. */
static void test_rest_ends_without_a_jump(void **state)
{
    (void)state;
    int gain = 0, count = 0;
    for (int size = 90; size <= 125; size += test_pick(5, 15))
        for (int how = 0; how < END_COUNT; ++how, ++count) {
            const double gained = gain_as_rest_ends(size, (end_of_rest)how);
            print_message("rest of %d cubes ends: %.2g of the energy gained\n", size, gained);
            assert_at_most(gained, 1e-6);
            gain += gained > 1e-7;
        }
    assert_at_most(gain, count / 4);
}

/* Lifts what stands still by 1 mm. */
static void lift_fixed_bodies(const stack *s)
{
    for (int i = 0; i < s->scene.body_count; ++i) {
        dry_pose pose;
        if (!dry_body_is_valid(s->world, s->id[i]) || s->scene.bodies[i].def.type != DRY_BODY_STATIC)
            continue;
        assert_ok(dry_body_get_pose(s->world, s->id[i], &pose));
        pose.position.y += 1e-3;
        assert_ok(dry_body_set_pose(s->world, s->id[i], pose));
    }
}

/* Lets contacts keep their anchors over other distances. */
static void scale_recycle_distance(const stack *s, float factor)
{
    dry_settings settings = dry_world_get_settings(s->world);
    settings.recycle_distance *= factor;
    assert_ok(dry_world_set_settings(s->world, &settings));
}

/* Changes what all contacts depend on in the last steps, of which so many are left. */
static void change_all(const stack *s, int left)
{
    if (left == 150)
        lift_fixed_bodies(s);
    else if (left == 50 || left == 40)
        scale_recycle_distance(s, left == 50 ? 0.01f : 100.0f);
}

/* Changes one thing of a stack in some of its steps. */
static void change(const stack *s, int step)
{
    enum { RESTITUTION_STEPS = 120 };
    const dry_body_id body = s->id[step % RESTITUTION_STEPS % s->scene.body_count];
    dry_shape_id shape;
    int count = 0;
    if (!dry_body_is_valid(s->world, body))
        return;
    assert_ok(dry_body_get_shapes(s->world, body, &shape, 1, &count));
    switch (step) {
    case 300:
        assert_ok(dry_shape_set_friction(s->world, shape, 0.3f));
        break;
    case 330: /* of one shape: both steps name it */
    case 330 + RESTITUTION_STEPS:
        assert_ok(dry_shape_set_restitution(s->world, shape, step == 330 ? 0.5f : 0.0f));
        break;
    case 360:
        assert_ok(dry_body_apply_impulse(s->world, body, v3(0.5f, 0, 0.2f)));
        break;
    case 500:
        assert_ok(dry_shape_set_rolling_resistance(s->world, shape, 0.1f));
        break;
    case 700:
        assert_ok(dry_body_destroy(s->world, s->id[s->scene.body_count - 1]));
        break;
    default:
        break;
    }
}

/* How many bundles and bodies there were in all steps, and how many of them stayed and were still. */
typedef struct stays {
    int64_t bundles, stay, rows, still;
} stays;

/* Steps a scene in two worlds, of which one prepares all bundles and updates all contacts in each step, and
 * counts what stays in the other one. */
static void step_twins(const char *name, int size, stays *sum)
{
    stack a = make_stack(name, size, false);
    stack b = make_stack(name, size, false);
    const int steps = test_pick(3000, 900);
    for (int step = 0; step < steps; ++step) {
        b.world->solver.sweeps.stored_dt = 0.0f;
        for (int row = 0; row < a.world->bodies.awake_count; ++row) {
            sum->still += a.world->bodies.sleep[row].still > 0;
            sum->rows++;
            b.world->bodies.sleep[row].still = 0;
        }
        change(&a, step);
        change(&b, step);
        change_all(&a, steps - step);
        change_all(&b, steps - step);
        const double dt = step % 400 == 399 ? 0.5 * TEST_DT : TEST_DT;
        run_steps(a.world, 1, dt);
        run_steps(b.world, 1, dt);
        if (dry_world_hash(a.world) != dry_world_hash(b.world))
            fail_msg("%s %d: other bits in step %d", name, size, step);
        const dry_bundle_set *set = &a.world->solver.sweeps;
        sum->bundles += set->bundles[DRY_KIND_CONTACT].count;
        for (int k = 0; k < set->bundles[DRY_KIND_CONTACT].count; ++k)
            sum->stay += set->headers[k].stays;
    }
    end_stack(&a);
    end_stack(&b);
}

/* A bundle that stays is the one that preparing would make, and a contact of bodies that are still is the one
 * that an update would keep or make: a world that prepares and updates all has the same state. */
static void test_what_stays_is_what_would_be_made(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size[4];
    } scenes[] = {{"tower", {20}},
                  {"pyramid", {12}},
                  {"pile", {60}},
                  {"mixed", {40, 60, 80, 100}},
                  {"shapes", {12, 20, 40}}};
    for (int i = 0; i < COUNT_OF(scenes); ++i) {
        stays sum = {0};
        for (int k = 0; k < 4 && scenes[i].size[k] > 0; ++k)
            step_twins(scenes[i].name, scenes[i].size[k], &sum);
        print_message("%s: %.0f %% of the bundles stay, %.0f %% of the bodies are still\n", scenes[i].name,
                      100.0 * (double)sum.stay / (double)sum.bundles,
                      100.0 * (double)sum.still / (double)sum.rows);
        assert_true(sum.stay > sum.bundles / 50);
        assert_true(sum.still > sum.rows / 50);
    }
}

/* Nothing is built on what is no number: hold.c leaves such a joint alone, and no island settles. */
static void test_terms_distrust_what_is_no_number(void **state)
{
    (void)state;
    assert_true(dry_is_open(NAN, 0.0) && dry_is_open(0.0, NAN) && dry_is_open(INFINITY, 0.0));
    assert_true(dry_turns(NAN, 1.0f, 0.1f, 0.1f) && dry_turns(0.0f, NAN, 0.1f, 0.1f));
    assert_true(dry_moves(NAN, 1) && !dry_is_calm(NAN, 1));
    assert_false(dry_is_open(DRY_GAP_OPEN, DRY_TURN_OPEN) || dry_turns(1.0f, 1.0f, 0.1f, 0.1f));
}

enum { PLANKS = 240, PLANKS_A_LAYER = 4 };

/* Builds a bin of 6.4 m and planks of 20.8 kg that will fall into it, in layers 1.2 m apart up to 72 m. */
static void add_planks(dry_world *world, uint64_t seed)
{
    const double half = 3.2, height = 100;
    add_body(world, DRY_BODY_STATIC, pose_at(0, -5, 0), box_shape(20, 5, 20));
    for (int side = -1; side <= 1; side += 2) {
        add_body(world, DRY_BODY_STATIC, pose_at(side * (half + 5), height / 2, 0),
                 box_shape(5, height / 2, half + 10));
        add_body(world, DRY_BODY_STATIC, pose_at(0, height / 2, side * (half + 5)),
                 box_shape(half + 10, height / 2, 5));
    }
    dry_shape_def plank = box_shape(1.3, 0.1, 0.2);
    plank.density = 100;
    for (int i = 0; i < PLANKS; ++i) {
        const int at = i % PLANKS_A_LAYER;
        const int layer = 1 + i / PLANKS_A_LAYER, row = at / 2;
        const double x = half * (at % 2 - 0.5) + random_in(&seed, -0.15, 0.15),
                     z = half * (row - 0.5) + random_in(&seed, -0.15, 0.15);
        dry_pose pose = pose_at(x, 1.2 * layer + random_in(&seed, -0.1, 0.1), z);
        pose.orientation = quat_about((d3){0, 1, 0}, random_in(&seed, 0, TEST_PI));
        add_dynamic(world, pose, plank);
    }
}

/* Returns how deep the contact of a world that overlaps most does, m. */
static double deepest_overlap(const dry_world *world)
{
    static dry_contact contacts[16 * PLANKS];
    const int count = dry_world_get_contacts(world, contacts, COUNT_OF(contacts));
    assert_in_range(count, 1, COUNT_OF(contacts));
    double deepest = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < contacts[i].point_count; ++k)
            deepest = fmax(deepest, -(double)contacts[i].points[k].separation);
    return deepest;
}

/* Planks that cross each other and overlap touch with their faces, so that they part where they press. With
 * one point of two edges they were 80 to 146 mm deep after 6 s, and as they parted the heap had gained 1 % of
 * the energy that fell. */
static void test_planks_that_fall_far_come_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_pick(8, 2); ++seed) {
        dry_world *world = world_with(test_settings());
        add_planks(world, seed * 0x9E3779B97F4A7C15u);
        const double fell = dry_world_energy(world).total_J;
        double least = fell, gained = 0;
        for (int step = 0; step < 360; ++step) {
            run_steps(world, 1, TEST_DT);
            const double now = dry_world_energy(world).total_J;
            gained = fmax(gained, now - least);
            least = fmin(least, now);
        }
        const double deepest = deepest_overlap(world);
        print_message("planks %d: %.1f mm deep, %.2g of the energy gained\n", (int)seed, 1e3 * deepest,
                      gained / fell);
        assert_at_most(deepest, 0.02);
        assert_at_most(gained, 5e-3 * fell);
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms_distrust_what_is_no_number),
        cmocka_unit_test(test_what_is_placed_stays),
        cmocka_unit_test(test_steps_of_any_length),
        cmocka_unit_test(test_a_load_that_goes_throws_nothing),
        cmocka_unit_test(test_what_calms_down_rests),
        cmocka_unit_test(test_what_falls_has_few_substeps),
        cmocka_unit_test(test_what_fell_lies_as_placed),
        cmocka_unit_test(test_what_a_lift_moved_stands_as_placed),
        cmocka_unit_test(test_what_sinks_does_not_settle),
        cmocka_unit_test(test_planks_that_fall_far_come_apart),
        cmocka_unit_test(test_what_softens_goes_on),
        cmocka_unit_test(test_rest_ends_without_a_jump),
        cmocka_unit_test(test_what_stays_is_what_would_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
