/* What the kernel tests share: bundles, rows and what else a kernel reads, the names of all their fields,
 * every kernel of contacts and joints and how it is called, and a comparison that says which field differs
 * first. */
#ifndef TESTS_KERNEL_DATA_H
#define TESTS_KERNEL_DATA_H

#include "tests/test_world.h"

#include "solver/contacts/bundle.h"
#include "solver/contacts/kernel_list.h"
#include "solver/contacts/source.h"
#include "solver/joints/bundles.h"
#include "solver/joints/kernel_list.h"

enum {
    DATA_BUNDLES = 5,
    DATA_ROWS = 1 + 40,                            /* few enough that the bundles of one range share bodies */
    DATA_MANIFOLDS = 1 + DATA_BUNDLES * DRY_BUNDLE /* 0 is empty */
};

/* A dry_contact_source with indices for pointers, so that it may be copied and compared. Orientation 0 is no
 * turn. */
typedef struct data_source {
    int32_t manifold[DRY_BUNDLE], turn_a[DRY_BUNDLE], turn_b[DRY_BUNDLE];
    dry_lanes normal[3], apart[3], friction, rise, impulse_scale, count, share[2], driven[4][3];
} data_source;

typedef struct kernel_data {
    _Alignas(64) dry_contact_bundle contact[DATA_BUNDLES];
    _Alignas(64) dry_contact_bundle_rare rare[DATA_BUNDLES];
    _Alignas(64) dry_ball_bundle ball[DATA_BUNDLES];
    _Alignas(64) dry_distance_bundle distance[DATA_BUNDLES];
    _Alignas(64) data_source source[DATA_BUNDLES];
    dry_contact_speeds speeds[DATA_BUNDLES];
    dry_contact_note notes[DATA_BUNDLES]; /* each bundle has its own record; lanes as filled */
    _Alignas(64) dry_solver_row rows[DATA_ROWS];
    _Alignas(64) dry_solver_row sums[DATA_ROWS];
    _Alignas(64) dry_manifold manifold[DATA_MANIFOLDS];
    _Alignas(64) dry_quat turn[DATA_ROWS];
    dry_sweep sweep;
    dry_prepare prepare;
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

#define FIELD(type, name, kind, side)                                                                        \
    {                                                                                                        \
#name, offsetof(type, name), sizeof(((type *)0)->name), kind, side                                   \
    }

#define CONTACT(name, kind, side) FIELD(dry_contact_bundle, name, kind, side)
static const field contact_fields[] = {
    CONTACT(row_a, FIELD_INTEGER, NO_SIDE),        CONTACT(row_b, FIELD_INTEGER, NO_SIDE),
    CONTACT(normal, FIELD_UNIT, NO_SIDE),          CONTACT(lin_a, FIELD_POSITIVE, SIDE_A),
    CONTACT(lin_b, FIELD_POSITIVE, SIDE_B),        CONTACT(axis_a, FIELD_SIGNED, SIDE_A),
    CONTACT(axis_b, FIELD_SIGNED, SIDE_B),         CONTACT(lever_a, FIELD_SIGNED, NO_SIDE),
    CONTACT(lever_b, FIELD_SIGNED, NO_SIDE),       CONTACT(offset, FIELD_SIGNED, NO_SIDE),
    CONTACT(separation, FIELD_SIGNED, NO_SIDE),    CONTACT(inverse_mass, FIELD_POSITIVE, NO_SIDE),
    CONTACT(coupling, FIELD_SIGNED, NO_SIDE),      CONTACT(impulse, FIELD_POSITIVE, NO_SIDE),
    CONTACT(friction_mass, FIELD_SIGNED, NO_SIDE), CONTACT(friction_impulse, FIELD_SIGNED, NO_SIDE),
    CONTACT(twist_impulse, FIELD_SIGNED, NO_SIDE), CONTACT(friction, FIELD_POSITIVE, NO_SIDE),
    CONTACT(reach, FIELD_POSITIVE, NO_SIDE),
};
#undef CONTACT

#define RARE(name, kind, side) FIELD(dry_contact_bundle_rare, name, kind, side)
static const field rare_fields[] = {
    RARE(approach, FIELD_SIGNED, NO_SIDE),      RARE(restitution, FIELD_POSITIVE, NO_SIDE),
    RARE(peak, FIELD_POSITIVE, NO_SIDE),        RARE(met, FIELD_SIGNED, NO_SIDE),
    RARE(driven_normal, FIELD_SIGNED, NO_SIDE), RARE(driven_friction, FIELD_SIGNED, NO_SIDE),
    RARE(driven_twist, FIELD_SIGNED, NO_SIDE),  RARE(share_a, FIELD_SHARE, NO_SIDE),
    RARE(share_b, FIELD_SHARE, NO_SIDE),        RARE(friction_box, FIELD_POSITIVE, NO_SIDE),
    RARE(flags, FIELD_INTEGER, NO_SIDE),        RARE(padding, FIELD_INTEGER, NO_SIDE),
};
#undef RARE

#define BALL(name, kind, side) FIELD(dry_ball_bundle, name, kind, side)
static const field ball_fields[] = {
    BALL(row_a, FIELD_INTEGER, NO_SIDE),        BALL(row_b, FIELD_INTEGER, NO_SIDE),
    BALL(lin_a, FIELD_POSITIVE, SIDE_A),        BALL(lin_b, FIELD_POSITIVE, SIDE_B),
    BALL(ang_a, FIELD_SIGNED, SIDE_A),          BALL(ang_b, FIELD_SIGNED, SIDE_B),
    BALL(error, FIELD_SIGNED, NO_SIDE),         BALL(driven, FIELD_SIGNED, NO_SIDE),
    BALL(turning, FIELD_SIGNED, NO_SIDE),       BALL(inverse, FIELD_SIGNED, NO_SIDE),
    BALL(relax_inverse, FIELD_SIGNED, NO_SIDE), BALL(rate, FIELD_POSITIVE, NO_SIDE),
    BALL(softness, FIELD_POSITIVE, NO_SIDE),    BALL(shrink, FIELD_POSITIVE, NO_SIDE),
    BALL(rigid, FIELD_POSITIVE, NO_SIDE),       BALL(impulse, FIELD_SIGNED, NO_SIDE),
    BALL(joint, FIELD_INTEGER, NO_SIDE),
};
#undef BALL

#define DISTANCE(name, kind, side) FIELD(dry_distance_bundle, name, kind, side)
static const field distance_fields[] = {
    DISTANCE(row_a, FIELD_INTEGER, NO_SIDE),    DISTANCE(row_b, FIELD_INTEGER, NO_SIDE),
    DISTANCE(lin_a, FIELD_POSITIVE, SIDE_A),    DISTANCE(lin_b, FIELD_POSITIVE, SIDE_B),
    DISTANCE(axis, FIELD_UNIT, NO_SIDE),        DISTANCE(ang_a, FIELD_SIGNED, SIDE_A),
    DISTANCE(ang_b, FIELD_SIGNED, SIDE_B),      DISTANCE(error, FIELD_SIGNED, NO_SIDE),
    DISTANCE(driven, FIELD_SIGNED, NO_SIDE),    DISTANCE(turning, FIELD_SIGNED, NO_SIDE),
    DISTANCE(inverse, FIELD_POSITIVE, NO_SIDE), DISTANCE(relax_inverse, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(rate, FIELD_POSITIVE, NO_SIDE),    DISTANCE(softness, FIELD_POSITIVE, NO_SIDE),
    DISTANCE(rigid, FIELD_POSITIVE, NO_SIDE),   DISTANCE(impulse, FIELD_SIGNED, NO_SIDE),
    DISTANCE(joint, FIELD_INTEGER, NO_SIDE),
};
#undef DISTANCE

#define SOURCE(name, kind) FIELD(data_source, name, kind, NO_SIDE)
static const field source_fields[] = {
    SOURCE(manifold, FIELD_INTEGER), SOURCE(turn_a, FIELD_INTEGER),         SOURCE(turn_b, FIELD_INTEGER),
    SOURCE(normal, FIELD_UNIT),      SOURCE(apart, FIELD_SIGNED),           SOURCE(friction, FIELD_POSITIVE),
    SOURCE(rise, FIELD_SIGNED),      SOURCE(impulse_scale, FIELD_POSITIVE), SOURCE(count, FIELD_INTEGER),
    SOURCE(share, FIELD_SHARE),      SOURCE(driven, FIELD_SIGNED),
};
#undef SOURCE

static const field speeds_fields[] = {FIELD(dry_contact_speeds, fastest, FIELD_SIGNED, NO_SIDE)};

#define ROW(name) FIELD(dry_solver_row, name, FIELD_SIGNED, NO_SIDE)
static const field row_fields[] = {ROW(ul),           ROW(ua), ROW(dl), ROW(da), ROW(inv_sqrt_inertia),
                                   ROW(inv_sqrt_mass)};
#undef ROW

/* One of kernel_data's arrays. */
typedef struct array {
    const char *name;
    size_t offset, element_bytes;
    const field *fields;
    int field_count, count;
} array;

#define ARRAY(name, fields, count)                                                                           \
    {                                                                                                        \
#name, offsetof(kernel_data, name),                                                                  \
            sizeof((kernel_data *)0)->name[0], fields, COUNT_OF(fields), count                               \
    }
enum { BUNDLE_ARRAYS = 6, RANDOM_ARRAYS = 4 }; /* the first of them: one element per bundle */
static const array data_arrays[] = {
    ARRAY(contact, contact_fields, DATA_BUNDLES), ARRAY(rare, rare_fields, DATA_BUNDLES),
    ARRAY(ball, ball_fields, DATA_BUNDLES),       ARRAY(distance, distance_fields, DATA_BUNDLES),
    ARRAY(source, source_fields, DATA_BUNDLES),   ARRAY(speeds, speeds_fields, DATA_BUNDLES),
    ARRAY(rows, row_fields, DATA_ROWS),           ARRAY(sums, row_fields, DATA_ROWS),
};

/* Kernels: one list of all, in the list's order. */

typedef enum kernel_kind { KERNEL_CONTACT, KERNEL_PREPARE, KERNEL_BALL, KERNEL_DISTANCE } kernel_kind;

typedef struct kernel_entry {
    const char *name;
    kernel_kind kind;
    size_t offset; /* in its family's table */
} kernel_entry;

static const kernel_entry all_kernels[] = {
#define X(name) {#name, KERNEL_CONTACT, offsetof(dry_contact_kernels, name)},
    DRY_CONTACT_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_PREPARE, offsetof(dry_contact_kernels, name)},
        DRY_CONTACT_PREPARES(X)
#undef X
#define X(name) {#name, KERNEL_BALL, offsetof(dry_joint_kernels, name)},
            DRY_BALL_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_DISTANCE, offsetof(dry_joint_kernels, name)},
                DRY_DISTANCE_SWEEPS(X)
#undef X
};

/* Returns where a level's table has the pointer to a kernel. */
static inline const void *kernel_at(const kernel_entry *kernel, dry_level level)
{
    bool of_contacts = kernel->kind == KERNEL_CONTACT || kernel->kind == KERNEL_PREPARE;
    const void *table =
        of_contacts ? (const void *)dry_contact_kernels_at(level) : (const void *)dry_joint_kernels_at(level);
    return (const char *)table + kernel->offset;
}

static inline bool kernel_is_jacobi(const kernel_entry *kernel)
{
    return strncmp(kernel->name, "jacobi_", 7) == 0;
}

/* With or without rare records. */
static inline void prepare_run(dry_contact_prepare *run, kernel_data *data, int begin, int end, bool rare)
{
    static const float zero[4][3][DRY_BUNDLE];
    data->prepare.rows = data->rows;
    for (int b = begin; b < end; b++) {
        const data_source *from = &data->source[b];
        dry_contact_source source;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            source.manifold[lane] = &data->manifold[from->manifold[lane]];
            source.orientation_a[lane] = &data->turn[from->turn_a[lane]];
            source.orientation_b[lane] = &data->turn[from->turn_b[lane]];
        }
        memcpy(source.normal, from->normal, sizeof source.normal);
        memcpy(source.apart, from->apart, sizeof source.apart);
        memcpy(source.friction, from->friction, sizeof source.friction);
        memcpy(source.rise, from->rise, sizeof source.rise);
        memcpy(source.impulse_scale, from->impulse_scale, sizeof source.impulse_scale);
        memcpy(source.count, from->count, sizeof source.count);
        memcpy(source.share, from->share, sizeof source.share);
        memcpy(source.driven, from->driven, sizeof source.driven);
        source.is_driven = memcmp(from->driven, zero, sizeof zero) != 0;
        run(&source, &data->contact[b], rare ? &data->rare[b] : NULL, &data->speeds[b], &data->prepare);
    }
}

static inline void kernel_run(const kernel_entry *kernel, dry_level level, kernel_data *data, int begin,
                              int end)
{
    const void *slot = kernel_at(kernel, level);
    data->sweep.rows = data->rows;
    data->sweep.sums = data->sums;
    data->sweep.notes = data->notes;
    for (int b = 0; b < DATA_BUNDLES; b++)
        data->notes[b].rare = b;
    if (kernel->kind == KERNEL_CONTACT) {
        dry_contact_sweep *run;
        memcpy(&run, slot, sizeof run);
        run(data->contact, data->rare, begin, end, &data->sweep);
    } else if (kernel->kind == KERNEL_PREPARE) {
        dry_contact_prepare *run;
        memcpy(&run, slot, sizeof run);
        prepare_run(run, data, begin, end, true);
    } else if (kernel->kind == KERNEL_BALL) {
        dry_ball_sweep *run;
        memcpy(&run, slot, sizeof run);
        run(data->ball, begin, end, &data->sweep);
    } else {
        dry_distance_sweep *run;
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
                                all->name, i, all->fields[f].name, (int)(w / 4), x, (double)fx, y,
                                (double)fy);
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

#endif
