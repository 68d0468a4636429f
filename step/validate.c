/* The invariants that hold after each stage, checked in validating builds only. */
#include "step/validate.h"

#include "world/validate.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct stage_invariants {
    const char *stage;
    uint32_t after;
} stage_invariants;

/* From the graph stage on, no change waits for the graph any more. Islands and layout say themselves when
 * they are out of date: stages before the graph may leave them so. */
static const stage_invariants invariants_of[DRY_STAGE_COUNT] = {
    [DRY_STAGE_PAIRS] = {"pairs", DRY_VALID_BETWEEN_CALLS},
    [DRY_STAGE_CONTACTS] = {"contacts", DRY_VALID_BETWEEN_CALLS},
    [DRY_STAGE_GRAPH] = {"graph", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
    [DRY_STAGE_PREPARE] = {"prepare", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
    [DRY_STAGE_SOLVE] = {"solve", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
    [DRY_STAGE_IMPACTS] = {"impacts", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
    [DRY_STAGE_STORE] = {"store", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
    [DRY_STAGE_FINALIZE] = {"finalize", DRY_VALID_BETWEEN_CALLS | DRY_VALID_SETTLED},
};

static void fail(const dry_validation *validation, const char *condition, const char *file, int line)
{
    fprintf(stderr, "drystone: %s:%d: %s: does not hold: %s\n", file, line, validation->place, condition);
    abort();
}

static void validate(const dry_world *world, const char *when, const char *stage, uint32_t invariants)
{
    char place[96];
    snprintf(place, sizeof place, "%s %s in step %llu", when, stage, (unsigned long long)world->step_count);
    dry_world_validate(world, invariants, &(dry_validation){.failed = fail, .place = place});
}

void dry_validate_calls(const dry_world *world)
{
    validate(world, "before", "all stages", DRY_VALID_BETWEEN_CALLS);
}

void dry_validate_stage(const dry_world *world, dry_stage stage)
{
    validate(world, "after", invariants_of[stage].stage, invariants_of[stage].after);
}

void dry_validate_failed_stage(const dry_world *world, dry_stage stage)
{
    validate(world, "out of memory in", invariants_of[stage].stage, DRY_VALID_BETWEEN_CALLS);
}
