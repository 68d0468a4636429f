/* Hashes of the state: equal bits for equal states, whatever the threads, the instruction set, the compiler.
 *
 * Each field of each row makes a word from its number, its row and its bits; a hash is the sum of these
 * words. The order of walking does not enter: columns themselves say which row is first and which is next. */
#include "state/state.h"

#include "state/column_rows.h"
#include "state/hash_mix.h"
#include "state/iterators.h"

#include <string.h>

/* The hashed bits of an integer, at its place among zeros. */
static uint64_t masked(const char *bytes, const dry_field *field)
{
    uint64_t word = 0;
    memcpy(&word, bytes, field->size);
    return word & field->hashed_bits;
}

static uint64_t hash_row(const dry_column *column, const dry_column_rows *rows, int row)
{
    const char *at = (const char *)rows->rows + (size_t)row * rows->stride, *standard = column->standard;
    uint64_t key = (uint64_t)column->number << 40 | (uint32_t)(rows->bodies ? rows->bodies[row].slot : row);
    uint64_t sum = 0;
    for (int i = 0; i < column->field_count; i++) {
        const dry_field *field = &column->fields[i];
        const char *bytes = at + field->offset, *default_bytes = standard + field->offset;
        size_t size = field->size;
        if (field->hashed_bits == 0)
            continue;
        if (field->by_point)
            size = size / 4 * rows->points[row].points;
        if (memcmp(bytes, default_bytes, size) == 0)
            continue;
        uint64_t h = dry_hash_mix(key, field->number);
        if (field->hashed_bits == UINT64_MAX)
            sum += dry_hash_spread(dry_hash_mix_bytes(h, bytes, size));
        else if (masked(bytes, field) != masked(default_bytes, field))
            sum += dry_hash_spread(dry_hash_mix(h, masked(bytes, field)));
    }
    return sum;
}

static uint64_t hash_column(const dry_column *column, const dry_column_rows *rows)
{
    uint64_t sum = 0;
    for (int row = 0; row < rows->count; row++)
        if (dry_row_counts(rows, row))
            sum += hash_row(column, rows, row);
    return sum;
}

uint64_t dry_state_hash(const dry_state *state)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    uint64_t sum = 0;
    dry_find_column_rows(state, rows);
    for (int i = 0; i < DRY_COLUMN_COUNT; i++)
        sum += hash_column(&dry_columns[i], &rows[i]);
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
