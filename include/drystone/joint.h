/* SPDX-License-Identifier: MIT
 * Joints between two bodies, or a body and the world: ball [Waterson 5.1], distance [Spook p. 8, Tamis 5.2],
 * hinge [Waterson 5.4], fixed [Waterson 5.2] and more, with stops, motors, springs and friction; teeth of
 * gears and racks; and over four bodies, whose points keep a volume. */
#ifndef DRYSTONE_JOINT_H
#define DRYSTONE_JOINT_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The types of joints, in the frames that anchors and orientations give. The values of a joint's axes are 0
 * where its frames coincide; an axis that a type does not name is locked at 0. */
typedef enum dry_joint_type {
    DRY_JOINT_BALL = 0,   /**< keeps two anchors together: anchor_b - anchor_a = 0; three rows */
    DRY_JOINT_DISTANCE,   /**< keeps two anchors `length` apart: |anchor_b - anchor_a| = length; one row */
    DRY_JOINT_TARGET,     /**< drags anchor b to `target`, as a mouse does; three rows. body_a is null */
    DRY_JOINT_HINGE,      /**< turns about x: axis RX */
    DRY_JOINT_SLIDER,     /**< slides along x of frame a: axis X */
    DRY_JOINT_UNIVERSAL,  /**< turns about y of frame a (axis RY) and z of frame b (axis RZ); x are the shafts
                           */
    DRY_JOINT_FIXED,      /**< keeps the two frames together; six rows. One with a stiffness gives way to b's
                          displacement x from frame a: F = -stiffness x - damping x'. One with an angular
                          stiffness turns: its torque is the gradient of angular_stiffness (RX^2 + RY^2 +
                          RZ^2) / 2, with the angles of a cone-twist joint, and the like of its damping. A
                          soft one's six axes can be read */
    DRY_JOINT_CONE_TWIST, /**< a ball joint with angles: the rotation from frame a to frame b is a rotation
                             about x (axis RX) and then a swing by the vector (0, RY, RZ). RY and RZ have
                             limits of their own, or one limit for both: swing_max */
    DRY_JOINT_WHEEL, /**< suspension along y of frame a (axis Y), steering about y of frame a (axis RY, locked
                          at 0 unless it is set), spin about x of frame b (axis RX) */
    DRY_JOINT_GENERIC, /**< all six axes, each locked, limited or free; angles as those of a cone-twist joint
                        */
    DRY_JOINT_ALIGN,   /**< keeps the x axes of the frames parallel, wherever the anchors are [Waterson 5.7];
                          two   rows. Turns about x: axis RX */
    DRY_JOINT_VOLUME,  /**< keeps the volume of the tetrahedron of four anchors, each on a body of its own:
                          (b - a) . ((c - a) x (d - a)) / 6 = `volume`; one row. Created by
                          dry_world_create_volumes; needs libdrystone_methods, which adds the type */
    DRY_JOINT_FILTER,  /**< keeps its two bodies from touching each other, and does nothing else: it has no
                          rows, anchors, orientations or forces, and neither body wakes the other */
    DRY_JOINT_GEAR, /**< teeth between wheels a and b, which other joints hold at their centers, the anchors.
                       x of frame a is both wheels' axis. No slip where the wheels meet: with p = the angle of
                       each frame's y from the line to the other center, about x of a,
                       teeth_a p_a' + teeth_b p_b' = 0; one row, a force on both bodies where they meet. Teeth
                       mesh where teeth_a p_a + teeth_b p_b is a multiple of 2 pi: beyond half a tooth they
                       skip, so give the ratio in its lowest terms. Wheels of one center have no row */
    DRY_JOINT_RACK, /**< teeth between a pinion, body a, and a rack, body b, which other joints hold. The
                       pinion turns about x of frame a through anchor a, and the rack moves along y of frame
                       b, at right angles to that: radius p' = s', with the angle p of a's y from b's, and the
                       way s of anchor b along it; one row. They mesh where p - s / radius is a multiple of
                       2 pi. A negative radius turns the other way: the rack is on the other side */
    DRY_JOINT_TYPE_COUNT,
    DRY_JOINT_PAIR_COUNT = DRY_JOINT_VOLUME /**< the types below this one, and gear and rack, hold two
                                              bodies by rows */
} dry_joint_type;

/** The axes of a joint: translation of anchor b along the axes of frame a, m; angles of frame b, rad. */
typedef enum dry_axis {
    DRY_AXIS_X = 0,
    DRY_AXIS_Y,
    DRY_AXIS_Z,
    DRY_AXIS_RX,
    DRY_AXIS_RY,
    DRY_AXIS_RZ,
    DRY_AXIS_COUNT
} dry_axis;

typedef enum dry_motor {
    DRY_MOTOR_OFF = 0,
    DRY_MOTOR_VELOCITY, /**< brings the axis to `velocity` */
    DRY_MOTOR_POSITION, /**< brings the axis to `position` */
    DRY_MOTOR_BOTH,     /**< follows a `position`, that of the step's beginning, that moves with `velocity` */
    DRY_MOTOR_COUNT
} dry_motor;

/** The stops, motor, spring and friction along one axis of a joint, in m, N, kg or rad, N m, kg m^2; defaults
 * last. They may all act at once. A frequency is that of the axis's effective mass: the mass that the joint
 * lets move along it. A stop's is that of the two bodies. A motor's is that of all that hangs on them, held
 * rigid as it is when a step begins, so that an arm's inner motor is as stiff as the whole arm beyond it
 * asks: k = (2 pi motor_hertz)^2 I. If joints connect the two bodies in another way, too, it is that of the
 * two. */
typedef struct dry_joint_axis {
    float min, max;   /**< stops, min <= max; -INFINITY and INFINITY: none. Equal: the axis is locked there,
                           and nothing else may act along it. Free axes of a type: none; others: 0, 0 */
    float stop_hertz; /**< a soft stop: its frequency, Hz, 0 to 1e4; 0: hard, or given by k; 0 */
    float stop_damping_ratio; /**< and its damping ratio, 0 to 1e3; 0 */
    float stop_stiffness;   /**< a soft stop: its k, N/m or N m/rad, 0 to 1e15; 0: hard, or given by Hz; 0 */
    float stop_damping;     /**< and its c, N s/m or N m s/rad, 0 to 1e15; 0 */
    float stop_restitution; /**< of a hard stop met at dry_settings.restitution_speed_min or more, m/s or
                                 rad/s: speed after over speed before, 0 to 1; 0 */
    dry_motor motor; /**< OFF; fields of a motor that it does not use wait until it does. Until it has reached
                        its target its island stays awake; one to a position of motor_hertz may rest off it,
                        where it bears a load, once its bodies have been still for dry_settings.sleep_after
                        and for half its period */
    float velocity;  /**< of the motor, m/s or rad/s, within 1e6; 0 */
    float position;  /**< of the motor, m or rad, within 1e6. One beyond `min` or `max` presses on that stop,
                          and the log tells so when it is set; 0 */
    float motor_hertz;         /**< of a motor to a position: its frequency, 0 to 1e4, for which its island
                                    takes as many substeps as follow it and converge, 32 in 1/60 s at most;
                                    0: as stiff as substeps converge on, of which it takes as many as bend
                                    it by 0.0025 rad or m under the weight beyond it, and damped on that; 0 */
    float motor_damping_ratio; /**< and its damping ratio, 0 to 1e3; 1 */
    float force_max;           /**< largest force of the motor, N or N m, 0 to 1e15 or INFINITY; INFINITY */
    float stiffness;           /**< k of a spring, N/m or N m/rad, 0 to 1e15; 0: no spring. A spring that is
                                    known by its frequency, Hz, is a motor: MOTOR_POSITION at `position` with
                                    motor_hertz and motor_damping_ratio. A swing by pi has no direction: from
                                    2.8 rad on springs of RX fade, and those of RY or RZ while the other is
                                    free and has none; at pi they are at rest. So do stops with a
                                    stop_stiffness, and hard ones of RY and RZ. In sweeps only those do
                                    whose axis has no motor and, of RX, no hard stop or friction; its
                                    twist is no longer counted at pi; 0 */
    float damping;             /**< its c, N s/m or N m s/rad, 0 to 1e15; may act without a stiffness; 0 */
    float rest;                /**< where the spring's force is 0, m or rad, within 1e6; 0 */
    float friction;            /**< largest force of dry friction, N or N m, 0 to 1e15; 0 */
} dry_joint_axis;

/** The definition of a joint; defaults last. A field that a type does not use must have its default. */
typedef struct dry_joint_def {
    dry_joint_type type;
    dry_joint_solver solver;     /**< WORLD */
    dry_body_id body_a, body_b;  /**< two different bodies. body_a may be null: the world. A joint without a
                                    dynamic body does nothing */
    dry_vec3 anchor_a, anchor_b; /**< in the bodies' frames, m, each |component| <= 1e6; 0. The world's frame
                                      has its origin at `target` */
    dry_quat orientation_a,
        orientation_b;   /**< of the joint's frame in each body's frame, unit; its origin is
                              the anchor. Ball, distance and target joints use none; identity */
    dry_position target; /**< the origin of the world's frame, world, m, each |component| <= 1e9: a target
                              joint drags anchor b there. Joints of two bodies do not use it; 0 */
    float length;        /**< distance joint: m, 0 to 1e6; 1 */
    float length_min;    /**< distance joint: a strut is not shorter, m, 0 to length_max; 0 */
    float length_max; /**< distance joint: a rope is not longer, m; INFINITY. With one of the two the joint is
                           free between them, but for a spring, whose k is `stiffness`, about `length` */
    float volume; /**< volume joint: m^3, within 1e18; negative if d lies on the other side of a, b, c; 0 */
    float stiffness; /**< ball, distance, target, fixed: spring constant k, N/m, 0 to 1e15; 0: rigid,
                          and so does, in sweeps beside other joints or contacts, more than they converge on.
                          A target joint's 0 is 5 Hz on its body's mass, critically damped. Volume: k, Pa per
                          m^3 that are missing; 0 */
    float damping;   /**< of that spring, N s/m, 0 to 1e15; must be 0 if stiffness is 0. Volume: Pa s/m^3; 0
                      */
    float angular_stiffness; /**< fixed joint: of its angles, N m/rad, 0 to 1e15; 0: they are rigid; 0 */
    float angular_damping;   /**< of that spring, N m s/rad, 0 to 1e15; must be 0 if the stiffness is 0; 0 */
    float friction; /**< rigid ball joint: largest moment of dry friction against the bodies' rotation about
                         each other, in any direction, N m, 0 to 1e15. Solver avbd has none; 0 */
    float teeth_a, teeth_b; /**< gear: teeth of the wheels, whole numbers from 1 to 1e4; teeth_b is negative
                               if wheel b is a ring around wheel a, and teeth_a + teeth_b is not 0; 1, 1 */
    float radius; /**< rack: of the pinion where it meets the rack, m, 1e-6 to 1e6 or the like below 0; 1 */
    float force_max; /**< target joint: largest force, N, 0 to 1e15 or INFINITY; INFINITY */
    float swing_max; /**< cone-twist joint: largest angle between the two x axes, rad, 0 to pi; INFINITY:
                          none */
    float hertz;     /**< a frequency that what is rigid in the joint shall have at least, on the mass of its
                        bodies, Hz, 0 to 1e4: its island takes hertz dt / 0.19 substeps, and 2 pi hertz dt where
                        the joint is solved directly, at most dry_settings.substeps_max. 0: as loads ask; 0 */
    float break_force;                   /**< the joint breaks where its force, on average over a step, is
                                            larger, N; 0: never; 0 */
    float break_torque;                  /**< likewise, N m; 0 */
    float event_force;                   /**< a force that is larger raises an event, N; 0: none; 0 */
    float event_torque;                  /**< likewise, N m; 0 */
    bool collide;                        /**< lets the two bodies touch each other; false */
    uint64_t user_data;                  /**< free for the program; 0 */
    dry_joint_axis axes[DRY_AXIS_COUNT]; /**< of hinge, slider, universal, cone-twist, wheel, generic */
} dry_joint_def;

/** Returns the defaults above for a joint of `type`, with null bodies. */
DRY_API dry_joint_def dry_default_joint_def(dry_joint_type type);

/** Sets anchors and orientations of a definition so that both frames of the joint lie at `point`, with x
 * along `axis`, at the present poses of its bodies: the values of all its axes are then 0. `axis` need not be
 * unit. The ends of a distance joint are `point` and point + axis, and `length` is the way between them;
 * other types without orientations ignore the axis. y of the frames points as far up as it can, along the
 * world's y; for an axis within 45 degrees of that, along the world's z. With a null body_a, `target` becomes
 * `point`. A gear keeps its anchors, which are the wheels' centers, and ignores `point`; its teeth mesh. Of a
 * rack the pinion keeps its anchor, `axis` is the pinion's, `point` is where they meet, and `radius` is set.
 * Errors: STALE_ID, ARGUMENT (null, a point beyond 1e9 m, an axis that is not finite, or is 0 where it
 * counts, a volume or filter joint). */
DRY_API dry_result dry_joint_def_place(const dry_world *world, dry_joint_def *def, dry_position point,
                                       dry_vec3 axis);

/** Returns the default definition of a joint of `type` between two bodies, placed as dry_joint_def_place
 * does: ready to be created. If that fails, creation refuses the definition: its anchor_b is not finite. */
DRY_API dry_joint_def dry_joint_def_between(const dry_world *world, dry_joint_type type, dry_body_id body_a,
                                            dry_body_id body_b, dry_position point, dry_vec3 axis);

/** Returns the same for each type. `body_a` may be null: the world. */
static inline dry_joint_def dry_ball_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                         dry_position point)
{
    const dry_vec3 x = {1, 0, 0};
    return dry_joint_def_between(world, DRY_JOINT_BALL, body_a, body_b, point, x);
}
/** `length` is the distance between the points. */
static inline dry_joint_def dry_distance_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                             dry_position point_a, dry_position point_b)
{
    const dry_vec3 way = {(float)(point_b.x - point_a.x), (float)(point_b.y - point_a.y),
                          (float)(point_b.z - point_a.z)};
    return dry_joint_def_between(world, DRY_JOINT_DISTANCE, body_a, body_b, point_a, way);
}
/** Drags the body by the point that is at `point` now. */
static inline dry_joint_def dry_target_def(const dry_world *world, dry_body_id body, dry_position point)
{
    const dry_body_id null_id = {0};
    const dry_vec3 x = {1, 0, 0};
    return dry_joint_def_between(world, DRY_JOINT_TARGET, null_id, body, point, x);
}
/** Turns about `axis`. */
static inline dry_joint_def dry_hinge_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                          dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_HINGE, body_a, body_b, point, axis);
}
/** Slides along `axis`. */
static inline dry_joint_def dry_slider_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                           dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_SLIDER, body_a, body_b, point, axis);
}
/** Both shafts lie along `axis`. */
static inline dry_joint_def dry_universal_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                              dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_UNIVERSAL, body_a, body_b, point, axis);
}
static inline dry_joint_def dry_fixed_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                          dry_position point)
{
    const dry_vec3 x = {1, 0, 0};
    return dry_joint_def_between(world, DRY_JOINT_FIXED, body_a, body_b, point, x);
}
/** Twists about `axis`. */
static inline dry_joint_def dry_cone_twist_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                               dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_CONE_TWIST, body_a, body_b, point, axis);
}
/** Spins about `axis`, and is sprung along y of its frame. */
static inline dry_joint_def dry_wheel_def(const dry_world *world, dry_body_id chassis, dry_body_id wheel,
                                          dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_WHEEL, chassis, wheel, point, axis);
}
static inline dry_joint_def dry_generic_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                            dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_GENERIC, body_a, body_b, point, axis);
}
/** Keeps parallel what is parallel to `axis` now. */
static inline dry_joint_def dry_align_def(const dry_world *world, dry_body_id body_a, dry_body_id body_b,
                                          dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_ALIGN, body_a, body_b, point, axis);
}
static inline dry_joint_def dry_filter_def(dry_body_id body_a, dry_body_id body_b)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FILTER);
    def.body_a = body_a;
    def.body_b = body_b;
    return def;
}
/** The wheels' centers are the origins of their bodies. */
static inline dry_joint_def dry_gear_def(const dry_world *world, dry_body_id wheel_a, dry_body_id wheel_b,
                                         dry_vec3 axis, float teeth_a, float teeth_b)
{
    const dry_position anywhere = {0, 0, 0};
    dry_joint_def def = dry_joint_def_between(world, DRY_JOINT_GEAR, wheel_a, wheel_b, anywhere, axis);
    def.teeth_a = teeth_a;
    def.teeth_b = teeth_b;
    return def;
}
/** The pinion's center is the origin of its body. */
static inline dry_joint_def dry_rack_def(const dry_world *world, dry_body_id pinion, dry_body_id rack,
                                         dry_position point, dry_vec3 axis)
{
    return dry_joint_def_between(world, DRY_JOINT_RACK, pinion, rack, point, axis);
}

/** Creates a joint and wakes both bodies. Ends the contacts between the two bodies unless def->collide.
 * Errors: STALE_ID (of a body), ARGUMENT (the log names the field), MEMORY, LOCKED. */
DRY_API dry_result dry_world_create_joint(dry_world *world, const dry_joint_def *def, dry_joint_id *id);
/** Creates `count` joints, all or none. `ids` has room for `count` ids. Errors: as for one joint. */
DRY_API dry_result dry_world_create_joints(dry_world *world, int count, const dry_joint_def *defs,
                                           dry_joint_id *ids);

/** The definition of a volume joint. Its four bodies differ. Its force on each
 * point is its pressure times the gradient of the volume: forces and moments add up to 0, and a break_force
 * or event_force bounds the force on body b. It lets its bodies touch: joint.collide is true. Points in one
 * plane or in one place are no error; points in one line have no gradient, and nothing acts on them. A rigid
 * joint that falls on a floor keeps its volume to 2e-3 in the impact and to 4e-5 at rest, with solver xpbd to
 * 3e-6. A spring is linear within a substep: one that moves its points farther than the tetrahedron is large
 * gains energy. Begin near the volume asked for: in solvers pbd and xpbd an error of hundreds of meters may
 * throw bodies into quarantine, as that of any joint. A joint costs 1.4 us a step of 4 substeps, a distance
 * joint 0.8 us. */
typedef struct dry_volume_def {
    dry_joint_def joint; /**< of type DRY_JOINT_VOLUME: bodies and anchors a and b, volume, stiffness */
    dry_body_id body_c, body_d;
    dry_vec3 anchor_c, anchor_d; /**< in the bodies' frames, m, each |component| <= 1e6; 0 */
} dry_volume_def;

/** Creates `count` volume joints, all or none, and wakes their bodies. `ids` has room for `count` ids. All
 * calls that take a joint's id take theirs; dry_joint_set_def keeps bodies and anchors c and d. Errors: as
 * for other joints; ARGUMENT also where the solver is avbd, or a joint asks to be solved directly. */
DRY_API dry_result dry_world_create_volumes(dry_world *world, int count, const dry_volume_def *defs,
                                            dry_joint_id *ids);

/** Reads the definition of a volume joint. Errors: STALE_ID, ARGUMENT (also for joints of other types). */
DRY_API dry_result dry_joint_get_volume_def(const dry_world *world, dry_joint_id id, dry_volume_def *def);

/** Reads the volume that the points of a volume joint span, m^3, and its pressure on average over the last
 * substep of the last step, Pa; above 0 if it pushes the points apart. Errors: STALE_ID, ARGUMENT (also for
 * joints of other types). */
DRY_API dry_result dry_joint_get_volume(const dry_world *world, dry_joint_id id, float *volume_m3,
                                        float *pressure_Pa);

/** Destroys a joint and wakes both bodies. Errors: STALE_ID, LOCKED. */
DRY_API dry_result dry_joint_destroy(dry_world *world, dry_joint_id id);

/** Tells whether the id names a living joint of this world. */
DRY_API bool dry_joint_is_valid(const dry_world *world, dry_joint_id id);

/** Reads a joint's definition as it is now. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_def(const dry_world *world, dry_joint_id id, dry_joint_def *def);

/** Reads dry_joint_def.user_data as it is now. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_user_data(const dry_world *world, dry_joint_id id, uint64_t *user_data);

/** Changes all of a joint but its type and bodies, which must be those it has, and wakes both bodies. The
 * impulses that it carries stay. Errors: STALE_ID, ARGUMENT (the log names the field), MEMORY, LOCKED. */
DRY_API dry_result dry_joint_set_def(dry_world *world, dry_joint_id id, const dry_joint_def *def);
/** Changes `count` joints in this way, all or none. Errors: as for one joint. */
DRY_API dry_result dry_world_set_joint_defs(dry_world *world, int count, const dry_joint_id *ids,
                                            const dry_joint_def *defs);

/** One axis of one joint, for dry_world_set_joint_axes. */
typedef struct dry_joint_axis_change {
    dry_joint_id joint;
    dry_axis axis;
    dry_joint_axis settings;
} dry_joint_axis_change;

/** Changes axes, all or none, and wakes the joints' bodies: a pose's targets for a ragdoll's motors, in one
 * call. Errors: STALE_ID, ARGUMENT (the log names the field), MEMORY, LOCKED. */
DRY_API dry_result dry_world_set_joint_axes(dry_world *world, int count,
                                            const dry_joint_axis_change *changes);

/** Sets the motor of an axis and wakes both bodies. `target` becomes `velocity` with DRY_MOTOR_VELOCITY and
 * `position` with DRY_MOTOR_POSITION; DRY_MOTOR_OFF ignores it. All other fields stay. Errors: STALE_ID,
 * ARGUMENT (DRY_MOTOR_BOTH, whose two targets dry_world_set_joint_axes sets; an axis or a target as there),
 * MEMORY, LOCKED. */
DRY_API dry_result dry_joint_set_motor(dry_world *world, dry_joint_id id, dry_axis axis, dry_motor motor,
                                       float target);

/** Takes a joint out of the world's motion, or puts it back; its bodies wake. A joint that breaks is
 * disabled. Errors: STALE_ID, MEMORY, LOCKED. */
DRY_API dry_result dry_joint_set_enabled(dry_world *world, dry_joint_id id, bool enabled);
/** Does so with `count` joints, all or none. Errors: as for one joint, ARGUMENT. */
DRY_API dry_result dry_world_set_joints_enabled(dry_world *world, int count, const dry_joint_id *ids,
                                                bool enabled);
/** Reads whether a joint is enabled. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_enabled(const dry_world *world, dry_joint_id id, bool *enabled);

/** Reads the impulse (N s, world axes) that the joint gave body b in the last substep of the last step.
 * Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_impulse(const dry_world *world, dry_joint_id id, dry_vec3 *impulse_Ns);

/** Reads the force (N) and the torque (N m, about anchor b), world axes, that the joint gave body b on
 * average over the last step: its impulse in all substeps over dt. Solvers pbd, xpbd and avbd take the last
 * substep for all of them. Bounds of force and torque are compared with these. 0 before the joint's first
 * step. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_reaction(const dry_world *world, dry_joint_id id, dry_vec3 *force_N,
                                          dry_vec3 *torque_Nm);
/** Reads the largest force that the joint gave body b in a substep of the last step, N: in an impact many
 * times that of the step. What locks and what acts along axes count at right angles to each other, each at
 * its largest. Joints that are solved directly tell the step's. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_peak_force(const dry_world *world, dry_joint_id id, float *force_N);

/** The value of an axis, and the forces along it on average over the last substep of the last step. */
typedef struct dry_joint_axis_state {
    float value; /**< m or rad; whole rotations are counted while something acts along the axis, so that
                     the angle of a motor goes on beyond pi; else it is within -pi to pi. Where a swing
                     is near pi, a twist that has stops counts from their middle */
    float speed; /**< its derivative, m/s or rad/s */
    float spring_force, motor_force, friction_force; /**< N or N m; positive ones increase the value */
    float stop_force;                                /**< likewise: positive at `min`, negative at `max` */
} dry_joint_axis_state;

/** Reads an axis. Errors: STALE_ID, ARGUMENT (also for an axis that the joint's type does not have). */
DRY_API dry_result dry_joint_get_axis(const dry_world *world, dry_joint_id id, dry_axis axis,
                                      dry_joint_axis_state *state);

/** Reads how far a joint's rows and stops are from where they should be: the length of the gap, m, and the
 * rotation, rad; rotations about locked axes count as their sines. Springs and motors do not count. The gap
 * of a volume joint is the shortest way of its points, taken together, to the volume they should span: the
 * error over the length of the gradient; at most the edge of a cube as large as the error. Errors: STALE_ID,
 * ARGUMENT. */
DRY_API dry_result dry_joint_get_error(const dry_world *world, dry_joint_id id, float *error_m,
                                       float *error_rad);

#ifdef __cplusplus
}
#endif

#endif
