/* Contact bundles that stay when a world gets another state. */
#ifndef SOLVER_SWEEPS_CONTACTS_RELOAD_H
#define SOLVER_SWEEPS_CONTACTS_RELOAD_H

#include "core/scratch.h"
#include "state/contacts.h"

struct dry_solver_state;

/* The state that a world has, and the other one that it gets, of the same graph. */
typedef struct dry_exchange {
    const dry_bodies *bodies, *other_bodies;
    const dry_contacts *contacts, *other_contacts;
} dry_exchange;

/* Gives bundles that stay the impulses of the other state. Those that preparing would make otherwise there,
 * or that are no longer in scratch memory, do not stay. */
void dry_contacts_exchange(struct dry_solver_state *state, const dry_scratch *scratch, const dry_exchange *e);

#endif
