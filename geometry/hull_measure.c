/* The layout of a hull's block, and the numbers that follow from its vertices and faces. Next: hull_check.c.
 */
#include "geometry/hull.h"

#include "core/assert.h"
#include "core/math.h"

#include <string.h>

static uint32_t round_to(size_t bytes, size_t multiple)
{
    return (uint32_t)((bytes + multiple - 1) / multiple * multiple);
}

static uint16_t padded(int count)
{
    return (uint16_t)round_to((size_t)count, DRY_HULL_LANES);
}

void dry_hull_lay_out(dry_hull *hull)
{
    const size_t h = hull->half_edge_count;
    hull->version = DRY_HULL_VERSION;
    hull->vertex_room = padded(hull->vertex_count);
    hull->face_room = padded(hull->face_count);
    hull->vertices_at = round_to(sizeof *hull, DRY_HULL_ALIGNMENT);
    hull->planes_at = hull->vertices_at + 3 * (uint32_t)sizeof(float) * hull->vertex_room;
    hull->origin_at = hull->planes_at + 4 * (uint32_t)sizeof(float) * hull->face_room;
    hull->face_at = hull->origin_at + round_to(h, 16);
    hull->next_at = hull->face_at + round_to(h * sizeof(uint16_t), 16);
    hull->first_at = hull->next_at + round_to(h * sizeof(uint16_t), 16);
    hull->bytes = round_to(hull->first_at + hull->face_count * sizeof(uint16_t), DRY_HULL_ALIGNMENT);
}

/* Returns the least float that is not below x. */
static float round_up(double x)
{
    const float nearest = (float)x;
    return (double)nearest < x ? nextafterf(nearest, INFINITY) : nearest;
}

/* The least and the largest n . (v - center) of all vertices. */
typedef struct span {
    double low, high;
} span;

/* Lanes of their own for each of eight vertices, so that the loop is free of chains. */
static span span_across(const dry_hull *hull, const float center[3], int face)
{
    enum { LANES = 8 };
    const float *x = dry_hull_vertices(hull, 0), *y = dry_hull_vertices(hull, 1);
    const float *z = dry_hull_vertices(hull, 2);
    const dry_vec3 normal = dry_hull_normal(hull, face);
    const double n[3] = {(double)normal.x, (double)normal.y, (double)normal.z};
    const double c[3] = {(double)center[0], (double)center[1], (double)center[2]};
    double low[LANES], high[LANES];
    for (int i = 0; i < LANES; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (int v = 0; v < hull->vertex_room; v += LANES)
        for (int i = 0; i < LANES; i++) {
            const double d = n[0] * ((double)x[v + i] - c[0]) + n[1] * ((double)y[v + i] - c[1]) +
                             n[2] * ((double)z[v + i] - c[2]);
            low[i] = d < low[i] ? d : low[i];
            high[i] = d > high[i] ? d : high[i];
        }
    span s = {low[0], high[0]};
    for (int i = 1; i < LANES; i++) {
        s.low = low[i] < s.low ? low[i] : s.low;
        s.high = high[i] > s.high ? high[i] : s.high;
    }
    return s;
}

float dry_hull_least_offset(const dry_hull *hull, int face)
{
    return round_up(span_across(hull, hull->measures.center, face).high) + 0.0f;
}

/* Cuts the faces into fans, and integrates over the solid that the triangles bound. */
static dry_solid integrate(const dry_hull *hull)
{
    dry_vec3 vertex[DRY_HULL_VERTICES_MAX];
    int32_t corner[3 * DRY_HULL_FACES_MAX];
    const uint8_t *origin = dry_hull_origins(hull);
    const uint16_t *next = dry_hull_nexts(hull);
    int count = 0;
    for (int i = 0; i < hull->vertex_count; i++)
        vertex[i] = dry_hull_vertex(hull, i);
    for (int face = 0; face < hull->face_count; face++) {
        const int first = dry_hull_firsts(hull)[face];
        for (int h = next[first]; next[h] != first && count < DRY_HULL_FACES_MAX; h = next[h], count++) {
            corner[3 * count] = origin[first];
            corner[3 * count + 1] = origin[h];
            corner[3 * count + 2] = origin[next[h]];
        }
    }
    DRY_ASSERT(count == hull->half_edge_count - 2 * hull->face_count);
    return dry_mesh_integrate(&(dry_mesh){vertex, corner, hull->vertex_count, count});
}

static float radius_about(const dry_hull *hull, const float center[3])
{
    double farthest = 0.0;
    for (int i = 0; i < hull->vertex_count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)dry_hull_vertices(hull, k)[i] - (double)center[k];
            square += d * d;
        }
        farthest = square > farthest ? square : farthest;
    }
    return round_up(sqrt(farthest));
}

static float thickness_of(const dry_hull *hull, const float center[3])
{
    double least = INFINITY;
    for (int face = 0; face < hull->face_count; face++) {
        const span s = span_across(hull, center, face);
        const double across = s.high - s.low;
        least = across < least ? across : least;
    }
    return (float)least;
}

void dry_hull_measure(const dry_hull *hull, dry_hull_measures *measures)
{
    memset(measures, 0, sizeof *measures);
    measures->solid = integrate(hull);
    measures->axes = dry_inertia_principal_axes(&measures->solid.inertia, measures->moments);
    for (int k = 0; k < 3; k++) {
        const float *at = dry_hull_vertices(hull, k);
        measures->center[k] = (float)measures->solid.center[k];
        measures->min[k] = measures->max[k] = at[0];
        for (int i = 1; i < hull->vertex_count; i++) {
            measures->min[k] = dry_min(measures->min[k], at[i]);
            measures->max[k] = dry_max(measures->max[k], at[i]);
        }
    }
    measures->radius = radius_about(hull, (const float[3]){0.0f, 0.0f, 0.0f});
    measures->radius_about_center = radius_about(hull, measures->center);
    measures->thickness = thickness_of(hull, measures->center);
}
