/* The frames of bodies of joints under block descent: where a substep begins, a row is in the frame that its
 * body has turned to, and its velocity turns with the body (bodies/frames.h). */
#include "solver/bodies/frames.h"

#include "methods/blocks/blocks.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/plan/layout.h"

#include <string.h>

/* Newton's steps of the midpoint rule: at 0.5 rad its error after three is below rounding. */
enum { MIDPOINT_STEPS = 4 };

/* Returns the angular velocity in the body's frame after a time by Euler's equations: D (w' - w) + h m x D m
 * = 0 with m = (w + w') / 2, whose derivative is D + h / 2 ([m]x D - [D m]x). */
static dry_double3 spin_freely(const dry_rotor *rotor, dry_double3 w, double h)
{
    dry_double3 next = w;
    for (int i = 0; i < MIDPOINT_STEPS; i++) {
        const dry_double3 m = {0.5 * (w.x + next.x), 0.5 * (w.y + next.y), 0.5 * (w.z + next.z)};
        const dry_double33 derivative = rotor_matrix(rotor, m, 0.5 * h, 0.0, 1.0);
        const dry_double3 change = double3_add_scaled(next, -1.0, w);
        const dry_double3 excess = double3_add_scaled(double3_mul(rotor->inertia, change), h,
                                                      double3_cross(m, double3_mul(rotor->inertia, m)));
        dry_double3 correction;
        if (!double33_solve(&derivative, excess, rotor_scale(rotor), &correction))
            return w;
        next = double3_add_scaled(next, -1.0, correction);
    }
    const double before = double3_dot(w, double3_mul(rotor->inertia, w));
    const double after = double3_dot(next, double3_mul(rotor->inertia, next));
    return after <= before * (1.0 + DRY_FLOAT_ROUNDING) ? next : w;
}

/* Takes a row to the frame that its body has turned to: its velocity turns with the body, and follows Euler's
 * equations for a time, s. */
static void spin_frame(const dry_solver_step *step, int row, float time)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    float *start = step->state->bodies.start[row].u + 3, ua[3], begin[3];
    memcpy(ua, r->ua, sizeof ua);
    memcpy(begin, start, sizeof begin);
    dry_frames_find_rotation(step, row, time);
    dry_frames_take(step, row, step->state->bodies.turned[row].orientation);
    memcpy(r->ua, ua, sizeof ua);
    memcpy(start, begin, sizeof begin);
    const dry_rotor rotor = dry_row_rotor(r);
    if (rotor.inverse.x != rotor.inverse.y || rotor.inverse.y != rotor.inverse.z)
        dry_row_whiten(r, spin_freely(&rotor, dry_row_vector(r, r->ua), (double)time), r->ua);
}

static bool has_frame(const dry_solver_step *step, int row, const dry_island *island)
{
    return dry_turned_applies(step, row, dry_island_substep(step, island));
}

static void begin_frame(const dry_solver_step *step, int row, float h)
{
    spin_frame(step, row, 0.5f * h);
    for (int k = 0; k < 3; k++)
        step->state->bodies.start[row].u[3 + k] =
            step->state->bodies.rows[row + 1].ua[k] + step->state->bodies.frames[row].force[3 + k];
}

bool dry_blocks_begin_frames(dry_solver_step *step, dry_memory *memory)
{
    if (!dry_frames_list(step, memory, 0, has_frame))
        return false;
    for (int t = 0; t < step->state->plan.range_count; t++) {
        const dry_tier_range *range = &step->state->plan.ranges[t];
        dry_frames_over(step, range, step->dt / (float)range->substeps, begin_frame);
    }
    return true;
}

static void follow_frame(const dry_solver_step *step, int row, float h)
{
    const float *u = step->state->bodies.rows[row + 1].u;
    memcpy(step->state->bodies.start[row].u, u, sizeof step->state->bodies.start[row].u);
    spin_frame(step, row, h);
}

void dry_blocks_follow_frames(dry_solver_step *step, const dry_tier_range *range, float h)
{
    dry_frames_over(step, range, h, follow_frame);
}

void dry_blocks_end_frame(const dry_solver_step *step, int row, float h)
{
    spin_frame(step, row, 0.5f * h);
}
