/* Angles without libm: the same bits everywhere. */
#ifndef CORE_ANGLE_H
#define CORE_ANGLE_H

#define DRY_PI 3.14159265358979323846

/* Returns the arc tangent of 0 <= x <= tan(pi / 8), from its series, to double precision's last few bits. */
static inline double dry_atan_series(double x)
{
    const double x2 = x * x;
    double sum = 0.0;
    for (int k = 20; k >= 0; k--)
        sum = 1.0 / (double)(2 * k + 1) - x2 * sum;
    return x * sum;
}

/* Returns the angle of the vector (x, y) from the x axis, -pi to pi; 0 for a vector without a direction. */
static inline double dry_angle_of(double y, double x)
{
    const double ax = x < 0.0 ? -x : x, ay = y < 0.0 ? -y : y;
    const double large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    if (!(large > 0.0))
        return 0.0;
    const double ratio = small / large, half = 0.41421356237309503; /* tan(pi / 8) */
    double angle;
    if (ratio <= half) {
        angle = dry_atan_series(ratio);
    } else {
        const double rest = (1.0 - ratio) / (1.0 + ratio);
        angle = 0.25 * DRY_PI - dry_atan_series(rest);
    }
    if (ay > ax)
        angle = 0.5 * DRY_PI - angle;
    if (x < 0.0)
        angle = DRY_PI - angle;
    return y < 0.0 ? -angle : angle;
}

/* Returns the angle that differs from `angle` by whole rotations and lies nearest to `near`. */
static inline double dry_angle_near(double angle, double near)
{
    const double turns = (near - angle) / (2.0 * DRY_PI);
    if (!(turns < 1e15 && turns > -1e15))
        return angle;
    return angle + 2.0 * DRY_PI * (double)(long long)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
}

#endif
