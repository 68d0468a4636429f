/* SPOOK's regularization and stabilization: three numbers from the two ways to say how stiff a constraint is
 * [Spook 9-11]. */
#ifndef SOLVER_CONSTRAINT_SPOOK_H
#define SOLVER_CONSTRAINT_SPOOK_H

#include "core/shared.h"

#include <drystone/world.h>

#include <math.h>
#include <stdbool.h>

/* SPOOK's parameters for one kind of constraint in substeps of length h. */
typedef struct dry_spook {
    float rate;              /* a [Spook 9], 1/s */
    float relative_softness; /* eps / S_ii, for stiffness as a frequency */
    float softness;          /* eps [Spook 11], 1/kg, for stiffness as k */
    float approach;          /* 1 - b [Spook 10] */
} dry_spook;

/* A stiffness, a damping and a force are at most this, as in state/joint_list.h; a softness is at most its
 * square: products of theirs with the square of a substep may round to 0. */
#define DRY_STIFFNESS_MAX 1e15f
#define DRY_SOFTNESS_MAX (DRY_STIFFNESS_MAX * DRY_STIFFNESS_MAX)

/* From a frequency (Hz) and a damping ratio on the constraint's own mass: k = w^2 / S_ii, d = 2 zeta / (w h).
 */
dry_spook dry_spook_from_hertz(float hertz, float ratio, float h);
/* From k (N/m) and c (N s/m): d = c / (k h). */
dry_spook dry_spook_from_spring(float stiffness, float damping, float h);
/* From k (N/m) and d (substeps). */
dry_spook dry_spook_from_stiffness(float stiffness, float damping, float h);
/* Tells whether the settings give contacts a stiffness k, N/m. */
static inline bool dry_spook_given_as_k(const dry_settings *settings)
{
    return settings->contact_stiffness > 0.0f;
}
/* Tells whether the settings say how stiff contacts are, so that the load of islands does not. */
static inline bool dry_spook_is_given(const dry_settings *settings)
{
    return settings->contact_hertz > 0.0f || dry_spook_given_as_k(settings) ||
           settings->method.push_factor > 0.0f;
}
/* From k (N/m) and c (N s/m): the force -k q - c v at the substep's end, of an implicit Euler step. It is
 * XPBD's compliant constraint [Waterson 6.4] with alpha = 1/k: eps = alpha / h^2 without a damper. */
DRY_SHARED dry_spook dry_spook_implicit(float stiffness, float damping, float h);
/* The softness of a rigid joint that is solved so, as a share of its own mass: redundant rows have a solution
 * [Waterson 4.3]. The joint gives way by this share of how far its force would part the bodies in a substep.
 */
#define DRY_IMPLICIT_SOFTNESS 1e-4f
/* The implicit contact spring that the settings ask for. */
DRY_SHARED dry_spook dry_spook_contact_implicit(const dry_settings *settings, float h, float hertz_max);
/* The contact spring that the settings ask for, or contacts that take back the share `push_factor` of their
 * overlap in a substep. Else contacts are as stiff as substeps of length h converge on, at most `hertz_max`.
 */
dry_spook dry_spook_contact(const dry_settings *settings, float h, float hertz_max);

/* "Rigid" is as stiff as substeps of length h converge on: 0.19 of their rate, but not beyond what any
 * scene needs, so that tiny steps do not turn rounding into speed (solver/DECISIONS.md). */
#define DRY_HERTZ_PER_SUBSTEP_RATE 0.19f
#define DRY_HERTZ_MAX 1100.0f
float dry_hertz_of_substep(float h);
/* The share of that frequency which motors have that are as stiff as substeps converge on: more is rigid. */
#define DRY_DRIVE_SHARE 0.9f

/* Returns the energy of a spring whose row gets the impulse `answer` for each unit of error in a substep h,
 * J. A substep moves bodies by the velocity that its impulses leave: along a row x' = x + h v', v' = v -
 * answer x, which keeps v^2 + answer / h x x_before. From the stretch on at which the impulse reaches `most`,
 * the force is constant. */
static inline double dry_spring_energy(double answer, double now, double before, double most, float h)
{
    const double stiffness = answer / (double)h, way = 0.5 * (fabs(now) + fabs(before));
    return answer * way > most ? most / (double)h * (way - 0.5 * most / answer)
                               : 0.5 * stiffness * now * before;
}

#endif
