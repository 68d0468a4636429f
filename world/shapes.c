/* Creation and removal of shapes: their columns, their place in their body's list. */
#include "world/shapes.h"

#include "core/assert.h"
#include "geometry/geometry.h"
#include "state/iterators.h"
#include "state/surface.h"
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

bool dry_shape_reserve_rare(dry_world *world, const dry_shape_def *def)
{
    dry_memory *memory = &world->memory;
    bool ok = (transform_is_identity(&def->pose) || (dry_bodies_need_local(&world->bodies, memory) &&
                                                     dry_shapes_need_pose(&world->shapes, memory))) &&
              dry_shape_reserve_filter(world, &def->filter);
    const int properties = dry_type_properties((int32_t)def->type);
    if (properties & DRY_TYPE_DATA)
        ok = ok && dry_shapes_need_asset(&world->shapes, memory) &&
             dry_bodies_need_local(&world->bodies, memory);
    if (properties & (DRY_TYPE_WIDE | DRY_TYPE_PIECES))
        ok = ok && dry_contacts_need_wide(&world->contacts, memory);
    if (properties & DRY_TYPE_PIECES)
        ok = ok && dry_contacts_need_family(&world->contacts, memory);
#define X(name, standard, high, error, column, ...)                                                          \
    ok = ok && (def->name == 0.0f || dry_shapes_need_##column(&world->shapes, memory));
    DRY_SURFACE_NUMBERS(X)
#undef X
    return ok;
}

void dry_shape_set_surface(dry_world *world, int shape, const dry_shape_def *def)
{
    dry_shapes *shapes = &world->shapes;
#define X(name, standard, high, error, column, member, ...)                                                  \
    if (shapes->column)                                                                                      \
        shapes->column[shape].member = def->name;
    DRY_SURFACE_NUMBERS(X)
#undef X
}

bool dry_shape_reserve_filter(dry_world *world, const dry_filter *filter)
{
    return is_default(filter) || dry_shapes_need_filter(&world->shapes, &world->memory);
}

int dry_shape_add(dry_world *world, int body, const dry_shape_def *def)
{
    int shape = dry_slots_take(&world->shapes.slots, 0);
    DRY_ASSERT(shape < world->shapes.form_capacity && shape < world->shapes.link_capacity);
    world->shapes.slots.slots[shape].row = shape;
    dry_shape_form *form = &world->shapes.form[shape];
    dry_shape_link *link = &world->shapes.link[shape];
    *link = (dry_shape_link){
        .user_data = def->user_data,
        .density_or_offset = def->density,
        .next = -1,
    };
    if (world->shapes.pose)
        world->shapes.pose[shape] =
            (dry_transform){def->pose.position, quat_normalize(def->pose.orientation)};
    if (world->shapes.filter)
        world->shapes.filter[shape] = def->filter;
    world->shapes.creation[shape].index = world->shapes.made++;
    if (def->type == DRY_SHAPE_HALFSPACE)
        link->density_or_offset = def->offset;
    const dry_geometry geometry = dry_geometry_from_def(def);
    if (world->shapes.asset)
        world->shapes.asset[shape] = dry_shape_default_asset;
    if (geometry.data) {
        world->shapes.asset[shape] = (dry_shape_asset){geometry.data, dry_shape_data_hash(geometry.data)};
        dry_shape_data_retain(geometry.data);
    }
    *form = (dry_shape_form){
        .geometry = {geometry.size, geometry.type},
        .pose = *dry_shapes_pose(&world->shapes, shape),
        .body = body,
        .proxy = -1,
    };
    dry_shape_set_surface(world, shape, def);
    form->radius = def->type == DRY_SHAPE_HALFSPACE ? 0.0f : dry_geometry_radius(&geometry);
    dry_body_state *state = dry_body_state_of(&world->bodies, body);
    if (state->last_shape >= 0)
        world->shapes.link[state->last_shape].next = shape;
    else
        state->first_shape = shape;
    state->last_shape = shape;
    return shape;
}

void dry_shape_release_data(dry_world *world, int shape)
{
    if (!world->shapes.asset)
        return;
    dry_shape_data_release(world->shapes.asset[shape].data);
    world->shapes.asset[shape] = dry_shape_default_asset;
}

void dry_shape_remove(dry_world *world, int shape)
{
    dry_shape_release_data(world, shape);
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
