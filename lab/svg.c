/* Charts as SVG (lab.h). */
#include "lab/lab.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 460, LEFT = 80, RIGHT = 20, TOP = 40, BOTTOM = 60, CLOSE = 3, MARKED = 16 };

/* One axis of a chart: values between low and high lie between the pixels `from` and `to`. */
typedef struct axis {
    double low, high, from, to;
    bool logarithmic;
} axis;

static bool shows(const axis *a, double value)
{
    return isfinite(value) && (!a->logarithmic || value > 0.0);
}

static double place(const axis *a, double value)
{
    if (a->logarithmic)
        value = log10(value);
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

static axis axis_of(const lab_plot *plot, bool is_y)
{
    axis a = {.low = INFINITY, .high = -INFINITY, .logarithmic = is_y ? plot->log_y : plot->log_x};
    a.from = is_y ? HEIGHT - BOTTOM : LEFT;
    a.to = is_y ? TOP : WIDTH - RIGHT;
    for (int i = 0; i < plot->series_count; i++) {
        const lab_series *s = &plot->series[i];
        for (int k = 0; k < s->count; k++) {
            const double value = is_y ? s->y[k] : s->x[k];
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

/* Returns a distance of ticks, 1, 2 or 5 times a power of ten, that gives about six of them. */
static double tick_distance(const axis *a)
{
    const double span = (a->high - a->low) / 6.0, power = pow(10.0, floor(log10(span))), digit = span / power;
    const double distance = power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
    return a->logarithmic ? fmax(distance, 1.0) : distance;
}

static void write_text(FILE *stream, double x, double y, const char *attributes, const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            fputc(*text, stream);
    }
    fputs("</text>\n", stream);
}

static void write_axis(FILE *stream, const axis *a, bool is_y)
{
    const double distance = tick_distance(a);
    for (double tick = ceil(a->low / distance - 1e-9) * distance; tick <= a->high + 1e-9 * distance;
         tick += distance) {
        const double at = a->from + (tick - a->low) / (a->high - a->low) * (a->to - a->from);
        char label[32];
        snprintf(label, sizeof label, "%.4g",
                 a->logarithmic                 ? pow(10.0, tick)
                 : fabs(tick) < 1e-9 * distance ? 0.0
                                                : tick);
        if (is_y) {
            fprintf(stream, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, at, WIDTH - RIGHT);
            write_text(stream, LEFT - 8, at + 4, "text-anchor=\"end\"", label);
        } else {
            fprintf(stream, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>\n", at, TOP, HEIGHT - BOTTOM);
            write_text(stream, at, HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", label);
        }
    }
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

void lab_write_svg(FILE *stream, const lab_plot *plot)
{
    static const char *const colors[LAB_SERIES_MAX] = {"#1f5fa8", "#c8402f", "#2f8f4e", "#8a4fb0",
                                                       "#d08a1d", "#3aa6a6", "#7a6248", "#606060"};
    const axis x = axis_of(plot, false), y = axis_of(plot, true);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    write_text(stream, LEFT, 24, "font-size=\"15\"", plot->title);
    write_axis(stream, &x, false);
    write_axis(stream, &y, true);
    write_text(stream, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 20, "text-anchor=\"middle\"", plot->x_label);
    write_text(stream, 0, 0, "text-anchor=\"middle\" transform=\"translate(18 230) rotate(-90)\"",
               plot->y_label);
    for (int i = 0; i < plot->series_count; i++) {
        write_curve(stream, &plot->series[i], &x, &y, colors[i]);
        const double at = TOP + 16 + 17 * i;
        fprintf(stream, "<path d=\"M%d %.1fh22\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", WIDTH - 250, at - 4,
                colors[i]);
        write_text(stream, WIDTH - 222, at, "", plot->series[i].name);
    }
    fputs("</svg>\n", stream);
}
