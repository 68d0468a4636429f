/* Stage "prepare": the bodies of joints where the step begins. Reads joints, poses, velocities; writes places
 * of bundles. Next: make_kernels.h. */
#include "solver/sweeps/joints/place.h"

#include "core/rotation.h"
#include "solver/data/context.h"

int32_t dry_joint_add_body(const dry_solver_step *step, int row, dry_joint_placed *placed)
{
    const dry_bodies *bodies = step->bodies;
    if (row < 0 || row >= bodies->awake_count || bodies->state[row].type != DRY_BODY_DYNAMIC)
        return 0;
    placed->row = dry_max_int(placed->row, row + 1);
    placed->shared |= (bodies->state[row].colors & (bodies->state[row].colors - 1)) != 0;
    return row + 1;
}

/* Returns the place of a body, and its velocity if it moves of itself. Fills its solver row, and the lever
 * arm from its center of mass to the anchor, in the world. */
static dry_side_motion place_body(const dry_solver_step *step, int index, int side, int32_t *solver_row,
                                  dry_double3 *arm, dry_joint_placed *placed)
{
    const int body = dry_joint_body(step->joints, index, side);
    const int row = body >= 0 ? dry_bodies_row(step->bodies, body) : -1;
    dry_side_motion m = dry_side_motion_of(step->bodies, body, &step->joints->def[index]);
    *solver_row = dry_joint_add_body(step, row, placed);
    if (row >= 0 && step->bodies->state[row].type != DRY_BODY_KINEMATIC)
        m.velocity = m.spin = vec3(0.0f, 0.0f, 0.0f);
    *arm = rotation_apply(rotation_from_quat(m.orientation),
                          double3_of(dry_joint_anchor(step->joints, index, side)));
    return m;
}

static void put_quat(dry_lanes *lanes, int lane, dry_quat q)
{
    lanes[0][lane] = q.x;
    lanes[1][lane] = q.y;
    lanes[2][lane] = q.z;
    lanes[3][lane] = q.w;
}

static bool moves(const dry_side_motion *m)
{
    return vec3_length_squared(m->velocity) > 0.0f || vec3_length_squared(m->spin) > 0.0f;
}

dry_joint_placed dry_joint_place_bodies(const dry_solver_step *step, int index, int lane, int32_t *row_a,
                                        int32_t *row_b, dry_joint_places *places,
                                        dry_joint_frame_places *frames)
{
    dry_joint_placed placed = {0};
    dry_double3 arm[2];
    dry_side_motion m[2];
    for (int side = 0; side < 2; side++) {
        dry_joint_side_place *place = &places->side[side];
        m[side] = place_body(step, index, side, &(side ? row_b : row_a)[lane], &arm[side], &placed);
        put_quat(place->orientation, lane, m[side].orientation);
        dry_lanes_put3(place->arm, lane, vec3_of(arm[side]));
        dry_lanes_put3(place->velocity, lane, m[side].velocity);
        dry_lanes_put3(place->spin, lane, m[side].spin);
        places->moves |= moves(&m[side]);
        const dry_joint *joint = &step->joints->joint[index];
        if (frames)
            put_quat(frames->side[side], lane,
                     quat_normalize(quat_mul(m[side].orientation, side ? joint->frame_b : joint->frame_a)));
    }
    const dry_position *a = &m[0].center, *b = &m[1].center;
    const dry_double3 centers = {b->x - a->x, b->y - a->y, b->z - a->z};
    placed.apart = double3_add_scaled(double3_add_scaled(centers, 1.0, arm[1]), -1.0, arm[0]);
    dry_lanes_put3(places->apart, lane, vec3_of(placed.apart));
    places->shared[lane] = placed.shared ? 1.0f : 0.0f;
    return placed;
}

/* An open joint whose gap turns a body this many times more easily than it moves it, as a lever arm, is not
 * warm-started: while its frame rotates, the gap makes torques of the impulses of the last step. */
#define GAP_MAX 100.0

bool dry_joint_is_torn(const dry_solver_step *step, int index, int row_a, int row_b, dry_double3 apart)
{
    if (dry_joint_types[step->joints->def[index].type]->kind != DRY_KIND_BLOCK)
        return false; /* a rope's length is no gap */
    const dry_solver_row *a = &step->state->bodies.rows[row_a], *b = &step->state->bodies.rows[row_b];
    double inverse_inertia = 0.0;
    for (int k = 0; k < 3; k++)
        inverse_inertia += (double)a->inv_sqrt_inertia[k] * (double)a->inv_sqrt_inertia[k];
    /* A body whose center is locked only turns: the other one is moved. */
    const double root = (double)(a->inv_sqrt_mass > 0.0f ? a->inv_sqrt_mass : b->inv_sqrt_mass);
    const double gap = GAP_MAX * root;
    return root > 0.0 && double3_dot(apart, apart) * inverse_inertia > gap * gap;
}

void dry_joint_count_forms(dry_lanes *form, int rows, int lanes, uint32_t *forms)
{
    for (int i = 0; i < rows; i++)
        for (int lane = 0; lane < lanes; lane++)
            forms[i] |= 1u << (int)form[i][lane];
}
