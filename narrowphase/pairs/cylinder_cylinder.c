/* Cylinder against cylinder. The feature tells which parts touch: ends, an end and a side, sides along each
 * other, or single points; then the part of the first cylinder. */
#include "narrowphase/pairs/cylinder.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_cylinder_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                   float margin, dry_local_manifold *manifold)
{
    dry_cylinder_pair pair = {{(double)a->size.x, (double)a->size.y},
                              dry_partner_at(DRY_CORE_CYLINDER, b_in_a),
                              triple_of(manifold->lean)};
    pair.partner.half[0] = (double)b->size.x;
    pair.partner.half[1] = (double)b->size.y;
    dry_cylinder_collide(&pair, (double)margin, manifold);
}
