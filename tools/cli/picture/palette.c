/* Chooses colors by splitting boxes [Heckbert 82, Wu 91]: the box of the largest squared deviation is cut at
 * the mean of its widest channel until there are enough. A color that is frequent weighs by the square root
 * of its frequency, so that a large ground does not take all colors. */
#include "tools/cli/picture/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 32768   /* 5 bits a channel */
#define ASKED 262144 /* 6 bits a channel */

typedef struct bin {
    double weight, sum[3];
} bin;

typedef struct box {
    int begin, end; /* in the list of bins */
    int channel;    /* of the largest deviation */
    double mean[3], deviation;
} box;

static void add_colors(bin *bins, const unsigned char *rgb, size_t count)
{
    for (size_t i = 0; i < count; i++, rgb += 3) {
        bin *b = &bins[rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3];
        b->weight += 1.0 / (double)count;
        for (int k = 0; k < 3; k++) {
            b->sum[k] += rgb[k] / (double)count;
        }
    }
}

/* Moves the bins in use to the front, with means in place of sums. Returns their number. */
static int pack_bins(bin *bins)
{
    int count = 0;
    for (int i = 0; i < BINS; i++) {
        if (bins[i].weight > 0.0) {
            bin b = bins[i];
            for (int k = 0; k < 3; k++) {
                b.sum[k] /= b.weight;
            }
            b.weight = sqrt(b.weight);
            bins[count++] = b;
        }
    }
    return count;
}

static box measure(const bin *bins, int begin, int end)
{
    box b = {begin, end, 0, {0}, 0.0};
    double weight = 0.0, square[3] = {0};
    for (int i = begin; i < end; i++) {
        weight += bins[i].weight;
        for (int k = 0; k < 3; k++) {
            b.mean[k] += bins[i].weight * bins[i].sum[k];
            square[k] += bins[i].weight * bins[i].sum[k] * bins[i].sum[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        b.mean[k] /= weight;
        const double deviation = square[k] - weight * b.mean[k] * b.mean[k];
        if (deviation > b.deviation) {
            b.deviation = deviation;
            b.channel = k;
        }
    }
    return b;
}

/* Moves the bins below the mean to the front; returns where the others begin. */
static int partition(bin *bins, const box *b)
{
    int middle = b->begin;
    for (int i = b->begin; i < b->end; i++) {
        if (bins[i].sum[b->channel] < b->mean[b->channel]) {
            const bin swap = bins[middle];
            bins[middle++] = bins[i];
            bins[i] = swap;
        }
    }
    return middle;
}

bool palette_make(palette *p, const unsigned char *first, size_t first_count, const unsigned char *second,
                  size_t second_count)
{
    box boxes[PALETTE_COLORS];
    bin *bins = calloc(BINS, sizeof *bins);
    *p = (palette){.nearest = malloc(ASKED * sizeof *p->nearest)};
    if (bins == NULL || p->nearest == NULL) {
        free(bins);
        return false;
    }
    memset(p->nearest, 0xff, ASKED * sizeof *p->nearest);
    add_colors(bins, first, first_count);
    add_colors(bins, second, second_count);
    boxes[0] = measure(bins, 0, pack_bins(bins));
    p->count = 1;
    while (p->count < PALETTE_COLORS) {
        int worst = 0;
        for (int i = 1; i < p->count; i++) {
            worst = boxes[i].deviation > boxes[worst].deviation ? i : worst;
        }
        const int middle = partition(bins, &boxes[worst]);
        if (middle == boxes[worst].begin || middle == boxes[worst].end) {
            break; /* fewer colors than there is room for */
        }
        boxes[p->count++] = measure(bins, middle, boxes[worst].end);
        boxes[worst] = measure(bins, boxes[worst].begin, middle);
    }
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < 3; k++) {
            p->rgb[3 * i + k] = (unsigned char)(boxes[i].mean[k] + 0.5);
        }
    }
    free(bins);
    return true;
}

int palette_nearest(palette *p, const unsigned char *rgb)
{
    short *known = &p->nearest[rgb[0] >> 2 << 12 | rgb[1] >> 2 << 6 | rgb[2] >> 2];
    if (*known < 0) {
        int best = 0, least = 1 << 30;
        for (int i = 0; i < p->count; i++) {
            int distance = 0;
            for (int k = 0; k < 3; k++) {
                const int d = (rgb[k] | 2) - p->rgb[3 * i + k]; /* from the middle of the 6 bits */
                distance += d * d;
            }
            best = distance < least ? i : best;
            least = distance < least ? distance : least;
        }
        *known = (short)best;
    }
    return *known;
}

void palette_free(palette *p)
{
    free(p->nearest);
    *p = (palette){.nearest = NULL};
}
