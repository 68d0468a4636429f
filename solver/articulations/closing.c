/* The joint correction of articulations [Tomcin 3]: predicted poses are corrected by impulses where the step
 * began, until all joints are closed where it ends, by Newton's method with the factor of the step's begin.
 *
 * Reads rows and the factor; writes the motion of an articulation's bodies. Used by alone.c and swept.c. */
#include "solver/articulations/correct.h"
#include "solver/articulations/springs.h"

/* A correction is stuck that leaves more than this share of what it was to close, if as much of that is
 * beyond all impulses. Newton's method also stops early where bodies turn fast, with rows of another pose. */
#define STUCK 0.5
enum { ITERATIONS = 50, PATIENCE = 4, SHORTENINGS = 4 };

dry_search dry_search_begin(void)
{
    return (dry_search){.least = INFINITY};
}

bool dry_search_goes_on(dry_search *s, double error)
{
    if (!(error > DRY_CLOSED) || s->iterations == ITERATIONS || !(error <= 1e6))
        return false;
    s->in_vain = error < 0.9 * s->least ? 0 : s->in_vain + 1;
    s->least = fmin(s->least, error);
    s->iterations++;
    return s->in_vain < PATIENCE;
}

static void scale(const dry_linkage *l, double by)
{
    for (int i = 0; i < l->rows; i++)
        l->x[i] *= by;
}

/* Gives bodies a share of the last solve's impulses: where the substep began, to their displacements and
 * velocities, or to their poses alone, where it ends. */
static void take_impulses(const dry_linkage *l, double time, double share, bool velocities)
{
    if (velocities)
        dry_springs_take(l, share);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 none = {0};
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        if (!velocities) {
            dry_articulated_shift(body, double3_add_scaled(none, share * body->inverse_mass, body->impulse),
                                  double3_add_scaled(none, share, swing));
            continue;
        }
        body->moved = double3_add_scaled(body->moved, share * time * body->inverse_mass, body->impulse);
        body->turned = double3_add_scaled(body->turned, share * time, swing);
        body->begin.velocity =
            double3_add_scaled(body->begin.velocity, share * body->inverse_mass, body->impulse);
        body->begin.spin = double3_add_scaled(body->begin.spin, share, swing);
    }
    if (velocities)
        dry_linkage_move(l);
}

/* An iteration that would open the joints further is shortened: near poses that no motion can reach, Newton's
 * method leads anywhere. */
double dry_linkage_close(const dry_linkage *l, bool velocities)
{
    const double time = velocities ? l->h : 1.0;
    dry_search s = dry_search_begin();
    double error = dry_linkage_find_errors(l);
    const double asked = error;
    while (dry_search_goes_on(&s, error)) {
        scale(l, -1.0 / time);
        if (velocities)
            dry_linkage_solve_again(l);
        else
            dry_linkage_solve(l);
        double share = 1.0, next;
        take_impulses(l, time, share, velocities);
        for (int i = 0; (next = dry_linkage_find_errors(l), !(next < error)) && share > 0.0; i++) {
            const double shorter = i < SHORTENINGS ? 0.25 * share : 0.0;
            take_impulses(l, time, shorter - share, velocities);
            share = shorter;
        }
        if (velocities)
            dry_linkage_count_impulses(l, share);
        error = next;
        if (share == 0.0)
            break;
    }
    l->articulation->error = error;
    l->articulation->corrections++;
    l->articulation->iterations += s.iterations;
    l->articulation->iterations_max = dry_max_int(l->articulation->iterations_max, s.iterations);
    return asked;
}

bool dry_linkage_is_stuck(const dry_linkage *l, double asked)
{
    const double error = l->articulation->error;
    return error > DRY_OPEN && error > STUCK * asked && dry_linkage_find_unsolvable(l) > STUCK * error;
}

void dry_linkage_unite_parts(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b += l->body[b].parts)
        for (int i = 1; i < l->body[b].parts; i++) {
            l->body[b + i].end.center = l->body[b].end.center;
            l->body[b + i].end.orientation = l->body[b].end.orientation;
        }
}
