/* A lane of the joints with one row, placed and stored. Reads joints, poses, velocities. */
#include "solver/data/joints/line.h"

#include "solver/bodies/joint_impulses.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/place.h"

void dry_joint_store_single(const dry_solver_step *step, int index, const dry_single_row *row,
                            dry_vec3 direction, int lane, float h)
{
    const float impulse = row->impulse[lane], inverse = row->relax_inverse[lane];
    dry_joint_total total = {
        .peak = row->peak[lane], .row = {row->sum[lane]}, .last = {impulse}, .linear = {direction}};
    dry_joint_store_sums(step, index, &total, 1, h, false);
    /* The load of a spring, and of a row that moves nothing, is 0. */
    dry_joint_store(step, index, vec3_scale(direction, impulse), h,
                    inverse > 0.0f ? dry_abs(impulse) / (inverse * h) : 0.0f);
}

static void store_lane(const dry_solver_step *step, const void *bundle, int lane, int index, float h)
{
    const dry_line_bundle *c = bundle;
    dry_joint_store_single(step, index, &c->single, dry_lanes_get3(c->axis, lane), lane, h);
}

/* Sets the softness of a lane: a share of its own row, or a number. */
static void put_softness(dry_line_bundle *c, int lane, const dry_spook *spook)
{
    c->given[lane] = spook->softness;
    c->relative[lane] = spook->relative_softness;
    c->single.rate[lane] = spook->rate;
    c->single.approach[lane] = spook->approach;
    c->single.rigid[lane] = dry_joint_is_rigid(spook) ? 1.0f : 0.0f;
}

static void place_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_line_bundle *c = bundle;
    const dry_joint *joint = &step->joints->joint[index];
    const dry_joint_placed placed =
        dry_joint_place_bodies(step, index, lane, c->row_a, c->row_b, &c->places, NULL);
    c->inv_sqrt_mass_a[lane] = step->state->bodies.rows[c->row_a[lane]].inv_sqrt_mass;
    c->inv_sqrt_mass_b[lane] = step->state->bodies.rows[c->row_b[lane]].inv_sqrt_mass;
    c->rest[lane] = step->joints->def[index].length;
    const dry_spook rigid = dry_joint_rigid(step, &placed, h);
    put_softness(c, lane, &rigid);
    /* Along the line between the anchors, which the row has. */
    const double length = sqrt(double3_dot(placed.apart, placed.apart));
    const dry_vec3 along = vec3_of(placed.apart);
    const dry_vec3 axis = vec3_normalize_or(along, vec3(0.0f, 1.0f, 0.0f));
    c->single.impulse[lane] =
        length > 0.0 ? vec3_dot(axis, joint->impulse) * dry_joint_warm_scale(step, joint, h) : 0.0f;
}

/* Sets the softness of a spring, which depends on its row. */
static bool soften_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_line_bundle *c = bundle;
    const dry_joint_def *def = &step->joints->def[index];
    if (def->stiffness <= 0.0f || !(c->relative[lane] > 0.0f))
        return false;
    const float squared = c->single.softness[lane] / c->relative[lane];
    const dry_joint_placed placed = dry_joint_placed_at(&c->places, c->row_a[lane], c->row_b[lane], lane);
    const dry_spook spook = dry_joint_spring(step, def->stiffness, def->damping, &placed, squared, h);
    put_softness(c, lane, &spook);
    c->single.impulse[lane] += dry_joint_first_impulse(step, index, &spook) * c->single.error[lane];
    return true;
}

static double stored(const dry_solver_step *step, void *bundle, int lane, float h, bool begins)
{
    dry_line_bundle *c = bundle;
    const float *a = step->state->bodies.rows[c->row_a[lane]].u,
                *b = step->state->bodies.rows[c->row_b[lane]].u;
    float speed = c->single.kinematic[lane];
    for (int k = 0; k < 3; k++)
        speed += c->axis[k][lane] * (c->inv_sqrt_mass_b[lane] * b[k] - c->inv_sqrt_mass_a[lane] * a[k]) +
                 c->angular_a[k][lane] * a[3 + k] + c->angular_b[k][lane] * b[3 + k];
    if (begins)
        c->past[lane] = c->single.error[lane] - h * speed;
    return c->single.rigid[lane] > 0.0f
               ? 0.0
               : dry_spring_energy((double)(c->single.rate[lane] * c->single.inverse[lane]),
                                   (double)c->single.error[lane], (double)c->past[lane], INFINITY, h);
}

static int list_impulses(void *bundle, dry_lanes **list)
{
    list[0] = &((dry_line_bundle *)bundle)->single.impulse;
    return 1;
}

const dry_constraint_kind dry_kind_line = {
    DRY_JOINT_KIND_OF(LINE, dry_line_bundle),
    .name = "line",
    .impulses = list_impulses,
    .store_lane = store_lane,
    .places_offset = offsetof(dry_line_bundle, places),
    .place_lane = place_lane,
    .soften_lane = soften_lane,
    .stored = stored,
};
