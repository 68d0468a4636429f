/* Makes pairs of shapes at random poses, in most of which they touch, for the benchmarks of the narrowphase.
 */
#ifndef PERF_NEAR_PAIRS_H
#define PERF_NEAR_PAIRS_H

#include "core/math.h"
#include "narrowphase/local_manifold.h"
#include "perf/bench.h"
#include "state/geometry.h"

#define NEAR_MARGIN 0.02f

/* Returns a shape of about 1 m at its origin. */
dry_geometry near_shape(dry_shape_type type);

/* Makes poses of b in a's frame, the same ones for the same count; above a half-space if a is one. */
void near_poses(dry_transform *poses, int count, bool halfspace);

/* Returns a hash of the manifolds found, without unused points: the same one by one and in batches. */
uint64_t near_hash(const dry_local_manifold *found, int count);

#endif
