/* The run of `drystone rooms` that its files share. */
#ifndef TOOLS_CLI_ROOMS_RUN_H
#define TOOLS_CLI_ROOMS_RUN_H

#include "tools/cli/rooms/options.h"
#include <drystone/drystone.h>

enum { ROOMS_ERROR_BYTES = 1024 };

/* A world as bytes, of which all rooms of a scene are made, and the length of its steps. */
typedef struct rooms_master {
    char *bytes;
    size_t size, room;
    float dt;
} rooms_master;

typedef struct rooms_run {
    rooms_options options;
    rooms_master master, heavy;
    dry_rooms *pool;
    int count;             /* of rooms, without the heavy one */
    dry_room_id *ids;      /* the heavy one is the last, if there is one */
    double seconds;        /* that the rooms ran */
    double load;           /* the mean of what the rooms asked of all workers */
    double ticks_a_second; /* of rooms as fast as they go, measured for --load; 0: there was none */
    bool stopped;
} rooms_run;

/* The outcome of the rooms of one priority, or of the heavy room. */
typedef struct rooms_group {
    int rooms;
    uint64_t ticks, steps, skipped, late, shed, budget;
    double rate_min, rate_max;                   /* steps a second of a room */
    float step_p50_ms, step_p99_ms, step_max_ms; /* of the worst room, as are the next */
    float lateness_p50_ms, lateness_p99_ms, lateness_max_ms;
    int substeps, substeps_max; /* most of a room's last step, and the highest cap */
    int64_t awake_bodies;       /* of all, as is the next */
    size_t memory_bytes;
    int slow[DRY_ROOM_SLOW_COUNT]; /* rooms by what slows them at the end */
} rooms_group;

/* Makes a scene, steps it for two seconds and keeps the world. Returns false with a message of one line. */
bool rooms_master_make(const rooms_scene *scene, bool sleep, rooms_master *master, char *error);

/* Counts the rooms of a priority; -1: the heavy one. */
rooms_group rooms_group_of(const rooms_run *run, int priority);

/* Prints the figures; writes them as JSON, and returns false if the stream fails or there is no memory. */
void rooms_print(const rooms_run *run, FILE *stream);
bool rooms_write_json(const rooms_run *run, FILE *stream);

#endif
