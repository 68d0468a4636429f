/* Contacts for block descent: copied from their bundles, and written back; their loads and penalties.
 *
 * Reads contact bundles and kept penalties; writes contacts, loads, kept penalties, and impulses into
 * bundles. */
#define DRY_LANES 1
#include "methods/blocks/blocks.h"

#include "core/math.h"
#include "solver/bodies/frames.h"
#include "solver/data/context.h"
#include "solver/sweeps/contacts/load.h"

#include <float.h>
#include <string.h>

/* Bundles of a block of work. */
enum { COPY_GRAIN = 8 };

static void copy_side(dry_block_side *side, dry_lanes axis[3][3], dry_lanes lever_arm[3], int at)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            side->axis[k][i] = axis[k][i][at];
    for (int i = 0; i < 3; i++)
        side->lever_arm[i] = lever_arm[i][at];
}

/* Copies what only bundles with a cold block have. `mass` is that of the tangents' rows. */
static void copy_cold(const dry_solver_state *s, dry_block_contact *to, int32_t index, int at, float mass)
{
    const dry_contact_cold *cold = &s->sweeps.cold[index];
    const dry_contact_stiction *stiction =
        cold->flags & DRY_BUNDLE_STICTION ? &s->sweeps.stiction[index] : NULL;
    if (stiction && stiction->friction[at] > to->friction) {
        to->stiction.friction = stiction->friction[at];
        to->stiction.slides = stiction->state[at] == DRY_PATCH_STICKS ? 0.0f : 1.0f;
        atomic_store_explicit(&s->blocks->stiction, true, memory_order_relaxed);
    }
    if (cold->flags & DRY_BUNDLE_KINEMATIC) {
        for (int i = 0; i < 2; i++)
            to->kinematic[i] = cold->kinematic_tangent[i][at];
        to->kinematic[2] = cold->kinematic_torsion[at];
    }
    if (!(cold->flags & DRY_BUNDLE_ROLLING) || !(cold->rolling_limit[at] > 0.0f))
        return;
    const float inertia = 0.5f * (cold->rolling_mass[0][at] + cold->rolling_mass[2][at]);
    to->rolling_limit = cold->rolling_limit[at];
    to->rolling_radius = mass > 0.0f ? sqrtf(inertia / mass) : 0.0f;
    for (int i = 0; i < 2; i++) {
        to->rolling_impulse[i] = cold->rolling_impulse[i][at];
        to->kinematic_rolling[i] = cold->flags & DRY_BUNDLE_KINEMATIC ? cold->kinematic_rolling[i][at] : 0.0f;
    }
    atomic_store_explicit(&s->blocks->rolling, true, memory_order_relaxed);
}

static void copy_contact(const dry_solver_step *step, dry_block_contact *to, dry_contact_bundle *c,
                         int32_t cold, int at, int contact, float h)
{
    *to = (dry_block_contact){.friction = c->friction[at], .row = {c->row_a[at], c->row_b[at]}};
    copy_side(&to->side[0], c->axis_a, c->lever_arm_a, at);
    copy_side(&to->side[1], c->axis_b, c->lever_arm_b, at);
    for (int k = 0; k < 3; k++)
        to->normal[k] = c->normal[k][at];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            to->offset[k][i] = c->offset[i][k][at];
        to->offset[k][3] = -to->offset[k][0] - (to->offset[k][1] + to->offset[k][2]);
        to->friction_impulse[k] = c->friction_impulse[k][at];
    }
    float mass[2] = {0.0f, 0.5f * (c->friction_mass[0][at] + c->friction_mass[2][at])};
    for (int i = 0; i < 4; i++) {
        to->impulse[i] = c->impulse[i][at];
        mass[0] = dry_max(mass[0], c->inverse_mass[i][at]);
    }
    to->torsion_impulse = c->torsion_impulse[at];
    to->patch_radius = c->patch_radius[at];
    to->turns = step->contacts->link[contact].flags & DRY_CONTACT_ROUND ? 0.0f : 1.0f;
    const dry_contact_penalty *kept =
        step->contacts->penalty ? &step->contacts->penalty[contact] : &dry_contact_default_penalty;
    const float k[2] = {kept->normal, kept->friction};
    /* A penalty is at least the row's mass, with which it begins. */
    for (int i = 0; i < 2; i++)
        to->penalty[i] = dry_min(
            dry_max(step->settings->warm_start ? DRY_BLOCK_PENALTY_KEPT * k[i] * h * h : 0.0f, mass[i]),
            DRY_BLOCK_PENALTY_MOST * mass[i]);
    copy_cold(step->state, to, cold, at, mass[1]);
}

/* Not inlined, as it is long. */
static DRY_NOINLINE void clear_contact(dry_block_contact *c)
{
    *c = (dry_block_contact){.normal = {0.0f, 1.0f, 0.0f}, .bias = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}};
}

/* Work on the contact bundles of a tier, counted from `offset`. */
typedef struct contacts_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    int offset;
} contacts_job;

static void copy_bundles(void *context, dry_items items)
{
    const contacts_job *job = context;
    const dry_solver_step *step = job->step;
    const dry_solver_state *s = step->state;
    const float h = step->dt / (float)job->range->substeps;
    for (int b = items.begin + job->offset; b < items.end + job->offset; b++) {
        const int32_t *member = s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
        for (int at = 0; at < DRY_BUNDLE; at++) {
            dry_block_contact *to = &s->blocks->contact[b * DRY_BUNDLE + at];
            if (member[at] < 0)
                clear_contact(to);
            else
                copy_contact(step, to, &dry_contact_bundles(s)[b], s->sweeps.headers[b].cold, at, member[at],
                             h);
        }
    }
}

static void turn_bundles(void *context, dry_items items)
{
    const contacts_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = items.begin + job->offset; b < items.end + job->offset; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        for (int at = 0; at < s->sweeps.headers[b].lanes; at++) {
            dry_block_contact *to = &s->blocks->contact[b * DRY_BUNDLE + at];
            for (int side = 0; side < 2; side++) {
                const int row = to->row[side] - 1;
                if (row >= 0 && dry_frames_turn(s, row))
                    copy_side(&to->side[side], side ? c->axis_b : c->axis_a,
                              side ? c->lever_arm_b : c->lever_arm_a, at);
            }
        }
    }
}

/* Writes the impulses of contacts back into their bundles. */
static void write_bundles(void *context, dry_items items)
{
    const contacts_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = items.begin + job->offset; b < items.end + job->offset; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        dry_contact_cold *cold = &s->sweeps.cold[s->sweeps.headers[b].cold];
        for (int at = 0; at < s->sweeps.headers[b].lanes; at++) {
            const dry_block_contact *from = &s->blocks->contact[b * DRY_BUNDLE + at];
            for (int i = 0; i < 4; i++)
                c->impulse[i][at] = from->impulse[i];
            for (int i = 0; i < 2; i++)
                c->friction_impulse[i][at] = from->friction_impulse[i];
            c->torsion_impulse[at] = from->torsion_impulse;
            for (int i = 0; i < 2 && cold->flags & DRY_BUNDLE_ROLLING; i++)
                cold->rolling_impulse[i][at] = from->rolling_impulse[i];
            if (cold->flags & DRY_BUNDLE_STICTION)
                s->sweeps.stiction[s->sweeps.headers[b].cold].state[at] =
                    from->stiction.slides > 0.0f ? DRY_PATCH_SLIDES : DRY_PATCH_STICKS;
        }
    }
}

static void over_contacts(const dry_solver_step *step, const dry_tier_range *range, dry_jobs_run *run)
{
    const dry_bundle_range bundles = dry_tier_bundles(step->state, range, DRY_KIND_CONTACT);
    contacts_job job = {step, range, bundles.begin};
    dry_jobs_for(step->jobs, bundles.end - bundles.begin, COPY_GRAIN, run, &job);
}

void dry_block_contacts_copy(const dry_solver_step *step)
{
    const dry_solver_state *s = step->state;
    for (int i = 0; i < DRY_BUNDLE; i++)
        clear_contact(&s->blocks->contact[s->blocks->contact_count + i]);
    for (int t = 0; t < s->plan.range_count; t++)
        over_contacts(step, &s->plan.ranges[t], copy_bundles);
}

void dry_block_contacts_turn(const dry_solver_step *step, const dry_tier_range *range)
{
    over_contacts(step, range, turn_bundles);
}

void dry_block_contacts_write(const dry_solver_step *step, const dry_tier_range *range)
{
    over_contacts(step, range, write_bundles);
}

void dry_block_contacts_keep(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_solver_state *s = step->state;
    const dry_bundle_range bundles = dry_tier_bundles(s, range, DRY_KIND_CONTACT);
    const float h = step->dt / (float)range->substeps;
    const dry_sweep loads = {.loads = s->bodies.load, .substep = h};
    for (int b = bundles.begin; b < bundles.end; b++)
        for (int at = 0; at < s->sweeps.headers[b].lanes; at++) {
            const int contact = s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index[at];
            const dry_block_contact *from = &s->blocks->contact[b * DRY_BUNDLE + at];
            if (contact < 0)
                continue;
            contact_note_loads(&dry_contact_bundles(s)[b], &loads, NULL, at);
            step->contacts->penalty[contact] = (dry_contact_penalty){
                dry_min(from->penalty[0] / (h * h), FLT_MAX), dry_min(from->penalty[1] / (h * h), FLT_MAX)};
        }
}
