/* The lane operations of one instruction set, for test_lanes.c. */
#include "tests/simd/lanes_under_test.h"

#include "solver/bodies/gather.h"

/* The barrier keeps the compiler from vectorising a level's loop by other means than its lanes. */
#define OPERATION(name, expression)                                                                          \
    static void name##_lanes(const float *pa, const float *pb, const float *pc, float *out, int count)       \
    {                                                                                                        \
        for (int i = 0; i < count; i += DRY_LANES) {                                                         \
            lane a = lane_load(pa + i), b = lane_load(pb + i), c = lane_load(pc + i);                        \
            (void)a, (void)b, (void)c;                                                                       \
            lane_store(out + i, expression);                                                                 \
            __asm__ volatile("" ::: "memory");                                                               \
        }                                                                                                    \
    }

#define TRUTH(mask) lane_select(mask, lane_set(1.0f), lane_zero())

OPERATION(copy, a)
OPERATION(set, lane_set(pa[0]))
OPERATION(zero, lane_zero())
OPERATION(add, lane_add(a, b))
OPERATION(sub, lane_sub(a, b))
OPERATION(mul, lane_mul(a, b))
OPERATION(div, lane_div(a, b))
OPERATION(add_mul, lane_add_mul(c, a, b))
OPERATION(sub_mul, lane_sub_mul(c, a, b))
OPERATION(mul_sub, a *b - c)
OPERATION(min, lane_min(a, b))
OPERATION(max, lane_max(a, b))
OPERATION(sqrt, lane_sqrt(a))
OPERATION(negate, lane_negate(a))
OPERATION(abs, lane_abs(a))
/* Processors have one instruction for each of these, which rounds once, and may get the sign of a zero wrong.
 */
OPERATION(negated_add_mul, lane_negate(lane_add_mul(c, a, b)))
OPERATION(sub_mul_of_add_mul, lane_sub_mul(lane_set(-0.0f), lane_add_mul(c, a, b), a))
OPERATION(negated_product, lane_negate(lane_mul(a, b)))
OPERATION(less, TRUTH(lane_less(a, b)))
OPERATION(select, lane_select(lane_less(a, b), b, c))
OPERATION(both_less, TRUTH(lane_mask_and(lane_less(a, b), lane_less(b, c))))
OPERATION(any_less, lane_set(lane_any(lane_less(a, b)) ? 1.0f : 0.0f))

/* Vectors. */

LANE_INLINE lane lane_vec3_sum(lane_vec3 v)
{
    return lane_add3(v.x, v.y, v.z);
}

LANE_INLINE lane lane_quat_sum(lane_quat q)
{
    return lane_add(lane_add3(q.x, q.y, q.z), q.w);
}

#define ABC ((lane_vec3){a, b, c})
#define BCA ((lane_vec3){b, c, a})
#define ABCA ((lane_quat){a, b, c, a})
#define BCAB ((lane_quat){b, c, a, b})

OPERATION(vec3_dot, lane_vec3_dot(ABC, BCA))
OPERATION(vec3_cross, lane_vec3_sum(lane_vec3_cross(ABC, BCA)))
OPERATION(quat_mul, lane_quat_sum(lane_quat_mul(ABCA, BCAB)))
OPERATION(quat_normalize, lane_quat_sum(lane_quat_normalize(ABCA)))
OPERATION(quat_rotate, lane_vec3_sum(lane_quat_rotate(ABCA, BCA)))
OPERATION(mat3_mul, lane_vec3_sum(lane_mat3_mul(lane_mat3_from_quat(ABCA), BCA)))
OPERATION(mat3_mul_transposed, lane_vec3_sum(lane_mat3_mul_transposed(lane_mat3_from_quat(ABCA), BCA)))

static void gather_velocity(const dry_solver_row *rows, const int32_t *index, float out[6][16])
{
    for (int at = 0; at < 16; at += DRY_LANES) {
        lane_velocity v;
        lane_gather_velocity(rows, index + at, &v);
        lane_vec3_store(out[0] + at, 16, v.ul);
        lane_vec3_store(out[3] + at, 16, v.ua);
    }
}

static void gather_both(const dry_solver_row *rows, const int32_t *index, float out[12][16])
{
    for (int at = 0; at < 16; at += DRY_LANES) {
        lane_velocity v;
        lane_displacement d;
        lane_gather_both(rows, index + at, &v, &d);
        lane_vec3_store(out[0] + at, 16, v.ul);
        lane_vec3_store(out[3] + at, 16, v.ua);
        lane_vec3_store(out[6] + at, 16, d.dl);
        lane_vec3_store(out[9] + at, 16, d.da);
    }
}

static void scatter_velocity(dry_solver_row *rows, const int32_t *index, float in[6][16])
{
    for (int at = 0; at < 16; at += DRY_LANES) {
        lane_velocity v;
        lane_gather_velocity(rows, index + at, &v);
        v.ul = lane_vec3_load(in[0] + at, 16);
        v.ua = lane_vec3_load(in[3] + at, 16);
        lane_scatter_velocity(rows, index + at, &v);
    }
}

#define TABLE_(level) lanes_under_test_##level
#define TABLE(level) TABLE_(level)
#define ISA_scalar DRY_ISA_SCALAR
#define ISA_sse2 DRY_ISA_SSE2
#define ISA_neon DRY_ISA_NEON
#define ISA_avx2 DRY_ISA_AVX2
#define ISA_avx512 DRY_ISA_AVX512
#define ISA_(level) ISA_##level
#define ISA(level) ISA_(level)

const lanes_under_test TABLE(DRY_LEVEL_NAME) = {
    .isa = ISA(DRY_LEVEL_NAME),
    .lanes = DRY_LANES,
#define X(name) .name = name##_lanes,
    LANE_OPERATIONS(X)
#undef X
        .gather_velocity = gather_velocity,
    .gather_both = gather_both,
    .scatter_velocity = scatter_velocity,
};
