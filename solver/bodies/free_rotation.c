/* The rotation of bodies on joints that are solved for positions (free_rotation.h). Reads rows and masses;
 * writes rows, frames and rotations, in stage "solve". */
#include "solver/bodies/free_rotation.h"

#include "core/integrate.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"

/* Bodies of a block. */
enum { ROTATION_GRAIN = 64 };

typedef struct rotation_job {
    const dry_solver_step *step;
    const int32_t *order; /* the tier's rows */
    float h;
    void (*run)(const dry_solver_step *step, int row, float h);
} rotation_job;

static bool is_isotropic(dry_vec3 inertia)
{
    return inertia.x == inertia.y && inertia.y == inertia.z;
}

/* Takes a row to the frame of the beginning of a substep. One with equal moments has the same in all. */
static void begin(const dry_solver_step *step, int row, float h)
{
    (void)h;
    if (!is_isotropic(step->bodies->mass[row].inverse_inertia))
        dry_frames_take(step, row, step->state->bodies.turned[row].orientation);
}

/* Returns the vector of a free body's rotation in a substep, in the principal frame of the step's beginning.
 * The inertia is the body's own, where its row has more (stiffened.h). */
static dry_double3 find_way(const dry_solver_step *step, int row, float h)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
    const dry_double3 none = {0.0, 0.0, 0.0};
    const dry_double3 own = dry_row_vector(r, r->ua);
    const dry_rotation frame = step->state->bodies.frames[row].turn;
    if (is_isotropic(inverse))
        return double3_add_scaled(none, (double)h, rotation_apply(frame, own));
    dry_rotor rotor = {.inverse = double3_of(inverse)};
    rotor.inertia = (dry_double3){1.0 / rotor.inverse.x, 1.0 / rotor.inverse.y, 1.0 / rotor.inverse.z};
    const dry_double3 half = rotor_half_turn(&rotor, double3_mul(rotor.inertia, own), (double)h);
    return double3_add_scaled(none, 2.0, rotation_apply(frame, half));
}

static void predict(const dry_solver_step *step, int row, float h)
{
    const dry_rotation way = rotation_from_vector(find_way(step, row, h));
    const dry_rotation turned = rotation_mul(way, step->state->bodies.turned[row].orientation);
    const dry_double3 axis = rotation_apply(rotation_from_quat(step->bodies->pose[row].orientation),
                                            (dry_double3){turned.x, turned.y, turned.z});
    step->state->bodies.frames[row].ahead =
        quat_normalize((dry_quat){(float)axis.x, (float)axis.y, (float)axis.z, (float)turned.w});
}

static void move(const dry_solver_step *step, int row, float h)
{
    dry_turned_add(&step->state->bodies.turned[row], find_way(step, row, h));
    dry_frames_place(step, row);
}

static void run_job(void *context, int first, int end, int worker)
{
    (void)worker;
    const rotation_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int i = first; i < end; i++)
        if (dry_frames_turn(s, job->order[i]) && !s->bodies.invalid[job->order[i]])
            job->run(job->step, job->order[i], job->h);
}

static void over_bodies(dry_solver_step *step, const dry_tier_range *range, float h,
                        void (*run)(const dry_solver_step *step, int row, float h))
{
    rotation_job job = {step, step->state->plan.order + range->body_begin, h, run};
    if (step->state->bodies.frames_count > 0)
        dry_jobs_for(step->jobs, range->body_end - range->body_begin, ROTATION_GRAIN, run_job, &job);
}

void dry_free_rotation_begin(dry_solver_step *step, const dry_tier_range *range)
{
    over_bodies(step, range, 0.0f, begin);
}

void dry_free_rotation_predict(dry_solver_step *step, const dry_tier_range *range, float h)
{
    over_bodies(step, range, h, predict);
}

void dry_free_rotation_move(dry_solver_step *step, const dry_tier_range *range, float h)
{
    over_bodies(step, range, h, move);
}
