/* Measures how far the joints of a world are from holding, as the engine reads them (dry_joint_get_error). */
#ifndef TOOLS_SCENES_MEASURE_JOINT_ERRORS_H
#define TOOLS_SCENES_MEASURE_JOINT_ERRORS_H

#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest errors of any joint; NaN if a joint's is. 0 without joints. */
typedef struct dry_joint_errors {
    double max_m, max_rad;
} dry_joint_errors;

/* Measures all joints of a world's bodies. `ids` is the array that dry_scene_build filled; joints that broke
 * do not count. Returns false if there is no memory. */
bool dry_joint_errors_measure(const dry_scene *scene, const dry_world *world, const dry_body_id *ids,
                              dry_joint_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
