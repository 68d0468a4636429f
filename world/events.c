/* Events. Contact ends and hits are `pending`, from calls and from the step, until they are published when
 * the step is done; begins are a bit of the contact until then. The others are made at the step's end.
 *
 * What a step writes when it can no longer fail lies in the memory of its contact bundles: they are made anew
 * in every step and are many times larger, and nobody reads them after stage "store". */
#include "narrowphase/manifold.h"
#include "state/iterators.h"
#include "world/world.h"

#include <string.h>

void dry_events_forget(dry_world *world)
{
    dry_event_arrays *e = &world->events;
    e->moved_count = e->begins_count = e->ends_count = e->hits_count = e->sleeps_count = 0;
    e->quarantines_count = 0;
}

bool dry_events_reserve_step(dry_world *world)
{
    dry_solver_state *solver = &world->solver;
    size_t awake = (size_t)world->bodies.awake_count;
    size_t bytes = (size_t)world->contacts.begun_count * sizeof(dry_contact_event) +
                   awake * (sizeof(dry_moved_event) + sizeof(dry_quarantine_event)) +
                   (size_t)world->bodies.count * sizeof(dry_sleep_event);
    size_t bundles = (bytes + sizeof *solver->contact - 1) / sizeof *solver->contact;
    return bundles <= INT32_MAX &&
           DRY_RESERVE(&world->memory, solver->contact, solver->contact_capacity, (int)bundles);
}

void dry_events_begin(dry_world *world)
{
    dry_event_arrays *e = &world->events;
    char *at = (char *)world->solver.contact;
    size_t awake = (size_t)world->bodies.awake_count;
    e->begins = (dry_contact_event *)(void *)at;
    at += (size_t)world->contacts.begun_count * sizeof *e->begins;
    e->moved = (dry_moved_event *)(void *)at;
    at += awake * sizeof *e->moved;
    e->quarantines = (dry_quarantine_event *)(void *)at;
    at += awake * sizeof *e->quarantines;
    e->sleeps = (dry_sleep_event *)(void *)at;
    e->begins_count = 0;
    for (int contact; (contact = dry_contacts_next_begun(&world->contacts)) >= 0;)
        e->begins[e->begins_count++] = dry_contact_event_of(world, contact);
}

dry_contact_event dry_contact_event_of(const dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    const dry_manifold *m = &world->contacts.manifold[contact];
    return (dry_contact_event){dry_shape_id_of(world, m->shape_a), dry_shape_id_of(world, m->shape_b),
                               dry_body_id_of(world, link->body_a), dry_body_id_of(world, link->body_b)};
}

void dry_event_end(dry_world *world, int contact)
{
    /* What no step lived to tell of had not begun either. */
    if (dry_contacts_forget_begun(&world->contacts, contact))
        return;
    world->pending.ends[world->pending.ends_count++] = dry_contact_event_of(world, contact);
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
    return DRY_RESERVE(&world->memory, world->sleep_changed, world->sleep_changed_capacity, bodies);
}

void dry_event_sleep(dry_world *world, int slot)
{
    dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    if (state->flags & DRY_BODY_SLEEP_LISTED)
        return;
    state->flags |= DRY_BODY_SLEEP_LISTED;
    state->listed_at = world->sleep_changed_count;
    world->sleep_changed[world->sleep_changed_count++] = slot;
}

void dry_event_sleep_forget(dry_world *world, int slot)
{
    dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    if (!(state->flags & DRY_BODY_SLEEP_LISTED))
        return;
    int last = world->sleep_changed[--world->sleep_changed_count];
    world->sleep_changed[state->listed_at] = last;
    dry_body_state_of(&world->bodies, last)->listed_at = state->listed_at;
    state->flags &= ~(uint32_t)DRY_BODY_SLEEP_LISTED;
}

/* One event for each body whose state is not what was last told. */
static void publish_sleeps(dry_world *world)
{
    dry_event_arrays *e = &world->events;
    e->sleeps_count = 0;
    for (int i = 0; i < world->sleep_changed_count; i++) {
        int slot = world->sleep_changed[i];
        dry_body_state *state = dry_body_state_of(&world->bodies, slot);
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
    if (p->hits_count > 0)
        memmove(e->hits, p->hits, (size_t)p->hits_count * sizeof *e->hits);
    SWAP(dry_contact_event *, e->ends, p->ends);
    SWAP(int, e->ends_capacity, p->ends_capacity);
    e->ends_count = p->ends_count;
    e->hits_count = p->hits_count;
    p->ends_count = p->hits_count = 0;
    publish_sleeps(world);
}

void dry_events_free(dry_world *world)
{
    dry_memory *memory = &world->memory;
    dry_event_arrays *e = &world->events;
    DRY_RELEASE(memory, e->ends, e->ends_capacity);
    DRY_RELEASE(memory, e->hits, e->hits_capacity);
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
    const dry_body_pose *a = dry_body_pose_of(&world->bodies, link->body_a);
    const dry_body_pose *b = dry_body_pose_of(&world->bodies, link->body_b);
    *out = (dry_contact){
        .shape_a = dry_shape_id_of(world, m->shape_a),
        .shape_b = dry_shape_id_of(world, m->shape_b),
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
    /* Nobody reads during a step: one array holds the last step's hits and, behind them, the pending ones,
     * which publishing moves to the front. */
    dry_event_arrays *e = &world->events, *p = &world->pending;
    if (!DRY_RESERVE(&world->memory, e->hits, e->hits_capacity, e->hits_count + p->hits_count + 1))
        return false;
    p->hits = e->hits + e->hits_count;
    p->hits[p->hits_count++] = (dry_hit_event){contact.shape_a, contact.shape_b,
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
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        if (!(world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING))
            continue;
        if (*count < capacity)
            describe_contact(world, it.contact, &contacts[*count]);
        ++*count;
    }
    return DRY_OK;
}

int dry_world_get_contacts(const dry_world *world, dry_contact *contacts, int capacity)
{
    int count = 0;
    if (!world)
        return 0;
    for (int i = -1; (i = dry_contacts_next_touching(&world->contacts, i)) >= 0;) {
        if (contacts && count < capacity)
            describe_contact(world, i, &contacts[count]);
        count++;
    }
    return count;
}
