/* Declares what tests of joints share: makers and reads that must succeed, and a motion of closed form. */
#ifndef TESTS_TEST_JOINT_H
#define TESTS_TEST_JOINT_H

#include "tests/test_world.h"

/* A solver of the world, and how it solves joints. */
typedef struct joint_way {
    dry_solver solver;
    dry_joint_solver joints;
} joint_way;

static const joint_way joint_ways[] = {
    {DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE}, {DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT},
    {DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE},       {DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_DIRECT},
    {DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE}, /* refuses direct joints */
};
/* The first ways, which solve for velocities. A spring that is solved for positions is that of an implicit
 * Euler step (test_positions.c), and a speed that follows from positions is the mean of a substep. */
enum { JOINT_WAYS = 5, VELOCITY_WAYS = 4 };

static inline bool is_direct(int way)
{
    return joint_ways[way].joints == DRY_JOINT_SOLVER_DIRECT;
}

/* Returns settings with a way to solve joints. */
static inline dry_settings joint_settings(int way, dry_settings settings)
{
    settings.method.solver = joint_ways[way].solver;
    settings.joint_solver = joint_ways[way].joints;
    return settings;
}

static inline dry_joint_id join(dry_world *world, const dry_joint_def *def)
{
    dry_joint_id id = {0};
    assert_ok(dry_world_create_joint(world, def, &id));
    return id;
}

static inline dry_body_id add_post(dry_world *world)
{
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    return add_def(world, &def);
}

static inline dry_joint_id join_two(dry_world *world, dry_joint_def def, dry_body_id a, dry_body_id b)
{
    def.body_a = a;
    def.body_b = b;
    return join(world, &def);
}

static inline dry_joint_axis_state axis_of(const dry_world *world, dry_joint_id id, dry_axis axis)
{
    dry_joint_axis_state state = {0};
    assert_ok(dry_joint_get_axis(world, id, axis, &state));
    return state;
}

/* Adds a body that something else hangs on, at the origin: a static one, or one that a direct joint holds. */
static inline dry_body_id add_hook(dry_world *world, bool direct)
{
    const dry_body_id fixed = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
    if (!direct)
        return fixed;
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
    def.solver = DRY_JOINT_SOLVER_DIRECT;
    def.body_a = fixed;
    def.body_b = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.1));
    join(world, &def);
    return def.body_b;
}

/* Runs a slender rod of 1 kg that hangs by its end and goes round as a rigid body at angle a, as cos(a) =
 * m g l / (W^2 (I - J)) says, with I across the rod at its end and J along it. No torque acts about its
 * length: were the inertia that of a step's beginning, the rod would spin by 0.8 W within these 5 s. It
 * goes round so whatever holds its hook. */
static inline void run_conical_pendulum(dry_settings settings, bool direct_hook)
{
    const double a = 1, half = 0.22, thin = 0.03, l = 0.25;
    const double across = (half * half + thin * thin) / 3 + l * l, along = 2 * thin * thin / 3;
    const double speed = sqrt(TEST_G * l / ((across - along) * cos(a)));
    settings.substeps = 64;
    dry_world *world = world_with(settings);
    const dry_shape_def shape = box_shape(thin, half, thin);
    dry_body_def body = body_def(
        DRY_BODY_DYNAMIC, (dry_pose){{l * sin(a), -l * cos(a), 0}, quat_about((d3){0, 0, 1}, a)}, &shape);
    body.mass = 1;
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = add_def(world, &body);
    def.body_a = add_hook(world, direct_hook);
    def.anchor_b = v3(0, l, 0);
    join(world, &def);
    set_velocity(world, def.body_b, (d3){0, 0, -speed * l * sin(a)}, (d3){0, speed, 0});
    for (int step = 0; step < 300; step++) {
        run_steps(world, 1, TEST_DT);
        const d3 p = d3_scale(position_of(world, def.body_b), -1 / l), w = spin_of(world, def.body_b);
        assert_near(p.y, cos(a), 0.01);
        assert_near(d3_dot(w, p), speed * cos(a), 0.02 * speed);
    }
    dry_world_destroy(world);
}

#endif
