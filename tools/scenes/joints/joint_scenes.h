/* Declares the scenes that judge how joints are solved: their price, their gaps, and the energy they keep.
 *
 * A setup chooses one scene of a kind: its size, one quantity, and a seed. A scene of several waves is built
 * wave by wave during the run. Scenes use the public headers alone, so that one program measures any
 * revision of the library; a scene is the same to the last bit on every machine. */
#ifndef TOOLS_SCENES_JOINTS_JOINT_SCENES_H
#define TOOLS_SCENES_JOINTS_JOINT_SCENES_H

#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_joint_setup {
    int size;      /* in the scene's unit; 0: its default */
    double value;  /* of the scene's quantity */
    uint64_t seed; /* for scenes that are drawn */
    int wave;      /* the part to make, from 0 */
} dry_joint_setup;

struct maker;

typedef struct dry_joint_scene {
    const char *name;
    const char *summary;   /* one line */
    const char *size_unit; /* null: the scene has one size */
    const char *quantity;  /* what `value` means; null: nothing */
    int size;              /* default */
    int waves, wave_steps; /* a wave begins every `wave_steps` steps; 1, 0: all begins at once */
    double torque_Nm;      /* about z, on the first body in every step */
    void (*make)(struct maker *m, const dry_joint_setup *setup);
} dry_joint_scene;

/* Returns the scenes; the last element has a null name. */
const dry_joint_scene *dry_joint_scenes(void);

/* Finds a scene; null if there is none of that name. */
const dry_joint_scene *dry_joint_scene_find(const char *name);

/* Fills *scene with one wave of a scene. Returns false, with a message of one line, if there is no memory. */
bool dry_joint_scene_make(const dry_joint_scene *kind, const dry_joint_setup *setup, dry_scene *scene,
                          char *error, size_t error_bytes);

/* Sizes, m and kg, that closed forms need besides what a scene itself tells. */
#define DRY_ROD_M 0.5
#define DRY_CRANK_M 0.05
#define DRY_CONROD_M 0.2
#define DRY_CRANK_KG 1.0
#define DRY_CONROD_KG 0.5
#define DRY_PISTON_KG 1.0
#define DRY_SPRING_M 0.5
#define DRY_SPRING_KG 10.0
#define DRY_IMPACT_NS 50.0
#define DRY_IMPACT_FORCE_N 1000.0
#define DRY_SERVO_HERTZ 20.0
#define DRY_SERVO_RATIO 0.2
#define DRY_SERVO_RAD 1.0

#ifdef __cplusplus
}
#endif

#endif
