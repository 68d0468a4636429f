/* Pairs of a save: shapes whose fat boxes overlap have a contact, if they may touch and neither waits for the
 * next search. A save that lacks a contact would let bodies pass through each other. */
#include "snapshot/restore_parts.h"
#include "world/bounds.h"
#include "world/constraint_graph.h"
#include "world/world.h"

#include <string.h>

/* Tells whether a pair has a contact that stays. */
static bool has_contact(const dry_contacts *contacts, dry_pair pair)
{
    const int contact = dry_pair_map_find(&contacts->pairs, pair);
    return contact >= 0 && !(contacts->link[contact].flags & DRY_CONTACT_LOST);
}

static int drop_known(const void *context, dry_pair *pairs, int count)
{
    return dry_pair_map_drop_known(&((const dry_contacts *)context)->pairs, pairs, count);
}

/* Does so where some contacts are lost. */
static int drop_kept(const void *context, dry_pair *pairs, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!has_contact(context, pairs[i]))
            pairs[kept++] = pairs[i];
    return kept;
}

/* Tells whether the next search looks at a shape. */
static bool is_moved(const dry_tables *t, uint32_t shape)
{
    return t->proxies.flags[t->shapes.form[shape].proxy] & DRY_PROXY_MOVED;
}

/* Searches all pairs that have no contact. */
static bool search(dry_restoration *r, dry_broadphase *broadphase, dry_jobs *jobs)
{
    const dry_tables *t = r->tables;
    const dry_pair *pairs;
    int count;
    dry_broadphase_restore(broadphase, &t->proxies);
    for (int proxy = 0; proxy < t->proxies.used; proxy++)
        if (t->proxies.flags[proxy] & DRY_PROXY_USED)
            dry_broadphase_mark_moved(broadphase, proxy);
    bool lost_some = false;
    for (int contact = -1; (contact = dry_contacts_next(&t->contacts, contact)) >= 0;)
        lost_some = lost_some || (t->contacts.link[contact].flags & DRY_CONTACT_LOST);
    dry_pairs_drop_known *drop = lost_some ? drop_kept : drop_known;
    if (!dry_broadphase_find_pairs(broadphase, jobs, drop, &t->contacts, &pairs, &count))
        return dry_restore_lacks_memory(r);
    for (int i = 0; i < count; i++) {
        const uint32_t a = pairs[i].first, b = pairs[i].second;
        const bool lost = dry_pair_map_find(&t->contacts.pairs, pairs[i]) >= 0;
        if ((lost || (!is_moved(t, a) && !is_moved(t, b))) && !has_contact(&t->contacts, pairs[i]) &&
            dry_shapes_may_touch(&t->bodies, &t->shapes, &t->joints, (int)a, (int)b))
            return dry_restore_fail(r, DRY_COLUMN_PROXY_BOX, NULL, t->shapes.form[a].proxy,
                                    "a pair that may touch has no contact");
    }
    return true;
}

bool dry_restore_pairs(dry_restoration *r, dry_jobs *jobs)
{
    dry_memory memory;
    dry_scratch scratch = {.block = NULL};
    if (r->tables->world.pairs_left_out)
        return true;
    dry_memory_init(&memory, r->memory->allocator);
    /* Half-spaces ask a world for its bodies and shapes, and for nothing else. */
    dry_world *shell = dry_memory_allocate(&memory, sizeof *shell, DRY_CACHE_LINE);
    dry_broadphase *broadphase =
        shell ? dry_broadphase_create(&memory, &scratch, dry_halfspace_reaches, shell) : NULL;
    bool ok = broadphase && dry_broadphase_reserve(broadphase, r->tables->proxies.used);
    if (ok) {
        memset(shell, 0, sizeof *shell);
        shell->bodies = r->tables->bodies;
        shell->shapes = r->tables->shapes;
        ok = search(r, broadphase, jobs);
    } else {
        dry_restore_lacks_memory(r);
    }
    dry_memory_release_all(&memory);
    return ok;
}
