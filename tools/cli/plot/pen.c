/* Draws lines and text (pen.h). */
#include "tools/cli/plot/pen.h"

#include "tools/cli/picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pen_begin(pen *p, FILE *stream, bool svg)
{
    const size_t bytes = 3 * (size_t)SHEET_WIDTH * SHEET_HEIGHT;
    *p = (pen){svg ? stream : NULL, {NULL, SHEET_WIDTH, SHEET_HEIGHT, 2}};
    if (svg) {
        fprintf(stream,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"%d\" height=\"%d\" "
                "fill=\"#fff\"/>\n",
                SHEET_WIDTH, SHEET_HEIGHT, SHEET_WIDTH, SHEET_HEIGHT, SHEET_WIDTH, SHEET_HEIGHT);
        return true;
    }
    p->page.rgb = malloc(bytes);
    if (p->page.rgb != NULL) {
        memset(p->page.rgb, 255, bytes);
    }
    return p->page.rgb != NULL;
}

/* Mixes the color into each pixel by the share of it that lies within `radius` of the segment. */
static void draw_segment(const canvas *c, pen_point a, pen_point b, double radius, byte_color color)
{
    const int x0 = (int)(fmin(a.x, b.x) - radius - 1.0), x1 = (int)(fmax(a.x, b.x) + radius + 2.0);
    const int y0 = (int)(fmin(a.y, b.y) - radius - 1.0), y1 = (int)(fmax(a.y, b.y) + radius + 2.0);
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const unsigned char tone[3] = {color.r, color.g, color.b};
    for (int y = y0 > 0 ? y0 : 0; y < y1 && y < c->height; y++) {
        for (int x = x0 > 0 ? x0 : 0; x < x1 && x < c->width; x++) {
            const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            const double along = square > 0.0 ? fmin(fmax((px * dx + py * dy) / square, 0.0), 1.0) : 0.0;
            const double share = radius + 0.5 - hypot(px - along * dx, py - along * dy);
            unsigned char *out = c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
            for (int k = 0; k < 3 && share > 0.0; k++) {
                out[k] = (unsigned char)(out[k] + (tone[k] - out[k]) * fmin(share, 1.0) + 0.5);
            }
        }
    }
}

void pen_line(const pen *p, const pen_point *points, int count, double width, byte_color color)
{
    if (p->svg == NULL) {
        for (int i = 1; i < count; i++) {
            draw_segment(&p->page, points[i - 1], points[i], 0.5 * width, color);
        }
        return;
    }
    fprintf(p->svg, "<polyline fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-width=\"%g\" points=\"", color.r,
            color.g, color.b, width);
    for (int i = 0; i < count; i++) {
        fprintf(p->svg, "%s%.1f,%.1f", i > 0 ? " " : "", points[i].x, points[i].y);
    }
    fputs("\"/>\n", p->svg);
}

void pen_dashes(const pen *p, double x0, double x1, double y, byte_color color)
{
    for (double x = x0; x < x1; x += 14.0) {
        const pen_point ends[2] = {{x, y}, {fmin(x + 7.0, x1), y}};
        pen_line(p, ends, 2, 1.0, color);
    }
}

void pen_text(const pen *p, double x, double y, const char *text, pen_side side, byte_color color)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (p->svg == NULL) {
        const int width = canvas_text_width(&p->page, text);
        canvas_text(&p->page, (int)x - (int)side * width / 2, (int)y - 14, text, color);
        return;
    }
    fprintf(p->svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#%02x%02x%02x\">", x, y,
            anchors[side], color.r, color.g, color.b);
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", p->svg);
            break;
        case '&':
            fputs("&amp;", p->svg);
            break;
        default:
            fputc(*text >= 32 && *text < 127 ? *text : '?', p->svg);
        }
    }
    fputs("</text>\n", p->svg);
}

bool pen_end(pen *p, FILE *stream, char *error, size_t error_bytes)
{
    if (p->svg != NULL) {
        return fputs("</svg>\n", stream) >= 0 && !ferror(stream);
    }
    const bool good = picture_png(stream, p->page.rgb, SHEET_WIDTH, SHEET_HEIGHT, error, error_bytes);
    free(p->page.rgb);
    return good;
}
