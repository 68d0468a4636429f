/* Supports of placed polytopes. Next: closest.c in the folder above. */
#include "narrowphase/pairs/polytope_closest.h"

dry_triple dry_polytope_support_at(const void *shape, dry_triple along, int *number)
{
    const dry_polytope_at *p = shape;
    /* A unit vector in float: the square of a short one would vanish. */
    const double length = triple_length(along), inverse = length > 0.0 ? 1.0 / length : 0.0;
    *number = dry_polytope_support(p->polytope, p->kernels, triple_round(triple_scale(along, inverse)));
    return triple_add_scaled(p->center, 1.0, triple_of(dry_polytope_vertex(p->polytope, *number)));
}
