/* Contact generation against independent double precision oracles: the separating axis test by brute force
 * for boxes, nested ternary search of the (convex) distances for round shapes; and what a solver relies
 * on: few points, unique and steady features, points on both surfaces, no dependence on the order. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "narrowphase/collide.h"

#define MARGIN 0.02f

typedef struct random_source {
    uint64_t state;
} random_source;

static double uniform(random_source *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (r->state ^ (r->state >> 29)) * 0x9e3779b97f4a7c15u;
    return low + (high - low) * (double)(x >> 11) / 9007199254740992.0;
}

static int below(random_source *r, int n)
{
    return (int)uniform(r, 0.0, (double)n);
}

static dry_geometry box(float x, float y, float z)
{
    return (dry_geometry){{x, y, z}, DRY_SHAPE_BOX};
}

static dry_geometry sphere(float radius)
{
    return (dry_geometry){{radius, 0.0f, 0.0f}, DRY_SHAPE_SPHERE};
}

static dry_geometry capsule(float radius, float half_length)
{
    return (dry_geometry){{radius, half_length, 0.0f}, DRY_SHAPE_CAPSULE};
}

static const dry_geometry halfspace = {{0.0f, 0.0f, 0.0f}, DRY_SHAPE_HALFSPACE};

static dry_transform pose(float x, float y, float z, dry_quat q)
{
    return (dry_transform){{x, y, z}, q};
}

/* A turn about a coordinate axis. */
static dry_quat turn(int axis, double angle)
{
    float s = (float)sin(0.5 * angle);
    return (dry_quat){axis == 0 ? s : 0.0f, axis == 1 ? s : 0.0f, axis == 2 ? s : 0.0f,
                      (float)cos(0.5 * angle)};
}

static dry_quat random_quat(random_source *r)
{
    dry_quat q = {(float)uniform(r, -1, 1), (float)uniform(r, -1, 1), (float)uniform(r, -1, 1),
                  (float)uniform(r, -1, 1)};
    return quat_length_squared(q) > 1e-3f ? quat_normalize(q) : quat_identity();
}

/* Random, or aligned, or by right or half right angles, each maybe a little off. */
static dry_quat awkward_quat(random_source *r)
{
    static const double angles[5] = {0.0, 1e-6, 1e-3, 0.7853981633974483, 1.5707963267948966};
    if (below(r, 2))
        return random_quat(r);
    return quat_normalize(
        quat_mul(turn(below(r, 3), angles[below(r, 5)]), turn(below(r, 3), angles[below(r, 5)])));
}

/* Columns of a quaternion's matrix in double. */
static void matrix(dry_quat q, double m[3][3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double n = sqrt(x * x + y * y + z * z + w * w);
    x /= n, y /= n, z /= n, w /= n;
    double columns[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; i++)
        m[i / 3][i % 3] = columns[i / 3][i % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void to_double(dry_vec3 v, double out[3])
{
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

/* How far the boxes are apart along a unit axis; negative: the way to move b along it or against it. */
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

static double signed_distance(const dry_geometry *g, const double p[3])
{
    double h[3];
    to_double(g->size, h);
    if (g->type == DRY_SHAPE_HALFSPACE)
        return p[1];
    if (g->type == DRY_SHAPE_BOX) {
        double outside = 0.0, inside = -1e300;
        for (int k = 0; k < 3; k++) {
            double d = fabs(p[k]) - h[k];
            outside += d > 0.0 ? d * d : 0.0;
            inside = fmax(inside, d);
        }
        return inside > 0.0 ? sqrt(outside) : inside;
    }
    double y = p[1] - fmax(-h[1], fmin(h[1], p[1]));
    return sqrt(p[0] * p[0] + y * y + p[2] * p[2]) - h[0];
}

/* The shape's own coordinates of a point of a's frame. */
static void into(const dry_transform *frame, dry_vec3 p, double out[3])
{
    double m[3][3], q[3], t[3];
    matrix(frame->orientation, m);
    to_double(p, q);
    to_double(frame->position, t);
    for (int k = 0; k < 3; k++)
        q[k] -= t[k];
    for (int k = 0; k < 3; k++)
        out[k] = dot(m[k], q);
}

static float deepest(const dry_local_manifold *m)
{
    float s = FLT_MAX;
    for (int i = 0; i < m->count; i++)
        s = dry_min(s, m->points[i].separation);
    return s;
}

/* What holds for every manifold. */
static void check_form(const dry_local_manifold *m, float margin)
{
    assert_in_range(m->count, 0, 4);
    assert_true(vec3_is_finite(m->normal));
    assert_true(dry_abs(vec3_length(m->normal) - 1.0f) < 1e-5f);
    for (int i = 0; i < m->count; i++) {
        assert_true(vec3_is_finite(m->points[i].position));
        assert_true(m->points[i].separation <= margin); /* not NaN either */
        assert_true(m->points[i].separation > -FLT_MAX);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(m->points[i].feature, m->points[j].feature);
    }
}

/* Both surface points of each contact lie on or in their shapes. */
static void check_surfaces(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                           const dry_local_manifold *m, double tolerance)
{
    dry_transform identity = transform_identity();
    for (int i = 0; i < m->count; i++) {
        double p[3], half = 0.5 * (double)m->points[i].separation;
        into(&identity, vec3_add_scaled(m->points[i].position, (float)-half, m->normal), p);
        assert_true(signed_distance(a, p) <= tolerance);
        into(b_in_a, vec3_add_scaled(m->points[i].position, (float)half, m->normal), p);
        assert_true(signed_distance(b, p) <= tolerance);
    }
}

static float largest(const dry_geometry *g)
{
    return dry_max(g->size.x, dry_max(g->size.y, g->size.z));
}

static float smallest(const dry_geometry *g)
{
    return dry_min(g->size.x, dry_min(g->size.y, g->size.z));
}

static dry_geometry random_box(random_source *r)
{
    static const float flat[4] = {1.0f, 0.5f, 0.05f, 1.0f};
    float scale = below(r, 2) ? 0.5f : (float)pow(10.0, uniform(r, -1, 1));
    if (below(r, 3) == 0)
        return box(scale, scale, scale);
    return box(scale * flat[below(r, 4)], scale * (float)uniform(r, 0.1, 1.0), scale * flat[below(r, 4)]);
}

/* Near touching: b pulled in from a random side until the boxes are `gap` apart (or deep inside). */
static dry_transform near_pose(random_source *r, const dry_geometry *a, const dry_geometry *b)
{
    dry_transform x = {{0, 0, 0}, awkward_quat(r)};
    dry_vec3 d = vec3((float)uniform(r, -1, 1), (float)uniform(r, -1, 1), (float)uniform(r, -1, 1));
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
    int touching = 0, apart = 0;
    for (int n = 0; n < 60000; n++) {
        dry_geometry a = random_box(&r), b = below(&r, 4) ? random_box(&r) : a;
        dry_transform x = near_pose(&r, &a, &b);
        dry_local_manifold m;
        dry_collide(&a, &b, &x, MARGIN, &m);
        check_form(&m, MARGIN);
        double truth = box_separation(&a, &b, &x);
        double scale = (double)dry_min(largest(&a), largest(&b));
        double noise = 4e-6 * (double)(largest(&a) + largest(&b)) + 2e-3 * scale;
        if (m.count == 0) {
            /* Only beyond the margin, past a corner, or side by side along less than 1e-4. */
            assert_true(truth > -1.1e-4 * (double)dry_min(smallest(&a), smallest(&b)) - 1e-6 * scale);
            apart++;
            continue;
        }
        touching++;
        assert_true(truth < (double)MARGIN + noise);
        /* The chosen axis is as good as the best but for the preference for faces. */
        double normal[3], ha[3], hb[3], t[3], rotation[3][3];
        to_double(m.normal, normal);
        to_double(a.size, ha);
        to_double(b.size, hb);
        to_double(x.position, t);
        matrix(x.orientation, rotation);
        double along = apart_along(normal, ha, hb, rotation, t);
        assert_true(along <= truth + noise);
        assert_true(along >= truth - (0.008 * scale + 0.09 * fabs(along)) - noise);
        assert_true(dot(normal, t) >= -noise);
        assert_true((double)deepest(&m) >= along - noise);
        /* Edges that pass each other beyond their ends are a little further apart than along their axis. */
        check_surfaces(&a, &b, &x, &m, noise + (along > 0.0 ? 0.5 : 0.1) * fabs(along));
    }
    assert_true(touching > 20000 && apart > 2000);
}

/* An upper bound that approaches the distance: project to and fro between the boxes. */
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

/* Where an axis of the test is the true direction of nearest approach (a vertex over a face, crossing edges),
 * a contact within the margin is always found, at the true distance. */
static void boxes_apart_but_near_are_found(void **state)
{
    (void)state;
    random_source r = {12};
    int found = 0, missed = 0;
    for (int n = 0; n < 20000; n++) {
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
    assert_true(found > 1000 && missed * 500 < found);
}

/* A vertex of b well over a's face, low enough: its depth is the exact one. */
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
        x.position = vec3((float)uniform(&r, -1, 1), (float)(0.5 + reach + gap), (float)uniform(&r, -1, 1));
        dry_local_manifold manifold;
        dry_collide(&a, &b, &x, MARGIN, &manifold);
        check_form(&manifold, MARGIN);
        assert_true(manifold.count > 0);
        assert_true(manifold.normal.y > 0.99f);
        assert_true(fabs((double)deepest(&manifold) - gap) < 2e-3);
    }
}

/* Same contact from the other side: normals opposite, the same points in pairs. */
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

/* The relative pose is all that counts: moving both shapes changes nothing but rounding. */
static void motion_of_both_changes_nothing(void **state)
{
    (void)state;
    random_source r = {4};
    int same = 0, all = 0;
    for (int n = 0; n < 20000; n++) {
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

static int find_feature(const dry_local_manifold *m, uint32_t feature)
{
    for (int i = 0; i < m->count; i++)
        if (m->points[i].feature == feature)
            return i;
    return -1;
}

/* The contact of a's top with b's bottom has exactly the given corners, and keeps its features and places
 * while b trembles. */
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
    dry_quat none = quat_identity(), quarter = turn(1, 1.5707963267948966),
             eighth = turn(1, 0.7853981633974483);
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

    /* On a floor at any turn, tilted by more than rounding, in either order. */
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

    /* Eight corners overlap: four of them, the same ones each time, spread all round. */
    x = pose(0, 1, 0, eighth);
    dry_local_manifold first, m;
    dry_collide(&cube, &cube, &x, MARGIN, &first);
    assert_int_equal(first.count, 4);
    dry_vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++)
        sum = vec3_add(sum, first.points[i].position);
    assert_true(dry_abs(sum.x) < 0.1f && dry_abs(sum.z) < 0.1f);
    for (int n = 0; n < 1000; n++) {
        dry_transform y = x;
        y.position =
            vec3_add(x.position, vec3((float)uniform(&r, -1e-5, 1e-5), (float)uniform(&r, -1e-5, 1e-5), 0));
        dry_collide(&cube, &cube, &y, MARGIN, &m);
        for (int i = 0; i < 4; i++)
            assert_true(find_feature(&first, m.points[i].feature) >= 0);
    }
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
    assert_false(dry_overlap_shapes(&cube, &cube, &x));
    dry_collide(&cube, &cube, &x, 0.014f, &m);
    assert_int_equal(m.count, 0);
    /* one inside the other: out by the shortest way */
    x = pose(3, 0, 0, quat_identity());
    dry_collide(&shell, &cube, &x, MARGIN, &m);
    assert_int_equal(m.count, 4);
    assert_float_equal(deepest(&m), -2.5, 1e-5);
    assert_float_equal(m.normal.x, 1.0, 0.0);
    assert_true(dry_overlap_shapes(&shell, &cube, &x));
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

/* Least of a convex function on [-1, 1]. */
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

/* The cores' true distance; 0 if they overlap. */
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

/* How far a segment's and a box's cores overlap at least, over face axes and axes across edge and segment. */
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
            /* Moved out by the depth of the deepest point (and what the preference may cost), it is out. */
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
    /* centre inside a box: the nearest face */
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
    /* side by side, and crossing */
    x = pose(0.45f, 0.3f, 0, none);
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
    x = pose(0, 1.49f, 0, none);
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
    assert_false(dry_overlap_shapes(&halfspace, &ball, &x));
    dry_collide(&halfspace, &halfspace, &x, MARGIN, &m);
    assert_int_equal(m.count, 0);
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
        cmocka_unit_test(boxes_against_all_axes),
        cmocka_unit_test(boxes_apart_but_near_are_found),
        cmocka_unit_test(box_vertex_depth_is_exact),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(motion_of_both_changes_nothing),
        cmocka_unit_test(resting_boxes_keep_their_features),
        cmocka_unit_test(box_special_cases),
        cmocka_unit_test(round_shapes_against_distances),
        cmocka_unit_test(round_special_cases),
        cmocka_unit_test(halfspaces),
        cmocka_unit_test(extreme_inputs_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
