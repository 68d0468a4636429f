/* Changes of bodies between steps, with all that follows from them for contacts, joints, sleep and bounds. */
#include "world/change.h"

#include "core/rotation.h"
#include "solver/bodies/invalid.h"
#include "state/iterators.h"
#include "world/attach.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/joints.h"
#include "world/mass.h"
#include "world/sleep.h"
#include "world/world.h"

void dry_body_place(dry_world *world, int slot, const dry_pose *pose)
{
    dry_bodies *bodies = &world->bodies;
    dry_pose unit = {pose->position, quat_normalize(pose->orientation)};
    dry_body_wake_neighbors(world, slot);
    dry_body_wake(world, slot);
    int row = dry_bodies_row(bodies, slot);
    dry_bodies_drop_target(bodies, row);
    bodies->pose[row] = dry_bodies_inner_pose(bodies, row, &unit);
    /* The call puts the body there, it has not drifted: friction holds it where it is now. */
    dry_contacts_void_anchors(&world->contacts, &bodies->state[row]);
    dry_body_update_bounds(world, row, vec3(0.0f, 0.0f, 0.0f));
    world->ways_dt = 0.0f;
    dry_body_wake_overlapping(world, slot);
}

void dry_body_change_velocity(dry_world *world, int slot, const dry_velocity *velocity)
{
    dry_bodies *bodies = &world->bodies;
    if (dry_body_state_of(bodies, slot)->type == DRY_BODY_STATIC)
        return;
    dry_note_body_change(world, slot);
    bool moves = vec3_length_squared(velocity->linear) + vec3_length_squared(velocity->angular) > 0.0f;
    bool dynamic = dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC;
    if (dynamic && (dry_body_state_of(bodies, slot)->flags & DRY_BODY_ENABLED)) {
        dry_body_wake_alone(world, slot);
    } else if (dynamic || moves) {
        dry_body_wake(world, slot);
        dry_body_wake_neighbors(world, slot);
    }
    int row = dry_bodies_row(bodies, slot);
    dry_bodies_drop_target(bodies, row);
    dry_bodies_give_velocity(bodies, row, velocity->linear, velocity->angular);
    world->ways_dt = 0.0f;
}

dry_velocity dry_body_velocity_to(const dry_bodies *bodies, int row, const dry_pose *target, float dt)
{
    const dry_body_pose to = dry_bodies_inner_pose(bodies, row, target), *from = &bodies->pose[row];
    const dry_quat turn = quat_mul(to.orientation, quat_conjugate(from->orientation));
    const float rate = 1.0f / dt;
    return (dry_velocity){vec3_scale(position_sub(to.position, from->position), rate),
                          vec3_scale(dry_rotation_vector(rotation_from_quat(turn)), rate)};
}

void dry_body_send(dry_world *world, int slot, const dry_pose *target, const dry_velocity *velocity)
{
    dry_bodies *bodies = &world->bodies;
    dry_body_change_velocity(world, slot, velocity);
    dry_body_wake(world, slot); /* a velocity of 0 did not: the way may be shorter than one resolves */
    const int row = dry_bodies_row(bodies, slot);
    bodies->target[row] = (dry_body_target){target->position, quat_normalize(target->orientation)};
    bodies->state[row].flags |= DRY_BODY_TARGETED;
}

void dry_bodies_aim(dry_world *world, float dt)
{
    dry_bodies *bodies = &world->bodies;
    for (int row = 0; dt > 0.0f && row < bodies->awake_count; row++) {
        if (!(bodies->state[row].flags & DRY_BODY_TARGETED))
            continue;
        const dry_pose target = {bodies->target[row].position, bodies->target[row].orientation};
        const dry_velocity v = dry_body_velocity_to(bodies, row, &target, dt);
        const float linear = vec3_length(v.linear), angular = vec3_length(v.angular);
        bodies->velocity[row] = (dry_body_velocity){
            vec3_scale(v.linear, linear > DRY_SPEED_MAX ? DRY_SPEED_MAX / linear : 1.0f),
            vec3_scale(v.angular, angular > DRY_ANGULAR_SPEED_MAX ? DRY_ANGULAR_SPEED_MAX / angular : 1.0f)};
        world->ways_dt = 0.0f;
    }
}

void dry_body_enable(dry_world *world, int slot)
{
    dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    DRY_ASSERT(!(state->flags & DRY_BODY_ENABLED));
    dry_bodies_set_quarantined(&world->bodies, slot, false);
    state->flags |= DRY_BODY_ENABLED;
    const dry_body_velocity *v = dry_body_velocity_of(&world->bodies, slot);
    if (state->type == DRY_BODY_DYNAMIC || (state->flags & DRY_BODY_TARGETED) ||
        vec3_length_squared(v->linear) + vec3_length_squared(v->angular) > 0.0f)
        dry_body_wake(world, slot);
    else
        dry_body_wake_neighbors(world, slot);
    dry_body_attach(world, slot);
    dry_body_wake_overlapping(world, slot);
}

void dry_body_disable(dry_world *world, int slot)
{
    DRY_ASSERT(dry_body_state_of(&world->bodies, slot)->flags & DRY_BODY_ENABLED);
    dry_body_wake_neighbors(world, slot);
    dry_body_detach(world, slot);
    dry_bodies_drop_target(&world->bodies, dry_bodies_row(&world->bodies, slot));
    dry_body_state_of(&world->bodies, slot)->flags &= ~(uint32_t)DRY_BODY_ENABLED;
    dry_bodies_set_awake(&world->bodies, slot, false);
    dry_body_clear_forces(&world->bodies, slot);
    world->islands.stale = true;
}

void dry_body_change_type(dry_world *world, int slot, dry_body_type type)
{
    dry_bodies *bodies = &world->bodies;
    dry_body_wake_neighbors(world, slot);
    dry_body_detach(world, slot);
    dry_bodies_set_awake(bodies, slot, false);
    dry_body_clear_forces(bodies, slot);
    dry_bodies_drop_target(bodies, dry_bodies_row(bodies, slot));
    dry_bodies_set_type(bodies, slot, (int32_t)type);
    *dry_body_velocity_of(bodies, slot) = (dry_body_velocity){0};
    dry_mass_refresh(world, slot);
    if (type == DRY_BODY_DYNAMIC)
        dry_body_wake(world, slot);
    dry_joints_forget_impulses(world, slot, true);
    dry_body_attach(world, slot);
    world->islands.stale = true;
}
