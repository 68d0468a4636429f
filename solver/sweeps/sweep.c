/* The parameters and the kernels of sweeps, which follow from the settings. */
#include "solver/sweeps/passes.h"

#include "core/math.h"
#include "solver/constraint/spook.h"
#include "solver/data/method.h"

dry_sweep dry_sweep_of(const dry_method *method, const dry_settings *settings, float h, float hertz_max)
{
    const dry_spook spook = method->springs->contact(settings, h, hertz_max);
    return (dry_sweep){
        .rate_free = 1.0f / h,
        /* At most the whole error in one substep: beyond, without [Spook 10]'s term, it would overshoot. */
        .rate = spook.approach > 0.0f ? spook.rate : dry_min(spook.rate, 1.0f / h),
        .relative_softness = spook.relative_softness,
        .softness = spook.softness,
        .approach_scale = spook.approach,
        .bias_speed_max = settings->push_out_speed_max,
        .relaxation = settings->method.relaxation,
        .joint_speed_max = settings->push_out_speed_max,
        .bounce_speed = settings->restitution_speed_min,
        .substep = h,
        .friction = settings->method.friction,
        .spook = dry_spook_given_as_k(settings),
        .summed = method->update[DRY_SWEEP_SOLVE] == DRY_UPDATE_SUMMED,
    };
}

dry_sweep_kernels dry_choose_kernels(const dry_solver_step *step, dry_sweep_kind sweep)
{
    const dry_solver_state *state = step->state;
    dry_sweep_kernels kernels = {.update = step->method->update[sweep]};
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT && state->sweeps.bundles[k].count > 0; fill++)
            kernels.kernel[k][fill] =
                step->kinds[k]->kernel(step->kinds[k], dry_level_of_fill(state->sweeps.level, (dry_fill)fill),
                                       sweep, kernels.update, step->settings, step->shapes->spring != NULL);
    return kernels;
}
