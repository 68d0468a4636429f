/* Follows a world's mechanical energy through a run, for the law that a world left to itself gains none. */
#ifndef TOOLS_SCENES_MEASURE_ENERGY_H
#define TOOLS_SCENES_MEASURE_ENERGY_H

#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Energies are relative to gravitational energy at the start, so that the place of the world's origin does
 * not matter. */
typedef struct dry_energy_record {
    double origin_J; /* gravitational energy at the start, relative to the world's origin */
    double start_J;  /* energy at the start */
    double end_J;    /* energy at the last look */
    double least_J;  /* least energy of all looks */
    double gained_J; /* largest rise of the energy above any earlier look; 0 if it never rose */
} dry_energy_record;

/* Tells whether the law holds for the scene: no kinematic body moves, which could push others, and no joint
 * has a motor. */
bool dry_scene_keeps_energy(const dry_scene *scene);

/* Begins a record with the world's present energy. */
void dry_energy_begin(dry_energy_record *record, const dry_world *world);
/* Looks at the world's present energy. */
void dry_energy_look(dry_energy_record *record, const dry_world *world);

#ifdef __cplusplus
}
#endif

#endif
