/* Sums over a step for laws of energy and momentum. */
#include "solver/bodies/sums.h"

#include "solver/data/context.h"

static void add_cross(float sum[3], const float a[3], const float b[3])
{
    sum[0] += a[1] * b[2] - a[2] * b[1];
    sum[1] += a[2] * b[0] - a[0] * b[2];
    sum[2] += a[0] * b[1] - a[1] * b[0];
}

void dry_momentum_begin(dry_momentum_row *sum, const float u[6], const float forced[6], const float *force)
{
    *sum = (dry_momentum_row){0};
    for (int k = 0; k < 6 && force; k++) {
        sum->begin[k] = u[k];
        sum->force[k] = k < 3 ? force[k] : forced[k] - u[k];
    }
}

/* Sums displacement x force; sqrt(m) cancels, so that it is dl x (change of ul). */
void dry_momentum_gather(const dry_solver_step *step, const int32_t *rows, int count)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < count; i++) {
        dry_momentum_row *sum = &s->bodies.momentum_row[rows[i]];
        add_cross(sum->angular_force, s->bodies.rows[rows[i] + 1].dl, sum->force);
    }
}
