/* The loads of joints that hold for the first time: the weight that hangs on them, and springs that pull.
 *
 * Substeps follow the loads of joints (difficulty.c). They must do so before bodies move: joints that become
 * stiffer while they are open lift what they carry. So bodies hand their weight on, as they do through
 * contacts (static_load.c), from those that are most joints away from what holds them. Each body hands its
 * own weight and what it was given to all joints that lead nearer, in equal parts. What hangs between two
 * supports is pulled harder than that, as far as it is taut: such loads are measured.
 *
 * A spring that is tense where it begins accelerates its bodies, and the joints beside it must keep their
 * anchors together from the first substep on. Measured after the first step the load comes too late: few
 * substeps have let joints open by then, and closing them again lifts springs. In 20 boxes with 28 joints and
 * springs of 1e5 N m/rad gaps of 89 mm gave 3.6 kJ back. So each joint gets the acceleration by which springs
 * alone would part it as a further load, along each of its rows.
 *
 * Reads joints, masses, islands and their edges. Writes the loads of joints. Next: joint_groups.c. */
#include "solver/plan/islands.h"

#include "core/disjoint_sets.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/plan/difficulty.h"
#include "state/iterators.h"

#include <math.h>
#include <string.h>

/* How many joints a body is away from what holds it. */
enum { NOT_HELD = -1 };

/* A body's weight with what it was given, N, and the sum of these weights times where they act, N m. */
typedef struct hanging_weight {
    float force;
    dry_vec3 moment;
} hanging_weight;

/* How springs would accelerate a body without any joint. */
typedef struct spring_pull {
    dry_vec3 linear, angular; /* m/s^2, rad/s^2 */
} spring_pull;

typedef struct hanging {
    dry_solver_step *step;
    dry_vec3 up;
    bool *fresh;            /* by island: the load of some joint is not known */
    int32_t *figure;        /* by row: disjoint sets of bodies that joints connect */
    int32_t *distance;      /* by row */
    int32_t *holders;       /* by row: the joints and contacts that lead nearer */
    int32_t *order;         /* rows by distance */
    hanging_weight *weight; /* by row */
    spring_pull *pull;      /* by row */
    int count;              /* rows with a distance */
} hanging;

static bool is_enabled(const hanging *h, int joint)
{
    return h->step->joints->joint[joint].flags & DRY_JOINT_ENABLED;
}

/* Finds the islands with joints whose load is not known. Returns whether there are any. */
static bool find_fresh(const hanging *h)
{
    const dry_joints *joints = h->step->joints;
    bool any = !h->step->islands->weighed;
    for (int i = 0; i < h->step->islands->count; i++)
        h->fresh[i] = !h->step->islands->weighed;
    for (int i = 0; i < joints->active_count; i++) {
        const bool fresh = joints->load[joints->active[i]].value < 0.0f;
        const int island = fresh ? dry_joint_island(h->step, joints->active[i]) : -1;
        if (island >= 0)
            h->fresh[island] = any = true;
    }
    return any;
}

static void hold(hanging *h, int row)
{
    if (row < 0 || !h->fresh[h->step->bodies->sleep[row].island])
        return;
    if (h->distance[row] == NOT_HELD)
        h->order[h->count++] = row;
    h->distance[row] = 0;
    h->holders[row]++;
}

static void find_figures(hanging *h)
{
    const dry_solver_step *step = h->step;
    dry_sets_begin(h->figure, step->bodies->awake_count);
    for (int i = 0; i < step->joints->active_count; i++) {
        int row[DRY_JOINT_SIDES];
        const int joint = step->joints->active[i], count = dry_joint_rows_of(step, joint, row);
        for (int side = 1; side < count && is_enabled(h, joint); side++)
            dry_sets_unite(h->figure, row[0], row[side]);
    }
}

/* Finds the bodies that something holds which no impulse moves, or that contacts do with bodies that no
 * joints connect them to: links that touch each other do not hold their chain. */
static void find_held(hanging *h)
{
    const dry_solver_step *step = h->step;
    find_figures(h);
    for (int i = 0; i < step->islands->edge_count; i++) {
        const int a = step->islands->edge[i].row_a, b = step->islands->edge[i].row_b;
        if (a >= 0 && b >= 0 && dry_sets_root(h->figure, a) == dry_sets_root(h->figure, b))
            continue;
        hold(h, a);
        hold(h, b);
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        int row[DRY_JOINT_SIDES];
        const int joint = step->joints->active[i], count = dry_joint_rows_of(step, joint, row);
        for (int side = 0; side < count && count < dry_joint_sides(&step->joints->joint[joint]); side++)
            hold(h, row[side]);
    }
}

/* Returns the row at the other side of a joint of two sides; -1: there is none. */
static int other_row(const hanging *h, int joint, int row)
{
    int rows[DRY_JOINT_SIDES];
    if (!is_enabled(h, joint) || dry_joint_rows_of(h->step, joint, rows) != 2)
        return -1;
    return rows[0] == row ? rows[1] : rows[0];
}

/* Finds how far all others are from those, and which joints lead nearer. */
static void find_distances(hanging *h)
{
    const dry_solver_step *step = h->step;
    for (int i = 0; i < h->count; i++) {
        const int row = h->order[i];
        for (dry_joint_iterator it = dry_joints_of(step->joints, &step->bodies->state[row]);
             dry_next_joint(&it);) {
            const int other = other_row(h, it.joint, row);
            if (other < 0)
                continue;
            if (h->distance[other] == NOT_HELD) {
                h->distance[other] = h->distance[row] + 1;
                h->order[h->count++] = other;
            }
            h->holders[other] += h->distance[other] == h->distance[row] + 1;
        }
    }
}

/* Returns how fast impulses part two anchors: by one of 1 N s upward, or by one of 1 N m s about an axis. */
static float mobility(const hanging *h, int joint, dry_vec3 axis, bool turns)
{
    const dry_bodies *bodies = h->step->bodies;
    const dry_joint *of = &h->step->joints->joint[joint];
    float sum = 0.0f;
    for (int side = 0; side < 2; side++) {
        const int row = dry_island_row(h->step, side ? of->body_b : of->body_a);
        if (row < 0)
            continue;
        const dry_quat q = bodies->pose[row].orientation;
        const dry_vec3 arm = side ? of->anchor_b : of->anchor_a;
        const dry_vec3 inner = quat_rotate_inverse(q, axis), about = turns ? inner : vec3_cross(arm, inner);
        sum += vec3_dot(vec3_mul(about, bodies->mass[row].inverse_inertia), about);
        sum += turns ? 0.0f : bodies->mass[row].inverse_mass;
    }
    return sum;
}

/* Returns the load by which a weight parts a joint that holds its bodies' angles, too, m/s^2: a rotation
 * counts as in store_lane of block.c. `offset` is where the weight acts, from the joint, times it. */
static float load_of_block(const hanging *h, int joint, float force, dry_vec3 offset)
{
    const dry_vec3 moment = vec3_cross(offset, h->up);
    const float size = vec3_length(moment), linear = mobility(h, joint, h->up, false);
    if (!(size > 0.0f))
        return force * linear;
    const float angular = mobility(h, joint, vec3_scale(moment, 1.0f / size), true);
    return sqrtf(linear * (linear * force * force + angular * size * size));
}

/* Gives a joint the load of a weight that hangs on it, unless it has borne more. `at` is where the joint is.
 * Returns the weight as the joint hands it on. */
static hanging_weight load_joint(const hanging *h, int joint, hanging_weight weight, dry_vec3 at)
{
    const dry_joint_def *def = &h->step->joints->def[joint];
    int row[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(h->step, joint, row);
    const dry_vec3 here = vec3_scale(at, weight.force);
    const bool block = dry_joint_count(def).locked == 6; /* it holds angles, too */
    float inverse = 0.0f;
    for (int i = 0; i < count; i++)
        inverse += h->step->bodies->mass[row[i]].inverse_mass;
    const float bears =
        block ? load_of_block(h, joint, weight.force, vec3_sub(weight.moment, here)) : weight.force * inverse;
    float *load = &h->step->joints->load[joint].value;
    if (!dry_joint_is_spring(def) && bears > *load) {
        dry_mark(h->step->joints->marks, DRY_MARKED_JOINT, joint); /* one of a disabled body is not active */
        *load = dry_min(bears, DRY_LOAD_MAX);
    }
    return block ? weight : (hanging_weight){weight.force, here};
}

/* Hands a body's weight on, with what it was given. */
static void hand_on(const hanging *h, int row)
{
    const dry_solver_step *step = h->step;
    const dry_body_pose *pose = &step->bodies->pose[row];
    const dry_vec3 center = position_sub(pose->position, step->bodies->pose[0].position);
    const float share = 1.0f / (float)dry_max_int(h->holders[row], 1);
    const hanging_weight part = {share * h->weight[row].force, vec3_scale(h->weight[row].moment, share)};
    for (dry_joint_iterator it = dry_joints_of(step->joints, &step->bodies->state[row]);
         dry_next_joint(&it);) {
        const dry_joint *joint = &step->joints->joint[it.joint];
        if (!is_enabled(h, it.joint) || dry_joint_sides(joint) != 2)
            continue;
        const int other = other_row(h, it.joint, row);
        if (h->distance[row] != (other < 0 ? 0 : h->distance[other] + 1))
            continue;
        const dry_vec3 arm = quat_rotate(pose->orientation, it.side ? joint->anchor_b : joint->anchor_a);
        const hanging_weight given = load_joint(h, it.joint, part, vec3_add(center, arm));
        if (other < 0)
            continue;
        h->weight[other].force += given.force;
        h->weight[other].moment = vec3_add(h->weight[other].moment, given.moment);
    }
}

static void hang(hanging *h, float gravity)
{
    const dry_solver_step *step = h->step;
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const float inverse = step->bodies->mass[row].inverse_mass;
        const float force =
            inverse > 0.0f ? gravity * dry_abs(step->bodies->properties[row].gravity_scale) / inverse : 0.0f;
        h->distance[row] = NOT_HELD;
        h->holders[row] = 0;
        h->weight[row] = (hanging_weight){
            force, vec3_scale(position_sub(step->bodies->pose[row].position, step->bodies->pose[0].position),
                              force)};
    }
    find_held(h);
    find_distances(h);
    for (int i = h->count - 1; i >= 0; i--)
        hand_on(h, h->order[i]);
}

/* Returns the angular acceleration of a body by a torque in the world. */
static dry_vec3 turned_by(const dry_solver_step *step, int row, dry_vec3 torque)
{
    const dry_quat q = step->bodies->pose[row].orientation;
    return quat_rotate(q, vec3_mul(quat_rotate_inverse(q, torque), step->bodies->mass[row].inverse_inertia));
}

/* Fills the rows of both sides of a joint; -1: nothing moves there. Returns whether the joint begins to hold:
 * it is enabled and was never solved. A rope that may be slack, a target, and joints of other sides do not.
 */
static bool begins(const hanging *h, int index, int row[2])
{
    const dry_solver_step *step = h->step;
    const dry_joint *joint = &step->joints->joint[index];
    const int island = dry_joint_island(step, index);
    row[0] = dry_island_row(step, joint->body_a);
    row[1] = dry_island_row(step, joint->body_b);
    return island >= 0 && h->fresh[island] && is_enabled(h, index) && joint->substep == 0.0f &&
           dry_joint_sides(joint) == 2 && dry_joint_may_be_direct(joint);
}

/* Adds the pull of a joint's springs to its bodies. Returns whether there is any. */
static bool add_pull(const hanging *h, int index, const int row[2])
{
    const dry_solver_step *step = h->step;
    dry_joint_row rows[DRY_BLOCK_ROWS];
    dry_spring_def springs[DRY_BLOCK_ROWS];
    const dry_joint_def *def = &step->joints->def[index];
    const int count = dry_joint_find_springs(def, springs);
    if (count == 0)
        return false;
    const dry_joint_frames frames = dry_joint_frames_now(step->bodies, &step->joints->joint[index], def);
    const int first = dry_joint_find_direct(def->type, def, &frames, rows) - count;
    for (int k = 0; k < count; k++) {
        const dry_joint_row *r = &rows[first + k];
        const double force = springs[k].stiffness * (springs[k].rest - r->error);
        for (int side = 0; side < 2; side++) {
            if (row[side] < 0)
                continue;
            const float along = (float)(side ? force : -force);
            spring_pull *p = &h->pull[row[side]];
            p->linear = vec3_add_scaled(p->linear, along * step->bodies->mass[row[side]].inverse_mass,
                                        vec3_of(r->linear));
            p->angular = vec3_add_scaled(
                p->angular, along, turned_by(step, row[side], vec3_of(side ? r->angular_b : r->angular_a)));
        }
    }
    return true;
}

/* Returns how fast springs alone would part a joint, m/s^2: a rotation counts as in store_lane of block.c. */
static float parted_by(const hanging *h, int index, const int row[2])
{
    const dry_solver_step *step = h->step;
    dry_joint_row rows[DRY_BLOCK_ROWS];
    const dry_joint_def *def = &step->joints->def[index];
    const int locked = dry_joint_count(def).locked;
    const dry_joint_frames frames = dry_joint_frames_now(step->bodies, &step->joints->joint[index], def);
    (void)dry_joint_find_direct(def->type, def, &frames, rows);
    float squared = 0.0f;
    for (int k = 0; k < locked; k++) {
        float apart = 0.0f, linear = 0.0f, angular = 0.0f;
        for (int side = 0; side < 2; side++) {
            if (row[side] < 0)
                continue;
            const dry_vec3 about = vec3_of(side ? rows[k].angular_b : rows[k].angular_a);
            const float along = vec3_dot(vec3_of(rows[k].linear), h->pull[row[side]].linear) +
                                vec3_dot(about, h->pull[row[side]].angular);
            apart += side ? along : -along;
            linear += step->bodies->mass[row[side]].inverse_mass;
            angular += vec3_dot(about, turned_by(step, row[side], about));
        }
        const bool turns = dry_joint_row_turns(&rows[k]);
        squared += apart * apart * (!turns ? 1.0f : angular > 0.0f ? linear / angular : 0.0f);
    }
    return squared > 0.0f ? dry_min(sqrtf(squared), DRY_LOAD_MAX) : 0.0f; /* 0, too, if it is no number */
}

/* Adds what springs ask of joints that were never solved to their loads. */
static void add_springs(const hanging *h)
{
    const dry_joints *joints = h->step->joints;
    bool any = false;
    int row[2];
    memset(h->pull, 0, (size_t)h->step->bodies->awake_count * sizeof *h->pull);
    for (int i = 0; i < joints->active_count; i++)
        if (begins(h, joints->active[i], row))
            any |= add_pull(h, joints->active[i], row);
    for (int i = 0; any && i < joints->active_count; i++) {
        const int joint = joints->active[i];
        const float bears = begins(h, joint, row) ? parted_by(h, joint, row) : 0.0f;
        float *load = &joints->load[joint].value;
        if (bears > 0.0f)
            *load = dry_min(dry_max(*load, 0.0f) + bears, DRY_LOAD_MAX);
    }
}

bool dry_hanging_loads(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    const float gravity = vec3_length(step->settings->gravity);
    if (step->joints->active_count == 0)
        return true;
    const size_t rows = (size_t)step->bodies->awake_count, islands = (size_t)step->islands->count;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(islands, sizeof(bool)) +
                                 4 * dry_scratch_bytes(rows, sizeof(int32_t)) +
                                 dry_scratch_bytes(rows, sizeof(hanging_weight)) +
                                 dry_scratch_bytes(rows, sizeof(spring_pull))))
        return false;
    const size_t mark = scratch->used;
    hanging h = {
        .step = step,
        .fresh = DRY_SCRATCH_TAKE(scratch, bool, islands),
        .figure = DRY_SCRATCH_TAKE(scratch, int32_t, rows),
        .distance = DRY_SCRATCH_TAKE(scratch, int32_t, rows),
        .holders = DRY_SCRATCH_TAKE(scratch, int32_t, rows),
        .order = DRY_SCRATCH_TAKE(scratch, int32_t, rows),
        .weight = DRY_SCRATCH_TAKE(scratch, hanging_weight, rows),
        .pull = DRY_SCRATCH_TAKE(scratch, spring_pull, rows),
        .up = vec3_scale(step->settings->gravity, gravity > 0.0f ? -1.0f / gravity : 0.0f),
    };
    if (find_fresh(&h)) {
        if (gravity > 0.0f)
            hang(&h, gravity);
        add_springs(&h);
    }
    step->islands->weighed = true;
    dry_scratch_give_back(scratch, mark);
    return true;
}
