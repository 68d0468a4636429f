/* Reading the events of the last step and the contacts as they are. */
#include "state/iterators.h"
#include "world/check.h"
#include "world/world.h"

dry_events dry_world_events(const dry_world *world)
{
    dry_events events = {0};
    if (!world)
        return events;
#define X(type, array, count, room)                                                                          \
    events.array = world->events.array;                                                                      \
    events.count = world->events.count;
    DRY_STEP_EVENTS(X)
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
    return events;
}

dry_result dry_body_get_contacts(const dry_world *world, dry_body_id id, dry_contact *contacts, int capacity,
                                 int *count)
{
    const int row = dry_row_to_read(world, id, count, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    if (capacity < 0 || (capacity > 0 && !contacts))
        return dry_refuse(world, __func__, "a pointer is null, or capacity is negative");
    *count = 0;
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        if (!(world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING))
            continue;
        if (*count < capacity)
            contacts[*count] = dry_contact_describe(world, it.contact);
        ++*count;
    }
    return DRY_OK;
}

int dry_world_get_contacts(const dry_world *world, dry_contact *contacts, int capacity)
{
    int count = 0;
    if (!world)
        return 0;
    for (int i = -1; (i = dry_contacts_next_touching(&world->contacts, i)) >= 0; count++)
        if (contacts && count < capacity)
            contacts[count] = dry_contact_describe(world, i);
    return count;
}
