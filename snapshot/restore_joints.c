/* Joints of a save: definitions as the calls take them, lists of bodies without cycles, active ones where an
 * awake body is. Derives features, links back, ids of bodies and the list of active joints. */
#include "snapshot/restore_parts.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/methods/method.h"
#include "state/iterators.h"
#include "state/joint_list.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/joints.h"

/* Checks the sides of a joint: bodies that differ, of which a may be the world. */
static bool check_sides(const dry_restoration *r, int joint)
{
    const dry_tables *t = r->tables;
    const dry_joint *j = &t->joints.joint[joint];
    int body[DRY_JOINT_SIDES];
    if ((j->flags & DRY_JOINT_OF_FOUR) && !t->joints.corners)
        return dry_restore_fail(r, DRY_COLUMN_JOINT, "flags", joint, "four bodies without a column");
    const int count = dry_joint_find_bodies(&t->joints, joint, body);
    for (int side = 0; side < count; side++) {
        if (!(side == 0 && body[0] == -1) && !dry_restore_lives(&t->bodies.slots, body[side]))
            return dry_restore_fail(r, DRY_COLUMN_JOINT, "body_a, body_b", joint, "no body");
        for (int other = 0; other < side; other++)
            if (body[other] == body[side])
                return dry_restore_fail(r, DRY_COLUMN_JOINT, "body_a, body_b", joint, "a body twice");
    }
    return true;
}

/* Checks the definition as the calls do. */
static bool check_def(const dry_restoration *r, int joint)
{
    const dry_tables *t = r->tables;
    const dry_joint *j = &t->joints.joint[joint];
    const dry_joint_def *def = &t->joints.def[joint];
    const int column = DRY_COLUMN_JOINT_DEF;
    if ((unsigned)def->type >= DRY_JOINT_TYPE_COUNT)
        return dry_restore_fail(r, column, "type", joint, "type is unknown");
    const bool four = j->flags & DRY_JOINT_OF_FOUR, to_world = j->body_a < 0;
    const dry_joint_def given = dry_joint_def_as_given(def), again = dry_joint_def_to_solve(&given);
    const char *error = dry_joint_def_error(&given);
    if (!error)
        error = dry_settings_joint_error(&t->settings, &given);
    if (!error && again.type != def->type)
        error = "not as the world keeps it";
    /* A joint that is kept as another type has axes of its own. */
    dry_joint_def axes = *def;
    axes.stiffness = axes.damping = axes.angular_stiffness = axes.angular_damping = 0.0f;
    if (!error && given.type != def->type)
        error = dry_joint_def_error(&axes);
    if (error)
        return dry_restore_fail(r, column, NULL, joint, error);
    if (!dry_finite_position(def->target) || four != dry_joint_has(def->type, DRY_JOINT_HAS_CORNERS) ||
        (to_world && !dry_joint_has(def->type, DRY_JOINT_HAS_ROWS)) ||
        (!to_world && def->type == DRY_JOINT_TARGET) || (four && to_world))
        return dry_restore_fail(r, column, NULL, joint, "no definition for these bodies");
    if (t->settings.method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA &&
        dry_joint_solver_of(&t->settings, dry_joint_features(def)) != DRY_JOINT_SOLVER_ITERATIVE)
        return dry_restore_fail(r, column, "solver", joint, "not with this integrator");
    return true;
}

static bool check_places(const dry_restoration *r, int joint)
{
    const dry_joint *j = &r->tables->joints.joint[joint];
    const int known = 2 * DRY_JOINT_SERVO - 1;
    if (j->flags & ~known)
        return dry_restore_fail(r, DRY_COLUMN_JOINT, "flags", joint, "bits that no joint has");
    if (!dry_is_kept_unit(j->frame_a) || !dry_is_kept_unit(j->frame_b))
        return dry_restore_fail(r, DRY_COLUMN_JOINT, "frame_a, frame_b", joint, "not of unit length");
    if (!(j->substep >= 0.0f && j->substep <= 1.0f))
        return dry_restore_fail(r, DRY_COLUMN_JOINT, "substep", joint, "not 0 to 1");
    return true;
}

/* Fills what follows from a definition and its bodies. */
static void derive(const dry_restoration *r, int joint)
{
    dry_tables *t = r->tables;
    dry_joint *j = &t->joints.joint[joint];
    dry_joint_def *def = &t->joints.def[joint];
    const dry_slots *slots = &t->bodies.slots;
    def->body_a = (dry_body_id){j->body_a < 0 ? 0 : dry_slots_id(slots, j->body_a)};
    def->body_b = (dry_body_id){dry_slots_id(slots, j->body_b)};
    j->flags &= ~DRY_JOINT_SERVO; /* nobody has counted it */
    dry_joint_derive(&t->joints, joint);
}

/* Tells whether an end is a side of a joint that holds a body. */
static bool is_end_of(const dry_restoration *r, int end, int body)
{
    const dry_joints *joints = &r->tables->joints;
    if (end < 0 || !dry_restore_lives(&joints->slots, dry_joint_of_end(end)) ||
        dry_side_of_end(end) >= dry_joint_sides(&joints->joint[dry_joint_of_end(end)]))
        return false;
    return dry_joint_body(joints, dry_joint_of_end(end), dry_side_of_end(end)) == body;
}

/* Links the ends in the lists of the bodies back. */
static bool link_ends(const dry_restoration *r)
{
    const dry_tables *t = r->tables;
    int ends = 0, linked = 0;
    for (int joint = -1; (joint = dry_slots_next(&t->joints.slots, joint)) >= 0;)
        ends += dry_joint_sides(&t->joints.joint[joint]) - (t->joints.joint[joint].body_a < 0);
    for (int row = 0; row < t->bodies.count; row++) {
        const dry_body_state *state = &t->bodies.state[row];
        for (int end = state->joints, before = -1; end != -1; end = *dry_joint_next(&t->joints, end)) {
            if (!is_end_of(r, end, state->slot) || ++linked > ends)
                return dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "joints", row,
                                        "the list has a joint of other bodies, or a cycle");
            *dry_joint_prev(&t->joints, end) = before;
            before = end;
        }
    }
    return linked == ends || dry_restore_fail(r, DRY_COLUMN_JOINT, "next", -1, "a joint is in no list");
}

/* Tells whether a joint holds bodies of which one sleeps. A step of some bodies may leave them so. */
static bool is_uneven(const dry_restoration *r, int joint)
{
    const dry_tables *t = r->tables;
    int body[DRY_JOINT_SIDES];
    bool awake = false, asleep = false;
    const int count = dry_joint_find_bodies(&t->joints, joint, body);
    for (int side = 0; side < count; side++) {
        if (body[side] < 0 || !dry_restored_dynamic(r, body[side]))
            continue;
        awake = awake || dry_bodies_is_awake(&t->bodies, body[side]);
        asleep = asleep || !dry_bodies_is_awake(&t->bodies, body[side]);
    }
    return awake && asleep && !t->world.unsettled;
}

/* Makes the list of active joints from their places in it. */
static bool list_active(const dry_restoration *r)
{
    const dry_tables *t = r->tables;
    dry_joints *joints = &r->tables->joints;
    joints->active_count = 0;
    for (int joint = -1; (joint = dry_slots_next(&joints->slots, joint)) >= 0;)
        joints->active[joints->active_count++] = -1;
    const int room = joints->active_count;
    joints->active_count = 0;
    for (int joint = -1; (joint = dry_slots_next(&joints->slots, joint)) >= 0;) {
        const int at = joints->joint[joint].active;
        if ((at >= 0) != dry_joint_is_due(&t->bodies, joints, joint) || at < -1 || at >= room ||
            (at >= 0 && joints->active[at] >= 0))
            return dry_restore_fail(r, DRY_COLUMN_JOINT, "active", joint, "no place in the list, or taken");
        if (at < 0)
            continue;
        if (is_uneven(r, joint))
            return dry_restore_fail(r, DRY_COLUMN_JOINT, "active", joint,
                                    "of bodies that hold each other one sleeps");
        joints->active[at] = joint;
        joints->active_count++;
    }
    for (int i = 0; i < joints->active_count; i++)
        if (joints->active[i] < 0)
            return dry_restore_fail(r, DRY_COLUMN_JOINT, "active", -1, "the list has a hole");
    return true;
}

bool dry_restore_joints(dry_restoration *r)
{
    const dry_joints *joints = &r->tables->joints;
    for (int joint = -1; (joint = dry_slots_next(&joints->slots, joint)) >= 0;) {
        if (!check_sides(r, joint) || !check_def(r, joint) || !check_places(r, joint))
            return false;
        derive(r, joint);
    }
    return link_ends(r) && list_active(r);
}
