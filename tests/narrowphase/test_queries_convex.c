/* Distances, closest points, depths and casts of random pairs of convex shapes, triangles among them, beside
 * an oracle in double. */
#include "narrowphase/placed.h"
#include "tests/narrowphase/convex_pairs.h"

enum { PAIRS = 10000 };

static d3 d3_from(dry_double3 t)
{
    return (d3){t.x, t.y, t.z};
}

static convex_answer answer_of(const drawn *a, const drawn *b)
{
    dry_gap gap;
    dry_placed_gap(&a->solid, &b->solid, &gap);
    return (convex_answer){gap.separation, d3_from(gap.normal), d3_from(gap.on_a), d3_from(gap.on_b)};
}

static void distances_and_depths_are_those_of_the_oracle(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static drawn a, b;
    int apart = 0;
    for (int i = 0; i < PAIRS; i++) {
        draw_both(&a, &b, i, &seed);
        const convex_answer r = answer_of(&a, &b);
        apart += r.distance > 0;
        assert_distance(&a.oracle, &b.oracle, &r);
    }
    assert_in_range(apart, PAIRS / 4, 3 * PAIRS / 4);
}

/* Pairs that were off among many drawn ones: vertices of triangles, capsules and hulls that had left a flat
 * cylinder on its other side, and shallow overlaps whose shortest way out is far from any face. */
static void rare_pairs_are_those_of_the_oracle(void **state)
{
    (void)state;
    static const int off[2][3] = {{4425, -1}, {104147, 142907, -1}};
    static drawn a, b;
    for (int k = 0; k < 2; k++) {
        uint64_t seed = k == 0 ? 31 : 424242;
        for (int i = 0, next = 0; off[k][next] >= 0; i++) {
            draw_both(&a, &b, i, &seed);
            if (i != off[k][next])
                continue;
            const convex_answer r = answer_of(&a, &b);
            assert_distance(&a.oracle, &b.oracle, &r);
            next++;
        }
    }
}

/* A hit is certain: the shapes touch there, and a plane that recedes parts them before. */
static void assert_hit(const drawn *a, const drawn *b, d3 way, const dry_placed_hit *hit)
{
    const double tolerance = 1e-4 * (a->oracle.size + b->oracle.size);
    const d3 normal = d3_from(hit->normal), point = d3_from(hit->point);
    const convex moved = convex_moved(&b->oracle, d3_scale(way, hit->fraction));
    assert_in_range((int)(hit->fraction * 1e6), 0, 1000000);
    assert_near(d3_length(normal), 1, 1e-5);
    assert_true(d3_dot(way, normal) < 0);
    assert_near(convex_separation(&a->oracle, &moved, normal), 0, tolerance);
    assert_near(convex_distance(&a->oracle, point), 0, tolerance);
    assert_near(convex_distance(&moved, point), 0, tolerance);
}

/* Returns the least distance on the way, which is a convex function of the place. */
static double least_distance(const drawn *a, const drawn *b, d3 way)
{
    double low = 0, high = 1;
    drawn moved = *b;
    for (int i = 0; i < 50; i++) {
        double at[2];
        for (int k = 0; k < 2; k++) {
            const double share = low + (high - low) * (k ? 0.6 : 0.4);
            moved.solid.center = double3_add_scaled(b->solid.center, share, double3(way.x, way.y, way.z));
            at[k] = answer_of(a, &moved).distance;
        }
        if (at[0] < at[1])
            high = low + (high - low) * 0.6;
        else
            low = low + (high - low) * 0.4;
    }
    return answer_of(a, &moved).distance;
}

static void casts_are_those_of_the_oracle(void **state)
{
    (void)state;
    uint64_t seed = 6;
    static drawn a, b;
    int hits = 0, misses = 0, inside = 0;
    for (int i = 0; i < PAIRS; i++) {
        draw_both(&a, &b, i, &seed);
        const d3 start =
            d3_scale(sphere_point(&seed), random_in(&seed, 0, 3) * (a.oracle.size + b.oracle.size));
        const d3 aim = random_d3(&seed, 0.7 * (a.oracle.size + b.oracle.size));
        const drawn before = b;
        b.oracle = convex_moved(&before.oracle, start);
        b.solid.center = double3_add_scaled(before.solid.center, 1.0, double3(start.x, start.y, start.z));
        const d3 way = d3_scale(d3_sub(aim, start), random_in(&seed, 0.3, 2));
        const convex_answer at_start = answer_of(&a, &b);
        dry_placed_hit hit;
        const bool met = dry_placed_cast(&a.solid, &b.solid, double3(way.x, way.y, way.z), 1.0, &hit);
        const double tiny = 1e-8 * (a.oracle.size + b.oracle.size);
        if (at_start.distance < -tiny) {
            inside++;
            assert_true(met && hit.fraction == 0 && hit.depth == -at_start.distance);
            assert_memory_equal(&hit.normal, &at_start.normal, sizeof hit.normal);
        } else if (met) {
            hits++;
            assert_hit(&a, &b, way, &hit);
        } else {
            misses++;
            assert_true(least_distance(&a, &b, way) > -1e-4 * (a.oracle.size + b.oracle.size));
        }
    }
    assert_true(hits > PAIRS / 5 && misses > PAIRS / 10 && inside > PAIRS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_and_depths_are_those_of_the_oracle),
        cmocka_unit_test(rare_pairs_are_those_of_the_oracle),
        cmocka_unit_test(casts_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests_name("queries of convex pairs", tests, make_hulls, free_hulls);
}
