/* Contact bundles that stay when a world gets another state: those whose contacts have the same anchors there
 * take the impulses of that state, and the others are prepared anew by the next step. Reads manifolds. Writes
 * bundles and their headers. Next: solver/stages/prepare.c. */
#include "solver/sweeps/contacts/prepare.h"

#include "solver/data/context.h"
#include "solver/sweeps/contacts/kernel_list.h"

enum { RELOAD_AHEAD = 2 };

/* Takes the impulses of the other state, as preparing does with steps of the same length. */
static void load_impulses(const dry_solver_state *s, const dry_contacts *contacts, dry_contact_bundle *c,
                          const int32_t *members)
{
    _Alignas(DRY_CACHE_LINE) dry_lanes friction[3] = {{0}};
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        if (members[lane] < 0)
            continue;
        const dry_manifold *m = &contacts->manifold[members[lane]];
        for (int i = 0; i < 4; i++)
            c->impulse[i][lane] = m->impulse[i];
        friction[0][lane] = m->friction_impulse.x;
        friction[1][lane] = m->friction_impulse.y;
        friction[2][lane] = m->friction_impulse.z;
        c->torsion_impulse[lane] = m->torsion_impulse;
    }
    dry_contact_kernels_at(s->sweeps.level)->contact_keep(c, friction);
}

static DRY_ALWAYS_INLINE void prefetch_impulses(const dry_contacts *contacts, const int32_t *members)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (members[lane] >= 0)
            DRY_PREFETCH(contacts->manifold[members[lane]].impulse);
}

void dry_contacts_reload(dry_solver_state *s, const dry_scratch *scratch, const dry_contacts *then,
                         const uint64_t *anew)
{
    const dry_bundle_array *array = &s->sweeps.bundles[DRY_KIND_CONTACT];
    dry_contact_bundle *bundles = array->bundle;
    for (int b = 0; b < array->count && bundles; b++) {
        dry_contact_header *header = &s->sweeps.headers[b];
        const int32_t *members = array->members[b].index;
        if (b + RELOAD_AHEAD < array->count)
            prefetch_impulses(then, array->members[b + RELOAD_AHEAD].index);
        header->stays = header->stays && dry_scratch_keeps(scratch, &bundles[b], sizeof *bundles) &&
                        !dry_members_have(members, header->lanes, anew);
        if (header->stays)
            load_impulses(s, then, &bundles[b], members);
    }
}
