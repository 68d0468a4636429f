/* Hulls of random clouds beside plain code in double: closed, convex, made of the points, around them all. */
#include "tests/blocks.h"
#include "tests/counting_allocator.h"
#include "tests/geometry/hull_sound.h"

/* The FNV-1a hash of test_bits. */
#define HULL_BITS 0xb5d02d31b5e1aaf3ull

/* Builds a cloud's hull; null with the fault in the report. */
static dry_hull *hull_of(const cloud *c, int max_vertices, dry_hull_report *report)
{
    dry_hull *hull = NULL;
    const dry_result result = dry_hull_build(c->at, c->count, max_vertices, NULL, &hull, report);
    assert_int_equal(result, hull ? DRY_OK : DRY_ERROR_ARGUMENT);
    assert_int_equal(report->fault == DRY_HULL_SOUND, hull != NULL);
    return hull;
}

static dry_hull *sound_hull_of(const cloud *c, int max_vertices, dry_hull_report *report)
{
    dry_hull *hull = hull_of(c, max_vertices, report);
    if (!hull)
        fail_msg("%s: %s", c->name, dry_hull_fault_name(report->fault));
    return hull;
}

static void test_clouds(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 3;
    for (int n = 0; n < test_pick(40, 10) * COUNT_OF(cloud_kinds); n++) {
        cloud_draw(&c, n);
        dry_hull_report report;
        dry_hull *hull = hull_of(&c, 0, &report);
        if (!hull)
            fail_msg("cloud %d, %s, of %d points: %s", n, c.name, c.count, dry_hull_fault_name(report.fault));
        /* Only hulls of very many corners lose some. */
        const bool is_whole = hull->vertex_count < 250 && report.flat_m == 0;
        if (is_whole && report.cut_m > promised * cloud_size(&c))
            print_error("cloud %d, %s: %d points, %d vertices, %d faces, cut %g of %g\n", n, c.name, c.count,
                        hull->vertex_count, hull->face_count, report.cut_m, cloud_size(&c));
        if (is_whole)
            assert_at_most(report.cut_m, promised * cloud_size(&c));
        assert_sound(hull, &c, &report, c.count < 60 ? 1 : 16, &seed);
        release_hull(hull, NULL);
    }
}

/* Simplified hulls: their vertices are no more than asked for, and the cut is measured. */
static void test_limits(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 5;
    for (int n = 0; n < test_pick(20, 4) * COUNT_OF(cloud_kinds); n++) {
        cloud_draw(&c, 7000 + n);
        const int limit = 4 + random_below(&seed, 40);
        dry_hull_report report;
        dry_hull *hull = hull_of(&c, limit, &report);
        if (!hull) {
            /* A few vertices of a thin cloud may span less than it does. */
            assert_int_equal(report.fault, DRY_HULL_COPLANAR);
            continue;
        }
        assert_true(hull->vertex_count <= limit);
        assert_sound(hull, &c, &report, c.count < 400 ? 1 : 16, &seed);
        release_hull(hull, NULL);
    }
}

/* The cut shrinks as the limit grows: 64 vertices are well within 4 % of a ball's radius. */
static void test_simplified_sphere(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 11;
    c.count = 0;
    for (int i = 0; i < 4000; i++)
        cloud_add(&c, cloud_direction(&seed));
    /* The sag of a cap that each of n vertices has to itself is about 2 pi / (n sqrt 3) if they are spread
     * evenly; those chosen greedily may leave twice as much. */
    for (int limit = 16; limit <= 256; limit *= 2) {
        dry_hull_report report;
        dry_hull *hull = hull_of(&c, limit, &report);
        assert_int_equal(hull->vertex_count, limit);
        assert_int_equal(hull->face_count, 2 * limit - 4);
        assert_at_most(report.cut_m, 2 * 2 * TEST_PI / (limit * sqrt(3.0)));
        release_hull(hull, NULL);
    }
}

/* The hull of a solid has these counts, and no side of it was moved. */
static void assert_counts(const cloud *c, int vertices, int faces)
{
    dry_hull_report report;
    dry_hull *hull = sound_hull_of(c, 0, &report);
    assert_true(report.flat_m == 0);
    if (hull->vertex_count != vertices || hull->face_count != faces)
        fail_msg("%s: %d vertices, %d faces, not %d and %d", c->name, hull->vertex_count, hull->face_count,
                 vertices, faces);
    release_hull(hull, NULL);
}

/* Solids whose faces have many corners come out with these, in any attitude. */
static void test_faces_of_solids(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 21;
    for (int n = 0; n < 300; n++) {
        c.name = "dodecahedron", c.count = 0;
        cloud_dodecahedron(&c, &seed);
        assert_counts(&c, 20, 12);
        c.name = "grid", c.count = 0;
        cloud_grid(&c, &seed);
        assert_counts(&c, 8, 6);
        c.name = "turned grid", c.count = 0;
        cloud_turned_grid(&c, &seed);
        assert_counts(&c, 8, 6);
        c.name = "faces", c.count = 0;
        cloud_faces(&c, &seed);
        assert_counts(&c, 8, 6);
        c.name = "prism", c.count = 0;
        cloud_prism(&c, &seed);
        assert_counts(&c, 2 * (c.count / 3), c.count / 3 + 2);
    }
}

/* Box3D refuses such a hull for its 252 faces. Of 32 points, few faces may make a flat side. */
static void test_many_faces(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 31;
    c.name = "sphere";
    for (int count = 64; count <= 256; count *= 2) {
        c.count = 0;
        for (int i = 0; i < count; i++)
            cloud_add(&c, cloud_direction(&seed));
        assert_counts(&c, count, 2 * count - 4);
    }
}

/* Adds a box whose edges are cut off by `bevel`. */
static void cloud_beveled(cloud *c, d3 half, double bevel)
{
    for (int i = 0; i < 24; i++) {
        double p[3] = {half.x, half.y, half.z};
        for (int k = 0; k < 3; k++)
            p[k] = (p[k] - (k == i % 3 ? 0 : bevel)) * (i / 3 >> k & 1 ? 1 : -1);
        cloud_add(c, (d3){p[0], p[1], p[2]});
    }
}

/* Shapes that are no scans keep what they have: beveled boxes, long cylinders of up to 128 sides, and
 * ellipsoids. */
static void test_shapes_stay(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 23;
    for (int n = 0; n < 100; n++) {
        c.name = "beveled", c.count = 0;
        const d3 half = random_d3_in(&seed, 0.1, 1);
        cloud_beveled(&c, half, fmin(half.x, fmin(half.y, half.z)) * exp(random_in(&seed, log(1e-3), -1)));
        cloud_turn(&c, &seed);
        assert_counts(&c, 24, 26);
        c.name = "cylinder", c.count = 0;
        const int sides = 9 + random_below(&seed, 120);
        const double wide = exp(random_in(&seed, -2, 2)), high = exp(random_in(&seed, -2, 2));
        for (int i = 0; i < 2 * sides; i++)
            cloud_add(&c, (d3){wide * cos(TEST_PI * (i / 2) * 2 / sides), i % 2 ? high : -high,
                               sin(TEST_PI * (i / 2) * 2 / sides)});
        assert_counts(&c, 2 * sides, sides + 2);
        c.name = "ellipsoid", c.count = 0;
        const d3 axes = random_d3_in(&seed, 0.2, 2);
        for (int i = 0; i < 256; i++) {
            const d3 p = cloud_direction(&seed);
            cloud_add(&c, (d3){axes.x * p.x, axes.y * p.y, axes.z * p.z});
        }
        dry_hull_report report;
        release_hull(sound_hull_of(&c, 0, &report), NULL);
        assert_true(report.flat_m == 0);
    }
}

/* Returns the area of the largest face of a hull along a direction. */
static double largest_along(const dry_hull *hull, d3 way)
{
    double largest = 0;
    for (int face = 0; face < hull->face_count; face++) {
        const int first = dry_hull_firsts(hull)[face];
        d3 area = {0, 0, 0};
        for (int h = dry_hull_nexts(hull)[first]; dry_hull_nexts(hull)[h] != first;
             h = dry_hull_nexts(hull)[h]) {
            const d3 a = origin_at(hull, first);
            area = d3_add(area, d3_cross(d3_sub(origin_at(hull, h), a),
                                         d3_sub(origin_at(hull, dry_hull_nexts(hull)[h]), a)));
        }
        largest = fmax(largest, 0.5 * d3_dot(area, way));
    }
    return largest;
}

/* Scans of boxes have six flat sides, with noise from what a float rounds to 1 % of the thickness. */
static void test_scans(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 25;
    double least = 1, moved = 0;
    for (int n = 0; n < test_pick(400, 60); n++) {
        const d3 half = random_d3_in(&seed, 0.05, 0.5);
        const double thin = 2 * fmin(half.x, fmin(half.y, half.z));
        const dry_quat q = random_quat(&seed);
        c.name = "scan", c.count = 0;
        cloud_scan(&c, &seed, half, thin * exp(random_in(&seed, log(1e-7), log(0.01))));
        for (int i = 0; i < c.count; i++)
            c.at[i] = v3_of(d3_turn(q, d3_of(c.at[i])));
        dry_hull_report report;
        dry_hull *hull = sound_hull_of(&c, 32 + random_below(&seed, 225), &report);
        assert_sound(hull, &c, &report, 16, &seed);
        for (int k = 0; k < 6; k++) {
            const d3 way = {k / 2 == 0, k / 2 == 1, k / 2 == 2};
            const double side = 4 * half.x * half.y * half.z / d3_dot(half, way);
            least = fmin(least, largest_along(hull, d3_turn(q, d3_scale(way, k % 2 ? 1 : -1))) / side);
        }
        moved = fmax(moved, report.flat_m / thin);
        release_hull(hull, NULL);
    }
    print_message("sides have %.2f of a box's, vertices moved by %.4f of the thickness\n", least, moved);
    assert_true(least > 0.4);
    assert_at_most(moved, 0.02);
}

/* The order of the points decides nothing. */
static void test_order(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 41;
    for (int n = 0; n < test_pick(10, 2) * COUNT_OF(cloud_kinds); n++) {
        cloud_draw(&c, 9000 + n);
        const int limit = n % 2 ? 0 : 12;
        dry_hull_report first_report, report;
        dry_hull *first = hull_of(&c, limit, &first_report);
        for (int i = c.count - 1; i > 0; i--) {
            const int j = random_below(&seed, i + 1);
            const dry_vec3 p = c.at[i];
            c.at[i] = c.at[j], c.at[j] = p;
        }
        dry_hull *hull = hull_of(&c, limit, &report);
        assert_int_equal(first_report.fault, report.fault);
        if (!first)
            continue;
        assert_true(first_report.cut_m == report.cut_m);
        assert_memory_equal(hull, first, first->bytes);
        release_hull(hull, NULL);
        release_hull(first, NULL);
    }
}

static void assert_fault(const cloud *c, int count, int limit, dry_hull_fault_kind kind, int point)
{
    dry_hull *hull = NULL;
    dry_hull_report report;
    assert_int_equal(dry_hull_build(c->at, count, limit, NULL, &hull, &report), DRY_ERROR_ARGUMENT);
    if (report.fault != kind)
        fail_msg("%s, not %s", dry_hull_fault_name(report.fault), dry_hull_fault_name(kind));
    assert_int_equal(report.point, point);
    assert_null(hull);
    assert_int_equal(dry_hull_build(c->at, count, limit, NULL, &hull, NULL), DRY_ERROR_ARGUMENT);
}

static void test_bad_points(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 51;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.001e6, -2e6};
    for (int i = 0; i < COUNT_OF(bad) * 3; i++) {
        c.count = 0;
        cloud_ball(&c, &seed);
        const int at = random_below(&seed, c.count);
        *(i % 3 == 0 ? &c.at[at].x : i % 3 == 1 ? &c.at[at].y : &c.at[at].z) = (float)bad[i / 3];
        assert_fault(&c, c.count, 0, DRY_HULL_BAD_POINT, at);
    }
    for (int i = 0; i < 40; i++) {
        c.count = 0;
        const d3 p = random_d3(&seed, 100), u = cloud_direction(&seed);
        const d3 v = d3_unit(d3_cross(u, cloud_direction(&seed)));
        for (int k = 0; k < 50; k++)
            cloud_add(&c, p);
        assert_fault(&c, 50, 0, DRY_HULL_EQUAL, -1);
        for (int k = 0; k < 50; k++)
            c.at[k] = v3_of(d3_add(d3_scale(p, 0.1), d3_scale(u, random_in(&seed, -3, 3))));
        assert_fault(&c, 50, 0, DRY_HULL_COLLINEAR, -1);
        for (int k = 0; k < 50; k++)
            c.at[k] = v3_of(d3_add(d3_of(c.at[k]), d3_scale(v, random_in(&seed, -1, 1))));
        assert_fault(&c, 50, 0, DRY_HULL_COPLANAR, -1);
        assert_fault(&c, 3, 0, DRY_HULL_FEW_POINTS, -1);
    }
    c.count = 0;
    cloud_ball(&c, &seed);
    const int limits[] = {-1, 1, 2, 3, 257, 1 << 30};
    for (int i = 0; i < COUNT_OF(limits); i++)
        assert_fault(&c, c.count, limits[i], DRY_HULL_BAD_LIMIT, -1);
    assert_fault(&c, 0, 0, DRY_HULL_BAD_COUNT, -1);
    assert_fault(&c, -5, 0, DRY_HULL_BAD_COUNT, -1);
    assert_fault(&c, DRY_HULL_POINTS_MAX + 1, 0, DRY_HULL_BAD_COUNT, -1);
    dry_hull *hull = NULL;
    assert_int_equal(dry_hull_build(NULL, 5, 0, NULL, &hull, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_hull_build(c.at, c.count, 0, NULL, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_string_equal(dry_hull_fault_name((dry_hull_fault_kind)99), "unknown");
    release_hull(NULL, NULL);
}

/* A plate of 1e-4 m is the thinnest that passes, and so is a cube of that size. */
static void test_thinnest(void **state)
{
    (void)state;
    static cloud c;
    const double half[][2] = {{0.5e-4, 0.5e-4}, {1, 0.5e-4}, {1e4, 0.5e-4}, {1, 0.49e-4}, {1, 1e-6}};
    for (int i = 0; i < COUNT_OF(half); i++) {
        c.count = 0;
        for (int k = 0; k < 8; k++)
            cloud_add(&c, (d3){k & 1 ? half[i][0] : -half[i][0], k & 2 ? half[i][1] : -half[i][1],
                               k & 4 ? half[i][0] : -half[i][0]});
        if (half[i][1] < 0.5e-4) {
            assert_fault(&c, 8, 0, DRY_HULL_COPLANAR, -1);
            continue;
        }
        assert_counts(&c, 8, 6);
    }
}

/* The bits of hulls, for every machine and compiler: of clouds that take no function of the C library but the
 * square root, which is exact. A change of the build or the block changes the number here, and no other does.
 */
static void test_bits(void **state)
{
    (void)state;
    static cloud c;
    static const char *const exact[] = {"sphere", "ball", "box", "bell", "grid", "few"};
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int n = 0; n < 12 * COUNT_OF(cloud_kinds); n++) {
        cloud_draw(&c, n);
        bool counts = false;
        for (int i = 0; i < COUNT_OF(exact); i++)
            counts = counts || strcmp(c.name, exact[i]) == 0;
        dry_hull_report report;
        dry_hull *hull = counts ? hull_of(&c, n % 2 ? 0 : 14, &report) : NULL;
        for (uint32_t i = 0; hull && i < hull->bytes; i++)
            hash = (hash ^ ((const uint8_t *)hull)[i]) * 0x100000001b3ull;
        release_hull(hull, NULL);
    }
    if (hash != HULL_BITS)
        fail_msg("0x%016llx", (unsigned long long)hash);
}

/* All memory comes from the given allocator and goes back to it. */
static void test_memory(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 61;
    cloud_sphere(&c, &seed);
    for (int fail = 0; fail < 3; fail++) {
        counting_allocator counts = {.fail_at = fail};
        const dry_allocator allocator = counting_hooks(&counts);
        dry_hull *hull = NULL;
        assert_int_equal(dry_hull_build(c.at, c.count, 0, &allocator, &hull, NULL),
                         fail < 2 ? DRY_ERROR_MEMORY : DRY_OK);
        assert_int_equal(hull != NULL, fail == 2);
        assert_int_equal(counts.bytes, hull ? hull->bytes : 0);
        release_hull(hull, &allocator);
        assert_int_equal(counts.bytes, 0);
        assert_int_equal(counts.wrong, 0);
    }
}

/* The most points there may be. */
static void test_million(void **state)
{
    (void)state;
    const int count = test_pick(DRY_HULL_POINTS_MAX, 100000);
    dry_vec3 *points = malloc((size_t)count * sizeof *points);
    uint64_t seed = 71;
    for (int i = 0; i < count; i++)
        points[i] = v3_of(d3_scale(cloud_direction(&seed), random_in(&seed, 0.5, 1)));
    dry_hull *hull = NULL;
    dry_hull_report report;
    assert_ok(dry_hull_build(points, count, 0, NULL, &hull, &report));
    assert_int_equal(hull->vertex_count, 256);
    assert_at_most(report.cut_m, 0.03);
    assert_closed(hull);
    assert_true(dry_hull_check(hull, hull->bytes));
    release_hull(hull, NULL);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_simplified_sphere),
        cmocka_unit_test(test_faces_of_solids),
        cmocka_unit_test(test_many_faces),
        cmocka_unit_test(test_shapes_stay),
        cmocka_unit_test(test_scans),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bad_points),
        cmocka_unit_test(test_thinnest),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
