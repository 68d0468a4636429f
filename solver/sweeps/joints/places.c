/* Stage "prepare": the bodies of joints where the step begins. Reads joints, poses, velocities; writes places
 * of bundles. Next: make_kernels.h. */
#include "solver/sweeps/joints/place.h"

#include "core/gyroscopic.h"
#include "core/rotation.h"
#include "solver/data/context.h"

/* One body, and where the joint's anchor and frame are. */
typedef struct placed_body {
    dry_position center;
    dry_quat orientation;    /* of the principal frame */
    dry_vec3 velocity, spin; /* of one that moves of itself */
    dry_double3 arm;         /* from the center of mass to the anchor, world, m */
} placed_body;

/* Fills what softness depends on. Returns the type of the body: static if it sleeps. */
static dry_body_type find_side(const dry_solver_step *step, int row, dry_joint_side *s)
{
    const dry_bodies *bodies = step->bodies;
    *s = (dry_joint_side){0};
    if (row < 0 || row >= bodies->awake_count)
        return DRY_BODY_STATIC;
    if (bodies->state[row].type == DRY_BODY_DYNAMIC) {
        s->row = row + 1;
        s->shared = (bodies->state[row].colors & (bodies->state[row].colors - 1)) != 0;
    }
    return (dry_body_type)bodies->state[row].type;
}

static int row_of_side(const dry_solver_step *step, int index, int side)
{
    const int body = dry_joint_body(step->joints, index, side);
    return body >= 0 ? dry_bodies_row(step->bodies, body) : -1;
}

static placed_body place_body(const dry_solver_step *step, int index, int side, dry_joint_side *s)
{
    const dry_bodies *bodies = step->bodies;
    const int row = row_of_side(step, index, side);
    placed_body p = {.orientation = quat_identity()};
    if (row >= 0) {
        p.center = bodies->pose[row].position;
        p.orientation = bodies->pose[row].orientation;
    } else {
        p.center = step->joints->def[index].target;
    }
    if (find_side(step, row, s) == DRY_BODY_KINEMATIC) {
        p.velocity = bodies->velocity[row].linear;
        p.spin = bodies->velocity[row].angular;
    }
    p.arm = rotation_apply(rotation_from_quat(p.orientation),
                           double3_of(dry_joint_anchor(step->joints, index, side)));
    return p;
}

static void put_quat(dry_lanes *lanes, int lane, dry_quat q)
{
    lanes[0][lane] = q.x;
    lanes[1][lane] = q.y;
    lanes[2][lane] = q.z;
    lanes[3][lane] = q.w;
}

static void put_double3(dry_lanes *lanes, int lane, dry_double3 v)
{
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

static bool moves(const placed_body *p)
{
    return vec3_length_squared(p->velocity) > 0.0f || vec3_length_squared(p->spin) > 0.0f;
}

dry_joint_placed dry_joint_place_bodies(const dry_solver_step *step, int index, int lane,
                                        dry_joint_places *places, dry_joint_frame_places *frames)
{
    dry_joint_placed placed;
    const placed_body a = place_body(step, index, 0, &placed.a), b = place_body(step, index, 1, &placed.b);
    const dry_joint *joint = &step->joints->joint[index];
    put_quat(places->orientation_a, lane, a.orientation);
    put_quat(places->orientation_b, lane, b.orientation);
    put_double3(places->arm_a, lane, a.arm);
    put_double3(places->arm_b, lane, b.arm);
    const dry_double3 centers = {b.center.x - a.center.x, b.center.y - a.center.y, b.center.z - a.center.z};
    placed.apart = double3_add_scaled(double3_add_scaled(centers, 1.0, b.arm), -1.0, a.arm);
    put_double3(places->apart, lane, placed.apart);
    dry_lanes_put3(places->velocity_a, lane, a.velocity);
    dry_lanes_put3(places->spin_a, lane, a.spin);
    dry_lanes_put3(places->velocity_b, lane, b.velocity);
    dry_lanes_put3(places->spin_b, lane, b.spin);
    places->shared[lane] = placed.a.shared || placed.b.shared ? 1.0f : 0.0f;
    places->moves |= moves(&a) || moves(&b);
    if (frames) {
        put_quat(frames->frame_a, lane, quat_normalize(quat_mul(a.orientation, joint->frame_a)));
        put_quat(frames->frame_b, lane, quat_normalize(quat_mul(b.orientation, joint->frame_b)));
    }
    return placed;
}

/* An open joint whose gap turns a body this many times more easily than it moves it, as a lever arm, is not
 * warm-started: while its frame rotates, the gap makes torques of the impulses of the last step. */
#define GAP_MAX 100.0

bool dry_joint_is_torn(const dry_solver_step *step, int index, const dry_joint_placed *placed)
{
    if (dry_joint_types[step->joints->def[index].type]->kind != DRY_KIND_BLOCK)
        return false; /* a rope's length is no gap */
    const dry_solver_row *a = &step->state->bodies.rows[placed->a.row],
                         *b = &step->state->bodies.rows[placed->b.row];
    double inverse_inertia = 0.0;
    for (int k = 0; k < 3; k++)
        inverse_inertia += (double)a->inv_sqrt_inertia[k] * (double)a->inv_sqrt_inertia[k];
    /* A body whose center is locked only turns: the other one is moved. */
    const double root = (double)(a->inv_sqrt_mass > 0.0f ? a->inv_sqrt_mass : b->inv_sqrt_mass);
    const double gap = GAP_MAX * root;
    return root > 0.0 && double3_dot(placed->apart, placed->apart) * inverse_inertia > gap * gap;
}

void dry_joint_count_forms(dry_lanes *form, int rows, int lanes, uint32_t *forms)
{
    for (int i = 0; i < rows; i++)
        for (int lane = 0; lane < lanes; lane++)
            forms[i] |= 1u << (int)form[i][lane];
}
