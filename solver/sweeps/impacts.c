/* Impacts within a substep [Spook 1-7]. Reads bundles with restitution; writes velocities, their starts, and
 * displacements.
 *
 *   round 0    finds the contacts that meet within the substep, with their speeds when they do
 *              sweeps: solves each for the velocities that the others left, until none changes
 *   round 1    the same for contacts that only the impulses of round 0 brought together
 *   ...        until none approaches; after ROUNDS_MAX rounds, or once an island has used up its solves, the
 *              sweeps stop what is left, inelastically
 *
 * All contacts of a round wait for the speeds -e u of the same velocities, so that no order decides and
 * Newton's law gains no energy: a round's gain is the sum of J (u before + u after) / 2 <= 0. An impulse acts
 * when its surfaces meet. Bundles' own impulses stay as they are, so that nothing of an impact warm-starts a
 * later substep.
 *
 * Next: passes.c, whose sweeps find contacts that part. */
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/contacts/impact.h"
#include "solver/sweeps/contacts/lane_rows.h"
#include "solver/sweeps/passes.h"

#include <string.h>

/* Rounds of one substep, and sweeps of one round. */
enum { ROUNDS_MAX = 64, SWEEPS_MAX = 32 };

/* The solves of one contact's impact that an island has in a step: for each of its contacts, and at least. An
 * island that needs more leaves what still approaches to the sweeps until the step ends. */
enum { SOLVES_A_CONTACT = 64, SOLVES_MIN = 4096 };

/* Bundles of a block. */
enum { BUNDLE_GRAIN = 8 };

/* The impacts of one island. */
typedef struct dry_island_impacts {
    float impulse, moment; /* in this substep: along the normals, N s, and times when they act, N s^2 */
    int32_t solves_left;   /* of one contact, in this step */
} dry_island_impacts;

static bool has_impacts(const dry_solver_step *step)
{
    return atomic_load_explicit(&step->state->sweeps.impacts, memory_order_relaxed);
}

/* Tells whether something may bounce. */
static bool acts(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_solver_state *s = step->state;
    const dry_bundle_range contacts = dry_swept_bundles(s, range, DRY_KIND_CONTACT);
    for (int b = contacts.begin; b < contacts.end && has_impacts(step); b++)
        if (s->sweeps.headers[b].impact > 0)
            return true;
    return false;
}

static const dry_contact_cold *cold_of(const dry_solver_state *s, int bundle)
{
    return &s->sweeps.cold[s->sweeps.headers[bundle].cold];
}

/* Returns a bundle's block of impacts, or null. */
static dry_contact_impact *impact_of(const dry_solver_state *s, int bundle)
{
    const int impact = s->sweeps.headers[bundle].impact;
    return impact > 0 ? &s->sweeps.impact[impact] : NULL;
}

static dry_island_impacts *island_of_row(const dry_solver_step *step, int row)
{
    return &step->state->sweeps.island_impacts[step->bodies->sleep[row].island];
}

static dry_island_impacts *island_of_lane(const dry_solver_step *step, int bundle, int lane)
{
    const dry_contact_bundle *c = &dry_contact_bundles(step->state)[bundle];
    return island_of_row(step, (c->row_a[lane] > 0 ? c->row_a[lane] : c->row_b[lane]) - 1);
}

/* Gives each island the solves that its contacts may take in this step. */
static void grant_solves(const dry_solver_step *step)
{
    const dry_solver_state *s = step->state;
    for (int i = 0; i < step->islands->count; i++)
        s->sweeps.island_impacts[i].solves_left = 0;
    for (int tier = 0; tier < s->plan.range_count; tier++) {
        const dry_bundle_range contacts = dry_swept_bundles(s, &s->plan.ranges[tier], DRY_KIND_CONTACT);
        for (int b = contacts.begin; b < contacts.end; b++) {
            const dry_contact_impact *impact = impact_of(s, b);
            const dry_contact_bundle *c = &dry_contact_bundles(s)[b];
            for (int lane = 0; impact && lane < s->sweeps.headers[b].lanes; lane++)
                if (dry_contact_bounces(impact, lane) && (c->row_a[lane] > 0 || c->row_b[lane] > 0)) {
                    int32_t *left = &island_of_lane(step, b, lane)->solves_left;
                    *left += *left <= INT32_MAX - SOLVES_A_CONTACT ? SOLVES_A_CONTACT : 0;
                }
        }
    }
    for (int i = 0; i < step->islands->count; i++)
        if (s->sweeps.island_impacts[i].solves_left < SOLVES_MIN)
            s->sweeps.island_impacts[i].solves_left = SOLVES_MIN;
}

static bool prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!has_impacts(step))
        return true;
    if (!DRY_RESERVE(memory, s->sweeps.impact_rows, s->sweeps.impact_rows_capacity,
                     step->bodies->awake_count + 1) ||
        !DRY_RESERVE(memory, s->sweeps.island_impacts, s->sweeps.island_impacts_capacity,
                     step->islands->count))
        return false;
    grant_solves(step);
    return true;
}

/* Bodies. */

typedef struct impact_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    dry_impact_substep time;
    int offset;   /* of the items of the block */
    bool solves;  /* a round's lanes are solved, not found */
    bool rotated; /* dry_substeps.rotated */
} impact_job;

/* Tells whether a body's angular displacement is always its row's. */
static bool is_rotated(const impact_job *job, int row)
{
    return job->rotated && dry_frames_turn(job->step->state, row);
}

static void begin_body(const void *context, int row)
{
    const impact_job *job = context;
    dry_solver_state *s = job->step->state;
    dry_impact_row *impact = &s->sweeps.impact_rows[row + 1];
    if (job->time.begin <= 0.0f) {
        memcpy(impact->d, s->bodies.rows[row + 1].d, sizeof impact->d);
        impact->hit = false;
    }
    if (is_rotated(job, row))
        memcpy(impact->d + 3, s->bodies.rows[row + 1].da, sizeof s->bodies.rows[row + 1].da);
    memcpy(impact->u, s->bodies.start[row].u, sizeof impact->u);
    memcpy(impact->free, s->bodies.rows[row + 1].u, sizeof impact->free);
    for (int k = 0; k < 6; k++) {
        impact->carry[k] = impact->free[k] - impact->u[k];
        impact->lag[k] = impact->d[k] - s->bodies.rows[row + 1].d[k];
    }
    impact->inv_sqrt_mass = s->bodies.rows[row + 1].inv_sqrt_mass;
    impact->round = -1;
}

/* Takes the velocities of the bodies that an impact changed back to their rows. The start of the substep
 * changes alike: the next one carries no impact on. */
static void end_body(const void *context, int row)
{
    const impact_job *job = context;
    dry_solver_state *s = job->step->state;
    dry_impact_row *impact = &s->sweeps.impact_rows[row + 1];
    dry_solver_row *r = &s->bodies.rows[row + 1];
    if (impact->round < 0)
        return;
    impact->hit = true;
    for (int k = 0; k < 6; k++) {
        s->bodies.start[row].u[k] = impact->u[k];
        impact->free[k] = r->u[k] = impact->u[k] + impact->carry[k];
    }
    memcpy(r->d, impact->d, sizeof r->d);
}

/* Lets a jointed body pass impacts on to its joints when they act: at their mean time t in its island. An
 * impact moved a hit body by -t times its change of the velocity, and joints have changed the velocity since.
 * Unless their change acts from t on, too, joints open by t times the speed that they take away. */
static void move_back(const impact_job *job, int row)
{
    const dry_island_impacts *island = island_of_row(job->step, row);
    const double when = (double)island->moment / (double)island->impulse;
    if (!(when <= (double)job->time.h)) /* not a number without impacts */
        return;
    dry_impact_row *impact = &job->step->state->sweeps.impact_rows[row + 1];
    dry_solver_row *r = &job->step->state->bodies.rows[row + 1];
    for (int k = 0; k < 3; k++) {
        impact->d[k] -= (float)(when * ((double)r->u[k] - (double)impact->u[k]));
        r->da[k] -= (float)(when * ((double)r->ua[k] - (double)impact->u[3 + k]));
    }
    impact->hit = true;
}

/* Moves the first `axes` components by the mean of the velocities at both ends where no contact acted: a
 * parabola's exact chord, which keeps the sum of kinetic and potential energy. Returns true if none did. */
static inline bool move_row(dry_impact_row *impact, const float *start, const float *u, float h, int axes)
{
    const bool free = memcmp(impact->free, u, (size_t)axes * sizeof *u) == 0;
    for (int k = 0; k < axes; k++)
        impact->d[k] += h * (free ? 0.5f * (start[k] + u[k]) : u[k]);
    return free;
}

static void move_body(const void *context, int row)
{
    const impact_job *job = context;
    dry_solver_state *s = job->step->state;
    dry_impact_row *impact = &s->sweeps.impact_rows[row + 1];
    dry_solver_row *r = &s->bodies.rows[row + 1];
    const bool rotated = is_rotated(job, row);
    const int axes = rotated ? 3 : 6;
    if (!move_row(impact, s->bodies.start[row].u, r->u, job->time.h, axes) && rotated)
        move_back(job, row);
    if (impact->hit)
        memcpy(r->d, impact->d, (size_t)axes * sizeof *r->d);
}

/* Moves impact rows by a substep, after the bodies moved. */
static void move(dry_substeps *run)
{
    const impact_job job = {run->step, run->range, {.h = run->sweep.substep}, .rotated = run->rotated};
    dry_over_rows(job.step, job.range, move_body, &job);
}

/* Rounds. */

/* Finds the lanes of a round, or solves them once. */
static void visit_bundles(void *context, dry_items items)
{
    const impact_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = items.begin + job->offset; b < items.end + job->offset; b++) {
        dry_contact_impact *impact = impact_of(s, b);
        if (!impact)
            continue;
        uint32_t lanes = job->solves ? impact->lanes : (1u << s->sweeps.headers[b].lanes) - 1, found = 0;
        for (; lanes; lanes &= lanes - 1) {
            const int lane = dry_lowest_bit(lanes);
            dry_contact_bundle *c = &dry_contact_bundles(s)[b];
            if (job->solves
                    ? dry_impact_solve(c, cold_of(s, b), impact, lane, s->sweeps.impact_rows, &job->time)
                    : dry_impact_find(c, cold_of(s, b), impact, lane, s->sweeps.impact_rows, &job->time) &&
                          island_of_lane(job->step, b, lane)->solves_left > 0)
                found |= 1u << lane;
        }
        *(job->solves ? &impact->moved : &impact->lanes) = found;
    }
}

/* Finds the contacts of a round. Returns their number. */
static int find_round(impact_job *job)
{
    const dry_solver_state *s = job->step->state;
    const dry_bundle_range contacts = dry_swept_bundles(s, job->range, DRY_KIND_CONTACT);
    job->offset = contacts.begin, job->solves = false;
    dry_jobs_for(job->step->jobs, contacts.end - contacts.begin, BUNDLE_GRAIN, visit_bundles, job);
    int count = 0;
    for (int b = contacts.begin; b < contacts.end; b++) {
        const dry_contact_impact *impact = impact_of(s, b);
        count += impact ? dry_count_bits(impact->lanes) : 0;
    }
    return count;
}

/* Solves the contacts of a round once, color after color. Returns true if some impulse still changed. */
static bool sweep_round(impact_job *job)
{
    const dry_solver_state *s = job->step->state;
    for (int p = job->range->phase_begin; p < job->range->phase_end; p++) {
        const dry_bundle_range contacts = dry_phase_bundles(&s->plan.phases[p], DRY_KIND_CONTACT);
        job->offset = contacts.begin, job->solves = true;
        if (s->plan.phases[p].color == DRY_COLOR_OVERFLOW)
            visit_bundles(job, (dry_items){.end = contacts.end - contacts.begin});
        else
            dry_jobs_for(job->step->jobs, contacts.end - contacts.begin, BUNDLE_GRAIN, visit_bundles, job);
    }
    const dry_bundle_range contacts = dry_swept_bundles(s, job->range, DRY_KIND_CONTACT);
    uint32_t moved = 0;
    for (int b = contacts.begin; b < contacts.end; b++)
        moved |= impact_of(s, b) ? impact_of(s, b)->moved : 0;
    return moved != 0;
}

/* Counts the round's contacts and their `sweeps`, and adds up their islands' impulses. */
static void count_round(const impact_job *job, int sweeps)
{
    dry_solver_state *s = job->step->state;
    const dry_bundle_range contacts = dry_swept_bundles(s, job->range, DRY_KIND_CONTACT);
    for (int b = contacts.begin; b < contacts.end; b++) {
        const dry_contact_impact *impact = impact_of(s, b);
        for (uint32_t lanes = impact ? impact->lanes : 0; lanes; lanes &= lanes - 1) {
            const int lane = dry_lowest_bit(lanes);
            dry_island_impacts *island = island_of_lane(job->step, b, lane);
            float impulse = 0.0f;
            for (int i = 0; i < POINTS; i++)
                impulse += impact->impulse[i][lane];
            island->impulse += impulse;
            island->moment += impulse * impact->time[lane];
            island->solves_left -= sweeps;
            s->sweeps.impact_counts.impacts++;
            s->sweeps.impact_counts.solves += (uint64_t)sweeps;
            s->sweeps.impact_counts.limited += impact->limited >> lane & 1u;
        }
    }
}

/* Resolves the impacts of a substep. */
static void resolve(dry_substeps *run)
{
    dry_solver_step *step = run->step;
    impact_job job = {.step = step, .range = run->range, .rotated = run->rotated};
    job.time = (dry_impact_substep){.begin = run->sweep.time, .h = run->sweep.substep, .step = step};
    memset(&step->state->sweeps.impact_rows[0], 0, sizeof step->state->sweeps.impact_rows[0]);
    step->state->sweeps.impact_rows[0].round = -1;
    dry_over_rows(job.step, job.range, begin_body, &job);
    for (int i = 0; i < step->islands->count && step->state->bodies.turned_count > 0; i++)
        step->state->sweeps.island_impacts[i].impulse = step->state->sweeps.island_impacts[i].moment = 0.0f;
    for (; job.time.round < ROUNDS_MAX && find_round(&job) > 0; job.time.round++) {
        int sweeps = 1;
        while (sweep_round(&job) && sweeps < SWEEPS_MAX)
            sweeps++;
        count_round(&job, sweeps);
    }
    if (job.time.round > 0)
        dry_over_rows(job.step, job.range, end_body, &job);
}

const dry_solver_part dry_part_impacts = {.acts = acts, .prepare = prepare, .start = resolve, .move = move};
