/* The operations of simd/lanes.h and solver/bodies/gather.h as functions on arrays, one table per instruction
 * set: lanes_under_test.c is compiled like the kernel files, once per level. */
#ifndef TESTS_SIMD_LANES_UNDER_TEST_H
#define TESTS_SIMD_LANES_UNDER_TEST_H

#include "solver/data/solver_row.h"

#include <drystone/world.h>

/* X(operation): out[i] = operation(a[i], b[i], c[i]); operations of fewer operands ignore the rest.
 * Operations of vectors take vectors of a, b and c, and return the sum of the result's components. `count` is
 * a multiple of 16, and arrays are aligned to 64 bytes. */
#define LANE_OPERATIONS(X)                                                                                   \
    X(copy)                                                                                                  \
    X(set)                                                                                                   \
    X(zero)                                                                                                  \
    X(add)                                                                                                   \
    X(sub)                                                                                                   \
    X(mul)                                                                                                   \
    X(div)                                                                                                   \
    X(add_mul)                                                                                               \
    X(sub_mul)                                                                                               \
    X(mul_sub)                                                                                               \
    X(min)                                                                                                   \
    X(max)                                                                                                   \
    X(sqrt)                                                                                                  \
    X(negate)                                                                                                \
    X(abs)                                                                                                   \
    X(negated_add_mul)                                                                                       \
    X(sub_mul_of_add_mul)                                                                                    \
    X(negated_product)                                                                                       \
    X(less)                                                                                                  \
    X(select)                                                                                                \
    X(both_less)                                                                                             \
    X(any_less)                                                                                              \
    X(vec3_dot)                                                                                              \
    X(vec3_cross)                                                                                            \
    X(quat_mul)                                                                                              \
    X(quat_normalize)                                                                                        \
    X(quat_rotate)                                                                                           \
    X(mat3_mul)                                                                                              \
    X(mat3_mul_transposed)

typedef void lane_operation(const float *a, const float *b, const float *c, float *out, int count);

typedef struct lanes_under_test {
    dry_isa isa;
    int lanes;
#define X(name) lane_operation *name;
    LANE_OPERATIONS(X)
#undef X
    /* Sixteen rows to and from arrays of sixteen per field, in the row's order. */
    void (*gather_velocity)(const dry_solver_row *rows, const int32_t *index, float out[6][16]);
    void (*gather_both)(const dry_solver_row *rows, const int32_t *index, float out[12][16]);
    void (*scatter_velocity)(dry_solver_row *rows, const int32_t *index, float in[6][16]);
} lanes_under_test;

extern const lanes_under_test lanes_under_test_scalar;
#if defined(__x86_64__)
extern const lanes_under_test lanes_under_test_sse2, lanes_under_test_avx2, lanes_under_test_avx512;
#elif defined(__aarch64__)
extern const lanes_under_test lanes_under_test_neon;
#endif

#endif
