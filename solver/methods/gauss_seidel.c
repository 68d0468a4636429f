/* Projected Gauss-Seidel: constraints of one color at a time, each of which sees what those before it changed
 * [Spook 27-36]. */
#include "solver/methods/method.h"

#include <stddef.h>

static const char *gauss_seidel_refuses(const dry_settings *settings)
{
    if (settings->contact_stiffness > 0.0f && settings->friction != DRY_FRICTION_CONE)
        return "contact_stiffness needs the cone: no other friction model has kernels for it";
    return NULL;
}

static dry_schedule gauss_seidel_schedule(const dry_settings *settings, int sweeps)
{
    return (dry_schedule){sweeps, settings->relax_sweeps};
}

const dry_method dry_method_gauss_seidel = {
    .name = "gauss-seidel",
    .allows_partitions = true,
    .refuses = gauss_seidel_refuses,
    .schedule = gauss_seidel_schedule,
};
