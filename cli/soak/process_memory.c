/* Measures the memory of the process (process_memory.h). */
#include "cli/soak/process_memory.h"
#include "scenes/measure/resident.h"

#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void process_memory_begin(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

/* Reads the exact sum over the page tables; other counts of Linux may be some hundred kB off. */
static size_t resident_bytes(void)
{
    char line[256];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "Rss: %zu kB", &kib) != 1) {
    }
    fclose(file);
    return kib * 1024;
}

process_memory process_memory_now(void)
{
    process_memory memory = {.anonymous = dry_resident_bytes()};
    memory.resident = resident_bytes();
    return memory;
}
