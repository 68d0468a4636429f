/* Static probes (USDT) for perf, bpftrace and gdb, at the begin and the end of stages and of colors in
 * sweeps.
 *
 * A probe is a nop, and a note in the library with the places of the nop and of its arguments. A listening
 * tool replaces the nop and increments a semaphore. While the semaphore is 0 the arguments are not computed.
 * A build without <sys/sdt.h>, or with -Dprobes=disabled, has no probes. docs/profiling.md lists them. */
#ifndef CORE_PROBES_H
#define CORE_PROBES_H

#ifdef DRY_PROBES
#define _SDT_HAS_SEMAPHORES 1
#include "core/compiler.h"

#include <sys/sdt.h>
/* The header's macros leave `...` empty, which C17 forbids; gcc accepts it in a system header. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif
/* Declares a probe before its first use; each probe belongs to one file. Tools write the semaphore. */
#define DRY_PROBE_OF_FILE(name)                                                                              \
    static volatile unsigned short drystone_##name##_semaphore DRY_IN_SECTION(".probes")
#define DRY_PROBE(name, count, ...)                                                                          \
    do {                                                                                                     \
        if (DRY_IS_SELDOM(drystone_##name##_semaphore))                                                      \
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
