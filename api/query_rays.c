/* Ray casts. Reads shapes, poses and the broadphase; changes nothing. Next: ray_meets.h. */
#include "api/ray_meets.h"
#include "geometry/shape_data.h"
#include "world/check.h"

static const char *error_of(const void *query)
{
    const dry_ray *ray = query;
    if (!dry_finite_position(ray->origin))
        return "origin must be finite and at most 1e9";
    if (!dry_finite3(ray->translation, 1e7f))
        return "translation must be finite and at most 1e7";
    return vec3_length_squared(ray->translation) <= 0.0f ? "translation must not be zero" : NULL;
}

/* Tells whether a hit comes before another one: it is nearer, or as near and on an older shape. */
static bool is_nearer(const void *world, const void *a, const void *b)
{
    const dry_ray_hit *first = a, *second = b;
    if (first->fraction != second->fraction)
        return first->fraction < second->fraction;
    return dry_compare_ages(world, first->shape, second->shape) < 0;
}

static void keep_hit(dry_search *search, const dry_ray_place *place)
{
    const dry_ray *ray = search->query;
    dry_ray_hit hit;
    DRY_BEGIN_HIT(&place->part, &hit);
    hit.point = position_add(ray->origin, vec3_scale(ray->translation, place->fraction));
    hit.normal = hit.face_normal = place->normal;
    hit.fraction = place->fraction;
    search->count++;
    dry_heap_keep(&search->hits, &hit);
}

static float visit_ray(void *context, uint32_t user)
{
    dry_search *search = context;
    dry_ray_place place;
    if (dry_ray_meets(search->world, search->query, &search->asked, (int)user, &place))
        keep_hit(search, &place);
    return 1.0f;
}

static float nearest_fraction(const dry_search *search)
{
    return search->hits.kept ? ((const dry_ray_hit *)search->hits.items)->fraction : 1.0f;
}

/* Keeps the closest hit. The search need not visit what lies behind it, but must visit what is equally near,
 * so that the older shape wins whatever the tree's order. */
static float visit_ray_closest(void *context, uint32_t user)
{
    dry_search *search = context;
    visit_ray(search, user);
    return nearest_fraction(search);
}

/* Ends the search with the first hit that it comes to. */
static float visit_ray_any(void *context, uint32_t user)
{
    dry_search *search = context;
    if (search->count == 0)
        visit_ray(search, user);
    return search->count > 0 ? -1.0f : 1.0f;
}

static void find(dry_search *search)
{
    static float (*const visit[])(void *context, uint32_t user) = {
        [DRY_WANT_FIRST] = visit_ray_closest, [DRY_WANT_ALL] = visit_ray, [DRY_WANT_ANY] = visit_ray_any};
    const dry_ray *ray = search->query;
    dry_broadphase_cast_box(search->world->broadphase, ray->origin, (dry_vec3){0.0f, 0.0f, 0.0f},
                            ray->translation, visit[search->wanted], search);
    dry_heap_sort(&search->hits);
}

static void find_first_of_each(const dry_world *world, const void *queries, int count, void *hits);

static const dry_ray_hit no_hit = {.child = -1, .triangle = -1};
static const dry_query_kind kind = {
    "rays", DRY_QUERY_SIZES(dry_ray, dry_ray_hit), &no_hit, error_of, is_nearer, find, find_first_of_each};

/* Batches. Most of a ray's time on a large mesh is waiting for memory. So the rays of a group leave meshes
 * for later, and then take turns on them. A ray that comes to more meshes than it has room for casts at once.
 */
enum { GROUP = 64, LATER = 4 };

typedef struct group_ray {
    dry_search search;
    int mesh[LATER], meshes;
} group_ray;

static float visit_ray_of_group(void *context, uint32_t user)
{
    group_ray *ray = context;
    const dry_world *world = ray->search.world;
    if (world->shapes.form[user].geometry.type != DRY_SHAPE_MESH || ray->meshes == LATER)
        return visit_ray_closest(&ray->search, user);
    if (dry_asks(world, &ray->search.asked, (int)user))
        ray->mesh[ray->meshes++] = (int)user;
    return nearest_fraction(&ray->search);
}

/* Casts each ray of a group at its mesh of number `turn`. */
static void cast_at_meshes(group_ray *rays, int count, int turn)
{
    dry_mesh_cast casts[GROUP];
    group_ray *owner[GROUP];
    int cast_count = 0;
    for (group_ray *ray = rays; ray < rays + count; ray++) {
        if (ray->meshes <= turn)
            continue;
        const dry_search *search = &ray->search;
        const dry_seen_ray seen = dry_ray_see(search->world, search->query, &search->asked, ray->mesh[turn]);
        dry_ray_place place;
        if (dry_ray_starts_inside(search->world, search->query, ray->mesh[turn], &seen, &place)) {
            keep_hit(&ray->search, &place);
            continue;
        }
        casts[cast_count] =
            (dry_mesh_cast){.tree = seen.geometry.data->form,
                            .ray = dry_ray_unscaled(&seen),
                            .bound = double_min(1.0, dry_query_bound((double)nearest_fraction(search)))};
        owner[cast_count++] = ray;
    }
    dry_mesh_tree_cast_rays(casts, cast_count);
    for (int i = 0; i < cast_count; i++) {
        if (!casts[i].is_found)
            continue;
        const int shape = owner[i]->mesh[turn];
        const dry_world *world = owner[i]->search.world;
        const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
        const dry_ray_place place = dry_ray_place_on(world, shape, &geometry, &casts[i].hit);
        keep_hit(&owner[i]->search, &place);
    }
}

static void cast_group(const dry_world *world, const dry_ray *rays, int count, dry_ray_hit *hits)
{
    group_ray group[GROUP];
    int most = 0;
    for (int i = 0; i < count; i++) {
        group[i].search = dry_search_begin(world, &kind, DRY_WANT_FIRST, &rays[i], &hits[i], 1);
        group[i].meshes = 0;
        dry_broadphase_cast_box(world->broadphase, rays[i].origin, (dry_vec3){0.0f, 0.0f, 0.0f},
                                rays[i].translation, visit_ray_of_group, &group[i]);
        most = dry_max_int(group[i].meshes, most);
    }
    for (int turn = 0; turn < most; turn++)
        cast_at_meshes(group, count, turn);
}

static void find_first_of_each(const dry_world *world, const void *queries, int count, void *hits)
{
    const dry_ray *rays = queries;
    dry_ray_hit *hit = hits;
    for (int i = 0; i < count; i += GROUP)
        cast_group(world, rays + i, dry_min_int(GROUP, count - i), hit + i);
}

DRY_QUERY_FIRST(dry_world_cast_ray, kind, dry_ray, dry_ray_hit)
DRY_QUERY_ALL(dry_world_cast_ray_all, kind, dry_ray, dry_ray_hit)
DRY_QUERY_ANY(dry_world_cast_ray_any, kind, dry_ray)
DRY_QUERY_FIRSTS(dry_world_cast_rays, kind, dry_ray, dry_ray_hit)
