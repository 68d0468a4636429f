/* Stage "contacts", first part: the children of pairs of shapes that are made of pieces.
 *
 * Parents are looked at in parallel. Contacts with triangles are found at once if they are few. Parents of
 * convex pieces, and those with many contacts, are counted first, and looked at again when there is room.
 * Contacts are added serially.
 *
 * Reads: poses, shapes, the parents. Writes: parents and their lists of children. Next: families_due.c,
 * piece_pairs.c and patches/patch_search.c; then manifold_update.c. */
#include "core/quat_pack.h"
#include "narrowphase/family_search.h"
#include "narrowphase/piece.h"

/* Pieces this much farther apart than points may be become children, too, m: bodies move by that much before
 * their pieces are looked at again. Pieces under 1 cm have few neighbors within it, larger ones as well. */
#define SLACK 0.05f

enum { GRAIN = 8 };

static int count_due(const dry_contacts *contacts)
{
    int count = 0;
    for (int i = 0; i < contacts->active_word_count; i++)
        count += dry_count_bits(contacts->built_bits[contacts->active_words[i]]);
    return count;
}

/* The searches of a step, and their room. */
typedef struct search_lists {
    dry_contact_update *update;
    dry_family_search *searches;
    /* Room of searches that find too much at first. */
    dry_near_triangle *triangles;
    dry_patch_plane *planes;
    dry_patch_candidate *candidates;
} search_lists;

/* Lists the parents that are due. Returns the number of those with triangles. */
static int list_due(const dry_contact_update *u, dry_family_search *searches)
{
    const dry_contacts *contacts = u->contacts;
    int count = 0, with_triangles = 0;
    for (int i = 0; i < contacts->active_word_count; i++) {
        const int word = contacts->active_words[i];
        for (uint64_t bits = contacts->built_bits[word]; bits; bits &= bits - 1) {
            dry_family_search *s = &searches[count++];
            *s = (dry_family_search){.parent = 64 * word + dry_lowest_bit(bits)};
            s->has_triangles = dry_family_has_triangles(u, s->parent);
            s->has_pieces = dry_family_has_pieces(u, s->parent);
            with_triangles += s->has_triangles;
        }
    }
    return with_triangles;
}

/* Looks for the contacts of a parent. The search is done if there was room for all of them. */
static void look(const dry_contact_update *u, dry_family_search *s, const dry_patch_room *room)
{
    s->count = s->near_count = 0;
    if (s->has_triangles)
        dry_search_patches(u, s, room);
    s->patch_count = s->count;
    if (s->has_pieces)
        dry_search_pieces(u, s);
    s->is_done = s->count <= s->room;
}

/* Counts the contacts of parents of convex pieces. Finds those of parents with triangles, if they are few. */
static void look_first(void *context, dry_items items)
{
    const search_lists *of = context;
    dry_contact_update *u = of->update;
    dry_near_triangle triangles[DRY_FEW_TRIANGLES];
    dry_patch_plane planes[DRY_PLANES_PER_TRIANGLE * DRY_FEW_TRIANGLES + 1];
    dry_patch_candidate candidates[DRY_CANDIDATES_PER_TRIANGLE * DRY_FEW_TRIANGLES];
    const dry_patch_room room = {triangles, DRY_FEW_TRIANGLES, planes, candidates};
    for (int i = items.begin; i < items.end; i++) {
        dry_family_search *s = &of->searches[i];
        dry_prefetch_searches(u->contacts, s, items.end - i);
        s->renewed = s->has_triangles && u->contacts->link[s->parent].flags & DRY_CONTACT_RENEWED;
        s->margin = (float)u->contacts->manifold[s->parent].height;
        s->reach = u->settings->margin + dry_family_closing(u, &u->contacts->link[s->parent]) + SLACK;
        look(u, s, &room);
    }
}

/* Finds the contacts of parents that have not found all yet. */
static void look_again(void *context, dry_items items)
{
    const search_lists *of = context;
    for (int i = items.begin; i < items.end; i++) {
        dry_family_search *s = &of->searches[i];
        if (s->is_done)
            continue;
        if (!s->has_triangles) {
            look(of->update, s, NULL);
            continue;
        }
        const int first = s->first_triangle;
        const dry_patch_room room = {of->triangles + first, s->near_count,
                                     of->planes + DRY_PLANES_PER_TRIANGLE * first,
                                     of->candidates + DRY_CANDIDATES_PER_TRIANGLE * first};
        look(of->update, s, &room);
    }
}

/* Makes a child of triangles what its parent has found for it. */
static void apply_patch(const dry_contact_update *u, const dry_family_search *s, int i, int child)
{
    dry_contacts *contacts = u->contacts;
    DRY_ASSERT(s->wanted[i].child < 0 || contacts->family[child].found == s->first + i);
    contacts->family[child].found = s->first + i;
    contacts->family[child].material = s->patches[i].material;
    if (s->wanted[i].child < 0 && s->patches[i].material > 0)
        dry_contacts_mix(contacts, u->shapes, child);
    contacts->link[child].flags |= DRY_CONTACT_PATCH;
    contacts->link[child].flags |= s->renewed ? DRY_CONTACT_RENEWED : 0;
}

/* Makes a parent's list what its search has found. Room for new contacts must be reserved. */
static void apply_children(const dry_contact_update *u, const dry_family_search *s, dry_bodies *bodies)
{
    dry_contacts *contacts = u->contacts;
    for (int c = contacts->family[s->parent].first; c >= 0; c = contacts->family[c].next)
        contacts->link[c].flags |= DRY_CONTACT_UNWANTED;
    for (int i = 0; i < s->count; i++) {
        const dry_wanted *wanted = &s->wanted[i];
        int child = wanted->child;
        if (child < 0)
            child = dry_contacts_add_child(contacts, bodies, u->shapes, s->parent);
        DRY_ASSERT(dry_contact_is_child(&contacts->link[child]) && contacts->link[child].parent == s->parent);
        contacts->family[child].piece[0] = wanted->piece[0];
        contacts->family[child].piece[1] = wanted->piece[1];
        if (i < s->patch_count)
            apply_patch(u, s, i, child);
        contacts->link[child].flags &= (uint16_t)~DRY_CONTACT_UNWANTED;
    }
}

/* Remembers at which pose a parent was looked at. */
static void apply_pose(const dry_contact_update *u, const dry_family_search *s)
{
    dry_manifold *m = &u->contacts->manifold[s->parent];
    const dry_relative_pose relative = dry_contact_relative_pose(u, s->parent);
    for (int k = 0; k < 3; k++)
        m->built_position[k] = double3_get(relative.position, k);
    m->built_orientation = relative.orientation;
    m->height = (double)(s->has_pieces ? s->reach : s->margin);
    if (!s->has_triangles)
        return;
    const dry_piece b = dry_piece_of(u->shapes, m->shape_b);
    m->radius_b = dry_radius_pack(dry_radius_about_body(&b));
    dry_contact_link *link = &u->contacts->link[s->parent];
    link->flags &= (uint16_t)~DRY_CONTACT_ROUND;
    for (int i = 0; i < s->patch_count; i++)
        link->flags |= s->patches[i].found.rolls ? DRY_CONTACT_ROUND : 0;
    if (s->patch_count > 0 && u->settings->holds_levers)
        dry_quat_pack(dry_body_pose_of(u->bodies, link->body_a)->orientation, m->built);
    else
        dry_manifold_set_clearance(m, s->patch_count > 0 ? 0.0f : s->clearance);
}

static void apply(const dry_contact_update *u, const dry_family_search *s, dry_bodies *bodies)
{
    dry_contacts *contacts = u->contacts;
    apply_children(u, s, bodies);
    apply_pose(u, s);
    const dry_manifold *m = &contacts->manifold[s->parent];
    dry_contact_link *link = &contacts->link[s->parent];
    link->flags &= (uint16_t) ~(DRY_CONTACT_VOID | DRY_CONTACT_LOST | DRY_CONTACT_RENEWED);
    if (contacts->family[s->parent].first < 0 &&
        !dry_broadphase_overlaps(u->broadphase, u->shapes->form[m->shape_a].proxy,
                                 u->shapes->form[m->shape_b].proxy))
        link->flags |= DRY_CONTACT_LOST;
}

/* Takes the lists of the searches, and of the few patches that they look for at first. Returns false if
 * memory fails. */
static bool take_first(search_lists *of, int due, dry_memory *memory, dry_scratch *scratch)
{
    dry_contact_update *u = of->update;
    if (!dry_scratch_reserve(scratch, memory, dry_scratch_bytes((size_t)due, sizeof(dry_family_search))))
        return false;
    of->searches = DRY_SCRATCH_TAKE(scratch, dry_family_search, due);
    const int few = DRY_FEW_PATCHES * list_due(u, of->searches);
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes((size_t)few, sizeof(dry_wanted)) +
                                 dry_scratch_bytes((size_t)few, sizeof(dry_patch))))
        return false;
    dry_wanted *wanted = DRY_SCRATCH_TAKE(scratch, dry_wanted, few);
    u->patches = (dry_patch_lists){.few = DRY_SCRATCH_TAKE(scratch, dry_patch, few), .few_count = few};
    int first = 0;
    for (int i = 0; i < due; i++) {
        dry_family_search *s = &of->searches[i];
        if (!s->has_triangles)
            continue;
        s->first = first;
        s->room = DRY_FEW_PATCHES;
        s->wanted = wanted + first;
        s->patches = u->patches.few + first;
        first += DRY_FEW_PATCHES;
    }
    return true;
}

/* Takes the lists of searches that are not done. Returns false if memory fails. */
static bool take_second(search_lists *of, int due, dry_memory *memory, dry_scratch *scratch)
{
    dry_contact_update *u = of->update;
    int64_t wanted = 0, triangles = 0, patches = 0;
    for (int i = 0; i < due; i++) {
        dry_family_search *s = &of->searches[i];
        if (s->is_done)
            continue;
        wanted += s->count;
        s->room = s->count;
        if (!s->has_triangles)
            continue;
        s->first_triangle = (int32_t)triangles;
        s->first = u->patches.few_count + (int32_t)patches;
        /* One more, since a search takes one more patch. */
        triangles += s->near_count + 1;
        patches += s->count;
        if (triangles + patches + u->patches.few_count > INT32_MAX / DRY_CANDIDATES_PER_TRIANGLE)
            return false;
    }
    const size_t planes = (size_t)(DRY_PLANES_PER_TRIANGLE * triangles),
                 candidates = (size_t)(DRY_CANDIDATES_PER_TRIANGLE * triangles);
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes((size_t)wanted + 1, sizeof(dry_wanted)) +
                                 dry_scratch_bytes((size_t)patches, sizeof(dry_patch)) +
                                 dry_scratch_bytes((size_t)triangles, sizeof(dry_near_triangle)) +
                                 dry_scratch_bytes(planes, sizeof(dry_patch_plane)) +
                                 dry_scratch_bytes(candidates, sizeof(dry_patch_candidate))))
        return false;
    /* One more, since null is no place to count from. */
    dry_wanted *next = DRY_SCRATCH_TAKE(scratch, dry_wanted, wanted + 1);
    u->patches.many = DRY_SCRATCH_TAKE(scratch, dry_patch, patches);
    of->triangles = DRY_SCRATCH_TAKE(scratch, dry_near_triangle, triangles);
    of->planes = DRY_SCRATCH_TAKE(scratch, dry_patch_plane, planes);
    of->candidates = DRY_SCRATCH_TAKE(scratch, dry_patch_candidate, candidates);
    for (int i = 0; i < due; i++) {
        dry_family_search *s = &of->searches[i];
        if (s->is_done)
            continue;
        s->wanted = next;
        s->patches = s->has_triangles ? dry_patch_at(&u->patches, s->first) : NULL;
        next += s->count;
    }
    return true;
}

/* Looks at the pieces of `due` parents, and makes their children. */
static bool update_due(dry_contact_update *u, int due, dry_bodies *bodies, dry_memory *memory,
                       dry_scratch *scratch, dry_jobs *jobs)
{
    search_lists of = {.update = u};
    if (!take_first(&of, due, memory, scratch))
        return false;
    dry_jobs_for(jobs, due, GRAIN, look_first, &of);
    if (!take_second(&of, due, memory, scratch))
        return false;
    dry_jobs_for(jobs, due, GRAIN, look_again, &of);
    int more = 0;
    for (int i = 0; i < due; i++)
        for (int k = 0; k < of.searches[i].count; k++)
            more += of.searches[i].wanted[k].child < 0;
    if (!dry_contacts_reserve(u->contacts, memory, more))
        return false;
    for (int i = 0; i < due; i++) {
        dry_prefetch_applied(u->contacts, &of.searches[i], due - i);
        apply(u, &of.searches[i], bodies);
    }
    return true;
}

bool dry_families_update(dry_contact_update *update, dry_bodies *bodies, dry_memory *memory,
                         dry_scratch *scratch, dry_jobs *jobs)
{
    dry_contacts *contacts = update->contacts;
    dry_contacts_list_active(contacts);
    dry_jobs_for(jobs, contacts->active_word_count, 1, dry_families_mark_due, update);
    const int due = count_due(contacts);
    return due == 0 || update_due(update, due, bodies, memory, scratch, jobs);
}
