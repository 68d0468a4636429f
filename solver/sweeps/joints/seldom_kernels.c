/* The kernels of joints that run once a substep, at one level: see kernel_list.h. Compiled once for each of
 * DRY_SELDOM_LEVELS. */
#include "solver/sweeps/joints/kernel_list.h"

#include "solver/sweeps/joints/axes_kernels.h"
#include "solver/sweeps/joints/block_kernels.h"
#include "solver/sweeps/joints/line_kernels.h"
#include "solver/sweeps/joints/make_kernels.h"
#include "solver/sweeps/joints/point_kernels.h"
#include "solver/sweeps/joints/slope_lanes.h"

/* The line search (line_search.c): what rows add to its sums, l . b and l . eps l, for the impulses l that a
 * substep begins with.
 *
 * b is what a solve sweep asks for besides the rows' speeds: SPOOK's a q - (1 - b) v_begin [Spook 8-11],
 * within its bound; minus the speed that a motor wants; the speeds by kinematic bodies, and by the rows' own
 * turning.
 *
 * The kernels go over colors, as sweeps do: each lane adds to the record of one of its bodies. */

LANE_INLINE void point_find_slope(dry_point_bundle *c, const dry_sweep *s, int at)
{
    const lane_vec3 impulse = field_load3(c->impulse, at);
    const lane_vec3 soft = point_symmetric(c->softness, impulse, at);
    lane_vec3 b = lane_vec3_sub(point_position_terms(c, s, DRY_UPDATE_DIRECT, at), soft);
    b = lane_vec3_add(b, field_load3(c->kinematic, at));
    b = lane_vec3_add_scaled(b, lane_set(s->acceleration_time), field_load3(c->acceleration, at));
    slope_add(s, c->row_a + at, c->row_b + at, lane_vec3_dot(impulse, b), lane_vec3_dot(impulse, soft));
}

LANE_INLINE void line_find_slope(dry_line_bundle *c, const dry_sweep *s, int at)
{
    lane soft;
    const lane terms = line_position_terms(c, s, DRY_UPDATE_DIRECT, at);
    const lane b = slope_single(&c->single, terms, s, &soft, at), impulse = LOAD(c->single.impulse);
    slope_add(s, c->row_a + at, c->row_b + at, lane_mul(impulse, b), lane_mul(impulse, soft));
}

LANE_INLINE void block_find_slope(dry_block_bundle *c, const dry_sweep *s, int at)
{
    lane impulse[DRY_BLOCK_ROWS], soft[DRY_BLOCK_ROWS], b[DRY_BLOCK_ROWS];
    for (int i = 0; i < c->rows; i++) {
        impulse[i] = LOAD(c->row[i].impulse);
        b[i] = pair_own_speed(&c->row[i].pair, s->acceleration_time, at);
    }
    block_add_bias(c, s, DRY_UPDATE_DIRECT, c->rows, b, at);
    block_symmetric(c->block, impulse, c->rows, soft, at);
    lane slope = lane_zero(), curve = lane_zero();
    for (int i = 0; i < c->rows; i++) {
        const lane share = lane_mul(LOAD(c->share), soft[i]);
        slope = lane_add_mul(slope, impulse[i], lane_sub(b[i], share));
        curve = lane_add_mul(curve, impulse[i], share);
    }
    slope_add(s, c->row_a + at, c->row_b + at, slope, curve);
}

/* Returns l . b of a spring or a motor, and adds its l . eps l to `curve`. */
LANE_INLINE lane slope_spring(dry_axis_part *p, const axis_motion *m, const dry_sweep *s, lane *curve, int at)
{
    const lane impulse = LOAD(p->impulse), wanted = LOAD(p->speed);
    const lane soft = lane_mul(LOAD(p->softness), impulse);
    const lane q = lane_sub_mul(lane_add(LOAD(p->error), m->moved), wanted, lane_set(s->time));
    lane bias = axis_bounded(lane_add_mul(soft, LOAD(p->rate), q), lane_zero(), LOAD(p->rigid), s, m->update);
    bias = lane_sub_mul(bias, LOAD(p->approach), lane_sub(m->begin, wanted));
    *curve = lane_add_mul(*curve, soft, impulse);
    return lane_mul(impulse, lane_sub(lane_sub(bias, soft), wanted));
}

/* The same of a stop; `sign` is -1 where the part's own direction is against the row's. */
LANE_INLINE lane slope_stop(dry_axis_part *p, const axis_motion *m, lane sign, const dry_sweep *s,
                            lane *curve, int at)
{
    const lane impulse = LOAD(p->impulse), rigid = LOAD(p->rigid),
               soft = lane_mul(LOAD(p->softness), impulse);
    const lane gap = lane_add_mul(LOAD(p->error), sign, m->moved);
    const lane_mask hard = lane_less(lane_set(0.5f), rigid), open = lane_less(lane_zero(), gap);
    lane bias = axis_bounded(lane_add_mul(soft, LOAD(p->rate), gap), gap, rigid, s, m->update);
    bias = lane_sub(lane_sub_mul(bias, LOAD(p->approach), lane_mul(sign, m->begin)), soft);
    bias = lane_select(lane_mask_and(hard, open), lane_mul(gap, lane_set(s->rate_free)), bias);
    *curve = lane_add_mul(*curve, soft, impulse);
    return lane_mul(impulse, bias);
}

LANE_INLINE void axes_find_slope(dry_axes_bundle *c, const dry_sweep *s, int at)
{
    lane_velocity va, vb;
    lane_displacement da, db;
    lane_gather_both(s->rows, c->row_a + at, &va, &da);
    lane_gather_both(s->rows, c->row_b + at, &vb, &db);
    axes_start start;
    axes_begin(c, s, c->begins, &start, at);
    lane slope = lane_zero(), curve = lane_zero();
    for (int i = 0; i < c->rows; i++) {
        dry_axis_row *row = &c->row[i];
        const uint32_t uses = c->uses[i];
        const axis_motion m = axis_motion_of(row, s, &va, &vb, &start, &da, &db, DRY_UPDATE_DIRECT, at);
        for (int p = DRY_PART_SPRING; p <= DRY_PART_MOTOR; p++)
            if (uses & 1u << p)
                slope = lane_add(slope, slope_spring(&row->part[p], &m, s, &curve, at));
        for (int p = DRY_PART_LOWER; p <= DRY_PART_UPPER; p++)
            if (uses & 1u << p)
                slope =
                    lane_add(slope, slope_stop(&row->part[p], &m,
                                               lane_set(p == DRY_PART_UPPER ? -1.0f : 1.0f), s, &curve, at));
        const lane turns = pair_own_speed(&row->pair, s->acceleration_time, at);
        lane held = axis_held(row, uses, at);
        if (c->rounds && i < 3)
            held = lane_add(held, LOAD(c->round.impulse[i]));
        slope = lane_add_mul(slope, held, turns);
    }
    slope_add(s, c->row_a + at, c->row_b + at, slope, curve);
}

JOINT_KERNEL(point_slope, point, dry_sweep, point_find_slope(c, p, at))
JOINT_KERNEL(line_slope, line, dry_sweep, line_find_slope(c, p, at))
JOINT_KERNEL(block_slope, block, dry_sweep, block_find_slope(c, p, at))
JOINT_KERNEL(axes_slope, axes, dry_sweep, axes_find_slope(c, p, at))

#define MAKER(kind, KIND) .make[DRY_KIND_##KIND] = kind##_make,
#define SEARCH(kind, KIND) .slope[DRY_KIND_##KIND] = kind##_slope,
const dry_seldom_joint_kernels DRY_LEVEL_TABLE(dry_seldom_joint_kernels) = {
    DRY_BOOK_JOINT_KINDS(MAKER).keep[DRY_KIND_AXES] = axes_keep, DRY_BOOK_JOINT_KINDS(SEARCH)};
#undef SEARCH
#undef MAKER
