/* The list of experiments, each of which is one file. */
#ifndef TOOLS_LAB_EXPERIMENTS_H
#define TOOLS_LAB_EXPERIMENTS_H

#include "tools/lab/run.h"

void lab_chains(lab_run *run);
void lab_heavy_ends(lab_run *run);
void lab_radius_and_dominance(lab_run *run);
void lab_momentum(lab_run *run);
void lab_spook_notes(lab_run *run);
void lab_tamis(lab_run *run);
void lab_orders(lab_run *run);
void lab_choosing(lab_run *run);
void lab_exact(lab_run *run);
void lab_exact_time(lab_run *run);
void lab_loads(lab_run *run);
void lab_wires(lab_run *run);
void lab_stretch(lab_run *run);
void lab_rolling(lab_run *run);
void lab_inconsistent(lab_run *run);
void lab_neglected(lab_run *run);
void lab_geometric(lab_run *run);
void lab_scalar_balls(lab_run *run);
void lab_lever(lab_run *run);
void lab_relaxation(lab_run *run);
void lab_integrators(lab_run *run);
void lab_gyroscope(lab_run *run);
void lab_volumes(lab_run *run);

extern const char lab_chains_text[], lab_heavy_ends_text[], lab_spook_text[], lab_dominance_text[],
    lab_momentum_text[], lab_tamis_text[], lab_orders_text[], lab_choosing_text[], lab_exact_text[],
    lab_exact_time_text[], lab_loads_text[], lab_wires_text[], lab_stretch_text[], lab_rolling_text[],
    lab_inconsistent_text[], lab_neglected_text[], lab_geometric_text[], lab_scalar_balls_text[],
    lab_lever_text[], lab_relaxation_text[], lab_integrators_text[], lab_gyroscope_text[], lab_volumes_text[];

#endif
