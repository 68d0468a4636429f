/* Pairs of hulls and boxes drawn by a seed, and checks that every manifold passes: for the tests of contacts
 * of hulls. */
#ifndef TESTS_NARROWPHASE_HULL_PAIRS_H
#define TESTS_NARROWPHASE_HULL_PAIRS_H

#include "core/math.h"
#include "geometry/shape_data.h"
#include "narrowphase/collide.h"
#include "tests/narrowphase/polytope_oracle.h"

#include <drystone/shape_data.h>

enum { HULLS = 64 };

static dry_shape_data *hulls[HULLS];
static const dry_transform here = {{0, 0, 0}, {0, 0, 0, 1}};

static inline d3 sphere_point(uint64_t *seed)
{
    for (;;) {
        const d3 p = random_d3(seed, 1);
        if (d3_dot(p, p) > 0.01 && d3_dot(p, p) <= 1)
            return d3_unit(p);
    }
}

static inline dry_shape_data *data_of(const dry_vec3 *points, int count)
{
    dry_shape_data *data = NULL;
    dry_hull_report report;
    if (dry_hull_create(points, count, 0, NULL, &data, &report) != DRY_OK)
        fail_msg("%s", dry_hull_fault_name(report.fault));
    return data;
}

static inline dry_shape_data *corners_of(dry_vec3 half)
{
    dry_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    return data_of(points, 8);
}

/* Stones, prisms, cones and boxes, some off their origin, some flat. */
static inline dry_shape_data *draw_hull(uint64_t *seed, int kind)
{
    dry_vec3 points[64];
    int count = 4 + random_below(seed, 12);
    if (kind == 0)
        return corners_of(vec3(1, 1, 1));
    const int sides = 3 + random_below(seed, 8);
    const d3 off = kind == 3 ? random_d3(seed, 30) : (d3){0, 0, 0};
    for (int i = 0; i < count; i++) {
        d3 p = sphere_point(seed);
        if (kind == 1)
            p.y *= 0.2;
        if (kind == 2) {
            count = 2 * sides;
            const double angle = 2 * TEST_PI * (i / 2) / sides;
            p = (d3){cos(angle), i % 2 ? 1 : -1, sin(angle)};
        }
        points[i] = v3_of(d3_add(p, off));
    }
    if (kind == 4)
        for (count = 0; count < 32; count++)
            points[count] = v3_of(sphere_point(seed));
    return data_of(points, count);
}

static inline int make_hulls(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < HULLS; i++)
        hulls[i] = draw_hull(&seed, i % 16 == 0 ? 0 : i % 16 == 15 ? 4 : 1 + i % 5 % 3 + (i % 5 == 4));
    return 0;
}

static inline int free_hulls(void **state)
{
    (void)state;
    for (int i = 0; i < HULLS; i++)
        dry_shape_data_release(hulls[i]);
    return 0;
}

static inline dry_geometry draw_geometry(uint64_t *seed)
{
    double s[3];
    const bool plain = random_below(seed, 2);
    for (int k = 0; k < 3; k++)
        s[k] = plain ? 1 : exp(random_in(seed, log(0.3), log(3))) * (random_below(seed, 3) ? 1 : -1);
    return (dry_geometry){v3(s[0], s[1], s[2]), DRY_SHAPE_HULL, hulls[random_below(seed, HULLS)]};
}

static inline dry_quat draw_turn(uint64_t *seed)
{
    static const double angles[5] = {0, 1e-6, 1e-3, TEST_PI / 4, TEST_PI / 2};
    if (random_below(seed, 2))
        return random_quat(seed);
    dry_quat q = {0, 0, 0, 1};
    for (int i = 0; i < 2; i++) {
        const int axis = random_below(seed, 3);
        const double angle = angles[random_below(seed, 5)];
        const float s = (float)sin(angle / 2);
        q = quat_mul(
            q, (dry_quat){axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0, (float)cos(angle / 2)});
    }
    return quat_normalize(q);
}

/* The hull of a cube stands for a box. */
static inline void solid_of(solid *s, const dry_geometry *g, const dry_transform *pose)
{
    const bool is_box = g->type == DRY_SHAPE_BOX;
    solid_make(s, (is_box ? hulls[0] : g->data)->form, g->size, pose);
}

typedef struct pair {
    dry_geometry a, b;
    dry_transform b_in_a;
    float margin;
    double size;
    solid solid_a, solid_b;
} pair;

static inline d3 middle_of(const solid *s)
{
    d3 sum = {0, 0, 0};
    for (int i = 0; i < s->vertices; i++)
        sum = d3_add(sum, d3_scale(s->vertex[i], 1.0 / s->vertices));
    return sum;
}

static inline double size_of(const solid *s)
{
    const d3 center = middle_of(s);
    double size = 0;
    for (int i = 0; i < s->vertices; i++) {
        const d3 d = d3_sub(s->vertex[i], center);
        size = fmax(size, sqrt(d3_dot(d, d)));
    }
    return size;
}

/* Moves b to a share of the distance along a direction at which the shapes touch. */
static inline void place(pair *p, d3 along, double share)
{
    p->b_in_a.position = vec3(0, 0, 0);
    solid_of(&p->solid_a, &p->a, &here);
    solid_of(&p->solid_b, &p->b, &p->b_in_a);
    const d3 between = d3_sub(middle_of(&p->solid_a), middle_of(&p->solid_b));
    p->b_in_a.position = v3_of(between);
    solid_of(&p->solid_b, &p->b, &p->b_in_a);
    const double out = -solid_separation_along(&p->solid_a, &p->solid_b, along);
    p->b_in_a.position = v3_of(d3_add(between, d3_scale(along, share * out)));
    solid_of(&p->solid_b, &p->b, &p->b_in_a);
    const d3 at = d3_of(p->b_in_a.position);
    p->size = size_of(&p->solid_a) + size_of(&p->solid_b) + 0.03 * sqrt(d3_dot(at, at));
}

static inline void draw_pair(pair *p, uint64_t *seed)
{
    static const float margins[] = {0, 0.02f, 0.2f};
    p->a = draw_geometry(seed);
    p->b = draw_geometry(seed);
    if (random_below(seed, 4) == 0) {
        p->b.type = DRY_SHAPE_BOX;
        p->b.data = NULL;
        p->b.size = vec3_abs(p->b.size);
    }
    p->b_in_a.orientation = draw_turn(seed);
    p->margin = margins[random_below(seed, 3)];
    d3 along = sphere_point(seed);
    if (random_below(seed, 3) == 0) {
        solid_of(&p->solid_a, &p->a, &here);
        along = p->solid_a.normal[random_below(seed, p->solid_a.faces)];
    }
    place(p, along, random_in(seed, 0.7, 1.05));
}

static inline void check_form(const dry_local_manifold *m, float margin)
{
    assert_in_range(m->count, 0, 4);
    assert_true(vec3_is_finite(m->normal));
    assert_near(vec3_length(m->normal), 1, 1e-5);
    assert_true(isfinite(m->separation_min));
    for (int i = 0; i < m->count; i++) {
        assert_true(vec3_is_finite(m->points[i].position));
        assert_true(m->points[i].separation <= margin && m->points[i].separation > -FLT_MAX);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(m->points[i].feature, m->points[j].feature);
    }
}

static inline double least_of(const dry_local_manifold *m)
{
    double least = INFINITY;
    for (int i = 0; i < m->count; i++)
        least = fmin(least, m->points[i].separation);
    return least;
}

static inline d3 surface_point(const dry_local_manifold *m, int i, double side)
{
    return d3_add(d3_of(m->points[i].position),
                  d3_scale(d3_of(m->normal), 0.5 * side * m->points[i].separation));
}

#endif
