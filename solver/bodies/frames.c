/* The frames in which the rows of turning bodies are whitened. Reads joints, poses, masses; writes rows and
 * their starts, at the end of stage "prepare" and in stage "solve". */
#include "solver/bodies/frames.h"

#include "core/half_turns.h"
#include "solver/bodies/begin.h"
#include "solver/bodies/integrators.h"
#include "solver/bodies/kernel_list.h"
#include "solver/bodies/turned.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/articulations.h"
#include "solver/data/context.h"
#include "solver/data/terms.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/layout.h"
#include "state/iterators.h"

#include <string.h>

/* Bodies of a block. */
enum { FRAME_GRAIN = 64 };

/* Takes a whitened velocity to another frame, with the same angular momentum. */
static void turn_velocity(const dry_solver_row *r, float ua[3], dry_rotation to_frame)
{
    const dry_double3 l = rotation_apply(to_frame, dry_row_momentum(r, ua));
    ua[0] = (float)(l.x * (double)r->inv_sqrt_inertia[0]);
    ua[1] = (float)(l.y * (double)r->inv_sqrt_inertia[1]);
    ua[2] = (float)(l.z * (double)r->inv_sqrt_inertia[2]);
}

void dry_frames_find_rotation(const dry_solver_step *step, int row, float h)
{
    (void)h;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *turned = &step->state->bodies.turned[row];
    const dry_double3 now = rotation_apply(step->state->bodies.frames[row].turn, dry_row_vector(r, r->da));
    dry_turned_add(turned, double3_sub(now, turned->rotation));
}

void dry_frames_place(const dry_solver_step *step, int row)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_row_whiten(r,
                   rotation_apply_inverse(step->state->bodies.frames[row].turn,
                                          step->state->bodies.turned[row].rotation),
                   r->da);
}

void dry_frames_take(const dry_solver_step *step, int row, dry_rotation turn)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_row_frame *frame = &step->state->bodies.frames[row];
    DRY_ASSERT(row < step->state->bodies.frames_count && row < step->state->bodies.turned_count);
    const dry_rotation to_frame =
        rotation_mul((dry_rotation){-turn.x, -turn.y, -turn.z, turn.w}, frame->turn);
    const dry_quat begin = step->bodies->pose[row].orientation;
    const dry_rotation q = rotation_mul(
        (dry_rotation){(double)begin.x, (double)begin.y, (double)begin.z, (double)begin.w}, turn);
    frame->turn = turn;
    frame->orientation = quat_normalize((dry_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w});
    float *start = step->state->bodies.start[row].u + 3;
    const bool same = memcmp(r->ua, start, sizeof r->ua) == 0; /* where a substep begins */
    turn_velocity(r, r->ua, to_frame);
    if (same)
        memcpy(start, r->ua, sizeof r->ua);
    else
        turn_velocity(r, start, to_frame);
    turn_velocity(r, frame->force + 3, to_frame);
    dry_frames_place(step, row);
}

/* Bodies that go to the frames of their next substeps together. */
typedef struct next_frames {
    const dry_solver_step *step;
    bool impacts; /* bodies have impact rows, too */
    int32_t row[DRY_HALF_TURNS];
    dry_half_turns turns;
} next_frames;

/* Takes the displacement of a body's impact row to the frame that its row has gone to. */
static void turn_impact_row(dry_solver_state *s, int row, dry_rotation from, const float before[3])
{
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    float *da = s->sweeps.impact_rows[row + 1].d + 3, ahead[3];
    for (int k = 0; k < 3; k++)
        ahead[k] = da[k] - before[k];
    const dry_double3 more = rotation_apply(from, dry_row_vector(r, ahead));
    dry_row_whiten(r, rotation_apply_inverse(s->bodies.frames[row].turn, more), ahead);
    for (int k = 0; k < 3; k++)
        da[k] = r->da[k] + ahead[k];
}

/* Takes the rows, their starts and forces to the frames of the middles of their substeps. */
static void take_frames(next_frames *next)
{
    dry_solver_state *s = next->step->state;
    dry_body_kernels_at(s->sweeps.level)->find_half_turns(&next->turns);
    for (int i = 0; i < next->turns.count; i++) {
        const int row = next->row[i];
        const dry_rotation from = s->bodies.frames[row].turn;
        const dry_rotation half = rotation_from_vector(half_turns_vector(&next->turns, i));
        const dry_solver_row before = s->bodies.rows[row + 1];
        dry_frames_take(next->step, row,
                        rotation_normalize(rotation_mul(s->bodies.turned[row].orientation, half)));
        if (next->impacts)
            turn_impact_row(s, row, from, before.da);
    }
    next->turns.count = 0;
}

/* Adds a row whose frame becomes that of the middle of a substep of h, which begins with the velocity
 * `before`. The body turns to the middle and on by the velocity that its momentum has in the middle. With one
 * from before, a body of unequal moments would leave the cone on which its axis goes round its momentum, and
 * gain energy without bound. */
static void add_frame(next_frames *next, int row, const float before[3], float h)
{
    const dry_solver_state *s = next->step->state;
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    if (next->turns.count == DRY_HALF_TURNS)
        take_frames(next);
    dry_frames_find_rotation(next->step, row, h);
    const dry_rotor rotor = dry_row_rotor(r);
    const dry_double3 momentum = rotation_apply(s->bodies.frames[row].turn, dry_row_momentum(r, before));
    DRY_ASSERT(next->turns.count < DRY_HALF_TURNS);
    next->row[next->turns.count] = row;
    half_turns_add(&next->turns, &rotor, rotation_apply_inverse(s->bodies.turned[row].orientation, momentum),
                   (double)h);
}

/* Tells whether a joint that acts on a body is swept. */
static bool is_swept(const dry_solver_step *step, int row)
{
    for (dry_joint_iterator it = dry_joints_of(step->joints, &step->bodies->state[row]); dry_next_joint(&it);)
        if (step->joints->joint[it.joint].active >= 0 &&
            !dry_joint_is_direct(step->settings, step->joints, it.joint))
            return true;
    return false;
}

typedef struct frame_choice {
    const dry_solver_step *step;
    dry_frame_rule *turns;
} frame_choice;

static void decide_bodies(void *context, dry_items items)
{
    const frame_choice *choice = context;
    const dry_solver_step *step = choice->step;
    const dry_body_rows *of = &step->state->bodies;
    for (int row = items.begin; row < items.end; row++) {
        const dry_island *island = dry_row_island(step, row);
        dry_row_frame *frame = &of->frames[row];
        frame->turns = island && step->state->plan.ranges[dry_island_range(island)].turning &&
                       choice->turns(step, row, island) && is_swept(step, row);
        if (frame->turns) {
            frame->turn = (dry_rotation){0.0, 0.0, 0.0, 1.0};
            frame->orientation = step->bodies->pose[row].orientation;
            frame->ahead = (dry_quat){0.0f, 0.0f, 0.0f, 1.0f}; /* of an invalid body, too */
        }
        for (int k = 0; k < 6 && island; k++)
            frame->force[k] = of->start[row].u[k] - of->rows[row + 1].u[k];
    }
}

bool dry_frames_list(dry_solver_step *step, dry_memory *memory, int first, dry_frame_rule *turns)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    bool turning = false;
    for (int t = 0; t < s->plan.range_count; t++) {
        s->plan.ranges[t].turning = t >= first && s->plan.ranges[t].body_begin < s->plan.ranges[t].body_end;
        turning = turning || s->plan.ranges[t].turning;
    }
    s->bodies.frames_count = s->bodies.frames_turning = 0;
    if (!turning || step->joints->active_count == 0)
        return true;
    if (!DRY_RESERVE(memory, s->bodies.frames, s->bodies.frames_capacity, rows))
        return false;
    s->bodies.frames_count = rows;
    frame_choice choice = {step, turns};
    dry_jobs_for(step->jobs, rows, FRAME_GRAIN, decide_bodies, &choice);
    for (int row = 0; row < rows; row++)
        s->bodies.frames_turning += s->bodies.frames[row].turns;
    return s->bodies.frames_turning == 0 || dry_turned_reserve(step, memory);
}

/* Bodies of unequal moments that turn far have a frame, but for those of articulations. */
static bool turns_far(const dry_solver_step *step, int row, const dry_island *island)
{
    return dry_turned_applies(step, row, dry_island_substep(step, island)) &&
           !inertia_is_isotropic(step->bodies->mass[row].inverse_inertia) &&
           (island->solved != DRY_JOINTS_SWEPT || dry_body_turns(step, row, DRY_TURNING_ANGLE_MIN)) &&
           !dry_articulated_body_of(&step->state->articulations, row) &&
           !dry_integrates_apart(step->settings);
}

/* Takes the rows of bodies that turn their frames to the first ones. Rows still have the velocities before
 * the forces of the first substep. */
static void begin_bodies(void *context, dry_items items)
{
    next_frames next = {.step = context};
    for (int row = items.begin; row < items.end; row++)
        if (dry_frames_turn(next.step->state, row))
            add_frame(&next, row, next.step->state->bodies.rows[row + 1].ua,
                      dry_island_substep(next.step, dry_row_island(next.step, row)));
    take_frames(&next);
}

bool dry_frames_begin(dry_solver_step *step, dry_memory *memory)
{
    if (!dry_frames_list(step, memory, DRY_TIER_COUNT, turns_far))
        return false;
    if (step->state->bodies.frames_turning > 0)
        dry_jobs_for(step->jobs, step->bodies->awake_count, FRAME_GRAIN, begin_bodies, step);
    return true;
}

typedef struct frame_job {
    const dry_solver_step *step;
    const int32_t *order; /* the tier's rows */
    float h;
    bool impacts; /* bodies have impact rows, too */
    dry_frame_run *run;
    bool ends; /* frames become those of the step's beginning */
} frame_job;

bool dry_frames_turn(const dry_solver_state *state, int row)
{
    return row < state->bodies.frames_count && state->bodies.frames[row].turns;
}

static void follow_bodies(void *context, dry_items items)
{
    const frame_job *job = context;
    dry_solver_state *s = job->step->state;
    next_frames next = {.step = job->step, .impacts = job->impacts};
    for (int i = items.begin; i < items.end; i++) {
        const int row = job->order[i];
        if (!dry_frames_turn(s, row) || s->bodies.invalid[row])
            continue;
        memcpy(s->bodies.start[row].u, s->bodies.rows[row + 1].u, sizeof s->bodies.start[row].u);
        add_frame(&next, row, s->bodies.rows[row + 1].ua, job->h);
    }
    take_frames(&next);
}

static void run_body(const void *context, int row)
{
    const frame_job *job = context;
    const dry_solver_state *s = job->step->state;
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    dry_row_frame *frame = &s->bodies.frames[row];
    const bool runs = frame->turns && !s->bodies.invalid[row];
    frame->turns = frame->turns && !job->ends;
    if (runs && job->run)
        job->run(job->step, row, job->h);
    if (runs && job->ends)
        dry_turned_set(job->step, row, rotation_apply(frame->turn, dry_row_momentum(r, r->ua)));
}

/* Tells whether bodies of a tier turn their frames. */
static bool some_turn(const dry_solver_step *step, const dry_tier_range *range)
{
    return step->state->bodies.frames_turning > 0 && range->turning;
}

void dry_frames_over(dry_solver_step *step, const dry_tier_range *range, float h, dry_frame_run *run)
{
    const frame_job job = {.step = step, .h = h, .run = run};
    if (some_turn(step, range))
        dry_over_rows(step, range, run_body, &job);
}

void dry_frames_follow(dry_solver_step *step, const dry_tier_range *range, float h)
{
    frame_job job = {.step = step,
                     .order = step->state->plan.order + range->body_begin,
                     .h = h,
                     .impacts = dry_range_bounces(range)};
    if (some_turn(step, range))
        dry_jobs_for(step->jobs, range->body_end - range->body_begin, FRAME_GRAIN, follow_bodies, &job);
}

void dry_frames_end(dry_solver_step *step, const dry_tier_range *range, dry_frame_run *run)
{
    const frame_job job = {.step = step, .h = step->dt / (float)range->substeps, .run = run, .ends = true};
    if (some_turn(step, range))
        dry_over_rows(step, range, run_body, &job);
}

const dry_quat *dry_frames_orientation(const dry_solver_step *step, int row)
{
    return dry_frames_turn(step->state, row) ? &step->state->bodies.frames[row].orientation
                                             : &dry_start_pose(step, row)->orientation;
}

dry_whitening dry_frames_whitening(const dry_solver_step *step, int row)
{
    return dry_whitening_of(&step->state->bodies.rows[row + 1], *dry_frames_orientation(step, row));
}
