/* Contacts at a pose, and closest points. Reads shapes, poses and the broadphase; changes
 * nothing. Next: query.h, and narrowphase/queries/search.h for one shape. */
#include "api/query.h"
#include "core/heap.h"
#include "narrowphase/queries/patch.h"
#include "world/check.h"

static dry_query_fault fault_of_collide(const dry_world *world, const dry_collide_query *query)
{
    const dry_asked asked = DRY_ASKED_BY(query);
    if (!query->shape)
        return dry_query_argument("shape is null");
    const dry_query_fault fault = dry_query_shape_fault(query->shape, &query->pose);
    if (fault.text)
        return fault;
    if (!(query->margin >= 0.0f && query->margin <= 1e6f))
        return dry_query_argument("margin must be 0 to 1e6");
    return dry_asked_fault(world, &asked);
}

static dry_query_fault fault_of_closest(const dry_world *world, const dry_closest_query *query)
{
    const dry_asked asked = DRY_ASKED_BY(query);
    const dry_query_fault fault = dry_query_shape_fault(query->shape, &query->pose);
    if (fault.text)
        return fault;
    if (!(query->max_distance >= 0.0f && query->max_distance <= 1e7f))
        return dry_query_argument("max_distance must be 0 to 1e7");
    return dry_asked_fault(world, &asked);
}

/* A search for what is near the shape of a query. */
typedef struct place_search {
    const dry_world *world;
    dry_asked asked;
    dry_query_shape shape;
    dry_heap hits; /* the nearest first */
    int count;
    bool first_only;
    double limit; /* of the distance, m */
    int visited;  /* the shape whose pieces are visited */
} place_search;

/* Contacts. */

static bool is_deeper(const void *world, const void *a, const void *b)
{
    const dry_collide_hit *first = a, *second = b;
    if (first->depth != second->depth)
        return first->depth > second->depth;
    const int ages = dry_compare_ages(world, first->shape, second->shape);
    if (ages != 0)
        return ages < 0;
    if (first->child != second->child)
        return first->child < second->child;
    return first->triangle < second->triangle;
}

static void keep_contact(void *context, const dry_query_piece *piece, const dry_gap *gap)
{
    place_search *search = context;
    const dry_world *world = search->world;
    dry_patch patch;
    dry_placed_patch(&piece->solid, &search->shape.solid, gap, search->limit, &patch);
    const dry_query_part part = dry_query_part_of(world, search->visited, piece, gap->on_a, gap->normal);
    dry_collide_hit hit = {
        .normal = triple_round(gap->normal), .depth = (float)-gap->separation, .count = patch.count};
    for (int i = 0; i < patch.count; i++)
        hit.points[i] = (dry_collide_point){dry_query_place(search->shape.origin, patch.point[i].on_a),
                                            (float)patch.point[i].separation};
    search->count++;
    DRY_WRITE_PART(&part, &hit);
    dry_heap_keep(&search->hits, &hit);
}

static double visit_collide(void *context, uint32_t user)
{
    place_search *search = context;
    if (dry_asks(search->world, &search->asked, (int)user)) {
        const dry_target target =
            dry_target_of(search->world, (int)user, search->shape.origin, search->asked.sides);
        search->visited = (int)user;
        dry_target_visit_near(&target, &search->shape.solid, search->limit, keep_contact, search);
    }
    return search->limit;
}

static int find_contacts(const dry_world *world, const dry_collide_query *query, dry_collide_hit *hits,
                         int capacity)
{
    place_search search = {.world = world,
                           .asked = DRY_ASKED_BY(query),
                           .shape = dry_query_shape_of(query->shape, &query->pose),
                           .hits = {.items = hits,
                                    .item_bytes = sizeof *hits,
                                    .capacity = capacity,
                                    .comes_before = is_deeper,
                                    .context = world},
                           .limit = (double)query->margin};
    dry_broadphase_query_near(world->broadphase, &search.shape.bounds, search.limit, visit_collide, &search);
    dry_heap_sort(&search.hits);
    return search.count;
}

dry_result dry_world_collide(const dry_world *world, const dry_collide_query *query, dry_collide_hit *hits,
                             int capacity, int *count)
{
    const char *name = "dry_world_collide";
    if (!world || !query || !count || capacity < 0 || (capacity > 0 && !hits))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    const dry_query_fault fault = fault_of_collide(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    *count = find_contacts(world, query, hits, capacity);
    return DRY_OK;
}

/* Closest points. */

static bool is_closer(const void *world, const void *a, const void *b)
{
    const dry_closest_hit *first = a, *second = b;
    if (first->distance != second->distance)
        return first->distance < second->distance;
    return dry_compare_ages(world, first->shape, second->shape) < 0;
}

/* Boxes that overlap are 0 apart, however deep the shapes are: a bound below 0 still visits them. */
static double visit_closest(void *context, uint32_t user)
{
    place_search *search = context;
    const dry_world *world = search->world;
    dry_gap gap;
    dry_query_piece piece;
    if (!dry_asks(world, &search->asked, (int)user))
        return double_max(search->limit, 0.0);
    const dry_target target = dry_target_of(world, (int)user, search->shape.origin, search->asked.sides);
    if (!dry_target_nearest(&target, &search->shape.solid, search->limit, &gap, &piece))
        return double_max(search->limit, 0.0);
    const dry_query_part part = dry_query_part_of(world, (int)user, &piece, gap.on_a, gap.normal);
    dry_closest_hit hit = {.point = dry_query_place(search->shape.origin, gap.on_a),
                           .on_query = dry_query_place(search->shape.origin, gap.on_b),
                           .normal = triple_round(gap.normal),
                           .distance = (float)gap.separation};
    search->count++;
    DRY_WRITE_PART(&part, &hit);
    dry_heap_keep(&search->hits, &hit);
    if (search->first_only) {
        const dry_closest_hit *best = search->hits.items;
        search->limit = double_min(search->limit, dry_query_bound((double)best->distance));
    }
    return double_max(search->limit, 0.0);
}

static int find_closest(const dry_world *world, const dry_closest_query *query, bool first_only,
                        dry_closest_hit *hits, int capacity)
{
    place_search search = {.world = world,
                           .asked = DRY_ASKED_BY(query),
                           .shape = dry_query_shape_of(query->shape, &query->pose),
                           .hits = {.items = hits,
                                    .item_bytes = sizeof *hits,
                                    .capacity = capacity,
                                    .comes_before = is_closer,
                                    .context = world},
                           .first_only = first_only,
                           .limit = (double)query->max_distance};
    dry_broadphase_query_near(world->broadphase, &search.shape.bounds, search.limit, visit_closest, &search);
    dry_heap_sort(&search.hits);
    return search.count;
}

static void find_nearest(const dry_world *world, const dry_closest_query *query, dry_closest_hit *hit)
{
    *hit = (dry_closest_hit){.child = -1, .triangle = -1};
    find_closest(world, query, true, hit, 1);
}

dry_result dry_world_closest(const dry_world *world, const dry_closest_query *query, dry_closest_hit *hit)
{
    const char *name = "dry_world_closest";
    if (!world || !query || !hit)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: query or hit is null", name);
    const dry_query_fault fault = fault_of_closest(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    find_nearest(world, query, hit);
    return DRY_OK;
}

dry_result dry_world_closest_all(const dry_world *world, const dry_closest_query *query,
                                 dry_closest_hit *hits, int capacity, int *count)
{
    const char *name = "dry_world_closest_all";
    if (!world || !query || !count || capacity < 0 || (capacity > 0 && !hits))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    const dry_query_fault fault = fault_of_closest(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    *count = find_closest(world, query, false, hits, capacity);
    return DRY_OK;
}

/* Batches. */

typedef struct place_batch {
    const dry_world *world;
    const dry_collide_query *collides;
    dry_collide_hit *contacts;
    int capacity_each;
    int *counts;
    const dry_closest_query *closests;
    dry_closest_hit *nearest;
} place_batch;

static void run_collides(void *context, dry_items items)
{
    const place_batch *b = context;
    for (int i = items.begin; i < items.end; i++)
        b->counts[i] = find_contacts(b->world, &b->collides[i],
                                     b->contacts ? b->contacts + (size_t)i * (size_t)b->capacity_each : NULL,
                                     b->capacity_each);
}

static void run_closests(void *context, dry_items items)
{
    const place_batch *b = context;
    for (int i = items.begin; i < items.end; i++)
        find_nearest(b->world, &b->closests[i], &b->nearest[i]);
}

dry_result dry_world_collides(dry_world *world, int count, const dry_collide_query *queries,
                              dry_collide_hit *hits, int capacity_each, int *counts)
{
    const char *name = "dry_world_collides";
    dry_result result;
    if (!dry_check_world(world, name, &result))
        return result;
    if (count < 0 || capacity_each < 0 ||
        (count > 0 && (!queries || !counts || (capacity_each > 0 && !hits))))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = fault_of_collide(world, &queries[i]);
        if (fault.text)
            return dry_query_refuse(world, name, i, fault);
    }
    place_batch b = {.world = world,
                     .collides = queries,
                     .contacts = hits,
                     .capacity_each = capacity_each,
                     .counts = counts};
    dry_query_batch(world, count, run_collides, &b);
    return DRY_OK;
}

dry_result dry_world_closests(dry_world *world, int count, const dry_closest_query *queries,
                              dry_closest_hit *hits)
{
    const char *name = "dry_world_closests";
    dry_result result;
    if (!dry_check_world(world, name, &result))
        return result;
    if (count < 0 || (count > 0 && (!queries || !hits)))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = fault_of_closest(world, &queries[i]);
        if (fault.text)
            return dry_query_refuse(world, name, i, fault);
    }
    place_batch b = {.world = world, .closests = queries, .nearest = hits};
    dry_query_batch(world, count, run_closests, &b);
    return DRY_OK;
}
