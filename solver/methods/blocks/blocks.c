/* Block descent: prepare colors the bodies, lists their contacts and copies the contacts from their bundles;
 * a tier's substeps go over colors and contacts in turn; store keeps impulses and penalties.
 *
 * Reads contact bundles, rows, start rows. Writes rows, and impulses into bundles. Next: block_kernels.h. */
#include "solver/methods/blocks/blocks.h"

#include "core/math.h"
#include "solver/context.h"
#include "solver/impacts.h"
#include "solver/methods/blocks/block_sweep.h"
#include "solver/methods/blocks/kernel_list.h"
#include "solver/methods/method.h"
#include "solver/passes.h"
#include "solver/rows/momentum.h"
#include "solver/rows/whitening.h"
#include "solver/stages.h"

#include <float.h>
#include <string.h>

/* Contacts, groups and bodies of a block of work. */
enum { CONTACT_GRAIN = 64, GROUP_GRAIN = 4, BODY_GRAIN = 512, COPY_GRAIN = 8 };

/* Colors of bodies; a body whose neighbors have all of them is a color of its own. */
enum { COLORS = 64 };

/* The penalties that contacts begin with, over the masses of their rows; the largest ones; and the error in a
 * substep, m, that adds the row's mass. */
#define PENALTY_FIRST 1.0f
#define PENALTY_LENGTH 1e-4f
/* The shares of an overlap, and of a joint's error, that a step corrects, not a substep: sweeps cannot follow
 * what changes faster than they bring a load through an island. */
#define OVERLAP_SHARE 0.2f
#define JOINT_SHARE 0.05f

void dry_blocks_free(dry_solver_state *state, dry_memory *memory)
{
    dry_blocks *b = state->blocks;
    if (!b)
        return;
    DRY_RELEASE(memory, b->contact, b->contact_capacity);
    DRY_RELEASE(memory, b->group, b->group_capacity);
    DRY_RELEASE(memory, b->color, b->color_capacity);
    DRY_RELEASE(memory, b->locks, b->locks_capacity);
    DRY_RELEASE(memory, b->entry, b->entry_capacity);
    DRY_RELEASE(memory, b->first, b->first_capacity);
    DRY_RELEASE(memory, b->list, b->list_capacity);
    DRY_RELEASE(memory, b->row, b->row_capacity);
    DRY_RELEASE(memory, b->row_entry, b->row_entry_capacity);
    DRY_RELEASE(memory, b->row_first, b->row_first_capacity);
    DRY_RELEASE(memory, b->row_list, b->row_list_capacity);
    DRY_RELEASE(memory, b->body_color, b->body_color_capacity);
    DRY_RELEASE(memory, b->target, b->target_capacity);
    DRY_RELEASE(memory, b->force, b->force_capacity);
    dry_memory_release(memory, b, sizeof *b);
    state->blocks = NULL;
}

/* Contacts. */

static void copy_side(dry_block_side *side, dry_lanes axis[3][3], dry_lanes lever_arm[3], int lane)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            side->axis[k][i] = axis[k][i][lane];
    for (int i = 0; i < 3; i++)
        side->lever_arm[i] = lever_arm[i][lane];
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

typedef struct blocks_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    dry_blocks *blocks;
    const dry_block_sweep *sweep;
    dry_block_kernel *const *kernel; /* by fill */
    int offset;
} blocks_job;

static void copy_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    const dry_solver_step *step = job->step;
    const dry_solver_state *s = step->state;
    const float h = step->dt / (float)job->range->substeps;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        const int32_t *member = s->bundles[DRY_KIND_CONTACT].members[b].index;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            dry_block_contact *to = &job->blocks->contact[b * DRY_BUNDLE + lane];
            if (member[lane] < 0) {
                clear_contact(to);
                continue;
            }
            copy_contact(step, to, &dry_contact_bundles(s)[b], lane, member[lane], h);
            copy_cold(to, &s->cold[s->headers[b].cold], lane, &job->blocks->rolling);
        }
    }
}

/* Writes the impulses of contacts back into their bundles. */
static void write_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        dry_contact_cold *cold = &s->cold[s->headers[b].cold];
        for (int lane = 0; lane < s->headers[b].lanes; lane++) {
            const dry_block_contact *from = &job->blocks->contact[b * DRY_BUNDLE + lane];
            for (int i = 0; i < 4; i++)
                c->impulse[i][lane] = from->impulse[i];
            for (int i = 0; i < 2; i++)
                c->friction_impulse[i][lane] = from->friction_impulse[i];
            c->torsion_impulse[lane] = from->torsion_impulse;
            for (int i = 0; i < 2 && cold->flags & DRY_BUNDLE_ROLLING; i++)
                cold->rolling_impulse[i][lane] = from->rolling_impulse[i];
        }
    }
}

static void over_contacts(const blocks_job *job, dry_jobs_run *run)
{
    blocks_job of_tier = *job;
    const dry_bundle_range bundles = dry_tier_bundles(job->step->state, job->range, DRY_KIND_CONTACT);
    of_tier.offset = bundles.begin;
    dry_jobs_for(job->step->jobs, bundles.end - bundles.begin, COPY_GRAIN, run, &of_tier);
}

/* Bodies. */

/* Finds the two rows of bodies of contact or row number i. */
typedef const int32_t *ends_of(const dry_blocks *b, int i);

static const int32_t *ends_of_contact(const dry_blocks *b, int i)
{
    return b->contact[i].row;
}

static const int32_t *ends_of_row(const dry_blocks *b, int i)
{
    return b->row[i].row;
}

/* Lists what each body has of `count` contacts or rows, by rising number. */
static void list_ends(const dry_blocks *b, ends_of *ends, int count, int rows, int32_t *first, int32_t *list)
{
    memset(first, 0, (size_t)(rows + 2) * sizeof *first);
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (ends(b, i)[side])
                first[ends(b, i)[side] + 1]++;
    for (int row = 0; row <= rows; row++)
        first[row + 1] += first[row];
    /* Filling moves each beginning to its end, which is the next one's beginning. */
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (ends(b, i)[side])
                list[first[ends(b, i)[side]]++] = 2 * i + side;
    for (int row = rows; row >= 0; row--)
        first[row + 1] = first[row];
    first[0] = 0;
}

/* Returns the number of entries of a body in a list. */
static int degree_of(const int32_t *first, int row)
{
    return first[row + 1] - first[row];
}

/* Adds the color of a body to a set of colors, unless it has none. */
static uint64_t with_color_of(const dry_blocks *b, int row, uint64_t taken)
{
    return row && b->body_color[row - 1] < COLORS ? taken | UINT64_C(1) << b->body_color[row - 1] : taken;
}

/* Gives each body of a tier the lowest color that no neighbor before it has; COLORS if none is left. */
static void color_bodies(const dry_solver_state *s, dry_blocks *b, const dry_tier_range *range,
                         int count[COLORS + 1])
{
    for (int i = range->body_begin; i < range->body_end; i++)
        b->body_color[s->order[i]] = UINT8_MAX;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->order[i] + 1;
        uint64_t taken = 0;
        for (int k = b->first[row]; k < b->first[row + 1]; k++)
            taken = with_color_of(b, b->contact[b->list[k] >> 1].row[1 - (b->list[k] & 1)], taken);
        for (int k = b->row_first[row]; k < b->row_first[row + 1]; k++)
            taken = with_color_of(b, b->row[b->row_list[k] >> 1].row[1 - (b->row_list[k] & 1)], taken);
        const int color = ~taken ? __builtin_ctzll(~taken) : COLORS;
        b->body_color[row - 1] = (uint8_t)color;
        count[color]++;
    }
}

/* Places of the groups of a tier. */
typedef struct group_places {
    int next[COLORS + 1]; /* the place of each color's next body: 16 * group + lane */
} group_places;

/* Makes the colors of a tier and the empty groups of their bodies. Each body of COLORS has a group that is a
 * color. Room must be reserved. */
static void place_groups(dry_blocks *b, const int count[COLORS + 1], group_places *places)
{
    for (int color = 0; color <= COLORS; color++) {
        const int groups = color == COLORS ? count[color] : (count[color] + DRY_BUNDLE - 1) / DRY_BUNDLE;
        places->next[color] = b->group_count * DRY_BUNDLE;
        for (int i = 0; i < groups; i++) {
            b->group[b->group_count + i] = (dry_block_group){.locks = -1};
            if (color == COLORS)
                b->color[b->color_count++] = (dry_block_color){b->group_count + i, b->group_count + i + 1};
        }
        if (color < COLORS && groups > 0)
            b->color[b->color_count++] = (dry_block_color){b->group_count, b->group_count + groups};
        b->group_count += groups;
    }
}

static void fill_groups(const dry_solver_state *s, dry_blocks *b, const dry_tier_range *range,
                        group_places *places)
{
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->order[i] + 1, color = b->body_color[row - 1], at = places->next[color];
        dry_block_group *group = &b->group[at / DRY_BUNDLE];
        group->row[at % DRY_BUNDLE] = row;
        group->lanes = at % DRY_BUNDLE + 1;
        group->count = dry_max_int(group->count, degree_of(b->first, row));
        group->row_count = dry_max_int(group->row_count, degree_of(b->row_first, row));
        places->next[color] += color == COLORS ? DRY_BUNDLE : 1;
    }
}

/* Finds where the entries of each group are, and how many there are. */
static void place_entries(dry_blocks *b)
{
    b->entry_count = b->row_entry_count = 0;
    for (int g = 0; g < b->group_count; g++) {
        b->group[g].entry = b->entry_count;
        b->group[g].row_entry = b->row_entry_count;
        b->entry_count += DRY_BUNDLE * b->group[g].count;
        b->row_entry_count += DRY_BUNDLE * b->group[g].row_count;
    }
}

/* Fills the entries of a lane, from `begin` on, from its body's list, and those that are left with `empty`.
 */
static void fill_lane(int32_t *entry, int begin, int count, const int32_t *first, const int32_t *list,
                      int row, int32_t empty)
{
    const int degree = row ? degree_of(first, row) : 0;
    for (int j = 0; j < count; j++)
        entry[begin + DRY_BUNDLE * j] = j < degree ? list[first[row] + j] : empty;
}

static void fill_entries(dry_blocks *b)
{
    for (int g = 0; g < b->group_count; g++) {
        const dry_block_group *group = &b->group[g];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            fill_lane(b->entry, group->entry + lane, group->count, b->first, b->list, group->row[lane],
                      2 * b->contact_count);
            fill_lane(b->row_entry, group->row_entry + lane, group->row_count, b->row_first, b->row_list,
                      group->row[lane], 2 * b->row_count);
        }
    }
}

/* Writes the locked axes of a body. */
static void lock_lane(const dry_solver_step *step, dry_block_locks *locks, int lane, int row)
{
    const uint32_t locked = step->bodies->properties[row].locks;
    const dry_whitening w =
        dry_whitening_of(&step->state->rows[row + 1], step->bodies->pose[row].orientation);
    for (int i = 0; i < 3; i++) {
        locks->linear[i][lane] = locked & (DRY_LOCK_LINEAR_X << i) ? 1.0f : 0.0f;
        if (!(locked & (DRY_LOCK_ANGULAR_X << i)))
            continue;
        const dry_vec3 axis = vec3(w.axes[0][i], w.axes[1][i], w.axes[2][i]);
        const float length = vec3_length(axis);
        if (length > 0.0f) {
            locks->angular[i][0][lane] = axis.x / length;
            locks->angular[i][1][lane] = axis.y / length;
            locks->angular[i][2][lane] = axis.z / length;
        }
    }
}

static bool lock_groups(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    b->locks_count = 0;
    for (int g = 0; g < b->group_count; g++)
        for (int lane = 0; lane < b->group[g].lanes; lane++)
            if (b->group[g].row[lane] && step->bodies->properties[b->group[g].row[lane] - 1].locks &&
                b->group[g].locks < 0)
                b->group[g].locks = b->locks_count++;
    if (!DRY_RESERVE(memory, b->locks, b->locks_capacity, b->locks_count))
        return false;
    for (int g = 0; g < b->group_count; g++) {
        const dry_block_group *group = &b->group[g];
        if (group->locks < 0)
            continue;
        b->locks[group->locks] = (dry_block_locks){0};
        for (int lane = 0; lane < group->lanes; lane++)
            if (group->row[lane])
                lock_lane(step, &b->locks[group->locks], lane, group->row[lane] - 1);
    }
    return true;
}

static bool reserve(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    const int rows = step->bodies->awake_count, contacts = b->contact_count;
    return DRY_RESERVE(memory, b->contact, b->contact_capacity, contacts + DRY_BUNDLE) &&
           DRY_RESERVE(memory, b->list, b->list_capacity, 2 * contacts) &&
           DRY_RESERVE(memory, b->first, b->first_capacity, rows + 2) &&
           DRY_RESERVE(memory, b->body_color, b->body_color_capacity, rows) &&
           DRY_RESERVE(memory, b->target, b->target_capacity, rows) &&
           DRY_RESERVE(memory, b->force, b->force_capacity, rows) &&
           DRY_RESERVE(memory, b->color, b->color_capacity, rows) &&
           DRY_RESERVE(memory, b->group, b->group_capacity, rows);
}

/* Copies the rows of all joints, and makes room for their lists. */
static bool copy_rows(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    const dry_solver_state *s = step->state;
    int most = 0;
    for (int t = 0; t < DRY_TIER_COUNT; t++)
        most += dry_block_rows_most(step, &s->ranges[t]);
    if ((most > 0 && !dry_joints_need_penalty(step->joints, memory)) ||
        !DRY_RESERVE(memory, b->row, b->row_capacity, most + 1) ||
        !DRY_RESERVE(memory, b->row_list, b->row_list_capacity, 2 * most) ||
        !DRY_RESERVE(memory, b->row_first, b->row_first_capacity, step->bodies->awake_count + 2))
        return false;
    b->row_count = 0;
    for (int t = 0; t < DRY_TIER_COUNT; t++) {
        b->tier[t].row_begin = b->row_count;
        b->row_count = b->tier[t].row_end = dry_block_rows_copy(step, &s->ranges[t], b->row, b->row_count);
    }
    b->row[b->row_count] = (dry_block_joint_row){0};
    return true;
}

bool dry_blocks_prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!s->blocks) {
        s->blocks = dry_memory_allocate(memory, sizeof *s->blocks, DRY_CACHE_LINE);
        if (!s->blocks)
            return false;
        memset(s->blocks, 0, sizeof *s->blocks);
    }
    dry_blocks *b = s->blocks;
    b->contact_count = s->bundles[DRY_KIND_CONTACT].count * DRY_BUNDLE;
    b->group_count = b->color_count = 0;
    atomic_store_explicit(&b->rolling, false, memory_order_relaxed);
    if (!dry_contacts_need_penalty(step->contacts, memory) || !reserve(step, b, memory) ||
        !copy_rows(step, b, memory))
        return false;
    for (int i = 0; i < DRY_BUNDLE; i++)
        clear_contact(&b->contact[b->contact_count + i]);
    for (int t = 0; t < DRY_TIER_COUNT; t++) {
        const blocks_job job = {.step = step, .range = &s->ranges[t], .blocks = b};
        over_contacts(&job, copy_bundles);
    }
    list_ends(b, ends_of_contact, b->contact_count, step->bodies->awake_count, b->first, b->list);
    list_ends(b, ends_of_row, b->row_count, step->bodies->awake_count, b->row_first, b->row_list);
    for (int t = 0; t < DRY_TIER_COUNT; t++) {
        const dry_tier_range *range = &s->ranges[t];
        const dry_bundle_range bundles = dry_tier_bundles(s, range, DRY_KIND_CONTACT);
        int count[COLORS + 1] = {0};
        group_places places;
        b->tier[t].color_begin = b->color_count;
        b->tier[t].contact_begin = bundles.begin * DRY_BUNDLE;
        b->tier[t].contact_end = bundles.end * DRY_BUNDLE;
        color_bodies(s, b, range, count);
        place_groups(b, count, &places);
        fill_groups(s, b, range, &places);
        b->tier[t].color_end = b->color_count;
    }
    place_entries(b);
    if (!DRY_RESERVE(memory, b->entry, b->entry_capacity, b->entry_count) ||
        !DRY_RESERVE(memory, b->row_entry, b->row_entry_capacity, b->row_entry_count))
        return false;
    fill_entries(b);
    return lock_groups(step, b, memory);
}

/* Solving. */

static void run_contacts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    job->kernel[DRY_FILL_WHOLE](job->sweep, begin * DRY_BUNDLE + job->offset, end * DRY_BUNDLE + job->offset);
}

static void run_groups(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    for (int g = begin + job->offset; g < end + job->offset; g++) {
        const int lanes = job->blocks->group[g].lanes;
        const dry_fill fill = lanes > DRY_BUNDLE / 2 ? DRY_FILL_WHOLE
                              : lanes > 1            ? DRY_FILL_HALF
                                                     : DRY_FILL_ONE;
        job->kernel[fill](job->sweep, g, g + 1);
    }
}

/* The kernels of a tier's passes. */
typedef struct block_passes {
    dry_block_kernel *begin[DRY_FILL_COUNT], *relax[DRY_FILL_COUNT], *warm[DRY_FILL_COUNT],
        *descend[DRY_FILL_COUNT], *multiply[DRY_FILL_COUNT];
} block_passes;

static block_passes choose_kernels(dry_level level)
{
    block_passes p;
    for (int fill = 0; fill < DRY_FILL_COUNT; fill++) {
        const dry_block_kernels *k = dry_block_kernels_at(dry_level_of_fill(level, (dry_fill)fill));
        p.begin[fill] = k->blocks_begin;
        p.relax[fill] = k->blocks_relax;
        p.warm[fill] = k->blocks_warm;
        p.descend[fill] = k->blocks_descend;
        p.multiply[fill] = k->blocks_multiply;
    }
    return p;
}

static void pass_over_contacts(const blocks_job *job, dry_block_kernel *const *kernel)
{
    const dry_block_tier *tier = &job->blocks->tier[job->range - job->step->state->ranges];
    blocks_job pass = *job;
    pass.kernel = kernel;
    pass.offset = tier->contact_begin;
    dry_jobs_for(job->step->jobs, (tier->contact_end - tier->contact_begin) / DRY_BUNDLE,
                 CONTACT_GRAIN / DRY_BUNDLE, run_contacts, &pass);
}

static void pass_over_bodies(const blocks_job *job, dry_block_kernel *const *kernel)
{
    const dry_block_tier *tier = &job->blocks->tier[job->range - job->step->state->ranges];
    blocks_job pass = *job;
    pass.kernel = kernel;
    for (int c = tier->color_begin; c < tier->color_end; c++) {
        const dry_block_color color = job->blocks->color[c];
        pass.offset = color.begin;
        dry_jobs_for(job->step->jobs, color.end - color.begin, GROUP_GRAIN, run_groups, &pass);
    }
}

/* Finds the change by forces in a substep, which is the same in all of them. The start row becomes the
 * velocity before, the row the target. */
static void first_targets(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++) {
        const int row = s->order[job->range->body_begin + i];
        float *u = s->rows[row + 1].u, *start = s->start[row].u;
        for (int k = 0; k < 6; k++) {
            const float before = u[k];
            job->blocks->force[row].u[k] = start[k] - before;
            job->blocks->target[row].u[k] = u[k] = start[k];
            start[k] = before;
        }
    }
}

static void next_targets(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    dry_solver_state *s = job->step->state;
    if (job->range->floating)
        dry_momentum_gather(job->step, s->order + job->range->body_begin + begin, end - begin, job->sweep->h);
    for (int i = begin; i < end; i++) {
        const int row = s->order[job->range->body_begin + i];
        dry_solver_stop_if_invalid(s, row);
        float *u = s->rows[row + 1].u;
        for (int k = 0; k < 6; k++) {
            s->start[row].u[k] = u[k];
            u[k] += job->blocks->force[row].u[k];
            job->blocks->target[row].u[k] = u[k];
        }
    }
}

static void keep_targets(void *context, int begin, int end, int worker)
{
    (void)worker;
    const blocks_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++) {
        const int row = s->order[job->range->body_begin + i];
        memcpy(job->blocks->target[row].u, s->rows[row + 1].u, sizeof s->rows[row + 1].u);
    }
}

static void over_bodies(blocks_job *job, dry_jobs_run *run)
{
    dry_jobs_for(job->step->jobs, job->range->body_end - job->range->body_begin, BODY_GRAIN, run, job);
}

/* Gives rows of joints the bias of sweeps that correct no position. */
static void relax_rows(const blocks_job *job, const dry_block_tier *tier)
{
    for (int i = tier->row_begin; i < tier->row_end; i++)
        job->blocks->row[i].bias = job->blocks->row[i].relaxed;
}

static void descend(const blocks_job *job, const block_passes *passes, const dry_block_tier *tier, int sweeps)
{
    for (int i = 0; i < sweeps; i++) {
        pass_over_bodies(job, passes->descend);
        pass_over_contacts(job, passes->multiply);
        dry_block_rows_multiply(job->sweep, tier->row_begin, tier->row_end);
    }
}

/* Prepares the joints of a tier anew between two substeps, and copies their rows. Each penalty falls to
 * DRY_BLOCK_PENALTY_KEPT. */
static void refresh_rows(dry_solver_step *step, const dry_tier_range *range, const dry_block_tier *tier,
                         float time)
{
    dry_blocks *b = step->state->blocks;
    dry_block_rows_write(b->row, tier->row_begin, tier->row_end);
    dry_solver_stop_invalid(step, range);
    dry_solver_refresh_joints(step, range, time, 0.0f);
    dry_block_rows_renew(step, range, b->row, tier->row_begin, tier->row_end);
}

dry_block_sweep dry_block_sweep_of(const dry_solver_step *step, float h)
{
    const dry_solver_state *s = step->state;
    return (dry_block_sweep){
        .rows = s->rows,
        .target = s->blocks->target,
        .force = s->blocks->force,
        .contact = s->blocks->contact,
        .group = s->blocks->group,
        .locks = s->blocks->locks,
        .entry = s->blocks->entry,
        .row = s->blocks->row,
        .row_entry = s->blocks->row_entry,
        .h = h,
        .rate_free = 1.0f / h,
        .rate = OVERLAP_SHARE / step->dt,
        .joint_rate = JOINT_SHARE / step->dt,
        .bias_speed_max = step->settings->push_out_speed_max,
        .growth = h / PENALTY_LENGTH,
        .penalty_max = DRY_BLOCK_PENALTY_MOST,
        .rolling = atomic_load_explicit(&s->blocks->rolling, memory_order_relaxed),
    };
}

/* Sets a substep's times, as substeps.c does. */
static void set_times(dry_block_sweep *sweep, const dry_solver_step *step, const dry_tier_range *range,
                      int substep)
{
    const float h = sweep->h;
    sweep->time = h * (float)substep;
    sweep->acceleration_time = range->turning ? 0.5f * h : h * (float)(substep + 1) - 0.5f * step->dt;
    sweep->acceleration_lag = range->turning ? 0.0f : 0.5f * sweep->time * (step->dt - sweep->time - h);
}

static void begin_substep(dry_solver_step *step, const dry_tier_range *range, blocks_job *job,
                          dry_block_sweep *sweep, const block_passes *passes, int substep)
{
    const dry_block_tier *tier = &job->blocks->tier[range - step->state->ranges];
    set_times(sweep, step, range, substep);
    if (range->turning && substep > 0)
        refresh_rows(step, range, tier, sweep->time);
    over_bodies(job, substep == 0 ? first_targets : next_targets);
    if (range->impacts) {
        dry_impacts_resolve(step, range, sweep->time, sweep->h);
        over_bodies(job, keep_targets);
    }
    pass_over_bodies(job, passes->warm);
    pass_over_contacts(job, passes->begin);
    dry_block_rows_begin(step, sweep, tier->row_begin, tier->row_end);
}

void dry_blocks_solve_tier(dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    const dry_settings *settings = step->settings;
    const dry_schedule schedule = dry_method_of(settings)->schedule(settings, range->sweeps);
    const float h = step->dt / (float)range->substeps;
    const block_passes passes = choose_kernels(s->level);
    const dry_block_tier *tier = &s->blocks->tier[range - s->ranges];
    dry_block_sweep sweep = dry_block_sweep_of(step, h);
    dry_sweep bodies = dry_sweep_of(settings, h, 0.0f);
    bodies.rows = s->rows;
    blocks_job job = {.step = step, .range = range, .blocks = s->blocks, .sweep = &sweep};
    for (int substep = 0; substep < range->substeps; substep++) {
        begin_substep(step, range, &job, &sweep, &passes, substep);
        descend(&job, &passes, tier, schedule.solve_sweeps);
        dry_run_pass(step, range, DRY_WORK_MOVE, &bodies, NULL);
        if (range->impacts)
            dry_impacts_move(step, range, h);
        if (schedule.relax_sweeps > 0) {
            pass_over_contacts(&job, passes.relax);
            relax_rows(&job, tier);
            descend(&job, &passes, tier, schedule.relax_sweeps);
        }
    }
    over_contacts(&job, write_bundles);
    dry_block_rows_write(s->blocks->row, tier->row_begin, tier->row_end);
}

/* Raises a body's load. Floats that are not negative have the order of their bits. */
static void raise_load(uint32_t *loads, int row, float load)
{
    uint32_t bits;
    memcpy(&bits, &load, sizeof bits);
    if (row && bits > loads[row - 1])
        loads[row - 1] = bits;
}

/* Notes for both bodies of a contact what contacts/load.h notes in other methods' last sweep. */
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

void dry_blocks_store(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    for (int t = 0; t < DRY_TIER_COUNT; t++) {
        const dry_tier_range *range = &s->ranges[t];
        const dry_bundle_range bundles = dry_tier_bundles(s, range, DRY_KIND_CONTACT);
        const float h = step->dt / (float)range->substeps;
        for (int b = bundles.begin; b < bundles.end; b++)
            for (int lane = 0; lane < s->headers[b].lanes; lane++) {
                const int contact = s->bundles[DRY_KIND_CONTACT].members[b].index[lane];
                const dry_block_contact *from = &s->blocks->contact[b * DRY_BUNDLE + lane];
                if (contact < 0)
                    continue;
                note_load(&dry_contact_bundles(s)[b], lane, h, s->load);
                step->contacts->penalty[contact] =
                    (dry_contact_penalty){dry_min(from->penalty[0] / (h * h), FLT_MAX),
                                          dry_min(from->penalty[1] / (h * h), FLT_MAX)};
            }
        const dry_block_tier *tier = &s->blocks->tier[t];
        dry_block_rows_keep(step, s->blocks->row, tier->row_begin, tier->row_end, h);
    }
}
