/* Contact bundles that stay when a world gets another state. */
#ifndef SOLVER_SWEEPS_CONTACTS_RELOAD_H
#define SOLVER_SWEEPS_CONTACTS_RELOAD_H

#include "core/scratch.h"
#include "state/contacts.h"

struct dry_solver_state;

/* Tells whether preparing a contact makes the same of two states, but for impulses and rest poses. */
bool dry_contact_is_prepared_alike(const dry_contacts *now, const dry_contacts *then, int contact);

/* Gives bundles that stay the impulses of the contacts of another state. Those with a contact of `anew`, a
 * set of the contacts that preparing makes otherwise there, and those that are no longer in scratch memory,
 * do not stay. */
void dry_contacts_reload(struct dry_solver_state *state, const dry_scratch *scratch, const dry_contacts *then,
                         const uint64_t *anew);

#endif
