/* Distances, depths and casts of random pairs of convex shapes beside those of libccd and FCL, where
 * installed: the library is not linked to them. Both can be wrong. A plane that parts two shapes, and points
 * of both, are proofs in double: an answer of theirs that its own proof contradicts is counted, and not
 * compared. */
#include "narrowphase/placed.h"
#include "tests/narrowphase/convex_pairs.h"

#include <stdlib.h>

enum { PAIRS = 3000, SKIPPED = 77 };

#ifdef HAVE_CCD

#include <ccd/ccd.h>

/* Writes the point of a shape that lies farthest along a direction. */
static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    const convex *c = object;
    const d3 n = {direction->v[0], direction->v[1], direction->v[2]}, m = d3_turn_back(c->turn, n);
    d3 p = {0, 0, 0};
    if (c->kind == CONVEX_HULL || c->kind == CONVEX_TRIANGLE) {
        const d3 *vertex = c->kind == CONVEX_HULL ? c->hull.vertex : c->corner;
        const int count = c->kind == CONVEX_HULL ? c->hull.vertices : 3;
        p = vertex[0];
        for (int i = 1; i < count; i++)
            p = d3_dot(n, vertex[i]) > d3_dot(n, p) ? vertex[i] : p;
    } else if (c->kind == CONVEX_BOX) {
        p = (d3){copysign(c->half.x, m.x), copysign(c->half.y, m.y), copysign(c->half.z, m.z)};
    } else {
        const d3 out = c->kind == CONVEX_ROUND ? m : (d3){m.x, 0, m.z};
        const double length = d3_length(out);
        p = length > 0 ? d3_scale(out, c->radius / length) : p;
        p.y += copysign(c->arm, m.y);
    }
    if (c->kind != CONVEX_HULL && c->kind != CONVEX_TRIANGLE)
        p = d3_add(c->center, d3_turn(c->turn, p));
    ccdVec3Set(point, p.x, p.y, p.z);
}

/* Writes a point inside of a shape. */
static void center(const void *object, ccd_vec3_t *point)
{
    const convex *c = object;
    d3 sum = c->center;
    const d3 *vertex = c->kind == CONVEX_HULL ? c->hull.vertex : c->corner;
    const int count = c->kind == CONVEX_HULL ? c->hull.vertices : c->kind == CONVEX_TRIANGLE ? 3 : 0;
    if (count > 0)
        sum = (d3){0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = d3_add(sum, d3_scale(vertex[i], 1.0 / count));
    ccdVec3Set(point, sum.x, sum.y, sum.z);
}

/* Compares one pair that libccd finds to overlap. Its depth is that of a polytope within the difference of
 * the shapes, a lower bound. The depth along its direction is an upper bound. Returns whether the bounds are
 * near. */
static bool assert_between(const drawn *a, const drawn *b, double depth, double low, d3 n)
{
    const double tolerance = 1e-4 * (a->oracle.size + b->oracle.size);
    const double high = -fmax(convex_separation(&a->oracle, &b->oracle, n),
                              convex_separation(&a->oracle, &b->oracle, d3_scale(n, -1)));
    assert_at_most(low, depth + tolerance);
    assert_at_most(depth, high + tolerance);
    return high - low <= tolerance;
}

static void overlaps_and_depths_are_those_of_libccd(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static drawn a, b;
    int apart = 0, overlapping = 0, near = 0, lost = 0;
    for (int i = 0; i < PAIRS; i++) {
        draw_both(&a, &b, i, &seed);
        const double tolerance = 1e-4 * (a.oracle.size + b.oracle.size);
        dry_gap gap;
        dry_placed_gap(&a.solid, &b.solid, &gap);
        ccd_t ccd;
        CCD_INIT(&ccd);
        ccd.support1 = ccd.support2 = support;
        ccd.center1 = ccd.center2 = center;
        ccd.max_iterations = 1000;
        ccd.epa_tolerance = 0.1 * tolerance;
        ccd_real_t depth = 0;
        ccd_vec3_t way, place;
        const bool touch = ccdGJKPenetration(&a.oracle, &b.oracle, &ccd, &depth, &way, &place) == 0;
        if (fabs(gap.separation) > tolerance)
            assert_true(touch == (gap.separation < 0));
        if (!touch) {
            apart++;
            continue;
        }
        const d3 n = {way.v[0], way.v[1], way.v[2]};
        if (!(fabs(d3_length(n) - 1) < 1e-6)) {
            lost++; /* libccd has no direction for shapes about one center */
            continue;
        }
        overlapping++;
        near += assert_between(&a, &b, -gap.separation, depth, n);
    }
    print_message("libccd: %d apart, %d overlap, %d of them within 1e-4, %d without direction\n", apart,
                  overlapping, near, lost);
    assert_true(apart > PAIRS / 4 && overlapping > PAIRS / 4 && near > PAIRS / 8 && lost < PAIRS / 100);
}

#else

static void overlaps_and_depths_are_those_of_libccd(void **state)
{
    (void)state;
    skip();
}

#endif

#ifdef HAVE_FCL

#include "tests/narrowphase/convex_fcl.h"

static double corners[2][DRY_HULL_VERTICES_MAX][3];
static int faces[2][4 * DRY_HULL_HALF_EDGES_MAX];

static d3 d3_from(dry_double3 t)
{
    return (d3){t.x, t.y, t.z};
}

static void put(d3 p, double *x)
{
    x[0] = p.x;
    x[1] = p.y;
    x[2] = p.z;
}

/* Describes shape `side` of a pair for FCL. */
static fcl_shape fcl_of(const convex *c, int side)
{
    fcl_shape shape = {.kind = FCL_CONVEX, .vertices = corners[side], .faces = faces[side]};
    put(c->center, shape.center);
    const dry_quat q = c->turn;
    const double rotation[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    memcpy(shape.rotation, rotation, sizeof rotation);
    if (c->kind == CONVEX_BOX) {
        shape.kind = FCL_BOX;
        put(c->half, shape.half);
    } else if (c->kind == CONVEX_ROUND || c->kind == CONVEX_CYLINDER) {
        shape.kind = c->kind == CONVEX_ROUND ? FCL_CAPSULE : FCL_CYLINDER;
        shape.half[0] = c->radius;
        shape.half[1] = c->arm;
    } else {
        const bool hull = c->kind == CONVEX_HULL;
        shape.vertex_count = hull ? c->hull.vertices : 3;
        shape.face_count = hull ? c->hull.triangles : 2;
        for (int i = 0; i < shape.vertex_count; i++)
            put(hull ? c->hull.vertex[i] : c->corner[i], corners[side][i]);
        for (int i = 0; i < shape.face_count; i++) {
            faces[side][4 * i] = 3;
            for (int k = 0; k < 3; k++)
                faces[side][4 * i + 1 + k] = hull ? c->hull.triangle[i][k] : i == 0 ? k : 2 - k;
        }
    }
    return shape;
}

static void distances_are_those_of_fcl(void **state)
{
    (void)state;
    uint64_t seed = 8;
    static drawn a, b;
    int apart = 0;
    for (int i = 0; i < PAIRS; i++) {
        draw_both(&a, &b, i, &seed);
        const double tolerance = 1e-5 * (a.oracle.size + b.oracle.size);
        dry_gap gap;
        dry_placed_gap(&a.solid, &b.solid, &gap);
        const fcl_shape first = fcl_of(&a.oracle, 0), second = fcl_of(&b.oracle, 1);
        const double distance = fcl_distance_of(&first, &second);
        if (gap.separation < -tolerance)
            assert_at_most(distance, 0);
        if (gap.separation < tolerance)
            continue;
        apart++;
        assert_near(distance, gap.separation, tolerance);
        /* Parallel faces have many closest points. A pair of them is one if it is as long as the distance. */
        const d3 between = d3_sub(d3_from(gap.on_b), d3_from(gap.on_a));
        assert_near(d3_length(between), distance, tolerance);
    }
    print_message("FCL: %d apart\n", apart);
    assert_true(apart > PAIRS / 4);
}

typedef struct cast_counts {
    int hits, near, late, misses;
} cast_counts;

/* Compares one cast. FCL's time is a lower bound: there the shapes are apart still, or nearly touch. Where
 * FCL misses a hit, a point of both shapes proves it. */
static void compare_casts(const drawn *a, const drawn *b, d3 way, cast_counts *counts)
{
    const double size = a->oracle.size + b->oracle.size;
    const double x[3] = {way.x, way.y, way.z};
    const fcl_shape first = fcl_of(&a->oracle, 0), second = fcl_of(&b->oracle, 1);
    const double time = fcl_time_of_impact(&first, &second, x, 1e-6);
    dry_placed_hit hit;
    const bool met = dry_placed_cast(&a->solid, &b->solid, double3(way.x, way.y, way.z), 1.0, &hit);
    static drawn there;
    there = *b;
    there.solid.center = double3_add_scaled(b->solid.center, time, double3(way.x, way.y, way.z));
    dry_gap left;
    dry_placed_gap(&a->solid, &there.solid, &left);
    counts->misses += !met;
    if (!met) {
        assert_true(left.separation > -1e-4 * size);
    } else if (time < 1) {
        counts->hits++;
        counts->near += fabs(left.separation) <= 1e-4 * size;
        assert_at_most(fabs(left.separation), 1e-3 * size);
    } else {
        counts->late++;
        there.oracle = convex_moved(&b->oracle, d3_scale(way, hit.fraction));
        assert_near(convex_distance(&a->oracle, d3_from(hit.point)), 0, 1e-4 * size);
        assert_near(convex_distance(&there.oracle, d3_from(hit.point)), 0, 1e-4 * size);
    }
}

static void casts_are_those_of_fcl(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static drawn a, b;
    cast_counts counts = {0};
    for (int i = 0; i < PAIRS; i++) {
        draw_both(&a, &b, i, &seed);
        const double size = a.oracle.size + b.oracle.size;
        const double far = random_in(&seed, 1, 3) * size;
        const d3 start = d3_scale(sphere_point(&seed), far);
        const d3 aim = random_d3(&seed, 0.7 * size);
        const drawn before = b;
        b.oracle = convex_moved(&before.oracle, start);
        b.solid.center = double3_add_scaled(before.solid.center, 1.0, double3(start.x, start.y, start.z));
        const double stretch = random_in(&seed, 0.3, 2);
        dry_gap gap;
        dry_placed_gap(&a.solid, &b.solid, &gap);
        if (gap.separation > 1e-4 * size)
            compare_casts(&a, &b, d3_scale(d3_sub(aim, start), stretch), &counts);
    }
    print_message("FCL: %d hits, %d of them within 1e-4, %d more that it misses, %d misses\n", counts.hits,
                  counts.near, counts.late, counts.misses);
    assert_true(counts.hits > PAIRS / 4 && counts.misses > PAIRS / 4);
    assert_true(counts.near >= counts.hits - counts.hits / 10 && counts.late <= counts.hits / 20);
}

#else

static void distances_are_those_of_fcl(void **state)
{
    (void)state;
    skip();
}

static void casts_are_those_of_fcl(void **state)
{
    (void)state;
    skip();
}

#endif

#if defined HAVE_CCD || defined HAVE_FCL
enum { INSTALLED = 1 };
#else
enum { INSTALLED = 0 };
#endif

/* Says so by its exit status if neither is installed. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_and_depths_are_those_of_libccd),
        cmocka_unit_test(distances_are_those_of_fcl),
        cmocka_unit_test(casts_are_those_of_fcl),
    };
    const int status =
        cmocka_run_group_tests_name("queries beside libccd and FCL", tests, make_hulls, free_hulls);
    return status == 0 && !INSTALLED ? SKIPPED : status;
}
