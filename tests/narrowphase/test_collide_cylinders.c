/* Cylinders against every convex shape, judged by plain support functions in double.
 *
 * A manifold proves its own separation. Its points on both surfaces lie in the shapes, so the distance is no
 * more than the separation; the shapes' extents along the normal show that it is no less. The depth of an
 * overlap must also be the least one, against directions drawn all around and improved by small steps. */
#include "tests/collide_shapes.h"

#include "geometry/hull.h"
#include "geometry/shape_data.h"
#include "tests/quick.h"

#include <drystone/shape_data.h>
#include <string.h>

enum { HULLS = 6, HULL_POINTS = 24 };

/* A hull, with its vertices: a build may flatten sides that are nearly flat. */
typedef struct cloud {
    dry_vec3 points[HULL_POINTS];
    int count;
    dry_shape_data *data;
} cloud;

static cloud clouds[HULLS];

static int make_clouds(void **state)
{
    (void)state;
    random_source r = {77};
    for (int i = 0; i < HULLS; i++) {
        const int count = 4 + 4 * i;
        for (int k = 0; k < count; k++)
            clouds[i].points[k] = random_vector(&r, 0.7);
        if (dry_hull_create(clouds[i].points, count, 0, NULL, &clouds[i].data, NULL) != DRY_OK)
            return -1;
        const dry_hull *hull = clouds[i].data->form;
        clouds[i].count = hull->vertex_count;
        for (int k = 0; k < clouds[i].count; k++)
            clouds[i].points[k] = dry_hull_vertex(hull, k);
    }
    return 0;
}

static int free_clouds(void **state)
{
    (void)state;
    for (int i = 0; i < HULLS; i++)
        dry_shape_data_release(clouds[i].data);
    return 0;
}

static const cloud *cloud_of(const dry_geometry *g)
{
    for (int i = 0; i < HULLS; i++)
        if (clouds[i].data == g->data)
            return &clouds[i];
    return NULL;
}

/* Returns how far a shape reaches along a direction of its own frame. */
static double reach(const dry_geometry *g, const double d[3])
{
    double h[3];
    to_double(g->size, h);
    if (g->type == DRY_SHAPE_SPHERE)
        return h[0] * sqrt(dot(d, d));
    if (g->type == DRY_SHAPE_CAPSULE)
        return h[0] * sqrt(dot(d, d)) + h[1] * fabs(d[1]);
    if (g->type == DRY_SHAPE_CYLINDER)
        return h[0] * sqrt(d[0] * d[0] + d[2] * d[2]) + h[1] * fabs(d[1]);
    if (g->type == DRY_SHAPE_BOX)
        return h[0] * fabs(d[0]) + h[1] * fabs(d[1]) + h[2] * fabs(d[2]);
    const cloud *c = cloud_of(g);
    double most = -1e300;
    for (int i = 0; i < c->count; i++)
        most = fmax(most, (double)c->points[i].x * h[0] * d[0] + (double)c->points[i].y * h[1] * d[1] +
                              (double)c->points[i].z * h[2] * d[2]);
    return most;
}

/* Returns the separation along a unit direction of a's frame, from a to b. */
static double separation_along(const dry_geometry *a, const dry_geometry *b, const dry_transform *x,
                               const double n[3])
{
    double m[3][3], t[3], back[3];
    matrix(x->orientation, m);
    to_double(x->position, t);
    for (int k = 0; k < 3; k++)
        back[k] = -dot(m[k], n);
    return dot(n, t) - reach(a, n) - reach(b, back);
}

static void step_from(const double n[3], const double d[3], double step, double out[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        out[k] = n[k] + step * d[k];
        square += out[k] * out[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] /= sqrt(square);
}

static void random_direction(random_source *r, double d[3])
{
    do {
        for (int k = 0; k < 3; k++)
            d[k] = uniform(r, -1, 1);
    } while (dot(d, d) > 1.0 || dot(d, d) < 1e-4);
    const double length = sqrt(dot(d, d));
    for (int k = 0; k < 3; k++)
        d[k] /= length;
}

/* Returns the largest separation over directions: drawn ones, then shrinking random steps from the best. */
static double best_separation(const dry_geometry *a, const dry_geometry *b, const dry_transform *x,
                              random_source *r)
{
    double best = -1e300, n[3] = {0, 1, 0};
    for (int i = 0; i < 1500; i++) {
        double d[3];
        random_direction(r, d);
        const double s = separation_along(a, b, x, d);
        if (s > best) {
            best = s;
            memcpy(n, d, sizeof n);
        }
    }
    double step = 0.1;
    for (int i = 0, idle = 0; i < 3000 && step > 1e-7; i++) {
        double d[3], next[3];
        random_direction(r, d);
        step_from(n, d, step, next);
        const double s = separation_along(a, b, x, next);
        if (s > best) {
            best = s;
            memcpy(n, next, sizeof n);
            idle = 0;
        } else if (++idle == 12) {
            step *= 0.6;
            idle = 0;
        }
    }
    return best;
}

/* Returns how far outside of a shape a point of its frame lies, as far as directions around tell. */
static double outside(const dry_geometry *g, const double p[3])
{
    double h[3];
    to_double(g->size, h);
    if (g->type == DRY_SHAPE_CYLINDER)
        return fmax(fabs(p[1]) - h[1], sqrt(p[0] * p[0] + p[2] * p[2]) - h[0]);
    if (g->type != DRY_SHAPE_HULL)
        return signed_distance(g, p);
    double most = -1e300, length = sqrt(dot(p, p)) + 1e-9;
    random_source r = {5};
    for (int i = 0; i < 400; i++) {
        double d[3];
        random_direction(&r, d);
        if (i == 0)
            for (int k = 0; k < 3; k++)
                d[k] = p[k] / length;
        most = fmax(most, dot(d, p) - reach(g, d));
    }
    return most;
}

static double size_of(const dry_geometry *g)
{
    return (double)(g->size.x + g->size.y + g->size.z);
}

typedef struct found {
    int apart, shallow, deep, points[5];
    double worst_distance, worst_depth, worst_surface;
} found;

static void check_points(const dry_geometry *a, const dry_geometry *b, const dry_transform *x,
                         const dry_local_manifold *m, double scale, found *f)
{
    const dry_transform identity = transform_identity();
    for (int i = 0; i < m->count; i++) {
        double p[3], q[3];
        const float half = 0.5f * m->points[i].separation;
        into(&identity, vec3_add_scaled(m->points[i].position, -half, m->normal), p);
        into(x, vec3_add_scaled(m->points[i].position, half, m->normal), q);
        f->worst_surface = fmax(f->worst_surface, fmax(outside(a, p), outside(b, q)) / scale);
    }
}

static void check_pair(const dry_geometry *a, const dry_geometry *b, const dry_transform *x, random_source *r,
                       bool searches, found *f)
{
    const double scale = size_of(a) + size_of(b);
    dry_local_manifold m;
    dry_collide(a, b, x, 1e3f, &m);
    check_form(&m, 1e3f);
    assert_true(m.count > 0);
    f->points[m.count]++;
    double n[3];
    to_double(m.normal, n);
    step_from(n, n, 0.0, n);
    const double claimed = (double)deepest(&m), along = separation_along(a, b, x, n);
    f->worst_distance = fmax(f->worst_distance, fabs(claimed - along) / scale);
    check_points(a, b, x, &m, scale, f);
    if (claimed > 0.0) {
        f->apart++;
        return;
    }
    const bool shallow = claimed > -0.02 * scale;
    *(shallow ? &f->shallow : &f->deep) += 1;
    if (!searches)
        return;
    const double best = best_separation(a, b, x, r);
    if (shallow)
        f->worst_depth = fmax(f->worst_depth, (best - claimed) / scale);
}

static dry_geometry random_cylinder(random_source *r)
{
    const double radius = below(r, 2) ? uniform(r, 0.05, 1) : 0.5;
    const double half = below(r, 2) ? uniform(r, 0.02, 1.5) : below(r, 2) ? 0.5 : 0.01;
    return cylinder(radius, half);
}

static dry_geometry random_partner(random_source *r, dry_shape_type type)
{
    if (type == DRY_SHAPE_SPHERE)
        return sphere((float)uniform(r, 0.02, 1));
    if (type == DRY_SHAPE_CAPSULE)
        return capsule((float)uniform(r, 0.02, 0.5), below(r, 5) ? (float)uniform(r, 0, 1.5) : 0.0f);
    if (type == DRY_SHAPE_CYLINDER)
        return random_cylinder(r);
    if (type == DRY_SHAPE_BOX)
        return random_box(r);
    const float s = (float)uniform(r, 0.3, 1.5);
    dry_geometry g = {{s, below(r, 2) ? s : -0.5f * s, s}, DRY_SHAPE_HULL, clouds[below(r, HULLS)].data};
    return g;
}

static void check_type(dry_shape_type type, int pairs)
{
    random_source r = {100 + (uint64_t)type};
    found f = {0};
    for (int i = 0; i < pairs; i++) {
        const dry_geometry a = random_partner(&r, type), b = random_cylinder(&r);
        dry_transform x = {{0, 0, 0}, awkward_quat(&r)};
        double d[3];
        random_direction(&r, d);
        if (below(&r, 4) == 0)
            d[0] = d[2] = 0.0, d[1] = 1.0;
        /* As far that the shapes are about to touch along the direction. */
        const double touch = -separation_along(&a, &b, &x, d), scale = size_of(&a) + size_of(&b);
        const double at = touch + scale * uniform(&r, -0.03, 0.02);
        x.position = vec3((float)(at * d[0]), (float)(at * d[1]), (float)(at * d[2]));
        check_pair(&a, &b, &x, &r, i % 4 == 0, &f);
    }
    print_message("type %d: %d apart, %d shallow, %d deep; points %d %d %d %d; distance %.2g, depth %.2g, "
                  "surface %.2g of the size\n",
                  (int)type, f.apart, f.shallow, f.deep, f.points[1], f.points[2], f.points[3], f.points[4],
                  f.worst_distance, f.worst_depth, f.worst_surface);
    assert_true(f.apart > pairs / 20 && f.shallow > pairs / 20);
    assert_true(f.worst_distance < 1e-5);
    /* Lines within 3 degrees of parallel touch at both ends of a stretch: off the surface by its square.
     * Edges of hulls are lines, too. */
    const bool has_lines = type != DRY_SHAPE_SPHERE;
    assert_true(f.worst_surface < (has_lines ? 1e-3 : 1e-5));
    assert_true(f.worst_depth < 1e-4);
}

static void against_spheres(void **state)
{
    (void)state;
    check_type(DRY_SHAPE_SPHERE, test_pick(4000, 800));
}

static void against_capsules(void **state)
{
    (void)state;
    check_type(DRY_SHAPE_CAPSULE, test_pick(4000, 800));
}

static void against_cylinders(void **state)
{
    (void)state;
    check_type(DRY_SHAPE_CYLINDER, test_pick(4000, 800));
}

/* Axes almost parallel or almost across each other, and shapes beside, behind and on each other. */
static void cylinders_in_all_attitudes(void **state)
{
    (void)state;
    random_source r = {2};
    found f = {0};
    const int pairs = test_pick(12000, 2000);
    for (int i = 0; i < pairs; i++) {
        const dry_geometry a = random_cylinder(&r), b = below(&r, 3) ? random_cylinder(&r) : a;
        const double nearly = below(&r, 3) ? pow(10.0, uniform(&r, -9, -1)) : 0.0;
        const dry_quat roll = turn(1, uniform(&r, 0, 6.3)), tilt = turn(below(&r, 2) ? 0 : 2, nearly);
        const dry_quat across = below(&r, 2) ? turn(2, 1.5707963267948966) : quat_identity();
        dry_transform x = {{0, 0, 0}, quat_mul(roll, quat_mul(tilt, across))};
        double d[3];
        random_direction(&r, d);
        if (below(&r, 2))
            d[1] = 0.1 * below(&r, 2) * d[1];
        else if (below(&r, 2))
            d[0] = d[2] = 0.0;
        step_from(d, d, 0.0, d);
        const double at = -separation_along(&a, &b, &x, d), scale = size_of(&a) + size_of(&b);
        const double deep = at + scale * uniform(&r, -0.03, 0.02), aside = scale * uniform(&r, 0, 0.3);
        const dry_vec3 way = vec3_scale(vec3((float)d[1], (float)-d[0], (float)d[2]), (float)aside);
        x.position = vec3_add(vec3((float)(deep * d[0]), (float)(deep * d[1]), (float)(deep * d[2])),
                              below(&r, 2) ? way : vec3(0, 0, 0));
        check_pair(&a, &b, &x, &r, i % 4 == 0, &f);
    }
    print_message("attitudes: %d apart, %d shallow, %d deep; distance %.2g, depth %.2g, surface %.2g\n",
                  f.apart, f.shallow, f.deep, f.worst_distance, f.worst_depth, f.worst_surface);
    assert_true(f.apart > pairs / 20 && f.shallow > pairs / 20);
    /* Lines within 3 degrees of parallel are off by more where they are long. */
    assert_true(f.worst_distance < 1e-5 && f.worst_surface < 2e-2 && f.worst_depth < 1e-4);
}

static void against_boxes(void **state)
{
    (void)state;
    check_type(DRY_SHAPE_BOX, test_pick(4000, 800));
}

static void against_hulls(void **state)
{
    (void)state;
    check_type(DRY_SHAPE_HULL, test_pick(2000, 400));
}

/* The lowest point of a cylinder over a half-space, in closed form, and points of the rim. */
static void against_halfspaces(void **state)
{
    (void)state;
    random_source r = {9};
    for (int i = 0; i < 20000; i++) {
        const dry_geometry b = random_cylinder(&r);
        dry_transform x = {{(float)uniform(&r, -9, 9), 0, (float)uniform(&r, -9, 9)}, awkward_quat(&r)};
        x.position.y = (float)uniform(&r, -1, 2) * largest(&b);
        double m[3][3];
        matrix(x.orientation, m);
        const double along = fabs(m[1][1]), across = sqrt(m[0][1] * m[0][1] + m[2][1] * m[2][1]);
        const double low = (double)x.position.y - (double)b.size.y * along - (double)b.size.x * across;
        dry_local_manifold manifold;
        dry_collide(&halfspace, &b, &x, MARGIN, &manifold);
        check_form(&manifold, MARGIN);
        if (fabs(low - (double)MARGIN) < 1e-5)
            continue;
        assert_int_equal(manifold.count > 0, low < (double)MARGIN);
        if (manifold.count == 0) {
            assert_true(fabs((double)manifold.separation_min - low) < 1e-5);
            continue;
        }
        assert_true(fabs((double)deepest(&manifold) - low) < 2e-6 * (1.0 + (double)largest(&b)));
        for (int k = 0; k < manifold.count; k++) {
            double p[3];
            const dry_local_point *point = &manifold.points[k];
            into(&x, vec3_add_scaled(point->position, 0.5f * point->separation, manifold.normal), p);
            assert_true(fabs(sqrt(p[0] * p[0] + p[2] * p[2]) - (double)b.size.x) < 1e-5);
            assert_true(fabs(fabs(p[1]) - (double)b.size.y) < 1e-5);
        }
    }
}

/* The separation changes by no more than one shape moves, through touching and shallow overlap. */
static void is_continuous(void **state)
{
    (void)state;
    random_source r = {31};
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE, DRY_SHAPE_CYLINDER,
                                           DRY_SHAPE_BOX, DRY_SHAPE_HULL};
    double worst = 0.0;
    for (int i = 0; i < test_pick(2000, 200); i++) {
        const dry_geometry a = random_partner(&r, types[i % 5]), b = random_cylinder(&r);
        dry_transform x = {{0, 0, 0}, awkward_quat(&r)};
        double d[3];
        random_direction(&r, d);
        const double touch = -separation_along(&a, &b, &x, d), scale = size_of(&a) + size_of(&b);
        float before = 0.0f;
        for (int k = 0; k < 40; k++) {
            const double at = touch - 1e-3 * scale * k;
            x.position = vec3((float)(at * d[0]), (float)(at * d[1]), (float)(at * d[2]));
            dry_local_manifold m;
            dry_collide(&a, &b, &x, 1e3f, &m);
            const float now = deepest(&m);
            if ((double)now < -0.02 * scale)
                break;
            if (k > 0)
                worst = fmax(worst, fabs((double)(now - before)) / scale - 1e-3);
            before = now;
        }
    }
    print_message("jumps of the separation: %.2g of the size\n", worst);
    /* A face keeps a contact though another direction is better by up to 1e-4. */
    assert_true(worst < 3e-4);
}

static void expect(const dry_geometry *a, const dry_geometry *b, dry_transform x, int count,
                   double separation, bool rolls)
{
    dry_local_manifold m;
    dry_collide(a, b, &x, 0.1f, &m);
    check_form(&m, 0.1f);
    if (m.count != count || m.rolls != rolls || fabs((double)deepest(&m) - separation) > 1e-5)
        print_message("%d points, rolls %d, separation %g, expected %d, %d, %g\n", m.count, m.rolls,
                      (double)deepest(&m), count, rolls, separation);
    assert_int_equal(m.count, count);
    assert_true(fabs((double)deepest(&m) - separation) < 1e-5);
    assert_int_equal(m.rolls, rolls);
}

static void special_cases(void **state)
{
    (void)state;
    const dry_geometry can = cylinder(0.5, 0.5), rod = cylinder(0.1, 1.0), cube = box(1, 1, 1);
    const dry_geometry ball = sphere(0.25f), pill = capsule(0.1f, 0.3f), slab = box(2, 0.5f, 2);
    const dry_quat none = quat_identity(), flat = turn(2, 1.5707963267948966);
    /* Ends on each other: upright, off center, turned; and the smaller one within the larger. */
    expect(&can, &can, pose(0, 0.99f, 0, none), 4, -0.01, false);
    expect(&can, &can, pose(0.3f, 1.01f, 0.1f, turn(1, 1.0)), 4, 0.01, false);
    expect(&can, &rod, pose(0.2f, 1.5f, 0, none), 4, 0.0, false);
    /* Beside each other, crossed, and one on the other's end. */
    expect(&can, &can, pose(0.99f, 0.2f, 0, none), 2, -0.01, true);
    expect(&can, &rod, pose(0.59f, 0.2f, 0, turn(0, 1.0)), 1, -0.01, true);
    expect(&can, &rod, pose(0, 0.6f, 0, flat), 2, 0.0, true);
    /* On a cube: on its end, over an edge of the cube, on its side, across the edge, over a corner. */
    expect(&cube, &can, pose(0, 1.49f, 0, none), 4, -0.01, false);
    expect(&cube, &can, pose(1.0f, 1.49f, 0, none), 4, -0.01, false);
    expect(&cube, &can, pose(0, 1.49f, 0, flat), 2, -0.01, true);
    expect(&cube, &rod, pose(0.8f, 1.09f, 0, flat), 2, -0.01, true);
    expect(&cube, &can, pose(1.0f, 1.49f, 1.0f, none), 4, -0.01, false);
    /* A cube on an end: its face, an edge, a corner. */
    expect(&slab, &can, pose(0, -0.99f, 0, none), 4, -0.01, false);
    expect(&cube, &can, pose(-1.3464823f, -1.3464823f, 0, turn(2, -0.7853981633974483)), 2, -0.01, false);
    const dry_quat diagonal = {0.32505758f, 0.0f, -0.32505758f, 0.88807383f};
    expect(&cube, &can, pose(-1.2829016f, -1.2829016f, -1.2829016f, diagonal), 1, -0.01, false);
    /* Spheres and capsules. */
    expect(&can, &ball, pose(0.1f, 0.74f, 0, none), 1, -0.01, true);
    expect(&can, &ball, pose(0.7f, 0.65f, 0, none), 1, 0.0, true);
    expect(&can, &pill, pose(0, 0.59f, 0, flat), 2, -0.01, true);
    expect(&can, &pill, pose(0.59f, 0, 0, none), 2, -0.01, true);
}

/* Coincident centers, axes through corners, shapes within each other: finite points with their own names. */
static void degenerate_cases(void **state)
{
    (void)state;
    random_source r = {12};
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE, DRY_SHAPE_CYLINDER,
                                           DRY_SHAPE_BOX, DRY_SHAPE_HULL};
    for (int i = 0; i < test_pick(20000, 2000); i++) {
        const dry_geometry a = random_partner(&r, types[i % 5]), b = random_cylinder(&r);
        dry_transform x = {{0, 0, 0}, awkward_quat(&r)};
        const int kind = below(&r, 4);
        if (kind == 1) /* the axis goes through a corner of a box, or along its face */
            x.position = vec3(a.size.x, below(&r, 2) ? a.size.y : 0.0f, a.size.z);
        if (kind == 2)
            x.position = vec3(0, a.size.y + b.size.y, 0);
        if (kind == 3)
            x.position = vec3(1e-7f * (float)below(&r, 3), 0, a.size.x + b.size.x);
        dry_local_manifold m;
        dry_collide(&a, &b, &x, 1e3f, &m);
        check_form(&m, 1e3f);
        assert_true(m.count > 0);
        if (i % 5 == 0 && kind == 0) /* the shortest way out of the middle */
            assert_true(dry_abs(deepest(&m) + dry_min(b.size.x, b.size.y) + a.size.x) < 1e-5f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_spheres),    cmocka_unit_test(against_capsules),
        cmocka_unit_test(against_cylinders),  cmocka_unit_test(cylinders_in_all_attitudes),
        cmocka_unit_test(against_boxes),      cmocka_unit_test(against_hulls),
        cmocka_unit_test(against_halfspaces), cmocka_unit_test(is_continuous),
        cmocka_unit_test(special_cases),      cmocka_unit_test(degenerate_cases),
    };
    return cmocka_run_group_tests(tests, make_clouds, free_clouds);
}
