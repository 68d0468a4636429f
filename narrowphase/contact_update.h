/* The update of contacts: its data, and whether a contact keeps its anchors. */
#ifndef NARROWPHASE_CONTACT_UPDATE_H
#define NARROWPHASE_CONTACT_UPDATE_H

#include "broadphase/broadphase.h"
#include "narrowphase/contact_settings.h"
#include "narrowphase/manifold_motion.h"
#include "narrowphase/patches/patches.h"
#include "state/contacts.h"

/* The data of an update. */
typedef struct dry_contact_update {
    dry_contacts *contacts;
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_broadphase *broadphase;
    const dry_contact_settings *settings;
    dry_patch_lists patches; /* that children of triangles have found in this step */
} dry_contact_update;

typedef enum dry_keeping {
    DRY_ANCHORS_KEPT,
    DRY_ANCHORS_RENEWED, /* made anew only because the lever arms have been held too long */
    DRY_ANCHORS_MADE
} dry_keeping;

/* Decides whether a contact keeps its anchors, or goes on without points if it does not touch. Sets *closing,
 * by how much the shapes may approach in the step, m, unless it keeps points; `turning` is the part of it
 * that the caller knows of rotations. */
dry_keeping dry_contact_keeping(const dry_contact_update *update, int contact, bool touching,
                                const dry_manifold_motion *moved, int lane, float turning, float *closing);

/* Flags that an update writes anew. */
#define DRY_CONTACT_OF_UPDATE                                                                                \
    (DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_RECYCLED | DRY_CONTACT_VOID |                      \
     DRY_CONTACT_RENEWED | DRY_CONTACT_MEETS)

#endif
