/* One articulation at work. Reads joints, poses, velocities, masses; writes the articulation's bodies and
 * rows. Next: solve.c, correct.c. */
#include "solver/articulations/linkage.h"

#include "core/rotation.h"
#include "solver/articulations/kernel_list.h"
#include "solver/articulations/spring_rows.h"
#include "solver/context.h"
#include "solver/joints/joint_type.h"

#include <string.h>

/* A row that is the sum of c_i times earlier rows has the pivot (1 + sum c_i^2) alpha. */
#define REDUNDANT 1e3
/* The share of eps_T in a fine factor, and what it does not fall below. */
#define FINE 1e-4
#define FINEST 1e-15

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
        .spring = a->spring,
        .hash = a->hash + articulation->joint_begin,
        .vibrating = a->vibrating,
        .x = a->x + articulation->row_begin,
        .impulses = a->impulses + articulation->row_begin,
        .offset = a->offset + articulation->row_begin,
        .acceleration = a->acceleration + articulation->row_begin,
        .carried = a->carried + articulation->row_begin,
        .factor = &a->factors[articulation->factor],
        .jobs = a->shared ? step->jobs : NULL,
        .joints = articulation->joint_end - articulation->joint_begin,
        .rows = articulation->row_end - articulation->row_begin,
        .springs = articulation->spring_end - articulation->spring_begin,
        .h = h,
    };
}

/* Tells whether workers share an articulation: by itself it would keep one busy longer than the others. */
static bool is_shared(const dry_solver_step *step, int index)
{
    const dry_articulations *a = &step->state->articulations;
    const dry_articulation *articulation = &a->articulation[index];
    const int64_t rows = articulation->row_end - articulation->row_begin;
    return a->factors[articulation->factor].factor.tasks > 1 &&
           rows * dry_jobs_workers(step->jobs) > a->row_count;
}

typedef struct articulations_run {
    const dry_solver_step *step;
    dry_jobs_run *run;
    void *context;
} articulations_run;

static void run_alone(void *context, int begin, int end, int worker)
{
    const articulations_run *r = context;
    for (int i = begin; i < end; i++)
        if (!is_shared(r->step, i))
            r->run(r->context, i, i + 1, worker);
}

void dry_articulations_for(dry_solver_step *step, dry_jobs_run *run, void *context)
{
    dry_articulations *a = &step->state->articulations;
    articulations_run r = {step, run, context};
    dry_jobs_for(step->jobs, a->count, 1, run_alone, &r);
    a->shared = true;
    for (int i = 0; i < a->count; i++)
        if (is_shared(step, i))
            run(context, i, i + 1, 0);
    a->shared = false;
}

/* Calls `run` for the joints of a linkage. */
static void for_joints(const dry_linkage *l, dry_jobs_run *run, void *context)
{
    enum { GRAIN = 64 };
    if (l->jobs)
        dry_jobs_for(l->jobs, l->joints, GRAIN, run, context);
    else
        run(context, 0, l->joints, 0);
}

static dry_double3 scaled(dry_double3 v, double s)
{
    return (dry_double3){s * v.x, s * v.y, s * v.z};
}

static double inverse_mass_of(const dry_bodies *bodies, const dry_articulated_body *body)
{
    const bool locked = (bodies->properties[body->row].locks & DRY_LOCKS_LINEAR) == DRY_LOCKS_LINEAR;
    return locked ? 0.0 : (double)body->parts * (double)bodies->mass[body->row].inverse_mass;
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
    body->inverse_mass = inverse_mass_of(bodies, body);
    body->inverse_inertia = scaled(double3_of(bodies->mass[row].inverse_inertia), (double)body->parts);
    if ((p->locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
        body->inverse_inertia = (dry_double3){0};
    if (l->step->state->invalid[row])
        body->begin.velocity = body->begin.spin = (dry_double3){0};
    body->end = body->begin;
}

void dry_linkage_begin(const dry_linkage *l)
{
    l->articulation->fine = l->articulation->heavy = false;
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

/* Lets a body end with the angular momentum that it has where the substep begins. */
static void keep_momentum(dry_articulated_body *body)
{
    const dry_double3 inverse = body->inverse_inertia;
    if (!body->moves || !(inverse.x > 0.0 && inverse.y > 0.0 && inverse.z > 0.0))
        return;
    const dry_double3 inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z};
    const dry_double3 momentum = rotation_scale_principal(body->begin.orientation, inertia, body->begin.spin);
    body->end.spin = rotation_scale_principal(body->end.orientation, inverse, momentum);
}

static void place_body(const dry_linkage *l, dry_articulated_body *body)
{
    if (!body->moves) {
        body->moved = scaled(body->begin.velocity, l->h);
        body->turned = scaled(body->begin.spin, l->h);
    }
    const dry_position p = body->begin.center;
    body->end = body->begin;
    body->end.center = (dry_position){p.x + body->moved.x, p.y + body->moved.y, p.z + body->moved.z};
    body->end.orientation = turned(l, body);
    keep_momentum(body);
}

void dry_articulated_shift(dry_articulated_body *body, dry_double3 moved, dry_double3 turned)
{
    const dry_position p = body->end.center;
    body->moved = double3_add_scaled(body->moved, 1.0, moved);
    body->turned = double3_add_scaled(body->turned, 1.0, turned);
    body->end.center = (dry_position){p.x + moved.x, p.y + moved.y, p.z + moved.z};
    body->end.orientation =
        rotation_normalize(rotation_mul(rotation_from_vector(turned), body->end.orientation));
    keep_momentum(body);
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
    dry_joint_find_direct(&l->step->joints->def[joint->joint], &frames, rows);
    if (joint->springs > 0)
        dry_springs_measure(l, joint, rows);
}

/* Returns the rows of a joint, of the linkage's own. */
static dry_articulated_row *rows_of(const dry_linkage *l, const dry_articulated_joint *joint)
{
    return &l->row[joint->row - l->articulation->row_begin];
}

/* A hash in four strands, so that a processor need not wait for each value's product. */
typedef struct strands {
    uint64_t strand[4];
} strands;

static strands begin_strands(void)
{
    return (strands){{1, 2, 3, 4}};
}

static void mix_bits(strands *hash, int strand, uint64_t bits)
{
    const uint64_t mixed = (hash->strand[strand] ^ bits) * 0x9e3779b97f4a7c15u;
    hash->strand[strand] = mixed ^ mixed >> 29;
}

static void mix(strands *hash, int strand, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix_bits(hash, strand, bits);
}

static void mix3(strands *hash, dry_double3 v, int first)
{
    mix(hash, first % 4, v.x);
    mix(hash, (first + 1) % 4, v.y);
    mix(hash, (first + 2) % 4, v.z);
}

static uint64_t joined(const strands *hash)
{
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) {
        all = (all ^ hash->strand[i]) * 0x9e3779b97f4a7c15u;
        all ^= all >> 29;
    }
    return all;
}

static uint64_t hash_rows(const dry_articulated_row *row, int rows)
{
    strands hash = begin_strands();
    for (int i = 0; i < rows; i++) {
        mix3(&hash, row[i].linear, 0);
        for (int side = 0; side < 2; side++) {
            mix3(&hash, row[i].angular[side], 3 + 6 * side);
            mix3(&hash, row[i].swings[side], 6 + 6 * side);
        }
    }
    return joined(&hash);
}

/* Returns I^-1 v of a body that is whitened in a row. */
static dry_double3 swing_of_row(const dry_linkage *l, const dry_articulated_body *body, dry_double3 v)
{
    dry_double3 sum = {0};
    if (!body->moves)
        return sum;
    const dry_whitening w =
        dry_whitening_of(&l->step->state->rows[body->row + 1], l->step->bodies->pose[body->row].orientation);
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = {(double)w.axes[k][0], (double)w.axes[k][1], (double)w.axes[k][2]};
        sum = double3_add_scaled(sum, (double)body->parts * double3_dot(axis, v), axis);
    }
    return sum;
}

typedef struct rows_job {
    const dry_linkage *l;
    dry_linkage_place place;
} rows_job;

static void find_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const rows_job *job = context;
    const dry_linkage *l = job->l;
    const bool at_end = job->place != DRY_AT_BEGIN, turned_inertia = job->place == DRY_AT_END;
    for (int j = begin; j < end; j++) {
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
            l->acceleration[joint->row - l->articulation->row_begin + i] = rows[i].acceleration;
        }
        l->hash[j] = hash_rows(row, joint->rows); /* while they are at hand */
    }
}

void dry_linkage_find_rows(const dry_linkage *l, dry_linkage_place place)
{
    rows_job job = {l, place};
    for_joints(l, find_rows, &job);
}

double dry_linkage_find_accelerations(const dry_linkage *l)
{
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++) {
        dry_joint_row rows[DRY_BLOCK_ROWS];
        find_joint_rows(l, &l->joint[j], true, rows);
        for (int i = 0; i < l->joint[j].rows; i++) {
            l->x[l->joint[j].row - l->articulation->row_begin + i] = rows[i].acceleration;
            largest = dry_larger(largest, fabs(rows[i].acceleration));
        }
    }
    return largest;
}

void dry_linkage_take_masses(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            l->body[b].inverse_mass = inverse_mass_of(l->step->bodies, &l->body[b]);
}

void dry_linkage_take_whitening(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const double root = (double)l->step->state->rows[body->row + 1].inv_sqrt_mass;
        body->inverse_mass = (double)body->parts * root * root;
    }
    for (int j = 0; j < l->joints; j++) {
        dry_articulated_row *row = rows_of(l, &l->joint[j]);
        for (int i = 0; i < l->joint[j].rows; i++)
            for (int side = 0; side < 2; side++)
                row[i].swings[side] = swing_of_row(l, &l->body[l->joint[j].body[side]], row[i].angular[side]);
        l->hash[j] = hash_rows(row, l->joint[j].rows);
    }
}

double dry_linkage_largest_error(const dry_linkage *l)
{
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++)
        for (int i = 0; i < dry_linkage_locked(&l->joint[j]); i++)
            largest = dry_larger(largest, fabs(rows_of(l, &l->joint[j])[i].error));
    return largest;
}

bool dry_linkage_find_offsets(const dry_linkage *l, double time)
{
    const double largest = dry_linkage_largest_error(l);
    const double most = time * (double)l->step->settings->push_out_speed_max;
    const double stays = largest > most ? 1.0 - most / largest : 0.0;
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = stays * l->row[i].error;
    return stays > 0.0;
}

/* Sums of errors along a chain of parts. All of these end where the first one does: what a part is off by is
 * the sum of all fixations before it. */
typedef struct parts_apart {
    double sum[DRY_BLOCK_ROWS];
    int32_t part; /* the last one */
} parts_apart;

/* How a sum counts beside the error of a row. */
#define SUM_SHARE 0.1

/* Returns what an error of a row counts. */
static double counted(parts_apart *apart, const dry_articulated_joint *joint, int i, double error)
{
    if (joint->joint != DRY_LINK_FIXATION)
        return fabs(error);
    if (i == 0 && joint->body[0] != apart->part)
        memset(apart->sum, 0, sizeof apart->sum);
    apart->part = joint->body[1];
    apart->sum[i] += error;
    return dry_larger(fabs(error), SUM_SHARE * fabs(apart->sum[i]));
}

double dry_linkage_find_errors(const dry_linkage *l)
{
    double largest = 0.0;
    parts_apart apart = {.part = -1};
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        dry_joint_row rows[DRY_BLOCK_ROWS];
        find_joint_rows(l, joint, true, rows);
        for (int i = 0; i < joint->rows; i++) {
            l->x[first + i] = i < dry_linkage_locked(joint) ? rows[i].error - l->offset[first + i]
                                                            : dry_spring_left(l, joint, i, &rows[i]);
            largest = dry_larger(largest, counted(&apart, joint, i, l->x[first + i]));
        }
    }
    return largest;
}

/* A joint's rows at one of its bodies, packed for products: lane by lane as row side of a block, and column
 * by column with the body's mass. */
typedef struct packed_side {
    double p[6][DRY_BLOCK_LANES];
    double q[DRY_FACTOR_ROWS_MAX][6];
} packed_side;

/* Packs the row side. Lanes beyond the joint's rows stay as they are. */
static void pack_rows(const dry_articulated_row *row, int rows, int side, packed_side *out)
{
    const double sign = side == 0 ? -1.0 : 1.0;
    for (int r = 0; r < rows; r++) {
        const dry_double3 linear = row[r].linear, angular = row[r].angular[side];
        out->p[0][r] = sign * linear.x;
        out->p[1][r] = sign * linear.y;
        out->p[2][r] = sign * linear.z;
        out->p[3][r] = sign * angular.x;
        out->p[4][r] = sign * angular.y;
        out->p[5][r] = sign * angular.z;
    }
}

static void pack_columns(const dry_articulated_row *row, int rows, int side, double inverse_mass,
                         packed_side *out)
{
    const double sign = side == 0 ? -1.0 : 1.0, share = sign * inverse_mass;
    for (int r = 0; r < rows; r++) {
        const dry_double3 linear = row[r].linear, swings = row[r].swings[side];
        const double q[6] = {share * linear.x, share * linear.y, share * linear.z,
                             sign * swings.x,  sign * swings.y,  sign * swings.z};
        memcpy(out->q[r], q, sizeof q);
    }
}

/* Fills in A = G M^-1 G^T. Pairs of one row node follow each other. */
static void assemble(const dry_linkage *l, dry_factor *factor)
{
    packed_side at_row[2] = {0}, at_column[4];
    for (int n = 0, k = 0; n < l->joints; n++) {
        const dry_articulated_joint *joint = &l->joint[n];
        memset(at_row, 0, sizeof at_row);
        for (int side = 0; side < 2; side++)
            pack_rows(rows_of(l, joint), joint->rows, side, &at_row[side]);
        for (; k < factor->pairs && factor->pair[k].row == n; k++) {
            const dry_factor_pair *pair = &factor->pair[k];
            const dry_articulated_joint *other = &l->joint[pair->column];
            dry_block_factor products[4];
            int count = 0;
            for (int shared = 0; shared < 4; shared++) {
                if (!(pair->shared >> shared & 1))
                    continue;
                const dry_articulated_body *body = &l->body[joint->body[shared / 2]];
                pack_columns(rows_of(l, other), other->rows, shared % 2, body->inverse_mass,
                             &at_column[count]);
                products[count] = (dry_block_factor){at_row[shared / 2].p[0], at_column[count].q[0]};
                count++;
            }
            dry_factor_set_product(factor, pair, products, count);
        }
    }
}

/* Returns eps_T, or less of it for a fine factor. */
static double regularization(const dry_linkage *l)
{
    const double eps = l->step->settings->joint_regularization;
    return l->articulation->fine ? fmax(FINE * eps, fmin(eps, FINEST)) : eps;
}

/* Returns a hash of all that A + alpha I is made of, not 0. */
static uint64_t hash_all(const dry_linkage *l)
{
    strands all = begin_strands();
    mix(&all, 0, regularization(l));
    for (int j = 0; j < l->joints; j++) {
        for (int side = 0; side < 2; side++)
            mix(&all, side, l->body[l->joint[j].body[side]].inverse_mass);
        mix_bits(&all, 2, l->hash[j]);
        for (int k = 0; k < l->joint[j].springs; k++)
            mix(&all, 3, l->spring[l->joint[j].spring + k].sigma);
    }
    const uint64_t hash = joined(&all);
    return hash == 0 ? 1 : hash;
}

static void add_sigma(const dry_linkage *l)
{
    for (int j = 0; j < l->joints && l->springs > 0; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        if (joint->springs == 0)
            continue;
        const dry_factor_block own = dry_factor_find(&l->factor->factor, j, j);
        for (int k = 0; k < joint->springs; k++) {
            const int i = dry_linkage_locked(joint) + k;
            own.at[i * own.row_step + i * own.column_step] += l->spring[joint->spring + k].sigma;
        }
    }
}

void dry_linkage_factor(const dry_linkage *l)
{
    const uint64_t made_of = hash_all(l);
    if (l->factor->made_of == made_of)
        return;
    l->factor->made_of = made_of;
    dry_factor *factor = &l->factor->factor;
    factor->level = l->step->state->level;
    dry_factor_begin(factor);
    assemble(l, factor);
    const double alpha = dry_factor_regularize(factor, regularization(l));
    add_sigma(l);
    l->factor->raised = dry_factor_compute(factor, l->jobs);
    l->factor->redundant = 0;
    for (int i = 0; i < l->rows; i++)
        l->factor->redundant += factor->pivot[i] < REDUNDANT * alpha;
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

/* Replaces the impulses by (A + Sigma) p: the speeds that they give to rows, and those of springs. */
static void find_gained_speeds(const dry_linkage *l)
{
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
        const dry_articulated_row *row = rows_of(l, joint);
        double *p = &l->impulses[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            const double gained = b->inverse_mass * double3_dot(row[i].linear, b->impulse) +
                                  double3_dot(row[i].swings[1], b->angular_impulse) -
                                  a->inverse_mass * double3_dot(row[i].linear, a->impulse) -
                                  double3_dot(row[i].swings[0], a->angular_impulse);
            const int spring = i - dry_linkage_locked(joint);
            p[i] = spring < 0 ? gained : gained + l->spring[joint->spring + spring].sigma * p[i];
        }
    }
}

/* Solves for the impulses once. */
static void solve_once(const dry_linkage *l)
{
    dry_factor_solve(&l->factor->factor, l->impulses, l->jobs);
    dry_linkage_sum_impulses(l);
}

/* Errors of redundant rows contradict each other by what is of second order, and A + alpha I answers with
 * impulses that are large and cancel each other. The second solution has none of those: it is that of least
 * norm. */
void dry_linkage_solve(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    solve_once(l);
    find_gained_speeds(l);
    solve_once(l);
}

void dry_linkage_solve_again(const dry_linkage *l)
{
    if (l->factor->redundant > 0) {
        dry_linkage_solve(l);
        return;
    }
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    solve_once(l);
}

double dry_linkage_find_unsolvable(const dry_linkage *l)
{
    memcpy(l->impulses, l->x, (size_t)l->rows * sizeof *l->x);
    solve_once(l);
    find_gained_speeds(l);
    double largest = 0.0;
    for (int i = 0; i < l->rows; i++)
        largest = dry_larger(largest, fabs(l->x[i] - l->impulses[i]));
    return largest;
}

double dry_linkage_energy_asked(const dry_linkage *l)
{
    double sum = 0.0;
    dry_factor_forward(&l->factor->factor, l->x, l->jobs);
    for (int i = 0; i < l->rows; i++)
        sum += l->x[i] * l->x[i];
    return 0.5 * sum;
}

void dry_linkage_sum_taken_back(const dry_linkage *l)
{
    for (int i = 0; i < l->rows; i++)
        l->impulses[i] = isfinite(l->carried[i]) ? -l->carried[i] : 0.0;
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
        for (int k = 0; k < joint->springs; k++)
            l->spring[joint->spring + k].given += share * p[dry_linkage_locked(joint) + k];
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
