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
    double angle, distance; /* of held lever arms, rad and m; 0: the defaults */
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
    if (h->angle > 0) {
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
    return atan2(hypot(line.x, line.z), line.y);
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

/* Tells whether a stack falls within `seconds`, by its own measure. */
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

/* A force on the top cube's center that grows by 250 N/s to 4 kN, which a rigid stack bears, and by 20 N/s
 * from there on: returns the force at which the stack falls. */
static double slow_push(const honesty *h)
{
    stack s = stack_make(h, 0, DRY_BODY_STATIC);
    double force = 0;
    for (; force < 7000 && lean_of(&s) < FALLEN; force += (force < 4000 ? 250.0 : 20.0) / 60) {
        assert_ok(dry_body_apply_force(s.world, s.cube[CUBES - 1], v3(force, 0, 0)));
        assert_ok(dry_world_step(s.world, TEST_DT));
    }
    dry_world_destroy(s.world);
    return force;
}

/* A kick of the upper half alone, which topples about an edge within the stack. */
static bool falls_after_upper_kick(const honesty *h, double speed)
{
    stack s = stack_make(h, 0, DRY_BODY_STATIC);
    run_steps(s.world, 60, TEST_DT);
    for (int i = CUBES / 2; i < CUBES; i++)
        set_velocity(s.world, s.cube[i], (d3){speed, 0, 0}, (d3){0, 0, 0});
    double t = time_to_lean(&s, FALLEN, 15);
    dry_world_destroy(s.world);
    return t < INFINITY;
}

typedef struct figures {
    double floor_s, tilt, uniform, growing, upper, push;
} figures;

static figures measure(const honesty *h)
{
    return (figures){turning_floor(h),
                     threshold(h, falls_on_tilted_floor, 4 * DEGREE, 9 * DEGREE) / DEGREE,
                     threshold(h, falls_after_uniform_kick, 0.6, 1.4),
                     threshold(h, falls_after_growing_kick, 0.8, 2.0),
                     threshold(h, falls_after_upper_kick, 0.6, 3.0),
                     slow_push(h)};
}

static void print_figures(const char *name, figures f)
{
    print_message("| %s | %.2f | %.2f | %.3f | %.3f | %.3f | %.0f |\n", name, f.floor_s, f.tilt, f.uniform,
                  f.growing, f.upper, f.push);
}

/* The block turns about its edge: a kick gives it the angular momentum of its cubes about that edge. */
static figures rigid_figures(void)
{
    double mass = 1000.0 * CUBES, rise = sqrt(CUBES * CUBES + 1.0) / 2 - CUBES / 2.0;
    double inertia = mass * (CUBES * CUBES + 1.0) / 3, squares = 0;
    for (int i = 0; i < CUBES; i++)
        squares += 1000.0 * (i + 0.5) * (i + 0.5);
    double momentum = sqrt(2 * inertia * mass * TEST_G * rise);
    return (figures){rigid_turning_floor(),
                     RIGID_TIP_ANGLE / DEGREE,
                     momentum / (mass * CUBES / 2),
                     momentum / squares * (CUBES - 0.5),
                     NAN,
                     mass * TEST_G * 0.5 / (CUBES - 0.5)};
}

/* A figure is honest if it is within 5 % of the rigid block's, or of what true lever arms at four times the
 * substeps give. */
static void assert_honest(double actual, double rigid, double fine, const char *what, const char *name)
{
    if (!(fabs(actual - rigid) <= 0.05 * rigid || fabs(actual - fine) <= 0.05 * fine))
        fail_msg("%s with %s: %g, and not within 5 %% of %g or %g", what, name, actual, rigid, fine);
}

static void test_honest(void **state)
{
    (void)state;
    const honesty cases[] = {
        {.name = "true lever arms", .levers = DRY_LEVERS_TRUE, .substeps = 1},
        {.name = "lever arms held within the defaults", .levers = DRY_LEVERS_HELD, .substeps = 1},
        {.name = "lever arms held within 1.5 degrees",
         .levers = DRY_LEVERS_HELD,
         .angle = 1.5 * DEGREE,
         .distance = 0.005,
         .substeps = 1},
    };
    const honesty finer = {.levers = DRY_LEVERS_TRUE, .substeps = 4};
    const figures rigid = rigid_figures(), fine = measure(&finer);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const figures f = measure(&cases[i]);
        assert_honest(f.floor_s, rigid.floor_s, fine.floor_s, "a floor that turns", cases[i].name);
        assert_honest(f.uniform, rigid.uniform, fine.uniform, "a kick", cases[i].name);
        assert_honest(f.growing, rigid.growing, fine.growing, "a growing kick", cases[i].name);
        assert_honest(f.upper, fine.upper, fine.upper, "a kick of the upper half", cases[i].name);
        assert_honest(f.push, rigid.push, fine.push, "a slow push", cases[i].name);
    }
}

/* On a tilted floor the load comes all at once: a stack that were soft from the start would rock, and fall
 * early. */
static void test_honest_on_tilted_floor(void **state)
{
    (void)state;
    const honesty finer = {.levers = DRY_LEVERS_TRUE, .substeps = 4};
    const double fine = threshold(&finer, falls_on_tilted_floor, 4 * DEGREE, 9 * DEGREE);
    for (int levers = 0; levers < DRY_LEVERS_COUNT; levers++) {
        const honesty h = {.levers = (dry_levers)levers, .substeps = 1};
        assert_honest(threshold(&h, falls_on_tilted_floor, 4 * DEGREE, 9 * DEGREE), RIGID_TIP_ANGLE, fine,
                      "a tilted floor", levers == DRY_LEVERS_HELD ? "held lever arms" : "true lever arms");
    }
}

/* Ten cubes of 1 m whose contacts are softer than the 0.5 * 10^1.5 Hz at which they buckle under their own
 * weight (Greenhill's law), each shifted by up to 1 mm. Returns the stack's lean after ten seconds. */
typedef struct soft_run {
    double lean;
    int rebuilds, recycled;
    uint64_t motion;
} soft_run;

static soft_run soft_stack(dry_levers levers, dry_isa isa)
{
    const honesty h = {.levers = levers, .angle = 0.25 * DEGREE, .distance = 0.005};
    dry_world_def def = test_world_def();
    def.isa = isa;
    def.settings = settings_of(&h);
    def.settings.substeps = 8;
    def.settings.contact_hertz = 10.0f;
    def.settings.contact_damping_ratio = 5.0f;
    stack s = {.world = world_from(&def)};
    uint64_t seed = 3;
    add_floor(s.world, 0.6, 0);
    for (int i = 0; i < CUBES; i++) {
        const double x = random_in(&seed, -1e-3, 1e-3), z = random_in(&seed, -1e-3, 1e-3);
        s.cube[i] = add_dynamic(s.world, pose_at(x, 0.5 + i, z), box_shape(0.5, 0.5, 0.5));
    }
    soft_run run = {0};
    for (int i = 0; i < 600; i++) {
        assert_ok(dry_world_step(s.world, TEST_DT));
        const dry_contact_counts now = dry_world_count_contacts(s.world);
        run.rebuilds += now.lever_rebuilds;
        run.recycled += now.recycled_manifolds;
    }
    run.lean = lean_of(&s);
    run.motion = dry_world_motion_hash(s.world);
    dry_world_destroy(s.world);
    return run;
}

/* Below the critical stiffness a stack with true lever arms falls, and one with held lever arms stands. */
static void test_soft_stack(void **state)
{
    (void)state;
    soft_run with_true = soft_stack(DRY_LEVERS_TRUE, DRY_ISA_AUTO);
    soft_run with_held = soft_stack(DRY_LEVERS_HELD, DRY_ISA_AUTO);
    assert_true(with_true.lean > FALLEN);
    assert_at_most(with_held.lean, 0.25 * DEGREE);
    assert_int_equal(with_true.rebuilds, 0);
    /* A stack that stands keeps its contacts. */
    assert_true(with_held.recycled > CUBES * 500);
    assert_true(100 * with_held.rebuilds < with_held.recycled);
    soft_run scalar = soft_stack(DRY_LEVERS_HELD, DRY_ISA_SCALAR);
    assert_true(scalar.motion == with_held.motion);
}

static dry_settings with_true_levers(dry_settings settings)
{
    settings.levers = DRY_LEVERS_TRUE;
    return settings;
}

/* Held as far as lever arms can be, so that nothing is rebuilt for it. */
static dry_settings held_far(dry_settings settings)
{
    settings.levers = DRY_LEVERS_HELD;
    settings.lever_angle = 1.0f;
    settings.lever_distance = 1.0f;
    return settings;
}

enum { WALL_BRICKS = 12 };

/* A wall of bricks in six courses on a plate, which is the first body. */
static dry_world *wall_make(dry_settings settings, dry_body_type plate, dry_body_id *ids)
{
    dry_world *world = world_with(settings);
    ids[0] = add_body(world, plate, pose_at(0, -0.1, 0), box_shape(0.6, 0.1, 0.3));
    for (int i = 0; i < WALL_BRICKS; i++) {
        double x = (i % 2 ? 0.21 : -0.21) + (i / 2 % 2 ? 0.04 : -0.04);
        ids[1 + i] =
            add_dynamic(world, pose_at(x, 0.1 + 0.2 * (i / 2), 0.005 * (i % 3)), box_shape(0.2, 0.1, 0.1));
    }
    return world;
}

/* Adrift and turning, while the wall settles on the plate. */
static dry_world *wall_adrift(dry_settings settings, double turn, dry_body_id *ids)
{
    settings.gravity = v3(0, 0, 0);
    dry_world *world = wall_make(settings, DRY_BODY_DYNAMIC, ids);
    const d3 spin = {0.1 * turn, turn, 0.25 * turn}, middle = {0, 0.5, 0};
    for (int i = 0; i < 1 + WALL_BRICKS; i++) {
        d3 velocity = d3_cross(spin, d3_sub(center_of(world, ids[i]), middle));
        velocity.y += i == 0 ? 0.5 : -0.02 * i;
        set_velocity(world, ids[i], velocity, spin);
    }
    return world;
}

/* Returns the sum of |r x m v| about the origin, and of the spins' momenta. */
static double sum_of_moments(const dry_world *world, const dry_body_id *ids, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        d3 p = d3_scale(velocity_of(world, ids[i]), mass_of(world, ids[i]).mass);
        sum += d3_length(d3_cross(center_of(world, ids[i]), p)) + d3_length(spin_momentum(world, ids[i]));
    }
    return sum;
}

/* Returns the largest change of a wall's angular momentum, over the sum of its parts'. */
static double momentum_lost(double turn)
{
    dry_body_id ids[1 + WALL_BRICKS];
    dry_world *world = wall_adrift(test_settings(), turn, ids);
    const d3 before = total_angular_momentum(world, ids, COUNT_OF(ids));
    const double sum = sum_of_moments(world, ids, COUNT_OF(ids));
    double worst = 0;
    for (int i = 0; i < test_pick(60, 10); i++) {
        run_steps(world, 60, TEST_DT);
        d3 now = total_angular_momentum(world, ids, COUNT_OF(ids));
        worst = fmax(worst, d3_length(d3_sub(now, before)) / sum);
    }
    dry_world_destroy(world);
    return worst;
}

/* Islands that nothing fixed holds have true lever arms, whatever the setting. What is lost is roundings,
 * which differ from wall to wall: their root mean square is bounded. */
static void test_wall_adrift(void **state)
{
    (void)state;
    enum { WALLS = 5 };
    double square = 0;
    for (int i = 0; i < WALLS; i++) {
        const double lost = momentum_lost(0.15 + 0.05 * i);
        print_message("angular momentum of wall adrift %d changes by %.2g of its sum\n", i, lost);
        square += lost * lost / WALLS;
    }
    assert_at_most(sqrt(square), 1e-5);

    dry_body_id ids[1 + WALL_BRICKS];
    dry_world *world = wall_adrift(with_true_levers(test_settings()), 0.2, ids);
    run_steps(world, 120, TEST_DT);
    const uint64_t with_true = dry_world_motion_hash(world);
    assert_true(dry_world_count_contacts(world).recycled_manifolds > 0);
    dry_world_destroy(world);
    world = wall_adrift(held_far(test_settings()), 0.2, ids);
    run_steps(world, 120, TEST_DT);
    assert_true(dry_world_motion_hash(world) == with_true);
    dry_world_destroy(world);
}

/* The torque about the origin that gravity and the plate have given in the last step, times the step, and the
 * bound on what false couples may have given, N m s. */
typedef struct given {
    d3 torque;
    double bound;
} given;

static given given_in_step(const dry_world *world, const dry_body_id *ids)
{
    enum { CONTACTS_MAX = 100 };
    const dry_settings settings = dry_world_get_settings(world);
    given sum = {{0, 0, 0}, 0};
    for (int i = 1; i < 1 + WALL_BRICKS; i++) {
        d3 weight = {0, -TEST_G * mass_of(world, ids[i]).mass * TEST_DT, 0};
        sum.torque = d3_add(sum.torque, d3_cross(center_of(world, ids[i]), weight));
    }
    static dry_contact contacts[CONTACTS_MAX];
    const int count = dry_world_get_contacts(world, contacts, CONTACTS_MAX);
    assert_true(count <= CONTACTS_MAX);
    for (int i = 0; i < count; i++) {
        const dry_contact *c = &contacts[i];
        const bool from_plate = c->body_a.bits == ids[0].bits, on_plate = c->body_b.bits == ids[0].bits;
        const double substeps = TEST_DT / c->substep_s, sign = from_plate ? 1 : -1;
        d3 middle = {0, 0, 0};
        double normal = 0;
        for (int k = 0; k < c->point_count; k++) {
            const dry_contact_point *p = &c->points[k];
            d3 impulse = d3_scale(d3_of(c->normal), substeps * p->normal_impulse_Ns);
            if (from_plate || on_plate)
                sum.torque = d3_add(sum.torque, d3_scale(d3_cross(d3_at(p->position), impulse), sign));
            middle = d3_add(middle, d3_scale(d3_at(p->position), 1.0 / c->point_count));
            normal += substeps * p->normal_impulse_Ns;
        }
        d3 friction = d3_scale(d3_of(c->friction_impulse_Ns), substeps);
        d3 twist = d3_scale(d3_of(c->normal), substeps * c->torsion_impulse_Nms);
        if (from_plate || on_plate)
            sum.torque = d3_add(sum.torque, d3_scale(d3_add(d3_cross(middle, friction), twist), sign));
        const double arms = d3_length(d3_sub(middle, center_of(world, c->body_a))) +
                            d3_length(d3_sub(middle, center_of(world, c->body_b)));
        sum.bound += normal * (settings.lever_distance + arms * sin(settings.lever_angle));
    }
    return sum;
}

/* A wall on the ground has the angular momentum that gravity and the ground give it, but for the false
 * couple, which stays below its bound. */
static void test_wall_on_the_ground(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.levers = DRY_LEVERS_HELD;
    dry_body_id ids[1 + WALL_BRICKS];
    dry_world *world = wall_make(settings, DRY_BODY_STATIC, ids);
    run_steps(world, 60, TEST_DT);
    const d3 before = total_angular_momentum(world, ids + 1, WALL_BRICKS);
    given sum = {{0, 0, 0}, 0};
    for (int i = 0; i < 60 * test_pick(60, 10); i++) {
        run_steps(world, 1, TEST_DT);
        given step = given_in_step(world, ids);
        sum = (given){d3_add(sum.torque, step.torque), sum.bound + step.bound};
    }
    assert_true(dry_world_count_contacts(world).recycled_manifolds > WALL_BRICKS);
    const d3 after = total_angular_momentum(world, ids + 1, WALL_BRICKS);
    const double false_couple = d3_length(d3_sub(d3_sub(after, before), sum.torque));
    print_message("false couple of a wall on the ground: %.3g N m s, bound %.3g\n", false_couple, sum.bound);
    assert_at_most(false_couple, sum.bound);
    dry_world_destroy(world);
}

/* Cubes on a floor that turns about the vertical: their contacts are rebuilt whenever they have turned by the
 * tolerance, and the stack turns with the floor. A moving kinematic body's own contacts have true lever arms.
 */
static void test_turntable(void **state)
{
    (void)state;
    enum { STACKED = 4, SECONDS = 10 };
    const double rate = 0.05, angle = 0.004;
    dry_settings settings = test_settings();
    settings.levers = DRY_LEVERS_HELD;
    settings.lever_angle = (float)angle;
    stack s = {.world = world_with(settings)};
    s.floor = add_body(s.world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(2, 0.5, 2));
    for (int i = 0; i < STACKED; i++)
        s.cube[i] = add_dynamic(s.world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    for (int i = 0; i < STACKED; i++)
        set_velocity(s.world, s.cube[i], (d3){0, 0, 0}, (d3){0, rate, 0});
    set_velocity(s.world, s.floor, (d3){0, 0, 0}, (d3){0, rate, 0});
    int rebuilds = 0;
    for (int i = 0; i < 60 * SECONDS; i++) {
        run_steps(s.world, 1, TEST_DT);
        rebuilds += dry_world_count_contacts(s.world).lever_rebuilds;
    }
    const int every = (int)ceil(angle / (rate * TEST_DT));
    assert_near(rebuilds, STACKED * 60.0 * SECONDS / every, 0.05 * STACKED * 60.0 * SECONDS / every);
    for (int i = 0; i < STACKED; i++) {
        assert_near(turn_angle(pose_of(s.world, s.cube[i]).orientation), rate * SECONDS,
                    0.001 * rate * SECONDS);
        assert_at_most(hypot(position_of(s.world, s.cube[i]).x, position_of(s.world, s.cube[i]).z), 1e-4);
    }
    dry_world_destroy(s.world);

    uint64_t motion[2];
    for (int held = 0; held < 2; held++) {
        dry_world *world = world_with(held ? held_far(test_settings()) : with_true_levers(test_settings()));
        dry_body_id plate = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(2, 0.5, 2));
        add_dynamic(world, pose_at(0.7, 0.5, 0.3), box_shape(0.5, 0.5, 0.5));
        set_velocity(world, plate, (d3){0, 0, 0}, (d3){0, 0.5, 0.01});
        run_steps(world, 60, TEST_DT);
        assert_int_equal(dry_world_count_contacts(world).recycled_manifolds, 1);
        motion[held] = dry_world_motion_hash(world);
        dry_world_destroy(world);
    }
    assert_true(motion[0] == motion[1]);
}

/* A world that begins to hold lever arms rebuilds its contacts once, and keeps them from then on. */
static void test_switching(void **state)
{
    (void)state;
    const honesty plain = {.levers = DRY_LEVERS_TRUE, .substeps = 1};
    stack s = stack_make(&plain, 0, DRY_BODY_STATIC);
    run_steps(s.world, 60, TEST_DT);
    assert_int_equal(dry_world_count_contacts(s.world).recycled_manifolds, CUBES);
    dry_settings settings = dry_world_get_settings(s.world);
    settings.levers = DRY_LEVERS_HELD;
    assert_ok(dry_world_set_settings(s.world, &settings));
    run_steps(s.world, 1, TEST_DT);
    assert_int_equal(dry_world_count_contacts(s.world).recycled_manifolds, 0);
    assert_int_equal(dry_world_count_contacts(s.world).lever_rebuilds, 0);
    run_steps(s.world, 600, TEST_DT);
    assert_int_equal(dry_world_count_contacts(s.world).recycled_manifolds, CUBES);
    assert_at_most(lean_of(&s), 0.01 * DEGREE);
    dry_world_destroy(s.world);
}

static void test_table(void **state)
{
    (void)state;
    if (!test_environment("DRYSTONE_HONESTY_TABLE"))
        skip();
    print_message(
        "| levers | floor, s | tilt, deg | kick, m/s | growing kick, m/s | upper half, m/s | push, N |\n");
    print_figures("rigid", rigid_figures());
    for (int soft = 0; soft < 2; soft++) {
        print_message(soft ? "At 8 substeps, 60 Hz, damping ratio 10:\n" : "At default settings:\n");
        honesty h = {.soft = soft, .substeps = 4};
        print_figures("true, four times the substeps", measure(&h));
        h.substeps = 1;
        print_figures("true", measure(&h));
        const double degrees[] = {0.1, 0.25, 0.5, 1, 2};
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
        cmocka_unit_test(test_honest),
        cmocka_unit_test(test_honest_on_tilted_floor),
        cmocka_unit_test(test_soft_stack),
        cmocka_unit_test(test_wall_adrift),
        cmocka_unit_test(test_wall_on_the_ground),
        cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_switching),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
