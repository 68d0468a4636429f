/* SPDX-License-Identifier: MIT
 * Bodies: creation and destruction, motion, mass, sleep. */
#ifndef DRYSTONE_BODY_H
#define DRYSTONE_BODY_H

#include <drystone/shape.h>
#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dry_body_type {
    DRY_BODY_STATIC = 0, /**< never moves but by dry_body_set_pose */
    DRY_BODY_KINEMATIC,  /**< moves with the velocity it is given; nothing pushes it */
    DRY_BODY_DYNAMIC,    /**< moved by forces, contacts and joints */
    DRY_BODY_TYPE_COUNT
} dry_body_type;

/** Axes of the world that a body may not move along or turn about; or them together. */
enum {
    DRY_LOCK_LINEAR_X = 1,
    DRY_LOCK_LINEAR_Y = 2,
    DRY_LOCK_LINEAR_Z = 4,
    DRY_LOCK_ANGULAR_X = 8,
    DRY_LOCK_ANGULAR_Y = 16,
    DRY_LOCK_ANGULAR_Z = 32,
    DRY_LOCK_ALL = 63
};

/** Mass properties about the centre of mass, in the body's frame. */
typedef struct dry_mass {
    float mass;          /**< kg, > 0 and <= 1e15 */
    dry_vec3 center;     /**< centre of mass, m */
    float inertia[3][3]; /**< symmetric positive definite, kg m^2 */
} dry_mass;

typedef struct dry_body_def {
    dry_body_type type;          /**< static */
    dry_pose pose;               /**< of the body's origin, where its shapes' local poses start */
    dry_velocity velocity;       /**< of the centre of mass; linear |v| <= 1e5, angular |w| <= 1e4 */
    float gravity_scale;         /**< |s| <= 1e6; 1 */
    float linear_damping;        /**< 1/s, >= 0: v falls as 1 / (1 + t c) per step; 0 */
    float angular_damping;       /**< 1/s, >= 0; 0 */
    unsigned locks;              /**< DRY_LOCK_...; 0 */
    bool enabled;                /**< a disabled body neither moves nor touches; true */
    bool awake;                  /**< true */
    bool can_sleep;              /**< true */
    uint64_t user_data;          /**< yours; 0 */
    const dry_shape_def *shapes; /**< shapes to make with it, or null; read during the call */
    int shape_count;             /**< 0 */
    float mass;                  /**< kg; 0: from shapes and their densities, else inertia scales with it */
} dry_body_def;

DRY_API dry_body_def dry_default_body_def(void);

/** Creates `count` bodies at once, all or none. `ids` has room for `count`.
 *  Errors: ARGUMENT (the log names the index and the field), MEMORY, LOCKED. */
DRY_API dry_result dry_world_create_bodies(dry_world *world, int count, const dry_body_def *defs,
                                           dry_body_id *ids);
DRY_API dry_result dry_world_create_body(dry_world *world, const dry_body_def *def, dry_body_id *id);

/** Destroys bodies with their shapes, contacts (with end events) and joints; all or none. What touched
 *  them wakes. Errors: STALE_ID (a duplicate in `ids` counts as stale), LOCKED, MEMORY. */
DRY_API dry_result dry_world_destroy_bodies(dry_world *world, int count, const dry_body_id *ids);
DRY_API dry_result dry_world_destroy_body(dry_world *world, dry_body_id id);

/** Whether the id names a living body of this world. */
DRY_API bool dry_body_is_valid(const dry_world *world, dry_body_id id);

/** The ids of all bodies, in creation order; returns their number and writes at most `capacity`. */
DRY_API int dry_world_get_bodies(const dry_world *world, dry_body_id *ids, int capacity);

/* Reading. Batch forms read `count` bodies into arrays; any output may be null. Error: STALE_ID. */
DRY_API dry_result dry_world_get_motion(const dry_world *world, int count, const dry_body_id *ids,
                                        dry_pose *poses, dry_velocity *velocities, bool *awake);
DRY_API dry_result dry_body_get_pose(const dry_world *world, dry_body_id id, dry_pose *pose);
DRY_API dry_result dry_body_get_velocity(const dry_world *world, dry_body_id id, dry_velocity *velocity);
/** Everything else that a definition sets, as it is now (`shapes` null; `mass` the present mass). */
DRY_API dry_result dry_body_get_def(const dry_world *world, dry_body_id id, dry_body_def *def);
DRY_API dry_result dry_body_get_mass(const dry_world *world, dry_body_id id, dry_mass *mass);
/** World position of the centre of mass. */
DRY_API dry_result dry_body_get_center(const dry_world *world, dry_body_id id, dry_position *center);
DRY_API bool dry_body_is_awake(const dry_world *world, dry_body_id id);
/** Returns the substep tier of the body's island in the last step, 0 to DRY_TIER_COUNT - 1; -1 for a body
 * that was in no island: asleep, woken since, not dynamic, or with a stale id. */
DRY_API int dry_body_tier(const dry_world *world, dry_body_id id);
/** Shapes of a body in creation order; *count is their number, at most `capacity` are written. */
DRY_API dry_result dry_body_get_shapes(const dry_world *world, dry_body_id id, dry_shape_id *shapes,
                                       int capacity, int *count);
DRY_API dry_result dry_body_get_joints(const dry_world *world, dry_body_id id, dry_joint_id *joints,
                                       int capacity, int *count);

/* Writing. Setting a pose or a velocity wakes a dynamic body and what touches it.
 * Errors: STALE_ID, ARGUMENT, LOCKED, MEMORY. */
DRY_API dry_result dry_world_set_motion(dry_world *world, int count, const dry_body_id *ids,
                                        const dry_pose *poses, const dry_velocity *velocities);
DRY_API dry_result dry_body_set_pose(dry_world *world, dry_body_id id, dry_pose pose);
DRY_API dry_result dry_body_set_velocity(dry_world *world, dry_body_id id, dry_velocity velocity);
/** Kinematic bodies: the velocity that brings the body to `target` in `dt` seconds (> 0). */
DRY_API dry_result dry_body_move_to(dry_world *world, dry_body_id id, dry_pose target, float dt);
DRY_API dry_result dry_body_set_type(dry_world *world, dry_body_id id, dry_body_type type);
DRY_API dry_result dry_body_set_gravity_scale(dry_world *world, dry_body_id id, float scale);
DRY_API dry_result dry_body_set_damping(dry_world *world, dry_body_id id, float linear, float angular);
DRY_API dry_result dry_body_set_locks(dry_world *world, dry_body_id id, unsigned locks);
DRY_API dry_result dry_body_set_user_data(dry_world *world, dry_body_id id, uint64_t user_data);
DRY_API dry_result dry_body_set_enabled(dry_world *world, dry_body_id id, bool enabled);
/** Wakes a body with what touches it, or puts its whole island to sleep. */
DRY_API dry_result dry_body_set_awake(dry_world *world, dry_body_id id, bool awake);
DRY_API dry_result dry_body_set_can_sleep(dry_world *world, dry_body_id id, bool can_sleep);
/** Gives mass properties outright; they stay until dry_body_set_mass_from_shapes. Dynamic bodies. */
DRY_API dry_result dry_body_set_mass(dry_world *world, dry_body_id id, const dry_mass *mass);
DRY_API dry_result dry_body_set_mass_from_shapes(dry_world *world, dry_body_id id);

/* Forces act during the next step and are then forgotten; impulses change the velocity at once.
 * Points are in world space, torques about the centre of mass. Dynamic bodies; others ignore them. They
 * wake the body. Errors: STALE_ID, ARGUMENT (not finite or over 1e18), LOCKED; forces and torques also MEMORY
 * (the first that a world is given makes room for all). */
DRY_API dry_result dry_body_apply_force(dry_world *world, dry_body_id id, dry_vec3 force_N);
DRY_API dry_result dry_body_apply_force_at(dry_world *world, dry_body_id id, dry_vec3 force_N,
                                           dry_position point);
DRY_API dry_result dry_body_apply_torque(dry_world *world, dry_body_id id, dry_vec3 torque_Nm);
DRY_API dry_result dry_body_apply_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse_Ns);
DRY_API dry_result dry_body_apply_impulse_at(dry_world *world, dry_body_id id, dry_vec3 impulse_Ns,
                                             dry_position point);
DRY_API dry_result dry_body_apply_angular_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse_Nms);
/** Batch: force and torque for `count` bodies; either array may be null. All or none. */
DRY_API dry_result dry_world_apply_forces(dry_world *world, int count, const dry_body_id *ids,
                                          const dry_vec3 *forces_N, const dry_vec3 *torques_Nm);

#ifdef __cplusplus
}
#endif

#endif
