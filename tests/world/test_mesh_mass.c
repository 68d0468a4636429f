/* Mass properties of solids that meshes bound, beside closed forms, and meshes that bound none. */
#include "tests/counting_allocator.h"
#include "tests/test_world.h"

#include <drystone/mesh.h>

enum { MOST = 4096 };

typedef struct solid {
    dry_vec3 vertex[MOST];
    int32_t corner[3 * MOST];
    int vertices, triangles;
} solid;

static int add_vertex(solid *s, double x, double y, double z)
{
    assert_true(s->vertices < MOST);
    s->vertex[s->vertices] = (dry_vec3){(float)x, (float)y, (float)z};
    return s->vertices++;
}

static void add_triangle(solid *s, int a, int b, int c)
{
    assert_true(s->triangles < MOST);
    int32_t *corner = &s->corner[3 * s->triangles++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

/* Turns each triangle of a convex solid around its middle outward. */
static void face_outward(solid *s, int first, d3 middle)
{
    for (int t = first; t < s->triangles; t++) {
        int32_t *c = &s->corner[3 * t];
        d3 at[3];
        for (int i = 0; i < 3; i++)
            at[i] = d3_sub(d3_of(s->vertex[c[i]]), middle);
        if (d3_dot(at[0], d3_cross(at[1], at[2])) < 0) {
            const int32_t other = c[1];
            c[1] = c[2], c[2] = other;
        }
    }
}

/* Adds a box; `inward`: as the surface of a cavity. */
static void add_box_of(solid *s, d3 middle, d3 half, bool inward)
{
    const int first = s->vertices, triangle = s->triangles;
    for (int i = 0; i < 8; i++)
        add_vertex(s, middle.x + (i & 1 ? half.x : -half.x), middle.y + (i & 2 ? half.y : -half.y),
                   middle.z + (i & 4 ? half.z : -half.z));
    static const int sides[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (int k = 0; k < 6; k++) {
        add_triangle(s, first + sides[k][0], first + sides[k][1], first + sides[k][2]);
        add_triangle(s, first + sides[k][0], first + sides[k][2], first + sides[k][3]);
    }
    face_outward(s, triangle, middle);
    for (int t = triangle; inward && t < s->triangles; t++) {
        const int32_t other = s->corner[3 * t];
        s->corner[3 * t] = s->corner[3 * t + 1], s->corner[3 * t + 1] = other;
    }
}

static dry_result mesh_mass(const solid *s, double density, dry_mesh_mass *mass, dry_mesh_fault *fault)
{
    const dry_mesh mesh = {s->vertex, s->corner, s->vertices, s->triangles};
    return dry_mesh_get_mass(&mesh, (float)density, NULL, mass, fault);
}

static dry_mesh_mass sound_mass_of(const solid *s, double density)
{
    dry_mesh_mass mass;
    dry_mesh_fault fault;
    assert_int_equal(mesh_mass(s, density, &mass, &fault), DRY_OK);
    assert_int_equal(fault.kind, DRY_MESH_SOUND);
    assert_int_equal(fault.triangle, -1);
    return mass;
}

static void assert_share(double measured, double expected, double share)
{
    if (!(fabs(measured - expected) <= share * fabs(expected)))
        fail_msg("%.9g is not %.9g", measured, expected);
}

/* A tensor with these elements, within 1e-6 of its trace. */
static void assert_tensor(float m[3][3], double expected[3][3])
{
    const double trace = expected[0][0] + expected[1][1] + expected[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs((double)m[i][j] - expected[i][j]) <= 1e-6 * trace);
}

static void test_boxes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < 100; n++) {
        solid s = {0};
        const d3 half = {random_in(&seed, 0.01, 10), random_in(&seed, 0.01, 10), random_in(&seed, 0.01, 10)};
        add_box_of(&s, (d3){0, 0, 0}, half, false);
        const double m = 700 * 8 * half.x * half.y * half.z;
        dry_mesh_mass mass = sound_mass_of(&s, 700);
        assert_share(mass.volume, m / 700, 1e-6);
        assert_share((double)mass.mass.mass, m, 1e-6);
        const double x2 = half.x * half.x, y2 = half.y * half.y, z2 = half.z * half.z;
        double expected[3][3] = {
            {m * (y2 + z2) / 3, 0, 0}, {0, m * (x2 + z2) / 3, 0}, {0, 0, m * (x2 + y2) / 3}};
        assert_tensor(mass.mass.inertia, expected);
        for (int i = 0; i < 3; i++)
            assert_share((double)mass.principal[i], expected[i][i], 1e-6);
        assert_near(mass.mass.center.x, 0, 1e-6 * half.x);
    }
}

/* Regular solids of edge a have one moment about every axis: of the tetrahedron m a^2 / 20, of the octahedron
 * m a^2 / 10, of the icosahedron m a^2 phi^2 / 10. */
static void test_regular_solids(void **state)
{
    (void)state;
    const double phi = 0.5 * (1 + sqrt(5.0));
    solid tetrahedron = {0}, octahedron = {0}, icosahedron = {0};
    for (int i = 0; i < 4; i++)
        add_vertex(&tetrahedron, i & 1 ? 1 : -1, i & 2 ? 1 : -1, (i == 0 || i == 3) ? 1 : -1);
    for (int i = 0; i < 4; i++)
        add_triangle(&tetrahedron, i, (i + 1) % 4, (i + 2) % 4);
    for (int i = 0; i < 6; i++)
        add_vertex(&octahedron,
                   i == 0   ? 1
                   : i == 1 ? -1
                            : 0,
                   i == 2   ? 1
                   : i == 3 ? -1
                            : 0,
                   i == 4   ? 1
                   : i == 5 ? -1
                            : 0);
    for (int i = 0; i < 8; i++)
        add_triangle(&octahedron, i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2 & 1));
    for (int i = 0; i < 12; i++) {
        const double one = i & 1 ? 1 : -1, two = i & 2 ? phi : -phi;
        const double at[5] = {0, one, two, 0, one};
        add_vertex(&icosahedron, at[i / 4], at[i / 4 + 1], at[i / 4 + 2]);
    }
    for (int a = 0; a < 12; a++)
        for (int b = a + 1; b < 12; b++)
            for (int c = b + 1; c < 12; c++) {
                const d3 p = d3_of(icosahedron.vertex[a]), q = d3_of(icosahedron.vertex[b]),
                         r = d3_of(icosahedron.vertex[c]);
                if (fabs(d3_length(d3_sub(p, q)) - 2) < 1e-5 && fabs(d3_length(d3_sub(q, r)) - 2) < 1e-5 &&
                    fabs(d3_length(d3_sub(r, p)) - 2) < 1e-5)
                    add_triangle(&icosahedron, a, b, c);
            }
    assert_int_equal(icosahedron.triangles, 20);
    const struct {
        solid *s;
        double edge, volume, moment;
    } known[] = {
        {&tetrahedron, sqrt(8.0), 8.0 / 3, 1.0 / 20},
        {&octahedron, sqrt(2.0), 4.0 / 3, 1.0 / 10},
        {&icosahedron, 2, 10 * (3 + sqrt(5.0)) / 3, phi * phi / 10},
    };
    for (int k = 0; k < COUNT_OF(known); k++) {
        face_outward(known[k].s, 0, (d3){0, 0, 0});
        dry_mesh_mass mass = sound_mass_of(known[k].s, 1);
        const double moment = known[k].moment * known[k].volume * known[k].edge * known[k].edge;
        double expected[3][3] = {{moment, 0, 0}, {0, moment, 0}, {0, 0, moment}};
        assert_share(mass.volume, known[k].volume, 1e-6);
        assert_tensor(mass.mass.inertia, expected);
    }
}

/* A box with a cavity and a box in the cavity: sums of boxes, each with its share of the parallel axes. The
 * same far from the origin, where floats have fewer digits. */
static void test_parts_and_cavities(void **state)
{
    (void)state;
    const struct {
        d3 at, half;
        double sign;
    } box[] = {{{0, 0, 0}, {4, 2, 2}, 1},
               {{1, 0.5, 0}, {2, 1, 1}, -1},
               {{1.5, 0.5, 0.25}, {0.5, 0.25, 0.5}, 1},
               {{8, 0, 1}, {1, 1, 1}, 1}};
    for (int far = 0; far < 2; far++) {
        const d3 origin = {far ? 4096 : 0, far ? -8192 : 0, 0};
        solid s = {0};
        double m = 0, center[3] = {0}, expected[3][3] = {{0}};
        for (int k = 0; k < COUNT_OF(box); k++) {
            const double v = box[k].sign * 8 * box[k].half.x * box[k].half.y * box[k].half.z;
            add_box_of(&s, d3_add(origin, box[k].at), box[k].half, box[k].sign < 0);
            m += v;
            center[0] += v * box[k].at.x, center[1] += v * box[k].at.y, center[2] += v * box[k].at.z;
        }
        for (int i = 0; i < 3; i++)
            center[i] /= m;
        for (int k = 0; k < COUNT_OF(box); k++) {
            const double half[3] = {box[k].half.x, box[k].half.y, box[k].half.z};
            const double r[3] = {box[k].at.x - center[0], box[k].at.y - center[1], box[k].at.z - center[2]};
            const double v = box[k].sign * 8 * half[0] * half[1] * half[2];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    expected[i][j] += v * (i == j ? (half[(i + 1) % 3] * half[(i + 1) % 3] +
                                                     half[(i + 2) % 3] * half[(i + 2) % 3]) /
                                                            3 +
                                                        r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - r[i] * r[i]
                                                  : -r[i] * r[j]);
        }
        dry_mesh_mass mass = sound_mass_of(&s, 1);
        assert_share(mass.volume, m, 1e-6);
        assert_near(mass.mass.center.x, origin.x + center[0], far ? 5e-4 : 1e-6);
        assert_near(mass.mass.center.y, origin.y + center[1], far ? 5e-4 : 1e-6);
        assert_near(mass.mass.center.z, origin.z + center[2], 1e-6);
        assert_tensor(mass.mass.inertia, expected);
    }
}

/* The principal axes of a turned box are its own, and its moments do not change. A body takes the mass. */
static void test_principal_axes(void **state)
{
    (void)state;
    uint64_t seed = 7;
    const dry_world_def world_def = test_world_def();
    dry_world *world = world_from(&world_def);
    for (int n = 0; n < 50; n++) {
        solid s = {0};
        const d3 half = {random_in(&seed, 0.5, 1), random_in(&seed, 1.5, 2), random_in(&seed, 2.5, 3)};
        add_box_of(&s, (d3){0, 0, 0}, half, false);
        const dry_quat q = random_quat(&seed);
        for (int i = 0; i < s.vertices; i++)
            s.vertex[i] = v3_of(d3_turn(q, d3_of(s.vertex[i])));
        dry_mesh_mass mass = sound_mass_of(&s, 2);
        const double m = 16 * half.x * half.y * half.z;
        double expected[3] = {m * (half.y * half.y + half.z * half.z) / 3,
                              m * (half.x * half.x + half.z * half.z) / 3,
                              m * (half.x * half.x + half.y * half.y) / 3};
        for (int i = 0; i < 3; i++) {
            /* R diag(principal) R^T of the axis nearest to the box's own */
            const d3 own = d3_turn(q, (d3){i == 0, i == 1, i == 2});
            double best = 0, moment = 0;
            for (int k = 0; k < 3; k++) {
                const d3 axis = d3_turn(mass.principal_axes, (d3){k == 0, k == 1, k == 2});
                if (fabs(d3_dot(axis, own)) > best)
                    best = fabs(d3_dot(axis, own)), moment = (double)mass.principal[k];
            }
            assert_true(best > 1 - 1e-6);
            assert_share(moment, expected[i], 1e-6);
        }
        dry_body_def def = dry_default_body_def();
        def.type = DRY_BODY_DYNAMIC;
        dry_body_id id;
        assert_ok(dry_world_create_body(world, &def, &id));
        assert_ok(dry_body_set_mass(world, id, &mass.mass));
    }
    dry_world_destroy(world);
}

static void assert_fault(const solid *s, dry_mesh_fault_kind kind, int triangle, int a, int b)
{
    dry_mesh_mass mass = {.volume = -7};
    dry_mesh_fault fault;
    assert_int_equal(mesh_mass(s, 1, &mass, &fault), DRY_ERROR_ARGUMENT);
    assert_true(mass.volume == -7);
    assert_string_equal(dry_mesh_fault_name(fault.kind), dry_mesh_fault_name(kind));
    assert_int_equal(fault.triangle, triangle);
    assert_int_equal(fault.edge[0], a);
    assert_int_equal(fault.edge[1], b);
    assert_int_equal(mesh_mass(s, 1, &mass, NULL), DRY_ERROR_ARGUMENT);
}

/* Each fault is named with its place, whichever triangle has it. */
static void test_faults(void **state)
{
    (void)state;
    solid box = {0};
    add_box_of(&box, (d3){1, 2, 3}, (d3){1, 1, 1}, false);
    for (int t = 0; t < box.triangles; t++) {
        const int32_t *c = &box.corner[3 * t];
        solid s = box; /* one triangle less */
        memmove(&s.corner[3 * t], &s.corner[3 * t + 3],
                sizeof(int32_t) * (size_t)(3 * (s.triangles - t - 1)));
        s.triangles--;
        dry_mesh_mass mass;
        dry_mesh_fault fault;
        assert_int_equal(mesh_mass(&s, 1, &mass, &fault), DRY_ERROR_ARGUMENT);
        assert_int_equal(fault.kind, DRY_MESH_OPEN);
        for (int i = 0; i < 2; i++)
            assert_true(fault.edge[i] == c[0] || fault.edge[i] == c[1] || fault.edge[i] == c[2]);

        s = box; /* one triangle turned around */
        s.corner[3 * t] = c[1], s.corner[3 * t + 1] = c[0];
        assert_int_equal(mesh_mass(&s, 1, &mass, &fault), DRY_ERROR_ARGUMENT);
        assert_int_equal(fault.kind, DRY_MESH_FLIPPED);
        for (int i = 0; i < 2; i++)
            assert_true(fault.edge[i] == c[0] || fault.edge[i] == c[1] || fault.edge[i] == c[2]);

        s = box; /* one corner twice */
        s.corner[3 * t + 2] = c[0];
        assert_fault(&s, DRY_MESH_DEGENERATE, t, -1, -1);
        s = box;
        s.corner[3 * t + 1] = t % 2 ? -1 : s.vertices;
        assert_fault(&s, DRY_MESH_BAD_VERTEX, t, -1, -1);
    }
    solid s = box;
    s.vertex[s.corner[0]].y = NAN;
    assert_fault(&s, DRY_MESH_BAD_VERTEX, 0, -1, -1);
    s.vertex[s.corner[0]].y = 1.1e6f;
    assert_fault(&s, DRY_MESH_BAD_VERTEX, 0, -1, -1);

    solid cavity = {0}; /* a cavity of nothing; a second box within the first; a box without height */
    add_box_of(&cavity, (d3){0, 0, 0}, (d3){1, 1, 1}, true);
    assert_fault(&cavity, DRY_MESH_INSIDE_OUT, 0, -1, -1);
    solid apart = box;
    add_box_of(&apart, (d3){9, 0, 0}, (d3){1, 1, 1}, true);
    assert_fault(&apart, DRY_MESH_INSIDE_OUT, 12, -1, -1);
    solid nested = box;
    add_box_of(&nested, (d3){1, 2, 3}, (d3){0.5, 0.5, 0.5}, false);
    assert_fault(&nested, DRY_MESH_NESTED, 12, -1, -1);
    solid flat = box;
    const int first = flat.vertices;
    add_vertex(&flat, 5, 0, 0), add_vertex(&flat, 6, 0, 0), add_vertex(&flat, 5, 1, 1);
    add_triangle(&flat, first, first + 1, first + 2);
    add_triangle(&flat, first, first + 2, first + 1);
    assert_fault(&flat, DRY_MESH_FLAT, 12, -1, -1);
}

static void test_bad_calls(void **state)
{
    (void)state;
    solid box = {0};
    add_box_of(&box, (d3){0, 0, 0}, (d3){1, 1, 1}, false);
    const dry_mesh good = {box.vertex, box.corner, box.vertices, box.triangles};
    dry_mesh_mass mass;
    const double bad_density[] = {0, -1, NAN, INFINITY, 1e30};
    for (int i = 0; i < COUNT_OF(bad_density); i++)
        assert_int_equal(dry_mesh_get_mass(&good, (float)bad_density[i], NULL, &mass, NULL),
                         DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_mesh_get_mass(NULL, 1, NULL, &mass, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_mesh_get_mass(&good, 1, NULL, NULL, NULL), DRY_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        dry_mesh bad = good;
        if (i == 0)
            bad.vertices = NULL;
        if (i == 1)
            bad.triangles = NULL;
        if (i == 2)
            bad.triangle_count = 0;
        if (i == 3)
            bad.vertex_count = -1;
        assert_int_equal(dry_mesh_get_mass(&bad, 1, NULL, &mass, NULL), DRY_ERROR_ARGUMENT);
    }
    assert_string_equal(dry_mesh_fault_name((dry_mesh_fault_kind)99), "unknown");
}

/* All memory comes from the given allocator and goes back to it; where it gives none, nothing is changed. */
static void test_memory(void **state)
{
    (void)state;
    solid box = {0};
    add_box_of(&box, (d3){0, 0, 0}, (d3){1, 1, 1}, false);
    const dry_mesh mesh = {box.vertex, box.corner, box.vertices, box.triangles};
    for (int fail = 0; fail < 3; fail++) {
        counting_allocator counts = {.fail_at = fail};
        const dry_allocator allocator = counting_hooks(&counts);
        dry_mesh_mass mass = {.volume = -7};
        const dry_result result = dry_mesh_get_mass(&mesh, 1, &allocator, &mass, NULL);
        assert_int_equal(result, fail < 2 ? DRY_ERROR_MEMORY : DRY_OK);
        assert_true(fail < 2 ? mass.volume == -7 : mass.volume == 8);
        assert_int_equal(counts.bytes, 0);
        assert_int_equal(counts.wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_regular_solids),
        cmocka_unit_test(test_parts_and_cavities),
        cmocka_unit_test(test_principal_axes),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
