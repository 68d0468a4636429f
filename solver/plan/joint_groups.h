/* Groups of joints, by which it is chosen how joints are solved whose solver is `auto`.
 *
 * A group is the joints with locked rows that hang together by bodies of islands. It is solved directly
 *
 * - if its graph has a loop, the world being one body;
 * - if something holds it, and the mass that may hang on its lightest body would raise the island's tier;
 * - or once the load of its joints has raised that.
 *
 * The first two follow from the graph and the masses. They are found with the islands, and kept as long as
 * rows and joints do not change. */
#ifndef SOLVER_PLAN_JOINT_GROUPS_H
#define SOLVER_PLAN_JOINT_GROUPS_H

#include "core/scratch.h"

#include <stdbool.h>

struct dry_solver_step;

/* Returns the load of a joint if all of these masses hang on the lightest of them, m/s^2. A joint moves half
 * of that body. Twice that, since loads fall into their joints. */
static inline float dry_joint_load_of_masses(float gravity, float mass, float lightest)
{
    return gravity * 4.0f * mass / lightest;
}

/* Finds the groups, unless they are found already, and marks the joints that they make direct. `borne` is the
 * largest load of a joint that raises no tier, m/s^2. Returns false if memory fails. */
bool dry_joint_groups_update(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch,
                             float borne);
/* Marks the joints of the groups in which a measured load raises the tier of the island. Returns true if
 * there are more than before. */
bool dry_joint_groups_load(struct dry_solver_step *step,
                           bool (*raises_tier)(const struct dry_solver_step *step, int island, float load));

#endif
