/* Overlap queries. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "geometry/geometry.h"
#include "world/check.h"

static const char *error_of(const void *question)
{
    const dry_overlap *o = question;
    const char *error = dry_motion_error(&o->pose, NULL);
    if (error)
        return error;
    if (!(o->radius >= 0.0f && o->radius <= 1e6f))
        return "radius must be 0 to 1e6";
    if (o->radius == 0.0f && !(o->half_extents.x > 0.0f && o->half_extents.y > 0.0f &&
                               o->half_extents.z > 0.0f && dry_finite3(o->half_extents, 1e6f)))
        return "half_extents must be above 0 and at most 1e6";
    return NULL;
}

static void visit_overlap(void *context, uint32_t user)
{
    dry_search *search = context;
    const dry_world *world = search->world;
    if ((search->wanted == DRY_WANT_ANY && search->count > 0) || !dry_asks(world, &search->asked, (int)user))
        return;
    const dry_target target = dry_target_of(world, (int)user, search->shape->origin, DRY_SIDES_BOTH);
    if (!dry_target_overlaps(&target, &search->shape->solid))
        return;
    const dry_shape_id id = dry_shape_id_of(world, (int)user);
    search->count++;
    dry_heap_keep(&search->hits, &id);
}

static void find(dry_search *search)
{
    const dry_overlap *query = search->query;
    const dry_placed_pose at = {{0.0, 0.0, 0.0}, quat_normalize(query->pose.orientation)};
    const dry_geometry geometry = query->radius > 0.0f
                                      ? (dry_geometry){{query->radius, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL}
                                      : (dry_geometry){query->half_extents, DRY_SHAPE_BOX, NULL};
    const dry_extents extents = dry_geometry_bounds(&geometry, at.orientation);
    const dry_query_shape shape = {
        query->pose.position,
        dry_placed_of(&geometry, &at),
        {position_add(query->pose.position, extents.low), position_add(query->pose.position, extents.high)}};
    search->shape = &shape;
    dry_broadphase_query(search->world->broadphase, &shape.bounds, visit_overlap, search);
    dry_heap_sort(&search->hits);
}

static const dry_query_kind kind = {
    "overlaps", DRY_QUERY_SIZES_SIDELESS(dry_overlap, dry_shape_id), NULL, error_of, dry_is_older, find,
    NULL};

DRY_QUERY_ALL(dry_world_overlap, kind, dry_overlap, dry_shape_id)
DRY_QUERY_ANY(dry_world_overlap_any, kind, dry_overlap)
DRY_QUERY_ALLS(dry_world_overlaps, kind, dry_overlap, dry_shape_id)
