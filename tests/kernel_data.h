/* What the kernel tests share: bundles, rows and a sweep with random contents, the names of all their
 * fields, every kernel of simd/kernel_list.h, and a comparison that says which field differs first.
 *
 * Random data keeps the bundles' contract: constraints of a bundle share no body, row 0 and an empty lane are
 * zero. How plausible the numbers are is a dataset's choice. */
#ifndef TESTS_KERNEL_DATA_H
#define TESTS_KERNEL_DATA_H

#include "tests/test_world.h"

#include "simd/dispatch.h"
#include "solver/bundles.h"

enum {
    DATA_BUNDLES = 5,
    DATA_ROWS = 1 + 40 /* few enough that the bundles of one range share bodies */
};

typedef struct kernel_data {
    _Alignas(64) dry_contact_bundle contact[DATA_BUNDLES];
    _Alignas(64) dry_contact_bundle_rare rare[DATA_BUNDLES];
    _Alignas(64) dry_ball_bundle ball[DATA_BUNDLES];
    _Alignas(64) dry_distance_bundle distance[DATA_BUNDLES];
    _Alignas(64) dry_solver_row rows[DATA_ROWS];
    _Alignas(64) dry_solver_row sums[DATA_ROWS];
    dry_sweep sweep;
} kernel_data;

/* Fields. */

typedef enum field_kind {
    FIELD_INTEGER, /* compared exactly; never a number that a kernel computes */
    FIELD_SIGNED,
    FIELD_UNIT, /* -1 to 1 */
    FIELD_POSITIVE,
    FIELD_SHARE /* at least 1, in empty lanes too */
} field_kind;

typedef enum field_side { NO_SIDE, SIDE_A, SIDE_B } field_side;

typedef struct field {
    const char *name;
    size_t offset, bytes;
    field_kind kind;
    field_side side; /* zero where that side is static */
} field;

#define FIELD(type, name, kind, side) {#name, offsetof(type, name), sizeof(((type *)0)->name), kind, side}

#define CONTACT(name, kind, side) FIELD(dry_contact_bundle, name, kind, side)
static const field contact_fields[] = {
    CONTACT(row_a, FIELD_INTEGER, NO_SIDE),
    CONTACT(row_b, FIELD_INTEGER, NO_SIDE),
    CONTACT(normal, FIELD_UNIT, NO_SIDE),
    CONTACT(tangent, FIELD_UNIT, NO_SIDE),
    CONTACT(lin_a, FIELD_POSITIVE, SIDE_A),
    CONTACT(lin_b, FIELD_POSITIVE, SIDE_B),
    CONTACT(ang_a, FIELD_SIGNED, SIDE_A),
    CONTACT(ang_b, FIELD_SIGNED, SIDE_B),
    CONTACT(separation, FIELD_SIGNED, NO_SIDE),
    CONTACT(inverse_mass, FIELD_POSITIVE, NO_SIDE),
    CONTACT(impulse, FIELD_POSITIVE, NO_SIDE),
    CONTACT(friction_a, FIELD_SIGNED, SIDE_A),
    CONTACT(friction_b, FIELD_SIGNED, SIDE_B),
    CONTACT(friction_mass, FIELD_SIGNED, NO_SIDE),
    CONTACT(friction_impulse, FIELD_SIGNED, NO_SIDE),
    CONTACT(twist_a, FIELD_SIGNED, SIDE_A),
    CONTACT(twist_b, FIELD_SIGNED, SIDE_B),
    CONTACT(twist_mass, FIELD_POSITIVE, NO_SIDE),
    CONTACT(twist_impulse, FIELD_SIGNED, NO_SIDE),
    CONTACT(friction, FIELD_POSITIVE, NO_SIDE),
    CONTACT(reach, FIELD_POSITIVE, NO_SIDE),
};
#undef CONTACT

#define RARE(name, kind, side) FIELD(dry_contact_bundle_rare, name, kind, side)
static const field rare_fields[] = {
    RARE(approach, FIELD_SIGNED, NO_SIDE),
    RARE(restitution, FIELD_POSITIVE, NO_SIDE),
    RARE(peak, FIELD_POSITIVE, NO_SIDE),
    RARE(met, FIELD_SIGNED, NO_SIDE),
    RARE(driven_normal, FIELD_SIGNED, NO_SIDE),
    RARE(driven_friction, FIELD_SIGNED, NO_SIDE),
    RARE(driven_twist, FIELD_SIGNED, NO_SIDE),
    RARE(share_a, FIELD_SHARE, NO_SIDE),
    RARE(share_b, FIELD_SHARE, NO_SIDE),
    RARE(friction_box, FIELD_POSITIVE, NO_SIDE),
    RARE(contact, FIELD_INTEGER, NO_SIDE),
    RARE(flags, FIELD_INTEGER, NO_SIDE),
    RARE(padding, FIELD_INTEGER, NO_SIDE),
};
#undef RARE

#define BALL(name, kind, side) FIELD(dry_ball_bundle, name, kind, side)
static const field ball_fields[] = {
    BALL(row_a, FIELD_INTEGER, NO_SIDE),
    BALL(row_b, FIELD_INTEGER, NO_SIDE),
    BALL(lin_a, FIELD_POSITIVE, SIDE_A),
    BALL(lin_b, FIELD_POSITIVE, SIDE_B),
    BALL(ang_a, FIELD_SIGNED, SIDE_A),
    BALL(ang_b, FIELD_SIGNED, SIDE_B),
    BALL(error, FIELD_SIGNED, NO_SIDE),
    BALL(driven, FIELD_SIGNED, NO_SIDE),
    BALL(turning, FIELD_SIGNED, NO_SIDE),
    BALL(inverse, FIELD_SIGNED, NO_SIDE),
    BALL(relax_inverse, FIELD_SIGNED, NO_SIDE),
    BALL(rate, FIELD_POSITIVE, NO_SIDE),
    BALL(softness, FIELD_POSITIVE, NO_SIDE),
    BALL(shrink, FIELD_POSITIVE, NO_SIDE),
    BALL(rigid, FIELD_POSITIVE, NO_SIDE),
    BALL(impulse, FIELD_SIGNED, NO_SIDE),
    BALL(share_a, FIELD_SHARE, NO_SIDE),
    BALL(share_b, FIELD_SHARE, NO_SIDE),
    BALL(joint, FIELD_INTEGER, NO_SIDE),
};
#undef BALL

#define DISTANCE(name, kind, side) FIELD(dry_distance_bundle, name, kind, side)
static const field distance_fields[] = {
    DISTANCE(row_a, FIELD_INTEGER, NO_SIDE),
    DISTANCE(row_b, FIELD_INTEGER, NO_SIDE),
    DISTANCE(lin_a, FIELD_POSITIVE, SIDE_A),
    DISTANCE(lin_b, FIELD_POSITIVE, SIDE_B),
    DISTANCE(axis, FIELD_UNIT, NO_SIDE),
    DISTANCE(ang_a, FIELD_SIGNED, SIDE_A),
    DISTANCE(ang_b, FIELD_SIGNED, SIDE_B),
    DISTANCE(error, FIELD_SIGNED, NO_SIDE),
    DISTANCE(driven, FIELD_SIGNED, NO_SIDE),
    DISTANCE(turning, FIELD_SIGNED, NO_SIDE),
    DISTANCE(inverse, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(relax_inverse, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(rate, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(softness, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(rigid, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(impulse, FIELD_SIGNED, NO_SIDE),
    DISTANCE(share_a, FIELD_SHARE, NO_SIDE),
    DISTANCE(share_b, FIELD_SHARE, NO_SIDE),
    DISTANCE(joint, FIELD_INTEGER, NO_SIDE),
};
#undef DISTANCE

#define ROW(name) FIELD(dry_solver_row, name, FIELD_SIGNED, NO_SIDE)
static const field row_fields[] = {ROW(ul), ROW(ua), ROW(dl), ROW(da), ROW(spare)};
#undef ROW

/* One of kernel_data's arrays. */
typedef struct array {
    const char *name;
    size_t offset, element_bytes;
    const field *fields;
    int field_count, count;
} array;

#define ARRAY(name, fields, count)                                                                           \
    {#name, offsetof(kernel_data, name), sizeof((kernel_data *)0)->name[0], fields, COUNT_OF(fields), count}
static const array data_arrays[] = {
    ARRAY(contact, contact_fields, DATA_BUNDLES),   ARRAY(rare, rare_fields, DATA_BUNDLES),
    ARRAY(ball, ball_fields, DATA_BUNDLES),         ARRAY(distance, distance_fields, DATA_BUNDLES),
    ARRAY(rows, row_fields, DATA_ROWS),             ARRAY(sums, row_fields, DATA_ROWS),
};

/* Kernels: one list of all, in the list's order. */

typedef enum kernel_kind { KERNEL_CONTACT, KERNEL_BALL, KERNEL_DISTANCE } kernel_kind;

typedef struct kernel_entry {
    const char *name;
    kernel_kind kind;
    size_t offset; /* in dry_kernels */
} kernel_entry;

static const kernel_entry all_kernels[] = {
#define X(name) {#name, KERNEL_CONTACT, offsetof(dry_kernels, name)},
    DRY_CONTACT_KERNELS(X)
#undef X
#define X(name) {#name, KERNEL_BALL, offsetof(dry_kernels, name)},
        DRY_BALL_KERNELS(X)
#undef X
#define X(name) {#name, KERNEL_DISTANCE, offsetof(dry_kernels, name)},
            DRY_DISTANCE_KERNELS(X)
#undef X
};

static inline bool kernel_is_jacobi(const kernel_entry *kernel)
{
    return strncmp(kernel->name, "jacobi_", 7) == 0;
}

static inline void kernel_run(const kernel_entry *kernel, const dry_kernels *table, kernel_data *data, int begin,
                              int end)
{
    const char *slot = (const char *)table + kernel->offset;
    data->sweep.rows = data->rows;
    data->sweep.sums = data->sums;
    if (kernel->kind == KERNEL_CONTACT) {
        dry_contact_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(data->contact, data->rare, begin, end, &data->sweep);
    } else if (kernel->kind == KERNEL_BALL) {
        dry_ball_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(data->ball, begin, end, &data->sweep);
    } else {
        dry_distance_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(data->distance, begin, end, &data->sweep);
    }
}

/* Comparison. */

static inline bool word_is_nan(uint32_t word)
{
    return (word & 0x7fffffffu) > 0x7f800000u;
}

/* Which NaN an operation gives is the processor's choice and decides nothing after it. */
static inline bool same_word(uint32_t a, uint32_t b, field_kind kind)
{
    return a == b || (kind != FIELD_INTEGER && word_is_nan(a) && word_is_nan(b));
}

/* True, and nothing printed, if elements [begin, end) are the same; of all arrays or the one named. */
static inline bool data_same(const kernel_data *a, const kernel_data *b, const char *only, int begin, int end)
{
    for (int k = 0; k < COUNT_OF(data_arrays); k++) {
        const array *all = &data_arrays[k];
        if (only && strcmp(only, all->name) != 0)
            continue;
        for (int i = begin; i < end && i < all->count; i++) {
            size_t at = all->offset + (size_t)i * all->element_bytes;
            if (memcmp((const char *)a + at, (const char *)b + at, all->element_bytes) == 0)
                continue;
            for (int f = 0; f < all->field_count; f++)
                for (size_t w = 0; w < all->fields[f].bytes; w += 4) {
                    uint32_t x, y;
                    size_t word = at + all->fields[f].offset + w;
                    memcpy(&x, (const char *)a + word, 4);
                    memcpy(&y, (const char *)b + word, 4);
                    if (same_word(x, y, all->fields[f].kind))
                        continue;
                    float fx, fy;
                    memcpy(&fx, &x, 4);
                    memcpy(&fy, &y, 4);
                    print_error("%s[%d].%s, number %d of its lanes: expected %08x (%a), found %08x (%a)\n",
                                all->name, i, all->fields[f].name, (int)(w / 4), x, (double)fx, y, (double)fy);
                    return false;
                }
        }
    }
    return true;
}

static inline bool data_all_same(const kernel_data *a, const kernel_data *b)
{
    return data_same(a, b, NULL, 0, DATA_ROWS > DATA_BUNDLES ? DATA_ROWS : DATA_BUNDLES);
}

/* Random contents. */

typedef struct dataset {
    double extreme;   /* share of numbers from the extreme ones */
    bool not_numbers; /* infinities and NaN among them */
    bool any_bits;    /* all numbers of random bits, also where the contract says zero */
} dataset;

static inline float random_extreme(uint64_t *seed, bool not_numbers)
{
    static const float pool[] = {0.0f,     -0.0f,    1e-45f,  -1e-45f, 1e-40f,   -1e-40f,  FLT_MIN,  -FLT_MIN,
                                 1e-20f,   -1e-20f,  1e20f,   -1e20f,  1e15f,    -1e15f,   FLT_MAX,  -FLT_MAX,
                                 1e-12f,   1e12f,    1.0f,    -1.0f,   16777216, 0.1f,     1e38f,    1e-38f,
                                 INFINITY, -INFINITY, NAN,    -NAN};
    return pool[random_below(seed, COUNT_OF(pool) - (not_numbers ? 0 : 4))];
}

static inline float random_number(uint64_t *seed, const dataset *set, field_kind kind)
{
    if (set->any_bits) {
        uint32_t bits = (uint32_t)(random_bits(seed) >> 32);
        float number;
        memcpy(&number, &bits, 4);
        return number;
    }
    if (random_in(seed, 0, 1) < set->extreme)
        return random_extreme(seed, set->not_numbers);
    switch (kind) {
    case FIELD_UNIT:
        return (float)random_in(seed, -1, 1);
    case FIELD_POSITIVE:
        return (float)random_in(seed, 0, 2);
    case FIELD_SHARE:
        return (float)(1 + random_below(seed, 8));
    default:
        return (float)random_in(seed, -2, 2);
    }
}

static inline void put_number(void *element, const field *f, int word, float number)
{
    memcpy((char *)element + f->offset + (size_t)word * 4, &number, 4);
}

/* Fills one bundle: lanes [0, used) hold constraints whose bodies' rows are drawn without repetition. */
static inline void fill_bundle(uint64_t *seed, const dataset *set, void *bundle, const array *all, int used)
{
    int32_t rows[DATA_ROWS], row[2][DRY_BUNDLE] = {{0}, {0}};
    for (int i = 0; i < DATA_ROWS; i++)
        rows[i] = i;
    for (int i = DATA_ROWS - 1; i > 1; i--) {
        int j = 1 + random_below(seed, i);
        int32_t swapped = rows[i];
        rows[i] = rows[j];
        rows[j] = swapped;
    }
    int next = 1;
    for (int lane = 0; lane < used; lane++) {
        int fixed = random_below(seed, 8); /* 0: side a is static, 1: side b */
        for (int side = 0; side < 2; side++)
            row[side][lane] = fixed == side ? 0 : rows[next++];
    }
    for (int f = 0; f < all->field_count; f++) {
        const field *one = &all->fields[f];
        if (strcmp(one->name, "row_a") == 0 || strcmp(one->name, "row_b") == 0) {
            memcpy((char *)bundle + one->offset, row[one->name[4] == 'b'], one->bytes);
            continue;
        }
        for (int w = 0; w < (int)(one->bytes / 4); w++) {
            int lane = w % DRY_BUNDLE;
            if (one->kind == FIELD_INTEGER) {
                int32_t index = one->bytes < 4 * DRY_BUNDLE ? 0 : lane < used ? 7 * lane : -1;
                memcpy((char *)bundle + one->offset + (size_t)w * 4, &index, 4);
                continue;
            }
            bool empty = lane >= used || (one->side == SIDE_A && row[0][lane] == 0) ||
                         (one->side == SIDE_B && row[1][lane] == 0);
            float number = random_number(seed, set, one->kind);
            if (empty && !set->any_bits)
                number = one->kind == FIELD_SHARE ? 1.0f : 0.0f;
            put_number(bundle, one, w, number);
        }
    }
}

/* The last bundle has `used` lanes in use, the others all. */
static inline void fill_data(kernel_data *data, uint64_t *seed, const dataset *set, int used)
{
    memset(data, 0, sizeof *data);
    for (int k = 0; k < COUNT_OF(data_arrays); k++) {
        const array *all = &data_arrays[k];
        char *elements = (char *)data + all->offset;
        for (int i = 0; i < all->count; i++) {
            void *element = elements + (size_t)i * all->element_bytes;
            if (all->count == DATA_BUNDLES)
                fill_bundle(seed, set, element, all, i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
            else
                for (int f = 0; f < all->field_count && i > 0; f++)
                    for (int w = 0; w < (int)(all->fields[f].bytes / 4); w++)
                        put_number(element, &all->fields[f], w, random_number(seed, set, FIELD_SIGNED));
        }
    }
    for (int i = 0; i < DATA_BUNDLES; i++)
        data->rare[i].flags = random_below(seed, 4);
    /* All of the sweep's numbers follow its pointers. */
    for (size_t at = offsetof(dry_sweep, time); at + sizeof(float) <= sizeof data->sweep; at += sizeof(float)) {
        float number = random_number(seed, set, FIELD_POSITIVE);
        memcpy((char *)&data->sweep + at, &number, sizeof number);
    }
}

#endif
