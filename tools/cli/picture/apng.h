/* Writes an animated PNG frame by frame [APNG 1.0]. */
#ifndef TOOLS_CLI_PICTURE_APNG_H
#define TOOLS_CLI_PICTURE_APNG_H

#include "tools/cli/picture/palette.h"

#include <stdint.h>
#include <stdio.h>

typedef struct apng {
    FILE *stream;
    int width, height;
    palette *colors;
    double delay_s;           /* of every frame */
    unsigned char *shown;     /* indices of what a player shows after the last frame */
    unsigned char *part;      /* those of the next frame that differ */
    uint32_t frames;          /* written */
    uint32_t sequence;        /* number of the next chunk of a frame */
    uint32_t frames_expected; /* as the file tells until the end */
    long frames_at;           /* where the file tells it */
    unsigned char *bytes;     /* of a frame's PNG */
    size_t size, capacity;
    char fault[128];
} apng;

/* Begins a film; the stream, the colors and their array must live as long. Returns false if there is no
 * memory. */
bool apng_begin(apng *a, FILE *stream, int width, int height, palette *colors, double delay_s,
                uint32_t frames_expected);
/* Adds a frame of three bytes a pixel. Returns false with `fault`. */
bool apng_add(apng *a, const unsigned char *rgb);
/* Ends the file. Its stream must be able to go back if the number of frames is not what was expected. Returns
 * false with `fault`. */
bool apng_end(apng *a);
void apng_free(apng *a);

#endif
