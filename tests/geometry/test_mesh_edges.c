/* A mesh's edges, and the normals that its surface has there. */
#include "geometry/mesh_layout.h"
#include "tests/blocks.h"
#include "tests/form_admits.h"
#include "tests/meshes.h"

/* Tells whether an active edge of any triangle, from either side, ends at a corner. */
static bool corner_is_active(const dry_mesh_tree *tree, uint32_t slot, int corner)
{
    return dry_mesh_tree_tags(tree)[slot] >> (DRY_MESH_ACTIVE_SHIFT + corner) & 1;
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
        release_tree(tree, NULL);
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
        release_tree(tree, NULL);
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
            assert_int_equal(corner_is_active(tree, slot, k), at_border);
        }
    release_tree(tree, NULL);
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
    release_tree(tree, NULL);
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
        release_tree(tree, NULL);
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
            assert_true(corner_is_active(tree, slot, k));
    release_tree(tree, NULL);
    for (int t = 0; t < s.triangles; t++) /* as a room */
        surface_turn(&s, t);
    tree = surface_tree(&s);
    count_kinds(tree, kinds);
    assert_int_equal(kinds[DRY_MESH_EDGE_CONCAVE], 24);
    assert_int_equal(kinds[DRY_MESH_EDGE_FLAT], 12);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int k = 0; k < 3; k++)
            assert_false(corner_is_active(tree, slot, k));
    release_tree(tree, NULL);
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
    release_tree(tree, NULL);
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
        release_tree(tree, NULL);
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
        release_tree(tree, NULL);
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
        release_tree(tree, NULL);
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
    release_tree(tree, NULL);
    surface_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ridges),         cmocka_unit_test(test_strips),
        cmocka_unit_test(test_floors),         cmocka_unit_test(test_t_junctions),
        cmocka_unit_test(test_solids),         cmocka_unit_test(test_floor_normals),
        cmocka_unit_test(test_ridge_normals),  cmocka_unit_test(test_kinds_agree_with_normals),
        cmocka_unit_test(test_vertex_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
