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

/* A sample, at a corner of a triangle. */
typedef struct sample {
    int row, column;
    float height; /* m */
} sample;

static sample sample_at(const dry_height_field *field, const place *p, int corner)
{
    const int row = p->row + corner_rows[field->backward][p->half][corner];
    const int column = p->column + corner_columns[field->backward][p->half][corner];
    return (sample){row, column, dry_height_field_height(field, row, column)};
}

void dry_height_field_triangle(const dry_height_field *field, uint32_t triangle, dry_double3 corner[3])
{
    const place p = place_of(field, triangle);
    for (int i = 0; i < 3; i++) {
        const sample at = sample_at(field, &p, i);
        corner[i] = double3((double)at.column * (double)field->spacing[0], (double)at.height,
                            (double)at.row * (double)field->spacing[1]);
    }
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

/* Returns the way from one corner to another of cells near a place, m. */
static dry_double3 find_way(const dry_height_field *field, const sample *from, const sample *to)
{
    return double3((double)(to->column - from->column) * (double)field->spacing[0],
                   (double)to->height - (double)from->height,
                   (double)(to->row - from->row) * (double)field->spacing[1]);
}

void dry_height_field_edges(const dry_height_field *field, uint32_t triangle, dry_edge_angle edges[3])
{
    const place p = place_of(field, triangle);
    sample own[3];
    for (int i = 0; i < 3; i++)
        own[i] = sample_at(field, &p, i);
    for (int edge = 0; edge < 3; edge++) {
        int its_edge;
        place beyond;
        uint8_t code = DRY_MESH_CODE_OPEN;
        if (cross(field, &p, edge, &beyond, &its_edge)) {
            const sample third = sample_at(field, &beyond, (its_edge + 2) % 3);
            code = dry_mesh_edge_code(find_way(field, &own[edge], &own[(edge + 1) % 3]),
                                      find_way(field, &own[edge], &own[(edge + 2) % 3]),
                                      find_way(field, &own[edge], &third));
        }
        edges[edge] = (dry_edge_angle){(dry_mesh_edge)(code & 3), (code >> 2) + 1};
    }
}
