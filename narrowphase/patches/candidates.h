/* Points to choose from for the contact of a plane: a list in memory that all planes share. Next: patches.c.
 */
#ifndef NARROWPHASE_PATCHES_CANDIDATES_H
#define NARROWPHASE_PATCHES_CANDIDATES_H

#include "narrowphase/patches/patches.h"

/* Adds a candidate to a plane and counts it, unless one has its name or lies within `same` (m) of it. A place
 * is spare if all who add it say so. */
void dry_candidates_add(dry_patch_candidate *all, int *count, dry_patch_plane *plane,
                        const dry_patch_candidate *candidate, float same);

/* Leaves the best four candidates of a plane; `same` as for dry_patch_choose. Spare ones take only places
 * that others leave: they would take those of corners that are less deep, on which the piece then tips. */
void dry_candidates_reduce(dry_patch_candidate *all, dry_patch_plane *plane, float same);

#endif
