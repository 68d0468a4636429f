/* Rows whose inertia has the geometric stiffness of their joints while positions are swept.
 *
 * A force f on a body acts at an arm r that turns with the body, so that its potential -f . R r bends as the
 * body turns. The Hessian of that potential is K = (f . r) 1 - sym(f r^T), the geometric stiffness, and an
 * implicit step of the torque turns the body by (I + h^2 K)^-1 in place of I^-1: [Waterson 7.20] adds h^2 K
 * to the mass matrix of any method that solves for positions. The force is that of the joint's last
 * multiplier, lambda = f h.
 *
 * K of one joint has the eigenvalues f . r and (f . r +- |f| |r|) / 2, one of which is negative, and may make
 * I + h^2 K indefinite. A diagonal D in the body's principal frame stands for the sum over all joints:
 *     D_ii = max(0, K_ii + sum_j |K_ij|)    j != i
 * By Gershgorin's circles D - K is positive semi-definite, as D is. Along a rod under tension D is K itself;
 * joints under pressure give nothing. Neither do contacts: they press, so that f . r < 0 on any body that has
 * its center behind the surface, and the arm of a round shape does not turn with its body.
 *
 * K has more for joints whose axis turns, as that of a distance joint: |f| / l across the axis, for the
 * distance of both anchors. Its diagonal alone would resist the motion of the bodies' common center. D is
 * about rotations only, and masses stay what they are.
 *
 * Momentum: a correction by the multiplier d gives b the impulse d n and a the impulse -d n, whatever D is;
 * both move by their own masses, so that linear momentum is kept in each correction. A body turns by
 * w = (I + h^2 D)^-1 (r x d n). Velocities follow from positions: its angular momentum I w lacks h^2 D w of
 * r x d n. This is what the torque loses meanwhile by D's account, as the arm turns by h w, and an error of
 * the second order in h for anything that swings: a pendulum of frequency w_0 speeds up by 1 / (1 + (w_0
 * h)^2) of what it would. An island that nothing holds gets its angular momentum back at the step's end, as
 * under all methods that solve for positions (laws/ledger.c).
 *
 * Rows are whitened anew when a substep's sweeps begin, and back when they end, so that contacts, joints and
 * the row itself have one inertia meanwhile. Forces, motion, sweeps over velocities, impulses of restitution
 * and all that measures energy or momentum have the body's own. */
#ifndef SOLVER_BODIES_STIFFENED_H
#define SOLVER_BODIES_STIFFENED_H

#include "core/memory.h"
#include "core/shared.h"

#include <stdbool.h>

struct dry_solver_state;
struct dry_solver_step;
struct dry_tier_range;
struct dry_stiffened_row;

/* Finds the rows that joints stiffen in this step, if the settings ask for it. False if memory fails. */
bool dry_stiffened_prepare(struct dry_solver_step *step, dry_memory *memory);
/* Tells whether joints stiffen a row. */
bool dry_stiffened_of(const struct dry_solver_state *state, int row);
/* Whitens the stiffened rows of a tier, and the velocities with which their substep began, with the stiffness
 * where its sweeps begin, else without it. Their contacts must be turned next (stages.h). */
DRY_SHARED void dry_stiffened_whiten(struct dry_solver_step *step, const struct dry_tier_range *range,
                                     bool begins);

#endif
