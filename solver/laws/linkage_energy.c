/* The energy of linkages within a step (linkage_energy.h). Reads rows, poses and frames; writes velocities,
 * in the substeps of methods that solve for positions. */
#include "solver/laws/linkage_energy.h"

#include "solver/bodies/frames.h"
#include "solver/bodies/turning.h"
#include "solver/bodies/whitening.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/laws/inertia.h"
#include "solver/plan/islands.h"

#include <math.h>

/* Linkages of a block. */
enum { LINKAGE_GRAIN = 8 };

struct dry_linkage {
    double allowed;     /* kinetic energy, twice, J */
    int32_t begin, end; /* of its rows in linkage_row */
    int32_t island;     /* -1: nothing turns far */
};

/* The motion of a linkage as one rigid body, about a point near it. */
typedef struct rigid_motion {
    double mass, center[3], velocity[3];
    double angular[3]; /* about the center of mass, as is the inertia */
    dry_inertia inertia;
    double rotation[3];
} rigid_motion;

void dry_linkage_energy_free(dry_solver_state *s, dry_memory *memory)
{
    DRY_RELEASE(memory, s->laws.linkage, s->laws.linkage_capacity);
    DRY_RELEASE(memory, s->laws.linkage_row, s->laws.linkage_row_capacity);
}

/* Returns the number of an island's linkage, if rigid joints alone hold it; else -1. */
static int bounded_linkage(const dry_solver_step *step, int island)
{
    const dry_island *of = island < 0 ? NULL : &step->islands->island[island];
    return of && of->counts && !of->sprung ? of->ledger : -1;
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

bool dry_linkage_energy_begin(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!step->method->positions || s->laws.ledger_count == 0 || !(step->dt > 0.0f))
        return true;
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

static void add_forces(const dry_solver_step *step, struct dry_linkage *l, bool first)
{
    const dry_solver_state *s = step->state;
    for (int i = l->begin; i < l->end; i++) {
        const int row = s->laws.linkage_row[i];
        if (!s->bodies.invalid[row])
            l->allowed +=
                energy_of(s->bodies.rows[row + 1].u) - (first ? 0.0 : energy_of(s->bodies.start[row].u));
    }
}

/* Computes where a body is when the substep begins, from a point near the linkage, m. */
static void place_of(const dry_solver_step *step, int row, const dry_position *origin, double x[3])
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_position *p = &step->bodies->pose[row].position;
    x[0] = p->x - origin->x + (double)r->dl[0] * (double)r->inv_sqrt_mass;
    x[1] = p->y - origin->y + (double)r->dl[1] * (double)r->inv_sqrt_mass;
    x[2] = p->z - origin->z + (double)r->dl[2] * (double)r->inv_sqrt_mass;
}

/* Adds a body's mass and momentum. */
static void add_center(const dry_solver_row *r, const double x[3], rigid_motion *m)
{
    const double root = 1.0 / (double)r->inv_sqrt_mass;
    m->mass += root * root;
    for (int k = 0; k < 3; k++) {
        m->center[k] += root * root * x[k];
        m->velocity[k] += root * (double)r->ul[k];
    }
}

/* Adds a body's angular momentum and inertia about the center of mass. */
static void add_rotation(const dry_solver_row *r, const dry_whitening *w, const double x[3], rigid_motion *m)
{
    const double root = 1.0 / (double)r->inv_sqrt_mass;
    double arm[3], relative[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        arm[k] = x[k] - m->center[k];
        relative[k] = root * (double)r->ul[k] - root * root * m->velocity[k];
        square += arm[k] * arm[k];
    }
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        m->angular[i] += arm[p] * relative[q] - arm[q] * relative[p];
        for (int k = 0; k < 3; k++) {
            const double inertia = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
            m->angular[i] += inertia * (double)w->axes[k][i] * (double)r->ua[k];
            for (int j = 0; j < 3; j++)
                m->inertia.m[i][j] += inertia * inertia * (double)w->axes[k][i] * (double)w->axes[k][j];
        }
        for (int j = 0; j < 3; j++)
            m->inertia.m[i][j] += root * root * ((i == j ? square : 0.0) - arm[i] * arm[j]);
    }
}

/* Finds the rigid motion of a linkage by its momenta. One that is held has none to keep. */
static bool find_motion(const dry_solver_step *step, const struct dry_linkage *l, rigid_motion *m)
{
    const dry_solver_state *s = step->state;
    *m = (rigid_motion){0};
    if (!step->islands->island[l->island].floating)
        return true;
    const dry_position origin = step->bodies->pose[s->laws.linkage_row[l->begin]].position;
    double x[3];
    for (int i = l->begin; i < l->end; i++) {
        const int row = s->laws.linkage_row[i];
        if (s->bodies.invalid[row])
            return false;
        place_of(step, row, &origin, x);
        add_center(&s->bodies.rows[row + 1], x, m);
    }
    for (int k = 0; k < 3; k++) {
        m->center[k] /= m->mass;
        m->velocity[k] /= m->mass;
    }
    for (int i = l->begin; i < l->end; i++) {
        const int row = s->laws.linkage_row[i];
        const dry_whitening w = dry_frames_whitening(step, row);
        place_of(step, row, &origin, x);
        add_rotation(&s->bodies.rows[row + 1], &w, x, m);
    }
    for (int k = 0; k < 3; k++)
        m->center[k] += k == 0 ? origin.x : k == 1 ? origin.y : origin.z;
    return dry_inertia_solve(&m->inertia, m->angular, m->rotation);
}

/* Scales the motion of a body relative to the rigid motion. */
static void scale_row(const dry_solver_step *step, int row, const rigid_motion *m, double share)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_whitening w = dry_frames_whitening(step, row);
    const dry_position center = {m->center[0], m->center[1], m->center[2]};
    double arm[3];
    place_of(step, row, &center, arm);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double inertia = (double)w.sqrt_inertia[i] * (double)w.sqrt_inertia[i];
        double linear = 0.0, angular = 0.0;
        if (m->mass > 0.0) {
            linear = (m->velocity[i] + m->rotation[j] * arm[k] - m->rotation[k] * arm[j]) /
                     (double)r->inv_sqrt_mass;
            for (int a = 0; a < 3; a++)
                angular += inertia * (double)w.axes[i][a] * m->rotation[a];
        }
        r->ul[i] = (float)(linear + share * ((double)r->ul[i] - linear));
        r->ua[i] = (float)(angular + share * ((double)r->ua[i] - angular));
    }
}

/* Scales the motion of a linkage down to the energy that it is allowed, or to its rigid motion. */
static void bound(const dry_solver_step *step, const struct dry_linkage *l)
{
    const dry_solver_state *s = step->state;
    double energy = 0.0;
    for (int i = l->begin; i < l->end; i++)
        if (!s->bodies.invalid[s->laws.linkage_row[i]])
            energy += energy_of(s->bodies.rows[s->laws.linkage_row[i] + 1].u);
    rigid_motion m;
    if (!(energy > l->allowed) || !find_motion(step, l, &m))
        return;
    double common = 0.0;
    for (int k = 0; k < 3; k++)
        common += m.mass * m.velocity[k] * m.velocity[k] + m.rotation[k] * m.angular[k];
    const double relative = energy - common;
    if (!(relative > 0.0))
        return;
    const double share = sqrt(fmax(0.0, l->allowed - common) / relative);
    for (int i = l->begin; i < l->end; i++)
        if (!s->bodies.invalid[s->laws.linkage_row[i]])
            scale_row(step, s->laws.linkage_row[i], &m, share);
}

typedef enum linkage_work { LINKAGE_FIRST_FORCES, LINKAGE_FORCES, LINKAGE_BOUND } linkage_work;

typedef struct linkage_job {
    const dry_solver_step *step;
    int tier;
    linkage_work work;
} linkage_job;

static void run_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    const linkage_job *job = context;
    for (int i = begin; i < end; i++) {
        struct dry_linkage *l = &job->step->state->laws.linkage[i];
        if (l->island < 0 || dry_island_range(&job->step->islands->island[l->island]) != job->tier)
            continue;
        if (job->work == LINKAGE_FIRST_FORCES || job->work == LINKAGE_FORCES)
            add_forces(job->step, l, job->work == LINKAGE_FIRST_FORCES);
        else
            bound(job->step, l);
    }
}

static void over_linkages(dry_solver_step *step, const dry_tier_range *range, linkage_work work)
{
    linkage_job job = {step, (int)(range - step->state->plan.ranges), work};
    if (step->state->laws.ledger_count > 0)
        dry_jobs_for(step->jobs, step->state->laws.ledger_count, LINKAGE_GRAIN, run_job, &job);
}

void dry_linkage_energy_force(dry_solver_step *step, const dry_tier_range *range, bool first)
{
    over_linkages(step, range, first ? LINKAGE_FIRST_FORCES : LINKAGE_FORCES);
}

void dry_linkage_energy_bound(dry_solver_step *step, const dry_tier_range *range)
{
    over_linkages(step, range, LINKAGE_BOUND);
}
