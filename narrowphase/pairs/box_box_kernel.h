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

/* Pairs sorted by their choices. */
typedef struct box_lists {
    int faces[DRY_BOX_PAIRS_MAX], edges[DRY_BOX_PAIRS_MAX];
    int face_count, edge_count;
} box_lists;

LANE_INLINE void add_to_lists(box_lists *lists, const box_choices *choices, int pair)
{
    lists->faces[lists->face_count] = lists->edges[lists->edge_count] = pair;
    lists->face_count += choices->kind[pair] == (float)CHOICE_FACE;
    lists->edge_count += choices->kind[pair] == (float)CHOICE_EDGES;
}

/* Finds the points of all pairs in the lists. */
static void collide_listed(const dry_box_pair *pairs, const box_lists *lists, const box_choices *choices,
                           dry_local_manifold *manifolds)
{
    int group[DRY_LANES];
    for (int at = 0; at < lists->face_count; at += DRY_LANES) {
        fill_group(lists->faces, at, lists->face_count, group);
        lane_face_contacts(pairs, group, choices, manifolds);
    }
    for (int at = 0; at < lists->edge_count; at += DRY_LANES) {
        fill_group(lists->edges, at, lists->edge_count, group);
        lane_edge_contacts(pairs, group, choices, manifolds);
    }
}

/* Chooses again for the pairs that must touch but found no point over their face, and finds their points. */
static void collide_missed(const dry_box_pair *pairs, const box_lists *lists, box_choices *choices,
                           dry_local_manifold *manifolds)
{
    box_lists again;
    int missed[DRY_BOX_PAIRS_MAX], group[DRY_LANES], count = 0;
    again.face_count = again.edge_count = 0;
    for (int i = 0; i < lists->face_count; i++) {
        int pair = lists->faces[i];
        missed[count] = pair;
        count += manifolds[pair].count == 0 && choices->must_touch[pair] != 0.0f;
    }
    for (int at = 0; at < count; at += DRY_LANES) {
        fill_group(missed, at, count, group);
        lane_choose_again(pairs, group, choices);
    }
    for (int i = 0; i < count; i++)
        add_to_lists(&again, choices, missed[i]);
    if (count > 0)
        collide_listed(pairs, &again, choices, manifolds);
}

static void collide_boxes(const dry_box_pair *pairs, int count, dry_local_manifold *manifolds)
{
    box_choices choices;
    box_lists lists;
    int all[DRY_BOX_PAIRS_MAX], group[DRY_LANES];
    for (int i = 0; i < count; i++)
        all[i] = i;
    for (int at = 0; at < count; at += DRY_LANES) {
        fill_group(all, at, count, group);
        lane_choose_contacts(pairs, group, at, &choices);
    }
    lists.face_count = lists.edge_count = 0;
    for (int i = 0; i < count; i++) {
        manifolds[i].normal = (dry_vec3){0.0f, 1.0f, 0.0f};
        manifolds[i].count = 0;
        manifolds[i].rolls = false;
        manifolds[i].separation_min = choices.separation_min[i];
        add_to_lists(&lists, &choices, i);
    }
    collide_listed(pairs, &lists, &choices, manifolds);
    collide_missed(pairs, &lists, &choices, manifolds);
}

#endif
