/* Casts of convex shapes. Reads shapes, poses and the broadphase; changes nothing. Next: query.h, and
 * narrowphase/queries/search.h for one shape. */
#include "api/query.h"
#include "narrowphase/queries/search.h"
#include "world/check.h"

/* Twice the error of a cast (docs/queries.md), as a share of the size of both solids. */
#define CAST_ERROR 2e-4

static const char *error_of(const void *question)
{
    const dry_cast_query *query = question;
    if (!query->shape)
        return "shape is null";
    const char *error = dry_query_shape_error(query->shape, &query->pose);
    if (error)
        return error;
    if (!dry_finite3(query->translation, 1e7f))
        return "translation must be finite and at most 1e7";
    return vec3_length_squared(query->translation) <= 0.0f ? "translation must not be zero" : NULL;
}

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

static void visit_cast(dry_search *search, int shape)
{
    const dry_cast_query *query = search->query;
    const dry_double3 way = double3_of(query->translation);
    const dry_world *world = search->world;
    if (!dry_asks(world, &search->asked, shape))
        return;
    const dry_target target = dry_target_of(world, shape, search->shape->origin, search->asked.sides);
    dry_placed_hit found;
    dry_query_piece piece;
    if (!dry_target_cast(&target, &search->shape->solid, way, search->limit, &found, &piece))
        return;
    search->count++;
    if (search->wanted == DRY_WANT_ANY) {
        search->limit = -1.0;
        return;
    }
    const dry_double3 face =
        dry_piece_face_normal(&piece, found.point, found.normal, way,
                              CAST_ERROR * dry_placed_scale(&search->shape->solid, &piece.solid));
    const dry_query_part part = dry_query_part_of(world, shape, &piece, found.point, found.normal);
    dry_cast_hit hit;
    DRY_BEGIN_HIT(&part, &hit);
    hit.point = dry_query_place(search->shape->origin, found.point);
    hit.normal = vec3_of(found.normal);
    hit.face_normal = vec3_of(face);
    hit.fraction = (float)found.fraction;
    hit.depth = (float)found.depth;
    dry_heap_keep(&search->hits, &hit);
    if (search->wanted == DRY_WANT_FIRST)
        search->limit =
            double_min(1.0, dry_query_bound((double)((const dry_cast_hit *)search->hits.items)->fraction));
}

static float visit_proxy(void *context, uint32_t user)
{
    dry_search *search = context;
    if (search->limit >= 0.0)
        visit_cast(search, (int)user);
    return (float)search->limit;
}

/* The limit is that of the fraction. */
static void find(dry_search *search)
{
    const dry_cast_query *query = search->query;
    const dry_query_shape shape = dry_query_shape_of(query->shape, &query->pose);
    search->shape = &shape;
    search->limit = 1.0;
    const dry_bounds *b = &shape.bounds;
    const dry_position center = {0.5 * (b->min.x + b->max.x), 0.5 * (b->min.y + b->max.y),
                                 0.5 * (b->min.z + b->max.z)};
    /* Some more than half: the center is rounded, and so is the size. */
    const double share = 0.5 * (1.0 + 1e-6);
    const dry_vec3 half = {(float)(share * (b->max.x - b->min.x)), (float)(share * (b->max.y - b->min.y)),
                           (float)(share * (b->max.z - b->min.z))};
    dry_broadphase_cast_box(search->world->broadphase, center, half, query->translation, visit_proxy, search);
    dry_heap_sort(&search->hits);
}

static const dry_cast_hit no_hit = {.child = -1, .triangle = -1};
static const dry_query_kind kind = {
    "queries", DRY_QUERY_SIZES(dry_cast_query, dry_cast_hit), &no_hit, error_of, is_sooner, find, NULL};

DRY_QUERY_FIRST(dry_world_cast_shape, kind, dry_cast_query, dry_cast_hit)
DRY_QUERY_ALL(dry_world_cast_shape_all, kind, dry_cast_query, dry_cast_hit)
DRY_QUERY_ANY(dry_world_cast_shape_any, kind, dry_cast_query)
DRY_QUERY_FIRSTS(dry_world_cast_shapes, kind, dry_cast_query, dry_cast_hit)
