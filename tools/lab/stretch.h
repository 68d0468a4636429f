/* The parts of the experiment `stretch` (stretch.c) that have files of their own. */
#ifndef TOOLS_LAB_STRETCH_H
#define TOOLS_LAB_STRETCH_H

#include "tools/lab/run.h"

/* Follows hanging chains step by step, beside the documents' steps in double precision. */
void lab_stretch_motion(lab_run *run);

/* Counts the sweeps that remove a fraction of a chain's error [Waterson, Figure 2]. */
void lab_stretch_fractions(lab_run *run);

#endif
