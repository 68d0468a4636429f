/* A world of articulations that a benchmark steps and watches. */
#ifndef PERF_ARTICULATION_RUN_H
#define PERF_ARTICULATION_RUN_H

#include "tools/scenes/scenes.h"

/* One world with one of the solvers, and what was seen of it. */
typedef struct articulation_run {
    dry_world *world;
    dry_body_id *body;
    dry_joint_id *joint;
    double *ms; /* of each step: processor time */
    double first_J, last_J, largest_J, error_m, error_rad;
    double used_ms; /* in steps */
    int joints, steps;
    int direct;                       /* most joints that a step solved directly */
    int rows;                         /* those of locked axes; limits, motors and springs have none */
    uint64_t nonzeros;                /* of the factors, after the first step */
    uint64_t iterations, corrections; /* of joint corrections; these */
    int corrected_steps;              /* steps that had some */
    int asleep_after; /* steps after which nothing was awake, up to the last; -1: something is */
} articulation_run;

/* Ends the program if a call failed. */
void articulation_check(dry_result result, const char *what);
/* Returns room for some elements, zeroed. */
void *articulation_room(int count, size_t bytes);

/* Builds a scene in a world of one thread. Bodies may fall asleep if `sleep` is set. A `regularization` of 0
 * takes the default. There is room for the times of `steps` steps. */
void articulation_begin(articulation_run *r, const dry_scene *scene, dry_joint_solver solver,
                        double regularization, int steps, bool sleep);
void articulation_step(articulation_run *r, float dt);
void articulation_end(articulation_run *r);

/* Returns a quantile of the times of steps, ms. Sorts them. */
double articulation_quantile(articulation_run *r, double share);

#endif
