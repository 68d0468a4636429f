/* The inertia of bodies that turn within a step.
 *
 * A row is whitened in the principal frame of the step's beginning, and its angular part counts as if the
 * body's inertia stayed there. A slender link under a joint's impulse does not bear that: rows of joints that
 * are prepared for each substep turn with the link, the inertia does not, and a torque across the link turns
 * it about its length, where its inertia is the least. Where a method asks for it, a body has its inertia at
 * the middle of each substep: with R the rotation since the step began, in the principal frame, and D the
 * principal moments, 2 T = u^T N u with
 *     N = D^(-1/2) R D R^T D^(-1/2)
 * and N u is the whitened angular momentum, which stays from substep to substep but for the impulses. */
#ifndef SOLVER_ROWS_TURNED_H
#define SOLVER_ROWS_TURNED_H

#include "core/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

typedef struct dry_turned_row {
    float inertia[6]; /* N: xx xy xz yy yz zz */
    float least;      /* a bound of half its smallest eigenvalue from below */
    int32_t turns;    /* 1: the body has it; 0: N is 1 */
} dry_turned_row;

void dry_turned_free(struct dry_solver_state *state, dry_memory *memory);
/* Makes room for all awake rows, none of which turns yet. False if memory fails. */
bool dry_turned_reserve(const struct dry_solver_step *step, dry_memory *memory);
/* Begins a step of substeps h for the body of a row that joints hold; decides whether its inertia turns. */
void dry_turned_begin(const struct dry_solver_step *step, int row, float h);
/* Takes a row's velocity to the inertia of the next substep, and its copy, plus the impulse of forces in the
 * substep, to `target`. */
void dry_turned_next(const struct dry_solver_step *step, int row, float h, const float force[3],
                     float target[3]);
/* Makes the sum of a row's rotation vectors that of the rotations, once it has moved in a substep. */
void dry_turned_move(const struct dry_solver_step *step, int row, float h);
/* Takes a row's velocity to the inertia at the step's end. */
void dry_turned_end(const struct dry_solver_step *step, int row);
/* Returns a row's record; null if its inertia is that of the step's beginning. */
const dry_turned_row *dry_turned_of(const struct dry_solver_step *step, int row);
/* Computes N u, the whitened angular momentum of a row. */
void dry_turned_momentum(const struct dry_solver_step *step, int row, double momentum[3]);

#endif
