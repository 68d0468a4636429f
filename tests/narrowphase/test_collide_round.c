/* Spheres, capsules and halfspaces against independent oracles in double precision: nested ternary search of
 * the (convex) distances of their cores, the lowest vertex over a plane; and poses worked out by hand. */
#include "tests/collide_shapes.h"

/* Returns the least value of a convex function on [-1, 1]. */
static double least(double (*f)(const void *context, double t), const void *context)
{
    double low = -1.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double p = low + (high - low) / 3, q = high - (high - low) / 3;
        if (f(context, p) < f(context, q))
            high = q;
        else
            low = p;
    }
    return f(context, 0.5 * (low + high));
}

typedef struct core_pair {
    double h[3];               /* box half extents */
    double middle[3], half[3]; /* b's segment in a's frame */
    double half_length;        /* a's segment, along y */
    double t;
} core_pair;

static double core_to_box(const void *context, double t)
{
    const core_pair *c = context;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(0.0, fabs(c->middle[k] + t * c->half[k]) - c->h[k]);
        sum += d * d;
    }
    return sqrt(sum);
}

static double core_to_point(const void *context, double s)
{
    const core_pair *c = context;
    double x = c->middle[0] + c->t * c->half[0], y = c->middle[1] + c->t * c->half[1] - s * c->half_length;
    double z = c->middle[2] + c->t * c->half[2];
    return sqrt(x * x + y * y + z * z);
}

static double core_to_core(const void *context, double t)
{
    core_pair c = *(const core_pair *)context;
    c.t = t;
    return least(core_to_point, &c);
}

/* Returns the cores' true distance; 0 if they overlap. */
static double core_distance(const dry_geometry *a, const dry_geometry *b, const dry_transform *x)
{
    core_pair c;
    double m[3][3];
    matrix(x->orientation, m);
    to_double(x->position, c.middle);
    to_double(a->size, c.h);
    for (int k = 0; k < 3; k++)
        c.half[k] = b->type == DRY_SHAPE_CAPSULE ? (double)b->size.y * m[1][k] : 0.0;
    if (a->type == DRY_SHAPE_BOX)
        return least(core_to_box, &c);
    c.half_length = a->type == DRY_SHAPE_CAPSULE ? c.h[1] : 0.0;
    return least(core_to_core, &c);
}

/* Returns the least overlap of a segment and a box, over face axes and axes across an edge and the segment.
 */
static double core_overlap(const dry_geometry *a, const dry_geometry *b, const dry_transform *x)
{
    double m[3][3], h[3], t[3], best = -1e300,
                                length = b->type == DRY_SHAPE_CAPSULE ? (double)b->size.y : 0.0;
    matrix(x->orientation, m);
    to_double(a->size, h);
    to_double(x->position, t);
    for (int k = 0; k < 3; k++) {
        best = fmax(best, fabs(t[k]) - h[k] - length * fabs(m[1][k]));
        double u[3] = {0, 0, 0};
        int v = (k + 1) % 3, w = (k + 2) % 3;
        double across = sqrt(m[1][v] * m[1][v] + m[1][w] * m[1][w]);
        if (across < 1e-6 || length == 0.0)
            continue;
        u[v] = -m[1][w] / across;
        u[w] = m[1][v] / across;
        best = fmax(best, fabs(dot(u, t)) - h[v] * fabs(u[v]) - h[w] * fabs(u[w]));
    }
    return best;
}

static void round_shapes_against_distances(void **state)
{
    (void)state;
    random_source r = {8};
    int shallow = 0, crossing = 0, pairs_of_points = 0;
    for (int n = 0; n < 8000; n++) {
        dry_geometry a, b;
        float u = (float)uniform(&r, 0.1, 1), v = (float)uniform(&r, 0.1, 1.5),
              w = (float)uniform(&r, 0.1, 1);
        int kind = n % 3;
        a = kind == 0 ? sphere(0.5f * u) : kind == 1 ? capsule(0.4f * u, v) : box(u, v, w);
        b = below(&r, 3) ? capsule(0.1f + 0.3f * w, (float)uniform(&r, 0, 1)) : sphere(w);
        if (a.type < b.type)
            continue;
        dry_transform x = {
            {(float)uniform(&r, -1, 1), (float)uniform(&r, -1.5, 1.5), (float)uniform(&r, -1, 1)},
            awkward_quat(&r)};
        dry_local_manifold m;
        float margin = 10.0f;
        dry_collide(&a, &b, &x, margin, &m);
        check_form(&m, margin);
        assert_true(m.count > 0);
        double radii = (double)b.size.x + (a.type == DRY_SHAPE_BOX ? 0.0 : (double)a.size.x);
        double distance = core_distance(&a, &b, &x);
        pairs_of_points += m.count == 2;
        if (distance > 1e-4) {
            shallow++;
            assert_true(fabs((double)deepest(&m) - (distance - radii)) < 1e-4);
        } else if (distance < 1e-6 && a.type == DRY_SHAPE_BOX) {
            crossing++;
            double truth = core_overlap(&a, &b, &x);
            assert_true((double)deepest(&m) >= truth - radii - 0.06 * fabs(truth) - 0.015);
            /* Moving b out by the deepest point's depth, and by the cost of the preference, separates the
             * shapes. */
            dry_transform y = x;
            y.position = vec3_add_scaled(x.position, (float)(0.02 - (double)deepest(&m) - radii), m.normal);
            assert_true(m.count > 1 || core_distance(&a, &b, &y) > 0.0 || a.type != DRY_SHAPE_BOX);
        }
        if (m.count == 1 || distance > 1e-4)
            check_surfaces(&a, &b, &x, &m, 2e-3 + 0.1 * radii);
    }
    assert_true(shallow > 2000 && crossing > 300 && pairs_of_points > 100);
}

static void round_special_cases(void **state)
{
    (void)state;
    dry_quat none = quat_identity(), lying = turn(2, 1.5707963267948966);
    dry_local_manifold m;
    dry_geometry ball = sphere(0.5f), pill = capsule(0.25f, 0.5f), cube = box(1, 1, 1);
    dry_transform x = pose(0, 0.9f, 0, none);
    dry_collide(&ball, &ball, &x, 0, &m);
    assert_true(m.count == 1 && vec3_distance(m.points[0].position, vec3(0, 0.45f, 0)) < 1e-6f);
    assert_float_equal(m.points[0].separation, -0.1, 1e-6);
    /* center inside a box: the nearest face */
    x = pose(0.2f, -0.7f, 0.1f, none);
    dry_collide(&cube, &ball, &x, 0, &m);
    assert_true(m.count == 1 && m.normal.y == -1.0f);
    assert_float_equal(m.points[0].separation, -0.8, 1e-6);
    /* a capsule lying on a box, across its edge: the part on the box, both ends of it */
    x = pose(0.8f, 1.24f, 0, lying);
    dry_collide(&cube, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 2);
    float low = dry_min(m.points[0].position.x, m.points[1].position.x);
    float high = dry_max(m.points[0].position.x, m.points[1].position.x);
    assert_float_equal(low, 0.3, 1e-5);
    assert_float_equal(high, 1.0, 1e-5);
    assert_float_equal(m.points[0].separation, -0.01, 1e-5);
    assert_float_equal(m.points[1].separation, -0.01, 1e-5);
    /* tipping a little over the edge it keeps both, with the right gaps */
    x.orientation = quat_mul(turn(2, -0.02), lying);
    dry_collide(&cube, &pill, &x, 0.1f, &m);
    assert_int_equal(m.count, 2);
    /* standing on it: one */
    x = pose(0, 1.75f, 0, none);
    dry_collide(&cube, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 1);
    /* its core along the face but inside */
    x = pose(0, 0.9f, 0, lying);
    dry_collide(&cube, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 2);
    assert_true(m.normal.y == 1.0f && dry_abs(deepest(&m) + 0.35f) < 1e-5f);
    /* its core through an edge of the box: out across the edge */
    x = pose(0.95f, 0.95f, 0, turn(2, 0.7853981633974483));
    dry_geometry pin = capsule(0.1f, 2.0f);
    dry_collide(&cube, &pin, &x, MARGIN, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.normal.x, 0.70710678, 1e-5);
    assert_float_equal(m.normal.y, 0.70710678, 1e-5);
    assert_float_equal(m.points[0].separation, -0.1 - 0.05 * 1.41421356, 1e-5);
}

static void two_capsules(void **state)
{
    (void)state;
    dry_local_manifold m;
    dry_geometry pill = capsule(0.25f, 0.5f);
    /* side by side, and crossing */
    dry_transform x = pose(0.45f, 0.3f, 0, quat_identity());
    dry_collide(&pill, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 2);
    assert_float_equal(dry_abs(m.points[0].position.y - m.points[1].position.y), 0.7, 1e-5);
    x = pose(0.45f, 0.3f, 0, turn(0, 1.0));
    dry_collide(&pill, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 1);
    /* the same segment */
    x = transform_identity();
    dry_collide(&pill, &pill, &x, MARGIN, &m);
    check_form(&m, MARGIN);
    assert_true(m.count == 2 && dry_abs(deepest(&m) + 0.5f) < 1e-6f);
    /* end to end */
    x = pose(0, 1.49f, 0, quat_identity());
    dry_collide(&pill, &pill, &x, MARGIN, &m);
    assert_true(m.count == 1 && dry_abs(deepest(&m) + 0.01f) < 1e-5f);
}

static void halfspaces(void **state)
{
    (void)state;
    random_source r = {9};
    for (int n = 0; n < 20000; n++) {
        dry_geometry b = random_box(&r);
        dry_transform x = {{(float)uniform(&r, -9, 9), 0, (float)uniform(&r, -9, 9)}, awkward_quat(&r)};
        x.position.y = (float)uniform(&r, -2, 2) * largest(&b);
        double m[3][3], low = (double)x.position.y;
        matrix(x.orientation, m);
        low -= (double)b.size.x * fabs(m[0][1]) + (double)b.size.y * fabs(m[1][1]) +
               (double)b.size.z * fabs(m[2][1]);
        dry_local_manifold manifold;
        dry_collide(&halfspace, &b, &x, MARGIN, &manifold);
        check_form(&manifold, MARGIN);
        if (fabs(low - (double)MARGIN) < 1e-5)
            continue;
        assert_int_equal(manifold.count > 0, low < (double)MARGIN);
        if (manifold.count == 0)
            continue;
        assert_true(fabs((double)deepest(&manifold) - low) < 1e-5 * (1.0 + (double)largest(&b)));
        for (int i = 0; i < manifold.count; i++) { /* the feature is the vertex */
            uint32_t f = manifold.points[i].feature;
            dry_vec3 v = vec3(f & 1 ? b.size.x : -b.size.x, f & 2 ? b.size.y : -b.size.y,
                              f & 4 ? b.size.z : -b.size.z);
            dry_vec3 p = transform_point(&x, v);
            assert_true(dry_abs(p.y - manifold.points[i].separation) < 1e-4f);
            assert_true(dry_abs(p.x - manifold.points[i].position.x) < 1e-4f);
            assert_true(dry_abs(0.5f * p.y - manifold.points[i].position.y) < 1e-4f);
        }
    }
    dry_local_manifold m;
    dry_geometry pill = capsule(0.5f, 1.0f), ball = sphere(0.5f);
    dry_transform x = pose(1, 0.49f, 2, turn(2, 1.5707963267948966));
    dry_collide(&halfspace, &pill, &x, MARGIN, &m);
    assert_int_equal(m.count, 2);
    assert_float_equal(m.points[0].separation, -0.01, 1e-5);
    x = pose(1, 0.51f, 2, quat_identity());
    dry_collide(&halfspace, &ball, &x, MARGIN, &m);
    assert_true(m.count == 1 && m.normal.y == 1.0f);
    assert_float_equal(m.points[0].separation, 0.01, 1e-6);
    dry_collide(&halfspace, &halfspace, &x, MARGIN, &m);
    assert_int_equal(m.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_shapes_against_distances),
        cmocka_unit_test(round_special_cases),
        cmocka_unit_test(two_capsules),
        cmocka_unit_test(halfspaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
