/* Questions to a shape. A compound with triangles passes them on to its children: each answers as a shape of
 * its own, so that the rules for triangles hold for each surface by itself. The best answer wins.
 *
 * Reads: a shape, and a solid in the frame of the query. Next: search.c. */
#include "narrowphase/queries/search.h"

#include "geometry/compound.h"

static const dry_triple still = {0.0, 0.0, 0.0};

static bool is_single(const dry_target *target)
{
    return target->geometry.type != DRY_SHAPE_COMPOUND || !dry_geometry_has_triangles(&target->geometry);
}

static dry_target child_of(const dry_target *target, int child)
{
    const dry_piece piece = dry_compound_piece(&target->geometry, child);
    return (dry_target){piece.geometry, dry_placed_pose_mul(&target->pose, &piece.pose), target->sides,
                        child + 1};
}

/* A question that is passed on, and where its answers go. */
typedef struct passage {
    const dry_target *target;
    const dry_placed *solid;
    double limit;
    dry_triple way;
    bool found;
    dry_gap *gap;
    dry_placed_hit *hit;
    dry_query_piece *piece;
    dry_visit_contact *visit_contact;
    dry_visit_piece *visit_piece;
    void *context;
} passage;

static void cast_at_child(void *context, int child)
{
    passage *p = context;
    const dry_target target = child_of(p->target, child);
    dry_placed_hit hit;
    dry_query_piece piece;
    if (!dry_single_cast(&target, p->solid, p->way, p->limit, &hit, &piece) ||
        (p->found && hit.fraction == p->hit->fraction && hit.depth <= p->hit->depth))
        return;
    p->found = true;
    p->limit = hit.fraction;
    *p->hit = hit;
    *p->piece = piece;
}

bool dry_target_cast(const dry_target *target, const dry_placed *solid, dry_triple way, double limit,
                     dry_placed_hit *hit, dry_query_piece *piece)
{
    if (is_single(target))
        return dry_single_cast(target, solid, way, limit, hit, piece);
    passage p = {.target = target, .solid = solid, .limit = limit, .way = way, .hit = hit, .piece = piece};
    const dry_extents box = dry_solid_bounds(target, solid, 0.0, way, 0.0, limit);
    dry_compound_query(&target->geometry, &box, cast_at_child, &p);
    return p.found;
}

static void find_nearest_of_child(void *context, int child)
{
    passage *p = context;
    const dry_target target = child_of(p->target, child);
    dry_gap gap;
    dry_query_piece piece;
    if (!dry_single_nearest(&target, p->solid, p->limit, &gap, &piece) ||
        (p->found && gap.separation >= p->gap->separation))
        return;
    p->found = true;
    p->limit = gap.separation;
    *p->gap = gap;
    *p->piece = piece;
}

bool dry_target_nearest(const dry_target *target, const dry_placed *solid, double limit, dry_gap *gap,
                        dry_query_piece *piece)
{
    if (is_single(target))
        return dry_single_nearest(target, solid, limit, gap, piece);
    double growth = double_min(double_max(solid->reach + solid->radius, DRY_FIRST_GROWTH), limit);
    passage p = {.target = target, .solid = solid, .gap = gap, .piece = piece};
    for (;;) {
        p.limit = growth;
        const dry_extents box = dry_solid_bounds(target, solid, double_max(growth, 0.0), still, 0.0, 0.0);
        dry_compound_query(&target->geometry, &box, find_nearest_of_child, &p);
        if (p.found || growth >= limit)
            return p.found;
        growth = double_min(4.0 * growth, limit);
    }
}

static void visit_near_child(void *context, int child)
{
    const passage *p = context;
    const dry_target target = child_of(p->target, child);
    dry_single_visit_near(&target, p->solid, p->limit, p->visit_contact, p->context);
}

void dry_target_visit_near(const dry_target *target, const dry_placed *solid, double limit,
                           dry_visit_contact *visit, void *context)
{
    if (is_single(target)) {
        dry_single_visit_near(target, solid, limit, visit, context);
        return;
    }
    passage p = {
        .target = target, .solid = solid, .limit = limit, .visit_contact = visit, .context = context};
    const dry_extents box = dry_solid_bounds(target, solid, double_max(limit, 0.0), still, 0.0, 0.0);
    dry_compound_query(&target->geometry, &box, visit_near_child, &p);
}

static void visit_pieces_of_child(void *context, int child)
{
    const passage *p = context;
    const dry_target target = child_of(p->target, child);
    dry_single_visit_pieces(&target, p->solid, p->visit_piece, p->context);
}

void dry_target_visit_pieces(const dry_target *target, const dry_placed *solid, dry_visit_piece *visit,
                             void *context)
{
    if (is_single(target)) {
        dry_single_visit_pieces(target, solid, visit, context);
        return;
    }
    passage p = {.target = target, .solid = solid, .visit_piece = visit, .context = context};
    const dry_extents box = dry_solid_bounds(target, solid, 0.0, still, 0.0, 0.0);
    dry_compound_query(&target->geometry, &box, visit_pieces_of_child, &p);
}
