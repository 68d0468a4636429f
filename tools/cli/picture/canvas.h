/* Fills, text and lines on an image in memory. */
#ifndef TOOLS_CLI_PICTURE_CANVAS_H
#define TOOLS_CLI_PICTURE_CANVAS_H

#include <stddef.h>

typedef struct byte_color {
    unsigned char r, g, b;
} byte_color;

typedef struct canvas {
    unsigned char *rgb;
    int width, height; /* pixels */
    int text_scale;    /* pixels of a dot of the font, whose letters are 5 x 7 dots */
} canvas;

/* Fills x0 <= x < x1, y0 <= y < y1, as far as it lies within the image. */
void canvas_fill(const canvas *c, int x0, int y0, int x1, int y1, byte_color color);

int canvas_text_width(const canvas *c, const char *text);
/* Draws text with its upper left corner at (x, y) and returns the position after it. */
int canvas_text(const canvas *c, int x, int y, const char *text, byte_color color);

#endif
