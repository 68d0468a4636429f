/* The difficulty of islands: the stiffness that the load of each one asks for, as a tier. */
#ifndef SOLVER_PLAN_DIFFICULTY_H
#define SOLVER_PLAN_DIFFICULTY_H

#include "core/math.h"

#include <drystone/world.h>

struct dry_joint;
struct dry_memory;
struct dry_scratch;
struct dry_solver_step;

/* Returns the largest frequency of contacts in islands of a tier, Hz; substeps may converge on less. */
float dry_tier_hertz(int tier);
/* Returns the substeps of a tier under these settings, in steps of `dt` seconds. */
int dry_island_substeps(const dry_settings *settings, int tier, float dt);
/* Returns the number of sweeps with the position term that a tier does in each substep. */
int dry_island_sweeps(const dry_settings *settings, int tier, float dt);
/* Returns the largest load of a joint that substeps of h seconds bear: it opens by as much as one whose load
 * raises a tier, m/s^2. */
float dry_joint_load_borne_by(const struct dry_joint *joint, float h);
/* Tells whether direct joints hold a body: what it carries presses on what all of them hold. */
bool dry_joints_hold_directly(const struct dry_solver_step *step, int row);
/* No load counts for more, m/s^2: impulses and quotients of masses may overflow. */
#define DRY_LOAD_MAX 1e12f
/* A member of a dry_method that sweeps joints: raises what a joint asks of its substeps by what its spring
 * beside other constraints and its turning ask for. */
void dry_joint_measure_swept(const struct dry_solver_step *step, int joint, float *hertz, float *square);
/* Sets the tier of every island, by measures that live meanwhile. Returns false if memory fails. */
bool dry_difficulty_rate(struct dry_solver_step *step, struct dry_memory *memory,
                         struct dry_scratch *scratch);
/* How many times what is measured first the load of a body counts that was placed. */
#define DRY_FIRST_LOAD 2.0f
/* Returns a body's or a joint's sustained load, m/s^2, `dt` seconds after it was `load` (negative: not
 * measured yet), when the last step measured `measured` and its island's guess is `guess`. A first load is
 * `first` times what was measured. */
float dry_load_sustained(float load, float measured, float guess, float first, float gravity, float dt);
/* Up to how many times the sustained load a measured one is no impact's. */
#define DRY_LOAD_BAND 1.25f
/* Returns a measured load within its bounds, and 0 if it is no number. */
static inline float dry_load_bounded(float measured)
{
    return measured > 0.0f ? dry_min(measured, DRY_LOAD_MAX) : 0.0f;
}

/* Returns the load that asks as much stiffness of a body of 1 m as `load` does of a body of this radius. */
float dry_load_of_size(float load, float radius);

#endif
