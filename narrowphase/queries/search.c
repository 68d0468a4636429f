/* Searches over the pieces of a shape near a solid.
 *
 * Reads: a shape, and a solid in the frame of the query. Next: pieces.c. */
#include "narrowphase/queries/search.h"

/* Bounds in float hold their solids with this share of the coordinates to spare. */
#define PAD 1e-6

/* Returns the bounds of a solid in the frame of a shape, grown by a distance and by the way of a motion. */
static dry_extents box_about(const dry_placed_pose *pose, const dry_placed *solid, double growth,
                             dry_triple way)
{
    double low[3], high[3];
    const dry_triple moved = dry_placed_vector_inverse(pose, way);
    const double ways[3] = {moved.x, moved.y, moved.z};
    for (int i = 0; i < 3; i++) {
        int number;
        /* The shape's axis, in the frame of the query. */
        const dry_placed_pose back = {{0.0, 0.0, 0.0}, quat_conjugate(pose->orientation)};
        const dry_triple axis = dry_placed_vector_inverse(
            &back, triple(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0));
        const dry_triple up = triple_sub(dry_placed_support(solid, axis, &number), pose->position);
        const dry_triple down =
            triple_sub(dry_placed_support(solid, triple_neg(axis), &number), pose->position);
        low[i] = triple_dot(axis, down) - solid->radius - growth + double_min(ways[i], 0.0);
        high[i] = triple_dot(axis, up) + solid->radius + growth + double_max(ways[i], 0.0);
        const double pad = PAD * (double_abs(low[i]) + double_abs(high[i]));
        low[i] -= pad;
        high[i] += pad;
    }
    return (dry_extents){vec3((float)low[0], (float)low[1], (float)low[2]),
                         vec3((float)high[0], (float)high[1], (float)high[2])};
}

/* Returns a lower bound of the distance of two solids, m. */
static double far_apart(const dry_placed *a, const dry_placed *b)
{
    if (a->kind == DRY_PLACED_HALFSPACE)
        return -DBL_MAX;
    return triple_length(triple_sub(a->center, b->center)) - dry_placed_scale(a, b);
}

typedef struct cast_search {
    const dry_placed *solid;
    dry_triple way;
    double limit;
    bool found;
    dry_placed_hit hit;
    dry_piece_number number;
} cast_search;

/* Tells whether the ball about a moving solid meets the ball about a piece. */
static bool may_meet(const cast_search *search, const dry_placed *piece)
{
    if (piece->kind == DRY_PLACED_HALFSPACE)
        return true;
    const dry_triple from = triple_sub(piece->center, search->solid->center);
    const double square = triple_dot(search->way, search->way);
    const double share =
        square > 0.0 ? dry_clamp_double(triple_dot(from, search->way) / square, 0.0, 1.0) : 0.0;
    const double reach = dry_placed_scale(piece, search->solid) * (1.0 + PAD);
    const dry_triple rest = triple_add_scaled(from, -share, search->way);
    return triple_dot(rest, rest) <= reach * reach;
}

static void cast_at_piece(void *context, const dry_placed *piece, int child, int triangle)
{
    cast_search *search = context;
    dry_placed_hit hit;
    if (!may_meet(search, piece) || !dry_placed_cast(piece, search->solid, search->way, search->limit, &hit))
        return;
    if (search->found && (hit.fraction > search->hit.fraction ||
                          (hit.fraction == search->hit.fraction && hit.depth <= search->hit.depth)))
        return;
    search->found = true;
    search->limit = hit.fraction;
    search->hit = hit;
    search->number = (dry_piece_number){child, triangle};
}

bool dry_target_cast(const dry_target *target, const dry_placed *solid, dry_triple way, double limit,
                     dry_placed_hit *hit, dry_piece_number *number)
{
    cast_search search = {.solid = solid, .way = way, .limit = limit};
    const dry_extents box = box_about(&target->pose, solid, 0.0, triple_scale(way, limit));
    dry_visit_pieces(&target->geometry, &target->pose, &box, cast_at_piece, &search);
    if (search.found) {
        *hit = search.hit;
        *number = search.number;
    }
    return search.found;
}

typedef struct near_search {
    const dry_placed *solid;
    double limit; /* m */
    dry_visit_gap *visit;
    void *context;
    bool found;
    dry_gap gap;
    dry_piece_number number;
} near_search;

static void visit_piece(void *context, const dry_placed *piece, int child, int triangle)
{
    near_search *search = context;
    if (far_apart(piece, search->solid) > search->limit)
        return;
    dry_gap gap;
    dry_placed_gap(piece, search->solid, &gap);
    if (gap.separation <= search->limit)
        search->visit(search->context, piece, &gap, (dry_piece_number){child, triangle});
}

void dry_target_visit_near(const dry_target *target, const dry_placed *solid, double limit,
                           dry_visit_gap *visit, void *context)
{
    near_search search = {.solid = solid, .limit = limit, .visit = visit, .context = context};
    const dry_extents box = box_about(&target->pose, solid, double_max(limit, 0.0), triple(0.0, 0.0, 0.0));
    dry_visit_pieces(&target->geometry, &target->pose, &box, visit_piece, &search);
}

static void keep_nearest(void *context, const dry_placed *piece, const dry_gap *gap, dry_piece_number number)
{
    (void)piece;
    near_search *search = context;
    if (search->found && gap->separation >= search->gap.separation)
        return;
    search->found = true;
    search->limit = gap->separation;
    search->gap = *gap;
    search->number = number;
}

bool dry_target_nearest(const dry_target *target, const dry_placed *solid, double limit, dry_gap *gap,
                        dry_piece_number *number)
{
    near_search search = {.solid = solid, .visit = keep_nearest};
    search.context = &search;
    /* Boxes grow until one holds the nearest piece: a shape may have many pieces farther away. */
    for (double growth = solid->reach + solid->radius; !search.found; growth *= 4.0) {
        search.limit = growth > 0.0 ? double_min(growth, limit) : limit;
        const double reached = search.limit;
        const dry_extents box =
            box_about(&target->pose, solid, double_max(reached, 0.0), triple(0.0, 0.0, 0.0));
        dry_visit_pieces(&target->geometry, &target->pose, &box, visit_piece, &search);
        if (reached >= limit)
            break;
    }
    if (search.found) {
        *gap = search.gap;
        *number = search.number;
    }
    return search.found;
}
