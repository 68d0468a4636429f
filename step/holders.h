/* Sleepers that hold awake bodies: what they bear, and whether their own supports hold it.
 *
 * A sleeper that holds is one whose supports take what it bears more, each within its limits: they press and
 * do not pull, and rub by at most friction times press. Load that they take is load of the sleepers below. */
#ifndef STEP_HOLDERS_H
#define STEP_HOLDERS_H

#include "narrowphase/manifold.h"

struct dry_world;

/* How the points of a contact lie in the world. */
typedef struct dry_contact_frame {
    const dry_manifold *manifold;
    const dry_body_pose *pose[2];
    dry_vec3 normal;  /* from a to b */
    dry_vec3 between; /* from a's center to b's, m */
    int points;
} dry_contact_frame;

dry_contact_frame dry_contact_frame_of(const struct dry_world *world, int contact);
/* Returns the lever arm of a point from the center of the body on a side, m. */
dry_vec3 dry_contact_arm(const dry_contact_frame *frame, int point, int side);

/* A force, N, and a torque, N m, about a body's center. */
typedef struct dry_load {
    dry_vec3 force, torque;
} dry_load;

/* A sleeper that may bear more. */
typedef struct dry_holder {
    int32_t slot, from; /* from: the contact through which its load came first; -1: that of an awake body */
    bool looked_at;
    bool fails;    /* it does not hold, or bears more than when it was looked at */
    dry_load load; /* that supports of others take, beyond what they did */
} dry_holder;

/* Sleepers by the distance of their contacts from an awake body. */
typedef struct dry_holders {
    struct dry_world *world;
    float dt;           /* s */
    dry_holder *holder; /* room for all bodies */
    int count;
} dry_holders;

/* Adds a sleeper that touches an awake body, once. The column `borne` must be there. */
void dry_holders_add(dry_holders *holders, int slot);
/* Notes what a sleeper bears, unless that is known. */
void dry_holders_note(const dry_holders *holders, int slot);

/* Finds out who holds what it bears more, from each sleeper to the next. Returns how many sleepers do not,
 * and lists these first. */
int dry_holders_balance(dry_holders *holders);

#endif
