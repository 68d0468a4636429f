/* Lists the memory of a scene, array by array: size of an element, capacity, and the part in use.
 *
 *     count_memory SCENE [SIZE [STEPS]]
 *
 * The program knows all arrays of a world. The last line is the rest: the world itself and the workers'
 * queues. A large rest means that an array is missing here. */
#include "broadphase/internal.h"
#include "solver/bodies/begin.h"
#include "solver/plan/islands.h"
#include "tools/scenes/scenes.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct census {
    size_t listed;
    double per; /* bodies */
} census;

static void count(census *c, const char *name, size_t element, int64_t capacity, int64_t used)
{
    size_t bytes = element * (size_t)capacity;
    c->listed += bytes;
    if (bytes > 0)
        printf("%-24s %6zu %12lld %12lld %10.1f\n", name, element, (long long)capacity, (long long)used,
               (double)bytes / c->per);
}

#define COUNT(c, name, array, capacity, used) count((c), (name), sizeof *(array), (capacity), (used))

static void count_bodies(census *c, const dry_bodies *bodies)
{
#define X(ID, type, name, ...) count(c, "body " #name, sizeof(type), bodies->capacity, bodies->count);
    DRY_BODY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (bodies->name)                                                                                        \
        count(c, "body " #name, sizeof(type), bodies->capacity, bodies->count);
    DRY_BODY_RARE_COLUMNS(X)
#undef X
    COUNT(c, "body slot", bodies->slots.slots, bodies->slots.capacity, bodies->slots.used);
}

static void count_shapes(census *c, const dry_shapes *shapes)
{
#define X(ID, type, name, ...)                                                                               \
    count(c, "shape " #name, sizeof(type), shapes->name##_capacity, shapes->slots.used);
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    COUNT(c, "shape slot", shapes->slots.slots, shapes->slots.capacity, shapes->slots.used);
}

static void count_broadphase(census *c, const dry_broadphase *b)
{
    const dry_trees *t = &b->trees;
    COUNT(c, "tree node", t->nodes, t->node_capacity, t->nodes_used - t->free_count);
#define X(ID, type, name, ...)                                                                               \
    COUNT(c, "proxy " #name, b->proxies.name, b->proxies.name##_capacity, b->proxies.used);
    DRY_PROXY_COLUMNS(X)
#undef X
    COUNT(c, "proxy place", t->places, t->place_capacity, b->proxies.used);
    COUNT(c, "pair writer", b->writers, b->writer_capacity, b->writer_capacity);
    COUNT(c, "moved block", b->moved_blocks, b->moved_block_capacity, dry_broadphase_blocks(b));
    COUNT(c, "stale block", b->stale_blocks, b->stale_block_capacity, dry_broadphase_blocks(b));
}

static void count_constraints(census *c, const dry_world *world)
{
    const dry_contacts *contacts = &world->contacts;
    COUNT(c, "contact manifold", contacts->manifold, contacts->manifold_capacity, contacts->used);
    COUNT(c, "contact link", contacts->link, contacts->link_capacity, contacts->used);
    COUNT(c, "contact bits", contacts->used_bits, 7 * contacts->used_bits_capacity,
          7 * dry_contact_words(contacts));
    COUNT(c, "active words", contacts->active_words, contacts->active_words_capacity,
          contacts->active_word_count);
    COUNT(c, "pair entry", contacts->pairs.entries, contacts->pairs.capacity, contacts->pairs.count);
    const dry_joints *joints = &world->joints;
    COUNT(c, "joint", joints->joint, joints->joint_capacity, joints->slots.used);
    COUNT(c, "joint active", joints->active, joints->active_capacity, joints->active_count);
    COUNT(c, "joint slot", joints->slots.slots, joints->slots.capacity, joints->slots.used);
}

static void count_solver(census *c, const dry_world *world)
{
    const dry_solver_state *s = &world->solver;
    int awake = world->bodies.awake_count;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        COUNT(c, "lanes of bundles", s->sweeps.bundles[k].members, s->sweeps.bundles[k].members_capacity,
              s->sweeps.bundles[k].count);
    const int contacts = s->sweeps.bundles[DRY_KIND_CONTACT].count;
    COUNT(c, "contact header", s->sweeps.headers, s->sweeps.headers_capacity, contacts);
    COUNT(c, "phase", s->plan.phases, s->plan.phases_capacity, s->plan.phase_count);
    COUNT(c, "slab of a row", s->plan.slabs.slab, s->plan.slabs.capacity, s->plan.slabs.rows);
    COUNT(c, "partition", s->plan.partitions, s->plan.partitions_capacity,
          s->plan.ranges[s->plan.range_count - 1].partition_end);
    COUNT(c, "contact cold block", s->sweeps.cold, s->sweeps.cold_capacity, contacts);
    COUNT(c, "contact compliance", s->sweeps.compliance, s->sweeps.compliance_capacity, contacts);
    COUNT(c, "contact turning", s->sweeps.turning, s->sweeps.turning_capacity, contacts);
    COUNT(c, "contact impacts", s->sweeps.impact, s->sweeps.impact_capacity, contacts);
    COUNT(c, "solver row", s->bodies.rows, s->bodies.rows_capacity, awake + 1);
    COUNT(c, "invalid", s->bodies.invalid, s->bodies.invalid_capacity, awake);
    COUNT(c, "load", s->bodies.load, s->bodies.load_capacity, s->bodies.load_capacity);
    COUNT(c, "order", s->plan.order, s->plan.order_capacity, awake);
    COUNT(c, "sums", s->bodies.sums, s->bodies.sums_capacity, awake + 1);
    const dry_islands *islands = &world->islands;
    COUNT(c, "island", islands->island, islands->island_capacity, islands->count);
    COUNT(c, "edge", islands->edge, islands->edge_capacity, islands->edge_count);
}

static void count_events(census *c, const dry_event_store *e, const dry_pending_events *pending)
{
    /* Events of the other kinds lie in scratch memory. */
#define X(type, array, count, room) COUNT(c, "event " #array, e->array, e->array##_capacity, e->count);
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
#define X(type, array, count, room)                                                                          \
    COUNT(c, "pending " #array, pending->array, pending->array##_capacity, pending->count);
    DRY_PENDING_EVENTS(X)
#undef X
}

static void count_world(const dry_world *world)
{
    dry_statistics statistics = dry_world_statistics(world);
    census c = {.per = statistics.dynamic_bodies > 0 ? statistics.dynamic_bodies : 1};
    printf("%-24s %6s %12s %12s %10s\n", "array", "bytes", "room", "in use", "a body");
    count_bodies(&c, &world->bodies);
    count_shapes(&c, &world->shapes);
    count_broadphase(&c, world->broadphase);
    count_constraints(&c, world);
    count_solver(&c, world);
    count_events(&c, &world->events, &world->pending);
    count(&c, "scratch", 1, (int64_t)dry_scratch_room(&world->scratch), 0);
    COUNT(&c, "sleep changed", world->sleep_changed, world->sleep_changed_capacity,
          world->sleep_changed_count);
    printf("%-24s %6s %12s %12s %10.1f\n", "all of these", "", "", "", (double)c.listed / c.per);
    printf("%-24s %6s %12s %12s %10.1f\n", "the rest", "", "", "",
           ((double)statistics.memory_bytes - (double)c.listed) / c.per);
}

int main(int argc, char **argv)
{
    char error[256];
    dry_scene scene;
    int steps = argc > 3 ? atoi(argv[3]) : 20;
    if (argc < 2 || !dry_scene_make(argv[1], argc > 2 ? atoi(argv[2]) : 0, &scene, error, sizeof error)) {
        fprintf(stderr, "count_memory: %s\n", argc < 2 ? "expected SCENE [SIZE [STEPS]]" : error);
        return 2;
    }
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = scene.gravity;
    def.settings.sleep = false;
    def.threads = 1;
    dry_world *world = NULL;
    dry_body_id *ids = calloc((size_t)scene.body_count + 1, sizeof *ids);
    bool good =
        ids && dry_world_create(&def, &world) == DRY_OK && dry_scene_build(&scene, world, ids) == DRY_OK;
    for (int i = 0; good && i < steps; i++)
        good = dry_world_step(world, scene.dt) == DRY_OK;
    if (good)
        count_world(world);
    else
        fprintf(stderr, "count_memory: out of memory\n");
    dry_world_destroy(world);
    free(ids);
    dry_scene_free(&scene);
    return good ? 0 : 1;
}
