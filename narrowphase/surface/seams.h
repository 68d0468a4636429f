/* The rule of seams: an edge, a corner or a side of a box pushes nobody where the surface goes on. */
#ifndef NARROWPHASE_SURFACE_SEAMS_H
#define NARROWPHASE_SURFACE_SEAMS_H

#include "narrowphase/contact_settings.h"
#include "narrowphase/manifold_build.h"
#include "state/bodies.h"
#include "state/contacts.h"
#include "state/shapes.h"

/* Tells whether the points of a manifold that was just built may lie on a seam: they are near an edge of the
 * fixed box, or push another way than its face. `side`: of the pair that is fixed, 0 for a, 1 for b. `half`:
 * half extents of the fixed box, m. */
bool dry_seams_may_have(const dry_contact_pair *pair, const dry_manifold *manifold, int points, int side,
                        dry_vec3 half);

/* Takes points from contacts with fixed boxes where the surface goes on. Goes over the contacts of seam_bits
 * in active_words [begin, end); the dynamic body of each is looked at once, and only its contacts are
 * written. `dt`: of the step, s. The manifolds of all contacts must be up to date. */
void dry_seams_cut(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                   const dry_contact_settings *settings, int begin, int end);

/* Tells the graph what dry_seams_cut took: sets the bits of contacts in active_words [begin, end). */
void dry_seams_tell(dry_contacts *contacts, int begin, int end);

#endif
