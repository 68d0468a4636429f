/* Stage "repair", after the joint correction: bodies go back to the hard stops that they have passed.
 *
 * Sweeps stop the rows of stops as they are where a substep begins. These turn within it, and the joint
 * correction moves bodies through stops, since it knows locked rows alone. So poses are corrected once more,
 * with the stops as inequalities: displacements take the place of velocities in the visits of coupling.c, and
 * impulses do not attract. Velocities stay [Tomcin 7]; but bodies at stops that sweeps have not stopped are
 * stopped by the same solution, with speeds in place of displacements.
 *
 * Velocities of articulations that motors drive are corrected before (dry_stops_arrive).
 *
 * Reads joints and factors; writes columns, displacements and velocities. */
#include "core/assert.h"
#include "methods/direct/closing.h"

#include "methods/direct/articulation_rows.h"
#include "methods/direct/articulations.h"
#include "methods/direct/complementarity.h"
#include "methods/direct/coupling.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/joints/axes.h"
#include "solver/data/rounding.h"
#include "solver/data/terms.h"
#include "solver/plan/islands.h"

#include <string.h>

static dry_coupling *coupling_of(const dry_linkage *l)
{
    return &l->step->state->articulations.coupling;
}

static dry_coupled_stop *stop_of(const dry_linkage *l, int index)
{
    DRY_ASSERT(index >= 0 && l->articulation->stop_begin + index < l->articulation->stop_end);
    return coupling_of(l)->stop + l->articulation->stop_begin + index;
}

/* Fills the free coordinates of a joint where the step ends, or begins. */
static void find_coordinates(const dry_linkage *l, const dry_articulated_joint *joint, bool at_end,
                             dry_joint_parts *parts)
{
    const dry_joint_def *def = &l->step->joints->def[joint->joint];
    const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
    const dry_joint_frames frames = dry_joint_frames_between(
        &l->step->joints->joint[joint->joint], at_end ? &a->end : &a->begin, at_end ? &b->end : &b->begin);
    dry_joint_find_parts(def, &frames, parts);
    for (int i = 0; i < parts->free_count; i++) {
        double counted;
        parts->free[i].error =
            dry_joint_known_value(def, parts->coordinate[i], false, &l->step->joints->axes[joint->joint],
                                  &parts->free[i], &counted);
    }
}

/* The same, of a joint whose stops are held; returns false if they are not. */
static bool find_parts(const dry_linkage *l, const dry_articulated_joint *joint, bool at_end,
                       dry_joint_parts *parts)
{
    if (joint->joint < 0 || !dry_articulations_hold_stops(&l->step->state->articulations, joint->joint))
        return false;
    find_coordinates(l, joint, at_end, parts);
    return true;
}

/* Returns how far a coordinate is from a hard stop, and the sign along its row; the nearer stop of two. */
static double find_gap(const dry_joint_parts *parts, int i, double *sign)
{
    const dry_joint_axis *acts = &parts->acts[i];
    *sign = 1.0;
    if (dry_joint_stops_softly(acts))
        return INFINITY;
    const double value = parts->free[i].error;
    const double low = value - (double)acts->min, high = (double)acts->max - value;
    *sign = high < low ? -1.0 : 1.0;
    return fmin(low, high);
}

/* Returns a stop's gap where the step ends, less the part that is to stay: stops that were passed when the
 * step began are gone back to no faster than open joints close. */
static double find_excess(const dry_linkage *l, const dry_articulated_joint *joint, dry_joint_parts *parts,
                          int i, double *sign)
{
    const double gap = find_gap(parts, i, sign);
    if (!(gap < -DRY_JOINTS_CLOSED))
        return gap;
    dry_joint_parts before;
    double begin_sign;
    find_parts(l, joint, false, &before);
    const double begin = find_gap(&before, i, &begin_sign);
    const double most = dry_joint_closing_speed(-begin, l->step->settings->push_out_speed_max);
    return gap - fmin(begin + (double)l->step->dt * most, 0.0);
}

/* Fills the whitened row of a stop at one body, with its sign. */
static void whiten(const dry_linkage *l, const dry_joint_row *row, double sign, int side,
                   dry_coupled_stop *stop)
{
    const dry_coupling *c = coupling_of(l);
    if (stop->body[side] < 0)
        return;
    const int of_body = l->body[c->body[stop->body[side]].body].row;
    DRY_ASSERT(of_body >= 0);
    const dry_whitening w = dry_whitening_of(&l->step->state->bodies.rows[of_body + 1],
                                             l->step->bodies->pose[of_body].orientation);
    dry_whitening_half(&w, side ? sign : -sign, row->linear, side ? row->angular_b : row->angular_a,
                       stop->g + 6 * side);
}

static double moved_along(const dry_linkage *l, const dry_coupled_stop *stop)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (stop->body[side] < 0)
            continue;
        double v[6];
        dry_coupling_velocity(l->step, &coupling_of(l)->body[stop->body[side]], v);
        for (int k = 0; k < 6; k++)
            sum += stop->g[6 * side + k] * v[k];
    }
    return sum;
}

static void push(const dry_linkage *l, const dry_coupled_stop *stop, double impulse)
{
    for (int side = 0; side < 2; side++) {
        if (stop->body[side] < 0)
            continue;
        double f[6];
        for (int k = 0; k < 6; k++)
            f[k] = impulse * stop->g[6 * side + k];
        dry_coupling_push(l->step, &coupling_of(l)->body[stop->body[side]], f);
    }
}

/* Clears a coupled body's motion, and what it gave to its joints; -1: none. */
static void clear_body(const dry_linkage *l, int index)
{
    const dry_coupling *c = coupling_of(l);
    if (index < 0)
        return;
    dry_coupled_body *body = &c->body[index];
    double *y = c->y + c->y_first[body->articulation];
    memset(body->u, 0, sizeof body->u);
    memset(body->impulse, 0, sizeof body->impulse);
    for (int i = 0; i < body->parts; i++) {
        const dry_path_part *part = &c->part[body->part_begin + i];
        memset(y + part->first, 0, (size_t)part->rows * sizeof *y);
    }
}

static int coupled_body(const dry_linkage *l, int body)
{
    const dry_articulations *a = &l->step->state->articulations;
    const int row = l->body[body].row;
    return l->body[body].moves ? a->coupling.body_of[a->body_of_row[row]] : -1;
}

/* Returns how fast a stop's gap opens where the step ends. */
static double speed_of(const dry_linkage *l, const dry_articulated_joint *joint, const dry_joint_row *row,
                       double sign)
{
    const dry_articulated_row of = {.linear = row->linear, .angular = {row->angular_a, row->angular_b}};
    return sign * dry_linkage_speed(l, joint, &of, true);
}

/* Lists a stop; of more than can be solved at once, those with the smallest gaps. */
static void list_stop(const dry_linkage *l, const dry_coupled_stop *stop)
{
    int *stops = &l->articulation->stops, farthest = 0;
    if (*stops < DRY_COMPLEMENTARITY_MAX) {
        *stop_of(l, (*stops)++) = *stop;
        return;
    }
    for (int i = 1; i < *stops; i++)
        farthest = stop_of(l, i)->gap > stop_of(l, farthest)->gap ? i : farthest;
    if (stop->gap < stop_of(l, farthest)->gap)
        *stop_of(l, farthest) = *stop;
}

/* Lists the stops, where the step ends. Returns how far the worst one is passed. */
static double list_stops(const dry_linkage *l)
{
    double worst = 0.0;
    l->articulation->stops = 0;
    for (int j = 0; j < l->joints; j++) {
        dry_joint_parts parts;
        if (!find_parts(l, &l->joint[j], true, &parts))
            continue;
        for (int i = 0; i < parts.free_count; i++) {
            double sign;
            const double gap = find_excess(l, &l->joint[j], &parts, i, &sign);
            if (!(gap < INFINITY && gap > -INFINITY))
                continue;
            dry_coupled_stop stop = {.gap = gap,
                                     .speed = speed_of(l, &l->joint[j], &parts.free[i], sign),
                                     .bounces = dry_axis_uses_of(&parts.acts[i]).bounces};
            for (int side = 0; side < 2; side++) {
                stop.body[side] = coupled_body(l, l->joint[j].body[side]);
                whiten(l, &parts.free[i], sign, side, &stop);
            }
            list_stop(l, &stop);
            worst = fmin(worst, gap);
        }
    }
    return -worst;
}

static bool has_stops(const dry_linkage *l)
{
    return coupling_of(l)->items > 0 && l->articulation->stop_begin < l->articulation->stop_end;
}

double dry_stops_find(const dry_linkage *l)
{
    l->articulation->stops = 0;
    return has_stops(l) ? list_stops(l) : 0.0;
}

/* Fills a row of S: what a unit impulse along a stop moves along all. Nothing has moved before, nor has it
 * after. */
static void find_row(const void *linkage, int i, double *s)
{
    const dry_linkage *l = linkage;
    const dry_coupled_stop *stop = stop_of(l, i);
    double free = 0.0;
    for (int k = 0; k < 12; k++)
        free += stop->g[k] * stop->g[k];
    push(l, stop, 1.0);
    for (int j = 0; j < l->articulation->stops; j++)
        s[j] = moved_along(l, stop_of(l, j));
    for (int side = 0; side < 2; side++)
        clear_body(l, stop->body[side]);
    if (!(s[i] > DRY_LEAST_MOBILITY * free))
        s[i] = 0.0;
}

/* Finds the impulses of the stops, by what they do to each other: those that let none attract, or, of held
 * coordinates, close all gaps. Returns false if there are none: they then are the nearest ones, or unknown.
 */
static bool find_impulses(const dry_linkage *l, bool held, double *impulse)
{
    const int n = l->articulation->stops;
    double gap[DRY_COMPLEMENTARITY_MAX];
    DRY_ASSERT(n > 0 && n <= DRY_COMPLEMENTARITY_MAX && l->stop_matrix);
    for (int i = 0; i < n; i++)
        gap[i] = stop_of(l, i)->gap;
    dry_coupling_find_columns(l); /* the factor may be another one since the last substep */
    dry_coupling_begin(l, false);
    const dry_complementarity problem = {n, gap, l->stop_matrix, find_row, l};
    return dry_complementarity_solve(&problem, held, impulse);
}

/* Finds what the stops' impulses and the joints' answer move a body by. */
static void find_answer(const dry_linkage *l, int b, dry_double3 *moved, dry_double3 *turned)
{
    const dry_coupling *c = coupling_of(l);
    const dry_articulated_body *body = &l->body[b];
    const dry_double3 none = {0};
    *moved = double3_add_scaled(none, body->inverse_mass, body->impulse);
    *turned = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
    if (c->body_of[b] < 0)
        return;
    const double *f = c->body[c->body_of[b]].impulse, parts = (double)body->parts;
    const dry_whitening w = dry_whitening_of(&l->step->state->bodies.rows[body->row + 1],
                                             l->step->bodies->pose[body->row].orientation);
    *moved = double3_add_scaled(*moved, parts * (double)w.inv_sqrt_mass, (dry_double3){f[0], f[1], f[2]});
    for (int k = 0; k < 3; k++)
        *turned = double3_add_scaled(*turned, parts * f[3 + k], dry_whitening_axis(&w, k));
}

/* Gives bodies what the stops' impulses and the joints' answer move them by, as velocities or as ways. */
static void take_answer(const dry_linkage *l, bool as_velocity)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        dry_double3 moved, turned;
        if (!body->moves)
            continue;
        find_answer(l, b, &moved, &turned);
        if (!as_velocity) {
            dry_articulated_shift(body, moved, turned);
            continue;
        }
        body->end.velocity = double3_add_scaled(body->end.velocity, 1.0, moved);
        body->end.spin = double3_add_scaled(body->end.spin, 1.0, turned);
    }
}

/* Gives the stops their impulses, and bodies what these and the joints' answer move them by. */
static void give(const dry_linkage *l, const double *impulse, bool as_velocity)
{
    for (int i = 0; i < l->articulation->stops; i++)
        push(l, stop_of(l, i), impulse[i]);
    dry_coupling_answer(l);
    take_answer(l, as_velocity);
}

void dry_stops_move_back(const dry_linkage *l)
{
    double impulse[DRY_COMPLEMENTARITY_MAX];
    if (l->articulation->stops == 0)
        return;
    find_impulses(l, false, impulse);
    give(l, impulse, false);
}

void dry_stops_stop(const dry_linkage *l)
{
    double impulse[DRY_COMPLEMENTARITY_MAX];
    bool passes = false;
    if (!has_stops(l))
        return;
    list_stops(l);
    const int listed = l->articulation->stops;
    l->articulation->stops = 0;
    for (int i = 0; i < listed; i++) {
        dry_coupled_stop stop = *stop_of(l, i);
        if (stop.bounces || !(stop.gap < DRY_JOINTS_OPEN)) /* or bounces in the next step's sweeps */
            continue;
        stop.gap = stop.speed;
        passes = passes || stop.gap < -DRY_JOINTS_CLOSED;
        *stop_of(l, l->articulation->stops++) = stop;
    }
    if (!passes)
        return;
    find_impulses(l, false, impulse);
    give(l, impulse, true);
}

/* Ways in which a free coordinate of a joint is held. */
typedef enum axis_hold { AXIS_FREE, AXIS_HELD, AXIS_DRIVEN, AXIS_STOPPED } axis_hold;

/* A part holds the speed of its axis while its impulse is below this share of its bound. */
#define BELOW_BOUND (1 - DRY_FLOAT_ROUNDING)

/* Returns how free coordinate `i` of a joint is held: by friction, by a motor, or by a stop that presses. */
static axis_hold find_hold(const dry_linkage *l, const dry_articulated_joint *joint, int i)
{
    const dry_coupled_item *item = &coupling_of(l)->item[joint->item];
    const dry_axes_bundle *bundle =
        (const dry_axes_bundle *)l->step->state->sweeps.bundles[DRY_KIND_AXES].bundle + item->bundle;
    DRY_ASSERT(item->kind == DRY_KIND_AXES);
    const float most_round = bundle->round.most[item->lane];
    if (most_round > 0.0f) {
        double squared = 0.0;
        for (int k = 0; k < 3; k++)
            squared +=
                (double)bundle->round.impulse[k][item->lane] * (double)bundle->round.impulse[k][item->lane];
        return sqrt(squared) < BELOW_BOUND * (double)most_round ? AXIS_HELD : AXIS_FREE;
    }
    axis_hold hold = AXIS_FREE;
    for (int p = DRY_PART_MOTOR; p < DRY_PART_COUNT; p++) {
        const dry_axis_part *part = &bundle->row[i].part[p];
        const double most = (double)part->most[item->lane], impulse = (double)part->impulse[item->lane];
        if (!(bundle->uses[i] & 1u << p) || !(most > 0.0))
            continue;
        if (p == DRY_PART_LOWER || p == DRY_PART_UPPER)
            hold = impulse > 0.0 ? AXIS_STOPPED : hold;
        else if (fabs(impulse) < BELOW_BOUND * most)
            hold = p == DRY_PART_MOTOR || hold == AXIS_DRIVEN ? AXIS_DRIVEN : AXIS_HELD;
    }
    return hold;
}

/* Returns the speed that the last solve's impulses give a body's part along a row at one side. */
static double speed_given(const dry_articulated_body *body, dry_double3 linear, dry_double3 angular)
{
    if (!body->moves)
        return 0.0;
    const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
    return body->inverse_mass * double3_dot(linear, body->impulse) + double3_dot(angular, swing);
}

/* Adds a held coordinate to the list. Its gap is the speed that the last solve's impulses give it. */
static void list_coordinate(const dry_linkage *l, const dry_articulated_joint *joint,
                            const dry_joint_row *row)
{
    dry_articulation *articulation = l->articulation;
    DRY_ASSERT(articulation->stop_begin + articulation->stops < articulation->stop_end);
    dry_coupled_stop *stop = stop_of(l, articulation->stops++);
    *stop = (dry_coupled_stop){.gap = speed_given(&l->body[joint->body[1]], row->linear, row->angular_b) -
                                      speed_given(&l->body[joint->body[0]], row->linear, row->angular_a)};
    for (int side = 0; side < 2; side++) {
        stop->body[side] = coupled_body(l, joint->body[side]);
        whiten(l, row, 1.0, side, stop);
    }
}

/* Counts held coordinates; with `list`, lists them. Returns whether some motor holds its speed, and no stop
 * presses. */
static bool find_held(const dry_linkage *l, bool list)
{
    bool driven = false;
    l->articulation->stops = 0;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        dry_joint_parts parts;
        if (joint->item < 0)
            continue;
        find_coordinates(l, joint, true, &parts);
        for (int i = 0; i < parts.free_count; i++) {
            const axis_hold hold = find_hold(l, joint, i);
            if (hold == AXIS_STOPPED)
                return false;
            driven = driven || hold == AXIS_DRIVEN;
            if (hold == AXIS_FREE)
                continue;
            if (list)
                list_coordinate(l, joint, &parts.free[i]);
            else
                l->articulation->stops++;
        }
    }
    return driven;
}

/* Tells whether an articulation's own axes are all that acts in its island. */
static bool acts_by_itself(const dry_linkage *l)
{
    const dry_articulations *a = &l->step->state->articulations;
    const dry_island *island = &l->step->islands->island[l->articulation->island];
    int joints = 0;
    for (int k = l->articulation->link_begin; k < l->articulation->link_end; k++)
        joints += a->link[k].joint >= 0;
    return l->articulation->driven && island->manifolds == 0 && island->joints == joints;
}

/* Solves for impulses that stop the rows' speeds where the step ends. Returns false if these are beyond
 * bounds. */
static bool solve_rows(const dry_linkage *l)
{
    double largest = 0.0;
    dry_linkage_find_rows(l, DRY_IN_SWEEPS);
    dry_linkage_factor(l);
    for (int j = 0; j < l->joints; j++) {
        const int first = l->joint[j].row - l->articulation->row_begin;
        for (int i = first; i < first + l->joint[j].rows; i++) {
            l->x[i] = -dry_linkage_speed(l, &l->joint[j], &l->row[i], true);
            largest = dry_larger(largest, fabs(l->x[i]));
        }
    }
    if (!(largest <= DRY_SPEED_SOLVED_MAX))
        return false;
    dry_linkage_solve(l);
    return true;
}

void dry_stops_arrive(const dry_linkage *l)
{
    if (!acts_by_itself(l) || l->springs > 0 || l->articulation->error > DRY_JOINTS_OPEN ||
        !find_held(l, false) || l->articulation->stops > DRY_COMPLEMENTARITY_MAX || !solve_rows(l))
        return;
    find_held(l, true);
    double impulse[DRY_COMPLEMENTARITY_MAX];
    if (!find_impulses(l, true, impulse))
        return; /* they contradict each other */
    take_answer(l, true);
    give(l, impulse, true);
}
