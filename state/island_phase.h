/* The phases of an island, and what a body remembers of them from one step to the next.
 *
 * The springs of an island's contacts may have the lengths at which they bear what they do: it rests, and few
 * substeps hold it (solver/plan/rest.c). It may rest while contacts alone hold it, none of them with a
 * kinematic body or a belt, and while it does not move.
 *
 *   from                   to       when
 *   MOVES                  SETTLES  it may rest, and is calm or was placed at rest
 *   MOVES                  RISES    so, where points come up first
 *   RISES                  SETTLES  it has risen, and is calm
 *   RISES                  ENDS     it may not rest, some body was not slow, or all swung at the begin
 *   SETTLES, RESTS, STAYS  RESTS    it may rest, and all bodies were slow under the same load
 *   RESTS                  STAYS    so, something fixed holds it, and lever arms are held
 *   SETTLES, RESTS, STAYS  ENDS     otherwise, or where bodies joined it that do not rest
 *   ENDS, FADES            SETTLES  it may rest, and was placed at rest
 *   ENDS, FADES            FADES    some share of the lengths is left
 *   ENDS, FADES            MOVES    nothing is left
 *   any                    ENDS     a call changed what a body bears (world/sleep.c)
 *
 * Where a step ends, each body remembers the phase with which the next one begins. */
#ifndef STATE_ISLAND_PHASE_H
#define STATE_ISLAND_PHASE_H

#include <stdbool.h>

typedef enum dry_island_phase {
    DRY_ISLAND_MOVES = 1,   /* contacts have no lengths */
    DRY_ISLAND_SETTLES = 2, /* they take lengths in this step */
    DRY_ISLAND_RESTS = 4,   /* they have them */
    DRY_ISLAND_STAYS = 8,   /* and rows are in the frames of the bodies' rest poses (solver/bodies/begin.h) */
    DRY_ISLAND_ENDS = 16,   /* its rest ends in this step: what is deep keeps a length */
    DRY_ISLAND_FADES = 32,  /* these lengths fade */
    DRY_ISLAND_RISES = 64   /* points come up to where they touch, slowly */
} dry_island_phase;

/* Tells whether a step may lead from one phase to another, at its beginning or at its end. */
static inline bool dry_phase_leads_to(dry_island_phase from, dry_island_phase to)
{
    const unsigned next = from == DRY_ISLAND_MOVES ? DRY_ISLAND_MOVES | DRY_ISLAND_SETTLES | DRY_ISLAND_RISES
                          : from == DRY_ISLAND_RISES ? DRY_ISLAND_RISES | DRY_ISLAND_SETTLES | DRY_ISLAND_ENDS
                          : from == DRY_ISLAND_RESTS ? DRY_ISLAND_RESTS | DRY_ISLAND_STAYS | DRY_ISLAND_ENDS
                          : from & (DRY_ISLAND_ENDS | DRY_ISLAND_FADES)
                              ? from | DRY_ISLAND_SETTLES | DRY_ISLAND_FADES | DRY_ISLAND_MOVES
                              : DRY_ISLAND_RESTS | DRY_ISLAND_ENDS;
    return next & to;
}

/* The number by which a body remembers the phase, dry_body_sleep.rest: of a body that rests the compliance of
 * its contacts, s^2; where lengths fade the share that is left, negated. */
#define DRY_REST_ENDS (-1.0f)
/* A body that rises remembers the first, less the time since, s; once all have risen, the second. */
#define DRY_REST_RISES (-3.0f)
#define DRY_REST_RISEN (-2.0f)
/* How fast a point rises about, m/s; of over four bodies, which may stand on each other, in proportion. */
#define DRY_RISE 0.005f

/* Returns what is left of a way by which a point rises, where bodies remember `rest`. The rise is told by the
 * clock, begins and ends gently, and follows no force. */
static inline float dry_left_to_rise(float way, float rest, int bodies)
{
    const float speed = bodies > 4 ? 4.0f * DRY_RISE / (float)bodies : DRY_RISE;
    const float since = rest < DRY_REST_RISES ? DRY_REST_RISES - rest : 0.0f;
    const float share = since * speed / (way + 0.25f * speed);
    return rest == DRY_REST_RISEN || share >= 1.0f ? 0.0f
                                                   : way * (1.0f - share * share * (3.0f - 2.0f * share));
}

/* Returns the phase that a body remembers. */
static inline dry_island_phase dry_phase_of_rest(float rest)
{
    return rest > 0.0f             ? DRY_ISLAND_RESTS
           : rest < DRY_REST_ENDS  ? DRY_ISLAND_RISES
           : rest <= DRY_REST_ENDS ? DRY_ISLAND_ENDS
           : rest < 0.0f           ? DRY_ISLAND_FADES
                                   : DRY_ISLAND_MOVES;
}

#endif
