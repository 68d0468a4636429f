/* Overlap queries. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "core/heap.h"
#include "geometry/geometry.h"
#include "world/check.h"

static dry_query_fault overlap_fault(const dry_world *world, const void *question)
{
    const dry_overlap *o = question;
    const dry_asked asked = DRY_ASKED_BY_SIDELESS(o);
    const char *error = dry_motion_error(&o->pose, NULL);
    if (error)
        return dry_query_argument(error);
    if (!(o->radius >= 0.0f && o->radius <= 1e6f))
        return dry_query_argument("radius must be 0 to 1e6");
    if (o->radius == 0.0f && !(o->half_extents.x > 0.0f && o->half_extents.y > 0.0f &&
                               o->half_extents.z > 0.0f && dry_finite3(o->half_extents, 1e6f)))
        return dry_query_argument("half_extents must be above 0 and at most 1e6");
    return dry_asked_fault(world, &asked);
}

/* Tells whether a shape was created before another one. */
static bool is_older(const void *world, const void *a, const void *b)
{
    return dry_compare_ages(world, *(const dry_shape_id *)a, *(const dry_shape_id *)b) < 0;
}

typedef struct overlap_search {
    const dry_world *world;
    const dry_overlap *overlap;
    dry_asked asked;
    dry_wanted wanted;
    dry_placed solid; /* in a frame with its origin at the overlap's place */
    dry_heap shapes;  /* the oldest first */
    int count;
} overlap_search;

static void visit_overlap(void *context, uint32_t user)
{
    overlap_search *search = context;
    const dry_world *world = search->world;
    if ((search->wanted == DRY_WANT_ANY && search->count > 0) || !dry_asks(world, &search->asked, (int)user))
        return;
    const dry_target target = dry_target_of(world, (int)user, search->overlap->pose.position, DRY_SIDES_BOTH);
    if (!dry_target_overlaps(&target, &search->solid))
        return;
    const dry_shape_id id = dry_shape_id_of(world, (int)user);
    search->count++;
    dry_heap_keep(&search->shapes, &id);
}

static int find_overlaps(const dry_world *world, const void *question, dry_wanted wanted, void *shapes,
                         int capacity)
{
    const dry_overlap *overlap = question;
    overlap_search search = {.world = world,
                             .overlap = overlap,
                             .asked = DRY_ASKED_BY_SIDELESS(overlap),
                             .wanted = wanted,
                             .shapes = {shapes, sizeof(dry_shape_id), capacity, 0, is_older, world}};
    const dry_placed_pose at = {{0.0, 0.0, 0.0}, quat_normalize(overlap->pose.orientation)};
    const dry_geometry geometry = overlap->radius > 0.0f
                                      ? (dry_geometry){{overlap->radius, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL}
                                      : (dry_geometry){overlap->half_extents, DRY_SHAPE_BOX, NULL};
    search.solid = dry_placed_of(&geometry, &at);
    const dry_extents extents = dry_geometry_bounds(&geometry, at.orientation);
    dry_bounds bounds = {position_add(overlap->pose.position, extents.low),
                         position_add(overlap->pose.position, extents.high)};
    dry_broadphase_query(world->broadphase, &bounds, visit_overlap, &search);
    dry_heap_sort(&search.shapes);
    return search.count;
}

static const dry_query_kind kind = {"overlaps",    sizeof(dry_overlap), sizeof(dry_shape_id),
                                    overlap_fault, find_overlaps,       NULL};

DRY_QUERY_ALL(dry_world_overlap, kind, dry_overlap, dry_shape_id)
DRY_QUERY_ANY(dry_world_overlap_any, kind, dry_overlap)
DRY_QUERY_ALLS(dry_world_overlaps, kind, dry_overlap, dry_shape_id)
