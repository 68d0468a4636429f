/* Contacts of hulls with hulls and boxes beside plain code in double: separations, distances, closest points,
 * surfaces, margins; every instruction set. */
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/pairs/polytope.h"
#include "narrowphase/pairs/rules.h"
#include "tests/narrowphase/hull_pairs.h"

/* Returns the exact separation by the engine's search. */
static double searched(const pair *p)
{
    static dry_hull_search s;
    dry_hull_face a, b;
    dry_hull_edges edges;
    dry_hull_search_take_b(&s, DRY_LEVEL_SCALAR, &p->b, &p->b_in_a, 1e6f);
    assert_true(dry_hull_search_meet_a(&s, &p->a));
    assert_true(dry_hull_search_face(&s, false, -FLT_MAX, &a));
    assert_true(dry_hull_search_face(&s, true, -FLT_MAX, &b));
    assert_true(a.exact && b.exact);
    const float face = dry_max(a.separation, b.separation);
    dry_hull_search_edges(&s, &a, &b, face, &edges);
    return fmax(face, edges.separation);
}

/* The separating axis test finds the best of all axes. */
static void test_separations(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static pair p;
    double worst = 0;
    int deep = 0;
    const int count = test_pick(10000, 1000);
    for (int n = 0; n < count; n++) {
        draw_pair(&p, &seed);
        const double expected = solid_separation(&p.solid_a, &p.solid_b), found = searched(&p);
        /* Axes of edges that do not face each other may be better by chance where shapes are apart. */
        const double error = (expected > 0 ? fmax(0, found - expected) : fabs(found - expected)) / p.size;
        worst = fmax(worst, error);
        deep += expected < 0;
        if (!(error <= 1e-5))
            fail_msg("pair %d: %.9g, expected %.9g, size %.3g", n, found, expected, p.size);
    }
    print_message("%d pairs, %d overlap, worst error %.2g of the size\n", count, deep, worst);
}

/* Contacts: on the surfaces, along a good axis, there when the distance is within the margin. */
static void test_contacts(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static pair p;
    const int count = test_pick(10000, 1000);
    int touching = 0, near = 0, apart = 0, beside = 0;
    for (int n = 0; n < count; n++) {
        draw_pair(&p, &seed);
        dry_local_manifold m;
        dry_collide(&p.a, &p.b, &p.b_in_a, p.margin, &m);
        check_form(&m, p.margin);
        const double tiny = 1e-5 * p.size;
        const double separation = solid_separation(&p.solid_a, &p.solid_b);
        const double distance = separation > 0 ? solid_distance(&p.solid_a, &p.solid_b) : separation;
        const double half = 0.6 * fmin(size_of(&p.solid_a), size_of(&p.solid_b));
        const double choice = (PAIR_EDGE_ABSOLUTE + PAIR_FACE_ABSOLUTE) * half + tiny;
        if (distance > p.margin + tiny) {
            assert_int_equal(m.count, 0);
            assert_at_most(m.separation_min, distance + tiny);
            apart++;
            continue;
        }
        if (m.count == 0) {
            /* Shapes that barely overlap, or flush beside each other, may have none. */
            if (distance < p.margin - tiny && fabs(distance) > 3e-4 * half + tiny)
                fail_msg("pair %d: no points at %.6g, margin %.3g", n, distance, p.margin);
            beside++;
            continue;
        }
        (distance > 0) ? near++ : touching++;
        const double along = solid_separation_along(&p.solid_a, &p.solid_b, d3_of(m.normal));
        const double better = (PAIR_EDGE_RELATIVE + PAIR_FACE_RELATIVE) * fabs(along);
        if (!(along >= separation - choice - better) || !(least_of(&m) >= along - tiny))
            fail_msg("pair %d: along %.6g, least %.6g, separation %.6g", n, along, least_of(&m), separation);
        /* The deepest point of shapes that overlap is about as deep as they are. */
        if (separation < 0 && !(least_of(&m) <= 0.82 * separation + choice))
            fail_msg("pair %d: least %.6g, separation %.6g", n, least_of(&m), separation);
        if (separation > 0)
            assert_at_most(least_of(&m), distance + 3 * PAIR_FACE_ABSOLUTE * half + tiny);
        for (int i = 0; i < m.count; i++) {
            assert_at_most(solid_height(&p.solid_a, surface_point(&m, i, -1)), 2e-4 * half + tiny);
            assert_at_most(solid_height(&p.solid_b, surface_point(&m, i, 1)), 2e-4 * half + tiny);
        }
    }
    print_message("%d overlap, %d are near, %d apart, %d without points\n", touching, near, apart, beside);
    assert_true(touching > count / 3 && near > count / 50 && apart > count / 50);
    assert_true(beside < count / 50);
}

/* Returns a face of a solid on which two of its points lie. */
static int face_at(const solid *s, d3 one, d3 other)
{
    int best = 0;
    double most = -INFINITY;
    for (int f = 0; f < s->faces; f++) {
        const double height = d3_dot(s->normal[f], one) + d3_dot(s->normal[f], other) - 2 * s->offset[f];
        if (height > most) {
            most = height;
            best = f;
        }
    }
    return best;
}

/* Shapes that overlap have a point where the vertex of the one lies over an edge or a corner of the other's
 * face, and no facets of the two look against each other. */
static void test_vertices_at_edges_of_faces(void **state)
{
    (void)state;
    uint64_t seed = 21;
    static pair p;
    int overlap = 0;
    for (int n = 0; n < test_pick(20000, 4000); n++) {
        draw_pair(&p, &seed);
        const int *edge = p.solid_a.edge[random_below(&seed, p.solid_a.edges)];
        const d3 from = p.solid_a.vertex[edge[0]], to = p.solid_a.vertex[edge[1]];
        const d3 normal = p.solid_a.normal[face_at(&p.solid_a, from, to)];
        const double half = 0.6 * fmin(size_of(&p.solid_a), size_of(&p.solid_b));
        d3 lowest = p.solid_b.vertex[0];
        for (int i = 1; i < p.solid_b.vertices; i++)
            if (d3_dot(normal, p.solid_b.vertex[i]) < d3_dot(normal, lowest))
                lowest = p.solid_b.vertex[i];
        const d3 place = d3_add(from, d3_scale(d3_sub(to, from), n % 4 ? random_in(&seed, 0, 1) : 0));
        const d3 below = d3_scale(normal, -half * exp(random_in(&seed, log(1e-3), log(0.1))));
        const d3 way = d3_sub(d3_add(place, below), lowest);
        p.b_in_a.position = v3_of(d3_add(d3_of(p.b_in_a.position), way));
        solid_of(&p.solid_b, &p.b, &p.b_in_a);
        const double separation = solid_separation(&p.solid_a, &p.solid_b);
        if (separation > -5e-4 * half)
            continue;
        overlap++;
        dry_local_manifold m;
        dry_collide(&p.a, &p.b, &p.b_in_a, p.margin, &m);
        check_form(&m, p.margin);
        if (m.count == 0)
            fail_msg("pair %d: no points, %.3g deep, half %.3g", n, separation, half);
    }
    print_message("%d pairs overlap\n", overlap);
    assert_true(overlap > 1000);
}

/* A load that leans chooses points of flat round ends. A capsule has none, and its points stay. */
static void test_capsules_under_loads(void **state)
{
    (void)state;
    uint64_t seed = 22;
    int lying = 0;
    for (int n = 0; n < test_pick(40000, 8000); n++) {
        const dry_geometry hull = draw_geometry(&seed);
        const double r = random_in(&seed, 0.05, 1);
        const dry_geometry capsule = {v3(r, random_in(&seed, 0.05, 2), 0), DRY_SHAPE_CAPSULE, NULL};
        solid s;
        solid_of(&s, &hull, &here);
        const int f = random_below(&seed, s.faces);
        const d3 along = sphere_point(&seed), n_f = s.normal[f];
        const dry_vec3 up = v3_of(n_f), side = vec3_cross(up, v3_of(along));
        dry_transform pose = {v3_of(d3_add(s.vertex[s.triangle[0][0]], d3_scale(n_f, r))), quat_identity()};
        const dry_vec3 y =
            vec3_normalize_or(vec3_add_scaled(side, (float)random_in(&seed, -0.2, 0.2), up), up);
        pose.orientation = quat_normalize((dry_quat){y.z, 0, -y.x, 1 + y.y}); /* takes the axis y there */
        pose.position = vec3_add(pose.position, v3_of(random_d3(&seed, 0.2)));
        dry_local_manifold m, leaning;
        dry_collide(&hull, &capsule, &pose, 0.2f, &m);
        dry_collide_leaning(&hull, &capsule, &pose, 0.2f, v3_of(along), &leaning);
        lying += m.count > 1;
        assert_int_equal(m.count, leaning.count);
        assert_memory_equal(m.points, leaning.points, (size_t)m.count * sizeof *m.points);
    }
    assert_true(lying > 500);
}

/* Closest points lie on both shapes, as far apart as brute force says; shapes that overlap have none. */
static void test_closest(void **state)
{
    (void)state;
    uint64_t seed = 12;
    static pair p;
    static dry_polytope a, b;
    const dry_pair_kernels *kernels = dry_pair_kernels_at(DRY_LEVEL_SCALAR);
    int apart = 0;
    for (int n = 0; n < test_pick(10000, 1000); n++) {
        draw_pair(&p, &seed);
        if (n % 2)
            place(&p, sphere_point(&seed), random_in(&seed, 1, 3));
        dry_polytope_begin(&a, &p.a, NULL);
        dry_polytope_begin(&b, &p.b, &p.b_in_a);
        kernels->polytope_place_vertices(&a);
        kernels->polytope_place_vertices(&b);
        const dry_polytope_at at_a = {&a, kernels, a.center}, at_b = {&b, kernels, b.center};
        const double x = random_in(&seed, -1, 1);
        const dry_double3 guess = double3(x, 0, random_in(&seed, -1, 1));
        dry_closest_points found;
        dry_find_closest(&(dry_convex){dry_polytope_support_at, &at_a},
                         &(dry_convex){dry_polytope_support_at, &at_b}, guess, DBL_MAX, &found);
        const double separation = solid_separation(&p.solid_a, &p.solid_b), tiny = 1e-6 * p.size;
        if (separation < -tiny)
            assert_at_most(found.distance, tiny);
        if (separation <= tiny)
            continue;
        apart++;
        const double distance = solid_distance(&p.solid_a, &p.solid_b);
        assert_near(found.distance, distance, tiny);
        const d3 on_a = {found.on_a.x, found.on_a.y, found.on_a.z},
                 on_b = {found.on_b.x, found.on_b.y, found.on_b.z};
        assert_near(solid_height(&p.solid_a, on_a), 0, tiny);
        assert_near(solid_height(&p.solid_b, on_b), 0, tiny);
        const d3 d = d3_sub(on_b, on_a), normal = {found.normal.x, found.normal.y, found.normal.z};
        assert_near(sqrt(d3_dot(d, d)), found.distance, 1e-12 * p.size);
        assert_near(d3_dot(d, normal), found.distance, 1e-12 * p.size);
    }
    assert_true(apart > test_pick(5000, 500));
}

/* Every instruction set gives the same bits. */
static void test_levels(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static pair p;
    for (int n = 0; n < test_pick(5000, 500); n++) {
        draw_pair(&p, &seed);
        dry_local_manifold expected, m;
        memset(&expected, 0, sizeof expected);
        dry_collide_polytopes(DRY_LEVEL_SCALAR, &p.a, &p.b, &p.b_in_a, p.margin, &expected);
        for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
            dry_level usable;
            if (!dry_level_find(dry_level_isa((dry_level)level), &usable))
                continue;
            memset(&m, 0, sizeof m);
            dry_collide_polytopes(usable, &p.a, &p.b, &p.b_in_a, p.margin, &m);
            if (memcmp(&m, &expected, sizeof m) != 0)
                fail_msg("pair %d at %s", n, dry_isa_name(dry_level_isa(usable)));
        }
    }
}
/* Hulls of boxes' corners have the contacts of boxes, where those have one. */
static void test_boxes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    static pair p;
    int compared = 0;
    for (int n = 0; n < test_pick(5000, 500); n++) {
        const d3 a = random_d3_in(&seed, 0.3, 1), b = random_d3_in(&seed, 0.3, 1);
        p.a = (dry_geometry){v3_of(a), DRY_SHAPE_BOX, NULL};
        p.b = (dry_geometry){v3_of(b), DRY_SHAPE_BOX, NULL};
        p.b_in_a.orientation = draw_turn(&seed);
        place(&p, sphere_point(&seed), random_in(&seed, 0.5, 1.0));
        dry_local_manifold boxes, hull;
        dry_collide(&p.a, &p.b, &p.b_in_a, 0.02f, &boxes);
        dry_geometry ga = p.a, gb = p.b;
        ga.type = DRY_SHAPE_HULL, ga.data = hulls[0];
        if (n % 2)
            gb.type = DRY_SHAPE_HULL, gb.data = hulls[0];
        dry_collide(&ga, &gb, &p.b_in_a, 0.02f, &hull);
        check_form(&hull, 0.02f);
        const double separation = solid_separation(&p.solid_a, &p.solid_b);
        if (separation > -1e-3)
            continue;
        compared++;
        assert_true(hull.count > 0 && boxes.count > 0);
        /* Both choose an axis within the tolerances of the best. */
        assert_near(least_of(&hull), least_of(&boxes),
                    0.02 + 0.1 * fabs(separation) -
                        PAIR_EDGE_RELATIVE * fmin(least_of(&hull), least_of(&boxes)));
        if (vec3_dot(hull.normal, boxes.normal) > 0.99999f && hull.count == boxes.count) {
            assert_near(least_of(&hull), least_of(&boxes), 2e-3);
        }
    }
    assert_true(compared > test_pick(1000, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separations),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_closest),
        cmocka_unit_test(test_vertices_at_edges_of_faces),
        cmocka_unit_test(test_capsules_under_loads),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, make_hulls, free_hulls);
}
