/* One body of a joint at a step's beginning, and what all kinds of joint bundles have in common. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H
#define SOLVER_SWEEPS_JOINTS_JOINT_SIDE_H

#include "solver/bodies/whitening.h"
#include "solver/constraint/spook.h"
#include "solver/data/bundle.h"
#include "solver/data/joints/single_row.h"
#include "state/joints.h"

struct dry_solver_step;

/* One body's side of a joint. Errors are measured at the beginning of the step, rows at the mean of the
 * substeps' beginnings: (dt - h) / 2 later, as the bodies move now. Rows are constant within a step.
 *
 * Rows from the beginning of the step would make the direction an explicit Euler step. A pendulum's amplitude
 * would grow by w^2 dt (1 - 1/N) / 4 a second (30 % in 8 s at 60 Hz). Rows from the middle of the step would
 * shrink it by w^2 dt / 4N. Rows from the mean do neither. With one substep the mean gives the symplectic
 * Euler step.
 *
 * Methods that solve for positions have the rows of the substep's beginning, and measure errors at its end:
 * SHAKE, the correction of poses in RATTLE [Tomcin 3]. A center moves along its own momentum, so
 * that an impulse with the lever arms of the beginning changes the angular momentum at the end by as much.
 * Both sides of a joint have their arms lead to one point: the impulses of any number of sweeps, converged or
 * not, change no angular momentum. */
typedef struct dry_joint_side {
    dry_whitening w;
    int32_t row;                 /* in the solver's rows; 0: nothing pushes the body */
    float mass_share;            /* how many constraints split the mass where changes are summed, else 1 */
    bool shared;                 /* other constraints push the body too */
    dry_position center;         /* of mass, where errors are measured */
    dry_vec3 lever_arm;          /* from the center of mass to the anchor, world, likewise, m */
    dry_vec3 mean_lever_arm;     /* the same where rows are made */
    dry_vec3 drift;              /* the displacement of the center of mass until then, m */
    dry_vec3 kinematic_velocity; /* of the anchor if the body is kinematic and awake, else 0, m/s */
    dry_vec3 acceleration;       /* w x (w x r): of the anchor as the body rotates, m/s^2 */
    dry_vec3 velocity;           /* of the anchor, m/s */
} dry_joint_side;

/* Returns how far ahead rows are made, s: at the mean of the substeps' beginnings, or at once where joints
 * are prepared for each substep. */
float dry_joint_mean_time(const struct dry_solver_step *step, float h);

/* Returns side a (0) or b (1) of the joint in slot `joint`, in substeps of length h. */
dry_joint_side dry_joint_side_of(const struct dry_solver_step *step, int joint, int side, float h);

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
/* Returns how far a row along `axis` moved since the step began, m: what sweeps add to its error. `angular_a`
 * and `angular_b` are its whitened angular parts, a's with its minus sign. */
float dry_joint_moved(const struct dry_solver_step *step, const dry_joint_side *a, const dry_joint_side *b,
                      dry_vec3 axis, dry_vec3 angular_a, dry_vec3 angular_b);

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

/* Returns those of a drive, critically damped and as stiff as substeps converge on. Unlike a rigid joint it
 * keeps the speed at which it moves its bodies, so that a bounded force is one that accelerates. */
dry_spook dry_joint_drive(const struct dry_solver_step *step, const dry_joint_side *a,
                          const dry_joint_side *b, float inverse_mass, float h);

/* Returns the factor from the stored impulse to the one that a substep of length h begins with. */
float dry_joint_warm_scale(const struct dry_solver_step *step, const dry_joint *joint, float h);

/* Stores the impulse of a joint's last substep, of length h, and advances its load. The load that was
 * measured is the acceleration with which the joint's force would part its bodies, m/s^2. An impulse that is
 * not finite is forgotten: the joint begins anew. */
void dry_joint_store(const struct dry_solver_step *step, int joint, dry_vec3 impulse, float h,
                     float measured);

/* Stores the angular impulse and the impulses of the rows of a block, which dry_joint_store then follows. */
void dry_joint_store_rows(const struct dry_solver_step *step, int joint, dry_vec3 angular, const float *rows);
/* Adds what the axes of a joint gave to what its block stored, if it has one; `axes` is their new state. */
void dry_joint_store_axes(const struct dry_solver_step *step, int joint, dry_vec3 linear, dry_vec3 angular,
                          const dry_joint_axes_state *axes, float h);

#endif
