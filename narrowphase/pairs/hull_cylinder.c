/* Hull against cylinder. The feature is the face of the hull, and the part of the cylinder or the corner or
 * edge of the face (cylinder_points.h). */
#include "geometry/shape_data.h"
#include "narrowphase/pairs/cylinder.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_hull_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    const dry_partner hull = {.kind = DRY_CORE_HULL, .hull = a->data->form, .scale = a->size};
    dry_collide_with_cylinder(&hull, b, b_in_a, margin, manifold);
}
