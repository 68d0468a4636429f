/* The triangles of a shape within a box. Reads a shape and its pose; changes nothing. Next: query.h. */
#include "api/query.h"
#include "core/heap.h"
#include "narrowphase/placed.h"
#include "world/bounds.h"
#include "world/check.h"

typedef struct triangle_search {
    dry_position center; /* of the box */
    dry_placed box;      /* in a frame with its origin there */
    dry_heap triangles;  /* the lowest number first */
    int count;
} triangle_search;

static bool is_lower(const void *context, const void *a, const void *b)
{
    (void)context;
    const dry_shape_triangle *first = a, *second = b;
    return first->child != second->child ? first->child < second->child : first->triangle < second->triangle;
}

static bool visit_triangle(void *context, const dry_query_piece *piece)
{
    triangle_search *search = context;
    dry_shape_triangle found = {.triangle = piece->triangle, .child = piece->child};
    if (piece->triangle < 0 || !dry_placed_overlap(&piece->solid, &search->box))
        return true;
    for (int i = 0; i < 3; i++)
        found.corners[i] =
            dry_query_place(search->center, double3_add(piece->solid.center, piece->solid.corner[i]));
    search->count++;
    dry_heap_keep(&search->triangles, &found);
    return true;
}

/* Moves both ends of a stretch to where the shape may be: a box that is far larger than the triangles would
 * take their digits, and some would be missed. */
static void clip(double *low, double *high, double min, double max)
{
    const double spare = max - min + 1.0;
    *low = dry_clamp_double(*low, min - spare, max + spare);
    *high = dry_clamp_double(*high, min - spare, max + spare);
}

dry_result dry_shape_get_triangles(const dry_world *world, dry_shape_id id, dry_position low,
                                   dry_position high, dry_shape_triangle *triangles, int capacity, int *count)
{
    const int shape = dry_shape_to_read(world, id, count, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    if (capacity < 0 || (capacity > 0 && !triangles))
        return dry_refuse(world, __func__, "an argument is null or negative");
    if (!dry_finite_position(low) || !dry_finite_position(high))
        return dry_refuse(world, __func__, "low and high must be finite and at most 1e9");
    if (!(low.x <= high.x && low.y <= high.y && low.z <= high.z))
        return dry_refuse(world, __func__, "low must not exceed high");
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
    if (!dry_geometry_has_triangles(&geometry))
        return dry_refuse(world, __func__, "the shape has no triangles");
    const dry_bounds own = dry_shape_bounds(world, shape);
    clip(&low.x, &high.x, own.min.x, own.max.x);
    clip(&low.y, &high.y, own.min.y, own.max.y);
    clip(&low.z, &high.z, own.min.z, own.max.z);
    triangle_search search = {
        .center = {0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)},
        .box = dry_placed_box(
            (const double[]){0.5 * (high.x - low.x), 0.5 * (high.y - low.y), 0.5 * (high.z - low.z)}),
        .triangles = {triangles, sizeof *triangles, capacity, 0, is_lower, NULL}};
    const dry_target target = dry_target_of(world, shape, search.center, DRY_SIDES_BOTH);
    dry_target_visit_pieces(&target, &search.box, visit_triangle, &search);
    dry_heap_sort(&search.triangles);
    *count = search.count;
    return DRY_OK;
}
