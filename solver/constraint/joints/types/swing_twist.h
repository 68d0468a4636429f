/* The three angles of joints that may turn about every axis. The rotation from frame a to frame b is a
 * rotation about x by the twist, and then a swing: a rotation by a vector s across x, whose components in
 * frame a are RY and RZ.
 *
 * With t = |s|, e = s / t, and p = x cross e, all in frame a, the relative angular velocity w is
 *     w = (ds along e) e + (ds along p) (sin t / t p + (1 - cos t) / t x) + twist' (cos t x - sin t p)
 * so that
 *     twist'     = w . (x - tan(t / 2) p)
 *     ds along e = w . e
 *     ds along p = w . (cos t p + sin t x) t / sin t
 * The only singular rotation is a swing by pi, where the axes point in opposite directions: twist and swing
 * jump, and their rates know no bound. Springs and soft stops by these angles made energy there, up to 366
 * times what two boxes had. So they act along
 *     w = r + f (v - r), f = 1 - u^2 (3 - 2 u)
 * with v the angle, r the spring's rest or the middle of the stops, and u from 0 to 1 on the swing's last
 * part to pi. w is smooth, and r where the swing is pi. Its gradient is f v' + (v - r) f'. Hard stops, motors
 * and friction keep to v: along w they would hold nothing at pi, or act on the swing. */
#ifndef SOLVER_CONSTRAINT_JOINTS_TYPES_SWING_TWIST_H
#define SOLVER_CONSTRAINT_JOINTS_TYPES_SWING_TWIST_H

#include "core/angle.h"
#include "solver/constraint/joints/frames.h"
#include "solver/data/rounding.h"

typedef struct dry_swing_twist {
    double angle[4];     /* rad; RX, RY and RZ, |(RY, RZ)| */
    dry_double3 row[4];  /* their directions in the world: the angle's rate is w . row */
    double faded, slope; /* of springs; by how much that grows with the swing's angle */
    bool known;
} dry_swing_twist;

/* From this angle of the swing on, rad, springs fade: by u^2 (3 - 2 u), u being the share of the way to pi.
 */
#define DRY_SWING_FADES 2.8

/* Returns a combination of the axes of a frame. */
static inline dry_double3 dry_in_frame(const dry_double3 axis[3], double x, double y, double z)
{
    const dry_double3 none = {0};
    return double3_add_scaled(double3_add_scaled(double3_add_scaled(none, x, axis[0]), y, axis[1]), z,
                              axis[2]);
}

/* The least sine by which a rate is divided, where a swing is nearly pi: floats tell its direction no better.
 * With 1e-6 a stop's row threw four bodies out of the world, in one of 500 random scenes; 1e-2 does as well
 * as this, and 5e-2 lets a third more scenes gain energy. */
#define DRY_SWING_SINE_MIN 1e-3

static inline dry_swing_twist dry_swing_twist_of(const dry_joint_frames *f)
{
    const dry_double3 *a = f->a.axis, *b = f->b.axis;
    dry_swing_twist s = {.known = true};
    /* x of frame b, in frame a. */
    const double c = double3_dot(a[0], b[0]), y = double3_dot(a[1], b[0]), z = double3_dot(a[2], b[0]);
    const double sine = sqrt(y * y + z * z);
    const double swing = dry_angle_of(sine, c);
    /* e = x cross (b's x) / sine; any direction will do where there is no swing. */
    const double e_y = sine > 0.0 ? -z / sine : 1.0, e_z = sine > 0.0 ? y / sine : 0.0;
    const double way = DRY_PI - DRY_SWING_FADES,
                 u = swing > DRY_SWING_FADES ? (swing - DRY_SWING_FADES) / way : 0.0;
    s.faded = u * u * (3.0 - 2.0 * u);
    s.slope = 6.0 * u * (1.0 - u) / way;
    s.angle[3] = swing;
    s.angle[1] = swing * e_y;
    s.angle[2] = swing * e_z;
    const double safe = sine > DRY_SWING_SINE_MIN || c > 0.0 ? sine : DRY_SWING_SINE_MIN;
    const double half = c < 0.0 ? (1.0 - c) / safe : sine / (1.0 + c);   /* tan(t / 2) */
    const double over = swing > DRY_FLOAT_ROUNDING ? swing / safe : 1.0; /* t / sin t */
    const dry_double3 e = dry_in_frame(a, 0.0, e_y, e_z);
    const dry_double3 p = dry_in_frame(a, 0.0, -e_z, e_y);
    const dry_double3 across = dry_in_frame(a, over * sine, -over * c * e_z, over * c * e_y);
    s.row[3] = e;
    s.row[0] = double3_add_scaled(a[0], -half, p);
    const dry_double3 none = {0};
    /* s = (ds along e) e + (ds along p) p, in the components y and z. */
    s.row[1] = double3_add_scaled(double3_add_scaled(none, e_y, e), -e_z, across);
    s.row[2] = double3_add_scaled(double3_add_scaled(none, e_z, e), e_y, across);
    /* The swing turned back: y and z of frame b without it are those of frame a turned by the twist. With
     * the half angles of the swing, b's y before the swing is b_y - (b_y . e') ... ; the sums below are its
     * components in frame a. */
    const double by_x = double3_dot(a[0], b[1]), by_y = double3_dot(a[1], b[1]),
                 by_z = double3_dot(a[2], b[1]);
    const double along_e = by_y * e_y + by_z * e_z, along_p = -by_y * e_z + by_z * e_y;
    /* The inverse swing turns p and x in their plane: x' = cos t x + sin t p by -t. */
    const double turned_p = c * along_p + sine * by_x;
    s.angle[0] = dry_angle_of(along_e * e_z + turned_p * e_y, along_e * e_y - turned_p * e_z);
    return s;
}

#endif
