/* Lists the kinds of calls and declares the function of each.
 *
 * A function draws the arguments of its call (draw.h), makes the call in the turn's world, notes in the turn
 * what the call changed and what it wrote, and returns its result. A new kind costs a function, in
 * body_calls.c or one of the files beside it, and a line at the end of FUZZ_CALLS, for which the first
 * repetition goes. */
#ifndef TESTS_FUZZ_CALLS_H
#define TESTS_FUZZ_CALLS_H

#include "tests/fuzz/turn.h"

/* A kind's place in the list is its number in inputs: after a change of the order the corpus means nothing.
 * The first kind is what is read behind an input's end. */
#define FUZZ_CALLS(X)                                                                                        \
    X(call_step)                                                                                             \
    X(call_create_bodies)                                                                                    \
    X(call_create_body)                                                                                      \
    X(call_create_crowd)                                                                                     \
    X(call_destroy_bodies)                                                                                   \
    X(call_destroy_body)                                                                                     \
    X(call_set_motion)                                                                                       \
    X(call_set_pose)                                                                                         \
    X(call_set_velocity)                                                                                     \
    X(call_move_to)                                                                                          \
    X(call_set_type)                                                                                         \
    X(call_set_gravity_scale)                                                                                \
    X(call_set_damping)                                                                                      \
    X(call_set_locks)                                                                                        \
    X(call_set_user_data)                                                                                    \
    X(call_set_enabled)                                                                                      \
    X(call_mend)                                                                                             \
    X(call_set_awake)                                                                                        \
    X(call_set_can_sleep)                                                                                    \
    X(call_set_mass)                                                                                         \
    X(call_set_mass_from_shapes)                                                                             \
    X(call_apply_force)                                                                                      \
    X(call_apply_force_at)                                                                                   \
    X(call_apply_torque)                                                                                     \
    X(call_apply_impulse)                                                                                    \
    X(call_apply_impulse_at)                                                                                 \
    X(call_apply_angular_impulse)                                                                            \
    X(call_apply_forces)                                                                                     \
    X(call_break_body)                                                                                       \
    X(call_create_shape)                                                                                     \
    X(call_shape_destroy)                                                                                    \
    X(call_shape_set_friction)                                                                               \
    X(call_shape_set_restitution)                                                                            \
    X(call_shape_set_rolling_resistance)                                                                     \
    X(call_shape_set_filter)                                                                                 \
    X(call_shape_set_user_data)                                                                              \
    X(call_create_joint)                                                                                     \
    X(call_create_joints)                                                                                    \
    X(call_joint_destroy)                                                                                    \
    X(call_set_settings)                                                                                     \
    X(call_get_motion)                                                                                       \
    X(call_get_body)                                                                                         \
    X(call_get_contacts)                                                                                     \
    X(call_get_all_contacts)                                                                                 \
    X(call_get_joint)                                                                                        \
    X(call_get_shape)                                                                                        \
    X(call_get_energy)                                                                                       \
    X(call_cast_ray)                                                                                         \
    X(call_cast_rays)                                                                                        \
    X(call_overlap_one)                                                                                      \
    X(call_overlap_two)                                                                                      \
    X(call_joint_set_def)                                                                                    \
    X(call_joint_set_axes)                                                                                   \
    X(call_joint_set_enabled)                                                                                \
    X(call_shape_set_static_friction)                                                                        \
    X(call_shape_set_contact_spring)                                                                         \
    X(call_create_volumes)                                                                                   \
    X(call_shape_set_heights)                                                                                \
    X(call_shape_set_materials)                                                                              \
    X(call_joint_set_motor)

/* More numbers for the kinds that an input needs often. */
#define FUZZ_REPETITIONS(X)                                                                                  \
    X(call_create_body)                                                                                      \
    X(call_create_joint)                                                                                     \
    X(call_create_bodies)                                                                                    \
    X(call_create_joints)

#define FUZZ_DECLARE_CALL(name) dry_result name(fuzz_turn *t);
FUZZ_CALLS(FUZZ_DECLARE_CALL)

/* Asks about a convex shape at a pose or about a point; call_overlap_two does it now and then. */
dry_result ask_about_shape(fuzz_turn *t);

#endif
