/* The contact problem of one step that the lab reads, against closed forms, against the public inverse mass
 * at a point, and against FCLIB, which reads the file and judges solutions by a map of its own. */
#include "tests/test_joint.h"

#include "tools/cli/contacts/fclib_file.h"
#include "tools/lab/contact_solve.h"

#include <stdlib.h>
#include <unistd.h>

#if DRY_HAVE_FCLIB
#include <fclib.h>
#endif

enum { UNKNOWNS_MAX = 96 };

static const double h = 1.0 / 60.0;

/* A world whose contacts are those of its poses. */
static dry_world *ground(void)
{
    dry_settings settings = test_settings();
    settings.sleep = false;
    dry_world *world = world_with(settings);
    add_floor(world, 10, 0);
    return world;
}

static void read_problem(lab_contact_problem *p, dry_world *world)
{
    assert_ok(dry_world_step(world, 0));
    const char *failure = lab_contact_problem_of(p, world, h);
    if (failure)
        fail_msg("%s", failure);
}

static double residual(const lab_contact_problem *p, const double *impulse)
{
    double velocity[UNKNOWNS_MAX];
    assert_at_most(3 * p->points, UNKNOWNS_MAX);
    return lab_contact_problem_residual(p, impulse, p->force, velocity);
}

/* A cube of mass m at rest, or sliding along x: its four points bear m g h, and friction is mu of that. The
 * center is as high as the points are far from it along x, so that the moment of friction puts a share of 1 +
 * mu on the front and 1 - mu on the back. */
static void cube_impulses(const lab_contact_problem *p, double mass, double slide, double *impulse)
{
    const double load = mass * TEST_G * h / 4;
    for (int i = 0; i < p->points; i++) {
        const lab_system_row *normal = &p->rows[3 * i];
        const double arm = normal->b >= 0 ? normal->jb[5] : normal->ja[5];
        const double share = slide > 0 ? 1 + p->mu[i] * (arm > 0 ? 1 : -1) : 1;
        impulse[3 * i] = load * share;
        for (int t = 1; t < 3; t++) {
            const lab_system_row *row = &p->rows[3 * i + t];
            const double along = row->b >= 0 ? row->jb[0] : row->ja[0];
            impulse[3 * i + t] = slide > 0 ? -p->mu[i] * load * share * along : 0;
        }
    }
}

static void test_cubes_at_rest_and_sliding_are_solved_by_closed_forms(void **state)
{
    (void)state;
    for (int sliding = 0; sliding < 2; sliding++) {
        dry_world *world = ground();
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        shape.friction = 0.01f; /* on a floor of 10: 0.32 */
        const dry_body_id cube = add_dynamic(world, pose_at(0, 0.5, 0), shape);
        set_velocity(world, cube, (d3){sliding * 3.0, 0, 0}, (d3){0, 0, 0});
        lab_contact_problem p;
        read_problem(&p, world);
        assert_int_equal(p.points, 4);
        assert_int_equal(p.equations, 0);
        double impulse[UNKNOWNS_MAX];
        cube_impulses(&p, (double)mass_of(world, cube).mass, sliding, impulse);
        assert_at_most(residual(&p, impulse), 1e-6); /* poses and normals are floats */
        impulse[0] *= 1.01;
        assert_true(residual(&p, impulse) > 1e-4);
        lab_contact_problem_free(&p);
        dry_world_destroy(world);
    }
}

/* A point's solution meets the law itself: u + (mu |u_T|, 0, 0) in the dual cone, r in the cone, and
 * orthogonal. */
static void test_a_point_is_solved_exactly(void **state)
{
    (void)state;
    uint64_t random = 7;
    int outcomes[3] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        double w[3][3] = {{0}}, r[3], u[3];
        const double mu = trial % 5 ? random_in(&random, -0.5, 0.5) + 0.5 : 0.0;
        double b[4][3], q[3];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) {
                const double number = random_in(&random, -0.5, 0.5);
                b[i][k] = number * (i == 3 ? 1 : pow(10, random_in(&random, -0.5, 0.5)));
            }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++)
                    w[i][k] += b[i][j] * b[k][j] + (i == k ? 0.003 : 0);
        for (int k = 0; k < 3; k++)
            q[k] = random_in(&random, -0.5, 0.5);
        lab_contact_solve_point((const double(*)[3])w, q, mu, r);
        for (int i = 0; i < 3; i++)
            u[i] = q[i] + w[i][0] * r[0] + w[i][1] * r[1] + w[i][2] * r[2];
        const double slip = hypot(u[1], u[2]), drag = hypot(r[1], r[2]), scale = 1e-9 * (1 + r[0]);
        assert_at_most(-u[0], scale);
        assert_at_most(drag - mu * r[0], scale);
        assert_at_most(fabs((u[0] + mu * slip) * r[0] + u[1] * r[1] + u[2] * r[2]), scale * (1 + r[0]));
        outcomes[r[0] == 0 ? 0 : slip < 1e-9 * (1 + r[0]) ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(outcomes[i] > 100); /* leaves, sticks, slides */
}

/* A gap may close within the step, and does not push. */
static void test_a_gap_may_close(void **state)
{
    (void)state;
    dry_world *world = ground();
    const dry_body_id ball = add_dynamic(world, pose_at(0, 0.51, 0), sphere_shape(0.5));
    for (int fast = 0; fast < 2; fast++) {
        set_velocity(world, ball, (d3){0, fast ? -2.0 : 0.0, 0}, (d3){0, 0, 0});
        lab_contact_problem p;
        read_problem(&p, world);
        assert_int_equal(p.points, 1);
        double impulse[3] = {0};
        const double free_speed = (fast ? 2.0 : 0.0) + TEST_G * h, stopped = free_speed - 0.01 / h;
        assert_near(p.q[0], -stopped, 1e-4);
        impulse[0] = fast ? (double)mass_of(world, ball).mass * stopped : 0;
        assert_at_most(residual(&p, impulse), 1e-4);
        lab_contact_problem_free(&p);
    }
    dry_world_destroy(world);
}

/* W_ij of two points of one body is n_i . K n_j, with K the inverse mass that the public call tells. */
static void test_w_is_the_inverse_mass_between_points(void **state)
{
    (void)state;
    dry_world *world = ground();
    const dry_body_id box = add_dynamic(world, pose_at(0, 0.3, 0), box_shape(0.5, 0.3, 0.8));
    lab_contact_problem p;
    read_problem(&p, world);
    dry_contact contact;
    int count;
    assert_ok(dry_body_get_contacts(world, box, &contact, 1, &count));
    assert_int_equal(count, 1);
    double worst = 0;
    for (int j = 0; j < p.w.columns; j++)
        for (int k = p.w.start[j]; k < p.w.start[j + 1]; k++) {
            const int i = p.w.row[k];
            float inverse[3][3];
            assert_ok(dry_body_get_inverse_mass_at(world, box, contact.points[j / 3].position,
                                                   contact.points[i / 3].position, inverse));
            const lab_system_row *ri = &p.rows[i], *rj = &p.rows[j];
            const double *ni = ri->b >= 0 ? ri->jb : ri->ja, *nj = rj->b >= 0 ? rj->jb : rj->ja;
            double expected = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    expected += ni[a] * (double)inverse[a][b] * nj[b];
            worst = fmax(worst, fabs(p.w.value[k] - expected) * (double)mass_of(world, box).mass);
        }
    assert_at_most(worst, 1e-5);
    lab_contact_problem_free(&p);
    dry_world_destroy(world);
}

/* A cube that hangs beside the floor's cube: joints' rows are the equations, and their impulses carry its
 * weight. */
static void test_joints_are_equations(void **state)
{
    (void)state;
    dry_world *world = ground();
    add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = add_dynamic(world, pose_at(3, 3, 0), box_shape(0.5, 0.5, 0.5));
    def.target = (dry_position){3, 4, 0};
    def.anchor_b = v3(0, 1, 0);
    join(world, &def);
    run_steps(world, 30, TEST_DT);
    lab_contact_problem p;
    read_problem(&p, world);
    assert_int_equal(p.equations, 3);
    run_steps(world, 1, TEST_DT);
    assert_null(lab_contact_problem_read_impulses(&p, world));
    assert_near(p.force[1], (double)mass_of(world, def.body_b).mass * TEST_G * h, 1e-3);
    assert_at_most(residual(&p, p.impulse), 1e-4); /* what the engine's own step gave */
    lab_contact_problem_free(&p);
    dry_world_destroy(world);
}

static void test_what_the_format_cannot_hold_is_refused(void **state)
{
    (void)state;
    lab_contact_problem p;
    dry_world *world = ground();
    dry_shape_def ball = sphere_shape(0.5);
    ball.rolling_resistance = 0.1f;
    add_dynamic(world, pose_at(0, 0.5, 0), ball);
    assert_ok(dry_world_step(world, 0));
    const char *failure = lab_contact_problem_of(&p, world, h);
    assert_true(failure && strstr(failure, "rolling resistance"));
    lab_contact_problem_free(&p);
    dry_world_destroy(world);

    world = ground();
    ball.rolling_resistance = 0;
    ball.static_friction = 0.9f;
    add_dynamic(world, pose_at(0, 0.5, 0), ball);
    assert_ok(dry_world_step(world, 0));
    failure = lab_contact_problem_of(&p, world, h);
    assert_true(failure && strstr(failure, "static friction"));
    lab_contact_problem_free(&p);
    dry_world_destroy(world);

    world = ground();
    const dry_body_id plate = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0.25, 0), box_shape(2, 0.25, 2));
    add_dynamic(world, pose_at(0, 1, 0), box_shape(0.5, 0.5, 0.5));
    for (int moves = 0; moves < 2; moves++) {
        set_velocity(world, plate, (d3){moves, 0, 0}, (d3){0, 0, 0});
        assert_ok(dry_world_step(world, 0));
        failure = lab_contact_problem_of(&p, world, h);
        assert_true(moves ? failure && strstr(failure, "kinematic") : !failure);
        lab_contact_problem_free(&p);
    }
    dry_world_destroy(world);

    for (int rope = 0; rope < 2; rope++) {
        world = ground();
        dry_joint_def sprung = dry_default_joint_def(DRY_JOINT_DISTANCE);
        sprung.body_b = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
        sprung.target = (dry_position){0, 5, 0};
        sprung.stiffness = rope ? 0 : 100;
        sprung.length_max = rope ? 3 : INFINITY;
        join(world, &sprung);
        failure = lab_contact_problem_of(&p, world, h);
        assert_true(failure && strstr(failure, "spring, a rope or a strut"));
        lab_contact_problem_free(&p);
        dry_world_destroy(world);
    }

    for (int stop = 0; stop < 2; stop++) {
        world = ground();
        dry_joint_def def = dry_default_joint_def(stop ? DRY_JOINT_HINGE : DRY_JOINT_SLIDER);
        def.body_b = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
        if (stop)
            def.axes[DRY_AXIS_RX].max = 1;
        join(world, &def);
        failure = lab_contact_problem_of(&p, world, h);
        assert_true(failure && strstr(failure, stop ? "stop" : "type"));
        lab_contact_problem_free(&p);
        dry_world_destroy(world);
    }
}

#if DRY_HAVE_FCLIB
enum { PATH_BYTES = 4096 };

/* FCLIB reads back what was written, and its own merit function finds the closed form. */
static void test_fclib_reads_the_file(void **state)
{
    (void)state;
    dry_world *world = ground();
    const dry_body_id cube = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    lab_contact_problem p;
    read_problem(&p, world);
    cube_impulses(&p, (double)mass_of(world, cube).mass, 0, p.impulse);
    char folder[PATH_BYTES], path[PATH_BYTES + 16];
    const char *place = getenv("TMPDIR");
    assert_true(snprintf(folder, sizeof folder, "%s/drystone-test-XXXXXX",
                         place && place[0] ? place : "/tmp") < (int)sizeof folder);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/problem.hdf5", folder);
    assert_true(fclib_file_write(&p, "cube", path));
    struct fclib_local *read = fclib_read_local(path);
    assert_non_null(read);
    assert_int_equal(read->spacedim, 3);
    assert_int_equal(read->W->m, p.w.rows);
    assert_int_equal(read->W->nzmax, p.w.start[p.w.columns]);
    assert_memory_equal(read->W->x, p.w.value, (size_t)read->W->nzmax * sizeof(double));
    assert_memory_equal(read->q, p.q, (size_t)p.w.rows * sizeof(double));
    assert_memory_equal(read->mu, p.mu, (size_t)p.points * sizeof(double));
    int count = 0;
    struct fclib_solution *guess = fclib_read_guesses(path, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(guess->r, p.impulse, (size_t)p.w.rows * sizeof(double));
    assert_at_most(fclib_merit_local(read, MERIT_1, guess), 1e-6);
    guess->r[0] *= 2;
    assert_true(fclib_merit_local(read, MERIT_1, guess) > 1e-3);
    fclib_delete_solutions(guess, 1);
    fclib_delete_local(read);
    free(read);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    lab_contact_problem_free(&p);
    dry_world_destroy(world);
}
#else
static void test_fclib_reads_the_file(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes_at_rest_and_sliding_are_solved_by_closed_forms),
        cmocka_unit_test(test_a_point_is_solved_exactly),
        cmocka_unit_test(test_a_gap_may_close),
        cmocka_unit_test(test_w_is_the_inverse_mass_between_points),
        cmocka_unit_test(test_joints_are_equations),
        cmocka_unit_test(test_what_the_format_cannot_hold_is_refused),
        cmocka_unit_test(test_fclib_reads_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
