/* Between two substeps: weighs the motion that carries on among contacts, before rows turn. Reads and writes
 * the solver's rows, and the impulses of coupled bundles. Next: solve.c, where rows are made anew.
 *
 * A substep begins with the impulses of the one before. Joints, stops and contacts that hold still bodies
 * only take energy from a motion. Impulses which give it some belong to another pose, or come from sweeps
 * that had too little time: a limb that is pressed turns the rows of its joints, and its contact presses as
 * it did along the old ones. Carried on, such impulses grow from substep to substep. They are forgotten, and
 * found anew from zero: sweeps take energy from there on. */
#include "solver/data/context.h"
#include "solver/direct/articulation_rows.h"
#include "solver/direct/articulations.h"
#include "solver/direct/coupling.h"
#include "solver/direct/linkage.h"

#include <math.h>
#include <string.h>

typedef struct weighing_job {
    dry_solver_step *step;
    const dry_tier_range *range;
    const dry_sweep *sweep; /* warm: -1 */
} weighing_job;

static bool takes_part(const weighing_job *job, const dry_linkage *l, int i)
{
    return dry_articulation_is_swept(job->step, job->range, i) && dry_coupling_acts(l);
}

/* Keeps the rows of bodies. Returns false if some body is led from outside, which may give energy. */
static bool keep_rows(const dry_linkage *l)
{
    bool free = true;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        free = free && (body->moves || body->row < 0);
        if (body->moves)
            memcpy(body->before, l->step->state->bodies.rows[body->row + 1].u, sizeof body->before);
    }
    return free;
}

/* Takes the joints' impulses from the rows, but for those of springs. */
static void take_joints(void *context, int begin, int end, int worker)
{
    (void)worker;
    const weighing_job *job = context;
    for (int i = begin; i < end; i++) {
        const dry_linkage l = dry_linkage_of(job->step, i, 0.0);
        if (!takes_part(job, &l, i))
            continue;
        l.articulation->forgets = false;
        const bool free = keep_rows(&l);
        const double energy = dry_linkage_kinetic_energy(&l);
        for (int j = 0; j < l.joints; j++) {
            const int first = l.joint[j].row - l.articulation->row_begin;
            for (int r = first; r < first + l.joint[j].rows; r++)
                l.impulses[r] = r < first + dry_linkage_locked(&l.joint[j]) ? -l.carried[r] : 0.0;
        }
        dry_linkage_sum_impulses(&l);
        dry_linkage_write_rows(&l, false);
        l.articulation->carries = free ? energy - dry_linkage_kinetic_energy(&l) : -INFINITY;
    }
}

/* Adds the impulses along an item's rows to one side. Returns the energy that this takes. */
static double push(const dry_solver_step *step, dry_coupled_item *item, int side, const double *impulse)
{
    double taken = 0.0;
    if (item->rows.row[side] == 0)
        return taken;
    float *u = step->state->bodies.rows[item->rows.row[side]].u;
    memcpy(item->before[side], u, sizeof item->before[side]);
    for (int k = 0; k < 6; k++) {
        double f = 0.0;
        for (int i = 0; i < item->rows.count; i++)
            f += item->rows.g[i][6 * side + k] * impulse[i];
        const double before = (double)u[k];
        u[k] = (float)(before + f);
        taken += 0.5 * (before * before - (double)u[k] * (double)u[k]);
    }
    return taken;
}

/* Takes the impulses of items from the rows, but for those that may give energy. Returns what they carry. */
static double take_items(const weighing_job *job, const dry_coupled_group *group)
{
    dry_articulations *a = &job->step->state->articulations;
    double carries = 0.0;
    for (int i = group->item_begin; i < group->item_end; i++) {
        dry_coupled_item *item = &a->coupling.item[i];
        const dry_constraint_kind *kind = job->step->kinds[item->kind];
        dry_coupled_motion m = {.count = item->rows.count};
        item->passive = !kind->gives(job->step, item->bundle, item->lane);
        if (item->passive)
            kind->visit(job->step, item->bundle, item->lane, job->sweep, DRY_SWEEP_WARM, &m);
        for (int side = 0; side < 2; side++) {
            if (item->passive)
                carries += push(job->step, item, side, m.change);
            if (item->body[side] < 0)
                continue;
            double *of_joints = &a->articulation[a->coupling.body[item->body[side]].articulation].carries;
            carries += *of_joints;
            *of_joints = 0.0;
        }
    }
    return carries;
}

static void forget(const weighing_job *job, const dry_coupled_group *group)
{
    dry_articulations *a = &job->step->state->articulations;
    for (int i = group->item_begin; i < group->item_end; i++) {
        const dry_coupled_item *item = &a->coupling.item[i];
        if (item->passive)
            job->step->kinds[item->kind]->forget(job->step, item->bundle, item->lane);
        for (int side = 0; side < 2; side++)
            if (item->body[side] >= 0)
                a->articulation[a->coupling.body[item->body[side]].articulation].forgets = true;
    }
}

/* Gives the rows back what they had, in turn from the last one. */
static void return_items(const weighing_job *job, const dry_coupled_group *group)
{
    for (int i = group->item_end - 1; i >= group->item_begin; i--) {
        const dry_coupled_item *item = &job->step->state->articulations.coupling.item[i];
        for (int side = 1; side >= 0 && item->passive; side--)
            if (item->rows.row[side] > 0)
                memcpy(job->step->state->bodies.rows[item->rows.row[side]].u, item->before[side],
                       sizeof item->before[side]);
    }
}

static void weigh_groups(void *context, int begin, int end, int worker)
{
    (void)worker;
    const weighing_job *job = context;
    const dry_coupling *c = &job->step->state->articulations.coupling;
    for (int g = begin; g < end; g++) {
        if (&job->step->state->plan.ranges[c->group[g].tier] != job->range)
            continue;
        if (take_items(job, &c->group[g]) > 0.0)
            forget(job, &c->group[g]);
        else
            return_items(job, &c->group[g]);
    }
}

static void return_joints(void *context, int begin, int end, int worker)
{
    (void)worker;
    const weighing_job *job = context;
    for (int i = begin; i < end; i++) {
        const dry_linkage l = dry_linkage_of(job->step, i, 0.0);
        if (!takes_part(job, &l, i))
            continue;
        for (int b = l.articulation->body_begin; b < l.articulation->body_end && !l.articulation->forgets;
             b++)
            if (l.body[b].moves)
                memcpy(l.step->state->bodies.rows[l.body[b].row + 1].u, l.body[b].before,
                       sizeof l.body[b].before);
        for (int j = 0; j < l.joints && l.articulation->forgets; j++) {
            const int first = l.joint[j].row - l.articulation->row_begin;
            for (int r = first; r < first + dry_linkage_locked(&l.joint[j]); r++)
                l.carried[r] = 0.0;
            dry_linkage_end_substep(&l.joint[j]);
        }
    }
}

void dry_articulations_weigh_carried(dry_solver_step *step, const dry_tier_range *range,
                                     const dry_sweep *sweep)
{
    if (step->state->articulations.coupling.items == 0)
        return;
    weighing_job job = {step, range, sweep};
    dry_articulations_for(step, take_joints, &job);
    dry_jobs_for(step->jobs, step->state->articulations.coupling.groups, 1, weigh_groups, &job);
    dry_articulations_for(step, return_joints, &job);
}
