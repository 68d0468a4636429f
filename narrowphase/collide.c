/* Contact generation: sends a pair of shapes to its function, turning the pair round where needed.
 *
 * Reads: two geometries and a relative pose. Writes: a manifold. Next: collide_box_box.c and the others
 * named in collide_pairs.h. */
#include "narrowphase/collide.h"

#include "narrowphase/pairs/kernel_list.h"
#include "narrowphase/pairs/pairs.h"

static dry_collide_pair *const pair_functions[DRY_SHAPE_TYPE_COUNT][DRY_SHAPE_TYPE_COUNT] = {
    [DRY_SHAPE_SPHERE] = {[DRY_SHAPE_SPHERE] = dry_collide_sphere_sphere},
    [DRY_SHAPE_CAPSULE] =
        {[DRY_SHAPE_SPHERE] = dry_collide_capsule_sphere, [DRY_SHAPE_CAPSULE] = dry_collide_capsule_capsule},
    [DRY_SHAPE_BOX] = {[DRY_SHAPE_SPHERE] = dry_collide_box_sphere,
                       [DRY_SHAPE_CAPSULE] = dry_collide_box_capsule,
                       [DRY_SHAPE_BOX] = dry_collide_box_box},
    [DRY_SHAPE_HALFSPACE] = {[DRY_SHAPE_SPHERE] = dry_collide_halfspace_sphere,
                             [DRY_SHAPE_CAPSULE] = dry_collide_halfspace_capsule,
                             [DRY_SHAPE_BOX] = dry_collide_halfspace_box},
};

/* A manifold in the frame of the second shape, from it to the first, as seen by the first. */
static void turn_round(const dry_transform *b_in_a, dry_local_manifold *manifold)
{
    dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    manifold->normal = vec3_neg(mat3_mul(&r, manifold->normal));
    for (int i = 0; i < manifold->count; i++) {
        dry_local_point *point = &manifold->points[i];
        point->position = vec3_add(b_in_a->position, mat3_mul(&r, point->position));
    }
}

void dry_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a, float margin,
                 dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->apart = 0.0f;
    if (a->type < b->type) {
        dry_collide_pair *pair = pair_functions[b->type][a->type];
        dry_transform a_in_b = {quat_rotate_inverse(b_in_a->orientation, vec3_neg(b_in_a->position)),
                                quat_conjugate(b_in_a->orientation)};
        pair(b, a, &a_in_b, margin, manifold);
        turn_round(b_in_a, manifold);
        return;
    }
    dry_collide_pair *pair = pair_functions[a->type][b->type];
    if (pair)
        pair(a, b, b_in_a, margin, manifold);
}

void dry_collide_boxes(dry_level level, const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    dry_box_kernels_at(level)->collide_boxes(pairs, count, manifolds);
    /* Boxes that overlap, but not under the preferred face: too rare for lanes. */
    for (int i = 0; i < count; i++) {
        if (manifolds[i].count >= 0)
            continue;
        const dry_box_pair *p = &pairs[i];
        const dry_geometry a = {p->half_a, DRY_SHAPE_BOX}, b = {p->half_b, DRY_SHAPE_BOX};
        const dry_transform b_in_a = {p->position, p->orientation};
        dry_collide_box_box(&a, &b, &b_in_a, p->margin, &manifolds[i]);
    }
}

bool dry_overlap_shapes(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a)
{
    dry_local_manifold manifold;
    dry_collide(a, b, b_in_a, 0.0f, &manifold);
    return manifold.count > 0;
}
