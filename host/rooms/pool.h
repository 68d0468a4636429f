/* The pool and its rooms: the structs that the files of host/rooms/ share, and how rooms are found.
 *
 * One mutex guards the pool. A worker holds it between ticks, for some 100 ns. The world of a room, and the
 * members that say so, belong to the worker while the room runs; nobody else touches them then.
 *
 *      add          due             tick ends
 *   ---------> waits ----> runs -----------------> waits    in a queue of its last worker
 *                ^           |  the world sleeps
 *                |           +-------------------> rests    in no queue
 *                |   post                            |
 *                +-----------------------------------+
 *
 * A room that is taken out rests, too. */
#ifndef HOST_ROOMS_POOL_H
#define HOST_ROOMS_POOL_H

#include "core/memory.h"
#include "core/numbers.h"
#include "host/rooms/budget.h"
#include "host/rooms/due_queue.h"
#include "host/rooms/histogram.h"
#include "host/rooms/prefetch.h"
#include "host/rooms/shed.h"
#include "jobs/threads.h"

#include <drystone/rooms.h>
#include <sys/types.h>

typedef enum dry_room_state {
    DRY_ROOM_WAITS,
    DRY_ROOM_RESTS,
    DRY_ROOM_RUNS,
} dry_room_state;

/* An input with its bytes behind it. */
typedef struct dry_input {
    dry_room_input input; /* its `next` is that of the input's node, which begins with it */
    size_t block_bytes;   /* of the node with its bytes */
} dry_input;

typedef struct dry_room_counts {
    uint64_t steps, slept, failed, late, shed, budget; /* the last three: ticks that were skipped */
    dry_histogram step, lateness;
    double late_ms; /* when a tick was last skipped because it came too late */
    int substeps, substeps_max, awake_bodies;
    size_t memory_bytes;
} dry_room_counts;

/* Work of a room's step for one more worker. */
typedef struct dry_offer {
    struct dry_offer *next; /* of the pool's open ones */
    void *argument;         /* for dry_jobs_help_while */
    int priority;           /* of its room */
    bool taken;             /* a worker helps */
    bool over;              /* the step has ended, and its worker closes the offer */
} dry_offer;

typedef struct dry_room {
    dry_due due; /* the first member: queues hold rooms by it */
    dry_rooms *rooms;
    dry_room_id id;
    dry_world *world;
    dry_room_def def;
    float dt; /* of a step, s */
    dry_room_state state;
    bool asleep;  /* its next step is empty */
    bool removed; /* its id is gone, and it goes when its tick ends */
    bool taken;   /* dry_rooms_take writes it: it rests, and takes no inputs */
    int worker;   /* the last one */
    double start_ms;
    uint64_t next;     /* the first tick that is not over */
    uint64_t due_tick; /* the tick that it waits for or runs */
    uint64_t wake_at;  /* a tick with functions though the world sleeps; 0: none */
    dry_input *first_input, *last_input;
    size_t queued_bytes;
    dry_budget budget;
    double credit; /* of ticks that were shed */
    dry_cost cost;
    int64_t asked; /* its part of the pool's demand, ns/s */
    dry_room_counts counts;
    int heavy_ticks; /* in a row, as far as they matter */
    bool borrows;    /* idle workers from its next tick on */
    dry_offer *offers;
    int offer_capacity, offers_open;

    /* The worker's own. */
    bool lent;             /* its world has the pool's workers */
    int substeps_own;      /* dry_settings.substeps_max as the program has set it */
    int substeps_cap;      /* as the pool has set it; 0: it has not */
    uint64_t passed;       /* dry_room_worker.passed when the last tick ended */
    dry_working_set reads; /* what a tick reads; empty while the room stays in its worker's cache */
} dry_room;

/* Queues: of rooms without a rate, and of each priority. */
enum { DRY_QUEUES = 1 + DRY_ROOM_PRIORITIES };

typedef struct dry_room_worker {
    dry_thread thread;
    dry_rooms *rooms;
    int index;
    dry_due_queue queues[DRY_QUEUES];
    pthread_cond_t wake;
    _Atomic double wakes_ms; /* when it will look for ticks by itself; before all times while it is awake.
                                Written in a locked pool; a worker that helps reads it without the lock */
    bool helps;              /* with the step of another worker's room */
    uint64_t running;        /* the id of the room that it runs; 0: none */
    uint64_t passed;         /* bytes of all worlds that it has stepped, each time anew */
    dry_prefetch prefetch;
    double processor_ms;      /* of its thread when it was last asked */
    atomic_int system_thread; /* the system's number of the thread; 0: unknown. Statistics read it without the
                                 lock */
} dry_room_worker;

struct dry_rooms {
    pthread_mutex_t mutex;
    pthread_cond_t tick_ended; /* of a room that somebody waits for */
    dry_memory memory;
    dry_rooms_def def;
    pid_t process;
    dry_room_worker *workers;
    int worker_count;
    bool ending;
    dry_room **room; /* by slot */
    int room_capacity, slots_used, room_count, asleep_count;
    int32_t *free_slots;
    int free_capacity, free_count;
    uint64_t added;  /* rooms ever */
    uint64_t number; /* of the process, for ids: each is good for DRY_ROOM_NUMBER_USES rooms */
    dry_demand demand;
    dry_shares shares;
    double shared_ms;  /* when the shares were last set */
    dry_offer *offers; /* open ones */
    uint64_t ticks, stolen, helped;
    double busy_ms;
    dry_histogram lateness;
};

/* The bits of a room's id that are its slot. Above them are 10 bits of use, and a number (core/numbers.h). */
enum {
    DRY_ROOM_SLOT_BITS = 20,
    DRY_ROOM_SLOTS_MAX = 1 << DRY_ROOM_SLOT_BITS,
    DRY_ROOM_NUMBER_USES = 1 << 10,
};

/* Says through the log what was wrong and returns `result`. */
dry_result dry_rooms_fail(const dry_rooms *rooms, dry_result result, const char *format, ...)
    DRY_PRINTF(3, 4);

/* Checks that there is a pool and that this is its process, and locks it. Returns false, unlocked, with the
 * reason in *result. */
bool dry_rooms_lock(dry_rooms *rooms, const char *name, dry_result *result);
void dry_rooms_unlock(dry_rooms *rooms);

/* Returns the room of an id in a locked pool; null if it has none. */
dry_room *dry_rooms_find(const dry_rooms *rooms, dry_room_id id);

/* Gives a room a slot and an id, in a locked pool. Errors: FULL, MEMORY, NUMBERS. */
dry_result dry_rooms_enter(dry_rooms *rooms, dry_room *room);
/* Ends the id of a room and takes its part out of the sums, in a locked pool. */
void dry_rooms_leave(dry_rooms *rooms, dry_room *room);

/* Sets what a room asks for, in a locked pool. */
void dry_room_ask(dry_room *room, int64_t asked);

/* Releases inputs, in a locked pool. */
void dry_inputs_release(dry_rooms *rooms, dry_input *first);

/* Returns the worker that the calling thread is; null if it is none. */
dry_room_worker *dry_rooms_this_worker(void);
void dry_rooms_set_this_worker(dry_room_worker *worker);

static inline dry_input *dry_input_next(const dry_input *input)
{
    return (dry_input *)input->input.next;
}

#endif
