/* Sphere against sphere. The feature is 0. */
#include "core/math.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"

void dry_collide_sphere_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    manifold->count = 0;
    manifold->normal = vec3_normalize_or(b_in_a->position, vec3(0.0f, 1.0f, 0.0f));
    manifold->separation_min = vec3_length(b_in_a->position) - a->size.x - b->size.x;
    dry_add_core_point(manifold, vec3(0.0f, 0.0f, 0.0f), a->size.x, vec3_length(b_in_a->position), b->size.x,
                       margin, 0);
}
