/* The bodies of a joint when a step begins: their places, and the softness that follows from them. */
#ifndef SOLVER_SWEEPS_JOINTS_PLACE_H
#define SOLVER_SWEEPS_JOINTS_PLACE_H

#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/joints/places.h"

struct dry_solver_step;

/* The bodies of a joint, as far as softness depends on them. */
typedef struct dry_joint_placed {
    int32_t row;       /* the last of their solver rows; 0: impulses move none */
    bool shared;       /* other constraints push one of them, too */
    bool damped;       /* springs are implicit ones */
    dry_double3 apart; /* anchor b - anchor a, m */
} dry_joint_placed;

/* Adds a body to the others of its joint. Returns its solver row, 0 if no impulse moves it. */
DRY_SHARED int32_t dry_joint_add_body(const struct dry_solver_step *step, int row, dry_joint_placed *placed);
/* Fills a lane of the places of the joint in slot `joint`, of its rows, and of its frames where it has some.
 */
dry_joint_placed dry_joint_place_bodies(const struct dry_solver_step *step, int joint, int lane,
                                        int32_t *row_a, int32_t *row_b, dry_joint_places *places,
                                        dry_joint_frame_places *frames);

/* Returns the bodies of a lane that has its places, with these rows. */
static inline dry_joint_placed dry_joint_placed_at(const dry_joint_places *places, int row_a, int row_b,
                                                   int lane)
{
    return (dry_joint_placed){.row = row_a > row_b ? row_a : row_b, .shared = places->shared[lane] > 0.0f};
}

/* Tells whether the gap of a joint with frames is so large that its rows' own turning outweighs all else: its
 * impulses and the speeds that its rows gain by turning are forgotten. */
bool dry_joint_is_torn(const struct dry_solver_step *step, int joint, int row_a, int row_b,
                       dry_double3 apart);

/* Finds which forms occur among the lanes of each row. */
void dry_joint_count_forms(dry_lanes *form, int rows, int lanes, uint32_t *forms);

/* Of a dry_method that solves for velocities: joints are as stiff as substeps converge on. */
DRY_SHARED extern const struct dry_method_springs dry_springs_as_substeps;
/* The lag where sweeps change velocities one by one. */
DRY_SHARED float dry_lag_damping(const dry_settings *settings, float squared);

/* Returns SPOOK's parameters of a rigid joint. */
DRY_SHARED dry_spook dry_joint_rigid(const struct dry_solver_step *step, const dry_joint_placed *placed,
                                     float h);
/* Returns those of a spring k, c whose g . g is `inverse_mass`; those of a rigid joint if k is 0, or beyond
 * what substeps converge on. */
DRY_SHARED dry_spook dry_joint_spring(const struct dry_solver_step *step, float stiffness, float damping,
                                      const dry_joint_placed *placed, float inverse_mass, float h);
/* Returns those of a drive as stiff as substeps converge on, critically damped on the mass `moved` or that of
 * the row, whichever is larger. Unlike a rigid joint it keeps the speed at which it moves its bodies, so that
 * a bounded force is one that accelerates. */
dry_spook dry_joint_drive(const struct dry_solver_step *step, const dry_joint_placed *placed,
                          float inverse_mass, float moved, float h);

/* Tells whether a joint is solved as a rigid one: its softness is a share of its own mass. */
static inline bool dry_joint_is_rigid(const dry_spook *spook)
{
    return spook->softness == 0.0f;
}

/* Returns by what a spring's error is multiplied for the impulse that it begins with, N s/m: with its own
 * force, in its first step. 0 in later ones. A chain of springs would sag until sweeps had found its forces.
 */
float dry_joint_first_impulse(const struct dry_solver_step *step, int joint, const dry_spook *spook);

/* Returns the factor from the stored impulse to the one that a substep of length h begins with. */
DRY_SHARED float dry_joint_warm_scale(const struct dry_solver_step *step, const dry_joint *joint, float h);

#endif
