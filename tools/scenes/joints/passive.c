/* Makes scenes that nothing drives, so that their energy may only fall, and their wilder relatives.
 *
 * Pseudo-random numbers come from integer arithmetic, as in tools/scenes/generated.c. Writes a dry_scene
 * through links.h. */
#include "tools/scenes/joints/makers.h"

#define PITCH 1.2 /* of the grid, m */

/* Draws a number from [low, high). */
static double draw(maker *m, double low, double high)
{
    return low + 0.5 * (dry_random_signed(&m->random) + 1.0) * (high - low);
}

/* Draws a whole number from 0 to count - 1. */
static int draw_below(maker *m, int count)
{
    return (int)(dry_random_bits(&m->random) % (uint64_t)count);
}

static bool chance(maker *m, double probability)
{
    return draw(m, 0.0, 1.0) < probability;
}

/* Draws from low to high with every doubling about equally likely. */
static double draw_scale(maker *m, double low, double high)
{
    int doublings = 0;
    for (double top = 2.0 * low; top <= high; top *= 2.0)
        doublings++;
    double scale = low;
    for (int i = draw_below(m, doublings + 1); i > 0; i--)
        scale *= 2.0;
    return fmin(scale * draw(m, 1.0, 2.0), high);
}

static dry_point draw_point(maker *m, double most)
{
    const double x = draw(m, -most, most), y = draw(m, -most, most), z = draw(m, -most, most);
    return (dry_point){x, y, z};
}

static dry_rotation draw_rotation(maker *m)
{
    const dry_quat q = random_rotation(m);
    return (dry_rotation){(double)q.x, (double)q.y, (double)q.z, (double)q.w};
}

static void weightless(maker *m)
{
    m->scene->gravity = (dry_vec3){0};
}

/* Makes two cubes of 0.3 m and 27 kg in space on one cone-twist joint, whose twist has a spring of `value`
 * N m/rad and whose swing about z has a damped soft stop. */
void dry_make_two_cubes(maker *m, const dry_joint_setup *setup)
{
    weightless(m);
    static const dry_point spins[2] = {{3.0, 0.9, -0.6}, {-1.5, 3.0, 3.0}};
    dry_link cubes[2];
    for (int i = 0; i < 2; i++) {
        cubes[i] = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){PITCH * i, 0.0, 0.0}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(0.15f, 0.15f, 0.15f), (dry_point){0}, 0);
        dry_link_move(m, &cubes[i], (dry_point){0}, spins[i]);
    }
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
    joint.axes[DRY_AXIS_RX].stiffness = (float)setup->value;
    joint.axes[DRY_AXIS_RX].rest = 0.35f;
    joint.axes[DRY_AXIS_RZ].min = -1.0f;
    joint.axes[DRY_AXIS_RZ].max = 0.06f;
    joint.axes[DRY_AXIS_RZ].stop_stiffness = 3344.0f;
    joint.axes[DRY_AXIS_RZ].stop_damping = 810.0f;
    dry_link_join(m, joint, &cubes[0], &cubes[1], (dry_point){0.5 * PITCH, 0.0, 0.0}, DRY_UPRIGHT);
}

/* The ranges that a random scene draws from. */
typedef struct ranges {
    int bodies_min, bodies_max, joints_min, joints_max;
    double half_min, half_max;           /* of boxes, m */
    double mass_factor_max;              /* on the mass of a box of 1000 kg/m^3, and one over it */
    double speed_max, spin_max;          /* m/s, rad/s */
    double stiffness_min, stiffness_max; /* of springs and soft stops, N/m or N m/rad */
    double damping_min, damping_max, friction_min, friction_max;
    double motors, open, twice; /* share of axes with a motor, of joints that begin open, of doubled joints */
    double bounded;             /* share of what would be bounded axes, ropes and struts that are */
    int group;                  /* of shapes; negative: none touches another */
} ranges;

static const ranges passive = {20,  20,  6,   29,  0.056, 0.475, 1.0, 1.0, 3.0, 1.0,
                               1e5, 0.1, 1e3, 0.1, 100.0, 0.0,   0.0, 0.0, 1.0, 0};
static const ranges wild = {2,    20,   1,    29,   0.01, 0.475, 1e4, 30.0, 60.0, 0.1,
                            1e12, 1e-3, 1e10, 1e-2, 1e6,  0.2,   0.2, 0.2,  1.0,  0};

enum { BODIES_MAX = 20, CELLS = 27 };

typedef struct random_scene {
    maker *m;
    const ranges *in;
    dry_link links[BODIES_MAX];
    int count;
    bool joined[BODIES_MAX][BODIES_MAX];
} random_scene;

/* Draws the stops, spring, friction and motor of an axis; `reach` is m or rad. In scenes without bounds, an
 * axis that may not stop has no spring either. */
static void draw_axis(random_scene *s, dry_joint_axis *axis, double reach, bool may_stop)
{
    maker *m = s->m;
    const ranges *in = s->in;
    *axis = dry_scene_free_axis();
    if (may_stop && chance(m, 0.5 * in->bounded)) {
        axis->min = (float)-draw(m, 0.05 * reach, reach);
        axis->max = (float)draw(m, 0.05 * reach, reach);
        if (chance(m, 0.5)) {
            axis->stop_stiffness = (float)draw_scale(m, in->stiffness_min, in->stiffness_max);
            axis->stop_damping = (float)draw_scale(m, in->damping_min, in->damping_max);
        }
    }
    if (chance(m, 0.5) && (may_stop || in->bounded > 0.0)) {
        axis->stiffness = (float)draw_scale(m, in->stiffness_min, in->stiffness_max);
        axis->rest = (float)draw(m, -0.35 * reach, 0.35 * reach);
        if (chance(m, 0.5))
            axis->damping = (float)draw_scale(m, in->damping_min, in->damping_max);
    }
    if (chance(m, 0.25 * in->bounded))
        axis->friction = (float)draw_scale(m, in->friction_min, in->friction_max);
    if (in->motors > 0.0 && chance(m, in->motors)) {
        axis->motor = chance(m, 0.5) ? DRY_MOTOR_VELOCITY : DRY_MOTOR_POSITION;
        axis->velocity = axis->motor == DRY_MOTOR_VELOCITY ? (float)draw(m, -10.0, 10.0) : 0.0f;
        axis->position = axis->motor == DRY_MOTOR_POSITION ? (float)draw(m, -reach, reach) : 0.0f;
        if (chance(m, 0.5))
            axis->force_max = (float)draw_scale(m, in->friction_min, in->friction_max);
    }
}

/* Draws a joint that has axes. A third of a generic joint's axes stay locked. */
static dry_joint_def draw_framed(random_scene *s, dry_joint_type type)
{
    dry_joint_def def = dry_default_joint_def(type);
    const bool cone = type == DRY_JOINT_CONE_TWIST && chance(s->m, 0.5 * s->in->bounded);
    if (cone)
        def.swing_max = (float)draw(s->m, 0.1, 1.0);
    const int turns = s->in->bounded == 0.0 ? draw_below(s->m, 3) : 0; /* about no axis, x, or all */
    for (int axis = 0; axis < DRY_AXIS_COUNT; axis++) {
        const bool steering = type == DRY_JOINT_WHEEL && axis == DRY_AXIS_RY;
        if (!(dry_scene_joint_forms[type].axes >> axis & 1) || steering)
            continue;
        if (type == DRY_JOINT_GENERIC && axis >= DRY_AXIS_RX && s->in->bounded == 0.0) {
            if (turns == 2 || (turns == 1 && axis == DRY_AXIS_RX))
                draw_axis(s, &def.axes[axis], 1.0, turns == 1);
            continue;
        }
        if (type == DRY_JOINT_GENERIC && chance(s->m, 1.0 / 3.0))
            continue;
        const bool leaps = s->in->bounded == 0.0 && axis >= DRY_AXIS_RX &&
                           (type == DRY_JOINT_CONE_TWIST || type == DRY_JOINT_GENERIC);
        draw_axis(s, &def.axes[axis], axis < DRY_AXIS_RX ? 0.3 : 1.0,
                  (!cone || axis == DRY_AXIS_RX) && !leaps);
    }
    return def;
}

static void draw_spring(random_scene *s, dry_joint_def *def)
{
    def->stiffness = (float)draw_scale(s->m, s->in->stiffness_min, s->in->stiffness_max);
    def->damping = (float)draw_scale(s->m, s->in->damping_min, s->in->damping_max);
}

/* Adds a rod, rope, strut or spring between a point of each body. */
static void add_distance(random_scene *s, const dry_link *a, const dry_link *b)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    const dry_point on_a = draw_point(s->m, 0.2), on_b = draw_point(s->m, 0.2);
    const double length = dry_point_distance(dry_point_add(a->at, on_a), dry_point_add(b->at, on_b));
    def.anchor_a = (dry_vec3){(float)on_a.x, (float)on_a.y, (float)on_a.z};
    def.anchor_b = (dry_vec3){(float)on_b.x, (float)on_b.y, (float)on_b.z};
    def.length = (float)length;
    switch (s->in->bounded > 0.0 ? draw_below(s->m, 4) : 2 + draw_below(s->m, 2)) {
    case 0:
        def.length_max = (float)length;
        break;
    case 1:
        def.length_min = (float)length;
        break;
    case 2:
        draw_spring(s, &def);
        break;
    default: /* a rod */
        break;
    }
    add_joint(s->m, def, a->body, b->body);
}

/* Adds a joint of a type between two bodies, midway between them. */
static void draw_joint_of(random_scene *s, dry_joint_type type, const dry_link *a, const dry_link *b)
{
    maker *m = s->m;
    if (type == DRY_JOINT_DISTANCE) {
        add_distance(s, a, b);
        return;
    }
    dry_joint_def def = draw_framed(s, type);
    if (type == DRY_JOINT_TARGET || (type == DRY_JOINT_BALL && chance(m, 0.3)))
        draw_spring(s, &def);
    const dry_link world = DRY_WORLD_LINK;
    dry_link_join(m, def, type == DRY_JOINT_TARGET ? &world : a, b, dry_point_between(a->at, b->at),
                  draw_rotation(m));
    if (chance(m, s->in->open) && !m->failed) {
        const dry_point aside = draw_point(m, 1.0);
        dry_vec3 *anchor = &m->scene->joints[m->scene->joint_count - 1].def.anchor_b;
        *anchor = (dry_vec3){(float)aside.x, (float)aside.y, (float)aside.z};
    }
}

/* Places boxes in drawn cells of a grid of 3 x 3 x 3. */
static void place_bodies(random_scene *s)
{
    maker *m = s->m;
    const ranges *in = s->in;
    int cells[CELLS];
    for (int i = 0; i < CELLS; i++)
        cells[i] = i;
    s->count = in->bodies_min + draw_below(m, in->bodies_max - in->bodies_min + 1);
    for (int i = 0; i < s->count; i++) {
        const int k = i + draw_below(m, CELLS - i), cell = cells[k];
        cells[k] = cells[i];
        const dry_point at = {PITCH * (cell % 3 - 1), 1.0 + PITCH * (cell / 9), PITCH * (cell / 3 % 3 - 1)};
        const float x = (float)draw(m, in->half_min, in->half_max);
        const float y = (float)draw(m, in->half_min, in->half_max);
        const float z = (float)draw(m, in->half_min, in->half_max);
        s->links[i] = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, at, DRY_UPRIGHT);
        dry_link_shape(m, box_of(x, y, z), (dry_point){0}, in->group);
        const dry_point speed = draw_point(m, in->speed_max), spin = draw_point(m, in->spin_max);
        dry_link_move(m, &s->links[i], speed, spin);
        if (in->mass_factor_max > 1.0)
            dry_link_mass(m, &s->links[i],
                          8e3 * (double)x * (double)y * (double)z *
                              draw_scale(m, 1.0 / in->mass_factor_max, in->mass_factor_max));
    }
}

/* Returns the nearest body to body `a` that no joint joins with it, or -1. */
static int nearest_unjoined(const random_scene *s, int a)
{
    int nearest = -1;
    for (int b = 0; b < s->count; b++)
        if (b != a && !s->joined[a][b] &&
            (nearest < 0 || dry_point_distance(s->links[a].at, s->links[b].at) <
                                dry_point_distance(s->links[a].at, s->links[nearest].at)))
            nearest = b;
    return nearest;
}

static void make_random(maker *m, const ranges *in)
{
    random_scene s = {.m = m, .in = in};
    if (chance(m, 0.5))
        weightless(m);
    add_floor(m, 50.0, 50.0);
    place_bodies(&s);
    const int joints = in->joints_min + draw_below(m, in->joints_max - in->joints_min + 1);
    for (int i = 0; i < joints; i++) {
        const int a = draw_below(m, s.count), b = nearest_unjoined(&s, a);
        if (b < 0)
            continue;
        const int times = chance(m, in->twice) ? 2 : 1;
        for (int k = 0; k < times; k++)
            draw_joint_of(&s, (dry_joint_type)draw_below(m, DRY_JOINT_PAIR_COUNT), &s.links[a], &s.links[b]);
        s.joined[a][b] = s.joined[b][a] = true;
    }
}

/* Makes 20 boxes of 1.4 to 860 kg with 6 to 29 joints of all types, closed at the start, with springs, stops,
 * soft stops and friction. Springs have `value` N/m or N m/rad and more; 1 if `value` is 0. Half of the seeds
 * have gravity. */
void dry_make_random_passive(maker *m, const dry_joint_setup *setup)
{
    ranges in = passive;
    in.stiffness_min = fmax(in.stiffness_min, setup->value);
    make_random(m, &in);
}

/* Makes 20 boxes that touch nothing, and whose joints of most types form a tree. Nothing bounds what a joint
 * gives: there are no stops, ropes or friction. No spring acts along an angle that jumps where a swing is pi.
 * Springs have the stiffness of random passive scenes. Half of the seeds have gravity and a joint to the
 * world. */
void dry_make_random_trees(maker *m, const dry_joint_setup *setup)
{
    static const dry_joint_type types[] = {DRY_JOINT_BALL,       DRY_JOINT_DISTANCE, DRY_JOINT_HINGE,
                                           DRY_JOINT_SLIDER,     DRY_JOINT_FIXED,    DRY_JOINT_UNIVERSAL,
                                           DRY_JOINT_CONE_TWIST, DRY_JOINT_GENERIC};
    ranges in = passive;
    in.stiffness_min = fmax(in.stiffness_min, setup->value);
    in.bounded = 0.0;
    in.group = -1;
    random_scene s = {.m = m, .in = &in};
    const bool held = chance(m, 0.5);
    if (!held)
        weightless(m);
    place_bodies(&s);
    if (held) {
        const dry_link world = DRY_WORLD_LINK;
        dry_link_join(m, dry_default_joint_def(DRY_JOINT_BALL), &world, &s.links[0],
                      dry_point_add(s.links[0].at, draw_point(m, 0.5)), draw_rotation(m));
    }
    for (int i = 1; i < s.count; i++) {
        int nearest = 0;
        for (int k = 1; k < i; k++)
            if (dry_point_distance(s.links[k].at, s.links[i].at) <
                dry_point_distance(s.links[nearest].at, s.links[i].at))
                nearest = k;
        const int drawn = draw_below(m, (int)(sizeof types / sizeof *types));
        draw_joint_of(&s, types[drawn], &s.links[nearest], &s.links[i]);
    }
}

/* Makes 2 to 20 boxes with joints whose values are drawn from most of their ranges, motors among them. Some
 * joints begin open, and some contradict others. */
void dry_make_random_wild(maker *m, const dry_joint_setup *setup)
{
    (void)setup;
    make_random(m, &wild);
}

/* Makes two moving cubes of 1 m with two joints whose places and frames do not fit each other. */
void dry_make_conflict(maker *m, const dry_joint_setup *setup)
{
    (void)setup;
    static const dry_joint_type types[] = {DRY_JOINT_BALL, DRY_JOINT_HINGE, DRY_JOINT_FIXED,
                                           DRY_JOINT_UNIVERSAL};
    weightless(m);
    dry_link cubes[2];
    for (int i = 0; i < 2; i++) {
        cubes[i] = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){1.5 * i, 0.0, 0.0}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(0.5f, 0.5f, 0.5f), (dry_point){0}, 0);
        const dry_point speed = draw_point(m, 3.0), spin = draw_point(m, 3.0);
        dry_link_move(m, &cubes[i], speed, spin);
    }
    for (int k = 0; k < 2; k++) {
        const dry_joint_type type = types[draw_below(m, (int)(sizeof types / sizeof *types))];
        const dry_rotation frame = draw_rotation(m);
        dry_link_join(m, dry_default_joint_def(type), &cubes[0], &cubes[1], draw_point(m, 0.5), frame);
        if (m->failed)
            return;
        dry_joint_def *def = &m->scene->joints[m->scene->joint_count - 1].def;
        const dry_point on_b = draw_point(m, 0.5);
        def->anchor_b = (dry_vec3){(float)on_b.x, (float)on_b.y, (float)on_b.z};
        if (dry_scene_joint_forms[type].framed)
            def->orientation_b = random_rotation(m);
    }
}
