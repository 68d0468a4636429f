/* Stages "prepare" and "store" of joints. Reads joints, poses, velocities; writes bundles [begin, end) of a
 * kind, and their impulses back to joints. */
#include "solver/sweeps/joints/joint_bundles.h"

#include "solver/constraint/joints/error.h"
#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"
#include "solver/data/method.h"
#include "solver/sweeps/joints/kernel_list.h"

#include <string.h>

static char *bundle_at(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle)
{
    return (char *)state->sweeps.bundles[kind->index].bundle + (size_t)bundle * kind->bundle_bytes;
}

static int32_t *lanes_in_use(const dry_constraint_kind *kind, char *bundle)
{
    return (int32_t *)(void *)(bundle + kind->lanes_offset);
}

/* Written as the library of methods is loaded. */
static const dry_added_joint_kernels *(*find_added)(dry_level level);

void dry_joint_kernels_add(const dry_added_joint_kernels *(*find)(dry_level level))
{
    DRY_ASSERT(!find_added || find_added == find);
    find_added = find;
}

dry_sweep_kernel *dry_joint_kernel(const dry_constraint_kind *kind, dry_level level, dry_sweep_kind sweep,
                                   dry_update update, const dry_settings *settings, bool springs)
{
    (void)springs;
    (void)settings;
    const dry_joint_kernels *own =
        update == DRY_UPDATE_DIRECT ? dry_joint_kernels_at(level) : dry_rare_joint_kernels_at(level);
    dry_sweep_kernel *kernel = own->kernel[kind->index][sweep][update];
    return kernel || !find_added ? kernel : find_added(level)->sweeps.kernel[kind->index][sweep][update];
}

dry_sweep_kernel *dry_joint_slope(const dry_constraint_kind *kind, dry_level level)
{
    dry_sweep_kernel *slope = dry_seldom_joint_kernels_at(level)->slope[kind->index];
    return slope || !find_added ? slope : find_added(level)->slope[kind->index];
}

_Static_assert((int)DRY_CONSTRAINT_BODIES == (int)DRY_JOINT_SIDES, "a joint has a side for each body");

int dry_joint_bodies(const dry_solver_step *step, int joint, int body[DRY_CONSTRAINT_BODIES])
{
    return dry_joint_find_bodies(step->joints, joint, body);
}

/* Prepares joints whose rows are made one by one. */
static void prepare_lanes(const dry_solver_step *step, dry_bundle_part part)
{
    for (int b = part.begin; b < part.end; b++) {
        const int32_t *members = step->state->sweeps.bundles[part.kind->index].members[b].index;
        char *bundle = bundle_at(step->state, part.kind, b);
        /* Joints that are prepared again are in the lanes in which they were, and fill the same members. */
        if (part.at.since == 0.0f)
            memset(bundle, 0, part.kind->bundle_bytes);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0) {
                part.kind->prepare_lane(step, bundle, lane, members[lane], &part);
                *lanes_in_use(part.kind, bundle) = lane + 1;
            }
    }
}

void dry_joint_store_bundles(const dry_solver_step *step, dry_bundle_part part)
{
    for (int b = part.begin; b < part.end; b++) {
        const int32_t *members = step->state->sweeps.bundles[part.kind->index].members[b].index;
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0)
                part.kind->store_lane(step, bundle_at(step->state, part.kind, b), lane, members[lane],
                                      part.h);
    }
}

static dry_make_kernel *make_kernel(const dry_solver_step *step, const dry_constraint_kind *kind)
{
    return dry_seldom_joint_kernels_at(step->state->sweeps.level)->make[kind->index];
}

static dry_making making_of(const dry_solver_step *step, const dry_bundle_part *part)
{
    const dry_solver_state *s = step->state;
    return (dry_making){.rows = s->bodies.rows,
                        .frames = s->bodies.frames_turning > 0 ? s->bodies.frames : NULL,
                        .constraints = s->plan.constraints,
                        .blocks = s->sweeps.bundles[DRY_KIND_BLOCK].bundle,
                        .meet = step->method->meet,
                        .third = part->h / 3.0f,
                        .ahead = part->at.ahead,
                        .since = part->at.since - part->at.ahead};
}

/* Tells whether the lanes of an axes bundle have the same joints as those of a block bundle. */
static bool shares_lanes(const dry_bundle_members *axes, const dry_bundle_members *blocks)
{
    bool same = true;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        same &= axes->index[lane] < 0 || axes->index[lane] == blocks->index[lane];
    return same;
}

void dry_joints_pair(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_bundle_array *of_axes = &step->state->sweeps.bundles[DRY_KIND_AXES],
                           *of_blocks = &step->state->sweeps.bundles[DRY_KIND_BLOCK];
    dry_axes_bundle *axes = of_axes->bundle;
    dry_block_bundle *blocks = of_blocks->bundle;
    for (int p = range->phase_begin; p <= range->phase_end;
         p++) { /* the coupled one, too, which has no blocks */
        const dry_bundle_range a = dry_phase_bundles(&step->state->plan.phases[p], DRY_KIND_AXES),
                               b = dry_phase_bundles(&step->state->plan.phases[p], DRY_KIND_BLOCK);
        for (int i = b.begin; i < b.end; i++)
            blocks[i].paired = 0;
        for (int i = a.begin, at = b.begin; i < a.end; i++, at++) {
            const bool pairs = at < b.end && shares_lanes(&of_axes->members[i], &of_blocks->members[at]);
            axes[i].block = pairs ? 1 + at : 0;
            if (pairs)
                blocks[at].paired = 1;
        }
    }
}

/* Lets a kind end the making of a bundle's rows. */
static void end_rows(const dry_solver_step *step, const dry_constraint_kind *kind, int b, float h)
{
    if (kind->end_rows)
        kind->end_rows(step, bundle_at(step->state, kind, b),
                       step->state->sweeps.bundles[kind->index].members[b].index, h);
}

/* Adds a multiple of the energy of a bundle's springs to the records of its joints, or begins these. */
static void add_stored(const dry_solver_step *step, const dry_constraint_kind *kind, int b, float h,
                       bool begin)
{
    const int32_t *members = step->state->sweeps.bundles[kind->index].members[b].index;
    for (int lane = 0; lane < DRY_BUNDLE && kind->stored; lane++) {
        if (members[lane] < 0 || !dry_joint_drives(&step->joints->joint[members[lane]]))
            continue;
        double *stored = &step->state->laws.stored[members[lane]];
        const double now = kind->stored(step, bundle_at(step->state, kind, b), lane, h, begin);
        *stored = begin ? -now : *stored + now;
    }
}

void dry_joints_add_stored(const dry_solver_step *step)
{
    for (int r = DRY_TIER_COUNT; r < step->state->plan.range_count; r++)
        for (int k = 0; k < DRY_KIND_JOINTS; k++) {
            const dry_tier_range *range = &step->state->plan.ranges[r];
            const dry_bundle_range bundles = dry_tier_bundles(step->state, range, k);
            for (int b = bundles.begin; b < bundles.end; b++)
                add_stored(step, step->kinds[k], b, step->dt / (float)range->substeps, false);
        }
}

/* Looks for open joints in a bundle whose first rows are made. Lanes have the rows of one bundle, but a joint
 * may have some in two. */
static void find_open(const dry_solver_step *step, const dry_constraint_kind *kind, int b)
{
    const int32_t *members = step->state->sweeps.bundles[kind->index].members[b].index;
    const dry_joint_places *places =
        (const dry_joint_places *)(const void *)(bundle_at(step->state, kind, b) + kind->places_offset);
    const float gap = (float)(0.25 * DRY_GAP_OPEN * DRY_GAP_OPEN),
                turn = (float)(0.25 * DRY_TURN_OPEN * DRY_TURN_OPEN);
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (members[lane] >= 0 &&
            (!kind->place_lane || places->gap[lane] > gap || places->turn[lane] > turn) &&
            dry_joint_is_open(step->bodies, step->joints, members[lane]))
            atomic_store_explicit(&step->state->sweeps.open, true, memory_order_relaxed);
}

void dry_joint_begin_rows(const dry_solver_step *step, dry_bundle_part part)
{
    if (!part.kind->place_lane) {
        prepare_lanes(step, part);
        for (int b = part.begin; b < part.end; b++)
            find_open(step, part.kind, b);
        return;
    }
    dry_making making = making_of(step, &part);
    for (int b = part.begin; b < part.end; b++) {
        const int32_t *members = step->state->sweeps.bundles[part.kind->index].members[b].index;
        char *bundle = bundle_at(step->state, part.kind, b);
        if (part.kind->clear)
            part.kind->clear(bundle);
        else
            memset(bundle, 0, part.kind->bundle_bytes);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0) {
                part.kind->place_lane(step, bundle, lane, members[lane], part.h);
                *lanes_in_use(part.kind, bundle) = lane + 1;
            }
        if (part.kind->end_places)
            part.kind->end_places(bundle);
        make_kernel(step, part.kind)(bundle, 0, 1, &making);
        bool softened = false;
        for (int lane = 0; lane < DRY_BUNDLE && part.kind->soften_lane; lane++)
            if (members[lane] >= 0)
                softened |= part.kind->soften_lane(step, bundle, lane, members[lane], part.h);
        if (softened)
            make_kernel(step, part.kind)(bundle, 0, 1, &making);
        find_open(step, part.kind, b);
        end_rows(step, part.kind, b, part.h);
        if (step->state->laws.stores)
            add_stored(step, part.kind, b, part.h, true);
    }
}

void dry_joint_keep_speeds(const dry_solver_step *step, dry_bundle_part part)
{
    const dry_making making = making_of(step, &part);
    dry_make_kernel *keep = dry_seldom_joint_kernels_at(step->state->sweeps.level)->keep[part.kind->index];
    if (keep)
        keep(step->state->sweeps.bundles[part.kind->index].bundle, part.begin, part.end, &making);
}

void dry_joint_make_rows(const dry_solver_step *step, dry_bundle_part part)
{
    if (!part.kind->place_lane) {
        prepare_lanes(step, part);
        return;
    }
    dry_making making = making_of(step, &part);
    /* The rows of a step's first substep are those of its middle. */
    if (part.at.ahead == 0.0f)
        making.rate = (part.at.since > 1.5f * part.h ? 1.0f : 2.0f) / part.h;
    make_kernel(step, part.kind)(step->state->sweeps.bundles[part.kind->index].bundle, part.begin, part.end,
                                 &making);
    for (int b = part.begin; b < part.end; b++)
        end_rows(step, part.kind, b, part.h);
}

int dry_joint_lanes(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle)
{
    return *lanes_in_use(kind, bundle_at(state, kind, bundle));
}
