/* Tests shapes of height fields: queries against brute force, replaced heights, references, refusals, saved
 * bytes.
 *
 * Next: test_height_field.c, which tests fields by themselves. */
#include "geometry/geometry.h"
#include "geometry/height_field.h"
#include "geometry/shape_data.h"
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/narrowphase/triangle_world.h"

enum { MATERIALS = 300 };
enum { SIDE_MAX = 40, SAMPLES_MAX = SIDE_MAX * SIDE_MAX };

/* A field at random, and what it is made of. */
typedef struct terrain {
    dry_height_field_def def;
    float height[SAMPLES_MAX];
    uint8_t hole[SAMPLES_MAX];
    uint16_t material[SAMPLES_MAX];
} terrain;

static void make_terrain(terrain *t, int rows, int columns, double rough, float solid_depth, uint64_t *seed)
{
    *t = (terrain){.def = {.rows = rows, .columns = columns, .solid_depth = solid_depth}};
    t->def.spacing[0] = (float)random_in(seed, 0.2, 0.6);
    t->def.spacing[1] = (float)random_in(seed, 0.2, 0.6);
    t->def.heights = t->height;
    t->def.holes = t->hole;
    t->def.material_indices = t->material;
    t->def.diagonal = (dry_diagonal)random_below(seed, 2);
    for (int i = 0; i < rows * columns; i++)
        t->height[i] = (float)random_in(seed, 0, rough);
    for (int i = 0; i < (rows - 1) * (columns - 1); i++) {
        t->hole[i] = i > 0 && random_below(seed, 10) == 0;
        t->material[i] = (uint16_t)random_below(seed, MATERIALS);
    }
}

static dry_shape_data *data_of(const terrain *t)
{
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&t->def, NULL, &data, NULL));
    assert_int_equal(dry_shape_data_type(data), DRY_SHAPE_HEIGHT_FIELD);
    return data;
}

static dry_shape_def field_shape(dry_shape_data *data)
{
    static dry_material materials[MATERIALS];
    for (int i = 0; i < MATERIALS; i++)
        materials[i] = dry_default_material();
    dry_shape_def def = data_shape(DRY_SHAPE_HEIGHT_FIELD, data);
    def.materials = materials;
    def.material_count = MATERIALS;
    return def;
}

static d3 sample_at(const terrain *t, int row, int column)
{
    return (d3){column * (double)t->def.spacing[0], (double)t->height[row * t->def.columns + column],
                row * (double)t->def.spacing[1]};
}

/* Writes the triangles of the cells that are no holes, counterclockwise from above. Returns their number. */
static int list_triangles(const terrain *t, triangle3 *out)
{
    int count = 0;
    for (int r = 0; r + 1 < t->def.rows; r++)
        for (int c = 0; c + 1 < t->def.columns; c++) {
            const d3 a = sample_at(t, r, c), b = sample_at(t, r, c + 1), d = sample_at(t, r + 1, c),
                     e = sample_at(t, r + 1, c + 1);
            if (t->hole[r * (t->def.columns - 1) + c])
                continue;
            if (t->def.diagonal == DRY_DIAGONAL_BACKWARD) {
                out[count++] = (triangle3){{a, d, b}};
                out[count++] = (triangle3){{b, d, e}};
            } else {
                out[count++] = (triangle3){{a, d, e}};
                out[count++] = (triangle3){{a, e, b}};
            }
        }
    return count;
}

/* A static body with one field, anywhere, and its triangles. */
typedef struct placed {
    dry_world *world;
    dry_shape_id shape;
    dry_shape_def def;
    dry_pose pose;
    triangle_world triangles;
} placed;

static void list_placed(placed *p, const terrain *t)
{
    p->triangles.count = list_triangles(t, p->triangles.at);
    for (int i = 0; i < p->triangles.count; i++)
        p->triangles.at[i] = triangle_placed(p->triangles.at[i], p->def.scale, &p->def.pose, &p->pose);
}

static placed place(const terrain *t, dry_shape_data *data, uint64_t *seed)
{
    placed p = {.world = world_with(test_settings()), .def = field_shape(data)};
    const d3 at = random_d3(seed, 3);
    p.pose = pose_at(at.x, at.y, at.z);
    p.pose.orientation = random_quat(seed);
    p.def.pose = (dry_transform){v3_of(random_d3(seed, 1)), random_quat(seed)};
    p.def.scale = random_scale(seed);
    const dry_body_id body = add_body(p.world, DRY_BODY_STATIC, p.pose, p.def);
    int count;
    assert_ok(dry_body_get_shapes(p.world, body, &p.shape, 1, &count));
    p.triangles.at = malloc(2 * SAMPLES_MAX * sizeof *p.triangles.at);
    assert_non_null(p.triangles.at);
    list_placed(&p, t);
    return p;
}

static void clear(placed *p)
{
    dry_world_destroy(p->world);
    free(p->triangles.at);
}

static d3 near_the_field(const placed *p, uint64_t *seed)
{
    const int t = random_below(seed, p->triangles.count);
    return d3_add(p->triangles.at[t].at[0], random_d3(seed, 0.5));
}

static void rays_and_overlaps_are_those_of_the_triangles(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int hits = 0, misses = 0, overlaps = 0, apart = 0;
    static terrain t;
    for (int n = 0; n < test_pick(60, 12); n++) {
        const int rows = 2 + random_below(&seed, 14);
        const int columns = 2 + random_below(&seed, 14);
        make_terrain(&t, rows, columns, n % 3 ? 1 : 0, 0, &seed);
        dry_shape_data *data = data_of(&t);
        placed p = place(&t, data, &seed);
        for (int i = 0; i < 100; i++) {
            const d3 o = d3_add(near_the_field(&p, &seed), random_d3(&seed, 3));
            const d3 d = d3_add(d3_sub(near_the_field(&p, &seed), o), random_d3(&seed, 2));
            const bool hit = triangles_check_ray(p.world, &p.triangles, o, d);
            hits += hit;
            misses += !hit;
        }
        for (int i = 0; i < 50; i++) {
            const d3 at = near_the_field(&p, &seed);
            const bool met = triangles_check_overlap(p.world, &p.triangles, at, 0.4, &seed);
            overlaps += met;
            apart += !met;
        }
        clear(&p);
        dry_shape_data_release(data);
    }
    assert_true(hits > 50 && misses > 50 && overlaps > 20 && apart > 20);
}

/* The ground is level: the solid is a slab, whatever the scale. */
static void the_ground_is_solid_to_its_depth(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static terrain t;
    make_terrain(&t, 9, 7, 0, 0.5f, &seed);
    memset(t.hole, 0, sizeof t.hole);
    dry_shape_data *data = data_of(&t);
    int inside = 0, boxes_in = 0, boxes_out = 0;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        dry_world *world = world_with(test_settings());
        dry_shape_def def = field_shape(data);
        def.scale = v3(mirrored ? -2 : 2, 3, 1.5);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), def);
        const d3 half = {6 * (double)t.def.spacing[0], 0.75, 8 * (double)t.def.spacing[1] * 0.75};
        const d3 center = {mirrored ? -half.x : half.x, -0.75, half.z};
        for (int i = 0; i < 500; i++) {
            const d3 p =
                d3_add(center, (d3){random_in(&seed, -1.5, 1.5) * half.x, random_in(&seed, -1.5, 1.5),
                                    random_in(&seed, -1.5, 1.5) * half.z});
            const d3 from = {fabs(p.x - center.x) - half.x, fabs(p.y - center.y) - half.y,
                             fabs(p.z - center.z) - half.z};
            const double gap = fmax(from.x, fmax(from.y, from.z));
            const d3 out = {fmax(from.x, 0), fmax(from.y, 0), fmax(from.z, 0)};
            const double size = random_in(&seed, 0.05, 0.4);
            const dry_ray ray = {
                .origin = {p.x, p.y, p.z}, .translation = v3(1e-6, -1e-6, 0), .mask = UINT64_MAX};
            dry_overlap o = {.pose = pose_at(p.x, p.y, p.z), .mask = UINT64_MAX};
            dry_ray_hit hit;
            dry_shape_id id;
            int count;
            o.half_extents = v3(size, size, size);
            assert_ok(dry_world_cast_ray(world, &ray, &hit));
            if (fabs(gap) > 1e-4)
                assert_int_equal(hit.shape.bits != 0, gap < 0);
            inside += hit.shape.bits != 0;
            assert_ok(dry_world_overlap(world, &o, &id, 1, &count));
            if (fabs(gap - size) > 1e-4)
                assert_int_equal(count, gap < size);
            boxes_in += count;
            boxes_out += !count;
            o.radius = (float)size;
            assert_ok(dry_world_overlap(world, &o, &id, 1, &count));
            if (fabs(d3_length(out) - size) > 1e-4)
                assert_int_equal(count, d3_length(out) < size);
        }
        dry_world_destroy(world);
    }
    assert_true(inside > 50 && boxes_in > 100 && boxes_out > 100);
    dry_shape_data_release(data);
}

static void bounds_are_narrow(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static terrain t;
    static triangle3 triangles[2 * SAMPLES_MAX];
    for (int n = 0; n < 200; n++) {
        const int rows = 2 + random_below(&seed, SIDE_MAX - 2);
        const int columns = 2 + random_below(&seed, SIDE_MAX - 2);
        make_terrain(&t, rows, columns, n % 2 ? 20 : 1, n % 3 ? 0 : 2, &seed);
        const int count = list_triangles(&t, triangles);
        dry_shape_data *data = data_of(&t);
        dry_shape_def def = field_shape(data);
        def.scale = random_scale(&seed);
        const dry_geometry geometry = dry_geometry_from_def(&def);
        const dry_quat q = random_quat(&seed);
        const dry_extents bounds = dry_geometry_bounds(&geometry, q);
        const double radius = (double)dry_geometry_radius(&geometry);
        d3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
        for (int i = 0; i < 6 * count; i++) {
            d3 v = triangles[i / 6].at[i % 3];
            v.y -= i % 6 < 3 ? 0 : (double)t.def.solid_depth;
            v = d3_turn(
                q, (d3){v.x * (double)def.scale.x, v.y * (double)def.scale.y, v.z * (double)def.scale.z});
            low = (d3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
            high = (d3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
            assert_true(d3_length(v) <= radius);
        }
        for (int k = 0; k < 3; k++) {
            const double l = (double)vec3_get(bounds.low, k), h = (double)vec3_get(bounds.high, k);
            assert_true(l <= d3_get(low, k) && h >= d3_get(high, k));
            assert_true(h - l <= 1.1 * (d3_get(high, k) - d3_get(low, k)) + 1e-4);
        }
        dry_shape_data_release(data);
    }
}

/* Draws a rectangle and heights, and writes them into the terrain, too. */
static dry_height_rectangle draw_rectangle(terrain *t, float *heights, uint64_t *seed)
{
    dry_height_rectangle w;
    w.row = random_below(seed, t->def.rows);
    w.column = random_below(seed, t->def.columns);
    w.rows = 1 + random_below(seed, t->def.rows - w.row);
    w.columns = 1 + random_below(seed, t->def.columns - w.column);
    for (int r = 0; r < w.rows; r++)
        for (int c = 0; c < w.columns; c++) {
            const float height = (float)random_in(seed, -2, 3);
            heights[r * w.columns + c] = height;
            t->height[(w.row + r) * t->def.columns + w.column + c] = height;
        }
    return w;
}

/* After each change the shape is that of a field made anew: its data's hash, its rays, its overlaps. */
static void replaced_heights_are_those_of_a_new_field(void **state)
{
    (void)state;
    uint64_t seed = 4;
    static terrain t;
    static float heights[SAMPLES_MAX];
    for (int n = 0; n < 10; n++) {
        make_terrain(&t, 12, 9, 1, n % 2 ? 0 : 0.01f, &seed);
        t.def.solid_depth = 0;
        dry_shape_data *data = data_of(&t);
        placed p = place(&t, data, &seed);
        for (int i = 0; i < 10; i++) {
            const dry_height_rectangle w = draw_rectangle(&t, heights, &seed);
            dry_shape_def def;
            assert_ok(dry_shape_set_heights(p.world, p.shape, w.row, w.column, w.rows, w.columns, heights));
            assert_ok(dry_shape_get_def(p.world, p.shape, &def));
            dry_shape_data *anew = data_of(&t);
            assert_true(dry_shape_data_hash(def.data) == dry_shape_data_hash(anew));
            dry_shape_data_release(anew);
            list_placed(&p, &t);
            for (int k = 0; k < 20; k++) {
                const d3 o = d3_add(near_the_field(&p, &seed), random_d3(&seed, 3));
                triangles_check_ray(p.world, &p.triangles, o, d3_sub(near_the_field(&p, &seed), o));
                triangles_check_overlap(p.world, &p.triangles, near_the_field(&p, &seed), 0.4, &seed);
            }
        }
        clear(&p);
        dry_shape_data_release(data);
    }
}

/* A world with a field, whose id it returns. */
static dry_world *world_of(dry_shape_data *data, dry_shape_id *shape)
{
    dry_world *world = world_with(test_settings());
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), field_shape(data));
    int count;
    assert_ok(dry_body_get_shapes(world, body, shape, 1, &count));
    return world;
}

/* The first change of shared data copies them, a later one doesn't; others keep the old heights. */
static void a_change_copies_shared_data_once(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static terrain t;
    make_terrain(&t, 10, 10, 1, 1, &seed);
    counting_allocator counter = {.fail_at = -1};
    const dry_data_services services = {.allocator = counting_hooks(&counter)};
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&t.def, &services, &data, NULL));
    const size_t bytes = counter.bytes;
    const uint64_t hash = dry_shape_data_hash(data);
    dry_shape_id shape[2];
    dry_world *world[2] = {world_of(data, &shape[0]), world_of(data, &shape[1])};
    const uint64_t states = dry_world_hash(world[0]);
    assert_int_equal(counter.bytes, bytes);
    const float up[4] = {5, 5, 5, 5};
    counter.fail_at = (int64_t)counter.calls;
    for (int failed = 0; failed < 2; failed++) {
        assert_int_equal(dry_shape_set_heights(world[0], shape[0], 2, 3, 2, 2, up), DRY_ERROR_MEMORY);
        assert_true(dry_world_hash(world[0]) == states && counter.bytes == bytes);
        counter.fail_at = (int64_t)counter.calls + 1;
    }
    counter.fail_at = -1;
    assert_ok(dry_shape_set_heights(world[0], shape[0], 2, 3, 2, 2, up));
    assert_int_equal(counter.bytes, 2 * bytes);
    assert_true(dry_shape_data_hash(data) == hash);
    assert_true(dry_world_hash(world[1]) == states);
    assert_true(dry_world_hash(world[0]) != states);
    const uint64_t calls = counter.calls;
    assert_ok(dry_shape_set_heights(world[0], shape[0], 4, 4, 2, 2, up));
    assert_int_equal(counter.calls, calls);
    /* Another shape that takes the changed data shares them. */
    dry_shape_def def[2];
    assert_ok(dry_shape_get_def(world[0], shape[0], &def[0]));
    assert_ok(dry_shape_set_geometry(world[1], shape[1], &def[0]));
    assert_ok(dry_shape_set_heights(world[0], shape[0], 0, 0, 1, 1, up));
    assert_int_equal(counter.bytes, 3 * bytes);
    dry_shape_data_release(data);
    assert_int_equal(counter.bytes, 2 * bytes);
    for (int i = 0; i < 2; i++)
        assert_ok(dry_shape_get_def(world[i], shape[i], &def[i]));
    assert_true(dry_shape_data_hash(def[0].data) != dry_shape_data_hash(def[1].data));
    /* Nobody else holds the last ones: they change in place. */
    assert_ok(dry_shape_set_heights(world[1], shape[1], 0, 0, 1, 1, up));
    assert_true(dry_shape_data_hash(def[0].data) == dry_shape_data_hash(def[1].data));
    assert_int_equal(counter.bytes, 2 * bytes);
    dry_world_destroy(world[0]);
    dry_world_destroy(world[1]);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* Bodies asleep on a floor above the field: those near changed heights wake, the others sleep on. */
static void a_change_wakes_what_is_near(void **state)
{
    (void)state;
    uint64_t seed = 6;
    static terrain t;
    make_terrain(&t, 30, 30, 0, 0, &seed);
    t.def.spacing[0] = t.def.spacing[1] = 1;
    dry_shape_data *data = data_of(&t);
    dry_shape_id shape;
    dry_world *world = world_of(data, &shape);
    const dry_settings settings = dry_default_settings();
    assert_ok(dry_world_set_settings(world, &settings));
    add_floor(world, 0.6, 0);
    dry_body_id ball[2];
    for (int i = 0; i < 2; i++)
        ball[i] = add_dynamic(world, pose_at(5 + 15 * i, 0.25, 5 + 15 * i), box_shape(0.25, 0.25, 0.25));
    run_steps(world, 200, TEST_DT);
    bool awake[2];
    dry_pose pose[2];
    dry_velocity velocity[2];
    assert_ok(dry_world_get_motion(world, 2, ball, pose, velocity, awake));
    assert_true(!awake[0] && !awake[1]);
    const float down[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    assert_ok(dry_shape_set_heights(world, shape, 12, 12, 3, 3, down));
    assert_ok(dry_world_get_motion(world, 2, ball, pose, velocity, awake));
    assert_true(!awake[0] && !awake[1]);
    assert_ok(dry_shape_set_heights(world, shape, 4, 4, 3, 3, down));
    assert_ok(dry_world_get_motion(world, 2, ball, pose, velocity, awake));
    assert_true(awake[0] && !awake[1]);
    run_steps(world, 10, TEST_DT);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* A box asleep on the ground falls when the ground is lowered under it, and rises with it. */
static void ground_that_changes_is_felt(void **state)
{
    (void)state;
    uint64_t seed = 16;
    static terrain t;
    make_terrain(&t, 30, 30, 0, 1, &seed);
    memset(t.hole, 0, sizeof t.hole);
    t.def.spacing[0] = t.def.spacing[1] = 1;
    dry_shape_data *data = data_of(&t);
    dry_shape_id shape;
    dry_world *world = world_of(data, &shape);
    const dry_settings settings = dry_default_settings();
    assert_ok(dry_world_set_settings(world, &settings));
    dry_body_id box[2];
    for (int i = 0; i < 2; i++)
        box[i] = add_dynamic(world, pose_at(5.3 + 15 * i, 0.25, 5.2 + 15 * i), box_shape(0.25, 0.25, 0.25));
    run_steps(world, 120, TEST_DT);
    bool awake[2];
    dry_pose pose[2];
    dry_velocity velocity[2];
    static const double levels[] = {-1, -0.9, -0.2, 0.1};
    for (int k = 0; k < COUNT_OF(levels); k++) {
        float heights[36];
        for (int i = 0; i < 36; i++)
            heights[i] = (float)levels[k];
        assert_ok(dry_world_get_motion(world, 2, box, pose, velocity, awake));
        assert_true(!awake[0] && !awake[1]);
        assert_ok(dry_shape_set_heights(world, shape, 3, 3, 6, 6, heights));
        run_steps(world, 240, TEST_DT);
        assert_ok(dry_world_get_motion(world, 2, box, pose, velocity, awake));
        assert_near(pose[0].position.y, levels[k] + 0.25, 2e-3);
        assert_near(pose[1].position.y, 0.25, 2e-3);
        assert_near(pose[0].position.x, 5.3, 0.05);
    }
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

static void bad_rectangles_change_nothing(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static terrain t;
    make_terrain(&t, 6, 8, 1, 0, &seed);
    log_lines lines = {0};
    dry_world_def world_def = test_world_def();
    world_def.log = (dry_log){keep_line, &lines};
    dry_world *world = world_from(&world_def);
    dry_shape_data *data = data_of(&t);
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), field_shape(data));
    const dry_body_id other = add_dynamic(world, pose_at(9, 9, 9), sphere_shape(1));
    dry_shape_id shape, ball;
    int count;
    assert_ok(dry_body_get_shapes(world, body, &shape, 1, &count));
    assert_ok(dry_body_get_shapes(world, other, &ball, 1, &count));
    const uint64_t hash = dry_world_hash(world);
    static const int bad[][4] = {{-1, 0, 1, 1}, {0, -1, 1, 1},        {0, 0, 0, 1},        {0, 0, 1, 0},
                                 {6, 0, 1, 1},  {0, 8, 1, 1},         {5, 0, 2, 1},        {0, 7, 1, 2},
                                 {0, 0, -1, 1}, {0, 0, INT32_MAX, 1}, {1, 0, INT32_MAX, 1}};
    float heights[48] = {0};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        const int *w = bad[i];
        assert_int_equal(dry_shape_set_heights(world, shape, w[0], w[1], w[2], w[3], heights),
                         DRY_ERROR_ARGUMENT);
        assert_non_null(strstr(lines.last, "rectangle"));
    }
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 1.1e6f, -1.1e6f};
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        heights[i + 1] = wrong[i];
        assert_int_equal(dry_shape_set_heights(world, shape, 1, 1, 3, 4, heights), DRY_ERROR_ARGUMENT);
        char element[32];
        snprintf(element, sizeof element, "heights[%d]", i + 1);
        assert_non_null(strstr(lines.last, element));
        heights[i + 1] = 0;
    }
    assert_int_equal(dry_shape_set_heights(world, shape, 0, 0, 1, 1, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_heights(world, ball, 0, 0, 1, 1, heights), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == hash);
    assert_ok(dry_shape_set_heights(world, shape, 0, 0, 6, 8, heights));
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* Changes one thing of a sound definition, and returns the fault that it has then. */
static dry_height_field_error spoil(int which, terrain *t, int64_t *element)
{
    static const int sides[] = {1, 0, -3, 16386};
    static const float spacings[] = {0, -1, NAN, INFINITY, 1e6f};
    static const float depths[] = {-1, NAN, INFINITY, 1.1e6f};
    static const float heights[] = {NAN, INFINITY, 1.1e6f, -1.1e6f};
    *element = -1;
    switch (which / 8) {
    case 0:
        *(which % 2 ? &t->def.rows : &t->def.columns) = sides[which / 2 % 4];
        return DRY_HEIGHT_BAD_SIDE;
    case 1:
        t->def.spacing[which % 2] = spacings[which / 2 % 4];
        return DRY_HEIGHT_BAD_SPACING;
    case 2:
        t->def.solid_depth = depths[which % 4];
        return DRY_HEIGHT_BAD_DEPTH;
    case 3:
        *element = which;
        t->height[which] = heights[which % 4];
        return DRY_HEIGHT_BAD_HEIGHT;
    default:
        if (which % 2) {
            t->def.diagonal = (dry_diagonal)(which - 36);
            return DRY_HEIGHT_BAD_DIAGONAL;
        }
        memset(t->hole, 1, sizeof t->hole);
        return DRY_HEIGHT_ALL_HOLES;
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    log_lines lines = {0};
    const dry_data_services services = {.log = {keep_line, &lines}};
    dry_shape_data *data = NULL;
    dry_height_field_report report;
    uint64_t seed = 8;
    static terrain t;
    for (int which = 0; which < 40; which++) {
        make_terrain(&t, 7, 9, 1, 1, &seed);
        int64_t element;
        const dry_height_field_error error = spoil(which, &t, &element);
        if (error == DRY_HEIGHT_BAD_DIAGONAL && (t.def.diagonal == 0 || (int)t.def.diagonal == 1))
            continue;
        lines.count = 0;
        assert_int_equal(dry_height_field_create(&t.def, &services, &data, &report), DRY_ERROR_ARGUMENT);
        assert_int_equal(report.error, error);
        assert_true(report.element == element);
        assert_int_equal(lines.count, 1);
        assert_non_null(strstr(lines.last, dry_height_field_error_name(error)));
        assert_null(data);
    }
    make_terrain(&t, 7, 9, 1, 1, &seed);
    t.def.heights = NULL;
    assert_int_equal(dry_height_field_create(&t.def, &services, &data, &report), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_height_field_create(NULL, &services, &data, NULL), DRY_ERROR_ARGUMENT);
    assert_true(strlen(dry_height_field_error_name((dry_height_field_error)99)) > 3);
}

static void dynamic_bodies_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static terrain t;
    make_terrain(&t, 7, 9, 1, 1, &seed);
    dry_shape_data *data = data_of(&t);
    const dry_shape_def field = field_shape(data);
    dry_world *world = world_with(test_settings());
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(1));
    const dry_body_id moved = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), field);
    dry_shape_id shape;
    assert_int_equal(dry_body_create_shape(world, body, &field, &shape), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_body_set_type(world, moved, DRY_BODY_DYNAMIC), DRY_ERROR_ARGUMENT);
    run_steps(world, 3, TEST_DT);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

static void saved_fields_come_back(void **state)
{
    (void)state;
    uint64_t seed = 10;
    static terrain t;
    for (int n = 0; n < 12; n++) {
        const int rows = 2 + random_below(&seed, 14);
        const int columns = 2 + random_below(&seed, 14);
        make_terrain(&t, rows, columns, 1, n % 2, &seed);
        t.def.holes = n % 3 ? t.hole : NULL;
        t.def.material_indices = n % 4 ? t.material : NULL;
        dry_shape_data *data = data_of(&t);
        check_saved(data, &seed);
        dry_shape_data_release(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_and_overlaps_are_those_of_the_triangles),
        cmocka_unit_test(the_ground_is_solid_to_its_depth),
        cmocka_unit_test(bounds_are_narrow),
        cmocka_unit_test(replaced_heights_are_those_of_a_new_field),
        cmocka_unit_test(a_change_copies_shared_data_once),
        cmocka_unit_test(a_change_wakes_what_is_near),
        cmocka_unit_test(ground_that_changes_is_felt),
        cmocka_unit_test(bad_rectangles_change_nothing),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(dynamic_bodies_are_refused),
        cmocka_unit_test(saved_fields_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
