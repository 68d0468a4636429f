/* A solver method: what it needs, the destination of its changes, its sweeps, what it refuses. Nothing
 * outside a method's file branches on its name. */
#ifndef SOLVER_DATA_METHOD_H
#define SOLVER_DATA_METHOD_H

#include "core/memory.h"
#include "solver/data/sweep.h"
#include "solver/data/tiers.h"
#include "state/bodies.h"

#include <drystone/joint.h>
#include <drystone/world.h>

struct dry_contact_filling;
struct dry_island;
struct dry_joint_placed;
struct dry_joint_total;
struct dry_solver_step;
struct dry_spook;
struct dry_substeps;

/* The least work of one of several partitions, constraints and bodies, and that of none. */
#define DRY_PARTITION_LEAST 256
#define DRY_PARTITION_NEVER INT64_MAX

/* The sweeps of one substep. */
typedef struct dry_schedule {
    int solve_sweeps, relax_sweeps;
} dry_schedule;

/* SPOOK's numbers in substeps of h s. */
typedef struct dry_method_springs {
    /* Contacts have a frequency of at most `hertz_max`, or a spring of their own, N/m and N s/m. */
    struct dry_spook (*contact)(const dry_settings *settings, float h, float hertz_max);
    struct dry_spook (*contact_spring)(float stiffness, float damping, float h);
    /* Rigid joints are in an island so many times softer than substeps converge on; the row of a joint's
     * spring has the product `inverse_mass`, 1/kg. */
    struct dry_spook (*rigid_joint)(float compliance, float h);
    struct dry_spook (*joint_spring)(const struct dry_solver_step *step, float stiffness, float damping,
                                     const struct dry_joint_placed *placed, float inverse_mass, float h);
} dry_method_springs;

/* Functions that joints need besides sweeps; null: there is nothing to do. */
typedef struct dry_method_joints {
    /* Marks the islands along whose rows substeps.c sweeps, where the layout changes. */
    void (*find_swept)(const struct dry_solver_step *step);
    /* Raises the frequency, Hz, and the square of one, rad^2/s^2, that a joint asks of its substeps. */
    void (*measure)(const struct dry_solver_step *step, int joint, float *hertz, float *square);
    /* Makes rows that have begun heavier, for substeps of h s. */
    void (*begin_rows)(const struct dry_solver_step *step, const int32_t *rows, int count, float h);
    /* Stage "prepare", before joints: lists bodies whose frames turn (bodies/frames.h), and makes room. Not
     * null; false if memory fails. */
    bool (*begin)(struct dry_solver_step *step, dry_memory *memory);
    /* Stage "repair", before momentum and energy. */
    void (*repair)(struct dry_solver_step *step);
} dry_method_joints;

typedef struct dry_method {
    /* Stage "prepare", where the layout changes: makes room, and counts the constraints among which masses
     * are split (dry_plan). False if memory fails; null: no mass is split. */
    bool (*split_masses)(struct dry_solver_step *step, dry_memory *memory);
    const dry_method_joints *joints;
    const dry_method_springs *springs;
    /* A tier with less work, constraints and bodies, is no more than one partition. Another is cut into
     * partitions, so that one pass follows another through a cache. */
    int64_t whole_below;
    /* Both lever arms of a point go by this share of the joint's gap to one point: 1, as momentum asks, or
     * 0. */
    float meet;
    /* Tells whether contacts of islands at rest have lengths at which they bear what they do (plan/rest.c);
     * null: never. */
    bool (*may_rest)(const dry_settings *settings);
    /* Returns the substeps of damping that a spring with (w h)^2 = `squared` gets for the lag of its impulse;
     * null where `joint_spring` does not ask. */
    float (*lag)(const dry_settings *settings, float squared);
    /* Tells whether an island has an account of its energy (laws/ledger.h). */
    bool (*has_account)(const struct dry_solver_step *step, const struct dry_island *island);
    /* Fills a lane of a contact bundle that is prepared; null: there is no more to fill. */
    void (*fill_contact)(const struct dry_contact_filling *f, int lane);
    /* Finds what a joint's rows gave in a step of so many substeps; null: kernels have added it up. */
    void (*find_total)(float substeps, int rows, struct dry_joint_total *total);
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
    /* Tells whether kernels of all levels serve settings; null, or false: those of rare levels do. `springs`:
     * some shape has a stiffness of its own. */
    bool (*is_plain)(const dry_settings *settings, bool springs);
    /* 1 where sweeps change velocities one by one: impulses of light bodies under heavy ones, which a sweep
     * leaves in part, go on to fall (plan/difficulty.c). Else 0. */
    float falls;
    /* A method with substeps of its own instead of those of substeps.c; null functions: it has none. Prepares
     * them when bundles are filled; false if memory fails. */
    bool (*prepare)(struct dry_solver_step *step, dry_memory *memory);
    /* Runs all substeps of a tier (sweeps/passes.h). */
    void (*run_substeps)(struct dry_substeps *run);
    /* Keeps what these hand to the next step besides impulses. */
    void (*store)(struct dry_solver_step *step);
} dry_method;

/* Returns the sweeps of a substep in a tier that is given so many sweeps with the position term. */
static inline dry_schedule dry_method_schedule(const dry_method *method, const dry_settings *settings,
                                               int sweeps)
{
    return (dry_schedule){method->each.solve_sweeps * sweeps,
                          method->each.relax_sweeps * settings->relax_sweeps};
}

/* Tells whether contacts may turn with their bodies: where rows are those of one frame. */
static inline bool dry_method_turns(const dry_method *method)
{
    return !method->run_substeps && method->update[DRY_SWEEP_SOLVE] != DRY_UPDATE_TURNED;
}

struct dry_edge;

/* An order of sweeps other than the default one, by color forward and backward in turns. The second volume
 * has those there are (methods/method.h). */
typedef struct dry_sweep_order {
    /* Finds the layers that are a tier's partitions, and how many each tier has; 0 if it has no bodies. False
     * if memory fails. Layers follow poses: no layout outlives its step. Null: the order has no layers. */
    bool (*find_layers)(struct dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT]);
    /* Return the layer of a row of an island, of a contact and of a joint. */
    int (*layer_of_row)(const struct dry_solver_step *step, int row);
    int (*layer_of_contact)(const struct dry_solver_step *step, const struct dry_edge *edge);
    int (*layer_of_joint)(const struct dry_solver_step *step, int joint);
    /* Changes what the default order says of sweep `i` of its kind in this step; null: nothing. */
    void (*set)(const struct dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i);
    /* Draws the order in which a sweep goes through phases. Null: the order is not shuffled. */
    void (*draw)(const dry_sweep *sweep, const dry_phase *phases, int count, uint8_t drawn[DRY_COLOR_COUNT]);
} dry_sweep_order;

#endif
