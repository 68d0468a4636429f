/* Stage "contacts": anchors of one contact, made anew where its bodies are now.
 *
 * Reads: the pair's pieces and poses, the points found. Writes: the manifold. Next: manifold_update.c, which
 * keeps the anchors while the bodies barely move relative to each other. */
#include "narrowphase/manifold_build.h"

#include "core/quat_pack.h"
#include "narrowphase/manifold.h"

/* Puts the point farthest from the first beside it: the solver takes points two by two, and pairs from
 * across the patch keep a flat landing flat. */
static void pair_across(dry_local_manifold *found)
{
    int farthest = 1;
    float most = -1.0f;
    for (int i = 1; i < found->count; i++) {
        float distance = vec3_distance(found->points[i].position, found->points[0].position);
        if (distance > most) {
            most = distance;
            farthest = i;
        }
    }
    if (found->count > 2) {
        dry_local_point p = found->points[1];
        found->points[1] = found->points[farthest];
        found->points[farthest] = p;
    }
}

/* Returns the collision frame's origin as seen from b's center, along a's principal axes, m. */
static dry_vec3 origin_from_b(const dry_contact_pair *pair, dry_vec3 b_in_a, const dry_mat3 *axes_a,
                              const dry_mat3 *rotation)
{
    if (pair->follows_b) /* no difference of large numbers */
        return vec3_sub(mat3_mul(rotation, pair->piece_b->position), mat3_mul(axes_a, b_in_a));
    return vec3_of(double3_sub(double3_of(pair->piece_a->position), pair->relative->position));
}

/* Gives a manifold its normal, in a's frame, and returns the share of its impulses that acts along the new
 * one, n in the world: the cosine between both normals, exactly 1 where none turned. The normal turns in a's
 * frame or in the world, whichever is less: bodies turn together, or one rolls on the other. Friction is a
 * vector in the world, which prepare takes along the new tangents. */
static float turn_normal(dry_manifold *m, dry_vec3 normal, dry_vec3 n)
{
    const dry_vec3 before = m->normal;
    m->normal = normal;
    if (m->impulse[0] + m->impulse[1] + m->impulse[2] + m->impulse[3] == 0.0f && m->torsion_impulse == 0.0f)
        return 1.0f; /* of nothing */
    const dry_vec3 then = quat_rotate(dry_quat_unpack(m->built), before);
    const float in_a = vec3_length_squared(vec3_sub(normal, before)),
                in_world = vec3_length_squared(vec3_sub(n, then));
    return dry_max(1.0f - 0.5f * dry_min(in_a, in_world), 0.0f);
}

/* Writes anchors and features of the points found. The impulse of a point is that of the old point with the
 * same feature, as far as it acts along the new normal, or 0, and of a point that is gone 0. */
static void write_points(dry_manifold *m, const dry_features *old, const dry_contact_pair *pair,
                         dry_vec3 b_in_a, const dry_local_manifold *found)
{
    dry_mat3 axes_a = mat3_from_quat(pair->piece_a->orientation),
             rotation = mat3_from_quat(pair->relative->orientation);
    const dry_vec3 normal = mat3_mul(&axes_a, found->normal),
                   n = quat_rotate(pair->pose_a->orientation, normal);
    const float share = turn_normal(m, normal, n);
    float old_impulse[4];
    for (int i = 0; i < old->count; i++)
        old_impulse[i] = share * m->impulse[i];
    m->torsion_impulse *= share;
    m->height = dry_manifold_height(n, pair->pose_a, pair->pose_b) + (double)vec3_dot(m->normal, pair->way);
    dry_vec3 origin = origin_from_b(pair, b_in_a, &axes_a, &rotation);
    for (int i = 0; i < found->count; i++) {
        dry_manifold_point *p = &m->points[i];
        float separation = found->points[i].separation;
        dry_vec3 middle = vec3_add(origin, mat3_mul(&axes_a, found->points[i].position));
        dry_vec3 surface = vec3_add_scaled(middle, 0.5f * separation, m->normal);
        p->anchor_b = mat3_mul_transposed(&rotation, surface);
        p->touch_height = vec3_dot(n, quat_rotate(pair->pose_b->orientation, p->anchor_b)) - separation;
        m->feature[i] = (uint16_t)found->points[i].feature;
        const int same = dry_features_find(old, found->points[i].feature);
        m->impulse[i] = same >= 0 ? old_impulse[same] : 0.0f;
    }
    for (int i = found->count; i < 4; i++)
        m->impulse[i] = 0.0f;
}

int dry_manifold_build(dry_manifold *manifold, const dry_features *old, const dry_contact_pair *pair,
                       dry_vec3 b_in_a, dry_local_manifold *found)
{
    for (int i = 0; i < 3; i++)
        manifold->built_position[i] = double3_get(pair->relative->position, i);
    manifold->built_orientation = pair->relative->orientation;
    manifold->radius_b = dry_radius_pack(pair->radius_b + vec3_length(pair->piece_b->position));
    if (found->count == 0) {
        manifold->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
        manifold->torsion_impulse = 0.0f;
        return 0;
    }
    pair_across(found);
    write_points(manifold, old, pair, b_in_a, found);
    return found->count;
}
