/* A block on a spring that is pulled over a floor: the closed form of its stick-slip motion, and a run that
 * measures it. */
#ifndef TESTS_SOLVER_STICK_SLIP_H
#define TESTS_SOLVER_STICK_SLIP_H

#include "tests/test_world.h"

/* The block, its spring, and the pull: by a force that the test finds, or by a spring of the library to a
 * kinematic body. The block is a box, or a ball that may not turn. It lies so deep that contacts of a given
 * stiffness carry it. */
typedef struct stick_slip {
    double mass, stiffness, mu_d, mu_s, speed; /* kg, N/m, m/s */
    double half[3], heading;                   /* of the block, m; of the pull about y, rad */
    float dt;
    bool by_joint, ball; /* a ball has the radius half[1] */
} stick_slip;

/* Means over slips: the time from one to the next, and the way of one. */
typedef struct stick_slip_means {
    int slips;
    double period, length; /* s, m */
} stick_slip_means;

/* Returns the exact motion. The block sticks until the spring bears mu_s m g, and slips with mu_d. Its
 * stretch u then swings about mu_d m g / k: u = A cos(w t) + v / w sin(w t) from there, with A = (mu_s -
 * mu_d) m g / k and w^2 = k / m. The block rests again where u' = v: after the angle w t = 2 (pi - atan(A w /
 * v)), at -A. So it sticks for 2 A / v. */
static inline stick_slip_means stick_slip_exact(const stick_slip *s)
{
    const double a = (s->mu_s - s->mu_d) * s->mass * TEST_G / s->stiffness, w = sqrt(s->stiffness / s->mass);
    const double slip = 2 * (TEST_PI - atan(a * w / s->speed)) / w;
    return (stick_slip_means){0, 2 * a / s->speed + slip, 2 * a + s->speed * slip};
}

typedef struct stick_slip_run {
    dry_world *world;
    dry_body_id block;
    d3 along, from;
} stick_slip_run;

static inline stick_slip_run stick_slip_begin(const stick_slip *s, dry_settings settings)
{
    stick_slip_run run = {.world = world_with(settings), .along = {cos(s->heading), 0, sin(s->heading)}};
    dry_shape_def ground = halfspace_shape(v3(0, 1, 0), 0),
                  block = s->ball ? sphere_shape(s->half[1]) : box_shape(s->half[0], s->half[1], s->half[2]);
    ground.friction = block.friction = (float)s->mu_d;
    ground.static_friction = block.static_friction = (float)s->mu_s;
    const double k = (double)settings.contact_stiffness * (s->ball ? 1 : 4);
    const double depth = k > 0 ? s->mass * TEST_G / k : 0;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, s->half[1] - depth, 0), &block);
    def.mass = (float)s->mass;
    def.locks = s->ball ? DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z : 0;
    add_body(run.world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    run.block = add_def(run.world, &def);
    run_steps(run.world, 30, s->dt);
    run.from = position_of(run.world, run.block);
    if (!s->by_joint)
        return run;
    const double length = 3;
    dry_body_def driver = body_def(DRY_BODY_KINEMATIC, pose_of(run.world, run.block), NULL);
    driver.pose.position.x += length * run.along.x;
    driver.pose.position.z += length * run.along.z;
    driver.velocity.linear = v3_of(d3_scale(run.along, s->speed));
    dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
    dry_joint_id id;
    spring.body_a = add_def(run.world, &driver);
    spring.body_b = run.block;
    spring.length = (float)length;
    spring.stiffness = (float)s->stiffness;
    assert_ok(dry_world_create_joint(run.world, &spring, &id));
    return run;
}

static inline double stick_slip_way(const stick_slip_run *run)
{
    return d3_dot(d3_sub(position_of(run->world, run->block), run->from), run->along);
}

/* Applies the force of the spring. A force for a whole step of N substeps neither gives energy nor takes it
 * if it is that of the time (1 - 1/N) dt / 2 later; automatic substeps are taken as many. */
static inline void stick_slip_pull(const stick_slip *s, const stick_slip_run *run, int substeps, double t,
                                   double way)
{
    const double speed = d3_dot(velocity_of(run->world, run->block), run->along);
    const double later = 0.5 * (double)s->dt * (substeps > 0 ? 1 - 1.0 / substeps : 1);
    const double force = s->stiffness * (s->speed * (t + later) - (way + later * speed));
    assert_ok(dry_body_apply_force(run->world, run->block, v3_of(d3_scale(run->along, force))));
}

/* Runs until the block has slipped so many times, or for a time in which it should have slipped twice more.
 * A slip is a row of steps in which the block is faster than half of the pull, and moves on by A or more. */
static inline stick_slip_means stick_slip_measure(const stick_slip *s, dry_settings settings, int slips)
{
    const stick_slip_means exact = stick_slip_exact(s);
    const double a = (s->mu_s - s->mu_d) * s->mass * TEST_G / s->stiffness, dt = (double)s->dt;
    const double first = s->mu_s * s->mass * TEST_G / s->stiffness / s->speed;
    const int steps = (int)((first + exact.period * (slips + 2)) / dt);
    stick_slip_run run = stick_slip_begin(s, settings);
    stick_slip_means sum = {0, 0, 0};
    double way = 0, rest = 0, rest_time = 0, first_time = 0;
    for (int i = 0; i < steps && sum.slips <= slips; ++i) {
        const double t = i * dt, before = way;
        if (!s->by_joint)
            stick_slip_pull(s, &run, settings.substeps, t, way);
        run_steps(run.world, 1, s->dt);
        way = stick_slip_way(&run);
        if (way - before >= 0.5 * s->speed * dt)
            continue;
        if (way - rest >= a) {
            first_time = sum.slips == 0 ? rest_time : first_time;
            sum.period = rest_time - first_time;
            sum.length += way - rest;
            sum.slips++;
        }
        rest = way, rest_time = t + dt;
    }
    dry_world_destroy(run.world);
    return (stick_slip_means){sum.slips, sum.slips > 1 ? sum.period / (sum.slips - 1) : 0,
                              sum.slips > 0 ? sum.length / sum.slips : 0};
}

/* Holds both means to 5 % of the closed form. */
static inline void check_stick_slip(const stick_slip *s, dry_settings settings, int slips)
{
    const stick_slip_means exact = stick_slip_exact(s), means = stick_slip_measure(s, settings, slips);
    print_message("solver %d, friction %d, %s by %s, %.2f mm/s: %d slips, period %.4f s (%+.2f %%), way %.3f "
                  "mm (%+.2f %%)\n",
                  (int)settings.method.solver, (int)settings.method.friction, s->ball ? "ball" : "box",
                  s->by_joint ? "spring" : "force", 1e3 * s->speed, means.slips, means.period,
                  100 * (means.period / exact.period - 1), 1e3 * means.length,
                  100 * (means.length / exact.length - 1));
    assert_true(means.slips > slips);
    assert_near(means.period, exact.period, 0.05 * exact.period);
    assert_near(means.length, exact.length, 0.05 * exact.length);
}

/* Pulls a block with forces that rise to 0.98 mu_s m g, and then stay for as long. It moves by less than 1 %
 * of a slip: it creeps as sweeps leave it, and slips not once. */
static inline void check_stick_below(const stick_slip *pulled, dry_settings settings)
{
    stick_slip by_force = *pulled;
    by_force.by_joint = false;
    const stick_slip *s = &by_force;
    const double most = 0.98 * s->mu_s * s->mass * TEST_G;
    const int rise = (int)fmin(most / s->stiffness / s->speed / (double)s->dt, 2000);
    stick_slip_run run = stick_slip_begin(s, settings);
    for (int i = 0; i < 2 * rise; ++i) {
        const double force = most * fmin(1, (double)i / rise);
        assert_ok(dry_body_apply_force(run.world, run.block, v3_of(d3_scale(run.along, force))));
        run_steps(run.world, 1, s->dt);
    }
    const double way = stick_slip_way(&run);
    dry_world_destroy(run.world);
    assert_at_most(fabs(way), 0.01 * 2 * (s->mu_s - s->mu_d) * s->mass * TEST_G / s->stiffness);
}

/* Returns a block of 10 kg on 1000 N/m, which slips by 59 mm. */
static inline stick_slip stick_slip_standard(double speed, bool by_joint)
{
    return (stick_slip){10, 1000, 0.3, 0.6, speed, {0.1, 0.05, 0.1}, 0, TEST_DT, by_joint, false};
}

#endif
