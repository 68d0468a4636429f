/* Block descent: prepare copies contacts (contacts.c) and rows of joints (rows.c) from their bundles, and
 * groups the bodies (groups.c); a tier's substeps go over colors and contacts in turn; store keeps impulses
 * and penalties.
 *
 * Reads contacts, groups, rows, start rows. Writes rows of bodies, and impulses. Next: block_kernels.h,
 * multiplier_kernels.h. */
#include "methods/blocks/blocks.h"

#include "methods/blocks/kernel_list.h"
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/data/context.h"
#include "solver/methods/method.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/passes.h"

#include <string.h>

/* Contacts, groups and bodies of a block of work. */
enum { CONTACT_GRAIN = 64, GROUP_GRAIN = 4 };

/* The error in a substep, m, that adds a row's mass to its penalty. */
#define PENALTY_LENGTH 1e-4f
/* The share of an overlap, and of a joint's error, that a step corrects, not a substep: sweeps cannot follow
 * what changes faster than they bring a load through an island. */
#define CORRECTED 0.05f

static bool reserve(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    const int rows = step->bodies->awake_count, contacts = b->contact_count;
    return DRY_RESERVE(memory, b->contact, b->contact_capacity, contacts + DRY_BUNDLE) &&
           DRY_RESERVE(memory, b->list, b->list_capacity, 2 * contacts) &&
           DRY_RESERVE(memory, b->first, b->first_capacity, rows + 2) &&
           DRY_RESERVE(memory, b->body_color, b->body_color_capacity, rows) &&
           DRY_RESERVE(memory, b->target, b->target_capacity, rows) &&
           DRY_RESERVE(memory, b->force, b->force_capacity, rows) &&
           DRY_RESERVE(memory, b->color, b->color_capacity, rows) &&
           DRY_RESERVE(memory, b->group, b->group_capacity, rows);
}

/* Copies the rows of all joints, and makes room for their lists. */
static bool copy_rows(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    const dry_solver_state *s = step->state;
    int most = 0;
    for (int t = 0; t < s->plan.range_count; t++)
        most += dry_block_rows_most(step, &s->plan.ranges[t]);
    if ((most > 0 && !dry_joints_need_penalty(step->joints, memory)) ||
        !DRY_RESERVE(memory, b->row, b->row_capacity, most + 1) ||
        !DRY_RESERVE(memory, b->row_list, b->row_list_capacity, 2 * most) ||
        !DRY_RESERVE(memory, b->row_first, b->row_first_capacity, step->bodies->awake_count + 2))
        return false;
    b->row_count = 0;
    for (int t = 0; t < s->plan.range_count; t++) {
        b->tier[t].row_begin = b->row_count;
        b->row_count = b->tier[t].row_end =
            dry_block_rows_copy(step, &s->plan.ranges[t], b->row, b->row_count, b->row_count);
    }
    b->row[b->row_count] = (dry_block_joint_row){0};
    return true;
}

bool dry_blocks_prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!s->blocks) {
        s->blocks = dry_memory_allocate(memory, sizeof *s->blocks, DRY_CACHE_LINE);
        if (!s->blocks)
            return false;
        memset(s->blocks, 0, sizeof *s->blocks);
    }
    dry_blocks *b = s->blocks;
    b->contact_count = s->sweeps.bundles[DRY_KIND_CONTACT].count * DRY_BUNDLE;
    atomic_store_explicit(&b->rolling, false, memory_order_relaxed);
    atomic_store_explicit(&b->stiction, false, memory_order_relaxed);
    if (!dry_contacts_need_penalty(step->contacts, memory) || !reserve(step, b, memory) ||
        !copy_rows(step, b, memory))
        return false;
    dry_block_contacts_copy(step);
    return dry_block_groups_make(step, b, memory);
}

/* Solving. */

typedef struct blocks_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    dry_blocks *blocks;
    const dry_block_sweep *sweep;
    dry_block_kernel *const *kernel; /* by fill */
    int offset;
} blocks_job;

static void run_contacts(void *context, dry_items items)
{
    const blocks_job *job = context;
    job->kernel[DRY_FILL_WHOLE](job->sweep, items.begin * DRY_BUNDLE + job->offset,
                                items.end * DRY_BUNDLE + job->offset);
}

static void run_groups(void *context, dry_items items)
{
    const blocks_job *job = context;
    for (int g = items.begin + job->offset; g < items.end + job->offset; g++)
        job->kernel[dry_fill_of(job->blocks->group[g].lanes)](job->sweep, g, g + 1);
}

/* The kernels of a tier's passes. */
typedef struct block_passes {
    dry_block_kernel *begin[DRY_FILL_COUNT], *relax[DRY_FILL_COUNT], *warm[DRY_FILL_COUNT],
        *descend[DRY_FILL_COUNT], *multiply[DRY_FILL_COUNT];
} block_passes;

static block_passes choose_kernels(dry_level level)
{
    block_passes p;
    for (int fill = 0; fill < DRY_FILL_COUNT; fill++) {
        const dry_block_kernels *k = dry_block_kernels_at(dry_level_of_fill(level, (dry_fill)fill));
        p.begin[fill] = k->blocks_begin;
        p.relax[fill] = k->blocks_relax;
        p.warm[fill] = k->blocks_warm;
        p.descend[fill] = k->blocks_descend;
        p.multiply[fill] = k->blocks_multiply;
    }
    return p;
}

static void pass_over_contacts(const blocks_job *job, dry_block_kernel *const *kernel)
{
    const dry_block_tier *tier = &job->blocks->tier[job->range - job->step->state->plan.ranges];
    blocks_job pass = *job;
    pass.kernel = kernel;
    pass.offset = tier->contact_begin;
    dry_jobs_for(job->step->jobs, (tier->contact_end - tier->contact_begin) / DRY_BUNDLE,
                 CONTACT_GRAIN / DRY_BUNDLE, run_contacts, &pass);
}

static void pass_over_bodies(const blocks_job *job, dry_block_kernel *const *kernel)
{
    const dry_block_tier *tier = &job->blocks->tier[job->range - job->step->state->plan.ranges];
    blocks_job pass = *job;
    pass.kernel = kernel;
    for (int c = tier->color_begin; c < tier->color_end; c++) {
        const dry_block_color color = job->blocks->color[c];
        pass.offset = color.begin;
        dry_jobs_for(job->step->jobs, color.end - color.begin, GROUP_GRAIN, run_groups, &pass);
    }
}

/* Finds the change by forces in a substep, which is the same in all of them. The start row becomes the
 * velocity before, the row the target. */
static void first_target(const void *context, int row)
{
    const blocks_job *job = context;
    const dry_body_rows *bodies = &job->step->state->bodies;
    float *u = bodies->rows[row + 1].u, *start = bodies->start[row].u;
    for (int k = 0; k < 6; k++) {
        const float before = u[k];
        job->blocks->force[row].u[k] = start[k] - before;
        job->blocks->target[row].u[k] = u[k] = start[k];
        start[k] = before;
    }
}

static void next_target(const void *context, int row)
{
    const blocks_job *job = context;
    const dry_body_rows *bodies = &job->step->state->bodies;
    if (job->range->floating)
        dry_momentum_gather(job->step, &row, 1);
    dry_solver_stop_if_invalid(job->step, row);
    float *u = bodies->rows[row + 1].u, *force = job->blocks->force[row].u;
    if (dry_frames_turn(job->step->state, row))
        memcpy(force, bodies->frames[row].force, sizeof bodies->frames[row].force);
    for (int k = 0; k < 6; k++) {
        bodies->start[row].u[k] = u[k];
        u[k] += force[k];
        job->blocks->target[row].u[k] = u[k];
    }
}

static void keep_target(const void *context, int row)
{
    const blocks_job *job = context;
    const dry_solver_row *r = &job->step->state->bodies.rows[row + 1];
    memcpy(job->blocks->target[row].u, r->u, sizeof r->u);
}

/* Gives rows of joints the bias of sweeps that correct no position. */
static void relax_rows(const blocks_job *job, const dry_block_tier *tier)
{
    for (int i = tier->row_begin; i < tier->row_end; i++)
        job->blocks->row[i].bias = job->blocks->row[i].relaxed;
}

/* Runs sweeps over bodies and multipliers; `last`: no others follow in this substep. */
static void descend(const blocks_job *job, dry_block_sweep *sweep, const block_passes *passes,
                    const dry_block_tier *tier, int sweeps, bool last)
{
    for (int i = 0; i < sweeps; i++) {
        sweep->last = last && i == sweeps - 1;
        pass_over_bodies(job, passes->descend);
        pass_over_contacts(job, passes->multiply);
        dry_block_rows_multiply(job->sweep, tier->row_begin, tier->row_end);
    }
}

/* Takes bodies to the frames of the next substep, makes the rows of joints anew, and copies them; contacts
 * follow their bodies. Each penalty of a joint falls to DRY_BLOCK_PENALTY_KEPT. */
static void refresh_rows(dry_solver_step *step, const dry_tier_range *range, const dry_block_tier *tier,
                         float time, float h)
{
    dry_blocks *b = step->state->blocks;
    dry_block_rows_write(b->row, tier->row_begin, tier->row_end);
    dry_solver_follow_joints(step, range, time, h, dry_blocks_follow_frames);
    (void)dry_block_rows_copy(step, range, b->row, tier->row_begin, tier->row_end);
    if (step->state->bodies.frames_turning == 0)
        return;
    dry_solver_turn_contacts(step, range);
    dry_block_contacts_turn(step, range);
}

dry_block_sweep dry_block_sweep_of(const dry_solver_step *step, float h)
{
    const dry_solver_state *s = step->state;
    dry_sweep sweep = dry_sweep_of(step->method, step->settings, h, 0.0f);
    sweep.rows = s->bodies.rows;
    sweep.start = s->bodies.start;
    sweep.headers = s->sweeps.headers;
    sweep.cold = s->sweeps.cold;
    sweep.rate = CORRECTED / step->dt;
    if (atomic_load_explicit(&s->blocks->stiction, memory_order_relaxed))
        sweep.stiction = s->sweeps.stiction;
    return (dry_block_sweep){
        .sweep = sweep,
        .target = s->blocks->target,
        .force = s->blocks->force,
        .contact = s->blocks->contact,
        .bundle = dry_contact_bundles(s),
        .group = s->blocks->group,
        .locks = s->blocks->locks,
        .entry = s->blocks->entry,
        .row = s->blocks->row,
        .row_entry = s->blocks->row_entry,
        .growth = h / PENALTY_LENGTH,
        .penalty_max = DRY_BLOCK_PENALTY_MOST,
        .rolling = atomic_load_explicit(&s->blocks->rolling, memory_order_relaxed),
    };
}

static void begin_substep(dry_substeps *run, blocks_job *job, dry_block_sweep *sweep,
                          const block_passes *passes, int substep)
{
    dry_solver_step *step = run->step;
    const dry_tier_range *range = run->range;
    const dry_block_tier *tier = &job->blocks->tier[range - step->state->plan.ranges];
    sweep->sweep.time = sweep->sweep.substep * (float)substep;
    sweep->sweep.acceleration_time = 0.5f * sweep->sweep.substep;
    if (substep > 0)
        refresh_rows(step, range, tier, sweep->sweep.time, sweep->sweep.substep);
    dry_over_rows(step, range, substep == 0 ? first_target : next_target, job);
    if (dry_range_bounces(range)) {
        run->sweep = sweep->sweep;
        DRY_CALL_PARTS(step, range->parts, start, run);
        dry_over_rows(step, range, keep_target, job);
    }
    pass_over_bodies(job, passes->warm);
    pass_over_contacts(job, passes->begin);
    dry_block_rows_begin(step, sweep, tier->row_begin, tier->row_end);
}

void dry_blocks_run(dry_substeps *run)
{
    dry_solver_step *step = run->step;
    const dry_tier_range *range = run->range;
    dry_solver_state *s = step->state;
    const dry_schedule schedule = run->schedule;
    const block_passes passes = choose_kernels(s->sweeps.level);
    const dry_block_tier *tier = &s->blocks->tier[range - s->plan.ranges];
    dry_block_sweep sweep = dry_block_sweep_of(step, run->sweep.substep);
    run->rotated = true;
    blocks_job job = {.step = step, .range = range, .blocks = s->blocks, .sweep = &sweep};
    for (int substep = 0; substep < range->substeps; substep++) {
        begin_substep(run, &job, &sweep, &passes, substep);
        descend(&job, &sweep, &passes, tier, schedule.solve_sweeps, schedule.relax_sweeps == 0);
        dry_run_pass(step, range, DRY_WORK_MOVE, &sweep.sweep, NULL);
        run->sweep = sweep.sweep;
        DRY_CALL_PARTS(step, range->parts, move, run);
        if (schedule.relax_sweeps > 0) {
            pass_over_contacts(&job, passes.relax);
            relax_rows(&job, tier);
            descend(&job, &sweep, &passes, tier, schedule.relax_sweeps, true);
        }
        dry_block_rows_work(step, &sweep, tier->row_begin, tier->row_end);
    }
    dry_frames_end(step, range, dry_blocks_end_frame);
    dry_block_contacts_write(step, range);
    dry_block_rows_write(s->blocks->row, tier->row_begin, tier->row_end);
}

void dry_blocks_store(dry_solver_step *step)
{
    const dry_solver_state *s = step->state;
    for (int t = 0; t < s->plan.range_count; t++) {
        const dry_block_tier *tier = &s->blocks->tier[t];
        dry_block_contacts_keep(step, &s->plan.ranges[t]);
        dry_block_rows_keep(step, s->blocks->row, tier->row_begin, tier->row_end,
                            step->dt / (float)s->plan.ranges[t].substeps);
    }
}
