/* Rays against a height field: down the levels of tiles, nearest first, then along the cells of each row of a
 * tile. All in double, with room for its rounding; triangles as those of a mesh.
 *
 * Reads: a block. Next: ray_triangle.h. */
#include "geometry/height_field.h"
#include "geometry/ray_triangle.h"

/* Fractions of the translation. */
typedef struct span {
    double begin, end;
} span;

typedef struct cast {
    const dry_height_field *field;
    dry_sheared_ray sheared;
    double origin[3], way[3], inverse[3], spacing[2];
    double room;  /* m: more than rounding */
    double depth; /* of the solid, if its other faces are asked, m */
    int sides;
    bool is_found;
    dry_mesh_hit best; /* its fraction is the limit */
} cast;

/* Narrows a span to where the ray is between two coordinates. */
static span narrow(const cast *c, span s, int axis, double low, double high)
{
    const double inverse = c->inverse[axis];
    const double p = (low - c->room - c->origin[axis]) * inverse,
                 q = (high + c->room - c->origin[axis]) * inverse;
    const double enter = inverse > 0.0 ? p : q, leave = inverse > 0.0 ? q : p;
    s.begin = enter > s.begin ? enter : s.begin;
    s.end = leave < s.end ? leave : s.end;
    return s;
}

/* Finds the least and the largest coordinate within a span. */
static void reach(const cast *c, span s, int axis, double *low, double *high)
{
    const double p = c->origin[axis] + s.begin * c->way[axis], q = c->origin[axis] + s.end * c->way[axis];
    *low = (p < q ? p : q) - c->room;
    *high = (p < q ? q : p) + c->room;
}

static void take_face(cast *c, uint32_t face)
{
    dry_double3 corner[3];
    dry_mesh_hit hit = {.slot = face, .triangle = face};
    const bool is_triangle = face <= DRY_HEIGHT_TRIANGLE_MASK;
    dry_height_field_face(c->field, face, corner);
    if (!dry_ray_crosses(&c->sheared, corner, &hit.fraction, hit.barycentric, &hit.back) ||
        !(hit.fraction >= 0.0 && hit.fraction <= 1.0) ||
        !((is_triangle ? c->sides : DRY_MESH_FRONTS) & (hit.back ? DRY_MESH_BACKS : DRY_MESH_FRONTS)))
        return;
    if (c->is_found &&
        (hit.fraction > c->best.fraction || (hit.fraction == c->best.fraction && face > c->best.slot)))
        return;
    c->is_found = true;
    c->best = hit;
}

/* Takes up a triangle, and the faces of the solid below it. */
static void take_triangle(cast *c, uint32_t triangle)
{
    uint32_t faces[DRY_HEIGHT_FACES_MAX] = {triangle};
    const int count = c->depth <= 0.0 ? 1 : dry_height_field_faces(c->field, triangle, faces);
    for (int i = 0; i < count; i++)
        take_face(c, faces[i]);
}

/* Tells whether a cell, with the solid below it, lies above or below two heights. */
static bool passes_cell(const cast *c, int row, int column, double low, double high)
{
    int below = 0, above = 0;
    for (int i = 0; i < 4; i++) {
        const double height = (double)dry_height_field_height(c->field, row + i / 2, column + i % 2);
        below += height < low;
        above += height - c->depth > high;
    }
    return below == 4 || above == 4;
}

/* Takes up the cells of a row between two columns that the ray may meet. */
static void take_row(cast *c, span s, int row, int column, int end_column)
{
    double low, high, bottom, top;
    s = narrow(c, s, 2, (double)row * c->spacing[1], (double)(row + 1) * c->spacing[1]);
    if (s.begin > s.end)
        return;
    reach(c, s, 0, &low, &high);
    reach(c, s, 1, &bottom, &top);
    const double first = low / c->spacing[0], last = high / c->spacing[0];
    for (int i = column; i < end_column; i++) {
        if ((double)(i + 1) < first || (double)i > last || passes_cell(c, row, i, bottom, top))
            continue;
        const size_t cell = dry_height_field_cell(c->field, row, i);
        if (dry_height_field_is_hole(c->field, cell))
            continue;
        take_triangle(c, (uint32_t)(2 * cell));
        take_triangle(c, (uint32_t)(2 * cell) + 1);
    }
}

static void take_cells(cast *c, span s, int row, int column)
{
    const int end_row = dry_min_int(row + DRY_HEIGHT_FIELD_TILE, c->field->rows - 1);
    const int end_column = dry_min_int(column + DRY_HEIGHT_FIELD_TILE, c->field->columns - 1);
    for (int r = row; r < end_row; r++)
        take_row(c, s, r, column, end_column);
}

static void take_tile(cast *c, span s, int level, int row, int column)
{
    const int cells = DRY_HEIGHT_FIELD_TILE << level;
    const dry_height_range *range = dry_height_field_tile(c->field, level, row, column);
    if (!(range->min <= range->max))
        return;
    s.end = c->best.fraction < s.end ? c->best.fraction : s.end;
    s = narrow(c, s, 0, (double)(column * cells) * c->spacing[0],
               (double)((column + 1) * cells) * c->spacing[0]);
    s = narrow(c, s, 2, (double)(row * cells) * c->spacing[1], (double)((row + 1) * cells) * c->spacing[1]);
    s = narrow(c, s, 1, (double)range->min - c->depth, (double)range->max);
    if (s.begin > s.end)
        return;
    if (level == 0) {
        take_cells(c, s, row * DRY_HEIGHT_FIELD_TILE, column * DRY_HEIGHT_FIELD_TILE);
        return;
    }
    const int rows = dry_height_field_tiles(c->field->rows, level - 1);
    const int columns = dry_height_field_tiles(c->field->columns, level - 1);
    const int row_back = c->way[2] < 0.0, column_back = c->way[0] < 0.0;
    for (int i = 0; i < 4; i++) {
        const int r = 2 * row + ((i >> 1) ^ row_back), q = 2 * column + ((i & 1) ^ column_back);
        if (r < rows && q < columns)
            take_tile(c, s, level - 1, r, q);
    }
}

static void run(cast *c, const dry_height_field *field, const dry_mesh_ray *ray)
{
    const dry_height_range range = dry_height_field_range(field);
    double most = fmax(fabs((double)range.min), fabs((double)range.max)) + c->depth;
    if (ray->translation[dry_longest_axis(ray->translation)] == 0.0)
        return;
    c->field = field;
    c->sheared = dry_sheared_ray_of(ray->origin, ray->translation);
    c->sides = ray->sides;
    c->best.fraction = 1.0;
    for (int k = 0; k < 3; k++) {
        c->origin[k] = ray->origin[k];
        c->way[k] = ray->translation[k];
        c->inverse[k] = c->way[k] == 0.0 ? 1e300 : dry_clamp_double(1.0 / c->way[k], -1e300, 1e300);
        most = fmax(most, fmax(fabs(c->origin[k]), fabs(c->origin[k] + c->way[k])));
    }
    c->spacing[0] = (double)field->spacing[0];
    c->spacing[1] = (double)field->spacing[1];
    most = fmax(most, fmax((double)field->columns * c->spacing[0], (double)field->rows * c->spacing[1]));
    c->room = 1e-12 * most;
    take_tile(c, (span){0.0, 1.0}, (int)field->levels - 1, 0, 0);
}

bool dry_height_field_cast_ray(const dry_height_field *field, const dry_mesh_ray *ray, dry_mesh_hit *hit)
{
    cast c = {.depth = (double)field->solid_depth};
    run(&c, field, ray);
    if (!c.is_found)
        return false;
    *hit = c.best;
    if (hit->slot > DRY_HEIGHT_TRIANGLE_MASK) {
        hit->triangle = UINT32_MAX;
        for (int i = 0; i < 3; i++)
            hit->barycentric[i] = 0.0;
    }
    return true;
}
