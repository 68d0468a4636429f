/* The broadphase against brute force over all proxies, on worlds that add, remove, drift and teleport.
 *
 * The model keeps a set of known pairs as the engine does: a pair is dropped when its fat boxes part and
 * added when it is reported. Then the known pairs must be exactly those with overlapping fat boxes, and hold
 * all those with overlapping shapes; what is reported must be new, sorted, and never far apart. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "broadphase/proxies.h"
#include "tests/pthread_tasks.h"

#include <stdlib.h>
#include <string.h>

/* The most that two fat boxes can overlap beyond their shapes: margins and predicted ways, both sides. */
#define FATNESS_MAX (2.0 * (0.05 + 1.0) + 1e-3)

static uint64_t random_state;

static double random_double(double low, double high)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static int random_below(int n)
{
    return (int)random_double(0.0, (double)n);
}

/* One statement a number: compilers differ in the order of arguments. */
static dry_position random_position(double low, double high)
{
    dry_position p;
    p.x = random_double(low, high);
    p.y = random_double(low, high);
    p.z = random_double(low, high);
    return p;
}

static dry_vec3 random_vector(double extent)
{
    dry_position p = random_position(-extent, extent);
    return vec3((float)p.x, (float)p.y, (float)p.z);
}

/* Bounds with a centre within +-spread of `around` and half extents between two lengths. */
static dry_bounds random_bounds(dry_position around, double spread, double half_low, double half_high)
{
    dry_position c = random_position(-spread, spread), h = random_position(half_low, half_high);
    c = (dry_position){c.x + around.x, c.y + around.y, c.z + around.z};
    return (dry_bounds){{c.x - h.x, c.y - h.y, c.z - h.z}, {c.x + h.x, c.y + h.y, c.z + h.z}};
}

static const dry_position centre = {0.0, 0.0, 0.0};

/* The model. */

typedef struct item {
    dry_bounds tight;
    dry_vec3 velocity; /* metres per step */
    int proxy;
    bool movable, alive;
} item;

typedef struct model {
    dry_memory memory;
    dry_broadphase *broadphase;
    dry_jobs *jobs;
    item *items; /* by user */
    bool *known; /* by user and user */
    int size;
    double precision; /* allowance for floats far from the origin, m */
    uint64_t hash;    /* of all that was reported */
    int reported;
} model;

static void model_create(model *m, int size, dry_allocator allocator)
{
    *m = (model){.size = size, .hash = 1469598103934665603u};
    dry_memory_init(&m->memory, allocator);
    m->items = calloc((size_t)size, sizeof *m->items);
    m->known = calloc((size_t)size * (size_t)size, sizeof *m->known);
    assert_non_null(m->items);
    assert_non_null(m->known);
    m->broadphase = dry_broadphase_create(&m->memory);
}

static void model_destroy(model *m)
{
    dry_broadphase_destroy(m->broadphase);
    assert_int_equal(m->memory.bytes, 0);
    free(m->items);
    free(m->known);
}

static bool *model_known(model *m, int a, int b)
{
    return &m->known[(size_t)(a < b ? a : b) * (size_t)m->size + (size_t)(a < b ? b : a)];
}

static int drop_known(const void *context, dry_pair *pairs, int count)
{
    const model *m = context;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!m->known[(size_t)pairs[i].first * (size_t)m->size + pairs[i].second])
            pairs[kept++] = pairs[i];
    return kept;
}

static dry_bounds box_at(double x, double y, double z, double half_x, double half_y, double half_z)
{
    return (dry_bounds){{x - half_x, y - half_y, z - half_z}, {x + half_x, y + half_y, z + half_z}};
}

static void shift(dry_bounds *b, dry_vec3 d)
{
    b->min = position_add(b->min, d);
    b->max = position_add(b->max, d);
}

/* The gap between two bounds along the axis where it is widest; not positive: they overlap. */
static double gap(const dry_bounds *a, const dry_bounds *b)
{
    double g = fmax(a->min.x - b->max.x, b->min.x - a->max.x);
    g = fmax(g, fmax(a->min.y - b->max.y, b->min.y - a->max.y));
    return fmax(g, fmax(a->min.z - b->max.z, b->min.z - a->max.z));
}

static void model_forget(model *m, int user)
{
    for (int other = 0; other < m->size; other++)
        *model_known(m, user, other) = false;
}

static bool model_add(model *m, int user, dry_bounds tight, bool movable)
{
    if (!dry_broadphase_reserve(m->broadphase, 1))
        return false;
    item *it = &m->items[user];
    *it = (item){.tight = tight, .movable = movable, .alive = true};
    it->proxy = dry_broadphase_add(m->broadphase, &tight, (uint32_t)user, movable);
    assert_in_range(it->proxy, 0, m->size - 1);
    return true;
}

static void model_remove(model *m, int user)
{
    dry_broadphase_remove(m->broadphase, m->items[user].proxy);
    m->items[user].alive = false;
    model_forget(m, user);
}

static bool model_update(model *m, int user)
{
    item *it = &m->items[user];
    return dry_broadphase_update(m->broadphase, it->proxy, &it->tight, it->velocity);
}

/* What the engine does each step: drop parted pairs, find new ones. False if memory failed. */
static bool model_find(model *m)
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
    return true;
}

static void model_check(model *m)
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
    assert_int_equal(dry_broadphase_proxy_count(m->broadphase), alive);
}

/* Queries and casts against all proxies. */

typedef struct visits {
    const model *model;
    int *times; /* by user */
    float answer;
} visits;

static void count_visit(void *context, uint32_t user)
{
    visits *v = context;
    assert_true(user < (uint32_t)v->model->size);
    v->times[user]++;
}

static float count_ray_visit(void *context, uint32_t user, float fraction_max)
{
    (void)fraction_max;
    count_visit(context, user);
    return ((visits *)context)->answer;
}

/* The fraction at which a segment enters bounds grown by `grow`, or 2: clipped plane by plane. */
static double segment_entry(dry_position o, dry_vec3 d, const dry_bounds *b, double grow)
{
    double origin[3] = {o.x, o.y, o.z}, way[3] = {(double)d.x, (double)d.y, (double)d.z};
    double low[3] = {b->min.x - grow, b->min.y - grow, b->min.z - grow};
    double high[3] = {b->max.x + grow, b->max.y + grow, b->max.z + grow};
    double begin = 0.0, end = 1.0;
    for (int k = 0; k < 3; k++) {
        if (way[k] == 0.0) {
            if (origin[k] < low[k] || origin[k] > high[k])
                return 2.0;
        } else {
            double t = (low[k] - origin[k]) / way[k], u = (high[k] - origin[k]) / way[k];
            begin = fmax(begin, fmin(t, u));
            end = fmin(end, fmax(t, u));
        }
    }
    return begin <= end ? begin : 2.0;
}

typedef struct nearest {
    const model *model;
    dry_position origin;
    dry_vec3 translation;
    double fraction;
    int visited;
} nearest;

static float nearest_visit(void *context, uint32_t user, float fraction_max)
{
    nearest *n = context;
    n->visited++;
    double entry = segment_entry(n->origin, n->translation, &n->model->items[user].tight, 0.0);
    if (entry < n->fraction)
        n->fraction = entry;
    return dry_min(fraction_max, nextafterf((float)n->fraction, 2.0f));
}

static void check_queries(const model *m, double extent, int rounds)
{
    visits v = {m, calloc((size_t)m->size, sizeof(int)), 1.0f};
    assert_non_null(v.times);
    for (int round = 0; round < rounds; round++) {
        dry_bounds bounds = random_bounds(centre, extent, 0.0, 0.3 * extent);
        if (round == 0)
            bounds = (dry_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        memset(v.times, 0, (size_t)m->size * sizeof(int));
        dry_broadphase_query(m->broadphase, &bounds, count_visit, &v);
        for (int user = 0; user < m->size; user++) {
            const item *it = &m->items[user];
            double g = gap(&bounds, &it->tight);
            if (it->alive && g <= 0.0)
                assert_int_equal(v.times[user], 1);
            else if (!it->alive || g > 0.5 * FATNESS_MAX + m->precision)
                assert_int_equal(v.times[user], 0);
            else
                assert_in_range(v.times[user], 0, 1);
        }

        /* Every other ray goes out from inside a box, which it must find however coarse floats are there. */
        dry_position o = random_position(-extent, extent);
        const item *from = &m->items[random_below(m->size)];
        if (round % 2 && from->alive)
            o = (dry_position){0.75 * from->tight.min.x + 0.25 * from->tight.max.x,
                               0.25 * from->tight.min.y + 0.75 * from->tight.max.y,
                               0.25 * from->tight.min.z + 0.75 * from->tight.max.z};
        dry_vec3 d = random_vector(extent);
        if (round % 3 == 0)
            d.y = 0.0f;
        if (round % 6 == 0)
            d.x = 0.0f;
        memset(v.times, 0, (size_t)m->size * sizeof(int));
        dry_broadphase_cast_ray(m->broadphase, o, d, count_ray_visit, &v);
        double first = 2.0;
        for (int user = 0; user < m->size; user++) {
            const item *it = &m->items[user];
            double entry = it->alive ? segment_entry(o, d, &it->tight, 0.0) : 2.0;
            first = fmin(first, entry);
            if (entry <= 1.0)
                assert_int_equal(v.times[user], 1);
            else if (!it->alive || segment_entry(o, d, &it->tight, 0.5 * FATNESS_MAX + m->precision) > 1.0)
                assert_int_equal(v.times[user], 0);
            else
                assert_in_range(v.times[user], 0, 1);
        }
        nearest n = {m, o, d, 2.0, 0};
        dry_broadphase_cast_ray(m->broadphase, o, d, nearest_visit, &n);
        assert_true(n.fraction == first);
    }
    free(v.times);
}

static void test_queries_prune(void **state)
{
    (void)state;
    /* A row of boxes along x: a cast that stops at the first must leave nearly all others out. */
    model m;
    model_create(&m, 400, (dry_allocator){0});
    for (int i = 0; i < m.size; i++)
        assert_true(model_add(&m, i, box_at(3.0 * i, 0.0, 0.0, 0.5, 0.5, 0.5), i % 2 == 0));
    nearest n = {&m, {-5.0, 0.0, 0.0}, {2000.0f, 0.0f, 0.0f}, 2.0, 0};
    dry_broadphase_cast_ray(m.broadphase, n.origin, n.translation, nearest_visit, &n);
    assert_true(n.fraction == 4.5 / 2000.0);
    assert_true(n.visited <= 2);

    visits v = {&m, calloc((size_t)m.size, sizeof(int)), -1.0f};
    assert_non_null(v.times);
    dry_broadphase_cast_ray(m.broadphase, n.origin, n.translation, count_ray_visit, &v);
    int total = 0;
    for (int i = 0; i < m.size; i++)
        total += v.times[i];
    assert_int_equal(total, 1);
    free(v.times);
    model_destroy(&m);
}

/* Random worlds. */

typedef struct regime {
    const char *name;
    double extent;   /* half the side of the cube they live in */
    double moving;   /* share that moves each step */
    double teleport; /* share that jumps each step */
    double churn;    /* share added or removed each step */
    double fixed;    /* share that is not movable */
    float speed;     /* metres per step, at most */
} regime;

static dry_bounds random_box(const regime *r)
{
    return random_bounds(centre, r->extent, 0.1, 0.7);
}

static void add_random(model *m, int user, const regime *r)
{
    dry_bounds box = random_box(r);
    assert_true(model_add(m, user, box, random_double(0.0, 1.0) >= r->fixed));
}

static void run_step(model *m, const regime *r)
{
    for (int user = 0; user < m->size; user++) {
        item *it = &m->items[user];
        if (random_double(0.0, 1.0) < r->churn) {
            if (it->alive)
                model_remove(m, user);
            else
                add_random(m, user, r);
        }
        if (!it->alive)
            continue;
        if (random_double(0.0, 1.0) < r->teleport) {
            it->tight = random_box(r);
            model_update(m, user);
        } else if (random_double(0.0, 1.0) < r->moving) {
            if (random_below(4) == 0)
                it->velocity = random_vector((double)r->speed);
            shift(&it->tight, it->velocity);
            model_update(m, user);
        }
    }
}

/* Some fall asleep or wake, at times many at once: it must show in nothing that is found. */
static void nap(model *m, int one_in)
{
    for (int user = 0; user < m->size; user++)
        if (m->items[user].alive && random_below(one_in) == 0)
            dry_broadphase_set_resting(m->broadphase, m->items[user].proxy, random_below(2) == 0);
}

/* One in so many is removed, all at once, from trees that are not up to date; then as many come. */
static void cull(model *m, const regime *r, int one_in)
{
    int removed = 0;
    dry_broadphase_begin_removal(m->broadphase);
    for (int user = 1; user < m->size; user++)
        if (m->items[user].alive && random_below(one_in) == 0) {
            model_remove(m, user);
            removed++;
        }
    dry_broadphase_end_removal(m->broadphase);
    for (int user = 1; user < m->size && removed > 0; user++)
        if (!m->items[user].alive) {
            add_random(m, user, r);
            removed--;
        }
}

static void fill_world(model *m, const regime *r)
{
    bool batch = m->size % 2 == 0;
    assert_true(dry_broadphase_reserve(m->broadphase, m->size));
    if (batch)
        dry_broadphase_begin_batch(m->broadphase);
    /* A ground under everything, as in most worlds. */
    assert_true(model_add(m, 0, box_at(0.0, -r->extent, 0.0, 2.0 * r->extent, 1.0, 2.0 * r->extent), false));
    for (int i = 1; i < m->size; i++) {
        /* Users in another order than proxies. */
        int user = (int)((int64_t)i * 7919 % m->size);
        if (user != 0) {
            add_random(m, user, r);
            m->items[user].velocity = random_vector((double)r->speed);
        }
    }
    if (batch)
        dry_broadphase_end_batch(m->broadphase);
}

static uint64_t run_world(const regime *r, int size, int steps, uint64_t seed, dry_jobs *jobs, bool check)
{
    random_state = seed;
    model m;
    model_create(&m, size, (dry_allocator){0});
    m.jobs = jobs;
    fill_world(&m, r);
    for (int step = 0; step < steps; step++) {
        if (step > 0)
            run_step(&m, r);
        nap(&m, step % 9 == 4 ? 2 : 50);
        if (step % 8 == 5)
            cull(&m, r, 1 + step / 8 % 12);
        if (check && step % 5 == 0)
            check_queries(&m, 1.2 * r->extent, 4);
        if (step % 7 == 3)
            dry_broadphase_refresh(m.broadphase, jobs);
        if (check && step % 7 == 3)
            check_queries(&m, 1.2 * r->extent, 4);
        assert_true(model_find(&m));
        if (check)
            model_check(&m);
    }
    if (check)
        check_queries(&m, 1.2 * r->extent, 20);
    assert_true(m.reported > 0);
    uint64_t hash = m.hash;
    model_destroy(&m);
    return hash;
}

static const regime regimes[] = {
    {"mostly still", 6.0, 0.03, 0.0, 0.0, 0.3, 0.05f},  {"few jump", 6.0, 0.0, 0.02, 0.02, 0.3, 0.05f},
    {"all drift", 6.0, 1.0, 0.0, 0.0, 0.1, 0.04f},      {"fast", 8.0, 1.0, 0.0, 0.05, 0.2, 0.8f},
    {"all jump", 8.0, 0.0, 1.0, 0.0, 0.2, 0.0f},        {"churn", 6.0, 0.5, 0.05, 0.4, 0.3, 0.1f},
    {"one heap", 0.4, 0.5, 0.1, 0.05, 0.1, 0.1f},       {"fixed ones jump", 5.0, 0.1, 0.3, 0.1, 0.9, 0.1f},
    {"nothing fixed", 6.0, 0.5, 0.01, 0.01, 0.0, 0.1f},
};

static void test_random_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof regimes / sizeof *regimes; i++) {
        run_world(&regimes[i], 240, 60, 1 + i, NULL, true);
        regime r = regimes[i];
        r.extent *= 0.3;
        run_world(&r, 13, 60, 100 + i, NULL, true);
    }
}

/* Many enough for bulk builds in parts and several blocks of flags. */
static void test_large_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        regime r = regimes[i];
        r.extent *= 2.5;
        run_world(&r, 3500, 7, 200 + i, NULL, true);
    }
}

typedef struct team_run {
    const regime *regime;
    dry_jobs *jobs;
    uint64_t hash;
} team_run;

static void run_with_team(void *context)
{
    team_run *run = context;
    run->hash = run_world(run->regime, 3500, 5, 300, run->jobs, false);
}

/* The same pairs in the same order, again and with any number of workers. */
static void test_same_result_always(void **state)
{
    (void)state;
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 5, .tasks = test_pool_tasks()});
    assert_non_null(jobs);
    for (size_t i = 0; i < 4; i++) {
        regime r = regimes[i];
        r.extent *= 2.5;
        uint64_t alone = run_world(&r, 3500, 5, 300, NULL, false);
        assert_true(alone == run_world(&r, 3500, 5, 300, NULL, false));
        assert_true(alone != run_world(&r, 3500, 5, 301, NULL, false));
        team_run run = {&r, jobs, 0};
        dry_jobs_gather(jobs, run_with_team, &run);
        assert_true(alone == run.hash);
    }
    dry_jobs_destroy(&memory, jobs);
    assert_int_equal(memory.bytes, 0);
}

/* Single rules. */

static int find_count(model *m)
{
    int before = m->reported;
    assert_true(model_find(m));
    model_check(m);
    return m->reported - before;
}

/* Sixteen at a time or one by one: the same fat boxes, the same proxies moved. */
static void test_many_updates(void **state)
{
    (void)state;
    enum { PROXIES = 61 };
    random_state = 99;
    for (int world = 0; world < 20; world++) {
        model one, many;
        model_create(&one, PROXIES, (dry_allocator){0});
        model_create(&many, PROXIES, (dry_allocator){0});
        for (int i = 0; i < PROXIES; i++) {
            dry_bounds bounds = random_bounds(centre, 5.0, 0.001, world % 2 ? 2.0 : 0.1);
            assert_true(model_add(&one, i, bounds, true) && model_add(&many, i, bounds, true));
        }
        int left = 0, stayed = 0;
        for (int round = 0; round < 40; round++)
            for (int first = 0; first < PROXIES;) {
                dry_proxy_update updates[DRY_UPDATES_MAX];
                int count = random_below(DRY_UPDATES_MAX + 1);
                count = dry_min_int(count, PROXIES - first);
                for (int i = 0; i < count; i++) {
                    item *it = &one.items[first + i];
                    shift(&it->tight, random_vector(round % 3 ? 0.02 : 0.2));
                    dry_vec3 ahead = random_vector(random_below(3) ? 0.0 : 3.0);
                    updates[i] = (dry_proxy_update){it->tight, ahead, it->proxy};
                    bool moved = dry_broadphase_update(one.broadphase, it->proxy, &it->tight, ahead);
                    left += moved;
                    stayed += !moved;
                }
                dry_broadphase_update_many(many.broadphase, updates, count);
                first += count;
            }
        assert_memory_equal(one.broadphase->trees.boxes, many.broadphase->trees.boxes,
                            PROXIES * sizeof(dry_box));
        assert_memory_equal(one.broadphase->states, many.broadphase->states, PROXIES);
        assert_true(left > 100 && stayed > 100);
        model_destroy(&one);
        model_destroy(&many);
    }
}

static void test_settled_world_reports_nothing(void **state)
{
    (void)state;
    model m;
    model_create(&m, 100, (dry_allocator){0});
    for (int i = 0; i < m.size; i++)
        assert_true(model_add(&m, i, box_at(i % 10, i / 10, 0.0, 0.5, 0.5, 0.5), i >= 10));
    /* Neighbours in the row, above, and on both diagonals; those among the ten fixed ones are no pairs. */
    assert_int_equal(find_count(&m), 9 * 10 + 10 * 9 + 2 * 9 * 9 - 9);
    uint64_t allocations = m.memory.allocations;
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < m.size; i++) {
            shift(&m.items[i].tight, vec3(0.0f, step % 2 ? 0.02f : -0.02f, 0.0f));
            m.items[i].velocity = vec3(0.0f, -0.003f, 0.0f);
            assert_false(model_update(&m, i));
        }
        memset(m.known, 0, (size_t)m.size * (size_t)m.size);
        assert_true(model_find(&m));
    }
    assert_int_equal(m.reported, 9 * 10 + 10 * 9 + 2 * 9 * 9 - 9);
    assert_int_equal(m.memory.allocations, allocations);
    model_destroy(&m);
}

static void test_touched_proxy_is_paired_again(void **state)
{
    (void)state;
    model m;
    model_create(&m, 3, (dry_allocator){0});
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 5, 1, 5), false));
    assert_true(model_add(&m, 1, box_at(0, 1.5, 0, 0.5, 0.5, 0.5), true));
    assert_true(model_add(&m, 2, box_at(1.02, 1.5, 0, 0.5, 0.5, 0.5), true));
    assert_int_equal(find_count(&m), 3);
    assert_int_equal(find_count(&m), 0);
    model_forget(&m, 0);
    assert_true(model_find(&m));
    assert_int_equal(m.reported, 3);
    dry_broadphase_touch(m.broadphase, m.items[0].proxy);
    assert_int_equal(find_count(&m), 2);
    model_forget(&m, 2);
    dry_broadphase_touch(m.broadphase, m.items[2].proxy);
    assert_int_equal(find_count(&m), 2);
    /* A known pair is not reported although both are touched. */
    for (int user = 0; user < 3; user++)
        dry_broadphase_touch(m.broadphase, m.items[user].proxy);
    assert_int_equal(find_count(&m), 0);
    model_destroy(&m);
}

/* A pair of which neither moved stays out, also where most others moved. */
static void test_unmoved_pairs_are_left_alone(void **state)
{
    (void)state;
    for (int moving = 5; moving <= 100; moving += 95) {
        model m;
        model_create(&m, 201, (dry_allocator){0});
        /* Two columns of overlapping neighbours, before a wall that overlaps them all. */
        for (int i = 0; i < 100; i++) {
            assert_true(model_add(&m, i, box_at(0, 0.9 * i, 0, 0.5, 0.5, 0.5), true));
            assert_true(model_add(&m, 100 + i, box_at(1.5, 0.9 * i, 0, 0.5, 0.5, 0.5), true));
        }
        assert_true(model_add(&m, 200, box_at(0, 45, 1.3, 5, 60, 1), false));
        assert_int_equal(find_count(&m), 2 * 99 + 200);
        memset(m.known, 0, (size_t)m.size * (size_t)m.size);
        for (int i = 0; i < moving; i++) {
            shift(&m.items[i].tight, vec3(-0.2f, 0.0f, 0.0f));
            assert_true(model_update(&m, i));
        }
        assert_true(model_find(&m));
        /* Each that moved with the one above it and with the wall. */
        assert_int_equal(m.reported - (2 * 99 + 200), (moving < 100 ? moving : 99) + moving);
        model_destroy(&m);
    }
}

static void test_fat_box_follows_prediction_and_shrinks_at_rest(void **state)
{
    (void)state;
    model m;
    model_create(&m, 2, (dry_allocator){0});
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 0.5, 0.5, 0.5), true));
    assert_true(model_add(&m, 1, box_at(2, 0, 0, 0.5, 0.5, 0.5), false));
    assert_int_equal(find_count(&m), 0);
    /* One metre apart: a metre of predicted way with two margins bridges it. */
    shift(&m.items[0].tight, vec3(0.06f, 0.0f, 0.0f));
    m.items[0].velocity = vec3(0.9f, 0.0f, 0.0f);
    assert_true(model_update(&m, 0));
    assert_int_equal(find_count(&m), 1);
    assert_false(model_update(&m, 0));
    /* At rest there, the long box is given up. */
    m.items[0].velocity = vec3(0.0f, 0.0f, 0.0f);
    assert_true(model_update(&m, 0));
    assert_false(dry_broadphase_overlaps(m.broadphase, m.items[0].proxy, m.items[1].proxy));
    assert_int_equal(find_count(&m), 0);
    /* An absurd displacement counts for at most a metre. */
    m.items[0].velocity = vec3(1e20f, 0.0f, 0.0f);
    shift(&m.items[0].tight, vec3(-2.0f, 0.0f, 0.0f));
    assert_true(model_update(&m, 0));
    assert_false(dry_broadphase_overlaps(m.broadphase, m.items[0].proxy, m.items[1].proxy));
    model_destroy(&m);
}

static void test_indices_are_reused(void **state)
{
    (void)state;
    regime r = regimes[5];
    random_state = 5;
    /* model_add asserts that every index is below `size`. */
    model m;
    model_create(&m, 50, (dry_allocator){0});
    fill_world(&m, &r);
    assert_true(model_find(&m));
    for (int round = 0; round < 20; round++) {
        for (int user = 0; user < m.size; user += 1 + round % 3)
            model_remove(&m, user);
        for (int user = 0; user < m.size; user += 1 + round % 3)
            assert_true(model_add(&m, user, random_box(&r), true));
        find_count(&m);
    }
    size_t bytes = m.memory.bytes;
    uint64_t allocations = m.memory.allocations;
    for (int round = 0; round < 20; round++) {
        for (int user = 0; user < m.size; user++)
            model_remove(&m, user);
        assert_int_equal(dry_broadphase_proxy_count(m.broadphase), 0);
        for (int user = 0; user < m.size; user++)
            assert_true(model_add(&m, user, box_at(2 * user, 0, 0, 0.5, 0.5, 0.5), true));
        find_count(&m);
    }
    assert_true(m.memory.bytes == bytes && m.memory.allocations == allocations);
    model_destroy(&m);
}

/* Precision. */

static void test_far_from_the_origin(void **state)
{
    (void)state;
    /* The first proxy sets the origin, so a far world is as precise as a near one. */
    for (int i = 0; i < 2; i++) {
        double far = i ? -1e9 : 1e7;
        model m;
        model_create(&m, 200, (dry_allocator){0});
        m.precision = 1e-3;
        random_state = 77;
        for (int user = 0; user < m.size; user++)
            assert_true(model_add(&m, user, random_bounds((dry_position){far, far, far}, 4.5, 0.4, 0.4),
                                  user % 5 != 0));
        for (int step = 0; step < 20; step++) {
            for (int user = 0; user < m.size; user++) {
                m.items[user].velocity = random_vector(0.1);
                shift(&m.items[user].tight, m.items[user].velocity);
                model_update(&m, user);
            }
            find_count(&m);
        }
        assert_true(m.reported > 100);

        /* Emptied, it moves its origin to the next first proxy. */
        for (int user = 0; user < m.size; user++)
            model_remove(&m, user);
        for (int user = 0; user < m.size; user++)
            assert_true(model_add(&m, user, box_at(-far + 1.2 * user, -far, far, 0.5, 0.5, 0.5), true));
        assert_int_equal(find_count(&m), 0);
        model_destroy(&m);
    }
}

static void test_world_as_wide_as_allowed(void **state)
{
    (void)state;
    /* Clusters a billion metres from the first proxy: floats there are 64 m apart, boxes grow, and no
     * overlap may be lost. */
    model m;
    model_create(&m, 200, (dry_allocator){0});
    m.precision = 4096.0;
    random_state = 78;
    for (int user = 0; user < m.size; user++) {
        double side = user == 0 ? 0.0 : user % 2 ? 1e9 - 20.0 : -1e9 + 20.0;
        double spread = user % 4 < 2 ? 5.0 : 300.0;
        assert_true(model_add(&m, user, random_bounds((dry_position){side, 0.0, -side}, spread, 0.5, 0.5),
                              user % 3 != 0));
    }
    for (int step = 0; step < 20; step++) {
        for (int user = 0; user < m.size; user++) {
            m.items[user].velocity = random_vector(20.0);
            shift(&m.items[user].tight, m.items[user].velocity);
            model_update(&m, user);
        }
        find_count(&m);
    }
    check_queries(&m, 1e9, 20);
    assert_true(m.reported > 100);
    model_destroy(&m);
}

/* Memory. */

typedef struct countdown {
    int left;  /* allocations until the failure; negative: never */
    bool once; /* else all after it fail too */
    bool failed;
} countdown;

static void *countdown_allocate(size_t bytes, size_t alignment, void *user)
{
    countdown *c = user;
    if (c->left == 0) {
        c->failed = true;
        if (c->once)
            c->left = -1;
        return NULL;
    }
    if (c->left > 0)
        c->left--;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void countdown_release(void *block, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(block);
}

/* Runs a small world in which everything grows; whatever fails is tried again after the allocator recovered.
 */
static bool run_with_failure(int allocation, bool once)
{
    countdown c = {allocation, once, false};
    model m;
    model_create(&m, 70, (dry_allocator){countdown_allocate, countdown_release, &c});
    if (!m.broadphase) {
        c.left = -1;
        m.broadphase = dry_broadphase_create(&m.memory);
        assert_non_null(m.broadphase);
    }
    random_state = 9;
    regime heap = {"heap", 0.5, 0.5, 0.1, 0.0, 0.2, 0.2f};
    for (int user = 0; user < m.size; user++) {
        dry_bounds box = random_box(&heap);
        if (!model_add(&m, user, box, user % 5 != 0)) {
            assert_true(c.failed);
            assert_int_equal(dry_broadphase_proxy_count(m.broadphase), user);
            c.left = -1;
            assert_true(model_add(&m, user, box, user % 5 != 0));
        }
        /* A heap of 50 has over a thousand pairs: more than the output's first room. */
        if (user == 3 || user == 50) {
            if (!model_find(&m)) {
                c.left = -1;
                assert_true(model_find(&m));
            }
            model_check(&m);
        }
    }
    for (int step = 0; step < 3; step++) {
        run_step(&m, &heap);
        if (!model_find(&m)) {
            c.left = -1;
            run_step(&m, &heap);
            assert_true(model_find(&m));
        }
        model_check(&m);
    }
    c.left = -1;
    model_destroy(&m);
    return c.failed;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    int failures = 0;
    while (run_with_failure(failures, true)) {
        assert_true(run_with_failure(failures, false));
        failures++;
    }
    assert_true(failures > 15);
}

static void test_absurd_reserve_fails(void **state)
{
    (void)state;
    model m;
    model_create(&m, 1, (dry_allocator){0});
    size_t bytes = m.memory.bytes;
    assert_false(dry_broadphase_reserve(m.broadphase, INT32_MAX));
    assert_int_equal(m.memory.bytes, bytes);
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 1, 1, 1), true));
    assert_int_equal(find_count(&m), 0);
    model_destroy(&m);
    dry_broadphase_destroy(NULL);
}

static void test_steady_motion_allocates_nothing(void **state)
{
    (void)state;
    random_state = 12;
    regime r = regimes[2];
    model m;
    model_create(&m, 300, (dry_allocator){0});
    fill_world(&m, &r);
    uint64_t warm = 0;
    for (int step = 0; step < 400; step++) {
        /* To and fro, so that the same pairs come again and again. */
        for (int user = 1; user < m.size; user++) {
            item *it = &m.items[user];
            it->velocity = vec3(step / 20 % 2 ? 0.03f : -0.03f, 0.0f, user % 2 ? 0.01f : 0.0f);
            if (step % 40 >= 20)
                it->velocity.z = -it->velocity.z;
            shift(&it->tight, it->velocity);
            model_update(&m, user);
        }
        assert_true(model_find(&m));
        if (step == 80)
            warm = m.memory.allocations;
    }
    assert_true(m.memory.allocations == warm);
    model_destroy(&m);
}

/* The trees' own shape. */

typedef struct tree_count {
    int leaves, nodes;
} tree_count;

static dry_box check_node(const dry_trees *trees, const dry_tree *tree, int32_t index, int depth,
                          tree_count *count)
{
    const dry_tree_node *node = &trees->nodes[index];
    count->nodes++;
    assert_true(depth <= tree->height && tree->height <= DRY_TREE_HEIGHT_MAX);
    assert_in_range(node->count, index == tree->root ? 1 : 2, DRY_TREE_WIDTH);
    assert_int_equal(node->moved, 0);
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot++) {
        int32_t child = node->child[slot], place = DRY_TREE_WIDTH * index + slot;
        dry_box box = dry_node_box(node, slot), tight;
        if (slot >= node->count) {
            assert_int_equal(child, DRY_TREE_EMPTY);
            assert_true(box.min[0] > box.max[0]);
            continue;
        }
        if (child < 0) {
            count->leaves++;
            assert_int_equal(trees->places[~child], place);
            tight = trees->boxes[~child];
        } else {
            assert_int_equal(trees->nodes[child].parent, place);
            tight = check_node(trees, tree, child, depth + 1, count);
        }
        assert_memory_equal(&box, &tight, sizeof box);
    }
    return dry_node_bounds(node);
}

static void check_trees(const dry_trees *trees)
{
    int nodes = 0;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        const dry_tree *tree = &trees->tree[kind];
        tree_count count = {0, 0};
        if (tree->root != DRY_TREE_NONE) {
            assert_int_equal(trees->nodes[tree->root].parent, DRY_TREE_NONE);
            check_node(trees, tree, tree->root, 1, &count);
        }
        assert_int_equal(count.leaves, tree->leaves);
        nodes += count.nodes;
    }
    assert_int_equal(nodes, trees->nodes_used - trees->free_count);
    assert_true(trees->nodes_used <= trees->node_capacity);
}

static dry_box tree_box(int i, int pattern)
{
    float f = (float)i;
    if (pattern == 0) /* a sorted row */
        return (dry_box){{f, 0.0f, 0.0f}, {f + 0.9f, 1.0f, 1.0f}};
    if (pattern == 1) /* all in one place */
        return (dry_box){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    if (pattern == 2) /* nested */
        return (dry_box){{-f, -f, -f}, {f, f, f}};
    f = (float)random_double(-1e3, 1e3);
    float g = (float)random_double(-1e3, 1e3);
    return (dry_box){{f, g, f - g}, {f + 1.0f, g + 1.0f, f - g + 1.0f}};
}

static void test_trees_stay_sound(void **state)
{
    (void)state;
    enum { LEAVES = 5000 };
    for (int pattern = 0; pattern < 4; pattern++) {
        dry_memory memory;
        dry_trees trees;
        dry_memory_init(&memory, (dry_allocator){0});
        dry_trees_init(&trees);
        random_state = 20;
        assert_true(dry_trees_reserve(&trees, &memory, LEAVES));
        for (int i = 0; i < LEAVES; i++) {
            trees.boxes[i] = tree_box(i, pattern);
            dry_tree_insert(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        check_trees(&trees);
        for (int i = 0; i < LEAVES; i++) {
            trees.boxes[i] = tree_box(i + i % 3, pattern);
            dry_tree_move(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        check_trees(&trees);
        /* Emptied from one end, and filled at the other. */
        for (int i = 0; i < LEAVES - 1; i++) {
            dry_tree_remove(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
            if (i % 2) {
                trees.boxes[i] = tree_box(LEAVES + i, pattern);
                dry_tree_insert(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
            }
            if (i % 500 == 0)
                check_trees(&trees);
        }
        for (int i = 1; i < LEAVES - 1; i += 2)
            dry_tree_remove(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        dry_tree_remove(&trees, (LEAVES - 1) % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, LEAVES - 1);
        check_trees(&trees);
        assert_int_equal(trees.tree[0].leaves + trees.tree[1].leaves, 0);
        dry_trees_free(&trees, &memory);
        assert_int_equal(memory.bytes, 0);
    }
}

/* What flies through a tree of full nodes leaves them as full as they were. */
/* Trees that grew leaf by leaf and trees that were built, in several goes down to nothing. */
static void test_pruned_trees_stay_sound(void **state)
{
    (void)state;
    enum { LEAVES = 3000 };
    for (int run = 0; run < 24; run++) {
        int pattern = run % 4, one_in = 1 + run / 4;
        static unsigned char states[LEAVES];
        dry_memory memory;
        dry_trees trees;
        dry_memory_init(&memory, (dry_allocator){0});
        dry_trees_init(&trees);
        random_state = 30 + (uint64_t)run;
        assert_true(dry_trees_reserve(&trees, &memory, LEAVES));
        for (int i = 0; i < LEAVES; i++) {
            trees.boxes[i] = tree_box(i, pattern);
            states[i] = 1;
            dry_tree_insert(&trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        if (run % 3 == 0)
            dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
        int left = trees.tree[DRY_TREE_MOVABLE].leaves, fixed = trees.tree[DRY_TREE_FIXED].leaves;
        while (left > 0) {
            for (int i = 0; i < LEAVES; i++)
                if (i % 7 && states[i] && random_below(one_in) == 0) {
                    states[i] = 0;
                    left--;
                }
            dry_tree_prune(&trees, DRY_TREE_MOVABLE, states, 1);
            check_trees(&trees);
            assert_int_equal(trees.tree[DRY_TREE_MOVABLE].leaves, left);
            assert_int_equal(trees.tree[DRY_TREE_FIXED].leaves, fixed);
        }
        dry_tree_prune(&trees, DRY_TREE_MOVABLE, states, 1);
        dry_tree_insert(&trees, DRY_TREE_MOVABLE, 1);
        check_trees(&trees);
        dry_trees_free(&trees, &memory);
    }
}

static void test_movers_leave_no_trail(void **state)
{
    (void)state;
    enum { STANDING = 4096, FLYING = 40, LEAVES = STANDING + FLYING };
    dry_memory memory;
    dry_trees trees;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_trees_init(&trees);
    random_state = 22;
    assert_true(dry_trees_reserve(&trees, &memory, LEAVES));
    for (int i = 0; i < STANDING; i++) {
        float x = 2.0f * (float)(i % 64), z = 2.0f * (float)(i / 64);
        trees.boxes[i] = (dry_box){{x, 0.0f, z}, {x + 1.0f, 1.0f, z + 1.0f}};
        dry_tree_insert(&trees, DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
    int built = trees.nodes_used - trees.free_count, most = 0;
    for (int step = 0; step < 500; step++) {
        for (int i = STANDING; i < LEAVES; i++) {
            float x = (float)random_double(0.0, 128.0), z = (float)random_double(0.0, 128.0);
            trees.boxes[i] = (dry_box){{x, 0.0f, z}, {x + 1.0f, 1.0f, z + 1.0f}};
            if (step == 0)
                dry_tree_insert(&trees, DRY_TREE_MOVABLE, i);
            else
                dry_tree_move(&trees, DRY_TREE_MOVABLE, i);
        }
        int used = trees.nodes_used - trees.free_count;
        most = used > most ? used : most;
    }
    check_trees(&trees);
    assert_true(trees.tree[DRY_TREE_MOVABLE].added == FLYING); /* it was not built again */
    assert_true(most < built * 3 / 2);
    dry_trees_free(&trees, &memory);
    assert_int_equal(memory.bytes, 0);
}

/* A small tree built again and again beside a large one: in nodes that were its own, the large one untouched.
 */
static void test_few_are_built_beside_many(void **state)
{
    (void)state;
    enum { ASLEEP = 4096, AWAKE = 40, LEAVES = ASLEEP + AWAKE };
    dry_memory memory;
    dry_trees trees;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_trees_init(&trees);
    random_state = 23;
    assert_true(dry_trees_reserve(&trees, &memory, LEAVES));
    for (int i = 0; i < LEAVES; i++) {
        trees.boxes[i] = tree_box(i, 3);
        dry_tree_insert(&trees, i < ASLEEP ? DRY_TREE_RESTING : DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&trees, DRY_TREE_RESTING, NULL);
    dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
    int nodes = trees.nodes_used - trees.free_count, used = trees.nodes_used;
    int32_t root = trees.tree[DRY_TREE_RESTING].root;
    for (int round = 0; round < 100; round++) {
        for (int i = ASLEEP; i < LEAVES; i++)
            trees.boxes[i] = tree_box(i, 3);
        dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
        assert_int_equal(trees.nodes_used - trees.free_count, nodes);
        assert_int_equal(trees.nodes_used, used);
        assert_int_equal(trees.tree[DRY_TREE_RESTING].root, root);
    }
    check_trees(&trees);
    dry_trees_free(&trees, &memory);
    assert_int_equal(memory.bytes, 0);
}

/* Who sleeps is in the tree of the sleeping, however few or many fell asleep or woke together. */
static void test_sleepers_have_a_tree(void **state)
{
    (void)state;
    enum { PROXIES = 2000 };
    model m;
    model_create(&m, PROXIES, (dry_allocator){0});
    for (int i = 0; i < PROXIES; i++)
        assert_true(model_add(&m, i, box_at(2.0 * (i % 50), 0.0, 2.0 * (i / 50), 0.5, 0.5, 0.5), i % 10 > 0));
    const dry_tree *tree = m.broadphase->trees.tree;
    static const int asleep[] = {0, 3, 1700, 1695, 900, 0};
    for (size_t round = 0; round < sizeof asleep / sizeof *asleep; round++) {
        int left = asleep[round];
        for (int i = 0; i < PROXIES; i++)
            dry_broadphase_set_resting(m.broadphase, m.items[i].proxy, i % 10 > 0 && left-- > 0);
        dry_broadphase_refresh(m.broadphase, NULL);
        check_trees(&m.broadphase->trees);
        assert_int_equal(tree[DRY_TREE_FIXED].leaves, PROXIES / 10);
        assert_int_equal(tree[DRY_TREE_RESTING].leaves, asleep[round]);
        assert_int_equal(tree[DRY_TREE_MOVABLE].leaves, PROXIES - PROXIES / 10 - asleep[round]);
    }
    /* They go as they came. */
    for (int i = 0; i < PROXIES; i++) {
        dry_broadphase_set_resting(m.broadphase, m.items[i].proxy, i % 2 == 0);
        model_remove(&m, i);
    }
    assert_int_equal(tree[0].leaves + tree[1].leaves + tree[2].leaves, 0);
    model_destroy(&m);
}

static void test_builds_of_every_size(void **state)
{
    (void)state;
    enum { LEAVES = 300 };
    dry_memory memory;
    dry_trees trees;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_trees_init(&trees);
    random_state = 21;
    assert_true(dry_trees_reserve(&trees, &memory, 3 * LEAVES));
    for (int i = 0; i < LEAVES; i++) {
        trees.boxes[i] = tree_box(i, 3);
        trees.boxes[LEAVES + i] = tree_box(i, 3);
        dry_tree_insert(&trees, DRY_TREE_MOVABLE, i);
        dry_tree_insert(&trees, DRY_TREE_FIXED, LEAVES + i);
        dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
        check_trees(&trees);
        trees.boxes[i / 2] = tree_box(i, 3);
        double areas = dry_tree_refit(&trees, DRY_TREE_MOVABLE, NULL);
        check_trees(&trees);
        assert_true(i < 4 || areas > 0.0);
        /* The promise that the room for nodes rests on. */
        dry_tree_build(&trees, DRY_TREE_FIXED, NULL);
        assert_true(trees.nodes_used - trees.free_count <= 2 * ((i + 1) / 2 + 1));
    }
    dry_trees_free(&trees, &memory);
    assert_int_equal(memory.bytes, 0);
}

/* A row of 256 unit cubes, put in out of order, has one best tree: quarters of quarters. The boxes of
 * L cubes have half a surface of 2 L + 1, so the three levels sum up to 3 * 2 * 256 + 4 + 16 + 64. */
static void test_build_of_a_row_is_the_best(void **state)
{
    (void)state;
    dry_memory memory;
    dry_trees trees;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_trees_init(&trees);
    assert_true(dry_trees_reserve(&trees, &memory, 256));
    for (int i = 0; i < 256; i++) {
        float x = (float)(i * 77 % 256);
        trees.boxes[i] = (dry_box){{x, 0.0f, 0.0f}, {x + 1.0f, 1.0f, 1.0f}};
        dry_tree_insert(&trees, DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&trees, DRY_TREE_MOVABLE, NULL);
    check_trees(&trees);
    assert_true(trees.tree[DRY_TREE_MOVABLE].area_sum == 1620.0);
    assert_int_equal(trees.tree[DRY_TREE_MOVABLE].height, 4);
    dry_trees_free(&trees, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_large_worlds),
        cmocka_unit_test(test_same_result_always),
        cmocka_unit_test(test_queries_prune),
        cmocka_unit_test(test_many_updates),
        cmocka_unit_test(test_settled_world_reports_nothing),
        cmocka_unit_test(test_touched_proxy_is_paired_again),
        cmocka_unit_test(test_unmoved_pairs_are_left_alone),
        cmocka_unit_test(test_fat_box_follows_prediction_and_shrinks_at_rest),
        cmocka_unit_test(test_indices_are_reused),
        cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_world_as_wide_as_allowed),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_absurd_reserve_fails),
        cmocka_unit_test(test_steady_motion_allocates_nothing),
        cmocka_unit_test(test_trees_stay_sound),
        cmocka_unit_test(test_pruned_trees_stay_sound),
        cmocka_unit_test(test_movers_leave_no_trail),
        cmocka_unit_test(test_few_are_built_beside_many),
        cmocka_unit_test(test_sleepers_have_a_tree),
        cmocka_unit_test(test_builds_of_every_size),
        cmocka_unit_test(test_build_of_a_row_is_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
