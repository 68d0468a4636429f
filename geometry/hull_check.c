/* Checks the bytes of a hull from outside. Counts and places come first, so that nothing beyond the bytes is
 * read; then indices and topology; then numbers; then whether the shape is convex and its measures true. */
#include "geometry/hull.h"

#include "geometry/block.h"
#include "geometry/geometry.h"

#include <string.h>

/* A corner may miss the plane of its face by this share of the bounds' extent along each axis, and the line
 * of its neighbors inward by as much. Builds stay below a fifth of it (DRY_HULL_TOLERANCE, and rounding). */
static const double flat_share = 1e-5;

static bool has_counts(const dry_hull *hull)
{
    const int v = hull->vertex_count, f = hull->face_count, h = hull->half_edge_count;
    return v >= 4 && v <= DRY_HULL_VERTICES_MAX && f >= 4 && f <= DRY_HULL_FACES_MAX && h % 2 == 0 &&
           v - h / 2 + f == 2;
}

/* Tells whether the header's places are those that its counts ask for, and the bytes as many. */
static bool has_layout(const dry_hull *hull, size_t size)
{
    dry_hull wanted = {.vertex_count = hull->vertex_count,
                       .face_count = hull->face_count,
                       .half_edge_count = hull->half_edge_count};
    dry_hull_lay_out(&wanted);
    return wanted.bytes == size && memcmp(&wanted, hull, offsetof(dry_hull, measures)) == 0;
}

/* Tells whether the bytes between the arrays are zero, and the padding of vertices and faces as it should. */
static bool has_padding(const dry_hull *hull)
{
    const char *block = (const char *)hull;
    const size_t h = hull->half_edge_count;
    for (int k = 0; k < 4; k++) {
        const float *v = dry_hull_vertices(hull, k < 3 ? k : 0), *p = dry_hull_planes(hull, k);
        for (int i = hull->vertex_count; i < hull->vertex_room; i++)
            if (memcmp(&v[i], &v[0], sizeof *v) != 0)
                return false;
        for (int i = hull->face_count; i < hull->face_room; i++)
            if (memcmp(&p[i], &p[0], sizeof *p) != 0)
                return false;
    }
    return dry_block_is_zero(block, sizeof *hull, hull->vertices_at) &&
           dry_block_is_zero(block, hull->origin_at + h, hull->face_at) &&
           dry_block_is_zero(block, hull->face_at + h * sizeof(uint16_t), hull->next_at) &&
           dry_block_is_zero(block, hull->next_at + h * sizeof(uint16_t), hull->first_at) &&
           dry_block_is_zero(block, hull->first_at + hull->face_count * sizeof(uint16_t), hull->bytes);
}

static bool has_indices(const dry_hull *hull)
{
    for (int h = 0; h < hull->half_edge_count; h++)
        if (dry_hull_origins(hull)[h] >= hull->vertex_count || dry_hull_faces(hull)[h] >= hull->face_count ||
            dry_hull_nexts(hull)[h] >= hull->half_edge_count)
            return false;
    for (int face = 0; face < hull->face_count; face++)
        if (dry_hull_firsts(hull)[face] >= hull->half_edge_count)
            return false;
    return true;
}

/* Tells whether the half-edges form one loop of at least three around each face, which meets each neighbor
 * and each vertex once. */
static bool has_loops(const dry_hull *hull)
{
    const uint16_t *next = dry_hull_nexts(hull), *left = dry_hull_faces(hull);
    const uint8_t *origin = dry_hull_origins(hull);
    uint16_t by_face[DRY_HULL_FACES_MAX] = {0}, by_vertex[DRY_HULL_VERTICES_MAX] = {0};
    int all = 0;
    for (int face = 0; face < hull->face_count; face++) {
        const uint16_t mark = (uint16_t)(face + 1);
        const int first = dry_hull_firsts(hull)[face];
        int corners = 0, h = first;
        do {
            const int across = left[h ^ 1];
            if (h < first || left[h] != face || origin[next[h]] != origin[h ^ 1] || across == face ||
                by_face[across] == mark || by_vertex[origin[h]] == mark)
                return false;
            by_face[across] = by_vertex[origin[h]] = mark;
            corners++;
            h = next[h];
        } while (h != first);
        if (corners < 3)
            return false;
        all += corners;
    }
    return all == hull->half_edge_count;
}

/* Tells whether no two edges join the same vertices. */
static bool is_simple(const dry_hull *hull)
{
    uint8_t joined[DRY_HULL_VERTICES_MAX][DRY_HULL_VERTICES_MAX / 8] = {{0}};
    for (int h = 0; h < hull->half_edge_count; h++) {
        const int from = dry_hull_origins(hull)[h], to = dry_hull_origins(hull)[h ^ 1];
        if (joined[from][to / 8] >> to % 8 & 1)
            return false;
        joined[from][to / 8] |= (uint8_t)(1 << to % 8);
    }
    return true;
}

/* Tells whether the half-edges that leave a vertex are one fan of at least three, and no vertex is left out.
 * `next` is a permutation here. */
static bool has_fans(const dry_hull *hull)
{
    const uint16_t *next = dry_hull_nexts(hull);
    bool known[DRY_HULL_VERTICES_MAX] = {false};
    int all = 0, fans = 0;
    for (int first = 0; first < hull->half_edge_count; first++) {
        const int v = dry_hull_origins(hull)[first];
        if (known[v])
            continue;
        known[v] = true;
        int leaving = 0, h = first;
        do {
            leaving++;
            h = next[h ^ 1];
        } while (h != first);
        if (leaving < 3)
            return false;
        all += leaving;
        fans++;
    }
    return all == hull->half_edge_count && fans == hull->vertex_count;
}

/* Tells whether all faces hang together. With Euler's formula, fans and loops this makes a sphere. */
static bool is_connected(const dry_hull *hull)
{
    bool known[DRY_HULL_FACES_MAX] = {true};
    uint16_t stack[DRY_HULL_FACES_MAX] = {0};
    int reached = 1;
    for (int i = 0; i < reached; i++) {
        const int first = dry_hull_firsts(hull)[stack[i]];
        int h = first;
        do {
            const uint16_t across = dry_hull_faces(hull)[h ^ 1];
            if (!known[across])
                stack[reached++] = across;
            known[across] = true;
            h = dry_hull_nexts(hull)[h];
        } while (h != first);
    }
    return reached == hull->face_count;
}

static bool has_numbers(const dry_hull *hull)
{
    for (int i = 0; i < hull->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            if (!(dry_abs(dry_hull_vertices(hull, k)[i]) <= DRY_EXTENT_MAX))
                return false;
    for (int face = 0; face < hull->face_count; face++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double n = (double)dry_hull_planes(hull, k)[face];
            square += n * n;
        }
        if (!(square > 1.0 - 1e-6 && square < 1.0 + 1e-6))
            return false;
    }
    return true;
}

/* The offset of each face must be the least: no vertex lies outside, and no face floats above the hull. */
static bool has_offsets(const dry_hull *hull)
{
    for (int face = 0; face < hull->face_count; face++) {
        const float offset = dry_hull_least_offset(hull, face);
        if (memcmp(&offset, &dry_hull_planes(hull, 3)[face], sizeof offset) != 0)
            return false;
    }
    return true;
}

/* A corner of a face, its edges to and from it, m. */
typedef struct corner {
    double at[3], to[3], from[3];
} corner;

static corner corner_of(const dry_hull *hull, int h)
{
    const uint8_t *origin = dry_hull_origins(hull);
    const int middle = dry_hull_nexts(hull)[h], last = dry_hull_nexts(hull)[middle];
    corner c;
    for (int k = 0; k < 3; k++) {
        const float *v = dry_hull_vertices(hull, k);
        c.at[k] = (double)v[origin[middle]];
        c.to[k] = c.at[k] - (double)v[origin[h]];
        c.from[k] = (double)v[origin[last]] - c.at[k];
    }
    return c;
}

/* Tells whether the corner at the end of a half-edge lies in the plane of its face and turns left there, both
 * within rounding. */
static bool is_corner_sound(const dry_hull *hull, int h, const double extent[3])
{
    const int face = dry_hull_faces(hull)[h];
    const corner c = corner_of(hull, h);
    const double offset = (double)dry_hull_offset(hull, face);
    double above = -offset, miss = 2.5e-7 * fabs(offset), turn = 0.0, chord = 0.0, reach = 0.0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double n = (double)dry_hull_planes(hull, k)[face];
        above += n * (c.at[k] - (double)hull->measures.center[k]);
        miss += flat_share * fabs(n) * extent[k];
        turn += n * (c.to[i] * c.from[j] - c.to[j] * c.from[i]);
        chord += (c.to[k] + c.from[k]) * (c.to[k] + c.from[k]);
        reach += extent[k] * extent[k];
    }
    return above >= -miss && turn >= -flat_share * sqrt(reach * chord);
}

static bool is_convex(const dry_hull *hull)
{
    double extent[3];
    for (int k = 0; k < 3; k++)
        extent[k] = (double)hull->measures.max[k] - (double)hull->measures.min[k];
    for (int h = 0; h < hull->half_edge_count; h++)
        if (!is_corner_sound(hull, h, extent))
            return false;
    return true;
}

bool dry_hull_check(const void *bytes, size_t size)
{
    if (!bytes || (uintptr_t)bytes % DRY_HULL_ALIGNMENT != 0 || size < sizeof(dry_hull))
        return false;
    const dry_hull *hull = bytes;
    if (!has_counts(hull) || !has_layout(hull, size) || !has_padding(hull) || !has_indices(hull) ||
        !has_loops(hull) || !is_simple(hull) || !has_fans(hull) || !is_connected(hull) || !has_numbers(hull))
        return false;
    dry_hull_measures measures;
    dry_hull_measure(hull, &measures);
    return memcmp(&measures, &hull->measures, sizeof measures) == 0 && has_offsets(hull) && is_convex(hull);
}
