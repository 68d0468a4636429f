/* Shapes that hold a point. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "core/heap.h"
#include "geometry/compound.h"
#include "world/check.h"

static dry_query_fault fault_of(const dry_world *world, const dry_contains_query *query)
{
    const dry_asked asked = DRY_ASKED_BY_SIDELESS(query);
    if (!dry_finite_position(query->point))
        return dry_query_argument("point must be finite and at most 1e9");
    return dry_asked_fault(world, &asked);
}

typedef struct point_search {
    const dry_world *world;
    dry_asked asked;
    dry_position point;
    dry_heap hits; /* the oldest first */
    int count;
} point_search;

static bool is_older(const void *world, const void *a, const void *b)
{
    return dry_compare_ages(world, ((const dry_contains_hit *)a)->shape,
                            ((const dry_contains_hit *)b)->shape) < 0;
}

static void visit_point(void *context, uint32_t user)
{
    point_search *search = context;
    const dry_world *world = search->world;
    if (!dry_asks(world, &search->asked, (int)user))
        return;
    const dry_target target = dry_target_of(world, (int)user, search->point, DRY_SIDES_OF_SHAPE);
    const dry_triple at = dry_placed_point_inverse(&target.pose, triple(0.0, 0.0, 0.0));
    const double point[3] = {at.x, at.y, at.z};
    int child = -1;
    if (target.geometry.type == DRY_SHAPE_COMPOUND)
        child = dry_compound_child_at(&target.geometry, point);
    if (child < 0 && !dry_geometry_contains(&target.geometry, point))
        return;
    const dry_query_part whole = dry_query_whole(world, (int)user, 0);
    const dry_contains_hit hit = {whole.shape, whole.body, whole.shape_user_data, whole.body_user_data,
                                  child};
    search->count++;
    dry_heap_keep(&search->hits, &hit);
}

static int find_holders(const dry_world *world, const dry_contains_query *query, dry_contains_hit *hits,
                        int capacity)
{
    point_search search = {.world = world,
                           .asked = DRY_ASKED_BY_SIDELESS(query),
                           .point = query->point,
                           .hits = {.items = hits,
                                    .item_bytes = sizeof *hits,
                                    .capacity = capacity,
                                    .comes_before = is_older,
                                    .context = world}};
    const dry_bounds bounds = {query->point, query->point};
    dry_broadphase_query(world->broadphase, &bounds, visit_point, &search);
    dry_heap_sort(&search.hits);
    return search.count;
}

dry_result dry_world_contains(const dry_world *world, const dry_contains_query *query, dry_contains_hit *hits,
                              int capacity, int *count)
{
    const char *name = "dry_world_contains";
    if (!world || !query || !count || capacity < 0 || (capacity > 0 && !hits))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    const dry_query_fault fault = fault_of(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    *count = find_holders(world, query, hits, capacity);
    return DRY_OK;
}

typedef struct point_batch {
    const dry_world *world;
    const dry_contains_query *queries;
    dry_contains_hit *hits;
    int capacity_each;
    int *counts;
} point_batch;

static void run_points(void *context, dry_items items)
{
    const point_batch *b = context;
    for (int i = items.begin; i < items.end; i++)
        b->counts[i] =
            find_holders(b->world, &b->queries[i],
                         b->hits ? b->hits + (size_t)i * (size_t)b->capacity_each : NULL, b->capacity_each);
}

dry_result dry_world_contains_points(dry_world *world, int count, const dry_contains_query *queries,
                                     dry_contains_hit *hits, int capacity_each, int *counts)
{
    const char *name = "dry_world_contains_points";
    dry_result result;
    if (!dry_check_world(world, name, &result))
        return result;
    if (count < 0 || capacity_each < 0 ||
        (count > 0 && (!queries || !counts || (capacity_each > 0 && !hits))))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = fault_of(world, &queries[i]);
        if (fault.text)
            return dry_query_refuse(world, name, i, fault);
    }
    point_batch b = {world, queries, hits, capacity_each, counts};
    dry_query_batch(world, count, run_points, &b);
    return DRY_OK;
}
