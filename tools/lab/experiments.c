/* The table of experiments. */
#include "tools/lab/experiments.h"

#include <string.h>

static const lab_experiment experiments[] = {
    {"chains", "Chains of equal bodies", lab_chains_text, 4, lab_chains, false},
    {"heavy-ends", "Chains with heavy ends", lab_heavy_ends_text, 4, lab_heavy_ends, false},
    {"dominance", "Radius and diagonal dominance", lab_dominance_text, 6, lab_radius_and_dominance, false},
    {"momentum", "Momentum per sweep", lab_momentum_text, 2, lab_momentum, false},
    {"spook", "Mass ratios, depth and box friction", lab_spook_text, 4, lab_spook_notes, false},
    {"wires", "Wires and cloth", lab_wires_text, 4, lab_wires, false},
    {"stretch", "A chain that hangs, over sweeps and step", lab_stretch_text, 6, lab_stretch, false},
    {"tamis", "Stacks, a funnel and pendulums", lab_tamis_text, 5, lab_tamis, false},
    {"orders", "Orders and conjugate gradients", lab_orders_text, 3, lab_orders, false},
    {"choosing", "Choosing a method", lab_choosing_text, 8, lab_choosing, true},
    {"loads", "Heavy loads and the high pyramid", lab_loads_text, 18, lab_loads, true},
    {"exact", "Against an exact solver of frictional contacts", lab_exact_text, 4, lab_exact, false},
    {"exact-time", "Against the exact solver over time, and Siconos", lab_exact_time_text, 4, lab_exact_time,
     true},
    {"rolling", "Rolling and motors: non-holonomic constraints", lab_rolling_text, 2, lab_rolling, false},
    {"inconsistent", "Constraints that contradict each other", lab_inconsistent_text, 3, lab_inconsistent,
     false},
    {"neglected", "The term that SPOOK neglects", lab_neglected_text, 3, lab_neglected, false},
    {"geometric", "Geometric stiffness as a mass term", lab_geometric_text, 2, lab_geometric, false},
    {"scalar-balls", "Ball joints in scalar and in vector form", lab_scalar_balls_text, 2, lab_scalar_balls,
     false},
    {"lever", "A contact and joints in turns, and together", lab_lever_text, 4, lab_lever, false},
    {"relaxation", "Under-, over- and adaptive relaxation", lab_relaxation_text, 5, lab_relaxation, false},
    {"integrators", "Integrators of a free body", lab_integrators_text, 4, lab_integrators, false},
    {"gyroscope", "The modified inertia", lab_gyroscope_text, 2, lab_gyroscope, false},
    {"volumes", "Volume joints", lab_volumes_text, 3, lab_volumes, false},
    {0},
};

const lab_experiment *lab_experiments(void)
{
    return experiments;
}

const lab_experiment *lab_find(const char *name)
{
    for (const lab_experiment *e = experiments; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}
