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

/* Returns a corner of a triangle as seen from the first sample of a cell, m. */
static inline dry_double3 corner_from(const dry_height_field *field, const place *p, int corner,
                                      const place *from)
{
    const int row = p->row + corner_rows[field->backward][p->half][corner];
    const int column = p->column + corner_columns[field->backward][p->half][corner];
    return double3((double)(column - from->column) * (double)field->spacing[0],
                   (double)dry_height_field_height(field, row, column),
                   (double)(row - from->row) * (double)field->spacing[1]);
}

void dry_height_field_triangle(const dry_height_field *field, uint32_t triangle, dry_double3 corner[3])
{
    const place p = place_of(field, triangle), origin = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        corner[i] = corner_from(field, &p, i, &origin);
}

/* Goes from a triangle across an edge. Returns false on the border and beside a hole. */
static bool cross(const dry_height_field *field, const place *from, int edge, place *to, int *its_edge)
{
    const crossing *c = &crossings[field->backward][from->half][edge];
    *to = (place){from->row + c->row, from->column + c->column, c->half};
    *its_edge = c->edge;
    return to->row >= 0 && to->column >= 0 && to->row < field->rows - 1 && to->column < field->columns - 1 &&
           !dry_height_field_is_hole(field, dry_height_field_cell(field, to->row, to->column));
}

/* The field lies on the left of the edge from p to q, seen from above. Below p and q are p' and q', and the
 * wall's halves are p' q' q and p' q p. */
void dry_height_field_face(const dry_height_field *field, uint32_t face, dry_double3 corner[3])
{
    static const int under[3] = {0, 2, 1};
    const uint32_t which = face >> DRY_HEIGHT_FACE_SHIFT;
    dry_double3 top[3];
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
        corner[i] = top[from];
        if (is_low)
            corner[i].y -= (double)field->solid_depth;
    }
}

int dry_height_field_faces(const dry_height_field *field, uint32_t triangle,
                           uint32_t faces[DRY_HEIGHT_FACES_MAX])
{
    int count = 0;
    faces[count++] = triangle;
    if (!(field->solid_depth > 0.0f))
        return count;
    faces[count++] = triangle | (uint32_t)DRY_HEIGHT_FACE_UNDER << DRY_HEIGHT_FACE_SHIFT;
    const place p = place_of(field, triangle);
    for (int edge = 0; edge < 3; edge++) {
        place beyond;
        int its_edge;
        if (cross(field, &p, edge, &beyond, &its_edge))
            continue;
        for (int half = 0; half < 2; half++) {
            const uint32_t wall = (uint32_t)(DRY_HEIGHT_FACE_WALL + 2 * edge + half);
            faces[count++] = triangle | wall << DRY_HEIGHT_FACE_SHIFT;
        }
    }
    return count;
}

/* Small multiples of the spacing and their differences are exact. */
void dry_height_field_edges(const dry_height_field *field, uint32_t triangle, dry_edge_angle edges[3])
{
    const place p = place_of(field, triangle);
    dry_double3 own[3];
    for (int i = 0; i < 3; i++)
        own[i] = corner_from(field, &p, i, &p);
    for (int edge = 0; edge < 3; edge++) {
        int its_edge;
        place beyond;
        uint8_t code = DRY_MESH_CODE_OPEN;
        if (cross(field, &p, edge, &beyond, &its_edge)) {
            const dry_double3 third = corner_from(field, &beyond, (its_edge + 2) % 3, &p);
            code = dry_mesh_edge_code(double3_sub(own[(edge + 1) % 3], own[edge]),
                                      double3_sub(own[(edge + 2) % 3], own[edge]),
                                      double3_sub(third, own[edge]));
        }
        edges[edge] = (dry_edge_angle){(dry_mesh_edge)(code & 3), (code >> 2) + 1};
    }
}
