/* The solver's memory between and within steps, and the parts of a world that its stages are given. */
#ifndef SOLVER_CONTEXT_H
#define SOLVER_CONTEXT_H

#include "jobs/jobs.h"
#include "simd/processor.h"
#include "solver/contacts/bundle.h"
#include "solver/islands/islands.h"
#include "solver/layout/layout.h"
#include "solver/rows/momentum.h"
#include "solver/rows/solver_row.h"
#include "state/contacts.h"
#include "state/joints.h"

#include <stdatomic.h>

/* The bundles of one kind. */
typedef struct dry_bundle_array {
    void *bundle;                /* of the kind's own type, in scratch memory */
    dry_bundle_members *members; /* of each bundle */
    int members_capacity, count;
} dry_bundle_array;

typedef struct dry_solver_state {
    dry_level level; /* whose kernels the world runs */
    /* Row r + 1 of these belongs to body row r; row 0 is zero and stands for what cannot be pushed. */
    dry_solver_row *rows;
    dry_solver_row *sums; /* only for a method that needs them */
    dry_start_row *start; /* row r of this and the next two belongs to body row r; in scratch memory */
    dry_momentum_row *momentum_row; /* only while some island floats */
    bool *invalid;  /* not finite or over the speed limits: finalize puts the body in quarantine */
    int32_t *order; /* awake dynamic rows by tier and partition */
    dry_bundle_array bundles[DRY_KIND_COUNT];
    dry_contact_header *headers; /* of each contact bundle */
    dry_contact_cold *cold; /* cold blocks in the order of their bundles; ordinary bundles share block 0 */
    struct dry_island_momentum *momentum; /* one for each floating island */
    int momentum_capacity, momentum_count;
    int rows_capacity, sums_capacity, momentum_row_capacity, invalid_capacity, order_capacity;
    int headers_capacity, cold_capacity;
    dry_tier_range ranges[DRY_TIER_COUNT];
    dry_partition *partitions;
    dry_phase *phases;
    struct dry_assignment *assignments; /* layout.c: one for each partition of each tier */
    int partitions_capacity, phases_capacity, assignments_capacity, phase_count;
    dry_solver assigned_for; /* the setting when constraints were assigned */
    uint16_t *slab;          /* slabs.c: by row, of the first `slab_rows`; 0 rows: there are none. All of
                                `slab_tiers` together */
    int32_t *slab_bodies;    /* how many each slab has */
    int slab_capacity, slab_bodies_capacity, slab_rows, slab_count;
    int slab_wait;       /* layouts until they are looked for again */
    uint32_t slab_tiers; /* bit c: they were found for tier c */
    int colors;          /* colors in use, for statistics */
    int overflow;        /* constraints that found none */
    atomic_bool impacts; /* some bundle may bounce; set from workers */
    atomic_bool hits;    /* some lane approaches faster than hit_speed_min; likewise */
    atomic_bool marked;  /* some bundle wants a cold block; likewise */
} dry_solver_state;

/* What every stage of one step is given. */
typedef struct dry_solver_step {
    dry_solver_state *state;
    const dry_settings *settings;
    dry_jobs *jobs;
    dry_bodies *bodies;
    const dry_shapes *shapes;
    dry_contacts *contacts;
    dry_joints *joints;
    dry_islands *islands;
    uint64_t number; /* steps done before this one, and which stage is under way: for probes */
    dry_stage stage;
    float dt;
} dry_solver_step;

/* Returns how many bundles of all kinds this step has. */
static inline int dry_solver_bundle_count(const dry_solver_state *state)
{
    int count = 0;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        count += state->bundles[k].count;
    return count;
}

/* Returns the contact bundles. */
static inline dry_contact_bundle *dry_contact_bundles(const dry_solver_state *state)
{
    return state->bundles[DRY_KIND_CONTACT].bundle;
}

/* The row of a body that belongs to an island; -1 if it does not. */
static inline int dry_island_row(const dry_solver_step *step, int body)
{
    int row = dry_bodies_row(step->bodies, body);
    return row < step->bodies->awake_count && step->bodies->sleep[row].island >= 0 ? row : -1;
}

void dry_solver_free(dry_solver_state *state, dry_memory *memory);

#endif
