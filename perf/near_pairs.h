/* Pairs of shapes at random places at which most of them touch: for the benchmarks of the narrowphase. */
#ifndef PERF_NEAR_PAIRS_H
#define PERF_NEAR_PAIRS_H

#include "core/math.h"
#include "narrowphase/local_manifold.h"
#include "perf/bench.h"
#include "state/geometry.h"

#define NEAR_MARGIN 0.02f

/* A shape about a metre large, at its origin. */
dry_geometry near_shape(dry_shape_type type);

/* Poses of b in a's frame, the same for the same count; above a half-space if that is what a is. */
void near_poses(dry_transform *poses, int count, bool halfspace);

/* What was found, without points that there are not: one by one and in batches come to the same. */
uint64_t near_hash(const dry_local_manifold *found, int count);

#endif
