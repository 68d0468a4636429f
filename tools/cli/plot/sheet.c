/* Draws panels below each other with one axis of time (sheet.h). Reads curves, writes through a pen. */
#include "tools/cli/plot/sheet.h"

#include "tools/cli/plot/pen.h"

#include <math.h>
#include <string.h>

#define LEFT 110.0
#define RIGHT (SHEET_WIDTH - 30.0)
#define TOP 122.0
#define PANEL 182.0 /* height of a panel, and the gap above it for its title */
#define GAP 40.0
#define TICKS_MAX 12

static const byte_color ink = {40, 44, 52}, grid = {222, 226, 230}, blue = {31, 110, 180},
                        orange = {226, 110, 20};

typedef struct panel {
    const char *title, *unit; /* with %s for the prefix */
    bool from_zero;
} panel;

static const panel panels[CURVE_COUNT] = {[CURVE_STEP] = {"time of a step", "ms", true},
                                          [CURVE_PENETRATION] = {"deepest overlap", "m", true},
                                          [CURVE_ENERGY] = {"mechanical energy", "J", false},
                                          [CURVE_AWAKE] = {"awake bodies", "", true}};

/* An axis: value v lies at place + (v - low) * scale. */
typedef struct axis {
    double low, high, step; /* step from a tick to the next */
    double place, scale;    /* pixels */
} axis;

/* Widens an axis to whole steps of 1, 2 or 5. */
static axis make_axis(double low, double high, int ticks)
{
    const double span = high > low ? high - low : fmax(fabs(high), 1e-9);
    const double unit = pow(10.0, floor(log10(span / ticks))), part = span / ticks / unit;
    const double step = unit * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
    const double first = floor(low / step + 1e-9) * step;
    return (axis){first, fmax(ceil(high / step - 1e-9), first / step + 1.0) * step, step, 0.0, 0.0};
}

static double place(const axis *a, double value)
{
    return a->place + (value - a->low) * a->scale;
}

/* Returns the prefix that keeps numbers up to `size` short, and its factor. */
static const char *prefix_of(double size, bool whole, double *factor)
{
    static const char *const prefixes[] = {"u", "m", "", "k", "M", "G", "T"};
    int i = 2;
    *factor = 1.0;
    while (!whole && size > 0.0 && size * *factor < 1.0 && i > 0) {
        *factor *= 1e3;
        i--;
    }
    while (!whole && size * *factor >= 2e3 && i < 6) {
        *factor *= 1e-3;
        i++;
    }
    return prefixes[i];
}

/* Finds the lowest and the highest value of a curve. Returns false without one. */
static bool find_range(const curves *c, int which, double *low, double *high)
{
    for (int i = 0; c != NULL && i < c->count; i++) {
        *low = fmin(*low, c->points[i].low[which]);
        *high = fmax(*high, c->points[i].high[which]);
    }
    return *low <= *high;
}

static void draw_frame(const pen *p, const axis *x, const axis *y, double factor)
{
    char label[32];
    const double bottom = place(y, y->low), top = place(y, y->high);
    for (int i = 0; i * x->step <= x->high * (1.0 + 1e-9); i++) {
        const double at = place(x, i * x->step);
        const pen_point ends[2] = {{at, bottom}, {at, top}};
        pen_line(p, ends, 2, 1.0, grid);
    }
    for (int i = 0; y->low + i * y->step < y->high + 0.5 * y->step; i++) {
        const double value = y->low + i * y->step, at = place(y, value);
        const pen_point ends[2] = {{LEFT, at}, {RIGHT, at}};
        pen_line(p, ends, 2, 1.0, grid);
        snprintf(label, sizeof label, "%.5g", fabs(value) < 1e-9 * y->step ? 0.0 : value * factor);
        pen_text(p, LEFT - 10.0, at + 6.0, label, PEN_RIGHT, ink);
    }
    const pen_point sides[3] = {{LEFT, top}, {LEFT, bottom}, {RIGHT, bottom}};
    pen_line(p, sides, 3, 1.5, ink);
}

/* Draws a curve; a span of many rows is a stroke from its lowest to its highest value. What lies beyond the
 * axis is a tick at its end. */
static void draw_curve(const pen *p, const curves *c, int which, const axis *x, const axis *y,
                       byte_color color)
{
    pen_point points[2 * CURVE_POINTS];
    int count = 0;
    for (int i = 0; c != NULL && i < c->count; i++) {
        const curve_point *from = &c->points[i];
        const double at = place(x, from->time_s);
        if (!(from->low[which] <= from->high[which])) {
            continue;
        }
        if (from->high[which] > y->high) {
            const pen_point tick[2] = {{at, place(y, y->high) - 7.0}, {at, place(y, y->high) + 3.0}};
            pen_line(p, tick, 2, 2.0, color);
        }
        points[count++] = (pen_point){at, place(y, fmin(from->low[which], y->high))};
        if (from->high[which] > from->low[which]) {
            points[count++] = (pen_point){at, place(y, fmin(from->high[which], y->high))};
        }
    }
    if (count == 1) { /* a point is a short line */
        points[count] = (pen_point){points[0].x + 3.0, points[0].y};
        count++;
    }
    pen_line(p, points, count, 1.8, color);
}

static void title_panel(const pen *p, int which, double top, const curves *run, const curves *other,
                        const char *unit, bool shown)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", panels[which].title, *unit != '\0' ? ", " : "", unit);
    pen_text(p, LEFT, top - 10.0, text, PEN_LEFT, ink);
    if (which == CURVE_STEP) {
        double at = RIGHT;
        for (int i = other != NULL ? 1 : 0; i >= 0; i--) {
            const samples *s = i == 0 ? &run->step_ms : &other->step_ms;
            snprintf(text, sizeof text, "p50 %.4g  p99 %.4g  max %.4g", samples_quantile(s, 0, 0.5),
                     samples_quantile(s, 0, 0.99), s->first_max);
            pen_text(p, at, top - 10.0, text, PEN_RIGHT, i == 0 ? blue : orange);
            at -= 410.0;
        }
    } else if (!shown) {
        pen_text(p, RIGHT, top - 10.0, "not measured", PEN_RIGHT, ink);
    }
}

static void draw_panel(const pen *p, int which, const axis *x, const curves *run, const curves *other)
{
    const double top = TOP + which * (PANEL + GAP), bottom = top + PANEL;
    double low = 1e300, high = -1e300, factor;
    char unit[16];
    const bool mine = find_range(run, which, &low, &high),
               shown = find_range(other, which, &low, &high) || mine;
    low = !shown ? 0.0 : panels[which].from_zero ? fmin(low, 0.0) : low;
    high = !shown ? 1.0 : high;
    if (which == CURVE_STEP) { /* a few slow steps do not flatten the others */
        double usual = samples_quantile(&run->step_ms, 0, 0.99);
        usual = other != NULL ? fmax(usual, samples_quantile(&other->step_ms, 0, 0.99)) : usual;
        high = usual > 0.0 ? fmin(high, 2.0 * usual) : high;
    }
    axis y = make_axis(low, high, 4);
    y.place = bottom;
    y.scale = -PANEL / (y.high - y.low);
    const char *prefix =
        prefix_of(fmax(fabs(low), fabs(high)), which == CURVE_STEP || which == CURVE_AWAKE, &factor);
    snprintf(unit, sizeof unit, "%s%s", prefix, panels[which].unit);
    draw_frame(p, x, &y, factor);
    title_panel(p, which, top, run, other, unit, shown);
    if (which == CURVE_STEP) {
        for (int i = other != NULL ? 1 : 0; i >= 0; i--) {
            const samples *s = i == 0 ? &run->step_ms : &other->step_ms;
            pen_dashes(p, LEFT, RIGHT, place(&y, fmin(samples_quantile(s, 0, 0.5), y.high)),
                       i == 0 ? blue : orange);
            pen_dashes(p, LEFT, RIGHT, place(&y, fmin(samples_quantile(s, 0, 0.99), y.high)),
                       i == 0 ? blue : orange);
        }
    }
    draw_curve(p, other, which, x, &y, orange);
    draw_curve(p, run, which, x, &y, blue);
}

static void draw_head(const pen *p, const run_report *r, const curves *other, const char *other_name)
{
    char text[320], bodies[32], steps[32], name[200];
    snprintf(text, sizeof text, "%.60s: %s dynamic bodies, %s steps of %.4g ms", r->scene,
             report_count(r->statistics.dynamic_bodies, bodies, sizeof bodies),
             report_count(r->steps, steps, sizeof steps), (double)r->dt * 1e3);
    pen_text(p, LEFT, 34.0, text, PEN_LEFT, ink);
    snprintf(name, sizeof name, r->substeps_set > 0 ? "%d substeps" : "up to %d substeps by difficulty",
             r->substeps_set > 0 ? r->substeps_set : r->substeps);
    snprintf(text, sizeof text, "%s, %s, sleep %s, %d thread%s, %s", dry_solver_name(r->solver), name,
             r->sleep ? "on" : "off", r->threads, r->threads == 1 ? "" : "s", dry_isa_name(r->isa));
    pen_text(p, LEFT, 60.0, text, PEN_LEFT, blue);
    if (other != NULL) {
        const size_t length = strlen(other_name);
        snprintf(text, sizeof text, "beside it %s", other_name + (length > 70 ? length - 70 : 0));
        pen_text(p, LEFT, 84.0, text, PEN_LEFT, orange);
    }
}

bool sheet_write(FILE *stream, bool svg, const run_report *report, const curves *run, const curves *other,
                 const char *other_name, char *error, size_t error_bytes)
{
    pen p;
    char label[32];
    if (!pen_begin(&p, stream, svg)) {
        snprintf(error, error_bytes, "out of memory for the plot");
        return false;
    }
    axis x = make_axis(0.0, other != NULL ? fmax(run->end_s, other->end_s) : run->end_s, 10);
    x.high = other != NULL ? fmax(run->end_s, other->end_s) : run->end_s; /* no empty room at the end */
    x.high = x.high > 0.0 ? x.high : x.step;
    x.place = LEFT;
    x.scale = (RIGHT - LEFT) / x.high;
    draw_head(&p, report, other, other_name);
    for (int i = 0; i < CURVE_COUNT; i++) {
        draw_panel(&p, i, &x, run, other);
    }
    const double foot = TOP + CURVE_COUNT * (PANEL + GAP) - GAP;
    for (int i = 0; i * x.step <= x.high * (1.0 + 1e-9); i++) {
        snprintf(label, sizeof label, "%.5g", i * x.step);
        pen_text(&p, place(&x, i * x.step), foot + 22.0, label, PEN_MIDDLE, ink);
    }
    pen_text(&p, 0.5 * (LEFT + RIGHT), foot + 46.0, "simulated time, s", PEN_MIDDLE, ink);
    return pen_end(&p, stream, error, error_bytes);
}
