/* Half-space against sphere. The feature is 0. */
#include "narrowphase/pairs/halfspace.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_halfspace_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                  float margin, dry_local_manifold *manifold)
{
    (void)a;
    dry_halfspace_begin(manifold);
    dry_halfspace_add(manifold, vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f)), margin, 0);
}
