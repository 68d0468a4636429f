/* Sums of fields: rows are taken eight at a time, and four words of them at a time, so that each sum stays in
 * a register for eight products. */
#include "state/field_sums.h"

#include "core/assert.h"

#include <simde/x86/sse2.h>
#include <string.h>

enum { WORDS_MAX = 160, LANES = 4, BATCH = 8, PARTS_MAX = 64 };

#define X(ID, type, ...)                                                                                     \
    _Static_assert(sizeof(type) <= WORDS_MAX * sizeof(uint32_t),                                             \
                   #ID " has longer rows than there is room for");
DRY_ALL_COLUMNS(X)
#undef X

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

/* Lists the units of a field. Returns their number; without `unit` counts them only. */
static int list_field(const dry_column *column, int index, dry_sum_unit *unit)
{
    const dry_field *field = &column->fields[index];
    const int step = field->by_point ? field->size / DRY_SUM_POINTS_MAX : field->size;
    int count = 0;
    if ((field->hashed_bits | field->saved_bits) == 0)
        return 0;
    for (int at = 0; at < field->size;) {
        const int left = step - at % step, bytes = left < 4 ? left : 4;
        if (unit)
            unit[count] = (dry_sum_unit){.offset = (uint16_t)(field->offset + at),
                                         .bytes = (uint16_t)bytes,
                                         .mask = mask_of(field, at, bytes),
                                         .point = (int8_t)(field->by_point ? at / step : -1),
                                         .field = (uint16_t)index,
                                         .part = (uint16_t)count};
        at += bytes;
        count++;
    }
    return count;
}

int dry_sum_unit_count(void)
{
    int count = 0;
    for (int column = 0; column < DRY_COLUMN_COUNT; column++)
        for (int i = 0; i < dry_columns[column].field_count; i++)
            count += list_field(&dry_columns[column], i, NULL);
    return count;
}

void dry_sum_units_find(dry_sum_units *units, dry_sum_unit *unit)
{
    *units = (dry_sum_units){.unit = unit};
    for (int column = 0; column < DRY_COLUMN_COUNT; column++) {
        units->first[column] = units->count;
        for (int i = 0; i < dry_columns[column].field_count; i++)
            units->count += list_field(&dry_columns[column], i, unit + units->count);
    }
    units->first[DRY_COLUMN_COUNT] = units->count;
}

/* Returns a unit of a row, with the bits that count. */
static inline uint32_t unit_at(const char *row, const dry_sum_unit *unit)
{
    uint32_t word = 0;
    switch (unit->bytes) {
    case 4:
        memcpy(&word, row + unit->offset, 4);
        break;
    case 2:
        memcpy(&word, row + unit->offset, 2);
        break;
    default:
        memcpy(&word, row + unit->offset, unit->bytes);
    }
    return word & unit->mask;
}

/* The words of a column's rows, where four of them are a vector; the last four may begin before the four
 * before them end, and then count once. Sums are in the order of products: words 0, 2, 1 and 3 of each four.
 */
typedef struct row_words {
    uint32_t mask[DRY_SUM_POINTS_MAX + 1][WORDS_MAX]; /* by points */
    uint64_t sum[WORDS_MAX];
    int lanes, last;
} row_words;

/* A walk over rows. */
typedef struct row_sums {
    const dry_sum_unit *unit;
    int units;
    const dry_column_rows *rows;
    row_words words;
    uint16_t part[PARTS_MAX]; /* units that are no words of their own */
    int parts;
    uint64_t keys[DRY_SUM_POINTS_MAX + 1]; /* sums of keys: of all rows, of those with a first point, ... */
    uint64_t *sums;
} row_sums;

/* Returns the place of a unit among the lanes; -1: it is no word of its own. */
static int lane_of(const row_words *words, const dry_sum_unit *unit)
{
    const int word = unit->offset / 4, first = words->lanes - LANES;
    if (words->lanes == 0 || unit->bytes != 4 || unit->offset % 4 != 0)
        return -1;
    return word < first ? word : first + word - words->last;
}

/* Lays the units out in lanes. */
static void begin(row_sums *s, size_t row_bytes, bool by_point)
{
    row_words *w = &s->words;
    const int words = (int)row_bytes / 4;
    w->lanes = words >= LANES && row_bytes % 4 == 0 ? (words + LANES - 1) / LANES * LANES : 0;
    w->last = words - LANES;
    memset(w->sum, 0, (size_t)w->lanes * sizeof *w->sum);
    for (int points = 0; points <= (by_point ? DRY_SUM_POINTS_MAX : 0); points++) {
        memset(w->mask[points], 0, (size_t)w->lanes * sizeof **w->mask);
        for (int i = 0; i < s->units; i++) {
            const int lane = lane_of(w, &s->unit[i]);
            if (lane >= 0 && s->unit[i].point < points)
                w->mask[points][lane] = s->unit[i].mask;
        }
    }
    for (int i = 0; i < s->units; i++)
        if (lane_of(w, &s->unit[i]) < 0) {
            DRY_ASSERT(s->parts < PARTS_MAX);
            s->part[s->parts++] = (uint16_t)i;
        }
}

static int points_of(const dry_column_rows *rows, int row)
{
    return rows->points ? rows->points[row].points : 0;
}

/* Adds a batch of rows to the sums of words. */
static void add_words(row_words *w, const char *const *row, const uint32_t *const *mask, const uint32_t *key,
                      int count)
{
    simde__m128i keys[BATCH];
    for (int i = 0; i < count; i++)
        keys[i] = simde_mm_set1_epi32((int32_t)key[i]);
    for (int lane = 0; lane < w->lanes; lane += LANES) {
        const int word = lane == w->lanes - LANES ? w->last : lane;
        simde__m128i even = simde_mm_loadu_si128(&w->sum[lane]),
                     odd = simde_mm_loadu_si128(&w->sum[lane + 2]);
        for (int i = 0; i < count; i++) {
            const simde__m128i four = simde_mm_and_si128(simde_mm_loadu_si128(row[i] + 4 * word),
                                                         simde_mm_loadu_si128(&mask[i][lane]));
            even = simde_mm_add_epi64(even, simde_mm_mul_epu32(four, keys[i]));
            odd = simde_mm_add_epi64(odd, simde_mm_mul_epu32(simde_mm_srli_epi64(four, 32), keys[i]));
        }
        simde_mm_storeu_si128(&w->sum[lane], even);
        simde_mm_storeu_si128(&w->sum[lane + 2], odd);
    }
}

/* Adds what is no word of its own. */
static void add_parts(row_sums *s, const char *row, uint32_t key, int points)
{
    for (int i = 0; i < s->parts; i++) {
        const int unit = s->part[i];
        if (s->unit[unit].point < points)
            s->sums[unit] += (uint64_t)unit_at(row, &s->unit[unit]) * key;
    }
}

static void walk(row_sums *s, int from, int end)
{
    const char *row[BATCH];
    const uint32_t *mask[BATCH];
    uint32_t key[BATCH];
    int batch = 0;
    for (int at = from; at < end; at++) {
        if (!dry_row_counts(s->rows, at))
            continue;
        const int points = points_of(s->rows, at);
        DRY_ASSERT(points <= DRY_SUM_POINTS_MAX);
        /* Places of materials in their list are no state. */
        key[batch] = key_of(s->rows->materials ? 0 : at);
        row[batch] = (const char *)s->rows->rows + (size_t)at * s->rows->stride;
        mask[batch] = s->words.mask[points];
        for (int k = 0; k <= points; k++)
            s->keys[k] += key[batch];
        if (s->parts > 0)
            add_parts(s, row[batch], key[batch], points);
        if (++batch < BATCH)
            continue;
        add_words(&s->words, row, mask, key, BATCH);
        batch = 0;
    }
    add_words(&s->words, row, mask, key, batch);
}

void dry_sum_rows(const dry_sum_units *units, int column, const dry_column_rows *rows, int begin_row, int end,
                  uint64_t *sums)
{
    static const int place[LANES] = {0, 2, 1, 3}; /* of a word's sum among those of its four */
    const dry_column *c = &dry_columns[column];
    row_sums s = {.unit = units->unit + units->first[column],
                  .units = units->first[column + 1] - units->first[column],
                  .rows = rows,
                  .sums = sums};
    if (s.units == 0 || !rows->rows)
        return;
    begin(&s, c->size, rows->points != NULL);
    walk(&s, begin_row, end);
    for (int i = 0; i < s.units; i++) {
        const int lane = lane_of(&s.words, &s.unit[i]);
        if (lane >= 0)
            sums[i] += s.words.sum[lane / LANES * LANES + place[lane % LANES]];
        sums[i] -= (uint64_t)unit_at(c->standard, &s.unit[i]) * s.keys[s.unit[i].point + 1];
    }
}

void dry_sum_state(const dry_sum_units *units, const dry_state *state, uint64_t *sums)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(state, rows);
    memset(sums, 0, (size_t)units->count * sizeof *sums);
    for (int column = 0; column < DRY_COLUMN_COUNT; column++)
        dry_sum_rows(units, column, &rows[column], 0, rows[column].count, sums + units->first[column]);
}

dry_sum_difference dry_sum_find_row(const dry_sum_units *units, int unit, const dry_column_rows *rows,
                                    uint64_t here, uint64_t there)
{
    const dry_sum_unit *u = &units->unit[unit];
    const int64_t change = (int64_t)(there - here);
    for (int row = 0; rows->rows && row < rows->count; row++) {
        const int64_t key = key_of(row), part = change / key;
        if (rows->materials || !dry_row_counts(rows, row) || points_of(rows, row) <= u->point)
            continue;
        const uint32_t now = unit_at((const char *)rows->rows + (size_t)row * rows->stride, u);
        const int64_t then = (int64_t)now + part;
        if (part * key == change && then >= 0 && then <= (int64_t)u->mask)
            return (dry_sum_difference){row, now, (uint32_t)then};
    }
    return (dry_sum_difference){-1, 0, 0};
}
