/* SPDX-License-Identifier: MIT
 * Events of the last step, as arrays, and the present contacts. */
#ifndef DRYSTONE_EVENT_H
#define DRYSTONE_EVENT_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A body that the last step moved. */
typedef struct dry_moved_event {
    dry_body_id body;
    dry_pose pose;
    uint64_t user_data;
    dry_velocity velocity; /**< as of dry_body_get_velocity */
} dry_moved_event;

/** Two shapes that began or ceased to touch, if one of them asks for it (dry_shape_def.events). An end event
 * also tells of a shape or body that was destroyed: its id is stale, and its user_data is what it was when
 * the contact ended. */
typedef struct dry_contact_event {
    dry_shape_id shape_a, shape_b;
    dry_body_id body_a, body_b;
    uint64_t shape_user_data_a, shape_user_data_b;
    uint64_t body_user_data_a, body_user_data_b;
} dry_contact_event;

/** Two shapes that met faster than dry_settings.hit_speed_min, if one of them asks for hits
 * (dry_shape_def.events). Shapes that are made of pieces raise one event
 * for each two pieces that met. */
typedef struct dry_hit_event {
    dry_shape_id shape_a, shape_b;
    dry_body_id body_a, body_b;
    uint64_t shape_user_data_a, shape_user_data_b;
    uint64_t body_user_data_a, body_user_data_b;
    int32_t child_a, child_b;        /**< number of the child of a compound; -1: the shape is no compound */
    int32_t triangle_a, triangle_b;  /**< number of the triangle; -1: the shape has none */
    uint64_t material_a, material_b; /**< id of the material that touches; 0: none was given */
    dry_position point;
    dry_vec3 normal; /**< from a to b */
    float speed_m_s; /**< approach speed along the normal, m/s */
} dry_hit_event;

/** A body that fell asleep or woke. */
typedef struct dry_sleep_event {
    dry_body_id body;
    uint64_t user_data;
    bool asleep;
} dry_sleep_event;

/** A body whose motion became infinite, not a number, or out of range. The step put the body back to its last
 * valid pose, with no velocity, and disabled it. dry_body_set_enabled takes it out of quarantine. */
typedef struct dry_quarantine_event {
    dry_body_id body;
    uint64_t user_data;
} dry_quarantine_event;

/** A joint whose force or torque was larger than a bound of its definition. */
typedef struct dry_joint_event {
    dry_joint_id joint;
    uint64_t user_data;
    bool broken;   /**< true: beyond break_force or break_torque, and the joint is disabled now; false: beyond
                        event_force or event_torque alone */
    float force_N; /**< on average over the step */
    float torque_Nm;    /**< likewise, about anchor b */
    float peak_force_N; /**< of the substep in which it was largest: dry_joint_get_peak_force */
} dry_joint_event;

/** Joints that are solved directly and contradict each other: nothing closes all of them, and they settle
 * where the sum of their squared errors is least. The event names the one with the largest error among all
 * that hang together. It comes once, when such joints are first open by over 0.1 mm or 1e-4 rad; again only
 * after they have closed, or that joint was defined anew, or disabled. Joints that are closing raise none. */
typedef struct dry_conflict_event {
    dry_joint_id joint;
    uint64_t user_data;
    float error; /**< the largest of its rows, m or rad */
} dry_conflict_event;

/** The events of the last step. The arrays are valid until the next step or the next call that changes the
 * world: copy what must last. A step that ran out of memory has no events; the next step reports what changed
 * meanwhile. The next step also reports contacts that ended, and bodies that woke, through calls between two
 * steps. */
typedef struct dry_events {
    const dry_moved_event *moved;
    const dry_contact_event *contact_begins, *contact_ends;
    const dry_hit_event *hits;
    const dry_sleep_event *sleeps;
    const dry_quarantine_event *quarantines;
    const dry_joint_event *joints;
    const dry_conflict_event *conflicts;
    int moved_count, contact_begin_count, contact_end_count, hit_count, sleep_count, quarantine_count;
    int joint_count, conflict_count;
} dry_events;

/** Returns the events of the last step; all counts are 0 if `world` is null. */
DRY_API dry_events dry_world_events(const dry_world *world);

/** One point of a contact. */
typedef struct dry_contact_point {
    dry_position position;   /**< midway between the surfaces */
    float separation;        /**< m, negative where the shapes overlap */
    float normal_impulse_Ns; /**< N s, over the last substep */
    uint32_t feature;        /**< names the touching features; stays the same while they touch */
} dry_contact_point;

/** One pair of touching shapes, or of touching pieces of shapes. */
typedef struct dry_contact {
    dry_shape_id shape_a, shape_b;
    dry_body_id body_a, body_b;
    uint64_t shape_user_data_a, shape_user_data_b;
    uint64_t body_user_data_a, body_user_data_b;
    int32_t child_a, child_b;        /**< number of the child of a compound; -1: the shape is no compound */
    int32_t triangle_a, triangle_b;  /**< number of the triangle; -1: the shape has none */
    uint64_t material_a, material_b; /**< id of the material that touches; 0: none was given */
    dry_vec3 normal;                 /**< unit, from a to b */
    dry_vec3 friction_impulse_Ns;    /**< on b, N s, world axes, over the last substep */
    float torsion_impulse_Nms;       /**< on b about the normal, N m s, over the last substep */
    dry_vec3 rolling_impulse_Nms;    /**< on b about the tangents, N m s, world axes, over the last substep */
    float substep_s;                 /**< length of that substep, s; impulse / substep_s is a force */
    int point_count;                 /**< 1 to 4 */
    dry_contact_point points[4];
} dry_contact;

/** Reads the touching pairs of a body. Sets *count to their number and writes at most `capacity` of them.
 * Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_body_get_contacts(const dry_world *world, dry_body_id id, dry_contact *contacts,
                                         int capacity, int *count);

/** Reads all touching pairs, in an order that depends neither on threads nor on the instruction set. Returns
 * their number and writes at most `capacity` of them. */
DRY_API int dry_world_get_contacts(const dry_world *world, dry_contact *contacts, int capacity);

#ifdef __cplusplus
}
#endif

#endif
