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
    DRY_BODY_STATIC = 0, /**< moves only by calls that set the pose */
    DRY_BODY_KINEMATIC,  /**< moves with the velocity that it was given; nothing pushes it */
    DRY_BODY_DYNAMIC,    /**< moved by forces, contacts and joints */
    DRY_BODY_TYPE_COUNT
} dry_body_type;

/** Axes of the world along which a body may not move or about which it may not rotate. Combine them with |.
 */
enum {
    DRY_LOCK_LINEAR_X = 1,
    DRY_LOCK_LINEAR_Y = 2,
    DRY_LOCK_LINEAR_Z = 4,
    DRY_LOCK_ANGULAR_X = 8,
    DRY_LOCK_ANGULAR_Y = 16,
    DRY_LOCK_ANGULAR_Z = 32,
    DRY_LOCK_ALL = 63
};

/** Mass properties in the body's frame. */
typedef struct dry_mass {
    float mass;          /**< kg, above 0 and <= 1e15 */
    dry_vec3 center;     /**< center of mass, m */
    float inertia[3][3]; /**< about the center of mass, kg m^2; symmetric and positive definite */
} dry_mass;

/** A motion by correction, in world axes. */
typedef struct dry_correction {
    dry_vec3 linear;  /**< of the center of mass, m */
    dry_vec3 angular; /**< axis times angle, rad */
} dry_correction;

/** The definition of a body; defaults last. */
typedef struct dry_body_def {
    dry_body_type type;          /**< static */
    dry_pose pose;               /**< of the body's frame, in which its shapes have their poses; identity */
    dry_velocity velocity;       /**< linear length <= 1e5 m/s, angular length <= 1e4 rad/s; 0 */
    float gravity_scale;         /**< factor on the world's gravity, |factor| <= 1e6; 1 */
    float linear_damping;        /**< c, 1/s, >= 0: a step of dt divides the velocity by 1 + c dt; 0 */
    float angular_damping;       /**< likewise for the angular velocity, 1/s, >= 0; 0 */
    unsigned locks;              /**< DRY_LOCK_...; 0 */
    bool enabled;                /**< a body that is not enabled neither moves nor touches; true */
    bool awake;                  /**< starts awake; true */
    bool can_sleep;              /**< may fall asleep with its island; true */
    uint64_t user_data;          /**< free for the program; 0 */
    const dry_shape_def *shapes; /**< created with the body; read during the call only; null */
    int shape_count;             /**< number of `shapes`; 0 */
    float mass;                  /**< kg, 0 to 1e15; 0 takes the mass from shapes and densities, and any other
                                      value scales that mass and its inertia; 0 */
} dry_body_def;

/** Returns the defaults above: a static body without shapes at the origin. */
DRY_API dry_body_def dry_default_body_def(void);

/** Creates `count` bodies with their shapes, all or none. `ids` has room for `count` ids. A new static or
 * kinematic body that overlaps sleeping ones does not wake them; dry_body_set_awake does.
 * Errors: ARGUMENT (the log names the index and the field), MEMORY, LOCKED. */
DRY_API dry_result dry_world_create_bodies(dry_world *world, int count, const dry_body_def *defs,
                                           dry_body_id *ids);
/** Creates one body. Errors: as for many. */
DRY_API dry_result dry_world_create_body(dry_world *world, const dry_body_def *def, dry_body_id *id);

/** Destroys bodies with their shapes, contacts (with end events) and joints, all or none. Wakes the bodies
 * that touched them. Bodies made later take the freed slots, and motion depends on slots: only a world that
 * was emptied wholly moves as a new one would. Errors: STALE_ID (also for an id that is in `ids` twice),
 * ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_world_destroy_bodies(dry_world *world, int count, const dry_body_id *ids);
/** Destroys one body. Errors: as for many. */
DRY_API dry_result dry_body_destroy(dry_world *world, dry_body_id id);
DRY_FORMER_NAME("dry_body_destroy")
static inline dry_result dry_world_destroy_body(dry_world *world, dry_body_id id)
{
    return dry_body_destroy(world, id);
}

/** Tells whether the id names a living body of this world. */
DRY_API bool dry_body_is_valid(const dry_world *world, dry_body_id id);

/** Reads the ids of all bodies, in creation order. Returns their number and writes at most `capacity` of
 * them. */
DRY_API int dry_world_get_bodies(const dry_world *world, dry_body_id *ids, int capacity);

/* Reading. Errors of every call that returns a dry_result: STALE_ID; ARGUMENT for a null output; LOCKED
 * during a step. */

/** Reads poses, velocities and sleep states of `count` bodies. Any of the three arrays may be null. */
DRY_API dry_result dry_world_get_motion(const dry_world *world, int count, const dry_body_id *ids,
                                        dry_pose *poses, dry_velocity *velocities, bool *awake);
/** Reads the pose of the body's frame. */
DRY_API dry_result dry_body_get_pose(const dry_world *world, dry_body_id id, dry_pose *pose);
/** Reads the velocity of the center of mass and the angular velocity, in world axes. */
DRY_API dry_result dry_body_get_velocity(const dry_world *world, dry_body_id id, dry_velocity *velocity);
/** Reads how the last step moved the body to close open joints, without velocity: its displacement less dt
 * times the mean of its velocities before and after, the rotation likewise. That is 0 unless a joint of the
 * body's island was open when the step began (dry_statistics.open_joints), and 0 for a body that sleeps. */
DRY_API dry_result dry_body_get_correction(const dry_world *world, dry_body_id id,
                                           dry_correction *correction);
/** Reads the present definition, with `shapes` null. `mass` is the present mass, or 0 if the body is not
 * dynamic. */
DRY_API dry_result dry_body_get_def(const dry_world *world, dry_body_id id, dry_body_def *def);
/** Reads the type as it is now. */
DRY_API dry_result dry_body_get_type(const dry_world *world, dry_body_id id, dry_body_type *type);
/** Reads dry_body_def.user_data as it is now. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_body_get_user_data(const dry_world *world, dry_body_id id, uint64_t *user_data);
/** Reads the mass properties that the body has as a dynamic one. */
DRY_API dry_result dry_body_get_mass(const dry_world *world, dry_body_id id, dry_mass *mass);
/** Reads the center of mass in the world. */
DRY_API dry_result dry_body_get_center(const dry_world *world, dry_body_id id, dry_position *center);
/** Reads the velocity of the body's material at a point, m/s: v + omega x r [CSE169]. Also ARGUMENT for a
 * point that is not finite or beyond 1e9 m; so for the next two. Components beyond FLT_MAX are FLT_MAX. */
DRY_API dry_result dry_body_get_velocity_at(const dry_world *world, dry_body_id id, dry_position point,
                                            dry_vec3 *velocity);
/** Reads the acceleration of the body's material at a point, m/s^2: a + alpha x r + omega x (omega x r)
 * [CSE169]. For a and alpha of a dynamic body count gravity, damping, the forces and torques that were
 * applied for the next step, and its own rotation, I alpha = torque - omega x I omega, but no contact or
 * joint. Steps turn a body with locked axes without the last term, and so does this. */
DRY_API dry_result dry_body_get_acceleration_at(const dry_world *world, dry_body_id id, dry_position point,
                                                dry_vec3 *acceleration);
/** Reads the inverse mass matrix between two points, 1/kg: an impulse J at `pushed` changes the velocity at
 * `seen` by K J, K = 1/m - [r2]x I^-1 [r1]x [CSE169], less what locked axes take. It is 0 for a body that
 * ignores impulses. With `seen` = `pushed` its inverse is the mass that is felt there. */
DRY_API dry_result dry_body_get_inverse_mass_at(const dry_world *world, dry_body_id id, dry_position pushed,
                                                dry_position seen, float inverse_mass[3][3]);
/** Tells whether the body is awake; false for a stale id. */
DRY_API bool dry_body_is_awake(const dry_world *world, dry_body_id id);
/** Returns the substep tier of the body's island in the last step, 0 to DRY_TIER_COUNT - 1; -1 for a body
 * that was in no island: asleep, woken since, not dynamic, or with a stale id. */
DRY_API int dry_body_tier(const dry_world *world, dry_body_id id);
/** Returns why the body's island had that tier, a dry_tier_reason; -1 where dry_body_tier returns -1. */
DRY_API int dry_body_tier_reason(const dry_world *world, dry_body_id id);
/** Reads the shapes of a body, in creation order. Sets *count to their number and writes at most `capacity`
 * of them. */
DRY_API dry_result dry_body_get_shapes(const dry_world *world, dry_body_id id, dry_shape_id *shapes,
                                       int capacity, int *count);
/** Reads the joints of a body likewise. */
DRY_API dry_result dry_body_get_joints(const dry_world *world, dry_body_id id, dry_joint_id *joints,
                                       int capacity, int *count);

/* Writing. Errors of all calls: STALE_ID, ARGUMENT, MEMORY, LOCKED. */

/** Sets poses and velocities of `count` bodies, all or none; either array may be null. Wakes dynamic bodies,
 * and with a pose the bodies that touch them. A velocity wakes as an impulse does. Static bodies ignore
 * velocities. Positions are at most 1e9 m a component, orientations of unit length, velocities at most 1e5
 * m/s and 1e4 rad/s long. */
DRY_API dry_result dry_world_set_motion(dry_world *world, int count, const dry_body_id *ids,
                                        const dry_pose *poses, const dry_velocity *velocities);
/** Sets the pose of one body, as dry_world_set_motion does. */
DRY_API dry_result dry_body_set_pose(dry_world *world, dry_body_id id, dry_pose pose);
/** Sets the velocity of one body, as dry_world_set_motion does. */
DRY_API dry_result dry_body_set_velocity(dry_world *world, dry_body_id id, dry_velocity velocity);
/** Brings the frame of a kinematic body to `target` within the next step that moves it, whatever that step's
 * length; after it the body stands there, where dry_body_set_pose would put it, with velocity 0. During the
 * step contacts and joints see the velocity of the way. Until then the body has the velocity for a step of
 * `dt` seconds, above 0 and <= 1e6, and wakes what it touches. dry_world_step_only of others leaves the
 * target; setting its pose, velocity or type, or disabling it, drops the target. A step much shorter than
 * `dt` shows at most 1e5 m/s and 1e4 rad/s. ARGUMENT also for a body of another type, and for a velocity
 * above these. */
DRY_API dry_result dry_body_move_to(dry_world *world, dry_body_id id, dry_pose target, float dt);
/** Changes the type. Sets the velocity to 0 and ends the body's contacts (with end events); the next step
 * begins them again. Wakes the bodies that touched it. ARGUMENT if a body with a half-space would not be
 * static. */
DRY_API dry_result dry_body_set_type(dry_world *world, dry_body_id id, dry_body_type type);
/** Sets the factor on gravity, |scale| <= 1e6, and wakes the body. */
DRY_API dry_result dry_body_set_gravity_scale(dry_world *world, dry_body_id id, float scale);
/** Sets both damping coefficients, 1/s, finite and >= 0; does not wake the body. */
DRY_API dry_result dry_body_set_damping(dry_world *world, dry_body_id id, float linear, float angular);
/** Sets the locked axes, DRY_LOCK_... combined with |, and wakes the body. Along them its velocity becomes 0.
 */
DRY_API dry_result dry_body_set_locks(dry_world *world, dry_body_id id, unsigned locks);
/** Sets dry_body_def.user_data; wakes nothing. Errors: STALE_ID, LOCKED. */
DRY_API dry_result dry_body_set_user_data(dry_world *world, dry_body_id id, uint64_t user_data);
/** Enables or disables a body. Disabling ends its contacts (with end events) and wakes the bodies that
 * touched it. Enabling a body in quarantine takes it out. */
DRY_API dry_result dry_body_set_enabled(dry_world *world, dry_body_id id, bool enabled);
/** Wakes the body with all bodies that contacts and joints connect to it, whether it sleeps or not. Or puts
 * its whole island to sleep. */
DRY_API dry_result dry_body_set_awake(dry_world *world, dry_body_id id, bool awake);
/** Allows or forbids the body to fall asleep; forbidding wakes it. */
DRY_API dry_result dry_body_set_can_sleep(dry_world *world, dry_body_id id, bool can_sleep);
/** Sets the mass properties of a dynamic body and wakes it. Changes of its shapes no longer change them,
 * until dry_body_set_mass_from_shapes. */
DRY_API dry_result dry_body_set_mass(dry_world *world, dry_body_id id, const dry_mass *mass);
/** Takes the mass properties from the shapes and their densities again, and wakes the body. */
DRY_API dry_result dry_body_set_mass_from_shapes(dry_world *world, dry_body_id id);

/* Forces and impulses. Forces and torques add up and act throughout the next step only; impulses change the
 * velocity at once, not along locked axes, and to at most 1e6 m/s and rad/s an axis: a body past 1e5 m/s or
 * 1e4 rad/s goes to quarantine in the next step (event.h); a small one may spin up to dry_settings.spin_max.
 * Points and vectors are in world axes; torques and angular impulses are about the center of mass. All wake
 * an enabled dynamic body with those that joints connect to it, and no others until it moves them; other
 * bodies ignore them. Errors: STALE_ID; ARGUMENT (not finite, or a component above 1e18); LOCKED; for forces
 * and torques also MEMORY: the first one in a world reserves room for all bodies. */

DRY_API dry_result dry_body_apply_force(dry_world *world, dry_body_id id, dry_vec3 force_N);
DRY_API dry_result dry_body_apply_force_at(dry_world *world, dry_body_id id, dry_vec3 force_N,
                                           dry_position point);
DRY_API dry_result dry_body_apply_torque(dry_world *world, dry_body_id id, dry_vec3 torque_Nm);
DRY_API dry_result dry_body_apply_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse_Ns);
DRY_API dry_result dry_body_apply_impulse_at(dry_world *world, dry_body_id id, dry_vec3 impulse_Ns,
                                             dry_position point);
DRY_API dry_result dry_body_apply_angular_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse_Nms);
/** Applies forces and torques to `count` bodies, all or none; either array may be null. */
DRY_API dry_result dry_world_apply_forces(dry_world *world, int count, const dry_body_id *ids,
                                          const dry_vec3 *forces_N, const dry_vec3 *torques_Nm);

#ifdef __cplusplus
}
#endif

#endif
