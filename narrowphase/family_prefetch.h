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
static DRY_ALWAYS_INLINE void dry_prefetch_child(const dry_contacts *contacts, int child)
{
    DRY_PREFETCH_TO_WRITE(&contacts->family[child]);
    DRY_PREFETCH(&contacts->link[child]);
    DRY_PREFETCH(&contacts->manifold[child].normal);
    DRY_PREFETCH(contacts->manifold[child].points);
    DRY_PREFETCH(contacts->manifold[child].feature);
    if (contacts->wide)
        DRY_PREFETCH(contacts->wide[child].high);
}

/* Prefetches what the next searches read and write first. */
static DRY_ALWAYS_INLINE void dry_prefetch_searches(const dry_contacts *contacts, const dry_family_search *s,
                                                    int left)
{
    if (DRY_PARENTS_AHEAD < left) {
        const int parent = s[DRY_PARENTS_AHEAD].parent;
        DRY_PREFETCH(&contacts->family[parent]);
        DRY_PREFETCH(&contacts->link[parent]);
        DRY_PREFETCH(&contacts->manifold[parent].shape_a);
    }
    for (int ahead = DRY_CHILDREN_AHEAD; ahead > 0; ahead--) {
        int child = ahead < left ? contacts->family[s[ahead].parent].first : -1;
        for (int i = ahead; i < DRY_CHILDREN_AHEAD && child >= 0; i++)
            child = contacts->family[child].next;
        if (child >= 0)
            dry_prefetch_child(contacts, child);
    }
    for (int i = 0; 1 < left && s[1].has_triangles && i < DRY_FOUND_AHEAD; i++) {
        DRY_PREFETCH_TO_WRITE(&s[1].patches[i]);
        DRY_PREFETCH_TO_WRITE(&s[1].patches[i].found.points[2]);
    }
    if (1 < left)
        DRY_PREFETCH_TO_WRITE(s[1].wanted);
}

/* Prefetches what the end of a search reads and writes for a search that follows. */
static DRY_ALWAYS_INLINE void dry_prefetch_applied(const dry_contacts *contacts, const dry_family_search *s,
                                                   int left)
{
    if (DRY_CHILDREN_AHEAD >= left)
        return;
    s += DRY_CHILDREN_AHEAD;
    DRY_PREFETCH_TO_WRITE(contacts->manifold[s->parent].built_position);
    for (int i = 0; i < s->count; i++) {
        const int child = s->wanted[i].child;
        if (child < 0)
            continue;
        DRY_PREFETCH_TO_WRITE(&contacts->link[child]);
        DRY_PREFETCH_TO_WRITE(&contacts->family[child]);
    }
}

#endif
