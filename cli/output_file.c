/* Opens, completes and discards output files (output_file.h). */
#define _XOPEN_SOURCE 700
#include "cli/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The present temporary files; static, so that a signal handler can remove them. */
#define OPEN_MAX_FILES 8
static char *volatile open_temporaries[OPEN_MAX_FILES];

static void remember_temporary(char *name)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++) {
        if (open_temporaries[i] == NULL) {
            open_temporaries[i] = name;
            return;
        }
    }
}

static void forget_temporary(const char *name)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++) {
        if (open_temporaries[i] == name) {
            open_temporaries[i] = NULL;
        }
    }
}

void output_file_remove_temporaries(void)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++) {
        if (open_temporaries[i] != NULL) {
            unlink(open_temporaries[i]);
        }
    }
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t bytes = strlen(a) + strlen(b) + strlen(c) + 1;
    char *joined = malloc(bytes);
    if (joined != NULL) {
        snprintf(joined, bytes, "%s%s%s", a, b, c);
    }
    return joined;
}

/* Resolves the path of an existing file, so that a link stays a link, or else the path's folder. */
static char *resolve(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole != NULL) {
        return whole;
    }
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    if (*base == '\0') {
        errno = EISDIR;
        return NULL;
    }
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    char *resolved = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    if (resolved == NULL) {
        return NULL;
    }
    char *joined = join(resolved, strcmp(resolved, "/") == 0 ? "" : "/", base);
    free(resolved);
    return joined;
}

static void clear(output_file *file)
{
    free(file->path);
    free(file->target);
    free(file->temporary);
    *file = (output_file){0};
}

static bool open_temporary(output_file *file, mode_t mode)
{
    file->temporary = join(file->target, ".XXXXXX", "");
    int descriptor = file->temporary != NULL ? mkstemp(file->temporary) : -1;
    if (descriptor < 0) {
        free(file->temporary);
        file->temporary = NULL;
        return false;
    }
    remember_temporary(file->temporary);
    file->stream = fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream == NULL) {
        int reason = errno;
        close(descriptor);
        unlink(file->temporary);
        forget_temporary(file->temporary);
        errno = reason;
        return false;
    }
    return true;
}

static bool open_target(output_file *file)
{
    struct stat status;
    bool exists = stat(file->path, &status) == 0;
    if (!exists && errno != ENOENT) {
        return false;
    }
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && access(file->path, W_OK) != 0) {
        return false;
    }
    file->target = resolve(file->path);
    if (file->target == NULL) {
        return false;
    }
    if (exists && !S_ISREG(status.st_mode)) {
        file->stream = fopen(file->target, "wb");
        return file->stream != NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    return open_temporary(file, exists ? status.st_mode & 0777 : 0666 & ~mask);
}

bool output_file_open(output_file *file, const char *path, char *error, size_t error_bytes)
{
    *file = (output_file){.path = strdup(path)};
    if (file->path != NULL && strcmp(path, "-") == 0) {
        file->stream = stdout;
        return true;
    }
    if (file->path == NULL || !open_target(file)) {
        snprintf(error, error_bytes, "%s: cannot be written (%s); expected a file name in a writable folder",
                 path, strerror(errno));
        clear(file);
        return false;
    }
    return true;
}

bool output_file_commit(output_file *file, char *error, size_t error_bytes)
{
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int reason = errno;
    if (file->stream != stdout) {
        errno = 0;
        if (fclose(file->stream) != 0) {
            reason = good ? errno : reason;
            good = false;
        }
    }
    if (file->temporary != NULL) {
        if (good && rename(file->temporary, file->target) != 0) {
            reason = errno;
            good = false;
        }
        if (!good) {
            unlink(file->temporary);
        }
        forget_temporary(file->temporary);
    }
    if (!good) {
        if (file->stream == stdout) {
            clearerr(stdout); /* the error is reported here and nowhere else */
        }
        snprintf(error, error_bytes, "%s: writing failed (%s)%s",
                 strcmp(file->path, "-") == 0 ? "standard output" : file->path,
                 reason != 0 ? strerror(reason) : "an earlier write failed",
                 file->temporary != NULL ? "; what was there before is as it was" : "");
    }
    clear(file);
    return good;
}

void output_file_discard(output_file *file)
{
    if (file->stream == NULL) {
        return;
    }
    if (file->stream != stdout) {
        fclose(file->stream);
    }
    if (file->temporary != NULL) {
        unlink(file->temporary);
        forget_temporary(file->temporary);
    }
    clear(file);
}

bool output_file_same(const output_file *a, const output_file *b)
{
    if (a->stream == NULL || b->stream == NULL) {
        return false;
    }
    if (a->target == NULL || b->target == NULL) {
        return a->target == b->target;
    }
    return strcmp(a->target, b->target) == 0 && a->temporary != NULL;
}

int finish_standard_output(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "drystone: standard output: writing failed (%s)\n",
                errno != 0 ? strerror(errno) : "an earlier write failed");
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}
