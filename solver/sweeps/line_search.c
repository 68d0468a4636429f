/* Before each substep of stage "solve": how much of the impulses of joints a substep begins with. Reads and
 * writes rows; scales the impulses of bundles.
 *
 * A sweep lowers the dual
 *     D(l) = 1/2 l . (J W J' + eps) l + l . (J v + b)
 * which for b = 0 is the energy that the impulses l give to the motion v without them. A sweep that begins
 * cold begins at D = 0, and joints cannot give energy. Warm impulses belong to another pose: along rows that
 * have turned, D may be anything, and grows from substep to substep. So those of an island are multiplied by
 * the one s between 0 and 1 that minimizes D(s l):
 *     s = - (sum l . (J v + b)) / (|W^(1/2) J' l|^2 + sum l . eps l)
 * Both sums over rows are sums over bodies, which know their change by the impulses: l . J v is du . u, and
 * the square is |du|^2. The rows add b and eps (joints/seldom_kernels.c).
 *
 * Joints that are solved directly answer the impulses of all else. With u before and u' after their answer,
 * the sums over bodies are pushed . u and pushed . (u' - u), pushed being the change without the answer. */

#include "solver/plan/islands.h"

#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/data/articulations.h"
#include "solver/data/constraint.h"
#include "solver/data/joints/axes.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/joints/kernel_list.h"
#include "solver/sweeps/passes.h"

/* Goes over the range's joints with the slope kernels, and then with others. */
static void over_joints(dry_substeps *run, const dry_sweep_kernels *then)
{
    const dry_solver_state *s = run->step->state;
    dry_sweep_kernels kernels = {.update = DRY_UPDATE_DIRECT, .then = then};
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT && s->sweeps.bundles[k].count > 0; fill++) {
            const dry_constraint_kind *kind = run->step->kinds[k];
            kernels.kernel[k][fill] = kind->slope(kind, dry_level_of_fill(s->sweeps.level, (dry_fill)fill));
        }
    dry_substeps_pass(run, &kernels);
}

bool dry_line_search_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_law_records *laws = &step->state->laws;
    const int islands = step->state->bodies.frames_count > 0 ? step->islands->count : 0;
    return DRY_RESERVE(memory, laws->search, laws->search_capacity, 2 * islands);
}

static void keep_body(const void *context, int row)
{
    const dry_solver_step *step = context;
    const dry_solver_state *s = step->state;
    DRY_ASSERT(row < s->bodies.frames_count);
    dry_frame_begin_search(&s->bodies.frames[row], s->bodies.rows[row + 1].u);
}

void dry_line_search_begin(dry_substeps *run, const dry_sweep_kernels *warm)
{
    const dry_solver_state *s = run->step->state;
    const dry_bundle_range contacts = dry_tier_bundles(s, run->range, DRY_KIND_CONTACT);
    if (contacts.begin < contacts.end || run->range->parts) /* whose impulses came after the forces */
        dry_over_rows(run->step, run->range, keep_body, run->step);
    over_joints(run, warm);
    const dry_bundle_range axes = dry_coupled_bundles(s, run->range, DRY_KIND_AXES);
    if (axes.begin < axes.end)
        dry_seldom_joint_kernels_at(s->sweeps.level)
            ->slope[DRY_KIND_AXES](s->sweeps.bundles[DRY_KIND_AXES].bundle, axes.begin, axes.end,
                                   &run->sweep);
}

/* Returns a component of the velocity of a body of an island that nothing holds, as a row of inverse mass 1
 * has it. Its impulses have no sum: relative to such a velocity their rounding does not count as that of the
 * whole. */
static double common_of(const dry_solver_step *step, const dry_island *island, int k)
{
    return (double)step->state->bodies.frames[island->first].before[k] *
           (double)step->state->bodies.rows[island->first + 1].inv_sqrt_mass;
}

/* Finds the change of a body by the impulses: its product with the velocity before, and its square. */
static void find_gain(const void *context, int row)
{
    const dry_solver_step *step = context;
    const dry_solver_state *s = step->state;
    dry_row_frame *frame = &s->bodies.frames[row];
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    const dry_articulated_body *body = dry_articulated_body_of(&s->articulations, row);
    const dry_island *island = &step->islands->island[step->bodies->sleep[row].island];
    for (int k = 0; k < 6; k++) {
        const double change = (double)r->u[k] - (double)frame->before[k];
        const double pushed = body ? (double)body->pushed[k] : change;
        const double common = k < 3 && island->floating ? common_of(step, island, k) : 0.0;
        const double moves = common != 0.0 ? common / (double)r->inv_sqrt_mass : 0.0;
        frame->slope += pushed * ((double)frame->before[k] - moves);
        frame->curve += pushed * change;
    }
}

static double *search_of(const dry_solver_step *step, int island)
{
    DRY_ASSERT(island >= 0 && island < step->islands->count);
    return &step->state->laws.search[2 * island];
}

/* Returns the scale of an island. */
static float scale_of(const dry_solver_step *step, int island)
{
    const double *search = search_of(step, island);
    double scale = search[1] > 0.0 ? -search[0] / search[1] : 1.0;
    scale = scale < 1.0 ? scale : 1.0;
    return (float)(scale > 0.0 ? scale : 0.0); /* also where a sum is no number */
}

/* Sums what the scales of islands follow from: bodies of an island mostly follow each other. Returns whether
 * any may be less than 1. */
static bool find_scales(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_solver_state *s = step->state;
    const int32_t *order = s->plan.order;
    bool found = false;
    for (int i = range->body_begin; i < range->body_end; i++) {
        double *search = search_of(step, step->bodies->sleep[order[i]].island);
        search[0] = search[1] = 0.0;
    }
    for (int i = range->body_begin; i < range->body_end;) {
        const int island = step->bodies->sleep[order[i]].island;
        double *search = search_of(step, island), slope = search[0], curve = search[1];
        for (; i < range->body_end && step->bodies->sleep[order[i]].island == island; i++) {
            slope += s->bodies.frames[order[i]].slope;
            curve += s->bodies.frames[order[i]].curve;
        }
        search[0] = slope;
        search[1] = curve;
        found = scale_of(step, island) < 1.0f || found;
    }
    return found;
}

static void scale_body(const void *context, int row)
{
    const dry_solver_step *step = context;
    const dry_solver_state *s = step->state;
    dry_row_frame *frame = &s->bodies.frames[row];
    float *u = s->bodies.rows[row + 1].u;
    const float scale = scale_of(step, step->bodies->sleep[row].island);
    frame->slope = (double)scale;
    for (int k = 0; k < 6 && scale < 1.0f; k++)
        u[k] = frame->before[k] + scale * (u[k] - frame->before[k]);
}

/* The most impulses of a bundle's lane: those of axes, and of the friction of a ball joint. */
enum { IMPULSES_MAX = DRY_AXES_ROWS * DRY_PART_COUNT + 3 };

/* Multiplies the impulses of bundles by the scales of their joints' islands. */
static void scale_bundles(const dry_solver_step *step, dry_bundle_part part)
{
    const dry_bundle_array *set = &step->state->sweeps.bundles[part.kind->index];
    for (int b = part.begin; b < part.end; b++) {
        dry_lanes *impulse[IMPULSES_MAX];
        float scale[DRY_BUNDLE];
        const int count =
            part.kind->impulses((char *)set->bundle + (size_t)b * part.kind->bundle_bytes, impulse);
        DRY_ASSERT(count > 0 && count <= IMPULSES_MAX);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int joint = set->members[b].index[lane];
            scale[lane] = joint < 0 ? 0.0f : scale_of(step, dry_joint_island(step, joint));
        }
        for (int i = 0; i < count; i++)
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                (*impulse[i])[lane] *= scale[lane];
    }
}

bool dry_line_search_end(dry_substeps *run)
{
    dry_over_rows(run->step, run->range, find_gain, run->step);
    if (!find_scales(run->step, run->range))
        return false;
    dry_over_rows(run->step, run->range, scale_body, run->step);
    dry_over_joints(run->step, run->range, scale_bundles, DRY_WHERE_STEP_BEGAN);
    return true;
}
