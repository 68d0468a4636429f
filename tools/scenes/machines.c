/* Makes scenes of machines and figures, whose joints have motors, stops, springs and friction.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/linkages.h"
#include "tools/scenes/links.h"

#include <math.h>

/* A motor to a position is as stiff as its frequency makes it on all that it moves; in a loop, on the bodies
 * of its joint alone, which are light here. Much damping lets what hangs on them follow without swinging. */
static void soften(dry_joint_def *def, dry_axis axis, double hertz, double damping_ratio)
{
    def->axes[axis].motor_hertz = (float)hertz;
    def->axes[axis].motor_damping_ratio = (float)damping_ratio;
}

/* Sets the stops of an axis. */
static void limit(dry_joint_def *def, dry_axis axis, double min, double max)
{
    def->axes[axis].min = (float)min;
    def->axes[axis].max = (float)max;
}

static void drive(dry_joint_def *def, dry_axis axis, dry_motor motor, double target, double force_max)
{
    def->axes[axis].motor = motor;
    if (motor == DRY_MOTOR_VELOCITY)
        def->axes[axis].velocity = (float)target;
    else
        def->axes[axis].position = (float)target;
    def->axes[axis].force_max = (float)force_max;
}

static const dry_point right = {1.0, 0.0, 0.0}, up = {0.0, 1.0, 0.0}, down = {0.0, -1.0, 0.0},
                       toward = {0.0, 0.0, 1.0};

static dry_link add_box_at(maker *m, const char *id, dry_point at, dry_shape_def shape, int group)
{
    const dry_link link = dry_link_add(m, id, DRY_BODY_DYNAMIC, at, DRY_UPRIGHT);
    dry_link_shape(m, shape, (dry_point){0}, group);
    return link;
}

/* Adds a part of a figure. Nothing rubs in its joints, and what hangs free of the pile would swing for
 * minutes: air and flesh damp it. */
static dry_link add_part(maker *m, dry_point at, dry_shape_def shape)
{
    const dry_link link = add_box_at(m, NULL, at, shape, 0);
    m->scene->bodies[link.body].def.linear_damping = 1.0f;
    m->scene->bodies[link.body].def.angular_damping = 1.0f;
    return link;
}

/* Joins two parts of a figure by a ball joint with a largest swing from `axis` and a largest twist about it.
 */
static void add_cone(maker *m, const dry_link *a, const dry_link *b, dry_point at, dry_point axis,
                     double swing_max, double twist_max)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
    def.swing_max = (float)swing_max;
    limit(&def, DRY_AXIS_RX, -twist_max, twist_max);
    dry_link_join(m, def, a, b, at, dry_rotation_toward(axis));
}

/* Joins two parts by a hinge about `axis` with stops. */
static void add_limited_hinge(maker *m, const dry_link *a, const dry_link *b, dry_point at, dry_point axis,
                              double min, double max)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    limit(&def, DRY_AXIS_RX, min, max);
    dry_link_join(m, def, a, b, at, dry_rotation_toward(axis));
}

/* Adds a figure of 1.84 m that stands on `at` and faces z: 15 bodies, 8 hinges, 6 cone-twist joints, 58
 * rows. */
static void add_ragdoll(maker *m, dry_point at)
{
    const double x = at.x, y = at.y, z = at.z;
    const dry_link pelvis = add_part(m, (dry_point){x, y + 1.02, z}, box_of(0.15f, 0.09f, 0.09f));
    const dry_link chest = add_part(m, (dry_point){x, y + 1.35, z}, box_of(0.17f, 0.2f, 0.1f));
    dry_shape_def skull = shape_of(DRY_SHAPE_SPHERE);
    skull.radius = 0.12f;
    const dry_link head = add_part(m, (dry_point){x, y + 1.72, z}, skull);
    add_cone(m, &pelvis, &chest, (dry_point){x, y + 1.13, z}, up, 0.4, 0.5);
    add_cone(m, &chest, &head, (dry_point){x, y + 1.58, z}, up, 0.5, 0.8);
    for (int side = -1; side <= 1; side += 2) {
        const double arm_x = x + 0.23 * side, leg_x = x + 0.1 * side;
        const dry_link arm = add_part(m, (dry_point){arm_x, y + 1.36, z}, capsule_of(0.045f, 0.1f));
        const dry_link forearm = add_part(m, (dry_point){arm_x, y + 1.09, z}, capsule_of(0.04f, 0.09f));
        const dry_link hand = add_part(m, (dry_point){arm_x, y + 0.88, z}, box_of(0.02f, 0.07f, 0.04f));
        const dry_link thigh = add_part(m, (dry_point){leg_x, y + 0.71, z}, capsule_of(0.065f, 0.15f));
        const dry_link shin = add_part(m, (dry_point){leg_x, y + 0.29, z}, capsule_of(0.05f, 0.15f));
        const dry_link foot =
            add_part(m, (dry_point){leg_x, y + 0.04, z + 0.05}, box_of(0.045f, 0.035f, 0.11f));
        add_cone(m, &chest, &arm, (dry_point){arm_x, y + 1.5, z}, down, 1.4, 0.8);
        add_cone(m, &pelvis, &thigh, (dry_point){leg_x, y + 0.93, z}, down, 0.9, 0.4);
        /* About x, a positive angle brings what hangs down backward. */
        add_limited_hinge(m, &arm, &forearm, (dry_point){arm_x, y + 1.22, z}, right, -2.3, 0.0);
        add_limited_hinge(m, &forearm, &hand, (dry_point){arm_x, y + 0.96, z}, right, -0.8, 0.8);
        add_limited_hinge(m, &thigh, &shin, (dry_point){leg_x, y + 0.5, z}, right, 0.0, 2.3);
        add_limited_hinge(m, &shin, &foot, (dry_point){leg_x, y + 0.08, z}, right, -0.6, 0.6);
    }
}

/* Drops figures and ten boxes for each into a bin, in turns: a layer of figures, then their boxes. */
void dry_make_ragdolls(maker *m, int size)
{
    const double box_pitch = 0.55; /* more than the diagonal of a box of 0.3 m */
    int side = 2;
    while (0.3 * side * side * side < 0.35 * size)
        side++;
    const double half = 0.5 * side;
    const int layers = (size + side * side - 1) / (side * side), across = (int)(side / box_pitch),
              box_layers = (10 * side * side + across * across - 1) / (across * across);
    const double layer = 2.0 + box_pitch * box_layers;
    add_floor(m, half + 2.0, half + 2.0);
    add_walls(m, half, 0.5 * (layer * layers + 1.0));
    for (int i = 0; i < size; i++) {
        const int column = i % side, row = i / side % side;
        const double low = 0.1 + layer * (i / (side * side));
        add_ragdoll(m, (dry_point){column + 0.5 - half, low, row + 0.5 - half});
        for (int k = 0; k < 10; k++) {
            const int place = 10 * (i % (side * side)) + k;
            const int box = add_next(m, box_pitch * (place % across - 0.5 * (across - 1)),
                                     low + 2.0 + box_pitch * (place / (across * across)),
                                     box_pitch * (place / across % across - 0.5 * (across - 1)));
            turn(m, box);
            add_box(m, 0.15f, 0.15f, 0.15f);
        }
    }
}

/* Makes doors in a row, each with a closer (a spring with damping), stops, and a handle with a spring of its
 * own. A ball flies at each. 3 bodies and a frame, 2 hinges, 10 rows. */
void dry_make_door(maker *m, int size)
{
    add_floor(m, size + 5.0, 10.0);
    for (int i = 0; i < size; i++) {
        const double x = 2.0 * (i - 0.5 * (size - 1));
        char id[24];
        snprintf(id, sizeof id, "frame%d", i + 1);
        const dry_link frame = dry_link_add(m, id, DRY_BODY_STATIC, (dry_point){x, 0.0, 0.0}, DRY_UPRIGHT);
        for (int side = -1; side <= 1; side += 2)
            dry_link_shape(m, box_of(0.05f, 1.1f, 0.06f), (dry_point){0.53 * side, 1.1, 0.0}, 0);
        dry_link_shape(m, box_of(0.48f, 0.05f, 0.06f), (dry_point){0.0, 2.15, 0.0}, 0);
        const dry_link door = add_box_at(m, NULL, (dry_point){x, 1.04, 0.0}, box_of(0.45f, 1.0f, 0.02f), 0);
        const dry_link handle =
            add_box_at(m, NULL, (dry_point){x + 0.33, 1.0, -0.05}, box_of(0.06f, 0.01f, 0.01f), 0);
        dry_shape_def ball = shape_of(DRY_SHAPE_SPHERE);
        ball.radius = 0.15f;
        const dry_link missile = add_box_at(m, NULL, (dry_point){x + 0.2, 1.5, -1.5}, ball, 0);
        dry_link_move(m, &missile, (dry_point){0.0, 0.0, 5.0}, (dry_point){0});
        dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
        limit(&hinge, DRY_AXIS_RX, -1.9, 0.0); /* opens along z */
        hinge.axes[DRY_AXIS_RX].stiffness = 30.0f;
        hinge.axes[DRY_AXIS_RX].damping = 20.0f;
        hinge.axes[DRY_AXIS_RX].friction = 0.5f;
        dry_link_join(m, hinge, &frame, &door, (dry_point){x - 0.45, 1.04, 0.0}, dry_rotation_toward(up));
        dry_joint_def latch = dry_default_joint_def(DRY_JOINT_HINGE);
        limit(&latch, DRY_AXIS_RX, -0.8, 0.8);
        latch.axes[DRY_AXIS_RX].stiffness = 2.0f;
        latch.axes[DRY_AXIS_RX].damping = 0.05f;
        dry_link_join(m, latch, &door, &handle, (dry_point){x + 0.38, 1.0, -0.05},
                      dry_rotation_toward(toward));
    }
}

/* Makes spring boards side by side: five planks in a row, each fixed to the one before by a joint that bends,
 * and a ball that falls on the last. As one beam of stiffness E I a board of length L under F at its end
 * would bend by F L^3 / 3 E I: a joint's angular stiffness is E I over the length of a plank. 6 bodies and a
 * post, 5 joints, 15 rows. */
void dry_make_springboard(maker *m, int size)
{
    const double plank = 0.6, bend_Nm2 = 4e4;
    add_floor(m, size + 5.0, 10.0);
    for (int i = 0; i < size; i++) {
        const double x = 1.5 * (i - 0.5 * (size - 1)), y = 2.0;
        char id[24];
        snprintf(id, sizeof id, "post%d", i + 1);
        dry_link before = dry_link_add(m, id, DRY_BODY_STATIC, (dry_point){x, 0.5 * y, -0.25}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(0.3f, (float)(0.5 * y), 0.25f), (dry_point){0}, 0);
        for (int k = 0; k < 5; k++) {
            const dry_link next = add_box_at(m, NULL, (dry_point){x, y, (k + 0.5) * plank},
                                             box_of(0.25f, 0.02f, (float)(0.5 * plank)), -1 - i);
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
            def.angular_stiffness = (float)(bend_Nm2 / plank);
            def.angular_damping = 0.005f * def.angular_stiffness;
            dry_link_join(m, def, &before, &next, (dry_point){x, y, k * plank}, DRY_UPRIGHT);
            before = next;
        }
        dry_shape_def ball = shape_of(DRY_SHAPE_SPHERE);
        ball.radius = 0.15f;
        add_box_at(m, NULL, (dry_point){x, y + 1.0, 4.5 * plank}, ball, 0);
    }
}

/* Adds a wheel of this radius, a ball that touches nothing of its group, on a hinge about z. */
static dry_link add_wheel(maker *m, const dry_link *frame, dry_joint_def hinge, dry_point at, double radius,
                          int group)
{
    dry_shape_def shape = shape_of(DRY_SHAPE_SPHERE);
    shape.radius = (float)radius;
    const dry_link wheel = add_box_at(m, NULL, at, shape, group);
    dry_link_join(m, hinge, frame, &wheel, at, dry_rotation_toward(toward));
    return wheel;
}

/* Adds teeth between two bodies, at their centers. The x of both frames is z of the world. */
static void add_teeth(maker *m, dry_joint_def def, const dry_link *a, const dry_link *b, dry_quat frame_a,
                      dry_quat frame_b)
{
    def.orientation_a = frame_a;
    def.orientation_b = frame_b;
    add_joint(m, def, a->body, b->body);
}

/* Makes hoists side by side: a wheel that a motor turns, one of twice its teeth, and on that a pinion that
 * lifts a rack of 20 kg up to a stop. 3 bodies and a frame, 5 joints, 17 rows. */
void dry_make_hoist(maker *m, int size)
{
    const dry_quat right_of_z = {-0.5f, -0.5f, -0.5f, 0.5f}, left_of_z = {0.5f, -0.5f, 0.5f, 0.5f};
    const dry_quat up_of_z = {0.0f, -0.70710678f, 0.0f, 0.70710678f}; /* where its y is */
    add_floor(m, 2.0 * size + 5.0, 10.0);
    for (int i = 0; i < size; i++) {
        const double x = 3.0 * (i - 0.5 * (size - 1)), y = 1.5, pinion = 0.15;
        char id[24];
        snprintf(id, sizeof id, "frame%d", i + 1);
        const dry_link frame = dry_link_add(m, id, DRY_BODY_STATIC, (dry_point){x, y, -0.6}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(1.0f, (float)y, 0.1f), (dry_point){0}, -1 - i);
        dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
        drive(&hinge, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, -4.0, 60.0);
        const dry_link small = add_wheel(m, &frame, hinge, (dry_point){x - 0.6, y, 0.0}, 0.2, -1 - i);
        const dry_link large =
            add_wheel(m, &frame, dry_default_joint_def(DRY_JOINT_HINGE), (dry_point){x, y, 0.0}, 0.4, -1 - i);
        dry_joint_def gear = dry_default_joint_def(DRY_JOINT_GEAR);
        gear.teeth_b = 2.0f;
        add_teeth(m, gear, &small, &large, right_of_z, left_of_z);
        const dry_link load =
            add_box_at(m, NULL, (dry_point){x + pinion + 0.05, y, 0.0}, box_of(0.05f, 1.0f, 0.05f), -1 - i);
        dry_joint_def slider = dry_default_joint_def(DRY_JOINT_SLIDER);
        limit(&slider, DRY_AXIS_X, -0.2, 0.8);
        dry_link_join(m, slider, &frame, &load, load.at, dry_rotation_toward(up));
        dry_joint_def rack = dry_default_joint_def(DRY_JOINT_RACK);
        rack.radius = (float)pinion;
        add_teeth(m, rack, &large, &load, up_of_z, up_of_z);
    }
}

/* Makes vehicles side by side: a chassis on four wheels with springs, the front ones steered, the rear ones
 * driven along z over bumps. 5 bodies, 4 joints, 14 rows. */
void dry_make_vehicle(maker *m, int size)
{
    const double half_x = 2.5 * size + 20.0;
    add_floor(m, half_x, 100.0);
    for (int i = 0; i < 5; i++) {
        char id[24];
        snprintf(id, sizeof id, "bump%d", i + 1);
        dry_link_add(m, id, DRY_BODY_STATIC, (dry_point){0.0, -0.05, 4.0 + 4.0 * i}, DRY_UPRIGHT);
        dry_link_shape(m, box_of((float)half_x, 0.1f, 0.15f), (dry_point){0}, 0);
    }
    for (int i = 0; i < size; i++) {
        const double x = 5.0 * (i - 0.5 * (size - 1)), radius = 0.35;
        const dry_link chassis =
            add_box_at(m, NULL, (dry_point){x, 0.8, 0.0}, box_of(0.7f, 0.25f, 1.5f), -1 - i);
        dry_link_mass(m, &chassis, 1200.0);
        for (int k = 0; k < 4; k++) {
            const bool front = k < 2;
            const dry_point at = {x + (k % 2 ? 0.85 : -0.85), radius + 0.05, front ? 1.1 : -1.1};
            dry_shape_def tire = shape_of(DRY_SHAPE_SPHERE);
            tire.radius = (float)radius;
            tire.friction = 1.0f;
            const dry_link wheel = add_box_at(m, NULL, at, tire, -1 - i);
            dry_link_mass(m, &wheel, 25.0);
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_WHEEL);
            limit(&def, DRY_AXIS_Y, -0.15, 0.15);
            def.axes[DRY_AXIS_Y].stiffness = 4e4f;
            def.axes[DRY_AXIS_Y].damping = 3e3f;
            def.axes[DRY_AXIS_Y].rest = -0.07f;
            if (front) {
                limit(&def, DRY_AXIS_RY, -0.6, 0.6);
                drive(&def, DRY_AXIS_RY, DRY_MOTOR_POSITION, 0.1, 2e3);
                soften(&def, DRY_AXIS_RY, 3.0, 1.0);
            } else {
                drive(&def, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 12.0, 400.0);
            }
            dry_link_join(m, def, &chassis, &wheel, at, DRY_UPRIGHT);
        }
    }
}

/* Makes a tower crane with a rope of `size` links and a load of 1,000 links' mass: a jib that a motor slews
 * between stops, and a trolley that a motor draws in. 3 + n bodies and a tower, 13 + 3 n rows. */
void dry_make_crane(maker *m, int size)
{
    const double pitch = 0.5, height = pitch * size + 4.0, out = 8.0;
    const dry_point top = {0.0, height, 0.0};
    add_floor(m, 30.0, 30.0);
    const dry_link tower =
        dry_link_add(m, "tower", DRY_BODY_STATIC, (dry_point){0.0, 0.5 * height - 0.25, 0.0}, DRY_UPRIGHT);
    dry_link_shape(m, box_of(0.5f, (float)(0.5 * height - 0.25), 0.5f), (dry_point){0}, -1);
    const dry_link jib = add_box_at(m, "jib", top, box_of(0.5f, 0.2f, 0.5f), -1);
    dry_link_shape(m, box_of(6.5f, 0.15f, 0.2f), (dry_point){3.5, 0.0, 0.0}, -1);
    dry_link_shape(m, box_of(0.5f, 0.5f, 0.5f), (dry_point){-2.5, -0.25, 0.0}, -1);
    const dry_link trolley =
        add_box_at(m, "trolley", (dry_point){out, height - 0.25, 0.0}, box_of(0.25f, 0.1f, 0.25f), -1);
    dry_joint_def slew = dry_default_joint_def(DRY_JOINT_HINGE);
    limit(&slew, DRY_AXIS_RX, -2.0, 2.0);
    drive(&slew, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 0.3, 2e5);
    dry_link_join(m, slew, &tower, &jib, top, dry_rotation_toward(up));
    dry_joint_def draw_in = dry_default_joint_def(DRY_JOINT_SLIDER);
    limit(&draw_in, DRY_AXIS_X, -5.0, 1.0);
    drive(&draw_in, DRY_AXIS_X, DRY_MOTOR_POSITION, -4.0, 2e4);
    soften(&draw_in, DRY_AXIS_X, 2.0, 10.0);
    dry_link_join(m, draw_in, &jib, &trolley, trolley.at, DRY_UPRIGHT);
    dry_link before = trolley;
    for (int i = 0; i <= size; i++) {
        const dry_point hook = {out, height - 0.5 - pitch * i, 0.0};
        const double below = i < size ? 0.5 * pitch : 0.5;
        const dry_link link =
            add_box_at(m, NULL, dry_point_add(hook, (dry_point){0.0, -below, 0.0}),
                       i < size ? box_of(0.03f, 0.22f, 0.03f) : box_of(0.5f, 0.5f, 0.5f), -1);
        dry_link_mass(m, &link, i < size ? 1.0 : 1000.0);
        dry_link_ball(m, &before, &link, hook);
        before = link;
    }
}

/* Adds a hydraulic cylinder from a point of one body to a point of another one: a barrel and a rod, and a
 * slider with stops, whose motor changes its length by `stroke`. */
static void add_cylinder(maker *m, const dry_link *a, dry_point from, const dry_link *b, dry_point to,
                         double stroke, int group)
{
    const dry_point middle = dry_point_between(from, to);
    const dry_link barrel = dry_link_bar(m, from, dry_point_between(middle, to), 0.07, group);
    const dry_link rod = dry_link_bar(m, dry_point_between(from, middle), to, 0.04, group);
    const double reach = 0.3 * dry_point_distance(from, to);
    dry_joint_def slider = dry_default_joint_def(DRY_JOINT_SLIDER);
    limit(&slider, DRY_AXIS_X, -reach, reach);
    drive(&slider, DRY_AXIS_X, DRY_MOTOR_POSITION, stroke, 3e5);
    soften(&slider, DRY_AXIS_X, 50.0, 30.0);
    dry_link_hinge(m, a, &barrel, from);
    dry_link_hinge(m, b, &rod, to);
    dry_link_join(m, slider, &barrel, &rod, middle, barrel.rotation);
}

/* Makes excavators side by side: tracks, a house that a motor slews, boom, stick and bucket, and three
 * cylinders that move them, each of which closes a loop. 11 bodies, 13 joints, 65 rows, 3 of each loop
 * redundant. */
void dry_make_excavator(maker *m, int size)
{
    add_floor(m, 20.0, 8.0 * size + 20.0);
    for (int i = 0; i < size; i++) {
        const double z = 16.0 * (i - 0.5 * (size - 1));
        const int group = -1 - i;
        const dry_point slew_at = {0.0, 0.7, z}, foot = {0.6, 1.2, z}, knee = {3.5, 3.3, z};
        const dry_point top = {3.1, 3.9, z}, wrist = {4.3, 1.5, z}, tip = {4.8, 0.9, z}, ear = {4.6, 1.8, z};
        const dry_link tracks =
            add_box_at(m, NULL, (dry_point){0.0, 0.36, z}, box_of(1.75f, 0.35f, 1.25f), group);
        dry_link_mass(m, &tracks, 8000.0);
        const dry_link house =
            add_box_at(m, NULL, (dry_point){-0.3, 1.3, z}, box_of(1.25f, 0.5f, 1.0f), group);
        dry_link_mass(m, &house, 5000.0);
        const dry_link boom = dry_link_bar(m, foot, knee, 0.18, group);
        const dry_point stick_along = {wrist.x - top.x, wrist.y - top.y, 0.0};
        const dry_link stick = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, dry_point_between(top, wrist),
                                            dry_rotation_toward(stick_along));
        dry_link_edge(m, &stick, top, knee, 0.12, group);
        dry_link_edge(m, &stick, knee, wrist, 0.12, group);
        const dry_link bucket = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, wrist, DRY_UPRIGHT);
        dry_link_edge(m, &bucket, wrist, tip, 0.3, group);
        dry_link_edge(m, &bucket, wrist, ear, 0.06, group);

        dry_joint_def slew = dry_default_joint_def(DRY_JOINT_HINGE);
        drive(&slew, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 0.3, 5e4);
        dry_link_join(m, slew, &tracks, &house, slew_at, dry_rotation_toward(up));
        dry_link_hinge(m, &house, &boom, foot);
        dry_link_hinge(m, &boom, &stick, knee);
        dry_link_hinge(m, &stick, &bucket, wrist);
        add_cylinder(m, &house, (dry_point){0.9, 0.95, z}, &boom, (dry_point){2.1, 2.2, z}, 0.2, group);
        add_cylinder(m, &boom, (dry_point){1.9, 2.6, z}, &stick, top, -0.2, group);
        add_cylinder(m, &stick, (dry_point){3.65, 3.2, z}, &bucket, ear, 0.1, group);
    }
}
