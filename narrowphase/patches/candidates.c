/* Lists of points to choose from.
 *
 * Reads and writes: candidates. Next: narrowphase/pairs/patch.c. */
#include "narrowphase/patches/patches.h"

/* Points of a plane that are kept; when there are as many, the best four replace them. */
enum { CANDIDATES_MAX = 32 };

/* Adds the candidates of a plane that are spare, or those that are not, to a list. Returns its length. */
static int gather(const dry_patch_candidate *all, const dry_patch_plane *plane, bool are_spare,
                  dry_patch_point points[CANDIDATES_MAX], int count)
{
    for (int i = plane->first; i >= 0; i = all[i].next)
        if (all[i].is_spare == are_spare)
            points[count++] = all[i].point;
    return count;
}

void dry_candidates_reduce(dry_patch_candidate *all, dry_patch_plane *plane, float same)
{
    dry_patch_point points[CANDIDATES_MAX];
    const int needed = gather(all, plane, false, points, 0);
    if (needed >= 4)
        plane->count = dry_patch_choose(points, needed, 0, same);
    else
        plane->count = dry_patch_choose(points, gather(all, plane, true, points, needed), needed, same);
    DRY_ASSERT(plane->count > 0 && plane->count <= 4);
    int at = plane->first;
    for (int i = 0; i < plane->count; i++) {
        dry_patch_candidate *c = &all[at];
        c->point = points[i];
        c->is_spare = i >= needed;
        if (i + 1 < plane->count)
            at = c->next;
        else
            c->next = -1;
    }
}

void dry_candidates_add(dry_patch_candidate *all, int *count, dry_patch_plane *plane,
                        const dry_patch_candidate *candidate, float same)
{
    const dry_patch_point *point = &candidate->point;
    for (int i = plane->first; i >= 0; i = all[i].next) {
        dry_patch_candidate *c = &all[i];
        const float dx = c->point.x - point->x, dy = c->point.y - point->y;
        if (c->point.feature == point->feature || dx * dx + dy * dy <= same * same) {
            c->is_spare &= candidate->is_spare;
            return;
        }
    }
    if (plane->count == CANDIDATES_MAX)
        dry_candidates_reduce(all, plane, same);
    all[*count] = (dry_patch_candidate){*point, candidate->is_spare, plane->first};
    plane->first = (*count)++;
    plane->count++;
}
