/* The constraint equation of a world's next step, from what the public calls tell: J, M^-1 and A = J M^-1
 * J^T.
 *
 * Rows are those of enabled ball, distance and hinge joints, and the normals of contact points. A row is one
 * scalar equation between two bodies; its impulse pushes body b along jb and body a along ja, as b's
 * reaction. */
#ifndef TOOLS_LAB_SYSTEM_H
#define TOOLS_LAB_SYSTEM_H

#include "tools/lab/linear.h"

typedef struct lab_system_row {
    int a, b;            /* index of a body; -1 if nothing pushes it */
    double ja[6], jb[6]; /* linear, angular */
    double error;        /* q, m; of a rotation rad */
    double impulse;      /* of the last step, N s; of a rotation NAN, as no call tells it */
    bool contact;        /* its impulse is not negative */
} lab_system_row;

typedef struct lab_system {
    int bodies, rows;
    dry_body_id *id;
    double *inverse_mass;         /* 0 for bodies that nothing pushes */
    double (*inverse_inertia)[9]; /* world axes */
    double (*velocity)[6];
    lab_system_row *row;
} lab_system;

/* Reads a world. Other types of joints end the experiment. */
lab_system lab_system_of(lab_run *run, const dry_world *world);

/* Sets the impulses of the rows to those of the world's last step. The experiment ends if the world's rows
 * are no longer the same. */
void lab_system_impulses(lab_run *run, const lab_system *s, const dry_world *world, double *impulse);

/* Spook's numbers of one kind of row [Spook 9-11]. */
typedef struct lab_spook {
    double rate;     /* a, 1/s */
    double approach; /* b */
    double softness; /* eps, 1/kg */
} lab_spook;

/* From k, N/m, and d, substeps, as [Spook 9-11]. */
lab_spook lab_spook_of(double stiffness, double damping, double h);

/* Returns A + eps, b = -a q - b J v - h J M^-1 f [Spook 8], and the bounds if there are contacts; f is
 * gravity. */
lab_problem lab_system_problem(lab_run *run, const lab_system *s, const lab_spook *spook, dry_vec3 gravity,
                               double h);

/* Returns the index of a body; -1 for one that nothing pushes. */
int lab_system_index(const lab_system *s, dry_body_id id);

/* Returns the row of the world point `at` along `axis`, without error and impulse. */
lab_system_row lab_system_row_at(lab_run *run, const dry_world *world, const lab_system *s, int a, int b,
                                 const double at[3], const double axis[3]);

/* Writes M^-1 j, the change of a body's velocity by one side of a row. */
void lab_system_push(const lab_system *s, int body, const double j[6], double change[6]);

/* Writes -omega x I omega, the torque by which a body's rotation turns its axes. */
void lab_system_gyroscopic(const lab_system *s, int body, double torque[3]);

/* Writes M^-1 J^T x, the changes of velocity that impulses x make. */
void lab_system_changes(const lab_system *s, const double *x, double (*change)[6]);

/* Writes the momenta of velocities: linear, and angular about the origin. `at` are the centers of mass. */
void lab_system_momentum(const lab_system *s, const dry_world *world, double (*velocity)[6],
                         double momentum[6]);

#endif
