/* Springs and dampers of joints that are solved directly: rows with an element of Sigma [Spook 27]. */
#ifndef METHODS_DIRECT_SPRINGS_H
#define METHODS_DIRECT_SPRINGS_H

#include "methods/direct/linkage.h"
#include "solver/constraint/joints/frames.h"
#include "solver/constraint/spook.h"

struct dry_solver_step;

/* A row with this in Sigma takes no impulse. */
#define DRY_SPRING_NO_IMPULSE ((double)DRY_SOFTNESS_MAX)

/* Turns the errors of a joint's springs, which are coordinates, into how far they are from rest. */
void dry_springs_measure(const dry_linkage *l, const dry_articulated_joint *joint, dry_joint_row *rows);

/* Fills the constants of an articulation's springs, alone in substeps of length `l->h`, or in sweeps in
 * substeps of length h. Rows are filled. */
void dry_springs_begin(const dry_linkage *l);
void dry_springs_begin_sweeps(const dry_linkage *l, double h);
/* Forgets the impulses of the last substep of sweeps. */
void dry_springs_forget(const dry_linkage *l);
/* Adds the energy that springs have after a substep of h in sweeps to the records of their joints, or begins
 * these. */
void dry_springs_add_stored(const dry_linkage *l, bool begins, double h);
/* Returns the square of the substeps a second that springs ask for, 1/s^2. */
double dry_springs_vibration(const dry_linkage *l);

/* The equation of springs in a solve. */
typedef enum dry_springs_use {
    DRY_SPRINGS_REST,     /* they take no impulses */
    DRY_SPRINGS_POSITION, /* impulses where the substep begins depend on the elongation where it ends */
    DRY_SPRINGS_SPEED     /* impulses of dampers depend on the speed where the substep ends */
} dry_springs_use;
/* Sets Sigma, and makes the factor of the present rows with it. */
void dry_springs_factor(const dry_linkage *l, dry_springs_use use);

/* Gives bodies the impulses that follow from where they are: of dampers as the substep begins, of springs as
 * it ends. */
void dry_springs_push_begin(const dry_linkage *l);
void dry_springs_push_end(const dry_linkage *l);
/* Adds a share of the last solve's impulses to those that springs have. */
void dry_springs_take(const dry_linkage *l, double share);

/* Return what is left of the equation of row `i` of a joint, a spring: of elongations in the joint
 * correction, m or rad; of speeds, and in sweeps, m/s or rad/s. */
double dry_spring_left(const dry_linkage *l, const dry_articulated_joint *joint, int i,
                       const dry_joint_row *row);
double dry_spring_left_speed(const dry_linkage *l, const dry_articulated_joint *joint, int i);
double dry_spring_left_in_sweeps(const dry_linkage *l, const dry_articulated_joint *joint, int i, double h);

/* The energy of springs by the errors of the present rows. */
typedef struct dry_springs_energy {
    double elastic; /* J */
    double lag;     /* the share of a change of energy that the method borrows, and gives back */
    bool damped;    /* something takes energy away */
} dry_springs_energy;
dry_springs_energy dry_springs_find_energy(const dry_linkage *l);

/* Keeps the impulses and the angles of a joint's springs. */
void dry_springs_store(const struct dry_solver_step *step, const dry_articulated_joint *joint);

#endif
