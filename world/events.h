/* Events between their raising and their publication. world/event_list.h lists the kinds. */
#ifndef WORLD_EVENTS_H
#define WORLD_EVENTS_H

#include "world/event_list.h"

#include <drystone/event.h>

/* The events of the last step, and the memory of those that are raised before it ends. */
typedef struct dry_event_store {
#define X(type, array, count, room)                                                                          \
    type *array;                                                                                             \
    int count;
    DRY_STEP_EVENTS(X)
#undef X
    bool step_ends; /* the step under way can no longer fail: events go to its own and do not wait */
#define X(type, array, count, room)                                                                          \
    type *array;                                                                                             \
    int count, array##_capacity;
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
} dry_event_store;

/* Drops the events of the last step. */
void dry_events_clear(dry_world *world);
/* Returns the scratch memory of the events that the step under way raises when it can no longer fail, bytes.
 */
size_t dry_events_scratch_bytes(const dry_world *world);
/* Begins the lifetime of those events in scratch memory, for which there is room. Raises the contact begins
 * and takes the pending events over. */
void dry_events_begin_step_end(dry_world *world);
/* Ends the step's events with its sleep changes. */
void dry_events_publish(dry_world *world);

/* Reserves room for `more` contact ends that wait. Returns false if memory fails. */
bool dry_events_reserve_contact_ends(dry_world *world, int more);
/* Raises the end of a contact that touched. Room must be reserved, unless the step ends. */
void dry_events_add_contact_end(dry_world *world, int contact);
/* Raises the begin or the end of a parent whose first child touches, or none any more. Room for an end must
 * be reserved, unless the step ends. */
void dry_events_follow_family(dry_world *world, int parent);
/* Raises a hit. Returns false if memory fails. */
bool dry_events_add_hit(dry_world *world, const dry_hit_event *hit);

/* Reserves room for the sleep changes of `bodies` bodies in all. Returns false if memory fails. */
bool dry_events_reserve_sleep_changes(dry_world *world, int bodies);
/* Lists a body that woke or fell asleep. The step's end raises an event if that is still a change. */
void dry_events_list_sleep_change(dry_world *world, int slot);
/* Takes a body off that list. */
void dry_events_unlist_sleep_change(dry_world *world, int slot);

#endif
