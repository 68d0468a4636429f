/* Half-spaces against all other shapes. The solid lies at y <= 0 in its frame, so the normal is (0, 1, 0). */
#include "core/math.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/patch.h"
#include "narrowphase/pairs/polytope.h"
#include "narrowphase/pairs/rules.h"

static void begin(dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->separation_min = FLT_MAX;
}

/* Appends a point p of the other shape's surface, at height p.y, if it is within the margin. The lowest point
 * gives the distance of the shapes. */
static void add(dry_local_manifold *manifold, dry_vec3 p, float margin, uint32_t feature)
{
    manifold->separation_min = dry_min(manifold->separation_min, p.y);
    if (p.y <= margin)
        dry_local_manifold_add(manifold, vec3(p.x, 0.5f * p.y, p.z), p.y, feature);
}

/* The feature is 0. */
void dry_collide_halfspace_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                  float margin, dry_local_manifold *manifold)
{
    (void)a;
    begin(manifold);
    add(manifold, vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f)), margin, 0);
}

/* Both ends of the segment. The feature is 0 for the low end, 1 for the high one. */
void dry_collide_halfspace_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                   float margin, dry_local_manifold *manifold)
{
    (void)a;
    begin(manifold);
    dry_vec3 half = quat_rotate(b_in_a->orientation, vec3(0.0f, b->size.y, 0.0f));
    dry_vec3 low = vec3_sub(b_in_a->position, vec3(0.0f, b->size.x, 0.0f));
    add(manifold, vec3_sub(low, half), margin, 0);
    add(manifold, vec3_add(low, half), margin, 1);
}

/* The four vertices of the face that looks most downwards. The deepest vertex is one of them, and they span
 * the largest area under the box. The feature is the vertex, one bit per axis, set on the positive side. */
void dry_collide_halfspace_box(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    (void)a;
    begin(manifold);

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
        add(manifold, p, margin, face | (i & 1 ? 1u << u : 0u) | (i & 2 ? 1u << v : 0u));
    }
}

/* Parts of a cylinder's rim, and what those of the upper end have added: its features. */
enum { DEEPEST, OPPOSITE, LEFT, RIGHT, HIGH = 8 };

/* Four points of the rim of the lower end, or both ends of the lowest line of the side. The lowest point is
 * always one of them. A cylinder that leans by less than 45 degrees shows its end. */
void dry_collide_halfspace_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                    float margin, dry_local_manifold *manifold)
{
    (void)a;
    begin(manifold);
    const dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    const dry_vec3 axis = r.y, half = vec3_scale(axis, b->size.y);
    const float across = sqrtf(axis.x * axis.x + axis.z * axis.z), along = dry_abs(axis.y);
    const float side = axis.y > 0.0f ? -1.0f : 1.0f;
    /* Down from the axis to the lowest point of a rim. */
    dry_vec3 down = across > 1e-9f ? vec3(axis.y * axis.x / across, -across, axis.y * axis.z / across) : r.x;
    const dry_vec3 lean = vec3_add_scaled(manifold->lean, -vec3_dot(manifold->lean, axis), axis);
    const float aside = vec3_length(lean);
    if (across < PAIR_FLAT_SINE && aside > PAIR_LEAN_LEAST * vec3_length(manifold->lean))
        down = vec3_scale(lean, 1.0f / aside);
    const dry_vec3 low = vec3_add_scaled(b_in_a->position, b->size.x, down);
    if (along < across) {
        add(manifold, vec3_sub(low, half), margin, DEEPEST);
        add(manifold, vec3_add(low, half), margin, DEEPEST + HIGH);
        manifold->rolls = true;
        return;
    }
    const uint32_t high = side > 0.0f ? HIGH : 0;
    const dry_vec3 end = vec3_add_scaled(b_in_a->position, side, half);
    const dry_vec3 left = vec3_scale(vec3_cross(axis, down), b->size.x), out = vec3_scale(down, b->size.x);
    add(manifold, vec3_add(end, out), margin, DEEPEST + high);
    add(manifold, vec3_sub(end, out), margin, OPPOSITE + high);
    add(manifold, vec3_add(end, left), margin, LEFT + high);
    add(manifold, vec3_sub(end, left), margin, RIGHT + high);
    manifold->rolls = across > (float)PAIR_STRETCH_SINE || manifold->count < 3;
}

/* The vertices within the margin, of which four are chosen. The feature is the vertex. */
void dry_collide_halfspace_hull(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                float margin, dry_local_manifold *manifold)
{
    (void)a;
    const dry_pair_kernels *kernels = dry_pair_kernels_at(DRY_LEVEL_LEAST_LANES);
    dry_polytope hull;
    begin(manifold);
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
        add(manifold, vec3(at.x, points[i].height, at.z), margin, points[i].feature);
    }
}
