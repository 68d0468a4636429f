/* Box against box, many pairs at once: the kernel. First the separating axes of all; then, in groups of their
 * own, those pairs that touch with a face and those that touch with two edges. Included by kernels.c alone.
 *
 * Reads: box pairs. Writes: manifolds; count -1 where dry_collide_boxes has to look again. */
#ifndef NARROWPHASE_PAIRS_BOXES_KERNEL_H
#define NARROWPHASE_PAIRS_BOXES_KERNEL_H

#include "narrowphase/pairs/box_axes_kernel.h"
#include "narrowphase/pairs/box_face_kernel.h"

/* Lanes past the end repeat the last pair: they write what it writes. */
LANE_INLINE void last_repeated(const int *indices, int at, int count, int group[DRY_LANES])
{
    for (int i = 0; i < DRY_LANES; i++)
        group[i] = indices[at + i < count ? at + i : count - 1];
}

static void collide_boxes(const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    box_findings found;
    int faces[DRY_BOX_PAIRS_MAX], edges[DRY_BOX_PAIRS_MAX], all[DRY_BOX_PAIRS_MAX], group[DRY_LANES];
    int face_count = 0, edge_count = 0;
    for (int i = 0; i < count; i++)
        all[i] = i;
    for (int at = 0; at < count; at += DRY_LANES) {
        last_repeated(all, at, count, group);
        lane_separating_axes(pairs, group, at, &found);
    }
    for (int i = 0; i < count; i++) {
        manifolds[i].normal = (dry_vec3){0.0f, 1.0f, 0.0f};
        manifolds[i].count = 0;
        manifolds[i].separation_min = found.separation_min[i];
        faces[face_count] = edges[edge_count] = i;
        face_count += found.kind[i] == (float)FOUND_FACE;
        edge_count += found.kind[i] == (float)FOUND_EDGES;
    }
    for (int at = 0; at < face_count; at += DRY_LANES) {
        last_repeated(faces, at, face_count, group);
        lane_face_contacts(pairs, group, &found, manifolds);
    }
    for (int at = 0; at < edge_count; at += DRY_LANES) {
        last_repeated(edges, at, edge_count, group);
        lane_edge_contacts(pairs, group, &found, manifolds);
    }
}

#endif
