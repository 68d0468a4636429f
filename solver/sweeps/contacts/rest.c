/* Contacts take the lengths of their springs when their island settles (plan/rest.c). Reads prepared bundles:
 * impulses of the last step, or of plan/static_load.c. Writes lengths, and separations of bundles. */
#include "solver/sweeps/contacts/prepare.h"

#include "solver/data/contacts/bundle.h"
#include "solver/data/context.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"

/* Returns the length of a point that presses with an acceleration. One that presses with nothing has length
 * 0: a gap is a gap. Where the island settles, a point that is deeper than it would rest without a length
 * comes up so far, and where it rises, or has risen, until it touches. Where rest ends, one that only another
 * load would press so deep stays there; a length above 0 would press one that does not overlap, and throw. */
static float length_of(const dry_island *island, float separation, float length, float acceleration)
{
    const dry_island_rating *rated = &island->rated;
    if (island->phase == DRY_ISLAND_FADES)
        return length * (rated->left / rated->fading);
    if (!(acceleration > 0.0f))
        return 0.0f;
    if (island->phase == DRY_ISLAND_RISES)
        return island->before == DRY_ISLAND_MOVES ? dry_max(-separation, 0.0f) : length;
    const float rest = -rated->compliance * acceleration;
    if (island->phase == DRY_ISLAND_SETTLES)
        return (island->before == DRY_ISLAND_RISES ? 0.0f : dry_max(separation, rest)) +
               rated->rest * acceleration;
    return length != 0.0f && separation < DRY_LOAD_BAND * rest ? rated->left * (separation - rest) : 0.0f;
}

void dry_contacts_lengthen(const dry_solver_step *step, dry_bundle_part part)
{
    const dry_bundle_array *array = &step->state->sweeps.bundles[DRY_KIND_CONTACT];
    for (int b = part.begin; b < part.end; b++) {
        dry_contact_bundle *c = (dry_contact_bundle *)array->bundle + b;
        for (uint32_t lanes = step->state->sweeps.headers[b].lengthens; lanes; lanes &= lanes - 1) {
            const int lane = dry_lowest_bit(lanes), contact = array->members[b].index[lane];
            const int row = c->row_a[lane] ? c->row_a[lane] : c->row_b[lane];
            dry_island *of = &step->islands->island[step->bodies->sleep[row - 1].island];
            const float gives = dry_sleeper_gives(step, contact);
            /* A spring that the user gave keeps the user's length. */
            const bool given = dry_contacts_have_spring(step->contacts, step->shapes, contact);
            for (int i = 0; i < 4; i++) {
                const float mass = given ? 0.0f : c->inverse_mass[i][lane];
                const float acceleration =
                    mass > 0.0f ? gives * dry_max(c->impulse[i][lane], 0.0f) / (part.h * mass) : 0.0f;
                float *length = &step->contacts->rest[contact].length[i];
                const float now = of->before != DRY_ISLAND_MOVES ? *length : 0.0f;
                const float separation = c->separation[i][lane] + now;
                *length = length_of(of, separation, now, acceleration);
                const float left = of->phase == DRY_ISLAND_RISES
                                       ? dry_left_to_rise(*length, of->rated.rest, of->bodies)
                                       : 0.0f;
                c->separation[i][lane] = separation - *length + left;
                if (left > 0.0f || (of->phase & (DRY_ISLAND_ENDS | DRY_ISLAND_FADES) && *length != 0.0f))
                    of->goes_on = true;
            }
        }
    }
}
