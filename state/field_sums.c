/* Sums of fields: rows are taken eight at a time, and four words of them at a time, so that each sum stays in
 * a register for eight products. */
#include "state/field_sums.h"

#include "simd/fours.h"

enum { LANES = 4, BATCH = 8, PARTS_MAX = 64 };

/* Returns the key of a row: distinct for neighbors, at least 2^30, odd. */
static inline uint32_t key_of(int row)
{
    return (((uint32_t)row + 1) * 2654435769u >> 2) | 1u << 30 | 1u;
}

/* Returns the bits of a field's bytes [at, at + 4) that are compared. */
static uint32_t mask_of(const dry_field *field, int at, int bytes)
{
    const uint64_t bits = field->hashed_bits | field->saved_bits;
    const uint32_t all = (uint32_t)((UINT64_C(1) << 8 * bytes) - 1);
    return (uint32_t)(bits >> (at % 8 * 8)) & all;
}

/* Returns where a word of a row is among the lanes; -1: it is no word of its own. */
static int lane_of(const dry_sum_layout *layout, int offset, int bytes)
{
    const int word = offset / 4, first = layout->lanes - LANES;
    if (layout->lanes == 0 || bytes != 4 || offset % 4 != 0)
        return -1;
    return word < first ? word : first + word - layout->last;
}

static void add_unit(dry_sum_units *units, dry_sum_layout *layout, const dry_column *column, int index,
                     int at)
{
    const dry_field *field = &column->fields[index];
    const int step = field->by_point ? field->size / DRY_SUM_POINTS_MAX : field->size;
    const int left = step - at % step, bytes = left < 4 ? left : 4, offset = field->offset + at;
    /* Four bytes that the row has. */
    const int load = (int)column->size < offset + 4 ? (column->size < 4 ? 0 : (int)column->size - 4) : offset;
    dry_sum_unit *unit = &units->unit[units->count];
    *unit = (dry_sum_unit){.mask = mask_of(field, at, bytes),
                           .offset = (uint16_t)offset,
                           .bytes = (uint16_t)bytes,
                           .load = (uint16_t)load,
                           .shift = (uint8_t)(8 * (offset - load)),
                           .point = (int8_t)(field->by_point ? at / step : -1),
                           .field = (uint16_t)index,
                           .lane = (int16_t)lane_of(layout, offset, bytes)};
    for (int points = 0; unit->lane >= 0 && points <= DRY_SUM_POINTS_MAX; points++)
        if (unit->point < points)
            units->mask[layout->masks + points * layout->lanes + unit->lane] = unit->mask;
    if (unit->lane < 0)
        units->part[layout->parts + layout->part_count++] = (uint16_t)units->count;
    units->count++;
}

static void add_field(dry_sum_units *units, dry_sum_layout *layout, const dry_column *column, int index)
{
    const dry_field *field = &column->fields[index];
    const bool counts = (field->hashed_bits | field->saved_bits) != 0;
    for (int at = 0; counts && at < field->size;) {
        add_unit(units, layout, column, index, at);
        at += units->unit[units->count - 1].bytes;
    }
}

void dry_sum_units_find(dry_sum_units *units)
{
    int masks = 0, parts = 0;
    memset(units, 0, sizeof *units);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_column *column = &dry_columns[id];
        dry_sum_layout *layout = &units->layout[id];
        const int words = (int)column->size / 4;
        layout->first = units->count;
        layout->lanes = words >= LANES && column->size % 4 == 0 ? (words + LANES - 1) / LANES * LANES : 0;
        layout->last = words - LANES;
        layout->masks = masks;
        layout->parts = parts;
        for (int i = 0; i < column->field_count; i++)
            add_field(units, layout, column, i);
        layout->end = units->count;
        masks += (DRY_SUM_POINTS_MAX + 1) * layout->lanes;
        parts += layout->part_count;
        DRY_ASSERT(layout->part_count <= PARTS_MAX);
    }
}

/* Returns a unit of a row, with the bits that count. */
static inline uint32_t unit_at(const char *row, const dry_sum_unit *unit, size_t row_bytes)
{
    uint32_t word = 0;
    if (row_bytes >= 4)
        memcpy(&word, row + unit->load, 4);
    else
        memcpy(&word, row, row_bytes);
    return word >> unit->shift & unit->mask;
}

/* A walk over rows, a batch at a time. Sums of words are in the order of products: words 0, 2, 1 and 3 of
 * each four. */
typedef struct row_sums {
    const dry_sum_units *units;
    const dry_sum_layout *layout;
    const dry_column_rows *rows;
    size_t row_bytes;
    uint64_t word_sum[DRY_ROW_WORDS_MAX], part_sum[PARTS_MAX];
    uint64_t keys[DRY_SUM_POINTS_MAX + 1]; /* by points: sum of the keys of rows with as many */
    /* A batch of rows. */
    int count;
    const char *row[BATCH];
    uint32_t key[BATCH];
    int points[BATCH];
} row_sums;

/* Adds four words of each row of a batch to their sums. Rows without points share `mask`; it is by points
 * otherwise, `stride` words each. */
static inline void add_four(row_sums *s, uint64_t *sum, size_t at, const uint32_t *mask, int stride,
                            const bits4 *keys, int count)
{
    bits4 even = bits4_load(sum), odd = bits4_load(sum + 2);
    const bits4 shared = bits4_load(mask);
    for (int i = 0; i < count; i++) {
        const bits4 own = stride ? bits4_load(mask + s->points[i] * stride) : shared;
        const bits4 words = bits4_load(s->row[i] + at) & own;
        even = bits4_add64(even, bits4_multiply(words, keys[i]));
        odd = bits4_add64(odd, bits4_multiply(bits4_upper(words), keys[i]));
    }
    bits4_store(sum, even);
    bits4_store(sum + 2, odd);
}

static inline void add_words(row_sums *s, const bits4 *keys, bool pointed, int count)
{
    const int lanes = s->layout->lanes;
    const uint32_t *masks = s->units->mask + s->layout->masks;
    for (int lane = 0; lane < lanes; lane += LANES) {
        const int word = lane == lanes - LANES ? s->layout->last : lane;
        add_four(s, &s->word_sum[lane], 4 * (size_t)word, masks + lane, pointed ? lanes : 0, keys, count);
    }
}

static inline void add_parts(row_sums *s)
{
    for (int k = 0; k < s->layout->part_count; k++) {
        const dry_sum_unit unit = s->units->unit[s->units->part[s->layout->parts + k]];
        uint64_t sum = 0;
        for (int i = 0; i < s->count; i++)
            if (unit.point < s->points[i])
                sum += (uint64_t)unit_at(s->row[i], &unit, s->row_bytes) * s->key[i];
        s->part_sum[k] += sum;
    }
}

/* Takes the next rows that count, from row `at` on, as a batch. Returns the row behind them. */
static inline int take_batch(row_sums *s, int at, int end)
{
    const dry_column_rows rows = *s->rows;
    const char *row = (const char *)rows.rows + (size_t)at * rows.stride;
    int count = 0;
    for (; at < end && count < BATCH; at++, row += rows.stride) {
        if (!dry_row_counts(&rows, at))
            continue;
        const int points = rows.points ? rows.points[at].points : 0;
        /* Places of materials in their list are no state. */
        const uint32_t key = key_of(rows.materials ? 0 : at);
        DRY_ASSERT(points <= DRY_SUM_POINTS_MAX);
        s->keys[points] += key;
        s->row[count] = row;
        s->key[count] = key;
        s->points[count] = points;
        count++;
    }
    s->count = count;
    return at;
}

/* Adds a batch to the sums of its words and parts. */
static void add_batch(row_sums *s)
{
    bits4 keys[BATCH];
    for (int i = 0; i < s->count; i++)
        keys[i] = bits4_set(s->key[i]);
    add_words(s, keys, s->rows->points, s->count);
    add_parts(s);
}

void dry_sum_rows(const dry_sum_units *units, int column, const dry_column_rows *rows, int begin, int end,
                  uint64_t *sums)
{
    static const int place[LANES] = {0, 2, 1, 3}; /* of a word's sum among those of its four */
    const dry_sum_layout *layout = &units->layout[column];
    row_sums s;
    if (layout->first == layout->end || !rows->rows || begin >= end)
        return;
    s.units = units;
    s.layout = layout;
    s.rows = rows;
    s.row_bytes = dry_columns[column].size;
    memset(s.word_sum, 0, (size_t)layout->lanes * sizeof *s.word_sum);
    memset(s.part_sum, 0, (size_t)layout->part_count * sizeof *s.part_sum);
    memset(s.keys, 0, sizeof s.keys);
    for (int row = begin; row < end;) {
        row = take_batch(&s, row, end);
        add_batch(&s);
    }
    for (int points = DRY_SUM_POINTS_MAX; points > 0; points--)
        s.keys[points - 1] += s.keys[points];
    for (int i = layout->first; i < layout->end; i++) {
        const dry_sum_unit *unit = &units->unit[i];
        if (unit->lane >= 0)
            sums[i] += s.word_sum[unit->lane / LANES * LANES + place[unit->lane % LANES]];
        sums[i] -=
            (uint64_t)unit_at(dry_columns[column].standard, unit, s.row_bytes) * s.keys[unit->point + 1];
    }
    for (int k = 0; k < layout->part_count; k++)
        sums[units->part[layout->parts + k]] += s.part_sum[k];
}

void dry_sum_state(const dry_sum_units *units, const dry_tables *state, uint64_t *sums)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(state, rows);
    memset(sums, 0, (size_t)units->count * sizeof *sums);
    for (int column = 0; column < DRY_COLUMN_COUNT; column++)
        dry_sum_rows(units, column, &rows[column], 0, rows[column].count, sums);
}

dry_sum_difference dry_sum_find_row(const dry_sum_units *units, int column, int unit,
                                    const dry_column_rows *rows, uint64_t here, uint64_t there)
{
    const dry_sum_unit *u = &units->unit[unit];
    const int64_t change = (int64_t)(there - here);
    for (int row = 0; rows->rows && row < rows->count; row++) {
        const int64_t key = key_of(row), part = change / key;
        const int points = rows->points ? rows->points[row].points : 0;
        if (rows->materials || !dry_row_counts(rows, row) || points <= u->point)
            continue;
        const char *at = dry_row_at(rows, row);
        const uint32_t now = unit_at(at, u, dry_columns[column].size);
        const int64_t then = (int64_t)now + part;
        if (part * key == change && then >= 0 && then <= (int64_t)u->mask)
            return (dry_sum_difference){row, now, (uint32_t)then};
    }
    return (dry_sum_difference){-1, 0, 0};
}
