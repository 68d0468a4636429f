/* Stage "store": the impulses of contact bundles back to manifolds, for the next step's warm start and for
 * queries. Reads bundles [begin, end); writes manifolds. Next: step/finalize.c. */
#include "solver/sweeps/contacts/kind.h"

#include "solver/data/context.h"
#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/contacts/prepare.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bundles between prefetching and working. Manifolds lie at random in a large world, and store reads ten
 * scattered lines of a bundle: the processor foresees neither. */
enum { STORE_LOOK_AHEAD = 2 };

static DRY_ALWAYS_INLINE void prefetch_bundle(const dry_contacts *contacts, const dry_contact_bundle *c,
                                              const dry_bundle_members *members)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (members->index[lane] >= 0)
            DRY_PREFETCH_TO_WRITE(contacts->manifold[members->index[lane]].impulse);
    for (int i = 0; i < 3; i++)
        DRY_PREFETCH(c->normal[i]);
    for (int i = 0; i < 4; i++)
        DRY_PREFETCH(c->impulse[i]);
    DRY_PREFETCH(c->friction_impulse[0]);
    DRY_PREFETCH(c->friction_impulse[1]);
    DRY_PREFETCH(c->torsion_impulse);
}

/* Computes f1 t1 + f2 t2 in the world, with the tangents of contact_frame_of_normal. */
static void to_world(const dry_contact_bundle *c, dry_lanes along[2], dry_lanes world[3])
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        float x = c->normal[0][lane], y = c->normal[1][lane], z = c->normal[2][lane];
        float f1 = along[0][lane], f2 = along[1][lane];
        float sign = z < 0.0f ? -1.0f : 1.0f, r = 1.0f / (1.0f + fabsf(z)), g2 = sign * f2;
        world[0][lane] = f1 - x * r * (x * f1 + y * g2);
        world[1][lane] = g2 - y * r * (x * f1 + y * g2);
        world[2][lane] = -sign * (x * f1 + y * g2);
    }
}

/* Tells which lanes hold impulses that are numbers. A row that became infinite within the step leaves none in
 * the contacts of its neighbors. Those contacts begin anew. */
static uint32_t finite_lanes(const dry_contact_bundle *c, dry_lanes world[3])
{
    dry_lanes sum;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        sum[lane] = c->impulse[0][lane] + c->impulse[1][lane] + c->impulse[2][lane] + c->impulse[3][lane] +
                    fabsf(c->torsion_impulse[lane]);
    for (int i = 0; i < 3; i++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            sum[lane] += fabsf(world[i][lane]);
    uint32_t finite = 0;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        finite |= (uint32_t)(sum[lane] <= FLT_MAX) << lane;
    return finite;
}

/* Stores the angular impulses of the lanes that resist rolling. */
static void store_rolling(dry_contacts *contacts, const dry_contact_bundle *c, dry_contact_cold *cold,
                          const dry_bundle_members *members)
{
    dry_lanes rolling[3];
    to_world(c, cold->rolling_impulse, rolling);
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (members->index[lane] >= 0 && cold->rolling_limit[lane] > 0.0f) {
            const dry_vec3 moment = vec3(rolling[0][lane], rolling[1][lane], rolling[2][lane]);
            const bool finite = vec3_length_squared(moment) <= FLT_MAX;
            dry_manifold_set_rolling(&contacts->manifold[members->index[lane]],
                                     finite ? moment : vec3(0.0f, 0.0f, 0.0f), cold->rolling_limit[lane]);
        }
}

/* Stores the impulses of a bundle, of which `friction` are those along the tangents, in the world. Returns
 * whether all are numbers. */
static bool store_bundle(dry_contacts *contacts, const dry_contact_bundle *c, dry_lanes friction[3],
                         const dry_bundle_members *members, float h)
{
    const uint32_t finite = finite_lanes(c, friction);
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        int index = members->index[lane];
        if (index < 0)
            continue;
        DRY_ASSERT(contacts->link[index].flags & DRY_CONTACT_TOUCHING);
        dry_manifold *m = &contacts->manifold[index];
        if (!(finite & 1u << lane)) {
            memset(m->impulse, 0, sizeof m->impulse);
            m->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
            m->torsion_impulse = m->substep = 0.0f;
            continue;
        }
        for (int i = 0; i < 4; i++)
            m->impulse[i] = c->impulse[i][lane];
        m->friction_impulse = vec3(friction[0][lane], friction[1][lane], friction[2][lane]);
        m->torsion_impulse = c->torsion_impulse[lane];
        m->substep = h;
    }
    return finite == (1u << DRY_BUNDLE) - 1;
}

void dry_store_contacts(const dry_solver_step *step, dry_bundle_part part)
{
    const dry_bundle_array *array = &step->state->sweeps.bundles[DRY_KIND_CONTACT];
    dry_contact_bundle *bundles = array->bundle;
    for (int b = part.begin; b < part.end; b++) {
        if (b + STORE_LOOK_AHEAD < part.end)
            prefetch_bundle(step->contacts, &bundles[b + STORE_LOOK_AHEAD],
                            &array->members[b + STORE_LOOK_AHEAD]);
        dry_contact_header *header = &step->state->sweeps.headers[b];
        dry_contact_cold *cold = &step->state->sweeps.cold[header->cold];
        DRY_ASSERT(header->cold >= 0 && (header->cold == 0 || !header->stays));
        _Alignas(DRY_CACHE_LINE) dry_lanes friction[3];
        if (cold->flags & DRY_BUNDLE_STICTION)
            dry_stiction_store(step, &bundles[b], b, part.h);
        to_world(&bundles[b], bundles[b].friction_impulse, friction);
        header->stays &= store_bundle(step->contacts, &bundles[b], friction, &array->members[b], part.h);
        if (header->stays)
            dry_contact_kernels_at(step->state->sweeps.level)->contact_keep(&bundles[b], friction);
        if (cold->flags & DRY_BUNDLE_ROLLING)
            store_rolling(step->contacts, &bundles[b], cold, &array->members[b]);
    }
}
