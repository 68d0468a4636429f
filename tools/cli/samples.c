/* Keeps durations of many steps in bounded memory (samples.h). */
#include "tools/cli/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void samples_init(samples *s, int width)
{
    *s = (samples){.width = width, .stride = 1};
}

static bool make_room(samples *s)
{
    size_t row_bytes = (size_t)s->width * sizeof(float);
    if (s->count < s->capacity) {
        return true;
    }
    if (s->capacity < SAMPLE_ROWS) {
        int capacity = s->capacity == 0 ? 1024 : s->capacity * 2;
        float *rows = realloc(s->rows, (size_t)capacity * row_bytes);
        if (rows == NULL) {
            return false;
        }
        s->rows = rows;
        s->capacity = capacity;
        return true;
    }
    for (int i = 0; 2 * i < s->count; i++) {
        memmove(s->rows + (size_t)i * (size_t)s->width, s->rows + (size_t)(2 * i) * (size_t)s->width,
                row_bytes);
    }
    s->count = (s->count + 1) / 2;
    s->stride *= 2;
    return true;
}

bool samples_add(samples *s, const double *row)
{
    /* Rounded as in the rows; otherwise a quantile could exceed the largest value. */
    double first = (double)(float)row[0];
    s->first_min = s->seen == 0 || first < s->first_min ? first : s->first_min;
    s->first_max = s->seen == 0 || first > s->first_max ? first : s->first_max;
    s->first_sum += first;
    if (s->seen++ % s->stride != 0) {
        return true;
    }
    if (!make_room(s)) {
        return false;
    }
    if ((s->seen - 1) % s->stride != 0) { /* making room has doubled the stride */
        return true;
    }
    for (int i = 0; i < s->width; i++) {
        s->rows[(size_t)s->count * (size_t)s->width + (size_t)i] = (float)row[i];
    }
    s->count++;
    return true;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double samples_quantile(const samples *s, int column, double quantile)
{
    float *sorted = s->count > 0 ? malloc((size_t)s->count * sizeof *sorted) : NULL;
    if (sorted == NULL) {
        return s->count > 0 ? (double)NAN : 0.0;
    }
    for (int i = 0; i < s->count; i++) {
        sorted[i] = s->rows[(size_t)i * (size_t)s->width + (size_t)column];
    }
    qsort(sorted, (size_t)s->count, sizeof *sorted, compare_floats);
    double value;
    if (quantile == 0.5) {
        value = 0.5 * ((double)sorted[(s->count - 1) / 2] + (double)sorted[s->count / 2]);
    } else {
        int rank = (int)ceil(quantile * s->count) - 1;
        value = (double)sorted[rank < 0 ? 0 : rank];
    }
    free(sorted);
    return value;
}

void samples_free(samples *s)
{
    free(s->rows);
    *s = (samples){0};
}
