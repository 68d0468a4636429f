/* The quality measure of cylinders, hulls and compounds: closed forms, boxes written as hulls, and brute
 * force over directions. */
#include "tests/tools/quality_bench.h"

#include "tools/scenes/measure/parts.h"

#include <stdlib.h>

static double between(uint64_t *random, double low, double high)
{
    return low + (high - low) * uniform(random);
}

static dry_quat any_turn(uint64_t *random)
{
    double x = uniform(random) - 0.5, y = uniform(random) - 0.5, z = uniform(random) - 0.5;
    return about(x, y, z + 1e-3, 6.28 * uniform(random));
}

static dry_shape_def *add_cylinder(bench *b, float radius, float half_length)
{
    dry_shape_def *shape = add_shape(b, DRY_SHAPE_CYLINDER);
    shape->radius = radius;
    shape->half_length = half_length;
    return shape;
}

static dry_shape_def *add_hull(bench *b, const dry_vec3 *points, int count)
{
    dry_shape_def *shape = add_shape(b, DRY_SHAPE_HULL);
    assert_int_equal(dry_scene_add_hull(&b->scene, points, count, 0, &shape->data, NULL), DRY_OK);
    return shape;
}

static void corners_of(dry_vec3 half, dry_vec3 *points)
{
    for (int i = 0; i < 8; i++)
        points[i] = (dry_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
}

/* Returns the overlap of shape a of the first body with that of the second. */
static double overlap_of(bench *b)
{
    dry_scene_finish(&b->scene);
    const dry_solid first = dry_solid_place(&b->scene, &b->scene.shapes[0], 0, &b->poses[0]);
    const dry_solid second = dry_solid_place(&b->scene, &b->scene.shapes[1], 0, &b->poses[1]);
    const double one = dry_solid_overlap(&first, &second), other = dry_solid_overlap(&second, &first);
    assert_near(one, other, 5e-6);
    return one;
}

typedef void (*builder)(bench *b);

static void wheel(bench *b)
{
    add_cylinder(b, 0.5f, 0.25f);
}
static void pole(bench *b)
{
    add_cylinder(b, 0.25f, 1.0f);
}

static double overlap_at(builder a, builder b, double x, double y, double z, dry_quat turned)
{
    bench built;
    bench_init(&built);
    add_body(&built, DRY_BODY_DYNAMIC, 1e3, -2e3, 500.0);
    a(&built);
    const int second = add_body(&built, DRY_BODY_DYNAMIC, 1e3 + x, -2e3 + y, 500.0 + z);
    b(&built);
    built.poses[second].orientation = turned;
    const double overlap = overlap_of(&built);
    dry_scene_free(&built.scene);
    return overlap;
}

static void test_cylinders(void **state)
{
    (void)state;
    const dry_quat none = {0.0f, 0.0f, 0.0f, 1.0f}, lying = about(1, 0, 0, PI / 2);
    const double e = 2e-6, root2 = sqrt(2.0);
    assert_near(overlap_at(wheel, wheel, 0.1, 0.48, 0.2, none), 0.02, e);            /* end on end */
    assert_near(overlap_at(wheel, wheel, 0.6, 0.1, 0.7, none), 1.0 - sqrt(0.85), e); /* side by side */
    assert_near(overlap_at(pole, pole, 0.46, 0.2, 0.3, lying), 0.04, e);             /* crossed */
    assert_near(overlap_at(wheel, pole, 0.2, 0.47, 0.1, lying), 0.03, e);            /* side on end */
    assert_near(overlap_at(wheel, unit_cube, 0.0, 0.7, 0.1, none), 0.05, e);
    assert_near(overlap_at(unit_cube, wheel, 0.98, 0.0, 0.1, none), 0.02, e);
    assert_near(overlap_at(unit_cube, wheel, 0.73, 0.1, 0.2, about(0, 0, 1, PI / 2)), 0.02, e);
    /* A cube on its edge into the end of a wheel. */
    assert_near(overlap_at(wheel, unit_cube, 0.1, 0.25 + 0.5 * root2 - 0.03, 0.0, about(0, 0, 1, PI / 4)),
                0.03, e);
    assert_near(overlap_at(wheel, ball, 0.1, 0.7, 0.2, none), 0.05, e);
    assert_near(overlap_at(wheel, ball, 0.8, 0.65, 0.0, none), 0.0, e); /* over the rim: (.3, .4) */
    assert_near(overlap_at(wheel, ball, 0.8, 0.85, 0.0, none), 0.5 - sqrt(0.45), e); /* apart */
    assert_near(overlap_at(wheel, ball, 0.05, 0.1, 0.0, none), 0.5 + 0.15, e);       /* center inside */
    assert_near(overlap_at(wheel, rod, 0.7, 0.1, 0.0, none), 0.05, e);
    assert_near(overlap_at(wheel, rod, 0.1, 1.45, 0.0, none), 0.05, e);
    assert_near(overlap_at(wheel, rod, 0.2, 0.45, 0.1, lying), 0.05, e);
    assert_near(overlap_at(wheel, pole, 0.2, 1.5, 0.0, none), -0.25, 1e-5); /* apart */
    assert_near(overlap_at(ground, wheel, 3.0, 0.35, 1.0, none), 0.025, e);
    assert_near(overlap_at(ground, wheel, 3.0, 0.6, 1.0, lying), 0.025, e);
    /* Tilted by 45 degrees it reaches (0.5 + 0.25) / sqrt(2) down. */
    assert_near(overlap_at(ground, wheel, 3.0, 0.6, 1.0, about(1, 0, 1, PI / 4)), 0.125 + 0.75 / root2 - 0.6,
                e);
}

/* A hull of a box's corners beside that box, with every partner. */
static void test_boxes_as_hulls(void **state)
{
    (void)state;
    static const builder partners[] = {unit_cube, ball, rod, ground};
    uint64_t random = 11;
    int overlaps = 0;
    for (int run = 0; run < 400; run++) {
        const dry_vec3 half = {(float)between(&random, 0.1, 1.0), (float)between(&random, 0.1, 1.0),
                               (float)between(&random, 0.1, 1.0)};
        const dry_quat turned = any_turn(&random);
        dry_vec3 points[8];
        double found[2];
        corners_of(half, points);
        const double x = between(&random, -1.2, 1.2), y = between(&random, -1.2, 1.2), z = uniform(&random);
        for (int way = 0; way < 2; way++) {
            bench b;
            bench_init(&b);
            add_body(&b, DRY_BODY_STATIC, 0.0, 0.0, 0.0);
            partners[run % 4](&b);
            add_body(&b, DRY_BODY_DYNAMIC, x, y, z);
            if (way == 0)
                add_box(&b, half.x, half.y, half.z);
            else
                add_hull(&b, points, 8);
            b.poses[1].orientation = turned;
            found[way] = overlap_of(&b);
            dry_scene_free(&b.scene);
        }
        /* Of boxes apart the reference has but a bound. */
        if (run % 4 == 0 && found[0] < 0.0)
            assert_true(found[1] <= found[0] + 1e-5);
        else
            assert_near(found[1], found[0], 5e-6);
        overlaps += found[0] > 0.0;
    }
    assert_true(overlaps > 100);
}

/* Points of an ellipsoid, of a ball, or of a box's grid. */
static int draw_points(uint64_t *random, dry_vec3 *points, int kind)
{
    const int count = 12 + (int)(20.0 * uniform(random));
    const double half[3] = {between(random, 0.1, 1.0), between(random, 0.1, 1.0), between(random, 0.1, 1.0)};
    for (int i = 0; i < count; i++) {
        double x[3], length;
        do {
            for (int k = 0; k < 3; k++)
                x[k] = 2.0 * uniform(random) - 1.0;
            length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        } while (length > 1.0 || length < 0.1);
        for (int k = 0; k < 3; k++)
            x[k] = half[k] * (kind == 0 ? x[k] / length : kind == 1 ? x[k] : floor(2.5 * x[k]) / 2.0);
        points[i] = (dry_vec3){(float)x[0], (float)x[1], (float)x[2]};
    }
    return count;
}

static double width_along(const dry_solid *a, const dry_solid *b, const double *n)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3], sum = 0.0;
    dry_solid_support(a, n, x);
    dry_solid_support(b, back, y);
    for (int k = 0; k < 3; k++)
        sum += n[k] * (x[k] - y[k] - (b->center[k] - a->center[k]));
    return sum;
}

/* Takes the overlap along a direction, either way, into the least one. */
static double least_along(const dry_solid *a, const dry_solid *b, const double *n, double least)
{
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 1e-9))
        return least;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double unit[3] = {sign * n[0] / length, sign * n[1] / length, sign * n[2] / length};
        least = fmin(least, width_along(a, b, unit));
    }
    return least;
}

static void world_edge(const dry_solid *s, int triangle, int k, double *edge)
{
    const dry_polytope *p = s->polytope;
    const double *from = p->vertices[p->triangles[triangle][k]],
                 *to = p->vertices[p->triangles[triangle][(k + 1) % 3]];
    for (int c = 0; c < 3; c++)
        edge[c] = s->half[0] * (to[0] - from[0]) * s->axis[0][c] +
                  s->half[1] * (to[1] - from[1]) * s->axis[1][c] +
                  s->half[2] * (to[2] - from[2]) * s->axis[2][c];
}

static void cross_of(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The smallest overlap over all faces of both and all pairs of edges: exact for polytopes that overlap. */
static double brute_depth(const dry_solid *a, const dry_solid *b)
{
    double least = INFINITY, x[3], y[3], n[3];
    for (int which = 0; which < 2; which++) {
        const dry_solid *s = which == 0 ? a : b;
        for (int t = 0; t < s->polytope->triangle_count; t++) {
            world_edge(s, t, 0, x);
            world_edge(s, t, 1, y);
            cross_of(x, y, n);
            least = least_along(a, b, n, least);
        }
    }
    for (int t = 0; t < 3 * a->polytope->triangle_count; t++) {
        world_edge(a, t / 3, t % 3, x);
        for (int u = 0; u < 3 * b->polytope->triangle_count; u++) {
            world_edge(b, u / 3, u % 3, y);
            cross_of(x, y, n);
            least = least_along(a, b, n, least);
        }
    }
    return least;
}

static void test_hulls_against_brute_force(void **state)
{
    (void)state;
    uint64_t random = 21;
    int overlaps = 0;
    for (int run = 0; run < 60; run++) {
        dry_vec3 points[32];
        bench b;
        bench_init(&b);
        for (int i = 0; i < 2; i++) {
            const int count = draw_points(&random, points, run % 3);
            const int body = add_body(&b, DRY_BODY_DYNAMIC, between(&random, -0.4, 0.4),
                                      between(&random, -0.4, 0.4), between(&random, -0.4, 0.4));
            dry_shape_def *shape = add_hull(&b, points, count);
            if (run % 2 == 1)
                shape->scale = (dry_vec3){-1.5f, 0.75f, 1.25f};
            b.poses[body].orientation = any_turn(&random);
        }
        const double overlap = overlap_of(&b);
        const dry_solid first = dry_solid_place(&b.scene, &b.scene.shapes[0], 0, &b.poses[0]);
        const dry_solid second = dry_solid_place(&b.scene, &b.scene.shapes[1], 0, &b.poses[1]);
        const double depth = brute_depth(&first, &second);
        if (depth > 0.0)
            assert_near(overlap, depth, 3e-6);
        else
            assert_true(overlap <= depth + 3e-6);
        overlaps += depth > 0.0;
        dry_scene_free(&b.scene);
    }
    assert_true(overlaps > 25);
}

/* No direction separates a cylinder and a hull by less than the depth; the best sampled one, sharpened by
 * small steps, does so by hardly more. */
static void test_cylinders_against_directions(void **state)
{
    (void)state;
    uint64_t random = 31;
    for (int run = 0; run < 20; run++) {
        dry_vec3 points[32];
        bench b;
        bench_init(&b);
        add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
        add_cylinder(&b, (float)between(&random, 0.3, 1.0), (float)between(&random, 0.3, 1.0));
        add_body(&b, DRY_BODY_DYNAMIC, between(&random, -0.5, 0.5), 0.1, between(&random, -0.5, 0.5));
        if (run % 2 == 0)
            add_cylinder(&b, 0.5f, 0.4f);
        else
            add_hull(&b, points, draw_points(&random, points, 0));
        b.poses[1].orientation = any_turn(&random);
        const double overlap = overlap_of(&b);
        const dry_solid first = dry_solid_place(&b.scene, &b.scene.shapes[0], 0, &b.poses[0]);
        const dry_solid second = dry_solid_place(&b.scene, &b.scene.shapes[1], 0, &b.poses[1]);
        double least = INFINITY, best[3] = {1.0, 0.0, 0.0};
        for (int i = 0; i < 60000; i++) {
            const double reach = i < 20000 ? 1.0 : pow(10.0, -4.0 * (i - 20000) / 40000.0 - 1.0);
            double n[3], length = 0.0;
            for (int k = 0; k < 3; k++) {
                n[k] = (i < 20000 ? 0.0 : best[k]) + reach * (2.0 * uniform(&random) - 1.0);
                length += n[k] * n[k];
            }
            for (int k = 0; k < 3; k++)
                n[k] /= sqrt(length);
            const double width = width_along(&first, &second, n);
            if (width < least) {
                least = width;
                memcpy(best, n, sizeof best);
            }
        }
        if (overlap > 0.0) {
            assert_true(overlap <= least + 3e-6);
            assert_near(overlap, least, 1e-4);
        } else {
            assert_near(overlap, least, 1e-4);
        }
        dry_scene_free(&b.scene);
    }
}

/* The children of a compound that is scaled, mirrored and turned, as shapes of a body each. */
static void test_compounds(void **state)
{
    (void)state;
    uint64_t random = 41;
    for (int run = 0; run < 40; run++) {
        dry_vec3 points[32];
        bench b[2];
        dry_shape_def child[3];
        const int count = draw_points(&random, points, 0);
        const float size = (float)between(&random, 0.5, 2.0);
        const dry_vec3 scale = {run % 2 ? -size : size, size, run % 4 > 1 ? -size : size};
        dry_quality quality[2];
        for (int i = 0; i < 3; i++) {
            child[i] = dry_default_shape_def();
            child[i].type = i == 0 ? DRY_SHAPE_HULL : i == 1 ? DRY_SHAPE_CYLINDER : DRY_SHAPE_BOX;
            child[i].radius = 0.2f;
            child[i].half_extents = (dry_vec3){0.1f, 0.3f, 0.2f};
            child[i].pose.position = (dry_vec3){0.7f * (float)i, 0.1f, -0.2f * (float)i};
            child[i].pose.orientation = any_turn(&random);
        }
        const dry_quat turned = any_turn(&random);
        for (int way = 0; way < 2; way++) {
            bench_init(&b[way]);
            add_body(&b[way], DRY_BODY_DYNAMIC, 0.3, 0.9, -0.1);
            assert_int_equal(dry_scene_add_hull(&b[way].scene, points, count, 0, &child[0].data, NULL),
                             DRY_OK);
            if (way == 0) {
                dry_shape_def *shape = add_shape(&b[way], DRY_SHAPE_COMPOUND);
                shape->scale = scale;
                assert_int_equal(dry_scene_add_compound(&b[way].scene, child, 3, &shape->data), DRY_OK);
            } else {
                /* With the mirror M the child's place is k M p, its turn M R M, and the child is mirrored. */
                const float mx = scale.x < 0.0f ? -1.0f : 1.0f, mz = scale.z < 0.0f ? -1.0f : 1.0f;
                for (int i = 0; i < 3; i++) {
                    dry_shape_def *shape = add_shape(&b[way], child[i].type);
                    const dry_quat q = child[i].pose.orientation;
                    const dry_vec3 p = child[i].pose.position;
                    *shape = child[i];
                    shape->scale = scale;
                    shape->pose.position = (dry_vec3){scale.x * p.x, scale.y * p.y, scale.z * p.z};
                    shape->pose.orientation = (dry_quat){mz * q.x, mx * mz * q.y, mx * q.z, q.w};
                }
            }
            b[way].poses[0].orientation = turned;
            b[way].velocities[0] = (dry_velocity){{1.0f, 0.0f, 0.0f}, {2.0f, -1.0f, 3.0f}};
            add_body(&b[way], DRY_BODY_STATIC, 0.0, 0.0, 0.0);
            add_box(&b[way], 2.0f, 0.5f, 2.0f);
            quality[way] = measure(&b[way]);
        }
        assert_int_equal(quality[0].touching_pairs, quality[1].touching_pairs);
        assert_near(quality[0].penetration_max_m, quality[1].penetration_max_m, 1e-5);
        assert_near(quality[0].penetration_mean_m, quality[1].penetration_mean_m, 1e-5);
        assert_near(quality[0].kinetic_energy_J, quality[1].kinetic_energy_J,
                    1e-5 * quality[1].kinetic_energy_J);
        dry_scene_free(&b[0].scene);
        dry_scene_free(&b[1].scene);
    }
}

static void test_energies(void **state)
{
    (void)state;
    const dry_vec3 w[] = {{1.0f, 0.0f, 0.0f}, {0.0f, 2.0f, 0.0f}, {1.0f, -2.0f, 0.5f}};
    for (int i = 0; i < 3; i++) {
        /* A box as a hull with its origin in a corner, as a scaled hull, and as a box. */
        double energy[3];
        for (int way = 0; way < 3; way++) {
            dry_vec3 points[8];
            bench b;
            bench_init(&b);
            add_body(&b, DRY_BODY_DYNAMIC, 1.0, 2.0, 3.0);
            corners_of(way == 1 ? (dry_vec3){1.0f, 1.0f, 1.0f} : (dry_vec3){0.5f, 0.25f, 2.0f}, points);
            for (int k = 0; k < 8 && way == 0; k++)
                points[k].x += 40.0f;
            if (way == 2)
                add_box(&b, 0.5f, 0.25f, 2.0f);
            else
                add_hull(&b, points, 8)->scale =
                    way == 1 ? (dry_vec3){-0.5f, 0.25f, 2.0f} : (dry_vec3){1.0f, 1.0f, 1.0f};
            b.poses[0].orientation = about(1.0, 2.0, 3.0, 0.7);
            energy[way] = spin_energy(&b, w[i]);
            dry_scene_free(&b.scene);
        }
        assert_near(energy[0], energy[2], 1e-9 * energy[2]);
        assert_near(energy[1], energy[2], 1e-9 * energy[2]);
        /* m (3 r^2 + (2 h)^2) / 12 across, m r^2 / 2 along. */
        bench b;
        bench_init(&b);
        add_body(&b, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
        add_cylinder(&b, 0.5f, 0.75f);
        const double m = 1000.0 * PI * 0.25 * 1.5, across = m * (0.75 + 2.25) / 12.0, along = 0.125 * m;
        assert_near(
            spin_energy(&b, w[i]),
            0.5 * (across * (double)(w[i].x * w[i].x + w[i].z * w[i].z) + along * (double)(w[i].y * w[i].y)),
            1e-9 * m);
        dry_scene_free(&b.scene);
    }
}

/* Hulls are closed and convex, hold every point, and have the volume of the solid that they were cut of. */
static void test_polytopes(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static dry_vec3 points[MOST];
    uint64_t random = 51;
    for (int run = 0; run < 30; run++) {
        const int count = run < 20 ? draw_points(&random, points, run % 3) : 1000 + 400 * (run - 20);
        for (int i = 0; i < count && run >= 20; i++) /* a grid of 10 x 10 x 10 and more points within */
            points[i] = i < 1000
                            ? (dry_vec3){(float)(i % 10), (float)(i / 10 % 10), (float)(i / 100)}
                            : (dry_vec3){(float)(9.0 * uniform(&random)), (float)(9.0 * uniform(&random)),
                                         (float)(9.0 * uniform(&random))};
        dry_polytope *p = dry_polytope_make(points, count);
        assert_non_null(p);
        assert_int_equal(p->triangle_count, 2 * p->vertex_count - 4);
        for (int t = 0; t < p->triangle_count; t++) {
            double ab[3], ac[3], n[3];
            const double *a = p->vertices[p->triangles[t][0]];
            for (int k = 0; k < 3; k++) {
                ab[k] = p->vertices[p->triangles[t][1]][k] - a[k];
                ac[k] = p->vertices[p->triangles[t][2]][k] - a[k];
            }
            cross_of(ab, ac, n);
            const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            if (!(area > 1e-6))
                continue;
            for (int i = 0; i < count; i++) {
                const double x[3] = {(double)points[i].x - a[0], (double)points[i].y - a[1],
                                     (double)points[i].z - a[2]};
                assert_true(n[0] * x[0] + n[1] * x[1] + n[2] * x[2] <= 1e-7 * area);
            }
        }
        if (run >= 20) {
            assert_near(p->volume, 729.0, 1e-6);
            assert_near(p->center[0], 4.5, 1e-9);
            assert_near(p->second[1][1], 729.0 * 81.0 / 12.0, 1e-5);
            assert_near(p->second[0][2], 0.0, 1e-5);
        }
        dry_polytope_free(p);
    }
    const dry_vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5f, 0.25f, 0}};
    assert_null(dry_polytope_make(flat, 5));
    assert_null(dry_polytope_make(flat, 1));
}

/* The triangles of a compound's children are those of the children as shapes of their own. */
static void test_surface_children(void **state)
{
    (void)state;
    static const dry_vec3 corners[4] = {{0, 0, 0}, {0, 0.5f, 1}, {1, 0, 1}, {1, 0, 0}};
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const float heights[6] = {0, 1, 0.5f, 0, 0.25f, 0};
    const dry_mesh mesh = {corners, triangles, 4, 2};
    const dry_mesh_options options = {.two_sided = true};
    const dry_height_field_def field = {.rows = 2, .columns = 3, .spacing = {1, 2}, .heights = heights};
    uint64_t random = 43;
    for (int run = 0; run < 10; run++) {
        bench b;
        dry_shape_def child[3];
        bench_init(&b);
        add_body(&b, DRY_BODY_STATIC, 0, 0, 0);
        for (int i = 0; i < 3; i++) {
            child[i] = dry_default_shape_def();
            child[i].half_extents = (dry_vec3){0.1f, 0.3f, 0.2f};
            child[i].scale = (dry_vec3){1, i == 1 ? -2.0f : 1.0f, 3};
            child[i].pose.position = (dry_vec3){0.7f * (float)i, 0.1f, -0.2f * (float)i};
            child[i].pose.orientation = any_turn(&random);
        }
        child[1].type = DRY_SHAPE_MESH;
        child[2].type = DRY_SHAPE_HEIGHT_FIELD;
        assert_int_equal(dry_scene_add_mesh(&b.scene, &mesh, &options, &child[1].data, NULL), DRY_OK);
        assert_int_equal(dry_scene_add_height_field(&b.scene, &field, &child[2].data, NULL), DRY_OK);
        dry_shape_def *whole = add_shape(&b, DRY_SHAPE_COMPOUND);
        assert_int_equal(dry_scene_add_compound(&b.scene, child, 3, &whole->data), DRY_OK);
        const dry_pose pose = {{1, 2, 3}, any_turn(&random)};
        int part = 0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < dry_solids_of(&b.scene, &child[i]); k++) {
                const dry_solid one = dry_solid_place(&b.scene, whole, part++, &pose),
                                other = dry_solid_place(&b.scene, &child[i], k, &pose);
                assert_int_equal(one.type, other.type);
                assert_int_equal(one.two_sided, i == 1);
                for (int c = 0; c < 3; c++) {
                    assert_near(one.low[c], other.low[c], 1e-9);
                    assert_near(one.high[c], other.high[c], 1e-9);
                    for (int n = 0; n < 3 && i > 0; n++)
                        assert_near(one.corner[c][n], other.corner[c][n], 1e-9);
                }
            }
        assert_int_equal(part, dry_solids_of(&b.scene, whole));
        assert_int_equal(part, 1 + 2 + 4);
        dry_scene_free(&b.scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_boxes_as_hulls),
        cmocka_unit_test(test_hulls_against_brute_force),
        cmocka_unit_test(test_cylinders_against_directions),
        cmocka_unit_test(test_compounds),
        cmocka_unit_test(test_surface_children),
        cmocka_unit_test(test_energies),
        cmocka_unit_test(test_polytopes),
    };
    return cmocka_run_group_tests_name("quality_shapes", tests, NULL, NULL);
}
