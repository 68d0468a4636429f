/* Structures of octahedra whose edges fold: they fall as the planes of their edges let them, stay closed, and
 * have the same bits for every number of threads. */
#include "tests/tools/linkages.h"

/* An octahedron that hangs from its top corner, by its symmetry: how far the sides have sunk and moved
 * outward, and how far the lowest corner has sunk, m. */
enum { SIDES_DOWN, SIDES_OUT, LOWEST_DOWN, COORDINATES };

/* Coordinates of its parts times the roots of their masses, and the roots times gravity where they are
 * heights. */
typedef struct parts {
    double x[64], force[64];
    int count;
} parts;

static void add_part(parts *p, double mass, double x, double gravity)
{
    p->x[p->count] = sqrt(mass) * x;
    p->force[p->count++] = -sqrt(mass) * gravity;
}

/* Adds the bars of four edges between two places of their planes. An edge folds to its left, seen from the
 * first place. The second coordinate is the height, unless the plane is level, at the height `level`. */
static void add_edges(parts *p, const double from[2], const double to[2], bool is_level, double level)
{
    const double bar = hypot(0.875, 0.125), wide = 0.06, mass = 4 * 1000 * bar * wide * wide;
    const double d[2] = {to[0] - from[0], to[1] - from[1]}, length = hypot(d[0], d[1]);
    const double out = sqrt(bar * bar - length * length / 4) / length;
    const double middle[2] = {(from[0] + to[0]) / 2 - out * d[1], (from[1] + to[1]) / 2 + out * d[0]};
    for (int i = 0; i < 2; i++) {
        const double *end = i ? to : from;
        add_part(p, mass, (end[0] + middle[0]) / 2, 0);
        add_part(p, mass, (end[1] + middle[1]) / 2, is_level ? 0 : TEST_G);
        add_part(p, mass / 12 * (bar * bar + wide * wide), atan2(middle[1] - end[1], middle[0] - end[0]), 0);
        if (is_level)
            add_part(p, mass, level, TEST_G);
    }
}

static parts place_parts(const double q[COORDINATES])
{
    const double corner = 4000 * TEST_PI / 3 * 0.08 * 0.08 * 0.08, out = 1 + q[SIDES_OUT];
    const double top[2] = {0, 1}, beside[2] = {out, -q[SIDES_DOWN]}, lowest[2] = {0, -1 - q[LOWEST_DOWN]};
    const double first[2] = {0, out}, second[2] = {out, 0};
    parts p = {.count = 0};
    add_part(&p, 4 * corner, beside[0], 0);
    add_part(&p, 4 * corner, beside[1], TEST_G);
    add_part(&p, corner, lowest[1], TEST_G);
    add_edges(&p, top, beside, false, 0);
    add_edges(&p, beside, lowest, false, 0);
    add_edges(&p, first, second, true, beside[1]);
    return p;
}

/* Fills the accelerations that Lagrange's equations give: J^T (force - J' v) = J^T J a, by differences. */
static void accelerate(const double q[COORDINATES], const double v[COORDINATES], double a[COORDINATES])
{
    enum { N = COORDINATES };
    const double h = 1e-4;
    double column[N][64], m[N][N + 1];
    double at[2][N];
    for (int k = 0; k < N; k++) {
        memcpy(at[0], q, sizeof at[0]);
        memcpy(at[1], q, sizeof at[1]);
        at[0][k] -= h;
        at[1][k] += h;
        const parts less = place_parts(at[0]), more = place_parts(at[1]);
        for (int i = 0; i < less.count; i++)
            column[k][i] = (more.x[i] - less.x[i]) / (2 * h);
    }
    for (int k = 0; k < N; k++) {
        at[0][k] = q[k] - h * v[k];
        at[1][k] = q[k] + h * v[k];
    }
    const parts here = place_parts(q), less = place_parts(at[0]), more = place_parts(at[1]);
    for (int k = 0; k < N; k++) {
        m[k][N] = 0;
        for (int l = 0; l < N; l++)
            m[k][l] = 0;
        for (int i = 0; i < here.count; i++) {
            m[k][N] += column[k][i] * (here.force[i] - (more.x[i] - 2 * here.x[i] + less.x[i]) / (h * h));
            for (int l = 0; l < N; l++)
                m[k][l] += column[k][i] * column[l][i];
        }
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            const double factor = m[i][k] / m[k][k];
            for (int l = k; l <= N && i != k; l++)
                m[i][l] -= factor * m[k][l];
        }
    for (int k = 0; k < N; k++)
        a[k] = m[k][N] / m[k][k];
}

/* Makes a step of Runge and Kutta. */
static void step_model(double q[COORDINATES], double v[COORDINATES], double dt)
{
    const double share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double speed[COORDINATES], rate[COORDINATES] = {0}, moved[2][COORDINATES] = {0};
    memcpy(speed, v, sizeof speed);
    for (int i = 0; i < 4; i++) {
        double at[COORDINATES];
        for (int k = 0; k < COORDINATES; k++) {
            at[k] = q[k] + share[i] * dt * speed[k];
            speed[k] = v[k] + share[i] * dt * rate[k];
        }
        accelerate(at, speed, rate);
        for (int k = 0; k < COORDINATES; k++) {
            moved[0][k] += weight[i] * dt / 6 * speed[k];
            moved[1][k] += weight[i] * dt / 6 * rate[k];
        }
    }
    for (int k = 0; k < COORDINATES; k++) {
        q[k] += moved[0][k];
        v[k] += moved[1][k];
    }
}

/* Returns how far one octahedron is from its model at most, in steps of a part of a second, while it falls by
 * 0.35 m and its edges become nearly straight. */
static double distance_from_model(int part)
{
    dry_scene scene = scene_of("octahedra-cube", 1);
    built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
    double q[COORDINATES] = {0}, v[COORDINATES] = {0}, most = 0;
    for (int step = 0; step < part * 16 / 60; step++) {
        run_steps(b.world, 1, 1.0f / (float)part);
        for (int k = 0; k < 4; k++)
            step_model(q, v, 0.25 / part);
        const d3 beside = position_of(b.world, b.ids[1]), lowest = position_of(b.world, b.ids[3]);
        most = fmax(most, fabs(-1 - beside.y - q[SIDES_DOWN]));
        most = fmax(most, fabs(beside.x - 2 - q[SIDES_OUT]));
        most = fmax(most, fabs(-2 - lowest.y - q[LOWEST_DOWN]));
    }
    assert_true(q[SIDES_DOWN] > 0.34 && q[LOWEST_DOWN] > 0.34);
    free_built(&b);
    return most;
}

/* One octahedron falls as its model of three coordinates: the distance is that of a method of second order.
 */
static void test_one_octahedron_falls_as_its_model(void **state)
{
    (void)state;
    const double coarse = distance_from_model(240), fine = distance_from_model(480);
    assert_at_most(coarse, 2e-3 * 0.35);
    assert_near(coarse / fine, 4, 0.4);
}

/* Corners of a tube do not turn. Those at the sides sink together, and those within and without sink with
 * them and move along their radius; those between rings move up and down. Joints are closed, and the energy
 * is kept. */
static void test_tubes_fall_and_stay_closed(void **state)
{
    (void)state;
    dry_scene scene = scene_of("octahedra", 2);
    built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
    const double total = dry_world_energy(b.world).total_J, radius = 2 + sqrt(3.0);
    for (int step = 0; step < test_pick(16, 8); step++) {
        const double before = dry_world_energy(b.world).kinetic_J;
        run_steps(b.world, 1, scene.dt);
        double error_m, error_rad, sunk[2] = {0, 0};
        read_errors(&b, &error_m, &error_rad);
        assert_at_most(error_m, 1e-7);
        assert_at_most(error_rad, 1e-7);
        assert_int_equal(dry_world_events(b.world).conflict_count, 0);
        const dry_energy energy = dry_world_energy(b.world);
        assert_true(energy.kinetic_J > before);
        assert_at_most(fabs(energy.total_J - total), 1e-3 * energy.kinetic_J);
        for (int i = 0; i < scene.body_count; i++) {
            const dry_body_def *def = &scene.bodies[i].def;
            if (scene.shapes[scene.bodies[i].first_shape].type != DRY_SHAPE_SPHERE)
                continue;
            const dry_pose pose = pose_of(b.world, b.ids[i]);
            const d3 from = d3_at(def->pose.position), moved = d3_sub(d3_at(pose.position), from);
            const double out = hypot(from.x, from.z);
            const bool radial = fabs(fabs(out - radius) - 1) < 1e-6;
            const double along = radial ? (moved.x * from.x + moved.z * from.z) / out : 0;
            assert_at_most(fabs(turn_angle(pose.orientation)), 1e-5);
            assert_at_most(hypot(moved.x - along * from.x / out, moved.z - along * from.z / out), 1e-5);
            if (fabs(out - radius) < 1e-6) /* between rings */
                continue;
            double *ring = &sunk[from.y < -2];
            if (*ring != 0)
                assert_near(moved.y, *ring, 1e-5);
            *ring = moved.y;
        }
        assert_true(sunk[0] < 0 && sunk[1] < 0);
    }
    free_built(&b);
}

/* The bits of a cube are the same for every number of workers that share its factor. */
static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads++) {
        dry_world_def def = test_world_def();
        def.threads = threads;
        def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
        dry_scene scene = scene_of("octahedra-cube", 4);
        dry_world *world = world_from(&def);
        free(built_in(world, &scene));
        run_steps(world, test_pick(6, 2), scene.dt);
        if (threads > 1)
            assert_true(dry_world_hash(world) == hash);
        hash = dry_world_hash(world);
        dry_world_destroy(world);
        dry_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_octahedron_falls_as_its_model),
        cmocka_unit_test(test_tubes_fall_and_stay_closed),
        cmocka_unit_test(test_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
