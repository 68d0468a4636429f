/* A lane of the joints with three rows along the world's axes, placed and stored. Reads joints, poses,
 * velocities. */
#include "solver/data/joints/point.h"

#include "solver/bodies/joint_impulses.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/place.h"

/* The frequency of a target joint without a stiffness, critically damped, Hz. A stiffer one whose force is
 * bounded passes its target again and again. */
#define TARGET_HERTZ 5.0f

/* Returns how fast the impulse of a rigid joint's substep would part the bodies, m/s. The softness is a
 * multiple of the block G M^-1 G^T, and `mass_scale` tells which. */
static float parting_speed(const dry_point_bundle *c, int lane)
{
    const float x = c->impulse[0][lane], y = c->impulse[1][lane], z = c->impulse[2][lane];
    const dry_lanes *s = c->softness;
    const dry_vec3 softened = vec3(s[0][lane] * x + s[1][lane] * y + s[2][lane] * z,
                                   s[1][lane] * x + s[3][lane] * y + s[4][lane] * z,
                                   s[2][lane] * x + s[4][lane] * y + s[5][lane] * z);
    const float scale = c->mass_scale[lane];
    return vec3_length(softened) * scale / (1.0f - scale);
}

static void store_lane(const dry_solver_step *step, const void *bundle, int lane, int index, float h)
{
    const dry_point_bundle *c = bundle;
    const dry_lanes *impulse = c->impulse;
    const float load = c->rigid[lane] > 0.0f ? parting_speed(c, lane) / h : 0.0f;
    dry_joint_total total = {.peak = c->peak[lane], .linear = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++)
        total.row[i] = c->sum[i][lane], total.last[i] = impulse[i][lane];
    dry_joint_store_sums(step, index, &total, 3, h, false);
    dry_joint_store(step, index, dry_lanes_get3(impulse, lane), h, load);
}

/* Sets the softness of a lane: a share of its block, or a number. */
static void put_softness(dry_point_bundle *c, int lane, const dry_spook *spook)
{
    c->given[lane] = spook->softness;
    c->relative[lane] = spook->relative_softness;
    c->mass_scale[lane] = 1.0f / (1.0f + spook->relative_softness);
    c->rate[lane] = spook->rate;
    c->approach[lane] = spook->approach;
    c->rigid[lane] = dry_joint_is_rigid(spook) ? 1.0f : 0.0f;
}

static void place_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_point_bundle *c = bundle;
    const dry_joint *joint = &step->joints->joint[index];
    const dry_joint_def *def = &step->joints->def[index];
    const dry_joint_placed placed =
        dry_joint_place_bodies(step, index, lane, c->row_a, c->row_b, &c->places, NULL);
    c->inv_sqrt_mass_a[lane] = step->state->bodies.rows[c->row_a[lane]].inv_sqrt_mass;
    c->inv_sqrt_mass_b[lane] = step->state->bodies.rows[c->row_b[lane]].inv_sqrt_mass;
    const dry_spook rigid = dry_joint_rigid(step, &placed, h);
    put_softness(c, lane, &rigid);
    /* The square of the bound must be finite. */
    c->most[lane] = dry_min(def->force_max * h, DRY_STIFFNESS_MAX);
    c->limited |= def->force_max < INFINITY;
    dry_lanes_put3(c->impulse, lane, vec3_scale(joint->impulse, dry_joint_warm_scale(step, joint, h)));
}

/* Sets the softness of a spring, which depends on its block. */
static bool soften_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_point_bundle *c = bundle;
    const dry_joint_def *def = &step->joints->def[index];
    const float root_a = c->inv_sqrt_mass_a[lane], root_b = c->inv_sqrt_mass_b[lane];
    const float inverse_mass = root_a * root_a + root_b * root_b, share = c->relative[lane];
    float stiffness = def->stiffness, damping = def->damping;
    if (def->type == DRY_JOINT_TARGET && stiffness == 0.0f && inverse_mass > 0.0f) {
        const float w = 6.2831853f * TARGET_HERTZ;
        stiffness = dry_max(w * w / inverse_mass, FLT_MIN);
        damping = 2.0f * w / inverse_mass;
    }
    if (stiffness <= 0.0f || !(share > 0.0f))
        return false;
    dry_lanes *s = c->softness;
    const float largest = dry_max(s[0][lane], dry_max(s[3][lane], s[5][lane])) / share;
    const dry_joint_placed placed = dry_joint_placed_at(&c->places, c->row_a[lane], c->row_b[lane], lane);
    const dry_spook spook = dry_joint_spring(step, stiffness, damping, &placed, largest, h);
    put_softness(c, lane, &spook);
    for (int k = 0; k < 3; k++)
        c->impulse[k][lane] += dry_joint_first_impulse(step, index, &spook) * c->error[k][lane];
    return true;
}

static double stored(const dry_solver_step *step, void *bundle, int lane, float h, bool begins)
{
    dry_point_bundle *c = bundle;
    const float *a = step->state->bodies.rows[c->row_a[lane]].u,
                *b = step->state->bodies.rows[c->row_b[lane]].u;
    static const int8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double sum = 0.0;
    for (int i = 0; i < 3 && begins; i++) {
        float speed =
            c->kinematic[i][lane] + c->inv_sqrt_mass_b[lane] * b[i] - c->inv_sqrt_mass_a[lane] * a[i];
        for (int k = 0; k < 3; k++)
            speed += c->angular_a[i][k][lane] * a[3 + k] + c->angular_b[i][k][lane] * b[3 + k];
        c->past[i][lane] = c->error[i][lane] - h * speed;
    }
    for (int i = 0; i < 3 && c->rigid[lane] == 0.0f; i++)
        for (int k = 0; k < 3; k++)
            sum += dry_spring_energy((double)(c->rate[lane] * c->inverse[at[i][k]][lane]),
                                     (double)c->error[i][lane], (double)c->past[k][lane], INFINITY, h);
    return sum;
}

static int list_impulses(void *bundle, dry_lanes **list)
{
    dry_point_bundle *c = bundle;
    for (int k = 0; k < 3; k++)
        list[k] = &c->impulse[k];
    return 3;
}

const dry_constraint_kind dry_kind_point = {
    DRY_JOINT_KIND_OF(POINT, dry_point_bundle),
    .name = "point",
    .impulses = list_impulses,
    .store_lane = store_lane,
    .places_offset = offsetof(dry_point_bundle, places),
    .place_lane = place_lane,
    .soften_lane = soften_lane,
    .stored = stored,
};
