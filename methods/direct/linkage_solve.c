/* The factor of an articulation at work, and the impulses that it solves for. Reads rows; writes the factor,
 * impulses, and the sums of each body. Next: solve.c, correct.c. */
#include "core/assert.h"
#include "methods/direct/linkage.h"
#include "methods/direct/slender.h"
#include "methods/direct/stream.h"
#include "methods/sparse/kernel_list.h"
#include "solver/data/context.h"
#include "state/hash_mix.h"

#include <string.h>

/* A row that is the sum of c_i times earlier rows has the pivot (1 + sum c_i^2) alpha. */
#define REDUNDANT 1e3

/* A joint's rows at one of its bodies, packed for products: lane by lane as row side of a block, and column
 * by column with the body's mass. */
typedef struct packed_side {
    double p[6][DRY_BLOCK_LANES];
    double q[DRY_FACTOR_ROWS_MAX][6];
} packed_side;

/* Packs the row side. Lanes beyond the joint's rows stay as they are. */
static void pack_rows(const dry_articulated_row *row, int rows, int side, packed_side *out)
{
    const double sign = side == 0 ? -1.0 : 1.0;
    for (int r = 0; r < rows; r++) {
        const dry_double3 linear = row[r].linear, angular = row[r].angular[side];
        out->p[0][r] = sign * linear.x;
        out->p[1][r] = sign * linear.y;
        out->p[2][r] = sign * linear.z;
        out->p[3][r] = sign * angular.x;
        out->p[4][r] = sign * angular.y;
        out->p[5][r] = sign * angular.z;
    }
}

static void pack_columns(const dry_articulated_row *row, const dry_articulated_swings *swung, int rows,
                         int side, double inverse_mass, packed_side *out)
{
    const double sign = side == 0 ? -1.0 : 1.0, share = sign * inverse_mass;
    for (int r = 0; r < rows; r++) {
        const dry_double3 linear = row[r].linear, swings = swung[r].side[side];
        const double q[6] = {share * linear.x, share * linear.y, share * linear.z,
                             sign * swings.x,  sign * swings.y,  sign * swings.z};
        memcpy(out->q[r], q, sizeof q);
    }
}

/* Fills in A + Sigma, A = G M^-1 G^T. Pairs of one row node follow each other. */
static void assemble(const dry_linkage *l, dry_factor *factor)
{
    packed_side at_row[2] = {0}, at_column[4];
    for (int n = 0, k = 0; n < l->joints; n++) {
        const dry_articulated_joint *joint = &l->joint[n];
        memset(at_row, 0, sizeof at_row);
        for (int side = 0; side < 2; side++)
            pack_rows(dry_linkage_rows_of(l, joint), joint->rows, side, &at_row[side]);
        DRY_ASSERT(k == factor->pair_first[n]);
        for (; k < factor->pairs && factor->pair[k].row == n; k++) {
            const dry_factor_pair *pair = &factor->pair[k];
            const dry_articulated_joint *other = &l->joint[pair->column];
            dry_block_factor products[4];
            int count = 0;
            for (int shared = 0; shared < 4; shared++) {
                if (!(pair->shared >> shared & 1))
                    continue;
                const dry_articulated_body *body = &l->body[joint->body[shared / 2]];
                pack_columns(dry_linkage_rows_of(l, other), dry_linkage_swings_of(l, other), other->rows,
                             shared % 2, body->inverse_mass, &at_column[count]);
                products[count] = (dry_block_factor){at_row[shared / 2].p[0], at_column[count].q[0]};
                count++;
            }
            dry_factor_set_product(factor, pair, products, count);
            for (int i = dry_linkage_locked(joint); i < joint->rows && pair->column == n; i++)
                dry_factor_pair_values(factor, pair)[i * (pair->stride + 1)] +=
                    l->spring[joint->spring + i - dry_linkage_locked(joint)].sigma;
        }
    }
}

/* Returns eps_T, less of it for a slender articulation, or for a fine factor. */
static double regularization(const dry_linkage *l)
{
    const double eps = fmin(l->step->settings->method.joint_regularization, l->factor->regularization);
    return l->articulation->fine ? fmax(DRY_FINE * eps, fmin(eps, DRY_LEAST_REGULARIZATION)) : eps;
}

/* Returns a hash of all that the factor is made of; not 0. */
static uint64_t hash_of(const dry_linkage *l)
{
    const double eps = regularization(l);
    uint64_t hash = dry_hash_mix_bytes(1, &eps, sizeof eps);
    hash = dry_hash_mix_bytes(hash, l->hash, (size_t)l->joints * sizeof *l->hash);
    for (int k = 0; k < l->springs; k++)
        hash = dry_hash_mix_bytes(hash, &l->spring[l->articulation->spring_begin + k].sigma, sizeof(double));
    return hash == 0 ? 1 : hash;
}

/* Makes the factor, with the forward half of `x` on the way; null: of none. */
static void factor(const dry_linkage *l, double *x)
{
    const uint64_t made_of = hash_of(l);
    if (l->factor->made_of == made_of) {
        if (x)
            dry_factor_forward(&l->factor->factor, x, l->jobs);
        return;
    }
    l->factor->made_of = made_of;
    dry_factor *f = &l->factor->factor;
    f->level = l->step->state->sweeps.level;
    dry_factor_begin(f);
    assemble(l, f);
    const double alpha = dry_factor_regularize(f, regularization(l));
    DRY_ASSERT(!(alpha <= 0.0) && f->nodes == l->joints && f->first_row[f->nodes] == l->rows);
    /* The parts of a heavy body move little beside what is light, whose alpha is more than their pivots. */
    for (int j = 0; j < l->joints; j++)
        if (l->body[l->joint[j].body[0]].parts > 1 || l->body[l->joint[j].body[1]].parts > 1)
            dry_factor_regularize_less(f, j, regularization(l));
    l->factor->raised = dry_factor_compute(f, x, l->jobs);
    l->factor->redundant = 0;
    for (int i = 0; i < l->rows; i++)
        l->factor->redundant += f->pivot[i] < REDUNDANT * alpha;
}

void dry_linkage_factor(const dry_linkage *l)
{
    factor(l, NULL);
}

void dry_linkage_factor_forward(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    factor(l, l->impulses);
}

static void add_impulse(dry_articulated_body *body, double sign, double impulse,
                        const dry_articulated_row *row, int side)
{
    body->impulse = double3_add_scaled(body->impulse, sign * impulse, row->linear);
    body->angular_impulse = double3_add_scaled(body->angular_impulse, sign * impulse, row->angular[side]);
}

void dry_stream_clear(dry_stream *stream, int begin, int end)
{
    for (int b = begin; b < end; b++)
        stream->l->body[b].impulse = stream->l->body[b].angular_impulse = (dry_double3){0};
}

void dry_stream_sum(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    for (int j = begin; j < end; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
        const double *p = &l->impulses[joint->row - l->articulation->row_begin];
        DRY_ASSERT(joint->row >= l->articulation->row_begin &&
                   joint->row + joint->rows <= l->articulation->row_end);
        for (int i = 0; i < joint->rows; i++) {
            add_impulse(&l->body[joint->body[0]], -1.0, p[i], &row[i], 0);
            add_impulse(&l->body[joint->body[1]], 1.0, p[i], &row[i], 1);
        }
    }
}

void dry_linkage_sum_impulses(const dry_linkage *l)
{
    dry_stream stream = dry_stream_of(l);
    dry_stream_clear(&stream, l->articulation->body_begin, l->articulation->body_end);
    dry_stream_sum(&stream, 0, l->joints);
}

/* Replaces the impulses by (A + Sigma) p: the speeds that they give to rows, and those of springs. */
static void find_gained_speeds(const dry_linkage *l)
{
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
        const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
        const dry_articulated_swings *swings = dry_linkage_swings_of(l, joint);
        double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            const double gained = b->inverse_mass * double3_dot(row[i].linear, b->impulse) +
                                  double3_dot(swings[i].side[1], b->angular_impulse) -
                                  a->inverse_mass * double3_dot(row[i].linear, a->impulse) -
                                  double3_dot(swings[i].side[0], a->angular_impulse);
            const int spring = i - dry_linkage_locked(joint);
            p[i] = spring < 0 ? gained : gained + l->spring[joint->spring + spring].sigma * p[i];
        }
    }
}

/* Solves for the impulses once. */
static void solve_once(const dry_linkage *l)
{
    dry_factor_solve(&l->factor->factor, l->impulses, l->jobs);
    dry_linkage_sum_impulses(l);
}

/* Errors of redundant rows contradict each other by what is of second order, and A + alpha I answers with
 * impulses that are large and cancel each other. The second solution has none of those: it is that of least
 * norm. */
void dry_linkage_solve(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    solve_once(l);
    find_gained_speeds(l);
    solve_once(l);
}

bool dry_linkage_solve_again(const dry_linkage *l)
{
    if (l->factor->redundant > 0) {
        dry_linkage_solve(l);
        return true;
    }
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    dry_factor_solve(&l->factor->factor, l->impulses, l->jobs);
    return false;
}

bool dry_linkage_solve_on(const dry_linkage *l)
{
    if (l->factor->redundant > 0)
        return dry_linkage_solve_again(l);
    dry_factor_backward(&l->factor->factor, l->impulses, l->jobs);
    return false;
}

double dry_linkage_find_unsolvable(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    solve_once(l);
    find_gained_speeds(l);
    double largest = 0.0;
    for (int i = 0; i < l->rows; i++)
        largest = dry_larger(largest, fabs(l->x[i] - l->impulses[i]));
    return largest;
}

double dry_linkage_energy_asked(const dry_linkage *l)
{
    double sum = 0.0;
    dry_factor_forward(&l->factor->factor, l->x, l->jobs);
    for (int i = 0; i < l->rows; i++)
        sum += l->x[i] * l->x[i];
    return 0.5 * sum;
}

void dry_stream_count(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    const double share = stream->share;
    for (int j = begin; j < end; j++) {
        dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
        const double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            joint->impulse = double3_add_scaled(joint->impulse, share * p[i], row[i].linear);
            joint->moment = double3_add_scaled(joint->moment, share * p[i], row[i].angular[1]);
        }
        for (int k = 0; k < joint->springs; k++)
            l->spring[joint->spring + k].given += share * p[dry_linkage_locked(joint) + k];
    }
}

void dry_linkage_count_impulses(const dry_linkage *l)
{
    dry_stream stream = dry_stream_of(l);
    dry_stream_count(&stream, 0, l->joints);
}
