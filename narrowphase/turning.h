/* A contact whose bodies turn, in the middle of a step. */
#ifndef NARROWPHASE_TURNING_H
#define NARROWPHASE_TURNING_H

#include "narrowphase/manifold.h"
#include "state/bodies.h"
#include "state/shapes.h"

typedef struct dry_turning_contact {
    dry_vec3 normal, later; /* and the way from a's center to b's, m */
    dry_vec3 bend;   /* at which a's plane turns over a, as the other slides over what is bent, rad/s */
    dry_vec3 slide;  /* of a point between two round sides along b's axis, m/s */
    dry_vec3 gained; /* by which that way's velocity has changed, m/s */
    /* A point at r from b's center, when the step begins, is at carry (r + from) + moved, m. */
    dry_quat carry;
    dry_vec3 from, moved;
    float side;   /* whose points, and whose plane: 0 b's and a's, 1 a's and b's, 1/2 both's */
    float ball;   /* radius of a round side that turns anyhow, m; else 0 */
    dry_vec3 rim; /* of a side round about an axis: its tangent across it, times a root of m; else zero */
} dry_turning_contact;

/* When a contact is found. */
typedef struct dry_turning_time {
    float ahead, dt; /* since the step's beginning; of the step, s */
    float landing;   /* rad/s: an impact that changes a body's spin by this ends how it turns */
    bool turns;      /* some body turns by itself */
} dry_turning_time;

/* Finds a contact in the middle of a step, if its bodies go on as they move; n is its normal when the step
 * begins, velocities are those of a and b. False for one that does not turn, and for one that lands: some
 * point approaches so fast that its impact may change a body's spin, and bodies do not turn on as they did.
 */
bool dry_turning_find(const dry_bodies *bodies, const dry_contacts *contacts, const dry_shapes *shapes,
                      int contact, const dry_body_velocity velocity[2], dry_vec3 n,
                      const dry_turning_time *time, dry_turning_contact *found);

#endif
