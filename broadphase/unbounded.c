/* Proxies without bounds: half-spaces today.
 *
 * Reads: fat boxes, flags. Writes: the list of proxies without bounds. */
#include "broadphase/internal.h"

void dry_unbounded_link(dry_broadphase *broadphase, int proxy)
{
    broadphase->trees.places[proxy] = broadphase->first_unbounded;
    broadphase->first_unbounded = proxy;
    broadphase->unbounded_count++;
}

void dry_unbounded_unlink(dry_broadphase *broadphase, int proxy)
{
    int32_t *link = &broadphase->first_unbounded;
    while (*link != proxy)
        link = &broadphase->trees.places[*link];
    *link = broadphase->trees.places[proxy];
    broadphase->unbounded_count--;
}

bool dry_unbounded_overlaps(const dry_broadphase *broadphase, int unbounded, int proxy)
{
    const dry_box *box = &broadphase->proxies.box[proxy];
    dry_position o = broadphase->proxies.origin;
    const dry_bounds bounds = {
        {o.x + (double)box->min[0], o.y + (double)box->min[1], o.z + (double)box->min[2]},
        {o.x + (double)box->max[0], o.y + (double)box->max[1], o.z + (double)box->max[2]}};
    return broadphase->reaches(broadphase->reaches_context, broadphase->proxies.user[unbounded], &bounds);
}

int64_t dry_unbounded_pairs_max(const dry_broadphase *broadphase, int moved)
{
    int64_t pairs = 0;
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u))
        pairs += broadphase->proxies.flags[u] & DRY_PROXY_MOVED ? (int64_t)broadphase->proxies.count : moved;
    return pairs;
}

/* Writes the pair of two proxies if there is one; returns the number of pairs. */
static int pair_with(const dry_broadphase *broadphase, int unbounded, int proxy, dry_pair *pair)
{
    const unsigned char wanted = DRY_PROXY_USED | DRY_PROXY_MOVABLE;
    if ((broadphase->proxies.flags[proxy] & wanted) != wanted ||
        !dry_unbounded_overlaps(broadphase, unbounded, proxy))
        return 0;
    uint32_t a = broadphase->proxies.user[unbounded], b = broadphase->proxies.user[proxy];
    *pair = (dry_pair){a < b ? a : b, a < b ? b : a};
    return 1;
}

int dry_unbounded_find_pairs(const dry_broadphase *broadphase, int moved, dry_pair *pairs)
{
    int count = 0;
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u)) {
        bool all = (broadphase->proxies.flags[u] & DRY_PROXY_MOVED) != 0;
        int candidates = all ? broadphase->proxies.used : moved;
        for (int i = 0; i < candidates; i++)
            count += pair_with(broadphase, u, all ? i : broadphase->moved[i], &pairs[count]);
    }
    return count;
}

bool dry_broadphase_has_unbounded(const dry_broadphase *broadphase)
{
    return broadphase->unbounded_count > 0;
}

int64_t dry_broadphase_next_unbounded(const dry_broadphase *broadphase, const dry_bounds *bounds,
                                      int64_t after)
{
    int64_t next = -1;
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u)) {
        const int64_t user = broadphase->proxies.user[u];
        if (user > after && (next < 0 || user < next) &&
            broadphase->reaches(broadphase->reaches_context, (uint32_t)user, bounds))
            next = user;
    }
    return next;
}

void dry_broadphase_query_unbounded(const dry_broadphase *broadphase, int unbounded,
                                    void (*visit)(void *context, uint32_t user), void *context)
{
    for (int proxy = 0; proxy < broadphase->proxies.used; proxy++) {
        dry_pair pair;
        if (pair_with(broadphase, unbounded, proxy, &pair))
            visit(context, broadphase->proxies.user[proxy]);
    }
}
