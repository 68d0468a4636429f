/* Charts as SVG (lab.h).
 *
 *   +--------------------------------------------+
 *   |         title                              |
 *   |  y  tick +------------------+  -- name     |
 *   |  l  tick |       AREA       |  -- name     |
 *   |  a       |                  |              |
 *   |  b   0 - o  o  o  o  o  o  o|  zeros, if the axis is logarithmic
 *   |          +------------------+              |
 *   |           tick    x label                  |
 *   +--------------------------------------------+
 *
 * Sizes follow from the labels, which break into lines, so that none is cut off or hides a curve. */
#include "tools/lab/lab.h"
#include "tools/lab/labels.h"

#include <math.h>
#include <string.h>

enum { AREA_WIDTH = 640, AREA_HEIGHT = 360, GAP = 10, LINE = 15, NAMES = 250, CLOSE = 3, MARKED = 16 };
enum { FONT = 12, TITLE_FONT = 15, TITLE_LINE = 20, KEY = 22, ZEROS = 12, TICKS_MAX = 64 };

/* One axis of a chart: values between low and high lie between the pixels `from` and `to`. A logarithmic one
 * has values that are not above 0 at the pixel `zero`, if there are any. */
typedef struct axis {
    double low, high, from, to, zero;
    bool logarithmic, zeros, negatives;
} axis;

/* Pixels of a chart. */
typedef struct layout {
    axis x, y;
    double width, height;            /* of the canvas */
    double left, right, top, bottom; /* edges of the area */
    double y_label, x_label;         /* middle of the first line; its baseline */
} layout;

static bool shows(const axis *a, double value)
{
    return isfinite(value) && (!a->logarithmic || value > 0.0);
}

static bool is_zero(const axis *a, double value)
{
    return isfinite(value) && a->logarithmic && value <= 0.0;
}

/* Returns the pixel of a value in the axis's own scale. */
static double place_scaled(const axis *a, double scaled)
{
    return a->from + (scaled - a->low) / (a->high - a->low) * (a->to - a->from);
}

static double place(const axis *a, double value)
{
    if (is_zero(a, value))
        return a->zero;
    return place_scaled(a, a->logarithmic ? log10(value) : value);
}

static axis axis_of(const lab_plot *plot, bool is_y)
{
    axis a = {.low = INFINITY, .high = -INFINITY, .logarithmic = is_y ? plot->log_y : plot->log_x};
    for (int i = 0; i < plot->series_count; i++) {
        const lab_series *s = &plot->series[i];
        for (int k = 0; k < s->count; k++) {
            const double value = is_y ? s->y[k] : s->x[k];
            a.zeros |= is_zero(&a, value);
            a.negatives |= is_zero(&a, value) && value < 0.0;
            if (!shows(&a, value))
                continue;
            a.low = fmin(a.low, a.logarithmic ? log10(value) : value);
            a.high = fmax(a.high, a.logarithmic ? log10(value) : value);
        }
    }
    if (!(a.low <= a.high))
        a.low = 0.0, a.high = 1.0;
    if (a.logarithmic)
        a.low = floor(a.low), a.high = ceil(a.high);
    if (a.high - a.low <= 1e-12 * fabs(a.high))
        a.high = a.low + 1.0;
    return a;
}

/* Gives an axis its pixels. The place of zeros has a distance from the first value, which keeps their labels
 * apart. */
static void span_axis(axis *a, double from, double to, double apart)
{
    const double sign = to < from ? -1.0 : 1.0;
    a->zero = from + sign * ZEROS;
    a->from = a->zeros ? a->zero + sign * apart : from;
    a->to = to;
}

/* Returns a distance of ticks, 1, 2 or 5 times a power of ten, that gives about six of them. */
static double tick_distance(const axis *a)
{
    const double span = (a->high - a->low) / 6.0, power = pow(10.0, floor(log10(span))), digit = span / power;
    const double distance = power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
    return a->logarithmic ? fmax(distance, 1.0) : distance;
}

typedef struct tick {
    double at; /* in the axis's scale */
    char label[32];
} tick;

/* Fills the ticks of an axis but that of zeros. Returns their number. */
static int ticks_of(const axis *a, tick ticks[TICKS_MAX])
{
    const double distance = tick_distance(a);
    int count = 0;
    for (double at = ceil(a->low / distance - 1e-9) * distance;
         at <= a->high + 1e-9 * distance && count < TICKS_MAX; at += distance) {
        const double value = a->logarithmic ? pow(10.0, at) : fabs(at) < 1e-9 * distance ? 0.0 : at;
        ticks[count].at = at;
        snprintf(ticks[count++].label, sizeof ticks->label, "%.4g", value);
    }
    return count;
}

static const char *zero_label(const axis *a)
{
    return a->negatives ? "<= 0" : "0";
}

/* Returns the width of the widest label of an axis. */
static double ticks_width(const axis *a)
{
    tick ticks[TICKS_MAX];
    double width = a->zeros ? lab_text_width(zero_label(a), (int)strlen(zero_label(a)), FONT) : 0.0;
    for (int i = ticks_of(a, ticks) - 1; i >= 0; i--)
        width = fmax(width, lab_text_width(ticks[i].label, (int)strlen(ticks[i].label), FONT));
    return width;
}

static layout layout_of(const lab_plot *plot)
{
    layout l = {.x = axis_of(plot, false), .y = axis_of(plot, true)};
    double width, names = 0.0, lines = 0.0;
    for (int i = 0; i < plot->series_count; i++) {
        lines += lab_line_count(plot->series[i].name, FONT, NAMES, &width);
        names = fmax(names, width);
    }
    const int y_lines = lab_line_count(plot->y_label, FONT, AREA_HEIGHT, &width);
    const int x_lines = lab_line_count(plot->x_label, FONT, AREA_WIDTH, &width);
    const int titles = lab_line_count(plot->title, TITLE_FONT, AREA_WIDTH, &width);
    l.y_label = GAP + FONT;
    l.left = l.y_label + LINE * y_lines + ticks_width(&l.y) + GAP;
    l.right = l.left + AREA_WIDTH;
    l.top = GAP + TITLE_LINE * titles + GAP;
    l.bottom = l.top + fmax(AREA_HEIGHT, LINE * lines);
    l.x_label = l.bottom + GAP + LINE + GAP + 7;
    /* Half of the last tick's label is right of the area. */
    const double beside = GAP + KEY + GAP + names, after = 0.5 * ticks_width(&l.x);
    l.width = l.right + fmax(plot->series_count > 0 ? beside : 0.0, after) + GAP;
    l.height = l.x_label + LINE * (x_lines - 1) + GAP;
    span_axis(&l.x, l.left, l.right, ticks_width(&l.x) + GAP);
    span_axis(&l.y, l.bottom, l.top, FONT + GAP);
    return l;
}

static void write_line(FILE *stream, double x, double y, const char *attributes, const char *text, int length)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    lab_write_escaped(stream, text, length);
    fputs("</text>\n", stream);
}

/* Writes text in lines that are `step` pixels apart. Returns the y of the line after it. */
static double write_lines(FILE *stream, double x, double y, double step, const char *attributes,
                          const char *text, double size, double most)
{
    while (*text) {
        const int length = lab_line_length(text, size, most);
        write_line(stream, x, y, attributes, text, length);
        text += length;
        text += *text == ' ';
        y += step;
    }
    return y;
}

/* Writes a line of the grid and its label. */
static void write_tick(FILE *stream, const layout *l, bool is_y, double at, const char *label, bool dashed)
{
    const char *dash = dashed ? " stroke-dasharray=\"3 3\"" : "";
    const int length = (int)strlen(label);
    if (is_y) {
        fprintf(stream, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"%s/>\n", l->left, at, l->right, dash);
        write_line(stream, l->left - 8, at + 4, " text-anchor=\"end\"", label, length);
    } else {
        fprintf(stream, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"%s/>\n", at, l->top, l->bottom, dash);
        write_line(stream, at, l->bottom + GAP + LINE - 5, " text-anchor=\"middle\"", label, length);
    }
}

static void write_axis(FILE *stream, const layout *l, bool is_y)
{
    const axis *a = is_y ? &l->y : &l->x;
    tick ticks[TICKS_MAX];
    const int count = ticks_of(a, ticks);
    for (int i = 0; i < count; i++)
        write_tick(stream, l, is_y, place_scaled(a, ticks[i].at), ticks[i].label, false);
    if (a->zeros)
        write_tick(stream, l, is_y, a->zero, zero_label(a), true);
}

/* Draws a curve. A long one goes without points that are closer than CLOSE pixels to the last drawn one, but
 * for the last point of each piece, so that its file stays small; the points of a short one are marked. */
static void write_curve(FILE *stream, const lab_series *s, const axis *x, const axis *y, const char *color)
{
    bool down = false;
    double last_x = 0.0, last_y = 0.0;
    fputs("<path d=\"", stream);
    for (int k = 0; k < s->count; k++) {
        const bool shown = shows(x, s->x[k]) && shows(y, s->y[k]);
        const bool ends = k + 1 == s->count || !shows(x, s->x[k + 1]) || !shows(y, s->y[k + 1]);
        if (shown) {
            const double at_x = place(x, s->x[k]), at_y = place(y, s->y[k]);
            if (!down || ends || fmax(fabs(at_x - last_x), fabs(at_y - last_y)) >= CLOSE) {
                fprintf(stream, "%c%.1f %.1f", down ? 'L' : 'M', at_x, at_y);
                last_x = at_x, last_y = at_y;
            }
        }
        down = shown;
    }
    fprintf(stream, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>\n", color);
    for (int k = 0; k < s->count && s->count <= MARKED; k++)
        if (shows(x, s->x[k]) && shows(y, s->y[k]))
            fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", place(x, s->x[k]),
                    place(y, s->y[k]), color);
}

/* Marks the values of a curve that a logarithmic axis has no place for, by rings about each other where
 * curves have them in one place. A long curve goes without rings that touch the last one. */
static void write_zeros(FILE *stream, const lab_series *s, const axis *x, const axis *y, const char *color,
                        int number)
{
    const double radius = 2.5 + 1.2 * number;
    double last_x = -INFINITY, last_y = -INFINITY;
    for (int k = 0; k < s->count; k++) {
        if ((!is_zero(x, s->x[k]) && !is_zero(y, s->y[k])) || !isfinite(s->x[k]) || !isfinite(s->y[k]))
            continue;
        const double at_x = place(x, s->x[k]), at_y = place(y, s->y[k]);
        if (fmax(fabs(at_x - last_x), fabs(at_y - last_y)) < 2.0 * radius)
            continue;
        fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"%s\"/>\n", at_x,
                at_y, radius, color);
        last_x = at_x, last_y = at_y;
    }
}

void lab_write_svg(FILE *stream, const lab_plot *plot)
{
    static const char *const colors[LAB_SERIES_MAX] = {"#1f5fa8", "#c8402f", "#2f8f4e", "#8a4fb0",
                                                       "#d08a1d", "#3aa6a6", "#7a6248", "#606060"};
    const layout l = layout_of(plot);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
            "font-size=\"%d\">\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
            ceil(l.width), ceil(l.height), FONT, ceil(l.width), ceil(l.height));
    write_lines(stream, l.left, GAP + TITLE_FONT, TITLE_LINE, " font-size=\"15\"", plot->title, TITLE_FONT,
                AREA_WIDTH);
    write_axis(stream, &l, false);
    write_axis(stream, &l, true);
    write_lines(stream, 0.5 * (l.left + l.right), l.x_label, LINE, " text-anchor=\"middle\"", plot->x_label,
                FONT, AREA_WIDTH);
    fprintf(stream, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">\n", l.y_label,
            0.5 * (l.top + l.bottom));
    write_lines(stream, 0.0, 0.0, LINE, " text-anchor=\"middle\"", plot->y_label, FONT, AREA_HEIGHT);
    fputs("</g>\n", stream);
    double at = l.top + FONT;
    for (int i = 0; i < plot->series_count; i++) {
        const lab_series *s = &plot->series[i];
        write_curve(stream, s, &l.x, &l.y, colors[i]);
        write_zeros(stream, s, &l.x, &l.y, colors[i], i);
        fprintf(stream, "<path d=\"M%.1f %.1fh%d\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", l.right + GAP,
                at - 4, KEY, colors[i]);
        at = write_lines(stream, l.right + GAP + KEY + GAP, at, LINE, "", s->name, FONT, NAMES);
    }
    fputs("</svg>\n", stream);
}
