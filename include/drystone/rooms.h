/* SPDX-License-Identifier: MIT
 * Rooms: thousands of worlds that step on one pool of threads, each at its own rate.
 *
 * A room is a world with a rate, a queue of inputs, and two functions, which the pool calls before and after
 * each step. Any thread may make, feed and remove rooms. The world itself belongs to the pool: only the
 * room's functions touch it, on the worker that steps it.
 *
 * Ticks are numbered. Tick k of a room is due k / rate after the room began, and never begins earlier. A tick
 * runs the inputs that wait, one step of the world, and both functions. Of the ticks that are due, the
 * highest priority goes first, and then the one that has been due longest. A tick that cannot be had in time
 * is skipped: its number is gone, and the world makes no step for it.
 *
 * A room borrows workers that are idle once eight of its ticks in a row take more than a millisecond. They
 * share the loops of its steps, and go back after their present block when a tick is due. The bits are the
 * same. docs/server.md tells more. */
#ifndef DRYSTONE_ROOMS_H
#define DRYSTONE_ROOMS_H

#include <drystone/save.h>
#include <drystone/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pool of workers with the rooms that they step. */
typedef struct dry_rooms dry_rooms;

/** The id of a room. No other room has ever had it or will have it, in whatever pool, nor in another process
 * that has a range of its own (dry_set_number_range); the null id is all zero. */
typedef struct dry_room_id {
    uint64_t bits;
} dry_room_id;

/** The number of priorities: 0 to 3. */
#define DRY_ROOM_PRIORITIES 4

/** Bytes that dry_rooms_post has put into a room's queue. */
typedef struct dry_room_input {
    const struct dry_room_input *next; /**< the input that was posted after this one; null: none */
    const void *bytes;                 /**< aligned to 16 bytes */
    size_t size;
} dry_room_input;

/** The argument of a room's functions. It is valid until the function returns. */
typedef struct dry_room_call {
    dry_rooms *rooms;
    dry_room_id room;
    dry_world *world;             /**< may be read and changed, but not destroyed, and its workers are the
                                     pool's (dry_world_set_workers), as are its steps. Those that a function
                                     took back (dry_history_rewind, dry_world_restore) it may make
                                     again, up to the present
                                     one; any other is refused with LOCKED. Its
                                     dry_settings.substeps_max is the room's cap while one holds.
                                     Another value that a function sets, or that a restoration
                                     brings, is the program's own from then on. */
    uint64_t tick;                /**< the number of this tick, from 0 */
    const dry_room_input *inputs; /**< those that waited when the tick began, in the order of their posts;
                                     null: none. Both functions of a tick are given the same. */
    dry_result
        result; /**< of the step, in `after`; DRY_OK in `before`. After MEMORY the next tick tries again */
    uint64_t wake_at; /**< may be set: a later tick at which the functions are called even if the world
                         sleeps; 0, or 2^52 - 1 and above: none. Holds until that tick, which a sleeping
                         room without a rate comes to at once. */
} dry_room_call;

/** The functions of a room; each may be null. One of them at a time runs for a room: `before` and `after` on
 * the worker that steps it, `save` on the thread that takes it. They may post to rooms, add and remove rooms,
 * and read statistics. A function that waits holds up its worker, and all rooms that are due on it. */
typedef struct dry_room_functions {
    void (*before)(dry_room_call *call, void *user); /**< before the step: applies the inputs */
    void (*after)(dry_room_call *call, void *user);  /**< after the step: reads poses and events */
    /** Returns the program's own bytes of a room that dry_rooms_take takes out, and sets *size; they must
     * stay valid until dry_rooms_take returns. May read call->world and must not change it. */
    const void *(*save)(dry_room_call *call, size_t *size, void *user);
    void *user;
} dry_room_functions;

/** The definition of a room; defaults last. */
typedef struct dry_room_def {
    float
        rate; /**< ticks a second, 0.01 to 10,000; 0: as fast as it goes, behind all rooms with a rate; 60 */
    float dt; /**< length of a step, s, 1e-7 to 1; 0 takes 1 / rate, or 1/60 s without a rate; 0 */
    int priority;     /**< 0 to DRY_ROOM_PRIORITIES - 1: a higher one goes first. 0 without a rate; 0 */
    int substeps_max; /**< a cap of dry_settings.substeps_max, 1 to 256; 0: none. Not below substeps_min; 0 */
    float budget_ms;  /**< processor time that a tick may take, functions included, ms, 0 to 1e6; 0: any.
                         A room that takes more gets fewer substeps, and then fewer ticks; without a rate,
                         fewer substeps alone; 0 */
    int behind_max;   /**< ticks that a room may catch up after a delay, 0 to 1,000, without a pause between
                         them. Earlier ones are skipped; 2 */
    size_t queue_bytes_max; /**< of the inputs that wait, at most, with 32 more for each. Those that a room
                               brings along (dry_rooms_add_saved) may be more; 1 MiB */
    dry_room_functions functions;
} dry_room_def;

/** Why a room is slower than its rate. */
typedef enum dry_room_slow {
    DRY_ROOM_SLOW_NOT = 0,
    DRY_ROOM_SLOW_SUBSTEPS, /**< over its budget: fewer substeps */
    DRY_ROOM_SLOW_TICKS,    /**< over its budget with the fewest substeps: fewer ticks */
    DRY_ROOM_SLOW_SHED,     /**< more is asked of the pool than it has: ticks of its priority are left out */
    DRY_ROOM_SLOW_LATE,     /**< its ticks take longer than they may, or the machine's cores were elsewhere */
    DRY_ROOM_SLOW_COUNT
} dry_room_slow;

/** Returns "not", "substeps", "ticks", "shed" or "late"; null if out of range. */
DRY_API const char *dry_room_slow_name(dry_room_slow slow);

/** A change that dry_rooms_def.notice is told of. */
typedef struct dry_rooms_notice {
    dry_room_id room;   /**< the room that a budget slows or no longer slows; null: `priority` is meant */
    int priority;       /**< of the room, or whose rooms have another share of their ticks from now on */
    dry_room_slow slow; /**< why, or DRY_ROOM_SLOW_NOT where it is over */
    float share;        /**< of ticks that are made, 0 to 1 */
    float load;         /**< of the pool: what its rooms ask of all workers, 1 is all of their time */
} dry_rooms_notice;

/** The definition of a pool; defaults last. */
typedef struct dry_rooms_def {
    int workers; /**< threads that step rooms, 1 to 1024; 0 takes one for each physical core that the calling
                    thread may use, and control groups give; 0. A worker has a stack of 256 KiB. A call of
                    a room's function that steps, saves, loads or goes back takes up to 128 KiB of it. */
    float load_max;  /**< the share of the workers' time above which rooms lose ticks, once half a second has
                        asked for more, above 0 to 1; 0.9 */
    float admit_max; /**< the load above which new rooms are refused, 0 to 1e6; 0: none is refused. A room is
                        part of the load from its second tick on, so that one of many that are added at once
                        is not refused; 0 */
    dry_allocator allocator; /**< for rooms and inputs; null functions take the C library's. Called from any
                                thread, from one at a time, and must not call into the pool. Worlds have
                                their own. */
    dry_log log; /**< a null function keeps the pool silent. Called from any thread, from several at once,
                    and must not call into the pool */
    /** Told of changes, on any worker between two ticks, from several at once. May do what a room's functions
     * may, touches no world, and should return soon: its worker waits. Null: nobody is told; null */
    void (*notice)(const dry_rooms_notice *notice, void *user);
    void *user; /**< handed to `notice` */
} dry_rooms_def;

/** Return the defaults above. */
DRY_API dry_room_def dry_default_room_def(void);
DRY_API dry_rooms_def dry_default_rooms_def(void);

/** Creates a pool and starts its workers. A child process of fork has no workers: there every call but
 * dry_rooms_destroy returns LOCKED, and that does nothing. Errors: ARGUMENT; MEMORY (also if a thread cannot
 * be started, which the log tells). */
DRY_API dry_result dry_rooms_create(const dry_rooms_def *def, dry_rooms **rooms);

/** Waits for the ticks under way and destroys the pool, its rooms and their worlds. No other call may be
 * under way. Does nothing for null; in a room's function it writes that to the log and does nothing. */
DRY_API void dry_rooms_destroy(dry_rooms *rooms);

/** Makes a room of a world, which the pool owns from then on. The world must have one thread
 * (dry_world_def.threads). The first tick is due within one period: rooms of one rate are spread over it.
 * Errors: ARGUMENT (a number out of range, null, a world with more threads or in a room already), FULL (above
 * admit_max, or 2^20 rooms), NUMBERS, MEMORY, LOCKED (also a world that is stepping): then the world is still
 * the caller's. */
DRY_API dry_result dry_rooms_add(dry_rooms *rooms, const dry_room_def *def, dry_world *world,
                                 dry_room_id *id);

/** Destroys a room with its world and the inputs that wait. Waits for a tick of it that is under way; in a
 * room's function it does not wait, and a room whose tick is under way goes when that ends. Errors: ARGUMENT,
 * STALE_ID, LOCKED (it is being taken). */
DRY_API dry_result dry_rooms_remove(dry_rooms *rooms, dry_room_id id);

/** Tells whether an id names a room of this pool; false in a child process of fork. */
DRY_API bool dry_rooms_has(dry_rooms *rooms, dry_room_id id);

/** Puts a copy of `size` bytes into a room's queue, for its next tick. Inputs of one thread keep their order.
 * Errors: ARGUMENT (bytes is null beside a size), STALE_ID, FULL (queue_bytes_max), MEMORY, LOCKED (it is
 * being taken). */
DRY_API dry_result dry_rooms_post(dry_rooms *rooms, dry_room_id id, const void *bytes, size_t size);

/** Takes a room out of the pool between two ticks, as a save of its world (dry_world_save): with the number
 * of its next tick, the inputs that wait, and what its `save` returns. `options` may be null; its program
 * bytes are ignored. Errors: ARGUMENT (null, the sink has failed, or `save` returned null beside a size,
 * or over 2^40 bytes), STALE_ID, MEMORY, LOCKED (it is being taken already; or called in a function of any
 * pool's room): then the room goes on as before. */
DRY_API dry_result dry_rooms_take(dry_rooms *rooms, dry_room_id id, const dry_save_options *options,
                                  const dry_sink *sink);

/** Adds a room that dry_rooms_take has written, in this or another process. Its next tick has the number that
 * it had there and is due at once, also if the world sleeps, and the world has the future that it had there.
 * `world` gives what a load takes (dry_world_load); its threads must be 1. `options` may be null; its
 * read_program is given the bytes of `save`. Bytes may come from anywhere. Errors: those of dry_world_load
 * and dry_rooms_add. */
DRY_API dry_result dry_rooms_add_saved(dry_rooms *rooms, const dry_room_def *def, const void *bytes,
                                       size_t size, const dry_world_def *world,
                                       const dry_load_options *options, dry_room_id *id);

/** Counts and times of a room since it was added; ticks of one that was moved go on from where they were.
 * Quantiles are right to a fifth. */
typedef struct dry_room_statistics {
    float rate;       /**< asked, Hz */
    uint64_t ticks;   /**< that are over: made, slept through or skipped. A budget skips up
                           to a second of them ahead */
    uint64_t steps;   /**< of the world; a sleeping world's are counted without being made */
    uint64_t slept;   /**< of those, the ones that were counted only */
    uint64_t failed;  /**< ticks whose step found no memory */
    uint64_t skipped; /**< ticks that were not begun: all kinds, and those of the next three */
    uint64_t skipped_late, skipped_shed, skipped_budget;
    float step_p50_ms, step_p99_ms, step_max_ms;             /**< of ticks, functions included */
    float lateness_p50_ms, lateness_p99_ms, lateness_max_ms; /**< from when a tick is due to its begin */
    int substeps;                                            /**< most of an island in the last step */
    int substeps_max;                                        /**< the cap in force */
    int workers;                                             /**< that may share its step */
    int awake_bodies;                                        /**< after the last step */
    size_t memory_bytes;                                     /**< of the world, after the last step */
    size_t queued_bytes;                                     /**< of inputs that wait, with 32 for each */
    bool asleep;                                             /**< nothing moves and no input waits */
    dry_room_slow slow;                                      /**< now */
} dry_room_statistics;

/** Reads the statistics of a room. Any thread may call at any time. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_rooms_get_statistics(dry_rooms *rooms, dry_room_id id, dry_room_statistics *out);

/** Counts and times of a pool since it was created. */
typedef struct dry_pool_statistics {
    int workers, rooms, asleep;
    float load;                       /**< what rooms ask of all workers, 1 is all of their time */
    float share[DRY_ROOM_PRIORITIES]; /**< of the ticks of a priority that are made */
    uint64_t ticks;                   /**< made */
    uint64_t stolen;                  /**< of those, on another worker than the room's last */
    uint64_t helped;                  /**< times that an idle worker helped with the step of a heavy room */
    double busy_ms;                   /**< time in ticks, of all workers */
    double processor_ms;              /**< processor time of all workers, between ticks, too */
    double wanted_ms; /**< processor time of the workers, and time in which they waited for a core; without
                         such a count of the system's, `busy_ms` */
    double had_ms;    /**< of that, processor time */
    float lateness_p50_ms, lateness_p99_ms, lateness_max_ms; /**< of all ticks with a rate */
} dry_pool_statistics;

/** Reads the statistics of a pool. Errors: ARGUMENT. */
DRY_API dry_result dry_rooms_get_pool_statistics(dry_rooms *rooms, dry_pool_statistics *out);

#ifdef __cplusplus
}
#endif

#endif
