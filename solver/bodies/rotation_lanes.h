/* Rotation vectors in lanes: the scalar functions of core/rotation.h, in double, lane by lane. Compiled once
 * per instruction set. Kernel files only. */
#ifndef SOLVER_BODIES_ROTATION_LANES_H
#define SOLVER_BODIES_ROTATION_LANES_H

#include "core/rotation.h"
#include "simd/lane_vectors.h"

/* Returns quat_from_rotation of each lane, in double: all lanes as if they turned by little, in one loop
 * without branches, and then those that turn by more. */
LANE_INLINE lane_quat body_quat_from_rotation(lane_vec3 v)
{
    _Alignas(64) float rotation[3][DRY_LANES], q[4][DRY_LANES];
    lane_vec3_store(rotation[0], DRY_LANES, v);
    for (int i = 0; i < DRY_LANES; i++) {
        dry_quat one = quat_from_small_rotation(vec3(rotation[0][i], rotation[1][i], rotation[2][i]));
        q[0][i] = one.x, q[1][i] = one.y, q[2][i] = one.z, q[3][i] = one.w;
    }
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_vec3 of_lane = vec3(rotation[0][i], rotation[1][i], rotation[2][i]);
        if (dry_rotation_is_small(of_lane))
            continue;
        dry_quat one = dry_quat_of_rotation(of_lane);
        q[0][i] = one.x, q[1][i] = one.y, q[2][i] = one.z, q[3][i] = one.w;
    }
    return lane_quat_load(q[0], DRY_LANES);
}

#endif
