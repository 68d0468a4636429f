/* Properties that a solver relies on for all shapes: the same contact in either order, features and points
 * that stay while bodies at rest tremble, and finite numbers from the smallest shapes to the largest. */
#include "tests/collide_shapes.h"

/* Checks one contact seen from both sides: opposite normals, the same points in pairs. */
static void order_does_not_matter(void **state)
{
    (void)state;
    random_source r = {3};
    int compared = 0, box_pairs = 0;
    for (int n = 0; n < 60000; n++) {
        int types[2] = {below(&r, 4), below(&r, 3)};
        dry_geometry g[2];
        for (int i = 0; i < 2; i++) {
            float u = (float)uniform(&r, 0.2, 1), v = (float)uniform(&r, 0.2, 1),
                  w = (float)uniform(&r, 0.2, 1);
            g[i] = types[i] == DRY_SHAPE_BOX       ? box(u, v, w)
                   : types[i] == DRY_SHAPE_SPHERE  ? sphere(u)
                   : types[i] == DRY_SHAPE_CAPSULE ? capsule(u, v)
                                                   : halfspace;
        }
        dry_transform x = {{(float)uniform(&r, -2, 2), (float)uniform(&r, -2, 2), (float)uniform(&r, -2, 2)},
                           random_quat(&r)};
        dry_transform identity = transform_identity(), y = transform_relative(&x, &identity);
        dry_local_manifold m, w;
        dry_collide(&g[0], &g[1], &x, MARGIN, &m);
        dry_collide(&g[1], &g[0], &y, MARGIN, &w);
        check_form(&m, MARGIN);
        check_form(&w, MARGIN);
        bool boxes = types[0] == DRY_SHAPE_BOX && types[1] == DRY_SHAPE_BOX;
        if (m.count == 0 || w.count == 0) {
            assert_true(m.count == w.count || deepest(m.count ? &m : &w) > MARGIN - 1e-5f);
            continue;
        }
        dry_vec3 back = vec3_neg(quat_rotate(x.orientation, w.normal));
        bool deep_core = types[0] != DRY_SHAPE_HALFSPACE && deepest(&m) < -0.2f;
        if (vec3_distance(back, m.normal) > 1e-3f) {
            assert_true(boxes || deep_core); /* ties between ways out */
            continue;
        }
        compared++;
        box_pairs += boxes;
        assert_true(dry_abs(deepest(&m) - deepest(&w)) < 1e-3f);
        if (boxes && (m.count != w.count || m.count == 4))
            continue; /* another four of more than four */
        if (m.count != w.count) {
            assert_true(types[0] == DRY_SHAPE_CAPSULE || types[1] == DRY_SHAPE_CAPSULE);
            continue; /* the second point comes and goes at a threshold */
        }
        for (int i = 0; i < m.count; i++) {
            float best = FLT_MAX;
            for (int j = 0; j < w.count; j++)
                best = dry_min(
                    best, vec3_distance(m.points[i].position, transform_point(&x, w.points[j].position)));
            assert_true(best < 2e-3f);
        }
    }
    assert_true(compared > 20000 && box_pairs > 1000);
}

static int find_feature(const dry_local_manifold *m, uint32_t feature)
{
    for (int i = 0; i < m->count; i++)
        if (m->points[i].feature == feature)
            return i;
    return -1;
}

/* Checks that the contact of a's top with b's bottom has exactly the given corners, and keeps its features
 * and places while b trembles. */
static void check_resting(const dry_geometry *a, const dry_geometry *b, const dry_transform *x,
                          float corners[4][2], double tremble)
{
    random_source r = {5};
    dry_local_manifold first, m;
    dry_collide(a, b, x, MARGIN, &first);
    assert_int_equal(first.count, 4);
    assert_true(vec3_distance(first.normal, vec3(0, 1, 0)) < 1e-5f);
    for (int c = 0; c < 4; c++) {
        float best = FLT_MAX;
        for (int i = 0; i < 4; i++) {
            const dry_local_point *point = &first.points[i];
            dry_vec3 corner = vec3(corners[c][0], a->size.y + 0.5f * point->separation, corners[c][1]);
            best = dry_min(best, vec3_distance(point->position, corner));
        }
        assert_true(best < 1e-4f);
    }
    for (int n = 0; n < 2000; n++) {
        dry_transform y = *x;
        float e[6];
        for (int k = 0; k < 6; k++)
            e[k] = (float)(tremble * uniform(&r, -1, 1));
        y.position = vec3_add(y.position, vec3(e[0], e[1], e[2]));
        y.orientation = quat_normalize(quat_mul((dry_quat){e[3], e[4], e[5], 1.0f}, y.orientation));
        dry_collide(a, b, &y, MARGIN, &m);
        check_form(&m, MARGIN);
        assert_int_equal(m.count, 4);
        assert_true(m.normal.y > 0.999f);
        for (int i = 0; i < 4; i++) {
            int j = find_feature(&first, m.points[i].feature);
            assert_true(j >= 0);
            assert_true(vec3_distance(m.points[i].position, first.points[j].position) <
                        40.0f * (float)tremble);
        }
    }
}

static void resting_boxes_keep_their_features(void **state)
{
    (void)state;
    dry_quat none = quat_identity(), quarter = turn(1, 1.5707963267948966);
    dry_geometry cube = box(0.5f, 0.5f, 0.5f), floor_box = box(50, 1, 50), plank = box(2, 0.05f, 0.3f);
    float square[4][2] = {{0.5f, 0.5f}, {-0.5f, 0.5f}, {-0.5f, -0.5f}, {0.5f, -0.5f}};
    float brick[4][2] = {{0.5f, 0.5f}, {0, 0.5f}, {0, -0.5f}, {0.5f, -0.5f}};
    float offset[4][2] = {{0.5f, 0.5f}, {0.2f, 0.5f}, {0.2f, 0.1f}, {0.5f, 0.1f}};
    float across[4][2] = {{0.5f, 0.3f}, {-0.5f, 0.3f}, {-0.5f, -0.3f}, {0.5f, -0.3f}};
    dry_transform x = pose(0, 1, 0, none);
    check_resting(&cube, &cube, &x, square, 1e-6);
    check_resting(&cube, &cube, &x, square, 1e-5);
    x.orientation = quarter;
    check_resting(&cube, &cube, &x, square, 1e-5);
    x = pose(0.5f, 1, 0, none);
    check_resting(&cube, &cube, &x, brick, 1e-5);
    x = pose(0.7f, 1, 0.6f, none);
    check_resting(&cube, &cube, &x, offset, 1e-4);
    x = pose(0, 0.55f, 0, none);
    check_resting(&cube, &plank, &x, across, 1e-5);
    x = pose(0, 0.999f, 0, none); /* already 1 mm deep */
    check_resting(&cube, &cube, &x, square, 1e-5);

    /* On a floor at any rotation about y, tilted by more than rounding, in either order. */
    random_source r = {6};
    for (int n = 0; n < 200; n++) {
        double angle = uniform(&r, 0, 6.28), c = cos(angle), s = sin(angle);
        float corners[4][2];
        for (int i = 0; i < 4; i++) {
            double u = (double)square[i][0], v = (double)square[i][1];
            corners[i][0] = (float)(7 + c * u + s * v);
            corners[i][1] = (float)(-3 - s * u + c * v);
        }
        x = pose(7, 1.5f, -3, turn(1, angle));
        check_resting(&floor_box, &cube, &x, corners, 1e-4);
        dry_transform identity = transform_identity(), y = transform_relative(&x, &identity);
        dry_local_manifold m, w;
        dry_collide(&floor_box, &cube, &x, MARGIN, &m);
        dry_collide(&cube, &floor_box, &y, MARGIN, &w);
        assert_int_equal(w.count, 4);
        for (int i = 0; i < 4; i++) /* the cube's vertex: the low bits one way, the high bits the other */
            assert_true(m.points[i].feature >> 8 != w.points[i].feature >> 8);
    }
}

static void four_of_eight_corners_stay(void **state)
{
    (void)state;
    random_source r = {7};
    dry_geometry cube = box(0.5f, 0.5f, 0.5f);
    /* Eight corners overlap. The contact has four of them, the same each time, spread all round. */
    dry_transform x = pose(0, 1, 0, turn(1, 0.7853981633974483));
    dry_local_manifold first, m;
    dry_collide(&cube, &cube, &x, MARGIN, &first);
    assert_int_equal(first.count, 4);
    dry_vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++)
        sum = vec3_add(sum, first.points[i].position);
    assert_true(dry_abs(sum.x) < 0.1f && dry_abs(sum.z) < 0.1f);
    for (int n = 0; n < 1000; n++) {
        dry_transform y = x;
        const float off_x = (float)uniform(&r, -1e-5, 1e-5), off_y = (float)uniform(&r, -1e-5, 1e-5);
        y.position = vec3_add(x.position, vec3(off_x, off_y, 0));
        dry_collide(&cube, &cube, &y, MARGIN, &m);
        for (int i = 0; i < 4; i++)
            assert_true(find_feature(&first, m.points[i].feature) >= 0);
    }
}

/* A cube leans over one side of the cube below, across whose face it is turned: the overlap has eight
 * corners, and the two at that side are the deepest. Both are points of the contact, at any lean. If one were
 * left out, the cube would tilt towards it, then have its point there and none at the other, and tilt back
 * for ever. */
static void both_corners_of_a_loaded_side_are_points(void **state)
{
    (void)state;
    const dry_geometry cube = box(0.5f, 0.5f, 0.5f);
    random_source r = {8};
    for (int n = 0; n < 1000; n++) {
        const double lean = uniform(&r, 0.003, 0.01), aside = uniform(&r, -0.3, 0.3) * lean;
        const dry_quat tilt = quat_mul(turn(2, aside), turn(0, lean));
        const float off_x = (float)uniform(&r, -0.02, 0.02), off_z = (float)uniform(&r, -0.02, 0.02);
        const dry_transform x = pose(off_x, 1.0f, off_z, quat_mul(tilt, turn(1, uniform(&r, 0.4, 1.1))));
        dry_local_manifold m;
        dry_collide(&cube, &cube, &x, MARGIN, &m);
        int at_side = 0;
        for (int i = 0; i < m.count; i++)
            at_side += m.points[i].position.z > 0.49f && m.points[i].separation < 0.0f;
        assert_int_equal(m.count, 4);
        assert_int_equal(at_side, 2);
    }
}

/* Every pair of types, sizes from 1e-4 to 1e6, far, near, aligned, touching, concentric. */
static void extreme_inputs_stay_finite(void **state)
{
    (void)state;
    random_source r = {10};
    static const float sizes[6] = {1e-4f, 0.1f, 0.5f, 1.0f, 1e3f, 1e6f};
    for (int n = 0; n < 200000; n++) {
        dry_geometry g[2];
        for (int i = 0; i < 2; i++) {
            g[i].type = below(&r, 4);
            float s[3];
            for (int k = 0; k < 3; k++)
                s[k] = below(&r, 3) ? sizes[below(&r, 6)] : (float)pow(10.0, uniform(&r, -4, 6));
            g[i].size = g[i].type == DRY_SHAPE_BOX       ? vec3(s[0], s[1], s[2])
                        : g[i].type == DRY_SHAPE_CAPSULE ? vec3(s[0], below(&r, 4) ? s[1] : 0.0f, 0)
                        : g[i].type == DRY_SHAPE_SPHERE  ? vec3(s[0], 0, 0)
                                                         : vec3(0, 0, 0);
        }
        dry_transform x = {{0, 0, 0}, awkward_quat(&r)};
        float p[3];
        for (int k = 0; k < 3; k++) {
            float reach = vec3_get(g[0].size, k) + vec3_get(g[1].size, k), sign = below(&r, 2) ? 1.0f : -1.0f;
            int how = below(&r, 5);
            p[k] = how == 0   ? 0.0f
                   : how == 1 ? sign * reach
                   : how == 2 ? sign * reach * (float)uniform(&r, 0, 1.01)
                   : how == 3 ? sign * (float)pow(10.0, uniform(&r, -30, 6))
                              : (float)uniform(&r, -1, 1);
            p[k] = dry_clamp(p[k], -1e6f, 1e6f);
        }
        x.position = vec3(p[0], p[1], p[2]);
        dry_local_manifold m;
        float margin = below(&r, 2) ? MARGIN : 0.0f;
        dry_collide(&g[0], &g[1], &x, margin, &m);
        check_form(&m, margin);
        for (int i = 0; i < m.count; i++) /* and not flung away */
            assert_true(vec3_length(m.points[i].position) < 1e7f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(resting_boxes_keep_their_features),
        cmocka_unit_test(four_of_eight_corners_stay),
        cmocka_unit_test(both_corners_of_a_loaded_side_are_points),
        cmocka_unit_test(extreme_inputs_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
