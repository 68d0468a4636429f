/* Kinds of events that calls between steps raise too, while the last step's events are read. A pending event
 * waits in an array until the next step publishes it, and is state meanwhile: a kind's line makes its column.
 * Next: state/columns.h, world/events.h. */
#ifndef STATE_PENDING_EVENTS_H
#define STATE_PENDING_EVENTS_H

#include "core/slots.h"
#include "state/fields.h"

#include <drystone/event.h>

/* Contacts whose end no event has reported yet. Ids are hashed without the numbers of the world. An event
 * keeps the user data, since its shapes and bodies may be gone when it is published. */
#define DRY_PENDING_END_FIELDS(F, T)                                                                         \
    F(T, 1, dry_shape_id, shape_a, , {0}, "", DRY_HASHED_BITS(DRY_ID_PLAIN_BITS, UINT64_MAX),                \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "id")                                  \
    F(T, 2, dry_shape_id, shape_b, , {0}, "", DRY_HASHED_BITS(DRY_ID_PLAIN_BITS, UINT64_MAX),                \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "id")                                  \
    F(T, 3, dry_body_id, body_a, , {0}, "", DRY_HASHED_BITS(DRY_ID_PLAIN_BITS, UINT64_MAX),                  \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "id")                                  \
    F(T, 4, dry_body_id, body_b, , {0}, "", DRY_HASHED_BITS(DRY_ID_PLAIN_BITS, UINT64_MAX),                  \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "id")                                  \
    F(T, 5, uint64_t, shape_user_data_a, , 0, "", DRY_OF_CALLER("the caller's own"),                         \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "of shape a when the contact ended")   \
    F(T, 6, uint64_t, shape_user_data_b, , 0, "", DRY_OF_CALLER("the caller's own"),                         \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "of shape b when the contact ended")   \
    F(T, 7, uint64_t, body_user_data_a, , 0, "", DRY_OF_CALLER("the caller's own"),                          \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "of body a when the contact ended")    \
    F(T, 8, uint64_t, body_user_data_b, , 0, "", DRY_OF_CALLER("the caller's own"),                          \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "of body b when the contact ended")

/* F(X, type, array, count, ID, name, FIELDS, number): `array` and `count` as in world/events.h, the rest
 * as in the lists of columns. */
#define DRY_PENDING_KINDS(F, X)                                                                              \
    F(X, dry_contact_event, contact_ends, contact_end_count, PENDING_END, pending_end,                       \
      DRY_PENDING_END_FIELDS, 62)

/* X(ID, type, name, FIELDS, number): the columns of pending events. */
#define DRY_PENDING_COLUMN(X, type, array, count, ID, name, FIELDS, number) X(ID, type, name, FIELDS, number)
#define DRY_PENDING_COLUMNS(X) DRY_PENDING_KINDS(DRY_PENDING_COLUMN, X)

#define X(ID, type, name, FIELDS, number) DRY_LIST_MATCHES(type, FIELDS, 0);
DRY_PENDING_COLUMNS(X)
#undef X

/* Events that the next step publishes. */
typedef struct dry_pending_events {
#define F(X, type, array, count, ...)                                                                        \
    type *array;                                                                                             \
    int count, array##_capacity;
    DRY_PENDING_KINDS(F, )
#undef F
} dry_pending_events;

#endif
