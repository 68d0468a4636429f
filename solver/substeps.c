/* Stages "prepare", "solve" and "impacts" over all classes: the substep loop.
 *
 * A substep is: forces and warm start (one vector per body), sweeps with the position term, move, sweeps
 * without it. Phases go one after the other; a phase's bundles go side by side. Reads bundles; writes
 * rows and impulses. Next: store.c and world/finalize.c.
 *
 * Warm starting costs a sweep only in the first substep: rows are constant within a step, so what all
 * impulses changed a body by during substep k is what re-applying them changes it by in k + 1. With
 * u0 the velocity before and u1 after, that and the forces make the next start u1 + (u1 - u0). */
#include "core/probes.h"
#include "simd/dispatch.h"
#include "solver/bodies.h"

#include <string.h>

/* Bundles of a class, in bytes, from which on sweeps fetch ahead. Below, fetching costs a tenth of a sweep;
 * above half of a last cache of 32 MiB a sweep without it takes three times as long (docs/decisions.md). */
#define FETCH_BYTES (12 << 20)

/* Constraints per block: enough that claiming a block costs nothing beside solving it. */
enum { BUNDLE_GRAIN = 8, BODY_GRAIN = 512, PREPARE_GRAIN = 4 };

typedef struct body_job {
    const dry_solver_step *step;
    const dry_class_range *range;
    const int32_t *order; /* the class's bodies */
    float h;
} body_job;

/* Takes the locked axes out of the velocities of bodies [begin, end); most classes have none. */
static void apply_locks(const body_job *job, int begin, int end)
{
    dry_solver_state *s = job->step->state;
    if (!atomic_load_explicit(&job->range->locked, memory_order_relaxed))
        return;
    for (int i = begin; i < end; i++) {
        int row = job->order[i];
        uint32_t locks = job->step->bodies->drive[row].locks;
        if (locks) {
            const dry_whitening w = dry_whitening_of(job->step->bodies, row);
            dry_lock_row(&w, locks, s->rows[row + 1].ul, s->rows[row + 1].ua);
        }
    }
}

static void first_forces(void *context, int begin, int end, int worker)
{
    (void)worker;
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++) {
        int row = job->order[i];
        dry_start_row before;
        memcpy(before.u, s->rows[row + 1].u, sizeof before.u);
        memcpy(s->rows[row + 1].u, s->start[row].u, sizeof before.u);
        s->start[row] = before;
    }
}

/* Neither overlaps the other, which the compiler cannot see where both come from one place. */
static inline void carry(float *restrict u, float *restrict begin)
{
    for (int k = 0; k < 6; k++) {
        float now = u[k];
        u[k] = now + (now - begin[k]);
        begin[k] = now;
    }
}

static void next_forces(void *context, int begin, int end, int worker)
{
    (void)worker;
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    apply_locks(job, begin, end);
    for (int i = begin; i < end; i++)
        carry(s->rows[job->order[i] + 1].u, s->start[job->order[i]].u);
}

/* x += h v [Spook 37], whitened and since the step began. */
static void move(void *context, int begin, int end, int worker)
{
    (void)worker;
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    float h = job->h;
    apply_locks(job, begin, end);
    for (int i = begin; i < end; i++) {
        dry_solver_row *r = &s->rows[job->order[i] + 1];
        for (int k = 0; k < 6; k++)
            r->d[k] += h * r->u[k];
    }
    if (!job->range->floating)
        return;
    for (int i = begin; i < end; i++) {
        int row = job->order[i];
        memcpy(s->drift[row].moved, s->rows[row + 1].ul, sizeof s->drift[row].moved);
    }
}

static void clear_sums(void *context, int begin, int end, int worker)
{
    (void)worker;
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++)
        s->sums[job->order[i] + 1] = (dry_solver_row){0};
}

static void add_sums(void *context, int begin, int end, int worker)
{
    (void)worker;
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++) {
        int row = job->order[i] + 1;
        for (int k = 0; k < 6; k++)
            s->rows[row].u[k] += s->sums[row].u[k];
    }
}

static void over_bodies(dry_solver_step *step, const dry_class_range *range, float h, dry_jobs_run *run)
{
    body_job job = {step, range, step->state->order + range->body_begin, h};
    dry_jobs_for(step->jobs, range->body_end - range->body_begin, BODY_GRAIN, run, &job);
}

/* One kernel of each kind: a sweep over everything. */
typedef struct sweep_kernels {
    dry_contact_kernel *contact[DRY_FILL_COUNT];
    dry_ball_kernel *ball;
    dry_distance_kernel *distance;
} sweep_kernels;

typedef struct sweep_job {
    dry_solver_state *state;
    const dry_sweep *sweep;
    const sweep_kernels *kernels;
    int offset;
} sweep_job;

static dry_fill fill_of(int lanes)
{
    return lanes > DRY_BUNDLE / 2 ? DRY_FILL_WHOLE : lanes > 1 ? DRY_FILL_HALF : DRY_FILL_ONE;
}

static void run_contacts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const sweep_job *job = context;
    const dry_solver_state *state = job->state;
    begin += job->offset, end += job->offset;
    /* A colour's last bundle, in a small island its only one, may hold little. */
    const dry_fill fill = fill_of(state->notes[end - 1].lanes);
    const int wide = fill == DRY_FILL_WHOLE ? end : end - 1;
    if (begin < wide)
        job->kernels->contact[DRY_FILL_WHOLE](state->contact, state->rare, begin, wide, job->sweep);
    if (wide < end)
        job->kernels->contact[fill](state->contact, state->rare, wide, end, job->sweep);
}

static void run_balls(void *context, int begin, int end, int worker)
{
    (void)worker;
    const sweep_job *job = context;
    job->kernels->ball(job->state->ball, begin + job->offset, end + job->offset, job->sweep);
}

static void run_distances(void *context, int begin, int end, int worker)
{
    (void)worker;
    const sweep_job *job = context;
    job->kernels->distance(job->state->distance, begin + job->offset, end + job->offset, job->sweep);
}

static void over_phase(dry_solver_step *step, const dry_phase *phase, dry_kind k, sweep_job *job,
                       dry_jobs_run *run)
{
    const dry_bundle_range bundles = phase->bundles[k];
    const int count = bundles.end - bundles.begin;
    job->offset = bundles.begin;
    /* What found no colour shares bodies: in order, on one worker. */
    if (phase->color == DRY_COLOR_OVERFLOW && count)
        run(job, 0, count, 0);
    else if (count)
        dry_jobs_for(step->jobs, count, BUNDLE_GRAIN, run, job);
}

static int bundles_of(const dry_phase *phase)
{
    int count = 0;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        count += phase->bundles[k].end - phase->bundles[k].begin;
    return count;
}

static void sweep_phases(dry_solver_step *step, const dry_class_range *range, const dry_sweep *sweep,
                         const sweep_kernels *kernels)
{
    sweep_job job = {step->state, sweep, kernels, 0};
    for (int p = range->phase_begin; p < range->phase_end; p++) {
        const dry_phase *phase = &step->state->phases[p];
        DRY_PROBE3(color_begin, (int)(range - step->state->ranges), phase->color, bundles_of(phase));
        if (kernels->ball)
            over_phase(step, phase, DRY_KIND_BALL, &job, run_balls);
        if (kernels->distance)
            over_phase(step, phase, DRY_KIND_DISTANCE, &job, run_distances);
        over_phase(step, phase, DRY_KIND_CONTACT, &job, run_contacts);
        DRY_PROBE3(color_end, (int)(range - step->state->ranges), phase->color, bundles_of(phase));
    }
}

/* A Jacobi sweep: all constraints see the same velocities, their changes are summed, then applied. */
static void sweep_jacobi(dry_solver_step *step, const dry_class_range *range, const dry_sweep *sweep,
                         const sweep_kernels *kernels)
{
    over_bodies(step, range, 0.0f, clear_sums);
    sweep_phases(step, range, sweep, kernels);
    over_bodies(step, range, 0.0f, add_sums);
}

typedef struct class_kernels {
    sweep_kernels warm, solve, relax, impact;
} class_kernels;

typedef struct contact_kernels {
    dry_contact_kernel *warm, *solve, *relax, *impact;
} contact_kernels;

static contact_kernels contact_kernels_of(const dry_settings *settings, const dry_kernels *k)
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
    const dry_kernels *k = step->state->kernels;
    class_kernels chosen = {
        .warm = {.ball = k->ball_warm, .distance = k->distance_warm},
        .solve = {.ball = k->ball_solve, .distance = k->distance_solve},
        .relax = {.ball = k->ball_relax, .distance = k->distance_relax},
    };
    if (step->settings->solver == DRY_SOLVER_JACOBI) {
        chosen.solve = (sweep_kernels){.ball = k->jacobi_ball_solve, .distance = k->jacobi_distance_solve};
        chosen.relax = (sweep_kernels){.ball = k->jacobi_ball_relax, .distance = k->jacobi_distance_relax};
    }
    for (dry_fill fill = DRY_FILL_WHOLE; fill < DRY_FILL_COUNT; fill++) {
        contact_kernels contact = contact_kernels_of(step->settings, dry_kernels_filled(k, fill));
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
        .fetches = bundles * sizeof(dry_contact_bundle) > FETCH_BYTES,
    };
}

static bool class_is_empty(const dry_class_range *range)
{
    return range->body_begin == range->body_end;
}

static void solve_class(dry_solver_step *step, const dry_class_range *range, const class_kernels *kernels)
{
    const dry_settings *settings = step->settings;
    bool jacobi = settings->solver == DRY_SOLVER_JACOBI;
    /* A Jacobi sweep moves a load half as far: with as many as Gauss-Seidel has, a tower of 10 never rests.
     */
    const int repeat = jacobi ? 2 : 1;
    float h = step->dt / (float)range->substeps;
    dry_sweep sweep = class_sweep(step, range, h);
    for (int substep = 0; substep < range->substeps; substep++) {
        sweep.time = h * (float)substep;
        sweep.turn_speed = h * (float)(substep + 1) - 0.5f * step->dt;
        sweep.turn_gap = 0.5f * sweep.time * (step->dt - sweep.time - h);
        if (substep == 0) {
            over_bodies(step, range, h, first_forces);
            if (settings->warm_start)
                sweep_phases(step, range, &sweep, &kernels->warm);
        } else {
            sweep.approach_scale = 0.0f;
            sweep.rate = dry_min(sweep.rate, sweep.rate_free);
            if (range->floating)
                dry_momentum_gather(step, range, h);
            over_bodies(step, range, h, next_forces);
        }
        for (int i = 0; i < range->sweeps * repeat; i++)
            (jacobi ? sweep_jacobi : sweep_phases)(step, range, &sweep, &kernels->solve);
        over_bodies(step, range, h, move);
        sweep.time = h * (float)(substep + 1);
        for (int i = 0; i < settings->relax_sweeps * repeat; i++)
            (jacobi ? sweep_jacobi : sweep_phases)(step, range, &sweep, &kernels->relax);
    }
}

void dry_solver_solve(dry_solver_step *step)
{
    class_kernels kernels = choose_kernels(step);
    for (int c = 0; c < DRY_CLASS_COUNT; c++)
        if (!class_is_empty(&step->state->ranges[c]))
            solve_class(step, &step->state->ranges[c], &kernels);
}

void dry_solver_impacts(dry_solver_step *step)
{
    bool impacts = atomic_load_explicit(&step->state->impacts, memory_order_relaxed);
    class_kernels kernels = choose_kernels(step);
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        const dry_class_range *range = &step->state->ranges[c];
        if (class_is_empty(range))
            continue;
        float h = step->dt / (float)range->substeps;
        dry_sweep sweep = class_sweep(step, range, h);
        if (impacts)
            sweep_phases(step, range, &sweep, &kernels.impact);
        if (range->floating)
            dry_momentum_gather(step, range, h);
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
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        const dry_class_range *range = &s->ranges[c];
        over_bundles(step, range, DRY_KIND_CONTACT, dry_prepare_contacts);
        over_bundles(step, range, DRY_KIND_BALL, dry_prepare_balls);
        over_bundles(step, range, DRY_KIND_DISTANCE, dry_prepare_distances);
    }
    if (!atomic_load_explicit(&s->marked, memory_order_relaxed))
        return true;
    if (!give_records(s, memory))
        return false;
    for (int c = 0; c < DRY_CLASS_COUNT; c++)
        over_bundles(step, &s->ranges[c], DRY_KIND_CONTACT, dry_prepare_rare_contacts);
    return true;
}
