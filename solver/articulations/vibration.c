/* The vibration that a joint's force gives to its bodies: for the tiers of islands, and for articulations by
 * themselves. Reads joints' impulses of the last step, and masses. */
#include "solver/articulations/vibration.h"

#include "solver/context.h"
#include "solver/rows/whitening.h"

float dry_joint_vibration(const dry_solver_step *step, int index)
{
    const dry_joint *joint = &step->joints->joint[index];
    if (!(joint->substep > 0.0f))
        return 0.0f;
    const float force = vec3_length(joint->impulse) / joint->substep;
    float largest = 0.0f;
    for (int side = 0; side < 2; side++) {
        const int row = dry_island_row(step, side ? joint->body_b : joint->body_a);
        if (row < 0 || (step->bodies->properties[row].locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
            continue;
        /* A slender body hardly resists turning about its length, which its joints' forces do not ask of it.
         */
        const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
        const float middle =
            dry_max(dry_min(inverse.x, inverse.y), dry_min(dry_max(inverse.x, inverse.y), inverse.z));
        const float arm = vec3_length(side ? joint->anchor_b : joint->anchor_a);
        largest = dry_max(largest, 2.0f * force * arm * middle);
    }
    return largest;
}
