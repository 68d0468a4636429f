/* Stage "contacts": keeps a contact's anchors while its bodies barely move relative to each other, builds
 * them anew otherwise.
 *
 * Reads: poses, shapes, the old manifold. Writes: the manifold and the contact's flags. Next: step/graph.c.
 */
#include "narrowphase/build_bins.h"
#include "narrowphase/manifold_motion.h"

/* Keeps a contact as it is, or puts it into a bin. */
static void update_contact(const dry_contact_update *u, dry_build_bins *bins, int contact,
                           const dry_manifold_motion *moved, int lane)
{
    dry_contact_link *link = &u->contacts->link[contact];
    unsigned flags = link->flags & ~(unsigned)DRY_CONTACT_OF_UPDATE;
    DRY_ASSERT((link->flags & DRY_CONTACT_USED) && !(link->flags & DRY_CONTACT_PATCH));
    float closing;
    const dry_keeping keeping =
        dry_contact_keeping(u, contact, link->points > 0, moved, lane, 0.0f, &closing);
    if (keeping == DRY_ANCHORS_KEPT) {
        /* LOST stays from a step that failed for lack of memory. */
        flags |= link->points == 0 ? link->flags & DRY_CONTACT_LOST : 0u;
        dry_contact_set_flags(u, contact, flags | DRY_CONTACT_RECYCLED);
        return;
    }
    link->flags = (uint16_t)(flags | (keeping == DRY_ANCHORS_RENEWED ? DRY_CONTACT_RENEWED : 0u));
    dry_bins_add(bins, contact, dry_contact_margin(u->settings, closing));
}

/* Prefetches what the update of a contact reads of its bodies, once its link is in the cache. A contact that
 * was built anew in the last step probably is again. */
static DRY_ALWAYS_INLINE void prefetch_bodies(const dry_contacts *contacts, const dry_bodies *bodies,
                                              const dry_shapes *shapes, int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    DRY_PREFETCH(&bodies->pose[row_a]);
    DRY_PREFETCH(&bodies->pose[row_b]);
    bool was_built = !(link->flags & DRY_CONTACT_RECYCLED);
    if (link->points == 0 || was_built) {
        DRY_PREFETCH(&bodies->velocity[row_a]);
        DRY_PREFETCH(&bodies->velocity[row_b]);
    }
    if (was_built) {
        DRY_PREFETCH(&shapes->form[m->shape_a]);
        DRY_PREFETCH(&shapes->form[m->shape_b]);
        DRY_PREFETCH(m->points);
        DRY_PREFETCH(m->impulse);
    }
}

/* Tells whether a contact would be kept as it is, or be made as it was: in the last step that was done, and
 * no body of it has moved since. Where it is made, and where it has no points, speeds count, too. */
static bool stays(const dry_contact_update *u, int contact)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const unsigned flags = link->flags & (DRY_CONTACT_OF_UPDATE | DRY_CONTACT_ROUND);
    if (link->points > 0 && flags == DRY_CONTACT_RECYCLED)
        return dry_contact_is_still(u, contact, 0);
    return flags == (link->points > 0 ? DRY_CONTACT_ROUND : DRY_CONTACT_RECYCLED) &&
           dry_contact_is_still(u, contact, link->points > 0 ? 2 : 1);
}

/* Numbers of contacts by which prefetches run ahead: narrowphase/DECISIONS.md has the measurements. */
enum { CONTACTS_AHEAD = 24, BODIES_AHEAD = 16, PATCHES_AHEAD = 8, FOUND_AHEAD = 4, WORDS_AT_ONCE = 32 };

/* Updates the first contacts of a list, at most DRY_MOTIONS of them, and prefetches for those behind them. */
static void update_block(const dry_contact_update *u, dry_build_bins *bins, const int32_t *list, int left)
{
    const int count = dry_min_int(left, DRY_MOTIONS);
    dry_motion_source source;
    dry_manifold_motion moved;
    for (int i = 0; i < DRY_MOTIONS; i++) {
        if (i + CONTACTS_AHEAD < left)
            dry_contact_prefetch(u->contacts, list[i + CONTACTS_AHEAD]);
        if (i + BODIES_AHEAD < left)
            prefetch_bodies(u->contacts, u->bodies, u->shapes, list[i + BODIES_AHEAD]);
        const int contact = list[dry_min_int(i, count - 1)];
        const dry_contact_link *link = &u->contacts->link[contact];
        source.manifold[i] = &u->contacts->manifold[contact];
        source.a[i] = &u->bodies->pose[dry_bodies_row(u->bodies, link->body_a)];
        source.b[i] = &u->bodies->pose[dry_bodies_row(u->bodies, link->body_b)];
    }
    dry_pair_kernels_at(u->settings->level)->manifold_motions(&source, count, &moved);
    for (int i = 0; i < count; i++)
        update_contact(u, bins, list[i], &moved, i);
}

/* Returns the contact of the lowest bit of a word, and clears that. */
static inline int next_of(int word, uint64_t *bits)
{
    const int contact = 64 * word + dry_lowest_bit(*bits);
    *bits &= *bits - 1;
    return contact;
}

DRY_NOINLINE static void prefetch_patch(const dry_contacts *contacts, int contact)
{
    const dry_manifold *m = &contacts->manifold[contact];
    DRY_PREFETCH_TO_WRITE(&contacts->family[contact].found);
    DRY_PREFETCH_TO_WRITE(&contacts->link[contact]);
    DRY_PREFETCH_TO_WRITE(m->built_position);
    DRY_PREFETCH_TO_WRITE(m->points);
    DRY_PREFETCH_TO_WRITE(m->impulse);
}

/* Prefetches what the parent of a patch has found for it. */
static DRY_ALWAYS_INLINE void prefetch_found(const dry_contact_update *u, int contact)
{
    if (u->contacts->family[contact].found < 0)
        return;
    const dry_local_manifold *found = &dry_patch_at(&u->patches, u->contacts->family[contact].found)->found;
    DRY_PREFETCH(found);
    DRY_PREFETCH(&found->points[1]);
    DRY_PREFETCH(&found->points[3]);
}

/* Puts the contacts of a word on the list of those to update. Children of triangles have been looked at by
 * their parents. */
static int list_word(const dry_contact_update *u, int word, int32_t *list)
{
    dry_contacts *contacts = u->contacts;
    int count = 0;
    const uint64_t parents = contacts->active_bits[word] & contacts->parent_bits[word];
    for (uint64_t bits = parents; bits; bits &= bits - 1)
        if (contacts->link[64 * word + dry_lowest_bit(bits)].flags & DRY_CONTACT_LOST)
            contacts->lost_bits[word] |= bits & -bits;
    uint64_t ahead = contacts->family ? contacts->active_bits[word] & ~parents : 0, found = ahead;
    for (int i = 0; i < PATCHES_AHEAD && ahead; i++)
        prefetch_patch(contacts, next_of(word, &ahead));
    for (int i = 0; i < FOUND_AHEAD && found; i++)
        prefetch_found(u, next_of(word, &found));
    for (uint64_t bits = contacts->active_bits[word] & ~parents; bits;) {
        const int contact = next_of(word, &bits);
        if (ahead)
            prefetch_patch(contacts, next_of(word, &ahead));
        if (found)
            prefetch_found(u, next_of(word, &found));
        if (contacts->family && contacts->link[contact].flags & DRY_CONTACT_PATCH)
            dry_patch_update(u, contact);
        else if (!u->settings->looks_for_still || !stays(u, contact))
            list[count++] = contact;
    }
    return count;
}

void dry_contacts_update(const dry_contact_update *u, int begin, int end)
{
    dry_contacts *contacts = u->contacts;
    dry_build_bins bins;
    bins.update = u;
    bins.boxes = bins.count = 0;
    int32_t list[64 * WORDS_AT_ONCE];
    for (int first = begin; first < end; first += WORDS_AT_ONCE) {
        int count = 0;
        for (int i = first; i < end && i < first + WORDS_AT_ONCE; i++) {
            int word = contacts->active_words[i];
            contacts->starting_bits[word] = contacts->ending_bits[word] = contacts->lost_bits[word] = 0;
            contacts->built_bits[word] = 0;
            count += list_word(u, word, list + count);
        }
        for (int i = 0; i < count; i += DRY_MOTIONS)
            update_block(u, &bins, list + i, count - i);
    }
    dry_bins_build(&bins);
}
