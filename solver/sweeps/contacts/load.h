/* The loads of bodies, noted by a step's last sweep. Compiled once per instruction set in
 * float, and for one lane in double.
 *
 * Reads contact bundles; raises the loads of their bodies. Bundles of one phase share no body, so that plain
 * stores do: a stage of its own would need atomic maxima, each of which waits for all stores before it. */
#ifndef SOLVER_SWEEPS_CONTACTS_LOAD_H
#define SOLVER_SWEEPS_CONTACTS_LOAD_H

#include "solver/bodies/gather.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/sweep.h"

/* Raises a body's load. Floats that are not negative have the order of their bits. */
LANE_INLINE void contact_raise_load(uint32_t *loads, int row, uint32_t load)
{
    uint32_t fixed = 0, *at = row ? &loads[row - 1] : &fixed;
    *at = load > *at ? load : *at;
}

/* Notes for both bodies what each contact's most loaded point carries, per mass that the point moves, times
 * its share of the mean: an uneven load tilts a body as well as lowering it. Null masses: those of the
 * bundle. */
static DRY_NOINLINE void contact_note_loads(const dry_contact_bundle *c, const dry_sweep *s,
                                            const lane *masses, int at)
{
    const lane zero = lane_zero(), one = lane_set(1.0f);
    lane largest = zero, sum = zero, points = zero;
    for (int i = 0; i < 4; i++) {
        const lane mass = masses ? masses[i] : LOAD(c->inverse_mass[i]);
        const lane_mask present = lane_less(zero, mass);
        const lane over = lane_mul(lane_set(s->substep), lane_select(present, mass, one));
        const lane load = lane_select(present, lane_div(LOAD(c->impulse[i]), over), zero);
        largest = lane_max(load, largest);
        sum = lane_add(sum, load);
        points = lane_add(points, lane_select(present, one, zero));
    }
    const lane_mask loaded = lane_less(zero, sum);
    const lane uneven = lane_div(lane_mul(largest, points), lane_select(loaded, sum, one));
    _Alignas(64) float load[DRY_LANES];
    /* Loads that are no numbers count as none, so that bits have the order of loads. */
    lane_store(load, lane_max(lane_mul(largest, lane_select(loaded, uneven, one)), zero));
    for (int i = 0; i < DRY_LANES; i++) {
        uint32_t bits;
        memcpy(&bits, &load[i], sizeof bits);
        contact_raise_load(s->loads, c->row_a[at + i], bits);
        contact_raise_load(s->loads, c->row_b[at + i], bits);
    }
}

#endif
