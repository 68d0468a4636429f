/* One articulation at work. Reads joints, poses, velocities, masses; writes the articulation's bodies and
 * rows. Next: solve.c, correct.c. */
#include "solver/articulations/linkage.h"

#include "core/rotation.h"
#include "solver/context.h"
#include "solver/joints/joint_type.h"

#include <string.h>

/* A pivot of A below this share of |A|_1 is as good as none: eps_T [Tomcin 4]. */
#define TIKHONOV 1e-10

dry_linkage dry_linkage_of(dry_solver_step *step, int index, double h)
{
    dry_articulations *a = &step->state->articulations;
    dry_articulation *articulation = &a->articulation[index];
    return (dry_linkage){
        .step = step,
        .articulation = articulation,
        .body = a->body,
        .joint = a->joint + articulation->joint_begin,
        .row = a->row + articulation->row_begin,
        .x = a->x + articulation->row_begin,
        .impulses = a->impulses + articulation->row_begin,
        .factor = &a->factors[articulation->factor],
        .joints = articulation->joint_end - articulation->joint_begin,
        .rows = articulation->row_end - articulation->row_begin,
        .h = h,
    };
}

static dry_double3 scaled(dry_double3 v, double s)
{
    return (dry_double3){s * v.x, s * v.y, s * v.z};
}

static void begin_body(const dry_linkage *l, dry_articulated_body *body)
{
    const dry_bodies *bodies = l->step->bodies;
    const int row = body->row;
    const dry_body_properties *p = &bodies->properties[row];
    body->begin = dry_bodies_precise_motion(bodies, row);
    const double dt = (double)l->step->dt;
    body->begin.velocity = scaled(body->begin.velocity, 1.0 / (1.0 + dt * (double)p->linear_damping));
    body->begin.spin = scaled(body->begin.spin, 1.0 / (1.0 + dt * (double)p->angular_damping));
    body->inverse_mass = (double)body->parts * (double)bodies->mass[row].inverse_mass;
    body->inverse_inertia = scaled(double3_of(bodies->mass[row].inverse_inertia), (double)body->parts);
    if ((p->locks & DRY_LOCKS_LINEAR) == DRY_LOCKS_LINEAR)
        body->inverse_mass = 0.0;
    if ((p->locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
        body->inverse_inertia = (dry_double3){0};
    if (l->step->state->invalid[row])
        body->begin.velocity = body->begin.spin = (dry_double3){0};
    body->end = body->begin;
}

void dry_linkage_begin(const dry_linkage *l)
{
    for (int j = 0; j < l->joints; j++) {
        dry_articulated_joint *joint = &l->joint[j];
        joint->impulse = joint->moment = (dry_double3){0};
        for (int side = 0; side < 2; side++) {
            dry_articulated_body *body = &l->body[joint->body[side]];
            body->moved = body->turned = (dry_double3){0};
            if (body->moves) {
                begin_body(l, body);
                continue;
            }
            body->begin = (dry_precise_motion){.orientation = {0.0, 0.0, 0.0, 1.0}};
            if (joint->joint >= 0)
                body->begin =
                    dry_precise_of(dry_side_motion_of(l->step->bodies, &l->step->joints->joint[joint->joint],
                                                      &l->step->joints->def[joint->joint], side));
            body->end = body->begin;
        }
    }
}

/* Returns where a body's orientation is led. A body whose moments of inertia differ turns freely with the
 * momentum of its mean velocity: the same map forth and back, and so without gain. */
static dry_rotation turned(const dry_linkage *l, const dry_articulated_body *body)
{
    const dry_double3 inverse = body->inverse_inertia;
    dry_rotation q = body->begin.orientation;
    const bool round = (inverse.x == inverse.y && inverse.y == inverse.z) || !(inverse.x > 0.0) ||
                       !(inverse.y > 0.0) || !(inverse.z > 0.0);
    /* Without time there is no velocity: joints that are closed at once only turn bodies. */
    if (round || !body->moves || !(l->h > 0.0))
        return rotation_normalize(rotation_mul(rotation_from_vector(body->turned), q));
    const dry_double3 inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z};
    const dry_double3 momentum = rotation_scale_principal(q, inertia, scaled(body->turned, 1.0 / l->h));
    const int parts = gyro_parts(sqrt(double3_dot(body->turned, body->turned)));
    for (int i = 0; i < parts; i++)
        q = gyro_move_freely(q, momentum, inverse, l->h / (double)parts);
    return q;
}

static void place_body(const dry_linkage *l, dry_articulated_body *body)
{
    if (!body->moves) {
        body->moved = scaled(body->begin.velocity, l->h);
        body->turned = scaled(body->begin.spin, l->h);
    }
    const dry_position p = body->begin.center;
    const dry_double3 inverse = body->inverse_inertia;
    body->end = body->begin;
    body->end.center = (dry_position){p.x + body->moved.x, p.y + body->moved.y, p.z + body->moved.z};
    body->end.orientation = turned(l, body);
    if (body->moves && inverse.x > 0.0 && inverse.y > 0.0 && inverse.z > 0.0) {
        const dry_double3 inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z};
        const dry_double3 momentum =
            rotation_scale_principal(body->begin.orientation, inertia, body->begin.spin);
        body->end.spin = rotation_scale_principal(body->end.orientation, inverse, momentum);
    }
}

void dry_linkage_move(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        place_body(l, &l->body[b]);
}

void dry_linkage_advance(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        l->body[b].begin = l->body[b].end;
        l->body[b].moved = l->body[b].turned = (dry_double3){0};
    }
}

/* Returns the rows of locked axes. Their errors are what the body has moved along them. */
static int find_locks(const dry_linkage *l, const dry_articulated_joint *joint, bool at_end,
                      dry_joint_row *rows)
{
    const dry_articulated_body *body = &l->body[joint->body[1]];
    const uint32_t locks = dry_locked_axes(l->step->bodies, body->row);
    static const uint32_t linear[3] = {DRY_LOCK_LINEAR_X, DRY_LOCK_LINEAR_Y, DRY_LOCK_LINEAR_Z};
    static const uint32_t angular[3] = {DRY_LOCK_ANGULAR_X, DRY_LOCK_ANGULAR_Y, DRY_LOCK_ANGULAR_Z};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const dry_double3 axis = {i == 0, i == 1, i == 2};
        if (locks & linear[i])
            rows[count++] =
                (dry_joint_row){.linear = axis, .error = at_end ? double3_dot(axis, body->moved) : 0.0};
        if (locks & angular[i])
            rows[count++] =
                (dry_joint_row){.angular_b = axis, .error = at_end ? double3_dot(axis, body->turned) : 0.0};
    }
    return count;
}

/* Returns the rows that hold two parts of a body together. */
static void find_fixation(const dry_precise_motion *a, const dry_precise_motion *b, dry_joint_row *rows)
{
    const double apart[3] = {b->center.x - a->center.x, b->center.y - a->center.y, b->center.z - a->center.z};
    const dry_rotation p = a->orientation;
    const dry_rotation q = rotation_mul(b->orientation, (dry_rotation){-p.x, -p.y, -p.z, p.w});
    const double twice = q.w < 0.0 ? -2.0 : 2.0, turned[3] = {twice * q.x, twice * q.y, twice * q.z};
    for (int i = 0; i < 3; i++) {
        const dry_double3 axis = {i == 0, i == 1, i == 2};
        rows[i] = (dry_joint_row){.linear = axis, .error = apart[i]};
        rows[3 + i] = (dry_joint_row){.angular_a = axis, .angular_b = axis, .error = turned[i]};
    }
}

static void find_joint_rows(const dry_linkage *l, const dry_articulated_joint *joint, bool at_end,
                            dry_joint_row rows[DRY_BLOCK_ROWS])
{
    if (joint->joint == DRY_LINK_LOCKS) {
        find_locks(l, joint, at_end, rows);
        return;
    }
    const dry_articulated_body *body_a = &l->body[joint->body[0]], *body_b = &l->body[joint->body[1]];
    const dry_precise_motion *a = at_end ? &body_a->end : &body_a->begin;
    const dry_precise_motion *b = at_end ? &body_b->end : &body_b->begin;
    if (joint->joint == DRY_LINK_FIXATION) {
        find_fixation(a, b, rows);
        return;
    }
    const dry_joint_frames frames = dry_joint_frames_between(&l->step->joints->joint[joint->joint], a, b);
    dry_joint_find_locked(&l->step->joints->def[joint->joint], &frames, rows);
}

/* Returns the rows of a joint, of the linkage's own. */
static dry_articulated_row *rows_of(const dry_linkage *l, const dry_articulated_joint *joint)
{
    return &l->row[joint->row - l->articulation->row_begin];
}

void dry_linkage_find_rows(const dry_linkage *l, dry_linkage_place place)
{
    const bool at_end = place != DRY_AT_BEGIN, turned_inertia = place == DRY_AT_END;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
        dry_articulated_row *row = rows_of(l, joint);
        dry_joint_row rows[DRY_BLOCK_ROWS];
        find_joint_rows(l, joint, at_end, rows);
        for (int i = 0; i < joint->rows; i++) {
            row[i].linear = rows[i].linear;
            row[i].angular[0] = rows[i].angular_a;
            row[i].angular[1] = rows[i].angular_b;
            row[i].swings[0] = dry_articulated_swing(
                a, turned_inertia ? a->end.orientation : a->begin.orientation, rows[i].angular_a);
            row[i].swings[1] = dry_articulated_swing(
                b, turned_inertia ? b->end.orientation : b->begin.orientation, rows[i].angular_b);
            row[i].error = rows[i].error;
            row[i].acceleration = rows[i].acceleration;
        }
    }
}

bool dry_linkage_find_offsets(const dry_linkage *l, double time)
{
    double largest = 0.0;
    for (int i = 0; i < l->rows; i++)
        largest = fmax(largest, fabs(l->row[i].error));
    const double most = time * (double)l->step->settings->push_out_speed_max;
    const double stays = largest > most ? 1.0 - most / largest : 0.0;
    for (int i = 0; i < l->rows; i++)
        l->row[i].offset = stays * l->row[i].error;
    return stays > 0.0;
}

double dry_linkage_find_errors(const dry_linkage *l)
{
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        dry_joint_row rows[DRY_BLOCK_ROWS];
        find_joint_rows(l, joint, true, rows);
        for (int i = 0; i < joint->rows; i++) {
            l->x[first + i] = rows[i].error - l->row[first + i].offset;
            largest = dry_larger(largest, fabs(l->x[first + i]));
        }
    }
    return largest;
}

/* Returns the product of two rows over a body: side i of one, side j of the other. */
static double product(const dry_articulated_body *body, const dry_articulated_row *p, int i,
                      const dry_articulated_row *q, int j)
{
    const double sign = i == j ? 1.0 : -1.0;
    return sign * (body->inverse_mass * double3_dot(p->linear, q->linear) +
                   double3_dot(p->angular[i], q->swings[j]));
}

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix3(uint64_t hash, dry_double3 v)
{
    return mix(mix(mix(hash, v.x), v.y), v.z);
}

/* Returns a hash of all that A is made of, not 0. */
static uint64_t hash_rows(const dry_linkage *l)
{
    uint64_t hash = 1;
    for (int j = 0; j < l->joints; j++)
        for (int side = 0; side < 2; side++) {
            const dry_articulated_row *row = rows_of(l, &l->joint[j]);
            hash = mix(hash, l->body[l->joint[j].body[side]].inverse_mass);
            for (int i = 0; i < l->joint[j].rows; i++)
                hash = mix3(mix3(mix3(hash, row[i].linear), row[i].angular[side]), row[i].swings[side]);
        }
    return hash == 0 ? 1 : hash;
}

void dry_linkage_factor(const dry_linkage *l)
{
    const uint64_t made_of = hash_rows(l);
    if (l->factor->made_of == made_of)
        return;
    l->factor->made_of = made_of;
    dry_factor *factor = &l->factor->factor;
    dry_factor_begin(factor);
    for (int k = 0; k < factor->pairs; k++) {
        const dry_factor_pair *pair = &factor->pair[k];
        const dry_factor_block block = dry_factor_pair_block(factor, pair);
        const dry_articulated_joint *at_row = &l->joint[pair->row], *at_column = &l->joint[pair->column];
        const dry_articulated_row *p = rows_of(l, at_row), *q = rows_of(l, at_column);
        for (int side = 0; side < 4; side++) {
            if (!(pair->shared >> side & 1))
                continue;
            const dry_articulated_body *body = &l->body[at_row->body[side / 2]];
            for (int r = 0; r < at_row->rows; r++)
                for (int c = 0; c < at_column->rows; c++)
                    block.at[r * block.row_step + c * block.column_step] +=
                        product(body, &p[r], side / 2, &q[c], side % 2);
        }
    }
    /* A is zero if no row moves anything: any number above 0 serves then. */
    const double norm = dry_factor_norm(factor);
    (void)dry_factor_compute(factor, norm > 0.0 ? TIKHONOV * norm : 1.0);
}

static void add_impulse(dry_articulated_body *body, double sign, double impulse,
                        const dry_articulated_row *row, int side)
{
    body->impulse = double3_add_scaled(body->impulse, sign * impulse, row->linear);
    body->angular_impulse = double3_add_scaled(body->angular_impulse, sign * impulse, row->angular[side]);
}

void dry_linkage_sum_impulses(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        l->body[b].impulse = l->body[b].angular_impulse = (dry_double3){0};
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_row *row = rows_of(l, joint);
        const double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            add_impulse(&l->body[joint->body[0]], -1.0, p[i], &row[i], 0);
            add_impulse(&l->body[joint->body[1]], 1.0, p[i], &row[i], 1);
        }
    }
}

/* Fills the impulses with the speeds that the bodies' impulses give to rows: A p. */
static void find_gained_speeds(const dry_linkage *l)
{
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
        const dry_articulated_row *row = rows_of(l, joint);
        double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++)
            p[i] = b->inverse_mass * double3_dot(row[i].linear, b->impulse) +
                   double3_dot(row[i].swings[1], b->angular_impulse) -
                   a->inverse_mass * double3_dot(row[i].linear, a->impulse) -
                   double3_dot(row[i].swings[0], a->angular_impulse);
    }
}

/* Errors of redundant rows contradict each other by what is of second order, and A + alpha I answers with
 * impulses that are large and cancel each other. The second solution has none of those: it is that of least
 * norm. */
void dry_linkage_solve(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    dry_factor_solve(&l->factor->factor, l->impulses);
    dry_linkage_sum_impulses(l);
    find_gained_speeds(l);
    dry_factor_solve(&l->factor->factor, l->impulses);
    dry_linkage_sum_impulses(l);
}

void dry_linkage_sum_taken_back(const dry_linkage *l)
{
    for (int i = 0; i < l->rows; i++)
        l->impulses[i] = isfinite(l->row[i].impulse) ? -l->row[i].impulse : 0.0;
    dry_linkage_sum_impulses(l);
}

void dry_linkage_count_impulses(const dry_linkage *l, double share)
{
    for (int j = 0; j < l->joints; j++) {
        dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_row *row = rows_of(l, joint);
        const double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            joint->impulse = double3_add_scaled(joint->impulse, share * p[i], row[i].linear);
            joint->moment = double3_add_scaled(joint->moment, share * p[i], row[i].angular[1]);
        }
    }
}

double dry_linkage_speed(const dry_linkage *l, const dry_articulated_joint *joint,
                         const dry_articulated_row *row, bool at_end)
{
    const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
    const dry_precise_motion *of_a = at_end ? &a->end : &a->begin, *of_b = at_end ? &b->end : &b->begin;
    return double3_dot(row->linear, of_b->velocity) - double3_dot(row->linear, of_a->velocity) +
           double3_dot(row->angular[1], of_b->spin) - double3_dot(row->angular[0], of_a->spin);
}
