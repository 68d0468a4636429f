/* The rotation of bodies on joints that are solved for positions (free_rotation.h). Reads rows and masses;
 * writes rows, frames and rotations, in stage "solve". */
#include "solver/bodies/free_rotation.h"

#include "core/integrate.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"

/* Takes a row to the frame of the beginning of a substep. One with equal moments has the same in all. */
static void begin(const dry_solver_step *step, int row, float h)
{
    (void)h;
    if (!inertia_is_isotropic(step->bodies->mass[row].inverse_inertia))
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
    if (inertia_is_isotropic(inverse))
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

void dry_free_rotation_begin(dry_solver_step *step, const dry_tier_range *range)
{
    dry_frames_over(step, range, 0.0f, begin);
}

void dry_free_rotation_predict(dry_solver_step *step, const dry_tier_range *range, float h)
{
    dry_frames_over(step, range, h, predict);
}

void dry_free_rotation_move(dry_solver_step *step, const dry_tier_range *range, float h)
{
    dry_frames_over(step, range, h, move);
}
