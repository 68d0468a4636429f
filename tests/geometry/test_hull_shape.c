/* Questions about scaled hulls beside closed forms and plain code in double: mass, support, bounds, rays. */
#include "geometry/hull_build.h"
#include "narrowphase/placed.h"
#include "tests/blocks.h"
#include "tests/geometry/hull_clouds.h"

#include <drystone/mesh.h>

static const dry_vec3 one = {1, 1, 1};

static dry_hull *hull_of(const cloud *c)
{
    dry_hull *hull = NULL;
    dry_hull_report report;
    if (dry_hull_build(c->at, c->count, 0, NULL, &hull, &report) != DRY_OK)
        fail_msg("%s: %s", c->name, dry_hull_fault_name(report.fault));
    return hull;
}

/* A hull of one of the kinds of clouds, of any number. */
static dry_hull *draw_hull(int n)
{
    static cloud c;
    cloud_draw(&c, n);
    return hull_of(&c);
}

static dry_vec3 draw_scale(uint64_t *seed)
{
    double s[3];
    for (int k = 0; k < 3; k++)
        s[k] = exp(random_in(seed, log(0.2), log(5))) * (random_below(seed, 2) ? 1 : -1);
    return v3(s[0], s[1], s[2]);
}

static d3 scaled(dry_vec3 p, dry_vec3 s)
{
    return (d3){(double)p.x * s.x, (double)p.y * s.y, (double)p.z * s.z};
}

static d3 vertex_of(const dry_hull *hull, int v, dry_vec3 scale)
{
    return scaled(dry_hull_vertex(hull, v), scale);
}

/* A face as a plane n . p = d in the scaled frame: out of three of its corners, not of the stored normal. */
typedef struct plane {
    d3 n;
    double d;
} plane;

/* The normal sums the cross products of all corners [Newell]; the plane touches the farthest vertex. */
static plane plane_of(const dry_hull *hull, int face, dry_vec3 scale)
{
    d3 sum = {0, 0, 0};
    const int first = dry_hull_firsts(hull)[face];
    const uint8_t *origin = dry_hull_origins(hull);
    const d3 from = vertex_of(hull, origin[first], scale);
    for (int h = dry_hull_nexts(hull)[first]; dry_hull_nexts(hull)[h] != first; h = dry_hull_nexts(hull)[h])
        sum = d3_add(sum, d3_cross(d3_sub(vertex_of(hull, origin[h], scale), from),
                                   d3_sub(vertex_of(hull, origin[dry_hull_nexts(hull)[h]], scale), from)));
    if (scale.x * scale.y * scale.z < 0)
        sum = d3_scale(sum, -1);
    plane p = {d3_unit(sum), -INFINITY};
    for (int v = 0; v < hull->vertex_count; v++)
        p.d = fmax(p.d, d3_dot(p.n, vertex_of(hull, v, scale)));
    return p;
}

/* Solids with closed forms: a box, a tetrahedron, an octahedron, off center and turned. */
static void test_closed_forms(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 1;
    for (int n = 0; n < 300; n++) {
        c.name = "solid", c.count = 0;
        const d3 half = random_d3_in(&seed, 0.1, 3), at = random_d3(&seed, 20);
        const dry_quat q = n % 2 ? random_quat(&seed) : QUAT_IDENTITY;
        const int corners = n % 3 == 0 ? 8 : n % 3 == 1 ? 6 : 4;
        for (int i = 0; i < corners; i++) {
            d3 p = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            if (corners == 6)
                p = (d3){i / 2 == 0 ? p.x : 0, i / 2 == 1 ? p.x : 0, i / 2 == 2 ? p.x : 0};
            if (corners == 4)
                p.z = p.x * p.y;
            cloud_add(&c, d3_add(at, d3_turn(q, (d3){half.x * p.x, half.y * p.y, half.z * p.z})));
        }
        dry_hull *hull = hull_of(&c);
        /* The volume and the second moment about each axis as shares of those of the box around it: of the
         * octahedron the moments are 1/10 of m a^2, of the tetrahedron 1/5, of the box 1/3. */
        const double volume = 8 * half.x * half.y * half.z / (corners == 8 ? 1 : corners == 6 ? 6 : 3);
        const double share = corners == 8 ? 1.0 / 3 : corners == 6 ? 0.1 : 0.2;
        const double square[3] = {half.x * half.x, half.y * half.y, half.z * half.z};
        assert_near(hull->measures.solid.volume, volume, 1e-5 * volume);
        const double *center = hull->measures.solid.center;
        assert_near(center[0], at.x, 1e-5);
        assert_near(center[1], at.y, 1e-5);
        assert_near(center[2], at.z, 1e-5);
        /* R^T I R is diagonal with the moments. */
        for (int k = 0; k < 3; k++) {
            const d3 axis = d3_turn(q, (d3){k == 0, k == 1, k == 2});
            const double a[3] = {axis.x, axis.y, axis.z};
            double moment = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    moment += a[i] * a[j] * hull->measures.solid.inertia.m[i][j];
            const double expected = volume * share * (square[(k + 1) % 3] + square[(k + 2) % 3]);
            assert_near(moment, expected, 2e-5 * expected);
        }
        release_hull(hull, NULL);
    }
}

/* The faces in fans of triangles, as a mesh. */
static dry_mesh_mass mass_as_mesh(const dry_hull *hull, dry_vec3 scale)
{
    static dry_vec3 vertex[DRY_HULL_VERTICES_MAX];
    static int32_t corner[3 * DRY_HULL_FACES_MAX];
    int count = 0;
    const bool mirrored = scale.x * scale.y * scale.z < 0;
    for (int v = 0; v < hull->vertex_count; v++)
        vertex[v] = v3_of(vertex_of(hull, v, scale));
    for (int face = 0; face < hull->face_count; face++) {
        const int first = dry_hull_firsts(hull)[face];
        for (int h = dry_hull_nexts(hull)[first]; dry_hull_nexts(hull)[h] != first;
             h = dry_hull_nexts(hull)[h], count++) {
            const int b = dry_hull_origins(hull)[h];
            const int c = dry_hull_origins(hull)[dry_hull_nexts(hull)[h]];
            corner[3 * count] = dry_hull_origins(hull)[first];
            corner[3 * count + 1] = mirrored ? c : b;
            corner[3 * count + 2] = mirrored ? b : c;
        }
    }
    const dry_mesh mesh = {vertex, corner, hull->vertex_count, count};
    dry_mesh_mass mass;
    dry_mesh_fault fault;
    if (dry_mesh_get_mass(&mesh, 1, NULL, &mass, &fault) != DRY_OK)
        fail_msg("%s, triangle %d", dry_mesh_fault_name(fault.kind), fault.triangle);
    return mass;
}

/* Hulls, scaled and mirrored, have the mass of their tessellation. */
static void test_mass(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < 6 * COUNT_OF(cloud_kinds); n++) {
        const char *name = cloud_kinds[n % COUNT_OF(cloud_kinds)].name;
        if (strcmp(name, "far") == 0 || strcmp(name, "slab") == 0 || strcmp(name, "sized") == 0)
            continue;
        dry_hull *hull = draw_hull(n);
        const dry_vec3 scale = n % 3 ? draw_scale(&seed) : one;
        const dry_mesh_mass mass = mass_as_mesh(hull, scale);
        const dry_solid solid = dry_hull_solid(hull, scale);
        assert_near(solid.volume, mass.volume, 2e-5 * mass.volume);
        const double trace = (double)mass.mass.inertia[0][0] + (double)mass.mass.inertia[1][1] +
                             (double)mass.mass.inertia[2][2];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_near(solid.inertia.m[i][j], (double)mass.mass.inertia[i][j], 1e-5 * trace);
        assert_near(solid.center[0], (double)mass.mass.center.x, 1e-5 * fabs(scale.x));
        assert_near(solid.center[1], (double)mass.mass.center.y, 1e-5 * fabs(scale.y));
        assert_near(solid.center[2], (double)mass.mass.center.z, 1e-5 * fabs(scale.z));
        if (n % 3 == 0)
            for (int k = 0; k < 3; k++)
                assert_near(hull->measures.moments[k], (double)mass.principal[k], 1e-5 * trace);
        release_hull(hull, NULL);
    }
}

/* A vertex is farthest if no other is farther by more than floats can tell. */
static void test_support(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int n = 0; n < 8 * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n);
        for (int i = 0; i < 50; i++) {
            const dry_vec3 scale = i % 2 ? draw_scale(&seed) : one;
            const d3 d = d3_scale(cloud_direction(&seed), random_in(&seed, 0.01, 100));
            const dry_placed placed = {.kind = DRY_PLACED_HULL,
                                       .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       .hull = hull,
                                       .geometry = {.size = scale}};
            int best;
            dry_placed_support(&placed, double3(d.x, d.y, d.z), &best);
            assert_in_range(best, 0, hull->vertex_count - 1);
            double farthest = -INFINITY, size = 0;
            for (int v = 0; v < hull->vertex_count; v++) {
                const d3 p = vertex_of(hull, v, scale);
                farthest = fmax(farthest, d3_dot(d, p));
                size = fmax(size, d3_length(p) * d3_length(d));
            }
            assert_near(d3_dot(d, vertex_of(hull, best, scale)), farthest, 5e-7 * size);
        }
        release_hull(hull, NULL);
    }
}

/* The bounds have the bits of a plain loop over the vertices, and enclose them as tightly as floats can. */
static void test_bounds(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int n = 0; n < 8 * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n);
        for (int i = 0; i < 20; i++) {
            const dry_vec3 scale = i % 2 ? draw_scale(&seed) : one;
            const dry_quat q = i == 0 ? QUAT_IDENTITY : random_quat(&seed);
            dry_vec3 min, max;
            dry_hull_bounds(hull, scale, q, &min, &max);
            d3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
            double size = 0;
            for (int v = 0; v < hull->vertex_count; v++) {
                const d3 p = d3_turn(q, vertex_of(hull, v, scale));
                low = (d3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
                high = (d3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
                size = fmax(size, d3_length(p));
            }
            const float bounds[6] = {min.x, min.y, min.z, max.x, max.y, max.z};
            const double expected[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
            for (int k = 0; k < 6; k++) {
                assert_near(bounds[k], expected[k], 2e-6 * size);
                assert_false(bounds[k] == 0 && signbit(bounds[k]));
            }
        }
        release_hull(hull, NULL);
    }
}

/* Points about a hull: inside if no plane of its corners has it outside. Those within rounding are left out.
 */
static void test_points(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int inside = 0, outside = 0;
    for (int n = 0; n < 5 * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n);
        const dry_vec3 scale = n % 2 ? draw_scale(&seed) : one;
        const double size = (double)hull->measures.radius_about_center * 5;
        const d3 middle =
            scaled(v3(hull->measures.center[0], hull->measures.center[1], hull->measures.center[2]), scale);
        static plane planes[DRY_HULL_FACES_MAX];
        for (int face = 0; face < hull->face_count; face++)
            planes[face] = plane_of(hull, face, scale);
        for (int i = 0; i < 100; i++) {
            const int v = random_below(&seed, hull->vertex_count);
            const d3 toward = d3_sub(vertex_of(hull, v, scale), middle);
            const d3 p = d3_add(middle, d3_add(d3_scale(toward, random_in(&seed, 0, 1.5)),
                                               random_d3(&seed, 0.1 * d3_length(toward))));
            const dry_vec3 point = v3_of(p);
            double farthest = -INFINITY;
            for (int face = 0; face < hull->face_count; face++)
                farthest = fmax(farthest, d3_dot(planes[face].n, d3_of(point)) - planes[face].d);
            /* Faces that are narrow have other normals by their rounded corners: by 1e-5 of the size. */
            const double rounding = 2e-5 * size;
            if (fabs(farthest) < rounding)
                continue;
            assert_int_equal(dry_hull_contains(hull, scale, POINT(point)), farthest < 0);
            inside += farthest < 0;
            outside += farthest > 0;
        }
        release_hull(hull, NULL);
    }
    assert_true(inside > 1000 && outside > 1000);
}

/* Rays at a scaled box, in closed form. */
static void test_box(void **state)
{
    (void)state;
    static cloud c;
    uint64_t seed = 6;
    c.name = "cube", c.count = 0;
    for (int i = 0; i < 8; i++)
        cloud_add(&c, (d3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1});
    dry_hull *hull = hull_of(&c);
    for (int i = 0; i < 2000; i++) {
        const dry_vec3 scale = draw_scale(&seed);
        const double half[3] = {fabs(scale.x), fabs(scale.y), fabs(scale.z)};
        const dry_vec3 point = v3_of(random_d3(&seed, 6));
        const double p[3] = {point.x, point.y, point.z};
        const dry_vec3 way = v3_of(d3_scale(random_d3(&seed, 1), 12));
        const double d[3] = {way.x, way.y, way.z};
        double enter = -INFINITY, leave = INFINITY;
        int axis = 0;
        for (int k = 0; k < 3; k++) {
            const double a = (-half[k] - p[k]) / d[k], b = (half[k] - p[k]) / d[k];
            if (fmin(a, b) > enter)
                enter = fmin(a, b), axis = k;
            leave = fmin(leave, fmax(a, b));
        }
        double fraction = -1;
        dry_vec3 normal = {7, 7, 7};
        const bool hits = dry_hull_cast_ray(hull, scale, POINT(point), POINT(way), &fraction, &normal);
        if (fabs(enter - leave) < 1e-6 || fabs(enter) < 1e-6 || fabs(enter - 1) < 1e-6 || fabs(leave) < 1e-6)
            continue;
        assert_int_equal(hits, enter < leave && leave > 0 && enter < 1);
        if (!hits)
            continue;
        assert_near(fraction, fmax(enter, 0), 1e-6);
        const d3 expected =
            enter < 0 ? d3_scale(d3_unit(d3_of(way)), -1)
                      : (d3){axis == 0 ? (d[0] > 0 ? -1 : 1) : 0, axis == 1 ? (d[1] > 0 ? -1 : 1) : 0,
                             axis == 2 ? (d[2] > 0 ? -1 : 1) : 0};
        assert_near(d3_length(d3_sub(d3_of(normal), expected)), 0, 1e-6);
    }
    release_hull(hull, NULL);
}

/* Rays at hulls of all kinds: they hit where the segment is first within all planes of the corners. */
static void test_rays(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int hits = 0, misses = 0;
    for (int n = 0; n < 5 * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n);
        const dry_vec3 scale = n % 2 ? draw_scale(&seed) : one;
        const double size = (double)hull->measures.radius_about_center * 5;
        const d3 middle =
            scaled(v3(hull->measures.center[0], hull->measures.center[1], hull->measures.center[2]), scale);
        for (int i = 0; i < 60; i++) {
            const dry_vec3 from = v3_of(d3_add(middle, d3_scale(cloud_direction(&seed), 2 * size)));
            const d3 aim = d3_add(
                middle,
                d3_scale(d3_sub(vertex_of(hull, random_below(&seed, hull->vertex_count), scale), middle),
                         random_in(&seed, 0, 1.3)));
            const dry_vec3 way = v3_of(d3_scale(d3_sub(aim, d3_of(from)), 2));
            double enter = -INFINITY, leave = INFINITY, shallow = -INFINITY;
            d3 normal = {0, 0, 0};
            for (int face = 0; face < hull->face_count; face++) {
                const plane p = plane_of(hull, face, scale);
                const double climb = d3_dot(p.n, d3_of(way)), at = (p.d - d3_dot(p.n, d3_of(from))) / climb;
                if (climb < 0 && at > enter)
                    enter = at, normal = p.n, shallow = climb;
                if (climb > 0)
                    leave = fmin(leave, at);
            }
            double fraction = -1;
            dry_vec3 found = {7, 7, 7};
            const bool hit = dry_hull_cast_ray(hull, scale, POINT(from), POINT(way), &fraction, &found);
            /* Near the outline, and at faces almost along the ray, corners' rounding decides. */
            const double steep = -shallow / d3_length(d3_of(way));
            if (fabs(enter - leave) < 1e-3 || steep < 1e-2)
                continue;
            assert_int_equal(hit, enter < leave && leave > 0 && enter < 1);
            hits += hit, misses += !hit;
            if (!hit)
                continue;
            assert_near(fraction, enter, 2e-5 / steep);
            assert_true(d3_dot(d3_of(found), d3_of(way)) < 0);
            assert_near(d3_length(d3_of(found)), 1, 1e-6);
            /* The face may be another at an edge: then its plane is as near there. */
            const d3 at = d3_add(d3_of(from), d3_scale(d3_of(way), fraction));
            double farthest = -INFINITY;
            for (int face = 0; face < hull->face_count; face++) {
                const plane p = plane_of(hull, face, scale);
                farthest = fmax(farthest, d3_dot(p.n, at) - p.d);
            }
            if (d3_dot(normal, d3_of(found)) < 0.999)
                assert_at_most(fabs(farthest), 1e-4 * size + 2e-7 * d3_length(at));
        }
        release_hull(hull, NULL);
    }
    assert_true(hits > 500 && misses > 500);
}

/* A ray of no length hits from inside alone, with a normal all the same. */
static void test_short_rays(void **state)
{
    (void)state;
    dry_hull *hull = draw_hull(1);
    double fraction = -1;
    dry_vec3 normal;
    const dry_vec3 none = {0, 0, 0};
    const dry_vec3 center = {hull->measures.center[0], hull->measures.center[1], hull->measures.center[2]};
    assert_true(dry_hull_cast_ray(hull, one, POINT(center), POINT(none), &fraction, &normal));
    assert_true(fraction == 0);
    assert_near(d3_length(d3_of(normal)), 1, 1e-6);
    assert_false(dry_hull_cast_ray(hull, one, (dry_double3){50, 0, 0}, POINT(none), &fraction, &normal));
    release_hull(hull, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_mass),
        cmocka_unit_test(test_support),      cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_points),       cmocka_unit_test(test_box),
        cmocka_unit_test(test_rays),         cmocka_unit_test(test_short_rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
