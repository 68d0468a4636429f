/* Puts a scene out of order: what stands only in perfect order does not stand.
 *
 * Reads and writes a dry_scene. */
#include "tools/scenes/random.h"
#include "tools/scenes/scenes.h"

void dry_scene_disorder(dry_scene *scene, double shift_max_m, uint64_t seed)
{
    uint64_t random = seed;
    for (int i = 0; i < scene->body_count; i++) {
        dry_body_def *def = &scene->bodies[i].def;
        if (def->type != DRY_BODY_DYNAMIC)
            continue;
        def->pose.position.x += shift_max_m * dry_random_signed(&random);
        def->pose.position.z += shift_max_m * dry_random_signed(&random);
    }
}
