/* Stage "prepare": bundles filled from manifolds, joints and poses, by the table of constraint kinds. Reads
 * what the layout placed; writes bundles. Next: stages/prepare.c. */
#include "solver/sweeps/fill.h"

#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/contacts/prepare.h"
#include "solver/sweeps/joints/joint_bundles.h"

/* A kind that no library has added: it has no bundles, as no joint of it is taken. */
static const dry_constraint_kind missing;

/* Written as the library of methods is loaded. */
const dry_constraint_kind *dry_constraint_kinds[DRY_KIND_COUNT] = {
#define X(kind, KIND) [DRY_KIND_##KIND] = &dry_kind_##kind,
    DRY_BOOK_JOINT_KINDS(X)
#undef X
        [DRY_KIND_QUAD] = &missing,
    [DRY_KIND_CONTACT] = &dry_kind_contact,
};

void dry_kind_add(const dry_constraint_kind *kind)
{
    const dry_constraint_kind **entry = &dry_constraint_kinds[kind->index];
    DRY_ASSERT(*entry == &missing || *entry == kind);
    *entry = kind;
}

/* Bundles of a block. */
enum { BUNDLE_GRAIN = 4 };

typedef struct bundle_job {
    const dry_solver_step *step;
    dry_bundle_work *work;
    dry_bundle_part all;
} bundle_job;

static void run_part(void *context, dry_items items)
{
    const bundle_job *job = context;
    dry_bundle_part part = job->all;
    part.begin = job->all.begin + items.begin;
    part.end = job->all.begin + items.end;
    job->work(job->step, part);
}

void dry_over_bundles(const dry_solver_step *step, const dry_tier_range *range, int kind,
                      dry_bundle_work *work, dry_moment at)
{
    const dry_bundle_range bundles = dry_tier_bundles(step->state, range, kind);
    if (bundles.begin == bundles.end)
        return;
    DRY_ASSERT(range->substeps > 0 && bundles.end <= step->state->sweeps.bundles[kind].count);
    const float h = step->dt / (float)range->substeps;
    bundle_job job = {step, work, {step->kinds[kind], bundles.begin, bundles.end, h, at}};
    dry_jobs_for(step->jobs, bundles.end - bundles.begin, BUNDLE_GRAIN, run_part, &job);
}

void dry_over_joints(const dry_solver_step *step, const dry_tier_range *range, dry_bundle_work *work,
                     dry_moment at)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        dry_over_bundles(step, range, k, work, at);
}

void dry_solver_turn_contacts(dry_solver_step *step, const dry_tier_range *range)
{
    dry_over_bundles(step, range, DRY_KIND_CONTACT, dry_turn_contacts, DRY_WHERE_STEP_BEGAN);
}

void dry_solver_begin_joints(dry_solver_step *step, const dry_tier_range *range)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        dry_over_bundles(step, range, k, step->kinds[k]->prepare, (dry_moment){.moved = range->turning});
}

void dry_solver_make_joints(dry_solver_step *step, const dry_tier_range *range, float since, float ahead)
{
    dry_over_joints(step, range, dry_joint_make_rows, (dry_moment){true, since + ahead, ahead});
}

void dry_solver_follow_joints(dry_solver_step *step, const dry_tier_range *range, float since, float h,
                              dry_frames_following *follow)
{
    dry_solver_stop_invalid(step, range);
    dry_over_joints(step, range, dry_joint_keep_speeds, DRY_WHERE_STEP_BEGAN); /* before frames turn */
    follow(step, range, h);
    dry_solver_make_joints(step, range, since, 0.0f);
}
