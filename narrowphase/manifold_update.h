/* Stage "contacts": manifolds updated or rebuilt. */
#ifndef NARROWPHASE_MANIFOLD_UPDATE_H
#define NARROWPHASE_MANIFOLD_UPDATE_H

#include "broadphase/broadphase.h"
#include "simd/processor.h"
#include "state/contacts.h"

/* How near a half-space a shape's sphere comes before they get a contact, m; at twice that they lose it. */
#define DRY_HALFSPACE_MARGIN 0.1f

/* Height of a point above a half-space, in double: planes reach as far as the world does. */
double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point);

/* How far ahead of a fast body contacts are made at the most, m: as far as fat bounds look ahead. */
#define DRY_CLOSING_MAX 1.0f

typedef struct dry_contact_settings {
    dry_level level;        /* whose kernels to run */
    float margin;           /* speculative margin, m */
    float recycle_distance; /* m */
    float dt;               /* s */
} dry_contact_settings;

/* Stage "contacts", for the active contacts of active_words [begin, end): updates or rebuilds the manifolds
 * and sets CHANGED, LOST, RECYCLED. */
void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end);

#endif
