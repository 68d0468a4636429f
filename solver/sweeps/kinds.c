/* The table of constraint kinds. */
#include "solver/sweeps/kinds.h"

#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/joints/joint_bundles.h"

const dry_constraint_kind *const dry_constraint_kinds[DRY_KIND_COUNT] = {
#define X(kind, KIND) [DRY_KIND_##KIND] = &dry_kind_##kind,
    DRY_JOINT_KINDS(X)
#undef X
        [DRY_KIND_CONTACT] = &dry_kind_contact,
};
