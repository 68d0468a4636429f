/* Bodies and frames of joints in lanes where they are now, and the rows of forms between them: whitened, with
 * their products and the inverse of a block. Compiled once for each level; included by make_kernels.h alone.
 */
#ifndef SOLVER_SWEEPS_JOINTS_MAKE_ROWS_H
#define SOLVER_SWEEPS_JOINTS_MAKE_ROWS_H

#include "solver/bodies/frames.h"
#include "solver/bodies/gather.h"
#include "solver/data/joints/block.h"
#include "solver/data/joints/places.h"
#include "solver/sweeps/joints/form_lanes.h"

/* Not inlined: kernels share them, and run once a substep. */
#define MAKE_CALL static DRY_NOINLINE

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
    lane inverse_mass;        /* times the share, 1/kg */
} make_side;

/* Returns an angular velocity, rad/s, or a rotation, rad, without parts below FLT_EPSILON: an orientation is
 * rounded as much. Fourth powers, which rows have, are normal numbers still. Processors take a hundred times
 * as long for denormal ones, of which resting bodies are full. */
LANE_INLINE lane_vec3 make_normal(lane_vec3 v)
{
    const lane low = lane_set(FLT_EPSILON), zero = lane_zero();
    return (lane_vec3){lane_select(lane_less(lane_abs(v.x), low), zero, v.x),
                       lane_select(lane_less(lane_abs(v.y), low), zero, v.y),
                       lane_select(lane_less(lane_abs(v.z), low), zero, v.z)};
}

/* Returns the rotation by a vector: that of an eighth of its half, by the series of sine and cosine, squared
 * twice. The error is a share of 4e-7 of a rotation below 8 rad. */
LANE_INLINE lane_quat make_rotation(lane_vec3 vector)
{
    const lane_vec3 u = lane_vec3_scale(vector, lane_set(1.0f / 8.0f));
    const lane s = lane_vec3_dot(u, u), one = lane_set(1.0f);
    lane sine = lane_add_mul(lane_set(-1.0f / 5040.0f), s, lane_set(1.0f / 362880.0f));
    sine = lane_add_mul(lane_set(1.0f / 120.0f), s, sine);
    sine = lane_add_mul(lane_set(-1.0f / 6.0f), s, sine);
    sine = lane_add_mul(one, s, sine);
    lane_vec3 v = lane_vec3_scale(u, sine);
    lane w = lane_sqrt(lane_max(lane_sub_mul(one, s, lane_mul(sine, sine)), lane_zero()));
    for (int i = 0; i < 2; i++) {
        const lane twice = lane_add(w, w), square = lane_vec3_dot(v, v);
        v = lane_vec3_scale(v, twice);
        w = lane_sub_mul(one, lane_set(2.0f), square);
    }
    return (lane_quat){v.x, v.y, v.z, w};
}

/* Returns by how much a rotation moves a vector: with an error that is a share of that. */
LANE_INLINE lane_vec3 make_turned(lane_quat q, lane_vec3 v)
{
    const lane_vec3 u = {q.x, q.y, q.z};
    lane_vec3 t = lane_vec3_cross(u, v);
    t = lane_vec3_add(t, t);
    return lane_vec3_add(lane_vec3_scale(t, q.w), lane_vec3_cross(u, t));
}

/* Puts what a record says of bodies that turn their frames in their lanes: the orientations in which rows are
 * whitened, or with `ahead` the rotations until errors are measured. */
LANE_INLINE void make_frame(const dry_making *m, const int32_t *row, bool ahead, lane_quat *of)
{
    if (!m->frames)
        return;
    _Alignas(64) float q[4][DRY_LANES];
    lane_quat_store(q[0], DRY_LANES, *of);
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_row_frame *frame = row[i] ? &m->frames[row[i] - 1] : NULL;
        if (!frame || !frame->turns)
            continue;
        const dry_quat *from = ahead ? &frame->ahead : &frame->orientation;
        q[0][i] = from->x;
        q[1][i] = from->y;
        q[2][i] = from->z;
        q[3][i] = from->w;
    }
    *of = lane_quat_load(q[0], DRY_LANES);
}

/* Returns among how many constraints a method splits the mass of each lane's body. */
LANE_INLINE lane make_share(const dry_making *m, const int32_t *row)
{
    _Alignas(64) float share[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        share[i] = row[i] && m->constraints[row[i] - 1] > 1 ? (float)m->constraints[row[i] - 1] : 1.0f;
    return lane_load(share);
}

/* Finds a body of each lane, `ahead` seconds from now. */
MAKE_CALL void make_side_of(const dry_making *m, const int32_t *row, dry_joint_side_place *place, bool moves,
                            float ahead, int at, make_side *s)
{
    lane_velocity v;
    lane_gather_rows(m->rows, row, &v, &s->d, &s->inv_sqrt_mass);
    if (ahead > 0.0f) { /* as passes.c will move it, to the bit */
        s->d.dl = lane_vec3_add(s->d.dl, lane_vec3_scale(v.ul, lane_set(ahead)));
        s->d.da = lane_vec3_add(s->d.da, lane_vec3_scale(v.ua, lane_set(ahead)));
    }
    const lane_whitening w = lane_gather_whitening(m->rows, row);
    lane_quat frame = lane_quat_load(place->orientation[0] + at, DRY_BUNDLE);
    make_frame(m, row, false, &frame);
    const lane_mat3 r = lane_mat3_from_quat(frame);
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
        const lane since = lane_set(m->since + ahead);
        s->velocity = field_load3(place->velocity, at);
        s->spin = field_load3(place->spin, at);
        s->moved = lane_vec3_add_scaled(s->moved, since, s->velocity);
        turn = lane_vec3_add_scaled(turn, since, s->spin);
        s->rate = lane_vec3_add(s->rate, s->velocity);
        s->turning = lane_vec3_add(s->turning, s->spin);
    }
    s->share = m->constraints ? make_share(m, row) : lane_set(1.0f);
    s->inverse_mass = lane_mul(s->share, lane_mul(s->inv_sqrt_mass, s->inv_sqrt_mass));
    s->turning = make_normal(s->turning);
    s->rotation = make_rotation(make_normal(turn));
    if (ahead > 0.0f)
        make_frame(m, row, true, &s->rotation);
    const lane_vec3 begin = field_load3(place->arm, at);
    s->turned = make_turned(s->rotation, begin);
    s->arm = lane_vec3_add(begin, s->turned);
}

/* Finds both bodies of a joint, `ahead` seconds from now. Returns anchor b - anchor a. */
LANE_INLINE lane_vec3 make_sides(const dry_making *m, dry_joint_places *p, const int32_t *row_a,
                                 const int32_t *row_b, float ahead, make_side *a, make_side *b, int at)
{
    make_side_of(m, row_a + at, &p->side[0], p->moves, ahead, at, a);
    make_side_of(m, row_b + at, &p->side[1], p->moves, ahead, at, b);
    const lane_vec3 centers = lane_vec3_sub(b->moved, a->moved), arms = lane_vec3_sub(b->turned, a->turned);
    return lane_vec3_add(field_load3(p->apart, at), lane_vec3_add(centers, arms));
}

/* Finds the axes of a frame, which turns with its body. */
LANE_INLINE void make_axes(const make_side *s, dry_lanes *frame, lane_vec3 axis[3], int at)
{
    const lane_quat begin = lane_quat_load(frame[0] + at, DRY_BUNDLE);
    const lane_mat3 r = lane_mat3_from_quat(begin);
    axis[0] = lane_quat_rotate(s->rotation, r.x);
    axis[1] = lane_quat_rotate(s->rotation, r.y);
    axis[2] = lane_quat_rotate(s->rotation, r.z);
}

/* A row, whitened; side a's part has its minus sign [Spook 25]. */
typedef struct made_row {
    lane_vec3 linear_a, angular_a, linear_b, angular_b;
} made_row;

/* Whitens a force along `linear` at the end of both bodies' arms with a torque along `about`. */
MAKE_CALL void make_whitened(const make_side *a, const make_side *b, lane_vec3 linear, lane_vec3 about,
                             made_row *out)
{
    const lane_vec3 at_a = lane_vec3_add(lane_vec3_cross(a->arm, linear), about);
    const lane_vec3 at_b = lane_vec3_add(lane_vec3_cross(b->arm, linear), about);
    out->linear_a = lane_vec3_negate(lane_vec3_scale(linear, a->inv_sqrt_mass));
    out->angular_a = lane_vec3_negate(lane_mat3_mul_transposed(a->axes, at_a));
    out->linear_b = lane_vec3_scale(linear, b->inv_sqrt_mass);
    out->angular_b = lane_mat3_mul_transposed(b->axes, at_b);
}

/* Returns how far a row has moved since the step began, which sweeps add to its error. */
LANE_INLINE lane make_moved(const made_row *g, const make_side *a, const make_side *b)
{
    const lane of_a = lane_add(lane_vec3_dot(g->linear_a, a->d.dl), lane_vec3_dot(g->angular_a, a->d.da));
    return lane_add3(of_a, lane_vec3_dot(g->linear_b, b->d.dl), lane_vec3_dot(g->angular_b, b->d.da));
}

/* Returns the speed of a row, but for bodies that move of themselves. */
LANE_INLINE lane make_speed(const made_row *g, const lane_velocity *a, const lane_velocity *b)
{
    const lane of_a = lane_add(lane_vec3_dot(g->linear_a, a->ul), lane_vec3_dot(g->angular_a, a->ua));
    return lane_add3(of_a, lane_vec3_dot(g->linear_b, b->ul), lane_vec3_dot(g->angular_b, b->ua));
}

/* Returns how far a row moves until its error is measured, if no sweep changes its speed: sweeps add that. */
LANE_INLINE lane make_until(const dry_making *m, const made_row *g, const make_side *a, const make_side *b,
                            lane kinematic)
{
    return lane_mul(lane_set(m->ahead), lane_add(make_speed(g, &a->u, &b->u), kinematic));
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
    const lane_vec3 at_a = lane_vec3_add(a->velocity, lane_vec3_cross(a->spin, a->arm));
    const lane_vec3 at_b = lane_vec3_add(b->velocity, lane_vec3_cross(b->spin, b->arm));
    return lane_vec3_sub(at_b, at_a);
}

/* Returns the row's speed by them. */
LANE_INLINE lane make_kinematic(const make_side *a, const make_side *b, lane_vec3 linear, lane_vec3 about)
{
    return lane_add(lane_vec3_dot(linear, make_driven(a, b)),
                    lane_vec3_dot(about, lane_vec3_sub(b->spin, a->spin)));
}

/* Returns the product of two rows, with both bodies' masses split among their constraints. `linear`: that of
 * the rows' forces, before they are whitened. */
LANE_INLINE lane make_product(const make_side *a, const make_side *b, lane linear, const made_row *x,
                              const made_row *y)
{
    return lane_add3(lane_mul(lane_add(a->inverse_mass, b->inverse_mass), linear),
                     lane_mul(a->share, lane_vec3_dot(x->angular_a, y->angular_a)),
                     lane_mul(b->share, lane_vec3_dot(x->angular_b, y->angular_b)));
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
LANE_INLINE lane_mask make_invert(const lane *block, int rows, lane_mask whole, float inverse[][DRY_LANES])
{
    lane l[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS], d[DRY_BLOCK_ROWS], over[DRY_BLOCK_ROWS];
    lane x[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS], scaled[DRY_BLOCK_ROWS];
    lane count = lane_zero();
    lane_mask exact = whole;
    for (int k = 0; k < rows; k++) {
        const lane own = block[dry_block_element(k, k)];
        lane pivot = own;
        for (int m = 0; m < k; m++) {
            scaled[m] = lane_mul(l[k][m], d[m]);
            pivot = lane_sub_mul(pivot, l[k][m], scaled[m]);
        }
        const lane least = lane_mul(lane_set(MAKE_PIVOT_MIN), own);
        exact =
            lane_mask_and(exact, lane_mask_or(lane_less(least, pivot), lane_less_equal(own, lane_zero())));
        const lane_mask moves = lane_less(lane_zero(), own);
        count = lane_add(count, lane_select(moves, lane_set(1.0f), lane_zero()));
        d[k] = lane_select(moves, pivot, lane_zero());
        over[k] = make_inverse(d[k]);
        for (int i = k + 1; i < rows; i++) {
            lane sum = block[dry_block_element(k, i)];
            for (int m = 0; m < k; m++)
                sum = lane_sub_mul(sum, l[i][m], scaled[m]);
            l[i][k] = lane_mul(sum, over[k]);
        }
    }
    /* The inverse of L, column after column, then L^-T D^-1 L^-1. */
    for (int column = 0; column < rows; column++)
        for (int i = column + 1; i < rows; i++) {
            lane sum = lane_negate(l[i][column]);
            for (int m = column + 1; m < i; m++)
                sum = lane_sub_mul(sum, l[i][m], x[m][column]);
            x[i][column] = sum;
        }
    for (int k = 0; k < rows; k++) {
        for (int m = k + 1; m < rows; m++)
            scaled[m] = lane_mul(x[m][k], over[m]);
        for (int i = 0; i <= k; i++) {
            lane sum = i == k ? over[k] : lane_mul(x[k][i], over[k]);
            for (int m = k + 1; m < rows; m++)
                sum = lane_add_mul(sum, x[m][i], scaled[m]);
            const int e = dry_block_element(i, k);
            const lane alone = i == k ? make_inverse(lane_mul(count, block[e])) : lane_zero();
            lane_store(inverse[e], lane_select(exact, sum, alone));
        }
    }
    return exact;
}

/* The locked rows of a joint. */
typedef struct made_block {
    form_row row[DRY_BLOCK_ROWS];
    made_row g[DRY_BLOCK_ROWS];
    lane block[DRY_BLOCK_ELEMENTS];
    _Alignas(64) float inverse[DRY_BLOCK_ELEMENTS][DRY_LANES];
    lane_mask exact;
} made_block;

LANE_INLINE void make_block_of(const joint_pose *pose, const make_side *a, const make_side *b,
                               dry_lanes *form, const uint32_t *forms, int rows, lane_mask whole,
                               made_block *out, int at)
{
    for (int i = 0; i < rows; i++) {
        form_blend(pose, LOAD(form[i]), forms[i], &out->row[i]);
        make_whitened(a, b, out->row[i].linear, out->row[i].about, &out->g[i]);
    }
    for (int i = 0; i < rows; i++)
        for (int k = i; k < rows; k++)
            out->block[dry_block_element(i, k)] = make_product(
                a, b, lane_vec3_dot(out->row[i].linear, out->row[k].linear), &out->g[i], &out->g[k]);
    out->exact = make_invert(out->block, rows, whole, out->inverse);
}

/* Finds the locked rows, whose forms the lanes have; both bodies take impulses at anchor b. The constant
 * numbers of rows are unrolled: those of balls and hinges. */
MAKE_CALL void make_block(const joint_pose *pose, const make_side *a, const make_side *b, dry_lanes *form,
                          const uint32_t *forms, int rows, lane_mask whole, made_block *out, int at)
{
    if (rows == 3)
        make_block_of(pose, a, b, form, forms, 3, whole, out, at);
    else if (rows == 5)
        make_block_of(pose, a, b, form, forms, 5, whole, out, at);
    else
        make_block_of(pose, a, b, form, forms, rows, whole, out, at);
}

/* Returns the acceleration of the end of a body's arm as the body turns, w x (w x r). */
LANE_INLINE lane_vec3 make_circling(const make_side *s)
{
    return lane_vec3_cross(s->turning, lane_vec3_cross(s->turning, s->arm));
}

/* Finds how the gap between the anchors changes; arms are those to the anchors. */
LANE_INLINE void make_rates(const make_side *a, const make_side *b, joint_pose *pose)
{
    const lane_vec3 of_a = lane_vec3_add(a->rate, lane_vec3_cross(a->turning, a->arm));
    const lane_vec3 of_b = lane_vec3_add(b->rate, lane_vec3_cross(b->turning, b->arm));
    pose->spin_a = a->turning;
    pose->spin_b = b->turning;
    pose->apart_rate = lane_vec3_sub(of_b, of_a);
    pose->apart_acceleration = lane_vec3_sub(make_circling(b), make_circling(a));
}

/* Finds the bodies and frames of joints with frames, `ahead` seconds from now. `swings`: some row needs the
 * angles of swing_twist.h. */
MAKE_CALL void make_pose(const dry_making *m, dry_joint_places *places, dry_joint_frame_places *frames,
                         const int32_t *row_a, const int32_t *row_b, bool swings, float ahead, make_side *a,
                         make_side *b, joint_pose *pose, int at)
{
    pose->apart = make_sides(m, places, row_a, row_b, ahead, a, b, at);
    make_axes(a, frames->side[0], pose->axis_a, at);
    make_axes(b, frames->side[1], pose->axis_b, at);
    make_rates(a, b, pose);
    pose->mesh[0] = pose->mesh[1] = lane_zero();
    a->arm = lane_vec3_add(a->arm, pose->apart);
    if (swings)
        pose_find_swing(pose);
}

/* Stores a row, whitened and as it is, and the speed that kinematic bodies add to it. */
LANE_INLINE void make_store_row(dry_pair_row *row, const made_row *g, const form_row *r, lane kinematic,
                                int at)
{
    field_store3(row->linear_a, at, g->linear_a);
    field_store3(row->angular_a, at, g->angular_a);
    field_store3(row->linear_b, at, g->linear_b);
    field_store3(row->angular_b, at, g->angular_b);
    field_store3(row->linear, at, r->linear);
    field_store3(row->about, at, r->about);
    lane_store(row->kinematic + at, kinematic);
}

/* Adds the square of what a row is off to that of the gap, or to that of the rotation. */
LANE_INLINE void make_add_off(lane off[2], lane_mask turns, lane value)
{
    const lane square = lane_mul(value, value);
    off[0] = lane_add(off[0], lane_select(turns, lane_zero(), square));
    off[1] = lane_add(off[1], lane_select(turns, square, lane_zero()));
}

#endif
