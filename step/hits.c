/* Hit events: contacts whose surfaces meet within the step, fast enough.
 *
 * Reads the lanes that "prepare" marked, manifolds, poses and velocities before the solver. Writes hit
 * events. Next: solver/stages/substeps.c. */
#include "step/stages.h"

#include "solver/data/context.h"
#include "state/contacts.h"
#include "world/events.h"
#include "world/world.h"

/* Contacts that may have hit. There are few, anywhere in memory: their data is prefetched batch by batch. */
typedef struct hit_queue {
    int32_t contact[16];
    int count;
} hit_queue;

enum { QUEUE_MAX = sizeof((hit_queue *)0)->contact / sizeof(int32_t) };

static DRY_ALWAYS_INLINE void prefetch_contact(const dry_contacts *contacts, int contact)
{
    const dry_manifold *manifold = &contacts->manifold[contact];
    dry_contact_prefetch(contacts, contact);
    DRY_PREFETCH(manifold->points);
    DRY_PREFETCH(manifold->impulse);
}

static DRY_ALWAYS_INLINE void prefetch_body(const dry_bodies *bodies, int slot)
{
    int row = dry_bodies_row(bodies, slot);
    DRY_PREFETCH(&bodies->pose[row]);
    DRY_PREFETCH(&bodies->velocity[row]);
}

/* Returns b's velocity relative to a's at a point of both, m/s. */
static dry_vec3 relative_velocity(const dry_world *world, const dry_contact_link *link, dry_position point)
{
    const dry_bodies *bodies = &world->bodies;
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    dry_vec3 ra = position_sub(point, bodies->pose[row_a].position);
    dry_vec3 rb = position_sub(point, bodies->pose[row_b].position);
    const dry_body_velocity va = dry_bodies_motion(bodies, row_a), vb = dry_bodies_motion(bodies, row_b);
    return vec3_sub(vec3_add(vb.linear, vec3_cross(vb.angular, rb)),
                    vec3_add(va.linear, vec3_cross(va.angular, ra)));
}

static bool raise_hit(dry_world *world, const dry_solver_step *step, int index)
{
    const dry_contact_link *link = &world->contacts.link[index];
    const dry_manifold *manifold = &world->contacts.manifold[index];
    if (!dry_shapes_ask(&world->shapes, manifold->shape_a, manifold->shape_b, DRY_SHAPE_EVENTS_HITS))
        return true;
    dry_contact contact = dry_contact_describe(world, index);
    float fastest = 0.0f;
    int point = -1;
    for (int i = 0; i < contact.point_count; i++) {
        dry_vec3 v = relative_velocity(world, link, contact.points[i].position);
        float approach = -vec3_dot(contact.normal, v);
        if (approach > fastest && contact.points[i].separation <= approach * step->dt) {
            fastest = approach;
            point = i;
        }
    }
    if (point < 0 || fastest <= step->settings->hit_speed_min)
        return true;
    dry_event_store *e = &world->events;
    if (!DRY_RESERVE(&world->memory, e->hits, e->hits_capacity, e->hit_count + 1))
        return false;
    e->hits[e->hit_count++] = (dry_hit_event){
        DRY_BETWEEN(contact),
        .child_a = contact.child_a,
        .child_b = contact.child_b,
        .triangle_a = contact.triangle_a,
        .triangle_b = contact.triangle_b,
        .material_a = contact.material_a,
        .material_b = contact.material_b,
        .point = contact.points[point].position,
        .normal = contact.normal,
        .speed_m_s = fastest,
    };
    return true;
}

static bool empty_queue(dry_world *world, const dry_solver_step *step, hit_queue *queue)
{
    for (int i = 0; i < queue->count; i++) {
        const dry_contact_link *link = &world->contacts.link[queue->contact[i]];
        prefetch_body(&world->bodies, link->body_a);
        prefetch_body(&world->bodies, link->body_b);
    }
    bool good = true;
    for (int i = 0; i < queue->count && good; i++)
        good = raise_hit(world, step, queue->contact[i]);
    queue->count = 0;
    return good;
}

static bool raise_marked_hits(dry_world *world, const dry_solver_step *step)
{
    const dry_solver_state *solver = &world->solver;
    hit_queue queue = {.count = 0};
    for (int b = 0; b < solver->sweeps.bundles[DRY_KIND_CONTACT].count; b++)
        for (uint32_t hits = solver->sweeps.headers[b].hits; hits; hits &= hits - 1) {
            int contact = solver->sweeps.bundles[DRY_KIND_CONTACT].members[b].index[dry_lowest_bit(hits)];
            DRY_ASSERT(contact >= 0 && world->contacts.link[contact].points > 0);
            prefetch_contact(&world->contacts, contact);
            queue.contact[queue.count++] = contact;
            if (queue.count == QUEUE_MAX && !empty_queue(world, step, &queue))
                return false;
        }
    return empty_queue(world, step, &queue);
}

bool dry_hits_raise(dry_world *world, const dry_solver_step *step)
{
    if (!atomic_load_explicit(&world->solver.sweeps.hits, memory_order_relaxed))
        return true;
    if (raise_marked_hits(world, step))
        return true;
    world->events.hit_count = 0;
    return false;
}
