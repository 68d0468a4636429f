/* The calls that create, destroy and change shapes. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

dry_result call_create_shape(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    const fuzz_model_body *of = fuzz_model_find_body(t->model, id.bits);
    dry_shape_id made_id = {0};
    int count = 0;
    for (int i = 0; i < t->model->shape_count; ++i)
        count += t->model->shapes[i].body.bits == id.bits;
    if (count == FUZZ_SHAPES_EACH_MAX || !fuzz_model_has_room(t->model, 0, 1))
        return DRY_OK;
    const dry_shape_def def = draw_shape_def(t, of ? of->type : DRY_BODY_STATIC);
    const dry_result result = dry_body_create_shape(t->world, id, &def, &made_id);
    t->change.made_shape = (fuzz_model_shape){made_id, id};
    return result;
}

dry_result call_shape_destroy(fuzz_turn *t)
{
    t->change.gone_shape = draw_shape(t);
    return dry_shape_destroy(t->world, t->change.gone_shape);
}

/* Sets a property that is a number. */
static dry_result set_number(fuzz_turn *t, dry_result (*set)(dry_world *, dry_shape_id, float), double high)
{
    const dry_shape_id id = draw_shape(t);
    return set(t->world, id, draw_between(t, 0, high));
}

dry_result call_shape_set_friction(fuzz_turn *t)
{
    return set_number(t, dry_shape_set_friction, 1);
}

dry_result call_shape_set_restitution(fuzz_turn *t)
{
    return set_number(t, dry_shape_set_restitution, 1);
}

dry_result call_shape_set_rolling_resistance(fuzz_turn *t)
{
    return set_number(t, dry_shape_set_rolling_resistance, 0.2);
}

dry_result call_shape_set_static_friction(fuzz_turn *t)
{
    return set_number(t, dry_shape_set_static_friction, 1.5);
}

dry_result call_shape_set_contact_spring(fuzz_turn *t)
{
    const dry_shape_id id = draw_shape(t);
    const float stiffness = draw_chance(t, 4) ? 0.0f : draw_between(t, 1e3, 1e8);
    return dry_shape_set_contact_spring(t->world, id, stiffness, draw_between(t, 0, 1e4));
}

dry_result call_shape_set_heights(fuzz_turn *t)
{
    const dry_shape_id id = draw_shape(t);
    const bool wild = t->wild && draw_chance(t, 4);
    float heights[FUZZ_FIELD_SIDE * FUZZ_FIELD_SIDE];
    const int row = draw_below(t, FUZZ_FIELD_SIDE) - wild, column = draw_below(t, FUZZ_FIELD_SIDE) - wild;
    const int rows = wild ? draw_below(t, FUZZ_FIELD_SIDE) : 1 + draw_below(t, FUZZ_FIELD_SIDE - row);
    const int columns = wild ? draw_below(t, FUZZ_FIELD_SIDE) : 1 + draw_below(t, FUZZ_FIELD_SIDE - column);
    for (int i = 0; i < rows * columns; ++i)
        heights[i] = wild && i == 0 ? draw_number(t, 1) : draw_between(t, -1, 1);
    return dry_shape_set_heights(t->world, id, row, column, rows, columns, heights);
}

static dry_material draw_material(fuzz_turn *t)
{
    dry_material m = dry_default_material();
    const unsigned more = draw_byte(t);
    m.friction = draw_between(t, 0, 1);
    m.friction_rule = (dry_combination)(more % DRY_COMBINE_COUNT);
    if (more & 16)
        m.restitution_rule = (dry_combination)draw_whole(t, 0, DRY_COMBINE_COUNT - 1);
    if (more & 32)
        m.static_friction = draw_between(t, 0, 1.5);
    if (more & 64)
        m.surface_velocity = draw_vector(t, 2);
    if (more & 128)
        m.contact_stiffness = draw_between(t, 1e3, 1e8);
    m.id = more;
    return m;
}

dry_result call_shape_set_materials(fuzz_turn *t)
{
    dry_material materials[3], back[3];
    const dry_shape_id id = draw_shape(t);
    const int count = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i)
        materials[i] = draw_material(t);
    const dry_result result = dry_shape_set_materials(t->world, id, materials, count);
    int kept = 0;
    if (result == DRY_OK) {
        FUZZ_CHECK(dry_shape_get_materials(t->world, id, back, 3, &kept) == DRY_OK && kept == count);
        for (int i = 0; i < count; ++i)
            FUZZ_CHECK(back[i].id == materials[i].id && back[i].friction == materials[i].friction);
    }
    return result;
}

dry_result call_shape_set_filter(fuzz_turn *t)
{
    const dry_shape_id id = draw_shape(t);
    return dry_shape_set_filter(t->world, id, draw_filter(t));
}

dry_result call_shape_set_user_data(fuzz_turn *t)
{
    const dry_shape_id id = draw_shape(t);
    return dry_shape_set_user_data(t->world, id, draw_bits(t, 2));
}
