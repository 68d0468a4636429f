/* A lane of the joints with up to six rows, prepared and stored. Reads joints, poses, velocities. */
#include "solver/data/joints/block.h"

#include "solver/bodies/joint_impulses.h"
#include "solver/sweeps/joints/joint_block.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/joint_side.h"
#include "solver/sweeps/joints/kinds.h"
#include "solver/sweeps/joints/place.h"

static void put_row(const dry_joint_block *block, dry_block_row *row, int lane, int i)
{
    const dry_whitened_row *g = &block->row[i];
    for (int k = 0; k < 3; k++) {
        row->linear_a[k][lane] = (float)g->a[k];
        row->angular_a[k][lane] = (float)g->a[3 + k];
        row->linear_b[k][lane] = (float)g->b[k];
        row->angular_b[k][lane] = (float)g->b[3 + k];
    }
    dry_joint_put_world(block, &block->parts.locked[i], row->linear, row->about, lane);
}

/* A rotation counts as the speed at which the same impulse would part the anchors. */
static void put_weights(dry_block_bundle *c, int lane, const dry_joint_block *block)
{
    double linear = 0.0;
    for (int i = 0; i < block->rows; i++)
        if (!dry_joint_row_turns(&block->parts.locked[i]))
            linear = fmax(linear, block->block[dry_block_element(i, i)]);
    for (int i = 0; i < block->rows; i++) {
        const double own = block->block[dry_block_element(i, i)];
        const bool scaled = dry_joint_row_turns(&block->parts.locked[i]) && own > 0.0 && linear > 0.0;
        c->row[i].weight[lane] = scaled ? (float)(linear / own) : 1.0f;
    }
}

/* Returns how far a row moved since the step began, which sweeps add to its error. */
static double moved(const dry_solver_step *step, const dry_joint_block *block, const dry_whitened_row *g)
{
    float a[6], b[6];
    dry_row_displacement(&step->state->bodies.rows[block->a.row], step->ahead, a);
    dry_row_displacement(&step->state->bodies.rows[block->b.row], step->ahead, b);
    double sum = 0.0;
    for (int k = 0; k < 6 && step->refresh; k++)
        sum += g->a[k] * (double)a[k] + g->b[k] * (double)b[k];
    return sum;
}

static void prepare_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_block_bundle *c = bundle;
    dry_joint_block block;
    dry_joint_find_block(step, index, &block);
    const float scale = dry_joint_block_warm_scale(step, index, &block, h);
    c->row_a[lane] = block.a.row;
    c->row_b[lane] = block.b.row;
    for (int i = 0; i < block.rows; i++) {
        dry_block_row *row = &c->row[i];
        put_row(&block, row, lane, i);
        row->acceleration[lane] = (float)block.parts.locked[i].acceleration;
        row->force[lane] = dry_joint_row_turns(&block.parts.locked[i]) ? 0.0f : 1.0f;
        row->kinematic[lane] = (float)dry_joint_kinematic_speed(step, index, &block, &block.parts.locked[i]);
        row->error[lane] = (float)(block.now.locked[i].error - moved(step, &block, &block.row[i]) -
                                   (double)(step->since * row->kinematic[lane]));
        if (dry_joint_begins(step))
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

/* Clears a bundle but for what the layout has given it. */
static void clear(void *bundle)
{
    dry_block_bundle *c = bundle;
    const int32_t paired = c->paired;
    memset(c, 0, sizeof *c);
    c->paired = paired;
}

static void place_lane(const dry_solver_step *step, void *bundle, int lane, int index, float h)
{
    dry_block_bundle *c = bundle;
    dry_joint_coordinates of;
    const dry_joint_placed placed = dry_joint_place_bodies(step, index, lane, &c->places, &c->frames);
    c->whole[lane] = dry_joint_is_torn(step, index, &placed) ? 0.0f : 1.0f;
    const float scale = c->whole[lane] * dry_joint_warm_scale(step, &step->joints->joint[index], h);
    dry_joint_find_coordinates(&step->joints->def[index], &of);
    c->row_a[lane] = placed.a.row;
    c->row_b[lane] = placed.b.row;
    float mesh[2];
    dry_joint_find_mesh(&step->joints->def[index], mesh);
    c->mesh[0][lane] = mesh[0];
    c->mesh[1][lane] = mesh[1];
    for (int i = 0; i < of.locked_count; i++) {
        c->form[i][lane] = (float)of.locked_form[i];
        c->row[i].offset[lane] = of.locked_at[i];
        c->row[i].force[lane] = dry_form_moves((dry_row_form)of.locked_form[i]) ? 1.0f : 0.0f;
        c->row[i].impulse[lane] = scale * step->joints->rows[index].impulse[i];
    }
    const dry_spook spook = dry_joint_rigid(step, &placed.a, &placed.b, h);
    c->share[lane] = spook.relative_softness;
    c->rate[lane] = spook.rate;
    c->rows = dry_max_int(c->rows, of.locked_count);
}

static void end_places(void *bundle)
{
    dry_block_bundle *c = bundle;
    dry_joint_count_forms(c->form, c->rows, c->lanes, c->forms);
}

static void store_lane(const dry_solver_step *step, const void *bundle, int lane, int index, float h)
{
    const dry_block_bundle *c = bundle;
    dry_vec3 linear = {0}, about = {0}, all_linear = {0}, all_about = {0};
    float impulse[DRY_BLOCK_ROWS] = {0};
    dry_joint_total total = {.peak = c->peak[lane]};
    for (int i = 0; i < c->rows; i++) {
        const dry_block_row *row = &c->row[i];
        impulse[i] = row->impulse[lane];
        linear = vec3_add_scaled(linear, impulse[i], dry_lanes_get3(row->linear, lane));
        about = vec3_add_scaled(about, impulse[i], dry_lanes_get3(row->about, lane));
    }
    dry_joint_store_rows(step, index, about, impulse);
    dry_joint_store(step, index, linear, h, parting_speed(c, lane) / h);
    for (int i = 0; i < c->rows; i++)
        total.row[i] = (double)c->row[i].sum[lane], total.last[i] = (double)impulse[i];
    dry_joint_find_total(step, h, c->rows, &total);
    for (int i = 0; i < c->rows; i++) {
        all_linear = vec3_add_scaled(all_linear, (float)total.row[i], dry_lanes_get3(c->row[i].linear, lane));
        all_about = vec3_add_scaled(all_about, (float)total.row[i], dry_lanes_get3(c->row[i].about, lane));
    }
    dry_joint_store_total(step, index, all_linear, all_about, total.peak, h, false);
}

const dry_constraint_kind dry_kind_block = {
    DRY_JOINT_KIND_OF(BLOCK, dry_block_bundle),
    .name = "block",
    .prepare_lane = prepare_lane,
    .store_lane = store_lane,
    .places_offset = offsetof(dry_block_bundle, places),
    .clear = clear,
    .place_lane = place_lane,
    .end_places = end_places,
};
