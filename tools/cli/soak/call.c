/* Draws calls (call.h). */
#include "tools/cli/soak/call.h"
#include "state/surface.h"

#include <string.h>

static const call_kind *const families[] = {body_calls,  joint_calls, motion_calls,
                                            query_calls, shape_calls, world_calls};
enum { FAMILIES = sizeof families / sizeof *families };

void call_draw(soak_call *call, soak_lots *lots, const soak_model *model)
{
    int shares = 0;
    for (int i = 0; i < FAMILIES; i++) {
        for (const call_kind *kind = families[i]; kind->name != NULL; kind++) {
            shares += kind->share;
        }
    }
    int share = lots_below(lots, shares);
    for (int i = 0; i < FAMILIES; i++) {
        for (const call_kind *kind = families[i]; kind->name != NULL; kind++) {
            share -= kind->share;
            if (share < 0) {
                call_draw_named(call, kind->name, lots, model);
                return;
            }
        }
    }
}

void call_draw_named(soak_call *call, const char *name, soak_lots *lots, const soak_model *model)
{
    memset(call, 0, sizeof *call);
    for (int i = 0; i < FAMILIES; i++) {
        for (const call_kind *kind = families[i]; kind->name != NULL; kind++) {
            if (strcmp(kind->name, name) == 0) {
                call->kind = kind;
                kind->draw(call, lots, model);
                return;
            }
        }
    }
}

/* One id in this many is of a dead object. */
enum { STALE_IN = 100 };

dry_body_id draw_body(soak_lots *lots, const soak_model *model)
{
    if (model->body_count == 0 || lots_once_in(lots, STALE_IN)) {
        return model->dead_bodies[lots_below(lots, MODEL_DEAD)];
    }
    return model->bodies[lots_below(lots, model->body_count)];
}

dry_shape_id draw_shape(soak_lots *lots, const soak_model *model)
{
    if (model->shape_count == 0 || lots_once_in(lots, STALE_IN)) {
        return model->dead_shapes[lots_below(lots, MODEL_DEAD)];
    }
    return model->shapes[lots_below(lots, model->shape_count)].id;
}

dry_joint_id draw_joint(soak_lots *lots, const soak_model *model)
{
    if (model->joint_count == 0 || lots_once_in(lots, STALE_IN)) {
        return model->dead_joints[lots_below(lots, MODEL_DEAD)];
    }
    return model->joints[lots_below(lots, model->joint_count)].id;
}

dry_pose draw_pose(soak_lots *lots)
{
    float x = lots_number(lots, -3.0, 3.0), y = lots_number(lots, 0.5, 6.0);
    float z = lots_number(lots, -3.0, 3.0);
    return (dry_pose){{(double)x, (double)y, (double)z}, lots_rotation(lots)};
}

/* Draws a scale that the type can take. */
static dry_vec3 draw_scale(soak_lots *lots, dry_shape_type type)
{
    const float x = lots_number(lots, 0.6, 1.2), side = lots_once_in(lots, 4) ? -1.0f : 1.0f;
    const float y = type == DRY_SHAPE_HULL || type == DRY_SHAPE_CYLINDER ? lots_number(lots, 0.6, 1.2) : x;
    return (dry_vec3){side * x, y, type == DRY_SHAPE_HULL ? lots_number(lots, 0.6, 1.2) : x};
}

dry_shape_def draw_geometry(soak_lots *lots)
{
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE,   DRY_SHAPE_CAPSULE, DRY_SHAPE_BOX,
                                           DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL,    DRY_SHAPE_COMPOUND};
    dry_shape_def def = dry_default_shape_def();
    def.type = types[lots_below(lots, (int)(sizeof types / sizeof *types))];
    if (def.type == DRY_SHAPE_BOX) {
        float x = lots_number(lots, 0.1, 0.6), y = lots_number(lots, 0.1, 0.6);
        def.half_extents = (dry_vec3){x, y, lots_number(lots, 0.1, 0.6)};
    } else if (def.type == DRY_SHAPE_HULL || def.type == DRY_SHAPE_COMPOUND) {
        const int form = lots_below(lots, FORMS_EACH);
        def.data = def.type == DRY_SHAPE_HULL ? lots->forms->hulls[form] : lots->forms->compounds[form];
    } else {
        def.radius = lots_number(lots, 0.1, 0.5);
    }
    if (def.type == DRY_SHAPE_CAPSULE || def.type == DRY_SHAPE_CYLINDER) {
        def.half_length = lots_number(lots, 0.1, 0.5);
    }
    if (lots_once_in(lots, 4)) {
        def.scale = draw_scale(lots, def.type);
    }
    return def;
}

dry_shape_def draw_triangles(soak_call *call, soak_lots *lots)
{
    const int form = lots_below(lots, FORMS_EACH);
    dry_shape_def def = dry_default_shape_def();
    def.type = lots_once_in(lots, 2) ? DRY_SHAPE_MESH : DRY_SHAPE_HEIGHT_FIELD;
    def.data = def.type == DRY_SHAPE_MESH ? lots->forms->meshes[form] : lots->forms->fields[form];
    if (lots_once_in(lots, 4)) {
        def.scale = draw_scale(lots, DRY_SHAPE_HULL);
    }
    if (form & 1) {
        def.materials = call->materials;
        def.material_count = FORM_MATERIALS;
        while (call->material_count < FORM_MATERIALS) {
            call->materials[call->material_count++] = draw_material(lots);
        }
    }
    return def;
}

dry_shape_def draw_shape_def(soak_lots *lots)
{
    dry_shape_def def = draw_geometry(lots);
    bool drawn = true;
#define X(name, standard, high, error, column, member, mix, kept, written, odds, low, most)                  \
    drawn = (odds) == DRY_SURFACE_WITH_LAST ? drawn : (odds) == 1 || lots_once_in(lots, odds);               \
    if (drawn) {                                                                                             \
        def.name = lots_number(lots, low, most);                                                             \
    }
    DRY_SURFACE_NUMBERS(X)
#undef X
    if (lots_once_in(lots, 10)) {
        def.filter.group = lots_below(lots, 3) - 1;
    }
    if (lots_once_in(lots, 10)) {
        def.events = (uint32_t)lots_below(lots, DRY_SHAPE_EVENTS_ALL + 1);
    }
    return def;
}
