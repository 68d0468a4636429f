/* Box against cylinder. The feature is the part of the box, a face or a region by the signs of the normal,
 * and the part of the cylinder (cylinder_points.h). */
#include "narrowphase/pairs/cylinder.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_box_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                              float margin, dry_local_manifold *manifold)
{
    const dry_partner box = {.kind = DRY_CORE_BOX,
                             .half = {(double)a->size.x, (double)a->size.y, (double)a->size.z}};
    dry_collide_with_cylinder(&box, b, b_in_a, margin, manifold);
}
