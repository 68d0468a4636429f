/* Passes over a class: what happens to its bodies, then one sweep over its constraints.
 *
 * A step of a class is a list of passes (substeps.c). One follows the other, phase by phase; over bands,
 * several are under way at a time, each two bands behind the last one: the same operations on every body in
 * the same order, so the same bits. */
#ifndef SOLVER_SWEEP_H
#define SOLVER_SWEEP_H

#include "simd/dispatch.h"
#include "solver/solver.h"

typedef enum dry_body_work {
    DRY_WORK_NONE,
    DRY_WORK_FIRST_FORCES, /* the velocity becomes that with a substep's forces */
    DRY_WORK_NEXT_FORCES,  /* u += u - u0: forces and warm start; u0 = u */
    DRY_WORK_MOVE          /* x += h v [Spook 37] */
} dry_body_work;

/* One kernel of each kind; null where the sweep passes over it. */
typedef struct dry_sweep_kernels {
    dry_contact_kernel *contact[DRY_FILL_COUNT];
    dry_ball_kernel *ball;
    dry_distance_kernel *distance;
} dry_sweep_kernels;

typedef struct dry_pass {
    dry_body_work work;
    const dry_sweep_kernels *kernels; /* null: no sweep */
    dry_sweep sweep;
} dry_pass;

enum { DRY_PASSES_MAX = 32 };

/* How many passes the class may be given at once, at most; 1 where each must end before the next begins. */
int dry_passes_at_once(const dry_solver_step *step, const dry_class_range *range);
void dry_run_passes(dry_solver_step *step, const dry_class_range *range, const dry_pass *passes, int count);
/* One pass; and one without work. */
void dry_run_pass(dry_solver_step *step, const dry_class_range *range, dry_body_work work,
                  const dry_sweep *sweep, const dry_sweep_kernels *kernels);
void dry_sweep_class(dry_solver_step *step, const dry_class_range *range, const dry_sweep *sweep,
                     const dry_sweep_kernels *kernels);

#endif
