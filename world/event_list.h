/* All kinds of events, declared once. To add one: its type and its two members of dry_events in
 * include/drystone/event.h, a line here (that of a pending kind: in state/pending_events.h), and the code
 * that raises it.
 *
 * X(type, array, count, room): `array` and `count` are the members of dry_events that hand out the events of
 * the last step. A kind is in one of three lists, by when it is raised. */
#ifndef WORLD_EVENT_LIST_H
#define WORLD_EVENT_LIST_H

#include "state/pending_events.h"

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

#endif
