/* The world around heights of a shape that change: bounds, contacts, bodies at rest.
 *
 * Reads: poses, the broadphase. Writes: the shape's radius and proxy, flags of contacts, sleep states. Next:
 * narrowphase/families.c, which looks at the contacts. */
#include "world/shapes.h"

#include "geometry/scaled.h"
#include "narrowphase/contact_update.h"
#include "state/iterators.h"
#include "world/bounds.h"
#include "world/sleep.h"
#include "world/world.h"

#include <string.h>

/* A body may have moved by as much as a step closes in since its contacts were looked at, and they reach as
 * far again, m. Margins and slack are below a tenth of that. */
#define REACH (2.0f * (1.1f * DRY_CLOSING_MAX))

/* Returns the bounds of a box of a shape's form in the world, with `room` around them, m. */
static dry_bounds bounds_of(const dry_world *world, int shape, const dry_box *box, float room)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = dry_body_pose_of(&world->bodies, form->body);
    const dry_extents e =
        dry_scaled_box_bounds(box, form->geometry.size, quat_mul(pose->orientation, form->pose.orientation));
    const dry_position at = position_add(pose->position, quat_rotate(pose->orientation, form->pose.position));
    return (dry_bounds){position_add(at, vec3_sub(e.low, vec3(room, room, room))),
                        position_add(at, vec3_add(e.high, vec3(room, room, room)))};
}

typedef struct search {
    dry_world *world;
    int shape;
    uint32_t *found; /* set of slots, in scratch memory */
} search;

/* Voids the contacts between the shape and the body of another shape. */
static void void_contacts(void *context, uint32_t other)
{
    const search *s = context;
    dry_contacts *contacts = &s->world->contacts;
    const dry_body_state *state = dry_body_state_of(&s->world->bodies, s->world->shapes.form[other].body);
    if (other == (uint32_t)s->shape)
        return;
    for (dry_contact_iterator it = dry_contacts_of(contacts, state); dry_next_contact(&it);) {
        const dry_manifold *m = &contacts->manifold[it.contact];
        if (m->shape_a == s->shape || m->shape_b == s->shape)
            contacts->link[it.contact].flags |= DRY_CONTACT_VOID;
    }
}

static void find_body(void *context, uint32_t other)
{
    const search *s = context;
    const int slot = s->world->shapes.form[other].body;
    if (dry_body_state_of(&s->world->bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_slot_set_add(s->found, slot);
}

/* Wakes the bodies found, in the order of their slots: trees find them in an order of their own. */
static void wake_found(dry_world *world, const uint32_t *found, int words)
{
    for (int slot = -1; (slot = dry_slot_set_next(found, words, slot)) >= 0;)
        dry_body_wake(world, slot);
}

void dry_shape_heights_changed(dry_world *world, int shape, const dry_box *box)
{
    dry_shape_form *form = &world->shapes.form[shape];
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
    form->radius = dry_geometry_radius(&geometry);
    if (form->proxy < 0)
        return;
    dry_shape_update_bounds(world, shape, vec3(0.0f, 0.0f, 0.0f));
    const size_t mark = world->scratch.used;
    const int words = dry_slot_set_words(world->bodies.slots.used);
    search s = {world, shape, DRY_SCRATCH_TAKE(&world->scratch, uint32_t, words)};
    memset(s.found, 0, (size_t)words * sizeof *s.found);
    const dry_bounds near = bounds_of(world, shape, box, 0.0f), far = bounds_of(world, shape, box, REACH);
    dry_broadphase_query(world->broadphase, &far, void_contacts, &s);
    dry_broadphase_query(world->broadphase, &near, find_body, &s);
    wake_found(world, s.found, words);
    dry_scratch_give_back(&world->scratch, mark);
}
