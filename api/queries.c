/* Ray casts and overlap queries. Reads shapes, poses and the broadphase; changes nothing. Next: query.h. */
#include "api/query.h"
#include "core/heap.h"
#include "geometry/geometry.h"
#include "geometry/triangle_overlap.h"
#include "narrowphase/collide.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/world.h"

#include <drystone/query.h>

static dry_query_fault ray_fault(const dry_world *world, const dry_ray *ray)
{
    const dry_asked asked = DRY_ASKED_BY(ray);
    if (!dry_finite_position(ray->origin))
        return dry_query_argument("origin must be finite and at most 1e9");
    if (!dry_finite3(ray->translation, 1e7f))
        return dry_query_argument("translation must be finite and at most 1e7");
    if (vec3_length_squared(ray->translation) <= 0.0f)
        return dry_query_argument("translation must not be zero");
    return dry_asked_fault(world, &asked);
}

typedef struct ray_search {
    const dry_world *world;
    const dry_ray *ray;
    dry_asked asked;
    dry_heap hits; /* nearest first */
    int count;
} ray_search;

static const dry_ray_hit no_hit = {.child = -1, .triangle = -1};

/* Tells whether a shape was created before another one. */
static bool is_older(const void *world, const void *a, const void *b)
{
    return dry_compare_ages(world, *(const dry_shape_id *)a, *(const dry_shape_id *)b) < 0;
}

/* Tells whether a hit comes before another one: it is nearer, or as near and on an older shape. */
static bool is_nearer(const void *world, const void *a, const void *b)
{
    const dry_ray_hit *first = a, *second = b;
    if (first->fraction != second->fraction)
        return first->fraction < second->fraction;
    return dry_compare_ages(world, first->shape, second->shape) < 0;
}

static ray_search search_of_ray(const dry_world *world, const dry_ray *ray, dry_ray_hit *hits, int capacity)
{
    return (ray_search){.world = world,
                        .ray = ray,
                        .asked = DRY_ASKED_BY(ray),
                        .hits = {.items = hits,
                                 .item_bytes = sizeof *hits,
                                 .capacity = capacity,
                                 .comes_before = is_nearer,
                                 .context = world}};
}

static void keep_hit(ray_search *search, const dry_ray_place *place)
{
    dry_ray_hit hit = {
        .point = position_add(search->ray->origin, vec3_scale(search->ray->translation, place->fraction)),
        .normal = place->normal,
        .fraction = place->fraction,
    };
    DRY_WRITE_PART(&place->part, &hit);
    search->count++;
    dry_heap_keep(&search->hits, &hit);
}

static float visit_ray(void *context, uint32_t user)
{
    ray_search *search = context;
    dry_ray_place place;
    if (dry_ray_meets(search->world, search->ray, &search->asked, (int)user, &place))
        keep_hit(search, &place);
    return 1.0f;
}

/* Keeps the closest hit. The search need not visit what lies behind it, but must visit what is equally near,
 * so that the older shape wins whatever the tree's order. */
static float visit_ray_closest(void *context, uint32_t user)
{
    ray_search *search = context;
    visit_ray(search, user);
    return search->hits.kept ? ((const dry_ray_hit *)search->hits.items)->fraction : 1.0f;
}

/* Ends the search with the first hit that it comes to. */
static float visit_ray_any(void *context, uint32_t user)
{
    ray_search *search = context;
    if (search->count == 0)
        visit_ray(search, user);
    return search->count > 0 ? -1.0f : 1.0f;
}

static void search_ray(ray_search *search, float (*visit)(void *context, uint32_t user))
{
    dry_broadphase_cast_ray(search->world->broadphase, search->ray->origin, search->ray->translation, visit,
                            search);
    dry_heap_sort(&search->hits);
}

dry_result dry_world_cast_ray(const dry_world *world, const dry_ray *ray, dry_ray_hit *hit)
{
    if (!world || !ray || !hit)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_cast_ray: ray or hit is null");
    const dry_query_fault fault = ray_fault(world, ray);
    if (fault.text)
        return dry_query_refuse(world, "dry_world_cast_ray", -1, fault);
    dry_ray_hit found = no_hit;
    ray_search search = search_of_ray(world, ray, &found, 1);
    search_ray(&search, visit_ray_closest);
    *hit = found;
    return DRY_OK;
}

dry_result dry_world_cast_ray_all(const dry_world *world, const dry_ray *ray, dry_ray_hit *hits, int capacity,
                                  int *count)
{
    if (!world || !ray || !count || capacity < 0 || (capacity > 0 && !hits))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_cast_ray_all: an argument is null");
    const dry_query_fault fault = ray_fault(world, ray);
    if (fault.text)
        return dry_query_refuse(world, "dry_world_cast_ray_all", -1, fault);
    ray_search search = search_of_ray(world, ray, hits, capacity);
    search_ray(&search, visit_ray);
    *count = search.count;
    return DRY_OK;
}

dry_result dry_world_cast_ray_any(const dry_world *world, const dry_ray *ray, bool *met)
{
    if (!world || !ray || !met)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_cast_ray_any: ray or met is null");
    const dry_query_fault fault = ray_fault(world, ray);
    if (fault.text)
        return dry_query_refuse(world, "dry_world_cast_ray_any", -1, fault);
    ray_search search = search_of_ray(world, ray, NULL, 0);
    search_ray(&search, visit_ray_any);
    *met = search.count > 0;
    return DRY_OK;
}

static dry_query_fault overlap_fault(const dry_world *world, const dry_overlap *o)
{
    const dry_asked asked = DRY_ASKED_BY_SIDELESS(o);
    if (!dry_finite_position(o->pose.position))
        return dry_query_argument("pose.position must be finite and at most 1e9");
    if (!dry_finite_quat(o->pose.orientation))
        return dry_query_argument("pose.orientation must be of unit length");
    if (!(o->radius >= 0.0f && o->radius <= 1e6f))
        return dry_query_argument("radius must be 0 to 1e6");
    if (o->radius == 0.0f && !(o->half_extents.x > 0.0f && o->half_extents.y > 0.0f &&
                               o->half_extents.z > 0.0f && dry_finite3(o->half_extents, 1e6f)))
        return dry_query_argument("half_extents must be above 0 and at most 1e6");
    return dry_asked_fault(world, &asked);
}

typedef struct overlap_search {
    const dry_world *world;
    const dry_overlap *overlap;
    dry_asked asked;
    bool any; /* the first one ends the search */
    dry_geometry geometry;
    dry_quat orientation;
    dry_heap shapes; /* the oldest first */
    int count;
} overlap_search;

static void visit_overlap(void *context, uint32_t user)
{
    overlap_search *search = context;
    const dry_world *world = search->world;
    const dry_shape_form *form = &world->shapes.form[user];
    if ((search->any && search->count > 0) || !dry_asks(world, &search->asked, (int)user))
        return;
    dry_pose pose = dry_query_pose(world, (int)user);
    dry_transform seen;
    if (form->geometry.type == DRY_SHAPE_HALFSPACE) {
        double height = dry_halfspace_height(&world->bodies, form, search->overlap->pose.position);
        seen.position = vec3(0.0f, (float)height, 0.0f);
    } else {
        seen.position = quat_rotate_inverse(pose.orientation,
                                            position_sub(search->overlap->pose.position, pose.position));
    }
    seen.orientation = quat_mul(quat_conjugate(pose.orientation), search->orientation);
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, (int)user);
    const bool overlaps = dry_type_has_triangles(geometry.type)
                              ? dry_triangles_overlap(&geometry, &search->geometry, &seen)
                              : dry_overlap_shapes(&geometry, &search->geometry, &seen);
    if (!overlaps)
        return;
    const dry_shape_id id = dry_shape_id_of(world, (int)user);
    search->count++;
    dry_heap_keep(&search->shapes, &id);
}

static int find_overlaps(const dry_world *world, const dry_overlap *overlap, bool any, dry_shape_id *shapes,
                         int capacity)
{
    overlap_search search = {.world = world,
                             .overlap = overlap,
                             .asked = DRY_ASKED_BY_SIDELESS(overlap),
                             .any = any,
                             .shapes = {.items = shapes,
                                        .item_bytes = sizeof *shapes,
                                        .capacity = capacity,
                                        .comes_before = is_older,
                                        .context = world}};
    search.orientation = quat_normalize(overlap->pose.orientation);
    search.geometry = overlap->radius > 0.0f
                          ? (dry_geometry){{overlap->radius, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL}
                          : (dry_geometry){overlap->half_extents, DRY_SHAPE_BOX, NULL};
    const dry_extents extents = dry_geometry_bounds(&search.geometry, search.orientation);
    dry_bounds bounds = {position_add(overlap->pose.position, extents.low),
                         position_add(overlap->pose.position, extents.high)};
    dry_broadphase_query(world->broadphase, &bounds, visit_overlap, &search);
    dry_heap_sort(&search.shapes);
    return search.count;
}

dry_result dry_world_overlap(const dry_world *world, const dry_overlap *overlap, dry_shape_id *shapes,
                             int capacity, int *count)
{
    if (!world || !overlap || !count || capacity < 0 || (capacity > 0 && !shapes))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_overlap: an argument is null");
    const dry_query_fault fault = overlap_fault(world, overlap);
    if (fault.text)
        return dry_query_refuse(world, "dry_world_overlap", -1, fault);
    *count = find_overlaps(world, overlap, false, shapes, capacity);
    return DRY_OK;
}

dry_result dry_world_overlap_any(const dry_world *world, const dry_overlap *overlap, bool *met)
{
    if (!world || !overlap || !met)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_overlap_any: overlap or met is null");
    const dry_query_fault fault = overlap_fault(world, overlap);
    if (fault.text)
        return dry_query_refuse(world, "dry_world_overlap_any", -1, fault);
    *met = find_overlaps(world, overlap, true, NULL, 0) > 0;
    return DRY_OK;
}

/* Batches: workers share the queries, and each query writes its own output. */
typedef struct batch {
    const dry_world *world;
    const dry_ray *rays;
    dry_ray_hit *hits;
    const dry_overlap *overlaps;
    dry_shape_id *shapes;
    int capacity_each;
    int *counts;
} batch;

static void run_rays(void *context, dry_items items)
{
    const batch *b = context;
    for (int i = items.begin; i < items.end; i++) {
        b->hits[i] = no_hit;
        ray_search search = search_of_ray(b->world, &b->rays[i], &b->hits[i], 1);
        search_ray(&search, visit_ray_closest);
    }
}

static void run_overlaps(void *context, dry_items items)
{
    const batch *b = context;
    for (int i = items.begin; i < items.end; i++)
        b->counts[i] = find_overlaps(b->world, &b->overlaps[i], false,
                                     b->shapes ? b->shapes + (size_t)i * (size_t)b->capacity_each : NULL,
                                     b->capacity_each);
}

dry_result dry_world_cast_rays(dry_world *world, int count, const dry_ray *rays, dry_ray_hit *hits)
{
    dry_result result;
    if (!dry_check_world(world, "dry_world_cast_rays", &result))
        return result;
    if (count < 0 || (count > 0 && (!rays || !hits)))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_cast_rays: rays or hits is null");
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = ray_fault(world, &rays[i]);
        if (fault.text)
            return dry_world_fail(world, fault.result, "dry_world_cast_rays: rays[%d].%s", i, fault.text);
    }
    batch b = {.world = world, .rays = rays, .hits = hits};
    dry_query_batch(world, count, run_rays, &b);
    return DRY_OK;
}

dry_result dry_world_overlaps(dry_world *world, int count, const dry_overlap *overlaps, dry_shape_id *shapes,
                              int capacity_each, int *counts)
{
    dry_result result;
    if (!dry_check_world(world, "dry_world_overlaps", &result))
        return result;
    if (count < 0 || capacity_each < 0 ||
        (count > 0 && (!overlaps || !counts || (capacity_each > 0 && !shapes))))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_overlaps: an argument is null");
    for (int i = 0; i < count; i++) {
        const dry_query_fault fault = overlap_fault(world, &overlaps[i]);
        if (fault.text)
            return dry_world_fail(world, fault.result, "dry_world_overlaps: overlaps[%d].%s", i, fault.text);
    }
    batch b = {.world = world,
               .overlaps = overlaps,
               .shapes = shapes,
               .capacity_each = capacity_each,
               .counts = counts};
    dry_query_batch(world, count, run_overlaps, &b);
    return DRY_OK;
}
