/* Tests saved shape data: what is read back is what was saved, and nothing else is taken. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/test_world.h"

static dry_shape_data *random_hull(uint64_t *seed, int count)
{
    dry_vec3 points[64];
    for (int i = 0; i < count; i++)
        points[i] = v3_of(random_d3(seed, 1.0));
    dry_shape_data *data = NULL;
    assert_ok(dry_hull_create(points, count, 0, NULL, &data, NULL));
    return data;
}

/* Returns a mesh of one or more triangles, or a field of one cell or more, with materials. */
static dry_shape_data *random_surface(uint64_t *seed, bool field)
{
    const uint16_t materials[4] = {0, 1, 2, 1};
    dry_vec3 corners[4];
    float heights[9];
    for (int i = 0; i < 4; i++)
        corners[i] = v3_of(random_d3(seed, 1.0));
    for (int i = 0; i < 9; i++)
        heights[i] = (float)random_in(seed, -1, 1);
    const int32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    const dry_mesh mesh = {corners, triangles, 4, 2};
    const dry_mesh_options options = {.material_indices = materials};
    const dry_height_field_def def = {.rows = 3,
                                      .columns = 3,
                                      .spacing = {1, 2},
                                      .heights = heights,
                                      .material_indices = materials,
                                      .solid_depth = 0.5f};
    dry_shape_data *data = NULL;
    if (field)
        assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
    else
        assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

/* Boxes, balls, hulls, meshes and fields, some of which share their data. */
static dry_shape_data *random_compound(uint64_t *seed)
{
    dry_shape_data *hulls[2] = {random_hull(seed, 12), random_hull(seed, 30)};
    dry_shape_data *surfaces[2] = {random_surface(seed, false), random_surface(seed, true)};
    dry_shape_def child[9];
    for (int i = 0; i < 6; i++) {
        child[i] = i < 2 ? box_shape(0.3, 0.2, 0.1) : i == 2 ? sphere_shape(0.4) : dry_default_shape_def();
        if (i > 2) {
            child[i].type = DRY_SHAPE_HULL;
            child[i].data = hulls[i % 2];
            child[i].scale = v3(1, -0.5, 2);
        }
        child[i].pose = (dry_transform){v3_of(random_d3(seed, 2.0)), random_quat(seed)};
    }
    for (int i = 6; i < 9; i++) {
        child[i] = dry_default_shape_def();
        child[i].type = i == 7 ? DRY_SHAPE_HEIGHT_FIELD : DRY_SHAPE_MESH;
        child[i].data = surfaces[i == 7];
        child[i].scale = v3(2, 1, -1);
        child[i].pose.position = v3_of(random_d3(seed, 2.0));
        child[i].pose.orientation = random_quat(seed);
    }
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(child, 9, NULL, &data));
    for (int i = 0; i < 2; i++) {
        dry_shape_data_release(hulls[i]);
        dry_shape_data_release(surfaces[i]);
    }
    return data;
}

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const dry_shape_data *data)
{
    saved s;
    assert_ok(dry_shape_data_save(data, NULL, 0, &s.size));
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    assert_ok(dry_shape_data_save(data, s.bytes, s.size, &s.size));
    return s;
}

/* Bytes have no alignment: they are read from an odd place. */
static dry_result load(const saved *s, size_t size, dry_shape_data **data)
{
    unsigned char *moved = malloc(size + 1);
    assert_non_null(moved);
    memcpy(moved + 1, s->bytes, size);
    const dry_result result = dry_shape_data_load(moved + 1, size, NULL, data);
    free(moved);
    return result;
}

static void data_come_back(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 20; i++) {
        dry_shape_data *data = i % 2 ? random_compound(&seed) : random_hull(&seed, 4 + i), *back = NULL;
        const saved s = save(data);
        assert_ok(load(&s, s.size, &back));
        assert_int_equal(dry_shape_data_type(back), dry_shape_data_type(data));
        assert_true(dry_shape_data_hash(back) == dry_shape_data_hash(data));
        const saved again = save(back);
        assert_int_equal(again.size, s.size);
        assert_memory_equal(again.bytes, s.bytes, s.size);
        free(again.bytes);
        free(s.bytes);
        dry_shape_data_release(data);
        dry_shape_data_release(back);
    }
}

static void changed_bytes_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int kind = 0; kind < 2; kind++) {
        dry_shape_data *data = kind ? random_compound(&seed) : random_hull(&seed, 16), *back = NULL;
        saved s = save(data);
        for (size_t size = 0; size < s.size; size += test_pick(3, 61))
            assert_int_equal(load(&s, size, &back), DRY_ERROR_ARGUMENT);
        for (size_t at = 0; at < s.size; at += (size_t)test_pick(1, 13)) {
            const unsigned char before = s.bytes[at];
            s.bytes[at] ^= (unsigned char)(1 << random_below(&seed, 8));
            /* The hash tells of each change. */
            assert_int_equal(load(&s, s.size, &back), DRY_ERROR_ARGUMENT);
            s.bytes[at] = before;
        }
        assert_null(back);
        free(s.bytes);
        dry_shape_data_release(data);
    }
}

static void memory_that_fails_leaves_nothing(void **state)
{
    (void)state;
    uint64_t seed = 13;
    dry_shape_data *data = random_compound(&seed), *back = NULL;
    const saved s = save(data);
    counting_allocator counter = {.fail_at = 0};
    dry_data_services services = {.allocator = counting_hooks(&counter)};
    dry_result result = DRY_ERROR_MEMORY;
    int fails = 0;
    for (; result == DRY_ERROR_MEMORY; fails++) {
        counter = (counting_allocator){.fail_at = fails};
        result = dry_shape_data_load(s.bytes, s.size, &services, &back);
        assert_true(result == DRY_OK || counter.bytes == 0);
        assert_int_equal(counter.wrong, 0);
    }
    assert_ok(result);
    assert_true(fails > 6);
    dry_shape_data_release(back);
    assert_int_equal(counter.bytes, 0);
    const dry_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (result = DRY_ERROR_MEMORY, fails = 0; result == DRY_ERROR_MEMORY; fails++) {
        counter = (counting_allocator){.fail_at = fails};
        result = dry_hull_create(points, 5, 0, &services, &back, NULL);
        assert_true(result == DRY_OK || counter.bytes == 0);
    }
    assert_ok(result);
    dry_shape_data_release(back);
    assert_int_equal(counter.bytes, 0);
    free(s.bytes);
    dry_shape_data_release(data);
}

/* Each fault of a hull's points is named, and where it lies. */
static void hull_faults_are_named(void **state)
{
    (void)state;
    log_lines lines = {0};
    const dry_data_services services = {.log = {keep_line, &lines}};
    dry_vec3 points[8];
    dry_shape_data *data = NULL;
    dry_hull_report report;
    for (int i = 0; i < 8; i++)
        points[i] = v3(i & 1, i >> 1 & 1, i >> 2);
    assert_int_equal(dry_hull_create(points, 8, 3, &services, &data, &report), DRY_ERROR_ARGUMENT);
    assert_int_equal(report.fault, DRY_HULL_BAD_LIMIT);
    assert_int_equal(dry_hull_create(points, 3, 0, &services, &data, &report), DRY_ERROR_ARGUMENT);
    assert_int_equal(report.fault, DRY_HULL_FEW_POINTS);
    assert_int_equal(dry_hull_create(points, 4, 0, &services, &data, &report), DRY_ERROR_ARGUMENT);
    assert_int_equal(report.fault, DRY_HULL_COPLANAR);
    points[5].y = NAN;
    assert_int_equal(dry_hull_create(points, 8, 0, &services, &data, &report), DRY_ERROR_ARGUMENT);
    assert_int_equal(report.point, 5);
    assert_non_null(strstr(lines.last, "points[5]"));
    assert_null(data);
    points[5].y = 0;
    assert_ok(dry_hull_create(points, 8, 0, &services, &data, &report));
    assert_int_equal(report.vertices, 8);
    assert_int_equal(report.faces, 6);
    assert_true(report.cut_m == 0);
    dry_shape_data_release(data);
}

/* Vertices, faces and half-edges that are read make a closed convex solid: Euler's count, twins that run
 * against each other, corners in their face's plane and no vertex outside. The hull of the vertices is the
 * same hull. */
static void test_hulls_are_read(void **state)
{
    (void)state;
    uint64_t seed = 6711;
    for (int n = 0; n < 40; n++) {
        dry_shape_data *data = random_hull(&seed, 4 + n), *again;
        dry_shape_data_sizes sizes;
        dry_vec3 v[64];
        dry_shape_data_face faces[124];
        dry_shape_data_half_edge edges[372];
        int vertices, face_count, edge_count;
        assert_ok(dry_shape_data_get_sizes(data, &sizes));
        assert_ok(dry_shape_data_get_vertices(data, v, COUNT_OF(v), &vertices));
        assert_ok(dry_shape_data_get_faces(data, faces, COUNT_OF(faces), &face_count));
        assert_ok(dry_shape_data_get_half_edges(data, edges, COUNT_OF(edges), &edge_count));
        assert_true(sizes.vertices == vertices && sizes.faces == face_count && 2 * sizes.edges == edge_count);
        assert_int_equal(vertices - edge_count / 2 + face_count, 2);
        int walked = 0;
        for (int f = 0; f < face_count; f++) {
            const d3 normal = d3_of(faces[f].normal);
            assert_near(d3_length(normal), 1, 1e-6);
            for (int i = 0; i < vertices; i++)
                assert_at_most(d3_dot(normal, d3_of(v[i])) - (double)faces[f].offset, 1e-5);
            int h = faces[f].first;
            do {
                const int next = edges[h].next;
                const d3 a = d3_of(v[edges[h].vertex]), b = d3_of(v[edges[next].vertex]),
                         c = d3_of(v[edges[edges[next].next].vertex]);
                assert_int_equal(edges[h].face, f);
                assert_int_equal(edges[h ^ 1].vertex, edges[next].vertex);
                assert_near(d3_dot(normal, a), faces[f].offset, 1e-5);
                assert_true(d3_dot(d3_cross(d3_sub(b, a), d3_sub(c, b)), normal) > 0);
                walked++;
                h = next;
            } while (h != faces[f].first);
        }
        assert_int_equal(walked, edge_count);
        assert_ok(dry_hull_create(v, vertices, 0, NULL, &again, NULL));
        assert_true(dry_shape_data_hash(again) == dry_shape_data_hash(data));
        int only;
        assert_ok(dry_shape_data_get_vertices(data, v, 1, &only));
        assert_int_equal(only, vertices);
        assert_int_equal(dry_shape_data_get_children(data, NULL, 0, &only), DRY_ERROR_ARGUMENT);
        assert_int_equal(dry_shape_data_get_vertices(data, NULL, 1, &only), DRY_ERROR_ARGUMENT);
        assert_int_equal(dry_shape_data_get_vertices(NULL, v, 1, &only), DRY_ERROR_ARGUMENT);
        dry_shape_data_release(again);
        dry_shape_data_release(data);
    }
}

/* The children that are read make the same compound once more; sizes of surfaces are those that were given.
 */
static void test_compounds_and_surfaces_are_read(void **state)
{
    (void)state;
    uint64_t seed = 6712;
    for (int n = 0; n < 10; n++) {
        dry_shape_data *data = random_compound(&seed), *again;
        dry_shape_def children[16], copies[16];
        dry_shape_data_sizes sizes;
        int count;
        assert_ok(dry_shape_data_get_children(data, children, COUNT_OF(children), &count));
        assert_ok(dry_shape_data_get_sizes(data, &sizes));
        assert_true(count == 9 && sizes.children == count);
        assert_ok(dry_compound_create(children, count, NULL, &again));
        assert_ok(dry_shape_data_get_children(again, copies, COUNT_OF(copies), &count));
        for (int i = 0; i < count; i++) { /* orientations are made unit once more */
            const dry_shape_def *a = &children[i], *b = &copies[i];
            assert_true(a->type == b->type && a->data == b->data && a->radius == b->radius);
            assert_memory_equal(&a->scale, &b->scale, sizeof a->scale);
            assert_memory_equal(&a->half_extents, &b->half_extents, sizeof a->half_extents);
            assert_memory_equal(&a->pose.position, &b->pose.position, sizeof a->pose.position);
            const dry_quat p = a->pose.orientation, q = b->pose.orientation;
            assert_near(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w, 1, 1e-6);
        }
        assert_ok(dry_shape_data_get_sizes(children[7].data, &sizes));
        assert_true(sizes.rows == 3 && sizes.columns == 3 && sizes.triangles == 8);
        assert_true(sizes.spacing[0] == 1 && sizes.spacing[1] == 2 && sizes.solid_depth == 0.5f);
        assert_true(sizes.low.x <= 0 && sizes.high.x >= 2 && sizes.high.z >= 4 && sizes.high.z < 4.001f);
        assert_ok(dry_shape_data_get_sizes(children[6].data, &sizes));
        assert_int_equal(sizes.triangles, 2);
        assert_int_equal(dry_shape_data_get_sizes(data, NULL), DRY_ERROR_ARGUMENT);
        dry_shape_data_release(again);
        dry_shape_data_release(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls_are_read),
        cmocka_unit_test(test_compounds_and_surfaces_are_read),
        cmocka_unit_test(data_come_back),
        cmocka_unit_test(changed_bytes_are_refused),
        cmocka_unit_test(memory_that_fails_leaves_nothing),
        cmocka_unit_test(hull_faults_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
