/* Queries on a mesh's block against brute force over the triangles, in double. */
#include "tests/blocks.h"
#include "tests/form_admits.h"
#include "tests/meshes.h"

#include "geometry/triangle.h"

enum { KINDS = 7 };

/* Makes one of the surfaces that the tests go over. */
static surface make_surface(int kind, uint64_t *seed)
{
    surface s = {0};
    switch (kind) {
    case 0:
        return soup_surface(300, 0.5, seed);
    case 1:
        return grid_surface(20, 0.1, 0.3, seed);
    case 2:
        s = sphere_surface(6);
        break;
    case 3:
        s = torus_surface(20, 12, 0.3);
        break;
    case 4: /* needles */
        for (int i = 0; i < 200; i++) {
            surface_loose(&s, (d3){i * 0.01, 0, 0}, (d3){i * 0.01, 0, 50}, (d3){i * 0.01 + 0.01, 0, 0});
            surface_loose(&s, (d3){i * 0.01 + 0.01, 0, 0}, (d3){i * 0.01, 0, 50},
                          (d3){i * 0.01 + 0.01, 0, 50});
        }
        break;
    case 5: /* few triangles */
        return soup_surface(1 + random_below(seed, 6), 1, seed);
    default: /* copies of one triangle, in both windings */
        for (int i = 0; i < 10; i++)
            surface_loose(&s, (d3){0, 0, 0}, (d3){i % 2, 0, 1 - i % 2}, (d3){1 - i % 2, 0, i % 2});
    }
    if (random_below(seed, 2))
        surface_move(&s, random_quat(seed), random_d3(seed, 2000), random_in(seed, 0.1, 10));
    return s;
}

/* Bounds of a surface, and the largest side. */
static double surface_bounds(const surface *s, d3 *low, d3 *high)
{
    *low = *high = surface_at(s, 0, 0);
    for (int t = 0; t < s->triangles; t++)
        for (int k = 0; k < 3; k++) {
            const d3 v = surface_at(s, t, k);
            *low = (d3){fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z)};
            *high = (d3){fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z)};
        }
    const d3 size = d3_sub(*high, *low);
    return fmax(size.x, fmax(size.y, size.z));
}

static d3 random_around(uint64_t *seed, d3 low, d3 high, double more)
{
    return (d3){random_in(seed, low.x - more, high.x + more), random_in(seed, low.y - more, high.y + more),
                random_in(seed, low.z - more, high.z + more)};
}

/* Rays. */

/* Compares a cast with brute force. Triangles whose weights are this near to an edge may be hit or not. */
static void check_ray(const surface *s, const dry_mesh_tree *tree, d3 o, d3 d, int sides)
{
    const double doubt = 1e-7;
    const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, sides};
    dry_mesh_hit hit = {.fraction = 2};
    const bool is_hit = dry_mesh_tree_cast_ray(tree, &ray, &hit);
    double first_sure = 2;
    for (int t = 0; t < s->triangles; t++) {
        double f, w[3];
        if (!solve_hit(surface_triangle3(s, t), o, d, &f, w) || least_of(w) < doubt)
            continue;
        const d3 n = triangle_normal(surface_triangle3(s, t));
        if (f > doubt && f < 1 - doubt && sides & (d3_dot(n, d) < 0 ? DRY_MESH_FRONTS : DRY_MESH_BACKS))
            first_sure = fmin(first_sure, f);
    }
    if (first_sure <= 1)
        assert_true(is_hit && hit.fraction <= first_sure + 1e-9);
    if (!is_hit)
        return;
    double f = 0, w[3];
    assert_true(solve_hit(surface_triangle3(s, (int)hit.triangle), o, d, &f, w));
    assert_true(hit.fraction >= 0 && hit.fraction <= 1);
    assert_near(hit.fraction, f, 1e-7);
    assert_true(least_of(w) > -doubt);
    assert_int_equal(dry_mesh_tree_triangle(tree, hit.slot), hit.triangle);
    const d3 n = triangle_normal(surface_triangle3(s, (int)hit.triangle));
    assert_int_equal(hit.back, d3_dot(n, d) > 0);
    for (int k = 0; k < 3; k++)
        assert_near(hit.barycentric[k], w[k], 1e-5);
    assert_near(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2], 1, 1e-12);
}

static void test_rays(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < test_pick(70, 14); n++) {
        surface s = make_surface(n % KINDS, &seed);
        dry_mesh_tree *tree = surface_tree(&s);
        d3 low, high;
        const double size = surface_bounds(&s, &low, &high);
        for (int i = 0; i < 150; i++) {
            const d3 o = random_around(&seed, low, high, (i % 3) * size);
            const d3 to = random_around(&seed, low, high, 0.1 * size);
            d3 d = d3_scale(d3_sub(to, o), random_in(&seed, 0.5, 3));
            if (i % 5 == 0)
                d = (d3){i % 2 ? d.x : 0, i % 4 ? 0 : d.y, i % 2 ? 0 : d.z};
            check_ray(&s, tree, o, d, 1 + random_below(&seed, 3));
        }
        release_tree(tree, NULL);
        surface_free(&s);
    }
}

/* A batch has the bits of single casts, for every number of rays. */
static void test_batches(void **state)
{
    (void)state;
    enum { RAYS = 100 };
    uint64_t seed = 7;
    surface s = make_surface(0, &seed);
    dry_mesh_tree *tree = surface_tree(&s);
    dry_mesh_cast casts[RAYS];
    int found = 0;
    for (int n = 0; n <= RAYS; n++) {
        for (int i = 0; i < n; i++) {
            const d3 o = random_d3(&seed, 1.5), d = random_d3(&seed, i % 7 ? 3 : 0);
            casts[i] = (dry_mesh_cast){.tree = tree, .bound = i % 3 ? 1 : random_in(&seed, 0, 1)};
            casts[i].ray = (dry_mesh_ray){{o.x, o.y, o.z}, {d.x, d.y, d.z}, 1 + random_below(&seed, 3)};
        }
        dry_mesh_tree_cast_rays(casts, n);
        for (int i = 0; i < n; i++) {
            dry_mesh_hit hit = {.fraction = 2};
            const bool is_hit = dry_mesh_tree_cast_ray(tree, &casts[i].ray, &hit);
            if (casts[i].bound == 1 || hit.fraction <= casts[i].bound)
                assert_int_equal(casts[i].is_found, is_hit);
            if (!casts[i].is_found)
                continue;
            found++;
            assert_true(casts[i].hit.fraction == hit.fraction);
            assert_true(casts[i].hit.slot == hit.slot && casts[i].hit.triangle == hit.triangle &&
                        casts[i].hit.back == hit.back);
            assert_memory_equal(casts[i].hit.barycentric, hit.barycentric, sizeof hit.barycentric);
        }
    }
    assert_true(found > RAYS);
    release_tree(tree, NULL);
    surface_free(&s);
}

/* From within a closed surface every ray leaves it, also through vertices, edges, and along axes. */
static void test_watertight(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < 20; n++) {
        surface s = n % 3 == 0   ? box_surface((d3){0.5, 1, 0.25})
                    : n % 3 == 1 ? sphere_surface(1 + n)
                                 : torus_surface(8 + n, 5 + n, 0.4);
        d3 inside = n % 3 == 2 ? (d3){1, 0, 0} : (d3){0, 0, 0};
        if (n > 2) {
            const dry_quat q = random_quat(&seed);
            const d3 by = random_d3(&seed, n > 10 ? 1000 : 1);
            surface_move(&s, q, by, 1);
            inside = d3_add(d3_turn(q, inside), by);
        }
        dry_mesh_tree *tree = surface_tree(&s);
        for (int t = 0; t < s.triangles; t++)
            for (int k = 0; k < 6; k++) {
                const d3 a = surface_at(&s, t, k % 3), b = surface_at(&s, t, (k + 1) % 3);
                const d3 at = k < 3 ? a : d3_add(a, d3_scale(d3_sub(b, a), random_in(&seed, 0, 1)));
                const d3 d = d3_scale(d3_sub(at, inside), 40);
                const dry_mesh_ray out = {{inside.x, inside.y, inside.z}, {d.x, d.y, d.z}, DRY_MESH_BACKS};
                dry_mesh_hit hit;
                assert_true(dry_mesh_tree_cast_ray(tree, &out, &hit));
                const d3 from = d3_add(inside, d);
                const dry_mesh_ray in = {{from.x, from.y, from.z}, {-d.x, -d.y, -d.z}, DRY_MESH_FRONTS};
                assert_true(dry_mesh_tree_cast_ray(tree, &in, &hit));
            }
        release_tree(tree, NULL);
        surface_free(&s);
    }
}

/* On a flat grid whose vertices are exact, rays straight down hit vertices and edges exactly. Each one hits
 * all triangles there, and the answer is the one of the lowest number. */
static void test_ties(void **state)
{
    (void)state;
    uint64_t seed = 3;
    surface s = grid_surface(8, 0.5, 0, &seed);
    int original[128];
    surface_shuffle(&s, &seed, original);
    dry_mesh_tree *tree = surface_tree(&s);
    for (int r = 0; r <= 16; r++)
        for (int c = 0; c <= 16; c++) {
            const d3 at = {0.25 * c, 0, 0.25 * r};
            int lowest = -1;
            for (int t = s.triangles - 1; t >= 0; t--) {
                double f, w[3];
                assert_true(solve_hit(surface_triangle3(&s, t), (d3){at.x, 1, at.z}, (d3){0, -2, 0}, &f, w));
                if (least_of(w) >= 0)
                    lowest = t;
            }
            const dry_mesh_ray ray = {{at.x, 1, at.z}, {0, -2, 0}, DRY_MESH_FRONTS};
            dry_mesh_hit hit;
            assert_true(dry_mesh_tree_cast_ray(tree, &ray, &hit));
            assert_int_equal(hit.triangle, lowest);
            assert_true(hit.fraction == 0.5);
            const double above[3] = {at.x, 3, at.z};
            double point[3], distance = 10;
            const int64_t nearest = form_nearest(DRY_SHAPE_MESH, tree, above, &distance, point);
            assert_int_equal(dry_mesh_tree_triangle(tree, (uint32_t)nearest), lowest);
            assert_true(distance == 3);
        }
    release_tree(tree, NULL);
    surface_free(&s);
}

/* The order of the triangles, and so the tree, changes no answer. */
static void test_order_does_not_matter(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int original[1024];
    for (int n = 0; n < 10; n++) {
        surface s = n % 2 ? grid_surface(16, 0.1, 0.2, &seed) : soup_surface(500, 0.4, &seed);
        dry_mesh_tree *tree = surface_tree(&s);
        surface_shuffle(&s, &seed, original);
        dry_mesh_tree *other = surface_tree(&s);
        for (int i = 0; i < 500; i++) {
            const d3 o = random_d3(&seed, 2), d = d3_scale(random_d3(&seed, 1), 3);
            const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 3};
            dry_mesh_hit p, q;
            const bool is_hit = dry_mesh_tree_cast_ray(tree, &ray, &p);
            assert_int_equal(is_hit, dry_mesh_tree_cast_ray(other, &ray, &q));
            assert_true(!is_hit || p.fraction == q.fraction);
            double point[3], a = 100, b = 100;
            assert_true(form_nearest(DRY_SHAPE_MESH, tree, ray.origin, &a, point) >= 0);
            assert_true(form_nearest(DRY_SHAPE_MESH, other, ray.origin, &b, point) >= 0);
            assert_true(a == b);
        }
        release_tree(tree, NULL);
        release_tree(other, NULL);
        surface_free(&s);
    }
}

/* Boxes. */

typedef struct visits {
    const dry_mesh_tree *tree;
    uint8_t *seen;
    int count, end_at;
} visits;

static bool note_visit(void *context, uint32_t slot)
{
    visits *v = context;
    const uint32_t triangle = dry_mesh_tree_triangle(v->tree, slot);
    assert_int_equal(v->seen[triangle], 0);
    v->seen[triangle] = 1;
    return ++v->count != v->end_at;
}

static bool meets_box(const surface *s, int t, const dry_box *box)
{
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++) {
            const dry_vec3 v = s->vertex[s->corner[3 * t + i]];
            const float x = k == 0 ? v.x : k == 1 ? v.y : v.z;
            low = fminf(low, x), high = fmaxf(high, x);
        }
        if (low > box->max[k] || high < box->min[k])
            return false;
    }
    return true;
}

static void test_boxes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < test_pick(70, 14); n++) {
        surface s = make_surface(n % 6, &seed);
        dry_mesh_tree *tree = surface_tree(&s);
        assert_int_equal(tree->slot_count, s.triangles);
        uint8_t *seen = calloc((size_t)s.triangles, 1);
        d3 low, high;
        const double size = surface_bounds(&s, &low, &high);
        for (int i = 0; i < 60; i++) {
            const d3 p = random_around(&seed, low, high, 0.1 * size);
            const double half = size * random_in(&seed, 0, i % 2 ? 0.5 : 0.05);
            const dry_box box = {{(float)(p.x - half), (float)(p.y - half), (float)(p.z - half)},
                                 {(float)(p.x + half), (float)(p.y + half), (float)(p.z + half)}};
            visits all = {tree, seen, 0, -1};
            memset(seen, 0, (size_t)s.triangles);
            assert_true(dry_mesh_tree_visit_box(tree, &box, note_visit, &all));
            for (int t = 0; t < s.triangles; t++)
                assert_int_equal(seen[t], meets_box(&s, t, &box));
            if (all.count < 2)
                continue;
            visits some = {tree, seen, 0, all.count / 2};
            memset(seen, 0, (size_t)s.triangles);
            assert_false(dry_mesh_tree_visit_box(tree, &box, note_visit, &some));
            assert_int_equal(some.count, all.count / 2);
        }
        free(seen);
        release_tree(tree, NULL);
        surface_free(&s);
    }
}

/* Nearest points. */

static void test_nearest(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int n = 0; n < test_pick(70, 14); n++) {
        surface s = make_surface(n % KINDS, &seed);
        dry_mesh_tree *tree = surface_tree(&s);
        d3 low, high;
        const double size = surface_bounds(&s, &low, &high);
        for (int i = 0; i < 60; i++) {
            const d3 p = random_around(&seed, low, high, i % 3 ? (i % 5) * size : 1e5);
            const double from[3] = {p.x, p.y, p.z};
            double best = INFINITY;
            for (int t = 0; t < s.triangles; t++)
                best = fmin(best, triangle_distance(surface_triangle3(&s, t), p));
            double point[3], distance = 1e7;
            const int64_t slot = form_nearest(DRY_SHAPE_MESH, tree, from, &distance, point);
            const double room = 1e-11 * (1 + d3_length(p));
            assert_true(slot >= 0);
            assert_near(distance, best, room);
            assert_at_most(
                triangle_distance(surface_triangle3(&s, (int)dry_mesh_tree_triangle(tree, (uint32_t)slot)),
                                  (d3){point[0], point[1], point[2]}),
                1e-9 * (1 + d3_length(p)));
            distance = best + 2 * room;
            assert_true(form_nearest(DRY_SHAPE_MESH, tree, from, &distance, point) >= 0);
            distance = best - 2 * room;
            assert_int_equal(form_nearest(DRY_SHAPE_MESH, tree, from, &distance, point), -1);
        }
        release_tree(tree, NULL);
        surface_free(&s);
    }
}

/* Saved bytes may hold triangles without area: the nearest point lies on their edges. */
static void triangles_without_area_have_a_nearest_point(void **state)
{
    (void)state;
    const dry_double3 segment[3] = {{-7, -8, 5}, {-7, -8, 5}, {1, 5, 7}},
                      point[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const dry_double3 middle = {-3, -1.5, 6}, beyond = {2, 5, 7}, above = {1, 6, 6};
    dry_double3 found;
    assert_true(dry_triangle_nearest(segment, middle, &found) >= 0);
    assert_true(dry_square_between(found, middle) < 1e-24);
    assert_int_equal(dry_triangle_nearest(segment, beyond, &found), 2);
    assert_memory_equal(&found, &segment[2], sizeof found);
    assert_true(dry_triangle_nearest(point, above, &found) >= 0);
    assert_memory_equal(&found, &point[0], sizeof found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_watertight),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(triangles_without_area_have_a_nearest_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
