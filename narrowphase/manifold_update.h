/* Stage "contacts": manifolds kept or built anew. */
#ifndef NARROWPHASE_MANIFOLD_UPDATE_H
#define NARROWPHASE_MANIFOLD_UPDATE_H

#include "broadphase/broadphase.h"
#include "narrowphase/contact_settings.h"
#include "state/contacts.h"

/* Updates the manifolds of the active contacts in active_words [begin, end) and sets CHANGED, LOST, RECYCLED.
 */
void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end);

#endif
