/* Projected Gauss-Seidel: constraints of one color at a time, each of which sees what those before it changed
 * [Spook 27-36]. */
#include "solver/methods/method.h"

static dry_schedule gauss_seidel_schedule(const dry_settings *settings, int sweeps)
{
    return (dry_schedule){sweeps, settings->relax_sweeps};
}

const dry_method dry_method_gauss_seidel = {
    .name = "gauss-seidel",
    .allows_partitions = true,
    .schedule = gauss_seidel_schedule,
};
