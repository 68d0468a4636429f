/* Finds whether a mesh bounds a solid, and else its first fault: vertices, then areas, then edges, then the
 * parts of the surface that edges hold together. */
#include "geometry/mesh.h"

#include "core/disjoint_sets.h"
#include "core/double3.h"
#include "core/heap.h"
#include "geometry/geometry.h"

static dry_mesh_fault fault_at(dry_mesh_fault_kind kind, int triangle)
{
    return (dry_mesh_fault){kind, triangle, {-1, -1}};
}

static dry_vec3 vertex_of(const dry_mesh *mesh, int triangle, int corner)
{
    return mesh->vertices[mesh->triangles[3 * triangle + corner]];
}

static bool has_vertices(const dry_mesh *mesh, int triangle)
{
    for (int i = 0; i < 3; i++) {
        const int32_t v = mesh->triangles[3 * triangle + i];
        if (v < 0 || v >= mesh->vertex_count)
            return false;
        const dry_vec3 at = mesh->vertices[v];
        if (!dry_is_within_extent(at))
            return false;
    }
    return true;
}

double dry_mesh_thinness(dry_vec3 a, dry_vec3 b, dry_vec3 c)
{
    const dry_vec3 v[4] = {a, b, c, a};
    dry_double3 side[3];
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        side[i] = double3_sub(double3_of(v[i + 1]), double3_of(v[i]));
        longest = double_max(longest, double3_dot(side[i], side[i]));
    }
    const dry_double3 n = double3_cross(side[0], side[1]);
    return longest > 0.0 ? double3_dot(n, n) / (longest * longest) : 0.0;
}

static bool has_area(const dry_mesh *mesh, int triangle)
{
    return dry_mesh_thinness(vertex_of(mesh, triangle, 0), vertex_of(mesh, triangle, 1),
                             vertex_of(mesh, triangle, 2)) > DRY_MESH_FLAT_SHARE * DRY_MESH_FLAT_SHARE;
}

/* Orders sides by their edge. */
static bool comes_before(const void *context, const void *a, const void *b)
{
    (void)context;
    const dry_mesh_side *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low;
    if (p->high != q->high)
        return p->high < q->high;
    if (p->triangle != q->triangle)
        return p->triangle < q->triangle;
    return p->backward < q->backward;
}

static void sort_sides(const dry_mesh *mesh, dry_mesh_side *side)
{
    dry_heap heap = {side, sizeof *side, 3 * mesh->triangle_count, 0, comes_before, NULL};
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            const int32_t from = mesh->triangles[3 * t + i], to = mesh->triangles[3 * t + (i + 1) % 3];
            const dry_mesh_side s = {dry_min_int(from, to), dry_max_int(from, to), t, from > to};
            dry_heap_keep(&heap, &s);
        }
    dry_heap_sort(&heap);
}

/* Each edge must be passed as often forward as backward. Joins the triangles at it into parts of the surface:
 * `part` holds disjoint sets of triangles. */
static dry_mesh_fault check_edges(const dry_mesh *mesh, const dry_mesh_side *side, int32_t *part)
{
    dry_sets_begin(part, mesh->triangle_count);
    for (int begin = 0, end; begin < 3 * mesh->triangle_count; begin = end) {
        const dry_mesh_side *first = &side[begin];
        int backward = 0;
        for (end = begin;
             end < 3 * mesh->triangle_count && side[end].low == first->low && side[end].high == first->high;
             end++) {
            backward += side[end].backward;
            dry_sets_unite(part, first->triangle, side[end].triangle);
        }
        if (2 * backward == end - begin)
            continue;
        const bool open = (end - begin) % 2 != 0;
        return (dry_mesh_fault){open ? DRY_MESH_OPEN : DRY_MESH_FLIPPED,
                                open ? first->triangle : side[end - 1].triangle,
                                {first->low, first->high}};
    }
    return fault_at(DRY_MESH_SOUND, -1);
}

/* Tells on which side of the line from a to b a point lies, seen along z. */
static double turn(dry_vec3 a, dry_vec3 b, dry_vec3 p)
{
    return ((double)b.x - (double)a.x) * ((double)p.y - (double)a.y) -
           ((double)b.y - (double)a.y) * ((double)p.x - (double)a.x);
}

/* Returns how often a triangle is crossed upward by the ray from p along z: 1 out of the solid, -1 into it,
 * or 0. An edge in the ray's way belongs to one of the triangles at it: it is crossed from its lower end,
 * which counts, to its upper end, which does not. */
static int crossing(const dry_mesh *mesh, int triangle, dry_vec3 p)
{
    const dry_vec3 c[3] = {vertex_of(mesh, triangle, 0), vertex_of(mesh, triangle, 1),
                           vertex_of(mesh, triangle, 2)};
    int wound = 0;
    for (int i = 0; i < 3; i++) {
        const dry_vec3 a = c[i], b = c[(i + 1) % 3];
        if ((a.y <= p.y) == (b.y <= p.y))
            continue;
        const bool up = a.y <= p.y;
        const double left = up ? turn(a, b, p) : turn(b, a, p);
        if (left > 0.0)
            wound += up ? 1 : -1;
    }
    if (wound == 0)
        return 0;
    const bool faces_away = dry_mesh_volume_under(mesh, triangle, p) > 0.0;
    return faces_away == (wound > 0) ? wound : 0;
}

/* Returns how many surfaces of other parts are around a vertex, those of cavities less. */
static int depth_of(const dry_mesh *mesh, int32_t *part, int32_t of, dry_vec3 p)
{
    int depth = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (dry_sets_root(part, t) != of)
            depth += crossing(mesh, t, p);
    return depth;
}

/* Returns the volume of one part, and that of its box. */
static double part_volume(const dry_mesh *mesh, int32_t *part, int32_t of, double *box)
{
    const dry_vec3 from = vertex_of(mesh, of, 0);
    dry_vec3 low = from, high = from;
    double volume = 0.0;
    for (int t = of; t < mesh->triangle_count; t++) {
        if (dry_sets_root(part, t) != of)
            continue;
        volume += dry_mesh_volume_under(mesh, t, from);
        for (int i = 0; i < 3; i++) {
            const dry_vec3 v = vertex_of(mesh, t, i);
            low = vec3(dry_min(low.x, v.x), dry_min(low.y, v.y), dry_min(low.z, v.z));
            high = vec3(dry_max(high.x, v.x), dry_max(high.y, v.y), dry_max(high.z, v.z));
        }
    }
    *box = ((double)high.x - (double)low.x) * ((double)high.y - (double)low.y) *
           ((double)high.z - (double)low.z);
    return volume;
}

/* A part faces outward where no solid is around it, or is a cavity within one. */
static dry_mesh_fault check_parts(const dry_mesh *mesh, int32_t *part)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (dry_sets_root(part, t) != t)
            continue;
        double box;
        const double volume = part_volume(mesh, part, t, &box);
        if (!(fabs(volume) > DRY_MESH_FLAT_SHARE * box))
            return fault_at(DRY_MESH_FLAT, t);
        const int depth = depth_of(mesh, part, t, vertex_of(mesh, t, 0));
        if (volume < 0.0 && depth != 1)
            return fault_at(DRY_MESH_INSIDE_OUT, t);
        if (volume > 0.0 && depth != 0)
            return fault_at(DRY_MESH_NESTED, t);
    }
    return fault_at(DRY_MESH_SOUND, -1);
}

dry_mesh_fault dry_mesh_find_fault(const dry_mesh *mesh, dry_mesh_side *side, int32_t *part)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!has_vertices(mesh, t))
            return fault_at(DRY_MESH_BAD_VERTEX, t);
        if (!has_area(mesh, t))
            return fault_at(DRY_MESH_DEGENERATE, t);
    }
    sort_sides(mesh, side);
    const dry_mesh_fault fault = check_edges(mesh, side, part);
    return fault.kind == DRY_MESH_SOUND ? check_parts(mesh, part) : fault;
}
