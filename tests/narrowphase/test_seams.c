/* Edges inside a surface: what moves over flush boxes moves as on a half-space, and what is no seam is felt.
 *
 * Each run has a twin on a half-space. Floors are grids of boxes: of one static body or of several, of
 * kinematic bodies that move alike, turned with gravity by odd angles, with boxes of drawn sizes, heights and
 * gaps. */
#include "tests/narrowphase/slides.h"
#include "tests/narrowphase/tile_floor.h"

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

/* Follows a mover over tiles. */
static void follow_tiles(const tile_floor *f, const mover *m, double speed, double length, dry_quat turn,
                         track *t)
{
    const slide_floor floor = {make_tile_floor, f, f->velocity};
    follow(&floor, m, speed, length, turn, t);
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
            follow_tiles(f, &m, 5, test_pick(16, 8), QUAT_IDENTITY, &tracks[k != HALFSPACE]);
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
            follow_tiles(f, &m, 5, 20, turn, &tracks[0]);
            f->kind = ONE_STATIC;
            add_grid(f, 25, 10, -2.5, -5.2);
            follow_tiles(f, &m, 5, 20, turn, &tracks[1]);
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
        follow_tiles(f, &m, speed, length, turn, &tracks[0]);
        f->kind = (floor_kind)(1 + random_below(&seed, 5));
        if (f->kind >= ONE_KINEMATIC)
            f->velocity = random_d3(&seed, 1);
        add_drawn(f, &seed, length + 2, low, offset, gap);
        follow_tiles(f, &m, speed, length, turn, &tracks[1]);
        const bounds b = {1e-3 + offset / 2, 1, 2e-3, 0.02, 2e-3 + (offset > 0 ? 2 * offset / m.height : 0)};
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

/* Makes a floor of the tops of tiles: a mesh of all, or one for each. */
static void make_mesh_floor(dry_world *world, const tile_floor *f, dry_quat turn, bool one)
{
    static dry_vec3 at[4 * TILES_MAX];
    static int32_t corner[6 * TILES_MAX];
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_MESH;
    shape.friction = (float)f->friction;
    int count = 0;
    for (int i = 0; i < f->count; i++, count++) {
        const int order[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 4; k++)
            at[4 * count + k] =
                v3(f->center[i].x + (k < 2 ? -1 : 1) * f->half[i].x, f->center[i].y + f->half[i].y,
                   f->center[i].z + (k % 3 ? 1 : -1) * f->half[i].z);
        for (int k = 0; k < 6; k++)
            corner[6 * count + k] = 4 * count + order[k];
        if (one && i + 1 < f->count)
            continue;
        const dry_mesh mesh = {at, corner, 4 * count + 4, 2 * count + 2};
        assert_ok(dry_mesh_create(&mesh, NULL, NULL, &shape.data, NULL));
        add_body(world, DRY_BODY_STATIC, (dry_pose){{0, 0, 0}, turn}, shape);
        dry_shape_data_release(shape.data);
        count = -1;
    }
}

static void make_one_mesh(dry_world *world, const void *of, dry_quat turn)
{
    make_mesh_floor(world, of, turn, true);
}

static void make_meshes(dry_world *world, const void *of, dry_quat turn)
{
    make_mesh_floor(world, of, turn, false);
}

/* Over gaps of up to 0.4 of their length between level tiles and facets boxes, hulls and cylinders move as on
 * a half-space, and balls dip by no more than the gap asks for. */
static void level_floors_with_gaps_carry(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    const int kinds[] = {2, 7, 5, 4, 0};
    for (int run = 0; run < test_pick(100, 20); run++) {
        const int kind = kinds[run % COUNT_OF(kinds)], floor = random_below(&seed, 7);
        const double size = random_in(&seed, 0.1, 0.3), speed = random_in(&seed, 1, 6);
        const double gap = (kind == 0 ? 0.2 : 0.8) * size * random_in(&seed, 0, 1),
                     tile = random_in(&seed, 1, 2);
        const dry_quat turn = random_below(&seed, 2) ? random_quat(&seed) : QUAT_IDENTITY;
        const mover m = mover_of(kind, size);
        tile_floor *f = &floors[0];
        *f = (tile_floor){.kind = HALFSPACE, .friction = 0};
        follow_tiles(f, &m, speed, 8, turn, &tracks[0]);
        f->kind = (floor_kind)(1 + floor % 5);
        if (floor < 5 && f->kind >= ONE_KINEMATIC)
            f->velocity = random_d3(&seed, 1);
        const double first = 0.4 - tile * (2 + random_in(&seed, 0, 0.5));
        for (int i = 0; i < 12; i++)
            add_tile(f, first + tile * i, first + tile * (i + 1) - gap, -2, 2, 0, 0.5);
        const slide_floor on = {floor < 5    ? make_tile_floor
                                : floor == 5 ? make_one_mesh
                                             : make_meshes,
                                f, f->velocity};
        follow(&on, &m, speed, 8, turn, &tracks[1]);
        const bounds b = {2e-4, 1, 0.01, 0.02, 2e-3};
        char name[64];
        snprintf(name, sizeof name, "run %d, floor %d, gap %.4f m of %.3f, %.2f m/s, %s", run, floor, gap,
                 size, speed, m.name);
        compare(&tracks[1], &tracks[0], &b, name);
    }
}

/* A step of 5 mm between boxes is no seam, nor is one behind a gap: it lifts a ball, and it stops a slow box.
 */
static void a_step_is_felt(void **state)
{
    (void)state;
    for (int run = 0; run < 4; run++) {
        const int kind = 2 + run % 2;
        const double gap = run < 2 ? 0 : 0.02;
        const mover m = mover_of(kind, 0.1);
        dry_world *world = world_with(test_settings());
        dry_shape_def tile = box_shape(2, 0.5, 2);
        tile.friction = 0;
        add_body(world, DRY_BODY_STATIC, pose_at(-2, -0.5, 0), tile);
        add_body(world, DRY_BODY_STATIC, pose_at(2 + gap, -0.495, 0), tile);
        const dry_body_id id = add_dynamic(world, pose_at(-0.5, 0.1, 0.1), m.shape);
        set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, 0});
        double most = 0;
        for (int i = 0; i < 90; i++) {
            run_steps(world, 1, TEST_DT);
            most = fmax(most, pose_of(world, id).position.y - 0.1);
        }
        if (kind == 2)
            assert_at_most(pose_of(world, id).position.x, -0.12 + gap);
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
        cmocka_unit_test(a_step_is_felt),           cmocka_unit_test(level_floors_with_gaps_carry),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    slides_end();
    return failed;
}
