/* Cylinder against sphere: the sphere's center against the cylinder. The feature is 0. */
#include "narrowphase/pairs/cylinder.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_cylinder_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                 float margin, dry_local_manifold *manifold)
{
    dry_cylinder_pair pair = {{(double)a->size.x, (double)a->size.y},
                              dry_partner_at(DRY_CORE_POINT, b_in_a),
                              triple_of(manifold->lean)};
    pair.partner.radius = (double)b->size.x;
    dry_cylinder_collide(&pair, (double)margin, manifold);
}
