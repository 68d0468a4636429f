/* The calls that create, destroy and change bodies. */
#include "tools/cli/soak/call.h"

#include <string.h>

static void draw_one_body(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->choice = (int)(lots_bits(lots) & 0xff);
}

static void draw_create_body(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    dry_body_def *def = &call->body_def;
    *def = dry_default_body_def();
    def->type =
        lots_once_in(lots, 6) ? (dry_body_type)lots_below(lots, DRY_BODY_TYPE_COUNT) : DRY_BODY_DYNAMIC;
    def->pose = draw_pose(lots);
    def->velocity = (dry_velocity){lots_vector(lots, 2.0), lots_vector(lots, 4.0)};
    def->gravity_scale = lots_once_in(lots, 10) ? lots_number(lots, -1.0, 2.0) : 1.0f;
    def->linear_damping = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 2.0) : 0.0f;
    def->angular_damping = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 2.0) : 0.0f;
    def->locks = lots_once_in(lots, 10) ? (unsigned)lots_below(lots, DRY_LOCK_ALL + 1) : 0;
    def->enabled = !lots_once_in(lots, 20);
    def->awake = !lots_once_in(lots, 20);
    def->can_sleep = !lots_once_in(lots, 20);
    def->mass = lots_once_in(lots, 10) ? lots_number(lots, 0.1, 1000.0) : 0.0f;
    def->shape_count = lots_once_in(lots, 5) ? lots_below(lots, CALL_SHAPES + 1) : 1;
    for (int i = 0; i < def->shape_count; i++) {
        const bool triangles = def->type != DRY_BODY_DYNAMIC && lots_once_in(lots, 2);
        call->shape_defs[i] = triangles ? draw_triangles(call, lots) : draw_shape_def(lots);
        if (def->shape_count > 1) {
            call->shape_defs[i].pose = (dry_transform){lots_vector(lots, 0.5), lots_rotation(lots)};
        }
    }
}

static dry_result make_create_body(dry_world *world, soak_call *call)
{
    dry_body_def def = call->body_def;
    def.shapes = call->shape_defs;
    return dry_world_create_body(world, &def, &call->answer.bodies[0]);
}

static void add_body(soak_model *model, const dry_world *world, const soak_call *call)
{
    model_add_body(model, world, call->answer.bodies[0]);
}

static void draw_create_bodies(soak_call *call, soak_lots *lots, const soak_model *model)
{
    draw_create_body(call, lots, model);
    call->body_count = 1 + lots_below(lots, CALL_BODIES);
    call->poses[0] = call->body_def.pose;
    for (int i = 1; i < call->body_count; i++) {
        call->poses[i] = draw_pose(lots);
    }
}

static dry_result make_create_bodies(dry_world *world, soak_call *call)
{
    dry_body_def defs[CALL_BODIES];
    for (int i = 0; i < call->body_count; i++) {
        defs[i] = call->body_def;
        defs[i].shapes = call->shape_defs;
        defs[i].pose = call->poses[i];
    }
    return dry_world_create_bodies(world, call->body_count, defs, call->answer.bodies);
}

static void add_bodies(soak_model *model, const dry_world *world, const soak_call *call)
{
    for (int i = 0; i < call->body_count; i++) {
        model_add_body(model, world, call->answer.bodies[i]);
    }
}

static void draw_destroy_bodies(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->body_count = lots_once_in(lots, 2) ? 1 : 1 + lots_below(lots, CALL_BODIES);
    for (int i = 0; i < call->body_count; i++) {
        call->bodies[i] = draw_body(lots, model);
    }
}

static dry_result make_destroy_bodies(dry_world *world, soak_call *call)
{
    return dry_world_destroy_bodies(world, call->body_count, call->bodies);
}

static void remove_bodies(soak_model *model, const dry_world *world, const soak_call *call)
{
    (void)world;
    for (int i = 0; i < call->body_count; i++) {
        model_remove_body(model, call->bodies[i]);
    }
}

static dry_result make_set_type(dry_world *world, soak_call *call)
{
    return dry_body_set_type(world, call->bodies[0], (dry_body_type)(call->choice % DRY_BODY_TYPE_COUNT));
}

static dry_result make_set_enabled(dry_world *world, soak_call *call)
{
    return dry_body_set_enabled(world, call->bodies[0], call->choice % 2 != 0);
}

static dry_result make_set_awake(dry_world *world, soak_call *call)
{
    return dry_body_set_awake(world, call->bodies[0], call->choice % 2 != 0);
}

static dry_result make_set_can_sleep(dry_world *world, soak_call *call)
{
    return dry_body_set_can_sleep(world, call->bodies[0], call->choice % 2 != 0);
}

static dry_result make_set_locks(dry_world *world, soak_call *call)
{
    return dry_body_set_locks(world, call->bodies[0], (unsigned)call->choice % (DRY_LOCK_ALL + 2));
}

static dry_result make_set_user_data(dry_world *world, soak_call *call)
{
    return dry_body_set_user_data(world, call->bodies[0], (uint64_t)call->choice);
}

static void draw_numbers(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->number = lots_number(lots, 0.0, 2.0);
}

static dry_result make_set_gravity_scale(dry_world *world, soak_call *call)
{
    return dry_body_set_gravity_scale(world, call->bodies[0], call->number);
}

static dry_result make_set_damping(dry_world *world, soak_call *call)
{
    return dry_body_set_damping(world, call->bodies[0], call->number, call->number);
}

static void draw_mass(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    float mass = lots_number(lots, 1.0, 1000.0), size = lots_number(lots, 0.05, 0.2);
    call->mass = (dry_mass){mass, lots_vector(lots, 0.1), {{0}}};
    for (int i = 0; i < 3; i++) {
        call->mass.inertia[i][i] = mass * size;
    }
}

static dry_result make_set_mass(dry_world *world, soak_call *call)
{
    return dry_body_set_mass(world, call->bodies[0], &call->mass);
}

static dry_result make_set_mass_from_shapes(dry_world *world, soak_call *call)
{
    return dry_body_set_mass_from_shapes(world, call->bodies[0]);
}

const call_kind body_calls[] = {
    {"create_body", 6, draw_create_body, make_create_body, add_body},
    {"create_bodies", 2, draw_create_bodies, make_create_bodies, add_bodies},
    {"destroy_bodies", 4, draw_destroy_bodies, make_destroy_bodies, remove_bodies},
    {"set_type", 2, draw_one_body, make_set_type, NULL},
    {"set_enabled", 2, draw_one_body, make_set_enabled, NULL},
    {"set_awake", 2, draw_one_body, make_set_awake, NULL},
    {"set_can_sleep", 1, draw_one_body, make_set_can_sleep, NULL},
    {"set_locks", 1, draw_one_body, make_set_locks, NULL},
    {"set_body_user_data", 1, draw_one_body, make_set_user_data, NULL},
    {"set_gravity_scale", 1, draw_numbers, make_set_gravity_scale, NULL},
    {"set_damping", 1, draw_numbers, make_set_damping, NULL},
    {"set_mass", 2, draw_mass, make_set_mass, NULL},
    {"set_mass_from_shapes", 1, draw_one_body, make_set_mass_from_shapes, NULL},
    {0},
};
