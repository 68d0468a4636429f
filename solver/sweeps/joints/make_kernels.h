/* Kernels that make the rows of joints where their bodies are now: sixteen joints at a time, once a substep,
 * after bodies have moved and are relaxed. The next substep's warm start and both of its sweeps go over these
 * rows. Compiled once for each level of DRY_SELDOM_LEVELS; included by seldom_kernels.c alone.
 *
 * Reads places (places.h), solver rows, frames; writes rows, errors, blocks and their inverses. The
 * errors of axes are stored less what the displacements since the step's beginning add to them, since sweeps
 * add that again: stops ask for it after bodies have moved, too. */
#ifndef SOLVER_SWEEPS_JOINTS_MAKE_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_MAKE_KERNELS_H

#include "solver/bodies/frames.h"
#include "solver/bodies/gather.h"
#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"
#include "solver/data/joints/line.h"
#include "solver/data/joints/point.h"
#include "solver/sweeps/joints/form_lanes.h"

/* Not inlined: kernels share them, and run once a substep. */
#define MAKE_CALL static __attribute__((noinline))

/* A body of each lane. */
typedef struct make_side {
    lane_mat3 axes; /* principal axes in the world / sqrt(I_i): takes whitened angular vectors to the world */
    lane inv_sqrt_mass;
    lane_velocity u;          /* whitened */
    lane_displacement d;      /* likewise */
    lane_vec3 moved;          /* of the center of mass since the step began, m */
    lane_vec3 turned;         /* of the anchor about it, m */
    lane_quat rotation;       /* since the step began */
    lane_vec3 arm;            /* from the center of mass to the anchor, m */
    lane_vec3 velocity, spin; /* of a body that moves of itself */
    lane_vec3 rate, turning;  /* of any body: of its center, m/s; rad/s */
    lane share;               /* among how many constraints its mass is split */
} make_side;

/* Speeds below the first, rad/s, and rotations below the second, rad, count as none where rows are made: the
 * fourth power of the first and the square of the second, which rows have, are normal numbers still.
 * Processors take a hundred times as long for denormal ones, of which resting bodies are full. */
#define MAKE_SPIN_MIN 1e-7f
#define MAKE_TURN_MIN 1e-15f

/* Returns a vector without parts below `least`. */
LANE_INLINE lane_vec3 make_normal(lane_vec3 v, float least)
{
    const lane low = lane_set(least), zero = lane_zero();
    return (lane_vec3){lane_select(lane_less(lane_abs(v.x), low), zero, v.x),
                       lane_select(lane_less(lane_abs(v.y), low), zero, v.y),
                       lane_select(lane_less(lane_abs(v.z), low), zero, v.z)};
}

/* Returns the rotation by a vector: that of an eighth of its half, by the series of sine and cosine, squared
 * twice. The error is a share of 4e-7 of a rotation below 8 rad. */
LANE_INLINE lane_quat make_rotation(lane_vec3 vector)
{
    const lane_vec3 u = lane_vec3_scale(vector, lane_set(1.0f / 8.0f));
    const lane s = lane_vec3_dot_fused(u, u), one = lane_set(1.0f);
    lane sine = lane_fma(s, lane_set(1.0f / 362880.0f), lane_set(-1.0f / 5040.0f));
    sine = lane_fma(s, sine, lane_set(1.0f / 120.0f));
    sine = lane_fma(s, sine, lane_set(-1.0f / 6.0f));
    sine = lane_fma(s, sine, one);
    lane_vec3 v = lane_vec3_scale(u, sine);
    lane w = lane_sqrt(lane_max(lane_fnma(s, lane_mul(sine, sine), one), lane_zero()));
    for (int i = 0; i < 2; i++) {
        const lane twice = lane_add(w, w), square = lane_vec3_dot_fused(v, v);
        v = lane_vec3_scale(v, twice);
        w = lane_fnma(lane_set(2.0f), square, one);
    }
    return (lane_quat){v.x, v.y, v.z, w};
}

/* Returns by how much a rotation moves a vector: with an error that is a share of that. */
LANE_INLINE lane_vec3 make_turned(lane_quat q, lane_vec3 v)
{
    const lane_vec3 u = {q.x, q.y, q.z};
    lane_vec3 t = lane_vec3_cross_fused(u, v);
    t = lane_vec3_add(t, t);
    return lane_vec3_add(lane_vec3_scale(t, q.w), lane_vec3_cross_fused(u, t));
}

/* Returns the orientations in which rows are whitened: those of the step's beginning, or of frames that turn
 * within the step. */
LANE_INLINE lane_quat make_frame(const dry_making *m, const int32_t *row, dry_lanes *orientation, int at)
{
    if (!m->frames)
        return lane_quat_load(orientation[0] + at, DRY_BUNDLE);
    _Alignas(64) float q[4][DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_row_frame *frame = row[i] ? &m->frames[row[i] - 1] : NULL;
        const bool turns = frame && frame->turns;
        q[0][i] = turns ? frame->orientation.x : orientation[0][at + i];
        q[1][i] = turns ? frame->orientation.y : orientation[1][at + i];
        q[2][i] = turns ? frame->orientation.z : orientation[2][at + i];
        q[3][i] = turns ? frame->orientation.w : orientation[3][at + i];
    }
    return lane_quat_load(q[0], DRY_LANES);
}

/* Returns among how many constraints a method splits the mass of each lane's body. */
LANE_INLINE lane make_share(const dry_making *m, const int32_t *row)
{
    _Alignas(64) float share[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        share[i] = row[i] && m->constraints[row[i] - 1] > 1 ? (float)m->constraints[row[i] - 1] : 1.0f;
    return lane_load(share);
}

/* Finds a body of each lane. */
MAKE_CALL void make_side_of(const dry_making *m, const int32_t *row, dry_lanes *orientation, dry_lanes *arm,
                            dry_lanes *velocity, dry_lanes *spin, bool moves, int at, make_side *s)
{
    lane_velocity v;
    lane_gather_rows(m->rows, row, &v, &s->d, &s->inv_sqrt_mass);
    const lane_whitening w = lane_gather_whitening(m->rows, row);
    const lane_mat3 r = lane_mat3_from_quat_fused(make_frame(m, row, orientation, at));
    s->axes.x = lane_vec3_scale(r.x, w.inv_sqrt_inertia.x);
    s->axes.y = lane_vec3_scale(r.y, w.inv_sqrt_inertia.y);
    s->axes.z = lane_vec3_scale(r.z, w.inv_sqrt_inertia.z);
    s->moved = lane_vec3_scale(s->d.dl, s->inv_sqrt_mass);
    lane_vec3 turn = lane_mat3_mul(s->axes, s->d.da);
    s->u = v;
    s->velocity = s->spin = lane_vec3_zero();
    s->rate = lane_vec3_scale(v.ul, s->inv_sqrt_mass);
    s->turning = lane_mat3_mul(s->axes, v.ua);
    if (moves) {
        const lane since = lane_set(m->since);
        s->velocity = field_load3(velocity, at);
        s->spin = field_load3(spin, at);
        s->moved = lane_vec3_add_scaled_fused(s->moved, since, s->velocity);
        turn = lane_vec3_add_scaled_fused(turn, since, s->spin);
        s->rate = lane_vec3_add(s->rate, s->velocity);
        s->turning = lane_vec3_add(s->turning, s->spin);
    }
    s->share = m->constraints ? make_share(m, row) : lane_set(1.0f);
    s->turning = make_normal(s->turning, MAKE_SPIN_MIN);
    s->rotation = make_rotation(make_normal(turn, MAKE_TURN_MIN));
    const lane_vec3 begin = field_load3(arm, at);
    s->turned = make_turned(s->rotation, begin);
    s->arm = lane_vec3_add(begin, s->turned);
}

/* Finds both bodies of a joint. Returns anchor b - anchor a. */
LANE_INLINE lane_vec3 make_sides(const dry_making *m, dry_joint_places *p, const int32_t *row_a,
                                 const int32_t *row_b, make_side *a, make_side *b, int at)
{
    make_side_of(m, row_a + at, p->orientation_a, p->arm_a, p->velocity_a, p->spin_a, p->moves, at, a);
    make_side_of(m, row_b + at, p->orientation_b, p->arm_b, p->velocity_b, p->spin_b, p->moves, at, b);
    const lane_vec3 centers = lane_vec3_sub(b->moved, a->moved), arms = lane_vec3_sub(b->turned, a->turned);
    return lane_vec3_add(field_load3(p->apart, at), lane_vec3_add(centers, arms));
}

/* Finds the axes of a frame, which turns with its body. */
LANE_INLINE void make_axes(const make_side *s, dry_lanes *frame, lane_vec3 axis[3], int at)
{
    const lane_quat begin = lane_quat_load(frame[0] + at, DRY_BUNDLE);
    const lane_mat3 r = lane_mat3_from_quat_fused(begin);
    axis[0] = lane_quat_rotate_fused(s->rotation, r.x);
    axis[1] = lane_quat_rotate_fused(s->rotation, r.y);
    axis[2] = lane_quat_rotate_fused(s->rotation, r.z);
}

/* A row, whitened; side a's part has its minus sign [Spook 25]. */
typedef struct made_row {
    lane_vec3 linear_a, angular_a, linear_b, angular_b;
} made_row;

/* Whitens a force along `linear` at the end of both bodies' arms with a torque along `about`. */
MAKE_CALL void make_whitened(const make_side *a, const make_side *b, lane_vec3 linear, lane_vec3 about,
                             made_row *out)
{
    const lane_vec3 at_a = lane_vec3_add(lane_vec3_cross_fused(a->arm, linear), about);
    const lane_vec3 at_b = lane_vec3_add(lane_vec3_cross_fused(b->arm, linear), about);
    out->linear_a = lane_vec3_negate(lane_vec3_scale(linear, a->inv_sqrt_mass));
    out->angular_a = lane_vec3_negate(lane_mat3_mul_transposed_fused(a->axes, at_a));
    out->linear_b = lane_vec3_scale(linear, b->inv_sqrt_mass);
    out->angular_b = lane_mat3_mul_transposed_fused(b->axes, at_b);
}

/* Returns how far a row has moved since the step began, which sweeps add to its error. */
LANE_INLINE lane make_moved(const made_row *g, const make_side *a, const make_side *b)
{
    lane sum = lane_vec3_dot_fused(g->linear_a, a->d.dl);
    sum = lane_vec3_add_dot_fused(sum, g->angular_a, a->d.da);
    sum = lane_vec3_add_dot_fused(sum, g->linear_b, b->d.dl);
    return lane_vec3_add_dot_fused(sum, g->angular_b, b->d.da);
}

/* Returns the speed of a row, but for bodies that move of themselves. */
LANE_INLINE lane make_speed(const made_row *g, const lane_velocity *a, const lane_velocity *b)
{
    lane sum = lane_vec3_dot_fused(g->linear_a, a->ul);
    sum = lane_vec3_add_dot_fused(sum, g->angular_a, a->ua);
    sum = lane_vec3_add_dot_fused(sum, g->linear_b, b->ul);
    return lane_vec3_add_dot_fused(sum, g->angular_b, b->ua);
}

/* Returns dG/dt W: how fast the speed grows as the row turns. `before` is the present velocity's along the
 * row that was made last. */
LANE_INLINE lane make_acceleration(const dry_making *m, const made_row *g, const make_side *a,
                                   const make_side *b, lane before)
{
    return lane_mul(lane_set(m->rate), lane_sub(make_speed(g, &a->u, &b->u), before));
}

/* Returns how fast bodies that move of themselves part the ends of the arms. */
LANE_INLINE lane_vec3 make_driven(const make_side *a, const make_side *b)
{
    const lane_vec3 at_a = lane_vec3_add(a->velocity, lane_vec3_cross_fused(a->spin, a->arm));
    const lane_vec3 at_b = lane_vec3_add(b->velocity, lane_vec3_cross_fused(b->spin, b->arm));
    return lane_vec3_sub(at_b, at_a);
}

/* Returns the row's speed by them. */
LANE_INLINE lane make_kinematic(const make_side *a, const make_side *b, lane_vec3 linear, lane_vec3 about)
{
    return lane_vec3_add_dot_fused(lane_vec3_dot_fused(linear, make_driven(a, b)), about,
                                   lane_vec3_sub(b->spin, a->spin));
}

/* Returns the product of the parts of two rows at one body. */
LANE_INLINE lane make_dot(lane_vec3 linear_x, lane_vec3 angular_x, lane_vec3 linear_y, lane_vec3 angular_y)
{
    return lane_vec3_add_dot_fused(lane_vec3_dot_fused(linear_x, linear_y), angular_x, angular_y);
}

/* Returns the product of two rows, with both bodies' masses split among their constraints. */
LANE_INLINE lane make_product(const make_side *a, const make_side *b, const made_row *x, const made_row *y)
{
    const lane of_a = make_dot(x->linear_a, x->angular_a, y->linear_a, y->angular_a);
    const lane of_b = make_dot(x->linear_b, x->angular_b, y->linear_b, y->angular_b);
    return lane_fma(b->share, of_b, lane_mul(a->share, of_a));
}

/* A pivot below this share of its row's own diagonal is lost to single precision: it is a difference of
 * products, each rounded to 6e-8 of the diagonal. Lever arms of 300 times a body's radius of gyration have
 * such, if they lie along no axis of the joint's frame. */
#define MAKE_PIVOT_MIN 1e-5f

/* Returns 1 / x; 0 where x is not above 0. */
LANE_INLINE lane make_inverse(lane x)
{
    const lane_mask some = lane_less(lane_zero(), x);
    return lane_select(some, lane_div(lane_set(1.0f), lane_select(some, x, lane_set(1.0f))), lane_zero());
}

/* Inverts a symmetric block, factored as L D L^T; a row that moves nothing gets no impulse. Where a pivot is
 * too small, and in lanes that are not whole, each row is inverted by itself, over the number of rows: slowly
 * but safely. Returns the lanes whose inverse is exact. */
MAKE_CALL lane_mask make_invert(const lane *block, int rows, lane_mask whole, lane *inverse)
{
    lane l[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS], d[DRY_BLOCK_ROWS], x[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS];
    lane count = lane_zero();
    lane_mask exact = whole;
    for (int k = 0; k < rows; k++) {
        const lane own = block[dry_block_element(k, k)];
        lane pivot = own;
        for (int m = 0; m < k; m++)
            pivot = lane_fnma(lane_mul(l[k][m], l[k][m]), d[m], pivot);
        const lane least = lane_mul(lane_set(MAKE_PIVOT_MIN), own);
        const lane_mask moves = lane_less(lane_zero(), own);
        exact =
            lane_mask_and(exact, lane_mask_or(lane_less(least, pivot), lane_less_equal(own, lane_zero())));
        count = lane_add(count, lane_select(moves, lane_set(1.0f), lane_zero()));
        d[k] = lane_select(moves, pivot, lane_zero());
        const lane over = make_inverse(d[k]);
        for (int i = k + 1; i < rows; i++) {
            lane sum = block[dry_block_element(k, i)];
            for (int m = 0; m < k; m++)
                sum = lane_fnma(lane_mul(l[i][m], l[k][m]), d[m], sum);
            l[i][k] = lane_mul(sum, over);
        }
    }
    /* The inverse of L, column after column, then L^-T D^-1 L^-1. */
    for (int column = 0; column < rows; column++)
        for (int i = column + 1; i < rows; i++) {
            lane sum = lane_negate(l[i][column]);
            for (int m = column + 1; m < i; m++)
                sum = lane_fnma(l[i][m], x[m][column], sum);
            x[i][column] = sum;
        }
    for (int i = 0; i < rows; i++)
        d[i] = make_inverse(d[i]);
    for (int i = 0; i < rows; i++)
        for (int k = i; k < rows; k++) {
            lane sum = i == k ? d[k] : lane_mul(x[k][i], d[k]);
            for (int m = k + 1; m < rows; m++)
                sum = lane_fma(lane_mul(x[m][i], x[m][k]), d[m], sum);
            const lane alone =
                i == k ? make_inverse(lane_mul(count, block[dry_block_element(i, i)])) : lane_zero();
            inverse[dry_block_element(i, k)] = lane_select(exact, sum, alone);
        }
    return exact;
}

/* The locked rows of a joint. */
typedef struct made_block {
    form_row row[DRY_BLOCK_ROWS];
    made_row g[DRY_BLOCK_ROWS];
    lane block[DRY_BLOCK_ELEMENTS], inverse[DRY_BLOCK_ELEMENTS];
    lane_mask exact;
} made_block;

/* Finds the locked rows, whose forms the lanes have; both bodies take impulses at anchor b. */
MAKE_CALL void make_block(const joint_pose *pose, const make_side *a, const make_side *b, dry_lanes *form,
                          const uint32_t *forms, int rows, lane_mask whole, made_block *out, int at)
{
    for (int i = 0; i < rows; i++) {
        form_blend(pose, LOAD(form[i]), forms[i], &out->row[i]);
        make_whitened(a, b, out->row[i].linear, out->row[i].about, &out->g[i]);
    }
    for (int i = 0; i < rows; i++)
        for (int k = i; k < rows; k++)
            out->block[dry_block_element(i, k)] = make_product(a, b, &out->g[i], &out->g[k]);
    out->exact = make_invert(out->block, rows, whole, out->inverse);
}

/* Returns the acceleration of the end of a body's arm as the body turns, w x (w x r). */
LANE_INLINE lane_vec3 make_circling(const make_side *s)
{
    return lane_vec3_cross_fused(s->turning, lane_vec3_cross_fused(s->turning, s->arm));
}

/* Finds how the gap between the anchors changes; arms are those to the anchors. */
LANE_INLINE void make_rates(const make_side *a, const make_side *b, joint_pose *pose)
{
    const lane_vec3 of_a = lane_vec3_add(a->rate, lane_vec3_cross_fused(a->turning, a->arm));
    const lane_vec3 of_b = lane_vec3_add(b->rate, lane_vec3_cross_fused(b->turning, b->arm));
    pose->spin_a = a->turning;
    pose->spin_b = b->turning;
    pose->apart_rate = lane_vec3_sub(of_b, of_a);
    pose->apart_acceleration = lane_vec3_sub(make_circling(b), make_circling(a));
}

/* Finds the bodies and frames of joints with frames. `swings`: some row needs the angles of swing_twist.h. */
MAKE_CALL void make_pose(const dry_making *m, dry_joint_places *places, dry_joint_frame_places *frames,
                         const int32_t *row_a, const int32_t *row_b, bool swings, make_side *a, make_side *b,
                         joint_pose *pose, int at)
{
    pose->apart = make_sides(m, places, row_a, row_b, a, b, at);
    make_axes(a, frames->frame_a, pose->axis_a, at);
    make_axes(b, frames->frame_b, pose->axis_b, at);
    make_rates(a, b, pose);
    pose->mesh[0] = pose->mesh[1] = lane_zero();
    a->arm = lane_vec3_add(a->arm, pose->apart);
    if (swings)
        pose_find_swing(pose);
}

LANE_INLINE void make_store_row(dry_lanes *linear_a, dry_lanes *angular_a, dry_lanes *linear_b,
                                dry_lanes *angular_b, const made_row *g, int at)
{
    field_store3(linear_a, at, g->linear_a);
    field_store3(angular_a, at, g->angular_a);
    field_store3(linear_b, at, g->linear_b);
    field_store3(angular_b, at, g->angular_b);
}

/* Adds the square of what a row is off to that of the gap, or to that of the rotation. */
LANE_INLINE void make_add_off(lane off[2], lane_mask turns, lane value)
{
    const lane square = lane_mul(value, value);
    off[0] = lane_add(off[0], lane_select(turns, lane_zero(), square));
    off[1] = lane_add(off[1], lane_select(turns, square, lane_zero()));
}

/* Fills what the lanes of a block bundle have from their locked rows. */
MAKE_CALL void block_fill(dry_block_bundle *c, const made_block *made, const make_side *a, const make_side *b,
                          int at)
{
    lane most = lane_zero();
    for (int i = 0; i < c->rows; i++) {
        const lane_mask moves =
            lane_less(lane_zero(), lane_vec3_dot_fused(made->row[i].linear, made->row[i].linear));
        const lane own = made->block[dry_block_element(i, i)];
        most = lane_max(most, lane_select(moves, own, lane_zero()));
    }
    lane off[2] = {lane_zero(), lane_zero()};
    for (int i = 0; i < c->rows; i++) {
        dry_block_row *row = &c->row[i];
        const form_row *r = &made->row[i];
        make_store_row(row->linear_a, row->angular_a, row->linear_b, row->angular_b, &made->g[i], at);
        field_store3(row->linear, at, r->linear);
        field_store3(row->about, at, r->about);
        const lane kinematic = c->places.moves ? make_kinematic(a, b, r->linear, r->about) : lane_zero();
        const lane value = lane_sub(r->value, LOAD(row->offset));
        lane_store(row->kinematic + at, kinematic);
        lane_store(row->error + at, value);
        lane_store(row->acceleration + at, lane_mul(LOAD(c->whole), r->acceleration));
        /* A rotation counts as the speed at which the same impulse would part the anchors. */
        const lane own = made->block[dry_block_element(i, i)];
        const lane_mask turns = lane_less_equal(lane_vec3_dot_fused(r->linear, r->linear), lane_zero());
        const lane_mask scaled = lane_mask_and(turns, lane_less(lane_zero(), most));
        const lane weight = lane_mul(most, make_inverse(own));
        lane_store(row->weight + at,
                   lane_select(lane_mask_and(scaled, lane_less(lane_zero(), own)), weight, lane_set(1.0f)));
        make_add_off(off, turns, value);
    }
    lane_store(c->places.gap + at, off[0]);
    lane_store(c->places.turn + at, off[1]);
    for (int i = 0; i < c->rows; i++)
        for (int k = i; k < c->rows; k++) {
            const int e = dry_block_element(i, k);
            lane_store(c->block[e] + at, made->block[e]);
            lane_store(c->inverse[e] + at, made->inverse[e]);
        }
}

/* Returns the forms that occur among the lanes of the rows. */
LANE_INLINE uint32_t make_forms(const uint32_t *forms, int rows)
{
    uint32_t all = 0;
    for (int i = 0; i < rows; i++)
        all |= forms[i];
    return all;
}

/* Finds the pose and the locked rows of a block bundle's lanes, and fills it. `all`: the forms that need the
 * pose. */
MAKE_CALL void block_make_lanes(dry_block_bundle *c, const dry_making *m, uint32_t all, make_side *a,
                                make_side *b, joint_pose *pose, made_block *made, int at)
{
    make_pose(m, &c->places, &c->frames, c->row_a, c->row_b, all & DRY_FORMS_SWING, a, b, pose, at);
    for (int k = 0; k < 2 && (all & DRY_FORMS_MESH); k++)
        pose->mesh[k] = LOAD(c->mesh[k]);
    make_block(pose, a, b, c->form, c->forms, c->rows, lane_less(lane_zero(), LOAD(c->whole)), made, at);
    block_fill(c, made, a, b, at);
}

static void block_make(void *bundles, int begin, int end, const dry_making *m)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_block_bundle *c = (dry_block_bundle *)bundles + bundle;
        const uint32_t all = make_forms(c->forms, c->rows);
        for (int at = 0; at < DRY_BUNDLE && at < c->lanes && !c->paired; at += DRY_LANES) {
            make_side a, b;
            joint_pose pose;
            made_block made;
            block_make_lanes(c, m, all, &a, &b, &pose, &made, at);
        }
    }
}

/* Makes the numbers of a part that follow from its row: `value` is the coordinate, less what sweeps add. */
LANE_INLINE void make_part(dry_axis_part *part, lane value, lane sign, lane diagonal, int at)
{
    const lane softness = lane_fma(LOAD(part->relative), diagonal, LOAD(part->given));
    const lane_mask moves = lane_less(lane_zero(), diagonal);
    lane_store(part->error + at, lane_mul(sign, lane_sub(value, LOAD(part->offset))));
    lane_store(part->softness + at, softness);
    lane_store(part->mass + at, lane_select(moves, make_inverse(lane_add(diagonal, softness)), lane_zero()));
}

/* Returns how far a coordinate is past its rigid stops. */
LANE_INLINE lane make_passed(dry_axis_row *row, uint32_t uses, lane value, int at)
{
    lane past = lane_zero();
    for (int p = DRY_PART_LOWER; p <= DRY_PART_UPPER; p++)
        if (uses & 1u << p) {
            const lane off = lane_sub(value, LOAD(row->part[p].offset));
            const lane beyond = p == DRY_PART_LOWER ? lane_negate(off) : off;
            const lane_mask stops = lane_less(lane_zero(), LOAD(row->part[p].most));
            past = lane_max(past, lane_select(stops, beyond, lane_zero()));
        }
    return lane_mul(LOAD(row->hard), past);
}

/* Takes from a free row its part along the locked ones: g - G^T (G G^T)^-1 G g. Articulations solve locked
 * rows with all that acts on them: there the square of what is left counts alone, as what a frequency of the
 * row is of. */
LANE_INLINE void make_conjugate(const made_block *block, const make_side *a, const make_side *b, int locked,
                                form_row *row, made_row *g)
{
    lane product[DRY_BLOCK_ROWS];
    for (int k = 0; k < locked; k++)
        product[k] = make_product(a, b, &block->g[k], g);
    for (int k = 0; k < locked; k++) {
        lane c = lane_zero();
        for (int i = 0; i < locked; i++)
            c = lane_fma(block->inverse[i < k ? dry_block_element(i, k) : dry_block_element(k, i)],
                         product[i], c);
        c = lane_select(block->exact, c, lane_zero());
        row->linear = lane_vec3_sub_scaled_fused(row->linear, c, block->row[k].linear);
        row->about = lane_vec3_sub_scaled_fused(row->about, c, block->row[k].about);
    }
    if (locked > 0)
        make_whitened(a, b, row->linear, row->about, g);
}

/* Returns the rotations with which a coordinate's value is counted. */
LANE_INLINE lane make_counted(dry_axis_row *row, lane value, lane near, int at)
{
    return lane_select(lane_less(lane_set(0.5f), LOAD(row->winds)), lane_angle_near(value, near), value);
}

/* Makes a row the gradient of what its spring knows of its coordinate, as dry_joint_known_value does, in the
 * lanes that fade. Returns that; `counted` becomes the value with whole rotations, of which a swing near pi
 * leaves those nearest the origin. */
MAKE_CALL lane make_fade(const joint_pose *pose, dry_axis_row *row, form_row *r, lane *counted, int at)
{
    const lane rest = LOAD(row->fades_to), origin = LOAD(row->origin), finite = lane_set(FLT_MAX);
    const lane one = lane_set(1.0f), begin = lane_set((float)DRY_SWING_FADES);
    const lane_mask far = lane_less(begin, pose->swing), fades = lane_mask_and(lane_less(rest, finite), far);
    const lane per = lane_set((float)(1.0 / (DRY_PI - DRY_SWING_FADES)));
    const lane u = lane_min(lane_mul(lane_sub(pose->swing, begin), per), one);
    const lane faded = lane_mul(lane_mul(u, u), lane_fnma(lane_set(2.0f), u, lane_set(3.0f)));
    const lane slope = lane_mul(lane_mul(lane_set(6.0f), per), lane_mul(u, lane_sub(one, u)));
    const lane past = lane_sub(LOAD(row->near), origin),
               near = lane_add(origin, lane_fnma(faded, past, past));
    const lane_mask anchored = lane_mask_and(lane_less(origin, finite), far);
    const lane value = lane_select(anchored, make_counted(row, r->value, near, at), *counted);
    const lane off = lane_sub(value, rest);
    const lane_vec3 left = lane_vec3_sub_scaled_fused(r->about, faded, r->about);
    const lane_vec3 about = lane_vec3_sub_scaled_fused(left, lane_mul(off, slope), pose->swing_row);
    r->about = lane_vec3_select(fades, about, r->about);
    *counted = value;
    return lane_select(fades, lane_fnma(faded, off, value), value);
}

static void axes_make(void *bundles, int begin, int end, const dry_making *m)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_axes_bundle *c = (dry_axes_bundle *)bundles + bundle;
        dry_block_bundle *shared = c->block > 0 ? m->blocks + c->block - 1 : NULL;
        const uint32_t *forms = shared ? shared->forms : c->locked_forms;
        const int locked = shared ? shared->rows : c->locked, lanes = shared ? shared->lanes : c->lanes;
        const uint32_t all = make_forms(forms, locked) | make_forms(c->forms, c->rows);
        const bool moves = shared ? shared->places.moves : c->places.moves;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            make_side a, b;
            joint_pose pose;
            made_block block;
            if (shared) {
                block_make_lanes(shared, m, all, &a, &b, &pose, &block, at);
            } else {
                make_pose(m, &c->places, &c->frames, c->row_a, c->row_b, all & DRY_FORMS_SWING, &a, &b, &pose,
                          at);
                make_block(&pose, &a, &b, c->locked_form, c->locked_forms, locked,
                           lane_less(lane_zero(), LOAD(c->whole)), &block, at);
            }
            const bool fades = (all & DRY_FORMS_SWING) && pose.fades;
            lane off[2] = {lane_zero(), lane_zero()};
            for (int i = 0; i < c->rows; i++) {
                dry_axis_row *row = &c->row[i];
                form_row r;
                form_blend(&pose, LOAD(c->form[i]), c->forms[i], &r);
                lane counted = make_counted(row, r.value, LOAD(row->near), at);
                const lane value = fades && (c->forms[i] & DRY_FORMS_SWING)
                                       ? make_fade(&pose, row, &r, &counted, at)
                                       : counted;
                made_row g;
                make_whitened(&a, &b, r.linear, r.about, &g);
                const form_row whole = r;
                const made_row of_whole = g;
                make_conjugate(&block, &a, &b, locked, &r, &g);
                const lane diagonal = make_product(&a, &b, &g, &g);
                if (c->coupled) {
                    r = whole;
                    g = of_whole;
                }
                const lane kinematic = moves ? make_kinematic(&a, &b, r.linear, r.about) : lane_zero();
                lane less = lane_sub(value, make_moved(&g, &a, &b));
                less = lane_fnma(lane_set(m->since), kinematic, less);
                make_store_row(row->linear_a, row->angular_a, row->linear_b, row->angular_b, &g, at);
                field_store3(row->linear, at, r.linear);
                field_store3(row->about, at, r.about);
                lane_store(row->past + at, LOAD(row->value));
                lane_store(row->near + at, counted);
                lane_store(row->value + at, value);
                lane_store(row->acceleration + at, make_acceleration(m, &g, &a, &b, LOAD(row->acceleration)));
                lane_store(row->kinematic + at, kinematic);
                lane_store(row->diagonal + at, diagonal);
                lane_store(row->inverse + at, make_inverse(diagonal));
                for (int p = 0; p < DRY_PART_COUNT; p++)
                    if (c->uses[i] & 1u << p)
                        make_part(&row->part[p], less, lane_set(p == DRY_PART_UPPER ? -1.0f : 1.0f), diagonal,
                                  at);
                make_add_off(off, lane_less(LOAD(row->force), lane_set(0.5f)),
                             make_passed(row, c->uses[i], value, at));
            }
            lane_store(c->places.gap + at, off[0]);
            lane_store(c->places.turn + at, off[1]);
        }
    }
}

/* Returns twice the way over h^2 that the end of an arm is carried off its tangent in a substep h as the body
 * turns: (W^2 + h/3 W^3 + h^2/12 W^4) r, from the series of exp(h W). `third` is h/3. With fewer terms two
 * cubes at 20 rad/s lose 1.6 % of their energy in 10 s. */
LANE_INLINE lane_vec3 make_carried(const make_side *s, float third)
{
    const lane_vec3 now = make_circling(s), next = lane_vec3_cross_fused(s->turning, now);
    const lane_vec3 sum = lane_vec3_add_scaled_fused(now, lane_set(third), next);
    return lane_vec3_add_scaled_fused(sum, lane_set(3.0f / 4.0f * third * third),
                                      lane_vec3_cross_fused(s->turning, next));
}

/* Leads both lever arms to one point: to the anchor of the side that nothing pushes, or else to the middle
 * between both anchors. The gap then makes no torque. */
LANE_INLINE void make_meet(make_side *a, make_side *b, const int32_t *row_a, const int32_t *row_b,
                           lane_vec3 apart)
{
    _Alignas(64) float of_a[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        of_a[i] = row_a[i] == 0 ? 0.0f : row_b[i] == 0 ? 1.0f : 0.5f;
    const lane share = lane_load(of_a);
    a->arm = lane_vec3_add_scaled_fused(a->arm, share, apart);
    b->arm = lane_vec3_add_scaled_fused(b->arm, lane_sub(share, lane_set(1.0f)), apart);
}

/* Inverts symmetric 3x3 matrices xx xy xz yy yz zz, scaled by their largest elements first, so that no
 * product of three overflows. A determinant is the product of the pivots: below MAKE_PIVOT_MIN of the
 * diagonal's product it is lost, and each row is inverted by itself, over the number of rows. */
LANE_INLINE void make_invert3(const lane given[6], lane inverse[6])
{
    const lane largest = lane_max(given[0], lane_max(given[3], given[5])), unit = make_inverse(largest);
    lane m[6];
    for (int i = 0; i < 6; i++)
        m[i] = lane_mul(given[i], unit);
    const lane cxx = lane_fnma(m[4], m[4], lane_mul(m[3], m[5]));
    const lane cxy = lane_fnma(m[1], m[5], lane_mul(m[2], m[4]));
    const lane cxz = lane_fnma(m[2], m[3], lane_mul(m[1], m[4]));
    const lane determinant = lane_fma(m[0], cxx, lane_fma(m[1], cxy, lane_mul(m[2], cxz)));
    const lane least = lane_mul(lane_set(MAKE_PIVOT_MIN), lane_mul(m[0], lane_mul(m[3], m[5])));
    const lane_mask exact = lane_less(least, determinant);
    const lane scale = lane_mul(unit, make_inverse(determinant));
    const lane third = lane_mul(unit, lane_set(1.0f / 3.0f)), zero = lane_zero();
    const lane own[6] = {lane_mul(third, make_inverse(m[0])), zero, zero,
                         lane_mul(third, make_inverse(m[3])), zero, lane_mul(third, make_inverse(m[5]))};
    const lane cofactor[6] = {cxx,
                              cxy,
                              cxz,
                              lane_fnma(m[2], m[2], lane_mul(m[0], m[5])),
                              lane_fnma(m[0], m[4], lane_mul(m[1], m[2])),
                              lane_fnma(m[1], m[1], lane_mul(m[0], m[3]))};
    for (int i = 0; i < 6; i++)
        inverse[i] = lane_select(exact, lane_mul(cofactor[i], scale), own[i]);
}

/* Finds the whitened angular parts of forces along the axes of the world at the end of a body's arm: row k is
 * made of the axes' products with r x e_k, which are elements k of theirs with r. */
LANE_INLINE void make_world_rows(const make_side *s, lane_vec3 row[3])
{
    const lane_vec3 x = lane_vec3_cross_fused(s->axes.x, s->arm),
                    y = lane_vec3_cross_fused(s->axes.y, s->arm),
                    z = lane_vec3_cross_fused(s->axes.z, s->arm);
    row[0] = (lane_vec3){x.x, y.x, z.x};
    row[1] = (lane_vec3){x.y, y.y, z.y};
    row[2] = (lane_vec3){x.z, y.z, z.z};
}

static void point_make(void *bundles, int begin, int end, const dry_making *m)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_point_bundle *c = (dry_point_bundle *)bundles + bundle;
        for (int at = 0; at < DRY_BUNDLE && at < c->lanes; at += DRY_LANES) {
            make_side a, b;
            const lane_vec3 apart = make_sides(m, &c->places, c->row_a, c->row_b, &a, &b, at);
            lane_store(c->places.gap + at, lane_vec3_dot_fused(apart, apart));
            make_meet(&a, &b, c->row_a + at, c->row_b + at, apart);
            field_store3(c->past, at, field_load3(c->error, at));
            field_store3(c->error, at, apart);
            field_store3(c->acceleration, at,
                         lane_vec3_sub(make_carried(&b, m->third), make_carried(&a, m->third)));
            field_store3(c->kinematic, at, c->places.moves ? make_driven(&a, &b) : lane_vec3_zero());
            lane_vec3 of_a[3], of_b[3];
            make_world_rows(&a, of_a);
            make_world_rows(&b, of_b);
            const lane root_a = lane_mul(a.share, a.inv_sqrt_mass),
                       root_b = lane_mul(b.share, b.inv_sqrt_mass);
            const lane own = lane_fma(root_b, b.inv_sqrt_mass, lane_mul(root_a, a.inv_sqrt_mass));
            lane block[6], soft[6], inverse[6];
            const lane eps = LOAD(c->given), relative = LOAD(c->relative);
            for (int i = 0, e = 0; i < 3; i++) {
                field_store3(c->angular_a[i], at, lane_vec3_negate(of_a[i]));
                field_store3(c->angular_b[i], at, of_b[i]);
                for (int k = i; k < 3; k++, e++) {
                    block[e] = lane_fma(b.share, lane_vec3_dot_fused(of_b[i], of_b[k]),
                                        lane_mul(a.share, lane_vec3_dot_fused(of_a[i], of_a[k])));
                    block[e] = i == k ? lane_add(own, block[e]) : block[e];
                    soft[e] = i == k ? lane_add(block[e], eps) : block[e];
                    const lane share = lane_mul(relative, block[e]);
                    lane_store(c->softness[e] + at, i == k ? lane_add(share, eps) : share);
                }
            }
            make_invert3(soft, inverse);
            for (int e = 0; e < 6; e++)
                lane_store(c->inverse[e] + at, inverse[e]);
        }
    }
}

static void line_make(void *bundles, int begin, int end, const dry_making *m)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_line_bundle *c = (dry_line_bundle *)bundles + bundle;
        dry_single_row *s = &c->single;
        for (int at = 0; at < DRY_BUNDLE && at < c->lanes; at += DRY_LANES) {
            make_side a, b;
            joint_pose pose;
            form_row r;
            pose.apart = make_sides(m, &c->places, c->row_a, c->row_b, &a, &b, at);
            form_line(&pose, &r);
            made_row g;
            make_whitened(&a, &b, r.linear, r.about, &g);
            const lane squared = make_product(&a, &b, &g, &g);
            const lane kinematic = c->places.moves ? make_kinematic(&a, &b, r.linear, r.about) : lane_zero();
            const lane off = lane_sub(r.value, LOAD(c->rest));
            lane_store(c->places.gap + at, lane_mul(off, off));
            field_store3(c->axis, at, r.linear);
            lane_store(c->past + at, LOAD(s->error));
            lane_store(s->error + at, off);
            field_store3(c->angular_a, at, g.angular_a);
            field_store3(c->angular_b, at, g.angular_b);
            lane_store(s->kinematic + at, kinematic);
            /* The line turns, too: after a substep h with v across it must end at l^2 - (v h)^2 along its old
             * direction, and at 0 at most. */
            make_rates(&a, &b, &pose);
            const lane_vec3 across = lane_vec3_sub_scaled_fused(
                pose.apart_rate, lane_vec3_dot_fused(pose.apart_rate, r.linear), r.linear);
            const lane l = r.value, per = lane_set(1.0f / (3.0f * m->third)), most = lane_mul(l, per);
            const lane square = lane_min(lane_vec3_dot_fused(across, across), lane_mul(most, most));
            const lane left = lane_sqrt(lane_max(lane_sub(lane_mul(most, most), square), lane_zero()));
            const lane turning =
                lane_mul(lane_mul(lane_add(square, square), per), make_inverse(lane_add(most, left)));
            lane_store(s->acceleration + at,
                       lane_vec3_add_dot_fused(turning, r.linear, pose.apart_acceleration));
            const lane softness = lane_fma(LOAD(c->relative), squared, LOAD(c->given));
            const lane_mask moves = lane_less(lane_zero(), squared);
            lane_store(s->softness + at, softness);
            lane_store(s->inverse + at,
                       lane_select(moves, make_inverse(lane_add(squared, softness)), lane_zero()));
            lane_store(s->relax_inverse + at, lane_mul(LOAD(s->rigid), make_inverse(squared)));
        }
    }
}

/* The kernel that keeps the speeds along rows of free axes, as long as whitened rows and velocities belong
 * together: before frames turn. It keeps them in the rows' accelerations, which making rows computes anew. */

LANE_INLINE lane keep_speed(dry_lanes *linear_a, dry_lanes *angular_a, dry_lanes *linear_b,
                            dry_lanes *angular_b, const lane_velocity *a, const lane_velocity *b, int at)
{
    const made_row g = {field_load3(linear_a, at), field_load3(angular_a, at), field_load3(linear_b, at),
                        field_load3(angular_b, at)};
    return make_speed(&g, a, b);
}

static void axes_keep(void *bundles, int begin, int end, const dry_making *m)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_axes_bundle *c = (dry_axes_bundle *)bundles + bundle;
        for (int at = 0; at < DRY_BUNDLE && at < c->lanes; at += DRY_LANES) {
            lane_velocity a, b;
            lane_gather_velocity(m->rows, c->row_a + at, &a);
            lane_gather_velocity(m->rows, c->row_b + at, &b);
            for (int i = 0; i < c->rows; i++) {
                dry_axis_row *row = &c->row[i];
                lane_store(row->acceleration + at, keep_speed(row->linear_a, row->angular_a, row->linear_b,
                                                              row->angular_b, &a, &b, at));
            }
        }
    }
}

#endif
