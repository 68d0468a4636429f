/* Measures rooms: the processor time of a tick beside that of a bare step, and of a room that sleeps.
 *
 *   host/rooms/pool:N/WORKERS  rooms of ten awake towers of ten, as fast as they go: us of processor time a
 * tick. `hot_us` is a bare step of one such world again and again, `turn_us` one of as many worlds in turn;
 * `surplus` and `turn_surplus` are what a tick and a step in turn take more than a hot step, as a share of
 * that; `ticks_s` are ticks a second rooms/piles:N/WORKERS likewise, rooms of a pile of 100 boxes between
 * walls rooms/asleep:N        the rooms of towers at 60 Hz once they sleep; `share` is that of a bare
 *                         sleeping step
 *   rooms/game:N          rooms of a game (game_room.h): processor time of a step without the functions, the
 *                         least of three runs of the same steps: the median of all rooms' steps, and the
 *                         quantiles as multiples of it
 */
#include "perf/bench.h"
#include "perf/game_room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 3 };

typedef enum room_content {
    TOWERS,
    PILE,
} room_content;

typedef struct rooms_case {
    room_content content;
    int rooms, workers, hot_steps;
    long wait_ms;
} rooms_case;

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void add_body(dry_world *world, dry_body_type type, const dry_shape_def *shape, dry_position position)
{
    dry_body_def def = dry_default_body_def();
    dry_body_id id;
    def.type = type;
    def.pose.position = position;
    def.shapes = shape;
    def.shape_count = 1;
    bench_check(dry_world_create_body(world, &def, &id), "a body");
}

static void add_plane(dry_world *world, dry_vec3 normal, float offset)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_HALFSPACE;
    shape.normal = normal;
    shape.offset = offset;
    add_body(world, DRY_BODY_STATIC, &shape, (dry_position){0.0, 0.0, 0.0});
}

/* Adds ten towers of ten boxes, or 100 boxes that fall between four walls. */
static void add_content(dry_world *world, room_content content)
{
    dry_shape_def box = dry_default_shape_def();
    uint64_t seed = 36;
    box.type = DRY_SHAPE_BOX;
    add_plane(world, (dry_vec3){0.0f, 1.0f, 0.0f}, 0.0f);
    for (int i = 0; i < 4 && content == PILE; i++)
        add_plane(world,
                  (dry_vec3){(float)(i == 0) - (float)(i == 1), 0.0f, (float)(i == 2) - (float)(i == 3)},
                  -3.0f);
    for (int i = 0; i < 100; i++) {
        dry_position at = {3.0 * (i / 10), 0.5 + i % 10, 0.0};
        if (content == PILE) {
            at.x = -2.25 + 1.5 * (i % 4) + (double)bench_random_in(&seed, -0.2f, 0.2f);
            at.y = 1.0 + 1.5 * (i / 16);
            at.z = -2.25 + 1.5 * (i / 4 % 4) + (double)bench_random_in(&seed, -0.2f, 0.2f);
        }
        add_body(world, DRY_BODY_DYNAMIC, &box, at);
    }
}

static void step(dry_world *world)
{
    bench_check(dry_world_step(world, 1.0f / 60.0f), "a step");
}

/* Returns a room's world after `steps` steps, as bytes. */
static bench_bytes room_of(room_content content, bool sleep, int steps)
{
    dry_world_def def = dry_default_world_def();
    dry_world *world;
    bench_bytes b = {bench_allocate((size_t)1 << 20), 0, (size_t)1 << 20};
    const dry_sink sink = {bench_append, &b};
    def.threads = 1;
    def.settings.sleep = sleep;
    bench_check(dry_world_create(&def, &world), "a world");
    add_content(world, content);
    for (int i = 0; i < steps; i++)
        step(world);
    bench_check(dry_world_save(world, NULL, &sink), "a save");
    dry_world_destroy(world);
    return b;
}

static dry_world *load(const bench_bytes *b)
{
    dry_world_def def = dry_default_world_def();
    dry_world *world;
    def.threads = 1;
    def.count_stage_times = false;
    bench_check(dry_world_load(b->at, b->size, &def, NULL, &world, NULL), "a load");
    return world;
}

/* Returns the processor time of a bare step, s: of `count` worlds in turn. */
static double time_bare(const bench_bytes *b, int count, int steps)
{
    dry_world **worlds = bench_allocate((size_t)count * sizeof *worlds);
    for (int i = 0; i < count; i++) {
        worlds[i] = load(b);
        step(worlds[i]);
    }
    const int rounds = (steps + count - 1) / count;
    const double began = processor_s();
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < count; i++)
            step(worlds[i]);
    const double took = (processor_s() - began) / rounds / count;
    for (int i = 0; i < count; i++)
        dry_world_destroy(worlds[i]);
    free(worlds);
    return took;
}

/* Returns the processor time of a tick among rooms, s; *rate: ticks a second, of which some may be counted
 * only. */
static double time_rooms(const bench_bytes *b, const rooms_case *one, float hertz, double *rate)
{
    dry_rooms_def def = dry_default_rooms_def();
    dry_room_def room = dry_default_room_def();
    dry_rooms *rooms;
    dry_room_id id;
    dry_room_statistics before, after;
    dry_pool_statistics first, last;
    def.workers = one->workers;
    room.rate = hertz;
    room.dt = 1.0f / 60.0f;
    bench_check(dry_rooms_create(&def, &rooms), "a pool");
    for (int i = 0; i < one->rooms; i++)
        bench_check(dry_rooms_add(rooms, &room, load(b), &id), "a room");
    wait_ms(one->wait_ms);
    dry_rooms_get_statistics(rooms, id, &before);
    dry_rooms_get_pool_statistics(rooms, &first);
    const double began = bench_now(), began_s = processor_s();
    wait_ms(one->wait_ms);
    const double took_s = processor_s() - began_s, seconds = bench_now() - began;
    dry_rooms_get_pool_statistics(rooms, &last);
    dry_rooms_get_statistics(rooms, id, &after);
    dry_rooms_destroy(rooms);
    const double ticks = hertz > 0.0f ? (double)one->rooms * (double)(after.ticks - before.ticks)
                                      : (double)(last.ticks - first.ticks);
    *rate = ticks / seconds;
    return took_s / (ticks > 0.0 ? ticks : 1.0);
}

static double least(double least_so_far, double took)
{
    return took < least_so_far ? took : least_so_far;
}

static void bench_pool(bench_state *state, const void *context)
{
    const rooms_case *one = context;
    bench_bytes b = room_of(one->content, false, one->content == PILE ? 1200 : 120);
    double hot = 1e9, turn = 1e9, tick = 1e9, rate = 0.0, most = 0.0;
    while (bench_next(state)) {
        for (int i = 0; i < TURNS; i++) {
            hot = least(hot, time_bare(&b, 1, one->hot_steps));
            turn = least(turn, time_bare(&b, one->rooms, one->hot_steps));
            tick = least(tick, time_rooms(&b, one, 0.0f, &rate));
            most = rate > most ? rate : most;
        }
        bench_took(state, tick);
    }
    bench_counter(state, "hot_us", 1e6 * hot);
    bench_counter(state, "turn_us", 1e6 * turn);
    bench_counter(state, "tick_us", 1e6 * tick);
    bench_counter(state, "surplus", tick / hot - 1.0);
    bench_counter(state, "turn_surplus", turn / hot - 1.0);
    bench_counter(state, "ticks_s", most);
    free(b.at);
}

static void bench_asleep(bench_state *state, const void *context)
{
    const rooms_case *one = context;
    bench_bytes b = room_of(one->content, true, 300);
    double bare = 1e9, tick = 1e9, rate;
    while (bench_next(state)) {
        for (int i = 0; i < TURNS; i++) {
            bare = least(bare, time_bare(&b, 1, one->hot_steps));
            tick = least(tick, time_rooms(&b, one, 60.0f, &rate));
        }
        bench_took(state, tick);
    }
    bench_counter(state, "bare_us", 1e6 * bare);
    bench_counter(state, "tick_us", 1e6 * tick);
    bench_counter(state, "share", tick / bare);
    free(b.at);
}

static bool has_stepped(dry_rooms *rooms, const dry_room_id *id, int count, uint64_t steps)
{
    dry_room_statistics statistics;
    for (int i = 0; i < count; i++) {
        bench_check(dry_rooms_get_statistics(rooms, id[i], &statistics), "statistics");
        if (statistics.steps < steps)
            return false;
    }
    return true;
}

/* Runs the rooms of a game, and follows the least times of their steps. */
static void run_games(const rooms_case *one, game_room *games, double *step_s)
{
    dry_rooms_def def = dry_default_rooms_def();
    dry_room_def room = dry_default_room_def();
    dry_room_id *id = bench_allocate((size_t)one->rooms * sizeof *id);
    dry_rooms *rooms;
    const int steps = one->hot_steps, settling = steps / 10;
    def.workers = one->workers;
    room.rate = 0.0f;
    bench_check(dry_rooms_create(&def, &rooms), "a pool");
    for (int i = 0; i < one->rooms; i++) {
        games[i] = (game_room){.settling = settling, .step_s = step_s + i * steps, .steps = steps};
        room.functions =
            (dry_room_functions){.before = game_room_before, .after = game_room_after, .user = &games[i]};
        dry_world *world = game_room_world(&games[i], (uint64_t)i);
        bench_check(dry_rooms_add(rooms, &room, world, &id[i]), "a room");
    }
    while (!has_stepped(rooms, id, one->rooms, (uint64_t)(settling + steps)))
        wait_ms(10);
    dry_rooms_destroy(rooms);
    free(id);
}

static void bench_game(bench_state *state, const void *context)
{
    const rooms_case *one = context;
    const int count = one->rooms * one->hot_steps;
    game_room *games = bench_allocate((size_t)one->rooms * sizeof *games);
    double *step_s = bench_allocate((size_t)count * sizeof *step_s);
    for (int i = 0; i < count; i++)
        step_s[i] = 1e9;
    while (bench_next(state)) {
        for (int i = 0; i < TURNS; i++)
            run_games(one, games, step_s);
        bench_took(state, bench_quantile(step_s, count, 0.5));
    }
    const double median = bench_quantile(step_s, count, 0.5);
    bench_counter(state, "p50_us", 1e6 * median);
    bench_counter(state, "p99", bench_quantile(step_s, count, 0.99) / median);
    bench_counter(state, "p999", bench_quantile(step_s, count, 0.999) / median);
    free(games);
    free(step_s);
}

int main(int argc, char **argv)
{
    const bool tiny = bench_tiny(&argc, argv);
    static const rooms_case cases[] = {{TOWERS, 1, 1, 10000, 500},
                                       {TOWERS, 1000, 1, 10000, 1000},
                                       {TOWERS, 1000, 2, 10000, 1000},
                                       {PILE, 1, 1, 4000, 500},
                                       {PILE, 1000, 1, 4000, 1000}};
    enum { COUNT = sizeof cases / sizeof cases[0] };
    for (int i = 0; i <= COUNT; i++) {
        rooms_case one = cases[i < COUNT ? i : 2];
        char name[96];
        if (tiny)
            one = (rooms_case){one.content, one.rooms > 1 ? 4 : 1, one.workers, 20, 20};
        if (i < COUNT)
            snprintf(name, sizeof name, "rooms/%s:%d/%d", one.content == PILE ? "piles" : "pool", one.rooms,
                     one.workers);
        else
            snprintf(name, sizeof name, "rooms/asleep:%d", one.rooms);
        bench_register(name, i < COUNT ? bench_pool : bench_asleep, &one, sizeof one, 1);
    }
    const rooms_case games = tiny ? (rooms_case){TOWERS, 2, 1, 20, 0} : (rooms_case){TOWERS, 100, 2, 600, 0};
    char name[96];
    snprintf(name, sizeof name, "rooms/game:%d", games.rooms);
    bench_register(name, bench_game, &games, sizeof games, 1);
    return bench_main(argc, argv, tiny);
}
