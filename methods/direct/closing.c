/* The correction of poses that closes joints. Reads rows and factors; writes the bodies of a linkage. Next:
 * alone.c, swept.c. */
#include "methods/direct/closing.h"

#include <string.h>

/* Near a pose from which joints that contradict each other cannot be closed, less of alpha closes them by any
 * motion. One that turns bodies by more than this times the error, rad/m, leads nowhere. */
#define TURNS 1e3
enum { ITERATIONS = 50, PATIENCE = 4 };

bool dry_search_goes_on(dry_search *s, double error)
{
    if (!(error > DRY_JOINTS_CLOSED) || s->iterations == ITERATIONS || !(error <= DRY_SPEED_SOLVED_MAX))
        return false;
    s->in_vain = error < DRY_GAINS_NOTHING * s->least ? 0 : s->in_vain + 1;
    s->least = fmin(s->least, error);
    s->iterations++;
    return s->in_vain < PATIENCE;
}

/* An iteration that would open joints further is shortened this often at most, then taken back. */
enum { SHORTENINGS = 4 };

void dry_linkage_close(const dry_linkage *l, double error, double rate, dry_linkage_take *take)
{
    dry_articulation *a = l->articulation;
    dry_search s = dry_search_begin();
    memset(l->carried, 0, (size_t)l->rows * sizeof *l->carried);
    double share = 1.0;
    while (share > 0.0 && dry_search_goes_on(&s, error)) {
        for (int i = 0; i < l->rows; i++)
            l->x[i] *= -rate;
        const bool sums = dry_linkage_solve_again(l);
        double next = take(l, share = 1.0, sums);
        for (int i = 0; !(next < error) && share > 0.0; i++) {
            const double shorter = i < SHORTENINGS ? 0.25 * share : 0.0;
            next = take(l, shorter - share, true);
            share = shorter;
        }
        for (int i = 0; i < l->rows; i++)
            l->carried[i] += share * l->impulses[i];
        error = next;
    }
    a->error = error;
    a->corrections++;
    a->iterations += s.iterations;
    a->iterations_max = dry_max_int(a->iterations_max, s.iterations);
}

/* Gives the poses of bodies a share of the last solve's impulses. */
static double take_in_poses(const dry_linkage *l, double share, bool sums)
{
    const dry_double3 none = {0};
    if (!sums)
        dry_linkage_sum_impulses(l);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        dry_articulated_shift(body, double3_add_scaled(none, share * body->inverse_mass, body->impulse),
                              double3_add_scaled(none, share, swing));
    }
    return dry_linkage_find_errors(l);
}

double dry_linkage_close_poses(const dry_linkage *l)
{
    const double asked = dry_linkage_find_errors(l);
    dry_linkage_close(l, asked, 1.0, take_in_poses);
    return asked;
}

/* Tells whether joints are stuck: the correction gained little, and as much of what it left is beyond all
 * impulses. Newton's method also stops early where bodies turn fast, with rows of another pose. */
static bool is_stuck(const dry_linkage *l, double asked)
{
    const double error = l->articulation->error;
    return error > DRY_GAINS_LITTLE * asked && dry_linkage_find_unsolvable(l) > DRY_GAINS_LITTLE * error;
}

/* The rounds of gentler closing: a substep has four corrections at most, with the two before them. */
enum { ROUNDS = 2 };

bool dry_linkage_close_in_rounds(const dry_linkage *l, double asked)
{
    dry_articulation *a = l->articulation;
    double least = INFINITY;
    int rounds = 0;
    while (a->error > DRY_JOINTS_OPEN && !(a->stuck = is_stuck(l, asked)) && rounds < ROUNDS &&
           a->error < DRY_GAINS_NOTHING * least) {
        dry_linkage_take_inertia(l, true);
        dry_linkage_find_rows(l, DRY_IN_SWEEPS);
        dry_linkage_factor(l);
        least = fmin(least, dry_linkage_close_poses(l));
        rounds++;
    }
    /* Joints that several rounds hardly close contradict each other, too. Near the poses where they are
     * closest no row says so: some motion still closes them, to first order. */
    a->stuck =
        a->error > DRY_JOINTS_OPEN && (a->stuck || (rounds > 0 && a->error > DRY_GAINS_NOTHING * asked));
    return rounds > 0;
}

/* Returns the largest angle that the last solve turns a body by, rad. */
static double largest_turn(const dry_linkage *l)
{
    double largest = 0.0;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 turn = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        largest = dry_larger(largest, sqrt(double3_dot(turn, turn)));
    }
    return largest;
}

bool dry_linkage_needs_fine(const dry_linkage *l)
{
    dry_articulation *a = l->articulation;
    if (a->fine || a->coarse || l->factor->redundant == 0 || !(a->error > DRY_JOINTS_OPEN))
        return false;
    const double left = dry_linkage_find_unsolvable(l);
    if (!(left > DRY_GAINS_LITTLE * a->error))
        return false;
    a->fine = true;
    dry_linkage_factor(l);
    const double finer = dry_linkage_find_unsolvable(l);
    a->fine = finer < DRY_GAINS_LITTLE * left && largest_turn(l) < TURNS * left;
    a->coarse = !a->fine;
    dry_linkage_factor(l);
    return a->fine;
}

void dry_linkage_unite_parts(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b += l->body[b].parts)
        for (int i = 1; i < l->body[b].parts; i++) {
            l->body[b + i].end.center = l->body[b].end.center;
            l->body[b + i].end.orientation = l->body[b].end.orientation;
        }
}
