/* Contacts for block descent: copied from their bundles, and written back; their loads and penalties.
 *
 * Reads contact bundles and kept penalties; writes contacts, loads, kept penalties, and impulses into
 * bundles. */
#include "solver/methods/blocks/blocks.h"

#include "core/math.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"

#include <float.h>
#include <string.h>

/* Bundles of a block of work. */
enum { COPY_GRAIN = 8 };

/* The penalty that a contact's row begins with, over its mass. */
#define PENALTY_FIRST 1.0f

static void copy_side(dry_block_side *side, dry_lanes axis[3][3], dry_lanes lever_arm[3], int lane)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            side->axis[k][i] = axis[k][i][lane];
    for (int i = 0; i < 3; i++)
        side->lever_arm[i] = lever_arm[i][lane];
}

/* Copies the static friction of a contact, where it exceeds mu. */
static void copy_stiction(dry_block_contact *to, const dry_contact_stiction *from, int lane,
                          atomic_bool *stiction)
{
    if (!(from->friction[lane] > to->friction))
        return;
    to->static_friction = from->friction[lane];
    to->slides = from->state[lane] == DRY_PATCH_STICKS ? 0.0f : 1.0f;
    atomic_store_explicit(stiction, true, memory_order_relaxed);
}

/* Copies what only bundles with a cold block have. */
static void copy_cold(dry_block_contact *to, const dry_contact_cold *cold, int lane, atomic_bool *rolling)
{
    if (cold->flags & DRY_BUNDLE_KINEMATIC) {
        for (int i = 0; i < 4; i++)
            to->kinematic_normal[i] = cold->kinematic_normal[i][lane];
        for (int i = 0; i < 2; i++)
            to->kinematic[i] = cold->kinematic_tangent[i][lane];
        to->kinematic[2] = cold->kinematic_torsion[lane];
    }
    if (!(cold->flags & DRY_BUNDLE_ROLLING) || !(cold->rolling_limit[lane] > 0.0f))
        return;
    const float mass = 0.5f * (cold->rolling_mass[0][lane] + cold->rolling_mass[2][lane]);
    to->rolling_limit = cold->rolling_limit[lane];
    to->rolling_radius = to->mass[1] > 0.0f ? sqrtf(mass / to->mass[1]) : 0.0f;
    for (int i = 0; i < 2; i++) {
        to->rolling_impulse[i] = cold->rolling_impulse[i][lane];
        to->kinematic_rolling[i] =
            cold->flags & DRY_BUNDLE_KINEMATIC ? cold->kinematic_rolling[i][lane] : 0.0f;
    }
    atomic_store_explicit(rolling, true, memory_order_relaxed);
}

static void copy_contact(const dry_solver_step *step, dry_block_contact *to, dry_contact_bundle *c, int lane,
                         int contact, float h)
{
    *to = (dry_block_contact){.friction = c->friction[lane], .row = {c->row_a[lane], c->row_b[lane]}};
    copy_side(&to->side[0], c->axis_a, c->lever_arm_a, lane);
    copy_side(&to->side[1], c->axis_b, c->lever_arm_b, lane);
    for (int k = 0; k < 3; k++)
        to->normal[k] = c->normal[k][lane];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            to->offset[k][i] = c->offset[i][k][lane];
        to->offset[k][3] = -to->offset[k][0] - (to->offset[k][1] + to->offset[k][2]);
        to->friction_impulse[k] = c->friction_impulse[k][lane];
    }
    for (int i = 0; i < 4; i++) {
        const bool here = c->inverse_mass[i][lane] > 0.0f;
        to->separation[i] = here ? c->separation[i][lane] : FLT_MAX;
        to->impulse[i] = c->impulse[i][lane];
        to->mass[0] = dry_max(to->mass[0], c->inverse_mass[i][lane]);
    }
    to->mass[1] = 0.5f * (c->friction_mass[0][lane] + c->friction_mass[2][lane]);
    to->torsion_impulse = c->torsion_impulse[lane];
    to->patch_radius = c->patch_radius[lane];
    to->turns = step->contacts->link[contact].flags & DRY_CONTACT_ROUND ? 0.0f : 1.0f;
    const dry_contact_penalty *kept = dry_contacts_penalty(step->contacts, contact);
    const float k[2] = {kept->normal, kept->friction};
    for (int i = 0; i < 2; i++)
        to->penalty[i] =
            dry_min(dry_max(step->settings->warm_start ? DRY_BLOCK_PENALTY_KEPT * k[i] * h * h : 0.0f,
                            PENALTY_FIRST * to->mass[i]),
                    DRY_BLOCK_PENALTY_MOST * to->mass[i]);
}

static void clear_contact(dry_block_contact *c)
{
    *c = (dry_block_contact){.normal = {0.0f, 1.0f, 0.0f}};
    for (int i = 0; i < 4; i++)
        c->separation[i] = c->bias[i] = FLT_MAX;
}

/* Work on the contact bundles of a tier, counted from `offset`. */
typedef struct contacts_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    int offset;
} contacts_job;

static void copy_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const contacts_job *job = context;
    const dry_solver_step *step = job->step;
    const dry_solver_state *s = step->state;
    const float h = step->dt / (float)job->range->substeps;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        const int32_t *member = s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            dry_block_contact *to = &s->blocks->contact[b * DRY_BUNDLE + lane];
            if (member[lane] < 0) {
                clear_contact(to);
                continue;
            }
            copy_contact(step, to, &dry_contact_bundles(s)[b], lane, member[lane], h);
            const dry_contact_cold *cold = &s->sweeps.cold[s->sweeps.headers[b].cold];
            copy_cold(to, cold, lane, &s->blocks->rolling);
            if (cold->flags & DRY_BUNDLE_STICTION)
                copy_stiction(to, &s->sweeps.stiction[s->sweeps.headers[b].cold], lane, &s->blocks->stiction);
        }
    }
}

static void turn_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const contacts_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        for (int lane = 0; lane < s->sweeps.headers[b].lanes; lane++) {
            dry_block_contact *to = &s->blocks->contact[b * DRY_BUNDLE + lane];
            for (int side = 0; side < 2; side++) {
                const int row = to->row[side] - 1;
                const dry_turned_row *turned = row < 0 ? NULL : dry_turned_of(job->step, row);
                if (!turned)
                    continue;
                copy_side(&to->side[side], side ? c->axis_b : c->axis_a,
                          side ? c->lever_arm_b : c->lever_arm_a, lane);
                for (int k = 0; k < 3; k++)
                    dry_turned_row_in(turned, &s->bodies.rows[row + 1], to->side[side].axis[k]);
            }
        }
    }
}

/* Writes the impulses of contacts back into their bundles. */
static void write_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const contacts_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        dry_contact_cold *cold = &s->sweeps.cold[s->sweeps.headers[b].cold];
        for (int lane = 0; lane < s->sweeps.headers[b].lanes; lane++) {
            const dry_block_contact *from = &s->blocks->contact[b * DRY_BUNDLE + lane];
            for (int i = 0; i < 4; i++)
                c->impulse[i][lane] = from->impulse[i];
            for (int i = 0; i < 2; i++)
                c->friction_impulse[i][lane] = from->friction_impulse[i];
            c->torsion_impulse[lane] = from->torsion_impulse;
            for (int i = 0; i < 2 && cold->flags & DRY_BUNDLE_ROLLING; i++)
                cold->rolling_impulse[i][lane] = from->rolling_impulse[i];
            if (cold->flags & DRY_BUNDLE_STICTION)
                s->sweeps.stiction[s->sweeps.headers[b].cold].state[lane] =
                    from->slides > 0.0f ? DRY_PATCH_SLIDES : DRY_PATCH_STICKS;
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

/* Raises a body's load. Floats that are not negative have the order of their bits. */
static void raise_load(uint32_t *loads, int row, float load)
{
    uint32_t bits;
    memcpy(&bits, &load, sizeof bits);
    if (row && bits > loads[row - 1])
        loads[row - 1] = bits;
}

/* Notes for both bodies of a contact what sweeps/contacts/load.h notes in other methods' last sweep. */
static void note_load(const dry_contact_bundle *c, int lane, float h, uint32_t *loads)
{
    float largest = 0.0f, sum = 0.0f, points = 0.0f;
    for (int i = 0; i < 4; i++) {
        if (!(c->inverse_mass[i][lane] > 0.0f))
            continue;
        const float load = c->impulse[i][lane] / (h * c->inverse_mass[i][lane]);
        largest = dry_max(load, largest);
        sum += load;
        points += 1.0f;
    }
    /* A load that is no number counts as none, so that bits have the order of loads. */
    if (!(sum > 0.0f))
        return;
    const float load = largest * (largest * points / sum);
    raise_load(loads, c->row_a[lane], load >= 0.0f ? load : 0.0f);
    raise_load(loads, c->row_b[lane], load >= 0.0f ? load : 0.0f);
}

void dry_block_contacts_keep(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_solver_state *s = step->state;
    const dry_bundle_range bundles = dry_tier_bundles(s, range, DRY_KIND_CONTACT);
    const float h = step->dt / (float)range->substeps;
    for (int b = bundles.begin; b < bundles.end; b++)
        for (int lane = 0; lane < s->sweeps.headers[b].lanes; lane++) {
            const int contact = s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index[lane];
            const dry_block_contact *from = &s->blocks->contact[b * DRY_BUNDLE + lane];
            if (contact < 0)
                continue;
            note_load(&dry_contact_bundles(s)[b], lane, h, s->bodies.load);
            step->contacts->penalty[contact] = (dry_contact_penalty){
                dry_min(from->penalty[0] / (h * h), FLT_MAX), dry_min(from->penalty[1] / (h * h), FLT_MAX)};
        }
}
