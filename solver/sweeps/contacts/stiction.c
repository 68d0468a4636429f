/* Which patches with static friction stick, slip and slide [Waterson 5.53]. Reads and writes contacts and the
 * bundles' static friction.
 *
 * Coulomb's law holds a patch at rest while mu_s N bears its load. When a step begins, the load is that of
 * the last step. Friction F bore a part of it. The patch's tangent velocity v is the rest, with the effective
 * mass M of the patch. So static friction would have to give
 *
 *     |dt F - M v| = dt mu_s N + excess
 *
 * A load beyond mu_s N makes the excess of one step larger than that of the step before, whatever its speed.
 * Speeds that sweeps leave, while they do not converge, make no excess grow: friction takes them off again.
 * But sweeps hand loads on late. So the load and its limit are known no better than to what they changed by
 * in the last step, which is the doubt:
 *
 *     a patch slips where  excess > excess of the last step + dt (|change of F| + |change of mu_s N|)
 *
 * A push between two steps is an excess, too. Nothing is known of a new contact: all that moves in it slides.
 *
 * A patch that slides keeps mu_d until friction within mu_d stops it, or until it turns back (friction.h). */
#include "solver/sweeps/contacts/prepare.h"

#include "solver/data/contacts/mode.h"
#include "solver/data/context.h"

#include <float.h>
#include <math.h>

/* The tangents of a contact, as those of solver/constraint/contacts/frame.h. */
typedef struct tangents {
    dry_vec3 t1, t2;
} tangents;

static tangents tangents_of(const dry_contact_bundle *c, int lane)
{
    const float x = c->normal[0][lane], y = c->normal[1][lane], z = c->normal[2][lane];
    const float sign = z < 0.0f ? -1.0f : 1.0f, r = 1.0f / (1.0f + fabsf(z));
    return (tangents){vec3(1.0f - x * x * r, -x * y * r, -sign * x),
                      vec3(-sign * x * y * r, sign * (1.0f - y * y * r), -y)};
}

/* Returns the friction on b that a manifold remembers, N. */
static dry_vec3 friction_before(const dry_manifold *m)
{
    const float substep = dry_abs(m->substep);
    return substep > 0.0f ? vec3_scale(m->friction_impulse, 1.0f / substep) : vec3(0.0f, 0.0f, 0.0f);
}

/* Returns the limit of a box over the coefficient, as the kernel does with the dynamic one. */
static float box_load(const dry_solver_step *step, const dry_contact_bundle *c, int lane)
{
    const dry_solver_row *rows = step->state->bodies.rows;
    const float la = rows[c->row_a[lane]].inv_sqrt_mass, lb = rows[c->row_b[lane]].inv_sqrt_mass;
    const float a = la * la, b = lb * lb;
    if (step->settings->method.friction == DRY_FRICTION_WEIGHT_BOX) {
        const dry_vec3 n = vec3(c->normal[0][lane], c->normal[1][lane], c->normal[2][lane]);
        const float mass = (a > 0.0f ? 1.0f / a : 0.0f) + (b > 0.0f ? 1.0f / b : 0.0f);
        return mass * dry_abs(vec3_dot(step->settings->gravity, n));
    }
    return a + b > 0.0f ? vec3_length(step->settings->gravity) / (a + b) : 0.0f;
}

/* Returns the impulse beyond the static limit that would hold a patch in this step under the load of the last
 * one. A patch has the mass that all of its bodies' constraints together have. */
static float excess_of(const dry_solver_step *step, const dry_contact_bundle *c, const dry_contact_cold *cold,
                       const dry_contact_speeds *speeds, int contact, int lane)
{
    const float share = dry_max(cold->share_a[lane], cold->share_b[lane]);
    const float vx = share * speeds->tangent[0][lane], vy = share * speeds->tangent[1][lane];
    const float xx = c->friction_mass[0][lane], xy = c->friction_mass[1][lane],
                yy = c->friction_mass[2][lane];
    const tangents t = tangents_of(c, lane);
    const dry_vec3 f = friction_before(&step->contacts->manifold[contact]);
    const float x = step->dt * vec3_dot(t.t1, f) - (xx * vx + xy * vy);
    const float y = step->dt * vec3_dot(t.t2, f) - (xy * vx + yy * vy);
    const bool box = contact_friction_is_box(step->settings->method.friction);
    const float size = box ? dry_max(dry_abs(x), dry_abs(y)) : sqrtf(x * x + y * y);
    return size - step->dt * step->contacts->sticking[contact].limit;
}

/* Finds how a patch with static friction begins the step. */
static void begin_patch(const dry_solver_step *step, dry_contact_stiction *s, const dry_contact_bundle *c,
                        const dry_contact_cold *cold, const dry_contact_speeds *speeds, int contact, int lane)
{
    const dry_contact_sticking *last = &step->contacts->sticking[contact];
    const bool moves = speeds->tangent[0][lane] != 0.0f || speeds->tangent[1][lane] != 0.0f;
    if (moves && step->contacts->link[contact].flags & DRY_CONTACT_SLIDES) {
        s->state[lane] = DRY_PATCH_SLIDES;
        return;
    }
    const float excess = excess_of(step, c, cold, speeds, contact, lane);
    if (excess > last->excess + step->dt * last->doubt)
        s->state[lane] = DRY_PATCH_SLIPS;
    else
        s->excess[lane] = dry_max(excess, 0.0f);
}

void dry_stiction_prepare(const dry_solver_step *step, const dry_contact_source *source,
                          const dry_contact_bundle *c, const dry_contact_speeds *speeds, int bundle)
{
    const dry_solver_state *state = step->state;
    const int32_t *members = state->sweeps.bundles[DRY_KIND_CONTACT].members[bundle].index;
    const dry_contact_cold *cold = &state->sweeps.cold[state->sweeps.headers[bundle].cold];
    dry_contact_stiction *s = &state->sweeps.stiction[state->sweeps.headers[bundle].cold];
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        s->friction[lane] = source->surface[lane].static_friction;
        s->box[lane] = box_load(step, c, lane) * s->friction[lane];
        s->state[lane] = DRY_PATCH_STICKS;
        s->excess[lane] = 0.0f;
        if (members[lane] >= 0 && s->friction[lane] > source->friction[lane])
            begin_patch(step, s, c, cold, speeds, members[lane], lane);
    }
}

/* Returns the static limit of a patch, N. */
static float static_limit(const dry_solver_step *step, const dry_contact_bundle *c,
                          const dry_contact_cold *cold, const dry_contact_stiction *s, int lane, float h)
{
    const bool phases = step->settings->method.friction == DRY_FRICTION_TWO_PHASE;
    float normal = 0.0f;
    for (int i = 0; i < 4; i++)
        normal += phases ? cold->other_impulse[i][lane] : c->impulse[i][lane];
    if (contact_friction_is_box(step->settings->method.friction))
        return normal > 0.0f ? s->box[lane] : 0.0f;
    return s->friction[lane] * normal / h;
}

/* Returns how a patch stands when the step ends. */
static dry_contact_sticking end_patch(const dry_solver_step *step, const dry_contact_bundle *c,
                                      const dry_contact_cold *cold, const dry_contact_stiction *s,
                                      int contact, int lane, float h)
{
    const tangents t = tangents_of(c, lane);
    const dry_vec3 friction = vec3_add(vec3_scale(t.t1, c->friction_impulse[0][lane] / h),
                                       vec3_scale(t.t2, c->friction_impulse[1][lane] / h));
    const dry_vec3 change = vec3_sub(friction, friction_before(&step->contacts->manifold[contact]));
    const float limit = static_limit(step, c, cold, s, lane, h);
    const float doubt = vec3_length(change) + dry_abs(limit - step->contacts->sticking[contact].limit);
    const bool finite = limit + doubt + s->excess[lane] <= FLT_MAX;
    return finite ? (dry_contact_sticking){limit, doubt, s->excess[lane]} : dry_contact_default_sticking;
}

void dry_stiction_store(const dry_solver_step *step, const dry_contact_bundle *c, int bundle, float h)
{
    dry_contacts *contacts = step->contacts;
    const dry_solver_state *state = step->state;
    const int32_t *members = state->sweeps.bundles[DRY_KIND_CONTACT].members[bundle].index;
    const dry_contact_cold *cold = &state->sweeps.cold[state->sweeps.headers[bundle].cold];
    const dry_contact_stiction *s = &state->sweeps.stiction[state->sweeps.headers[bundle].cold];
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        const int contact = members[lane];
        if (contact < 0 || !(s->friction[lane] > c->friction[lane]))
            continue;
        const bool slides = s->state[lane] != DRY_PATCH_STICKS;
        const uint16_t others = contacts->link[contact].flags & (uint16_t)~DRY_CONTACT_SLIDES;
        contacts->link[contact].flags = others | (slides ? DRY_CONTACT_SLIDES : 0);
        contacts->sticking[contact] = end_patch(step, c, cold, s, contact, lane, h);
    }
}
