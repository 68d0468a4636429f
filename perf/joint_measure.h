/* Declares how perf/joints takes one measurement: a row of tools/scenes/joints/joint_rows.h by one solver,
 * with processor times of its steps. */
#ifndef PERF_JOINT_MEASURE_H
#define PERF_JOINT_MEASURE_H

#include "tools/scenes/joints/joint_rows.h"

enum { JOINT_WHY = 120 };

typedef struct joint_options {
    bool solver[DRY_ROW_SOLVERS];
    uint64_t seed_first, seed_last; /* 0, 0: the rows' own */
    int threads, repeats;
    double limit_s; /* of processor time for a trial */
    bool tiny;
} joint_options;

/* The figures of one row and one solver, over all of its trials. */
typedef struct joint_result {
    const dry_joint_row *row;
    int solver;
    int steps, joints; /* of all trials; of one */
    double median_ms, p99_ms, longest_ms, total_ms;
    double gap_mm, end_gap_mm, gap_mrad, end_gap_mrad; /* the largest of all trials */
    double gained_J, gained_share, lost_J, lost_share, own;
    int lost_bodies; /* of all trials */
    double asleep_s; /* the latest; negative if one never slept */
    int substeps;
    uint64_t corrections, hash;
    int trials, held;      /* held: trials that meet the row's bounds */
    int rose, above, out;  /* trials whose energy rose by over 1 %, above the start's; that lost bodies */
    int repaired;          /* trials from which the ledger took energy back */
    char why[JOINT_WHY];   /* the first bound that a trial does not meet */
    bool times_hold;       /* the bounds of times that this run can tell */
    char times[JOINT_WHY]; /* what they are, for the line */
} joint_result;

/* Measures a row. Ends the program if it cannot run, or if repeats do not end in one state. */
joint_result joint_measure(const dry_joint_row *row, int solver, const joint_options *options);

/* Returns processor time of this process, ms. */
double joint_processor_ms(void);

/* Sorts times and returns the one at share q. */
double joint_quantile(double *values, int count, double q);

/* Returns a definition with the options' threads, whose log is silent. */
dry_world_def joint_world_def(const joint_options *options);

/* Ends the program with a message. */
void joint_fail(const char *message);

/* joint_budget.c: rows that are no single scene. Both return whether their bound holds. */

/* Prints the longest step over random scenes of any values, over the median step of as many bodies at rest.
 */
bool joint_longest_step(int solver, const joint_options *options);

/* Prints whether a target of 1e274 m is refused. */
bool joint_far_target(void);

#endif
