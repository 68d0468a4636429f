/* Stage "prepare": joint bundles from joints.
 *
 * Reads joints, poses, velocities of kinematic bodies. Writes bundles [begin, end).
 * Next: substeps.c. A spring's (k, c) becomes SPOOK's k and d = c / (k h), since d counts the substeps of
 * the damping time c / k [Spook 9-11].
 *
 * Errors are those of the step's beginning; rows are those of the mean of its substeps' beginnings, (dt - h)
 * / 2 later, as the bodies move now. A row is constant within a step. One of the step's beginning makes the
 * direction an explicit Euler step: a pendulum's amplitude grows by w^2 dt (1 - 1/N) / 4 a second (30 % in
 * 8 s at 60 Hz); one of the middle makes it shrink by w^2 dt / 4N. At this mean both vanish, and with one
 * substep it is the symplectic Euler step. */
#include "solver/joints/prepare.h"
#include "core/rotation.h"
#include "solver/context.h"
#include "solver/rows/whitening.h"
#include "solver/spook.h"

#include <string.h>

typedef struct joint_side {
    dry_whitening w;
    int32_t row;
    float share;
    const dry_position *center;
    dry_vec3 lever;    /* from the centre of mass to the anchor, world, when the step begins */
    dry_vec3 middle;   /* the same at the mean of the substeps' beginnings, as the body turns now */
    dry_vec3 drift;    /* what the centre of mass moves by until then */
    dry_vec3 driven;   /* the anchor's velocity if the body is kinematic and awake */
    dry_vec3 turning;  /* w x (w x r): the anchor's acceleration as the body turns */
    dry_vec3 velocity; /* of the anchor */
} joint_side;

/* Gentler than a contact: a long chain converges slowly, and what is pulled too far one substep swings back.
 * A bridge of 40 planks keeps 189 kJ after 10 s at ratio 1, 62 kJ at 5. */
#define DRY_JOINT_DAMPING_RATIO 5.0f

static joint_side side_of(const dry_solver_step *step, int body, dry_vec3 anchor, float h)
{
    const dry_bodies *bodies = step->bodies;
    int row = dry_bodies_row(bodies, body);
    joint_side s = {.share = 1.0f, .center = &bodies->pose[row].position};
    s.lever = s.middle = quat_rotate(bodies->pose[row].orientation, anchor);
    if (row >= bodies->awake_count)
        return s;
    const dry_body_velocity *v = &bodies->velocity[row];
    float ahead = 0.5f * (step->dt - h);
    s.middle = quat_rotate(quat_from_rotation(vec3_scale(v->angular, ahead)), s.lever);
    s.drift = vec3_scale(v->linear, ahead);
    dry_vec3 sweep = vec3_cross(v->angular, s.middle);
    s.turning = vec3_cross(v->angular, sweep);
    s.velocity = vec3_add(v->linear, sweep);
    if (bodies->state[row].type == DRY_BODY_DYNAMIC) {
        s.w = dry_whitening_of(&step->state->rows[row + 1], bodies->pose[row].orientation);
        s.row = row + 1;
        if (step->settings->solver == DRY_SOLVER_JACOBI)
            s.share = dry_mass_share(bodies, row);
    } else if (bodies->state[row].type == DRY_BODY_KINEMATIC) {
        s.driven = s.velocity;
    }
    return s;
}

static dry_vec3 whiten(const dry_whitening *w, dry_vec3 v)
{
    return vec3(w->axes[0][0] * v.x + w->axes[0][1] * v.y + w->axes[0][2] * v.z,
                w->axes[1][0] * v.x + w->axes[1][1] * v.y + w->axes[1][2] * v.z,
                w->axes[2][0] * v.x + w->axes[2][1] * v.y + w->axes[2][2] * v.z);
}

static void put3(dry_lanes *lanes, int lane, dry_vec3 v)
{
    lanes[0][lane] = v.x;
    lanes[1][lane] = v.y;
    lanes[2][lane] = v.z;
}

static dry_spook spook_of(const dry_joint *joint, float h)
{
    if (joint->def.stiffness > 0.0f)
        return dry_spook_from_stiffness(joint->def.stiffness, joint->def.damping / (joint->def.stiffness * h),
                                        h);
    return dry_spook_from_hertz(dry_hertz_of_substep(h), DRY_JOINT_DAMPING_RATIO, h);
}

/* The inverse of a symmetric 3x3 matrix xx xy xz yy yz zz, zero if it is singular. */
static void invert_symmetric(const float m[6], dry_lanes *inverse, int lane)
{
    float cxx = m[3] * m[5] - m[4] * m[4], cxy = m[2] * m[4] - m[1] * m[5], cxz = m[1] * m[4] - m[2] * m[3];
    float determinant = m[0] * cxx + m[1] * cxy + m[2] * cxz;
    float scale = determinant > 0.0f ? 1.0f / determinant : 0.0f;
    inverse[0][lane] = cxx * scale;
    inverse[1][lane] = cxy * scale;
    inverse[2][lane] = cxz * scale;
    inverse[3][lane] = (m[0] * m[5] - m[2] * m[2]) * scale;
    inverse[4][lane] = (m[1] * m[2] - m[0] * m[4]) * scale;
    inverse[5][lane] = (m[0] * m[3] - m[1] * m[1]) * scale;
}

static float warm_scale(const dry_solver_step *step, const dry_joint *joint, float h)
{
    if (!step->settings->warm_start || joint->substep <= 0.0f)
        return 0.0f;
    return joint->substep == h ? 1.0f : h / joint->substep;
}

static void prepare_ball(const dry_solver_step *step, dry_ball_bundle *c, int lane, float h)
{
    const dry_joint *joint = &step->joints->joint[c->joint[lane]];
    joint_side a = side_of(step, joint->body_a, joint->anchor_a, h);
    joint_side b = side_of(step, joint->body_b, joint->anchor_b, h);
    c->row_a[lane] = a.row;
    c->row_b[lane] = b.row;
    c->lin_a[lane] = a.w.inv_sqrt_mass;
    c->lin_b[lane] = b.w.inv_sqrt_mass;
    dry_vec3 apart = position_sub(*b.center, *a.center);
    put3(c->error, lane, vec3_add(apart, vec3_sub(b.lever, a.lever)));
    put3(c->driven, lane, vec3_sub(b.driven, a.driven));
    const dry_vec3 world[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    dry_vec3 ga[3], gb[3];
    for (int k = 0; k < 3; k++) {
        ga[k] = vec3_neg(whiten(&a.w, vec3_cross(a.middle, world[k])));
        gb[k] = whiten(&b.w, vec3_cross(b.middle, world[k]));
        put3(c->ang_a[k], lane, ga[k]);
        put3(c->ang_b[k], lane, gb[k]);
    }
    float m[6];
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++)
            m[at] = a.share * vec3_dot(ga[i], ga[j]) + b.share * vec3_dot(gb[i], gb[j]);
    float lin =
        a.share * a.w.inv_sqrt_mass * a.w.inv_sqrt_mass + b.share * b.w.inv_sqrt_mass * b.w.inv_sqrt_mass;
    m[0] += lin, m[3] += lin, m[5] += lin;
    dry_spook spook = spook_of(joint, h);
    /* A frequency is relative to the joint's own mass in every direction: the softness is then a multiple of
     * the block itself, where one number for all directions would be soft along a long lever. */
    bool rigid = joint->def.stiffness <= 0.0f;
    float soft[6] = {m[0] + spook.softness, m[1], m[2], m[3] + spook.softness, m[4], m[5] + spook.softness};
    invert_symmetric(soft, c->inverse, lane);
    invert_symmetric(soft, c->relax_inverse, lane);
    float mass_scale = 1.0f / (1.0f + spook.relative_softness);
    for (int i = 0; i < 6; i++)
        c->inverse[i][lane] *= mass_scale;
    c->rate[lane] = spook.rate;
    c->softness[lane] = spook.softness;
    c->shrink[lane] = spook.relative_softness * mass_scale;
    put3(c->turning, lane, vec3_sub(b.turning, a.turning));
    c->rigid[lane] = rigid ? 1.0f : 0.0f;
    put3(c->impulse, lane, vec3_scale(joint->impulse, warm_scale(step, joint, h)));
}

void dry_prepare_balls(const dry_solver_step *step, int begin, int end, float h)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_ball_bundle *c = &step->state->ball[bundle];
        int32_t joint[DRY_BUNDLE];
        memcpy(joint, c->joint, sizeof joint);
        memset(c, 0, sizeof *c);
        memcpy(c->joint, joint, sizeof joint);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (joint[lane] >= 0)
                prepare_ball(step, c, lane, h);
    }
}

static void prepare_distance(const dry_solver_step *step, dry_distance_bundle *c, int lane, float h)
{
    const dry_joint *joint = &step->joints->joint[c->joint[lane]];
    joint_side a = side_of(step, joint->body_a, joint->anchor_a, h);
    joint_side b = side_of(step, joint->body_b, joint->anchor_b, h);
    c->row_a[lane] = a.row;
    c->row_b[lane] = b.row;
    c->lin_a[lane] = a.w.inv_sqrt_mass;
    c->lin_b[lane] = b.w.inv_sqrt_mass;
    dry_vec3 apart = position_sub(*b.center, *a.center);
    dry_vec3 line = vec3_add(apart, vec3_sub(b.lever, a.lever));
    float length = vec3_length(line);
    /* Anchors in one place have no direction: any will do, the next step has a better one. */
    dry_vec3 middle = vec3_add(vec3_add(apart, vec3_sub(b.drift, a.drift)), vec3_sub(b.middle, a.middle));
    dry_vec3 axis = vec3_normalize_or(middle, vec3(0.0f, 1.0f, 0.0f));
    put3(c->axis, lane, axis);
    c->error[lane] = length - joint->def.length;
    c->driven[lane] = vec3_dot(axis, vec3_sub(b.driven, a.driven));
    /* d^2 |line| / dt^2 of free anchors: the turning levers, and the line's own turning |v across|^2 /
     * |line|. */
    dry_vec3 v = vec3_sub(b.velocity, a.velocity);
    dry_vec3 across = vec3_add_scaled(v, -vec3_dot(v, axis), axis);
    c->turning[lane] = vec3_dot(axis, vec3_sub(b.turning, a.turning)) +
                       (length > 1e-6f ? vec3_length_squared(across) / length : 0.0f);
    dry_vec3 ga = vec3_neg(whiten(&a.w, vec3_cross(a.middle, axis)));
    dry_vec3 gb = whiten(&b.w, vec3_cross(b.middle, axis));
    put3(c->ang_a, lane, ga);
    put3(c->ang_b, lane, gb);
    float s = a.share * (a.w.inv_sqrt_mass * a.w.inv_sqrt_mass + vec3_dot(ga, ga)) +
              b.share * (b.w.inv_sqrt_mass * b.w.inv_sqrt_mass + vec3_dot(gb, gb));
    dry_spook spook = spook_of(joint, h);
    float softness = spook.softness + spook.relative_softness * s;
    bool rigid = joint->def.stiffness <= 0.0f;
    c->inverse[lane] = s > 0.0f ? 1.0f / (s + softness) : 0.0f;
    c->relax_inverse[lane] = s > 0.0f ? 1.0f / (rigid ? s : s + softness) : 0.0f;
    c->rate[lane] = spook.rate;
    c->softness[lane] = softness;
    c->rigid[lane] = rigid ? 1.0f : 0.0f;
    c->impulse[lane] = vec3_dot(axis, joint->impulse) * warm_scale(step, joint, h);
}

void dry_prepare_distances(const dry_solver_step *step, int begin, int end, float h)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_distance_bundle *c = &step->state->distance[bundle];
        int32_t joint[DRY_BUNDLE];
        memcpy(joint, c->joint, sizeof joint);
        memset(c, 0, sizeof *c);
        memcpy(c->joint, joint, sizeof joint);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (joint[lane] >= 0)
                prepare_distance(step, c, lane, h);
    }
}
