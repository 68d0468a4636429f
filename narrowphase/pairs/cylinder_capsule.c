/* Cylinder against capsule: the capsule's segment against the cylinder, at one point or at both ends of a
 * stretch that lies on an end or along the side. The feature is the part of the capsule (round.h). */
#include "narrowphase/pairs/cylinder.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_cylinder_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                  float margin, dry_local_manifold *manifold)
{
    dry_cylinder_pair pair = {{(double)a->size.x, (double)a->size.y},
                              dry_partner_at(DRY_CORE_SEGMENT, b_in_a),
                              triple_of(manifold->lean)};
    pair.partner.radius = (double)b->size.x;
    pair.partner.half[1] = (double)b->size.y;
    dry_cylinder_collide(&pair, (double)margin, manifold);
}
