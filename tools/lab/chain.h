/* Chains of bodies in a line, joined by distance joints between their centers: the setup of [Waterson 8]. */
#ifndef TOOLS_LAB_CHAIN_H
#define TOOLS_LAB_CHAIN_H

#include "tools/lab/system.h"

/* How the joints of a chain are solved. */
enum { LAB_CHAIN_MAX = 64 };

typedef struct lab_chain {
    int count;                   /* of bodies, 2 to LAB_CHAIN_MAX */
    double mass[LAB_CHAIN_MAX];  /* kg */
    double speed[LAB_CHAIN_MAX]; /* along the line, m/s */
    double stiffness, damping;   /* of a joint: k, N/m, and d, substeps [Spook 9-11] */
    double step;                 /* h, s */
} lab_chain;

/* A chain of equal bodies at rest whose rows have no softness to speak of. `heavy` is the mass of both ends.
 */
lab_chain lab_chain_of(int count, double mass, double heavy);

/* Sets the speeds so that the impulses of the solution are the chain's slowest mode of Jacobi's iteration for
 * equal masses, sin(j pi / N). */
void lab_chain_slowest(lab_chain *chain);

/* Builds the chain in a new world of the run, before its step. */
dry_world *lab_chain_world(lab_run *run, const lab_chain *chain, const dry_settings *settings);

/* The constraint equation of the chain's step, from its world. */
lab_problem lab_chain_problem(lab_run *run, const lab_chain *chain, lab_system *system);

/* Returns the order of n rows by color: even rows, then odd ones. */
int *lab_chain_colors(lab_run *run, int n);

/* Steps the engine `count` times from the same state, with 1 to `count` sweeps and else these settings.
 * Writes the length of the residual after each to `lengths`, that of no sweep first, and the impulses of each
 * behind each other to `impulses`, 0 first, unless null. */
void lab_chain_engine(lab_run *run, const lab_chain *chain, dry_settings settings, int count, double *lengths,
                      double *impulses);

/* H = M + s J^T J of the positions, [Waterson 8.31, 8.46], with s = rho dt^2. */
lab_problem lab_chain_blocks(lab_run *run, const lab_chain *chain, double s);

#endif
