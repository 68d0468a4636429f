/* A stack of cubes on the floor, solved as Tamis writes it, in double precision: Euler's step of momenta
 * [3.2], clipped faces [4], contacts and boxes of friction [5.3, 5.4], projected Gauss-Seidel from zero
 * [7.2], and the push for one frame [8.1]. */
#ifndef TOOLS_LAB_TAMIS_MODEL_H
#define TOOLS_LAB_TAMIS_MODEL_H

#include <stdbool.h>

enum { LAB_TAMIS_CUBES = 5 };

typedef struct lab_vector {
    double x, y, z;
} lab_vector;

typedef struct lab_tamis_cube {
    lab_vector at, velocity, rotation; /* m, m/s, rad/s */
    double turn[4];                    /* the orientation's w, x, y, z */
} lab_tamis_cube;

typedef struct lab_tamis_stack {
    double side, mass, gravity, friction, step; /* m, kg, m/s^2, 1, s */
    double beta;                                /* the share of a depth that a step takes back */
    int sweeps;
    bool from_top; /* contacts are solved from the top of the stack downward, not from the floor upward */
    bool twice;    /* poses follow the solve with the push, velocities the one without [8.1] */
    lab_tamis_cube cube[LAB_TAMIS_CUBES]; /* from the floor */
} lab_tamis_stack;

/* Puts the cubes above each other, at rest. */
void lab_tamis_place(lab_tamis_stack *stack, double lowest, double spacing);

void lab_tamis_step(lab_tamis_stack *stack);

#endif
