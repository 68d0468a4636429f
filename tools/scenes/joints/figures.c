/* Makes ragdolls: figures of 14 capsules on 9 cone-twist joints and 4 hinges, with limits, dry friction, and
 * springs toward the pose in which they begin.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/joints/makers.h"

enum { TRUNK = 6, PARTS = 10, NO_PARENT = -1 }; /* parts from TRUNK on are on both sides */

/* A capsule of a figure that stands on the origin and faces z, and the joint that holds it to its parent. */
typedef struct part {
    int parent;
    dry_joint_type type;
    dry_point from, to; /* ends of the segment */
    double radius;
    dry_point pivot;
    double swing, twist_min, twist_max; /* rad; a hinge's stops are those of the twist */
    double friction;                    /* factor on the figure's friction */
    bool apart;                         /* does not touch other parts that are `apart`, which overlap */
} part;

#define CONE DRY_JOINT_CONE_TWIST
#define HINGE DRY_JOINT_HINGE

static const part parts[PARTS] = {
    {NO_PARENT, CONE, {-0.07, 0.95, 0}, {0.07, 0.95, 0}, 0.12, {0, 0, 0}, 0, 0, 0, 0, true},
    {0, CONE, {-0.06, 1.10, 0}, {0.06, 1.10, 0}, 0.11, {0, 1.02, 0}, 0.4, -0.25, 0.25, 1.0, true},
    {1, CONE, {-0.07, 1.22, 0}, {0.07, 1.22, 0}, 0.11, {0, 1.16, 0}, 0.4, -0.25, 0.25, 1.0, true},
    {2, CONE, {-0.10, 1.37, 0}, {0.10, 1.37, 0}, 0.13, {0, 1.29, 0}, 0.3, -0.2, 0.2, 1.0, true}, /* chest */
    {3, CONE, {0, 1.53, 0}, {0, 1.58, 0}, 0.06, {0, 1.50, 0}, 0.7, -0.25, 0.25, 0.8, true},
    {4, CONE, {0, 1.69, 0}, {0, 1.74, 0}, 0.10, {0, 1.61, 0}, 0.3, -0.25, 0.25, 0.4, true}, /* head */
    {0, CONE, {0.10, 0.88, 0}, {0.11, 0.54, 0}, 0.08, {0.10, 0.92, 0}, 0.6, -0.4, 0.4, 1.0, true},
    {6, HINGE, {0.11, 0.44, 0}, {0.11, 0.10, 0}, 0.06, {0.11, 0.49, 0}, 0, -0.1, 1.6, 1.0, false},
    {3, CONE, {0.21, 1.42, 0}, {0.27, 1.24, 0}, 0.06, {0.19, 1.46, 0}, 1.0, -0.3, 0.3, 1.0, true},
    {8, HINGE, {0.29, 1.16, 0}, {0.35, 0.96, 0}, 0.05, {0.28, 1.20, 0}, 0, -1.6, 0.1, 1.0, false},
};

/* Returns a part on one side of the figure, 1 or -1. */
static part on_side(int index, int side)
{
    part p = parts[index];
    p.from.x *= side;
    p.to.x *= side;
    p.pivot.x *= side;
    return p;
}

/* The moments of inertia of a capsule along and across its segment, kg m^2. */
typedef struct moments {
    double lengthwise, across;
} moments;

static dry_shape_def capsule_part(const part *p)
{
    return capsule_of((float)p->radius, (float)(0.5 * dry_point_distance(p->from, p->to)));
}

/* The part is a cylinder of length l and two hemispheres, whose centers of mass lie 3/8 r outside the
 * cylinder's ends. */
static moments moments_of(const part *p)
{
    const double pi = 3.14159265358979323846;
    const dry_shape_def shape = capsule_part(p);
    const double density = (double)shape.density, r = (double)shape.radius;
    const double l = 2.0 * (double)shape.half_length;
    const double cylinder = pi * r * r * l * density, ball = 4.0 / 3.0 * pi * r * r * r * density;
    return (moments){0.5 * cylinder * r * r + 0.4 * ball * r * r,
                     cylinder * (l * l / 12.0 + 0.25 * r * r) +
                         ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r)};
}

/* Returns n . I^-1 n for a unit axis n. */
static double inverse_inertia(const part *p, dry_point n)
{
    const double length = dry_point_distance(p->from, p->to);
    const double cosine =
        ((p->to.x - p->from.x) * n.x + (p->to.y - p->from.y) * n.y + (p->to.z - p->from.z) * n.z) / length;
    const moments i = moments_of(p);
    return cosine * cosine / i.lengthwise + (1.0 - cosine * cosine) / i.across;
}

/* Springs and friction of all joints of a figure. */
typedef struct tone {
    double friction_Nm, hertz, ratio;
} tone;

/* Gives an axis a spring of the frequency on the inertia that the joint lets rotate about n, and friction. */
static void stiffen(dry_joint_axis *axis, const part *p, const part *parent, dry_point n, const tone *t)
{
    const double inertia = 1.0 / (inverse_inertia(p, n) + inverse_inertia(parent, n));
    const double w = 6.283185307179586 * t->hertz;
    axis->stiffness = (float)(inertia * w * w);
    axis->damping = (float)(2.0 * t->ratio * inertia * w);
    axis->friction = (float)(p->friction * t->friction_Nm);
}

static dry_joint_def joint_of(const part *p, const part *parent, dry_rotation frame, const tone *t)
{
    static const dry_point unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    dry_joint_def def = dry_default_joint_def(p->type);
    def.axes[DRY_AXIS_RX].min = (float)p->twist_min;
    def.axes[DRY_AXIS_RX].max = (float)p->twist_max;
    const int axes = p->type == HINGE ? 1 : 3;
    for (int i = 0; i < axes; i++)
        stiffen(&def.axes[DRY_AXIS_RX + i], p, parent, dry_point_rotate(frame, unit[i]), t);
    if (p->type == CONE)
        def.swing_max = (float)p->swing;
    return def;
}

/* A figure under construction. */
typedef struct figure {
    dry_point at; /* of its feet */
    dry_rotation rotation;
    int group;
    tone tone;
    dry_link links[PARTS];
} figure;

static void add_part(maker *m, figure *f, int index, int side)
{
    const part p = on_side(index, side);
    const dry_point middle = dry_point_between(p.from, p.to);
    const dry_point segment = {p.to.x - p.from.x, p.to.y - p.from.y, p.to.z - p.from.z};
    const dry_link link =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, dry_point_add(f->at, dry_point_rotate(f->rotation, middle)),
                     dry_rotation_multiply(f->rotation, dry_rotation_toward(segment)));
    f->links[index] = link;
    dry_shape_def shape = capsule_part(&p);
    shape.pose.orientation = (dry_quat){0.0f, 0.0f, -0.70710678f, 0.70710678f}; /* y to x */
    shape.rolling_resistance = 0.2f;
    dry_link_shape(m, shape, (dry_point){0}, p.apart ? f->group : 0);
    if (p.parent == NO_PARENT)
        return;
    const part parent = on_side(p.parent, side);
    /* A hinge turns about x of the figure; the cone of a joint is about the segment. */
    const dry_rotation own = p.type == HINGE ? DRY_UPRIGHT : dry_rotation_toward(segment);
    dry_link_join(m, joint_of(&p, &parent, own, &f->tone), &f->links[p.parent], &link,
                  dry_point_add(f->at, dry_point_rotate(f->rotation, p.pivot)),
                  dry_rotation_multiply(f->rotation, own));
}

/* Adds a figure whose feet are at `at`, rotated about them. */
static void add_figure(maker *m, dry_point at, dry_rotation rotation, int group, tone t)
{
    figure f = {.at = at, .rotation = rotation, .group = group, .tone = t};
    for (int i = 0; i < TRUNK; i++)
        add_part(m, &f, i, 1);
    for (int side = -1; side <= 1; side += 2)
        for (int i = TRUNK; i < PARTS; i++)
            add_part(m, &f, i, side);
}

/* Adds a static log along x on the ground, for figures to fall on. */
static void add_log(maker *m, double x, double z)
{
    dry_link_add(m, NULL, DRY_BODY_STATIC, (dry_point){x, 0.0, z}, DRY_UPRIGHT);
    dry_shape_def log = capsule_of(1.0f, 2.0f);
    log.pose.orientation = (dry_quat){0.0f, 0.0f, 0.70710678f, 0.70710678f};
    dry_link_shape(m, log, (dry_point){0}, 0);
}

/* Makes `size` figures a wave that fall 19 to 21 m in rows of three, each row onto a log. Ten waves fall, one
 * every 30 steps. Heights are drawn: figures that all land alike make one landing the measure. */
void dry_make_rain(maker *m, const dry_joint_setup *setup)
{
    enum { WAVES = 10, ROW = 3 };
    const double pitch = 15.0;
    const int rows = (setup->size + ROW - 1) / ROW;
    if (setup->wave == 0) {
        add_floor(m, 0.5 * pitch * WAVES + 20.0, 0.5 * pitch * rows + 20.0);
        for (int i = 0; i < WAVES * rows; i++)
            add_log(m, pitch * (i % WAVES - 4.5), pitch * (i / WAVES - 0.5 * (rows - 1)) + 0.4);
    }
    for (int i = 0; i < setup->size; i++) {
        const dry_point at = {pitch * (setup->wave - 4.5) + 0.9 * (i % ROW - 1),
                              20.0 + dry_random_signed(&m->random), pitch * (i / ROW - 0.5 * (rows - 1))};
        add_figure(m, at, DRY_UPRIGHT, -1 - setup->wave * setup->size - i, (tone){5.0, 1.0, 0.7});
    }
}

/* Makes pairs of figures that fall 15 m onto a floor, each pair onto a log. */
void dry_make_figure_pairs(maker *m, const dry_joint_setup *setup)
{
    add_floor(m, 60.0, 60.0);
    for (int i = 0; i < setup->size; i++) {
        const dry_point cell = {15.0 * (i / 2 % 2 - 0.5), 15.0, 15.0 * (i / 4 - 0.5)};
        if (i % 2 == 0)
            add_log(m, cell.x, cell.z + 0.4);
        const dry_point at = {cell.x + 0.9 * (i % 2) - 0.45, cell.y, cell.z};
        add_figure(m, at, DRY_UPRIGHT, -1 - i, (tone){5.0, 1.0, 0.7});
    }
}

/* Makes a pile of `size` figures with soft springs and much friction, which fall upright in layers of four,
 * each a little aside. */
void dry_make_figure_pile(maker *m, const dry_joint_setup *setup)
{
    add_floor(m, 20.0, 20.0);
    for (int i = 0; i < setup->size; i++) {
        const double x = 1.0 * (i % 2 - 0.5) + 0.1 * dry_random_signed(&m->random);
        const double z = 1.0 * (i / 2 % 2 - 0.5) + 0.1 * dry_random_signed(&m->random);
        add_figure(m, (dry_point){x, 0.3 + 2.0 * (i / 4), z}, DRY_UPRIGHT, -1 - i, (tone){10.0, 0.5, 0.7});
    }
}

/* Makes a field of `size` figures that fall 5 m in random orientations. */
void dry_make_falling_figures(maker *m, const dry_joint_setup *setup)
{
    const double pitch = 2.2, middle_m = 0.9; /* of a figure, above its feet */
    add_floor(m, 40.0, 40.0);
    int side = 1;
    while (side * side < setup->size)
        side++;
    for (int i = 0; i < setup->size; i++) {
        const dry_quat q = random_rotation(m);
        const dry_rotation rotation = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
        const dry_point middle = dry_point_rotate(rotation, (dry_point){0.0, middle_m, 0.0});
        const dry_point at = {pitch * (i % side - 0.5 * (side - 1)) - middle.x, 5.0 - middle.y,
                              pitch * (i / side - 0.5 * (side - 1)) - middle.z};
        add_figure(m, at, rotation, -1 - i, (tone){5.0, 1.0, 0.7});
    }
}
