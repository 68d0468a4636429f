/* Makes rigs whose motion, energy or force is known in closed form.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/joints/makers.h"

enum { APART = -1 };

static const dry_point toward = {0.0, 0.0, 1.0};

static void weightless(maker *m)
{
    m->scene->gravity = (dry_vec3){0};
}

static dry_link add_box_link(maker *m, dry_body_type type, dry_point at, dry_shape_def shape, int group)
{
    char id[24];
    snprintf(id, sizeof id, "b%d", ++m->cubes);
    const dry_link link = dry_link_add(m, id, type, at, DRY_UPRIGHT);
    dry_link_shape(m, shape, (dry_point){0}, group);
    return link;
}

static dry_shape_def sphere_of(double radius)
{
    dry_shape_def sphere = shape_of(DRY_SHAPE_SPHERE);
    sphere.radius = (float)radius;
    return sphere;
}

/* Adds rods of one mass in a horizontal row from the world, each on a hinge about z. */
static void add_rods(maker *m, int count, double mass, dry_joint_def hinge)
{
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i < count; i++) {
        const dry_point from = {DRY_ROD_M * i, 0.0, 0.0}, to = {DRY_ROD_M * (i + 1), 0.0, 0.0};
        const dry_link rod = dry_link_bar(m, from, to, 0.03, APART);
        dry_link_mass(m, &rod, mass);
        dry_link_join(m, hinge, &before, &rod, from, dry_rotation_toward(toward));
        before = rod;
    }
}

/* Makes an arm of `size` rods of 2 kg whose motors hold its pose: as stiff as the solver chooses if `value`
 * is 0, else at `value` Hz. */
void dry_make_arm(maker *m, const dry_joint_setup *setup)
{
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_POSITION;
    hinge.axes[DRY_AXIS_RX].motor_hertz = (float)setup->value;
    add_rods(m, setup->size, 2.0, hinge);
}

/* Makes `size` rods of 1 kg that are let go horizontally. */
void dry_make_swinging_rods(maker *m, const dry_joint_setup *setup)
{
    add_rods(m, setup->size, 1.0, dry_default_joint_def(DRY_JOINT_HINGE));
}

/* Makes a crank, a rod and a piston in one plane, driven at `value` rpm. They begin at the dead center with
 * that speed. */
void dry_make_crank(maker *m, const dry_joint_setup *setup)
{
    const double speed = setup->value * 6.283185307179586 / 60.0;
    const dry_point pin = {DRY_CRANK_M, 0.0, 0.0}, wrist = {DRY_CRANK_M + DRY_CONROD_M, 0.0, 0.0};
    weightless(m);
    const dry_link world = DRY_WORLD_LINK;
    const dry_link crank = dry_link_bar(m, (dry_point){0}, pin, 0.01, APART);
    dry_link_mass(m, &crank, DRY_CRANK_KG);
    dry_link_spin(m, &crank, (dry_point){0}, (dry_point){0.0, 0.0, speed});
    const dry_link rod = dry_link_bar(m, pin, wrist, 0.01, APART);
    dry_link_mass(m, &rod, DRY_CONROD_KG);
    dry_link_spin(m, &rod, wrist, (dry_point){0.0, 0.0, -speed * DRY_CRANK_M / DRY_CONROD_M});
    const dry_link piston = add_box_link(m, DRY_BODY_DYNAMIC, wrist, box_of(0.02f, 0.02f, 0.02f), APART);
    dry_link_mass(m, &piston, DRY_PISTON_KG);
    dry_joint_def motor = dry_default_joint_def(DRY_JOINT_HINGE);
    motor.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    motor.axes[DRY_AXIS_RX].velocity = (float)speed;
    dry_link_join(m, motor, &world, &crank, (dry_point){0}, dry_rotation_toward(toward));
    dry_link_hinge(m, &crank, &rod, pin);
    dry_link_hinge(m, &rod, &piston, wrist);
    dry_link_join(m, dry_default_joint_def(DRY_JOINT_SLIDER), &world, &piston, wrist, DRY_UPRIGHT);
}

/* Makes a cube of 2 m with `size` cubes of 0.2 m around it, each on a ball joint at its center. All joints
 * are closed, and all bodies fall. The cubes lie on a spiral of Fibonacci, evenly on a sphere of 0.35
 * sqrt(size) + 2 m. */
void dry_make_hub(maker *m, const dry_joint_setup *setup)
{
    const double cosine = -0.73736887807831985, sine = 0.67549029426152364; /* of the golden angle */
    const double radius = 0.35 * sqrt((double)setup->size) + 2.0;
    const dry_link hub = add_box_link(m, DRY_BODY_DYNAMIC, (dry_point){0}, box_of(1.0f, 1.0f, 1.0f), APART);
    double x = 1.0, z = 0.0;
    for (int i = 0; i < setup->size; i++) {
        const double y = 1.0 - (2.0 * i + 1.0) / setup->size, r = sqrt(1.0 - y * y);
        const dry_point out = {r * x, y, r * z};
        const dry_point at = {radius * out.x, radius * out.y, radius * out.z};
        const dry_link cube = add_box_link(m, DRY_BODY_DYNAMIC, at, box_of(0.1f, 0.1f, 0.1f), APART);
        dry_link_ball(m, &hub, &cube, at);
        const double next = cosine * x - sine * z, length = sqrt(x * x + z * z);
        z = (sine * x + cosine * z) / length;
        x = next / length;
    }
}

/* Adds a chain of spheres on critically damped springs below a trolley. Each spring already bears what hangs
 * on it. */
static void add_springs(maker *m, const dry_joint_setup *setup, double trolley_speed, double chain_speed)
{
    const double k = setup->value, weight = DRY_SPRING_KG * (double)-m->scene->gravity.y;
    const dry_link trolley =
        add_box_link(m, DRY_BODY_KINEMATIC, (dry_point){0}, box_of(0.1f, 0.1f, 0.1f), APART);
    dry_link_move(m, &trolley, (dry_point){trolley_speed, 0.0, 0.0}, (dry_point){0});
    dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
    spring.length = (float)DRY_SPRING_M;
    spring.stiffness = (float)k;
    spring.damping = (float)(2.0 * sqrt(k * DRY_SPRING_KG));
    dry_link before = trolley;
    double y = 0.0;
    for (int i = 0; i < setup->size; i++) {
        y -= DRY_SPRING_M + weight * (setup->size - i) / k;
        const dry_link ball =
            add_box_link(m, DRY_BODY_DYNAMIC, (dry_point){0.0, y, 0.0}, sphere_of(0.1), APART);
        dry_link_mass(m, &ball, DRY_SPRING_KG);
        dry_link_move(m, &ball, (dry_point){chain_speed, 0.0, 0.0}, (dry_point){0});
        add_joint(m, spring, before.body, ball.body);
        before = ball;
    }
}

/* Makes `size` springs of `value` N/m that hang at rest. */
void dry_make_springs_at_rest(maker *m, const dry_joint_setup *setup)
{
    add_springs(m, setup, 0.0, 0.0);
}

/* Makes the same springs under a trolley that moves at 1 m/s, and move with it. */
void dry_make_springs_riding(maker *m, const dry_joint_setup *setup)
{
    add_springs(m, setup, 1.0, 1.0);
}

/* Makes the same springs at rest under a trolley that begins to move at 1 m/s. */
void dry_make_springs_jerked(maker *m, const dry_joint_setup *setup)
{
    add_springs(m, setup, 1.0, 0.0);
}

/* Makes `size` links of 1 kg, each touching the next, with a cube of 1,000 kg at their end, let go
 * horizontally. */
void dry_make_touching_links(maker *m, const dry_joint_setup *setup)
{
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.collide = true;
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i <= setup->size; i++) {
        const bool load = i == setup->size;
        const double half = load ? 0.5 : 0.25, from = 0.5 * i;
        const dry_shape_def shape = load ? box_of(0.5f, 0.5f, 0.5f) : box_of(0.25f, 0.05f, 0.05f);
        const dry_link link = add_box_link(m, DRY_BODY_DYNAMIC, (dry_point){from + half, 0.0, 0.0}, shape, 0);
        dry_link_mass(m, &link, load ? 1000.0 : 1.0);
        dry_link_join(m, ball, &before, &link, (dry_point){from, 0.0, 0.0}, DRY_UPRIGHT);
        before = link;
    }
}

/* Makes two plates, each held to the world by a fixed joint, and a ball of 5 kg that meets each at 10 m/s
 * after 4 + `value` steps. One joint breaks at DRY_IMPACT_FORCE_N, and the other raises an event. */
void dry_make_impact(maker *m, const dry_joint_setup *setup)
{
    const double speed = 10.0, mass = DRY_IMPACT_NS / speed, radius = 0.1, thickness = 0.2;
    const double away = speed * (double)m->scene->dt * (4.0 + setup->value);
    weightless(m);
    const dry_link world = DRY_WORLD_LINK;
    for (int i = 0; i < 2; i++) {
        const dry_point at = {0.0, 10.0 * i, 0.0};
        const dry_link plate =
            add_box_link(m, DRY_BODY_DYNAMIC, at, box_of((float)(0.5 * thickness), 0.5f, 0.5f), 0);
        dry_link_mass(m, &plate, 50.0);
        dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
        fixed.break_force = i == 0 ? (float)DRY_IMPACT_FORCE_N : 0.0f;
        fixed.event_force = i == 1 ? (float)DRY_IMPACT_FORCE_N : 0.0f;
        dry_link_join(m, fixed, &world, &plate, at, DRY_UPRIGHT);
        const dry_point start = {at.x - 0.5 * thickness - radius - away, at.y, at.z};
        const dry_link ball = add_box_link(m, DRY_BODY_DYNAMIC, start, sphere_of(radius), 0);
        dry_link_mass(m, &ball, mass);
        dry_link_move(m, &ball, (dry_point){speed, 0.0, 0.0}, (dry_point){0});
    }
}

/* Makes two cubes in space on a ball joint that begins `value` m open. */
void dry_make_open_joint(maker *m, const dry_joint_setup *setup)
{
    weightless(m);
    dry_link cubes[2];
    for (int i = 0; i < 2; i++)
        cubes[i] = add_box_link(m, DRY_BODY_DYNAMIC, (dry_point){(1.0 + setup->value) * i, 0.0, 0.0},
                                box_of(0.5f, 0.5f, 0.5f), 0);
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.anchor_a = (dry_vec3){0.5f, 0.0f, 0.0f};
    ball.anchor_b = (dry_vec3){-0.5f, 0.0f, 0.0f};
    add_joint(m, ball, cubes[0].body, cubes[1].body);
}

/* Makes a rod on a hinge whose motor is told to rotate it by DRY_SERVO_RAD at DRY_SERVO_HERTZ. */
void dry_make_servo(maker *m, const dry_joint_setup *setup)
{
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_POSITION;
    hinge.axes[DRY_AXIS_RX].position = (float)DRY_SERVO_RAD;
    hinge.axes[DRY_AXIS_RX].motor_hertz = (float)DRY_SERVO_HERTZ;
    hinge.axes[DRY_AXIS_RX].motor_damping_ratio = (float)DRY_SERVO_RATIO;
    weightless(m);
    add_rods(m, setup->size, 2.0, hinge);
}
