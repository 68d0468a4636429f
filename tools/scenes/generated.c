/* Makes scenes from a seed. Pseudo-random numbers come from integer arithmetic; exp, log and sine are not
 * used, since their last bits vary between machines.
 *
 * Writes a dry_scene through scene_parts.h. */
#include "tools/scenes/generated.h"

#include "tools/scenes/random.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A scene under construction. After memory has failed, adding does nothing. */
typedef struct yard {
    dry_scene *scene;
    uint64_t seed, random;
    int parts; /* dynamic bodies so far; the next id is b<parts + 1> */
    bool failed;
    double unit;     /* scale of the parts, m */
    double density;  /* kg/m^3 */
    double disorder; /* largest shift along x and along z, m */
} yard;

typedef struct point {
    double x, y, z;
} point;

/* Draws a number from [low, high). */
static double draw(yard *y, double low, double high)
{
    return low + 0.5 * (dry_random_signed(&y->random) + 1.0) * (high - low);
}

/* Draws a whole number from low to high, both included. */
static int draw_count(yard *y, int low, int high)
{
    return low + (int)(dry_random_bits(&y->random) % (uint64_t)(high - low + 1));
}

/* Draws from low to high with every doubling about equally likely. */
static double draw_scale(yard *y, double low, double high)
{
    int doublings = 0;
    while (low * (double)(2 << doublings) <= high)
        doublings++;
    double scale = low * (double)(1 << draw_count(y, 0, doublings));
    return fmin(scale * draw(y, 1.0, 2.0), high);
}

static int add_body(yard *y, const char *id, dry_body_type type, point at)
{
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = (dry_position){at.x, at.y, at.z};
    int body = y->failed ? -1 : dry_scene_add_body(y->scene, id, &def);
    y->failed = body < 0;
    return body;
}

static void add_shape(yard *y, dry_shape_type type, point half, double density)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = type;
    shape.half_extents = (dry_vec3){(float)half.x, (float)half.y, (float)half.z};
    shape.radius = (float)half.x;
    shape.density = (float)density;
    if (type == DRY_SHAPE_SPHERE)
        shape.rolling_resistance = 0.01f; /* free balls would roll on */
    y->failed = y->failed || dry_scene_add_shape(y->scene, &shape) < 0;
}

static void add_static_box(yard *y, const char *id, point at, point half)
{
    add_body(y, id, DRY_BODY_STATIC, at);
    add_shape(y, DRY_SHAPE_BOX, half, y->density);
}

/* Adds a floor whose top is the plane y = 0 and that reaches `reach` to each side. */
static void add_floor(yard *y, double reach)
{
    double depth = fmax(1.0, y->unit);
    add_static_box(y, "floor", (point){0.0, -depth, 0.0}, (point){reach, depth, reach});
}

static int add_next(yard *y, point at)
{
    char id[24];
    snprintf(id, sizeof id, "b%d", ++y->parts);
    return add_body(y, id, DRY_BODY_DYNAMIC, at);
}

/* Adds a box of a density, out of place by the yard's disorder. Returns its body. */
static int add_dense(yard *y, point at, point half, double density)
{
    double x = y->disorder * dry_random_signed(&y->random), z = y->disorder * dry_random_signed(&y->random);
    int body = add_next(y, (point){at.x + x, at.y, at.z + z});
    add_shape(y, DRY_SHAPE_BOX, half, density);
    return body;
}

static void add_part(yard *y, point at, point half)
{
    add_dense(y, at, half, y->density);
}

/* Draws scale, density and disorder. The disorder is at most 1/1000 of the scale. */
static void draw_yard(yard *y)
{
    y->unit = draw_scale(y, 0.05, 20.0);
    y->density = draw_scale(y, 100.0, 8000.0);
    y->disorder = y->unit * draw(y, 0.0, 1e-3);
}

/* Half of a part's length, less its share of the gap to the next part. */
static double half_with_gap(const yard *y, double length)
{
    return 0.5 * length - 1.01 * y->disorder;
}

/* Adds a row of parts that ends at -end and end along x, or along z if `turned`. */
static void add_row(yard *y, double end, double length, point middle, double height, double thick,
                    bool turned)
{
    int count = (int)lround(2.0 * end / length);
    for (int i = 0; i < count; i++) {
        double at = -end + (i + 0.5) * length, half = half_with_gap(y, length);
        if (turned)
            add_part(y, (point){middle.x, middle.y, middle.z + at}, (point){0.5 * thick, 0.5 * height, half});
        else
            add_part(y, (point){middle.x + at, middle.y, middle.z}, (point){half, 0.5 * height, 0.5 * thick});
    }
}

/* Builds courses in running bond; every second course begins and ends with half a brick. */
static void build_wall(yard *y, int bricks, int courses, double length, double height, double thick)
{
    double end = 0.5 * bricks * length;
    add_floor(y, 20.0 * length + 4.0 * end);
    for (int course = 0; course < courses; course++) {
        point middle = {0.0, (course + 0.5) * height, 0.0};
        if (course % 2 == 0) {
            add_row(y, end, length, middle, height, thick, false);
            continue;
        }
        add_row(y, end - 0.5 * length, length, middle, height, thick, false);
        for (int side = -1; side <= 1; side += 2)
            add_part(y, (point){side * (end - 0.25 * length), middle.y, 0.0},
                     (point){half_with_gap(y, 0.5 * length), 0.5 * height, 0.5 * thick});
    }
}

static void make_wall(yard *y)
{
    int bricks = draw_count(y, 5, 16), courses = draw_count(y, 15, 45);
    double length = y->unit * draw(y, 1.5, 3.0);
    build_wall(y, bricks, courses, length, y->unit, y->unit * draw(y, 0.8, 1.5));
}

/* Thickness below half of a brick's height; the wall at most 80 times as high as thick. */
static void make_thin_wall(yard *y)
{
    double thick = y->unit * draw(y, 0.3, 0.5);
    int bricks = draw_count(y, 4, 12), courses = draw_count(y, 8, (int)(80.0 * thick / y->unit));
    y->disorder = fmin(y->disorder, 0.02 * thick);
    build_wall(y, bricks, courses, 2.0 * y->unit, y->unit, thick);
}

/* Layers of cubes, each cube on four, with the given number of cubes a side in the lowest and highest layer.
 */
static void build_layers(yard *y, int lowest, int highest)
{
    double pitch = y->unit, half = half_with_gap(y, pitch);
    add_floor(y, 20.0 * pitch * lowest);
    for (int side = lowest, layer = 0; side >= highest; side--, layer++)
        for (int row = 0; row < side; row++)
            for (int column = 0; column < side; column++)
                add_part(y,
                         (point){pitch * (column - 0.5 * (side - 1)), (layer + 0.5) * y->unit,
                                 pitch * (row - 0.5 * (side - 1))},
                         (point){half, 0.5 * y->unit, half});
}

static void make_pyramid3d(yard *y)
{
    build_layers(y, draw_count(y, 5, 13), 1);
}

static void make_heap(yard *y)
{
    int lowest = draw_count(y, 10, 18);
    build_layers(y, lowest, lowest - draw_count(y, 2, 4));
}

/* Crossed pairs of beams. */
static void make_cabin(yard *y)
{
    int layers = draw_count(y, 20, 60);
    double length = y->unit * draw(y, 4.0, 12.0), apart = 0.5 * length - y->unit * draw(y, 0.6, 1.0);
    add_floor(y, 20.0 * length);
    for (int layer = 0; layer < layers; layer++)
        for (int side = -1; side <= 1; side += 2) {
            double height = (layer + 0.5) * y->unit;
            if (layer % 2 == 0)
                add_part(y, (point){0.0, height, side * apart},
                         (point){0.5 * length, 0.5 * y->unit, 0.5 * y->unit});
            else
                add_part(y, (point){side * apart, height, 0.0},
                         (point){0.5 * y->unit, 0.5 * y->unit, 0.5 * length});
        }
}

/* Four walls whose corners interlock: in every second course the other pair of walls reaches the corners. */
static void make_room(yard *y)
{
    int bricks = draw_count(y, 3, 8), courses = draw_count(y, 6, 18);
    double height = y->unit * draw(y, 0.7, 1.3), out = bricks * y->unit, middle = out - 0.5 * y->unit,
           thick = 2.0 * half_with_gap(y, y->unit);
    add_floor(y, 20.0 * out);
    for (int course = 0; course < courses; course++)
        for (int side = -1; side <= 1; side += 2) {
            double up = (course + 0.5) * height, first = out, second = out - y->unit;
            bool odd = course % 2 == 1;
            add_row(y, odd ? second : first, 2.0 * y->unit, (point){0.0, up, side * middle}, height, thick,
                    false);
            add_row(y, odd ? first : second, 2.0 * y->unit, (point){side * middle, up, 0.0}, height, thick,
                    true);
        }
}

/* Bricks shifted to a share of the harmonic limit: the load above each brick acts at this share of the way
 * from the middle of the brick to its end. */
static void make_overhang(yard *y)
{
    int count = draw_count(y, 3, 14);
    double length = y->unit * draw(y, 2.0, 4.0), share = draw(y, 0.6, 0.84), x = 0.0;
    y->disorder = fmin(y->disorder, 0.002 * length);
    add_floor(y, 20.0 * length);
    for (int i = 0; i < count; i++) {
        add_part(y, (point){x, (i + 0.5) * y->unit, 0.0},
                 (point){0.5 * length, 0.5 * y->unit, 0.5 * y->unit});
        x += share * 0.5 * length / (count - 1 - i > 0 ? count - 1 - i : 1);
    }
}

static void make_planks(yard *y)
{
    int count = draw_count(y, 5, 24);
    double thick = y->unit * 0.25, height = thick * draw(y, 3.0, 6.0);
    y->disorder = thick * draw(y, 0.0, 0.02);
    add_floor(y, 100.0 * y->unit);
    for (int i = 0; i < count; i++)
        add_part(y, (point){0.0, (i + 0.5) * height, 0.0},
                 (point){0.5 * thick * draw(y, 12.0, 14.0), 0.5 * height, 0.5 * thick});
}

static void make_plates(yard *y)
{
    int count = draw_count(y, 10, 60);
    double thick = y->unit / draw(y, 8.0, 25.0);
    add_floor(y, 20.0 * y->unit);
    for (int i = 0; i < count; i++)
        add_part(y, (point){0.0, (i + 0.5) * thick, 0.0}, (point){0.5 * y->unit, 0.5 * thick, 0.5 * y->unit});
}

/* A stack of boxes as high as `height` each, whose densities grow by a factor upward. */
static void build_stack(yard *y, int count, double width, double height, double factor, double last)
{
    double density = y->density;
    add_floor(y, 20.0 * width + 2.0 * count * height);
    for (int i = 0; i < count; i++, density *= factor)
        add_dense(y, (point){0.0, (i + 0.5) * height, 0.0}, (point){0.5 * width, 0.5 * height, 0.5 * width},
                  i == count - 1 ? last * density : density);
}

static void make_tower(yard *y)
{
    const double height = y->unit * draw(y, 0.5, 1.2);
    build_stack(y, draw_count(y, 8, 60), y->unit, height, 1.0, 1.0);
}

static void make_pillar(yard *y)
{
    const double height = y->unit * draw(y, 2.5, 5.0);
    build_stack(y, draw_count(y, 3, 12), y->unit, height, 1.0, 1.0);
}

static void make_doubling(yard *y)
{
    y->density = fmin(y->density, 1000.0);
    int count = draw_count(y, 4, 10);
    build_stack(y, count, y->unit, y->unit, draw(y, 1.4, 2.0), 1.0);
}

/* The highest cube is 10 to 1,000 times as heavy as each below it. */
static void make_heavy(yard *y)
{
    y->density = fmin(y->density, 1000.0);
    int count = draw_count(y, 2, 8);
    build_stack(y, count, y->unit, y->unit, 1.0, draw_scale(y, 10.0, 1000.0));
}

/* A flat pyramid without its top, and a heavy slab on it. */
static void make_cap(yard *y)
{
    int base = draw_count(y, 8, 24), top = draw_count(y, 3, 6);
    double pitch = y->unit, half = half_with_gap(y, pitch);
    add_floor(y, 20.0 * pitch * base);
    for (int row = 0; row <= base - top; row++)
        for (int i = 0; i < base - row; i++)
            add_part(y, (point){pitch * (i - 0.5 * (base - row - 1)), (row + 0.5) * y->unit, 0.0},
                     (point){half, 0.5 * y->unit, 0.5 * y->unit});
    add_dense(y, (point){0.0, (base - top + 1.5) * y->unit, 0.0},
              (point){0.5 * pitch * (top - 1), 0.5 * y->unit, 0.5 * y->unit},
              y->density * draw_scale(y, 2.0, 50.0));
}

/* Storeys of two pillars and a lintel. */
static void make_storeys(yard *y)
{
    int storeys = draw_count(y, 2, 8);
    double height = y->unit * draw(y, 1.5, 3.0), length = y->unit * draw(y, 4.0, 7.0);
    add_floor(y, 20.0 * length);
    for (int i = 0; i < storeys; i++) {
        double base = i * (height + y->unit);
        for (int side = -1; side <= 1; side += 2)
            add_part(y, (point){side * (0.5 * length - 0.6 * y->unit), base + 0.5 * height, 0.0},
                     (point){0.5 * y->unit, 0.5 * height, 0.5 * y->unit});
        add_part(y, (point){0.0, base + height + 0.5 * y->unit, 0.0},
                 (point){0.5 * length, 0.5 * y->unit, 0.6 * y->unit});
    }
}

/* Links of 1 kg on ball joints, with 100 kg to 10,000 kg below; seed 0 is ten links with 10,000 kg. */
static void make_chain(yard *y)
{
    const double half = 0.25;
    double ratio = draw_scale(y, 100.0, 10000.0);
    int links = draw_count(y, 4, 16);
    if (y->seed == 0) {
        links = 10;
        ratio = 10000.0;
    }
    add_static_box(y, "hook", (point){0.0, 0.0, 0.0}, (point){half, half, half});
    double top = -half;
    for (int i = 0; i <= links; i++) {
        bool last = i == links;
        double reach = last ? 2.0 * half : half, thick = last ? reach : 0.2 * half;
        int body = add_next(y, (point){0.0, top - reach, 0.0});
        add_shape(y, DRY_SHAPE_BOX, (point){thick, reach, thick},
                  (last ? ratio : 1.0) / (8.0 * thick * thick * reach));
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
        joint.anchor_a = (dry_vec3){0.0f, (float)-half, 0.0f};
        joint.anchor_b = (dry_vec3){0.0f, (float)reach, 0.0f};
        y->failed = y->failed || dry_scene_add_joint(y->scene, &joint, body - 1, body) < 0;
        top -= 2.0 * reach;
    }
}

/* Draws from a uniform distribution of rotations: a point of the four-dimensional unit ball, moved to the
 * ball's surface. */
static dry_quat draw_rotation(yard *y)
{
    for (;;) {
        double q[4], squared = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = dry_random_signed(&y->random);
            squared += q[i] * q[i];
        }
        double length = sqrt(squared);
        if (squared > 0.01 && squared < 1.0)
            return (dry_quat){(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length),
                              (float)(q[3] / length)};
    }
}

typedef struct drop {
    point half; /* of a box; of a sphere x is the radius */
    bool sphere;
} drop;

/* Drops `count` parts, one after the other from `next`, into a bin that they fill to about a half of its
 * width. Parts begin `apart` from each other, which is more than the largest part's diagonal. */
static void build_pile(yard *y, int count, double apart, double volume, drop (*next)(yard *y))
{
    int side = 1;
    while (0.3 * (apart * side) * (apart * side) * (apart * side) < count * volume ||
           side * side * 12 < count)
        side++;
    int layers = (count + side * side - 1) / (side * side);
    double half = 0.5 * apart * side, high = 0.5 * apart * layers + 2.0;
    add_floor(y, half + 2.0);
    for (int i = 0; i < 4; i++) {
        static const char *const ids[] = {"wall1", "wall2", "wall3", "wall4"};
        double to = i % 2 == 0 ? half + 1.0 : -half - 1.0;
        add_static_box(y, ids[i], i < 2 ? (point){to, high, 0.0} : (point){0.0, high, to},
                       i < 2 ? (point){1.0, high, half} : (point){half + 2.0, high, 1.0});
    }
    for (int i = 0; i < count; i++) {
        int layer = i / (side * side), row = i / side % side, column = i % side;
        int body = add_next(y, (point){apart * (column - 0.5 * (side - 1)), apart * (layer + 0.6),
                                       apart * (row - 0.5 * (side - 1))});
        dry_quat rotation = draw_rotation(y);
        drop one = next(y);
        add_shape(y, one.sphere ? DRY_SHAPE_SPHERE : DRY_SHAPE_BOX, one.half, y->density);
        if (!y->failed)
            y->scene->bodies[body].def.pose.orientation = rotation;
    }
}

static drop next_plank(yard *y)
{
    return (drop){{0.65, y->disorder, 0.05}, false};
}

/* Planks 13 : 1 of 1.3 m, square or three times as wide as thick. */
static void make_pile_planks(yard *y)
{
    int count = draw_count(y, 300, 800);
    y->disorder = draw_count(y, 0, 1) == 0 ? 0.05 : 0.15; /* half the plank's width */
    build_pile(y, count, 1.4, 1.3 * 0.1 * 2.0 * y->disorder, next_plank);
}

static drop next_box(yard *y)
{
    return (drop){{draw(y, 0.075, 0.375), draw(y, 0.075, 0.375), draw(y, 0.075, 0.375)}, false};
}

static void make_pile_boxes(yard *y)
{
    build_pile(y, draw_count(y, 400, 1200), 1.31, 0.091, next_box);
}

static drop next_of_both(yard *y)
{
    if (draw_count(y, 0, 1) == 0)
        return next_box(y);
    double radius = draw(y, 0.15, 0.35);
    return (drop){{radius, radius, radius}, true};
}

static void make_pile_both(yard *y)
{
    build_pile(y, draw_count(y, 400, 1200), 1.31, 0.08, next_of_both);
}

static const dry_scene_family families[] = {
    {"wall", "bricks in running bond, free standing", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"thin-wall", "a wall thinner than half a brick's height", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"pyramid3d", "cubes on four each", DRY_SCENE_STANDS, 0.45, 5e-3},
    {"heap", "a wide pyramid without its top", DRY_SCENE_STANDS, 0.45, 5e-3},
    {"cabin", "crossed pairs of beams", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"room", "four walls that interlock", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"overhang", "bricks toward the harmonic limit", DRY_SCENE_STANDS, 0.15, 5e-3},
    {"planks", "planks on their edges", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"plates", "thin plates", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"tower-of", "boxes one on another", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"pillar", "slender blocks one on another", DRY_SCENE_STANDS, 0.9, 5e-3},
    {"doubling", "cubes whose masses grow upward", DRY_SCENE_STANDS, 0.9, 20e-3},
    {"heavy", "a heavy cube on light ones", DRY_SCENE_STANDS, 0.9, 20e-3},
    {"cap", "a heavy slab on a flat pyramid", DRY_SCENE_STANDS, 0.45, 20e-3},
    {"storeys", "pillars and lintels", DRY_SCENE_STANDS, 0.8, 5e-3},
    {"chain", "links of 1 kg with a heavy load below", DRY_SCENE_HANGS, 0.0, 5e-3},
    {"pile-planks", "planks 13 : 1 dropped into a bin", DRY_SCENE_FALLS, 0.0, 20e-3},
    {"pile-boxes", "boxes from 0.15 to 0.75 m dropped into a bin", DRY_SCENE_FALLS, 0.0, 20e-3},
    {"pile-both", "boxes and spheres dropped into a bin", DRY_SCENE_FALLS, 0.0, 20e-3},
    {NULL, NULL, DRY_SCENE_STANDS, 0.0, 0.0},
};

/* One function for each element of `families`. */
static void (*const makers[])(yard *y) = {
    make_wall,   make_thin_wall,   make_pyramid3d,  make_heap,      make_cabin,
    make_room,   make_overhang,    make_planks,     make_plates,    make_tower,
    make_pillar, make_doubling,    make_heavy,      make_cap,       make_storeys,
    make_chain,  make_pile_planks, make_pile_boxes, make_pile_both,
};

const dry_scene_family *dry_scene_families(void)
{
    return families;
}

const dry_scene_family *dry_scene_find_family(const char *name)
{
    for (const dry_scene_family *family = families; family->name; family++)
        if (strcmp(family->name, name) == 0)
            return family;
    return NULL;
}

bool dry_scene_generate(const char *family, uint64_t seed, dry_scene *scene, char *error, size_t error_bytes)
{
    memset(scene, 0, sizeof *scene);
    const dry_scene_family *found = dry_scene_find_family(family);
    if (!found)
        return dry_scene_fail(error, error_bytes, "%.80s: unknown family of generated scenes", family);
    char name[64];
    snprintf(name, sizeof name, "%s:%llu", found->name, (unsigned long long)seed);
    scene->name = dry_scene_copy_text(name);
    scene->gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    scene->dt = 1.0f / 60.0f;
    yard y = {.scene = scene, .seed = seed, .random = seed, .failed = !scene->name};
    y.random = dry_random_bits(&y.random) + (uint64_t)(found - families);
    if (found->kind == DRY_SCENE_STANDS) {
        draw_yard(&y);
    } else {
        y.unit = 1.0;
        y.density = 1000.0;
    }
    makers[found - families](&y);
    if (y.failed) {
        dry_scene_free(scene);
        return dry_scene_fail(error, error_bytes, "%s: out of memory", name);
    }
    dry_scene_finish(scene);
    return true;
}
