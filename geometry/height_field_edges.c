/* Triangles of a height field, and how they meet.
 *
 * Reads: a block. */
#include "geometry/height_field.h"
#include "geometry/mesh_edges.h"

/* For each diagonal, half and corner: the row and the column from the cell's first sample. */
static const uint8_t corner_rows[2][2][3] = {{{0, 1, 1}, {0, 1, 0}}, {{0, 1, 0}, {0, 1, 1}}};
static const uint8_t corner_columns[2][2][3] = {{{0, 0, 1}, {0, 1, 1}}, {{0, 0, 1}, {1, 0, 1}}};

/* A step from a triangle across an edge: to which cell, half and edge there. */
typedef struct crossing {
    int8_t row, column, half, edge;
} crossing;

static const crossing crossings[2][2][3] = {
    {{{0, -1, 1, 1}, {1, 0, 1, 2}, {0, 0, 1, 0}}, {{0, 0, 0, 2}, {0, 1, 0, 0}, {-1, 0, 0, 1}}},
    {{{0, -1, 1, 2}, {0, 0, 1, 0}, {-1, 0, 1, 1}}, {{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 1, 0, 0}}},
};

/* A triangle's place. */
typedef struct place {
    int row, column, half;
} place;

static place place_of(const dry_height_field *field, uint32_t triangle)
{
    const uint32_t cell = triangle / 2, columns = (uint32_t)field->columns - 1;
    return (place){(int)(cell / columns), (int)(cell % columns), (int)(triangle % 2)};
}

void dry_height_field_triangle(const dry_height_field *field, uint32_t triangle, double corner[3][3])
{
    const place p = place_of(field, triangle);
    for (int i = 0; i < 3; i++) {
        const int row = p.row + corner_rows[field->backward][p.half][i];
        const int column = p.column + corner_columns[field->backward][p.half][i];
        corner[i][0] = (double)column * (double)field->spacing[0];
        corner[i][1] = (double)dry_height_field_height(field, row, column);
        corner[i][2] = (double)row * (double)field->spacing[1];
    }
}

/* Of the edge from p to q the field lies on the left, seen from above. Below p and q are p' and q', and the
 * wall's halves are p' q' q and p' q p. */
void dry_height_field_face(const dry_height_field *field, uint32_t face, double corner[3][3])
{
    static const int under[3] = {0, 2, 1};
    const uint32_t which = face >> DRY_HEIGHT_FACE_SHIFT;
    double top[3][3];
    dry_height_field_triangle(field, face & DRY_HEIGHT_TRIANGLE_MASK, top);
    for (int i = 0; i < 3; i++) {
        int from = i;
        bool is_low = which == DRY_HEIGHT_FACE_UNDER;
        if (which == DRY_HEIGHT_FACE_UNDER)
            from = under[i];
        if (which >= DRY_HEIGHT_FACE_WALL) {
            const int p = (int)(which - DRY_HEIGHT_FACE_WALL) / 2, q = (p + 1) % 3;
            const bool is_second = which % 2;
            is_low = i == 0 || (i == 1 && !is_second);
            from = i == 0 || (i == 2 && is_second) ? p : q;
        }
        for (int k = 0; k < 3; k++)
            corner[i][k] = top[from][k];
        if (is_low)
            corner[i][1] -= (double)field->solid_depth;
    }
}

int32_t dry_height_field_neighbor(const dry_height_field *field, uint32_t triangle, int edge, int *its_edge)
{
    const place p = place_of(field, triangle);
    const crossing *c = &crossings[field->backward][p.half][edge];
    const int row = p.row + c->row, column = p.column + c->column;
    if (row < 0 || column < 0 || row >= field->rows - 1 || column >= field->columns - 1)
        return -1;
    const size_t cell = dry_height_field_cell(field, row, column);
    if (dry_height_field_is_hole(field, cell))
        return -1;
    *its_edge = c->edge;
    return (int32_t)(2 * cell) + c->half;
}

dry_mesh_edge dry_height_field_edge(const dry_height_field *field, uint32_t triangle, int edge, int *steps)
{
    int its_edge = 0;
    const int32_t neighbor = dry_height_field_neighbor(field, triangle, edge, &its_edge);
    uint8_t code = DRY_MESH_CODE_OPEN;
    if (neighbor >= 0) {
        double own[3][3], other[3][3], e[3], a[3], b[3];
        dry_height_field_triangle(field, triangle, own);
        dry_height_field_triangle(field, (uint32_t)neighbor, other);
        for (int k = 0; k < 3; k++) {
            const double from = own[edge][k];
            e[k] = own[(edge + 1) % 3][k] - from;
            a[k] = own[(edge + 2) % 3][k] - from;
            b[k] = other[(its_edge + 2) % 3][k] - from;
        }
        code = dry_mesh_edge_code(e, a, b);
    }
    *steps = (code >> 2) + 1;
    return (dry_mesh_edge)(code & 3);
}
