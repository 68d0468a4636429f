/* Builds height fields and replaces their heights.
 *
 * Reads: a definition. Writes: the block. Next: height_tiles.c. */
#include "geometry/height_field.h"

#include "core/memory.h"
#include "geometry/height_tiles.h"

#include <string.h>

const char *dry_height_field_error_name(dry_height_field_error error)
{
    static const char *const names[] = {
        [DRY_HEIGHT_BUILT] = "none",
        [DRY_HEIGHT_NO_MEMORY] = "no memory",
        [DRY_HEIGHT_BAD_SIDE] = "a height field has 2 to 16,385 rows and columns",
        [DRY_HEIGHT_BAD_SPACING] = "the spacing is not positive, or a side is longer than 1e6 m",
        [DRY_HEIGHT_BAD_DEPTH] = "the solid depth is not from 0 to 1e6 m",
        [DRY_HEIGHT_BAD_HEIGHT] = "a height is not finite or beyond 1e6 m",
        [DRY_HEIGHT_ALL_HOLES] = "all cells are holes",
        [DRY_HEIGHT_OUTSIDE] = "the rectangle is empty or leaves the field",
        [DRY_HEIGHT_BAD_DIAGONAL] = "the diagonal is unknown",
    };
    return (unsigned)error < sizeof names / sizeof *names ? names[error] : "unknown";
}

static bool fails(dry_height_field_report *report, dry_height_field_error error, int64_t element)
{
    report->error = error;
    report->element = element;
    return false;
}

static bool side_is_good(int samples)
{
    return samples >= 2 && samples <= DRY_HEIGHT_FIELD_SIDE_MAX;
}

static bool spacing_is_good(float spacing, int samples)
{
    return spacing > 0.0f && (double)spacing * (double)(samples - 1) <= (double)DRY_EXTENT_MAX;
}

static bool is_good(const dry_height_field_def *def, dry_height_field_report *report)
{
    if (!side_is_good(def->rows) || !side_is_good(def->columns))
        return fails(report, DRY_HEIGHT_BAD_SIDE, -1);
    if (!spacing_is_good(def->spacing[0], def->columns) || !spacing_is_good(def->spacing[1], def->rows))
        return fails(report, DRY_HEIGHT_BAD_SPACING, -1);
    if (def->diagonal != DRY_DIAGONAL_FORWARD && def->diagonal != DRY_DIAGONAL_BACKWARD)
        return fails(report, DRY_HEIGHT_BAD_DIAGONAL, -1);
    if (!(def->solid_depth >= 0.0f && def->solid_depth <= DRY_EXTENT_MAX))
        return fails(report, DRY_HEIGHT_BAD_DEPTH, -1);
    const int64_t samples = (int64_t)def->rows * def->columns;
    for (int64_t i = 0; i < samples; i++)
        if (!dry_height_is_good(def->heights[i]))
            return fails(report, DRY_HEIGHT_BAD_HEIGHT, i);
    const int64_t cells = (int64_t)(def->rows - 1) * (def->columns - 1);
    for (int64_t i = 0; def->holes && i < cells; i++)
        report->holes += def->holes[i] != 0;
    return report->holes < cells || fails(report, DRY_HEIGHT_ALL_HOLES, -1);
}

/* Returns the bytes that the largest material index needs. */
static uint32_t material_bytes_of(const dry_height_field_def *def, size_t cells)
{
    if (!def->material_indices)
        return 0;
    for (size_t i = 0; i < cells; i++)
        if (def->material_indices[i] > UINT8_MAX)
            return 2;
    return 1;
}

static void write_cells(const dry_height_field_def *def, dry_height_field *field, size_t cells)
{
    uint8_t *holes = (uint8_t *)field + field->holes;
    uint8_t *bytes = (uint8_t *)field + field->materials;
    uint16_t *words = (void *)bytes;
    for (size_t i = 0; field->holes_present && i < cells; i++)
        if (def->holes[i])
            holes[i / 8] |= (uint8_t)(1 << (i % 8));
    for (size_t i = 0; field->material_bytes == 1 && i < cells; i++)
        bytes[i] = (uint8_t)def->material_indices[i];
    for (size_t i = 0; field->material_bytes == 2 && i < cells; i++)
        words[i] = def->material_indices[i];
}

/* Computes the tiles over the cells [row, end_row) x [column, end_column), and all above them. */
static void write_tiles(dry_height_field *field, int row, int end_row, int column, int end_column)
{
    for (int level = 0; level < (int)field->levels; level++) {
        const int cells = DRY_HEIGHT_FIELD_TILE << level;
        const int columns = dry_height_field_tiles(field->columns, level);
        dry_height_range *tiles = (void *)((char *)field + field->tiles[level]);
        for (int r = row / cells; r <= (end_row - 1) / cells; r++)
            for (int c = column / cells; c <= (end_column - 1) / cells; c++)
                tiles[(size_t)r * (size_t)columns + (size_t)c] =
                    dry_height_field_range_of(field, level, r, c);
    }
}

static void write_block(const dry_height_field_def *def, dry_height_field *field)
{
    const size_t samples = (size_t)def->rows * (size_t)def->columns;
    float *heights = (void *)((char *)field + field->heights);
    for (size_t i = 0; i < samples; i++)
        heights[i] = def->heights[i] + 0.0f; /* zeros are positive: equal fields have equal bytes */
    write_cells(def, field, (size_t)(def->rows - 1) * (size_t)(def->columns - 1));
    write_tiles(field, 0, def->rows - 1, 0, def->columns - 1);
    field->fixed_hash = dry_height_field_fixed_hash(field);
    field->height_sum = dry_height_field_sum(field, 0, dry_height_hash_tiles(field->rows), 0,
                                             dry_height_hash_tiles(field->columns));
    field->hash = dry_height_field_hash(field);
}

dry_height_field *dry_height_field_build(const dry_height_field_def *def, const dry_allocator *allocator,
                                         dry_height_field_report *report)
{
    *report = (dry_height_field_report){.element = -1};
    if (!is_good(def, report))
        return NULL;
    dry_height_field header = {
        .rows = def->rows,
        .columns = def->columns,
        .spacing = {def->spacing[0], def->spacing[1]},
        .solid_depth = def->solid_depth + 0.0f,
        .backward = def->diagonal == DRY_DIAGONAL_BACKWARD,
        .holes_present = report->holes > 0,
        .material_bytes = material_bytes_of(def, (size_t)(def->rows - 1) * (size_t)(def->columns - 1)),
    };
    dry_height_field_lay_out(&header);
    dry_memory memory;
    dry_memory_init(&memory, allocator ? *allocator : (dry_allocator){0});
    dry_height_field *field = memory.allocator.allocate(header.bytes, DRY_CACHE_LINE, memory.allocator.user);
    if (!field) {
        fails(report, DRY_HEIGHT_NO_MEMORY, -1);
        return NULL;
    }
    memset(field, 0, header.bytes);
    *field = header;
    write_block(def, field);
    return field;
}

static bool rectangle_is_inside(const dry_height_field *field, const dry_height_rectangle *w)
{
    return w->row >= 0 && w->column >= 0 && w->rows > 0 && w->columns > 0 && w->row < field->rows &&
           w->column < field->columns && w->rows <= field->rows - w->row &&
           w->columns <= field->columns - w->column;
}

static uint64_t sum_around(const dry_height_field *field, const dry_height_rectangle *w)
{
    return dry_height_field_sum(
        field, w->row / DRY_HEIGHT_HASH_TILE, (w->row + w->rows - 1) / DRY_HEIGHT_HASH_TILE + 1,
        w->column / DRY_HEIGHT_HASH_TILE, (w->column + w->columns - 1) / DRY_HEIGHT_HASH_TILE + 1);
}

dry_height_field_error dry_height_field_replace_error(const dry_height_field *field,
                                                      const dry_height_rectangle *where, const float *heights,
                                                      int64_t *element)
{
    *element = -1;
    if (!rectangle_is_inside(field, where))
        return DRY_HEIGHT_OUTSIDE;
    const int64_t count = (int64_t)where->rows * where->columns;
    for (int64_t i = 0; i < count; i++)
        if (!dry_height_is_good(heights[i])) {
            *element = i;
            return DRY_HEIGHT_BAD_HEIGHT;
        }
    return DRY_HEIGHT_BUILT;
}

/* The cells around the samples of a rectangle. */
typedef struct cells {
    int row, end_row, column, end_column;
} cells;

static cells cells_around(const dry_height_field *field, const dry_height_rectangle *w)
{
    return (cells){dry_max_int(w->row - 1, 0), dry_min_int(w->row + w->rows, field->rows - 1),
                   dry_max_int(w->column - 1, 0), dry_min_int(w->column + w->columns, field->columns - 1)};
}

void dry_height_field_replace(dry_height_field *field, const dry_height_rectangle *where,
                              const float *heights)
{
    field->height_sum -= sum_around(field, where);
    float *own = (void *)((char *)field + field->heights);
    for (int r = 0; r < where->rows; r++)
        for (int c = 0; c < where->columns; c++)
            own[(size_t)(where->row + r) * (size_t)field->columns + (size_t)(where->column + c)] =
                heights[(size_t)r * (size_t)where->columns + (size_t)c] + 0.0f;
    field->height_sum += sum_around(field, where);
    field->hash = dry_height_field_hash(field);
    const cells around = cells_around(field, where);
    write_tiles(field, around.row, around.end_row, around.column, around.end_column);
}

dry_box dry_height_field_rectangle_box(const dry_height_field *field, const dry_height_rectangle *where)
{
    const cells around = cells_around(field, where);
    dry_box box = {
        {field->spacing[0] * (float)around.column, INFINITY, field->spacing[1] * (float)around.row},
        {field->spacing[0] * (float)around.end_column, -INFINITY, field->spacing[1] * (float)around.end_row}};
    for (int r = around.row; r <= around.end_row; r++)
        for (int c = around.column; c <= around.end_column; c++) {
            const float height = dry_height_field_height(field, r, c);
            box.min[1] = dry_min(box.min[1], height);
            box.max[1] = dry_max(box.max[1], height);
        }
    box.min[1] -= field->solid_depth;
    return box;
}
