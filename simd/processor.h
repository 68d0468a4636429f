/* Instruction sets: which ones this build has, which ones the processor runs, and which one suits how many
 * lanes.
 *
 * Kernel files are compiled once for each *level* (meson.build), with DRY_LANES and DRY_LEVEL_NAME set. Each
 * compilation fills one table of function pointers; a family of kernels declares its tables beside them. */
#ifndef SIMD_PROCESSOR_H
#define SIMD_PROCESSOR_H

#include "core/shared.h"
#include <drystone/world.h>

#include <stdbool.h>

/* X(level, LEVEL, instruction set, argument): the levels of this build, narrowest first. Kernels that no
 * default uses are compiled for DRY_RARE_LEVELS alone, those that run once a substep for DRY_SELDOM_LEVELS;
 * worlds of other levels run the next narrower ones. */
#if defined(__x86_64__)
#define DRY_LEVELS(X, argument)                                                                              \
    X(scalar, SCALAR, DRY_ISA_SCALAR, argument)                                                              \
    X(sse2, SSE2, DRY_ISA_SSE2, argument)                                                                    \
    X(avx2, AVX2, DRY_ISA_AVX2, argument)                                                                    \
    X(avx512, AVX512, DRY_ISA_AVX512, argument)
#define DRY_RARE_LEVELS(X, argument)                                                                         \
    X(scalar, SCALAR, DRY_ISA_SCALAR, argument)                                                              \
    X(avx2, AVX2, DRY_ISA_AVX2, argument)
#define DRY_SELDOM_LEVELS(X, argument)                                                                       \
    DRY_RARE_LEVELS(X, argument) X(avx512, AVX512, DRY_ISA_AVX512, argument)
#elif defined(__aarch64__)
#define DRY_LEVELS(X, argument)                                                                              \
    X(scalar, SCALAR, DRY_ISA_SCALAR, argument)                                                              \
    X(neon, NEON, DRY_ISA_NEON, argument)
#define DRY_RARE_LEVELS(X, argument) DRY_LEVELS(X, argument)
#define DRY_SELDOM_LEVELS(X, argument) DRY_LEVELS(X, argument)
#else
#define DRY_LEVELS(X, argument) X(scalar, SCALAR, DRY_ISA_SCALAR, argument)
#define DRY_RARE_LEVELS(X, argument) DRY_LEVELS(X, argument)
#define DRY_SELDOM_LEVELS(X, argument) DRY_LEVELS(X, argument)
#endif

typedef enum dry_level {
#define X(level, LEVEL, isa, argument) DRY_LEVEL_##LEVEL,
    DRY_LEVELS(X, )
#undef X
        DRY_LEVEL_COUNT
} dry_level;

/* Finds the level of an instruction set. AUTO takes the environment variable DRYSTONE_ISA, then the widest
 * there is. False if the build or the processor lacks the level, or the variable names none. */
bool dry_level_find(dry_isa isa, dry_level *level);

/* Returns the level, at most as wide as the given one, that is fastest on this number of lanes. The bits are
 * the same at every level. */
dry_level dry_level_narrowed(dry_level level, int lanes);

/* Returns the widest level, at most as wide as the given one, that has the rare kernels. */
DRY_SHARED dry_level dry_level_rare(dry_level level);
/* Likewise, that has those which run once a substep. */
dry_level dry_level_seldom(dry_level level);

dry_isa dry_level_isa(dry_level level);

/* For the headers of kernel families: declares the table of each level, and lists them by level. */
#define DRY_LEVEL_DECLARE(level, LEVEL, isa, table) extern const table table##_##level;
#define DRY_LEVEL_ENTRY(level, LEVEL, isa, table) [DRY_LEVEL_##LEVEL] = &table##_##level,

/* Declares the tables of a kernel family, one for each level of a list, and the function `find` that returns
 * the table for a level; `narrowed` is the level of the list that stands for it. */
#define DRY_LEVEL_TABLES(LEVELS, narrowed, table, find)                                                      \
    LEVELS(DRY_LEVEL_DECLARE, table)                                                                         \
    static inline const table *find(dry_level level)                                                         \
    {                                                                                                        \
        static const table *const tables[] = {LEVELS(DRY_LEVEL_ENTRY, table)};                               \
        return tables[narrowed];                                                                             \
    }
#define DRY_TABLES(table, find) DRY_LEVEL_TABLES(DRY_LEVELS, level, table, find)
#define DRY_RARE_TABLES(table, find) DRY_LEVEL_TABLES(DRY_RARE_LEVELS, dry_level_rare(level), table, find)
#define DRY_SELDOM_TABLES(table, find)                                                                       \
    DRY_LEVEL_TABLES(DRY_SELDOM_LEVELS, dry_level_seldom(level), table, find)

/* For the kernel files: the name of the table that this compilation fills. */
#define DRY_LEVEL_TABLE(table) DRY_LEVEL_PASTE(table, DRY_LEVEL_NAME)
#define DRY_LEVEL_PASTE(table, level) DRY_LEVEL_PASTE_(table, level)
#define DRY_LEVEL_PASTE_(table, level) table##_##level

#endif
