/* Hull against sphere: the sphere's center against the hull. The feature is 0. */
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/polytope_closest.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"
#include "narrowphase/placed.h"

void dry_collide_hull_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                             float margin, dry_local_manifold *manifold)
{
    const dry_polytope_kernels *kernels = dry_polytope_kernels_at(DRY_LEVEL_LEAST_LANES);
    const float radius = b->size.x;
    dry_polytope hull;
    dry_polytope_begin(&hull, a, NULL);
    const dry_vec3 at = b_in_a->position;
    /* In double and in float: see dry_polytope_from_center_double. */
    const dry_triple middle =
        triple((double)at.x - hull.center[0], (double)at.y - hull.center[1], (double)at.z - hull.center[2]);
    const dry_vec3 point = triple_round(middle);
    const float distance = vec3_length(point), rounding = PAIR_ROUNDING * (distance + hull.radius);
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->separation_min = distance - hull.radius - radius - rounding;
    if (manifold->separation_min > margin)
        return;

    kernels->polytope_place_planes(&hull);
    _Alignas(64) float bound[DRY_POLYTOPE_FACES];
    for (int i = 0; i < hull.face_room; i++)
        bound[i] = FLT_MAX;
    const int face = kernels->polytope_cut(hull.planes, hull.face_room, point, bound);
    const float height = bound[face];
    manifold->separation_min = height - radius - rounding;
    if (manifold->separation_min > margin)
        return;
    kernels->polytope_place_vertices(&hull);
    const dry_vec3 n = dry_polytope_normal(&hull, face);
    if (height > rounding && dry_polytope_beyond(&hull, face, point) > 0.0f) {
        const dry_polytope_at convex = {&hull, kernels, {0.0, 0.0, 0.0}};
        dry_closest_points found;
        const dry_placed center = dry_placed_point(middle);
        dry_find_closest(&(dry_convex){dry_polytope_support_at, &convex},
                         &(dry_convex){dry_placed_support_at, &center}, middle, &found);
        if (found.count < 4 && found.distance > (double)rounding) {
            manifold->separation_min = (float)found.distance - radius;
            manifold->normal = triple_round(found.normal);
            dry_add_core_point(manifold, dry_polytope_from_center_double(&hull, found.on_a), 0.0f,
                               (float)found.distance, radius, margin, 0);
            return;
        }
    }
    /* Over the face, or inside, where the shortest way out leads through it. */
    manifold->normal = n;
    manifold->separation_min = height - radius;
    dry_add_core_point(manifold, dry_polytope_from_center(&hull, vec3_add_scaled(point, -height, n)), 0.0f,
                       height, radius, margin, 0);
}
