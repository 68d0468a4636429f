/* A lane of the joints with one row over four bodies, prepared and stored. Reads joints, poses, velocities.
 */
#include "methods/volumes/quad.h"

#include "solver/bodies/frames.h"
#include "solver/bodies/joint_impulses.h"
#include "solver/bodies/joint_motion.h"
#include "solver/data/method.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/place.h"

_Static_assert((int)DRY_QUAD_SIDES == (int)DRY_JOINT_SIDES, "a bundle has a part for each body");

/* One body of a joint where the step has brought it. */
typedef struct quad_side {
    int32_t row; /* of the solver; 0: no impulse moves it */
    dry_whitening w;
    float mass_share;            /* how many constraints split the mass where changes are summed, else 1 */
    dry_position center;         /* of mass */
    dry_vec3 lever_arm;          /* from there to the anchor, world, m */
    dry_vec3 kinematic_velocity; /* of the anchor if the body is kinematic and awake, else 0, m/s */
    dry_vec3 acceleration;       /* w x (w x r): of the anchor as the body rotates, m/s^2 */
    dry_vec3 velocity;           /* of the anchor, m/s */
} quad_side;

/* The row of one joint, measured. */
typedef struct quad_row {
    quad_side side[DRY_QUAD_SIDES];
    dry_joint_placed placed;
    dry_vec3 direction[DRY_QUAD_SIDES]; /* of unit length, all four together; 0 where there is no gradient */
    dry_vec3 angular[DRY_QUAD_SIDES];   /* whitened */
    double steepness;                   /* of the value along these directions */
    float error;                        /* of the value over that, m */
    float acceleration;
} quad_row;

static quad_side side_of(const dry_solver_step *step, int index, int side, dry_moment at,
                         dry_joint_placed *placed)
{
    const dry_bodies *bodies = step->bodies;
    const dry_side_motion m = dry_side_motion_in(step, index, side, at);
    const int body = dry_joint_body(step->joints, index, side);
    quad_side s = {.mass_share = 1.0f, .center = m.center};
    s.lever_arm = quat_rotate(m.orientation, dry_joint_anchor(step->joints, index, side));
    const int row = body < 0 ? bodies->awake_count : dry_bodies_row(bodies, body);
    if (row >= bodies->awake_count)
        return s;
    s.row = dry_joint_add_body(step, row, placed);
    dry_vec3 sweep = vec3_cross(m.spin, s.lever_arm);
    s.acceleration = vec3_cross(m.spin, sweep);
    s.velocity = vec3_add(m.velocity, sweep);
    if (s.row > 0) {
        s.w = dry_frames_whitening(step, row);
        s.mass_share = dry_mass_share(step->state, row);
    } else if (bodies->state[row].type == DRY_BODY_KINEMATIC) {
        s.kinematic_velocity = s.velocity;
    }
    return s;
}

/* Returns the angular part of a side along `axis`, whitened. */
static dry_vec3 angular_of(const quad_side *s, dry_vec3 axis)
{
    const dry_vec3 v = vec3_cross(s->lever_arm, axis);
    return vec3(s->w.axes[0][0] * v.x + s->w.axes[0][1] * v.y + s->w.axes[0][2] * v.z,
                s->w.axes[1][0] * v.x + s->w.axes[1][1] * v.y + s->w.axes[1][2] * v.z,
                s->w.axes[2][0] * v.x + s->w.axes[2][1] * v.y + s->w.axes[2][2] * v.z);
}

/* Returns how far a side's part of a row has moved since the step began, m. */
static float moved_of(const dry_solver_step *step, const quad_side *s, float ahead, dry_vec3 linear,
                      dry_vec3 angular)
{
    float d[6];
    dry_row_displacement(&step->state->bodies.rows[s->row], ahead, d);
    return s->w.inv_sqrt_mass * vec3_dot(linear, vec3(d[0], d[1], d[2])) +
           vec3_dot(angular, vec3(d[3], d[4], d[5]));
}

/* Fills the edges from point a. */
static void find_edges(const quad_side side[DRY_QUAD_SIDES], dry_double3 edge[3])
{
    dry_double3 point[DRY_QUAD_SIDES];
    for (int i = 0; i < DRY_QUAD_SIDES; i++) {
        const dry_position *center = &side[i].center, *origin = &side[0].center;
        point[i] = double3_add_scaled(
            double3_of(side[i].lever_arm), 1.0,
            (dry_double3){center->x - origin->x, center->y - origin->y, center->z - origin->z});
    }
    for (int i = 0; i < 3; i++)
        edge[i] = double3_add_scaled(point[i + 1], -1.0, point[0]);
}

/* Returns dG/dt W: what rotating lever arms and the gradient's own change add, at the points' velocities
 * without the row's own, which the joint takes away. A gradient that vanishes turns at any rate; the speed
 * along the row cannot change by more than the points' speeds. */
static float find_acceleration(const dry_solver_step *step, const dry_joint_description *type,
                               const quad_row *row, const dry_double3 edge[3])
{
    dry_double3 rate[3];
    dry_vec3 velocity[DRY_QUAD_SIDES];
    float sum = 0.0f, along = 0.0f, most = 0.0f;
    for (int i = 0; i < DRY_QUAD_SIDES; i++) {
        sum += vec3_dot(row->direction[i], row->side[i].acceleration);
        along += vec3_dot(row->direction[i], row->side[i].velocity);
    }
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        velocity[i] = vec3_add_scaled(row->side[i].velocity, -along, row->direction[i]);
    for (int i = 0; i < 3; i++) {
        const dry_vec3 v = vec3_sub(velocity[i + 1], velocity[0]);
        rate[i] = double3_of(v);
        most = dry_max(most, vec3_length(v));
    }
    const double curvature = type->curvature(edge, rate) / row->steepness;
    const double limit = (double)(most / step->dt);
    return sum + (float)fmax(-limit, fmin(curvature, limit));
}

static quad_row measure(const dry_solver_step *step, int index, dry_moment moment)
{
    quad_row row = {0};
    dry_double3 edge[3];
    const dry_joint_def *def = &step->joints->def[index];
    const dry_joint_description *type = &dry_quad_type;
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        row.side[i] = side_of(step, index, i, moment, &row.placed);
    find_edges(row.side, edge);
    const dry_quad_value at = type->value(def, edge);
    if (!(at.steepness > 0.0))
        return row;
    row.steepness = at.steepness;
    for (int i = 0; i < DRY_QUAD_SIDES; i++) {
        const dry_double3 n = double3_add_scaled((dry_double3){0}, 1.0 / at.steepness, at.gradient[i]);
        row.direction[i] = vec3_of(n);
        row.angular[i] = angular_of(&row.side[i], row.direction[i]);
    }
    row.error = def->stiffness > 0.0f ? (float)fmax(-(double)DRY_STIFFNESS_MAX,
                                                    fmin(at.error / at.steepness, (double)DRY_STIFFNESS_MAX))
                                      : (float)type->gap(at.error, at.steepness);
    row.acceleration = find_acceleration(step, type, &row, edge);
    return row;
}

/* Returns SPOOK's parameters. Along the row, a spring of k Pa/m^3 has k steepness^2 N/m. */
static dry_spook find_spook(const dry_solver_step *step, const dry_joint_def *def, const quad_row *row,
                            float inverse_mass, float h)
{
    if (def->stiffness <= 0.0f)
        return dry_joint_rigid(step, &row->placed, h);
    const double k = (double)def->stiffness * row->steepness * row->steepness;
    const float stiffness = (float)fmax((double)FLT_MIN, fmin(k, (double)DRY_STIFFNESS_MAX));
    return dry_joint_spring(step, stiffness, stiffness * (def->damping / def->stiffness), &row->placed,
                            inverse_mass, h);
}

/* Sets how the row of a lane answers; `squared` is its |g|^2. */
static void put_single(dry_single_row *row, int lane, const dry_spook *spook, float squared)
{
    const float softness = spook->softness + spook->relative_softness * squared;
    const bool rigid = dry_joint_is_rigid(spook);
    row->inverse[lane] = squared > 0.0f ? 1.0f / (squared + softness) : 0.0f;
    row->relax_inverse[lane] = rigid && squared > 0.0f ? 1.0f / squared : 0.0f;
    row->rate[lane] = spook->rate;
    row->approach[lane] = spook->approach;
    row->softness[lane] = softness;
    row->rigid[lane] = rigid ? 1.0f : 0.0f;
}

static void prepare_lane(const dry_solver_step *step, void *bundle, int lane, int index,
                         const dry_bundle_part *part)
{
    const dry_moment at = part->at;
    dry_quad_bundle *c = bundle;
    const dry_joint *joint = &step->joints->joint[index];
    const quad_row row = measure(step, index, at);
    float s = 0.0f, kinematic = 0.0f, moved = 0.0f;
    for (int i = 0; i < DRY_QUAD_SIDES; i++) {
        const quad_side *side = &row.side[i];
        const dry_vec3 linear = vec3_scale(row.direction[i], side->w.inv_sqrt_mass);
        c->side[i].row[lane] = side->row;
        dry_lanes_put3(c->side[i].linear, lane, linear);
        dry_lanes_put3(c->side[i].angular, lane, row.angular[i]);
        s += side->mass_share * (vec3_length_squared(linear) + vec3_length_squared(row.angular[i]));
        kinematic += vec3_dot(row.direction[i], side->kinematic_velocity);
        moved += moved_of(step, side, at.ahead, row.direction[i], row.angular[i]);
    }
    const dry_spook spook = find_spook(step, &step->joints->def[index], &row, s, part->h);
    put_single(&c->single, lane, &spook, s);
    c->single.kinematic[lane] = kinematic;
    c->single.acceleration[lane] = row.acceleration;
    c->single.error[lane] = row.error - (at.moved ? moved + at.since * kinematic : 0.0f);
    c->per_length[lane] = s > 0.0f ? (float)fmin(1.0 / row.steepness, (double)FLT_MAX) : 0.0f;
    dry_lanes_put3(c->direction_b, lane, row.direction[1]);
    if (at.since == 0.0f)
        c->single.impulse[lane] =
            step->joints->rows[index].impulse[0] * dry_joint_warm_scale(step, joint, part->h);
}

/* Stores the impulse on body b, and as those of rows the row's own, N s, and that of the pressure, Pa s. The
 * next step begins with the row's own: a pressure would grow with a gradient that was next to nothing. */
static void store_lane(const dry_solver_step *step, const void *bundle, int lane, int index, float h)
{
    const dry_quad_bundle *c = bundle;
    const float pressure = dry_clamp(c->single.impulse[lane] * c->per_length[lane], -FLT_MAX, FLT_MAX);
    const float rows[DRY_BLOCK_ROWS] = {c->single.impulse[lane], pressure};
    dry_joint_store_rows(step, index, vec3(0.0f, 0.0f, 0.0f), rows);
    dry_joint_store_single(step, index, &c->single, dry_lanes_get3(c->direction_b, lane), lane, h);
}

static int list_impulses(void *bundle, dry_lanes **list)
{
    list[0] = &((dry_quad_bundle *)bundle)->single.impulse;
    return 1;
}

const dry_constraint_kind dry_kind_quad = {
    DRY_JOINT_KIND_OF(QUAD, dry_quad_bundle),
    .name = "quad",
    .prepare_lane = prepare_lane,
    .impulses = list_impulses,
    .store_lane = store_lane,
};
