/* Rooms on a pool: eight worlds, each with a ball, step on as many threads as there are cores. The network,
 * which is main here, posts an input to each room. The functions of a room run before and after its steps.
 *
 *     cc rooms.c -o rooms $(pkg-config --cflags --libs drystone) && ./rooms */
#include <drystone/drystone.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { ROOMS = 8 };

typedef struct game {
    dry_body_id ball;
    double highest;
    int steps; /* since the jump */
    atomic_bool over;
} game;

static void must(dry_result result)
{
    if (result != DRY_OK) {
        fprintf(stderr, "%s\n", dry_last_error());
        exit(1);
    }
}

/* On a worker: the only place where the world may be touched. */
static void before(dry_room_call *call, void *user)
{
    game *g = user;
    for (const dry_room_input *i = call->inputs; i; i = i->next)
        if (i->size == 4 && memcmp(i->bytes, "jump", 4) == 0) {
            const dry_velocity up = {{0.0f, 5.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
            must(dry_body_set_velocity(call->world, g->ball, up));
            g->steps = 1;
        }
}

static void after(dry_room_call *call, void *user)
{
    game *g = user;
    dry_pose pose;
    if (call->result != DRY_OK) /* MEMORY: no body has moved, and the next tick tries again */
        return;
    must(dry_body_get_pose(call->world, g->ball, &pose));
    if (pose.position.y > g->highest)
        g->highest = pose.position.y;
    if (g->steps > 0 && g->steps++ == 60)
        atomic_store(&g->over, true);
}

static dry_world *make_world(game *g)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1; /* the pool has the others */
    dry_world *world;
    must(dry_world_create(&def, &world));
    dry_shape_def sphere = dry_default_shape_def();
    sphere.type = DRY_SHAPE_SPHERE;
    dry_body_def ball = dry_default_body_def();
    ball.type = DRY_BODY_DYNAMIC;
    ball.shapes = &sphere;
    ball.shape_count = 1;
    ball.awake = false; /* until somebody jumps: a room that sleeps costs nothing */
    must(dry_world_create_body(world, &ball, &g->ball));
    return world;
}

int main(void)
{
    static game games[ROOMS];
    dry_rooms_def rooms_def = dry_default_rooms_def(); /* a worker for each core */
    dry_rooms *rooms;
    dry_room_id ids[ROOMS];
    must(dry_rooms_create(&rooms_def, &rooms));
    for (int i = 0; i < ROOMS; i++) {
        dry_room_def room = dry_default_room_def(); /* 60 Hz */
        room.rate = 1000.0f;
        room.dt = 1.0f / 60.0f; /* the world's time goes faster than the clock's */
        room.functions = (dry_room_functions){.before = before, .after = after, .user = &games[i]};
        must(dry_rooms_add(rooms, &room, make_world(&games[i]), &ids[i])); /* the world is the pool's now */
        must(dry_rooms_post(rooms, ids[i], "jump", 4));                    /* from any thread */
    }
    int alike = 0;
    for (int i = 0; i < ROOMS; i++) {
        while (!atomic_load(&games[i].over))
            thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        must(dry_rooms_remove(rooms, ids[i])); /* waits for the tick under way */
        alike += games[i].highest == games[0].highest;
    }
    dry_rooms_destroy(rooms);
    printf("%d balls rose by %.1f m\n", alike, games[0].highest);
    return alike == ROOMS && games[0].highest > 1.2 && games[0].highest < 1.4 ? 0 : 1;
}
