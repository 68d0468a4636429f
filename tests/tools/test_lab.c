/* Tests of the lab: its solvers against closed forms, its matrices against the engine's own answers, and each
 * experiment's rows: measured values agree with exact ones within the bound that the row states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/quick.h"
#include "tests/tools/svg_labels.h"
#include "tools/lab/chain.h"
#include "tools/lab/siconos.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Calls a function as an experiment, for its memory and worlds. */
static void within_a_run(void (*perform)(lab_run *run))
{
    const lab_experiment experiment = {"test", "test", "", 1, perform, false};
    const lab_options options = {.quick = true};
    lab_result result;
    const char *failure = lab_perform(&experiment, &options, &result);
    if (failure)
        fail_msg("%s", failure);
    lab_result_free(&result);
}

static uint32_t random_state = 1;
static double random_unit(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) / 16777216.0 - 0.5;
}

/* A = B B^T + shift, b random. */
static lab_problem random_problem(lab_run *run, int n, int rank, double shift)
{
    lab_problem p = lab_problem_of(run, n);
    double *b = lab_doubles(run, n * rank);
    for (int i = 0; i < n * rank; i++)
        b[i] = random_unit();
    for (int i = 0; i < n; i++) {
        p.b[i] = random_unit();
        for (int j = 0; j < n; j++)
            p.a[i * n + j] = lab_dot(&b[i * rank], &b[j * rank], rank) + (i == j ? shift : 0.0);
    }
    return p;
}

static void solvers(lab_run *run)
{
    for (int n = 1; n <= 20; n++) {
        const lab_problem p = random_problem(run, n, n, 0.5);
        double *x = lab_doubles(run, n), *y = lab_doubles(run, n), *r = lab_doubles(run, n);
        double *lengths = lab_doubles(run, 3 * n + 20);
        assert_int_equal(lab_solve(run, &p, x), 0);
        assert_true(lab_residual(&p, x, r) < 1e-12);
        lab_conjugate_gradients(run, &p, n % 2, y, 3 * n, lengths);
        for (int i = 0; i < n; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-9);
        const lab_method sor = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.2};
        memset(y, 0, (size_t)n * sizeof *y);
        for (int k = 0; k < 2000; k++)
            lab_sweep(&p, &sor, k, y, r);
        for (int i = 0; i < n; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-9);
    }
    /* Rows of rank 3 only: three pivots, and a consistent right side is met. */
    lab_problem p = random_problem(run, 8, 3, 0.0);
    double *x = lab_doubles(run, 8), *r = lab_doubles(run, 8), *wanted = lab_doubles(run, 8);
    for (int i = 0; i < 8; i++)
        wanted[i] = random_unit();
    for (int i = 0; i < 8; i++)
        p.b[i] = lab_dot(&p.a[i * 8], wanted, 8);
    assert_int_equal(lab_solve(run, &p, x), 5);
    assert_true(lab_residual(&p, x, r) < 1e-9);
}

static void test_solvers(void **state)
{
    (void)state;
    within_a_run(solvers);
}

/* Returns the solution with x >= 0, A x - b >= 0 and x (A x - b) = 0 by trying every set of positive x. */
static bool enumerate(lab_run *run, const lab_problem *p, double *x)
{
    for (int set = 0; set < 1 << p->n; set++) {
        int index[8], count = 0;
        for (int i = 0; i < p->n; i++)
            if (set >> i & 1)
                index[count++] = i;
        lab_problem part = lab_problem_of(run, count);
        double *y = lab_doubles(run, count);
        for (int i = 0; i < count; i++) {
            part.b[i] = p->b[index[i]];
            for (int j = 0; j < count; j++)
                part.a[i * count + j] = p->a[index[i] * p->n + index[j]];
        }
        lab_solve(run, &part, y);
        memset(x, 0, (size_t)p->n * sizeof *x);
        bool right = true;
        for (int i = 0; i < count; i++) {
            x[index[i]] = y[i];
            right = right && y[i] >= 0.0;
        }
        for (int i = 0; i < p->n; i++)
            right = right && ((set >> i & 1) || lab_dot(&p->a[i * p->n], x, p->n) - p->b[i] >= -1e-12);
        if (right)
            return true;
    }
    return false;
}

static void projected(lab_run *run)
{
    for (int round = 0; round < 20; round++) {
        enum { N = 6 };
        lab_problem p = random_problem(run, N, N, 0.3);
        double *x = lab_doubles(run, N), *y = lab_doubles(run, N), *work = lab_doubles(run, N);
        assert_true(enumerate(run, &p, x));
        p.lo = lab_doubles(run, N);
        p.hi = lab_doubles(run, N);
        for (int i = 0; i < N; i++)
            p.hi[i] = 1e300;
        const lab_method projected = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .alternate = round % 2};
        for (int k = 0; k < 2000; k++)
            lab_sweep(&p, &projected, k, y, work);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-10);
        assert_true(lab_residual(&p, y, work) < 1e-10);
        /* Two by two, from the largest numbers to the smallest, with all of the coupling and with part of it.
         */
        const int order[N / 2] = {4, 2, 0}, partner[N] = {1, -1, 3, -1, 5, -1};
        const lab_method pairs = {.kind = LAB_GAUSS_SEIDEL,
                                  .relaxation = 1.0,
                                  .order = order,
                                  .order_count = N / 2,
                                  .partner = partner,
                                  .coupling = round % 2 ? 63.0 / 64.0 : 0.0};
        memset(y, 0, N * sizeof *y);
        for (int k = 0; k < 2000; k++)
            lab_sweep(&p, &pairs, k, y, work);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - y[i]) < 1e-10);
    }
}

static void test_projected_sweeps_solve_the_complementarity_problem(void **state)
{
    (void)state;
    within_a_run(projected);
}

/* A matrix of known eigenvalues, and one with a double root and only one eigenvector. */
static void spectra(lab_run *run)
{
    enum { N = 12 };
    double *g = lab_doubles(run, N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            g[i * N + j] = i - j == 1 || j - i == 1 ? 0.5 : 0.0;
    const double expected = cos(pi / (N + 1));
    assert_true(fabs(lab_radius(run, g, N) - expected) < 1e-8);
    assert_true(fabs(lab_power_radius(run, g, N, 2000) - expected) < 1e-6);
    const double jordan[4] = {0.7, 1.0, 0.0, 0.7}, turning[4] = {0.0, -0.9, 0.9, 0.0};
    assert_true(fabs(lab_radius(run, jordan, 2) - 0.7) < 1e-6);
    assert_true(fabs(lab_radius(run, turning, 2) - 0.9) < 1e-8);
}

static void test_radii(void **state)
{
    (void)state;
    within_a_run(spectra);
}

/* Two turned boxes joined off their centers: the blocks of A are the sums of the engine's inverse mass
 * matrices. */
static void matrices(lab_run *run)
{
    const dry_settings settings = lab_settings(1);
    dry_world *world = lab_world(run, &settings);
    dry_body_id id[2];
    dry_shape_def box = dry_default_shape_def();
    for (int i = 0; i < 2; i++) {
        dry_body_def def = dry_default_body_def();
        box.half_extents = (dry_vec3){0.2f + 0.1f * (float)i, 0.4f, 0.3f};
        box.pose.position.x = 0.1f;
        def.type = DRY_BODY_DYNAMIC;
        def.shapes = &box;
        def.shape_count = 1;
        def.pose.position = (dry_position){2.0 * i, 1.0, -0.5 * i};
        def.pose.orientation = (dry_quat){0.1f + 0.5f * (float)i, 0.7f, -0.1f, 0.7f};
        const dry_quat q = def.pose.orientation;
        const float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        def.pose.orientation = (dry_quat){q.x / length, q.y / length, q.z / length, q.w / length};
        lab_check(run, dry_world_create_body(world, &def, &id[i]));
    }
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = id[0];
    def.body_b = id[1];
    def.anchor_a = (dry_vec3){0.3f, -0.2f, 0.6f};
    def.anchor_b = (dry_vec3){-0.5f, 0.1f, 0.2f};
    lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    const lab_system system = lab_system_of(run, world);
    const lab_spook none = {.approach = 1.0};
    const lab_problem p = lab_system_problem(run, &system, &none, settings.gravity, 0.01);
    assert_int_equal(p.n, 3);
    float expected[2][3][3];
    for (int i = 0; i < 2; i++) {
        /* The anchor in the world is the center plus the row's lever arm: rebuild it from the angular part.
         */
        dry_pose pose;
        lab_check(run, dry_body_get_pose(world, id[i], &pose));
        const dry_vec3 v = i ? def.anchor_b : def.anchor_a;
        const dry_quat q = pose.orientation;
        const dry_vec3 t = {2.0f * (q.y * v.z - q.z * v.y), 2.0f * (q.z * v.x - q.x * v.z),
                            2.0f * (q.x * v.y - q.y * v.x)};
        const dry_position at = {pose.position.x + v.x + q.w * t.x + (q.y * t.z - q.z * t.y),
                                 pose.position.y + v.y + q.w * t.y + (q.z * t.x - q.x * t.z),
                                 pose.position.z + v.z + q.w * t.z + (q.x * t.y - q.y * t.x)};
        lab_check(run, dry_body_get_inverse_mass_at(world, id[i], at, at, expected[i]));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double wanted = (double)expected[0][i][j] + (double)expected[1][i][j];
            assert_true(fabs(p.a[3 * i + j] - wanted) < 1e-6 * p.a[0]);
        }
}

static void test_matrices_are_the_engines(void **state)
{
    (void)state;
    within_a_run(matrices);
}

/* Two turned boxes on a hinge whose velocities it does not allow: a short step of direct joints gives them
 * those that a dense solve of A x = -J v does. */
static void hinged(lab_run *run)
{
    dry_settings settings = lab_settings(1);
    settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    dry_world *world = lab_world(run, &settings);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    dry_shape_def box = dry_default_shape_def();
    box.half_extents = (dry_vec3){0.2f, 0.4f, 0.3f};
    for (int i = 0; i < 2; i++) {
        dry_body_def body = dry_default_body_def();
        body.type = DRY_BODY_DYNAMIC;
        body.shapes = &box;
        body.shape_count = 1;
        body.mass = 1.0f + 4.0f * (float)i;
        body.pose.position = (dry_position){-0.6 + 1.2 * i, 0.0, 0.0};
        body.pose.orientation = (dry_quat){0.5f, 0.5f, 0.5f, 0.5f}; /* takes x to y, y to z, z to x */
        body.velocity = (dry_velocity){{0.3f * (float)i, 0.2f, -0.4f}, {0.5f, 0.7f * (float)i, 0.3f}};
        lab_check(run, dry_world_create_body(world, &body, i ? &def.body_b : &def.body_a));
    }
    def.anchor_a = (dry_vec3){0.0f, 0.0f, 0.6f};
    def.anchor_b = (dry_vec3){0.0f, 0.0f, -0.6f};
    def.orientation_a = def.orientation_b = (dry_quat){0.36f, 0.48f, 0.0f, 0.8f};
    lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    const lab_system before = lab_system_of(run, world);
    const lab_spook rigid = {.approach = 1.0};
    const lab_problem p = lab_system_problem(run, &before, &rigid, settings.gravity, 1e-6);
    assert_int_equal(p.n, 5);
    double x[5], change[2][6];
    assert_int_equal(lab_solve(run, &p, x), 0);
    lab_system_changes(&before, x, change);
    lab_check(run, dry_world_step(world, 1e-6f));
    const lab_system after = lab_system_of(run, world);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++)
            assert_true(fabs(before.velocity[i][k] + change[i][k] - after.velocity[i][k]) < 1e-5);
    assert_true(lab_length(change[0], 6) > 0.1);
}

static void test_hinges_are_the_engines(void **state)
{
    (void)state;
    within_a_run(hinged);
}

enum { EXPERIMENTS_MAX = 32 };
static lab_result results[EXPERIMENTS_MAX];

/* Returns the result of an experiment's quick form, which is performed once. */
static const lab_result *result_of(const lab_experiment *e)
{
    const lab_options options = {.quick = true};
    const ptrdiff_t i = e - lab_experiments();
    assert_in_range(i, 0, EXPERIMENTS_MAX - 1);
    if (!results[i].experiment) {
        const char *failure = lab_perform(e, &options, &results[i]);
        if (failure)
            fail_msg("%s: %s", e->name, failure);
    }
    return &results[i];
}

static int free_results(void **state)
{
    (void)state;
    for (int i = 0; i < EXPERIMENTS_MAX; i++)
        lab_result_free(&results[i]);
    return 0;
}

/* Returns how many rows are beyond their bounds. */
static int rows_missed(const lab_result *result)
{
    int missed = 0;
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        if (!lab_row_holds(row)) {
            print_error("%s: %s: predicted %g, exact %g, measured %g\n", result->experiment->name,
                        row->quantity, row->predicted, row->exact, row->measured);
            missed++;
        }
    }
    return missed;
}

static void test_experiments(void **state)
{
    (void)state;
    for (const lab_experiment *e = lab_experiments(); e->name; e++) {
        const lab_result *result = result_of(e);
        assert_true(result->row_count > 0);
        assert_int_equal(rows_missed(result), 0);
    }
}

/* Returns how many rows have neither a bound nor a reason for having none, or both. A row that nothing is
 * known of needs neither. */
static int rows_without_reason(const lab_result *result)
{
    int count = 0;
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        const bool known = !isnan(row->exact) || !isnan(row->predicted), bound = row->tolerance < 1e100;
        if (known ? bound == (row->why != NULL) : row->why != NULL) {
            print_error("%s: %s: %s\n", result->experiment->name, row->quantity,
                        row->why ? row->why : "no bound and no reason");
            count++;
        }
    }
    return count;
}

static void test_rows_have_bounds_or_reasons(void **state)
{
    (void)state;
    int missed = 0;
    for (const lab_experiment *e = lab_experiments(); e->name; e++)
        missed += rows_without_reason(result_of(e));
    assert_int_equal(missed, 0);
}

/* The forms whose numbers the page has, but for the experiments that take minutes. */
static void test_full_forms(void **state)
{
    (void)state;
    if (test_quick())
        skip();
    const lab_options options = {0};
    int missed = 0;
    for (const lab_experiment *e = lab_experiments(); e->name; e++) {
        if (e->slow)
            continue;
        lab_result result;
        const char *failure = lab_perform(e, &options, &result);
        if (failure)
            fail_msg("%s: %s", e->name, failure);
        missed += rows_missed(&result) + rows_without_reason(&result);
        lab_result_free(&result);
    }
    assert_int_equal(missed, 0);
}

/* The page has a note for each reason, once, and its number at each row that it is about. */
static void test_notes(void **state)
{
    (void)state;
    lab_row rows[4] = {{.quantity = "a", .measured = 1.0, .exact = 1.0, .predicted = NAN, .time = NAN},
                       {.quantity = "b", .measured = 2.0, .exact = 1.0, .predicted = NAN, .time = NAN},
                       {.quantity = "c", .measured = 2.0, .exact = 1.0, .predicted = NAN, .time = NAN},
                       {.quantity = "d", .measured = 2.0, .exact = 1.0, .predicted = NAN, .time = NAN}};
    lab_unbounded(&rows[1], "first");
    lab_unbounded(&rows[2], "second");
    lab_unbounded(&rows[3], "first");
    const lab_result result = {.experiment = lab_experiments(), .rows = rows, .row_count = 4};
    char text[16384] = {0};
    FILE *file = fmemopen(text, sizeof text - 1, "w");
    assert_non_null(file);
    lab_write_page_chapter(file, &result, NULL);
    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(text, "\n| a | "));
    assert_non_null(strstr(text, "\n| b (1) | "));
    assert_non_null(strstr(text, "\n| c (2) | "));
    assert_non_null(strstr(text, "\n| d (1) | "));
    assert_non_null(strstr(text, "\n\n- (1) Without a bound: first.\n- (2) Without a bound: second.\n"));
}

/* A bound is one where the page prints it, and is held on its own side alone. */
static void test_bounds(void **state)
{
    (void)state;
    lab_row rows[3] = {
        {.quantity = "a", .measured = 0.5, .exact = 1.0, .predicted = NAN, .time = NAN},
        {.quantity = "b", .measured = 0.5, .exact = NAN, .predicted = 0.25, .time = NAN},
        {.quantity = "c", .measured = 1.5, .exact = 1.0, .predicted = 2.0, .time = NAN},
    };
    lab_bound(&rows[0], LAB_AT_MOST);
    lab_bound(&rows[1], LAB_AT_LEAST);
    lab_bound(&rows[2], LAB_AT_MOST);
    assert_true(lab_row_holds(&rows[0]));
    assert_true(lab_row_holds(&rows[1]));
    assert_false(lab_row_holds(&rows[2]));
    rows[2].relation = LAB_AT_LEAST;
    assert_true(lab_row_holds(&rows[2]));
    rows[2].relation = LAB_EQUAL;
    assert_false(lab_row_holds(&rows[2]));
    const lab_result result = {.experiment = lab_experiments(), .rows = rows, .row_count = 3};
    char text[16384] = {0};
    FILE *file = fmemopen(text, sizeof text - 1, "w");
    assert_non_null(file);
    lab_write_page_chapter(file, &result, NULL);
    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(text, "\n| a | - | - | at most 1 | 0.5 | -50 % |\n"));
    assert_non_null(strstr(text, "\n| b | - | at least 0.25 | - | 0.5 | 1e+02 % |\n"));
    assert_non_null(strstr(text, "\n| c | - | 2 | 1 | 1.5 | 50 % | **does not hold**\n"));
}

/* Digits below the error of a measured value are not printed, nor is a difference within it. */
static void test_digits(void **state)
{
    (void)state;
    static const struct {
        double measured, error;
        const char *printed;
    } cases[] = {{811.13, 0.0, "| 811.13 | 1.4 % |"},      {811.13, 0.03, "| 811.1 | 1.4 % |"},
                 {811.13, 0.3, "| 811 | 1.4 % |"},         {811.13, 3.0, "| 810 | 1.4 % |"},
                 {811.13, 12.0, "| 800 | < 2 % |"},        {0.0123456, 0.0003, "| 0.012 | -1e+02 % |"},
                 {-799.96, 0.02, "| -800.0 | -2e+02 % |"}, {800.0, 0.9, "| 800 | < 0.2 % |"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_row row = {.quantity = "a", .measured = cases[i].measured, .exact = 800.0, .predicted = NAN};
        row.tolerance = 10.0, row.time = NAN;
        lab_uncertain(&row, cases[i].error);
        const lab_result result = {.experiment = lab_experiments(), .rows = &row, .row_count = 1};
        char text[16384] = {0};
        FILE *file = fmemopen(text, sizeof text - 1, "w");
        assert_non_null(file);
        lab_write_page_chapter(file, &result, NULL);
        assert_int_equal(fclose(file), 0);
        if (!strstr(text, cases[i].printed))
            fail_msg("%s is not in %s", cases[i].printed, strstr(text, "\n| a"));
    }
}

/* Returns a plot's SVG, which the caller frees. */
static char *svg_of(const lab_plot *plot)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    lab_write_svg(file, plot);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void check_labels(const char *svg, const char *name, int least)
{
    static svg_labels labels;
    svg_read_labels(svg, &labels);
    assert_in_range(labels.count, least, SVG_LABELS_MAX - 1);
    const svg_label *fails = svg_label_that_fails(&labels);
    if (fails)
        fail_msg("%s: '%s' at %g to %g, %g to %g of %g x %g", name, fails->text, fails->left, fails->right,
                 fails->top, fails->bottom, labels.width, labels.height);
}

/* Labels as long as a plot may have, of the widest characters and of words, are within the canvas, and none
 * covers another one. The widths are those that a renderer shows. */
static void test_labels(void **state)
{
    (void)state;
    static const char *const words[] = {"W", "wide words of labels ", "<&>", "a"};
    double x[3] = {-1e-7, 0.0, 123456.0}, y[3] = {0.0, -2e-300, 1e300};
    for (int w = 0; w < 4; w++)
        for (int count = 1; count <= LAB_SERIES_MAX; count += LAB_SERIES_MAX - 1)
            for (int scale = 0; scale < 4; scale++) {
                lab_plot plot = {.log_x = scale & 1, .log_y = scale & 2, .series_count = count};
                char label[LAB_TEXT] = "";
                while (strlen(label) + strlen(words[w]) < sizeof label)
                    strcat(label, words[w]);
                strcpy(plot.title, label);
                strcpy(plot.x_label, label);
                strcpy(plot.y_label, label);
                for (int i = 0; i < count; i++) {
                    plot.series[i] = (lab_series){.x = x, .y = y, .count = 3};
                    strcpy(plot.series[i].name, label);
                }
                char *svg = svg_of(&plot);
                check_labels(svg, label, 8);
                free(svg);
            }
    assert_true(fabs(lab_text_width("Gauss-Seidel forward, relaxed by 1.3", 36, 12.0) - 221.0) < 2.0);
    assert_true(fabs(lab_text_width("WWWW mmmm iiii 1e-06", 20, 12.0) - 153.0) < 2.0);
}

/* A logarithmic axis has a place of its own for zeros, apart from all other values, and marks each. */
static void test_zeros(void **state)
{
    (void)state;
    double x[4] = {1.0, 2.0, 3.0, 4.0}, y[4] = {0.0, 10.0, 100.0, 0.0};
    lab_plot plot = {.log_y = true, .series_count = 1};
    plot.series[0] = (lab_series){.name = "curve", .x = x, .y = y, .count = 4};
    for (int kind = 0; kind < 3; kind++) {
        y[0] = kind == 2 ? -5.0 : 0.0;
        plot.log_y = kind > 0;
        char *svg = svg_of(&plot);
        int rings = 0, dots = 0;
        double ring = 0.0, lowest = 0.0;
        for (const char *at = strstr(svg, "<circle"); at; at = strstr(at + 1, "<circle")) {
            const char *end = strstr(at, "/>");
            const bool hollow = strstr(at, "fill=\"none\"") && strstr(at, "fill=\"none\"") < end;
            const double down = svg_number(at, end, "cy=\"", NAN);
            rings += hollow, dots += !hollow;
            if (hollow)
                ring = down;
            else
                lowest = fmax(lowest, down);
        }
        assert_int_equal(rings, kind > 0 ? 2 : 0);
        assert_int_equal(dots, kind > 0 ? 2 : 4);
        assert_true(kind == 0 || ring > lowest + 10.0);
        assert_int_equal(strstr(svg, ">0</text>") != NULL, kind < 2);
        assert_int_equal(strstr(svg, ">&lt;= 0</text>") != NULL, kind == 2);
        free(svg);
    }
}

/* Each experiment draws, and a plot has a name of its own, a curve at least, labels that fit, and no more
 * bytes than a page may have. */
static void test_plots(void **state)
{
    (void)state;
    for (const lab_experiment *e = lab_experiments(); e->name; e++) {
        const lab_result *result = result_of(e);
        assert_true(result->plot_count > 0);
        for (int i = 0; i < result->plot_count; i++) {
            char *svg = svg_of(&result->plots[i]);
            assert_true(result->plots[i].series_count > 0);
            for (int k = 0; k < i; k++)
                assert_string_not_equal(result->plots[i].name, result->plots[k].name);
            check_labels(svg, result->plots[i].name, 5);
            assert_in_range(strlen(svg), 500, 30000);
            free(svg);
        }
    }
}

/* The library reports the times of the methods over the default's, which is 1. */
static void test_times(void **state)
{
    (void)state;
    static const char *const names[] = {"choosing", "loads"};
    for (int n = 0; n < 2; n++) {
        const lab_result *result = result_of(lab_find(names[n]));
        assert_true(result->rows[0].time == 1.0);
        for (int i = 0; i < result->row_count; i++)
            assert_true(result->rows[i].time > 0.0 && result->rows[i].time_ms > 0.0);
    }
}

/* Returns the first row whose quantity begins so, of an experiment's quick form. */
static lab_row find_row(const char *experiment, const char *quantity)
{
    const lab_result *result = result_of(lab_find(experiment));
    for (int i = 0; i < result->row_count; i++)
        if (strncmp(result->rows[i].quantity, quantity, strlen(quantity)) == 0)
            return result->rows[i];
    return (lab_row){.measured = NAN, .exact = NAN};
}

/* Returns how many rows of the matrix of Jacobi's sweep, made symmetric, less x have a negative pivot: of a
 * chain of n bodies with ends of so many times the mass, as many as eigenvalues below x. */
static int eigenvalues_below(int n, double ratio, double x)
{
    int count = 0;
    double pivot = 1.0;
    for (int i = 0; i < n - 1; i++) {
        const double here = i == 0 || i == n - 2 ? 1.0 + 1.0 / ratio : 2.0,
                     before = i == 1 ? 1.0 + 1.0 / ratio : 2.0;
        pivot = -x - (i > 0 ? 1.0 / (here * before) / pivot : 0.0);
        count += pivot < 0.0;
    }
    return count;
}

/* The sweeps of chains with heavy ends, to all digits of the page. */
static void test_heavy_ends(void **state)
{
    (void)state;
    static const double ratios[] = {1.0, 10.0, 100.0, 1000.0};
    for (int i = 0; i < 4; i++) {
        double low = 0.0, high = 1.0;
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (low + high);
            if (eigenvalues_below(10, ratios[i], middle) == 9)
                high = middle;
            else
                low = middle;
        }
        char name[80];
        snprintf(name, sizeof name, "sweeps an e-fold, Gauss-Seidel, N = 10, %g:1", ratios[i]);
        assert_true(fabs(find_row("heavy-ends", name).exact * -2.0 * log(low) - 1.0) < 1e-6);
    }
}

/* The figures that the text of the lab quotes, apart from the formulas in its code. */
static void test_figures(void **state)
{
    (void)state;
    assert_true(fabs(find_row("chains", "radius, Gauss-Seidel, N = 10").measured - 0.9045) < 1e-4);
    assert_true(fabs(find_row("chains", "radius, Jacobi, N = 10").measured - 0.9511) < 1e-4);
    assert_true(find_row("chains", "sweeps to 1 % of the slowest mode, Gauss-Seidel").measured == 47.0);
    assert_true(find_row("chains", "sweeps to 1 % of the slowest mode, Jacobi").measured == 92.0);
    assert_true(find_row("chains", "sweeps to 1 % of the slowest mode, relaxed by 1.528").measured == 12.0);
    assert_true(find_row("chains", "sweeps to 1 % of the slowest mode, the engine forward").measured == 47.0);
    assert_true(
        find_row("chains", "sweeps to 1 % of the slowest mode, the engine forward, relaxed").measured ==
        11.0);
    assert_true(fabs(find_row("chains", "radius, blocks, s = 100 m").measured - 0.989) < 1e-4);
    assert_true(
        fabs(find_row("heavy-ends", "sweeps an e-fold, Gauss-Seidel, N = 10, 100:1").measured - 405.0) < 1.0);
    assert_true(fabs(find_row("heavy-ends", "sweeps an e-fold, relaxed by 1.905").measured - 10.1) < 0.1);
    assert_true(fabs(find_row("heavy-ends", "sweeps an e-fold, Gauss-Seidel, N = 10, one").measured - 30.5) <
                0.1);
    assert_true(fabs(find_row("heavy-ends", "sweeps an e-fold, blocks").measured - 12.0) < 0.1);
    assert_true(fabs(find_row("spook", "sweeps to 1e-6, 1 kg under 1000 kg").measured - 13800.0) < 100.0);
    assert_true(fabs(find_row("momentum", "blocks, second particle after a sweep").measured - 0.25) < 1e-12);
    assert_true(
        fabs(find_row("rolling", "rate of rotation over the table's, 440 steps a round, Gauss-Seidel, 4")
                 .measured -
             2.0 / 7.0) < 3e-4);
    assert_true(
        fabs(find_row("rolling", "change of speed in one round of 440 steps, Gauss-Seidel, 4").measured) <
        2e-4);
    assert_true(fabs(find_row("rolling", "change of speed in one round of 440").measured) < 4e-3);
    assert_true(fabs(find_row("inconsistent", "share of joint 1, 1 kg and 10 kg, Gauss").measured -
                     10.0 / 22.0) < 1e-3);
    assert_true(
        fabs(find_row("inconsistent", "share of joint 1, 1 kg and 10 kg, Gauss-Seidel, direct").measured -
             1.0 / 3.0) < 1e-6);
    assert_true(find_row("inconsistent", "speed after 10 s, equal masses, PBD, 1 sweep").measured < 1e-3);
    assert_true(fabs(find_row("neglected", "speed that 23 neglects, points 50 mm").measured + 0.3125) < 1e-6);
    assert_true(find_row("neglected", "stretch of a rod that turns, the engine").measured < 1e-6);
    assert_true(
        find_row("lever", "approach left after a turn of contact and joints, block of 7500").measured >
        0.99997);
    assert_true(find_row("lever", "approach left after one coupled pass").measured < 1e-6);
    assert_true(fabs(find_row("lever", "approach left after 50 sweeps").measured - 0.951) < 1e-3);
    assert_true(fabs(find_row("lever", "approach left after 500 sweeps").measured - 0.001) < 1e-4);
    assert_true(find_row("relaxation", "the same, up by 0.05").measured == 21.0);
    assert_true(find_row("gyroscope", "rod, w dt = 0.1, exact motion: across the push").measured > 0.003);
    assert_true(
        find_row("gyroscope", "rod, w dt = 0.1, exponential, modified inertia: across the push").measured <
        -0.09);
}

static void test_figures_of_integrators_and_positions(void **state)
{
    (void)state;
    assert_true(fabs(find_row("integrators", "1 s in steps of 1/60 s, explicit torque: energy").measured -
                     1.055e-3) < 2e-6);
    assert_true(fabs(find_row("integrators", "1 s in steps of 1/60 s, implicit torque: energy").measured +
                     1.102e-3) < 2e-6);
    assert_true(
        find_row("volumes", "largest error of a volume that falls, a corner of 1 kg, XPBD, 4").measured <
        1e-6);
    assert_true(find_row("relaxation", "the same, adaptive from 0.25").measured == 22.0);
    assert_true(
        fabs(find_row("stretch", "stretch, XPBD, 10 rods, 4 substeps of 1 sweep,").measured - 0.0623) < 1e-5);
    assert_true(fabs(find_row("stretch", "stretch, XPBD by color, 10 rods, 1 substep of 4").measured -
                     0.0989) < 5e-5);
    assert_true(fabs(find_row("stretch", "stretch, AVBD, 10 rods, 4 substeps of 1 sweep,").measured -
                     55.0 * 9.81 / 1e4) < 1e-6);
    assert_true(fabs(find_row("stretch", "stretch, PBD, rigid, relaxed by 1.6, 10 rods, 4").measured -
                     0.00044) < 1e-6);
    assert_true(fabs(find_row("tamis", "the same, two solves of 25 sweeps each, m").measured - 10.791) <
                1e-3);
    const double plain =
        find_row("geometric", "engine's PBD: opening, rods, 100 kg, 4 substeps of 4, plain").measured;
    assert_true(
        fabs(find_row("geometric", "engine's PBD: opening, rods, 100 kg, 4 substeps of 4, stiff").measured -
             plain) < 0.03 * plain);
    assert_true(
        find_row("geometric", "engine's PBD: energy lost, rods, 100 kg, 4 substeps of 4, plain").measured <
        0.02);
    assert_true(find_row("stretch", "sweeps that remove 0.5 of the slowest mode, relaxed").measured == 3.0);
    assert_true(find_row("stretch", "sweeps that remove 0.99 of the slowest mode, relaxed").measured == 12.0);
    assert_true(
        find_row("geometric", "engine's PBD: opening, cubes, 100 kg, 4 substeps of 4, stiff").measured < 0.1);
    assert_true(
        find_row("geometric", "engine's PBD: opening, cubes, 100 kg, 4 substeps of 4, plain").measured > 1.0);
}

/* Siconos, if this build knows it, solves to 1e-10 and finds the exact solver's forces. */
static void test_siconos(void **state)
{
    (void)state;
    const lab_row residual = find_row("exact-time", "residual, tower, Siconos"),
                  force = find_row("exact-time", "force, tower, Siconos against the exact solver");
    if (!lab_siconos_available()) {
        assert_true(isnan(residual.measured));
        skip();
    }
    assert_true(residual.measured <= 1e-10);
    assert_true(force.measured <= 1e-7);
}

static bool stop_at_second_part(const char *experiment, int part, int parts, void *user)
{
    (void)experiment, (void)parts, (void)user;
    return part < 1;
}

static void test_interrupted(void **state)
{
    (void)state;
    const lab_options options = {.quick = true, .progress = stop_at_second_part};
    lab_result result;
    assert_string_equal(lab_perform(lab_find("chains"), &options, &result), "interrupted");
    lab_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_projected_sweeps_solve_the_complementarity_problem),
        cmocka_unit_test(test_radii),
        cmocka_unit_test(test_matrices_are_the_engines),
        cmocka_unit_test(test_hinges_are_the_engines),
        cmocka_unit_test(test_experiments),
        cmocka_unit_test(test_rows_have_bounds_or_reasons),
        cmocka_unit_test(test_full_forms),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_heavy_ends),
        cmocka_unit_test(test_plots),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_figures_of_integrators_and_positions),
        cmocka_unit_test(test_siconos),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, free_results);
}
