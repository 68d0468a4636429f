/* Halving the leaves of a build along the longest axis of their centers: quickselect without mispredicted
 * branches. */
#include "broadphase/tree_select.h"

#include <math.h>
#include <simde/x86/sse2.h>
#include <stdbool.h>

/* Items are read and written whole: a load that spans several stores waits for them. */
static simde__m128i load_item(const dry_tree_item *item)
{
    return simde_mm_loadu_si128((const void *)item);
}

static void store_item(dry_tree_item *item, simde__m128i value)
{
    simde_mm_storeu_si128((void *)item, value);
}

/* Returns the longest axis of the items' centers. */
static int longest_axis(const dry_tree_item *items, int count)
{
    simde__m128 low = simde_mm_set1_ps(INFINITY), high = simde_mm_set1_ps(-INFINITY);
    for (int i = 0; i < count; i++) {
        /* The fourth lane is the proxy, and nobody reads it. */
        simde__m128 center = simde_mm_castsi128_ps(load_item(&items[i]));
        low = simde_mm_min_ps(low, center);
        high = simde_mm_max_ps(high, center);
    }
    float size[4];
    simde_mm_storeu_ps(size, simde_mm_sub_ps(high, low));
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        if (size[a] > size[axis])
            axis = a;
    }
    return axis;
}

/* Moves the items of [begin, end) that are below the pivot (`also_equal`: not above it) to the front. Returns
 * where the others begin. Every item is exchanged, so that no branch is mispredicted. */
static int partition(dry_tree_item *items, int begin, int end, int axis, float pivot, bool also_equal)
{
    int front = begin;
    for (int i = begin; i < end; i++) {
        float key = items[i].center[axis];
        simde__m128i item = load_item(&items[i]);
        store_item(&items[i], load_item(&items[front]));
        store_item(&items[front], item);
        front += (key < pivot) | (also_equal & (key == pivot));
    }
    return front;
}

/* Returns the coordinate of an item whose rank is near `rank` among `count` items. A fixed generator draws
 * the sample, since common orders (rows up and down a pile) are the worst case of fixed positions. */
static float choose_pivot(const dry_tree_item *items, int count, int rank, int axis, uint32_t *random)
{
    enum { SAMPLES_MAX = 15 };
    float sample[SAMPLES_MAX];
    int samples = count > 256 ? SAMPLES_MAX : count > 64 ? 7 : 3;
    for (int s = 0; s < samples; s++) {
        *random = *random * 1664525u + 1013904223u;
        float key = items[(uint64_t)*random * (uint64_t)count >> 32].center[axis];
        int at = s;
        for (; at > 0 && sample[at - 1] > key; at--)
            sample[at] = sample[at - 1];
        sample[at] = key;
    }
    return sample[(int64_t)rank * samples / count];
}

void dry_tree_select(dry_tree_item *items, int count, int k)
{
    enum { SORTED = 8 }; /* so few are sorted */
    int axis = longest_axis(items, count);
    uint32_t random = (uint32_t)count;
    int begin = 0, end = count;
    while (end - begin > SORTED) {
        float pivot = choose_pivot(items + begin, end - begin, k - begin, axis, &random);
        int rest = partition(items, begin, end, axis, pivot, false);
        if (rest == k) {
            return;
        } else if (rest > k) {
            end = rest;
        } else if (rest > begin) {
            begin = rest;
        } else {
            /* None is below the pivot: then those like it go. */
            rest = partition(items, begin, end, axis, pivot, true);
            if (rest >= k)
                return;
            begin = rest;
        }
    }
    for (int i = begin + 1; i < end; i++) {
        simde__m128i item = load_item(&items[i]);
        float key = items[i].center[axis];
        int at = i;
        for (; at > begin && items[at - 1].center[axis] > key; at--)
            store_item(&items[at], load_item(&items[at - 1]));
        store_item(&items[at], item);
    }
}
