/* Keeps the counts of a fuzz target and reports failures. */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

fuzz_counts fuzz_sums;
static char place[256];

void fuzz_place(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place, sizeof place, format, arguments);
    va_end(arguments);
}

void fuzz_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s (%s)\n", file, line, condition, place);
    abort();
}

static void write_counts(void)
{
    const char *path = getenv("DRYSTONE_FUZZ_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    const fuzz_counts *s = &fuzz_sums;
    const struct {
        const char *name;
        uint64_t count;
    } lines[] = {{"processor_s", (uint64_t)clock() / CLOCKS_PER_SEC},
                 {"inputs", s->inputs},
                 {"built", s->built},
                 {"calls", s->calls},
                 {"refused", s->refused},
                 {"starved", s->starved},
                 {"steps", s->steps},
                 {"quarantines", s->quarantines},
                 {"mended", s->mended}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
        fprintf(file, "%s %llu\n", lines[i].name, (unsigned long long)lines[i].count);
    fclose(file);
}

void fuzz_count_input(void)
{
    if (fuzz_sums.inputs == 0)
        atexit(write_counts);
    if (++fuzz_sums.inputs % 16384 == 0)
        write_counts();
}

dry_isa fuzz_isa(unsigned which)
{
    dry_isa available[DRY_ISA_COUNT];
    unsigned count = 0;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa)
        if (dry_isa_available((dry_isa)isa))
            available[count++] = (dry_isa)isa;
    return available[count - 1 - which % count];
}

uint64_t fuzz_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ at[i]) * 0x100000001b3ull;
    return hash;
}
