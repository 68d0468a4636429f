/* Mass properties through the public calls: compound bodies against sums over very many small parts,
 * principal axes by how the body answers to impulses, and masses given outright. */
#include "tests/test_world.h"

typedef double matrix[3][3];

typedef struct sums {
    double mass;
    d3 moment; /* of mass */
    matrix second;
} sums;

static void add_particle(sums *s, double mass, d3 at)
{
    const double r[3] = {at.x, at.y, at.z};
    s->mass += mass;
    s->moment = d3_add(s->moment, d3_scale(at, mass));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->second[i][j] += mass * r[i] * r[j];
}

static d3 placed(const dry_shape_def *def, d3 local)
{
    return d3_add(d3_of(def->pose.position), d3_turn(def->pose.orientation, local));
}

/* Slices across y; a disc's second moments are those of four equal masses at radius / sqrt(2) of its rim. */
static void add_round(sums *s, const dry_shape_def *def)
{
    double radius = (double)def->radius;
    double half = def->type == DRY_SHAPE_CAPSULE ? (double)def->half_length : 0, top = half + radius;
    int slices = 4000;
    for (int i = 0; i < slices; i++) {
        double y = top * (2 * (i + 0.5) / slices - 1), over = fmax(0, fabs(y) - half);
        double rim2 = radius * radius - over * over, at = sqrt(rim2 / 2);
        double mass = (double)def->density * TEST_PI * rim2 * 2 * top / slices;
        for (int k = 0; k < 4; k++)
            add_particle(s, mass / 4,
                         placed(def, (d3){k < 2 ? (k ? at : -at) : 0, y,
                                          k < 2    ? 0
                                          : k == 2 ? at
                                                   : -at}));
    }
}

/* Small cubes' centers; each second moment comes out too small by 1 / cuts^2 of itself. */
static void add_box(sums *s, const dry_shape_def *def)
{
    enum { CUTS = 40 };
    d3 h = d3_of(def->half_extents);
    double mass = (double)def->density * 8 * h.x * h.y * h.z / (CUTS * CUTS * CUTS);
    double widen = sqrt(1 / (1 - 1.0 / (CUTS * CUTS)));
    for (int i = 0; i < CUTS; i++)
        for (int j = 0; j < CUTS; j++)
            for (int k = 0; k < CUTS; k++) {
                d3 at = {(2 * i + 1.0) / CUTS - 1, (2 * j + 1.0) / CUTS - 1, (2 * k + 1.0) / CUTS - 1};
                add_particle(s, mass, placed(def, d3_scale((d3){at.x * h.x, at.y * h.y, at.z * h.z}, widen)));
            }
}

static sums sums_of(const dry_shape_def *shapes, int count)
{
    sums s = {0};
    for (int i = 0; i < count; i++) {
        if (shapes[i].type == DRY_SHAPE_BOX)
            add_box(&s, &shapes[i]);
        else
            add_round(&s, &shapes[i]);
    }
    return s;
}

/* About the center of mass. */
static void inertia_of(const sums *s, matrix inertia)
{
    const double c[3] = {s->moment.x / s->mass, s->moment.y / s->mass, s->moment.z / s->mass};
    matrix about;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            about[i][j] = s->second[i][j] - s->mass * c[i] * c[j];
    double trace = about[0][0] + about[1][1] + about[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia[i][j] = (i == j ? trace : 0) - about[i][j];
}

static double largest(matrix m)
{
    double most = 0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(m[i / 3][i % 3]));
    return most;
}

static void assert_inertia(const dry_mass *mass, matrix expected, double scale, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_near((double)mass->inertia[i][j], scale * expected[i][j],
                        tolerance * scale * largest(expected));
            assert_true(mass->inertia[i][j] == mass->inertia[j][i]);
        }
}

/* An inertia goes through a quaternion and three inverses in float: some 10 roundings. */
#define INERTIA_TOLERANCE (12 * (double)FLT_EPSILON)

static dry_shape_def random_shape(uint64_t *seed, double spread)
{
    dry_shape_def def;
    const int kind = random_below(seed, 3);
    if (kind == 0) {
        const d3 half = random_d3_in(seed, 0.1, 1);
        def = box_shape(half.x, half.y, half.z);
    } else {
        const double radius = random_in(seed, 0.1, 1);
        def = kind == 1 ? sphere_shape(radius) : capsule_shape(radius, random_in(seed, 0, 1));
    }
    def.density = (float)random_in(seed, 10, 3000);
    def.pose = (dry_transform){v3_of(random_d3(seed, spread)), random_quat(seed)};
    return def;
}

static dry_body_def compound(dry_shape_def *shapes, int count, dry_pose pose)
{
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose, shapes);
    def.shape_count = count;
    return def;
}

static dry_pose random_pose(uint64_t *seed)
{
    d3 p = random_d3(seed, 100);
    return (dry_pose){{p.x, p.y, p.z}, random_quat(seed)};
}

static void test_compounds(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    uint64_t seed = 1;
    for (int round = 0; round < test_pick(40, 8); round++) {
        dry_shape_def shapes[5];
        int count = 1 + round % 5;
        for (int i = 0; i < count; i++)
            shapes[i] = random_shape(&seed, round % 4 ? 2 : 0);
        dry_pose pose = random_pose(&seed);
        dry_body_def def = compound(shapes, count, pose);
        sums s = sums_of(shapes, count);
        matrix inertia;
        inertia_of(&s, inertia);
        d3 center = d3_scale(s.moment, 1 / s.mass);
        for (int scaled = 0; scaled < 2; scaled++) {
            /* A mass stated: the inertia in proportion. */
            def.mass = scaled ? 12.5f : 0;
            dry_body_id id = add_def(world, &def);
            dry_mass mass = mass_of(world, id);
            double scale = scaled ? 12.5 / s.mass : 1;
            /* The slices are good to 1e-6, as good as floats. */
            assert_near((double)mass.mass, s.mass * scale, 2e-6 * s.mass * scale);
            assert_inertia(&mass, inertia, scale, INERTIA_TOLERANCE);
            assert_near((double)mass.center.x, center.x, 2e-6);
            assert_near((double)mass.center.y, center.y, 2e-6);
            assert_near((double)mass.center.z, center.z, 2e-6);
            /* In the world; the pose stays the one of the body's own origin. */
            d3 expected = d3_add(d3_at(pose.position), d3_turn(pose.orientation, center));
            assert_at_most(d3_length(d3_sub(center_of(world, id), expected)), 4e-6);
            assert_at_most(d3_length(d3_sub(position_of(world, id), d3_at(pose.position))), 2e-6);
            assert_ok(dry_body_destroy(world, id));
        }
    }
    dry_world_destroy(world);
}

/* Shapes added and taken away one by one: the same as all at once. */
static void test_shapes_come_and_go(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    uint64_t seed = 2;
    dry_shape_def shapes[4];
    dry_shape_id ids[4];
    for (int i = 0; i < 4; i++)
        shapes[i] = random_shape(&seed, 1);
    dry_body_def def = compound(shapes, 1, random_pose(&seed));
    dry_body_id id = add_def(world, &def);
    int found;
    assert_ok(dry_body_get_shapes(world, id, ids, 4, &found));
    assert_int_equal(found, 1);
    for (int i = 1; i < 4; i++)
        assert_ok(dry_body_create_shape(world, id, &shapes[i], &ids[i]));
    for (int first = 0; first < 4; first++) {
        sums s = sums_of(&shapes[first], 4 - first);
        matrix inertia;
        inertia_of(&s, inertia);
        dry_mass mass = mass_of(world, id);
        assert_near((double)mass.mass, s.mass, 2e-6 * s.mass);
        assert_inertia(&mass, inertia, 1, INERTIA_TOLERANCE);
        assert_at_most(d3_length(d3_sub(position_of(world, id), d3_at(def.pose.position))), 4e-6);
        assert_ok(dry_shape_destroy(world, ids[first]));
    }
    dry_world_destroy(world);
}

/* Without mass of its own a shape only touches; without any a body is still movable. */
static void test_no_density(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_shape_def shapes[2] = {box_shape(0.5, 1, 2), sphere_shape(3)};
    shapes[1].density = 0;
    shapes[1].pose.position = v3(5, 0, 0);
    dry_body_def def = compound(shapes, 2, pose_at(0, 0, 0));
    dry_mass mass = mass_of(world, add_def(world, &def));
    assert_near((double)mass.mass, 8000, 1e-3);
    assert_true(mass.center.x == 0 && mass.center.y == 0 && mass.center.z == 0);
    def.shape_count = 0;
    mass = mass_of(world, add_def(world, &def));
    assert_true(mass.mass > 0 && mass.inertia[0][0] > 0 && mass.inertia[1][1] > 0 && mass.inertia[2][2] > 0);
    mass = mass_of(world, add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shapes[0]));
    assert_true(mass.mass == 0 && mass.inertia[1][1] == 0);
    dry_world_destroy(world);
}

/* Masses given outright. */

/* R diag(d) R^T. */
static void turned(matrix m, const double d[3], dry_quat q)
{
    const d3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double axes[3][3];
    for (int k = 0; k < 3; k++) {
        d3 a = d3_turn(q, units[k]);
        double size = d3_length(a);
        axes[k][0] = a.x / size, axes[k][1] = a.y / size, axes[k][2] = a.z / size;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = d[0] * axes[0][i] * axes[0][j] + d[1] * axes[1][i] * axes[1][j] +
                      d[2] * axes[2][i] * axes[2][j];
}

static dry_mass mass_from(double mass, d3 center, matrix inertia)
{
    dry_mass m = {.mass = (float)mass, .center = v3_of(center)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.inertia[i][j] = (float)inertia[i < j ? i : j][i < j ? j : i];
    return m;
}

static void check_given(dry_world *world, dry_body_id id, dry_mass given, double tolerance)
{
    matrix inertia;
    for (int i = 0; i < 9; i++)
        inertia[i / 3][i % 3] = (double)given.inertia[i / 3][i % 3];
    dry_pose before = pose_of(world, id);
    assert_ok(dry_body_set_mass(world, id, &given));
    dry_mass mass = mass_of(world, id);
    assert_near((double)mass.mass, (double)given.mass, FLT_EPSILON * (double)given.mass);
    assert_at_most(d3_length(d3_sub(d3_of(mass.center), d3_of(given.center))),
                   4 * FLT_EPSILON * d3_length(d3_of(given.center)));
    assert_inertia(&mass, inertia, 1, tolerance);
    dry_pose after = pose_of(world, id);
    assert_at_most(d3_length(d3_sub(d3_at(after.position), d3_at(before.position))), 1e-5);
    assert_near(turn_angle((dry_quat){after.orientation.x - before.orientation.x,
                                      after.orientation.y - before.orientation.y,
                                      after.orientation.z - before.orientation.z, 1}),
                0, 1e-5);
}

static void test_given_masses(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    uint64_t seed = 3;
    dry_body_id id = add_dynamic(world, random_pose(&seed), box_shape(1, 1, 1));
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, random_in(&seed, -6, 6)), d[3];
        for (int k = 0; k < 3; k++)
            d[k] = size * pow(10, random_in(&seed, i % 2 ? -0.5 : -3, 0));
        if (i % 5 == 0) /* equal moments have no axes of their own */
            d[1] = d[i % 10 == 0 ? 0 : 2];
        if (i % 15 == 0)
            d[0] = d[1] = d[2];
        /* Large angles, quarter turns, and all but none. */
        dry_quat q = i % 3 ? random_quat(&seed) : quat_about(random_d3(&seed, 1), i % 2 ? TEST_PI / 2 : 1e-6);
        if (i % 7 == 0)
            q = quat_about((d3){i % 2, 1 - i % 2, i % 4 / 2}, random_below(&seed, 8) * TEST_PI / 4);
        matrix inertia;
        turned(inertia, d, q);
        const double kilograms = pow(10, random_in(&seed, -6, 6));
        check_given(world, id, mass_from(kilograms, random_d3(&seed, 3), inertia), INERTIA_TOLERANCE);
    }
    /* Until they are taken back. */
    assert_ok(dry_body_set_mass_from_shapes(world, id));
    dry_mass mass = mass_of(world, id);
    assert_near((double)mass.mass, 8000, 1e-2);
    assert_near((double)mass.inertia[0][0], 8000 * 2.0 / 3, 1e-2);
    dry_world_destroy(world);
}

/* Values that are no mass are refused and change nothing. */
static void test_refused_masses(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), box_shape(1, 1, 1));
    dry_mass good = mass_of(world, id);
    dry_mass bad[9];
    for (int i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].mass = 0;
    bad[1].mass = -1;
    bad[2].mass = NAN;
    bad[3].center.y = INFINITY;
    bad[4].inertia[1][1] = -1;
    bad[5].inertia[2][2] = 0;
    bad[6].inertia[0][1] = bad[6].inertia[1][0] = 2 * good.inertia[0][0]; /* not positive definite */
    bad[7].inertia[0][2] = 0.5f * good.inertia[0][0];                     /* not symmetric */
    bad[8].inertia[0][0] = NAN;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(dry_body_set_mass(world, id, &bad[i]), DRY_ERROR_ARGUMENT);
        dry_mass now = mass_of(world, id);
        assert_memory_equal(&now, &good, sizeof good);
    }
    dry_world_destroy(world);
}

/* The principal axes by what they are for: an angular impulse L changes the spin by I^-1 L, an impulse P at
 * a point the velocity by P / m and the spin by I^-1 (r x P). */
static void test_answers_to_impulses(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    uint64_t seed = 4;
    for (int round = 0; round < 200; round++) {
        dry_shape_def shapes[3];
        for (int i = 0; i < 3; i++) {
            shapes[i] = random_shape(&seed, 1.5);
            shapes[i].density = 1;
        }
        dry_body_def def = compound(shapes, 1 + round % 3, random_pose(&seed));
        dry_body_id id = add_def(world, &def);
        dry_mass mass = mass_of(world, id);
        dry_quat q = pose_of(world, id).orientation;
        d3 angular = random_d3(&seed, 3), push = random_d3(&seed, 3), arm = random_d3(&seed, 2);
        assert_ok(dry_body_apply_angular_impulse(world, id, v3_of(angular)));
        d3 center = center_of(world, id), point = d3_add(center, arm);
        assert_ok(
            dry_body_apply_impulse_at(world, id, v3_of(push), (dry_position){point.x, point.y, point.z}));
        d3 momentum = d3_add(angular, d3_cross(arm, push));
        /* I w, in the body's frame, is the impulse again. */
        d3 w = d3_turn_back(q, spin_of(world, id)), l = d3_turn_back(q, momentum);
        const double spin[] = {w.x, w.y, w.z}, expected[] = {l.x, l.y, l.z};
        double least = 1e30, most = 0;
        for (int i = 0; i < 3; i++) {
            least = fmin(least, (double)mass.inertia[i][i]);
            most = fmax(most, (double)mass.inertia[i][i]);
        }
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j < 3; j++)
                sum += (double)mass.inertia[i][j] * spin[j];
            /* The inverse's error is larger by the ratio of the moments. */
            assert_near(sum, expected[i], 40 * FLT_EPSILON * (1 + d3_length(l)) * (most / least));
        }
        d3 v = velocity_of(world, id);
        assert_at_most(d3_length(d3_sub(d3_scale(v, (double)mass.mass), push)), 1e-5);
        assert_ok(dry_body_destroy(world, id));
    }
    dry_world_destroy(world);
}

/* Locked or not, dynamic or not in between: the mass is what it was. */
static void test_locks_and_types(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    uint64_t seed = 5;
    dry_shape_def shapes[2] = {random_shape(&seed, 1), random_shape(&seed, 1)};
    dry_body_def def = compound(shapes, 2, random_pose(&seed));
    dry_body_id free_one = add_def(world, &def);
    def.locks = DRY_LOCK_ALL;
    dry_body_id locked = add_def(world, &def);
    assert_ok(dry_body_set_locks(world, locked, 0));
    dry_mass expected = mass_of(world, free_one), mass = mass_of(world, locked);
    assert_memory_equal(&mass, &expected, sizeof mass);
    /* Pushed, it moves. */
    assert_ok(dry_body_apply_impulse(world, locked, v3(0, 10, 0)));
    assert_near(velocity_of(world, locked).y, 10 / (double)expected.mass, 1e-5);
    assert_ok(dry_body_set_type(world, free_one, DRY_BODY_STATIC));
    assert_ok(dry_body_set_type(world, free_one, DRY_BODY_DYNAMIC));
    mass = mass_of(world, free_one);
    assert_near((double)mass.mass, (double)expected.mass, 1e-6 * (double)expected.mass);
    matrix inertia;
    for (int i = 0; i < 9; i++)
        inertia[i / 3][i % 3] = (double)expected.inertia[i / 3][i % 3];
    assert_inertia(&mass, inertia, 1, INERTIA_TOLERANCE);
    /* A given one stays through steps, sleep and shapes that come meanwhile; a force given before does not.
     */
    assert_ok(dry_body_destroy(world, locked)); /* where the other one is */
    mass.mass = 3;
    mass.center = v3(0.1, 0, 0);
    assert_ok(dry_body_set_mass(world, free_one, &mass));
    expected = mass_of(world, free_one);
    assert_ok(dry_body_apply_force(world, free_one, v3(100, 0, 0)));
    for (int type = 0; type < DRY_BODY_TYPE_COUNT; ++type) {
        assert_ok(dry_body_set_type(world, free_one, (dry_body_type)type));
        if (type != DRY_BODY_DYNAMIC)
            assert_near(mass_of(world, free_one).mass, 0, 0);
        if (type == DRY_BODY_KINEMATIC)
            assert_ok(dry_body_set_velocity(world, free_one, (dry_velocity){v3(0, 1, 0), v3(0, 0, 0)}));
        assert_ok(dry_world_step(world, TEST_DT));
        dry_shape_id added;
        assert_ok(dry_body_create_shape(world, free_one, &shapes[0], &added));
        assert_ok(dry_world_step(world, TEST_DT));
        assert_ok(dry_shape_destroy(world, added));
        if (type == DRY_BODY_KINEMATIC)
            assert_ok(dry_body_set_awake(world, free_one, false));
    }
    assert_ok(dry_body_set_type(world, free_one, DRY_BODY_DYNAMIC));
    mass = mass_of(world, free_one);
    assert_memory_equal(&mass, &expected, sizeof mass);
    assert_near(velocity_of(world, free_one).x, 0, 0);
    assert_ok(dry_world_step(world, TEST_DT));
    assert_near(velocity_of(world, free_one).x, 0, 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compounds),       cmocka_unit_test(test_shapes_come_and_go),
        cmocka_unit_test(test_no_density),      cmocka_unit_test(test_given_masses),
        cmocka_unit_test(test_refused_masses),  cmocka_unit_test(test_answers_to_impulses),
        cmocka_unit_test(test_locks_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
