/* Stages "prepare", "solve" and "impacts" over all classes: the substep loop.
 *
 * A substep is: forces and warm start (one vector per body), sweeps with the position term, move, sweeps
 * without it. Reads bundles; writes rows and impulses. Next: passes.c, then store.c and step/finalize.c.
 *
 * Warm starting costs a sweep only in the first substep: rows are constant within a step, so what all
 * impulses changed a body by during substep k is what re-applying them changes it by in k + 1. With
 * u0 the velocity before and u1 after, that and the forces make the next start u1 + (u1 - u0). */
#include "solver/contacts/prepare.h"
#include "solver/joints/prepare.h"
#include "solver/passes.h"
#include "solver/rows/momentum.h"
#include "solver/rows/whitening.h"
#include "solver/spook.h"
#include "solver/stages.h"

/* Items of a block. */
enum { PREPARE_GRAIN = 4, GATHER_GRAIN = 512 };

typedef struct class_kernels {
    dry_sweep_kernels warm, solve, relax, impact;
} class_kernels;

typedef struct contact_kernels {
    dry_contact_sweep *warm, *solve, *relax, *impact;
} contact_kernels;

static contact_kernels contact_kernels_of(const dry_settings *settings, const dry_contact_kernels *k)
{
    contact_kernels chosen = {k->contact_warm, k->contact_solve_cone, k->contact_relax_cone,
                              k->contact_impact};
    if (settings->solver == DRY_SOLVER_JACOBI) {
        chosen.solve = k->jacobi_contact_solve;
        chosen.relax = k->jacobi_contact_relax;
        return chosen;
    }
    switch (settings->friction) {
    case DRY_FRICTION_SCALED_BOX:
        chosen.solve = k->contact_solve_box;
        chosen.relax = k->contact_relax_box;
        break;
    case DRY_FRICTION_TWO_PHASE:
        chosen.solve = k->contact_solve_two_phase;
        chosen.relax = k->contact_relax_two_phase;
        break;
    case DRY_FRICTION_VELOCITY:
        chosen.solve = k->contact_solve_velocity;
        chosen.relax = k->contact_relax_velocity;
        break;
    default:
        if (settings->contact_stiffness > 0.0f)
            chosen.solve = k->contact_solve_cone_spook;
    }
    return chosen;
}

static class_kernels choose_kernels(const dry_solver_step *step)
{
    const dry_level level = step->state->level;
    const dry_joint_kernels *k = dry_joint_kernels_at(level);
    class_kernels chosen = {
        .warm = {.ball = k->ball_warm, .distance = k->distance_warm},
        .solve = {.ball = k->ball_solve, .distance = k->distance_solve},
        .relax = {.ball = k->ball_relax, .distance = k->distance_relax},
    };
    if (step->settings->solver == DRY_SOLVER_JACOBI) {
        chosen.solve = (dry_sweep_kernels){
            .ball = k->jacobi_ball_solve, .distance = k->jacobi_distance_solve, .sums = true};
        chosen.relax = (dry_sweep_kernels){
            .ball = k->jacobi_ball_relax, .distance = k->jacobi_distance_relax, .sums = true};
    }
    for (dry_fill fill = DRY_FILL_WHOLE; fill < DRY_FILL_COUNT; fill++) {
        const dry_level filled = dry_level_of_fill(level, fill);
        contact_kernels contact = contact_kernels_of(step->settings, dry_contact_kernels_at(filled));
        chosen.warm.contact[fill] = contact.warm;
        chosen.solve.contact[fill] = contact.solve;
        chosen.relax.contact[fill] = contact.relax;
        chosen.impact.contact[fill] = contact.impact;
    }
    return chosen;
}

static dry_sweep class_sweep(const dry_solver_step *step, const dry_class_range *range, float h)
{
    const dry_settings *settings = step->settings;
    dry_spook spook = dry_spook_contact(settings, h);
    float mass_scale = 1.0f / (1.0f + spook.relative_softness);
    const dry_bundle_range contacts = range->bundles[DRY_KIND_CONTACT];
    size_t bundles = (size_t)(contacts.end - contacts.begin);
    return (dry_sweep){
        .rows = step->state->rows,
        .sums = step->state->sums,
        .notes = step->state->notes,
        .rate_free = 1.0f / h,
        /* At most the whole error in one substep: beyond, without [Spook 10]'s term, it would overshoot. */
        .rate = spook.approach > 0.0f ? spook.rate : dry_min(spook.rate, 1.0f / h),
        .mass_scale = mass_scale,
        .impulse_scale = spook.relative_softness * mass_scale,
        .softness = spook.softness,
        .approach_scale = spook.approach,
        .push_speed_max = settings->push_out_speed_max,
        .restitution_speed = settings->restitution_speed_min,
        .substep = h,
        .fetch_end = bundles * sizeof(dry_contact_bundle) > DRY_BUNDLES_NEAR_BYTES ? contacts.end : 0,
        .fetch_rows = range->band_end - range->band_begin == 1,
    };
}

static bool class_is_empty(const dry_class_range *range)
{
    return range->body_begin == range->body_end;
}

/* Passes that wait until they are as many as go at once. */
typedef struct pass_batch {
    dry_pass pass[DRY_PASSES_MAX];
    int count, room;
    int left, batches; /* passes and batches that are still to come */
} pass_batch;

/* As even as can be: none of one pass alone after some of many. */
static void begin_batch(pass_batch *batch)
{
    batch->count = 0;
    if (batch->batches == 0)
        return;
    batch->room = (batch->left + batch->batches - 1) / batch->batches;
    batch->left -= batch->room;
    batch->batches--;
}

static void add_pass(dry_solver_step *step, const dry_class_range *range, pass_batch *batch,
                     dry_body_work work, const dry_sweep *sweep, const dry_sweep_kernels *kernels)
{
    if (batch->room == 1) {
        dry_run_pass(step, range, work, sweep, kernels);
        return;
    }
    dry_pass *pass = &batch->pass[batch->count++];
    *pass = (dry_pass){work, kernels, *sweep};
    /* The first pass leaves bands of whole islands near for all others. */
    if (range->bands_apart && batch->count > 1)
        pass->sweep.fetch_end = 0;
    if (batch->count < batch->room)
        return;
    dry_run_passes(step, range, batch->pass, batch->count);
    begin_batch(batch);
}

static void solve_class(dry_solver_step *step, const dry_class_range *range, const class_kernels *kernels)
{
    const dry_settings *settings = step->settings;
    /* A Jacobi sweep moves a load half as far: with as many as Gauss-Seidel has, a tower of 10 never rests.
     */
    const int repeat = settings->solver == DRY_SOLVER_JACOBI ? 2 : 1;
    const int solves = range->sweeps * repeat, relaxes = settings->relax_sweeps * repeat;
    float h = step->dt / (float)range->substeps;
    dry_sweep sweep = class_sweep(step, range, h);
    const int at_once = dry_passes_at_once(step, range);
    pass_batch batch;
    batch.room = 1;
    if (at_once > 1) {
        batch.left = range->substeps * (solves + dry_max_int(relaxes, 1)) + settings->warm_start;
        batch.batches = (batch.left + at_once - 1) / at_once;
        begin_batch(&batch);
    }
    for (int substep = 0; substep < range->substeps; substep++) {
        dry_body_work work = DRY_WORK_FIRST_FORCES;
        sweep.time = h * (float)substep;
        sweep.turn_speed = h * (float)(substep + 1) - 0.5f * step->dt;
        sweep.turn_gap = 0.5f * sweep.time * (step->dt - sweep.time - h);
        if (substep == 0 && settings->warm_start) {
            add_pass(step, range, &batch, work, &sweep, &kernels->warm);
            work = DRY_WORK_NONE;
        } else if (substep > 0) {
            sweep.approach_scale = 0.0f;
            sweep.rate = dry_min(sweep.rate, sweep.rate_free);
            work = DRY_WORK_NEXT_FORCES;
        }
        for (int i = 0; i < solves; i++, work = DRY_WORK_NONE)
            add_pass(step, range, &batch, work, &sweep, &kernels->solve);
        sweep.time = h * (float)(substep + 1);
        work = DRY_WORK_MOVE;
        for (int i = 0; i < relaxes; i++, work = DRY_WORK_NONE)
            add_pass(step, range, &batch, work, &sweep, &kernels->relax);
        if (work != DRY_WORK_NONE)
            add_pass(step, range, &batch, work, &sweep, NULL);
    }
}

void dry_solver_solve(dry_solver_step *step)
{
    class_kernels kernels = choose_kernels(step);
    step->stage = DRY_STAGE_SOLVE;
    for (int c = 0; c < DRY_TIER_COUNT; c++)
        if (!class_is_empty(&step->state->ranges[c]))
            solve_class(step, &step->state->ranges[c], &kernels);
}

typedef struct gather_job {
    const dry_solver_step *step;
    const dry_class_range *range;
} gather_job;

static void run_gather(void *context, int begin, int end, int worker)
{
    (void)worker;
    const gather_job *job = context;
    const int32_t *rows = job->step->state->order + job->range->body_begin;
    dry_momentum_gather(job->step, rows + begin, end - begin, job->step->dt / (float)job->range->substeps);
}

void dry_solver_impacts(dry_solver_step *step)
{
    step->stage = DRY_STAGE_IMPACTS;
    bool impacts = atomic_load_explicit(&step->state->impacts, memory_order_relaxed);
    class_kernels kernels = choose_kernels(step);
    for (int c = 0; c < DRY_TIER_COUNT; c++) {
        const dry_class_range *range = &step->state->ranges[c];
        if (class_is_empty(range))
            continue;
        float h = step->dt / (float)range->substeps;
        dry_sweep sweep = class_sweep(step, range, h);
        if (impacts)
            dry_sweep_alone(step, range, &sweep, &kernels.impact);
        gather_job job = {step, range};
        if (range->floating)
            dry_jobs_for(step->jobs, range->body_end - range->body_begin, GATHER_GRAIN, run_gather, &job);
    }
    dry_momentum_repair(step);
}

typedef void prepare_part(const dry_solver_step *step, int begin, int end, float h);

typedef struct prepare_job {
    const dry_solver_step *step;
    prepare_part *prepare;
    int offset;
    float h;
} prepare_job;

static void run_prepare(void *context, int begin, int end, int worker)
{
    (void)worker;
    const prepare_job *job = context;
    job->prepare(job->step, begin + job->offset, end + job->offset, job->h);
}

static void over_bundles(const dry_solver_step *step, const dry_class_range *range, dry_kind k,
                         prepare_part *prepare)
{
    const dry_bundle_range bundles = range->bundles[k];
    prepare_job job = {step, prepare, bundles.begin, step->dt / (float)range->substeps};
    dry_jobs_for(step->jobs, bundles.end - bundles.begin, PREPARE_GRAIN, run_prepare, &job);
}

/* Room for the records, and which bundle has which. Which bundles want one is known when they are prepared,
 * except that some settings want one for each. */
static bool begin_notes(dry_solver_state *s, const dry_settings *settings, dry_memory *memory)
{
    bool all = settings->solver == DRY_SOLVER_JACOBI || settings->friction == DRY_FRICTION_SCALED_BOX ||
               settings->contact_stiffness > 0.0f;
    if (!DRY_RESERVE(memory, s->rare, s->rare_capacity, 1 + (all ? s->contact_count : 0)))
        return false;
    for (int b = 0; b < s->contact_count; b++)
        s->notes[b] = (dry_contact_note){.rare = all ? 1 + b : 0};
    return true;
}

static bool give_records(dry_solver_state *s, dry_memory *memory)
{
    int count = 1;
    for (int b = 0; b < s->contact_count; b++)
        if (s->notes[b].rare < 0)
            s->notes[b].rare = count++;
    return DRY_RESERVE(memory, s->rare, s->rare_capacity, count);
}

bool dry_solver_prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!begin_notes(s, step->settings, memory))
        return false;
    atomic_store_explicit(&s->impacts, false, memory_order_relaxed);
    atomic_store_explicit(&s->hits, false, memory_order_relaxed);
    atomic_store_explicit(&s->marked, false, memory_order_relaxed);
    for (int c = 0; c < DRY_TIER_COUNT; c++) {
        const dry_class_range *range = &s->ranges[c];
        over_bundles(step, range, DRY_KIND_CONTACT, dry_prepare_contacts);
        over_bundles(step, range, DRY_KIND_BALL, dry_prepare_balls);
        over_bundles(step, range, DRY_KIND_DISTANCE, dry_prepare_distances);
    }
    if (!atomic_load_explicit(&s->marked, memory_order_relaxed))
        return true;
    if (!give_records(s, memory))
        return false;
    for (int c = 0; c < DRY_TIER_COUNT; c++)
        over_bundles(step, &s->ranges[c], DRY_KIND_CONTACT, dry_prepare_rare_contacts);
    return true;
}
