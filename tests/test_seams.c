/* Edges inside a surface: what moves over flush boxes moves as on a half-space, and what is no seam is felt.
 *
 * Each run has a twin on a half-space. Floors are grids of boxes: of one static body or of several, of
 * kinematic bodies that move alike, turned with gravity by odd angles, with boxes of drawn sizes, heights and
 * gaps. */
#include "tests/tile_floor.h"

enum { STEPS_MAX = 2000 };

/* What moves: its shape, its place over the surface y = 0, its motion along x. */
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

/* Boxes of drawn sizes: their tops differ by up to `offset`, their sides have gaps of up to `gap`. */
static void add_drawn(tile_floor *f, uint64_t *seed, double length, double low, double offset, double gap)
{
    for (double x = -1.5, wide; x < length; x += wide) {
        wide = low * pow(3 / low, random_in(seed, 0, 1));
        for (double z = -1.5 - random_in(seed, 0, 0.5), deep; z < 1.5; z += deep) {
            deep = low * pow(3 / low, random_in(seed, 0, 1));
            const double gx = random_in(seed, 0, gap) / 2, gz = random_in(seed, 0, gap) / 2;
            add_tile(f, x + gx, x + wide - gx, z + gz, z + deep - gz,
                     random_in(seed, -offset / 2, offset / 2), random_in(seed, 0.05, 0.5));
        }
    }
}

static double angle_between(dry_quat a, dry_quat b)
{
    const d3 x = d3_turn_back(a, d3_turn(b, (d3){1, 0, 0})), y = d3_turn_back(a, d3_turn(b, (d3){0, 1, 0}));
    return fmax(d3_length(d3_sub(x, (d3){1, 0, 0})), d3_length(d3_sub(y, (d3){0, 1, 0})));
}

/* Lets a body move along x at a speed, in a world turned by `turn`, and follows it. */
static void follow(const tile_floor *f, const mover *m, double speed, double length, dry_quat turn, track *t)
{
    dry_settings settings = test_settings();
    settings.gravity = v3_of(d3_turn(turn, (d3){0, -TEST_G, 0}));
    dry_world *world = world_with(settings);
    make_floor(world, f, turn);
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
        t->tilt = m->rolls ? 0 : fmax(t->tilt, angle_between(def.pose.orientation, pose.orientation));
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

static void compare(const track *on_tiles, const track *on_plane, const bounds *b, const char *name)
{
    double height = 0, jump = 0, aside = 0;
    for (int i = 0; i < on_tiles->steps; i++) {
        height = fmax(height, fabs(on_tiles->up[i]) - on_plane->depth);
        aside = fmax(aside, fabs(on_tiles->aside[i] - on_plane->aside[i]));
        jump = i > 30 ? fmax(jump, fabs(on_tiles->up[i] - on_tiles->up[i - 1])) : 0;
    }
    const double speed = fabs(on_tiles->speed / on_plane->speed - 1), tilt = on_tiles->tilt - on_plane->tilt;
    if (!(height <= b->height && jump <= b->jump && speed <= b->speed && aside <= b->aside &&
          tilt <= b->tilt)) {
        print_error("%s: height +%.4f mm, jump %.4f mm, speed %.4f %%, aside %.3f mm, tilt %.3f mrad\n", name,
                    height * 1e3, jump * 1e3, speed * 1e2, aside * 1e3, tilt * 1e3);
        fail();
    }
}

/* The data of a hull that slides: a box with a girdle. */
static dry_shape_data *girdled;

static dry_shape_def hull_shape(double size)
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
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_HULL;
    def.data = girdled;
    def.scale = v3(size, size, size);
    return def;
}

static mover mover_of(int kind, double size)
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

/* The rows of flush tiles: a ball of 10 cm, a capsule that stands, a box, at 5 m/s. */
static void flush_tiles_do_not_throw(void **state)
{
    (void)state;
    const double size[] = {0.1, 0.3, 0.25};
    const bounds tight = {1e-4, 1e-4, 2e-3, 0.02, 2e-3};
    for (int kind = 0; kind < 3; kind++) {
        const mover m = mover_of(kind, size[kind]);
        for (int k = HALFSPACE; k <= MANY_KINEMATIC; k++) {
            tile_floor *f = &floors[0];
            *f = (tile_floor){.kind = (floor_kind)k, .friction = m.shape.friction};
            add_grid(f, 20, 4, -1.5, -2);
            if (k >= ONE_KINEMATIC)
                f->velocity = (d3){0, 0.5, 0};
            follow(f, &m, 5, test_pick(16, 8), QUAT_IDENTITY, &tracks[k != HALFSPACE]);
            if (k != HALFSPACE)
                compare(&tracks[1], &tracks[0], &tight, m.name);
        }
    }
}

/* Without friction over many boxes, and the same turned by an odd angle with gravity. */
static void boxes_carry_as_a_half_space(void **state)
{
    (void)state;
    const bounds loose = {1e-3, 1, 2e-3, 0.02, 2e-3};
    const double size[] = {0.1, 0.3, 0.25, 0.1, 0.15, 0.25, 0.25, 0.25};
    for (int kind = 2; kind < 8; kind++)
        for (int turned = 0; turned < 2; turned++) {
            const dry_quat turn = turned ? quat_about((d3){0.3, -0.7, 0.5}, 1.234) : QUAT_IDENTITY;
            mover m = mover_of(kind, size[kind]);
            if (kind == 2)
                m.attitude = quat_about((d3){0, 1, 0}, 0.4);
            tile_floor *f = &floors[0];
            *f = (tile_floor){.kind = HALFSPACE};
            follow(f, &m, 5, 20, turn, &tracks[0]);
            f->kind = ONE_STATIC;
            add_grid(f, 25, 10, -2.5, -5.2);
            follow(f, &m, 5, 20, turn, &tracks[1]);
            compare(&tracks[1], &tracks[0], &loose, m.name);
        }
}

/* Boxes of 5 cm to 3 m, tops up to 1 mm apart, gaps of up to 1 mm, all bodies, speeds and attitudes. */
static void drawn_floors_carry(void **state)
{
    (void)state;
    uint64_t seed = 3501;
    for (int run = 0; run < test_pick(60, 12); run++) {
        const double offset = random_below(&seed, 2) ? random_in(&seed, 0, 1e-3) : 0;
        const double gap = random_below(&seed, 2) ? random_in(&seed, 0, 1e-3) : 0;
        const double speed = random_in(&seed, 1, 10), low = random_below(&seed, 3) ? 0.3 : 0.05;
        const double sizes[] = {0.1, 0.3, 0.25, 0.1, 0.15, 0.2, 0.2, 0.2};
        const int kind = random_below(&seed, 8);
        const mover m = mover_of(kind, sizes[kind] * random_in(&seed, 0.6, 1.6));
        const dry_quat turn = random_below(&seed, 2) ? random_quat(&seed) : QUAT_IDENTITY;
        tile_floor *f = &floors[0];
        *f = (tile_floor){.kind = HALFSPACE, .friction = m.shape.friction};
        const double length = fmin(6, 6 * speed);
        follow(f, &m, speed, length, turn, &tracks[0]);
        f->kind = (floor_kind)(1 + random_below(&seed, 5));
        if (f->kind >= ONE_KINEMATIC)
            f->velocity = random_d3(&seed, 1);
        add_drawn(f, &seed, length + 2, low, offset, gap);
        follow(f, &m, speed, length, turn, &tracks[1]);
        /* A sphere and a lying cylinder without friction may spin: nothing holds them. */
        const bounds b = {1e-3 + offset / 2, 1, 2e-3, 0.02,
                          kind == 3 || kind == 6 ? 0.05 : 2e-3 + (offset > 0 ? 2 * offset / m.height : 0)};
        char name[64];
        snprintf(name, sizeof name, "run %d, %s", run, m.name);
        compare(&tracks[1], &tracks[0], &b, name);
    }
}

/* A slope of 5 degrees that begins at a seam lifts what comes; a ball on it is at x tan 5. */
static void a_ridge_is_felt(void **state)
{
    (void)state;
    for (int kind = 2; kind < 4; kind++) {
        const double angle = 5 * TEST_PI / 180, size = 0.1;
        const mover m = mover_of(kind, size);
        dry_world *world = world_with(test_settings());
        dry_shape_def level = box_shape(2, 0.5, 2), slope = box_shape(4, 0.5, 2);
        level.friction = slope.friction = 0;
        add_body(world, DRY_BODY_STATIC, pose_at(-2, -0.5, 0), level);
        const d3 middle = d3_turn(quat_about((d3){0, 0, 1}, angle), (d3){4, -0.5, 0});
        add_body(world, DRY_BODY_STATIC,
                 (dry_pose){{middle.x, middle.y, middle.z}, quat_about((d3){0, 0, 1}, angle)}, slope);
        const dry_body_id id = add_dynamic(world, pose_at(-1, size, 0.1), m.shape);
        set_velocity(world, id, (d3){3, 0, 0}, (d3){0, 0, 0});
        for (int i = 0; i < 60; i++) {
            run_steps(world, 1, TEST_DT);
            const dry_position p = pose_of(world, id).position;
            const double above = p.x > 0.2 ? -p.x * sin(angle) + p.y * cos(angle) - size : p.y - size;
            assert_true(above > -3e-3);
        }
        const dry_position p = pose_of(world, id).position;
        assert_true(p.x > 0.8);
        assert_true(p.y > size + 0.8 * tan(angle));
        dry_world_destroy(world);
    }
}

/* A step of 5 mm between boxes is no seam: it lifts a ball, and it stops a slow box. */
static void a_step_is_felt(void **state)
{
    (void)state;
    for (int kind = 2; kind < 4; kind++) {
        const mover m = mover_of(kind, 0.1);
        dry_world *world = world_with(test_settings());
        dry_shape_def tile = box_shape(2, 0.5, 2);
        tile.friction = 0;
        add_body(world, DRY_BODY_STATIC, pose_at(-2, -0.5, 0), tile);
        add_body(world, DRY_BODY_STATIC, pose_at(2, -0.495, 0), tile);
        const dry_body_id id = add_dynamic(world, pose_at(-0.5, 0.1, 0.1), m.shape);
        set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, 0});
        double most = 0;
        for (int i = 0; i < 90; i++) {
            run_steps(world, 1, TEST_DT);
            most = fmax(most, pose_of(world, id).position.y - 0.1);
        }
        if (kind == 2)
            assert_at_most(pose_of(world, id).position.x, -0.12);
        else
            assert_true(most > 4.8e-3);
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_tiles_do_not_throw), cmocka_unit_test(boxes_carry_as_a_half_space),
        cmocka_unit_test(drawn_floors_carry),       cmocka_unit_test(a_ridge_is_felt),
        cmocka_unit_test(a_step_is_felt),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dry_shape_data_release(girdled);
    return failed;
}
