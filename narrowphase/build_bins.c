/* Stage "contacts": contacts that need new anchors. Pairs of boxes wait until there are many of them; other
 * pairs collide one by one.
 *
 * Reads: poses, shapes, the old manifold. Writes: the manifold and the contact's flags. Next: collide.h, then
 * manifold_build.c. */
#include "narrowphase/build_bins.h"

#include "core/quat_pack.h"
#include "narrowphase/collide.h"
#include "narrowphase/manifold_build.h"
#include "narrowphase/meeting.h"
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/patches/patches.h"
#include "narrowphase/surface/neighbors.h"

void dry_contact_set_flags(const dry_contact_update *u, int contact, unsigned flags)
{
    dry_contact_link *link = &u->contacts->link[contact];
    DRY_ASSERT((link->flags & DRY_CONTACT_USED) && (link->flags & DRY_CONTACT_ACTIVE));
    if ((link->points > 0) != ((flags & DRY_CONTACT_TOUCHING) != 0))
        flags |= DRY_CONTACT_CHANGED;
    link->flags = (uint16_t)flags;
    uint64_t bit = UINT64_C(1) << contact % 64;
    if (flags & DRY_CONTACT_CHANGED) {
        uint64_t *bits = flags & DRY_CONTACT_TOUCHING ? u->contacts->ending_bits : u->contacts->starting_bits;
        bits[contact / 64] |= bit;
    }
    if (flags & DRY_CONTACT_LOST)
        u->contacts->lost_bits[contact / 64] |= bit;
}

/* Returns the piece of a side of a contact. Most contacts are between two shapes. */
static inline dry_piece piece_of(const dry_contact_update *u, int contact, int side)
{
    const dry_manifold *m = &u->contacts->manifold[contact];
    if (dry_contact_is_child(&u->contacts->link[contact]))
        return dry_contact_piece(u->contacts, u->shapes, contact, side);
    return dry_piece_of(u->shapes, side ? m->shape_b : m->shape_a);
}

static dry_contact_pair pair_of(const dry_contact_update *u, int contact, const dry_piece *a,
                                const dry_piece *b, const dry_relative_pose *relative, dry_vec3 way)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    return (dry_contact_pair){.piece_a = &a->pose,
                              .piece_b = &b->pose,
                              .radius_b = b->radius,
                              .follows_b = dry_frame_follows_b(a),
                              .pose_a = dry_body_pose_of(u->bodies, link->body_a),
                              .pose_b = dry_body_pose_of(u->bodies, link->body_b),
                              .relative = relative,
                              .way = way};
}

/* Tells whether one body of a contact is fixed: then the rule of seams may apply. Most bodies are known to be
 * dynamic by their rows alone, and their states are in no cache. */
static inline bool is_with_fixed(const dry_contact_update *u, int contact)
{
    const dry_bodies *bodies = u->bodies;
    const dry_contact_link *link = &u->contacts->link[contact];
    const int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    if (dry_max_int(row_a, row_b) < bodies->awake_count && bodies->awake_dynamic_count == bodies->awake_count)
        return false;
    return (bodies->state[row_a].type == DRY_BODY_DYNAMIC) != (bodies->state[row_b].type == DRY_BODY_DYNAMIC);
}

/* A cylinder whose axis is this near to the normal, by the cosine, touches with its flat end. */
#define ON_END 0.98f

/* Returns the inverse of a piece's radius of curvature where it touches, 0 where it is flat. The normal is in
 * the frame of the piece's body. */
static float curvature_of(const dry_piece *piece, dry_vec3 normal)
{
    if (!dry_type_is_curved(piece->geometry.type))
        return 0.0f;
    if (piece->geometry.type == DRY_SHAPE_CYLINDER &&
        dry_abs(quat_rotate_inverse(piece->pose.orientation, normal).y) > ON_END)
        return 0.0f;
    return 1.0f / piece->geometry.size.x;
}

/* Returns the moment of rolling resistance of a contact over the normal force, c r, m. */
static float rolling_limit(const dry_contact_update *u, int contact, const dry_relative_pose *relative)
{
    const float c =
        u->shapes->rolling ? dry_contacts_surface(u->contacts, u->shapes, contact).rolling_resistance : 0.0f;
    if (c == 0.0f)
        return 0.0f;
    const dry_piece a = piece_of(u, contact, 0), b = piece_of(u, contact, 1);
    const dry_vec3 n = u->contacts->manifold[contact].normal;
    const dry_vec3 n_b = quat_rotate_inverse(relative->orientation, n);
    const float curvature = curvature_of(&a, n) + curvature_of(&b, n_b);
    return curvature > 0.0f ? c / curvature : 0.0f;
}

/* Tells whether a contact without points is to be removed. Shapes that touch have overlapping fat bounds: the
 * fat margin exceeds the speculative margin. */
static bool is_lost(const dry_contact_update *u, int contact)
{
    const dry_manifold *m = &u->contacts->manifold[contact];
    if (dry_contact_is_child(&u->contacts->link[contact]))
        return u->contacts->link[contact].flags & DRY_CONTACT_UNWANTED;
    return !dry_broadphase_overlaps(u->broadphase, u->shapes->form[m->shape_a].proxy,
                                    u->shapes->form[m->shape_b].proxy);
}

static void build_contact(const dry_contact_update *u, int contact, const dry_contact_pair *pair,
                          dry_vec3 b_in_a, dry_local_manifold *found)
{
    dry_contact_link *link = &u->contacts->link[contact];
    dry_manifold *manifold = &u->contacts->manifold[contact];
    const dry_contact_settings *settings = u->settings;
    const bool has_rolling = link->points > 0 && (link->flags & DRY_CONTACT_ROUND);
    const dry_vec3 rolling = has_rolling ? dry_manifold_rolling_impulse(manifold) : vec3(0.0f, 0.0f, 0.0f);
    unsigned flags = link->flags & ~(unsigned)DRY_CONTACT_ROUND;
    flags |= vec3_length_squared(pair->way) > 0.0f ? DRY_CONTACT_MEETS : 0;
    flags |= found->rolls ? DRY_CONTACT_ROUND : 0;
    const dry_features old = dry_contacts_features(u->contacts, contact);
    if (!u->contacts->wide)
        dry_local_manifold_narrow(found);
    link->points = (uint8_t)dry_manifold_build(manifold, &old, pair, b_in_a, found);
    for (int i = 0; i < link->points && u->contacts->wide; i++)
        u->contacts->wide[contact].high[i] = (uint16_t)(found->points[i].feature >> 16);
    u->contacts->built_bits[contact / 64] |= UINT64_C(1) << contact % 64;
    dry_contacts_follow_rest(u->contacts, contact, &old);
    DRY_ASSERT(link->points <= 4);
    if (link->points > 0 && (flags & DRY_CONTACT_ROUND)) {
        const float limit = rolling_limit(u, contact, pair->relative);
        dry_manifold_set_rolling(manifold, limit > 0.0f ? rolling : vec3(0.0f, 0.0f, 0.0f), limit);
    }
    if (link->points == 0) {
        dry_contacts_forget_sticking(u->contacts, contact);
        flags &= ~(unsigned)DRY_CONTACT_SLIDES;
        /* A pair without points finds none either until it has moved and closed in by half the margin, or by
         * the distance that it has beyond the margin. */
        float beyond = found->separation_min - settings->margin;
        dry_manifold_set_clearance(
            manifold, settings->recycle_distance > 0.0f ? dry_max(0.5f * settings->margin, beyond) : 0.0f);
        if (is_lost(u, contact))
            flags |= DRY_CONTACT_LOST;
    } else {
        dry_quat_pack(pair->pose_a->orientation, manifold->built);
    }
    dry_contact_set_flags(u, contact, flags);
}

/* Tells whether nothing holds a body but, maybe, its contact of a color: within the step it goes on as it
 * moves now, until that contact acts. */
static bool is_alone(const dry_bodies *bodies, int row, int color)
{
    const uint64_t own = color >= 0 && color < DRY_COLOR_OVERFLOW ? UINT64_C(1) << color : 0;
    return (bodies->state[row].colors & ~own) == 0;
}

static dry_vec3 gravity_in(const dry_contact_update *u, int row, const dry_piece *a)
{
    const dry_vec3 in_body = quat_rotate_inverse(u->bodies->pose[row].orientation, u->settings->gravity);
    return quat_rotate_inverse(a->pose.orientation, in_body);
}

/* Collides a pair with a curved surface, and builds its manifold. Moves `relative` to where the surfaces meet
 * if nothing else holds the bodies. */
static void build_curved(const dry_contact_update *u, int contact, const dry_piece *a, const dry_piece *b,
                         dry_relative_pose *relative, float margin)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const int row_a = dry_bodies_row(u->bodies, link->body_a),
              row_b = dry_bodies_row(u->bodies, link->body_b);
    dry_vec3 way = vec3(0.0f, 0.0f, 0.0f), lean = way;
    if (a->geometry.type == DRY_SHAPE_CYLINDER || b->geometry.type == DRY_SHAPE_CYLINDER)
        lean = gravity_in(u, row_a, a);
    dry_local_manifold found;
    dry_pair_frame frame;
    if (is_alone(u->bodies, row_a, link->color) && is_alone(u->bodies, row_b, link->color)) {
        const dry_vec3 velocity =
            vec3_sub(dry_bodies_motion(u->bodies, row_b).linear, dry_bodies_motion(u->bodies, row_a).linear);
        /* The normal has to serve for two steps: a step relaxes gaps by what would close them in one more
         * substep. */
        const dry_meeting meeting = {a,
                                     b,
                                     quat_rotate_inverse(u->bodies->pose[row_a].orientation, velocity),
                                     2.0f * u->settings->dt,
                                     margin,
                                     lean};
        way = dry_meeting_collide(&meeting, relative, &frame, &found);
    } else {
        frame = dry_pair_frame_of(a, b, relative);
        dry_collide_leaning(&frame.a, &frame.b, &frame.b_in_a, margin, lean, &found);
    }
    const dry_contact_pair pair = pair_of(u, contact, a, b, relative, way);
    if (is_with_fixed(u, contact))
        dry_keep_to_faces(u, contact, &pair, &frame, margin, &found);
    build_contact(u, contact, &pair, frame.b_in_a.position, &found);
}

/* Collides a pair that is not two boxes, and builds its manifold. */
static void build_single(const dry_contact_update *u, int contact, const dry_piece *a, const dry_piece *b,
                         dry_relative_pose *relative, float margin)
{
    if (dry_type_is_curved(a->geometry.type) || dry_type_is_curved(b->geometry.type)) {
        build_curved(u, contact, a, b, relative, margin);
        return;
    }
    const dry_pair_frame frame = dry_pair_frame_of(a, b, relative);
    dry_local_manifold found;
    if (a->geometry.type == DRY_SHAPE_HULL &&
        dry_type_is_polytope(b->geometry.type)) /* with the kernels of the world's level */
        dry_collide_polytopes(u->settings->level, &frame.a, &frame.b, &frame.b_in_a, margin, &found);
    else
        dry_collide(&frame.a, &frame.b, &frame.b_in_a, margin, &found);
    const dry_contact_pair pair = pair_of(u, contact, a, b, relative, vec3(0.0f, 0.0f, 0.0f));
    if (is_with_fixed(u, contact))
        dry_keep_to_faces(u, contact, &pair, &frame, margin, &found);
    build_contact(u, contact, &pair, frame.b_in_a.position, &found);
}

/* Builds a contact of two boxes for which points were found. */
static void build_box(const dry_contact_update *u, int contact, const dry_relative_pose *relative,
                      const dry_box_pair *boxes, dry_local_manifold *found)
{
    const dry_piece a = piece_of(u, contact, 0), b = piece_of(u, contact, 1);
    const dry_contact_pair pair = pair_of(u, contact, &a, &b, relative, vec3(0.0f, 0.0f, 0.0f));
    if (is_with_fixed(u, contact)) {
        const dry_pair_frame frame = {{boxes->half_a, DRY_SHAPE_BOX, NULL},
                                      {boxes->half_b, DRY_SHAPE_BOX, NULL},
                                      {boxes->position, boxes->orientation}};
        dry_keep_to_faces(u, contact, &pair, &frame, boxes->margin, found);
    }
    build_contact(u, contact, &pair, boxes->position, found);
}

static void build_boxes(dry_build_bins *bins)
{
    const dry_contact_update *u = bins->update;
    dry_local_manifold found[DRY_BOX_PAIRS_MAX];
    DRY_ASSERT(bins->boxes == bins->count);
    dry_collide_boxes(u->settings->level, bins->box, bins->boxes, found);
    for (int i = 0; i < bins->boxes; i++)
        build_box(u, bins->contact[i], &bins->relative[i], &bins->box[i], &found[i]);
    bins->boxes = bins->count = 0;
}

/* Makes the pair of boxes of a waiting contact. Builds the contact if it is not of two boxes, and returns
 * false. */
static bool make_box_pair(dry_build_bins *bins, int i, dry_box_pair *boxes)
{
    const dry_contact_update *u = bins->update;
    const int contact = bins->contact[i];
    const dry_piece a = piece_of(u, contact, 0), b = piece_of(u, contact, 1);
    if (a.geometry.type == DRY_SHAPE_BOX && b.geometry.type == DRY_SHAPE_BOX) {
        const dry_pair_frame frame = dry_pair_frame_of(&a, &b, &bins->relative[i]);
        *boxes = dry_box_pair_of(frame.a.size, frame.b.size, &frame.b_in_a, bins->margin[i]);
        return true;
    }
    build_single(u, contact, &a, &b, &bins->relative[i], bins->margin[i]);
    return false;
}

/* Builds the contacts that are not of two boxes, and moves the others to the front. */
static void sort_out_boxes(dry_build_bins *bins)
{
    for (int i = bins->boxes; i < bins->count; i++) {
        if (!make_box_pair(bins, i, &bins->box[bins->boxes]))
            continue;
        const int to = bins->boxes++;
        if (to == i)
            continue;
        bins->contact[to] = bins->contact[i];
        bins->relative[to] = bins->relative[i];
    }
    bins->count = bins->boxes;
}

void dry_bins_make_room(dry_build_bins *bins)
{
    sort_out_boxes(bins);
    if (bins->boxes > DRY_BOX_PAIRS_MAX / 2)
        build_boxes(bins);
}

void dry_bins_build(dry_build_bins *bins)
{
    sort_out_boxes(bins);
    build_boxes(bins);
}

void dry_patch_update(const dry_contact_update *u, int contact)
{
    dry_contact_link *link = &u->contacts->link[contact];
    dry_contact_family *family = &u->contacts->family[contact];
    const bool renewed = link->flags & DRY_CONTACT_RENEWED;
    const unsigned flags = link->flags & ~(unsigned)DRY_CONTACT_OF_UPDATE;
    if (family->found < 0 && !(flags & DRY_CONTACT_UNWANTED)) {
        dry_contact_set_flags(u, contact, flags | DRY_CONTACT_RECYCLED);
        return;
    }
    dry_local_manifold found = {.normal = {0.0f, 1.0f, 0.0f}};
    if (family->found >= 0)
        found = dry_patch_at(&u->patches, family->found)->found;
    family->found = -1;
    link->flags = (uint16_t)(flags | (renewed ? DRY_CONTACT_RENEWED : 0));
    const dry_piece a = piece_of(u, contact, 0), b = piece_of(u, contact, 1);
    const dry_relative_pose relative = dry_contact_relative_pose(u, contact);
    const dry_vec3 none = {0.0f, 0.0f, 0.0f};
    const dry_contact_pair pair = pair_of(u, contact, &a, &b, &relative, none);
    build_contact(u, contact, &pair, none, &found);
}
