/* Keeps durations of many steps in bounded memory. */
#ifndef TOOLS_CLI_SAMPLES_H
#define TOOLS_CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Rows of `width` numbers. Beyond SAMPLE_ROWS rows only every 2nd, 4th, 8th, ... row stays, so that medians
 * of a very long run are over evenly spaced steps. Smallest, largest and mean value of column 0 are over all
 * rows. */
#define SAMPLE_ROWS 262144

typedef struct samples {
    float *rows;
    int width, count, capacity;
    long long seen, stride;
    double first_min, first_max, first_sum;
} samples;

void samples_init(samples *s, int width);
bool samples_add(samples *s, const double *row); /* Adds a row; returns false if there is no memory. */
/* Returns the value below which a share `quantile` of a column lies: the nearest rank, and for 0.5 the mean
 * of the two middle values; 0 if there are no rows. */
double samples_quantile(const samples *s, int column, double quantile);
void samples_free(samples *s);

#endif
