/* The kernel of manifold_motion.h. Included by pairs/kernels.c alone. */
#ifndef NARROWPHASE_MANIFOLD_MOTION_KERNEL_H
#define NARROWPHASE_MANIFOLD_MOTION_KERNEL_H

#include "narrowphase/manifold_motion.h"
#include "simd/gather.h"
#include "simd/lane_quat_pack.h"

LANE_INLINE lane_quat motion_gather_quat(const dry_body_pose *const *pose)
{
    const float *address[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        address[i] = &pose[i]->orientation.x;
    lane q[4];
    lane_gather4(address, 0, q);
    return (lane_quat){q[0], q[1], q[2], q[3]};
}

/* Returns how far b's center has moved in a's frame. In double: what is left of centers far apart loses
 * nothing. */
LANE_INLINE lane_vec3 motion_of_centers(const dry_motion_source *source, lane_quat a, int at)
{
    _Alignas(64) float axes[9][DRY_LANES], moved[3][DRY_LANES];
    const lane_mat3 rotation = lane_mat3_from_quat(a);
    lane_vec3_store(axes[0], DRY_LANES, rotation.x);
    lane_vec3_store(axes[3], DRY_LANES, rotation.y);
    lane_vec3_store(axes[6], DRY_LANES, rotation.z);
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_position *from = &source->a[at + i]->position, *to = &source->b[at + i]->position;
        const double *built = source->manifold[at + i]->built_position;
        const double x = to->x - from->x, y = to->y - from->y, z = to->z - from->z;
        for (int k = 0; k < 3; k++)
            moved[k][i] = (float)((double)axes[3 * k][i] * x + (double)axes[3 * k + 1][i] * y +
                                  (double)axes[3 * k + 2][i] * z - built[k]);
    }
    return lane_vec3_load(moved[0], DRY_LANES);
}

LANE_INLINE void motion_lanes(const dry_motion_source *source, dry_manifold_motion *motion, int at)
{
    const float *manifold[DRY_LANES];
    _Alignas(64) float radius[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        manifold[i] = &source->manifold[at + i]->points[0].anchor_b.x;
        radius[i] = dry_manifold_radius_b(source->manifold[at + i]);
    }
    const lane_quat a = motion_gather_quat(source->a + at), b = motion_gather_quat(source->b + at);
    lane q[4], packed[4];
    lane_gather4(manifold, offsetof(dry_manifold, built_orientation) / 4, q);
    lane_gather4(manifold, offsetof(dry_manifold, feature) / 4, packed);
    /* A rotation by t moves a point at distance l by 2 l sin(t / 2). Rotations of 1e-20 are common in towers
     * at rest. Scaling by a power of two keeps the digits of their squares and avoids subnormal numbers,
     * which processors handle several times as slowly. */
    const float up = 1099511627776.0f;
    const lane down = lane_set(-up);
    const lane_quat back = {lane_mul(down, q[0]), lane_mul(down, q[1]), lane_mul(down, q[2]),
                            lane_mul(lane_set(up), q[3])};
    const lane_quat inverse = {lane_negate(a.x), lane_negate(a.y), lane_negate(a.z), a.w};
    const lane_quat rotation = lane_quat_mul(back, lane_quat_mul(inverse, b));
    const lane_vec3 axis = {rotation.x, rotation.y, rotation.z};
    const lane half_sine = lane_sqrt(lane_vec3_dot(axis, axis));
    const lane_vec3 moved = motion_of_centers(source, a, at);
    const lane turned = lane_mul(lane_mul(lane_set(2.0f / up), half_sine), lane_load(radius));
    lane_store(motion->distance + at, lane_add(lane_sqrt(lane_vec3_dot(moved, moved)), turned));
    lane_store(motion->half_sine + at, lane_mul(lane_set(1.0f / up), half_sine));
    const lane_quat built = lane_quat_unpack(packed[2], packed[3]);
    lane cosine = lane_add(lane_mul(built.x, a.x), lane_mul(built.y, a.y));
    cosine = lane_add(lane_add(cosine, lane_mul(built.z, a.z)), lane_mul(built.w, a.w));
    lane_store(motion->cosine + at, cosine);
}

static void manifold_motions(const dry_motion_source *source, int count, dry_manifold_motion *motion)
{
    for (int at = 0; at < count; at += DRY_LANES)
        motion_lanes(source, motion, at);
}

#endif
