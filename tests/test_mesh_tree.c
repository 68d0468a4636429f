/* A mesh's block by itself: faults, edges, normals, bytes. */
#include "geometry/mesh_layout.h"
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
    dry_mesh_tree_release(tree, NULL);
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

static void turn_triangle(surface *s, int t)
{
    const int32_t other = s->corner[3 * t];
    s->corner[3 * t] = s->corner[3 * t + 1], s->corner[3 * t + 1] = other;
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
        turn_triangle(&s, 5);
        assert_counts(report_of(&s, 0), 0, 0, 3, 0, 0);
        assert_int_equal(report_of(&s, DRY_MESH_SOLID).error, DRY_MESH_NOT_ORIENTED);
        turn_triangle(&s, 5);
        s.triangles--;
        assert_counts(report_of(&s, 0), 3, 0, 0, 0, 0);
        const dry_mesh_report open = report_of(&s, DRY_MESH_SOLID);
        assert_int_equal(open.error, DRY_MESH_NOT_CLOSED);
        assert_true(open.element >= 0 && open.element < 11 && open.edge[0] != open.edge[1]);
        s.triangles++;
        for (int t = 0; t < s.triangles; t++)
            turn_triangle(&s, t);
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

/* Edges. */

/* Counts the edges of each kind; `inside` counts those that do not lie on the border of [0, size]^2 alone. */
static void count_kinds(const dry_mesh_tree *tree, int kinds[4])
{
    memset(kinds, 0, 4 * sizeof *kinds);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int k = 0; k < 3; k++)
            kinds[dry_mesh_tree_edge(tree, slot, k)]++;
}

/* Two rectangles that meet along an edge of length `along`; the second falls by `angle` degrees. */
static surface ridge_surface(double along, double left, double right, double angle)
{
    surface s = {0};
    const double c = cos(angle * TEST_PI / 180), d = -sin(angle * TEST_PI / 180);
    const d3 p[6] = {{-left, 0, 0}, {-left, 0, along},         {0, 0, along},
                     {0, 0, 0},     {right * c, right * d, 0}, {right * c, right * d, along}};
    for (int i = 0; i < 6; i++)
        surface_vertex(&s, p[i]);
    surface_triangle(&s, 0, 1, 2);
    surface_triangle(&s, 0, 2, 3);
    surface_triangle(&s, 3, 2, 5);
    surface_triangle(&s, 3, 5, 4);
    return s;
}

/* Returns the kind of the edge between triangles 1 and 2, from both sides. */
static dry_mesh_edge ridge_kind(const dry_mesh_tree *tree, int *angle)
{
    int kind = -1;
    for (uint32_t slot = 0; slot < tree->slot_count; slot++) {
        const uint32_t triangle = dry_mesh_tree_triangle(tree, slot);
        if (triangle != 1 && triangle != 2)
            continue;
        const int edge = triangle == 1 ? 1 : 0;
        const dry_mesh_edge found = dry_mesh_tree_edge(tree, slot, edge);
        assert_true(kind < 0 || kind == (int)found);
        kind = (int)found;
        *angle = dry_mesh_tree_edge_angle(tree, slot, edge);
    }
    return (dry_mesh_edge)kind;
}

static void test_ridges(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < 3000; n++) {
        static const double angles[] = {0,  0.5,  1,    2,   2.4, 2.6, 4.9,  5.1, 10,  30,
                                        44, 89.9, 90.1, 134, 170, -2,  -5.1, -44, -91, -150};
        const double angle = angles[n % COUNT_OF(angles)];
        const double along = pow(10, random_in(&seed, -1, 2));
        surface s =
            ridge_surface(along, along * random_in(&seed, 0.5, 2), along * random_in(&seed, 0.5, 2), angle);
        surface_move(&s, random_quat(&seed), random_d3(&seed, 10 * along), 1);
        if (n % 2)
            surface_unweld(&s);
        dry_mesh_tree *tree = surface_tree(&s);
        int steps;
        const dry_mesh_edge kind = ridge_kind(tree, &steps);
        const dry_mesh_edge expected = angle > 2.5    ? DRY_MESH_EDGE_CONVEX
                                       : angle < -2.5 ? DRY_MESH_EDGE_CONCAVE
                                                      : DRY_MESH_EDGE_FLAT;
        assert_int_equal(kind, expected);
        if (kind != DRY_MESH_EDGE_FLAT)
            assert_int_equal(steps, (int)ceil(fabs(angle) / 11.25 - 1e-9));
        dry_mesh_tree_release(tree, NULL);
        surface_free(&s);
    }
}

/* A step of less than a millimeter between narrow strips is flat, a ridge of 5 degrees between wide ones is
 * not. */
static void test_strips(void **state)
{
    (void)state;
    int steps;
    for (int n = 0; n < 2; n++) {
        surface s = ridge_surface(110, 0.025, n ? 0.025 : 0.011, n ? 5.1 : 5);
        dry_mesh_tree *tree = surface_tree(&s);
        assert_int_equal(ridge_kind(tree, &steps), n ? DRY_MESH_EDGE_CONVEX : DRY_MESH_EDGE_FLAT);
        dry_mesh_tree_release(tree, NULL);
        surface_free(&s);
    }
}

/* Checks that a flat floor over [0, size]^2 has active edges and corners on its border alone. */
static void check_floor(const surface *s, double size, double room)
{
    dry_mesh_tree *tree = surface_tree(s);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int k = 0; k < 3; k++) {
            const dry_vec3 a = dry_mesh_tree_vertex(tree, slot, k);
            const dry_vec3 b = dry_mesh_tree_vertex(tree, slot, (k + 1) % 3);
            const double far = size - room;
            const bool border = (a.x < room && b.x < room) || (a.z < room && b.z < room) ||
                                (a.x > far && b.x > far) || (a.z > far && b.z > far);
            assert_int_equal(dry_mesh_tree_edge(tree, slot, k),
                             border ? DRY_MESH_EDGE_OPEN : DRY_MESH_EDGE_FLAT);
            const bool at_border = a.x < room || a.z < room || a.x > far || a.z > far;
            assert_int_equal(dry_mesh_tree_corner_is_active(tree, slot, k), at_border);
        }
    dry_mesh_tree_release(tree, NULL);
}

static void test_floors(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < 4; n++) { /* vertices and diagonals at random, welded and not */
        surface s = grid_surface(20, 1, 0, &seed);
        for (int i = 0; i < s.vertices; i++) {
            dry_vec3 *v = &s.vertex[i];
            if (v->x > 0 && v->x < 20 && v->z > 0 && v->z < 20) {
                v->x += (float)random_in(&seed, -0.2, 0.2);
                v->z += (float)random_in(&seed, -0.2, 0.2);
            }
        }
        if (n % 2)
            surface_unweld(&s);
        check_floor(&s, 20, 1e-3);
        for (int i = 0; n >= 2 && i < s.vertices; i++) /* corners that are up to 0.4 mm apart */
            s.vertex[i].y += (float)random_in(&seed, 0, 0.0004);
        check_floor(&s, 20, 1e-3);
        surface_free(&s);
    }
    surface s = {0};
    for (int j = 0; j < 40; j++) { /* needles of 2.5 cm x 110 m, with corners of 0.3 mm */
        const d3 a = {0.025 * j, random_in(&seed, 0, 3e-4), 0},
                 b = {0.025 * j, random_in(&seed, 0, 3e-4), 110};
        const d3 c = {0.025 * (j + 1), 0, 110}, d = {0.025 * (j + 1), 0, 0};
        surface_loose(&s, a, b, c);
        surface_loose(&s, a, c, d);
    }
    dry_mesh_tree *tree = surface_tree(&s);
    int kinds[4];
    count_kinds(tree, kinds);
    assert_int_equal(kinds[DRY_MESH_EDGE_OPEN], 2 * 40 + 2);
    assert_int_equal(kinds[DRY_MESH_EDGE_FLAT], 6 * 40 - 2 * 40 - 2);
    dry_mesh_tree_release(tree, NULL);
    surface_free(&s);
}

/* Cells of 1 m, each divided into k x k ones of its own: T-junctions along all cells' borders. */
static surface cells_surface(int n, uint64_t *seed)
{
    surface s = {0};
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            const int k = 1 + random_below(seed, 7);
            surface cell = grid_surface(k, 1.0 / k, 0, seed);
            for (int t = 0; t < cell.triangles; t++) {
                d3 at[3];
                for (int i = 0; i < 3; i++)
                    at[i] = d3_add(surface_at(&cell, t, i), (d3){c, 0, r});
                surface_loose(&s, at[0], at[1], at[2]);
            }
            surface_free(&cell);
        }
    return s;
}

static void test_t_junctions(void **state)
{
    (void)state;
    uint64_t seed = 3;
    surface s = cells_surface(8, &seed);
    check_floor(&s, 8, 1e-4);
    surface_free(&s);

    /* A long edge beside two short ones: both fall, one falls, both rise, or one is missing. */
    static const double falls[][2] = {{-1, -1}, {0, -1}, {1, 1}, {0, 0}, {0, 9}, {1, 0}};
    static const dry_mesh_edge kinds[] = {DRY_MESH_EDGE_CONVEX, DRY_MESH_EDGE_OPEN, DRY_MESH_EDGE_CONCAVE,
                                          DRY_MESH_EDGE_FLAT,   DRY_MESH_EDGE_OPEN, DRY_MESH_EDGE_FLAT};
    for (int n = 0; n < COUNT_OF(falls); n++) {
        surface t = {0};
        surface_loose(&t, (d3){0, 0, 0}, (d3){0, 0, 2}, (d3){1, 0, 1});
        for (int i = 0; i < 2; i++)
            if (falls[n][i] < 9)
                surface_loose(&t, (d3){0, 0, i}, (d3){-1, falls[n][i], i + 0.5}, (d3){0, 0, i + 1});
        dry_mesh_tree *tree = surface_tree(&t);
        bool is_found = false;
        for (uint32_t slot = 0; slot < tree->slot_count; slot++)
            if (dry_mesh_tree_triangle(tree, slot) == 0) {
                const dry_mesh_edge kind = dry_mesh_tree_edge(tree, slot, 0);
                const bool active = dry_mesh_tree_edge_is_active(tree, slot, 0, false);
                assert_int_equal(active, kinds[n] == DRY_MESH_EDGE_CONVEX || kinds[n] == DRY_MESH_EDGE_OPEN);
                if (falls[n][0] == falls[n][1])
                    assert_int_equal(kind, kinds[n]);
                is_found = true;
            }
        assert_true(is_found);
        dry_mesh_tree_release(tree, NULL);
        surface_free(&t);
    }
}

static void test_solids(void **state)
{
    (void)state;
    int kinds[4];
    surface s = box_surface((d3){1, 2, 3});
    dry_mesh_tree *tree = surface_tree(&s);
    count_kinds(tree, kinds);
    assert_int_equal(kinds[DRY_MESH_EDGE_CONVEX], 24);
    assert_int_equal(kinds[DRY_MESH_EDGE_FLAT], 12);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int k = 0; k < 3; k++)
            assert_true(dry_mesh_tree_corner_is_active(tree, slot, k));
    dry_mesh_tree_release(tree, NULL);
    for (int t = 0; t < s.triangles; t++) /* as a room */
        turn_triangle(&s, t);
    tree = surface_tree(&s);
    count_kinds(tree, kinds);
    assert_int_equal(kinds[DRY_MESH_EDGE_CONCAVE], 24);
    assert_int_equal(kinds[DRY_MESH_EDGE_FLAT], 12);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int k = 0; k < 3; k++)
            assert_false(dry_mesh_tree_corner_is_active(tree, slot, k));
    dry_mesh_tree_release(tree, NULL);
    surface_free(&s);
    surface sheet = {0}; /* a sheet with a back: its border is sharp, its inside flat */
    surface_loose(&sheet, (d3){0, 0, 0}, (d3){0, 0, 1}, (d3){1, 0, 0});
    surface_loose(&sheet, (d3){1, 0, 0}, (d3){0, 0, 1}, (d3){1, 0, 1});
    surface_loose(&sheet, (d3){0, 0, 0}, (d3){1, 0, 0}, (d3){0, 0, 1});
    surface_loose(&sheet, (d3){1, 0, 0}, (d3){1, 0, 1}, (d3){0, 0, 1});
    tree = surface_tree(&sheet);
    count_kinds(tree, kinds);
    assert_int_equal(kinds[DRY_MESH_EDGE_CONVEX], 8);
    assert_int_equal(kinds[DRY_MESH_EDGE_FLAT], 4);
    dry_mesh_tree_release(tree, NULL);
    surface_free(&sheet);
}

/* Normals. */

static bool admits(const dry_mesh_tree *tree, d3 at, d3 normal)
{
    const double p[3] = {at.x, at.y, at.z}, n[3] = {normal.x, normal.y, normal.z};
    return form_admits(DRY_SHAPE_MESH, tree, p, n);
}

/* Strips of 1 cm by 6 m, two triangles each. */
static surface strips_surface(void)
{
    surface s = {0};
    for (int i = 0; i < 600; i++) {
        const double z = 0.01 * i, next = 0.01 * (i + 1);
        surface_loose(&s, (d3){0, 0, z}, (d3){0, 0, next}, (d3){6, 0, next});
        surface_loose(&s, (d3){0, 0, z}, (d3){6, 0, next}, (d3){6, 0, z});
    }
    return s;
}

/* On floors of all kinds, the normal upward holds at every vertex and edge, a tilted one nowhere inside. */
static void test_floor_normals(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int n = 0; n < 4; n++) {
        surface s = n == 0   ? cells_surface(6, &seed)
                    : n == 3 ? strips_surface()
                             : grid_surface(12, 0.5, 0, &seed);
        if (n == 2)
            surface_unweld(&s);
        dry_mesh_tree *tree = surface_tree(&s);
        for (int t = 0; t < s.triangles; t++)
            for (int k = 0; k < 6; k++) {
                const d3 a = surface_at(&s, t, k % 3), b = surface_at(&s, t, (k + 1) % 3);
                const d3 p = k < 3 ? a : d3_add(a, d3_scale(d3_sub(b, a), random_in(&seed, 0, 1)));
                assert_true(admits(tree, p, (d3){0, 1, 0}));
                if (p.x < 0.01 || p.z < 0.01 || p.x > 5.99 || p.z > 5.99)
                    continue;
                const double way = random_in(&seed, 0, 2 * TEST_PI), tilt = random_in(&seed, 0.005, 0.5);
                const d3 tilted = {sin(tilt) * cos(way), cos(tilt), sin(tilt) * sin(way)};
                assert_false(admits(tree, p, tilted));
            }
        dry_mesh_tree_release(tree, NULL);
        surface_free(&s);
    }
}

/* On a ridge the normals between those of its sides hold, and no others; in a valley those of its back. */
static void test_ridge_normals(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 500; n++) {
        const double angle = random_in(&seed, 5, 170);
        surface s = ridge_surface(2, 1, 1, n % 5 ? angle : -angle);
        const dry_quat q = random_quat(&seed);
        surface_move(&s, q, (d3){0, 0, 0}, 1);
        dry_mesh_tree *tree = surface_tree(&s);
        const d3 p = d3_turn(q, (d3){0, 0, random_in(&seed, 0.1, 1.9)});
        for (int i = 0; i < 20; i++) {
            const double tilt = random_in(&seed, -180, 180), rad = tilt * TEST_PI / 180;
            const d3 normal = d3_turn(q, (d3){sin(rad), cos(rad), 0});
            const double low = n % 5 ? 0 : 180 - angle, high = n % 5 ? angle : 180;
            if (fabs(tilt - low) < 0.5 || fabs(tilt - high) < 0.5 || fabs(tilt + 180) < 0.5)
                continue;
            assert_int_equal(admits(tree, p, normal), tilt > low && tilt < high);
        }
        dry_mesh_tree_release(tree, NULL);
        surface_free(&s);
    }
}

/* Stored kinds and the search agree: the normal between two triangles holds in the middle of their edge if it
 * is convex, and does not if it is concave. */
static void test_kinds_agree_with_normals(void **state)
{
    (void)state;
    uint64_t seed = 10;
    int kinds[4] = {0};
    for (int n = 0; n < 12; n++) {
        surface s = n % 3 == 0   ? grid_surface(12, 0.5, 0.4, &seed)
                    : n % 3 == 1 ? torus_surface(16, 9, 0.4)
                                 : sphere_surface(4);
        surface_move(&s, random_quat(&seed), random_d3(&seed, n < 6 ? 1 : 500), 1);
        if (n % 2)
            surface_unweld(&s);
        dry_mesh_tree *tree = surface_tree(&s);
        for (uint32_t slot = 0; slot < tree->slot_count; slot++)
            for (int k = 0; k < 3; k++) {
                const int t = (int)dry_mesh_tree_triangle(tree, slot);
                const d3 a = surface_at(&s, t, k), b = surface_at(&s, t, (k + 1) % 3);
                const dry_mesh_edge kind = dry_mesh_tree_edge(tree, slot, k);
                kinds[kind]++;
                for (int u = 0; u < s.triangles; u++)
                    for (int l = 0; l < 3; l++) {
                        const d3 p = d3_sub(surface_at(&s, u, l), b),
                                 q = d3_sub(surface_at(&s, u, (l + 1) % 3), a);
                        if (u == t || d3_length(p) > 0 || d3_length(q) > 0)
                            continue;
                        const d3 own = d3_unit(triangle_normal(surface_triangle3(&s, t)));
                        const d3 other = d3_unit(triangle_normal(surface_triangle3(&s, u)));
                        const bool holds =
                            admits(tree, d3_scale(d3_add(a, b), 0.5), d3_unit(d3_add(own, other)));
                        assert_true(holds || kind != DRY_MESH_EDGE_CONVEX);
                        assert_false(holds && kind == DRY_MESH_EDGE_CONCAVE);
                        assert_true(kind != DRY_MESH_EDGE_OPEN);
                        const double turned = acos(fmin(1, d3_dot(own, other))) * 180 / TEST_PI;
                        assert_int_equal(kind == DRY_MESH_EDGE_FLAT, turned <= 2.5);
                        if (kind != DRY_MESH_EDGE_FLAT)
                            assert_int_equal(dry_mesh_tree_edge_angle(tree, slot, k),
                                             (int)ceil(turned / 11.25));
                    }
            }
        dry_mesh_tree_release(tree, NULL);
        surface_free(&s);
    }
    assert_true(kinds[DRY_MESH_EDGE_CONVEX] > 1000 && kinds[DRY_MESH_EDGE_CONCAVE] > 300);
}

/* At a vertex of a box all normals of the octant hold. */
static void test_vertex_normals(void **state)
{
    (void)state;
    uint64_t seed = 6;
    surface s = box_surface((d3){1, 2, 3});
    dry_mesh_tree *tree = surface_tree(&s);
    for (int n = 0; n < 1000; n++) {
        const d3 normal = d3_unit(random_d3(&seed, 1));
        if (fabs(normal.x) < 0.01 || fabs(normal.y) < 0.01 || fabs(normal.z) < 0.01)
            continue;
        const bool outward = normal.x > 0 && normal.y > 0 && normal.z < 0;
        assert_int_equal(admits(tree, (d3){1, 2, -3}, normal), outward);
    }
    dry_mesh_tree_release(tree, NULL);
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
    dry_mesh_tree_release(tree, NULL);
    dry_mesh_tree_release(other, NULL);
    dry_mesh_tree_release(loose, NULL);
    dry_mesh_tree_release(changed, NULL);
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
    dry_mesh_tree_release(tree, NULL);
    surface_free(&s);
}

static bool count_visit(void *context, const dry_mesh_tree *tree, uint32_t slot)
{
    assert_true(slot < tree->slot_count);
    ++*(int *)context;
    return true;
}

/* Asks a block that passed the check. */
static void ask(const dry_mesh_tree *tree, uint64_t *seed)
{
    const d3 o = random_d3(seed, 30), d = random_d3(seed, 30);
    const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 3};
    dry_mesh_hit hit;
    dry_mesh_nearest nearest;
    int count = 0;
    dry_mesh_tree_cast_ray(tree, &ray, &hit);
    dry_mesh_tree_find_nearest(tree, ray.origin, 1e4, &nearest);
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
    dry_mesh_tree_release(tree, NULL);
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
    dry_mesh_tree_release(tree, NULL);
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
    dry_mesh_tree_release(tree, NULL);
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
        dry_mesh_tree_release(tree, &hooks);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
    }
    surface_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_ridges),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_floors),
        cmocka_unit_test(test_t_junctions),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_floor_normals),
        cmocka_unit_test(test_ridge_normals),
        cmocka_unit_test(test_kinds_agree_with_normals),
        cmocka_unit_test(test_vertex_normals),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_unsound_trees),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
