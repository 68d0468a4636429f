/* Static probes (USDT) for perf, bpftrace and gdb: where a step's stages and a sweep's colours begin and end.
 *
 * Each is one nop and a note in the library that says where the nop is and where its arguments are; only a
 * tool that listens puts something in its place. Without <sys/sdt.h> at build, or with -Dprobes=disabled,
 * nothing is left. docs/profiling.md has their list. */
#ifndef CORE_PROBES_H
#define CORE_PROBES_H

#ifdef DRY_PROBES
#include <sys/sdt.h>
/* Its macros leave `...` empty, which C17 forbids and gcc lets a system header do. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif
#define DRY_PROBE3(name, a, b, c) DTRACE_PROBE3(drystone, name, a, b, c)
#else
#define DRY_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
