/* What a scene looks like after a run, measured from true geometry, apart from the engine: a separating-
 * axis test of its own in double precision, a grid of its own to find the pairs. */
#ifndef SCENES_MEASURE_QUALITY_H
#define SCENES_MEASURE_QUALITY_H

#include "scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_quality {
    double penetration_max_m; /* deepest overlap of any two shapes of different bodies, one of them dynamic */
    double penetration_mean_m; /* over touching pairs (overlap >= 0, or gap under 1e-4 m counted as 0) */
    int touching_pairs;
    double speed_max_m_s;
    double kinetic_energy_J;
    double moved_max_m;          /* from where the scene put it, dynamic bodies */
    double moved_sideways_max_m; /* perpendicular to gravity */
    int moved_over_quarter_m;    /* bodies that moved more than 0.25 m */
} dry_quality;

/* `ids` as dry_scene_build filled it; bodies destroyed since are left out. False if memory fails. */
bool dry_quality_measure(const dry_scene *scene, const dry_world *world, const dry_body_id *ids,
                         dry_quality *quality);

/* The same from poses and velocities given directly, in the scene's order (peer engines' final states). */
bool dry_quality_measure_poses(const dry_scene *scene, const dry_pose *poses, const dry_velocity *velocities,
                               dry_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
