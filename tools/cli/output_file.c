/* Opens, completes and discards output files (output_file.h). */
#define _DEFAULT_SOURCE
#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".drystone-"
#define RANDOM "XXXXXX" /* mkstemp replaces these characters */

/* The present temporary files; static, so that a signal handler can remove them. */
#define OPEN_MAX_FILES 16
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

/* Removes a temporary file that a killed process left behind. Only a file of this user that no process has
 * locked: its writer holds the lock from the begin to the end. */
static void remove_if_left(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(folder, name, 0);
    }
    close(file);
}

static void remove_left_files(const char *target)
{
    const char *base = strrchr(target, '/') + 1;
    size_t length = strlen(base);
    char *path = strndup(target, (size_t)(base - target));
    DIR *folder = path != NULL ? opendir(path) : NULL;
    free(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, base, length) == 0 && strncmp(name + length, MARK, strlen(MARK)) == 0 &&
            strlen(name + length) == strlen(MARK RANDOM)) {
            remove_if_left(dirfd(folder), name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static void clear(output_file *file)
{
    free(file->path);
    free(file->target);
    free(file->temporary);
    *file = (output_file){0};
}

/* Creates a temporary file and locks it. Another process may take the new file for one that was left behind,
 * as long as it has no lock; the file then has no name any more, and the next one is made. A file system
 * without locks lets neither process have one. */
static int create_locked(output_file *file)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct stat status;
        free(file->temporary);
        file->temporary = join(file->target, MARK, RANDOM);
        int descriptor = file->temporary != NULL ? mkstemp(file->temporary) : -1;
        if (descriptor < 0) {
            return -1;
        }
        bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && (fstat(descriptor, &status) != 0 || status.st_nlink > 0)) {
            return descriptor;
        }
        close(descriptor);
    }
    errno = EBUSY;
    return -1;
}

static bool open_temporary(output_file *file, mode_t mode)
{
    int descriptor = create_locked(file);
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

/* Opens a temporary file. No signal arrives between its creation and its entry in the list. */
static bool open_without_signals(output_file *file, mode_t mode)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool good = open_temporary(file, mode);
    int reason = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return good;
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
    remove_left_files(file->target);
    return open_without_signals(file, exists ? status.st_mode & 0777 : 0666 & ~mask);
}

static bool refuse_path(output_file *file, const char *path, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: cannot be written (%s); expected a file name in a writable folder",
             path, strerror(errno));
    clear(file);
    return false;
}

bool output_file_open_growing(output_file *file, const char *path, char *error, size_t error_bytes)
{
    sigset_t all, before;
    *file = (output_file){.path = strdup(path), .growing = true};
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    file->made = access(path, F_OK) != 0;
    int descriptor = file->path != NULL ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666) : -1;
    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    file->target = file->stream != NULL ? resolve(path) : NULL;
    if (file->target != NULL && file->made) {
        remember_temporary(file->target); /* until its first part */
    }
    const int reason = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return file->target != NULL || refuse_path(file, path, error, error_bytes);
}

bool output_file_open(output_file *file, const char *path, char *error, size_t error_bytes)
{
    *file = (output_file){.path = strdup(path)};
    if (file->path != NULL && strcmp(path, "-") == 0) {
        file->stream = stdout;
        return true;
    }
    if (file->path == NULL || !open_target(file)) {
        return refuse_path(file, path, error, error_bytes);
    }
    return true;
}

static void explain(const output_file *file, int reason, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: writing failed (%s)%s",
             strcmp(file->path, "-") == 0 ? "standard output" : file->path,
             reason != 0 ? strerror(reason) : "an earlier write failed",
             file->temporary != NULL ? "; what was there before is as it was" : "");
}

bool output_file_append(output_file *file, const char *part, size_t bytes, char *error, size_t error_bytes)
{
    const int descriptor = fileno(file->stream);
    struct stat status;
    const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    forget_temporary(file->target);
    bool good = file->whole > 0 || !regular || ftruncate(descriptor, 0) == 0;
    for (size_t done = 0; good && done < bytes;) {
        const ssize_t more = write(descriptor, part + done, bytes - done);
        good = more > 0 || (more < 0 && errno == EINTR);
        done += more > 0 ? (size_t)more : 0;
    }
    if (good) {
        file->whole += (long long)bytes;
        return true;
    }
    const int reason = errno;
    const bool cut = !regular || ftruncate(descriptor, (off_t)file->whole) == 0;
    snprintf(error, error_bytes, "%s: writing failed (%s); %s", file->path, strerror(reason),
             cut ? "its whole rows stay" : "its last row may be cut");
    return false;
}

bool output_file_flush(output_file *file, char *error, size_t error_bytes)
{
    bool good = !ferror(file->stream);
    int reason = good ? 0 : errno;
    errno = 0;
    if (fflush(file->stream) != 0) {
        reason = errno;
        good = false;
    }
    if (!good) {
        explain(file, reason, error, error_bytes);
    }
    return good;
}

/* Writes the file out to the disk: otherwise a power failure after the renaming could leave an empty file. */
static bool synchronize(const output_file *file)
{
    return (file->temporary == NULL && !file->growing) || fsync(fileno(file->stream)) == 0 ||
           errno == EINVAL || errno == ENOTSUP;
}

bool output_file_commit(output_file *file, char *error, size_t error_bytes)
{
    FILE *stream = file->stream;
    bool good = output_file_flush(file, error, error_bytes);
    if (good && !synchronize(file)) {
        explain(file, errno, error, error_bytes);
        good = false;
    }
    if (stream == stdout) {
        clearerr(stdout); /* the error is reported here and nowhere else */
    } else if (fclose(stream) != 0 && good) {
        explain(file, errno, error, error_bytes);
        good = false;
    }
    if (file->temporary != NULL) {
        if (good && rename(file->temporary, file->target) != 0) {
            explain(file, errno, error, error_bytes);
            good = false;
        }
        if (!good) {
            unlink(file->temporary);
        }
        forget_temporary(file->temporary);
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
    if (file->made && file->whole == 0) {
        unlink(file->target);
        forget_temporary(file->target);
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
    return strcmp(a->target, b->target) == 0 && (a->temporary != NULL || b->temporary != NULL);
}

int finish_standard_output(void)
{
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    /* Some file systems tell of a failed write only as a descriptor is closed. */
    int copy = good ? dup(STDOUT_FILENO) : -1;
    good = good && (copy < 0 || close(copy) == 0);
    if (!good) {
        terminal_error("standard output: writing failed (%s)",
                       errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    return good ? STATUS_DONE : STATUS_FAILED;
}
