/* Capsules against capsules and spheres.
 *
 * The feature is the part of a that touches: DRY_CAPSULE_LOW, _HIGH or _BETWEEN; 0 beside a sphere. */
#include "core/math.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"

/* The sphere's center against the capsule's segment, which is a point if a is a sphere, too. */
void dry_collide_capsule_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                float margin, dry_local_manifold *manifold)
{
    dry_vec3 core = vec3(0.0f, dry_clamp(b_in_a->position.y, -a->size.y, a->size.y), 0.0f);
    dry_vec3 d = vec3_sub(b_in_a->position, core);
    manifold->count = 0;
    manifold->normal = vec3_normalize_or(d, vec3(1.0f, 0.0f, 0.0f));
    manifold->separation_min = vec3_length(d) - a->size.x - b->size.x;
    dry_add_core_point(manifold, core, a->size.x, vec3_length(d), b->size.x, margin, 0);
}

/* Finds the nearest points of the segments 0 +- half_a (0, 1, 0) and c +- half_b y, as distances from their
 * middles along their unit directions [Ericson, Real-Time Collision Detection, 5.1.9]. */
static void nearest_on_segments(dry_vec3 c, dry_vec3 y, float half_a, float half_b, float *on_a, float *on_b)
{
    float cosine = y.y, along = vec3_dot(c, y);
    float sine_squared = y.x * y.x + y.z * y.z;
    float s = 0.0f;
    if (sine_squared > 1e-12f)
        s = dry_clamp((c.y - cosine * along) / sine_squared, -half_a, half_a);
    else /* all points of the stretch beside b are as near: take its middle */
        s = 0.5f * (dry_clamp(c.y - half_b, -half_a, half_a) + dry_clamp(c.y + half_b, -half_a, half_a));
    float t = dry_clamp(cosine * s - along, -half_b, half_b);
    s = dry_clamp(c.y + cosine * t, -half_a, half_a);
    *on_b = dry_clamp(cosine * s - along, -half_b, half_b);
    *on_a = s;
}

/* The nearest points of the segments, or both ends of a stretch if they lie along each other. */
void dry_collide_capsule_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                 float margin, dry_local_manifold *manifold)
{
    dry_vec3 c = b_in_a->position, y = quat_rotate(b_in_a->orientation, vec3(0.0f, 1.0f, 0.0f));
    float half_a = a->size.y, half_b = b->size.y, s, t;
    nearest_on_segments(c, y, half_a, half_b, &s, &t);
    dry_vec3 core = vec3(0.0f, s, 0.0f);
    dry_vec3 d = vec3_sub(vec3_add_scaled(c, t, y), core);
    float distance = vec3_length(d);
    manifold->count = 0;
    manifold->separation_min = distance - a->size.x - b->size.x;
    if (manifold->separation_min > margin)
        return;

    /* At a smaller distance the direction is rounding error. */
    float rounding = 2e-7f * (dry_abs(c.x) + dry_abs(c.y) + dry_abs(c.z) + dry_abs(s) + dry_abs(t)) + 1e-15f;
    float sine = sqrtf(y.x * y.x + y.z * y.z);
    if (distance > rounding) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
    } else {
        /* The segments cross: the shortest way out is perpendicular to both. */
        dry_vec3 across = vec3(y.z, 0.0f, -y.x);
        manifold->normal =
            sine > PAIR_PARALLEL_SINE ? vec3_scale(across, 1.0f / sine) : vec3(1.0f, 0.0f, 0.0f);
        if (vec3_dot(manifold->normal, c) < 0.0f)
            manifold->normal = vec3_neg(manifold->normal);
        distance = vec3_dot(manifold->normal, d);
    }

    /* Nearly parallel segments touch at both ends of the stretch of a that has b beside it. */
    if (sine < (float)PAIR_STRETCH_SINE && dry_abs(manifold->normal.y) < 0.2f) {
        float half = half_b * dry_abs(y.y);
        float low = dry_max(c.y - half, -half_a), high = dry_min(c.y + half, half_a);
        if (high - low > PAIR_STRETCH_LEAST * dry_min(a->size.x, b->size.x)) {
            float ends[2] = {low, high};
            for (uint32_t i = 0; i < 2; i++) {
                dry_vec3 p = vec3(0.0f, ends[i], 0.0f);
                float on_b = dry_clamp((ends[i] - c.y) / y.y, -half_b, half_b);
                dry_vec3 q = vec3_add_scaled(c, on_b, y);
                dry_add_core_point(manifold, p, a->size.x, vec3_dot(manifold->normal, vec3_sub(q, p)),
                                   b->size.x, margin, DRY_CAPSULE_LOW + i);
            }
            if (manifold->count > 0)
                return;
        }
    }
    dry_add_core_point(manifold, core, a->size.x, distance, b->size.x, margin, dry_capsule_part(s, half_a));
}
