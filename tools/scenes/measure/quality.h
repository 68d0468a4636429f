/* Measures a scene after a run from its true geometry, independently of the engine. The measure has its own
 * separating-axis test in double precision and its own grid to find pairs. */
#ifndef TOOLS_SCENES_MEASURE_QUALITY_H
#define TOOLS_SCENES_MEASURE_QUALITY_H

#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_quality {
    double penetration_max_m;  /* deepest overlap of two shapes of different bodies, one of them dynamic */
    double penetration_mean_m; /* mean over touching pairs; a gap below 1e-4 m counts as an overlap of 0 */
    int touching_pairs;
    double speed_max_m_s;
    double kinetic_energy_J;
    double moved_max_m;          /* largest distance of a dynamic body from its place in the scene */
    double moved_sideways_max_m; /* the same, perpendicular to gravity */
    int moved_over_quarter_m;    /* number of dynamic bodies that moved more than 0.25 m */
} dry_quality;

/* Measures a world's bodies. `ids` is the array that dry_scene_build filled; destroyed bodies do not count.
 * Returns false if there is no memory. */
bool dry_quality_measure(const dry_scene *scene, const dry_world *world, const dry_body_id *ids,
                         dry_quality *quality);

/* Measures given poses and velocities, in the scene's order, such as the final state of another engine. */
bool dry_quality_measure_poses(const dry_scene *scene, const dry_pose *poses, const dry_velocity *velocities,
                               dry_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
