/* The sides of a joint, which all kinds of joint bundles have in common. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H
#define SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H

#include "solver/constraint/joints/side.h"
#include "solver/constraint/spook.h"
#include "solver/data/bundle.h"
#include "solver/data/joints/single_row.h"
#include "state/joints.h"

struct dry_solver_step;

/* Returns side a (0) or b (1) of the joint in slot `joint`. */
dry_joint_side dry_joint_side_of(const struct dry_solver_step *step, int joint, int side);

/* Returns the angular part of the row along `axis` at a lever arm, whitened; side a's is its negative. */
static inline dry_vec3 dry_joint_angular(const dry_whitening *w, dry_vec3 lever_arm, dry_vec3 axis)
{
    const dry_vec3 v = vec3_cross(lever_arm, axis);
    return vec3(w->axes[0][0] * v.x + w->axes[0][1] * v.y + w->axes[0][2] * v.z,
                w->axes[1][0] * v.x + w->axes[1][1] * v.y + w->axes[1][2] * v.z,
                w->axes[2][0] * v.x + w->axes[2][1] * v.y + w->axes[2][2] * v.z);
}

static inline void dry_lanes_put3(dry_lanes *lanes, int lane, dry_vec3 v)
{
    lanes[0][lane] = v.x;
    lanes[1][lane] = v.y;
    lanes[2][lane] = v.z;
}

static inline dry_vec3 dry_lanes_get3(const dry_lanes *lanes, int lane)
{
    return vec3(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
}

/* Returns SPOOK's parameters of a rigid joint. */
dry_spook dry_joint_rigid(const struct dry_solver_step *step, const dry_joint_side *a,
                          const dry_joint_side *b, float h);
/* Returns those of a spring k, c whose g . g is `inverse_mass`; those of a rigid joint if k is 0, or beyond
 * what substeps converge on. */
dry_spook dry_joint_spring(const struct dry_solver_step *step, float stiffness, float damping,
                           const dry_joint_side *a, const dry_joint_side *b, float inverse_mass, float h);

/* Returns how far a body's part of a row moved since the step began, m: along `linear`, with the whitened
 * angular part. */
float dry_joint_side_moved(const struct dry_solver_step *step, const dry_joint_side *side, dry_vec3 linear,
                           dry_vec3 angular);
/* Tells whether a joint is solved as a rigid one: its softness is a share of its own mass. */
static inline bool dry_joint_is_rigid(const dry_spook *spook)
{
    return spook->softness == 0.0f;
}

/* Sets how the row of a lane answers; `squared` is its |g|^2. */
static inline void dry_single_row_put(dry_single_row *row, int lane, const dry_spook *spook, float squared)
{
    const float softness = spook->softness + spook->relative_softness * squared;
    const bool rigid = dry_joint_is_rigid(spook);
    row->inverse[lane] = squared > 0.0f ? 1.0f / (squared + softness) : 0.0f;
    row->relax_inverse[lane] = rigid && squared > 0.0f ? 1.0f / squared : 0.0f;
    row->rate[lane] = spook->rate;
    row->approach[lane] = spook->approach;
    row->softness[lane] = softness;
    row->rigid[lane] = rigid ? 1.0f : 0.0f;
}

/* Returns the load of a rigid joint's lane, the acceleration with which its force would part the bodies,
 * m/s^2; 0 for a spring, and for a row that moves nothing. */
static inline float dry_single_row_load(const dry_single_row *row, int lane, float h)
{
    return row->relax_inverse[lane] > 0.0f ? dry_abs(row->impulse[lane]) / (row->relax_inverse[lane] * h)
                                           : 0.0f;
}

/* Returns by what a spring's error is multiplied for the impulse that it begins with, N s/m: with its own
 * force, in its first step. 0 in later ones. A chain of springs would sag until sweeps had found its forces.
 */
float dry_joint_first_impulse(const struct dry_solver_step *step, int joint, const dry_spook *spook);
/* Returns those of a drive as stiff as substeps converge on, critically damped on the mass `moved` or that of
 * the row, whichever is larger. Unlike a rigid joint it keeps the speed at which it moves its bodies, so that
 * a bounded force is one that accelerates. */
dry_spook dry_joint_drive(const struct dry_solver_step *step, const dry_joint_side *a,
                          const dry_joint_side *b, float inverse_mass, float moved, float h);

/* Returns the factor from the stored impulse to the one that a substep of length h begins with. */
float dry_joint_warm_scale(const struct dry_solver_step *step, const dry_joint *joint, float h);

#endif
