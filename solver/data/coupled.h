/* Constraints that act on articulations: what joints that are solved directly let a row move [Tomcin 7].
 *
 * An impulse along one row changes the speeds of all rows of the constraint, and the joints' share is in that
 * change: S = G (M^-1 - Y^T Y) G^T with the Y of methods/direct/coupling.c. So a kind solves its rows
 * one after another by S alone, without bodies. Rows are those of its bundle's lane, whitened. */
#ifndef SOLVER_DATA_COUPLED_H
#define SOLVER_DATA_COUPLED_H

#include <stdint.h>

/* The first rows of a contact are along its normal. */
enum { DRY_COUPLED_ROWS = 9, DRY_COUPLED_NORMALS = 4 };

/* Passes over the rows of a constraint in one visit. Joints couple rows that are nearly apart on a free body,
 * and a pass costs little beside the visit. */
enum { DRY_COUPLED_PASSES = 4 };

/* The rows of one constraint. */
typedef struct dry_coupled_rows {
    int32_t row[2];                 /* of the solver; 0: nothing that impulses move */
    int32_t count;                  /* 0: bodies that no impulse moves along any of its axes */
    double g[DRY_COUPLED_ROWS][12]; /* linear and angular part of a, which has the minus sign; then of b */
} dry_coupled_rows;

/* S. A diagonal element that is 0: nothing moves along the row. */
typedef double dry_coupled_block[DRY_COUPLED_ROWS][DRY_COUPLED_ROWS];

typedef struct dry_coupled_motion {
    const double (*block)[DRY_COUPLED_ROWS];
    const double *apart; /* of a contact's normal rows: S_ii, did its impulse act on one body alone */
    int count;
    double speed[DRY_COUPLED_ROWS];  /* now, m/s or rad/s */
    double begin[DRY_COUPLED_ROWS];  /* when the substep began */
    double moved[DRY_COUPLED_ROWS];  /* since the step began, m or rad */
    double change[DRY_COUPLED_ROWS]; /* of the impulses, in this visit, N s or N m s */
} dry_coupled_motion;

/* Adds an impulse along a row. */
static inline void dry_coupled_push(dry_coupled_motion *m, int row, double impulse)
{
    m->change[row] += impulse;
    for (int i = 0; i < m->count; i++)
        m->speed[i] += m->block[i][row] * impulse;
}

/* Returns the inverse of a row's diagonal element, 0 if nothing moves along it. */
static inline double dry_coupled_mass(const dry_coupled_motion *m, int row)
{
    return m->block[row][row] > 0.0 ? 1.0 / m->block[row][row] : 0.0;
}

#endif
