/* The rows of one contact's impact, in double precision. */
#ifndef SOLVER_SWEEPS_CONTACTS_IMPACT_ROWS_H
#define SOLVER_SWEEPS_CONTACTS_IMPACT_ROWS_H

#include "solver/data/contacts/bundle.h"

struct dry_solver_step;

/* The rows of a manifold: normals at four points, two tangents at the patch's center, torsion. */
enum { DRY_IMPACT_TANGENT = 4, DRY_IMPACT_TORSION = 6, DRY_IMPACT_ROWS = 7 };

/* A contact's rows g over both bodies: linear and angular of a, linear and angular of b. Impulses P at r
 * change the whitened velocities by P / sqrt(m) and by sum_k T_k (r x P)_k; a's side has the other sign
 * [Spook 6-7, 25]. */
typedef struct dry_impact_rows {
    double g[DRY_IMPACT_ROWS][12];
    int points; /* rows of points from this one on are not set */
} dry_impact_rows;

static inline double dry_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Finds the bundle's frame in the world, as contact_frame_of_normal. */
void dry_impact_frame(const dry_contact_bundle *c, int lane, double frame[3][3]);
/* Finds the rows of a lane whose bodies have masses 1 / root^2, after a shift of b's center relative to a's,
 * in the bundle's frame. A half of a body whose frame turns is in that of the substep. */
void dry_impact_rows_find(const struct dry_solver_step *step, const dry_contact_bundle *c, int lane,
                          const double root[2], const double shift[3], dry_impact_rows *rows);

#endif
