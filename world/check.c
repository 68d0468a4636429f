/* Telling callers what was wrong, and the argument checks that many calls share. */
#include "world/check.h"

#include "core/fail.h"
#include "geometry/geometry.h"
#include "geometry/shape_data.h"
#include "solver/methods/method.h"
#include "state/surface.h"
#include "world/world.h"

#include <stdio.h>

/* Its address names the thread. */
static _Thread_local char this_thread;

dry_result dry_world_fail(const dry_world *world, dry_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dry_fail_with(world ? &world->log : NULL, result, format, arguments);
    va_end(arguments);
    return result;
}

dry_result dry_refuse(const dry_world *world, const char *name, const char *text)
{
    return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: %s", name, text);
}

dry_result dry_lacks_memory(const dry_world *world, const char *name)
{
    return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
}

dry_result dry_check_read(const dry_world *world, const char *name)
{
    if (!world)
        return dry_refuse(NULL, name, "the world is null");
    return world->moving
               ? dry_world_fail(world, DRY_ERROR_LOCKED, "%s: called while the world is stepping", name)
               : DRY_OK;
}

dry_result dry_check_world(const dry_world *world, const char *name)
{
    DRY_RETURN_REFUSAL(dry_check_read(world, name));
    if (world->stepping)
        return dry_world_fail(world, DRY_ERROR_LOCKED, "%s: called while the world is stepping", name);
    const void *writer = atomic_load_explicit(&world->writer, memory_order_relaxed);
    return writer && writer == &this_thread
               ? dry_world_fail(world, DRY_ERROR_LOCKED, "%s: called by a sink of the world", name)
               : DRY_OK;
}

void dry_note_change(dry_world *world)
{
    world->called = true;
    dry_mark_all(world->bodies.marks);
}

void dry_writes_to_sink(const dry_world *world, bool writes)
{
    _Atomic(const void *) *writer = &((dry_world *)world)->writer;
    atomic_store_explicit(writer, writes ? &this_thread : NULL, memory_order_relaxed);
}

dry_result dry_check_change(dry_world *world, const char *name)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, name));
    dry_note_change(world);
    return DRY_OK;
}

bool dry_finite3(dry_vec3 v, float limit)
{
    return dry_abs(v.x) <= limit && dry_abs(v.y) <= limit && dry_abs(v.z) <= limit;
}

const char *dry_motion_error(const dry_pose *pose, const dry_velocity *velocity)
{
    if (pose && !dry_finite_position(pose->position))
        return "pose.position must be finite and at most 1e9";
    const float square = pose ? quat_length_squared(pose->orientation) : 1.0f;
    if (!(square > 0.998f && square < 1.002f))
        return "pose.orientation must be of unit length";
    if (velocity && !(vec3_length(velocity->linear) <= 1e5f))
        return "velocity.linear must be finite and at most 1e5";
    if (velocity && !(vec3_length(velocity->angular) <= 1e4f))
        return "velocity.angular must be finite and at most 1e4";
    return NULL;
}

const char *dry_material_error(const dry_settings *settings, const dry_material *def)
{
#define X(name, standard, high, error, ...)                                                                  \
    if (!(def->name >= 0.0f && def->name <= (high)))                                                         \
        return error;
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, error, ...)                                                                           \
    if (!dry_finite3(def->name, limit))                                                                      \
        return error;
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, ...)                                                                                         \
    if ((unsigned)def->name >= DRY_COMBINE_COUNT)                                                            \
        return #name " is unknown";
    DRY_SURFACE_RULES(X)
#undef X
    return dry_material_has_spring(def) ? dry_settings_spring_error(settings) : NULL;
}

/* Returns why a number of materials is not enough for data; null if it is. */
static const char *data_error(const dry_shape_data *data, int count, dry_fault *fault)
{
    if (!data || data->material_count <= count)
        return NULL;
    snprintf(fault->text, sizeof fault->text, "data has material index %d: give materials 0 to %d",
             data->material_count - 1, data->material_count - 1);
    return fault->text;
}

const char *dry_materials_error(const dry_settings *settings, const dry_material *materials, int count,
                                const dry_shape_data *data, dry_fault *fault)
{
    if (count < 1 || count > DRY_MATERIALS_MAX || !materials)
        return "materials must be 1 to 65536";
    for (int i = 0; i < count; i++) {
        const char *error = dry_material_error(settings, &materials[i]);
        if (!error)
            continue;
        snprintf(fault->text, sizeof fault->text, "materials[%d]: %s", i, error);
        return fault->text;
    }
    return data_error(data, count, fault);
}

/* Returns what is wrong with the surface of a definition. */
static const char *surface_error(const dry_settings *settings, const dry_shape_def *def, dry_fault *fault)
{
    if (def->material_count == 0) {
        dry_material own;
        return dry_material_error(settings, dry_materials_of_def(def, &own));
    }
#define X(name, standard, ...)                                                                               \
    if (def->name != (standard))                                                                             \
        return "materials and " #name " are both given";
    DRY_SURFACE_NUMBERS(X)
#undef X
    return dry_materials_error(settings, def->materials, def->material_count, NULL, fault);
}

const char *dry_body_type_error(const dry_geometry *shape, dry_body_type body_type)
{
    if (shape->type == DRY_SHAPE_HALFSPACE && body_type != DRY_BODY_STATIC)
        return "a half-space needs a static body";
    if (body_type == DRY_BODY_DYNAMIC && dry_geometry_has_triangles(shape))
        return "a mesh or a height field needs a static or kinematic body; use a compound of hulls";
    return NULL;
}

const char *dry_shape_form_error(const dry_shape_def *def, dry_body_type body_type, int materials,
                                 dry_fault *fault)
{
    const char *error = dry_geometry_def_error(def);
    if (error)
        return error;
    const dry_geometry geometry = dry_geometry_from_def(def);
    error = dry_body_type_error(&geometry, body_type);
    if (error)
        return error;
    error = dry_pose_error(&def->pose);
    if (error)
        return error;
    if (!(def->density >= 0.0f && def->density <= 1e9f))
        return "density must be 0 to 1e9";
    const bool has_data = dry_type_properties((int32_t)def->type) & DRY_TYPE_DATA;
    return has_data ? data_error(def->data, materials, fault) : NULL;
}

const char *dry_shape_def_error(const dry_settings *settings, const dry_shape_def *def,
                                dry_body_type body_type, dry_fault *fault)
{
    const char *error = surface_error(settings, def, fault);
    if (error)
        return error;
    if (def->events & ~(uint32_t)DRY_SHAPE_EVENTS_ALL)
        return "events has bits that are no kind of events";
    return dry_shape_form_error(def, body_type, dry_max_int(def->material_count, 1), fault);
}

/* What ids name. */
typedef enum thing { BODY, SHAPE, JOINT } thing;

static int find(const dry_world *world, thing kind, uint64_t id, const char *name)
{
    static const char *const words[] = {"body", "shape", "joint"};
    const dry_slots *const slots[] = {&world->bodies.slots, &world->shapes.slots, &world->joints.slots};
    const int slot = dry_slots_find(slots[kind], id);
    if (slot >= 0)
        return slot;
    return -(int)dry_world_fail(world, DRY_ERROR_STALE_ID, "%s: %s id %016llx names no %s of this world",
                                name, words[kind], (unsigned long long)id, words[kind]);
}

int dry_find_body(const dry_world *world, dry_body_id id, const char *name)
{
    return find(world, BODY, id.bits, name);
}

int dry_find_joint(const dry_world *world, dry_joint_id id, const char *name)
{
    return find(world, JOINT, id.bits, name);
}

dry_result dry_check_bodies(const dry_world *world, const char *name, int count, const dry_body_id *ids)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, name));
    if (count < 0 || (count > 0 && !ids))
        return dry_refuse(world, name, "ids is null or count is negative");
    for (int i = 0; i < count; i++)
        DRY_RETURN_REFUSAL(dry_refusal(dry_find_body(world, ids[i], name)));
    return DRY_OK;
}

static int to_read(const dry_world *world, thing kind, uint64_t id, const void *out, const char *name)
{
    const dry_result refused = dry_check_read(world, name);
    if (refused != DRY_OK)
        return -(int)refused;
    const int slot = find(world, kind, id, name);
    if (slot >= 0 && !out)
        return -(int)dry_refuse(world, name, "the output is null");
    return slot;
}

int dry_row_to_read(const dry_world *world, dry_body_id id, const void *out, const char *name)
{
    const int slot = to_read(world, BODY, id.bits, out, name);
    return slot < 0 ? slot : dry_bodies_row(&world->bodies, slot);
}

int dry_shape_to_read(const dry_world *world, dry_shape_id id, const void *out, const char *name)
{
    return to_read(world, SHAPE, id.bits, out, name);
}

int dry_joint_to_read(const dry_world *world, dry_joint_id id, const void *out, const char *name)
{
    return to_read(world, JOINT, id.bits, out, name);
}

void dry_note_body_change(dry_world *world, int slot)
{
    world->called = true;
    dry_bodies_mark(&world->bodies, slot);
    if (world->bodies.marks)
        world->bodies.marks->boxes = true; /* of a new velocity, stage pairs makes boxes larger */
}

static int to_change(dry_world *world, thing kind, uint64_t id, const char *name)
{
    const dry_result refused = dry_check_change(world, name);
    return refused == DRY_OK ? find(world, kind, id, name) : -(int)refused;
}

int dry_body_to_change(dry_world *world, dry_body_id id, const char *name)
{
    return to_change(world, BODY, id.bits, name);
}

int dry_shape_to_change(dry_world *world, dry_shape_id id, const char *name)
{
    return to_change(world, SHAPE, id.bits, name);
}

int dry_joint_to_change(dry_world *world, dry_joint_id id, const char *name)
{
    return to_change(world, JOINT, id.bits, name);
}
