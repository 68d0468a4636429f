/* The rule of seams: an edge, a corner or a side of a box pushes nobody where the surface goes on. */
#ifndef NARROWPHASE_SURFACE_SEAMS_H
#define NARROWPHASE_SURFACE_SEAMS_H

#include "narrowphase/contact_settings.h"
#include "state/bodies.h"
#include "state/contacts.h"
#include "state/shapes.h"

/* Tells whether the points of a contact of a DRY_CONTACT_FIXED pair, just built, may lie on a seam: they are
 * near an edge of the fixed box, or push another way than its face. */
bool dry_seams_may_have(const dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                        int contact);

/* Takes points from contacts with fixed boxes where the surface goes on. Goes over the contacts of seam_bits
 * in active_words [begin, end); the dynamic body of each is looked at once, and only its contacts are
 * written. `dt`: of the step, s. The manifolds of all contacts must be up to date. */
void dry_seams_cut(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                   const dry_contact_settings *settings, int begin, int end);

/* Tells the graph what dry_seams_cut took: sets the bits of contacts in active_words [begin, end). */
void dry_seams_tell(dry_contacts *contacts, int begin, int end);

#endif
