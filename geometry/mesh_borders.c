/* An open edge may lie along edges of other lengths. It is divided into cells. Each triangle with an edge
 * along it covers some of these cells, and says how the surface goes on there. The edge is inactive if all
 * cells are covered by flat or concave ones. An edge within the inside of another triangle stays open:
 * dry_triangles_admit tells the rest.
 *
 * Reads: a block. Writes: the codes of its open edges, its corners' bits. */
#include "geometry/mesh_edges.h"
#include "geometry/mesh_node.h"

enum { CELLS = 256, WORDS = CELLS / 64, PIECES = 4 };

/* Surfaces that continue each other are this far apart at most, m; also at most these shares of the edges. */
#define STEP 1e-3
#define STEP_SHARE (1.0 / 32.0)
#define OTHER_SHARE (1.0 / 8.0)
#define MANY 8.0        /* triangles beside each other, as a long edge has */
#define LEAST_STEPS 4.0 /* the least length that two edges have in common */

typedef struct border {
    const dry_mesh_tree *tree;
    uint32_t slot;
    dry_double3 from, along, third; /* the edge, and the triangle's third corner from its beginning */
    dry_double3 across;             /* unit, in the triangle's plane */
    double length;
    uint64_t covered[WORDS], inactive[WORDS], concave[WORDS];
    uint8_t code; /* of all active pieces */
    bool is_met;
} border;

static dry_box box_around(dry_vec3 low, dry_vec3 high)
{
    const float l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    dry_box box;
    for (int k = 0; k < 3; k++) {
        const float room = (float)STEP + FLT_EPSILON * dry_max(dry_abs(l[k]), dry_abs(h[k]));
        box.min[k] = l[k] - room;
        box.max[k] = h[k] + room;
    }
    return box;
}

/* Returns the bits of cells from `begin` to `end` that a word holds. */
static uint64_t cells_of(int word, int begin, int end)
{
    const int low = dry_max_int(begin - 64 * word, 0), high = dry_min_int(end - 64 * word, 64);
    if (low >= high)
        return 0;
    return (high == 64 ? UINT64_MAX : (1ull << high) - 1) & ~((1ull << low) - 1);
}

/* Marks the cells whose middle lies between two shares of the edge. */
static void cover(border *b, double begin, double end, uint8_t code)
{
    const int kind = code & 3;
    const int first = (int)(dry_clamp_double(begin, 0.0, 1.0) * (double)CELLS + 0.5);
    const int last = (int)(dry_clamp_double(end, 0.0, 1.0) * (double)CELLS + 0.5);
    for (int i = 0; i < WORDS; i++) {
        const uint64_t bits = cells_of(i, first, last);
        if (kind == DRY_MESH_EDGE_CONCAVE)
            b->concave[i] |= bits & ~b->covered[i];
        else
            b->concave[i] &= ~bits;
        if (kind != DRY_MESH_EDGE_CONVEX)
            b->inactive[i] |= bits;
        b->covered[i] |= bits;
    }
    b->code = !b->is_met || code > b->code ? code : b->code;
    b->is_met = true;
}

/* Takes up an edge from p to q, both from the beginning of the border, of a triangle with the third corner r.
 */
static void meet(border *b, dry_double3 p, dry_double3 q, dry_double3 r)
{
    double step = STEP;
    const dry_double3 e = double3_sub(q, p);
    const double square = b->length * b->length, length = double3_length(e);
    step = b->length * STEP_SHARE < step ? b->length * STEP_SHARE : step;
    step = length * OTHER_SHARE < step ? length * OTHER_SHARE : step;
    const double s = double3_dot(p, b->along) / square, t = double3_dot(q, b->along) / square;
    double begin = s < t ? s : t, end = s < t ? t : s;
    begin = begin > 0.0 ? begin : 0.0;
    end = end < 1.0 ? end : 1.0;
    if (!((end - begin) * b->length > LEAST_STEPS * step))
        return;
    for (int i = 0; i < 2; i++) {
        const double at = i ? end : begin, share = (at - s) / (t - s);
        const dry_double3 apart = double3_add_scaled(double3_add_scaled(p, share, e), -at, b->along);
        if (!(double3_dot(apart, apart) <= step * step))
            return;
    }
    const double slack = step / b->length;
    cover(b, begin - slack, end + slack, dry_mesh_edge_code(b->along, b->third, double3_sub(r, p)));
}

static bool visit(void *context, uint32_t slot)
{
    border *b = context;
    if (slot == b->slot)
        return true;
    dry_double3 at[3];
    double side[3];
    for (int i = 0; i < 3; i++) {
        at[i] = double3_sub(double3_of(dry_mesh_tree_vertex(b->tree, slot, i)), b->from);
        side[i] = double3_dot(b->across, at[i]);
    }
    if ((side[0] > STEP && side[1] > STEP && side[2] > STEP) ||
        (side[0] < -STEP && side[1] < -STEP && side[2] < -STEP))
        return true;
    for (int i = 0; i < 3; i++)
        meet(b, at[i], at[(i + 1) % 3], at[(i + 2) % 3]);
    return true;
}

/* Returns the code of an edge from all that met it. */
static uint8_t code_of(const border *b)
{
    bool all_covered = true, all_inactive = true, all_concave = true;
    for (int i = 0; i < WORDS; i++) {
        all_covered = all_covered && b->covered[i] == UINT64_MAX;
        all_inactive = all_inactive && b->inactive[i] == UINT64_MAX;
        all_concave = all_concave && b->concave[i] == UINT64_MAX;
    }
    if (!all_covered)
        return DRY_MESH_CODE_OPEN;
    if (all_inactive)
        return all_concave ? b->code : DRY_MESH_EDGE_FLAT;
    return (b->code & 3) == DRY_MESH_EDGE_CONVEX ? b->code : DRY_MESH_CODE_OPEN;
}

/* Judges an open edge. Edges longer than `spread`, m, meet many triangles. */
static uint8_t judge(const dry_mesh_tree *tree, uint32_t slot, int edge, double spread)
{
    border b = {.tree = tree, .slot = slot};
    const dry_vec3 from = dry_mesh_tree_vertex(tree, slot, edge);
    const dry_vec3 to = dry_mesh_tree_vertex(tree, slot, (edge + 1) % 3);
    b.from = double3_of(from);
    b.along = double3_sub(double3_of(to), b.from);
    b.third = double3_sub(double3_of(dry_mesh_tree_vertex(tree, slot, (edge + 2) % 3)), b.from);
    b.length = double3_length(b.along);
    const double share = double3_dot(b.third, b.along) / (b.length * b.length);
    const dry_double3 across = double3_add_scaled(b.third, -share, b.along);
    const double width = double3_length(across);
    b.across = double3(across.x / width, across.y / width, across.z / width);
    /* One box around an oblique edge would hold much of the mesh. Meeting a triangle twice changes nothing.
     */
    dry_vec3 begin = from;
    const int pieces = b.length > spread ? PIECES : 1;
    for (int i = 1; i <= pieces; i++) {
        const float part = (float)i / (float)pieces;
        const dry_vec3 end = i < pieces ? vec3_add_scaled(from, part, vec3_sub(to, from)) : to;
        const dry_box box = box_around(vec3_min(begin, end), vec3_max(begin, end));
        dry_mesh_tree_visit_box(tree, &box, visit, &b);
        begin = end;
    }
    return code_of(&b);
}

/* Corners. */

enum { ACTIVE = 1, LOOSE = 2 }; /* an active edge ends there; an edge that no equal edge matched does */

static bool edge_is_active(const dry_mesh_tree *tree, uint32_t slot, int edge)
{
    return dry_mesh_tree_edge_is_active(tree, slot, edge, false) ||
           (tree->flags & DRY_MESH_TWO_SIDED && dry_mesh_tree_edge_is_active(tree, slot, edge, true));
}

static uint32_t vertex_of(const dry_mesh_tree *tree, uint32_t slot, int corner)
{
    return dry_mesh_tree_corners(tree)[3 * (size_t)slot + (size_t)corner] & DRY_MESH_VERTEX_MASK;
}

static void mark_ends(const dry_mesh_tree *tree, uint32_t slot, int edge, uint8_t *marks, uint8_t mark)
{
    marks[vertex_of(tree, slot, edge)] |= mark;
    marks[vertex_of(tree, slot, (edge + 1) % 3)] |= mark;
}

typedef struct lookout {
    const dry_mesh_tree *tree;
    dry_vec3 at;
} lookout;

/* Tells whether no active edge of a triangle passes a position. */
static bool passes_by(void *context, uint32_t slot)
{
    const lookout *from_here = context;
    const dry_mesh_tree *tree = from_here->tree;
    for (int i = 0; i < 3; i++) {
        if (!edge_is_active(tree, slot, i))
            continue;
        const dry_double3 from = double3_of(dry_mesh_tree_vertex(tree, slot, i));
        const dry_double3 e = double3_sub(double3_of(dry_mesh_tree_vertex(tree, slot, (i + 1) % 3)), from),
                          way = double3_sub(double3_of(from_here->at), from);
        const double share = dry_clamp_double(double3_dot(way, e) / double3_dot(e, e), 0.0, 1.0);
        const dry_double3 apart = double3_add_scaled(way, -share, e);
        if (double3_dot(apart, apart) <= STEP * STEP)
            return false;
    }
    return true;
}

/* A vertex that is not joined to all triangles around it takes part in the edges that pass it. */
static void mark_corners(dry_mesh_tree *tree, uint8_t *marks)
{
    uint32_t *tags = (void *)((char *)tree + tree->tags);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int i = 0; i < 3; i++)
            if (edge_is_active(tree, slot, i))
                mark_ends(tree, slot, i, marks, ACTIVE);
    for (uint32_t v = 0; v < tree->vertex_count; v++) {
        if (marks[v] != LOOSE)
            continue;
        lookout vertex = {tree, dry_mesh_tree_vertices(tree)[v]};
        const dry_box box = box_around(vertex.at, vertex.at);
        if (!dry_mesh_tree_visit_box(tree, &box, passes_by, &vertex))
            marks[v] |= ACTIVE;
    }
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int i = 0; i < 3; i++)
            if (marks[vertex_of(tree, slot, i)] & ACTIVE)
                tags[slot] |= 1u << (DRY_MESH_ACTIVE_SHIFT + i);
}

void dry_mesh_judge_borders(dry_mesh_tree *tree, uint8_t *marks)
{
    uint32_t *corners = (void *)((char *)tree + tree->corners);
    memset(marks, 0, tree->vertex_count);
    double extents = 0.0;
    for (int k = 0; k < 3; k++)
        extents += (double)tree->bounds.max[k] - (double)tree->bounds.min[k];
    const double spread = MANY * extents / sqrt((double)tree->slot_count);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        for (int i = 0; i < 3; i++) {
            if (dry_mesh_tree_edge(tree, slot, i) != DRY_MESH_EDGE_OPEN)
                continue;
            uint32_t *word = &corners[3 * (size_t)slot + (size_t)i];
            const uint32_t code = judge(tree, slot, i, spread);
            *word = (*word & DRY_MESH_VERTEX_MASK) | code << DRY_MESH_KIND_SHIFT;
            mark_ends(tree, slot, i, marks, LOOSE);
        }
    mark_corners(tree, marks);
}
