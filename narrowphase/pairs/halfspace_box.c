/* Half-space against box: the four vertices of the face that looks most downwards. The deepest vertex is one
 * of them, and they span the largest area under the box.
 *
 * The feature is the vertex, one bit per axis, set on the positive side. */
#include "narrowphase/pairs/halfspace.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_halfspace_box(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    (void)a;
    dry_halfspace_begin(manifold);

    dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    dry_vec3 axes[3] = {vec3_scale(r.x, b->size.x), vec3_scale(r.y, b->size.y), vec3_scale(r.z, b->size.z)};
    float slope[3] = {dry_abs(r.x.y), dry_abs(r.y.y), dry_abs(r.z.y)};
    int k = slope[1] > slope[0] ? 1 : 0;
    k = slope[2] > slope[k] ? 2 : k;
    int u = (k + 1) % 3, v = (k + 2) % 3;

    bool positive = axes[k].y < 0.0f;
    dry_vec3 center = vec3_add_scaled(b_in_a->position, positive ? 1.0f : -1.0f, axes[k]);
    uint32_t face = positive ? 1u << k : 0u;
    for (int i = 0; i < 4; i++) {
        dry_vec3 p = vec3_add_scaled(center, i & 1 ? 1.0f : -1.0f, axes[u]);
        p = vec3_add_scaled(p, i & 2 ? 1.0f : -1.0f, axes[v]);
        dry_halfspace_add(manifold, p, margin, face | (i & 1 ? 1u << u : 0u) | (i & 2 ? 1u << v : 0u));
    }
}
