/* Instruction sets: names, what the build has, what the processor has. */
#include "simd/processor.h"

#include <stdlib.h>
#include <string.h>

static const char *const isa_names[DRY_ISA_COUNT] = {
    [DRY_ISA_AUTO] = "auto", [DRY_ISA_SCALAR] = "scalar", [DRY_ISA_SSE2] = "sse2",
    [DRY_ISA_NEON] = "neon", [DRY_ISA_AVX2] = "avx2",     [DRY_ISA_AVX512] = "avx512",
};

const char *dry_isa_name(dry_isa isa)
{
    return (unsigned)isa < DRY_ISA_COUNT ? isa_names[isa] : NULL;
}

bool dry_isa_from_name(const char *name, dry_isa *isa)
{
    for (int i = 0; name && isa && i < DRY_ISA_COUNT; i++)
        if (strcmp(name, isa_names[i]) == 0) {
            *isa = (dry_isa)i;
            return true;
        }
    return false;
}

static const dry_kernels *table_of(dry_isa isa)
{
    switch (isa) {
    case DRY_ISA_SCALAR:
        return &dry_kernels_scalar;
#if defined(__x86_64__)
    case DRY_ISA_SSE2:
        return &dry_kernels_sse2;
    case DRY_ISA_AVX2:
        return &dry_kernels_avx2;
    case DRY_ISA_AVX512:
        return &dry_kernels_avx512;
#elif defined(__aarch64__)
    case DRY_ISA_NEON:
        return &dry_kernels_neon;
#endif
    default:
        return NULL;
    }
}

static bool processor_has(dry_isa isa)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (isa == DRY_ISA_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == DRY_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("fma");
#endif
    (void)isa;
    return true;
}

bool dry_isa_compiled(dry_isa isa)
{
    return isa == DRY_ISA_AUTO || table_of(isa) != NULL;
}

bool dry_isa_available(dry_isa isa)
{
    return dry_isa_compiled(isa) && processor_has(isa);
}

const dry_kernels *dry_kernels_for(dry_isa isa)
{
    if (isa == DRY_ISA_AUTO) {
        const char *forced = getenv("DRYSTONE_ISA");
        if (forced && *forced && !dry_isa_from_name(forced, &isa))
            return NULL;
    }
    if (isa == DRY_ISA_AUTO)
        for (isa = DRY_ISA_AVX512; isa > DRY_ISA_SCALAR && !dry_isa_available(isa);)
            isa = (dry_isa)(isa - 1);
    return dry_isa_available(isa) ? table_of(isa) : NULL;
}

const dry_kernels *dry_kernels_filled(const dry_kernels *kernels, dry_fill fill)
{
#if defined(__x86_64__)
    bool wide = kernels->isa == DRY_ISA_AVX512;
    if (fill == DRY_FILL_ONE && (wide || kernels->isa == DRY_ISA_AVX2))
        return &dry_kernels_fma;
    if (fill == DRY_FILL_HALF && wide)
        return &dry_kernels_avx2;
#endif
    (void)fill;
    return kernels;
}
