/* One contact's impact: Newton's law of restitution with Coulomb's cone [Spook 1-7], for manifolds of one to
 * four points. solver/sweeps/impacts.c calls this for the contacts of a round.
 *
 * The unknowns of a manifold are an impulse along the normal at each point, an impulse along the tangents at
 * the patch's center, and one about the normal. With one point they are [Spook 1-5] to the letter. */
#ifndef SOLVER_SWEEPS_CONTACTS_IMPACT_H
#define SOLVER_SWEEPS_CONTACTS_IMPACT_H

#include "solver/data/contacts/bundle.h"

#include <stdbool.h>

struct dry_solver_step;

/* The substep in which impacts are found, and from which speed on. */
typedef struct dry_impact_substep {
    float begin;                        /* of the substep since the step began, s */
    float h;                            /* the substep, s */
    int round;                          /* counts from 0 in each substep */
    const struct dry_solver_step *step; /* whose bodies may have frames that turn (bodies/turned.h) */
} dry_impact_substep;

/* Finds the points of a lane that meet within the substep and the speeds at which they do; clears the lane's
 * impulses. Returns false if none meets faster than the threshold. */
bool dry_impact_find(dry_contact_bundle *c, const dry_contact_cold *cold, dry_contact_impact *impact,
                     int lane, const dry_impact_row *rows, const dry_impact_substep *time);
/* Solves a lane's impact for the present velocities of its bodies, and applies the change of its impulse.
 * Returns true if the change mattered: the round needs another sweep. */
bool dry_impact_solve(dry_contact_bundle *c, const dry_contact_cold *cold, dry_contact_impact *impact,
                      int lane, dry_impact_row *rows, const dry_impact_substep *time);

#endif
