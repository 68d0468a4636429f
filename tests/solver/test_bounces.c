/* Balls that bounce off planes, boxes and balls, between one step and the next, against closed form: Newton's
 * law of restitution with Coulomb's cone at the point where the surfaces meet [Spook 1-7]. */
#include "tests/solver/impact_law.h"

typedef enum target {
    HALFSPACE,
    FIXED_BOX,
    KINEMATIC_BOX,
    DYNAMIC_BOX,
    FIXED_BALL,
    DYNAMIC_BALL,
    TARGETS
} target;

static const char *const solver_names[] = {
    [DRY_SOLVER_GAUSS_SEIDEL] = "gauss-seidel",
    [DRY_SOLVER_JACOBI] = "jacobi",
    [DRY_SOLVER_PBD] = "pbd",
    [DRY_SOLVER_XPBD] = "xpbd",
    [DRY_SOLVER_AVBD] = "avbd",
};
static const char *const target_names[] = {"halfspace",   "fixed box",  "kinematic box",
                                           "dynamic box", "fixed ball", "dynamic ball"};

#define DENSITY 1000.0f /* of balls, kg/m^3 */

/* A ball b that meets a target a at `point` with the normal n, `phase` of a step of dt after a step began. */
typedef struct bounce {
    target target;
    dry_solver solver;
    double radius, e, mu;
    dry_shape_def under;
    dry_pose under_pose; /* when the surfaces meet */
    d3 n, point, velocity, spin, under_velocity, under_spin;
    double phase;
    int steps_before; /* that one */
    float dt;
} bounce;

static const float bounce_steps[] = {1.0f / 240, 1.0f / 120, 1.0f / 60, 1.0f / 30};

static d3 random_unit(uint64_t *seed)
{
    d3 v;
    do
        v = random_d3(seed, 1);
    while (d3_length(v) > 1 || d3_length(v) < 0.1);
    return d3_unit(v);
}

/* Draws the target with the normal and the point on its surface. */
static void draw_target(bounce *b, uint64_t *seed)
{
    b->under_pose = (dry_pose){{0, 0, 0}, random_quat(seed)};
    const bool ball = b->target == FIXED_BALL || b->target == DYNAMIC_BALL;
    if (b->target == HALFSPACE) {
        b->n = random_unit(seed);
        b->under = halfspace_shape(v3_of(b->n), 0);
        b->n = d3_unit(d3_of(b->under.normal));
        b->under_pose.orientation = QUAT_IDENTITY;
        b->point = (d3){0, 0, 0};
    } else if (ball) {
        const double radius = random_in(seed, 0.02, 0.5);
        b->under = sphere_shape(radius);
        b->n = random_unit(seed);
        b->point = d3_scale(b->n, radius);
    } else {
        const d3 h = {random_in(seed, 0.2, 1), random_in(seed, 0.2, 1), random_in(seed, 0.2, 1)};
        b->under = box_shape(h.x, h.y, h.z);
        const double sign = random_below(seed, 2) ? 1 : -1;
        const double u = 0.95 * random_in(seed, -1, 1), v = 0.95 * random_in(seed, -1, 1);
        d3 n = {0, 0, 0}, p = {0, 0, 0};
        switch (random_below(seed, 3)) {
        case 0:
            n.x = sign, p = (d3){sign * h.x, u * h.y, v * h.z};
            break;
        case 1:
            n.y = sign, p = (d3){u * h.x, sign * h.y, v * h.z};
            break;
        default:
            n.z = sign, p = (d3){u * h.x, v * h.y, sign * h.z};
            break;
        }
        b->n = d3_turn(b->under_pose.orientation, n);
        b->point = d3_turn(b->under_pose.orientation, p);
    }
    b->under.density = DENSITY * (float)exp(random_in(seed, -1.5, 1.5));
    if (b->target == KINEMATIC_BOX || b->target == DYNAMIC_BOX || b->target == DYNAMIC_BALL)
        b->under_velocity = random_d3(seed, 3);
    if (b->target == DYNAMIC_BALL)
        b->under_spin = random_d3(seed, 20);
}

static bounce draw_bounce(uint64_t *seed, target under, dry_solver solver, int phase)
{
    bounce b = {.target = under, .solver = solver};
    b.radius = exp(random_in(seed, log(0.02), log(0.5)));
    b.e = random_in(seed, 0.2, 1);
    b.mu = random_below(seed, 2) ? random_in(seed, 0.02, 0.4) : random_in(seed, 0.4, 1.2);
    b.dt = bounce_steps[random_below(seed, COUNT_OF(bounce_steps))];
    b.phase = (phase + random_in(seed, 0, 1)) / 16;
    b.steps_before = random_below(seed, 3);
    draw_target(&b, seed);
    const double speed = random_in(seed, 4, 30), angle = random_in(seed, 0, 1.2);
    const d3 across = d3_unit(d3_cross(b.n, random_unit(seed)));
    const d3 relative = d3_sub(d3_scale(across, speed * sin(angle)), d3_scale(b.n, speed * cos(angle)));
    b.velocity = d3_add(b.under_velocity, relative);
    b.spin = random_below(seed, 2) ? random_d3(seed, 0.5 * speed / b.radius) : (d3){0, 0, 0};
    return b;
}

/* The ball's changes along the law's, and what both bodies have afterwards. */
typedef struct outcome {
    bool compares;            /* the law's change along the tangents is 2 % or more of its whole change */
    double tangential, spin;  /* over the law's */
    double error;             /* of the change of velocity, over the law's */
    double energy;            /* over the law's */
    double momentum, angular; /* lost, over what moves */
} outcome;

static dry_pose moved(dry_pose pose, d3 velocity, double time)
{
    pose.position.x += velocity.x * time;
    pose.position.y += velocity.y * time;
    pose.position.z += velocity.z * time;
    return pose;
}

static double share_of(d3 change, d3 expected)
{
    return d3_dot(change, expected) / d3_dot(expected, expected);
}

/* The world of a bounce: the target and the ball where they meet. */
typedef struct stage {
    dry_world *world;
    dry_body_id id[2];
    dry_pose pose[2];
    impact_side before[2], after[2];
    bool free; /* the target moves by impulses, too */
} stage;

static dry_body_type type_of(target under)
{
    return under == DYNAMIC_BOX || under == DYNAMIC_BALL ? DRY_BODY_DYNAMIC
           : under == KINEMATIC_BOX                      ? DRY_BODY_KINEMATIC
                                                         : DRY_BODY_STATIC;
}

static stage set_stage(const bounce *b)
{
    dry_settings settings = test_settings_weightless();
    settings.method.solver = b->solver;
    stage s = {.world = world_with(settings), .free = type_of(b->target) == DRY_BODY_DYNAMIC};
    dry_shape_def under = b->under, ball = sphere_shape(b->radius);
    under.friction = ball.friction = (float)b->mu;
    ball.restitution = (float)b->e;
    ball.density = DENSITY;
    const d3 center = d3_add(b->point, d3_scale(b->n, b->radius));
    s.pose[0] = b->under_pose;
    s.pose[1] = pose_at(center.x, center.y, center.z);
    s.id[0] = add_body(s.world, type_of(b->target), s.pose[0], under);
    s.id[1] = add_dynamic(s.world, s.pose[1], ball);
    return s;
}

static void set_velocities(const stage *s, const bounce *b)
{
    if (type_of(b->target) != DRY_BODY_STATIC)
        set_velocity(s->world, s->id[0], b->under_velocity, b->under_spin);
    set_velocity(s->world, s->id[1], b->velocity, b->spin);
}

static double energy_of(const stage *s)
{
    return kinetic_energy(s->world, s->id[1]) + (s->free ? kinetic_energy(s->world, s->id[0]) : 0);
}

/* Applies the law. Returns the energy that it leaves. */
static double apply_law(stage *s, const bounce *b, law *l)
{
    double k[3][3] = {{0}};
    s->before[0] = (impact_side){.v = b->under_velocity};
    for (int i = s->free ? 0 : 1; i < 2; ++i) {
        s->before[i] = side_of(s->world, s->id[i], b->point);
        add_matrix(&s->before[i], k);
    }
    memcpy(s->after, s->before, sizeof s->after);
    l->e = (double)(float)b->e, l->mu = (double)(float)b->mu;
    const d3 u = d3_sub(speed_of(&s->before[1]), speed_of(&s->before[0]));
    const d3 j = impulse_of(l, (const double(*)[3])k, u, b->n);
    apply(&s->after[1], j);
    if (s->free)
        apply(&s->after[0], d3_scale(j, -1));
    for (int i = s->free ? 0 : 1; i < 2; ++i)
        set_velocity(s->world, s->id[i], s->after[i].v, s->after[i].w);
    return energy_of(s);
}

static outcome outcome_of(const stage *s, const bounce *b, double energy)
{
    const d3 dv = d3_sub(velocity_of(s->world, s->id[1]), s->before[1].v);
    const d3 dw = d3_sub(spin_of(s->world, s->id[1]), s->before[1].w);
    const d3 v = d3_sub(s->after[1].v, s->before[1].v), w = d3_sub(s->after[1].w, s->before[1].w);
    const d3 t = d3_sub(v, d3_scale(b->n, d3_dot(v, b->n)));
    return (outcome){.compares = d3_length(t) > 0.02 * d3_length(v),
                     .tangential = share_of(dv, t),
                     .spin = share_of(dw, w),
                     .error = d3_length(d3_sub(dv, v)) / d3_length(v),
                     .energy = energy_of(s) / energy};
}

/* Runs up to the end of the step in which the surfaces meet. */
static outcome run_bounce(const bounce *b, law *l)
{
    stage s = set_stage(b);
    set_velocities(&s, b);
    const double energy = apply_law(&s, b, l);
    set_velocities(&s, b);
    const d3 velocity[2] = {b->under_velocity, b->velocity};
    double scale_p = 0, scale_l = 0;
    for (int i = type_of(b->target) == DRY_BODY_STATIC ? 1 : 0; i < 2; ++i) {
        const double until = (b->steps_before + b->phase) * (double)b->dt;
        assert_ok(dry_body_set_pose(s.world, s.id[i], moved(s.pose[i], velocity[i], -until)));
        const double p = mass_of(s.world, s.id[i]).mass * d3_length(velocity[i]);
        scale_p += p;
        scale_l += p * d3_length(center_of(s.world, s.id[i])) + d3_length(spin_momentum(s.world, s.id[i]));
    }
    const d3 p = total_momentum(s.world, s.id, 2), angular = total_angular_momentum(s.world, s.id, 2);
    run_steps(s.world, b->steps_before + 1, b->dt);
    outcome o = outcome_of(&s, b, energy);
    if (s.free) {
        o.momentum = d3_length(d3_sub(total_momentum(s.world, s.id, 2), p)) / scale_p;
        o.angular = d3_length(d3_sub(total_angular_momentum(s.world, s.id, 2), angular)) / scale_l;
    }
    dry_world_destroy(s.world);
    return o;
}

/* Each body's motion is rounded a few times in each substep. */
#define ROUNDING (256 * FLT_EPSILON)

static void assert_outcome(const bounce *b, const outcome *o, int run)
{
    const double off = fmax(fabs(o->tangential - 1), fabs(o->spin - 1));
    if ((o->compares && !(off <= 0.02)) || !(o->error <= 0.02) || !(o->energy <= 1.005) ||
        !(o->momentum <= ROUNDING) || !(o->angular <= ROUNDING))
        fail_msg(
            "%s on %s, run %d: tangential %.4f, spin %.4f, error %.4f, energy %.4f, momentum %.2g, angular "
            "momentum %.2g",
            solver_names[b->solver], target_names[b->target], run, o->tangential, o->spin, o->error,
            o->energy, o->momentum, o->angular);
}

/* Balls of 2 to 50 cm bounce at 4 to 30 m/s, at angles up to 70 degrees, off everything, with every solver,
 * in steps of four lengths: as the law says, at each of 16 phases of the step. */
static void test_bounces_obey_the_law(void **state)
{
    (void)state;
    for (int solver = 0; solver < COUNT_OF(solver_names); ++solver)
        for (int t = 0; t < TARGETS; ++t) {
            uint64_t seed = 100 + (uint64_t)t;
            law l = {0};
            const int runs = test_pick(320, 32);
            for (int run = 0; run < runs; ++run) {
                const bounce b = draw_bounce(&seed, (target)t, (dry_solver)solver, run % 16);
                const outcome o = run_bounce(&b, &l);
                assert_outcome(&b, &o, run);
            }
            assert_true(l.sticks > runs / 4 && l.slides > runs / 16);
        }
}

/* A ball of 5 cm at (1, -10) m/s on a floor, e = 0.8, mu = 0.5, at 60 Hz, by hand: it sticks, since 2/7 of 1
 * m/s takes less than mu (1 + e) times 10 m/s. It keeps 5/7 of its tangent velocity, with which it rolls. At
 * (25, -4) m/s it slides, and loses mu (1 + e) times 4 m/s. */
static void test_bounce_by_hand(void **state)
{
    (void)state;
    static const struct {
        double x, y, after;
    } throws[] = {{1, -10, 5.0 / 7}, {25, -4, 25 - 0.5 * 1.8 * 4}};
    for (int solver = 0; solver < COUNT_OF(solver_names); ++solver)
        for (int i = 0; i < COUNT_OF(throws); ++i)
            for (int phase = 0; phase < 16; ++phase) {
                dry_settings settings = test_settings_weightless();
                settings.method.solver = (dry_solver)solver;
                dry_world *world = world_with(settings);
                const double r = 0.05, lost = throws[i].x - throws[i].after;
                add_floor(world, 0.5, 0.8);
                dry_shape_def shape = sphere_shape(r);
                shape.friction = 0.5f;
                const double height = r - (1 + phase / 16.0) * TEST_DT * throws[i].y;
                const dry_body_id ball = add_dynamic(world, pose_at(0, height, 0), shape);
                set_velocity(world, ball, (d3){throws[i].x, throws[i].y, 0}, (d3){0, 0, 0});
                run_steps(world, 3, TEST_DT);
                const d3 v = velocity_of(world, ball), w = spin_of(world, ball);
                assert_near(v.x, throws[i].after, 0.001 * lost);
                assert_near(v.y, -0.8 * throws[i].y, 1e-4);
                assert_near(-w.z * r, 5.0 / 2 * lost, 0.001 * lost); /* I = 2/5 m r^2 */
                dry_world_destroy(world);
            }
}

/* A ball that passes a ball or a box at up to a tenth of its radius flies on as it did: no normal of the
 * step's beginning holds it up. */
static void test_what_passes_flies_on(void **state)
{
    (void)state;
    uint64_t seed = 51;
    for (int run = 0; run < test_pick(1500, 150); ++run) {
        bounce b = draw_bounce(&seed, run % 2 ? FIXED_BALL : FIXED_BOX, (dry_solver)(run % 5), run / 5 % 16);
        /* Along the tangent plane of the point, and above it. */
        const d3 across = d3_unit(d3_cross(b.n, random_unit(&seed)));
        b.velocity = d3_scale(across, random_in(&seed, 4, 30));
        b.point = d3_add(b.point, d3_scale(b.n, random_in(&seed, 0.01, 0.1) * b.radius));
        stage s = set_stage(&b);
        set_velocities(&s, &b);
        const double until = (2 + b.phase) * (double)b.dt;
        assert_ok(dry_body_set_pose(s.world, s.id[1], moved(s.pose[1], b.velocity, -until)));
        run_steps(s.world, 5, b.dt);
        const d3 change = d3_sub(velocity_of(s.world, s.id[1]), b.velocity);
        if (!(d3_length(change) <= 1e-5 * d3_length(b.velocity)))
            fail_msg("run %d: %s changes the velocity by %g of %g m/s", run, target_names[b.target],
                     d3_length(change), d3_length(b.velocity));
        dry_world_destroy(s.world);
    }
}

/* Landings. */

/* A ball lands on a floor, without restitution or too slowly to bounce. Friction at its surface keeps the
 * angular momentum about a line of the floor: it rolls with 5/7 of its speed along the floor, whatever
 * friction did when. */
static void test_landing_ball_rolls(void **state)
{
    (void)state;
    for (int solver = 0; solver < COUNT_OF(solver_names); ++solver) {
        uint64_t seed = 61;
        for (int run = 0; run < test_pick(192, 32); ++run) {
            dry_settings settings = test_settings();
            settings.method.solver = (dry_solver)solver;
            dry_world *world = world_with(settings);
            const bool box = run % 3 > 0, moving = run % 3 == 2, slow = run % 4 == 0;
            dry_shape_def under = box ? box_shape(150, 1, 150) : halfspace_shape(v3(0, 1, 0), 0);
            under.friction = (float)random_in(&seed, 0.2, 1);
            under.restitution = slow ? 0.7f : 0;
            const dry_body_id floor = add_body(world, moving ? DRY_BODY_KINEMATIC : DRY_BODY_STATIC,
                                               pose_at(0, box ? -1 : 0, 0), under);
            const d3 along = moving ? (d3){1.5, 0, 0.7} : (d3){0, 0, 0};
            if (moving)
                set_velocity(world, floor, along, (d3){0, 0, 0});
            const double r = exp(random_in(&seed, log(0.02), log(0.5)));
            const double speed = random_in(&seed, 4, 30), angle = random_in(&seed, 0.1, 1.3);
            const double x = speed * sin(angle), y = slow ? -0.8 : -speed * cos(angle);
            const float dt = bounce_steps[random_below(&seed, COUNT_OF(bounce_steps))];
            /* The ball has the speed y when it meets the floor. */
            const double until = (1 + (run % 16 + random_in(&seed, 0, 1)) / 16) * (double)dt;
            const double first = fmin(y + TEST_G * until, 0);
            dry_shape_def shape = sphere_shape(r);
            shape.friction = under.friction;
            const double height = r - (first - TEST_G * until / 2) * until;
            const dry_body_id ball = add_dynamic(world, pose_at(0, height, 0), shape);
            set_velocity(world, ball, d3_add(along, (d3){x, first, 0}), (d3){0, 0, 0});
            const double rolls = until + 2 * x / (7 * (double)under.friction * TEST_G) + 0.3;
            run_steps(world, (int)(rolls / (double)dt) + 4, dt);
            assert_near((velocity_of(world, ball).x - along.x) / (5.0 / 7 * x), 1, 0.01);
            assert_near(-spin_of(world, ball).z * r / (5.0 / 7 * x), 1, 0.01);
            dry_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce_by_hand),
        cmocka_unit_test(test_bounces_obey_the_law),
        cmocka_unit_test(test_what_passes_flies_on),
        cmocka_unit_test(test_landing_ball_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
