/* SPDX-License-Identifier: MIT
 * Declares the value types that every other header shares: vectors, ids, results, hooks.
 *
 * Conventions: SI units; right-handed axes; y up by default (gravity is a setting); quaternions are x, y, z,
 * w. World positions are doubles, and all relative values are floats. */
#ifndef DRYSTONE_TYPES_H
#define DRYSTONE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(DRY_STATIC) /* for programs that link the static library */
#define DRY_API
#elif defined(_WIN32) && defined(DRY_BUILDING)
#define DRY_API __declspec(dllexport)
#elif defined(_WIN32)
#define DRY_API __declspec(dllimport)
#elif defined(__GNUC__)
#define DRY_API __attribute__((visibility("default")))
#else
#define DRY_API
#endif

/* Marks a former name of a call. It goes with the next version. */
#if defined(__GNUC__)
#define DRY_FORMER_NAME(now) __attribute__((deprecated("use " now)))
#elif defined(_MSC_VER)
#define DRY_FORMER_NAME(now) __declspec(deprecated("use " now))
#else
#define DRY_FORMER_NAME(now)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call that can fail. A call that returns anything but DRY_OK has changed nothing;
 * dry_world_step says what a step that ran out of memory may keep. */
typedef enum dry_result {
    DRY_OK = 0,
    DRY_ERROR_ARGUMENT,    /**< an argument is out of its range, not finite, or a null pointer */
    DRY_ERROR_STALE_ID,    /**< the id names nothing in this world: destroyed, null, or another world's id */
    DRY_ERROR_MEMORY,      /**< the allocator returned null */
    DRY_ERROR_LOCKED,      /**< refused inside a function that the world calls; or it is the pool's alone */
    DRY_ERROR_UNSUPPORTED, /**< this library or processor lacks it: an instruction set, a team, a format */
    DRY_ERROR_NUMBERS,     /**< the process has given out all numbers of its range (dry_set_number_range) */
    DRY_ERROR_FULL,        /**< a bound that the caller has set is reached: a room's queue, a pool's load */
} dry_result;

/** Returns a short English name of a result, never null. */
DRY_API const char *dry_result_name(dry_result result);

/** Returns why the last call that failed on the calling thread did so: the line of English that its log was
 * given, or would have been. It names the call and what was wrong. Empty if no call has failed. The text is
 * valid until the next call that fails on this thread, and is no part of any world. */
DRY_API const char *dry_last_error(void);

/** Returns the library's version as "major.minor.patch". */
DRY_API const char *dry_version(void);

/** Three coordinates. The name of the variable or its comment gives the unit and the frame. */
typedef struct dry_vec3 {
    float x, y, z;
} dry_vec3;

/** A rotation as a quaternion; w is the real part. Valid if the length is within 1e-3 of 1. */
typedef struct dry_quat {
    float x, y, z, w;
} dry_quat;

/** A position in the world, m. Valid range: each |component| <= 1e9 m. */
typedef struct dry_position {
    double x, y, z;
} dry_position;

/** The position and the orientation of a frame in the world. */
typedef struct dry_pose {
    dry_position position;
    dry_quat orientation;
} dry_pose;

/** A pose relative to a body's frame; the position in m. */
typedef struct dry_transform {
    dry_vec3 position;
    dry_quat orientation;
} dry_transform;

/** The velocity of a body in world axes: of its center of mass (m/s) and about it (rad/s). */
typedef struct dry_velocity {
    dry_vec3 linear;
    dry_vec3 angular;
} dry_velocity;

/* An id has 64 bits: the slot of its object, and a number and a use that no other object in the slot has, in
 * this world or another (drystone/numbers.h). The null id is all zero. An id stays valid until its object is
 * destroyed; afterwards, and in other worlds, every call returns DRY_ERROR_STALE_ID: ids never repeat. The
 * exceptions are made on purpose: worlds with the same tag, and worlds loaded from a save, beside or after
 * the saved one. */
typedef struct dry_body_id {
    uint64_t bits;
} dry_body_id;
typedef struct dry_shape_id {
    uint64_t bits;
} dry_shape_id;
typedef struct dry_joint_id {
    uint64_t bits;
} dry_joint_id;

/** An opaque simulation world. Worlds share OpenMP's threads (DRY_TEAM_OPENMP), the counter of numbers
 * (drystone/numbers.h) and shape data: any number of worlds may step at once, on any threads. A call that
 * steps, saves, loads, replays or goes back needs at most 128 KiB of stack, besides what its own hooks and
 * functions take. */
typedef struct dry_world dry_world;

/* Threads. One thread at a time may change a world: create, set, destroy, step, load, restore, go back, trim.
 * No other thread may use the world meanwhile. The program sees to that, since the library takes no lock.
 * Between such calls any number of threads may read the world, by calls that take a const world. Exceptions:
 * one thread at a time calls dry_world_save or dry_world_save_delta, beside readers; a batch of queries,
 * which takes the world without const, has the world alone. LOCKED is no lock: it refuses a call inside a
 * function that the world has called, or while a pool has the world. */

/** The functions through which a world takes and returns memory; both or neither. The world calls them on the
 * thread that calls into the world, never on a helper of that thread. The worker of a pool that steps a room
 * is such a calling thread. Worlds that share an allocator call it from several threads at once. `allocate`
 * returns memory aligned to `alignment` bytes (a power of two, at most 4096), or null. `release` receives the
 * byte count that `allocate` received. */
typedef struct dry_allocator {
    void *(*allocate)(size_t bytes, size_t alignment, void *user);
    void (*release)(void *memory, size_t bytes, void *user);
    void *user;
} dry_allocator;

/** Receives one line of English, without a newline, whenever a call fails, a body enters quarantine, or a
 * motor comes to aim at a position beyond its own stop. The line is valid until `write` returns. `write` runs
 * on the thread that calls into the world: on several at once where several read one world, or where worlds
 * share a log. It must not call into the world. */
typedef struct dry_log {
    void (*write)(const char *line, void *user);
    void *user;
} dry_log;

/** A place for bytes. `write` takes `size` bytes over, in order, and returns false if it cannot. It is called
 * with some kilobytes at a time, on the thread that called into the world, and must not call into the world:
 * it is LOCKED. */
typedef struct dry_sink {
    bool (*write)(void *user, const void *bytes, size_t size);
    void *user;
} dry_sink;

/** Lends a server's own threads to a world, instead of those of dry_world_def.team. A step with some
 * hundreds of awake bodies and contacts calls `start` once for each worker beyond the calling thread. The end
 * of the step calls `finish` once for each `start`, with the handle that `start` returned. `start` schedules
 * one call of `run(argument)` on any thread. That call must have returned when `finish` returns. The step
 * makes progress even if no scheduled call runs before `finish`. `run` needs at most 64 KiB of stack. */
typedef struct dry_tasks {
    void *(*start)(void (*run)(void *argument), void *argument, void *user);
    void (*finish)(void *handle, void *user);
    void *user;
} dry_tasks;

/** How the locked rows and the springs of joints are solved. Stops, motors, friction and target joints are
 * iterated. */
typedef enum dry_joint_solver {
    DRY_JOINT_SOLVER_WORLD = 0, /**< of a joint: as dry_settings.joint_solver says */
    DRY_JOINT_SOLVER_ITERATIVE, /**< in sweeps, as contacts are */
    DRY_JOINT_SOLVER_DIRECT,    /**< all at once, by factoring the matrix of all joints that hang together
                                     [Tomcin 3-4]: they neither stretch nor drift at any ratio of masses */
    DRY_JOINT_SOLVER_AUTO, /**< directly where joints hang together in a loop of at most 64 joints or one with
                                a motor, or where their load is more than sweeps bear in 32 substeps; else in
                                sweeps */
    DRY_JOINT_SOLVER_COUNT
} dry_joint_solver;

#ifdef __cplusplus
}
#endif

#endif
