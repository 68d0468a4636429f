/* Friction against closed form: slopes in every heading, stopping, spin, kinematic carriers. */
#include "tests/method_limits.h"
#include "tests/slopes.h"

/* The models whose limit is mu times a normal impulse. */
static const dry_friction coulomb[] = {DRY_FRICTION_CONE, DRY_FRICTION_TWO_PHASE, DRY_FRICTION_VELOCITY};

/* Every such model with every solver, for contacts as stiff as the substeps allow and for springs. */
enum { VARIANTS = COUNT_OF(coulomb) * DRY_SOLVER_COUNT * 2 };

static dry_settings variant_settings(int variant)
{
    dry_settings settings = test_settings();
    settings.method.friction = coulomb[variant % COUNT_OF(coulomb)];
    settings.method.solver = (dry_solver)(variant / COUNT_OF(coulomb) % DRY_SOLVER_COUNT);
    settings.contact_stiffness = variant / COUNT_OF(coulomb) / DRY_SOLVER_COUNT ? 1e6f : 0;
    /* What a method cannot honor becomes the default: that variant runs twice. */
    if (limit_of(&settings))
        settings.method.friction = DRY_FRICTION_CONE;
    if (limit_of(&settings))
        settings.contact_stiffness = 0;
    return settings;
}

/* How deep a load, N, presses springs at so many points. */
static double sag(const dry_settings *settings, double load, int points)
{
    const double k = (double)settings->contact_stiffness;
    return k > 0 ? load / (points * k) : 0;
}

/* The flat block of these tests: 1 m x 0.2 m x 1 m, 200 kg. It lies on slopes so deep that its springs carry
 * it. */
static const double block_mass = 200, block_half_height = 0.1;

static dry_body_id add_block_on_slope(dry_world *world, const slope *on, double mu)
{
    const dry_settings settings = dry_world_get_settings(world);
    const double depth = sag(&settings, block_mass * TEST_G * on->n.y, 4);
    return add_on_slope(world, on, block_half_height - depth, box_shape(0.5, (float)block_half_height, 0.5),
                        mu);
}

/* A block on a slope, once it has settled. */
typedef struct slope_run {
    dry_world *world;
    dry_body_id block;
    d3 settled;
} slope_run;

static slope_run begin_on_slope(dry_settings settings, const slope *on, double mu, bool halfspace)
{
    slope_run run = {.world = world_with(settings)};
    add_slope(run.world, on, mu, halfspace);
    run.block = add_block_on_slope(run.world, on, mu);
    run_steps(run.world, 30, TEST_DT);
    run.settled = position_of(run.world, run.block);
    return run;
}

/* A flat block on slopes toward 12 headings, so toward all directions of the block itself: it stays while
 * tan(angle) <= mu, whatever the heading. */
static void test_block_sticks(void **state)
{
    (void)state;
    const double mu = 0.5;
    for (int k = 0; k < test_pick(12, 1) * VARIANTS; ++k) {
        slope on = slope_make(atan(0.98 * mu), k % 12 * TEST_PI / 6 + 0.1);
        const dry_settings settings = variant_settings(k / 12);
        if (!is_honored(&settings))
            continue;
        slope_run run = begin_on_slope(settings, &on, mu, k % 2);
        assert_at_most(d3_length(d3_sub(run.settled, d3_scale(on.n, 0.1))), 1e-3);
        run_steps(run.world, 120, TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), run.settled)), 1e-3);
        dry_world_destroy(run.world);
    }
}

/* A little steeper, it slides. */
static void test_block_leaves_at_the_angle(void **state)
{
    (void)state;
    const double mu = 0.5, angle = atan(1.02 * mu), t = 2;
    const double a = TEST_G * (sin(angle) - mu * cos(angle));
    for (int k = 0; k < test_pick(3, 1) * VARIANTS; ++k) {
        slope on = slope_make(angle, k * TEST_PI / 3 + 0.1);
        dry_settings settings = variant_settings(k / 3);
        if (!is_honored(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_slope(world, &on, mu, k % 2);
        dry_body_id block = add_block_on_slope(world, &on, mu);
        run_steps(world, 120, TEST_DT);
        double down = d3_dot(position_of(world, block), on.down);
        assert_near(down, a * t * t / 2, 0.2 * a * t * t / 2);
        dry_world_destroy(world);
    }
}

/* Steeper, it slides straight down the slope: s = a t^2 / 2 with a = g (sin - mu cos), within the
 * integrator's a t h / 2 and 2 %. */
static void test_block_slides(void **state)
{
    (void)state;
    const double mu = 0.5, angle = atan(1.4 * mu), t = 1;
    const double a = TEST_G * (sin(angle) - mu * cos(angle));
    for (int k = 0; k < test_pick(12, 1) * VARIANTS; ++k) {
        slope on = slope_make(angle, k % 12 * TEST_PI / 6 + 0.1);
        const dry_settings settings = variant_settings(k / 12);
        if (!is_honored(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_slope(world, &on, mu, k % 2);
        dry_body_id block = add_block_on_slope(world, &on, mu);
        run_steps(world, 60, TEST_DT);
        d3 moved = d3_sub(position_of(world, block), d3_scale(on.n, 0.1));
        double down = d3_dot(moved, on.down), s = a * t * t / 2;
        assert_near(down, s, 0.02 * s + a * t / 60);
        assert_at_most(d3_length(d3_sub(moved, d3_scale(on.down, down))), 0.01 * s + 2e-3);
        assert_at_most(d3_length(spin_of(world, block)), 0.02);
        dry_world_destroy(world);
    }
}

/* A scaled box limits each tangent by mu m g, whatever the normal impulse: a slope holds the block while the
 * larger tangent component of its weight, m g sin(angle) max |down . t|, is at most that. */
static void test_scaled_box_on_a_slope(void **state)
{
    (void)state;
    const double mu = 0.4;
    for (int k = 0; k < 6 * DRY_SOLVER_COUNT; ++k) {
        const double heading = k % 6 * TEST_PI / 6 + 0.1;
        for (int steeper = 0; steeper < 2; ++steeper) {
            double angle = asin(mu), larger = 0;
            for (int i = 0; i < 20; ++i) { /* the tangents depend on the normal */
                const slope at = slope_make(angle, heading);
                const double sign = at.n.z < 0 ? -1 : 1, r = 1 / (1 + fabs(at.n.z));
                const d3 t1 = {1 - at.n.x * at.n.x * r, -at.n.x * at.n.y * r, -sign * at.n.x};
                larger = fmax(fabs(d3_dot(at.down, t1)), fabs(d3_dot(at.down, d3_cross(at.n, t1))));
                angle = asin((steeper ? 1.03 : 0.97) * mu / larger);
            }
            dry_settings settings = test_settings();
            settings.method.friction = DRY_FRICTION_SCALED_BOX;
            settings.method.solver = (dry_solver)(k / 6);
            if (!is_honored(&settings))
                continue;
            const slope on = slope_make(angle, heading);
            slope_run run = begin_on_slope(settings, &on, mu, k % 2);
            run_steps(run.world, 120, TEST_DT);
            double moved = d3_length(d3_sub(position_of(run.world, run.block), run.settled));
            if (steeper)
                assert_at_most(0.05, moved);
            else
                assert_at_most(moved, 1e-3);
            dry_world_destroy(run.world);
        }
    }
}

/* A weight box limits each tangent by the weight of what moves along the normal [Tamis 5.4]. Toward one of
 * its tangents a block on a slope holds up to tan(angle) = mu and slides with g (sin - mu cos), as in the
 * cone. */
static void test_weight_box_on_a_slope(void **state)
{
    (void)state;
    const double mu = 0.5, heading = 0.5 * TEST_PI;
    dry_settings settings = test_settings();
    settings.method.friction = DRY_FRICTION_WEIGHT_BOX;
    for (int k = 0; k < 2 * DRY_SOLVER_COUNT; ++k) {
        settings.method.solver = (dry_solver)(k / 2);
        if (limit_of(&settings))
            continue;
        const slope holds = slope_make(atan(0.98 * mu), heading);
        slope_run run = begin_on_slope(settings, &holds, mu, k % 2);
        run_steps(run.world, 120, TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(run.world, run.block), run.settled)), 1e-3);
        dry_world_destroy(run.world);
        const slope steeper = slope_make(atan(1.4 * mu), heading);
        run = begin_on_slope(settings, &steeper, mu, k % 2);
        const double a = TEST_G * (-steeper.down.y - mu * steeper.n.y);
        const double before = d3_dot(velocity_of(run.world, run.block), steeper.down);
        run_steps(run.world, 60, TEST_DT);
        assert_near(d3_dot(velocity_of(run.world, run.block), steeper.down) - before, a, 0.01 * a);
        dry_world_destroy(run.world);
    }
}

/* The document says what is wrong with it: under two equal blocks that slide together the floor brakes the
 * weight of one, so that they stop with mu g / 2; and a wall, whose normal has no weight, brakes nothing. */
static void test_weight_box_in_a_stack_and_at_a_wall(void **state)
{
    (void)state;
    const double mu = 0.4;
    dry_settings settings = test_settings();
    settings.method.friction = DRY_FRICTION_WEIGHT_BOX;
    dry_world *world = world_with(settings);
    add_floor(world, mu, 0);
    dry_shape_def shape = box_shape(0.5, 0.1, 0.5);
    shape.friction = (float)mu;
    dry_body_id block[2];
    for (int i = 0; i < 2; ++i)
        block[i] = add_dynamic(world, pose_at(0, 0.1 + 0.2 * i, 0), shape);
    run_steps(world, 60, TEST_DT);
    for (int i = 0; i < 2; ++i)
        set_velocity(world, block[i], (d3){3, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 60, TEST_DT);
    for (int i = 0; i < 2; ++i)
        assert_near(velocity_of(world, block[i]).x, 3 - 0.5 * mu * TEST_G, 0.02);
    dry_world_destroy(world);
    world = world_with(settings);
    dry_shape_def wall = halfspace_shape(v3(1, 0, 0), 0);
    wall.friction = 1;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), wall);
    block[0] = add_dynamic(world, pose_at(0.5, 0, 0), box_shape(0.5, 0.5, 0.5));
    for (int i = 0; i < 60; ++i) {
        assert_ok(dry_body_apply_force(world, block[0], v3(-1e5, 0, 0)));
        run_steps(world, 1, TEST_DT);
    }
    assert_near(velocity_of(world, block[0]).y, -TEST_G, 0.01);
    dry_world_destroy(world);
}

/* How far a block slides on the level from `speed` toward `heading`; mu is sqrt(fa fb). */
static double stopping_distance(double speed, double heading, double fa, double fb, float dt,
                                dry_settings settings)
{
    dry_world *world = world_with(settings);
    add_floor(world, fa, 0);
    dry_shape_def shape = box_shape(0.5, 0.1, 0.5);
    shape.friction = (float)fb;
    const double depth = sag(&settings, block_mass * TEST_G, 4);
    dry_body_id block = add_dynamic(world, pose_at(0, block_half_height - depth, 0), shape);
    set_velocity(world, block, (d3){speed * cos(heading), 0, speed * sin(heading)}, (d3){0, 0, 0});
    run_steps(world, (int)lround(4 / dt), dt);
    assert_at_most(d3_length(velocity_of(world, block)), 1e-3);
    d3 p = position_of(world, block);
    double along = p.x * cos(heading) + p.z * sin(heading);
    if (settings.method.friction != DRY_FRICTION_SCALED_BOX)
        assert_near(p.z * cos(heading) - p.x * sin(heading), 0, 0.01 * along);
    dry_world_destroy(world);
    return along;
}

/* v^2 / (2 mu g), within 1 % and the v dt / 2 that the last stretch of a step may add or take. In the quick
 * form each variant has one of the cases. */
static void test_sliding_stops(void **state)
{
    (void)state;
    static const struct {
        double speed, fa, fb;
    } cases[] = {{4, 0.4, 0.4}, {4, 0.2, 0.8}, {2, 0.6, 0.6}, {6, 0.9, 0.4}};
    for (int i = 0; i < COUNT_OF(cases) * VARIANTS; ++i) {
        const double fa = cases[i % COUNT_OF(cases)].fa, fb = cases[i % COUNT_OF(cases)].fb;
        const double mu = sqrt(fa * fb), v = cases[i % COUNT_OF(cases)].speed;
        const double expected = v * v / (2 * mu * TEST_G);
        const dry_settings settings = variant_settings(i / COUNT_OF(cases));
        const bool left_out = test_quick() && i % COUNT_OF(cases) != i / COUNT_OF(cases) % COUNT_OF(cases);
        if (left_out || !is_honored(&settings))
            continue;
        for (int k = 0; k < test_pick(5, 1); ++k)
            assert_near(stopping_distance(v, 0.2 + 1.3 * (i + k), fa, fb, TEST_DT, settings), expected,
                        0.01 * expected + v / 60 / 2);
        if (!test_quick() || i % 8 == 0)
            assert_near(stopping_distance(v, 0.7, fa, fb, TEST_DT / 4, settings), expected,
                        0.01 * expected + v / 240 / 2);
    }
}

/* Each tangent alone is limited: full friction along a tangent, sqrt(2) of it between the two. */
static void test_scaled_box_stops_between_its_bounds(void **state)
{
    (void)state;
    for (int k = 0; k < 5; ++k) {
        double longest = 16 / (2 * 0.4 * TEST_G);
        dry_settings settings = test_settings();
        settings.method.friction = DRY_FRICTION_SCALED_BOX;
        settings.method.solver = k % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
        double d = stopping_distance(4, 0.3 * k, 0.4, 0.4, TEST_DT, settings);
        assert_at_most(d, 1.03 * longest);
        assert_at_most(0.97 * longest / sqrt(2), d);
    }
}

/* A plank that slides aslant: friction opposes the sliding, although the masses along and across the plank
 * differ by a factor of 2.4. The plank goes straight, does not turn, and stops after v^2 / (2 mu g). */
static void test_plank_slides_straight(void **state)
{
    (void)state;
    const double mu = 0.5, v = 3, expected = v * v / (2 * mu * TEST_G);
    for (int k = 0; k < test_pick(3, 1) * VARIANTS; ++k) {
        const double heading = (1 + k % 3) * TEST_PI / 8, c = cos(heading), s = sin(heading);
        const dry_settings settings = variant_settings(k / 3);
        if (!is_honored(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_floor(world, mu, 0);
        dry_shape_def plank = box_shape(1, 0.1f, 0.1f);
        plank.friction = (float)mu;
        dry_body_id body = add_dynamic(world, pose_at(0, 0.1 - sag(&settings, 80 * TEST_G, 4), 0), plank);
        set_velocity(world, body, (d3){v * c, 0, v * s}, (d3){0, 0, 0});
        run_steps(world, 90, TEST_DT);
        d3 p = position_of(world, body);
        assert_near(p.x * c + p.z * s, expected, 0.01 * expected + v / 60 / 2);
        assert_near(p.z * c - p.x * s, 0, 0.01 * expected);
        assert_near(d3_turn(pose_of(world, body).orientation, (d3){1, 0, 0}).x, 1, 1e-3);
        dry_world_destroy(world);
    }
}

/* A plank at rest on the floor gets a small speed v, which one substep stops along v itself: the impulse is
 * m' = 1 / (d^T K d) times |v|, with K of a plank whose floor lies `height` below its center. One substep of
 * one sweep each: relaxing takes friction last. */
static void test_velocity_takes_the_mass_along_the_sliding(void **state)
{
    (void)state;
    const double length = 1, height = 0.1, speed = 0.1, mass = 1000 * 8 * length * height * height;
    const double along = 1 / mass + height * height / (mass / 3 * (length * length + height * height));
    const double across = 1 / mass + height * height / (mass / 3 * 2 * height * height);
    for (int k = 0; k <= 6; ++k) {
        const double heading = k * TEST_PI / 12, c = cos(heading), s = sin(heading);
        dry_settings settings = test_settings();
        settings.method.friction = DRY_FRICTION_VELOCITY;
        settings.substeps = settings.sweeps = settings.relax_sweeps = 1;
        settings.warm_start =
            false; /* without a first guess of its weight, solving has no limit for friction */
        dry_world *world = world_with(settings);
        add_floor(world, 1, 0);
        dry_shape_def plank = box_shape((float)length, (float)height, (float)height);
        plank.friction = 1;
        dry_body_id body = add_dynamic(world, pose_at(0, height, 0), plank);
        set_velocity(world, body, (d3){speed * c, 0, speed * s}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        const double left = speed * (1 - 1 / (mass * (along * c * c + across * s * s)));
        const d3 v = velocity_of(world, body);
        assert_near(v.x, left * c, 1e-5 * speed);
        assert_near(v.z, left * s, 1e-5 * speed);
        dry_world_destroy(world);
    }
}

/* A table has two contacts with the floor, which share its mass. */
static dry_body_id add_table(dry_world *world, double x, double y, double friction, double restitution)
{
    dry_shape_def shapes[2] = {box_shape(0.5, 0.5, 0.5), box_shape(0.5, 0.5, 0.5)};
    for (int i = 0; i < 2; ++i) {
        shapes[i].pose.position = v3(1.2 * i, 0, 0);
        shapes[i].friction = (float)friction;
        shapes[i].restitution = (float)restitution;
    }
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x, y, 0), shapes);
    def.shape_count = 2;
    return add_def(world, &def);
}

/* Its contacts carry different loads while it slides, and stop it as one would. */
static void test_table_stops(void **state)
{
    (void)state;
    const double mu = 0.4, v = 4, expected = v * v / (2 * mu * TEST_G);
    for (int k = 0; k < test_pick(2, 1) * VARIANTS; ++k) {
        const dry_settings settings = variant_settings(k / 2);
        if (!is_honored(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_floor(world, mu, 0);
        const double depth = sag(&settings, 2000 * TEST_G, 8);
        dry_body_id table = add_table(world, 0, 0.5 - depth, mu, 0);
        const d3 start = position_of(world, table);
        set_velocity(world, table, (d3){k % 2 ? 0 : v, 0, k % 2 ? v : 0}, (d3){0, 0, 0});
        run_steps(world, 90, TEST_DT);
        const d3 moved = d3_sub(position_of(world, table), start);
        assert_near(k % 2 ? moved.z : moved.x, expected, 0.01 * expected + v / 60 / 2);
        assert_near(k % 2 ? moved.x : moved.z, 0, 0.01 * expected);
        dry_world_destroy(world);
    }
}

static void test_no_friction_never_stops(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_shape_def ice = box_shape(0.5, 0.1, 0.5);
    ice.friction = 0;
    dry_body_id block = add_dynamic(world, pose_at(0, 0.1, 0), ice);
    set_velocity(world, block, (d3){3, 0, 1}, (d3){0, 0, 0});
    run_steps(world, 300, TEST_DT);
    assert_near(velocity_of(world, block).x, 3, 1e-3);
    assert_near(velocity_of(world, block).z, 1, 1e-3);
    dry_world_destroy(world);
}

/* A cube that stands on a corner touches over a patch of 2 mm, whose friction stops its spin. */
static void test_spin_on_a_corner_stops(void **state)
{
    (void)state;
    const double side = 0.2, mu = 0.6, w = 1.0, time = side * side / 6 * w / (mu * TEST_G * 0.002);
    dry_world *world = world_with(test_settings());
    add_floor(world, mu, 0.0);
    dry_shape_def cube = box_shape(0.5 * side, 0.5 * side, 0.5 * side);
    cube.friction = (float)mu;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0.5 * side * sqrt(3.0), 0), &cube);
    def.pose.orientation = quat_about((d3){1, 0, -1}, TEST_PI - atan(sqrt(2.0)));
    def.locks = DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Z | DRY_LOCK_LINEAR_X | DRY_LOCK_LINEAR_Z;
    dry_body_id body = add_def(world, &def);
    set_velocity(world, body, (d3){0, 0, 0}, (d3){0, w, 0});
    run_steps(world, (int)(0.5 * time / TEST_DT), TEST_DT);
    const double half = (int)(0.5 * time / TEST_DT) * (double)TEST_DT;
    assert_near(spin_of(world, body).y, w * (1.0 - half / time), 0.03 * w);
    run_steps(world, (int)(0.7 * time / TEST_DT), TEST_DT);
    assert_near(spin_of(world, body).y, 0.0, 1e-3);
    dry_world_destroy(world);
}

/* A velocity whose square is no float is a velocity like any other. */
static void test_velocity_with_hardly_any_sliding(void **state)
{
    (void)state;
    for (int exponent = -45; exponent <= -10; exponent++) {
        dry_settings settings = test_settings();
        settings.method.friction = DRY_FRICTION_VELOCITY;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        dry_body_id block = add_dynamic(world, pose_at(0, 0.1, 0), box_shape(0.5, 0.1, 0.3));
        const double speed = pow(10.0, exponent);
        set_velocity(world, block, (d3){speed, 0, 0.3 * speed}, (d3){0, 0, 0});
        run_steps(world, 2, TEST_DT);
        assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
        assert_at_most(d3_length(velocity_of(world, block)), 1e-4);
        dry_world_destroy(world);
    }
}

/* A block that spins on the spot is braked by torsion: its limit is mu m g times the mean distance R of the
 * four points from the center, so that I dw/dt = -mu m g R until the block stands still, where it was. */
static void test_spin_on_the_spot_stops(void **state)
{
    (void)state;
    const double mu = 0.6, a = 0.5, brake = mu * TEST_G * hypot(a, a) / ((a * a + a * a) / 3), spin = 12;
    for (int k = 0; k < VARIANTS + DRY_SOLVER_COUNT; ++k) {
        dry_settings settings = variant_settings(k % VARIANTS);
        if (k >= VARIANTS) {
            settings.method.friction = DRY_FRICTION_SCALED_BOX;
            settings.method.solver = (dry_solver)(k - VARIANTS);
        }
        if (!is_honored(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_floor(world, mu, 0);
        const double depth = sag(&settings, block_mass * TEST_G, 4);
        dry_body_id block = add_dynamic(world, pose_at(0, 0.1 - depth, 0), box_shape(a, 0.1, a));
        set_velocity(world, block, (d3){0, 0, 0}, (d3){0, spin, 0});
        for (int i = 1; i <= 60; ++i) {
            run_steps(world, 1, TEST_DT);
            assert_near(spin_of(world, block).y, fmax(spin - brake * i / 60, 0), 0.01 * spin);
        }
        assert_near(spin_of(world, block).y, 0, 1e-3);
        d3 p = position_of(world, block);
        assert_at_most(hypot(p.x, p.z), 5e-3);
        dry_world_destroy(world);
    }
}

/* A ball spins in the corner of a floor and a wall, pressed into it by gravity (-g_x, -g_y). Friction on the
 * floor presses it to the wall, friction on the wall lifts it: with N_w = m g_x + mu N_f and N_f = m g_y - mu
 * N_w, the cone's limits add up to mu m ((1 + mu) g_y + (1 - mu) g_x) / (1 + mu^2). Two phases limit friction
 * by the normal forces without friction, m g_x and m g_y; the more springs give way, the more their forces
 * are those of their compression, which friction has changed. */
static void test_ball_spins_in_a_corner(void **state)
{
    (void)state;
    const double mu = 0.5, r = 0.5, mass = 4.0 / 3 * TEST_PI * r * r * r * 1000, g[2] = {6, TEST_G};
    for (int k = 0; k < VARIANTS; ++k) {
        dry_settings settings = variant_settings(k);
        if (!is_honored(&settings))
            continue;
        settings.gravity = v3((float)-g[0], (float)-g[1], 0);
        /* Friction makes each spring's force push the other: that flutters below a damping ratio of mu / 2.
         * Ten substeps are 0.9. */
        settings.contact_damping = 10;
        dry_world *world = world_with(settings);
        add_floor(world, mu, 0);
        dry_shape_def wall = halfspace_shape(v3(1, 0, 0), 0), sphere = sphere_shape((float)r);
        wall.friction = sphere.friction = (float)mu;
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), wall);
        const d3 place = {r - sag(&settings, mass * g[0], 1), r - sag(&settings, mass * g[1], 1), 0};
        dry_body_id ball = add_dynamic(world, pose_at(place.x, place.y, 0), sphere);
        set_velocity(world, ball, (d3){0, 0, 0}, (d3){0, 0, 60});
        run_steps(world, 10, TEST_DT);
        const double before = spin_of(world, ball).z;
        run_steps(world, 30, TEST_DT);
        const double scale = mu / (0.4 * r), brake = (before - spin_of(world, ball).z) * 60 / 30;
        const double present = scale * ((1 + mu) * g[1] + (1 - mu) * g[0]) / (1 + mu * mu);
        const double frictionless = scale * (g[0] + g[1]);
        if (settings.method.friction == DRY_FRICTION_TWO_PHASE && settings.contact_stiffness > 0) {
            assert_at_most(0.99 * present, brake);
            assert_at_most(brake, 1.01 * frictionless);
        } else {
            const double expected =
                settings.method.friction == DRY_FRICTION_TWO_PHASE ? frictionless : present;
            assert_near(brake, expected, 0.01 * expected);
        }
        const double sinks = sag(&settings, mu * mass * (g[0] + g[1]), 1);
        assert_at_most(d3_length(d3_sub(position_of(world, ball), place)), 2e-3 + sinks);
        dry_world_destroy(world);
    }
}

/* A platform that speeds up at less than mu g takes its load along; one that starts at once lets it slip
 * by v^2 / (2 mu g). Nothing that the load does shows on the platform. */
static void test_platform_carries(void **state)
{
    (void)state;
    const double mu = 0.6;
    for (int sudden = 0; sudden < 2; ++sudden) {
        dry_world *world = world_with(test_settings());
        dry_body_id platform = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(9, 0.5, 9));
        dry_body_id load = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        run_steps(world, 10, TEST_DT);
        double travelled = 0;
        for (int i = 1; i <= 120; ++i) {
            double v = sudden ? 3 : fmin(3, 0.4 * mu * TEST_G * i / 60);
            set_velocity(world, platform, (d3){v, 0, 0}, (d3){0, 0, 0});
            run_steps(world, 1, TEST_DT);
            travelled += v * (double)TEST_DT;
        }
        assert_near(position_of(world, platform).x, travelled, 1e-4);
        double slip = travelled - position_of(world, load).x;
        double expected = sudden ? 9 / (2 * mu * TEST_G) : 0;
        assert_near(slip, expected, 0.03 * expected + (sudden ? 3.0 / 60 : 0.01));
        assert_near(velocity_of(world, load).x, 3, 0.01);
        dry_world_destroy(world);
    }
}

/* On a turntable with w^2 r < mu g a load rides along: the velocity of the surface is that of the midst of
 * the step. */
static void test_turntable_carries(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id table = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.25, 0), box_shape(3, 0.25, 3));
    dry_body_id load = add_dynamic(world, pose_at(2, 0.2, 0), box_shape(0.2, 0.2, 0.2));
    set_velocity(world, table, (d3){0, 0, 0}, (d3){0, 1, 0});
    set_velocity(world, load, (d3){0, 0, -2}, (d3){0, 1, 0});
    run_steps(world, 180, TEST_DT);
    d3 p = position_of(world, load);
    assert_near(hypot(p.x, p.z), 2, 5e-4);
    assert_near(atan2(-p.z, p.x), 3, 1e-3);
    assert_near(spin_of(world, load).y, 1, 1e-5);
    dry_world_destroy(world);
}

/* A solid ball that rolls on a turntable of speed W: m v' = f, and the lowest point's velocity v + s x (-r y)
 * stays that of the table, so that v' = 2/7 W x v. Its center goes round a circle, wherever on the table, and
 * its speed stays. Taken where the step begins, the table's velocity would add 4.6 % in a round of 440 steps.
 */
static void test_ball_circles_on_turntable(void **state)
{
    (void)state;
    enum { ROUND = 440 };
    const double r = 0.25, w = 2 * TEST_PI / ROUND * 60 * 7 / 2, speed = 1, at = 0.5;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        dry_world *world = world_with(settings);
        dry_shape_def plate = box_shape(10, 0.5, 10), round = sphere_shape(r);
        plate.friction = round.friction = 2;
        dry_body_id table = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), plate);
        dry_body_id ball = add_dynamic(world, pose_at(at, r, 0), round);
        set_velocity(world, table, (d3){0, 0, 0}, (d3){0, w, 0});
        set_velocity(world, ball, (d3){0, 0, speed}, (d3){(speed + w * at) / r, 0, 0});
        double farthest = 0;
        for (int step = 0; step < ROUND; step++) {
            run_steps(world, 1, TEST_DT);
            farthest = fmax(farthest, hypot(position_of(world, ball).x - at, position_of(world, ball).z));
        }
        const d3 v = velocity_of(world, ball), p = position_of(world, ball);
        const double across = 2 * speed / (2.0 / 7.0 * w);
        assert_near(hypot(v.x, v.z), speed, 4e-4);
        assert_near(farthest, across, 1e-3 * across);
        assert_near(hypot(p.x - at, p.z), 0, 5e-3);
        dry_world_destroy(world);
    }
}

static void test_kinematic_pusher(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.5, 0);
    dry_body_id pusher = add_body(world, DRY_BODY_KINEMATIC, pose_at(-2, 0.5, 0), box_shape(0.5, 0.4, 1));
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    set_velocity(world, pusher, (d3){1, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 240, TEST_DT);
    assert_near(position_of(world, pusher).x, 2, 1e-4);
    assert_near(d3_length(d3_sub(velocity_of(world, pusher), (d3){1, 0, 0})), 0, 1e-7);
    assert_near(velocity_of(world, box).x, 1, 0.02);
    assert_near(position_of(world, box).x, 3, 5e-3);
    dry_world_destroy(world);
}

/* A table that slides while another one far away bounces: contacts of both lie in one bundle. The impact does
 * not change the sliding table's motion by a bit. */
static void test_impact_leaves_others_alone(void **state)
{
    (void)state;
    dry_world *worlds[2];
    dry_body_id table[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = world_with(test_settings());
        add_floor(worlds[i], 0.4, 0);
        table[i] = add_table(worlds[i], 0, 0.5, 0.6, 0);
        set_velocity(worlds[i], table[i], (d3){4, 0, 1}, (d3){0, 1, 0});
    }
    dry_body_id bouncer = add_table(worlds[1], 50, 1, 0.6, 0.8);
    set_velocity(worlds[1], bouncer, (d3){0, -5, 0}, (d3){0, 0, 0});
    double fastest = 0;
    for (int step = 0; step < 60; ++step) {
        dry_velocity velocity[2];
        for (int i = 0; i < 2; ++i) {
            run_steps(worlds[i], 1, TEST_DT);
            assert_ok(dry_body_get_velocity(worlds[i], table[i], &velocity[i]));
        }
        assert_memory_equal(&velocity[0], &velocity[1], sizeof velocity[0]);
        fastest = fmax(fastest, velocity_of(worlds[1], bouncer).y);
    }
    assert_true(fastest > 3);
    for (int i = 0; i < 2; ++i)
        dry_world_destroy(worlds[i]);
}

/* A ball that meets a floor fast and without spin. Friction makes it roll: it keeps 5/7 of its speed along
 * the floor, whatever its radius, and spins at that over the radius, at spin_max at most. */
static void test_small_balls_roll_on(void **state)
{
    (void)state;
    enum { CASES = 60 };
    uint64_t seed = getenv("DRYSTONE_SEED") ? strtoull(getenv("DRYSTONE_SEED"), NULL, 0) : 11;
    int over = 0, most = 0;
    for (int i = 0; i < CASES; ++i) {
        const bool limited = i % 3 == 0;
        const double r = exp(random_in(&seed, log(0.002), log(0.5)));
        const double along = random_in(&seed, 20, 300), down = random_in(&seed, 0.2, 1) * along;
        dry_settings settings = test_settings();
        if (limited)
            settings.spin_max = 1000;
        settings.gravity = v3(0, 0, 0);
        dry_world *world = world_with(settings);
        dry_shape_def floor = dry_default_shape_def(), ball = sphere_shape(r);
        floor.type = DRY_SHAPE_HALFSPACE;
        floor.normal = v3(0, 1, 0);
        floor.friction = ball.friction = 1;
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), floor);
        const dry_body_id id = add_dynamic(world, pose_at(0, r + 0.01, 0), ball);
        set_velocity(world, id, (d3){along, -down, 0}, (d3){0, 0, 0});
        for (int step = 0; step < 20; ++step) {
            run_steps(world, 1, TEST_DT);
            const double spin = d3_length(spin_of(world, id));
            assert_at_most(spin, (double)settings.spin_max * (1 + 1e-6));
            over += spin > 1e4;
            most = dry_world_statistics(world).spin_limited > most ? dry_world_statistics(world).spin_limited
                                                                   : most;
        }
        assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
        if (!limited && down > 0.5 * along) {
            assert_near(velocity_of(world, id).x, along * 5 / 7, 0.01 * along);
            assert_near(spin_of(world, id).z, -velocity_of(world, id).x / r, 0.01 * along / r);
        }
        dry_world_destroy(world);
    }
    assert_true(over > 0);
    assert_int_equal(most, 1);
}

/* A body that a call spins faster than spin_max is slowed to that about its axis; it goes on as before. */
static void test_spin_is_limited_about_its_axis(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 40; ++i) {
        dry_settings settings = test_settings();
        settings.gravity = v3(0, 0, 0);
        settings.spin_max = 1000;
        dry_world *world = world_with(settings);
        const d3 axis = d3_unit(random_d3(&seed, 1)), speed = random_d3(&seed, 5);
        const dry_body_id id =
            add_dynamic(world, pose_at(0, 0, 0), i % 2 ? sphere_shape(0.3) : box_shape(0.3, 0.3, 0.3));
        const double spin = exp(random_in(&seed, log(2e3), log(9e3)));
        set_velocity(world, id, speed, d3_scale(axis, spin));
        for (int step = 0; step < 5; ++step)
            run_steps(world, 1, i % 4 < 2 ? TEST_DT : 1);
        assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
        assert_at_most(d3_length(d3_sub(spin_of(world, id), d3_scale(axis, 1000))), 0.01);
        assert_at_most(d3_length(d3_sub(velocity_of(world, id), speed)), 1e-5);
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_sticks),
        cmocka_unit_test(test_block_leaves_at_the_angle),
        cmocka_unit_test(test_block_slides),
        cmocka_unit_test(test_scaled_box_on_a_slope),
        cmocka_unit_test(test_weight_box_on_a_slope),
        cmocka_unit_test(test_weight_box_in_a_stack_and_at_a_wall),
        cmocka_unit_test(test_sliding_stops),
        cmocka_unit_test(test_scaled_box_stops_between_its_bounds),
        cmocka_unit_test(test_table_stops),
        cmocka_unit_test(test_plank_slides_straight),
        cmocka_unit_test(test_velocity_takes_the_mass_along_the_sliding),
        cmocka_unit_test(test_no_friction_never_stops),
        cmocka_unit_test(test_velocity_with_hardly_any_sliding),
        cmocka_unit_test(test_spin_on_the_spot_stops),
        cmocka_unit_test(test_ball_spins_in_a_corner),
        cmocka_unit_test(test_platform_carries),
        cmocka_unit_test(test_turntable_carries),
        cmocka_unit_test(test_ball_circles_on_turntable),
        cmocka_unit_test(test_kinematic_pusher),
        cmocka_unit_test(test_spin_on_a_corner_stops),
        cmocka_unit_test(test_impact_leaves_others_alone),
        cmocka_unit_test(test_small_balls_roll_on),
        cmocka_unit_test(test_spin_is_limited_about_its_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
