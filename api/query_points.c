/* Shapes that hold a point. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "geometry/compound.h"
#include "world/check.h"

static const char *error_of(const void *question)
{
    const dry_contains_query *query = question;
    return dry_finite_position(query->point) ? NULL : "point must be finite and at most 1e9";
}

static void visit_point(void *context, uint32_t user)
{
    dry_search *search = context;
    const dry_contains_query *query = search->query;
    const dry_world *world = search->world;
    if (!dry_asks(world, &search->asked, (int)user))
        return;
    const dry_target target = dry_target_of(world, (int)user, query->point, DRY_SIDES_OF_SHAPE);
    const dry_double3 point = dry_placed_point_inverse(&target.pose, double3(0.0, 0.0, 0.0));
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

static void find(dry_search *search)
{
    const dry_contains_query *query = search->query;
    const dry_bounds bounds = {query->point, query->point};
    dry_broadphase_query(search->world->broadphase, &bounds, visit_point, search);
    dry_heap_sort(&search->hits);
}

static const dry_query_kind holders = {
    "queries",    DRY_QUERY_SIZES_SIDELESS(dry_contains_query, dry_contains_hit),
    NULL,         error_of,
    dry_is_older, find,
    NULL};

DRY_QUERY_ALL(dry_world_contains, holders, dry_contains_query, dry_contains_hit)
DRY_QUERY_ALLS(dry_world_contains_points, holders, dry_contains_query, dry_contains_hit)
