/* Bodies while impacts are resolved, and how many impacts there were. */
#ifndef SOLVER_DATA_IMPACTS_H
#define SOLVER_DATA_IMPACTS_H

#include <stdbool.h>
#include <stdint.h>

/* A body while impacts are resolved, whitened as its solver row. Row r + 1 belongs to body row r; row 0 is
 * zero. An impulse acts at some time t of the substep: it changes u by g J and d by -t g J, so that the body
 * moves on the old line before t and on the new one after it. */
typedef struct dry_impact_row {
    float u[6];     /* velocity when the substep began, with the impacts so far */
    float d[6];     /* displacement as the solver row's; exact while only forces move the body */
    float carry[6]; /* change of the velocity in this substep by forces, and by contacts as in the last one */
    float lag[6];   /* of d over the solver row's displacement; 0 once an impact changed the body */
    float free[6];  /* velocity at the substep's end if no contact changes it */
    float inv_sqrt_mass; /* of the solver row */
    int32_t round;       /* the last round of this substep that changed u; -1: none */
    bool hit;            /* an impact changed the body in this step */
} dry_impact_row;

/* Impacts since the world was created. */
typedef struct dry_impact_counts {
    uint64_t impacts; /* contacts that bounced, once for each round */
    uint64_t solves;  /* of one contact: what they cost */
    uint64_t limited; /* of those, the ones whose impulse was shortened so that it gains no energy */
} dry_impact_counts;

#endif
