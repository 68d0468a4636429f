/* Static bodies do no work. */
#ifndef SOLVER_LAWS_STATICS_H
#define SOLVER_LAWS_STATICS_H

#include "state/bodies.h"

struct dry_solver_step;

/* Returns the share of its motion that a row keeps at a step's end, in which gravity gives `fall` m/s and
 * forces `forced`. Where static bodies squeeze a body and one lets go, kept impulses would shoot it out. So
 * one that touches static bodies alone gets the energy that it had, or that of the speed at which overlaps
 * separate. */
float dry_statics_share(const struct dry_solver_step *step, int row, const dry_body_velocity *end,
                        dry_quat orientation, float fall, float forced);

#endif
