/* Searches over the pieces of a shape near a solid. The best answer of its surfaces wins.
 *
 * Reads: a shape, and a solid in the frame of the query. Next: pieces.c. */
#include "narrowphase/queries/search.h"

#include "geometry/compound.h"

/* Bounds in float hold their solids with this share of the coordinates to spare. */
#define PAD 1e-6

/* Normals with this cosine are the same, 2.6 degrees apart at most. */
#define SAME_NORMAL 0.999

/* Boxes around a solid grow from this size, m, or that of the solid, until one holds the nearest triangle. */
#define FIRST_GROWTH 0.05

enum { SLICES_MAX = 64 };

static const dry_double3 zero = {0.0, 0.0, 0.0};

/* Returns the bounds of a solid in the frame of a shape of pieces, grown by a distance, on the part of a way
 * between two fractions. Of any other shape the one piece is visited anyway: bounds of 0. */
static dry_extents solid_bounds(const dry_target *target, const dry_placed *solid, double growth,
                                dry_double3 way, double from, double to)
{
    const dry_placed_pose *pose = &target->pose;
    double low[3], high[3];
    dry_double3 axis[3];
    if (!(dry_type_properties(target->geometry.type) & DRY_TYPE_PIECES))
        return (dry_extents){0};
    double3_axes(pose->orientation, axis);
    for (int i = 0; i < 3; i++) {
        int number;
        const dry_double3 up = double3_sub(dry_placed_support(solid, axis[i], &number), pose->position);
        const dry_double3 down =
            double3_sub(dry_placed_support(solid, double3_neg(axis[i]), &number), pose->position);
        const double step = double3_dot(axis[i], way);
        low[i] = double3_dot(axis[i], down) - solid->radius - growth + double_min(from * step, to * step);
        high[i] = double3_dot(axis[i], up) + solid->radius + growth + double_max(from * step, to * step);
        const double pad = PAD * (fabs(low[i]) + fabs(high[i]));
        low[i] -= pad;
        high[i] += pad;
    }
    return (dry_extents){vec3((float)low[0], (float)low[1], (float)low[2]),
                         vec3((float)high[0], (float)high[1], (float)high[2])};
}

/* Visits the surfaces of a shape whose bounds overlap a box of the shape's frame: the children of a compound
 * with triangles, each as a shape of its own; else the shape. */
typedef void visit_surface(void *context, const dry_target *surface);

typedef struct surface_walk {
    const dry_target *target;
    visit_surface *visit;
    void *context;
} surface_walk;

static void visit_child(void *context, int child)
{
    const surface_walk *walk = context;
    const dry_target *target = walk->target;
    const dry_piece piece = dry_compound_piece(&target->geometry, child);
    const dry_target surface = {piece.geometry, dry_placed_pose_mul(&target->pose, &piece.pose),
                                target->sides, child + 1};
    walk->visit(walk->context, &surface);
}

static bool has_surfaces(const dry_target *target)
{
    return target->geometry.type == DRY_SHAPE_COMPOUND && dry_geometry_has_triangles(&target->geometry);
}

static void visit_surfaces(const dry_target *target, const dry_placed *solid, double growth, dry_double3 way,
                           double to, visit_surface *visit, void *context)
{
    surface_walk walk = {target, visit, context};
    if (!has_surfaces(target)) {
        visit(context, target);
        return;
    }
    const dry_extents box = solid_bounds(target, solid, growth, way, 0.0, to);
    dry_compound_query(&target->geometry, &box, visit_child, &walk);
}

typedef struct piece_search {
    const dry_placed *solid;
    dry_visit_piece *visit;
    void *context;
} piece_search;

static void visit_pieces_of(void *context, const dry_target *surface)
{
    const piece_search *search = context;
    const dry_extents box = solid_bounds(surface, search->solid, 0.0, zero, 0.0, 0.0);
    dry_visit_pieces(surface, &box, search->visit, search->context);
}

void dry_target_visit_pieces(const dry_target *target, const dry_placed *solid, dry_visit_piece *visit,
                             void *context)
{
    piece_search search = {solid, visit, context};
    visit_surfaces(target, solid, 0.0, zero, 0.0, visit_pieces_of, &search);
}

/* Tells whether a piece comes before another one that is as good. */
static bool is_lower(const dry_query_piece *a, const dry_query_piece *b)
{
    return a->child != b->child ? a->child < b->child : a->face < b->face;
}

static bool is_behind(const dry_query_piece *piece, const dry_placed *solid)
{
    return piece->has_front &&
           double3_dot(piece->front, double3_sub(solid->center, piece->solid.center)) < 0.0;
}

static void gap_of(const dry_query_piece *piece, const dry_placed *solid, dry_gap *gap)
{
    dry_placed_gap(&piece->solid, solid, gap);
    if (piece->has_front && gap->separation < 0.0 && double3_dot(gap->normal, piece->front) < 0.0)
        dry_placed_plane_gap(piece->solid.center, piece->front, solid, gap);
}

/* Tells whether a solid may touch a piece no farther away than `limit`, m. */
static bool is_beside(const dry_query_piece *piece, const dry_placed *solid, double limit)
{
    return dry_placed_apart(&piece->solid, solid) <= limit && !is_behind(piece, solid);
}

typedef struct near_search {
    const dry_placed *solid;
    double limit; /* m */
    bool found;
    dry_gap *gap;
    dry_query_piece *piece;
} near_search;

static bool keep_nearest(void *context, const dry_query_piece *piece)
{
    near_search *search = context;
    dry_gap gap;
    if (!is_beside(piece, search->solid, search->limit))
        return true;
    gap_of(piece, search->solid, &gap);
    if (gap.separation > search->limit ||
        (search->found && gap.separation == search->limit && !is_lower(piece, search->piece)))
        return true;
    search->found = true;
    search->limit = gap.separation;
    *search->gap = gap;
    *search->piece = *piece;
    return true;
}

static double first_growth(const dry_placed *solid, double limit)
{
    return double_min(double_max(solid->reach + solid->radius, FIRST_GROWTH), limit);
}

/* Finds the nearest piece. Among triangles, boxes grow until one holds it: most of them are farther away. */
static void search_nearest(const dry_target *target, near_search *search, double limit)
{
    const dry_placed *solid = search->solid;
    double growth = limit;
    if (dry_type_has_triangles(target->geometry.type))
        growth = first_growth(solid, limit);
    for (;;) {
        search->limit = growth;
        const dry_extents box = solid_bounds(target, solid, double_max(growth, 0.0), zero, 0.0, 0.0);
        dry_visit_pieces(target, &box, keep_nearest, search);
        if (search->found || growth >= limit)
            return;
        growth = double_min(4.0 * growth, limit);
    }
}

/* Tells whether a shape of triangles holds the solid's center. */
static bool holds_center(const dry_target *target, const dry_placed *solid)
{
    if (!dry_type_has_triangles(target->geometry.type))
        return false;
    return dry_geometry_contains(&target->geometry, dry_placed_point_inverse(&target->pose, solid->center));
}

/* Finds the way out of a shape of triangles that holds the solid's center. */
static bool find_way_out(const dry_target *target, const dry_placed *solid, dry_gap *gap,
                         dry_query_piece *piece)
{
    if (!holds_center(target, solid))
        return false;
    const dry_placed center = dry_placed_point(solid->center);
    dry_target all = *target;
    all.sides = DRY_SIDES_BOTH;
    near_search search = {.solid = &center, .gap = gap, .piece = piece};
    search_nearest(&all, &search, 4e6);
    if (!search.found)
        return false;
    const dry_double3 out = double3_sub(gap->on_a, solid->center);
    const double length = double3_length(out);
    const dry_double3 normal =
        length > 1e-9 * (1.0 + solid->reach) ? double3_scale(out, 1.0 / length) : piece->front;
    const dry_double3 on_a = gap->on_a;
    dry_placed_plane_gap(on_a, normal, solid, gap);
    gap->on_a = on_a;
    gap->on_b = double3_add_scaled(on_a, gap->separation, normal);
    return true;
}

typedef struct contact_search {
    const dry_placed *solid;
    double limit; /* m */
    dry_visit_contact *visit;
    void *context;
} contact_search;

/* Finds the contact of a piece. Only the gap knows whether a triangle, which is thin, is met, and whether on
 * its face: that alone has more points than one. */
static bool find_contact(const dry_query_piece *piece, const dry_placed *solid, double limit,
                         dry_query_contact *contact)
{
    const bool is_thin = piece->solid.kind == DRY_PLACED_TRIANGLE;
    dry_gap gap;
    if (!is_thin) {
        if (!dry_piece_meet(piece, solid, limit, contact))
            return false;
        if (contact->count > 0)
            return true;
    }
    gap_of(piece, solid, &gap);
    if (gap.separation > limit)
        return false;
    if (is_thin && solid->kind != DRY_PLACED_POINT &&
        fabs(double3_dot(gap.normal, piece->normal)) > SAME_NORMAL) {
        dry_piece_meet(piece, solid, limit, contact);
        if (contact->count > 0 && double3_dot(contact->normal, gap.normal) > SAME_NORMAL)
            return true;
    }
    *contact = (dry_query_contact){gap.normal, 1, 0, {{gap.on_a, gap.separation}}, gap.on_a};
    return true;
}

static bool touch_piece(void *context, const dry_query_piece *piece)
{
    const contact_search *search = context;
    dry_query_contact contact;
    if (is_beside(piece, search->solid, search->limit) &&
        find_contact(piece, search->solid, search->limit, &contact))
        search->visit(search->context, piece, &contact);
    return true;
}

static void touch_surface(void *context, const dry_target *surface)
{
    contact_search *search = context;
    const dry_placed *solid = search->solid;
    dry_gap gap;
    dry_query_piece piece;
    if (find_way_out(surface, solid, &gap, &piece)) {
        const dry_query_piece plane = {.solid = dry_placed_below(gap.on_a, gap.normal)};
        dry_query_contact contact;
        dry_piece_meet(&plane, solid, search->limit, &contact);
        contact.at = gap.on_a;
        search->visit(search->context, &piece, &contact);
        return;
    }
    const dry_extents box = solid_bounds(surface, solid, double_max(search->limit, 0.0), zero, 0.0, 0.0);
    dry_visit_pieces(surface, &box, touch_piece, search);
}

void dry_target_visit_near(const dry_target *target, const dry_placed *solid, double limit,
                           dry_visit_contact *visit, void *context)
{
    contact_search search = {solid, limit, visit, context};
    visit_surfaces(target, solid, double_max(limit, 0.0), zero, 0.0, touch_surface, &search);
}

typedef struct overlap_search {
    const dry_placed *solid;
    bool found;
} overlap_search;

static bool meet_piece(void *context, const dry_query_piece *piece)
{
    overlap_search *search = context;
    search->found = search->found || dry_placed_overlap(&piece->solid, search->solid);
    return !search->found;
}

static void meet_surface(void *context, const dry_target *surface)
{
    overlap_search *search = context;
    search->found = search->found || holds_center(surface, search->solid);
    if (!search->found)
        dry_target_visit_pieces(surface, search->solid, meet_piece, search);
}

bool dry_target_overlaps(const dry_target *target, const dry_placed *solid)
{
    overlap_search search = {solid, false};
    visit_surfaces(target, solid, 0.0, zero, 0.0, meet_surface, &search);
    return search.found;
}

/* A surface is near from both of its sides, unless the query says which. */
static void find_nearest_of(void *context, const dry_target *surface)
{
    near_search *search = context;
    dry_gap gap;
    dry_query_piece piece;
    near_search own = {.solid = search->solid, .gap = &gap, .piece = &piece};
    dry_target seen = *surface;
    if (seen.sides == DRY_SIDES_OF_SHAPE)
        seen.sides = DRY_SIDES_BOTH;
    if (find_way_out(surface, search->solid, &gap, &piece))
        own.found = gap.separation <= search->limit;
    else
        search_nearest(&seen, &own, search->limit);
    if (!own.found || (search->found && gap.separation >= search->gap->separation))
        return;
    search->found = true;
    search->limit = gap.separation;
    *search->gap = gap;
    *search->piece = piece;
}

bool dry_target_nearest(const dry_target *target, const dry_placed *solid, double limit, dry_gap *gap,
                        dry_query_piece *piece)
{
    near_search search = {.solid = solid, .gap = gap, .piece = piece};
    double growth = has_surfaces(target) ? first_growth(solid, limit) : limit;
    for (;;) {
        search.limit = growth;
        visit_surfaces(target, solid, double_max(growth, 0.0), zero, 0.0, find_nearest_of, &search);
        if (search.found || growth >= limit)
            return search.found;
        growth = double_min(4.0 * growth, limit);
    }
}

typedef struct cast_search {
    const dry_placed *solid;
    dry_double3 way;
    double limit;
    bool found;
    dry_placed_hit *hit;
    dry_query_piece *piece;
} cast_search;

/* Tells whether the ball about a moving solid passes a box, as seen along its way: an axis across the way and
 * an edge parts them by more than the casts round. */
static bool passes_box(const cast_search *search, const dry_placed *box, dry_double3 from)
{
    double at[3], way[3];
    const double ball = search->solid->reach + search->solid->radius +
                        PAD * (dry_placed_scale(box, search->solid) + 1e-8 * double3_length(from));
    for (int i = 0; i < 3; i++) {
        at[i] = double3_dot(box->axis[i], from);
        way[i] = double3_dot(box->axis[i], search->way);
    }
    for (int i = 0, k = 1; i < 3; i++, k = (i + 1) % 3) {
        const double x = fabs(way[i]), y = fabs(way[k]);
        if (fabs(at[i] * way[k] - at[k] * way[i]) >
            box->half[i] * y + box->half[k] * x + ball * sqrt(x * x + y * y))
            return true;
    }
    return false;
}

/* Tells whether the ball about a moving solid meets the ball about a piece. */
static bool may_meet(const cast_search *search, const dry_placed *piece)
{
    if (piece->kind == DRY_PLACED_HALFSPACE)
        return true;
    const dry_double3 from = double3_sub(piece->center, search->solid->center);
    const double square = double3_dot(search->way, search->way);
    const double share =
        square > 0.0 ? dry_clamp_double(double3_dot(from, search->way) / square, 0.0, 1.0) : 0.0;
    const double reach = dry_placed_scale(piece, search->solid) * (1.0 + PAD);
    const dry_double3 rest = double3_add_scaled(from, -share, search->way);
    return double3_dot(rest, rest) <= reach * reach &&
           !(piece->kind == DRY_PLACED_BOX && passes_box(search, piece, from));
}

/* Keeps a hit, if none was found that is as good. */
static void keep_hit(cast_search *search, const dry_placed_hit *hit, const dry_query_piece *piece)
{
    const dry_placed_hit *known = search->hit;
    if (search->found &&
        (hit->fraction > known->fraction ||
         (hit->fraction == known->fraction &&
          (hit->depth < known->depth || (hit->depth == known->depth && !is_lower(piece, search->piece))))))
        return;
    search->found = true;
    search->limit = hit->fraction;
    *search->hit = *hit;
    *search->piece = *piece;
}

static bool cast_at_piece(void *context, const dry_query_piece *piece)
{
    cast_search *search = context;
    dry_placed_hit hit;
    if (!may_meet(search, &piece->solid) || is_behind(piece, search->solid) ||
        !dry_placed_cast(&piece->solid, search->solid, search->way, search->limit, &hit))
        return true;
    if (piece->has_front && hit.depth > 0.0) {
        dry_gap gap;
        gap_of(piece, search->solid, &gap);
        hit = (dry_placed_hit){0.0, gap.normal, gap.on_b, -gap.separation};
    } else if (piece->has_front && double3_dot(search->way, piece->front) >= 0.0) {
        return true;
    }
    keep_hit(search, &hit, piece);
    return true;
}

/* Returns into how many parts a way is cut, so that the box of each holds few triangles that are not met. */
static int slices_of(const dry_target *target, const dry_placed *solid, dry_double3 way)
{
    if (!dry_type_has_triangles(target->geometry.type))
        return 1;
    const double slices =
        double3_length(way) / (8.0 * double_max(solid->reach + solid->radius, FIRST_GROWTH));
    return slices < SLICES_MAX ? 1 + (int)slices : SLICES_MAX;
}

static void cast_at_surface(void *context, const dry_target *surface)
{
    cast_search *search = context;
    const dry_placed *solid = search->solid;
    dry_gap gap;
    dry_query_piece piece;
    if (find_way_out(surface, solid, &gap, &piece) && gap.separation < 0.0) {
        const dry_placed_hit hit = {0.0, gap.normal, gap.on_b, -gap.separation};
        keep_hit(search, &hit, &piece);
        return;
    }
    const int slices = slices_of(surface, solid, search->way);
    for (int i = 0; i < slices && (double)i / slices <= search->limit; i++) {
        const dry_extents box = solid_bounds(surface, solid, 0.0, search->way, (double)i / slices,
                                             double_min((double)(i + 1) / slices, search->limit));
        dry_visit_pieces(surface, &box, cast_at_piece, search);
    }
}

bool dry_target_cast(const dry_target *target, const dry_placed *solid, dry_double3 way, double limit,
                     dry_placed_hit *hit, dry_query_piece *piece)
{
    cast_search search = {.solid = solid, .way = way, .limit = limit, .hit = hit, .piece = piece};
    visit_surfaces(target, solid, 0.0, way, limit, cast_at_surface, &search);
    return search.found;
}
