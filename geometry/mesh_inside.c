/* Tells whether a point lies in the solid that a mesh bounds. The first triangle on a ray from the point
 * shows its back if the point is inside. A ray that meets it close to an edge says little, since the neighbor
 * there may face the other way: then a ray of another direction is cast.
 *
 * Reads: a block. Next: mesh_rays.c. */
#include "geometry/mesh_tree.h"

/* Directions without a plane or an axis in common with what people build. */
static const double directions[][3] = {{0.6123, 0.7307, 0.3018},   {-0.4271, 0.5519, 0.7162},
                                       {0.8391, -0.2713, -0.4712}, {-0.3517, -0.8803, 0.3187},
                                       {0.2239, 0.3911, -0.8927},  {-0.7591, 0.1373, -0.6363},
                                       {0.5077, -0.6529, 0.5623},  {-0.1871, 0.9431, -0.2749}};

/* Returns a length, m, that leads from a point out of the mesh. */
static double way_out(const dry_mesh_tree *tree, dry_double3 point)
{
    double sum = 1.0;
    for (int k = 0; k < 3; k++)
        sum += (double)tree->bounds.max[k] - (double)tree->bounds.min[k] + fabs(double3_get(point, k));
    return 2.0 * sum;
}

static bool is_outside_bounds(const dry_mesh_tree *tree, dry_double3 point)
{
    bool outside = false;
    for (int k = 0; k < 3; k++)
        outside = outside || double3_get(point, k) < (double)tree->bounds.min[k] ||
                  double3_get(point, k) > (double)tree->bounds.max[k];
    return outside;
}

bool dry_mesh_tree_contains(const dry_mesh_tree *tree, dry_double3 point)
{
    if (is_outside_bounds(tree, point))
        return false;
    const double length = way_out(tree, point);
    bool inside = false;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        const double *d = directions[i];
        const dry_mesh_ray ray = {{point.x, point.y, point.z},
                                  {length * d[0], length * d[1], length * d[2]},
                                  DRY_MESH_FRONTS | DRY_MESH_BACKS};
        dry_mesh_hit hit;
        if (!dry_mesh_tree_cast_ray(tree, &ray, &hit))
            return false;
        inside = hit.back;
        const double *w = hit.barycentric;
        if (w[0] > 1e-9 && w[1] > 1e-9 && w[2] > 1e-9)
            break;
    }
    return inside;
}
