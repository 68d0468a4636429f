/* Makes the scene of a tube of octahedra on hinges and universal joints, after [Tomcin 6d]: a structure of
 * many loops that moves.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/linkages.h"

#include "tools/scenes/links.h"

enum { AROUND = 12 }; /* octahedra in a ring */

#define HALF 1.0 /* from an octahedron's center to a corner, m */

static dry_point scale(dry_point a, double by)
{
    return (dry_point){by * a.x, by * a.y, by * a.z};
}

static dry_point difference(dry_point a, dry_point b)
{
    return dry_point_add(a, scale(b, -1.0));
}

static double product(dry_point a, dry_point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Adds the node at a corner of octahedra. */
static dry_link add_corner(maker *m, dry_body_type type, dry_point at)
{
    const dry_link corner = dry_link_add(m, NULL, type, at, DRY_UPRIGHT);
    dry_shape_def ball = shape_of(DRY_SHAPE_SPHERE);
    ball.radius = 0.08f;
    dry_link_shape(m, ball, (dry_point){0}, -1);
    return corner;
}

/* Adds a bar whose frame has x along the bar and y along `across`, a unit vector. */
static dry_link add_half(maker *m, dry_point from, dry_point to, dry_point across)
{
    const dry_rotation along = dry_rotation_toward(difference(to, from));
    const dry_point y = dry_point_rotate(along, (dry_point){0.0, 1.0, 0.0}),
                    z = dry_point_rotate(along, (dry_point){0.0, 0.0, 1.0});
    const dry_rotation roll = dry_rotation_toward((dry_point){product(y, across), product(z, across), 0.0});
    const dry_link half =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, dry_point_between(from, to),
                     dry_rotation_multiply(along, (dry_rotation){roll.z, 0.0, 0.0, roll.w}));
    dry_link_shape(m, box_of((float)(0.5 * dry_point_distance(from, to)), 0.03f, 0.03f), (dry_point){0}, -1);
    return half;
}

/* Adds an edge of an octahedron about a center: two bars that fold outward in the plane of both corners and
 * the center. Hinges join them to each other and to the first corner. The joint at the last corner is a
 * hinge, too, or universal. */
static void add_edge(maker *m, dry_point center, const dry_link *first, const dry_link *last, bool universal)
{
    const double root = sqrt(0.5);
    const dry_rotation turn = {0.0, 0.0, root, root}; /* brings x to y */
    const dry_point p = difference(first->at, center), q = difference(last->at, center);
    const dry_point across =
        scale((dry_point){p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x},
              1.0 / product(p, p));
    const dry_point middle = dry_point_add(center, scale(dry_point_add(p, q), 0.875));
    const dry_link a = add_half(m, first->at, middle, across), b = add_half(m, middle, last->at, across);
    const dry_rotation axis = dry_rotation_multiply(a.rotation, turn);
    const dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    dry_link_join(m, hinge, first, &a, first->at, axis);
    dry_link_join(m, hinge, &a, &b, middle, axis);
    const dry_joint_def end = universal ? dry_default_joint_def(DRY_JOINT_UNIVERSAL) : hinge;
    dry_link_join(m, end, last, &b, last->at,
                  universal ? b.rotation : dry_rotation_multiply(b.rotation, turn));
}

/* Adds the edges of an octahedron between its pairs of opposite corners. Those to the last pair have
 * universal joints there. */
static void add_octahedron(maker *m, dry_point center, dry_link corner[3][2])
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            add_edge(m, center, &corner[0][i], &corner[1][k], false);
            add_edge(m, center, &corner[0][i], &corner[2][k], true);
            add_edge(m, center, &corner[1][i], &corner[2][k], true);
        }
}

/* Makes a tube of rings of 12 octahedra, which hangs from 12 static corners. Octahedra side by side share a
 * corner, and so do those one above the other. A ring has 48 corners and 144 edges of two bars: 336 bodies
 * and 2,064 rows. The planes of the edges let the corners at the sides move up and down together, those below
 * move up and down, and those within and without move along their radius. Edges are straight after a fall of
 * 0.46 m. */
void dry_make_octahedra(maker *m, int size)
{
    const double radius = HALF * (2.0 + sqrt(3.0)); /* of the centers */
    dry_point out[AROUND] = {{1.0, 0.0, 0.0}};
    dry_link above[AROUND], below[AROUND], side[AROUND];
    for (int k = 1; k < AROUND; k++)
        out[k] = (dry_point){0.5 * (sqrt(3.0) * out[k - 1].x - out[k - 1].z), 0.0,
                             0.5 * (out[k - 1].x + sqrt(3.0) * out[k - 1].z)};
    for (int k = 0; k < AROUND; k++)
        above[k] = add_corner(m, DRY_BODY_STATIC, scale(out[k], radius));
    for (int i = 0; i < size; i++) {
        dry_point center[AROUND];
        for (int k = 0; k < AROUND; k++) {
            center[k] = dry_point_add(scale(out[k], radius), (dry_point){0.0, -HALF * (2 * i + 1), 0.0});
            const dry_point along = {-HALF * out[k].z, 0.0, HALF * out[k].x};
            side[k] = add_corner(m, DRY_BODY_DYNAMIC, dry_point_add(center[k], along));
            below[k] =
                add_corner(m, DRY_BODY_DYNAMIC, dry_point_add(center[k], (dry_point){0.0, -HALF, 0.0}));
        }
        for (int k = 0; k < AROUND; k++) {
            dry_link corner[3][2] = {{{0}}, {side[(k + AROUND - 1) % AROUND], side[k]}, {above[k], below[k]}};
            for (int j = 0; j < 2; j++)
                corner[0][j] = add_corner(m, DRY_BODY_DYNAMIC,
                                          dry_point_add(center[k], scale(out[k], j ? HALF : -HALF)));
            add_octahedron(m, center[k], corner);
        }
        for (int k = 0; k < AROUND; k++)
            above[k] = below[k];
    }
}

/* Returns the corner of a cube at the lower side along an axis of the octahedron at a place. */
static dry_link corner_of(int first, int size, int axis, const int place[3])
{
    double at[3];
    for (int k = 0; k < 3; k++)
        at[k] = HALF * (2 * place[k] + (k != axis));
    const int layer = axis * (size + 1) + place[axis];
    return (dry_link){first + (layer * size + place[(axis + 1) % 3]) * size + place[(axis + 2) % 3],
                      {at[0], -at[1], at[2]},
                      DRY_UPRIGHT};
}

/* Makes a cube of size^3 octahedra that share their corners. It hangs from the static corners of its top. An
 * octahedron has 12 edges: 172 rows. Each layer falls as a whole. */
void dry_make_octahedra_cube(maker *m, int size)
{
    const int first = m->scene->body_count;
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < (size + 1) * size * size; i++) {
            int place[3];
            place[axis] = i / (size * size);
            place[(axis + 1) % 3] = i / size % size;
            place[(axis + 2) % 3] = i % size;
            const bool top = axis == 1 && place[1] == 0;
            add_corner(m, top ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, corner_of(first, size, axis, place).at);
        }
    for (int i = 0; i < size * size * size; i++) {
        static const int axes[3] = {0, 2, 1};
        const int place[3] = {i % size, i / (size * size), i / size % size};
        dry_link corner[3][2];
        for (int k = 0; k < 3; k++)
            for (int side = 0; side < 2; side++) {
                int at[3] = {place[0], place[1], place[2]};
                at[axes[k]] += side;
                corner[k][side] = corner_of(first, size, axes[k], at);
            }
        add_octahedron(m, dry_point_between(corner[0][0].at, corner[0][1].at), corner);
    }
}
