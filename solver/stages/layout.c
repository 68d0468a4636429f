/* Stage "prepare", first part: the layout, and what is listed with it: parts, and the islands whose
 * momentum or energy is bounded. Next: bodies/begin.c, then prepare.c. */
#include "solver/plan/layout.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/laws/ledger.h"
#include "solver/methods/parts.h"
#include "solver/plan/islands.h"
#include "solver/stages/stages.h"

bool dry_solver_layout(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    dry_solver_state *s = step->state;
    if (!dry_layout_begin(step, memory))
        return false;
    bool slabs = false;
    const bool stays = dry_layout_stays(step);
    if (stays && !dry_slabs_search(step, memory, &slabs))
        return false;
    if (stays && !slabs)
        return dry_ledger_reserve(step, memory);

    step->islands->scheduled = false; /* until all constraints are assigned */
    step->stored = false;
    for (int i = 0; i < step->islands->count; i++) {
        dry_island *island = &step->islands->island[i];
        island->direct = 0;
        island->solved = island->solved == DRY_JOINTS_SWEPT ? DRY_JOINTS_NONE : island->solved;
    }
    if (step->method->joints->find_swept)
        step->method->joints->find_swept(step);
    bool done = true;
    DRY_TRY_PARTS(done, step, reserve, step, memory);
    dry_parts_find(step, true);
    done = done && dry_layout_assign(step, memory, scratch) && dry_ledger_reserve(step, memory);
    DRY_TRY_PARTS(done, step, plan, step, memory);
    if (!done)
        return false;
    step->islands->scheduled = true;
    s->plan.assigned_for = step->settings->method.solver;
    s->plan.assigned_in = step->settings->method.order;
    return true;
}
