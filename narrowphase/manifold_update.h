/* Stage "contacts": manifolds kept or built anew. */
#ifndef NARROWPHASE_MANIFOLD_UPDATE_H
#define NARROWPHASE_MANIFOLD_UPDATE_H

#include "broadphase/broadphase.h"
#include "simd/processor.h"
#include "state/contacts.h"

/* Returns the height of a point above a half-space, m, in double: planes reach as far as the world does. */
double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point);

/* Contacts look ahead of a fast pair by at most this distance, m, which is also the limit of fat bounds. */
#define DRY_CLOSING_MAX 1.0f

typedef struct dry_contact_settings {
    dry_level level;        /* whose kernels to run */
    float margin;           /* speculative margin, m */
    float recycle_distance; /* m */
    float dt;               /* s */
} dry_contact_settings;

/* Updates the manifolds of the active contacts in active_words [begin, end) and sets CHANGED, LOST, RECYCLED.
 */
void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end);

#endif
