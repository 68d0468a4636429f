/* Groups of joints, by which it is chosen how joints are solved whose solver is `auto`.
 *
 * A group is the joints with locked rows, and stiff springs, that hang together by bodies of islands. It is
 * solved directly, with all springs between its bodies,
 *
 * - if its graph has a loop, the world being one body, and a motor drives it or it is small;
 * - or once the load of a joint is more than sweeps bear in 32 substeps.
 *
 * The first follows from the graph. It is found with the islands, and kept as long as rows and joints do not
 * change. */
#ifndef SOLVER_PLAN_JOINT_GROUPS_H
#define SOLVER_PLAN_JOINT_GROUPS_H

#include "core/scratch.h"

#include <stdbool.h>

struct dry_solver_step;

/* Returns the square of the frequency of a spring of two sides, rad^2/s^2; 0 for other joints. */
float dry_joint_spring_square(const struct dry_solver_step *step, int joint);
/* Finds the groups, unless they are found already, and marks the joints that they make direct. Returns false
 * if memory fails. */
bool dry_joint_groups_update(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Marks the joints of the groups in which some joint is overloaded. Returns true if there are more than
 * before. */
bool dry_joint_groups_load(struct dry_solver_step *step,
                           bool (*is_overloaded)(const struct dry_solver_step *step, int joint));

#endif
