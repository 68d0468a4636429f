/* Contacts: every pair of shapes whose fat bounds overlap, with the manifold that it remembers.
 *
 * A contact's index never moves while it lives; a new one takes the lowest that is free, so that what is made
 * again as it was is numbered as it was. A bit for each says which have an awake body: what a step works on,
 * by rising index, so that stages walk memory in order. Words of 64 with any are listed anew when that is
 * needed and something changed; calls only set and clear bits. A manifold keeps the anchors it was built with
 * while its bodies barely move relative to each other
 * ("recycling"): drift then shows as displacement and is resisted, and most of the work is saved.
 *
 * Written by: pairs (begin, end), contacts (manifold, TOUCHING), graph (color), store (impulses). */
#ifndef STATE_CONTACTS_H
#define STATE_CONTACTS_H

#include "core/pair_map.h"
#include "state/bodies.h"
#include "state/shapes.h"

#include <stddef.h>

enum {
    DRY_CONTACT_TOUCHING = 1, /* the manifold has points, and the graph knows */
    DRY_CONTACT_CHANGED = 2,  /* the manifold gained its first or lost its last point; for the graph */
    DRY_CONTACT_LOST = 4,     /* the fat bounds are apart: to be removed */
    DRY_CONTACT_RECYCLED = 8, /* updated, not rebuilt, in this step */
    DRY_CONTACT_USED = 16,    /* a living contact, not a hole */
    DRY_CONTACT_ACTIVE = 32   /* a body of it is awake */
};

enum { DRY_COLOR_NONE = -1, DRY_COLOR_OVERFLOW = 64, DRY_COLOR_COUNT = 65 };

typedef struct dry_contact_link {
    int32_t body_a, body_b;   /* slots */
    int32_t next[2], prev[2]; /* of side a's and side b's body, as contact * 2 + side, -1 ends */
    int8_t color;             /* DRY_COLOR_... */
    uint8_t points;           /* of the manifold, 0 to 4 */
    uint16_t flags;
} dry_contact_link;
_Static_assert(sizeof(dry_contact_link) == 28, "what stages besides contacts read of a contact");

/* b's surface point in b's principal frame, m, and what to take off its height for the separation, m. */
typedef struct dry_manifold_point {
    dry_vec3 anchor_b;
    float rest;
} dry_manifold_point;

/* Three cache lines: the first two are what the solver reads, of which it writes the second; the third is
 * what tells whether the anchors are kept, and of which shapes they are. Groups of four floats, so that
 * prepare gathers sixteen manifolds with 16-byte loads and transposes.
 *
 * The separation of a point is not kept: with n the normal in the world it is
 *     (n . (x_b - x_a) - height) + n . R_b anchor_b - rest
 * the first term in double, so that it loses nothing however far apart the centres are. */
typedef struct dry_manifold {
    dry_manifold_point points[4];
    float impulse[4];          /* of the points, N s over one substep of length `substep` */
    dry_vec3 friction_impulse; /* on b, world axes, N s over one substep */
    float twist_impulse;       /* about the normal, on b, N m s */
    dry_vec3 normal;           /* in a's principal frame, from a to b */
    float friction;            /* of the pair */
    double height;             /* of b's centre over a's along the normal when the anchors were made, m */
    float substep;             /* the substep that the impulses are for, s; 0: none yet */
    float restitution;         /* of the pair */
    double built_position[3];  /* b's centre in a's principal frame when the anchors were made, m */
    dry_quat built_orientation;
    int32_t shape_a, shape_b;
    uint16_t feature[4]; /* dry_local_point has them wider */
    float reach_b;       /* of b's shape from b's centre, m */
    float apart; /* without points: how far the two may move and close in before there may be some, m */
} dry_manifold;
_Static_assert(sizeof(dry_manifold) == 192 && offsetof(dry_manifold, impulse) == 64 &&
                   offsetof(dry_manifold, built_position) == 128,
               "three cache lines");

typedef struct dry_contacts {
    dry_contact_link *link;
    dry_manifold *manifold;
    uint64_t *used_bits;     /* by index: USED */
    uint64_t *active_bits;   /* likewise: ACTIVE */
    uint64_t *touching_bits; /* likewise: TOUCHING */
    uint64_t *begun_bits;    /* likewise: touching, and no event has told so */
    uint64_t *starting_bits; /* likewise: CHANGED to touching, as stage "contacts" left it in active_words */
    uint64_t *ending_bits;   /* likewise: CHANGED from touching */
    uint64_t *lost_bits;     /* likewise: LOST */
    int32_t *active_words;   /* those of active_bits that are not 0, rising; as last listed */
    int link_capacity, manifold_capacity, used_bits_capacity, active_bits_capacity, touching_bits_capacity;
    int begun_bits_capacity, starting_bits_capacity, ending_bits_capacity, lost_bits_capacity;
    int active_words_capacity;
    int used;         /* indices ever used */
    int full;         /* words of used_bits before this one have no hole */
    int count;        /* living contacts */
    int active_count; /* bits in active_bits */
    int active_word_count;
    int touching_count; /* bits in touching_bits */
    int begun_count;    /* bits in begun_bits */
    int begun_word;     /* words of begun_bits before this one have none */
    bool listed;        /* `active_words` is up to date */
    dry_pair_set pairs; /* shapes -> contact */
} dry_contacts;

void dry_contacts_init(dry_contacts *contacts);
bool dry_contacts_reserve(dry_contacts *contacts, dry_memory *memory, int more);
void dry_contacts_free(dry_contacts *contacts, dry_memory *memory);

/* Adds a contact between two shapes, links it to their bodies, and makes it active if either is awake. Room
 * must be reserved. */
int dry_contacts_add(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int shape_a,
                     int shape_b);
/* Unlinks and forgets a contact; it must hold no colour. */
void dry_contacts_remove(dry_contacts *contacts, dry_bodies *bodies, int contact);
/* The same for many: marks in lost_bits those that hold a body of `leaving`, a set of slots, and counts them,
 * and how many of them touch. The next step forgets the marks. */
void dry_contacts_mark_leaving(dry_contacts *contacts, const uint32_t *leaving, int *count, int *touching);
/* Removes the marked ones, `count` of them. */
void dry_contacts_remove_leaving(dry_contacts *contacts, dry_bodies *bodies, int count,
                                 const uint32_t *leaving);
void dry_contacts_set_active(dry_contacts *contacts, int contact, bool active);
void dry_contacts_set_touching(dry_contacts *contacts, int contact, bool touching);
/* Notes that a contact began to touch. */
void dry_contacts_set_begun(dry_contacts *contacts, int contact);
/* Takes that back; whether it was so. */
bool dry_contacts_forget_begun(dry_contacts *contacts, int contact);
/* The lowest contact that began, and takes it back; -1: none is left. */
int dry_contacts_next_begun(dry_contacts *contacts);
/* Brings `active_words` up to date. */
void dry_contacts_list_active(dry_contacts *contacts);

/* Words of the bits. */
static inline int dry_contact_words(const dry_contacts *contacts)
{
    return (contacts->used + 63) / 64;
}

/* The contacts of one of the bits, by rising index, some at a time; none are left if it returns 0. `word` is
 * 0 at first. */
enum { DRY_CONTACT_CHUNK = 512 };
static inline int dry_contacts_chunk(const dry_contacts *contacts, const uint64_t *bits, int *word,
                                     int32_t *list)
{
    int count = 0;
    for (; *word < dry_contact_words(contacts) && count + 64 <= DRY_CONTACT_CHUNK; ++*word)
        for (uint64_t left = bits[*word]; left; left &= left - 1)
            list[count++] = 64 * *word + __builtin_ctzll(left);
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
    return 64 * word + __builtin_ctzll(left);
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

/* The anchors of a body's contacts are made anew in the next step, wherever the body is by then. */
void dry_contacts_void_anchors(dry_contacts *contacts, const dry_body_state *body);

/* The mixed friction and restitution of two shapes. */
void dry_contacts_mix(dry_manifold *manifold, const dry_shape_form *a, const dry_shape_form *b);

/* gcc drops calls of functions that do nothing but fetch, so these are part of their caller from the start.
 */
#define DRY_FETCH __attribute__((always_inline)) static inline

/* Fetches a contact that is about to be looked at. Contacts lie at random in a large world, and looking at
 * one takes as long as a cache miss. */
DRY_FETCH void dry_contact_prefetch(const dry_contacts *contacts, int contact)
{
    __builtin_prefetch(&contacts->link[contact].body_a);
    __builtin_prefetch(&contacts->link[contact].flags);
    __builtin_prefetch(contacts->manifold[contact].built_position);
}

#endif
