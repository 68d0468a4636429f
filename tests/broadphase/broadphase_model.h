/* A broadphase beside a model of it that knows all by brute force.
 *
 * The model keeps a set of known pairs as the engine does: a pair is dropped when its fat boxes part and
 * added when it is reported. Then the known pairs must be exactly those with overlapping fat boxes, and hold
 * all those with overlapping shapes; what is reported must be new, sorted, and never far apart. */
#ifndef TESTS_BROADPHASE_BROADPHASE_MODEL_H
#define TESTS_BROADPHASE_BROADPHASE_MODEL_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "broadphase/fat_box.h"
#include "broadphase/internal.h"
#include "broadphase/trees.h"

#include <stdlib.h>

/* The most that two fat boxes can overlap beyond their shapes: margins and predicted ways, both sides. */
#define FATNESS_MAX (2.0 * (0.05 + 1.0) + 1e-3)

static uint64_t random_state;

static inline double random_double(double low, double high)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static inline int random_below(int n)
{
    return (int)random_double(0.0, (double)n);
}

/* One statement a number: compilers differ in the order of arguments. */
static inline dry_position random_position(double low, double high)
{
    dry_position p;
    p.x = random_double(low, high);
    p.y = random_double(low, high);
    p.z = random_double(low, high);
    return p;
}

static inline dry_vec3 random_vector(double extent)
{
    dry_position p = random_position(-extent, extent);
    return vec3((float)p.x, (float)p.y, (float)p.z);
}

/* Bounds with a center within +-spread of `around` and half extents between two lengths. */
static inline dry_bounds random_bounds(dry_position around, double spread, double half_low, double half_high)
{
    dry_position c = random_position(-spread, spread), h = random_position(half_low, half_high);
    c = (dry_position){c.x + around.x, c.y + around.y, c.z + around.z};
    return (dry_bounds){{c.x - h.x, c.y - h.y, c.z - h.z}, {c.x + h.x, c.y + h.y, c.z + h.z}};
}

static const dry_position center = {0.0, 0.0, 0.0};

typedef struct item {
    dry_bounds tight;
    dry_vec3 velocity; /* meters per step */
    int proxy;
    bool movable, alive;
} item;

typedef struct model {
    dry_memory memory;
    dry_scratch scratch;
    dry_broadphase *broadphase;
    dry_jobs *jobs;
    item *items; /* by user */
    bool *known; /* by user and user */
    int size;
    double precision; /* allowance for floats far from the origin, m */
    uint64_t hash;    /* of all that was reported */
    int reported;
} model;

static inline void model_create(model *m, int size, dry_allocator allocator)
{
    *m = (model){.size = size, .hash = 1469598103934665603u};
    dry_memory_init(&m->memory, allocator);
    m->items = calloc((size_t)size, sizeof *m->items);
    m->known = calloc((size_t)size * (size_t)size, sizeof *m->known);
    assert_non_null(m->items);
    assert_non_null(m->known);
    m->broadphase = dry_broadphase_create(&m->memory, &m->scratch, NULL, NULL);
}

static inline void model_destroy(model *m)
{
    dry_memory_release_all(&m->memory);
    free(m->items);
    free(m->known);
}

static inline bool *model_known(model *m, int a, int b)
{
    return &m->known[(size_t)(a < b ? a : b) * (size_t)m->size + (size_t)(a < b ? b : a)];
}

static inline int drop_known(const void *context, dry_pair *pairs, int count)
{
    const model *m = context;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!m->known[(size_t)pairs[i].first * (size_t)m->size + pairs[i].second])
            pairs[kept++] = pairs[i];
    return kept;
}

static inline dry_bounds box_at(double x, double y, double z, double half_x, double half_y, double half_z)
{
    return (dry_bounds){{x - half_x, y - half_y, z - half_z}, {x + half_x, y + half_y, z + half_z}};
}

static inline void shift(dry_bounds *b, dry_vec3 d)
{
    b->min = position_add(b->min, d);
    b->max = position_add(b->max, d);
}

/* The gap between two bounds along the axis where it is widest; not positive: they overlap. */
static inline double gap(const dry_bounds *a, const dry_bounds *b)
{
    double g = fmax(a->min.x - b->max.x, b->min.x - a->max.x);
    g = fmax(g, fmax(a->min.y - b->max.y, b->min.y - a->max.y));
    return fmax(g, fmax(a->min.z - b->max.z, b->min.z - a->max.z));
}

static inline void model_forget(model *m, int user)
{
    for (int other = 0; other < m->size; other++)
        *model_known(m, user, other) = false;
}

static inline bool model_add(model *m, int user, dry_bounds tight, bool movable)
{
    if (!dry_broadphase_reserve(m->broadphase, 1))
        return false;
    item *it = &m->items[user];
    *it = (item){.tight = tight, .movable = movable, .alive = true};
    it->proxy = dry_broadphase_add(m->broadphase, &tight, (uint32_t)user, movable);
    assert_in_range(it->proxy, 0, m->size - 1);
    return true;
}

static inline void model_remove(model *m, int user)
{
    dry_broadphase_remove(m->broadphase, m->items[user].proxy);
    m->items[user].alive = false;
    model_forget(m, user);
}

static inline bool model_update(model *m, int user)
{
    item *it = &m->items[user];
    return dry_broadphase_update(m->broadphase, it->proxy, &it->tight, it->velocity);
}

/* Does what the engine does each step: drops pairs that parted, finds new ones. Returns false if memory
 * failed. */
static inline bool model_find(model *m)
{
    for (int a = 0; a < m->size; a++) {
        for (int b = a + 1; b < m->size; b++) {
            bool *known = model_known(m, a, b);
            if (*known && !dry_broadphase_overlaps(m->broadphase, m->items[a].proxy, m->items[b].proxy))
                *known = false;
        }
    }
    const dry_pair *pairs;
    int count;
    dry_scratch_begin(&m->scratch, &m->memory, DRY_LIFETIME_PAIRS);
    if (!dry_broadphase_find_pairs(m->broadphase, m->jobs, drop_known, m, &pairs, &count)) {
        assert_int_equal(count, 0);
        return false;
    }
    for (int i = 0; i < count; i++) {
        int a = (int)pairs[i].first, b = (int)pairs[i].second;
        assert_true(a < b && b < m->size);
        const item *p = &m->items[a], *q = &m->items[b];
        assert_true(p->alive && q->alive);
        assert_true(p->movable || q->movable);
        assert_false(*model_known(m, a, b));
        assert_true(dry_broadphase_overlaps(m->broadphase, p->proxy, q->proxy));
        assert_true(gap(&p->tight, &q->tight) <= FATNESS_MAX + m->precision);
        if (i > 0)
            assert_true(pairs[i - 1].first < pairs[i].first ||
                        (pairs[i - 1].first == pairs[i].first && pairs[i - 1].second < pairs[i].second));
        *model_known(m, a, b) = true;
        m->hash = (m->hash ^ ((uint64_t)pairs[i].first << 32 | pairs[i].second)) * UINT64_C(1099511628211);
    }
    m->hash = (m->hash ^ (uint64_t)count) * UINT64_C(1099511628211);
    m->reported += count;
    dry_scratch_begin(&m->scratch, &m->memory, DRY_LIFETIME_NONE);
    return true;
}

static inline void model_check(model *m)
{
    int alive = 0;
    for (int a = 0; a < m->size; a++) {
        const item *p = &m->items[a];
        alive += p->alive;
        for (int b = a + 1; b < m->size && p->alive; b++) {
            const item *q = &m->items[b];
            if (!q->alive || !(p->movable || q->movable))
                continue;
            bool fat = dry_broadphase_overlaps(m->broadphase, p->proxy, q->proxy);
            if (fat != *model_known(m, a, b))
                fail_msg("users %d and %d: fat boxes %s, pair %s", a, b, fat ? "overlap" : "apart",
                         fat ? "not reported" : "still known");
            if (!fat && gap(&p->tight, &q->tight) <= 0.0)
                fail_msg("users %d and %d overlap, their fat boxes do not", a, b);
        }
    }
    assert_int_equal(dry_broadphase_proxies(m->broadphase)->count, alive);
}

static inline int find_count(model *m)
{
    int before = m->reported;
    assert_true(model_find(m));
    model_check(m);
    return m->reported - before;
}

#endif
