/* Stage "contacts", first part: the children of pairs of shapes that are made of pieces.
 *
 * A parent of convex pieces remembers the relative pose at which its pieces were last looked at, and how far
 * apart pieces were that became children. Until the bodies have used up that distance, no other pieces can
 * touch. A parent of triangles keeps its children's anchors as a contact keeps its own; when they are to be
 * made anew, it finds them all at once.
 *
 * Parents are looked at in parallel, twice: what is near is counted, then written. Contacts are added
 * serially.
 *
 * Reads: poses, shapes, the parents. Writes: parents and their lists of children. Next: piece_pairs.c and
 * patches/patch_search.c; then manifold_update.c. */
#include "narrowphase/families.h"

#include "core/quat_pack.h"
#include "narrowphase/family_search.h"
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

/* Decides whether a parent keeps its children of triangles. Sets the margin of their points, m. */
static dry_keeping patches_are_kept(const dry_contact_update *u, int parent, float *margin)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    dry_motion_source source;
    dry_manifold_motion moved;
    float closing = 0.0f;
    for (int i = 0; i < DRY_MOTIONS; i++) {
        source.manifold[i] = &u->contacts->manifold[parent];
        source.a[i] = dry_body_pose_of(u->bodies, link->body_a);
        source.b[i] = dry_body_pose_of(u->bodies, link->body_b);
    }
    dry_motion_kernels_at(u->settings->level)->manifold_motions(&source, 1, &moved);
    const bool touching = u->contacts->family[parent].first >= 0;
    const dry_keeping keeping =
        dry_contact_keeping(u, parent, touching, &moved, 0, turning_of(u, parent), &closing);
    *margin = dry_contact_margin(u->settings, closing);
    return keeping;
}

static bool is_due(const dry_contact_update *u, int parent)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    float margin;
    if (!has_triangles(u, parent))
        return pieces_are_due(u, parent);
    if (!(link->flags & (DRY_CONTACT_VOID | DRY_CONTACT_ROUND)) &&
        dry_bodies_is_still(u->bodies, link->body_a) && dry_bodies_is_still(u->bodies, link->body_b))
        return false;
    return patches_are_kept(u, parent, &margin) != DRY_ANCHORS_KEPT;
}

/* Marks the parents that are due among the active words [begin, end). */
static void mark_due(void *context, dry_items items)
{
    const dry_contact_update *u = ((const dry_family_lists *)context)->update;
    dry_contacts *contacts = u->contacts;
    for (int i = items.begin; i < items.end; i++) {
        const int word = contacts->active_words[i];
        uint64_t due = 0;
        for (uint64_t bits = contacts->active_bits[word] & contacts->parent_bits[word]; bits;
             bits &= bits - 1)
            if (is_due(u, 64 * word + __builtin_ctzll(bits)))
                due |= bits & -bits;
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

static void list_due(const dry_contacts *contacts, dry_family_search *searches)
{
    int count = 0;
    for (int i = 0; i < contacts->active_word_count; i++) {
        const int word = contacts->active_words[i];
        for (uint64_t bits = contacts->built_bits[word]; bits; bits &= bits - 1)
            searches[count++] = (dry_family_search){.parent = 64 * word + __builtin_ctzll(bits)};
    }
}

static void count_near(void *context, dry_items items)
{
    const dry_family_lists *of = context;
    const dry_contact_update *u = of->update;
    for (int i = items.begin; i < items.end; i++) {
        dry_family_search *s = &of->searches[i];
        s->has_triangles = has_triangles(u, s->parent);
        if (s->has_triangles) {
            s->renewed = patches_are_kept(u, s->parent, &s->reach) == DRY_ANCHORS_RENEWED;
            dry_count_patches(of, s);
        } else {
            s->reach = u->settings->margin + closing_of(u, &u->contacts->link[s->parent]) + SLACK;
            dry_search_pieces(of, s);
        }
    }
}

static void write_near(void *context, dry_items items)
{
    const dry_family_lists *of = context;
    for (int i = items.begin; i < items.end; i++) {
        dry_family_search *s = &of->searches[i];
        if (s->has_triangles)
            dry_search_patches(of, s);
        else
            dry_search_pieces(of, s);
    }
}

/* Marks a child one of whose pieces is a box of a body that no contact moves. */
static void mark_fixed(const dry_contact_update *u, int child)
{
    dry_contact_link *link = &u->contacts->link[child];
    for (int side = 0; side < 2; side++) {
        const int body = side ? link->body_b : link->body_a;
        if (dry_body_state_of(u->bodies, body)->type != DRY_BODY_DYNAMIC &&
            dry_contact_piece(u->contacts, u->shapes, child, side).geometry.type == DRY_SHAPE_BOX)
            link->flags |= DRY_CONTACT_FIXED;
    }
}

/* Makes a parent's list what its search has found. Room for new contacts must be reserved. */
static void apply_children(const dry_family_lists *of, const dry_family_search *s, dry_bodies *bodies)
{
    const dry_contact_update *u = of->update;
    dry_contacts *contacts = u->contacts;
    for (int c = contacts->family[s->parent].first; c >= 0; c = contacts->family[c].next)
        contacts->link[c].flags |= DRY_CONTACT_UNWANTED;
    for (int i = s->first; i < s->first + s->count; i++) {
        const dry_wanted *wanted = &of->wanted[i];
        int child = wanted->child;
        if (child < 0)
            child = dry_contacts_add_child(contacts, bodies, u->shapes, s->parent);
        contacts->family[child].piece[0] = wanted->piece[0];
        contacts->family[child].piece[1] = wanted->piece[1];
        if (s->has_triangles) {
            contacts->family[child].found = i;
            contacts->family[child].material = of->patches[i].material;
            if (wanted->child < 0 && of->patches[i].material > 0)
                dry_contacts_mix(contacts, u->shapes, child);
            contacts->link[child].flags |= s->renewed ? DRY_CONTACT_RENEWED : 0;
        } else if (wanted->child < 0) {
            mark_fixed(u, child);
        }
        contacts->link[child].flags &= (uint16_t)~DRY_CONTACT_UNWANTED;
    }
}

/* Remembers at which pose a parent was looked at. */
static void apply_pose(const dry_family_lists *of, const dry_family_search *s)
{
    const dry_contact_update *u = of->update;
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
    for (int i = s->first; i < s->first + s->count; i++)
        link->flags |= of->patches[i].found.rolls ? DRY_CONTACT_ROUND : 0;
    if (s->count > 0 && u->settings->holds_levers)
        dry_quat_pack(dry_body_pose_of(u->bodies, link->body_a)->orientation, m->built);
    else
        dry_manifold_set_clearance(m, s->count > 0 ? 0.0f : s->clearance);
}

static void apply(const dry_family_lists *of, const dry_family_search *s, dry_bodies *bodies)
{
    const dry_contact_update *u = of->update;
    dry_contacts *contacts = u->contacts;
    apply_children(of, s, bodies);
    apply_pose(of, s);
    const dry_manifold *m = &contacts->manifold[s->parent];
    dry_contact_link *link = &contacts->link[s->parent];
    link->flags &= (uint16_t) ~(DRY_CONTACT_VOID | DRY_CONTACT_LOST);
    if (contacts->family[s->parent].first < 0 &&
        !dry_broadphase_overlaps(u->broadphase, u->shapes->form[m->shape_a].proxy,
                                 u->shapes->form[m->shape_b].proxy))
        link->flags |= DRY_CONTACT_LOST;
}

/* Takes the lists that the counts ask for. Returns false if memory fails. */
static bool take_lists(dry_family_lists *of, int due, dry_memory *memory, dry_scratch *scratch)
{
    int64_t wanted = 0, triangles = 0, patches = 0;
    for (int i = 0; i < due; i++) {
        dry_family_search *s = &of->searches[i];
        s->first = (int32_t)wanted;
        s->first_triangle = (int32_t)triangles;
        wanted += s->count;
        triangles += s->triangle_count;
        patches = s->has_triangles ? wanted : patches;
        if (wanted > INT32_MAX / DRY_CANDIDATES_PER_TRIANGLE)
            return false;
    }
    const int64_t candidates = DRY_CANDIDATES_PER_TRIANGLE * triangles;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes((size_t)wanted + 1, sizeof(dry_wanted)) +
                                 dry_scratch_bytes((size_t)patches, sizeof(dry_patch)) +
                                 dry_scratch_bytes((size_t)triangles, sizeof(dry_near_triangle)) +
                                 dry_scratch_bytes((size_t)candidates, sizeof(dry_patch_candidate))))
        return false;
    of->wanted = DRY_SCRATCH_TAKE(scratch, dry_wanted, wanted + 1);
    of->patches = DRY_SCRATCH_TAKE(scratch, dry_patch, patches);
    of->triangles = DRY_SCRATCH_TAKE(scratch, dry_near_triangle, triangles);
    of->candidates = DRY_SCRATCH_TAKE(scratch, dry_patch_candidate, candidates);
    return true;
}

/* Looks at the pieces of `due` parents, and makes their children. */
static bool update_due(dry_family_lists *of, int due, dry_bodies *bodies, dry_memory *memory,
                       dry_scratch *scratch, dry_jobs *jobs)
{
    dry_contacts *contacts = of->update->contacts;
    const size_t list = dry_scratch_bytes((size_t)due, sizeof(dry_family_search));
    if (!dry_scratch_reserve(scratch, memory, list))
        return false;
    of->searches = DRY_SCRATCH_TAKE(scratch, dry_family_search, due);
    list_due(contacts, of->searches);
    dry_jobs_for(jobs, due, GRAIN, count_near, of);
    if (!take_lists(of, due, memory, scratch))
        return false;
    dry_jobs_for(jobs, due, GRAIN, write_near, of);
    int more = 0;
    for (int i = 0; i < due; i++)
        for (int k = 0; k < of->searches[i].count; k++)
            more += of->wanted[of->searches[i].first + k].child < 0;
    if (!dry_contacts_reserve(contacts, memory, more))
        return false;
    for (int i = 0; i < due; i++)
        apply(of, &of->searches[i], bodies);
    return true;
}

bool dry_families_update(dry_contact_update *update, dry_bodies *bodies, dry_memory *memory,
                         dry_scratch *scratch, dry_jobs *jobs)
{
    dry_contacts *contacts = update->contacts;
    dry_family_lists of = {.update = update};
    dry_contacts_list_active(contacts);
    dry_jobs_for(jobs, contacts->active_word_count, 1, mark_due, &of);
    const int due = count_due(contacts);
    if (due > 0 && !update_due(&of, due, bodies, memory, scratch, jobs))
        return false;
    update->patches = of.patches;
    return true;
}
