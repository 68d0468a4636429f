/* Boxes in batches, with the kernels of every instruction set that this processor has, and one by one,
 * against the scalar oracle, bit by bit; and the lower bound of the distance of shapes without points. */
#include "tests/narrowphase/box_oracle.h"
#include "tests/test_world.h"

#include "core/math.h"
#include "geometry/geometry.h"
#include "narrowphase/collide.h"
#include "narrowphase/pairs/box_pair.h"

enum { PAIRS = 40000, APART = 20000, SAMPLES = 16 };

typedef struct shape_pair {
    dry_geometry a, b;
    dry_transform b_in_a;
    float margin;
} shape_pair;

static shape_pair pairs[PAIRS];
static dry_box_pair box_pairs[PAIRS];
static dry_local_manifold expected[PAIRS];
static int chosen_again; /* pairs of these whose reference face missed */

static float uniform(uint64_t *seed, double low, double high)
{
    return (float)random_in(seed, low, high);
}

/* Returns a vector from a cube. */
static dry_vec3 random_vector(uint64_t *seed, double low, double high)
{
    float x = uniform(seed, low, high), y = uniform(seed, low, high);
    return vec3(x, y, uniform(seed, low, high));
}

static dry_quat random_turn(uint64_t *seed, float size)
{
    dry_quat q = {uniform(seed, -size, size), uniform(seed, -size, size), uniform(seed, -size, size),
                  1.001f - size};
    return quat_normalize(q);
}

/* Returns any rotation, none, quarter turns, or nearly those. */
static dry_quat random_orientation(uint64_t *seed)
{
    dry_quat q = quat_identity();
    int kind = random_below(seed, 5);
    if (kind == 0)
        return random_turn(seed, 1.0f);
    for (int i = random_below(seed, 3); i > 0; i--) {
        const float s = 0.70710678f;
        int axis = random_below(seed, 3);
        q = quat_mul(q, (dry_quat){axis == 0 ? s : 0.0f, axis == 1 ? s : 0.0f, axis == 2 ? s : 0.0f, s});
    }
    if (kind == 1) /* about one axis only, as boxes lie in a pile */
        q = quat_mul(q, quat_normalize((dry_quat){0.0f, uniform(seed, -1, 1), 0.0f, uniform(seed, -1, 1)}));
    if (kind == 2)
        q = quat_mul(random_turn(seed, 1e-3f), q);
    if (kind == 3)
        q = quat_mul(random_turn(seed, 0.1f), q);
    return q;
}

static dry_geometry random_box(uint64_t *seed)
{
    dry_geometry g = {{0.5f, 0.5f, 0.5f}, DRY_SHAPE_BOX, NULL};
    int kind = random_below(seed, 4);
    if (kind == 1)
        g.size = random_vector(seed, 0.1, 1);
    if (kind == 2) {
        static const float odd[] = {1e-3f, 0.05f, 0.5f, 2.0f, 100.0f};
        float x = odd[random_below(seed, 5)], y = odd[random_below(seed, 5)];
        g.size = vec3(x, y, odd[random_below(seed, 5)]);
    }
    return g;
}

/* Returns boxes near touching: half of them along an axis of a, some of those exactly, and some at one place.
 */
static shape_pair random_boxes(uint64_t *seed)
{
    static const float margins[] = {0.0f, 0.02f, 0.3f};
    shape_pair p = {random_box(seed), random_box(seed), transform_identity(), margins[random_below(seed, 3)]};
    if (random_below(seed, 2))
        p.b.size = p.a.size;
    p.b_in_a.orientation = random_orientation(seed);
    dry_vec3 extent = vec3_add(p.a.size, dry_geometry_bounds(&p.b, p.b_in_a.orientation).high);
    float out = random_below(seed, 4) ? 1.0f + uniform(seed, -0.1, 0.05) : 1.0f;
    dry_vec3 t = vec3_mul(extent, random_vector(seed, -1, 1));
    int axis = random_below(seed, 6);
    if (random_below(seed, 4) == 0) /* as in a grid */
        t = vec3(0.0f, 0.0f, 0.0f);
    float sign = random_below(seed, 2) ? out : -out;
    t = vec3(axis == 0 ? sign * extent.x : t.x, axis == 1 ? sign * extent.y : t.y,
             axis == 2 ? sign * extent.z : t.z);
    p.b_in_a.position = random_below(seed, 100) ? t : vec3(0.0f, 0.0f, 0.0f);
    return p;
}

static void fill(uint64_t seed)
{
    chosen_again = 0;
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = random_boxes(&seed);
        box_pairs[i] = dry_box_pair_of(pairs[i].a.size, pairs[i].b.size, &pairs[i].b_in_a, pairs[i].margin);
        const shape_pair *p = &pairs[i];
        chosen_again += box_oracle_collide(&p->a, &p->b, &p->b_in_a, p->margin, &expected[i]);
    }
}

static bool same(const dry_local_manifold *x, const dry_local_manifold *y)
{
    return x->count == y->count &&
           memcmp(&x->separation_min, &y->separation_min, sizeof x->separation_min) == 0 &&
           (x->count == 0 || memcmp(&x->normal, &y->normal, sizeof x->normal) == 0) &&
           memcmp(x->points, y->points, (size_t)x->count * sizeof x->points[0]) == 0;
}

static void print_difference(const char *level, int pair, int batch, const dry_local_manifold *found)
{
    const dry_local_manifold *m[2] = {&expected[pair], found};
    print_error("%s, batch of %d, pair %d\n", level, batch, pair);
    for (int k = 0; k < 2; k++) {
        print_error("%s: %d points, separation_min %.9g, normal %.9g %.9g %.9g\n", k ? "batch" : "oracle",
                    m[k]->count, (double)m[k]->separation_min, (double)m[k]->normal.x, (double)m[k]->normal.y,
                    (double)m[k]->normal.z);
        for (int i = 0; i < m[k]->count; i++)
            print_error("  %x: %.9g %.9g %.9g, %.9g\n", m[k]->points[i].feature,
                        (double)m[k]->points[i].position.x, (double)m[k]->points[i].position.y,
                        (double)m[k]->points[i].position.z, (double)m[k]->points[i].separation);
    }
}

static void batches_are_as_the_oracle(void **state)
{
    (void)state;
    fill(1);
    for (int k = 0; k < DRY_LEVEL_COUNT; k++) {
        const dry_level level = (dry_level)k;
        if (!dry_isa_available(dry_level_isa(level)))
            continue;
        uint64_t seed = 2;
        for (int at = 0, count; at < PAIRS; at += count) {
            dry_local_manifold found[DRY_BOX_PAIRS_MAX];
            count = 1 + random_below(&seed, DRY_BOX_PAIRS_MAX);
            count = count < PAIRS - at ? count : PAIRS - at;
            memset(found, 0xff, sizeof found);
            dry_collide_boxes(level, &box_pairs[at], count, found);
            for (int i = 0; i < count; i++)
                if (!same(&expected[at + i], &found[i])) {
                    print_difference(dry_isa_name(dry_level_isa(level)), at + i, count, &found[i]);
                    fail();
                }
        }
    }
}

static void single_pairs_are_as_the_oracle(void **state)
{
    (void)state;
    fill(3);
    for (int i = 0; i < PAIRS; i++) {
        const shape_pair *p = &pairs[i];
        dry_local_manifold found;
        dry_collide(&p->a, &p->b, &p->b_in_a, p->margin, &found);
        if (!same(&expected[i], &found)) {
            print_difference("dry_collide", i, 1, &found);
            fail();
        }
    }
}

/* The random pairs have every outcome. */
static void every_outcome_is_among_them(void **state)
{
    (void)state;
    fill(1);
    int counts[5] = {0}, edges = 0, on_a = 0, on_b = 0;
    for (int i = 0; i < PAIRS; i++) {
        const dry_local_manifold *m = &expected[i];
        counts[m->count]++;
        for (int k = 0; k < m->count; k++) {
            edges += m->count == 1 && m->points[k].feature >> 8 == 3;
            on_a += m->points[k].feature >> 8 == 1;
            on_b += m->points[k].feature >> 8 == 2;
        }
    }
    assert_true(chosen_again > 0);
    for (int i = 0; i <= 4; i++)
        assert_true(counts[i] > PAIRS / 200);
    assert_true(edges > PAIRS / 200 && on_a > PAIRS / 20 && on_b > PAIRS / 20);
}

static dry_geometry random_shape(uint64_t *seed)
{
    dry_geometry g = random_box(seed);
    switch (random_below(seed, 4)) {
    case 0:
        return (dry_geometry){{uniform(seed, 0.1, 1), 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL};
    case 1:
        return (dry_geometry){{uniform(seed, 0.1, 1), uniform(seed, 0.1, 1), 0.0f}, DRY_SHAPE_CAPSULE, NULL};
    default:
        return g;
    }
}

/* Returns a point of the surface or the inside. */
static dry_vec3 point_of(const dry_geometry *g, uint64_t *seed)
{
    dry_vec3 in_cube = random_vector(seed, -1, 1);
    if (g->type == DRY_SHAPE_HALFSPACE)
        return vec3(5.0f * in_cube.x, 0.0f, 5.0f * in_cube.z);
    if (g->type == DRY_SHAPE_BOX) {
        dry_vec3 corner = vec3(in_cube.x < 0.0f ? -1.0f : 1.0f, in_cube.y < 0.0f ? -1.0f : 1.0f,
                               in_cube.z < 0.0f ? -1.0f : 1.0f);
        return vec3_mul(random_below(seed, 2) ? corner : in_cube, g->size);
    }
    dry_vec3 on_sphere = vec3_scale(vec3_normalize_or(in_cube, vec3(1.0f, 0.0f, 0.0f)), g->size.x);
    float end = g->type == DRY_SHAPE_CAPSULE ? (in_cube.y < 0.0f ? -g->size.y : g->size.y) : 0.0f;
    return vec3_add(on_sphere, vec3(0.0f, end, 0.0f));
}

/* Points of shapes without a contact are never nearer than separation_min, which in one dimension is exact.
 */
static void shapes_without_points_know_how_far_they_are(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const dry_geometry plane = {{0.0f, 0.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};
    int apart = 0;
    for (int i = 0; i < APART; i++) {
        dry_geometry a = random_below(&seed, 8) ? random_shape(&seed) : plane, b = random_shape(&seed);
        dry_transform x = {{uniform(&seed, -3, 3), uniform(&seed, -3, 3), uniform(&seed, -3, 3)},
                           random_orientation(&seed)};
        dry_local_manifold m;
        dry_collide(&a, &b, &x, 0.02f, &m);
        if (m.count > 0)
            continue;
        apart += m.separation_min > 0.02f;
        for (int k = 0; k < SAMPLES; k++) {
            dry_vec3 on_a = point_of(&a, &seed), on_b = transform_point(&x, point_of(&b, &seed));
            float distance = a.type == DRY_SHAPE_HALFSPACE ? on_b.y : vec3_distance(on_a, on_b);
            assert_true(distance >= m.separation_min - 1e-4f);
        }
    }
    assert_true(apart > APART / 10);

    const dry_geometry ball = {{0.5f, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL},
                       post = {{0.5f, 0.5f, 0.0f}, DRY_SHAPE_CAPSULE, NULL},
                       cube = {{0.5f, 0.5f, 0.5f}, DRY_SHAPE_BOX, NULL};
    const dry_transform beside = {{1.25f, 0.0f, 0.0f}, quat_identity()},
                        above = {{0.0f, 0.75f, 0.0f}, quat_identity()};
    const dry_geometry *all[] = {&ball, &post, &cube};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            dry_local_manifold m;
            dry_collide(all[i], all[j], &beside, 0.02f, &m);
            assert_int_equal(m.count, 0);
            assert_float_equal(m.separation_min, 0.25f, 1e-6f);
        }
    dry_local_manifold m;
    dry_collide(&plane, &cube, &above, 0.02f, &m);
    assert_int_equal(m.count, 0);
    assert_float_equal(m.separation_min, 0.25f, 1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_is_among_them),
        cmocka_unit_test(batches_are_as_the_oracle),
        cmocka_unit_test(single_pairs_are_as_the_oracle),
        cmocka_unit_test(shapes_without_points_know_how_far_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
