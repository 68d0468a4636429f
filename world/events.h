/* Events: all kinds, declared once; those between their raising and their publication; and contacts in the
 * words of the API.
 *
 * To add a kind: its type and its two members of dry_events in include/drystone/event.h, a line here (that of
 * a pending kind: in state/pending_events.h), and the code that raises it. */
#ifndef WORLD_EVENTS_H
#define WORLD_EVENTS_H

#include "state/pending_events.h"

/* X(type, array, count, room): `array` and `count` are the members of dry_events that hand out the events of
 * the last step. A kind is in one of three lists, by when it is raised. */

/* Raised at the end of a step, when it can no longer fail. `room` is the most that the step under way can
 * raise, an expression of `world`. */
#define DRY_STEP_EVENTS(X)                                                                                   \
    X(dry_contact_event, contact_begins, contact_begin_count, world->contacts.begun_count)                   \
    X(dry_moved_event, moved, moved_count, world->bodies.awake_count)                                        \
    X(dry_joint_event, joints, joint_count, world->joints.active_count)                                      \
    X(dry_conflict_event, conflicts, conflict_count, world->solver.articulations.count)                      \
    X(dry_quarantine_event, quarantines, quarantine_count, world->bodies.awake_count)                        \
    X(dry_sleep_event, sleeps, sleep_count, world->sleep_changed_count + world->bodies.dynamic_count)

/* Raised during a step that may still fail, in an array that grows. */
#define DRY_GROWING_EVENTS(X) X(dry_hit_event, hits, hit_count, 0)

/* Raised by calls between steps and by stages of a step that may still fail, while the last step's events are
 * read. A pending event waits in an array of its own, which grows; the state hash reads that array. A step
 * that can no longer fail moves the waiting events to its own and adds what its end raises, for which there
 * is room then: memory that fails at that point could not be told any more. Each touching contact of an awake
 * body may end. */
#define DRY_PENDING_EVENT(X, type, array, count, ...)                                                        \
    X(type, array, count,                                                                                    \
      world->pending.count + dry_min_int(world->contacts.touching_count, world->contacts.active_count))
#define DRY_PENDING_EVENTS(X) DRY_PENDING_KINDS(DRY_PENDING_EVENT, X)

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

/* Lists a body that woke or fell asleep. The step's end raises an event if that is still a change. */
void dry_events_list_sleep_change(dry_world *world, int slot);
/* Takes a body off that list. */
void dry_events_unlist_sleep_change(dry_world *world, int slot);

/* Initializes the members that say between whom a contact is: contacts and their events have them. */
#define DRY_BETWEEN(of)                                                                                      \
    .shape_a = (of).shape_a, .shape_b = (of).shape_b, .body_a = (of).body_a, .body_b = (of).body_b,          \
    .shape_user_data_a = (of).shape_user_data_a, .shape_user_data_b = (of).shape_user_data_b,                \
    .body_user_data_a = (of).body_user_data_a, .body_user_data_b = (of).body_user_data_b
/* Returns the ids and the user data of a contact's shapes and bodies. */
dry_contact_event dry_contact_event_of(const dry_world *world, int contact);
/* Returns a contact's points at its bodies' present poses, with the impulses of the last substep. */
dry_contact dry_contact_describe(const dry_world *world, int contact);

#endif
