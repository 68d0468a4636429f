/* Creating, destroying, reading and changing shapes. */
#include "world/shapes.h"
#include "geometry/geometry.h"
#include "snapshot/record.h"
#include "state/iterators.h"
#include "state/surface.h"
#include "world/attach.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/mass.h"
#include "world/sleep.h"
#include "world/world.h"

dry_material dry_default_material(void)
{
    return dry_material_standard();
}

dry_shape_def dry_default_shape_def(void)
{
    return (dry_shape_def){DRY_SHAPE_DEF_FIELDS(DRY_FIELD_DEFAULT, dry_shape_def)};
}

/* Returns a shape's definition as it is now. Fields that its type does not use have their defaults. */
static dry_shape_def shape_def(const dry_shapes *shapes, int shape)
{
    const dry_shape_link *link = &shapes->link[shape];
    dry_shape_def def = dry_default_shape_def();
    const dry_geometry geometry = dry_shapes_geometry(shapes, shape);
    dry_geometry_to_def(&geometry, &def);
    if (def.type == DRY_SHAPE_HALFSPACE)
        def.offset = link->density_or_offset;
    else
        def.density = link->density_or_offset;
    def.pose = *dry_shapes_pose(shapes, shape);
    const dry_material first = dry_shapes_material(shapes, shape, 0);
#define X(name, ...) def.name = first.name;
    DRY_SURFACE_NUMBERS(X)
#undef X
    def.filter = *dry_shapes_filter(shapes, shape);
    def.events = dry_shapes_events(shapes, shape);
    def.user_data = link->user_data;
    return def;
}

dry_result dry_body_create_shape(dry_world *world, dry_body_id body, const dry_shape_def *def,
                                 dry_shape_id *id)
{
    const int slot = dry_body_to_change(world, body, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    if (!def || !id)
        return dry_refuse(world, __func__, "def or id is null");
    int row = dry_bodies_row(&world->bodies, slot);
    dry_fault fault;
    const char *error =
        dry_shape_def_error(&world->settings, def, (dry_body_type)world->bodies.state[row].type, &fault);
    if (error)
        return dry_refuse(world, __func__, error);
    if (!dry_slots_may_hold(&world->shapes.slots, 1))
        return dry_refuse(world, __func__, "more than 2^24 - 1 shapes");
    if (!dry_shape_reserve(world, 1) || !dry_shape_reserve_rare(world, def) ||
        !dry_shapes_reserve_list(&world->shapes, &world->memory, dry_shape_listed_materials(def)))
        return dry_lacks_memory(world, __func__);
    DRY_RETURN_REFUSAL(dry_draw_numbers(world, __func__));
    int shape = dry_shape_add(world, slot, def);
    dry_mass_refresh(world, slot);
    dry_shape_attach(world, shape);
    dry_body_wake(world, slot);
    dry_body_wake_overlapping(world, slot);
    *id = dry_shape_id_of(world, shape);
    return DRY_RECORD(world, dry_body_create_shape, &body, def, id);
}

dry_result dry_shape_destroy(dry_world *world, dry_shape_id id)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    int slot = world->shapes.form[shape].body;
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)))
        return dry_lacks_memory(world, __func__);
    dry_body_wake(world, slot);
    dry_body_wake_neighbors(world, slot);
    dry_shape_detach(world, shape);
    dry_shape_remove(world, shape);
    dry_mass_refresh(world, slot);
    return DRY_RECORD(world, dry_shape_destroy, &id);
}

bool dry_shape_is_valid(const dry_world *world, dry_shape_id id)
{
    return world && dry_slots_find(&world->shapes.slots, id.bits) >= 0;
}

#define READ(call, type, ...) DRY_READ_CALL(call, dry_shape_to_read, dry_shape_id, type, __VA_ARGS__)
READ(dry_shape_get_def, dry_shape_def, shape_def(&world->shapes, at))
READ(dry_shape_get_body, dry_body_id, dry_body_id_of(world, world->shapes.form[at].body))
READ(dry_shape_get_user_data, uint64_t, world->shapes.link[at].user_data)

dry_result dry_shape_get_materials(const dry_world *world, dry_shape_id id, dry_material *materials,
                                   int capacity, int *count)
{
    const int shape = dry_shape_to_read(world, id, count, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    if (capacity < 0 || (capacity > 0 && !materials))
        return dry_refuse(world, __func__, "materials is null");
    *count = dry_shapes_material_count(&world->shapes, shape);
    for (int i = 0; i < *count && i < capacity; i++)
        materials[i] = dry_shapes_material(&world->shapes, shape, i);
    return DRY_OK;
}

/* Mixes the surfaces of a shape's body anew for all of its contacts. A patch whose static friction does
 * not exceed its friction does not slide in any other way than it sticks. */
static void remix(dry_world *world, int shape)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, world->shapes.form[shape].body);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        dry_contacts_mix(&world->contacts, &world->shapes, it.contact);
        const dry_surface surface = dry_contacts_surface(&world->contacts, &world->shapes, it.contact);
        if (surface.static_friction <= world->contacts.manifold[it.contact].friction)
            dry_contacts_forget_sticking(&world->contacts, it.contact);
    }
}

/* Replaces the materials of a shape. `wakes`: the change may move a body at rest. */
static dry_result replace_materials(dry_world *world, const char *name, int shape,
                                    const dry_material *materials, int count, bool wakes)
{
    dry_fault fault;
    const char *error = dry_materials_error(&world->settings, materials, count,
                                            dry_shapes_geometry(&world->shapes, shape).data, &fault);
    if (error)
        return dry_refuse(world, name, error);
    if (!dry_shape_reserve(world, 0) ||
        !dry_shapes_need_materials(&world->shapes, &world->memory, materials, count) ||
        !dry_shapes_reserve_list(&world->shapes, &world->memory, count > 1 ? count : 0))
        return dry_lacks_memory(world, name);
    dry_shapes_set_materials(&world->shapes, shape, materials, count);
    remix(world, shape);
    world->solver.sweeps.stored_dt = 0.0f; /* bundles have the old numbers */
    world->islands.stale = true;           /* islands know which surfaces move */
    if (wakes)
        dry_body_wake(world, world->shapes.form[shape].body);
    return DRY_OK;
}

/* Reads the only material of a shape, of which a call changes numbers. Returns the shape, or a refusal. Not
 * inlined, nor is the end: five calls would hold them. */
DRY_NOINLINE static int begin_change(dry_world *world, dry_shape_id id, const char *name, dry_material *only)
{
    const int shape = dry_shape_to_change(world, id, name);
    if (shape >= 0 && dry_shapes_material_count(&world->shapes, shape) > 1)
        return -(int)dry_refuse(world, name,
                                "the shape has several materials, which dry_shape_set_materials replaces");
    if (shape >= 0)
        *only = dry_shapes_material(&world->shapes, shape, 0);
    return shape;
}

DRY_NOINLINE static dry_result end_change(dry_world *world, int shape, const char *name,
                                          const dry_material *only, bool wakes)
{
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    const char *error = dry_material_error(&world->settings, only);
    if (error)
        return dry_refuse(world, name, error);
    return replace_materials(world, name, shape, only, 1, wakes);
}

#define ONE(T, place, call, wakes)                                                                           \
    dry_result dry_shape_set_##call(dry_world *world, dry_shape_id id, float call)                           \
    {                                                                                                        \
        dry_material only = {0};                                                                             \
        const int shape = begin_change(world, id, __func__, &only);                                          \
        only.call = call;                                                                                    \
        DRY_RETURN_REFUSAL(end_change(world, shape, __func__, &only, wakes));                                \
        return DRY_RECORD(world, dry_shape_set_##call, &id, &call);                                          \
    }
#define BOTH(T, place, call, wakes, first, second, ...)                                                      \
    dry_result dry_shape_set_##call(dry_world *world, dry_shape_id id, float first, float second)            \
    {                                                                                                        \
        dry_material only = {0};                                                                             \
        const int shape = begin_change(world, id, __func__, &only);                                          \
        only.first = first;                                                                                  \
        only.second = second;                                                                                \
        DRY_RETURN_REFUSAL(end_change(world, shape, __func__, &only, wakes));                                \
        return DRY_RECORD(world, dry_shape_set_##call, &id, &first, &second);                                \
    }
DRY_SURFACE_CALLS(ONE, BOTH, )
#undef ONE
#undef BOTH

dry_result dry_shape_set_materials(dry_world *world, dry_shape_id id, const dry_material *materials,
                                   int count)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    DRY_RETURN_REFUSAL(replace_materials(world, __func__, shape, materials, count, true));
    return DRY_RECORD(world, dry_shape_set_materials, &id, materials, &count);
}

/* Gives a shape the form of a definition: its contacts end, and the next step begins those that it has then.
 */
static dry_result replace_form(dry_world *world, const char *name, int shape, const dry_shape_def *def)
{
    const int slot = world->shapes.form[shape].body;
    dry_fault fault;
    const char *error =
        dry_shape_form_error(def, (dry_body_type)dry_body_state_of(&world->bodies, slot)->type,
                             dry_shapes_material_count(&world->shapes, shape), &fault);
    if (error)
        return dry_refuse(world, name, error);
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, 0) || !dry_shape_reserve_rare(world, def))
        return dry_lacks_memory(world, name);
    dry_body_wake(world, slot);
    dry_body_wake_neighbors(world, slot);
    dry_shape_detach(world, shape);
    dry_shape_set_form(world, shape, def);
    dry_mass_refresh(world, slot);
    dry_shape_attach(world, shape);
    dry_body_wake_overlapping(world, slot);
    return DRY_OK;
}

dry_result dry_shape_set_geometry(dry_world *world, dry_shape_id id, const dry_shape_def *geometry)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    if (!geometry)
        return dry_refuse(world, __func__, "geometry is null");
    dry_shape_def def = shape_def(&world->shapes, shape);
    def.type = geometry->type;
    def.half_extents = geometry->half_extents;
    def.radius = geometry->radius;
    def.half_length = geometry->half_length;
    def.normal = geometry->normal;
    def.offset = geometry->offset;
    def.data = geometry->data;
    def.scale = geometry->scale;
    DRY_RETURN_REFUSAL(replace_form(world, __func__, shape, &def));
    return DRY_RECORD(world, dry_shape_set_geometry, &id, &def);
}

dry_result dry_shape_set_pose(dry_world *world, dry_shape_id id, dry_transform pose)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    dry_shape_def def = shape_def(&world->shapes, shape);
    def.pose = pose;
    DRY_RETURN_REFUSAL(replace_form(world, __func__, shape, &def));
    return DRY_RECORD(world, dry_shape_set_pose, &id, &pose);
}

dry_result dry_shape_set_density(dry_world *world, dry_shape_id id, float density)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    dry_shape_def def = shape_def(&world->shapes, shape);
    if (def.type == DRY_SHAPE_HALFSPACE)
        return dry_refuse(world, __func__, "a half-space has no density");
    def.density = density;
    DRY_RETURN_REFUSAL(replace_form(world, __func__, shape, &def));
    return DRY_RECORD(world, dry_shape_set_density, &id, &density);
}

dry_result dry_shape_set_filter(dry_world *world, dry_shape_id id, dry_filter filter)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    int slot = world->shapes.form[shape].body;
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, 0) || !dry_shape_reserve_filter(world, &filter))
        return dry_lacks_memory(world, __func__);
    dry_body_wake(world, slot);
    dry_body_wake_neighbors(world, slot);
    /* The shape leaves the broadphase and returns, so that the filter is applied to every pair anew. */
    if (world->shapes.filter)
        world->shapes.filter[shape] = filter;
    dry_shape_detach(world, shape);
    dry_shape_attach(world, shape);
    dry_body_wake_overlapping(world, slot);
    return DRY_RECORD(world, dry_shape_set_filter, &id, &filter);
}

dry_result dry_shape_set_user_data(dry_world *world, dry_shape_id id, uint64_t user_data)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    world->shapes.link[shape].user_data = user_data;
    return DRY_RECORD(world, dry_shape_set_user_data, &id, &user_data);
}
