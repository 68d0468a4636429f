/* Rotation of a body whose moments of inertia differ, in double: rounding a momentum to float and back each
 * step would drift. Small functions without branches, for one body or for lanes of bodies. */
#ifndef CORE_GYROSCOPIC_H
#define CORE_GYROSCOPIC_H

#include "core/compiler.h"
#include "core/double3.h"

#include <stdbool.h>

/* A unit quaternion in double. */
typedef struct dry_rotation {
    double x, y, z, w;
} dry_rotation;

/* Tells whether a body's three moments of inertia are the same; so are their inverses then. */
static inline bool inertia_is_isotropic(dry_vec3 inertia)
{
    return inertia.x == inertia.y && inertia.y == inertia.z;
}

/* Returns moments from inverse moments, or these from those; a motion that nothing changes has 0 for both. */
static inline dry_double3 double3_inverse(dry_double3 v)
{
    return (dry_double3){v.x > 0.0 ? 1.0 / v.x : 0.0, v.y > 0.0 ? 1.0 / v.y : 0.0,
                         v.z > 0.0 ? 1.0 / v.z : 0.0};
}

static inline dry_double3 dry_scale_motion3_double(double share, dry_double3 v)
{
    return (dry_double3){share * v.x, share * v.y, share * v.z};
}

static inline dry_rotation rotation_mul(dry_rotation a, dry_rotation b)
{
    return (dry_rotation){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline dry_rotation rotation_add_scaled(dry_rotation a, double s, dry_rotation b)
{
    return (dry_rotation){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

static inline dry_rotation rotation_normalize(dry_rotation q)
{
    double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (dry_rotation){q.x * s, q.y * s, q.z * s, q.w * s};
}

static inline dry_rotation rotation_from_quat(dry_quat q)
{
    return rotation_normalize((dry_rotation){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
}

/* Return R v and R^T v for the unit quaternion q. */
static inline dry_double3 rotation_apply(dry_rotation q, dry_double3 v)
{
    dry_double3 u = {q.x, q.y, q.z}, t = double3_cross(u, v);
    return double3_add_scaled(double3_add_scaled(v, 2.0 * q.w, t), 2.0, double3_cross(u, t));
}

static inline dry_double3 rotation_apply_inverse(dry_rotation q, dry_double3 v)
{
    return rotation_apply((dry_rotation){-q.x, -q.y, -q.z, q.w}, v);
}

/* Returns R diag(d) R^T v. */
static inline dry_double3 rotation_scale_principal(dry_rotation q, dry_double3 d, dry_double3 v)
{
    return rotation_apply(q, double3_mul(d, rotation_apply_inverse(q, v)));
}

/* Returns q' = q w / 2, with w in the body's frame. */
static inline dry_rotation rotation_rate(dry_rotation q, dry_double3 w)
{
    dry_rotation rate = rotation_mul(q, (dry_rotation){w.x, w.y, w.z, 0.0});
    return (dry_rotation){0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z, 0.5 * rate.w};
}

/* Returns the number of parts in which a rotation by `angle` radians is computed: a tenth of a radian each,
 * but at most 256 parts. */
static inline int gyro_parts(double angle)
{
    return 1 + (int)(angle < 25.5 ? angle * 10.0 : 255.0);
}

/* Returns q after the torque-free motion of the momentum over h: Runge-Kutta of fourth order on q' = q w / 2
 * with w = D^-1 L and L' = L x w, both in the body's frame [CSE169; Waterson 4.4 is its first-order form]. L
 * begins as the momentum in that frame, so that momentum is conserved by construction. Energy stays, and the
 * middle axis flips as it should, while a part rotates by little. */
static inline dry_rotation gyro_move_freely(dry_rotation q, dry_double3 momentum, dry_double3 inverse,
                                            double h)
{
    dry_double3 l = rotation_apply_inverse(q, momentum);
    dry_double3 w1 = double3_mul(inverse, l), l1 = double3_cross(l, w1);
    dry_rotation q1 = rotation_rate(q, w1);
    dry_double3 at2 = double3_add_scaled(l, 0.5 * h, l1);
    dry_double3 w2 = double3_mul(inverse, at2), l2 = double3_cross(at2, w2);
    dry_rotation q2 = rotation_rate(rotation_add_scaled(q, 0.5 * h, q1), w2);
    dry_double3 at3 = double3_add_scaled(l, 0.5 * h, l2);
    dry_double3 w3 = double3_mul(inverse, at3), l3 = double3_cross(at3, w3);
    dry_rotation q3 = rotation_rate(rotation_add_scaled(q, 0.5 * h, q2), w3);
    dry_double3 w4 = double3_mul(inverse, double3_add_scaled(l, h, l3));
    dry_rotation q4 = rotation_rate(rotation_add_scaled(q, h, q3), w4);
    double s = h / 6.0;
    q = rotation_add_scaled(rotation_add_scaled(q, s, q1), s, q4);
    return rotation_normalize(rotation_add_scaled(rotation_add_scaled(q, 2.0 * s, q2), 2.0 * s, q3));
}

/* Gyroscopic motion of a body in one step: the torque-free rotation of the momentum that the step began with,
 * then the rotation that contacts and torques added. The momentum ends as its first value plus their
 * impulses: the row's change in the frame it was whitened in. */
typedef struct dry_gyro {
    dry_rotation q;      /* orientation */
    dry_double3 inverse; /* 1 / (kg m^2), the inverse moments of inertia */
    dry_double3 momentum, momentum_after;
    double energy; /* of the last momentum in the frame it was whitened in, twice, J */
    double h;      /* s, the length of one part */
    int parts;
} dry_gyro;

/* Returns momenta from velocities: `first` when the step began, `last` when it ended. */
static inline dry_gyro gyro_begin(dry_quat orientation, dry_vec3 inverse_inertia, dry_vec3 first,
                                  dry_vec3 last, float dt)
{
    dry_gyro g = {.q = rotation_from_quat(orientation), .inverse = double3_of(inverse_inertia)};
    dry_double3 inertia = double3_inverse(g.inverse);
    dry_double3 w = double3_of(first), w_after = double3_of(last);
    g.momentum = rotation_scale_principal(g.q, inertia, w);
    g.momentum_after = rotation_scale_principal(g.q, inertia, w_after);
    g.energy = double3_dot(w_after, g.momentum_after);
    g.parts = gyro_parts(sqrt(w.x * w.x + w.y * w.y + w.z * w.z) * (double)dt);
    g.h = (double)dt / (double)g.parts;
    return g;
}

/* Returns the orientation after the rotation that contacts and torques added. */
static inline dry_quat gyro_orientation(const dry_gyro *g, dry_quat added)
{
    dry_rotation q = rotation_normalize(rotation_mul(rotation_from_quat(added), g->q));
    return (dry_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

/* Returns the angular velocity of the last momentum at an orientation. */
static inline dry_double3 gyro_velocity(const dry_gyro *g, dry_quat orientation)
{
    return rotation_scale_principal(rotation_from_quat(orientation), g->inverse, g->momentum_after);
}

/* Tells whether an angular velocity of the last momentum has more energy than the rows left. Impulses act on
 * the orientation that the step began with. After the rotation that they added, the same momentum may lie
 * along an axis with less inertia: a plank that is hit twice would begin to spin about its length with up to
 * 85 times the energy. Rounding and Runge-Kutta err by less than the share. */
static inline bool gyro_gains_energy(const dry_gyro *g, dry_double3 w)
{
    return double3_dot(w, g->momentum_after) > (1.0 + 1e-6) * g->energy;
}

/* Returns the orientation after a step's torque-free rotation of the last momentum, from where the step
 * began: the impulses act where they were solved. Keeps both the momentum and the energy of the rows. */
static inline dry_quat gyro_orientation_after(const dry_gyro *g, dry_quat begin, float dt)
{
    dry_rotation q = rotation_from_quat(begin);
    const dry_double3 w = rotation_scale_principal(q, g->inverse, g->momentum_after);
    const int parts = gyro_parts(sqrt(double3_dot(w, w)) * (double)dt);
    for (int i = 0; i < parts; i++)
        q = gyro_move_freely(q, g->momentum_after, g->inverse, (double)dt / (double)parts);
    return (dry_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

/* Returns the angular velocity of the momentum nearest to the last one that has the energy of the rows. In
 * the body's frame it is L / (1 + m / I), axis by axis, with the m that gives the energy. Newton's method on
 * the inverse root of the energy, which is nearly a straight line in m, begins at 0. */
static inline dry_double3 gyro_limited_velocity(const dry_gyro *g, dry_quat orientation)
{
    const dry_rotation q = rotation_from_quat(orientation);
    const dry_double3 last = rotation_apply_inverse(q, g->momentum_after);
    dry_double3 w = double3_mul(g->inverse, last);
    double m = 0.0, energy = double3_dot(w, last);
    for (int i = 0; i < 4 && energy > g->energy; i++) {
        const dry_double3 soft = {1.0 / (1.0 + m * g->inverse.x), 1.0 / (1.0 + m * g->inverse.y),
                                  1.0 / (1.0 + m * g->inverse.z)};
        m += energy * (sqrt(energy / g->energy) - 1.0) / double3_dot(w, double3_mul(soft, w));
        const dry_double3 l = {last.x / (1.0 + m * g->inverse.x), last.y / (1.0 + m * g->inverse.y),
                               last.z / (1.0 + m * g->inverse.z)};
        w = double3_mul(g->inverse, l);
        energy = double3_dot(w, l);
    }
    const double share = energy > g->energy ? sqrt(g->energy / energy) : 1.0;
    return rotation_apply(q, dry_scale_motion3_double(share, w));
}

/* Gives back the energy that a body gained, and returns its angular velocity: at the orientation where it is,
 * or, if it turns fast, at that of gyro_orientation_after. */
DRY_COLD dry_double3 dry_gyro_give_back(const dry_gyro *g, dry_quat begin, bool fast, float dt,
                                        dry_quat *orientation);

#endif
