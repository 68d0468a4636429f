/* Contacts that wait for new anchors. Their shapes are prefetched meanwhile, and pairs of one kind collide in
 * lanes. Results do not depend on the bin, nor on what else is in it. */
#ifndef NARROWPHASE_BUILD_BINS_H
#define NARROWPHASE_BUILD_BINS_H

#include "narrowphase/contact_update.h"
#include "narrowphase/pairs/box_pair.h"
#include "narrowphase/relative_pose.h"

/* One bin for each kernel: of many boxes at once, of hulls. Other pairs collide one by one. */
typedef enum dry_bin { DRY_BIN_BOXES, DRY_BIN_HULLS, DRY_BIN_SINGLE, DRY_BIN_COUNT } dry_bin;

typedef struct dry_build_bin {
    int count;
    int32_t contact[DRY_BOX_PAIRS_MAX];
    float margin[DRY_BOX_PAIRS_MAX];
    dry_relative_pose relative[DRY_BOX_PAIRS_MAX];
} dry_build_bin;

typedef struct dry_build_bins {
    const dry_contact_update *update;
    dry_build_bin bin[DRY_BIN_COUNT];
} dry_build_bins;

/* Puts a contact into the bin of its shapes, and builds the contacts of a full bin. The margin is that of its
 * points, m. */
void dry_bins_add(dry_build_bins *bins, int contact, float margin, const dry_relative_pose *relative);
/* Builds the contacts that are left. */
void dry_bins_build(dry_build_bins *bins);

/* Gives a child of triangles the patch that was found for it in this step, or none. */
void dry_patch_update(const dry_contact_update *update, int contact);

/* Writes the flags of a contact, and the bits that tell the graph of changes. */
void dry_contact_set_flags(const dry_contact_update *update, int contact, unsigned flags);

#endif
