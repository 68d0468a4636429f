/* A lane of what acts along the free coordinates of joints, placed and stored. Reads joints, poses,
 * velocities. */
#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"

#include "core/inertia.h"
#include "solver/bodies/joint_impulses.h"
#include "solver/data/articulations.h"
#include "solver/data/method.h"
#include "solver/data/rounding.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/place.h"

#include <string.h>

/* How far a motor may be from its position to have reached it, m or rad. */
#define MOTOR_REACHED 1e-3

/* Returns SPOOK's numbers of a spring k with a damper c, either of which may be 0. */
static dry_spook spring_on(const dry_solver_step *step, const dry_joint_placed *placed, float diagonal,
                           float k, float c, float h)
{
    return k > 0.0f ? dry_joint_spring(step, k, c, placed, diagonal, h)
                    : (dry_spook){.softness = dry_min(1.0f / (c * h), DRY_SOFTNESS_MAX)};
}

/* Returns SPOOK's numbers of a spring given by a frequency and a damping ratio on a mass. */
static dry_spook spring_of_hertz(const dry_solver_step *step, const dry_joint_placed *placed, float hertz,
                                 float ratio, float mass, float diagonal, float h)
{
    const float w = 6.2831853f * hertz;
    return spring_on(step, placed, diagonal, dry_min(w * w * mass, DRY_STIFFNESS_MAX),
                     dry_min(2.0f * ratio * w * mass, DRY_STIFFNESS_MAX), h);
}

/* Returns SPOOK's numbers of a motor to a position that moves a mass. */
static dry_spook motor_on(const dry_solver_step *step, const dry_joint_placed *placed,
                          const dry_joint_axis *acts, float mass, float diagonal, float h)
{
    return acts->motor_hertz > 0.0f ? spring_of_hertz(step, placed, acts->motor_hertz,
                                                      acts->motor_damping_ratio, mass, diagonal, h)
                                    : dry_joint_drive(step, placed, diagonal, mass, h);
}

static bool is_rigid(const dry_spook *spook)
{
    return spook->relative_softness > 0.0f;
}

/* Returns the mass that a motor moves, kg or kg m^2; `own` if it is known of the joint's two bodies alone. */
static double motor_mass(const dry_solver_step *step, int joint, int coordinate, double own)
{
    const dry_motor_masses *masses = dry_motor_masses_of(step, joint);
    return masses && coordinate < DRY_AXIS_COUNT && masses->mass[coordinate] > 0.0f
               ? (double)masses->mass[coordinate]
               : own;
}

/* Returns the product of two rows of a lane. */
static double row_product(const dry_axes_bundle *c, const dry_axis_row *x, const dry_axis_row *y, int lane)
{
    double a = 0.0, b = 0.0;
    for (int k = 0; k < 3; k++) {
        a += (double)x->pair.linear_a[k][lane] * (double)y->pair.linear_a[k][lane] +
             (double)x->pair.angular_a[k][lane] * (double)y->pair.angular_a[k][lane];
        b += (double)x->pair.linear_b[k][lane] * (double)y->pair.linear_b[k][lane] +
             (double)x->pair.angular_b[k][lane] * (double)y->pair.angular_b[k][lane];
    }
    return (double)c->share_a[lane] * a + (double)c->share_b[lane] * b;
}

/* Returns the product of a row of a lane with itself, with whole masses. */
static float own_product(const dry_axis_row *row, int lane)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += (double)(row->pair.linear_a[k][lane] * row->pair.linear_a[k][lane] +
                        row->pair.angular_a[k][lane] * row->pair.angular_a[k][lane] +
                        row->pair.linear_b[k][lane] * row->pair.linear_b[k][lane] +
                        row->pair.angular_b[k][lane] * row->pair.angular_b[k][lane]);
    return (float)sum;
}

/* Puts the friction of a ball joint in a lane, whose rows are there. */
static void put_round(const dry_solver_step *step, dry_axes_bundle *c, int lane, int index, float h)
{
    dry_round_friction *round = &c->round;
    dry_inertia t;
    double axes[3][3], largest = 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            t.m[i][k] = row_product(c, &c->row[i], &c->row[k], lane);
    dry_inertia_diagonalize(&t, axes);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, t.m[i][i]);
    for (int i = 0; i < 3; i++) { /* about an axis that other joints hold no impulse is to change */
        const bool turns = t.m[i][i] > DRY_FLOAT_ROUNDING * largest;
        round->diagonal[i][lane] = turns ? (float)t.m[i][i] : DRY_STIFFNESS_MAX;
        for (int k = 0; k < 3; k++)
            round->axis[i][k][lane] = (float)axes[k][i];
    }
    round->most[lane] = step->joints->def[index].friction * h;
}

/* Tells whether a motor to a position has come to rest off it: a soft one gives way to a load, and stays
 * where it bears that. Its spring and all damping of the axis would take an axis of this speed no further
 * than to where it counts as arrived. A motor at its largest force still pulls. A start from rest looks the
 * same: step/sleep.c waits for it. */
static bool rests_off(const dry_joint_axis *acts, double off, double speed, double mass)
{
    const double w = 6.283185307179586 * (double)acts->motor_hertz, k = w * w * mass;
    const double damping = 2.0 * (double)acts->motor_damping_ratio * w * mass + (double)acts->damping;
    return acts->motor_hertz > 0.0f && k * fabs(off) <= (double)acts->force_max &&
           fabs(speed) * fmax(sqrt(k * mass), damping) <= k * MOTOR_REACHED;
}

/* Tells whether a motor still has to move its axis, which lets `mass` move along it, kg or kg m^2. */
static bool is_restless(const dry_joint_axis *acts, double value, double speed, double mass)
{
    const double off = value - (double)acts->position;
    return dry_joint_motor_speed(acts) != 0.0f ||
           (dry_joint_aims(acts) && fabs(off) > MOTOR_REACHED && !rests_off(acts, off, speed, mass));
}

/* Places a part in a lane. A spring's numbers are SPOOK's on a row of unit mass, unless they are the user's
 * own, which `soften_lane` sets. */
static void place_part(dry_axes_bundle *c, int i, int p, int lane, float offset, dry_spook spook, float most,
                       bool rigid)
{
    dry_axis_part *part = &c->row[i].part[p];
    if (!(most > 0.0f))
        return;
    if (!(c->uses[i] & 1u << p))
        memset(part, 0, sizeof *part);
    c->uses[i] |= 1u << p;
    c->begins |= spook.approach != 0.0f;
    part->offset[lane] = offset;
    part->rate[lane] = spook.rate;
    part->relative[lane] = spook.softness + spook.relative_softness;
    part->approach[lane] = spook.approach;
    part->rigid[lane] = rigid ? 1.0f : 0.0f;
    part->most[lane] = most;
}

/* Lets springs be solved as implicit ones where rows wait for each other's sweeps: those of one joint, and
 * those of others. Midpoint springs [Spook 8-11] keep their energy only where their row is solved exactly:
 * two cubes on one cone-twist joint with a spring and a soft stop gained twice theirs. */
static void soften_together(dry_joint_placed *placed, const dry_joint_coordinates *of)
{
    placed->damped = of->free_count > 1 || placed->shared;
}

/* Tells whether sweeps solve the spring of a joint's axis: articulations solve those of direct joints. */
static bool springs_in_sweeps(const dry_solver_step *step, int index, const dry_joint_axis *acts)
{
    return (acts->stiffness > 0.0f || acts->damping > 0.0f) &&
           !dry_joint_is_direct(step->settings, step->joints, index);
}

static void place_parts(const dry_solver_step *step, const dry_joint_placed *placed, dry_axes_bundle *c,
                        int i, int lane, int index, const dry_joint_axis *acts, bool round, dry_spook stop,
                        float h)
{
    dry_axis_row *row = &c->row[i];
    if (springs_in_sweeps(step, index, acts))
        place_part(c, i, DRY_PART_SPRING, lane, acts->rest, (dry_spook){0}, FLT_MAX, false);
    if (acts->motor != DRY_MOTOR_OFF) {
        const bool to_position = dry_joint_aims(acts);
        /* Two rigid rows that contradict each other bear impulses that their softness alone bounds, by which
         * the stop gives way: a rigid motor without a largest force goes no further than to a hard stop. */
        const bool gives =
            acts->motor_hertz > 0.0f || acts->force_max < INFINITY || dry_joint_stops_softly(acts);
        const float aim = gives ? acts->position : dry_clamp(acts->position, acts->min, acts->max);
        const dry_spook spook = to_position ? motor_on(step, placed, acts, 1.0f, 1.0f, h) : (dry_spook){0};
        place_part(c, i, DRY_PART_MOTOR, lane, to_position ? aim : 0.0f, spook,
                   dry_min(acts->force_max * h, FLT_MAX), !to_position || is_rigid(&spook));
        if (c->uses[i] & 1u << DRY_PART_MOTOR)
            row->part[DRY_PART_MOTOR].speed[lane] = dry_joint_motor_speed(acts);
    }
    if (acts->friction > 0.0f && !round)
        place_part(c, i, DRY_PART_FRICTION, lane, 0.0f, (dry_spook){0}, acts->friction * h, false);
    if (acts->stop_hertz > 0.0f)
        stop = spring_of_hertz(step, placed, acts->stop_hertz, acts->stop_damping_ratio, 1.0f, 1.0f, h);
    const bool rigid = is_rigid(&stop);
    if (rigid && dry_articulations_hold_stops(&step->state->articulations, index))
        stop.softness = stop.relative_softness = 0.0f; /* it would only let them open anew */
    if (acts->min > -INFINITY)
        place_part(c, i, DRY_PART_LOWER, lane, acts->min, stop, FLT_MAX, rigid);
    if (acts->max < INFINITY)
        place_part(c, i, DRY_PART_UPPER, lane, acts->max, stop, FLT_MAX, rigid);
    row->stop_restitution[lane] = acts->stop_restitution;
    row->hard[lane] = dry_joint_stops_softly(acts) ? 0.0f : 1.0f;
}

static void place_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_axes_bundle *c = bundle;
    const dry_joint_def *def = &step->joints->def[index];
    dry_joint_coordinates of;
    dry_joint_placed placed;
    if (c->block > 0) {
        const dry_block_bundle *block =
            (dry_block_bundle *)step->state->sweeps.bundles[DRY_KIND_BLOCK].bundle + c->block - 1;
        c->whole[lane] = block->whole[lane];
        c->places.shared[lane] = block->places.shared[lane];
        c->row_a[lane] = block->row_a[lane];
        c->row_b[lane] = block->row_b[lane];
        placed = dry_joint_placed_at(&block->places, c->row_a[lane], c->row_b[lane], lane);
    } else {
        placed = dry_joint_place_bodies(step, index, lane, c->row_a, c->row_b, &c->places, &c->frames);
        const bool torn = dry_joint_is_torn(step, index, c->row_a[lane], c->row_b[lane], placed.apart);
        c->whole[lane] = torn ? 0.0f : 1.0f;
    }
    const float scale = c->whole[lane] * dry_joint_warm_scale(step, &step->joints->joint[index], h);
    const dry_joint_axes_state *state = &step->joints->axes[index];
    dry_joint_find_coordinates(def, &of);
    soften_together(&placed, &of);
    const dry_spook rigid = dry_joint_rigid(step, &placed, h);
    c->share_a[lane] = dry_mass_share(step->state, c->row_a[lane] - 1);
    c->share_b[lane] = dry_mass_share(step->state, c->row_b[lane] - 1);
    for (int i = 0; i < of.locked_count; i++)
        c->locked_form[i][lane] = (float)of.locked_form[i];
    for (int i = 0; i < of.free_count; i++) {
        dry_axis_row *row = &c->row[i];
        const int coordinate = of.coordinate[i];
        if (i >= c->rows)
            memset(row, 0, offsetof(dry_axis_row, part));
        c->rows = dry_max_int(c->rows, i + 1);
        c->form[i][lane] = (float)of.free_form[i];
        if (coordinate < DRY_COORDINATE_MORE &&
            (dry_joint_types[def->type]->winds & DRY_AXIS_BIT(coordinate))) {
            row->winds[lane] = 1.0f;
            row->near[lane] = state->angle[coordinate - DRY_AXIS_RX];
        }
        const dry_joint_axis *acts = dry_joint_acts(def, &of, i);
        row->origin[lane] = (float)dry_joint_twist_origin(def, coordinate);
        row->fades_to[lane] = (float)dry_joint_fades_to(def, coordinate, false);
        place_parts(step, &placed, c, i, lane, index, acts, dry_joint_rubs(def), rigid, h);
        row->pair.force[lane] = dry_form_moves((dry_row_form)of.free_form[i]) ? 1.0f : 0.0f;
        c->bounces |= acts->stop_restitution > 0.0f;
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if ((c->uses[i] & 1u << p) && row->part[p].most[lane] > 0.0f)
                row->part[p].impulse[lane] = scale * state->impulse[DRY_PART_COUNT * coordinate + p];
    }
    if (dry_joint_rubs(def)) {
        c->rounds = 1;
        for (int i = 0; i < 3; i++)
            c->round.impulse[i][lane] =
                scale * state->impulse[DRY_PART_COUNT * (DRY_AXIS_RX + i) + DRY_PART_FRICTION];
    }
    c->locked = dry_max_int(c->locked, of.locked_count);
    c->coupled = dry_joint_is_direct(step->settings, step->joints, index);
}

/* Clears a bundle but for the block that it shares, and for its rows and their parts, which are cleared where
 * the first lane has them. */
static void clear(void *bundle)
{
    dry_axes_bundle *c = bundle;
    const int32_t block = c->block;
    memset(c, 0, offsetof(dry_axes_bundle, row));
    memset(&c->round, 0, sizeof *c - offsetof(dry_axes_bundle, round));
    c->block = block;
}

static void clear_unused(void *bundle)
{
    dry_axes_bundle *c = bundle;
    for (int i = 0; i < DRY_AXES_ROWS; i++) {
        if (i >= c->rows)
            memset(&c->row[i], 0, offsetof(dry_axis_row, part));
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if (!(c->uses[i] & 1u << p))
                memset(&c->row[i].part[p], 0, sizeof c->row[i].part[p]);
    }
}

static void end_places(void *bundle)
{
    dry_axes_bundle *c = bundle;
    dry_joint_count_forms(c->locked_form, c->locked, c->lanes, c->locked_forms);
    dry_joint_count_forms(c->form, c->rows, c->lanes, c->forms);
}

/* Sets the numbers of a part with a stiffness or a damping of its own, as make_part does. */
static void soften_part(dry_axes_bundle *c, int i, int p, int lane, dry_spook spook)
{
    dry_axis_part *part = &c->row[i].part[p];
    const float diagonal = c->row[i].diagonal[lane];
    c->begins |= spook.approach != 0.0f;
    part->given[lane] = spook.softness;
    part->relative[lane] = spook.relative_softness;
    part->rate[lane] = spook.rate;
    part->approach[lane] = spook.approach;
    part->rigid[lane] = is_rigid(&spook) ? 1.0f : 0.0f;
    const float softness =
        (float)((double)part->relative[lane] * (double)diagonal + (double)part->given[lane]);
    part->softness[lane] = softness;
    part->mass[lane] = diagonal > 0.0f ? 1.0f / (diagonal + softness) : 0.0f;
}

/* Sets the softness of springs and stops whose stiffness is given, and of motors: it depends on their rows.
 */
static bool soften_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_axes_bundle *c = bundle;
    const dry_joint_def *def = &step->joints->def[index];
    dry_joint_coordinates of;
    dry_joint_find_coordinates(def, &of);
    dry_joint_placed placed = dry_joint_placed_at(&c->places, c->row_a[lane], c->row_b[lane], lane);
    soften_together(&placed, &of);
    for (int i = 0; i < of.free_count; i++) {
        const dry_joint_axis *acts = dry_joint_acts(def, &of, i);
        dry_axis_row *row = &c->row[i];
        const float diagonal = row->diagonal[lane];
        float mass = dry_joint_aims(acts) ? (float)motor_mass(step, index, of.coordinate[i], 0.0) : 0.0f;
        /* A frequency is on the row's own mass, which no method splits. */
        const bool split = step->state->plan.constraints != NULL;
        const float own = split ? own_product(row, lane) : diagonal,
                    own_mass = own > 0.0f ? 1.0f / own : 0.0f;
        if (split && mass == 0.0f && dry_joint_aims(acts) && acts->motor_hertz > 0.0f)
            mass = own_mass;
        if (mass > 0.0f && (c->uses[i] & 1u << DRY_PART_MOTOR))
            soften_part(c, i, DRY_PART_MOTOR, lane, motor_on(step, &placed, acts, mass, diagonal, h));
        if (springs_in_sweeps(step, index, acts))
            soften_part(c, i, DRY_PART_SPRING, lane,
                        spring_on(step, &placed, diagonal, acts->stiffness, acts->damping, h));
        const bool hertz = acts->stop_hertz > 0.0f;
        for (int p = DRY_PART_LOWER; p <= DRY_PART_UPPER && (hertz ? split : acts->stop_stiffness > 0.0f);
             p++)
            if ((c->uses[i] & 1u << p) && row->part[p].most[lane] > 0.0f)
                soften_part(
                    c, i, p, lane,
                    hertz ? spring_of_hertz(step, &placed, acts->stop_hertz, acts->stop_damping_ratio,
                                            own_mass, diagonal, h)
                          : spring_on(step, &placed, diagonal, acts->stop_stiffness, acts->stop_damping, h));
    }
    return false; /* its rows are not others by that */
}

/* Returns the speed of a row by the bodies' motion. */
static double row_speed(const dry_solver_step *step, const dry_axes_bundle *c, const dry_axis_row *row,
                        int lane)
{
    const dry_solver_row *a = &step->state->bodies.rows[c->row_a[lane]],
                         *b = &step->state->bodies.rows[c->row_b[lane]];
    double sum = (double)row->pair.kinematic[lane];
    for (int k = 0; k < 3; k++)
        sum += (double)(row->pair.linear_a[k][lane] * a->ul[k] + row->pair.angular_a[k][lane] * a->ua[k] +
                        row->pair.linear_b[k][lane] * b->ul[k] + row->pair.angular_b[k][lane] * b->ua[k]);
    return sum;
}

/* Ends the making of rows, whose products the friction of ball joints needs. */
static void end_rows(const dry_solver_step *step, void *bundle, const int32_t *members, float h)
{
    dry_axes_bundle *c = bundle;
    for (int lane = 0; lane < c->lanes && c->rounds; lane++)
        if (members[lane] >= 0 && dry_joint_rubs(&step->joints->def[members[lane]]))
            put_round(step, c, lane, members[lane], h);
}

static void store_lane(const dry_solver_step *step, const void *bundle, int lane, int index, float h)
{
    const dry_axes_bundle *c = bundle;
    const dry_joint_def *def = &step->joints->def[index];
    dry_joint_coordinates of;
    dry_joint_find_coordinates(def, &of);
    dry_joint_axes_state axes = {DRY_JOINT_AXES_FIELDS(DRY_FIELD_DEFAULT, dry_joint_axes_state)};
    dry_vec3 linear = {0}, about = {0};
    dry_joint_total total = {.peak = c->peak[lane]};
    bool restless = false;
    const bool direct = dry_joint_is_direct(step->settings, step->joints, index);
    for (int i = 0; i < of.free_count; i++) {
        const dry_axis_row *row = &c->row[i];
        const int coordinate = of.coordinate[i];
        float *stored = axes.impulse + DRY_PART_COUNT * coordinate;
        float sum = 0.0f;
        for (int p = 0; p < DRY_PART_COUNT; p++) {
            if (p == DRY_PART_FRICTION && dry_joint_rubs(def))
                stored[p] = c->round.impulse[i][lane];
            else if (c->uses[i] & 1u << p)
                stored[p] = row->part[p].impulse[lane];
            sum += p == DRY_PART_UPPER ? -stored[p] : stored[p];
        }
        /* Articulations have stored springs that are solved directly, and given their impulses. */
        if (direct)
            stored[DRY_PART_SPRING] =
                step->joints->axes[index].impulse[DRY_PART_COUNT * coordinate + DRY_PART_SPRING];
        total.linear[i] = dry_lanes_get3(row->pair.linear, lane);
        total.about[i] = dry_lanes_get3(row->pair.about, lane);
        linear = vec3_add_scaled(linear, sum, total.linear[i]);
        about = vec3_add_scaled(about, sum, total.about[i]);
        total.row[i] = (double)row->pair.sum[lane];
        total.last[i] = (double)sum;
        if (coordinate >= DRY_AXIS_RX && coordinate <= DRY_AXIS_RZ)
            axes.angle[coordinate - DRY_AXIS_RX] = row->near[lane];
        const dry_joint_axis *acts = dry_joint_acts(def, &of, i);
        if (acts->motor != DRY_MOTOR_OFF)
            restless |= is_restless(acts, (double)row->near[lane], row_speed(step, c, row, lane),
                                    motor_mass(step, index, coordinate, (double)row->inverse[lane]));
    }
    dry_joint_store_axes(step, index, linear, about, &axes, h);
    dry_joint_store_sums(step, index, &total, of.free_count, h,
                         direct || dry_joint_has_kind(&step->joints->joint[index], DRY_KIND_BLOCK));
    int32_t *flags = &step->joints->joint[index].flags;
    *flags = restless ? *flags | DRY_JOINT_RESTLESS : *flags & ~DRY_JOINT_RESTLESS;
}

/* A row that a motor drives to a speed does the work of its impulse at that speed; while the motor speeds it
 * up, that is more than its work. */
static double stored(const dry_solver_step *step, void *bundle, int lane, float h, bool begins)
{
    dry_axes_bundle *c = bundle;
    double sum = 0.0;
    for (int i = 0; i < c->rows; i++) {
        dry_axis_row *row = &c->row[i];
        const dry_axis_part *motor = &row->part[DRY_PART_MOTOR];
        if (begins)
            row->past[lane] = row->value[lane] - h * (float)row_speed(step, c, row, lane);
        if ((c->uses[i] & 1u << DRY_PART_MOTOR) && motor->rigid[lane] > 0.0f && motor->rate[lane] == 0.0f)
            sum -= (double)row->pair.sum[lane] * (double)motor->speed[lane];
        for (int p = 0; p < DRY_PART_COUNT; p++) {
            const dry_axis_part *part = &row->part[p];
            if (!(c->uses[i] & 1u << p) || part->rigid[lane] > 0.0f || !(part->rate[lane] > 0.0f))
                continue;
            double now = (double)row->value[lane] - (double)part->offset[lane];
            double past = (double)row->past[lane] - (double)part->offset[lane];
            if (p == DRY_PART_LOWER)
                now = fmin(now, 0.0), past = fmin(past, 0.0);
            if (p == DRY_PART_UPPER)
                now = fmax(now, 0.0), past = fmax(past, 0.0);
            sum += dry_spring_energy((double)(part->rate[lane] * part->mass[lane]), now, past,
                                     (double)part->most[lane], h);
        }
    }
    return sum;
}

static int list_impulses(void *bundle, dry_lanes **list)
{
    dry_axes_bundle *c = bundle;
    int count = 0;
    for (int i = 0; i < c->rows; i++)
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if (c->uses[i] & 1u << p)
                list[count++] = &c->row[i].part[p].impulse;
    for (int i = 0; i < 3 && c->rounds; i++)
        list[count++] = &c->round.impulse[i];
    return count;
}

const dry_constraint_kind dry_kind_axes = {
    DRY_JOINT_KIND_OF(AXES, dry_axes_bundle),
    .name = "axes",
    .impulses = list_impulses,
    .store_lane = store_lane,
    .places_offset = offsetof(dry_axes_bundle, places),
    .clear = clear,
    .clear_unused = clear_unused,
    .place_lane = place_lane,
    .end_places = end_places,
    .soften_lane = soften_lane,
    .end_rows = end_rows,
    .stored = stored,
};
