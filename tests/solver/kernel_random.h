/* Random contents for kernel_data.h.
 *
 * The draws keep the bundles' contract: constraints of a bundle share no body, row 0 and an empty lane are
 * zero. How plausible the numbers are is the dataset's choice. */
#ifndef TESTS_SOLVER_KERNEL_RANDOM_H
#define TESTS_SOLVER_KERNEL_RANDOM_H

#include "tests/solver/kernel_data.h"

typedef struct dataset {
    double extreme;   /* share of numbers from the extreme ones */
    bool not_numbers; /* infinities and NaN among them */
    bool any_bits;    /* all numbers of random bits, also where the contract says zero */
} dataset;

static inline float random_extreme(uint64_t *seed, bool not_numbers)
{
    static const float pool[] = {0.0f,     -0.0f,    1e-45f,  -1e-45f,  1e-40f,    -1e-40f, FLT_MIN,
                                 -FLT_MIN, 1e-20f,   -1e-20f, 1e20f,    -1e20f,    1e15f,   -1e15f,
                                 FLT_MAX,  -FLT_MAX, 1e-12f,  1e12f,    1.0f,      -1.0f,   16777216,
                                 0.1f,     1e38f,    1e-38f,  INFINITY, -INFINITY, NAN,     -NAN};
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
    case FIELD_FORM:
        return (float)random_below(seed, DRY_FORM_COUNT);
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
    int32_t rows[DATA_ROWS], row[DRY_QUAD_SIDES][DRY_BUNDLE] = {{0}};
    const int sides = all->fields == quad_fields ? DRY_QUAD_SIDES : 2;
    for (int i = 0; i < DATA_ROWS; i++)
        rows[i] = i;
    for (int i = DATA_ROWS - 1; i > 1; i--) {
        int j = 1 + random_below(seed, i);
        int32_t swapped = rows[i];
        rows[i] = rows[j];
        rows[j] = swapped;
    }
    /* As many of the four bodies move as there are rows for. */
    static const int movers[] = {4, 1, 3, 2};
    int next = 1;
    for (int lane = 0; lane < used; lane++) {
        int fixed = random_below(seed, 8); /* 0: side a is static, 1: side b */
        for (int side = 0; side < sides; side++)
            row[side][lane] = (sides == 2 ? fixed == side : (fixed + side) % sides >= movers[lane % sides])
                                  ? 0
                                  : rows[next++];
    }
    for (int f = 0; f < all->field_count; f++) {
        const field *one = &all->fields[f];
        if (strncmp(one->name, "row_", 4) == 0) {
            memcpy((char *)bundle + one->offset, row[one->name[4] - 'a'], one->bytes);
            continue;
        }
        if (one->kind == FIELD_LANES) {
            /* Lanes that are not in use hold zeros, but for random bits. */
            const int32_t lanes = set->any_bits ? DRY_BUNDLE : used;
            memcpy((char *)bundle + one->offset, &lanes, sizeof lanes);
            continue;
        }
        if (one->kind == FIELD_CHOICE) {
            for (int w = 0; w < (int)(one->bytes / 4); w++) {
                const int32_t choice = random_below(seed, one->most + 1);
                memcpy((char *)bundle + one->offset + (size_t)w * 4, &choice, 4);
            }
            continue;
        }
        for (int w = 0; w < (int)(one->bytes / 4); w++) {
            int lane = w % DRY_BUNDLE;
            if (one->kind == FIELD_INTEGER) {
                int32_t index = one->bytes < 4 * DRY_BUNDLE ? 0 : lane < used ? 7 * lane : -1;
                memcpy((char *)bundle + one->offset + (size_t)w * 4, &index, 4);
                continue;
            }
            bool empty = lane >= used || (one->side != NO_SIDE && row[one->side - SIDE_A][lane] == 0);
            float number = random_number(seed, set, one->kind);
            if (empty && !set->any_bits)
                number = one->kind == FIELD_SHARE ? 1.0f : 0.0f;
            put_number(bundle, one, w, number);
        }
    }
}

/* Random numbers, `count` of them. */
static inline void fill_floats(uint64_t *seed, const dataset *set, field_kind kind, void *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float number = random_number(seed, set, kind);
        memcpy((char *)to + 4 * i, &number, 4);
    }
}

/* The inputs of the prepare kernel besides rows: manifolds with up to four points, of which those beyond the
 * count hold anything; orientations; shares. A bundle in four has kinematic bodies. */
static inline void fill_sources(kernel_data *data, uint64_t *seed, const dataset *set, int used)
{
    static const dataset plain = {0.0, false, false};
    data->orientation[0].w = 1.0f;
    for (int i = 1; i < DATA_ROWS; i++) {
        data->orientation[i] = random_quat(seed);
        if (set->any_bits)
            fill_floats(seed, set, FIELD_SIGNED, &data->orientation[i], 4);
    }
    for (int i = 1; i < DATA_MANIFOLDS; i++) {
        dry_manifold *m = &data->manifold[i];
        fill_floats(seed, set, FIELD_SIGNED, m, offsetof(dry_manifold, normal) / 4);
        fill_floats(seed, set, FIELD_SIGNED, &m->built_orientation, 4);
        fill_floats(seed, set, FIELD_POSITIVE, m->impulse, 4);
        for (int k = 0; k < 3; k++) {
            m->built_position[k] = (double)random_number(seed, set, FIELD_SIGNED);
            m->built[k] = (uint16_t)random_below(seed, 1 << 16);
        }
    }
    for (int b = 0; b < DATA_BUNDLES; b++) {
        data_source *s = &data->source[b];
        int lanes = b == DATA_BUNDLES - 1 ? used : DRY_BUNDLE;
        bool kinematic = random_below(seed, 4) == 0;
        for (int lane = lanes; lane < DRY_BUNDLE; lane++)
            s->normal[1][lane] = s->share[0][lane] = s->share[1][lane] = 1.0f;
        for (int lane = 0; lane < lanes; lane++) {
            s->manifold[lane] = 1 + b * DRY_BUNDLE + lane;
            s->orientation_a[lane] = 1 + random_below(seed, DATA_ROWS - 1);
            s->orientation_b[lane] = 1 + random_below(seed, DATA_ROWS - 1);
            s->held[lane] = b % 2 && random_below(seed, 4) == 0;
            s->share[0][lane] = random_number(seed, set, FIELD_SHARE);
            s->share[1][lane] = random_number(seed, set, FIELD_SHARE);
            s->count[lane] = (float)(1 + random_below(seed, 4));
            s->impulse_scale[lane] = random_number(seed, set, FIELD_POSITIVE);
            s->friction[lane] = random_number(seed, set, FIELD_POSITIVE);
            s->compliance[lane] = random_number(seed, set, FIELD_POSITIVE);
            if (b % 2 && random_below(seed, 4) == 0) {
                s->rolling_limit[lane] = random_number(seed, set, FIELD_POSITIVE);
                for (int i = 0; i < 3; i++)
                    s->rolling_impulse[i][lane] = random_number(seed, set, FIELD_SIGNED);
            }
            s->rise[lane] = random_number(seed, set, FIELD_SIGNED);
            d3 unit = d3_unit(random_d3(seed, 1));
            const double normal[3] = {unit.x, unit.y, unit.z};
            for (int i = 0; i < 3; i++) {
                s->normal[i][lane] = (float)normal[i];
                s->between[i][lane] = random_number(seed, set, FIELD_SIGNED);
                if (set->any_bits || random_in(seed, 0, 1) < set->extreme)
                    s->normal[i][lane] = random_number(seed, set, FIELD_SIGNED);
            }
            for (int i = 0; i < 12 && kinematic; i++)
                if (data->contact[b].row_a[lane] == 0 || data->contact[b].row_b[lane] == 0)
                    s->kinematic[i / 3][i % 3][lane] = random_number(seed, set, FIELD_SIGNED);
        }
    }
    data->prepare.gravity = random_number(seed, random_below(seed, 2) ? set : &plain, FIELD_POSITIVE);
    data->prepare.split_masses = random_below(seed, 2);
}

/* Inputs of kernels that make rows: the frames of bodies, half of which turn, bundles that are made together,
 * and times. */
static inline void fill_making(kernel_data *data, uint64_t *seed, const dataset *set)
{
    for (int i = 0; i < DATA_ROWS; i++) {
        dry_row_frame *frame = &data->frames[i];
        frame->orientation = random_quat(seed);
        frame->ahead = random_quat(seed);
        if (set->any_bits)
            fill_floats(seed, set, FIELD_SIGNED, &frame->orientation, 4);
        frame->slope = (double)random_number(seed, set, FIELD_SIGNED);
        frame->curve = (double)random_number(seed, set, FIELD_POSITIVE);
        frame->turns = random_below(seed, 2);
    }
    for (int b = 0; b < DATA_BUNDLES; b++) {
        data->block[b].paired = random_below(seed, 2);
        data->axes[b].block = data->block[b].paired ? 1 + b : 0;
    }
    data->turning = random_below(seed, 2);
    data->making.ahead = random_below(seed, 2) ? (float)random_in(seed, 1e-5, 0.1) : 0.0f;
    data->making.since = (float)random_in(seed, 0, 0.1);
    data->making.third = (float)random_in(seed, 1e-5, 0.01);
    data->making.rate = (float)random_in(seed, 0, 1000);
    data->making.meet = (float)random_below(seed, 2);
}

/* The last bundle has `used` lanes in use, the others all. */
static inline void fill_data(kernel_data *data, uint64_t *seed, const dataset *set, int used)
{
    memset(data, 0, sizeof *data);
    for (int k = 0; k < RANDOM_ARRAYS; k++)
        for (int i = 0; i < DATA_BUNDLES; i++)
            fill_bundle(seed, set,
                        (char *)data + data_arrays[k].offset + (size_t)i * data_arrays[k].element_bytes,
                        &data_arrays[k], i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
    fill_sources(data, seed, set, used);
    fill_floats(seed, set, FIELD_SIGNED, &data->rows[1], (DATA_ROWS - 1) * sizeof *data->rows / 4);
    fill_floats(seed, set, FIELD_SIGNED, data->start, sizeof data->start / 4);
    fill_floats(seed, set, FIELD_SIGNED, &data->sums[1], (DATA_ROWS - 1) * sizeof *data->sums / 4);
    for (int i = 0; i < DATA_BUNDLES; i++) {
        const int flags = random_below(seed, 16);
        data->cold[i].flags = flags & ~(DRY_BUNDLE_IMPACT | DRY_BUNDLE_MIXED);
        data->headers[i].mixed = flags & DRY_BUNDLE_MIXED;
        data->headers[i].impact = flags & DRY_BUNDLE_IMPACT ? i : 0;
        data->headers[i].compliance = random_number(seed, set, FIELD_POSITIVE);
        data->headers[i].falls = true;
        data->headers[i].lanes = i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE;
    }
    /* All of the sweep's numbers follow its pointers; fetching ahead changes nothing. */
    size_t numbers = offsetof(dry_sweep, time);
    fill_floats(seed, set, FIELD_POSITIVE, (char *)&data->sweep + numbers,
                (offsetof(dry_sweep, prefetch_end) - numbers) / 4);
    /* Empty lanes would not stay at 0 if times and rates were not finite. */
    float *number = (float *)(void *)((char *)&data->sweep + numbers);
    for (size_t i = 0; i <= (offsetof(dry_sweep, substep) - numbers) / 4; i++)
        number[i] = isfinite(number[i]) || set->any_bits ? number[i] : 1.0f;
    data->sweep.prefetch_rows = random_below(seed, 2);
    data->sweep.prefetch_end = random_below(seed, DATA_BUNDLES + 1);
    data->sweep.spook = random_below(seed, 2);
    data->sweep.frictionless = random_below(seed, 2);
    data->sweep.friction = (dry_friction)random_below(seed, DRY_FRICTION_COUNT);
    /* Within the bounds of its setting: empty lanes stay at 0 under any of these. */
    data->sweep.relaxation = (float)random_in(seed, 0.01, 1.99);
    data->sweep.substep = (float)random_in(seed, 1e-5, 1);
    data->sweep.afresh = random_below(seed, 2);
    data->sweep.tally = random_below(seed, 2);
    data->sweep.first = random_below(seed, 2);
    for (int i = 0; i < DATA_BUNDLES; i++) {
        data->cold[i].flags |= random_below(seed, 2) ? DRY_BUNDLE_STICTION : 0;
        fill_bundle(seed, set, &data->stiction[i], &data_arrays[RANDOM_ARRAYS],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
        data->cold[i].flags |= random_below(seed, 2) ? DRY_BUNDLE_SPRING : 0;
        fill_bundle(seed, set, &data->springs[i], &data_arrays[SPRING_ARRAY],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
        fill_bundle(seed, set, &data->quad[i], &data_arrays[QUAD_ARRAY],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
        fill_bundle(seed, set, &data->impact[i], &data_arrays[IMPACT_ARRAY],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
        fill_bundle(seed, set, &data->compliance[i], &data_arrays[COMPLIANCE_ARRAY],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
        fill_bundle(seed, set, &data->past[i], &data_arrays[PAST_ARRAY],
                    i == DATA_BUNDLES - 1 ? used : DRY_BUNDLE);
    }
    fill_making(data, seed, set);
}

#endif
