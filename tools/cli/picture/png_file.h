/* Writes an image as PNG. */
#ifndef TOOLS_CLI_PICTURE_PNG_FILE_H
#define TOOLS_CLI_PICTURE_PNG_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct picture_image {
    int width, height;            /* pixels */
    size_t stride;                /* bytes from a row to the next */
    const unsigned char *pixels;  /* three bytes a pixel; with a palette one, its index */
    const unsigned char *palette; /* null, or three bytes a color, of which the last one is transparent */
    int colors;
    int level; /* of compression, 1 to 9 */
} picture_image;

/* Takes bytes; returns false if that fails. */
typedef bool image_take(void *user, const void *bytes, size_t count);

/* Writes the image through `take`. Returns false with a reason if that or memory fails; errno is then the
 * one of `take`. */
bool png_file_write(const picture_image *image, image_take *take, void *user, char *fault,
                    size_t fault_bytes);

#endif
