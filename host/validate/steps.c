/* The checks of a step, in validating builds alone: the whole world before the step and after one of its
 * stages, in turns, and which fields each stage wrote. A check that fails aborts with the name of the stage
 * and of what does not hold. Next: host/validate/validate.c. */
#include "core/compiler.h"
#include "host/validate/changes.h"
#include "host/validate/validate.h"
#include "step/checks.h"
#include "world/state_tables.h"

#include <stdio.h>
#include <stdlib.h>

/* From the graph stage on, no change waits for the graph any more. Islands and layout say themselves when
 * they are out of date: stages before the graph may leave them so. */
static const dry_settled settled_after[DRY_STAGE_COUNT] = {
    [DRY_STAGE_GRAPH] = DRY_SETTLED_AWAKE, [DRY_STAGE_PREPARE] = DRY_SETTLED_AWAKE,
    [DRY_STAGE_SOLVE] = DRY_SETTLED_AWAKE, [DRY_STAGE_REPAIR] = DRY_SETTLED_AWAKE,
    [DRY_STAGE_STORE] = DRY_SETTLED_AWAKE, [DRY_STAGE_FINALIZE] = DRY_SETTLED_AWAKE,
};

static void fail(const dry_validation *validation, const char *condition, const char *file, int line)
{
    fprintf(stderr, "drystone: %s:%d: %s: does not hold: %s\n", file, line, validation->place, condition);
    abort();
}

static void validate(const dry_world *world, const char *when, const char *stage, dry_settled settled)
{
    char place[96];
    snprintf(place, sizeof place, "%s %s in step %llu", when, stage, (unsigned long long)world->step_count);
    dry_world_validate(world, settled, &(dry_validation){.failed = fail, .place = place});
}

static void check_calls(const dry_world *world)
{
    validate(world, "before", "all stages", DRY_SETTLED_NONE);
}

static void *copy_before(const dry_world *world)
{
    dry_tables state = dry_world_state(world);
    dry_state_copy *copy = dry_state_copy_create(&state);
    if (!copy) {
        fprintf(stderr, "drystone: no memory to validate a step\n");
        abort();
    }
    return copy;
}

_Static_assert(DRY_BY_PAIRS == 1 << DRY_STAGE_PAIRS && DRY_BY_FINALIZE == 1 << DRY_STAGE_FINALIZE,
               "a stage is a writer by its number");

static void validate_writes(const dry_world *world, dry_stage stage, const dry_state_copy *before)
{
    dry_tables now = dry_world_state(world);
    dry_state_change change;
    if (!dry_state_find_change(before, &now, (uint16_t)(1u << stage), &change))
        return;
    fprintf(stderr, "drystone: stage %s of step %llu is no writer of %s.%s, which changed in row %d\n",
            dry_stage_name(stage), (unsigned long long)world->step_count, change.column->id,
            change.field->name, change.row);
    abort();
}

static void check_after(const dry_world *world, dry_stage stage, bool done, void *before)
{
    validate_writes(world, stage, before);
    dry_state_copy_destroy(before);
    /* Held bodies have velocities, and contacts that are not listed: the end of the step validates all. Else
     * a step has a load of its save after one stage, in turns: a load takes as long as ten small steps. */
    if (world->hold.on || (done && world->step_count % DRY_STAGE_COUNT != (uint64_t)stage))
        return;
    validate(world, done ? "after" : "out of memory in", dry_stage_name(stage),
             done ? settled_after[stage] : DRY_SETTLED_NONE);
}

static const dry_step_checks checks = {check_calls, copy_before, check_after};

/* Nothing names this file: a program that links the archive gets its checks if it links all of them. */
DRY_AT_LOAD static void at_load(void)
{
    dry_checks = &checks;
}
