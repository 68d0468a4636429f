/* Measures streams and multiply-adds of one instruction set. Meson compiles this file once for each level,
 * with DRY_LANES and DRY_LEVEL_NAME set, as it does with kernels. */
#include "perf/stream.h"

#include "simd/lanes.h"

enum { BLOCK = 64 };

/* Sums integers, which the compiler may add in any order. */
static uint64_t read(const uint64_t *words, size_t count)
{
    uint64_t sums[BLOCK] = {0}, sum = 0;
    for (size_t i = 0; i < count; i += BLOCK)
        for (int k = 0; k < BLOCK; k++)
            sums[k] += words[i + (size_t)k];
    for (int k = 0; k < BLOCK; k++)
        sum += sums[k];
    return sum;
}

static void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t count)
{
    for (size_t i = 0; i < count; i += DRY_LANES)
        lane_store(a + i, lane_add(lane_load(b + i), lane_mul(lane_set(s), lane_load(c + i))));
}

/* Computes independent sums. There are more sums than the latency of a product and a sum times the number of
 * units, and few enough for them and the two factors to stay in registers. */
static float multiply_add(int rounds, int *lanes)
{
    lane sum[STREAM_SUMS], x = lane_set(0.999f), y = lane_set(0.001f);
    for (int k = 0; k < STREAM_SUMS; k++)
        sum[k] = lane_set((float)k);
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < STREAM_SUMS; k++)
            sum[k] = sum[k] * x + y;
    _Alignas(64) float out[DRY_LANES];
    float total = 0.0f;
    for (int k = 0; k < STREAM_SUMS; k++) {
        lane_store(out, sum[k]);
        total += out[0];
    }
    *lanes = DRY_LANES;
    return total;
}

#define LEVEL_(level) stream_##level
#define LEVEL(level) LEVEL_(level)
#define ISA_scalar DRY_ISA_SCALAR
#define ISA_sse2 DRY_ISA_SSE2
#define ISA_neon DRY_ISA_NEON
#define ISA_avx2 DRY_ISA_AVX2
#define ISA_avx512 DRY_ISA_AVX512
#define ISA_(level) ISA_##level
#define ISA(level) ISA_(level)

const stream_level LEVEL(DRY_LEVEL_NAME) = {ISA(DRY_LEVEL_NAME), read, triad, multiply_add};
