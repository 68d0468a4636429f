/* Creation and removal of shapes: their columns, their place in their body's list. */
#include "world/shapes.h"

#include "geometry/geometry.h"
#include "state/iterators.h"
#include "world/world.h"

#include <drystone/shape_data.h>

bool dry_shape_reserve(dry_world *world, int more)
{
    return dry_shapes_reserve(&world->shapes, &world->memory, more) &&
           dry_broadphase_reserve(world->broadphase, more);
}

static bool is_default(const dry_filter *filter)
{
    return filter->category == dry_shape_default_filter.category &&
           filter->mask == dry_shape_default_filter.mask && filter->group == dry_shape_default_filter.group;
}

bool dry_shape_need_columns(const dry_shape_tables *t, const dry_shape_def *def)
{
    bool ok = (transform_is_identity(&def->pose) ||
               (dry_bodies_need_local(t->bodies, t->memory) && dry_shapes_need_pose(t->shapes, t->memory))) &&
              (is_default(&def->filter) || dry_shapes_need_filter(t->shapes, t->memory)) &&
              (def->events == DRY_SHAPE_EVENTS_ALL || dry_shapes_need_events(t->shapes, t->memory));
    const int properties = dry_type_properties((int32_t)def->type);
    if (properties & DRY_TYPE_DATA)
        ok = ok && dry_shapes_need_asset(t->shapes, t->memory) && dry_bodies_need_local(t->bodies, t->memory);
    if (properties & (DRY_TYPE_WIDE | DRY_TYPE_PIECES))
        ok = ok && dry_contacts_need_wide(t->contacts, t->memory);
    if (properties & DRY_TYPE_PIECES)
        ok = ok && dry_contacts_need_family(t->contacts, t->memory);
    return ok;
}

bool dry_shape_reserve_rare(dry_world *world, const dry_shape_def *def)
{
    dry_material own;
    const dry_material *materials = dry_materials_of_def(def, &own);
    return dry_shape_need_columns(
               &(dry_shape_tables){&world->bodies, &world->shapes, &world->contacts, &world->memory}, def) &&
           dry_shapes_need_materials(&world->shapes, &world->memory, materials,
                                     dry_max_int(def->material_count, 1));
}

bool dry_shape_reserve_filter(dry_world *world, const dry_filter *filter)
{
    return is_default(filter) || dry_shapes_need_filter(&world->shapes, &world->memory);
}

void dry_shape_release_data(dry_world *world, int shape)
{
    if (!world->shapes.asset)
        return;
    const int properties = dry_type_properties(world->shapes.form[shape].geometry.type);
    world->shapes.pieced -= world->shapes.asset[shape].data && (properties & DRY_TYPE_PIECES);
    dry_shape_data_release(world->shapes.asset[shape].data);
    world->shapes.asset[shape] = dry_shape_default_asset;
}

void dry_shape_set_form(dry_world *world, int shape, const dry_shape_def *def)
{
    dry_shape_form *form = &world->shapes.form[shape];
    const dry_geometry geometry = dry_geometry_from_def(def);
    if (geometry.data)
        dry_shape_data_retain(geometry.data); /* before the old ones go: they may be the same */
    dry_shape_release_data(world, shape);
    if (geometry.data)
        world->shapes.asset[shape] = (dry_shape_asset){geometry.data, dry_shape_data_hash(geometry.data)};
    if (world->shapes.pose)
        world->shapes.pose[shape] =
            (dry_transform){def->pose.position, quat_normalize(def->pose.orientation)};
    const bool halfspace = def->type == DRY_SHAPE_HALFSPACE;
    world->shapes.link[shape].density_or_offset = halfspace ? def->offset : def->density;
    world->shapes.pieced += (dry_type_properties(geometry.type) & DRY_TYPE_PIECES) != 0;
    form->geometry = (dry_geometry_core){geometry.size, geometry.type};
    form->pose = *dry_shapes_pose(&world->shapes, shape);
    form->radius = halfspace ? 0.0f : dry_geometry_radius(&geometry);
}

int dry_shape_add(dry_world *world, int body, const dry_shape_def *def)
{
    int shape = dry_slots_take(&world->shapes.slots, 0);
    DRY_ASSERT(shape < world->shapes.form_capacity && shape < world->shapes.link_capacity);
    world->shapes.slots.slots[shape].row = shape;
    world->shapes.link[shape] = (dry_shape_link){.user_data = def->user_data, .next = -1};
    world->shapes.form[shape] = (dry_shape_form){.body = body, .proxy = -1};
    if (world->shapes.asset)
        world->shapes.asset[shape] = dry_shape_default_asset;
    if (world->shapes.material)
        world->shapes.material[shape] = dry_shape_default_material;
    if (world->shapes.filter)
        world->shapes.filter[shape] = def->filter;
    if (world->shapes.events)
        world->shapes.events[shape].kinds = def->events;
    world->shapes.creation[shape].index = world->shapes.made++;
    dry_shape_set_form(world, shape, def);
    dry_material own;
    const dry_material *materials = dry_materials_of_def(def, &own);
    dry_shapes_set_materials(&world->shapes, shape, materials, dry_max_int(def->material_count, 1));
    dry_body_state *state = dry_body_state_of(&world->bodies, body);
    if (state->last_shape >= 0)
        world->shapes.link[state->last_shape].next = shape;
    else
        state->first_shape = shape;
    state->last_shape = shape;
    return shape;
}

void dry_shape_remove(dry_world *world, int shape)
{
    dry_shape_release_data(world, shape);
    dry_shapes_drop_materials(&world->shapes, shape);
    dry_body_state *state = dry_body_state_of(&world->bodies, world->shapes.form[shape].body);
    int previous = -1;
    for (int s = state->first_shape; s != shape; s = world->shapes.link[s].next)
        previous = s;
    if (previous >= 0)
        world->shapes.link[previous].next = world->shapes.link[shape].next;
    else
        state->first_shape = world->shapes.link[shape].next;
    if (state->last_shape == shape)
        state->last_shape = previous;
    dry_slots_release(&world->shapes.slots, shape);
}

int dry_body_shape_count(const dry_world *world, int slot)
{
    int count = 0;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        count++;
    return count;
}
