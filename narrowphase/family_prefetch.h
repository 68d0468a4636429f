/* Prefetches of the searches for the contacts of parents, one after another in the order of a list.
 *
 * Reads: searches that follow, and the lists of children. Writes nothing. Next: families.c, which calls. */
#ifndef NARROWPHASE_FAMILY_PREFETCH_H
#define NARROWPHASE_FAMILY_PREFETCH_H

#include "narrowphase/family_search.h"

/* Numbers of searches by which prefetches run ahead: first the parent, then its children one after another,
 * each of which names the next. */
enum { DRY_PARENTS_AHEAD = 4, DRY_CHILDREN_AHEAD = 3, DRY_FOUND_AHEAD = 3 };

/* Prefetches what a search reads of a child. */
DRY_PREFETCH void dry_prefetch_child(const dry_contacts *contacts, int child)
{
    __builtin_prefetch(&contacts->family[child], 1);
    __builtin_prefetch(&contacts->link[child]);
    __builtin_prefetch(&contacts->manifold[child].normal);
    __builtin_prefetch(contacts->manifold[child].points);
    __builtin_prefetch(contacts->manifold[child].feature);
    if (contacts->wide)
        __builtin_prefetch(contacts->wide[child].high);
}

/* Prefetches what the next searches read and write first. */
DRY_PREFETCH void dry_prefetch_searches(const dry_contacts *contacts, const dry_family_search *s, int left)
{
    if (DRY_PARENTS_AHEAD < left) {
        const int parent = s[DRY_PARENTS_AHEAD].parent;
        __builtin_prefetch(&contacts->family[parent]);
        __builtin_prefetch(&contacts->link[parent]);
        __builtin_prefetch(&contacts->manifold[parent].shape_a);
    }
    for (int ahead = DRY_CHILDREN_AHEAD; ahead > 0; ahead--) {
        int child = ahead < left ? contacts->family[s[ahead].parent].first : -1;
        for (int i = ahead; i < DRY_CHILDREN_AHEAD && child >= 0; i++)
            child = contacts->family[child].next;
        if (child >= 0)
            dry_prefetch_child(contacts, child);
    }
    for (int i = 0; 1 < left && s[1].has_triangles && i < DRY_FOUND_AHEAD; i++) {
        __builtin_prefetch(&s[1].patches[i], 1);
        __builtin_prefetch(&s[1].patches[i].found.points[2], 1);
    }
    if (1 < left)
        __builtin_prefetch(s[1].wanted, 1);
}

/* Prefetches what the end of a search reads and writes for a search that follows. */
DRY_PREFETCH void dry_prefetch_applied(const dry_contacts *contacts, const dry_family_search *s, int left)
{
    if (DRY_CHILDREN_AHEAD >= left)
        return;
    s += DRY_CHILDREN_AHEAD;
    __builtin_prefetch(contacts->manifold[s->parent].built_position, 1);
    for (int i = 0; i < s->count; i++) {
        const int child = s->wanted[i].child;
        if (child < 0)
            continue;
        __builtin_prefetch(&contacts->link[child], 1);
        __builtin_prefetch(&contacts->family[child], 1);
    }
}

#endif
