/* Box against box, many pairs at once: first the contacts of all pairs are chosen; then groups of pairs that
 * touch with a face, and groups that touch with two edges, find their points. Sorting by choice keeps the
 * lanes of a group on one path.
 *
 * Reads: box pairs. Writes: manifolds. Kernel files only. */
#ifndef NARROWPHASE_PAIRS_BOX_BOX_KERNEL_H
#define NARROWPHASE_PAIRS_BOX_BOX_KERNEL_H

#include "narrowphase/pairs/box_axes_kernel.h"
#include "narrowphase/pairs/box_edges_kernel.h"
#include "narrowphase/pairs/box_face_kernel.h"

/* Fills a group from a list. Lanes past the end repeat the last pair, and write the same as it does. */
LANE_INLINE void fill_group(const int *list, int at, int count, int group[DRY_LANES])
{
    for (int i = 0; i < DRY_LANES; i++)
        group[i] = list[at + i < count ? at + i : count - 1];
}

/* Finds the points of the listed pairs by their choices; lists those of them that must touch but have none.
 */
static int collide_listed(const dry_box_pair *pairs, const int *list, int count, const box_choices *choices,
                          dry_local_manifold *manifolds, int *missed)
{
    int faces[DRY_BOX_PAIRS_MAX], edges[DRY_BOX_PAIRS_MAX], group[DRY_LANES];
    int face_count = 0, edge_count = 0, missed_count = 0;
    for (int i = 0; i < count; i++) {
        faces[face_count] = edges[edge_count] = list[i];
        face_count += choices->kind[list[i]] == (float)CHOICE_FACE;
        edge_count += choices->kind[list[i]] == (float)CHOICE_EDGES;
    }
    for (int at = 0; at < face_count; at += DRY_LANES) {
        fill_group(faces, at, face_count, group);
        lane_face_contacts(pairs, group, choices, manifolds);
    }
    for (int at = 0; at < edge_count; at += DRY_LANES) {
        fill_group(edges, at, edge_count, group);
        lane_edge_contacts(pairs, group, choices, manifolds);
    }
    for (int i = 0; i < face_count; i++) {
        missed[missed_count] = faces[i];
        missed_count += manifolds[faces[i]].count == 0 && choices->must_touch[faces[i]] != 0.0f;
    }
    return missed_count;
}

static void collide_boxes(const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    box_choices choices;
    int all[DRY_BOX_PAIRS_MAX], missed[DRY_BOX_PAIRS_MAX], group[DRY_LANES];
    for (int i = 0; i < count; i++)
        all[i] = i;
    for (int at = 0; at < count; at += DRY_LANES) {
        fill_group(all, at, count, group);
        lane_choose_contacts(pairs, group, at, &choices);
    }
    for (int i = 0; i < count; i++) {
        manifolds[i].normal = (dry_vec3){0.0f, 1.0f, 0.0f};
        manifolds[i].count = 0;
        manifolds[i].separation_min = choices.separation_min[i];
    }
    int missed_count = collide_listed(pairs, all, count, &choices, manifolds, missed);
    if (missed_count == 0)
        return;
    for (int at = 0; at < missed_count; at += DRY_LANES) {
        fill_group(missed, at, missed_count, group);
        lane_choose_again(pairs, group, &choices);
    }
    collide_listed(pairs, missed, missed_count, &choices, manifolds, all);
}

#endif
