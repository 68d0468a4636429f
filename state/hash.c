/* Hashes of the state: equal bits for equal states, whatever the threads, the instruction set, the compiler.
 *
 * A *unit* is four bytes of a field, or the rest of one. It has two keys of 32 bits, drawn from the numbers
 * of its column and field and from its place in the field. A row has two sums of 64 bits:
 *
 *     a = sum of key_a (unit - default) + row key_a of the column
 *     b = sum of key_b (unit - default) + row key_b of the column
 *
 * Products and sums have no order, so that lanes and compilers may choose theirs, and no chain of
 * multiplications bounds the speed. A field at its default adds nothing. Two rows that differ have the same
 * a for at most one in 2^32 draws of keys: take a unit whose difference d has the fewest factors of 2, at
 * most 31. Whatever the other keys are, d key_a = c (mod 2^64) has at most one solution below 2^33. The same
 * holds for b, so that both are equal for one in 2^64 draws (multilinear hashing [Carter and Wegman 1979]).
 *
 * A chain that is not linear mixes a and b to one word, so that rows which exchange values do not cancel. The
 * hash is the sum of all words. Columns themselves say which row is first and which is next. */
#include "state/column_rows.h"

#include "simd/fours.h"
#include "state/hash_mix.h"
#include "state/iterators.h"

enum { LANES = 4, PARTS_MAX = 16, POINTS_MAX = 4 };

typedef struct row_sums {
    uint64_t a, b;
} row_sums;

/* A unit that is no word of a row's lanes: a part of a word, one across two words, one of a short row. */
typedef struct unit_part {
    uint16_t offset, bytes;
    uint32_t mask, key_a, key_b;
} unit_part;

/* The units of a column, where they are in a row. Lanes go four by four; the last four words of a row may
 * begin before the four before them end, and the words in both count in the first. A word that is no unit has
 * a mask of 0. */
typedef struct row_units {
    uint32_t mask[DRY_ROW_WORDS_MAX], key_a[DRY_ROW_WORDS_MAX], key_b[DRY_ROW_WORDS_MAX];
    unit_part part[PARTS_MAX];
    int lanes, parts;
    int last;          /* the row's word where the last four lanes begin */
    row_sums standard; /* of a row of defaults */
    row_sums column, row;
} row_units;

/* Draws keys from the numbers of a column and a field, which begin with 1, and a unit's place in the field.
 */
static uint64_t draw(int column, int field, int unit)
{
    return dry_hash_spread(((uint64_t)column << 32 | (uint64_t)field << 16 | (uint64_t)unit) *
                           0x9e3779b97f4a7c15ull);
}

static void add_unit(row_units *units, int offset, int bytes, uint32_t mask, uint64_t drawn)
{
    const uint32_t key_a = (uint32_t)drawn, key_b = (uint32_t)(drawn >> 32);
    const int word = offset / 4, first = units->lanes - LANES;
    const int lane = word < first ? word : first + word - units->last;
    if (bytes == 4 && offset % 4 == 0 && units->lanes > 0) {
        units->mask[lane] = mask;
        units->key_a[lane] = key_a;
        units->key_b[lane] = key_b;
    } else {
        DRY_ASSERT(units->parts < PARTS_MAX);
        units->part[units->parts++] = (unit_part){(uint16_t)offset, (uint16_t)bytes, mask, key_a, key_b};
    }
}

/* Adds the units of a field of which the first `size` bytes count. */
static void add_field(row_units *units, const dry_column *column, const dry_field *field, int size)
{
    for (int at = 0; at < size; at += 4) {
        const int counting = dry_min_int(size - at, 4);
        const uint32_t first = (uint32_t)((UINT64_C(1) << 8 * counting) - 1);
        const uint32_t bits = (uint32_t)(field->hashed_bits >> (at % 8 * 8));
        add_unit(units, field->offset + at, dry_min_int(field->size - at, 4), first & bits,
                 draw(column->number, field->number, at / 4));
    }
}

static inline uint32_t part_of(const char *at, int bytes)
{
    uint32_t word = 0;
    if (bytes == 4)
        memcpy(&word, at, 4);
    else if (bytes == 2)
        memcpy(&word, at, 2);
    else
        memcpy(&word, at, 1);
    return word;
}

static inline row_sums sum_units(const row_units *units, const char *row)
{
    bits4 a = {0}, b = a;
    for (int lane = 0; lane < units->lanes; lane += LANES) {
        const int word = lane == units->lanes - LANES ? units->last : lane;
        const bits4 key_a = bits4_load(&units->key_a[lane]), key_b = bits4_load(&units->key_b[lane]);
        const bits4 even = bits4_load(row + 4 * word) & bits4_load(&units->mask[lane]);
        const bits4 odd = bits4_upper(even);
        a = bits4_add64(a, bits4_multiply(even, key_a));
        b = bits4_add64(b, bits4_multiply(even, key_b));
        a = bits4_add64(a, bits4_multiply(odd, bits4_upper(key_a)));
        b = bits4_add64(b, bits4_multiply(odd, bits4_upper(key_b)));
    }
    uint64_t sums[2][2];
    bits4_store(sums[0], a);
    bits4_store(sums[1], b);
    row_sums s = {sums[0][0] + sums[0][1], sums[1][0] + sums[1][1]};
    for (int i = 0; i < units->parts; i++) {
        const unit_part *part = &units->part[i];
        const uint64_t unit = part_of(row + part->offset, part->bytes) & part->mask;
        s.a += unit * part->key_a;
        s.b += unit * part->key_b;
    }
    return s;
}

/* Finds the units of a column's rows; of manifolds, with this many points. */
static void find_units(const dry_column *column, int points, row_units *units)
{
    const int words = (int)column->size / 4;
    units->lanes = words >= LANES && column->size % 4 == 0 ? (words + LANES - 1) / LANES * LANES : 0;
    units->last = words - LANES;
    memset(units, 0, offsetof(row_units, part));
    units->parts = 0;
    for (int i = 0; i < column->field_count; i++) {
        const dry_field *field = &column->fields[i];
        if (field->hashed_bits != 0)
            add_field(units, column, field,
                      field->by_point ? field->size / POINTS_MAX * points : field->size);
    }
    const uint64_t row = draw(column->number, 0, 0);
    units->row = (row_sums){(uint32_t)row, row >> 32};
    units->column = (row_sums){draw(column->number, 0, 1), draw(column->number, 0, 2)};
    units->standard = sum_units(units, column->standard);
}

static inline uint64_t hash_row(const row_units *units, const char *row, uint32_t number)
{
    const row_sums s = sum_units(units, row);
    if (s.a == units->standard.a && s.b == units->standard.b)
        return 0;
    const uint64_t a = s.a - units->standard.a + number * units->row.a + units->column.a;
    const uint64_t b = s.b - units->standard.b + number * units->row.b + units->column.b;
    return dry_hash_spread(dry_hash_spread(a) ^ b);
}

static bool is_hashed(const dry_column *column)
{
    bool hashed = false;
    for (int i = 0; i < column->field_count; i++)
        hashed = hashed || column->fields[i].hashed_bits != 0;
    return hashed;
}

uint64_t dry_column_hash(const dry_column *column, const dry_column_rows *rows)
{
    row_units units[POINTS_MAX + 1]; /* by the number of points */
    bool found[POINTS_MAX + 1] = {false};
    const int count = is_hashed(column) ? rows->count : 0;
    uint64_t sum = 0;
    for (int row = 0; row < count; row++) {
        if (!dry_row_counts(rows, row))
            continue;
        const int points = rows->points ? rows->points[row].points : 0;
        DRY_ASSERT(points <= POINTS_MAX);
        if (!found[points])
            find_units(column, points, &units[points]);
        found[points] = true;
        sum += hash_row(&units[points], dry_row_at(rows, row),
                        (uint32_t)(rows->bodies ? rows->bodies[row].slot : row));
    }
    return sum;
}

uint64_t dry_state_hash(const dry_tables *state)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    uint64_t sum = 0;
    dry_find_column_rows(state, rows);
    for (int i = 0; i < DRY_COLUMN_COUNT; i++)
        sum += dry_column_hash(&dry_columns[i], &rows[i]);
    return dry_hash_mix(0x6472797374306e65ull, sum);
}

uint64_t dry_state_motion_hash(const dry_bodies *bodies)
{
    uint64_t h = dry_hash_mix(0x6d6f74696f6e2121ull, (uint64_t)bodies->count);
    for (dry_body_iterator it = dry_bodies_by_age(bodies); dry_next_body(&it);) {
        const dry_body_pose *pose = &bodies->pose[it.row];
        const dry_body_velocity *velocity = &bodies->velocity[it.row];
        const float motion[] = {pose->orientation.x, pose->orientation.y, pose->orientation.z,
                                pose->orientation.w, velocity->linear.x,  velocity->linear.y,
                                velocity->linear.z,  velocity->angular.x, velocity->angular.y,
                                velocity->angular.z};
        h = dry_hash_mix_bytes(h, &pose->position, sizeof pose->position);
        h = dry_hash_mix_floats(h, motion, (int)(sizeof motion / sizeof *motion));
    }
    return h;
}
