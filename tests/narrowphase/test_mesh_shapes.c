/* Tests shapes of meshes: queries against brute force, solids, bounds, references, refusals, saved bytes.
 *
 * Next: test_mesh_tree.c and test_mesh_queries.c, which test meshes by themselves. */
#include "geometry/geometry.h"
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/meshes.h"
#include "tests/narrowphase/triangle_world.h"

#include <pthread.h>

static dry_shape_data *data_of(const surface *s, bool two_sided, bool solid)
{
    const dry_mesh mesh = surface_mesh(s);
    const dry_mesh_options options = {.two_sided = two_sided, .solid = solid};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    assert_int_equal(dry_shape_data_type(data), DRY_SHAPE_MESH);
    return data;
}

static surface random_surface(uint64_t *seed)
{
    switch (random_below(seed, 4)) {
    case 0:
        return grid_surface(6, 0.4, 0.5, seed);
    case 1:
        return torus_surface(12, 8, 0.4);
    case 2:
        return sphere_surface(4);
    default:
        return soup_surface(100, 0.5, seed);
    }
}

/* A static body with one mesh, anywhere, and its triangles. */
typedef struct placed {
    dry_world *world;
    dry_body_id body;
    triangle_world triangles;
    d3 center;
} placed;

static placed place(const surface *s, dry_shape_def def, bool two_sided, uint64_t *seed)
{
    placed p = {.world = world_with(test_settings()), .triangles = {.two_sided = two_sided}};
    const d3 at = random_d3(seed, 3);
    dry_pose pose = pose_at(at.x, at.y, at.z);
    pose.orientation = random_quat(seed);
    def.pose = (dry_transform){v3_of(random_d3(seed, 1)), random_quat(seed)};
    def.scale = random_scale(seed);
    p.body = add_body(p.world, DRY_BODY_STATIC, pose, def);
    p.center = at;
    p.triangles.count = s->triangles;
    p.triangles.at = malloc((size_t)s->triangles * sizeof *p.triangles.at);
    assert_non_null(p.triangles.at);
    for (int i = 0; i < s->triangles; i++)
        p.triangles.at[i] = triangle_placed(surface_triangle3(s, i), def.scale, &def.pose, &pose);
    return p;
}

static void clear(placed *p)
{
    dry_world_destroy(p->world);
    free(p->triangles.at);
}

static void rays_and_overlaps_are_those_of_the_triangles(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int hits = 0, misses = 0, overlaps = 0, apart = 0;
    for (int n = 0; n < test_pick(60, 12); n++) {
        surface s = random_surface(&seed);
        const bool two_sided = random_below(&seed, 2);
        dry_shape_data *data = data_of(&s, two_sided, false);
        placed p = place(&s, data_shape(DRY_SHAPE_MESH, data), two_sided, &seed);
        for (int i = 0; i < 100; i++) {
            const d3 o = d3_add(p.center, random_d3(&seed, 4));
            const d3 d = d3_add(d3_sub(p.center, o), random_d3(&seed, 4));
            const bool hit = triangles_check_ray(p.world, &p.triangles, o, d);
            hits += hit;
            misses += !hit;
        }
        for (int i = 0; i < 50; i++) {
            const d3 at = d3_add(p.center, random_d3(&seed, 3));
            const bool met = triangles_check_overlap(p.world, &p.triangles, at, 0.5, &seed);
            overlaps += met;
            apart += !met;
        }
        clear(&p);
        dry_shape_data_release(data);
        surface_free(&s);
    }
    const int least = test_pick(100, 20);
    assert_true(hits > least && misses > least && 2 * overlaps > least && 2 * apart > least);
}

/* All calls that cast rays find the same hit. */
static void every_call_has_the_same_bits(void **state)
{
    (void)state;
    enum { RAYS = 200 };
    uint64_t seed = 2;
    surface s = torus_surface(12, 8, 0.4);
    dry_shape_data *data = data_of(&s, true, false);
    placed p = place(&s, data_shape(DRY_SHAPE_MESH, data), true, &seed);
    dry_ray rays[RAYS];
    dry_ray_hit hits[RAYS], one, all[4];
    int count, met = 0;
    for (int i = 0; i < RAYS; i++) {
        const d3 o = d3_add(p.center, random_d3(&seed, 4)), d = d3_scale(d3_sub(p.center, o), 2);
        rays[i] = (dry_ray){.origin = {o.x, o.y, o.z}, .translation = v3_of(d), .mask = UINT64_MAX};
    }
    assert_ok(dry_world_cast_rays(p.world, RAYS, rays, hits));
    for (int i = 0; i < RAYS; i++) {
        assert_ok(dry_world_cast_ray(p.world, &rays[i], &one));
        assert_memory_equal(&one, &hits[i], sizeof one);
        assert_ok(dry_world_cast_ray_all(p.world, &rays[i], all, 4, &count));
        assert_int_equal(count, one.shape.bits != 0);
        if (count)
            assert_memory_equal(&one, &all[0], sizeof one);
        met += count;
    }
    assert_true(met > 20);
    clear(&p);
    dry_shape_data_release(data);
    surface_free(&s);
}

/* A ray through the edges and corners of a closed mesh never passes. */
static void no_ray_passes_a_seam(void **state)
{
    (void)state;
    uint64_t seed = 3;
    surface s = sphere_surface(4);
    dry_shape_data *data = data_of(&s, false, true);
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_MESH, data));
    for (int i = 0; i < 2000; i++) {
        const int t = random_below(&seed, s.triangles), k = random_below(&seed, 3);
        const d3 a = surface_at(&s, t, k), b = surface_at(&s, t, (k + 1) % 3);
        const d3 at = i % 2 ? a : d3_add(a, d3_scale(d3_sub(b, a), random_in(&seed, 0, 1)));
        const d3 o = d3_scale(at, 3);
        const dry_ray ray = {
            .origin = {o.x, o.y, o.z}, .translation = v3_of(d3_scale(at, -3)), .mask = UINT64_MAX};
        dry_ray_hit hit;
        assert_ok(dry_world_cast_ray(world, &ray, &hit));
        assert_true(hit.shape.bits != 0);
        assert_near(hit.fraction, 2.0 / 3, 1e-5);
    }
    dry_world_destroy(world);
    dry_shape_data_release(data);
    surface_free(&s);
}

/* A torus of tube radius 0.4: its tessellation lies between radii 0.36 and 0.4. */
static void a_solid_is_full(void **state)
{
    (void)state;
    uint64_t seed = 4;
    surface s = torus_surface(40, 24, 0.4);
    for (int solid = 0; solid < 2; solid++) {
        dry_shape_data *data = data_of(&s, false, solid);
        dry_world *world = world_with(test_settings());
        dry_shape_def def = data_shape(DRY_SHAPE_MESH, data);
        def.scale = v3(-2, 2, 2);
        add_body(world, DRY_BODY_KINEMATIC, pose_at(5, 0, 0), def);
        int inside = 0;
        for (int i = 0; i < 1000; i++) {
            const d3 p = random_d3(&seed, 3);
            const double tube = hypot(hypot(p.x, p.z) - 2, p.y) / 2;
            if (tube > 0.36 && tube < 0.41)
                continue;
            const dry_ray ray = {
                .origin = {5 + p.x, p.y, p.z}, .translation = v3(0, 1e-3, 2e-3), .mask = UINT64_MAX};
            const dry_overlap ball = {
                .pose = pose_at(5 + p.x, p.y, p.z), .radius = 1e-3f, .mask = UINT64_MAX};
            const dry_overlap box = {.pose = pose_at(5 + p.x, p.y, p.z),
                                     .half_extents = {1e-3f, 1e-3f, 1e-3f},
                                     .mask = UINT64_MAX};
            dry_ray_hit hit;
            dry_shape_id id;
            int balls, boxes;
            const bool is_in = solid && tube < 0.36;
            assert_ok(dry_world_cast_ray(world, &ray, &hit));
            assert_ok(dry_world_overlap(world, &ball, &id, 1, &balls));
            assert_ok(dry_world_overlap(world, &box, &id, 1, &boxes));
            assert_int_equal(hit.shape.bits != 0, is_in);
            assert_int_equal(balls, is_in);
            assert_int_equal(boxes, is_in);
            if (is_in)
                assert_true(hit.fraction == 0 && hit.normal.z < 0);
            inside += is_in;
        }
        assert_true(solid ? inside > 20 : inside == 0);
        dry_world_destroy(world);
        dry_shape_data_release(data);
    }
    surface_free(&s);
}

/* Bounds hold all vertices, and are at most half as wide again as exact ones. */
static void bounds_are_narrow(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 200; n++) {
        surface s = random_surface(&seed);
        dry_shape_data *data = data_of(&s, false, false);
        dry_shape_def def = data_shape(DRY_SHAPE_MESH, data);
        def.scale = random_scale(&seed);
        const dry_geometry geometry = dry_geometry_from_def(&def);
        const dry_quat q = random_quat(&seed);
        const dry_extents bounds = dry_geometry_bounds(&geometry, q);
        const double radius = (double)dry_geometry_radius(&geometry);
        d3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
        const dry_transform identity = {{0, 0, 0}, {0, 0, 0, 1}};
        const dry_pose pose = {{0, 0, 0}, q};
        for (int t = 0; t < s.triangles; t++) {
            const triangle3 seen = triangle_placed(surface_triangle3(&s, t), def.scale, &identity, &pose);
            for (int i = 0; i < 3; i++) {
                const d3 v = seen.at[i];
                low = (d3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
                high = (d3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
                assert_true(d3_length(v) <= radius);
            }
        }
        for (int k = 0; k < 3; k++) {
            const double l = (double)vec3_get(bounds.low, k), h = (double)vec3_get(bounds.high, k);
            assert_true(l <= d3_get(low, k) && h >= d3_get(high, k));
            assert_true(h - l <= 1.5 * (d3_get(high, k) - d3_get(low, k)));
        }
        dry_shape_data_release(data);
        surface_free(&s);
    }
}

/* Shapes of several worlds hold one mesh, and the last of them frees it. */
static void data_live_as_long_as_shapes(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    const dry_data_services services = {.allocator = counting_hooks(&counter)};
    surface s = sphere_surface(4);
    const dry_mesh mesh = surface_mesh(&s);
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, NULL, &services, &data, NULL));
    surface_free(&s);
    assert_int_equal(counter.bytes, dry_shape_data_bytes(data));
    dry_world *world[2];
    dry_body_id body[2];
    for (int i = 0; i < 2; i++) {
        world[i] = world_with(test_settings());
        body[i] = add_body(world[i], DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_MESH, data));
    }
    assert_int_equal(counter.bytes, dry_shape_data_bytes(data));
    assert_true(dry_world_hash(world[0]) == dry_world_hash(world[1]));
    dry_shape_data_release(data);
    assert_ok(dry_body_destroy(world[0], body[0]));
    const dry_ray ray = {.origin = {0, 3, 0}, .translation = {0, -3, 0}, .mask = UINT64_MAX};
    dry_ray_hit hit;
    assert_ok(dry_world_cast_ray(world[1], &ray, &hit));
    assert_true(hit.shape.bits != 0);
    dry_world_destroy(world[1]);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    dry_world_destroy(world[0]);
}

static void the_state_takes_the_hash_of_the_data(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        surface s = sphere_surface(4);
        if (i == 2)
            s.vertex[0].x += 1e-3f; /* the number of one vertex differs, no bound does */
        dry_shape_data *data = data_of(&s, false, false);
        dry_world *world = world_with(test_settings());
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_MESH, data));
        hash[i] = dry_world_hash(world);
        dry_world_destroy(world);
        dry_shape_data_release(data);
        surface_free(&s);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

static void dynamic_bodies_are_refused(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_world_def world_def = test_world_def();
    world_def.log = (dry_log){keep_line, &lines};
    dry_world *world = world_from(&world_def);
    surface s = sphere_surface(2);
    dry_shape_data *data = data_of(&s, false, true);
    const dry_shape_def mesh = data_shape(DRY_SHAPE_MESH, data);
    const dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0, 0), &mesh);
    dry_body_id id = {0};
    dry_shape_id shape = {0}, ball;
    int count;
    const dry_body_id dynamic = add_dynamic(world, pose_at(9, 0, 0), sphere_shape(1));
    const dry_body_id fixed = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), mesh);
    const dry_body_id moved = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 5, 0), mesh);
    assert_ok(dry_body_get_shapes(world, dynamic, &ball, 1, &count));
    const uint64_t hash = dry_world_hash(world);
    for (int way = 0; way < 5; way++) {
        const dry_result result = way == 0   ? dry_world_create_body(world, &def, &id)
                                  : way == 1 ? dry_body_create_shape(world, dynamic, &mesh, &shape)
                                  : way == 2
                                      ? dry_shape_set_geometry(world, ball, &mesh)
                                      : dry_body_set_type(world, way == 3 ? fixed : moved, DRY_BODY_DYNAMIC);
        assert_int_equal(result, DRY_ERROR_ARGUMENT);
        assert_int_equal(lines.count, way + 1);
        assert_non_null(strstr(lines.last, "use a compound of hulls"));
        assert_true(dry_world_hash(world) == hash);
    }
    assert_ok(dry_body_set_type(world, fixed, DRY_BODY_KINEMATIC));
    assert_ok(dry_body_set_type(world, moved, DRY_BODY_STATIC));
    run_steps(world, 3, TEST_DT);
    dry_world_destroy(world);
    dry_shape_data_release(data);
    surface_free(&s);
}

/* Changes one thing of a sound mesh, and returns the fault that it has then. */
static dry_mesh_error spoil(int which, surface *s, dry_mesh *mesh, dry_mesh_options *options, int *element,
                            const char **text)
{
    *element = -1;
    switch (which) {
    case 0:
        mesh->triangle_count = 0;
        *text = "1 to 16,777,216";
        return DRY_MESH_BAD_COUNT;
    case 1:
        mesh->triangle_count = (1 << 24) + 1;
        *text = "1 to 16,777,216";
        return DRY_MESH_BAD_COUNT;
    case 2:
        s->corner[3 * 5 + 1] = s->vertices;
        *element = 5, *text = "triangles[5]";
        return DRY_MESH_BAD_INDEX;
    case 3:
        s->corner[3 * 4] = -1;
        *element = 4, *text = "triangles[4]";
        return DRY_MESH_BAD_INDEX;
    case 4:
        s->vertex[3].z = NAN;
        *element = 3, *text = "vertices[3]";
        return DRY_MESH_BAD_POSITION;
    case 5:
        s->vertex[6].x = -1.1e6f;
        *element = 6, *text = "vertices[6]";
        return DRY_MESH_BAD_POSITION;
    case 6:
        for (int i = 0; i < 3 * s->triangles; i++)
            s->corner[i] = 0;
        *text = "no triangle has an area";
        return DRY_MESH_ALL_DEGENERATE;
    case 7:
        options->solid = true;
        mesh->triangle_count--;
        *text = "edge from vertex";
        return DRY_MESH_NOT_CLOSED;
    default:
        options->solid = true;
        for (int t = 0; t < s->triangles; t++) {
            const int32_t c = s->corner[3 * t];
            s->corner[3 * t] = s->corner[3 * t + 1], s->corner[3 * t + 1] = c;
        }
        *text = "inward";
        return DRY_MESH_FACES_INWARD;
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    log_lines lines = {0};
    const dry_data_services services = {.log = {keep_line, &lines}};
    dry_shape_data *data = NULL;
    dry_mesh_report report;
    for (int which = 0; which < 9; which++) {
        surface s = box_surface((d3){1, 2, 3});
        dry_mesh mesh = surface_mesh(&s);
        dry_mesh_options options = {0};
        int element;
        const char *text;
        const dry_mesh_error error = spoil(which, &s, &mesh, &options, &element, &text);
        assert_int_equal(dry_mesh_create(&mesh, &options, &services, &data, &report), DRY_ERROR_ARGUMENT);
        assert_int_equal(report.error, error);
        if (element >= 0)
            assert_int_equal(report.element, element);
        if (error == DRY_MESH_NOT_CLOSED)
            assert_true(report.element >= 0 && report.edge[0] >= 0 && report.edge[1] >= 0);
        assert_non_null(strstr(lines.last, text));
        assert_int_equal(lines.count, which + 1);
        assert_null(data);
        surface_free(&s);
    }
    assert_int_equal(dry_mesh_create(NULL, NULL, &services, &data, NULL), DRY_ERROR_ARGUMENT);
    assert_true(strlen(dry_mesh_error_name((dry_mesh_error)99)) > 3);
}

/* Triangles that can't collide are counted; the others keep their numbers. */
static void what_does_not_collide_is_counted(void **state)
{
    (void)state;
    surface s = box_surface((d3){1, 1, 1});
    surface_triangle(&s, 0, 4, 6);
    surface_triangle(&s, 0, 0, 1);
    const dry_mesh mesh = surface_mesh(&s);
    dry_shape_data *data = NULL;
    dry_mesh_report report;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, &report));
    assert_int_equal(report.duplicate, 1);
    assert_int_equal(report.degenerate, 1);
    assert_int_equal(report.error, DRY_MESH_BUILT);
    assert_int_equal(report.element, -1);
    dry_shape_data_release(data);
    surface_free(&s);
}

static void saved_meshes_come_back(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int n = 0; n < 12; n++) {
        surface s = random_surface(&seed);
        const dry_mesh mesh = surface_mesh(&s);
        uint16_t *material = calloc((size_t)s.triangles, sizeof *material);
        assert_non_null(material);
        for (int i = 0; i < s.triangles; i++)
            material[i] = (uint16_t)random_below(&seed, 65536);
        const dry_mesh_options options = {.two_sided = n % 2, .material_indices = n % 3 ? material : NULL};
        dry_shape_data *data = NULL;
        assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
        check_saved(data, &seed);
        free(material);
        dry_shape_data_release(data);
        surface_free(&s);
    }
}

static void memory_that_fails_leaves_nothing(void **state)
{
    (void)state;
    surface s = sphere_surface(4);
    const dry_mesh mesh = surface_mesh(&s);
    counting_allocator counter;
    const dry_data_services services = {.allocator = counting_hooks(&counter)};
    dry_shape_data *data = NULL, *back = NULL;
    dry_mesh_report report;
    dry_result result = DRY_ERROR_MEMORY;
    for (int fails = 0; result == DRY_ERROR_MEMORY; fails++) {
        counter = (counting_allocator){.fail_at = fails};
        result = dry_mesh_create(&mesh, NULL, &services, &data, &report);
        assert_int_equal(report.error == DRY_MESH_NO_MEMORY, result == DRY_ERROR_MEMORY);
        assert_true(result == DRY_OK ? fails > 3 : counter.bytes == 0);
        assert_int_equal(counter.wrong, 0);
    }
    assert_ok(result);
    size_t size;
    assert_ok(dry_shape_data_save(data, NULL, 0, &size));
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(dry_shape_data_save(data, bytes, size, &size));
    dry_shape_data_release(data);
    assert_int_equal(counter.bytes, 0);
    result = DRY_ERROR_MEMORY;
    for (int fails = 0; result == DRY_ERROR_MEMORY; fails++) {
        counter = (counting_allocator){.fail_at = fails};
        result = dry_shape_data_load(bytes, size, &services, &back);
        assert_true(result == DRY_OK ? fails == 2 : counter.bytes == 0);
    }
    assert_ok(result);
    dry_shape_data_release(back);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    free(bytes);
    surface_free(&s);
}

/* A world on a thread of its own that uses data of all. */
typedef struct player {
    dry_shape_data *data;
    uint64_t hash;
    int hits;
} player;

static void *play(void *context)
{
    player *p = context;
    dry_world_def def = test_world_def();
    def.threads = 1;
    dry_world *world = NULL;
    if (dry_world_create(&def, &world) != DRY_OK)
        return NULL;
    const dry_shape_def mesh = data_shape(DRY_SHAPE_MESH, p->data), ball = sphere_shape(0.1);
    for (int n = 0; n < 20; n++) {
        dry_body_id id, other;
        dry_body_def body = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &mesh);
        dry_body_def moving = body_def(DRY_BODY_DYNAMIC, pose_at(0.1, 1.1, 0.2), &ball);
        if (dry_world_create_body(world, &body, &id) != DRY_OK ||
            dry_world_create_body(world, &moving, &other) != DRY_OK)
            break;
        for (int i = 0; i < 3; i++)
            dry_world_step(world, TEST_DT);
        const dry_ray ray = {.origin = {0.3, 3, 0.1 * n - 1}, .translation = {0, -6, 0}, .mask = UINT64_MAX};
        dry_ray_hit hit = {0};
        dry_world_cast_ray(world, &ray, &hit);
        p->hits += hit.shape.bits != 0;
        dry_body_destroy(world, id);
        dry_body_destroy(world, other);
    }
    p->hash = dry_world_hash(world);
    dry_world_destroy(world);
    return NULL;
}

static void worlds_on_threads_share_a_mesh(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    surface s = torus_surface(30, 20, 0.4);
    dry_shape_data *data = data_of(&s, false, true);
    pthread_t thread[THREADS];
    player players[THREADS];
    for (int i = 0; i < THREADS; i++) {
        players[i] = (player){.data = data};
        assert_int_equal(pthread_create(&thread[i], NULL, play, &players[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_true(players[i].hash != 0 && players[i].hash == players[0].hash);
        assert_int_equal(players[i].hits, players[0].hits);
    }
    assert_true(players[0].hits > 5);
    dry_shape_data_release(data);
    surface_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_and_overlaps_are_those_of_the_triangles),
        cmocka_unit_test(every_call_has_the_same_bits),
        cmocka_unit_test(no_ray_passes_a_seam),
        cmocka_unit_test(a_solid_is_full),
        cmocka_unit_test(bounds_are_narrow),
        cmocka_unit_test(data_live_as_long_as_shapes),
        cmocka_unit_test(the_state_takes_the_hash_of_the_data),
        cmocka_unit_test(dynamic_bodies_are_refused),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(what_does_not_collide_is_counted),
        cmocka_unit_test(saved_meshes_come_back),
        cmocka_unit_test(memory_that_fails_leaves_nothing),
        cmocka_unit_test(worlds_on_threads_share_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
