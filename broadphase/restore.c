/* Proxies of another state: all of them with new trees, or those that differ, whose leaves follow.
 *
 * Reads: proxies of a state. Writes: fat boxes, flags, trees. Next: refresh.c. */
#include "broadphase/broadphase.h"
#include "broadphase/internal.h"

#include <string.h>

/* Builds all that follows from the proxies anew. */
static void rebuild(dry_broadphase *broadphase)
{
    dry_proxies *proxies = &broadphase->proxies;
    dry_proxy_flags_lower(broadphase->moved_blocks, broadphase->moved_block_capacity);
    dry_proxy_flags_lower(broadphase->stale_blocks, broadphase->stale_block_capacity);
    dry_proxy_flag_lower(&broadphase->any_moved);
    dry_proxy_flag_lower(&broadphase->any_stale);
    broadphase->first_unbounded = -1;
    broadphase->unbounded_count = 0;
    dry_trees_clear(&broadphase->trees);
    dry_broadphase_begin_batch(broadphase);
    for (int proxy = 0; proxy < proxies->used; proxy++) {
        proxies->flags[proxy] &= DRY_PROXY_STATE;
        const unsigned flags = proxies->flags[proxy];
        if (!(flags & DRY_PROXY_USED))
            continue;
        if (flags & DRY_PROXY_UNBOUNDED)
            dry_unbounded_link(broadphase, proxy);
        else
            dry_batch_add(broadphase, proxy);
        if (flags & DRY_PROXY_MOVED)
            dry_flag_moved(broadphase, proxy);
    }
    dry_broadphase_end_batch(broadphase);
}

bool dry_broadphase_has_numbers(const dry_broadphase *broadphase, const dry_proxies *numbers)
{
    const dry_proxies *proxies = &broadphase->proxies;
    return memcmp(&proxies->origin, &numbers->origin, sizeof proxies->origin) == 0 &&
           proxies->used == numbers->used && proxies->count == numbers->count &&
           proxies->free_proxy == numbers->free_proxy;
}

bool dry_broadphase_is_alike(const dry_broadphase *broadphase, int proxy, const dry_proxies *state)
{
    const unsigned differs = broadphase->proxies.flags[proxy] ^ state->flags[proxy];
    return (differs & DRY_PROXY_STATE & ~DRY_PROXY_MOVED) == 0;
}

void dry_broadphase_put(dry_broadphase *broadphase, int proxy, const dry_proxies *state)
{
    dry_proxies *proxies = &broadphase->proxies;
    dry_proxy_flags *flags = &proxies->flags[proxy];
    *flags = (dry_proxy_flags)((*flags & ~DRY_PROXY_MOVED) | (state->flags[proxy] & DRY_PROXY_MOVED));
    if (*flags & DRY_PROXY_MOVED)
        dry_flag_moved(broadphase, proxy);
    if (memcmp(&proxies->box[proxy], &state->box[proxy], sizeof *proxies->box) == 0)
        return;
    proxies->box[proxy] = state->box[proxy];
    if ((*flags & DRY_PROXY_USED) && !(*flags & DRY_PROXY_UNBOUNDED)) {
        *flags |= DRY_PROXY_STALE;
        dry_flag_stale(broadphase, proxy);
    }
}

void dry_broadphase_find_moved(dry_broadphase *broadphase)
{
    const int blocks = dry_broadphase_blocks(broadphase);
    dry_proxy_flag *flags = broadphase->moved_blocks;
    dry_proxy_flag_lower(&broadphase->any_moved);
    for (int block = -1; (block = dry_proxy_flag_next(flags, block + 1, blocks)) < blocks;) {
        const int begin = block * DRY_PROXY_BLOCK,
                  end = dry_min_int(begin + DRY_PROXY_BLOCK, broadphase->proxies.used);
        dry_proxy_flag_lower(&flags[block]);
        for (int proxy = begin; proxy < end; proxy++)
            if (broadphase->proxies.flags[proxy] & DRY_PROXY_MOVED)
                dry_flag_moved(broadphase, proxy);
    }
}

void dry_broadphase_restore(dry_broadphase *broadphase, const dry_proxies *proxies)
{
    broadphase->proxies.origin = proxies->origin;
    broadphase->proxies.used = proxies->used;
    broadphase->proxies.count = proxies->count;
    broadphase->proxies.free_proxy = proxies->free_proxy;
    for (int proxy = 0; proxy < proxies->used; proxy++) {
        broadphase->proxies.box[proxy] = proxies->box[proxy];
        broadphase->proxies.user[proxy] = proxies->user[proxy];
        broadphase->proxies.flags[proxy] = proxies->flags[proxy];
    }
    rebuild(broadphase);
}
