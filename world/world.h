/* The world: what owns everything, and what the files of this folder share.
 *
 * Public calls are in world.c, settings.c, bodies.c, destroy.c, body_motion.c, body_forces.c, shapes.c,
 * joints.c, queries.c, events.c, statistics.c; the step is step.c with its stages pairs.c, touch.c (contacts
 * and graph), solver/, finalize.c and sleep.c. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "broadphase/broadphase.h"
#include "jobs/jobs.h"
#include "solver/context.h"
#include "solver/islands/islands.h"
#include "state/bodies.h"
#include "state/contacts.h"
#include "state/joints.h"
#include "state/shapes.h"

#include <drystone/drystone.h>
#include <stdatomic.h>

/* Events of one step; what dry_events points into. Ends and hits have arrays of their own, growing. */
typedef struct dry_event_arrays {
    dry_moved_event *moved;
    dry_contact_event *begins, *ends;
    dry_hit_event *hits;
    dry_sleep_event *sleeps;
    dry_quarantine_event *quarantines;
    int ends_capacity, hits_capacity;
    int moved_count, begins_count, ends_count, hits_count, sleeps_count, quarantines_count;
} dry_event_arrays;

struct dry_world {
    dry_memory memory;
    dry_scratch scratch;
    dry_log log;
    dry_settings settings;
    dry_jobs *jobs;
    dry_bodies bodies;
    dry_shapes shapes;
    dry_contacts contacts;
    dry_joints joints;
    dry_islands islands;
    dry_solver_state solver;
    dry_broadphase *broadphase;

    int32_t *halfspaces; /* shapes without bounds, enabled ones, in the order they came */
    int halfspaces_capacity, halfspace_count;
    int halfspaces_made; /* with those of disabled bodies: what there is room for */
    uint32_t *leaving;   /* scratch of destroying, a set of slots with room for every body */
    int leaving_capacity;

    int32_t *sleep_changed; /* bodies (slots) with SLEEP_LISTED */
    int sleep_changed_capacity, sleep_changed_count;
    dry_event_arrays events;  /* of the last step */
    dry_event_arrays pending; /* since then: ends, and hits in the other's array; events.c */

    dry_statistics statistics;
    uint64_t allocations_in_steps, allocations_in_last_step;
    uint64_t step_count;
    uint64_t stage_hash[DRY_STAGE_COUNT];
    double step_began_ms;
    dry_stage_hook hook;
    bool hash_stages, count_stage_times, trace_workers;
    bool stepping;
    atomic_bool invalid; /* finalize found a body for quarantine */
};

/* Says through the log what was wrong and returns `result`. The format names the call and the argument. */
dry_result dry_world_fail(const dry_world *world, dry_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Argument checks shared by calls; each says what is wrong and where. `name` is the call, `field` the
 * argument. */
bool dry_check_world(const dry_world *world, const char *name, dry_result *result);
/* The same for a call on many bodies: that all ids name one. */
bool dry_check_bodies(const dry_world *world, const char *name, int count, const dry_body_id *ids,
                      dry_result *result);
bool dry_finite3(dry_vec3 v, float limit);
bool dry_finite_position(dry_position p);
bool dry_finite_quat(dry_quat q);
const char *dry_settings_error(const dry_settings *settings);

/* Slots of ids; -1 after saying that the id is stale. */
int dry_find_body(const dry_world *world, dry_body_id id, const char *name);
int dry_find_shape(const dry_world *world, dry_shape_id id, const char *name);
int dry_find_joint(const dry_world *world, dry_joint_id id, const char *name);

static inline dry_body_id dry_body_id_of(const dry_world *world, int slot)
{
    return (dry_body_id){dry_slots_id(&world->bodies.slots, slot)};
}

static inline dry_shape_id dry_shape_id_of(const dry_world *world, int slot)
{
    return (dry_shape_id){dry_slots_id(&world->shapes.slots, slot)};
}

/* mass.c */

/* The body's mass properties from its shapes, in the user's frame; mass 0 if they add none. */
dry_mass dry_mass_from_shapes(const dry_world *world, int slot);
/* Room for the frame that such a mass gives a body. Where shapes decide, dry_shape_reserve_rare makes it:
 * with all of them at the body's origin, axes along its own, the principal frame is the user's. */
bool dry_mass_reserve(dry_world *world, const dry_mass *mass);
/* Takes mass properties over: principal axes, inner pose, shapes' and joints' places, old anchors, bounds. */
void dry_mass_apply(dry_world *world, int slot, const dry_mass *mass);
/* Recomputes after a change of shapes, unless the mass was given. */
void dry_mass_refresh(dry_world *world, int slot);
/* All 0 but the centre where the body is not dynamic. */
dry_mass dry_mass_of(const dry_world *world, int slot);
/* Whether a mass is valid, in words if not. */
const char *dry_mass_error(const dry_mass *mass);

/* attach.c: a body's place in broadphase, contacts and joints. */

/* Into the broadphase or the list of half-spaces; room for both is reserved. */
void dry_attach_shape(dry_world *world, int shape);
void dry_detach_shape(dry_world *world, int shape);
/* Out of the broadphase or the list of half-spaces only. */
void dry_detach_proxy(dry_world *world, int shape);
void dry_attach_body(dry_world *world, int slot);
void dry_detach_body(dry_world *world, int slot);
/* Removes one contact with its colour, with an end event if it touched. Room for the event is reserved. */
void dry_contact_end(dry_world *world, int contact);
int dry_body_shape_count(const dry_world *world, int slot);
/* Contacts of a body that touch: room that end events need. Fetches their shapes, which are looked at next.
 */
int dry_body_touch_count(const dry_world *world, int slot);
/* Tells the broadphase where a body's shapes are; displacement as dry_broadphase_update has it. */
void dry_update_bounds(dry_world *world, int row, dry_vec3 displacement);
/* Tells the broadphase whether a body sleeps. */
void dry_update_resting(dry_world *world, int slot);
dry_bounds dry_shape_bounds(const dry_world *world, int shape);

/* sleep.c */

/* Wakes a body's whole sleeping island (and, if the body itself cannot move, what touches it). Never fails:
 * all room is there. */
void dry_wake_body(dry_world *world, int slot);
/* Wakes everything that touches or is joined to a body. */
void dry_wake_neighbors(dry_world *world, int slot);
/* Wakes what sleeps where a body that nothing moves has been put. */
void dry_wake_overlapped(dry_world *world, int slot);
/* What was to act in the next step does not: the body is no longer among the awake ones. */
void dry_forget_forces(dry_bodies *bodies, int slot);
void dry_sleep_body_island(dry_world *world, int slot);
/* The step's last act: rest timers, islands that fall asleep. */
void dry_sleep_islands(dry_world *world);
void dry_activate_joint(dry_world *world, int joint);
void dry_deactivate_joint(dry_world *world, int joint);

/* step.c */

/* Returns the parts of the world that the solver's stages are given. */
dry_solver_step dry_solver_step_of(dry_world *world, float dt);
/* Begins the lifetime of the solver's scratch memory with the rows of substeps' beginnings; false if memory
 * fails. */
bool dry_take_start_rows(dry_world *world);

/* The stages (step.c has them in order); false if memory failed. */
bool dry_stage_pairs(dry_world *world, float dt);
void dry_stage_contacts(dry_world *world, float dt);
bool dry_stage_graph(dry_world *world);
void dry_stage_finalize(dry_world *world, const dry_solver_step *step);

/* The islands of the step under way, for statistics.c. */
void dry_count_islands(dry_world *world);
/* The state hash with what the stage left in rows and bundles. */
uint64_t dry_hash_stage(const dry_world *world, dry_stage stage);

/* events.c */

/* A hit event if the contact's surfaces meet within the step, fast enough; false if memory fails. */
bool dry_hit_of_contact(dry_world *world, const dry_solver_step *step, int contact);
/* The events of the last step are gone. */
void dry_events_forget(dry_world *world);
/* Room for what the step under way writes when it can no longer fail. Before layout: it may move bundles. */
bool dry_events_reserve_step(dry_world *world);
/* Lays that room out and writes the begins. The bundles are gone. */
void dry_events_begin(dry_world *world);
dry_contact_event dry_contact_event_of(const dry_world *world, int contact);
/* A contact that touched no longer does. Room is reserved. */
void dry_event_end(dry_world *world, int contact);
bool dry_events_reserve_ends(dry_world *world, int more);
bool dry_events_reserve_bodies(dry_world *world, int bodies);
void dry_events_publish(dry_world *world);
void dry_events_free(dry_world *world);
/* A body fell asleep or woke; told at the end of the step, if it is still news then. */
void dry_event_sleep(dry_world *world, int slot);
void dry_event_sleep_forget(dry_world *world, int slot);

#endif
