/* Draws lines and text on a sheet that becomes an SVG or a PNG. */
#ifndef TOOLS_CLI_PLOT_PEN_H
#define TOOLS_CLI_PLOT_PEN_H

#include "tools/cli/picture/canvas.h"

#include <stdbool.h>
#include <stdio.h>

#define SHEET_WIDTH 1200
#define SHEET_HEIGHT 1040

typedef struct pen {
    FILE *svg;   /* null for a PNG */
    canvas page; /* of a PNG */
} pen;

typedef struct pen_point {
    double x, y;
} pen_point;

typedef enum pen_side { PEN_LEFT, PEN_MIDDLE, PEN_RIGHT } pen_side;

/* Begins a white sheet. Returns false if there is no memory. */
bool pen_begin(pen *p, FILE *stream, bool svg);
/* Draws a line through points. */
void pen_line(const pen *p, const pen_point *points, int count, double width, byte_color color);
void pen_dashes(const pen *p, double x0, double x1, double y, byte_color color);
/* Draws text, 14 pixels high, whose side `side` is at x and whose foot is at y. */
void pen_text(const pen *p, double x, double y, const char *text, pen_side side, byte_color color);
/* Ends the sheet. Returns false with a one-line message. */
bool pen_end(pen *p, FILE *stream, char *error, size_t error_bytes);

#endif
