/* SPDX-License-Identifier: MIT
 * What happened in a step, as arrays; and the contacts as they are. */
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
} dry_moved_event;

/** Two shapes began or ceased to touch. In an end event ids may be stale (a destroyed shape). */
typedef struct dry_contact_event {
    dry_shape_id shape_a, shape_b;
    dry_body_id body_a, body_b;
} dry_contact_event;

/** Two shapes met faster than dry_settings.hit_speed_min. */
typedef struct dry_hit_event {
    dry_shape_id shape_a, shape_b;
    dry_position point;
    dry_vec3 normal; /**< from a to b */
    float speed_m_s; /**< approach speed along the normal */
} dry_hit_event;

/** A body fell asleep or woke. */
typedef struct dry_sleep_event {
    dry_body_id body;
    bool asleep;
} dry_sleep_event;

/** A body whose motion was no longer finite (or left the valid range) was put where it last was sound,
 *  at rest and disabled. dry_body_set_enabled brings it back. */
typedef struct dry_quarantine_event {
    dry_body_id body;
} dry_quarantine_event;

/** Arrays that stay as they are until the next step or the next call that changes the world; a step that ran
 *  out of memory leaves none, and what it found out is told by the next one. Contact ends
 *  of bodies and shapes destroyed between steps, and wake-ups by calls, are in the next step's arrays. */
typedef struct dry_events {
    const dry_moved_event *moved;
    const dry_contact_event *contact_begins, *contact_ends;
    const dry_hit_event *hits;
    const dry_sleep_event *sleeps;
    const dry_quarantine_event *quarantines;
    int moved_count, contact_begin_count, contact_end_count, hit_count, sleep_count, quarantine_count;
} dry_events;

DRY_API dry_events dry_world_events(const dry_world *world);

typedef struct dry_contact_point {
    dry_position position;   /**< midway between the surfaces */
    float separation;        /**< m, negative when overlapping */
    float normal_impulse_Ns; /**< over the last substep */
    uint32_t feature;        /**< stable while the same features touch */
} dry_contact_point;

/** One touching pair. */
typedef struct dry_contact {
    dry_shape_id shape_a, shape_b;
    dry_body_id body_a, body_b;
    dry_vec3 normal;              /**< unit, from a to b */
    dry_vec3 friction_impulse_Ns; /**< on b, over the last substep */
    float torsion_impulse_Nms;    /**< about the normal, on b */
    float substep_s;              /**< the length of that substep: impulse / substep_s is a force */
    int point_count;              /**< 1 to 4 */
    dry_contact_point points[4];
} dry_contact;

/** Touching pairs of a body; *count is their number, at most `capacity` are written. Error: STALE_ID. */
DRY_API dry_result dry_body_get_contacts(const dry_world *world, dry_body_id id, dry_contact *contacts,
                                         int capacity, int *count);
/** All touching pairs, in an order that depends on neither threads nor instruction set. Returns their
 *  number and writes at most `capacity`. */
DRY_API int dry_world_get_contacts(const dry_world *world, dry_contact *contacts, int capacity);

#ifdef __cplusplus
}
#endif

#endif
