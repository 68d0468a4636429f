/* Measures resident memory (resident.h). Reads /proc/self into the stack only, since heap memory would count.
 */
#include "tools/scenes/measure/resident.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Reads the beginning of a file and ends it with a zero. */
static bool read_text(const char *path, char *text, size_t bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t length = 0;
    ssize_t got;
    while (length + 1 < bytes && (got = read(file, text + length, bytes - 1 - length)) > 0)
        length += (size_t)got;
    close(file);
    text[length] = '\0';
    return length > 0;
}

/* Returns the bytes of anonymous pages. smaps_rollup walks the page tables and is exact. The counts of statm
 * are kept by each processor separately and may be wrong by some hundred kB, as much as a small world holds.
 */
static size_t anonymous_bytes(void)
{
    char text[4096];
    if (read_text("/proc/self/smaps_rollup", text, sizeof text)) {
        const char *line = strstr(text, "\nAnonymous:");
        if (line)
            return (size_t)strtoull(line + strlen("\nAnonymous:"), NULL, 10) * 1024;
    }
    if (read_text("/proc/self/statm", text, sizeof text)) {
        char *rest;
        strtoull(text, &rest, 10); /* skips the size of all mappings */
        unsigned long long resident = strtoull(rest, &rest, 10), of_files = strtoull(rest, &rest, 10);
        return (size_t)(resident - of_files) * (size_t)sysconf(_SC_PAGESIZE);
    }
    return 0;
}

size_t dry_resident_bytes(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    return anonymous_bytes();
}

size_t dry_resident_since(size_t before)
{
    size_t now = dry_resident_bytes();
    return before > 0 && now > before ? now - before : 0;
}
