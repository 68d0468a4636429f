/* The table of parts. */
#include "solver/methods/parts.h"

#include "solver/data/context.h"

/* Written as the library of methods is loaded. */
const dry_solver_part *dry_solver_parts[DRY_SOLVER_PART_COUNT] = {
    [DRY_SOLVER_PART_IMPACTS] = &dry_part_impacts,
};

void dry_part_add(dry_solver_part_index index, const dry_solver_part *part)
{
    DRY_ASSERT(!dry_solver_parts[index] || dry_solver_parts[index] == part);
    dry_solver_parts[index] = part;
}

void dry_parts_find(dry_solver_step *step, bool listed)
{
    for (int t = 0; t < step->state->plan.range_count; t++) {
        dry_tier_range *range = &step->state->plan.ranges[t];
        range->parts = 0;
        /* Before the layout no tier knows its bodies; after it, parts act on tiers that have some. */
        const bool some = listed || range->body_begin < range->body_end;
        for (int p = 0; p < DRY_SOLVER_PART_COUNT && some; p++) {
            const dry_solver_part *part = step->parts[p];
            if (part && part->acts && (part->reserve || !listed) && part->acts(step, range))
                range->parts |= (uint8_t)(1u << p);
        }
        range->listed = listed ? range->parts : range->listed;
    }
}
