/* Makes the built-in scenes. Each scene is the same to the last bit on every machine: positions are exact
 * sums, and pseudo-random numbers come from integer arithmetic and sqrt alone.
 *
 * Writes a dry_scene through scene_parts.h. */
#include "tools/scenes/grounds.h"
#include "tools/scenes/heaps.h"
#include "tools/scenes/linkages.h"
#include "tools/scenes/maker.h"
#include "tools/scenes/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void make_tower(maker *m, int size)
{
    double half = size < 280 ? 20.0 + size : 300.0;
    add_floor(m, half, half);
    for (int i = 0; i < size; i++)
        add_cube(m, 0.0, 0.5 + i, 0.0);
}

/* Adds a pyramid. Row i has base - i cubes and begins half a cube further in; cubes of a row touch. */
static void add_pyramid(maker *m, int base, double x, double z)
{
    for (int row = 0; row < base; row++)
        for (int i = 0; i < base - row; i++)
            add_cube(m, x + i - 0.5 * (base - row - 1), 0.5 + row, z);
}

static void make_pyramid(maker *m, int size)
{
    add_floor(m, 0.5 * size + 50.0, 50.0);
    add_pyramid(m, size, 0.0, 0.0);
}

static void make_pyramids(maker *m, int size)
{
    const double across = 12.0, apart = 4.0;
    add_floor(m, 0.5 * across * size + 20.0, 0.5 * apart * size + 20.0);
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++)
            add_pyramid(m, 10, across * (column - 0.5 * (size - 1)), apart * (row - 0.5 * (size - 1)));
}

/* Drops cubes of any orientation into a bin. Cubes have a bounding radius of sqrt(3)/2 m, so cubes 1.75 m
 * apart do not touch. */
static void make_pile(maker *m, int size)
{
    const bin b = add_bin(m, size, 1.75);
    for (int i = 0; i < size; i++) {
        add_in_bin(m, b, i);
        add_box(m, 0.5f, 0.5f, 0.5f);
    }
}

static void make_mass_ratio(maker *m, int size)
{
    add_floor(m, 20.0, 20.0);
    for (int i = 0; i < 2; i++) {
        add_next(m, 0.0, 0.5 + i, 0.0);
        dry_shape_def cube = box_of(0.5f, 0.5f, 0.5f);
        cube.density = i == 0 ? 1.0f : (float)size; /* volume 1 m^3: the density is the mass */
        add_shape(m, &cube);
    }
}

/* Adds the shapes of one of eight kinds of body; all stay within 0.75 m of the body's origin. */
static void add_mixed_shapes(maker *m, int kind)
{
    const float half_turn_root =
        0.70710678f; /* sine and cosine of half a right angle: a rotation of 90 degrees about z */
    dry_shape_def part;
    switch (kind) {
    case 0:
    case 5:
        add_sphere_at(m, 0.5f, 0.0f);
        break;
    case 1:
    case 6:
        part = capsule_of(0.25f, 0.45f);
        add_shape(m, &part);
        break;
    case 2:
    case 7:
        add_box(m, 0.5f, 0.3f, 0.4f);
        break;
    case 3: /* an angle of two boxes */
        part = box_of(0.45f, 0.12f, 0.15f);
        part.pose.position = (dry_vec3){0.0f, -0.2f, 0.0f};
        add_shape(m, &part);
        part = box_of(0.12f, 0.3f, 0.15f);
        part.pose.position = (dry_vec3){-0.33f, 0.22f, 0.0f};
        add_shape(m, &part);
        break;
    default: /* a dumb-bell */
        part = capsule_of(0.12f, 0.35f);
        part.pose.orientation = (dry_quat){0.0f, 0.0f, half_turn_root, half_turn_root};
        add_shape(m, &part);
        add_sphere_at(m, 0.25f, -0.4f);
        add_sphere_at(m, 0.25f, 0.4f);
    }
}

/* Makes groups of eight bodies, four by two, 1.5 x 2 m apart. The last three of a group are a chain of a ball
 * joint and a distance joint, which is a spring in every second group. A kinematic box pushes through all. */
static void make_mixed(maker *m, int size)
{
    int groups = (size + 7) / 8, side = 1;
    while (side * side * side < groups)
        side++;
    double half_x = 3.0 * side, half_z = 2.0 * side;

    add_body(m, "ground", DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    dry_shape_def ground = shape_of(DRY_SHAPE_HALFSPACE);
    ground.normal = (dry_vec3){0.0f, 1.0f, 0.0f};
    add_shape(m, &ground);
    int pusher = add_body(m, "pusher", DRY_BODY_KINEMATIC, -half_x - 3.0, 1.125, 0.0);
    if (pusher >= 0)
        m->scene->bodies[pusher].def.velocity.linear.x = 1.0f;
    add_box(m, 0.5f, 1.0f, (float)half_z);

    for (int i = 0; i < size; i++) {
        int group = i / 8, kind = i % 8;
        int column = group % side, row = group / side % side, layer = group / (side * side);
        int body = add_next(m, 6.0 * column + 1.5 * (kind % 4) + 0.75 - half_x, 1.0 + 2.0 * layer,
                            4.0 * row + 2.0 * (kind / 4) + 1.0 - half_z);
        if (kind < 5)
            turn(m, body);
        add_mixed_shapes(m, kind);
        if (kind < 6)
            continue;
        dry_joint_def joint = dry_default_joint_def(kind == 6 ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE);
        joint.anchor_a = (dry_vec3){kind == 6 ? 0.75f : 0.25f, 0.0f, 0.0f};
        joint.anchor_b = (dry_vec3){kind == 6 ? -0.75f : -0.5f, 0.0f, 0.0f};
        joint.length = kind == 6 ? joint.length : 0.75f;
        if (kind == 7 && group % 2 == 1) {
            joint.stiffness = 2e4f;
            joint.damping = 200.0f;
        }
        add_joint(m, joint, body - 1, body);
    }
}

/* Lets something act along each axis that a joint of the type has, so that a scene of all types uses all that
 * a joint can do. */
static void set_up_joint(dry_joint_def *def)
{
    dry_joint_axis *rx = &def->axes[DRY_AXIS_RX], *ry = &def->axes[DRY_AXIS_RY];
    switch (def->type) {
    case DRY_JOINT_DISTANCE: /* a rope */
        def->length_max = 0.25f;
        break;
    case DRY_JOINT_TARGET:
        def->force_max = 5e3f;
        break;
    case DRY_JOINT_HINGE:
        rx->motor = DRY_MOTOR_VELOCITY;
        rx->velocity = 4.0f;
        rx->force_max = 300.0f;
        rx->max = 10.0f;
        rx->stop_restitution = 0.5f;
        break;
    case DRY_JOINT_SLIDER:
        def->axes[DRY_AXIS_X].stiffness = 2e3f;
        def->axes[DRY_AXIS_X].rest = 0.25f;
        def->axes[DRY_AXIS_X].max = 0.2f;
        break;
    case DRY_JOINT_UNIVERSAL:
        ry->friction = 20.0f;
        def->axes[DRY_AXIS_RZ].damping = 30.0f;
        break;
    case DRY_JOINT_CONE_TWIST:
        def->swing_max = 0.5f;
        rx->min = -0.3f;
        rx->max = 0.4f;
        break;
    case DRY_JOINT_WHEEL:
        def->axes[DRY_AXIS_Y].stiffness = 2e4f;
        def->axes[DRY_AXIS_Y].damping = 500.0f;
        ry->min = -0.5f;
        ry->max = 0.5f;
        ry->motor = DRY_MOTOR_POSITION;
        ry->position = 0.25f;
        ry->motor_hertz = 2.0f;
        rx->motor = DRY_MOTOR_VELOCITY;
        rx->velocity = 8.0f;
        rx->force_max = 200.0f;
        break;
    case DRY_JOINT_GENERIC:
        def->axes[DRY_AXIS_Z].min = -0.25f;
        def->axes[DRY_AXIS_Z].max = 0.25f;
        def->axes[DRY_AXIS_Z].stop_hertz = 4.0f;
        rx->min = -INFINITY;
        rx->max = INFINITY;
        def->break_force = 8e3f;
        break;
    case DRY_JOINT_ALIGN:
        rx->damping = 5.0f;
        break;
    default:
        break;
    }
}

/* Makes sets of all types of joints: from each place in a row a block hangs by a joint of one type, and a
 * second block hangs by the same type from the first. A target joint drags the second one too. */
static void make_joints(maker *m, int size)
{
    const double length = 2.0 * DRY_JOINT_PAIR_COUNT, width = 3.0 * size;
    add_floor(m, 0.5 * length + 5.0, 0.5 * width + 5.0);
    for (int i = 0; i < size * DRY_JOINT_PAIR_COUNT; i++) {
        const dry_joint_type type = (dry_joint_type)(i % DRY_JOINT_PAIR_COUNT);
        const double x = 2.0 * type - 0.5 * length + 1.0,
                     z = 3.0 * (i / DRY_JOINT_PAIR_COUNT) - 0.5 * width + 1.5;
        int above = DRY_SCENE_WORLD;
        for (int k = 0; k < 2; k++) {
            const double top = 4.0 - 1.25 * k;
            const int body = add_next(m, x, top - 0.625, z);
            if (m->failed)
                return;
            m->scene->bodies[body].def.velocity.angular = (dry_vec3){0.5f, 1.0f, 6.0f - 8.0f * (float)k};
            add_box(m, 0.2f, 0.5f, 0.3f);
            dry_joint_def joint = dry_default_joint_def(type);
            set_up_joint(&joint);
            if (above == DRY_SCENE_WORLD || type == DRY_JOINT_TARGET)
                joint.target = (dry_position){x, top, z};
            else
                joint.anchor_a = (dry_vec3){0.0f, -0.625f, 0.0f};
            joint.anchor_b = (dry_vec3){0.0f, 0.625f, 0.0f};
            add_joint(m, joint, type == DRY_JOINT_TARGET ? DRY_SCENE_WORLD : above, body);
            above = body;
        }
    }
}

/* Joins each plank to the next one by two ball joints, 0.8 m to either side of the middle. */
static void make_bridge(maker *m, int size)
{
    const double height = 10.0, end = 0.5 * size + 0.5;
    add_floor(m, end + 20.0, 20.0);
    int left = add_body(m, "post1", DRY_BODY_STATIC, -end, 5.0625, 0.0);
    add_box(m, 0.4375f, 5.0625f, 1.5f);
    int right = add_body(m, "post2", DRY_BODY_STATIC, end, 5.0625, 0.0);
    add_box(m, 0.4375f, 5.0625f, 1.5f);
    int before = left, first = m->failed ? 0 : m->scene->body_count;
    for (int i = 0; i < size; i++) {
        add_next(m, i - 0.5 * (size - 1), height, 0.0);
        add_box(m, 0.4375f, 0.125f, 1.0f);
    }
    for (int i = 0; i <= size; i++) {
        int next = i < size ? first + i : right;
        for (int side = -1; side <= 1; side += 2) {
            dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
            joint.anchor_a = (dry_vec3){0.5f, before == left ? 4.9375f : 0.0f, 0.75f * (float)side};
            joint.anchor_b = (dry_vec3){-0.5f, next == right ? 4.9375f : 0.0f, 0.75f * (float)side};
            add_joint(m, joint, before, next);
        }
        before = next;
    }
    for (int i = 2; i < size; i += 5)
        add_cube(m, i - 0.5 * (size - 1), height + 0.625, 0.0);
}

/* Drops boxes of half a meter from 2 m above the cubes of the default bridge, three rows of 38 in each layer.
 */
static void make_bridge_load(maker *m, int size)
{
    enum { ACROSS = 3, LAYER = 38 * ACROSS };
    make_bridge(m, 40);
    for (int i = 0; i < size; i++) {
        const int place = i % LAYER;
        add_next(m, place / ACROSS - 18.5, 13.25 + 0.75 * (double)(i / LAYER),
                 0.625 * (place % ACROSS - ACROSS / 2));
        add_box(m, 0.25f, 0.25f, 0.25f);
    }
}

/* Adds a dynamic body with the next id and a mass of 10 kg, as all bodies of SimBenchmark have. */
static void add_benchmark_body(maker *m, double x, double y, double z, const dry_shape_def *shape)
{
    int body = add_next(m, x, y, z);
    if (body < 0)
        return;
    m->scene->bodies[body].def.mass = 10.0f;
    m->scene->bodies[body].has_mass = true;
    add_shape(m, shape);
}

/* Adds a block of 0.2 m from end to end, 0.1 m high, at the place (x, z) of the layer whose floor is at y. */
static void add_wall_block(maker *m, double x, double y, double z)
{
    dry_shape_def block = box_of(0.1f, 0.05f, 0.025f);
    block.friction = 0.8f;
    add_benchmark_body(m, x, y + 0.05, z, &block);
}

/* Makes the building of the kapla test of SimBenchmark (github.com/leggedrobotics/SimBenchmark): parameters
 * from its folder benchmark/res/yaml, places from the test's own code, friction from its engines' materials.
 * Its z axis is y here, its y axis -z. A floor has eight blocks across and, upon them, two walls of four and
 * five blocks along. The last body is the one whose fall ends that test. */
static void make_kapla(maker *m, int size)
{
    enum { BASES = 8, WALL = BASES / 2 };
    m->scene->dt = 0.01f;
    add_body(m, "floor", DRY_BODY_STATIC, 0.0, -1.0, 0.0);
    dry_shape_def ground = box_of(20.0f, 1.0f, 20.0f), base = box_of(0.025f, 0.05f, 0.125f);
    ground.friction = base.friction = 0.8f;
    add_shape(m, &ground);
    for (int i = 0; i < size; i++) {
        double y = 0.2 * i;
        for (int j = 0; j < BASES; j++)
            add_benchmark_body(m, 0.2 * j, y + 0.05, 0.0, &base);
        for (int j = 0; j < WALL; j++)
            add_wall_block(m, 0.4 * j + 0.1, y + 0.1, 0.1);
        for (int j = 0; j < WALL - 1; j++)
            add_wall_block(m, 0.4 * j + 0.3, y + 0.1, -0.1);
        add_wall_block(m, 0.1, y + 0.1, -0.1);
        add_wall_block(m, 0.4 * (WALL - 1) + 0.1, y + 0.1, -0.1);
    }
}

/* Makes size^3 balls without friction, 1 cm apart, above a half-space: the tests 666 and elastic 666 of
 * SimBenchmark, with the parameters of its folder benchmark/res/yaml. Each ball is up to 1 mm out of line.
 * The centers of the lowest ones begin `height` above the ground. */
static void make_balls(maker *m, int size, double height, float restitution)
{
    m->scene->dt = 0.01f;
    add_body(m, "ground", DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    dry_shape_def ground = shape_of(DRY_SHAPE_HALFSPACE), ball = shape_of(DRY_SHAPE_SPHERE);
    ground.normal = (dry_vec3){0.0f, 1.0f, 0.0f};
    ball.radius = 0.1f;
    ground.friction = ball.friction = 0.0f;
    ground.restitution = ball.restitution = restitution;
    add_shape(m, &ground);
    for (int i = 0; i < size * size * size; i++) {
        double shift[3];
        for (int k = 0; k < 3; k++)
            shift[k] = 0.0005 + 0.0005 * dry_random_signed(&m->random);
        add_benchmark_body(m, 0.21 * (i / (size * size)) + shift[0], 0.21 * (i % size) + shift[1] + height,
                           0.21 * (i / size % size) + shift[2], &ball);
    }
}

static void make_spheres(maker *m, int size)
{
    make_balls(m, size, 0.101, 0.0f);
}

static void make_elastic_spheres(maker *m, int size)
{
    make_balls(m, size, 1.101, 1.0f);
}

static const dry_scene_builtin builtins[] = {
    {"tower", "cubes one on another", "cubes", 30, 1, 100000},
    {"pyramid", "a 2-D pyramid of cubes that touch", "cubes in the base", 100, 1, 1500},
    {"pyramids", "size x size separate pyramids of base 10", "pyramids a side", 10, 1, 150},
    {"pile", "cubes in random orientations dropped into a walled bin", "cubes", 10000, 1, 1000000},
    {"mass-ratio", "a heavy cube on an equal cube of 1 kg", "kg of the upper cube", 1000, 1, 1000000000},
    {"mixed", "every shape, compounds, joints and a kinematic pusher on a half-space", "bodies", 500, 1,
     1000000},
    {"bridge", "planks joined between two posts, with cubes on them", "planks", 40, 1, 10000},
    {"bridge-load", "the bridge of 40 planks, on which boxes fall", "boxes", 200, 1, 10000},
    {"kapla", "the building of blocks of SimBenchmark", "floors", 6, 1, 1000},
    {"spheres", "size^3 balls without friction above the ground, of SimBenchmark", "balls a side", 6, 1, 100},
    {"spheres-elastic", "the same, elastic, dropped from 1 m", "balls a side", 6, 1, 100},
    {"joints", "blocks that hang by joints of every type, with motors, springs and stops",
     "sets of twenty blocks", 10, 1, 10000},
    {"ball-hinge", "a row of flaps, each on two ball joints", "flaps", 1, 1, 10000},
    {"peaucellier", "seven bars whose pen moves on a line", "linkages", 1, 1, 1000},
    {"scissor", "a scissor lift", "segments", 10, 1, 1000},
    {"chain", "a chain that swings with a load of 1,000 times a link's mass", "links", 100, 1, 100000},
    {"spider", "a plate with legs on ball joints", "legs", 100, 1, 10000},
    {"tree", "a mobile: a binary tree of bars", "levels below the first bar", 6, 1, 14},
    {"lever", "a rod of 50 kg with a block at its end that falls onto a knob near its pivot",
     "kg of the block", 7500, 1, 1000000},
    {"four-bar", "parallelograms with a third rocker, which is 1 % too long in the first", "parallelograms",
     2, 1, 1000},
    {"tube", "a tube of rings of bars on ball joints", "rings", 8, 1, 1000},
    {"octahedra", "a tube of octahedra whose edges fold", "rings", 1, 1, 1000},
    {"octahedra-cube", "a cube of size^3 octahedra whose edges fold", "octahedra a side", 2, 1, 20},
    {"lattice", "a cube of size^3 nodes, joined by bars on ball joints", "nodes a side", 4, 2, 40},
    {"strandbeest", "a walking machine of Jansen's linkages on one crank shaft", "legs", 12, 1, 1000},
    {"ragdolls", "figures of 15 bodies and ten boxes for each, dropped into a bin", "figures", 100, 1, 10000},
    {"door", "doors with closers and handles, at which balls fly", "doors", 1, 1, 1000},
    {"vehicle", "vehicles with springs, steering and driven wheels on bumps", "vehicles", 1, 1, 1000},
    {"crane", "a tower crane with a load on a rope", "links of the rope", 20, 1, 1000},
    {"excavator", "excavators that cylinders move", "excavators", 1, 1, 1000},
    {"springboard", "boards of planks on soft fixed joints, on which balls fall", "boards", 1, 1, 1000},
    {"hoist", "hoists with gears and racks", "hoists", 1, 1, 1000},
    {"hulls", "convex hulls of 12 to 32 vertices dropped into a walled bin", "hulls", 1000, 1, 1000000},
    {"shapes", "bodies of every shape that moves dropped into a walled bin", "bodies", 600, 1, 1000000},
    {"terrain", "convex hulls that fall on wavy ground, a mesh", "hulls", 1000, 1, 100000},
    {"field", "convex hulls that fall on wavy ground, a height field", "hulls", 1000, 1, 100000},
    {"slide", "bodies of each convex type that slide over a floor",
     "which floor: half-space, mesh, needles, boxes, fields, hulls", 2, 1, 6},
    {NULL, NULL, NULL, 0, 0, 0},
};

/* One function for each element of `builtins`. */
static void (*const makers[])(maker *m, int size) = {
    make_tower,
    make_pyramid,
    make_pyramids,
    make_pile,
    make_mass_ratio,
    make_mixed,
    make_bridge,
    make_bridge_load,
    make_kapla,
    make_spheres,
    make_elastic_spheres,
    make_joints,
    dry_make_ball_hinge,
    dry_make_peaucellier,
    dry_make_scissor,
    dry_make_chain,
    dry_make_spider,
    dry_make_tree,
    dry_make_lever,
    dry_make_four_bar,
    dry_make_tube,
    dry_make_octahedra,
    dry_make_octahedra_cube,
    dry_make_lattice,
    dry_make_strandbeest,
    dry_make_ragdolls,
    dry_make_door,
    dry_make_vehicle,
    dry_make_crane,
    dry_make_excavator,
    dry_make_springboard,
    dry_make_hoist,
    dry_make_hulls,
    dry_make_shapes,
    dry_make_terrain,
    dry_make_field,
    dry_make_slide,
};

const dry_scene_builtin *dry_scene_builtins(void)
{
    return builtins;
}

static bool fail_unknown(const char *name, char *error, size_t error_bytes)
{
    char list[512] = "";
    for (int i = 0; builtins[i].name; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", builtins[i].name);
    }
    return dry_scene_fail(error, error_bytes,
                          "%.80s: unknown scene, expected one of %s, or a path ending in .json", name, list);
}

bool dry_scene_make(const char *name, int size, dry_scene *scene, char *error, size_t error_bytes)
{
    memset(scene, 0, sizeof *scene);
    int i = 0;
    while (builtins[i].name && strcmp(builtins[i].name, name) != 0)
        i++;
    const dry_scene_builtin *builtin = &builtins[i];
    if (!builtin->name)
        return fail_unknown(name, error, error_bytes);
    if (size == 0)
        size = builtin->size_default;
    if (size < builtin->size_min || size > builtin->size_max)
        return dry_scene_fail(error, error_bytes, "%s: expected a size from %d to %d (%s), got %d", name,
                              builtin->size_min, builtin->size_max, builtin->size_unit, size);

    scene->gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    scene->dt = 1.0f / 60.0f;
    scene->name = dry_scene_copy_text(name);
    maker m = {.scene = scene, .failed = !scene->name, .random = 0x64727973746f6e65u};
    makers[i](&m, size);
    if (m.failed) {
        dry_scene_free(scene);
        return dry_scene_fail(error, error_bytes, "%s: out of memory for size %d", name, size);
    }
    dry_scene_finish(scene);
    return true;
}
