/* Non-holonomic constraints: a ball that rolls on a turntable, and motors that hold a speed. */
#include "tools/lab/experiments.h"
#include "tools/lab/variants.h"

#include <math.h>
#include <string.h>

const char lab_rolling_text[] =
    "A non-holonomic constraint a . v = 0 forbids a direction of motion, and no position follows from "
    "it: its force is lambda a [Waterson 3.2, 4.81]. Sweeps over velocities have such rows at once; "
    "sweeps over positions take them as the displacement of a step [4.82].\n\n"
    "A solid ball that rolls without slipping on a turntable of speed W is the closed form. Friction f "
    "changes v by f / m and the velocity of the lowest point by f / m (1 + m r^2 / I), and that point "
    "moves with the table: v' (1 + m r^2 / I) = W x v, so that the ball's center goes round a circle, "
    "wherever on the table, with W / (1 + m r^2 / I) = 2/7 W and a speed that stays. The rows have the "
    "mean speed of rotation of the ball's velocity over one such circle as a share of W, and by how much "
    "its speed changed meanwhile. A kinematic box is the table; it turns at 3 rad/s, and a round of the "
    "ball has 440 steps of 1/60 s, or four times as many.\n\n"
    "A contact takes the velocity of a kinematic surface where its patch is in the midst of the step, "
    "and keeps it for the step: the equation of the path is a step of second order by Adams and "
    "Bashforth, which multiplies the speed by 1 + (2/7 W dt)^4 / 4 each time, 5e-6 a round. What is "
    "left is what friction and the springs of contacts do, 1e-4, and 2.6e-3 with one substep. Taken "
    "where the step begins, the velocity would make it an explicit Euler step, sqrt(1 + (2/7 W dt)^2) "
    "each time and 4.6 % a round. A motor that holds the speed of a hinge against a moment that swings "
    "the arm is the other constraint of this kind; positions take it as a displacement of the substep, "
    "whose rounding shows.\n";

static const double pi = 3.14159265358979323846;

static dry_settings settings_of(const lab_variant *method, int substeps)
{
    dry_settings settings = dry_default_settings();
    lab_variant_apply(method, &settings);
    settings.substeps = substeps;
    settings.sleep = false;
    return settings;
}

static dry_body_id add_body(lab_run *run, dry_world *world, dry_body_type type, const dry_shape_def *shape,
                            dry_pose pose, dry_velocity velocity)
{
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.shapes = shape;
    def.shape_count = 1;
    def.pose = pose;
    def.velocity = velocity;
    dry_body_id id;
    lab_check(run, dry_world_create_body(world, &def, &id));
    return id;
}

/* Rolls a ball once round its circle in `count` steps. Writes the path's corners to x and z. */
static void roll(lab_run *run, const lab_variant *method, int substeps, double *x, double *z, int count)
{
    const double w = 3.0, r = 0.25, speed = 1.0, at = 0.5, turn = 2.0 / 7.0 * w;
    const double step = 2.0 * pi / turn / count;
    const dry_settings settings = settings_of(method, substeps);
    dry_world *world = lab_world(run, &settings);
    dry_shape_def table = dry_default_shape_def(), ball = dry_default_shape_def();
    table.half_extents = (dry_vec3){10.0f, 0.5f, 10.0f};
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = (float)r;
    table.friction = ball.friction = 2.0f;
    dry_pose pose = {{0.0, -0.5, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    add_body(run, world, DRY_BODY_KINEMATIC, &table, pose,
             (dry_velocity){{0.0f, 0.0f, 0.0f}, {0.0f, (float)w, 0.0f}});
    /* At (at, r, 0) with the velocity (0, 0, speed); the table's is W x p = (0, 0, -w at). No slip: v + s x
     * (-r y) = W x p, and s x (-r y) = (s_z r, 0, -s_x r). */
    pose.position = (dry_position){at, r, 0.0};
    const dry_body_id id =
        add_body(run, world, DRY_BODY_DYNAMIC, &ball, pose,
                 (dry_velocity){{0.0f, 0.0f, (float)speed}, {(float)((speed + w * at) / r), 0.0f, 0.0f}});
    dry_velocity v;
    double angle = 0.0, before = atan2(0.0, speed);
    for (int i = 0; i < count; i++) {
        lab_check(run, dry_world_step(world, (float)step));
        lab_check(run, dry_body_get_pose(world, id, &pose));
        lab_check(run, dry_body_get_velocity(world, id, &v));
        const double now = atan2((double)v.linear.x, (double)v.linear.z);
        angle += remainder(now - before, 2.0 * pi);
        before = now;
        x[i] = pose.position.x;
        z[i] = pose.position.z;
    }
    const double rate = angle / (count * step) / w;
    const double now = hypot((double)v.linear.x, (double)v.linear.z);
    lab_add(run, "Waterson 3.2", 2.0 / 7.0, 2.0 / 7.0, rate, 0.01,
            "rate of rotation over the table's, %d steps a round, %s, %d substeps", count, method->name,
            substeps);
    lab_add(run, "Waterson 3.2", 0.0, 0.0, now / speed - 1.0, 4e-3,
            "change of speed in one round of %d steps, %s, %d substeps", count, method->name, substeps);
}

/* An arm of 1 m and 10 kg on a hinge, whose motor turns it at 2 rad/s against its weight. */
static void hold_speed(lab_run *run, const lab_variant *method)
{
    const double target = 2.0;
    const dry_settings settings = settings_of(method, 4);
    dry_world *world = lab_world(run, &settings);
    dry_shape_def base = dry_default_shape_def(), arm = dry_default_shape_def();
    arm.half_extents = (dry_vec3){0.5f, 0.05f, 0.05f};
    const dry_velocity still = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    const dry_pose origin = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}},
                   aside = {{0.5, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const dry_body_id a = add_body(run, world, DRY_BODY_STATIC, &base, origin, still);
    const dry_body_id b = add_body(run, world, DRY_BODY_DYNAMIC, &arm, aside, still);
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.body_a = a;
    hinge.body_b = b;
    hinge.anchor_b.x = -0.5f;
    /* The hinge turns about the x axis of its frames: that is the world's z. */
    const float half = (float)sqrt(0.5);
    hinge.orientation_a = hinge.orientation_b = (dry_quat){0.0f, -half, 0.0f, half};
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    hinge.axes[DRY_AXIS_RX].velocity = (float)target;
    lab_check(run, dry_world_create_joint(world, &hinge, &(dry_joint_id){0}));
    double worst = 0.0;
    for (int i = 0; i < 240; i++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(world, b, &v));
        const double off = fabs(fabs((double)v.angular.z) / target - 1.0);
        worst = i > 20 && off > worst ? off : worst;
    }
    lab_add(run, "Waterson 4.82", 0.0, 0.0, worst, 0.01, "speed of a motor, largest share off, %s",
            method->name);
}

static bool direct(int variant)
{
    return lab_variants[variant].joints == DRY_JOINT_SOLVER_DIRECT;
}

void lab_rolling(lab_run *run)
{
    enum { ROUND = 440 };
    static const int substeps[] = {1, 4, 16};
    lab_part(run);
    double *x = lab_doubles(run, 4 * ROUND), *z = lab_doubles(run, 4 * ROUND);
    lab_add_plot(run, "path", "A ball on a turntable of 3 rad/s: the path of its center, 1 substep", "x, m",
                 "z, m");
    for (int m = 0; m < LAB_SOLVERS; m++)
        for (int i = 0; i < 3 && !direct(m); i++) {
            roll(run, &lab_variants[m], substeps[i], x, z, ROUND);
            if (i == 0)
                lab_add_curve(run, lab_variants[m].name, x, z, ROUND);
        }
    for (int m = 0; m < LAB_SOLVERS; m++)
        if (!direct(m))
            roll(run, &lab_variants[m], 1, x, z, 4 * ROUND);
    lab_part(run);
    for (int m = 0; m < LAB_SOLVERS; m++)
        hold_speed(run, &lab_variants[m]);
}
