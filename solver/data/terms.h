/* The meaning of "open", "turns", "moves" and "calm", for all who ask. A value that is no number is open,
 * turns, moves, and is not calm: nothing is built on it. */
#ifndef SOLVER_DATA_TERMS_H
#define SOLVER_DATA_TERMS_H

#include <stdbool.h>

/* A joint is open beyond this, m, or where an angle opens as much at an arm of 0.1 m. */
#define DRY_GAP_OPEN 1e-2
#define DRY_TURN_OPEN (10 * DRY_GAP_OPEN)

static inline bool dry_is_open(double gap, double turn)
{
    return !(gap <= DRY_GAP_OPEN && turn <= DRY_TURN_OPEN);
}

/* Rows that turn by less, rad, count as those of the pose where they were made. A body that turns further
 * within a step turns its frame; a contact whose impact may turn one further lands. Jacobi keeps the rows of
 * a tier's joints for a step in which nothing turns as far (solver/constraint/joints/DECISIONS.md). */
#define DRY_TURNING_ANGLE_MIN 0.05f
/* Contacts of a body that turns by more in a step, rad, are those of the step's middle
 * (solver/sweeps/contacts/arms.c), and the body does not stay where it rests. */
#define DRY_MIDDLE_ANGLE 1e-4f
/* A linkage turns far of which something turns by more than this within a step, rad. 20 cubes gain energy
 * from 1.3 rad on; one linkage in a hundred of light bodies on long arms from 0.3 rad on. */
#define DRY_LINKAGE_FAR 0.25f
/* Rotations by more than this in a step, rad, are fast: what hits such a body acts on an orientation that it
 * has left, and the momentum may have more energy at the one that it comes to, at a radian several times. */
#define DRY_FAST_ROTATION 0.01f

/* Tells whether a vector turns by more than an angle, rad, in dt s: by the squares of the rate at which it
 * changes, 1/s^2, and of its length; of a body, of its angular velocity and 1. */
static inline bool dry_turns(float rate, float length, float angle, float dt)
{
    return !(rate <= (angle / dt) * (angle / dt) * length);
}

/* The root of the mean square of the speeds of an island's bodies, m/s, above which it goes somewhere, and
 * does not rest. */
#define DRY_MOVING 0.1f
/* The same, below which an island is calm. What settles is calmer by four times: impulses of what sinks are
 * not those that it rests with. */
#define DRY_CALM 2e-4f

/* `squares` is the sum of the squares of the speeds of so many bodies, m^2/s^2. */
static inline bool dry_moves(float squares, int bodies)
{
    return !(squares <= DRY_MOVING * DRY_MOVING * (float)bodies);
}

static inline bool dry_is_calm(float squares, int bodies)
{
    return 16.0f * squares <= DRY_CALM * DRY_CALM * (float)bodies;
}

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
