/* Shapes and proxies of a save: each shape is in the list of its body, has sizes that a definition may have,
 * and the data, materials and proxy that belong to it. Derives where lists end and where materials begin. */
#include "broadphase/fat_box.h"
#include "core/heap.h"
#include "geometry/geometry.h"
#include "geometry/shape_data.h"
#include "snapshot/restore_parts.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/shapes.h"

#include <string.h>

/* Walks the lists of shapes: each shape is in that of its body. */
static bool walk_lists(const dry_restoration *r)
{
    dry_bodies *bodies = &r->tables->bodies;
    const dry_shapes *shapes = &r->tables->shapes;
    int count = 0;
    for (int row = 0; row < bodies->count; row++) {
        dry_body_state *state = &bodies->state[row];
        state->last_shape = -1;
        for (int shape = state->first_shape; shape != -1; shape = shapes->link[shape].next) {
            if (!dry_restore_lives(&shapes->slots, shape) || shapes->form[shape].body != state->slot ||
                ++count > shapes->slots.count)
                return dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "first_shape", row,
                                        "the list has a shape of another body, or a cycle");
            state->last_shape = shape;
        }
    }
    return count == shapes->slots.count ||
           dry_restore_fail(r, DRY_COLUMN_SHAPE_LINK, "next", -1, "a shape is in no list");
}

/* Finds where the materials of each shape begin in the list: each shape with several has one run. */
static bool place_materials(const dry_restoration *r)
{
    const dry_shapes *shapes = &r->tables->shapes;
    const int column = DRY_COLUMN_LISTED_MATERIAL;
    int at = 0;
    while (at < shapes->listed) {
        const int shape = shapes->list[at].shape;
        if (!dry_restore_lives(&shapes->slots, shape) || !shapes->material)
            return dry_restore_fail(r, column, "shape", at, "no shape that has materials");
        const int count = shapes->material[shape].count;
        if (count < 2 || count > shapes->listed - at || shapes->material[shape].begin >= 0)
            return dry_restore_fail(r, column, "shape", at, "the shape has another number of materials");
        shapes->material[shape].begin = at;
        for (int i = 0; i < count; i++, at++)
            if (shapes->list[at].shape != shape)
                return dry_restore_fail(r, column, "shape", at, "materials of a shape are not side by side");
    }
    return true;
}

/* Checks the materials of a shape and their list. */
static bool check_materials(dry_restoration *r, int shape)
{
    dry_shapes *shapes = &r->tables->shapes;
    const dry_settings *settings = &r->tables->settings;
    const int count = shapes->material ? shapes->material[shape].count : 0;
    if (count < 0 || count == 1 || (count > 1 && shapes->material[shape].begin < 0))
        return dry_restore_fail(r, DRY_COLUMN_SHAPE_MATERIAL, "count", shape, "the list has not so many");
    for (int i = 0; i < dry_shapes_material_count(shapes, shape); i++) {
        const dry_material material = dry_shapes_material(shapes, shape, i);
        const char *error = dry_material_error(settings, &material);
        if (error)
            return dry_restore_fail(r, count ? DRY_COLUMN_LISTED_MATERIAL : DRY_COLUMN_SHAPE_FORM, NULL,
                                    shape, error);
        if (!dry_shapes_need_materials(shapes, r->memory, &material, 1))
            return dry_restore_lacks_memory(r);
    }
    return true;
}

/* Checks the form of a shape as that of a definition, which gives the same form again. */
static bool check_form(dry_restoration *r, int shape)
{
    dry_tables *t = r->tables;
    const dry_shapes *shapes = &t->shapes;
    const dry_shape_form *form = &shapes->form[shape];
    const int column = DRY_COLUMN_SHAPE_FORM, type = form->geometry.type;
    if (type < 0 || type >= DRY_SHAPE_TYPE_COUNT)
        return dry_restore_fail(r, column, "geometry", shape, "type is unknown");
    const dry_geometry geometry = dry_shapes_geometry(shapes, shape);
    if (!geometry.data != !(dry_type_properties(type) & DRY_TYPE_DATA) ||
        (geometry.data && (int)geometry.data->type != type))
        return dry_restore_fail(r, DRY_COLUMN_SHAPE_ASSET, "hash", shape, "data of another type, or none");
    dry_shape_def def = {.pose = *dry_shapes_pose(shapes, shape),
                         .scale = {1.0f, 1.0f, 1.0f},
                         .filter = *dry_shapes_filter(shapes, shape),
                         .events = dry_shapes_events(shapes, shape)};
    dry_geometry_to_def(&geometry, &def);
    const bool halfspace = type == DRY_SHAPE_HALFSPACE;
    *(halfspace ? &def.offset : &def.density) = shapes->link[shape].density_or_offset;
    dry_fault fault;
    const char *error = dry_shape_form_error(&def, (dry_body_type)dry_restored_state(r, form->body)->type,
                                             dry_shapes_material_count(shapes, shape), &fault);
    if (error)
        return dry_restore_fail(r, column, "geometry", shape, "a definition like this is refused");
    const dry_geometry again = dry_geometry_from_def(&def);
    if (memcmp(&again.size, &geometry.size, sizeof again.size) != 0)
        return dry_restore_fail(r, column, "geometry", shape, "no sizes that a definition gives");
    if (form->radius != (halfspace ? 0.0f : dry_geometry_radius(&geometry)))
        return dry_restore_fail(r, column, "radius", shape, "not that of the form");
    if (!dry_is_kept_unit(form->pose.orientation) || !dry_finite3(form->pose.position, 4e9f))
        return dry_restore_fail(r, column, "pose", shape, "no place");
    t->shapes.pieced += (dry_type_properties(type) & DRY_TYPE_PIECES) != 0;
    return dry_shape_need_columns(&(dry_shape_tables){&t->bodies, &t->shapes, &t->contacts, r->memory},
                                  &def) ||
           dry_restore_lacks_memory(r);
}

static bool check_shape(dry_restoration *r, int shape)
{
    const dry_tables *t = r->tables;
    const dry_shape_form *form = &t->shapes.form[shape];
    if (!check_form(r, shape) || !check_materials(r, shape))
        return false;
    const bool enabled = dry_restored_state(r, form->body)->flags & DRY_BODY_ENABLED;
    if ((form->proxy >= 0) != enabled || form->proxy < -1 || form->proxy >= t->proxies.used)
        return dry_restore_fail(r, DRY_COLUMN_SHAPE_FORM, "proxy", shape,
                                "no proxy, or one of a disabled body");
    if (t->shapes.creation[shape].index >= t->shapes.made)
        return dry_restore_fail(r, DRY_COLUMN_SHAPE_CREATION, "index", shape, "not so many shapes were made");
    if (dry_shapes_events(&t->shapes, shape) & ~(uint32_t)DRY_SHAPE_EVENTS_ALL)
        return dry_restore_fail(r, DRY_COLUMN_SHAPE_EVENTS, "kinds", shape, "bits that no shape has");
    return true;
}

static bool comes_before(const void *context, const void *a, const void *b)
{
    const dry_shape_creation *creation = context;
    return creation[*(const int32_t *)a].index < creation[*(const int32_t *)b].index;
}

/* Checks that no two shapes have the same place in the order of creation. Mostly slots rise in that order;
 * otherwise they are sorted. */
static bool check_creation(dry_restoration *r)
{
    const dry_shapes *shapes = &r->tables->shapes;
    const dry_shape_creation *creation = shapes->creation;
    bool rising = true;
    for (int before = -1, shape = -1; (shape = dry_slots_next(&shapes->slots, shape)) >= 0; before = shape)
        rising = rising && (before < 0 || creation[before].index < creation[shape].index);
    if (rising)
        return true;
    const size_t bytes = (size_t)shapes->slots.count * sizeof(int32_t);
    int32_t *list = dry_memory_allocate(r->memory, bytes, DRY_CACHE_LINE);
    if (!list)
        return dry_restore_lacks_memory(r);
    dry_heap heap = {list, sizeof *list, shapes->slots.count, 0, comes_before, creation};
    for (int shape = -1; (shape = dry_slots_next(&shapes->slots, shape)) >= 0;)
        dry_heap_keep(&heap, &shape);
    dry_heap_sort(&heap);
    int twice = -1;
    for (int i = 1; i < heap.kept && twice < 0; i++)
        if (creation[list[i - 1]].index == creation[list[i]].index)
            twice = list[i];
    dry_memory_release(r->memory, list, bytes);
    return twice < 0 || dry_restore_fail(r, DRY_COLUMN_SHAPE_CREATION, "index", twice,
                                         "another shape has this place in the order of creation");
}

/* Checks that no rows have got a column since `before`: creation makes it, so that a save of theirs has it.
 */
static bool check_columns(const dry_restoration *r, const dry_column_rows *before)
{
    dry_column_rows after[DRY_COLUMN_COUNT];
    dry_find_column_rows(r->tables, after);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (after[id].count != before[id].count)
            return dry_restore_fail(r, id, NULL, -1, "the column has no section");
    return true;
}

bool dry_restore_shapes(dry_restoration *r)
{
    const dry_shapes *shapes = &r->tables->shapes;
    dry_column_rows before[DRY_COLUMN_COUNT];
    dry_find_column_rows(r->tables, before);
    for (int shape = 0; shape < shapes->slots.used && shapes->material; shape++)
        shapes->material[shape].begin = -1;
    if (!walk_lists(r) || !place_materials(r))
        return false;
    for (int shape = -1; (shape = dry_slots_next(&shapes->slots, shape)) >= 0;)
        if (!check_shape(r, shape))
            return false;
    for (int shape = 0; shape < shapes->slots.used && shapes->material; shape++)
        shapes->material[shape].begin = dry_max_int(shapes->material[shape].begin, 0);
    return check_columns(r, before) && check_creation(r);
}

static bool check_proxy(const dry_restoration *r, int proxy)
{
    const dry_tables *t = r->tables;
    const unsigned flags = t->proxies.flags[proxy];
    const int shape = (int)t->proxies.user[proxy], column = DRY_COLUMN_PROXY_FLAGS;
    if (!dry_restore_lives(&t->shapes.slots, shape) || t->shapes.form[shape].proxy != proxy)
        return dry_restore_fail(r, DRY_COLUMN_PROXY_USER, "value", proxy, "not the proxy of this shape");
    const dry_shape_form *form = &t->shapes.form[shape];
    const bool movable = dry_restored_state(r, form->body)->type != DRY_BODY_STATIC;
    const bool unbounded = form->geometry.type == DRY_SHAPE_HALFSPACE;
    const bool sleeps = movable && !dry_bodies_is_awake(&t->bodies, form->body);
    if (unbounded != ((flags & DRY_PROXY_UNBOUNDED) != 0) || movable != ((flags & DRY_PROXY_MOVABLE) != 0) ||
        sleeps != ((flags & DRY_PROXY_SLEEPING) != 0))
        return dry_restore_fail(r, column, "value", proxy, "flags that shape and body do not have");
    if (unbounded)
        return true;
    const dry_bounds bounds = dry_shape_bounds_in(&t->bodies, &t->shapes, shape);
    const dry_box tight = dry_box_from_bounds(t->proxies.origin, &bounds), *fat = &t->proxies.box[proxy];
    for (int axis = 0; axis < 3; axis++)
        if (!(fat->min[axis] <= tight.min[axis] && tight.max[axis] <= fat->max[axis]))
            return dry_restore_fail(r, DRY_COLUMN_PROXY_BOX, NULL, proxy, "the shape is not within the box");
    return true;
}

bool dry_restore_proxies(dry_restoration *r)
{
    dry_proxies *proxies = &r->tables->proxies;
    int free_count = 0;
    proxies->count = 0;
    for (int proxy = 0; proxy < proxies->used; proxy++) {
        if (!(proxies->flags[proxy] & DRY_PROXY_USED))
            continue;
        proxies->count++;
        if (!check_proxy(r, proxy))
            return false;
    }
    for (int proxy = proxies->free_proxy; proxy != -1; proxy = (int)proxies->user[proxy])
        if (proxy < 0 || proxy >= proxies->used || (proxies->flags[proxy] & DRY_PROXY_USED) ||
            ++free_count > proxies->used)
            return dry_restore_fail(r, DRY_COLUMN_PROXIES, "free_proxy", 0, "not the list of free indices");
    if (proxies->count + free_count != proxies->used)
        return dry_restore_fail(r, DRY_COLUMN_PROXIES, "free_proxy", 0, "a free index is in no list");
    for (int shape = -1; (shape = dry_slots_next(&r->tables->shapes.slots, shape)) >= 0;) {
        const int proxy = r->tables->shapes.form[shape].proxy;
        if (proxy >= 0 && (!(proxies->flags[proxy] & DRY_PROXY_USED) || (int)proxies->user[proxy] != shape))
            return dry_restore_fail(r, DRY_COLUMN_SHAPE_FORM, "proxy", shape, "the proxy of another shape");
    }
    return true;
}
