/* Scene files: every field is read, what was written reads back bit by bit, and what the format cannot hold
 * is not written. */
#include "state/surface.h"
#include "tests/scene_files.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>

static const float *number_at(const void *owner, const dry_scene_number *number)
{
    return (const float *)(const void *)((const char *)owner + number->offset);
}

static void assert_same_form(const dry_scene_form *x, const dry_scene_form *y)
{
    assert_true((x == NULL) == (y == NULL));
    if (!x)
        return;
    assert_true(dry_shape_data_hash(x->data) == dry_shape_data_hash(y->data));
    assert_true(x->type == y->type && x->contents == y->contents);
    assert_true(x->point_count == y->point_count && x->max_vertices == y->max_vertices);
    if (x->point_count > 0)
        assert_memory_equal(x->points, y->points, (size_t)x->point_count * sizeof *x->points);
    assert_true(x->two_sided == y->two_sided && x->solid == y->solid);
    assert_int_equal(x->triangle_count, y->triangle_count);
    if (x->triangle_count > 0)
        assert_memory_equal(x->triangles, y->triangles, 3 * (size_t)x->triangle_count * sizeof *x->triangles);
    assert_int_equal(x->child_count, y->child_count);
    for (int i = 0; i < x->child_count; i++) {
        assert_int_equal(x->children[i].type, y->children[i].type);
        assert_memory_equal(&x->children[i].pose, &y->children[i].pose, sizeof x->children[i].pose);
        assert_memory_equal(&x->children[i].scale, &y->children[i].scale, sizeof x->children[i].scale);
    }
}

static void assert_same_materials(const dry_shape_def *x, const dry_shape_def *y)
{
    assert_int_equal(x->material_count, y->material_count);
    for (int i = 0; i < x->material_count; i++) {
        const dry_material *a = &x->materials[i], *b = &y->materials[i];
#define X(name, ...) assert_memory_equal(&a->name, &b->name, sizeof a->name);
        DRY_SURFACE_NUMBERS(X)
        DRY_SURFACE_VECTORS(X)
        DRY_SURFACE_RULES(X)
#undef X
        assert_true(a->id == b->id);
    }
}

static void assert_same_shapes(const dry_scene *a, const dry_scene *b)
{
    for (int i = 0; i < a->shape_count; i++) {
        const dry_shape_def *x = &a->shapes[i], *y = &b->shapes[i];
        assert_int_equal(x->type, y->type);
        assert_same_materials(x, y);
        if (x->type == DRY_SHAPE_BOX)
            assert_memory_equal(&x->half_extents, &y->half_extents, sizeof x->half_extents);
        if (x->type == DRY_SHAPE_SPHERE || x->type == DRY_SHAPE_CAPSULE || x->type == DRY_SHAPE_CYLINDER)
            assert_true(x->radius == y->radius);
        if (x->type == DRY_SHAPE_CAPSULE || x->type == DRY_SHAPE_CYLINDER)
            assert_true(x->half_length == y->half_length);
        assert_memory_equal(&x->scale, &y->scale, sizeof x->scale);
        assert_same_form(dry_scene_form_of(a, x->data), dry_scene_form_of(b, y->data));
        if (x->type == DRY_SHAPE_HALFSPACE) {
            assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
            assert_true(x->offset == y->offset);
        }
        assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
        assert_true(x->density == y->density && x->friction == y->friction &&
                    x->static_friction == y->static_friction &&
                    x->contact_stiffness == y->contact_stiffness &&
                    x->contact_damping == y->contact_damping && x->restitution == y->restitution &&
                    x->rolling_resistance == y->rolling_resistance);
        assert_int_equal(x->filter.group, y->filter.group);
        assert_int_equal(x->events, y->events);
    }
}

static void assert_same_joints(const dry_scene *a, const dry_scene *b)
{
    for (int i = 0; i < a->joint_count; i++) {
        const dry_scene_joint *x = &a->joints[i], *y = &b->joints[i];
        assert_int_equal(x->def.type, y->def.type);
        assert_int_equal(x->body_a, y->body_a);
        assert_int_equal(x->body_b, y->body_b);
        assert_memory_equal(&x->def.anchor_a, &y->def.anchor_a, sizeof x->def.anchor_a);
        assert_memory_equal(&x->def.anchor_b, &y->def.anchor_b, sizeof x->def.anchor_b);
        assert_memory_equal(&x->def.orientation_a, &y->def.orientation_a, sizeof(dry_quat));
        assert_memory_equal(&x->def.orientation_b, &y->def.orientation_b, sizeof(dry_quat));
        assert_memory_equal(&x->def.target, &y->def.target, sizeof x->def.target);
        for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
            if (memcmp(number_at(&x->def, n), number_at(&y->def, n), sizeof(float)) != 0)
                fail_msg("joints[%d].%s: %.9g reads back as %.9g", i, n->name, *number_at(&x->def, n),
                         *number_at(&y->def, n));
        assert_memory_equal(x->def.axes, y->def.axes, sizeof x->def.axes);
        assert_int_equal(x->def.collide, y->def.collide);
        assert_true(x->body_c == y->body_c && x->body_d == y->body_d);
        assert_memory_equal(&x->anchor_c, &y->anchor_c, sizeof x->anchor_c);
        assert_memory_equal(&x->anchor_d, &y->anchor_d, sizeof x->anchor_d);
    }
}

static void assert_same_scene(const dry_scene *a, const dry_scene *b)
{
    assert_string_equal(a->name, b->name);
    assert_memory_equal(&a->gravity, &b->gravity, sizeof a->gravity);
    assert_true(a->dt == b->dt);
    assert_int_equal(a->body_count, b->body_count);
    assert_int_equal(a->shape_count, b->shape_count);
    assert_int_equal(a->joint_count, b->joint_count);
    for (int i = 0; i < a->body_count; i++) {
        const dry_scene_body *x = &a->bodies[i], *y = &b->bodies[i];
        assert_string_equal(x->id, y->id);
        assert_int_equal(x->def.type, y->def.type);
        assert_memory_equal(&x->def.pose.position, &y->def.pose.position, sizeof x->def.pose.position);
        assert_memory_equal(&x->def.pose.orientation, &y->def.pose.orientation, sizeof(dry_quat));
        assert_memory_equal(&x->def.velocity, &y->def.velocity, sizeof x->def.velocity);
        assert_int_equal(x->first_shape, y->first_shape);
        assert_int_equal(x->def.shape_count, y->def.shape_count);
        assert_int_equal(x->has_mass, y->has_mass);
        assert_true(x->def.mass == y->def.mass);
        assert_true(x->def.linear_damping == y->def.linear_damping);
        assert_true(x->def.angular_damping == y->def.angular_damping);
    }
    assert_same_shapes(a, b);
    assert_same_joints(a, b);
}

static void assert_round_trip(const dry_scene *scene)
{
    char error[512];
    dry_scene back;
    if (!dry_scene_write(scene, scratch, error, sizeof error))
        fail_msg("%s", error);
    read_file(scratch, &back);
    assert_same_scene(scene, &back);
    dry_scene_free(&back);
}

static void test_builtins_round_trip(void **state)
{
    (void)state;
    for (const dry_scene_builtin *b = dry_scene_builtins(); b->name; b++) {
        dry_scene scene = scene_of(b->name, b->size_default > 3000 ? 3000 : 0);
        assert_round_trip(&scene);
        dry_scene_free(&scene);
    }
}

/* Doubles that need all 17 digits and floats that need 9, the smallest there are, and minus zero. */
static void test_numbers_read_back_exactly(void **state)
{
    (void)state;
    dry_scene scene = scene_of("tower", 20);
    uint64_t random = 3;
    for (int i = 1; i <= 20; i++) {
        dry_body_def *def = &scene.bodies[i].def;
        random = random * 6364136223846793005u + 1442695040888963407u;
        double part = (double)(random >> 11) * 0x1p-53;
        def->pose.position = (dry_position){1.0 + part, 0.1 + 0.2, -1e8 * part};
        def->velocity.linear = (dry_vec3){1e-45f, -0.0f, (float)(part / 3.0)};
        def->velocity.angular = (dry_vec3){8388609.0f * 1e-4f, -3.4e-38f, (float)part * 1e3f};
    }
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

/* Cylinders, hulls and compounds. */
static void assert_every_form(const dry_scene *scene)
{
    const dry_shape_def *drum = scene->bodies[9].def.shapes, *wedge = scene->bodies[10].def.shapes,
                        *tool = scene->bodies[11].def.shapes;
    assert_true(drum->type == DRY_SHAPE_CYLINDER && drum->radius == 0.5f && drum->half_length == 0.25f);
    assert_true(drum->scale.x == 2.0f && drum->scale.y == -0.5f && drum->scale.z == 2.0f);
    assert_true(scene->shapes[0].scale.x == 1.0f && scene->shapes[0].scale.z == 1.0f);
    const dry_scene_form *hull = dry_scene_form_of(scene, wedge->data);
    assert_true(wedge->type == DRY_SHAPE_HULL && wedge->scale.z == -3.0f && hull->type == DRY_SHAPE_HULL);
    assert_true(hull->point_count == 5 && hull->max_vertices == 4 && hull->points[4].y == 0.5f);
    const dry_scene_form *compound = dry_scene_form_of(scene, tool->data);
    assert_true(tool->type == DRY_SHAPE_COMPOUND && tool->scale.x == 0.5f && tool->density == 500.0f);
    assert_true(compound->type == DRY_SHAPE_COMPOUND && compound->child_count == 3);
    assert_true(compound->children[0].half_extents.x == 1.0f &&
                compound->children[0].pose.position.x == 0.5f);
    assert_true(fabsf(compound->children[1].pose.orientation.w - 0.70710678f) < 1e-7f);
    const dry_scene_form *block = dry_scene_form_of(scene, compound->children[1].data);
    assert_true(block->point_count == 9 && block->max_vertices == 0 && block->points[8].y == 1.0f);
    assert_true(compound->children[2].half_length == 1.0f && compound->children[2].scale.y == 2.0f);
    assert_int_equal(scene->form_count, 9);
}

/* Meshes and height fields, with their arrays. */
static void assert_every_triangle(const dry_scene *scene)
{
    const dry_shape_def *land = scene->bodies[12].def.shapes;
    const dry_scene_form *solid = dry_scene_form_of(scene, land[0].data);
    assert_true(land[0].type == DRY_SHAPE_MESH && solid->type == DRY_SHAPE_MESH);
    assert_true(solid->solid && !solid->two_sided && solid->point_count == 4 && solid->triangle_count == 4);
    assert_true(solid->points[3].z == 1.0f && solid->triangles[3] == 0 && solid->triangles[11] == 3);
    assert_true(solid->material_indices[1] == 1 && solid->material_indices[3] == 2 &&
                land[0].material_count == 3);
    const dry_scene_form *block = dry_scene_form_of(scene, land[1].data);
    assert_true(block->two_sided && !block->solid && !block->material_indices && block->triangle_count == 5);
    assert_true(land[1].scale.y == -2.0f && land[1].friction == 0.25f && block->points[8].y == 1.0f);
    const dry_scene_form *form = dry_scene_form_of(scene, land[2].data);
    const dry_height_field_def *field = &form->field;
    assert_true(land[2].type == DRY_SHAPE_HEIGHT_FIELD && form->type == DRY_SHAPE_HEIGHT_FIELD);
    assert_true(field->rows == 3 && field->columns == 2 && field->spacing[0] == 1.5f);
    assert_true(field->spacing[1] == 0.5f && field->heights[1] == 0.125f && field->heights[5] == 2.0f);
    assert_true(field->holes[0] == 0 && field->holes[1] == 1 && field->material_indices[0] == 1);
    assert_true(field->diagonal == DRY_DIAGONAL_BACKWARD && field->solid_depth == 2.5f);
    /* One cell is no hole. */
    assert_true(form->triangle_count == 2 && form->point_count == 6 && form->points[1].x == 1.5f);
}

/* A compound with children of triangles. */
static void assert_every_child(const dry_scene *scene)
{
    const dry_shape_def *level = scene->bodies[13].def.shapes;
    const dry_scene_form *compound = dry_scene_form_of(scene, level->data);
    assert_true(compound->type == DRY_SHAPE_COMPOUND && compound->child_count == 3);
    assert_true(level->material_count == 2 && level->scale.y == -2.0f);
    const dry_shape_def *child = compound->children;
    const dry_scene_form *mesh = dry_scene_form_of(scene, child[0].data);
    assert_true(child[0].type == DRY_SHAPE_MESH && mesh->two_sided && mesh->material_indices[1] == 1);
    assert_true(child[0].pose.orientation.y == 0.6f && child[1].type == DRY_SHAPE_HEIGHT_FIELD);
    assert_true(child[1].scale.x == 3.0f && dry_scene_form_of(scene, child[1].data)->heights[1] == 0.5f);
}

static void assert_every_material(const dry_shape_def *shape)
{
    assert_int_equal(shape->material_count, 2);
    const dry_material *m = shape->materials, plain = dry_default_material();
    assert_true(m->friction == 0.9f && m->static_friction == 1.1f && m->contact_stiffness == 1e6f);
    assert_true(m->contact_damping == 2500.0f && m->restitution == 0.25f && m->rolling_resistance == 0.01f);
    assert_true(m->surface_velocity.x == 2.0f && m->surface_velocity.y == -0.5f &&
                m->surface_velocity.z == 1e-3f);
    assert_int_equal(m->friction_rule, DRY_COMBINE_PRODUCT);
    assert_int_equal(m->static_friction_rule, DRY_COMBINE_MEAN);
    assert_int_equal(m->restitution_rule, DRY_COMBINE_SMALLEST);
    assert_int_equal(m->rolling_resistance_rule, DRY_COMBINE_GEOMETRIC_MEAN);
    assert_true(m->id == UINT64_C(1) << 53);
#define X(name, ...) assert_true(m[1].name == plain.name);
    DRY_SURFACE_NUMBERS(X)
    DRY_SURFACE_RULES(X)
#undef X
    assert_true(m[1].id == 0 && shape->friction == 0.6f);
}

static void test_every_field_is_read(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES];
    data_path("every_field.json", path);
    dry_scene scene;
    read_file(path, &scene);
    assert_string_equal(scene.name, "every field");
    assert_true(scene.gravity.z == 0.5f && scene.dt == 0.01f);
    assert_int_equal(scene.body_count, 14);
    assert_int_equal(scene.shape_count, 17);

    const dry_body_def *ground = &scene.bodies[0].def, *pusher = &scene.bodies[1].def;
    assert_int_equal(ground->shapes[0].type, DRY_SHAPE_HALFSPACE);
    assert_true(ground->shapes[0].normal.y == 1.0f && ground->shapes[0].offset == -0.25f);
    assert_string_equal(scene.bodies[1].id, "pusher \"\xc3\xa9\"");
    assert_int_equal(pusher->type, DRY_BODY_KINEMATIC);
    assert_true(pusher->pose.position.x == 1e8 && pusher->pose.position.z == -3.0000000001);
    assert_true(pusher->velocity.linear.z == 3.0f && pusher->velocity.angular.z == 1e-7f);
    assert_true(pusher->shapes[0].pose.position.y == 2.0f && pusher->shapes[0].pose.orientation.x == 1.0f);
    assert_true(pusher->shapes[0].density == 0.0f && pusher->shapes[0].friction == 0.0f);
    assert_true(pusher->shapes[0].restitution == 1.0f);
    /* 0.7071 twice is 1e-5 short of unit length and is drawn out to it. */
    assert_true(fabsf(pusher->pose.orientation.w - 0.70710678f) < 1e-7f);

    /* Defaults: those of the format. */
    const dry_body_def *b1 = &scene.bodies[2].def;
    assert_true(scene.bodies[2].has_mass && b1->mass == 12.5f && !scene.bodies[3].has_mass);
    assert_true(b1->linear_damping == 0.25f && b1->angular_damping == 0.5f);
    assert_true(scene.bodies[3].def.linear_damping == 0.0f && scene.bodies[3].def.angular_damping == 0.0f);
    assert_true(b1->pose.orientation.w == 1.0f && b1->velocity.linear.x == 0.0f);
    assert_int_equal(b1->shape_count, 2);
    assert_ptr_equal(b1->shapes, &scene.shapes[2]);
    assert_true(b1->shapes[0].density == 1000.0f && b1->shapes[0].friction == 0.6f &&
                b1->shapes[0].restitution == 0.0f);
    assert_true(b1->shapes[1].half_length == 1.5f && b1->shapes[1].friction == 0.9f);
    assert_true(b1->shapes[0].rolling_resistance == 0.0f && b1->shapes[1].rolling_resistance == 0.01f);
    assert_true(b1->shapes[0].static_friction == 0.0f && b1->shapes[1].static_friction == 1.1f);
    assert_true(b1->shapes[0].contact_stiffness == 0.0f && b1->shapes[1].contact_stiffness == 1e6f);
    assert_true(b1->shapes[0].contact_damping == 0.0f && b1->shapes[1].contact_damping == 2500.0f);
    assert_true(b1->shapes[0].filter.group == 0 && b1->shapes[1].filter.group == -7);
    assert_true(b1->shapes[0].events == DRY_SHAPE_EVENTS_ALL &&
                b1->shapes[1].events == DRY_SHAPE_EVENTS_HITS);
    assert_true(scene.bodies[3].def.pose.position.y == 0.0);
    assert_every_material(&scene.bodies[3].def.shapes[0]);
    assert_every_form(&scene);
    assert_every_triangle(&scene);
    assert_every_child(&scene);

    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

/* The settings of axes of which only the named ones differ from a free axis. */
static dry_joint_axis free_but(dry_joint_axis set)
{
    dry_joint_axis axis = set;
    axis.min = set.min == 0.0f ? -INFINITY : set.min;
    axis.max = set.max == 0.0f ? INFINITY : set.max;
    axis.motor_damping_ratio = set.motor_damping_ratio == 0.0f ? 1.0f : set.motor_damping_ratio;
    axis.force_max = set.force_max == 0.0f ? INFINITY : set.force_max;
    return axis;
}

static void assert_axis(const dry_scene *scene, int joint, dry_axis axis, dry_joint_axis expected)
{
    assert_memory_equal(&scene->joints[joint].def.axes[axis], &expected, sizeof expected);
}

static void test_every_field_of_joints_is_read(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES];
    data_path("every_field.json", path);
    dry_scene scene;
    read_file(path, &scene);
    assert_int_equal(scene.joint_count, 16);
    assert_true(scene.joints[14].def.type == DRY_JOINT_GEAR && scene.joints[14].def.teeth_a == 20.0f &&
                scene.joints[14].def.teeth_b == -61.0f);
    assert_true(scene.joints[15].def.type == DRY_JOINT_RACK && scene.joints[15].def.radius == -0.25f);
    assert_true(scene.joints[13].def.type == DRY_JOINT_FILTER && scene.joints[13].body_a == 4 &&
                scene.joints[13].body_b == 7);
    const dry_scene_joint *j = scene.joints;
    assert_true(j[0].def.type == DRY_JOINT_BALL && j[0].body_a == 0 && j[0].body_b == 2 && j[0].def.collide);
    assert_true(j[1].def.type == DRY_JOINT_DISTANCE && j[1].body_a == 2 && j[1].body_b == 3);
    assert_true(j[0].def.anchor_a.y == 6.0f && j[1].def.length == 3.0f && !j[1].def.collide);
    assert_true(j[0].def.solver == DRY_JOINT_SOLVER_DIRECT && j[1].def.solver == DRY_JOINT_SOLVER_ITERATIVE);
    assert_true(j[2].def.solver == DRY_JOINT_SOLVER_WORLD);
    assert_true(j[1].def.stiffness == 1000.0f && j[1].def.damping == 10.0f);
    assert_true(j[1].def.length_min == 0.0f && j[1].def.length_max == INFINITY);
    assert_true(j[2].def.length_min == 0.5f && j[2].def.length_max == 12.5f && j[2].def.length == 1.0f);

    assert_true(j[3].def.type == DRY_JOINT_TARGET && j[3].body_a == DRY_SCENE_WORLD && j[3].body_b == 8);
    assert_true(j[3].def.target.x == 8.0000000001 && j[3].def.target.z == -1000.0);
    assert_true(j[3].def.force_max == 500.0f && j[3].def.stiffness == 2000.0f);

    assert_true(j[4].def.type == DRY_JOINT_HINGE && j[4].body_a == DRY_SCENE_WORLD && j[4].body_b == 4);
    assert_true(j[4].def.target.x == 6.0 && j[4].def.anchor_a.y == 0.25f);
    assert_true(fabsf(j[4].def.orientation_a.w - 0.70710678f) < 1e-7f && j[4].def.orientation_b.z == 0.6f);
    assert_true(j[4].def.hertz == 240.0f && j[4].def.break_force == 1e6f && j[4].def.break_torque == 2e6f);
    assert_true(j[4].def.event_force == 1e5f && j[4].def.event_torque == 2e5f);
    assert_axis(&scene, 4, DRY_AXIS_RX,
                free_but((dry_joint_axis){.min = -1.5f,
                                          .max = 0.5f,
                                          .stop_hertz = 4.0f,
                                          .stop_damping_ratio = 0.7f,
                                          .motor = DRY_MOTOR_VELOCITY,
                                          .force_max = 300.0f}));
    assert_axis(&scene, 5, DRY_AXIS_X,
                free_but((dry_joint_axis){.max = 0.25f,
                                          .stop_stiffness = 1e5f,
                                          .stop_damping = 1e3f,
                                          .motor = DRY_MOTOR_BOTH,
                                          .velocity = 0.1f,
                                          .position = 0.125f,
                                          .motor_hertz = 2.0f,
                                          .motor_damping_ratio = 0.5f}));
    assert_axis(&scene, 6, DRY_AXIS_RY,
                free_but((dry_joint_axis){.stiffness = 50.0f, .damping = 5.0f, .rest = 0.25f}));
    assert_axis(&scene, 6, DRY_AXIS_RZ,
                free_but((dry_joint_axis){.motor = DRY_MOTOR_POSITION, .position = 0.5f, .friction = 2.0f}));
    assert_true(j[7].def.type == DRY_JOINT_FIXED && j[7].def.stiffness == 2e5f);
    assert_true(j[7].def.angular_stiffness == 4e4f && j[7].def.angular_damping == 60.0f);
    assert_true(j[8].def.type == DRY_JOINT_CONE_TWIST && j[8].def.swing_max == 0.75f);
    assert_axis(&scene, 8, DRY_AXIS_RX,
                free_but((dry_joint_axis){.min = -0.5f, .max = 0.5f, .stop_restitution = 0.25f}));
    assert_axis(&scene, 8, DRY_AXIS_RY, free_but((dry_joint_axis){0}));
    dry_scene_free(&scene);
}

/* A wheel is steered where `ry` is named; a generic joint's axes are locked unless they say else. */
static void test_every_field_of_axes_is_read(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES];
    data_path("every_field.json", path);
    dry_scene scene;
    read_file(path, &scene);
    const dry_scene_joint *j = scene.joints;
    assert_true(j[9].def.type == DRY_JOINT_WHEEL);
    assert_axis(&scene, 9, DRY_AXIS_RY, free_but((dry_joint_axis){0}));
    assert_axis(&scene, 9, DRY_AXIS_RX,
                free_but((dry_joint_axis){.motor = DRY_MOTOR_VELOCITY, .velocity = 20.0f}));
    const dry_joint_axis locked = dry_default_joint_def(DRY_JOINT_GENERIC).axes[DRY_AXIS_X];
    dry_joint_axis locked_there = locked;
    locked_there.min = locked_there.max = 0.125f;
    assert_true(j[10].def.type == DRY_JOINT_GENERIC);
    assert_axis(&scene, 10, DRY_AXIS_X, locked);
    assert_axis(&scene, 10, DRY_AXIS_Y, locked_there);
    assert_axis(&scene, 10, DRY_AXIS_Z, free_but((dry_joint_axis){0}));
    assert_axis(&scene, 10, DRY_AXIS_RX, free_but((dry_joint_axis){.min = -1.0f}));
    assert_axis(&scene, 10, DRY_AXIS_RY, free_but((dry_joint_axis){.min = -0.5f, .max = 0.5f}));
    assert_axis(&scene, 10, DRY_AXIS_RZ, locked);
    assert_true(j[11].def.type == DRY_JOINT_ALIGN);
    assert_axis(
        &scene, 11, DRY_AXIS_RX,
        free_but((dry_joint_axis){.motor = DRY_MOTOR_VELOCITY, .velocity = 2.0f, .force_max = 10.0f}));
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

/* Tells whether some joint of the scene, or some axis of one, differs from its defaults in a number. */
static bool some_joint_sets(const dry_scene *scene, const dry_scene_number *number, bool of_axis)
{
    for (int i = 0; i < scene->joint_count; i++) {
        const dry_joint_def *def = &scene->joints[i].def, plain = dry_default_joint_def(def->type);
        for (int k = 0; k < (of_axis ? DRY_AXIS_COUNT : 1); k++) {
            const void *owner = of_axis ? (const void *)&def->axes[k] : def;
            const void *usual = of_axis ? (const void *)&plain.axes[k] : &plain;
            if (*number_at(owner, number) != *number_at(usual, number))
                return true;
        }
    }
    return false;
}

/* every_field.json has what its name says: each number that a joint or an axis may have, and each type. */
static void test_every_field_is_in_the_file(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES];
    data_path("every_field.json", path);
    dry_scene scene;
    read_file(path, &scene);
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
        if (!some_joint_sets(&scene, n, false))
            fail_msg("no joint sets %s", n->name);
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++)
        if (!some_joint_sets(&scene, n, true))
            fail_msg("no axis sets %s", n->name);
    for (int type = 0; type < DRY_JOINT_TYPE_COUNT; type++) {
        int count = 0;
        for (int i = 0; i < scene.joint_count; i++)
            count += (int)scene.joints[i].def.type == type;
        assert_true(count > 0);
    }
    for (int solver = 0; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
        int count = 0;
        for (int i = 0; i < scene.joint_count; i++)
            count += (int)scene.joints[i].def.solver == solver;
        if (count == 0)
            fail_msg("no joint has the solver %d", solver);
    }
    dry_scene_free(&scene);
}

static void assert_named(const char *page, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s`", name);
    if (!strstr(page, quoted))
        fail_msg("docs/scene_files.md lacks %s", quoted);
}

static void test_the_page_names_every_field(void **state)
{
    (void)state;
    static char page[32768];
    char path[FILE_NAME_BYTES];
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/docs/scene_files.md", root ? root : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int type = 0; type < DRY_JOINT_TYPE_COUNT; type++)
        assert_named(page, dry_scene_joint_forms[type].name);
    for (int type = 0; type < DRY_SHAPE_TYPE_COUNT; type++)
        assert_named(page, dry_scene_shape_names[type]);
    for (int rule = 0; rule < DRY_COMBINE_COUNT; rule++)
        assert_named(page, dry_scene_rule_names[rule]);
#define X(name, ...) #name,
    static const char *const of_shapes[] = {DRY_SURFACE_NUMBERS(X) DRY_SURFACE_VECTORS(X)
                                                DRY_SURFACE_RULES(X) "materials",
                                            "points",
                                            "file",
                                            "max_vertices",
                                            "children",
                                            "scale",
                                            "vertices",
                                            "triangles",
                                            "material_indices",
                                            "two_sided",
                                            "solid",
                                            "rows",
                                            "columns",
                                            "spacing",
                                            "heights",
                                            "holes",
                                            "diagonal",
                                            "solid_depth"};
#undef X
    for (size_t i = 0; i < sizeof of_shapes / sizeof *of_shapes; i++)
        assert_named(page, of_shapes[i]);
    for (int axis = 0; axis < DRY_AXIS_COUNT; axis++)
        assert_named(page, dry_scene_axis_names[axis]);
    assert_named(page, "solver");
    for (int solver = 0; solver < DRY_SCENE_JOINT_SOLVERS; solver++)
        assert_named(page, dry_scene_joint_solver_names[solver]);
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
        assert_named(page, n->name);
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++)
        assert_named(page, n->name);
}

/* A joint of each type between a cube of a tower and the floor, or the world. */
static void add_joint_of_each_type(dry_scene *scene)
{
    for (int type = 0; type < DRY_JOINT_PAIR_COUNT; type++) {
        dry_joint_def def = dry_default_joint_def((dry_joint_type)type);
        assert_true(dry_scene_add_joint(scene, &def, DRY_SCENE_WORLD, 1) >= 0);
        if (type != DRY_JOINT_TARGET)
            assert_true(dry_scene_add_joint(scene, &def, 0, 2) >= 0);
    }
}

/* A joint of each type keeps each solver; one that is none is not written. */
static void test_solvers_of_joints_read_back(void **state)
{
    (void)state;
    char error[512];
    dry_scene scene = scene_of("tower", 2);
    add_joint_of_each_type(&scene);
    for (int i = 0; i < scene.joint_count; i++)
        scene.joints[i].def.solver = (dry_joint_solver)(i % DRY_JOINT_SOLVER_COUNT);
    assert_round_trip(&scene);
    dry_scene back;
    assert_true(dry_scene_write(&scene, scratch, error, sizeof error));
    read_file(scratch, &back);
    for (int i = 0; i < scene.joint_count; i++)
        assert_int_equal(back.joints[i].def.solver, i % DRY_JOINT_SOLVER_COUNT);
    dry_scene_free(&back);
    const int bad[] = {-1, DRY_JOINT_SOLVER_COUNT};
    for (int i = 0; i < 2; i++) {
        scene.joints[3].def.solver = (dry_joint_solver)bad[i];
        assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
        assert_non_null(strstr(error, "joints[3].solver"));
    }
    dry_scene_free(&scene);
}

/* Bits that text may lose: each number of each joint at its bounds, at a third, at -0 and at the smallest
 * positive number. Settings that do not go together are left out. */
static void test_numbers_of_joints_read_back_exactly(void **state)
{
    (void)state;
    char error[512];
    dry_scene scene = scene_of("tower", 2);
    add_joint_of_each_type(&scene);
    assert_round_trip(&scene);
    int tried = 0;
    for (int i = 0; i < scene.joint_count; i++) {
        dry_joint_def *def = &scene.joints[i].def, before = *def;
        const uint32_t axes = dry_scene_joint_forms[def->type].axes;
        for (int k = -1; k < DRY_AXIS_COUNT; k++) {
            if (k >= 0 && !(axes >> k & 1))
                continue;
            const dry_scene_number *n = k < 0 ? dry_scene_joint_numbers : dry_scene_axis_numbers;
            for (; n->name; n++) {
                const float values[] = {n->low, n->high, n->high / 3.0f, -0.0f, 1e-45f};
                for (int v = 0; v < 5; v++) {
                    *def = before;
                    if (k >= 0) {
                        def->axes[k] = dry_scene_free_axis();
                        def->axes[k].motor = n->motor;
                    }
                    *dry_scene_number_in(k < 0 ? (void *)def : &def->axes[k], n) = values[v];
                    if (!dry_scene_check(&scene, error, sizeof error))
                        continue;
                    assert_round_trip(&scene);
                    tried++;
                }
            }
        }
        *def = before;
    }
    assert_true(tried > 500);
    dry_scene_free(&scene);
}

static void test_defaults_of_the_file(void **state)
{
    (void)state;
    const char *text = "{\"format\": \"drystone-scene\", \"version\": 1, \"bodies\": []}";
    write_scratch(text, strlen(text));
    dry_scene scene;
    read_file(scratch, &scene);
    assert_true(scene.gravity.x == 0.0f && scene.gravity.y == -9.81f && scene.gravity.z == 0.0f);
    assert_true(scene.dt == 1.0f / 60.0f);
    assert_int_equal(scene.body_count, 0);
    assert_non_null(strstr(scratch, scene.name)); /* a nameless scene is called after its file */
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

static void test_real_scenes_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int bodies;
    } files[] = {{"dominoes.json", 97}, {"stonehenge.json", 78}};
    for (int i = 0; i < 2; i++) {
        char path[FILE_NAME_BYTES];
        dry_scene scene;
        data_path(files[i].name, path);
        read_file(path, &scene);
        assert_int_equal(scene.body_count, files[i].bodies);
        assert_true(scene.gravity.z == -9.81f);
        assert_round_trip(&scene);
        dry_scene_free(&scene);
    }
}

/* A scene that the format cannot hold, or that the reader would refuse, is not written; the file stays as it
 * was. */
static void test_write_refuses(void **state)
{
    (void)state;
    char error[512];
    dry_scene scene;
    write_scratch("before", 6);
    scene = scene_of("tower", 2);
    scene.bodies[1].def.gravity_scale = 2.0f;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[1]"));
    assert_non_null(strstr(error, "gravity_scale"));
    scene.bodies[1].def.gravity_scale = 1.0f;
    scene.shapes[2].filter.category = 2;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[2]"));
    scene.shapes[2].filter.category = 1;
    scene.shapes[2].half_extents.y = NAN;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[2].shapes[0].half_extents[1]"));
    scene.shapes[2].half_extents.y = 0.5f;
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
    joint.user_data = 7;
    assert_true(dry_scene_add_joint(&scene, &joint, 1, 2) == 0);
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "joints[0]"));
    assert_non_null(strstr(error, "user_data"));
    scene.joints[0].def.user_data = 0;
    assert_false(dry_scene_write(&scene, "/nonexistent/scene.json", error, sizeof error));
    assert_int_equal(strncmp(error, "/nonexistent/scene.json: ", 25), 0);
    assert_true(dry_scene_write(&scene, "/dev/null", error, sizeof error));

    char text[16] = "";
    FILE *file = fopen(scratch, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "before");
    if (dry_scene_write(&scene, "/dev/full", error, sizeof error))
        fail_msg("a full device took the scene");
    dry_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins_round_trip),
        cmocka_unit_test(test_numbers_read_back_exactly),
        cmocka_unit_test(test_every_field_is_read),
        cmocka_unit_test(test_every_field_of_joints_is_read),
        cmocka_unit_test(test_every_field_of_axes_is_read),
        cmocka_unit_test(test_every_field_is_in_the_file),
        cmocka_unit_test(test_the_page_names_every_field),
        cmocka_unit_test(test_numbers_of_joints_read_back_exactly),
        cmocka_unit_test(test_solvers_of_joints_read_back),
        cmocka_unit_test(test_defaults_of_the_file),
        cmocka_unit_test(test_real_scenes_read),
        cmocka_unit_test(test_write_refuses),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
