/* The rows of one contact, in double precision. */
#ifndef SOLVER_SWEEPS_CONTACTS_LANE_ROWS_H
#define SOLVER_SWEEPS_CONTACTS_LANE_ROWS_H

#include "solver/data/contacts/bundle.h"
#include "solver/data/coupled.h"

/* The rows of a manifold: the normal ones at four points, then those at the patch's center. */
enum { POINTS = 4, TANGENT = POINTS, TORSION = TANGENT + 2, ROLLING = TORSION + 1, ROWS = ROLLING + 2 };
_Static_assert((int)ROWS <= (int)DRY_COUPLED_ROWS, "room for all rows");

/* Finds the rows of a lane whose bodies have masses 1 / root^2, after a shift of b's center relative to a's,
 * in the bundle's frame. Impulses P at r change the whitened velocities by P / sqrt(m) and by
 * sum_k T_k (r x P)_k; a's side has the other sign [Spook 6-7, 25]. Rows without a point are 0. */
void dry_contact_find_rows(dry_contact_bundle *c, int lane, const double root[2], const double shift[3],
                           dry_coupled_rows *rows);

#endif
