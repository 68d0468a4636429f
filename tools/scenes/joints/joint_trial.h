/* Runs a joint scene in a world of its own and measures gaps, energy, lost bodies and sleep. The caller does
 * the steps, so that it can time them:
 *
 *     while (dry_joint_trial_ready(&trial, error, sizeof error)) { step; dry_joint_trial_look(&trial); }
 *
 * Uses the public calls alone. */
#ifndef TOOLS_SCENES_JOINTS_JOINT_TRIAL_H
#define TOOLS_SCENES_JOINTS_JOINT_TRIAL_H

#include "tools/scenes/joints/joint_scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DRY_TRIAL_OWN = 4 };

typedef struct dry_joint_trial {
    const dry_joint_scene *scene;
    dry_joint_setup setup;
    dry_world *world;
    float dt;
    int steps; /* done */

    dry_body_id *bodies; /* in the order of the scene, wave after wave */
    dry_joint_id *joints;
    int body_count, joint_count;
    bool has_floor;
    bool passive; /* nothing drives the scene */

    /* Gaps of all joints, NaN if one is: the largest in any step, and at the last look. */
    double gap_m, gap_rad, end_gap_m, end_gap_rad;

    /* Energy without what gravity has at the start. Its scale is the kinetic and elastic energy at the start,
     * and what all bodies lose by falling to the floor; without a floor, to a plane one diameter of the scene
     * and a meter below the lowest body. */
    double start_J, end_J, least_J, scale_J;
    double gained_J; /* largest rise above any earlier energy */
    double above_J;  /* largest rise above the start */
    double origin_J; /* of gravity at the start */

    int lost;                  /* largest number of bodies in quarantine */
    int asleep_after;          /* steps after which nothing was awake until the end; -1: never */
    int substeps;              /* largest number of an island */
    uint64_t corrections;      /* largest number of a step, of direct joints */
    double fastest_m_s;        /* fastest dynamic body at the last look */
    double own[DRY_TRIAL_OWN]; /* of the row that looks (joint_rows.h) */
} dry_joint_trial;

/* Creates a world with the scene's first wave. `def` gives threads and settings but gravity; a dt of 0 takes
 * the scene's. Returns false with a message of one line. */
bool dry_joint_trial_begin(dry_joint_trial *trial, const dry_joint_scene *scene, const dry_joint_setup *setup,
                           const dry_world_def *def, float dt, char *error, size_t error_bytes);

/* Does what comes before the next step: adds a wave, applies the torque. */
bool dry_joint_trial_ready(dry_joint_trial *trial, char *error, size_t error_bytes);

/* Measures after a step. */
void dry_joint_trial_look(dry_joint_trial *trial);

void dry_joint_trial_end(dry_joint_trial *trial);

#ifdef __cplusplus
}
#endif

#endif
