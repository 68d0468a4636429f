/* Sweeps over joints whose rows are one block. Compiled once for each level; included by kernels.c alone. */
#ifndef SOLVER_SWEEPS_JOINTS_BLOCK_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_BLOCK_KERNELS_H

#include "solver/data/joints/block.h"
#include "solver/sweeps/joints/joint_lanes.h"

/* Loads a symmetric matrix and computes its product with a vector. */
LANE_INLINE void block_symmetric(dry_lanes *m, const lane *v, int rows, lane *out, int at)
{
    joint_symmetric(m[0] + at, DRY_BUNDLE, v, rows, out);
}

/* Adds the bias velocities a q + Sigma lambda to the rows' speeds, within their bound. */
LANE_INLINE void block_add_bias(dry_block_bundle *c, const dry_sweep *s, dry_update update, int rows,
                                lane *speed, int at)
{
    const lane rate = LOAD(c->rate), share = LOAD(c->share);
    lane impulse[DRY_BLOCK_ROWS], bias[DRY_BLOCK_ROWS], squared = lane_zero(), error = squared;
    for (int i = 0; i < rows; i++)
        impulse[i] = lane_mul(share, LOAD(c->row[i].impulse));
    block_symmetric(c->block, impulse, rows, bias, at);
    for (int i = 0; i < rows; i++) {
        dry_block_row *row = &c->row[i];
        const lane q = LOAD(row->error);
        bias[i] = lane_add_mul(bias[i], rate, q);
        squared = lane_add_mul(squared, lane_mul(LOAD(row->weight), bias[i]), bias[i]);
        error = lane_add_mul(error, lane_mul(LOAD(row->weight), q), q);
    }
    const lane scale = joint_bias_scale(squared, error, lane_set(1.0f), s, update);
    for (int i = 0; i < rows; i++)
        speed[i] = lane_add_mul(speed[i], scale, bias[i]);
}

/* Computes the impulses of a sweep and adds them to those of the bundle. */
LANE_INLINE void block_impulses(dry_block_bundle *c, const dry_sweep *s, dry_sweep_kind sweep,
                                const lane_velocity *va, const lane_velocity *vb, dry_update update, int rows,
                                lane *impulse, int at)
{
    lane speed[DRY_BLOCK_ROWS], scale = joint_share(s, sweep);
    for (int i = 0; i < rows; i++) {
        dry_block_row *row = &c->row[i];
        if (joint_forgets(s, sweep, update))
            lane_store(row->impulse + at, lane_zero());
        speed[i] = pair_dot(&row->pair, va->ul, va->ua, vb->ul, vb->ua,
                            pair_own_speed(&row->pair, s->acceleration_time, at), at);
    }
    if (sweep == DRY_SWEEP_SOLVE) {
        block_add_bias(c, s, update, rows, speed, at);
        scale = lane_div(scale, lane_add(lane_set(1.0f), LOAD(c->share)));
    }
    block_symmetric(c->inverse, speed, rows, impulse, at);
    for (int i = 0; i < rows; i++) {
        impulse[i] = lane_mul(impulse[i], scale);
        lane_store(c->row[i].impulse + at, lane_add(LOAD(c->row[i].impulse), impulse[i]));
    }
}

/* Adds the impulses of a substep to those of the step. */
LANE_INLINE void block_tally(dry_block_bundle *c, int rows, int at)
{
    lane squared = lane_zero();
    for (int i = 0; i < rows; i++)
        pair_tally(&c->row[i].pair, LOAD(c->row[i].impulse), &squared, at);
    lane_store(c->peak + at, lane_max(LOAD(c->peak), squared));
}

/* Computes how a sweep over lanes of at most `rows` rows changes the velocities of both bodies. */
LANE_INLINE void block_changes(dry_block_bundle *c, const dry_sweep *s, dry_sweep_kind sweep,
                               dry_update update, int rows, const lane_velocity *va, const lane_velocity *vb,
                               lane_velocity *ca, lane_velocity *cb, int at)
{
    lane impulse[DRY_BLOCK_ROWS];
    if (sweep == DRY_SWEEP_WARM)
        for (int i = 0; i < rows; i++)
            impulse[i] = LOAD(c->row[i].impulse);
    else
        block_impulses(c, s, sweep, va, vb, update, rows, impulse, at);
    if (s->tally && sweep != DRY_SWEEP_WARM)
        block_tally(c, rows, at);
    ca->ul = ca->ua = cb->ul = cb->ua = lane_vec3_zero();
    for (int i = 0; i < rows; i++)
        pair_push(&c->row[i].pair, impulse[i], impulse[i], ca, cb, at);
}

/* A constant number of rows is unrolled, which takes a quarter off a sweep of three to five; six gain
 * nothing. Sweeps that no default uses, and kernels of one lane, are not worth four times their size. */
KIND_SWEEP void block_sweep(dry_block_bundle *c, const dry_sweep *s, dry_sweep_kind sweep, dry_update update,
                            int at)
{
    const int rows = c->rows;
    lane_velocity va, vb, ca, cb;
    lane_gather_velocity(s->rows, c->row_a + at, &va);
    lane_gather_velocity(s->rows, c->row_b + at, &vb);
    if (DRY_LANES == 1 || update != DRY_UPDATE_DIRECT)
        block_changes(c, s, sweep, update, rows, &va, &vb, &ca, &cb, at);
    else if (rows == 3)
        block_changes(c, s, sweep, update, 3, &va, &vb, &ca, &cb, at);
    else if (rows == 4)
        block_changes(c, s, sweep, update, 4, &va, &vb, &ca, &cb, at);
    else if (rows == 5)
        block_changes(c, s, sweep, update, 5, &va, &vb, &ca, &cb, at);
    else
        block_changes(c, s, sweep, update, rows, &va, &vb, &ca, &cb, at);
    joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
}

#endif
