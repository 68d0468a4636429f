/* The manifold of a cylinder and its partner: the gap, then the parts that face each other along its normal,
 * then four of their points.
 *
 * A cylinder shows its end to a normal within 45 degrees of its axis, else a line of its side. Flat parts
 * that nearly face each other touch in several points, all others where the gap's points are.
 *
 * Reads: a pair. Writes: a manifold. Next: cylinder_gap.c, cylinder_points.c. */
#include "narrowphase/pairs/cylinder.h"

#include "narrowphase/pairs/cylinder_points.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"

/* A line leaves a face by less than this sine. */
#define ON_LINE 0.3
/* Points miss the pair's separation by rounding alone, of the size. */
#define ROUNDING 1e-9

enum { BOX_PLACES = 32, HULL_PLACES = 2048, FIRST_REGION = 6, ENDS = 64, LINES = 128, SINGLE = 256 };

/* Keeps four points: the deepest one, the one farthest from it, and the farthest to both sides of their line.
 */
static int choose_four(const dry_point_list *list, int chosen[4])
{
    const dry_offered *p = list->point;
    const dry_triple n = list->gap->normal;
    int count = 1;
    chosen[0] = 0;
    for (int i = 1; i < list->count; i++)
        if (p[i].separation < p[chosen[0]].separation)
            chosen[0] = i;
    double most = 0.0;
    for (int i = 0; i < list->count; i++) {
        const dry_triple d = triple_sub(p[i].at, p[chosen[0]].at);
        if (triple_dot(d, d) > most) {
            most = triple_dot(d, d);
            chosen[1] = i;
            count = 2;
        }
    }
    if (count < 2)
        return count;
    const dry_triple across = triple_cross(n, triple_sub(p[chosen[1]].at, p[chosen[0]].at));
    for (double sign = 1.0; sign >= -1.0; sign -= 2.0) {
        double farthest = 1e-6 * most;
        bool any = false;
        for (int i = 0; i < list->count; i++) {
            const double d = sign * triple_dot(across, triple_sub(p[i].at, p[chosen[0]].at));
            if (d > farthest) {
                farthest = d;
                chosen[count] = i;
                any = true;
            }
        }
        count += any;
    }
    return count;
}

static void add_point(const dry_point_list *list, dry_triple at, double separation, uint32_t feature,
                      dry_local_manifold *manifold)
{
    const dry_triple middle = triple_add_scaled(at, 0.5 * separation, list->gap->normal);
    dry_local_manifold_add(manifold, triple_round(middle), (float)separation, feature);
}

/* Gives the pair's own point to the offer that is nearest to it, if no offer is as deep. */
static void keep_deepest(dry_point_list *list, double scale)
{
    const dry_cylinder_gap *gap = list->gap;
    const double flat = list->leans ? DRY_FLAT_SINE * scale : 0.0;
    int nearest = -1;
    double least = DBL_MAX;
    for (int i = 0; i < list->count; i++) {
        if (list->point[i].separation <= gap->separation + ROUNDING * scale + flat)
            return;
        const dry_triple d = triple_sub(list->point[i].at, gap->on_cylinder);
        if (triple_dot(d, d) < least) {
            least = triple_dot(d, d);
            nearest = i;
        }
    }
    if (nearest >= 0) {
        list->point[nearest].at = gap->on_cylinder;
        list->point[nearest].separation = gap->separation;
    }
}

/* Writes the corners of a box's face across axis k on its side `sign`, counterclockwise from outside. */
static dry_facet box_facet(const dry_placed *p, int k, double sign, dry_triple corner[4])
{
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    const dry_triple middle = triple_add_scaled(p->center, sign * p->half[k], p->axis[k]);
    for (int i = 0; i < 4; i++) {
        const double along_u = i == 1 || i == 2 ? 1.0 : -1.0, along_v = i >= 2 ? 1.0 : -1.0;
        corner[i] = triple_add_scaled(middle, along_u * sign * p->half[u], p->axis[u]);
        corner[i] = triple_add_scaled(corner[i], along_v * p->half[v], p->axis[v]);
    }
    return (dry_facet){4, corner, triple_scale(p->axis[k], sign)};
}

static void offer_facet(dry_point_list *list, const dry_facet *facet)
{
    if (list->along >= list->across)
        dry_offer_end_on_facet(list, facet);
    else
        dry_offer_side_on_facet(list, facet);
}

/* Offers an edge of a box, if one nearly faces the cylinder's end or lies along its side. */
static void offer_box_edge(dry_point_list *list, const double n[3])
{
    const dry_placed *p = &list->pair->partner;
    int k = double_abs(n[1]) < double_abs(n[0]) ? 1 : 0;
    k = double_abs(n[2]) < double_abs(n[k]) ? 2 : k;
    if (double_abs(n[k]) > ON_LINE)
        return;
    dry_triple middle = p->center;
    for (int i = 0; i < 3; i++)
        if (i != k)
            middle = triple_add_scaled(middle, n[i] > 0.0 ? -p->half[i] : p->half[i], p->axis[i]);
    const dry_line edge = {middle, triple_scale(p->axis[k], p->half[k]), 0.0};
    const dry_triple a = p->axis[k];
    if (list->along > PAIR_ON_FACE)
        dry_offer_line_on_end(list, &edge);
    else if (list->along < ON_LINE && a.x * a.x + a.z * a.z < PAIR_STRETCH_SINE * PAIR_STRETCH_SINE)
        dry_offer_line_on_side(list, &edge);
}

static void offer_box(dry_point_list *list)
{
    const dry_placed *p = &list->pair->partner;
    double n[3];
    uint32_t region = 0;
    for (int i = 2; i >= 0; i--) {
        n[i] = triple_dot(list->gap->normal, p->axis[i]);
        region = region * 3 + (double_abs(n[i]) < 1e-6 ? 0u : n[i] > 0.0 ? 1u : 2u);
    }
    int k = double_abs(n[1]) > double_abs(n[0]) ? 1 : 0;
    k = double_abs(n[2]) > double_abs(n[k]) ? 2 : k;
    if (double_abs(n[k]) > PAIR_ON_FACE) {
        dry_triple corner[4];
        const dry_facet facet = box_facet(p, k, n[k] > 0.0 ? -1.0 : 1.0, corner);
        list->place = BOX_PLACES * (2 * (uint32_t)k + (n[k] > 0.0 ? 1 : 0));
        offer_facet(list, &facet);
        return;
    }
    list->place = BOX_PLACES * (FIRST_REGION + region);
    offer_box_edge(list, n);
}

static void offer_hull(dry_point_list *list)
{
    const dry_placed *p = &list->pair->partner;
    const dry_hull *hull = p->hull;
    const dry_triple n = list->gap->normal;
    int best = 0;
    double most = -2.0;
    dry_triple normal = triple(0.0, 1.0, 0.0);
    for (int i = 0; i < hull->face_count; i++) {
        const dry_triple own = dry_placed_hull_normal(p, i, NULL);
        const double cosine = -triple_dot(own, n);
        if (cosine > most) {
            most = cosine;
            best = i;
            normal = own;
        }
    }
    list->place = HULL_PLACES * (most > PAIR_ON_FACE ? (uint32_t)best : DRY_HULL_FACES_MAX);
    if (!(most > PAIR_ON_FACE))
        return;
    dry_triple corner[DRY_HULL_VERTICES_MAX];
    const bool mirrored =
        (p->geometry.size.x < 0.0f) != ((p->geometry.size.y < 0.0f) != (p->geometry.size.z < 0.0f));
    const int first = dry_hull_firsts(hull)[best];
    int count = 0, edge = first;
    do {
        corner[count++] = dry_placed_hull_vertex(p, dry_hull_origins(hull)[edge]);
        edge = dry_hull_nexts(hull)[edge];
    } while (edge != first && count < DRY_HULL_VERTICES_MAX);
    for (int i = 0; i < count / 2 && mirrored; i++) {
        const dry_triple at = corner[i];
        corner[i] = corner[count - 1 - i];
        corner[count - 1 - i] = at;
    }
    offer_facet(list, &(dry_facet){count, corner, normal});
}

static void offer_segment(dry_point_list *list)
{
    const dry_placed *p = &list->pair->partner;
    const dry_line line = {p->center, triple_scale(p->axis[1], p->half[1]), p->radius};
    const dry_triple a = p->axis[1];
    if (p->half[1] == 0.0 || double_abs(triple_dot(a, list->gap->normal)) > ON_LINE)
        return;
    if (list->along > PAIR_ON_FACE)
        dry_offer_line_on_end(list, &line);
    else if (list->along < ON_LINE && a.x * a.x + a.z * a.z < PAIR_STRETCH_SINE * PAIR_STRETCH_SINE)
        dry_offer_line_on_side(list, &line);
}

/* Offers the points of two cylinders. Returns whether both have flat ends there. */
static bool offer_cylinder(dry_point_list *list)
{
    const dry_placed *p = &list->pair->partner;
    const dry_triple n = list->gap->normal, a = p->axis[1];
    const double cosine = triple_dot(n, a), sine = sqrt(double_max(0.0, 1.0 - cosine * cosine));
    const double end = cosine > 0.0 ? -1.0 : 1.0, flat = double_abs(cosine);
    const dry_disc disc = {triple_add_scaled(p->center, end * p->half[1], a), a, p->half[0]};
    const bool own_end = list->along >= list->across, its_end = flat >= sine;
    list->place = LINES + (end > 0.0 ? 32 : 0);
    if (double_min(list->along, flat) > PAIR_ON_FACE) {
        list->place = ENDS + (end > 0.0 ? 32 : 0);
        dry_offer_end_on_end(list, &disc);
        return double_min(list->along, flat) > 1.0 - 0.5 * PAIR_STRETCH_SINE * PAIR_STRETCH_SINE;
    }
    if (!own_end && its_end && flat > PAIR_ON_FACE) {
        dry_offer_side_on_end(list, &disc);
        return false;
    }
    if (its_end)
        return false;
    const dry_triple out = triple_add_scaled(n, -cosine, a);
    const dry_line line = {triple_add_scaled(p->center, -p->half[0] / sine, out), triple_scale(a, p->half[1]),
                           0.0};
    list->place = 2 * LINES + (list->side > 0.0 ? 32 : 0);
    if (own_end && list->along > PAIR_ON_FACE)
        dry_offer_line_on_end(list, &line);
    list->place = 3 * LINES;
    if (!own_end && a.x * a.x + a.z * a.z < PAIR_STRETCH_SINE * PAIR_STRETCH_SINE)
        dry_offer_line_on_side(list, &line);
    return false;
}

/* Returns the part of the cylinder on which the gap's point lies. */
static uint32_t part_of(const dry_cylinder *c, dry_triple at, double scale)
{
    const double near = 1e-6 * scale, across = sqrt(at.x * at.x + at.z * at.z);
    if (double_abs(at.y) < c->half_length - near)
        return DRY_PART_SIDE;
    return (across < c->radius - near ? DRY_PART_END : DRY_PART_DEEPEST) + (at.y > 0.0 ? DRY_PART_HIGH : 0);
}

/* Returns the part of a capsule's segment on which the gap's point lies. */
static uint32_t part_of_segment(const dry_placed *p, dry_triple at)
{
    const double along = triple_dot(triple_sub(at, p->center), p->axis[1]), near = (1.0 - 1e-9) * p->half[1];
    return along <= -near ? DRY_CAPSULE_LOW : along >= near ? DRY_CAPSULE_HIGH : DRY_CAPSULE_BETWEEN;
}

static void add_single(dry_point_list *list, double scale, dry_local_manifold *manifold)
{
    const dry_placed *p = &list->pair->partner;
    const dry_cylinder_gap *gap = list->gap;
    const uint32_t part = part_of(&list->pair->cylinder, gap->on_cylinder, scale);
    uint32_t feature = list->place + part;
    if (p->kind == DRY_PLACED_POINT)
        feature = 0;
    else if (p->kind == DRY_PLACED_SEGMENT)
        feature = part_of_segment(p, gap->on_core);
    else if (p->kind == DRY_PLACED_CYLINDER)
        feature = 4 * LINES + part;
    else
        manifold->rolls = part != DRY_PART_END && part != DRY_PART_END + DRY_PART_HIGH;
    add_point(list, gap->on_cylinder, gap->separation, feature, manifold);
}

static dry_point_list list_of(const dry_cylinder_pair *pair, const dry_cylinder_gap *gap, double margin)
{
    dry_point_list list;
    const dry_triple n = gap->normal;
    list.pair = pair;
    list.gap = gap;
    list.margin = margin;
    list.across = sqrt(n.x * n.x + n.z * n.z);
    list.along = double_abs(n.y);
    list.side = n.y < 0.0 ? -1.0 : 1.0;
    list.u = list.across > 0.0 ? triple(n.x / list.across, 0.0, n.z / list.across) : triple(1.0, 0.0, 0.0);
    const dry_triple lean = pair->lean;
    const double aside = sqrt(lean.x * lean.x + lean.z * lean.z);
    list.leans = aside > DRY_LEAN_LEAST * triple_length(lean);
    list.lean = list.leans ? triple(lean.x / aside, 0.0, lean.z / aside) : list.u;
    if (list.leans && list.across < DRY_FLAT_SINE)
        list.u = list.lean;
    list.place = 0;
    list.count = 0;
    return list;
}

void dry_cylinder_collide(const dry_cylinder_pair *pair, double margin, dry_local_manifold *manifold)
{
    dry_cylinder_gap gap;
    const bool is_near = dry_cylinder_find_gap(pair, margin, &gap);
    const double scale = pair->cylinder.radius + pair->cylinder.half_length;
    manifold->count = 0;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->separation_min = (float)gap.separation;
    if (!is_near)
        return;
    manifold->normal = triple_round(gap.normal);
    dry_point_list list = list_of(pair, &gap, margin);
    const dry_placed_kind kind = pair->partner.kind;
    bool flat = list.across < PAIR_STRETCH_SINE;
    if (kind == DRY_PLACED_SEGMENT)
        offer_segment(&list);
    else if (kind == DRY_PLACED_BOX)
        offer_box(&list);
    else if (kind == DRY_PLACED_HULL)
        offer_hull(&list);
    else if (kind == DRY_PLACED_CYLINDER)
        flat = offer_cylinder(&list);
    keep_deepest(&list, scale);
    if (kind != DRY_PLACED_POINT && kind != DRY_PLACED_SEGMENT)
        manifold->rolls = !flat;
    if (list.count == 0) {
        add_single(&list, scale, manifold);
        return;
    }
    int chosen[4];
    const int count = choose_four(&list, chosen);
    for (int i = 0; i < count; i++) {
        const dry_offered *p = &list.point[chosen[i]];
        add_point(&list, p->at, p->separation, p->feature, manifold);
    }
    if (kind == DRY_PLACED_BOX || kind == DRY_PLACED_HULL)
        manifold->rolls = manifold->rolls || (count < 3 && list.place < BOX_PLACES * FIRST_REGION);
}

void dry_collide_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                          float margin, dry_local_manifold *manifold)
{
    const bool is_first = a->type == DRY_SHAPE_CYLINDER;
    const dry_placed_pose home = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const dry_placed_pose there = {triple_of(b_in_a->position), b_in_a->orientation};
    const dry_vec3 size = is_first ? a->size : b->size;
    dry_cylinder_pair pair = {{(double)size.x, (double)size.y},
                              is_first ? dry_placed_of(b, &there) : dry_placed_of(a, &home),
                              triple_of(manifold->lean)};
    if (!is_first) {
        const dry_placed own = dry_placed_of(b, &there);
        /* Vertices of a hull from its origin, as the other pairs see them. */
        pair.partner.center = home.position;
        pair.partner.about = vec3(0.0f, 0.0f, 0.0f);
        dry_placed_see_from(&own, &pair.partner);
        pair.lean = dry_placed_local(&own, pair.lean);
    }
    dry_cylinder_collide(&pair, (double)margin, manifold);
    if (is_first)
        return;
    const dry_transform frame = *b_in_a;
    manifold->normal = vec3_neg(quat_rotate(frame.orientation, manifold->normal));
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i].position = transform_point(&frame, manifold->points[i].position);
}
