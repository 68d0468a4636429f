/* Half-space against hull: the vertices within the margin, of which four are chosen. The feature is the
 * vertex. */
#include "narrowphase/pairs/halfspace.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/patch.h"
#include "narrowphase/pairs/polytope.h"
#include "narrowphase/pairs/rules.h"

void dry_collide_halfspace_hull(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                float margin, dry_local_manifold *manifold)
{
    (void)a;
    const dry_pair_kernels *kernels = dry_pair_kernels_at(DRY_LEVEL_LEAST_LANES);
    dry_polytope hull;
    dry_halfspace_begin(manifold);
    dry_polytope_begin(&hull, b, b_in_a);
    const double center = hull.center.y;
    manifold->separation_min = (float)(center - (double)hull.radius);
    if (manifold->separation_min > margin)
        return;
    kernels->polytope_place_vertices(&hull);
    const float *x = hull.vertices, *y = x + hull.vertex_room, *z = y + hull.vertex_room;
    dry_patch_point points[DRY_HULL_VERTICES_MAX];
    int count = 0;
    manifold->separation_min = FLT_MAX;
    for (int i = 0; i < hull.vertex_count; i++) {
        const float height = (float)(center + (double)y[i]);
        manifold->separation_min = dry_min(manifold->separation_min, height);
        points[count] = (dry_patch_point){x[i], z[i], height, (uint32_t)i};
        count += height <= margin;
    }
    count = dry_patch_choose(points, count, 0, 0.5f * PAIR_SAME_DEPTH * hull.thickness);
    for (int i = 0; i < count; i++) {
        const dry_vec3 at = dry_polytope_from_center(&hull, vec3(points[i].x, 0.0f, points[i].y));
        dry_halfspace_add(manifold, vec3(at.x, points[i].height, at.z), margin, points[i].feature);
    }
}
