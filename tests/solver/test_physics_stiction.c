/* Static and dynamic friction against closed form: what a patch holds, when it lets go, how it slides, and
 * when it holds again [Waterson 5.53]. */
#include "tests/method_limits.h"
#include "tests/slopes.h"

static const double mu_d = 0.4, mu_s = 0.6, half_height = 0.1, block_mass = 200;

/* Every friction model with every solver that honors it, for contacts as stiff as the substeps allow and for
 * springs. */
enum { VARIANTS = DRY_FRICTION_COUNT * DRY_SOLVER_COUNT * 2 };

static dry_settings variant_settings(int variant)
{
    dry_settings settings = test_settings();
    settings.method.friction = (dry_friction)(variant % DRY_FRICTION_COUNT);
    settings.method.solver = (dry_solver)(variant / DRY_FRICTION_COUNT % DRY_SOLVER_COUNT);
    settings.contact_stiffness = variant / DRY_FRICTION_COUNT / DRY_SOLVER_COUNT ? 1e6f : 0;
    return settings;
}

/* Returns the first variant from `k` on whose method honors it; VARIANTS if none does. */
static int variant_from(int k)
{
    for (; k < VARIANTS; ++k) {
        const dry_settings settings = variant_settings(k);
        if (!limit_of(&settings))
            break;
    }
    return k;
}

/* A block on a floor or a slope, both with the two coefficients. It lies so deep that springs carry it. */
typedef struct block_run {
    dry_world *world;
    dry_body_id block, ground;
} block_run;

static block_run block_begin(const dry_world_def *def, const slope *on)
{
    block_run run = {.world = world_from(def)};
    dry_shape_def ground = box_shape(60, 0.5, 60), block = box_shape(0.5, half_height, 0.5);
    ground.friction = block.friction = (float)mu_d;
    ground.static_friction = block.static_friction = (float)mu_s;
    const double k = (double)def->settings.contact_stiffness;
    const double depth = k > 0 ? block_mass * TEST_G * on->n.y / (4 * k) : 0;
    const d3 below = d3_scale(on->n, -0.5), above = d3_scale(on->n, half_height - depth);
    run.ground = add_body(run.world, DRY_BODY_STATIC,
                          (dry_pose){{below.x, below.y, below.z}, on->orientation}, ground);
    run.block = add_dynamic(run.world, (dry_pose){{above.x, above.y, above.z}, on->orientation}, block);
    return run;
}

static block_run block_warm(int variant, const slope *on, bool warm_start)
{
    dry_world_def def = test_world_def();
    def.settings = variant_settings(variant);
    def.settings.warm_start = warm_start;
    return block_begin(&def, on);
}

static block_run block_of(int variant, const slope *on)
{
    return block_warm(variant, on, true);
}

static double along(const block_run *run, d3 direction)
{
    return d3_dot(velocity_of(run->world, run->block), direction);
}

static void push(const block_run *run, d3 direction, double speed)
{
    set_velocity(run->world, run->block, d3_scale(direction, speed), (d3){0, 0, 0});
}

/* Returns the slope whose angle is midway between atan(mu_d) and atan(mu_s), toward the second tangent of
 * its contact: there boxes limit friction as the cone does, by mu m g where the cone has mu m g cos(angle).
 */
static slope between_angles(void)
{
    return slope_make(atan(0.5 * (mu_d + mu_s)), 0.5 * TEST_PI);
}

/* The dynamic limit of a model on a slope, over the block's mass. */
static double braking(int variant, const slope *on)
{
    const bool scaled = variant % DRY_FRICTION_COUNT == DRY_FRICTION_SCALED_BOX;
    return mu_d * TEST_G * (scaled ? 1.0 : on->n.y);
}

/* At rest between the two angles, the block stays; pushed, it slides for ever, with g (sin - mu_d cos). */
static void test_between_the_angles(void **state)
{
    (void)state;
    const slope on = between_angles();
    const double pull = -TEST_G * on.down.y;
    for (int k = variant_from(0); k < VARIANTS; k = variant_from(k + 1)) {
        block_run run = block_of(k, &on);
        run_steps(run.world, 30, TEST_DT);
        const d3 settled = position_of(run.world, run.block);
        run_steps(run.world, 150, TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), settled)), 1e-3);
        push(&run, on.down, 0.5);
        run_steps(run.world, 10, TEST_DT);
        const double before = along(&run, on.down);
        run_steps(run.world, 120, TEST_DT);
        const double a = pull - braking(k, &on);
        assert_near(along(&run, on.down) - before, 2 * a, 0.01 * 2 * a);
        dry_world_destroy(run.world);
    }
}

/* Awake for a minute, in the quick form ten seconds, the block stays; beyond atan(mu_s) it slides from rest,
 * as if with mu_d alone. */
static void test_for_a_minute_and_beyond(void **state)
{
    (void)state;
    const slope below = between_angles(), beyond = slope_make(atan(mu_s + 0.05), 0.5 * TEST_PI);
    for (int k = variant_from(0); k < VARIANTS; k = variant_from(k + 1)) {
        block_run run = block_of(k, &below);
        run_steps(run.world, 30, TEST_DT);
        const d3 settled = position_of(run.world, run.block);
        run_steps(run.world, test_pick(3600, 600), TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), settled)), 1e-3);
        dry_world_destroy(run.world);
        if (variant_settings(k).method.friction == DRY_FRICTION_SCALED_BOX)
            continue; /* its limits are those of the level */
        run = block_of(k, &beyond);
        run_steps(run.world, 10, TEST_DT);
        const double before = along(&run, beyond.down), a = -TEST_G * beyond.down.y - braking(k, &beyond);
        run_steps(run.world, 60, TEST_DT);
        assert_near(along(&run, beyond.down) - before, a, 0.01 * a);
        dry_world_destroy(run.world);
    }
}

/* A patch that slides has a memory: brought down to a speed that one substep could stop within mu_s N, it
 * still slides; PBD, XPBD and AVBD also without a warm start. A patch at rest takes the same speed and
 * holds. */
static void test_sliding_goes_on_at_any_speed(void **state)
{
    (void)state;
    const slope on = between_angles();
    const double slow = 1e-3, a = -TEST_G * on.down.y;
    for (int k = variant_from(0); k < VARIANTS; k = variant_from(k + 1)) {
        const dry_solver solver = variant_settings(k).method.solver;
        const bool also_cold = solver != DRY_SOLVER_GAUSS_SEIDEL && solver != DRY_SOLVER_JACOBI;
        for (int i = 0; i < (also_cold ? 3 : 2); ++i) {
            const bool slid = i > 0;
            block_run run = block_warm(k, &on, i < 2);
            run_steps(run.world, 30, TEST_DT);
            if (slid) {
                push(&run, on.down, 0.5);
                run_steps(run.world, 10, TEST_DT);
            }
            push(&run, on.down, slow);
            run_steps(run.world, 60, TEST_DT);
            if (slid)
                assert_near(along(&run, on.down), slow + a - braking(k, &on), 0.02 * (a - braking(k, &on)));
            else
                assert_at_most(fabs(along(&run, on.down)), 1e-4);
            dry_world_destroy(run.world);
        }
    }
}

static void check_turning_point(int variant, const slope *on, double speed)
{
    const d3 up = d3_scale(on->down, -1);
    block_run run = block_of(variant, on);
    run_steps(run.world, 30, TEST_DT);
    const d3 start = position_of(run.world, run.block);
    push(&run, up, speed);
    run_steps(run.world, 60, TEST_DT);
    const d3 top = position_of(run.world, run.block);
    const double expected = speed * speed / 2 / (-TEST_G * on->down.y + braking(variant, on));
    assert_near(d3_dot(d3_sub(top, start), up), expected, 0.01 * expected + speed / 120);
    run_steps(run.world, 120, TEST_DT);
    assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), top)), 1e-3);
    dry_world_destroy(run.world);
}

/* Pushed up the slope, the block stops after v^2 / 2 (g sin + mu_d g cos), and stays there, also where all
 * but 3 % of the static limit are taken. */
static void test_turning_point_holds(void **state)
{
    (void)state;
    const slope on[] = {between_angles(), slope_make(atan(mu_s - 0.02), 0.5 * TEST_PI)};
    for (int k = variant_from(0); k < VARIANTS; k = variant_from(k + 1))
        for (int i = 0; i < test_pick(10, 2); ++i)
            check_turning_point(k, &on[i % 2], 1.5 + 0.035 * i);
}

/* On the level a rising force moves the block at mu_s m g, and from there on by what exceeds mu_d m g.
 * Without the force it stops as if it had mu_d alone, and holds again up to mu_s m g. */
static void test_rising_force(void **state)
{
    (void)state;
    const slope level = slope_make(0, 0);
    const d3 x = {1, 0, 0};
    for (int k = variant_from(0); k < VARIANTS; k = variant_from(k + 1)) {
        block_run run = block_of(k, &level);
        run_steps(run.world, 30, TEST_DT);
        for (int again = 0; again < 2; ++again) {
            double share = 0.9;
            while (share < 1.1 && along(&run, x) < 0.02) {
                share += 0.005;
                const double force = share * mu_s * block_mass * TEST_G;
                for (int i = 0; i < 4 && along(&run, x) < 0.02; ++i) {
                    dry_body_apply_force(run.world, run.block, v3((float)force, 0, 0));
                    run_steps(run.world, 1, TEST_DT);
                }
            }
            assert_near(share, 1, 0.011);
            const double force = share * mu_s * block_mass * TEST_G, before = along(&run, x);
            for (int i = 0; i < 30; ++i) {
                dry_body_apply_force(run.world, run.block, v3((float)force, 0, 0));
                run_steps(run.world, 1, TEST_DT);
            }
            const double a = force / block_mass - mu_d * TEST_G;
            assert_near(along(&run, x) - before, 0.5 * a, 0.02 * 0.5 * a);
            const double speed = along(&run, x), from = position_of(run.world, run.block).x;
            run_steps(run.world, 60, TEST_DT);
            const double expected = speed * speed / (2 * mu_d * TEST_G);
            assert_near(position_of(run.world, run.block).x - from, expected, 0.01 * expected + speed / 120);
        }
        dry_world_destroy(run.world);
    }
}

/* A stack of plates that begins between the angles stays: its first steps lack the normal impulses that its
 * friction needs. */
static void check_stack(dry_solver solver, float ratio)
{
    dry_settings settings = test_settings();
    settings.method.solver = solver;
    dry_world *world = world_with(settings);
    const slope on = between_angles();
    dry_shape_def shape = box_shape(5, 0.5, 5);
    shape.friction = (float)mu_d;
    shape.static_friction = (float)mu_s;
    const d3 below = d3_scale(on.n, -0.5);
    add_body(world, DRY_BODY_STATIC, (dry_pose){{below.x, below.y, below.z}, on.orientation}, shape);
    shape.half_extents = v3(0.5f, 0.05f, 0.5f);
    dry_body_id id = {0};
    d3 at = below;
    for (int i = 0; i < 4; ++i, shape.density *= ratio) {
        at = d3_scale(on.n, 0.05 + 0.1 * i);
        id = add_dynamic(world, (dry_pose){{at.x, at.y, at.z}, on.orientation}, shape);
    }
    run_steps(world, 600, TEST_DT);
    assert_at_most(fabs(d3_dot(d3_sub(position_of(world, id), at), on.down)), 5e-3);
    dry_world_destroy(world);
}

static void test_stacks_stay(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        check_stack(DRY_SOLVER_GAUSS_SEIDEL, (float[]){0.2f, 1, 2}[i]);
        check_stack(DRY_SOLVER_JACOBI, (float[]){0.2f, 1, 2}[i]);
        check_stack(DRY_SOLVER_XPBD, (float[]){0.2f, 1, 2}[i]);
        check_stack(DRY_SOLVER_AVBD, (float[]){1, 2, 10}[i]);
    }
}

/* A block that carries another one on a direct joint moves as it does alone: its contact is solved with the
 * joint. */
static void test_block_with_a_direct_joint(void **state)
{
    (void)state;
    const slope on = between_angles();
    for (int k = 0; k < DRY_FRICTION_COUNT; ++k) {
        if (k == DRY_FRICTION_SCALED_BOX || k == DRY_FRICTION_WEIGHT_BOX)
            continue; /* its limit is that of the lower block alone */
        block_run run = block_of(k, &on);
        const d3 p = d3_scale(on.n, 2 * half_height);
        const dry_body_id load = add_dynamic(run.world, (dry_pose){{p.x, p.y, p.z}, on.orientation},
                                             box_shape(0.3, half_height, 0.3));
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_FIXED);
        dry_joint_id id;
        joint.body_a = run.block;
        joint.body_b = load;
        joint.anchor_a = v3(0, half_height, 0);
        joint.solver = DRY_JOINT_SOLVER_DIRECT;
        assert_ok(dry_world_create_joint(run.world, &joint, &id));
        run_steps(run.world, 30, TEST_DT);
        const d3 settled = position_of(run.world, run.block);
        run_steps(run.world, 90, TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), settled)), 1e-3);
        push(&run, on.down, 0.5);
        set_velocity(run.world, load, d3_scale(on.down, 0.5), (d3){0, 0, 0});
        run_steps(run.world, 10, TEST_DT);
        const double before = along(&run, on.down), a = -TEST_G * on.down.y - braking(k, &on);
        run_steps(run.world, 60, TEST_DT);
        assert_near(along(&run, on.down) - before, a, 0.01 * a);
        dry_world_destroy(run.world);
    }
}

/* The memory is state: it decides the future, so that the hash shows it, and a pair that loses its static
 * friction forgets it. */
static void test_memory_is_in_the_hash(void **state)
{
    (void)state;
    const slope on = slope_make(0, 0);
    dry_world_def def = test_world_def();
    def.settings.sleep = false;
    uint64_t hash[2];
    for (int slid = 0; slid < 2; ++slid) {
        block_run run = block_begin(&def, &on);
        run_steps(run.world, 30, TEST_DT);
        if (slid) {
            push(&run, (d3){1, 0, 0}, 1);
            run_steps(run.world, 1, TEST_DT);
        }
        const uint64_t before = dry_world_hash(run.world);
        dry_shape_id shape;
        int count;
        assert_ok(dry_body_get_shapes(run.world, run.block, &shape, 1, &count));
        assert_ok(dry_shape_set_static_friction(run.world, shape, 0));
        assert_ok(dry_body_get_shapes(run.world, run.ground, &shape, 1, &count));
        assert_ok(dry_shape_set_static_friction(run.world, shape, 0));
        assert_true(dry_world_hash(run.world) != before);
        hash[slid] = before;
        dry_shape_def back;
        assert_ok(dry_shape_get_def(run.world, shape, &back));
        assert_true(back.static_friction == 0.0f);
        dry_world_destroy(run.world);
    }
    assert_true(hash[0] != hash[1]);
}

/* Returns the hash of the motion of boxes that slide and fall, and of one far away that lies still. */
static uint64_t hash_beside(dry_solver solver, float static_friction, float still)
{
    dry_settings settings = test_settings();
    settings.method.solver = solver;
    dry_world *world = world_with(settings);
    dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
    shape.static_friction = still;
    add_floor(world, 0.6, 0);
    add_dynamic(world, pose_at(0, 0.5, 20), shape);
    shape.static_friction = static_friction;
    for (int i = 0; i < 4; ++i)
        set_velocity(world, add_dynamic(world, pose_at(0.1 * i, 0.5 + i, 0), shape), (d3){1, 0, 0.1 * i},
                     (d3){0, 0, 0});
    run_steps(world, 30, TEST_DT);
    const uint64_t hash = dry_world_motion_hash(world);
    dry_world_destroy(world);
    return hash;
}

/* A coefficient below the friction means the friction: not a bit changes. Nor does it beside a contact that
 * has static friction, in the same bundle. */
static void test_smaller_static_friction_is_friction(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        const uint64_t expected = hash_beside((dry_solver)solver, 0, 0);
        assert_true(hash_beside((dry_solver)solver, 0.5f, 0) == expected);
        assert_true(hash_beside((dry_solver)solver, 0, 0.9f) == expected);
        assert_true(hash_beside((dry_solver)solver, 0.5f, 0.9f) == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_the_angles),
        cmocka_unit_test(test_for_a_minute_and_beyond),
        cmocka_unit_test(test_sliding_goes_on_at_any_speed),
        cmocka_unit_test(test_turning_point_holds),
        cmocka_unit_test(test_rising_force),
        cmocka_unit_test(test_stacks_stay),
        cmocka_unit_test(test_block_with_a_direct_joint),
        cmocka_unit_test(test_memory_is_in_the_hash),
        cmocka_unit_test(test_smaller_static_friction_is_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
