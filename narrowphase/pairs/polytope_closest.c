/* Supports of placed polytopes. Next: closest.c in the folder above. */
#include "narrowphase/pairs/polytope_closest.h"

int dry_polytope_support_at(const void *shape, const double along[3], double point[3])
{
    const dry_polytope_at *p = shape;
    /* A unit vector in float: the square of a short one would vanish. */
    const double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    const double inverse = length > 0.0 ? 1.0 / length : 0.0;
    const dry_vec3 direction =
        vec3((float)(along[0] * inverse), (float)(along[1] * inverse), (float)(along[2] * inverse));
    const int vertex = dry_polytope_support(p->polytope, p->kernels, direction);
    const dry_vec3 at = dry_polytope_vertex(p->polytope, vertex);
    point[0] = p->center[0] + (double)at.x;
    point[1] = p->center[1] + (double)at.y;
    point[2] = p->center[2] + (double)at.z;
    return vertex;
}
