/* The contacts of a parent whose first shape has triangles, and which of its children go on as these.
 *
 * A child goes on as the patch that shares most of its points' names, and lies nearest, among those of the
 * same piece whose normals are near. Points of one that have lost their name, since another triangle gives
 * them now, take the name of the child's point at the same place: impulses stay with their places.
 *
 * Reads: poses, shapes, the parent's children. Writes: a search and its lists, `found` of the children. Next:
 * patches.c. */
#include "geometry/compound.h"
#include "geometry/triangles.h"
#include "narrowphase/family_search.h"
#include "narrowphase/piece.h"
#include "narrowphase/surface/neighbors.h"

/* A child goes on as a patch whose normal has this cosine to its own: 18 degrees. */
#define NEAR_NORMAL 0.95f
/* A point within this share of the piece's radius of an old one takes over its name. */
#define SAME_POINT 0.1f

/* A patch as its bodies see it. */
typedef struct sight {
    dry_vec3 normal;  /* in a's principal frame */
    dry_vec3 on_b[4]; /* the points of b's surface in b's principal frame, m */
} sight;

static sight see(const dry_relative_pose *relative, dry_quat a_axes, const dry_patch *patch,
                 const dry_piece *b)
{
    const dry_local_manifold *found = &patch->found;
    sight s = {.normal = quat_rotate(a_axes, found->normal)};
    for (int i = 0; i < found->count; i++) {
        const dry_local_point *p = &found->points[i];
        const dry_vec3 at = vec3_add_scaled(p->position, 0.5f * p->separation, found->normal);
        const dry_vec3 turned = quat_rotate_inverse(relative->orientation, quat_rotate(a_axes, at));
        s.on_b[i] = vec3_add(b->pose.position, turned);
    }
    return s;
}

/* Returns how well a child goes on as a patch: the number of names in common, less a part for the distance;
 * negative if it does not. */
static float likeness(const dry_contact_update *u, int child, const dry_patch *patch, const sight *seen)
{
    const dry_manifold *m = &u->contacts->manifold[child];
    const dry_features old = dry_contacts_features(u->contacts, child);
    if (vec3_dot(m->normal, seen->normal) < NEAR_NORMAL)
        return -1.0f;
    int same = 0;
    float square = FLT_MAX;
    for (int i = 0; i < patch->found.count; i++) {
        same += dry_features_find(&old, patch->found.points[i].feature) >= 0;
        for (int k = 0; k < old.count; k++)
            square = dry_min(square, vec3_length_squared(vec3_sub(seen->on_b[i], m->points[k].anchor_b)));
    }
    return (float)same + 1.0f / (1.0f + sqrtf(square));
}

/* Gives the points of a patch the names of the child's points at the same places. */
static void keep_names(const dry_contact_update *u, int child, dry_patch *patch, const sight *seen,
                       float same)
{
    const dry_manifold *m = &u->contacts->manifold[child];
    const dry_features old = dry_contacts_features(u->contacts, child);
    bool taken[4] = {false, false, false, false}, named[4] = {false, false, false, false};
    for (int i = 0; i < patch->found.count; i++) {
        const int k = dry_features_find(&old, patch->found.points[i].feature);
        named[i] = k >= 0;
        if (k >= 0)
            taken[k] = true;
    }
    for (int i = 0; i < patch->found.count; i++) {
        int best = -1;
        float nearest = same;
        for (int k = 0; k < old.count && !named[i]; k++) {
            const float distance = vec3_distance(seen->on_b[i], m->points[k].anchor_b);
            if (!taken[k] && distance < nearest) {
                nearest = distance;
                best = k;
            }
        }
        if (best < 0)
            continue;
        taken[best] = true;
        patch->found.points[i].feature = old.of[best];
    }
}

/* A search for the patches of a parent, one piece after the other. */
typedef struct patch_walk {
    const dry_contact_update *update;
    dry_family_search *search;
    const dry_patch_room *room;
    dry_relative_pose relative; /* of the bodies */
    dry_vec3 gravity;           /* in a's principal frame, m/s^2 */
    dry_piece a;                /* the first shape, or the child of it that is a surface */
    uint32_t begin, end;        /* numbers of its triangles as pieces */
    dry_neighbors beside;
    bool overflows;
    int bound; /* of the number of patches */
} patch_walk;

/* Finds the child that goes on as a patch, and marks it; -1 if there is none. */
static int find_child(const patch_walk *walk, const dry_wanted *wanted, dry_patch *patch, const sight *seen,
                      const dry_piece *b)
{
    const dry_contact_update *u = walk->update;
    const dry_contacts *contacts = u->contacts;
    const int parent = walk->search->parent;
    int best = -1;
    float most = 0.0f;
    for (int c = contacts->family[parent].first; c >= 0; c = contacts->family[c].next) {
        const dry_contact_family *family = &contacts->family[c];
        if (family->found >= 0 || family->piece[1] != wanted->piece[1] ||
            family->material != patch->material || family->piece[0] < walk->begin ||
            family->piece[0] >= walk->end)
            continue;
        const float value = likeness(u, c, patch, seen);
        if (value > most) {
            most = value;
            best = c;
        }
    }
    if (best >= 0)
        keep_names(u, best, patch, seen, SAME_POINT * b->radius);
    return best;
}

/* Adds a patch to those of the parent, and finds the child that goes on as it. */
static void add_patch(const patch_walk *walk, const dry_patch *patch, const dry_piece *piece, uint32_t number)
{
    const dry_contact_update *u = walk->update;
    dry_family_search *s = walk->search;
    dry_patch *own = &s->patches[s->count];
    dry_wanted *wanted = &s->wanted[s->count];
    DRY_ASSERT(s->count < s->room && patch->slot < walk->end - walk->begin && patch->found.count > 0);
    *own = *patch;
    *wanted = (dry_wanted){{walk->begin + own->slot, number}, -1};
    if (u->contacts->family[s->parent].first >= 0) {
        const sight seen = see(&walk->relative, walk->a.pose.orientation, own, piece);
        wanted->child = find_child(walk, wanted, own, &seen, piece);
    }
    if (wanted->child >= 0)
        u->contacts->family[wanted->child].found = s->first + s->count;
    s->count++;
}

/* Returns the way of a piece's center in the step, seen from the surface of the walk, m. */
static dry_vec3 way_of(const dry_contact_update *u, const dry_neighbors *n)
{
    const dry_body_velocity b = dry_bodies_motion(u->bodies, dry_bodies_row(u->bodies, n->moving));
    const dry_position *center = &dry_body_pose_of(u->bodies, n->moving)->position;
    const dry_vec3 surface = dry_fixed_velocity(u->bodies, n->fixed, center, n->origin);
    const dry_vec3 piece = vec3_add(b.linear, vec3_cross(b.angular, n->origin));
    return quat_rotate_inverse(n->axes, vec3_scale(vec3_sub(piece, surface), u->settings->dt));
}

/* Lists the normals of the contacts that a piece has had with the surface of the walk. */
static void list_held(const patch_walk *walk, uint32_t number, dry_patch_pair *pair)
{
    const dry_contacts *contacts = walk->update->contacts;
    for (int c = contacts->family[walk->search->parent].first; c >= 0; c = contacts->family[c].next) {
        const dry_contact_family *family = &contacts->family[c];
        if (pair->held_count < DRY_HELD_MOST && contacts->link[c].points > 0 && family->piece[1] == number &&
            family->piece[0] >= walk->begin && family->piece[0] < walk->end)
            pair->held[pair->held_count++] =
                quat_rotate_inverse(walk->a.pose.orientation, contacts->manifold[c].normal);
    }
}

/* Searches for a piece on the surface of the walk. */
static void search_surface(patch_walk *walk, const dry_piece *piece, uint32_t number)
{
    const dry_contact_update *u = walk->update;
    dry_family_search *s = walk->search;
    const dry_quat axes = walk->a.pose.orientation;
    dry_patch_pair pair = {.surface = walk->a.geometry,
                           .piece = piece->geometry,
                           .radius = piece->radius,
                           .at = dry_piece_place(&walk->a.pose, &piece->pose, &walk->relative),
                           .orientation =
                               dry_pose_b_in_a(&walk->a.pose, &piece->pose, &walk->relative).orientation,
                           .margin = s->margin,
                           .closing = s->margin - u->settings->margin,
                           .lean = quat_rotate_inverse(axes, walk->gravity),
                           .level = u->settings->level,
                           .admit_beside = dry_neighbors_admit,
                           .level_beside = dry_neighbors_level,
                           .beside = &walk->beside};
    walk->beside.axes = quat_mul(dry_body_pose_of(u->bodies, walk->beside.fixed)->orientation, axes);
    walk->beside.origin =
        quat_rotate(dry_body_pose_of(u->bodies, walk->beside.moving)->orientation, piece->pose.position);
    pair.way = way_of(u, &walk->beside);
    list_held(walk, number, &pair);
    const dry_patches_found found = dry_patches_find(&pair, walk->room);
    s->clearance = dry_min(s->clearance, found.separation_min);
    s->near_count = dry_max_int(s->near_count, found.near);
    walk->bound += DRY_PLANES_PER_TRIANGLE * found.near + 1;
    walk->overflows |= found.near > walk->room->triangle_count || s->count + found.count > s->room;
    for (int i = 0; i < found.count && !walk->overflows; i++)
        add_patch(walk, &walk->room->planes[i].patch, piece, number);
}

/* A search for one piece on the children of a compound. */
typedef struct child_walk {
    patch_walk *walk;
    const dry_piece *compound, *piece;
    uint32_t number; /* of the piece */
} child_walk;

static void search_child(void *context, int child)
{
    const child_walk *of = context;
    patch_walk *walk = of->walk;
    dry_piece surface = dry_compound_piece(&of->compound->geometry, child);
    if (!dry_type_has_triangles(surface.geometry.type))
        return;
    surface.pose = transform_mul(&of->compound->pose, &surface.pose);
    walk->a = surface;
    walk->begin = dry_compound_of(&of->compound->geometry)->first[child];
    walk->end = walk->begin + dry_triangles_slots(&surface.geometry);
    walk->beside.child = child;
    search_surface(walk, of->piece, of->number);
}

/* Searches for a piece on the surfaces of the first shape: itself, or children that it is near to. */
static void search_piece(patch_walk *walk, const dry_piece *a, const dry_piece *piece, uint32_t number)
{
    if (a->geometry.type != DRY_SHAPE_COMPOUND) {
        walk->a = *a;
        search_surface(walk, piece, number);
        return;
    }
    const float far = DRY_FAR_FACTOR * walk->search->margin;
    const dry_piece seen = {piece->geometry, dry_pose_b_in_a(&a->pose, &piece->pose, &walk->relative),
                            piece->radius};
    dry_extents box = dry_piece_bounds(&seen);
    box.low = vec3_sub(box.low, vec3(far, far, far));
    box.high = vec3_add(box.high, vec3(far, far, far));
    child_walk of = {walk, a, piece, number};
    dry_compound_query(&a->geometry, &box, search_child, &of);
    walk->search->clearance = dry_min(walk->search->clearance, far);
}

/* Searches for the second shape, or for each piece of it. */
static void search_pieces(patch_walk *walk)
{
    const dry_contact_update *u = walk->update;
    const dry_family_search *s = walk->search;
    const dry_manifold *m = &u->contacts->manifold[s->parent];
    const dry_contact_link *link = &u->contacts->link[s->parent];
    const dry_piece a = dry_piece_of(u->shapes, m->shape_a), whole = dry_piece_of(u->shapes, m->shape_b);
    walk->relative = dry_contact_relative_pose(u, s->parent);
    walk->gravity =
        quat_rotate_inverse(dry_body_pose_of(u->bodies, link->body_a)->orientation, u->settings->gravity);
    walk->beside = (dry_neighbors){.update = u,
                                   .fixed = link->body_a,
                                   .moving = link->body_b,
                                   .shape = m->shape_b,
                                   .own = m->shape_a,
                                   .child = -1};
    const bool is_compound = whole.geometry.type == DRY_SHAPE_COMPOUND;
    const int pieces = is_compound ? dry_compound_of(&whole.geometry)->count : 1;
    for (int i = 0; i < pieces; i++) {
        dry_piece b = whole;
        if (is_compound) {
            b = dry_compound_piece(&whole.geometry, i);
            b.pose = transform_mul(&whole.pose, &b.pose);
        }
        search_piece(walk, &a, &b, (uint32_t)i);
    }
}

void dry_search_patches(const dry_contact_update *u, dry_family_search *s, const dry_patch_room *room)
{
    dry_contact_family *family = u->contacts->family;
    for (int c = family[s->parent].first; c >= 0; c = family[c].next) {
        family[c].found = -1;
        dry_prefetch_child(u->contacts, c);
    }
    s->clearance = FLT_MAX;
    patch_walk walk = {.update = u, .search = s, .room = room, .end = UINT32_MAX};
    search_pieces(&walk);
    s->count = walk.overflows ? dry_max_int(walk.bound, s->room + 1) : s->count;
    /* A pair without points finds none until it has closed in by half the margin, or by the distance that it
     * has beyond the margin. */
    const float margin = u->settings->margin;
    s->clearance =
        u->settings->recycle_distance > 0.0f ? dry_max(0.5f * margin, s->clearance - margin) : 0.0f;
}
