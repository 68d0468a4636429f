/* Loops over the substeps of a tier, by what the method of the settings asks for. */
#ifndef SOLVER_METHODS_LOOP_H
#define SOLVER_METHODS_LOOP_H

#include "core/memory.h"
#include "solver/data/tiers.h"

struct dry_solver_step;

/* A loop of its own besides the one of substeps.c; null members: there is nothing to do. */
typedef struct dry_loop {
    /* Prepares the loop when bundles are filled. False if memory fails. */
    bool (*prepare)(struct dry_solver_step *step, dry_memory *memory);
    /* Runs all substeps of a tier; null: substeps.c does. */
    void (*solve_tier)(struct dry_solver_step *step, const dry_tier_range *range);
    /* Keeps what the loop hands to the next step besides impulses. */
    void (*store)(struct dry_solver_step *step);
} dry_loop;

/* Returns the loop of the method that the settings choose. */
const dry_loop *dry_loop_of(const dry_settings *settings);

#endif
