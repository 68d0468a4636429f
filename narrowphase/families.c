/* Stage "contacts", first part: the children of pairs of shapes that are made of pieces.
 *
 * A parent remembers the relative pose at which its pieces were last looked at, and how far apart pieces were
 * that became children. Until the bodies have used up that distance, no other pieces can touch. Parents are
 * looked at in parallel, twice: the pairs of pieces are counted, then written. Contacts are added serially.
 *
 * Reads: poses, shapes, the parents. Writes: parents and their lists of children. Next: manifold_update.c. */
#include "narrowphase/families.h"

#include "geometry/compound.h"
#include "narrowphase/piece.h"

/* Pieces this much farther apart than points may be become children, too, m: bodies move by that much before
 * their pieces are looked at again. Pieces under 1 cm have few neighbors within it, larger ones as well. */
#define SLACK 0.05f

enum { GRAIN = 8, ALONE = 0 };

/* A parent whose pieces are looked at, and its pairs of pieces in the list of all. */
typedef struct search {
    int32_t parent;
    int32_t first, count;
    float reach; /* of pieces that become children, m */
} search;

/* A pair of pieces that is near, and its child; -1 if there is none yet. */
typedef struct wanted {
    uint32_t piece[2];
    int32_t child;
} wanted;

typedef struct families {
    const dry_contact_update *update;
    search *searches;
    wanted *pairs; /* null while they are counted */
} families;

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

static dry_relative_pose relative_of(const dry_contact_update *u, int contact)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    return dry_relative_pose_of(dry_body_pose_of(u->bodies, link->body_a),
                                dry_body_pose_of(u->bodies, link->body_b));
}

/* Tells whether pieces that are no children may touch. */
static bool is_due(const dry_contact_update *u, int parent)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    const dry_manifold *m = &u->contacts->manifold[parent];
    if (link->flags & DRY_CONTACT_VOID)
        return true;
    if (dry_bodies_is_still(u->bodies, link->body_a) && dry_bodies_is_still(u->bodies, link->body_b))
        return false;
    const dry_relative_pose now = relative_of(u, parent);
    return moved_by(u, parent, &now) + closing_of(u, link) + u->settings->margin > (float)m->height;
}

/* Marks the parents that are due among the active words [begin, end). */
static void mark_due(void *context, dry_items items)
{
    const dry_contact_update *u = ((const families *)context)->update;
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

static void list_due(const dry_contacts *contacts, search *searches)
{
    int count = 0;
    for (int i = 0; i < contacts->active_word_count; i++) {
        const int word = contacts->active_words[i];
        for (uint64_t bits = contacts->built_bits[word]; bits; bits &= bits - 1)
            searches[count++] = (search){.parent = 64 * word + __builtin_ctzll(bits)};
    }
}

/* A walk over the pairs of pieces of one parent. */
typedef struct piece_walk {
    const families *of;
    search *search;
    dry_contact_link link;
    bool in_b;      /* the pieces that the query finds are b's */
    uint32_t other; /* the piece that they are near to */
} piece_walk;

/* Returns the child of a pair of pieces; -1 if there is none. */
static int child_of(const dry_contacts *contacts, int parent, const uint32_t piece[2])
{
    int child = contacts->family[parent].first;
    for (; child >= 0; child = contacts->family[child].next) {
        const dry_contact_family *family = &contacts->family[child];
        if (family->piece[0] == piece[0] && family->piece[1] == piece[1])
            break;
    }
    return child;
}

static void take_piece(void *context, int piece)
{
    piece_walk *walk = context;
    wanted *pairs = walk->of->pairs;
    const dry_contacts *contacts = walk->of->update->contacts;
    if (pairs) {
        wanted *pair = &pairs[walk->search->first + walk->search->count];
        pair->piece[walk->in_b] = (uint32_t)piece;
        pair->piece[!walk->in_b] = walk->other;
        pair->child = child_of(contacts, walk->search->parent, pair->piece);
    }
    walk->search->count++;
}

/* Visits the pieces of a compound that are within reach of a piece in the compound's frame. */
static void visit_near(piece_walk *walk, const dry_geometry *compound, const dry_piece *piece)
{
    const float reach = walk->search->reach;
    dry_extents box = dry_piece_bounds(piece);
    box.low = vec3_sub(box.low, vec3(reach, reach, reach));
    box.high = vec3_add(box.high, vec3(reach, reach, reach));
    dry_compound_query(compound, &box, take_piece, walk);
}

/* Visits all pairs of pieces that are near: of a compound and a convex shape, or of two compounds. */
static void walk_pieces(const families *of, search *s)
{
    const dry_contact_update *u = of->update;
    const dry_manifold *m = &u->contacts->manifold[s->parent];
    const dry_piece a = dry_piece_of(u->shapes, m->shape_a), b = dry_piece_of(u->shapes, m->shape_b);
    const dry_relative_pose relative = relative_of(u, s->parent);
    const dry_transform b_in_a = dry_pair_frame_of(&a, &b, &relative).b_in_a;
    piece_walk walk = {.of = of, .search = s, .other = ALONE};
    s->count = 0;
    if (dry_type_has_triangles(a.geometry.type) || dry_type_has_triangles(b.geometry.type))
        return;
    if (a.geometry.type != DRY_SHAPE_COMPOUND) {
        const dry_transform identity = transform_identity();
        const dry_piece seen = {a.geometry, transform_relative(&b_in_a, &identity), a.radius};
        walk.in_b = true;
        visit_near(&walk, &b.geometry, &seen);
        return;
    }
    const int pieces = b.geometry.type == DRY_SHAPE_COMPOUND ? dry_compound_count(&b.geometry) : 0;
    for (int i = 0; i < pieces; i++) {
        dry_piece seen = dry_compound_piece(&b.geometry, i);
        seen.pose = transform_mul(&b_in_a, &seen.pose);
        walk.other = (uint32_t)i;
        visit_near(&walk, &a.geometry, &seen);
    }
    if (pieces == 0) {
        const dry_piece seen = {b.geometry, b_in_a, b.radius};
        visit_near(&walk, &a.geometry, &seen);
    }
}

static void count_pieces(void *context, dry_items items)
{
    const families *of = context;
    const dry_contact_update *u = of->update;
    for (int i = items.begin; i < items.end; i++) {
        search *s = &of->searches[i];
        s->reach = u->settings->margin + closing_of(u, &u->contacts->link[s->parent]) + SLACK;
        walk_pieces(of, s);
    }
}

static void write_pieces(void *context, dry_items items)
{
    const families *of = context;
    for (int i = items.begin; i < items.end; i++)
        walk_pieces(of, &of->searches[i]);
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
static void apply(const families *of, const search *s, dry_bodies *bodies)
{
    const dry_contact_update *u = of->update;
    dry_contacts *contacts = u->contacts;
    for (int c = contacts->family[s->parent].first; c >= 0; c = contacts->family[c].next)
        contacts->link[c].flags |= DRY_CONTACT_UNWANTED;
    for (int i = s->first; i < s->first + s->count; i++) {
        const wanted *pair = &of->pairs[i];
        int child = pair->child;
        if (child < 0) {
            child = dry_contacts_add_child(contacts, bodies, u->shapes, s->parent);
            contacts->family[child].piece[0] = pair->piece[0];
            contacts->family[child].piece[1] = pair->piece[1];
            mark_fixed(u, child);
        }
        contacts->link[child].flags &= (uint16_t)~DRY_CONTACT_UNWANTED;
    }
    dry_contact_link *link = &contacts->link[s->parent];
    dry_manifold *m = &contacts->manifold[s->parent];
    const dry_relative_pose relative = relative_of(u, s->parent);
    for (int k = 0; k < 3; k++)
        m->built_position[k] = relative.position[k];
    m->built_orientation = relative.orientation;
    m->height = (double)s->reach;
    link->flags &= (uint16_t) ~(DRY_CONTACT_VOID | DRY_CONTACT_LOST);
    if (contacts->family[s->parent].first < 0 &&
        !dry_broadphase_overlaps(u->broadphase, u->shapes->form[m->shape_a].proxy,
                                 u->shapes->form[m->shape_b].proxy))
        link->flags |= DRY_CONTACT_LOST;
}

/* Looks at the pieces of `due` parents, and makes their children. */
static bool update_due(families *of, int due, dry_bodies *bodies, dry_memory *memory, dry_scratch *scratch,
                       dry_jobs *jobs)
{
    dry_contacts *contacts = of->update->contacts;
    const size_t list = dry_scratch_bytes((size_t)due, sizeof(search));
    if (!dry_scratch_reserve(scratch, memory, list))
        return false;
    of->searches = DRY_SCRATCH_TAKE(scratch, search, due);
    list_due(contacts, of->searches);
    of->pairs = NULL;
    dry_jobs_for(jobs, due, GRAIN, count_pieces, of);
    int64_t all = 0;
    for (int i = 0; i < due; i++) {
        of->searches[i].first = (int32_t)all;
        all += of->searches[i].count;
        if (all > INT32_MAX / 2)
            return false;
    }
    if (!dry_scratch_reserve(scratch, memory, dry_scratch_bytes((size_t)all + 1, sizeof(wanted))))
        return false;
    of->pairs = DRY_SCRATCH_TAKE(scratch, wanted, all + 1);
    dry_jobs_for(jobs, due, GRAIN, write_pieces, of);
    int more = 0;
    for (int i = 0; i < (int)all; i++)
        more += of->pairs[i].child < 0;
    if (!dry_contacts_reserve(contacts, memory, more))
        return false;
    for (int i = 0; i < due; i++)
        apply(of, &of->searches[i], bodies);
    return true;
}

bool dry_families_update(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings,
                         dry_memory *memory, dry_scratch *scratch, dry_jobs *jobs)
{
    const dry_contact_update update = {contacts, bodies, shapes, broadphase, settings};
    families of = {.update = &update};
    dry_contacts_list_active(contacts);
    dry_jobs_for(jobs, contacts->active_word_count, 1, mark_due, &of);
    const int due = count_due(contacts);
    return due == 0 || update_due(&of, due, bodies, memory, scratch, jobs);
}
