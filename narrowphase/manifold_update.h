/* Stage "contacts": manifolds kept or built anew. */
#ifndef NARROWPHASE_MANIFOLD_UPDATE_H
#define NARROWPHASE_MANIFOLD_UPDATE_H

#include "broadphase/broadphase.h"
#include "simd/processor.h"
#include "state/contacts.h"

/* Contacts look ahead of a fast pair by at most this distance, m, which is also the limit of fat bounds. */
#define DRY_CLOSING_MAX 1.0f

typedef struct dry_contact_settings {
    dry_level level;        /* whose kernels to run */
    float margin;           /* speculative margin, m */
    float recycle_distance; /* m */
    float dt;               /* s */
    bool looks_for_still;   /* contacts of still bodies are looked for, which are passed over */
    bool holds_levers;      /* lever arms are held within the next two */
    float lever_distance;   /* m */
    float lever_half_sine;  /* of half the angle */
} dry_contact_settings;

/* Updates the manifolds of the active contacts in active_words [begin, end) and sets CHANGED, LOST, RECYCLED.
 */
void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end);

#endif
