/* The frames of a joint in the world, and rows made of them, in double: the rows of all types but points and
 * lines.
 *
 * A row is the derivative of a coordinate q, which the joint may keep at 0:
 *     q' = linear . (v_b - v_a) + angular_b . w_b - angular_a . w_a
 * Locked coordinates are of two forms. One is the position of b's anchor along an axis of frame a. The other
 * is the product of an axis of frame a and one of frame b, which is the sine of the angle by which the two
 * have turned from a right angle. Both are products u . w of vectors that turn with the bodies, so that q''
 * of bodies that move on freely is u'' . w + 2 u' . w' + u . w''. */
#ifndef SOLVER_CONSTRAINT_JOINTS_FRAMES_H
#define SOLVER_CONSTRAINT_JOINTS_FRAMES_H

#include "core/gyroscopic.h"
#include "core/shared.h"
#include "solver/data/joints/triangle.h"
#include "state/joints.h"

/* One side: its frame, and how it turns. */
typedef struct dry_joint_frame {
    dry_double3 axis[3];        /* of the frame, world */
    dry_double3 arm;            /* from the center of mass to the anchor, world, m */
    dry_double3 velocity, spin; /* of the body: of its center, m/s; rad/s */
} dry_joint_frame;

/* Both sides, and the gap between the anchors. */
typedef struct dry_joint_frames {
    dry_joint_frame a, b;
    dry_double3 apart;        /* anchor b - anchor a, m */
    dry_double3 velocity;     /* its derivative, m/s */
    dry_double3 acceleration; /* and that derivative's, of bodies that move on freely, m/s^2 */
} dry_joint_frames;

typedef struct dry_joint_row {
    dry_double3 linear, angular_a, angular_b; /* the signs are those of the equation above */
    double error;                             /* q, m or rad */
    double acceleration;                      /* q'' of bodies that move on freely */
    double faded;       /* of an angle of swing_twist.h: by how much springs of it have faded, 0 to 1 */
    dry_double3 fading; /* the derivative of 1 - faded: the rate is fading . (w_b - w_a) */
} dry_joint_row;

/* Tells whether a row only turns bodies: its error is an angle. */
static inline bool dry_joint_row_turns(const dry_joint_row *row)
{
    return double3_dot(row->linear, row->linear) == 0.0;
}

/* Returns the frames of a joint between two steps. */
dry_joint_frames dry_joint_frames_now(const dry_bodies *bodies, const dry_joint *joint,
                                      const dry_joint_def *def);
/* Returns the frames of a joint between bodies that are and move in this way. */
DRY_SHARED dry_joint_frames dry_joint_frames_between(const dry_joint *joint, const dry_precise_motion *a,
                                                     const dry_precise_motion *b);

/* Fills a vector that turns with a frame, and its first two derivatives. */
static inline void dry_turning(dry_double3 v, dry_double3 spin, dry_double3 out[3])
{
    out[0] = v;
    out[1] = double3_cross(spin, out[0]);
    out[2] = double3_cross(spin, out[1]);
}

typedef struct dry_side_motion {
    dry_position center;
    dry_quat orientation;    /* of the principal frame */
    dry_vec3 velocity, spin; /* of the center, m/s; rad/s */
} dry_side_motion;

/* Returns it in double. */
static inline dry_precise_motion dry_precise_of(dry_side_motion m)
{
    return (dry_precise_motion){m.center, rotation_from_quat(m.orientation), double3_of(m.velocity),
                                double3_of(m.spin)};
}

/* Returns the motion of a body between two steps; slot -1: of the world, whose origin is the target of the
 * joint. */
static inline dry_side_motion dry_side_motion_of(const dry_bodies *bodies, int body, const dry_joint_def *def)
{
    dry_side_motion m = {.orientation = quat_identity()};
    if (body < 0) {
        m.center = def->target;
        return m;
    }
    const int row = dry_bodies_row(bodies, body);
    m.center = bodies->pose[row].position;
    m.orientation = bodies->pose[row].orientation;
    if (row < bodies->awake_count) {
        m.velocity = bodies->velocity[row].linear;
        m.spin = bodies->velocity[row].angular;
    }
    return m;
}

#endif
