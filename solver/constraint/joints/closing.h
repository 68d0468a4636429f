/* How fast an open joint closes by correction, which leaves no velocity. */
#ifndef SOLVER_CONSTRAINT_JOINTS_CLOSING_H
#define SOLVER_CONSTRAINT_JOINTS_CLOSING_H

/* A joint closes at no less than push_out_speed_max, and at this share of its gap each second, 1/s: 3 m
 * become 1 mm within 1 s. */
#define DRY_JOINT_CLOSING 8.0f
/* But no faster than a gap of 1 m, m/s. */
#define DRY_JOINT_CLOSING_MAX DRY_JOINT_CLOSING

/* Returns the largest speed of closing a gap, m/s; the same for angles. */
static inline double dry_joint_closing_speed(double gap, float push_out_speed_max)
{
    const double wanted = (double)DRY_JOINT_CLOSING * gap, most = (double)DRY_JOINT_CLOSING_MAX,
                 least = (double)push_out_speed_max;
    const double closing = wanted < most ? wanted : most;
    return closing > least ? closing : least;
}

#endif
