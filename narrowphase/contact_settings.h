/* The settings of stage "contacts", and how far ahead a contact looks. */
#ifndef NARROWPHASE_CONTACT_SETTINGS_H
#define NARROWPHASE_CONTACT_SETTINGS_H

#include "core/math.h"
#include "simd/processor.h"

/* Contacts look ahead of a fast pair by at most this distance, m, which is also the limit of fat bounds. */
#define DRY_CLOSING_MAX 1.0f

typedef struct dry_contact_settings {
    dry_level level;        /* whose kernels to run */
    float margin;           /* speculative margin, m */
    float recycle_distance; /* m */
    float dt;               /* s */
    dry_vec3 gravity;       /* m/s^2 */
    bool looks_for_still;   /* contacts of still bodies are looked for, which are passed over */
    bool holds_levers;      /* lever arms are held within the next two */
    float lever_distance;   /* m */
    float lever_half_sine;  /* of half the angle */
} dry_contact_settings;

/* Returns how far two bodies may approach in a step, m. An impact may turn either within the step, so that
 * two that fly side by side meet. */
static inline float dry_contact_closing(const dry_contact_settings *settings, dry_vec3 velocity_a,
                                        dry_vec3 velocity_b, bool bounces)
{
    return settings->dt * (bounces ? vec3_length(velocity_a) + vec3_length(velocity_b)
                                   : vec3_distance(velocity_b, velocity_a));
}

/* Returns the distance below which a pair that may approach by `closing` has points, m. */
static inline float dry_contact_margin(const dry_contact_settings *settings, float closing)
{
    return settings->margin + dry_min(closing, DRY_CLOSING_MAX);
}

#endif
