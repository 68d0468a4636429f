/* Stage "finalize", after the bodies: joints whose force or torque exceeds a bound, and joints that
 * contradict each other.
 *
 * Reads the impulses that stage "store" kept, and articulations. Writes joint events; a joint that breaks
 * leaves the graph.
 * Next: sleep.c. */
#include "step/stages.h"

#include "world/joints.h"
#include "world/world.h"

static bool exceeds(float value, float bound)
{
    return bound > 0.0f && value > bound;
}

static void raise_event(dry_world *world, int index)
{
    const dry_joint_def *def = &world->joints.def[index];
    const dry_joint_rows_state *given = &world->joints.rows[index];
    const float force = vec3_length(given->force), torque = vec3_length(given->torque);
    const bool broken = exceeds(force, def->break_force) || exceeds(torque, def->break_torque);
    if (!broken && !exceeds(force, def->event_force) && !exceeds(torque, def->event_torque))
        return;
    dry_event_store *e = &world->events;
    e->joints[e->joint_count++] = (dry_joint_event){.joint = {dry_slots_id(&world->joints.slots, index)},
                                                    .user_data = def->user_data,
                                                    .broken = broken,
                                                    .force_N = force,
                                                    .torque_Nm = torque,
                                                    .peak_force_N = given->peak};
    if (broken)
        dry_joint_disable(world, index);
}

/* An articulation that does not close is told of when a joint is open by more than OPEN, m or rad; the next
 * event may come once all are closed within CLOSED. */
static const double OPEN = 1e-4, CLOSED = 0.5e-4;

/* Tells whether an event has named a joint of an articulation, and forgets that if `forget`. */
static bool is_told(dry_world *world, const dry_articulation *articulation, bool forget)
{
    bool told = false;
    for (int k = articulation->link_begin; k < articulation->link_end; k++) {
        const int joint = world->solver.articulations.link[k].joint;
        if (joint < 0 || !(world->joints.joint[joint].flags & DRY_JOINT_CONFLICT))
            continue;
        told = true;
        if (forget)
            world->joints.joint[joint].flags &= ~DRY_JOINT_CONFLICT;
    }
    return told;
}

/* Raises the events of articulations that nothing closes, in their order. */
static void raise_conflicts(dry_world *world)
{
    dry_event_store *e = &world->events;
    for (int i = 0; i < world->solver.articulations.count; i++) {
        const dry_articulation *articulation = &world->solver.articulations.articulation[i];
        const bool open = articulation->stuck && articulation->gap > OPEN;
        if (is_told(world, articulation, articulation->gap <= CLOSED) || !open)
            continue;
        world->joints.joint[articulation->open].flags |= DRY_JOINT_CONFLICT;
        e->conflicts[e->conflict_count++] =
            (dry_conflict_event){.joint = {dry_slots_id(&world->joints.slots, articulation->open)},
                                 .user_data = world->joints.def[articulation->open].user_data,
                                 .error = (float)articulation->gap};
    }
}

void dry_joints_raise_events(dry_world *world)
{
    raise_conflicts(world);
    /* From the last down: a joint that breaks exchanges its place with the last active one. */
    for (int i = world->joints.active_count - 1; i >= 0; i--)
        if (world->joints.joint[world->joints.active[i]].flags & DRY_JOINT_WATCHED)
            raise_event(world, world->joints.active[i]);
}
