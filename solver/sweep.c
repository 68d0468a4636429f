/* The parameters of sweeps that follow from the settings. */
#include "solver/sweep.h"

#include "core/math.h"
#include "solver/spook.h"

dry_sweep dry_sweep_of(const dry_settings *settings, float h, float hertz_max)
{
    const dry_spook spook = dry_spook_contact(settings, h, hertz_max);
    return (dry_sweep){
        .rate_free = 1.0f / h,
        /* At most the whole error in one substep: beyond, without [Spook 10]'s term, it would overshoot. */
        .rate = spook.approach > 0.0f ? spook.rate : dry_min(spook.rate, 1.0f / h),
        .relative_softness = spook.relative_softness,
        .softness = spook.softness,
        .approach_scale = spook.approach,
        .bias_speed_max = settings->push_out_speed_max,
        .relaxation = settings->relaxation,
        .substep = h,
        .warm = 1.0f,
        .friction = settings->friction,
        .spook = settings->contact_stiffness > 0.0f,
    };
}
