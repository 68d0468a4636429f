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

/* A body while impacts are resolved, whitened as its solver row. Row r + 1 belongs to body row r; row 0 is
 * zero. An impulse acts at some time t of the substep: it changes u by g J and d by -t g J, so that the body
 * moves on the old line before t and on the new one after it. */
typedef struct dry_impact_row {
    float u[6];     /* velocity when the substep began, with the impacts so far */
    float d[6];     /* displacement since the step began; exact while only forces move the body */
    float carry[6]; /* change of the velocity in this substep by forces, and by contacts as in the last one */
    float lag[6];   /* of d over the solver row's displacement; 0 once an impact changed the body */
    float free[6];  /* velocity at the substep's end if no contact changes it */
    float round_u[6], round_d[6]; /* u and d when the round began */
    float inv_sqrt_mass;          /* of the solver row */
    int32_t round;                /* the last round of this substep that changed u; -1: none */
    bool hit;                     /* an impact changed the body in this step */
} dry_impact_row;

/* The substep in which impacts are found, and from which speed on. */
typedef struct dry_impact_substep {
    float begin;                        /* of the substep since the step began, s */
    float h;                            /* the substep, s */
    float threshold;                    /* approach speed from which on shapes bounce, m/s */
    int round;                          /* counts from 0 in each substep */
    const struct dry_solver_step *step; /* whose bodies may have frames that turn (bodies/turned.h) */
} dry_impact_substep;

/* Finds the points of a lane that meet within the substep and the speeds at which they do; clears the lane's
 * impulses. Returns false if none meets faster than the threshold. */
bool dry_impact_find(const dry_contact_bundle *c, dry_contact_cold *cold, int lane,
                     const dry_impact_row *rows, const dry_impact_substep *time);
/* Solves a lane's impact for the present velocities of its bodies, and applies the change of its impulse.
 * Returns true if the change mattered: the round needs another sweep. */
bool dry_impact_solve(const dry_contact_bundle *c, dry_contact_cold *cold, int lane, dry_impact_row *rows,
                      const dry_impact_substep *time);

/* The effect of a lane's impact on the energy of its bodies. */
typedef struct dry_impact_energy {
    double change;   /* of the bodies' energy that the law of restitution asks for, J */
    float impulse;   /* of all points along the normal, N s */
    bool frictional; /* friction acted: the law of restitution alone does not fix the change */
    bool limited;    /* the impulse was shortened so that it gains no energy */
} dry_impact_energy;
dry_impact_energy dry_impact_energy_of(const dry_contact_cold *cold, int lane);

#endif
