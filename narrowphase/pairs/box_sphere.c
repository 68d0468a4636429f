/* Box against sphere: the sphere's center against the box. The feature is 0. */
#include "core/math.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"

void dry_collide_box_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                            float margin, dry_local_manifold *manifold)
{
    dry_vec3 p = b_in_a->position, h = a->size;
    dry_vec3 q = vec3_max(vec3_neg(h), vec3_min(p, h));
    dry_vec3 d = vec3_sub(p, q);
    float distance = vec3_length(d);
    manifold->count = 0;
    manifold->separation_min = distance - b->size.x;
    if (distance > 1e-18f) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
        dry_add_core_point(manifold, q, 0.0f, distance, b->size.x, margin, 0);
        return;
    }
    /* The center is inside the box: the shortest way out leads through the nearest face. */
    float depth[3] = {dry_abs(p.x) - h.x, dry_abs(p.y) - h.y, dry_abs(p.z) - h.z};
    int k = depth[1] > depth[0] ? 1 : 0;
    k = depth[2] > depth[k] ? 2 : k;
    float sign = vec3_get(p, k) < 0.0f ? -1.0f : 1.0f;
    manifold->normal = vec3(k == 0 ? sign : 0.0f, k == 1 ? sign : 0.0f, k == 2 ? sign : 0.0f);
    dry_add_core_point(manifold, vec3_add_scaled(p, -depth[k], manifold->normal), 0.0f, depth[k], b->size.x,
                       margin, 0);
}
