/* The table of parts. */

#include "solver/data/context.h"
#include "solver/stages/stages.h"

const dry_solver_part *dry_solver_parts[DRY_SOLVER_PART_COUNT] = {
#define X(part, PART) [DRY_SOLVER_PART_##PART] = &dry_part_##part,
    DRY_SOLVER_PARTS(X)
#undef X
};

void dry_parts_find(dry_solver_step *step, bool listed)
{
    for (int t = 0; t < step->state->plan.range_count; t++) {
        dry_tier_range *range = &step->state->plan.ranges[t];
        range->parts = 0;
        for (int p = 0; p < DRY_SOLVER_PART_COUNT; p++) {
            const dry_solver_part *part = step->parts[p];
            if (part && part->acts && (part->reserve || !listed) && part->acts(step, range))
                range->parts |= (uint8_t)(1u << p);
        }
        range->listed = listed ? range->parts : range->listed;
    }
}
