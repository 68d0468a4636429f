/* The calls that move bodies: poses, velocities, forces, impulses. */
#include "tools/cli/soak/call.h"

static void draw_motion(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->body_count = 1 + lots_below(lots, 3);
    for (int i = 0; i < call->body_count; i++) {
        call->bodies[i] = draw_body(lots, model);
        call->poses[i] = draw_pose(lots);
        call->velocities[i] = (dry_velocity){lots_vector(lots, 5.0), lots_vector(lots, 10.0)};
    }
}

static dry_result make_set_motion(dry_world *world, soak_call *call)
{
    return dry_world_set_motion(world, call->body_count, call->bodies, call->poses, call->velocities);
}

static void draw_one_pose(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->poses[0] = draw_pose(lots);
    call->number = 0.1f;
}

static dry_result make_set_pose(dry_world *world, soak_call *call)
{
    return dry_body_set_pose(world, call->bodies[0], call->poses[0]);
}

static dry_result make_move_to(dry_world *world, soak_call *call)
{
    return dry_body_move_to(world, call->bodies[0], call->poses[0], call->number);
}

static void draw_one_velocity(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->velocities[0] = (dry_velocity){lots_vector(lots, 5.0), lots_vector(lots, 10.0)};
}

static dry_result make_set_velocity(dry_world *world, soak_call *call)
{
    return dry_body_set_velocity(world, call->bodies[0], call->velocities[0]);
}

static void draw_push(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->vector = lots_vector(lots, lots_once_in(lots, 3) ? 1e4 : 100.0);
    const dry_vec3 point = lots_vector(lots, 5.0);
    call->point = (dry_position){(double)point.x, (double)point.y, (double)point.z};
}

static dry_result make_apply_forces(dry_world *world, soak_call *call)
{
    return dry_world_apply_forces(world, 1, call->bodies, &call->vector, &call->other_vector);
}

static dry_result make_apply_force_at(dry_world *world, soak_call *call)
{
    return dry_body_apply_force_at(world, call->bodies[0], call->vector, call->point);
}

static dry_result make_apply_impulse_at(dry_world *world, soak_call *call)
{
    return dry_body_apply_impulse_at(world, call->bodies[0], call->vector, call->point);
}

static void draw_forces(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->vector = lots_vector(lots, 1000.0);
    call->other_vector = lots_vector(lots, 100.0);
}

static void draw_vector(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->bodies[0] = draw_body(lots, model);
    call->vector = lots_vector(lots, lots_once_in(lots, 3) ? 1e4 : 100.0);
}

static dry_result make_apply_force(dry_world *world, soak_call *call)
{
    return dry_body_apply_force(world, call->bodies[0], call->vector);
}

static dry_result make_apply_torque(dry_world *world, soak_call *call)
{
    return dry_body_apply_torque(world, call->bodies[0], call->vector);
}

static dry_result make_apply_impulse(dry_world *world, soak_call *call)
{
    return dry_body_apply_impulse(world, call->bodies[0], call->vector);
}

static dry_result make_apply_angular_impulse(dry_world *world, soak_call *call)
{
    return dry_body_apply_angular_impulse(world, call->bodies[0], call->vector);
}

const call_kind motion_calls[] = {
    {"set_motion", 2, draw_motion, make_set_motion, NULL},
    {"set_pose", 2, draw_one_pose, make_set_pose, NULL},
    {"move_to", 2, draw_one_pose, make_move_to, NULL},
    {"set_velocity", 2, draw_one_velocity, make_set_velocity, NULL},
    {"apply_forces", 1, draw_forces, make_apply_forces, NULL},
    {"apply_force_at", 1, draw_push, make_apply_force_at, NULL},
    {"apply_impulse_at", 1, draw_push, make_apply_impulse_at, NULL},
    {"apply_force", 1, draw_vector, make_apply_force, NULL},
    {"apply_torque", 1, draw_vector, make_apply_torque, NULL},
    {"apply_impulse", 2, draw_vector, make_apply_impulse, NULL},
    {"apply_angular_impulse", 1, draw_vector, make_apply_angular_impulse, NULL},
    {0},
};
