/* A lane of the joints with up to six rows, placed and stored. Reads joints, poses, velocities. */
#include "solver/data/joints/block.h"

#include "solver/bodies/joint_impulses.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/joints/place.h"

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
    const dry_joint_placed placed =
        dry_joint_place_bodies(step, index, lane, c->row_a, c->row_b, &c->places, &c->frames);
    const bool torn = dry_joint_is_torn(step, index, c->row_a[lane], c->row_b[lane], placed.apart);
    c->whole[lane] = torn ? 0.0f : 1.0f;
    const float scale = c->whole[lane] * dry_joint_warm_scale(step, &step->joints->joint[index], h);
    dry_joint_find_coordinates(&step->joints->def[index], &of);
    float mesh[2];
    dry_joint_find_mesh(&step->joints->def[index], mesh);
    c->mesh[0][lane] = mesh[0];
    c->mesh[1][lane] = mesh[1];
    for (int i = 0; i < of.locked_count; i++) {
        c->form[i][lane] = (float)of.locked_form[i];
        c->row[i].offset[lane] = of.locked_at[i];
        c->row[i].pair.force[lane] = dry_form_moves((dry_row_form)of.locked_form[i]) ? 1.0f : 0.0f;
        c->row[i].impulse[lane] = scale * step->joints->rows[index].impulse[i];
    }
    const dry_spook spook = dry_joint_rigid(step, &placed, h);
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
    dry_vec3 linear = {0}, about = {0};
    float impulse[DRY_BLOCK_ROWS] = {0};
    dry_joint_total total = {.peak = c->peak[lane]};
    for (int i = 0; i < c->rows; i++) {
        const dry_block_row *row = &c->row[i];
        impulse[i] = row->impulse[lane];
        total.row[i] = (double)row->pair.sum[lane], total.last[i] = (double)impulse[i];
        total.linear[i] = dry_lanes_get3(row->pair.linear, lane);
        total.about[i] = dry_lanes_get3(row->pair.about, lane);
        linear = vec3_add_scaled(linear, impulse[i], total.linear[i]);
        about = vec3_add_scaled(about, impulse[i], total.about[i]);
    }
    dry_joint_store_rows(step, index, about, impulse);
    dry_joint_store(step, index, linear, h, parting_speed(c, lane) / h);
    dry_joint_store_sums(step, index, &total, c->rows, h, false);
}

static int list_impulses(void *bundle, dry_lanes **list)
{
    dry_block_bundle *c = bundle;
    for (int i = 0; i < c->rows; i++)
        list[i] = &c->row[i].impulse;
    return c->rows;
}

const dry_constraint_kind dry_kind_block = {
    DRY_JOINT_KIND_OF(BLOCK, dry_block_bundle),
    .name = "block",
    .impulses = list_impulses,
    .store_lane = store_lane,
    .places_offset = offsetof(dry_block_bundle, places),
    .clear = clear,
    .place_lane = place_lane,
    .end_places = end_places,
};
