/* The calls that create, destroy and change shapes. */
#include "state/surface.h"
#include "tools/cli/soak/call.h"

static void draw_create_shape(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->shape_defs[0] = lots_once_in(lots, 8) ? draw_triangles(call, lots) : draw_shape_def(lots);
    call->shape_defs[0].pose = (dry_transform){lots_vector(lots, 0.5), lots_rotation(lots)};
}

static dry_result make_create_shape(dry_world *world, soak_call *call)
{
    return dry_body_create_shape(world, call->bodies[0], &call->shape_defs[0], &call->answer.shapes[0]);
}

static void add_shape(soak_model *model, const dry_world *world, const soak_call *call)
{
    model_add_shape(model, world, call->bodies[0], call->answer.shapes[0]);
}

static void draw_change(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->number = lots_number(lots, 0.0, 1.0);
    call->filter = (dry_filter){(uint64_t)lots_below(lots, 4), lots_bits(lots), lots_below(lots, 3) - 1};
}

static dry_result make_destroy_shape(dry_world *world, soak_call *call)
{
    return dry_shape_destroy(world, call->shape);
}

static void draw_shape_only(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->filter = (dry_filter){(uint64_t)lots_below(lots, 4), lots_bits(lots), lots_below(lots, 3) - 1};
}

static void remove_shape(soak_model *model, const dry_world *world, const soak_call *call)
{
    (void)world;
    model_remove_shape(model, call->shape);
}

/* The calls that change numbers of a surface: make_set_friction and so on. */
#define MAKE(call, ...)                                                                                      \
    static dry_result make_set_##call(dry_world *world, soak_call *drawn)                                    \
    {                                                                                                        \
        return dry_shape_set_##call(world, drawn->shape, __VA_ARGS__);                                       \
    }
#define ONE(T, place, call, ...) MAKE(call, drawn->number)
#define BOTH(T, place, call, wakes, first, second, first_size, second_size)                                  \
    MAKE(call, (first_size)*drawn->number, (second_size)*drawn->number)
DRY_SURFACE_CALLS(ONE, BOTH, )
#undef ONE
#undef BOTH

dry_material draw_material(soak_lots *lots)
{
    dry_material m = dry_default_material();
    bool drawn = true;
#define X(name, standard, high, error, column, member, mix, kept, written, odds, low, most)                  \
    drawn = (odds) == DRY_SURFACE_WITH_LAST ? drawn : (odds) == 1 || lots_once_in(lots, odds);               \
    if (drawn) {                                                                                             \
        m.name = lots_number(lots, low, most);                                                               \
    }
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, error, column, member, most)                                                          \
    if (lots_once_in(lots, 4)) {                                                                             \
        m.name = lots_vector(lots, most);                                                                    \
    }
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, standard)                                                                                    \
    if (lots_once_in(lots, 4)) {                                                                             \
        m.name = (dry_combination)lots_below(lots, DRY_COMBINE_COUNT);                                       \
    }
    DRY_SURFACE_RULES(X)
#undef X
    m.id = (uint64_t)lots_below(lots, 3);
    return m;
}

static void draw_materials(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->material_count = lots_once_in(lots, 2) ? 1 : 1 + lots_below(lots, CALL_MATERIALS);
    for (int i = 0; i < call->material_count; i++) {
        call->materials[i] = draw_material(lots);
    }
}

static dry_result make_set_materials(dry_world *world, soak_call *call)
{
    return dry_shape_set_materials(world, call->shape, call->materials, call->material_count);
}

static dry_result make_set_filter(dry_world *world, soak_call *call)
{
    return dry_shape_set_filter(world, call->shape, call->filter);
}

static dry_result make_set_user_data(dry_world *world, soak_call *call)
{
    return dry_shape_set_user_data(world, call->shape, call->filter.mask);
}

static void draw_set_geometry(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->shape_defs[0] = draw_geometry(lots);
    if (lots_once_in(lots, 6)) {
        const int form = lots_below(lots, FORMS_EACH);
        call->shape_defs[0].type = DRY_SHAPE_MESH;
        call->shape_defs[0].data = lots->forms->meshes[form];
    }
}

static dry_result make_set_geometry(dry_world *world, soak_call *call)
{
    return dry_shape_set_geometry(world, call->shape, &call->shape_defs[0]);
}

static void change_shape(soak_model *model, const dry_world *world, const soak_call *call)
{
    model_change_shape(model, world, call->shape);
}

static void draw_place(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->shape_defs[0].pose = (dry_transform){lots_vector(lots, 0.5), lots_rotation(lots)};
}

static dry_result make_set_pose(dry_world *world, soak_call *call)
{
    return dry_shape_set_pose(world, call->shape, call->shape_defs[0].pose);
}

static void draw_density(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->shape = draw_shape(lots, model);
    call->number = lots_number(lots, 100.0, 4000.0);
}

static dry_result make_set_density(dry_world *world, soak_call *call)
{
    return dry_shape_set_density(world, call->shape, call->number);
}

/* Draws a rectangle that now and then leaves the field. */
static void draw_heights(soak_call *call, soak_lots *lots, const soak_model *model)
{
    const int begin = model->shape_count > 0 ? lots_below(lots, model->shape_count) : 0;
    call->shape = draw_shape(lots, model);
    for (int i = 0; i < model->shape_count && !lots_once_in(lots, 100); i++) {
        const model_shape *shape = &model->shapes[(begin + i) % model->shape_count];
        if (shape->type == DRY_SHAPE_HEIGHT_FIELD) {
            call->shape = shape->id;
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        call->rectangle[i] = lots_below(lots, FIELD_SIDE - 5);
        call->rectangle[i + 2] =
            lots_once_in(lots, 50) ? lots_below(lots, CALL_HEIGHTS + 1) : 1 + lots_below(lots, 5);
    }
    for (int i = 0; i < call->rectangle[2] * call->rectangle[3]; i++) {
        call->heights[i] = lots_number(lots, -0.5, 0.2);
    }
}

static dry_result make_set_heights(dry_world *world, soak_call *call)
{
    const int *r = call->rectangle;
    return dry_shape_set_heights(world, call->shape, r[0], r[1], r[2], r[3], call->heights);
}

/* clang-format off */
const call_kind shape_calls[] = {
    {"create_shape", 3, draw_create_shape, make_create_shape, add_shape},
    {"destroy_shape", 3, draw_shape_only, make_destroy_shape, remove_shape},
#define X(T, place, call, ...) {"set_" #call, 1, draw_change, make_set_##call, NULL},
    DRY_SURFACE_CALLS(X, X, )
#undef X
    {"set_materials", 1, draw_materials, make_set_materials, NULL},
    {"set_geometry", 1, draw_set_geometry, make_set_geometry, change_shape},
    {"set_shape_pose", 1, draw_place, make_set_pose, NULL},
    {"set_density", 1, draw_density, make_set_density, NULL},
    {"set_heights", 2, draw_heights, make_set_heights, NULL},
    {"set_filter", 1, draw_shape_only, make_set_filter, NULL},
    {"set_shape_user_data", 1, draw_shape_only, make_set_user_data, NULL},
    {0},
};
/* clang-format on */
