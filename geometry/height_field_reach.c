/* How far a height field with its solid reaches in a direction: down the levels of tiles, the farthest first.
 *
 * Reads: a block. Next: shapes/surface.c, which makes bounds of it. */
#include "geometry/height_field.h"

#include <float.h>

typedef struct far_tile {
    int level, row, column;
    double bound; /* of the product, m */
} far_tile;

/* Returns the product with the farthest corner of a box over cells, m. */
static double reach_of_cells(const dry_height_field *field, const double direction[3], const int cell[4],
                             dry_height_range range)
{
    const double x = (double)field->spacing[0] * (double)cell[direction[0] > 0.0 ? 3 : 2];
    const double z = (double)field->spacing[1] * (double)cell[direction[2] > 0.0 ? 1 : 0];
    const double y = direction[1] > 0.0 ? (double)range.max : (double)range.min - (double)field->solid_depth;
    return direction[0] * x + direction[1] * y + direction[2] * z;
}

static double reach_of_tile(const dry_height_field *field, const double direction[3], int level, int row,
                            int column)
{
    const int cells = DRY_HEIGHT_FIELD_TILE << level;
    const int cell[4] = {row * cells, dry_min_int((row + 1) * cells, field->rows - 1), column * cells,
                         dry_min_int((column + 1) * cells, field->columns - 1)};
    const dry_height_range range = *dry_height_field_tile(field, level, row, column);
    return range.min <= range.max ? reach_of_cells(field, direction, cell, range) : -DBL_MAX;
}

/* Returns the product with the farthest sample of the cells of a lowest tile, m. */
static double reach_of_samples(const dry_height_field *field, const double direction[3], int row, int column)
{
    const int first_row = row * DRY_HEIGHT_FIELD_TILE, first_column = column * DRY_HEIGHT_FIELD_TILE;
    const int end_row = dry_min_int(first_row + DRY_HEIGHT_FIELD_TILE, field->rows - 1);
    const int end_column = dry_min_int(first_column + DRY_HEIGHT_FIELD_TILE, field->columns - 1);
    double most = -DBL_MAX;
    for (int r = first_row; r < end_row; r++)
        for (int c = first_column; c < end_column; c++)
            for (int i = 0; i < 4 && !dry_height_field_is_hole(field, dry_height_field_cell(field, r, c));
                 i++) {
                const int at[4] = {r + i / 2, r + i / 2, c + i % 2, c + i % 2};
                const float height = dry_height_field_height(field, at[0], at[2]);
                const double reach = reach_of_cells(field, direction, at, (dry_height_range){height, height});
                most = reach > most ? reach : most;
            }
    return most;
}

/* Puts the tiles below a tile on the stack, the farthest on top. Returns their number. */
static int push_far(const dry_height_field *field, const double direction[3], far_tile of, far_tile *stack)
{
    const int level = of.level - 1, rows = dry_height_field_tiles(field->rows, level);
    const int columns = dry_height_field_tiles(field->columns, level);
    int count = 0;
    for (int i = 0; i < 4; i++) {
        const int row = 2 * of.row + i / 2, column = 2 * of.column + i % 2;
        if (row >= rows || column >= columns)
            continue;
        const double bound = reach_of_tile(field, direction, level, row, column);
        int j = count++;
        for (; j > 0 && stack[j - 1].bound > bound; j--)
            stack[j] = stack[j - 1];
        stack[j] = (far_tile){level, row, column, bound};
    }
    return count;
}

double dry_height_field_reach(const dry_height_field *field, const double direction[3], double slack)
{
    far_tile stack[3 * DRY_HEIGHT_FIELD_LEVELS_MAX + 4];
    double most = -DBL_MAX, passed = -DBL_MAX;
    int top = 0;
    stack[top++] = (far_tile){(int)field->levels - 1, 0, 0, DBL_MAX};
    while (top > 0) {
        const far_tile next = stack[--top];
        if (next.bound <= most + slack) {
            passed = next.bound > passed ? next.bound : passed;
        } else if (next.level == 0) {
            const double reach = reach_of_samples(field, direction, next.row, next.column);
            most = reach > most ? reach : most;
        } else {
            top += push_far(field, direction, next, stack + top);
        }
    }
    return passed > most ? passed : most;
}
