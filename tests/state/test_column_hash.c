/* The hash of a column, and the sums of its fields, against its equations, unit by unit, and on rows that
 * differ little: by one bit, by signs, by an exchange, in one row or between two. */
#include "tests/test_world.h"

#include "state/column_rows.h"
#include "state/field_sums.h"
#include "state/hash_mix.h"

enum { ROWS = 6 };

/* The rows of a column, with a contact's number of points for each. */
typedef struct random_rows {
    char *bytes;
    dry_contact_link links[ROWS];
    dry_column_rows rows;
} random_rows;

static void make_rows(random_rows *r, const dry_column *column, uint64_t seed)
{
    r->bytes = malloc(ROWS * column->size);
    assert_non_null(r->bytes);
    for (size_t i = 0; i < ROWS * column->size; ++i)
        r->bytes[i] = (char)random_bits(&seed);
    bool by_point = false;
    for (int i = 0; i < column->field_count; ++i)
        by_point = by_point || column->fields[i].by_point;
    for (int row = 0; row < ROWS; ++row)
        r->links[row] = (dry_contact_link){.points = (uint8_t)(row % 5)};
    r->rows = (dry_column_rows){
        .rows = r->bytes, .stride = column->size, .count = ROWS, .points = by_point ? r->links : NULL};
}

/* The equations of state/hash.c, with one product after the other. */

static uint64_t draw(int column, int field, int unit)
{
    const uint64_t number = ((uint64_t)column << 32) + ((uint64_t)field << 16) + (uint64_t)unit;
    return dry_hash_spread(number * UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns the bits of a unit that count. */
static uint64_t unit_of(const dry_field *field, const char *row, int unit, int size)
{
    uint64_t bits = 0;
    for (int i = 4 * unit; i < 4 * unit + 4 && i < size; ++i)
        bits |= (uint64_t)(unsigned char)row[field->offset + i] << 8 * (i % 4);
    return bits & (field->hashed_bits >> 32 * (unit % 2));
}

static uint64_t expected_row(const dry_column *column, const char *row, uint64_t number, int points)
{
    uint64_t a = 0, b = 0;
    for (int i = 0; i < column->field_count; ++i) {
        const dry_field *field = &column->fields[i];
        const int size = field->by_point ? field->size * points / 4 : field->size;
        for (int unit = 0; 4 * unit < size; ++unit) {
            const uint64_t key = draw(column->number, field->number, unit);
            const uint64_t change =
                unit_of(field, row, unit, size) - unit_of(field, column->standard, unit, size);
            a += change * (key & UINT32_MAX);
            b += change * (key >> 32);
        }
    }
    if (a == 0 && b == 0)
        return 0;
    const uint64_t key = draw(column->number, 0, 0);
    a += number * (key & UINT32_MAX) + draw(column->number, 0, 1);
    b += number * (key >> 32) + draw(column->number, 0, 2);
    return dry_hash_spread(dry_hash_spread(a) ^ b);
}

static void test_equations(void **state)
{
    (void)state;
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        const dry_column *column = &dry_columns[id];
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            random_rows r;
            uint64_t expected = 0;
            make_rows(&r, column, seed);
            memcpy(r.bytes, column->standard, column->size);
            for (int row = 0; row < ROWS; ++row)
                expected += expected_row(column, r.bytes + (size_t)row * column->size, (uint64_t)row,
                                         r.rows.points ? row % 5 : 0);
            if (dry_column_hash(column, &r.rows) != expected)
                fail_msg("%s, seed %d", column->id, (int)seed);
            free(r.bytes);
        }
    }
}

/* A row of defaults adds nothing, and keys that could hide a difference are not there. */
static void test_keys(void **state)
{
    (void)state;
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        const dry_column *column = &dry_columns[id];
        const dry_column_rows rows = {.rows = column->standard, .stride = column->size, .count = 1};
        const dry_contact_link link = {.points = 4};
        dry_column_rows standard = rows;
        if (id == DRY_COLUMN_CONTACT_MANIFOLD)
            standard.points = &link;
        assert_true(dry_column_hash(column, &standard) == 0);
        for (int i = 0; i < column->field_count; ++i)
            for (int unit = 0; 4 * unit < column->fields[i].size; ++unit) {
                const uint64_t key = draw(column->number, column->fields[i].number, unit);
                assert_true((uint32_t)key != 0 && key >> 32 != 0);
            }
    }
}

/* A struct that no world has, in two layouts: with whole words, and with all fields across words. */
typedef struct laid_out {
    dry_column column;
    dry_field fields[5];
    char standard[64];
} laid_out;

static const struct {
    uint16_t size;
    uint64_t bits;
} made_up[5] = {{8, UINT64_MAX}, {6, UINT64_MAX}, {4, 0x00ff00ff}, {16, UINT64_MAX}, {1, UINT64_MAX}};

static void lay_out(laid_out *l, const int offset[5], int size)
{
    memset(l, 0, sizeof *l);
    for (int i = 0; i < 5; ++i) {
        l->fields[i] = (dry_field){.number = (uint16_t)(i + 1),
                                   .offset = (uint16_t)offset[i],
                                   .size = made_up[i].size,
                                   .hashed_bits = made_up[i].bits};
        memset(l->standard + offset[i], i, made_up[i].size);
    }
    l->column = (dry_column){.id = "MADE_UP",
                             .fields = l->fields,
                             .standard = l->standard,
                             .size = (size_t)size,
                             .number = 999,
                             .field_count = 5};
}

/* The hash knows fields by their numbers: where they are in a row, and how long the row is, does not count.
 */
static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        int offset[5], size;
    } layouts[] = {{{0, 8, 16, 20, 36}, 40},  {{30, 24, 16, 0, 20}, 44}, {{1, 9, 15, 19, 0}, 35},
                   {{28, 0, 8, 12, 6}, 36},   {{40, 50, 60, 4, 3}, 64},  {{0, 42, 48, 12, 63}, 64},
                   {{4, 24, 12, 33, 50}, 51}, {{20, 32, 28, 4, 39}, 40}};
    uint64_t seed = 77;
    for (int round = 0; round < 200; ++round) {
        char value[5][16];
        for (int i = 0; i < 5; ++i)
            for (int k = 0; k < 16; ++k)
                value[i][k] = (char)random_bits(&seed);
        uint64_t first = 0;
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
            laid_out l;
            char row[3 * 64];
            lay_out(&l, layouts[k].offset, layouts[k].size);
            for (size_t i = 0; i < sizeof row; ++i)
                row[i] = (char)random_bits(&seed); /* what is no field adds nothing */
            for (int i = 0; i < 5; ++i)
                memcpy(row + l.column.size + layouts[k].offset[i], value[i], made_up[i].size);
            memcpy(row, l.standard, l.column.size);
            memcpy(row + 2 * l.column.size, l.standard, l.column.size);
            const dry_column_rows rows = {.rows = row, .stride = l.column.size, .count = 3};
            const uint64_t hash = dry_column_hash(&l.column, &rows);
            first = k == 0 ? hash : first;
            assert_true(hash == first && hash != 0);
        }
    }
}

/* Many states that differ little from one another. */
typedef struct hashes {
    uint64_t *hash;
    int count, room;
} hashes;

static void keep(hashes *all, uint64_t hash)
{
    assert_true(all->count < all->room);
    all->hash[all->count++] = hash;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns how many neighbors in order are equal, of the bits that are left after a rotation and a shift. */
static int collisions(hashes *all, int rotation, int shift)
{
    int equal = 0;
    uint64_t *part = malloc((size_t)all->count * sizeof *part);
    assert_non_null(part);
    for (int i = 0; i < all->count; ++i) {
        const uint64_t h = all->hash[i];
        part[i] = (rotation ? h << rotation | h >> (64 - rotation) : h) >> shift;
    }
    qsort(part, (size_t)all->count, sizeof *part, compare);
    for (int i = 1; i < all->count; ++i)
        equal += part[i] == part[i - 1];
    free(part);
    return equal;
}

/* No two of n hashes are equal. Each 32 bits of them have about n^2 / 2^33 equal pairs, as chance has. */
static void assert_spread(hashes *all)
{
    const double expected = (double)all->count * all->count / 8589934592.0;
    assert_int_equal(collisions(all, 0, 0), 0);
    for (int rotation = 0; rotation < 64; rotation += 8)
        assert_true(collisions(all, rotation, 32) <= expected + 6.0 * sqrt(expected) + 3.0);
}

/* The rows of two poses. */
typedef struct two_poses {
    dry_body_pose pose[2];
} two_poses;

static uint64_t hash_of(const two_poses *p)
{
    const dry_column_rows rows = {.rows = p->pose, .stride = sizeof p->pose[0], .count = 2};
    return dry_column_hash(&dry_columns[DRY_COLUMN_BODY_POSE], &rows);
}

static const two_poses near_each_other = {
    {{{1.5, 2.25, -3.0}, {0.5f, 0.5f, 0.5f, 0.5f}}, {{1.5, 3.25, -3.0}, {0.5f, 0.5f, 0.5f, -0.5f}}}};

static two_poses flipped(const two_poses *p, int bit)
{
    two_poses other = *p;
    ((char *)&other)[bit / 8] ^= (char)(1 << bit % 8);
    return other;
}

/* Every one and every two bits of two rows. */
static void test_flipped_bits(void **state)
{
    (void)state;
    enum { BITS = 8 * sizeof(two_poses) };
    hashes all = {.room = 1 + BITS + BITS * (BITS - 1) / 2};
    all.hash = malloc((size_t)all.room * sizeof *all.hash);
    assert_non_null(all.hash);
    keep(&all, hash_of(&near_each_other));
    int changed[64] = {0};
    for (int i = 0; i < BITS; ++i) {
        const two_poses one = flipped(&near_each_other, i);
        const uint64_t change = hash_of(&one) ^ all.hash[0];
        for (int k = 0; k < 64; ++k)
            changed[k] += (int)(change >> k & 1);
        keep(&all, hash_of(&one));
        for (int j = 0; j < i; ++j) {
            const two_poses two = flipped(&one, j);
            keep(&all, hash_of(&two));
        }
    }
    assert_spread(&all);
    /* Each bit of the hash follows each bit of the state by half: 320 of 640, with a deviation of 12.6. */
    for (int k = 0; k < 64; ++k)
        assert_in_range(changed[k], BITS / 2 - 63, BITS / 2 + 63);
    free(all.hash);
}

/* All choices of signs of the 14 numbers, which are the highest bits of units alone. */
static void test_signs(void **state)
{
    (void)state;
    hashes all = {.room = 1 << 14};
    all.hash = malloc((size_t)all.room * sizeof *all.hash);
    assert_non_null(all.hash);
    for (int signs = 0; signs < 1 << 14; ++signs) {
        two_poses p = near_each_other;
        for (int k = 0; k < 14; ++k) {
            const int of = k % 7, last = of < 3 ? 8 * of + 7 : 24 + 4 * (of - 3) + 3;
            ((char *)&p.pose[k / 7])[last] ^= (char)((signs >> k & 1) << 7);
        }
        keep(&all, hash_of(&p));
    }
    assert_spread(&all);
    free(all.hash);
}

/* Small numbers in all words of both rows, in all orders: what a sum or a chain of sums would confuse. */
static void test_small_numbers(void **state)
{
    (void)state;
    enum { VALUES = 3, PLACES = 10, ALL = 59049 }; /* 3^10 */
    hashes all = {.room = ALL - 1};
    all.hash = malloc((size_t)all.room * sizeof *all.hash);
    assert_non_null(all.hash);
    for (int i = 1; i < ALL; ++i) {
        int32_t row[2][6] = {{0}};
        for (int k = 0, left = i; k < PLACES; ++k, left /= VALUES)
            row[k / 5][k % 5] = left % VALUES;
        const dry_column_rows rows = {.rows = row, .stride = sizeof row[0], .count = 2};
        keep(&all, dry_column_hash(&dry_columns[DRY_COLUMN_BODY_VELOCITY], &rows));
    }
    assert_spread(&all);
    free(all.hash);
}

/* The equation of state/field_sums.h: a unit and its default, byte by byte. */
static uint64_t sum_unit_of(const dry_sum_unit *unit, const char *row)
{
    uint64_t bits = 0;
    for (int i = 0; i < unit->bytes; ++i)
        bits |= (uint64_t)(unsigned char)row[unit->offset + i] << 8 * i;
    return bits & unit->mask;
}

static uint64_t sum_key(int row)
{
    return (((uint32_t)row + 1) * 2654435769u >> 2) | 1u << 30 | 1u;
}

static uint64_t expected_sum(const dry_sum_unit *unit, const dry_column *column, const random_rows *r)
{
    uint64_t sum = 0;
    for (int row = 0; row < ROWS; ++row)
        if (unit->point < (r->rows.points ? row % 5 : 0))
            sum += (sum_unit_of(unit, r->bytes + (size_t)row * column->size) -
                    sum_unit_of(unit, column->standard)) *
                   sum_key(row);
    return sum;
}

/* Sums of each unit against the equation; a row that changes is found, with what it was. */
static void test_sums(void **state)
{
    (void)state;
    static dry_sum_units units;
    static uint64_t sums[DRY_SUM_UNITS_MAX], changed[DRY_SUM_UNITS_MAX];
    dry_sum_units_find(&units);
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id)
        for (uint64_t seed = 1; seed <= 10; ++seed) {
            const dry_column *column = &dry_columns[id];
            const dry_sum_layout *layout = &units.layout[id];
            random_rows r;
            make_rows(&r, column, seed);
            memset(sums, 0, sizeof sums);
            memset(changed, 0, sizeof changed);
            dry_sum_rows(&units, id, &r.rows, 0, 2, sums);
            dry_sum_rows(&units, id, &r.rows, 2, ROWS, sums);
            for (int i = layout->first; i < layout->end; ++i)
                if (sums[i] != expected_sum(&units.unit[i], column, &r))
                    fail_msg("%s, unit %d, seed %d", column->id, i - layout->first, (int)seed);
            char *at = r.bytes + 4 * column->size;
            for (size_t i = 0; i < column->size; ++i)
                at[i] = (char)(at[i] ^ (i * 7 + seed));
            dry_sum_rows(&units, id, &r.rows, 0, ROWS, changed);
            for (int i = layout->first; i < layout->end; ++i) {
                const dry_sum_difference d = dry_sum_find_row(&units, id, i, &r.rows, changed[i], sums[i]);
                assert_true(changed[i] == sums[i] || d.row == 4);
                assert_true(changed[i] == sums[i] || d.here == sum_unit_of(&units.unit[i], at));
            }
            free(r.bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations), cmocka_unit_test(test_keys),
        cmocka_unit_test(test_layouts),   cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_signs),     cmocka_unit_test(test_small_numbers),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
