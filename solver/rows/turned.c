/* The inertia of bodies that turn within a step. Reads and writes rows, in the substeps of a method that asks
 * for it (methods/blocks); momentum.c, spin.c and finish.c read what it leaves. */
#include "solver/rows/turned.h"

#include "core/rotation.h"
#include "solver/context.h"

#include <string.h>

/* A body that turns by more than this in a substep, rad, keeps the inertia of the step's beginning. */
#define TURNED_ANGLE_MAX 0.5
/* Rotation vectors longer than this, rad, add up as they are. */
#define COMPOSED_ANGLE_MAX 2.5

/* And so does one whose largest ratio of principal moments, times the square of its rotation in the step,
 * exceeds this: the square of the product is N's condition, and single precision has no digits left for N.
 * Rotations count as a thirtieth of a radian at least: some are faster at the step's end than when it began.
 */
#define TURNED_RATIO_MAX 500.0
#define TURNED_ANGLE2_MIN 1e-3

static const dry_turned_row unturned = {.inertia = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f}, .least = 0.5f};

void dry_turned_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->turned, state->turned_capacity);
}

bool dry_turned_reserve(const dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    if (!DRY_RESERVE(memory, s->turned, s->turned_capacity, rows))
        return false;
    s->turned_count = rows;
    for (int row = 0; row < rows; row++)
        s->turned[row] = unturned;
    return true;
}

/* Returns the rotation vector of a whitened one in the principal frame of the step's beginning. */
static dry_double3 vector_of(const dry_solver_row *r, const float whitened[3])
{
    return (dry_double3){(double)whitened[0] * (double)r->inv_sqrt_inertia[0],
                         (double)whitened[1] * (double)r->inv_sqrt_inertia[1],
                         (double)whitened[2] * (double)r->inv_sqrt_inertia[2]};
}

void dry_turned_begin(const dry_solver_step *step, int row, float h)
{
    dry_solver_state *s = step->state;
    const dry_solver_row *r = &s->rows[row + 1];
    const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
    s->turned[row] = unturned;
    if (s->invalid[row] || step->bodies->properties[row].locks ||
        (inverse.x == inverse.y && inverse.y == inverse.z))
        return;
    const float least = dry_min(inverse.x, dry_min(inverse.y, inverse.z));
    const float most = dry_max(inverse.x, dry_max(inverse.y, inverse.z));
    if (!(least > 0.0f))
        return;
    const dry_double3 w = vector_of(r, r->ua);
    const double speed2 = double3_dot(w, w), angle2 = speed2 * (double)step->dt * (double)step->dt;
    const double bent = angle2 < 1.0 ? fmax(angle2, TURNED_ANGLE2_MIN) : 1.0;
    s->turned[row].turns = speed2 * (double)h * (double)h <= TURNED_ANGLE_MAX * TURNED_ANGLE_MAX &&
                           (double)most / (double)least * bent <= TURNED_RATIO_MAX;
}

/* Returns the vector of a small rotation after another one: theta + d - theta x d / 2 + ..., with the sign of
 * a rotation that comes second. */
static dry_double3 compose(dry_double3 first, dry_double3 second)
{
    dry_double3 sum = double3_add_scaled(first, 1.0, second);
    const double angle2 = double3_dot(first, first);
    if (!(angle2 <= COMPOSED_ANGLE_MAX * COMPOSED_ANGLE_MAX))
        return sum;
    const dry_double3 turn = double3_cross(first, second);
    sum = double3_add_scaled(sum, -0.5, turn);
    /* 1 / x^2 - cot(x / 2) / 2 x */
    const double series = 1.0 / 12.0 + angle2 * (1.0 / 720.0 + angle2 * (1.0 / 30240.0));
    return double3_add_scaled(sum, series, double3_cross(first, turn));
}

/* Computes a(i) a(j) times the sum of b(k)^2 R(i, k) R(j, k). */
static void find_metric(double r[3][3], const double a[3], const double b[3], double metric[6])
{
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += b[k] * b[k] * r[i][k] * r[j][k];
            metric[at] = a[i] * a[j] * sum;
        }
}

static void find_matrix(dry_double3 rotation, double r[3][3])
{
    const dry_rotation q = rotation_from_vector(rotation);
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = rotation_apply(q, (dry_double3){k == 0, k == 1, k == 2});
        r[0][k] = axis.x, r[1][k] = axis.y, r[2][k] = axis.z;
    }
}

static void multiply(const double m[6], const double v[3], double out[3])
{
    out[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    out[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
    out[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
}

void dry_turned_momentum(const dry_solver_step *step, int row, double momentum[3])
{
    const dry_solver_row *r = &step->state->rows[row + 1];
    const dry_turned_row *turned = dry_turned_of(step, row);
    double u[3], n[6];
    for (int k = 0; k < 3; k++)
        momentum[k] = u[k] = (double)r->ua[k];
    if (!turned)
        return;
    for (int k = 0; k < 6; k++)
        n[k] = (double)turned->inertia[k];
    multiply(n, u, momentum);
}

/* Sets the inertia of a row at a rotation, and returns N^-1. */
static void set_inertia(const dry_solver_row *r, dry_double3 rotation, dry_turned_row *turned,
                        double inverse[6])
{
    double matrix[3][3], root[3], inverse_root[3], n[6];
    find_matrix(rotation, matrix);
    for (int k = 0; k < 3; k++) {
        inverse_root[k] = (double)r->inv_sqrt_inertia[k];
        root[k] = 1.0 / inverse_root[k];
    }
    find_metric(matrix, inverse_root, root, n);
    find_metric(matrix, root, inverse_root, inverse);
    for (int k = 0; k < 6; k++)
        turned->inertia[k] = (float)n[k];
    turned->least = (float)(0.5 / (inverse[0] + inverse[3] + inverse[5]));
}

void dry_turned_next(const dry_solver_step *step, int row, float h, const float force[3], float target[3])
{
    dry_solver_row *r = &step->state->rows[row + 1];
    const dry_double3 w = vector_of(r, r->ua),
                      half = {0.5 * (double)h * w.x, 0.5 * (double)h * w.y, 0.5 * (double)h * w.z};
    double momentum[3], inverse[6], u[3];
    dry_turned_momentum(step, row, momentum);
    set_inertia(r, compose(vector_of(r, r->da), half), &step->state->turned[row], inverse);
    multiply(inverse, momentum, u);
    for (int k = 0; k < 3; k++) {
        r->ua[k] = (float)u[k];
        momentum[k] += (double)force[k];
    }
    multiply(inverse, momentum, u);
    for (int k = 0; k < 3; k++)
        target[k] = (float)u[k];
}

void dry_turned_move(const dry_solver_step *step, int row, float h)
{
    dry_solver_row *r = &step->state->rows[row + 1];
    const dry_double3 w = vector_of(r, r->ua), moved = vector_of(r, r->da);
    const dry_double3 way = {(double)h * w.x, (double)h * w.y, (double)h * w.z};
    const dry_double3 sum = compose(double3_add_scaled(moved, -1.0, way), way);
    const double to[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 3; k++)
        r->da[k] = (float)(to[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_end(const dry_solver_step *step, int row)
{
    dry_solver_row *r = &step->state->rows[row + 1];
    double momentum[3], inverse[6], u[3];
    dry_turned_momentum(step, row, momentum);
    set_inertia(r, vector_of(r, r->da), &step->state->turned[row], inverse);
    multiply(inverse, momentum, u);
    for (int k = 0; k < 3; k++)
        r->ua[k] = (float)u[k];
}

const dry_turned_row *dry_turned_of(const dry_solver_step *step, int row)
{
    const dry_solver_state *s = step->state;
    return row < s->turned_count && s->turned[row].turns && !s->invalid[row] ? &s->turned[row] : NULL;
}
