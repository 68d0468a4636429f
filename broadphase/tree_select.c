/* Halving the leaves of a build along the longest axis of their centers: quickselect without mispredicted
 * branches. */
#include "broadphase/trees.h"

#include "simd/fours.h"

#include <math.h>
#include <stdbool.h>

/* Returns the longest axis of the items' centers. */
static int longest_axis(const dry_tree_item *items, int count)
{
    float4 low = float4_set(INFINITY), high = float4_set(-INFINITY);
    for (int i = 0; i < count; i++) {
        /* The fourth lane is the proxy, and nobody reads it. */
        float4 center = float4_load(&items[i]);
        low = float4_min(low, center);
        high = float4_max(high, center);
    }
    float size[4];
    float4_store(size, high - low);
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        if (size[a] > size[axis])
            axis = a;
    }
    return axis;
}

/* Moves the items of [begin, end) that are below the pivot (`also_equal`: not above it) to the front. Returns
 * where the others begin. Every item is exchanged, so that no branch is mispredicted, and read and
 * written whole: a load that spans several stores waits for them. */
static int partition(dry_tree_item *items, int begin, int end, int axis, float pivot, bool also_equal)
{
    int front = begin;
    for (int i = begin; i < end; i++) {
        float key = items[i].center[axis];
        bits4 item = bits4_load(&items[i]);
        bits4_store(&items[i], bits4_load(&items[front]));
        bits4_store(&items[front], item);
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
        bits4 item = bits4_load(&items[i]);
        float key = items[i].center[axis];
        int at = i;
        for (; at > begin && items[at - 1].center[axis] > key; at--)
            bits4_store(&items[at], bits4_load(&items[at - 1]));
        bits4_store(&items[at], item);
    }
}
