/* The table of constraint kinds. */
#include "solver/sweeps/kinds.h"

#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/joints/joint_bundles.h"

/* A kind that no library has added: it has no bundles, as no joint of it is taken. */
static const dry_constraint_kind missing;

/* Written as the library of methods is loaded. */
const dry_constraint_kind *dry_constraint_kinds[DRY_KIND_COUNT] = {
#define X(kind, KIND) [DRY_KIND_##KIND] = &dry_kind_##kind,
    DRY_BOOK_JOINT_KINDS(X)
#undef X
        [DRY_KIND_QUAD] = &missing,
    [DRY_KIND_CONTACT] = &dry_kind_contact,
};

void dry_kind_add(const dry_constraint_kind *kind)
{
    const dry_constraint_kind **entry = &dry_constraint_kinds[kind->index];
    DRY_ASSERT(*entry == &missing || *entry == kind);
    *entry = kind;
}
