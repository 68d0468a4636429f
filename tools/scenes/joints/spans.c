/* Makes chains, grids and bridges: joints of one type in a row, between fixed points or from one.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/joints/makers.h"

#define ROOT_HALF 0.70710678118654752

/* Bodies of one group do not touch. */
enum { APART = -1 };

static const dry_point down = {0.0, -1.0, 0.0}, right = {1.0, 0.0, 0.0}, toward = {0.0, 0.0, 1.0};

/* Returns a capsule whose segment lies along x. */
static dry_shape_def lying_capsule(double radius, double half_length)
{
    dry_shape_def shape = capsule_of((float)radius, (float)half_length);
    shape.pose.orientation = (dry_quat){0.0f, 0.0f, -(float)ROOT_HALF, (float)ROOT_HALF};
    return shape;
}

static dry_point along(dry_point from, dry_point direction, double distance)
{
    return (dry_point){from.x + distance * direction.x, from.y + distance * direction.y,
                       from.z + distance * direction.z};
}

/* Makes size x size spheres of 0.4 m radius every meter, each joined to its neighbors by ball joints. The
 * spheres of the uppermost row are static. */
void dry_make_joint_grid(maker *m, const dry_joint_setup *setup)
{
    const int n = setup->size;
    dry_shape_def sphere = shape_of(DRY_SHAPE_SPHERE);
    sphere.radius = 0.4f;
    for (int k = 0; k < n; k++) {
        dry_link above = DRY_WORLD_LINK;
        for (int i = 0; i < n; i++) {
            const dry_point at = {(double)k, (double)-i, 0.0};
            const dry_link ball =
                dry_link_add(m, NULL, i == 0 ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, at, DRY_UPRIGHT);
            dry_link_shape(m, sphere, (dry_point){0}, APART);
            if (i > 0)
                dry_link_ball(m, &above, &ball, (dry_point){at.x, at.y + 0.5, 0.0});
            if (i > 0 && k > 0) {
                const dry_link beside = {ball.body - n, {at.x - 1.0, at.y, 0.0}, DRY_UPRIGHT};
                dry_link_ball(m, &beside, &ball, (dry_point){at.x - 0.5, at.y, 0.0});
            }
            above = ball;
        }
    }
}

/* Gives the axes of rotation of a cone-twist joint one dry friction. */
static void rub(dry_joint_def *def, double friction_Nm)
{
    for (int axis = DRY_AXIS_RX; axis <= DRY_AXIS_RZ; axis++)
        def->axes[axis].friction = (float)friction_Nm;
}

/* Makes a chain of `size` capsules of 1 m and 57 kg on cone-twist joints with friction, with a sphere of 2 m
 * radius and 33.5 t at its end, let go horizontally. */
void dry_make_ball_and_chain(maker *m, const dry_joint_setup *setup)
{
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
    rub(&joint, 10.0);
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i < setup->size; i++) {
        const dry_link link =
            dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){i + 0.5, 0.0, 0.0}, DRY_UPRIGHT);
        dry_link_shape(m, lying_capsule(0.125, 0.5), (dry_point){0}, 0);
        dry_link_join(m, joint, &before, &link, (dry_point){(double)i, 0.0, 0.0}, DRY_UPRIGHT);
        before = link;
    }
    const dry_link ball =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){setup->size + 2.0, 0.0, 0.0}, DRY_UPRIGHT);
    dry_shape_def sphere = shape_of(DRY_SHAPE_SPHERE);
    sphere.radius = 2.0f;
    dry_link_shape(m, sphere, (dry_point){0}, 0);
    dry_link_join(m, joint, &before, &ball, (dry_point){(double)setup->size, 0.0, 0.0}, DRY_UPRIGHT);
}

/* Makes a spring of an axis from its frequency and damping ratio on the inertia that the joint lets rotate:
 * k = I w^2, c = 2 ratio I w. */
static void spring(dry_joint_axis *axis, double inertia, double hertz, double ratio)
{
    const double w = 6.283185307179586 * hertz;
    axis->stiffness = (float)(inertia * w * w);
    axis->damping = (float)(2.0 * ratio * inertia * w);
}

/* Makes a bridge of `size` planks of 0.25 x 0.25 x 1 m and 1.25 kg between fixed points. Each seam has two
 * cone-twist joints with springs of 2 Hz, critically damped, on the inertia of the planks at the seam. */
void dry_make_plank_bridge(maker *m, const dry_joint_setup *setup)
{
    const int n = setup->size;
    const double pitch = 0.25, mass = 1.25, across = mass / 12.0 * (1.0 + pitch * pitch),
                 lengthwise = mass / 12.0 * 2.0 * pitch * pitch;
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i <= n; i++) {
        dry_link plank = DRY_WORLD_LINK;
        if (i < n) {
            plank = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){pitch * (i + 0.5), 0.0, 0.0},
                                 DRY_UPRIGHT);
            dry_shape_def box = box_of(0.125f, 0.125f, 0.5f);
            box.density = 20.0f;
            dry_link_shape(m, box, (dry_point){0}, 0);
            if (!m->failed) {
                m->scene->bodies[plank.body].def.linear_damping = 0.1f;
                m->scene->bodies[plank.body].def.angular_damping = 0.1f;
            }
        }
        const double share = i == 0 || i == n ? 1.0 : 0.5; /* of one plank's inertia */
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
        spring(&joint.axes[DRY_AXIS_RX], share * across, 2.0, 1.0);
        spring(&joint.axes[DRY_AXIS_RY], share * across, 2.0, 1.0);
        spring(&joint.axes[DRY_AXIS_RZ], share * lengthwise, 2.0, 1.0);
        for (int side = -1; side <= 1; side += 2) {
            const dry_point at = {pitch * i, 0.0, 0.5 * side};
            if (i < n)
                dry_link_join(m, joint, &before, &plank, at, DRY_UPRIGHT);
            else /* body b is the dynamic one */
                dry_link_join(m, joint, &plank, &before, at, DRY_UPRIGHT);
        }
        before = plank;
    }
}

/* Makes a bridge of `size` planks of 0.9 x 0.2 x 2 m every meter, two ball joints a seam, taut between fixed
 * points: its only pose. */
void dry_make_taut_bridge(maker *m, const dry_joint_setup *setup)
{
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i <= setup->size; i++) {
        dry_link plank = DRY_WORLD_LINK;
        if (i < setup->size) {
            plank = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){i + 0.5, 0.0, 0.0}, DRY_UPRIGHT);
            dry_link_shape(m, box_of(0.45f, 0.1f, 1.0f), (dry_point){0}, 0);
        }
        for (int side = -1; side <= 1; side += 2) {
            const dry_point at = {(double)i, 0.0, (double)side};
            dry_link_ball(m, i < setup->size ? &before : &plank, i < setup->size ? &plank : &before, at);
        }
        before = plank;
    }
}

/* A chain that begins at `from` and leads in a direction. */
typedef struct chain {
    dry_point from, direction;
    int links;
    double pitch, half; /* distance of joints; half of a link's length */
    dry_shape_def shape;
    dry_joint_def joint;
    dry_rotation frame; /* of each joint, in the world */
    dry_link before;    /* what the chain hangs from */
    bool apart;         /* no joints: the same bodies by themselves */
} chain;

static dry_link add_chain(maker *m, const chain *c)
{
    const dry_rotation rotation = dry_rotation_toward(c->direction);
    dry_link before = c->before;
    for (int i = 0; i < c->links; i++) {
        const dry_link link = dry_link_add(m, NULL, DRY_BODY_DYNAMIC,
                                           along(c->from, c->direction, c->pitch * (i + 0.5)), rotation);
        dry_link_shape(m, c->shape, (dry_point){0}, APART);
        if (!c->apart)
            dry_link_join(m, c->joint, &before, &link, along(c->from, c->direction, c->pitch * i), c->frame);
        before = link;
    }
    return before;
}

static chain chain_of_balls(dry_point from, dry_point direction, int links)
{
    chain c = {.from = from, .direction = direction, .links = links, .pitch = 0.5, .before = DRY_WORLD_LINK};
    c.shape = shape_of(DRY_SHAPE_SPHERE);
    c.shape.radius = 0.2f;
    c.joint = dry_default_joint_def(DRY_JOINT_BALL);
    c.frame = DRY_UPRIGHT;
    return c;
}

/* Makes a chain of spheres of 0.2 m radius on ball joints every 0.5 m, let go horizontally. */
void dry_make_chain_of_balls(maker *m, const dry_joint_setup *setup)
{
    const chain c = chain_of_balls((dry_point){0}, right, setup->size);
    add_chain(m, &c);
}

/* Makes the same chain hanging at rest. */
void dry_make_hung_chain(maker *m, const dry_joint_setup *setup)
{
    const chain c = chain_of_balls((dry_point){0}, down, setup->size);
    add_chain(m, &c);
}

/* Makes a chain of capsules on hinges about z every 0.5 m, let go horizontally. */
void dry_make_chain_of_hinges(maker *m, const dry_joint_setup *setup)
{
    chain c = chain_of_balls((dry_point){0}, right, setup->size);
    c.shape = lying_capsule(0.05, 0.2);
    c.joint = dry_default_joint_def(DRY_JOINT_HINGE);
    c.frame = dry_rotation_toward(toward);
    add_chain(m, &c);
}

/* Makes a cantilever of boxes of 1 x 0.2 x 0.2 m on fixed joints. */
void dry_make_chain_of_welds(maker *m, const dry_joint_setup *setup)
{
    chain c = chain_of_balls((dry_point){0}, right, setup->size);
    c.pitch = 1.0;
    c.shape = box_of(0.5f, 0.1f, 0.1f);
    c.joint = dry_default_joint_def(DRY_JOINT_FIXED);
    add_chain(m, &c);
}

/* Makes chains of 20 links with `size` joints in all, beside each other. They hang at rest if `value` is 0,
 * and are let go horizontally if it is 1, which turns every link in every step. */
static void make_many(maker *m, const dry_joint_setup *setup, chain c)
{
    const int links = 20;
    for (int i = 0; i < setup->size; i += links) {
        const int chain_number = i / links;
        c.direction = setup->value > 0.0 ? right : down;
        c.from = (dry_point){12.0 * (chain_number / 20), 0.0, (double)(chain_number % 20)};
        c.links = setup->size - i < links ? setup->size - i : links;
        c.frame = dry_rotation_toward(c.direction);
        add_chain(m, &c);
    }
}

void dry_make_many_balls(maker *m, const dry_joint_setup *setup)
{
    make_many(m, setup, chain_of_balls((dry_point){0}, down, 0));
}

/* Adds a limit of the swing and of the twist, friction, and a spring to each joint. */
void dry_make_many_cones(maker *m, const dry_joint_setup *setup)
{
    chain c = chain_of_balls((dry_point){0}, down, 0);
    c.joint = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
    c.joint.swing_max = 0.8f;
    c.joint.axes[DRY_AXIS_RX].min = -0.5f;
    c.joint.axes[DRY_AXIS_RX].max = 0.5f;
    rub(&c.joint, 0.5);
    for (int axis = DRY_AXIS_RX; axis <= DRY_AXIS_RZ; axis++) {
        c.joint.axes[axis].stiffness = 20.0f;
        c.joint.axes[axis].damping = 1.0f;
    }
    make_many(m, setup, c);
}

/* Makes the bodies of the many joints by themselves: what a step costs without the joints. */
void dry_make_many_bodies(maker *m, const dry_joint_setup *setup)
{
    chain c = chain_of_balls((dry_point){0}, down, 0);
    c.apart = true;
    if (setup->value == 0.0)
        m->scene->gravity = (dry_vec3){0};
    make_many(m, setup, c);
}

/* Makes `size` chains of five spheres that hang at rest, and one that floats apart from them. It spins about
 * its middle with `value` rad/s. */
void dry_make_calm_chains(maker *m, const dry_joint_setup *setup)
{
    enum { LINKS = 5 };
    for (int i = 0; i < setup->size; i++) {
        const chain c = chain_of_balls((dry_point){(double)(i % 32), 0.0, (double)(i / 32)}, down, LINKS);
        add_chain(m, &c);
    }
    const dry_point middle = {-10.0, 0.0, 0.0}, spin = {0.0, 0.0, setup->value};
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i < LINKS; i++) {
        const dry_point at = {middle.x + 0.5 * (i - LINKS / 2), 0.0, 0.0};
        const dry_link link = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, at, DRY_UPRIGHT);
        dry_shape_def sphere = shape_of(DRY_SHAPE_SPHERE);
        sphere.radius = 0.2f;
        dry_link_shape(m, sphere, (dry_point){0}, APART);
        if (!m->failed)
            m->scene->bodies[link.body].def.gravity_scale = 0.0f;
        dry_link_spin(m, &link, middle, spin);
        if (i > 0)
            dry_link_ball(m, &before, &link, (dry_point){at.x - 0.25, 0.0, 0.0});
        before = link;
    }
}

/* Makes ten links of 1 kg on ball joints every 0.5 m with `value` kg below. */
void dry_make_ten_tons(maker *m, const dry_joint_setup *setup)
{
    chain c = chain_of_balls((dry_point){0}, down, setup->size);
    c.shape = box_of(0.25f, 0.05f, 0.05f);
    const dry_link last = add_chain(m, &c);
    if (!m->failed)
        for (int i = 0; i <= last.body; i++)
            dry_link_mass(m, &(dry_link){.body = i}, 1.0);
    const double low = 0.5 * setup->size;
    const dry_link load =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){0.0, -low - 0.5, 0.0}, DRY_UPRIGHT);
    dry_link_shape(m, box_of(0.5f, 0.5f, 0.5f), (dry_point){0}, APART);
    dry_link_mass(m, &load, setup->value);
    dry_link_ball(m, &last, &load, (dry_point){0.0, -low, 0.0});
}
