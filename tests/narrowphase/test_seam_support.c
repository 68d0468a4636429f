/* Edges inside a surface take no support with them: floors of boxes, walls on them and rubble hold what falls
 * on them, and give the same bits for every team and instruction set. */
#include "tests/narrowphase/tile_floor.h"

static dry_shape_def slider_shape(int kind, double size)
{
    dry_shape_def shape = kind == 2   ? box_shape(1.3 * size, size, 1.1 * size)
                          : kind == 3 ? sphere_shape(size)
                                      : capsule_shape(size, 2 * size);
    shape.friction = 0;
    return shape;
}

/* A floor of boxes and a wall of boxes that stands on it: what slides along both is held by both. */
static void a_corner_holds(void **state)
{
    (void)state;
    for (int kind = 2; kind < 5; kind++) {
        const double size = 0.2;
        const dry_shape_def shape = slider_shape(kind, size);
        const dry_quat lying = quat_about((d3){0, 0, 1}, TEST_PI / 2);
        dry_settings settings = test_settings();
        settings.gravity = v3(0, -7, -7);
        dry_world *world = world_with(settings);
        tile_floor *f = &floors[0];
        *f = (tile_floor){.kind = MANY_STATIC};
        add_grid(f, 14, 2, -1.5, -1);
        for (int i = 0; i < 14; i++)
            for (int k = 0; k < 2; k++) {
                add_tile(f, i - 1.8, i - 0.8, -1.5, -1, k + 1, 1);
            }
        make_floor(world, f, QUAT_IDENTITY);
        const double wide = kind == 2 ? 1.1 * size : size;
        const dry_body_id id = add_dynamic(world, pose_at(0, size, wide - 1), shape);
        if (kind == 4)
            assert_ok(dry_body_set_pose(world, id, (dry_pose){{0, size, wide - 1}, lying}));
        set_velocity(world, id, (d3){4, 0, 0}, (d3){0, 0, 0});
        for (int i = 0; i < 120; i++) {
            run_steps(world, 1, TEST_DT);
            const dry_position p = pose_of(world, id).position;
            assert_near(p.y, size, 1.5e-3);
            assert_near(p.z, wide - 1, 1.5e-3);
        }
        dry_velocity v;
        assert_ok(dry_body_get_velocity(world, id, &v));
        assert_near(v.linear.x, 4, 0.01);
        dry_world_destroy(world);
    }
}

static dry_shape_def drawn_shape(uint64_t *seed)
{
    const double size = random_in(seed, 0.05, 0.3);
    const int kind = random_below(seed, 4);
    if (kind == 0)
        return sphere_shape(size);
    if (kind == 1)
        return capsule_shape(0.6 * size, size);
    const double thin = kind == 2 ? size : random_in(seed, 0.01, 0.03);
    const double deep = size * random_in(seed, 0.6, 1.5), wide = size * random_in(seed, 0.6, 1.5);
    return box_shape(wide, thin, deep);
}

/* Returns how far the lowest point of a body is below the surface, m. */
static double sunk(const dry_shape_def *shape, const dry_pose *pose)
{
    if (shape->type == DRY_SHAPE_SPHERE)
        return shape->radius - pose->position.y;
    const bool round = shape->type == DRY_SHAPE_CAPSULE;
    double low = 0;
    for (int i = 0; i < 8; i++) {
        const d3 h = d3_of(shape->half_extents);
        const d3 corner = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
        const d3 end = {0, i & 1 ? shape->half_length : -shape->half_length, 0};
        low = fmin(low, d3_turn(pose->orientation, round ? end : corner).y);
    }
    return (round ? shape->radius : 0) - low - pose->position.y;
}

/* Small boxes with gaps and offsets among large ones, or one box. */
static void make_field(tile_floor *f, uint64_t *seed, bool tiles)
{
    const double width = random_in(seed, 0.05, 0.4);
    const int half = (int)(1.2 / width);
    const double e = half * width;
    *f = (tile_floor){.kind = ONE_STATIC, .friction = 0.6};
    for (int i = -half; i < half; i++)
        for (int k = -half; k < half && tiles; k++) {
            const double top = random_in(seed, -5e-4, 5e-4), gap_z = random_in(seed, 0, 5e-4),
                         gap_x = random_in(seed, 0, 5e-4);
            add_tile(f, i * width + gap_x, (i + 1) * width, k * width, (k + 1) * width - gap_z, top, 0.2);
        }
    if (!tiles) {
        add_tile(f, -9, 9, -9, 9, 0, 1);
        return;
    }
    add_tile(f, -9, 9, -9, -e, 0, 1);
    add_tile(f, -9, 9, e, 9, 0, 1);
    add_tile(f, -9, -e, -e, e, 0, 1);
    add_tile(f, e, 9, -e, e, 0, 1);
}

/* Lets a drawn body fall, and returns how far it sinks at most, m. */
static double fall(uint64_t seed, bool tiles)
{
    dry_world *world = world_with(test_settings());
    uint64_t own = seed * 2 + 1;
    make_field(&floors[0], &own, tiles);
    make_floor(world, &floors[0], QUAT_IDENTITY);
    const dry_shape_def shape = drawn_shape(&seed);
    const double x = random_in(&seed, -0.3, 0.3), y = random_in(&seed, 0.8, 1.6);
    const dry_quat attitude = random_quat(&seed);
    const dry_body_id id = add_dynamic(world, (dry_pose){{x, y, 0}, attitude}, shape);
    const double speed = random_in(&seed, 0, 20);
    const d3 spin = random_d3(&seed, 5), drift = random_d3(&seed, 3);
    set_velocity(world, id, d3_add(drift, (d3){0, -speed, 0}), spin);
    double most = 0;
    for (int i = 0; i < 120; i++) {
        run_steps(world, 1, TEST_DT);
        const dry_pose pose = pose_of(world, id);
        most = fmax(most, sunk(&shape, &pose));
    }
    dry_world_destroy(world);
    return most;
}

/* Bodies that are thrown on small boxes in any attitude sink as on one large box, and none falls through. */
static void no_support_is_lost(void **state)
{
    (void)state;
    const int runs = test_pick(150, 60);
    double on_tiles = 0, on_one = 0;
    for (int run = 0; run < runs; run++) {
        const uint64_t seed = 77 + 7919 * (uint64_t)run;
        const double most = fall(seed, true);
        assert_at_most(most, 0.4);
        on_tiles += most / runs;
        on_one += fall(seed, false) / runs;
    }
    assert_at_most(on_tiles, 1.5 * on_one + 1e-3);
}

/* Returns how deep a sphere is in a box, m; below 0 if they are apart. */
static double depth_in(d3 sphere, double radius, d3 center, d3 half, dry_quat attitude)
{
    const d3 p = d3_turn_back(attitude, d3_sub(sphere, center));
    const d3 out = {fmax(fabs(p.x) - half.x, 0), fmax(fabs(p.y) - half.y, 0), fmax(fabs(p.z) - half.z, 0)};
    return radius - d3_length(out);
}

/* Spheres that fall and roll over boxes in any attitude, and over blocks whose tops are 4 mm and 5 cm apart,
 * are never deep in one: valleys, foots of steps and ledges are no seams. */
static void rubble_carries(void **state)
{
    (void)state;
    enum { BOXES = 160, SPHERES = 12 };
    uint64_t seed = 977;
    for (int run = 0; run < test_pick(24, 3); run++) {
        dry_world *world = world_with(test_settings());
        d3 center[BOXES], half[BOXES];
        dry_quat attitude[BOXES];
        const double step = run % 3 == 1 ? 0.05 : 4e-3;
        for (int i = 0; i < BOXES; i++) {
            center[i] = random_d3(&seed, 2);
            center[i].y = random_in(&seed, -0.5, 0.1);
            half[i] = random_d3_in(&seed, 0.05, 0.6);
            attitude[i] = random_quat(&seed);
            if (run % 3 != 0) {
                center[i] =
                    (d3){0.35 * (i % 13 - 6), step * random_below(&seed, 4) - 0.4, 0.35 * (i / 13 - 6)};
                half[i] = (d3){0.175, 0.4, 0.175};
                attitude[i] = QUAT_IDENTITY;
            }
            add_body(world, DRY_BODY_STATIC, (dry_pose){{center[i].x, center[i].y, center[i].z}, attitude[i]},
                     box_shape(half[i].x, half[i].y, half[i].z));
        }
        dry_body_id id[SPHERES];
        double radius[SPHERES];
        for (int i = 0; i < SPHERES; i++) {
            radius[i] = random_in(&seed, 0.05, 0.25);
            dry_shape_def shape = sphere_shape(radius[i]);
            shape.filter.group = -1;
            id[i] =
                add_dynamic(world, pose_at(random_in(&seed, -1.5, 1.5), random_in(&seed, 1, 2), 0), shape);
            set_velocity(world, id[i], random_d3(&seed, 5), (d3){0, 0, 0});
        }
        for (int k = 0; k < 180; k++) {
            run_steps(world, 1, TEST_DT);
            for (int i = 0; i < SPHERES; i++)
                for (int j = 0; j < BOXES; j++)
                    assert_at_most(depth_in(d3_at(pose_of(world, id[i]).position), radius[i], center[j],
                                            half[j], attitude[j]),
                                   3e-3);
        }
        dry_world_destroy(world);
    }
}

/* A box that rests on boxes, beside others, falls asleep on them and wakes where it was. */
static void what_rests_on_tiles_sleeps(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    tile_floor *f = &floors[0];
    *f = (tile_floor){.kind = MANY_STATIC, .friction = 0.6};
    add_grid(f, 4, 4, -2, -2);
    make_floor(world, f, QUAT_IDENTITY);
    const dry_body_id id = add_dynamic(world, pose_at(0.48, 0.51, 0.2), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 150, TEST_DT);
    assert_false(dry_body_is_awake(world, id));
    const dry_position asleep = pose_of(world, id).position;
    assert_near(asleep.x, 0.48, 1e-3);
    assert_near(asleep.y, 0.5, 1e-3);
    assert_ok(dry_body_set_awake(world, id, true));
    run_steps(world, 30, TEST_DT);
    assert_near(pose_of(world, id).position.x, asleep.x, 1e-5);
    assert_near(pose_of(world, id).position.y, asleep.y, 1e-4);
    dry_world_destroy(world);
}

/* Returns the state of many bodies that fall on tiles. */
static uint64_t hash_of_fall(int threads, dry_isa isa)
{
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.isa = isa;
    dry_world *world = world_from(&def);
    tile_floor *f = &floors[0];
    *f = (tile_floor){.kind = MANY_STATIC, .friction = 0.6};
    add_grid(f, 8, 8, -4, -4);
    make_floor(world, f, QUAT_IDENTITY);
    uint64_t seed = 5;
    for (int i = 0; i < 300; i++) {
        const dry_body_id id = add_dynamic(
            world,
            (dry_pose){{random_in(&seed, -3.5, 3.5), 0.5 + 0.4 * (i / 60), random_in(&seed, -3.5, 3.5)},
                       random_quat(&seed)},
            drawn_shape(&seed));
        set_velocity(world, id, random_d3(&seed, 3), random_d3(&seed, 3));
    }
    run_steps(world, test_pick(90, 40), TEST_DT);
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

static void every_team_and_isa_gives_the_same_bits(void **state)
{
    (void)state;
    const uint64_t hash = hash_of_fall(1, DRY_ISA_AUTO);
    assert_true(hash_of_fall(2, DRY_ISA_AUTO) == hash);
    assert_true(hash_of_fall(5, DRY_ISA_AUTO) == hash);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT && !test_one_isa(); isa++)
        if (dry_isa_available((dry_isa)isa))
            assert_true(hash_of_fall(1, (dry_isa)isa) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_holds),
        cmocka_unit_test(no_support_is_lost),
        cmocka_unit_test(rubble_carries),
        cmocka_unit_test(what_rests_on_tiles_sleeps),
        cmocka_unit_test(every_team_and_isa_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
