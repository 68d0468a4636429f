/* A symmetric positive definite system in blocks of six equations. Of each block row the terms from the first
 * neighbor's to the diagonal are stored; the factor needs no others. */
#ifndef CORE_ENVELOPE_H
#define CORE_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

typedef struct dry_envelope_row {
    int32_t of;      /* whose equations they are: the caller's number */
    int32_t first;   /* block of the first term */
    ptrdiff_t begin; /* where column 0 would be: six terms side by side in each column */
} dry_envelope_row;

typedef struct dry_envelope {
    dry_envelope_row *row; /* one more for the right side, which is factored with the rest */
    double *term;
    int32_t count;
} dry_envelope;

/* Places the rows one behind the other. Returns the number of terms. */
size_t dry_envelope_place(dry_envelope *e);
/* Makes the matrix `diagonal` times the unit matrix. */
void dry_envelope_clear(dry_envelope *e, double diagonal);
/* Adds `size` times g g^T, of which g has six values in each of two blocks; a block below 0 is left out. */
void dry_envelope_add(dry_envelope *e, const int32_t block[2], const double g[12], double size);
/* Factors the matrix, L L^T, in its place, and solves for x. */
void dry_envelope_solve(dry_envelope *e, const double *right, double *x);

#endif
