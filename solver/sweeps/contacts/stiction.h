/* Which patches with static friction stick, slip and slide [Waterson 5.53]. Stages "prepare" and "store". */
#ifndef SOLVER_SWEEPS_CONTACTS_STICTION_H
#define SOLVER_SWEEPS_CONTACTS_STICTION_H

#include "solver/data/contacts/bundle.h"
#include "solver/data/contacts/source.h"

struct dry_solver_step;

/* Fills the static friction of a prepared bundle that has any. */
void dry_stiction_prepare(const struct dry_solver_step *step, const dry_contact_source *source,
                          const dry_contact_bundle *c, const dry_contact_speeds *speeds, int bundle);

/* Keeps how the patches of a bundle with static friction stand. Manifolds still have the impulses of the last
 * step. */
void dry_stiction_store(const struct dry_solver_step *step, const dry_contact_bundle *c, int bundle, float h);

#endif
