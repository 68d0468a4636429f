/* Writes the frames of a film into a file: an animated PNG, or WebM through ffmpeg. */
#ifndef TOOLS_CLI_FILM_H
#define TOOLS_CLI_FILM_H

#include "tools/cli/output_file.h"
#include "tools/cli/picture/apng.h"

#include <sys/types.h>

typedef struct film {
    output_file *file; /* null if no film is asked for */
    bool webm;
    double delay_s;
    uint32_t frames_expected;
    palette colors; /* of an animated PNG, chosen with the first frame */
    apng frames;
    FILE *encoder; /* the pipe to ffmpeg */
    pid_t process;
} film;

/* Tells whether a name is one of a film that this machine can write. Returns false with what was expected. */
bool film_name_is_good(const char *path, char *error, size_t error_bytes);

/* Adds a frame of FILM_WIDTH x FILM_HEIGHT pixels and, for the first one, PICTURE_SWATCHES colors that later
 * frames may have. Returns false with a reason. */
bool film_add(film *f, const unsigned char *rgb, const unsigned char *swatches, char *error,
              size_t error_bytes);

/* Ends the content of the file, which the caller completes. Returns false with a reason. */
bool film_end(film *f, char *error, size_t error_bytes);

/* Ends the encoder, if there is one, and frees memory. */
void film_free(film *f);

#endif
