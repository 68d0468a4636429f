/* Creation of bodies with their shapes. */
#include "world/change.h"

#include "world/attach.h"
#include "world/events.h"
#include "world/mass.h"
#include "world/shapes.h"
#include "world/world.h"

static bool reserve_columns(dry_world *world, int bodies, int shapes)
{
    int total = world->bodies.count + bodies;
    return dry_bodies_reserve(&world->bodies, &world->memory, bodies) && dry_shape_reserve(world, shapes) &&
           dry_scratch_promise(&world->scratch, &world->memory, DRY_PROMISE_FLOOD,
                               (size_t)total * sizeof(int32_t)) &&
           dry_scratch_promise(&world->scratch, &world->memory, DRY_PROMISE_SET,
                               (size_t)dry_slot_set_words(world->bodies.slots.capacity) * sizeof(uint32_t)) &&
           DRY_RESERVE(&world->memory, world->sleep_changed, world->sleep_changed_capacity, total);
}

static bool reserve_rare(dry_world *world, int count, const dry_body_def *defs)
{
    int listed = 0; /* at most 2^26: api/bodies.c */
    for (int i = 0; i < count; i++)
        for (int s = 0; s < defs[i].shape_count; s++) {
            if (!dry_shape_reserve_rare(world, &defs[i].shapes[s]))
                return false;
            listed += dry_shape_listed_materials(&defs[i].shapes[s]);
        }
    return dry_shapes_reserve_list(&world->shapes, &world->memory, listed);
}

bool dry_bodies_reserve_defs(dry_world *world, int count, const dry_body_def *defs, int shapes)
{
    return reserve_columns(world, count, shapes) && reserve_rare(world, count, defs);
}

int dry_body_create(dry_world *world, const dry_body_def *def)
{
    dry_bodies *bodies = &world->bodies;
    int slot = dry_bodies_add(bodies);
    int row = dry_bodies_row(bodies, slot);
    dry_body_state *state = &bodies->state[row];
    dry_bodies_set_type(bodies, slot, (int32_t)def->type);
    state->user_data = def->user_data;
    state->flags = (def->enabled ? DRY_BODY_ENABLED : 0u) | (def->can_sleep ? DRY_BODY_CAN_SLEEP : 0u);
    if (def->mass > 0.0f) {
        state->flags |= DRY_BODY_MASS_SCALED;
        state->mass = def->mass;
    }
    bodies->properties[row] =
        (dry_body_properties){def->gravity_scale, def->linear_damping, def->angular_damping, def->locks};
    bodies->pose[row] = (dry_body_pose){def->pose.position, quat_normalize(def->pose.orientation)};
    for (int i = 0; i < def->shape_count; i++)
        dry_shape_add(world, slot, &def->shapes[i]);
    dry_mass_refresh(world, slot);
    bool moves = def->type == DRY_BODY_DYNAMIC ||
                 (def->type == DRY_BODY_KINEMATIC && (vec3_length_squared(def->velocity.linear) > 0.0f ||
                                                      vec3_length_squared(def->velocity.angular) > 0.0f));
    bool sleeps = def->enabled && !def->awake;
    if (moves && !sleeps)
        dry_bodies_give_velocity(bodies, row, def->velocity.linear, def->velocity.angular);
    if (moves && !sleeps && def->enabled)
        dry_bodies_set_awake(bodies, slot, true);
    else if (def->type == DRY_BODY_DYNAMIC)
        state->flags |= DRY_BODY_TOLD_ASLEEP;
    world->islands.stale = true;
    dry_body_attach(world, slot);
    return slot;
}
