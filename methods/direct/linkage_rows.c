/* The rows of an articulation at work. Reads joints, and the motion of bodies; writes rows, their errors and
 * their hashes. Next: linkage_solve.c. */
#include "core/assert.h"
#include "methods/direct/articulations.h"
#include "methods/direct/linkage.h"
#include "methods/direct/springs.h"
#include "methods/direct/stream.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/terms.h"
#include "state/hash_mix.h"

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
        const int locks = find_locks(l, joint, at_end, rows);
        DRY_ASSERT(locks == joint->rows);
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
    dry_joint_find_direct((dry_joint_type)joint->type, &l->step->joints->def[joint->joint], &frames, rows);
    if (joint->springs > 0)
        dry_springs_measure(l, joint, rows);
}

/* Returns a hash of what A depends on of a joint. Each row has its own, so that a processor need not wait for
 * each value's product. */
static uint64_t hash_joint(const dry_linkage *l, const dry_articulated_joint *joint)
{
    const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
    const dry_articulated_swings *swings = dry_linkage_swings_of(l, joint);
    uint64_t hash = 1;
    for (int side = 0; side < 2; side++)
        hash = dry_hash_mix_bytes(hash, &l->body[joint->body[side]].inverse_mass, sizeof(double));
    for (int i = 0; i < joint->rows; i++) {
        const uint64_t of_row = dry_hash_mix_bytes(2, &row[i], offsetof(dry_articulated_row, error));
        hash = dry_hash_mix(hash, dry_hash_mix_bytes(3, &swings[i], sizeof swings[i]) ^ of_row);
    }
    return hash;
}

/* Returns I^-1 v of a body that is whitened in a row. */
static dry_double3 swing_of_row(const dry_linkage *l, const dry_articulated_body *body, dry_double3 v)
{
    dry_double3 sum = {0};
    if (!body->moves)
        return sum;
    const dry_whitening w = dry_whitening_of(&l->step->state->bodies.rows[body->row + 1],
                                             l->step->bodies->pose[body->row].orientation);
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = dry_whitening_axis(&w, k);
        sum = double3_add_scaled(sum, (double)body->parts * double3_dot(axis, v), axis);
    }
    return sum;
}

void dry_stream_find_rows(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    const bool at_end = stream->place != DRY_AT_BEGIN, turned_inertia = stream->place == DRY_AT_END;
    for (int j = begin; j < end; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
        dry_articulated_row *row = dry_linkage_rows_of(l, joint);
        dry_articulated_swings *swings = dry_linkage_swings_of(l, joint);
        dry_joint_row rows[DRY_BLOCK_ROWS];
        DRY_ASSERT(joint->rows <= DRY_BLOCK_ROWS);
        find_joint_rows(l, joint, at_end, rows);
        for (int i = 0; i < joint->rows; i++) {
            row[i].linear = rows[i].linear;
            row[i].angular[0] = rows[i].angular_a;
            row[i].angular[1] = rows[i].angular_b;
            swings[i].side[0] = dry_articulated_swing(
                a, turned_inertia ? a->end.orientation : a->begin.orientation, rows[i].angular_a);
            swings[i].side[1] = dry_articulated_swing(
                b, turned_inertia ? b->end.orientation : b->begin.orientation, rows[i].angular_b);
            row[i].error = rows[i].error;
            l->acceleration[joint->row - l->articulation->row_begin + i] = rows[i].acceleration;
        }
        l->hash[j] = hash_joint(l, joint); /* while they are at hand */
    }
}

void dry_linkage_find_rows(const dry_linkage *l, dry_linkage_place place)
{
    static const dry_stream_pass pass = {dry_stream_find_rows, DRY_JOINTS};
    dry_stream stream = dry_stream_of(l);
    stream.place = place;
    dry_stream_run(&stream, &pass, 1);
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

void dry_linkage_take_whitening(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const double root = (double)l->step->state->bodies.rows[body->row + 1].inv_sqrt_mass;
        body->inverse_mass = (double)body->parts * root * root;
    }
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_row *row = dry_linkage_rows_of(l, &l->joint[j]);
        dry_articulated_swings *swings = dry_linkage_swings_of(l, &l->joint[j]);
        for (int i = 0; i < l->joint[j].rows; i++)
            for (int side = 0; side < 2; side++)
                swings[i].side[side] =
                    swing_of_row(l, &l->body[l->joint[j].body[side]], row[i].angular[side]);
        l->hash[j] = hash_joint(l, &l->joint[j]);
    }
}

double dry_linkage_largest_error(const dry_linkage *l)
{
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++)
        for (int i = 0; i < dry_linkage_locked(&l->joint[j]); i++)
            largest = dry_larger(largest, fabs(dry_linkage_rows_of(l, &l->joint[j])[i].error));
    return largest;
}

bool dry_linkage_find_offsets(const dry_linkage *l, double largest, double time)
{
    const double most = time * dry_joint_closing_speed(largest, l->step->settings->push_out_speed_max);
    const double stays = largest > most ? 1.0 - most / largest : 0.0;
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = stays * l->row[i].error;
    DRY_ASSERT(stays >= 0.0 && stays <= 1.0);
    return stays > 0.0;
}

void dry_stream_find_errors(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    for (int j = begin; j < end; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        dry_joint_row rows[DRY_BLOCK_ROWS];
        find_joint_rows(l, joint, true, rows);
        for (int i = 0; i < joint->rows; i++) {
            l->x[first + i] = i < dry_linkage_locked(joint) ? rows[i].error - l->offset[first + i]
                                                            : dry_spring_left(l, joint, i, &rows[i]);
            stream->largest = dry_larger(stream->largest, fabs(l->x[first + i]));
        }
    }
}

double dry_linkage_find_errors(const dry_linkage *l)
{
    dry_stream stream = dry_stream_of(l);
    dry_stream_find_errors(&stream, 0, l->joints);
    return stream.largest;
}
