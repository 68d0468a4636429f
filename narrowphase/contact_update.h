/* The update of contacts: its data, its two parts, and whether a contact keeps its anchors. Next: families.c,
 * then manifold_update.c. */
#ifndef NARROWPHASE_CONTACT_UPDATE_H
#define NARROWPHASE_CONTACT_UPDATE_H

#include "broadphase/broadphase.h"
#include "narrowphase/manifold_motion.h"
#include "narrowphase/patches/patches.h"
#include "narrowphase/piece.h"
#include "state/contacts.h"

/* Contacts look ahead of a fast pair by at most this distance, m, which is also the limit of fat bounds. */
#define DRY_CLOSING_MAX 1.0f

typedef struct dry_contact_settings {
    dry_level level;        /* whose kernels to run */
    float margin;           /* speculative margin, m */
    float recycle_distance; /* m */
    float dt;               /* s */
    dry_vec3 gravity;       /* m/s^2 */
    bool looks_for_still;   /* contacts of still bodies are looked for, which are passed over */
    bool holds_levers;      /* lever arms are held within the next two */
    float lever_distance;   /* m */
    float lever_half_sine;  /* of half the angle */
} dry_contact_settings;

/* Returns how far two bodies may approach in a step, m. An impact may turn either within the step, so that
 * two that fly side by side meet. */
static inline float dry_contact_closing(const dry_contact_settings *settings, dry_vec3 velocity_a,
                                        dry_vec3 velocity_b, bool bounces)
{
    return settings->dt * (bounces ? vec3_length(velocity_a) + vec3_length(velocity_b)
                                   : vec3_distance(velocity_b, velocity_a));
}

/* Returns the distance below which a pair that may approach by `closing` has points, m. */
static inline float dry_contact_margin(const dry_contact_settings *settings, float closing)
{
    return settings->margin + dry_min(closing, DRY_CLOSING_MAX);
}

typedef struct dry_contact_update {
    dry_contacts *contacts;
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_broadphase *broadphase;
    const dry_contact_settings *settings;
    dry_patch_lists patches; /* that children of triangles have found in this step */
} dry_contact_update;

static inline dry_relative_pose dry_contact_relative_pose(const dry_contact_update *u, int contact)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    return dry_relative_pose_of(dry_body_pose_of(u->bodies, link->body_a),
                                dry_body_pose_of(u->bodies, link->body_b));
}

static inline bool dry_contact_is_still(const dry_contact_update *u, int contact, int steps)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    return dry_bodies_is_still(u->bodies, link->body_a, steps) &&
           dry_bodies_is_still(u->bodies, link->body_b, steps);
}

typedef enum dry_keeping {
    DRY_ANCHORS_KEPT,
    DRY_ANCHORS_RENEWED, /* made anew only because the lever arms have been held too long */
    DRY_ANCHORS_MADE
} dry_keeping;

/* Tells whether lever arms as they were when the anchors were made are too far from the present ones. Neither
 * body has turned by more than a has and b has in a's frame, together. */
static inline bool dry_levers_held_too_long(const dry_manifold_motion *moved, int lane,
                                            const dry_contact_settings *settings)
{
    const float left = settings->lever_half_sine - moved->half_sine[lane], cosine = moved->cosine[lane];
    return moved->distance[lane] >= settings->lever_distance || left <= 0.0f ||
           1.0f - cosine * cosine >= left * left;
}

/* Decides whether a contact keeps its anchors, or goes on without points if it does not touch. Sets *closing,
 * by how much the shapes may approach in the step, m, unless it keeps points; `turning` is the part of it
 * that the caller knows of rotations. */
static inline dry_keeping dry_contact_keeping(const dry_contact_update *u, int contact, bool touching,
                                              const dry_manifold_motion *moved, int lane, float turning,
                                              float *closing)
{
    const dry_contact_settings *settings = u->settings;
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    /* A round surface rolls away from under its anchor, and the load on the anchor would drive the roll. */
    const bool may_keep = !(link->flags & (DRY_CONTACT_VOID | DRY_CONTACT_ROUND));
    const float distance = moved->distance[lane];
    dry_keeping keeping = DRY_ANCHORS_MADE;
    if (touching && distance < settings->recycle_distance && may_keep) {
        if (!settings->holds_levers || !dry_levers_held_too_long(moved, lane, settings))
            return DRY_ANCHORS_KEPT;
        keeping = DRY_ANCHORS_RENEWED;
    }
    /* A fast pair gets its points in the step before it meets. */
    const dry_vec3 velocity_a = dry_bodies_motion(u->bodies, dry_bodies_row(u->bodies, link->body_a)).linear,
                   velocity_b = dry_bodies_motion(u->bodies, dry_bodies_row(u->bodies, link->body_b)).linear;
    *closing = dry_contact_closing(settings, velocity_a, velocity_b, dry_manifold_bounces(m)) + turning;
    if (!touching && distance + *closing < dry_manifold_clearance(m) && !(link->flags & DRY_CONTACT_VOID))
        return DRY_ANCHORS_KEPT;
    return keeping;
}

/* Adds the missing children of all active parents whose bodies have moved since their pieces were last looked
 * at, and marks those that nobody wants any more. The order of the new contacts depends on their parents
 * alone. Sets update->patches, which live as long as the scratch memory. Returns false if memory fails: the
 * next step looks again. */
bool dry_families_update(dry_contact_update *update, dry_bodies *bodies, dry_memory *memory,
                         dry_scratch *scratch, dry_jobs *jobs);

/* Updates the manifolds of the active contacts in active_words [begin, end) and sets CHANGED, LOST, RECYCLED.
 */
void dry_contacts_update(const dry_contact_update *update, int begin, int end);

/* Flags that an update writes anew. */
#define DRY_CONTACT_OF_UPDATE                                                                                \
    (DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_RECYCLED | DRY_CONTACT_VOID |                      \
     DRY_CONTACT_RENEWED | DRY_CONTACT_MEETS)

#endif
