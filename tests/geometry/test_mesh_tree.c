/* A mesh's block by itself: faults, bytes, memory. test_mesh_edges.c has the edges. */
#include "geometry/mesh_layout.h"
#include "tests/blocks.h"
#include "tests/counting_allocator.h"
#include "tests/form_admits.h"
#include "tests/meshes.h"

/* Faults. */

static dry_mesh_report report_of(const surface *s, uint32_t flags)
{
    dry_mesh_report report;
    dry_mesh_tree *tree = surface_build(s, flags, &report);
    assert_int_equal(!tree, report.error != DRY_MESH_BUILT);
    if (tree) {
        assert_true(dry_mesh_tree_check(tree, tree->bytes));
        assert_int_equal(tree->slot_count, s->triangles - report.degenerate - report.duplicate);
        assert_int_equal(tree->triangle_count, s->triangles);
    }
    release_tree(tree, NULL);
    return report;
}

static void assert_counts(dry_mesh_report r, int open, int crowded, int flipped, int duplicate,
                          int degenerate)
{
    assert_int_equal(r.error, DRY_MESH_BUILT);
    assert_int_equal(r.open_edges, open);
    assert_int_equal(r.crowded_edges, crowded);
    assert_int_equal(r.flipped_edges, flipped);
    assert_int_equal(r.duplicate, duplicate);
    assert_int_equal(r.degenerate, degenerate);
}

static void test_faults(void **state)
{
    (void)state;
    for (int unwelded = 0; unwelded < 2; unwelded++) {
        surface s = box_surface((d3){1, 2, 3});
        if (unwelded)
            surface_unweld(&s);
        assert_counts(report_of(&s, DRY_MESH_SOLID), 0, 0, 0, 0, 0);
        const int32_t *c = s.corner;
        surface_triangle(&s, c[4], c[5], c[3]); /* the second triangle, from another corner on */
        assert_counts(report_of(&s, DRY_MESH_SOLID), 0, 0, 0, 1, 0);
        s.triangles--;
        surface_triangle(&s, s.corner[0], s.corner[2], s.corner[1]);
        assert_counts(report_of(&s, 0), 0, 3, 0, 0, 0);
        s.triangles--;
        surface_turn(&s, 5);
        assert_counts(report_of(&s, 0), 0, 0, 3, 0, 0);
        assert_int_equal(report_of(&s, DRY_MESH_SOLID).error, DRY_MESH_NOT_ORIENTED);
        surface_turn(&s, 5);
        s.triangles--;
        assert_counts(report_of(&s, 0), 3, 0, 0, 0, 0);
        const dry_mesh_report open = report_of(&s, DRY_MESH_SOLID);
        assert_int_equal(open.error, DRY_MESH_NOT_CLOSED);
        assert_true(open.element >= 0 && open.element < 11 && open.edge[0] != open.edge[1]);
        s.triangles++;
        for (int t = 0; t < s.triangles; t++)
            surface_turn(&s, t);
        assert_int_equal(report_of(&s, DRY_MESH_SOLID).error, DRY_MESH_FACES_INWARD);
        surface_free(&s);
    }
}

/* A box with a vertex in the middle of an edge, which triangles without area join to the other side. */
static void test_degenerate(void **state)
{
    (void)state;
    surface s = box_surface((d3){1, 1, 1});
    const int32_t a = s.corner[0], b = s.corner[1], c = s.corner[2];
    const int middle = surface_vertex(&s, d3_scale(d3_add(surface_at(&s, 0, 0), surface_at(&s, 0, 1)), 0.5));
    s.corner[1] = middle;
    surface_triangle(&s, middle, b, c);
    assert_counts(report_of(&s, 0), 3, 0, 0, 0, 0);
    assert_int_equal(report_of(&s, DRY_MESH_SOLID).error, DRY_MESH_NOT_CLOSED);
    surface_triangle(&s, a, b, middle);
    surface_triangle(&s, a, a, middle);
    assert_counts(report_of(&s, DRY_MESH_SOLID), 0, 0, 0, 0, 2);
    surface_free(&s);

    surface_loose(&s, (d3){0, 0, 0}, (d3){1, 0, 0}, (d3){0.5, 0, 0.004});
    const dry_mesh_report needle = report_of(&s, 0);
    assert_int_equal(needle.needles, 1);
    surface_free(&s);
    surface_loose(&s, (d3){0, 0, 0}, (d3){1, 1, 1}, (d3){3, 3, 3});
    surface_loose(&s, (d3){0, 0, 0}, (d3){0, 0, 0}, (d3){3, 4, 3});
    assert_int_equal(report_of(&s, 0).error, DRY_MESH_ALL_DEGENERATE);
    surface_free(&s);
}

static void test_bad_input(void **state)
{
    (void)state;
    surface s = box_surface((d3){1, 1, 1});
    const float bad[] = {NAN, INFINITY, -INFINITY, 1.0001e6f, -1.0001e6f};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        const dry_vec3 kept = s.vertex[i];
        *(i % 3 == 0 ? &s.vertex[i].x : i % 3 == 1 ? &s.vertex[i].y : &s.vertex[i].z) = bad[i];
        const dry_mesh_report r = report_of(&s, 0);
        assert_int_equal(r.error, DRY_MESH_BAD_POSITION);
        assert_int_equal(r.element, i);
        s.vertex[i] = kept;
    }
    const int32_t wrong[] = {-1, 8, INT32_MAX, INT32_MIN};
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        const int32_t kept = s.corner[10 + i];
        s.corner[10 + i] = wrong[i];
        const dry_mesh_report r = report_of(&s, 0);
        assert_int_equal(r.error, DRY_MESH_BAD_INDEX);
        assert_int_equal(r.element, (10 + i) / 3);
        s.corner[10 + i] = kept;
    }
    const int counts[] = {0, -1, DRY_MESH_TRIANGLES_MAX + 1};
    for (int i = 0; i < COUNT_OF(counts); i++) {
        const int kept = s.triangles;
        s.triangles = counts[i];
        assert_int_equal(report_of(&s, 0).error, DRY_MESH_BAD_COUNT);
        s.triangles = kept;
    }
    for (int i = 0; i <= DRY_MESH_FACES_INWARD; i++)
        assert_true(strlen(dry_mesh_error_name((dry_mesh_error)i)) > 3);
    surface_free(&s);
}

/* Bytes. */

/* A surface whose bits are the same everywhere: no function of the C library makes it. */
static surface golden_surface(void)
{
    uint64_t seed = 7;
    return grid_surface(40, 0.5, 0.7, &seed);
}

static void test_same_bytes(void **state)
{
    (void)state;
    surface s = golden_surface();
    dry_mesh_tree *tree = surface_tree(&s), *other = surface_tree(&s);
    assert_memory_equal(tree, other, tree->bytes);
    assert_true(dry_mesh_tree_hash(tree) == tree->hash);
    if (tree->hash != 0xe9a85803a4d7a12dull)
        fail_msg("%016llx", (unsigned long long)tree->hash);
    /* Vertices that no triangle has, and the names of equal ones, do not matter. */
    surface_unweld(&s);
    surface_vertex(&s, (d3){1, 2, 3});
    dry_mesh_tree *loose = surface_tree(&s);
    assert_int_equal(loose->vertex_count, 41 * 41);
    assert_int_equal(loose->bytes, tree->bytes);
    assert_memory_equal(tree, loose, tree->bytes);
    /* 36 bytes a triangle and the header. */
    assert_at_most((double)tree->bytes, 36.0 * s.triangles);
    s.vertex[100].y += 0.001f;
    dry_mesh_tree *changed = surface_tree(&s);
    assert_true(changed->hash != tree->hash);
    release_tree(tree, NULL);
    release_tree(other, NULL);
    release_tree(loose, NULL);
    release_tree(changed, NULL);
    surface_free(&s);
}

static void test_materials(void **state)
{
    (void)state;
    uint64_t seed = 8;
    surface s = soup_surface(333, 0.3, &seed);
    uint16_t material[333];
    for (int t = 0; t < 333; t++)
        material[t] = (uint16_t)random_below(&seed, 65536);
    const dry_mesh mesh = surface_mesh(&s);
    const dry_mesh_tree_def def = {&mesh, material, DRY_MESH_TWO_SIDED};
    dry_mesh_report report;
    dry_mesh_tree *tree = dry_mesh_tree_build(&def, NULL, &report);
    assert_true(dry_mesh_tree_check(tree, tree->bytes));
    assert_int_equal(tree->flags, DRY_MESH_TWO_SIDED);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++) {
        const uint32_t t = dry_mesh_tree_triangle(tree, slot);
        assert_int_equal(dry_mesh_tree_material(tree, slot), material[t]);
        for (int k = 0; k < 3; k++) {
            const dry_vec3 at = dry_mesh_tree_vertex(tree, slot, k),
                           given = s.vertex[s.corner[3 * t + (uint32_t)k]];
            assert_true(at.x == given.x && at.y == given.y && at.z == given.z);
        }
    }
    release_tree(tree, NULL);
    surface_free(&s);
}

static bool count_visit(void *context, uint32_t slot)
{
    (void)slot;
    ++*(int *)context;
    return true;
}

/* Asks a block that passed the check. */
static void ask(const dry_mesh_tree *tree, uint64_t *seed)
{
    const d3 o = random_d3(seed, 30), d = random_d3(seed, 30);
    const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 3};
    dry_mesh_hit hit;
    double point[3], distance = 1e4;
    int count = 0;
    dry_mesh_tree_cast_ray(tree, &ray, &hit);
    form_nearest(DRY_SHAPE_MESH, tree, ray.origin, &distance, point);
    dry_mesh_tree_visit_box(tree, &tree->bounds, count_visit, &count);
    assert_int_equal(count, tree->slot_count);
}

static void test_bad_bytes(void **state)
{
    (void)state;
    uint64_t seed = 9;
    surface s = golden_surface();
    dry_mesh_tree *tree = surface_tree(&s);
    const size_t size = tree->bytes;
    for (size_t cut = 0; cut < size; cut += cut < 300 ? 1 : 997) {
        char *bytes = aligned_alloc(64, (cut + 64) / 64 * 64);
        memcpy(bytes, tree, cut);
        assert_false(dry_mesh_tree_check(bytes, cut));
        free(bytes);
    }
    char *bytes = aligned_alloc(64, size);
    int passed = 0;
    for (int n = 0; n < test_pick(3000, 600); n++) {
        memcpy(bytes, tree, size);
        const size_t at = n % 2 ? (size_t)random_below(&seed, 400) : (size_t)random_below(&seed, (int)size);
        bytes[at] = (char)(bytes[at] ^ (n % 3 ? 1 << random_below(&seed, 8) : 1 + random_below(&seed, 255)));
        assert_false(dry_mesh_tree_check(bytes, size));
        /* With the hash made right, the numbers are checked one by one. */
        dry_mesh_tree *changed = (void *)bytes;
        if (changed->bytes == size)
            changed->hash = dry_mesh_tree_hash(changed);
        if (!dry_mesh_tree_check(bytes, size))
            continue;
        passed++;
        ask(changed, &seed);
    }
    assert_true(passed > 0);
    free(bytes);
    release_tree(tree, NULL);
    surface_free(&s);
}

/* Each kind of change alone must be found, with the hash made right. */
static void test_unsound_trees(void **state)
{
    (void)state;
    surface s = golden_surface();
    dry_mesh_tree *tree = surface_tree(&s);
    const size_t size = tree->bytes;
    dry_mesh_tree *changed = aligned_alloc(64, size);
    for (int n = 0; n < 12; n++) {
        memcpy(changed, tree, size);
        dry_mesh_node *nodes = (void *)((char *)changed + changed->nodes);
        uint32_t *corners = (void *)((char *)changed + changed->corners);
        uint32_t *tags = (void *)((char *)changed + changed->tags);
        dry_vec3 *vertices = (void *)((char *)changed + changed->vertices);
        switch (n) {
        case 0:
            nodes[1].child[0] = nodes[1].child[0] & DRY_MESH_LEAF ? 1 : nodes[0].child[0]; /* a circle */
            break;
        case 1:
            nodes[0].high[1][0]--;
            break;
        case 2:
            nodes[0].low[0][3]++;
            break;
        case 3:
            tags[5] = tags[6];
            break;
        case 4:
            tags[5] |= DRY_MESH_TRIANGLE_MASK;
            break;
        case 5:
            corners[17] |= DRY_MESH_VERTEX_MASK;
            break;
        case 6:
            vertices[3].y = NAN;
            break;
        case 7:
            nodes[0].child[3] = nodes[0].child[2];
            break;
        case 8:
            nodes[0].step[0] = INFINITY;
            break;
        case 9:
            changed->depth++;
            break;
        case 10:
            changed->bounds.max[0] = 20.5f;
            break;
        default:
            changed->version++;
        }
        changed->hash = dry_mesh_tree_hash(changed);
        assert_false(dry_mesh_tree_check(changed, size));
    }
    free(changed);
    release_tree(tree, NULL);
    surface_free(&s);
}

/* The tree's depth has a bound however unevenly triangles lie. */
static void test_uneven(void **state)
{
    (void)state;
    surface s = {0};
    double at = 1e-30;
    for (int i = 0; i < 2000; i++, at = at < 1e5 ? at * 1.07 : 1e-30)
        surface_loose(&s, (d3){at, 0, 0}, (d3){at, at, 0}, (d3){at, 0, at});
    for (int i = 0; i < 3000; i++) /* of one place */
        surface_loose(&s, (d3){5, 5, 5}, (d3){6, 5 + 1e-3 * i, 5}, (d3){5, 5, 6});
    dry_mesh_tree *tree = surface_tree(&s);
    assert_true(tree->depth <= DRY_MESH_DEPTH_MAX);
    release_tree(tree, NULL);
    surface_free(&s);
}

static void test_memory_fails(void **state)
{
    (void)state;
    surface s = golden_surface();
    const dry_mesh mesh = surface_mesh(&s);
    const dry_mesh_tree_def def = {&mesh, NULL, 0};
    bool is_built = false;
    for (int n = 0; !is_built; n++) {
        counting_allocator counter = {.fail_at = n};
        const dry_allocator hooks = counting_hooks(&counter);
        dry_mesh_report report;
        dry_mesh_tree *tree = dry_mesh_tree_build(&def, &hooks, &report);
        is_built = tree != NULL;
        assert_int_equal(report.error, is_built ? DRY_MESH_BUILT : DRY_MESH_NO_MEMORY);
        assert_true(is_built ? counter.bytes == tree->bytes && n > 5 : counter.bytes == 0);
        if (is_built)
            assert_true(dry_mesh_tree_check(tree, tree->bytes)); /* no byte of the allocator's pattern */
        release_tree(tree, &hooks);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
    }
    surface_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_materials),     cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_unsound_trees), cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
