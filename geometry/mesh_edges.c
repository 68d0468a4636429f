/* Finds equal positions by a table, and edges by lists, one for each edge's lower vertex. Within a list,
 * equal edges come together, and within these equal triangles. */
#include "geometry/mesh_edges.h"

#include "core/assert.h"
#include "core/heap.h"
#include "geometry/mesh.h"
#include "state/hash_mix.h"

#include <string.h>

enum { SHORT_LIST = 32, CROWD_MAX = 16 };
#define NEEDLE_SQUARE 1e-4 /* (height / longest side)^2 */

/* One side of an edge. `half`: (3 triangle + edge) << 1 | whether it runs from the higher vertex. */
typedef struct side {
    uint32_t high, third, half;
} side;

static void *take(dry_mesh_links *links, size_t count, size_t bytes)
{
    return dry_memory_allocate(links->memory, count * bytes, DRY_CACHE_LINE);
}

/* Equal positions. */

static uint64_t position_hash(dry_vec3 v)
{
    const float at[3] = {v.x + 0.0f, v.y + 0.0f, v.z + 0.0f}; /* -0 is 0 */
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    return dry_hash_spread(dry_hash_mix((uint64_t)bits[0] << 32 | bits[1], bits[2]));
}

static bool find_equal(dry_mesh_links *links)
{
    const dry_mesh *mesh = links->mesh;
    const uint32_t count = (uint32_t)mesh->vertex_count;
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    uint32_t *table = take(links, size, sizeof *table);
    links->first_equal = take(links, count, sizeof *links->first_equal);
    if (!table || !links->first_equal)
        return false;
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t v = 0; v < count; v++) {
        const dry_vec3 at = mesh->vertices[v];
        size_t place = (size_t)position_hash(at) & (size - 1);
        while (table[place] != UINT32_MAX) {
            const dry_vec3 other = mesh->vertices[table[place]];
            if (other.x == at.x && other.y == at.y && other.z == at.z)
                break;
            place = (place + 1) & (size - 1);
        }
        if (table[place] == UINT32_MAX)
            table[place] = v;
        links->first_equal[v] = table[place];
    }
    dry_memory_release(links->memory, table, size * sizeof *table);
    return true;
}

/* Triangles by themselves. */

static uint32_t vertex_at(const dry_mesh_links *links, uint32_t triangle, uint32_t corner)
{
    return links->first_equal[links->mesh->triangles[3 * (size_t)triangle + corner]];
}

static dry_double3 difference(const dry_mesh_links *links, uint32_t to, uint32_t from)
{
    return double3_sub(double3_of(links->mesh->vertices[to]), double3_of(links->mesh->vertices[from]));
}

static void judge_triangle(dry_mesh_links *links, uint32_t t)
{
    const dry_vec3 *v = links->mesh->vertices;
    const double thinness =
        dry_mesh_thinness(v[vertex_at(links, t, 0)], v[vertex_at(links, t, 1)], v[vertex_at(links, t, 2)]);
    links->state[t] = 0;
    if (!(thinness > DRY_MESH_FLAT_SHARE * DRY_MESH_FLAT_SHARE)) {
        links->state[t] = DRY_MESH_DEGENERATE_TRIANGLE;
        links->report->degenerate++;
    } else if (thinness < NEEDLE_SQUARE) {
        links->report->needles++;
    }
}

/* Edges. */

/* Tells whether a triangle's edge has no length. Two more edges of that triangle then cancel. */
static bool has_equal_corners(const uint32_t v[3])
{
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static void fill_sides(dry_mesh_links *links, uint32_t *begin, side *sides)
{
    const uint32_t triangles = (uint32_t)links->mesh->triangle_count;
    const size_t vertices = (size_t)links->mesh->vertex_count;
    memset(begin, 0, (vertices + 2) * sizeof *begin);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t t = 0; t < triangles; t++) {
            const uint32_t v[3] = {vertex_at(links, t, 0), vertex_at(links, t, 1), vertex_at(links, t, 2)};
            if (has_equal_corners(v))
                continue;
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t from = v[k], to = v[k < 2 ? k + 1 : 0];
                const uint32_t low = from < to ? from : to, high = from < to ? to : from;
                if (fill)
                    sides[begin[low + 1]++] =
                        (side){high, v[k > 0 ? k - 1 : 2], (3 * t + k) << 1 | (from > to)};
                else
                    begin[low + 2]++;
            }
        }
        for (size_t v = 0; !fill && v < vertices; v++)
            begin[v + 2] += begin[v + 1];
    }
}

static bool side_before(const void *context, const void *a, const void *b)
{
    (void)context;
    const side *p = a, *q = b;
    if (p->high != q->high)
        return p->high < q->high;
    return p->third != q->third ? p->third < q->third : p->half < q->half;
}

static void sort_sides(side *sides, uint32_t count)
{
    if (count > SHORT_LIST) {
        dry_heap heap = {sides, sizeof *sides, (int)count, 0, side_before, NULL};
        for (uint32_t i = 0; i < count; i++) {
            const side s = sides[i];
            dry_heap_keep(&heap, &s);
        }
        dry_heap_sort(&heap);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        const side s = sides[i];
        uint32_t j = i;
        for (; j > 0 && side_before(NULL, &s, &sides[j - 1]); j--)
            sides[j] = sides[j - 1];
        sides[j] = s;
    }
}

static uint32_t triangle_of(const side *s)
{
    return (s->half >> 1) / 3;
}

/* Marks each triangle of equal positions and winding but the first. All three edges find the same ones. */
static void mark_duplicates(dry_mesh_links *links, const side *sides, uint32_t count)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        bool is_seen[2] = {false, false};
        for (end = i; end < count && sides[end].third == sides[i].third; end++) {
            uint8_t *state = &links->state[triangle_of(&sides[end])];
            bool *seen = &is_seen[sides[end].half & 1];
            if (*state & DRY_MESH_DEGENERATE_TRIANGLE)
                continue;
            if (*seen && !*state) {
                *state = DRY_MESH_DUPLICATE_TRIANGLE;
                links->report->duplicate++;
            }
            *seen = true;
        }
    }
}

/* Returns how the triangle of s meets the one of o. */
static uint8_t code_between(const dry_mesh_links *links, uint32_t low, const side *s, const side *o)
{
    DRY_ASSERT(s->high == o->high && s->high > low);
    const bool backward = s->half & 1;
    const uint32_t from = backward ? s->high : low, to = backward ? low : s->high;
    return dry_mesh_edge_code(difference(links, to, from), difference(links, s->third, from),
                              difference(links, o->third, from));
}

static void set_codes(dry_mesh_links *links, uint32_t low, side *const *kept, uint32_t count)
{
    if (count == 2 && ((kept[0]->half ^ kept[1]->half) & 1)) {
        const uint8_t code = code_between(links, low, kept[0], kept[1]);
        links->code[kept[0]->half >> 1] = links->code[kept[1]->half >> 1] = code;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t code = DRY_MESH_CODE_OPEN;
        for (uint32_t j = 0; j < count; j++) {
            if (j == i)
                continue;
            const uint8_t next = code_between(links, low, kept[i], kept[j]);
            code = code == DRY_MESH_CODE_OPEN ? next : dry_mesh_edge_join(code, next);
        }
        links->code[kept[i]->half >> 1] = code;
    }
}

static void note_solid(dry_mesh_links *links, uint32_t low, const side *s, bool is_open)
{
    dry_mesh_report *report = links->report;
    const int triangle = (int)triangle_of(s);
    const dry_mesh_error error = is_open ? DRY_MESH_NOT_CLOSED : DRY_MESH_NOT_ORIENTED;
    if (report->error != DRY_MESH_BUILT)
        return;
    report->error = error;
    report->element = triangle;
    report->edge[0] = (int)low;
    report->edge[1] = (int)s->high;
}

/* Takes up the sides of one edge. */
static void judge_edge(dry_mesh_links *links, uint32_t low, side *sides, uint32_t count, bool is_solid)
{
    side *kept[CROWD_MAX];
    uint32_t kept_count = 0, sides_count = 0, backward = 0;
    mark_duplicates(links, sides, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t state = links->state[triangle_of(&sides[i])];
        if (state & DRY_MESH_DUPLICATE_TRIANGLE)
            continue;
        sides_count++;
        backward += sides[i].half & 1;
        if (state)
            continue;
        if (kept_count < CROWD_MAX)
            kept[kept_count] = &sides[i];
        kept_count++;
        links->code[sides[i].half >> 1] = DRY_MESH_CODE_OPEN; /* what a crowd above the limit keeps */
    }
    if (kept_count <= CROWD_MAX)
        set_codes(links, low, kept, kept_count);
    links->report->open_edges += sides_count == 1;
    links->report->crowded_edges += sides_count > 2;
    links->report->flipped_edges += sides_count == 2 && backward != 1;
    if (is_solid && 2 * backward != sides_count)
        note_solid(links, low, &sides[0], sides_count % 2 != 0);
}

static bool link_edges(dry_mesh_links *links, bool is_solid)
{
    const size_t vertices = (size_t)links->mesh->vertex_count,
                 triangles = (size_t)links->mesh->triangle_count;
    uint32_t *begin = take(links, vertices + 2, sizeof *begin);
    side *sides = take(links, 3 * triangles, sizeof *sides);
    if (!begin || !sides)
        return false;
    fill_sides(links, begin, sides);
    for (uint32_t low = 0; low < vertices; low++) {
        side *list = sides + begin[low];
        const uint32_t count = begin[low + 1] - begin[low];
        sort_sides(list, count);
        for (uint32_t i = 0, end; i < count; i = end) {
            for (end = i; end < count && list[end].high == list[i].high;)
                end++;
            judge_edge(links, low, list + i, end - i, is_solid);
        }
    }
    dry_memory_release(links->memory, sides, 3 * triangles * sizeof *sides);
    dry_memory_release(links->memory, begin, (vertices + 2) * sizeof *begin);
    return true;
}

bool dry_mesh_link(dry_mesh_links *links, bool is_solid)
{
    const size_t triangles = (size_t)links->mesh->triangle_count;
    links->state = take(links, triangles, 1);
    links->code = take(links, 3 * triangles, 1);
    if (!links->state || !links->code || !find_equal(links))
        return false;
    memset(links->code, DRY_MESH_CODE_OPEN, 3 * triangles);
    for (uint32_t t = 0; t < triangles; t++)
        judge_triangle(links, t);
    if (!link_edges(links, is_solid))
        return false;
    links->kept = (int)triangles - links->report->degenerate - links->report->duplicate;
    double volume = 0.0;
    for (int t = 0; is_solid && t < links->mesh->triangle_count; t++)
        if (!(links->state[t] & DRY_MESH_DUPLICATE_TRIANGLE))
            volume += dry_mesh_volume_under(links->mesh, t, links->mesh->vertices[links->mesh->triangles[0]]);
    if (is_solid && links->report->error == DRY_MESH_BUILT && !(volume > 0.0))
        links->report->error = DRY_MESH_FACES_INWARD;
    return true;
}
