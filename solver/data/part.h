/* A part of the step: what acts on bodies besides the sweeps over bundles, or between these. The stages call
 * each part at the points that its functions name. Nothing but the table (methods/method.c) names a part
 * outside its own files. */
#ifndef SOLVER_DATA_PART_H
#define SOLVER_DATA_PART_H

#include "core/memory.h"
#include "core/shared.h"
#include "solver/data/sweep.h"

struct dry_solver_state;
struct dry_solver_step;
struct dry_substeps;

struct dry_tier_range;

/* The only list of parts, in the order in which they are called. Each is a bit of a tier. The second volume
 * has those without a file. */
typedef enum dry_solver_part_index {
    DRY_SOLVER_PART_DIRECT,     /* joints that are solved directly */
    DRY_SOLVER_PART_IMPACTS,    /* restitution (sweeps/impacts.c) */
    DRY_SOLVER_PART_TWO_PHASE,  /* two-phase friction */
    DRY_SOLVER_PART_RELAXATION, /* adaptive relaxation */
    DRY_SOLVER_PART_COUNT
} dry_solver_part_index;

/* A null function: the part does nothing there. Functions that return a bool return false if memory fails. */
typedef struct dry_solver_part {
    /* Tells whether the part acts on a tier in this step. Parts with the next function must know it before
     * constraints have their lanes. */
    bool (*acts)(const struct dry_solver_step *step, const struct dry_tier_range *range);
    /* Stage "prepare", where the layout changes: lists what the part acts on. `plan`: once all constraints
     * have their lanes. */
    bool (*reserve)(struct dry_solver_step *step, dry_memory *memory);
    bool (*plan)(struct dry_solver_step *step, dry_memory *memory);
    /* Stage "prepare", once all bundles are filled. */
    bool (*prepare)(struct dry_solver_step *step, dry_memory *memory);

    /* Stage "solve", for tiers with the part's bit. Another substep of joints in sweeps begins. */
    void (*begin)(struct dry_substeps *run);
    /* Bodies have forces and the impulses of contacts; in a second call those of joints, too. The line search
     * then scales what joints gave. */
    void (*answer)(struct dry_substeps *run);
    void (*scale)(struct dry_substeps *run);
    /* Bodies have all that the substep begins with; solve sweeps follow. */
    void (*start)(struct dry_substeps *run);
    /* A sweep over all bundles is done. */
    void (*sweep)(struct dry_substeps *run, dry_sweep_kind kind);
    /* Bodies have moved; relax sweeps follow. */
    void (*move)(struct dry_substeps *run);

    /* All substeps are done: where stage "solve" ends, and again where stage "repair" does (step->stage). */
    void (*repair)(struct dry_solver_step *step);
    /* Adds the energy of the part's springs to the records of joints (dry_law_records.stored). */
    void (*add_stored)(struct dry_solver_step *step);
    /* Stage "store": keeps impulses. */
    void (*store)(const struct dry_solver_step *step);
    /* Writes what the part did to the statistics of a step that succeeded. */
    void (*count)(const struct dry_solver_state *state, dry_statistics *statistics);
} dry_solver_part;

extern const dry_solver_part dry_part_impacts;

#define DRY_PARTS_ALL UINT32_MAX
/* Calls a function of each part whose bit is set in `bits`, with the arguments that follow. */
#define DRY_CALL_PARTS(step, bits, function, ...)                                                            \
    for (int part_ = 0; part_ < DRY_SOLVER_PART_COUNT; part_++)                                              \
        if (((bits) >> part_ & 1u) && (step)->parts[part_] && (step)->parts[part_]->function)                \
    (step)->parts[part_]->function(__VA_ARGS__)
/* Calls a function of all parts until one lacks memory: `done` is false then. */
#define DRY_TRY_PARTS(done, step, function, ...)                                                             \
    for (int part_ = 0; part_ < DRY_SOLVER_PART_COUNT && done; part_++)                                      \
        if ((step)->parts[part_] && (step)->parts[part_]->function)                                          \
    done = (step)->parts[part_]->function(__VA_ARGS__)

/* Null where a part is absent. */
extern const dry_solver_part *dry_solver_parts[DRY_SOLVER_PART_COUNT];

/* Adds a part. */
DRY_SHARED void dry_part_add(dry_solver_part_index index, const dry_solver_part *part);

/* Finds the parts that act on each tier; `listed`: of those that list what they act on. */
void dry_parts_find(struct dry_solver_step *step, bool listed);

#endif
