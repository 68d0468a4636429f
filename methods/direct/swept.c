/* Articulations among contacts and motors start from the solver's rows. Where contacts touch, poses are
 * corrected without velocities [Tomcin 7]; then bodies go back to the stops that they have passed.
 *
 * Reads rows; writes the motion of an articulation's bodies. Next: correct.c. */
#include "methods/direct/articulation_rows.h"
#include "methods/direct/closing.h"
#include "methods/direct/springs.h"
#include "solver/bodies/begin.h"
#include "solver/data/context.h"

/* Rounds of closing joints and holding stops are so many at most. Rows are made anew after one that gains
 * little, and one that gains nothing is the last. */
enum { STOP_ROUNDS = 8 };

/* Takes a body's motion from its row; none if it is invalid, which finalize then sees. */
static void read_valid_row(const dry_solver_step *step, dry_articulated_body *body)
{
    if (dry_solver_is_invalid(step, body->row))
        body->begin.velocity = body->begin.spin = body->moved = body->turned = (dry_double3){0};
    else
        dry_articulated_read_row(step, body);
}

/* Lets a body that joints turned keep the energy of its turning. Sweeps turn with the inertia of the step's
 * begin. Its angular momentum there, taken for that at the end, may be any energy of a slender body. */
static void keep_turning_energy(dry_articulated_body *body)
{
    const double before = dry_articulated_turning_energy(body, &body->begin),
                 after = dry_articulated_turning_energy(body, &body->end);
    if (after > 0.0 && before < INFINITY)
        body->end.spin = dry_scale_motion3_double(sqrt(before / after), body->end.spin);
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

/* Closes joints where sweeps led their bodies. */
static void close_joints(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            read_valid_row(l->step, &l->body[b]);
    dry_linkage_move(l);
    const double asked = dry_linkage_close_poses(l);
    l->articulation->stuck = false;
    if (l->articulation->error > DRY_JOINTS_OPEN)
        close_further(l, asked);
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
        dry_stops_move_back(l);
        dry_linkage_close_poses(l);
    }
}

void dry_linkage_correct_swept(const dry_linkage *l)
{
    if (l->springs > 0) /* the last rows have the springs of sweeps in their factor */
        dry_springs_factor(l, DRY_SPRINGS_REST);
    l->articulation->coarse = false;
    close_joints(l);
    hold_stops(l);
    dry_linkage_unite_parts(l);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            keep_turning_energy(&l->body[b]);
    dry_stops_arrive(l);
    dry_stops_stop(l);
    dry_linkage_find_rows(l, DRY_AT_END);
}
