/* How far a surface reaches in a direction, a height field with its solid: down the tree of a mesh, or the
 * levels of tiles of a field, the farthest boxes first.
 *
 * Reads: a geometry. Next: shapes/surface.c, which makes bounds of it. */
#include "geometry/height_field.h"
#include "geometry/mesh_node.h"
#include "geometry/shape_data.h"
#include "geometry/triangles.h"

#include <float.h>

/* A node or a leaf of a mesh, or a tile of a field. */
typedef struct part {
    uint32_t child;
    int level, row, column;
    double bound; /* of the product with its points, m */
} part;

enum { PARTS = 4 }; /* below each */
_Static_assert((int)DRY_MESH_WIDTH == (int)PARTS, "a node has as many parts as a tile");

typedef struct extent {
    dry_double3 low, high;
} extent;

/* Returns the product with the farthest corner of a box, m. */
static double reach_of_box(extent box, dry_double3 d)
{
    return double3_dot(d, double3(d.x > 0.0 ? box.high.x : box.low.x, d.y > 0.0 ? box.high.y : box.low.y,
                                  d.z > 0.0 ? box.high.z : box.low.z));
}

static int list_children(const dry_mesh_tree *tree, part of, dry_double3 direction, part below[PARTS])
{
    const dry_mesh_node *node = &dry_mesh_tree_nodes(tree)[of.child];
    int count = 0;
    for (; count < PARTS && node->child[count]; count++) {
        const dry_box b = dry_mesh_node_box(node, count);
        const extent box = {{(double)b.min[0], (double)b.min[1], (double)b.min[2]},
                            {(double)b.max[0], (double)b.max[1], (double)b.max[2]}};
        below[count] = (part){.child = node->child[count], .bound = reach_of_box(box, direction)};
    }
    return count;
}

static double reach_of_leaf(const dry_mesh_tree *tree, uint32_t leaf, dry_double3 direction)
{
    double most = -DBL_MAX;
    for (uint32_t slot = dry_mesh_leaf_first(leaf); slot < dry_mesh_leaf_end(leaf); slot++) {
        dry_double3 corner[3];
        dry_mesh_tree_corner_points(tree, slot, corner);
        for (int i = 0; i < 3; i++)
            most = fmax(most, double3_dot(direction, corner[i]));
    }
    return most;
}

/* Returns the box of the samples [row, end_row] x [column, end_column] and the solid below. */
static extent box_over(const dry_height_field *field, int row, int end_row, int column, int end_column,
                       dry_height_range range)
{
    const double x = (double)field->spacing[0], z = (double)field->spacing[1];
    return (extent){{x * column, (double)range.min - (double)field->solid_depth, z * row},
                    {x * end_column, (double)range.max, z * end_row}};
}

static int list_tiles(const dry_height_field *field, part of, dry_double3 direction, part below[PARTS])
{
    const int level = of.level - 1, cells = DRY_HEIGHT_FIELD_TILE << level;
    int count = 0;
    for (int i = 0; i < PARTS; i++) {
        const int row = 2 * of.row + i / 2, column = 2 * of.column + i % 2;
        if (row >= dry_height_field_tiles(field->rows, level) ||
            column >= dry_height_field_tiles(field->columns, level))
            continue;
        const dry_height_range range = *dry_height_field_tile(field, level, row, column);
        const extent box =
            box_over(field, row * cells, dry_min_int((row + 1) * cells, field->rows - 1), column * cells,
                     dry_min_int((column + 1) * cells, field->columns - 1), range);
        const double bound = range.min <= range.max ? reach_of_box(box, direction) : -DBL_MAX;
        below[count++] = (part){0, level, row, column, bound};
    }
    return count;
}

static double reach_of_tile(const dry_height_field *field, part tile, dry_double3 direction)
{
    const int row = tile.row * DRY_HEIGHT_FIELD_TILE, column = tile.column * DRY_HEIGHT_FIELD_TILE;
    const int end_row = dry_min_int(row + DRY_HEIGHT_FIELD_TILE, field->rows - 1);
    const int end_column = dry_min_int(column + DRY_HEIGHT_FIELD_TILE, field->columns - 1);
    double most = -DBL_MAX;
    for (int r = row; r < end_row; r++)
        for (int c = column; c < end_column; c++)
            for (int i = 0; i < 4 && !dry_height_field_is_hole(field, dry_height_field_cell(field, r, c));
                 i++) {
                const int at[2] = {r + i / 2, c + i % 2};
                const float height = dry_height_field_height(field, at[0], at[1]);
                const dry_height_range range = {height, height};
                most =
                    fmax(most, reach_of_box(box_over(field, at[0], at[0], at[1], at[1], range), direction));
            }
    return most;
}

double dry_triangles_reach(const dry_geometry *surface, dry_double3 direction, double slack)
{
    const bool is_field = surface->type == DRY_SHAPE_HEIGHT_FIELD;
    const void *form = surface->data->form;
    part stack[DRY_MESH_STACK], below[PARTS];
    double most = -DBL_MAX, passed = -DBL_MAX;
    int top = 0;
    stack[top++] =
        (part){.level = is_field ? (int)((const dry_height_field *)form)->levels - 1 : 0, .bound = DBL_MAX};
    while (top > 0) {
        const part next = stack[--top];
        if (next.bound <= most + slack) {
            passed = fmax(passed, next.bound);
        } else if (is_field ? next.level == 0 : (next.child & DRY_MESH_LEAF) != 0) {
            most = fmax(most, is_field ? reach_of_tile(form, next, direction)
                                       : reach_of_leaf(form, next.child, direction));
        } else {
            const int count = is_field ? list_tiles(form, next, direction, below)
                                       : list_children(form, next, direction, below);
            for (int i = 0, bottom = top; i < count; i++, top++) { /* the farthest on top */
                int j = top;
                for (; j > bottom && stack[j - 1].bound > below[i].bound; j--)
                    stack[j] = stack[j - 1];
                stack[j] = below[i];
            }
        }
    }
    return fmax(passed, most);
}
