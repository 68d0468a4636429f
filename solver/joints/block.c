/* Stages "prepare" and "store" of joints with up to six rows. Reads joints, poses, velocities; writes bundles
 * [begin, end), and their impulses back to joints. */
#include "solver/joints/block.h"

#include "solver/context.h"
#include "solver/joints/joint_block.h"
#include "solver/joints/kernel_list.h"
#include "solver/joints/kinds.h"

#include <string.h>

static void put_row(dry_block_row *row, int lane, const dry_whitened_row *g)
{
    for (int k = 0; k < 3; k++) {
        row->linear_a[k][lane] = (float)g->a[k];
        row->angular_a[k][lane] = (float)g->a[3 + k];
        row->linear_b[k][lane] = (float)g->b[k];
        row->angular_b[k][lane] = (float)g->b[3 + k];
    }
}

static bool turns(const dry_joint_row *row)
{
    return double3_dot(row->linear, row->linear) == 0.0;
}

/* A rotation counts as the speed at which the same impulse would part the anchors. */
static void put_weights(dry_block_bundle *c, int lane, const dry_joint_block *block)
{
    double linear = 0.0;
    for (int i = 0; i < block->rows; i++)
        if (!turns(&block->parts.locked[i]))
            linear = fmax(linear, block->block[dry_block_element(i, i)]);
    for (int i = 0; i < block->rows; i++) {
        const double own = block->block[dry_block_element(i, i)];
        const bool scaled = turns(&block->parts.locked[i]) && own > 0.0 && linear > 0.0;
        c->row[i].weight[lane] = scaled ? (float)(linear / own) : 1.0f;
    }
}

/* Returns how far a row moved since the step began, which sweeps add to its error. */
static double moved(const dry_solver_step *step, const dry_joint_block *block, const dry_whitened_row *g)
{
    const float *a = step->state->rows[block->a.row].d, *b = step->state->rows[block->b.row].d;
    double sum = 0.0;
    for (int k = 0; k < 6 && step->refresh; k++)
        sum += g->a[k] * (double)a[k] + g->b[k] * (double)b[k];
    return sum;
}

static void prepare_lane(const dry_solver_step *step, dry_block_bundle *c, int lane, int index, float h)
{
    dry_joint_block block;
    dry_joint_find_block(step, index, h, &block);
    const float scale = dry_joint_warm_scale(step, &step->joints->joint[index], h);
    c->row_a[lane] = block.a.row;
    c->row_b[lane] = block.b.row;
    for (int i = 0; i < block.rows; i++) {
        dry_block_row *row = &c->row[i];
        put_row(row, lane, &block.row[i]);
        row->acceleration[lane] = (float)block.parts.locked[i].acceleration;
        row->kinematic[lane] = (float)dry_joint_kinematic_speed(step, index, &block, &block.parts.locked[i]);
        row->error[lane] = (float)(block.now.locked[i].error - moved(step, &block, &block.row[i]) -
                                   (double)(step->since * row->kinematic[lane]));
        row->impulse[lane] = scale * step->joints->rows[index].impulse[i];
    }
    for (int e = 0; e < DRY_BLOCK_ELEMENTS; e++) {
        c->block[e][lane] = (float)block.block[e];
        c->inverse[e][lane] = (float)block.inverse[e];
    }
    put_weights(c, lane, &block);
    const dry_spook spook = dry_joint_rigid(step, &block.a, &block.b, h);
    c->share[lane] = spook.relative_softness;
    c->rate[lane] = spook.rate;
    c->rows = dry_max_int(c->rows, block.rows);
}

static void block_prepare(const dry_solver_step *step, int begin, int end, float h)
{
    const dry_bundle_array *array = &step->state->bundles[DRY_KIND_BLOCK];
    dry_block_bundle *bundles = array->bundle;
    const bool again = step->since > 0.0f; /* impulses stay */
    for (int b = begin; b < end; b++) {
        dry_block_bundle before;
        if (again)
            before = bundles[b];
        memset(&bundles[b], 0, sizeof bundles[b]);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (array->members[b].index[lane] >= 0) {
                prepare_lane(step, &bundles[b], lane, array->members[b].index[lane], h);
                bundles[b].lanes = lane + 1;
            }
        if (again)
            for (int i = 0; i < DRY_BLOCK_ROWS; i++)
                memcpy(bundles[b].row[i].impulse, before.row[i].impulse, sizeof before.row[i].impulse);
    }
}

/* Returns how fast the impulses of a substep would part the anchors, m/s. */
static float parting_speed(const dry_block_bundle *c, int lane)
{
    float squared = 0.0f;
    for (int i = 0; i < c->rows; i++) {
        float speed = 0.0f;
        for (int k = 0; k < c->rows; k++)
            speed += c->block[i < k ? dry_block_element(i, k) : dry_block_element(k, i)][lane] *
                     c->row[k].impulse[lane];
        squared += c->row[i].weight[lane] * speed * speed;
    }
    return sqrtf(squared);
}

static void store_lane(const dry_solver_step *step, const dry_block_bundle *c, int lane, int index, float h)
{
    const dry_joint_frames mean = dry_joint_frames_in(step, index, dry_joint_mean_time(step, h));
    dry_joint_parts parts;
    dry_joint_find_parts(&step->joints->def[index], &mean, &parts);
    dry_double3 linear = {0}, angular = {0};
    float impulse[DRY_BLOCK_ROWS] = {0};
    for (int i = 0; i < parts.locked_count; i++) {
        impulse[i] = c->row[i].impulse[lane];
        linear = double3_add_scaled(linear, (double)impulse[i], parts.locked[i].linear);
        angular = double3_add_scaled(angular, (double)impulse[i], parts.locked[i].angular_b);
    }
    angular = double3_add_scaled(angular, -1.0, double3_cross(mean.b.arm, linear));
    dry_joint_store_rows(step, index, vec3((float)angular.x, (float)angular.y, (float)angular.z), impulse);
    dry_joint_store(step, index, vec3((float)linear.x, (float)linear.y, (float)linear.z), h,
                    parting_speed(c, lane) / h);
}

static void block_store(const dry_solver_step *step, int begin, int end, float h)
{
    const dry_bundle_array *array = &step->state->bundles[DRY_KIND_BLOCK];
    const dry_block_bundle *bundles = array->bundle;
    for (int b = begin; b < end; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (array->members[b].index[lane] >= 0)
                store_lane(step, &bundles[b], lane, array->members[b].index[lane], h);
}

static dry_sweep_kernel *block_kernel(dry_level level, dry_sweep_kind sweep, dry_update update,
                                      const dry_settings *settings)
{
    (void)settings;
    return dry_joint_kernels_at(level)->kernel[DRY_KIND_BLOCK][sweep][update];
}

static int block_lanes(const dry_solver_state *state, int bundle)
{
    const dry_block_bundle *bundles = state->bundles[DRY_KIND_BLOCK].bundle;
    return bundles[bundle].lanes;
}

const dry_constraint_kind dry_kind_block = {
    .name = "block",
    .bundle_bytes = sizeof(dry_block_bundle),
    .kernel = block_kernel,
    .bodies = dry_joint_bodies,
    .prepare = block_prepare,
    .store = block_store,
    .lanes = block_lanes,
};
