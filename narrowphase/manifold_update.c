/* Stage "contacts": one contact's manifold, updated while its bodies barely moved, rebuilt otherwise.
 *
 * Reads poses, shapes, the old manifold. Writes the manifold and the contact's flags. Next: step/graph.c.
 */
#include "narrowphase/manifold_update.h"

#include "narrowphase/collide.h"
#include "narrowphase/manifold.h"

/* Where b's body is, seen from a's. */
typedef struct relative_pose {
    double position[3]; /* a's principal axes */
    dry_quat orientation;
} relative_pose;

static relative_pose relative_pose_of(const dry_body_pose *a, const dry_body_pose *b)
{
    relative_pose r;
    dry_mat3 ra = mat3_from_quat(a->orientation);
    double x = b->position.x - a->position.x, y = b->position.y - a->position.y,
           z = b->position.z - a->position.z;
    const dry_vec3 *axes = &ra.x;
    for (int i = 0; i < 3; i++)
        r.position[i] = (double)axes[i].x * x + (double)axes[i].y * y + (double)axes[i].z * z;
    r.orientation = quat_mul(quat_conjugate(a->orientation), b->orientation);
    return r;
}

/* An upper bound of how far any point of b's shape has moved in a's frame since the anchors were made. */
static float moved_since_built(const dry_manifold *m, const relative_pose *r)
{
    dry_vec3 moved =
        vec3((float)(r->position[0] - m->built_position[0]), (float)(r->position[1] - m->built_position[1]),
             (float)(r->position[2] - m->built_position[2]));
    /* A turn by t moves a point at distance l by 2 l sin(t / 2). In towers that rest turns of 1e-20 are
     * common: scaled by a power of two, their squares have the same digits and are not subnormal, which
     * processors take several times as long for. */
    const float up = 1099511627776.0f;
    dry_quat built = m->built_orientation;
    dry_quat back = {-up * built.x, -up * built.y, -up * built.z, up * built.w};
    dry_quat turn = quat_mul(back, r->orientation);
    float half_sine = vec3_length(vec3(turn.x, turn.y, turn.z));
    return vec3_length(moved) + 2.0f / up * half_sine * m->reach_b;
}

/* b's shape in the frame that dry_collide works in: a's shape, but a half-space slides along under b, so
 * that far from its origin nothing is lost. `shift` is that slide, in the half-space's frame. */
static dry_transform shape_b_in_a(const dry_shape_form *a, const dry_shape_form *b, const relative_pose *r,
                                  const dry_mat3 *rotation, double shift[3])
{
    dry_vec3 b_local = mat3_mul(rotation, b->pose.position);
    double offset[3] = {r->position[0] + (double)b_local.x - (double)a->pose.position.x,
                        r->position[1] + (double)b_local.y - (double)a->pose.position.y,
                        r->position[2] + (double)b_local.z - (double)a->pose.position.z};
    dry_mat3 axes = mat3_from_quat(a->pose.orientation);
    const dry_vec3 *axis = &axes.x;
    double in_a[3];
    for (int i = 0; i < 3; i++) {
        in_a[i] =
            (double)axis[i].x * offset[0] + (double)axis[i].y * offset[1] + (double)axis[i].z * offset[2];
        shift[i] = a->geometry.type == DRY_SHAPE_HALFSPACE && i != 1 ? in_a[i] : 0.0;
    }
    dry_transform t;
    t.position = vec3((float)(in_a[0] - shift[0]), (float)(in_a[1] - shift[1]), (float)(in_a[2] - shift[2]));
    t.orientation =
        quat_mul(quat_conjugate(a->pose.orientation), quat_mul(r->orientation, b->pose.orientation));
    return t;
}

/* Puts the point farthest from the first beside it: the solver takes points two by two, and pairs from
 * across the patch keep a flat landing flat. */
static void pair_across(dry_local_manifold *found)
{
    int farthest = 1;
    float most = -1.0f;
    for (int i = 1; i < found->count; i++) {
        float distance = vec3_distance(found->points[i].position, found->points[0].position);
        if (distance > most) {
            most = distance;
            farthest = i;
        }
    }
    if (found->count > 2) {
        dry_local_point p = found->points[1];
        found->points[1] = found->points[farthest];
        found->points[farthest] = p;
    }
}

/* The pair as it is while its anchors are made. */
typedef struct contact_bodies {
    const dry_shape_form *shape_a, *shape_b;
    const dry_body_pose *a, *b;
} contact_bodies;

/* New anchors from the points found; impulses of points whose features persist are kept. Returns how many
 * points there are. in_a, shift: of shape_b_in_a. */
static int rebuild(dry_manifold *m, int old_points, const contact_bodies *of, const relative_pose *r,
                   dry_vec3 in_a, const double shift[3], dry_local_manifold *found,
                   const dry_contact_settings *settings)
{
    const dry_shape_form *a = of->shape_a, *b = of->shape_b;
    dry_mat3 rotation = mat3_from_quat(r->orientation);

    pair_across(found);

    for (int i = 0; i < 3; i++)
        m->built_position[i] = r->position[i];
    m->built_orientation = r->orientation;
    m->reach_b = b->radius + vec3_length(b->pose.position);
    if (found->count == 0) {
        /* What is farther apart than the margin still is if the two moved since, and will close in, by less
         * than half of it, or by what they are farther apart. */
        float room = found->apart - settings->margin;
        m->apart = settings->recycle_distance > 0.0f ? dry_max(0.5f * settings->margin, room) : 0.0f;
        m->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
        m->twist_impulse = 0.0f;
        return 0;
    }
    float old_impulse[4];
    uint16_t old_feature[4];
    for (int i = 0; i < old_points; i++)
        old_impulse[i] = m->impulse[i], old_feature[i] = m->feature[i];
    dry_mat3 axes = mat3_from_quat(a->pose.orientation);
    m->normal = mat3_mul(&axes, found->normal);
    dry_vec3 n = dry_manifold_normal(m, of->a);
    m->height = dry_manifold_height(n, of->a, of->b);
    /* From the collision frame's origin to b's centre, a's principal axes. */
    dry_vec3 slide = mat3_mul(&axes, vec3((float)shift[0], (float)shift[1], (float)shift[2]));
    dry_vec3 origin = vec3((float)((double)a->pose.position.x - r->position[0] + (double)slide.x),
                           (float)((double)a->pose.position.y - r->position[1] + (double)slide.y),
                           (float)((double)a->pose.position.z - r->position[2] + (double)slide.z));
    if (a->geometry.type == DRY_SHAPE_HALFSPACE) {
        /* The same without the cancellation: b's shape lies b_in_a away from the origin. */
        origin = vec3_sub(mat3_mul(&rotation, b->pose.position), mat3_mul(&axes, in_a));
    }
    for (int i = 0; i < found->count; i++) {
        dry_manifold_point *p = &m->points[i];
        float separation = found->points[i].separation;
        dry_vec3 middle = vec3_add(origin, mat3_mul(&axes, found->points[i].position));
        dry_vec3 surface = vec3_add_scaled(middle, 0.5f * separation, m->normal);
        p->anchor_b = mat3_mul_transposed(&rotation, surface);
        p->rest = vec3_dot(n, quat_rotate(of->b->orientation, p->anchor_b)) - separation;
        m->feature[i] = (uint16_t)found->points[i].feature;
        m->impulse[i] = 0.0f;
        for (int j = 0; j < old_points; j++)
            if (old_feature[j] == m->feature[i])
                m->impulse[i] = old_impulse[j];
    }
    return found->count;
}

double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point)
{
    const dry_body_pose *pose = dry_body_pose_of(bodies, halfspace->body);
    dry_vec3 n =
        quat_rotate(quat_mul(pose->orientation, halfspace->pose.orientation), vec3(0.0f, 1.0f, 0.0f));
    dry_vec3 local = quat_rotate(pose->orientation, halfspace->pose.position);
    double x = point.x - pose->position.x - (double)local.x, y = point.y - pose->position.y - (double)local.y,
           z = point.z - pose->position.z - (double)local.z;
    return (double)n.x * x + (double)n.y * y + (double)n.z * z;
}

/* Whether the pair is far enough apart to be forgotten. Shapes that touch have overlapping fat bounds: the
 * fat margin exceeds the speculative one. */
static bool is_lost(const dry_bodies *bodies, const dry_broadphase *broadphase, const dry_shape_form *a,
                    const dry_shape_form *b, const dry_body_pose *pose_b)
{
    if (a->geometry.type == DRY_SHAPE_HALFSPACE) {
        dry_position center =
            position_add(pose_b->position, quat_rotate(pose_b->orientation, b->pose.position));
        return dry_halfspace_height(bodies, a, center) > (double)(b->radius + 2.0f * DRY_HALFSPACE_MARGIN);
    }
    return !dry_broadphase_overlaps(broadphase, a->proxy, b->proxy);
}

/* Contacts that wait to be rebuilt together: meanwhile their shapes are fetched, and boxes collide in lanes.
 */
typedef struct rebuild_batch {
    int count;
    int32_t contact[DRY_BOX_PAIRS_MAX];
    float margin[DRY_BOX_PAIRS_MAX];
    relative_pose pose[DRY_BOX_PAIRS_MAX];
} rebuild_batch;

/* What the update of a range of contacts works with. */
typedef struct update {
    dry_contacts *contacts;
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_broadphase *broadphase;
    const dry_contact_settings *settings;
} update;

/* The flags of a contact, and what of them the graph looks at. */
static void set_flags(const update *u, int contact, unsigned flags)
{
    dry_contact_link *link = &u->contacts->link[contact];
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

static contact_bodies bodies_of(const update *u, int contact)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    return (contact_bodies){&u->shapes->form[m->shape_a], &u->shapes->form[m->shape_b],
                            dry_body_pose_of(u->bodies, link->body_a),
                            dry_body_pose_of(u->bodies, link->body_b)};
}

static void rebuild_contact(const update *u, int contact, const relative_pose *r, dry_vec3 in_a,
                            const double shift[3], dry_local_manifold *found)
{
    dry_contact_link *link = &u->contacts->link[contact];
    unsigned flags = link->flags;
    contact_bodies of = bodies_of(u, contact);
    link->points = (uint8_t)rebuild(&u->contacts->manifold[contact], link->points, &of, r, in_a, shift, found,
                                    u->settings);
    if (link->points == 0 && is_lost(u->bodies, u->broadphase, of.shape_a, of.shape_b, of.b))
        flags |= DRY_CONTACT_LOST;
    set_flags(u, contact, flags);
}

static void rebuild_all(const update *u, rebuild_batch *batch)
{
    static const double no_shift[3] = {0.0, 0.0, 0.0};
    dry_box_pair pair[DRY_BOX_PAIRS_MAX];
    dry_local_manifold found[DRY_BOX_PAIRS_MAX];
    int boxes = 0;
    for (int i = 0; i < batch->count; i++) {
        const dry_manifold *m = &u->contacts->manifold[batch->contact[i]];
        const dry_shape_form *a = &u->shapes->form[m->shape_a], *b = &u->shapes->form[m->shape_b];
        const relative_pose r = batch->pose[i];
        double shift[3];
        dry_mat3 rotation = mat3_from_quat(r.orientation);
        dry_transform b_in_a = shape_b_in_a(a, b, &r, &rotation, shift);
        if (a->geometry.type == DRY_SHAPE_BOX && b->geometry.type == DRY_SHAPE_BOX) {
            pair[boxes] = dry_box_pair_of(&a->geometry, &b->geometry, &b_in_a, batch->margin[i]);
            batch->pose[boxes] = r;
            batch->contact[boxes++] = batch->contact[i];
        } else {
            dry_collide(&a->geometry, &b->geometry, &b_in_a, batch->margin[i], &found[0]);
            rebuild_contact(u, batch->contact[i], &r, b_in_a.position, shift, &found[0]);
        }
    }
    batch->count = 0;
    if (boxes == 0)
        return;
    dry_collide_boxes(u->settings->level, pair, boxes, found);
    for (int i = 0; i < boxes; i++)
        rebuild_contact(u, batch->contact[i], &batch->pose[i], pair[i].position, no_shift, &found[i]);
}

static void update_contact(const update *u, rebuild_batch *batch, int contact)
{
    const dry_bodies *bodies = u->bodies;
    const dry_contact_settings *settings = u->settings;
    dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    unsigned flags = link->flags & ~(unsigned)(DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_RECYCLED);

    relative_pose r = relative_pose_of(&bodies->pose[row_a], &bodies->pose[row_b]);
    float moved = moved_since_built(m, &r);
    if (link->points > 0 && moved < settings->recycle_distance) {
        set_flags(u, contact, flags | DRY_CONTACT_RECYCLED);
        return;
    }
    /* What closes in within the step is met before it gets there, however fast. */
    float closing = vec3_distance(bodies->velocity[row_b].linear, bodies->velocity[row_a].linear);
    closing *= settings->dt;
    if (link->points == 0 && moved + closing < m->apart) {
        /* Lost already, if that step was refused for want of memory. */
        set_flags(u, contact, flags | DRY_CONTACT_RECYCLED | (link->flags & DRY_CONTACT_LOST));
        return;
    }
    link->flags = (uint16_t)flags;
    __builtin_prefetch(&u->shapes->form[m->shape_a]);
    __builtin_prefetch(&u->shapes->form[m->shape_b]);
    batch->contact[batch->count] = contact;
    batch->margin[batch->count] = settings->margin + dry_min(closing, DRY_CLOSING_MAX);
    batch->pose[batch->count++] = r;
    if (batch->count == DRY_BOX_PAIRS_MAX)
        rebuild_all(u, batch);
}

/* The same for what its bodies have, when its link is there. What was rebuilt will be once more. */
DRY_FETCH void dry_contact_prefetch_bodies(const dry_contacts *contacts, const dry_bodies *bodies,
                                           const dry_shapes *shapes, int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    __builtin_prefetch(&bodies->pose[row_a]);
    __builtin_prefetch(&bodies->pose[row_b]);
    bool rebuilt = !(link->flags & DRY_CONTACT_RECYCLED);
    if (link->points == 0 || rebuilt) {
        __builtin_prefetch(&bodies->velocity[row_a]);
        __builtin_prefetch(&bodies->velocity[row_b]);
    }
    if (rebuilt) {
        __builtin_prefetch(&shapes->form[m->shape_a]);
        __builtin_prefetch(&shapes->form[m->shape_b]);
        if (link->points > 0) {
            __builtin_prefetch(m->points);
            __builtin_prefetch(m->impulse);
        }
    }
}

/* How far ahead contacts and their bodies are fetched: docs/decisions.md has the numbers. */
enum { CONTACTS_AHEAD = 8, BODIES_AHEAD = 4, WORDS_AT_ONCE = 8 };

void dry_contacts_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                         const dry_broadphase *broadphase, const dry_contact_settings *settings, int begin,
                         int end)
{
    const update u = {contacts, bodies, shapes, broadphase, settings};
    rebuild_batch batch;
    batch.count = 0;
    int32_t list[64 * WORDS_AT_ONCE];
    for (int first = begin; first < end; first += WORDS_AT_ONCE) {
        int count = 0;
        for (int i = first; i < end && i < first + WORDS_AT_ONCE; i++) {
            int word = contacts->active_words[i];
            contacts->starting_bits[word] = contacts->ending_bits[word] = contacts->lost_bits[word] = 0;
            for (uint64_t bits = contacts->active_bits[word]; bits; bits &= bits - 1)
                list[count++] = 64 * word + __builtin_ctzll(bits);
        }
        for (int i = 0; i < count; i++) {
            if (i + CONTACTS_AHEAD < count)
                dry_contact_prefetch(contacts, list[i + CONTACTS_AHEAD]);
            if (i + BODIES_AHEAD < count)
                dry_contact_prefetch_bodies(contacts, bodies, shapes, list[i + BODIES_AHEAD]);
            update_contact(&u, &batch, list[i]);
        }
    }
    if (batch.count > 0)
        rebuild_all(&u, &batch);
}
