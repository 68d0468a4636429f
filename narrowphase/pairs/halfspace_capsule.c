/* Half-space against capsule: both ends of the segment. The feature is 0 for the low end, 1 for the high one.
 */
#include "narrowphase/pairs/halfspace.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_halfspace_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                   float margin, dry_local_manifold *manifold)
{
    (void)a;
    dry_halfspace_begin(manifold);
    dry_vec3 half = quat_rotate(b_in_a->orientation, vec3(0.0f, b->size.y, 0.0f));
    dry_vec3 low = vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f));
    dry_halfspace_add(manifold, vec3_sub(low, half), margin, 0);
    dry_halfspace_add(manifold, vec3_add(low, half), margin, 1);
}
