/* Stage "finalize", after the bodies: joints whose force or torque exceeds a bound.
 *
 * Reads the impulses that stage "store" kept. Writes joint events; a joint that breaks leaves the graph.
 * Next: sleep.c. */
#include "step/joints.h"

#include "core/assert.h"
#include "world/check.h"
#include "world/joints.h"
#include "world/world.h"

static bool exceeds(float value, float bound)
{
    return bound > 0.0f && value > bound;
}

static void raise_event(dry_world *world, int index)
{
    const dry_joint *joint = &world->joints.joint[index];
    const dry_joint_def *def = &world->joints.def[index];
    if (joint->substep <= 0.0f)
        return;
    const float force = vec3_length(joint->impulse) / joint->substep;
    const float torque = vec3_length(world->joints.rows[index].angular_impulse) / joint->substep;
    const bool broken = exceeds(force, def->break_force) || exceeds(torque, def->break_torque);
    if (!broken && !exceeds(force, def->event_force) && !exceeds(torque, def->event_torque))
        return;
    dry_event_store *e = &world->events;
    e->joints[e->joint_count++] =
        (dry_joint_event){.joint = {dry_slots_id(&world->joints.slots, index)}, broken, force, torque};
    if (broken)
        dry_joint_disable(world, index);
}

void dry_joints_raise_events(dry_world *world)
{
    /* From the last down: a joint that breaks exchanges its place with the last active one. */
    for (int i = world->joints.active_count - 1; i >= 0; i--)
        if (world->joints.joint[world->joints.active[i]].flags & DRY_JOINT_WATCHED)
            raise_event(world, world->joints.active[i]);
}
