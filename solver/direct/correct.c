/* Stage "repair", last part: the joint correction of articulations, and the velocity correction of those
 * that are alone [Tomcin 3].
 *
 * Articulations that nothing else acts on are moved by alone.c. The others start from the solver's rows:
 * where contacts touch, poses are corrected without velocities [Tomcin 7]; then bodies go back to the stops
 * that they have passed. Both close joints by closing.c. What the motion asks of the next step is found here,
 * too: its substeps, and the joint that stays furthest open.
 *
 * Reads rows, articulations; writes articulations, from which finalize takes the bodies' motion. Next:
 * store.c. */
#include "solver/direct/correct.h"
#include "solver/bodies/invalid.h"
#include "solver/data/context.h"
#include "solver/direct/articulation_rows.h"
#include "solver/direct/articulations.h"
#include "solver/direct/closing.h"
#include "solver/direct/springs.h"
#include "solver/direct/stops.h"
#include "solver/direct/vibration.h"

/* Rounds of closing joints and holding stops are so many at most. Rows are made anew after one that gains
 * little, and one that gains nothing is the last. */
enum { STOP_ROUNDS = 8 };

/* Takes a body's motion from its row; none if it is invalid, which finalize then sees. */
static void read_valid_row(const dry_solver_step *step, dry_articulated_body *body)
{
    bool *invalid = &step->state->bodies.invalid[body->row];
    *invalid = *invalid || !dry_row_is_valid(&step->state->bodies.rows[body->row + 1]);
    if (*invalid)
        body->begin.velocity = body->begin.spin = body->moved = body->turned = (dry_double3){0};
    else
        dry_articulated_read_row(step, body);
}

/* The number of parts of the way that are tried, each half of the one before; then none is gone. */
enum { PARTS = 7 };

/* Reads the motion that sweeps have found, or a share of the way that it leads. */
static void read_motion(const dry_linkage *l, double share)
{
    const dry_double3 none = {0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        read_valid_row(l->step, body);
        if (share == 1.0)
            continue;
        body->moved = double3_add_scaled(none, share, body->moved);
        body->turned = double3_add_scaled(none, share, body->turned);
    }
    dry_linkage_move(l);
}

/* Makes the rows and the factor of where bodies are. */
static void make_rows_anew(const dry_linkage *l)
{
    dry_linkage_find_rows(l, DRY_IN_SWEEPS);
    dry_linkage_factor(l);
}

/* Goes on with a correction that was to close `asked` and left joints open: boxes bent a straight bridge,
 * whose rows are others now. */
static void close_further(const dry_linkage *l, double asked)
{
    make_rows_anew(l);
    dry_linkage_close_poses(l);
    if (dry_linkage_needs_fine(l))
        dry_linkage_close_poses(l);
    if (!dry_linkage_close_in_rounds(l, asked))
        return;
    dry_linkage_take_inertia(l, false);
    make_rows_anew(l);
}

/* Closes joints where bodies went this part of the way that sweeps led them. Returns the largest error. */
static double close_at(const dry_linkage *l, double share)
{
    read_motion(l, share);
    if (share != 1.0)
        make_rows_anew(l);
    const double asked = dry_linkage_close_poses(l);
    l->articulation->stuck = false;
    if (l->articulation->error > DRY_JOINTS_OPEN)
        close_further(l, asked);
    return l->articulation->error;
}

/* Closes joints where sweeps led their bodies. If that tears joints, bodies go a part of the way; all of it
 * if bodies that no impulse moves tear them. */
static void close_on_the_way(const dry_linkage *l)
{
    const double most = fmax(DRY_JOINTS_FAR, 2.0 * l->articulation->error_begin);
    double share = 1.0;
    for (int i = 0; i < PARTS; i++, share *= 0.5)
        if (close_at(l, share) <= most)
            return;
    if (close_at(l, 0.0) <= most)
        return;
    read_motion(l, 1.0);
    make_rows_anew(l);
    close_at(l, 1.0);
}

/* Brings bodies back to the stops that they have passed, and closes the joints that this opens. Bodies that
 * go back by a large angle open them so far that rows are needed anew. */
static void go_back(const dry_linkage *l)
{
    const double closed = fmax(l->articulation->error, DRY_JOINTS_OPEN);
    dry_stops_move_back(l);
    dry_linkage_close_poses(l);
    if (!(l->articulation->error > closed))
        return;
    make_rows_anew(l);
    dry_linkage_close_poses(l);
}

/* Closes joints and brings bodies back to the stops that they have passed, in turns. Bodies may have turned
 * far since the last substep began: rows are made anew, once, if a round gains little. */
static void hold_stops(const dry_linkage *l)
{
    double least = INFINITY;
    bool anew = false;
    for (int i = 0; i < STOP_ROUNDS; i++) {
        const double beyond = dry_stops_find(l);
        if (beyond > DRY_JOINTS_CLOSED && !(beyond < DRY_GAINS_LITTLE * least) && !anew) {
            anew = true;
            make_rows_anew(l);
            least = INFINITY;
        }
        if (!(beyond > DRY_JOINTS_CLOSED) || !(beyond < DRY_GAINS_NOTHING * least))
            return;
        least = beyond;
        go_back(l);
    }
}

/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected. Velocities that were corrected without contacts would move
 * what contacts hold. */
static void correct_swept(const dry_linkage *l)
{
    if (l->springs > 0) /* the last rows have the springs of sweeps in their factor */
        dry_springs_factor(l, DRY_SPRINGS_REST);
    l->articulation->coarse = false;
    close_on_the_way(l);
    hold_stops(l);
    dry_linkage_unite_parts(l);
    /* Sweeps turn bodies with the inertia of the step's begin. Where joints lead a slender body, its angular
     * momentum may belong to any energy. */
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        dry_articulated_spin_freely(l, &l->body[b]);
    dry_stops_arrive(l);
    dry_stops_stop(l);
    dry_linkage_find_rows(l, DRY_AT_END);
}

/* Finds the joint with the largest error of the locked rows where the step ends. */
static void find_gap(const dry_linkage *l)
{
    l->articulation->gap = 0.0;
    l->articulation->open = -1;
    for (int j = 0; j < l->joints; j++)
        for (int i = 0; i < dry_linkage_locked(&l->joint[j]) && l->joint[j].joint >= 0; i++) {
            const double error = fabs(l->row[l->joint[j].row - l->articulation->row_begin + i].error);
            if (error > l->articulation->gap) {
                l->articulation->gap = error;
                l->articulation->open = l->joint[j].joint;
            }
        }
}

/* Joints that a step among contacts opens ask for so many substeps at most. */
enum { SUBSTEPS_OPEN = 64 };
/* While joints are open and do not open further, they ask for this share of the square of those in the step
 * before. */
#define SETTLING 0.9

/* Returns the square of the rate of substeps that open joints ask for, 1/s^2. A straight chain between two
 * walls moves freely within a substep, and bends by the square of its length. */
static double find_opening(const dry_linkage *l, int substeps)
{
    const dry_articulation *a = l->articulation;
    if (a->stuck || !(a->gap > DRY_JOINTS_UNSEEN))
        return 0.0;
    const double most = (double)SUBSTEPS_OPEN / (double)l->step->dt;
    if (a->gap > a->error_begin + DRY_JOINTS_UNSEEN) {
        const double rate = fmin(2.0 * (double)substeps / (double)l->step->dt, most);
        return rate * rate;
    }
    return SETTLING * fmin(dry_linkage_last_vibration(l), most * most);
}

/* Returns the square of the rate of substeps, 1/s^2, by which a step begins with half of those that the one
 * before took. */
static double find_kept_rate(const dry_linkage *l, int substeps)
{
    const double rate = 0.5 * (double)(substeps - 1) / (double)l->step->dt;
    return substeps > 1 ? rate * rate : 0.0;
}

/* Finds the vibration for the next step, unless one substep follows it. Where sweeps find the impulses, those
 * are the last substep's. Substeps are those of the step, which an articulation alone may have made anew. */
static void find_vibration(const dry_linkage *l, bool alone, int substeps)
{
    const bool freely = alone || l->articulation->driven;
    const double dt = (double)l->step->dt, followed = freely ? 1.0 : DRY_VIBRATION_SWEPT;
    const double rate = followed / dt;
    /* Sweeps have so many substeps in any case. */
    const double sure = alone ? rate : rate * (double)dry_min_int(substeps, l->step->settings->substeps_min);
    const double time = alone ? dt : dt / (double)substeps;
    l->articulation->vibration =
        dry_linkage_vibration(l, time, rate * rate, sure * sure) / (followed * followed);
    const bool far = l->articulation->gap > DRY_JOINTS_FAR;
    const double asked = alone && !far ? find_kept_rate(l, substeps) : find_opening(l, substeps);
    l->articulation->vibration = alone && far ? asked : fmax(l->articulation->vibration, asked);
}

static void correct_many(void *context, int begin, int end, int worker)
{
    dry_solver_step *step = context;
    const dry_coupling *coupling = &step->state->articulations.coupling;
    for (int i = begin; i < end; i++) {
        const bool alone = dry_articulation_is_alone(step, i);
        int substeps = dry_articulation_range(step, i)->substeps;
        dry_linkage l = dry_linkage_of(step, i, (double)step->dt / (alone ? (double)substeps : 1.0));
        if (coupling->stop_elements > 0)
            l.stop_matrix = &coupling->stop_matrix[worker * coupling->stop_elements];
        l.articulation->corrections = l.articulation->iterations = l.articulation->iterations_max = 0;
        if (alone)
            substeps = dry_linkage_move_alone(l, substeps);
        else
            correct_swept(&l);
        find_gap(&l);
        find_vibration(&l, alone, substeps);
    }
}

void dry_articulations_correct(dry_solver_step *step)
{
    dry_articulations_for(step, correct_many, step);
}
