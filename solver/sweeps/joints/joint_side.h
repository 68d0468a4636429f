/* The sides of a joint, which all kinds of joint bundles have in common. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H
#define SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H

#include "solver/constraint/spook.h"
#include "solver/data/bundle.h"
#include "solver/data/joints/single_row.h"
#include "state/joints.h"

struct dry_solver_step;

/* One body of a joint, as far as softness depends on it. */
typedef struct dry_joint_side {
    int32_t row; /* in the solver's rows; 0: nothing pushes the body */
    bool shared; /* other constraints push the body too */
    bool damped; /* springs are implicit ones: side a says so for the joint */
} dry_joint_side;

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

/* Tells whether a joint is solved as a rigid one: its softness is a share of its own mass. */
static inline bool dry_joint_is_rigid(const dry_spook *spook)
{
    return spook->softness == 0.0f;
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
