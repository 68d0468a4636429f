/* The pairing heap of due times [Fredman, Sedgewick, Sleator, Tarjan 1986]. Writes the links of its things.
 */
#include "host/rooms/due_queue.h"

#include "core/assert.h"

#include <stdbool.h>
#include <stddef.h>

static bool comes_before(const dry_due *a, const dry_due *b)
{
    return a->ms != b->ms ? a->ms < b->ms : a->order < b->order;
}

/* Makes one tree of two, of which each may be null. */
static dry_due *merge(dry_due *a, dry_due *b)
{
    if (!a || !b)
        return a ? a : b;
    DRY_ASSERT(a != b && !a->prev && !b->prev);
    if (comes_before(b, a)) {
        dry_due *swap = a;
        a = b, b = swap;
    }
    b->prev = a;
    b->next = a->child;
    if (a->child)
        a->child->prev = b;
    a->child = b;
    return a;
}

/* Makes one tree of a list of siblings: merges neighbors, and then the pairs from the last to the first. */
static dry_due *merge_siblings(dry_due *first)
{
    dry_due *pairs = NULL; /* the last one first, by `next` */
    while (first) {
        dry_due *a = first, *b = a->next, *rest = b ? b->next : NULL;
        a->next = a->prev = NULL;
        if (b)
            b->next = b->prev = NULL;
        a = merge(a, b);
        a->next = pairs;
        pairs = a;
        first = rest;
    }
    dry_due *root = NULL;
    while (pairs) {
        dry_due *next = pairs->next;
        pairs->next = NULL;
        root = merge(root, pairs);
        pairs = next;
    }
    return root;
}

void dry_due_insert(dry_due_queue *queue, dry_due *due)
{
    due->child = due->next = due->prev = NULL;
    queue->first = merge(queue->first, due);
}

void dry_due_remove(dry_due_queue *queue, dry_due *due)
{
    DRY_ASSERT(due == queue->first ? !due->prev : due->prev != NULL);
    dry_due *below = merge_siblings(due->child);
    if (due == queue->first) {
        queue->first = below;
    } else {
        if (due->prev->child == due)
            due->prev->child = due->next;
        else
            due->prev->next = due->next;
        if (due->next)
            due->next->prev = due->prev;
        queue->first = merge(queue->first, below);
    }
    due->child = due->next = due->prev = NULL;
}
