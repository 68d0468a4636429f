/* Instruction sets: names, what the build has, what the processor has. */
#include "simd/processor.h"

#include "core/compiler.h"

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

static const dry_isa level_isas[DRY_LEVEL_COUNT] = {
#define X(level, LEVEL, isa, argument) [DRY_LEVEL_##LEVEL] = isa,
    DRY_LEVELS(X, )
#undef X
};

dry_isa dry_level_isa(dry_level level)
{
    return level_isas[level];
}

/* Returns the widest level of an instruction set; DRY_LEVEL_COUNT if the build has none. */
static dry_level level_of(dry_isa isa)
{
    for (int level = DRY_LEVEL_COUNT - 1; level >= 0; level--)
        if (level_isas[level] == isa)
            return (dry_level)level;
    return DRY_LEVEL_COUNT;
}

static bool processor_has(dry_isa isa)
{
#if defined(__x86_64__)
    DRY_PROCESSOR_BEGIN();
    if (isa == DRY_ISA_AVX2)
        return DRY_PROCESSOR_HAS("avx2");
    if (isa == DRY_ISA_AVX512)
        return DRY_PROCESSOR_HAS("avx512f") && DRY_PROCESSOR_HAS("avx512dq") &&
               DRY_PROCESSOR_HAS("avx512vl") && DRY_PROCESSOR_HAS("avx512bw");
#endif
    (void)isa;
    return true;
}

bool dry_isa_compiled(dry_isa isa)
{
    return isa == DRY_ISA_AUTO || level_of(isa) != DRY_LEVEL_COUNT;
}

bool dry_isa_available(dry_isa isa)
{
    return dry_isa_compiled(isa) && processor_has(isa);
}

bool dry_level_find(dry_isa isa, dry_level *level)
{
    if (isa == DRY_ISA_AUTO) {
        const char *forced = getenv("DRYSTONE_ISA");
        if (forced && *forced && !dry_isa_from_name(forced, &isa))
            return false;
    }
    if (isa == DRY_ISA_AUTO)
        for (isa = DRY_ISA_AVX512; isa > DRY_ISA_SCALAR && !dry_isa_available(isa);)
            isa = (dry_isa)(isa - 1);
    if (!dry_isa_available(isa))
        return false;
    *level = level_of(isa);
    return true;
}

dry_level dry_level_narrowed(dry_level level, int lanes)
{
#if defined(__x86_64__)
    if (lanes <= 8 && level == DRY_LEVEL_AVX512)
        return DRY_LEVEL_AVX2;
#endif
    (void)lanes;
    return level;
}

dry_level dry_level_rare(dry_level level)
{
    static const bool has_rare[DRY_LEVEL_COUNT] = {
#define X(name, NAME, isa, argument) [DRY_LEVEL_##NAME] = true,
        DRY_RARE_LEVELS(X, )
#undef X
    };
    while (!has_rare[level]) /* the scalar level, the narrowest, has them */
        level = (dry_level)(level - 1);
    return level;
}

dry_level dry_level_seldom(dry_level level)
{
    static const bool has_seldom[DRY_LEVEL_COUNT] = {
#define X(name, NAME, isa, argument) [DRY_LEVEL_##NAME] = true,
        DRY_SELDOM_LEVELS(X, )
#undef X
    };
    while (!has_seldom[level])
        level = (dry_level)(level - 1);
    return level;
}
