/* Tests the results of the joint kernels against the equations in double precision (kernel_equations.h), as
 * test_kernel_contacts.c does for contacts. */
#include "tests/solver/kernel_equations.h"

typedef struct joint {
    pair p;
    row rows[3];
    double error[3], turning[3], impulse[3], rate, approach; /* 1 - b [Spook 10]; 0 if rigid */
    double softness[3][3], share; /* Sigma: eps, or of a rigid block this share of it */
    double inverse[3][3];         /* of the block and its softness, unless that is left out */
    double most;                  /* bound of the impulse of three rows */
    bool rigid;
} joint;

static void invert3(double k[3][3], double inverse[3][3])
{
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        determinant +=
            k[0][i] * (k[1][(i + 1) % 3] * k[2][(i + 2) % 3] - k[1][(i + 2) % 3] * k[2][(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[j][i] = (k[(i + 1) % 3][(j + 1) % 3] * k[(i + 2) % 3][(j + 2) % 3] -
                             k[(i + 1) % 3][(j + 2) % 3] * k[(i + 2) % 3][(j + 1) % 3]) /
                            determinant;
}

/* Rows along the three axes of the world, or one along a line. The softness of three rigid rows is a share of
 * their block; that of a spring, or of one row, is eps [Spook 11]. */
static void random_joint(uint64_t *seed, joint *j, int count, int lane, bool summed, bool relax, double time)
{
    memset(j, 0, sizeof *j);
    random_pair(seed, &j->p, lane, summed, time);
    d3 ra = random_d3(seed, 1), rb = random_d3(seed, 1), line = random_unit(seed);
    const d3 world[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    j->rigid = random_below(seed, 2);
    j->rate = (float)random_in(seed, 10, 60);
    j->approach = j->rigid ? 0 : (float)random_in(seed, 0.1, 1);
    double eps = (float)random_in(seed, 0.05, 1), k[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    j->share = j->rigid && count == 3 ? (float)random_in(seed, 0.05, 1) : 0;
    j->most = random_below(seed, 2) ? (float)random_in(seed, 0.1, 4) : 1e18f;
    for (int i = 0; i < count; i++) {
        j->rows[i] = (row){count == 3 ? world[i] : line, ra, rb, false};
        j->error[i] = (float)random_in(seed, -0.05, 0.05);
        j->turning[i] = (float)random_in(seed, -20, 20);
        j->impulse[i] = (float)random_in(seed, -2, 2);
    }
    for (int i = 0; i < count; i++)
        for (int l = 0; l < count; l++) {
            k[i][l] = row_mass(&j->rows[i], &j->rows[l], &j->p.a, &j->p.b, j->p.share);
            j->softness[i][l] = j->share > 0 ? j->share * k[i][l] : i == l ? eps : 0;
        }
    for (int i = 0; i < count; i++)
        for (int l = 0; l < count && !(relax && j->rigid); l++)
            k[i][l] += j->softness[i][l];
    invert3(k, j->inverse);
}

/* How often a rigid joint's bias velocity was bounded, and how often a joint's impulse. */
static int bounded, shortened;

/* The bound: 8/s of the gap, at most 8 m/s, but at least that of overlaps; that alone in summed sweeps. */
static double fastest_closing(double gap, bool summed, const dry_sweep *s)
{
    return fmax((double)s->joint_speed_max, summed ? 0 : fmin(8 * gap, 8));
}

static void expect_joint(joint *j, int count, body *a, body *b, pass when, bool summed, const dry_sweep *s)
{
    double speed[3] = {0}, bias[3] = {0}, change[3] = {0}, length = 0, gap = 0;
    for (int i = 0; i < count; i++) {
        speed[i] = row_speed(&j->rows[i], a, b) + j->turning[i] * (double)s->acceleration_time;
        double q = j->error[i];
        gap = hypot(gap, q);
        bias[i] = j->rate * q;
        for (int l = 0; l < count; l++)
            bias[i] += j->softness[i][l] * j->impulse[l];
        length = hypot(length, bias[i]);
    }
    const double most = fastest_closing(gap, summed, s);
    bool bound = j->rigid && length > most;
    bounded += bound && when == SOLVE;
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < count; l++) {
            double wanted = -(speed[l] + (when == RELAX ? 0 : bound ? bias[l] * most / length : bias[l]));
            if (when == SOLVE) {
                double turned = j->turning[l] * (double)(s->acceleration_time - s->substep);
                wanted += j->approach * (row_speed(&j->rows[l], &j->p.begin_a, &j->p.begin_b) + turned);
            }
            wanted *= when == SOLVE ? (double)s->relaxation : 1;
            if (when == SOLVE || j->rigid) /* relaxing leaves a spring as it is */
                change[i] += j->inverse[i][l] * wanted;
            j->p.magnitude = magnitude_of(j->p.magnitude, wanted * (j->inverse[0][0] + j->inverse[1][1]));
        }
        if (when == WARM)
            change[i] = j->impulse[i];
    }
    double total = 0;
    for (int i = 0; i < count; i++)
        total = hypot(total, j->impulse[i] + change[i]);
    if (count == 3 && when != WARM && total > j->most) {
        shortened++;
        for (int i = 0; i < count; i++)
            change[i] = (j->impulse[i] + change[i]) * j->most / total - j->impulse[i];
    }
    for (int i = 0; i < count; i++) {
        row_apply(&j->rows[i], a, b, change[i], j->p.share);
        j->impulse[i] += when == WARM ? 0 : change[i];
    }
}

static void put_joint(const joint *j, kernel_data *data, int count, int lane, pass when)
{
    dry_point_bundle *point = &data->point[0];
    dry_line_bundle *line = &data->line[0];
    point->lanes = line->lanes = lane + 1;
    const pair *p = &j->p;
    float lin[] = {(float)sqrt(p->a.inverse_mass), (float)sqrt(p->b.inverse_mass)};
    if (count == 3) {
        static const int order[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
        put_pair(data, p, lane, point->row_a, point->row_b);
        point->inv_sqrt_mass_a[lane] = lin[0], point->inv_sqrt_mass_b[lane] = lin[1];
        for (int i = 0; i < 3; i++) {
            put_lever(point->angular_a[i], point->angular_b[i], lane, &j->rows[i], &p->a, &p->b);
            point->error[i][lane] = (float)j->error[i];
            point->acceleration[i][lane] = (float)j->turning[i];
            point->kinematic[i][lane] = (float)row_kinematic(&j->rows[i], p);
            point->impulse[i][lane] = (float)j->impulse[i];
        }
        for (int i = 0; i < 6; i++) {
            /* Relaxing leaves the share out: the bundle keeps the inverse without it. */
            double with = when == RELAX ? 1 : 1 + j->share;
            point->inverse[i][lane] = (float)(with * j->inverse[order[i][0]][order[i][1]]);
            point->softness[i][lane] = (float)j->softness[order[i][0]][order[i][1]];
        }
        point->mass_scale[lane] = (float)(1 / (1 + j->share));
        point->rate[lane] = (float)j->rate, point->rigid[lane] = j->rigid ? 1.0f : 0.0f;
        point->approach[lane] = (float)j->approach;
        point->most[lane] = (float)j->most;
        point->limited |= j->most < 1e18;
        return;
    }
    put_pair(data, p, lane, line->row_a, line->row_b);
    line->inv_sqrt_mass_a[lane] = lin[0], line->inv_sqrt_mass_b[lane] = lin[1];
    put_d3(line->axis, lane, j->rows[0].direction);
    put_lever(line->angular_a, line->angular_b, lane, &j->rows[0], &p->a, &p->b);
    line->single.error[lane] = (float)j->error[0], line->single.acceleration[lane] = (float)j->turning[0];
    line->single.kinematic[lane] = (float)row_kinematic(&j->rows[0], p);
    line->single.inverse[lane] = (float)j->inverse[0][0];
    line->single.relax_inverse[lane] = j->rigid ? line->single.inverse[lane] : 0.0f;
    line->single.approach[lane] = (float)j->approach;
    line->single.rate[lane] = (float)j->rate, line->single.softness[lane] = (float)j->softness[0][0];
    line->single.rigid[lane] = j->rigid ? 1.0f : 0.0f;
    line->single.impulse[lane] = (float)j->impulse[0];
}

static void check_joint_kernel(const char *name, int count, pass when)
{
    static kernel_data data;
    const kernel_entry *kernel = kernel_named(name);
    bool summed = kernel_is_summed(kernel);
    uint64_t seed = 8128;
    for (int round = 0; round < ROUNDS; round++) {
        joint joints[DRY_BUNDLE];
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            random_joint(&seed, &joints[lane], count, lane, summed, when == RELAX, (double)data.sweep.time);
            put_joint(&joints[lane], &data, count, lane, when);
        }
        kernel_run(kernel, DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            joint *j = &joints[lane];
            body a = j->p.a, b = j->p.b;
            expect_joint(j, count, &a, &b, when, summed, &data.sweep);
            for (int i = 0; i < count; i++)
                assert_close(
                    &j->p,
                    (double)(count == 3 ? data.point[0].impulse[i] : data.line[0].single.impulse)[lane],
                    j->impulse[i], "impulse", name);
            assert_bodies(&j->p, &a, &b, &data, name, summed);
        }
    }
}

static void test_point_kernels(void **state)
{
    (void)state;
    bounded = shortened = 0;
    check_joint_kernel("point_warm", 3, WARM);
    check_joint_kernel("point_solve", 3, SOLVE);
    check_joint_kernel("point_relax", 3, RELAX);
    check_joint_kernel("point_solve_summed", 3, SOLVE);
    check_joint_kernel("point_relax_summed", 3, RELAX);
    assert_true(bounded > 100 && shortened > 100);
}

static void test_line_kernels(void **state)
{
    (void)state;
    bounded = 0;
    check_joint_kernel("line_warm", 1, WARM);
    check_joint_kernel("line_solve", 1, SOLVE);
    check_joint_kernel("line_relax", 1, RELAX);
    check_joint_kernel("line_solve_summed", 1, SOLVE);
    check_joint_kernel("line_relax_summed", 1, RELAX);
    assert_true(bounded > 100);
}

/* Blocks of up to six rows. */

typedef struct block_joint {
    pair p;
    int count;
    row rows[DRY_BLOCK_ROWS];
    double error[DRY_BLOCK_ROWS], turning[DRY_BLOCK_ROWS], weight[DRY_BLOCK_ROWS], impulse[DRY_BLOCK_ROWS];
    double k[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS]; /* G M^-1 G^T */
    double rate, share;
} block_joint;

/* Some of the rows of a fixed joint: along three axes, and about them. */
static void random_block(uint64_t *seed, block_joint *j, int lane, int most, bool summed, double time)
{
    memset(j, 0, sizeof *j);
    random_pair(seed, &j->p, lane, summed, time);
    const d3 ra = random_d3(seed, 1), rb = random_d3(seed, 1), x = random_unit(seed);
    const d3 y = any_perpendicular(x), axes[] = {x, y, d3_cross(x, y)};
    for (int i = 0; i < DRY_BLOCK_ROWS && j->count < most; i++)
        if (most == DRY_BLOCK_ROWS || random_below(seed, 2))
            j->rows[j->count++] = (row){axes[i % 3], ra, rb, i >= 3};
    j->rate = (float)random_in(seed, 10, 60);
    j->share = (float)random_in(seed, 0.05, 1);
    for (int i = 0; i < j->count; i++) {
        j->error[i] = (float)random_in(seed, -0.05, 0.05);
        j->turning[i] = (float)random_in(seed, -20, 20);
        j->weight[i] = (float)random_in(seed, 0.1, 2);
        j->impulse[i] = (float)random_in(seed, -2, 2);
        for (int l = 0; l < j->count; l++)
            j->k[i][l] = row_mass(&j->rows[i], &j->rows[l], &j->p.a, &j->p.b, j->p.share);
    }
}

/* Solves k x = b by Gaussian elimination, with the largest pivot of each column. */
static void eliminate(const block_joint *j, const double *b, double *x)
{
    double m[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS + 1] = {{0}};
    const int n = j->count;
    for (int i = 0; i < n; i++) {
        memcpy(m[i], j->k[i], sizeof j->k[i]);
        m[i][n] = b[i];
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            pivot = fabs(m[i][c]) > fabs(m[pivot][c]) ? i : pivot;
        for (int l = 0; l <= n; l++) {
            const double swapped = m[c][l];
            m[c][l] = m[pivot][l];
            m[pivot][l] = swapped;
        }
        for (int i = c + 1; i < n; i++) {
            const double factor = m[i][c] / m[c][c];
            for (int l = c; l <= n; l++)
                m[i][l] -= factor * m[c][l];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = m[i][n];
        for (int l = i + 1; l < n; l++)
            x[i] -= m[i][l] * x[l];
        x[i] /= m[i][i];
    }
}

static void put_block(const block_joint *j, kernel_data *data, int lane)
{
    dry_block_bundle *c = &data->block[0];
    const pair *p = &j->p;
    put_pair(data, p, lane, c->row_a, c->row_b);
    c->share[lane] = (float)j->share, c->rate[lane] = (float)j->rate;
    c->rows = dry_max_int(c->rows, j->count);
    c->lanes = dry_max_int(c->lanes, lane + 1);
    for (int i = 0; i < j->count; i++) {
        dry_block_row *to = &c->row[i];
        put_linear(to->pair.linear_a, to->pair.linear_b, lane, &j->rows[i], &p->a, &p->b);
        put_lever(to->pair.angular_a, to->pair.angular_b, lane, &j->rows[i], &p->a, &p->b);
        to->error[lane] = (float)j->error[i], to->pair.acceleration[lane] = (float)j->turning[i];
        to->pair.kinematic[lane] = (float)row_kinematic(&j->rows[i], p);
        to->weight[lane] = (float)j->weight[i], to->impulse[lane] = (float)j->impulse[i];
        double unit[DRY_BLOCK_ROWS] = {0}, column[DRY_BLOCK_ROWS];
        unit[i] = 1;
        eliminate(j, unit, column);
        for (int l = 0; l <= i; l++) {
            c->block[dry_block_element(l, i)][lane] = (float)j->k[l][i];
            c->inverse[dry_block_element(l, i)][lane] = (float)column[l];
        }
    }
}

/* The rows' bias velocities are a q + Sigma lambda, with a softness that is a share of the block. */
static void expect_block(block_joint *j, body *a, body *b, pass when, bool summed, const dry_sweep *s)
{
    double wanted[DRY_BLOCK_ROWS] = {0}, bias[DRY_BLOCK_ROWS] = {0}, change[DRY_BLOCK_ROWS], squared = 0,
           gaps = 0;
    for (int i = 0; i < j->count && when == SOLVE; i++) {
        const double q = j->error[i];
        gaps += j->weight[i] * q * q;
        bias[i] = j->rate * q;
        for (int l = 0; l < j->count; l++)
            bias[i] += j->share * j->k[i][l] * j->impulse[l];
        squared += j->weight[i] * bias[i] * bias[i];
    }
    const double most = fastest_closing(sqrt(gaps), summed, s);
    const double scale = squared > most * most ? most / sqrt(squared) : 1;
    bounded += squared > most * most;
    for (int i = 0; i < j->count; i++) {
        const double speed = row_speed(&j->rows[i], a, b) + j->turning[i] * (double)s->acceleration_time;
        wanted[i] = -(speed + scale * bias[i]);
        wanted[i] *= when == SOLVE ? (double)s->relaxation / (1 + j->share) : 1;
        j->p.magnitude = magnitude_of(j->p.magnitude, speed);
    }
    eliminate(j, wanted, change);
    for (int i = 0; i < j->count; i++) {
        change[i] = when == WARM ? j->impulse[i] : change[i];
        row_apply(&j->rows[i], a, b, change[i], j->p.share);
        j->impulse[i] += when == WARM ? 0 : change[i];
        j->p.magnitude = magnitude_of(j->p.magnitude, change[i]);
    }
    for (int i = 0; i < j->count; i++)
        for (int l = 0; l < j->count; l++)
            j->p.magnitude = magnitude_of(j->p.magnitude, j->k[i][l] * change[l]);
}

/* Asserts that the rows' speeds are 0, by the velocities that the kernel wrote. */
static void assert_rows_at_rest(const block_joint *j, const kernel_data *data, const char *kernel)
{
    body a = j->p.a, b = j->p.b;
    if (j->p.row_a)
        take_row(&data->rows[j->p.row_a], &a, &a.v, &a.w);
    if (j->p.row_b)
        take_row(&data->rows[j->p.row_b], &b, &b.v, &b.w);
    for (int i = 0; i < j->count; i++) {
        const double turned = j->turning[i] * (double)data->sweep.acceleration_time;
        assert_close(&j->p, row_speed(&j->rows[i], &a, &b) + turned, 0, "a row's speed", kernel);
    }
}

static void check_block_kernel(const char *name, pass when, bool soft)
{
    static kernel_data data;
    const kernel_entry *kernel = kernel_named(name);
    const bool summed = kernel_is_summed(kernel);
    uint64_t seed = 6174;
    for (int round = 0; round < ROUNDS; round++) {
        block_joint joints[DRY_BUNDLE];
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        if (!soft)
            data.sweep.relaxation = 1; /* rows come to rest in one sweep */
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            block_joint *j = &joints[lane];
            random_block(&seed, j, lane, 1 + round % DRY_BLOCK_ROWS, summed, (double)data.sweep.time);
            if (!soft)
                j->rate = j->share = 0;
            put_block(j, &data, lane);
        }
        kernel_run(kernel, DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            block_joint *j = &joints[lane];
            body a = j->p.a, b = j->p.b;
            expect_block(j, &a, &b, when, summed, &data.sweep);
            for (int i = 0; i < j->count; i++)
                assert_close(&j->p, (double)data.block[0].row[i].impulse[lane], j->impulse[i], "impulse",
                             name);
            assert_bodies(&j->p, &a, &b, &data, name, summed);
            if (!summed && (when == RELAX || (when == SOLVE && !soft)))
                assert_rows_at_rest(j, &data, name);
        }
    }
}

static void test_block_kernels(void **state)
{
    (void)state;
    bounded = 0;
    check_block_kernel("block_warm", WARM, true);
    check_block_kernel("block_solve", SOLVE, true);
    check_block_kernel("block_solve", SOLVE, false);
    check_block_kernel("block_relax", RELAX, true);
    check_block_kernel("block_solve_summed", SOLVE, true);
    check_block_kernel("block_relax_summed", RELAX, true);
    assert_true(bounded > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_kernels),
        cmocka_unit_test(test_line_kernels),
        cmocka_unit_test(test_block_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
