/* Solids of a floor beside a brute force in double over directions: whether neighbors may change a contact
 * with a box, and whether a box or a hull has a normal at a point. */
#include "narrowphase/surface/neighbors.h"
#include "tests/test_world.h"

enum { DIRECTIONS = 360, WAYS = 2000 };

static d3 ways[WAYS];

/* Neighbors matter within this distance of an edge, m: no contact is as deep beside a box. */
static const double near_edge = 0.05;

/* Returns the axis of the face whose normal it is; -1 if no face has it. Sets the margin by which that is so
 * or is not. */
static int face_along(d3 normal, double *margin)
{
    const double n[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    int face = 0;
    for (int k = 1; k < 3; k++)
        face = n[k] > n[face] ? k : face;
    *margin = 1e30;
    bool leans = false;
    for (int k = 0; k < 3; k++)
        if (k != face) {
            leans |= n[k] > 1e-4;
            *margin = fmin(*margin, fabs(n[k] - 1e-4));
        }
    return leans ? -1 : face;
}

/* Tells whether a face goes on in all directions from a point on it: a walk of `distance` ends on the box. */
static bool goes_on(d3 half, d3 at, int face, double distance)
{
    const double h[3] = {half.x, half.y, half.z}, p[3] = {at.x, at.y, at.z};
    const int u = (face + 1) % 3, v = (face + 2) % 3;
    for (int i = 0; i < DIRECTIONS; i++) {
        const double angle = 2 * TEST_PI * i / DIRECTIONS;
        if (fabs(p[u] + distance * cos(angle)) > h[u] || fabs(p[v] + distance * sin(angle)) > h[v])
            return false;
    }
    return true;
}

static void far_from_edges_nobody_is_asked(void **state)
{
    (void)state;
    uint64_t seed = 37;
    int asked = 0, free = 0, judged = 0;
    for (int n = 0; n < test_pick(20000, 4000); n++) {
        const d3 half = random_d3_in(&seed, 0.02, 2);
        const dry_geometry box = {v3_of(half), DRY_SHAPE_BOX, NULL};
        dry_local_manifold found = {.count = 1 + random_below(&seed, 4)};
        const int axis = random_below(&seed, 3);
        double normal[3] = {0, 0, 0};
        normal[axis] = random_below(&seed, 2) ? 1 : -1;
        if (random_below(&seed, 3) == 0)
            normal[(axis + 1) % 3] = pow(10, random_in(&seed, -6, 0));
        found.normal = v3_of(d3_unit((d3){normal[0], normal[1], normal[2]}));
        double margin;
        const int face = face_along(d3_of(found.normal), &margin);
        bool expected = face<0, sure = margin> 1e-6;
        for (int i = 0; i < found.count; i++) {
            const d3 share = random_d3(&seed, random_below(&seed, 2) ? 1.02 : 0.9);
            const d3 at = {share.x * half.x, share.y * half.y, share.z * half.z};
            found.points[i].position = v3_of(at);
            expected |= face >= 0 && !goes_on(half, at, face, near_edge);
            sure &= face < 0 ||
                    goes_on(half, at, face, near_edge - 1e-5) == goes_on(half, at, face, near_edge + 1e-5);
        }
        if (!sure)
            continue;
        assert_int_equal(dry_solid_asks(&box, &found), expected);
        judged++;
        asked += expected;
        free += !expected;
    }
    assert_true(judged > test_pick(18000, 3600) && asked > 1000 && free > 200);
}

/* Hulls ask always, contacts without points and other solids never. */
static void other_solids(void **state)
{
    (void)state;
    const dry_local_manifold none = {.normal = {0.0f, 1.0f, 0.0f}};
    const dry_local_manifold one = {.normal = {0.0f, 1.0f, 0.0f}, .count = 1};
    for (int type = 0; type < DRY_SHAPE_TYPE_COUNT; type++) {
        const dry_geometry solid = {{1.0f, 1.0f, 1.0f}, (dry_shape_type)type, NULL};
        assert_false(dry_solid_asks(&solid, &none));
        assert_int_equal(dry_solid_asks(&solid, &one), type == DRY_SHAPE_HULL);
    }
}

/* Returns the largest product of a normal with a direction that leads from a point of a box into it. */
static double largest_rise(d3 half, d3 at, d3 normal)
{
    const double h[3] = {half.x, half.y, half.z}, p[3] = {at.x, at.y, at.z};
    double most = 0;
    for (int i = 0; i < WAYS; i++) {
        const double way[3] = {ways[i].x, ways[i].y, ways[i].z};
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside &= fabs(p[k] + 1e-3 * way[k]) <= h[k] + 1e-12;
        most = inside ? fmax(most, d3_dot(ways[i], normal)) : most;
    }
    return most;
}

/* Draws a point of a box's surface: of a face, an edge or a corner. The place where the question is asked is
 * up to half a millimeter off. Draws a normal that is the surface's own there, or any. */
static void draw_question(uint64_t *seed, d3 half, d3 *on_box, d3 *asked, d3 *normal)
{
    const double h[3] = {half.x, half.y, half.z};
    double p[3], n[3] = {0, 0, 0};
    const int first = random_below(seed, 3), faces = 1 + random_below(seed, 3);
    for (int i = 0; i < 3; i++) {
        const int k = (first + i) % 3;
        const double side = random_below(seed, 2) ? 1 : -1;
        p[k] = i < faces ? side * h[k] : h[k] * random_in(seed, -0.9, 0.9);
        if (i < faces)
            n[k] = side * random_in(seed, 0, 1);
    }
    *on_box = (d3){p[0], p[1], p[2]};
    *normal = d3_unit((d3){n[0], n[1], n[2]});
    if (random_below(seed, 2))
        *normal = d3_unit(d3_add(*normal, random_d3(seed, 1)));
    *asked = d3_add(*on_box, random_d3(seed, 5e-4));
}

static bool admits(const dry_geometry *surface, dry_vec3 at, dry_vec3 normal)
{
    const dry_question q = {.point = double3_of(at), .normal = normal, .distance = 1e-3f, .slope = 1e-3f};
    return dry_surface_admits(surface, &q);
}

static void normals_are_those_of_the_surface(void **state)
{
    (void)state;
    uint64_t seed = 38;
    for (int i = 0; i < WAYS; i++) {
        const d3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        ways[i] = i < 6 ? d3_scale(axes[i / 2], i % 2 ? 1 : -1) : d3_unit(random_d3(&seed, 1));
    }
    const dry_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    dry_shape_data *cube = NULL;
    assert_ok(dry_hull_create(corners, 8, 0, NULL, &cube, NULL));
    int admitted = 0, refused = 0;
    for (int n = 0; n < test_pick(5000, 1000); n++) {
        const d3 half = random_d3_in(&seed, 0.1, 2);
        d3 at, asked, normal;
        draw_question(&seed, half, &at, &asked, &normal);
        const double rise = largest_rise(half, at, normal);
        if (rise > 0 && rise < 0.15)
            continue;
        const dry_geometry box = {v3_of(half), DRY_SHAPE_BOX, NULL},
                           hull = {v3_of(half), DRY_SHAPE_HULL, cube};
        assert_int_equal(admits(&box, v3_of(asked), v3_of(normal)), rise == 0);
        assert_int_equal(admits(&hull, v3_of(asked), v3_of(normal)), rise == 0);
        admitted += rise == 0;
        refused += rise > 0;
    }
    assert_true(admitted > 200 && refused > 200);
    dry_shape_data_release(cube);
}

/* A plank and a needle of a hull refuse what leans across their long edges. */
static void long_solids_refuse_a_lean_across(void **state)
{
    (void)state;
    const dry_vec3 half = {20.0f, 0.02f, 0.02f};
    const dry_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    dry_shape_data *cube = NULL;
    assert_ok(dry_hull_create(corners, 8, 0, NULL, &cube, NULL));
    const dry_geometry box = {half, DRY_SHAPE_BOX, NULL}, hull = {half, DRY_SHAPE_HULL, cube};
    const dry_vec3 edge = {0.0f, 0.02f, 0.02f};
    for (int i = 0; i < 40; i++) {
        const double lean = 0.005 * (i - 20);
        const dry_vec3 normal = v3(0, cos(lean), sin(lean));
        assert_int_equal(admits(&box, edge, normal), lean >= 0);
        assert_int_equal(admits(&hull, edge, normal), lean >= 0);
    }
    dry_shape_data_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_from_edges_nobody_is_asked),
        cmocka_unit_test(other_solids),
        cmocka_unit_test(normals_are_those_of_the_surface),
        cmocka_unit_test(long_solids_refuse_a_lean_across),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
