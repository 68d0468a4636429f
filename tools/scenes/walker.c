/* Makes a walking machine of Jansen's linkages, the Strandbeest [Jansen 2007, "The Great Pretender"].
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/linkages.h"
#include "tools/scenes/links.h"

#include <math.h>

/* The points of a leg. */
enum {
    CRANK, /* the crank's pin */
    PIVOT, /* on the frame */
    TOP,
    OUTER,
    LOWER,
    ANKLE,
    FOOT,
    POINTS
};

/* Jansen's "holy numbers", m. The crank's axis is DOWN above the pivots and ACROSS beside them. */
#define ACROSS 0.38
#define DOWN 0.078
#define CRANK_LENGTH 0.15

#define FOOT_RADIUS 0.02
#define BAR_HALF 0.01
#define DROP 0.4
#define PITCH 0.0625 /* from one pair of legs to the next, along z */

/* Returns the intersection to the left of the line from a to b of the circles about them. */
static dry_point meet(dry_point a, double radius_a, dry_point b, double radius_b)
{
    const double x = b.x - a.x, y = b.y - a.y, squared = x * x + y * y;
    const double along = 0.5 * (1.0 + (radius_a * radius_a - radius_b * radius_b) / squared);
    const double left = sqrt(radius_a * radius_a / squared - along * along);
    return (dry_point){a.x + along * x - left * y, a.y + along * y + left * x, a.z};
}

/* Returns the place of the pin of a pair's crank, whose axis is at `axis`. The first three pairs are a third
 * of a rotation apart, and twelve pairs a twelfth. */
static dry_point crank_pin(dry_point axis, int pair)
{
    const double half_root_3 = 0.5 * sqrt(3.0);
    const double cosines[12] = {1.0,  half_root_3,  0.5,  0.0, -0.5, -half_root_3,
                                -1.0, -half_root_3, -0.5, 0.0, 0.5,  half_root_3};
    static const int phases[12] = {0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11};
    const int phase = phases[pair % 12];
    return (dry_point){axis.x + CRANK_LENGTH * cosines[phase],
                       axis.y + CRANK_LENGTH * cosines[(phase + 9) % 12], axis.z};
}

/* Finds the points of a leg to the left of the crank's axis (side -1), or to its right: the mirror image of a
 * left leg whose pin is mirrored. Each length is one of Jansen's letters. */
static void find_leg(dry_point axis, int pair, int side, dry_point p[POINTS])
{
    p[CRANK] = crank_pin(axis, pair);
    if (side > 0)
        p[CRANK].x = 2.0 * axis.x - p[CRANK].x;
    p[PIVOT] = (dry_point){axis.x - ACROSS, axis.y - DOWN, axis.z};
    p[TOP] = meet(p[PIVOT], 0.415, p[CRANK], 0.5);     /* b, j */
    p[LOWER] = meet(p[CRANK], 0.619, p[PIVOT], 0.393); /* k, c */
    p[OUTER] = meet(p[PIVOT], 0.401, p[TOP], 0.558);   /* d, e */
    p[ANKLE] = meet(p[LOWER], 0.367, p[OUTER], 0.394); /* g, f */
    p[FOOT] = meet(p[LOWER], 0.49, p[ANKLE], 0.657);   /* i, h */
    for (int i = 0; i < POINTS && side > 0; i++)
        p[i].x = 2.0 * axis.x - p[i].x;
}

/* Adds a body of three bars between three points. */
static dry_link add_triangle(maker *m, dry_point a, dry_point b, dry_point c)
{
    const dry_point along = {b.x - a.x, b.y - a.y, b.z - a.z};
    const dry_link body = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, a, dry_rotation_toward(along));
    dry_link_edge(m, &body, a, b, BAR_HALF, -1);
    dry_link_edge(m, &body, b, c, BAR_HALF, -1);
    dry_link_edge(m, &body, c, a, BAR_HALF, -1);
    return body;
}

/* Adds a leg: 6 bodies, 9 hinges. The shaft's pose determines its pose: no row is redundant in its plane. */
static void add_leg(maker *m, const dry_link *frame, const dry_link *shaft, const dry_point p[POINTS])
{
    const dry_link upper_rod = dry_link_bar(m, p[CRANK], p[TOP], BAR_HALF, -1);
    const dry_link lower_rod = dry_link_bar(m, p[CRANK], p[LOWER], BAR_HALF, -1);
    const dry_link rocker = add_triangle(m, p[PIVOT], p[TOP], p[OUTER]);
    const dry_link lower_rocker = dry_link_bar(m, p[PIVOT], p[LOWER], BAR_HALF, -1);
    const dry_link coupler = dry_link_bar(m, p[OUTER], p[ANKLE], BAR_HALF, -1);
    const dry_link foot = add_triangle(m, p[LOWER], p[ANKLE], p[FOOT]);
    dry_shape_def sole = shape_of(DRY_SHAPE_SPHERE);
    sole.radius = (float)FOOT_RADIUS;
    dry_link_shape(m, sole, dry_link_local(&foot, p[FOOT]), -1);
    dry_link_hinge(m, shaft, &upper_rod, p[CRANK]);
    dry_link_hinge(m, shaft, &lower_rod, p[CRANK]);
    dry_link_hinge(m, frame, &rocker, p[PIVOT]);
    dry_link_hinge(m, frame, &lower_rocker, p[PIVOT]);
    dry_link_hinge(m, &upper_rod, &rocker, p[TOP]);
    dry_link_hinge(m, &rocker, &coupler, p[OUTER]);
    dry_link_hinge(m, &coupler, &foot, p[ANKLE]);
    dry_link_hinge(m, &lower_rocker, &foot, p[LOWER]);
    dry_link_hinge(m, &lower_rod, &foot, p[LOWER]);
}

/* Makes a Strandbeest [Tomcin Fig. 6b] with `size` legs, pairs to the left and right of one crank shaft,
 * which is hinged to the frame: 2 + 6 n bodies, 5 + 45 n rows. The lowest foot begins DROP above the floor, a
 * third of the machine's height. dry_scene_add_load makes its frame heavier. */
void dry_make_strandbeest(maker *m, int size)
{
    const int pairs = (size + 1) / 2;
    const double half_z = 0.5 * PITCH * pairs;
    dry_point p[POINTS];
    double lowest = 0.0;
    for (int i = 0; i < size; i++) {
        find_leg((dry_point){0.0, 0.0, 0.0}, i / 2, i % 2 ? 1 : -1, p);
        lowest = fmin(lowest, p[FOOT].y);
    }
    const dry_point axis = {0.0, DROP + FOOT_RADIUS - lowest, 0.0};
    add_floor(m, half_z + 5.0, half_z + 5.0);

    const dry_link frame = dry_link_add(m, "frame", DRY_BODY_DYNAMIC, axis, DRY_UPRIGHT);
    const dry_shape_def rail = box_of(0.02f, 0.02f, (float)half_z);
    dry_link_shape(m, rail, (dry_point){-ACROSS, -DOWN, 0.0}, -1);
    dry_link_shape(m, rail, (dry_point){ACROSS, -DOWN, 0.0}, -1);
    for (int side = -1; side <= 1; side += 2)
        dry_link_shape(m, box_of((float)ACROSS, 0.02f, 0.02f), (dry_point){0.0, -DOWN, side * half_z}, -1);

    const dry_link shaft = dry_link_add(m, "shaft", DRY_BODY_DYNAMIC, axis, DRY_UPRIGHT);
    dry_link_shape(m, box_of(0.015f, 0.015f, (float)half_z), (dry_point){0}, -1);
    for (int i = 0; i < pairs; i++) {
        dry_point pin = crank_pin((dry_point){0}, i);
        pin.z = PITCH * (i - 0.5 * (pairs - 1));
        /* With a counterweight across, so that the shaft's axis is a principal axis. */
        for (int side = -1; side <= 1; side += 2)
            dry_link_shape(m, box_of(0.02f, 0.02f, 0.02f), (dry_point){side * pin.x, side * pin.y, pin.z},
                           -1);
    }
    dry_link_hinge(m, &frame, &shaft, axis);

    for (int i = 0; i < size; i++) {
        const double z = PITCH * (i / 2 - 0.5 * (pairs - 1));
        find_leg((dry_point){axis.x, axis.y, z}, i / 2, i % 2 ? 1 : -1, p);
        add_leg(m, &frame, &shaft, p);
    }
}
