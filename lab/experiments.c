/* The table of experiments. */
#include "lab/experiments.h"

#include <string.h>

static const lab_experiment experiments[] = {
    {"chains", "Chains of equal bodies", lab_chains_text, 4, lab_chains},
    {"heavy-ends", "Chains with heavy ends", lab_heavy_ends_text, 4, lab_heavy_ends},
    {"spook", "Mass ratios, depth and box friction", lab_spook_text, 4, lab_spook_notes},
    {"exact", "Against an exact solver of frictional contacts", lab_exact_text, 4, lab_exact},
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
