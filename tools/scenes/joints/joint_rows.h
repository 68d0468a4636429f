/* Lists what joints must do: each row is a scene, how long it runs, and the bounds that must hold, by solver.
 * The measurements of perf/joints and the tests share this list. Bounds on times are ratios to another row of
 * the same run, or to another engine's, and only perf/joints looks at them. */
#ifndef TOOLS_SCENES_JOINTS_JOINT_ROWS_H
#define TOOLS_SCENES_JOINTS_JOINT_ROWS_H

#include "tools/scenes/joints/joint_trial.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DRY_ROW_SWEEPS, DRY_ROW_DIRECT, DRY_ROW_AUTO, DRY_ROW_SOLVERS };

/* A bound for each solver; 0: none. */
typedef struct dry_row_bound {
    double most[DRY_ROW_SOLVERS];
} dry_row_bound;

typedef struct dry_joint_row {
    const char *name, *scene;
    dry_joint_setup setup;
    int steps;
    float dt;                   /* s; 0: the scene's */
    int trials;                 /* seeds 1 to `trials`, or as many values of a phase; 0: one trial */
    bool phases;                /* the trials' values are 0 to 1 in place of seeds */
    int substeps, substeps_max; /* settings, and bounds of what a step takes; 0: the default, and none */
    bool awake;                 /* nothing sleeps */
    unsigned skip;              /* bits of solvers that the row has no bound for, and does not run */

    /* Bounds. */
    dry_row_bound gap_mm, end_gap_mm; /* in any step; at the end */
    double gained;                    /* share of the energy's scale; no row gains more than 1 */
    dry_row_bound gained_J;
    double lost;                     /* share of the energy's scale that may be lost; 0: all of it */
    bool may_lose_bodies;            /* bodies may go to quarantine */
    void (*look)(dry_joint_trial *); /* after each step, and at its begin (steps is 0); null: nothing */
    const char *own;                 /* name of trial->own[0]; null: not used */
    dry_row_bound own_most;          /* bound of it */

    /* Bounds of times. */
    const char *beside;   /* another row of the same run */
    double times_beside;  /* largest ratio of the median step to that row's; 0: none */
    dry_row_bound us;     /* largest share of one joint in the difference to that row's median, us */
    double p99_to_median; /* largest ratio, solved directly; 0: none */
    double peer;          /* largest ratio of the processor time to Box3D's; 0: none */
} dry_joint_row;

/* Returns the rows; the last element has a null name. */
const dry_joint_row *dry_joint_rows(void);

/* Finds a row; null if there is none of that name. */
const dry_joint_row *dry_joint_row_find(const char *name);

/* Returns "sweeps", "direct" or "auto". */
const char *dry_row_solver_name(int solver);

/* Returns the number of trials, 1 or more. */
int dry_row_trials(const dry_joint_row *row);

/* Begins trial number `index`, from 0, of a row: its setup, settings and first look. `first_seed` is that of
 * trial 0. `def` gives threads and log. Returns false with a message of one line. */
bool dry_row_begin(const dry_joint_row *row, int solver, int index, uint64_t first_seed,
                   const dry_world_def *def, dry_joint_trial *trial, char *error, size_t error_bytes);

/* Looks after a step: the trial's figures, and the row's own. */
void dry_row_look(const dry_joint_row *row, dry_joint_trial *trial);

/* Tells whether a trial that has run meets the row's bounds. If not, `why` gets the first that it does not,
 * with its figure. */
bool dry_row_holds(const dry_joint_row *row, int solver, const dry_joint_trial *trial, char *why,
                   size_t why_bytes);

/* Runs a whole trial without timing it. Returns false with a message if it could not run. */
bool dry_row_run(const dry_joint_row *row, int solver, int index, uint64_t first_seed,
                 const dry_world_def *def, dry_joint_trial *trial, char *error, size_t error_bytes);

/* joint_looks.c: what single rows measure, into trial->own[0]. */
void dry_look_arm(dry_joint_trial *trial);         /* tip from its place, share of the length */
void dry_look_crank(dry_joint_trial *trial);       /* largest energy over the closed form's largest */
void dry_look_hub(dry_joint_trial *trial);         /* largest speed against the hub, m/s */
void dry_look_springs(dry_joint_trial *trial);     /* largest error of a stretch, share of it */
void dry_look_jerked(dry_joint_trial *trial);      /* largest energy in the trolley's frame, share */
void dry_look_rest(dry_joint_trial *trial);        /* speed of the fastest body at the end, m/s */
void dry_look_load(dry_joint_trial *trial);        /* fall of the last body, share of its height */
void dry_look_impact(dry_joint_trial *trial);      /* faults among break, event and reaction */
void dry_look_servo(dry_joint_trial *trial);       /* largest distance from the closed form, rad */
void dry_look_governor(dry_joint_trial *trial);    /* distance of the slider from the reference, m */
void dry_look_andrews(dry_joint_trial *trial);     /* distance of the crank from the reference, rad */
void dry_look_corrections(dry_joint_trial *trial); /* largest corrections of a step over its substeps */

#ifdef __cplusplus
}
#endif

#endif
