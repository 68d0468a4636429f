/* The supports of islands, and those that topple, for which held lever arms would be false.
 *
 * The tilt of a stack on soft contacts is elastic: all corners of its patches carry. A rigid stack that
 * topples turns about an edge: the contacts at that edge are hinges, open on one side. Its weight then really
 * acts at another place, so an island whose ground carries much of it through hinges has true lever arms,
 * whatever the tolerance of held ones.
 *
 * Reads edges, and the impulses of the last step. Writes `support`, `hinged_support` and `hinged`. Next:
 * solver/sweeps/contacts/prepare.c. */
#include "solver/plan/islands.h"

#include "solver/data/context.h"

/* The share of an island's support that hinges carry before it counts as toppling
 * (plan/DECISIONS.md). */
#define HINGED_SHARE 0.25f

void dry_islands_find_supports(dry_solver_step *step)
{
    dry_islands *islands = step->islands;
    for (int i = 0; i < islands->count; i++)
        islands->island[i].support = islands->island[i].hinged_support = 0.0f;
    for (int i = 0; i < islands->edge_count; i++) {
        const dry_edge *edge = &islands->edge[i];
        if (edge->row_a >= 0 && edge->row_b >= 0)
            continue;
        const int row = edge->row_a >= 0 ? edge->row_a : edge->row_b;
        const dry_contact_link *link = &step->contacts->link[edge->contact];
        const dry_manifold *manifold = &step->contacts->manifold[edge->contact];
        if (manifold->substep == 0.0f)
            continue;
        /* It can turn about a point or an edge if a corner of its patch bears nothing, or it has none. */
        bool is_hinge = link->points < 3;
        float force = 0.0f;
        for (int k = 0; k < link->points; k++) {
            force += manifold->impulse[k];
            is_hinge = is_hinge || manifold->impulse[k] <= 0.0f;
        }
        force /= dry_abs(manifold->substep);
        dry_island *island = &islands->island[step->bodies->sleep[row].island];
        island->support += force;
        if (is_hinge)
            island->hinged_support += force;
    }
    for (int i = 0; i < islands->count; i++) {
        dry_island *island = &islands->island[i];
        const bool hinged = island->hinged_support > HINGED_SHARE * island->support;
        islands->leaving |= island->phase == DRY_ISLAND_STAYS && hinged != island->hinged;
        island->hinged = hinged;
    }
}
