/* Contacts that wait for new anchors. Their shapes are prefetched meanwhile, and boxes collide in lanes.
 * Results do not depend on what else waits. */
#ifndef NARROWPHASE_BUILD_BINS_H
#define NARROWPHASE_BUILD_BINS_H

#include "narrowphase/contact_update.h"
#include "narrowphase/pairs/box_pair.h"

typedef struct dry_build_bins {
    const dry_contact_update *update;
    int boxes; /* the contacts before this one are pairs of boxes; those behind have not been looked at */
    int count;
    int32_t contact[DRY_BOX_PAIRS_MAX];
    float margin[DRY_BOX_PAIRS_MAX];
    dry_relative_pose relative[DRY_BOX_PAIRS_MAX];
    dry_box_pair box[DRY_BOX_PAIRS_MAX];
} dry_build_bins;

/* Builds contacts of full bins until there is room for another. */
void dry_bins_make_room(dry_build_bins *bins);

/* Adds a contact with the margin of its points, m. */
static inline void dry_bins_add(dry_build_bins *bins, int contact, float margin)
{
    const dry_contact_update *u = bins->update;
    const dry_manifold *m = &u->contacts->manifold[contact];
    DRY_PREFETCH(&u->shapes->form[m->shape_a]);
    DRY_PREFETCH(&u->shapes->form[m->shape_b]);
    bins->contact[bins->count] = contact;
    bins->margin[bins->count] = margin;
    bins->relative[bins->count++] = dry_contact_relative_pose(u, contact);
    if (bins->count == DRY_BOX_PAIRS_MAX)
        dry_bins_make_room(bins);
}

/* Builds the contacts that are left. */
void dry_bins_build(dry_build_bins *bins);

/* Gives a child of triangles the patch that was found for it in this step, or none. */
void dry_patch_update(const dry_contact_update *update, int contact);

/* Writes the flags of a contact, and the bits that tell the graph of changes. */
void dry_contact_set_flags(const dry_contact_update *update, int contact, unsigned flags);

#endif
