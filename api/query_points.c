/* Shapes that hold a point. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "core/heap.h"
#include "geometry/compound.h"
#include "world/check.h"

static dry_query_fault fault_of(const dry_world *world, const void *question)
{
    const dry_contains_query *query = question;
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

static int find_holders(const dry_world *world, const void *question, dry_wanted wanted, void *hits,
                        int capacity)
{
    (void)wanted;
    const dry_contains_query *query = question;
    point_search search = {.world = world,
                           .asked = DRY_ASKED_BY_SIDELESS(query),
                           .point = query->point,
                           .hits = {hits, sizeof(dry_contains_hit), capacity, 0, is_older, world}};
    const dry_bounds bounds = {query->point, query->point};
    dry_broadphase_query(world->broadphase, &bounds, visit_point, &search);
    dry_heap_sort(&search.hits);
    return search.count;
}

static const dry_query_kind holders = {
    "queries", sizeof(dry_contains_query), sizeof(dry_contains_hit), fault_of, find_holders, NULL};

DRY_QUERY_ALL(dry_world_contains, holders, dry_contains_query, dry_contains_hit)
DRY_QUERY_ALLS(dry_world_contains_points, holders, dry_contains_query, dry_contains_hit)
