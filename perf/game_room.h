/* A room of a game: boxes, players that walk, doors that open and close, rays, overlaps and pushes. */
#ifndef PERF_GAME_ROOM_H
#define PERF_GAME_ROOM_H

#include <drystone/drystone.h>

enum { GAME_BOXES = 100, GAME_PLAYERS = 8, GAME_DOORS = 4 };

typedef struct game_room {
    dry_body_id player[GAME_PLAYERS];
    dry_joint_id door[GAME_DOORS];
    uint64_t seed;
    double began_s;
    int settling;   /* ticks before the first step that is kept */
    double *step_s; /* the processor time of the steps, s: that of earlier runs, if it was less */
    int steps;      /* that are kept */
} game_room;

/* Makes the world of a room. */
dry_world *game_room_world(game_room *room, uint64_t seed);

/* The functions of a room; `user` is the game_room. */
void game_room_before(dry_room_call *call, void *user);
void game_room_after(dry_room_call *call, void *user);

#endif
