/* SPOOK's three numbers a, b, eps from the two ways to say how stiff a constraint is [Spook 9-11]. */
#include "solver/constraint/spook.h"

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
        .softness = dry_min(4.0f * scale / (h * h * stiffness), DRY_SOFTNESS_MAX),
        .approach = scale,
    };
}

dry_spook dry_spook_from_spring(float stiffness, float damping, float h)
{
    const float both = h * stiffness + 4.0f * damping;
    return (dry_spook){
        .rate = both > 0.0f ? 4.0f * (stiffness / both) : 0.0f,
        .softness = dry_min(4.0f / (h * both), DRY_SOFTNESS_MAX),
        .approach = both > 0.0f ? h * stiffness / both : 1.0f,
    };
}

/* lambda / h = -k (q + h v) - c v gives v + a q + eps lambda = 0 with a = k / (h k + c) and
 * eps = 1 / (h (h k + c)). */
dry_spook dry_spook_implicit(float stiffness, float damping, float h)
{
    const float both = h * stiffness + damping;
    return (dry_spook){
        .rate = both > 0.0f ? stiffness / both : 0.0f,
        .softness = dry_min(1.0f / (h * both), DRY_SOFTNESS_MAX),
    };
}

/* Returns the contacts' frequency, Hz. */
static float contact_hertz(const dry_settings *settings, float h, float hertz_max)
{
    return settings->contact_hertz > 0.0f ? settings->contact_hertz
                                          : dry_min(dry_hertz_of_substep(h), hertz_max);
}

dry_spook dry_spook_contact_implicit(const dry_settings *settings, float h, float hertz_max)
{
    if (dry_spook_given_as_k(settings))
        return dry_spook_implicit(settings->contact_stiffness,
                                  settings->contact_damping * h * settings->contact_stiffness, h);
    /* k = w^2 / S_ii and c = 2 zeta w / S_ii. */
    const float w = 6.2831853f * contact_hertz(settings, h, hertz_max);
    const float both = h * w + 2.0f * settings->contact_damping_ratio;
    return (dry_spook){.rate = w / both, .relative_softness = 1.0f / (h * w * both)};
}

float dry_hertz_of_substep(float h)
{
    return dry_min(DRY_HERTZ_PER_SUBSTEP_RATE / h, DRY_HERTZ_MAX);
}

dry_spook dry_spook_contact(const dry_settings *settings, float h, float hertz_max)
{
    if (dry_spook_given_as_k(settings))
        return dry_spook_from_stiffness(settings->contact_stiffness, settings->contact_damping, h);
    if (settings->method.push_factor > 0.0f) /* Baumgarte's term without a spring [Tamis 5.3.1] */
        return (dry_spook){.rate = settings->method.push_factor / h};
    return dry_spook_from_hertz(contact_hertz(settings, h, hertz_max), settings->contact_damping_ratio, h);
}
