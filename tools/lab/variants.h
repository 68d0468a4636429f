/* The methods that experiments compare, and how they watch a world that one of them steps. */
#ifndef TOOLS_LAB_VARIANTS_H
#define TOOLS_LAB_VARIANTS_H

#include "tools/lab/run.h"

typedef struct lab_variant {
    const char *name;
    dry_solver solver;
    dry_joint_solver joints;
    dry_order order;
    float relaxation;
} lab_variant;

/* The default is the first one, and solvers in their usual order come before others. No more than a plot has
 * curves. */
enum { LAB_SOLVERS = 6, LAB_VARIANTS = 8 };
extern const lab_variant lab_variants[LAB_VARIANTS];

/* Makes settings those of a variant. */
void lab_variant_apply(const lab_variant *v, dry_settings *settings);

/* The bodies and steps of one trial. */
typedef struct lab_trial {
    dry_world *world;
    const dry_body_id *ids;
    int bodies;
    float dt;
    int steps;
    int every; /* steps from one look to the next one */
} lab_trial;

/* The result of a trial, from the second half of its steps. A body that goes into quarantine makes all
 * lengths infinite.
 */
typedef struct lab_outcome {
    double opening;  /* largest overlap of two shapes or gap of a joint, m */
    double moved;    /* largest distance of a body from its place at the begin of the trial, m */
    double sideways; /* the same without the vertical part, m */
    double speed;    /* largest of a body at the end, m/s */
    double time_ms;  /* processor time of a step, mean */
    int substeps;    /* largest of the tiers of the bodies' islands, at the end */
    bool refused;    /* the method does not take the scene: all else is NAN */
} lab_outcome;

lab_outcome lab_watch(lab_run *run, const lab_trial *trial);

/* Returns the outcome of a method that does not take a scene. */
lab_outcome lab_refused(void);

#endif
