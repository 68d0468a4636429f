/* A queue of things that are due at times: a pairing heap whose links lie in the things, so that no change
 * allocates or fails. First comes what is due first, and of equals the one with the lower order. */
#ifndef HOST_ROOMS_DUE_QUEUE_H
#define HOST_ROOMS_DUE_QUEUE_H

#include <stdint.h>

typedef struct dry_due {
    double ms;
    uint64_t order;
    struct dry_due *child, *next, *prev; /* prev: the sibling before, or the parent of the first child */
} dry_due;

typedef struct dry_due_queue {
    dry_due *first; /* null if the queue is empty */
} dry_due_queue;

/* Puts a thing, with its time and its order, into the queue. */
void dry_due_insert(dry_due_queue *queue, dry_due *due);

/* Takes a thing out that is in the queue. */
void dry_due_remove(dry_due_queue *queue, dry_due *due);

#endif
