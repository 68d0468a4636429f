/* The factors that worlds make of scenes' articulations, against dense ones, and CHOLMOD where installed. */
#include "tests/scene_files.h"
#include "tests/scene_worlds.h"

#include "methods/direct/linkage.h"
#include "methods/direct/springs.h"
#include "solver/data/context.h"
#include "step/stages.h"
#include "world/world.h"

#ifdef HAVE_CHOLMOD
#include <suitesparse/cholmod.h>
#endif

/* A + Sigma of an articulation, by the rows that its factor is of, and alpha. Rows are in the order in which
 * the factor eliminates them: pivots are raised in that order. */
typedef struct linear_system {
    int n;
    int *row;        /* of the articulation */
    double *a, *sum; /* A + Sigma; with alpha */
    double *alpha, *sigma;
} linear_system;

/* A row of G at one of its bodies, and of G M^-1. */
typedef struct row_side {
    int body;
    double g[6], g_over_m[6];
} row_side;

static row_side side_at(const dry_linkage *l, const dry_articulated_joint *joint, int i, int s)
{
    const double sign = s ? 1.0 : -1.0;
    const dry_articulated_row row = dry_linkage_rows_of(l, joint)[i];
    const dry_double3 swing = dry_linkage_swings_of(l, joint)[i].side[s];
    const dry_double3 linear = row.linear, angular = row.angular[s];
    const double share = sign * l->body[joint->body[s]].inverse_mass;
    return (row_side){.body = joint->body[s],
                      .g = {sign * linear.x, sign * linear.y, sign * linear.z, sign * angular.x,
                            sign * angular.y, sign * angular.z},
                      .g_over_m = {share * linear.x, share * linear.y, share * linear.z, sign * swing.x,
                                   sign * swing.y, sign * swing.z}};
}

static linear_system make_system(const dry_linkage *l)
{
    const dry_factor *f = &l->factor->factor;
    const size_t n = (size_t)l->rows;
    linear_system m = {.n = l->rows};
    m.row = calloc(n, sizeof *m.row);
    m.a = calloc(n * n, sizeof(double));
    m.sum = calloc(n * n, sizeof(double));
    m.alpha = calloc(n, sizeof(double));
    row_side(*side)[2] = calloc(n, sizeof *side);
    m.sigma = calloc(n, sizeof(double));
    assert_true(m.row && m.a && m.sum && m.alpha && m.sigma && side);
    int at = 0;
    for (int k = 0; k < f->nodes; k++) {
        const dry_articulated_joint *joint = &l->joint[f->order[k]];
        for (int i = 0; i < joint->rows; i++, at++) {
            m.row[at] = joint->row - l->articulation->row_begin + i;
            assert_int_equal(m.row[at], f->first_row[f->order[k]] + i);
            m.alpha[at] = f->alpha[m.row[at]];
            for (int s = 0; s < 2; s++)
                side[at][s] = side_at(l, joint, i, s);
            const int spring = i - dry_linkage_locked(joint);
            m.sigma[at] = spring < 0 ? 0.0 : l->spring[joint->spring + spring].sigma;
        }
    }
    assert_int_equal(at, m.n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? m.sigma[i] : 0.0;
            for (int s = 0; s < 4; s++)
                for (int c = 0; c < 6 && side[i][s / 2].body == side[j][s % 2].body; c++)
                    sum += side[i][s / 2].g[c] * side[j][s % 2].g_over_m[c];
            m.a[i * n + j] = m.a[j * n + i] = sum;
            m.sum[i * n + j] = m.sum[j * n + i] = sum + (i == j ? m.alpha[i] : 0.0);
        }
    free(side);
    return m;
}

static void free_system(linear_system *m)
{
    free(m->row);
    free(m->a);
    free(m->sum);
    free(m->alpha);
    free(m->sigma);
}

/* y = A x, with Sigma and without alpha. Returns the largest value. */
static double multiply(const linear_system *m, const double *x, double *y)
{
    double largest = 0.0;
    for (int i = 0; i < m->n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < m->n; j++)
            y[i] += m->a[(size_t)i * (size_t)m->n + (size_t)j] * x[j];
        largest = fmax(largest, fabs(y[i]));
    }
    return largest;
}

/* Tells whether a row is that of a spring which takes no impulse: it would hide all others. */
static bool is_idle(const linear_system *m, int row)
{
    return m->sigma[row] >= DRY_SPRING_NO_IMPULSE;
}

/* Factors and solves by the textbook. Returns the largest pivot over the least. */
static double solve_dense(const linear_system *m, double *x)
{
    const size_t n = (size_t)m->n;
    double *l = calloc(n * n, sizeof *l), *d = calloc(n, sizeof *d);
    double least = INFINITY, largest = 0.0;
    assert_true(l && d);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = m->sum[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= l[i * n + k] * d[k] * l[j * n + k];
            if (i == j) {
                d[j] = fmax(sum, m->alpha[i]);
                least = fmin(least, d[j]);
                largest = is_idle(m, (int)j) ? largest : fmax(largest, d[j]);
            } else {
                l[i * n + j] = sum / d[j];
            }
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
    for (size_t i = n; i-- > 0;) {
        x[i] /= d[i];
        for (size_t k = i + 1; k < n; k++)
            x[i] -= l[k * n + i] * x[k];
    }
    free(l);
    free(d);
    return largest / least;
}

#ifdef HAVE_CHOLMOD
static void solve_by_cholmod(const linear_system *m, double *x)
{
    const size_t n = (size_t)m->n;
    cholmod_common common;
    cholmod_start(&common);
    cholmod_dense *full = cholmod_zeros(n, n, CHOLMOD_REAL, &common);
    cholmod_dense *right = cholmod_zeros(n, 1, CHOLMOD_REAL, &common);
    memcpy(full->x, m->sum, n * n * sizeof(double));
    memcpy(right->x, x, n * sizeof(double));
    cholmod_sparse *sparse = cholmod_dense_to_sparse(full, 1, &common);
    sparse->stype = -1; /* its lower triangle counts */
    cholmod_factor *factor = cholmod_analyze(sparse, &common);
    assert_true(cholmod_factorize(sparse, factor, &common));
    assert_int_equal(common.status, CHOLMOD_OK);
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, factor, right, &common);
    memcpy(x, solution->x, n * sizeof(double));
    cholmod_free_dense(&solution, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&sparse, &common);
    cholmod_free_dense(&right, &common);
    cholmod_free_dense(&full, &common);
    cholmod_finish(&common);
}
#endif

/* Returns the largest difference of two vectors. */
static double difference(const double *a, const double *b, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = dry_larger(largest, fabs(a[i] - b[i]));
    return largest;
}

static double largest_of(const double *a, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

/* Compares the speeds that impulses give to the rows, and the impulses: a speed's rounding is as many times
 * larger in these as the largest pivot is larger than the least. That is 1 / eps_T for redundant rows, since
 * alpha alone says how they share an impulse. The rounding of n rows' solution is n epsilon at most [Higham
 * 2002, Accuracy and Stability of Numerical Algorithms, theorem 10.4]. */
static void compare(const char *name, const char *with, const linear_system *m, const double *x,
                    const double *other, double ratio)
{
    double *speeds = calloc((size_t)m->n, sizeof *speeds), *others = calloc((size_t)m->n, sizeof *others);
    assert_true(speeds && others);
    const double size = fmax(multiply(m, x, speeds), multiply(m, other, others));
    const double apart = difference(speeds, others, m->n);
    if (!(apart <= 1e-12 * size))
        fail_msg("%s: speeds differ from those of %s by %g of %g", name, with, apart, size);
    const double impulses = difference(x, other, m->n), most = largest_of(other, m->n);
    if (!(impulses <= fmax(1e-12, (double)m->n * DBL_EPSILON * ratio) * most))
        fail_msg("%s: impulses differ from those of %s by %g of %g, ratio %g", name, with, impulses, most,
                 ratio);
    free(speeds);
    free(others);
}

/* Counts of what the scenes have. */
typedef struct variety {
    int redundant, springs, parts, articulations;
} variety;

/* Solves for speeds that some impulses would give to the rows. */
static void check_linkage(const char *name, const dry_linkage *l, variety *had)
{
    l->factor->made_of = 0;
    dry_linkage_find_rows(l, DRY_AT_END);
    dry_springs_begin(l);
    dry_springs_factor(l, DRY_SPRINGS_POSITION);
    linear_system m = make_system(l);
    const size_t bytes = (size_t)m.n * sizeof(double);
    double *b = malloc(bytes), *x = malloc(bytes), *in_order = malloc(bytes), *other = malloc(bytes);
    assert_true(b && x && in_order && other);
    had->redundant += l->factor->redundant > 0;
    had->parts += l->factor->per_part > 0;
    had->articulations++;
    for (int i = 0; i < m.n; i++)
        had->springs += m.sigma[i] > 0.0 && !is_idle(&m, i);
    uint64_t seed = 3;
    for (int i = 0; i < m.n; i++)
        x[i] = is_idle(&m, i) ? 0.0 : random_in(&seed, -1, 1);
    multiply(&m, x, b);
    for (int i = 0; i < m.n; i++)
        x[m.row[i]] = b[i];
    dry_factor_solve(&l->factor->factor, x, NULL);
    for (int i = 0; i < m.n; i++)
        in_order[i] = x[m.row[i]];
    memcpy(other, b, bytes);
    const double ratio = solve_dense(&m, other);
    compare(name, "a dense factor", &m, in_order, other, ratio);
#ifdef HAVE_CHOLMOD
    memcpy(other, b, bytes);
    solve_by_cholmod(&m, other);
    compare(name, "CHOLMOD", &m, in_order, other, ratio);
#endif
    free(b);
    free(x);
    free(in_order);
    free(other);
    free_system(&m);
}

/* Trees, loops, redundant rows, a hub that is split, springs among rows, loads of other masses. */
static void test_scenes_against_dense(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size;
    } scenes[] = {{"chain", 40},   {"scissor", 4},   {"tube", 1},        {"strandbeest", 4},
                  {"ragdolls", 1}, {"spider", 40},   {"lattice", 3},     {"vehicle", 1},
                  {"joints", 1},   {"excavator", 1}, {"peaucellier", 2}, {"ball-hinge", 10},
                  {"crane", 10}};
    variety had = {0};
    for (int n = 0; n < COUNT_OF(scenes); n++) {
        dry_scene scene = scene_of(scenes[n].name, scenes[n].size);
        dry_settings settings = test_settings();
        settings.gravity = scene.gravity;
        settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
        dry_world *world = world_with(settings);
        dry_body_id *ids = built_in(world, &scene);
        run_steps(world, 10, scene.dt);
        dry_solver_step step = dry_solver_step_of(world, scene.dt);
        for (int i = 0; i < world->solver.articulations.count; i++) {
            const dry_linkage l = dry_linkage_of(&step, i, (double)scene.dt);
            check_linkage(scenes[n].name, &l, &had);
        }
        dry_world_destroy(world);
        dry_scene_free(&scene);
        free(ids);
    }
    assert_true(had.articulations >= COUNT_OF(scenes) && had.redundant > 2 && had.springs > 0 &&
                had.parts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_against_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
