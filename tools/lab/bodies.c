/* Bodies of experiments (bodies.h). */
#include "tools/lab/bodies.h"

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

/* Joins the end of a box to the beginning of the next. */
static void join_ends(lab_run *run, dry_world *world, dry_joint_type type, dry_body_id a, dry_body_id b)
{
    dry_joint_def joint = dry_default_joint_def(type);
    if (type == DRY_JOINT_DISTANCE)
        joint.length = 0.0f;
    joint.body_a = a;
    joint.body_b = b;
    joint.anchor_a.x = 0.5f;
    joint.anchor_b.x = -0.5f;
    lab_check(run, dry_world_create_joint(world, &joint, &(dry_joint_id){0}));
}

void lab_add_thrown(lab_run *run, dry_world *world, const lab_thrown *chain)
{
    dry_shape_def box = dry_default_shape_def();
    box.half_extents = (dry_vec3){0.5f, 0.1f, 0.2f};
    box.filter.group = chain->group;
    dry_body_id last = {0};
    for (int i = 0; i < chain->count; i++) {
        const dry_position at = {i * (1.0 + chain->gap), i % 2 ? chain->gap : 0.0, 0.0};
        const dry_body_id id = lab_add_body(run, world, &box, 1.0 + i, at, chain->velocity[i]);
        const dry_velocity velocity = {chain->velocity[i], {0.0f, 0.5f * (float)i, -1.0f}};
        lab_check(run, dry_body_set_velocity(world, id, velocity));
        if (i > 0)
            join_ends(run, world, chain->type, last, id);
        last = id;
    }
}

dry_position lab_position(lab_run *run, const dry_world *world, dry_body_id id)
{
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, id, &pose));
    return pose.position;
}
