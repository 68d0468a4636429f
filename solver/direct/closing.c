/* The correction of poses that closes joints. Reads rows and factors; writes the bodies of a linkage. Next:
 * alone.c, swept.c. */
#include "solver/direct/closing.h"

/* Near a pose from which joints that contradict each other cannot be closed, less of alpha closes them by any
 * motion. One that turns bodies by more than this times the error, rad/m, leads nowhere. */
#define TURNS 1e3
enum { ITERATIONS = 50, PATIENCE = 4 };

bool dry_search_goes_on(dry_search *s, double error)
{
    if (!(error > DRY_JOINTS_CLOSED) || s->iterations == ITERATIONS || !(error <= 1e6))
        return false;
    s->in_vain = error < DRY_GAINS_NOTHING * s->least ? 0 : s->in_vain + 1;
    s->least = fmin(s->least, error);
    s->iterations++;
    return s->in_vain < PATIENCE;
}

void dry_search_count(const dry_search *s, const dry_linkage *l, double error)
{
    dry_articulation *a = l->articulation;
    a->error = error;
    a->corrections++;
    a->iterations += s->iterations;
    a->iterations_max = dry_max_int(a->iterations_max, s->iterations);
}

void dry_linkage_scale(const dry_linkage *l, double by)
{
    for (int i = 0; i < l->rows; i++)
        l->x[i] *= by;
}

/* Gives the poses of bodies a share of the last solve's impulses. */
static void take_impulses(const dry_linkage *l, double share)
{
    const dry_double3 none = {0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        dry_articulated_shift(body, double3_add_scaled(none, share * body->inverse_mass, body->impulse),
                              double3_add_scaled(none, share, swing));
    }
}

/* Newton's method with the one factor. An iteration that would open the joints further is shortened: near
 * poses that no motion can reach, it leads anywhere. */
double dry_linkage_close_poses(const dry_linkage *l)
{
    dry_search s = dry_search_begin();
    double error = dry_linkage_find_errors(l), share = 1.0;
    const double asked = error;
    while (share > 0.0 && dry_search_goes_on(&s, error)) {
        dry_linkage_scale(l, -1.0);
        dry_linkage_solve(l);
        double next;
        take_impulses(l, share = 1.0);
        for (int i = 0; (next = dry_linkage_find_errors(l), !(next < error)) && share > 0.0; i++) {
            take_impulses(l, dry_shorter(share, i) - share);
            share = dry_shorter(share, i);
        }
        error = next;
    }
    dry_search_count(&s, l, error);
    return asked;
}

/* A correction is stuck that gains little, if as much of what it leaves is beyond all impulses. Newton's
 * method also stops early where bodies turn fast, with rows of another pose. */
bool dry_linkage_is_stuck(const dry_linkage *l, double asked)
{
    const double error = l->articulation->error;
    return error > DRY_JOINTS_OPEN && error > DRY_GAINS_LITTLE * asked &&
           dry_linkage_find_unsolvable(l) > DRY_GAINS_LITTLE * error;
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
