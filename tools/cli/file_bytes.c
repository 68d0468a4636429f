/* Files and saves as bytes in memory (file_bytes.h). */
#include "tools/cli/file_bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool file_bytes_append(void *user, const void *more, size_t size)
{
    file_bytes *to = user;
    if (to->size + size > to->room) {
        const size_t room = 2 * (to->size + size);
        char *grown = realloc(to->at, room);
        if (grown == NULL) {
            return false;
        }
        to->at = grown;
        to->room = room;
    }
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

bool file_bytes_read(const char *path, file_bytes *to)
{
    char part[1 << 14];
    size_t size = 1;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    bool good = true;
    while (good && (size = fread(part, 1, sizeof part, file)) > 0) {
        good = file_bytes_append(to, part, size);
    }
    good = good && !ferror(file);
    const int reason = errno;
    fclose(file);
    errno = reason;
    return good;
}
