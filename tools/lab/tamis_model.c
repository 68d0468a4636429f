/* The document's solver, written again (tamis_model.h). */
#include "tools/lab/tamis_model.h"

#include <math.h>
#include <string.h>

/* The points of a face that four planes clip, and the rows of all contacts: one of the normal and two of
 * friction a point. */
enum { POINTS_MAX = 12, ROWS_MAX = 3 * POINTS_MAX * LAB_TAMIS_CUBES };

/* A row: the speed of `above` against `below` along an axis is to be `push` at most by the impulse's bounds.
 */
typedef struct row {
    int below, above; /* cubes; -1: the floor */
    lab_vector axis, turn_below, turn_above;
    double push, low, high, inverse_mass, impulse;
} row;

typedef struct rows {
    row row[ROWS_MAX];
    int count;
} rows;

static const lab_vector none = {0.0, 0.0, 0.0};

static lab_vector add_scaled(lab_vector a, double s, lab_vector b)
{
    return (lab_vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static lab_vector minus(lab_vector a, lab_vector b)
{
    return add_scaled(a, -1.0, b);
}

static double dot(lab_vector a, lab_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static lab_vector cross(lab_vector a, lab_vector b)
{
    return (lab_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Returns a vector of a cube's frame in the world. */
static lab_vector turned(const lab_tamis_cube *c, double x, double y, double z)
{
    const lab_vector v = {x, y, z}, u = {c->turn[1], c->turn[2], c->turn[3]};
    const lab_vector twice = cross(u, add_scaled(none, 2.0, v));
    return add_scaled(add_scaled(v, c->turn[0], twice), 1.0, cross(u, twice));
}

static double inverse_inertia(const lab_tamis_stack *s)
{
    return 6.0 / (s->mass * s->side * s->side);
}

void lab_tamis_place(lab_tamis_stack *stack, double lowest, double spacing)
{
    for (int i = 0; i < LAB_TAMIS_CUBES; i++)
        stack->cube[i] =
            (lab_tamis_cube){.at = {0.0, lowest + i * spacing, 0.0}, .turn = {1.0, 0.0, 0.0, 0.0}};
}

static void add_row(const lab_tamis_stack *s, rows *r, int below, int above, lab_vector axis, lab_vector at)
{
    row *n = &r->row[r->count++];
    *n = (row){.below = below, .above = above, .axis = axis};
    n->turn_above = cross(minus(at, s->cube[above].at), axis);
    n->inverse_mass = 1.0 / s->mass + inverse_inertia(s) * dot(n->turn_above, n->turn_above);
    if (below >= 0) {
        n->turn_below = cross(minus(at, s->cube[below].at), axis);
        n->inverse_mass += 1.0 / s->mass + inverse_inertia(s) * dot(n->turn_below, n->turn_below);
    }
}

/* Clips a polygon to the side of a plane where points are less than `most` along its normal from a center. */
static int clip(const lab_vector *in, int count, lab_vector center, lab_vector normal, double most,
                lab_vector *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const lab_vector here = in[i], next = in[(i + 1) % count];
        const double beyond = dot(minus(here, center), normal) - most,
                     next_beyond = dot(minus(next, center), normal) - most;
        if (beyond <= 0.0)
            out[kept++] = here;
        if ((beyond <= 0.0) != (next_beyond <= 0.0))
            out[kept++] = add_scaled(here, beyond / (beyond - next_beyond), minus(next, here));
    }
    return kept;
}

/* Finds the points of a cube's lower face over the upper face of the one below, if there is one. Returns how
 * many there are, and the normal. */
static int find_points(const lab_tamis_stack *s, int below, int above, lab_vector points[POINTS_MAX],
                       lab_vector *normal)
{
    static const int x[4] = {-1, 1, 1, -1}, z[4] = {-1, -1, 1, 1};
    const double half = 0.5 * s->side;
    const lab_tamis_cube *upper = &s->cube[above], *lower = &s->cube[below >= 0 ? below : above];
    int count = 4;
    for (int i = 0; i < 4; i++)
        points[i] = add_scaled(upper->at, 1.0, turned(upper, x[i] * half, -half, z[i] * half));
    *normal = (lab_vector){0.0, 1.0, 0.0};
    if (below < 0)
        return count;
    *normal = turned(lower, 0.0, 1.0, 0.0);
    for (int side = 0; side < 4; side++) {
        lab_vector clipped[POINTS_MAX];
        const double sign = side % 2 ? -1.0 : 1.0;
        const lab_vector plane = side < 2 ? turned(lower, sign, 0.0, 0.0) : turned(lower, 0.0, 0.0, sign);
        count = clip(points, count, lower->at, plane, half, clipped);
        memcpy(points, clipped, (size_t)count * sizeof *points);
    }
    return count;
}

/* Adds the rows of the points that overlap: each the normal's, then those of friction. */
static void add_contact(const lab_tamis_stack *s, rows *r, int below, int above)
{
    lab_vector points[POINTS_MAX], normal;
    double depth[POINTS_MAX];
    int count = 0;
    const int found = find_points(s, below, above, points, &normal);
    for (int i = 0; i < found; i++) {
        const double height =
            below < 0 ? points[i].y : dot(minus(points[i], s->cube[below].at), normal) - 0.5 * s->side;
        if (height < 0.0) {
            depth[count] = -height;
            points[count++] = points[i];
        }
    }
    lab_vector first = add_scaled((lab_vector){1.0, 0.0, 0.0}, -normal.x, normal);
    first = add_scaled(none, 1.0 / sqrt(dot(first, first)), first);
    const lab_vector second = cross(normal, first);
    const double mass = below < 0 ? s->mass : 2.0 * s->mass;
    const double most = s->friction * mass * s->gravity * normal.y / count * s->step;
    for (int i = 0; i < count; i++) {
        add_row(s, r, below, above, normal, points[i]);
        r->row[r->count - 1].push = s->beta * depth[i] / s->step;
        r->row[r->count - 1].high = INFINITY;
        for (int k = 0; k < 2; k++) {
            add_row(s, r, below, above, k ? second : first, points[i]);
            r->row[r->count - 1].low = -most;
            r->row[r->count - 1].high = most;
        }
    }
}

static void push(const lab_tamis_stack *s, lab_tamis_cube *c, double impulse, lab_vector axis,
                 lab_vector turn)
{
    c->velocity = add_scaled(c->velocity, impulse / s->mass, axis);
    c->rotation = add_scaled(c->rotation, impulse * inverse_inertia(s), turn);
}

/* Solves for the velocities that a step ends with [7.2]. */
static void solve(const lab_tamis_stack *s, rows *r, bool pushes, lab_tamis_cube end[LAB_TAMIS_CUBES])
{
    memcpy(end, s->cube, sizeof s->cube);
    for (int i = 0; i < LAB_TAMIS_CUBES; i++)
        end[i].velocity.y -= s->gravity * s->step;
    for (int i = 0; i < r->count; i++)
        r->row[i].impulse = 0.0;
    for (int k = 0; k < s->sweeps; k++)
        for (int i = 0; i < r->count; i++) {
            row *n = &r->row[i];
            lab_tamis_cube *above = &end[n->above], *below = n->below >= 0 ? &end[n->below] : NULL;
            double speed = dot(n->axis, above->velocity) + dot(n->turn_above, above->rotation);
            if (below)
                speed -= dot(n->axis, below->velocity) + dot(n->turn_below, below->rotation);
            const double wanted = n->impulse + ((pushes ? n->push : 0.0) - speed) / n->inverse_mass;
            const double change = fmin(fmax(wanted, n->low), n->high) - n->impulse;
            n->impulse += change;
            push(s, above, change, n->axis, n->turn_above);
            if (below)
                push(s, below, -change, n->axis, n->turn_below);
        }
}

/* Moves a cube by velocities [3.2.3, 3.2.4]. */
static void move(lab_tamis_cube *c, const lab_tamis_cube *by, double h)
{
    const double w = c->turn[0], *q = c->turn;
    const lab_vector u = add_scaled(none, 0.5 * h, by->rotation);
    const lab_vector v = {q[1], q[2], q[3]}, change = add_scaled(cross(u, v), w, u);
    const double next[4] = {w - dot(u, v), v.x + change.x, v.y + change.y, v.z + change.z};
    const double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (int k = 0; k < 4; k++)
        c->turn[k] = next[k] / length;
    c->at = add_scaled(c->at, h, by->velocity);
}

void lab_tamis_step(lab_tamis_stack *stack)
{
    rows r = {.count = 0};
    lab_tamis_cube moving[LAB_TAMIS_CUBES], end[LAB_TAMIS_CUBES];
    for (int i = 0; i < LAB_TAMIS_CUBES; i++) {
        const int above = stack->from_top ? LAB_TAMIS_CUBES - 1 - i : i;
        add_contact(stack, &r, above - 1, above);
    }
    solve(stack, &r, true, moving);
    solve(stack, &r, !stack->twice, end);
    for (int i = 0; i < LAB_TAMIS_CUBES; i++) {
        lab_tamis_cube *c = &stack->cube[i];
        move(c, &moving[i], stack->step);
        c->velocity = end[i].velocity;
        c->rotation = end[i].rotation;
    }
}
