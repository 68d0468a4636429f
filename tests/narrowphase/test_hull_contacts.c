/* Contacts of hulls: stacks and grids of cubes, small motions, degenerate pairs; with spheres, capsules and
 * half-spaces beside plain code in double. */
#include "tests/narrowphase/hull_pairs.h"

/* Stacked cubes: four points at the corners, each at the depth, whose features stay as the upper trembles. */
static void test_stacked_cubes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t features[4] = {0};
    const dry_geometry cube = {vec3(0.5f, 0.5f, 0.5f), DRY_SHAPE_HULL, hulls[0]};
    for (int n = 0; n < 1000; n++) {
        const d3 d = random_d3(&seed, n == 0 ? 0 : 2e-5), t = random_d3(&seed, n == 0 ? 0 : 1e-5);
        const dry_transform pose = {v3_of((d3){d.x, 0.999 + d.y, d.z}),
                                    quat_normalize((dry_quat){(float)t.x, (float)t.y, (float)t.z, 1.0f})};
        dry_local_manifold m;
        dry_collide(&cube, &cube, &pose, 0.02f, &m);
        assert_int_equal(m.count, 4);
        assert_near(m.normal.y, 1, 1e-6);
        for (int i = 0; i < 4; i++) {
            assert_near(m.points[i].separation, -1e-3, 1e-4);
            assert_near(fabsf(m.points[i].position.x), 0.5, 1e-4);
            assert_near(fabsf(m.points[i].position.z), 0.5, 1e-4);
            if (n == 0)
                features[i] = m.points[i].feature;
            assert_int_equal(m.points[i].feature, features[i]);
        }
    }
}

/* Cubes beside each other in a grid: none touches its diagonal neighbor. */
static void test_grid(void **state)
{
    (void)state;
    uint64_t seed = 6;
    const dry_geometry cube = {vec3(0.5f, 0.5f, 0.5f), DRY_SHAPE_HULL, hulls[0]};
    for (int n = 0; n < 1000; n++) {
        const d3 d = random_d3(&seed, 1e-6);
        const dry_transform pose = {v3_of((d3){1 + d.x, 1 + d.y, n % 2 ? 0.3 : 1 + d.z}), {0, 0, 0, 1}};
        dry_local_manifold m;
        dry_collide(&cube, &cube, &pose, 0.0f, &m);
        assert_int_equal(m.count, 0);
    }
}

/* A small motion of shapes that overlap changes the deepest point's depth by no more than a little. */
static void test_small_motion(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static pair p;
    for (int n = 0; n < test_pick(5000, 500); n++) {
        draw_pair(&p, &seed);
        const double separation = solid_separation(&p.solid_a, &p.solid_b);
        if (separation > -1e-2 * p.size)
            continue;
        dry_local_manifold before, after;
        dry_collide(&p.a, &p.b, &p.b_in_a, p.margin, &before);
        p.b_in_a.position = vec3_add(p.b_in_a.position, v3_of(random_d3(&seed, 1e-6 * p.size)));
        dry_collide(&p.a, &p.b, &p.b_in_a, p.margin, &after);
        assert_true(before.count > 0 && after.count > 0);
        if (vec3_dot(before.normal, after.normal) > 0.99999f)
            assert_near(least_of(&before), least_of(&after), 1e-3 * p.size);
        else
            assert_near(solid_separation_along(&p.solid_a, &p.solid_b, d3_of(before.normal)),
                        solid_separation_along(&p.solid_a, &p.solid_b, d3_of(after.normal)),
                        0.01 * p.size + 0.1 * fabs(separation));
    }
}

/* Equal centers, parallel edges and faces, shapes within shapes, needles: points are finite. */
static void test_degenerate(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int n = 0; n < 2000; n++) {
        static const float scales[] = {1e-3f, 1, 100};
        dry_geometry a = draw_geometry(&seed), b = n % 2 ? a : draw_geometry(&seed);
        a.size.x *= scales[random_below(&seed, 3)];
        b.size.y *= scales[random_below(&seed, 3)];
        dry_transform pose = here;
        if (n % 3 == 0)
            pose.orientation = draw_turn(&seed);
        if (n % 5 == 0)
            pose.position = vec3(0, (float)random_in(&seed, -2, 2), 0);
        dry_local_manifold m;
        dry_collide(&a, &b, &pose, 0.02f, &m);
        check_form(&m, 0.02f);
        b = (dry_geometry){vec3(0.1f, n % 4 ? 0.2f : 0.0f, 0), n % 2 ? DRY_SHAPE_SPHERE : DRY_SHAPE_CAPSULE,
                           NULL};
        dry_collide(&a, &b, &pose, 0.02f, &m);
        check_form(&m, 0.02f);
    }
}

/* Spheres and capsules: exact distances outside, and depths that no axis beats by more than the tolerance. */
static void test_round(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static pair p;
    int outside = 0, inside = 0;
    for (int n = 0; n < test_pick(20000, 2000); n++) {
        p.a = draw_geometry(&seed);
        solid_of(&p.solid_a, &p.a, &here);
        const d3 center = middle_of(&p.solid_a);
        const double size = size_of(&p.solid_a), radius = random_in(&seed, 0.05, 0.5);
        const bool is_sphere = n % 2;
        const double half = is_sphere ? 0 : random_in(&seed, 0.05, 1);
        const dry_geometry b = {v3(radius, half, 0), is_sphere ? DRY_SHAPE_SPHERE : DRY_SHAPE_CAPSULE, NULL};
        const dry_transform pose = {
            v3_of(d3_add(center, d3_scale(sphere_point(&seed), size * random_in(&seed, 0, 1.3)))),
            draw_turn(&seed)};
        const d3 along = d3_turn(pose.orientation, (d3){0, (double)b.size.y, 0}), at = d3_of(pose.position);
        const d3 ends[2] = {d3_sub(at, along), d3_add(at, along)};
        solid core = {.vertices = 2, .edges = 1, .vertex = {ends[0], ends[1]}, .edge = {{0, 1}}};
        const double separation = solid_separation(&p.solid_a, &core);
        const double tiny = 1e-5 * (size + half + 0.03 * sqrt(d3_dot(center, center)));
        dry_local_manifold m;
        dry_collide(&p.a, &b, &pose, 0.05f, &m);
        check_form(&m, 0.05f);
        if (separation > tiny) {
            outside++;
            const double gap = solid_segment_distance(&p.solid_a, ends[0], ends[1]) - (double)b.size.x;
            if (gap > 0.05 + tiny) {
                assert_int_equal(m.count, 0);
                assert_at_most(m.separation_min, gap + tiny);
                continue;
            }
            if (gap < 0.05 - tiny) {
                assert_true(m.count > 0);
                if (!(fabs(least_of(&m) - gap) <= tiny))
                    fail_msg("pair %d: %.7g, expected %.7g", n, least_of(&m), gap);
            }
        } else if (separation < -tiny) {
            inside++;
            assert_true(m.count > 0);
            const double deep = separation - (double)b.size.x, scale = fmin(size, half + (double)b.size.x);
            const double axis = solid_separation_along(&p.solid_a, &core, d3_of(m.normal)) - (double)b.size.x;
            if (!(axis >= deep - 0.01 * scale - 0.06 * fabs(separation) - tiny))
                fail_msg("pair %d: along %.6g, depth %.6g", n, axis, deep);
            if (is_sphere)
                assert_near(least_of(&m), deep, tiny);
        }
        for (int i = 0; i < m.count; i++) {
            assert_at_most(solid_height(&p.solid_a, surface_point(&m, i, -1)), 2 * tiny);
            assert_at_most(point_segment(surface_point(&m, i, 1), ends[0], ends[1]),
                           (double)b.size.x + 2 * tiny);
        }
    }
    assert_true(outside > test_pick(4000, 400) && inside > test_pick(1000, 100));
}

/* Half-spaces: the lowest vertex is among the points, which are vertices. */
static void test_halfspace(void **state)
{
    (void)state;
    uint64_t seed = 10;
    static solid s;
    const dry_geometry ground = {{0, 0, 0}, DRY_SHAPE_HALFSPACE, NULL};
    for (int n = 0; n < test_pick(20000, 2000); n++) {
        const dry_geometry b = draw_geometry(&seed);
        dry_transform pose = {v3_of(random_d3(&seed, 1)), draw_turn(&seed)};
        solid_of(&s, &b, &pose);
        double lowest = INFINITY;
        for (int i = 0; i < s.vertices; i++)
            lowest = fmin(lowest, s.vertex[i].y);
        pose.position.y -= (float)(lowest - random_in(&seed, -0.1, 0.03));
        solid_of(&s, &b, &pose);
        lowest = INFINITY;
        for (int i = 0; i < s.vertices; i++)
            lowest = fmin(lowest, s.vertex[i].y);
        dry_local_manifold m;
        dry_collide(&ground, &b, &pose, 0.02f, &m);
        check_form(&m, 0.02f);
        const double tiny = 1e-5 * (size_of(&s) + 3);
        assert_at_most(m.separation_min, lowest + tiny);
        if (lowest < 0.02 - tiny) {
            assert_true(m.count > 0);
            assert_near(least_of(&m), lowest, tiny + 1e-3 * size_of(&s));
        } else if (lowest > 0.02 + tiny) {
            assert_int_equal(m.count, 0);
        }
        for (int i = 0; i < m.count; i++) {
            const d3 at = surface_point(&m, i, 1), v = s.vertex[m.points[i].feature];
            const d3 d = d3_sub(at, v);
            assert_at_most(sqrt(d3_dot(d, d)), tiny);
            assert_near(surface_point(&m, i, -1).y, 0, tiny);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacked_cubes), cmocka_unit_test(test_grid),
        cmocka_unit_test(test_small_motion),  cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_round),         cmocka_unit_test(test_halfspace),
    };
    return cmocka_run_group_tests(tests, make_hulls, free_hulls);
}
