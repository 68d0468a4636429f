/* Block rows from their first terms on: sums go in the order of columns, so that they are the same
 * everywhere. */
#include "core/envelope.h"

#include "core/double3.h"

#include <float.h>
#include <string.h>

size_t dry_envelope_place(dry_envelope *e)
{
    ptrdiff_t terms = 0;
    e->row[e->count].first = 0;
    for (int p = 0; p <= e->count; p++) {
        e->row[p].begin = terms - 36 * (ptrdiff_t)e->row[p].first;
        terms += 36 * (ptrdiff_t)(p + 1 - e->row[p].first);
    }
    return (size_t)terms;
}

void dry_envelope_clear(dry_envelope *e, double diagonal)
{
    memset(e->term, 0, (size_t)(e->row[e->count].begin + 36 * (ptrdiff_t)e->count) * sizeof *e->term);
    for (int i = 0; i < 6 * e->count; i++)
        e->term[e->row[i / 6].begin + 6 * i + i % 6] = diagonal;
}

void dry_envelope_add(dry_envelope *e, const int32_t block[2], const double g[12], double size)
{
    for (int j = 0; j < 12; j++)
        for (int side = 0; side < 2; side++) {
            if (block[j / 6] < 0 || block[side] < block[j / 6])
                continue;
            double *term = e->term + (e->row[block[side]].begin + 6 * (6 * block[j / 6] + j % 6));
            for (int i = 0; i < 6; i++)
                term[i] += size * g[j] * g[6 * side + i];
        }
}

void dry_envelope_solve(dry_envelope *e, const double *right, double *x)
{
    double *last = e->term + e->row[e->count].begin, sum[6];
    for (int i = 0; i < 6 * e->count; i++)
        last[6 * i] = right[i];
    for (int p = 0; p <= e->count; p++)
        for (int j = 6 * e->row[p].first; j < 6 * dry_min_int(p + 1, e->count); j++) {
            const int q = j / 6, from = 6 * dry_max_int(e->row[p].first, e->row[q].first), steps = j - from;
            double *row = e->term + (e->row[p].begin + 6 * from);
            const double *other = e->term + (e->row[q].begin + 6 * from + j % 6);
            memcpy(sum, row + 6 * steps, sizeof sum);
            for (int k = 0; k < steps; k++)
                for (int i = 0; i < 6; i++)
                    sum[i] -= row[6 * k + i] * other[6 * k];
            const double pivot = q < p ? other[6 * steps] : sqrt(double_max(sum[j % 6], DBL_MIN));
            for (int i = 0; i < 6; i++)
                row[6 * steps + i] = (q == p && i == j % 6 ? pivot * pivot : sum[i]) / pivot;
        }
    for (int i = 6 * e->count - 1; i >= 0; i--) {
        const double *row = e->term + (e->row[i / 6].begin + i % 6);
        x[i] = last[6 * i] / row[6 * i];
        for (int k = 6 * e->row[i / 6].first; k < i; k++)
            last[6 * k] -= row[6 * k] * x[i];
    }
}
