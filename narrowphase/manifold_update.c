/* Stage "contacts": keeps a contact's anchors while its bodies barely move relative to each other, builds
 * them anew otherwise.
 *
 * Reads: poses, shapes, the old manifold. Writes: the manifold and the contact's flags. Next: step/graph.c.
 */
#include "narrowphase/manifold_update.h"

#include "core/assert.h"
#include "core/quat_pack.h"
#include "narrowphase/collide.h"
#include "narrowphase/manifold_build.h"
#include "narrowphase/manifold_motion.h"
#include "narrowphase/meeting.h"
#include "narrowphase/pairs/box_pair.h"
#include "narrowphase/relative_pose.h"

#include <string.h>

/* Contacts that wait for new anchors. Their shapes are prefetched meanwhile, and boxes collide in lanes. */
typedef struct build_batch {
    int count;
    int32_t contact[DRY_BOX_PAIRS_MAX];
    float margin[DRY_BOX_PAIRS_MAX];
    dry_relative_pose relative[DRY_BOX_PAIRS_MAX];
} build_batch;

typedef struct update {
    dry_contacts *contacts;
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_broadphase *broadphase;
    const dry_contact_settings *settings;
} update;

/* Writes the flags of a contact, and the bits that tell the graph of changes. */
static void set_flags(const update *u, int contact, unsigned flags)
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

static dry_contact_pair pair_of(const update *u, int contact, const dry_relative_pose *relative, dry_vec3 way)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    return (dry_contact_pair){&u->shapes->form[m->shape_a],
                              &u->shapes->form[m->shape_b],
                              dry_body_pose_of(u->bodies, link->body_a),
                              dry_body_pose_of(u->bodies, link->body_b),
                              relative,
                              way};
}

/* Returns the inverse of a shape's radius of curvature, 0 for shapes that do not roll. */
static float curvature_of(const dry_shape_form *form)
{
    return dry_geometry_is_round(&form->geometry) ? 1.0f / form->geometry.size.x : 0.0f;
}

/* Returns the moment of rolling resistance of a pair over the normal force, c r, m. */
static float rolling_limit(const update *u, const dry_manifold *m)
{
    const float c =
        u->shapes->rolling ? dry_shapes_mixed(u->shapes, m->shape_a, m->shape_b).rolling_resistance : 0.0f;
    return c / (curvature_of(&u->shapes->form[m->shape_a]) + curvature_of(&u->shapes->form[m->shape_b]));
}

static void build_contact(const update *u, int contact, const dry_relative_pose *relative, dry_vec3 way,
                          dry_vec3 b_in_a, dry_local_manifold *found)
{
    dry_contact_link *link = &u->contacts->link[contact];
    dry_manifold *manifold = &u->contacts->manifold[contact];
    const dry_contact_settings *settings = u->settings;
    dry_contact_pair pair = pair_of(u, contact, relative, way);
    unsigned flags = link->flags | (vec3_length_squared(way) > 0.0f ? DRY_CONTACT_MEETS : 0);
    const bool has_rolling = link->points > 0 && (flags & DRY_CONTACT_ROUND);
    const dry_vec3 rolling = has_rolling ? dry_manifold_rolling_impulse(manifold) : vec3(0.0f, 0.0f, 0.0f);
    const int old_points = link->points;
    uint16_t old_feature[4];
    memcpy(old_feature, manifold->feature, sizeof old_feature);
    link->points = (uint8_t)dry_manifold_build(manifold, old_points, &pair, b_in_a, found);
    u->contacts->built_bits[contact / 64] |= UINT64_C(1) << contact % 64;
    dry_contacts_follow_rest(u->contacts, contact, old_feature, old_points);
    DRY_ASSERT(link->points <= 4);
    if (link->points > 0 && (flags & DRY_CONTACT_ROUND)) {
        const float limit = rolling_limit(u, manifold);
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
        /* Shapes that touch have overlapping fat bounds: the fat margin exceeds the speculative margin. */
        if (!dry_broadphase_overlaps(u->broadphase, pair.shape_a->proxy, pair.shape_b->proxy))
            flags |= DRY_CONTACT_LOST;
    } else if (settings->holds_levers) {
        dry_quat_pack(pair.pose_a->orientation, manifold->built);
    } else {
        memset(manifold->built, 0, sizeof manifold->built);
    }
    set_flags(u, contact, flags);
}

/* Tells whether nothing holds a body but, maybe, its contact of a color: within the step it goes on as it
 * moves now, until that contact acts. */
static bool is_alone(const dry_bodies *bodies, int row, int color)
{
    const uint64_t own = color >= 0 && color < DRY_COLOR_OVERFLOW ? UINT64_C(1) << color : 0;
    return (bodies->state[row].colors & ~own) == 0;
}

/* Collides a pair that is not two boxes, and builds its manifold. */
static void collide_alone(const update *u, int contact, dry_relative_pose *relative, float margin,
                          dry_local_manifold *found)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_shape_form *a = &u->shapes->form[m->shape_a], *b = &u->shapes->form[m->shape_b];
    const int row_a = dry_bodies_row(u->bodies, link->body_a),
              row_b = dry_bodies_row(u->bodies, link->body_b);
    dry_vec3 way = vec3(0.0f, 0.0f, 0.0f);
    dry_transform b_in_a;
    if (link->flags & DRY_CONTACT_ROUND && is_alone(u->bodies, row_a, link->color) &&
        is_alone(u->bodies, row_b, link->color)) {
        const dry_vec3 velocity =
            vec3_sub(u->bodies->velocity[row_b].linear, u->bodies->velocity[row_a].linear);
        /* The normal has to serve for two steps: a step relaxes gaps by what would close them in one more
         * substep. */
        const dry_meeting meeting = {a, b, quat_rotate_inverse(u->bodies->pose[row_a].orientation, velocity),
                                     2.0f * u->settings->dt, margin};
        way = dry_meeting_collide(&meeting, relative, &b_in_a, found);
    } else {
        b_in_a = dry_shape_b_in_a(a, b, relative);
        dry_collide(&a->geometry, &b->geometry, &b_in_a, margin, found);
    }
    build_contact(u, contact, relative, way, b_in_a.position, found);
}

/* Collides the pairs of a batch and builds their manifolds: boxes together, the rest one by one. */
static void build_all(const update *u, build_batch *batch)
{
    dry_box_pair boxes[DRY_BOX_PAIRS_MAX];
    dry_local_manifold found[DRY_BOX_PAIRS_MAX];
    int box_count = 0;
    for (int i = 0; i < batch->count; i++) {
        const dry_manifold *m = &u->contacts->manifold[batch->contact[i]];
        const dry_shape_form *a = &u->shapes->form[m->shape_a], *b = &u->shapes->form[m->shape_b];
        const dry_relative_pose *relative = &batch->relative[i];
        if (a->geometry.type == DRY_SHAPE_BOX && b->geometry.type == DRY_SHAPE_BOX) {
            const dry_transform b_in_a = dry_shape_b_in_a(a, b, relative);
            boxes[box_count] = dry_box_pair_of(&a->geometry, &b->geometry, &b_in_a, batch->margin[i]);
            if (box_count < i)
                batch->relative[box_count] = *relative;
            batch->contact[box_count++] = batch->contact[i];
        } else {
            collide_alone(u, batch->contact[i], &batch->relative[i], batch->margin[i], &found[0]);
        }
    }
    batch->count = 0;
    if (box_count == 0)
        return;
    dry_collide_boxes(u->settings->level, boxes, box_count, found);
    for (int i = 0; i < box_count; i++)
        build_contact(u, batch->contact[i], &batch->relative[i], vec3(0.0f, 0.0f, 0.0f), boxes[i].position,
                      &found[i]);
}

/* Tells whether lever arms as they were when the anchors were made are too far from the present ones. Neither
 * body has turned by more than a has and b has in a's frame, together. */
static bool held_too_long(const dry_manifold_motion *moved, int lane, const dry_contact_settings *settings)
{
    const float left = settings->lever_half_sine - moved->half_sine[lane], cosine = moved->cosine[lane];
    return moved->distance[lane] >= settings->lever_distance || left <= 0.0f ||
           1.0f - cosine * cosine >= left * left;
}

/* Keeps a contact as it is, or puts it into the batch. */
static void update_contact(const update *u, build_batch *batch, int contact, const dry_manifold_motion *moved,
                           int lane)
{
    const dry_bodies *bodies = u->bodies;
    const dry_contact_settings *settings = u->settings;
    dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    const unsigned cleared = DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_RECYCLED |
                             DRY_CONTACT_VOID | DRY_CONTACT_RENEWED | DRY_CONTACT_MEETS;
    unsigned flags = link->flags & ~cleared;
    bool is_void = link->flags & DRY_CONTACT_VOID;
    /* A round surface rolls away from under its anchor, and the load on the anchor would drive the roll. */
    bool is_kept = !(link->flags & (DRY_CONTACT_VOID | DRY_CONTACT_ROUND));

    const float distance = moved->distance[lane];
    if (link->points > 0 && distance < settings->recycle_distance && is_kept) {
        if (!settings->holds_levers || !held_too_long(moved, lane, settings)) {
            set_flags(u, contact, flags | DRY_CONTACT_RECYCLED);
            return;
        }
        flags |= DRY_CONTACT_RENEWED;
    }
    /* A fast pair gets its points in the step before it meets. An impact may turn either body within the
     * step, so that two that fly side by side meet. */
    const dry_vec3 va = bodies->velocity[row_a].linear, vb = bodies->velocity[row_b].linear;
    float closing = dry_manifold_bounces(m) ? vec3_length(va) + vec3_length(vb) : vec3_distance(vb, va);
    closing *= settings->dt;
    if (link->points == 0 && distance + closing < dry_manifold_clearance(m) && !is_void) {
        /* LOST stays from a step that failed for lack of memory. */
        set_flags(u, contact, flags | DRY_CONTACT_RECYCLED | (link->flags & DRY_CONTACT_LOST));
        return;
    }
    link->flags = (uint16_t)flags;
    __builtin_prefetch(&u->shapes->form[m->shape_a]);
    __builtin_prefetch(&u->shapes->form[m->shape_b]);
    batch->contact[batch->count] = contact;
    batch->margin[batch->count] = settings->margin + dry_min(closing, DRY_CLOSING_MAX);
    batch->relative[batch->count++] = dry_relative_pose_of(&bodies->pose[row_a], &bodies->pose[row_b]);
    if (batch->count == DRY_BOX_PAIRS_MAX)
        build_all(u, batch);
}

/* Prefetches what the update of a contact reads of its bodies, once its link is in the cache. A contact that
 * was built anew in the last step probably is again. */
DRY_PREFETCH void prefetch_bodies(const dry_contacts *contacts, const dry_bodies *bodies,
                                  const dry_shapes *shapes, int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    __builtin_prefetch(&bodies->pose[row_a]);
    __builtin_prefetch(&bodies->pose[row_b]);
    bool was_built = !(link->flags & DRY_CONTACT_RECYCLED);
    if (link->points == 0 || was_built) {
        __builtin_prefetch(&bodies->velocity[row_a]);
        __builtin_prefetch(&bodies->velocity[row_b]);
    }
    if (was_built) {
        __builtin_prefetch(&shapes->form[m->shape_a]);
        __builtin_prefetch(&shapes->form[m->shape_b]);
        if (link->points > 0) {
            __builtin_prefetch(m->points);
            __builtin_prefetch(m->impulse);
        }
    }
}

/* Tells whether a contact would be kept as it is: it was in the last step, and no body of it has moved since.
 */
static bool stays(const update *u, int contact)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const unsigned other = DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_VOID | DRY_CONTACT_RENEWED |
                           DRY_CONTACT_MEETS | DRY_CONTACT_ROUND;
    return link->points > 0 && (link->flags & (other | DRY_CONTACT_RECYCLED)) == DRY_CONTACT_RECYCLED &&
           dry_bodies_is_still(u->bodies, link->body_a) && dry_bodies_is_still(u->bodies, link->body_b);
}

/* Numbers of contacts by which prefetches run ahead: narrowphase/DECISIONS.md has the measurements. */
enum { CONTACTS_AHEAD = 24, BODIES_AHEAD = 16, WORDS_AT_ONCE = 8 };

/* Updates the first contacts of a list, at most DRY_MOTIONS of them, and prefetches for those behind them. */
static void update_block(const update *u, build_batch *batch, const int32_t *list, int left)
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
    dry_motion_kernels_at(u->settings->level)->manifold_motions(&source, count, &moved);
    for (int i = 0; i < count; i++)
        update_contact(u, batch, list[i], &moved, i);
}

void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end)
{
    const update u = {contacts, bodies, shapes, broadphase, settings};
    build_batch batch;
    batch.count = 0;
    int32_t list[64 * WORDS_AT_ONCE];
    for (int first = begin; first < end; first += WORDS_AT_ONCE) {
        int count = 0;
        for (int i = first; i < end && i < first + WORDS_AT_ONCE; i++) {
            int word = contacts->active_words[i];
            contacts->starting_bits[word] = contacts->ending_bits[word] = contacts->lost_bits[word] = 0;
            contacts->built_bits[word] = 0;
            for (uint64_t bits = contacts->active_bits[word]; bits; bits &= bits - 1) {
                const int contact = 64 * word + __builtin_ctzll(bits);
                if (!settings->looks_for_still || !stays(&u, contact))
                    list[count++] = contact;
            }
        }
        for (int i = 0; i < count; i += DRY_MOTIONS)
            update_block(&u, &batch, list + i, count - i);
    }
    if (batch.count > 0)
        build_all(&u, &batch);
}
