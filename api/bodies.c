/* Creating, destroying and listing bodies: all of a batch or none. */
#include "snapshot/record.h"
#include "state/iterators.h"
#include "world/change.h"
#include "world/check.h"
#include "world/shapes.h"
#include "world/world.h"

#include <drystone/body.h>
#include <string.h>

dry_body_def dry_default_body_def(void)
{
    return (dry_body_def){DRY_BODY_DEF_FIELDS(DRY_FIELD_DEFAULT, dry_body_def)};
}

static const char *def_error(const dry_body_def *def)
{
    if ((unsigned)def->type >= DRY_BODY_TYPE_COUNT)
        return "type is unknown";
    const char *error = dry_motion_error(&def->pose, &def->velocity);
    if (error)
        return error;
    if (!(dry_abs(def->gravity_scale) <= 1e6f))
        return "gravity_scale must be finite and at most 1e6";
    if (!(def->linear_damping >= 0.0f && def->linear_damping <= FLT_MAX))
        return "linear_damping must be finite and not negative";
    if (!(def->angular_damping >= 0.0f && def->angular_damping <= FLT_MAX))
        return "angular_damping must be finite and not negative";
    if (def->locks & ~(unsigned)DRY_LOCK_ALL)
        return "locks has unknown bits";
    if (def->shape_count < 0 || (def->shape_count > 0 && !def->shapes))
        return "shapes and shape_count do not agree";
    if (!(def->mass >= 0.0f && def->mass <= 1e15f))
        return "mass must be 0 to 1e15";
    return NULL;
}

static dry_result check_defs(const dry_world *world, int count, const dry_body_def *defs, int *shapes)
{
    const char *name = "dry_world_create_bodies";
    int64_t total = 0, materials = 0;
    dry_fault fault;
    for (int i = 0; i < count; i++) {
        const char *error = def_error(&defs[i]);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].%s", name, i, error);
        for (int s = 0; s < defs[i].shape_count; s++) {
            error = dry_shape_def_error(&world->settings, &defs[i].shapes[s], defs[i].type, &fault);
            if (error)
                return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].shapes[%d].%s", name, i, s,
                                      error);
            materials += dry_shape_listed_materials(&defs[i].shapes[s]);
        }
        total += defs[i].shape_count;
    }
    if (total > 1 << 26 || materials > 1 << 26)
        return dry_refuse(world, name, "more than 2^26 shapes or materials");
    *shapes = (int)total;
    return DRY_OK;
}

dry_result dry_world_create_bodies(dry_world *world, int count, const dry_body_def *defs, dry_body_id *ids)
{
    DRY_RETURN_REFUSAL(dry_check_change(world, __func__));
    if (count < 0 || (count > 0 && (!defs || !ids)))
        return dry_refuse(world, __func__, "defs or ids is null, or count is negative");
    if (!dry_slots_may_hold(&world->bodies.slots, count))
        return dry_refuse(world, __func__, "more than 2^24 - 1 bodies");
    int shapes = 0;
    DRY_RETURN_REFUSAL(check_defs(world, count, defs, &shapes));
    if (!dry_slots_may_hold(&world->shapes.slots, shapes))
        return dry_refuse(world, __func__, "more than 2^24 - 1 shapes");
    if (!dry_bodies_reserve_defs(world, count, defs, shapes))
        return dry_lacks_memory(world, __func__);
    DRY_RETURN_REFUSAL(dry_draw_numbers(world, __func__));
    dry_broadphase_begin_batch(world->broadphase);
    for (int i = 0; i < count; i++)
        ids[i] = dry_body_id_of(world, dry_body_create(world, &defs[i]));
    dry_broadphase_end_batch(world->broadphase);
    return DRY_RECORD(world, dry_world_create_bodies, &count, defs, ids);
}

dry_result dry_world_create_body(dry_world *world, const dry_body_def *def, dry_body_id *id)
{
    return dry_world_create_bodies(world, 1, def, id);
}

dry_result dry_world_destroy_bodies(dry_world *world, int count, const dry_body_id *ids)
{
    DRY_RETURN_REFUSAL(dry_check_bodies(world, __func__, count, ids));
    dry_note_change(world);
    int duplicate = 0;
    const dry_result result = dry_bodies_destroy(world, count, ids, &duplicate);
    if (result == DRY_ERROR_STALE_ID)
        return dry_world_fail(world, result, "%s: ids[%d] is there twice", __func__, duplicate);
    if (result == DRY_ERROR_MEMORY)
        return dry_lacks_memory(world, __func__);
    return DRY_RECORD(world, dry_world_destroy_bodies, &count, ids);
}

dry_result dry_body_destroy(dry_world *world, dry_body_id id)
{
    return dry_world_destroy_bodies(world, 1, &id);
}

bool dry_body_is_valid(const dry_world *world, dry_body_id id)
{
    return world && dry_slots_find(&world->bodies.slots, id.bits) >= 0;
}

int dry_world_get_bodies(const dry_world *world, dry_body_id *ids, int capacity)
{
    int count = world ? world->bodies.count : 0;
    if (!ids || count == 0)
        return count;
    dry_body_iterator it = dry_bodies_by_age(&world->bodies);
    for (int i = 0; i < capacity && dry_next_body(&it); i++)
        ids[i] = dry_body_id_of(world, it.slot);
    return count;
}
