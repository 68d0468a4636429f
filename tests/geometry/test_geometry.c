/* Shapes by themselves: mass properties against closed forms and sampling, bounds against sampled surface
 * points, rays against marching along them. */
#include "geometry/geometry.h"
#include "tests/collide_shapes.h"

static bool cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 way, float *fraction,
                     dry_vec3 *normal)
{
    int child;
    return dry_geometry_cast_ray(geometry, origin, way, fraction, normal, &child);
}

static dry_geometry random_geometry(random_source *r, int type)
{
    float x = (float)uniform(r, 0.1, 2), y = (float)uniform(r, 0.1, 2), z = (float)uniform(r, 0.1, 2);
    return type == DRY_SHAPE_BOX        ? box(x, y, z)
           : type == DRY_SHAPE_SPHERE   ? sphere(x)
           : type == DRY_SHAPE_CAPSULE  ? capsule(x, y)
           : type == DRY_SHAPE_CYLINDER ? cylinder(x, y)
                                        : halfspace;
}

static void closed_forms(void **state)
{
    (void)state;
    dry_geometry b = box(0.5f, 1.0f, 1.5f), s = sphere(2.0f), c = capsule(0.5f, 1.0f),
                 rod = capsule(1e-3f, 100.0f);
    dry_geometry ball = capsule(2.0f, 0.0f), h = halfspace;
    assert_float_equal(dry_geometry_mass(&b).volume, 6.0, 1e-12);
    assert_float_equal(dry_geometry_mass(&s).volume, 33.510321638291124, 1e-9);
    assert_float_equal(dry_geometry_mass(&c).volume, 2.0943951023931953, 1e-12);
    assert_float_equal(dry_geometry_mass(&ball).volume, dry_geometry_mass(&s).volume, 1e-9);
    assert_float_equal(dry_geometry_mass(&h).volume, 0.0, 0.0);

    dry_vec3 i = dry_geometry_mass(&b).unit_inertia; /* (b^2 + c^2) / 12 of the full sides 1, 2, 3 */
    assert_float_equal(i.x, 13.0 / 12.0, 1e-6);
    assert_float_equal(i.y, 10.0 / 12.0, 1e-6);
    assert_float_equal(i.z, 5.0 / 12.0, 1e-6);
    i = dry_geometry_mass(&s).unit_inertia;
    assert_float_equal(i.x, 1.6, 1e-6);
    dry_vec3 j = dry_geometry_mass(&ball).unit_inertia;
    assert_float_equal(j.x, i.x, 1e-6);
    assert_float_equal(j.y, i.y, 1e-6);
    i = dry_geometry_mass(&rod).unit_inertia; /* a thin rod: L^2 / 12 */
    assert_float_equal(i.x, 200.0 * 200.0 / 12.0, 1.0);
    assert_float_equal(i.y, 0.5e-6, 1e-9);

    assert_true(dry_geometry_radius(&b) >= 1.8708287f && dry_geometry_radius(&b) < 1.87084f);
    assert_float_equal(dry_geometry_radius(&s), 2.0, 0.0);
    assert_float_equal(dry_geometry_radius(&c), 1.5, 1e-5);
    assert_true(dry_geometry_radius(&h) > 1e9f);
}

/* Midpoint rule over a grid in the bounding box. */
static void moments_against_a_grid(void **state)
{
    (void)state;
    dry_geometry shapes[4] = {box(0.3f, 0.7f, 1.1f), sphere(0.9f), capsule(0.4f, 0.8f), cylinder(0.7f, 0.3f)};
    for (int n = 0; n < 4; n++) {
        double e[3];
        dry_vec3 extents = dry_geometry_bounds(&shapes[n], quat_identity()).high;
        e[0] = (double)extents.x;
        e[1] = (double)extents.y;
        e[2] = (double)extents.z;
        enum { CELLS = 120 };
        double cell = 8.0 * e[0] * e[1] * e[2] / ((double)CELLS * CELLS * CELLS);
        double volume = 0.0, m[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < CELLS * CELLS * CELLS; i++) {
            double p[3] = {e[0] * ((i % CELLS + 0.5) * 2.0 / CELLS - 1.0),
                           e[1] * ((i / CELLS % CELLS + 0.5) * 2.0 / CELLS - 1.0),
                           e[2] * ((i / CELLS / CELLS + 0.5) * 2.0 / CELLS - 1.0)};
            if (signed_distance(&shapes[n], p) > 0.0)
                continue;
            volume += cell;
            m[0] += cell * (p[1] * p[1] + p[2] * p[2]);
            m[1] += cell * (p[0] * p[0] + p[2] * p[2]);
            m[2] += cell * (p[0] * p[0] + p[1] * p[1]);
        }
        dry_vec3 inertia = dry_geometry_mass(&shapes[n]).unit_inertia;
        assert_float_equal(dry_geometry_mass(&shapes[n]).volume / volume, 1.0, 3e-3);
        assert_float_equal((double)inertia.x / (m[0] / volume), 1.0, 3e-3);
        assert_float_equal((double)inertia.y / (m[1] / volume), 1.0, 3e-3);
        assert_float_equal((double)inertia.z / (m[2] / volume), 1.0, 3e-3);
    }
}

/* The exact half extent is the support function: box sum |axis| h, capsule |axis| L + r, cylinder |axis| L +
 * r times the sine of the angle to the axis. */
static void extents_hold_the_shape_tightly(void **state)
{
    (void)state;
    random_source r = {7};
    for (int n = 0; n < 30000; n++) {
        int type = n % 4 == 3 ? DRY_SHAPE_CYLINDER : n % 4;
        dry_geometry g = random_geometry(&r, type);
        double scale = pow(10.0, uniform(&r, -3, 5));
        g.size = vec3_scale(g.size, (float)scale);
        dry_quat q = n % 5 ? random_quat(&r) : quat_identity();
        dry_vec3 e = dry_geometry_bounds(&g, q).high;
        double got[3] = {(double)e.x, (double)e.y, (double)e.z}, exact[3] = {0, 0, 0};
        double h[3] = {(double)g.size.x, (double)g.size.y, (double)g.size.z};
        for (int k = 0; k < 3; k++) {
            if (type == DRY_SHAPE_SPHERE || (type != DRY_SHAPE_BOX && k != 1))
                continue;
            double axes[3][3], turned[3];
            matrix(q, axes);
            for (int i = 0; i < 3; i++)
                turned[i] = h[k] * axes[k][i];
            for (int i = 0; i < 3; i++)
                exact[i] += fabs(turned[i]);
            for (int i = 0; i < 3 && type == DRY_SHAPE_CYLINDER; i++)
                exact[i] += h[0] * sqrt(fmax(1.0 - turned[i] * turned[i] / (h[1] * h[1]), 0.0));
        }
        double radius = (double)dry_geometry_radius(&g), length = 0.0;
        for (int i = 0; i < 3; i++) {
            exact[i] += type == DRY_SHAPE_BOX || type == DRY_SHAPE_CYLINDER ? 0.0 : h[0];
            assert_true(got[i] >= exact[i]);
            const double slack = type == DRY_SHAPE_CYLINDER ? 1.1e-3 : 1e-5;
            assert_true(got[i] <= exact[i] + slack * (h[0] + h[1] + h[2]));
            length += h[i] * h[i];
        }
        double exact_radius =
            type == DRY_SHAPE_BOX || type == DRY_SHAPE_CYLINDER ? sqrt(length) : h[0] + h[1];
        assert_true(radius >= exact_radius && radius <= exact_radius * 1.00001);
    }
    dry_geometry h = halfspace;
    dry_vec3 e = dry_geometry_bounds(&h, random_quat(&r)).high;
    assert_true(e.x > 1e9f && e.y > 1e9f && e.z > 1e9f && vec3_is_finite(e));
}

/* Sphere tracing: step by the distance, which never passes through the surface. */
static void rays_against_marching(void **state)
{
    (void)state;
    random_source r = {11};
    int hits = 0, misses = 0;
    for (int n = 0; n < 40000; n++) {
        dry_geometry g = random_geometry(&r, n % 5);
        dry_vec3 o = random_vector(&r, 4), d = random_vector(&r, 8);
        if (n % 7 == 0)
            d.x = 0.0f;
        if (n % 11 == 0)
            d.z = 0.0f;
        double p[3], length = (double)vec3_length(d), s = 0.0, distance = 1.0;
        for (int step = 0; step < 4000 && s <= length; step++) {
            p[0] = (double)o.x + s / length * (double)d.x;
            p[1] = (double)o.y + s / length * (double)d.y;
            p[2] = (double)o.z + s / length * (double)d.z;
            distance = signed_distance(&g, p);
            if (distance < 1e-7)
                break;
            s += distance;
        }
        bool expected = distance < 1e-7;
        float fraction = -1.0f;
        dry_vec3 normal = vec3(0, 0, 0);
        bool hit = cast_ray(&g, o, d, &fraction, &normal);
        if (!expected && distance < 1e-4)
            continue; /* grazing: marching did not decide */
        assert_int_equal(hit, expected);
        hits += hit;
        misses += !hit;
        if (!hit)
            continue;
        assert_float_equal(vec3_length(normal), 1.0, 1e-5);
        assert_true(fraction >= 0.0f && fraction <= 1.0f);
        if (s == 0.0) {
            assert_float_equal(fraction, 0.0, 0.0);
            assert_float_equal(vec3_dot(normal, d) / length, -1.0, 1e-5);
            continue;
        }
        double q[3], off = 0.0;
        for (int k = 0; k < 3; k++)
            q[k] = (double)vec3_get(o, k) + (double)fraction * (double)vec3_get(d, k);
        assert_float_equal(signed_distance(&g, q), 0.0, 1e-5);
        /* Grazing rays may differ along the surface, never in depth. */
        assert_true((double)fraction <= s / length + 1e-4);
        assert_true(vec3_dot(normal, d) <= 1e-6f);
        /* The normal is the distance's gradient just outside. */
        for (int k = 0; k < 3; k++)
            q[k] += 1e-3 * (double)vec3_get(normal, k);
        off = signed_distance(&g, q);
        assert_float_equal(off, 1e-3, 2e-5);
    }
    assert_true(hits > 5000 && misses > 5000);
}

static void ray_special_cases(void **state)
{
    (void)state;
    float fraction;
    dry_vec3 normal;
    dry_geometry b = box(1, 1, 1), s = sphere(1e-2f), h = halfspace, c = capsule(1, 2);
    /* no length: only the start counts */
    assert_true(cast_ray(&b, vec3(0, 0, 0), vec3(0, 0, 0), &fraction, &normal));
    assert_float_equal(vec3_length(normal), 1.0, 1e-6);
    assert_false(cast_ray(&b, vec3(0, 2, 0), vec3(0, 0, 0), &fraction, &normal));
    /* too short */
    assert_false(cast_ray(&b, vec3(0, 3, 0), vec3(0, -1.9f, 0), &fraction, &normal));
    assert_true(cast_ray(&b, vec3(0, 3, 0), vec3(0, -2.1f, 0), &fraction, &normal));
    assert_float_equal(fraction, 2.0 / 2.1, 1e-6);
    assert_float_equal(normal.y, 1.0, 0.0);
    /* along a face, away, from far */
    assert_true(cast_ray(&b, vec3(-5, 1, 0), vec3(10, 0, 0), &fraction, &normal));
    assert_float_equal(normal.x, -1.0, 0.0);
    assert_false(cast_ray(&b, vec3(-5, 0, 0), vec3(-10, 0, 0), &fraction, &normal));
    assert_true(cast_ray(&s, vec3(1e6f, 0, 0), vec3(-2e6f, 0, 0), &fraction, &normal));
    assert_float_equal(fraction, 0.5, 1e-6);
    assert_false(cast_ray(&s, vec3(1e6f, 0.02f, 0), vec3(-2e6f, 0, 0), &fraction, &normal));
    /* along the capsule's axis, against its cap */
    assert_true(cast_ray(&c, vec3(0, 5, 0), vec3(0, -4, 0), &fraction, &normal));
    assert_float_equal(fraction, 0.5, 1e-6);
    assert_float_equal(normal.y, 1.0, 1e-6);
    /* from below a half-space's surface, and away from it */
    assert_true(cast_ray(&h, vec3(0, -1, 0), vec3(0, 2, 0), &fraction, &normal));
    assert_float_equal(fraction, 0.0, 0.0);
    assert_float_equal(normal.y, -1.0, 0.0);
    assert_false(cast_ray(&h, vec3(0, 1, 0), vec3(5, 0, 0), &fraction, &normal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(moments_against_a_grid),
        cmocka_unit_test(extents_hold_the_shape_tightly),
        cmocka_unit_test(rays_against_marching),
        cmocka_unit_test(ray_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
