/* Draws the progress line (progress.h). */
#define _DEFAULT_SOURCE
#include "tools/cli/progress.h"
#include "tools/cli/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_MS 100.0
#define LINE_BYTES 512

static int terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col < LINE_BYTES - 1 ? size.ws_col : LINE_BYTES - 1;
    }
    return 80;
}

void progress_begin(progress *p, FILE *stream, bool wanted, int steps, double now_ms)
{
    const char *terminal = getenv("TERM");
    *p = (progress){.stream = stream, .steps = steps, .drawn_ms = now_ms};
    p->shown = wanted && isatty(fileno(stream)) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static void time_left(double seconds, char *text, size_t bytes)
{
    long long whole = seconds < 1e12 ? (long long)(seconds + 0.5) : 0;
    if (whole >= 3600) {
        snprintf(text, bytes, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(text, bytes, "%lld:%02lld", whole / 60, whole % 60);
    }
}

/* Composes the line: percent and steps, then as many of the other fields as fit, and a bar in the remaining
 * room. */
static void compose(const progress *p, int step, const dry_statistics *statistics, int width, char *line)
{
    enum { FIELDS = 6 };
    char fields[FIELDS][64], left[32], number_a[32], number_b[32];
    double share = (double)step / p->steps;
    time_left(p->rate > 0.0 ? (p->steps - step) / p->rate : 0.0, left, sizeof left);
    snprintf(fields[0], sizeof fields[0], "%3d%%  %s/%s", (int)(share * 100.0),
             report_count(step, number_a, sizeof number_a),
             report_count(p->steps, number_b, sizeof number_b));
    snprintf(fields[1], sizeof fields[1], "  %.*f steps/s", p->rate < 10.0 ? 1 : 0, p->rate);
    snprintf(fields[2], sizeof fields[2], "  %s left", left);
    snprintf(fields[3], sizeof fields[3], "  %6.3g ms", statistics->step_ms);
    snprintf(fields[4], sizeof fields[4], "  %s awake",
             report_count(statistics->awake_bodies, number_a, sizeof number_a));
    snprintf(fields[5], sizeof fields[5], "  %s manifolds",
             report_count(statistics->manifolds, number_a, sizeof number_a));

    int used = (int)strlen(fields[0]), count = 1;
    while (count < FIELDS && used + (int)strlen(fields[count]) < width) {
        used += (int)strlen(fields[count++]);
    }
    int bar = width - 1 - used - 3;
    bar = bar > 40 ? 40 : bar;
    line[0] = '\0';
    if (bar >= 5) {
        int filled = (int)(share * bar);
        line[0] = '[';
        memset(line + 1, '#', (size_t)filled);
        memset(line + 1 + filled, '.', (size_t)(bar - filled));
        memcpy(line + 1 + bar, "] ", 3);
    }
    for (int i = 0; i < count; i++) {
        strcat(line, fields[i]);
    }
    line[width - 1] = '\0';
}

void progress_step(progress *p, int step, double now_ms, const dry_statistics *statistics)
{
    double elapsed = now_ms - p->drawn_ms;
    if (!p->shown || elapsed < REDRAW_MS) {
        return;
    }
    double rate = (step - p->drawn_step) * 1e3 / elapsed;
    p->rate = p->rate > 0.0 ? 0.8 * p->rate + 0.2 * rate : rate;
    p->drawn_ms = now_ms;
    p->drawn_step = step;
    char line[LINE_BYTES + 512];
    compose(p, step, statistics, terminal_width(p->stream), line);
    fprintf(p->stream, "\r%s\x1b[K", line);
    fflush(p->stream);
    p->drawn = true;
}

void progress_clear(progress *p)
{
    if (p->drawn) {
        fputs("\r\x1b[K", p->stream);
        fflush(p->stream);
        p->drawn = false;
    }
}

void progress_note(progress *p, const char *what)
{
    if (p->shown) {
        fprintf(p->stream, "\r%.70s\x1b[K", what);
        fflush(p->stream);
        p->drawn = true;
    }
}

void progress_share(progress *p, double share, const char *what)
{
    enum { BAR = 30 };
    if (!p->shown) {
        return;
    }
    char bar[BAR + 1], line[LINE_BYTES];
    const int filled = (int)(share * BAR);
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR] = '\0';
    snprintf(line, sizeof line, "[%s] %3d%%  %s", bar, (int)(share * 100.0), what);
    progress_note(p, line);
}
