/* Bodies that slide or roll over a floor, and the track of each beside that of a twin on a half-space. Tests
 * of floors make the floor; the rest is the same for all. */
#ifndef TESTS_NARROWPHASE_SLIDES_H
#define TESTS_NARROWPHASE_SLIDES_H

#include "tests/test_world.h"

enum { STEPS_MAX = 2000 };

/* A floor with its surface in y = 0, in a world that is turned. */
typedef struct slide_floor {
    void (*make)(dry_world *world, const void *of, dry_quat turn);
    const void *of;
    d3 velocity; /* of the floor, if it moves */
} slide_floor;

/* A moving body: its shape, its place over the surface y = 0, its motion along x. */
typedef struct mover {
    const char *name;
    dry_shape_def shape;
    double height; /* of the center where it touches, m */
    dry_quat attitude;
    bool rolls, locked;
} mover;

typedef struct track {
    int steps;
    double up[STEPS_MAX], aside[STEPS_MAX];
    double depth, speed, tilt;
} track;

static track tracks[2];

/* Returns the angle by which a body of a shape has tilted, or a little less. A body of revolution may spin
 * about its axis. */
static inline double tilt_of(const dry_shape_def *shape, dry_quat before, dry_quat after)
{
    const bool is_box = shape->type == DRY_SHAPE_BOX || shape->type == DRY_SHAPE_HULL;
    const d3 axes[] = {{1, 0, 0}, {0, 1, 0}};
    double tilt = 0;
    for (int i = is_box ? 0 : 1; i < 2 && shape->type != DRY_SHAPE_SPHERE; i++)
        tilt = fmax(tilt, d3_length(d3_sub(d3_turn(before, axes[i]), d3_turn(after, axes[i]))));
    return tilt;
}

/* Lets a body move along x at a speed, in a world turned by `turn`, and follows it. */
static inline void follow(const slide_floor *f, const mover *m, double speed, double length, dry_quat turn,
                          track *t)
{
    dry_settings settings = test_settings();
    settings.gravity = v3_of(d3_turn(turn, (d3){0, -TEST_G, 0}));
    dry_world *world = world_with(settings);
    f->make(world, f->of, turn);
    const d3 start = {0, m->height, 0.137};
    const d3 place = d3_turn(turn, start), velocity = d3_add((d3){speed, 0, 0}, f->velocity);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(place.x, place.y, place.z), &m->shape);
    const dry_quat q = turn, p = m->attitude;
    def.pose.orientation = (dry_quat){
        q.w * p.x + q.x * p.w + q.y * p.z - q.z * p.y, q.w * p.y - q.x * p.z + q.y * p.w + q.z * p.x,
        q.w * p.z + q.x * p.y - q.y * p.x + q.z * p.w, q.w * p.w - q.x * p.x - q.y * p.y - q.z * p.z};
    def.velocity.linear = v3_of(d3_turn(turn, velocity));
    if (m->rolls)
        def.velocity.angular = v3_of(d3_turn(turn, (d3){0, 0, -speed / m->height}));
    def.locks = m->locked ? DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z : 0;
    const dry_body_id id = add_def(world, &def);
    *t = (track){.steps = (int)(length / speed * 60)};
    assert_true(t->steps <= STEPS_MAX);
    for (int i = 0; i < t->steps; i++) {
        run_steps(world, 1, TEST_DT);
        const dry_pose pose = pose_of(world, id);
        const d3 floor_moved = d3_scale(f->velocity, (i + 1) * (double)TEST_DT);
        const d3 at = d3_sub(d3_turn_back(turn, d3_at(pose.position)), floor_moved);
        t->up[i] = at.y - m->height;
        t->aside[i] = at.z - start.z;
        t->depth = fmax(t->depth, -t->up[i]);
        t->tilt = m->rolls ? 0 : fmax(t->tilt, tilt_of(&m->shape, def.pose.orientation, pose.orientation));
    }
    dry_velocity v;
    assert_ok(dry_body_get_velocity(world, id, &v));
    t->speed = d3_length(d3_sub(d3_turn_back(turn, d3_of(v.linear)), f->velocity));
    dry_world_destroy(world);
}

/* Bounds on a run beside its twin on a half-space. */
typedef struct bounds {
    double height, jump, speed, aside, tilt;
} bounds;

/* Returns whether a run keeps the bounds; says by how much it does not. */
static inline bool runs_alike(const track *on_floor, const track *on_plane, const bounds *b, const char *name)
{
    double height = 0, jump = 0, aside = 0;
    for (int i = 0; i < on_floor->steps; i++) {
        height = fmax(height, fabs(on_floor->up[i]) - on_plane->depth);
        aside = fmax(aside, fabs(on_floor->aside[i] - on_plane->aside[i]));
        jump = i > 30 ? fmax(jump, fabs(on_floor->up[i] - on_floor->up[i - 1])) : 0;
    }
    const double speed = fabs(on_floor->speed / on_plane->speed - 1), tilt = on_floor->tilt - on_plane->tilt;
    const bool alike =
        height <= b->height && jump <= b->jump && speed <= b->speed && aside <= b->aside && tilt <= b->tilt;
    if (!alike)
        print_error("%s: height +%.4f mm, jump %.4f mm, speed %.4f %%, aside %.3f mm, tilt %.3f mrad\n", name,
                    height * 1e3, jump * 1e3, speed * 1e2, aside * 1e3, tilt * 1e3);
    return alike;
}

static inline void compare(const track *on_floor, const track *on_plane, const bounds *b, const char *name)
{
    assert_true(runs_alike(on_floor, on_plane, b, name));
}

/* The data of a hull that slides: a box with a girdle. */
static dry_shape_data *girdled;

static inline dry_shape_def hull_shape(double size)
{
    dry_vec3 points[16];
    const double girdle[8][2] = {{1.6, 0.3}, {1.6, -0.3}, {-1.6, 0.3}, {-1.6, -0.3},
                                 {0.3, 1.5}, {-0.3, 1.5}, {0.3, -1.5}, {-0.3, -1.5}};
    for (int i = 0; i < 8; i++) {
        points[i] = v3(i & 1 ? 1.3 : -1.3, i & 2 ? 1 : -1, i & 4 ? 1.1 : -1.1);
        points[8 + i] = v3(girdle[i][0], 0.1 * (i % 3), girdle[i][1]);
    }
    if (!girdled)
        assert_ok(dry_hull_create(points, 16, 0, NULL, &girdled, NULL));
    dry_shape_def def = data_shape(DRY_SHAPE_HULL, girdled);
    def.scale = v3(size, size, size);
    return def;
}

static inline mover mover_of(int kind, double size)
{
    const dry_quat flat = quat_about((d3){0, 0, 1}, TEST_PI / 2);
    mover m = {.attitude = QUAT_IDENTITY, .height = size};
    if (kind == 0) {
        m = (mover){"ball", sphere_shape(size), size, QUAT_IDENTITY, true, false};
    } else if (kind == 1) {
        m = (mover){
            "standing capsule", capsule_shape(size, 1.5 * size), 2.5 * size, QUAT_IDENTITY, false, true};
    } else if (kind == 2) {
        m = (mover){"box", box_shape(1.3 * size, size, 1.1 * size), size, QUAT_IDENTITY, false, false};
    } else if (kind == 3) {
        m = (mover){"sphere", sphere_shape(size), size, QUAT_IDENTITY, false, false};
    } else if (kind == 4) {
        m = (mover){"lying capsule", capsule_shape(size, 2 * size), size, flat, false, false};
    } else if (kind == 7) {
        m.name = "hull";
        m.shape = hull_shape(size);
    } else {
        m.name = kind == 5 ? "standing cylinder" : "lying cylinder";
        m.shape = dry_default_shape_def();
        m.shape.type = DRY_SHAPE_CYLINDER;
        m.shape.radius = (float)(kind == 5 ? 1.2 * size : size);
        m.shape.half_length = (float)(kind == 5 ? size : 1.4 * size);
        m.attitude = kind == 5 ? QUAT_IDENTITY : quat_about((d3){1, 0, 0}, TEST_PI / 2);
    }
    m.shape.friction = kind == 0 ? 0.6f : 0.0f;
    return m;
}

/* Frees what movers share. */
static inline void slides_end(void)
{
    dry_shape_data_release(girdled);
    girdled = NULL;
}

#endif
