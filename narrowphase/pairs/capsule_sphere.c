/* Capsule, or another sphere, against sphere: the sphere's center against the capsule's segment, which is a
 * point for a sphere. The feature is 0. */
#include "core/math.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"

void dry_collide_capsule_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                float margin, dry_local_manifold *manifold)
{
    dry_vec3 core = vec3(0.0f, dry_clamp(b_in_a->position.y, -a->size.y, a->size.y), 0.0f);
    dry_vec3 d = vec3_sub(b_in_a->position, core);
    manifold->count = 0;
    manifold->normal = vec3_normalize_or(d, vec3(1.0f, 0.0f, 0.0f));
    manifold->separation_min = vec3_length(d) - a->size.x - b->size.x;
    dry_add_core_point(manifold, core, a->size.x, vec3_length(d), b->size.x, margin, 0);
}
