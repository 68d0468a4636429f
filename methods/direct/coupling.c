/* Contacts and bounded axes between the halves of a solve. Reads bundles, factors and rows; writes the
 * impulses of bundles, and rows. Next: solve.c. */
#include "methods/direct/coupling.h"

#include "core/assert.h"
#include "methods/direct/articulation_rows.h"
#include "methods/direct/linkage.h"
#include "methods/sparse/factor_path.h"
#include "methods/sparse/kernel_list.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/whitening.h"
#include "solver/data/joints/triangle.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "state/iterators.h"

#include <math.h>
#include <string.h>

/* Regularization changes what joints leave by some 1e-7 of a body's mobility: an error of 1e-4, and of more
 * if they leave a smaller share than this one. */
#define HEAVY 1e-3

static dry_coupling *coupling_of(const dry_solver_step *step)
{
    return &step->state->articulations.coupling;
}

/* Columns and blocks. */

static const dry_panel_kernels *kernels_of(const dry_solver_step *step)
{
    return dry_panel_kernels_at(step->state->sweeps.level);
}

/* Fills G_b: what unit impulses along the whitened axes of a body change the speeds of its joints by. */
static void find_sides(const dry_linkage *l, const dry_coupled_body *body, double *value)
{
    const dry_articulated_body *part = &l->body[body->body];
    const dry_whitening w = dry_whitening_of(&l->step->state->bodies.rows[part->row + 1],
                                             l->step->bodies->pose[part->row].orientation);
    const dry_coupling *c = coupling_of(l->step);
    for (int i = body->node_begin; i < body->node_end; i++) {
        const int side = c->side[i];
        const dry_articulated_joint *joint = &l->joint[c->node[i]];
        const dry_articulated_row *row = &l->row[joint->row - l->articulation->row_begin];
        const double scale = side ? (double)part->parts : -(double)part->parts;
        for (int r = 0; r < joint->rows; r++, value += DRY_PATH_COLUMNS)
            dry_whitening_half(&w, scale, row[r].linear, row[r].angular[side], value);
    }
}

static void find_mobility(const dry_linkage *l, dry_coupled_body *body)
{
    const dry_coupling *c = coupling_of(l->step);
    const double *columns = c->values + body->columns, parts = (double)l->body[body->body].parts;
    double product[6][6];
    kernels_of(l->step)->path_products(c->part + body->part_begin, body->parts, columns, columns, product);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            body->mobility[i][j] = (i == j ? parts : 0.0) - product[i][j];
}

void dry_coupling_find_columns(const dry_linkage *l)
{
    dry_coupling *c = coupling_of(l->step);
    const int index = l->index;
    if (c->items == 0)
        return;
    const dry_factor *factor = &l->factor->factor;
    double *work = c->work + (int64_t)DRY_COUPLING_WORK * c->y_first[index];
    double *sides = work + dry_factor_path_work(factor);
    for (int b = c->first[index]; b < c->first[index + 1]; b++) {
        dry_coupled_body *body = &c->body[b];
        find_sides(l, body, sides);
        const dry_path_sides x = {c->node + body->node_begin, body->node_end - body->node_begin, sides};
        dry_factor_path_forward(factor, body->supernode, &x, work, c->values + body->columns);
        find_mobility(l, body);
    }
}

/* Finds what an impulse on one body of an articulation gives to another one: -Y_a^T Y_b, over the path that
 * both have. */
static void find_transfer(const dry_solver_step *step, const dry_coupled_body *a, const dry_coupled_body *b,
                          double transfer[6][6])
{
    const dry_coupling *c = coupling_of(step);
    const dry_path_part *of_a = c->part + a->part_begin, *of_b = c->part + b->part_begin;
    int common = 0;
    while (common < a->parts && common < b->parts &&
           of_a[a->parts - 1 - common].first == of_b[b->parts - 1 - common].first)
        common++;
    DRY_ASSERT(common > 0);
    const int only_a = dry_path_rows(of_a, a->parts - common);
    const int only_b = dry_path_rows(of_b, b->parts - common);
    kernels_of(step)->path_products(of_a + a->parts - common, common,
                                    c->values + a->columns + DRY_PATH_COLUMNS * (int64_t)only_a,
                                    c->values + b->columns + DRY_PATH_COLUMNS * (int64_t)only_b, transfer);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            transfer[i][j] = -transfer[i][j];
}

/* Adds g M h^T to a block, for the parts of rows that belong to two sides. */
static void add_block(dry_coupled_item *item, int side, int other, double mobility[6][6])
{
    for (int j = 0; j < item->rows.count; j++) {
        double v[6] = {0};
        for (int k = 0; k < 6; k++)
            for (int m = 0; m < 6; m++)
                v[k] += mobility[k][m] * item->rows.g[j][6 * other + m];
        for (int i = 0; i < item->rows.count; i++)
            for (int k = 0; k < 6; k++)
                item->block[i][j] += item->rows.g[i][6 * side + k] * v[k];
    }
}

/* Returns an articulation of an item; null: that side is on none. */
static dry_articulation *articulation_of(const dry_solver_step *step, const dry_coupled_item *item, int side)
{
    dry_articulations *a = &step->state->articulations;
    const int body = item->body[side];
    return body >= 0 ? &a->articulation[a->coupling.body[body].articulation] : NULL;
}

static bool is_fine(const dry_solver_step *step, const dry_coupled_item *item, bool all)
{
    const dry_articulation *a = articulation_of(step, item, 0), *b = articulation_of(step, item, 1);
    return all ? (!a || a->fine) && (!b || b->fine) : (a && a->fine) || (b && b->fine);
}

/* Tells whether an item's rows and block stay: its articulations keep their rows, on which nothing but
 * contacts acts, and no other body of it turns its frame. */
static bool is_kept(const dry_solver_step *step, const dry_coupled_item *item)
{
    bool kept = true;
    for (int side = 0; side < 2 && kept; side++) {
        const dry_articulation *a = articulation_of(step, item, side);
        const int row = item->rows.row[side] - 1;
        kept = a ? a->kept : row < 0 || !dry_frames_turn(step->state, row);
    }
    return kept;
}

/* Takes the rows out of a block along which nothing moves, and marks the articulations of heavy ones. A
 * contact of two bodies of one articulation is forbidden by its joints if they leave less than HEAVY of what
 * its impulses would move, did each act on one body alone: bodies would turn about joints at 1 / HEAVY of its
 * speeds. */
static void drop_fixed_rows(const dry_solver_step *step, dry_coupled_item *item,
                            const double free[DRY_COUPLED_ROWS])
{
    const double least = (is_fine(step, item, true) ? DRY_FINE : 1.0) * DRY_LEAST_MOBILITY;
    for (int i = 0; i < item->rows.count; i++) {
        const double left = item->block[i][i];
        const bool normal = item->kind == DRY_KIND_CONTACT && i < DRY_COUPLED_NORMALS && item->rows.row[0] &&
                            item->rows.row[1];
        const bool forbidden = normal && left < item->apart[i] && left < HEAVY * item->apart[i];
        for (int side = 0; side < 2 && left < HEAVY * free[i] && !forbidden; side++)
            if (item->body[side] >= 0)
                articulation_of(step, item, side)->heavy = true;
        if (left > least * free[i] && !forbidden)
            continue;
        for (int j = 0; j < DRY_COUPLED_ROWS; j++)
            item->block[i][j] = item->block[j][i] = 0.0;
    }
}

/* Tells whether joints hold a contact's body on its other one, which no impulse moves. Where they leave
 * little of the motion along the normal, overlaps part as gently as those of one articulation. */
static bool hangs_on_other(const dry_solver_step *step, const dry_coupled_item *item)
{
    const int member = step->state->sweeps.bundles[item->kind].members[item->bundle].index[item->lane];
    int body[DRY_CONSTRAINT_BODIES], side = item->rows.row[0] == 0;
    step->kinds[item->kind]->bodies(step, member, body);
    dry_joint_iterator it = dry_joints_of(step->joints, dry_body_state_of(step->bodies, body[side]));
    while (item->rows.row[!side] == 0 && dry_next_joint(&it))
        if (it.side < 2 && dry_joint_body(step->joints, it.joint, 1 - it.side) == body[!side])
            return true;
    return false;
}

static void find_block(const dry_solver_step *step, dry_coupled_item *item)
{
    double one[6][6] = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                        {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
    const dry_articulations *a = &step->state->articulations;
    dry_coupling *c = coupling_of(step);
    (item->kind == DRY_KIND_CONTACT ? dry_contact_couple : dry_axes_couple)(step, item->bundle, item->lane,
                                                                            &item->rows);
    DRY_ASSERT(item->rows.count >= 0 && item->rows.count <= DRY_COUPLED_ROWS);
    memset(item->block, 0, sizeof item->block);
    double free[DRY_COUPLED_ROWS] = {0};
    dry_coupled_body *body[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        body[side] = item->body[side] >= 0 ? &c->body[item->body[side]] : NULL;
        if (item->rows.row[side] == 0)
            continue;
        const double parts = body[side] ? (double)a->body[body[side]->body].parts : 1.0;
        for (int i = 0; i < item->rows.count; i++)
            for (int k = 6 * side; k < 6 * side + 6; k++)
                free[i] += parts * item->rows.g[i][k] * item->rows.g[i][k];
        add_block(item, side, side, body[side] ? body[side]->mobility : one);
    }
    const bool hangs = item->kind == DRY_KIND_CONTACT && hangs_on_other(step, item);
    for (int i = 0; i < DRY_COUPLED_NORMALS; i++)
        item->apart[i] = hangs ? free[i] : item->block[i][i];
    if (body[0] && body[1] && body[0]->articulation == body[1]->articulation) {
        double transfer[6][6], back[6][6];
        find_transfer(step, body[0], body[1], transfer);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                back[j][i] = transfer[i][j];
        add_block(item, 0, 1, transfer);
        add_block(item, 1, 0, back);
    }
    drop_fixed_rows(step, item, free);
}

/* Items by group. */
typedef struct coupling_job {
    dry_solver_step *step;
    const dry_tier_range *range;
    const dry_sweep *sweep;
    dry_sweep_kind kind;
    bool again; /* items on fine factors alone */
    void (*each)(const struct coupling_job *job, dry_coupled_item *item);
} coupling_job;

static bool is_in(const coupling_job *job, const dry_coupled_group *group)
{
    return !job->range || job->range == &job->step->state->plan.ranges[group->tier];
}

static void over_groups(const coupling_job *job, dry_jobs_run *run)
{
    dry_jobs_for(job->step->jobs, coupling_of(job->step)->groups, 1, run, (void *)job);
}

/* Calls the job's function for each item. */
static void each_item(void *context, dry_items items)
{
    const coupling_job *job = context;
    const dry_coupling *c = coupling_of(job->step);
    for (int g = items.begin; g < items.end; g++)
        for (int i = c->group[g].item_begin; i < c->group[g].item_end && is_in(job, &c->group[g]); i++)
            job->each(job, &c->item[i]);
}

static void find_missing_block(const coupling_job *job, dry_coupled_item *item)
{
    if (!is_kept(job->step, item) && (!job->again || is_fine(job->step, item, false)))
        find_block(job->step, item);
}

bool dry_coupling_find_blocks(dry_solver_step *step, const dry_tier_range *range, bool again)
{
    const coupling_job job = {.step = step, .range = range, .again = again, .each = find_missing_block};
    over_groups(&job, each_item);
    const dry_articulations *a = &step->state->articulations;
    bool heavy = false;
    for (int i = 0; i < a->count && coupling_of(step)->items > 0; i++)
        heavy = heavy || a->articulation[i].heavy;
    return heavy;
}

/* Visits. */

void dry_coupling_velocity(const dry_solver_step *step, const dry_coupled_body *body, double v[6])
{
    const dry_coupling *c = coupling_of(step);
    double sums[6]; /* Y^T y */
    kernels_of(step)->path_sums(c->part + body->part_begin, body->parts, c->values + body->columns,
                                c->y + c->y_first[body->articulation], sums);
    for (int k = 0; k < 6; k++)
        v[k] = body->u[k] + sums[k];
}

void dry_coupling_push(const dry_solver_step *step, dry_coupled_body *body, const double f[6])
{
    const dry_coupling *c = coupling_of(step);
    const double parts = (double)step->state->articulations.body[body->body].parts;
    for (int k = 0; k < 6; k++) {
        body->impulse[k] += f[k];
        body->u[k] += parts * f[k];
    }
    kernels_of(step)->path_subtract(c->part + body->part_begin, body->parts, c->values + body->columns, f,
                                    c->y + c->y_first[body->articulation]);
}

/* Fills an item's motion, with the joints' impulses. */
static void find_motion(const dry_solver_step *step, const dry_coupled_item *item, dry_coupled_motion *m)
{
    const dry_solver_state *s = step->state;
    memset(m, 0, sizeof *m);
    m->block = (const double(*)[DRY_COUPLED_ROWS])item->block;
    m->apart = item->apart;
    m->count = item->rows.count;
    for (int side = 0; side < 2; side++) {
        const int row = item->rows.row[side];
        if (row == 0)
            continue;
        double v[6];
        if (item->body[side] >= 0)
            dry_coupling_velocity(step, &coupling_of(step)->body[item->body[side]], v);
        for (int k = 0; k < 6 && item->body[side] < 0; k++)
            v[k] = (double)s->bodies.rows[row].u[k];
        for (int i = 0; i < m->count; i++)
            for (int k = 0; k < 6; k++) {
                const double g = item->rows.g[i][6 * side + k];
                m->speed[i] += g * v[k];
                m->begin[i] += g * (double)s->bodies.start[row - 1].u[k];
                m->moved[i] += g * (double)s->bodies.rows[row].d[k];
            }
    }
}

/* Gives the changes of an item's impulses to one side: to a coupled body, or else to its row. */
static void push_side(const dry_solver_step *step, const dry_coupled_item *item, int side, bool coupled,
                      const dry_coupled_motion *m)
{
    dry_solver_row *row = &step->state->bodies.rows[item->rows.row[side]];
    double f[6] = {0};
    for (int i = 0; i < m->count; i++)
        for (int k = 0; k < 6; k++)
            f[k] += item->rows.g[i][6 * side + k] * m->change[i];
    if (coupled && item->body[side] >= 0)
        dry_coupling_push(step, &coupling_of(step)->body[item->body[side]], f);
    else
        for (int k = 0; k < 6 && item->rows.row[side] > 0; k++)
            row->u[k] = (float)((double)row->u[k] + f[k]);
}

/* Tells whether an item can be solved: bodies beyond all bounds go into quarantine when the step ends, and
 * the others must not see them. */
static bool is_valid(const dry_coupled_motion *m)
{
    bool valid = true;
    for (int i = 0; i < m->count; i++)
        valid = valid && fabs(m->speed[i]) <= DRY_SPEED_SOLVED_MAX;
    return valid;
}

/* Does what the job's sweep does to an item, by the motion of its rows. */
static void sweep_item(const coupling_job *job, const dry_coupled_item *item, dry_coupled_motion *m)
{
    (item->kind == DRY_KIND_CONTACT ? dry_contact_visit : dry_axes_visit)(job->step, item->bundle, item->lane,
                                                                          job->sweep, job->kind, m);
}

static void visit(const coupling_job *job, const dry_coupled_item *item)
{
    const dry_solver_step *step = job->step;
    dry_coupled_motion m;
    find_motion(step, item, &m);
    if (!is_valid(&m))
        return;
    sweep_item(job, item, &m);
    bool changed = false;
    for (int i = 0; i < m.count; i++)
        changed = changed || m.change[i] != 0.0;
    for (int side = 0; side < 2 && changed; side++)
        push_side(step, item, side, true, &m);
}

/* Times that a sweep visits each item. Stops of many joints under one load hand it on to each other; what is
 * spared is the joints' solve. */
enum { VISITS = 2 };

static void visit_groups(void *context, dry_items items)
{
    const coupling_job *job = context;
    const dry_coupling *c = coupling_of(job->step);
    for (int g = items.begin; g < items.end; g++) {
        const dry_coupled_group *group = &c->group[g];
        const int count = group->item_end - group->item_begin;
        for (int i = 0; i < VISITS * count && is_in(job, group); i++) {
            const int at = i % count;
            visit(job, &c->item[job->sweep->backward ? group->item_end - 1 - at : group->item_begin + at]);
        }
    }
}

void dry_coupling_visit(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                        dry_sweep_kind kind)
{
    const coupling_job job = {.step = step, .range = range, .sweep = sweep, .kind = kind};
    over_groups(&job, visit_groups);
}

static void apply_item(const coupling_job *job, dry_coupled_item *item)
{
    dry_coupled_motion m = {.count = item->rows.count};
    sweep_item(job, item, &m);
    for (int side = 0; side < 2; side++)
        push_side(job->step, item, side, false, &m);
}

void dry_coupling_apply(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                        dry_sweep_kind kind)
{
    const coupling_job job = {.step = step, .range = range, .sweep = sweep, .kind = kind, .each = apply_item};
    over_groups(&job, each_item);
}

static void scale_item(const coupling_job *job, dry_coupled_item *item)
{
    if (item->kind != DRY_KIND_CONTACT) /* the line search scales joints */
        return;
    const int row = item->rows.row[0] > 0 ? item->rows.row[0] : item->rows.row[1];
    DRY_ASSERT(row > 0);
    const float by = (float)job->step->state->bodies.frames[row - 1].slope;
    dry_contact_scale(job->step, item->bundle, item->lane, by);
}

void dry_coupling_scale(dry_solver_step *step, const dry_tier_range *range)
{
    const coupling_job job = {.step = step, .range = range, .each = scale_item};
    over_groups(&job, each_item);
}

/* The halves. */

bool dry_coupling_acts(const dry_linkage *l)
{
    const dry_coupling *c = coupling_of(l->step);
    const int index = l->index;
    return c->items > 0 && c->first[index] < c->first[index + 1];
}

void dry_coupling_begin(const dry_linkage *l, bool moving)
{
    dry_coupling *c = coupling_of(l->step);
    const int index = l->index;
    memset(c->y + c->y_first[index], 0, (size_t)(c->y_first[index + 1] - c->y_first[index]) * sizeof *c->y);
    for (int b = c->first[index]; b < c->first[index + 1]; b++) {
        dry_coupled_body *body = &c->body[b];
        const dry_solver_row *row = &l->step->state->bodies.rows[l->body[body->body].row + 1];
        memset(body->impulse, 0, sizeof body->impulse);
        for (int k = 0; k < 6; k++)
            body->u[k] = moving ? (double)row->u[k] : 0.0;
    }
}

void dry_coupling_answer(const dry_linkage *l)
{
    dry_coupling *c = coupling_of(l->step);
    const int index = l->index;
    dry_factor_from_padded(&l->factor->factor, c->y + c->y_first[index], l->impulses);
    dry_factor_backward(&l->factor->factor, l->impulses, l->jobs);
    dry_linkage_sum_impulses(l);
}

const double *dry_coupling_given(const dry_linkage *l, int body)
{
    const dry_coupling *c = coupling_of(l->step);
    return c->items > 0 && c->body_of[body] >= 0 ? c->body[c->body_of[body]].impulse : NULL;
}
