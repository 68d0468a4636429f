/* Tests the results of the kernels of joints' free axes: against the equations of each part in double
 * precision (kernel_equations.h), and against closed forms of one part or two. */
#include "core/inertia.h"
#include "solver/data/terms.h"
#include "tests/solver/kernel_equations.h"

/* One part: SPOOK's equation [Spook 8-11] with bounds. */
typedef struct part {
    double error, speed, rate, softness, approach, most, impulse;
    bool used, rigid;
} part;

typedef struct axis {
    row g;
    double turning, restitution, diagonal; /* dG/dt W; g M^-1 g^T */
    part part[DRY_PART_COUNT];
} axis;

typedef struct axes_joint {
    pair p;
    int count;
    axis axis[DRY_AXES_ROWS];
} axes_joint;

static bool is_stop(int p)
{
    return p == DRY_PART_LOWER || p == DRY_PART_UPPER;
}

/* Draws a part that is rigid, a spring, or a motor to a velocity alone. */
static void random_part(uint64_t *seed, part *of, int p, double diagonal, bool hard)
{
    const bool velocity_alone = p == DRY_PART_MOTOR && random_below(seed, 2);
    of->used = true;
    of->rigid = is_stop(p) ? hard : velocity_alone || random_below(seed, 2);
    of->most = random_below(seed, 2) ? (float)random_in(seed, 0.1, 1) : FLT_MAX;
    const double most = of->most < 1 ? of->most : 1;
    of->impulse = (float)random_in(seed, is_stop(p) ? 0 : -most, most);
    if (p == DRY_PART_MOTOR)
        of->speed = (float)random_in(seed, -2, 2);
    if (p == DRY_PART_FRICTION || velocity_alone)
        return;
    of->error = (float)random_in(seed, -0.05, 0.05);
    of->rate = (float)random_in(seed, 10, 60);
    of->softness = (float)(random_in(seed, 0.05, 1) * (of->rigid ? diagonal : 1));
    of->approach = of->rigid ? 0 : (float)random_in(seed, 0.1, 1);
}

/* Draws a joint with `count` rows along any directions, with parts `uses` where a lane has them. */
static void random_axes(uint64_t *seed, axes_joint *j, int count, uint32_t uses, int lane, bool summed,
                        double time)
{
    memset(j, 0, sizeof *j);
    random_pair(seed, &j->p, lane, summed, time);
    j->count = count;
    for (int i = 0; i < count; i++) {
        axis *x = &j->axis[i];
        x->g = (row){random_unit(seed), random_d3(seed, 1), random_d3(seed, 1), random_below(seed, 2)};
        x->turning = (float)random_in(seed, -20, 20);
        x->diagonal = row_mass(&x->g, &x->g, &j->p.a, &j->p.b, j->p.share);
        const bool hard = random_below(seed, 2);
        x->restitution = hard && random_below(seed, 2) ? (float)random_in(seed, 0.1, 1) : 0;
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if (uses & 1u << p && random_below(seed, 3))
                random_part(seed, &x->part[p], p, x->diagonal, hard);
    }
}

static void put_part(const part *from, double diagonal, dry_axis_part *out, int lane)
{
    out->error[lane] = (float)from->error, out->speed[lane] = (float)from->speed;
    out->rate[lane] = (float)from->rate, out->softness[lane] = (float)from->softness;
    out->approach[lane] = (float)from->approach, out->most[lane] = (float)from->most;
    out->mass[lane] = (float)(1 / (diagonal + from->softness));
    out->rigid[lane] = from->rigid ? 1.0f : 0.0f;
    out->impulse[lane] = (float)from->impulse;
}

static void put_axes(const axes_joint *j, kernel_data *data, int lane, bool bounces)
{
    dry_axes_bundle *c = &data->axes[0];
    const pair *p = &j->p;
    put_pair(data, p, lane, c->row_a, c->row_b);
    c->share_a[lane] = (float)p->share[0], c->share_b[lane] = (float)p->share[1];
    c->bounces = bounces;
    c->begins = 1;
    c->lanes = dry_max_int(c->lanes, lane + 1);
    c->rows = dry_max_int(c->rows, j->count);
    for (int i = 0; i < j->count; i++) {
        const axis *x = &j->axis[i];
        dry_axis_row *to = &c->row[i];
        put_linear(to->pair.linear_a, to->pair.linear_b, lane, &x->g, &p->a, &p->b);
        put_lever(to->pair.angular_a, to->pair.angular_b, lane, &x->g, &p->a, &p->b);
        to->pair.kinematic[lane] = (float)row_kinematic(&x->g, p);
        to->pair.acceleration[lane] = (float)x->turning;
        to->diagonal[lane] = (float)x->diagonal, to->inverse[lane] = (float)(1 / x->diagonal);
        to->stop_restitution[lane] = (float)x->restitution;
        for (int k = 0; k < DRY_PART_COUNT; k++)
            if (x->part[k].used) {
                put_part(&x->part[k], x->diagonal, &to->part[k], lane);
                c->uses[i] |= 1u << k;
            }
    }
}

static double within(double number, double low, double high)
{
    return number < low ? low : number > high ? high : number;
}

/* How often an impulse met a bound, how often a stop was open, and how often one bounced. */
static int bounded, open_stops, bounced;

/* True if the kernel sums changes: its stops, like joints, close no faster than overlaps part. */
static bool sums;

/* A row's motion: its speed now, and when the substep began; how far it moved in the step. */
typedef struct motion {
    double speed, begin, moved;
} motion;

/* Returns the change that a spring or a motor wants. */
static double spring_change(const part *p, const motion *m, double diagonal, pass when, const dry_sweep *s)
{
    const double most = (double)s->bias_speed_max, v = m->speed - p->speed;
    if (when == RELAX)
        return p->rigid ? -v / diagonal : 0;
    const double q = p->error + m->moved - p->speed * (double)s->time;
    double bias = p->rate * q + p->softness * p->impulse;
    bias = p->rigid ? within(bias, -most, most) : bias;
    return -(v + bias - p->approach * (m->begin - p->speed)) / (diagonal + p->softness);
}

/* Returns the change that a stop wants, with speeds positive away from it, and notes the speed of a bounce.
 */
static double stop_change(part *p, motion m, double sign, const axis *x, bool bounces, pass when,
                          const dry_sweep *s)
{
    const double h = (double)s->substep, speed = sign * m.speed, begin = sign * m.begin;
    const double gap = p->error + sign * m.moved;
    const double most = dry_joint_closing_speed(sums ? 0 : -gap, s->joint_speed_max);
    if (when == RELAX) {
        const bool bounce = bounces && p->speed < 0;
        /* One that is just reached as the substep ends is hit in the next one. */
        if (bounces && !bounce && x->restitution > 0 && begin < -(double)s->bounce_speed)
            return 0;
        const double wanted = bounce ? -p->speed : gap > 0 ? -gap / h : 0;
        return p->rigid ? (wanted - speed) / x->diagonal : 0;
    }
    const bool hit = bounces && x->restitution > 0 && begin < -(double)s->bounce_speed && gap + begin * h < 0;
    p->speed = hit ? x->restitution * begin : 0;
    bounced += hit;
    if (hit)
        return (-x->restitution * begin - speed) / x->diagonal;
    open_stops += p->rigid && gap > 0;
    if (p->rigid && gap > 0)
        return (-gap / h - speed) / x->diagonal;
    double bias = p->rate * gap + p->softness * p->impulse;
    bias = p->rigid ? within(bias, -most, most) : bias - p->approach * begin;
    return -(speed + bias) / (x->diagonal + p->softness);
}

/* Solves one row, part after part: each sees the speed that those before it left. Returns its impulse. */
static double expect_row(axis *x, motion m, bool bounces, pass when, const dry_sweep *s, double *magnitude)
{
    double sum = 0;
    for (int p = 0; p < DRY_PART_COUNT; p++) {
        part *of = &x->part[p];
        if (!of->used)
            continue;
        const double sign = p == DRY_PART_UPPER ? -1 : 1;
        const double whole = is_stop(p)               ? stop_change(of, m, sign, x, bounces, when, s)
                             : p == DRY_PART_FRICTION ? -m.speed / x->diagonal
                                                      : spring_change(of, &m, x->diagonal, when, s);
        const double change = (when == SOLVE ? (double)s->relaxation : 1) * whole;
        const double after = within(of->impulse + change, is_stop(p) ? 0 : -of->most, of->most);
        const double applied = sign * (after - of->impulse);
        bounded += after != of->impulse + change;
        of->impulse = after;
        m.speed += x->diagonal * applied;
        sum += applied;
        *magnitude = magnitude_of(*magnitude, change);
        *magnitude = magnitude_of(*magnitude, x->diagonal * change);
    }
    return sum;
}

static void expect_axes(axes_joint *j, body *a, body *b, bool bounces, pass when, const dry_sweep *s)
{
    for (int i = 0; i < j->count; i++) {
        axis *x = &j->axis[i];
        const double turned = x->turning * (double)s->acceleration_time;
        const motion m = {
            .speed = row_speed(&x->g, a, b) + turned,
            .begin =
                row_speed(&x->g, &j->p.begin_a, &j->p.begin_b) + turned - x->turning * (double)s->substep,
            .moved = row_displacement(&x->g, a, b),
        };
        double impulse = 0;
        for (int p = 0; p < DRY_PART_COUNT; p++)
            impulse += (p == DRY_PART_UPPER ? -1 : 1) * x->part[p].impulse;
        if (when != WARM)
            impulse = expect_row(x, m, bounces, when, s, &j->p.magnitude);
        row_apply(&x->g, a, b, impulse, j->p.share);
        j->p.magnitude = magnitude_of(j->p.magnitude, m.speed);
    }
}

static void check_lane(axes_joint *j, const kernel_data *data, int lane, bool bounces, pass when,
                       const char *kernel)
{
    static const char *const names[] = {"spring", "motor", "friction", "lower stop", "upper stop"};
    body a = j->p.a, b = j->p.b;
    expect_axes(j, &a, &b, bounces, when, &data->sweep);
    for (int i = 0; i < j->count; i++)
        for (int p = 0; p < DRY_PART_COUNT; p++) {
            const dry_axis_part *found = &data->axes[0].row[i].part[p];
            const part *expected = &j->axis[i].part[p];
            const float impulse = found->impulse[lane];
            assert_close(&j->p, (double)impulse, expected->impulse, names[p], kernel);
            assert_true(impulse <= found->most[lane] && impulse >= (is_stop(p) ? 0 : -found->most[lane]));
            if (is_stop(p) && bounces && expected->used)
                assert_close(&j->p, (double)found->speed[lane], expected->speed, "speed of a bounce", kernel);
        }
    assert_bodies(&j->p, &a, &b, data, kernel, kernel_is_summed(kernel_named(kernel)));
}

/* Any parts in up to seven rows; or, given one part, that one alone in one row. */
static void check_axes_kernel(const char *name, pass when, uint32_t uses)
{
    static kernel_data data;
    const kernel_entry *kernel = kernel_named(name);
    uint64_t seed = 1729 + uses;
    sums = kernel_is_summed(kernel);
    for (int round = 0; round < ROUNDS; round++) {
        axes_joint joints[DRY_BUNDLE];
        const bool bounces = round % 2, alone = (uses & (uses - 1)) == 0;
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            axes_joint *j = &joints[lane];
            const int count = alone ? 1 : random_below(&seed, 2 + round % DRY_AXES_ROWS);
            random_axes(&seed, j, count, uses, lane, sums, (double)data.sweep.time);
            /* Relaxing finds the speeds that solving left. */
            for (int i = 0; i < count && when == RELAX && bounces; i++)
                for (int p = DRY_PART_LOWER; p <= DRY_PART_UPPER; p++)
                    if (j->axis[i].part[p].used && j->axis[i].restitution > 0 && random_below(&seed, 2))
                        j->axis[i].part[p].speed = (float)random_in(&seed, -2, 0);
            put_axes(j, &data, lane, bounces);
        }
        kernel_run(kernel, DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            check_lane(&joints[lane], &data, lane, bounces, when, name);
    }
}

static const uint32_t all_parts = (1u << DRY_PART_COUNT) - 1;

static void test_each_part_alone(void **state)
{
    (void)state;
    for (int p = 0; p < DRY_PART_COUNT; p++) {
        bounded = open_stops = bounced = 0;
        check_axes_kernel("axes_warm", WARM, 1u << p);
        check_axes_kernel("axes_solve", SOLVE, 1u << p);
        check_axes_kernel("axes_relax", RELAX, 1u << p);
        check_axes_kernel("axes_solve_summed", SOLVE, 1u << p);
        check_axes_kernel("axes_relax_summed", RELAX, 1u << p);
        assert_true(bounded > 100);
        assert_true(!is_stop(p) || (open_stops > 20 && bounced > 20));
    }
}

static void test_all_parts_in_many_rows(void **state)
{
    (void)state;
    bounded = open_stops = bounced = 0;
    check_axes_kernel("axes_warm", WARM, all_parts);
    check_axes_kernel("axes_solve", SOLVE, all_parts);
    check_axes_kernel("axes_relax", RELAX, all_parts);
    check_axes_kernel("axes_solve_summed", SOLVE, all_parts);
    check_axes_kernel("axes_relax_summed", RELAX, all_parts);
    assert_true(bounded > 100 && open_stops > 100 && bounced > 20);
}

/* Closed forms. */

static double speed_of(const axes_joint *j, const dry_sweep *s)
{
    return row_speed(&j->axis[0].g, &j->p.a, &j->p.b) + j->axis[0].turning * (double)s->acceleration_time;
}

/* Returns the speed of row 0 by the velocities that the kernel wrote. */
static double speed_after(const axes_joint *j, const kernel_data *data)
{
    axes_joint after = *j;
    if (j->p.row_a)
        take_row(&data->rows[j->p.row_a], &j->p.a, &after.p.a.v, &after.p.a.w);
    if (j->p.row_b)
        take_row(&data->rows[j->p.row_b], &j->p.b, &after.p.b.v, &after.p.b.w);
    return speed_of(&after, &data->sweep);
}

/* Fills a bundle whose joints have one row each without parts, at the beginning of a step. */
static void draw_rows(uint64_t *seed, dry_sweep *s, axes_joint *joints)
{
    *s = random_sweep(seed);
    s->time = 0;
    s->relaxation = 1;
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        axes_joint *j = &joints[lane];
        random_axes(seed, j, 1, 0, lane, false, 0);
        j->p.a.x = j->p.a.rotation = j->p.b.x = j->p.b.rotation = (d3){0, 0, 0};
        j->p.begin_a = j->p.a, j->p.begin_b = j->p.b;
        j->axis[0].turning = 0;
        j->p.magnitude = magnitude_of(1, speed_of(j, s));
    }
}

static void run_rows(kernel_data *data, const dry_sweep *s, const axes_joint *joints, bool bounces,
                     const char *kernel)
{
    memset(data, 0, sizeof *data);
    data->sweep = *s;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        put_axes(&joints[lane], data, lane, bounces);
    kernel_run(kernel_named(kernel), DRY_LEVEL_SCALAR, data, 0, 1);
}

/* A hard stop lets bodies come as near within the substep as the gap is wide, and no nearer. One that bounces
 * turns round those that would come nearer. Away from it bodies are free. */
static void test_stops_in_closed_form(void **state)
{
    (void)state;
    static kernel_data data;
    const double gap = (double)0.01f, restitution = 0.5;
    uint64_t seed = 2357;
    int stopped = 0, freed = 0;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        const int p = round % 2 ? DRY_PART_UPPER : DRY_PART_LOWER;
        const double sign = round % 2 ? -1 : 1;
        const bool bounces = round & 2;
        axes_joint joints[DRY_BUNDLE];
        dry_sweep s;
        draw_rows(&seed, &s, joints);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            joints[lane].axis[0].part[p] = (part){
                .error = gap, .rate = 30, .softness = 0.1, .most = FLT_MAX, .used = true, .rigid = true};
            joints[lane].axis[0].restitution = bounces ? restitution : 0;
        }
        run_rows(&data, &s, joints, bounces, "axes_solve");
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const axes_joint *j = &joints[lane];
            const double before = sign * speed_of(j, &s), nearest = -gap / (double)s.substep;
            const bool free = before > nearest;
            const double expected = free ? before : bounces ? -restitution * before : nearest;
            assert_close(&j->p, sign * speed_after(j, &data), expected, "speed at a stop", "axes_solve");
            freed += free, stopped += !free;
        }
    }
    assert_true(freed > 100 && stopped > 100);
}

/* A motor brings the row to its speed, then friction slows it as far as it may. A second row that is the
 * first one finds that speed, and its friction ends the rest. */
static void test_parts_and_rows_see_each_other(void **state)
{
    (void)state;
    static kernel_data data;
    uint64_t seed = 3571;
    int slowed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const char *kernel = round % 2 ? "axes_relax" : "axes_solve";
        axes_joint joints[DRY_BUNDLE];
        dry_sweep s;
        draw_rows(&seed, &s, joints);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            axes_joint *j = &joints[lane];
            part *first = j->axis[0].part;
            first[DRY_PART_MOTOR] =
                (part){.speed = (float)random_in(&seed, -2, 2), .most = FLT_MAX, .used = true, .rigid = true};
            j->count = 2;
            j->axis[1] = j->axis[0];
            j->axis[1].part[DRY_PART_MOTOR].used = false;
            first[DRY_PART_FRICTION] = (part){.most = (float)random_in(&seed, 0.1, 0.6), .used = true};
            j->axis[1].part[DRY_PART_FRICTION] = (part){.most = FLT_MAX, .used = true};
        }
        run_rows(&data, &s, joints, false, kernel);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const axes_joint *j = &joints[lane];
            const axis *x = &j->axis[0];
            const double wanted = x->part[DRY_PART_MOTOR].speed, most = x->part[DRY_PART_FRICTION].most;
            const double friction = -within(wanted / x->diagonal, -most, most);
            const double rest = -(wanted / x->diagonal + friction);
            const dry_axis_row *rows = data.axes[0].row;
            assert_close(&j->p, (double)rows[0].part[DRY_PART_MOTOR].impulse[lane],
                         (wanted - speed_of(j, &s)) / x->diagonal, "the motor's impulse", kernel);
            assert_close(&j->p, (double)rows[0].part[DRY_PART_FRICTION].impulse[lane], friction,
                         "friction's impulse", kernel);
            assert_close(&j->p, (double)rows[1].part[DRY_PART_FRICTION].impulse[lane], rest,
                         "the second row's impulse", kernel);
            assert_close(&j->p, speed_after(j, &data), 0, "the rows' speed", kernel);
            slowed += fabs(friction) == most;
        }
    }
    assert_true(slowed > 50);
}

/* Fills the block of the first three rows of a lane, made diagonal. */
static void put_round(const axes_joint *j, dry_axes_bundle *c, int lane, double most, const d3 *impulse)
{
    dry_inertia t;
    double axes[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            t.m[i][k] = row_mass(&j->axis[i].g, &j->axis[k].g, &j->p.a, &j->p.b, j->p.share);
    dry_inertia_diagonalize(&t, axes);
    const double held[3] = {impulse->x, impulse->y, impulse->z};
    for (int i = 0; i < 3; i++) {
        c->round.diagonal[i][lane] = (float)t.m[i][i];
        c->round.impulse[i][lane] = (float)held[i];
        for (int k = 0; k < 3; k++)
            c->round.axis[i][k][lane] = (float)axes[k][i];
    }
    c->round.most[lane] = (float)most;
    c->rounds = 1;
}

/* Friction of three rows with one bound: it stops them where its bound allows, else it is as large as that,
 * and against the speed that it leaves. Bodies take its impulse. */
static void test_round_friction_makes_the_most_of_it(void **state)
{
    (void)state;
    static kernel_data data;
    uint64_t seed = 7919;
    int stopped = 0, slid = 0;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        const char *kernel = round % 2 ? "axes_relax" : "axes_solve";
        axes_joint joints[DRY_BUNDLE];
        dry_sweep s;
        draw_rows(&seed, &s, joints);
        memset(&data, 0, sizeof data);
        data.sweep = s;
        double most[DRY_BUNDLE];
        d3 held[DRY_BUNDLE];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            axes_joint *j = &joints[lane];
            j->count = 3;
            for (int i = 0; i < 3; i++) {
                j->axis[i] = j->axis[0];
                j->axis[i].g = (row){random_unit(&seed), random_d3(&seed, 1), random_d3(&seed, 1), true};
            }
            most[lane] = lane % 4 ? random_in(&seed, 0.1, 3) : 0; /* 0: no such friction in the lane */
            held[lane] = (d3){0};
            if (most[lane] > 0) {
                const d3 way = random_unit(&seed);
                held[lane] = d3_scale(way, most[lane] * random_in(&seed, 0, 1));
            }
            put_axes(j, &data, lane, false);
            put_round(j, &data.axes[0], lane, most[lane], &held[lane]);
        }
        kernel_run(kernel_named(kernel), DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            axes_joint *j = &joints[lane];
            body a = j->p.a, b = j->p.b;
            dry_lanes *found = data.axes[0].round.impulse;
            const d3 after = {found[0][lane], found[1][lane], found[2][lane]};
            const double given[3] = {after.x - held[lane].x, after.y - held[lane].y, after.z - held[lane].z};
            for (int i = 0; i < 3; i++)
                row_apply(&j->axis[i].g, &a, &b, given[i], j->p.share);
            assert_bodies(&j->p, &a, &b, &data, kernel, false);
            const d3 speed = {row_speed(&j->axis[0].g, &a, &b), row_speed(&j->axis[1].g, &a, &b),
                              row_speed(&j->axis[2].g, &a, &b)};
            const double length = d3_length(after), left = d3_length(speed);
            assert_at_most(length, most[lane] * (1 + 1e-6));
            if (most[lane] > 0 && length < most[lane] * (1 - 1e-5)) {
                assert_at_most(left, 1e-4);
                stopped++;
            } else if (most[lane] > 0) {
                assert_at_most(d3_dot(speed, after), -left * length + 1e-3 * length);
                slid++;
            }
        }
    }
    assert_true(stopped > 100 && slid > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_alone),
        cmocka_unit_test(test_all_parts_in_many_rows),
        cmocka_unit_test(test_stops_in_closed_form),
        cmocka_unit_test(test_parts_and_rows_see_each_other),
        cmocka_unit_test(test_round_friction_makes_the_most_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
