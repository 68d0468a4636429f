/* Stage "prepare": the block of a joint's locked rows. Reads joints, poses, velocities. */
#include "solver/sweeps/joints/joint_block.h"

#include "solver/bodies/side_motion.h"
#include "solver/bodies/whitening.h"
#include "solver/data/context.h"
#include "solver/sweeps/joints/joint_side.h"

/* A pivot below this share of its row's own diagonal is lost to single precision, in which sweeps multiply
 * by the inverse. Lever arms of a thousand times a body's size have such, if they lie along no axis of the
 * joint's frame. */
#define PIVOT_MIN 1e-6

/* The inverse of the diagonal over the number of rows: each row for itself, slowly but safely. */
static void invert_diagonal(const double *block, int rows, double *inverse)
{
    for (int i = 0; i < rows; i++) {
        const double own = (double)rows * block[dry_block_element(i, i)];
        inverse[dry_block_element(i, i)] = own > 0.0 ? 1.0 / own : 0.0;
    }
}

/* Factors the block as L D L^T and inverts it, row by row of the identity. A row that moves nothing gets no
 * impulse: its row and column of the inverse are 0. Returns false where a pivot is too small. */
static bool invert_block(const double *block, int rows, double *inverse)
{
    double l[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS] = {{0}}, d[DRY_BLOCK_ROWS] = {0};
    for (int k = 0; k < rows; k++) {
        const double own = block[dry_block_element(k, k)];
        double pivot = own;
        for (int m = 0; m < k; m++)
            pivot -= l[k][m] * l[k][m] * d[m];
        d[k] = pivot;
        if (own > 0.0 && !(pivot > PIVOT_MIN * own))
            return false;
        for (int i = k + 1; i < rows && d[k] > 0.0; i++) {
            double sum = block[dry_block_element(k, i)];
            for (int m = 0; m < k; m++)
                sum -= l[i][m] * l[k][m] * d[m];
            l[i][k] = sum / d[k];
        }
    }
    for (int column = 0; column < rows; column++) {
        double x[DRY_BLOCK_ROWS];
        for (int i = 0; i < rows; i++) {
            x[i] = i == column ? 1.0 : 0.0;
            for (int m = 0; m < i; m++)
                x[i] -= l[i][m] * x[m];
        }
        for (int i = rows - 1; i >= 0; i--) {
            x[i] = d[i] > 0.0 ? x[i] / d[i] : 0.0;
            for (int m = i + 1; m < rows && d[i] > 0.0; m++)
                x[i] -= l[m][i] * x[m];
        }
        for (int i = 0; i <= column; i++)
            inverse[dry_block_element(i, column)] = d[column] > 0.0 ? x[i] : 0.0;
    }
    return true;
}

/* An open joint whose gap turns a body this many times more easily than it moves it, as a lever arm, is not
 * warm-started: while its frame rotates, the gap makes torques of the impulses of the last step. */
#define GAP_MAX 100.0

bool dry_joint_gap_is_torn(dry_double3 apart, double root, double inverse_inertia)
{
    const double gap = GAP_MAX * root;
    return root > 0.0 && double3_dot(apart, apart) * inverse_inertia > gap * gap;
}

static bool is_torn(const dry_joint_block *block)
{
    const dry_whitening *w = &block->a.w;
    double inverse_inertia = 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            inverse_inertia += (double)w->axes[i][k] * (double)w->axes[i][k];
    /* A body whose center is locked only turns: the other one is moved. */
    const float root = w->inv_sqrt_mass > 0.0f ? w->inv_sqrt_mass : block->b.w.inv_sqrt_mass;
    return dry_joint_gap_is_torn(block->mean.apart, (double)root, inverse_inertia);
}

float dry_joint_block_warm_scale(const dry_solver_step *step, int index, const dry_joint_block *block,
                                 float h)
{
    return block->torn ? 0.0f : dry_joint_warm_scale(step, &step->joints->joint[index], h);
}

dry_whitened_row dry_joint_whiten(const dry_joint_block *block, const dry_joint_row *row)
{
    dry_whitened_row g;
    dry_whitening_half(&block->a.w, -1.0, row->linear, row->angular_a, g.a);
    dry_whitening_half(&block->b.w, 1.0, row->linear, row->angular_b, g.b);
    return g;
}

void dry_joint_put_world(const dry_joint_block *block, const dry_joint_row *row, dry_lanes *linear,
                         dry_lanes *about, int lane)
{
    const dry_double3 torque =
        double3_add_scaled(row->angular_b, -1.0, double3_cross(block->mean.b.arm, row->linear));
    dry_lanes_put3(linear, lane, vec3_of(row->linear));
    dry_lanes_put3(about, lane, vec3_of(torque));
}

double dry_whitened_dot(const dry_whitened_row *x, const dry_whitened_row *y)
{
    double a = 0.0, b = 0.0;
    for (int k = 0; k < 6; k++) {
        a += x->a[k] * y->a[k];
        b += x->b[k] * y->b[k];
    }
    return a + b;
}

static bool is_kinematic(const dry_solver_step *step, int body)
{
    return body >= 0 && step->bodies->state[dry_bodies_row(step->bodies, body)].type == DRY_BODY_KINEMATIC;
}

double dry_joint_kinematic_speed(const dry_solver_step *step, int index, const dry_joint_block *block,
                                 const dry_joint_row *row)
{
    const dry_joint *joint = &step->joints->joint[index];
    const dry_joint_frames *f = &block->mean;
    double speed = 0.0;
    if (is_kinematic(step, joint->body_b))
        speed += double3_dot(row->linear, f->b.velocity) + double3_dot(row->angular_b, f->b.spin);
    if (is_kinematic(step, joint->body_a))
        speed -= double3_dot(row->linear, f->a.velocity) + double3_dot(row->angular_a, f->a.spin);
    return speed;
}

void dry_joint_fill_block(dry_joint_block *block, const dry_joint_row *rows, int count)
{
    block->rows = count;
    for (int i = 0; i < count; i++)
        block->row[i] = dry_joint_whiten(block, &rows[i]);
    for (int e = 0; e < DRY_BLOCK_ELEMENTS; e++)
        block->block[e] = block->inverse[e] = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = i; k < count; k++)
            block->block[dry_block_element(i, k)] = dry_whitened_dot(&block->row[i], &block->row[k]);
    block->exact = !block->torn && invert_block(block->block, count, block->inverse);
    if (!block->exact)
        invert_diagonal(block->block, count, block->inverse);
}

void dry_joint_find_block(const dry_solver_step *step, int index, dry_joint_block *block)
{
    const dry_joint *joint = &step->joints->joint[index];
    const dry_joint_def *def = &step->joints->def[index];
    block->a = dry_joint_side_of(step, index, 0);
    block->b = dry_joint_side_of(step, index, 1);
    block->motion[0] = dry_side_motion_in(step, index, 0);
    block->motion[1] = dry_side_motion_in(step, index, 1);
    block->mean = dry_joint_frames_ahead(joint, block->motion, 0.0);
    dry_joint_find_parts(def, &block->mean, &block->now);
    if (step->ahead > 0.0f) {
        const dry_side_motion begin[2] = {dry_side_motion_of_rows(step, index, 0),
                                          dry_side_motion_of_rows(step, index, 1)};
        block->mean = dry_joint_frames_ahead(joint, begin, 0.0);
        dry_joint_find_parts(def, &block->mean, &block->parts);
    } else {
        block->parts = block->now;
    }
    block->torn = dry_joint_types[def->type]->kind == DRY_KIND_BLOCK && is_torn(block);
    dry_joint_fill_block(block, block->parts.locked, block->parts.locked_count);
}
