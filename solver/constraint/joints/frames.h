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
#include "solver/constraint/joints/side_motion.h"
#include "solver/data/joints/triangle.h"

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
dry_joint_frames dry_joint_frames_between(const dry_joint *joint, const dry_precise_motion *a,
                                          const dry_precise_motion *b);

/* Returns how fast a row's coordinate changes as the bodies move: G W. */
static inline double dry_row_speed(const dry_joint_frames *f, const dry_joint_row *row)
{
    return double3_dot(row->linear, f->b.velocity) - double3_dot(row->linear, f->a.velocity) +
           double3_dot(row->angular_b, f->b.spin) - double3_dot(row->angular_a, f->a.spin);
}

/* Returns the second derivative of u . w, from both vectors' derivatives. */
static inline double dry_product_acceleration(const dry_double3 u[3], const dry_double3 w[3])
{
    return double3_dot(u[2], w[0]) + 2.0 * double3_dot(u[1], w[1]) + double3_dot(u[0], w[2]);
}

/* Fills a vector that turns with a frame, and its first two derivatives. */
static inline void dry_turning(dry_double3 v, dry_double3 spin, dry_double3 out[3])
{
    out[0] = v;
    out[1] = double3_cross(spin, out[0]);
    out[2] = double3_cross(spin, out[1]);
}

/* Returns the row that keeps anchor b at 0 along axis `i` of frame a. Both bodies take its impulse at anchor
 * b, so that no angular momentum is made. */
static inline dry_joint_row dry_row_along(const dry_joint_frames *f, int i)
{
    const dry_double3 axis = f->a.axis[i];
    const dry_double3 apart[3] = {f->apart, f->velocity, f->acceleration};
    dry_double3 u[3];
    dry_turning(axis, f->a.spin, u);
    return (dry_joint_row){
        .linear = axis,
        .angular_a = double3_cross(double3_add_scaled(f->a.arm, 1.0, f->apart), axis),
        .angular_b = double3_cross(f->b.arm, axis),
        .error = double3_dot(axis, f->apart),
        .acceleration = dry_product_acceleration(u, apart),
    };
}

/* Returns the row that keeps anchor b at anchor a along axis `i` of the world. */
static inline dry_joint_row dry_row_in_world(const dry_joint_frames *f, int i)
{
    const double apart[3] = {f->apart.x, f->apart.y, f->apart.z};
    const double acceleration[3] = {f->acceleration.x, f->acceleration.y, f->acceleration.z};
    const dry_double3 axis = {i == 0, i == 1, i == 2};
    return (dry_joint_row){
        .linear = axis,
        .angular_a = double3_cross(double3_add_scaled(f->a.arm, 1.0, f->apart), axis),
        .angular_b = double3_cross(f->b.arm, axis),
        .error = apart[i],
        .acceleration = acceleration[i],
    };
}

/* Returns the row that keeps axis `i` of frame a at a right angle to axis `k` of frame b. q grows as b turns
 * about axis k x i. */
static inline dry_joint_row dry_row_between(const dry_joint_frames *f, int i, int k)
{
    dry_double3 u[3], w[3];
    dry_turning(f->a.axis[i], f->a.spin, u);
    dry_turning(f->b.axis[k], f->b.spin, w);
    const dry_double3 about = double3_cross(w[0], u[0]);
    return (dry_joint_row){
        .angular_a = about,
        .angular_b = about,
        .error = double3_dot(u[0], w[0]),
        .acceleration = dry_product_acceleration(u, w),
    };
}

/* Returns the row of a rotation about `axis`. Its coordinate's value and acceleration are the caller's. */
static inline dry_joint_row dry_row_about(dry_double3 axis, double value)
{
    return (dry_joint_row){.angular_a = axis, .angular_b = axis, .error = value};
}

#endif
