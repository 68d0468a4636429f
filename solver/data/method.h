/* A solver method: what it needs, the destination of its changes, its sweeps, what it refuses. Nothing
 * outside a method's file branches on its name. */
#ifndef SOLVER_DATA_METHOD_H
#define SOLVER_DATA_METHOD_H

#include "core/memory.h"
#include "solver/data/sweep.h"

#include <drystone/joint.h>
#include <drystone/world.h>

struct dry_solver_step;
struct dry_substeps;
struct dry_tier_range;

/* The sweeps of one substep. */
typedef struct dry_schedule {
    int solve_sweeps, relax_sweeps;
} dry_schedule;

typedef struct dry_method {
    /* Sweeps sum their changes in dry_solver_state.bodies.sums, and a body's mass is split among its
     * constraints: prepare counts them. */
    bool splits_masses;
    /* A tier may be cut into partitions, so that one pass follows another through a cache. */
    bool allows_partitions;
    /* Constraints are solved for positions at the substep's end, at turned bodies: springs are implicit, and
     * velocities follow from positions (position_substeps.c). Each substep's forces are kept in
     * dry_solver_state.bodies.sums. Joints keep both momenta to rounding at any speed: no bound of an energy
     * takes any from an island that nothing holds. Closing a joint leaves its bodies a velocity: while one is
     * open, the energy of its island is bounded. */
    bool positions;
    /* Sweeps keep neither momentum: what an island that nothing holds gains of them is taken back. They may
     * give energy to what joints hold: the energy of every linkage is bounded (laws/ledger.c). */
    bool loses_momentum;
    /* Islands with joints are swept along rows that substeps.c makes anew in each substep, and relaxed.
     * Joints that it lets open are held where the step ends, and bodies that too large a load goes through
     * count as heavier. */
    bool sweeps_joints;
    bool rigid; /* contacts have no compliance */
    /* Contacts of islands at rest have lengths at which they bear what they do (plan/rest.h). */
    bool rests;
    /* The destination of each sweep's changes, which chooses the method's kernels. */
    dry_update update[DRY_SWEEP_COUNT];
    /* The sweeps of a substep for each one with the position term, and for each one without it, that the tier
     * and the settings give. */
    dry_schedule each;
    /* Returns the relaxation at which sweeps would converge fastest, if with the present one each sweep's
     * change is `ratio` of the last one's, below 1. */
    double (*relaxation)(const dry_settings *settings, double present, double ratio);
    /* Return what the method cannot honor of settings, or of a joint, in words, or null; null functions: it
     * honors all. */
    const char *(*refuses)(const dry_settings *settings);
    const char *(*refuses_joint)(const dry_joint_def *def);
    /* Why settings may not ask for geometric stiffness; null: they may. */
    const char *no_geometric_stiffness;
    /* Why surfaces may have no springs of their own; null: they may. */
    const char *no_contact_springs;
    /* Runs the substeps of a tier over bundles (sweeps/passes.h); null: those of substeps.c do. */
    void (*run_substeps)(struct dry_substeps *run);
    /* A method with a loop of its own instead of substeps.c; null functions: it has none. Prepares it when
     * bundles are filled; false if memory fails. */
    bool (*prepare)(struct dry_solver_step *step, dry_memory *memory);
    /* Runs all substeps of a tier. */
    void (*solve_tier)(struct dry_solver_step *step, const struct dry_tier_range *range);
    /* Keeps what the loop hands to the next step besides impulses. */
    void (*store)(struct dry_solver_step *step);
} dry_method;

/* Returns the sweeps of a substep in a tier that is given so many sweeps with the position term. */
static inline dry_schedule dry_method_schedule(const dry_method *method, const dry_settings *settings,
                                               int sweeps)
{
    return (dry_schedule){method->each.solve_sweeps * sweeps,
                          method->each.relax_sweeps * settings->relax_sweeps};
}

#endif
