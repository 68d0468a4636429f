/* Loads and stores of a bundle's fields. Kernel files only. */
#ifndef SOLVER_BODIES_LANE_FIELDS_H
#define SOLVER_BODIES_LANE_FIELDS_H

#include "simd/lane_vectors.h"
#include "solver/data/bundle.h"

/* Lanes [at, at + DRY_LANES) of a bundle's field. */
#define LOAD(field) lane_load((field) + at)

/* The same lanes of three fields, one for each component. */
LANE_INLINE lane_vec3 field_load3(dry_lanes *field, int at)
{
    return lane_vec3_load(field[0] + at, DRY_BUNDLE);
}

LANE_INLINE void field_store3(dry_lanes *field, int at, lane_vec3 v)
{
    lane_vec3_store(field[0] + at, DRY_BUNDLE, v);
}

#endif
