/* Contacts with a half-space: solid where its local y <= 0, so the normal is always (0, 1, 0).
 *
 * Features: sphere 0; capsule 0 and 1 for the segment's low and high end; box its vertex, one bit per
 * axis, set on the positive side. */
#include "narrowphase/pairs/pairs.h"

/* A point of the shape's surface at height p.y, if it is near enough. The lowest says how far the shape is.
 */
static void add_if_near(dry_local_manifold *manifold, dry_vec3 p, float margin, uint32_t feature)
{
    manifold->apart = dry_min(manifold->apart, p.y);
    if (p.y <= margin)
        dry_manifold_add(manifold, vec3(p.x, 0.5f * p.y, p.z), p.y, feature);
}

void dry_collide_halfspace_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                  float margin, dry_local_manifold *manifold)
{
    (void)a;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->apart = FLT_MAX;
    add_if_near(manifold, vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f)), margin, 0);
}

void dry_collide_halfspace_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                   float margin, dry_local_manifold *manifold)
{
    (void)a;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->apart = FLT_MAX;
    dry_vec3 half = quat_rotate(b_in_a->orientation, vec3(0.0f, b->size.y, 0.0f));
    dry_vec3 low = vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f));
    add_if_near(manifold, vec3_sub(low, half), margin, 0);
    add_if_near(manifold, vec3_add(low, half), margin, 1);
}

/* The four vertices of the face that looks most downwards: the deepest vertex is one of them, and they
 * span the largest area under the box. */
void dry_collide_halfspace_box(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    (void)a;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->apart = FLT_MAX;

    dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    dry_vec3 axes[3] = {vec3_scale(r.x, b->size.x), vec3_scale(r.y, b->size.y), vec3_scale(r.z, b->size.z)};
    float slope[3] = {dry_abs(r.x.y), dry_abs(r.y.y), dry_abs(r.z.y)};
    int k = slope[1] > slope[0] ? 1 : 0;
    k = slope[2] > slope[k] ? 2 : k;
    int u = (k + 1) % 3, v = (k + 2) % 3;

    bool positive = axes[k].y < 0.0f;
    dry_vec3 centre = vec3_add_scaled(b_in_a->position, positive ? 1.0f : -1.0f, axes[k]);
    uint32_t face = positive ? 1u << k : 0u;
    for (int i = 0; i < 4; i++) {
        dry_vec3 p = vec3_add_scaled(centre, i & 1 ? 1.0f : -1.0f, axes[u]);
        p = vec3_add_scaled(p, i & 2 ? 1.0f : -1.0f, axes[v]);
        add_if_near(manifold, p, margin, face | (i & 1 ? 1u << u : 0u) | (i & 2 ? 1u << v : 0u));
    }
}
