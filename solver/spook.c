/* SPOOK's three numbers a, b, eps from the two ways to say how stiff a constraint is [Spook 9-11]. */
#include "solver/spook.h"

#include "core/math.h"

dry_spook dry_spook_from_hertz(float hertz, float ratio, float h)
{
    /* With k = w^2 / S_ii and d = 2 zeta / (w h): eps / S_ii = 4 / (h^2 w^2 (1 + 4 d)). */
    float w = 6.2831853f * hertz;
    float wh = w * h;
    float damping = 2.0f * ratio / wh;
    float scale = 1.0f / (1.0f + 4.0f * damping);
    return (dry_spook){
        .rate = 4.0f * scale / h,
        .relative_softness = 4.0f * scale / (wh * wh),
        .approach = 0.0f,
    };
}

dry_spook dry_spook_from_stiffness(float stiffness, float damping, float h)
{
    float scale = 1.0f / (1.0f + 4.0f * damping);
    return (dry_spook){
        .rate = 4.0f * scale / h,
        .softness = dry_min(4.0f * scale / (h * h * stiffness), 1e30f), /* h^2 k may round to 0 */
        .approach = scale,
    };
}

dry_spook dry_spook_from_push_factor(float push_factor, float h)
{
    return (dry_spook){.rate = push_factor / h};
}

float dry_hertz_of_substep(float h)
{
    return dry_min(DRY_HERTZ_PER_SUBSTEP_RATE / h, DRY_HERTZ_MAX);
}

dry_spook dry_spook_contact(const dry_settings *settings, float h, float hertz_max)
{
    if (settings->contact_stiffness > 0.0f)
        return dry_spook_from_stiffness(settings->contact_stiffness, settings->contact_damping, h);
    if (settings->push_factor > 0.0f)
        return dry_spook_from_push_factor(settings->push_factor, h);
    float hertz = settings->contact_hertz > 0.0f ? settings->contact_hertz
                                                 : dry_min(dry_hertz_of_substep(h), hertz_max);
    return dry_spook_from_hertz(hertz, settings->contact_damping_ratio, h);
}
