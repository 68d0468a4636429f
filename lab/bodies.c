/* Bodies of experiments (bodies.h). */
#include "lab/bodies.h"

void lab_add_plane(lab_run *run, dry_world *world, dry_vec3 normal, float friction)
{
    dry_shape_def plane = dry_default_shape_def();
    plane.type = DRY_SHAPE_HALFSPACE;
    plane.normal = normal;
    plane.friction = friction;
    dry_body_def def = dry_default_body_def();
    def.shapes = &plane;
    def.shape_count = 1;
    lab_check(run, dry_world_create_body(world, &def, &(dry_body_id){0}));
}

dry_body_id lab_add_body(lab_run *run, dry_world *world, const dry_shape_def *shape, double mass,
                         dry_position at, dry_vec3 velocity)
{
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.shapes = shape;
    def.shape_count = 1;
    def.mass = (float)mass;
    def.pose.position = at;
    def.velocity.linear = velocity;
    dry_body_id id;
    lab_check(run, dry_world_create_body(world, &def, &id));
    return id;
}

dry_shape_def lab_shape(dry_shape_type type, double half)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = type;
    shape.half_extents = (dry_vec3){(float)half, (float)half, (float)half};
    shape.radius = (float)half;
    return shape;
}

dry_joint_id lab_add_rod(lab_run *run, dry_world *world, const dry_body_id *above, dry_position at,
                         dry_body_id below, double length)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_b = below;
    def.length = (float)length;
    if (above)
        def.body_a = *above;
    else
        def.target = at;
    dry_joint_id id;
    lab_check(run, dry_world_create_joint(world, &def, &id));
    return id;
}

dry_position lab_position(lab_run *run, const dry_world *world, dry_body_id id)
{
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, id, &pose));
    return pose.position;
}
