/* The points of a contact over a plane, and the choice of four. Next: patch.c. */
#ifndef NARROWPHASE_PAIRS_PATCH_H
#define NARROWPHASE_PAIRS_PATCH_H

#include <stdint.h>

typedef struct dry_patch_point {
    float x, y;   /* over the plane, m */
    float height; /* m; negative below the plane */
    uint32_t feature;
} dry_patch_point;

/* Puts the four points that best stand for all to the front: of the deepest, one in a fixed direction; of the
 * others those that come down first where the body tilts: the farthest, then the two that add most area. The
 * first of near ties wins, so that the choice does not flicker. Depths that differ by less than `same` count
 * as equal. Returns the number of points, at most four; of points with equal features one is left.
 *
 * The first `kept` points stay where they are: at most four, and no two with equal features. */
int dry_patch_choose(dry_patch_point *points, int count, int kept, float same);

#endif
