/* Tests that what should fall falls when it should, with true and with held lever arms: ten cubes on a floor
 * that turns, on a tilted floor, kicked, and pushed slowly. The oracle is one rigid block of 1 m x 10 m x 1 m
 * on the floor's edge.
 *
 * Also: what held lever arms are for, and where they never are. DRYSTONE_HONESTY_TABLE=1 prints the table of
 * docs/quality.md, which takes minutes. */
#include "tests/test_world.h"

enum { CUBES = 10 };
#define DEGREE (TEST_PI / 180.0)
#define RIGID_TIP_ANGLE atan2(1.0, CUBES) /* the diagonal is upright */

/* The settings of a run. */
typedef struct honesty {
    const char *name;
    dry_levers levers;
    double angle, distance; /* of held lever arms, rad and m */
    int substeps;           /* times as many as chosen */
    bool soft;              /* 8 substeps, 60 Hz, damping ratio 10 */
} honesty;

typedef struct stack {
    dry_world *world;
    dry_body_id floor, cube[CUBES];
    double tilt; /* of the floor, rad */
} stack;

static dry_settings settings_of(const honesty *h)
{
    dry_settings settings = test_settings();
    settings.levers = h->levers;
    if (h->levers == DRY_LEVERS_HELD) {
        settings.lever_angle = (float)h->angle;
        settings.lever_distance = (float)h->distance;
    }
    if (h->soft) {
        settings.substeps = 8;
        settings.contact_hertz = 60.0f;
        settings.contact_damping_ratio = 10.0f;
    }
    return settings;
}

/* Ten cubes of 1 m, square on a floor that is turned by `tilt` about z. */
static stack stack_make(const honesty *h, double tilt, dry_body_type floor_type)
{
    stack s = {.world = world_with(settings_of(h)), .tilt = tilt};
    const d3 up = {-sin(tilt), cos(tilt), 0};
    dry_pose pose = {{-0.5 * up.x, -0.5 * up.y, 0}, quat_about((d3){0, 0, 1}, tilt)};
    s.floor = add_body(s.world, floor_type, pose, box_shape(20, 0.5, 5));
    for (int i = 0; i < CUBES; i++) {
        pose.position = (dry_position){(0.5 + i) * up.x, (0.5 + i) * up.y, 0};
        s.cube[i] = add_dynamic(s.world, pose, box_shape(0.5, 0.5, 0.5));
    }
    if (h->substeps > 1) {
        assert_ok(dry_world_step(s.world, 0));
        dry_settings settings = dry_world_get_settings(s.world);
        settings.substeps = h->substeps * dry_world_statistics(s.world).substeps;
        assert_ok(dry_world_set_settings(s.world, &settings));
    }
    return s;
}

/* The stack's lean: of the line from the lowest cube to the highest one, rad from upright. */
static double lean_of(const stack *s)
{
    d3 line = d3_sub(position_of(s->world, s->cube[CUBES - 1]), position_of(s->world, s->cube[0]));
    return atan2(fabs(line.x), line.y);
}

/* Returns the time after which the stack leans by more than `angle`, at most `seconds`. */
static double time_to_lean(const stack *s, double angle, double seconds)
{
    int steps = (int)(seconds * 60);
    for (int i = 1; i <= steps; i++) {
        assert_ok(dry_world_step(s->world, TEST_DT));
        if (lean_of(s) > angle)
            return i / 60.0;
    }
    return INFINITY;
}

/* From this lean on nothing keeps the stack from falling. */
#define FALLEN (20 * DEGREE)

/* The lean at which a rigid block starts, and its angular velocity, both about the edge; returns the time
 * after which it leans by more than `angle`: I theta'' = m g R sin(theta - tip). */
static double rigid_fall_time(double theta, double omega, double angle)
{
    const double h = 1e-5, width = 1, height = CUBES, size = sqrt(width * width + height * height);
    const double rate = TEST_G * size / 2 / (size * size / 3);
    for (double t = 0; t < 60; t += h) {
        if (theta > angle)
            return t;
        omega += h * rate * sin(theta - RIGID_TIP_ANGLE);
        theta += h * omega;
    }
    return INFINITY;
}

/* A floor that turns by half a degree a second from 1 s on: returns when the stack has fallen, s. */
static double turning_floor(const honesty *h)
{
    stack s = stack_make(h, 0, DRY_BODY_KINEMATIC);
    run_steps(s.world, 60, TEST_DT);
    /* About the middle of the lowest cube's base. */
    set_velocity(s.world, s.floor, (d3){0, 0, 0}, (d3){0, 0, 0.5 * DEGREE});
    double t = time_to_lean(&s, FALLEN, 40);
    dry_world_destroy(s.world);
    return t;
}

static double rigid_turning_floor(void)
{
    return RIGID_TIP_ANGLE / (0.5 * DEGREE) + rigid_fall_time(RIGID_TIP_ANGLE, 0.5 * DEGREE, FALLEN);
}

/* What a stack stands or falls by, and whether it falls within `seconds`. */
typedef bool falls(const honesty *h, double how_much);

static bool falls_on_tilted_floor(const honesty *h, double angle)
{
    stack s = stack_make(h, angle, DRY_BODY_STATIC);
    double t = time_to_lean(&s, FALLEN, 15);
    dry_world_destroy(s.world);
    return t < INFINITY;
}

static bool falls_after_kick(const honesty *h, double top_speed, bool grows)
{
    stack s = stack_make(h, 0, DRY_BODY_STATIC);
    run_steps(s.world, 60, TEST_DT);
    for (int i = 0; i < CUBES; i++) {
        double share = grows ? (i + 0.5) / (CUBES - 0.5) : 1;
        set_velocity(s.world, s.cube[i], (d3){top_speed * share, 0, 0}, (d3){0, 0, 0});
    }
    double t = time_to_lean(&s, FALLEN, 15);
    dry_world_destroy(s.world);
    return t < INFINITY;
}

static bool falls_after_uniform_kick(const honesty *h, double speed)
{
    return falls_after_kick(h, speed, false);
}

static bool falls_after_growing_kick(const honesty *h, double top_speed)
{
    return falls_after_kick(h, top_speed, true);
}

/* The least amount that fells the stack, by bisection between two amounts, to within 1 %. */
static double threshold(const honesty *h, falls *does, double low, double high)
{
    while (high - low > 0.01 * low) {
        double middle = 0.5 * (low + high);
        if (does(h, middle))
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* A force on the top cube's center that grows by 100 N/s: returns the force at which the stack falls. */
static double slow_push(const honesty *h)
{
    stack s = stack_make(h, 0, DRY_BODY_STATIC);
    double force = 3000;
    for (; force < 12000 && lean_of(&s) < FALLEN; force += 100.0 / 60) {
        assert_ok(dry_body_apply_force(s.world, s.cube[CUBES - 1], v3(force, 0, 0)));
        assert_ok(dry_world_step(s.world, TEST_DT));
    }
    dry_world_destroy(s.world);
    return force;
}

typedef struct figures {
    double floor_s, tilt, uniform, growing, push;
} figures;

static figures measure(const honesty *h)
{
    return (figures){turning_floor(h), threshold(h, falls_on_tilted_floor, 4 * DEGREE, 9 * DEGREE) / DEGREE,
                     threshold(h, falls_after_uniform_kick, 0.6, 1.4),
                     threshold(h, falls_after_growing_kick, 0.8, 2.0), slow_push(h)};
}

static void print_figures(const char *name, figures f)
{
    print_message("| %s | %.2f | %.2f | %.3f | %.3f | %.0f |\n", name, f.floor_s, f.tilt, f.uniform,
                  f.growing, f.push);
}

/* The block turns about its edge: a kick gives it the angular momentum of its cubes about that edge. */
static figures rigid_figures(void)
{
    double mass = 1000.0 * CUBES, rise = sqrt(CUBES * CUBES + 1.0) / 2 - CUBES / 2.0;
    double inertia = mass * (CUBES * CUBES + 1.0) / 3, squares = 0;
    for (int i = 0; i < CUBES; i++)
        squares += 1000.0 * (i + 0.5) * (i + 0.5);
    double momentum = sqrt(2 * inertia * mass * TEST_G * rise);
    return (figures){rigid_turning_floor(), RIGID_TIP_ANGLE / DEGREE, momentum / (mass * CUBES / 2),
                     momentum / squares * (CUBES - 0.5), mass * TEST_G * 0.5 / (CUBES - 0.5)};
}

/* Ten cubes of 1 m whose contacts are softer than the 0.5 * 10^1.5 Hz at which they buckle under their own
 * weight (Greenhill's law), each shifted by up to 1 mm. Returns the stack's lean after ten seconds. */
static double soft_stack(dry_levers levers, dry_statistics *most)
{
    const honesty h = {.levers = levers, .angle = 0.25 * DEGREE, .distance = 0.005};
    dry_settings settings = settings_of(&h);
    settings.substeps = 8;
    settings.contact_hertz = 8.0f;
    settings.contact_damping_ratio = 5.0f;
    stack s = {.world = world_with(settings)};
    uint64_t seed = 3;
    add_floor(s.world, 0.6, 0);
    for (int i = 0; i < CUBES; i++)
        s.cube[i] = add_dynamic(
            s.world, pose_at(random_in(&seed, -1e-3, 1e-3), 0.5 + i, random_in(&seed, -1e-3, 1e-3)),
            box_shape(0.5, 0.5, 0.5));
    for (int i = 0; i < 600; i++) {
        assert_ok(dry_world_step(s.world, TEST_DT));
        dry_statistics now = dry_world_statistics(s.world);
        most->lever_rebuilds += now.lever_rebuilds;
        most->recycled_manifolds += now.recycled_manifolds;
    }
    d3 line = d3_sub(position_of(s.world, s.cube[CUBES - 1]), position_of(s.world, s.cube[0]));
    dry_world_destroy(s.world);
    return atan2(hypot(line.x, line.z), line.y);
}

/* Below the critical stiffness a stack with true lever arms falls, and one with held lever arms stands. */
static void test_soft_stack(void **state)
{
    (void)state;
    dry_statistics with_true = {0}, with_held = {0};
    double lean_true = soft_stack(DRY_LEVERS_TRUE, &with_true);
    double lean_held = soft_stack(DRY_LEVERS_HELD, &with_held);
    print_message("lean %.2f deg with true lever arms, %.4f with held ones, %d of %d rebuilt\n",
                  lean_true / DEGREE, lean_held / DEGREE, with_held.lever_rebuilds,
                  with_held.recycled_manifolds);
    assert_true(lean_true > FALLEN);
    assert_at_most(lean_held, 0.25 * DEGREE);
    assert_int_equal(with_true.lever_rebuilds, 0);
    /* A stack that stands keeps its contacts. */
    assert_true(with_held.recycled_manifolds > 10 * 500);
    assert_true(100 * with_held.lever_rebuilds < with_held.recycled_manifolds);
}

static void test_table(void **state)
{
    (void)state;
    if (!test_environment("DRYSTONE_HONESTY_TABLE"))
        skip();
    print_message("| levers | floor, s | tilt, deg | kick, m/s | growing kick, m/s | push, N |\n");
    print_figures("rigid", rigid_figures());
    for (int soft = 0; soft < 2; soft++) {
        honesty h = {.soft = soft, .substeps = 4};
        print_figures("true, four times the substeps", measure(&h));
        h.substeps = 1;
        print_figures("true", measure(&h));
        const double degrees[] = {0.1, 0.125, 0.25, 0.5, 1, 2};
        for (int i = 0; i < COUNT_OF(degrees); i++) {
            char name[64];
            snprintf(name, sizeof name, "held, %g deg", degrees[i]);
            h.levers = DRY_LEVERS_HELD;
            h.angle = degrees[i] * DEGREE;
            h.distance = 0.005;
            print_figures(name, measure(&h));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft_stack),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
