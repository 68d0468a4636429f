/* The energy and the momentum of islands: one account, and one repair (ledger.c). */
#ifndef SOLVER_LAWS_LEDGER_H
#define SOLVER_LAWS_LEDGER_H

#include "core/memory.h"
#include "core/shared.h"

struct dry_solver_state;
struct dry_solver_step;

/* Finds the islands that keep momentum or have an account, and makes room for their sums. False if memory
 * fails. */
bool dry_ledger_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Adds the work that springs and motors do on a row's island in a substep, J. */
DRY_SHARED void dry_ledger_add_work(const struct dry_solver_step *step, int row, double work);
/* Takes back what islands have gained: momentum that no force gave, and energy beyond their accounts. */
void dry_ledger_close(struct dry_solver_step *step);

#endif
