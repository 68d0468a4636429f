/* Bodies read and changed between steps. */
#include "core/rotation.h"
#include "state/iterators.h"
#include "world/attach.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/mass.h"
#include "world/shapes.h"
#include "world/sleep.h"
#include "world/world.h"

#include <drystone/body.h>

dry_result dry_world_get_motion(const dry_world *world, int count, const dry_body_id *ids, dry_pose *poses,
                                dry_velocity *velocities, bool *awake)
{
    const char *name = "dry_world_get_motion";
    if (!world || count < 0 || (count > 0 && !ids))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: ids is null or count is negative", name);
    for (int i = 0; i < count; i++)
        if (dry_find_body(world, ids[i], name) < 0)
            return DRY_ERROR_STALE_ID;
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

/* The row of a body to read, or -1 with the reason in *result. */
static int row_to_read(const dry_world *world, dry_body_id id, const void *out, const char *name,
                       dry_result *result)
{
    *result = DRY_ERROR_ARGUMENT;
    if (!world)
        return -1;
    int slot = dry_find_body(world, id, name);
    *result = DRY_ERROR_STALE_ID;
    if (slot < 0)
        return -1;
    if (!out) {
        *result = dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: the output is null", name);
        return -1;
    }
    *result = DRY_OK;
    return dry_bodies_row(&world->bodies, slot);
}

dry_result dry_body_get_pose(const dry_world *world, dry_body_id id, dry_pose *pose)
{
    dry_result result;
    int row = row_to_read(world, id, pose, "dry_body_get_pose", &result);
    if (row >= 0)
        *pose = dry_bodies_user_pose(&world->bodies, row);
    return result;
}

dry_result dry_body_get_velocity(const dry_world *world, dry_body_id id, dry_velocity *velocity)
{
    dry_result result;
    int row = row_to_read(world, id, velocity, "dry_body_get_velocity", &result);
    if (row >= 0)
        *velocity = (dry_velocity){world->bodies.velocity[row].linear, world->bodies.velocity[row].angular};
    return result;
}

dry_result dry_body_get_def(const dry_world *world, dry_body_id id, dry_body_def *def)
{
    dry_result result;
    int row = row_to_read(world, id, def, "dry_body_get_def", &result);
    if (row < 0)
        return result;
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = &bodies->state[row];
    const dry_body_drive *drive = &bodies->drive[row];
    *def = (dry_body_def){
        .type = (dry_body_type)state->type,
        .pose = dry_bodies_user_pose(bodies, row),
        .velocity = {bodies->velocity[row].linear, bodies->velocity[row].angular},
        .gravity_scale = drive->gravity_scale,
        .linear_damping = drive->linear_damping,
        .angular_damping = drive->angular_damping,
        .locks = drive->locks,
        .enabled = (state->flags & DRY_BODY_ENABLED) != 0,
        .awake = row < bodies->awake_count,
        .can_sleep = (state->flags & DRY_BODY_CAN_SLEEP) != 0,
        .user_data = state->user_data,
        .shape_count = dry_body_shape_count(world, state->slot),
        .mass = state->type == DRY_BODY_DYNAMIC ? state->mass : 0.0f,
    };
    return DRY_OK;
}

dry_result dry_body_get_mass(const dry_world *world, dry_body_id id, dry_mass *mass)
{
    dry_result result;
    int row = row_to_read(world, id, mass, "dry_body_get_mass", &result);
    if (row >= 0)
        *mass = dry_mass_of(world, world->bodies.state[row].slot);
    return result;
}

dry_result dry_body_get_center(const dry_world *world, dry_body_id id, dry_position *center)
{
    dry_result result;
    int row = row_to_read(world, id, center, "dry_body_get_center", &result);
    if (row >= 0)
        *center = world->bodies.pose[row].position;
    return result;
}

bool dry_body_is_awake(const dry_world *world, dry_body_id id)
{
    int slot = world ? dry_slots_find(&world->bodies.slots, id.bits) : -1;
    return slot >= 0 && dry_bodies_is_awake(&world->bodies, slot);
}

int dry_body_tier(const dry_world *world, dry_body_id id)
{
    if (!dry_body_is_awake(world, id))
        return -1;
    int row = dry_bodies_row(&world->bodies, dry_slots_find(&world->bodies.slots, id.bits));
    int island = world->bodies.rest[row].island;
    return island >= 0 && island < world->islands.count ? world->islands.island[island].island_class : -1;
}

dry_result dry_body_get_shapes(const dry_world *world, dry_body_id id, dry_shape_id *shapes, int capacity,
                               int *count)
{
    dry_result result;
    int row = row_to_read(world, id, count, "dry_body_get_shapes", &result);
    if (row < 0)
        return result;
    if (capacity < 0 || (capacity > 0 && !shapes))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_body_get_shapes: shapes is null");
    *count = 0;
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it); ++*count)
        if (*count < capacity)
            shapes[*count] = dry_shape_id_of(world, it.shape);
    return DRY_OK;
}

dry_result dry_body_get_joints(const dry_world *world, dry_body_id id, dry_joint_id *joints, int capacity,
                               int *count)
{
    dry_result result;
    int row = row_to_read(world, id, count, "dry_body_get_joints", &result);
    if (row < 0)
        return result;
    if (capacity < 0 || (capacity > 0 && !joints))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_body_get_joints: joints is null");
    *count = 0;
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it); ++*count)
        if (*count < capacity)
            joints[*count] = (dry_joint_id){dry_slots_id(&world->joints.slots, it.joint)};
    return DRY_OK;
}

static const char *motion_error(const dry_pose *pose, const dry_velocity *velocity)
{
    if (pose && !dry_finite_position(pose->position))
        return "position must be finite and at most 1e9";
    if (pose && !dry_finite_quat(pose->orientation))
        return "orientation must be of unit length";
    if (velocity && !(vec3_length(velocity->linear) <= 1e5f))
        return "linear velocity must be finite and at most 1e5";
    if (velocity && !(vec3_length(velocity->angular) <= 1e4f))
        return "angular velocity must be finite and at most 1e4";
    return NULL;
}

static void set_pose(dry_world *world, int slot, const dry_pose *pose)
{
    dry_bodies *bodies = &world->bodies;
    dry_pose unit = {pose->position, quat_normalize(pose->orientation)};
    dry_body_wake_neighbors(world, slot);
    dry_body_wake(world, slot);
    int row = dry_bodies_row(bodies, slot);
    bodies->pose[row] = dry_bodies_inner_pose(bodies, row, &unit);
    /* Put there, not drifted there: friction holds it where it is now. */
    dry_contacts_void_anchors(&world->contacts, &bodies->state[row]);
    dry_body_update_bounds(world, row, vec3(0.0f, 0.0f, 0.0f));
    dry_body_wake_overlapping(world, slot);
}

static void set_velocity(dry_world *world, int slot, const dry_velocity *velocity)
{
    dry_bodies *bodies = &world->bodies;
    if (dry_body_state_of(bodies, slot)->type == DRY_BODY_STATIC)
        return;
    bool moves = vec3_length_squared(velocity->linear) + vec3_length_squared(velocity->angular) > 0.0f;
    bool dynamic = dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC;
    if (dynamic || moves) {
        dry_body_wake(world, slot);
        if (!dynamic)
            dry_body_wake_neighbors(world, slot);
    }
    int row = dry_bodies_row(bodies, slot);
    bodies->velocity[row] = (dry_body_velocity){velocity->linear, velocity->angular};
}

dry_result dry_world_set_motion(dry_world *world, int count, const dry_body_id *ids, const dry_pose *poses,
                                const dry_velocity *velocities)
{
    dry_result result;
    const char *name = "dry_world_set_motion";
    if (!dry_check_bodies(world, name, count, ids, &result))
        return result;
    for (int i = 0; i < count; i++) {
        const char *error = motion_error(poses ? &poses[i] : NULL, velocities ? &velocities[i] : NULL);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: [%d] %s", name, i, error);
    }
    for (int i = 0; i < count; i++) {
        int slot = dry_slots_find(&world->bodies.slots, ids[i].bits);
        if (poses)
            set_pose(world, slot, &poses[i]);
        if (velocities)
            set_velocity(world, slot, &velocities[i]);
    }
    return DRY_OK;
}

dry_result dry_body_set_pose(dry_world *world, dry_body_id id, dry_pose pose)
{
    return dry_world_set_motion(world, 1, &id, &pose, NULL);
}

dry_result dry_body_set_velocity(dry_world *world, dry_body_id id, dry_velocity velocity)
{
    return dry_world_set_motion(world, 1, &id, NULL, &velocity);
}

/* The slot of a body to change, or -1 with the reason in *result. */
static int body_to_change(dry_world *world, dry_body_id id, const char *name, dry_result *result)
{
    if (!dry_check_world(world, name, result))
        return -1;
    int slot = dry_find_body(world, id, name);
    *result = slot < 0 ? DRY_ERROR_STALE_ID : DRY_OK;
    return slot;
}

/* The rotation vector of a unit quaternion, by the half angle's tangent halved until a series converges. */
static dry_vec3 rotation_of(dry_quat q)
{
    if (q.w < 0.0f)
        q = (dry_quat){-q.x, -q.y, -q.z, -q.w};
    double s = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z), c = (double)q.w;
    if (s < 1e-12)
        return vec3(2.0f * q.x, 2.0f * q.y, 2.0f * q.z);
    double t = s / (c + sqrt(c * c + s * s)), scale = 4.0;
    for (int i = 0; i < 3; i++, scale *= 2.0)
        t = t / (1.0 + sqrt(1.0 + t * t));
    double t2 = t * t, series = 0.0;
    for (int k = 10; k >= 0; k--)
        series = 1.0 / (double)(2 * k + 1) - t2 * series;
    double angle = scale * t * series;
    double factor = angle / s;
    return vec3((float)(q.x * factor), (float)(q.y * factor), (float)(q.z * factor));
}

dry_result dry_body_move_to(dry_world *world, dry_body_id id, dry_pose target, float dt)
{
    dry_result result;
    const char *name = "dry_body_move_to";
    int slot = body_to_change(world, id, name, &result);
    if (slot < 0)
        return result;
    const char *error = motion_error(&target, NULL);
    if (!(dt > 0.0f && dt <= 1e6f))
        error = "dt must be above 0 and finite";
    dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    if (bodies->state[row].type != DRY_BODY_KINEMATIC)
        error = "the body is not kinematic";
    if (error)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: %s", name, error);
    target.orientation = quat_normalize(target.orientation);
    dry_body_pose inner = dry_bodies_inner_pose(bodies, row, &target);
    dry_velocity v;
    float rate = 1.0f / dt;
    v.linear = vec3_scale(position_sub(inner.position, bodies->pose[row].position), rate);
    v.angular = vec3_scale(
        rotation_of(quat_mul(inner.orientation, quat_conjugate(bodies->pose[row].orientation))), rate);
    error = motion_error(NULL, &v);
    if (error)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: %s", name, error);
    set_velocity(world, slot, &v);
    return DRY_OK;
}

dry_result dry_body_set_gravity_scale(dry_world *world, dry_body_id id, float scale)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_gravity_scale", &result);
    if (slot < 0)
        return result;
    if (!(dry_abs(scale) <= 1e6f))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                              "dry_body_set_gravity_scale: scale must be at most 1e6");
    dry_body_wake(world, slot);
    dry_body_drive_of(&world->bodies, slot)->gravity_scale = scale;
    return DRY_OK;
}

dry_result dry_body_set_damping(dry_world *world, dry_body_id id, float linear, float angular)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_damping", &result);
    if (slot < 0)
        return result;
    if (!(linear >= 0.0f && linear <= FLT_MAX && angular >= 0.0f && angular <= FLT_MAX))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                              "dry_body_set_damping: damping must be finite and not negative");
    dry_body_drive *drive = dry_body_drive_of(&world->bodies, slot);
    drive->linear_damping = linear;
    drive->angular_damping = angular;
    return DRY_OK;
}

dry_result dry_body_set_locks(dry_world *world, dry_body_id id, unsigned locks)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_locks", &result);
    if (slot < 0)
        return result;
    if (locks & ~(unsigned)DRY_LOCK_ALL)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_body_set_locks: unknown bits");
    dry_body_wake(world, slot);
    dry_body_drive_of(&world->bodies, slot)->locks = locks;
    world->islands.stale = true; /* they know what is held */
    return DRY_OK;
}

dry_result dry_body_set_user_data(dry_world *world, dry_body_id id, uint64_t user_data)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_user_data", &result);
    if (slot >= 0)
        dry_body_state_of(&world->bodies, slot)->user_data = user_data;
    return result;
}

dry_result dry_body_set_enabled(dry_world *world, dry_body_id id, bool enabled)
{
    dry_result result;
    const char *name = "dry_body_set_enabled";
    int slot = body_to_change(world, id, name, &result);
    if (slot < 0)
        return result;
    dry_bodies *bodies = &world->bodies;
    uint32_t *flags = &dry_body_state_of(bodies, slot)->flags;
    if (((*flags & DRY_BODY_ENABLED) != 0) == enabled)
        return DRY_OK;
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, dry_body_shape_count(world, slot), 0))
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
    if (enabled) {
        *flags = (*flags | DRY_BODY_ENABLED) & ~(uint32_t)DRY_BODY_QUARANTINED;
        const dry_body_velocity *v = dry_body_velocity_of(bodies, slot);
        if (dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC ||
            vec3_length_squared(v->linear) + vec3_length_squared(v->angular) > 0.0f)
            dry_body_wake(world, slot);
        else
            dry_body_wake_neighbors(world, slot);
        dry_body_attach(world, slot);
        dry_body_wake_overlapping(world, slot);
    } else {
        dry_body_wake_neighbors(world, slot);
        dry_body_detach(world, slot);
        dry_body_state_of(bodies, slot)->flags &= ~(uint32_t)DRY_BODY_ENABLED;
        dry_bodies_set_awake(bodies, slot, false);
        dry_body_clear_forces(bodies, slot);
        world->islands.stale = true;
    }
    return DRY_OK;
}

dry_result dry_body_set_type(dry_world *world, dry_body_id id, dry_body_type type)
{
    dry_result result;
    const char *name = "dry_body_set_type";
    int slot = body_to_change(world, id, name, &result);
    if (slot < 0)
        return result;
    dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    if ((unsigned)type >= DRY_BODY_TYPE_COUNT)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: type is unknown", name);
    dry_shape_iterator it = dry_shapes_of(&world->shapes, &bodies->state[row]);
    while (type != DRY_BODY_STATIC && dry_next_shape(&it))
        if (world->shapes.form[it.shape].geometry.type == DRY_SHAPE_HALFSPACE)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: a half-space needs a static body", name);
    if (bodies->state[row].type == (int32_t)type)
        return DRY_OK;
    bool keeps_mass =
        bodies->state[row].type == DRY_BODY_DYNAMIC && (bodies->state[row].flags & DRY_BODY_MASS_GIVEN);
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, dry_body_shape_count(world, slot), 0) ||
        (keeps_mass && !dry_bodies_need_kept_mass(bodies, &world->memory)))
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
    dry_body_wake_neighbors(world, slot);
    dry_body_detach(world, slot);
    dry_bodies_set_awake(bodies, slot, false);
    dry_body_clear_forces(bodies, slot);
    row = dry_bodies_row(bodies, slot);
    bodies->state[row].type = (int32_t)type;
    bodies->velocity[row] = (dry_body_velocity){0};
    dry_mass_refresh(world, slot);
    if (type == DRY_BODY_DYNAMIC)
        dry_body_wake(world, slot);
    dry_body_attach(world, slot);
    world->islands.stale = true;
    return DRY_OK;
}

dry_result dry_body_set_awake(dry_world *world, dry_body_id id, bool awake)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_awake", &result);
    if (slot < 0)
        return result;
    if (awake)
        dry_body_wake(world, slot);
    else if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_body_sleep_island(world, slot);
    return DRY_OK;
}

dry_result dry_body_set_can_sleep(dry_world *world, dry_body_id id, bool can_sleep)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_can_sleep", &result);
    if (slot < 0)
        return result;
    uint32_t *flags = &dry_body_state_of(&world->bodies, slot)->flags;
    *flags = can_sleep ? *flags | DRY_BODY_CAN_SLEEP : *flags & ~(uint32_t)DRY_BODY_CAN_SLEEP;
    if (!can_sleep)
        dry_body_wake(world, slot);
    return DRY_OK;
}

dry_result dry_body_set_mass(dry_world *world, dry_body_id id, const dry_mass *mass)
{
    dry_result result;
    const char *name = "dry_body_set_mass";
    int slot = body_to_change(world, id, name, &result);
    if (slot < 0)
        return result;
    const char *error = mass ? dry_mass_error(mass) : "mass is null";
    if (dry_body_state_of(&world->bodies, slot)->type != DRY_BODY_DYNAMIC)
        error = "the body is not dynamic";
    if (error)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: %s", name, error);
    if (!dry_mass_reserve(world, mass))
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
    dry_body_wake(world, slot);
    uint32_t *flags = &dry_body_state_of(&world->bodies, slot)->flags;
    *flags = (*flags | DRY_BODY_MASS_GIVEN) & ~(uint32_t)DRY_BODY_MASS_SCALED;
    dry_mass_apply(world, slot, mass);
    return DRY_OK;
}

dry_result dry_body_set_mass_from_shapes(dry_world *world, dry_body_id id)
{
    dry_result result;
    int slot = body_to_change(world, id, "dry_body_set_mass_from_shapes", &result);
    if (slot < 0)
        return result;
    dry_body_wake(world, slot);
    dry_body_state_of(&world->bodies, slot)->flags &= ~(uint32_t)(DRY_BODY_MASS_GIVEN | DRY_BODY_MASS_SCALED);
    dry_mass_refresh(world, slot);
    return DRY_OK;
}
