/* Stage "contacts", first part: the children of pairs of shapes that are made of pieces.
 *
 * A parent of convex pieces remembers the relative pose at which its pieces were last looked at, and how far
 * apart pieces were that became children. Until the bodies have used up that distance, no other pieces can
 * touch. A parent of triangles keeps its children's anchors as a contact keeps its own; when they are to be
 * made anew, it finds them all at once.
 *
 * Parents are looked at in parallel. Contacts with triangles are found at once if they are few. Parents of
 * convex pieces, and those with many contacts, are counted first, and looked at again when there is room.
 * Contacts are added serially.
 *
 * Reads: poses, shapes, the parents. Writes: parents and their lists of children. Next: piece_pairs.c and
 * patches/patch_search.c; then manifold_update.c. */
#include "narrowphase/families.h"

#include "core/quat_pack.h"
#include "narrowphase/family_prefetch.h"
#include "narrowphase/piece.h"

/* Pieces this much farther apart than points may be become children, too, m: bodies move by that much before
 * their pieces are looked at again. Pieces under 1 cm have few neighbors within it, larger ones as well. */
#define SLACK 0.05f

enum { GRAIN = 8 };

/* Returns by how much the surfaces of two bodies close in within the step, at most, m. */
static float closing_of(const dry_contact_update *u, const dry_contact_link *link)
{
    const dry_vec3 va = u->bodies->velocity[dry_bodies_row(u->bodies, link->body_a)].linear;
    const dry_vec3 vb = u->bodies->velocity[dry_bodies_row(u->bodies, link->body_b)].linear;
    return dry_min((vec3_length(va) + vec3_length(vb)) * u->settings->dt, DRY_CLOSING_MAX);
}

static float radius_about_body(const dry_piece *piece)
{
    return piece->radius + vec3_length(piece->pose.position);
}

/* Returns how far any point of one shape has moved in the frame of the other, at most, since the pieces of a
 * parent were looked at, m. Seen from either body the bound holds; the smaller one is taken. */
static float moved_by(const dry_contact_update *u, int parent, const dry_relative_pose *now)
{
    const dry_manifold *m = &u->contacts->manifold[parent];
    const dry_piece a = dry_piece_of(u->shapes, m->shape_a), b = dry_piece_of(u->shapes, m->shape_b);
    const dry_vec3 then_b =
        vec3((float)m->built_position[0], (float)m->built_position[1], (float)m->built_position[2]);
    const dry_vec3 now_b = vec3((float)now->position[0], (float)now->position[1], (float)now->position[2]);
    const dry_vec3 then_a = quat_rotate_inverse(m->built_orientation, then_b);
    const dry_vec3 now_a = quat_rotate_inverse(now->orientation, now_b);
    const dry_quat turn = quat_mul(quat_conjugate(m->built_orientation), now->orientation);
    const float chord = 2.0f * vec3_length(vec3(turn.x, turn.y, turn.z));
    /* A half-space has no radius. */
    const float by_b = vec3_distance(now_b, then_b) + chord * radius_about_body(&b);
    const float by_a = vec3_distance(now_a, then_a) + chord * radius_about_body(&a);
    return a.geometry.type == DRY_SHAPE_HALFSPACE ? by_b : dry_min(by_a, by_b);
}

/* Tells whether pieces that are no children may touch. */
static bool pieces_are_due(const dry_contact_update *u, int parent)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    const dry_manifold *m = &u->contacts->manifold[parent];
    if (link->flags & DRY_CONTACT_VOID)
        return true;
    if (dry_bodies_is_still(u->bodies, link->body_a) && dry_bodies_is_still(u->bodies, link->body_b))
        return false;
    const dry_relative_pose now = dry_contact_relative_pose(u, parent);
    return moved_by(u, parent, &now) + closing_of(u, link) + u->settings->margin > (float)m->height;
}

static bool has_triangles(const dry_contact_update *u, int parent)
{
    return dry_type_has_triangles(u->shapes->form[u->contacts->manifold[parent].shape_a].geometry.type);
}

/* Returns by how much a body's rotation brings its shape nearer to a surface in the step, at most, m. */
static float turning_of(const dry_contact_update *u, int parent)
{
    const dry_manifold *m = &u->contacts->manifold[parent];
    const dry_piece b = dry_piece_of(u->shapes, m->shape_b);
    const dry_vec3 spin =
        u->bodies->velocity[dry_bodies_row(u->bodies, u->contacts->link[parent].body_b)].angular;
    const float round = dry_type_is_round(b.geometry.type) ? b.geometry.size.x : 0.0f;
    return u->settings->dt * vec3_length(spin) * (radius_about_body(&b) - round);
}

/* Tells whether a parent's children of triangles go on as they are, since its bodies are still. */
static bool is_still(const dry_contact_update *u, int parent)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    return !(link->flags & (DRY_CONTACT_VOID | DRY_CONTACT_ROUND)) &&
           dry_bodies_is_still(u->bodies, link->body_a) && dry_bodies_is_still(u->bodies, link->body_b);
}

/* Decides whether a parent keeps its children of triangles. Otherwise it is due, with a margin for points. */
static bool patches_are_due(const dry_contact_update *u, int parent, const dry_manifold_motion *moved,
                            int lane)
{
    float closing = 0.0f;
    dry_contact_link *link = &u->contacts->link[parent];
    const bool touching = u->contacts->family[parent].first >= 0;
    const dry_keeping keeping =
        dry_contact_keeping(u, parent, touching, moved, lane, turning_of(u, parent), &closing);
    if (keeping == DRY_ANCHORS_KEPT)
        return false;
    u->contacts->manifold[parent].height = (double)dry_contact_margin(u->settings, closing);
    link->flags &= (uint16_t)~DRY_CONTACT_RENEWED;
    link->flags |= keeping == DRY_ANCHORS_RENEWED ? DRY_CONTACT_RENEWED : 0;
    return true;
}

/* Returns the bits of the first parents of triangles of a list that are due, at most DRY_MOTIONS of them. */
static uint64_t due_of(const dry_contact_update *u, const int32_t *list, int left)
{
    const int count = dry_min_int(left, DRY_MOTIONS);
    dry_motion_source source;
    dry_manifold_motion moved;
    for (int i = 0; i < DRY_MOTIONS; i++) {
        const int parent = list[dry_min_int(i, count - 1)];
        const dry_contact_link *link = &u->contacts->link[parent];
        source.manifold[i] = &u->contacts->manifold[parent];
        source.a[i] = dry_body_pose_of(u->bodies, link->body_a);
        source.b[i] = dry_body_pose_of(u->bodies, link->body_b);
    }
    dry_motion_kernels_at(u->settings->level)->manifold_motions(&source, count, &moved);
    uint64_t due = 0;
    for (int i = 0; i < count; i++)
        due |= (uint64_t)patches_are_due(u, list[i], &moved, i) << list[i] % 64;
    return due;
}

/* Marks the parents that are due among the active words [begin, end). */
static void mark_due(void *context, dry_items items)
{
    const dry_contact_update *u = context;
    dry_contacts *contacts = u->contacts;
    for (int i = items.begin; i < items.end; i++) {
        const int word = contacts->active_words[i];
        uint64_t due = 0;
        int32_t list[64];
        int count = 0;
        for (uint64_t bits = contacts->active_bits[word] & contacts->parent_bits[word]; bits;
             bits &= bits - 1) {
            const int parent = 64 * word + __builtin_ctzll(bits);
            if (!has_triangles(u, parent))
                due |= pieces_are_due(u, parent) ? bits & -bits : 0;
            else if (!is_still(u, parent))
                list[count++] = parent;
        }
        for (int k = 0; k < count; k += DRY_MOTIONS)
            due |= due_of(u, list + k, count - k);
        contacts->built_bits[word] = due;
    }
}

static int count_due(const dry_contacts *contacts)
{
    int count = 0;
    for (int i = 0; i < contacts->active_word_count; i++)
        count += __builtin_popcountll(contacts->built_bits[contacts->active_words[i]]);
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
            *s = (dry_family_search){.parent = 64 * word + __builtin_ctzll(bits)};
            s->has_triangles = has_triangles(u, s->parent);
            with_triangles += s->has_triangles;
        }
    }
    return with_triangles;
}

/* Counts the contacts of parents of convex pieces. Finds those of parents of triangles, if they are few. */
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
        if (s->has_triangles) {
            s->renewed = u->contacts->link[s->parent].flags & DRY_CONTACT_RENEWED;
            s->reach = (float)u->contacts->manifold[s->parent].height;
            dry_search_patches(u, s, &room);
        } else {
            s->reach = u->settings->margin + closing_of(u, &u->contacts->link[s->parent]) + SLACK;
            dry_search_pieces(u, s);
        }
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
            dry_search_pieces(of->update, s);
            continue;
        }
        const int first = s->first_triangle;
        const dry_patch_room room = {of->triangles + first, s->near_count,
                                     of->planes + DRY_PLANES_PER_TRIANGLE * first,
                                     of->candidates + DRY_CANDIDATES_PER_TRIANGLE * first};
        dry_search_patches(of->update, s, &room);
    }
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
        contacts->family[child].piece[0] = wanted->piece[0];
        contacts->family[child].piece[1] = wanted->piece[1];
        if (s->has_triangles) {
            contacts->family[child].found = s->first + i;
            contacts->family[child].material = s->patches[i].material;
            if (wanted->child < 0 && s->patches[i].material > 0)
                dry_contacts_mix(contacts, u->shapes, child);
            contacts->link[child].flags |= s->renewed ? DRY_CONTACT_RENEWED : 0;
        }
        contacts->link[child].flags &= (uint16_t)~DRY_CONTACT_UNWANTED;
    }
}

/* Remembers at which pose a parent was looked at. */
static void apply_pose(const dry_contact_update *u, const dry_family_search *s)
{
    dry_manifold *m = &u->contacts->manifold[s->parent];
    const dry_relative_pose relative = dry_contact_relative_pose(u, s->parent);
    for (int k = 0; k < 3; k++)
        m->built_position[k] = relative.position[k];
    m->built_orientation = relative.orientation;
    m->height = (double)s->reach;
    if (!s->has_triangles)
        return;
    const dry_piece b = dry_piece_of(u->shapes, m->shape_b);
    m->radius_b = dry_radius_pack(radius_about_body(&b));
    dry_contact_link *link = &u->contacts->link[s->parent];
    link->flags &= (uint16_t)~DRY_CONTACT_ROUND;
    for (int i = 0; i < s->count; i++)
        link->flags |= s->patches[i].found.rolls ? DRY_CONTACT_ROUND : 0;
    if (s->count > 0 && u->settings->holds_levers)
        dry_quat_pack(dry_body_pose_of(u->bodies, link->body_a)->orientation, m->built);
    else
        dry_manifold_set_clearance(m, s->count > 0 ? 0.0f : s->clearance);
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
        if (!s->has_triangles)
            continue;
        s->first_triangle = (int32_t)triangles;
        s->first = u->patches.few_count + (int32_t)patches;
        s->room = s->count;
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
    dry_jobs_for(jobs, contacts->active_word_count, 1, mark_due, update);
    const int due = count_due(contacts);
    return due == 0 || update_due(update, due, bodies, memory, scratch, jobs);
}
