/* The first items of a sequence. */
#include "core/heap.h"

#include <string.h>

static char *item_at(const dry_heap *heap, int i)
{
    return (char *)heap->items + (size_t)i * heap->item_bytes;
}

static bool before(const dry_heap *heap, int i, int j)
{
    return heap->comes_before(heap->context, item_at(heap, i), item_at(heap, j));
}

static void swap(const dry_heap *heap, int i, int j)
{
    char *a = item_at(heap, i), *b = item_at(heap, j);
    for (size_t k = 0; k < heap->item_bytes; k++) {
        const char byte = a[k];
        a[k] = b[k];
        b[k] = byte;
    }
}

static void rise(const dry_heap *heap, int i)
{
    for (int parent; i > 0 && before(heap, parent = (i - 1) / 2, i); i = parent)
        swap(heap, i, parent);
}

/* Lets item 0 sink among the first `count`. */
static void sink(const dry_heap *heap, int count)
{
    for (int i = 0, child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && before(heap, child, child + 1))
            child++;
        if (!before(heap, i, child))
            return;
        swap(heap, i, child);
    }
}

void dry_heap_keep(dry_heap *heap, const void *item)
{
    if (heap->kept < heap->capacity) {
        memcpy(item_at(heap, heap->kept), item, heap->item_bytes);
        rise(heap, heap->kept++);
    } else if (heap->capacity > 0 && heap->comes_before(heap->context, item, heap->items)) {
        memcpy(heap->items, item, heap->item_bytes);
        sink(heap, heap->kept);
    }
}

void dry_heap_sort(dry_heap *heap)
{
    for (int last = heap->kept - 1; last > 0; last--) {
        swap(heap, 0, last);
        sink(heap, last);
    }
}
