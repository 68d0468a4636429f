/* The energy of linkages within a step (linkage_energy.h). Reads rows, poses and frames; writes velocities,
 * in the substeps of methods that solve for positions. */
#include "methods/linkage_energy.h"

#include "solver/bodies/joint_motion.h"
#include "solver/constraint/joints/error.h"
#include "solver/data/context.h"
#include "solver/data/terms.h"
#include "solver/laws/ledger.h"
#include "solver/plan/islands.h"

#include <math.h>

/* Linkages of a block. */
enum { LINKAGE_GRAIN = 8 };

struct dry_linkage {
    double allowed;     /* kinetic energy, twice, J */
    int32_t begin, end; /* of its rows in linkage_row */
    int32_t island;     /* -1: nothing turns far */
    bool begun;         /* `allowed` has the energy of the step's beginning */
};

/* Returns the number of an island's linkage, if rigid joints alone hold it; else -1. */
static int bounded_linkage(const dry_solver_step *step, int island)
{
    return dry_ledger_account_in(step, island) && !(step->islands->island[island].features & DRY_JOINT_DRIVES)
               ? step->islands->island[island].ledger
               : -1;
}

/* Finds the linkages to bound. Returns how many rows they have. */
static int find_linkages(const dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    int rows = 0;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        const int island = dry_joint_island(step, index);
        const int of = bounded_linkage(step, island);
        if (of < 0 || s->laws.linkage[of].island >= 0 || !dry_joint_turns(step, index, DRY_LINKAGE_FAR))
            continue;
        s->laws.linkage[of] = (struct dry_linkage){.begin = rows, .end = rows, .island = island};
        rows += step->islands->island[island].bodies;
    }
    return rows;
}

/* Finds the islands with an open joint: beyond what an overlap closes in a step, and the way that its bodies
 * go meanwhile. Less opens as bodies swing, and the bound would slow them. */
static void find_open(const dry_solver_step *step)
{
    for (int i = 0; i < step->joints->active_count; i++) {
        int rows[DRY_JOINT_SIDES];
        dry_island_ledger *m = dry_ledger_account(step, step->joints->active[i]);
        if (!m || m->gives)
            continue;
        m->exact = true;
        const int count = dry_joint_rows_of(step, step->joints->active[i], rows);
        const dry_vec3 first = step->bodies->velocity[rows[0]].linear;
        const dry_vec3 apart = count == 1 ? first : vec3_sub(first, step->bodies->velocity[rows[1]].linear);
        const dry_joint_error error =
            dry_joint_error_now(step->bodies, step->joints, step->joints->active[i]);
        const double most = (double)(step->dt * (step->settings->push_out_speed_max + vec3_length(apart)));
        m->gives = error.gap > most || error.turn > most;
    }
}

bool dry_linkage_energy_begin(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (s->laws.ledger_count == 0)
        return true;
    find_open(step);
    if (!DRY_RESERVE(memory, s->laws.linkage, s->laws.linkage_capacity, s->laws.ledger_count) ||
        !DRY_RESERVE(memory, s->laws.linkage_row, s->laws.linkage_row_capacity, step->bodies->awake_count))
        return false;
    for (int i = 0; i < s->laws.ledger_count; i++)
        s->laws.linkage[i].island = -1;
    if (find_linkages(step) == 0)
        return true;
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const int island = step->bodies->sleep[row].island;
        const int of = bounded_linkage(step, island);
        if (of >= 0 && s->laws.linkage[of].island >= 0)
            s->laws.linkage_row[s->laws.linkage[of].end++] = row;
    }
    return true;
}

/* Returns twice the energy of a row's velocity, J. */
static double energy_of(const float u[6])
{
    double energy = 0.0;
    for (int k = 0; k < 6; k++)
        energy += (double)u[k] * (double)u[k];
    return energy;
}

/* Adds the energy that forces have just given; in the first substep all that there is. */
static void add_forces(const dry_solver_step *step, struct dry_linkage *l)
{
    const dry_solver_state *s = step->state;
    for (int i = l->begin; i < l->end; i++) {
        const int row = s->laws.linkage_row[i];
        if (!s->bodies.invalid[row])
            l->allowed +=
                energy_of(s->bodies.rows[row + 1].u) - (l->begun ? energy_of(s->bodies.start[row].u) : 0.0);
    }
    l->begun = true;
}

/* Finds the rigid motion of a linkage by its momenta. One that is held has none to keep. */
static bool find_motion(const dry_solver_step *step, const struct dry_linkage *l, dry_rigid_motion *m)
{
    const dry_solver_state *s = step->state;
    if (!step->islands->island[l->island].floating)
        return true;
    m->origin = step->bodies->pose[s->laws.linkage_row[l->begin]].position;
    for (int i = l->begin; i < l->end; i++) {
        if (s->bodies.invalid[s->laws.linkage_row[i]])
            return false;
        dry_rigid_add_mass(step, s->laws.linkage_row[i], m);
    }
    dry_rigid_divide(m);
    m->kept = m->velocity;
    for (int i = l->begin; i < l->end; i++)
        dry_rigid_add_inertia(step, s->laws.linkage_row[i], m);
    dry_double3 inverse[3];
    const bool found = dry_inertia_invert(&m->inertia, inverse);
    m->rotation = double3_from_axes(inverse, m->angular);
    return found;
}

/* Scales the motion of a linkage down to the energy that it is allowed, or to its rigid motion. */
static void bound(const dry_solver_step *step, struct dry_linkage *l)
{
    const dry_solver_state *s = step->state;
    double energy = 0.0;
    for (int i = l->begin; i < l->end; i++)
        if (!s->bodies.invalid[s->laws.linkage_row[i]])
            energy += energy_of(s->bodies.rows[s->laws.linkage_row[i] + 1].u);
    dry_rigid_motion m = {0};
    if (!(energy > l->allowed) || !find_motion(step, l, &m))
        return;
    const double common = m.mass * double3_dot(m.velocity, m.velocity) + double3_dot(m.rotation, m.angular);
    const double relative = energy - common;
    if (!(relative > 0.0))
        return;
    m.share = sqrt(fmax(0.0, l->allowed - common) / relative);
    m.rotation = double3_scale(m.rotation, 1.0 - m.share);
    for (int i = l->begin; i < l->end; i++) {
        const int row = s->laws.linkage_row[i];
        if (m.mass > 0.0)
            dry_rigid_move(step, row, &m);
        else if (!s->bodies.invalid[row])
            dry_rigid_scale(step, row, m.share);
    }
}

typedef void linkage_run(const dry_solver_step *step, struct dry_linkage *l);

typedef struct linkage_job {
    const dry_solver_step *step;
    int tier;
    linkage_run *run;
} linkage_job;

static void run_job(void *context, dry_items items)
{
    const linkage_job *job = context;
    for (int i = items.begin; i < items.end; i++) {
        struct dry_linkage *l = &job->step->state->laws.linkage[i];
        if (l->island >= 0 && dry_island_range(&job->step->islands->island[l->island]) == job->tier)
            job->run(job->step, l);
    }
}

static void over_linkages(dry_solver_step *step, const dry_tier_range *range, linkage_run *run)
{
    linkage_job job = {step, (int)(range - step->state->plan.ranges), run};
    if (step->state->laws.ledger_count > 0)
        dry_jobs_for(step->jobs, step->state->laws.ledger_count, LINKAGE_GRAIN, run_job, &job);
}

void dry_linkage_energy_force(dry_solver_step *step, const dry_tier_range *range)
{
    over_linkages(step, range, add_forces);
}

void dry_linkage_energy_bound(dry_solver_step *step, const dry_tier_range *range)
{
    over_linkages(step, range, bound);
}
