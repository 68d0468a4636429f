/* The joint correction of articulations, and the velocity correction of those that are alone [Tomcin 3]. It
 * is the last part of stage "solve" for those that are alone, and of stage "repair" for the others.
 *
 * Articulations that nothing else acts on are moved by alone.c, the others by swept.c; both close joints by
 * closing.c. What the motion asks of the next step is found here: its substeps, and the joint that stays
 * furthest open.
 *
 * Reads rows, articulations; writes articulations, from which finalize takes the bodies' motion. Next:
 * store.c. */
#include "methods/direct/articulation_rows.h"
#include "methods/direct/articulations.h"
#include "methods/direct/closing.h"
#include "solver/data/context.h"

/* Finds the joint with the largest error of the locked rows where the step ends. */
static void find_gap(const dry_linkage *l)
{
    l->articulation->gap = 0.0;
    l->articulation->open = -1;
    for (int j = 0; j < l->joints; j++)
        for (int i = 0; i < dry_linkage_locked(&l->joint[j]) && l->joint[j].joint >= 0; i++) {
            const double error = fabs(l->row[l->joint[j].row - l->articulation->row_begin + i].error);
            if (error > l->articulation->gap) {
                l->articulation->gap = error;
                l->articulation->open = l->joint[j].joint;
            }
        }
}

/* Joints that a step among contacts opens ask for so many substeps at most. */
enum { SUBSTEPS_OPEN = 64 };
/* While joints are open and do not open further, they ask for this share of the square of those in the step
 * before. */
#define SETTLING 0.9

/* Returns the square of the rate of substeps that open joints ask for, 1/s^2. A straight chain between two
 * walls moves freely within a substep, and bends by the square of its length. */
static double find_opening(const dry_linkage *l, int substeps)
{
    const dry_articulation *a = l->articulation;
    if (a->stuck || !(a->gap > DRY_JOINTS_UNSEEN))
        return 0.0;
    const double most = (double)SUBSTEPS_OPEN / (double)l->step->dt;
    if (a->gap > a->error_begin + DRY_JOINTS_UNSEEN) {
        const double rate = fmin(2.0 * (double)substeps / (double)l->step->dt, most);
        return rate * rate;
    }
    return SETTLING * fmin(dry_linkage_last_vibration(l), most * most);
}

/* Finds the vibration for the next step, unless one substep follows it. Where sweeps find the impulses, those
 * are the last substep's. Substeps are those of the step, which an articulation alone may have made anew. */
static void find_vibration(const dry_linkage *l, bool alone, int substeps)
{
    const bool freely = alone || l->articulation->driven;
    const double dt = (double)l->step->dt, followed = freely ? 1.0 : DRY_VIBRATION_SWEPT;
    const double rate = followed / dt;
    /* Sweeps have so many substeps in any case. */
    const double sure = alone ? rate : rate * (double)dry_min_int(substeps, l->step->settings->substeps_min);
    const double time = alone ? dt : dt / (double)substeps;
    l->articulation->vibration =
        dry_linkage_vibration(l, time, rate * rate, sure * sure) / (followed * followed);
    const bool far = l->articulation->gap > DRY_JOINTS_FAR;
    /* One that is alone begins with half of the substeps that the step before took. */
    const double kept = 0.5 * (double)(substeps - 1) / dt;
    const double asked = alone && !far ? kept * kept : find_opening(l, substeps);
    l->articulation->vibration = alone && far ? asked : fmax(l->articulation->vibration, asked);
}

static void correct_many(void *context, dry_items items)
{
    dry_solver_step *step = context;
    const dry_coupling *coupling = &step->state->articulations.coupling;
    for (int i = items.begin; i < items.end; i++) {
        const bool alone = dry_articulation_is_alone(step, i);
        if (alone != (step->stage == DRY_STAGE_SOLVE))
            continue;
        int substeps = dry_articulation_range(step, i)->substeps;
        dry_linkage l = dry_linkage_of(step, i, (double)step->dt / (alone ? (double)substeps : 1.0));
        if (coupling->stop_elements > 0)
            l.stop_matrix = &coupling->stop_matrix[items.worker * coupling->stop_elements];
        l.articulation->corrections = l.articulation->iterations = l.articulation->iterations_max = 0;
        if (alone)
            substeps = dry_linkage_move_alone(l, substeps);
        else
            dry_linkage_correct_swept(&l);
        find_gap(&l);
        find_vibration(&l, alone, substeps);
    }
}

void dry_articulations_correct(dry_solver_step *step)
{
    dry_articulations_for(step, correct_many, step);
}
