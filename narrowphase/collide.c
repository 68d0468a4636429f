/* Contact generation: hands a pair of shapes to the function of their types, swapped where that has them the
 * other way round.
 *
 * Reads: two geometries and a relative pose. Writes: a manifold. Next: pairs/pairs.h. */
#include "narrowphase/collide.h"

#include "core/math.h"
#include "narrowphase/pairs/pairs.h"

static dry_collide_pair *const pair_functions[DRY_SHAPE_TYPE_COUNT][DRY_SHAPE_TYPE_COUNT] = {
#define X(first, second, function) [first][second] = function,
    DRY_SHAPE_PAIRS(X)
#undef X
};

/* Turns the manifold of the swapped pair, in b's frame and from b to a, into the manifold of the pair. */
static void swap_shapes(const dry_transform *b_in_a, dry_local_manifold *manifold)
{
    dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    manifold->normal = vec3_neg(mat3_mul(&r, manifold->normal));
    for (int i = 0; i < manifold->count; i++) {
        dry_local_point *point = &manifold->points[i];
        point->position = vec3_add(b_in_a->position, mat3_mul(&r, point->position));
    }
}

void dry_collide_leaning(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                         float margin, dry_vec3 lean, dry_local_manifold *manifold)
{
    manifold->lean = lean;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->rolls = dry_type_is_round(a->type) || dry_type_is_round(b->type);
    manifold->separation_min = 0.0f;
    if (dry_type_rank(a->type) < dry_type_rank(b->type)) {
        dry_collide_pair *pair = pair_functions[b->type][a->type];
        dry_transform a_in_b = {quat_rotate_inverse(b_in_a->orientation, vec3_neg(b_in_a->position)),
                                quat_conjugate(b_in_a->orientation)};
        manifold->lean = quat_rotate_inverse(b_in_a->orientation, lean);
        if (pair)
            pair(b, a, &a_in_b, margin, manifold);
        swap_shapes(b_in_a, manifold);
        return;
    }
    dry_collide_pair *pair = pair_functions[a->type][b->type];
    if (pair)
        pair(a, b, b_in_a, margin, manifold);
}

void dry_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a, float margin,
                 dry_local_manifold *manifold)
{
    dry_collide_leaning(a, b, b_in_a, margin, vec3(0.0f, 0.0f, 0.0f), manifold);
}
