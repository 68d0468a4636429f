/* Writes the frames of a film (film.h). */
#define _DEFAULT_SOURCE
#include "tools/cli/film.h"

#include "tools/cli/picture/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), more = strlen(ending);
    return length > more && strcmp(path + length - more, ending) == 0;
}

/* Tells whether a program lies in a folder of PATH. */
static bool is_installed(const char *program)
{
    char path[4096];
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (length > 0 && access(path, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

bool film_name_is_good(const char *path, char *error, size_t error_bytes)
{
    if (ends_in(path, ".png") || ends_in(path, ".apng")) {
        return true;
    }
    if (!ends_in(path, ".webm")) {
        snprintf(error, error_bytes, "%s: expected a name that ends in .png, .apng or .webm", path);
        return false;
    }
    if (!is_installed("ffmpeg")) {
        snprintf(error, error_bytes,
                 "%s: expected ffmpeg to be installed, which writes WebM; .png needs nothing", path);
        return false;
    }
    return true;
}

/* Starts ffmpeg with a pipe for its input, in a process group of its own: Ctrl-C ends the run, and the run
 * the film. It opens the output by its name, since WebM needs to go back to its begin. */
static bool start_encoder(film *f, char *error, size_t error_bytes)
{
    char size[32], rate[32], *name = NULL;
    const char *path = f->file->temporary != NULL ? f->file->temporary : f->file->target;
    const size_t bytes = strlen(path) + 6;
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    snprintf(size, sizeof size, "%dx%d", FILM_WIDTH, FILM_HEIGHT);
    snprintf(rate, sizeof rate, "%.6g", 1.0 / f->delay_s);
    name = malloc(bytes);
    if (name == NULL || pipe(ends) != 0) {
        snprintf(error, error_bytes, "ffmpeg could not be started (%s)", strerror(errno));
        free(name);
        return false;
    }
    snprintf(name, bytes, "file:%s", path);
    const char *const words[] = {"ffmpeg",     "-loglevel", "error", "-f",   "rawvideo", "-pix_fmt",  "rgb24",
                                 "-s",         size,        "-r",    rate,   "-i",       "-",         "-c:v",
                                 "libvpx-vp9", "-crf",      "33",    "-b:v", "0",        "-cpu-used", "4",
                                 "-pix_fmt",   "yuv420p",   "-f",    "webm", "-y",       name,        NULL};
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int fault =
        posix_spawnp(&f->process, "ffmpeg", &actions, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(name);
    close(ends[0]);
    f->encoder = fault == 0 ? fdopen(ends[1], "wb") : NULL;
    if (f->encoder == NULL) {
        close(ends[1]);
        snprintf(error, error_bytes, "ffmpeg could not be started (%s)",
                 strerror(fault != 0 ? fault : errno));
    }
    return f->encoder != NULL;
}

/* Ends the pipe and waits for the encoder. */
static bool stop_encoder(film *f, char *error, size_t error_bytes)
{
    int status = 0;
    fclose(f->encoder);
    f->encoder = NULL;
    while (waitpid(f->process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) {
        snprintf(error, error_bytes, "ffmpeg failed (status %d)",
                 WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    }
    return status == 0;
}

static bool add_to_encoder(film *f, const unsigned char *rgb, char *error, size_t error_bytes)
{
    const size_t bytes = 3 * (size_t)FILM_WIDTH * FILM_HEIGHT;
    if (f->encoder == NULL && !start_encoder(f, error, error_bytes)) {
        return false;
    }
    errno = 0;
    if (fwrite(rgb, 1, bytes, f->encoder) == bytes) {
        return true;
    }
    snprintf(error, error_bytes, "ffmpeg takes no more frames (%s)", strerror(errno));
    return false;
}

bool film_add(film *f, const unsigned char *rgb, const unsigned char *swatches, char *error,
              size_t error_bytes)
{
    const size_t pixels = (size_t)FILM_WIDTH * FILM_HEIGHT;
    if (f->webm) {
        return add_to_encoder(f, rgb, error, error_bytes);
    }
    if (f->frames.stream == NULL && (!palette_make(&f->colors, rgb, pixels, swatches, PICTURE_SWATCHES) ||
                                     !apng_begin(&f->frames, f->file->stream, FILM_WIDTH, FILM_HEIGHT,
                                                 &f->colors, f->delay_s, f->frames_expected))) {
        snprintf(error, error_bytes, "out of memory for the film");
        return false;
    }
    if (!apng_add(&f->frames, rgb)) {
        snprintf(error, error_bytes, "writing the film failed (%s)", f->frames.fault);
        return false;
    }
    return true;
}

bool film_end(film *f, char *error, size_t error_bytes)
{
    if (f->webm) {
        return stop_encoder(f, error, error_bytes);
    }
    if (!apng_end(&f->frames)) {
        snprintf(error, error_bytes, "writing the film failed (%s)", f->frames.fault);
        return false;
    }
    return true;
}

void film_free(film *f)
{
    char ignored[64];
    if (f->encoder != NULL) {
        stop_encoder(f, ignored, sizeof ignored);
    }
    apng_free(&f->frames);
    palette_free(&f->colors);
}
