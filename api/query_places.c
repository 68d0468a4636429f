/* Contacts at a pose, and closest points. Reads shapes, poses and the broadphase; changes
 * nothing. Next: query.h, and narrowphase/queries/search.h for one shape. */
#include "api/query.h"
#include "core/heap.h"
#include "geometry/triangles.h"

static dry_query_fault fault_of_collide(const dry_world *world, const void *question)
{
    const dry_collide_query *query = question;
    const dry_asked asked = DRY_ASKED_BY(query);
    if (!query->shape)
        return dry_query_argument("shape is null");
    const dry_query_fault fault = dry_query_shape_fault(query->shape, &query->pose);
    if (fault.text)
        return fault;
    if (!(query->margin >= 0.0f && query->margin <= 1e6f))
        return dry_query_argument("margin must be 0 to 1e6");
    return dry_asked_fault(world, &asked);
}

static dry_query_fault fault_of_closest(const dry_world *world, const void *question)
{
    const dry_closest_query *query = question;
    const dry_asked asked = DRY_ASKED_BY(query);
    const dry_query_fault fault = dry_query_shape_fault(query->shape, &query->pose);
    if (fault.text)
        return fault;
    if (!(query->max_distance >= 0.0f && query->max_distance <= 1e7f))
        return dry_query_argument("max_distance must be 0 to 1e7");
    return dry_asked_fault(world, &asked);
}

/* A search for what is near the shape of a query. */
typedef struct place_search {
    const dry_world *world;
    dry_asked asked;
    dry_query_shape shape;
    dry_heap hits; /* the nearest first */
    int count;
    dry_wanted wanted;
    double limit; /* of the distance, m */
    int visited;  /* the shape whose pieces are visited */
} place_search;

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
    place_search *search = context;
    const dry_query_point *deepest = &contact->point[contact->deepest];
    const dry_query_part part =
        dry_query_part_of(search->world, search->visited, piece, contact->at, contact->normal);
    dry_collide_hit hit;
    DRY_BEGIN_HIT(&part, &hit);
    hit.normal = triple_round(contact->normal);
    hit.depth = (float)-deepest->separation;
    hit.count = contact->count;
    for (int i = 0; i < contact->count; i++) {
        hit.points[i].position = dry_query_place(search->shape.origin, contact->point[i].on_a);
        hit.points[i].separation = (float)contact->point[i].separation;
    }
    search->count++;
    hit.triangle = (int)piece->face;
    dry_heap_keep(&search->hits, &hit);
}

static double visit_collide(void *context, uint32_t user)
{
    place_search *search = context;
    if (dry_asks(search->world, &search->asked, (int)user)) {
        const dry_target target =
            dry_target_of(search->world, (int)user, search->shape.origin, search->asked.sides);
        search->visited = (int)user;
        dry_target_visit_near(&target, &search->shape.solid, search->limit, keep_contact, search);
    }
    return search->limit;
}

static int find_contacts(const dry_world *world, const void *question, dry_wanted wanted, void *hits,
                         int capacity)
{
    (void)wanted;
    const dry_collide_query *query = question;
    place_search search = {.world = world,
                           .asked = DRY_ASKED_BY(query),
                           .shape = dry_query_shape_of(query->shape, &query->pose),
                           .hits = {hits, sizeof(dry_collide_hit), capacity, 0, is_deeper, world},
                           .limit = (double)query->margin};
    dry_broadphase_query_near(world->broadphase, &search.shape.bounds, search.limit, visit_collide, &search);
    dry_heap_sort(&search.hits);
    for (int i = 0; i < search.hits.kept; i++) {
        dry_collide_hit *hit = (dry_collide_hit *)hits + i;
        if ((uint32_t)hit->triangle >= DRY_TRIANGLES_END)
            hit->triangle = -1;
    }
    return search.count;
}

static const dry_query_kind contacts = {
    "queries", sizeof(dry_collide_query), sizeof(dry_collide_hit), fault_of_collide, find_contacts, NULL};

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
    place_search *search = context;
    const dry_world *world = search->world;
    dry_gap gap;
    dry_query_piece piece;
    if (!dry_asks(world, &search->asked, (int)user))
        return double_max(search->limit, 0.0);
    const dry_target target = dry_target_of(world, (int)user, search->shape.origin, search->asked.sides);
    if (!dry_target_nearest(&target, &search->shape.solid, search->limit, &gap, &piece))
        return double_max(search->limit, 0.0);
    const dry_query_part part = dry_query_part_of(world, (int)user, &piece, gap.on_a, gap.normal);
    dry_closest_hit hit;
    DRY_BEGIN_HIT(&part, &hit);
    hit.point = dry_query_place(search->shape.origin, gap.on_a);
    hit.on_query = dry_query_place(search->shape.origin, gap.on_b);
    hit.normal = triple_round(gap.normal);
    hit.distance = (float)gap.separation;
    search->count++;
    dry_heap_keep(&search->hits, &hit);
    if (search->wanted == DRY_WANT_FIRST) {
        const dry_closest_hit *best = search->hits.items;
        search->limit = double_min(search->limit, dry_query_bound((double)best->distance));
    }
    return double_max(search->limit, 0.0);
}

static int find_closest(const dry_world *world, const void *question, dry_wanted wanted, void *hits,
                        int capacity)
{
    const dry_closest_query *query = question;
    place_search search = {.world = world,
                           .asked = DRY_ASKED_BY(query),
                           .shape = dry_query_shape_of(query->shape, &query->pose),
                           .hits = {hits, sizeof(dry_closest_hit), capacity, 0, is_closer, world},
                           .wanted = wanted,
                           .limit = (double)query->max_distance};
    if (wanted == DRY_WANT_FIRST)
        DRY_NO_HIT((dry_closest_hit *)hits);
    dry_broadphase_query_near(world->broadphase, &search.shape.bounds, search.limit, visit_closest, &search);
    dry_heap_sort(&search.hits);
    return search.count;
}

static const dry_query_kind closest = {
    "queries", sizeof(dry_closest_query), sizeof(dry_closest_hit), fault_of_closest, find_closest, NULL};

DRY_QUERY_FIRST(dry_world_closest, closest, dry_closest_query, dry_closest_hit)
DRY_QUERY_ALL(dry_world_closest_all, closest, dry_closest_query, dry_closest_hit)
DRY_QUERY_FIRSTS(dry_world_closests, closest, dry_closest_query, dry_closest_hit)
