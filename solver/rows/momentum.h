/* The angular momentum of floating islands: impulses at bodies that moved would change it. */
#ifndef SOLVER_ROWS_MOMENTUM_H
#define SOLVER_ROWS_MOMENTUM_H

#include "core/memory.h"

#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

/* Sums over a body's substeps. They exist only while some island floats. */
typedef struct dry_drift_row {
    float force[3];  /* what forces change ul by in one substep */
    float moved[3];  /* ul when the body last moved */
    float torque[3]; /* sum of displacement x impulse, N m s */
} dry_drift_row;

void dry_momentum_free(struct dry_solver_state *state, dry_memory *memory);
bool dry_momentum_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Of some bodies of a class with floating islands, after each substep and after the impacts. */
void dry_momentum_gather(const struct dry_solver_step *step, const int32_t *rows, int count, float h);
void dry_momentum_repair(struct dry_solver_step *step);

#endif
