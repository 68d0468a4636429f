/* Scenes drawn from a seed, for what no scene of a list can show: that standing does not depend on the scenes
 * that an engine's constants were chosen with.
 *
 * A family is a way to build; a seed draws its parameters: numbers of parts, proportions, scale from 5 cm to
 * 20 m, density from 100 to 8,000 kg/m^3, and disorder. Every scene of a standing family is stable as a set
 * of rigid bodies, with a margin: the load above each joint acts no farther from the middle of the bearing
 * than 1 - margin of the distance to the bearing's edge. Parts exactly touch the parts below them, and have a
 * gap to the parts beside them, so that disorder makes no overlap. */
#ifndef TOOLS_SCENES_GENERATED_H
#define TOOLS_SCENES_GENERATED_H

#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Constants of the solver may be chosen with the tuning seeds alone. The held-out seeds, one third of all,
 * tell whether the choice holds for other scenes. */
#define DRY_SEED_TUNING_FIRST 1
#define DRY_SEED_TUNING_LAST 6
#define DRY_SEED_HELD_OUT_FIRST 100
#define DRY_SEED_HELD_OUT_LAST 102

typedef enum dry_scene_kind {
    DRY_SCENE_STANDS, /* begins in equilibrium */
    DRY_SCENE_FALLS,  /* a pile that falls into a bin and comes to rest */
    DRY_SCENE_HANGS   /* bodies that hang from joints, in equilibrium */
} dry_scene_kind;

typedef struct dry_scene_family {
    const char *name;
    const char *summary; /* one line */
    dry_scene_kind kind;
    double margin; /* of every scene of a standing family, 0 to 1; 0 for other kinds */
    double deep_m; /* penetration that is acceptable where parts have a size of 1 m and more, m */
} dry_scene_family;

/* Returns the families; the last element has a null name. */
const dry_scene_family *dry_scene_families(void);

/* Finds a family; null if there is none of that name. */
const dry_scene_family *dry_scene_find_family(const char *name);

/* Fills *scene with the scene of a family and a seed. Returns false with a message of one line: an unknown
 * family, or no memory. The scene is the same to the last bit on every machine. */
bool dry_scene_generate(const char *family, uint64_t seed, dry_scene *scene, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
