/* Keeps and reads the curves of a run (curves.h). */
#include "tools/cli/plot/curves.h"

#include "tools/cli/file_bytes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int column_of[CURVE_COUNT] = {SERIES_STEP_MS, SERIES_PENETRATION, SERIES_ENERGY, SERIES_AWAKE};

bool curves_begin(curves *c, int warmup)
{
    *c = (curves){.stride = 1, .warmup = warmup, .points = malloc(CURVE_POINTS * sizeof *c->points)};
    samples_init(&c->step_ms, 1);
    return c->points != NULL;
}

void curves_free(curves *c)
{
    free(c->points);
    samples_free(&c->step_ms);
    *c = (curves){.points = NULL};
}

/* Widens a point by another one's values; fmin and fmax pass over a NaN. */
static void widen(curve_point *p, const curve_point *by)
{
    for (int k = 0; k < CURVE_COUNT; k++) {
        p->low[k] = fmin(p->low[k], by->low[k]);
        p->high[k] = fmax(p->high[k], by->high[k]);
    }
}

/* Joins spans two by two. */
static void halve(curves *c)
{
    for (int i = 0; 2 * i < c->count; i++) {
        c->points[i] = c->points[2 * i];
        if (2 * i + 1 < c->count) {
            widen(&c->points[i], &c->points[2 * i + 1]);
        }
    }
    c->count = (c->count + 1) / 2;
    c->stride *= 2;
}

bool curves_add(curves *c, const double row[SERIES_COLUMNS])
{
    curve_point p = {.time_s = row[SERIES_TIME]};
    for (int k = 0; k < CURVE_COUNT; k++) {
        p.low[k] = p.high[k] = row[column_of[k]];
    }
    c->end_s = p.time_s;
    if (c->rows % c->stride == 0 && c->count == CURVE_POINTS) {
        halve(c);
    }
    if (c->rows % c->stride == 0) {
        c->points[c->count++] = p;
    } else {
        widen(&c->points[c->count - 1], &p);
    }
    return c->rows++ < c->warmup || samples_add(&c->step_ms, &row[SERIES_STEP_MS]);
}

/* Reading. */

#define FIELDS_MAX 128

typedef struct reader {
    const char *path;
    int line;
    char *error;
    size_t error_bytes;
    char names[FIELDS_MAX][32];
    int column[FIELDS_MAX]; /* of a series, or -1 */
    int fields;
} reader;

static bool refuse(const reader *r, const char *what)
{
    snprintf(r->error, r->error_bytes, "%s:%d: %s", r->path, r->line, what);
    return false;
}

/* Takes the text up to the next comma out of a line; null past the last. */
static char *take_field(char **line)
{
    char *field = *line;
    if (field != NULL) {
        char *comma = strchr(field, ',');
        *line = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
    }
    return field;
}

static bool read_names(reader *r, char *line)
{
    bool found[SERIES_COLUMNS] = {false};
    char name[32], what[160];
    for (char *field; (field = take_field(&line)) != NULL && r->fields < FIELDS_MAX; r->fields++) {
        r->column[r->fields] = -1;
        snprintf(r->names[r->fields], sizeof r->names[0], "%s", field);
        for (int i = 0; i < SERIES_COLUMNS; i++) {
            if (strcmp(field, series_name(i, name, sizeof name)) == 0) {
                r->column[r->fields] = i;
                found[i] = true;
            }
        }
    }
    static const int needed[] = {SERIES_STEP,   SERIES_TIME,  SERIES_STEP_MS,
                                 SERIES_ENERGY, SERIES_AWAKE, SERIES_PENETRATION};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!found[needed[i]]) {
            snprintf(what, sizeof what, "expected the columns of --series, and there is no %s",
                     series_name(needed[i], name, sizeof name));
            return refuse(r, what);
        }
    }
    return true;
}

static bool read_row(reader *r, char *line, double row[SERIES_COLUMNS])
{
    char what[256];
    int i = 0;
    for (int k = 0; k < SERIES_COLUMNS; k++) {
        row[k] = (double)NAN;
    }
    for (char *field; (field = take_field(&line)) != NULL; i++) {
        char *end = field;
        const double value = *field != '\0' ? strtod(field, &end) : (double)NAN;
        const bool needed = i < r->fields && (r->column[i] == SERIES_STEP || r->column[i] == SERIES_TIME ||
                                              r->column[i] == SERIES_STEP_MS);
        if (i < r->fields && (*end != '\0' || (*field == '\0' ? needed : !isfinite(value)))) {
            snprintf(what, sizeof what, "%s '%.40s': expected a number", r->names[i], field);
            return refuse(r, what);
        }
        if (i < r->fields && r->column[i] >= 0) {
            row[r->column[i]] = value;
        }
    }
    snprintf(what, sizeof what, "%d values: expected %d, one for each column", i, r->fields);
    return i == r->fields || refuse(r, what);
}

static bool read_lines(reader *r, curves *c, char *text)
{
    double row[SERIES_COLUMNS], before = -1.0;
    for (char *line = text; *line != '\0' || r->line == 0;) {
        char *end = line + strcspn(line, "\n"), *next = *end != '\0' ? end + 1 : end;
        end -= end > line && end[-1] == '\r';
        *end = '\0';
        if (++r->line == 1 ? !read_names(r, line) : !read_row(r, line, row)) {
            return false;
        }
        if (r->line > 1 && row[SERIES_TIME] <= before) {
            return refuse(r, "expected a time_s that grows from row to row");
        }
        if (r->line > 1 && !curves_add(c, row)) {
            return refuse(r, "out of memory");
        }
        before = r->line > 1 ? row[SERIES_TIME] : before;
        line = next;
    }
    return c->rows > 0 || (r->line++, refuse(r, "expected rows after the names of the columns"));
}

bool curves_read(curves *c, const char *path, int warmup, char *error, size_t error_bytes)
{
    file_bytes file = {NULL, 0, 0};
    reader r = {.path = path, .error = error, .error_bytes = error_bytes};
    bool good = curves_begin(c, warmup) && file_bytes_read(path, &file) && file_bytes_append(&file, "", 1);
    if (!good) {
        snprintf(error, error_bytes, "%s: expected a file that --series wrote (%s)", path, strerror(errno));
    } else {
        good = read_lines(&r, c, file.at);
    }
    free(file.at);
    return good;
}
