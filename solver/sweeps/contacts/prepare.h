/* Stage "prepare": contact bundles from manifolds. */
#ifndef SOLVER_SWEEPS_CONTACTS_PREPARE_H
#define SOLVER_SWEEPS_CONTACTS_PREPARE_H

#include "core/scratch.h"
#include "solver/data/constraint.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/contacts/source.h"
#include "state/contacts.h"

struct dry_tier_range;

/* Finds the pieces of a bundle, and its rows, for substeps of length h. `source` is the previous bundle's, or
 * zero. Returns how many lanes are in use. (source.c) */
int dry_contact_find_source(const struct dry_solver_step *step, const dry_prepare *prepare, int bundle,
                            float h, dry_contact_source *source, dry_contact_bundle *c);

/* Returns what all bundles of a step are prepared with. (source.c) */
dry_prepare dry_contact_prepare_of(const struct dry_solver_step *step);

/* Tells whether some contact may turn with its bodies in this step. Chooses a lane's lever arms. (arms.c) */
bool dry_some_contacts_turn(const struct dry_solver_step *step);
void dry_contact_fill_arms(const dry_contact_filling *f, int lane);

/* Prepares bundles. Marks those that need a block and have none (DRY_BLOCK_WANTED). */
void dry_prepare_contacts(const struct dry_solver_step *step, dry_bundle_part part);
/* Prepares the bundles again that have got a cold block since, and begins the blocks of impacts. */
void dry_prepare_marked_contacts(const struct dry_solver_step *step, dry_bundle_part part);
/* Gives contacts of islands that settle the lengths at which they bear the impulses of their bundles, and
 * takes their lengths from those whose rest has ended. (rest.c) */
void dry_contacts_lengthen(const struct dry_solver_step *step, dry_bundle_part part);
/* Gives prepared bundles the frames that rows are in now (solver/bodies/frames.h). */
void dry_turn_contacts(const struct dry_solver_step *step, dry_bundle_part part);

/* Fills the static friction of a prepared bundle that has any. (stiction.c) */
void dry_stiction_prepare(const struct dry_solver_step *step, const dry_contact_source *source,
                          const dry_contact_bundle *c, const dry_contact_speeds *speeds, int bundle);
/* Keeps how the patches of a bundle with static friction stand. Manifolds still have the impulses of the last
 * step. */
void dry_stiction_store(const struct dry_solver_step *step, const dry_contact_bundle *c, int bundle, float h);

/* Tells whether a contact of a bundle is in a set. */
static inline bool dry_members_have(const int32_t *members, int lanes, const uint64_t *set)
{
    uint64_t any = 0;
    for (int lane = 0; lane < lanes; lane++)
        any |= members[lane] >= 0 ? set[members[lane] / 64] >> members[lane] % 64 : 0;
    return any & 1;
}

/* Gives bundles that stay the impulses of the contacts of another state. Those with a contact of `anew`, a
 * set of the contacts that preparing makes otherwise there, and those that are no longer in scratch memory,
 * do not stay. */
void dry_contacts_reload(struct dry_solver_state *state, const dry_scratch *scratch, const dry_contacts *then,
                         const uint64_t *anew);

#endif
