/* Iterators over what a body holds: its contacts, its joints, its shapes; and over bodies by age.
 *
 *     for (dry_contact_iterator it = dry_contacts_of(contacts, state); dry_next_contact(&it);)
 *         use(it.contact, it.side, it.other);
 *
 * An iterator reads its next element before it hands out the present one, so the present element may be
 * removed. Rows of bodies may move meanwhile: an iterator holds no pointer to a body. */
#ifndef STATE_ITERATORS_H
#define STATE_ITERATORS_H

#include "state/bodies.h"
#include "state/contacts.h"
#include "state/joints.h"
#include "state/shapes.h"

typedef struct dry_contact_iterator {
    const dry_contacts *contacts;
    int contact;
    int side;  /* of the body whose list this is: 0 if it is body_a, 1 if it is body_b */
    int other; /* slot of the contact's other body */
    int next;  /* as contact * 2 + side, -1 after the last */
} dry_contact_iterator;

/* Begins a walk over a body's contacts, before the first. */
static inline dry_contact_iterator dry_contacts_of(const dry_contacts *contacts, const dry_body_state *body)
{
    return (dry_contact_iterator){.contacts = contacts, .next = body->contacts};
}

/* Steps to the next contact; false after the last. */
static inline bool dry_next_contact(dry_contact_iterator *it)
{
    if (it->next < 0)
        return false;
    it->contact = it->next >> 1;
    it->side = it->next & 1;
    const dry_contact_link *link = &it->contacts->link[it->contact];
    it->other = it->side ? link->body_a : link->body_b;
    it->next = link->next[it->side];
    return true;
}

typedef struct dry_joint_iterator {
    const dry_joints *joints;
    int joint;
    int side; /* of the body whose list this is: 0 if it is body_a, 1 if it is body_b, and so on */
    int next; /* an end, -1 after the last */
} dry_joint_iterator;

/* Begins a walk over a body's joints, before the first. */
static inline dry_joint_iterator dry_joints_of(const dry_joints *joints, const dry_body_state *body)
{
    return (dry_joint_iterator){.joints = joints, .next = body->joints};
}

/* Steps to the next joint; false after the last. */
static inline bool dry_next_joint(dry_joint_iterator *it)
{
    if (it->next < 0)
        return false;
    it->joint = dry_joint_of_end(it->next);
    it->side = dry_side_of_end(it->next);
    it->next = *dry_joint_next(it->joints, it->next);
    return true;
}

typedef struct dry_shape_iterator {
    const dry_shapes *shapes;
    int shape;
    int next; /* -1 after the last */
} dry_shape_iterator;

/* Begins a walk over a body's shapes in the order of their creation, before the first. */
static inline dry_shape_iterator dry_shapes_of(const dry_shapes *shapes, const dry_body_state *body)
{
    return (dry_shape_iterator){.shapes = shapes, .next = body->first_shape};
}

/* Steps to the next shape; false after the last. */
static inline bool dry_next_shape(dry_shape_iterator *it)
{
    if (it->next < 0)
        return false;
    it->shape = it->next;
    it->next = it->shapes->link[it->shape].next;
    return true;
}

typedef struct dry_body_iterator {
    const dry_bodies *bodies;
    int slot, row;
    int next; /* slot, -1 after the newest */
} dry_body_iterator;

/* Begins a walk over all bodies in the order of their creation, before the oldest. */
static inline dry_body_iterator dry_bodies_by_age(const dry_bodies *bodies)
{
    return (dry_body_iterator){.bodies = bodies, .next = bodies->count > 0 ? bodies->oldest : -1};
}

/* Steps to the next newer body; false after the newest. */
static inline bool dry_next_body(dry_body_iterator *it)
{
    if (it->next < 0)
        return false;
    it->slot = it->next;
    it->row = dry_bodies_row(it->bodies, it->slot);
    it->next = it->bodies->state[it->row].newer;
    return true;
}

#endif
