/* The calls that move bodies: poses, velocities, forces, impulses. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

dry_result call_set_motion(fuzz_turn *t)
{
    dry_body_id ids[3];
    dry_pose poses[3];
    dry_velocity velocities[3];
    const int count = draw_below(t, 4), which = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = draw_body(t);
        if (which & 1)
            poses[i] = draw_pose(t);
        if (which & 2)
            velocities[i] = draw_velocity(t);
    }
    return dry_world_set_motion(t->world, count, ids, which & 1 ? poses : NULL,
                                which & 2 ? velocities : NULL);
}

dry_result call_set_pose(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return dry_body_set_pose(t->world, id, draw_pose(t));
}

dry_result call_set_velocity(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return dry_body_set_velocity(t->world, id, draw_velocity(t));
}

dry_result call_move_to(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    const dry_pose target = draw_pose(t);
    return dry_body_move_to(t->world, id, target, draw_between(t, 0.01, 1));
}

/* A public function that applies a force, a torque or an impulse to a body. */
typedef dry_result (*apply_function)(dry_world *world, dry_body_id body, dry_vec3 amount);

static dry_result apply(fuzz_turn *t, apply_function how, double typical)
{
    const dry_body_id id = draw_body(t);
    return how(t->world, id, draw_vector(t, typical));
}

dry_result call_apply_force(fuzz_turn *t)
{
    return apply(t, dry_body_apply_force, 5000);
}

dry_result call_apply_torque(fuzz_turn *t)
{
    return apply(t, dry_body_apply_torque, 5000);
}

dry_result call_apply_impulse(fuzz_turn *t)
{
    return apply(t, dry_body_apply_impulse, 1000);
}

dry_result call_apply_angular_impulse(fuzz_turn *t)
{
    return apply(t, dry_body_apply_angular_impulse, 1000);
}

dry_result call_apply_force_at(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    const dry_vec3 force = draw_vector(t, 5000);
    return dry_body_apply_force_at(t->world, id, force, draw_position(t));
}

dry_result call_apply_impulse_at(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    const dry_vec3 impulse = draw_vector(t, 1000);
    return dry_body_apply_impulse_at(t->world, id, impulse, draw_position(t));
}

dry_result call_apply_forces(fuzz_turn *t)
{
    dry_body_id ids[3];
    dry_vec3 forces[3], torques[3];
    const int count = draw_below(t, 4), which = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = draw_body(t);
        if (which & 1)
            forces[i] = draw_vector(t, 5000);
        if (which & 2)
            torques[i] = draw_vector(t, 5000);
    }
    return dry_world_apply_forces(t->world, count, ids, which & 1 ? forces : NULL,
                                  which & 2 ? torques : NULL);
}

/* Applies more than a float can keep in a velocity: quarantine. */
dry_result call_break_body(fuzz_turn *t)
{
    static const float sizes[] = {1e8f, 1e12f, 1e18f, -1e18f};
    static const apply_function ways[] = {dry_body_apply_force, dry_body_apply_torque, dry_body_apply_impulse,
                                          dry_body_apply_angular_impulse};
    const dry_body_id id = draw_body(t);
    const float size = sizes[draw_below(t, 4)];
    const float y = draw_below(t, 2) ? size : 0, z = draw_below(t, 2) ? 0 : size;
    return ways[draw_below(t, 4)](t->world, id, (dry_vec3){size, y, z});
}
