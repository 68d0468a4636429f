/* Contacts: every pair of shapes whose fat bounds overlap, with the manifold that the pair remembers.
 *
 * A contact's index never moves while the contact lives. A new contact takes the lowest free index, so that
 * contacts which are removed and made again get the same numbers. Sets of contacts are bits: calls only set
 * and clear bits. A step works on the active contacts, those with an awake body, by rising index, so that its
 * stages walk memory in order; dry_contacts_list_active lists the words that have any.
 *
 * A manifold keeps the anchors it was built with while its bodies barely move relative to each other
 * ("recycling"). Drift then shows as displacement and is resisted, and most of the work is saved.
 *
 * Next: narrowphase/contact_update.h. */
#ifndef STATE_CONTACTS_H
#define STATE_CONTACTS_H

#include "core/pair_map.h"
#include "core/shared.h"
#include "state/bodies.h"
#include "state/shapes.h"

#include <stddef.h>
#include <string.h>

enum {
    DRY_CONTACT_TOUCHING = 1,  /* the manifold has points, and the graph knows */
    DRY_CONTACT_CHANGED = 2,   /* the manifold gained its first or lost its last point; for the graph */
    DRY_CONTACT_LOST = 4,      /* the fat bounds are apart: to be removed */
    DRY_CONTACT_RECYCLED = 8,  /* updated, not rebuilt, in this step */
    DRY_CONTACT_USED = 16,     /* a living contact, not a hole */
    DRY_CONTACT_ACTIVE = 32,   /* a body of it is awake */
    DRY_CONTACT_VOID = 64,     /* its anchors are void: the next update makes new ones, whatever moved */
    DRY_CONTACT_RENEWED = 128, /* rebuilt in this step only because its lever arms had been held too long */
    DRY_CONTACT_ROUND = 256,   /* a curved surface rolls on it: every update makes new anchors */
    DRY_CONTACT_SLIDES = 512,  /* the pair has static friction, and its patch slides */
    DRY_CONTACT_MEETS = 1024,  /* its anchors are those of the pose at which the surfaces meet in this step */
    DRY_CONTACT_PARENT =
        2048,                 /* stands for a pair of shapes and owns its contacts; has no points, no color */
    DRY_CONTACT_PATCH = 4096, /* a child whose first piece is a surface of triangles */
    DRY_CONTACT_UNWANTED = 8192 /* a child whose pieces are apart: to be removed once it has no points */
};

/* The part of a contact that all stages read. */
#define DRY_CONTACT_LINK_FIELDS(F, T)                                                                        \
    F(T, 1, int32_t, body_a, , -1, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS, "slot")                   \
    F(T, 2, int32_t, body_b, , -1, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS, "slot")                   \
    F(T, 3, int32_t, next, [2], DRY_ENDS_DEFAULT, "", DRY_HASHED,                                            \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "in the lists of side a's and side b's body, as contact * 2 + side; -1: none")                         \
    F(T, 4, int32_t, prev, [2], DRY_ENDS_DEFAULT, "", DRY_DERIVED("follows from `next`"),                    \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "likewise")            \
    F(T, 5, int8_t, color, , DRY_COLOR_NONE, "", DRY_HASHED,                                                 \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "DRY_COLOR_...")       \
    F(T, 6, uint8_t, points, , 0, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS, "of the manifold, 0 to 4") \
    F(T, 7, uint16_t, flags, , 0, "",                                                                        \
      DRY_HASHED_BITS(DRY_CONTACT_TOUCHING | DRY_CONTACT_USED | DRY_CONTACT_ACTIVE | DRY_CONTACT_VOID |      \
                          DRY_CONTACT_SLIDES | DRY_CONTACT_UNWANTED,                                         \
                      UINT16_MAX),                                                                           \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,         \
      "DRY_CONTACT_...")                                                                                     \
    F(T, 9, int32_t, parent, , -1, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS,                           \
      "contact that stands for the pair of shapes; -1: this one does; -2: it is gone, and this goes, too")

enum { DRY_CONTACT_ORPHAN = -2 };

DRY_STRUCT_OF(dry_contact_link, DRY_CONTACT_LINK_FIELDS);
_Static_assert(sizeof(dry_contact_link) == 32, "a walk over a body's contacts reads them at random");

/* Tells whether a contact is owned by the contact of its pair. */
static inline bool dry_contact_is_child(const dry_contact_link *link)
{
    return link->parent != -1;
}

/* b's surface point in b's principal frame, m, and the height of that point over b's center, along the
 * normal, at which it touches a's surface while the centers stay, m. */
typedef struct dry_manifold_point {
    dry_vec3 anchor_b;
    float touch_height;
} dry_manifold_point;

/* Three cache lines. The solver reads the first two and writes the second; the third tells whether the
 * anchors are kept, and of which shapes they are. Groups of four floats, so that prepare gathers sixteen
 * manifolds with 16-byte loads and transposes.
 *
 * The separation of a point is not kept: with n the normal in the world it is
 *     (n . (x_b - x_a) - height) + n . R_b anchor_b - touch_height
 * the first term in double, so that it loses nothing however far apart the centers are. */
#define DRY_MANIFOLD_FIELDS(F, T)                                                                            \
    F(T, 1, dry_manifold_point, points, [4], DRY_POINTS_DEFAULT, "m", DRY_HASHED_POINTS,                     \
      DRY_BY_PAIRS | DRY_BY_CONTACTS,                                                                        \
      "b's surface point in b's principal frame; its height at which the surfaces touch")                    \
    F(T, 2, float, impulse, [4], DRY_ARRAY_DEFAULT, "N s", DRY_HASHED_POINTS,                                \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_STORE,                                          \
      "of the points over one substep of length `substep`")                                                  \
    F(T, 3, dry_vec3, friction_impulse, , DRY_VEC3_DEFAULT, "N s", DRY_HASHED,                               \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_STORE, "on b, world axes, over one substep")    \
    F(T, 4, float, torsion_impulse, , 0.0f, "N m s", DRY_HASHED,                                             \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_STORE,                                          \
      "about the normal, on b, over one substep")                                                            \
    F(T, 5, dry_vec3, normal, , DRY_VEC3_DEFAULT, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS,            \
      "in a's principal frame, from a to b")                                                                 \
    F(T, 6, float, friction, , 0.0f, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_CALLS,          \
      "coefficient of the pair")                                                                             \
    F(T, 7, double, height, , 0.0, "m", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS,                          \
      "of b's center over a's along the normal when the anchors were made")                                  \
    F(T, 8, float, substep, , 0.0f, "s", DRY_HASHED,                                                         \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_STORE,                                          \
      "the substep that the impulses are for; negative: guessed, not solved yet; 0: none yet")               \
    F(T, 9, float, restitution, , 0.0f, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_CALLS,       \
      "coefficient of the pair")                                                                             \
    F(T, 10, double, built_position, [3], DRY_ARRAY_DEFAULT, "m", DRY_HASHED,                                \
      DRY_BY_PAIRS | DRY_BY_CONTACTS, "b's center in a's principal frame when the anchors were made")        \
    F(T, 11, dry_quat, built_orientation, , DRY_QUAT_DEFAULT, "", DRY_HASHED,                                \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_STORE | DRY_WHERE_BUILT,                                       \
      "b's orientation in a's frame then. With points of a round shape: x, y, z are the angular impulse of " \
      "rolling resistance on b, N m s, world axes, over one substep, and w is its limit over the normal "    \
      "impulse, m")                                                                                          \
    F(T, 12, int32_t, shape_a, , -1, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS, "slot")                 \
    F(T, 13, int32_t, shape_b, , -1, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS, "slot")                 \
    F(T, 14, uint16_t, feature, [4], DRY_ARRAY_DEFAULT, "", DRY_HASHED_POINTS,                               \
      DRY_BY_PAIRS | DRY_BY_CONTACTS, "which features of the shapes make the points")                        \
    F(T, 17, uint16_t, radius_b, , 0, "m", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS,                       \
      "of a sphere about b's center that holds b's shape: the upper half of a float, rounded up")            \
    F(T, 18, uint16_t, built, [3], DRY_ARRAY_DEFAULT, "", DRY_HASHED, DRY_BY_PAIRS | DRY_BY_CONTACTS,        \
      "with points, or patches and held lever arms: a's orientation then (core/quat_pack.h). With neither, " \
      "in m, a float: there are none until the shapes have moved and close in by this")

DRY_STRUCT_OF(dry_manifold, DRY_MANIFOLD_FIELDS);
_Static_assert(sizeof(dry_manifold) == 192 && offsetof(dry_manifold, impulse) == 64 &&
                   offsetof(dry_manifold, built_position) == 128,
               "three cache lines");

/* Returns the smallest radius of at least `radius` that fits into the upper half of a float. */
static inline uint16_t dry_radius_pack(float radius)
{
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    return (uint16_t)((bits + 0xffff) >> 16);
}

static inline float dry_manifold_radius_b(const dry_manifold *manifold)
{
    uint32_t bits = (uint32_t)manifold->radius_b << 16;
    float radius;
    memcpy(&radius, &bits, sizeof radius);
    return radius;
}

/* Returns how far the shapes of a manifold without points may move and close in before there may be some, m.
 */
static inline float dry_manifold_clearance(const dry_manifold *manifold)
{
    float clearance;
    memcpy(&clearance, manifold->built, sizeof clearance);
    return clearance;
}

static inline void dry_manifold_set_clearance(dry_manifold *manifold, float clearance)
{
    manifold->built[2] = 0;
    memcpy(manifold->built, &clearance, sizeof clearance);
}

/* Rolling resistance. A manifold with a round shape and points is rebuilt in every step, so that nobody needs
 * the orientation when its anchors were made. */
static inline dry_vec3 dry_manifold_rolling_impulse(const dry_manifold *manifold)
{
    const dry_quat *q = &manifold->built_orientation;
    return (dry_vec3){q->x, q->y, q->z};
}

static inline float dry_manifold_rolling_limit(const dry_manifold *manifold)
{
    return manifold->built_orientation.w;
}

static inline void dry_manifold_set_rolling(dry_manifold *manifold, dry_vec3 impulse, float limit)
{
    manifold->built_orientation = (dry_quat){impulse.x, impulse.y, impulse.z, limit};
}

/* X(ID, type, name, FIELDS, number), as DRY_BODY_COLUMNS; rows are contacts. */
#define DRY_CONTACT_COLUMNS(X)                                                                               \
    X(CONTACT_LINK, dry_contact_link, link, DRY_CONTACT_LINK_FIELDS, 40)                                     \
    X(CONTACT_MANIFOLD, dry_manifold, manifold, DRY_MANIFOLD_FIELDS, 41)

/* The penalties of a solver that keeps them: how stiff its rows have grown. */
#define DRY_CONTACT_PENALTY_FIELDS(F, T)                                                                     \
    F(T, 1, float, normal, , 0.0f, "N/m", DRY_HASHED, DRY_BY_STORE | DRY_BY_PAIRS | DRY_BY_CONTACTS,         \
      "of each point along the normal; 0: none yet")                                                         \
    F(T, 2, float, friction, , 0.0f, "N/m", DRY_HASHED, DRY_BY_STORE | DRY_BY_PAIRS | DRY_BY_CONTACTS,       \
      "along the tangents; 0: none yet")
DRY_STRUCT_OF(dry_contact_penalty, DRY_CONTACT_PENALTY_FIELDS);

/* How a patch with static friction stood when the last step ended. */
#define DRY_CONTACT_STICKING_FIELDS(F, T)                                                                    \
    F(T, 1, float, limit, , 0.0f, "N", DRY_HASHED, DRY_BY_STORE | DRY_BY_CONTACTS | DRY_BY_CALLS,            \
      "what static friction holds at most; 0: nothing yet")                                                  \
    F(T, 2, float, doubt, , 0.0f, "N", DRY_HASHED, DRY_BY_STORE | DRY_BY_CONTACTS | DRY_BY_CALLS,            \
      "by how much this limit and friction changed in the step")                                             \
    F(T, 3, float, excess, , 0.0f, "N s", DRY_HASHED, DRY_BY_STORE | DRY_BY_CONTACTS | DRY_BY_CALLS,         \
      "impulse beyond the limit that would have held the patch in the step")
DRY_STRUCT_OF(dry_contact_sticking, DRY_CONTACT_STICKING_FIELDS);

/* The lengths of a contact's springs: a point presses by how far its separation is below its length. */
#define DRY_CONTACT_REST_FIELDS(F, T)                                                                        \
    F(T, 1, float, length, [4], DRY_ARRAY_DEFAULT, "m", DRY_HASHED,                                          \
      DRY_BY_PREPARE | DRY_BY_CONTACTS | DRY_BY_CALLS,                                                       \
      "separation at which a point of an island at rest presses with nothing")
DRY_STRUCT_OF(dry_contact_rest, DRY_CONTACT_REST_FIELDS);

/* A pair of shapes that are made of pieces may have many contacts. A parent stands for the pair: in the map
 * of pairs, in events, in the limit of pairs. Its children touch; stage contacts adds and removes them. */
#define DRY_CONTACT_FAMILY_FIELDS(F, T)                                                                      \
    F(T, 1, int32_t, first, , -1, "", DRY_HASHED,                                                            \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "of a parent: its newest child; -1: none")                                                             \
    F(T, 2, int32_t, next, , -1, "", DRY_HASHED,                                                             \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "of a child: the next older one of its parent; -1: none")                                              \
    F(T, 3, int32_t, touching, , 0, "", DRY_DERIVED("follows from the children"),                            \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "of a parent: its children that touch, as the graph knows")                                            \
    F(T, 4, int32_t, told, , 0, "", DRY_HASHED,                                                              \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "of a parent: 1 if its begin was the last event")                                                      \
    F(T, 5, uint32_t, piece, [2], DRY_ARRAY_DEFAULT, "", DRY_HASHED, DRY_BY_CONTACTS,                        \
      "of a child: the piece of each shape; of a shape of triangles: one of those that touch")               \
    F(T, 8, uint32_t, material, , 0, "", DRY_HASHED, DRY_BY_CONTACTS,                                        \
      "of a child of triangles: the index of their material")                                                \
    F(T, 7, int32_t, found, , -1, "", DRY_MADE_ANEW("stage contacts uses it up"), DRY_BY_CONTACTS,           \
      "of a child of triangles: what its parent has found for it; -1: nothing")
DRY_STRUCT_OF(dry_contact_family, DRY_CONTACT_FAMILY_FIELDS);

/* The upper halves of features, of contacts whose shapes need more than 16 bits. */
#define DRY_CONTACT_WIDE_FIELDS(F, T)                                                                        \
    F(T, 1, uint16_t, high, [4], DRY_ARRAY_DEFAULT, "", DRY_HASHED_POINTS, DRY_BY_PAIRS | DRY_BY_CONTACTS,   \
      "upper 16 bits of the manifold's `feature`")
DRY_STRUCT_OF(dry_contact_wide, DRY_CONTACT_WIDE_FIELDS);

/* Columns that only some settings need: absent, a null pointer, until a step first needs them
 * (dry_contacts_need_NAME), and from then on like the others. */
#define DRY_CONTACT_RARE_COLUMNS(X)                                                                          \
    X(CONTACT_PENALTY, dry_contact_penalty, penalty, DRY_CONTACT_PENALTY_FIELDS, 49)                         \
    X(CONTACT_STICKING, dry_contact_sticking, sticking, DRY_CONTACT_STICKING_FIELDS, 67)                     \
    X(CONTACT_REST, dry_contact_rest, rest, DRY_CONTACT_REST_FIELDS, 69)                                     \
    X(CONTACT_FAMILY, dry_contact_family, family, DRY_CONTACT_FAMILY_FIELDS, 72)                             \
    X(CONTACT_WIDE, dry_contact_wide, wide, DRY_CONTACT_WIDE_FIELDS, 74)

/* Sets of contacts, a bit for each. `begun` alone says what the flags do not. */
#define DRY_CONTACT_BEGUN_FIELDS(F, T)                                                                       \
    F(dry_word_element, 1, uint64_t, value, , 0, "", DRY_HASHED,                                             \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_PUBLISH | DRY_BY_CALLS, "touching, and no event has told so")
#define DRY_CONTACT_FLAG_FIELDS(F, T)                                                                        \
    F(dry_word_element, 1, uint64_t, value, , 0, "", DRY_DERIVED("follows from the flags"),                  \
      DRY_BY_PAIRS | DRY_BY_CONTACTS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,                        \
      "the flag of the same name")
#define DRY_CONTACT_MARK_FIELDS(F, T)                                                                        \
    F(dry_word_element, 1, uint64_t, value, , 0, "", DRY_MADE_ANEW("made anew by each step"),                \
      DRY_BY_CONTACTS | DRY_BY_CALLS, "what stage contacts found, for stage graph")

/* X(ID, type, name, FIELDS, number); rows are words of 64 contacts. */
#define DRY_CONTACT_SETS(X)                                                                                  \
    X(CONTACT_USED, uint64_t, used_bits, DRY_CONTACT_FLAG_FIELDS, 42)                                        \
    X(CONTACT_ACTIVE, uint64_t, active_bits, DRY_CONTACT_FLAG_FIELDS, 43)                                    \
    X(CONTACT_TOUCHING, uint64_t, touching_bits, DRY_CONTACT_FLAG_FIELDS, 44)                                \
    X(CONTACT_BEGUN, uint64_t, begun_bits, DRY_CONTACT_BEGUN_FIELDS, 45)                                     \
    X(CONTACT_STARTING, uint64_t, starting_bits, DRY_CONTACT_MARK_FIELDS, 46)                                \
    X(CONTACT_ENDING, uint64_t, ending_bits, DRY_CONTACT_MARK_FIELDS, 47)                                    \
    X(CONTACT_LOST, uint64_t, lost_bits, DRY_CONTACT_MARK_FIELDS, 48)                                        \
    X(CONTACT_BUILT, uint64_t, built_bits, DRY_CONTACT_MARK_FIELDS, 71)                                      \
    X(CONTACT_PARENT, uint64_t, parent_bits, DRY_CONTACT_FLAG_FIELDS, 73)

typedef struct dry_contacts {
    DRY_CONTACT_COLUMNS(DRY_COLUMN_MEMBERS)
    DRY_CONTACT_RARE_COLUMNS(DRY_COLUMN_MEMBERS)
    DRY_CONTACT_SETS(DRY_COLUMN_MEMBERS)
    bool listed;           /* `active_words` is up to date */
    int32_t *active_words; /* those of active_bits that are not 0, rising; as last listed */
    int active_words_capacity;
    int used;         /* indices ever used */
    int full;         /* words of used_bits before this one have no hole */
    int count;        /* living contacts */
    int active_count; /* bits in active_bits */
    int active_word_count;
    int touching_count;       /* bits in touching_bits */
    int awake_touching_count; /* bits in both */
    int begun_count;          /* bits in begun_bits */
    int begun_word;           /* words of begun_bits before this one have none */
    dry_pair_map pairs;       /* shape, shape -> contact */
    dry_row_marks *marks;     /* of contacts that change though they are not active; or null */
} dry_contacts;

void dry_contacts_init(dry_contacts *contacts);
bool dry_contacts_reserve(dry_contacts *contacts, dry_memory *memory, int more);

/* The values of all contacts while a rare column is absent. */
#define X(ID, type, name, FIELDS, number)                                                                    \
    static const type dry_contact_default_##name = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_CONTACT_RARE_COLUMNS(X)
#undef X

/* dry_contacts_need_penalty: makes a rare column for all contacts if it is absent. False, and nothing
 * changed, if memory fails. */
#define X(ID, type, name, ...)                                                                               \
    DRY_SHARED bool dry_contacts_need_##name(dry_contacts *contacts, dry_memory *memory);
DRY_CONTACT_RARE_COLUMNS(X)
#undef X

/* Forgets how a contact's patch stood. */
static inline void dry_contacts_forget_sticking(dry_contacts *contacts, int contact)
{
    contacts->link[contact].flags &= (uint16_t)~DRY_CONTACT_SLIDES;
    if (contacts->sticking)
        contacts->sticking[contact] = dry_contact_default_sticking;
}

/* The features of a contact's points. */
typedef struct dry_features {
    uint32_t of[4];
    int count;
} dry_features;

/* Returns the feature of a point. */
static inline uint32_t dry_contacts_feature(const dry_contacts *contacts, int contact, int point)
{
    const uint32_t high = contacts->wide ? contacts->wide[contact].high[point] : 0;
    return high << 16 | contacts->manifold[contact].feature[point];
}

static inline dry_features dry_contacts_features(const dry_contacts *contacts, int contact)
{
    return (dry_features){
        {dry_contacts_feature(contacts, contact, 0), dry_contacts_feature(contacts, contact, 1),
         dry_contacts_feature(contacts, contact, 2), dry_contacts_feature(contacts, contact, 3)},
        contacts->link[contact].points};
}

/* Returns the old point that has a feature; -1 if there is none. The last of several alike. */
static inline int dry_features_find(const dry_features *old, uint32_t feature)
{
    int found = -1;
    for (int i = 0; i < old->count; i++)
        found = old->of[i] == feature ? i : found;
    return found;
}

/* Gives the points of a contact that was built anew the lengths of the old ones with the same features, or 0.
 */
static inline void dry_contacts_follow_rest(dry_contacts *contacts, int contact, const dry_features *old)
{
    if (!contacts->rest)
        return;
    const dry_contact_rest before = contacts->rest[contact];
    contacts->rest[contact] = dry_contact_default_rest;
    for (int i = 0; i < contacts->link[contact].points; i++) {
        const int same = dry_features_find(old, dry_contacts_feature(contacts, contact, i));
        if (same >= 0)
            contacts->rest[contact].length[i] = before.length[same];
    }
}

/* Returns the key under which the map has a contact. */
static inline dry_pair dry_contact_key(const dry_contacts *contacts, int contact)
{
    const dry_manifold *m = &contacts->manifold[contact];
    return dry_pair_key_of((uint32_t)m->shape_a, (uint32_t)m->shape_b);
}

/* Adds the contact of two shapes, links it to their bodies, and makes it active if either is awake. Room must
 * be reserved. */
int dry_contacts_add(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int shape_a,
                     int shape_b);
/* Adds a child to a parent, in its list first. Room must be reserved. */
int dry_contacts_add_child(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int parent);
/* Unlinks and forgets a contact; it must hold no color. The children of a parent lose it. */
void dry_contacts_remove(dry_contacts *contacts, dry_bodies *bodies, int contact);
/* Marks in lost_bits the contacts that hold a body of `leaving`, a set of slots. Counts these contacts and
 * the touching ones among them. The next step overwrites the marks. */
void dry_contacts_mark_leaving(dry_contacts *contacts, const uint32_t *leaving, int *count, int *touching);
/* Removes the `count` contacts that dry_contacts_mark_leaving marked. */
void dry_contacts_remove_leaving(dry_contacts *contacts, dry_bodies *bodies, int count,
                                 const uint32_t *leaving);
/* Makes the map of pairs anew from the contacts that there are. */
void dry_contacts_renew_pairs(dry_contacts *contacts);
void dry_contacts_set_active(dry_contacts *contacts, int contact, bool active);
void dry_contacts_set_touching(dry_contacts *contacts, int contact, bool touching);
/* Records that a contact began to touch. */
void dry_contacts_set_begun(dry_contacts *contacts, int contact);
/* Drops the record that a contact began. Returns whether there was one. */
bool dry_contacts_forget_begun(dry_contacts *contacts, int contact);
/* Drops the record of the lowest contact that began and returns that contact; -1 if none is left. */
int dry_contacts_next_begun(dry_contacts *contacts);
/* Brings `active_words` up to date. */
void dry_contacts_list_active(dry_contacts *contacts);

/* Returns the number of words in each set of contacts. */
static inline int dry_contact_words(const dry_contacts *contacts)
{
    return (contacts->used + 63) / 64;
}
/* Returns how many indices of contacts are needed: those up to the last one in use. */
int dry_contacts_in_use(const dry_contacts *contacts);

/* Lists contacts of a set by rising index, at most DRY_CONTACT_CHUNK at a time. Returns their number, 0 after
 * the last. `word` must be 0 at first. */
enum { DRY_CONTACT_CHUNK = 512 };
static inline int dry_contacts_chunk(const dry_contacts *contacts, const uint64_t *bits, int *word,
                                     int32_t *list)
{
    int count = 0;
    for (; *word < dry_contact_words(contacts) && count + 64 <= DRY_CONTACT_CHUNK; ++*word)
        for (uint64_t left = bits[*word]; left; left &= left - 1)
            list[count++] = 64 * *word + dry_lowest_bit(left);
    return count;
}

/* Returns the lowest contact above `contact` that has its bit set in `bits`, -1 if there is none. A walk over
 * all begins with -1. The bits of contacts that are done may change meanwhile. */
static inline int dry_contacts_next_in(const dry_contacts *contacts, const uint64_t *bits, int contact)
{
    int word = ++contact / 64;
    if (word >= dry_contact_words(contacts))
        return -1;
    uint64_t left = bits[word] & (UINT64_MAX << contact % 64);
    while (left == 0) {
        if (++word >= dry_contact_words(contacts))
            return -1;
        left = bits[word];
    }
    return 64 * word + dry_lowest_bit(left);
}

/* Returns the lowest living contact above `contact`, -1 if there is none. */
static inline int dry_contacts_next(const dry_contacts *contacts, int contact)
{
    return dry_contacts_next_in(contacts, contacts->used_bits, contact);
}

/* Returns the lowest active contact above `contact`, -1 if there is none. */
static inline int dry_contacts_next_active(const dry_contacts *contacts, int contact)
{
    return dry_contacts_next_in(contacts, contacts->active_bits, contact);
}

/* Returns the lowest touching contact above `contact`, -1 if there is none. */
static inline int dry_contacts_next_touching(const dry_contacts *contacts, int contact)
{
    return dry_contacts_next_in(contacts, contacts->touching_bits, contact);
}

/* Makes the anchors of a body's contacts void; the next step rebuilds them. */
void dry_contacts_void_anchors(dry_contacts *contacts, const dry_body_state *body);

/* Tells whether the surfaces of a pair may bounce. */
static inline bool dry_manifold_bounces(const dry_manifold *manifold)
{
    return manifold->restitution > 0.0f;
}

/* Returns the index of the material that a side of a contact touches with, of those that its shape has.
 * Triangles, which are the first shape, have one each. */
static inline int dry_contact_material(const dry_contacts *contacts, int contact, int side)
{
    return side == 0 && contacts->family ? (int)contacts->family[contact].material : 0;
}

/* Returns the shapes of a contact with the materials that touch. */
static inline dry_surface_pair dry_contacts_surfaces(const dry_contacts *contacts, int contact)
{
    const dry_manifold *m = &contacts->manifold[contact];
    return (dry_surface_pair){
        {m->shape_a, m->shape_b},
        {dry_contact_material(contacts, contact, 0), dry_contact_material(contacts, contact, 1)}};
}

/* Returns the material of a side of a contact. */
static inline dry_material dry_contacts_material(const dry_contacts *contacts, const dry_shapes *shapes,
                                                 int contact, int side)
{
    const dry_surface_pair pair = dry_contacts_surfaces(contacts, contact);
    return dry_shapes_material(shapes, pair.shape[side], pair.material[side]);
}

/* Returns the numbers of a contact's surfaces. */
static inline dry_surface dry_contacts_surface(const dry_contacts *contacts, const dry_shapes *shapes,
                                               int contact)
{
    return dry_shapes_mixed(shapes, dry_contacts_surfaces(contacts, contact));
}

/* Tells whether the surfaces of a contact have a stiffness of their own. */
static inline bool dry_contacts_have_spring(const dry_contacts *contacts, const dry_shapes *shapes,
                                            int contact)
{
    return shapes->spring && dry_shapes_have_spring(shapes, dry_contacts_surfaces(contacts, contact));
}

/* Stores the numbers of a contact's surfaces that its manifold keeps. */
static inline void dry_contacts_mix(dry_contacts *contacts, const dry_shapes *shapes, int contact)
{
    const dry_surface pair = dry_contacts_surface(contacts, shapes, contact);
    dry_manifold *manifold = &contacts->manifold[contact];
#define X(name, standard, high, error, column, member, mix, kept, ...) kept(manifold->name = pair.name;)
    DRY_SURFACE_NUMBERS(X)
#undef X
}

/* gcc drops calls of functions that only prefetch, so these functions are always inlined. */

/* Prefetches a contact that is about to be read. Contacts lie at random in a large world, and reading one
 * takes as long as a cache miss. */
static DRY_ALWAYS_INLINE void dry_contact_prefetch(const dry_contacts *contacts, int contact)
{
    DRY_PREFETCH(&contacts->link[contact]);
    DRY_PREFETCH(contacts->manifold[contact].built_position);
}

#endif
