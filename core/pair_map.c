/* The pair map: Fibonacci-style mixing, linear probing, backward-shift deletion [Knuth 6.4, algorithm R].
 * Deletion leaves no tombstones, so a set that lives as long as its world never slows down. */
#include "core/pair_map.h"

#include "core/assert.h"

#include <string.h>

enum {
    CAPACITY_MIN = 64,
    CAPACITY_MAX = 1 << 30,
};

/* At most two thirds full: an unsuccessful search of linear probing then looks at 5 entries on average
 * (1/2 (1 + 1/(1 - load)^2)), about one cache line of 12-byte entries; at three quarters it is 8.5. */
static bool fits(int64_t count, int64_t capacity)
{
    return count * 3 <= capacity * 2;
}

/* Where a pair belongs among `capacity` entries: the hash's upper half, as a share of them [Lemire 19], so
 * that any capacity will do and not only powers of two, which leave a set half empty on average. */
static uint32_t home(uint32_t first, uint32_t second, uint32_t capacity)
{
    /* Neighbouring bodies have neighbouring indices; both halves must reach the upper bits. */
    uint64_t h = ((uint64_t)first << 32 | second) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)((h >> 32) * capacity >> 32);
}

static bool is_empty(const dry_pair_entry *entry)
{
    return (entry->first | entry->second) == 0;
}

static void order(uint32_t *a, uint32_t *b)
{
    if (*a > *b) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static uint32_t after(uint32_t i, uint32_t capacity)
{
    return i + 1 < capacity ? i + 1 : 0;
}

/* How far entry `to` is from entry `from`, going up and around. */
static uint32_t distance(uint32_t from, uint32_t to, uint32_t capacity)
{
    return to >= from ? to - from : to + capacity - from;
}

/* Where the pair is, or the empty entry where it would go. */
static uint32_t locate(const dry_pair_set *set, uint32_t first, uint32_t second)
{
    uint32_t capacity = (uint32_t)set->capacity;
    uint32_t i = home(first, second, capacity);
    while (!is_empty(&set->entries[i]) &&
           (set->entries[i].first != first || set->entries[i].second != second))
        i = after(i, capacity);
    return i;
}

bool dry_pair_set_reserve(dry_pair_set *set, dry_memory *memory, int count)
{
    if (count <= 0 || fits(count, set->capacity))
        return true;
    /* By a quarter at least: every entry is placed anew some four times in the set's life. */
    int64_t capacity = (int64_t)set->capacity + set->capacity / 4;
    if (capacity < CAPACITY_MIN)
        capacity = CAPACITY_MIN;
    if (!fits(count, capacity))
        capacity = ((int64_t)count * 3 + 1) / 2;
    if (capacity > CAPACITY_MAX)
        return false;

    size_t bytes = (size_t)capacity * sizeof(dry_pair_entry);
    dry_pair_set grown = {dry_memory_allocate(memory, bytes, DRY_CACHE_LINE), (int)capacity, set->count};
    if (!grown.entries)
        return false;
    memset(grown.entries, 0, bytes);
    for (int i = 0; i < set->capacity; i++) {
        const dry_pair_entry *entry = &set->entries[i];
        if (!is_empty(entry))
            grown.entries[locate(&grown, entry->first, entry->second)] = *entry;
    }
    dry_memory_release(memory, set->entries, (size_t)set->capacity * sizeof(dry_pair_entry));
    *set = grown;
    return true;
}

void dry_pair_set_free(dry_pair_set *set, dry_memory *memory)
{
    DRY_RELEASE(memory, set->entries, set->capacity);
    set->count = 0;
}

int32_t dry_pair_set_find(const dry_pair_set *set, uint32_t a, uint32_t b)
{
    if (set->count == 0)
        return -1;
    order(&a, &b);
    const dry_pair_entry *entry = &set->entries[locate(set, a, b)];
    return is_empty(entry) ? -1 : entry->value;
}

int dry_pair_set_drop_known(const dry_pair_set *set, dry_pair *pairs, int count)
{
    if (set->count == 0)
        return count;
    uint32_t mask = (uint32_t)set->capacity - 1;
    for (int i = 0; i < count; i++)
        __builtin_prefetch(&set->entries[home(pairs[i].first, pairs[i].second, mask)]);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        dry_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += is_empty(&set->entries[locate(set, pair.first, pair.second)]);
    }
    return kept;
}

void dry_pair_set_insert(dry_pair_set *set, uint32_t a, uint32_t b, int32_t value)
{
    DRY_ASSERT(a != b && fits((int64_t)set->count + 1, set->capacity));
    order(&a, &b);
    DRY_ASSERT(is_empty(&set->entries[locate(set, a, b)]));
    set->entries[locate(set, a, b)] = (dry_pair_entry){a, b, value};
    set->count++;
}

void dry_pair_set_remove(dry_pair_set *set, uint32_t a, uint32_t b)
{
    order(&a, &b);
    uint32_t capacity = (uint32_t)set->capacity;
    uint32_t hole = locate(set, a, b);
    if (is_empty(&set->entries[hole]))
        return;
    for (uint32_t i = after(hole, capacity); !is_empty(&set->entries[i]); i = after(i, capacity)) {
        /* An entry may fill the hole unless its home lies cyclically in (hole, i]. */
        uint32_t h = home(set->entries[i].first, set->entries[i].second, capacity);
        if (distance(h, i, capacity) >= distance(hole, i, capacity)) {
            set->entries[hole] = set->entries[i];
            hole = i;
        }
    }
    set->entries[hole] = (dry_pair_entry){0, 0, 0};
    set->count--;
}

void dry_pair_set_clear(dry_pair_set *set)
{
    if (set->count > 0)
        memset(set->entries, 0, (size_t)set->capacity * sizeof *set->entries);
    set->count = 0;
}

const dry_pair_entry *dry_pair_set_home(const dry_pair_set *set, uint32_t a, uint32_t b)
{
    order(&a, &b);
    return set->entries + home(a, b, (uint32_t)set->capacity);
}
