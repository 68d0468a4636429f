/* Shares the parts that built-in scenes are made of: bodies, shapes and joints of a scene under construction.
 */
#ifndef TOOLS_SCENES_MAKER_H
#define TOOLS_SCENES_MAKER_H

#include "tools/scenes/random.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>

/* A scene under construction. After memory has failed, adding does nothing. */
typedef struct maker {
    dry_scene *scene;
    bool failed;
    int cubes; /* cubes added so far; the next id is b<cubes + 1> */
    uint64_t random;
} maker;

static inline int add_body(maker *m, const char *id, dry_body_type type, double x, double y, double z)
{
    if (m->failed)
        return -1;
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = (dry_position){x, y, z};
    int index = dry_scene_add_body(m->scene, id, &def);
    m->failed = index < 0;
    return index;
}

/* Adds a dynamic body with the next id. */
static inline int add_next(maker *m, double x, double y, double z)
{
    char id[24];
    snprintf(id, sizeof id, "b%d", ++m->cubes);
    return add_body(m, id, DRY_BODY_DYNAMIC, x, y, z);
}

static inline void add_shape(maker *m, const dry_shape_def *shape)
{
    if (!m->failed)
        m->failed = dry_scene_add_shape(m->scene, shape) < 0;
}

static inline dry_shape_def shape_of(dry_shape_type type)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = type;
    shape.density = 1000.0f;
    shape.friction = 0.6f;
    shape.restitution = 0.0f;
    return shape;
}

static inline dry_shape_def box_of(float x, float y, float z)
{
    dry_shape_def shape = shape_of(DRY_SHAPE_BOX);
    shape.half_extents = (dry_vec3){x, y, z};
    return shape;
}

static inline void add_box(maker *m, float x, float y, float z)
{
    dry_shape_def shape = box_of(x, y, z);
    add_shape(m, &shape);
}

static inline void add_sphere_at(maker *m, float radius, float x)
{
    dry_shape_def shape = shape_of(DRY_SHAPE_SPHERE);
    shape.radius = radius;
    shape.pose.position.x = x;
    add_shape(m, &shape);
}

static inline dry_shape_def capsule_of(float radius, float half_length)
{
    dry_shape_def shape = shape_of(DRY_SHAPE_CAPSULE);
    shape.radius = radius;
    shape.half_length = half_length;
    return shape;
}

/* Adds a static box whose top is the plane y = 0. */
static inline void add_floor(maker *m, double half_x, double half_z)
{
    add_body(m, "floor", DRY_BODY_STATIC, 0.0, -1.0, 0.0);
    add_box(m, (float)half_x, 1.0f, (float)half_z);
}

static inline void add_cube(maker *m, double x, double y, double z)
{
    add_next(m, x, y, z);
    add_box(m, 0.5f, 0.5f, 0.5f);
}

static inline void add_joint(maker *m, dry_joint_def def, int body_a, int body_b)
{
    if (!m->failed)
        m->failed = dry_scene_add_joint(m->scene, &def, body_a, body_b) < 0;
}

/* Draws from a uniform distribution of rotations: a point of the four-dimensional unit ball, moved to the
 * ball's surface. */
static inline dry_quat random_rotation(maker *m)
{
    for (;;) {
        double x = dry_random_signed(&m->random), y = dry_random_signed(&m->random);
        double z = dry_random_signed(&m->random), w = dry_random_signed(&m->random);
        double squared = x * x + y * y + z * z + w * w;
        if (squared > 1.0 || squared < 0.01)
            continue;
        double length = sqrt(squared);
        return (dry_quat){(float)(x / length), (float)(y / length), (float)(z / length), (float)(w / length)};
    }
}

static inline void turn(maker *m, int body)
{
    dry_quat q = random_rotation(m);
    if (body >= 0)
        m->scene->bodies[body].def.pose.orientation = q;
}

/* Adds the four static walls of a bin whose inside is 2 half wide. */
static inline void add_walls(maker *m, double half, double half_height)
{
    static const struct {
        const char *id;
        int x, z;
    } walls[4] = {{"wall1", 1, 0}, {"wall2", -1, 0}, {"wall3", 0, 1}, {"wall4", 0, -1}};
    for (int i = 0; i < 4; i++) {
        add_body(m, walls[i].id, DRY_BODY_STATIC, walls[i].x * (half + 1.0), half_height,
                 walls[i].z * (half + 1.0));
        add_box(m, (float)(walls[i].x ? 1.0 : half + 2.0), (float)half_height,
                (float)(walls[i].x ? half : 1.0));
    }
}

/* A walled bin above which bodies wait in layers, `spacing` apart. */
typedef struct bin {
    double spacing;
    int side; /* bodies in a row, and rows in a layer */
} bin;

/* Adds a floor and a bin for `size` bodies. The bin's width makes the settled heap (60 % solid) half as high
 * as wide; its walls are as high as the highest body at the start. */
static inline bin add_bin(maker *m, int size, double spacing)
{
    bin b = {spacing, 1};
    while (0.3 * (spacing * b.side) * (spacing * b.side) * (spacing * b.side) < size)
        b.side++;
    const int layers = (size + b.side * b.side - 1) / (b.side * b.side);
    const double half = 0.5 * spacing * b.side, half_height = 0.5 * spacing * layers + 2.0;
    add_floor(m, half + 2.0, half + 2.0);
    add_walls(m, half, half_height);
    return b;
}

/* Adds body i at its place above the bin, in a random orientation. */
static inline void add_in_bin(maker *m, bin b, int i)
{
    const int layer = i / (b.side * b.side), row = i / b.side % b.side, column = i % b.side;
    const int body = add_next(m, b.spacing * (column - 0.5 * (b.side - 1)), 1.0 + b.spacing * layer,
                              b.spacing * (row - 0.5 * (b.side - 1)));
    turn(m, body);
}

#endif
