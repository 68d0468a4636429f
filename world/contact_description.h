/* Contacts in the words of the API, for events and for calls that read contacts. */
#ifndef WORLD_CONTACT_DESCRIPTION_H
#define WORLD_CONTACT_DESCRIPTION_H

#include <drystone/event.h>

/* Returns the ids and the user data of a contact's shapes and bodies. */
dry_contact_event dry_contact_event_of(const dry_world *world, int contact);
/* Returns a contact's points at its bodies' present poses, with the impulses of the last substep. */
dry_contact dry_contact_describe(const dry_world *world, int contact);

#endif
