/* Counts durations in buckets, four to an octave from 0.1 us to 13 s, and tells quantiles of them. */
#ifndef HOST_ROOMS_HISTOGRAM_H
#define HOST_ROOMS_HISTOGRAM_H

#include <stdint.h>

enum { DRY_HISTOGRAM_BUCKETS = 109 };

typedef struct dry_histogram {
    uint32_t count[DRY_HISTOGRAM_BUCKETS];
    float max_ms;
} dry_histogram;

void dry_histogram_add(dry_histogram *histogram, double ms);

/* Returns the duration below which a share of all lies, ms; 0 if there are none. */
float dry_histogram_quantile(const dry_histogram *histogram, double share);

#endif
