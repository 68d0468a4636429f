/* Casts of convex shapes. Reads shapes, poses and the broadphase; changes nothing. Next: query.h, and
 * narrowphase/queries/search.h for one shape. */
#include "api/query.h"
#include "core/heap.h"
#include "world/check.h"

static dry_query_fault fault_of(const dry_world *world, const dry_cast_query *query)
{
    const dry_asked asked = DRY_ASKED_BY(query);
    if (!query->shape)
        return dry_query_argument("shape is null");
    dry_query_fault fault = dry_query_shape_fault(query->shape, &query->pose);
    if (fault.text)
        return fault;
    if (!dry_finite3(query->translation, 1e7f))
        return dry_query_argument("translation must be finite and at most 1e7");
    if (vec3_length_squared(query->translation) <= 0.0f)
        return dry_query_argument("translation must not be zero");
    return dry_asked_fault(world, &asked);
}

typedef struct cast_search {
    const dry_world *world;
    dry_asked asked;
    dry_query_shape shape;
    dry_vec3 translation;
    dry_heap hits; /* the first one first */
    int count;
    bool first_only, any;
    double limit; /* of the fraction */
} cast_search;

/* Tells whether a hit comes before another one. */
static bool is_sooner(const void *world, const void *a, const void *b)
{
    const dry_cast_hit *first = a, *second = b;
    if (first->fraction != second->fraction)
        return first->fraction < second->fraction;
    if (first->depth != second->depth)
        return first->depth > second->depth;
    return dry_compare_ages(world, first->shape, second->shape) < 0;
}

static void visit_cast(cast_search *search, int shape)
{
    const dry_world *world = search->world;
    if (!dry_asks(world, &search->asked, shape))
        return;
    const dry_target target = dry_target_of(world, shape, search->shape.origin, search->asked.sides);
    dry_placed_hit found;
    dry_query_piece piece;
    if (!dry_target_cast(&target, &search->shape.solid, triple_of(search->translation), search->limit, &found,
                         &piece))
        return;
    search->count++;
    if (search->any) {
        search->limit = -1.0;
        return;
    }
    const dry_query_part part = dry_query_part_of(world, shape, &piece, found.point, found.normal);
    dry_cast_hit hit = {.point = dry_query_place(search->shape.origin, found.point),
                        .normal = triple_round(found.normal),
                        .fraction = (float)found.fraction,
                        .depth = (float)found.depth};
    DRY_WRITE_PART(&part, &hit);
    dry_heap_keep(&search->hits, &hit);
    if (search->first_only)
        search->limit =
            double_min(1.0, dry_query_bound((double)((const dry_cast_hit *)search->hits.items)->fraction));
}

static float visit_proxy(void *context, uint32_t user)
{
    cast_search *search = context;
    if (search->limit >= 0.0)
        visit_cast(search, (int)user);
    return (float)search->limit;
}

static cast_search search_of(const dry_world *world, const dry_cast_query *query, dry_cast_hit *hits,
                             int capacity)
{
    return (cast_search){.world = world,
                         .asked = DRY_ASKED_BY(query),
                         .shape = dry_query_shape_of(query->shape, &query->pose),
                         .translation = query->translation,
                         .hits = {.items = hits,
                                  .item_bytes = sizeof *hits,
                                  .capacity = capacity,
                                  .comes_before = is_sooner,
                                  .context = world},
                         .limit = 1.0};
}

static void run_search(cast_search *search)
{
    const dry_bounds *b = &search->shape.bounds;
    const dry_position center = {0.5 * (b->min.x + b->max.x), 0.5 * (b->min.y + b->max.y),
                                 0.5 * (b->min.z + b->max.z)};
    /* Some more than half: the center is rounded, and so is the size. */
    const double share = 0.5 * (1.0 + 1e-6);
    const dry_vec3 half = {(float)(share * (b->max.x - b->min.x)), (float)(share * (b->max.y - b->min.y)),
                           (float)(share * (b->max.z - b->min.z))};
    dry_broadphase_cast_box(search->world->broadphase, center, half, search->translation, visit_proxy,
                            search);
    dry_heap_sort(&search->hits);
}

static void find_first(const dry_world *world, const dry_cast_query *query, dry_cast_hit *hit)
{
    *hit = (dry_cast_hit){.child = -1, .triangle = -1};
    cast_search search = search_of(world, query, hit, 1);
    search.first_only = true;
    run_search(&search);
}

dry_result dry_world_cast_shape(const dry_world *world, const dry_cast_query *query, dry_cast_hit *hit)
{
    const char *name = "dry_world_cast_shape";
    if (!world || !query || !hit)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: query or hit is null", name);
    const dry_query_fault fault = fault_of(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    find_first(world, query, hit);
    return DRY_OK;
}

dry_result dry_world_cast_shape_all(const dry_world *world, const dry_cast_query *query, dry_cast_hit *hits,
                                    int capacity, int *count)
{
    const char *name = "dry_world_cast_shape_all";
    if (!world || !query || !count || capacity < 0 || (capacity > 0 && !hits))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    const dry_query_fault fault = fault_of(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    cast_search search = search_of(world, query, hits, capacity);
    run_search(&search);
    *count = search.count;
    return DRY_OK;
}

dry_result dry_world_cast_shape_any(const dry_world *world, const dry_cast_query *query, bool *met)
{
    const char *name = "dry_world_cast_shape_any";
    if (!world || !query || !met)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: query or met is null", name);
    const dry_query_fault fault = fault_of(world, query);
    if (fault.text)
        return dry_query_refuse(world, name, -1, fault);
    cast_search search = search_of(world, query, NULL, 0);
    search.any = true;
    run_search(&search);
    *met = search.count > 0;
    return DRY_OK;
}

typedef struct cast_batch {
    const dry_world *world;
    const dry_cast_query *queries;
    dry_cast_hit *hits;
} cast_batch;

static void run_casts(void *context, dry_items items)
{
    const cast_batch *b = context;
    for (int i = items.begin; i < items.end; i++)
        find_first(b->world, &b->queries[i], &b->hits[i]);
}

dry_result dry_world_cast_shapes(dry_world *world, int count, const dry_cast_query *queries,
                                 dry_cast_hit *hits)
{
    const char *name = "dry_world_cast_shapes";
    dry_result result;
    if (!dry_check_world(world, name, &result))
        return result;
    if (count < 0 || (count > 0 && (!queries || !hits)))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: an argument is null or negative", name);
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = fault_of(world, &queries[i]);
        if (fault.text)
            return dry_query_refuse(world, name, i, fault);
    }
    cast_batch b = {world, queries, hits};
    dry_query_batch(world, count, run_casts, &b);
    return DRY_OK;
}
