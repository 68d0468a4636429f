/* Draws frames as `drystone stress` runs: --frames, --film (stress_run.h). Between steps, so that no frame
 * counts in a step's time. */
#define _DEFAULT_SOURCE
#include "tools/cli/stress_run.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder of --frames, if there is none. */
static bool make_folder(stress_run *run, const char *path, char *error, size_t error_bytes)
{
    struct stat status;
    run->made_folder = mkdir(path, 0777) == 0;
    const bool good = run->made_folder || (errno == EEXIST && stat(path, &status) == 0 &&
                                           S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0);
    if (!good) {
        snprintf(error, error_bytes, "--frames %s: expected a folder to write to, or a name to make one (%s)",
                 path, strerror(errno));
    }
    return good;
}

bool stress_begin_frames(stress_run *run, char *error, size_t error_bytes)
{
    const stress_options *o = &run->options;
    if (o->frames == NULL && o->film == NULL) {
        return true;
    }
#ifdef __GLIBC__
    /* Frames take and give back 25 MB each. From the system anew, they cost a tenth of a frame. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
    run->camera = picture_camera_create();
    run->frame = malloc(3 * (size_t)FILM_WIDTH * FILM_HEIGHT);
    run->swatches = malloc(3 * PICTURE_SWATCHES);
    if (run->camera == NULL || run->frame == NULL || run->swatches == NULL) {
        snprintf(error, error_bytes, "out of memory for frames");
        return false;
    }
    if (o->film != NULL) {
        run->film = (film){.file = &run->outputs[OUTPUT_FILM],
                           .webm = strcmp(strrchr(o->film, '.'), ".webm") == 0,
                           .delay_s = o->every * (double)run->report.dt,
                           .frames_expected = 1 + (uint32_t)(o->steps / o->every)};
    }
    return o->frames == NULL || make_folder(run, o->frames, error, error_bytes);
}

static bool write_frame(stress_run *run, int step, char *error, size_t error_bytes)
{
    char path[4096];
    output_file file;
    const int length = snprintf(path, sizeof path, "%s/step-%06d.png", run->options.frames, step);
    if (length >= (int)sizeof path) {
        snprintf(error, error_bytes, "the folder's name is too long");
        return false;
    }
    bool good = output_file_open(&file, path, error, error_bytes) &&
                picture_png(file.stream, run->frame, FILM_WIDTH, FILM_HEIGHT, error, error_bytes) &&
                output_file_commit(&file, error, error_bytes);
    if (!good) {
        output_file_discard(&file);
    }
    run->made_folder = run->made_folder && !good; /* it has a frame now, and stays */
    return good;
}

bool stress_draw_frame(stress_run *run, int step)
{
    const stress_options *o = &run->options;
    char error[ERROR_BYTES - 32];
    if (run->camera == NULL || step % o->every != 0) {
        return true;
    }
    const picture_request request = {.scene = &run->scene,
                                     .world = run->world,
                                     .ids = run->ids,
                                     .tint = o->picture_by,
                                     .steps = step,
                                     .time_s = step * (double)run->report.dt,
                                     .threads = dry_world_threads(run->world)};
    if (!picture_film(run->camera, &request, run->frame, run->swatches, error, sizeof error)) {
        return stress_output_failed(run, o->frames != NULL ? "--frames" : "--film", error);
    }
    if (o->frames != NULL && !write_frame(run, step, error, sizeof error)) {
        return stress_output_failed(run, "--frames", error);
    }
    if (o->film != NULL && !film_add(&run->film, run->frame, run->swatches, error, sizeof error)) {
        output_file_discard(run->film.file);
        return stress_output_failed(run, "--film", error);
    }
    return true;
}

bool stress_end_film(stress_run *run, char *error, size_t error_bytes)
{
    return film_end(&run->film, error, error_bytes);
}

void stress_free_frames(stress_run *run)
{
    film_free(&run->film);
    picture_camera_destroy(run->camera);
    free(run->frame);
    free(run->swatches);
    if (run->made_folder) {
        rmdir(run->options.frames);
    }
}
