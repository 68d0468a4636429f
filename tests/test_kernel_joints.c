/* Tests the results of the joint kernels against the equations in double precision (kernel_equations.h), as
 * test_kernel_contacts.c does for contacts. */
#include "tests/kernel_equations.h"

typedef struct joint {
    pair p;
    row rows[3];
    double error[3], turning[3], impulse[3], rate, approach; /* 1 - b [Spook 10]; 0 if rigid */
    double softness[3][3], share; /* Sigma: eps, or of a rigid block this share of it */
    double inverse[3][3];         /* of the block and its softness, unless that is left out */
    bool rigid;
} joint;

typedef enum pass { WARM, SOLVE, RELAX } pass;

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

/* How often a rigid joint's bias velocity was bounded. */
static int bounded;

static void expect_joint(joint *j, int count, body *a, body *b, pass when, const dry_sweep *s)
{
    double speed[3] = {0}, bias[3] = {0}, change[3] = {0}, length = 0, most = (double)s->bias_speed_max;
    for (int i = 0; i < count; i++) {
        speed[i] = row_speed(&j->rows[i], a, b) + j->turning[i] * (double)s->acceleration_time;
        double q =
            j->error[i] + row_displacement(&j->rows[i], a, b) - j->turning[i] * (double)s->acceleration_lag;
        bias[i] = j->rate * q;
        for (int l = 0; l < count; l++)
            bias[i] += j->softness[i][l] * j->impulse[l];
        length = hypot(length, bias[i]);
    }
    bool bound = j->rigid && length > most;
    bounded += bound && when == SOLVE;
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < count; l++) {
            double wanted = -(speed[l] + (when == RELAX ? 0 : bound ? bias[l] * most / length : bias[l]));
            if (when == SOLVE) {
                double turned = j->turning[l] * (double)(s->acceleration_time - s->substep);
                wanted += j->approach * (row_speed(&j->rows[l], &j->p.begin_a, &j->p.begin_b) + turned);
            }
            if (when == SOLVE || j->rigid) /* relaxing leaves a spring as it is */
                change[i] += j->inverse[i][l] * wanted;
            j->p.magnitude = magnitude_of(j->p.magnitude, wanted * (j->inverse[0][0] + j->inverse[1][1]));
        }
        if (when == WARM)
            change[i] = j->impulse[i];
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
    const pair *p = &j->p;
    if (p->row_a)
        put_row(&data->rows[p->row_a], &p->a), put_start(&data->start[p->row_a - 1], &p->begin_a);
    if (p->row_b)
        put_row(&data->rows[p->row_b], &p->b), put_start(&data->start[p->row_b - 1], &p->begin_b);
    float lin[] = {(float)sqrt(p->a.inverse_mass), (float)sqrt(p->b.inverse_mass)};
    if (count == 3) {
        static const int order[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
        point->row_a[lane] = p->row_a, point->row_b[lane] = p->row_b;
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
        return;
    }
    line->row_a[lane] = p->row_a, line->row_b[lane] = p->row_b;
    line->inv_sqrt_mass_a[lane] = lin[0], line->inv_sqrt_mass_b[lane] = lin[1];
    put_d3(line->axis, lane, j->rows[0].direction);
    put_lever(line->angular_a, line->angular_b, lane, &j->rows[0], &p->a, &p->b);
    line->error[lane] = (float)j->error[0], line->acceleration[lane] = (float)j->turning[0];
    line->kinematic[lane] = (float)row_kinematic(&j->rows[0], p);
    line->inverse[lane] = (float)j->inverse[0][0];
    line->relax_inverse[lane] = j->rigid ? line->inverse[lane] : 0.0f;
    line->approach[lane] = (float)j->approach;
    line->rate[lane] = (float)j->rate, line->softness[lane] = (float)j->softness[0][0];
    line->rigid[lane] = j->rigid ? 1.0f : 0.0f;
    line->impulse[lane] = (float)j->impulse[0];
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
            expect_joint(j, count, &a, &b, when, &data.sweep);
            for (int i = 0; i < count; i++)
                assert_close(&j->p,
                             (double)(count == 3 ? data.point[0].impulse[i] : data.line[0].impulse)[lane],
                             j->impulse[i], "impulse", name);
            assert_bodies(&j->p, &a, &b, &data, name, summed);
        }
    }
}

static void test_point_kernels(void **state)
{
    (void)state;
    bounded = 0;
    check_joint_kernel("point_warm", 3, WARM);
    check_joint_kernel("point_solve", 3, SOLVE);
    check_joint_kernel("point_relax", 3, RELAX);
    check_joint_kernel("point_solve_summed", 3, SOLVE);
    check_joint_kernel("point_relax_summed", 3, RELAX);
    assert_true(bounded > 100);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_kernels),
        cmocka_unit_test(test_line_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
