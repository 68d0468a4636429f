/* SPDX-License-Identifier: MIT
 * The value types that every other header shares: vectors, ids, results, hooks.
 *
 * Conventions: SI units, y up by default (gravity is a setting), right-handed, quaternions xyzw.
 * World positions are doubles; everything relative is float. */
#ifndef DRYSTONE_TYPES_H
#define DRYSTONE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define DRY_API __declspec(dllexport)
#elif defined(__GNUC__)
#define DRY_API __attribute__((visibility("default")))
#else
#define DRY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call that can fail returns. Anything but DRY_OK means that nothing was changed. */
typedef enum dry_result {
    DRY_OK = 0,
    DRY_ERROR_ARGUMENT,    /**< an argument is out of its range, not finite, or a null pointer */
    DRY_ERROR_STALE_ID,    /**< the id names nothing in this world: destroyed, null, or another world's */
    DRY_ERROR_MEMORY,      /**< the allocator returned null */
    DRY_ERROR_LOCKED,      /**< the world is inside dry_world_step (a callback called back) */
    DRY_ERROR_UNSUPPORTED, /**< this build or this processor has no such instruction set */
} dry_result;

/** A short English name of a result, never null. */
DRY_API const char *dry_result_name(dry_result result);

/** The library's version as "major.minor.patch". */
DRY_API const char *dry_version(void);

typedef struct dry_vec3 {
    float x, y, z;
} dry_vec3;

/** A rotation; xyzw, w the real part. Valid if its length is within 1e-3 of 1. */
typedef struct dry_quat {
    float x, y, z, w;
} dry_quat;

/** A world position, metres. Valid range: each |component| <= 1e9. */
typedef struct dry_position {
    double x, y, z;
} dry_position;

/** Where a body is in the world. */
typedef struct dry_pose {
    dry_position position;
    dry_quat orientation;
} dry_pose;

/** A pose relative to a body, metres. */
typedef struct dry_transform {
    dry_vec3 position;
    dry_quat orientation;
} dry_transform;

/** Linear (m/s) and angular (rad/s) velocity in world axes, of a body's centre of mass. */
typedef struct dry_velocity {
    dry_vec3 linear;
    dry_vec3 angular;
} dry_velocity;

/* Ids are 64 bits: index, generation and the world's tag. All zero is the null id. An id stays valid
 * until its thing is destroyed; afterwards every call answers DRY_ERROR_STALE_ID. */
typedef struct dry_body_id {
    uint64_t bits;
} dry_body_id;
typedef struct dry_shape_id {
    uint64_t bits;
} dry_shape_id;
typedef struct dry_joint_id {
    uint64_t bits;
} dry_joint_id;

/** An opaque simulation world. Worlds share nothing: any number may be stepped from any threads. */
typedef struct dry_world dry_world;

/** Where a world gets its memory. Both functions or neither; called from the thread that calls into
 *  the world (never from workers). `allocate` returns memory aligned to `alignment` (a power of two,
 *  at most 4096) or null; `release` gets the same byte count back. */
typedef struct dry_allocator {
    void *(*allocate)(size_t bytes, size_t alignment, void *user);
    void (*release)(void *memory, size_t bytes, void *user);
    void *user;
} dry_allocator;

/** Called with one line of English (no newline) whenever a call fails or a body is quarantined. */
typedef struct dry_log {
    void (*write)(const char *line, void *user);
    void *user;
} dry_log;

/** A server's own threads. In a step that is worth sharing (some hundreds of awake bodies and contacts)
 * dry_world_step calls `start` once for each worker beyond the calling thread, and `finish` once for each
 * `start` with what that returned, at the end of the step. `start` asks for `run(argument)` to be called once
 * on any thread, at any time before `finish` returns, and to have returned by then; the step makes progress
 * even if none of them ever runs before `finish`. */
typedef struct dry_tasks {
    void *(*start)(void (*run)(void *argument), void *argument, void *user);
    void (*finish)(void *handle, void *user);
    void *user;
} dry_tasks;

#ifdef __cplusplus
}
#endif

#endif
