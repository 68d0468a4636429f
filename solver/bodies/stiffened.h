/* Rows whose inertia has the geometric stiffness of their joints while positions are swept.
 *
 * The potential -f . R r of a force f at an arm r that turns with its body has the Hessian
 * K = (f . r) 1 - sym(f r^T), the geometric stiffness. An implicit step of the torque turns the body by
 * (I + h^2 K)^-1 in place of I^-1: [Waterson 7.20] adds h^2 K to the mass matrix of any method that solves
 * for positions. The force is that of the joint's last multiplier, lambda = f h. One of K's eigenvalues
 * f . r and (f . r +- |f| |r|) / 2 is negative. So a diagonal D in the body's principal frame stands for the
 * sum over all joints:
 *     D_ii = max(0, K_ii + sum_j |K_ij|)    j != i
 * By Gershgorin's circles D - K is positive semi-definite, as D is. Along a rod under tension D is K itself;
 * joints under pressure give nothing, nor do contacts, which press. K's part for joints whose axis turns,
 * |f| / l across a distance joint, would resist the motion of the bodies' common center, and is left out.
 *
 * Corrections keep linear momentum, as masses stay. A body's angular momentum lacks h^2 D w of an impulse's
 * moment, an error of the second order: a pendulum of frequency w_0 speeds up by 1 / (1 + (w_0 h)^2) of what
 * it would. An island that nothing holds gets it back at the step's end (laws/ledger.c).
 *
 * Rows are whitened anew when a substep's sweeps begin, and back when they end. Forces, motion, sweeps over
 * velocities, impulses of restitution and all that measures energy or momentum have the body's own. */
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
