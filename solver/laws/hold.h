/* Joints in sweeps that a step let open are held where it ends. */
#ifndef SOLVER_LAWS_HOLD_H
#define SOLVER_LAWS_HOLD_H

#include "solver/constraint/joints/error.h"
#include "solver/data/context.h"

/* The state of a joint while its step ends. */
typedef struct dry_joint_hold {
    dry_joint_error begin;   /* how far it was open when the step began; of figures with an open joint */
    dry_joint_error allowed; /* how far it may end, if so */
    float gap_end, turn_end; /* the squares where it ends, if the kernels that make rows have told them */
    int32_t seen; /* it was closed when so many joints of its figure had moved their bodies; -1: it is open */
    int32_t row[2]; /* of its bodies, if they are of an island; else -1 */
    int32_t figure; /* joints that hang together are one: a row of it; -1: the joint cannot be held */
    int32_t next;   /* joint of the figure; -1: none */
    bool told;      /* gap_end and turn_end are */
} dry_joint_hold;

/* Makes room for all active joints and awake rows. False if memory fails. */
bool dry_joints_hold_reserve(dry_solver_step *step, dry_memory *memory);
/* Moves bodies so that joints in sweeps, and their stops, are open by little. Changes no velocity. */
void dry_joints_hold(dry_solver_step *step);

#endif
