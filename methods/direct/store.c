/* Keeps what joints that are solved directly gave in a step, and counts its articulations. Reads
 * articulations; writes the joints' impulses. Next: solver/stages/substeps.c. */
#include "methods/direct/articulation_rows.h"
#include "methods/direct/articulations.h"
#include "methods/direct/linkage.h"
#include "methods/direct/springs.h"
#include "solver/bodies/joint_impulses.h"
#include "solver/data/context.h"

void dry_articulations_count(const dry_solver_state *state, dry_statistics *statistics)
{
    const dry_articulations *a = &state->articulations;
    dry_articulation_statistics s = {.count = a->count};
    for (int i = 0; i < a->count; i++) {
        const dry_articulation *articulation = &a->articulation[i];
        const dry_articulation_factor *f = &a->factors[articulation->factor];
        for (int k = articulation->link_begin; k < articulation->link_end; k++)
            s.joints += a->link[k].joint >= 0;
        s.rows += articulation->row_end - articulation->row_begin;
        s.redundant_rows += f->redundant;
        s.raised_pivots += f->raised;
        s.nonzeros += (uint64_t)f->factor.counts.l_nonzeros;
        s.corrections += (uint64_t)articulation->corrections;
        s.iterations += (uint64_t)articulation->iterations;
        s.iterations_max = dry_max_int(s.iterations_max, articulation->iterations_max);
    }
    statistics->articulations = s;
}

static void store_joint(const dry_solver_step *step, const dry_articulated_joint *joint, float substep)
{
    const dry_articulated_body *b = &step->state->articulations.body[joint->body[1]];
    const dry_vec3 anchor = step->joints->joint[joint->joint].anchor_b;
    const dry_double3 arm = rotation_apply(b->end.orientation, double3_of(anchor));
    const dry_double3 moment = double3_add_scaled(joint->moment, -1.0, double3_cross(arm, joint->impulse));
    const float none[DRY_BLOCK_ROWS] = {0};
    const dry_double3 linear = double3_add_scaled(joint->earlier_impulse, 1.0, joint->impulse);
    const dry_double3 angular = double3_add_scaled(
        double3_add_scaled(joint->earlier_moment, 1.0, joint->moment), -1.0, double3_cross(arm, linear));
    dry_joint_store_total(step, joint->joint, vec3_of(linear), vec3_of(angular), 0.0f, substep, false);
    dry_joint_store_rows(step, joint->joint, vec3_of(moment), none);
    dry_joint_store(step, joint->joint, vec3_of(joint->impulse), substep, 0.0f);
    if (joint->springs > 0)
        dry_springs_store(step, joint);
}

void dry_articulations_store(const dry_solver_step *step)
{
    const dry_articulations *a = &step->state->articulations;
    for (int i = 0; i < a->count; i++) {
        const dry_articulation *articulation = &a->articulation[i];
        /* Sweeps carry impulses on from substep to substep; what they add up to is the last one's. */
        const int substeps =
            dry_articulation_is_alone(step, i) ? 1 : dry_articulation_range(step, i)->substeps;
        for (int j = articulation->joint_begin; j < articulation->joint_end; j++)
            if (a->joint[j].joint >= 0) {
                store_joint(step, &a->joint[j], step->dt / (float)substeps);
                step->joints->direct[a->joint[j].joint].vibration = (float)articulation->vibration;
            }
    }
}
