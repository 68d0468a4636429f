/* The turning of a body whose moments of inertia differ, in double: rounding a momentum to float and back
 * each step would drift. Small functions without branches, for one body or for lanes of them. */
#ifndef CORE_GYROSCOPIC_H
#define CORE_GYROSCOPIC_H

#include "core/math.h"

typedef struct dry_turn {
    double x, y, z, w;
} dry_turn;

typedef struct dry_double3 {
    double x, y, z;
} dry_double3;

static inline dry_double3 double3_of(dry_vec3 v)
{
    return (dry_double3){(double)v.x, (double)v.y, (double)v.z};
}

static inline dry_double3 double3_mul(dry_double3 a, dry_double3 b)
{
    return (dry_double3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline dry_double3 double3_add_scaled(dry_double3 a, double s, dry_double3 b)
{
    return (dry_double3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline dry_double3 double3_cross(dry_double3 a, dry_double3 b)
{
    return (dry_double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline dry_turn turn_mul(dry_turn a, dry_turn b)
{
    return (dry_turn){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline dry_turn turn_add_scaled(dry_turn a, double s, dry_turn b)
{
    return (dry_turn){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

static inline dry_turn turn_unit(dry_turn q)
{
    double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (dry_turn){q.x * s, q.y * s, q.z * s, q.w * s};
}

static inline dry_turn turn_of(dry_quat q)
{
    return turn_unit((dry_turn){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
}

/* R v and R^T v for the unit quaternion q. */
static inline dry_double3 turn_rotate(dry_turn q, dry_double3 v)
{
    dry_double3 u = {q.x, q.y, q.z}, t = double3_cross(u, v);
    return double3_add_scaled(double3_add_scaled(v, 2.0 * q.w, t), 2.0, double3_cross(u, t));
}

static inline dry_double3 turn_rotate_back(dry_turn q, dry_double3 v)
{
    return turn_rotate((dry_turn){-q.x, -q.y, -q.z, q.w}, v);
}

/* R diag(d) R^T v. */
static inline dry_double3 turn_scale(dry_turn q, dry_double3 d, dry_double3 v)
{
    return turn_rotate(q, double3_mul(d, turn_rotate_back(q, v)));
}

/* q' = q w / 2, w in the body's frame. */
static inline dry_turn turn_rate(dry_turn q, dry_double3 w)
{
    dry_turn rate = turn_mul(q, (dry_turn){w.x, w.y, w.z, 0.0});
    return (dry_turn){0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z, 0.5 * rate.w};
}

/* In how many parts a turn of so many radians is taken: of a tenth each at most, up to a limit. */
static inline int turn_parts(double angle)
{
    return 1 + (int)(angle < 25.5 ? angle * 10.0 : 255.0);
}

/* Turns q by the torque-free motion of the momentum over h: Runge-Kutta of fourth order on q' = q w / 2 with
 * w = D^-1 L and L' = L x w, both in the body's frame [CSE169; Waterson 4.4 is its first-order form]. L
 * begins as what the momentum is there, so that momentum is conserved by construction; energy stays, and the
 * middle axis flips as it should, while a part turns by little. */
static inline dry_turn turn_freely(dry_turn q, dry_double3 momentum, dry_double3 inverse, double h)
{
    dry_double3 l = turn_rotate_back(q, momentum);
    dry_double3 w1 = double3_mul(inverse, l), l1 = double3_cross(l, w1);
    dry_turn q1 = turn_rate(q, w1);
    dry_double3 at2 = double3_add_scaled(l, 0.5 * h, l1);
    dry_double3 w2 = double3_mul(inverse, at2), l2 = double3_cross(at2, w2);
    dry_turn q2 = turn_rate(turn_add_scaled(q, 0.5 * h, q1), w2);
    dry_double3 at3 = double3_add_scaled(l, 0.5 * h, l2);
    dry_double3 w3 = double3_mul(inverse, at3), l3 = double3_cross(at3, w3);
    dry_turn q3 = turn_rate(turn_add_scaled(q, 0.5 * h, q2), w3);
    dry_double3 w4 = double3_mul(inverse, double3_add_scaled(l, h, l3));
    dry_turn q4 = turn_rate(turn_add_scaled(q, h, q3), w4);
    double s = h / 6.0;
    q = turn_add_scaled(turn_add_scaled(q, s, q1), s, q4);
    return turn_unit(turn_add_scaled(turn_add_scaled(q, 2.0 * s, q2), 2.0 * s, q3));
}

/* Gyroscopic motion of a body in one step: the torque-free turn of the momentum that the step began with,
 * then what contacts and torques turned it by besides. The momentum ends as what it was plus what they gave:
 * the row's change in the frame it was whitened in. First part: from velocities to momenta. */
typedef struct dry_gyro {
    dry_turn q;          /* orientation */
    dry_double3 inverse; /* of the moments of inertia */
    dry_double3 momentum, momentum_after;
    double h; /* of one part */
    int parts;
} dry_gyro;

static inline dry_gyro gyro_begin(dry_quat orientation, dry_vec3 inverse_inertia, dry_vec3 first,
                                  dry_vec3 last, float dt)
{
    dry_gyro g = {.q = turn_of(orientation), .inverse = double3_of(inverse_inertia)};
    dry_double3 inertia = {g.inverse.x > 0.0 ? 1.0 / g.inverse.x : 0.0,
                           g.inverse.y > 0.0 ? 1.0 / g.inverse.y : 0.0,
                           g.inverse.z > 0.0 ? 1.0 / g.inverse.z : 0.0};
    dry_double3 w = double3_of(first);
    g.momentum = turn_scale(g.q, inertia, w);
    g.momentum_after = turn_scale(g.q, inertia, double3_of(last));
    g.parts = turn_parts(sqrt(w.x * w.x + w.y * w.y + w.z * w.z) * (double)dt);
    g.h = (double)dt / (double)g.parts;
    return g;
}

/* Last part: `besides`, a rotation, and back to floats. */
static inline dry_quat gyro_turn(const dry_gyro *g, dry_quat besides)
{
    dry_turn q = turn_unit(turn_mul(turn_of(besides), g->q));
    return (dry_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

static inline dry_vec3 gyro_velocity(const dry_gyro *g, dry_quat orientation)
{
    dry_double3 w = turn_scale(turn_of(orientation), g->inverse, g->momentum_after);
    return vec3((float)w.x, (float)w.y, (float)w.z);
}

#endif
