/* Durations of many steps in bounded memory. */
#ifndef CLI_SAMPLES_H
#define CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Rows of `width` numbers. Beyond SAMPLE_ROWS rows only every 2nd, 4th, 8th, ... is kept, so that
 * medians of a very long run are over evenly spaced steps; least, largest and mean of column 0 are over all.
 */
#define SAMPLE_ROWS 262144

typedef struct samples {
    float *rows;
    int width, count, capacity;
    long long seen, stride;
    double first_min, first_max, first_sum;
} samples;

void samples_init(samples *s, int width);
bool samples_add(samples *s, const double *row); /* false if memory fails */
/* The value below which a share `quantile` of a column lies (nearest rank; the mean of the two in the middle
 * for 0.5); 0 if there are none. */
double samples_quantile(const samples *s, int column, double quantile);
void samples_free(samples *s);

#endif
