/* Chooses the colors of a film before most of its frames exist. */
#ifndef TOOLS_CLI_PICTURE_PALETTE_H
#define TOOLS_CLI_PICTURE_PALETTE_H

#include <stdbool.h>
#include <stddef.h>

#define PALETTE_COLORS 255 /* of the 256 of a PNG, one is transparent */

typedef struct palette {
    unsigned char rgb[3 * (PALETTE_COLORS + 1)];
    int count;      /* of colors */
    short *nearest; /* of each color of 18 bits, -1 where not yet asked for */
} palette;

/* Makes a palette of two sets of colors, three bytes each, that weigh the same. Returns false if there is no
 * memory. */
bool palette_make(palette *p, const unsigned char *first, size_t first_count, const unsigned char *second,
                  size_t second_count);
/* Returns the index of the nearest color, by squared distance. */
int palette_nearest(palette *p, const unsigned char *rgb);
void palette_free(palette *p);

#endif
