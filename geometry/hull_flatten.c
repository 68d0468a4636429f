/* Makes nearly flat sides of a hull flat.
 *
 * On a scan's noise a side is a bulge of many small faces, none of which holds the center of what stands on
 * it. Such a side is found from a large face on: the faces whose corners lie within a slop of the plane, and
 * whose normals are near. The plane's normal becomes that of their sum, and they are looked for again. Curved
 * shapes keep all of their faces: within the slop of 1 % of the thickness a cylinder shows a strip of 20 % of
 * its shadow along the normal, an ellipsoid a cap of 4 %, and a side has at least a quarter. Next:
 * hull_build.c, which builds the hull of the points again. */
#include "geometry/hull_build.h"

#include "core/assert.h"
#include "core/double3.h"

/* Corners of a side lie this near to its plane, relative to the hull's thickness. Of 288 towers of ten cubes
 * with noise of up to 1 % of their size 18 fell with 0.002, 5 with 0.005, none with 0.01 and 0.02. */
static const double slop_share = 0.01;

/* The cosine down to which normals belong to a side: 30 degrees, less than a bevel's. 10 to 90 do as well. */
static const double near_cosine = 0.8660254037844386;

/* The least part of the hull's shadow that a side has. */
static const double shadow_share = 0.25;

/* The sides' numbers, then those of faces that were not looked at yet, and that have no side. */
enum { SIDES_MAX = 62, FREE = SIDES_MAX, ALONE };

/* A plane: normal . p = offset. */
typedef struct side {
    dry_double3 normal;
    double offset;
} side;

typedef struct flattening {
    const dry_hull *hull;
    dry_double3 at[DRY_HULL_VERTICES_MAX];  /* of each vertex, m */
    double along[DRY_HULL_VERTICES_MAX];    /* of each vertex, along the side that is looked for, m */
    dry_double3 normal[DRY_HULL_FACES_MAX]; /* of each face */
    double area[DRY_HULL_FACES_MAX];        /* of each face, m^2 */
    uint8_t side_of[DRY_HULL_FACES_MAX];    /* of each face: the number of its side, FREE or ALONE */
    side sides[SIDES_MAX];
    int side_count;
} flattening;

static void begin(flattening *f, const dry_hull *hull)
{
    const uint8_t *origin = dry_hull_origins(hull);
    *f = (flattening){.hull = hull};
    for (int v = 0; v < hull->vertex_count; v++)
        f->at[v] = double3_of(dry_hull_vertex(hull, v));
    for (int face = 0; face < hull->face_count; face++) {
        f->normal[face] = double3_of(dry_hull_normal(hull, face));
        f->side_of[face] = FREE;
    }
    for (int h = 0; h < hull->half_edge_count; h++) {
        const int face = dry_hull_faces(hull)[h];
        const dry_double3 twice = double3_cross(f->at[origin[h]], f->at[origin[h ^ 1]]);
        f->area[face] += 0.5 * double3_dot(twice, f->normal[face]);
    }
}

/* Moves a plane outward until it supports the hull. */
static void support(flattening *f, side *s)
{
    s->offset = -INFINITY;
    for (int v = 0; v < f->hull->vertex_count; v++) {
        f->along[v] = double3_dot(s->normal, f->at[v]);
        s->offset = f->along[v] > s->offset ? f->along[v] : s->offset;
    }
}

/* Tells whether the normal of a face is near a plane's, and all of its corners lie within the slop. */
static bool is_near(const flattening *f, const side *s, int face)
{
    const dry_hull *hull = f->hull;
    const double least = s->offset - slop_share * (double)hull->measures.thickness;
    const int first = dry_hull_firsts(hull)[face];
    if (double3_dot(s->normal, f->normal[face]) < near_cosine)
        return false;
    int h = first;
    do {
        if (f->along[dry_hull_origins(hull)[h]] < least)
            return false;
        h = dry_hull_nexts(hull)[h];
    } while (h != first);
    return true;
}

/* Gives the faces near a plane the next side's number, and returns how many there are. Adds up their areas,
 * and their normals by the squares of these, so that small faces that lean, as at a side's border, count
 * little. */
static int mark_faces(flattening *f, const side *s, double *area, dry_double3 *sum)
{
    int count = 0;
    *area = 0.0;
    *sum = (dry_double3){0.0, 0.0, 0.0};
    for (int face = 0; face < f->hull->face_count; face++) {
        if (f->side_of[face] != FREE && f->side_of[face] != f->side_count)
            continue;
        const bool is_in = is_near(f, s, face);
        f->side_of[face] = is_in ? (uint8_t)f->side_count : FREE;
        if (!is_in)
            continue;
        *area += f->area[face];
        *sum = double3_add_scaled(*sum, f->area[face] * f->area[face], f->normal[face]);
        count++;
    }
    return count;
}

/* Finds the side around a face, with an area of at least `least`. Returns whether it is one of several faces.
 * A first look that shows less than half of that finds no side later on: of 3,849 sides of drawn clouds all
 * showed 0.6 of it at once. */
static bool find_side(flattening *f, int founder, double least)
{
    enum { ROUNDS_MAX = 16 };
    side *s = &f->sides[f->side_count];
    dry_double3 sum = f->normal[founder];
    double area = 0.0, shadow = 0.0;
    for (int before = 0, count = 0, round = 0; round < ROUNDS_MAX; round++, before = count) {
        s->normal = double3_scale(sum, 1.0 / sqrt(double3_dot(sum, sum)));
        support(f, s);
        count = mark_faces(f, s, &area, &sum);
        if (count < 2 || area < 0.5 * least)
            return false;
        if (count == before)
            break;
    }
    area = 0.0;
    for (int face = 0; face < f->hull->face_count; face++) {
        const double along = f->area[face] * double3_dot(s->normal, f->normal[face]);
        shadow += 0.5 * fabs(along);
        area += f->side_of[face] == f->side_count ? along : 0.0;
    }
    return area >= shadow_share * shadow;
}

/* Looks for sides around the largest faces that have none, while what is left could be one: a shadow times
 * the extent along it is no less than the volume. */
static void find_sides(flattening *f)
{
    const dry_hull_measures *m = &f->hull->measures;
    const double least = shadow_share * m->solid.volume / (2.0 * (double)m->radius_about_center);
    while (f->side_count < SIDES_MAX) {
        int founder = -1;
        double left = 0.0;
        for (int face = 0; face < f->hull->face_count; face++)
            if (f->side_of[face] == FREE) {
                left += f->area[face];
                founder = founder < 0 || f->area[face] > f->area[founder] ? face : founder;
            }
        if (founder < 0 || left < least)
            return;
        const bool is_side = find_side(f, founder, least);
        for (int face = 0; face < f->hull->face_count; face++)
            if (!is_side && f->side_of[face] == f->side_count)
                f->side_of[face] = ALONE;
        if (f->side_of[founder] == FREE)
            f->side_of[founder] = ALONE;
        f->side_count += is_side;
    }
}

/* Moves vertices to where their sides meet, by turns onto each [Kaczmarz, 1937]. */
static void move_vertices(flattening *f)
{
    enum { ROUNDS_MAX = 256 };
    const double same = (double)f->hull->measures.thickness / (1 << 24);
    double miss = INFINITY;
    for (int round = 0; miss > same && round < ROUNDS_MAX; round++) {
        miss = 0.0;
        for (int h = 0; h < f->hull->half_edge_count; h++) {
            const int number = f->side_of[dry_hull_faces(f->hull)[h]];
            if (number >= f->side_count)
                continue;
            dry_double3 *at = &f->at[dry_hull_origins(f->hull)[h]];
            const double below = f->sides[number].offset - double3_dot(f->sides[number].normal, *at);
            miss = fmax(miss, fabs(below));
            *at = double3_add_scaled(*at, below, f->sides[number].normal);
        }
    }
}

double dry_hull_flatten(const dry_hull *hull, dry_vec3 points[DRY_HULL_VERTICES_MAX])
{
    flattening f;
    float farthest = 0.0f;
    begin(&f, hull);
    find_sides(&f);
    move_vertices(&f);
    for (int v = 0; v < hull->vertex_count; v++) {
        points[v] = vec3_of(f.at[v]);
        farthest = dry_max(farthest, vec3_distance(points[v], dry_hull_vertex(hull, v)));
    }
    DRY_ASSERT(farthest < INFINITY);
    return (double)farthest;
}
