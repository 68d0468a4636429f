/* Box against box: one pair, and many pairs at once. Next: box_box_kernel.h, which collides them in lanes. */
#include "narrowphase/pairs/box_pair.h"
#include "narrowphase/pairs/kernel_list.h"
#include "narrowphase/pairs/pairs.h"

void dry_collide_boxes(dry_level level, const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    dry_pair_kernels_at(level)->collide_boxes(pairs, count, manifolds);
}

/* The scalar level has the same bits as every other, and no lanes to fill. */
void dry_collide_box_box(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                         float margin, dry_local_manifold *manifold)
{
    const dry_box_pair pair = dry_box_pair_of(a->size, b->size, b_in_a, margin);
    dry_collide_boxes(DRY_LEVEL_SCALAR, &pair, 1, manifold);
}
