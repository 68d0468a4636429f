/* The lane operations of every instruction set that this processor has, against plain C, bit by bit: random
 * bits, and numbers made to be rounded twice, to cancel, overflow and underflow. */
#include "tests/simd/lanes_under_test.h"
#include "tests/test_world.h"

#include "core/math.h"

enum { COUNT = 4096 };

static _Alignas(64) float in_a[COUNT], in_b[COUNT], in_c[COUNT], out[COUNT];

static const lanes_under_test *const all_levels[] = {
    &lanes_under_test_scalar,
#if defined(__x86_64__)
    &lanes_under_test_sse2,
    &lanes_under_test_avx2,
    &lanes_under_test_avx512,
#elif defined(__aarch64__)
    &lanes_under_test_neon,
#endif
};

/* The levels that run here, the last of them null. */
static const lanes_under_test *level_at(int i)
{
    for (int k = 0; k < COUNT_OF(all_levels); k++)
        if (dry_isa_available(all_levels[k]->isa) && i-- == 0)
            return all_levels[k];
    return NULL;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same(float x, float y)
{
    return bits_of(x) == bits_of(y) || (isnan(x) && isnan(y));
}

/* Numbers. */

static float random_float(uint64_t *seed)
{
    return float_of((uint32_t)(random_bits(seed) >> 32));
}

static float random_scaled(uint64_t *seed, int exponent_min, int exponent_max)
{
    double size = random_in(seed, 1, 2);
    double mantissa = random_below(seed, 2) ? size : -size;
    return (float)ldexp(mantissa, exponent_min + random_below(seed, exponent_max - exponent_min + 1));
}

static float random_special(uint64_t *seed)
{
    static const float pool[] = {
        0.0f,     -0.0f, 1.0f, -1.0f,           FLT_MIN,          -FLT_MIN, 1e-45f,    -1e-45f, FLT_MAX,
        -FLT_MAX, 0.5f,  3.0f, 1.17549421e-38f, -1.17549421e-38f, INFINITY, -INFINITY, NAN,     -NAN};
    return pool[random_below(seed, COUNT_OF(pool))];
}

/* a b just beside a point halfway between two floats of a b + c: the rounded product lies on the other side
 * of it than the exact one, or upon it. */
static void rounded_twice(uint64_t *seed, float *a, float *b, float *c, int exponent)
{
    float near = 1.0f + (float)(1 + random_below(seed, 3)) * FLT_EPSILON;
    float below = 1.0f - (float)(1 + random_below(seed, 3)) * FLT_EPSILON;
    int split = random_below(seed, 30) - 15;
    *a = (random_below(seed, 2) ? -1.0f : 1.0f) * ldexpf(near, split);
    *b = ldexpf(random_below(seed, 3) ? below : near, exponent - split);
    /* The product is about 2^exponent: half the last place of a float of 2^(exponent + 24). */
    uint32_t mantissa = (uint32_t)(random_bits(seed) >> 41);
    *c = (random_below(seed, 2) ? -1.0f : 1.0f) * ldexpf(1.0f + (float)mantissa * FLT_EPSILON, exponent + 24);
}

static void fill_numbers(uint64_t *seed)
{
    for (int i = 0; i < COUNT; i++) {
        float *a = &in_a[i], *b = &in_b[i], *c = &in_c[i];
        switch (i % 8) {
        case 0:
            *a = random_float(seed), *b = random_float(seed), *c = random_float(seed);
            break;
        case 1: /* plausible */
            *a = random_scaled(seed, -8, 8), *b = random_scaled(seed, -8, 8),
            *c = random_scaled(seed, -12, 12);
            break;
        case 2: { /* cancellation: c is minus the rounded product, or some last places beside it */
            *a = random_scaled(seed, -20, 20), *b = random_scaled(seed, -20, 20);
            *c = float_of(bits_of(-*a * *b) + (uint32_t)random_below(seed, 5) - 2u);
            break;
        }
        case 3:
            rounded_twice(seed, a, b, c, random_below(seed, 120) - 80);
            break;
        case 4: /* the same where the result is denormal, or nearly */
            *a = random_scaled(seed, -75, -60), *b = random_scaled(seed, -90, -60);
            *c = random_below(seed, 2) ? random_scaled(seed, -149, -124) : ldexpf(*a, -80);
            break;
        case 5: /* about the largest float */
            *a = random_scaled(seed, 50, 64), *b = random_scaled(seed, 60, 64),
            *c = random_scaled(seed, 100, 127);
            break;
        case 6: /* far apart */
            *a = random_scaled(seed, -60, 60), *b = random_scaled(seed, -60, 60),
            *c = random_scaled(seed, -126, 120);
            break;
        default:
            *a = random_special(seed);
            *b = random_below(seed, 2) ? random_special(seed) : random_scaled(seed, -126, 127);
            *c = random_below(seed, 2) ? random_special(seed) : random_float(seed);
        }
        /* Equal and opposite operands, which random numbers never are. */
        if (random_below(seed, 16) == 0)
            *b = random_below(seed, 2) ? *a : -*a;
    }
}

/* Plain C, one number at a time. */

typedef float reference(float a, float b, float c);

static float copy_of(float a, float b, float c)
{
    (void)b, (void)c;
    return a;
}
static float zero_of(float a, float b, float c)
{
    (void)a, (void)b, (void)c;
    return 0.0f;
}
static float add_of(float a, float b, float c)
{
    (void)c;
    return a + b;
}
static float sub_of(float a, float b, float c)
{
    (void)c;
    return a - b;
}
static float mul_of(float a, float b, float c)
{
    (void)c;
    return a * b;
}
static float div_of(float a, float b, float c)
{
    (void)c;
    return a / b;
}
/* The product is rounded and stored before it enters a sum. */
static float add_mul_of(float a, float b, float c)
{
    volatile float product = a * b;
    return c + product;
}
static float sub_mul_of(float a, float b, float c)
{
    volatile float product = a * b;
    return c - product;
}
static float mul_sub_of(float a, float b, float c)
{
    volatile float product = a * b;
    return product - c;
}
static float min_of(float a, float b, float c)
{
    (void)c;
    return a < b ? a : b;
}
static float max_of(float a, float b, float c)
{
    (void)c;
    return a > b ? a : b;
}
static float sqrt_of(float a, float b, float c)
{
    (void)b, (void)c;
    return sqrtf(a);
}
static float negate_of(float a, float b, float c)
{
    (void)b, (void)c;
    return float_of(bits_of(a) ^ 0x80000000u);
}
static float abs_of(float a, float b, float c)
{
    (void)b, (void)c;
    return float_of(bits_of(a) & 0x7fffffffu);
}
static float negated_add_mul_of(float a, float b, float c)
{
    return negate_of(add_mul_of(a, b, c), b, c);
}
static float sub_mul_of_add_mul_of(float a, float b, float c)
{
    return sub_mul_of(add_mul_of(a, b, c), a, -0.0f);
}
static float negated_product_of(float a, float b, float c)
{
    volatile float product = a * b;
    return negate_of(product, b, c);
}
static float less_of(float a, float b, float c)
{
    (void)c;
    return a < b ? 1.0f : 0.0f;
}
static float select_of(float a, float b, float c)
{
    return a < b ? b : c;
}
static float both_less_of(float a, float b, float c)
{
    return a < b && b < c ? 1.0f : 0.0f;
}

/* Vectors, as core/math.h has them. */

static float vec3_sum(dry_vec3 v)
{
    return v.x + v.y + v.z;
}
static float quat_sum(dry_quat q)
{
    return q.x + q.y + q.z + q.w;
}
static float vec3_dot_of(float a, float b, float c)
{
    return vec3_dot(vec3(a, b, c), vec3(b, c, a));
}
static float vec3_cross_of(float a, float b, float c)
{
    return vec3_sum(vec3_cross(vec3(a, b, c), vec3(b, c, a)));
}
static float quat_mul_of(float a, float b, float c)
{
    return quat_sum(quat_mul((dry_quat){a, b, c, a}, (dry_quat){b, c, a, b}));
}
static float quat_normalize_of(float a, float b, float c)
{
    return quat_sum(quat_normalize((dry_quat){a, b, c, a}));
}
static float quat_rotate_of(float a, float b, float c)
{
    return vec3_sum(quat_rotate((dry_quat){a, b, c, a}, vec3(b, c, a)));
}
static float mat3_mul_of(float a, float b, float c)
{
    dry_mat3 m = mat3_from_quat((dry_quat){a, b, c, a});
    return vec3_sum(mat3_mul(&m, vec3(b, c, a)));
}
static float mat3_mul_transposed_of(float a, float b, float c)
{
    dry_mat3 m = mat3_from_quat((dry_quat){a, b, c, a});
    return vec3_sum(mat3_mul_transposed(&m, vec3(b, c, a)));
}

static const struct {
    const char *name;
    size_t offset;
    reference *expected;
} operations[] = {
#define OPERATION(name)                                                                                      \
    {                                                                                                        \
#name, offsetof(lanes_under_test, name), name##_of                                                   \
    }
    OPERATION(copy),
    OPERATION(zero),
    OPERATION(add),
    OPERATION(sub),
    OPERATION(mul),
    OPERATION(div),
    OPERATION(add_mul),
    OPERATION(sub_mul),
    OPERATION(mul_sub),
    OPERATION(min),
    OPERATION(max),
    OPERATION(sqrt),
    OPERATION(less),
    OPERATION(negate),
    OPERATION(abs),
    OPERATION(select),
    OPERATION(both_less),
    OPERATION(negated_add_mul),
    OPERATION(sub_mul_of_add_mul),
    OPERATION(negated_product),
    OPERATION(vec3_dot),
    OPERATION(vec3_cross),
    OPERATION(quat_mul),
    OPERATION(quat_normalize),
    OPERATION(quat_rotate),
    OPERATION(mat3_mul),
    OPERATION(mat3_mul_transposed),
#undef OPERATION
};

static void run(const lanes_under_test *level, size_t offset)
{
    lane_operation *operation;
    memcpy(&operation, (const char *)level + offset, sizeof operation);
    operation(in_a, in_b, in_c, out, COUNT);
}

static void test_operations(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int fused = 0;
    for (int round = 0; round < test_pick(1000, 25); round++) {
        fill_numbers(&seed);
        for (int i = 0; i < COUNT; i++)
            fused += !same(add_mul_of(in_a[i], in_b[i], in_c[i]), fmaf(in_a[i], in_b[i], in_c[i]));
        for (int l = 0; level_at(l); l++)
            for (int k = 0; k < COUNT_OF(operations); k++) {
                run(level_at(l), operations[k].offset);
                for (int i = 0; i < COUNT; i++) {
                    float expected = operations[k].expected(in_a[i], in_b[i], in_c[i]);
                    if (same(out[i], expected))
                        continue;
                    fail_msg("%s of %a, %a, %a at %s is %a, expected %a (round %d, number %d)",
                             operations[k].name, (double)in_a[i], (double)in_b[i], (double)in_c[i],
                             dry_isa_name(level_at(l)->isa), (double)out[i], (double)expected, round, i);
                }
            }
    }
    /* A fused multiply-add would have been wrong in one case of eight at least. */
    assert_true(fused > test_pick(1000, 25) * (COUNT / 8));
}

/* Worked by hand, so that no compiler is believed. */
static void test_products_are_rounded(void **state)
{
    (void)state;
    const float e = FLT_EPSILON; /* 2^-23; floats from 2^24 on are 2 apart */
    static const struct {
        float e_a, e_b; /* a = 1 + e_a e, b = 1 + e_b e */
        float c, expected;
    } cases[] = {
        /* The product is 1 - 2^-46, and rounds to 1. Sums of 1 and an odd number of 2 go to even; those of
         * the exact product would not. */
        {1, -1, 16777218.0f, 16777220.0f},
        {1, -1, -16777218.0f, -16777216.0f},
        /* (1 + e)(1 - e) - 1 and (1 + e)(1 + e) - 1 - 2 e: what a rounded product lacks. */
        {1, -1, -1.0f, 0.0f},
        {1, 1, -1.0f - 2 * FLT_EPSILON, 0.0f},
    };
    for (int l = 0; level_at(l); l++)
        for (int k = 0; k < COUNT_OF(cases); k++) {
            float expected = cases[k].expected;
            for (int i = 0; i < 16; i++) {
                in_a[i] = 1.0f + cases[k].e_a * e;
                in_b[i] = 1.0f + cases[k].e_b * e;
                in_c[i] = cases[k].c;
            }
            level_at(l)->add_mul(in_a, in_b, in_c, out, 16);
            for (int i = 0; i < 16; i++)
                if (!same(out[i], expected))
                    fail_msg("case %d at %s is %a, expected %a", k, dry_isa_name(level_at(l)->isa),
                             (double)out[i], (double)expected);
        }
}

static void test_set_and_any(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int l = 0; level_at(l); l++) {
        const lanes_under_test *level = level_at(l);
        for (int round = 0; round < 200; round++) {
            in_a[0] = random_float(&seed);
            level->set(in_a, in_b, in_c, out, 16);
            for (int i = 0; i < 16; i++)
                assert_true(same(out[i], in_a[0]));
            /* Truth in one lane at most. */
            int truth = random_below(&seed, 20);
            for (int i = 0; i < 16; i++) {
                in_a[i] = i == truth ? -1.0f : i % 3 ? 1.0f : NAN;
                in_b[i] = i % 2 ? 1.0f : 0.5f;
            }
            level->any_less(in_a, in_b, in_c, out, 16);
            for (int i = 0; i < 16; i++)
                assert_true(out[i] == (truth < 16 && truth / level->lanes == i / level->lanes ? 1.0f : 0.0f));
        }
    }
}

/* Rows. */

enum { ROWS = 64 };

static void random_rows(uint64_t *seed, dry_solver_row *rows)
{
    for (int r = 0; r < ROWS; r++)
        for (size_t at = 0; at < sizeof *rows; at += 4) {
            float x = random_float(seed);
            memcpy((char *)&rows[r] + at, &x, 4);
        }
}

/* Row 0 in any number of lanes, every other row once. */
static void random_index(uint64_t *seed, int32_t index[16])
{
    bool taken[ROWS] = {false};
    for (int i = 0; i < 16; i++) {
        do
            index[i] = random_below(seed, 4) ? 1 + random_below(seed, ROWS - 1) : 0;
        while (index[i] && taken[index[i]]);
        taken[index[i]] = true;
    }
}

static void test_gather(void **state)
{
    (void)state;
    static _Alignas(64) dry_solver_row rows[ROWS];
    static _Alignas(64) float velocity[6][16], both[12][16];
    uint64_t seed = 21;
    for (int round = 0; round < 300; round++) {
        _Alignas(64) int32_t index[16]; /* as in a bundle */
        random_rows(&seed, rows);
        random_index(&seed, index);
        for (int l = 0; level_at(l); l++) {
            level_at(l)->gather_velocity(rows, index, velocity);
            level_at(l)->gather_both(rows, index, both);
            for (int i = 0; i < 16; i++) {
                const dry_solver_row *row = &rows[index[i]];
                const float *fields[] = {row->ul, row->ua, row->dl, row->da};
                for (int f = 0; f < 12; f++) {
                    assert_int_equal(bits_of(both[f][i]), bits_of(fields[f / 3][f % 3]));
                    if (f < 6)
                        assert_int_equal(bits_of(velocity[f][i]), bits_of(fields[f / 3][f % 3]));
                }
            }
        }
    }
}

/* Writes the velocities of the named rows and not a byte else; row 0 never. */
static void test_scatter(void **state)
{
    (void)state;
    static _Alignas(64) dry_solver_row before[ROWS], expected[ROWS], found[ROWS];
    static _Alignas(64) float in[6][16];
    uint64_t seed = 22;
    for (int round = 0; round < 300; round++) {
        _Alignas(64) int32_t index[16]; /* as in a bundle */
        random_rows(&seed, before);
        random_index(&seed, index);
        memcpy(expected, before, sizeof before);
        for (int i = 0; i < 16; i++)
            for (int f = 0; f < 6; f++) {
                in[f][i] = random_float(&seed);
                float *to = f < 3 ? &expected[index[i]].ul[f] : &expected[index[i]].ua[f - 3];
                if (index[i])
                    memcpy(to, &in[f][i], sizeof(float));
            }
        for (int l = 0; level_at(l); l++) {
            memcpy(found, before, sizeof before);
            level_at(l)->scatter_velocity(found, index, in);
            assert_memory_equal(found, expected, sizeof expected);
        }
    }
}

/* One table per level of the library, of the width that its name says, and those of one lane beside it. */
static void test_levels(void **state)
{
    (void)state;
    static const int lanes[DRY_ISA_COUNT] = {[DRY_ISA_SCALAR] = 1,
                                             [DRY_ISA_SSE2] = 4,
                                             [DRY_ISA_NEON] = 4,
                                             [DRY_ISA_AVX2] = 8,
                                             [DRY_ISA_AVX512] = 16};
    int compiled = 0, known = 0;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        compiled += dry_isa_compiled((dry_isa)isa);
    for (int k = 0; k < COUNT_OF(all_levels); k++) {
        assert_true(dry_isa_compiled(all_levels[k]->isa));
        if (all_levels[k]->lanes == lanes[all_levels[k]->isa])
            known++;
        else
            assert_int_equal(all_levels[k]->lanes, 1);
    }
    assert_int_equal(known, compiled);
    assert_non_null(level_at(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_products_are_rounded),
        cmocka_unit_test(test_set_and_any),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_scatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
