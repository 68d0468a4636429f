/* Events. Contact begins, ends and hits are `pending`, from calls and from the step, until they are published
 * when the step is done; the others are made at its end, in the arrays that are read. */
#include "world/world.h"

#include <string.h>

/* Begins and hits come from steps alone, when nobody reads: one array holds those of the last step and,
 * behind them, the pending ones, which publishing moves to the front. */
#define RESERVE_BEHIND(world, name, more)                                                                    \
    (DRY_RESERVE(&(world)->memory, (world)->events.name, (world)->events.name##_capacity,                    \
                 (world)->events.name##_count + (world)->pending.name##_count + (more)) &&                   \
     (((world)->pending.name = (world)->events.name + (world)->events.name##_count), true))

bool dry_events_reserve_begins(dry_world *world, int more)
{
    return more == 0 || RESERVE_BEHIND(world, begins, more);
}

/* Ends come from calls between steps too, while the last step's are read: two arrays, which are swapped. They
 * grow together: else a warmed-up step would still find the smaller one. */
bool dry_events_reserve_ends(dry_world *world, int more)
{
    dry_event_arrays *e = &world->events, *p = &world->pending;
    return DRY_RESERVE(&world->memory, p->ends, p->ends_capacity, p->ends_count + more) &&
           DRY_RESERVE(&world->memory, e->ends, e->ends_capacity, p->ends_capacity);
}

bool dry_events_reserve_bodies(dry_world *world, int bodies)
{
    dry_event_arrays *e = &world->events;
    return DRY_RESERVE(&world->memory, e->moved, e->moved_capacity, bodies) &&
           DRY_RESERVE(&world->memory, e->sleeps, e->sleeps_capacity, bodies) &&
           DRY_RESERVE(&world->memory, e->quarantines, e->quarantines_capacity, bodies) &&
           DRY_RESERVE(&world->memory, world->sleep_changed, world->sleep_changed_capacity, bodies);
}

void dry_event_sleep(dry_world *world, int slot)
{
    dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    if (state->flags & DRY_BODY_SLEEP_LISTED)
        return;
    state->flags |= DRY_BODY_SLEEP_LISTED;
    state->listed_at = world->sleep_changed_count;
    world->sleep_changed[world->sleep_changed_count++] = slot;
}

void dry_event_sleep_forget(dry_world *world, int slot)
{
    dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    if (!(state->flags & DRY_BODY_SLEEP_LISTED))
        return;
    int last = world->sleep_changed[--world->sleep_changed_count];
    world->sleep_changed[state->listed_at] = last;
    world->bodies.state[dry_bodies_row(&world->bodies, last)].listed_at = state->listed_at;
    state->flags &= ~(uint32_t)DRY_BODY_SLEEP_LISTED;
}

/* One event for each body whose state is not what was last told. */
static void publish_sleeps(dry_world *world)
{
    dry_event_arrays *e = &world->events;
    e->sleeps_count = 0;
    for (int i = 0; i < world->sleep_changed_count; i++) {
        int slot = world->sleep_changed[i];
        dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
        bool asleep = !dry_bodies_is_awake(&world->bodies, slot);
        bool told_asleep = (state->flags & DRY_BODY_TOLD_ASLEEP) != 0;
        state->flags &= ~(uint32_t)(DRY_BODY_SLEEP_LISTED | DRY_BODY_TOLD_ASLEEP);
        if (asleep)
            state->flags |= DRY_BODY_TOLD_ASLEEP;
        if (asleep != told_asleep)
            e->sleeps[e->sleeps_count++] = (dry_sleep_event){dry_body_id_of(world, slot), asleep};
    }
    world->sleep_changed_count = 0;
}

#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swapped = a;                                                                                    \
        a = b;                                                                                               \
        b = swapped;                                                                                         \
    } while (0)

void dry_events_publish(dry_world *world)
{
    dry_event_arrays *e = &world->events, *p = &world->pending;
    if (p->begins_count > 0)
        memmove(e->begins, p->begins, (size_t)p->begins_count * sizeof *e->begins);
    if (p->hits_count > 0)
        memmove(e->hits, p->hits, (size_t)p->hits_count * sizeof *e->hits);
    SWAP(dry_contact_event *, e->ends, p->ends);
    SWAP(int, e->ends_capacity, p->ends_capacity);
    e->begins_count = p->begins_count;
    e->ends_count = p->ends_count;
    e->hits_count = p->hits_count;
    p->begins_count = p->ends_count = p->hits_count = 0;
    publish_sleeps(world);
}

void dry_events_free(dry_world *world)
{
    dry_memory *memory = &world->memory;
    dry_event_arrays *e = &world->events;
    DRY_RELEASE(memory, e->moved, e->moved_capacity);
    DRY_RELEASE(memory, e->begins, e->begins_capacity);
    DRY_RELEASE(memory, e->ends, e->ends_capacity);
    DRY_RELEASE(memory, e->hits, e->hits_capacity);
    DRY_RELEASE(memory, e->sleeps, e->sleeps_capacity);
    DRY_RELEASE(memory, e->quarantines, e->quarantines_capacity);
    DRY_RELEASE(memory, world->pending.ends, world->pending.ends_capacity);
    DRY_RELEASE(memory, world->sleep_changed, world->sleep_changed_capacity);
}

dry_events dry_world_events(const dry_world *world)
{
    if (!world)
        return (dry_events){0};
    const dry_event_arrays *e = &world->events;
    return (dry_events){
        .moved = e->moved,
        .contact_begins = e->begins,
        .contact_ends = e->ends,
        .hits = e->hits,
        .sleeps = e->sleeps,
        .quarantines = e->quarantines,
        .moved_count = e->moved_count,
        .contact_begin_count = e->begins_count,
        .contact_end_count = e->ends_count,
        .hit_count = e->hits_count,
        .sleep_count = e->sleeps_count,
        .quarantine_count = e->quarantines_count,
    };
}

static void describe_contact(const dry_world *world, int index, dry_contact *out)
{
    const dry_contact_link *link = &world->contacts.link[index];
    const dry_manifold *m = &world->contacts.manifold[index];
    const dry_body_pose *a = &world->bodies.pose[dry_bodies_row(&world->bodies, link->body_a)];
    const dry_body_pose *b = &world->bodies.pose[dry_bodies_row(&world->bodies, link->body_b)];
    *out = (dry_contact){
        .shape_a = dry_shape_id_of(world, link->shape_a),
        .shape_b = dry_shape_id_of(world, link->shape_b),
        .body_a = dry_body_id_of(world, link->body_a),
        .body_b = dry_body_id_of(world, link->body_b),
        .normal = dry_manifold_normal(m, a),
        .friction_impulse_Ns = m->friction_impulse,
        .torsion_impulse_Nms = m->twist_impulse,
        .substep_s = m->substep,
        .point_count = link->points,
    };
    for (int i = 0; i < link->points; i++) {
        const dry_manifold_point *p = &m->points[i];
        float separation = dry_manifold_separation(m, i, out->normal, a, b);
        dry_vec3 lever =
            vec3_add_scaled(quat_rotate(b->orientation, p->anchor_b), -0.5f * separation, out->normal);
        out->points[i] = (dry_contact_point){
            .position = position_add(b->position, lever),
            .separation = separation,
            .normal_impulse_Ns = m->impulse[i],
            .feature = m->feature[i],
        };
    }
}

bool dry_hit_of_contact(dry_world *world, const dry_solver_step *step, int index)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_contact_link *link = &world->contacts.link[index];
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    dry_contact contact;
    describe_contact(world, index, &contact);
    float fastest = 0.0f;
    int point = -1;
    for (int i = 0; i < contact.point_count; i++) {
        dry_vec3 ra = position_sub(contact.points[i].position, bodies->pose[row_a].position);
        dry_vec3 rb = position_sub(contact.points[i].position, bodies->pose[row_b].position);
        const dry_body_velocity *va = &bodies->velocity[row_a], *vb = &bodies->velocity[row_b];
        dry_vec3 v = vec3_sub(vec3_add(vb->linear, vec3_cross(vb->angular, rb)),
                              vec3_add(va->linear, vec3_cross(va->angular, ra)));
        float approach = -vec3_dot(contact.normal, v);
        if (approach > fastest && contact.points[i].separation <= approach * step->dt) {
            fastest = approach;
            point = i;
        }
    }
    if (point < 0 || fastest <= step->settings->hit_speed_min)
        return true;
    dry_event_arrays *e = &world->pending;
    if (!RESERVE_BEHIND(world, hits, 1))
        return false;
    e->hits[e->hits_count++] = (dry_hit_event){contact.shape_a, contact.shape_b,
                                               contact.points[point].position, contact.normal, fastest};
    return true;
}

dry_result dry_body_get_contacts(const dry_world *world, dry_body_id id, dry_contact *contacts, int capacity,
                                 int *count)
{
    if (!world || !count || capacity < 0 || (capacity > 0 && !contacts))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_body_get_contacts: bad arguments");
    int slot = dry_find_body(world, id, "dry_body_get_contacts");
    if (slot < 0)
        return DRY_ERROR_STALE_ID;
    *count = 0;
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    for (int c = state->contacts; c >= 0; c = world->contacts.link[c >> 1].next[c & 1]) {
        if (!(world->contacts.link[c >> 1].flags & DRY_CONTACT_TOUCHING))
            continue;
        if (*count < capacity)
            describe_contact(world, c >> 1, &contacts[*count]);
        ++*count;
    }
    return DRY_OK;
}

int dry_world_get_contacts(const dry_world *world, dry_contact *contacts, int capacity)
{
    int count = 0;
    for (int i = 0; world && i < world->contacts.used; i++) {
        if (!(world->contacts.link[i].flags & DRY_CONTACT_TOUCHING))
            continue;
        if (contacts && count < capacity)
            describe_contact(world, i, &contacts[count]);
        count++;
    }
    return count;
}
