/* Replacing heights of a living height field. Data that others hold are copied first. */
#include "geometry/height_field.h"
#include "geometry/shape_data.h"
#include "snapshot/record.h"
#include "world/check.h"
#include "world/shapes.h"
#include "world/world.h"

#include <drystone/shape_data.h>

/* Gives a shape data that nobody else holds. Returns false if memory fails. */
static bool own_data(dry_world *world, int shape)
{
    dry_shape_asset *asset = &world->shapes.asset[shape];
    if (!dry_shape_data_is_shared(asset->data))
        return true;
    dry_shape_data *copy = dry_shape_data_copy_block(asset->data);
    if (!copy)
        return false;
    dry_shape_data_release(asset->data);
    asset->data = copy;
    return true;
}

/* Tells why heights can't be taken, with the element. */
static dry_result fail_heights(const dry_world *world, const char *name, dry_height_field_error error,
                               int64_t element)
{
    const char *reason = dry_height_field_error_name(error);
    if (element >= 0)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: heights[%lld]: %s", name, (long long)element,
                              reason);
    return dry_refuse(world, name, reason);
}

dry_result dry_shape_set_heights(dry_world *world, dry_shape_id id, int row, int column, int rows,
                                 int columns, const float *heights)
{
    const int shape = dry_shape_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(shape));
    if (world->shapes.form[shape].geometry.type != DRY_SHAPE_HEIGHT_FIELD || !heights)
        return dry_refuse(world, __func__, heights ? "the shape is no height field" : "heights is null");
    dry_shape_asset *asset = &world->shapes.asset[shape];
    const dry_height_rectangle where = {row, column, rows, columns};
    int64_t element;
    const dry_height_field_error error =
        dry_height_field_replace_error(asset->data->form, &where, heights, &element);
    if (error != DRY_HEIGHT_BUILT)
        return fail_heights(world, __func__, error, element);
    if (!own_data(world, shape))
        return dry_lacks_memory(world, __func__);
    dry_height_field *field = asset->data->form;
    const dry_box before = dry_height_field_rectangle_box(field, &where);
    dry_height_field_replace(field, &where, heights);
    asset->data->hash = asset->hash = field->hash;
    const dry_box after = dry_height_field_rectangle_box(field, &where);
    const dry_box box = dry_box_union(&before, &after);
    dry_shape_heights_changed(world, shape, &box);
    return DRY_RECORD(world, dry_shape_set_heights, &id, &row, &column, &rows, &columns, heights);
}
