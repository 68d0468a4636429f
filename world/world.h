/* The world: the struct that owns all data, the ground under world/, step/ and api/.
 *
 * world.c makes it and ends it. state/ declares the columns. The other headers of this folder declare what
 * keeps them consistent between calls. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "broadphase/broadphase.h"
#include "jobs/jobs.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"
#include "state/bodies.h"
#include "state/contacts.h"
#include "state/joints.h"
#include "state/shapes.h"
#include "world/events.h"
#include "world/hold.h"

#include <drystone/world.h>
#include <stdatomic.h>

struct dry_world {
    /* Settings and services. */
    dry_memory memory;
    dry_scratch scratch;
    dry_log log;
    dry_settings settings;
    dry_jobs *jobs;
    struct dry_recorder *recorder; /* null: nothing is recorded */

    /* State: the columns, and what is derived from them. */
    dry_bodies bodies;
    dry_shapes shapes;
    dry_contacts contacts;
    dry_joints joints;
    dry_islands islands;
    dry_solver_state solver;
    dry_broadphase *broadphase;
    dry_leases leases; /* the numbers that ids are made of */

    /* Events, and the slots of bodies with SLEEP_LISTED, which woke or fell asleep since the last step. */
    int32_t *sleep_changed;
    int sleep_changed_capacity, sleep_changed_count;
    dry_event_store events;
    dry_pending_events pending;

    struct dry_prefetch *prefetch; /* what a step prefetches in its last stage; null: nothing */
    struct dry_history *history;   /* null: no step is kept */
    bool called;                   /* something else may have changed it since the last whole step */

    /* The step under way, and what is told about steps. */
    dry_hold hold;
    dry_statistics statistics;
    bool pairs_left_out; /* by shape_pairs_max, ever: logged then, and no longer checked (host/validate) */
    float ways_dt; /* fat boxes of round shapes hold their ways over a step as long as this, s; calls that
                      give a body a place or a velocity make it 0 */
    uint64_t allocations_in_steps, allocations_in_last_step;
    uint64_t step_count;   /* in the state hash only while colors are shuffled by it: else it names steps, and
                              picks samples in validating builds */
    uint64_t pooled_steps; /* while pooled: the step_count from which on the pool alone steps it */
    uint64_t stage_hash[DRY_STAGE_COUNT];
    double step_began_ms;
    dry_stage_hook hook;
    bool hash_stages, count_stage_times, trace_workers;
    bool pooled;                  /* it belongs to a pool of rooms, which alone destroys it */
    bool substeps_set;            /* a call has changed settings.substeps_max since the pool last looked */
    bool stepping, times_stages;  /* in this step: count_stage_times, and something to tell */
    bool moving;                  /* a step is under way: calls that read are refused, too */
    atomic_int spin_limited;      /* bodies whose spin stage finalize has limited */
    atomic_bool invalid;          /* stage finalize found a body for quarantine */
    _Atomic(const void *) writer; /* the thread whose call writes to a sink, dry_writes_to_sink; null: none */
};

/* Makes a world of a definition that was checked, with workers as `jobs` says. Returns DRY_ERROR_MEMORY, or
 * DRY_ERROR_NUMBERS if the process has no world numbers left: *out is null then. */
dry_result dry_world_begin(const dry_world_def *def, dry_level level, const dry_jobs_def *jobs,
                           dry_world **out);
/* Releases a world with all that it owns. Its recorder and its history must have ended. */
void dry_world_end(dry_world *world);

static inline dry_body_id dry_body_id_of(const dry_world *world, int slot)
{
    return (dry_body_id){dry_slots_id(&world->bodies.slots, slot)};
}

/* Tells whether a body stays as it is in the step under way: world/hold.h. */
static inline bool dry_body_is_held(const dry_world *world, int slot)
{
    return world->hold.on && dry_bodies_row(&world->bodies, slot) >= world->hold.named;
}

static inline dry_shape_id dry_shape_id_of(const dry_world *world, int slot)
{
    return (dry_shape_id){dry_slots_id(&world->shapes.slots, slot)};
}

#endif
