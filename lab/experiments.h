/* The list of experiments, each of which is one file. */
#ifndef LAB_EXPERIMENTS_H
#define LAB_EXPERIMENTS_H

#include "lab/run.h"

/* name, title, parts, text */
void lab_chains(lab_run *run);

extern const char lab_chains_text[];

#endif
