/* Constraint bundles: sixteen constraints of one color side by side, what a sweep streams.
 *
 * The lane count is fixed, whatever the register width: 1x16, 2x8, 4x4 and sixteen scalars run the same
 * arithmetic, so every instruction set gives the same bits. Constraints of a bundle share no dynamic body.
 * A lane that holds nothing, and the side of a lane that is static, has row 0 and zeros.
 *
 * Rows are whitened: g = G M^(-1/2) [DESIGN 5]; side a carries the minus sign of [Spook 25]. A row's
 * relative velocity is g . u, its diagonal |g|^2, its update u += g dlambda.
 *
 * Prepare writes bundles; sweeps read them and write their impulses; store reads the impulses. Each kind of
 * constraint declares its bundle in its own folder. */
#ifndef SOLVER_DATA_BUNDLE_H
#define SOLVER_DATA_BUNDLE_H

#include "core/math.h"

#include <stddef.h>
#include <stdint.h>

#define DRY_BUNDLE 16

typedef float dry_lanes[DRY_BUNDLE];

static inline void dry_lanes_put3(dry_lanes *to, int at, dry_vec3 v)
{
    to[0][at] = v.x, to[1][at] = v.y, to[2][at] = v.z;
}

static inline dry_vec3 dry_lanes_get3(const dry_lanes *from, int at)
{
    return vec3(from[0][at], from[1][at], from[2][at]);
}

/* The constraint of each lane of a bundle; -1 for an empty lane. */
typedef struct dry_bundle_members {
    int32_t index[DRY_BUNDLE];
} dry_bundle_members;

/* A tier whose bundles exceed this size is assumed not to stay in a cache between passes: a quarter of a last
 * cache of 32 MiB that other programs share. Sweeps prefetch such bundles, and prepare writes them past the
 * caches (solver/plan/DECISIONS.md). */
#define DRY_BUNDLES_NEAR_BYTES ((size_t)8 << 20)

#endif
