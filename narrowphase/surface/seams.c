/* Stage "contacts": takes away contacts that only an edge inside a surface makes.
 *
 * Boxes that lie flush are one surface, but each collides by itself: its edges and sides push what slides
 * over them. This second pass of the stage sees all contacts of a dynamic body with static and kinematic
 * solids. A point of a contact is *hidden* if a solid has it and has no such normal there
 * (surface/fixed_solid.h). A contact *strays* by the largest part of its normal that a solid at its points
 * lacks; of its points, the one that strays least counts. A contact whose points are all hidden *goes* if for
 * each of them
 *
 * - another contact of the same shape *bears*: it strays by at most a quarter as much. The contact of a body
 *   that strays least always stays, whichever solids hide each other;
 * - the solid that hides the point continues the surface on which that contact bears;
 * - the solid of the point does not rise above that surface there, as a wall rises above a floor.
 *
 * No support is lost: a contact that goes is built anew on the face of its box that continues the surface,
 * from the ends of the body that lie over the face. So the tiles below a body have together the points that
 * one large box would have.
 *
 * Reads: poses, shapes, manifolds. Writes: the manifolds and flags of one body at a time, so that bodies are
 * looked at in parallel. Next: step/graph.c. */
#include "narrowphase/surface/seams.h"

#include "narrowphase/surface/seam_body.h"
#include "state/iterators.h"

/* Points farther than this from all edges of a face are not on a seam: nothing is as deep beside a box, m. */
#define NEAR_EDGE 0.05f
/* A contact that strays by at most this share of another is a better one. */
#define BETTER 0.25f
/* The cosine of the largest angle, 15 degrees, between the surfaces of two solids that continue each other.
 */
#define CONTINUES 0.966f
/* How far the surface of a solid may lie from the plane of the contact that bears, m, beside what the angle
 * between them makes: a solid and the one between may both continue it. */
#define STOREY (2.0f * DRY_SEAM_REACH)

/* Returns a direction in a's principal frame as the fixed piece sees it. */
static dry_vec3 to_fixed(const dry_contact_pair *pair, int side, dry_vec3 direction)
{
    if (side == 0)
        return quat_rotate_inverse(pair->piece_a->orientation, direction);
    const dry_vec3 in_b = quat_rotate_inverse(pair->relative->orientation, direction);
    return quat_rotate_inverse(pair->piece_b->orientation, in_b);
}

/* Returns where b's surface point is in the frame of the fixed piece, m. */
static dry_vec3 place_on_fixed(const dry_contact_pair *pair, int side, dry_vec3 anchor_b)
{
    if (side == 1)
        return transform_point_inverse(pair->piece_b, anchor_b);
    const double *center = pair->relative->position;
    const dry_vec3 b = vec3((float)center[0], (float)center[1], (float)center[2]);
    const dry_vec3 in_a = vec3_add(b, quat_rotate(pair->relative->orientation, anchor_b));
    return transform_point_inverse(pair->piece_a, in_a);
}

bool dry_seams_may_have(const dry_contact_pair *pair, const dry_manifold *m, int points, int side,
                        dry_vec3 half)
{
    const dry_vec3 n = to_fixed(pair, side, m->normal);
    const int axis = dry_solid_face_along(n).axis;
    for (int k = 0; k < 3; k++)
        if (k != axis && dry_abs(vec3_get(n, k)) > DRY_SEAM_STRAYS_LEAST)
            return true;
    /* From here on the normal is that of a face: the gap along it takes no point nearer to an edge. */
    for (int i = 0; i < points; i++) {
        const dry_vec3 place = place_on_fixed(pair, side, m->points[i].anchor_b);
        for (int k = 0; k < 3; k++)
            if (k != axis && dry_abs(vec3_get(place, k)) > vec3_get(half, k) - NEAR_EDGE)
                return true;
    }
    return false;
}

/* A hidden point of a contact: `own` is the contact's solid, `cover` one that hides the point. */
typedef struct hidden_point {
    dry_vec3 point, normal;
    const dry_fixed_solid *own, *cover;
} hidden_point;

/* Tells whether the solid of a point has the place that lies `height` above the point, along the direction
 * `up`, and on the surface that has the point's normal. */
static bool has_above(const hidden_point *h, dry_vec3 along, float height)
{
    const float scale = height / vec3_length_squared(along);
    const dry_vec3 place = dry_solid_place(h->own, vec3_add_scaled(h->point, scale, along));
    return dry_solid_distance(h->own, place) <= DRY_SEAM_ON;
}

/* Tells whether the solid of a point ends where the surface of the cover lies: it neither rises above, as a
 * wall does, nor ends below, as a step down. `depth`: of the point below that surface along `up`, m. */
static bool is_level(const hidden_point *h, dry_vec3 up, float depth)
{
    const dry_vec3 along = vec3_add_scaled(up, -vec3_dot(up, h->normal), h->normal);
    if (vec3_length_squared(along) < DRY_SEAM_STRAYS_LEAST * DRY_SEAM_STRAYS_LEAST)
        return false;
    return !has_above(h, along, dry_max(depth, -DRY_SEAM_REACH) + DRY_SEAM_STEP) &&
           (depth <= DRY_SEAM_STEP || has_above(h, along, depth - DRY_SEAM_STEP));
}

/* Tells whether a contact r bears in place of a hidden point. */
static bool bears(const hidden_point *h, const dry_seam_contact *r)
{
    const dry_vec3 up = mat3_mul_transposed(&h->cover->axes, r->normal);
    const dry_vec3 place = dry_solid_place(h->cover, h->point);
    const dry_solid_face face = dry_solid_face_along(up);
    const float cosine = dry_abs(vec3_get(up, face.axis));
    if (cosine < CONTINUES)
        return false;
    const float depth = vec3_get(h->cover->half, face.axis) - face.sign * vec3_get(place, face.axis);
    const float sine = sqrtf(dry_max(0.0f, 1.0f - cosine * cosine));
    const dry_vec3 away = vec3_sub(h->point, r->points[0]);
    if (dry_abs(vec3_dot(away, r->normal) + depth / cosine) > STOREY + sine * vec3_length(away))
        return false;
    const dry_vec3 n = mat3_mul_transposed(&h->cover->axes, h->normal);
    const float strays = dry_solid_strays(h->cover, place, n, face);
    return strays > DRY_SEAM_STRAYS_LEAST && dry_solid_strays(h->cover, place, up, face) <= BETTER * strays &&
           is_level(h, dry_solid_normal(h->cover, face), depth);
}

/* Tells whether contact r bears in place of a point of contact i. */
static bool is_better(const dry_seam_body *b, int r, int i, const dry_seam_contact *c, const hidden_point *h)
{
    if (r == i || b->strays[r] > BETTER * b->strays[i] ||
        b->columns->contacts->link[b->contact[r]].points == 0)
        return false;
    const dry_seam_contact better = dry_seam_read(b->columns, b->contact[r]);
    return better.moving_shape == c->moving_shape && bears(h, &better);
}

/* Finds a contact that bears in place of a point of contact i which one solid hides; -1 if none does. The one
 * that was found last is tried first: it mostly bears for all. */
static int find_better(dry_seam_body *b, int i, const dry_seam_contact *c, const hidden_point *h)
{
    if (is_better(b, b->bearer, i, c, h))
        return b->bearer;
    for (int r = 0; r < b->count; r++)
        if (is_better(b, r, i, c, h))
            return b->bearer = r;
    return -1;
}

/* Finds a contact that bears in place of a hidden point, whichever solid hides it: its own one does, too,
 * where it has no such normal. Returns -1 if none does. */
static int find_bearer(dry_seam_body *b, int i, const dry_seam_contact *c, const dry_seam_near *near,
                       dry_vec3 point)
{
    hidden_point h = {point, c->normal, &c->solid, &c->solid};
    int r = find_better(b, i, c, &h);
    for (int j = 0; r < 0 && j < near->count; j++) {
        h.cover = &near->solid[j];
        if (dry_solid_has(h.cover, dry_solid_place(h.cover, point)))
            r = find_better(b, i, c, &h);
    }
    return r;
}

/* Returns the face of a solid that continues a surface with a normal; the axis is -1 if none does. */
static dry_solid_face face_along(const dry_fixed_solid *solid, dry_vec3 normal)
{
    const dry_vec3 up = mat3_mul_transposed(&solid->axes, normal);
    dry_solid_face face = dry_solid_face_along(up);
    if (dry_abs(vec3_get(up, face.axis)) < CONTINUES)
        face.axis = -1;
    return face;
}

/* Tells whether a contact goes, and finds the face of its box that continues the surface. */
static bool goes(dry_seam_body *b, int i)
{
    if (b->hidden[i] == 0)
        return false;
    const dry_seam_contact c = dry_seam_read(b->columns, b->contact[i]);
    if (b->hidden[i] != (1u << c.count) - 1)
        return false;
    dry_seam_near near;
    dry_seam_find_near(b, i, &c, &near);
    int bearer = -1;
    for (int k = c.count; k-- > 0;)
        if ((bearer = find_bearer(b, i, &c, &near, c.points[k])) < 0)
            return false;
    b->face[i] = (dry_seam_face){face_along(&c.solid, dry_seam_read(b->columns, b->contact[bearer]).normal),
                                 b->contact[bearer], true};
    return true;
}

/* Lets a contact without points bear on a face as the first one does that goes: what went may have held the
 * end of the body that is over this solid. */
static void join(dry_seam_body *b, int i, int first)
{
    const dry_seam_columns *columns = b->columns;
    const dry_contact_link *link = &columns->contacts->link[b->contact[i]];
    const unsigned flags = link->flags & (DRY_CONTACT_FIXED | DRY_CONTACT_LOST);
    if (link->points > 0 || flags != DRY_CONTACT_FIXED || b->face[first].face.axis < 0)
        return;
    const dry_fixed_solid own = dry_seam_solid(columns, b->contact[i], b->pose),
                          theirs = dry_seam_solid(columns, b->contact[first], b->pose);
    b->face[i] = (dry_seam_face){face_along(&own, dry_solid_normal(&theirs, b->face[first].face)),
                                 b->face[first].bearer, false};
    b->is_rebuilt[i] = b->face[i].face.axis >= 0;
}

/* Tells whether a contact is the first of seam_bits in a body's list: it alone leads to the body. Reads
 * nothing that another worker may write. */
static bool is_first(const dry_contacts *contacts, const dry_body_state *moving, int contact)
{
    dry_contact_iterator it = dry_contacts_of(contacts, moving);
    while (dry_next_contact(&it))
        if (contacts->seam_bits[it.contact / 64] >> it.contact % 64 & 1)
            break;
    return it.contact == contact;
}

/* Looks at the body of a contact. All contacts are judged before the first is written. */
static void cut_body(dry_seam_body *b, int contact)
{
    const dry_seam_columns *columns = b->columns;
    const dry_contact_link *link = &columns->contacts->link[contact];
    const int slot = dry_seam_is_dynamic(columns->bodies, link->body_a) ? link->body_a : link->body_b;
    const dry_body_state *moving = dry_body_state_of(columns->bodies, slot);
    b->pose = dry_body_pose_of(columns->bodies, slot);
    if (!is_first(columns->contacts, moving, contact) || !dry_seam_list(b, moving))
        return;
    int first = -1; /* of the contacts that go, and have a face */
    for (int i = 0; i < b->count; i++)
        dry_seam_rate(b, i);
    for (int i = 0; i < b->count; i++) {
        b->is_rebuilt[i] = goes(b, i);
        if (first < 0 && b->is_rebuilt[i] && b->face[i].face.axis >= 0)
            first = i;
    }
    for (int i = 0; i < b->count && first >= 0; i++)
        join(b, i, first);
    for (int i = 0; i < b->count; i++)
        if (b->is_rebuilt[i])
            dry_seam_build_on_face(columns, b->contact[i], &b->face[i]);
}

void dry_seams_cut(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                   const dry_contact_settings *settings, int begin, int end)
{
    const dry_seam_columns columns = {contacts, bodies, shapes, settings};
    dry_seam_body b;
    b.columns = &columns;
    for (int i = begin; i < end; i++) {
        const int word = contacts->active_words[i];
        for (uint64_t bits = contacts->seam_bits[word]; bits; bits &= bits - 1)
            cut_body(&b, 64 * word + __builtin_ctzll(bits));
    }
}

void dry_seams_tell(dry_contacts *contacts, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const int word = contacts->active_words[i];
        for (uint64_t bits = contacts->seam_bits[word]; bits; bits &= bits - 1) {
            const uint64_t bit = bits & (~bits + 1);
            dry_contact_link *link = &contacts->link[64 * word + __builtin_ctzll(bits)];
            if (!(link->flags & DRY_CONTACT_CUT))
                continue;
            contacts->built_bits[word] |= bit;
            contacts->starting_bits[word] &= ~bit;
            contacts->ending_bits[word] &= ~bit;
            link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
            const bool touching = link->flags & DRY_CONTACT_TOUCHING;
            if ((link->points > 0) == touching)
                continue;
            link->flags |= DRY_CONTACT_CHANGED;
            *(touching ? &contacts->ending_bits[word] : &contacts->starting_bits[word]) |= bit;
        }
    }
}
