/* Merges triangles to faces, and numbers vertices and half-edges. Next: hull_build.c. */
#include "geometry/hull_merge.h"

#include "core/assert.h"
#include "core/math.h"

#include <string.h>

static bool is_free(const dry_hull_triangle *t)
{
    return t->neighbor[0] < 0;
}

static int next_side(int side)
{
    return side % 3 == 2 ? side - 2 : side + 1;
}

static int side_origin(const dry_hull_growth *g, int side)
{
    return g->triangle[side / 3].vertex[side % 3];
}

/* Returns the same edge as seen from the neighbor. */
static int other_side(const dry_hull_growth *g, int side)
{
    const int t = g->triangle[side / 3].neighbor[side % 3];
    const int32_t end = side_origin(g, next_side(side)), *vertex = g->triangle[t].vertex;
    return 3 * t + (vertex[0] == end ? 0 : vertex[1] == end ? 1 : 2);
}

static bool is_between_faces(const dry_hull_growth *g, const dry_hull_merging *f, int side)
{
    return f->face[side / 3] != f->face[g->triangle[side / 3].neighbor[side % 3]];
}

/* Returns the side of the same face that follows around it. */
static int next_around(const dry_hull_growth *g, const dry_hull_merging *f, int side)
{
    side = next_side(side);
    while (!is_between_faces(g, f, side))
        side = next_side(other_side(g, side));
    return side;
}

/* Tells whether a triangle may join the face that another one founded. */
static bool may_join(const dry_hull_growth *g, const dry_hull_merging *f, int founder, int triangle)
{
    const dry_hull_triangle *a = &g->triangle[founder], *b = &g->triangle[triangle];
    double along = 0.0;
    for (int k = 0; k < 3; k++)
        along += a->normal[k] * b->normal[k] / (g->cloud->unit[k] * g->cloud->unit[k]);
    bool is_near = along > 0.0 && !f->alone[founder] && !f->alone[triangle];
    for (int i = 0; i < 3; i++) {
        const float *p = dry_hull_cloud_at(g->cloud, g->vertex[b->vertex[i]]);
        is_near &= fabs(dry_hull_triangle_above(a, p)) <= a->tolerance;
    }
    return is_near;
}

/* Orders triangles by area, the largest first. The area is half of 1 / meters but for a constant. */
static void sort_by_area(const dry_hull_growth *g, dry_hull_merging *f)
{
    f->order_count = 0;
    for (int t = 0; t < g->triangle_count; t++)
        if (!is_free(&g->triangle[t]))
            f->order[f->order_count++] = t;
    for (int gap = f->order_count / 2; gap > 0; gap /= 2)
        for (int i = gap; i < f->order_count; i++) {
            const int32_t t = f->order[i];
            int j = i;
            for (; j >= gap; j -= gap) {
                const int32_t u = f->order[j - gap];
                const double a = g->triangle[t].meters, b = g->triangle[u].meters;
                if (!(a < b || (a == b && t < u)))
                    break;
                f->order[j] = u;
            }
            f->order[j] = t;
        }
}

/* Gives each triangle its face. */
static void found_faces(dry_hull_growth *g, dry_hull_merging *f)
{
    for (int t = 0; t < g->triangle_count; t++)
        f->face[t] = -1;
    f->face_count = 0;
    for (int i = 0; i < f->order_count; i++) {
        const int founder = f->order[i];
        if (f->face[founder] >= 0)
            continue;
        int reached = 1;
        g->stack[0] = founder;
        f->face[founder] = f->face_count;
        for (int k = 0; k < reached; k++)
            for (int e = 0; e < 3; e++) {
                const int t = g->triangle[g->stack[k]].neighbor[e];
                if (f->face[t] >= 0 || !may_join(g, f, founder, t))
                    continue;
                f->face[t] = f->face_count;
                g->stack[reached++] = t;
            }
        f->founder[f->face_count++] = founder;
    }
}

/* Lets each triangle of a face stay alone. Returns whether one was not. */
static bool split_face(dry_hull_growth *g, dry_hull_merging *f, int face)
{
    bool can = false;
    for (int t = 0; t < g->triangle_count; t++)
        if (!is_free(&g->triangle[t]) && f->face[t] == face) {
            can |= !f->alone[t];
            f->alone[t] = true;
        }
    return can;
}

/* Counts the sides of faces at each vertex and around each face, and finds a side at which an edge begins. */
static void count_sides(const dry_hull_growth *g, dry_hull_merging *f)
{
    for (int v = 0; v < g->vertex_count; v++)
        f->degree[v] = 0;
    for (int face = 0; face < f->face_count; face++) {
        f->first[face] = -1;
        f->sides[face] = 0;
    }
    for (int side = 0; side < 3 * g->triangle_count; side++) {
        f->half_edge[side] = -1;
        if (is_free(&g->triangle[side / 3]) || !is_between_faces(g, f, side))
            continue;
        f->degree[side_origin(g, side)]++;
        f->sides[f->face[side / 3]]++;
    }
    for (int side = 3 * g->triangle_count - 1; side >= 0; side--)
        if (!is_free(&g->triangle[side / 3]) && is_between_faces(g, f, side) &&
            f->degree[side_origin(g, side)] > 2)
            f->first[f->face[side / 3]] = side;
}

/* Tells whether a vertex lies on the edge from a to b up to three times the tolerance. */
static bool is_on_edge(const dry_hull_growth *g, int vertex, int a, int b)
{
    const float *p = dry_hull_cloud_at(g->cloud, g->vertex[vertex]);
    const float *from = dry_hull_cloud_at(g->cloud, g->vertex[a]);
    const float *to = dry_hull_cloud_at(g->cloud, g->vertex[b]);
    double along = 0.0, square = 0.0, off = 0.0, u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = ((double)to[k] - (double)from[k]) / g->cloud->tolerance[k];
        v[k] = ((double)p[k] - (double)from[k]) / g->cloud->tolerance[k];
        along += u[k] * v[k];
        square += u[k] * u[k];
    }
    const double share = square > 0.0 ? dry_clamp_double(along / square, 0.0, 1.0) : 0.0;
    for (int k = 0; k < 3; k++)
        off += (v[k] - share * u[k]) * (v[k] - share * u[k]);
    return off <= 9.0;
}

/* Numbers the edge that begins with a side, unless it has a number, and the half-edges on both sides of it.
 * Returns false if a vertex that goes does not lie on it. */
static bool number_edge(const dry_hull_growth *g, dry_hull_merging *f, int side)
{
    int last = side, end;
    for (;;) {
        const int next = next_around(g, f, last);
        end = side_origin(g, next);
        if (f->degree[end] != 2)
            break;
        last = next;
    }
    const int begin = side_origin(g, side);
    for (int s = side; s != last;) {
        s = next_around(g, f, s);
        if (begin == end || !is_on_edge(g, side_origin(g, s), begin, end))
            return false;
    }
    const int back = other_side(g, last);
    DRY_ASSERT(f->half_edge_count + 2 <= 3 * dry_hull_growth_room(g->vertices_max));
    f->origin[f->half_edge_count] = begin;
    f->origin[f->half_edge_count + 1] = end;
    f->left[f->half_edge_count] = f->face[side / 3];
    f->left[f->half_edge_count + 1] = f->face[back / 3];
    f->half_edge[side] = f->half_edge_count++;
    f->half_edge[back] = f->half_edge_count++;
    return true;
}

/* Numbers the edges around a face, and tells whether it is one loop. */
static bool number_face(const dry_hull_growth *g, dry_hull_merging *f, int face)
{
    const int begin = f->first[face], sides = f->sides[face];
    if (begin < 0)
        return false;
    int around = 0, before = -1, side = begin;
    do {
        if (f->degree[side_origin(g, side)] > 2) {
            if (f->half_edge[side] < 0 && !number_edge(g, f, side))
                return false;
            if (before >= 0)
                f->next[before] = f->half_edge[side];
            before = f->half_edge[side];
        }
        around++;
        side = next_around(g, f, side);
    } while (side != begin && around <= sides);
    DRY_ASSERT(before >= 0);
    f->next[before] = f->half_edge[begin];
    f->first[face] = f->half_edge[begin];
    return around == sides;
}

/* Tells whether a face turns left at the vertex from which a half-edge runs, without doubt. */
static bool turns_left(const dry_hull_growth *g, const dry_hull_merging *f, const double normal[3], int h)
{
    const float *p[3];
    double u[3], v[3], turn = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++, h = f->next[h])
        p[i] = dry_hull_cloud_at(g->cloud, g->vertex[f->origin[h]]);
    for (int k = 0; k < 3; k++) {
        u[k] = (double)p[1][k] - (double)p[0][k];
        v[k] = (double)p[2][k] - (double)p[1][k];
    }
    for (int k = 0; k < 3; k++) {
        const double part = normal[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
        turn += part;
        size += fabs(part);
    }
    return turn > 1e-15 * size;
}

/* Tells whether a face has three corners, turns left at each, and meets each neighbor and each vertex once.
 */
static bool is_sound(const dry_hull_growth *g, dry_hull_merging *f, int face)
{
    const int first = f->first[face];
    const dry_hull_triangle *founder = &g->triangle[f->founder[face]];
    int corners = 0;
    for (int h = first; corners == 0 || h != first; h = f->next[h]) {
        const int across = f->left[h ^ 1];
        int32_t *of_face = &f->mark[across], *of_vertex = &f->mark[g->triangle_count + f->origin[h]];
        if (across == face || *of_face == face || *of_vertex == face)
            return false;
        *of_face = *of_vertex = face;
        if (!f->alone[f->founder[face]] && !turns_left(g, f, founder->normal, h))
            return false;
        corners++;
    }
    return corners >= 3;
}

/* Finds the half-edges of all faces. Splits the faces that are unsound, and returns whether there are. */
static bool split_unsound(dry_hull_growth *g, dry_hull_merging *f)
{
    bool split = false;
    f->half_edge_count = 0;
    count_sides(g, f);
    for (int face = 0; face < f->face_count; face++)
        if (!number_face(g, f, face))
            split |= split_face(g, f, face);
    if (split)
        return true;
    memset(f->mark, 0xff, (size_t)(g->triangle_count + g->vertex_count) * sizeof *f->mark);
    for (int face = 0; face < f->face_count; face++)
        if (!is_sound(g, f, face))
            split |= split_face(g, f, face);
    return split;
}

static void number_vertices(const dry_hull_growth *g, dry_hull_merging *f)
{
    f->vertex_count = 0;
    for (int v = 0; v < g->vertex_count; v++)
        f->number[v] = f->degree[v] > 2 ? f->vertex_count++ : -1;
}

void dry_hull_merge(dry_hull_growth *g, dry_hull_merging *f)
{
    for (int t = 0; t < g->triangle_count; t++)
        f->alone[t] = false;
    sort_by_area(g, f);
    bool sound = false;
    while (!sound) {
        found_faces(g, f);
        sound = !split_unsound(g, f);
        number_vertices(g, f);
        if (!sound || f->vertex_count - f->half_edge_count / 2 + f->face_count == 2)
            continue;
        for (int face = 0; face < f->face_count; face++)
            sound &= !split_face(g, f, face);
    }
    DRY_ASSERT(f->vertex_count - f->half_edge_count / 2 + f->face_count == 2);
}
