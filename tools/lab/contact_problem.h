/* The frictional contact problem of one step, as FCLIB states it: find velocities u and impulses r of contact
 * points, and impulses l of joint rows, with
 *
 *     u = W r + V l + q,   V^T r + R l + s = 0,   K* contains u + (mu |u_T|, 0, 0), which is orthogonal to r
 * in K
 *
 * where K is Coulomb's cone |r_T| <= mu r_N of each point, and components are normal, first and second
 * tangent. W, V and R are blocks of J M^-1 J^T; q and s are what the bodies' motion would be without these
 * impulses. Overlaps and gaps of joints are not to be closed; a point with a gap may approach until it is
 * closed. */
#ifndef TOOLS_LAB_CONTACT_PROBLEM_H
#define TOOLS_LAB_CONTACT_PROBLEM_H

#include "tools/lab/system.h"

/* Compressed columns. */
typedef struct lab_matrix {
    int rows, columns;
    int *start; /* of each column, and the end */
    int *row;   /* rising in a column */
    double *value;
} lab_matrix;

typedef struct lab_contact_problem {
    lab_run run; /* owns the memory */
    lab_system system;
    lab_system_row *rows; /* 3 a point, then the equations */
    int points, equations;
    dry_shape_id (*shapes)[2]; /* of each point */
    uint32_t *feature;
    lab_matrix w, v, r;
    double h;
    double *q, *s, *mu;
    double *impulse, *force; /* 3 a point; 1 an equation, N s: those of the engine's step */
} lab_contact_problem;

/* Reads the problem of the next step of `h` seconds from a world whose contacts are those of its present
 * poses, as a step of 0 leaves them. Returns null, or in words why there is none. The caller frees it in both
 * cases. */
const char *lab_contact_problem_of(lab_contact_problem *p, const dry_world *world, double h);
void lab_contact_problem_free(lab_contact_problem *p);

/* Reads the impulses that a world gave in the step just done, scaled from the last substep to the step.
 * Points that are new since have none. Returns null, or in words why it cannot. */
const char *lab_contact_problem_read_impulses(lab_contact_problem *p, const dry_world *world);

/* Writes u = W r + V l + q to `velocity` and returns the natural map's residual: the length of
 * r - P_K(r - u - (mu |u_T|, 0, 0)) of all points and V^T r + R l + s, over that of q and s. */
double lab_contact_problem_residual(const lab_contact_problem *p, const double *impulse, const double *force,
                                    double *velocity);

#endif
