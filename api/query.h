/* Parts that all queries share: which shapes they ask, the order of answers, batches. Next: query.c. */
#ifndef API_QUERY_H
#define API_QUERY_H

#include "core/heap.h"
#include "narrowphase/queries/search.h"
#include "world/world.h"

#include <drystone/query.h>

#include <string.h>

/* The shapes that a query asks. The queries of the public header have these members in this order, from
 * `mask` on; not all have sides. */
typedef struct dry_asked {
    uint64_t mask;
    dry_body_id body;
    const dry_body_id *ignore;
    int ignore_count;
    dry_triangle_sides sides;
} dry_asked;

/* Tells whether a query asks a shape. */
bool dry_asks(const dry_world *world, const dry_asked *asked, int shape);

/* The convex shape of a query, in a frame with its origin at `origin` and the axes of the world. */
typedef struct dry_query_shape {
    dry_position origin;
    dry_placed solid;
    dry_bounds bounds; /* in the world */
} dry_query_shape;

/* Returns what is wrong with a shape and its pose, in words; null if nothing is. A null shape is a point. */
const char *dry_query_shape_error(const dry_shape_def *shape, const dry_pose *pose);
dry_query_shape dry_query_shape_of(const dry_shape_def *shape, const dry_pose *pose);

/* Returns a shape of the world in the frame of a query. */
dry_target dry_target_of(const dry_world *world, int shape, dry_position origin, dry_triangle_sides sides);

/* The place that a query meets, as answers name it. */
typedef struct dry_query_part {
    dry_shape_id shape;
    dry_body_id body;
    uint64_t shape_user_data, body_user_data, material;
    int child, triangle, material_index;
    dry_vec3 barycentric;
    bool back;
} dry_query_part;

/* Begins an answer of any query but that of a point with its place. Equal answers have equal bytes, those
 * between fields, too. */
#define DRY_BEGIN_HIT(part, hit)                                                                             \
    (memset((hit), 0, sizeof *(hit)), (hit)->shape = (part)->shape, (hit)->body = (part)->body,              \
     (hit)->shape_user_data = (part)->shape_user_data, (hit)->body_user_data = (part)->body_user_data,       \
     (hit)->material = (part)->material, (hit)->material_index = (part)->material_index,                     \
     (hit)->child = (part)->child, (hit)->triangle = (part)->triangle,                                       \
     (hit)->barycentric = (part)->barycentric, (hit)->back = (part)->back)

/* Returns a shape as a place, with a material of its list. */
dry_query_part dry_query_whole(const dry_world *world, int shape, int material);

/* Returns the place that a piece of a shape is, at a point, with the normal on the side that is met. */
dry_query_part dry_query_part_of(const dry_world *world, int shape, const dry_query_piece *piece,
                                 dry_double3 point, dry_double3 normal);

static inline dry_position dry_query_place(dry_position origin, dry_double3 at)
{
    return (dry_position){origin.x + at.x, origin.y + at.y, origin.z + at.z};
}

/* Compares two shapes by their creation: negative if a is older, 0 if they are the same. */
int dry_compare_ages(const dry_world *world, dry_shape_id a, dry_shape_id b);
/* Tells whether a hit, which begins with its shape, is on an older shape than another one. */
dry_comes_before dry_is_older;

/* Returns a bound, for further searches, that leaves nothing out which is as good as `best` but for rounding.
 */
static inline double dry_query_bound(double best)
{
    return best + 1e-6 * fabs(best) + 1e-30;
}

/* The hits that a call wants of a query. */
typedef enum dry_wanted {
    DRY_WANT_FIRST, /* one hit, a null one if there is none; hits are not counted */
    DRY_WANT_ALL,
    DRY_WANT_ANY /* whether there are hits: the first one found ends the search */
} dry_wanted;

/* A search for the hits of one query. */
typedef struct dry_search {
    const dry_world *world;
    const void *query;
    dry_asked asked;
    dry_wanted wanted;
    dry_heap hits;                /* the first ones of them */
    int count;                    /* of all hits */
    const dry_query_shape *shape; /* of a kind that has one */
    double limit;                 /* of what is still looked for, in the unit of the kind */
} dry_search;

/* Queries of one kind, whose answers are hits. */
typedef struct dry_query_kind {
    const char *list; /* the name of a batch's array */
    size_t query_bytes, hit_bytes;
    size_t asked_at, asked_bytes; /* where a query has the members of dry_asked */
    const void *no_hit;           /* the answer of DRY_WANT_FIRST where nothing is met */
    /* Returns what is wrong with a query, but for the shapes that it asks, in words; null if nothing is. */
    const char *(*error)(const void *query);
    dry_comes_before *comes_before; /* tells the order of hits; the context is the world */
    /* Finds the hits, counts them, and puts those that are kept in order. */
    void (*find)(dry_search *search);
    /* Writes the first hit of each query, with the bits of `find`; null: `find` does it. */
    void (*find_first_of_each)(const dry_world *world, const void *queries, int count, void *hits);
} dry_query_kind;

/* The sizes of a kind whose queries have sides, and of one whose have none. */
#define DRY_QUERY_SIZES(query_type, hit_type)                                                                \
    sizeof(query_type), sizeof(hit_type), offsetof(query_type, mask), sizeof(dry_asked)
#define DRY_QUERY_SIZES_SIDELESS(query_type, hit_type)                                                       \
    sizeof(query_type), sizeof(hit_type), offsetof(query_type, mask), offsetof(dry_asked, sides)

/* Begins a search with no hits. */
dry_search dry_search_begin(const dry_world *world, const dry_query_kind *kind, dry_wanted wanted,
                            const void *query, void *hits, int capacity);

/* Answers the public call `name` of one query. */
dry_result dry_query_answer(const dry_world *world, const char *name, const dry_query_kind *kind,
                            dry_wanted wanted, const void *query, void *hits, int capacity, int *count);
/* Answers a batch of queries, which the workers share: each has room for `capacity_each` hits, and a count.
 * Task hooks may call the library meanwhile: the world refuses changes of what queries read. */
dry_result dry_query_answer_batch(dry_world *world, const char *name, const dry_query_kind *kind,
                                  dry_wanted wanted, int query_count, const void *queries, void *hits,
                                  int capacity_each, int *counts);
/* Tells whether a query finds any hit. */
dry_result dry_query_answer_any(const dry_world *world, const char *name, const dry_query_kind *kind,
                                const void *query, bool *met);

/* Define the public calls of a kind: for the first hit, all hits, whether there are any, and batches. */
#define DRY_QUERY_FIRST(call, kind, query_type, hit_type)                                                    \
    dry_result call(const dry_world *world, const query_type *query, hit_type *hit)                          \
    {                                                                                                        \
        return dry_query_answer(world, #call, &(kind), DRY_WANT_FIRST, query, hit, 1, NULL);                 \
    }
#define DRY_QUERY_ALL(call, kind, query_type, hit_type)                                                      \
    dry_result call(const dry_world *world, const query_type *query, hit_type *hits, int capacity,           \
                    int *count)                                                                              \
    {                                                                                                        \
        return dry_query_answer(world, #call, &(kind), DRY_WANT_ALL, query, hits, capacity, count);          \
    }
#define DRY_QUERY_ANY(call, kind, query_type)                                                                \
    dry_result call(const dry_world *world, const query_type *query, bool *met)                              \
    {                                                                                                        \
        return dry_query_answer_any(world, #call, &(kind), query, met);                                      \
    }
#define DRY_QUERY_FIRSTS(call, kind, query_type, hit_type)                                                   \
    dry_result call(dry_world *world, int count, const query_type *queries, hit_type *hits)                  \
    {                                                                                                        \
        return dry_query_answer_batch(world, #call, &(kind), DRY_WANT_FIRST, count, queries, hits, 1, NULL); \
    }
#define DRY_QUERY_ALLS(call, kind, query_type, hit_type)                                                     \
    dry_result call(dry_world *world, int count, const query_type *queries, hit_type *hits,                  \
                    int capacity_each, int *counts)                                                          \
    {                                                                                                        \
        return dry_query_answer_batch(world, #call, &(kind), DRY_WANT_ALL, count, queries, hits,             \
                                      capacity_each, counts);                                                \
    }

#endif
