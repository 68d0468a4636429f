/* Proxies without bounds beside others: pairs, ends, queries and segments, against brute force. */
#include "tests/broadphase/broadphase_model.h"

enum { PROXIES = 200, PLANES = 2, SIZE = PROXIES + PLANES };

/* Plane k, user k, reaches every box that begins below its level. */
static double level[PLANES];

static bool reaches(const void *context, uint32_t user, const dry_bounds *box)
{
    (void)context;
    return box->min.y <= level[user];
}

typedef struct bench {
    dry_memory memory;
    dry_scratch scratch;
    dry_broadphase *broadphase;
    int proxy[SIZE]; /* by user; -1: none */
    dry_bounds tight[SIZE];
    bool movable[SIZE], known[PLANES][SIZE];
    int found, bounded;
} bench;

static void open_bench(bench *b)
{
    *b = (bench){.found = 0};
    dry_memory_init(&b->memory, (dry_allocator){0});
    b->broadphase = dry_broadphase_create(&b->memory, &b->scratch, reaches, NULL);
    assert_non_null(b->broadphase);
    assert_true(dry_broadphase_reserve(b->broadphase, SIZE));
    memset(b->proxy, -1, sizeof b->proxy);
}

static void close_bench(bench *b)
{
    dry_memory_release_all(&b->memory);
}

static void add(bench *b, int user)
{
    b->movable[user] = user % 5 != 0;
    if (user < PLANES) {
        b->proxy[user] = dry_broadphase_add_unbounded(b->broadphase, (uint32_t)user);
    } else {
        b->tight[user] = random_bounds(center, 10.0, 0.1, 0.5);
        b->proxy[user] = dry_broadphase_add(b->broadphase, &b->tight[user], (uint32_t)user, b->movable[user]);
    }
}

static void take_away(bench *b, int user)
{
    dry_broadphase_remove(b->broadphase, b->proxy[user]);
    b->proxy[user] = -1;
    for (int plane = 0; plane < PLANES; plane++)
        for (int other = 0; other < SIZE; other++)
            if (plane == user || other == user)
                b->known[plane][other] = false;
}

static int drop(const void *context, dry_pair *pairs, int count)
{
    const bench *b = context;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (pairs[i].first >= PLANES || !b->known[pairs[i].first][pairs[i].second])
            pairs[kept++] = pairs[i];
    return kept;
}

/* Drops known pairs that parted, takes new ones in, and compares all with brute force. */
static void search(bench *b)
{
    for (int plane = 0; plane < PLANES; plane++)
        for (int user = PLANES; user < SIZE; user++)
            if (b->known[plane][user] &&
                !dry_broadphase_overlaps(b->broadphase, b->proxy[user], b->proxy[plane]))
                b->known[plane][user] = false;
    const dry_pair *pairs;
    int count;
    dry_scratch_begin(&b->scratch, &b->memory, DRY_LIFETIME_PAIRS);
    assert_true(dry_broadphase_find_pairs(b->broadphase, NULL, drop, b, &pairs, &count));
    bool with_plane = false;
    for (int i = 0; i < count; i++) {
        bool sorted = i == 0 || pairs[i - 1].first < pairs[i].first ||
                      (pairs[i - 1].first == pairs[i].first && pairs[i - 1].second < pairs[i].second);
        bool is_plane = pairs[i].first < PLANES;
        assert_true(sorted || (is_plane && !with_plane));
        assert_true(is_plane || !with_plane); /* they come last */
        with_plane = is_plane;
        b->bounded += !is_plane;
        if (!is_plane)
            continue;
        assert_false(b->known[pairs[i].first][pairs[i].second]);
        b->known[pairs[i].first][pairs[i].second] = true;
        b->found++;
    }
    dry_scratch_begin(&b->scratch, &b->memory, DRY_LIFETIME_NONE);
    for (int plane = 0; plane < PLANES; plane++)
        for (int user = PLANES; user < SIZE; user++) {
            bool both = b->proxy[plane] >= 0 && b->proxy[user] >= 0 && b->movable[user];
            bool overlap = both && dry_broadphase_overlaps(b->broadphase, b->proxy[plane], b->proxy[user]);
            assert_int_equal(b->known[plane][user], overlap);
            /* Fat boxes hold the shapes. */
            assert_true(overlap || !both || b->tight[user].min.y > level[plane]);
        }
}

static void test_pairs(void **state)
{
    (void)state;
    bench b;
    random_state = 31;
    level[0] = -4.0, level[1] = 2.0;
    open_bench(&b);
    for (int i = 0; i < SIZE; i++)
        add(&b, (i + 7) % SIZE);
    search(&b);
    for (int step = 0; step < 200; step++) {
        for (int user = 0; user < SIZE; user++) {
            if (random_below(40) == 0) {
                if (b.proxy[user] >= 0)
                    take_away(&b, user);
                else
                    add(&b, user);
            } else if (user >= PLANES && b.proxy[user] >= 0 && random_below(3) == 0) {
                shift(&b.tight[user], random_vector(0.5));
                dry_broadphase_update(b.broadphase, b.proxy[user], &b.tight[user], vec3(0.0f, 0.0f, 0.0f));
            }
        }
        if (step % 20 == 19 && b.proxy[1] >= 0) {
            level[1] = random_double(-8.0, 8.0);
            dry_broadphase_mark_moved(b.broadphase, b.proxy[1]);
        }
        search(&b);
    }
    assert_true(b.found > 300 && b.bounded > 50);
    close_bench(&b);
}

static void count_visit(void *context, uint32_t user)
{
    ((int *)context)[user]++;
}

static float count_hit(void *context, uint32_t user)
{
    ((int *)context)[user]++;
    return 1.0f;
}

static void test_queries(void **state)
{
    (void)state;
    bench b;
    random_state = 32;
    level[0] = -4.0, level[1] = 2.0;
    open_bench(&b);
    for (int user = 0; user < SIZE; user++)
        add(&b, user);
    assert_int_equal(dry_broadphase_proxies(b.broadphase)->count, SIZE);
    int visits[SIZE] = {0};
    dry_bounds box = {{-1.0, 0.0, -1.0}, {1.0, 1.0, 1.0}};
    dry_broadphase_query(b.broadphase, &box, count_visit, visits);
    assert_true(visits[0] == 0 && visits[1] == 1);

    memset(visits, 0, sizeof visits);
    dry_broadphase_query_unbounded(b.broadphase, b.proxy[0], count_visit, visits);
    for (int user = 0; user < SIZE; user++)
        assert_int_equal(visits[user], user >= PLANES && b.movable[user] &&
                                           dry_broadphase_overlaps(b.broadphase, b.proxy[0], b.proxy[user]));

    /* Every segment is asked of every proxy without bounds. */
    memset(visits, 0, sizeof visits);
    dry_broadphase_cast_box(b.broadphase, (dry_position){0.0, 100.0, 0.0}, (dry_vec3){0.0f, 0.0f, 0.0f},
                            vec3(1.0f, 0.0f, 0.0f), count_hit, visits);
    assert_true(visits[0] == 1 && visits[1] == 1);
    for (int user = 0; user < SIZE; user++)
        take_away(&b, user);
    assert_int_equal(dry_broadphase_proxies(b.broadphase)->count, 0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
