/* Faces of a height field in a box, and heights.
 *
 * Reads: a block. */
#include "geometry/height_field.h"

/* Cells [row, end_row) x [column, end_column) that a query takes up, and its heights. */
typedef struct window {
    int row, end_row, column, end_column;
    double low[3], high[3];
    const dry_height_field *field;
    double depth; /* of the solid, if all faces are asked, m */
    dry_triangles_visitor *visit;
    void *context;
} window;

/* Returns the cell of a coordinate, cut off at the ends; the next lower or higher one if rounding might
 * matter. */
static int cell_at(double x, double spacing, int cells, int more)
{
    const double place = dry_clamp_double(x / spacing, -2.0, (double)cells + 2.0);
    return dry_max_int(0, dry_min_int((int)(place + 3.0) - 3 + more, cells));
}

/* Cuts off cells beyond an end, exactly: of a row or a column all triangles reach from one side to the other.
 */
static void cut_ends(int *begin, int *end, double low, double high, double spacing)
{
    while (*begin < *end && (double)(*begin + 1) * spacing < low)
        ++*begin;
    while (*begin < *end && (double)(*end - 1) * spacing > high)
        --*end;
}

/* Returns a bit for each half of a cell whose heights, with the solid below, meet the window's. The halves
 * share the diagonal. */
static int halves_in(const window *w, int row, int column)
{
    const float *a = dry_height_field_samples(w->field, row, column), *d = a + w->field->columns;
    const bool backward = w->field->backward;
    const float p = backward ? a[1] : a[0], q = backward ? d[0] : d[1];
    const float apex[2] = {backward ? a[0] : d[0], backward ? d[1] : a[1]};
    int halves = 0;
    for (int i = 0; i < 2; i++) {
        const float least = dry_min(dry_min(p, q), apex[i]), most = dry_max(dry_max(p, q), apex[i]);
        halves |= ((double)most >= w->low[1] && (double)least - w->depth <= w->high[1]) << i;
    }
    return halves;
}

/* Tells whether the box of a face meets the window's. */
static bool meets_face(const window *w, uint32_t face)
{
    dry_double3 corner[3];
    dry_height_field_face(w->field, face, corner);
    for (int k = 0; k < 3; k++) {
        const double a = double3_get(corner[0], k), b = double3_get(corner[1], k),
                     c = double3_get(corner[2], k);
        if (fmax(a, fmax(b, c)) < w->low[k] || fmin(a, fmin(b, c)) > w->high[k])
            return false;
    }
    return true;
}

/* Visits a triangle and, if they are asked, the faces of the solid below it. */
static bool visit_triangle(const window *w, uint32_t triangle)
{
    uint32_t faces[DRY_HEIGHT_FACES_MAX];
    if (w->depth <= 0.0)
        return w->visit(w->context, triangle);
    const int count = dry_height_field_faces(w->field, triangle, faces);
    for (int i = 0; i < count; i++)
        if (meets_face(w, faces[i]) && !w->visit(w->context, faces[i]))
            return false;
    return true;
}

static bool visit_cells(const window *w, int row, int column)
{
    const int end_row = dry_min_int(row + DRY_HEIGHT_FIELD_TILE, w->end_row);
    const int end_column = dry_min_int(column + DRY_HEIGHT_FIELD_TILE, w->end_column);
    for (int r = dry_max_int(row, w->row); r < end_row; r++)
        for (int c = dry_max_int(column, w->column); c < end_column; c++) {
            const size_t cell = dry_height_field_cell(w->field, r, c);
            if (dry_height_field_is_hole(w->field, cell))
                continue;
            const int halves = halves_in(w, r, c);
            for (uint32_t half = 0; half < 2; half++)
                if (halves >> half & 1 && !visit_triangle(w, (uint32_t)(2 * cell) + half))
                    return false;
        }
    return true;
}

static bool visit_tile(const window *w, int level, int row, int column)
{
    const dry_height_range *range = dry_height_field_tile(w->field, level, row, column);
    const int cells = DRY_HEIGHT_FIELD_TILE << level;
    if (!((double)range->min - w->depth <= w->high[1] && (double)range->max >= w->low[1]) ||
        row * cells >= w->end_row || (row + 1) * cells <= w->row || column * cells >= w->end_column ||
        (column + 1) * cells <= w->column)
        return true;
    if (level == 0)
        return visit_cells(w, row * cells, column * cells);
    const int end_row = dry_min_int(2 * row + 2, dry_height_field_tiles(w->field->rows, level - 1));
    const int end_column = dry_min_int(2 * column + 2, dry_height_field_tiles(w->field->columns, level - 1));
    for (int r = 2 * row; r < end_row; r++)
        for (int c = 2 * column; c < end_column; c++)
            if (!visit_tile(w, level - 1, r, c))
                return false;
    return true;
}

/* Visits the window from the lowest level whose tiles hold it in two a side. The level decides the order, and
 * is that of the window before its ends are cut off. */
static bool visit_window(window *w)
{
    int level = 0;
    while (level + 1 < (int)w->field->levels &&
           dry_max_int(w->end_row - w->row, w->end_column - w->column) > DRY_HEIGHT_FIELD_TILE << level)
        level++;
    cut_ends(&w->row, &w->end_row, w->low[2], w->high[2], (double)w->field->spacing[1]);
    cut_ends(&w->column, &w->end_column, w->low[0], w->high[0], (double)w->field->spacing[0]);
    const int cells = DRY_HEIGHT_FIELD_TILE << level;
    for (int r = w->row / cells; r * cells < w->end_row; r++)
        for (int c = w->column / cells; c * cells < w->end_column; c++)
            if (!visit_tile(w, level, r, c))
                return false;
    return true;
}

bool dry_height_field_visit(const dry_height_field *field, const dry_box *box, bool all_faces,
                            dry_triangles_visitor *visit, void *context)
{
    window w = {.field = field,
                .depth = all_faces ? (double)field->solid_depth : 0.0,
                .visit = visit,
                .context = context};
    for (int k = 0; k < 3; k++) {
        w.low[k] = (double)box->min[k];
        w.high[k] = (double)box->max[k];
    }
    w.row = cell_at(w.low[2], (double)field->spacing[1], field->rows - 1, -1);
    w.end_row = cell_at(w.high[2], (double)field->spacing[1], field->rows - 1, 2);
    w.column = cell_at(w.low[0], (double)field->spacing[0], field->columns - 1, -1);
    w.end_column = cell_at(w.high[0], (double)field->spacing[0], field->columns - 1, 2);
    return w.row >= w.end_row || w.column >= w.end_column || visit_window(&w);
}

/* The triangle whose plane is asked is the one on whose side of the diagonal the point lies. */
bool dry_height_field_sample(const dry_height_field *field, double x, double z, uint32_t *triangle,
                             double *height)
{
    const double u = x / (double)field->spacing[0], v = z / (double)field->spacing[1];
    if (!(u >= 0.0 && u <= (double)(field->columns - 1) && v >= 0.0 && v <= (double)(field->rows - 1)))
        return false;
    const int column = dry_min_int((int)u, field->columns - 2), row = dry_min_int((int)v, field->rows - 2);
    const double s = u - (double)column, t = v - (double)row;
    const size_t cell = dry_height_field_cell(field, row, column);
    if (dry_height_field_is_hole(field, cell))
        return false;
    const double a = (double)dry_height_field_height(field, row, column);
    const double b = (double)dry_height_field_height(field, row, column + 1);
    const double d = (double)dry_height_field_height(field, row + 1, column);
    const double e = (double)dry_height_field_height(field, row + 1, column + 1);
    uint32_t half;
    if (field->backward) {
        half = s + t > 1.0;
        *height = half ? e + (1.0 - s) * (d - e) + (1.0 - t) * (b - e) : a + s * (b - a) + t * (d - a);
    } else {
        half = s > t;
        *height = half ? a + s * (b - a) + t * (e - b) : a + t * (d - a) + s * (e - d);
    }
    *triangle = (uint32_t)(2 * cell) + half;
    return true;
}

bool dry_height_field_contains(const dry_height_field *field, dry_double3 point)
{
    uint32_t triangle;
    double height;
    return field->solid_depth > 0.0f &&
           dry_height_field_sample(field, point.x, point.z, &triangle, &height) && point.y <= height &&
           point.y >= height - (double)field->solid_depth;
}
