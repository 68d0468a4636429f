/* Poses and velocities, read and changed between steps. */
#include "snapshot/record.h"
#include "solver/plan/islands.h"
#include "world/change.h"
#include "world/check.h"
#include "world/world.h"

#include <drystone/body.h>

dry_result dry_world_get_motion(const dry_world *world, int count, const dry_body_id *ids, dry_pose *poses,
                                dry_velocity *velocities, bool *awake)
{
    DRY_RETURN_REFUSAL(dry_check_read(world, __func__));
    if (count < 0 || (count > 0 && !ids))
        return dry_refuse(world, __func__, "ids is null or count is negative");
    for (int i = 0; i < count; i++)
        DRY_RETURN_REFUSAL(dry_refusal(dry_find_body(world, ids[i], __func__)));
    for (int i = 0; i < count; i++) {
        int row = dry_bodies_row(&world->bodies, dry_slots_find(&world->bodies.slots, ids[i].bits));
        if (poses)
            poses[i] = dry_bodies_user_pose(&world->bodies, row);
        if (velocities)
            velocities[i] =
                (dry_velocity){world->bodies.velocity[row].linear, world->bodies.velocity[row].angular};
        if (awake)
            awake[i] = row < world->bodies.awake_count;
    }
    return DRY_OK;
}

static dry_correction correction_of(const dry_bodies *bodies, int row)
{
    const dry_body_correction *c =
        bodies->correction ? &bodies->correction[row] : &dry_body_default_correction;
    return (dry_correction){c->linear, c->angular};
}

#define READ(call, type, ...) DRY_READ_CALL(call, dry_row_to_read, dry_body_id, type, __VA_ARGS__)
READ(dry_body_get_pose, dry_pose, dry_bodies_user_pose(&world->bodies, at))
READ(dry_body_get_velocity, dry_velocity,
     (dry_velocity){world->bodies.velocity[at].linear, world->bodies.velocity[at].angular})
READ(dry_body_get_correction, dry_correction, correction_of(&world->bodies, at))
READ(dry_body_get_center, dry_position, world->bodies.pose[at].position)

bool dry_body_is_awake(const dry_world *world, dry_body_id id)
{
    int slot = world ? dry_slots_find(&world->bodies.slots, id.bits) : -1;
    return slot >= 0 && dry_bodies_is_awake(&world->bodies, slot);
}

/* Returns the island of a body in the last step; null if it was in none. */
static const dry_island *find_island(const dry_world *world, dry_body_id id)
{
    if (!dry_body_is_awake(world, id))
        return NULL;
    int row = dry_bodies_row(&world->bodies, dry_slots_find(&world->bodies.slots, id.bits));
    int island = world->bodies.sleep[row].island;
    return island >= 0 && island < world->islands.count ? &world->islands.island[island] : NULL;
}

int dry_body_tier(const dry_world *world, dry_body_id id)
{
    const dry_island *island = find_island(world, id);
    return island ? island->tier : -1;
}

int dry_body_tier_reason(const dry_world *world, dry_body_id id)
{
    const dry_island *island = find_island(world, id);
    return island ? island->reason : -1;
}

dry_result dry_world_set_motion(dry_world *world, int count, const dry_body_id *ids, const dry_pose *poses,
                                const dry_velocity *velocities)
{
    DRY_RETURN_REFUSAL(dry_check_bodies(world, __func__, count, ids));
    if (poses)
        dry_note_change(world);
    for (int i = 0; i < count; i++) {
        const char *error = dry_motion_error(poses ? &poses[i] : NULL, velocities ? &velocities[i] : NULL);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: [%d] %s", __func__, i, error);
    }
    for (int i = 0; i < count; i++) {
        int slot = dry_slots_find(&world->bodies.slots, ids[i].bits);
        if (poses)
            dry_body_place(world, slot, &poses[i]);
        if (velocities)
            dry_body_change_velocity(world, slot, &velocities[i]);
    }
    return DRY_RECORD(world, dry_world_set_motion, &count, ids, poses, velocities);
}

dry_result dry_body_set_pose(dry_world *world, dry_body_id id, dry_pose pose)
{
    return dry_world_set_motion(world, 1, &id, &pose, NULL);
}

dry_result dry_body_set_velocity(dry_world *world, dry_body_id id, dry_velocity velocity)
{
    return dry_world_set_motion(world, 1, &id, NULL, &velocity);
}

dry_result dry_body_move_to(dry_world *world, dry_body_id id, dry_pose target, float dt)
{
    DRY_RETURN_REFUSAL(dry_check_bodies(world, __func__, 1, &id));
    const int slot = dry_slots_find(&world->bodies.slots, id.bits);
    const char *error = dry_motion_error(&target, NULL);
    if (!(dt > 0.0f && dt <= 1e6f))
        error = "dt must be above 0 and finite";
    dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    if (bodies->state[row].type != DRY_BODY_KINEMATIC)
        error = "the body is not kinematic";
    if (error)
        return dry_refuse(world, __func__, error);
    const dry_velocity v = dry_body_velocity_to(bodies, row, &target, dt);
    error = dry_motion_error(NULL, &v);
    if (error)
        return dry_refuse(world, __func__, error);
    if (!dry_bodies_need_target(bodies, &world->memory))
        return dry_lacks_memory(world, __func__);
    dry_body_send(world, slot, &target, &v);
    return DRY_RECORD(world, dry_body_move_to, &id, &target, &dt);
}
