/* Joints: adding, removing, and the list of active ones. */
#include "state/joints.h"

bool dry_joints_reserve(dry_joints *joints, dry_memory *memory, int more)
{
    if (!dry_slots_reserve(&joints->slots, memory, more))
        return false;
#define X(ID, type, name, ...)                                                                               \
    if (!DRY_FIT(memory, joints->name, joints->name##_capacity, joints->slots.capacity))                     \
        return false;
    DRY_JOINT_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (joints->name && !DRY_FIT(memory, joints->name, joints->name##_capacity, joints->slots.capacity))     \
        return false;
    DRY_JOINT_RARE_COLUMNS(X)
#undef X
    return DRY_FIT(memory, joints->active, joints->active_capacity, joints->slots.capacity);
}

#define X(ID, type, name, ...)                                                                               \
    bool dry_joints_need_##name(dry_joints *joints, dry_memory *memory)                                      \
    {                                                                                                        \
        return DRY_MAKE(memory, joints->name, joints->name##_capacity, joints->slots.capacity,               \
                        joints->slots.used, dry_joint_default_##name);                                       \
    }
DRY_JOINT_RARE_COLUMNS(X)
#undef X

void dry_joints_clear_impulses(dry_joints *joints, int index)
{
    dry_joint *joint = &joints->joint[index];
    joint->impulse = (dry_vec3){0.0f, 0.0f, 0.0f};
    joint->substep = 0.0f;
    joints->rows[index] =
        (dry_joint_rows_state){DRY_JOINT_ROWS_FIELDS(DRY_FIELD_DEFAULT, dry_joint_rows_state)};
    joints->axes[index] =
        (dry_joint_axes_state){DRY_JOINT_AXES_FIELDS(DRY_FIELD_DEFAULT, dry_joint_axes_state)};
    joints->direct[index] = (dry_joint_direct){DRY_JOINT_DIRECT_FIELDS(DRY_FIELD_DEFAULT, dry_joint_direct)};
    if (joints->penalty)
        joints->penalty[index] = dry_joint_default_penalty;
    joint->flags &= ~DRY_JOINT_RESTLESS;
    joints->load[index] = (dry_joint_load){DRY_JOINT_LOAD_FIELDS(DRY_FIELD_DEFAULT, dry_joint_load)};
}

uint32_t dry_joint_drives_of(const dry_joint_def *def)
{
    uint32_t drives = dry_joint_is_spring(def) ? DRY_JOINT_DRIVES : 0;
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const dry_joint_axis *axis = &def->axes[i];
        const bool springs = axis->stiffness > 0.0f || dry_joint_stops_softly(axis);
        if (axis->motor == DRY_MOTOR_VELOCITY)
            drives |= DRY_JOINT_TO_SPEED | (springs ? DRY_JOINT_WORKS : 0);
        else if (dry_joint_motor_speed(axis) != 0.0f)
            drives |= DRY_JOINT_WORKS;
        drives |= axis->motor != DRY_MOTOR_OFF ? DRY_JOINT_MOTORED | DRY_JOINT_DRIVES : 0;
        drives |= springs ? DRY_JOINT_DRIVES : 0;
    }
    return drives;
}

void dry_joints_set_servo(dry_joints *joints, int index, bool servo)
{
    dry_joint *joint = &joints->joint[index];
    joints->servo_count += servo - ((joint->flags & DRY_JOINT_SERVO) != 0);
    joint->flags = servo ? joint->flags | DRY_JOINT_SERVO : joint->flags & ~DRY_JOINT_SERVO;
}

void dry_joints_set_active(dry_joints *joints, int index, bool active)
{
    dry_joint *joint = &joints->joint[index];
    if ((joint->active >= 0) == active)
        return;
    dry_mark(joints->marks, DRY_MARKED_JOINT, index);
    if (active) {
        DRY_ASSERT(joints->active_count < joints->active_capacity);
        joint->active = joints->active_count;
        joints->active[joints->active_count++] = index;
    } else {
        int last = joints->active[--joints->active_count];
        dry_mark(joints->marks, DRY_MARKED_JOINT, last);
        joints->active[joint->active] = last;
        joints->joint[last].active = joint->active;
        joint->active = -1;
    }
}

/* Puts a joint's end first in the list of its body. */
static void link_end(dry_joints *joints, dry_bodies *bodies, int index, int side)
{
    dry_body_state *state = dry_body_state_of(bodies, dry_joint_body(joints, index, side));
    const int end = dry_joint_end(index, side);
    *dry_joint_prev(joints, end) = -1;
    *dry_joint_next(joints, end) = state->joints;
    if (state->joints >= 0)
        *dry_joint_prev(joints, state->joints) = end;
    state->joints = end;
}

static void unlink_end(dry_joints *joints, dry_bodies *bodies, int index, int side)
{
    const int end = dry_joint_end(index, side);
    const int prev = *dry_joint_prev(joints, end), next = *dry_joint_next(joints, end);
    DRY_ASSERT(prev < 0 || *dry_joint_next(joints, prev) == end);
    DRY_ASSERT(next < 0 || *dry_joint_prev(joints, next) == end);
    if (prev >= 0)
        *dry_joint_next(joints, prev) = next;
    else
        dry_body_state_of(bodies, dry_joint_body(joints, index, side))->joints = next;
    if (next >= 0)
        *dry_joint_prev(joints, next) = prev;
}

int dry_joints_add(dry_joints *joints, dry_bodies *bodies, int count, const int *body)
{
    DRY_ASSERT(body[0] != body[1] && (count == 2 || joints->corners));
    dry_mark_all(joints->marks);
    int index = dry_slots_take(&joints->slots, 0);
    joints->slots.slots[index].row = index;
    dry_joint *joint = &joints->joint[index];
    *joint = (dry_joint){DRY_JOINT_FIELDS(DRY_FIELD_DEFAULT, dry_joint)};
    dry_joints_clear_impulses(joints, index);
    joint->body_a = body[0];
    joint->body_b = body[1];
    joint->next[0] = joint->prev[0] = -1;
    if (joints->corners)
        joints->corners[index] = dry_joint_default_corners;
    if (count == DRY_JOINT_SIDES) {
        joint->flags |= DRY_JOINT_OF_FOUR;
        joints->corners[index].body[0] = body[2];
        joints->corners[index].body[1] = body[3];
    }
    for (int side = body[0] < 0; side < count; side++)
        link_end(joints, bodies, index, side);
    return index;
}

void dry_joints_remove(dry_joints *joints, dry_bodies *bodies, int index)
{
    dry_mark_all(joints->marks);
    dry_joints_set_servo(joints, index, false);
    dry_joint *joint = &joints->joint[index];
    DRY_ASSERT(joint->color == DRY_COLOR_NONE);
    dry_joints_set_active(joints, index, false);
    for (int side = joint->body_a < 0; side < dry_joint_sides(joint); side++)
        unlink_end(joints, bodies, index, side);
    dry_slots_release(&joints->slots, index);
}
