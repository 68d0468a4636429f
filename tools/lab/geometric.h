/* Geometric stiffness: the engine's rows of the experiment, beside those of its model (geometric.c). */
#ifndef TOOLS_LAB_GEOMETRIC_H
#define TOOLS_LAB_GEOMETRIC_H

#include "tools/lab/run.h"

void lab_geometric_worlds(lab_run *run);

#endif
