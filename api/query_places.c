/* Contacts at a pose, and closest points. Reads shapes, poses and the broadphase; changes
 * nothing. Next: query.h, and narrowphase/queries/search.h for one shape. */
#include "api/query.h"
#include "geometry/triangles.h"

static const char *error_of_collide(const void *question)
{
    const dry_collide_query *query = question;
    if (!query->shape)
        return "shape is null";
    const char *error = dry_query_shape_error(query->shape, &query->pose);
    if (!error && !(query->margin >= 0.0f && query->margin <= 1e6f))
        error = "margin must be 0 to 1e6";
    return error;
}

static const char *error_of_closest(const void *question)
{
    const dry_closest_query *query = question;
    const char *error = dry_query_shape_error(query->shape, &query->pose);
    if (!error && !(query->max_distance >= 0.0f && query->max_distance <= 1e7f))
        error = "max_distance must be 0 to 1e7";
    return error;
}

/* A search for contacts, and the shape whose pieces are visited. */
typedef struct contact_search {
    dry_search *search;
    int visited;
} contact_search;

/* Searches what is near the shape of a query, up to a distance, m. */
static void find_near(dry_search *search, const dry_shape_def *shape, const dry_pose *pose, float distance,
                      double (*visit)(void *context, uint32_t user), void *context)
{
    const dry_query_shape own = dry_query_shape_of(shape, pose);
    search->shape = &own;
    search->limit = (double)distance;
    dry_broadphase_query_near(search->world->broadphase, &own.bounds, search->limit, visit, context);
    dry_heap_sort(&search->hits);
}

/* Contacts. While they are ordered, `triangle` holds the number of the face that is met. */

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
    return (uint32_t)first->triangle < (uint32_t)second->triangle;
}

static void keep_contact(void *context, const dry_query_piece *piece, const dry_query_contact *contact)
{
    const contact_search *contacts = context;
    dry_search *search = contacts->search;
    const dry_query_point *deepest = &contact->point[contact->deepest];
    const dry_query_part part =
        dry_query_part_of(search->world, contacts->visited, piece, contact->at, contact->normal);
    dry_collide_hit hit;
    DRY_BEGIN_HIT(&part, &hit);
    hit.normal = vec3_of(contact->normal);
    hit.depth = (float)-deepest->separation;
    hit.count = contact->count;
    for (int i = 0; i < contact->count; i++) {
        hit.points[i].position = dry_query_place(search->shape->origin, contact->point[i].on_a);
        hit.points[i].separation = (float)contact->point[i].separation;
    }
    search->count++;
    hit.triangle = (int)piece->face;
    dry_heap_keep(&search->hits, &hit);
}

static double visit_collide(void *context, uint32_t user)
{
    contact_search *contacts = context;
    const dry_search *search = contacts->search;
    if (dry_asks(search->world, &search->asked, (int)user)) {
        const dry_target target =
            dry_target_of(search->world, (int)user, search->shape->origin, search->asked.sides);
        contacts->visited = (int)user;
        dry_target_visit_near(&target, &search->shape->solid, search->limit, keep_contact, contacts);
    }
    return search->limit;
}

static void find_contacts(dry_search *search)
{
    const dry_collide_query *query = search->query;
    contact_search contacts = {search, -1};
    find_near(search, query->shape, &query->pose, query->margin, visit_collide, &contacts);
    for (int i = 0; i < search->hits.kept; i++) {
        dry_collide_hit *hit = (dry_collide_hit *)search->hits.items + i;
        if ((uint32_t)hit->triangle >= DRY_TRIANGLES_END)
            hit->triangle = -1;
    }
}

static const dry_query_kind contacts = {"queries", DRY_QUERY_SIZES(dry_collide_query, dry_collide_hit),
                                        NULL,      error_of_collide,
                                        is_deeper, find_contacts,
                                        NULL};

DRY_QUERY_ALL(dry_world_collide, contacts, dry_collide_query, dry_collide_hit)
DRY_QUERY_ALLS(dry_world_collides, contacts, dry_collide_query, dry_collide_hit)

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
    dry_search *search = context;
    const dry_world *world = search->world;
    dry_gap gap;
    dry_query_piece piece;
    if (!dry_asks(world, &search->asked, (int)user))
        return double_max(search->limit, 0.0);
    const dry_target target = dry_target_of(world, (int)user, search->shape->origin, search->asked.sides);
    if (!dry_target_nearest(&target, &search->shape->solid, search->limit, &gap, &piece))
        return double_max(search->limit, 0.0);
    const dry_query_part part = dry_query_part_of(world, (int)user, &piece, gap.on_a, gap.normal);
    dry_closest_hit hit;
    DRY_BEGIN_HIT(&part, &hit);
    hit.point = dry_query_place(search->shape->origin, gap.on_a);
    hit.on_query = dry_query_place(search->shape->origin, gap.on_b);
    hit.normal = vec3_of(gap.normal);
    hit.distance = (float)gap.separation;
    search->count++;
    dry_heap_keep(&search->hits, &hit);
    if (search->wanted == DRY_WANT_FIRST) {
        const dry_closest_hit *best = search->hits.items;
        search->limit = double_min(search->limit, dry_query_bound((double)best->distance));
    }
    return double_max(search->limit, 0.0);
}

static void find_closest(dry_search *search)
{
    const dry_closest_query *query = search->query;
    find_near(search, query->shape, &query->pose, query->max_distance, visit_closest, search);
}

static const dry_closest_hit no_hit = {.child = -1, .triangle = -1};
static const dry_query_kind closest = {"queries", DRY_QUERY_SIZES(dry_closest_query, dry_closest_hit),
                                       &no_hit,   error_of_closest,
                                       is_closer, find_closest,
                                       NULL};

DRY_QUERY_FIRST(dry_world_closest, closest, dry_closest_query, dry_closest_hit)
DRY_QUERY_ALL(dry_world_closest_all, closest, dry_closest_query, dry_closest_hit)
DRY_QUERY_FIRSTS(dry_world_closests, closest, dry_closest_query, dry_closest_hit)
