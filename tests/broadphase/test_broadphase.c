/* The broadphase against brute force over all proxies, on worlds that add, remove, drift, teleport and fall
 * asleep: the pairs it finds, its queries and casts; near the origin and a billion meters away, and the same
 * whatever the team. */
#include "tests/broadphase/broadphase_worlds.h"

#include <string.h>

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

static float count_ray_visit(void *context, uint32_t user)
{
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

static float nearest_visit(void *context, uint32_t user)
{
    nearest *n = context;
    n->visited++;
    double entry = segment_entry(n->origin, n->translation, &n->model->items[user].tight, 0.0);
    if (entry < n->fraction)
        n->fraction = entry;
    return dry_min(1.0f, nextafterf((float)n->fraction, 2.0f));
}

static void check_queries(const model *m, double extent, int rounds)
{
    visits v = {m, calloc((size_t)m->size, sizeof(int)), 1.0f};
    assert_non_null(v.times);
    for (int round = 0; round < rounds; round++) {
        dry_bounds bounds = random_bounds(center, extent, 0.0, 0.3 * extent);
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
        dry_broadphase_cast_box(m->broadphase, o, (dry_vec3){0.0f, 0.0f, 0.0f}, d, count_ray_visit, &v);
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
        dry_broadphase_cast_box(m->broadphase, o, (dry_vec3){0.0f, 0.0f, 0.0f}, d, nearest_visit, &n);
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
    dry_broadphase_cast_box(m.broadphase, n.origin, (dry_vec3){0.0f, 0.0f, 0.0f}, n.translation,
                            nearest_visit, &n);
    assert_true(n.fraction == 4.5 / 2000.0);
    assert_true(n.visited <= 2);

    visits v = {&m, calloc((size_t)m.size, sizeof(int)), -1.0f};
    assert_non_null(v.times);
    dry_broadphase_cast_box(m.broadphase, n.origin, (dry_vec3){0.0f, 0.0f, 0.0f}, n.translation,
                            count_ray_visit, &v);
    int total = 0;
    for (int i = 0; i < m.size; i++)
        total += v.times[i];
    assert_int_equal(total, 1);
    free(v.times);
    model_destroy(&m);
}

/* Random worlds. */

/* Some fall asleep or wake, at times many at once: it must show in nothing that is found. */
static void nap(model *m, int one_in)
{
    for (int user = 0; user < m->size; user++)
        if (m->items[user].alive && random_below(one_in) == 0)
            dry_broadphase_set_sleeping(m->broadphase, m->items[user].proxy, random_below(2) == 0);
}

/* Removes one proxy in `one_in`, all at once, from trees that are not up to date; then adds as many. */
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
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 5});
    assert_non_null(jobs);
    for (size_t i = 0; i < 4; i++) {
        regime r = regimes[i];
        r.extent *= 2.5;
        uint64_t alone = run_world(&r, 3500, 5, 300, NULL, false);
        assert_true(alone == run_world(&r, 3500, 5, 300, NULL, false));
        assert_true(alone != run_world(&r, 3500, 5, 301, NULL, false));
        team_run run = {&r, jobs, 0};
        dry_jobs_begin_parallel(jobs, run_with_team, &run);
        assert_true(alone == run.hash);
    }
    dry_jobs_destroy(&memory, jobs);
    assert_int_equal(memory.bytes, 0);
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
    /* Clusters a billion meters from the first proxy: floats there are 64 m apart, boxes grow, and no
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),       cmocka_unit_test(test_large_worlds),
        cmocka_unit_test(test_same_result_always),  cmocka_unit_test(test_queries_prune),
        cmocka_unit_test(test_far_from_the_origin), cmocka_unit_test(test_world_as_wide_as_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
