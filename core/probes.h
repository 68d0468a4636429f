/* Static probes (USDT) for perf, bpftrace and gdb: where a step's stages and a sweep's colours begin and end.
 *
 * Each is a nop and a note in the library that says where the nop is and where its arguments are. A tool that
 * listens puts something in its place and counts a semaphore up; while that is 0 nobody does, and arguments
 * are not even made. Without <sys/sdt.h> at build, or with -Dprobes=disabled, nothing is left.
 * docs/profiling.md has their list. */
#ifndef CORE_PROBES_H
#define CORE_PROBES_H

#ifdef DRY_PROBES
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
/* Its macros leave `...` empty, which C17 forbids and gcc lets a system header do. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif
/* Before its first use in a file; each probe belongs to one. Tools write the semaphore. */
#define DRY_PROBE_OF_FILE(name)                                                                              \
    static volatile unsigned short drystone_##name##_semaphore __attribute__((used, section(".probes")))
#define DRY_PROBE(name, count, ...)                                                                          \
    do {                                                                                                     \
        if (__builtin_expect(drystone_##name##_semaphore, 0))                                                \
            DTRACE_PROBE##count(drystone, name, __VA_ARGS__);                                                \
    } while (0)
#define DRY_PROBE3(name, a, b, c) DRY_PROBE(name, 3, a, b, c)
#define DRY_PROBE5(name, a, b, c, d, e) DRY_PROBE(name, 5, a, b, c, d, e)
#else
#define DRY_PROBE_OF_FILE(name) _Static_assert(1, #name)
#define DRY_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#define DRY_PROBE5(name, a, b, c, d, e) ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e))
#endif

#endif
