/* Joints: adding, removing, and the list of active ones. */
#include "state/joints.h"

#include "state/contacts.h"

bool dry_joints_reserve(dry_joints *joints, dry_memory *memory, int more)
{
    return dry_slots_reserve(&joints->slots, memory, more) &&
           DRY_RESERVE(memory, joints->joint, joints->joint_capacity, joints->slots.capacity) &&
           DRY_RESERVE(memory, joints->active, joints->active_capacity, joints->slots.capacity);
}

void dry_joints_free(dry_joints *joints, dry_memory *memory)
{
    DRY_RELEASE(memory, joints->joint, joints->joint_capacity);
    DRY_RELEASE(memory, joints->active, joints->active_capacity);
    joints->active_count = 0;
    dry_slots_free(&joints->slots, memory);
}

void dry_joints_set_active(dry_joints *joints, int index, bool active)
{
    dry_joint *joint = &joints->joint[index];
    if ((joint->active >= 0) == active)
        return;
    if (active) {
        joint->active = joints->active_count;
        joints->active[joints->active_count++] = index;
    } else {
        int last = joints->active[--joints->active_count];
        joints->active[joint->active] = last;
        joints->joint[last].active = joint->active;
        joint->active = -1;
    }
}

int dry_joints_add(dry_joints *joints, dry_bodies *bodies, int body_a, int body_b)
{
    int index = dry_slots_take(&joints->slots, 0);
    joints->slots.slots[index].row = index;
    dry_joint *joint = &joints->joint[index];
    *joint = (dry_joint){.body_a = body_a, .body_b = body_b, .active = -1, .color = DRY_COLOR_NONE};
    for (int side = 0; side < 2; side++) {
        dry_body_state *state = dry_body_state_of(bodies, side ? body_b : body_a);
        joint->prev[side] = -1;
        joint->next[side] = state->joints;
        if (state->joints >= 0)
            joints->joint[state->joints >> 1].prev[state->joints & 1] = index * 2 + side;
        state->joints = index * 2 + side;
    }
    return index;
}

void dry_joints_remove(dry_joints *joints, dry_bodies *bodies, int index)
{
    dry_joint *joint = &joints->joint[index];
    dry_joints_set_active(joints, index, false);
    for (int side = 0; side < 2; side++) {
        int prev = joint->prev[side], next = joint->next[side];
        if (prev >= 0)
            joints->joint[prev >> 1].next[prev & 1] = next;
        else
            dry_body_state_of(bodies, side ? joint->body_b : joint->body_a)->joints = next;
        if (next >= 0)
            joints->joint[next >> 1].prev[next & 1] = prev;
    }
    dry_slots_release(&joints->slots, index);
}
