/* Histograms of durations. A bucket's bounds are 1/4 octave apart, 19 %; within it a quantile is
 * interpolated. Reads the bits of a float: exponent, and the bounds of quarters by comparison. */
#include "host/rooms/histogram.h"

#include "core/assert.h"

#include <string.h>

/* 2^(k / 4) */
static const float quarters[4] = {1.0f, 1.18920712f, 1.41421356f, 1.68179283f};

/* Returns the bucket of a duration. Bucket 0 has all below 0.1 us, and the last one all from its bound on. */
static int bucket_of(double ms)
{
    const float units = (float)(ms * 1e4); /* of 0.1 us */
    if (!(units >= 1.0f))
        return 0;
    uint32_t bits;
    memcpy(&bits, &units, sizeof bits);
    const int octave = (int)(bits >> 23) - 127;
    const uint32_t mantissa_bits = (bits & 0x7fffffu) | 127u << 23;
    float mantissa;
    memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
    int quarter = 3;
    while (mantissa < quarters[quarter])
        quarter--;
    DRY_ASSERT(octave >= 0 && quarter >= 0);
    const int bucket = 1 + 4 * octave + quarter;
    return bucket < DRY_HISTOGRAM_BUCKETS ? bucket : DRY_HISTOGRAM_BUCKETS - 1;
}

/* Returns the lower bound of a bucket, ms. */
static float bound_of(int bucket)
{
    DRY_ASSERT(bucket >= 0 && bucket <= DRY_HISTOGRAM_BUCKETS);
    if (bucket == 0)
        return 0.0f;
    return 1e-4f * quarters[(bucket - 1) % 4] * (float)(UINT64_C(1) << (bucket - 1) / 4);
}

void dry_histogram_add(dry_histogram *histogram, double ms)
{
    uint32_t *count = &histogram->count[bucket_of(ms)];
    *count += *count < UINT32_MAX;
    histogram->max_ms = (float)ms > histogram->max_ms ? (float)ms : histogram->max_ms;
}

float dry_histogram_quantile(const dry_histogram *histogram, double share)
{
    uint64_t all = 0;
    for (int i = 0; i < DRY_HISTOGRAM_BUCKETS; i++)
        all += histogram->count[i];
    const double wanted = share * (double)all;
    double below = 0.0;
    for (int i = 0; i < DRY_HISTOGRAM_BUCKETS; i++) {
        const double count = histogram->count[i];
        if (count > 0.0 && below + count >= wanted) {
            const float low = bound_of(i),
                        high = i + 1 < DRY_HISTOGRAM_BUCKETS ? bound_of(i + 1) : histogram->max_ms;
            const float at = low + (high - low) * (float)((wanted - below) / count);
            return at < histogram->max_ms ? at : histogram->max_ms;
        }
        below += count;
    }
    return histogram->max_ms;
}
