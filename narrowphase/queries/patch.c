/* The points of a contact: the part of one solid over a flat face of the other.
 *
 * A face across the normal is the reference. The side of the other solid that looks at it is clipped by the
 * edges of the face, and keeps its points within the margin. Four of those stand for all: the deepest, the
 * farthest from it, and the farthest to both sides of the line between them. Without such a face the solids
 * touch at one point.
 *
 * Reads: two solids and their gap. Writes: a patch. */
#include "narrowphase/queries/patch.h"

enum {
    POINTS_MAX = 32, /* of a face; one with more vertices is cut down to this number of them */
    CLIPPED_MAX = 2 * POINTS_MAX + 2,
    RIM_POINTS = 8,
};

/* A face is across the normal if the cosine between the normals is at least this: 0.2 degrees. */
#define ACROSS 0.999994
/* Depths that differ by less than this share of the size are the same. */
#define SAME_DEPTH 1e-6
/* The cosine of 45 degrees. */
#define DIAGONAL 0.70710678118654752

typedef struct polygon {
    int count;
    bool flat; /* has a face across the direction that was asked for */
    bool open; /* without edges: a plane */
    dry_triple point[CLIPPED_MAX];
} polygon;

static void add(polygon *p, dry_triple point)
{
    p->point[p->count++] = point;
}

static void box_side(const dry_placed *s, dry_triple n, polygon *out)
{
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (double_abs(triple_dot(s->axis[i], n)) > double_abs(triple_dot(s->axis[axis], n)))
            axis = i;
    const double along = triple_dot(s->axis[axis], n);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const dry_triple middle =
        triple_add_scaled(s->center, along < 0.0 ? -s->half[axis] : s->half[axis], s->axis[axis]);
    for (int i = 0; i < 4; i++)
        add(out, triple_add_scaled(
                     triple_add_scaled(middle, i == 1 || i == 2 ? s->half[u] : -s->half[u], s->axis[u]),
                     i >= 2 ? s->half[v] : -s->half[v], s->axis[v]));
    out->flat = double_abs(along) >= ACROSS;
}

/* An end, as eight points of its rim, or the line of the side. */
static void cylinder_side(const dry_placed *s, dry_triple n, polygon *out)
{
    static const double rim_x[RIM_POINTS] = {1.0, DIAGONAL, 0.0, -DIAGONAL, -1.0, -DIAGONAL, 0.0, DIAGONAL};
    static const double rim_z[RIM_POINTS] = {0.0, DIAGONAL, 1.0, DIAGONAL, 0.0, -DIAGONAL, -1.0, -DIAGONAL};
    const double along = triple_dot(s->axis[1], n);
    const dry_triple end = triple_scale(s->axis[1], along < 0.0 ? -s->half[1] : s->half[1]);
    const dry_triple middle = triple_add_scaled(s->center, 1.0, end);
    if (double_abs(along) > DIAGONAL) {
        for (int i = 0; i < RIM_POINTS; i++)
            add(out, triple_add_scaled(triple_add_scaled(middle, rim_x[i] * s->half[0], s->axis[0]),
                                       rim_z[i] * s->half[0], s->axis[2]));
        out->flat = double_abs(along) >= ACROSS;
        return;
    }
    const dry_triple across = triple_add_scaled(n, -along, s->axis[1]);
    const dry_triple rim = triple_scale(across, s->half[0] / triple_length(across));
    add(out, triple_add_scaled(middle, 1.0, rim));
    add(out, triple_add_scaled(triple_sub(middle, triple_scale(end, 2.0)), 1.0, rim));
}

/* Returns the number of the face whose normal lies nearest to a direction, and the cosine between them. */
static int hull_face(const dry_placed *s, dry_triple n, double *cosine)
{
    int best = 0;
    *cosine = -2.0;
    for (int i = 0; i < s->hull->face_count; i++) {
        const double along = triple_dot(dry_placed_hull_normal(s, i, NULL), n);
        if (along > *cosine) {
            *cosine = along;
            best = i;
        }
    }
    return best;
}

static void hull_side(const dry_placed *s, dry_triple n, polygon *out)
{
    double cosine;
    const int first = dry_hull_firsts(s->hull)[hull_face(s, n, &cosine)];
    int count = 0, i = 0;
    for (int h = first; count == 0 || h != first; h = dry_hull_nexts(s->hull)[h])
        count++;
    const int step = (count + POINTS_MAX - 1) / POINTS_MAX;
    for (int h = first; i < count; h = dry_hull_nexts(s->hull)[h], i++) {
        if (i % step)
            continue;
        add(out, dry_placed_hull_vertex(s, dry_hull_origins(s->hull)[h]));
    }
    out->flat = cosine >= ACROSS;
}

/* Writes the side of a core that looks along a direction: a face, a line or a point. */
static void side_of(const dry_placed *s, dry_triple n, polygon *out)
{
    out->count = 0;
    out->flat = out->open = false;
    switch (s->kind) {
    case DRY_PLACED_BOX:
        box_side(s, n, out);
        break;
    case DRY_PLACED_CYLINDER:
        cylinder_side(s, n, out);
        break;
    case DRY_PLACED_HULL:
        hull_side(s, n, out);
        break;
    case DRY_PLACED_TRIANGLE: {
        const dry_triple m =
            triple_cross(triple_sub(s->corner[1], s->corner[0]), triple_sub(s->corner[2], s->corner[0]));
        for (int i = 0; i < 3; i++)
            add(out, triple_add_scaled(s->center, 1.0, s->corner[i]));
        out->flat = double_abs(triple_dot(m, n)) >= ACROSS * triple_length(m);
        break;
    }
    case DRY_PLACED_SEGMENT:
        add(out, triple_add_scaled(s->center, s->half[1], s->axis[1]));
        add(out, triple_add_scaled(s->center, -s->half[1], s->axis[1]));
        break;
    case DRY_PLACED_HALFSPACE:
        out->flat = out->open = true;
        add(out, s->center);
        break;
    default:
        add(out, s->center);
        break;
    }
}

/* Cuts a polygon, or a line, by the plane through a point; keeps what lies against the normal. */
static void cut(polygon *p, dry_triple through, dry_triple normal)
{
    const polygon whole = *p;
    p->count = 0;
    for (int i = 0; i < whole.count; i++) {
        const dry_triple from = whole.point[i], to = whole.point[(i + 1) % whole.count];
        const double a = triple_dot(normal, triple_sub(from, through));
        const double b = triple_dot(normal, triple_sub(to, through));
        if (a <= 0.0)
            add(p, from);
        /* A line has one edge, not two. */
        if ((a <= 0.0) != (b <= 0.0) && (whole.count > 2 || i == 0) && p->count < CLIPPED_MAX)
            add(p, triple_add_scaled(from, a / (a - b), triple_sub(to, from)));
    }
}

/* Cuts a side by the planes through the edges of a face along its normal. */
static void clip(polygon *side, const polygon *face, dry_triple n)
{
    dry_triple middle = triple(0.0, 0.0, 0.0);
    for (int i = 0; i < face->count; i++)
        middle = triple_add_scaled(middle, 1.0 / face->count, face->point[i]);
    for (int i = 0; i < face->count && !face->open && side->count > 0; i++) {
        const dry_triple at = face->point[i];
        dry_triple out = triple_cross(triple_sub(face->point[(i + 1) % face->count], at), n);
        if (triple_dot(out, triple_sub(middle, at)) > 0.0)
            out = triple_neg(out);
        cut(side, at, out);
    }
}

/* Moves the point that is largest by a measure to a place, if the measure is above 0. */
static bool take_largest(dry_patch_point *points, int count, int place, const double *measure)
{
    int best = -1;
    for (int i = place; i < count; i++)
        if (measure[i] > 0.0 && (best < 0 || measure[i] > measure[best]))
            best = i;
    if (best < 0)
        return false;
    const dry_patch_point kept = points[place];
    points[place] = points[best];
    points[best] = kept;
    return true;
}

/* Leaves four points or fewer. */
static int reduce(dry_patch_point *points, int count, dry_triple n)
{
    double measure[CLIPPED_MAX + 1];
    for (int i = 0; i < count; i++) /* above 0 for each */
        measure[i] = points[0].separation > points[i].separation ? points[0].separation - points[i].separation
                                                                 : DBL_MIN;
    take_largest(points, count, 0, measure);
    const dry_triple from = points[0].on_a;
    for (int i = 1; i < count; i++) {
        const dry_triple way = triple_sub(points[i].on_a, from);
        measure[i] = triple_dot(way, way);
    }
    if (!take_largest(points, count, 1, measure))
        return 1;
    const dry_triple across = triple_cross(n, triple_sub(points[1].on_a, from));
    for (int i = 2; i < count; i++)
        measure[i] = double_abs(triple_dot(across, triple_sub(points[i].on_a, from)));
    if (!take_largest(points, count, 2, measure))
        return 2;
    const double third = triple_dot(across, triple_sub(points[2].on_a, from));
    for (int i = 3; i < count; i++) {
        const double side = triple_dot(across, triple_sub(points[i].on_a, from));
        measure[i] = third > 0.0 ? -side : side;
    }
    return take_largest(points, count, 3, measure) ? 4 : 3;
}

/* Writes the points of a side over a face. `sign` is 1 where the face is a's. Returns their number. */
static int points_over(const polygon *side, const polygon *face, const dry_placed *a, const dry_placed *b,
                       dry_triple n, double sign, double margin, dry_patch_point *points)
{
    int count = 0;
    for (int i = 0; i < side->count; i++) {
        const double between = sign * triple_dot(n, triple_sub(side->point[i], face->point[0]));
        const double separation = between - a->radius - b->radius;
        if (separation > margin)
            continue;
        const dry_triple core = triple_add_scaled(side->point[i], sign > 0.0 ? -between : 0.0, n);
        points[count++] = (dry_patch_point){triple_add_scaled(core, a->radius, n), separation};
    }
    return count;
}

void dry_placed_patch(const dry_placed *a, const dry_placed *b, const dry_gap *gap, double margin,
                      dry_patch *patch)
{
    polygon of_a, of_b;
    dry_patch_point points[CLIPPED_MAX + 1];
    const dry_triple n = gap->normal;
    side_of(a, n, &of_a);
    side_of(b, triple_neg(n), &of_b);
    int count = 0;
    if (of_a.flat) {
        clip(&of_b, &of_a, n);
        count = points_over(&of_b, &of_a, a, b, n, 1.0, margin, points);
    } else if (of_b.flat) {
        clip(&of_a, &of_b, n);
        count = points_over(&of_a, &of_b, a, b, n, -1.0, margin, points);
    }
    /* The lowest point of a rim lies between those that stand for it. */
    double least = DBL_MAX;
    for (int i = 0; i < count; i++)
        least = double_min(least, points[i].separation);
    if (count > 0 && gap->separation < least - SAME_DEPTH * dry_placed_scale(a, b))
        points[count++] = (dry_patch_point){gap->on_a, gap->separation};
    patch->count = count > 1 ? reduce(points, count, n) : 1;
    patch->point[0] = (dry_patch_point){gap->on_a, gap->separation};
    for (int i = 0; i < patch->count && count > 1; i++)
        patch->point[i] = points[i];
}
