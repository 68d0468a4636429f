/* A rotating body, and the middle of its free rotation over a step of length h. The documents' first-order
 * integrators are in methods/integrators.c; core/gyroscopic.h has the method of fourth order. */
#ifndef CORE_INTEGRATE_H
#define CORE_INTEGRATE_H

#include "core/gyroscopic.h"
#include "core/rotation.h"

#include <stdbool.h>

/* A rotating body: its orientation, and its moments of inertia and their inverses, kg m^2. */
typedef struct dry_rotor {
    dry_rotation q;
    dry_double3 inertia, inverse;
} dry_rotor;

/* A 3x3 matrix by rows. */
typedef struct dry_double33 {
    dry_double3 row[3];
} dry_double33;

/* Solves a x = b by Cramer's rule. Returns false where the matrix has no inverse beside `scale`, the product
 * of three numbers of the size of its entries. */
static inline bool double33_solve(const dry_double33 *a, dry_double3 b, double scale, dry_double3 *x)
{
    const dry_double3 yz = double3_cross(a->row[1], a->row[2]), zx = double3_cross(a->row[2], a->row[0]),
                      xy = double3_cross(a->row[0], a->row[1]);
    const double determinant = double3_dot(a->row[0], yz);
    const double s = 1.0 / determinant;
    *x = (dry_double3){s * (b.x * yz.x + b.y * zx.x + b.z * xy.x), s * (b.x * yz.y + b.y * zx.y + b.z * xy.y),
                       s * (b.x * yz.z + b.y * zx.z + b.z * xy.z)};
    return fabs(determinant) > 1e-12 * scale;
}

/* Returns D + h (s D [w]x + t [w]x D - [D w]x) in the body's frame, with D the moments of inertia. */
static inline dry_double33 rotor_matrix(const dry_rotor *r, dry_double3 w, double h, double s, double t)
{
    const dry_double3 d = r->inertia, l = double3_mul(d, w);
    /* [w]x has rows (0, -z, y), (z, 0, -x), (-y, x, 0); D scales its rows, or its columns. */
    return (dry_double33){{
        {d.x, h * (l.z - (s * d.x + t * d.y) * w.z), h * ((s * d.x + t * d.z) * w.y - l.y)},
        {h * ((s * d.y + t * d.x) * w.z - l.z), d.y, h * (l.x - (s * d.y + t * d.z) * w.x)},
        {h * (l.y - (s * d.z + t * d.x) * w.y), h * ((s * d.z + t * d.y) * w.x - l.x), d.z},
    }};
}

static inline double rotor_scale(const dry_rotor *r)
{
    return r->inertia.x * r->inertia.y * r->inertia.z;
}

/* Newton's steps to the middle of a free rotation, and the share of it by which the last one may change it.
 */
enum { ROTOR_HALF_TURN_STEPS = 8 };
#define ROTOR_HALF_TURN_ERROR 1e-9
/* Up to this half turn, rad, the first step is enough: it leaves out a share of t^2 / 2. */
#define ROTOR_SMALL_HALF_TURN 1e-3

/* Returns by how much D t - h exp(-t) m changes with the vector t of a rotation, where exp(-t) m is l: D - h
 * [l]x (1 - [t]x / 2 + [t]x^2 / 6), with the series cut off. */
static DRY_ALWAYS_INLINE dry_double33 rotor_half_turn_matrix(const dry_rotor *r, dry_double3 l, dry_double3 t,
                                                             double h)
{
    /* [l]x [t]x = t l^T - l.t, and [l]x [t]x^2 = t (l x t)^T - l.t [t]x. */
    const double along = double3_dot(l, t), half = 0.5 * h;
    const dry_double3 sixth = double3_cross(l, t);
    const dry_double3 c = {half * l.x - h / 6.0 * sixth.x, half * l.y - h / 6.0 * sixth.y,
                           half * l.z - h / 6.0 * sixth.z};
    const double own = half * along, turn = h / 6.0 * along;
    const dry_double3 x = {-h * l.x + turn * t.x, -h * l.y + turn * t.y, -h * l.z + turn * t.z};
    return (dry_double33){{
        {r->inertia.x - own + t.x * c.x, t.x * c.y - x.z, t.x * c.z + x.y},
        {t.y * c.x + x.z, r->inertia.y - own + t.y * c.y, t.y * c.z - x.x},
        {t.z * c.x - x.y, t.z * c.y + x.x, r->inertia.z - own + t.z * c.z},
    }};
}

/* Takes the first of Newton's steps to the vector t of half the rotation of a body. False if it fails. */
static DRY_ALWAYS_INLINE bool rotor_half_turn_begin(const dry_rotor *r, dry_double3 l, double h,
                                                    dry_double3 *t)
{
    const double half = 0.5 * h;
    const dry_double3 none = {0.0, 0.0, 0.0};
    const dry_double33 derivative = rotor_half_turn_matrix(r, l, none, half);
    return double33_solve(&derivative, double3_add_scaled(none, half, l), rotor_scale(r), t);
}

/* Takes another one, which changes t by -change; `turned` is the rotation by t. */
static DRY_ALWAYS_INLINE bool rotor_half_turn_step(const dry_rotor *r, dry_double3 l, dry_rotation turned,
                                                   double h, dry_double3 *t, dry_double3 *change)
{
    const double half = 0.5 * h;
    const dry_double3 m = rotation_apply_inverse(turned, l);
    const dry_double33 derivative = rotor_half_turn_matrix(r, m, *t, half);
    const bool solved = double33_solve(&derivative, double3_add_scaled(double3_mul(r->inertia, *t), -half, m),
                                       rotor_scale(r), change);
    *t = double3_add_scaled(*t, -1.0, *change);
    return solved;
}

/* Tells whether the first step is enough. */
static inline bool rotor_half_turn_is_small(dry_double3 t)
{
    return double3_dot(t, t) <= ROTOR_SMALL_HALF_TURN * ROTOR_SMALL_HALF_TURN;
}

/* Tells whether another one is. */
static inline bool rotor_half_turn_ends(dry_double3 t, dry_double3 change)
{
    return double3_dot(change, change) <= ROTOR_HALF_TURN_ERROR * ROTOR_HALF_TURN_ERROR * double3_dot(t, t);
}

/* Returns the vector t of half the rotation of a body on which nothing acts for h seconds, in the body's
 * frame, from its angular momentum l there: t = h / 2 D^-1 exp(-t) l, so that both halves turn by the
 * velocity of the middle. A step by 2 t keeps the momentum, and is the same backward in time. It keeps the
 * energy of a body with two equal moments, and that of others stays within bounds. Returns h / 2 D^-1 l where
 * Newton's method fails. */
static inline dry_double3 rotor_half_turn(const dry_rotor *r, dry_double3 l, double h)
{
    const dry_double3 none = {0.0, 0.0, 0.0};
    const dry_double3 first = double3_add_scaled(none, 0.5 * h, double3_mul(r->inverse, l));
    dry_double3 t, change;
    if (!rotor_half_turn_begin(r, l, h, &t))
        return first;
    if (rotor_half_turn_is_small(t))
        return t;
    for (int i = 0; i < ROTOR_HALF_TURN_STEPS; i++) {
        if (!rotor_half_turn_step(r, l, rotation_from_vector(t), h, &t, &change))
            return first;
        if (rotor_half_turn_ends(t, change))
            return t;
    }
    return first;
}

#endif
