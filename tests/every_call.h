/* Every call that takes an id, and every call that takes a number, each made with that one argument given
 * and all others sound: so that tests can go through them all. */
#ifndef TESTS_EVERY_CALL_H
#define TESTS_EVERY_CALL_H

#include "tests/test_world.h"

/* The calls with a body's id. The first BODY_READERS of them change nothing. */
enum { BODY_READERS = 14, BODY_CALLS = 41 };

static inline dry_result call_with_body(dry_world *world, int which, dry_body_id id)
{
    dry_pose pose = pose_at(1, 2, 3);
    dry_velocity velocity = {{1, 2, 3}, {4, 5, 6}};
    dry_position point = {1, 2, 3};
    dry_vec3 vector = {1, 2, 3};
    dry_mass mass = {1, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    dry_body_def def;
    dry_body_type type;
    dry_contact contact;
    dry_shape_id shape;
    dry_joint_id joint;
    dry_shape_def shape_def = sphere_shape(0.5);
    dry_joint_def joint_def = dry_default_joint_def(DRY_JOINT_BALL);
    uint64_t data;
    bool awake;
    int count;
    switch (which) {
    case 0:
        return dry_world_get_motion(world, 1, &id, &pose, &velocity, &awake);
    case 1:
        return dry_body_get_pose(world, id, &pose);
    case 2:
        return dry_body_get_velocity(world, id, &velocity);
    case 3:
        return dry_body_get_def(world, id, &def);
    case 4:
        return dry_body_get_mass(world, id, &mass);
    case 5:
        return dry_body_get_center(world, id, &point);
    case 6:
        return dry_body_get_shapes(world, id, &shape, 1, &count);
    case 7:
        return dry_body_get_joints(world, id, &joint, 1, &count);
    case 8:
        return dry_body_get_contacts(world, id, &contact, 1, &count);
    case 9:
        return dry_body_get_velocity_at(world, id, point, &vector);
    case 10:
        return dry_body_get_acceleration_at(world, id, point, &vector);
    case 11:
        return dry_body_get_inverse_mass_at(world, id, point, point, mass.inertia);
    case 12:
        return dry_body_get_user_data(world, id, &data);
    case 13:
        return dry_body_get_type(world, id, &type);
    case 14:
        return dry_world_set_motion(world, 1, &id, &pose, &velocity);
    case 15:
        return dry_body_set_pose(world, id, pose);
    case 16:
        return dry_body_set_velocity(world, id, velocity);
    case 17:
        return dry_body_move_to(world, id, pose, 0.5f);
    case 18:
        return dry_body_set_type(world, id, DRY_BODY_DYNAMIC);
    case 19:
        return dry_body_set_gravity_scale(world, id, 0.5f);
    case 20:
        return dry_body_set_damping(world, id, 0.5f, 0.5f);
    case 21:
        return dry_body_set_locks(world, id, DRY_LOCK_LINEAR_X);
    case 22:
        return dry_body_set_user_data(world, id, 7);
    case 23:
        return dry_body_set_enabled(world, id, false);
    case 24:
        return dry_body_set_awake(world, id, false);
    case 25:
        return dry_body_set_can_sleep(world, id, false);
    case 26:
        return dry_body_set_mass(world, id, &mass);
    case 27:
        return dry_body_set_mass_from_shapes(world, id);
    case 28:
        return dry_body_apply_force(world, id, vector);
    case 29:
        return dry_body_apply_force_at(world, id, vector, point);
    case 30:
        return dry_body_apply_torque(world, id, vector);
    case 31:
        return dry_body_apply_impulse(world, id, vector);
    case 32:
        return dry_body_apply_impulse_at(world, id, vector, point);
    case 33:
        return dry_body_apply_angular_impulse(world, id, vector);
    case 34:
        return dry_world_apply_forces(world, 1, &id, &vector, &vector);
    case 35:
        return dry_body_create_shape(world, id, &shape_def, &shape);
    case 36:
    case 37:
        joint_def.body_a = joint_def.body_b = id;
        if (world && id.bits) /* the other end is sound; as body a, a null id would be the world */
            dry_world_get_bodies(world, &joint_def.body_b, 1);
        return which == 35 ? dry_world_create_joint(world, &joint_def, &joint)
                           : dry_world_create_joints(world, 1, &joint_def, &joint);
    case 38:
        return dry_body_destroy(world, id);
    case 39:
        return dry_world_destroy_bodies(world, 1, &id);
    default:
        joint_def.body_b = id;
        if (world)
            dry_world_get_bodies(world, &joint_def.body_a, 1);
        return dry_world_create_joint(world, &joint_def, &joint);
    }
}

enum { SHAPE_READERS = 4, SHAPE_CALLS = 17 };

static inline dry_result call_with_shape(dry_world *world, int which, dry_shape_id id)
{
    const float height = 0.5f;
    dry_shape_def def;
    dry_body_id body;
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    uint64_t data;
    int count;
    switch (which) {
    case 0:
        return dry_shape_get_def(world, id, &def);
    case 1:
        return dry_shape_get_body(world, id, &body);
    case 2:
        return dry_shape_get_user_data(world, id, &data);
    case 3:
        return dry_shape_get_materials(world, id, materials, 2, &count);
    case 4:
        return dry_shape_set_friction(world, id, 0.3f);
    case 5:
        return dry_shape_set_restitution(world, id, 0.3f);
    case 6:
        return dry_shape_set_filter(world, id, (dry_filter){2, 2, 0});
    case 7:
        return dry_shape_set_user_data(world, id, 7);
    case 8:
        return dry_shape_set_rolling_resistance(world, id, 0.3f);
    case 9:
        return dry_shape_set_static_friction(world, id, 0.9f);
    case 10:
        return dry_shape_set_contact_spring(world, id, 1e6f, 1e3f);
    case 11:
        def = dry_default_shape_def();
        def.type = DRY_SHAPE_CYLINDER;
        return dry_shape_set_geometry(world, id, &def);
    case 12:
        return dry_shape_set_pose(world, id, (dry_transform){{0.1f, 0, 0}, {0, 0, 0, 1}});
    case 13:
        return dry_shape_set_density(world, id, 500);
    case 14:
        return dry_shape_set_heights(world, id, 0, 0, 1, 1, &height);
    case 15:
        materials[1].contact_stiffness = 1e6f;
        materials[1].surface_velocity = v3(1, 0, 0);
        materials[1].friction_rule = DRY_COMBINE_PRODUCT;
        return dry_shape_set_materials(world, id, materials, 2);
    default:
        return dry_shape_destroy(world, id);
    }
}

enum { JOINT_READERS = 10, JOINT_CALLS = 17 };

/* The joint is a ball joint where the id is sound: axes and volumes that are asked for are then
 * refused. */
static inline dry_result call_with_joint(dry_world *world, int which, dry_joint_id id)
{
    dry_joint_def def = {0};
    dry_volume_def volume;
    dry_vec3 force, torque;
    float error[2];
    uint64_t data;
    bool enabled;
    dry_joint_axis_state axis;
    dry_joint_axis_change change = {id, DRY_AXIS_RX, dry_default_joint_def(DRY_JOINT_BALL).axes[DRY_AXIS_RX]};
    switch (which) {
    case 0:
        return dry_joint_get_def(world, id, &def);
    case 1:
        return dry_joint_get_impulse(world, id, &force);
    case 2:
        return dry_joint_get_enabled(world, id, &enabled);
    case 3:
        return dry_joint_get_reaction(world, id, &force, &torque);
    case 4:
        return dry_joint_get_axis(world, id, DRY_AXIS_RX, &axis);
    case 5:
        return dry_joint_get_error(world, id, &error[0], &error[1]);
    case 6:
        return dry_joint_get_volume_def(world, id, &volume);
    case 7:
        return dry_joint_get_volume(world, id, &error[0], &error[1]);
    case 8:
        return dry_joint_get_peak_force(world, id, &error[0]);
    case 9:
        return dry_joint_get_user_data(world, id, &data);
    case 10:
        if (dry_joint_get_def(world, id, &def) == DRY_OK)
            def.user_data++;
        return dry_joint_set_def(world, id, &def);
    case 11:
        return dry_world_set_joint_axes(world, 1, &change);
    case 12:
        return dry_joint_set_enabled(world, id, false);
    case 13:
        return dry_world_set_joint_defs(world, 1, &id, &def);
    case 14:
        return dry_world_set_joints_enabled(world, 1, &id, false);
    case 15:
        return dry_joint_set_motor(world, id, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 1);
    default:
        return dry_joint_destroy(world, id);
    }
}

/* The places that a number is put into. */
enum { QUERY_NUMBERS = 54, NUMBER_CALLS = QUERY_NUMBERS + 15 };

/* The numbers of queries about shapes. */
static inline dry_result query_with_number(dry_world *world, int which, float value)
{
    dry_shape_def ball = sphere_shape(0.5);
    dry_cast_query cast = {.shape = &ball, .pose = pose_at(0, 0, 0), .translation = {1, 2, 3}, .mask = ~0ull};
    dry_collide_query collide = {.shape = &ball, .pose = pose_at(0, 0, 0), .mask = ~0ull};
    dry_closest_query closest = {.shape = &ball, .pose = pose_at(0, 0, 0), .max_distance = 1, .mask = ~0ull};
    dry_contains_query contains = {.mask = ~0ull};
    dry_cast_hit hit;
    dry_closest_hit near;
    bool met;
    int count;
    ball.radius = which == 0 || which == 1 ? value : 0.5f;
    ball.pose.position.y = which == 2 || which == 3 ? value : 0;
    cast.pose.position.z = which == 4 ? value : 0;
    cast.pose.orientation.w = which == 5 ? value : 1;
    cast.translation.x = which == 6 || which == 7 ? value : 1;
    collide.pose.position.x = which == 8 ? value : 0;
    collide.pose.orientation.y = which == 9 ? value : 0;
    collide.margin = which == 10 ? value : 0;
    closest.pose.position.y = which == 11 ? value : 0;
    closest.max_distance = which == 12 ? value : 1;
    contains.point.x = which == 13 ? value : 0;
    contains.point.z = which == 14 ? value : 0;
    if (which == 0 || which == 4)
        return dry_world_cast_shape(world, &cast, &hit);
    if (which == 2 || which == 6)
        return dry_world_cast_shape_all(world, &cast, NULL, 0, &count);
    if (which == 5)
        return dry_world_cast_shape_any(world, &cast, &met);
    if (which == 7)
        return dry_world_cast_shapes(world, 1, &cast, &hit);
    if (which == 1 || which == 8 || which == 9)
        return dry_world_collide(world, &collide, NULL, 0, &count);
    if (which == 10)
        return dry_world_collides(world, 1, &collide, NULL, 0, &count);
    if (which == 3 || which == 11)
        return dry_world_closest(world, &closest, &near);
    if (which == 12)
        return dry_world_closests(world, 1, &closest, &near);
    return which == 13 ? dry_world_contains(world, &contains, NULL, 0, &count)
                       : dry_world_contains_points(world, 1, &contains, NULL, 0, &count);
}

/* Tells whether so large a value is allowed at `which`, where no upper bound is stated. */
static inline bool number_may_be_large(int which)
{
    return which == 17 || which == 18 || which == 38 || which == 47 || which == 48;
}

static inline dry_result call_with_number(dry_world *world, int which, dry_body_id dynamic,
                                          dry_body_id kinematic, dry_shape_id shape, float value)
{
    dry_pose pose = pose_at(1, 2, 3);
    dry_velocity velocity = {{1, 2, 3}, {4, 5, 6}};
    float *linear[3] = {&velocity.linear.x, &velocity.linear.y, &velocity.linear.z};
    float *angular[3] = {&velocity.angular.x, &velocity.angular.y, &velocity.angular.z};
    dry_vec3 vector = {1, 2, 3};
    float *vectors[3] = {&vector.x, &vector.y, &vector.z};
    dry_position point = {1, 2, 3};
    double *points[3] = {&point.x, &point.y, &point.z};
    double *positions[3] = {&pose.position.x, &pose.position.y, &pose.position.z};
    float *turns[4] = {&pose.orientation.x, &pose.orientation.y, &pose.orientation.z, &pose.orientation.w};
    dry_mass mass = {1, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    dry_ray ray = {.translation = {1, 2, 3}, .mask = ~0ull};
    dry_ray_hit hit;
    dry_overlap overlap = {.pose = pose_at(0, 0, 0), .half_extents = {1, 1, 1}, .mask = ~0ull};
    int count;
    if (which >= QUERY_NUMBERS)
        return query_with_number(world, which - QUERY_NUMBERS, value);
    if (which < 3) {
        *positions[which] = value;
        return dry_body_set_pose(world, dynamic, pose);
    }
    if (which < 7) {
        *turns[which - 3] = value;
        return dry_body_set_pose(world, dynamic, pose);
    }
    if (which < 10) {
        *linear[which - 7] = value;
        return dry_body_set_velocity(world, dynamic, velocity);
    }
    if (which < 13) {
        *angular[which - 10] = value;
        return dry_body_set_velocity(world, dynamic, velocity);
    }
    if (which < 16) {
        *positions[which - 13] = value;
        return dry_body_move_to(world, kinematic, pose, 1);
    }
    if (which < 23) {
        switch (which) {
        case 16:
            return dry_body_set_gravity_scale(world, dynamic, value);
        case 17:
            return dry_body_set_damping(world, dynamic, value, 0);
        case 18:
            return dry_body_set_damping(world, dynamic, 0, value);
        case 19:
            return dry_shape_set_friction(world, shape, value);
        case 20:
            return dry_shape_set_restitution(world, shape, value);
        case 21:
            return dry_world_step_only(world, value, &dynamic, 1) == DRY_ERROR_ARGUMENT
                       ? dry_world_step(world, value)
                       : DRY_OK;
        default:
            mass.mass = value;
            return dry_body_set_mass(world, dynamic, &mass);
        }
    }
    if (which < 26) {
        mass.center.x = which == 23 ? value : 0;
        mass.center.y = which == 24 ? value : 0;
        mass.center.z = which == 25 ? value : 0;
        return dry_body_set_mass(world, dynamic, &mass);
    }
    if (which < 29) { /* off the diagonal, symmetric: not positive definite */
        int i = which - 26, k = (i + 1) % 3;
        mass.inertia[i][k] = mass.inertia[k][i] = value;
        return dry_body_set_mass(world, dynamic, &mass);
    }
    if (which < 32) {
        *vectors[which - 29] = value;
        return dry_body_apply_force(world, dynamic, vector);
    }
    if (which < 35) {
        *points[which - 32] = value;
        return which == 32 ? dry_body_apply_impulse_at(world, dynamic, vector, point)
                           : dry_body_apply_force_at(world, dynamic, vector, point);
    }
    if (which < 38) {
        *vectors[which - 35] = value;
        return which == 35   ? dry_body_apply_torque(world, dynamic, vector)
               : which == 36 ? dry_body_apply_impulse(world, dynamic, vector)
                             : dry_body_apply_angular_impulse(world, dynamic, vector);
    }
    if (which == 38)
        return dry_body_move_to(world, kinematic, pose, value);
    if (which < 42) {
        *vectors[which - 39] = value;
        return which < 41 ? dry_world_apply_forces(world, 1, &dynamic, which == 39 ? &vector : NULL,
                                                   which == 40 ? &vector : NULL)
                          : dry_body_apply_force_at(world, dynamic, vector, point);
    }
    if (which < 44) { /* rays */
        ray.origin.x = which == 42 ? value : 0;
        ray.translation.y = which == 43 ? value : 1;
        return dry_world_cast_ray(world, &ray, &hit);
    }
    if (which < 46) {
        ray.origin.z = which == 44 ? value : 0;
        ray.translation.z = which == 45 ? value : 1;
        return which == 44 ? dry_world_cast_rays(world, 1, &ray, &hit)
                           : dry_world_cast_ray_all(world, &ray, &hit, 1, &count);
    }
    if (which < 49) { /* overlaps */
        overlap.pose.position.y = which == 46 ? value : 0;
        overlap.half_extents.z = which == 47 ? value : 1;
        overlap.radius = which == 48 ? value : 0;
        return dry_world_overlap(world, &overlap, NULL, 0, &count);
    }
    if (which == 49) {
        overlap.pose.orientation.w = value;
        dry_shape_id found;
        return dry_world_overlaps(world, 1, &overlap, &found, 1, &count);
    }
    *(which < 52 ? positions[which - 50 + 1] : &point.x) = value;
    *(which == 52 ? linear[1] : which == 53 ? angular[1] : &vector.x) = value;
    return dry_world_set_motion(world, 1, &dynamic, &pose, &velocity);
}

#endif
