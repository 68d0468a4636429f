/* The search for the contacts that a parent should have. Next: families.c asks; piece_pairs.c and
 * patches/patch_search.c answer. */
#ifndef NARROWPHASE_FAMILY_SEARCH_H
#define NARROWPHASE_FAMILY_SEARCH_H

#include "jobs/jobs.h"
#include "narrowphase/contact_update.h"
#include "narrowphase/patches/patches.h"

/* A contact that a parent should have. */
typedef struct dry_wanted {
    uint32_t piece[2];
    int32_t child; /* that goes on; -1: a new one */
} dry_wanted;

/* A parent that is looked at, and its part of the lists of all. */
typedef struct dry_family_search {
    int32_t parent;
    bool has_triangles;     /* the first shape has triangles */
    bool has_pieces;        /* both shapes have convex pieces */
    bool renewed;           /* only because lever arms were held too long */
    bool is_done;           /* `wanted` has been written */
    float margin;           /* of points on triangles, m */
    float reach;            /* of convex pieces that become children, m */
    float clearance;        /* of a piece from triangles that it does not touch, m */
    int32_t count;          /* of contacts; a bound of it while the search is not done */
    int32_t patch_count;    /* of contacts with triangles, which come first */
    int32_t near_count;     /* the most triangles that are near one piece */
    dry_wanted *wanted;     /* the contacts */
    dry_patch *patches;     /* that of wanted[i], if the parent has triangles */
    int32_t first;          /* the number of patches[0] */
    int32_t room;           /* elements of `wanted` and of `patches`; 0: contacts are counted */
    int32_t first_triangle; /* of those in lists for searches with many */
} dry_family_search;

/* Room of a search in which most parents find all their contacts with triangles. */
enum { DRY_FEW_PATCHES = 8, DRY_FEW_TRIANGLES = 24 };

/* Marks the parents that are due among the active words [begin, end); `update` is a dry_contact_update. */
void dry_families_mark_due(void *update, dry_items items);

/* Tells whether the first shape of a parent has triangles. */
bool dry_family_has_triangles(const dry_contact_update *update, int parent);
/* Tells whether both shapes of a parent have convex pieces. */
bool dry_family_has_pieces(const dry_contact_update *update, int parent);
/* Returns by how much the surfaces of two bodies close in within the step, at most, m. */
float dry_family_closing(const dry_contact_update *update, const dry_contact_link *link);

static inline float dry_radius_about_body(const dry_piece *piece)
{
    return piece->radius + vec3_length(piece->pose.position);
}

/* Finds the pairs of convex pieces that are within reach, and their children. Adds them to s->count, and to
 * the list as far as it has room. */
void dry_search_pieces(const dry_contact_update *update, dry_family_search *s);

/* Finds the contacts with triangles, and the children that go on as these; writes `found` of all children.
 * Sets s->count and s->near_count. Without enough room for triangles or patches, the count is a bound above
 * the room. */
void dry_search_patches(const dry_contact_update *update, dry_family_search *s, const dry_patch_room *room);

/* Numbers of searches by which prefetches run ahead: first the parent, then its children one after another,
 * each of which names the next. */
enum { DRY_PARENTS_AHEAD = 4, DRY_CHILDREN_AHEAD = 3, DRY_FOUND_AHEAD = 3 };

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
