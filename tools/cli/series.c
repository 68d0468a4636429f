/* Writes the rows of a run (series.h). */
#include "tools/cli/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct column {
    const char *name, *unit, *meaning;
    const char *format;
} column;

/* The stages stand where SERIES_STAGES says. */
static const column columns[] = {
    [SERIES_STEP] = {"step", "1", "steps since the run began", "%.0f"},
    [SERIES_TIME] = {"time_s", "s", "simulated time", "%.7g"},
    [SERIES_STEP_MS] = {"step_ms", "ms", "time that the step took", "%.6g"},
    [SERIES_AWAKE] = {"awake", "1", "dynamic bodies that are awake", "%.0f"},
    [SERIES_ISLANDS] = {"islands", "1", "islands that are awake", "%.0f"},
    [SERIES_MANIFOLDS] = {"manifolds", "1", "touching pairs of shapes, sleeping ones included", "%.0f"},
    [SERIES_PAIRS] = {"pairs", "1", "pairs of shapes whose fat boxes overlap, sleeping ones included",
                      "%.0f"},
    [SERIES_SUBSTEPS] = {"substeps", "1", "largest number of substeps of an island", "%.0f"},
    [SERIES_ENERGY] = {"energy_J", "J", "mechanical energy, gravitational from the start; every K steps",
                       "%.9g"},
    [SERIES_SPEED] = {"speed_max_m_s", "m/s", "speed of the fastest body; every K steps", "%.6g"},
    [SERIES_PENETRATION] = {"penetration_max_m", "m", "deepest overlap; every K steps, not with --no-quality",
                            "%.6g"},
    [SERIES_BYTES] = {"bytes", "byte", "memory that the world holds", "%.0f"},
};

static bool is_stage(int i)
{
    return i >= SERIES_STAGES && i < SERIES_AWAKE;
}

const char *series_name(int i, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s%s",
             is_stage(i) ? dry_stage_name((dry_stage)(i - SERIES_STAGES)) : columns[i].name,
             is_stage(i) ? "_ms" : "");
    return text;
}

void series_list(FILE *stream)
{
    char name[32];
    for (int i = 0; i < SERIES_COLUMNS; i++) {
        fprintf(stream, "%-18s %-5s %s\n", series_name(i, name, sizeof name),
                is_stage(i) ? "ms" : columns[i].unit,
                is_stage(i) ? "time of this stage" : columns[i].meaning);
    }
}

bool series_begin(output_file *file, char *error, size_t error_bytes)
{
    char line[1024], name[32];
    size_t used = 0;
    for (int i = 0; i < SERIES_COLUMNS; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%c", series_name(i, name, sizeof name),
                                 i + 1 < SERIES_COLUMNS ? ',' : '\n');
    }
    return output_file_append(file, line, used, error, error_bytes);
}

bool series_write(output_file *file, const double row[SERIES_COLUMNS], char *error, size_t error_bytes)
{
    char line[1024];
    size_t used = 0;
    for (int i = 0; i < SERIES_COLUMNS; i++) {
        if (isfinite(row[i])) {
            used += (size_t)snprintf(line + used, sizeof line - used,
                                     is_stage(i) ? "%.6g" : columns[i].format, row[i]);
        }
        line[used++] = i + 1 < SERIES_COLUMNS ? ',' : '\n';
    }
    return output_file_append(file, line, used, error, error_bytes);
}
