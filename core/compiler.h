/* Gcc and clang have more than the language: the one place that names attributes and builtins. Public
 * headers have theirs in drystone/types.h. */
#ifndef CORE_COMPILER_H
#define CORE_COMPILER_H

#include <stdint.h>

/* Functions. gcc drops calls of functions that only prefetch unless these are always inlined. */
#define DRY_ALWAYS_INLINE inline __attribute__((always_inline))
#define DRY_NOINLINE __attribute__((noinline))
/* Code that few steps run: it is compiled for size, and lies apart. */
#define DRY_COLD __attribute__((cold))
#define DRY_MAYBE_UNUSED __attribute__((unused))
/* Runs when the library is loaded. */
#define DRY_AT_LOAD __attribute__((constructor))
/* Checks the arguments from number `first` on against the format, argument `at`. */
#define DRY_PRINTF(at, first) __attribute__((format(printf, at, first)))

/* Data. */
#define DRY_VECTOR_OF(bytes) __attribute__((vector_size(bytes)))
#define DRY_IN_SECTION(name) __attribute__((used, section(name)))

/* Loads the cache line of an address: to read it, to write it, or into the second level of the cache. */
#define DRY_PREFETCH(address) __builtin_prefetch(address)
#define DRY_PREFETCH_TO_WRITE(address) __builtin_prefetch(address, 1)
#define DRY_PREFETCH_TO_SECOND(address) __builtin_prefetch(address, 0, 2)

#define DRY_IS_SELDOM(condition) __builtin_expect(condition, 0)
/* Returns an address within the caller's frame. */
#define DRY_FRAME_ADDRESS() __builtin_frame_address(0)
/* Returns the lanes of two vectors that the indices name. */
#define DRY_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
/* Tells whether an x86 processor has an extension, after DRY_PROCESSOR_BEGIN. */
#define DRY_PROCESSOR_BEGIN() __builtin_cpu_init()
#define DRY_PROCESSOR_HAS(name) __builtin_cpu_supports(name)

/* Returns the index of the lowest bit that is set. There is one. */
static DRY_ALWAYS_INLINE int dry_lowest_bit(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

/* Returns the index of the highest bit that is set. There is one. */
static DRY_ALWAYS_INLINE int dry_highest_bit(uint64_t bits)
{
    return 63 - __builtin_clzll(bits);
}

/* Returns how many bits are set. */
static DRY_ALWAYS_INLINE int dry_count_bits(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

/* Tells the processor that a loop waits for another thread. */
static inline void dry_pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* `yield` is a no-op on most cores, and spins would be too short */
#endif
}

#endif
