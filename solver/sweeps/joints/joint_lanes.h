/* Lane code that all kinds of joint bundles have in common. Compiled once for each level.
 *
 * A kernel reads a joint bundle and its bodies' rows; it writes impulses and velocities. SPOOK stabilizes a
 * rigid joint with a softness that relaxing takes back. A spring is SPOOK's equation itself [Spook 8-11],
 * with the velocity at which the substep begins. Relaxing leaves its impulse as it is.
 *
 * Rows stay for a substep or a step, but lever arms rotate: the speed that keeps the anchors together is
 * -(dG/dt W) times the time from where rows are made to the substep's middle. Without that term sweeps take
 * away the part of the velocity by which the direction has turned, and a pendulum loses energy. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_LANES_H
#define SOLVER_SWEEPS_JOINTS_JOINT_LANES_H

#include "solver/bodies/gather.h"
#include "solver/data/joints/places.h"
#include "solver/data/joints/triangle.h"
#include "solver/data/sweep.h"
#include "solver/data/terms.h"

/* Defines the kernel `name` of a kind: it goes over bundles, and over as many of their lanes in use at a time
 * as the level has. `call` names the bundle c, the first of the lanes at, and the parameters p. */
#define JOINT_KERNEL(name, kind, parameters, call)                                                           \
    static void name(void *bundles, int begin, int end, const parameters *p)                                 \
    {                                                                                                        \
        for (int bundle = begin; bundle < end; bundle++) {                                                   \
            dry_##kind##_bundle *c = (dry_##kind##_bundle *)bundles + bundle;                                \
            for (int at = 0; at < DRY_BUNDLE && at < c->lanes; at += DRY_LANES)                              \
                call;                                                                                        \
        }                                                                                                    \
    }

/* The sweeps of a kind share one function where they are rare, and with SSE2, the widest level of few
 * processors. Functions of their own take twice the bytes, and save 1 to 2 % of a step's instructions. */
#if defined(JOINT_SWEEPS_ARE_RARE) || (DRY_LANES == 4 && defined(__x86_64__))
#define KIND_SWEEP static DRY_NOINLINE
#else
#define KIND_SWEEP LANE_INLINE
#endif

/* Adds the changes to the bodies' velocities, or to the sums. */
LANE_INLINE void joint_scatter(const int32_t *row_a, const int32_t *row_b, const dry_sweep *s,
                               const lane_velocity *change_a, const lane_velocity *change_b,
                               const lane_velocity *va, const lane_velocity *vb, dry_update update)
{
    lane_velocity a = *va, b = *vb;
    if (update == DRY_UPDATE_SUMMED) {
        lane_gather_velocity(s->sums, row_a, &a);
        lane_gather_velocity(s->sums, row_b, &b);
    }
    a.ul = lane_vec3_add(a.ul, change_a->ul);
    a.ua = lane_vec3_add(a.ua, change_a->ua);
    b.ul = lane_vec3_add(b.ul, change_b->ul);
    b.ua = lane_vec3_add(b.ua, change_b->ua);
    dry_solver_row *to = update == DRY_UPDATE_SUMMED ? s->sums : s->rows;
    lane_scatter_velocity(to, row_a, &a);
    lane_scatter_velocity(to, row_b, &b);
}

/* Computes the product of a symmetric matrix and a vector of `rows` elements. The matrix is an upper triangle
 * (data/joints/triangle.h), of which each element lies `stride` floats behind the last. */
LANE_INLINE void joint_symmetric(const float *m, int stride, const lane *v, int rows, lane *out)
{
    for (int i = 0; i < rows; i++) {
        const float *element = m + i * stride; /* down column i to the diagonal, then along row i */
        lane sum = lane_mul(lane_load(element), v[0]);
        for (int k = 1; k < rows; k++) {
            element += (k <= i ? DRY_BLOCK_ROWS - k : 1) * stride;
            sum = lane_add_mul(sum, lane_load(element), v[k]);
        }
        out[i] = sum;
    }
}

/* Returns a row's product with both bodies' vectors, added to `sum`. */
LANE_INLINE lane pair_dot(dry_pair_row *row, lane_vec3 linear_a, lane_vec3 angular_a, lane_vec3 linear_b,
                          lane_vec3 angular_b, lane sum, int at)
{
    sum = lane_add(sum, lane_vec3_dot(field_load3(row->linear_a, at), linear_a));
    sum = lane_add(sum, lane_vec3_dot(field_load3(row->angular_a, at), angular_a));
    sum = lane_add(sum, lane_vec3_dot(field_load3(row->linear_b, at), linear_b));
    return lane_add(sum, lane_vec3_dot(field_load3(row->angular_b, at), angular_b));
}

/* Returns the speed that a row has of itself, `time` after the place of its bodies. */
LANE_INLINE lane pair_own_speed(dry_pair_row *row, float time, int at)
{
    return lane_add_mul(LOAD(row->kinematic), LOAD(row->acceleration), lane_set(time));
}

/* Adds a row's impulses on both bodies to their velocities. */
LANE_INLINE void pair_push(dry_pair_row *row, lane on_a, lane on_b, lane_velocity *a, lane_velocity *b,
                           int at)
{
    a->ul = lane_vec3_add_scaled(a->ul, on_a, field_load3(row->linear_a, at));
    a->ua = lane_vec3_add_scaled(a->ua, on_a, field_load3(row->angular_a, at));
    b->ul = lane_vec3_add_scaled(b->ul, on_b, field_load3(row->linear_b, at));
    b->ua = lane_vec3_add_scaled(b->ua, on_b, field_load3(row->angular_b, at));
}

/* Adds the impulse of a substep to that of the step, and to the square of a force's. */
LANE_INLINE void pair_tally(dry_pair_row *row, lane impulse, lane *squared, int at)
{
    lane_store(row->sum + at, lane_add(LOAD(row->sum), impulse));
    *squared = lane_add_mul(*squared, lane_mul(LOAD(row->force), impulse), impulse);
}

/* Returns the relative velocities of the anchors, and their displacements, without the angular parts. */
LANE_INLINE lane_vec3 joint_relative(lane inv_sqrt_mass_a, lane_vec3 a, lane inv_sqrt_mass_b, lane_vec3 b)
{
    return lane_vec3_sub_scaled(lane_vec3_scale(b, inv_sqrt_mass_b), inv_sqrt_mass_a, a);
}

/* Tells whether a joint that is solved for positions begins a substep: without impulses. */
LANE_INLINE bool joint_forgets(const dry_sweep *s, dry_sweep_kind sweep, dry_update update)
{
    return update == DRY_UPDATE_TURNED && sweep == DRY_SWEEP_SOLVE && s->first;
}

/* Returns minus the share of its error that a joint removes in a sweep [Waterson 4.73]. */
LANE_INLINE lane joint_share(const dry_sweep *s, dry_sweep_kind sweep)
{
    return lane_set(sweep == DRY_SWEEP_SOLVE ? -s->relaxation : -1.0f);
}

/* The share of speeds beyond the bound that a joint takes which is solved for positions. At its whole error
 * over h, a joint that an impact opened throws bodies away; with a bound alone, its force has a bound, too
 * (methods/DECISIONS.md). */
#define JOINT_TURNED_SHARE 0.1f

/* Returns the largest speed at which a rigid joint closes that is open so far (data/terms.h). */
LANE_INLINE lane joint_closing(lane gap, const dry_sweep *s)
{
    const lane closing = lane_mul(lane_set(DRY_JOINT_CLOSING), gap);
    return lane_max(lane_set(s->joint_speed_max), lane_min(closing, lane_set(DRY_JOINT_CLOSING_MAX)));
}

/* Returns the factor of a bias velocity beyond its bound. Not inlined: few joints are so far open. */
static DRY_NOINLINE lane joint_scale_beyond(lane length_squared, lane error_squared, const dry_sweep *s,
                                            bool turned)
{
    const lane most = joint_closing(lane_sqrt(error_squared), s);
    const lane_mask exceeds = lane_less(lane_mul(most, most), length_squared);
    lane bounded = lane_div(most, lane_sqrt(length_squared));
    if (turned)
        bounded = lane_add_mul(lane_set(JOINT_TURNED_SHARE), lane_set(1.0f - JOINT_TURNED_SHARE), bounded);
    return lane_select(exceeds, bounded, lane_set(1.0f));
}

/* Returns the factor that bounds a rigid joint's bias velocity a q + eps lambda, of this squared length, as
 * that of an overlap is bounded. Otherwise the errors of a taut chain would turn into speed. The bound must
 * not hold for a q alone: eps lambda would then bound the force of the joint. Summed sweeps do not take back
 * all of a faster closing, where masses differ by 1e5. */
LANE_INLINE lane joint_bias_scale(lane length_squared, lane error_squared, lane rigid, const dry_sweep *s,
                                  dry_update update)
{
    const lane least = lane_set(s->joint_speed_max), one = lane_set(1.0f);
    const lane_mask fast =
        lane_mask_and(lane_less(lane_mul(least, least), length_squared), lane_less(lane_set(0.5f), rigid));
    if (!lane_any(fast))
        return one;
    const lane open = update == DRY_UPDATE_DIRECT ? error_squared : lane_zero();
    const bool turned = update == DRY_UPDATE_TURNED;
    return lane_select(fast, joint_scale_beyond(length_squared, open, s, turned), one);
}

#endif
