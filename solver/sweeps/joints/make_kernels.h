/* Kernels that make the rows of joints where their bodies are now: sixteen joints at a time, once a substep,
 * after bodies have moved and are relaxed. The next substep's warm start and both of its sweeps go over these
 * rows. Compiled once for each level of DRY_SELDOM_LEVELS; included by seldom_kernels.c alone.
 *
 * Reads places (places.h), solver rows, frames; writes rows, errors, blocks and their inverses. The
 * errors of axes are stored less what the displacements since the step's beginning add to them, since sweeps
 * add that again: stops ask for it after bodies have moved, too.
 *
 * Methods that solve for positions have the rows of the substep's beginning, and measure errors at its end,
 * `ahead` of that: SHAKE, the correction of poses in RATTLE [Tomcin 3]. A center moves along its own
 * momentum, so that an impulse with the lever arms of the beginning changes the angular momentum at the end
 * by as much. */
#ifndef SOLVER_SWEEPS_JOINTS_MAKE_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_MAKE_KERNELS_H

#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"
#include "solver/data/joints/line.h"
#include "solver/data/joints/point.h"
#include "solver/sweeps/joints/joint_lanes.h"
#include "solver/sweeps/joints/make_rows.h"

/* Fills what the lanes of a block bundle have from their locked rows. */
MAKE_CALL void block_fill(dry_block_bundle *c, const dry_making *m, const made_block *made,
                          const make_side *a, const make_side *b, int at)
{
    lane most = lane_zero();
    for (int i = 0; i < c->rows; i++) {
        const lane_mask moves =
            lane_less(lane_zero(), lane_vec3_dot(made->row[i].linear, made->row[i].linear));
        const lane own = made->block[dry_block_element(i, i)];
        most = lane_max(most, lane_select(moves, own, lane_zero()));
    }
    lane off[2] = {lane_zero(), lane_zero()};
    for (int i = 0; i < c->rows; i++) {
        dry_block_row *row = &c->row[i];
        const form_row *r = &made->row[i];
        const lane kinematic = c->places.moves ? make_kinematic(a, b, r->linear, r->about) : lane_zero();
        lane value = lane_sub(r->value, LOAD(row->offset));
        if (m->ahead > 0.0f)
            value = lane_sub(value, make_until(m, &made->g[i], a, b, kinematic));
        make_store_row(&row->pair, &made->g[i], r, kinematic, at);
        lane_store(row->error + at, value);
        lane_store(row->pair.acceleration + at, lane_mul(LOAD(c->whole), r->acceleration));
        /* A rotation counts as the speed at which the same impulse would part the anchors. */
        const lane own = made->block[dry_block_element(i, i)];
        const lane_mask turns = lane_less_equal(lane_vec3_dot(r->linear, r->linear), lane_zero());
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
            lane_store(c->inverse[e] + at, lane_load(made->inverse[e]));
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

/* Finds the pose of a block bundle's lanes, `ahead` seconds from now. `all`: the forms that need it. */
LANE_INLINE void block_pose(dry_block_bundle *c, const dry_making *m, uint32_t all, float ahead, make_side *a,
                            make_side *b, joint_pose *pose, int at)
{
    make_pose(m, &c->places, &c->frames, c->row_a, c->row_b, all & DRY_FORMS_SWING, ahead, a, b, pose, at);
    for (int k = 0; k < 2 && (all & DRY_FORMS_MESH); k++)
        pose->mesh[k] = LOAD(c->mesh[k]);
}

/* Finds the pose and the locked rows of a block bundle's lanes, and fills it. `later`: the pose of errors,
 * where it is another. */
MAKE_CALL void block_make_lanes(dry_block_bundle *c, const dry_making *m, uint32_t all, make_side *a,
                                make_side *b, joint_pose *pose, joint_pose *later, made_block *made, int at)
{
    block_pose(c, m, all, 0.0f, a, b, pose, at);
    make_block(pose, a, b, c->form, c->forms, c->rows, lane_less(lane_zero(), LOAD(c->whole)), made, at);
    if (m->ahead > 0.0f) {
        make_side end_a, end_b;
        block_pose(c, m, all, m->ahead, &end_a, &end_b, later, at);
        for (int i = 0; i < c->rows; i++) {
            form_row r;
            form_blend(later, LOAD(c->form[i]), c->forms[i], &r);
            made->row[i].value = r.value;
        }
    }
    block_fill(c, m, made, a, b, at);
}

LANE_INLINE void block_make_alone(dry_block_bundle *c, const dry_making *m, int at)
{
    make_side a, b;
    joint_pose pose, later;
    made_block made;
    if (!c->paired)
        block_make_lanes(c, m, make_forms(c->forms, c->rows), &a, &b, &pose, &later, &made, at);
}
JOINT_KERNEL(block_make, block, dry_making, block_make_alone(c, p, at))

/* Makes the numbers of a part that follow from its row: `value` is the coordinate, less what sweeps add. */
LANE_INLINE void make_part(dry_axis_part *part, lane value, lane sign, lane diagonal, int at)
{
    const lane softness = lane_add_mul(LOAD(part->given), LOAD(part->relative), diagonal);
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
    lane product[DRY_BLOCK_ROWS], share[DRY_BLOCK_ROWS];
    for (int k = 0; k < locked; k++)
        product[k] = make_product(a, b, lane_vec3_dot(block->row[k].linear, row->linear), &block->g[k], g);
    joint_symmetric(block->inverse[0], DRY_LANES, product, locked, share);
    for (int k = 0; k < locked; k++) {
        const lane c = lane_select(block->exact, share[k], lane_zero());
        row->linear = lane_vec3_sub_scaled(row->linear, c, block->row[k].linear);
        row->about = lane_vec3_sub_scaled(row->about, c, block->row[k].about);
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
    const lane_mask far = lane_less(begin, pose->angle[3]),
                    fades = lane_mask_and(lane_less(rest, finite), far);
    const lane per = lane_set((float)(1.0 / (DRY_PI - DRY_SWING_FADES)));
    const lane u = lane_min(lane_mul(lane_sub(pose->angle[3], begin), per), one);
    const lane faded = lane_mul(lane_mul(u, u), lane_sub_mul(lane_set(3.0f), lane_set(2.0f), u));
    const lane slope = lane_mul(lane_mul(lane_set(6.0f), per), lane_mul(u, lane_sub(one, u)));
    const lane past = lane_sub(LOAD(row->near), origin),
               near = lane_add(origin, lane_sub_mul(past, faded, past));
    const lane_mask anchored = lane_mask_and(lane_less(origin, finite), far);
    const lane value = lane_select(anchored, make_counted(row, r->value, near, at), *counted);
    const lane off = lane_sub(value, rest);
    const lane_vec3 left = lane_vec3_sub_scaled(r->about, faded, r->about);
    const lane_vec3 about = lane_vec3_sub_scaled(left, lane_mul(off, slope), pose->row[3]);
    r->about = lane_vec3_select(fades, about, r->about);
    *counted = value;
    return lane_select(fades, lane_sub_mul(value, faded, off), value);
}

/* Fills free row `i` where a pose is. Returns the coordinate as its parts know it; `counted` has whole
 * rotations. */
MAKE_CALL lane make_free(const joint_pose *pose, dry_axes_bundle *c, int i, form_row *r, lane *counted,
                         int at)
{
    dry_axis_row *row = &c->row[i];
    form_blend(pose, LOAD(c->form[i]), c->forms[i], r);
    *counted = make_counted(row, r->value, LOAD(row->near), at);
    const bool fades = (c->forms[i] & DRY_FORMS_SWING) && pose->fades;
    return fades ? make_fade(pose, row, r, counted, at) : *counted;
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
            joint_pose pose, later;
            made_block block;
            if (shared) {
                block_make_lanes(shared, m, all, &a, &b, &pose, &later, &block, at);
            } else {
                const bool swings = all & DRY_FORMS_SWING;
                if (m->ahead > 0.0f)
                    make_pose(m, &c->places, &c->frames, c->row_a, c->row_b, swings, m->ahead, &a, &b, &later,
                              at);
                make_pose(m, &c->places, &c->frames, c->row_a, c->row_b, swings, 0.0f, &a, &b, &pose, at);
                make_block(&pose, &a, &b, c->locked_form, c->locked_forms, locked,
                           lane_less(lane_zero(), LOAD(c->whole)), &block, at);
            }
            lane off[2] = {lane_zero(), lane_zero()};
            for (int i = 0; i < c->rows; i++) {
                dry_axis_row *row = &c->row[i];
                form_row r, at_end;
                lane counted, value = make_free(&pose, c, i, &r, &counted, at);
                if (m->ahead > 0.0f)
                    value = make_free(&later, c, i, &at_end, &counted, at);
                made_row g;
                make_whitened(&a, &b, r.linear, r.about, &g);
                const form_row whole = r;
                const made_row of_whole = g;
                make_conjugate(&block, &a, &b, locked, &r, &g);
                const lane diagonal = make_product(&a, &b, lane_vec3_dot(r.linear, r.linear), &g, &g);
                if (c->coupled) {
                    r = whole;
                    g = of_whole;
                }
                const lane kinematic = moves ? make_kinematic(&a, &b, r.linear, r.about) : lane_zero();
                lane less = lane_sub(value, make_moved(&g, &a, &b));
                less = lane_sub_mul(less, lane_set(m->since), kinematic);
                if (m->ahead > 0.0f)
                    less = lane_sub(less, make_until(m, &g, &a, &b, kinematic));
                make_store_row(&row->pair, &g, &r, kinematic, at);
                lane_store(row->past + at, LOAD(row->value));
                lane_store(row->near + at, counted);
                lane_store(row->value + at, value);
                lane_store(row->pair.acceleration + at,
                           make_acceleration(m, &g, &a, &b, LOAD(row->pair.acceleration)));
                lane_store(row->diagonal + at, diagonal);
                lane_store(row->inverse + at, make_inverse(diagonal));
                for (int p = 0; p < DRY_PART_COUNT; p++)
                    if (c->uses[i] & 1u << p)
                        make_part(&row->part[p], less, lane_set(p == DRY_PART_UPPER ? -1.0f : 1.0f), diagonal,
                                  at);
                make_add_off(off, lane_less(LOAD(row->pair.force), lane_set(0.5f)),
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
    const lane_vec3 now = make_circling(s), next = lane_vec3_cross(s->turning, now);
    const lane_vec3 sum = lane_vec3_add_scaled(now, lane_set(third), next);
    return lane_vec3_add_scaled(sum, lane_set(3.0f / 4.0f * third * third),
                                lane_vec3_cross(s->turning, next));
}

/* Leads both lever arms to one point: to the anchor of the side that nothing pushes, or else to the middle
 * between both anchors. The gap then makes no torque. */
LANE_INLINE void make_meet(make_side *a, make_side *b, const int32_t *row_a, const int32_t *row_b,
                           lane_vec3 apart, float meet)
{
    _Alignas(64) float of_a[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        of_a[i] = row_a[i] == 0 ? 0.0f : row_b[i] == 0 ? meet : 0.5f * meet;
    const lane share = lane_load(of_a);
    a->arm = lane_vec3_add_scaled(a->arm, share, apart);
    b->arm = lane_vec3_add_scaled(b->arm, lane_sub(share, lane_set(meet)), apart);
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
    const lane cxx = lane_sub_mul(lane_mul(m[3], m[5]), m[4], m[4]);
    const lane cxy = lane_sub_mul(lane_mul(m[2], m[4]), m[1], m[5]);
    const lane cxz = lane_sub_mul(lane_mul(m[1], m[4]), m[2], m[3]);
    const lane determinant = lane_add_mul(lane_add_mul(lane_mul(m[2], cxz), m[1], cxy), m[0], cxx);
    const lane least = lane_mul(lane_set(MAKE_PIVOT_MIN), lane_mul(m[0], lane_mul(m[3], m[5])));
    const lane_mask exact = lane_less(least, determinant);
    const lane scale = lane_mul(unit, make_inverse(determinant));
    const lane third = lane_mul(unit, lane_set(1.0f / 3.0f)), zero = lane_zero();
    const lane own[6] = {lane_mul(third, make_inverse(m[0])), zero, zero,
                         lane_mul(third, make_inverse(m[3])), zero, lane_mul(third, make_inverse(m[5]))};
    const lane cofactor[6] = {cxx,
                              cxy,
                              cxz,
                              lane_sub_mul(lane_mul(m[0], m[5]), m[2], m[2]),
                              lane_sub_mul(lane_mul(m[1], m[2]), m[0], m[4]),
                              lane_sub_mul(lane_mul(m[0], m[3]), m[1], m[1])};
    for (int i = 0; i < 6; i++)
        inverse[i] = lane_select(exact, lane_mul(cofactor[i], scale), own[i]);
}

/* Finds the whitened angular parts of forces along the axes of the world at the end of a body's arm: row k is
 * made of the axes' products with r x e_k, which are elements k of theirs with r. */
LANE_INLINE void make_world_rows(const make_side *s, lane_vec3 row[3])
{
    const lane_vec3 x = lane_vec3_cross(s->axes.x, s->arm), y = lane_vec3_cross(s->axes.y, s->arm),
                    z = lane_vec3_cross(s->axes.z, s->arm);
    row[0] = (lane_vec3){x.x, y.x, z.x};
    row[1] = (lane_vec3){x.y, y.y, z.y};
    row[2] = (lane_vec3){x.z, y.z, z.z};
}

/* Measures the errors of a point's rows, which are made. */
MAKE_CALL void point_look_ahead(dry_point_bundle *c, const dry_making *m, const make_side *a,
                                const make_side *b, int at)
{
    make_side end_a, end_b;
    const lane_vec3 apart = make_sides(m, &c->places, c->row_a, c->row_b, m->ahead, &end_a, &end_b, at);
    const lane value[3] = {apart.x, apart.y, apart.z};
    for (int k = 0; k < 3; k++) {
        const lane_vec3 axis = form_world_axis(k);
        const made_row g = {lane_vec3_scale(axis, lane_negate(a->inv_sqrt_mass)),
                            field_load3(c->angular_a[k], at), lane_vec3_scale(axis, b->inv_sqrt_mass),
                            field_load3(c->angular_b[k], at)};
        lane_store(c->error[k] + at, lane_sub(value[k], make_until(m, &g, a, b, LOAD(c->kinematic[k]))));
    }
}

LANE_INLINE void point_make_lanes(dry_point_bundle *c, const dry_making *m, int at)
{
    make_side a, b;
    const lane_vec3 apart = make_sides(m, &c->places, c->row_a, c->row_b, 0.0f, &a, &b, at);
    lane_store(c->places.gap + at, lane_vec3_dot(apart, apart));
    make_meet(&a, &b, c->row_a + at, c->row_b + at, apart, m->meet);
    field_store3(c->past, at, field_load3(c->error, at));
    field_store3(c->error, at, apart);
    field_store3(c->acceleration, at, lane_vec3_sub(make_carried(&b, m->third), make_carried(&a, m->third)));
    field_store3(c->kinematic, at, c->places.moves ? make_driven(&a, &b) : lane_vec3_zero());
    lane_vec3 of_a[3], of_b[3];
    make_world_rows(&a, of_a);
    make_world_rows(&b, of_b);
    const lane own = lane_add(a.inverse_mass, b.inverse_mass);
    lane block[6], soft[6], inverse[6];
    const lane eps = LOAD(c->given), relative = LOAD(c->relative);
    for (int i = 0, e = 0; i < 3; i++) {
        field_store3(c->angular_a[i], at, lane_vec3_negate(of_a[i]));
        field_store3(c->angular_b[i], at, of_b[i]);
        for (int k = i; k < 3; k++, e++) {
            block[e] = lane_add_mul(lane_mul(a.share, lane_vec3_dot(of_a[i], of_a[k])), b.share,
                                    lane_vec3_dot(of_b[i], of_b[k]));
            block[e] = i == k ? lane_add(own, block[e]) : block[e];
            soft[e] = i == k ? lane_add(block[e], eps) : block[e];
            const lane share = lane_mul(relative, block[e]);
            lane_store(c->softness[e] + at, i == k ? lane_add(share, eps) : share);
        }
    }
    make_invert3(soft, inverse);
    for (int e = 0; e < 6; e++)
        lane_store(c->inverse[e] + at, inverse[e]);
    if (m->ahead > 0.0f)
        point_look_ahead(c, m, &a, &b, at);
}
JOINT_KERNEL(point_make, point, dry_making, point_make_lanes(c, p, at))

LANE_INLINE void line_make_lanes(dry_line_bundle *c, const dry_making *m, int at)
{
    dry_single_row *s = &c->single;
    make_side a, b;
    joint_pose pose;
    form_row r;
    pose.apart = make_sides(m, &c->places, c->row_a, c->row_b, 0.0f, &a, &b, at);
    form_distance(pose.apart, &r);
    made_row g;
    make_whitened(&a, &b, r.linear, r.about, &g);
    const lane squared = make_product(&a, &b, lane_vec3_dot(r.linear, r.linear), &g, &g);
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
    const lane_vec3 across =
        lane_vec3_sub_scaled(pose.apart_rate, lane_vec3_dot(pose.apart_rate, r.linear), r.linear);
    const lane l = r.value, per = lane_set(1.0f / (3.0f * m->third)), most = lane_mul(l, per);
    const lane square = lane_min(lane_vec3_dot(across, across), lane_mul(most, most));
    const lane left = lane_sqrt(lane_max(lane_sub(lane_mul(most, most), square), lane_zero()));
    const lane turning =
        lane_mul(lane_mul(lane_add(square, square), per), make_inverse(lane_add(most, left)));
    lane_store(s->acceleration + at, lane_add(turning, lane_vec3_dot(r.linear, pose.apart_acceleration)));
    const lane softness = lane_add_mul(LOAD(c->given), LOAD(c->relative), squared);
    const lane_mask moves = lane_less(lane_zero(), squared);
    lane_store(s->softness + at, softness);
    lane_store(s->inverse + at, lane_select(moves, make_inverse(lane_add(squared, softness)), lane_zero()));
    lane_store(s->relax_inverse + at, lane_mul(LOAD(s->rigid), make_inverse(squared)));
    if (m->ahead > 0.0f) {
        make_side end_a, end_b;
        pose.apart = make_sides(m, &c->places, c->row_a, c->row_b, m->ahead, &end_a, &end_b, at);
        /* Anchors that pass each other have a negative length along the row, as its speed says. */
        const lane_mask passed = lane_less(lane_vec3_dot(r.linear, pose.apart), lane_zero());
        form_distance(pose.apart, &r);
        const lane length = lane_select(passed, lane_negate(r.value), r.value);
        const lane until = make_until(m, &g, &a, &b, kinematic);
        lane_store(s->error + at, lane_sub(lane_sub(length, LOAD(c->rest)), until));
    }
}
JOINT_KERNEL(line_make, line, dry_making, line_make_lanes(c, p, at))

/* The kernel that keeps the speeds along rows of free axes, as long as whitened rows and velocities belong
 * together: before frames turn. It keeps them in the rows' accelerations, which making rows computes anew. */

LANE_INLINE lane keep_speed(dry_pair_row *row, const lane_velocity *a, const lane_velocity *b, int at)
{
    const made_row g = {field_load3(row->linear_a, at), field_load3(row->angular_a, at),
                        field_load3(row->linear_b, at), field_load3(row->angular_b, at)};
    return make_speed(&g, a, b);
}

LANE_INLINE void axes_keep_lanes(dry_axes_bundle *c, const dry_making *m, int at)
{
    lane_velocity a, b;
    lane_gather_velocity(m->rows, c->row_a + at, &a);
    lane_gather_velocity(m->rows, c->row_b + at, &b);
    for (int i = 0; i < c->rows; i++)
        lane_store(c->row[i].pair.acceleration + at, keep_speed(&c->row[i].pair, &a, &b, at));
}
JOINT_KERNEL(axes_keep, axes, dry_making, axes_keep_lanes(c, p, at))

#endif
