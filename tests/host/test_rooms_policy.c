/* The policy of rooms by a clock of the test's own: due times, queues, order of ticks, shares, budgets. */
#include "tests/counting_allocator.h"
#include "tests/test_world.h"

#include "host/rooms/due_queue.h"
#include "host/rooms/lend.h"
#include "host/rooms/schedule.h"
#include "host/rooms/tick.h"
#include "host/rooms/ticks.h"

/* After a year of 60 Hz the tick's due time is still right to a microsecond, and each time finds its tick. */
static void test_ticks(void **state)
{
    (void)state;
    const double rates[] = {0.01, 1.0 / 3.0, 60.0, 59.94, 1e4};
    for (int r = 0; r < COUNT_OF(rates); r++)
        for (uint64_t tick = 1; tick < UINT64_C(1) << 31; tick += 1 + tick / 3) {
            const double start = 1234.5678, due = dry_tick_due_ms(start, rates[r], tick);
            assert_near(due, start + (double)tick * (1e3 / rates[r]), 1e-3 + 1e-15 * due);
            assert_true(dry_tick_from(start, rates[r], due) == tick);
            assert_true(dry_tick_from(start, rates[r], due + 1e-2 / rates[r]) == tick + 1);
        }
    assert_true(dry_tick_from(100.0, 60.0, 50.0) == 0);
}

/* Among n rooms, each tenth of the period has its tenth of them, to within 2. */
static void test_phases(void **state)
{
    (void)state;
    for (int n = 10; n <= 10000; n *= 10) {
        int tenth[10] = {0};
        for (int i = 1; i <= n; i++)
            tenth[(int)(10.0 * dry_tick_phase((uint64_t)i))]++;
        for (int k = 0; k < 10; k++)
            assert_near(tenth[k], n / 10.0, 2.0);
    }
}

/* A pairing heap gives what a sorted list gives, with removals from the middle. */
static void test_due_queue(void **state)
{
    (void)state;
    enum { MOST = 200 };
    static dry_due things[MOST];
    bool inside[MOST] = {false};
    dry_due_queue queue = {NULL};
    uint64_t seed = 7;
    for (int turn = 0; turn < 20000; turn++) {
        const int i = (int)(random_bits(&seed) % MOST);
        if (inside[i]) {
            dry_due_remove(&queue, &things[i]);
        } else {
            things[i].ms = (double)(random_bits(&seed) % 50);
            things[i].order = (uint64_t)i;
            dry_due_insert(&queue, &things[i]);
        }
        inside[i] = !inside[i];
        int first = -1;
        for (int k = 0; k < MOST; k++)
            if (inside[k] && (first < 0 || things[k].ms < things[first].ms))
                first = k;
        assert_ptr_equal(queue.first, first < 0 ? NULL : &things[first]);
    }
}

/* Quantiles of known durations: to a twentieth where durations are spread, and to a fifth where all are alike
 * but one, so that they lie anywhere in a bucket. */
static void test_histogram(void **state)
{
    (void)state;
    static dry_histogram histogram;
    for (int i = 1; i <= 10000; i++)
        dry_histogram_add(&histogram, 1e-3 * i);
    const double shares[] = {0.01, 0.1, 0.5, 0.9, 0.99, 1.0};
    for (int i = 0; i < COUNT_OF(shares); i++)
        assert_near((double)dry_histogram_quantile(&histogram, shares[i]), 10.0 * shares[i], 0.5 * shares[i]);
    assert_true(histogram.max_ms == 10.0f);
    dry_histogram_add(&histogram, -1.0);
    dry_histogram_add(&histogram, 1e9);
    assert_true(dry_histogram_quantile(&histogram, 1.0) == 1e9f);
    for (double ms = 1e-3; ms < 1e3; ms *= 1.01) {
        dry_histogram alike = {.max_ms = 0.0f};
        for (int i = 0; i < 100; i++)
            dry_histogram_add(&alike, i < 99 ? ms : 10.0 * ms);
        assert_near((double)dry_histogram_quantile(&alike, 0.01), ms, 0.2 * ms);
        assert_near((double)dry_histogram_quantile(&alike, 0.99), ms, 0.2 * ms);
    }
}

/* Higher priorities get all that they ask for while there is some; the first that does not shares the rest.
 */
static void test_shares(void **state)
{
    (void)state;
    double share[DRY_ROOM_PRIORITIES];
    const dry_demand fits = {{500000000, 0, 700000000, 600000000}};
    dry_shed_shares(&fits, 2, 0.9, share);
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        assert_true(share[p] == 1.0);
    const dry_demand more = {{1000000000, 0, 1000000000, 1000000000}};
    dry_shed_shares(&more, 2, 0.9, share);
    assert_true(share[3] == 1.0 && share[1] == 1.0);
    assert_near(share[2], 0.8, 1e-9);
    assert_true(share[0] == 0.0);
    assert_near(dry_demand_load(&more, 2), 1.5, 1e-12);
    /* A room asks for no more than one worker. */
    assert_true(dry_demand_of(100.0, 60.0) == 1000000000);
    for (int k = 1; k < 20; k++) {
        double credit = 0.0;
        int made = 0;
        for (int i = 1; i <= 1000; i++) {
            made += dry_shed_keeps(&credit, k / 20.0);
            assert_near(made, i * k / 20.0, 1.0);
        }
    }
}

/* A room whose tick takes 1 ms for each 4 substeps, with a budget of 2 ms, ends at 8 and stays there; when
 * its load is gone it is back at its own number after as many seconds as there are rungs. */
static void test_budget_of_substeps(void **state)
{
    (void)state;
    dry_budget budget = dry_budget_new();
    const dry_budget_limits limits = {.budget_ms = 2.0, .substeps_min = 4, .substeps_own = 128, .rate = 60.0};
    double now_ms = 5000.0;
    int wanted = 32, changes = 0;
    for (int i = 0; i < 30; i++, now_ms += 1e3 / 60) {
        const int substeps = budget.cap && budget.cap < wanted ? budget.cap : wanted;
        changes += dry_budget_follow(&budget, &limits, now_ms, substeps / 4.0, substeps);
    }
    assert_int_equal(budget.cap, 8);
    assert_int_equal(budget.divisor, 1);
    assert_int_equal(changes, 4); /* 24, 16, 12, 8 */
    wanted = 8;
    for (int i = 0; i < 60 * 10; i++, now_ms += 1e3 / 60)
        dry_budget_follow(&budget, &limits, now_ms, 1.0, 8);
    assert_int_equal(budget.cap, 0);
}

/* Without substeps to give up a room makes fewer ticks, such that each has as many budgets as it needs. It
 * keeps one tick a second. */
static void test_budget_of_ticks(void **state)
{
    (void)state;
    dry_budget budget = dry_budget_new();
    dry_budget_limits limits = {.budget_ms = 1.0, .substeps_min = 4, .substeps_own = 128, .rate = 20.0};
    double now_ms = 0.0;
    const int divisors[] = {2, 4, 5, 5}; /* half as many ticks at a time, and no fewer than it needs */
    for (int i = 0; i < COUNT_OF(divisors); i++, now_ms += 50.0) {
        dry_budget_follow(&budget, &limits, now_ms, 4.5, 4);
        assert_int_equal(budget.divisor, divisors[i]);
    }
    for (int i = 0; i < 100; i++, now_ms += 50.0)
        dry_budget_follow(&budget, &limits, now_ms, 4.5, 4);
    assert_int_equal(budget.divisor, 5);
    for (int i = 0; i < 100; i++, now_ms += 50.0)
        dry_budget_follow(&budget, &limits, now_ms, 1e6, 4);
    assert_int_equal(budget.divisor, 20);
    now_ms += 10.2e3; /* the room sleeps */
    assert_true(dry_budget_follow(&budget, &limits, now_ms, 0.5, 4));
    assert_int_equal(budget.divisor, 10);
    for (int i = 0; i < 20 * 30; i++, now_ms += 50.0)
        dry_budget_follow(&budget, &limits, now_ms, 0.5, 4);
    assert_int_equal(budget.divisor, 1);
    limits.budget_ms = 0.0;
    assert_false(dry_budget_follow(&budget, &limits, now_ms, 1e6, 4));
}

/* A pool without threads, whose clock is the test's. */
enum { WORKERS = 2, ROOMS_MAX = 64 };
typedef struct bench {
    dry_rooms rooms;
    dry_room_worker worker[WORKERS];
    dry_room room[ROOMS_MAX];
    double cost_ms[ROOMS_MAX]; /* of a tick */
    int count;
    /* Delays of each worker: so many a second, of up to so many ms, in the tick under way if there is one. */
    double delays_a_second, delay_max_ms;
    double cold; /* a room's first three ticks cost so many times as much; 0: as much */
    uint64_t seed;
} bench;

static bench *new_bench(void)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->rooms.workers = b->worker;
    b->rooms.worker_count = WORKERS;
    b->rooms.def = dry_default_rooms_def();
    b->rooms.shared_ms = -1e9;
    b->rooms.shares = dry_shares_new();
    for (int i = 0; i < WORKERS; i++) {
        b->worker[i].wakes_ms = -(double)INFINITY;
        pthread_cond_init(&b->worker[i].wake, NULL);
    }
    return b;
}

static void free_bench(bench *b)
{
    for (int i = 0; i < WORKERS; i++)
        pthread_cond_destroy(&b->worker[i].wake);
    free(b);
}

static dry_room *add_room(bench *b, float rate, int priority, int worker, double start_ms)
{
    dry_room *room = &b->room[b->count++];
    room->rooms = &b->rooms;
    room->id.bits = (uint64_t)b->count << DRY_ROOM_SLOT_BITS;
    room->def = dry_default_room_def();
    room->def.rate = rate;
    room->def.priority = priority;
    room->budget = dry_budget_new();
    room->worker = worker;
    room->start_ms = start_ms;
    dry_schedule_next_tick(room, start_ms);
    return room;
}

/* Ends the tick of a room that was taken. */
static void end_tick(dry_room *room, double now_ms)
{
    room->next = room->due_tick + 1;
    dry_schedule_next_tick(room, now_ms);
}

static void test_order(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_room *early = add_room(b, 60.0f, 0, 0, 10.0), *late = add_room(b, 60.0f, 0, 0, 12.0);
    dry_room *high = add_room(b, 60.0f, 3, 0, 13.0), *free_room = add_room(b, 0.0f, 3, 0, 1.0);
    dry_room *other = add_room(b, 60.0f, 0, 1, 11.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 9.0), free_room); /* nothing with a rate is due */
    assert_null(dry_schedule_take(&b->rooms, 0, 9.9));
    assert_true(dry_schedule_wakes_ms(&b->rooms, 0) == 10.0);
    assert_true(dry_schedule_wakes_ms(&b->rooms, 1) < 10.5 && dry_schedule_wakes_ms(&b->rooms, 1) > 10.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), high);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), early);
    /* The other worker's tick has waited for longer than this worker's own. */
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), other);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), late);
    assert_null(dry_schedule_take(&b->rooms, 0, 13.5));
    end_tick(early, 14.0);
    assert_near(early->due.ms, 10.0 + 1e3 / 60, 1e-9); /* from the first tick's time, not from its end */
    free_bench(b);
}

/* The next room is the one that would be taken, or the first that comes to be due. */
static void test_next(void **state)
{
    (void)state;
    bench *b = new_bench();
    assert_null(dry_schedule_next(&b->rooms, 0, 9.0));
    dry_room *early = add_room(b, 60.0f, 0, 0, 10.0), *high = add_room(b, 60.0f, 3, 0, 13.0);
    dry_room *other = add_room(b, 60.0f, 0, 1, 11.0);
    assert_ptr_equal(dry_schedule_next(&b->rooms, 0, 9.0), early);
    assert_ptr_equal(dry_schedule_next(&b->rooms, 0, 13.5), high);
    assert_ptr_equal(dry_schedule_next(&b->rooms, 1, 9.0), other);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), high); /* nothing has left its queue */
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 13.5), early);
    assert_ptr_equal(dry_schedule_next(&b->rooms, 0, 13.5), other);
    free_bench(b);
}

/* A tick that is late by more than it may be is gone; those within behind_max are caught up. */
static void test_late(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_room *room = add_room(b, 100.0f, 0, 0, 0.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 25.0), room);
    assert_int_equal(room->due_tick, 0); /* ticks 0 to 2 are due: the room is two behind */
    end_tick(room, 67.0);                /* tick 6 is due, and 4 the earliest that may be made */
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 67.0), room);
    assert_int_equal(room->due_tick, 4);
    assert_int_equal(room->counts.late, 3);
    end_tick(room, 68.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 68.0), room);
    assert_int_equal(room->due_tick, 5);
    free_bench(b);
}

/* The one tick of many that a budget leaves is made, however late it begins. */
static void test_late_and_over_budget(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_room *room = add_room(b, 100.0f, 0, 0, 0.0);
    room->budget.divisor = 100;
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 0.0), room);
    end_tick(room, 1.0);
    assert_null(dry_schedule_take(&b->rooms, 0, 999.0));
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 1060.0), room);
    assert_int_equal(room->due_tick, 100);
    assert_int_equal(room->counts.late, 0);
    free_bench(b);
}

/* Ticks that a budget leaves out are passed over at once: a room of 10 kHz does not come to its queue for
 * each. */
static void test_left_out(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_room *room = add_room(b, 1e4f, 0, 0, 0.0);
    room->budget.divisor = 500;
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 0.0), room);
    end_tick(room, 0.05);
    assert_null(dry_schedule_take(&b->rooms, 0, 0.11));
    assert_int_equal(room->due_tick, 500);
    assert_int_equal(room->next, 500);
    assert_int_equal(room->counts.budget, 499);
    assert_true(dry_schedule_wakes_ms(&b->rooms, 0) == 50.0);
    free_bench(b);
}

/* A sleeping room waits for an input or a tick that it named, and then for the next tick that is not over. */
static void test_sleeping(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_input input = {{NULL, NULL, 0}, 0};
    dry_room *room = add_room(b, 100.0f, 0, 0, 0.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 1.0), room);
    room->asleep = true;
    end_tick(room, 2.0);
    assert_int_equal(room->state, DRY_ROOM_RESTS);
    assert_null(dry_schedule_take(&b->rooms, 0, 1e6));
    room->first_input = &input;
    dry_schedule_next_tick(room, 123.0);
    assert_int_equal(room->due_tick, 13);
    assert_null(dry_schedule_take(&b->rooms, 0, 129.9));
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 151.0), room);
    assert_int_equal(room->due_tick, 15); /* slept through, not skipped */
    assert_int_equal(room->counts.late, 0);
    room->first_input = NULL;
    room->wake_at = 40;
    end_tick(room, 152.0);
    assert_int_equal(room->due_tick, 40);
    assert_null(dry_schedule_take(&b->rooms, 1, 399.0));
    assert_ptr_equal(dry_schedule_take(&b->rooms, 0, 401.0), room);
    free_bench(b);
}

/* The clock of run_ticks goes by this, ms. */
static const double TICK_MS = 0.05;

/* Draws whether a worker is delayed now, and for how long, ms. */
static double drawn_delay(bench *b)
{
    const double now = random_in(&b->seed, 0.0, 1.0);
    const double length_ms = random_in(&b->seed, 0.0, b->delay_max_ms);
    return now < b->delays_a_second * TICK_MS * 1e-3 ? length_ms : 0.0;
}

/* Returns the time that a room's next tick takes, ms. */
static double cost_of(const bench *b, const dry_room *room)
{
    return b->cost_ms[room - b->room] * (room->counts.steps < 3 && b->cold > 0.0 ? b->cold : 1.0);
}

/* Ends the tick that a worker runs. The system has billed its delays to it. */
static void end_running(bench *b, int worker, double took_ms, double now_ms)
{
    dry_room *room = &b->room[b->worker[worker].running - 1];
    b->worker[worker].running = 0;
    const dry_budget_limits limits = {(double)room->def.budget_ms, 4, 4, false, (double)room->def.rate};
    dry_budget_follow(&room->budget, &limits, now_ms, took_ms, 4);
    dry_tick_follow_cost(room, took_ms);
    end_tick(room, now_ms);
}

/* Runs the ticks of a time, ms; each takes its room's cost. Notes the worst lateness of each priority. */
static void run_ticks(bench *b, double from_ms, double to_ms, double worst_ms[DRY_ROOM_PRIORITIES])
{
    double free_ms[WORKERS] = {0}, took_ms[WORKERS] = {0};
    for (double now_ms = from_ms; now_ms < to_ms; now_ms += TICK_MS) {
        dry_schedule_share(&b->rooms, now_ms);
        for (int w = 0; w < WORKERS; w++) {
            const double delay_ms = b->delays_a_second > 0.0 ? drawn_delay(b) : 0.0;
            free_ms[w] = delay_ms > 0.0 ? fmax(free_ms[w], now_ms) + delay_ms : free_ms[w];
            took_ms[w] += delay_ms;
            if (free_ms[w] > now_ms)
                continue;
            if (b->worker[w].running)
                end_running(b, w, took_ms[w], now_ms);
            dry_room *room = dry_schedule_take(&b->rooms, w, now_ms);
            if (!room)
                continue;
            const double late_ms = now_ms - room->due.ms;
            worst_ms[room->def.priority] = fmax(worst_ms[room->def.priority], late_ms);
            dry_histogram_add(&room->counts.lateness, late_ms);
            room->worker = w;
            took_ms[w] = cost_of(b, room);
            free_ms[w] = now_ms + took_ms[w];
            room->counts.steps++;
            b->worker[w].running = (uint64_t)(room - b->room) + 1;
        }
    }
    for (int w = 0; w < WORKERS; w++)
        if (b->worker[w].running)
            end_running(b, w, took_ms[w], to_ms);
}

static dry_room *add_busy_room(bench *b, double cost_ms, int priority)
{
    dry_room *room =
        add_room(b, 60.0f, priority, b->count % WORKERS, 1e3 / 60 * dry_tick_phase((uint64_t)b->count));
    b->cost_ms[room - b->room] = cost_ms;
    return room;
}

/* Workers that are delayed once a second, for up to 60 ms which the system bills to a tick, and rooms whose
 * first ticks take five times as long, are no load that calls for shedding: no tick is left out. */
static void test_delays(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bench *b = new_bench();
        double worst_ms[DRY_ROOM_PRIORITIES] = {0};
        b->seed = seed;
        b->delays_a_second = 1.0;
        b->delay_max_ms = 60.0;
        b->cold = seed % 2 ? 5.0 : 0.0;
        for (int i = 0; i < ROOMS_MAX; i++)
            add_busy_room(b, 0.75 * WORKERS * 1e3 / 60 / ROOMS_MAX, i % 4);
        run_ticks(b, 0.0, 5e3, worst_ms);
        for (int i = 0; i < ROOMS_MAX; i++)
            assert_int_equal(b->room[i].counts.shed, 0);
        free_bench(b);
    }
}

/* The least and the most steps of rooms of one priority. */
typedef struct steps_range {
    double least, most;
} steps_range;

static steps_range steps_of(const bench *b, int priority)
{
    steps_range range = {INFINITY, 0.0};
    for (int i = 0; i < b->count; i++)
        if (b->room[i].def.priority == priority) {
            range.least = fmin(range.least, (double)b->room[i].counts.steps);
            range.most = fmax(range.most, (double)b->room[i].counts.steps);
        }
    return range;
}

/* One and a half times what two workers have is asked from the first, cold ticks on, a third of it by each of
 * three priorities, and workers are delayed. The highest loses no tick, the lowest loses first, and rooms of
 * one priority lose alike. A second after half of the rooms went all others have all ticks again. */
static void test_overload(void **state)
{
    (void)state;
    enum { ROOMS = 60 };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bench *b = new_bench();
        double worst_ms[DRY_ROOM_PRIORITIES] = {0};
        b->seed = seed;
        b->delays_a_second = seed > 1 ? 0.5 : 0.0;
        b->delay_max_ms = 30.0;
        b->cold = 3.0;
        for (int i = 0; i < ROOMS; i++)
            add_busy_room(b, 3e3 / 60 / ROOMS, 1 + i % 3);
        run_ticks(b, 0.0, 2e3, worst_ms);
        worst_ms[3] = 0.0;
        run_ticks(b, 2e3, 10e3, worst_ms);
        for (int i = 2; i < ROOMS; i += 3)
            assert_int_equal(b->room[i].counts.shed + b->room[i].counts.late, 0);
        if (seed == 1)
            assert_at_most(worst_ms[3], 4.0);
        /* 0.9 of both workers, less the highest: 0.8. */
        const steps_range middle = steps_of(b, 2), low = steps_of(b, 1);
        assert_near(middle.least, 0.8 * 600, 12.0);
        assert_at_most(middle.most, 1.1 * middle.least);
        assert_at_most(low.most, 8.0);
        assert_at_most(low.most - low.least, 1.0);
        for (int i = 0; i < ROOMS / 2; i++) {
            dry_room_ask(&b->room[i], 0);
            dry_schedule_withdraw(&b->room[i]);
        }
        run_ticks(b, 10e3, 11e3, worst_ms);
        const uint64_t shed = b->room[ROOMS - 3].counts.shed;
        assert_int_equal(b->room[ROOMS - 3].def.priority, 1);
        assert_true(shed > 300);
        run_ticks(b, 11e3, 13e3, worst_ms);
        assert_int_equal(b->room[ROOMS - 3].counts.shed, shed);
        free_bench(b);
    }
}

/* A pool in which no room is left looks at its load until all priorities have their shares again, and tells
 * so: its workers do not sleep on what it was. */
static void test_silence(void **state)
{
    (void)state;
    bench *b = new_bench();
    double worst_ms[DRY_ROOM_PRIORITIES] = {0};
    double now_ms = 2e3;
    unsigned told = 0;
    for (int i = 0; i < 20; i++)
        add_busy_room(b, 2.0 * WORKERS * 1e3 / 60 / 20, 1);
    run_ticks(b, 0.0, now_ms, worst_ms);
    assert_at_most(b->rooms.shares.now[1], 0.6);
    for (int i = 0; i < b->count; i++) {
        dry_room_ask(&b->room[i], 0);
        dry_schedule_withdraw(&b->room[i]);
    }
    while (dry_schedule_wakes_ms(&b->rooms, 0) < (double)INFINITY) {
        now_ms = dry_schedule_wakes_ms(&b->rooms, 0);
        told |= dry_schedule_share(&b->rooms, now_ms);
    }
    assert_true(b->rooms.shares.now[1] == 1.0);
    assert_int_equal(told, 1 << 1);
    assert_at_most(now_ms, 2.6e3);
    free_bench(b);
}

/* A room is due while its worker hands a notice to the program: the other worker wakes for it. */
static void test_due_beside_a_notice(void **state)
{
    (void)state;
    bench *b = new_bench();
    b->worker[1].wakes_ms = (double)INFINITY; /* it sleeps, and the first one does not */
    dry_room *room = add_room(b, 100.0f, 0, 0, 10.0);
    assert_true(b->worker[1].wakes_ms > 10.0 && b->worker[1].wakes_ms < 11.0);
    assert_ptr_equal(dry_schedule_take(&b->rooms, 1, b->worker[1].wakes_ms), room);
    free_bench(b);
}

/* A room whose tick takes six periods, beside small ones that fill 40 % of one worker: these lose no tick and
 * are at most 8 ms late, since another worker takes what the busy one cannot. */
static void test_heavy_room(void **state)
{
    (void)state;
    bench *b = new_bench();
    double worst_ms[DRY_ROOM_PRIORITIES] = {0};
    dry_room *heavy = add_busy_room(b, 100.0, 0);
    for (int i = 0; i < 16; i++)
        add_busy_room(b, 0.4 * 1e3 / 60 / 16, 0);
    run_ticks(b, 0.0, 10e3, worst_ms);
    for (int i = 1; i < b->count; i++) {
        assert_int_equal(b->room[i].counts.shed + b->room[i].counts.late, 0);
        assert_near((double)b->room[i].counts.steps, 600, 2.0);
        assert_at_most((double)b->room[i].counts.lateness.max_ms, 8.0);
    }
    assert_near((double)heavy->counts.steps, 100, 3.0);
    free_bench(b);
}

/* Two rooms of a high priority take 100 ms a tick with budgets of 2 ms. Their budgets leave each 1.2 ticks a
 * second, which is what they ask for: rooms of a lower priority have their ticks as before. */
static void test_over_budget(void **state)
{
    (void)state;
    enum { HEAVY = 2, SMALL = 8 };
    bench *b = new_bench();
    double worst_ms[DRY_ROOM_PRIORITIES] = {0};
    uint64_t steps[HEAVY + SMALL];
    for (int i = 0; i < HEAVY; i++)
        add_busy_room(b, 100.0, 3)->def.budget_ms = 2.0f;
    for (int i = 0; i < SMALL; i++)
        add_busy_room(b, 0.4 * 1e3 / 60 / SMALL, 0);
    run_ticks(b, 0.0, 4e3, worst_ms);
    for (int i = 0; i < b->count; i++)
        steps[i] = b->room[i].counts.steps;
    run_ticks(b, 4e3, 14e3, worst_ms);
    for (int i = 0; i < HEAVY; i++) {
        assert_int_equal(b->room[i].budget.divisor, 50);
        assert_near((double)(b->room[i].counts.steps - steps[i]), 12.0, 1.0);
    }
    for (int i = HEAVY; i < b->count; i++)
        assert_in_range(b->room[i].counts.steps - steps[i], 560, 601);
    free_bench(b);
}

/* A budget goes by the cap that holds without it: the lower one of the room's and the program's. */
static void test_limits(void **state)
{
    (void)state;
    const int caps[] = {0, 8, 100}, most[] = {64, 8, 64};
    bench *b = new_bench();
    dry_room *room = add_busy_room(b, 1.0, 0);
    dry_tick tick;
    const dry_world_def world_def = test_world_def();
    room->world = world_from(&world_def);
    room->dt = TEST_DT;
    room->substeps_own = 64;
    for (int i = 0; i < COUNT_OF(caps); i++) {
        room->def.substeps_max = caps[i];
        dry_tick_run(room, NULL, &b->worker[0].prefetch, &tick);
        assert_int_equal(tick.limits.substeps_own, most[i]);
        assert_int_equal(tick.substeps_max, most[i]);
    }
    dry_world_destroy(room->world);
    free_bench(b);
}

/* Follows eight ticks of the same cost. */
static bool borrows_after(dry_room *room, double cost_ms)
{
    room->cost.ms = cost_ms;
    for (int i = 0; i < 8; i++)
        dry_lend_decide(room, cost_ms);
    return room->borrows;
}

/* A room borrows from a millisecond on, until help from all workers could not have brought it below. One long
 * tick is no reason, and without memory it does not. */
static void test_borrowing(void **state)
{
    (void)state;
    bench *b = new_bench();
    dry_room *room = add_busy_room(b, 0.9, 0);
    const double costs_ms[] = {0.9, 1.1, 0.6, 0.4, 0.9, 1.0};
    const bool borrows[] = {false, true, true, false, false, true};
    counting_allocator none = {.fail_at = 0, .fail_all = true};
    dry_memory_init(&b->rooms.memory, counting_hooks(&none));
    assert_false(borrows_after(room, 2.0));
    dry_memory_init(&b->rooms.memory, (dry_allocator){0});
    assert_false(borrows_after(room, 0.8));
    dry_lend_decide(room, 50.0);
    assert_false(room->borrows);
    for (int i = 0; i < COUNT_OF(costs_ms); i++)
        assert_true(borrows_after(room, costs_ms[i]) == borrows[i]);
    assert_null(dry_lend_find(&b->rooms));
    dry_memory_release_all(&b->rooms.memory);
    free_bench(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_due_queue),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_budget_of_substeps),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_budget_of_ticks),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_late_and_over_budget),
        cmocka_unit_test(test_sleeping),
        cmocka_unit_test(test_overload),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_due_beside_a_notice),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_heavy_room),
        cmocka_unit_test(test_over_budget),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_borrowing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
