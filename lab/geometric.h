/* Geometric stiffness: the engine's rows of the experiment, beside those of its model (geometric.c). */
#ifndef LAB_GEOMETRIC_H
#define LAB_GEOMETRIC_H

#include "lab/run.h"

void lab_geometric_worlds(lab_run *run);

#endif
