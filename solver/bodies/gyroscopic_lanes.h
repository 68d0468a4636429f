/* Gyroscopic motion in lanes: the scalar functions of core/gyroscopic.h, in double, lane by lane. Compiled
 * once per instruction set. Included by finish_kernel.h alone. */
#ifndef SOLVER_BODIES_GYROSCOPIC_LANES_H
#define SOLVER_BODIES_GYROSCOPIC_LANES_H

#include "core/gyroscopic.h"
#include "solver/bodies/rotation_lanes.h"

/* dry_gyro in lanes. */
typedef struct gyro_lanes {
    double q[4][DRY_LANES], inverse[3][DRY_LANES], momentum[3][DRY_LANES], after[3][DRY_LANES];
    double energy[DRY_LANES], h[DRY_LANES], parts[DRY_LANES];
} gyro_lanes;

/* The floats in and out, one lane after the other. */
typedef struct gyro_floats {
    _Alignas(64) float orientation[4][DRY_LANES], added[4][DRY_LANES], inverse[3][DRY_LANES],
        first[3][DRY_LANES], last[3][DRY_LANES], gyroscopic[DRY_LANES], bounded[DRY_LANES], fast[DRY_LANES];
} gyro_floats;

LANE_INLINE dry_quat gyro_quat(float (*q)[DRY_LANES], int i)
{
    return (dry_quat){q[0][i], q[1][i], q[2][i], q[3][i]};
}

LANE_INLINE dry_vec3 gyro_vec3(float (*v)[DRY_LANES], int i)
{
    return vec3(v[0][i], v[1][i], v[2][i]);
}

/* Sets where a lane ends the step. */
LANE_INLINE void gyro_end(gyro_floats *f, dry_quat q, dry_double3 w, int i)
{
    f->orientation[0][i] = q.x, f->orientation[1][i] = q.y, f->orientation[2][i] = q.z;
    f->orientation[3][i] = q.w;
    f->last[0][i] = (float)w.x, f->last[1][i] = (float)w.y, f->last[2][i] = (float)w.z;
}

/* Runs gyro_begin in lanes. Returns the largest number of parts; lanes that are not gyroscopic take none. */
LANE_INLINE int gyro_lanes_begin(gyro_floats *f, float dt, gyro_lanes *l)
{
    for (int i = 0; i < DRY_LANES; i++) {
        dry_gyro g = gyro_begin(gyro_quat(f->orientation, i), gyro_vec3(f->inverse, i),
                                gyro_vec3(f->first, i), gyro_vec3(f->last, i), dt);
        l->q[0][i] = g.q.x, l->q[1][i] = g.q.y, l->q[2][i] = g.q.z, l->q[3][i] = g.q.w;
        l->inverse[0][i] = g.inverse.x, l->inverse[1][i] = g.inverse.y, l->inverse[2][i] = g.inverse.z;
        l->momentum[0][i] = g.momentum.x, l->momentum[1][i] = g.momentum.y, l->momentum[2][i] = g.momentum.z;
        l->after[0][i] = g.momentum_after.x, l->after[1][i] = g.momentum_after.y;
        l->after[2][i] = g.momentum_after.z;
        l->energy[i] = g.energy;
        l->h[i] = g.h;
        l->parts[i] = f->gyroscopic[i] > 0.0f ? (double)g.parts : 0.0;
    }
    double most = 0.0;
    for (int i = 0; i < DRY_LANES; i++)
        most = l->parts[i] > most ? l->parts[i] : most;
    return (int)most;
}

LANE_INLINE void gyro_lanes_move(gyro_lanes *l, double part)
{
    for (int i = 0; i < DRY_LANES; i++) {
        dry_rotation q = {l->q[0][i], l->q[1][i], l->q[2][i], l->q[3][i]};
        dry_rotation next =
            gyro_move_freely(q, (dry_double3){l->momentum[0][i], l->momentum[1][i], l->momentum[2][i]},
                             (dry_double3){l->inverse[0][i], l->inverse[1][i], l->inverse[2][i]}, l->h[i]);
        bool goes_on = part < l->parts[i];
        l->q[0][i] = goes_on ? next.x : q.x;
        l->q[1][i] = goes_on ? next.y : q.y;
        l->q[2][i] = goes_on ? next.z : q.z;
        l->q[3][i] = goes_on ? next.w : q.w;
    }
}

LANE_INLINE dry_gyro gyro_lane(const gyro_lanes *l, int i)
{
    return (dry_gyro){.q = {l->q[0][i], l->q[1][i], l->q[2][i], l->q[3][i]},
                      .inverse = {l->inverse[0][i], l->inverse[1][i], l->inverse[2][i]},
                      .momentum_after = {l->after[0][i], l->after[1][i], l->after[2][i]},
                      .energy = l->energy[i]};
}

/* Gives back the energy that a lane gained. `added` holds the orientations with which the step began. */
LANE_INLINE void gyro_give_back(gyro_floats *f, const gyro_lanes *l, float dt, int i)
{
    if (f->bounded[i] <= 0.0f && f->fast[i] <= 0.0f)
        return;
    const dry_gyro g = gyro_lane(l, i);
    dry_quat q = gyro_quat(f->orientation, i);
    const dry_double3 w = dry_gyro_give_back(&g, gyro_quat(f->added, i), f->bounded[i] <= 0.0f, dt, &q);
    gyro_end(f, q, w, i);
}

/* Moves the gyroscopic lanes: `next` and `angular` become theirs where `gyroscopic` is 1, and stay elsewhere.
 * `added` is the rotation by contacts and torques. Where `bounded` is 1, the lane gains no energy at the cost
 * of its momentum; where `fast` is 1, at the cost of `added`. */
LANE_INLINE void body_move_gyroscopically(lane gyroscopic, lane bounded, lane fast, lane_quat orientation,
                                          lane_quat added, lane_vec3 inverse_inertia, lane_vec3 first,
                                          float dt, lane_quat *next, lane_vec3 *angular)
{
    gyro_floats f;
    gyro_lanes l;
    lane_quat_store(f.orientation[0], DRY_LANES, orientation);
    lane_quat_store(f.added[0], DRY_LANES, added);
    lane_vec3_store(f.inverse[0], DRY_LANES, inverse_inertia);
    lane_vec3_store(f.first[0], DRY_LANES, first);
    lane_vec3_store(f.last[0], DRY_LANES, *angular);
    lane_store(f.gyroscopic, gyroscopic);
    lane_store(f.bounded, bounded);
    lane_store(f.fast, fast);
    int most = gyro_lanes_begin(&f, dt, &l);
    for (int part = 0; part < most; part++)
        gyro_lanes_move(&l, (double)part);
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_gyro g = gyro_lane(&l, i);
        dry_quat q = gyro_orientation(&g, gyro_quat(f.added, i));
        dry_double3 w = gyro_velocity(&g, q);
        gyro_end(&f, q, w, i);
        const bool gains = gyro_gains_energy(&g, w);
        f.bounded[i] = gains ? f.bounded[i] : 0.0f;
        f.fast[i] = gains ? f.fast[i] : 0.0f;
    }
    if (lane_any(lane_less(lane_zero(), lane_max(lane_load(f.bounded), lane_load(f.fast))))) {
        lane_quat_store(f.added[0], DRY_LANES, orientation);
        for (int i = 0; i < DRY_LANES; i++)
            gyro_give_back(&f, &l, dt, i);
    }
    lane_mask is_gyroscopic = lane_less(lane_zero(), gyroscopic);
    *next = lane_quat_select(is_gyroscopic, lane_quat_load(f.orientation[0], DRY_LANES), *next);
    *angular = lane_vec3_select(is_gyroscopic, lane_vec3_load(f.last[0], DRY_LANES), *angular);
}

#endif
