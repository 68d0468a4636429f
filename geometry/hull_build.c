/* Builds a hull: points to a grid, the grid's points to a surface of triangles, these to faces, and all to
 * one block. Next: hull_cloud.h, hull_growth.h, hull_merge.h. */
#include "geometry/hull_build.h"

#include "core/assert.h"
#include "core/math.h"
#include "core/memory.h"
#include "geometry/hull_merge.h"

#include <string.h>

const char *dry_hull_fault_name(dry_hull_fault_kind kind)
{
    static const char *const names[] = {
        [DRY_HULL_SOUND] = "sound",
        [DRY_HULL_BAD_COUNT] = "there must be 1 to 1,000,000 points",
        [DRY_HULL_BAD_LIMIT] = "max_vertices must be 0 or 4 to 256",
        [DRY_HULL_BAD_POINT] = "a point is not finite or beyond 1e6 m",
        [DRY_HULL_FEW_POINTS] = "there are fewer than four points",
        [DRY_HULL_EQUAL] = "all points are equal within 1e-4 m",
        [DRY_HULL_COLLINEAR] = "all points lie on a line within 1e-4 m",
        [DRY_HULL_COPLANAR] = "all points lie in a plane within 1e-4 m",
    };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* All that a build needs besides the points. */
typedef struct hull_build {
    dry_memory memory;
    dry_hull_cloud cloud;
    dry_hull_growth growth;
    dry_hull_merging faces;
} hull_build;

/* Hands out parts of one block of memory: counts their bytes, or, with a block, gives their places. */
typedef struct parts {
    char *block;
    size_t used;
} parts;

static void *take(parts *p, size_t count, size_t element_bytes)
{
    const size_t at = p->used;
    p->used += (count * element_bytes + DRY_CACHE_LINE - 1) / DRY_CACHE_LINE * DRY_CACHE_LINE;
    return p->block ? p->block + at : NULL;
}

static int32_t *take_ints(parts *p, size_t count)
{
    return take(p, count, sizeof(int32_t));
}

static void take_parts(hull_build *b, parts *p)
{
    const size_t points = (size_t)b->cloud.count, vertices = (size_t)b->growth.vertices_max;
    const size_t triangles = (size_t)dry_hull_growth_room(b->growth.vertices_max);
    b->cloud.grid = take(p, 3 * points, sizeof(float));
    b->growth.next = take_ints(p, points);
    b->growth.vertex = take_ints(p, vertices);
    b->growth.triangle = take(p, triangles, sizeof(dry_hull_triangle));
    b->growth.free = take_ints(p, triangles);
    b->growth.stack = take_ints(p, triangles);
    b->growth.made = take_ints(p, triangles);
    b->growth.starting = take_ints(p, vertices);
    b->faces.order = take_ints(p, triangles);
    b->faces.face = take_ints(p, triangles);
    b->faces.alone = take(p, triangles, sizeof(bool));
    b->faces.founder = take_ints(p, triangles);
    b->faces.sides = take_ints(p, triangles);
    b->faces.half_edge = take_ints(p, 3 * triangles);
    b->faces.degree = take_ints(p, vertices);
    b->faces.number = take_ints(p, vertices);
    b->faces.mark = take_ints(p, triangles + vertices);
    b->faces.origin = take_ints(p, 3 * triangles);
    b->faces.next = take_ints(p, 3 * triangles);
    b->faces.left = take_ints(p, 3 * triangles);
    b->faces.first = take_ints(p, triangles);
}

static void write_vertices(const hull_build *b, dry_hull *hull)
{
    float *at[3];
    for (int k = 0; k < 3; k++)
        at[k] = (float *)(void *)((char *)hull + hull->vertices_at) + k * hull->vertex_room;
    for (int v = 0; v < b->growth.vertex_count; v++) {
        const int i = b->faces.number[v];
        /* Adding zero makes -0 the same as 0. */
        for (int k = 0; k < 3 && i >= 0; k++)
            at[k][i] = vec3_get(b->cloud.points[b->growth.vertex[v]], k) + 0.0f;
    }
    for (int k = 0; k < 3; k++)
        for (int i = hull->vertex_count; i < hull->vertex_room; i++)
            at[k][i] = at[k][0];
}

/* Writes the planes, and the measures, whose center the offsets refer to. */
static void write_planes(const hull_build *b, dry_hull *hull)
{
    float *at[4];
    for (int k = 0; k < 4; k++)
        at[k] = (float *)(void *)((char *)hull + hull->planes_at) + k * hull->face_room;
    for (int face = 0; face < hull->face_count; face++) {
        const dry_hull_triangle *t = &b->growth.triangle[b->faces.founder[face]];
        for (int k = 0; k < 3; k++)
            at[k][face] = (float)(t->normal[k] / b->cloud.unit[k] * t->meters) + 0.0f;
    }
    dry_hull_measure(hull, &hull->measures);
    for (int face = 0; face < hull->face_count; face++)
        at[3][face] = dry_hull_least_offset(hull, face);
    for (int k = 0; k < 4; k++)
        for (int i = hull->face_count; i < hull->face_room; i++)
            at[k][i] = at[k][0];
}

static void write_half_edges(const dry_hull_merging *f, dry_hull *hull)
{
    char *block = (char *)hull;
    uint8_t *origin = (uint8_t *)block + hull->origin_at;
    uint16_t *left = (uint16_t *)(void *)(block + hull->face_at);
    uint16_t *next = (uint16_t *)(void *)(block + hull->next_at);
    uint16_t *first = (uint16_t *)(void *)(block + hull->first_at);
    for (int h = 0; h < hull->half_edge_count; h++) {
        DRY_ASSERT(f->number[f->origin[h]] >= 0 && f->left[h] < f->face_count);
        origin[h] = (uint8_t)f->number[f->origin[h]];
        left[h] = (uint16_t)f->left[h];
        next[h] = (uint16_t)f->next[h];
    }
    for (int h = hull->half_edge_count - 1; h >= 0; h--)
        first[left[h]] = (uint16_t)h;
}

/* Allocates the block and fills it; null if there is no memory. */
static dry_hull *write_hull(const hull_build *b)
{
    dry_hull header = {.vertex_count = (uint16_t)b->faces.vertex_count,
                       .face_count = (uint16_t)b->faces.face_count,
                       .half_edge_count = (uint16_t)b->faces.half_edge_count};
    dry_hull_lay_out(&header);
    const dry_allocator *allocator = &b->memory.allocator;
    dry_hull *hull = allocator->allocate(header.bytes, DRY_HULL_ALIGNMENT, allocator->user);
    if (!hull)
        return NULL;
    memset(hull, 0, header.bytes);
    *hull = header;
    write_vertices(b, hull);
    write_half_edges(&b->faces, hull);
    write_planes(b, hull);
    return hull;
}

/* Grows a hull and merges its faces. Vertices that growing or merging leaves within the hull or a face make
 * room for as many others. */
static dry_hull_fault_kind find_faces(hull_build *b, int most)
{
    dry_hull_growth *g = &b->growth;
    const dry_hull_fault_kind fault = dry_hull_begin(g);
    if (fault != DRY_HULL_SOUND)
        return fault;
    for (int grown = most, before = most;;) {
        const bool is_cut = dry_hull_grow(g, grown);
        dry_hull_merge(g, &b->faces);
        if (b->faces.vertex_count > most) {
            /* Merging found fewer flat faces: back to the hull before. */
            dry_hull_begin(g);
            dry_hull_grow(g, before);
            dry_hull_merge(g, &b->faces);
            return DRY_HULL_SOUND;
        }
        if (!is_cut || b->faces.vertex_count == most || grown == g->vertices_max)
            return DRY_HULL_SOUND;
        before = grown;
        grown = dry_min_int(grown + most - b->faces.vertex_count, g->vertices_max);
    }
}

/* Builds in memory that was taken. Writes the fault or the cut to the report. */
static dry_result build_hull(hull_build *b, int most, dry_hull **hull, dry_hull_report *report)
{
    dry_hull_cloud_fill(&b->cloud);
    b->growth.cloud = &b->cloud;
    report->fault = find_faces(b, most);
    if (report->fault != DRY_HULL_SOUND)
        return DRY_ERROR_ARGUMENT;
    dry_hull *made = write_hull(b);
    if (!made)
        return DRY_ERROR_MEMORY;
    if (!((double)made->measures.thickness >= DRY_HULL_THINNEST * (1.0 - 1e-6))) {
        b->memory.allocator.release(made, made->bytes, b->memory.allocator.user);
        report->fault = DRY_HULL_COPLANAR;
        return DRY_ERROR_ARGUMENT;
    }
    report->cut_m = dry_hull_growth_cut(&b->growth);
    *hull = made;
    return DRY_OK;
}

/* Builds the hull of points as they are. */
static dry_result build_points(hull_build *b, const dry_vec3 *points, int count, int most, dry_hull **hull,
                               dry_hull_report *report)
{
    b->cloud = (dry_hull_cloud){.points = points, .count = count};
    b->growth = (dry_hull_growth){.vertices_max = dry_min_int(2 * most, dry_max_int(count, 4))};
    *report = dry_hull_cloud_measure(&b->cloud);
    if (report->fault != DRY_HULL_SOUND)
        return DRY_ERROR_ARGUMENT;
    parts sizes = {0};
    take_parts(b, &sizes);
    parts room = {dry_memory_allocate(&b->memory, sizes.used, DRY_CACHE_LINE), 0};
    if (!room.block)
        return DRY_ERROR_MEMORY;
    take_parts(b, &room);
    const dry_result result = build_hull(b, most, hull, report);
    dry_memory_release(&b->memory, room.block, sizes.used);
    return result;
}

/* Builds a hull whose sides are flat. Noise is seen before vertices are cut off. */
static dry_result build_flat(hull_build *b, const dry_vec3 *points, int count, int most, dry_hull **hull,
                             dry_hull_report *report)
{
    dry_hull *rough = NULL;
    dry_vec3 flat[DRY_HULL_VERTICES_MAX];
    dry_result result = build_points(b, points, count, DRY_HULL_VERTICES_MAX, &rough, report);
    if (result != DRY_OK)
        return result;
    const int vertices = rough->vertex_count;
    const double moved = dry_hull_flatten(rough, flat), cut = report->cut_m;
    if (moved == 0.0 && vertices <= most) {
        *hull = rough;
        return DRY_OK;
    }
    b->memory.allocator.release(rough, rough->bytes, b->memory.allocator.user);
    if (moved == 0.0)
        return build_points(b, points, count, most, hull, report);
    result = build_points(b, flat, vertices, most, hull, report);
    report->cut_m += cut;
    report->flat_m = moved;
    return result;
}

dry_result dry_hull_build(const dry_vec3 *points, int count, int max_vertices, const dry_allocator *allocator,
                          dry_hull **hull, dry_hull_report *report)
{
    dry_hull_report found = {.fault = DRY_HULL_SOUND, .point = -1};
    if (report)
        *report = found;
    if (!points || !hull || (allocator && !allocator->allocate != !allocator->release))
        return DRY_ERROR_ARGUMENT;
    const bool is_allowed = max_vertices == 0 || (max_vertices >= 4 && max_vertices <= DRY_HULL_VERTICES_MAX);
    const int most = is_allowed && max_vertices > 0 ? max_vertices : DRY_HULL_VERTICES_MAX;
    hull_build b;
    dry_memory_init(&b.memory, allocator ? *allocator : (dry_allocator){0});
    dry_result result = DRY_ERROR_ARGUMENT;
    if (count < 1 || count > DRY_HULL_POINTS_MAX)
        found.fault = DRY_HULL_BAD_COUNT;
    else if (!is_allowed)
        found.fault = DRY_HULL_BAD_LIMIT;
    else
        result = build_flat(&b, points, count, most, hull, &found);
    if (report)
        *report = found;
    return result;
}
