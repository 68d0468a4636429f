/* Declares what the fuzz targets share: the entry point, a failure that stops the program, and counts of work
 * done.
 *
 * libFuzzer calls LLVMFuzzerTestOneInput when it links a target; replay.c does so in every other build. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "core/compiler.h"

#include <drystone/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs one input; returns 0. A finding ends the program. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the place and the condition unless it holds, so that libFuzzer keeps the input. */
#define FUZZ_CHECK(holds) ((holds) ? (void)0 : fuzz_failed(#holds, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *condition, const char *file, int line);

/* Describes what the target does, for the report of a failure. Takes the arguments of printf. */
void fuzz_place(const char *format, ...)
#if defined(__GNUC__)
    DRY_PRINTF(1, 2)
#endif
        ;

/* Sums over all inputs of this process. */
typedef struct fuzz_counts {
    uint64_t inputs;
    uint64_t built;       /* scenes that could be built */
    uint64_t calls;       /* public calls on one of two twin worlds */
    uint64_t refused;     /* of those, the ones that returned an error */
    uint64_t starved;     /* of those, the ones that ran out of memory and were made again */
    uint64_t steps;       /* of one of two twin worlds */
    uint64_t quarantines; /* bodies put into quarantine */
    uint64_t mended;      /* bodies taken out of quarantine by enabling them */
} fuzz_counts;
extern fuzz_counts fuzz_sums;

/* Counts one more input. Prints the sums when the process ends, and every 16,384 inputs, to the file that the
 * environment variable DRYSTONE_FUZZ_COUNTS names. */
void fuzz_count_input(void);

/* Returns one of this machine's instruction sets for each number, the widest one for 0. */
dry_isa fuzz_isa(unsigned which);

/* An FNV-1a hash over 64 bits. */
#define FUZZ_HASH_BEGIN 0xcbf29ce484222325ull
uint64_t fuzz_hash(uint64_t hash, const void *bytes, size_t count);

#endif
