/* Pairs of boxes against an independent oracle in double precision, the separating axis test by brute force:
 * the axis that is chosen, its depth, who is near enough, points on both surfaces; and poses worked out by
 * hand. */
#include "narrowphase/pairs/rules.h"
#include "tests/collide_shapes.h"
#include "tests/quick.h"

/* Returns the separation of two boxes along a unit axis; negative: the distance to move b along the axis. */
static double apart_along(const double axis[3], const double ha[3], const double hb[3], double m[3][3],
                          const double t[3])
{
    double s = fabs(dot(axis, t));
    for (int k = 0; k < 3; k++)
        s -= ha[k] * fabs(axis[k]) + hb[k] * fabs(dot(axis, m[k]));
    return s;
}

static double box_separation(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a)
{
    double ha[3], hb[3], t[3], m[3][3], best = -1e300;
    to_double(a->size, ha);
    to_double(b->size, hb);
    to_double(b_in_a->position, t);
    matrix(b_in_a->orientation, m);
    static double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        best = fmax(best, apart_along(e[i], ha, hb, m, t));
        best = fmax(best, apart_along(m[i], ha, hb, m, t));
        for (int j = 0; j < 3; j++) {
            double c[3] = {e[i][1] * m[j][2] - e[i][2] * m[j][1], e[i][2] * m[j][0] - e[i][0] * m[j][2],
                           e[i][0] * m[j][1] - e[i][1] * m[j][0]};
            double length = sqrt(dot(c, c));
            if (length < 1e-9)
                continue;
            for (int k = 0; k < 3; k++)
                c[k] /= length;
            best = fmax(best, apart_along(c, ha, hb, m, t));
        }
    }
    return best;
}

static float smallest(const dry_geometry *g)
{
    return dry_min(g->size.x, dry_min(g->size.y, g->size.z));
}

/* Returns a pose near touching: b comes in from a random side until the boxes are `gap` apart (or deep
 * inside). */
static dry_transform near_pose(random_source *r, const dry_geometry *a, const dry_geometry *b)
{
    dry_transform x = {{0, 0, 0}, awkward_quat(r)};
    dry_vec3 d = random_vector(r, 1);
    if (below(r, 3) == 0)
        d = below(r, 2) ? vec3(0, 1, 0) : vec3(0, 1, (float)below(r, 2));
    double gap = below(r, 4) ? uniform(r, -0.1, 0.1) : uniform(r, -1.0, 0.0);
    gap *= (double)dry_min(largest(a), largest(b));
    double low = 0.0, high = 100.0 * (double)(largest(a) + largest(b));
    for (int i = 0; i < 40; i++) {
        double s = 0.5 * (low + high);
        x.position = vec3_scale(d, (float)s);
        if (box_separation(a, b, &x) > gap)
            high = s;
        else
            low = s;
    }
    return x;
}

static void boxes_against_all_axes(void **state)
{
    (void)state;
    random_source r = {1};
    const int count = test_pick(60000, 12000);
    int touching = 0, apart = 0;
    for (int n = 0; n < count; n++) {
        dry_geometry a = random_box(&r), b = below(&r, 4) ? random_box(&r) : a;
        dry_transform x = near_pose(&r, &a, &b);
        dry_local_manifold m;
        dry_collide(&a, &b, &x, MARGIN, &m);
        check_form(&m, MARGIN);
        double truth = box_separation(&a, &b, &x);
        double scale = (double)dry_min(largest(&a), largest(&b));
        double noise = 4e-6 * (double)(largest(&a) + largest(&b)) + 2e-3 * scale;
        if (m.count == 0) {
            /* Boxes without points are beyond the margin, past a corner, or overlap by less than 1e-4. */
            assert_true(truth > -1.1e-4 * (double)dry_min(smallest(&a), smallest(&b)) - 1e-6 * scale);
            apart++;
            continue;
        }
        touching++;
        assert_true(truth < (double)MARGIN + noise);
        /* The chosen axis is as good as the best, up to the preference for faces. */
        double normal[3], ha[3], hb[3], t[3], rotation[3][3];
        to_double(m.normal, normal);
        to_double(a.size, ha);
        to_double(b.size, hb);
        to_double(x.position, t);
        matrix(x.orientation, rotation);
        double along = apart_along(normal, ha, hb, rotation, t);
        assert_true(along <= truth + noise);
        const double better = 0.008 * scale + (PAIR_EDGE_RELATIVE + 2 * PAIR_FACE_RELATIVE) * fabs(along);
        assert_true(along >= truth - better - noise);
        assert_true(dot(normal, t) >= -noise);
        assert_true((double)deepest(&m) >= along - noise);
        /* Edges that pass each other beyond their ends are a little farther apart than along their axis. */
        check_surfaces(&a, &b, &x, &m, noise + (along > 0.0 ? 0.5 : 0.1) * fabs(along));
    }
    assert_true(touching > count / 3 && apart > count / 30);
}

/* Returns an upper bound of the distance, which projecting to and fro between the boxes brings close to it.
 */
static double distance_bound(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a)
{
    double ha[3], hb[3], t[3], m[3][3], p[3] = {0, 0, 0}, q[3], d[3];
    to_double(a->size, ha);
    to_double(b->size, hb);
    to_double(b_in_a->position, t);
    matrix(b_in_a->orientation, m);
    for (int step = 0; step < 400; step++) {
        for (int k = 0; k < 3; k++)
            d[k] = p[k] - t[k];
        for (int k = 0; k < 3; k++)
            q[k] = t[k];
        for (int i = 0; i < 3; i++) {
            double along = fmax(-hb[i], fmin(hb[i], dot(m[i], d)));
            for (int k = 0; k < 3; k++)
                q[k] += along * m[i][k];
        }
        for (int k = 0; k < 3; k++) {
            p[k] = fmax(-ha[k], fmin(ha[k], q[k]));
            d[k] = p[k] - q[k];
        }
    }
    return sqrt(dot(d, d));
}

/* A vertex over a face and crossing edges approach along an axis of the test. Contacts of such pairs within
 * the margin are always found, at the true distance. */
static void boxes_apart_but_near_are_found(void **state)
{
    (void)state;
    random_source r = {12};
    const int count = test_pick(20000, 4000);
    int found = 0, missed = 0;
    for (int n = 0; n < count; n++) {
        dry_geometry a = random_box(&r), b = random_box(&r);
        dry_transform x = near_pose(&r, &a, &b);
        double truth = box_separation(&a, &b, &x), scale = (double)dry_min(largest(&a), largest(&b));
        if (truth < 1e-3 || truth > (double)MARGIN - 1e-3 || distance_bound(&a, &b, &x) > truth + 1e-5)
            continue;
        dry_local_manifold m;
        dry_collide(&a, &b, &x, MARGIN, &m);
        if (m.count > 0) {
            assert_true(fabs((double)deepest(&m) - truth) < 0.012 * scale + 1e-3);
            found++;
        } else if (truth + 0.008 * scale + 1e-3 < (double)MARGIN) {
            missed++;
        }
    }
    /* Parallel edges that pass each other corner to corner are left out until they overlap. */
    assert_true(found > count / 20 && missed * 500 < found);
}

/* A vertex of b well over a's face has the exact depth. */
static void box_vertex_depth_is_exact(void **state)
{
    (void)state;
    random_source r = {2};
    dry_geometry a = box(2, 0.5f, 2), b = box(0.3f, 0.4f, 0.5f);
    for (int n = 0; n < 5000; n++) {
        dry_transform x = {{0, 0, 0}, random_quat(&r)};
        double m[3][3], reach, gap = uniform(&r, -0.05, (double)MARGIN * 0.9);
        matrix(x.orientation, m);
        reach = 0.3 * fabs(m[0][1]) + 0.4 * fabs(m[1][1]) + 0.5 * fabs(m[2][1]);
        const float off_x = (float)uniform(&r, -1, 1), off_z = (float)uniform(&r, -1, 1);
        x.position = vec3(off_x, (float)(0.5 + reach + gap), off_z);
        dry_local_manifold manifold;
        dry_collide(&a, &b, &x, MARGIN, &manifold);
        check_form(&manifold, MARGIN);
        assert_true(manifold.count > 0);
        assert_true(manifold.normal.y > 0.99f);
        assert_true(fabs((double)deepest(&manifold) - gap) < 2e-3);
    }
}

/* Only the relative pose counts: moving both shapes changes nothing but rounding. */
static void motion_of_both_changes_nothing(void **state)
{
    (void)state;
    random_source r = {4};
    const int count = test_pick(20000, 4000);
    int same = 0, all = 0;
    for (int n = 0; n < count; n++) {
        dry_geometry a = random_box(&r), b = random_box(&r);
        dry_transform x = near_pose(&r, &a, &b), moved = {{3, -2, 1}, random_quat(&r)};
        dry_transform world_b = transform_mul(&moved, &x), again = transform_relative(&moved, &world_b);
        dry_local_manifold m, w;
        dry_collide(&a, &b, &x, MARGIN, &m);
        dry_collide(&a, &b, &again, MARGIN, &w);
        bool equal = m.count == w.count && vec3_distance(m.normal, w.normal) < 1e-4f;
        for (int i = 0; equal && i < m.count; i++)
            equal = m.points[i].feature == w.points[i].feature &&
                    vec3_distance(m.points[i].position, w.points[i].position) <
                        1e-3f * (1.0f + largest(&b) + largest(&a));
        same += equal;
        all++;
    }
    assert_true(same > all * 98 / 100); /* the rest: ties broken by rounding */
}

static void box_special_cases(void **state)
{
    (void)state;
    dry_geometry cube = box(0.5f, 0.5f, 0.5f), shell = box(5, 5, 5), plate = box(1, 1e-3f, 1);
    dry_local_manifold m;
    /* crossing edges: one point, halfway between them */
    dry_quat upright = turn(0, 0.7853981633974483), hanging = turn(2, 0.7853981633974483);
    dry_transform wa = pose(0, 0, 0, upright), wb = pose(0, 1.4142135f - 0.01f, 0, hanging);
    dry_transform x = transform_relative(&wa, &wb);
    dry_collide(&cube, &cube, &x, MARGIN, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].separation, -0.01, 1e-5);
    assert_true(vec3_distance(transform_point(&wa, m.points[0].position), vec3(0, 0.7021068f, 0)) < 1e-4f);
    assert_true(vec3_distance(quat_rotate(upright, m.normal), vec3(0, 1, 0)) < 1e-4f);
    /* the same within the margin, and beyond it */
    wb.position.y = 1.4142135f + 0.015f;
    x = transform_relative(&wa, &wb);
    dry_collide(&cube, &cube, &x, MARGIN, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].separation, 0.015, 1e-5);
    dry_collide(&cube, &cube, &x, 0.014f, &m);
    assert_int_equal(m.count, 0);
    /* one inside the other: out by the shortest way */
    x = pose(3, 0, 0, quat_identity());
    dry_collide(&shell, &cube, &x, MARGIN, &m);
    assert_int_equal(m.count, 4);
    assert_float_equal(deepest(&m), -2.5, 1e-5);
    assert_float_equal(m.normal.x, 1.0, 0.0);
    /* the same place */
    x = transform_identity();
    dry_collide(&cube, &cube, &x, MARGIN, &m);
    check_form(&m, MARGIN);
    assert_true(m.count == 4 && dry_abs(deepest(&m) + 1.0f) < 1e-5f);
    /* plates on each other */
    x = pose(0, 0.002f, 0, quat_identity());
    dry_collide(&plate, &plate, &x, MARGIN, &m);
    assert_int_equal(m.count, 4);
    assert_float_equal(m.normal.y, 1.0, 0.0);
    assert_float_equal(deepest(&m), 0.0, 1e-6);
    /* a millionth of the size */
    dry_geometry mountain = box(1e3f, 1e3f, 1e3f), grain = box(1e-3f, 1e-3f, 1e-3f);
    x = pose(0.5f, 1e3f, 0.25f, quat_identity());
    dry_collide(&mountain, &grain, &x, 1e-3f, &m);
    assert_int_equal(m.count, 4);
    assert_float_equal(m.normal.y, 1.0, 0.0);
    assert_true(deepest(&m) <= 0.0f && deepest(&m) > -2e-3f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_against_all_axes),    cmocka_unit_test(boxes_apart_but_near_are_found),
        cmocka_unit_test(box_vertex_depth_is_exact), cmocka_unit_test(motion_of_both_changes_nothing),
        cmocka_unit_test(box_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
