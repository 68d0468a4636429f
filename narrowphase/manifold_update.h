/* Stage "contacts": manifolds kept or built anew. */
#ifndef NARROWPHASE_MANIFOLD_UPDATE_H
#define NARROWPHASE_MANIFOLD_UPDATE_H

#include "narrowphase/contact_update.h"

/* Updates the manifolds of the active contacts in active_words [begin, end) and sets CHANGED, LOST, RECYCLED.
 */
void dry_contacts_update(const dry_contact_update *update, int begin, int end);

#endif
