/* The pair map: Fibonacci-style mixing, linear probing, backward-shift deletion [Knuth 6.4, algorithm R].
 * Deletion leaves no tombstones, so a map that lives as long as its world never slows down. */
#include "core/pair_map.h"
#include "core/compiler.h"

#include "core/assert.h"

#include <string.h>

enum {
    CAPACITY_MIN = 64,
    CAPACITY_MAX = 1 << 30,
};

/* At most two thirds full: an unsuccessful search of linear probing then looks at 5 entries on average
 * (1/2 (1 + 1/(1 - load)^2)), 80 bytes; at three quarters it is 8.5. */
static bool fits(int64_t count, int64_t capacity)
{
    return count * 3 <= capacity * 2;
}

/* Returns the home of a key among `capacity` entries: the upper half of its hash, as a share of them [Lemire
 * 19]. Any capacity will do, where a mask asks for powers of two, which leave a map half empty on average. */
static uint32_t home(dry_pair key, uint32_t capacity)
{
    /* Neighboring bodies have neighboring indices; all parts of the key must reach the upper bits. */
    uint64_t h = ((uint64_t)key.first << 32 | key.second) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)((h >> 32) * capacity >> 32);
}

static bool is_empty(const dry_pair_entry *entry)
{
    return (entry->key.first | entry->key.second) == 0;
}

static bool is_same(dry_pair a, dry_pair b)
{
    return a.first == b.first && a.second == b.second;
}

static uint32_t after(uint32_t i, uint32_t capacity)
{
    return i + 1 < capacity ? i + 1 : 0;
}

/* Returns the number of steps from entry `from` to entry `to`, up and around. */
static uint32_t distance(uint32_t from, uint32_t to, uint32_t capacity)
{
    return to >= from ? to - from : to + capacity - from;
}

/* Returns the index of a key, or of the empty entry where it would go. */
static uint32_t locate(const dry_pair_map *map, dry_pair key)
{
    uint32_t capacity = (uint32_t)map->capacity;
    uint32_t i = home(key, capacity);
    while (!is_empty(&map->entries[i]) && !is_same(map->entries[i].key, key))
        i = after(i, capacity);
    return i;
}

bool dry_pair_map_reserve(dry_pair_map *map, dry_memory *memory, int count)
{
    if (count <= 0 || fits(count, map->capacity))
        return true;
    /* Growth by a quarter places every entry anew some four times in the map's life. */
    int64_t capacity = (int64_t)map->capacity + map->capacity / 4;
    if (capacity < CAPACITY_MIN)
        capacity = CAPACITY_MIN;
    if (!fits(count, capacity))
        capacity = ((int64_t)count * 3 + 1) / 2;
    if (capacity > CAPACITY_MAX)
        return false;

    size_t bytes = (size_t)capacity * sizeof(dry_pair_entry);
    dry_pair_map grown = {dry_memory_allocate(memory, bytes, DRY_CACHE_LINE), (int)capacity, map->count};
    if (!grown.entries)
        return false;
    memset(grown.entries, 0, bytes);
    for (int i = 0; i < map->capacity; i++) {
        const dry_pair_entry *entry = &map->entries[i];
        if (!is_empty(entry))
            grown.entries[locate(&grown, entry->key)] = *entry;
    }
    dry_memory_release(memory, map->entries, (size_t)map->capacity * sizeof(dry_pair_entry));
    *map = grown;
    return true;
}

int32_t dry_pair_map_find(const dry_pair_map *map, dry_pair key)
{
    if (map->count == 0)
        return -1;
    const dry_pair_entry *entry = &map->entries[locate(map, key)];
    return is_empty(entry) ? -1 : entry->value;
}

int dry_pair_map_drop_known(const dry_pair_map *map, dry_pair *pairs, int count)
{
    if (map->count == 0)
        return count;
    for (int i = 0; i < count; i++)
        DRY_PREFETCH(&map->entries[home(pairs[i], (uint32_t)map->capacity)]);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        dry_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += is_empty(&map->entries[locate(map, pair)]);
    }
    return kept;
}

void dry_pair_map_insert(dry_pair_map *map, dry_pair key, int32_t value)
{
    DRY_ASSERT(key.first < key.second && fits((int64_t)map->count + 1, map->capacity));
    dry_pair_entry *entry = &map->entries[locate(map, key)];
    DRY_ASSERT(is_empty(entry));
    *entry = (dry_pair_entry){key, value};
    map->count++;
}

void dry_pair_map_remove(dry_pair_map *map, dry_pair key)
{
    uint32_t capacity = (uint32_t)map->capacity;
    uint32_t hole = locate(map, key);
    if (is_empty(&map->entries[hole]))
        return;
    for (uint32_t i = after(hole, capacity); !is_empty(&map->entries[i]); i = after(i, capacity)) {
        /* An entry may fill the hole unless its home lies cyclically in (hole, i]. */
        uint32_t h = home(map->entries[i].key, capacity);
        if (distance(h, i, capacity) >= distance(hole, i, capacity)) {
            map->entries[hole] = map->entries[i];
            hole = i;
        }
    }
    map->entries[hole] = (dry_pair_entry){0};
    map->count--;
}

void dry_pair_map_clear(dry_pair_map *map)
{
    if (map->count > 0)
        memset(map->entries, 0, (size_t)map->capacity * sizeof *map->entries);
    map->count = 0;
}

const dry_pair_entry *dry_pair_map_home(const dry_pair_map *map, dry_pair key)
{
    return map->entries + home(key, (uint32_t)map->capacity);
}
